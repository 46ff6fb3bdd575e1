/* Native containers to Python's own, in bulk: list, tuple, dict and set, and whatever is in them.
 *
 * A container that is referred to more than once is converted once: shared and cyclic structure comes out as it was.
 * Only making containers can run Python code here, the collector's: sizes are read again after it.
 */
#include "convert.h"
#include "error.h"
#include "fast_paths.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "ndarray_object.h"
#include "wrapper.h"

typedef struct {
  PyObject* seen; /* dict of address -> what it became; NULL before the first that could come again */
  int keeps;      /* containers that Python has already, as wrappers, stay what they are */
} memo;

static PyObject* convert(memo* known, jf_object* object);

/* Whether it can come again: more refer to it than whoever led here and the conversion itself. */
static int is_shared(const jf_object* object) { return core_ref_count(object) > 2; }

/* -1 with an exception. */
static int keep(memo* known, jf_object* object, PyObject* made) {
  if (!is_shared(object)) return 0;
  if (known->seen == NULL) known->seen = PyDict_New();
  PyObject* key = known->seen != NULL ? PyLong_FromVoidPtr(object) : NULL;
  int status = key != NULL ? PyDict_SetItem(known->seen, key, made) : -1;
  Py_XDECREF(key);
  return status;
}

/* New reference; NULL without an exception when it is not known. */
static PyObject* recall(const memo* known, jf_object* object) {
  if (!is_shared(object)) return NULL;
  if (known->keeps) {
    PyObject* wrapper = core_wrapper_awake(object);
    if (wrapper != NULL) return wrapper;
  }
  if (known->seen == NULL) return NULL;
  PyObject* key = PyLong_FromVoidPtr(object);
  PyObject* made = key != NULL ? PyDict_GetItemWithError(known->seen, key) : NULL;
  Py_XDECREF(key);
  return Py_XNewRef(made);
}

/* A list, tuple, map or set, or of a type that is based on one. */
int core_is_container(int32_t code) {
  if (code == JF_LIST || code == JF_TUPLE || code == JF_MAP || code == JF_SET) return 1;
  return code >= JF_FIRST_DYNAMIC &&
         (jf_type_is_a(code, JF_LIST) || jf_type_is_a(code, JF_TUPLE) || jf_type_is_a(code, JF_MAP));
}

/* New: NumPy's view of an array; one that it has none of stays what it is. */
static PyObject* convert_array(jf_object* object) {
  PyObject* array = core_box_object(object);
  PyObject* made = array != NULL && core_ndarray_view(array) != NULL ? core_ndarray_numpy(array, NULL) : NULL;
  if (made == NULL && array != NULL &&
      (PyErr_ExceptionMatches(PyExc_BufferError) || PyErr_ExceptionMatches(PyExc_TypeError))) {
    PyErr_Clear();
    return array;
  }
  Py_XDECREF(array);
  return made;
}

static PyObject* convert_item(memo* known, jf_item item) {
  if (*item.code == JF_NDARRAY) return convert_array(item.object);
  if (*item.code < 0 || !core_is_container(*item.code)) return fast_box(item);
  jf_object_retain(item.object);
  PyObject* made = convert(known, item.object);
  jf_object_release(item.object);
  return made;
}

static PyObject* convert_list(memo* known, jf_object* object) {
  const jf_list* list = (const jf_list*)object;
  const Py_ssize_t size = (Py_ssize_t)list->size;
  PyObject* made = PyList_New(size);
  Py_ssize_t i = 0;
  if (made == NULL) return NULL;
  if (keep(known, object, made) != 0) goto failed;
  for (; i < size && i < (Py_ssize_t)list->size; i++) {
    const jf_item code = list->items[i];
    PyObject* item = *code.code == JF_INT ? PyLong_FromLongLong(code.slot->v_int64) : convert_item(known, code);
    if (item == NULL) goto failed;
    PyList_SET_ITEM(made, i, item);
  }
  if (i == size) return made;
  Py_SET_SIZE(made, i); /* it has become shorter */
  return made;
failed:
  Py_DECREF(made);
  return NULL;
}

static PyObject* convert_tuple(memo* known, jf_object* object) {
  const jf_tuple* tuple = (const jf_tuple*)object;
  const Py_ssize_t size = (Py_ssize_t)tuple->size;
  PyObject* made = PyTuple_New(size);
  if (made == NULL || keep(known, object, made) != 0) goto failed;
  for (Py_ssize_t i = 0; i < size; i++) {
    PyObject* item = convert_item(known, tuple->items[i]);
    if (item == NULL) goto failed;
    PyTuple_SET_ITEM(made, i, item);
  }
  return made;
failed:
  Py_XDECREF(made);
  return NULL;
}

/* 0 or -1. */
static int put_entry(memo* known, PyObject* dict, jf_item key, jf_item value) {
  jf_object* second = *value.code > 0 ? value.object : NULL;
  jf_object_retain(second); /* converting a key that is an object may run Python code, a slot none */
  PyObject* boxed_value = second == NULL ? convert_item(known, value) : NULL;
  PyObject* boxed_key = convert_item(known, key);
  if (second != NULL && boxed_key != NULL) boxed_value = convert_item(known, value);
  jf_object_release(second);
  const int failed = boxed_key == NULL || boxed_value == NULL || PyDict_SetItem(dict, boxed_key, boxed_value) != 0;
  Py_XDECREF(boxed_key);
  Py_XDECREF(boxed_value);
  return -failed;
}

static PyObject* convert_map(memo* known, jf_object* object) {
  const jf_map* map = (const jf_map*)object;
  PyObject* made = PyDict_New();
  if (made == NULL || keep(known, object, made) != 0) goto failed;
  jf_map_iterator began = {0};
  jf_map_next(object, &began, NULL, NULL); /* knows from now on whether keys come or go */
  for (size_t number = 0; number < map->used && map->version == began.version; number++) {
    const jf_map_entry* entry = jf_map_at(map, number);
    if (entry->key.code != NULL && put_entry(known, made, entry->key, jf_map_value(map, entry)) != 0) goto failed;
  }
  if (jf_map_next(object, &began, NULL, NULL) >= 0) return made;
  core_error_raise(NULL);
failed:
  Py_XDECREF(made);
  return NULL;
}

static jf_item item_of_view(const jf_view* view) {
  const int is_object = view->type_code == JF_OBJECT || view->type_code > 0;
  return is_object ? (jf_item){.object = view->v_object} : (jf_item){.slot = view};
}

static PyObject* convert_set(memo* known, jf_object* set) {
  PyObject* made = PySet_New(NULL);
  if (made == NULL || keep(known, set, made) != 0) goto failed;
  jf_map_iterator at = {0};
  jf_view view;
  int32_t status;
  while ((status = jf_set_next(set, &at, &view)) == 1) {
    PyObject* item = convert_item(known, item_of_view(&view));
    const int failed = item == NULL || PySet_Add(made, item) != 0;
    Py_XDECREF(item);
    if (failed) goto failed;
  }
  if (status == 0) return made;
  core_error_raise(NULL);
failed:
  Py_XDECREF(made);
  return NULL;
}

static PyObject* convert_new(memo* known, jf_object* object) {
  PyObject* made;
  if (Py_EnterRecursiveCall(" while converting to Python")) return NULL;
  if (object->type_code == JF_SET)
    made = convert_set(known, object);
  else if (jf_type_is_a(object->type_code, JF_LIST))
    made = convert_list(known, object);
  else
    made = jf_type_is_a(object->type_code, JF_TUPLE) ? convert_tuple(known, object) : convert_map(known, object);
  Py_LeaveRecursiveCall();
  return made;
}

static PyObject* convert(memo* known, jf_object* object) {
  PyObject* made = recall(known, object);
  return made != NULL || PyErr_Occurred() ? made : convert_new(known, object);
}

/* The way that has no stack. */
static PyObject* to_plain(PyObject* wrapper) {
  PyObject* module = PyImport_ImportModule("jitffi.api.plain");
  PyObject* plain = module != NULL ? PyObject_CallMethod(module, "to_plain", "O", wrapper) : NULL;
  Py_XDECREF(module);
  return plain;
}

/* Whether what was made is too deep to be made so; the exception is gone then. */
static int is_too_deep(const PyObject* made) {
  if (made != NULL || !PyErr_ExceptionMatches(PyExc_RecursionError)) return 0;
  PyErr_Clear();
  return 1;
}

/* Takes what core_to_python gave for a wrapper. */
PyObject* core_to_plain(PyObject* wrapper, PyObject* made) { return is_too_deep(made) ? to_plain(wrapper) : made; }

static PyObject* convert_all(jf_object* object, int keeps) {
  memo known = {NULL, keeps};
  jf_object_retain(object);
  PyObject* made = convert(&known, object);
  jf_object_release(object);
  Py_XDECREF(known.seen);
  return made;
}

/* New; object, a list, tuple, map or set, is borrowed. NULL with an exception. */
PyObject* core_to_python(jf_object* object) { return convert_all(object, 0); }

/* The same of what nobody else has: Python's own it is in any case, and what is in it as in a result. */
PyObject* core_made_to_python(jf_object* object) {
  memo known = {NULL, 1};
  PyObject* made = convert_new(&known, object);
  Py_XDECREF(known.seen);
  return made;
}

/* The same of a result: what the caller has already as a List, Map, Set or Tuple comes back as that. */
PyObject* core_result_to_python(jf_object* object) {
  PyObject* made = convert_all(object, 1);
  if (!is_too_deep(made)) return made;
  PyObject* wrapper = core_wrapper_of(object);
  made = wrapper != NULL ? to_plain(wrapper) : NULL;
  Py_XDECREF(wrapper);
  return made;
}
