/* How Python objects sleep and wake whose native object lies elsewhere.
 *
 *   awake    native object: its own deleter         Python object: counted, in the table of wrappers, one native reference
 *   asleep   native object: sleeping_delete         Python object: not counted, still in the table, no reference; the own
 *                                                   deleter is kept in it
 *
 * The last native reference may go on any thread; the Python object ends where the interpreter's lock is.
 */
#include "sleep.h"
#include "gil.h"
#include "host_object.h"
#include "instance.h"
#include "jitffi/containers.h"

/* An instance has the room for the native object that would lie within it. */
static jf_deleter* own_deleter(core_wrapper* wrapper) {
  core_open_wrapper* open = (core_open_wrapper*)wrapper;
  return core_is_instance((PyObject*)wrapper) ? (jf_deleter*)(void*)core_embedded((core_instance*)wrapper)
                                              : &open->deleter;
}

static void set_deleter(jf_object* object, jf_deleter deleter) {
  __atomic_store_n(&object->deleter, deleter, __ATOMIC_RELEASE);
}

/* Which Python object is its own can be asked with the lock only. */
static void sleeping_delete(jf_object* object) {
  if (!Py_IsInitialized()) return;
  object->ref_count = 1;
  if (!core_has_gil()) {
    core_release_later(object);
    return;
  }
  PyObject* self = (PyObject*)core_wrapper_known(object);
  set_deleter(object, *own_deleter((core_wrapper*)self));
  Py_SET_REFCNT(self, 1);
  if (PyType_IS_GC(Py_TYPE(self))) PyObject_GC_Track(self); /* its finaliser may give it to somebody */
  Py_DECREF(self);
}

static PyObject* wake(jf_object* object) {
  core_wrapper* wrapper = core_wrapper_known(object);
  if (Py_REFCNT(wrapper) > 0) return Py_NewRef((PyObject*)wrapper);
  jf_object_retain(object);
  if (object->deleter == sleeping_delete) set_deleter(object, *own_deleter(wrapper));
  _Py_NewReference((PyObject*)wrapper);
  if (PyType_IS_GC(Py_TYPE(wrapper))) PyObject_GC_Track(wrapper);
  return (PyObject*)wrapper;
}

/* What native code stores in a container while its Python object sleeps does not make it known to the finder of cycles, which tells
 * its own by their deleters. */
static void make_known(jf_object* object) {
  static const jf_type_info with_links = {.links = 1};
  if (object->type_code == JF_LIST || object->type_code == JF_MAP || object->type_code == JF_SET)
    jf_object_track(object, &with_links);
}

int core_falls_asleep(core_wrapper* wrapper) {
  jf_object* object = wrapper->object;
  if (object == NULL || object->deleter == NULL || core_ref_count(object) == 1) return 0;
  if (core_wrapper_known(object) != wrapper) return 0; /* it was dying, and another one was made */
  make_known(object);
  if (PyType_IS_GC(Py_TYPE(wrapper))) PyObject_GC_UnTrack(wrapper);
  *own_deleter(wrapper) = object->deleter;
  set_deleter(object, sleeping_delete);
  if (__atomic_fetch_sub(&object->ref_count, 1, __ATOMIC_ACQ_REL) > 1) return 1;
  object->ref_count = 1; /* they have given it up just now */
  set_deleter(object, *own_deleter(wrapper));
  if (PyType_IS_GC(Py_TYPE(wrapper))) PyObject_GC_Track(wrapper);
  return 0;
}

void core_sleep_init(void) {
  core_sleeping_deleter = sleeping_delete;
  core_embedded_wake = wake;
}
