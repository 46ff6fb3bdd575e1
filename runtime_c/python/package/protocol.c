/* Value protocols: methods by which an object of any class says what it is to native code.
 *
 *   __jitffi_object__   the object that stands for it      __jitffi_int__, __jitffi_float__   its number
 *   __jitffi_value__    a value, which may say so again    __jitffi_opaque_ptr__              an address, as an int
 *   __dlpack_data_type__  (code, bits, lanes) of a data type
 *
 * tvm-ffi's names for them count, too (its documentation, "Python Type Protocols"). A class is asked only where nothing else
 * says what its objects are.
 */
#include "boxing.h"
#include "dlpack.h"
#include "foreign.h"
#include "parts.h"

typedef struct {
  const char* name;
  int kinds; /* CORE_AS_* that it serves */
  PyObject* text;
} protocol;

static protocol protocols[] = {
    {"__jitffi_object__", CORE_AS_ANY, NULL},
    {"__tvm_ffi_object__", CORE_AS_ANY, NULL},
    {"__jitffi_int__", CORE_AS_ANY | CORE_AS_INT, NULL},
    {"__tvm_ffi_int__", CORE_AS_ANY | CORE_AS_INT, NULL},
    {"__jitffi_float__", CORE_AS_ANY | CORE_AS_FLOAT, NULL},
    {"__tvm_ffi_float__", CORE_AS_ANY | CORE_AS_FLOAT, NULL},
    {"__jitffi_opaque_ptr__", CORE_AS_ANY | CORE_AS_ADDRESS, NULL},
    {"__tvm_ffi_opaque_ptr__", CORE_AS_ANY | CORE_AS_ADDRESS, NULL},
    {"__dlpack_data_type__", CORE_AS_ANY, NULL},
    {"__jitffi_value__", CORE_AS_ANY | CORE_AS_INT | CORE_AS_FLOAT, NULL},
    {"__tvm_ffi_value__", CORE_AS_ANY | CORE_AS_INT | CORE_AS_FLOAT, NULL},
};
enum { COUNT = sizeof protocols / sizeof protocols[0] };

/* What an answer stands for; steals it. */
static PyObject* checked(const protocol* asked, PyObject* answer) {
  if (answer == NULL) return NULL;
  const int is_address = (asked->kinds & CORE_AS_ADDRESS) != 0;
  if ((asked->kinds & CORE_AS_INT) && (asked->kinds & CORE_AS_FLOAT) == 0 && !PyLong_Check(answer)) {
    Py_SETREF(answer, PyNumber_Index(answer));
  } else if ((asked->kinds & CORE_AS_FLOAT) && (asked->kinds & CORE_AS_INT) == 0 && !PyFloat_Check(answer)) {
    Py_SETREF(answer, PyNumber_Float(answer));
  } else if (is_address) {
    void* address = PyLong_AsVoidPtr(answer);
    Py_SETREF(answer, PyErr_Occurred() ? NULL : core_box_handle(address));
  } else if (asked->kinds == CORE_AS_ANY && PyTuple_Check(answer)) {
    int code, bits, lanes;
    const int is_dtype = PyArg_ParseTuple(answer, "iii", &code, &bits, &lanes);
    Py_SETREF(answer, is_dtype ? core_box_dtype((jf_dtype){(uint8_t)code, (uint8_t)bits, (uint16_t)lanes}) : NULL);
  }
  return answer;
}

/* By the first protocol of the class that serves `kind`. */
static PyObject* value_of(PyObject* object, int kind) {
  PyTypeObject* class = Py_TYPE(object);
  if ((class->tp_flags & Py_TPFLAGS_HEAPTYPE) == 0) return NULL; /* no class in C of anybody's has them */
  for (int i = 0; i < COUNT; i++) {
    protocol* each = &protocols[i];
    if ((each->kinds & kind) == 0) continue;
    if (each->text == NULL && (each->text = PyUnicode_InternFromString(each->name)) == NULL) return NULL;
    PyObject* method = _PyType_Lookup(class, each->text);
    if (method == NULL) continue;
    PyObject* answer = PyObject_CallMethodNoArgs(object, each->text);
    if (answer != object) return checked(each, answer);
    Py_DECREF(answer);
    PyErr_Format(PyExc_TypeError, "%s of a %.200s gave the object itself", each->name, class->tp_name);
    return NULL;
  }
  return NULL;
}

void core_protocol_init(void) { core_protocol_value = value_of; }
