/* `__init__` of classes with fields: what derived classes call, and what `inspect` reads.
 *
 *   class Derived(Base):                      # both registered
 *       def __init__(self, x):
 *           super().__init__(x)               # sets the fields of Base; those of Derived have their defaults
 *
 * The same is __jitffi_init__, which a class's own __init__ may call. A method descriptor of CPython's with the class that
 * defines it (PEP 573, METH_METHOD), and a text signature of its own.
 */
#include "instance.h"

static PyObject* init_method(PyObject* self, PyTypeObject* class, PyObject* const* args, Py_ssize_t count,
                             PyObject* names) {
  if (core_instance_set_fields(self, core_class_info_of((PyObject*)class), args, count, names) != 0) return NULL;
  Py_RETURN_NONE;
}

int core_is_init(PyObject* descriptor) {
  return Py_TYPE(descriptor) == &PyMethodDescr_Type &&
         ((PyMethodDescrObject*)descriptor)->d_method->ml_meth == (PyCFunction)(void (*)(void))init_method;
}

void core_init_refuse_name(const core_class_info* info, PyObject* name) {
  PyErr_Format(PyExc_TypeError, "%s: its native constructor takes arguments by position, not '%S'", info->type->key,
               name);
}

int core_init_check_names(const core_class_info* info, PyObject* maker, PyObject* names) {
  const core_function* function = (core_function*)core_function_get(maker);
  const int takes_names = function == NULL || (function->def.ml_flags & METH_KEYWORDS) != 0;
  if (takes_names || names == NULL || PyTuple_GET_SIZE(names) == 0) return 0;
  core_init_refuse_name(info, PyTuple_GET_ITEM(names, 0));
  return -1;
}

/* -- its signature -- */

/* New: a default as a literal, "..." for one that is none or is made anew for each object. */
static PyObject* literal(PyObject* value, int is_factory) {
  const int is_number = PyLong_CheckExact(value) || (PyFloat_CheckExact(value) && isfinite(PyFloat_AS_DOUBLE(value)));
  const int is_plain =
      value == Py_None || PyBool_Check(value) || PyUnicode_CheckExact(value) || PyBytes_CheckExact(value);
  if (is_factory || !(is_number || is_plain)) return PyUnicode_FromString("...");
  return PyObject_Repr(value);
}

/* Appends to *text, which it takes; NULL with an exception. */
static void append(PyObject** text, const core_class_info* info, int32_t index) {
  const int is_field = index >= 0;
  const core_member* member = is_field ? (const core_member*)PyTuple_GET_ITEM(info->members, index) : NULL;
  const core_init_only* other = is_field ? NULL : &info->init_only[core_init_only_index(index)];
  PyObject* name = is_field ? member->name : other->name;
  PyObject* default_value = is_field ? member->default_value : other->default_value;
  if (default_value == NULL) {
    PyUnicode_AppendAndDel(text, PyUnicode_FromFormat(", %U", name));
    return;
  }
  PyObject* value = literal(default_value, is_field && (member->field->flags & JF_FIELD_HAS_FACTORY) != 0);
  PyUnicode_AppendAndDel(text, value != NULL ? PyUnicode_FromFormat(", %U=%U", name, value) : NULL);
  Py_XDECREF(value);
}

/* Whether the constructor takes what stands at the index by name alone, and whether it has a default. */
static int is_named(const core_class_info* info, int32_t index, int has_default) {
  if (index < 0) {
    const core_init_only* other = &info->init_only[core_init_only_index(index)];
    return other->is_keyword_only && (other->default_value != NULL) == has_default;
  }
  const core_member* member = (const core_member*)PyTuple_GET_ITEM(info->members, index);
  const uint32_t wanted = member->field->flags & (JF_FIELD_NO_INIT | JF_FIELD_KEYWORD_ONLY);
  return wanted == JF_FIELD_KEYWORD_ONLY && (member->default_value != NULL) == has_default;
}

/* New: "__init__($self, /, x, y=1.0, *, z)" and what follows it in the doc of a builtin. */
static PyObject* doc_of(const core_class_info* info) {
  PyObject* text = PyUnicode_FromString("__init__($self, /");
  const int32_t count = (int32_t)PyTuple_GET_SIZE(info->members), all = count + info->num_init_only;
  int has_star = 0;
  for (int32_t i = 0; text != NULL && i < info->num_positions; i++) append(&text, info, info->positions[i]);
  for (int32_t i = 0; text != NULL && i < 2 * all; i++) { /* those that have to be given come first */
    const int32_t at = i % all, index = at < count ? at : core_init_only_index(at - count);
    if (!is_named(info, index, i >= all)) continue;
    if (!has_star) PyUnicode_AppendAndDel(&text, PyUnicode_FromString(", *"));
    has_star = 1;
    if (text != NULL) append(&text, info, index);
  }
  if (text != NULL) PyUnicode_AppendAndDel(&text, PyUnicode_FromString(")\n--\n\nSets the fields."));
  return text;
}

/* New. Its definition and doc live as long as the class: for ever. */
static PyObject* make(PyTypeObject* class, const core_class_info* info) {
  PyObject* doc = doc_of(info);
  const char* utf8 = doc != NULL ? PyUnicode_AsUTF8(doc) : NULL;
  if (utf8 == NULL) {
    Py_XDECREF(doc);
    return NULL;
  }
  PyMethodDef* definition = PyMem_Calloc(1, sizeof *definition);
  PyObject* made = NULL;
  if (definition == NULL) {
    PyErr_NoMemory();
  } else {
    definition->ml_name = "__init__";
    definition->ml_meth = (PyCFunction)(void (*)(void))init_method;
    definition->ml_flags = METH_METHOD | METH_FASTCALL | METH_KEYWORDS;
    definition->ml_doc = utf8;
    made = PyDescr_NewMethod(class, definition);
  }
  if (made == NULL) {
    PyMem_Free(definition);
    Py_DECREF(doc);
  }
  return made;
}

int core_init_add(PyTypeObject* class, const core_class_info* info, int has_own) {
  static const char* const names[] = {"__jitffi_init__", "__ffi_init__", "__init__"};
  PyObject* init = make(class, info);
  int status = init != NULL ? 0 : -1;
  for (int i = 0; status == 0 && i < 3 - (has_own != 0); i++)
    status = PyDict_SetItemString(class->tp_dict, names[i], init);
  Py_XDECREF(init);
  return status;
}
