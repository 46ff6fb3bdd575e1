/* Lines of a native error's traceback as entries of a Python traceback: code that was compiled from Python source shows
 * where it was, as Python's own code does.
 *
 *   File "text.py", line 12, in f
 *
 * is what such a line looks like, the most recent call first. An entry needs a frame, and a frame code: both are made
 * empty, with the line as the code's first, which is where a frame stands that has not begun to run.
 */
#include "error.h"

#include <frameobject.h>

#include <string.h>

typedef struct {
  const char *file, *function;
  size_t file_size, function_size;
  int line;
} place;

/* 1 where the text from `line` to `end` is of that form, else 0. */
static int read_place(const char* line, const char* end, place* out) {
  static const char BEGIN[] = "  File \"", MIDDLE[] = "\", line ", LAST[] = ", in ";
  const size_t begin = sizeof BEGIN - 1, middle = sizeof MIDDLE - 1, last = sizeof LAST - 1;
  if ((size_t)(end - line) < begin || memcmp(line, BEGIN, begin) != 0) return 0;
  out->file = line + begin;
  const char* at = end; /* from behind: a file's name can have anything in it */
  while (at > out->file && ((size_t)(end - at) < middle || memcmp(at, MIDDLE, middle) != 0)) at--;
  if (at == out->file) return 0;
  out->file_size = (size_t)(at - out->file);
  int64_t number = 0;
  for (at += middle; at < end && *at >= '0' && *at <= '9' && number < INT32_MAX; at++) number = 10 * number + *at - '0';
  if (number <= 0 || number > INT32_MAX || (size_t)(end - at) < last || memcmp(at, LAST, last) != 0) return 0;
  out->line = (int)number;
  out->function = at + last;
  out->function_size = (size_t)(end - out->function);
  return 1;
}

/* The line that begins at *at, without its end; *at is where the next one begins. */
static const char* next_line(const char** at, const char* end) {
  const char* line = *at;
  const char* stop = memchr(line, '\n', (size_t)(end - line));
  *at = stop != NULL ? stop + 1 : end;
  return stop != NULL ? stop : end;
}

static __attribute__((noinline)) int is_text(PyObject* text, const char* data, size_t size) {
  Py_ssize_t length;
  const char* utf8 = PyUnicode_AsUTF8AndSize(text, &length);
  if (utf8 == NULL) PyErr_Clear();
  return utf8 != NULL && (size_t)length == size && memcmp(utf8, data, size) == 0;
}

/* New: code that begins there; NULL with an exception. */
static __attribute__((cold, noinline)) PyCodeObject* new_code(const place* where) {
  PyObject* file = PyUnicode_DecodeUTF8(where->file, (Py_ssize_t)where->file_size, "replace");
  PyObject* function = PyUnicode_DecodeUTF8(where->function, (Py_ssize_t)where->function_size, "replace");
  const char* file_utf8 = file != NULL ? PyUnicode_AsUTF8(file) : NULL;
  const char* function_utf8 = function != NULL ? PyUnicode_AsUTF8(function) : NULL;
  PyCodeObject* code = NULL;
  if (file_utf8 != NULL && function_utf8 != NULL) code = PyCode_NewEmpty(file_utf8, function_utf8, where->line);
  Py_XDECREF(file);
  Py_XDECREF(function);
  return code;
}

/* As new_code. That of the last places is kept: errors pass through the same ones, and code is half of what an entry takes. */
static PyCodeObject* code_at(const place* where) {
  enum { KEPT = 64 };
  static PyCodeObject* kept[KEPT];
  PyCodeObject** place_of = &kept[(size_t)where->line % KEPT];
  PyCodeObject* code = *place_of;
  if (code == NULL || code->co_firstlineno != where->line ||
      !is_text(code->co_name, where->function, where->function_size) ||
      !is_text(code->co_filename, where->file, where->file_size)) {
    code = new_code(where);
    if (code == NULL) return NULL;
    Py_XSETREF(*place_of, code);
  }
  return (PyCodeObject*)Py_NewRef(code);
}

/* New: a frame at that place; NULL with an exception. */
static PyFrameObject* frame_at(const place* where) {
  PyObject* globals = PyDict_New();
  PyCodeObject* code = globals != NULL ? code_at(where) : NULL;
  PyFrameObject* frame = code != NULL ? PyFrame_New(PyThreadState_Get(), code, globals, NULL) : NULL;
  Py_XDECREF(globals);
  Py_XDECREF(code);
  return frame;
}

/* The exception that is set has passed through each of the places that `text` tells of. It stays set, whatever fails. */
void core_traceback_add(const char* text, size_t size) {
  const char *at = text, *end = text + size;
  while (at < end) {
    place where;
    const char* line = at;
    if (!read_place(line, next_line(&at, end), &where)) continue;
    PyObject* exception = core_error_fetch();
    PyFrameObject* frame = exception != NULL ? frame_at(&where) : NULL;
    if (frame == NULL) PyErr_Clear();
    if (exception == NULL) return;
    core_error_restore(exception);
    if (frame != NULL) PyTraceBack_Here(frame);
    Py_XDECREF(frame);
  }
}

/* New str: the lines of `text` that are of another form; NULL without an exception where there are none. */
__attribute__((cold)) PyObject* core_traceback_rest(const char* text, size_t size) {
  const char *at = text, *end = text + size;
  char* rest = size > 0 ? PyMem_Malloc(size) : NULL;
  if (rest == NULL) return NULL;
  size_t length = 0;
  while (at < end) {
    place where;
    const char* line = at;
    if (read_place(line, next_line(&at, end), &where)) continue;
    memcpy(rest + length, line, (size_t)(at - line));
    length += (size_t)(at - line);
  }
  if (length > 0 && rest[length - 1] == '\n') length--; /* a note ends with no line of its own */
  PyObject* made = length > 0 ? PyUnicode_DecodeUTF8(rest, (Py_ssize_t)length, "replace") : NULL;
  PyErr_Clear();
  PyMem_Free(rest);
  return made;
}
