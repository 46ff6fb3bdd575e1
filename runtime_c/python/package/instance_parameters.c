/* What constructors take, by position and by name: fields, and what only they take, for __post_init__.
 *
 *   class Square:                       members: side
 *       side: float                     init_only: scale = 1.0, at place 1
 *       scale: InitVar[float] = 1.0     positions: 0, core_init_only_index(0)
 *
 * object_init_only.py tells the second ones in the class's namespace: {name: (place, flags, default, type)}.
 */
#include "instance.h"

static const char told_as[] = "__jitffi_init_only__";

static int read_init_only(core_class_info* info, PyObject* namespace) {
  PyObject* told = PyDict_GetItemString(namespace, told_as);
  const Py_ssize_t count = told != NULL ? PyDict_Size(told) : 0;
  if (count < 0) return -1;
  if (count > CORE_MOST_INIT_ONLY) {
    PyErr_Format(PyExc_TypeError, "%s: a constructor takes at most %d InitVars, got %zd", info->type->key,
                 CORE_MOST_INIT_ONLY, count);
    return -1;
  }
  info->init_only = PyMem_Calloc((size_t)count + 1, sizeof *info->init_only);
  if (info->init_only == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  PyObject *name, *said, *value, *type;
  unsigned flags;
  for (Py_ssize_t at = 0; count > 0 && PyDict_Next(told, &at, &name, &said);) {
    core_init_only* to = &info->init_only[info->num_init_only];
    if (!PyArg_ParseTuple(said, "iIOO", &to->place, &flags, &value, &type)) return -1;
    to->name = Py_NewRef(name);
    to->default_value = (flags & JF_FIELD_HAS_DEFAULT) ? Py_NewRef(value) : NULL;
    to->is_keyword_only = (flags & JF_FIELD_KEYWORD_ONLY) != 0;
    info->num_init_only++;
  }
  return 0;
}

static int add_index(core_class_info* info, PyObject* name, int32_t index) {
  PyObject* number = PyLong_FromLong(index);
  const int status = number != NULL ? PyDict_SetItem(info->indices, name, number) : -1;
  Py_XDECREF(number);
  return status;
}

static int add_indices(core_class_info* info) {
  for (int32_t i = 0; i < info->type->num_fields; i++) {
    const core_member* member = (core_member*)PyTuple_GET_ITEM(info->members, i);
    if (!(member->field->flags & JF_FIELD_NO_INIT) && add_index(info, member->name, i) != 0) return -1;
  }
  for (int32_t i = 0; i < info->num_init_only; i++) {
    if (add_index(info, info->init_only[i].name, core_init_only_index(i)) != 0) return -1;
  }
  return 0;
}

/* By position those come first that have to be given, so that a derived class may have some of them, too. */
static void set_positions(core_class_info* info, int with_default) {
  const int32_t count = info->type->num_fields;
  for (int32_t i = 0, next = 0; i <= count; i++) {
    for (; next < info->num_init_only && (i == count || info->init_only[next].place <= i); next++) {
      const core_init_only* each = &info->init_only[next];
      if (!each->is_keyword_only && (each->default_value != NULL) == with_default)
        info->positions[info->num_positions++] = core_init_only_index(next);
    }
    if (i == count) break;
    const core_member* member = (core_member*)PyTuple_GET_ITEM(info->members, i);
    if (member->field->flags & (JF_FIELD_NO_INIT | JF_FIELD_KEYWORD_ONLY)) continue;
    if ((member->default_value != NULL) == with_default) info->positions[info->num_positions++] = i;
  }
}

int core_parameters_make(core_class_info* info, PyObject* namespace) {
  if (read_init_only(info, namespace) != 0) return -1;
  info->indices = PyDict_New();
  info->positions =
      PyMem_Calloc((size_t)info->type->num_fields + (size_t)info->num_init_only + 1, sizeof *info->positions);
  if (info->indices == NULL || info->positions == NULL) {
    if (!PyErr_Occurred()) PyErr_NoMemory();
    return -1;
  }
  if (add_indices(info) != 0) return -1;
  set_positions(info, 0);
  set_positions(info, 1);
  info->is_in_order = info->num_init_only == 0;
  for (int32_t i = 0; i < info->num_positions; i++) info->is_in_order &= info->positions[i] == i;
  return 0;
}

void core_parameters_free(core_class_info* info) {
  for (int32_t i = 0; i < info->num_init_only; i++) {
    Py_XDECREF(info->init_only[i].name);
    Py_XDECREF(info->init_only[i].default_value);
  }
  PyMem_Free(info->init_only);
  PyMem_Free(info->positions);
  Py_XDECREF(info->indices);
}
