/* Lists and tuples of Python's own in scripts: what is more than a load or a store. */
#include "convert.h"
#include "error.h"
#include "fast_paths.h"
#include "script_container.h"
#include "script_effect.h"
#include "script_object.h"
#include "unbox.h"

static PyObject* fail_index(const char* message) {
  PyErr_SetString(PyExc_IndexError, message);
  return core_op_checked(NULL);
}

int32_t core_op_int(PyObject* object, int64_t* out) { return PyLong_CheckExact(object) && fast_int(object, out); }

int32_t core_op_pass(PyObject* object, jf_value* slot, jf_span* span) {
  jf_object* made;
  if (PyList_CheckExact(object))
    made = core_list_from(object, -1);
  else if (PyDict_CheckExact(object))
    made = core_map_from(object, -1);
  else if (PySet_CheckExact(object))
    made = core_set_from(object, -1);
  else if (PyTuple_CheckExact(object))
    made = core_native_object(object);
  else
    return core_op_view(object, slot, span);
  if (made == NULL) return core_op_status(-1);
  core_view_of_object(made, slot);
  return 0;
}

PyObject* core_op_box_stored(const jf_view* view) {
  if (view->type_code != JF_OBJECT || !core_is_container(view->v_object->type_code)) return core_op_box(view);
  return core_op_checked(core_result_to_python(view->v_object));
}

PyObject* core_op_own(jf_object* made) { return core_op_checked(core_made_to_python(made)); }

PyObject* core_op_list_new(int64_t size) { return core_op_checked(PyList_New((Py_ssize_t)size)); }

PyObject* core_op_tuple_new(int64_t size) { return core_op_checked(PyTuple_New((Py_ssize_t)size)); }

int32_t core_op_list_append(PyObject* list, PyObject* value) {
  PyListObject* own = (PyListObject*)list;
  const Py_ssize_t size = PyList_GET_SIZE(list);
  if (own->allocated > size) {
    own->ob_item[size] = value;
    Py_SET_SIZE(own, size + 1);
    return 0;
  }
  const int result = PyList_Append(list, value);
  Py_DECREF(value);
  return core_op_status(result);
}

PyObject* core_op_append_of(PyObject* object, PyObject* name, core_attribute* cache, PyObject** self) {
  if (!PyList_CheckExact(object)) return core_op_method(object, name, cache, self);
  *self = NULL;
  return Py_NewRef(object);
}

PyObject* core_op_append(PyObject* found, PyObject** args) {
  if (!PyList_CheckExact(found)) return core_op_call_found(found, args, 2, NULL); /* no method is a list */
  core_host_operations++;
  return core_op_list_append(found, Py_NewRef(args[1])) == 0 ? Py_NewRef(Py_None) : NULL;
}

int32_t core_op_list_set(PyObject* list, int64_t index, PyObject* value) {
  const Py_ssize_t size = PyList_GET_SIZE(list);
  const int64_t at = index < 0 ? index + size : index;
  if (at < 0 || at >= size) {
    Py_DECREF(value);
    fail_index("list assignment index out of range");
    return -1;
  }
  PyObject* old = PyList_GET_ITEM(list, at);
  PyList_SET_ITEM(list, (Py_ssize_t)at, value);
  Py_DECREF(old);
  return 0;
}

PyObject* core_op_list_pop(PyObject* list, int64_t index) {
  PyListObject* own = (PyListObject*)list;
  const Py_ssize_t size = PyList_GET_SIZE(list);
  if (size == 0) return fail_index("pop from empty list");
  const int64_t at = index < 0 ? index + size : index;
  if (at < 0 || at >= size) return fail_index("pop index out of range");
  PyObject* item = PyList_GET_ITEM(list, at);
  if (at == size - 1 && at > 0 && own->allocated >> 1 < size) {
    Py_SET_SIZE(own, size - 1);
    return item;
  }
  Py_INCREF(item);
  if (PyList_SetSlice(list, (Py_ssize_t)at, (Py_ssize_t)at + 1, NULL) == 0) return item;
  Py_DECREF(item);
  return core_op_checked(NULL);
}

static Py_ssize_t clipped(int64_t bound, Py_ssize_t size, Py_ssize_t otherwise) {
  if (bound == JF_NO_INDEX) return otherwise;
  if (bound < 0) bound += size;
  return bound < 0 ? 0 : bound > size ? size : (Py_ssize_t)bound;
}

int32_t core_op_list_sort(PyObject* list) { return core_op_status(PyList_Sort(list)); }

PyObject* core_op_list_slice(PyObject* list, int64_t start, int64_t stop) {
  const Py_ssize_t size = Py_SIZE(list);
  const Py_ssize_t first = clipped(start, size, 0), end = clipped(stop, size, size);
  return core_op_checked(PyList_CheckExact(list) ? PyList_GetSlice(list, first, end)
                                                 : PyTuple_GetSlice(list, first, end));
}
