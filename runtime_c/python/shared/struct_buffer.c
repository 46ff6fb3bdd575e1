/* The bytes of an instance as a buffer: of one item, the struct, where a format is asked for, else of bytes.
 *
 *   struct { u8 kind; f64 x; float m[2]; }      T{B:kind:7x^d:x:(2)^f:m:}       PEP 3118, as NumPy reads it
 *
 * Addresses are unsigned there. What the language cannot say, bits and what lies over other members, is padding.
 */
#include "struct.h"

#include <string.h>

/* Appends the text of a printf format; -1 with MemoryError. */
static int append(PyObject** text, PyObject* part) {
  if (part != NULL) PyUnicode_Append(text, part);
  Py_XDECREF(part);
  return part != NULL && *text != NULL ? 0 : -1;
}

static int pad(PyObject** text, Py_ssize_t size) {
  return size > 0 ? append(text, PyUnicode_FromFormat("%zdx", size)) : 0;
}

static int append_struct(PyObject** text, const core_struct_info* info);

static int append_element(PyObject** text, const core_field* field) {
  if (field->inner != NULL) return append_struct(text, core_struct_info_of((PyObject*)field->inner));
  const char* format = field->to->kind >= CORE_TO_TEXT ? "Q" : field->to->format;
  if (format == NULL) return append(text, PyUnicode_FromFormat("%zds", field->item_size));
  return append(text, PyUnicode_FromFormat("^%s", format));
}

static int append_field(PyObject** text, const core_field* field) {
  for (int i = 0; i < field->num_dims; i++) {
    const char* after = i + 1 == field->num_dims ? ")" : ",";
    if (append(text, PyUnicode_FromFormat("%s%zd%s", i == 0 ? "(" : "", field->dims[i], after)) != 0) return -1;
  }
  return append_element(text, field) != 0 || append(text, PyUnicode_FromFormat(":%U:", field->name)) != 0 ? -1 : 0;
}

static int append_struct(PyObject** text, const core_struct_info* info) {
  Py_ssize_t end = 0;
  int status = append(text, PyUnicode_FromString("T{"));
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(info->fields) && status == 0; i++) {
    const core_field* field = (core_field*)PyTuple_GET_ITEM(info->fields, i);
    if (field->bits != 0 || field->is_flexible || field->offset < end) continue;
    status = pad(text, field->offset - end) != 0 || append_field(text, field) != 0 ? -1 : 0;
    end = field->offset + field->count * field->item_size;
  }
  return status != 0 || pad(text, info->size - end) != 0 || append(text, PyUnicode_FromString("}")) != 0 ? -1 : 0;
}

/* Borrowed; NULL with MemoryError. */
static char* format_of(const core_struct_info* info) {
  core_struct_info* known = (core_struct_info*)(uintptr_t)info;
  if (known->format == NULL) {
    PyObject* text = PyUnicode_New(0, 0);
    if (text == NULL || append_struct(&text, info) != 0) {
      Py_XDECREF(text);
      return NULL;
    }
    known->format = PyUnicode_AsUTF8String(text);
    Py_DECREF(text);
    if (known->format == NULL) return NULL;
  }
  return PyBytes_AS_STRING(known->format);
}

static int get_buffer(core_struct* s, Py_buffer* view, int flags) {
  const core_struct_info* info = core_info(s);
  const int is_const = core_struct_is_const(s);
  view->obj = NULL;
  if ((flags & PyBUF_WRITABLE) && is_const) {
    PyErr_Format(PyExc_BufferError, "%U: it is behind a pointer to const", info->key);
    return -1;
  }
  /* Items at a flexible end are no part of a format. */
  if (!(flags & PyBUF_FORMAT) || core_struct_items(s) != 0)
    return PyBuffer_FillInfo(view, (PyObject*)s, s->data, core_struct_bytes(s), is_const, flags);
  char* format = format_of(info);
  if (format == NULL) return -1;
  *view = (Py_buffer){.buf = s->data,
                      .obj = Py_NewRef((PyObject*)s),
                      .len = info->size,
                      .itemsize = info->size,
                      .readonly = is_const,
                      .ndim = 0,
                      .format = format};
  return 0;
}

PyBufferProcs core_struct_buffer = {(getbufferproc)get_buffer, NULL};
