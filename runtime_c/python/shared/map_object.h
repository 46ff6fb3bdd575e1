/* jitffi.Map: the class, and what map_object.c, map_methods.c and map_views.c share. */
#ifndef JITFFI_PYTHON_MAP_OBJECT_H
#define JITFFI_PYTHON_MAP_OBJECT_H

#include "borrow.h"
#include "jitffi/abi.h"

extern PyTypeObject core_map_type;
int core_map_init(PyObject* module);

static inline int core_is_map(PyObject* object) { return PyObject_TypeCheck(object, &core_map_type); }

/* -- map_object.c -- */
typedef struct {
  jf_object* map; /* held */
  core_borrowed key;
} core_map_access;
int core_map_enter(PyObject* self, PyObject* key, core_map_access* access);
int core_map_enter_find(PyObject* self, PyObject* key, core_map_access* access);
void core_map_leave(core_map_access* access);
void core_map_raise_key(PyObject* key);
int core_map_same_value(PyObject* mine, PyObject* other);
PyObject* core_map_find(PyObject* self, PyObject* key); /* NULL without an exception when there is no such key */
int core_map_check_keywords(PyObject* kwargs);
PyObject* core_map_make(PyTypeObject* type, PyObject* source, PyObject* kwargs, int32_t pad);

/* -- map_methods.c -- */
extern PyMethodDef core_map_methods[];
extern PyGetSetDef core_map_getset[];
int core_map_update_from(PyObject* self, PyObject* source); /* as dict.update(source); -1 */

/* -- map_views.c -- */
enum { CORE_MAP_KEYS, CORE_MAP_VALUES, CORE_MAP_ITEMS };
int core_map_views_init(PyObject* module);
PyObject* core_map_iterate(PyObject* map, int kind, int reversed); /* new iterator */
PyObject* core_map_view(PyObject* map, int kind);                  /* new live view */

#endif
