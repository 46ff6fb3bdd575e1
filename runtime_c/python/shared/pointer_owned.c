/* Memory that a C function frees: once, when the pointers to it and their views have died, or when it is closed.
 *
 * A view is an array or buffer, which knows nothing of closing: while there are any, the memory cannot be closed. Pointers
 * know, and are dead afterwards.
 */
#include "error.h"
#include "function.h"
#include "gil.h"
#include "hooks.h"
#include "pointer.h"

#include <string.h>

typedef struct {
  PyObject_HEAD void* address; /* NULL: it has been freed */
  void (*release)(void* address);
  core_function* source; /* that gave it: keeps the library of `release` */
  Py_ssize_t views;
} core_owned;

/* The function may call Python, whose errors nobody else could take, also on threads that it waits for. Errors that are on their
 * way stay as they are. */
static void call_release(core_function* source, void (*release)(void*), void* address) {
  PyObject* current = core_error_fetch();
  const int was_pending = core_is_pending();
  jf_object* last = was_pending ? NULL : jf_error_take();
  void* saved = source->frees_without_gil ? core_release_gil(&source->state) : NULL;
  release(address);
  if (saved != NULL) core_acquire_gil(saved);
  if (!was_pending && core_take_pending()) {
    core_error_raise(NULL);
    PyErr_WriteUnraisable((PyObject*)source);
  }
  if (last != NULL) jf_error_set_object(last);
  if (current != NULL) core_error_restore(current);
}

static void free_memory(core_owned* o) {
  void* address = o->address;
  if (address == NULL) return;
  o->address = NULL; /* first: it is done once, whatever it leads to */
  call_release(o->source, o->release, address);
}

static int owned_traverse(core_owned* o, visitproc visit, void* arg) {
  Py_VISIT(o->source);
  return 0;
}

static int owned_clear(core_owned* o) {
  free_memory(o);
  Py_CLEAR(o->source);
  return 0;
}

static void owned_dealloc(core_owned* o) {
  PyObject_GC_UnTrack(o);
  free_memory(o);
  Py_XDECREF(o->source);
  Py_TYPE(o)->tp_free(o);
}

static PyTypeObject owned_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.Owned",
    .tp_doc = "Native memory and the function that frees it.",
    .tp_basicsize = sizeof(core_owned),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_alloc = PyType_GenericAlloc,
    .tp_free = PyObject_GC_Del,
    .tp_finalize = (destructor)free_memory, /* before the collector takes apart what the function needs */
    .tp_dealloc = (destructor)owned_dealloc,
    .tp_traverse = (traverseproc)owned_traverse,
    .tp_clear = (inquiry)owned_clear,
};

int core_owned_init(void) { return core_type_ready(&owned_type); }

int core_is_owned(PyObject* owner) { return Py_TYPE(owner) == &owned_type; }

int core_owned_is_dead(PyObject* owner) { return core_is_owned(owner) && ((core_owned*)owner)->address == NULL; }

void core_owned_count(PyObject* owner, int views) {
  if (owner != NULL && core_is_owned(owner)) ((core_owned*)owner)->views += views;
}

void core_free_owned(core_state* state, void* address, void* release) {
  void (*function)(void*);
  memcpy(&function, &release, sizeof function);
  if (address != NULL) call_release(core_function_of(state), function, address);
}

PyObject* core_pointer_own(core_function* source, const core_pointee* type, void* address, void* release) {
  core_owned* o = (core_owned*)owned_type.tp_alloc(&owned_type, 0);
  if (o == NULL) {
    core_free_owned(&source->state, address, release);
    return NULL;
  }
  o->address = address;
  memcpy(&o->release, &release, sizeof release);
  o->source = (core_function*)Py_NewRef((PyObject*)source);
  core_pointer* p = (core_pointer*)core_pointer_make(type, address, 0, -1, (PyObject*)o);
  if (p != NULL) p->is_owning = 1;
  Py_DECREF(o);
  return (PyObject*)p;
}

PyObject* core_owned_close(const core_pointer* p) {
  if (!p->is_owning)
    return PyErr_Format(PyExc_ValueError,
                        "%U: there is nothing to close: only what a function returns as owned[...] is closed",
                        p->type->text);
  core_owned* o = (core_owned*)p->owner;
  if (o->views > 0)
    return PyErr_Format(PyExc_BufferError, "%U: it cannot be closed while arrays, buffers or calls use it",
                        p->type->text);
  Py_INCREF(o);
  free_memory(o);
  Py_DECREF(o);
  Py_RETURN_NONE;
}
