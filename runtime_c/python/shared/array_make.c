/* NumPy arrays that calls make, through NumPy's table of C functions, without its headers. */
#include "array_make.h"

#include <string.h>

#include "array.h"
#include "call.h"
#include "error.h"
#include "numpy_array.h"
#include "pointer.h"
#include "raise.h"
#include "unbox.h"

/* PyArray_NewFromDescr's place in the table, which never moves (numpy/__multiarray_api.h; NumPy's ABI policy). */
enum { NEW_FROM_DESCR = 94 };
typedef PyObject* (*new_from_descr)(PyTypeObject* type, PyObject* descr, int ndim, const int64_t* shape,
                                    const int64_t* strides, void* data, int flags, PyObject* object);

static struct {
  new_from_descr make;
  PyTypeObject* type;
  PyObject* dtype; /* numpy.dtype */
} numpy;

/* -- dtypes -- */

#define NAME(name, text) {#name, text},
static const struct {
  const char* name;  /* as signatures have it */
  const char* dtype; /* as NumPy and ml_dtypes have it */
} elements[] = {CORE_NUMPY_ELEMENTS(NAME)};

/* By what specs say of an element: DLPack's code, of which there are no more than sixteen here, and its bytes, a power of two. */
enum { PLACES = 16 * 8 };
static PyObject* descrs[PLACES]; /* kept for good */
static const char* dtypes[PLACES];

static unsigned place_of(uint8_t code, uint8_t bits) {
  return ((unsigned)code & 15) * 8 + (unsigned)__builtin_ctz((unsigned)bits / 8 | 128);
}

static void read_codes(void) {
  for (int i = 0; i < CORE_NUMPY_COUNT; i++) {
    jf_dtype dtype;
    if (jf_dtype_parse(elements[i].name, strlen(elements[i].name), &dtype) == 0)
      dtypes[place_of(dtype.code, dtype.bits)] = elements[i].dtype;
  }
}

/* -- NumPy -- */

static PyObject* api_table(void) {
  PyObject* module = PyImport_ImportModule("numpy._core._multiarray_umath");
  if (!module && PyErr_ExceptionMatches(PyExc_ModuleNotFoundError)) { /* NumPy 1.x */
    PyErr_Clear();
    module = PyImport_ImportModule("numpy.core._multiarray_umath");
  }
  PyObject* table = module ? PyObject_GetAttrString(module, "_ARRAY_API") : NULL;
  Py_XDECREF(module);
  return table;
}

/* -1 with an exception: there is no NumPy. */
static int load(void) {
  if (numpy.make) return 0;
  PyObject* module = PyImport_ImportModule("numpy");
  PyObject* type = module ? PyObject_GetAttrString(module, "ndarray") : NULL;
  PyObject* dtype = type ? PyObject_GetAttrString(module, "dtype") : NULL;
  PyObject* table = dtype ? api_table() : NULL;
  void** functions = table ? PyCapsule_GetPointer(table, NULL) : NULL;
  Py_XDECREF(table);
  Py_XDECREF(module);
  if (!functions) {
    Py_XDECREF(type);
    Py_XDECREF(dtype);
    return -1;
  }
  read_codes();
  numpy.type = (PyTypeObject*)type; /* kept for good */
  numpy.dtype = dtype;
  memcpy(&numpy.make, &functions[NEW_FROM_DESCR], sizeof numpy.make);
  return 0;
}

/* Borrowed: the dtype object of a spec's element; NULL with an exception. What NumPy lacks ml_dtypes has. */
static PyObject* descr_of(uint64_t spec) {
  const unsigned at = place_of((uint8_t)spec, (uint8_t)(spec >> 8));
  if (descrs[at]) return descrs[at];
  if (!dtypes[at]) {
    PyErr_SetString(PyExc_TypeError, "NumPy has no such element");
    return NULL;
  }
  PyObject* descr = PyObject_CallFunction(numpy.dtype, "s", dtypes[at]);
  if (!descr && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    PyObject* module = PyImport_ImportModule("ml_dtypes");
    PyObject* type = module ? PyObject_GetAttrString(module, dtypes[at]) : NULL;
    descr = type ? PyObject_CallOneArg(numpy.dtype, type) : NULL;
    Py_XDECREF(type);
    Py_XDECREF(module);
  }
  if (descr && !descrs[at]) {
    descrs[at] = descr;
    return descr;
  }
  Py_XDECREF(descr); /* another thread was first */
  return descr ? descrs[at] : NULL;
}

/* What an array of a parameter has as its elements. */
typedef struct {
  PyObject* descr; /* borrowed */
  int64_t size;
} element;

/* -1 with an exception. */
static int element_of(core_state* state, int32_t index, uint64_t spec, element* out) {
  if (load() != 0) return -1;
  if ((uint8_t)spec == JF_SPEC_STRUCT) return core_structs->element(state, index, &out->descr, &out->size);
  *out = (element){descr_of(spec), (int64_t)(spec >> 8 & 0xFF) / 8};
  return out->descr != NULL ? 0 : -1;
}

static int rank_of(uint64_t spec) { return (int)(spec >> 16 & 0xFF); }

static PyObject* new_array(PyObject* descr, uint64_t spec, const int64_t* shape) {
  return numpy.make(numpy.type, Py_NewRef(descr), rank_of(spec), shape, NULL, NULL, 0, NULL);
}

PyObject* core_make_array(core_state* state, int32_t index, uint64_t spec, const int64_t* shape, void** data) {
  element made;
  PyObject* array = element_of(state, index, spec, &made) == 0 ? new_array(made.descr, spec, shape) : NULL;
  if (array)
    *data = ((core_ndarray*)array)->data;
  else
    core_raise_context(state, index);
  return array;
}

/* -- copies -- */

/* Copies all elements between `contiguous` and the strided array that `in` tells of. */
static void copy(char* contiguous, size_t size, uint64_t spec, const int64_t* in, int to_strided) {
  const int rank = rank_of(spec);
  const int64_t *shape = in + 1, *strides = in + 1 + rank;
  int64_t at[JF_MAX_RANK] = {0};
  char* strided = (char*)(uintptr_t)in[0];
  for (int dim = 0; dim < rank; dim++)
    if (shape[dim] <= 0) return;
  for (;;) {
    memcpy(to_strided ? strided : contiguous, to_strided ? contiguous : strided, size);
    contiguous += size;
    int dim = rank - 1;
    for (; dim >= 0; dim--) {
      strided += strides[dim] * (int64_t)size;
      if (++at[dim] < shape[dim]) break;
      strided -= strides[dim] * shape[dim] * (int64_t)size;
      at[dim] = 0;
    }
    if (dim < 0) return;
  }
}

/* Whether the elements of an array are at no address, of which an array without elements needs none. */
static int is_nowhere(uint64_t spec, const int64_t* in) {
  int has_elements = in[0] == 0;
  for (int32_t dim = 0; dim < rank_of(spec); dim++) has_elements &= in[1 + dim] != 0;
  return has_elements;
}

PyObject* core_box_array(core_state* state, int32_t index, uint64_t spec, const int64_t* in) {
  void* data;
  element made;
  if (is_nowhere(spec, in)) {
    core_fail_null(state, index);
    core_error_raise(state);
    return NULL;
  }
  PyObject* array = core_make_array(state, index, spec, in + 1, &data);
  if (array != NULL && element_of(state, index, spec, &made) != 0) Py_CLEAR(array);
  if (array != NULL) copy(data, (size_t)made.size, spec, in, 0);
  return array;
}

/* Bytes of a whole array in C order. Its size is known to be one. */
static int64_t bytes_of(int32_t rank, const int64_t* shape, int64_t item_size) {
  int64_t bytes = item_size;
  for (int32_t i = 0; i < rank; i++) bytes *= shape[i];
  return bytes;
}

int32_t core_array_back(core_state* state, int32_t index, PyObject* array, uint64_t spec, const int64_t* in) {
  core_array found;
  element made;
  const int32_t is_read = core_numpy_read(array, &found);
  if (element_of(state, index, spec, &made) != 0) return -1;
  if (is_read && bytes_of(found.array.ndim, found.array.shape, found.array.item_size) >=
                     bytes_of(rank_of(spec), in + 1, made.size)) {
    copy(found.array.data, (size_t)made.size, spec, in, 1);
    return 0;
  }
  PyObject* where = core_where(state, index);
  if (where) PyErr_Format(PyExc_ValueError, "%Uthe callable has made the array smaller", where);
  Py_XDECREF(where);
  return -1;
}

int32_t core_unbox_array_out(core_state* state, int32_t index, PyObject* object, uint64_t spec, const int64_t* in) {
  const int rank = rank_of(spec);
  const uint64_t readable = spec & ~((uint64_t)JF_SPEC_WRITABLE << 24);
  int64_t found[1 + 2 * JF_MAX_RANK];
  jf_temps temps = {NULL};
  int32_t status = core_unbox_array(state, index, object, readable, found, &temps);
  for (int dim = 0; status == 0 && dim < rank; dim++)
    if (found[1 + dim] != in[1 + dim])
      status = core_refuse_length(state, index, object, dim, found[1 + dim], -1, in[1 + dim]);
  element made = {NULL, 0};
  if (status == 0) status = element_of(state, index, spec, &made);
  if (status == 0) copy((char*)(uintptr_t)found[0], (size_t)made.size, spec, in, 1);
  jf_temps_release(&temps);
  return status;
}

/* -- slots -- */

static void release(void* object) { jf_object_release(object); }

static int32_t raised(core_state* state) {
  core_error_raise(state);
  return -1;
}

int32_t core_array_value(core_state* state, int32_t index, PyObject* object, uint64_t spec, int64_t* in, jf_view* view,
                         jf_temps* temps) {
  jf_object* array = core_native_object(object);
  if (!array) {
    if (!PyErr_Occurred()) core_raise_type(state, index, object, NULL);
    core_raise_context(state, index);
    return -1;
  }
  *view = (jf_any){array->type_code == JF_NDARRAY ? JF_NDARRAY : JF_OBJECT, 0, {.v_handle = array}};
  const int32_t is_array = jf_type_is_a(array->type_code, JF_NDARRAY);
  if (jf_temps_add(temps, array, release) != 0) return raised(state);
  if (is_array) return 0;
  if (spec >> 24 & JF_SPEC_WRITABLE) {
    jf_dltensor* tensor = (jf_dltensor*)(void*)(in + 1 + 2 * rank_of(spec));
    jf_fill_tensor(tensor, spec, in);
    *view = (jf_any){JF_DLTENSOR, 0, {.v_handle = tensor}};
    return 0;
  }
  jf_object* copy = jf_copy_array(spec, in, temps);
  *view = (jf_any){JF_NDARRAY, 0, {.v_handle = copy}};
  return copy ? 0 : raised(state);
}

/* -- what is given back -- */

int32_t core_keep_argument(jf_temps* temps, PyObject* object) { return core_keep_python(temps, Py_NewRef(object)); }

PyObject* core_take_tuple(PyObject** objects, Py_ssize_t count) {
  PyObject* tuple = PyTuple_New(count);
  for (Py_ssize_t i = 0; tuple && i < count; i++) {
    PyTuple_SET_ITEM(tuple, i, objects[i]);
    objects[i] = NULL;
  }
  return tuple;
}

int32_t core_take_apart(core_state* state, PyObject* object, PyObject** parts, Py_ssize_t count) {
  if (!PyTuple_Check(object) || PyTuple_GET_SIZE(object) != count) {
    char expected[64];
    PyOS_snprintf(expected, sizeof expected, "a tuple of %zd: the result, and what is given back", count);
    core_raise_type(state, -1, object, expected);
    return -1;
  }
  for (Py_ssize_t i = 0; i < count; i++) parts[i] = PyTuple_GET_ITEM(object, i);
  return 0;
}
