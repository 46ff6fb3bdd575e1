/* Classes of structs, and jitffi.Struct, from which they derive: made of their fields' places, known by their keys.
 *
 * A class is an ordinary one, made by type(), with a constructor and a way to its bytes of its own. Those that have a key
 * are never freed, nor is what C knows of them; classes that a user derives know what their base knows.
 */
#include "hooks.h"
#include "struct.h"

#include <string.h>

/* -- the metaclass -------------------------------------------------------------------------------------------------------- */

static PyObject* meta_new(PyTypeObject* meta, PyObject* args, PyObject* names) {
  PyObject* made = PyType_Type.tp_new(meta, args, names);
  if (made == NULL || Py_TYPE(made) != &core_struct_meta) return made;
  if (!PyType_IsSubtype((PyTypeObject*)made, &core_struct_type)) {
    PyErr_Format(PyExc_TypeError, "%.200s: classes of this metaclass derive from jitffi.Struct",
                 ((PyTypeObject*)made)->tp_name);
    Py_DECREF(made);
    return NULL;
  }
  core_struct_class* class = (core_struct_class*)made;
  class->info = core_struct_info_of((PyObject*)((PyTypeObject*)made)->tp_base);
  return made;
}

/* Classes with a __del__ pay for it, and no others. */
static void choose_dealloc(PyTypeObject* class) {
  class->tp_dealloc = (destructor)(class->tp_finalize != NULL ? core_struct_dealloc_finalizing : core_struct_dealloc);
}

/* A class that type() takes for immutable is called without a detour (CPython's specialize.c, CALL_BUILTIN_CLASS); its
 * attributes can be set all the same. A constructor in Python takes the place of C's. */
static int meta_setattro(PyObject* class, PyObject* name, PyObject* value) {
  PyTypeObject* type = (PyTypeObject*)class;
  const core_struct_info* info = core_struct_info_of(class);
  const unsigned long mark = info != NULL && info->class == type ? type->tp_flags & Py_TPFLAGS_IMMUTABLETYPE : 0;
  type->tp_flags &= ~mark;
  const int status = PyType_Type.tp_setattro(class, name, value);
  type->tp_flags |= mark;
  if (mark != 0) choose_dealloc(type);
  if (status != 0) return -1;
  if (PyUnicode_CompareWithASCIIString(name, "__init__") == 0 || PyUnicode_CompareWithASCIIString(name, "__new__") == 0)
    ((PyTypeObject*)class)->tp_vectorcall = NULL;
  return 0;
}

PyTypeObject core_struct_meta = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.StructType",
    .tp_doc = "The type of classes of structs.",
    .tp_basicsize = sizeof(core_struct_class),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_base = &PyType_Type,
    .tp_new = meta_new,
    .tp_setattro = meta_setattro,
};

/* -- jitffi.Struct -------------------------------------------------------------------------------------------------------- */

PyDoc_STRVAR(
    struct_doc,
    "What classes of structs and unions derive from. An instance holds C's bytes: its attributes are read from\n"
    "them and written to them at once, checked as arguments of those types are.\n\n"
    ">>> import jitffi\n"
    ">>> Point = jitffi.struct(\"doc.Struct\", \"x: f64, y: f64 = 1.0\")\n"
    ">>> isinstance(Point(2), jitffi.Struct), Point(2)\n"
    "(True, Struct(x=2.0, y=1.0))");

core_struct_class core_struct_base = {.type.ht_type = {
                                          PyVarObject_HEAD_INIT(&core_struct_meta, 0).tp_name = "jitffi.Struct",
                                          .tp_doc = struct_doc,
                                          .tp_basicsize = sizeof(core_struct),
                                          .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_BASETYPE,
                                          .tp_new = core_struct_tp_new,
                                          .tp_init = core_struct_tp_init,
                                          .tp_dealloc = (destructor)core_struct_dealloc,
                                          .tp_traverse = (traverseproc)core_struct_traverse,
                                          .tp_clear = (inquiry)core_struct_clear,
                                          .tp_free = PyObject_GC_Del,
                                          .tp_weaklistoffset = offsetof(core_struct, weak_references),
                                          .tp_hash = PyObject_HashNotImplemented,
                                          .tp_richcompare = core_struct_compare,
                                          .tp_repr = (reprfunc)core_struct_repr,
                                          .tp_as_buffer = &core_struct_buffer,
                                          .tp_methods = core_struct_methods,
                                      }};

/* -- by key ----------------------------------------------------------------------------------------------------------- */

static PyObject* classes; /* dict: key -> class */

PyTypeObject* core_struct_class_of(const char* key, size_t size) {
  PyObject* text = PyUnicode_FromStringAndSize(key, (Py_ssize_t)size);
  const int started = classes != NULL; /* emitted modules make no classes */
  PyObject* found = text != NULL && started ? PyDict_GetItemWithError(classes, text) : NULL;
  if (text != NULL && found == NULL && !PyErr_Occurred()) {
    PyObject* made = core_hook_struct(text);
    found = made != NULL && started ? PyDict_GetItemWithError(classes, text) : NULL;
    if (made != NULL && found == NULL && !PyErr_Occurred())
      PyErr_Format(PyExc_SystemError, "the class of %U was not made", text);
    Py_XDECREF(made);
  }
  Py_XDECREF(text);
  return (PyTypeObject*)found;
}

PyTypeObject* core_struct_class_known(const char* key, size_t size) {
  PyObject* text = PyUnicode_FromStringAndSize(key, (Py_ssize_t)size);
  PyObject* found = text != NULL && classes != NULL ? PyDict_GetItemWithError(classes, text) : NULL;
  Py_XDECREF(text);
  PyErr_Clear();
  return (PyTypeObject*)found;
}

int core_struct_keeper(PyObject* owner, core_keeper* out) {
  if (!core_is_struct(owner)) return 0;
  core_struct* s = (core_struct*)owner;
  if (s->owner != NULL) return core_keeper_of(s->owner, out); /* which is no view: this goes no deeper */
  *out = (core_keeper){owner, s->data, &s->kept};
  return 1;
}

/* -- making a class --------------------------------------------------------------------------------------------------- */

static void free_info(core_struct_info* info) {
  Py_XDECREF(info->key);
  Py_XDECREF(info->fields);
  Py_XDECREF(info->indices);
  PyMem_Free(info);
}

static int lies_over(const core_field* a, const core_field* b) {
  if (a->bits != 0 && b->bits != 0) return 0; /* neither holds what could be read amiss */
  const Py_ssize_t end = a->offset + (a->bits != 0 ? (a->bit + a->bits + 7) / 8 : a->item_size * a->count);
  return b->offset >= a->offset && b->offset < end;
}

static void mark_shared(core_field* a, core_field* b) {
  if (lies_over(a, b) || lies_over(b, a)) a->is_shared = b->is_shared = 1;
}

static int add_fields(core_struct_info* info, PyObject* specs) {
  const Py_ssize_t count = PyTuple_GET_SIZE(specs);
  info->fields = PyTuple_New(count);
  info->indices = PyDict_New();
  if (info->fields == NULL || info->indices == NULL) return -1;
  for (Py_ssize_t i = 0; i < count; i++) {
    core_field* field = core_field_make(info->key, PyTuple_GET_ITEM(specs, i));
    if (field == NULL) return -1;
    PyTuple_SET_ITEM(info->fields, i, (PyObject*)field);
    PyObject* index = PyLong_FromSsize_t(i);
    const int status = index != NULL ? PyDict_SetItem(info->indices, field->name, index) : -1;
    Py_XDECREF(index);
    if (status != 0) return -1;
    info->has_defaults |= field->default_value != NULL;
    info->has_addresses |= core_field_has_addresses(field);
    if (field->is_flexible) info->flexible_size = field->item_size * field->count;
    for (Py_ssize_t n = 0; n < i; n++) mark_shared(field, (core_field*)PyTuple_GET_ITEM(info->fields, n));
  }
  return 0;
}

/* New. */
static core_struct_info* make_info(PyObject* key, Py_ssize_t size, Py_ssize_t align, int is_union, PyObject* specs) {
  core_struct_info* info = PyMem_Calloc(1, sizeof *info);
  if (info == NULL) return (core_struct_info*)PyErr_NoMemory();
  info->key = Py_NewRef(key);
  info->size = size;
  info->align = align;
  info->is_union = (char)is_union;
  if (add_fields(info, specs) != 0) {
    free_info(info);
    return NULL;
  }
  const Py_ssize_t head =
      (Py_ssize_t)sizeof(core_struct) + (info->flexible_size != 0 ? (Py_ssize_t)sizeof(Py_ssize_t) : 0);
  const Py_ssize_t alignment = align < 16 ? align : 16; /* of memory that Python gives */
  info->own_at = (head + alignment - 1) / alignment * alignment;
  return info;
}

static int put(PyObject* dict, const char* name, PyObject* value) {
  const int status =
      value != NULL && PyDict_GetItemString(dict, name) == NULL ? PyDict_SetItemString(dict, name, value) : 0;
  const int failed = value == NULL || status != 0;
  Py_XDECREF(value);
  return failed ? -1 : 0;
}

/* New: the namespace with the descriptors, and without a dict for instances. */
static PyObject* namespace_of(PyObject* namespace, const core_struct_info* info) {
  PyObject* made = PyDict_Copy(namespace);
  int status = made != NULL ? put(made, "__slots__", PyTuple_New(0)) : -1;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(info->fields) && status == 0; i++) {
    PyObject* field = PyTuple_GET_ITEM(info->fields, i);
    status = PyDict_SetItem(made, ((core_field*)field)->name, field);
  }
  if (status == 0) status = put(made, "__match_args__", PySequence_Tuple(info->indices));
  if (status != 0) Py_CLEAR(made);
  return made;
}

static void equip(PyTypeObject* class, core_struct_info* info, PyObject* namespace) {
  const Py_ssize_t more = info->align > 16 ? info->align - 16 : 0, word = sizeof(void*);
  class->tp_basicsize = (info->own_at + info->size + more + word - 1) / word * word;
  choose_dealloc(class);
  class->tp_traverse = (traverseproc)core_struct_traverse;
  class->tp_clear = (inquiry)core_struct_clear;
  if (PyDict_GetItemString(namespace, "__init__") == NULL && PyDict_GetItemString(namespace, "__new__") == NULL)
    class->tp_vectorcall = core_struct_vectorcall;
  class->tp_flags |= Py_TPFLAGS_IMMUTABLETYPE;
  ((core_struct_class*)class)->info = info;
  info->class = class;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(info->fields); i++)
    ((core_field*)PyTuple_GET_ITEM(info->fields, i))->owner = class;
}

/* -1 with an exception where there is a class of that key. */
static int check_key(PyObject* key) {
  const int is_known = PyDict_Contains(classes, key);
  if (is_known > 0) PyErr_Format(PyExc_ValueError, "there is a class of %U already", key);
  return is_known != 0 ? -1 : 0;
}

PyObject* core_struct_class_make(PyObject* name, PyObject* namespace, PyObject* key, Py_ssize_t size, Py_ssize_t align,
                                 int is_union, PyObject* fields) {
  core_struct_info* info = check_key(key) == 0 ? make_info(key, size, align, is_union, fields) : NULL;
  if (info == NULL) return NULL;
  PyObject* members = namespace_of(namespace, info);
  PyObject* args = members != NULL ? Py_BuildValue("(O(O)O)", name, &core_struct_type, members) : NULL;
  PyObject* class = args != NULL ? PyType_Type.tp_new(&core_struct_meta, args, NULL) : NULL;
  /* Who has seen it meanwhile, in a __set_name__ say, has a class without fields, or has made another of that key. */
  if (class != NULL && (check_key(key) != 0 || PyDict_SetItem(classes, key, class) != 0)) Py_CLEAR(class);
  if (class != NULL) equip((PyTypeObject*)class, info, namespace);
  if (class == NULL) free_info(info);
  Py_XDECREF(args);
  Py_XDECREF(members);
  return class;
}

int core_struct_init(PyObject* names) {
  core_struct_call_init();
  if ((classes = PyDict_New()) == NULL || core_field_init() != 0 || core_items_init() != 0) return -1;
  if (core_type_ready(&core_struct_meta) != 0 || core_type_ready(&core_struct_type) != 0) return -1;
  if (PyModule_AddObjectRef(names, "StructType", (PyObject*)&core_struct_meta) != 0) return -1;
  return PyModule_AddObjectRef(names, "Struct", (PyObject*)&core_struct_type);
}
