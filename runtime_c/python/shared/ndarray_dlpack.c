/* Arrays for other packages by DLPack: __dlpack__, __dlpack_device__, and the table of functions on the type.
 *
 * A capsule is consumed by who renames it; one that is not gives its tensor back when it dies.
 */
#include "dlpack.h"
#include "dlpack_exchange.h"
#include "error.h"
#include "jitffi/runtime.h"
#include "ndarray_object.h"

#include <string.h>

/* -- __dlpack__ -------------------------------------------------------------------------------------------------------- */

static void drop_legacy(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, CORE_DLPACK_LEGACY)) return;
  jf_dlmanaged* managed = PyCapsule_GetPointer(capsule, CORE_DLPACK_LEGACY);
  managed->deleter(managed);
}

static void drop_versioned(PyObject* capsule) {
  if (!PyCapsule_IsValid(capsule, CORE_DLPACK_VERSIONED)) return;
  jf_dlversioned* managed = PyCapsule_GetPointer(capsule, CORE_DLPACK_VERSIONED);
  managed->deleter(managed);
}

/* New; array is borrowed. */
static PyObject* legacy_capsule(jf_object* array) {
  jf_dlmanaged* managed = jf_ndarray_to_dlpack(array);
  if (managed == NULL) return core_error_raise(NULL), NULL;
  PyObject* capsule = PyCapsule_New(managed, CORE_DLPACK_LEGACY, drop_legacy);
  if (capsule == NULL) managed->deleter(managed);
  return capsule;
}

static PyObject* versioned_capsule(jf_object* array, uint64_t flags) {
  jf_dlversioned* managed = jf_ndarray_to_dlpack_versioned(array);
  if (managed == NULL) return core_error_raise(NULL), NULL;
  managed->flags |= flags;
  PyObject* capsule = PyCapsule_New(managed, CORE_DLPACK_VERSIONED, drop_versioned);
  if (capsule == NULL) managed->deleter(managed);
  return capsule;
}

/* 1: a version with flags; 0: none is asked for; -1 with an exception. */
static int is_versioned(PyObject* version) {
  int major, minor;
  if (version == Py_None) return 0;
  if (!PyTuple_Check(version)) {
    PyErr_Format(PyExc_TypeError, "__dlpack__: max_version: expected a tuple of two ints, got %.200s",
                 Py_TYPE(version)->tp_name);
    return -1;
  }
  if (!PyArg_ParseTuple(version, "ii;__dlpack__: max_version: expected two ints", &major, &minor)) return -1;
  return major >= JF_DLPACK_MAJOR;
}

/* 0, or -1 with an exception: what is asked for is another device. */
static int check_device(PyObject* pair, jf_device device) {
  int type, id;
  if (pair == Py_None) return 0;
  if (!PyTuple_Check(pair)) {
    PyErr_Format(PyExc_TypeError, "__dlpack__: dl_device: expected a tuple of two ints, got %.200s",
                 Py_TYPE(pair)->tp_name);
    return -1;
  }
  if (!PyArg_ParseTuple(pair, "ii;__dlpack__: dl_device: expected two ints", &type, &id)) return -1;
  if (type == device.device_type && id == device.device_id) return 0;
  char own[JF_DEVICE_SIZE], other[JF_DEVICE_SIZE];
  jf_device_format(device, own, sizeof own);
  jf_device_format((jf_device){type, id}, other, sizeof other);
  PyErr_Format(PyExc_BufferError, "__dlpack__: the array is on %s, and is not copied to %s", own, other);
  return -1;
}

/* __dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None). Nothing here starts work on a device, so there is no
 * stream to wait for. */
PyObject* core_ndarray_dlpack(PyObject* self, PyObject* args, PyObject* keywords) {
  static char* names[] = {"stream", "max_version", "dl_device", "copy", NULL};
  PyObject *stream = Py_None, *version = Py_None, *device = Py_None, *copy = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|$OOOO:__dlpack__", names, &stream, &version, &device, &copy))
    return NULL;
  const int versioned = is_versioned(version);
  const int copies = versioned >= 0 && copy != Py_None ? PyObject_IsTrue(copy) : 0;
  jf_ndarray* array = versioned >= 0 && copies >= 0 ? core_ndarray_get(self) : NULL;
  if (array == NULL || check_device(device, array->tensor.device) != 0) return NULL;
  if (array->tensor.device.device_type == JF_CPU && stream != Py_None) {
    PyErr_SetString(PyExc_ValueError, "__dlpack__: stream: there are none on the CPU, expected None");
    return NULL;
  }
  if (!copies) return versioned ? versioned_capsule(&array->header, 0) : legacy_capsule(&array->header);
  jf_object* made = core_ndarray_memory(self) != NULL ? core_ndarray_copied(array) : NULL;
  if (made == NULL) return NULL;
  PyObject* capsule = versioned ? versioned_capsule(made, JF_DL_IS_COPIED) : legacy_capsule(made);
  jf_object_release(made);
  return capsule;
}

PyObject* core_ndarray_dlpack_device(PyObject* self, PyObject* unused) {
  (void)unused;
  const jf_ndarray* array = core_ndarray_get(self);
  if (array == NULL) return NULL;
  return Py_BuildValue("(ii)", (int)array->tensor.device.device_type, (int)array->tensor.device.device_id);
}

/* -- the table --------------------------------------------------------------------------------------------------------- */

/* May be called without the GIL. */
static int allocate(jf_dltensor* prototype, jf_dlversioned** out, void* context,
                    void (*fail)(void* context, const char* kind, const char* message)) {
  *out = NULL;
  if (prototype->device.device_type != JF_CPU) {
    fail(context, "BufferError", "jitffi allocates memory on the CPU alone");
    return -1;
  }
  jf_object* array = jf_ndarray_new(prototype->ndim, prototype->shape, prototype->dtype, 0);
  if (array != NULL) *out = jf_ndarray_to_dlpack_versioned(array);
  jf_object_release(array);
  if (*out != NULL) return 0;
  jf_error* error = (jf_error*)jf_error_take();
  fail(context, error->kind->data, error->message->data);
  jf_object_release(&error->header);
  return -1;
}

/* Borrowed; NULL with an exception. */
static jf_ndarray* array_of(PyObject* object) {
  if (PyObject_TypeCheck(object, &core_ndarray_type)) return core_ndarray_get(object);
  PyErr_Format(PyExc_TypeError, "expected NDArray, got %.200s", Py_TYPE(object)->tp_name);
  return NULL;
}

static int from_object(PyObject* object, jf_dlversioned** out) {
  jf_ndarray* array = array_of(object);
  *out = array != NULL ? jf_ndarray_to_dlpack_versioned(&array->header) : NULL;
  if (array != NULL && *out == NULL) core_error_raise(NULL);
  return *out != NULL ? 0 : -1;
}

static int to_object(jf_dlversioned* tensor, PyObject** out) {
  jf_object* array = core_ndarray_adopt(tensor);
  *out = array != NULL ? core_ndarray_box(array) : NULL;
  return *out != NULL ? 0 : -1;
}

static int view_object(PyObject* object, jf_dltensor* out) {
  const jf_ndarray* array = array_of(object);
  if (array == NULL) return -1;
  *out = array->tensor;
  return 0;
}

static int current_stream(int32_t device_type, int32_t id, void** out) {
  (void)device_type;
  (void)id;
  *out = NULL; /* the device's own */
  return 0;
}

/* -1 with an exception. */
int core_ndarray_exchange_init(void) {
  static const core_exchange_table table = {1, 3, NULL, allocate, from_object, to_object, view_object, current_stream};
  PyObject* capsule = PyCapsule_New((void*)(uintptr_t)&table, CORE_EXCHANGE_CAPSULE, NULL);
  if (capsule == NULL) return -1;
  const int status = PyDict_SetItemString(core_ndarray_type.tp_dict, CORE_EXCHANGE_ATTRIBUTE, capsule);
  Py_DECREF(capsule);
  PyType_Modified(&core_ndarray_type);
  return status;
}
