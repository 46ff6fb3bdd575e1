/* jitffi.Map and Set: the classes, and what their files share. A Set is asked as a Map is: what takes a wrapper's map takes
 * either.
 */
#ifndef JITFFI_PYTHON_MAP_OBJECT_H
#define JITFFI_PYTHON_MAP_OBJECT_H

#include "borrow.h"
#include "jitffi/abi.h"

extern PyTypeObject core_map_type;
int core_map_init(PyObject* module);

static inline int core_is_map(PyObject* object) { return PyObject_TypeCheck(object, &core_map_type); }

extern PyTypeObject core_set_type;
int core_set_init(PyObject* module);
static inline int core_is_set(PyObject* object) { return PyObject_TypeCheck(object, &core_set_type); }

/* -- map_object.c -- */
typedef struct {
  jf_object* map; /* held */
  core_borrowed key;
} core_map_access;
int core_check_hash(PyObject* key); /* -1 with the TypeError of what has no hash */
int core_map_enter(PyObject* self, PyObject* key, core_map_access* access);
int core_map_enter_find(PyObject* self, PyObject* key, core_map_access* access);
void core_map_leave(core_map_access* access);
void core_map_raise_key(PyObject* key);
int core_map_same_value(PyObject* mine, PyObject* other);
PyObject* core_map_find(PyObject* self, PyObject* key); /* NULL without an exception when there is no such key */
PyObject* core_map_repr(PyObject* self);                /* of a Set, too */
int core_map_check_keywords(PyObject* kwargs);
PyObject* core_map_make(PyTypeObject* type, PyObject* source, PyObject* kwargs, int32_t pad);

/* -- map_methods.c -- */
extern PyMethodDef core_map_methods[];
extern PyGetSetDef core_map_getset[];
int core_map_update_from(PyObject* self, PyObject* source); /* as dict.update(source); -1 */
PyObject* core_map_state(PyObject* self);                   /* new: its attributes, for pickle, or None */
PyObject* core_map_clear(PyObject* self, PyObject* unused); /* methods of both */
PyObject* core_map_to_python(PyObject* self, PyObject* unused);
PyObject* core_map_unshare(PyObject* self, PyObject* unused);
PyObject* core_map_pad(PyObject* self, void* closure);
PyObject* core_map_copy_as(PyObject* self, PyTypeObject* type);
PyObject* core_map_copy_same(PyObject* self, PyObject* unused);

/* -- set_object.c, set_methods.c -- */
extern PyMethodDef core_set_methods[];
/* What another operand has, new: the native set or map of a wrapper, or a set of its items. Where they are only looked for, what
 * no native set can hold is left out, and counted. NULL with an exception. */
jf_object* core_set_operand(PyObject* other, int32_t pad, Py_ssize_t* left_out);
int core_set_change(PyObject* self, PyObject* other, int32_t operation);        /* JF_SET_*; -1 with an exception */
PyObject* core_set_combine(PyObject* self, PyObject* other, int32_t operation); /* new */
int core_set_relation(PyObject* self, PyObject* other, int operation);          /* of Python's comparisons: 1, 0, -1 */

/* -- map_views.c -- */
enum { CORE_MAP_KEYS, CORE_MAP_VALUES, CORE_MAP_ITEMS };
int core_map_views_init(PyObject* module);
PyObject* core_map_iterate(PyObject* map, int kind, int reversed); /* new iterator */
PyObject* core_map_view(PyObject* map, int kind);                  /* new live view */

#endif
