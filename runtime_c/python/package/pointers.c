/* jitffi.new and jitffi.cast. */
#include "parts.h"
#include "pointer.h"

static PyObject* new_pointer(PyObject* module, PyObject* const* args, Py_ssize_t given) {
  (void)module;
  if (given == 1 || given == 2) return core_pointer_new(args[0], given == 2 ? args[1] : NULL);
  return PyErr_Format(PyExc_TypeError, "new() takes a type and what it is filled with, got %zd arguments", given);
}

static PyObject* cast(PyObject* module, PyObject* const* args, Py_ssize_t given) {
  (void)module;
  if (given == 2) return core_pointer_cast(args[0], args[1]);
  return PyErr_Format(PyExc_TypeError, "cast() takes a type and an address, got %zd arguments", given);
}

/* pointer_at(type, address, items, owner): to memory that lives as long as the owner; items -1: not known how many */
static PyObject* pointer_at(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *type, *number, *owner;
  Py_ssize_t items;
  if (!PyArg_ParseTuple(args, "OO!nO", &type, &PyLong_Type, &number, &items, &owner)) return NULL;
  const core_pointee* found = core_pointee_from(type);
  void* address = found ? PyLong_AsVoidPtr(number) : NULL;
  if (!found || PyErr_Occurred()) return NULL;
  if (items > 0 && core_pointee_complete(found) < 0) return NULL;
  return core_pointer_make(found, address, 0, items < 0 ? -1 : items * found->size, owner);
}

static PyMethodDef methods[] = {
    {"pointer_at", pointer_at, METH_VARARGS, NULL},
    {"new", (PyCFunction)(void (*)(void))new_pointer, METH_FASTCALL,
     "new(type, initial, /)\n--\n\n"
     "New memory for an item or an array, \"f64\" or \"f64[2, 3]\", and the Pointer to it, which owns it with all that "
     "is\n"
     "derived. It is zero, or *initial*: a value, for an array as many as there are. A place for a pointer "
     "(\"ptr[T]\")\n"
     "or a text (\"cstr\") keeps what Python puts there.\n\n"
     "SignatureError for a text that is no type, TypeError for a type whose items have no size, ValueError for "
     "another\n"
     "number of values, MemoryError where there is not so much memory.\n\n"
     ">>> import jitffi\n"
     ">>> jitffi.new('f64', 1.5).value, list(jitffi.new('u8[3]', b'abc'))\n"
     "(1.5, [97, 98, 99])"},
    {"cast", (PyCFunction)(void (*)(void))cast, METH_FASTCALL,
     "cast(type, source, /)\n--\n\n"
     "A Pointer of that type to an address: an int (0 or None gives one that is false), a Pointer, a pointer of ctypes "
     "or\n"
     "cffi, or the memory of an array or another buffer, whose length is known. The source is kept alive. Nobody "
     "checks\n"
     "that there are such items at an address: this is the one function that can make Python crash.\n\n"
     "SignatureError for a text that is no type; TypeError for a type that is no pointer, a source without an "
     "address,\n"
     "and a read-only buffer without const; ValueError for a buffer that is not contiguous.\n\n"
     ">>> import jitffi\n"
     ">>> p = jitffi.cast('ptr[u16]', bytearray(b'abcd'))\n"
     ">>> [hex(item) for item in p], bool(jitffi.cast('ptr[f32]', 0))\n"
     "(['0x6261', '0x6463'], False)"},
    {NULL, NULL, 0, NULL},
};

/* After core_pointer_init; -1 with an exception set on failure. */
int core_pointers_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
