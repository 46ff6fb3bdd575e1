/* Python faces of native objects, Python objects held by native ones, and references dropped without the GIL.
 *
 *   PyObject head | jf_object* object (one reference) | weak references
 *
 * A face is made when it is asked for; faces of one object are equal and have one hash, but need not be the same.
 */
#include "core.h"

#include <stdatomic.h>
#include <stdlib.h>

typedef struct {
  PyObject_HEAD jf_object* object;
  PyObject* weak_references;
} face;

/* -- the face ----------------------------------------------------------------------------------------------- */

static void face_dealloc(PyObject* self) {
  face* f = (face*)self;
  if (f->weak_references != NULL) PyObject_ClearWeakRefs(self);
  jf_object* object = f->object;
  Py_TYPE(self)->tp_free(self);
  jf_object_release(object);
}

static PyObject* face_repr(PyObject* self) {
  jf_object* object = ((face*)self)->object;
  return PyUnicode_FromFormat("<%s %s at %p>", Py_TYPE(self)->tp_name, jf_type_key(object->type_code), (void*)object);
}

static Py_hash_t face_hash(PyObject* self) {
  uintptr_t address = (uintptr_t)((face*)self)->object;
  Py_hash_t hash =
      (Py_hash_t)((address >> 4) | (address << (8 * sizeof address - 4))); /* the low four bits are always 0 */
  return hash != -1 ? hash : -2;
}

static PyObject* face_compare(PyObject* self, PyObject* other, int operation) {
  jf_object* object = core_face_object(other);
  if (object == NULL || (operation != Py_EQ && operation != Py_NE)) Py_RETURN_NOTIMPLEMENTED;
  return PyBool_FromLong((object == ((face*)self)->object) == (operation == Py_EQ));
}

static PyObject* get_type_key(PyObject* self, void* closure) {
  (void)closure;
  return PyUnicode_FromString(jf_type_key(((face*)self)->object->type_code));
}

static PyObject* get_type_code(PyObject* self, void* closure) {
  (void)closure;
  return PyLong_FromLong(((face*)self)->object->type_code);
}

static PyObject* get_handle(PyObject* self, void* closure) {
  (void)closure;
  return PyLong_FromUnsignedLongLong((uintptr_t)((face*)self)->object);
}

static PyObject* get_ref_count(PyObject* self, void* closure) {
  (void)closure;
  return PyLong_FromLong(__atomic_load_n(&((face*)self)->object->ref_count, __ATOMIC_RELAXED));
}

static PyGetSetDef face_getset[] = {
    {"type_key", get_type_key, NULL, "The name of the object's type.", NULL},
    {"type_code", get_type_code, NULL, "The number of the object's type.", NULL},
    {"handle", get_handle, NULL, "The object's address.", NULL},
    {"ref_count", get_ref_count, NULL, "How many references there are now; one is this face's.", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject core_object_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.Object",
    .tp_doc = "A native object. Faces of the same object are equal.",
    .tp_basicsize = sizeof(face),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = face_dealloc,
    .tp_repr = face_repr,
    .tp_hash = face_hash,
    .tp_richcompare = face_compare,
    .tp_weaklistoffset = offsetof(face, weak_references),
    .tp_getset = face_getset,
};

/* 0, or -1 with an exception. */
int core_object_init(PyObject* module) {
  if (PyType_Ready(&core_object_type) != 0) return -1;
  return PyModule_AddObjectRef(module, "Object", (PyObject*)&core_object_type);
}

/* New; retains object. An error has the Error face. */
PyObject* core_object_face(jf_object* object) {
  PyTypeObject* type = jf_type_is_a(object->type_code, JF_ERROR) ? &core_error_type : &core_object_type;
  face* made = (face*)type->tp_alloc(type, 0);
  if (made == NULL) return NULL;
  jf_object_retain(object);
  made->object = object;
  return (PyObject*)made;
}

/* Borrowed; NULL without an exception when it is no face. */
jf_object* core_face_object(PyObject* object) {
  return PyObject_TypeCheck(object, &core_object_type) ? ((face*)object)->object : NULL;
}

/* -- host objects ------------------------------------------------------------------------------------------- */

static const char host_owner; /* its address tells our host objects from those of another embedder */

static void host_delete(jf_object* object) {
  core_decref_anywhere(((jf_host_object*)object)->handle);
  jf_object_free(object);
}

/* New; holds a reference to object. NULL with an exception. */
jf_object* core_host_new(PyObject* object) {
  jf_object* host = jf_host_object_new(&host_owner, object, host_delete);
  if (host != NULL)
    Py_INCREF(object);
  else
    core_error_raise(NULL);
  return host;
}

/* Borrowed; NULL, also for a NULL object, when it is not ours. */
PyObject* core_host_get(const jf_object* object) {
  if (object == NULL || object->type_code != JF_HOST_OBJECT) return NULL;
  const jf_host_object* host = (const jf_host_object*)object;
  return host->owner == &host_owner ? host->handle : NULL;
}

/* -- references dropped without the GIL --------------------------------------------------------------------- */

typedef struct dropped dropped;
struct dropped {
  dropped* next;
  PyObject* object;
};

/* Threads push one at a time, who holds the GIL takes the whole list: no node is ever popped alone, so there is no
 * ABA. A child of fork has the list as it was, and drops its own copies. */
static _Atomic(dropped*) dropped_list;

static int drain_when_pending(void* unused) {
  (void)unused;
  core_drain_decrefs();
  return 0;
}

/* Needs the GIL. Destructors run here; they may drop more. */
void core_drain_decrefs(void) {
  if (atomic_load_explicit(&dropped_list, memory_order_relaxed) == NULL) return;
  dropped* list = atomic_exchange_explicit(&dropped_list, NULL, memory_order_acquire);
  while (list != NULL) {
    dropped* next = list->next;
    Py_DECREF(list->object);
    free(list);
    list = next;
  }
}

/* Steals the reference. Without the GIL the list is drained on the main thread, or by whoever takes the GIL next
 * through us. Once the interpreter is being taken down there is nobody left to do it, and without memory for the
 * node no way: the reference then leaks. */
void core_decref_anywhere(PyObject* object) {
  if (object == NULL || !Py_IsInitialized()) return;
  if (core_has_gil()) {
    Py_DECREF(object);
    return;
  }
  dropped* node = malloc(sizeof *node);
  if (node == NULL) return;
  node->object = object;
  node->next = atomic_load_explicit(&dropped_list, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&dropped_list, &node->next, node, memory_order_release,
                                                memory_order_relaxed)) {
  }
  /* One call takes the whole list, so only the first node asks for one. When the queue is full the GIL's next
   * taker drains. */
  if (node->next == NULL) (void)Py_AddPendingCall(drain_when_pending, NULL);
}
