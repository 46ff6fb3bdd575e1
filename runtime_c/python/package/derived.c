/* Classes that Python code derives from List, Map, Set, Tuple, NDArray and Error: their objects sleep while native code alone has
 * them, and end as type() would have it.
 *
 * What type() has put into a class is replaced before its first object: its tp_dealloc cannot be stopped before the attributes
 * are gone, and its tp_traverse shows them where native code holds the object, too.
 */
#include "error.h"
#include "ndarray_object.h"
#include "sequence.h"
#include "sleep.h"

/* -- what Python has attached: members of __slots__, and __dict__ -- */

#if PY_VERSION_HEX >= 0x030C0000
#if PY_VERSION_HEX < 0x030D0000
#define PyObject_VisitManagedDict _PyObject_VisitManagedDict
#define PyObject_ClearManagedDict _PyObject_ClearManagedDict
#endif
/* CPython 3.14 does not look whether there is one. */
static int visit_dict(PyObject* self, visitproc visit, void* arg) {
  const int has_dict = (Py_TYPE(self)->tp_flags & Py_TPFLAGS_MANAGED_DICT) != 0;
  return has_dict ? PyObject_VisitManagedDict(self, visit, arg) : 0;
}

static void clear_dict(PyObject* self) {
  if (Py_TYPE(self)->tp_flags & Py_TPFLAGS_MANAGED_DICT) PyObject_ClearManagedDict(self);
}
#else
static int visit_dict(PyObject* self, visitproc visit, void* arg) {
  PyObject** place = _PyObject_GetDictPtr(self);
  if (place != NULL) Py_VISIT(*place);
  return 0;
}

static void clear_dict(PyObject* self) {
  PyObject** place = _PyObject_GetDictPtr(self);
  if (place != NULL) Py_CLEAR(*place);
}
#endif

/* Calls `each` with the place of every member. */
static int walk_slots(PyObject* self, int (*each)(PyObject** place, visitproc visit, void* arg), visitproc visit,
                      void* arg) {
  for (PyTypeObject* type = Py_TYPE(self); type->tp_flags & Py_TPFLAGS_HEAPTYPE; type = type->tp_base) {
    for (const PyMemberDef* member = type->tp_members; member != NULL && member->name != NULL; member++) {
      if (member->type != T_OBJECT_EX || (member->flags & READONLY)) continue;
      const int status = each((PyObject**)(void*)((char*)self + member->offset), visit, arg);
      if (status != 0) return status;
    }
  }
  return 0;
}

static int visit_slot(PyObject** place, visitproc visit, void* arg) {
  Py_VISIT(*place);
  return 0;
}

static int clear_slot(PyObject** place, visitproc visit, void* arg) {
  (void)visit, (void)arg;
  Py_CLEAR(*place);
  return 0;
}

int core_derived_visit(PyObject* self, visitproc visit, void* arg) {
  Py_VISIT(Py_TYPE(self));
  const int status = walk_slots(self, visit_slot, visit, arg);
  return status == 0 ? visit_dict(self, visit, arg) : status;
}

static void clear_attributes(PyObject* self) {
  walk_slots(self, clear_slot, NULL, NULL);
  clear_dict(self);
}

/* -- what the class has -- */

/* Containers of arrays, errors and tuples of numbers are not known to the finder of cycles; those of the classes have attributes. */
static int is_hidden(const PyTypeObject* class) {
  while (class->tp_flags & Py_TPFLAGS_HEAPTYPE) class = class->tp_base;
  return class == &core_ndarray_type || class == &core_error_type || class == &core_tuple_type;
}

static PyObject* allocate(PyTypeObject* class, Py_ssize_t count) {
  PyObject* made = PyType_GenericAlloc(class, count);
#if PY_VERSION_HEX < 0x030C0000
  /* Nobody but CPython 3.11 itself sees attributes that are in no dict yet: there is one from the start. */
  if (made != NULL) (void)_PyObject_GetDictPtr(made);
#endif
  if (made != NULL && is_hidden(class)) core_derived.num_hidden++;
  return made;
}

/* What it refers to is shown while nobody else has its object: who has it may be anybody. */
static int traverse(PyObject* self, visitproc visit, void* arg) {
  const core_wrapper* wrapper = (core_wrapper*)self;
  if (wrapper->object != NULL && !core_is_all_python(wrapper)) {
    Py_VISIT(Py_TYPE(self));
    return 0;
  }
  const int status = core_derived_visit(self, visit, arg);
  return status == 0 ? core_wrapper_traverse(self, visit, arg) : status;
}

static int clear(PyObject* self) {
  const core_wrapper* wrapper = (core_wrapper*)self;
  if (wrapper->object != NULL && core_num_others(wrapper) > wrapper->counted) return 0;
  clear_attributes(self);
  return core_wrapper_clear(self);
}

/* 1: somebody has been given it. */
static int is_saved_by_finalizer(PyObject* self) {
  core_wrapper* wrapper = (core_wrapper*)self;
  if (Py_TYPE(self)->tp_finalize == NULL || wrapper->is_ending) return 0;
  wrapper->is_ending = 1; /* it comes here again where the trashcan has put it aside */
  if (PyObject_CallFinalizerFromDealloc(self) == 0) return core_falls_asleep(wrapper);
  wrapper->is_ending = 0;
  return 1;
}

static void dealloc(PyObject* self) {
  PyTypeObject* class = Py_TYPE(self);
  if (core_falls_asleep((core_wrapper*)self) || is_saved_by_finalizer(self)) return;
  if (!PyType_IS_GC(class)) { /* it has no attributes */
    core_wrapper_end(self);
    Py_DECREF(class);
    return;
  }
  PyObject_GC_UnTrack(self);
  Py_TRASHCAN_BEGIN(self, dealloc);
  if (((core_wrapper*)self)->weak_references != NULL) PyObject_ClearWeakRefs(self);
  clear_attributes(self);
  if (is_hidden(class)) core_derived.num_hidden--;
  core_wrapper_end(self);
  Py_DECREF(class);
  Py_TRASHCAN_END;
}

/* Modules, which Python does not make, keep what they have for their classes elsewhere, and texts and bytes are values. */
static void prepare(PyTypeObject* class) {
  const PyTypeObject* base = class;
  while (base->tp_flags & Py_TPFLAGS_HEAPTYPE) base = base->tp_base;
  if (base->tp_flags & Py_TPFLAGS_DISALLOW_INSTANTIATION || base->tp_dealloc != core_wrapper_dealloc ||
      base->tp_basicsize != (Py_ssize_t)sizeof(core_open_wrapper))
    return;
  class->tp_dealloc = dealloc;
  core_derived.have_objects = 1;
  if (!PyType_IS_GC(class)) return;
  class->tp_traverse = traverse;
  class->tp_clear = clear;
  class->tp_alloc = allocate;
}

int core_derived_init(void) {
  PyObject* class = PyObject_CallFunction((PyObject*)&PyType_Type, "s(){}", "Class");
  if (class == NULL) return -1;
  core_derived.type_dealloc = ((PyTypeObject*)class)->tp_dealloc;
  core_derived.dealloc = dealloc;
  core_derived.prepare = prepare;
  Py_DECREF(class);
  return 0;
}
