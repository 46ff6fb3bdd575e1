/* Value protocols: methods by which an object of any class says what it is to native code.
 *
 *   __jitffi_object__   the object that stands for it      __jitffi_int__, __jitffi_float__   its number
 *   __jitffi_value__    a value, which may say so again    __jitffi_opaque_ptr__              an address, as an int
 *   __cuda_stream__     (version, handle) of a stream: an address
 *   __dlpack_data_type__  (code, bits, lanes) of a data type        __dlpack_device__   (type, index) of what is no array
 *
 * tvm-ffi's names for them count, too (its documentation, "Python Type Protocols"). A class is asked only where nothing else
 * says what its objects are: for the object, then the value, then what the rest says, by the first that serves.
 */
#include "boxing.h"
#include "foreign.h"

#include <string.h>

typedef struct {
  const char* name;
  int kinds; /* CORE_AS_* that it serves */
  PyObject* text;
} protocol;

static protocol protocols[] = {
    {"__jitffi_object__", CORE_AS_ANY, NULL},
    {"__tvm_ffi_object__", CORE_AS_ANY, NULL},
    {"__jitffi_value__", CORE_AS_ANY | CORE_AS_INT | CORE_AS_FLOAT, NULL},
    {"__tvm_ffi_value__", CORE_AS_ANY | CORE_AS_INT | CORE_AS_FLOAT, NULL},
    {"__jitffi_int__", CORE_AS_ANY | CORE_AS_INT, NULL},
    {"__tvm_ffi_int__", CORE_AS_ANY | CORE_AS_INT, NULL},
    {"__jitffi_float__", CORE_AS_ANY | CORE_AS_FLOAT, NULL},
    {"__tvm_ffi_float__", CORE_AS_ANY | CORE_AS_FLOAT, NULL},
    {"__jitffi_opaque_ptr__", CORE_AS_ANY | CORE_AS_ADDRESS, NULL},
    {"__tvm_ffi_opaque_ptr__", CORE_AS_ANY | CORE_AS_ADDRESS, NULL},
    {"__cuda_stream__", CORE_AS_ANY | CORE_AS_ADDRESS, NULL},
    {"__dlpack_data_type__", CORE_AS_ANY, NULL},
    {"__dlpack_device__", CORE_AS_ANY, NULL},
};
enum { COUNT = sizeof protocols / sizeof protocols[0] };

static PyObject* dtype_of(PyObject* answer) {
  int code, bits, lanes;
  if (!PyArg_ParseTuple(answer, "iii", &code, &bits, &lanes)) return NULL;
  return core_class_dtype((jf_dtype){(uint8_t)code, (uint8_t)bits, (uint16_t)lanes});
}

/* The types of torch and others are enumerations. */
static PyObject* device_of(PyObject* answer) {
  PyObject* type = PyNumber_Index(PyTuple_GET_ITEM(answer, 0));
  PyObject* index = type != NULL ? PyNumber_Index(PyTuple_GET_ITEM(answer, 1)) : NULL;
  PyObject* made = NULL;
  if (index != NULL) {
    const long number = PyLong_AsLong(type), at = number == -1 && PyErr_Occurred() ? -1 : PyLong_AsLong(index);
    if (!PyErr_Occurred() && number == (int32_t)number && at == (int32_t)at)
      made = core_class_device((jf_device){(int32_t)number, (int32_t)at});
    else if (!PyErr_Occurred())
      PyErr_SetString(PyExc_OverflowError, "__dlpack_device__ gave more than 32 bits");
  }
  Py_XDECREF(type);
  Py_XDECREF(index);
  return made;
}

/* Whether the class has the protocol. Arrays have a device and are none. */
static int has(PyTypeObject* class, const protocol* asked) {
  static PyObject* array;
  if (_PyType_Lookup(class, asked->text) == NULL) return 0;
  if (strcmp(asked->name, "__dlpack_device__") != 0) return 1;
  if (array == NULL) array = PyUnicode_InternFromString("__dlpack__");
  return array != NULL && _PyType_Lookup(class, array) == NULL;
}

/* What an answer stands for; steals it. */
static PyObject* checked(const protocol* asked, PyObject* answer) {
  if (answer == NULL) return NULL;
  const int is_address = (asked->kinds & CORE_AS_ADDRESS) != 0;
  if ((asked->kinds & CORE_AS_INT) && (asked->kinds & CORE_AS_FLOAT) == 0 && !PyLong_Check(answer)) {
    Py_SETREF(answer, PyNumber_Index(answer));
  } else if ((asked->kinds & CORE_AS_FLOAT) && (asked->kinds & CORE_AS_INT) == 0 && !PyFloat_Check(answer)) {
    Py_SETREF(answer, PyNumber_Float(answer));
  } else if (is_address) {
    if (PyTuple_Check(answer) && PyTuple_GET_SIZE(answer) == 2) /* of a stream: the version, the handle */
      Py_SETREF(answer, Py_NewRef(PyTuple_GET_ITEM(answer, 1)));
    void* address = PyLong_AsVoidPtr(answer);
    Py_SETREF(answer, PyErr_Occurred() ? NULL : core_box_handle(address));
  } else if (asked->kinds == CORE_AS_ANY && PyTuple_Check(answer)) {
    Py_SETREF(answer, PyTuple_GET_SIZE(answer) == 2 ? device_of(answer) : dtype_of(answer));
  }
  return answer;
}

/* By the first protocol of the class that serves `kind`. */
PyObject* core_protocol_value(PyObject* object, int kind) {
  PyTypeObject* class = Py_TYPE(object);
  if ((class->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0) return NULL; /* no class in C of anybody's has them */
  for (int i = 0; i < COUNT; i++) {
    protocol* each = &protocols[i];
    if ((each->kinds & kind) == 0) continue;
    if (each->text == NULL && (each->text = PyUnicode_InternFromString(each->name)) == NULL) return NULL;
    if (!has(class, each)) continue;
    PyObject* answer = PyObject_CallMethodNoArgs(object, each->text);
    if (answer != object) return checked(each, answer);
    Py_DECREF(answer);
    PyErr_Format(PyExc_TypeError, "%s of a %.200s gave the object itself", each->name, class->tp_name);
    return NULL;
  }
  return NULL;
}
