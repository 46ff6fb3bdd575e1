/* UnicodeEncodeError and UnicodeDecodeError: exceptions that tell which part of which text is at fault. An error object has
 * that in its message, and the text, where who failed knew it, in `host`.
 */
#include <string.h>

#include "core.h"

/* What stands before, between and behind in "'ascii' codec can't encode characters in position 3-4: ordinal ...". */
static const char codec_mark[] = "' codec can't ", position_mark[] = " in position ";

/* Reads digits; NULL where there are none. */
static const char* number_at(const char* at, Py_ssize_t* out) {
  char* end;
  *out = (Py_ssize_t)strtoll(at, &end, 10);
  return end == at ? NULL : end;
}

/* New: the exception; NULL, without one, where the text is not known or the message is not of this form. */
PyObject* core_unicode_error(PyObject* class, PyObject* message, jf_object* text) {
  const int is_text = text != NULL && (text->type_code == JF_STR || text->type_code == JF_UCS4);
  const int is_bytes = text != NULL && text->type_code == JF_BYTES;
  if (class == PyExc_UnicodeEncodeError ? !is_text : !is_bytes) return NULL;
  const char* said = PyUnicode_AsUTF8(message);
  const char* codec = said != NULL && said[0] == '\'' ? strstr(said, codec_mark) : NULL;
  const char* place = codec != NULL ? strstr(codec, position_mark) : NULL;
  Py_ssize_t start, end;
  const char* at = place != NULL ? number_at(place + strlen(position_mark), &start) : NULL;
  if (at != NULL) {
    end = start;
    if (*at == '-') at = number_at(at + 1, &end);
  }
  PyObject* made = NULL;
  if (at != NULL && strncmp(at, ": ", 2) == 0) {
    PyObject* name = PyUnicode_DecodeUTF8(said + 1, codec - said - 1, NULL);
    PyObject* object = core_box_object(text);
    if (name != NULL && object != NULL)
      made = PyObject_CallFunction(class, "OOnns", name, object, start, end + 1, at + 2);
    Py_XDECREF(name);
    Py_XDECREF(object);
  }
  if (made == NULL) PyErr_Clear();
  return made;
}
