/* Values of scripts that are Python's own objects: their counts, what is in them as slots, and slots as objects.
 *
 * What is exactly an int of 64 bits, a float, a bool, None, a str or bytes is the native value; a str's characters are read
 * where they lie. Instances of classes derived from these keep their class: they are host objects, as everything else is.
 */
#include "script_object.h"
#include "box.h"
#include "boxing.h"
#include "convert.h"
#include "error.h"
#include "host_object.h"
#include "jitffi/text.h"
#include "script.h"
#include "unbox.h"
#include "wrapper.h"

#include <string.h>

void core_op_retain(PyObject* object) { Py_INCREF(object); }

/* What is destroyed can run scripts, which fail by themselves. */
static __attribute__((noinline)) void destroy(PyObject* object) {
  const int32_t is_pending = jf_error_is_pending();
  jf_object* error = jf_error_take();
  Py_DECREF(object);
  if (error == NULL) return;
  jf_error_set_object(error);
  if (is_pending) jf_error_mark_pending();
}

void core_op_release(PyObject* object) {
  if (object == NULL) return;
  if (Py_REFCNT(object) > 1)
    Py_DECREF(object);
  else
    destroy(object);
}

/* -- objects as slots ---------------------------------------------------------------------------------------------- */

static int32_t failed(void) {
  core_error_from_python();
  return -1;
}

/* 1 where the object's value is in *slot, 0 where it is none of these. */
static inline int set_plain(PyObject* object, jf_any* slot) {
  PyTypeObject* const type = Py_TYPE(object);
  if (type == &PyLong_Type) {
    int overflow;
    const long long value = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (overflow != 0) return 0;
    *slot = (jf_any){JF_INT, 0, {.v_int64 = value}};
  } else if (type == &PyFloat_Type) {
    *slot = (jf_any){JF_FLOAT, 0, {.v_float64 = PyFloat_AS_DOUBLE(object)}};
  } else if (type == &PyBool_Type) {
    *slot = (jf_any){JF_BOOL, 0, {.v_int64 = object == Py_True}};
  } else if (object == Py_None) {
    *slot = (jf_any){JF_NULL, 0, {0}};
  } else {
    return 0;
  }
  return 1;
}

static int32_t set_native(PyObject* object, jf_value* slot) {
  jf_object* native;
  if (core_is_wrapper(object)) {
    native = core_wrapper_get(object);
    if (native != NULL) jf_object_retain(native);
  } else {
    native = core_host_new(object);
  }
  if (native == NULL) return failed();
  core_view_of_object(native, slot);
  return 0;
}

/* A str that is no ASCII, as code points of its own; one with half a character as the object that it is. */
static int32_t put_wide(PyObject* text, jf_value* out) {
  if (core_has_surrogate(text)) return set_native(text, out);
  return core_out_ucs4(text, out) == 0 ? 0 : failed();
}

int32_t core_op_view(PyObject* object, jf_value* slot, jf_span* span) {
  if (set_plain(object, slot)) return 0;
  if (PyUnicode_CheckExact(object)) {
    if (!PyUnicode_IS_COMPACT_ASCII(object)) return put_wide(object, slot);
    *span = (jf_span){PyUnicode_DATA(object), (size_t)PyUnicode_GET_LENGTH(object)};
    *slot = (jf_any){JF_STR_VIEW, 0, {.v_span = span}};
    return 0;
  }
  if (PyBytes_CheckExact(object)) {
    *span = (jf_span){PyBytes_AS_STRING(object), (size_t)PyBytes_GET_SIZE(object)};
    *slot = (jf_any){JF_BYTE_ARRAY, 0, {.v_span = span}};
    return 0;
  }
  return set_native(object, slot);
}

int32_t core_op_view_shown(PyObject* object, jf_value* slot, jf_span* span) {
  jf_object* native = core_wrapper_object(object);
  if (native == NULL || !core_is_container(native->type_code)) return core_op_view(object, slot, span);
  native = core_host_new(object);
  if (native == NULL) return failed();
  core_view_of_object(native, slot);
  return 0;
}

/* The same of an instance of a class that is derived from one of these. */
int32_t core_op_view_as(PyObject* object, jf_value* slot, jf_span* span) {
  PyObject* plain = NULL;
  if (PyUnicode_Check(object) && !PyUnicode_CheckExact(object))
    plain = PyUnicode_FromObject(object);
  else if (PyBytes_Check(object) && !PyBytes_CheckExact(object))
    plain = PyBytes_FromStringAndSize(PyBytes_AS_STRING(object), PyBytes_GET_SIZE(object));
  else if (PyLong_Check(object) && !PyLong_CheckExact(object) && !PyBool_Check(object))
    plain = PyLong_Type.tp_as_number->nb_int(object);
  else if (PyFloat_Check(object) && !PyFloat_CheckExact(object))
    plain = PyFloat_FromDouble(PyFloat_AS_DOUBLE(object));
  else
    return core_op_view(object, slot, span);
  if (plain == NULL) return failed();
  const int32_t status = core_op_put(plain, slot);
  Py_DECREF(plain);
  return status;
}

int32_t core_op_put(PyObject* object, jf_value* out) {
  jf_any plain;
  if (set_plain(object, &plain)) {
    *out = plain;
    return 0;
  }
  if (PyUnicode_CheckExact(object)) {
    if (!PyUnicode_IS_COMPACT_ASCII(object)) return put_wide(object, out);
    return jf_out_str(out, PyUnicode_DATA(object), (size_t)PyUnicode_GET_LENGTH(object)) == 0 ? 0 : -1;
  }
  if (PyBytes_CheckExact(object))
    return jf_out_bytes(out, PyBytes_AS_STRING(object), (size_t)PyBytes_GET_SIZE(object)) == 0 ? 0 : -1;
  return set_native(object, out);
}

int core_is_beyond_text(PyObject* text) { return text != NULL && PyUnicode_Check(text) && core_has_surrogate(text); }

int32_t core_op_subject(PyObject* object, jf_value* out) {
  PyObject* text = NULL;
  if (PyUnicode_Check(object)) {
    text = PyUnicode_FromObject(object);
  } else if (PyObject_CheckBuffer(object)) {
    text = PyBytes_FromObject(object);
  } else {
    PyErr_Format(PyExc_TypeError, "expected string or bytes-like object, got '%.200s'", Py_TYPE(object)->tp_name);
  }
  if (text == NULL) return core_op_status(-1);
  int32_t status = -1;
  if (core_is_beyond_text(text))
    jf_error_set("ValueError", CORE_SCRIPT_BEYOND_TEXT);
  else
    status = core_op_put(text, out);
  Py_DECREF(text);
  return status;
}

/* -- and back --------------------------------------------------------------------------------------------------------- */

PyObject* core_op_box(const jf_view* view) {
  if (view->type_code == JF_OBJECT && view->v_object->type_code == JF_TUPLE) return core_op_box_native(view->v_object);
  return core_op_checked(core_box_view(view));
}

PyObject* core_op_box_int(int64_t value) { return core_op_checked(PyLong_FromLongLong(value)); }

PyObject* core_op_box_float(double value) { return core_op_checked(PyFloat_FromDouble(value)); }

PyObject* core_op_box_char(int32_t value) { return core_op_checked(PyUnicode_FromOrdinal(value)); }

PyObject* core_op_box_bytes(const jf_text* bytes) { return core_op_checked(core_box_bytes(bytes->data, bytes->size)); }

PyObject* core_op_box_native(jf_object* object) {
  /* Python code may make its class, and drop it meanwhile from where it lies. */
  jf_object_retain(object);
  PyObject* made = object->type_code == JF_TUPLE     ? core_to_python(object)
                   : object->type_code == JF_NDARRAY ? core_script_array_back(object)
                                                     : core_box_object(object);
  jf_object_release(object);
  return core_op_checked(made);
}

/* -- the ends of a call ------------------------------------------------------------------------------------------------ */

PyObject* core_op_argument(const jf_view* view, PyObject** owner) {
  if (view->type_code == CORE_PYTHON_REFERENCE) return view->v_handle;
  return *owner = core_op_box(view);
}

void core_op_result(PyObject* object, jf_value* out) {
  *out = (jf_any){CORE_PYTHON_REFERENCE, 0, {.v_handle = object}};
}
