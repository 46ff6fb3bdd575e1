/* Arrays of other packages as native ones, without copies: by DLPack's table, __dlpack__, or whatever else Python calls an array.
 */
#include "array.h"
#include "dlpack.h"
#include "dlpack_exchange.h"
#include "error.h"
#include "gil.h"
#include "host_object.h"
#include "jitffi/runtime.h"
#include "ndarray_object.h"
#include "numpy_array.h"
#include "wrapper.h"

#include <string.h>

/* -- NumPy ------------------------------------------------------------------------------------------------------------- */

static void release_python(void* object) { core_decref_anywhere(object); }

static int is_numpy(PyObject* object) {
  return core_numpy.ndarray != NULL ? Py_TYPE(object) == core_numpy.ndarray
                                    : strcmp(Py_TYPE(object)->tp_name, "numpy.ndarray") == 0;
}

/* Of the class itself: what others add to their arrays, a mask say, would be lost. Elements that are no numbers of C, in the other
 * byte order or less than an element apart leave it a Python object. */
jf_object* core_ndarray_of_numpy(PyObject* object) {
  core_array found;
  int64_t strides[JF_NDARRAY_DIMS];
  if (!is_numpy(object) || !core_numpy_read(object, &found) || Py_TYPE(object) != core_numpy.ndarray) return NULL;
  const jf_array* array = &found.array;
  if (array->dtype.lanes == 0 || (array->flags & (JF_ARRAY_SWAPPED | JF_ARRAY_OPAQUE))) return NULL;
  for (int32_t i = 0; i < array->ndim; i++) {
    if (array->strides[i] % array->item_size != 0) return NULL;
    strides[i] = array->strides[i] / array->item_size;
  }
  const jf_dltensor tensor = {.data = array->data,
                              .device = {JF_CPU, 0},
                              .ndim = array->ndim,
                              .dtype = array->dtype,
                              .shape = (int64_t*)(uintptr_t)array->shape,
                              .strides = strides};
  jf_object* made =
      jf_ndarray_wrap(sizeof(jf_ndarray), JF_NDARRAY, &tensor, array->flags & JF_ARRAY_READ_ONLY ? JF_DL_READ_ONLY : 0,
                      Py_NewRef(object), release_python);
  if (made == NULL) core_error_raise(NULL);
  return made;
}

/* -- DLPack ------------------------------------------------------------------------------------------------------------ */

/* New; takes what the runtime has made of a tensor. */
static jf_object* kept(jf_object* array, void (*release)(void* managed)) {
  if (array != NULL)
    ((jf_ndarray*)array)->release = release;
  else
    core_error_raise(NULL);
  return array;
}

jf_object* core_ndarray_adopt(jf_dlversioned* managed) {
  return kept(jf_ndarray_from_dlpack_versioned(managed), core_dlpack_release);
}

/* New: takes the capsule's tensor over. *copied: it says that nobody else has it. */
static jf_object* consume(PyObject* capsule, int* copied) {
  if (PyCapsule_IsValid(capsule, CORE_DLPACK_VERSIONED)) {
    jf_dlversioned* managed = PyCapsule_GetPointer(capsule, CORE_DLPACK_VERSIONED);
    if (PyCapsule_SetName(capsule, "used_dltensor_versioned") != 0) return NULL;
    if (managed->major == JF_DLPACK_MAJOR) *copied = (managed->flags & JF_DL_IS_COPIED) != 0;
    return core_ndarray_adopt(managed);
  }
  if (PyCapsule_IsValid(capsule, CORE_DLPACK_LEGACY)) {
    jf_dlmanaged* managed = PyCapsule_GetPointer(capsule, CORE_DLPACK_LEGACY);
    if (PyCapsule_SetName(capsule, "used_dltensor") != 0) return NULL;
    return kept(jf_ndarray_from_dlpack(managed), core_dlpack_release_legacy);
  }
  const char* name = PyCapsule_CheckExact(capsule) ? PyCapsule_GetName(capsule) : NULL;
  PyErr_Clear();
  if (name != NULL && strncmp(name, "used_dltensor", 13) == 0)
    PyErr_SetString(PyExc_ValueError, "from_dlpack: the capsule's tensor was taken before");
  else
    PyErr_Format(PyExc_TypeError, "from_dlpack: expected a capsule of DLPack's, got %.200s", Py_TYPE(capsule)->tp_name);
  return NULL;
}

/* New: what __dlpack__ answers; `device` (a pair) and copy may be NULL. Producers from before version 1 know none of these: then they
 * decide. */
static PyObject* ask(PyObject* method, PyObject* device, PyObject* copy) {
  PyObject* none = PyTuple_New(0);
  PyObject* options = Py_BuildValue("{s:(ii)}", "max_version", JF_DLPACK_MAJOR, JF_DLPACK_MINOR);
  int failed = none == NULL || options == NULL;
  if (!failed && device != NULL) failed = PyDict_SetItemString(options, "dl_device", device) != 0;
  if (!failed && copy != NULL) failed = PyDict_SetItemString(options, "copy", copy) != 0;
  PyObject* capsule = failed ? NULL : PyObject_Call(method, none, options);
  if (capsule == NULL && !failed && PyErr_ExceptionMatches(PyExc_TypeError)) {
    PyErr_Clear();
    capsule = PyObject_CallNoArgs(method);
  }
  Py_XDECREF(none);
  Py_XDECREF(options);
  return capsule;
}

static jf_object* by_method(PyObject* object, PyObject* device, PyObject* copy, int* copied) {
  PyObject* method = PyObject_GetAttrString(object, "__dlpack__");
  if (method == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) {
    PyErr_Clear();
    PyErr_Format(PyExc_TypeError, "from_dlpack: expected an object with __dlpack__, got %.200s",
                 Py_TYPE(object)->tp_name);
  }
  PyObject* capsule = method != NULL ? ask(method, device, copy) : NULL;
  jf_object* made = capsule != NULL ? consume(capsule, copied) : NULL;
  Py_XDECREF(method);
  Py_XDECREF(capsule);
  return made;
}

/* 1, 0 or -1 of an attribute, or of what it returns. */
static int says(PyObject* object, const char* name, int is_method) {
  PyObject* answer = is_method ? PyObject_CallMethod(object, name, NULL) : PyObject_GetAttrString(object, name);
  const int truth = answer != NULL ? PyObject_IsTrue(answer) : -1;
  Py_XDECREF(answer);
  return truth;
}

/* torch gives the memory of tensors whose elements are not what lies there (the conjugate or negative bit), its table also that of
 * those that must not be written behind autograd's back, which its __dlpack__ refuses. 1: ask that; 0; -1 with an exception. */
static int check_torch(PyObject* object) {
  PyObject* method = PyObject_GetAttrString((PyObject*)Py_TYPE(object), "is_conj");
  PyErr_Clear();
  if (method == NULL) return 0;
  Py_DECREF(method);
  int is_other = says(object, "is_conj", 1);
  if (is_other == 0) is_other = says(object, "is_neg", 1);
  if (is_other == 0) return says(object, "requires_grad", 0);
  if (is_other > 0)
    PyErr_SetString(PyExc_BufferError,
                    "from_dlpack: the tensor's elements are not what lies in its memory: take "
                    "resolve_conj().resolve_neg()");
  return -1;
}

static jf_object* by_table(const core_exchange_table* table, PyObject* object) {
  jf_dlversioned* managed = NULL;
  if (table->from_object(object, &managed) == 0 && managed != NULL) return core_ndarray_adopt(managed);
  if (!PyErr_Occurred())
    PyErr_Format(PyExc_BufferError, "from_dlpack: %.200s gives no tensor", Py_TYPE(object)->tp_name);
  return NULL;
}

int core_ndarray_of_exporter(PyObject* object, jf_object** out) {
  PyTypeObject* type = Py_TYPE(object);
  const core_exchange_table* table = core_exchange_table_of(type);
  if (table == NULL && !PyObject_HasAttrString((PyObject*)type, "__dlpack__")) return 0;
  const int asks = check_torch(object);
  int copied = 0;
  if (asks < 0) return -1;
  if (table != NULL && table->from_object != NULL && !asks)
    *out = by_table(table, object);
  else
    *out = by_method(object, NULL, NULL, &copied);
  return *out != NULL ? 1 : -1;
}

/* Steals array; NULL stays NULL. Who has not been told, or does not know, of device and copy gave something else, perhaps. */
static jf_object* as_asked(jf_object* array, const jf_device* device, int copies, PyObject* source) {
  if (array == NULL) return NULL;
  const jf_device own = jf_ndarray_tensor(array)->device;
  jf_object* made = array;
  if (device != NULL && memcmp(&own, device, sizeof own) != 0) {
    char here[JF_DEVICE_SIZE], there[JF_DEVICE_SIZE];
    jf_device_format(own, here, sizeof here);
    jf_device_format(*device, there, sizeof there);
    PyErr_Format(PyExc_BufferError, "from_dlpack: %.200s is on %s, and does not copy itself to %s",
                 Py_TYPE(source)->tp_name, here, there);
    made = NULL;
  } else if (copies && own.device_type == JF_CPU) {
    made = core_ndarray_copied((jf_ndarray*)array);
  } else {
    return array;
  }
  jf_object_release(array);
  return made;
}

/* 0 and *out, or -1 with an exception. */
static int read_device(PyObject* object, jf_device* out) {
  const int found = core_device_convert(object, out);
  if (found == CORE_NO_NAME) PyErr_Format(PyExc_ValueError, "from_dlpack: no device is called %.200R", object);
  if (found == CORE_NOT_ONE)
    PyErr_Format(PyExc_TypeError, "from_dlpack: device: expected a device, got %.200s", Py_TYPE(object)->tp_name);
  return found == CORE_FOUND ? 0 : -1;
}

/* from_dlpack(x, /, *, device=None, copy=None) */
PyObject* core_from_dlpack(PyObject* module, PyObject* args, PyObject* keywords) {
  static char* names[] = {"", "device", "copy", NULL};
  PyObject *object, *device = Py_None, *copy = Py_None, *pair = NULL;
  jf_device wanted;
  int copied = 0;
  (void)module;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|$OO:from_dlpack", names, &object, &device, &copy)) return NULL;
  const int copies = copy != Py_None ? PyObject_IsTrue(copy) : 0;
  if (copies < 0 || (device != Py_None && read_device(device, &wanted) != 0)) return NULL;
  const core_exchange_table* table = core_exchange_table_of(Py_TYPE(object));
  const int asks = check_torch(object);
  if (asks < 0) return NULL;
  jf_object* made;
  if (PyCapsule_CheckExact(object)) {
    made = consume(object, &copied);
  } else if (table != NULL && table->from_object != NULL && device == Py_None && !asks) {
    made = by_table(table, object);
  } else {
    if (device != Py_None) pair = Py_BuildValue("(ii)", (int)wanted.device_type, (int)wanted.device_id);
    made = device == Py_None || pair != NULL ? by_method(object, pair, copy != Py_None ? copy : NULL, &copied) : NULL;
    Py_XDECREF(pair);
  }
  made = as_asked(made, device != Py_None ? &wanted : NULL, copies && !copied, object);
  return made != NULL ? core_ndarray_box(made) : NULL;
}
