/* Pointers of ctypes and cffi where a typed pointer is asked for: taken where their own type tells that they point at the
 * same. What neither says, const, is not asked for.
 *
 *   ctypes   POINTER(T), byref(x), c_char_p      T by the letter of its _type_ and its size, structs by their name
 *   cffi     T *, T[], by the type's name and size
 */
#include "pointer_foreign.h"
#include "foreign.h"

#include <string.h>

/* New; NULL without an exception where there is none. */
static PyObject* attribute(PyObject* object, const char* name) {
  PyObject* found = object != NULL ? PyObject_GetAttrString(object, name) : NULL;
  if (found == NULL) PyErr_Clear();
  return found;
}

/* Whether text, a str that may be NULL, is that. */
static int reads(PyObject* text, const char* expected) {
  return text != NULL && PyUnicode_Check(text) && PyUnicode_CompareWithASCIIString(text, expected) == 0;
}

/* "int", "uint", "float", "bool" of that many bits; one byte is a char either way. */
static int is_number(const core_pointee* wanted, char code, Py_ssize_t size) {
  if (wanted->kind != CORE_TO_NUMBER || wanted->size != size) return 0;
  const int is_integer = wanted->dtype.code <= 1;
  if (code == 'c') return is_integer && size == 1;
  if (is_integer && size == 1) return code == 'i' || code == 'u';
  return code == (wanted->dtype.code == 0   ? 'i'
                  : wanted->dtype.code == 1 ? 'u'
                  : wanted->dtype.code == 6 ? 'b'
                  : wanted->dtype.code == 2 ? 'f'
                                            : 0);
}

static int is_long_double(const core_pointee* wanted) {
  return wanted->kind == CORE_TO_WIDE && wanted->scalar == JF_KIND_LONGDOUBLE;
}

/* -- ctypes ----------------------------------------------------------------------------------------------------------- */

static Py_ssize_t ctypes_size(PyObject* type) {
  PyObject* module = PyImport_ImportModule("ctypes");
  PyObject* size = module != NULL ? PyObject_CallMethod(module, "sizeof", "O", type) : NULL;
  const Py_ssize_t found = size != NULL ? PyLong_AsSsize_t(size) : -1;
  PyErr_Clear();
  Py_XDECREF(module);
  Py_XDECREF(size);
  return found;
}

/* The letters of ctypes' simple types ("Fundamental data types" in its documentation), by what they are. */
static char ctypes_code(const char* letter) {
  if (letter[0] == 0 || letter[1] != 0) return 0;
  if (strchr("bhilq", *letter) != NULL) return 'i';
  if (strchr("BHILQ", *letter) != NULL) return 'u';
  if (*letter == 'f' || *letter == 'd') return 'f';
  return *letter == '?' ? 'b' : *letter == 'c' ? 'c' : 0;
}

/* Whether a ctypes class is what *wanted* points at. */
static int is_ctypes_item(const core_pointee* wanted, PyObject* class) {
  PyObject* item = attribute(class, "_type_");
  PyObject* name = attribute(class, "__name__");
  int found = 0;
  if (wanted->kind == CORE_TO_STRUCT) {
    const int is_known = core_structs != NULL && core_pointee_complete(wanted) == 0;
    PyErr_Clear();
    found = is_known && core_structs->is_ctypes(wanted->info, class);
  } else if (wanted->kind == CORE_TO_NOTHING && item == NULL) {
    const char* text = PyUnicode_AsUTF8(wanted->item_text);
    found = strncmp(text, "struct ", 7) == 0 && reads(name, text + 7);
  } else if (item != NULL && PyUnicode_Check(item)) {
    const char* letter = PyUnicode_AsUTF8(item);
    if (letter == NULL) PyErr_Clear();
    if (letter != NULL && wanted->kind == CORE_TO_TEXT) found = strcmp(letter, "z") == 0;
    if (letter != NULL && wanted->kind == CORE_TO_POINTER)
      found = strcmp(letter, "P") == 0 ? core_pointee_is_void(wanted->target)
                                       : strcmp(letter, "z") == 0 && is_number(wanted->target, 'c', 1);
    if (letter != NULL && is_long_double(wanted))
      found = strcmp(letter, "g") == 0 && ctypes_size(class) == wanted->size;
    if (letter != NULL && wanted->kind == CORE_TO_NUMBER)
      found = is_number(wanted, ctypes_code(letter), ctypes_size(class));
  } else if (item != NULL && wanted->kind == CORE_TO_POINTER && PyObject_HasAttrString(class, "contents")) {
    found = is_ctypes_item(wanted->target, item);
  }
  Py_XDECREF(item);
  Py_XDECREF(name);
  return found;
}

static int is_ctypes_pointer(const core_pointee* wanted, PyObject* object) {
  PyObject* referred = attribute(object, "_obj"); /* of byref */
  PyObject* item = attribute(object, "_type_");
  int found = 0;
  if (referred != NULL)
    found = is_ctypes_item(wanted, (PyObject*)Py_TYPE(referred));
  else if (reads(item, "z"))
    found = is_number(wanted, 'c', 1) && wanted->is_const;
  else if (item != NULL && PyType_Check(item))
    found = is_ctypes_item(wanted, item);
  Py_XDECREF(referred);
  Py_XDECREF(item);
  return found;
}

/* -- cffi --------------------------------------------------------------------------------------------------------------- */

/* New; NULL without an exception. */
static PyObject* cffi_call(const char* name, PyObject* first, PyObject* second) {
  PyObject* module = PyImport_ImportModule("_cffi_backend");
  PyObject* function = attribute(module, name);
  PyObject* result = function != NULL ? PyObject_CallFunctionObjArgs(function, first, second, NULL) : NULL;
  PyErr_Clear();
  Py_XDECREF(module);
  Py_XDECREF(function);
  return result;
}

/* Of a primitive type: what is -1 in it, and 1.5? */
static char cffi_code(PyObject* type, PyObject* name) {
  if (reads(name, "char")) return 'c';
  if (reads(name, "_Bool")) return 'b';
  if (reads(name, "float") || reads(name, "double")) return 'f';
  PyObject* minus = PyLong_FromLong(-1);
  PyObject* value = minus != NULL ? cffi_call("cast", type, minus) : NULL;
  PyObject* number = value != NULL ? PyNumber_Long(value) : NULL;
  const char code = number == NULL ? 0 : PyLong_AsDouble(number) < 0 ? 'i' : 'u';
  PyErr_Clear();
  Py_XDECREF(minus);
  Py_XDECREF(value);
  Py_XDECREF(number);
  return code;
}

/* Whether a ctype is what *wanted* points at. */
static int is_cffi_item(const core_pointee* wanted, PyObject* type) {
  PyObject* kind = attribute(type, "kind");
  PyObject* name = attribute(type, "cname");
  PyObject* item = attribute(type, "item");
  int found = 0;
  if (reads(kind, "primitive") && wanted->kind == CORE_TO_NUMBER) {
    PyObject* size = cffi_call("sizeof", type, NULL);
    found = size != NULL && is_number(wanted, cffi_code(type, name), PyLong_AsSsize_t(size));
    Py_XDECREF(size);
  } else if (reads(kind, "primitive") && is_long_double(wanted)) {
    found = reads(name, "long double");
  } else if (reads(kind, "pointer") && wanted->kind == CORE_TO_POINTER) {
    found = is_cffi_item(wanted->target, item);
  } else if (reads(kind, "pointer") && wanted->kind == CORE_TO_TEXT) {
    PyObject* inner = attribute(item, "cname");
    found = reads(inner, "char");
    Py_XDECREF(inner);
  } else if (wanted->kind == CORE_TO_NOTHING) {
    const char* text = PyUnicode_AsUTF8(wanted->item_text);
    const int is_struct = strncmp(text, "struct ", 7) == 0;
    found = is_struct ? reads(name, text) || reads(name, text + 7) : reads(kind, "void");
  }
  Py_XDECREF(kind);
  Py_XDECREF(name);
  Py_XDECREF(item);
  return found;
}

static int is_cffi_pointer(const core_pointee* wanted, PyObject* object) {
  PyObject* type = cffi_call("typeof", object, NULL);
  PyObject* item = attribute(type, "item");
  const int found = item != NULL && is_cffi_item(wanted, item);
  Py_XDECREF(type);
  Py_XDECREF(item);
  return found;
}

int core_foreign_pointer(const core_pointee* wanted, PyObject* object, void** out) {
  int status = core_ctypes_pointer(object, out);
  if (status > 0) return core_pointee_is_void(wanted) || is_ctypes_pointer(wanted, object);
  if (status == 0) status = core_cffi_pointer(object, out, 0);
  if (status > 0) return core_pointee_is_void(wanted) || is_cffi_pointer(wanted, object);
  return status;
}
