/* Pointers of ctypes and cffi as arrays without a shape: where they point, and what is there.
 *
 * ctypes:  POINTER(c_float)(x), byref(x)     the type of what they point at, as its own buffer says
 * cffi:    a cdata of kind pointer or array  the name and size of the item's ctype, and what -1 is in it
 */
#include "array.h"
#include "foreign.h"
#include "unbox.h"

#include <string.h>

/* -- ctypes -- */

/* The element as the buffer of `what` says, where C has such. An array's are its items. */
static void read_element(PyObject* what, jf_array* array) {
  Py_buffer buffer;
  if (PyObject_GetBuffer(what, &buffer, PyBUF_RECORDS_RO) != 0) {
    PyErr_Clear();
    return;
  }
  array->item_size = buffer.itemsize;
  core_format_dtype(buffer.format, buffer.itemsize, &array->dtype, &array->flags);
  PyBuffer_Release(&buffer);
}

static int read_ctypes(PyObject* object, core_array* out) {
  void* address;
  const int status = core_ctypes_pointer(object, &address);
  if (status <= 0) return status;
  core_array_init(out, address);
  out->array.ndim = -1;
  out->array.name = Py_TYPE(object)->tp_name;
  /* POINTER(T) has a new T there, byref(x) has x itself; c_void_p and functions have neither. */
  PyObject* what = address != NULL ? PyObject_GetAttrString(object, "contents") : NULL;
  if (what == NULL && address != NULL) {
    PyErr_Clear();
    what = PyObject_GetAttrString(object, "_obj");
  }
  PyErr_Clear();
  if (what != NULL) read_element(what, &out->array);
  Py_XDECREF(what);
  return 1;
}

/* -- cffi -- */

static PyObject* backend(const char* name) {
  PyObject* key = PyUnicode_FromString("_cffi_backend");
  PyObject* module = key != NULL ? PyImport_GetModule(key) : NULL;
  PyObject* found = module != NULL ? PyObject_GetAttrString(module, name) : NULL;
  Py_XDECREF(key);
  Py_XDECREF(module);
  return found;
}

/* DLDataTypeCode of an integer type: what -1 is in it. -1: it is none. Sets no exception. */
static int integer_code(PyObject* type) {
  PyObject* cast = backend("cast");
  PyObject* value = cast != NULL ? PyObject_CallFunction(cast, "Oi", type, -1) : NULL;
  PyObject* number = value != NULL ? PyNumber_Long(value) : NULL;
  PyObject* zero = number != NULL ? PyLong_FromLong(0) : NULL;
  const int less = zero != NULL ? PyObject_RichCompareBool(number, zero, Py_LT) : -1;
  PyErr_Clear();
  Py_XDECREF(cast);
  Py_XDECREF(value);
  Py_XDECREF(number);
  Py_XDECREF(zero);
  return less < 0 ? -1 : less ? JF_DL_INT : JF_DL_UINT;
}

static void read_primitive(PyObject* type, const char* name, int64_t size, jf_array* array) {
  static const struct {
    const char* name;
    uint8_t code;
  } others[] = {{"float", JF_DL_FLOAT},
                {"double", JF_DL_FLOAT},
                {"_Bool", JF_DL_BOOL},
                {"float _Complex", JF_DL_COMPLEX},
                {"_cffi_float_complex_t", JF_DL_COMPLEX},
                {"double _Complex", JF_DL_COMPLEX},
                {"_cffi_double_complex_t", JF_DL_COMPLEX},
                {"long double", JF_DL_HANDLE}}; /* no element */
  int code = -1;
  for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
    if (strcmp(name, others[i].name) == 0) code = others[i].code;
  if (code < 0) code = integer_code(type);
  if (code < 0 || code == JF_DL_HANDLE) return;
  array->item_size = size;
  array->dtype = (jf_dtype){(uint8_t)code, (uint8_t)(8 * size), 1};
}

/* 1: *size of the ctype; 0. Sets no exception. */
static int size_of(PyObject* type, int64_t* size) {
  PyObject* function = backend("sizeof");
  PyObject* number = function != NULL ? PyObject_CallOneArg(function, type) : NULL;
  *size = number != NULL ? PyLong_AsLongLong(number) : 0;
  PyErr_Clear();
  Py_XDECREF(function);
  Py_XDECREF(number);
  return *size > 0 && *size <= 16;
}

static int read_cffi(PyObject* object, core_array* out, jf_temps* temps) {
  void* address;
  int64_t size;
  const int status = core_cffi_pointer(object, &address, 0);
  if (status <= 0) return status;
  core_array_init(out, address);
  out->array.ndim = -1;
  PyObject* type_of = backend("typeof");
  PyObject* type = type_of != NULL ? PyObject_CallOneArg(type_of, object) : NULL;
  PyObject* spelled = type != NULL ? PyObject_GetAttrString(type, "cname") : NULL;
  PyObject* item = spelled != NULL ? PyObject_GetAttrString(type, "item") : NULL;
  PyObject* kind = item != NULL ? PyObject_GetAttrString(item, "kind") : NULL;
  PyObject* name = kind != NULL ? PyObject_GetAttrString(item, "cname") : NULL;
  const int is_primitive = name != NULL && PyUnicode_Check(kind) && PyUnicode_Check(name) &&
                           PyUnicode_CompareWithASCIIString(kind, "primitive") == 0;
  const char* text = is_primitive ? PyUnicode_AsUTF8(name) : NULL;
  if (text != NULL && size_of(item, &size)) read_primitive(item, text, size, &out->array);
  PyErr_Clear();
  out->format = spelled != NULL && PyUnicode_Check(spelled) ? PyUnicode_AsUTF8(spelled) : "void *";
  Py_XDECREF(type_of);
  Py_XDECREF(type);
  Py_XDECREF(item);
  Py_XDECREF(kind);
  Py_XDECREF(name);
  return spelled == NULL || core_keep_python(temps, spelled) == 0 ? 1 : -1;
}

int core_read_foreign_pointer(PyObject* object, core_array* out, jf_temps* temps) {
  const int status = read_ctypes(object, out);
  return status != 0 ? status : read_cffi(object, out, temps);
}
