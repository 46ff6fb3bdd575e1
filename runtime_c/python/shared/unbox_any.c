/* `any`, `object` and `func`: Python object to slot or native object, by what the object is.
 *
 *   None null   bool bool   int int or uint   float float   str, bytes their codes   callables but classes function
 *   DataType and Device their codes
 *   NumPy's scalars: bool, int or float by kind   wrappers: their object, a box opened   list, tuple, dict: new containers
 *   what C gave as a handle, and as arguments pointers of ctypes and cffi: handle
 *   NumPy's arrays of numbers: nd-arrays that keep them   everything else: held opaquely
 *
 * Subclasses of int, float, str and bytes lose their class. bytearrays and other buffers stay Python objects: they
 * change.
 *
 */
#include "borrow.h"
#include "boxing.h"
#include "convert.h"
#include "dlpack.h"
#include "error.h"
#include "foreign.h"
#include "function.h"
#include "handle.h"
#include "host_object.h"
#include "jitffi/runtime.h"
#include "raise.h"
#include "said.h"
#include "state.h"
#include "unbox.h"
#include "wrapper.h"

#include <string.h>

enum { SMALL_MOST = 7 }; /* bytes beside the NUL in a 16-byte slot */

static const char RANGE[] = " (-9223372036854775808 to 18446744073709551615)";

/* -- what fits the payload ---------------------------------------------------------------------------------- */

static void set(jf_any* out, int32_t code, int64_t payload) {
  out->type_code = code;
  out->small_len = 0;
  out->v_int64 = payload;
}

static int set_float(jf_any* out, double value) {
  set(out, JF_FLOAT, 0);
  out->v_float64 = value;
  return 1;
}

/* 1, or -1 with OverflowError. */
static int set_int(core_state* state, int32_t index, PyObject* number, jf_any* out) {
  int overflow = 0;
  int64_t value = PyLong_AsLongLongAndOverflow(number, &overflow);
  int32_t code = JF_INT;
  if (overflow > 0) {
    uint64_t large = PyLong_AsUnsignedLongLong(number);
    if (large != UINT64_MAX || !PyErr_Occurred()) overflow = 0;
    PyErr_Clear();
    value = (int64_t)large;
    code = JF_UINT;
  }
  if (overflow != 0) {
    core_raise_value(state, index, PyExc_OverflowError, RANGE, number);
    return -1;
  }
  set(out, code, value);
  return 1;
}

static int set_numpy_scalar(core_state* state, int32_t index, PyObject* object, jf_any* out) {
  int kind = core_numpy_kind(object);
  if (kind == CORE_NUMPY_BOOL) {
    int truth = PyObject_IsTrue(object);
    if (truth < 0) return -1;
    set(out, JF_BOOL, truth);
    return 1;
  }
  if (kind == CORE_NUMPY_FLOAT) {
    double value = PyFloat_AsDouble(object);
    return value == -1.0 && PyErr_Occurred() ? -1 : set_float(out, value);
  }
  if (kind != CORE_NUMPY_INT) return 0;
  PyObject* number = PyNumber_Index(object);
  if (number == NULL) return -1;
  int status = set_int(state, index, number, out);
  Py_DECREF(number);
  return status;
}

static int set_dlpack(PyObject* object, jf_any* out) {
  const int is_dtype = core_is_dtype(object);
  set(out, is_dtype ? JF_DTYPE : JF_DEVICE, 0);
  if (is_dtype)
    out->v_dtype = ((core_dtype*)object)->value;
  else
    out->v_device = ((core_device*)object)->value;
  return 1;
}

/* Null, bool, int, float, data type and device: 1 done, 0 something else, -1 exception. *out is written only when done. */
static int set_plain(core_state* state, int32_t index, PyObject* object, jf_any* out) {
  if (object == Py_None || PyBool_Check(object)) {
    set(out, object == Py_None ? JF_NULL : JF_BOOL, object == Py_True);
    return 1;
  }
  if (PyLong_Check(object)) {
    if (!core_is_handle(object)) return set_int(state, index, object, out);
    set(out, JF_HANDLE, (int64_t)(uintptr_t)PyLong_AsVoidPtr(object));
    return PyErr_Occurred() ? -1 : 1;
  }
  if (PyFloat_Check(object)) return set_float(out, PyFloat_AS_DOUBLE(object));
  if (PyUnicode_Check(object) || PyBytes_Check(object)) return 0;
  if (core_is_dtype(object) || core_is_device(object)) return set_dlpack(object, out);
  return set_numpy_scalar(state, index, object, out);
}

/* -- objects ------------------------------------------------------------------------------------------------ */

static jf_object* raised(jf_object* made) {
  if (made == NULL) core_error_raise(NULL);
  return made;
}

/* What native code can call: Functions, and every other callable but classes, which are values more often than not. */
static int is_function(PyObject* object) {
  return core_function_get(object) != NULL || (PyCallable_Check(object) && !PyType_Check(object));
}

jf_object* (*core_numpy_object)(PyObject* object);
jf_object* (*core_shape_from)(PyObject* object);

/* New: what stands for an object of another package: a DataType for a dtype of NumPy that is one, or core_foreign_plain's. NULL,
 * with an exception or without. */
static PyObject* foreign_plain(PyObject* object) {
  jf_dtype dtype;
  if (PyType_Check(object) || !core_is_numpy_dtype(object)) return core_foreign_plain(object);
  return core_dtype_convert(object, &dtype) == CORE_FOUND ? core_box_dtype(dtype) : NULL;
}

/* New: the native object of a wrapper or function, the nd-array of a NumPy array, or a host object that holds any other. NULL with an
 * exception, or without one for what stands for None. */
jf_object* core_native_object(PyObject* object) {
  PyObject* mover = core_moved_wrapper(object);
  if (mover != NULL) object = mover;
  if (core_is_wrapper(object)) {
    jf_object* native = core_wrapper_get(object);
    jf_object_retain(native);
    return native;
  }
  jf_object* container = core_container_from(object);
  if (container != NULL || PyErr_Occurred()) return container;
  jf_object* array = core_numpy_object != NULL ? core_numpy_object(object) : NULL;
  if (array != NULL || PyErr_Occurred()) return array;
  PyObject* plain = foreign_plain(object);
  if (plain == NULL && PyErr_Occurred()) return NULL;
  if (plain == NULL) return is_function(object) ? core_function_handle(object) : core_host_new(object);
  jf_object* native = NULL;
  core_borrowed borrowed = {0};
  if (Py_EnterRecursiveCall(" in a conversion of another module's object") == 0) { /* it may give itself */
    if (core_borrow(plain, &borrowed) == 0) {
      int32_t failed = 0;
      native = jf_any_to_object(&borrowed.view, &failed);
      if (failed) core_error_raise(NULL);
      core_borrowed_done(&borrowed);
    }
    Py_LeaveRecursiveCall();
  }
  Py_DECREF(plain);
  return native;
}

/* Text or bytes: 1 and their memory, 0 neither, -1 exception. */
static int content(core_state* state, int32_t index, PyObject* object, jf_span* out) {
  if (PyUnicode_Check(object)) return core_unbox_str(state, index, object, out) == 0 ? 1 : -1;
  if (!PyBytes_Check(object)) return 0;
  out->data = PyBytes_AS_STRING(object);
  out->size = (size_t)PyBytes_GET_SIZE(object);
  return 1;
}

/* New object for anything but None. NULL with an exception. */
static jf_object* as_object(core_state* state, int32_t index, PyObject* object) {
  jf_any slot;
  jf_span span;
  int status = content(state, index, object, &span);
  if (status < 0) return NULL;
  if (status > 0)
    return raised(PyUnicode_Check(object) ? jf_str_new(span.data, span.size) : jf_bytes_new(span.data, span.size));
  status = set_plain(state, index, object, &slot);
  if (status < 0) return NULL;
  jf_object* made = status > 0 ? raised(jf_any_to_object(&slot, NULL)) : core_native_object(object);
  if (made == NULL && !PyErr_Occurred()) core_raise_type(state, index, object, "it stands for None");
  return made;
}

/* New function handle for whatever can be called. NULL, with an exception or without. */
static jf_object* as_function(PyObject* object) {
  PyObject* mover = core_moved_wrapper(object);
  if (mover != NULL) object = mover;
  jf_object* native = core_is_wrapper(object) ? core_wrapper_get(object) : NULL;
  if (native == NULL && core_is_wrapper(object)) return NULL;
  if (native != NULL && native->type_code == JF_FUNCTION) {
    jf_object_retain(native);
    return native;
  }
  return core_function_get(object) != NULL || PyCallable_Check(object) ? core_function_handle(object) : NULL;
}

/* New reference to a module. NULL, with an exception or without. */
static jf_object* as_module(PyObject* object) {
  PyObject* mover = core_moved_wrapper(object);
  if (mover != NULL) object = mover;
  jf_object* native = core_is_wrapper(object) ? core_wrapper_get(object) : NULL;
  if (native == NULL && core_is_wrapper(object)) return NULL;
  if (native != NULL && native->type_code == JF_MODULE) {
    jf_object_retain(native);
    return native;
  }
  return NULL;
}

static int32_t unbox_said(core_state* state, int32_t index, PyObject* said, int64_t code, void* out, jf_temps* temps) {
  return core_unbox_object(state, index, said, (int32_t)code, out, temps);
}

/* Borrows object; *out lives in temps. code: JF_ROOT, JF_FUNCTION or JF_MODULE. */
int32_t core_unbox_object(core_state* state, int32_t index, PyObject* object, int32_t code, jf_object** out,
                          jf_temps* temps) {
  if (object == Py_None && code == JF_ROOT) {
    core_raise_type(state, index, object, "optional[object] takes None");
    return -1;
  }
  jf_object* native = code == JF_FUNCTION ? as_function(object)
                      : code == JF_MODULE ? as_module(object)
                                          : as_object(state, index, object);
  if (native == NULL && !PyErr_Occurred()) return core_unbox_said(state, index, object, unbox_said, code, out, temps);
  if (native == NULL || core_keep_object(temps, native) != 0) return -1;
  *out = native;
  return 0;
}

/* -- slots -------------------------------------------------------------------------------------------------- */

static void free_span(void* span) { jf_free(span); }

/* Up to SMALL_MOST bytes stand in the slot; for more, a span in temps points at the object's own memory. */
static int32_t set_content(jf_view* out, int is_text, jf_span content, jf_temps* temps) {
  if (content.size <= SMALL_MOST) {
    set(out, is_text ? JF_SMALL_STR : JF_SMALL_BYTES, 0);
    out->small_len = (int32_t)content.size;
    memcpy(out->v_bytes, content.data, content.size);
    return 0;
  }
  jf_span* span = jf_alloc(sizeof *span);
  if (span == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  *span = content;
  if (jf_temps_add(temps, span, free_span) != 0) {
    core_error_raise(NULL);
    return -1;
  }
  set(out, is_text ? JF_STR_VIEW : JF_BYTE_ARRAY, 0);
  out->v_span = span;
  return 0;
}

/* A pointer of ctypes or cffi, NULL as null: 1 done, 0 something else, -1 exception. What can be called is a function. */
static int set_pointer(PyObject* object, jf_any* out) {
  void* address = NULL;
  if (core_is_wrapper(object) || PyList_Check(object) || PyTuple_Check(object) || PyDict_Check(object)) return 0;
  int status = core_cffi_pointer(object, &address, 0); /* all of cffi's data says that it can be called */
  if (status == 0 && !PyCallable_Check(object)) status = core_ctypes_pointer(object, &address);
  if (status == 1) set(out, address != NULL ? JF_HANDLE : JF_NULL, (int64_t)(uintptr_t)address);
  return status;
}

/* What has no native object: null, but -1 with an exception. */
static int32_t set_null(jf_view* out) {
  set(out, JF_NULL, 0);
  return PyErr_Occurred() ? -1 : 0;
}

/* Borrows object, which the view may point into: it must live as long. What was made for it lives in temps. */
int32_t core_unbox_any(core_state* state, int32_t index, PyObject* object, jf_view* out, jf_temps* temps) {
  jf_span span;
  int status = set_plain(state, index, object, out);
  if (status != 0) return status > 0 ? 0 : -1;
  status = content(state, index, object, &span);
  if (status < 0) return -1;
  if (status > 0) return set_content(out, PyUnicode_Check(object), span, temps);
  PyObject* mover = core_moved_wrapper(object);
  if (mover != NULL) {
    if (core_wrapper_get(mover) == NULL) return -1;
    set(out, JF_RVALUE, 0);
    out->v_rvalue = &((core_wrapper*)mover)->object;
    return 0;
  }
  status = set_pointer(object, out);
  if (status != 0) return status > 0 ? 0 : -1;
  jf_object* native = core_native_object(object);
  if (native == NULL) return set_null(out);
  if (core_keep_object(temps, native) != 0) return -1;
  core_view_of_object(native, out);
  return 0;
}

/* Borrows object; *out is a null out-slot with its capacity and stays null on failure. */
int32_t core_unbox_any_out(core_state* state, PyObject* object, jf_value* out) {
  jf_span span;
  int status = set_plain(state, -1, object, out);
  if (status != 0) return status > 0 ? 0 : -1;
  status = content(state, -1, object, &span);
  if (status < 0) return -1;
  if (status > 0) {
    status = PyUnicode_Check(object) ? jf_out_str(out, span.data, span.size) : jf_out_bytes(out, span.data, span.size);
    if (status != 0) core_error_raise(NULL);
    return status != 0 ? -1 : 0;
  }
  jf_object* native = core_native_object(object);
  if (native == NULL) return PyErr_Occurred() ? -1 : 0;
  jf_out_object(out, native);
  return 0;
}
