/* Operations of scripts on Python's own objects: operators, comparison, truth, items, iteration. Two ints or two floats, which is
 * what most operands are, take no search for a method. */
#include "error.h"
#include "jitffi/containers.h"
#include "script_effect.h"
#include "script_object.h"
#include "wrapper.h"

/* -- operators ------------------------------------------------------------------------------------------------------ */

typedef PyObject* (*binary)(PyObject*, PyObject*);

static PyObject* power(PyObject* a, PyObject* b) { return PyNumber_Power(a, b, Py_None); }
static PyObject* inplace_power(PyObject* a, PyObject* b) { return PyNumber_InPlacePower(a, b, Py_None); }

/* By JF_OP_*, and @ behind them. */
static const binary binaries[] = {PyNumber_Add,
                                  PyNumber_Subtract,
                                  PyNumber_Multiply,
                                  PyNumber_TrueDivide,
                                  PyNumber_FloorDivide,
                                  PyNumber_Remainder,
                                  power,
                                  PyNumber_Lshift,
                                  PyNumber_Rshift,
                                  PyNumber_And,
                                  PyNumber_Or,
                                  PyNumber_Xor,
                                  PyNumber_MatrixMultiply};
static const binary inplace_binaries[] = {PyNumber_InPlaceAdd,
                                          PyNumber_InPlaceSubtract,
                                          PyNumber_InPlaceMultiply,
                                          PyNumber_InPlaceTrueDivide,
                                          PyNumber_InPlaceFloorDivide,
                                          PyNumber_InPlaceRemainder,
                                          inplace_power,
                                          PyNumber_InPlaceLshift,
                                          PyNumber_InPlaceRshift,
                                          PyNumber_InPlaceAnd,
                                          PyNumber_InPlaceOr,
                                          PyNumber_InPlaceXor,
                                          PyNumber_InPlaceMatrixMultiply};

/* Of two floats. */
static inline PyObject* of_floats(int32_t op, double x, double y) {
  switch (op) {
    case JF_OP_ADD:
      return PyFloat_FromDouble(x + y);
    case JF_OP_SUB:
      return PyFloat_FromDouble(x - y);
    case JF_OP_MUL:
      return PyFloat_FromDouble(x * y);
    default:
      return NULL;
  }
}

/* Of two ints, without asking which class is to do it. */
static inline PyObject* of_ints(int32_t op, PyObject* a, PyObject* b) {
  const PyNumberMethods* const methods = PyLong_Type.tp_as_number;
  return (op == JF_OP_ADD ? methods->nb_add : op == JF_OP_SUB ? methods->nb_subtract : methods->nb_multiply)(a, b);
}

PyObject* core_op_binary(int32_t op, PyObject* a, PyObject* b) {
  if (op <= JF_OP_MUL && PyLong_CheckExact(a) && PyLong_CheckExact(b)) return core_op_checked(of_ints(op, a, b));
  if (op <= JF_OP_MUL && PyFloat_CheckExact(a) && PyFloat_CheckExact(b))
    return core_op_checked(of_floats(op, PyFloat_AS_DOUBLE(a), PyFloat_AS_DOUBLE(b)));
  core_count_effects(a, b);
  return core_op_checked(binaries[op](a, b));
}

PyObject* core_op_inplace(int32_t op, PyObject* a, PyObject* b) {
  core_count_effects(a, b);
  return core_op_checked(inplace_binaries[op](a, b));
}

PyObject* core_op_unary(int32_t op, PyObject* object) {
  core_count_effect(object);
  return core_op_checked(op == JF_OP_NEGATE ? PyNumber_Negative(object)
                         : op == JF_OP_PLUS ? PyNumber_Positive(object)
                                            : PyNumber_Invert(object));
}

/* -- comparison ------------------------------------------------------------------------------------------------------ */

static void count_compared(PyObject* a, PyObject* b) {
  core_count_effects_in(a);
  core_count_effects_in(b);
}

PyObject* core_op_compare(int32_t op, PyObject* a, PyObject* b) {
  count_compared(a, b);
  return core_op_checked(PyObject_RichCompare(a, b, op));
}

static inline int32_t ordered(int32_t op, double x, double y) {
  switch (op) {
    case JF_LT:
      return x < y;
    case JF_LE:
      return x <= y;
    case JF_EQ:
      return x == y;
    case JF_NE:
      return x != y;
    case JF_GT:
      return x > y;
    default:
      return x >= y;
  }
}

int32_t core_op_test(int32_t op, PyObject* a, PyObject* b) {
  if (PyFloat_CheckExact(a) && PyFloat_CheckExact(b)) return ordered(op, PyFloat_AS_DOUBLE(a), PyFloat_AS_DOUBLE(b));
  count_compared(a, b);
  PyObject* found = PyObject_RichCompare(a, b, op);
  if (found == Py_True || found == Py_False) { /* which others have, too */
    Py_DECREF(found);
    return found == Py_True;
  }
  const int truth = found != NULL ? PyObject_IsTrue(found) : -1;
  Py_XDECREF(found);
  return core_op_status(truth);
}

int32_t core_op_truth(PyObject* object) {
  if (object == Py_True) return 1;
  if (object == Py_False || object == Py_None) return 0;
  core_count_unless_own(object);
  return core_op_status(PyObject_IsTrue(object));
}

/* The same of an object of ours. */
static int32_t native_mask(int32_t code) {
  if (code == JF_LIST || jf_type_is_a(code, JF_LIST)) return 32;
  if (code == JF_TUPLE || jf_type_is_a(code, JF_TUPLE)) return 64;
  if (code == JF_MAP || jf_type_is_a(code, JF_MAP)) return 128;
  return code == JF_BYTES ? 16 : code == JF_STR || code == JF_UCS4 ? 8 : 0;
}

/* As jf_op_isinstance has them: int, bool, float, str, bytes, list, tuple, dict, None. */
int32_t core_op_isinstance(PyObject* object, int32_t mask) {
  const jf_object* native = core_wrapper_object(object);
  if (native != NULL) return (mask & native_mask(native->type_code)) != 0;
  PyTypeObject* const type = Py_TYPE(object);
  return (mask & 1 && PyType_HasFeature(type, Py_TPFLAGS_LONG_SUBCLASS)) || (mask & 2 && type == &PyBool_Type) ||
         (mask & 4 && PyFloat_Check(object)) || (mask & 8 && PyUnicode_Check(object)) ||
         (mask & 16 && PyBytes_Check(object)) || (mask & 32 && PyList_Check(object)) ||
         (mask & 64 && PyTuple_Check(object)) || (mask & 128 && PyDict_Check(object)) ||
         (mask & 256 && object == Py_None);
}

/* -- items ------------------------------------------------------------------------------------------------------------ */

int32_t core_op_length(PyObject* object, int64_t* out) {
  core_count_unless_own(object);
  *out = PyObject_Size(object);
  return *out < 0 ? core_op_status(-1) : 0;
}

PyObject* core_op_item(PyObject* object, PyObject* key) {
  core_count_unless_own(object);
  if (!PySlice_Check(key)) core_count_effects_in(key);
  return core_op_checked(PyObject_GetItem(object, key));
}

/* By an int. */
PyObject* core_op_item_at(PyObject* object, int64_t index) {
  if (PyList_CheckExact(object) || PyTuple_CheckExact(object)) {
    const Py_ssize_t size = Py_SIZE(object);
    const Py_ssize_t at = index < 0 ? index + size : index;
    if (at >= 0 && at < size)
      return Py_NewRef(PyList_CheckExact(object) ? PyList_GET_ITEM(object, at) : PyTuple_GET_ITEM(object, at));
  }
  core_count_unless_own(object);
  PyObject* key = PyLong_FromLongLong(index);
  PyObject* found = key != NULL ? PyObject_GetItem(object, key) : NULL;
  Py_XDECREF(key);
  return core_op_checked(found);
}

int32_t core_op_set_item(PyObject* object, PyObject* key, PyObject* value) {
  core_host_operations++;
  return core_op_status(value != NULL ? PyObject_SetItem(object, key, value) : PyObject_DelItem(object, key));
}

/* slice(start, stop, step); NULL for None. */
PyObject* core_op_slice(PyObject* start, PyObject* stop, PyObject* step) {
  return core_op_checked(PySlice_New(start, stop, step));
}

int32_t core_op_contains(PyObject* container, PyObject* item) {
  if (PyList_CheckExact(container) || PyTuple_CheckExact(container))
    core_count_effects_in(container);
  else
    core_count_unless_own(container);
  core_count_effects_in(item);
  return core_op_status(PySequence_Contains(container, item));
}

/* -- iteration -------------------------------------------------------------------------------------------------------- */

PyObject* core_op_iterator(PyObject* object) {
  core_count_unless_own(object); /* and with it what its iterator does */
  return core_op_checked(PyObject_GetIter(object));
}

/* 1 and a new reference, 0 at the end, -1. */
int32_t core_op_next(PyObject* iterator, PyObject** out) {
  *out = Py_TYPE(iterator)->tp_iternext(iterator);
  if (*out != NULL) return 1;
  if (!PyErr_Occurred()) return 0;
  if (PyErr_ExceptionMatches(PyExc_StopIteration)) {
    PyErr_Clear();
    return 0;
  }
  return core_op_status(-1);
}

static int32_t wrong_count(int64_t count, int64_t got, int32_t is_sized) {
  if (got < count)
    PyErr_Format(PyExc_ValueError, "not enough values to unpack (expected %lld, got %lld)", (long long)count,
                 (long long)got);
  else if (PY_VERSION_HEX >= 0x030E0000 && is_sized)
    PyErr_Format(PyExc_ValueError, "too many values to unpack (expected %lld, got %lld)", (long long)count,
                 (long long)got);
  else
    PyErr_Format(PyExc_ValueError, "too many values to unpack (expected %lld)", (long long)count);
  return core_op_status(-1);
}

static int32_t unpack_items(PyObject* const* items, Py_ssize_t size, int64_t count, PyObject** out) {
  if (size != count) return wrong_count(count, size, 1);
  for (int64_t i = 0; i < count; i++) out[i] = Py_NewRef(items[i]);
  return 0;
}

static int32_t unpack_any(PyObject* object, int64_t count, PyObject** out) {
  core_count_unless_own(object);
  PyObject* iterator = PyObject_GetIter(object);
  if (iterator == NULL) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) && Py_TYPE(object)->tp_iter == NULL && !PySequence_Check(object))
      PyErr_Format(PyExc_TypeError, "cannot unpack non-iterable %.200s object", Py_TYPE(object)->tp_name);
    return core_op_status(-1);
  }
  int64_t got = 0;
  int32_t more = 1;
  while (got < count && (more = core_op_next(iterator, &out[got])) == 1) got++;
  if (more == 1) {
    PyObject* rest = NULL;
    more = core_op_next(iterator, &rest);
    Py_XDECREF(rest);
    if (more == 1)
      more = wrong_count(count, PyDict_CheckExact(object) ? PyDict_Size(object) : count + 1, PyDict_CheckExact(object));
  } else if (more == 0) {
    more = wrong_count(count, got, 0);
  }
  Py_DECREF(iterator);
  for (int64_t i = 0; more != 0 && i < got; i++) Py_CLEAR(out[i]);
  return more == 0 ? 0 : -1;
}

/* That many new references; none on failure. */
int32_t core_op_unpack(PyObject* object, int64_t count, PyObject** out) {
  for (int64_t i = 0; i < count; i++) out[i] = NULL;
  if (PyTuple_CheckExact(object) || PyList_CheckExact(object))
    return unpack_items(PySequence_Fast_ITEMS(object), Py_SIZE(object), count, out);
  Py_INCREF(object); /* which may lie in what its iteration changes */
  const int32_t result = unpack_any(object, count, out);
  Py_DECREF(object);
  return result;
}

/* The same with a list of what is between the first `before` and the last `after`, behind the first. */
int32_t core_op_unpack_rest(PyObject* object, int64_t before, int64_t after, PyObject** out) {
  for (int64_t i = 0; i <= before + after; i++) out[i] = NULL;
  core_count_unless_own(object);
  PyObject* all = PySequence_List(object);
  if (all == NULL) {
    if (PyErr_ExceptionMatches(PyExc_TypeError) && Py_TYPE(object)->tp_iter == NULL && !PySequence_Check(object))
      PyErr_Format(PyExc_TypeError, "cannot unpack non-iterable %.200s object", Py_TYPE(object)->tp_name);
    return core_op_status(-1);
  }
  const Py_ssize_t size = PyList_GET_SIZE(all);
  PyObject* rest = size >= before + after ? PyList_GetSlice(all, before, size - after) : NULL;
  if (rest == NULL) {
    if (!PyErr_Occurred())
      PyErr_Format(PyExc_ValueError, "not enough values to unpack (expected at least %lld, got %zd)",
                   (long long)(before + after), size);
    Py_DECREF(all);
    return core_op_status(-1);
  }
  for (int64_t i = 0; i < before; i++) out[i] = Py_NewRef(PyList_GET_ITEM(all, i));
  out[before] = rest;
  for (int64_t i = 0; i < after; i++) out[before + 1 + i] = Py_NewRef(PyList_GET_ITEM(all, size - after + i));
  Py_DECREF(all);
  return 0;
}
