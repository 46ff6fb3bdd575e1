/* Array parameters of a Python call: the readers in turn, and the words of what is refused.
 *
 * The order is that of how often each is met, but for what would be taken for something else: numbers of NumPy and pointers of
 * ctypes export buffers, too.
 */
#include "array.h"
#include "error.h"
#include "jitffi/runtime.h"
#include "numpy_array.h"
#include "pointer.h"
#include "raise.h"
#include "said.h"

#include <string.h>

int (*core_ndarray_reader)(PyObject* object, core_array* out, jf_temps* temps);
int (*core_pointer_reader)(PyObject* object, core_array* out, jf_temps* temps);
int (*core_pointer_address)(core_state* state, int32_t index, PyObject* object, int64_t* out, jf_temps* temps);

static int is_any_rank(uint64_t spec) { return (uint8_t)(spec >> 16) == JF_RANK_ANY; }

/* What is no array whatever it may offer: found without asking for attributes. */
static int is_value(PyObject* object) {
  return object == Py_None || PyLong_Check(object) || PyFloat_Check(object) || PyUnicode_Check(object) ||
         PyList_Check(object) || PyTuple_Check(object) || PyDict_Check(object) || PyType_Check(object) ||
         core_is_numpy_scalar(object);
}

/* 1, 0 or -1, as readers give. */
static int read_protocols(PyObject* object, uint64_t spec, core_array* out, jf_temps* temps, PyObject** refused) {
  const int anywhere = (spec >> 24) & JF_SPEC_ANYWHERE;
  int status = core_read_foreign_pointer(object, out, temps);
  if (status != 0) return status > 0 && !is_any_rank(spec) ? 0 : status;
  /* Arrays on a device have no buffer, and say so by an exception. */
  if (anywhere) status = core_read_dlpack_table(object, spec, out, temps);
  if (status == 0) status = core_read_buffer(object, out, temps, refused);
  if (status == 0 && !anywhere) status = core_read_dlpack_table(object, spec, out, temps);
  if (status == 0) status = core_read_interface(object, out, temps);
  if (status == 0) status = core_read_dlpack(object, anywhere, out, temps);
  if (status == 0) status = core_read_array_method(object, out, temps);
  return status;
}

int core_array_read(PyObject* object, uint64_t spec, core_array* out, jf_temps* temps, PyObject** refused) {
  core_array_init(out, NULL); /* readers of tensors fill in `array` alone */
  int status = core_read_known_table(object, spec, out, temps);
  if (status != 0 || core_numpy_read(object, out)) return status != 0 ? status : 1;
  status = core_ndarray_reader != NULL ? core_ndarray_reader(object, out, temps) : 0;
  if (status == 0 && core_pointer_reader != NULL) status = core_pointer_reader(object, out, temps);
  if (status != 0 || is_value(object)) return status;
  return read_protocols(object, spec, out, temps, refused);
}

PyObject* core_array_set_name(core_array* found) {
  if (found->descr == NULL && found->format == NULL) return NULL;
  PyObject* name = found->descr != NULL
                       ? PyObject_Str(found->descr)
                       : PyUnicode_FromFormat(found->array.ndim < 0 ? "cdata '%s'" : "'%s'", found->format);
  const char* text = name != NULL ? PyUnicode_AsUTF8(name) : NULL;
  PyErr_Clear();
  found->array.name = text != NULL ? text : "unknown";
  return name;
}

static void refuse(core_state* state, int32_t index, core_array* found, uint64_t spec, int32_t reason) {
  char words[JF_ARRAY_WORDS];
  PyObject* name = core_array_set_name(found);
  jf_array_words(&found->array, spec, reason, words, sizeof words);
  Py_XDECREF(name);
  PyObject* where = core_where(state, index);
  if (where == NULL) return;
  const char* type = core_type_text(state, index);
  const int is_written = reason == JF_ARRAY_BAD_ACCESS && strstr(type, "ptr") != NULL;
  PyErr_Format(strcmp(jf_array_error(reason), "TypeError") == 0 ? PyExc_TypeError : PyExc_ValueError,
               "%Uexpected %s, got %s%s", where, type, words, is_written ? " (C may write there)" : "");
  Py_DECREF(where);
}

int32_t core_array_check(core_state* state, int32_t index, core_array* found, uint64_t spec, int64_t* out) {
  const int32_t reason = jf_array_match(&found->array, spec, out);
  if (reason == JF_ARRAY_FITS) return 0;
  refuse(state, index, found, spec, reason);
  return -1;
}

/* What would fit in the place of a text or of numbers. NULL: nothing is known. */
static const char* note_for(core_state* state, int32_t index, PyObject* object) {
  const char* type = core_type_text(state, index);
  const int is_number = PyLong_Check(object) || PyFloat_Check(object) || PyList_Check(object);
  if (is_number && strstr(type, "ptr[") != NULL && strstr(type, "struct ") == NULL) /* nobody makes a handle */
    return "jitffi.new makes memory of that type";
  if (!PyUnicode_Check(object) || (strstr(type, "u8") == NULL && strstr(type, "i8") == NULL)) return NULL;
  return strstr(type, "const ") != NULL ? "bytes fit, such as its .encode()" : "C may write there: a bytearray fits";
}

/* TypeError: the object is no array. `refused` is what it says itself, or NULL; stolen. */
static void refuse_object(core_state* state, int32_t index, PyObject* object, PyObject* refused) {
  PyObject* text = refused != NULL ? PyObject_Str(refused) : NULL;
  const char* note = text != NULL ? PyUnicode_AsUTF8(text) : note_for(state, index, object);
  PyErr_Clear();
  core_raise_type(state, index, object, note);
  Py_XDECREF(text);
  Py_XDECREF(refused);
}

/* The object's own code has raised, or has failed without. */
static void fail(core_state* state, int32_t index, PyObject* object) {
  if (PyErr_Occurred())
    core_raise_conversion(state, index);
  else
    core_raise_type(state, index, object, "it failed without an exception");
}

/* A pointer of another package that is NULL: what it points at cannot be asked. */
static int is_null(const jf_array* array) {
  return array->ndim < 0 && array->data == NULL && array->device.device_type == JF_CPU;
}

static int is_optional(core_state* state, int32_t index) {
  return strncmp(core_type_text(state, index), "optional[", 9) == 0;
}

static int32_t array_said(core_state* state, int32_t index, PyObject* said, int64_t spec, void* out, jf_temps* temps) {
  return core_unbox_array(state, index, said, (uint64_t)spec, out, temps);
}

static int32_t tensor_said(core_state* state, int32_t index, PyObject* said, int64_t spec, void* out, jf_temps* temps) {
  return core_unbox_tensor(state, index, said, (uint64_t)spec, out, temps);
}

/* Borrows object. The owner of the memory is the object, or is kept in temps. */
int32_t core_unbox_array(core_state* state, int32_t index, PyObject* object, uint64_t spec, int64_t* out,
                         jf_temps* temps) {
  core_array found;
  PyObject* refused = NULL;
  const int of_structs = (uint8_t)spec == JF_SPEC_STRUCT && core_structs != NULL;
  if (of_structs && core_structs->items(state, index, object, spec, out)) return 0;
  if (is_any_rank(spec) && core_pointer_address != NULL && Py_TYPE(object) != core_numpy.ndarray) {
    const int status = core_pointer_address(state, index, object, out, temps);
    if (status != 0) return status > 0 ? 0 : -1;
  }
  /* What an instance offers as a buffer is known by its struct's name. */
  const int is_other = of_structs && core_structs->info((PyObject*)Py_TYPE(object)) != NULL;
  const int status = is_other ? 0 : core_array_read(object, spec, &found, temps, &refused);
  if (status == 0 && refused == NULL && note_for(state, index, object) == NULL)
    return core_unbox_said(state, index, object, array_said, (int64_t)spec, out, temps);
  if (status == 0) {
    refuse_object(state, index, object, refused);
    return -1;
  }
  Py_XDECREF(refused);
  if (status < 0) {
    fail(state, index, object);
    return -1;
  }
  if (of_structs && core_structs->set_element(state, index, object, &found) != 0) {
    core_raise_context(state, index);
    return -1;
  }
  int32_t reason = JF_ARRAY_BAD_ADDRESS;
  if (is_null(&found.array))
    out[0] = 0;
  else
    reason = jf_array_match(&found.array, spec, out);
  if (reason == JF_ARRAY_FITS && found.align > 1 && out[0] % found.align != 0) reason = JF_ARRAY_BAD_ADDRESS;
  if (reason == JF_ARRAY_FITS || (is_null(&found.array) && is_optional(state, index))) return 0;
  refuse(state, index, &found, spec, reason);
  return -1;
}

/* Borrows object, as core_unbox_array does. */
int32_t core_unbox_tensor(core_state* state, int32_t index, PyObject* object, uint64_t spec, jf_dltensor* out,
                          jf_temps* temps) {
  core_array found;
  PyObject* refused = NULL;
  const int status = core_array_read(object, (uint32_t)spec, &found, temps, &refused);
  if (status == 0 && refused == NULL)
    return core_unbox_said(state, index, object, tensor_said, (int64_t)spec, out, temps);
  if (status == 0) {
    refuse_object(state, index, object, refused);
    return -1;
  }
  Py_XDECREF(refused);
  if (status < 0) {
    fail(state, index, object);
    return -1;
  }
  const int32_t reason = jf_tensor_match(&found.array, spec, out);
  if (reason == JF_ARRAY_FITS) return 0;
  refuse(state, index, &found, jf_tensor_spec_in_words(spec), reason);
  return -1;
}

/* Borrows object. */
int32_t core_refuse_length(core_state* state, int32_t index, PyObject* object, int32_t dimension, int64_t here,
                           int32_t other, int64_t there) {
  char words[JF_ARRAY_WORDS];
  if (jf_length_words(state->info, index, dimension, here, other, there, words, sizeof words)) {
    PyObject* where = core_where(state, index);
    if (where != NULL) PyErr_Format(PyExc_ValueError, "%U%s", where, words);
    Py_XDECREF(where);
    return -1;
  }
  jf_temps temps = {NULL};
  core_array found;
  PyObject* refused = NULL;
  const int status = core_array_read(object, 0, &found, &temps, &refused);
  PyErr_Clear();
  Py_XDECREF(refused);
  if (status > 0)
    refuse(state, index, &found, 0, JF_ARRAY_BAD_SHAPE);
  else
    core_raise_value(state, index, PyExc_ValueError, NULL, object);
  jf_temps_release(&temps);
  return -1;
}
