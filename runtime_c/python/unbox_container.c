/* Arguments and results of the types list, map and tuple: a face lends its own object, which is checked; a Python list, dict
 * or tuple becomes a new container whose items are what parameters of their types would be: floats of ints, text of str.
 *
 * Converting an item may run Python code, which may change what is converted: items are held, and sizes read again. The
 * depth of typed containers is their type's; what is untyped is converted elsewhere, where depth is counted.
 */
#include <string.h>

#include "core.h"

/* The way to the value that is being converted, innermost first. */
typedef struct step step;
struct step {
  const step* outer;
  Py_ssize_t index;
  PyObject* key; /* NULL: an index */
};

/* What a message needs, the same during the whole walk. */
typedef struct {
  core_state* state;
  int32_t index;
  PyObject* whole;
} subject;

/* A converted value: a view, and what it borrows from. */
typedef struct {
  core_lent lent;
  jf_temps temps;
} converted;

static void converted_done(converted* value) {
  core_lent_done(&value->lent);
  jf_temps_release(&value->temps);
}

static int raised(int32_t status) {
  if (status != 0) core_error_raise(NULL);
  return status != 0 ? -1 : 0;
}

/* -- messages ------------------------------------------------------------------------------------------------- */

/* New: "[2]['key']". Only built-in keys are shown: no code of the user runs. */
static PyObject* path_text(const step* at) {
  if (at == NULL) return PyUnicode_FromString("");
  PyObject* outer = path_text(at->outer);
  if (outer == NULL) return NULL;
  PyObject* text;
  if (at->key == NULL)
    text = PyUnicode_FromFormat("%U[%zd]", outer, at->index);
  else if (PyUnicode_CheckExact(at->key) || PyLong_CheckExact(at->key))
    text = PyUnicode_FromFormat("%U[%.60R]", outer, at->key);
  else
    text = PyUnicode_FromFormat("%U[...]", outer);
  Py_DECREF(outer);
  return text;
}

/* "f: argument 1 'xs': expected list[u8], got list with int 300 at [2], out of range for u8" */
static int refuse(const subject* s, PyObject* exception, PyObject* got, const step* at, const char* what,
                  const char* detail, const char* name) {
  PyObject* where = core_where(s->state, s->index);
  PyObject* value = where != NULL ? core_describe(got) : NULL;
  PyObject* path = value != NULL ? path_text(at) : NULL;
  const int within = path != NULL && (PyUnicode_GET_LENGTH(path) != 0 || *what);
  if (path != NULL)
    PyErr_Format(exception, "%Uexpected %s, got %s%s%s%U%s%U%s%s", where, core_type_text(s->state, s->index),
                 within ? Py_TYPE(s->whole)->tp_name : "", within ? " with " : "", what, value,
                 PyUnicode_GET_LENGTH(path) != 0 ? " at " : "", path, detail, name);
  Py_XDECREF(where);
  Py_XDECREF(value);
  Py_XDECREF(path);
  return -1;
}

static int refuse_type(const subject* s, PyObject* got, const step* at, const char* what) {
  return refuse(s, PyExc_TypeError, got, at, what, "", "");
}

/* A conversion failed. What was refused as an argument of the item's type would be is told again with the way to it; what
 * Python code raised, and every other class, stays as it is. */
static int told(const subject* s, const jf_pattern* p, PyObject* got, const step* at, const char* what) {
  PyObject* exception = core_error_fetch();
  PyObject* traceback = exception != NULL ? PyException_GetTraceback(exception) : NULL;
  const int is_type = exception != NULL && (PyObject*)Py_TYPE(exception) == PyExc_TypeError;
  const int is_range = exception != NULL && (PyObject*)Py_TYPE(exception) == PyExc_OverflowError;
  const int is_ours = traceback == NULL && (is_type || is_range);
  Py_XDECREF(traceback);
  if (!is_ours) {
    if (exception != NULL) core_error_restore(exception);
    return -1;
  }
  Py_DECREF(exception);
  if (is_type) return refuse_type(s, got, at, what);
  return refuse(s, PyExc_OverflowError, got, at, what, ", out of range for ", p->name);
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
  if (core_unbox_bytes(NULL, 0, object, &out->lent.span, &out->temps) != 0) return -1;
  set(&out->lent.view, JF_BYTE_ARRAY, 0);
  out->lent.view.v_span = &out->lent.span;
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
    set(&out->lent.view, JF_SMALL_UCS4, 0);
    out->lent.view.small_len = (int32_t)size;
    memcpy(out->lent.view.v_char32, copy, (size_t)size * sizeof *copy);
  } else {
    out->lent.owned = jf_ucs4_new(copy, (size_t)size);
    status = raised(out->lent.owned == NULL ? -1 : 0);
    set(&out->lent.view, JF_OBJECT, 0);
    out->lent.view.v_object = out->lent.owned;
  }
  PyMem_Free(copy);
  return status;
}

static int convert_function(PyObject* object, converted* out) {
  jf_object* function;
  if (core_unbox_object(NULL, 0, object, JF_FUNCTION, &function, &out->temps) != 0) return -1;
  set(&out->lent.view, JF_FUNCTION, 0);
  out->lent.view.v_object = function;
  return 0;
}

/* What a lent view must be for its type; numbers and the like have been converted. */
static int lend_checked(const jf_pattern* p, PyObject* object, converted* out) {
  if (core_lend(object, &out->lent) != 0) {
    out->lent = (core_lent){0};
    return -1;
  }
  if (jf_pattern_holds(p, &out->lent.view)) return 0;
  PyErr_SetNone(PyExc_TypeError);
  return -1;
}

static int convert_single(const jf_pattern* p, PyObject* object, converted* out) {
  switch (p->kind) {
    case JF_PATTERN_BOOL:
    case JF_PATTERN_INTEGER:
    case JF_PATTERN_FLOAT:
      return convert_number(p, object, &out->lent.view);
    case JF_PATTERN_PTR:
      return convert_pointer(object, &out->lent.view, &out->temps);
    case JF_PATTERN_BYTES:
      return PyBytes_Check(object) || core_is_face(object) ? lend_checked(p, object, out) : convert_bytes(object, out);
    case JF_PATTERN_FUNC:
      return convert_function(object, out);
    case JF_PATTERN_UCS4:
      return PyUnicode_Check(object) ? convert_ucs4(object, out) : lend_checked(p, object, out);
    default:
      return lend_checked(p, object, out);
  }
}

/* -- containers ----------------------------------------------------------------------------------------------- */

static jf_object* make(const subject* s, const jf_pattern* p, PyObject* object, const step* at, const char* what);

/* Zero-initialised *out. -1 with an exception, and nothing to give back. */
static int convert(const subject* s, const jf_pattern* p, PyObject* object, const step* at, const char* what,
                   converted* out) {
  if (object == Py_None && (p->optional || p->kind == JF_PATTERN_ANY || p->kind == JF_PATTERN_PTR)) {
    set(&out->lent.view, JF_NULL, 0);
    return 0;
  }
  if (p->kind >= JF_PATTERN_LIST) {
    jf_object* made = make(s, p, object, at, what);
    if (made == NULL) return -1;
    out->lent.owned = made;
    set(&out->lent.view, JF_OBJECT, 0);
    out->lent.view.v_object = made;
    return 0;
  }
  if (convert_single(p, object, out) == 0) return 0;
  converted_done(out);
  return told(s, p, object, at, what);
}

/* The items of a list or tuple, appended to a native list; `types` is one pattern for all, or the first of a row. */
static int add_items(const subject* s, const jf_pattern* types, int in_a_row, PyObject* source, const step* outer,
                     jf_object* list) {
  static const jf_pattern any = {.name = "any", .kind = JF_PATTERN_ANY};
  const jf_pattern* p = types != NULL ? types : &any;
  for (Py_ssize_t i = 0; i < PySequence_Fast_GET_SIZE(source); i++) {
    const step here = {outer, i, NULL};
    converted value = {0};
    PyObject* item = Py_NewRef(PySequence_Fast_GET_ITEM(source, i));
    int status = convert(s, p, item, &here, "", &value);
    if (status == 0) {
      status = raised(jf_list_append(list, &value.lent.view));
      converted_done(&value);
    }
    Py_DECREF(item);
    if (status != 0) return -1;
    if (in_a_row) p = p->next;
  }
  return 0;
}

static jf_object* make_list(const subject* s, const jf_pattern* p, PyObject* source, const step* at) {
  jf_object* list = jf_list_new((size_t)PySequence_Fast_GET_SIZE(source), -1);
  if (raised(list == NULL ? -1 : 0) != 0) return NULL;
  if (add_items(s, p->inner, 0, source, at, list) == 0) return list;
  jf_object_release(list);
  return NULL;
}

/* By way of a list: a tuple is made at once. */
static jf_object* make_tuple(const subject* s, const jf_pattern* p, PyObject* source, const step* at) {
  const Py_ssize_t size = PyTuple_GET_SIZE(source);
  const int in_a_row = p->count != 0 && !p->any_length;
  if (in_a_row && (size_t)size != p->count) {
    refuse(s, PyExc_TypeError, source, at, "",
           size == 1   ? ", of one item"
           : size == 0 ? ", of no items"
                       : ", of the wrong size",
           "");
    return NULL;
  }
  jf_object* list = jf_list_new((size_t)size, JF_MAX_PAD);
  if (raised(list == NULL) != 0) return NULL;
  jf_object* tuple = NULL;
  if (add_items(s, p->inner, in_a_row, source, at, list) == 0) {
    tuple = jf_tuple_of(list);
    if (tuple == NULL) core_error_raise(NULL);
  }
  jf_object_release(list);
  return tuple;
}

static int put(const subject* s, const jf_pattern* p, PyObject* key, PyObject* value, const step* at, jf_object* map) {
  static const jf_pattern any = {.name = "any", .kind = JF_PATTERN_ANY};
  const step here = {at, 0, key};
  converted native_key = {0}, native_value = {0};
  if (convert(s, p->inner != NULL ? p->inner : &any, key, at, "key ", &native_key) != 0) return -1;
  int status = convert(s, p->inner != NULL ? p->inner->next : &any, value, &here, "", &native_value);
  if (status == 0) {
    status = raised(jf_map_set(map, &native_key.lent.view, &native_value.lent.view));
    converted_done(&native_value);
  }
  converted_done(&native_key);
  return status;
}

static int put_all(const subject* s, const jf_pattern* p, PyObject* source, const step* at, jf_object* map) {
  const Py_ssize_t size = PyDict_GET_SIZE(source);
  Py_ssize_t position = 0;
  PyObject *key, *value;
  while (PyDict_Next(source, &position, &key, &value)) {
    Py_INCREF(key);
    Py_INCREF(value);
    const int status = put(s, p, key, value, at, map);
    Py_DECREF(key);
    Py_DECREF(value);
    if (status != 0) return -1;
    if (PyDict_GET_SIZE(source) != size) {
      PyErr_SetString(PyExc_RuntimeError, "dictionary changed size during iteration");
      return -1;
    }
  }
  return 0;
}

static jf_object* make_map(const subject* s, const jf_pattern* p, PyObject* source, const step* at) {
  jf_object* map = jf_map_new((size_t)PyDict_GET_SIZE(source), -1);
  if (raised(map == NULL) != 0) return NULL;
  if (put_all(s, p, source, at, map) == 0) return map;
  jf_object_release(map);
  return NULL;
}

/* A mapping that is no dict, in a dict. NULL with an exception, or without one for what is no mapping. */
static PyObject* as_dict(PyObject* object) {
  PyObject* keys;
  if (PyDict_Check(object)) return Py_NewRef(object);
  if (PyType_Check(object) || !PyMapping_Check(object)) return NULL;
  keys = PyObject_GetAttrString(object, "keys");
  if (keys == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
  if (keys == NULL) return NULL;
  Py_DECREF(keys);
  PyObject* dict = PyDict_New();
  if (dict != NULL && PyDict_Update(dict, object) == 0) return dict;
  Py_XDECREF(dict);
  return NULL;
}

/* A face's own object. A new reference, or NULL with an exception. */
static jf_object* share(const subject* s, const jf_pattern* p, PyObject* face, const step* at, const char* what) {
  jf_object* native = core_face_get(face);
  if (native == NULL) return NULL;
  jf_view view;
  core_view_of_object(native, &view);
  if (at == NULL && !*what) {
    if (raised(jf_pattern_check(p, s->state->info, s->index, &view)) != 0) return NULL;
  } else if (!jf_pattern_holds(p, &view)) {
    refuse_type(s, face, at, what);
    return NULL;
  }
  jf_object_retain(native);
  return native;
}

/* New. NULL with an exception. */
static jf_object* make(const subject* s, const jf_pattern* p, PyObject* object, const step* at, const char* what) {
  PyObject* moved = core_moved_face(object);
  if (moved != NULL) object = moved;
  if (core_is_face(object)) return share(s, p, object, at, what);
  if (p->kind == JF_PATTERN_LIST && (PyList_Check(object) || PyTuple_Check(object))) return make_list(s, p, object, at);
  if (p->kind == JF_PATTERN_TUPLE && PyTuple_Check(object)) return make_tuple(s, p, object, at);
  if (p->kind == JF_PATTERN_MAP) {
    PyObject* dict = as_dict(object);
    jf_object* map = dict != NULL ? make_map(s, p, dict, at) : NULL;
    Py_XDECREF(dict);
    if (map != NULL || PyErr_Occurred()) return map;
  }
  refuse_type(s, object, at, what);
  return NULL;
}

/* Borrows object; *out is a new reference. */
int32_t core_unbox_container(core_state* state, int32_t index, PyObject* object, jf_object** out) {
  const jf_pattern* pattern = jf_pattern_at(state->info, index);
  if (pattern == NULL) return raised(-1);
  const subject s = {state, index, object};
  jf_object* made = make(&s, pattern, object, NULL, "");
  *out = made;
  return made != NULL ? 0 : -1;
}
