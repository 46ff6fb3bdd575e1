/* Classes with fields: made by type(), equipped with descriptors and a constructor, known by their type's code.
 *
 * A registered class is never freed, nor is what C knows of it; classes that a user derives know what their base knows.
 */
#include <string.h>

#include "error.h"
#include "handle.h"
#include "host_object.h"
#include "instance.h"
#include "parts.h"
#include "sleep.h"

/* -- attributes of one's own ---------------------------------------------------------------------------------------------- */

static PyGetSetDef attributes_getset = {"__dict__", PyObject_GenericGetDict, PyObject_GenericSetDict, NULL, NULL};

/* The class gets a place for a __dict__, which its native objects have in common with it: before it has instances. */
static int add_attributes(PyTypeObject* class) {
  if (class->tp_dictoffset != 0) return 0;
  PyObject* descriptor = PyDescr_NewGetSet(class, &attributes_getset);
  const int status = descriptor != NULL ? PyDict_SetItemString(class->tp_dict, "__dict__", descriptor) : -1;
  Py_XDECREF(descriptor);
  if (status == 0) class->tp_dictoffset = offsetof(core_instance, attributes);
  return status;
}

/* Who has no __slots__ of its own wants attributes; in any case none but the place that there is. */
static int take_slots(PyObject* namespace, int* has_attributes) {
  PyObject* slots = PyDict_GetItemString(namespace, "__slots__");
  *has_attributes = slots == NULL;
  if (slots == NULL) {
    PyObject* none = PyTuple_New(0);
    const int status = none != NULL ? PyDict_SetItemString(namespace, "__slots__", none) : -1;
    Py_XDECREF(none);
    return status;
  }
  PyObject* all = PyUnicode_Check(slots) ? PyTuple_Pack(1, slots) : PySequence_Tuple(slots);
  PyObject* kept = all != NULL ? PyList_New(0) : NULL;
  int status = kept != NULL ? 0 : -1;
  for (Py_ssize_t i = 0; status == 0 && i < PyTuple_GET_SIZE(all); i++) {
    PyObject* name = PyTuple_GET_ITEM(all, i);
    if (PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, "__dict__") == 0)
      *has_attributes = 1;
    else
      status = PyList_Append(kept, name);
  }
  if (status == 0) status = PyDict_SetItemString(namespace, "__slots__", kept);
  Py_XDECREF(all);
  Py_XDECREF(kept);
  return status;
}

static PyObject* find(const PyTypeObject* class, const char* name) {
  PyObject* text = PyUnicode_InternFromString(name);
  PyObject* found = text != NULL ? _PyType_Lookup((PyTypeObject*)(uintptr_t)class, text) : NULL;
  Py_XDECREF(text);
  return found;
}

/* Where no class in Python has an __init__ of its own, it is called without a detour. */
static void choose_init(PyTypeObject* class) {
  PyObject* found = find(class, "__init__");
  if (found != NULL && core_is_init(found)) class->tp_init = core_instance_init_fields;
}

/* Whether there is what the constructor calls behind the fields. */
static int is_finished(const PyTypeObject* class) {
  return find(class, "__post_init__") != NULL || find(class, "__jitffi_compute__") != NULL;
}

/* -- the metaclass ---------------------------------------------------------------------------------------------------------- */

/* What is known of the bases, scripts look at again: the class may have something else of a name of theirs. */
static void tell_bases(const PyTypeObject* class) {
  for (Py_ssize_t i = 1; i < PyTuple_GET_SIZE(class->tp_mro); i++) {
    PyObject* base = PyTuple_GET_ITEM(class->tp_mro, i);
    if (core_class_info_of(base) != NULL) PyType_Modified((PyTypeObject*)base);
  }
}

/* What all classes with fields have, after type() made them, before there are instances. */
static int equip(PyTypeObject* class, const core_class_info* info, int has_attributes) {
  ((core_instance_class*)class)->info = info;
  if (has_attributes && add_attributes(class) != 0) return -1;
  const int has_slots = info->class != class && class->tp_base->tp_basicsize != class->tp_basicsize;
  const int is_collected = info->is_collected || class->tp_dictoffset != 0 || has_slots;
  if (is_collected) {
    class->tp_flags |= Py_TPFLAGS_HAVE_GC;
    class->tp_traverse = core_instance_traverse;
    class->tp_clear = core_instance_clear;
    class->tp_free = PyObject_GC_Del;
  }
  class->tp_dealloc = core_instance_dealloc;
  tell_bases(class);
  return 0;
}

/* What stands in the namespace of a class that core_instance_class_make has a metaclass in Python make. */
static const char is_registered[] = "__jitffi_registered__";

/* The class as type() makes it, which core_instance_class_make goes on with. */
static PyObject* make_bare(PyTypeObject* meta, PyObject* name, PyObject* bases, PyObject* namespace) {
  PyObject* copy = PyDict_Copy(namespace);
  const int status = copy != NULL ? PyDict_DelItemString(copy, is_registered) : -1;
  PyObject* given = status == 0 ? PyTuple_Pack(3, name, bases, copy) : NULL;
  PyObject* made = given != NULL ? PyType_Type.tp_new(meta, given, NULL) : NULL;
  Py_XDECREF(copy);
  Py_XDECREF(given);
  return made;
}

static PyObject* meta_new(PyTypeObject* meta, PyObject* args, PyObject* keywords) {
  PyObject *name, *bases, *namespace;
  int has_attributes;
  if (!PyArg_ParseTuple(args, "UO!O!:ObjectType", &name, &PyTuple_Type, &bases, &PyDict_Type, &namespace)) return NULL;
  if (PyDict_GetItemString(namespace, is_registered) != NULL) return make_bare(meta, name, bases, namespace);
  PyObject* copy = PyDict_Copy(namespace);
  PyObject *made = NULL, *given = NULL;
  if (copy != NULL && take_slots(copy, &has_attributes) == 0) given = PyTuple_Pack(3, name, bases, copy);
  if (given != NULL) made = PyType_Type.tp_new(meta, given, keywords);
  Py_XDECREF(copy);
  Py_XDECREF(given);
  if (made == NULL || !core_is_instance_meta(Py_TYPE(made))) return made;
  PyTypeObject* class = (PyTypeObject*)made;
  const core_class_info* info = core_class_info_of((PyObject*)class->tp_base);
  if (info == NULL) {
    PyErr_Format(PyExc_TypeError, "%.200s: its first base has no fields: jitffi.register_object makes such classes",
                 class->tp_name);
  } else if (equip(class, info, has_attributes) == 0 && core_set_operations(info, class) == 0) {
    choose_init(class);
    return made;
  }
  Py_DECREF(made);
  return NULL;
}

int core_instance_made(PyTypeObject* type, PyObject* made) {
  core_wrapper* wrapper = (core_wrapper*)made;
  wrapper->is_made = 1;
  if (wrapper->object != NULL || wrapper->key != NULL) return 0;
  const int is_derived = type != core_class_info_of((PyObject*)type)->class;
  PyErr_Format(PyExc_TypeError, "%.200s.__init__ has not called %s(...)", type->tp_name,
               is_derived ? "super().__init__" : "self.__jitffi_init__");
  return -1;
}

/* Constructors in Python may set fields that are read-only afterwards. */
static PyObject* meta_call(PyObject* class, PyObject* args, PyObject* keywords) {
  PyTypeObject* type = (PyTypeObject*)class;
  if (type->tp_vectorcall != NULL) return PyVectorcall_Call(class, args, keywords);
  PyObject* made = PyType_Type.tp_call(class, args, keywords);
  if (made != NULL && core_is_instance(made) && core_instance_made(type, made) != 0) Py_CLEAR(made);
  return made;
}

/* Whether it is the name of a member of an enumeration, whose class keeps it: -1 with an AttributeError; 0. */
static int is_kept(PyObject* class, PyObject* name, PyObject* value) {
  PyObject* members = PyObject_GetAttrString(class, "__members__");
  if (members == NULL) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
    PyErr_Clear();
    return 0;
  }
  PyObject* known = PyDict_Check(members) ? PyDict_GetItemWithError(members, name) : NULL;
  if (known != NULL && known != value)
    PyErr_Format(PyExc_AttributeError, "cannot %s member '%U'", value != NULL ? "reassign" : "delete", name);
  Py_DECREF(members);
  return PyErr_Occurred() ? -1 : 0;
}

static PyObject* watcher; /* is called with a class and the name of what was set in it, or deleted; NULL */

PyObject* core_watch_classes(PyObject* module, PyObject* callable) {
  (void)module;
  Py_XSETREF(watcher, Py_NewRef(callable));
  Py_RETURN_NONE;
}

static int tell_watcher(PyObject* class, PyObject* name) {
  PyObject* done = watcher != NULL ? PyObject_CallFunctionObjArgs(watcher, class, name, NULL) : Py_NewRef(Py_None);
  Py_XDECREF(done);
  return done != NULL ? 0 : -1;
}

/* The same of the bases that have that name, too: objects of the class are taken for theirs. */
static int tell_of_name(PyTypeObject* class, PyObject* name) {
  int status = tell_watcher((PyObject*)class, name);
  for (Py_ssize_t i = 1; status == 0 && i < PyTuple_GET_SIZE(class->tp_mro); i++) {
    PyObject* base = PyTuple_GET_ITEM(class->tp_mro, i);
    if (core_class_info_of(base) == NULL || _PyType_Lookup((PyTypeObject*)base, name) == NULL) continue;
    PyType_Modified((PyTypeObject*)base);
    status = tell_watcher(base, name);
  }
  return status;
}

/* As of classes of structs: one that type() takes for immutable is called without a detour (CPython's specialize.c,
 * CALL_BUILTIN_CLASS), and its attributes can be set all the same. */
static int meta_setattro(PyObject* class, PyObject* name, PyObject* value) {
  PyTypeObject* type = (PyTypeObject*)class;
  core_class_info* info = (core_class_info*)(uintptr_t)core_class_info_of(class);
  if (is_kept(class, name, value) != 0) return -1;
  const unsigned long mark = type->tp_flags & Py_TPFLAGS_IMMUTABLETYPE;
  type->tp_flags &= ~mark;
  int status = PyType_Type.tp_setattro(class, name, value);
  type->tp_flags |= mark;
  if (status != 0 || info == NULL) return status;
  const int is_init = PyUnicode_CompareWithASCIIString(name, "__init__") == 0;
  if (is_init || PyUnicode_CompareWithASCIIString(name, "__new__") == 0) type->tp_vectorcall = NULL;
  if (is_init && type == info->class) info->is_in_place = 1;
  if (PyUnicode_CompareWithASCIIString(name, "__post_init__") == 0) info->has_post_init = (char)is_finished(type);
  choose_init(type);
  type->tp_dealloc = core_instance_dealloc; /* __del__ puts type()'s own there */
  return core_set_operations(info, type) == 0 ? tell_of_name(type, name) : -1;
}

static int meta_bool(PyObject* class) { /* a class that is empty, or has no length, is true, too */
  (void)class;
  return 1;
}

static PyNumberMethods meta_as_number = {.nb_bool = meta_bool};
static PyMappingMethods meta_as_mapping = {.mp_length = core_enumeration_length};

PyTypeObject core_instance_meta = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.ObjectType",
    .tp_doc = "The type of classes of objects with fields.",
    .tp_basicsize = sizeof(core_instance_class),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_VECTORCALL,
    .tp_base = &PyType_Type,
    .tp_new = meta_new,
    .tp_call = meta_call,
    .tp_setattro = meta_setattro,
    .tp_iter = core_enumeration_iter,
    .tp_as_number = &meta_as_number,
    .tp_as_mapping = &meta_as_mapping,
};

/* -- making a class ----------------------------------------------------------------------------------------------------------- */

static void free_info(core_class_info* info) {
  core_parameters_free(info);
  Py_XDECREF(info->members);
  PyMem_Free(info->initial);
  PyMem_Free(info->owners);
  jf_object_release(info->maker);
  jf_object_release(info->constructor);
  PyMem_Free(info);
}

static int put(PyObject* dict, const char* name, PyObject* value) {
  const int status = value != NULL ? PyDict_SetItemString(dict, name, value) : -1;
  Py_XDECREF(value);
  return status;
}

/* What a native object of the type is before its constructor: header, nulls and zeros. */
static int make_initial(core_class_info* info) {
  const jf_type_info* type = info->type;
  info->initial = PyMem_Calloc(1, (size_t)type->size + sizeof(jf_object));
  info->owners = PyMem_Calloc((size_t)type->num_fields + 1, sizeof *info->owners);
  if (info->initial == NULL || info->owners == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  jf_object* object = (jf_object*)(void*)info->initial;
  object->type_code = type->code;
  object->ref_count = 1;
  object->deleter = core_embedded_deleter;
  info->is_collected = type->destroy != NULL;
  for (int32_t i = 0; i < type->num_fields; i++) {
    const jf_field* field = &type->fields[i];
    if (field->kind == JF_FIELD_SLOT) ((jf_any*)(void*)(info->initial + field->offset))->type_code = JF_NULL;
    if (field->kind >= JF_FIELD_SLOT) info->owners[info->num_owners++] = field;
    const int is_text = strcmp(field->type, "str") == 0 || strcmp(field->type, "bytes") == 0;
    if (field->kind >= JF_FIELD_SLOT && !is_text) info->is_collected = 1;
  }
  return 0;
}

/* The descriptors; of an ancestor's field its own class has one, too, whose default counts where this one gives none. */
static int add_members(core_class_info* info, const core_class_info* above, PyTypeObject* class, PyObject* defaults,
                       PyObject* enumerations) {
  const jf_type_info* type = info->type;
  info->members = PyTuple_New(type->num_fields);
  if (info->members == NULL) return -1;
  for (int32_t i = 0; i < type->num_fields; i++) {
    const jf_field* field = &type->fields[i];
    PyObject* value = PyDict_GetItemString(defaults, field->name);
    const int is_inherited = above != NULL && i < PyTuple_GET_SIZE(above->members);
    if (value == NULL && is_inherited) value = ((core_member*)PyTuple_GET_ITEM(above->members, i))->default_value;
    core_member* member = core_member_make(class, type, field, value);
    if (member == NULL) return -1;
    member->enumeration = PyDict_GetItemString(enumerations, field->name);
    if (member->enumeration == NULL && is_inherited)
      member->enumeration = ((core_member*)PyTuple_GET_ITEM(above->members, i))->enumeration;
    Py_XINCREF(member->enumeration);
    const int is_guarded =
        member->enumeration != NULL || (field->flags & JF_FIELD_READ_ONLY) || (type->flags & JF_TYPE_FROZEN);
    const int is_plain = field->kind == JF_KIND_I64 || field->kind == JF_KIND_F64 || member->text == JF_STR ||
                         (field->flags & JF_FIELD_OF_TYPE) != 0;
    member->at_once = is_plain && !is_guarded ? field->kind : AT_LENGTH;
    PyTuple_SET_ITEM(info->members, i, (PyObject*)member);
    info->has_defaults |= value != NULL;
    if (PyDict_SetItem(class->tp_dict, member->name, (PyObject*)member) != 0) return -1;
  }
  return 0;
}

/* New: the __new__ that classes in C have, which calls tp_new: derived classes may call it, and inherit tp_new itself. */
static PyObject* make_new(PyTypeObject* class) {
  PyObject* of_object = find(&PyBaseObject_Type, "__new__");
  if (of_object == NULL || !PyCFunction_Check(of_object))
    return PyErr_Format(PyExc_SystemError, "object has no __new__");
  return PyCFunction_NewEx(((PyCFunctionObject*)of_object)->m_ml, (PyObject*)class, NULL);
}

/* None where objects are equal by fields and can change; where a base has that, Object's again. */
static int choose_hash(PyTypeObject* class, const core_class_info* info, PyObject* namespace) {
  if (PyDict_GetItemString(namespace, "__hash__") != NULL || (info->type->flags & JF_TYPE_COMPARES) == 0) return 0;
  if ((info->type->flags & JF_TYPE_HASHES) == 0) {
    class->tp_hash = PyObject_HashNotImplemented;
    return PyDict_SetItemString(class->tp_dict, "__hash__", Py_None);
  }
  if (class->tp_hash != PyObject_HashNotImplemented) return 0;
  class->tp_hash = core_object_type.tp_hash;
  return put(class->tp_dict, "__hash__", PyObject_GetAttrString((PyObject*)&core_object_type, "__hash__"));
}

/* The class's constructor is C's, and no base's in Python. */
static int choose_constructor(PyTypeObject* class, core_class_info* info, PyObject* namespace) {
  const int own_new = PyDict_GetItemString(namespace, "__new__") != NULL;
  const int own_init = PyDict_GetItemString(namespace, "__init__") != NULL;
  if (!own_new) {
    class->tp_new = core_instance_new;
    if (put(class->tp_dict, "__new__", make_new(class)) != 0) return -1;
  }
  if (core_init_add(class, info, own_init) != 0) return -1;
  info->is_in_place |= (char)own_init;
  if (!own_init) class->tp_init = core_instance_init_fields;
  const int is_called_plainly = Py_TYPE(class)->tp_call == meta_call && (class->tp_flags & Py_TPFLAGS_IS_ABSTRACT) == 0;
  if (!own_new && !own_init && is_called_plainly && !core_constructs_in_place(class, info))
    class->tp_vectorcall = core_instance_vectorcall;
  return choose_hash(class, info, namespace);
}

/* Defaults that are the same bytes in every object are there from the start. */
static int add_defaults(core_class_info* info) {
  if (info->type->size == 0) return 0; /* objects are native code's alone */
  core_instance* one = core_instance_bare(info->class, info);
  int status = one != NULL ? 0 : -1;
  for (Py_ssize_t i = 0; status == 0 && i < PyTuple_GET_SIZE(info->members); i++) {
    core_member* member = (core_member*)PyTuple_GET_ITEM(info->members, i);
    const jf_field* field = member->field;
    if (member->default_value == NULL || (field->flags & JF_FIELD_HAS_FACTORY)) continue;
    status = core_member_set(member, &one->wrapper, member->default_value);
    const char* at = (const char*)core_embedded(one) + field->offset;
    member->initial = field->kind < JF_FIELD_SLOT;
    if (field->kind == JF_FIELD_SLOT) {
      const int32_t code = ((const jf_any*)(const void*)at)->type_code;
      member->initial = code < 0 && code != JF_OBJECT;
    } else if (field->kind == JF_FIELD_OBJECT) {
      member->initial = *(jf_object* const*)(const void*)at == NULL;
    }
    if (status == 0 && member->initial) memcpy(info->initial + field->offset, at, (size_t)field->size);
  }
  if (one != NULL) one->wrapper.is_ending = 1; /* no __del__: nobody has ever had it */
  Py_XDECREF(one);
  return status;
}

/* The type, this one or an ancestor, whose own method of that name it is that the type has. */
static const jf_type_info* owner_of(const jf_type_info* type, const char* name) {
  jf_object* function = jf_type_method(type->code, name);
  for (const jf_type_info* above = jf_type_info_of(type->parent); function != NULL && above != NULL;
       above = jf_type_info_of(type->parent)) {
    jf_object* other = jf_type_method(above->code, name);
    jf_object_release(other);
    if (other != function) break;
    type = above;
  }
  jf_object_release(function);
  return type;
}

/* Those of an ancestor make and construct an object of this type if it is the same to C++, with more fields. */
static void find_makers(core_class_info* info) {
  const jf_type_info* owner = owner_of(info->type, "__init__");
  info->is_in_place = owner != info->type;
  const int is_other = info->is_in_place && owner->destroy != info->type->destroy;
  if (is_other && info->type->size != 0 && info->type->construct != jf_construct_refused) return;
  info->maker = jf_type_method(info->type->code, "__init__");
  if (!is_other && info->maker != NULL && info->type->size != 0)
    info->constructor = jf_type_method(info->type->code, "__jitffi_construct__");
}

/* Whether `match` takes the objects for a sequence or a mapping: by the attribute that tells it of classes of collections.abc
 * (CPython's _abc.c), since `register` there leaves classes as they are that type() takes for immutable. */
static int choose_patterns(PyTypeObject* class, PyObject* namespace) {
  PyObject* said = PyDict_GetItemString(namespace, "__abc_tpflags__");
  const unsigned long flags = said != NULL ? PyLong_AsUnsignedLong(said) : 0;
  if (said != NULL && flags == (unsigned long)-1 && PyErr_Occurred()) return -1;
  class->tp_flags |= flags & (Py_TPFLAGS_SEQUENCE | Py_TPFLAGS_MAPPING);
  return 0;
}

static int finish_class(PyTypeObject* class, core_class_info* info, PyObject* namespace, PyObject* defaults,
                        PyObject* enumerations, int has_attributes) {
  const core_class_info* above = core_class_info_of((PyObject*)class->tp_base);
  info->class = class;
  if (make_initial(info) != 0 || add_members(info, above, class, defaults, enumerations) != 0) return -1;
  if (core_parameters_make(info, namespace) != 0) return -1;
  find_makers(info);
  info->has_post_init = (char)is_finished(class);
  const Py_ssize_t size =
      (Py_ssize_t)sizeof(core_instance) + ((info->type->size > 0 ? info->type->size : 1) + 7) / 8 * 8;
  class->tp_basicsize = size;
  if (equip(class, info, has_attributes) != 0) return -1;
  if (choose_constructor(class, info, namespace) != 0 || choose_patterns(class, namespace) != 0) return -1;
  class->tp_flags |= Py_TPFLAGS_IMMUTABLETYPE;
  class->tp_flags &= ~(unsigned long)Py_TPFLAGS_DISALLOW_INSTANTIATION;
  PyType_Modified(class);
  /* What constructs its objects itself comes behind the initial bytes. */
  const int has_own = info->type->destroy != NULL || info->type->construct != NULL || info->maker != NULL;
  if (!has_own && add_defaults(info) != 0) return -1;
  return core_set_operations(info, class) == 0 && core_wrapper_class(info->type->code, class) == 0 ? 0 : -1;
}

/* 0; -1 with the TypeError of a class whose objects would have other bytes where the type has its fields. */
static int check_layout(const PyTypeObject* class, const jf_type_info* type) {
  const core_class_info* above = core_class_info_of((PyObject*)class->tp_base);
  const PyTypeObject* base = above != NULL ? above->class : &core_object_type;
  if (above != NULL && !jf_type_is_a(type->parent, above->type->code))
    PyErr_Format(PyExc_TypeError, "%s: its class has a base with the fields of %s, which the type has not", type->key,
                 above->type->key);
  else if (class->tp_basicsize != base->tp_basicsize)
    PyErr_Format(PyExc_TypeError, "%s: its class or a base has __slots__ beside the fields", type->key);
  else
    return 0;
  return -1;
}

/* A metaclass in Python is called, and finds meta_new by super(); it may return what it likes, also of other bases. */
static PyObject* make_class(PyTypeObject* meta, PyObject* name, PyObject* bases, PyObject* namespace,
                            const jf_type_info* type) {
  const int is_ours = meta == &core_instance_meta;
  PyObject* copy = PyDict_Copy(namespace);
  int status = copy != NULL ? put(copy, "__slots__", PyTuple_New(0)) : -1;
  if (status == 0 && !is_ours) status = PyDict_SetItemString(copy, is_registered, Py_True);
  PyObject* args = status == 0 ? PyTuple_Pack(3, name, bases, copy) : NULL;
  PyObject* class = NULL;
  if (args != NULL) class = is_ours ? PyType_Type.tp_new(meta, args, NULL) : PyObject_CallObject((PyObject*)meta, args);
  if (class != NULL && (!core_is_instance_meta(Py_TYPE(class)) || core_class_info_of(class) != NULL)) {
    PyErr_Format(PyExc_TypeError, "%.200s: the metaclass has not made a new class", PyUnicode_AsUTF8(name));
    Py_CLEAR(class);
  }
  if (class != NULL && check_layout((PyTypeObject*)class, type) != 0) Py_CLEAR(class);
  Py_XDECREF(args);
  Py_XDECREF(copy);
  return class;
}

PyObject* core_instance_class_make(PyTypeObject* meta, PyObject* args, int32_t code, PyObject* defaults,
                                   PyObject* enumerations, int has_attributes) {
  PyObject *name, *bases, *namespace;
  if (!PyArg_ParseTuple(args, "UO!O!", &name, &PyTuple_Type, &bases, &PyDict_Type, &namespace)) return NULL;
  core_class_info* info = PyMem_Calloc(1, sizeof *info);
  if (info == NULL) return PyErr_NoMemory();
  info->type = jf_type_info_of(code);
  PyObject* class = make_class(meta, name, bases, namespace, info->type);
  if (class != NULL && finish_class((PyTypeObject*)class, info, namespace, defaults, enumerations, has_attributes) != 0)
    Py_CLEAR(class);
  if (class == NULL) free_info(info);
  return class;
}

/* Object has no objects of its own. Classes that derive from it are to be registered, or are told so; their own __new__ finds
 * this one by super(). */
static int set_constructor_of_object(void) {
  core_object_type.tp_new = core_instance_new;
  core_object_type.tp_flags &= ~(unsigned long)Py_TPFLAGS_DISALLOW_INSTANTIATION;
  if (put(core_object_type.tp_dict, "__new__", make_new(&core_object_type)) != 0) return -1;
  PyType_Modified(&core_object_type);
  return 0;
}

int core_instance_init(PyObject* module) {
  core_instance_end_init();
  if (core_derived_init() != 0 || core_member_init() != 0 || PyType_Ready(&core_method_type) != 0 ||
      PyType_Ready(&core_instance_meta) != 0 || set_constructor_of_object() != 0)
    return -1;
  return PyModule_AddObjectRef(module, "ObjectType", (PyObject*)&core_instance_meta);
}
