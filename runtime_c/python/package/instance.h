/* Instances: Python objects of classes with fields (@jitffi.register_object), whose native objects lie within them.
 *
 *   PyObject head | wrapper's own | attributes | native object: header, fields ...        made by the class
 *   PyObject head | wrapper's own | attributes | unused                                    of an object of native code
 *                        `-- object --------------------------------> header, fields ...
 *
 * Two counts: Python's of the instance, and the native one, in which an instance that Python refers to has one reference.
 * When Python's falls to zero while native code has others the instance is not freed, it sleeps: with all that Python
 * knows of it, until the object comes back to Python, or the last native reference goes.
 *
 * The native count is atomic, for threads without the interpreter's lock, and that is dear. So an instance that Python
 * refers to keeps a reference that a field gives up under the lock, and hands it to the next field that is set to it: `banked`
 * of its own, which nobody else has, and which go when it falls asleep.
 */
#ifndef JITFFI_PYTHON_INSTANCE_H
#define JITFFI_PYTHON_INSTANCE_H

#include "function.h"
#include "jitffi/types.h"
#include "state.h"
#include "wrapper.h"

typedef struct {
  core_wrapper wrapper;
  PyObject* attributes; /* __dict__ of classes that have one; NULL until there are any */
} core_instance;

typedef struct core_recent_text core_recent_text;

/* A field of one class, and the descriptor of that name in its dict. */
typedef struct {
  PyObject_HEAD const jf_type_info* type; /* of the class */
  const jf_field* field;
  PyTypeObject* owner;      /* borrowed: a class with fields is never freed */
  PyObject* name;           /* str */
  PyObject* default_value;  /* a value, or a callable that makes one; NULL */
  PyObject* enumeration;    /* the class of enum whose members the field's values stand for; NULL */
  core_recent_text* recent; /* instance_member.c's own; NULL until a text is read */
  const jf_pattern* pattern;
  core_state state;   /* for messages */
  int32_t code;       /* of a type that is an object type's key, once it is known; else 0 */
  int32_t initial;    /* the default is among the class's initial bytes */
  int32_t takes_null; /* in a field of kind JF_FIELD_OBJECT */
  enum { UNKNOWN, MADE_NULL, MADE_WITH_A_VALUE } made_null; /* the same, by what a native class leaves there */
  int32_t text; /* JF_STR, JF_BYTES, JF_ROOT (any): what is taken without a look at the pattern; else 0 */
  uint32_t
      arrays; /* core_array_kind of all arrays that Python has put there so far, or CORE_ARRAYS_DIFFER; 0: of none */
  int32_t
      at_once; /* JF_KIND_I64, JF_KIND_F64, JF_FIELD_SLOT or JF_FIELD_OBJECT: an exact int, float, str or an object of
                       the very type is written as it is; or AT_LENGTH */
} core_member;
enum { AT_LENGTH = -1 };
extern PyTypeObject core_member_type;

/* What only the constructor takes, and gives to __post_init__: annotated with dataclasses.InitVar. */
typedef struct {
  PyObject* name;          /* str */
  PyObject* default_value; /* NULL: it has to be given */
  int32_t place;           /* among the constructor's parameters: so many fields come before it */
  int32_t is_keyword_only;
} core_init_only;
enum { CORE_MOST_INIT_ONLY = 128 };

typedef struct core_class_info core_class_info;
struct core_class_info {
  PyTypeObject* class;
  const jf_type_info* type;
  PyObject* members; /* tuple of core_member, ancestors' first */
  core_init_only* init_only;
  PyObject*
      indices; /* dict: name -> place in `members` of what the constructor takes, or core_init_only_index of another */
  int32_t* positions;      /* the same of what it takes by position, in order */
  const jf_field** owners; /* the fields that may hold an object */
  int32_t num_owners;
  int32_t num_positions;
  int32_t num_init_only;
  int32_t num_unused;
  char* initial;          /* bytes of a new native object */
  core_instance* unused;  /* linked by `attributes` */
  jf_object* maker;       /* the type's static method __init__, which makes its objects; NULL */
  jf_object* constructor; /* the same in the memory of an object of a derived type; NULL */
  char
      is_in_place; /* `constructor` makes its objects: `maker` is an ancestor's, or the class says __init__ in Python */
  char has_defaults;
  char is_collected; /* it can lead to other objects */
  char is_in_order;  /* every argument by position is the member of that place, and nothing else is taken */
  char has_post_init;
  char has_slow_operations; /* those of a class's own __eq__ and the like */
};

/* A class: what type() has, and that. */
typedef struct {
  PyHeapTypeObject type;
  const core_class_info* info;
} core_instance_class;
extern PyTypeObject core_instance_meta;
/* instance_enumeration.c: new; TypeError of a class without members. */
PyObject* core_enumeration_iter(PyObject* class);
Py_ssize_t core_enumeration_length(PyObject* class);
/* Whether classes of the metaclass have fields: it is ours, or derives from ours and another, as abc's. */
static inline int core_is_instance_meta(PyTypeObject* meta) {
  return meta == &core_instance_meta || (meta != &PyType_Type && PyType_IsSubtype(meta, &core_instance_meta));
}
static inline const core_class_info* core_class_info_of(PyObject* class) {
  return core_is_instance_meta(Py_TYPE(class)) ? ((core_instance_class*)class)->info : NULL;
}
static inline int core_is_instance(PyObject* object) { return core_is_instance_meta(Py_TYPE(Py_TYPE(object))); }
static inline const core_class_info* core_instance_info(const core_instance* instance) {
  return ((core_instance_class*)Py_TYPE(instance))->info;
}
/* An index in `init_only` as it stands among those in `members`, and back: below the -1 of failures. */
static inline int32_t core_init_only_index(int32_t index) { return -2 - index; }
static inline jf_object* core_embedded(core_instance* instance) { return (jf_object*)(void*)(instance + 1); }
static inline core_instance* core_embedding(jf_object* object) { return (core_instance*)(void*)object - 1; }
/* Borrowed: the instance that an object, NULL allowed, lies within and that is awake; NULL. */
static inline core_instance* core_awake(jf_object* object) {
  if (object == NULL || object->deleter != core_embedded_deleter) return NULL;
  core_instance* instance = core_embedding(object);
  return Py_REFCNT(instance) > 0 ? instance : NULL;
}

/* New: the instance that an object lies within, awake or not; NULL without an exception. */
static inline PyObject* core_instance_around(jf_object* object) {
  if (object == NULL || object->deleter != core_embedded_deleter) return NULL;
  core_instance* instance = core_embedding(object);
  return Py_REFCNT(instance) > 0 ? Py_NewRef((PyObject*)instance) : core_embedded_wake(object);
}

/* New reference to a wrapper's object, which is there, for who keeps it. */
static inline jf_object* core_take_reference(core_wrapper* wrapper) {
  if (wrapper->banked > 0)
    wrapper->banked--;
  else
    jf_object_retain(wrapper->object);
  return wrapper->object;
}
/* Steals the reference; NULL is allowed. */
static inline void core_give_reference(jf_object* object) {
  core_instance* instance = core_awake(object);
  if (instance != NULL && instance->wrapper.banked < UINT8_MAX)
    instance->wrapper.banked++;
  else
    jf_object_release(object);
}

/* -- instance_class.c -- */
/* New class, of a metaclass that is ours or derives from it, for the defined type `code`: see objects.c. NULL with an exception. */
PyObject* core_instance_class_make(PyTypeObject* meta, PyObject* args, int32_t code, PyObject* defaults,
                                   PyObject* enumerations, int has_attributes);
int core_instance_init(PyObject* module);
PyObject* core_watch_classes(PyObject* module, PyObject* callable); /* _core.watch_classes */

/* -- instance_operations.c -- */
/* The type's operations are those of fields, but for what the class says itself. 0; -1 with an exception. */
int core_set_operations(const core_class_info* info, const PyTypeObject* class);

/* -- instance_member.c -- */
core_member* core_member_make(PyTypeObject* owner, const jf_type_info* type, const jf_field* field, PyObject* value);
int core_member_init(void);

/* -- instance_set.c -- */
/* Sets the field; 0, or -1 with an exception, and the field is as before. In a fresh instance it holds nothing yet, and what
 * it leads to cannot lead back. */
int core_member_set(core_member* member, core_wrapper* wrapper, PyObject* value);
/* The same of what a field of another object has given, which None says of one that holds nothing, whatever its type. */
int core_member_restore(core_member* member, core_wrapper* wrapper, PyObject* value);
/* Of an object that a native constructor has made, NULL allowed: what it leaves null takes None from now on. */
void core_members_find_null(const core_class_info* info, const jf_object* object);
/* Stores a reference, stolen, NULL allowed, that fits, and gives up the one that was there: the wrapper's object, which is there, is
 * no fresh one. */
static inline void core_member_store(core_member* member, core_wrapper* wrapper, jf_object* value) {
  const jf_type_info* type = member->type;
  jf_object** place = (jf_object**)(void*)((char*)wrapper->object + member->field->offset);
  jf_object* before = *place;
  const jf_links* links = (const jf_links*)(const void*)((const char*)wrapper->object + type->links);
  if (value == NULL || type->links == 0 || __atomic_load_n(&links->next, __ATOMIC_RELAXED) != NULL) {
    *place = value;
  } else {
    *place = NULL; /* it is not released there, but here */
    jf_field_store_object(wrapper->object, type, member->field, value);
  }
  if (before != NULL)
    core_give_reference(before);
  else
    member->made_null = MADE_NULL;
}

/* -- instance_arrays.c -- */
/* What scripts read and write an array as: DLDataTypeCode | bits << 8 | rank << 16; CORE_ARRAYS_DIFFER of others. */
enum { CORE_ARRAYS_DIFFER = 0xFFFFFF };
uint32_t core_array_kind(jf_object* array);
/* An array of that kind is in the field of an object of the class, or of one that is derived from it. */
void core_member_note_arrays(core_member* member, uint32_t kind);
/* The same of the one that Python's value has become. */
void core_member_note_array(core_member* member, PyObject* value, jf_object* array);
PyObject* core_member_arrays(core_member* member, void* unused); /* the getter */

/* -- instance_object.c -- */
PyObject* core_instance_vectorcall(PyObject* class, PyObject* const* args, size_t flags, PyObject* names);
PyObject* core_instance_new(PyTypeObject* class, PyObject* args, PyObject* names); /* tp_new */
/* The same of native values, and of CORE_PYTHON_REFERENCEs, for classes whose constructor does no more than to set fields. */
int core_instance_takes_views(PyObject* class);
PyObject* core_instance_from_views(PyObject* class, const jf_view* args, Py_ssize_t count, PyObject* names);
int core_instance_init_fields(PyObject* self, PyObject* args, PyObject* names); /* tp_init */
/* instance_class.c: behind an __init__ in Python that was called. -1 with an exception: it has set nothing up. */
int core_instance_made(PyTypeObject* type, PyObject* made);
/* What a class's own __init__ does, for instances of classes derived from it, too: sets the fields that it knows. `names` of those
 * behind `count`; NULL. 0, or -1 with an exception. */
int core_instance_set_fields(PyObject* self, const core_class_info* info, PyObject* const* args, Py_ssize_t count,
                             PyObject* names);
/* Whether its objects are made by the constructor of the native type, within their instances. */
static inline int core_constructs_in_place(const PyTypeObject* class, const core_class_info* info) {
  return info->constructor != NULL && (info->is_in_place || class != info->class);
}
/* New: an instance with no field set, for copies. NULL with an exception. */
core_instance* core_instance_bare(PyTypeObject* class, const core_class_info* info);

/* -- instance_parameters.c -- */
/* What the constructor takes: of the members, which are there, and what the class's namespace says. 0; -1 with an exception. */
int core_parameters_make(core_class_info* info, PyObject* namespace);
void core_parameters_free(core_class_info* info);

/* -- instance_init.c -- */
/* Gives the class the descriptor that sets its fields, which derived classes may call, and whose signature is told: as
 * __jitffi_init__, as __ffi_init__, its name in tvm-ffi, and as __init__ where it `has_own` none. 0; -1 with an exception. */
int core_init_add(PyTypeObject* class, const core_class_info* info, int has_own);
/* TypeError: a native constructor takes no such argument by name. */
void core_init_refuse_name(const core_class_info* info, PyObject* name);
/* 0; -1 with that error where there are names, a tuple or NULL, and the function `maker` takes none. */
int core_init_check_names(const core_class_info* info, PyObject* maker, PyObject* names);
int core_is_init(PyObject* descriptor); /* whether it is such a one, of whichever class */

/* -- instance_method.c -- */
extern PyTypeObject core_method_type;
/* New: what calls `function` with the object in front of the arguments. Borrows all; doc may be None. `is_native`: the method is of a
 * type that native code has defined, and nobody calls it as a function. */
PyObject* core_method_make(PyObject* function, PyObject* name, PyObject* doc, int is_native);

/* Of a type's method: messages are to say "self" of the object, if it has no other name, and to count the other arguments. */
void core_be_method(core_function* function);

/* -- instance_end.c -- */
void core_instance_dealloc(PyObject* self);
int core_instance_traverse(PyObject* self, visitproc visit, void* arg);
int core_instance_clear(PyObject* self);
void core_instance_end_init(void);

#endif
