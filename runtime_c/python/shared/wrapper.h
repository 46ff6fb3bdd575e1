/* Wrapper objects: the Python objects of native ones, one for each while it lives. */
#ifndef JITFFI_PYTHON_WRAPPER_H
#define JITFFI_PYTHON_WRAPPER_H

#include "interpreter.h"
#include "jitffi/abi.h"

/* -- wrapper.c -- */
typedef struct {
  PyObject_HEAD jf_object* object; /* one reference; NULL: it was moved */
  PyObject* weak_references;
  const jf_object* key;    /* wrapper.c's own */
  char moving;             /* 1: the last call that borrowed it may take the object; or CORE_FRESH */
  char is_made;            /* of classes with fields: the constructor is done */
  uint8_t is_ending : 1;   /* and: its finaliser has run */
  uint8_t is_starting : 1; /* and: its native constructor runs */
  uint8_t banked;          /* references beside its own that it has of an object within it: instance.h */
  int32_t counted;         /* native references that Python's count has in it for as long as Python's collector runs */
} core_wrapper;
/* Objects that lie within their Python object have this deleter, and are woken by this function, which gives a new reference to
 * the Python object, asleep or not. NULL where there are none. */
extern jf_deleter core_embedded_deleter;
/* The deleter, for that time, of objects elsewhere whose Python object sleeps; woken by the same function. */
extern jf_deleter core_sleeping_deleter;
extern PyTypeObject* core_embedding_meta; /* the type of the classes of such Python objects */
extern PyObject* (*core_embedded_wake)(jf_object* object);
extern core_wrapper* (*core_embedding_of)(jf_object* object); /* of one with core_embedded_deleter */
/* Whether neither the fields of an object of a defined type nor what Python has attached to it can lead to anything. */
extern int (*core_leads_nowhere)(jf_object* object);
/* Shows what a Python object that sleeps has beside its native object. */
extern int (*core_sleeping_visit)(jf_object* object, visitproc visit, void* arg);
/* The class for objects of a defined type that has none yet, borrowed; NULL with an exception. NULL: there is nobody to make it. */
extern PyTypeObject* (*core_class_for)(int32_t code);
/* Of a class that Python code may derive from. It is longer than its base, which tells Python that its layout is another: no
 * class derives from two such, and no object changes from one to another. */
typedef struct {
  core_wrapper wrapper;
  jf_deleter deleter; /* its object's own, of a derived class, while it sleeps */
} core_open_wrapper;
/* Classes that Python code has derived from these, whose objects sleep as instances do; all NULL where they do not. */
typedef struct {
  destructor type_dealloc;              /* what type() gives a class: of those that have no object yet */
  destructor dealloc;                   /* what takes its place */
  void (*prepare)(PyTypeObject* class); /* before the first object */
  int have_objects;                     /* or may have had some */
  size_t num_hidden; /* objects that may lead to others, though the finder of cycles does not know what holds them */
} core_derived_classes;
extern core_derived_classes core_derived;
enum { CORE_FRESH = 2 };              /* nobody but its constructor has seen it, and its fields hold nothing */
extern PyTypeObject core_object_type; /* jitffi.Object */
/* `case List(x)` takes the value itself, as `case list(x)` does: CPython's flag for classes that are called with a value. */
#ifdef _Py_TPFLAGS_MATCH_SELF
#define CORE_MATCH_SELF _Py_TPFLAGS_MATCH_SELF
#else
#define CORE_MATCH_SELF 0
#endif
extern PyTypeObject core_moved_type; /* what _move() returns */
int core_object_init(PyObject* module);
/* Wrappers of objects of that type code, and of subtypes without a class of their own, are of class `type`: a type whose base is
 * core_object_type, whose struct begins with core_wrapper and whose tp_dealloc is core_wrapper_dealloc. -1 with MemoryError. */
int core_wrapper_class(int32_t code, PyTypeObject* type);
PyTypeObject* core_wrapper_class_known(int32_t code); /* that of the very code, borrowed; NULL without an exception */
PyObject* core_wrapper_of(jf_object* object);         /* new reference to its one wrapper; retains object */
core_wrapper* core_wrapper_known(jf_object* object);  /* borrowed, asleep or not; NULL without an exception */
PyObject* core_wrapper_awake(
    jf_object* object); /* new reference to the one that Python has; NULL without an exception */
/* For constructors: a new wrapper of that class, or Python subclass, for an object that has none; steals, on failure too. */
PyObject* core_wrapper_make(PyTypeObject* type, jf_object* object);
/* Calls `wake` with every object whose Python object sleeps and that several hold, and that does not lie within it. */
void core_wrapper_wake_shared(void (*wake)(jf_object* object, void* context), void* context);
int core_wrapper_replace(PyObject* wrapper, jf_object* object); /* steals; releases the object that was there; -1 */
PyObject* core_wrapper_attributes(PyObject* self, PyObject* made,
                                  PyObject* memo); /* for copies of subclasses; steals made */
void core_wrapper_dealloc(PyObject* wrapper);
void core_wrapper_end(
    PyObject* wrapper); /* the same without a trashcan; its class, where it counts, is left to be released */
const char* core_wrapper_name(const PyTypeObject* type); /* "List" for "jitffi.List" */
jf_object* core_wrapper_get(PyObject* wrapper); /* of a wrapper, borrowed; NULL with ValueError when it was moved */
int core_wrapper_give_up(jf_object* object);    /* 1: its wrapper, which was moving, is empty now; 0: there is none */
PyObject* core_moved_wrapper(PyObject* object); /* of what _move() returned, borrowed; NULL for anything else */
static inline int core_is_wrapper(PyObject* object) { return PyObject_TypeCheck(object, &core_object_type); }
/* Borrowed; NULL without an exception when it is no wrapper, or one that was moved. */
static inline jf_object* core_wrapper_object(PyObject* object) {
  return core_is_wrapper(object) ? ((core_wrapper*)object)->object : NULL;
}
static inline int32_t core_ref_count(const jf_object* object) {
  return __atomic_load_n(&object->ref_count, __ATOMIC_RELAXED);
}
/* How many references others than the wrapper have to its object, which is there. */
static inline int32_t core_num_others(const core_wrapper* wrapper) {
  return core_ref_count(wrapper->object) - 1 - wrapper->banked;
}
/* Nobody refers to its object, which is there, but the wrapper, and those whose references Python counts for now. */
static inline int core_is_all_python(const core_wrapper* wrapper) {
  return core_num_others(wrapper) == wrapper->counted;
}

/* -- collect.c: wrapper objects of containers and Python's garbage collector -- */
int core_collect_init(PyObject* module);
/* tp_traverse and tp_clear of wrappers of containers: Python objects that only this wrapper holds, through containers that only it
 * holds. */
int core_wrapper_traverse(PyObject* wrapper, visitproc visit, void* context);
int core_wrapper_clear(PyObject* wrapper);

#endif
