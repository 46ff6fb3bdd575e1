/* _core's functions for types of objects: defining them, their classes, their methods, and what there is. */
#include <string.h>

#include "box.h"
#include "error.h"
#include "handle.h"
#include "instance.h"
#include "parts.h"
#include "typed_function.h"
#include "unbox.h"

/* -- defining -- */

/* New: a function object of the field's type func[...]. NULL with an exception, or without where the type is another. */
static jf_object* typed_default(const jf_field* field, PyObject* value) {
  const jf_pattern* p = strstr(field->type, "func[") != NULL ? jf_pattern_of(field->type) : NULL;
  if (p == NULL) jf_object_release(jf_error_take());
  return p != NULL && p->kind == JF_PATTERN_FUNC ? core_typed_function(p, value, NULL) : NULL;
}

/* The default that native code gives: a value, or a function that makes one. */
static int set_default(jf_field* field, PyObject* value) {
  const int is_factory = (field->flags & JF_FIELD_HAS_FACTORY) != 0;
  jf_object* function = is_factory                ? core_function_handle(value)
                        : PyCallable_Check(value) ? typed_default(field, value)
                                                  : NULL;
  if (function == NULL && (is_factory || PyErr_Occurred())) return -1;
  if (function != NULL) {
    field->default_value = (jf_value){JF_FUNCTION, 0, {.v_object = function}};
    return 0;
  }
  jf_temps temps = {NULL};
  jf_view view;
  int status = core_unbox_any(NULL, 0, value, &view, &temps);
  if (status == 0 && jf_any_retain(&view, &field->default_value) != 0) {
    core_error_raise(NULL);
    status = -1;
  }
  jf_temps_release(&temps);
  return status;
}

/* Of a tuple (name, type, doc, offset, kind, flags, default). -1 with an exception. */
static int read_field(PyObject* spec, jf_field* field) {
  PyObject* value;
  *field = (jf_field){.default_value = {JF_NULL, 0, {0}}};
  if (!PyArg_ParseTuple(spec, "sszIIIO", &field->name, &field->type, &field->doc, (unsigned*)&field->offset,
                        (unsigned*)&field->kind, &field->flags, &value))
    return -1;
  if ((field->flags & (JF_FIELD_HAS_DEFAULT | JF_FIELD_HAS_FACTORY)) == 0) return 0;
  return set_default(field, value);
}

static PyObject* type_define(PyObject* module, PyObject* args) {
  jf_type_info type = {0};
  PyObject* specs;
  (void)module;
  if (!PyArg_ParseTuple(args, "szIIIIIO!", &type.key, &type.doc, (unsigned*)&type.parent, (unsigned*)&type.size,
                        (unsigned*)&type.links, &type.flags, (unsigned*)&type.structure, &PyTuple_Type, &specs))
    return NULL;
  const Py_ssize_t count = PyTuple_GET_SIZE(specs);
  jf_field* fields = PyMem_Calloc((size_t)count + 1, sizeof *fields);
  if (fields == NULL) return PyErr_NoMemory();
  Py_ssize_t done = 0;
  while (done < count && read_field(PyTuple_GET_ITEM(specs, done), &fields[done]) == 0) done++;
  type.fields = fields;
  type.num_fields = (int32_t)count;
  const int32_t code = done == count ? jf_type_define(&type) : 0;
  for (Py_ssize_t i = 0; i < done; i++) jf_any_release(&fields[i].default_value);
  PyMem_Free(fields);
  if (code == 0 && done == count) core_error_raise(NULL);
  return code != 0 ? PyLong_FromLong(code) : NULL;
}

static PyObject* object_class(PyObject* module, PyObject* args) {
  PyObject *meta, *given, *defaults, *enumerations;
  int code, has_attributes;
  (void)module;
  if (!PyArg_ParseTuple(args, "O!O!iO!O!p", &PyType_Type, &meta, &PyTuple_Type, &given, &code, &PyDict_Type, &defaults,
                        &PyDict_Type, &enumerations, &has_attributes))
    return NULL;
  if (!core_is_instance_meta((PyTypeObject*)meta))
    return PyErr_Format(PyExc_TypeError, "object_class: expected a metaclass that derives from ObjectType");
  if (jf_type_info_of(code) != NULL)
    return core_instance_class_make((PyTypeObject*)meta, given, code, defaults, enumerations, has_attributes);
  return PyErr_Format(PyExc_ValueError, "type code %d has no definition", code);
}

/* -- methods -- */

static PyObject* type_set_method(PyObject* module, PyObject* args) {
  jf_method method = {0};
  PyObject* callable;
  int code;
  (void)module;
  if (!PyArg_ParseTuple(args, "isOzp", &code, &method.name, &callable, &method.doc, &method.is_static)) return NULL;
  method.function = callable != Py_None ? core_function_handle(callable) : NULL;
  if (method.function == NULL && callable != Py_None) return NULL;
  core_function* made = method.function != NULL ? core_function_made_by(method.function) : NULL;
  if (made != NULL && made->callee == 'p' && !method.is_static) core_be_method(made); /* others are functions as well */
  const int32_t status = jf_type_set_method(code, &method);
  jf_object_release(method.function);
  if (status == 0) Py_RETURN_NONE;
  core_error_raise(NULL);
  return NULL;
}

static PyObject* object_method(PyObject* module, PyObject* args) {
  PyObject *function, *name, *doc;
  int is_native;
  (void)module;
  return PyArg_ParseTuple(args, "OUOp", &function, &name, &doc, &is_native)
             ? core_method_make(function, name, doc, is_native)
             : NULL;
}

static PyObject* is_function(PyObject* module, PyObject* object) {
  (void)module;
  return PyBool_FromLong(core_function_get(object) != NULL);
}

typedef struct {
  PyObject* list;
  const char* key;
} method_list;

/* What messages call it: "demo.Point.norm"; "demo.Point" what makes one. */
static PyObject* method_name(const char* key, const char* name) {
  return strcmp(name, "__init__") == 0 ? PyUnicode_FromString(key) : PyUnicode_FromFormat("%s.%s", key, name);
}

static int32_t add_method(const jf_method* method, void* context) {
  const method_list* to = context;
  if (strncmp(method->name, "__jitffi_", 9) == 0) return 0; /* for C alone: of addresses, or with a check of its own */
  PyObject* name = method_name(to->key, method->name);
  const char* text = name != NULL ? PyUnicode_AsUTF8(name) : NULL;
  PyObject* function = text != NULL ? core_function_box_named(method->function, text) : NULL;
  Py_XDECREF(name);
  PyObject* row = function != NULL ? Py_BuildValue("sNzO", method->name, function, method->doc,
                                                   method->is_static ? Py_True : Py_False)
                                   : NULL;
  const int status = row != NULL ? PyList_Append(to->list, row) : -1;
  Py_XDECREF(row);
  return status;
}

static PyObject* type_methods(PyObject* module, PyObject* code) {
  (void)module;
  const long number = PyLong_AsLong(code);
  PyObject* made = number != -1 || !PyErr_Occurred() ? PyList_New(0) : NULL;
  method_list to = {made, jf_type_key((int32_t)number)};
  if (made != NULL && jf_type_each_method((int32_t)number, add_method, &to) != 0) Py_CLEAR(made);
  return made;
}

/* -- what there is -- */

static PyObject* row_of_field(const jf_field* field) {
  PyObject* value = core_box_view(&field->default_value);
  return value != NULL ? Py_BuildValue("sszIIIN", field->name, field->type, field->doc, (unsigned)field->offset,
                                       (unsigned)field->kind, field->flags, value)
                       : NULL;
}

/* (key, doc, code, parent, size, links, flags, structure, num_inherited, fields), or None. */
static PyObject* type_row(PyObject* module, PyObject* code) {
  (void)module;
  const long number = PyLong_AsLong(code);
  if (number == -1 && PyErr_Occurred()) return NULL;
  const jf_type_info* type = jf_type_info_of((int32_t)number);
  if (type == NULL) Py_RETURN_NONE;
  PyObject* fields = PyTuple_New(type->num_fields);
  for (int32_t i = 0; fields != NULL && i < type->num_fields; i++) {
    PyObject* row = row_of_field(&type->fields[i]);
    if (row == NULL)
      Py_CLEAR(fields);
    else
      PyTuple_SET_ITEM(fields, i, row);
  }
  if (fields == NULL) return NULL;
  return Py_BuildValue("szIIIIIIIN", type->key, type->doc, (unsigned)type->code, (unsigned)type->parent,
                       (unsigned)type->size, (unsigned)type->links, type->flags, (unsigned)type->structure,
                       (unsigned)type->num_inherited, fields);
}

static int32_t add_code(int32_t code, void* list) {
  PyObject* number = PyLong_FromLong(code);
  const int status = number != NULL ? PyList_Append(list, number) : -1;
  Py_XDECREF(number);
  return status;
}

static PyObject* type_codes(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  PyObject* made = PyList_New(0);
  if (made != NULL && jf_type_list(add_code, made) != 0) Py_CLEAR(made);
  return made;
}

static PyObject* type_code(PyObject* module, PyObject* key) {
  (void)module;
  const char* text = PyUnicode_AsUTF8(key);
  return text != NULL ? PyLong_FromLong(jf_type_code(text)) : NULL;
}

static PyObject* type_alias(PyObject* module, PyObject* args) {
  (void)module;
  const char* key;
  int code;
  if (!PyArg_ParseTuple(args, "si", &key, &code)) return NULL;
  if (jf_type_alias(key, code) != 0) {
    core_error_raise(NULL);
    return NULL;
  }
  Py_RETURN_NONE;
}

static PyObject* type_key(PyObject* module, PyObject* code) {
  (void)module;
  const long number = PyLong_AsLong(code);
  return number != -1 || !PyErr_Occurred() ? PyUnicode_FromString(jf_type_key((int32_t)number)) : NULL;
}

static PyObject* type_parent(PyObject* module, PyObject* code) {
  (void)module;
  const long number = PyLong_AsLong(code);
  return number != -1 || !PyErr_Occurred() ? PyLong_FromLong(jf_type_parent((int32_t)number)) : NULL;
}

static PyObject* class_of(PyObject* module, PyObject* code) {
  (void)module;
  const long number = PyLong_AsLong(code);
  if (number == -1 && PyErr_Occurred()) return NULL;
  PyTypeObject* found = core_wrapper_class_known((int32_t)number);
  return Py_NewRef(found != NULL ? (PyObject*)found : Py_None);
}

static PyObject* class_code(PyObject* module, PyObject* class) {
  (void)module;
  const core_class_info* info = core_class_info_of(class);
  return PyLong_FromLong(info != NULL ? info->type->code : 0);
}

static PyObject* class_members(PyObject* module, PyObject* class) {
  (void)module;
  const core_class_info* info = core_class_info_of(class);
  return info != NULL ? Py_NewRef(info->members) : PyTuple_New(0);
}

static PyObject* class_positions(PyObject* module, PyObject* class) {
  (void)module;
  const core_class_info* info = core_class_info_of(class);
  PyObject* made = PyList_New(0);
  for (int32_t i = 0; made != NULL && info != NULL && i < info->num_positions; i++) {
    if (info->positions[i] < 0) continue;
    if (PyList_Append(made, PyTuple_GET_ITEM(info->members, info->positions[i])) != 0) Py_CLEAR(made);
  }
  return made;
}

static PyObject* bare_instance(PyObject* module, PyObject* class) {
  (void)module;
  const core_class_info* info = core_class_info_of(class);
  if (info != NULL) return (PyObject*)core_instance_bare((PyTypeObject*)class, info);
  return PyErr_Format(PyExc_TypeError, "expected a class with fields, got %R", class);
}

/* What the native class's copy constructor makes of an instance of that very class. None; NULL with an exception. */
static PyObject* copied_by_class(PyObject* instance, const core_class_info* info) {
  jf_object* copier = Py_TYPE(instance) == info->class ? jf_type_method(info->type->code, "__jitffi_copy__") : NULL;
  if (copier == NULL) return Py_NewRef(Py_None);
  PyObject* function = core_function_box_named(copier, info->type->key);
  PyObject* made = function != NULL ? PyObject_CallOneArg(function, instance) : NULL;
  jf_object_release(copier);
  Py_XDECREF(function);
  return made;
}

static PyObject* refuse_copy(PyObject* instance, const core_class_info* info) {
  jf_object* copier = jf_type_method(info->type->code, "__jitffi_copy__");
  const char* name = Py_TYPE(instance) == info->class ? info->type->key : Py_TYPE(instance)->tp_name;
  const char* why = copier != NULL ? "only the C++ class that it derives from is copy-constructible"
                                   : "its C++ class is not copy-constructible";
  jf_object_release(copier);
  return PyErr_Format(PyExc_TypeError, "%s does not support copying: %s, and there is no constructor without arguments",
                      name, why);
}

static PyObject* begin_copy(PyObject* module, PyObject* instance) {
  const core_class_info* info = core_class_info_of((PyObject*)Py_TYPE(instance));
  PyObject* made = info != NULL ? copied_by_class(instance, info) : bare_instance(module, (PyObject*)Py_TYPE(instance));
  if (made != Py_None) return made;
  Py_DECREF(made);
  if (info->type->construct != jf_construct_refused) return bare_instance(module, (PyObject*)Py_TYPE(instance));
  return refuse_copy(instance, info);
}

static PyObject* mark_made(PyObject* module, PyObject* instance) {
  (void)module;
  if (core_is_instance(instance)) ((core_wrapper*)instance)->is_made = 1;
  return Py_NewRef(instance);
}

/* -- the class of a type that native code has defined -- */

static PyTypeObject* class_for(int32_t code) {
  PyObject* module = PyImport_ImportModule("jitffi.api.objects");
  PyObject* made = module != NULL ? PyObject_CallMethod(module, "class_for", "i", code) : NULL;
  PyTypeObject* found = made != NULL && PyType_Check(made) ? core_wrapper_class_known(code) : NULL;
  if (made != NULL && found == NULL) PyErr_SetString(PyExc_SystemError, "the class of a type was not made");
  Py_XDECREF(module);
  Py_XDECREF(made);
  return found;
}

static PyMethodDef methods[] = {
    {"type_define", type_define, METH_VARARGS,
     "type_define($module, key, doc, parent, size, links, flags, structure, fields, /)\n--\n\n"
     "The code of a type defined so; a field is a tuple (name, type, doc, offset, kind, flags, default)."},
    {"object_class", object_class, METH_VARARGS,
     "object_class($module, metaclass, given, code, defaults, enumerations, has_attributes, /)\n--\n\n"
     "The class of a defined type, which its objects have from now on."},
    {"type_set_method", type_set_method, METH_VARARGS,
     "type_set_method($module, code, name, function, doc, is_static, /)\n--\n\n"
     "Sets a method that native code finds by its name; None takes it out."},
    {"object_method", object_method, METH_VARARGS,
     "object_method($module, function, name, doc, is_native, /)\n--\n\nA method of a class that calls it."},
    {"watch_classes", core_watch_classes, METH_O,
     "watch_classes($module, callable, /)\n--\n\nHave it called with a class with fields and the name of what was set "
     "in it."},
    {"is_function", is_function, METH_O, "is_function($module, object, /)\n--\n\nWhether it is one of our Functions."},
    {"type_methods", type_methods, METH_O,
     "type_methods($module, code, /)\n--\n\n(name, function, doc, is_static) each."},
    {"type_row", type_row, METH_O, "type_row($module, code, /)\n--\n\nThe definition of a type, or None."},
    {"type_codes", type_codes, METH_NOARGS, "type_codes($module, /)\n--\n\nThe codes of all types of objects."},
    {"type_code", type_code, METH_O, "type_code($module, key, /)\n--\n\nThe code of a key; 0: there is none."},
    {"type_alias", type_alias, METH_VARARGS,
     "type_alias($module, key, code, /)\n--\n\nMake a key another name of a type."},
    {"type_key", type_key, METH_O, "type_key($module, code, /)\n--\n\nThe key of a code."},
    {"type_parent", type_parent, METH_O, "type_parent($module, code, /)\n--\n\nThe parent's code; 0: none."},
    {"class_of", class_of, METH_O, "class_of($module, code, /)\n--\n\nThe class of that very code, or None."},
    {"class_code", class_code, METH_O,
     "class_code($module, cls, /)\n--\n\nThe code of a class with fields; 0: it has none."},
    {"class_members", class_members, METH_O, "class_members($module, cls, /)\n--\n\nThe fields of a class."},
    {"class_positions", class_positions, METH_O,
     "class_positions($module, cls, /)\n--\n\nThe fields that its constructor takes by position, in that order."},
    {"bare_instance", bare_instance, METH_O, "bare_instance($module, cls, /)\n--\n\nAn instance with no field set."},
    {"begin_copy", begin_copy, METH_O,
     "begin_copy($module, instance, /)\n--\n\nAnother one, by its native class, or with no field set."},
    {"mark_made", mark_made, METH_O, "mark_made($module, instance, /)\n--\n\nIts read-only fields are so from now on."},
    {NULL, NULL, 0, NULL},
};

/* After core_object_init; -1 with an exception set on failure. */
int core_objects_init(PyObject* module) {
  core_class_for = class_for;
  return core_instance_init(module) == 0 ? PyModule_AddFunctions(module, methods) : -1;
}
