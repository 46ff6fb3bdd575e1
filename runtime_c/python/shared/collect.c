/* Wrappers of containers and Python's garbage collector, which cannot see through native objects by itself.
 *
 *   wrapper -> List -> Map -> Python object -> ... -> wrapper        is garbage when nothing else refers to any of them
 *
 * A wrapper shows the collector the Python objects that it alone holds: through containers with one reference each, so that
 * each is counted as often as it is held. Cycles without a Python object in them are the runtime's own finder's, which
 * runs after full collections.
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
    const jf_map_entry* entry = &map->entries[i];
    if (entry->key.code == NULL) continue;
    int status = visit_items(&entry->key, 1, depth, visit, arg);
    if (status == 0) status = visit_items(&entry->value, 1, depth, visit, arg);
    if (status != 0) return status;
  }
  return 0;
}

/* Of a defined type. One within a Python object that sleeps leads to what Python has attached to it, too. */
static int visit_fields(jf_object* object, int depth, visitproc visit, void* arg) {
  const jf_type_info* type = object->type_code >= JF_FIRST_DYNAMIC ? jf_type_info_of(object->type_code) : NULL;
  PyObject* attributes = type != NULL && core_embedded_attributes != NULL ? core_embedded_attributes(object) : NULL;
  Py_VISIT(attributes);
  for (int32_t i = 0; type != NULL && i < type->num_fields; i++) {
    if (type->fields[i].kind < JF_FIELD_SLOT) continue;
    jf_view view;
    jf_field_view(object, &type->fields[i], &view);
    if (view.type_code != JF_OBJECT && view.type_code <= 0) continue;
    const int status = visit_object(view.v_object, depth, visit, arg);
    if (status != 0) return status;
  }
  return 0;
}

/* An error leads to its exception, whose traceback leads to the frames that hold the error. */
static int visit_error(const jf_error* error, int depth, visitproc visit, void* arg) {
  const int status = error->host != NULL ? visit_object(error->host, depth, visit, arg) : 0;
  return status == 0 && error->cause != NULL ? visit_object(error->cause, depth, visit, arg) : status;
}

/* An object without links holds neither containers nor Python objects. */
static int visit_object(jf_object* object, int depth, visitproc visit, void* arg) {
  if (core_ref_count(object) != 1) return 0;
  PyObject* host = core_host_get(object);
  Py_VISIT(host);
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
      return list->links.next != NULL ? visit_items(list->items, list->size, depth - 1, visit, arg) : 0;
    case JF_TUPLE:
      return tuple->links.next != NULL ? visit_items(tuple->items, tuple->size, depth - 1, visit, arg) : 0;
    case JF_MAP:
      return map->links.next != NULL ? visit_map(map, depth - 1, visit, arg) : 0;
    case JF_ERROR:
      return visit_error((const jf_error*)object, depth - 1, visit, arg);
    default:
      return visit_fields(object, depth - 1, visit, arg);
  }
}

/* tp_traverse. */
int core_wrapper_traverse(PyObject* self, visitproc visit, void* arg) {
  jf_object* object = ((core_wrapper*)self)->object;
  return object != NULL ? visit_object(object, MOST_DEPTH, visit, arg) : 0;
}

/* tp_clear: what only this wrapper holds is emptied; a tuple, which cannot be, gives way to an empty one. */
int core_wrapper_clear(PyObject* self) {
  jf_object* object = ((core_wrapper*)self)->object;
  if (object == NULL || core_ref_count(object) != 1) return 0;
  if (object->type_code == JF_LIST) {
    jf_list_clear(object);
  } else if (object->type_code == JF_MAP) {
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

/* What gc calls before and after each collection, with what it did. */
static PyObject* after_collection(PyObject* module, PyObject* args) {
  (void)module;
  const char* phase;
  PyObject* info;
  if (!PyArg_ParseTuple(args, "sO!:after_collection", &phase, &PyDict_Type, &info)) return NULL;
  if (strcmp(phase, "stop") != 0) Py_RETURN_NONE;
  if (core_calls_without_gil()) Py_RETURN_NONE; /* such a thread may be changing a container: another time */
  PyObject* generation = PyDict_GetItemString(info, "generation");
  if (generation != NULL && PyLong_Check(generation) && PyLong_AsLong(generation) == 2 && jf_cycles_collect() < 0)
    jf_object_release(jf_error_take()); /* no memory for it now */
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
