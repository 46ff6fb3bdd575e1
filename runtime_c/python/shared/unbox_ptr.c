/* `ptr`: whatever in Python stands for an address.
 *
 *   None              NULL
 *   int, __index__    the address itself, signed or unsigned
 *   pointers          jitffi's, ctypes' and cffi's: what they point AT
 *   arrays, buffers   where they begin: contiguous, and writable but for `ptr[const void]`
 *   _as_parameter_, __array_interface__, value protocols of addresses    what these say
 *
 * A number that also exports a buffer (NumPy's integer scalars) is taken as the number, an array that also has an
 * __index__ (NumPy's, of no dimension) as its memory: what has a length is not a number.
 */
#include "array.h"
#include "error.h"
#include "foreign.h"
#include "function.h"
#include "jitffi/runtime.h"
#include "numpy_array.h"
#include "raise.h"
#include "said.h"
#include "state.h"
#include "unbox.h"

#include <string.h>

enum { MAX_INDIRECTION = 8 }; /* _as_parameter_ of _as_parameter_ ... */

/* Of any element and any rank, in C or in Fortran order. */
static const uint64_t MEMORY = JF_DL_HANDLE | JF_RANK_ANY << 16 | JF_SPEC_EITHER_ORDER << 24;
static const uint64_t WRITABLE = JF_SPEC_WRITABLE << 24;

static const char RANGE[] = " (-9223372036854775808 to 18446744073709551615)";

int (*core_ptr_of_pointer)(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps);

static int32_t unbox_address(core_state* state, int32_t index, PyObject* number, void** out) {
  int overflow = 0;
  int64_t value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow > 0) {
    uint64_t large = PyLong_AsUnsignedLongLong(number);
    if (large != UINT64_MAX || !PyErr_Occurred()) overflow = 0;
    PyErr_Clear();
    value = (int64_t)large;
  }
  if (overflow != 0) {
    core_raise_value(state, index, PyExc_OverflowError, RANGE, number);
    return -1;
  }
  *out = (void*)(uintptr_t)value;
  return 0;
}

/* 1 done, 0 not a number, -1 exception. */
static int from_number(core_state* state, int32_t index, PyObject* object, void** out) {
  PyTypeObject* type = Py_TYPE(object);
  if (type->tp_as_sequence != NULL && type->tp_as_sequence->sq_length != NULL) return 0;
  if (type->tp_as_mapping != NULL && type->tp_as_mapping->mp_length != NULL) return 0;
  PyObject* number = core_as_int(object);
  if (number == NULL) {
    if (!PyErr_Occurred()) return 0;
    core_raise_conversion(state, index);
    return -1;
  }
  int32_t status = unbox_address(state, index, number, out);
  Py_DECREF(number);
  return status == 0 ? 1 : -1;
}

/* Whether the parameter takes what is read-only. What has no parameter, an item of a container, is never written through. */
static int is_const(const core_state* state, int32_t index) {
  return state == NULL || strstr(core_type_text(state, index), "const") != NULL;
}

/* 1 done, 0 exports none (then *refused may hold the exporter's exception, new), -1 exception. */
static int from_buffer(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps,
                       PyObject** refused) {
  static char empty[16];
  core_array found;
  int64_t address;
  int status = core_numpy_read(object, &found) ? 1 : core_read_buffer(object, &found, temps, refused);
  if (status < 0) core_raise_conversion(state, index);
  if (status <= 0) return status;
  if (core_array_check(state, index, &found, MEMORY | (is_const(state, index) ? 0 : WRITABLE), &address) != 0)
    return -1;
  *out = address != 0 ? (void*)(uintptr_t)address : empty; /* never NULL */
  return 1;
}

/* New; NULL when there is no such attribute, or with an exception from the one that there is. */
static PyObject* attribute(PyObject* object, const char* name) {
  PyObject* value = PyObject_GetAttrString(object, name);
  if (value == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
  return value;
}

/* Borrowed from a dict; NULL when it is none or has no such key, or with an exception. */
static PyObject* item(PyObject* dict, const char* name) {
  PyObject* key = PyDict_Check(dict) ? PyUnicode_FromString(name) : NULL;
  PyObject* value = key != NULL ? PyDict_GetItemWithError(dict, key) : NULL;
  Py_XDECREF(key);
  return value;
}

static int from_interface_buffer(core_state* state, int32_t index, PyObject* interface, PyObject* data, void** out,
                                 jf_temps* temps) {
  PyObject* refused = NULL;
  int status = from_buffer(state, index, data, out, temps, &refused);
  Py_XDECREF(refused);
  if (status != 1) return status;
  PyObject* offset = item(interface, "offset");
  if (offset == NULL && PyErr_Occurred()) return -1;
  if (offset == NULL || !PyLong_Check(offset)) return 1;
  Py_ssize_t distance = PyLong_AsSsize_t(offset);
  if (distance == -1 && PyErr_Occurred()) {
    core_raise_conversion(state, index);
    return -1;
  }
  *out = (void*)((uintptr_t)*out + (uintptr_t)distance);
  return 1;
}

/* __array_interface__ (NumPy reference, "The array interface protocol", version 3): data is (address, read-only)
 * or a buffer with an offset. 1 done, 0 not there or of another form, -1 exception. The dict is kept: it may own
 * the memory. */
static int from_array_interface(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps) {
  PyObject* interface = attribute(object, "__array_interface__");
  if (interface == NULL) return PyErr_Occurred() ? -1 : 0;
  if (core_keep_python(temps, interface) != 0) return -1;
  PyObject* data = item(interface, "data");
  if (data == NULL) return PyErr_Occurred() ? -1 : 0;
  int status = 0;
  Py_INCREF(data); /* an __index__ in it may change the dict */
  if (!PyTuple_Check(data))
    status = from_interface_buffer(state, index, interface, data, out, temps);
  else if (PyTuple_GET_SIZE(data) > 0)
    status = from_number(state, index, PyTuple_GET_ITEM(data, 0), out);
  if (status == 1 && PyTuple_Check(data) && PyTuple_GET_SIZE(data) > 1 && PyTuple_GET_ITEM(data, 1) != Py_False &&
      !is_const(state, index)) {
    core_raise_type(state, index, object, "its memory is read-only");
    status = -1;
  }
  Py_DECREF(data);
  return status;
}

static int32_t unbox_pointer(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps,
                             int depth);

/* 1 done, 0 none, -1 exception. What the attribute gives lives in temps. */
static int from_parameter(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps, int depth) {
  PyObject* parameter = attribute(object, "_as_parameter_");
  if (parameter == NULL) return PyErr_Occurred() ? -1 : 0;
  if (core_keep_python(temps, parameter) != 0) return -1;
  if (depth == 0) {
    core_raise_type(state, index, object, "_as_parameter_ leads to another one without end");
    return -1;
  }
  return unbox_pointer(state, index, parameter, out, temps, depth - 1) == 0 ? 1 : -1;
}

/* By a value protocol: an address. 1 done, 0 none, -1 exception. */
static int from_protocol(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps, int depth) {
  PyObject* said = core_protocol_value(object, CORE_AS_ADDRESS);
  if (said == NULL) return PyErr_Occurred() ? -1 : 0;
  if (core_keep_python(temps, said) != 0) return -1;
  return unbox_pointer(state, index, said, out, temps, depth) == 0 ? 1 : -1; /* an address */
}

static int32_t unbox_said(core_state* state, int32_t index, PyObject* said, int64_t depth, void* out, jf_temps* temps) {
  return unbox_pointer(state, index, said, out, temps, (int)depth);
}

static void fail_pointer(core_state* state, int32_t index, PyObject* object, PyObject* refused) {
  PyObject* text = refused != NULL ? PyObject_Str(refused) : NULL;
  const char* note = text != NULL ? PyUnicode_AsUTF8(text) : NULL;
  PyErr_Clear();
  core_raise_type(state, index, object, note);
  Py_XDECREF(text);
}

/* Everything that is neither None, int nor bytes. In the order that keeps each meaning: pointers of other packages
 * before buffers (a ctypes pointer exports its own storage), numbers before buffers. */
static int32_t unbox_other(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps, int depth) {
  PyObject* refused = NULL;
  int status = core_ptr_of_pointer != NULL ? core_ptr_of_pointer(state, index, object, out, temps) : 0;
  if (status == 0) status = core_ctypes_pointer(object, out);
  if (status == 0) status = core_cffi_pointer(object, out, 1);
  if (status == 0) status = from_number(state, index, object, out);
  if (status == 0) status = from_buffer(state, index, object, out, temps, &refused);
  if (status == 0 && core_function_get(object) != NULL) {
    core_raise_type(state, index, object, "its C function is at .native_address of its jitffi.Function");
    return -1;
  }
  if (status == 0) status = from_parameter(state, index, object, out, temps, depth);
  if (status == 0) status = from_array_interface(state, index, object, out, temps);
  if (status == 0) status = from_protocol(state, index, object, out, temps, depth);
  if (status == 0 && refused == NULL) return core_unbox_said(state, index, object, unbox_said, depth, out, temps);
  if (status == 0) fail_pointer(state, index, object, refused);
  Py_XDECREF(refused);
  return status == 1 ? 0 : -1;
}

static int32_t unbox_pointer(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps,
                             int depth) {
  if (object == Py_None) {
    *out = NULL;
    return 0;
  }
  if (PyLong_Check(object)) return unbox_address(state, index, object, out);
  if (PyBytes_Check(object) && is_const(state, index)) {
    *out = PyBytes_AS_STRING(object);
    return 0;
  }
  if (PyUnicode_Check(object) || PyFloat_Check(object)) {
    const int is_read = PyUnicode_Check(object) && state != NULL && is_const(state, index);
    core_raise_type(state, index, object, is_read ? "bytes fit, such as its .encode()" : NULL);
    return -1;
  }
  return unbox_other(state, index, object, out, temps, depth);
}

/* Borrows object; the owner of the memory is the object, or is kept in temps. */
int32_t core_unbox_ptr(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps) {
  return unbox_pointer(state, index, object, out, temps, MAX_INDIRECTION);
}
