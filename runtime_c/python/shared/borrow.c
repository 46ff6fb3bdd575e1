/* Views that borrow from Python objects: how the methods of wrappers take their arguments.
 *
 * None, bool, int and float stand in the slot. ASCII text and bytes are borrowed where they are; other text is written as
 * UTF-8 into a Python bytes of its own, never into the str, which would keep it.
 */
#include <string.h>

#include "borrow.h"
#include "boxing.h"
#include "dlpack.h"
#include "fast_paths.h"
#include "foreign.h"
#include "jitffi/runtime.h"
#include "jitffi/text.h"
#include "unbox.h"
#include "wrapper.h"

enum { SMALL_MOST = 7 }; /* bytes beside the NUL in a 16-byte slot */

static inline void set(jf_any* out, int32_t code, int64_t payload) {
  out->type_code = code;
  out->small_len = 0;
  out->v_int64 = payload;
}

/* An int (subclass) as int or uint. -1 with OverflowError when it needs more than 64 bits. */
int core_set_int(PyObject* number, jf_any* out) {
  if (core_is_handle(number)) {
    set(out, JF_HANDLE, (int64_t)(uintptr_t)PyLong_AsVoidPtr(number));
    return PyErr_Occurred() ? -1 : 0;
  }
  int overflow = 0;
  int64_t value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow == 0) {
    set(out, JF_INT, value);
    return 0;
  }
  uint64_t large = overflow > 0 ? PyLong_AsUnsignedLongLong(number) : UINT64_MAX;
  if (overflow > 0 && (large != UINT64_MAX || !PyErr_Occurred())) {
    set(out, JF_UINT, (int64_t)large);
    return 0;
  }
  PyErr_Clear();
  PyErr_SetString(PyExc_OverflowError, "int does not fit 64 bits (-9223372036854775808 to 18446744073709551615)");
  return -1;
}

/* 1: a NumPy scalar, *out is set; 0: none; -1: exception. Its own code runs. */
int core_set_numpy(PyObject* object, jf_any* out) {
  int kind = core_numpy_kind(object);
  if (kind == CORE_NUMPY_BOOL) {
    int truth = PyObject_IsTrue(object);
    set(out, JF_BOOL, truth);
    return truth < 0 ? -1 : 1;
  }
  if (kind == CORE_NUMPY_FLOAT) {
    double value = PyFloat_AsDouble(object);
    if (value == -1.0 && PyErr_Occurred()) return -1;
    set(out, JF_FLOAT, 0);
    out->v_float64 = value;
    return 1;
  }
  if (kind != CORE_NUMPY_INT) return 0;
  PyObject* number = PyNumber_Index(object);
  int status = number != NULL && core_set_int(number, out) == 0 ? 1 : -1;
  Py_XDECREF(number);
  return status;
}

static inline void set_content(core_borrowed* borrowed, int is_text, const char* data, size_t size) {
  if (size <= SMALL_MOST) {
    set(&borrowed->view, is_text ? JF_SMALL_STR : JF_SMALL_BYTES, 0);
    borrowed->view.small_len = (int32_t)size;
    memcpy(borrowed->view.v_bytes, data, size);
    return;
  }
  borrowed->span = (jf_span){data, size};
  set(&borrowed->view, is_text ? JF_STR_VIEW : JF_BYTE_ARRAY, 0);
  borrowed->view.v_span = &borrowed->span;
}

/* New bytes: the text's UTF-8. UnicodeEncodeError for a lone surrogate. */
PyObject* core_utf8_of(PyObject* text) {
#if PY_VERSION_HEX < 0x030C0000
  if (PyUnicode_READY(text) != 0) return NULL;
#endif
  int width = (int)PyUnicode_KIND(text);
  Py_ssize_t length = PyUnicode_GET_LENGTH(text);
  int64_t size = jf_utf8_size(PyUnicode_DATA(text), (size_t)length, width);
  if (size < 0) return PyUnicode_AsUTF8String(text); /* raises */
  PyObject* bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
  if (bytes != NULL) jf_utf8_write(PyUnicode_DATA(text), (size_t)length, width, PyBytes_AS_STRING(bytes));
  return bytes;
}

static int borrow_text(PyObject* object, core_borrowed* borrowed) {
  if (PyUnicode_IS_COMPACT_ASCII(object)) {
    set_content(borrowed, 1, (const char*)PyUnicode_1BYTE_DATA(object), (size_t)PyUnicode_GET_LENGTH(object));
    return 0;
  }
  borrowed->kept = core_utf8_of(object);
  if (borrowed->kept == NULL) return -1;
  set_content(borrowed, 1, PyBytes_AS_STRING(borrowed->kept), (size_t)PyBytes_GET_SIZE(borrowed->kept));
  return 0;
}

/* Takes a new object. */
static int borrow_owned(jf_object* made, core_borrowed* borrowed) {
  if (made == NULL) return -1;
  borrowed->owned = made;
  core_view_of_object(made, &borrowed->view);
  return 0;
}

static int borrow_other(PyObject* object, core_borrowed* borrowed) {
  if (PyLong_Check(object)) return core_set_int(object, &borrowed->view);
  if (PyFloat_Check(object)) {
    set(&borrowed->view, JF_FLOAT, 0);
    borrowed->view.v_float64 = PyFloat_AS_DOUBLE(object);
    return 0;
  }
  const int is_dtype = core_is_dtype(object);
  if (is_dtype || core_is_device(object)) {
    set(&borrowed->view, is_dtype ? JF_DTYPE : JF_DEVICE, 0);
    if (is_dtype)
      borrowed->view.v_dtype = ((core_dtype*)object)->value;
    else
      borrowed->view.v_device = ((core_device*)object)->value;
    return 0;
  }
  PyObject* mover = core_moved_wrapper(object);
  if (mover != NULL) {
    borrowed->owned = core_wrapper_get(mover); /* held: hashing or comparing it may run code that moves it elsewhere */
    if (borrowed->owned == NULL) return -1;
    jf_object_retain(borrowed->owned);
    set(&borrowed->view, JF_RVALUE, 0);
    borrowed->view.v_rvalue = &((core_wrapper*)mover)->object;
    return 0;
  }
  int status = core_set_numpy(object, &borrowed->view);
  if (status != 0) return status < 0 ? -1 : 0;
  jf_object* native = core_native_object(object);
  if (native != NULL) return borrow_owned(native, borrowed);
  set(&borrowed->view, JF_NULL, 0);
  return PyErr_Occurred() ? -1 : 0;
}

/* Borrows object. */
int core_borrow(PyObject* object, core_borrowed* borrowed) {
  int64_t number;
  borrowed->owned = NULL;
  borrowed->kept = NULL;
  if (PyLong_CheckExact(object) && fast_int(object, &number)) { /* what keys and values are most of the time */
    set(&borrowed->view, JF_INT, number);
    return 0;
  }
  if (object == Py_None) {
    set(&borrowed->view, JF_NULL, 0);
    return 0;
  }
  if (PyBool_Check(object)) {
    set(&borrowed->view, JF_BOOL, object == Py_True);
    return 0;
  }
  if (PyUnicode_Check(object)) return borrow_text(object, borrowed);
  if (PyBytes_Check(object)) {
    set_content(borrowed, 0, PyBytes_AS_STRING(object), (size_t)PyBytes_GET_SIZE(object));
    return 0;
  }
  if (core_is_wrapper(object)) { /* its object is held: user code may move it away meanwhile */
    jf_object* native = core_wrapper_get(object);
    jf_object_retain(native);
    return borrow_owned(native, borrowed);
  }
  return borrow_other(object, borrowed);
}
