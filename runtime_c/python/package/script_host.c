/* Operations of scripts on values of any type, where one of them turns out to be an object of Python's: what Python does. */
#include "box.h"
#include "convert.h"
#include "error.h"
#include "gil.h"
#include "host_object.h"
#include "parts.h"
#include "script.h"
#include "script_effect.h"
#include "script_object.h"

#include <string.h>

/* -- the lock, operands and results ------------------------------------------------------------------------------------ */

typedef struct {
  int taken;
  PyGILState_STATE state;
} lock_taken;

/* Scripts without the lock take it for this. */
static lock_taken enter(void) {
  lock_taken lock = {0, PyGILState_UNLOCKED};
  if (!core_has_gil()) {
    lock.state = PyGILState_Ensure();
    lock.taken = 1;
  }
  return lock;
}

static int32_t leave(lock_taken lock, int32_t status) {
  if (lock.taken) PyGILState_Release(lock.state);
  return status;
}

/* New, NULL with an exception: containers of the script's own as Python's. */
static PyObject* boxed(const jf_any* value) {
  if (value->type_code == JF_OBJECT && core_is_container(value->v_object->type_code))
    return core_to_python(value->v_object);
  return core_box_view(value);
}

/* Steals the result, NULL with an exception. */
static int32_t put(PyObject* result, jf_value* out) {
  if (result == NULL) {
    core_error_from_python();
    return -1;
  }
  const int32_t status = core_op_put(result, out);
  Py_DECREF(result);
  return status;
}

/* -- operators ---------------------------------------------------------------------------------------------------------- */

static PyObject* rounded(PyObject* value, PyObject* digits) {
  PyObject* builtins = PyEval_GetBuiltins(); /* borrowed */
  PyObject* round = PyDict_GetItemString(builtins, "round");
  if (round == NULL) return PyErr_Format(PyExc_NameError, "name 'round' is not defined");
  return PyObject_CallFunctionObjArgs(round, value, digits == Py_None ? NULL : digits, NULL);
}

/* Compilers of scripts give 0 to 3: see JF_HOST_INT_FROM_BYTES. */
static PyObject* of_bytes(PyObject* bytes, long how) {
  PyObject* function = PyObject_GetAttrString((PyObject*)&PyLong_Type, "from_bytes");
  PyObject* args = Py_BuildValue("(Os)", bytes, how & 1 ? "little" : "big");
  PyObject* keywords = Py_BuildValue("{sO}", "signed", how & 2 ? Py_True : Py_False);
  PyObject* found = function && args && keywords ? PyObject_Call(function, args, keywords) : NULL;
  Py_XDECREF(function);
  Py_XDECREF(args);
  Py_XDECREF(keywords);
  return found;
}

static PyObject* operated(int32_t op, PyObject* a, PyObject* b) {
  if (op == JF_HOST_DIVMOD) return PyNumber_Divmod(a, b);
  if (op == JF_HOST_ROUND) return rounded(a, b);
  if (op == JF_HOST_INT_OF_BASE) return PyObject_CallFunctionObjArgs((PyObject*)&PyLong_Type, a, b, NULL);
  if (op == JF_HOST_INT_FROM_BYTES) return of_bytes(a, PyLong_AsLong(b));
  PyObject* found = core_op_binary(op, a, b);
  return found;
}

typedef PyObject* (*operation)(int32_t, PyObject*, PyObject*);

/* `is_told`: who fails sets the last error. */
static int32_t of_two(operation operate, int is_told, int32_t op, const jf_any* a, const jf_any* b, jf_value* out) {
  const lock_taken lock = enter();
  PyObject* left = boxed(a);
  PyObject* right = left != NULL ? boxed(b) : NULL;
  int32_t status;
  if (right == NULL) {
    status = core_op_status(-1);
  } else {
    if (operate == operated) core_count_effects(left, right); /* the other counts itself */
    PyObject* found = operate(op, left, right);
    status = found == NULL && is_told ? -1 : put(found, out);
  }
  Py_XDECREF(left);
  Py_XDECREF(right);
  return leave(lock, status);
}

static int32_t host_binary(int32_t op, const jf_any* a, const jf_any* b, jf_value* out) {
  return of_two(operated, op < JF_HOST_DIVMOD, op, a, b, out);
}

static int32_t host_inplace(int32_t op, const jf_any* a, const jf_any* b, jf_value* out) {
  return of_two(core_op_inplace, 1, op, a, b, out);
}

static PyObject* one(int32_t op, PyObject* value) {
  switch (op) {
    case JF_OP_NEGATE:
      return PyNumber_Negative(value);
    case JF_OP_PLUS:
      return PyNumber_Positive(value);
    case JF_OP_INVERT:
      return PyNumber_Invert(value);
    case JF_HOST_ABS:
      return PyNumber_Absolute(value);
    case JF_HOST_INT:
      return PyNumber_Long(value);
    case JF_HOST_FLOAT:
      return PyNumber_Float(value);
    case JF_HOST_INDEX:
      return PyNumber_Index(value);
    case JF_HOST_BYTES:
      return PyObject_Bytes(value);
    default:
      return PyObject_CallOneArg((PyObject*)&PyBytes_Type, value);
  }
}

static int32_t host_unary(int32_t op, const jf_any* value, jf_value* out) {
  const lock_taken lock = enter();
  PyObject* object = boxed(value);
  if (object != NULL) core_count_effect(object);
  PyObject* found = object != NULL ? one(op, object) : NULL;
  /* int() and float() give these classes, whatever __int__ or __float__ gives. */
  if (found != NULL && op == JF_HOST_FLOAT && !PyFloat_CheckExact(found))
    Py_SETREF(found, PyFloat_FromDouble(PyFloat_AsDouble(found)));
  const int32_t status = put(found, out);
  Py_XDECREF(object);
  return leave(lock, status);
}

static int32_t host_length(const jf_any* value, int64_t* out) {
  const lock_taken lock = enter();
  PyObject* object = boxed(value);
  if (object != NULL) core_count_effect(object);
  *out = object != NULL ? PyObject_Size(object) : -1;
  const int32_t status = *out < 0 ? core_op_status(-1) : 0;
  Py_XDECREF(object);
  return leave(lock, status);
}

static int32_t host_isinstance(const jf_any* value, int32_t mask) {
  const lock_taken lock = enter();
  PyObject* object = core_host_get(value->v_object);
  return leave(lock, object != NULL && core_op_isinstance(object, mask));
}

/* -- items -------------------------------------------------------------------------------------------------------------- */

static int32_t host_item(const jf_any* value, const jf_any* key, jf_value* out) {
  const lock_taken lock = enter();
  PyObject* object = boxed(value);
  if (object != NULL) core_count_unless_own(object);
  PyObject* index = object != NULL ? boxed(key) : NULL;
  if (index != NULL) core_count_effects_in(index);
  const int32_t status = put(index != NULL ? PyObject_GetItem(object, index) : NULL, out);
  Py_XDECREF(object);
  Py_XDECREF(index);
  return leave(lock, status);
}

static int32_t store(PyObject* object, PyObject* index, const jf_any* item) {
  PyObject* given = item != NULL ? boxed(item) : NULL;
  int status = -1;
  if (item == NULL)
    status = PyObject_DelItem(object, index);
  else if (given != NULL)
    status = PyObject_SetItem(object, index, given);
  Py_XDECREF(given);
  return core_op_status(status);
}

static int32_t host_set_item(const jf_any* value, const jf_any* key, const jf_any* item) {
  const lock_taken lock = enter();
  core_host_operations++;
  PyObject* object = boxed(value);
  PyObject* index = object != NULL ? boxed(key) : NULL;
  const int32_t status = index != NULL ? store(object, index, item) : core_op_status(-1);
  Py_XDECREF(object);
  Py_XDECREF(index);
  return leave(lock, status);
}

/* New; NULL with an exception. */
static PyObject* slice_of(const jf_any* const bounds[3]) {
  PyObject* parts[3] = {NULL, NULL, NULL};
  int made = 0;
  while (made < 3 && (parts[made] = boxed(bounds[made])) != NULL) made++;
  PyObject* found = made == 3 ? PySlice_New(parts[0], parts[1], parts[2]) : NULL;
  for (int i = 0; i < made; i++) Py_DECREF(parts[i]);
  return found;
}

static int32_t host_slice(const jf_any* value, const jf_any* const bounds[3], jf_value* out) {
  const lock_taken lock = enter();
  PyObject* object = boxed(value);
  if (object != NULL) core_count_unless_own(object);
  PyObject* index = object != NULL ? slice_of(bounds) : NULL;
  const int32_t status = put(index != NULL ? PyObject_GetItem(object, index) : NULL, out);
  Py_XDECREF(object);
  Py_XDECREF(index);
  return leave(lock, status);
}

static int32_t host_set_slice(const jf_any* value, const jf_any* const bounds[3], const jf_any* items) {
  const lock_taken lock = enter();
  core_host_operations++;
  PyObject* object = boxed(value);
  PyObject* index = object != NULL ? slice_of(bounds) : NULL;
  const int32_t status = index != NULL ? store(object, index, items) : core_op_status(-1);
  Py_XDECREF(object);
  Py_XDECREF(index);
  return leave(lock, status);
}

static int32_t host_contains(const jf_any* container, const jf_any* item) {
  const lock_taken lock = enter();
  core_host_operations++;
  PyObject* object = boxed(container);
  PyObject* wanted = object != NULL ? boxed(item) : NULL;
  const int32_t status = core_op_status(wanted != NULL ? PySequence_Contains(object, wanted) : -1);
  Py_XDECREF(object);
  Py_XDECREF(wanted);
  return leave(lock, status);
}

/* -- iteration ---------------------------------------------------------------------------------------------------------- */

static int32_t host_iterate(const jf_any* value, int32_t is_reversed, jf_value* iterator) {
  const lock_taken lock = enter();
  PyObject* object = boxed(value);
  if (object != NULL) core_count_unless_own(object);
  PyObject* found = NULL;
  if (object != NULL)
    found = is_reversed ? PyObject_CallOneArg((PyObject*)&PyReversed_Type, object) : PyObject_GetIter(object);
  jf_object* held = found != NULL ? core_host_new(found) : NULL;
  Py_XDECREF(object);
  Py_XDECREF(found);
  if (held == NULL) return leave(lock, core_op_status(-1));
  *iterator = (jf_any){JF_OBJECT, 0, {.v_object = held}};
  return leave(lock, 0);
}

static int32_t host_next(jf_value* iterator, jf_value* out) {
  const lock_taken lock = enter();
  PyObject* found;
  int32_t more = core_op_next(core_host_get(iterator->v_object), &found);
  if (more > 0 && put(found, out) != 0) more = -1;
  return leave(lock, more);
}

/* -- encodings ---------------------------------------------------------------------------------------------------------- */

/* With surrogates, which Python's own codecs have an opinion of. */
static PyObject* str_of(const jf_text* text) {
  if (text->wide) return PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, text->data, (Py_ssize_t)text->size);
  return PyUnicode_FromStringAndSize(text->data, (Py_ssize_t)text->size);
}

static PyObject* coded(int32_t is_decoded, const jf_text* text, const char* encoding, const char* errors) {
  if (encoding == NULL || errors == NULL) return NULL;
  PyObject* given = is_decoded ? PyBytes_FromStringAndSize(text->data, (Py_ssize_t)text->size) : str_of(text);
  PyObject* found = NULL;
  if (given != NULL) {
    found = is_decoded ? PyUnicode_FromEncodedObject(given, encoding, errors)
                       : PyUnicode_AsEncodedString(given, encoding, errors);
    Py_DECREF(given);
  }
  return found;
}

static int32_t host_coded(int32_t is_decoded, const jf_text* text, const jf_text* encoding, const jf_text* errors,
                          jf_value* out) {
  const lock_taken lock = enter();
  core_host_operations++;
  PyObject* names[] = {str_of(encoding), str_of(errors)};
  const char* const by = names[0] != NULL ? PyUnicode_AsUTF8(names[0]) : NULL;
  const char* const handler = names[1] != NULL ? PyUnicode_AsUTF8(names[1]) : NULL;
  PyObject* made = coded(is_decoded, text, by, handler);
  int32_t status = -1;
  if (is_decoded && core_is_beyond_text(made)) {
    /* The interpreter makes the call again: handlers of Python's own have changed nothing. */
    if (strncmp(handler, "surrogate", strlen("surrogate")) == 0) core_host_operations--;
    Py_DECREF(made);
    jf_error_set("ValueError", CORE_SCRIPT_BEYOND_TEXT);
  } else {
    status = put(made, out);
  }
  Py_XDECREF(names[0]);
  Py_XDECREF(names[1]);
  return leave(lock, status);
}

static const jf_script_host host = {
    .binary = host_binary,
    .inplace = host_inplace,
    .unary = host_unary,
    .length = host_length,
    .isinstance = host_isinstance,
    .item = host_item,
    .set_item = host_set_item,
    .slice = host_slice,
    .set_slice = host_set_slice,
    .contains = host_contains,
    .iterate = host_iterate,
    .next = host_next,
    .coded = host_coded,
};

/* script_host(address): of jf_script_set_host, which learns whom to ask. */
static PyObject* script_host(PyObject* module, PyObject* address) {
  (void)module;
  void* entry = PyLong_AsVoidPtr(address);
  if (entry == NULL) return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "expected an address");
  void (*set)(const jf_script_host*);
  memcpy(&set, &entry, sizeof set);
  set(&host);
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"script_host", script_host, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

int core_script_host_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
