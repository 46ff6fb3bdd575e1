/* Items of typed containers out of Python objects: what a parameter of the item's type would be, as it stands in a slot. */
#include "unbox_item.h"
#include "borrow.h"
#include "error.h"
#include "foreign.h"
#include "jitffi/ndarray.h"
#include "jitffi/pattern.h"
#include "jitffi/runtime.h"
#include "jitffi/text.h"
#include "raise.h"
#include "text_object.h"
#include "typed_function.h"
#include "unbox.h"
#include "wrapper.h"

#include <string.h>

/* -- messages ------------------------------------------------------------------------------------------------- */

/* New: "[2]['key']". Only built-in keys are shown: no code of the user runs. */
static PyObject* path_text(const step* at) {
  if (at == NULL) return PyUnicode_FromString("");
  PyObject* outer = path_text(at->outer);
  if (outer == NULL) return NULL;
  PyObject* text;
  if (at->key == NULL && at->index < 0) return outer;
  if (at->key == NULL)
    text = PyUnicode_FromFormat("%U[%zd]", outer, at->index);
  else if (PyUnicode_CheckExact(at->key) || PyLong_CheckExact(at->key))
    text = PyUnicode_FromFormat("%U[%.60R]", outer, at->key);
  else
    text = PyUnicode_FromFormat("%U[...]", outer);
  Py_DECREF(outer);
  return text;
}

/* Steals value, the text of what came.
 * "f: argument 1 'xs': expected list[u8], got list with int 300 at [2], out of range for u8" */
static int refuse(const subject* s, PyObject* exception, PyObject* value, const step* at, const char* what,
                  const char* detail, const char* name) {
  if (s->is_tried) {
    Py_XDECREF(value);
    PyErr_SetNone(exception);
    return -1;
  }
  PyObject* where = value != NULL ? core_where(s->state, s->index) : NULL;
  PyObject* path = where != NULL ? path_text(at) : NULL;
  const int within = at != NULL || *what;
  if (path != NULL)
    PyErr_Format(exception, "%Uexpected %s, got %s%s%s%U%s%U%s%s", where, core_type_text(s->state, s->index),
                 within ? Py_TYPE(s->whole)->tp_name : "", within ? " with " : "", what, value,
                 PyUnicode_GET_LENGTH(path) != 0 ? " at " : "", path, detail, name);
  Py_XDECREF(where);
  Py_XDECREF(value);
  Py_XDECREF(path);
  return -1;
}

int core_refuse_item(const subject* s, PyObject* got, const step* at, const char* what) {
  return refuse(s, PyExc_TypeError, s->is_tried ? NULL : core_describe(got), at, what, "", "");
}

int core_refuse_elements(const subject* s, PyObject* got, const step* at, const char* what, const jf_object* array) {
  char elements[JF_DTYPE_SIZE];
  jf_dtype_format(((const jf_ndarray*)array)->tensor.dtype, elements, sizeof elements);
  return refuse(s, PyExc_TypeError, s->is_tried ? NULL : core_describe(got), at, what, ", whose elements are ",
                elements);
}

/* Whether it is of that class, and its text begins so. */
static int says(PyObject* exception, PyObject* type, const char* start) {
  PyObject* args = (PyObject*)Py_TYPE(exception) == type ? ((PyBaseExceptionObject*)exception)->args : NULL;
  if (args == NULL || PyTuple_GET_SIZE(args) != 1 || !PyUnicode_Check(PyTuple_GET_ITEM(args, 0))) return 0;
  const char* text = PyUnicode_AsUTF8(PyTuple_GET_ITEM(args, 0));
  if (text == NULL) PyErr_Clear();
  return text != NULL && strncmp(text, start, strlen(start)) == 0;
}

/* Whether it is of that class and has no text. */
static int is_bare(PyObject* exception, PyObject* type) {
  PyObject* args = ((PyBaseExceptionObject*)exception)->args;
  return (PyObject*)Py_TYPE(exception) == type && args != NULL && PyTuple_GET_SIZE(args) == 0;
}

/* Whether the conversion of an argument of no function has raised it, or, for numbers, code in C: one that is no scalar's. */
static int is_own(PyObject* exception, PyObject* type, int is_number) {
  return (is_number && (PyObject*)Py_TYPE(exception) == type) || is_bare(exception, type) ||
         says(exception, type, "function: argument 1: expected any");
}

int core_is_refusal(void) {
  PyObject* exception = core_error_fetch();
  const int found =
      exception != NULL && (is_bare(exception, PyExc_TypeError) || is_bare(exception, PyExc_OverflowError) ||
                            is_bare(exception, PyExc_ValueError));
  core_error_restore(exception);
  return found;
}

int core_refuse_text(const subject* s, PyObject* value, const step* at) {
  return refuse(s, PyExc_TypeError, value, at, "", "", "");
}

static int is_dlpack(const jf_pattern* p) { return p->kind == JF_PATTERN_DTYPE || p->kind == JF_PATTERN_DEVICE; }

/* A conversion failed. What was refused as an argument of the item's type would be is told again with the way to it; what
 * Python code raised, and every other class, stays as it is. */
static int told(const subject* s, const jf_pattern* p, PyObject* got, const step* at, const char* what) {
  PyObject* exception = core_error_fetch();
  PyObject* traceback = exception != NULL ? PyException_GetTraceback(exception) : NULL;
  const int is_number = p->kind >= JF_PATTERN_BOOL && p->kind <= JF_PATTERN_FLOAT;
  const int is_type = exception != NULL && is_own(exception, PyExc_TypeError, is_number);
  const int is_range = exception != NULL && is_own(exception, PyExc_OverflowError, is_number);
  const int is_name = exception != NULL && (is_dlpack(p) || (s->is_tried && is_number)) &&
                      is_own(exception, PyExc_ValueError, is_number);
  const int is_told = exception != NULL && says(exception, (PyObject*)Py_TYPE(exception), "function: argument 1: ");
  const int is_ours = traceback == NULL && (is_type || is_range || is_name);
  Py_XDECREF(traceback); /* from here on it only tells whether there is one */
  if (!is_ours) {
    if (exception == NULL) return -1;
    core_error_restore(exception);
    PyObject* where = traceback == NULL && is_told ? core_where(s->state, s->index) : NULL;
    if (where != NULL)
      core_raise_elsewhere(where, where);
    else if (traceback == NULL)
      core_raise_context(s->state, s->index);
    return -1;
  }
  Py_DECREF(exception);
  if (is_type) return core_refuse_item(s, got, at, what);
  if (is_name) return refuse(s, PyExc_ValueError, core_describe(got), at, what, ", which names no ", p->name);
  return refuse(s, PyExc_OverflowError, core_describe(got), at, what, ", out of range for ", p->name);
}

/* -- single values -------------------------------------------------------------------------------------------- */

static void set(jf_view* out, int32_t code, int64_t payload) {
  out->type_code = code;
  out->small_len = 0;
  out->v_int64 = payload;
}

/* As a number of that type stands in a slot: narrow floats with the value that they were rounded to. */
static int convert_number(const jf_pattern* p, PyObject* object, jf_view* out) {
  int64_t bits;
  float single;
  if (core_unbox_scalar(NULL, 0, object, p->scalar, &bits) != 0) return -1;
  if (p->kind != JF_PATTERN_FLOAT) {
    const int is_large = p->scalar == JF_KIND_U64 && bits < 0;
    set(out, p->kind == JF_PATTERN_BOOL ? JF_BOOL : is_large ? JF_UINT : JF_INT, bits);
    return 0;
  }
  set(out, JF_FLOAT, bits);
  memcpy(&single, &bits, sizeof single);
  if (p->scalar == JF_KIND_F32) out->v_float64 = single;
  if (p->scalar == JF_KIND_F16) out->v_float64 = jf_f64_from_f16((uint16_t)bits);
  if (p->scalar == JF_KIND_BF16) out->v_float64 = jf_f64_from_bf16((uint16_t)bits);
  return 0;
}

/* A data type or device, or the name of one. */
static int convert_dlpack(const jf_pattern* p, PyObject* object, jf_view* out) {
  const int is_dtype = p->kind == JF_PATTERN_DTYPE;
  int64_t word;
  if (core_unbox_dlpack(NULL, 0, object, is_dtype ? JF_KIND_DTYPE : JF_KIND_DEVICE, &word) != 0) return -1;
  set(out, is_dtype ? JF_DTYPE : JF_DEVICE, word);
  return 0;
}

/* None and ints only: what else is a pointer for the length of a call would dangle in a container. */
static int convert_pointer(PyObject* object, jf_view* out, jf_temps* temps) {
  void* address = NULL;
  if (!PyLong_Check(object) || PyBool_Check(object)) {
    PyErr_SetNone(PyExc_TypeError);
    return -1;
  }
  if (core_unbox_ptr(NULL, 0, object, &address, temps) != 0) return -1;
  set(out, address != NULL ? JF_HANDLE : JF_NULL, 0);
  out->v_handle = address;
  return 0;
}

static int convert_bytes(PyObject* object, converted* out) {
  if (core_unbox_bytes(NULL, 0, object, &out->borrowed.span, &out->temps) != 0) return -1;
  set(&out->borrowed.view, JF_BYTE_ARRAY, 0);
  out->borrowed.view.v_span = &out->borrowed.span;
  return 0;
}

/* Text as code points. UnicodeEncodeError for a lone surrogate. */
static int convert_ucs4(PyObject* text, converted* out) {
  const Py_ssize_t size = PyUnicode_GetLength(text);
  Py_UCS4* copy = size < 0 ? NULL : PyUnicode_AsUCS4Copy(text);
  if (copy == NULL) return -1;
  int status = 0;
  if (jf_ucs4_fault(copy, (size_t)size) >= 0) {
    PyObject* bytes = PyUnicode_AsUTF8String(text); /* raises */
    Py_XDECREF(bytes);
    status = -1;
  } else if (size <= 2) {
    set(&out->borrowed.view, JF_SMALL_UCS4, 0);
    out->borrowed.view.small_len = (int32_t)size;
    memcpy(out->borrowed.view.v_char32, copy, (size_t)size * sizeof *copy);
  } else {
    out->borrowed.owned = jf_ucs4_new(copy, (size_t)size);
    status = raised(out->borrowed.owned == NULL ? -1 : 0);
    set(&out->borrowed.view, JF_OBJECT, 0);
    out->borrowed.view.v_object = out->borrowed.owned;
  }
  PyMem_Free(copy);
  return status;
}

static int convert_function(const jf_pattern* p, PyObject* object, converted* out) {
  jf_object* function;
  if (p->types != NULL) {
    function = out->borrowed.owned = core_typed_function(p, object, NULL);
    if (function == NULL && !PyErr_Occurred()) PyErr_SetNone(PyExc_TypeError);
    if (function == NULL) return -1;
  } else if (core_unbox_object(NULL, 0, object, JF_FUNCTION, &function, &out->temps) != 0)
    return -1;
  set(&out->borrowed.view, JF_FUNCTION, 0);
  out->borrowed.view.v_object = function;
  return 0;
}

/* What a borrowed view must be for its type; numbers and the like have been converted. */
static int borrow_checked(const jf_pattern* p, PyObject* object, converted* out) {
  const int is_container = PyList_Check(object) || PyTuple_Check(object) || PyDict_Check(object);
  if (is_container && p->kind != JF_PATTERN_ANY && p->kind != JF_PATTERN_OBJECT) {
    PyErr_SetNone(PyExc_TypeError);
    return -1;
  }
  if (core_borrow(object, &out->borrowed) != 0) {
    out->borrowed = (core_borrowed){0};
    if (PyLong_Check(object) && PyErr_ExceptionMatches(PyExc_OverflowError)) PyErr_SetNone(PyExc_OverflowError);
    return -1;
  }
  if (jf_pattern_holds(p, &out->borrowed.view)) return 0;
  PyErr_SetNone(PyExc_TypeError);
  return -1;
}

/* The code points of a wrapper, those of a String converted. */
static int borrow_text(const jf_pattern* p, PyObject* object, converted* out) {
  if (borrow_checked(p, object, out) == 0) return 0;
  if (!core_is_text_object(object)) return -1;
  PyErr_Clear();
  converted_done(out);
  *out = (converted){0};
  PyObject* text = PyObject_Str(object);
  const int status = text != NULL ? convert_ucs4(text, out) : -1;
  Py_XDECREF(text);
  return status;
}

static int convert_single(const jf_pattern* p, PyObject* object, converted* out) {
  switch (p->kind) {
    case JF_PATTERN_BOOL:
    case JF_PATTERN_INTEGER:
    case JF_PATTERN_FLOAT:
      return convert_number(p, object, &out->borrowed.view);
    case JF_PATTERN_PTR:
      return convert_pointer(object, &out->borrowed.view, &out->temps);
    case JF_PATTERN_BYTES:
      return PyBytes_Check(object) || core_is_wrapper(object) ? borrow_checked(p, object, out)
                                                              : convert_bytes(object, out);
    case JF_PATTERN_FUNC:
      return convert_function(p, object, out);
    case JF_PATTERN_UCS4:
      return PyUnicode_Check(object) ? convert_ucs4(object, out) : borrow_text(p, object, out);
    case JF_PATTERN_DTYPE:
    case JF_PATTERN_DEVICE:
      return convert_dlpack(p, object, &out->borrowed.view);
    default:
      return borrow_checked(p, object, out);
  }
}

/* What a value protocol says in the place of an object that was refused: 1; 0, with the refusal; -1 with another exception. Only for
 * bytes, functions, and objects that are native ones: other types and objects have been asked. What has been said lives as long as
 * what is converted. */
static int convert_said(const jf_pattern* p, PyObject* object, converted* out) {
  if (p->kind != JF_PATTERN_BYTES && p->kind != JF_PATTERN_FUNC && !core_is_wrapper(object)) return 0;
  PyObject* refusal = core_error_fetch();
  PyObject* said = core_protocol_value(object, CORE_AS_ANY);
  int status = said != NULL ? 1 : PyErr_Occurred() ? -1 : 0;
  if (status == 0) core_error_restore(refusal);
  if (status != 0) Py_XDECREF(refusal);
  if (status <= 0) return status;
  converted_done(out);
  *out = (converted){0};
  status = Py_EnterRecursiveCall(" in a value protocol") ? -1 : 1;
  if (status > 0) {
    status = convert_single(p, said, out) == 0 ? 1 : convert_said(p, said, out);
    Py_LeaveRecursiveCall();
  }
  if (status > 0 && out->borrowed.kept == NULL)
    out->borrowed.kept = said;
  else
    Py_DECREF(said);
  return status;
}

/* None is a value of optional types, any and ptr. */
int core_convert_item(const subject* s, const jf_pattern* p, PyObject* object, const step* at, const char* what,
                      converted* out) {
  if (object == Py_None && (p->optional || p->kind == JF_PATTERN_ANY || p->kind == JF_PATTERN_PTR)) {
    set(&out->borrowed.view, JF_NULL, 0);
    return 0;
  }
  if (convert_single(p, object, out) == 0 || convert_said(p, object, out) > 0) return 0;
  converted_done(out);
  return told(s, p, object, at, what);
}
