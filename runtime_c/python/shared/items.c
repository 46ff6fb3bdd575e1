/* What List and Tuple have in common: comparison, text, searching, and how a sequence class becomes known. */
#include "borrow.h"
#include "box.h"
#include "convert.h"
#include "error.h"
#include "fast_paths.h"
#include "hooks.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "sequence.h"
#include "text_object.h"
#include "wrapper.h"

static int raised(int32_t status) {
  if (status < 0) core_error_raise(NULL);
  return status;
}

static int is_list(PyObject* object) { return PyObject_TypeCheck(object, &core_list_type); }

/* -- comparison and text ------------------------------------------------------------------------- */

/* New Python list of the items as they are, held while Python compares them. Making it can run the collector, and that
 * whatever empties or replaces a wrapper: the items are held meanwhile. */
static PyObject* shallow(const jf_list* items) {
  jf_object* held = (jf_object*)(uintptr_t)items;
  jf_object_retain(held);
  PyObject* made = PyList_New(0);
  for (size_t i = 0; made != NULL && i < items->size; i++) {
    PyObject* item = fast_box(items->items[i]);
    if (item == NULL || PyList_Append(made, item) != 0) Py_CLEAR(made);
    Py_XDECREF(item);
  }
  jf_object_release(held);
  return made;
}

/* The tuple of a list's items; steals the list, NULL for NULL. */
static PyObject* as_tuple(PyObject* list) {
  PyObject* tuple = list != NULL ? PyList_AsTuple(list) : NULL;
  Py_XDECREF(list);
  return tuple;
}

/* New: the items as a Python tuple; object is a list or tuple, borrowed. NULL with an exception. */
PyObject* core_items_tuple(const jf_object* object) { return as_tuple(shallow((const jf_list*)object)); }

/* 1 where two values that are not equal are the same NaN. A NaN in a slot is no object that could be the same one, so
 * its bits tell. Borrows both. */
int core_same_nan(PyObject* a, PyObject* b) {
  if (!PyFloat_CheckExact(a) || !PyFloat_CheckExact(b) || !Py_IS_NAN(PyFloat_AS_DOUBLE(a))) return 0;
  return memcmp(&((PyFloatObject*)a)->ob_fval, &((PyFloatObject*)b)->ob_fval, sizeof(double)) == 0;
}

static PyObject* compare_native(jf_object* left, jf_object* right, int operation) {
  const jf_any a = {.type_code = JF_OBJECT, .v_object = left}, b = {.type_code = JF_OBJECT, .v_object = right};
  int32_t result = 0;
  jf_object_retain(left);
  jf_object_retain(right);
  int32_t status = jf_any_compare(&a, &b, operation, &result);
  if (status != 0) core_error_raise(NULL);
  jf_object_release(left);
  jf_object_release(right);
  return status == 0 ? PyBool_FromLong(result) : NULL;
}

static PyObject* python_item(PyObject* other, size_t i) {
  return Py_NewRef(PyList_Check(other) ? PyList_GET_ITEM(other, (Py_ssize_t)i)
                                       : PyTuple_GET_ITEM(other, (Py_ssize_t)i));
}

/* With a list or tuple of Python's, as they compare with each other: the first items that differ decide, and both may change
 * while their items compare. The caller holds both. */
static PyObject* compare_python(const jf_list* own, PyObject* other, int operation) {
  PyObject* result = NULL;
  int equal = 1;
  for (size_t i = 0; i < own->size && i < (size_t)Py_SIZE(other); i++) {
    PyObject* theirs = python_item(other, i);
    PyObject* mine = fast_box(own->items[i]);
    equal = mine == NULL ? -1 : core_same_nan(mine, theirs) ? 1 : PyObject_RichCompareBool(mine, theirs, Py_EQ);
    Py_XDECREF(mine);
    Py_DECREF(theirs);
    if (equal < 0) return NULL;
    if (equal) continue;
    if (operation == Py_EQ || operation == Py_NE) return PyBool_FromLong(operation == Py_NE);
    if (i >= own->size || i >= (size_t)Py_SIZE(other)) break; /* it is gone: the sizes decide */
    theirs = python_item(other, i);
    mine = fast_box(own->items[i]);
    result = mine != NULL ? PyObject_RichCompare(mine, theirs, operation) : NULL;
    Py_XDECREF(mine);
    Py_DECREF(theirs);
    return result;
  }
  Py_RETURN_RICHCOMPARE(own->size, (size_t)Py_SIZE(other), operation);
}

/* Of List with List and list, of Tuple with Tuple and tuple. */
PyObject* core_items_compare(PyObject* self, PyObject* other, int operation) {
  const int is_tuple = !is_list(self);
  jf_object* items = core_wrapper_get(self);
  if (items == NULL) return NULL;
  if (PyObject_TypeCheck(other, is_tuple ? &core_tuple_type : &core_list_type)) {
    jf_object* others = core_wrapper_get(other);
    return others != NULL ? compare_native(items, others, operation) : NULL;
  }
  if (!(is_tuple ? PyTuple_Check(other) : PyList_Check(other))) Py_RETURN_NOTIMPLEMENTED;
  if ((operation == Py_EQ || operation == Py_NE) && (Py_ssize_t)((const jf_list*)items)->size != Py_SIZE(other))
    return PyBool_FromLong(operation == Py_NE);
  jf_object_retain(items);
  PyObject* result = compare_python((const jf_list*)items, other, operation);
  jf_object_release(items);
  return result;
}

/* "List([1, 'a'])": the class around what Python's repr of the same list would be. */
PyObject* core_items_repr(PyObject* self) {
  int again = Py_ReprEnter(self); /* may run the collector: the object is asked for after it, as is the class's name */
  if (again != 0) return again > 0 ? PyUnicode_FromFormat("%s(...)", core_wrapper_name(Py_TYPE(self))) : NULL;
  jf_object* object = ((core_wrapper*)self)->object;
  if (object == NULL) {
    Py_ReprLeave(self);
    return PyUnicode_FromFormat("<%s: was moved>", core_wrapper_name(Py_TYPE(self)));
  }
  const jf_any slot = {.type_code = JF_OBJECT, .v_object = object};
  jf_value out = {.type_code = JF_NULL};
  jf_object_retain(object);
  PyObject* text = raised(jf_any_repr(&slot, &out)) == 0 ? core_box_slot(&out) : NULL;
  jf_object_release(object);
  Py_ReprLeave(self);
  if (text == NULL) return NULL;
  PyObject* whole = PyUnicode_FromFormat("%s(%U)", core_wrapper_name(Py_TYPE(self)), text);
  Py_DECREF(text);
  return whole;
}

/* 0, or -1 with TypeError: how many arguments a method takes. */
int core_check_count(const char* method, Py_ssize_t given, Py_ssize_t least, Py_ssize_t most) {
  if (given >= least && given <= most) return 0;
  const Py_ssize_t limit = given < least ? least : most;
  PyErr_Format(PyExc_TypeError, "%s expected %s%zd argument%s, got %zd", method,
               least == most   ? ""
               : given < least ? "at least "
                               : "at most ",
               limit, limit == 1 ? "" : "s", given);
  return -1;
}

/* -- finding --------------------------------------------------------------------------------------- */

/* Whether an exception of converting a value means only that no container can hold it, so that it is in none: 0, and it is
 * cleared. -1: it stays. */
int core_not_a_value(void) {
  if (!PyErr_ExceptionMatches(PyExc_OverflowError) && !PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return -1;
  PyErr_Clear();
  return 0;
}

static int limit_of(PyObject* object, int64_t* out) {
  if (!PyIndex_Check(object)) {
    PyErr_SetString(PyExc_TypeError, "slice indices must be integers or have an __index__ method");
    return -1;
  }
  Py_ssize_t value = PyNumber_AsSsize_t(object, NULL);
  *out = value == PY_SSIZE_T_MIN ? PY_SSIZE_T_MIN + 1 : value;
  return value == -1 && PyErr_Occurred() ? -1 : 0;
}

/* index(value, start=0, stop=sys.maxsize, /) of a List or Tuple. */
PyObject* core_items_index(PyObject* self, PyObject* const* args, Py_ssize_t given) {
  int64_t start = 0, stop = INT64_MAX, at = -1;
  core_borrowed borrowed;
  if (core_check_count("index", given, 1, 3) != 0 || (given > 1 && limit_of(args[1], &start) != 0) ||
      (given > 2 && limit_of(args[2], &stop) != 0))
    return NULL;
  if (core_borrow(args[0], &borrowed) == 0) {
    jf_object* items = core_wrapper_get(self);
    jf_object_retain(items);
    at = items == NULL                  ? -3
         : items->type_code == JF_TUPLE ? jf_tuple_find(items, &borrowed.view, start, stop)
                                        : jf_list_find(items, &borrowed.view, start, stop);
    if (at == -2) core_error_raise(NULL);
    jf_object_release(items);
    core_borrowed_done(&borrowed);
  } else if (core_not_a_value() != 0) {
    return NULL;
  }
  if (at == -1) {
    if (PyObject_TypeCheck(self, &core_tuple_type))
      PyErr_SetString(PyExc_ValueError, "tuple.index(x): x not in tuple");
    else
#if PY_VERSION_HEX >= 0x030E0000
      PyErr_SetString(PyExc_ValueError, "list.index(x): x not in list");
#else
      PyErr_Format(PyExc_ValueError, "%R is not in list", args[0]);
#endif
  }
  return at >= 0 ? PyLong_FromLongLong(at) : NULL;
}

/* count(value, /) of a List or Tuple. */
PyObject* core_items_count(PyObject* self, PyObject* value) {
  core_borrowed borrowed;
  if (core_borrow(value, &borrowed) != 0) return core_not_a_value() == 0 ? PyLong_FromLong(0) : NULL;
  jf_object* items = core_wrapper_get(self);
  jf_object_retain(items);
  int64_t count = items == NULL                  ? -3
                  : items->type_code == JF_TUPLE ? jf_tuple_count(items, &borrowed.view)
                                                 : jf_list_count(items, &borrowed.view);
  if (count == -1) core_error_raise(NULL);
  jf_object_release(items);
  core_borrowed_done(&borrowed);
  return count >= 0 ? PyLong_FromLongLong(count) : NULL;
}

/* to_python() of a List or Tuple. */
PyObject* core_items_to_python(PyObject* self, PyObject* unused) {
  (void)unused;
  jf_object* items = core_wrapper_get(self);
  return items != NULL ? core_to_plain(self, core_to_python(items)) : NULL;
}

/* Makes the class known: to the module, as the wrapper of that type code, and to collections.abc. -1 with an exception. */
int core_sequence_class(PyObject* module, PyTypeObject* type, int32_t code, const char* abstract) {
  if (core_type_ready(type) != 0 || core_wrapper_class(code, type) != 0 || core_register_abc(abstract, type) != 0)
    return -1;
  return PyModule_AddObjectRef(module, core_wrapper_name(type), (PyObject*)type);
}
