/* Attributes of Python's objects in scripts, where an instruction of a script reads or writes the same one again and again.
 *
 *   cache     the version of a type, and where its instances have the attribute
 *   SLOT      at an offset in the instance: __slots__
 *   VALUE     among the values of its instance dict, whose keys the type has (PEP 412), while there is no dict object
 *   FIELD     by a descriptor of a registered class, which comes before whatever the instance has
 *   METHOD    the type has a function of that name, and its instances have no dict, or one with such values and as many
 *             keys as when the name was none of them
 *
 * These are the interpreter's own ways (LOAD_ATTR_SLOT, LOAD_ATTR_INSTANCE_VALUE); everything else is PyObject_GetAttr's. Layouts
 * of dicts' keys and values are not public, so what this file knows of them is tried out when the module is loaded.
 */

#include "error.h"
#include "instance.h"
#include "parts.h"
#include "script_effect.h"
#include "script_object.h"

#include <structmember.h>

enum { NOWHERE, SLOT, VALUE, FIELD, METHOD, METHOD_BESIDE_VALUES };

struct core_attribute {
  uint32_t version; /* of the type; 0: nothing is known */
  uint16_t kind;
  uint16_t num_keys;
  int64_t at; /* an offset, an index, or the address of a descriptor or function that the type has */
};

/* -- values of instance dicts ------------------------------------------------------------------------------------------ */

/* Objects/dictobject.c, pycore_dict.h: struct _dictkeysobject and PyDictUnicodeEntry. */
typedef struct {
  Py_ssize_t refcnt;
  uint8_t log2_size, log2_index_bytes, kind;
  uint32_t version;
  Py_ssize_t usable, nentries;
  char indices[];
} keys_of_dict;
typedef struct {
  PyObject *key, *value;
} entry_of_dict;
enum { SPLIT_KEYS = 2 };

static int knows_values;

/* The values, NULL where the object has a dict in their place. *owns: nobody else sees them, so they can be written to. */
static inline PyObject** values_of(PyObject* object, PyTypeObject* type, int* owns) {
#if PY_VERSION_HEX >= 0x030D0000
  struct {
    uint8_t capacity, size, embedded, valid;
  }* head = (void*)((char*)object + type->tp_basicsize);
  *owns = ((PyObject**)object)[-3] == NULL;
  return head->valid ? (PyObject**)((char*)head + sizeof(PyObject*)) : NULL;
#elif PY_VERSION_HEX >= 0x030C0000
  (void)type;
  const uintptr_t word = ((uintptr_t*)object)[-3];
  *owns = 1;
  return word & 1 ? (PyObject**)(word + 1) : NULL;
#else
  (void)type;
  *owns = 1;
  return ((PyObject***)object)[-4];
#endif
}

static int has_values(PyTypeObject* type) {
#if PY_VERSION_HEX >= 0x030D0000
  return PyType_HasFeature(type, Py_TPFLAGS_INLINE_VALUES);
#else
  return PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT) && PyType_HasFeature(type, Py_TPFLAGS_HEAPTYPE);
#endif
}

/* The index of a name among the keys of a type's instances; -1. */
static int64_t index_of(PyTypeObject* type, PyObject* name) {
  const keys_of_dict* keys = (const keys_of_dict*)((PyHeapTypeObject*)type)->ht_cached_keys;
  if (keys == NULL || keys->kind != SPLIT_KEYS) return -1;
  const entry_of_dict* entries = (const entry_of_dict*)(keys->indices + ((size_t)1 << keys->log2_index_bytes));
  for (Py_ssize_t i = 0; i < keys->nentries; i++)
    if (entries[i].key == name) return i;
  return -1;
}

/* -- the cache ----------------------------------------------------------------------------------------------------------- */

/* A type that has been changed has no version until something is looked up in it; CPython 3.15 sets the flag beside it no more. */
static int is_known(PyTypeObject* type) {
#if PY_VERSION_HEX < 0x030D0000
  if (!PyType_HasFeature(type, Py_TPFLAGS_VALID_VERSION_TAG)) return 0;
#endif
  return type->tp_version_tag != 0;
}

/* Borrowed: what the type has for a name; NULL. */
static PyObject* of_type(PyTypeObject* type, PyObject* name) { return _PyType_Lookup(type, name); }

static void look(PyObject* object, PyObject* name, int writes, core_attribute* cache) {
  PyTypeObject* type = Py_TYPE(object);
  cache->version = 0;
  if (writes ? type->tp_setattro != PyObject_GenericSetAttr : type->tp_getattro != PyObject_GenericGetAttr) return;
  PyObject* found = of_type(type, name);
  if (!is_known(type)) return;
  core_attribute made = {type->tp_version_tag, NOWHERE, 0, 0};
  if (found != NULL && Py_IS_TYPE(found, &PyMemberDescr_Type)) {
    const PyMemberDef* member = ((PyMemberDescrObject*)found)->d_member;
    if (member->type == T_OBJECT_EX && member->flags == 0 && PyType_IsSubtype(type, PyDescr_TYPE(found))) {
      made.kind = SLOT;
      made.at = member->offset;
    }
  } else if (found != NULL && Py_IS_TYPE(found, &core_member_type) && ((core_member*)found)->enumeration == NULL) {
    made.kind = FIELD;
    made.at = (int64_t)(intptr_t)found;
  } else if (found == NULL && knows_values && has_values(type)) {
    made.at = index_of(type, name);
    if (made.at >= 0) made.kind = VALUE;
  }
  if (made.kind != NOWHERE) *cache = made;
}

/* Where the instance has it; NULL where the cache does not tell. */
static inline PyObject** place_of(PyObject* object, const core_attribute* cache, int writes) {
  PyTypeObject* type = Py_TYPE(object);
  if (cache->version == 0 || type->tp_version_tag != cache->version) return NULL;
  if (cache->kind == SLOT) return (PyObject**)((char*)object + cache->at);
  if (cache->kind == FIELD) return NULL;
  int owns;
  PyObject** values = values_of(object, type, &owns);
  return values != NULL && (owns || !writes) ? values + cache->at : NULL;
}

/* Borrowed: the descriptor of a field, where the cache tells of one; NULL. */
static inline PyObject* field_of(const PyObject* object, const core_attribute* cache) {
  const int is_known = cache->kind == FIELD && cache->version != 0 && Py_TYPE(object)->tp_version_tag == cache->version;
  return is_known ? (PyObject*)(intptr_t)cache->at : NULL;
}

PyObject* core_op_attribute(PyObject* object, PyObject* name, core_attribute* cache) {
  PyObject** place = place_of(object, cache, 0);
  if (place != NULL && *place != NULL) return Py_NewRef(*place);
  PyObject* field = field_of(object, cache);
  if (field != NULL) return core_op_checked(core_member_type.tp_descr_get(field, object, (PyObject*)Py_TYPE(object)));
  core_host_operations += (uint64_t)!PyModule_CheckExact(object);
  PyObject* found = PyObject_GetAttr(object, name);
  if (found != NULL)
    look(object, name, 0, cache);
  else
    core_error_from_python();
  return found;
}

int32_t core_op_set_attribute(PyObject* object, PyObject* name, PyObject* value, core_attribute* cache) {
  PyObject** place = value != NULL ? place_of(object, cache, 1) : NULL;
  core_host_operations++;
  if (place != NULL && *place != NULL) {
    PyObject* old = *place;
    *place = Py_NewRef(value);
    core_op_release(old);
    return 0;
  }
  PyObject* field = value != NULL ? field_of(object, cache) : NULL;
  if (field != NULL) return core_op_status(core_member_type.tp_descr_set(field, object, value));
  const int status = PyObject_SetAttr(object, name, value);
  if (status == 0 && value != NULL)
    look(object, name, 1, cache);
  else if (status != 0)
    core_error_from_python();
  return status;
}

static int64_t num_keys(PyTypeObject* type) {
  const keys_of_dict* keys = (const keys_of_dict*)((PyHeapTypeObject*)type)->ht_cached_keys;
  return keys != NULL && keys->kind == SPLIT_KEYS ? keys->nentries : -1;
}

static void look_for_method(PyTypeObject* type, PyObject* name, core_attribute* cache) {
  cache->version = 0;
  if (type->tp_getattro != PyObject_GenericGetAttr) return;
  PyObject* found = of_type(type, name);
  if (found == NULL || !is_known(type) || !PyType_HasFeature(Py_TYPE(found), Py_TPFLAGS_METHOD_DESCRIPTOR)) return;
  core_attribute made = {type->tp_version_tag, METHOD, 0, (int64_t)(intptr_t)found};
  if (PyType_HasFeature(type, Py_TPFLAGS_MANAGED_DICT) || type->tp_dictoffset != 0) {
    const int64_t count = knows_values && has_values(type) ? num_keys(type) : -1;
    if (count < 0 || count > UINT16_MAX || index_of(type, name) >= 0) return;
    made.kind = METHOD_BESIDE_VALUES;
    made.num_keys = (uint16_t)count;
  }
  *cache = made;
}

PyObject* core_attribute_method(PyObject* object, PyObject* name, core_attribute* cache) {
  PyTypeObject* type = Py_TYPE(object);
  if (cache->version == 0 || type->tp_version_tag != cache->version) {
    look_for_method(type, name, cache);
    if (cache->version == 0) return NULL;
  }
  int owns;
  if (cache->kind == METHOD_BESIDE_VALUES &&
      (num_keys(type) != cache->num_keys || values_of(object, type, &owns) == NULL)) {
    cache->version = 0;
    return NULL;
  }
  return (PyObject*)(intptr_t)cache->at;
}

/* -- trying it out --------------------------------------------------------------------------------------------------------- */

/* Whether reading an attribute so gives what it is: class C: pass; c = C(); c.a = 1; c.b = 2. -1 with an exception. */
static int try_values(void) {
  PyObject* class = PyObject_CallFunction((PyObject*)&PyType_Type, "s(){}", "_Tried");
  PyObject* made = class != NULL ? PyObject_CallNoArgs(class) : NULL;
  PyObject* name = made != NULL ? PyUnicode_InternFromString("b") : NULL;
  PyObject* value = name != NULL ? PyUnicode_FromString("what it is") : NULL;
  int status = -1;
  if (value != NULL && PyObject_SetAttrString(made, "a", Py_None) == 0 && PyObject_SetAttr(made, name, value) == 0) {
    PyTypeObject* type = (PyTypeObject*)class;
    int owns = 0;
    const int64_t at = has_values(type) ? index_of(type, name) : -1;
    PyObject** values = at == 1 ? values_of(made, type, &owns) : NULL;
    knows_values = values != NULL && owns && values[at] == value;
    status = 0;
  }
  Py_XDECREF(class);
  Py_XDECREF(made);
  Py_XDECREF(name);
  Py_XDECREF(value);
  return status;
}

/* module.KNOWS_VALUES: whether attributes of plain instances are found without a look-up. */
int core_script_attribute_init(PyObject* module) {
  if (try_values() != 0) return -1;
  return PyModule_AddObjectRef(module, "KNOWS_VALUES", knows_values ? Py_True : Py_False);
}
