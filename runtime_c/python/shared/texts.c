/* cstr[n]: an array of texts, which Python gives as a sequence of str and bytes.
 *
 *   items   tuple, kept for the call    |  "a"  |  b"b"  |
 *   C's     bytes, kept for the call    |   *   |   *    | NULL |
 */
#include "jitffi/runtime.h"
#include "raise.h"
#include "state.h"
#include "unbox.h"

#include <string.h>

/* NULL with an exception that says what is wrong. */
static const char* text_of(PyObject* item) {
  Py_ssize_t size;
  const char* text = NULL;
  if (PyBytes_Check(item)) {
    text = PyBytes_AS_STRING(item);
    size = PyBytes_GET_SIZE(item);
  } else if (PyUnicode_Check(item)) {
    text = PyUnicode_AsUTF8AndSize(item, &size);
  } else {
    PyObject* got = core_describe(item);
    if (got != NULL) PyErr_Format(PyExc_TypeError, "expected cstr, got %U", got);
    Py_XDECREF(got);
  }
  if (text == NULL) return NULL;
  const char* nul = memchr(text, 0, (size_t)size);
  if (nul == NULL) return text;
  PyErr_Format(PyExc_ValueError, "expected cstr without NUL, but byte %zd is NUL", (Py_ssize_t)(nul - text));
  return NULL;
}

static int32_t fail_item(const core_state* state, int32_t index, Py_ssize_t at) {
  core_raise_place(PyUnicode_FromFormat("item %zd: ", at));
  core_raise_context(state, index);
  return -1;
}

/* out[0] is the address of the array, behind whose items stands NULL, and out[1] the number of items. */
int32_t core_unbox_texts(core_state* state, int32_t index, PyObject* object, int64_t* out, jf_temps* temps) {
  if (PyUnicode_Check(object) || PyBytes_Check(object) || !PySequence_Check(object) || !core_ends(object)) {
    core_raise_type(state, index, object, NULL);
    return -1;
  }
  PyObject* items = PySequence_Tuple(object);
  if (items == NULL) {
    core_raise_conversion(state, index);
    return -1;
  }
  if (core_keep_python(temps, items) != 0) return -1;
  const Py_ssize_t count = PyTuple_GET_SIZE(items);
  PyObject* memory = PyBytes_FromStringAndSize(NULL, (count + 1) * (Py_ssize_t)sizeof(char*));
  if (memory == NULL || core_keep_python(temps, memory) != 0) return -1;
  const char** texts = (const char**)(void*)PyBytes_AS_STRING(memory);
  for (Py_ssize_t i = 0; i < count; i++) {
    texts[i] = text_of(PyTuple_GET_ITEM(items, i));
    if (texts[i] == NULL) return fail_item(state, index, i);
  }
  texts[count] = NULL;
  out[0] = (int64_t)(uintptr_t)texts;
  out[1] = count;
  return 0;
}

/* New: a list of str, None where there is NULL; of a length below 0 up to the first NULL. */
PyObject* core_box_texts(core_state* state, int32_t index, const char* const* texts, int64_t length) {
  PyObject* list = PyList_New(0);
  for (Py_ssize_t i = 0; list != NULL && (length < 0 ? texts[i] != NULL : i < length); i++) {
    PyObject* item = texts[i] ? PyUnicode_DecodeUTF8(texts[i], (Py_ssize_t)strlen(texts[i]), NULL) : Py_NewRef(Py_None);
    if (item == NULL || PyList_Append(list, item) != 0) {
      Py_CLEAR(list);
      fail_item(state, index, i);
    }
    Py_XDECREF(item);
  }
  return list;
}
