/* Wrappers of containers and Python's garbage collector, which cannot see through native objects by itself.
 *
 *   wrapper -> List -> Map -> Python object -> ... -> wrapper        is garbage when nothing else refers to any of them
 *
 * A wrapper shows the collector the Python objects that it alone holds: through containers with one reference each, so that
 * each is counted as often as it is held. Cycles without a Python object in them are the runtime's own finder's, which
 * runs after full collections.
 *
 * What several hold, native containers among them, is shown for as long as a full collection lasts, which Python's collector
 * tells of: its Python object, woken or made for it, then has a Python reference for each native one, and each container that
 * holds it shows the collector one. References that nobody shows, such as those of native code, keep it, and all behind it.
 * While more or fewer refer to an object than were counted nothing is shown of it, nor what it leads to.
 */
#include <string.h>

#include "error.h"
#include "gil.h"
#include "handle.h"
#include "host_object.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/types.h"
#include "wrapper.h"

enum { MOST_DEPTH = 64 }; /* what lies deeper is not shown: never freed wrongly, at worst not at all */

static int visit_object(jf_object* object, int depth, visitproc visit, void* arg);

static int visit_items(const jf_item* items, size_t size, int depth, visitproc visit, void* arg) {
  for (size_t i = 0; i < size; i++) {
    if (*items[i].code <= 0) continue;
    int status = visit_object(items[i].object, depth, visit, arg);
    if (status != 0) return status;
  }
  return 0;
}

static int visit_map(const jf_map* map, int depth, visitproc visit, void* arg) {
  for (size_t i = 0; i < map->used; i++) {
    const jf_map_entry* entry = jf_map_at(map, i);
    if (entry->key.code == NULL) continue;
    const jf_item value = jf_map_value(map, entry);
    int status = visit_items(&entry->key, 1, depth, visit, arg);
    if (status == 0) status = visit_items(&value, 1, depth, visit, arg);
    if (status != 0) return status;
  }
  return 0;
}

static int visit_fields(jf_object* object, int depth, visitproc visit, void* arg) {
  const jf_type_info* type = object->type_code >= JF_FIRST_DYNAMIC ? jf_type_info_of(object->type_code) : NULL;
  int status = 0;
  for (int32_t i = 0; type != NULL && status == 0 && i < type->num_fields; i++) {
    if (type->fields[i].kind < JF_FIELD_SLOT) continue;
    jf_view view;
    jf_field_view(object, &type->fields[i], &view);
    if (view.type_code != JF_OBJECT && view.type_code <= 0) continue;
    status = visit_object(view.v_object, depth, visit, arg);
  }
  return status;
}

/* An error leads to its exception, whose traceback leads to the frames that hold the error. */
static int visit_error(const jf_error* error, int depth, visitproc visit, void* arg) {
  const int status = error->host != NULL ? visit_object(error->host, depth, visit, arg) : 0;
  return status == 0 && error->cause != NULL ? visit_object(error->cause, depth, visit, arg) : status;
}

/* A container that the finder of cycles does not know holds neither containers nor Python objects. */
static int may_lead(const jf_links* links) { return links->next != NULL || core_derived.num_hidden != 0; }

/* One whose Python object sleeps leads to what Python has
 * attached to it, too. */
static int visit_content(jf_object* object, int depth, visitproc visit, void* arg) {
  PyObject* host = core_host_get(object);
  Py_VISIT(host);
  if (object->deleter == core_sleeping_deleter || object->deleter == core_embedded_deleter) {
    const int status = core_sleeping_visit != NULL ? core_sleeping_visit(object, visit, arg) : 0;
    if (status != 0) return status;
  }
  if (object->type_code == JF_FUNCTION) {
    core_function* function = core_function_made_by(object); /* which the handle has a reference to */
    Py_VISIT((PyObject*)function);
  }
  if (depth == 0) return 0;
  const jf_list* list = (const jf_list*)object;
  const jf_tuple* tuple = (const jf_tuple*)object;
  const jf_map* map = (const jf_map*)object;
  switch (object->type_code) {
    case JF_LIST:
      return may_lead(&list->links) ? visit_items(list->items, list->size, depth - 1, visit, arg) : 0;
    case JF_TUPLE:
      return may_lead(&tuple->links) ? visit_items(tuple->items, tuple->size, depth - 1, visit, arg) : 0;
    case JF_MAP:
    case JF_SET:
      return may_lead(&map->links) ? visit_map(map, depth - 1, visit, arg) : 0;
    case JF_ERROR:
      return visit_error((const jf_error*)object, depth - 1, visit, arg);
    default:
      return visit_fields(object, depth - 1, visit, arg);
  }
}

static struct {
  PyObject** wrappers;
  size_t count;
} shared;

static int visit_object(jf_object* object, int depth, visitproc visit, void* arg) {
  if (core_ref_count(object) == 1) return visit_content(object, depth, visit, arg);
  const core_wrapper* wrapper = shared.count != 0 ? core_wrapper_known(object) : NULL;
  if (wrapper != NULL && wrapper->counted > 0 && core_is_all_python(wrapper)) Py_VISIT((PyObject*)(uintptr_t)wrapper);
  return 0;
}

/* tp_traverse. */
int core_wrapper_traverse(PyObject* self, visitproc visit, void* arg) {
  const core_wrapper* wrapper = (core_wrapper*)self;
  return wrapper->object != NULL && core_is_all_python(wrapper) ? visit_content(wrapper->object, MOST_DEPTH, visit, arg)
                                                                : 0;
}

/* tp_clear: what only this wrapper holds is emptied; a tuple, which cannot be, gives way to an empty one. */
int core_wrapper_clear(PyObject* self) {
  const core_wrapper* wrapper = (core_wrapper*)self;
  jf_object* object = wrapper->object;
  if (object == NULL || core_num_others(wrapper) > wrapper->counted) return 0;
  if (object->type_code == JF_LIST) {
    jf_list_clear(object);
  } else if (object->type_code == JF_MAP || object->type_code == JF_SET) {
    jf_map_clear(object);
  } else if (object->type_code == JF_TUPLE) {
    jf_object* empty = jf_tuple_new(NULL, 0);
    if (empty == NULL)
      jf_object_release(jf_error_take());
    else if (core_wrapper_replace(self, empty) != 0)
      PyErr_Clear();
  }
  return 0;
}

/* -- cycles of native containers ---------------------------------------------------------------------------- */

/* The finder looks into all containers there are: no call that runs without the lock may change any meanwhile. */
static PyObject* counted(int64_t count) {
  if (count >= 0) return PyLong_FromLongLong(count);
  core_error_raise(NULL);
  return NULL;
}

static PyObject* collect_cycles(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return counted(core_calls_without_gil() ? 0 : jf_cycles_collect());
}

static PyObject* count_cycles(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return counted(core_calls_without_gil() ? 0 : jf_cycles_count());
}

/* -- objects that several hold, while Python's collector runs ------------------------------------------------ */

/* Python's count of each has no native references any more. */
static void forget_shared(void) {
  PyObject** wrappers = shared.wrappers;
  const size_t count = shared.count;
  shared.wrappers = NULL;
  shared.count = 0;
  for (size_t i = 0; i < count; i++) {
    core_wrapper* wrapper = (core_wrapper*)wrappers[i];
    const int32_t counted = wrapper->counted;
    wrapper->counted = 0;
    Py_SET_REFCNT(wrappers[i], Py_REFCNT(wrappers[i]) - (counted - 1));
  }
  for (size_t i = 0; i < count; i++) Py_DECREF(wrappers[i]);
  PyMem_Free(wrappers);
}

/* New: the Python object of what the collector may look into; NULL for others. */
static PyObject* collected_wrapper(jf_object* object) {
  const int32_t code = object->type_code;
  const int is_container = code == JF_LIST || code == JF_MAP || code == JF_SET || code == JF_TUPLE || code == JF_ERROR;
  if (!is_container && (code < JF_FIRST_DYNAMIC || core_leads_nowhere == NULL || core_leads_nowhere(object)))
    return NULL;
  const core_wrapper* known = core_wrapper_known(object);
  PyTypeObject* class = known != NULL ? Py_TYPE(known) : core_wrapper_class_known(code);
  if (class == NULL || !PyType_IS_GC(class)) return NULL;
  PyObject* wrapper = core_wrapper_of(object);
  if (wrapper == NULL) PyErr_Clear();
  return wrapper;
}

typedef struct {
  PyObject** wrappers;
  size_t count, capacity;
} found_wrappers;

/* Steals the wrapper. */
static void add_wrapper(found_wrappers* found, PyObject* wrapper) {
  if (found->count == found->capacity) {
    const size_t capacity = 2 * found->capacity + 64;
    PyObject** grown = PyMem_Realloc(found->wrappers, capacity * sizeof *grown);
    if (grown == NULL) {
      Py_DECREF(wrapper);
      return;
    }
    found->wrappers = grown;
    found->capacity = capacity;
  }
  found->wrappers[found->count++] = wrapper;
}

/* Of any Python object: those whose native object others have, too. */
static int add_awake(PyObject* object, void* found) {
  const PyTypeObject* class = Py_TYPE(object);
  const int is_derived = class->tp_dealloc == core_derived.dealloc && core_derived.dealloc != NULL;
  if (Py_TYPE(class) != core_embedding_meta && class->tp_traverse != core_wrapper_traverse && !is_derived) return 1;
  jf_object* native = ((core_wrapper*)object)->object;
  if (native == NULL || core_num_others((core_wrapper*)object) == 0) return 1;
  if (native->type_code >= JF_FIRST_DYNAMIC && core_leads_nowhere != NULL && core_leads_nowhere(native)) return 1;
  add_wrapper(found, Py_NewRef(object));
  return 1;
}

/* An instance whose fields were set when it was made is not known to the finder, nor what it holds. */
static void find_awake(found_wrappers* found) {
#if PY_VERSION_HEX >= 0x030C0000
  PyUnstable_GC_VisitObjects(add_awake, found);
#else
  PyObject* gc = PyImport_ImportModule("gc");
  PyObject* all = gc != NULL ? PyObject_CallMethod(gc, "get_objects", NULL) : NULL;
  for (Py_ssize_t i = 0; all != NULL && PyList_CheckExact(all) && i < PyList_GET_SIZE(all); i++)
    add_awake(PyList_GET_ITEM(all, i), found);
  if (all == NULL) PyErr_Clear();
  Py_XDECREF(all);
  Py_XDECREF(gc);
#endif
}

static void add_woken(jf_object* object, void* found) { add_wrapper(found, core_wrapper_of(object)); }

/* What the finder knows, asleep or without a Python object. */
static void find_shared(found_wrappers* found) {
  jf_object** objects;
  const int64_t count = jf_cycles_shared(&objects);
  for (int64_t i = 0; i < count; i++) {
    PyObject* wrapper = collected_wrapper(objects[i]);
    jf_object_release(objects[i]);
    if (wrapper != NULL) add_wrapper(found, wrapper);
  }
  jf_free(objects);
}

/* Nothing but the collector runs between the counting and what it is for, or the count does not fit any more. */
static void count_shared(void) {
  found_wrappers found = {NULL, 0, 0};
  forget_shared();
  if (core_calls_without_gil()) return;
  core_wrapper_wake_shared(add_woken, &found);
  find_shared(&found);
  find_awake(&found);
  PyObject** wrappers = found.wrappers;
  size_t kept = 0;
  for (size_t i = 0; i < found.count; i++) {
    core_wrapper* wrapper = (core_wrapper*)wrappers[i];
    const int32_t native = wrapper->object != NULL && wrapper->counted == 0 ? core_num_others(wrapper) : 0;
    if (native <= 0) {
      Py_DECREF(wrappers[i]);
      continue;
    }
    wrapper->counted = native;
    Py_SET_REFCNT(wrappers[i], Py_REFCNT(wrappers[i]) + native - 1);
    wrappers[kept++] = wrappers[i];
  }
  if (kept == 0) {
    PyMem_Free(wrappers);
    wrappers = NULL;
  }
  shared.wrappers = wrappers;
  shared.count = kept;
}

/* What gc calls before and after each collection, with what it did. */
static PyObject* after_collection(PyObject* module, PyObject* args) {
  (void)module;
  const char* phase;
  PyObject* info;
  if (!PyArg_ParseTuple(args, "sO!:after_collection", &phase, &PyDict_Type, &info)) return NULL;
  PyObject* generation = PyDict_GetItemString(info, "generation");
  const int is_full = generation != NULL && PyLong_CheckExact(generation) && PyLong_AsLong(generation) == 2;
  if (strcmp(phase, "stop") != 0) {
    if (is_full && strcmp(phase, "start") == 0) count_shared();
    Py_RETURN_NONE;
  }
  forget_shared();
  if (core_calls_without_gil()) Py_RETURN_NONE; /* such a thread may be changing a container: another time */
  if (is_full && jf_cycles_collect() < 0) jf_object_release(jf_error_take()); /* no memory for it now */
  Py_RETURN_NONE;
}

static PyMethodDef functions[] = {
    {"collect_cycles", collect_cycles, METH_NOARGS,
     "collect_cycles()\n--\n\nFree the native containers that only refer to each other; how many there were.\n\n"
     ">>> import jitffi\n>>> one = jitffi.List()\n>>> one.append(one)\n>>> del one\n>>> jitffi.collect_cycles()\n1\n\n"
     "gc.collect() does it too. Both do nothing while a thread is inside a native call without the interpreter's "
     "lock."},
    {"count_cycles", count_cycles, METH_NOARGS,
     "count_cycles()\n--\n\nHow many native containers only refer to each other, and would be freed.\n\n"
     ">>> import jitffi\n>>> one = jitffi.List()\n>>> one.append(one)\n>>> jitffi.count_cycles()\n0\n"
     ">>> del one\n>>> jitffi.count_cycles(), jitffi.collect_cycles()\n(1, 1)"},
    {NULL, NULL, 0, NULL},
};
static PyMethodDef callback = {"after_collection", after_collection, METH_VARARGS, "What gc.callbacks calls."};

/* 0, or -1 with an exception. */
int core_collect_init(PyObject* module) {
  if (PyModule_AddFunctions(module, functions) != 0) return -1;
  PyObject* gc = PyImport_ImportModule("gc");
  PyObject* callbacks = gc != NULL ? PyObject_GetAttrString(gc, "callbacks") : NULL;
  PyObject* function = callbacks != NULL ? PyCFunction_New(&callback, NULL) : NULL;
  int status = function != NULL ? PyList_Append(callbacks, function) : -1;
  Py_XDECREF(gc);
  Py_XDECREF(callbacks);
  Py_XDECREF(function);
  return status;
}
