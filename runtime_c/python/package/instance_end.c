/* How instances sleep, wake and end, and what the collector sees of them.
 *
 * What the last reference of either count does may run on any thread: fields are released where that happens, Python's
 * parts by whoever has the interpreter's lock.
 */
#include "gil.h"
#include "host_object.h"
#include "instance.h"
#include "sleep.h"

enum { MAX_UNUSED = 64, MAX_UNUSED_SIZE = 512 };

/* -- what Python has attached -- */

static int visit_slots(PyObject* self, visitproc visit, void* arg) {
  for (PyTypeObject* type = Py_TYPE(self); core_is_instance_meta(Py_TYPE(type)); type = type->tp_base) {
    for (const PyMemberDef* member = type->tp_members; member != NULL && member->name != NULL; member++) {
      if (member->type != T_OBJECT_EX || (member->flags & READONLY)) continue;
      Py_VISIT(*(PyObject**)(void*)((char*)self + member->offset));
    }
  }
  return 0;
}

static int visit_sleeping(jf_object* object, visitproc visit, void* arg) {
  if (object->deleter != core_embedded_deleter && object->deleter != core_sleeping_deleter) return 0;
  core_instance* instance = (core_instance*)core_wrapper_known(object);
  if (instance == NULL || Py_REFCNT(instance) > 0) return 0;
  if (!core_is_instance((PyObject*)instance)) return core_derived_visit((PyObject*)instance, visit, arg);
  Py_VISIT(instance->attributes);
  return visit_slots((PyObject*)instance, visit, arg);
}

/* -- the native side -- */

/* The last native reference is gone, and Python has none: it is Python's again for as long as it takes to end. */
static void embedded_delete(jf_object* object) {
  core_instance* instance = core_embedding(object);
  object->ref_count = 1;
  Py_SET_REFCNT((PyObject*)instance, 1);
  core_decref_anywhere((PyObject*)instance);
}

static core_wrapper* embedding_of(jf_object* object) { return &core_embedding(object)->wrapper; }

/* The object of a field that may hold one; NULL. */
static inline jf_object* held_object(const jf_object* object, const jf_field* field) {
  const char* at = (const char*)object + field->offset;
  const jf_any* slot = (const jf_any*)(const void*)at;
  if (field->kind == JF_FIELD_OBJECT) return *(jf_object* const*)(const void*)at;
  return slot->type_code == JF_OBJECT || slot->type_code > 0 ? slot->v_object : NULL;
}

static int leads_nowhere(jf_object* object) {
  const jf_type_info* type = jf_type_info_of(object->type_code);
  for (int32_t i = 0; type != NULL && i < type->num_fields; i++) {
    const jf_object* held = type->fields[i].kind >= JF_FIELD_SLOT ? held_object(object, &type->fields[i]) : NULL;
    if (held != NULL && (held->type_code < JF_STR || held->type_code > JF_BYTES)) return 0;
  }
  core_instance* instance = (core_instance*)core_wrapper_known(object);
  return instance == NULL || !core_is_instance((PyObject*)instance) ||
         (instance->attributes == NULL && Py_TYPE(instance) == core_instance_info(instance)->class);
}

void core_instance_end_init(void) {
  core_leads_nowhere = leads_nowhere;
  core_sleeping_visit = visit_sleeping;
  core_embedding_of = embedding_of;
  core_embedded_deleter = embedded_delete;
  core_embedding_meta = &core_instance_meta;
  core_sleep_init();
}

/* -- the end -- */

static int is_embedded(core_instance* instance) { return instance->wrapper.object == core_embedded(instance); }

/* 1: it sleeps, others have the native object. */
static int falls_asleep(core_instance* instance) {
  jf_object* object = core_embedded(instance);
  const int32_t own = 1 + instance->wrapper.banked;
  instance->wrapper.banked = 0;
  if (core_ref_count(object) != own) {
    if (PyType_IS_GC(Py_TYPE(instance))) PyObject_GC_UnTrack(instance);
    if (__atomic_fetch_sub(&object->ref_count, own, __ATOMIC_ACQ_REL) > own) return 1;
  } /* else they have given it up just now */
  object->ref_count = 1;
  return 0;
}

/* The same of an instance whose object is elsewhere: only what Python has attached to it makes it worth while. */
static int falls_asleep_with_attributes(core_instance* instance) {
  if (instance->attributes == NULL || PyDict_GET_SIZE(instance->attributes) == 0) return 0;
  return core_falls_asleep(&instance->wrapper);
}

/* Members of __slots__ that derived classes have. */
static void clear_slots(PyObject* self) {
  for (PyTypeObject* type = Py_TYPE(self); core_is_instance_meta(Py_TYPE(type)); type = type->tp_base) {
    for (const PyMemberDef* member = type->tp_members; member != NULL && member->name != NULL; member++) {
      if (member->type != T_OBJECT_EX || (member->flags & READONLY)) continue;
      PyObject** place = (PyObject**)(void*)((char*)self + member->offset);
      Py_CLEAR(*place);
    }
  }
}

static void release_native(core_instance* instance, const core_class_info* info) {
  jf_object_destroy(core_embedded(instance), info->type);
}

/* 1: what the fields hold others have, too, so that nothing else ends, and is released. 0: nothing was done. */
static int release_shared(core_instance* instance, const core_class_info* info) {
  jf_object* object = core_embedded(instance);
  if (info->type->destroy != NULL) return 0;
  if (info->type->links != 0) {
    const jf_links* links = (const jf_links*)(const void*)((const char*)object + info->type->links);
    if (__atomic_load_n(&links->next, __ATOMIC_RELAXED) != NULL) return 0;
  }
  for (int32_t i = 0; i < info->num_owners; i++) {
    const jf_object* held = held_object(object, info->owners[i]);
    if (held != NULL && held->deleter != NULL && core_ref_count(held) == 1) return 0;
  }
  for (int32_t i = 0; i < info->num_owners; i++) core_give_reference(held_object(object, info->owners[i]));
  return 1;
}

static void free_instance(core_instance* instance, const core_class_info* info) {
  PyTypeObject* class = Py_TYPE(instance);
  core_class_info* known = (core_class_info*)(uintptr_t)info;
  if (class == info->class && class->tp_finalize == NULL && known->num_unused < MAX_UNUSED &&
      info->type->size <= MAX_UNUSED_SIZE) {
    instance->attributes = (PyObject*)known->unused;
    known->unused = instance;
    known->num_unused++;
    return;
  }
  class->tp_free(instance);
  Py_DECREF(class);
}

/* Where its object is elsewhere, the instance ends as any wrapper does. */
static void end_foreign(core_instance* instance) {
  clear_slots((PyObject*)instance);
  Py_CLEAR(instance->attributes);
  PyTypeObject* class = Py_TYPE(instance);
  core_wrapper_dealloc((PyObject*)instance);
  Py_DECREF(class);
}

void core_instance_dealloc(PyObject* self) {
  core_instance* instance = (core_instance*)self;
  const core_class_info* info = core_instance_info(instance);
  const int embedded = is_embedded(instance);
  if (embedded ? falls_asleep(instance) : falls_asleep_with_attributes(instance)) return;
  if (Py_TYPE(self)->tp_finalize != NULL && !instance->wrapper.is_ending) {
    instance->wrapper.is_ending = 1;
    if (PyObject_CallFinalizerFromDealloc(self) < 0) {
      instance->wrapper.is_ending = 0;
      return;
    }
    if (embedded ? falls_asleep(instance) : falls_asleep_with_attributes(instance))
      return; /* somebody has been given it */
  }
  if (PyType_IS_GC(Py_TYPE(self))) PyObject_GC_UnTrack(self);
  if (!embedded) {
    end_foreign(instance);
    return;
  }
  const int is_plain = Py_TYPE(self) == info->class && instance->attributes == NULL;
  if (is_plain && instance->wrapper.weak_references == NULL && release_shared(instance, info)) {
    free_instance(instance, info);
    return;
  }
  if (!jf_object_end_enter(core_embedded(instance), info->type)) return; /* embedded_delete is called again */
  if (instance->wrapper.weak_references != NULL) PyObject_ClearWeakRefs(self);
  if (Py_TYPE(self) != info->class) clear_slots(self);
  Py_CLEAR(instance->attributes);
  release_native(instance, info);
  free_instance(instance, info);
  jf_object_end_leave(info->type);
}

/* -- the collector -- */

/* What an instance refers to is shown while nobody else has its object: who has it may be anybody. */
int core_instance_traverse(PyObject* self, visitproc visit, void* arg) {
  core_instance* instance = (core_instance*)self;
  const jf_object* object = instance->wrapper.object;
  Py_VISIT(Py_TYPE(self));
  if (object != NULL && !core_is_all_python(&instance->wrapper)) return 0;
  Py_VISIT(instance->attributes);
  const int status = visit_slots(self, visit, arg);
  return status != 0 ? status : core_wrapper_traverse(self, visit, arg);
}

int core_instance_clear(PyObject* self) {
  core_instance* instance = (core_instance*)self;
  jf_object* object = instance->wrapper.object;
  if (object != NULL && core_num_others(&instance->wrapper) > instance->wrapper.counted) return 0;
  Py_CLEAR(instance->attributes);
  clear_slots(self);
  if (object != NULL && is_embedded(instance)) jf_fields_release(object, core_instance_info(instance)->type);
  return 0;
}
