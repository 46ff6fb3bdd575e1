/* jitffi.cast: a pointer of any type from whatever has an address. */
#include "foreign.h"
#include "numpy_array.h"
#include "pointer.h"
#include "raise.h"
#include "unbox.h"

static PyObject* cast_pointer(const core_pointee* type, const core_pointer* p) {
  if (core_pointer_check_open(p) != 0) return NULL;
  return core_pointer_make(type, p->address, p->before, p->room, p->owner);
}

/* The memory of an array or another buffer: how far it goes is known, and the exporter may not move it. */
static PyObject* cast_buffer(const core_pointee* type, PyObject* source) {
  PyObject* owner = PyMemoryView_FromObject(source);
  if (owner == NULL) return NULL;
  const Py_buffer* buffer = PyMemoryView_GET_BUFFER(owner);
  PyObject* made = NULL;
  if (!PyBuffer_IsContiguous(buffer, 'A'))
    PyErr_Format(PyExc_ValueError, "cast: the memory of the %.200s is not contiguous", Py_TYPE(source)->tp_name);
  else if (buffer->readonly && !type->is_const)
    PyErr_Format(PyExc_TypeError, "cast: expected writable memory for %U, got read-only %.200s: const fits", type->text,
                 Py_TYPE(source)->tp_name);
  else
    made = core_pointer_make(type, buffer->buf, 0, buffer->len, owner);
  Py_DECREF(owner);
  return made;
}

static PyObject* cast_number(const core_pointee* type, PyObject* number) {
  void* address = PyLong_AsVoidPtr(number);
  if (address != NULL || !PyErr_Occurred()) return core_pointer_make(type, address, 0, -1, NULL);
  if (PyErr_ExceptionMatches(PyExc_OverflowError))
    PyErr_SetString(PyExc_OverflowError, "cast: the address has more than 64 bits");
  return NULL;
}

static PyObject* cast_object(const core_pointee* type, PyObject* source) {
  void* address = NULL;
  if (source == Py_None) return core_pointer_make(type, NULL, 0, -1, NULL);
  if (core_is_pointer(source)) return cast_pointer(type, (core_pointer*)source);
  if (PyLong_Check(source)) return cast_number(type, source);
  int is_const;
  const char* bytes = core_structs != NULL ? core_structs->address(NULL, source, &is_const) : NULL;
  if (bytes != NULL && (type->is_const || !is_const))
    return core_pointer_make(type, bytes, 0, core_structs->bytes(source), source);
  int status = core_ctypes_pointer(source, &address);
  if (status == 0) status = core_cffi_pointer(source, &address, 1);
  if (status != 0) return status > 0 ? core_pointer_make(type, address, 0, -1, source) : NULL;
  if (PyObject_CheckBuffer(source) && !core_is_numpy_scalar(source)) return cast_buffer(type, source);
  PyObject* number = core_as_int(source);
  if (number == NULL) {
    if (PyErr_Occurred()) return NULL;
    PyObject* got = core_describe(source);
    if (got != NULL) PyErr_Format(PyExc_TypeError, "cast: expected an address, a pointer or a buffer, got %U", got);
    Py_XDECREF(got);
    return NULL;
  }
  PyObject* made = cast_number(type, number);
  Py_DECREF(number);
  return made;
}

PyObject* core_pointer_cast(PyObject* type, PyObject* source) {
  const core_pointee* found = core_pointee_from(type);
  return found != NULL ? cast_object(found, source) : NULL;
}
