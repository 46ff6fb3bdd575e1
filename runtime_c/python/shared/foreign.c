/* Objects of NumPy, ctypes and cffi: recognised without importing any of them, read through what they document.
 *
 * A type's name is only the cheap first question (a class may take any name); the answer comes from the package
 * itself, which must be loaded already, for else there could be no such object. What is found is kept for the life of
 * the process.
 */
#include "foreign.h"

#include <string.h>

/* New; NULL without an exception when the package is not loaded or has no such attribute. */
static PyObject* loaded_attribute(const char* package, const char* name) {
  PyObject* key = PyUnicode_FromString(package);
  PyObject* module = key != NULL ? PyImport_GetModule(key) : NULL;
  PyObject* attribute = module != NULL ? PyObject_GetAttrString(module, name) : NULL;
  PyErr_Clear();
  Py_XDECREF(key);
  Py_XDECREF(module);
  return attribute;
}

/* The same, of a class only. */
static PyTypeObject* loaded_type(const char* package, const char* name) {
  PyObject* type = loaded_attribute(package, name);
  if (type != NULL && !PyType_Check(type)) Py_CLEAR(type);
  return (PyTypeObject*)type;
}

/* -- NumPy ------------------------------------------------------------------------------------------------ */

enum { NUMPY_BOOL, NUMPY_INTEGER, NUMPY_FLOATING, NUMPY_COMPLEX, NUMPY_TYPES };
/* bool_ is the name that 1.x and 2.x share; the type calls itself numpy.bool_ or numpy.bool. */
static const char* const NUMPY_NAMES[NUMPY_TYPES] = {"bool_", "integer", "floating", "complexfloating"};
static PyTypeObject* numpy_types[NUMPY_TYPES];

static int load_numpy(void) {
  for (int i = 0; i < NUMPY_TYPES; i++) {
    if (numpy_types[i] == NULL) numpy_types[i] = loaded_type("numpy", NUMPY_NAMES[i]);
    if (numpy_types[i] == NULL) return 0;
  }
  return 1;
}

/* CORE_NUMPY_*; sets no exception. A timedelta64 is an "integer" to NumPy, but has no __index__: none of these. */
int core_numpy_kind(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (strncmp(type->tp_name, "numpy.", 6) != 0 || !load_numpy()) return CORE_NUMPY_NONE;
  if (type == numpy_types[NUMPY_BOOL]) return CORE_NUMPY_BOOL;
  if (PyType_IsSubtype(type, numpy_types[NUMPY_FLOATING])) return CORE_NUMPY_FLOAT;
  if (PyType_IsSubtype(type, numpy_types[NUMPY_COMPLEX])) return CORE_NUMPY_COMPLEX;
  if (!PyType_IsSubtype(type, numpy_types[NUMPY_INTEGER])) return CORE_NUMPY_NONE;
  return type->tp_as_number != NULL && type->tp_as_number->nb_index != NULL ? CORE_NUMPY_INT : CORE_NUMPY_NONE;
}

static PyTypeObject* dtype_type;
static PyTypeObject* generic_type;

/* Sets no exception. */
int core_is_numpy_dtype(PyObject* object) {
  PyTypeObject* type = PyType_Check(object) ? (PyTypeObject*)object : Py_TYPE(object);
  if (dtype_type == NULL) dtype_type = loaded_type("numpy", "dtype");
  if (generic_type == NULL) generic_type = loaded_type("numpy", "generic");
  if (dtype_type == NULL || generic_type == NULL) return 0;
  return PyType_Check(object) ? PyType_IsSubtype(type, generic_type) : PyType_IsSubtype(type, dtype_type);
}

/* New: the dtype that *object* is, or that a class of scalars has. NULL, with an exception where NumPy raised one. */
PyObject* core_numpy_dtype(PyObject* object) {
  if (!core_is_numpy_dtype(object)) return NULL;
  if (!PyType_Check(object)) return Py_NewRef(object);
  return PyObject_CallOneArg((PyObject*)dtype_type, object);
}

/* -- ctypes ----------------------------------------------------------------------------------------------- */

typedef struct {
  PyTypeObject* simple;    /* c_void_p, c_char_p, c_int, ... */
  PyTypeObject* pointer;   /* POINTER(T) */
  PyTypeObject* function;  /* CFUNCTYPE(...) */
  PyTypeObject* reference; /* what byref() returns */
  PyObject* cast;
  PyObject* void_pointer;
} ctypes_parts;

static ctypes_parts ctypes;

/* The type of byref's results has no name of its own: it is asked of one. */
static PyTypeObject* reference_type(void) {
  PyObject* make = loaded_attribute("ctypes", "c_int");
  PyObject* byref = loaded_attribute("ctypes", "byref");
  PyObject* number = make != NULL ? PyObject_CallNoArgs(make) : NULL;
  PyObject* reference = number != NULL && byref != NULL ? PyObject_CallOneArg(byref, number) : NULL;
  PyTypeObject* type = reference != NULL ? (PyTypeObject*)Py_NewRef(Py_TYPE(reference)) : NULL;
  PyErr_Clear();
  Py_XDECREF(make);
  Py_XDECREF(byref);
  Py_XDECREF(number);
  Py_XDECREF(reference);
  return type;
}

static int load_ctypes(void) {
  if (ctypes.reference != NULL) return 1;
  PyTypeObject* simple = loaded_type("_ctypes", "_SimpleCData");
  if (simple == NULL) return 0;
  Py_DECREF(simple);
  PyObject* package = PyImport_ImportModule("ctypes"); /* all in C without it: cast and c_void_p are there */
  if (package == NULL) PyErr_Clear();
  Py_XDECREF(package);
  ctypes_parts found = {.simple = loaded_type("_ctypes", "_SimpleCData"),
                        .pointer = loaded_type("_ctypes", "_Pointer"),
                        .function = loaded_type("_ctypes", "CFuncPtr"),
                        .cast = loaded_attribute("ctypes", "cast"),
                        .void_pointer = loaded_attribute("ctypes", "c_void_p")};
  int complete = found.simple != NULL && found.pointer != NULL && found.function != NULL && found.cast != NULL &&
                 found.void_pointer != NULL;
  if (complete) found.reference = reference_type();
  if (found.reference != NULL && ctypes.reference == NULL) {
    ctypes = found; /* kept for good */
    return 1;
  }
  Py_XDECREF(found.simple);
  Py_XDECREF(found.pointer);
  Py_XDECREF(found.function);
  Py_XDECREF(found.cast);
  Py_XDECREF(found.void_pointer);
  Py_XDECREF(found.reference);
  return ctypes.reference != NULL;
}

/* The simple types that are pointers: c_void_p, c_char_p, c_wchar_p, by their type code (ctypes, "_SimpleCData"). */
static int is_simple_pointer(PyTypeObject* type) {
  if (!PyType_IsSubtype(type, ctypes.simple)) return 0;
  PyObject* code = PyObject_GetAttrString((PyObject*)type, "_type_");
  const char* text = code != NULL && PyUnicode_Check(code) ? PyUnicode_AsUTF8(code) : NULL;
  int found = text != NULL && (strcmp(text, "P") == 0 || strcmp(text, "z") == 0 || strcmp(text, "Z") == 0);
  PyErr_Clear();
  Py_XDECREF(code);
  return found;
}

/* What a pointer instance points at: the content of its memory block, which is the buffer that it exports. */
static int read_pointer(PyObject* object, void** out) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(object, &buffer, PyBUF_SIMPLE) != 0) return -1;
  int fits = buffer.len == (Py_ssize_t)sizeof *out;
  if (fits) memcpy(out, buffer.buf, sizeof *out);
  PyBuffer_Release(&buffer);
  return fits;
}

/* byref(x, offset) shows no address; ctypes.cast takes it for a pointer, offset and all, and keeps x alive meanwhile.
 * What c_int.from_param and its like return has the same type, but is no pointer to cast. */
static int read_reference(PyObject* object, void** out) {
  PyObject* pointer = PyObject_CallFunctionObjArgs(ctypes.cast, object, ctypes.void_pointer, NULL);
  if (pointer == NULL) {
    PyErr_Clear();
    return 0;
  }
  int status = read_pointer(pointer, out);
  Py_DECREF(pointer);
  return status;
}

/* 1: object is a ctypes pointer, function pointer or byref() and *out its value; 0: it is not; -1: exception.
 * Arrays, structures and other simple values are buffers, whose address is their own. */
int core_ctypes_pointer(PyObject* object, void** out) {
  if (!load_ctypes()) return 0;
  PyTypeObject* type = Py_TYPE(object);
  if (type == ctypes.reference) return read_reference(object, out);
  if (PyType_IsSubtype(type, ctypes.pointer) || PyType_IsSubtype(type, ctypes.function) || is_simple_pointer(type))
    return read_pointer(object, out);
  return 0;
}

/* -- cffi ------------------------------------------------------------------------------------------------- */

typedef struct {
  PyObject* type_of;
  PyObject* cast;
  PyObject* uintptr; /* the ctype of uintptr_t */
} cffi_parts;

static cffi_parts cffi;

static int load_cffi(void) {
  if (cffi.uintptr != NULL) return 1;
  cffi_parts found = {loaded_attribute("_cffi_backend", "typeof"), loaded_attribute("_cffi_backend", "cast"), NULL};
  PyObject* make = loaded_attribute("_cffi_backend", "new_primitive_type");
  if (found.type_of != NULL && found.cast != NULL && make != NULL)
    found.uintptr = PyObject_CallFunction(make, "s", "uintptr_t");
  PyErr_Clear();
  Py_XDECREF(make);
  if (found.uintptr != NULL && cffi.uintptr == NULL) {
    cffi = found; /* kept for good */
    return 1;
  }
  Py_XDECREF(found.type_of);
  Py_XDECREF(found.cast);
  Py_XDECREF(found.uintptr);
  return cffi.uintptr != NULL;
}

static int is_address_kind(PyObject* object, int functions) {
  PyObject* type = PyObject_CallOneArg(cffi.type_of, object);
  PyObject* kind = type != NULL ? PyObject_GetAttrString(type, "kind") : NULL;
  const char* text = kind != NULL && PyUnicode_Check(kind) ? PyUnicode_AsUTF8(kind) : NULL;
  int found = text != NULL && (strcmp(text, "pointer") == 0 || strcmp(text, "array") == 0 ||
                               (functions && strcmp(text, "function") == 0));
  PyErr_Clear();
  Py_XDECREF(type);
  Py_XDECREF(kind);
  return found;
}

/* 1: object is a cffi pointer, array or (if `functions`) function pointer and *out its address, by the cast to uintptr_t that cffi
 * documents ("Working with pointers, structures and arrays"); 0: it is not; -1: exception. */
int core_cffi_pointer(PyObject* object, void** out, int functions) {
  if (strncmp(Py_TYPE(object)->tp_name, "_cffi_backend.", 14) != 0 || !load_cffi() ||
      !is_address_kind(object, functions))
    return 0;
  PyObject* integer = PyObject_CallFunctionObjArgs(cffi.cast, cffi.uintptr, object, NULL);
  PyObject* number = integer != NULL ? PyNumber_Long(integer) : NULL;
  Py_XDECREF(integer);
  if (number == NULL) return -1;
  unsigned long long address = PyLong_AsUnsignedLongLong(number);
  Py_DECREF(number);
  if (address == (unsigned long long)-1 && PyErr_Occurred()) return -1;
  *out = (void*)(uintptr_t)address;
  return 1;
}
