/* Lists as NumPy arrays, which are copies: of numbers, and of whatever NumPy makes of the same Python list. NumPy is imported
 * when it is asked for.
 */
#include "convert.h"
#include "jitffi/runtime.h"
#include "sequence.h"
#include "wrapper.h"

enum { SEEN_BOOL = 1, SEEN_INT = 2, SEEN_NEGATIVE = 4, SEEN_UINT = 8, SEEN_FLOAT = 16 };

enum { NO_NUMBERS = -2 };

static int fail_kind(size_t i, int32_t code) {
  PyErr_Format(PyExc_TypeError, "to_numpy: item %zu is a %s, only int, float and bool go into an array", i,
               jf_type_key(code));
  return -1;
}

static int fail_range(void) {
  PyErr_SetString(PyExc_ValueError, "to_numpy: no integer type has both negative numbers and some above 2**63 - 1");
  return -1;
}

/* What kinds of numbers there are. Where no array of numbers can be: NO_NUMBERS if `quiet`, else -1 with an exception. */
static int kinds_of(const jf_list* list, int quiet) {
  int seen = 0;
  for (size_t i = 0; i < list->size; i++) {
    const jf_item item = list->items[i];
    switch (*item.code) {
      case JF_BOOL:
        seen |= SEEN_BOOL;
        break;
      case JF_INT:
        seen |= item.slot->v_int64 < 0 ? SEEN_INT | SEEN_NEGATIVE : SEEN_INT;
        break;
      case JF_UINT:
        seen |= SEEN_UINT;
        break;
      case JF_FLOAT:
        seen |= SEEN_FLOAT;
        break;
      default:
        return quiet ? NO_NUMBERS : fail_kind(i, *item.code);
    }
  }
  if ((seen & SEEN_NEGATIVE) && (seen & SEEN_UINT) && !(seen & SEEN_FLOAT)) return quiet ? NO_NUMBERS : fail_range();
  return seen;
}

static const char* dtype_of(int seen) {
  if ((seen & SEEN_FLOAT) || seen == 0) return "float64";
  if (seen & SEEN_UINT) return "uint64";
  return seen & SEEN_INT ? "int64" : "bool";
}

static double as_double(const jf_any* slot) {
  if (slot->type_code == JF_FLOAT) return slot->v_float64;
  return slot->type_code == JF_UINT ? (double)slot->v_uint64 : (double)slot->v_int64;
}

/* The memory has room for `count` elements. */
static void fill(const jf_list* list, size_t count, int seen, void* memory) {
  for (size_t i = 0; i < count; i++) {
    const jf_any* slot = list->items[i].slot;
    if ((seen & SEEN_FLOAT) != 0)
      ((double*)memory)[i] = as_double(slot);
    else if (seen == SEEN_BOOL)
      ((uint8_t*)memory)[i] = slot->v_int64 != 0;
    else
      ((int64_t*)memory)[i] = slot->v_int64; /* uint64 in the same bits */
  }
}

/* New array of numbers of these kinds; NULL with an exception. */
static PyObject* make_array(PyObject* self, int seen) {
  const jf_list* list = (const jf_list*)core_wrapper_get(self);
  if (list == NULL) return NULL;
  const size_t count = list->size;
  PyObject* numpy = PyImport_ImportModule("numpy");
  PyObject* array = numpy != NULL ? PyObject_CallMethod(numpy, "empty", "ns", (Py_ssize_t)count, dtype_of(seen)) : NULL;
  Py_buffer buffer;
  Py_XDECREF(numpy);
  if (array == NULL || PyObject_GetBuffer(array, &buffer, PyBUF_WRITABLE) != 0) goto failed;
  list = (const jf_list*)((core_wrapper*)self)->object; /* importing and allocating may have run anything */
  int same = list != NULL && list->size == count && kinds_of(list, 1) == seen;
  if (same) fill(list, count, seen, buffer.buf);
  PyBuffer_Release(&buffer);
  if (same) return array;
  if (!PyErr_Occurred()) PyErr_SetString(PyExc_RuntimeError, "to_numpy: the list changed meanwhile");
failed:
  Py_XDECREF(array);
  return NULL;
}

/* 1 where an array is of integers; 0; -1. */
static int is_integers(PyObject* array) {
  PyObject* dtype = PyObject_GetAttrString(array, "dtype");
  PyObject* kind = dtype != NULL ? PyObject_GetAttrString(dtype, "kind") : NULL;
  const char* text = kind != NULL ? PyUnicode_AsUTF8(kind) : NULL;
  int result = text != NULL ? text[0] == 'i' || text[0] == 'u' : -1;
  Py_XDECREF(kind);
  Py_XDECREF(dtype);
  return result;
}

/* 0, or -1 with OverflowError where integers are others now. NumPy's own cast only takes their low bits. */
static int check_cast(PyObject* array, PyObject* cast, PyObject* dtype) {
  int both = is_integers(array);
  if (both > 0) both = is_integers(cast);
  if (both <= 0) return both;
  PyObject* numpy = PyImport_ImportModule("numpy");
  PyObject* equal = numpy != NULL ? PyObject_CallMethod(numpy, "array_equal", "OO", array, cast) : NULL;
  int same = equal != NULL ? PyObject_IsTrue(equal) : -1;
  Py_XDECREF(numpy);
  Py_XDECREF(equal);
  if (same == 0) PyErr_Format(PyExc_OverflowError, "to_numpy: some of the integers do not fit %S", dtype);
  return same > 0 ? 0 : -1;
}

/* Steals the array, and takes NULL for it. */
static PyObject* as_dtype(PyObject* array, PyObject* dtype) {
  if (array == NULL || dtype == Py_None) return array;
  PyObject* cast = PyObject_CallMethod(array, "astype", "O", dtype);
  if (cast != NULL && check_cast(array, cast, dtype) != 0) Py_CLEAR(cast);
  Py_DECREF(array);
  return cast;
}

/* to_numpy(dtype=None) */
PyObject* core_list_to_numpy(PyObject* self, PyObject* args, PyObject* keywords) {
  static char* names[] = {"dtype", NULL};
  PyObject* dtype = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O:to_numpy", names, &dtype)) return NULL;
  const jf_list* list = (const jf_list*)core_wrapper_get(self);
  const int seen = list != NULL ? kinds_of(list, 0) : -1;
  return seen >= 0 ? as_dtype(make_array(self, seen), dtype) : NULL;
}

/* 1 where an array of numbers becomes one of that dtype as a Python list of them would; 0; -1. */
static int is_numeric(PyObject* dtype) {
  if (dtype == Py_None) return 1;
  PyObject* numpy = PyImport_ImportModule("numpy");
  PyObject* made = numpy != NULL ? PyObject_CallMethod(numpy, "dtype", "O", dtype) : NULL;
  PyObject* kind = made != NULL ? PyObject_GetAttrString(made, "kind") : NULL;
  const char* text = kind != NULL ? PyUnicode_AsUTF8(kind) : NULL;
  const int result = text != NULL ? strchr("biufc", text[0]) != NULL : -1;
  Py_XDECREF(numpy);
  Py_XDECREF(made);
  Py_XDECREF(kind);
  return result;
}

/* New: what NumPy makes of the list as Python's. */
static PyObject* array_of_python(jf_object* list, PyObject* dtype) {
  PyObject* items = core_to_python(list);
  PyObject* numpy = items != NULL ? PyImport_ImportModule("numpy") : NULL;
  PyObject* made = numpy != NULL ? PyObject_CallMethod(numpy, "array", "OO", items, dtype) : NULL;
  Py_XDECREF(items);
  Py_XDECREF(numpy);
  return made;
}

/* __array__(dtype=None, copy=None) */
PyObject* core_list_array(PyObject* self, PyObject* args, PyObject* keywords) {
  static char* names[] = {"dtype", "copy", NULL};
  PyObject *dtype = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|OO:__array__", names, &dtype, &copy)) return NULL;
  if (copy == Py_False) {
    PyErr_SetString(PyExc_ValueError, "a List cannot be seen as an array without a copy");
    return NULL;
  }
  jf_object* list = core_wrapper_get(self);
  if (list == NULL) return NULL;
  const int seen = kinds_of((const jf_list*)list, 1);
  const int numeric = seen >= 0 ? is_numeric(dtype) : 0;
  if (numeric > 0) return as_dtype(make_array(self, seen), dtype);
  list = numeric == 0 ? core_wrapper_get(self) : NULL; /* NumPy's code may have moved it */
  return list != NULL ? array_of_python(list, dtype) : NULL;
}
