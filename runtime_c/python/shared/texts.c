/* cstr[n]: an array of texts, which Python gives as a sequence of str and bytes.
 *
 *   items   tuple, kept for the call    |  "a"  |  b"b"  |
 *   C's     bytes, kept for the call    |   *   |   *    | NULL |
 */
#include "foreign.h"
#include "jitffi/runtime.h"
#include "raise.h"
#include "said.h"
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

/* Borrowed: the item, or the text that it says it is, which temps keep. NULL with an exception. */
static PyObject* said_item(PyObject* item, jf_temps* temps) {
  if (PyBytes_Check(item) || PyUnicode_Check(item)) return item;
  PyObject* said = core_protocol_value(item, CORE_AS_ANY);
  if (said == NULL) return PyErr_Occurred() ? NULL : item;
  if (!PyBytes_Check(said) && !PyUnicode_Check(said)) {
    Py_DECREF(said);
    return item;
  }
  return core_keep_python(temps, said) == 0 ? said : NULL;
}

static int32_t fail_item(const core_state* state, int32_t index, Py_ssize_t at) {
  core_raise_place(PyUnicode_FromFormat("item %zd: ", at));
  core_raise_context(state, index);
  return -1;
}

static int32_t texts_said(core_state* state, int32_t index, PyObject* said, int64_t unused, void* out,
                          jf_temps* temps) {
  (void)unused;
  return core_unbox_texts(state, index, said, out, temps);
}

/* out[0] is the address of the array, behind whose items stands NULL, and out[1] the number of items. */
int32_t core_unbox_texts(core_state* state, int32_t index, PyObject* object, int64_t* out, jf_temps* temps) {
  if (PyUnicode_Check(object) || PyBytes_Check(object) || !PySequence_Check(object) || !core_ends(object))
    return core_unbox_said(state, index, object, texts_said, 0, out, temps);
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
    PyObject* item = said_item(PyTuple_GET_ITEM(items, i), temps);
    texts[i] = item != NULL ? text_of(item) : NULL;
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
