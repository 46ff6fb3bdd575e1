/* String and UCS4String as a sequence of characters: length, items, slices, containment, sums and products.
 *
 * UTF-8 that is all ASCII, and UCS4, find a character at once; in other UTF-8 it is counted from the start.
 */
#include <string.h>

#include "box.h"
#include "jitffi/text.h"
#include "text_object.h"
#include "wrapper.h"

static Py_ssize_t text_length(PyObject* self) {
  const jf_str* text = core_text_get(self);
  return text != NULL ? core_text_length(text) : -1;
}

static PyObject* fail_range(PyObject* self) {
  return PyErr_Format(PyExc_IndexError, "%s index out of range", core_wrapper_name(Py_TYPE(self)));
}

/* index is not negative; new str of one character, IndexError beyond the end. */
static PyObject* text_item(PyObject* self, Py_ssize_t index) {
  const jf_str* text = core_text_get(self);
  if (text == NULL) return NULL;
  size_t at = (size_t)index;
  if (index < 0 || at >= text->size) return fail_range(self); /* no text has more characters than units */
  if (text->header.type_code == JF_UCS4)
    return PyUnicode_FromOrdinal((int)((const jf_ucs4*)(const void*)text)->data[at]);
  if (jf_str_characters(&text->header) != text->size) at = jf_utf8_offset(text->data, text->size, at);
  if (at >= text->size) return fail_range(self);
  unsigned char lead = (unsigned char)text->data[at];
  size_t units = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
  return core_box_str(text->data + at, units);
}

static PyObject* text_slice(PyObject* self, const jf_str* text, PyObject* slice) {
  Py_ssize_t start = 0;
  Py_ssize_t stop = 0;
  Py_ssize_t step = 0;
  if (PySlice_Unpack(slice, &start, &stop, &step) != 0) return NULL; /* may run __index__ */
  Py_ssize_t length = core_text_length(text);
  Py_ssize_t count = PySlice_AdjustIndices(length, &start, &stop, step);
  if (step == 1 && text->header.type_code == JF_UCS4)
    return PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, ((const jf_ucs4*)(const void*)text)->data + start, count);
  if (step == 1 && (size_t)length == text->size) return core_box_str(text->data + start, (size_t)count);
  PyObject* plain = core_text_python(self);
  PyObject* result = plain != NULL ? PyObject_GetItem(plain, slice) : NULL;
  Py_XDECREF(plain);
  return result;
}

static PyObject* text_subscript(PyObject* self, PyObject* key) {
  if (PyIndex_Check(key)) {
    Py_ssize_t index = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (index == -1 && PyErr_Occurred()) return NULL;
    if (index < 0) {
      Py_ssize_t length = text_length(self);
      if (length < 0) return NULL;
      index += length;
    }
    return text_item(self, index);
  }
  const jf_str* text = core_text_get(self);
  if (text == NULL) return NULL;
  if (PySlice_Check(key)) return text_slice(self, text, key);
  return PyErr_Format(PyExc_TypeError, "%s indices must be integers, not '%.200s'", core_wrapper_name(Py_TYPE(self)),
                      Py_TYPE(key)->tp_name);
}

/* New str of a text; NULL without an exception when it is none. */
static PyObject* as_str(PyObject* object) {
  if (PyUnicode_Check(object)) return Py_NewRef(object);
  return core_is_text_object(object) ? core_text_python(object) : NULL;
}

static int text_contains(PyObject* self, PyObject* part) {
  const jf_str* text = core_text_get(self);
  if (text == NULL) return -1;
  PyObject* wanted = as_str(part);
  if (wanted == NULL) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_TypeError, "'in <%s>' requires string as left operand, not %.200s",
                   core_wrapper_name(Py_TYPE(self)), Py_TYPE(part)->tp_name);
    return -1;
  }
  int found = -1;
  if (text->header.type_code == JF_STR && core_text_ready(wanted) == 0 && PyUnicode_IS_ASCII(wanted)) {
    found = memmem(text->data, text->size, PyUnicode_DATA(wanted), (size_t)PyUnicode_GET_LENGTH(wanted)) != NULL;
  } else {
    PyObject* plain = core_text_python(self);
    if (plain != NULL) found = PyUnicode_Contains(plain, wanted);
    Py_XDECREF(plain);
  }
  Py_DECREF(wanted);
  return found;
}

/* New: over a str. */
PyObject* core_text_iter(PyObject* self) {
  PyObject* plain = core_text_python(self);
  PyObject* iterator = plain != NULL ? PyObject_GetIter(plain) : NULL;
  Py_XDECREF(plain);
  return iterator;
}

static PyObject* text_repeat(PyObject* self, Py_ssize_t times) {
  PyObject* plain = core_text_python(self);
  PyObject* result = plain != NULL ? PySequence_Repeat(plain, times) : NULL;
  Py_XDECREF(plain);
  return result;
}

/* Either side may be ours. */
static PyObject* text_add(PyObject* left, PyObject* right) {
  PyObject* first = as_str(left);
  PyObject* second = first != NULL ? as_str(right) : NULL;
  PyObject* sum = second != NULL ? PyUnicode_Concat(first, second) : NULL;
  Py_XDECREF(first);
  Py_XDECREF(second);
  if (sum == NULL && !PyErr_Occurred()) Py_RETURN_NOTIMPLEMENTED;
  return sum;
}

static PyObject* text_remainder(PyObject* left, PyObject* right) {
  if (!core_is_text_object(left)) Py_RETURN_NOTIMPLEMENTED;
  PyObject* plain = core_text_python(left);
  PyObject* result = plain != NULL ? PyUnicode_Format(plain, right) : NULL;
  Py_XDECREF(plain);
  return result;
}

PyNumberMethods core_text_number = {.nb_add = text_add, .nb_remainder = text_remainder};
PySequenceMethods core_text_sequence = {
    .sq_length = text_length, .sq_item = text_item, .sq_repeat = text_repeat, .sq_contains = text_contains};
PyMappingMethods core_text_mapping = {.mp_length = text_length, .mp_subscript = text_subscript};
