/* jitffi.Struct: instances hold C's bytes of a struct or union, or look at those that somebody else holds.
 *
 *   class --info--> fields --> field { get, set, offset, ... }           the descriptors in the class's dict
 *   instance --data--> its own bytes, behind it                          `owner` NULL; `kept`: what Python has put there
 *            --data--> bytes of `owner`: a view                          another instance, memory of jitffi.new, ...
 *
 * A view's owner is never a view itself. What Python puts into a pointer, text or function is kept by whoever has the bytes,
 * by its distance from their start (keeper).
 */
#ifndef JITFFI_PYTHON_STRUCT_H
#define JITFFI_PYTHON_STRUCT_H

#include "interpreter.h"
#include "jitffi/ndarray.h"
#include "pointer.h"

typedef struct core_field core_field;

/* An instance. Of a class with a flexible end, the number of its items stands behind it (core_struct_extra). */
typedef struct {
  PyObject_HEAD char* data;
  PyObject* owner;
  PyObject* kept; /* dict: offset -> object; NULL: nothing. Of a view: None where it is of a pointer to const */
  PyObject* weak_references;
} core_struct;

typedef PyObject* (*core_field_get)(const core_field* field, core_struct* self, char* at);
typedef int (*core_field_set)(const core_field* field, core_struct* self, char* at, PyObject* value);

/* A field of one class, and the descriptor of that name in its dict. Immutable. */
struct core_field {
  PyObject_VAR_HEAD core_field_get get; /* the whole field, an array too */
  core_field_set set;
  core_field_get get_item; /* one element; the same where it is no array */
  core_field_set set_item;
  PyTypeObject* owner;     /* the class, borrowed: a class with fields is never freed */
  PyTypeObject* inner;     /* of structs: theirs; NULL */
  const core_pointee* to;  /* of all others: a pointer to one; NULL */
  PyObject* name;          /* str */
  PyObject* text;          /* "f64", "u32:3", "f32[4, 4]" */
  PyObject* default_value; /* NULL: zero */
  Py_ssize_t offset;       /* of a bit-field: of the first byte that has any of it */
  Py_ssize_t item_size;    /* of an element */
  Py_ssize_t count;        /* of elements in all; of a flexible end: of its items' */
  uint8_t bit, bits;       /* bits 0: it is no bit-field */
  uint8_t is_flexible;
  uint8_t is_shared; /* others lie over it */
  uint8_t number;    /* JF_KIND_*, where it is one number of a kind that a constructor writes without a call; else 0 */
  uint8_t num_dims;
  Py_ssize_t dims[]; /* the first is 0 of a flexible end */
};
extern PyTypeObject core_field_type;
static inline int core_is_field(PyObject* object) { return Py_TYPE(object) == &core_field_type; }

/* What C knows of a declared class and those derived from it. There as long as the process. */
struct core_struct_info {
  PyTypeObject* class;
  PyObject* key;                 /* str, "geo.Point" */
  PyObject* fields;              /* tuple of core_field, in the order of the constructor */
  PyObject* indices;             /* dict: name -> place in `fields` */
  PyObject* numpy;               /* the structured dtype; NULL until it is asked for */
  PyObject* same;                /* the last dtype that was equal to it, or NULL */
  PyObject* format;              /* bytes: that of buffers; NULL until it is asked for */
  const core_struct_info* alike; /* the last one of another module that was found to be the same; NULL */
  Py_ssize_t size, align;
  Py_ssize_t own_at; /* from an instance to its own bytes, which are aligned further where align is more than 16 */
  Py_ssize_t flexible_size;          /* of an item of the flexible end; 0: there is none */
  const core_pointee *to, *to_const; /* pointers to one; NULL until they are asked for */
  core_struct* unused;               /* instances that are gone, for the next ones: linked by `data` */
  int32_t num_unused;
  char is_union;
  char has_defaults;
  char has_addresses; /* pointers, texts or functions, in nested ones too: nothing for another process */
};

/* A class: what type() has, and that. `info` is NULL of jitffi.Struct itself. */
typedef struct {
  PyHeapTypeObject type;
  const core_struct_info* info;
} core_struct_class;
extern PyTypeObject core_struct_meta;
extern core_struct_class core_struct_base; /* jitffi.Struct */
#define core_struct_type core_struct_base.type.ht_type

/* What the class says, or derives from what says; NULL where the object is no such class. */
static inline const core_struct_info* core_struct_info_of(PyObject* class) {
  return Py_TYPE(class) == &core_struct_meta ? ((core_struct_class*)class)->info : NULL;
}
/* An instance of a declared class or one derived from it. */
static inline int core_is_struct(PyObject* object) { return Py_TYPE(Py_TYPE(object)) == &core_struct_meta; }
static inline const core_struct_info* core_info(const core_struct* s) { return ((core_struct_class*)Py_TYPE(s))->info; }
static inline Py_ssize_t* core_struct_extra(const core_struct* s) { return (Py_ssize_t*)(uintptr_t)(s + 1); }
static inline int core_struct_is_const(const core_struct* s) { return s->owner != NULL && s->kept != NULL; }
/* Items of its flexible end. */
static inline Py_ssize_t core_struct_items(const core_struct* s) {
  return core_info(s)->flexible_size != 0 ? *core_struct_extra(s) : 0;
}
static inline Py_ssize_t core_struct_bytes(const core_struct* s) {
  return core_info(s)->size + core_struct_items(s) * core_info(s)->flexible_size;
}

/* -- struct_class.c: classes, by key ------------------------------------------------------------------------------------ */

int core_struct_init(PyObject* names); /* Struct and what it needs; -1 with an exception */
/* New class: see package/structs.c. NULL with an exception. */
PyObject* core_struct_class_make(PyObject* name, PyObject* namespace, PyObject* key, Py_ssize_t size, Py_ssize_t align,
                                 int is_union, PyObject* fields);
int core_struct_keeper(PyObject* owner, core_keeper* out); /* core_keeper_of, of instances */
/* The class of that key, borrowed; where there is none yet, Python's hook makes it. NULL with an exception. */
PyTypeObject* core_struct_class_of(const char* key, size_t size);
/* The same where there is one, without an exception. */
PyTypeObject* core_struct_class_known(const char* key, size_t size);

/* -- struct_object.c: instances ------------------------------------------------------------------------------------------- */

PyObject* core_struct_new(const core_struct_info* info, const void* bytes); /* new, with a copy of these */
/* New: a view of the bytes at `at`, which `owner` keeps; it may be a view itself, or NULL: nobody does. `items` at a flexible end. */
PyObject* core_struct_view(const core_struct_info* info, char* at, PyObject* owner, Py_ssize_t items);
/* New: an instance with a copy of the bytes, those of a flexible end among them, and of what is kept with them. */
PyObject* core_struct_copy(core_struct* from);
PyObject* core_struct_vectorcall(PyObject* class, PyObject* const* args, size_t flags, PyObject* names);
PyObject* core_struct_tp_new(PyTypeObject* class, PyObject* args, PyObject* names);
int core_struct_tp_init(PyObject* self, PyObject* args, PyObject* names);
void core_struct_dealloc(core_struct* s);
void core_struct_dealloc_finalizing(core_struct* s); /* of declared classes that have a __del__ */
int core_struct_traverse(core_struct* s, visitproc visit, void* arg);
int core_struct_clear(core_struct* s);

/* -- struct_field.c: descriptors ------------------------------------------------------------------------------------------ */

/* New, of a tuple (name, type_text, offset, bit, bits, dims, inner, default). NULL with an exception. */
core_field* core_field_make(PyObject* key, PyObject* spec);
int core_field_init(void);
int core_field_has_addresses(const core_field* field); /* of pointers, texts or functions, also within */
/* "geo.Point.x: "; new. */
PyObject* core_field_where(const core_field* field);
/* "geo.Point.x: expected f64<detail>, got str 'abc'<note>"; detail and note may be NULL. -1. */
int core_field_refuse(const core_field* field, PyObject* exception, const char* detail, PyObject* got,
                      const char* note);

/* Nothing is written through a pointer to const. -1 with TypeError. */
int core_struct_check_writable(const core_struct* s);

/* -- struct_number.c, struct_items.c: how fields are read and written -------------------------------------------------------- */

/* get and set of one element; 0, or -1 with an exception where there is no such field. */
int core_field_choose(core_field* field);
void core_field_choose_struct(core_field* field);   /* the same of a struct */
void core_field_choose_function(core_field* field); /* and of a pointer to a function */
void core_field_choose_array(core_field* field);    /* get and set of the whole array */
int core_items_init(void);

/* -- struct_compare.c --------------------------------------------------------------------------------------------------- */

PyObject* core_struct_compare(PyObject* self, PyObject* other, int operation);
/* Whether two are one struct in C, by tag and members (C11, 6.2.7, of structs of several sources): that of a header which two
 * modules were bound from, as c.FILE and png16.FILE. */
int core_struct_is_alike(const core_struct_info* a, const core_struct_info* b);
PyObject* core_struct_repr(core_struct* s);
extern PyMethodDef core_struct_methods[];

/* -- struct_numpy.c ----------------------------------------------------------------------------------------------------- */

PyObject* core_struct_numpy(const core_struct_info* info); /* new: the structured dtype; NULL with an exception */
/* Whether a dtype of NumPy's is that of the struct; the last one that was is remembered. -1 with an exception. */
int core_struct_is_dtype(const core_struct_info* info, PyObject* dtype);

/* -- struct_call.c ------------------------------------------------------------------------------------------------------ */

/* The bytes of an argument by value, borrowed for the call: *out; -1 with an exception. Generated code reads `data` itself of
 * instances whose class is state->classes[index]. */
int32_t core_unbox_struct(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps);
/* New: an instance with a copy of the bytes, of a result or a callback's argument. NULL with an exception. */
PyObject* core_box_struct(core_state* state, int32_t index, const void* bytes);
void core_struct_call_init(void);

/* -- struct_buffer.c ---------------------------------------------------------------------------------------------------- */

extern PyBufferProcs core_struct_buffer;

#endif
