/* JITFFI_TRACE: calls of scripts and typed functions from Python, counted and written down at the place that makes them.
 * trace.h has the whole of it. */
#include "trace.h"
#include "function.h"
#include "hooks.h"
#include "parts.h"

#include <stdlib.h>
#include <string.h>

/* An instruction that calls a function. They are never freed, and hold their code. */
typedef struct trace_site {
  PyCodeObject* code; /* NULL: no Python code calls */
  int lasti;
  uint32_t function, number, process;
  uint64_t calls, turn; /* made; the number of the next one that is written */
  uint64_t first;       /* of the `weight` calls that it stands for */
  uint64_t weight;
} site;

enum { TABLE = 2 * TRACE_MOST_SITES, ARGUMENTS = 640, ITEMS = 32 };

int core_trace_on;

static site* table[TABLE];            /* by code, instruction and function; open addressing */
static site* sites[TRACE_MOST_SITES]; /* by number */
static uint32_t site_count, function_count;

/* -- sites --------------------------------------------------------------------------------------------------------------- */

/* The code that is running, borrowed, and where it is; NULL. 3.11 calls by another of two instructions once it has
 * specialised them, which makes two sites of one line. */
static PyCodeObject* find_caller(int* lasti) {
#if PY_VERSION_HEX >= 0x030C0000
  PyThreadState* state = PyThreadState_Get();
#if PY_VERSION_HEX >= 0x030D0000
  struct _PyInterpreterFrame* frame = state->current_frame;
#else
  struct _PyInterpreterFrame* frame = state->cframe->current_frame;
#endif
  if (frame == NULL) return NULL;
  PyObject* code = PyUnstable_InterpreterFrame_GetCode(frame);
  *lasti = PyUnstable_InterpreterFrame_GetLasti(frame);
  Py_DECREF(code); /* the frame has it */
  return PyCode_Check(code) ? (PyCodeObject*)code : NULL;
#else
  PyFrameObject* frame = PyEval_GetFrame();
  if (frame == NULL) return NULL;
  PyCodeObject* code = PyFrame_GetCode(frame);
  *lasti = PyFrame_GetLasti(frame);
  Py_DECREF(code);
  return code;
#endif
}

static uint64_t mix(uint64_t x) { /* splitmix64 (Steele, Lea and Flood 2014) */
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

static site* new_site(PyCodeObject* code, int lasti, uint32_t function) {
  if (site_count == TRACE_MOST_SITES) return NULL;
  site* made = PyMem_RawCalloc(1, sizeof *made);
  if (made == NULL) return NULL;
  made->code = (PyCodeObject*)Py_XNewRef(code);
  made->lasti = lasti;
  made->function = function;
  sites[site_count++] = made;
  made->number = site_count;
  return made;
}

/* NULL: there are too many. */
static site* find_site(core_traced* traced) {
  int lasti = 0;
  PyCodeObject* code = find_caller(&lasti);
  site* found = traced->last;
  if (found != NULL && found->code == code && found->lasti == lasti) return found;
  uint64_t at = mix((uint64_t)(uintptr_t)code ^ ((uint64_t)(uint32_t)lasti << 48) ^ ((uint64_t)traced->number << 16));
  while ((found = table[at % TABLE]) != NULL) {
    if (found->code == code && found->lasti == lasti && found->function == traced->number) return traced->last = found;
    at++;
  }
  found = new_site(code, lasti, traced->number);
  if (found != NULL) traced->last = table[at % TABLE] = found;
  return found;
}

/* Counts a call. What its line is to stand for; 0: it has none. */
static uint64_t take_turn(site* s) {
  if (s->calls++ != s->turn) return 0;
  const uint64_t weight = s->weight;
  s->first += weight;
  if (s->first >= TRACE_ALL && (s->first & (s->first - 1)) == 0) s->weight *= 2;
  s->turn = s->first + (mix(s->first ^ (uint64_t)s->number << 40) & (s->weight - 1));
  return weight;
}

/* -- descriptions -------------------------------------------------------------------------------------------------------- */

/* Writes `head` and the text, which is stolen, as a line. Where there is none for an exception it is {}; but for what is no
 * error of the description, KeyboardInterrupt say: -1, and it stays. */
static int put_description(const char* head, PyObject* text) {
  if (text == NULL) {
    if (!PyErr_ExceptionMatches(PyExc_Exception)) return -1;
    PyErr_Clear();
  }
  Py_ssize_t size = 2;
  const char* utf8 = text != NULL && PyUnicode_Check(text) ? PyUnicode_AsUTF8AndSize(text, &size) : "{}";
  PyObject* line = utf8 != NULL ? PyBytes_FromFormat("%s %s\n", head, utf8) : NULL;
  if (line != NULL) trace_write(PyBytes_AS_STRING(line), (size_t)PyBytes_GET_SIZE(line));
  PyErr_Clear();
  Py_XDECREF(line);
  Py_XDECREF(text);
  return 0;
}

/* Runs Python code. -1 with an exception that is no error of it. */
static int describe_function(core_function* f) {
  core_traced* traced = f->traced;
  char head[32];
  if (traced->number == 0) traced->number = ++function_count;
  traced->process = trace_process; /* other threads, which can come now, need not do it again */
  snprintf(head, sizeof head, "F %u", (unsigned)traced->number);
  const int status = put_description(head, core_hook_description(f, NULL, 0, 0));
  if (status < 0) traced->process = 0;
  return status;
}

static int describe_site(core_function* f, site* s) {
  char head[48];
  s->process = trace_process;
  s->calls = s->turn = s->first = 0;
  s->weight = 1;
  snprintf(head, sizeof head, "S %u %u", (unsigned)s->number, (unsigned)s->function);
  const int line = s->code != NULL ? PyCode_Addr2Line(s->code, s->lasti) : 0;
  const int status = put_description(head, core_hook_description(f, (PyObject*)s->code, line, 1));
  if (status < 0) s->process = 0;
  return status;
}

/* -- calls --------------------------------------------------------------------------------------------------------------- */

static PyObject* call_entry(core_function* f, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
  PyCFunction entry = f->traced->entry;
  if (f->def.ml_flags & METH_KEYWORDS)
    return ((_PyCFunctionFastWithKeywords)(void (*)(void))entry)((PyObject*)f, args, given, kwnames);
  return ((_PyCFunctionFast)(void (*)(void))entry)((PyObject*)f, args, given);
}

static void put_arguments(trace_text* text, const site* s, uint64_t weight, PyObject* const* args, Py_ssize_t given,
                          PyObject* kwnames) {
  const Py_ssize_t named = kwnames != NULL ? PyTuple_GET_SIZE(kwnames) : 0;
  trace_number(text, s->number);
  if (weight != 1) {
    *text->at++ = '*';
    trace_number(text, weight);
  }
  for (Py_ssize_t i = 0; i < given + named && text->at[-1] != '~'; i++) {
    *text->at++ = ' ';
    if (i >= given && text->end - text->at >= ARGUMENTS / 4) {
      Py_ssize_t size = 0;
      const char* name = PyUnicode_AsUTF8AndSize(PyTuple_GET_ITEM(kwnames, i - given), &size);
      if (name == NULL) PyErr_Clear(); /* half a character has no UTF-8, and then the size is -1 in 3.13 */
      name != NULL ? trace_name(text, name, (size_t)size) : trace_name(text, "_", 1);
      *text->at++ = '=';
    }
    trace_value(text, args[i]);
  }
}

static void put_result(trace_text* text, PyObject* result) {
  *text->at++ = ' ';
  *text->at++ = result != NULL ? '>' : '!';
  *text->at++ = ' ';
  if (result != NULL) {
    trace_value(text, result);
  } else {
    const char* name = ((PyTypeObject*)PyErr_Occurred())->tp_name;
    trace_name(text, name, strlen(name));
  }
  *text->at++ = '\n';
}

/* The line of a call whose turn it is. Arguments are looked at before the call, which may change them. */
static PyObject* call_written(core_function* f, site* s, uint64_t weight, PyObject* const* args, Py_ssize_t given,
                              PyObject* kwnames) {
  char line[TRACE_LINE];
  trace_text text = {line, line + ARGUMENTS, ITEMS};
  const uint32_t process = trace_process;
  put_arguments(&text, s, weight, args, given, kwnames);
  PyObject* result = call_entry(f, args, given, kwnames);
  if (process != trace_process) return result; /* it forked, and this is the child */
  if (result == NULL && !PyErr_Occurred()) return NULL;
  text.end = line + TRACE_LINE - 8;
  text.items = ITEMS;
  put_result(&text, result);
  trace_write_soon(line, (size_t)(text.at - line));
  return result;
}

/* What a traced Function's builtin enters. */
static PyObject* enter(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
  core_function* f = (core_function*)self;
  if (trace_full) return call_entry(f, args, given, kwnames);
  if (f->traced->process != trace_process && describe_function(f) < 0) return NULL;
  site* s = find_site(f->traced);
  if (s == NULL) return call_entry(f, args, given, kwnames);
  if (s->process != trace_process && describe_site(f, s) < 0) return NULL;
  const uint64_t weight = take_turn(s);
  return weight == 0 ? call_entry(f, args, given, kwnames) : call_written(f, s, weight, args, given, kwnames);
}

static PyObject* enter_plain(PyObject* self, PyObject* const* args, Py_ssize_t given) {
  return enter(self, args, given, NULL);
}

/* What a traced script itself is called by, as core_script_vectorcall. */
PyObject* core_trace_script_vectorcall(PyObject* self, PyObject* const* args, size_t flags, PyObject* kwnames) {
  if (Py_EnterRecursiveCall(" while calling a script")) return NULL;
  PyObject* result = enter(self, args, PyVectorcall_NARGS(flags), kwnames);
  Py_LeaveRecursiveCall();
  return result;
}

PyCFunction core_trace_hook(core_function* f, PyCFunction entry) {
  if (f->traced == NULL) f->traced = PyMem_Calloc(1, sizeof *f->traced);
  if (f->traced == NULL) return entry; /* it is not traced, then */
  f->traced->entry = entry;
  return f->def.ml_flags & METH_KEYWORDS ? (PyCFunction)(void (*)(void))enter
                                         : (PyCFunction)(void (*)(void))enter_plain;
}

/* -- the end ------------------------------------------------------------------------------------------------------------- */

static void put_totals(void) {
  for (uint32_t i = 0; i < site_count; i++) {
    const site* s = sites[i];
    char line[64];
    if (s->process != trace_process) continue;
    const int size = snprintf(line, sizeof line, "T %u %llu\n", (unsigned)s->number, (unsigned long long)s->calls);
    trace_write(line, (size_t)size);
  }
}

static void finish(void) {
  put_totals();
  trace_flush();
}

/* trace_flush(): what has been traced is in the file, with the totals so far. */
static PyObject* flush(PyObject* module, PyObject* unused) {
  (void)module, (void)unused;
  if (core_trace_on) finish();
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"trace_flush", flush, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* Opens the file if one is asked for; -1 with an exception. */
int core_trace_init(PyObject* module) {
  const char* path = getenv("JITFFI_TRACE");
  if (path != NULL && *path != '\0' && trace_open(path)) {
    core_trace_on = 1;
    atexit(finish); /* when the interpreter has ended: what runs until then is traced, too */
  }
  return PyModule_AddFunctions(module, methods);
}
