/* Arguments and results of the types list, map, set and tuple: a wrapper's own object is borrowed, and checked; a Python list,
 * dict, set or tuple becomes a new container whose items are what parameters of their types would be: floats of ints, text of str.
 *
 * Converting an item may run Python code, which may change what is converted: items are held, and sizes read again. The
 * depth of typed containers is their type's; what is untyped is converted elsewhere, where depth is counted.
 */
#include "convert.h"
#include "error.h"
#include "foreign.h"
#include "jitffi/containers.h"
#include "jitffi/ndarray.h"
#include "jitffi/pattern.h"
#include "jitffi/runtime.h"
#include "raise.h"
#include "state.h"
#include "unbox.h"
#include "unbox_item.h"
#include "wrapper.h"

#include <string.h>

static jf_object* make(const subject* s, const jf_pattern* p, PyObject* object, const step* at, const char* what);

static int convert(const subject* s, const jf_pattern* p, PyObject* object, const step* at, const char* what,
                   converted* out);

/* Whether what is set has been raised in C, and may say no more than that a value does not fit. */
static int is_mild(void) {
  if (!PyErr_ExceptionMatches(PyExc_TypeError) && !PyErr_ExceptionMatches(PyExc_OverflowError) &&
      !PyErr_ExceptionMatches(PyExc_ValueError))
    return 0;
  PyObject* exception = core_error_fetch();
  PyObject* traceback = PyException_GetTraceback(exception); /* only Python code leaves one */
  core_error_restore(exception);
  Py_XDECREF(traceback);
  return traceback == NULL;
}

static int convert_union(const subject* s, const jf_pattern* p, PyObject* object, const step* at, const char* what,
                         converted* out);

/* New: what an object of a class with a value protocol says that it is, asked once for all of a union's types: a float of what has
 * to be one, where no int is asked for. NULL, with an exception or without. */
static PyObject* said_for(const jf_pattern* p, PyObject* object) {
  if (PyLong_Check(object) || PyFloat_Check(object) || PyUnicode_Check(object) || PyBytes_Check(object)) return NULL;
  int has_int = 0, has_float = 0;
  for (const jf_pattern* each = p->inner; each != NULL; each = each->next) {
    has_int |= each->kind == JF_PATTERN_INTEGER;
    has_float |= each->kind == JF_PATTERN_FLOAT;
  }
  PyObject* said = has_float && !has_int ? core_protocol_value(object, CORE_AS_FLOAT) : NULL;
  return said != NULL || PyErr_Occurred() ? said : core_protocol_value(object, CORE_AS_ANY);
}

/* The same for what the object has said, which is stolen and lives as long as what is converted. */
static int convert_said(const subject* s, const jf_pattern* p, PyObject* said, PyObject* object, const step* at,
                        const char* what, converted* out) {
  subject inner = *s;
  inner.is_tried = 1;
  int status = Py_EnterRecursiveCall(" in a value protocol");
  if (status == 0) {
    status = convert_union(&inner, p, said, at, what, out);
    Py_LeaveRecursiveCall();
    if (status != 0 && core_is_refusal()) {
      PyErr_Clear();
      core_refuse_item(s, object, at, what);
    }
  }
  if (status == 0 && out->borrowed.kept == NULL)
    out->borrowed.kept = said;
  else
    Py_DECREF(said);
  return status != 0 ? -1 : 0;
}

/* As it stands, where that is what one of the alternatives says: 1; 0; -1 with an exception. */
static int borrow_as_it_is(const jf_pattern* p, PyObject* object, converted* out) {
  if (core_borrow(object, &out->borrowed) == 0) {
    if (jf_pattern_holds(p, &out->borrowed.view)) return 1;
    core_borrowed_done(&out->borrowed);
  } else if (!is_mild()) {
    return -1;
  }
  PyErr_Clear();
  *out = (converted){0};
  return 0;
}

/* As it stands, or as what a value protocol says; else as the first alternative that takes it, a list as a list before it is one
 * that takes it as a tuple. */
static int convert_union(const subject* s, const jf_pattern* p, PyObject* object, const step* at, const char* what,
                         converted* out) {
  if (!PyList_Check(object) && !PyTuple_Check(object) && !PyDict_Check(object) && !PyAnySet_Check(object)) {
    const int is_wrapper = core_is_wrapper(object);
    int status = is_wrapper ? borrow_as_it_is(p, object, out) : 0;
    PyObject* said = status == 0 ? said_for(p, object) : NULL;
    if (said != NULL) return convert_said(s, p, said, object, at, what, out);
    if (status == 0 && PyErr_Occurred()) return -1;
    if (!is_wrapper) status = borrow_as_it_is(p, object, out);
    if (status != 0) return status > 0 ? 0 : -1;
  }
  subject inner = *s;
  inner.is_tried = 1;
  for (inner.as_they_are = 1; inner.as_they_are >= s->as_they_are; inner.as_they_are--) {
    for (const jf_pattern* each = p->inner; each != NULL; each = each->next) {
      if (convert(&inner, each, object, at, what, out) == 0) return 0;
      if (!core_is_refusal()) return -1;
      PyErr_Clear();
      *out = (converted){0};
    }
  }
  return core_refuse_item(s, object, at, what);
}

/* Zero-initialised *out. -1 with an exception, and nothing to give back. */
static int convert(const subject* s, const jf_pattern* p, PyObject* object, const step* at, const char* what,
                   converted* out) {
  if (p->kind == JF_PATTERN_UNION) return convert_union(s, p, object, at, what, out);
  if (p->kind < JF_PATTERN_LIST || (object == Py_None && p->optional))
    return core_convert_item(s, p, object, at, what, out);
  jf_object* made = make(s, p, object, at, what);
  if (made == NULL) return -1;
  out->borrowed.owned = made;
  core_view_of_object(made, &out->borrowed.view);
  return 0;
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
      status = raised(jf_list_append(list, &value.borrowed.view));
      converted_done(&value);
    }
    Py_DECREF(item);
    if (status != 0) return -1;
    if (in_a_row) p = p->next;
  }
  return 0;
}

/* -- in bulk: what is converted without a look at the types, where it can turn out to be what they say ----------- */

/* Whether a conversion without types can give every value its type's own form. */
static int may_suit(const jf_pattern* p) {
  if (p->kind == JF_PATTERN_FLOAT) return p->scalar == JF_KIND_F64;
  if (p->kind == JF_PATTERN_PTR || (p->kind >= JF_PATTERN_UCS4 && p->kind <= JF_PATTERN_DEVICE))
    return p->kind == JF_PATTERN_BYTES;
  for (const jf_pattern* inner = p->inner; inner != NULL; inner = inner->next)
    if (!may_suit(inner)) return 0;
  return 1;
}

/* New; NULL without an exception where it did not turn out so, and each value must be looked at. */
static jf_object* in_bulk(const subject* s, const jf_pattern* p, PyObject* source) {
  jf_object* made = may_suit(p) ? core_container_from(source) : NULL;
  if (made != NULL) {
    jf_view view;
    core_view_of_object(made, &view);
    if (jf_pattern_holds(p, &view)) return made;
    jf_object_release(made);
    return NULL;
  }
  if (PyErr_Occurred() == NULL) return NULL;
  if (s->is_tried && !PyErr_ExceptionMatches(PyExc_TypeError) && is_mild()) {
    PyErr_Clear();
    core_refuse_item(s, source, NULL, "");
  } else if (p->count == 0)
    core_raise_context(s->state, s->index);
  else if (PyErr_ExceptionMatches(PyExc_TypeError) || PyErr_ExceptionMatches(PyExc_OverflowError) ||
           PyErr_ExceptionMatches(PyExc_UnicodeEncodeError))
    PyErr_Clear(); /* it is told again, with the way to it */
  return NULL;
}

static jf_object* make_list(const subject* s, const jf_pattern* p, PyObject* source, const step* at) {
  jf_object* list = jf_list_new((size_t)PySequence_Fast_GET_SIZE(source), -1);
  if (raised(list == NULL ? -1 : 0) != 0) return NULL;
  if (add_items(s, p->inner, 0, source, at, list) == 0) return list;
  jf_object_release(list);
  return NULL;
}

static int has_the_size(const subject* s, const jf_pattern* p, PyObject* source, Py_ssize_t size, const step* at) {
  if (p->count == 0 || p->any_length || (size_t)size == p->count) return 1;
  PyObject* got = PyUnicode_FromFormat("%s of %zd item%s", Py_TYPE(source)->tp_name, size, size == 1 ? "" : "s");
  core_refuse_text(s, got, at);
  return 0;
}

/* Of any sequence, whose items are held at once, by way of a list: a tuple is made at once. */
static jf_object* make_tuple(const subject* s, const jf_pattern* p, PyObject* source, const step* at) {
  PyObject* items = PySequence_Tuple(source);
  if (items == NULL) return NULL;
  const Py_ssize_t size = PyTuple_GET_SIZE(items);
  if (!has_the_size(s, p, source, size, at)) {
    Py_DECREF(items);
    return NULL;
  }
  jf_object* list = jf_list_new((size_t)size, JF_MAX_PAD);
  jf_object* tuple = NULL;
  if (raised(list == NULL) == 0 && add_items(s, p->inner, p->count != 0 && !p->any_length, items, at, list) == 0)
    raised((tuple = jf_tuple_of(list)) == NULL);
  jf_object_release(list);
  Py_DECREF(items);
  return tuple;
}

static int put(const subject* s, const jf_pattern* p, PyObject* key, PyObject* value, const step* at, jf_object* map) {
  static const jf_pattern any = {.name = "any", .kind = JF_PATTERN_ANY};
  const step here = {at, 0, key};
  converted native_key = {0}, native_value = {0};
  if (convert(s, p->inner != NULL ? p->inner : &any, key, at, "key ", &native_key) != 0) return -1;
  int status = convert(s, p->inner != NULL ? p->inner->next : &any, value, &here, "", &native_value);
  if (status == 0) {
    status = raised(jf_map_set(map, &native_key.borrowed.view, &native_value.borrowed.view));
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

static int add_to_set(const subject* s, const jf_pattern* p, PyObject* item, const step* at, jf_object* set) {
  converted native = {0};
  if (convert(s, p, item, at, "", &native) != 0) return -1;
  const int status = raised(jf_set_add(set, &native.borrowed.view) < 0 ? -1 : 0);
  converted_done(&native);
  return status;
}

/* Of a set or frozenset, or a view of keys. */
static jf_object* make_set(const subject* s, const jf_pattern* p, PyObject* source, const step* at) {
  static const jf_pattern any = {.name = "any", .kind = JF_PATTERN_ANY};
  const step within = {at, -1, NULL};
  jf_object* set = jf_set_new(0, -1);
  PyObject* iterator = raised(set == NULL ? -1 : 0) == 0 ? PyObject_GetIter(source) : NULL;
  int status = iterator != NULL ? 0 : -1;
  PyObject* item;
  while (status == 0 && (item = PyIter_Next(iterator)) != NULL) {
    status = add_to_set(s, p->inner != NULL ? p->inner : &any, item, &within, set);
    Py_DECREF(item);
  }
  Py_XDECREF(iterator);
  if (status == 0 && !PyErr_Occurred()) return set;
  jf_object_release(set);
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

/* A wrapper's own object. A new reference, or NULL with an exception. */
static jf_object* share(const subject* s, const jf_pattern* p, PyObject* wrapper, int moving, const step* at,
                        const char* what) {
  jf_object* native = core_wrapper_get(wrapper);
  if (native == NULL) return NULL;
  jf_view view;
  core_view_of_object(native, &view);
  if (at == NULL && !*what && !s->is_tried) {
    if (raised(jf_pattern_check(p, s->state->info, s->index, &view)) != 0) return NULL;
  } else if (jf_pattern_check(p, NULL, 0, &view) != 0) {
    jf_object_release(jf_error_take()); /* it knows no way from the outermost */
    core_refuse_item(s, wrapper, at, what);
    return NULL;
  }
  jf_object_retain(native);
  ((core_wrapper*)wrapper)->moving = moving;
  return native;
}

/* Raises what is the matter with a sequence that is refused as a shape: the first item that is no i64, and where it stands. */
static void refuse_shape(const subject* s, PyObject* object, const step* at, const char* what) {
  const jf_pattern* dimension = jf_pattern_of("i64");
  PyObject* items = PySequence_Tuple(object);
  int status = items == NULL ? -1 : raised(dimension == NULL ? -1 : 0);
  for (Py_ssize_t i = 0; status == 0 && i < PyTuple_GET_SIZE(items); i++) {
    const step here = {at, i, NULL};
    converted value = {0};
    status = convert(s, dimension, PyTuple_GET_ITEM(items, i), &here, "", &value);
    if (status == 0) converted_done(&value);
  }
  if (status == 0) core_refuse_item(s, object, at, what);
  Py_XDECREF(items);
}

/* New: a FrozenMap that holds what the pattern says, of a mapping. NULL with an exception. */
static jf_object* make_frozen(const subject* s, const jf_pattern* p, PyObject* mapping, const step* at,
                              const char* what) {
  jf_pattern entries = *p;
  entries.kind = JF_PATTERN_MAP;
  jf_object* map = make(s, &entries, mapping, at, what);
  PyObject* wrapper = map != NULL ? core_wrapper_of(map) : NULL;
  jf_object* made = wrapper != NULL ? core_stand_in(p->name, wrapper) : NULL;
  jf_object_release(map);
  Py_XDECREF(wrapper);
  return made;
}

/* Whether it is no array of the elements that a tensor[f64] says. */
static int has_other_elements(const jf_pattern* p, jf_object* made) {
  const int is_array = p->kind == JF_PATTERN_TYPE && p->most != 0 && jf_type_is_a(made->type_code, JF_NDARRAY);
  return is_array && memcmp(&jf_ndarray_tensor(made)->dtype, &p->most, sizeof(jf_dtype)) != 0;
}

/* As core_stand_in; what is refused there is no array, whose exporter says what is the matter with it. */
static jf_object* stand_in(const subject* s, const jf_pattern* p, PyObject* object, const step* at, const char* what) {
  if (p->count != 0 && core_is_mapping(object)) return make_frozen(s, p, object, at, what);
  jf_object* made = core_stand_in(p->name, object);
  const int32_t code = jf_type_code(p->name);
  if (made != NULL && has_other_elements(p, made)) {
    core_refuse_elements(s, object, at, what, made);
    jf_object_release(made);
    return NULL;
  }
  if (made == NULL && (s->is_tried || code == JF_SHAPE) && code != JF_NDARRAY && PyErr_Occurred() && is_mild()) {
    PyErr_Clear();
    if (s->is_tried)
      core_refuse_item(s, object, at, what);
    else
      refuse_shape(s, object, at, what);
  }
  return made;
}

/* Whether it is a native list and is to be a tuple, or a tuple and is to be a list. */
static int is_the_other(const subject* s, const jf_pattern* p, PyObject* object) {
  const int32_t other = p->kind == JF_PATTERN_LIST ? JF_TUPLE : JF_LIST;
  if (s->as_they_are || (p->kind != JF_PATTERN_LIST && p->kind != JF_PATTERN_TUPLE)) return 0;
  const jf_object* native = core_wrapper_object(object);
  return native != NULL && jf_type_is_a(native->type_code, other);
}

/* New: what has the items of the other, as of Python's. NULL with an exception. */
static jf_object* make_of_the_other(const subject* s, const jf_pattern* p, PyObject* object, const step* at) {
  if (p->kind == JF_PATTERN_TUPLE) return make_tuple(s, p, object, at);
  PyObject* items = PySequence_Tuple(object);
  jf_object* made = items != NULL ? make_list(s, p, items, at) : NULL;
  Py_XDECREF(items);
  return made;
}

/* Whether it is an object with fields, whose class may be that of a mapping, and is to be a map. */
static int may_be_mapping(const subject* s, const jf_pattern* p, PyObject* object) {
  if (s->as_they_are || p->kind != JF_PATTERN_MAP) return 0;
  const jf_object* native = core_wrapper_object(object);
  return native != NULL && native->type_code >= JF_FIRST_DYNAMIC && !jf_type_is_a(native->type_code, JF_MAP);
}

/* New. NULL with an exception. */
static jf_object* make(const subject* s, const jf_pattern* p, PyObject* object, const step* at, const char* what) {
  PyObject* moved = core_moved_wrapper(object);
  if (moved != NULL) object = moved;
  if (is_the_other(s, p, object)) return make_of_the_other(s, p, object, at);
  if (core_is_wrapper(object) && !may_be_mapping(s, p, object)) {
    const jf_object* native = core_wrapper_object(object);
    const int is_typed = !s->as_they_are && p->kind == JF_PATTERN_TYPE && native != NULL;
    if (is_typed && !jf_type_is_a(native->type_code, jf_type_code(p->name))) {
      jf_object* stands = stand_in(s, p, object, at, what);
      if (stands != NULL || PyErr_Occurred()) return stands;
    } else if (is_typed && has_other_elements(p, (jf_object*)(uintptr_t)native)) {
      core_refuse_elements(s, object, at, what, native);
      return NULL;
    }
    return share(s, p, object, moved != NULL, at, what);
  }
  const int is_other = !s->as_they_are && (p->kind == JF_PATTERN_LIST ? PyTuple_Check(object) : PyList_Check(object));
  const int is_list = p->kind == JF_PATTERN_LIST && (is_other || PyList_Check(object));
  const int is_tuple = p->kind == JF_PATTERN_TUPLE && (is_other || PyTuple_Check(object));
  const int is_set = p->kind == JF_PATTERN_SET && (PyAnySet_Check(object) || PyDictViewSet_Check(object));
  if (is_list  ? PyList_CheckExact(object)
      : is_set ? PySet_CheckExact(object)
               : (is_tuple && PyTuple_Check(object)) || p->kind == JF_PATTERN_MAP) {
    jf_object* made = in_bulk(s, p, object);
    if (made != NULL || PyErr_Occurred()) return made;
  }
  if (is_list) return make_list(s, p, object, at);
  if (is_tuple) return make_tuple(s, p, object, at);
  if (is_set) return make_set(s, p, object, at);
  if (p->kind == JF_PATTERN_MAP) {
    PyObject* dict = as_dict(object);
    jf_object* map = dict != NULL ? make_map(s, p, dict, at) : NULL;
    Py_XDECREF(dict);
    if (map != NULL || PyErr_Occurred()) return map;
  }
  jf_object* stands = p->kind == JF_PATTERN_TYPE ? stand_in(s, p, object, at, what) : NULL;
  if (stands != NULL || PyErr_Occurred()) return stands;
  PyObject* plain = core_foreign_plain(object);
  jf_object* made = NULL;
  if (plain != NULL &&
      Py_EnterRecursiveCall(" in a conversion of another module's object") == 0) { /* it may give itself */
    made = make(s, p, plain, at, what);
    Py_LeaveRecursiveCall();
  }
  if (plain == NULL && !PyErr_Occurred()) core_refuse_item(s, object, at, what);
  Py_XDECREF(plain);
  return made;
}

/* Borrows object; *out is a new reference. */
int32_t core_unbox_container(core_state* state, int32_t index, PyObject* object, jf_object** out) {
  const jf_pattern* pattern = jf_pattern_at(state->info, index);
  if (pattern == NULL) return raised(-1);
  const subject s = {state, index, object, 0, 0};
  jf_object* made = make(&s, pattern, object, NULL, "");
  *out = made;
  return made != NULL ? 0 : -1;
}

int core_convert_value(core_state* state, int32_t index, const jf_pattern* p, PyObject* object, converted* out) {
  static const jf_pattern object_pattern = {.name = "object", .kind = JF_PATTERN_OBJECT};
  const subject s = {state, index, object, 0, 0};
  return convert(&s, p != NULL ? p : &object_pattern, object, NULL, "", out);
}

/* -- unions, which stand in slots ------------------------------------------------------------------------------- */

static void done(void* held) {
  converted_done(held);
  PyMem_Free(held);
}

/* Borrows object; what the view borrows from is the temps'. */
int32_t core_unbox_union(core_state* state, int32_t index, PyObject* object, jf_view* out, jf_temps* temps) {
  const jf_pattern* pattern = jf_pattern_at(state->info, index);
  if (pattern == NULL) return raised(-1);
  converted* held = PyMem_Calloc(1, sizeof *held); /* it stays where it is: the view may point into it */
  if (held == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  if (core_convert_value(state, index, pattern, object, held) != 0) {
    PyMem_Free(held);
    return -1;
  }
  *out = held->borrowed.view;
  return raised(jf_temps_add(temps, held, done));
}

/* Borrows object; *out is an owned value. */
int32_t core_unbox_union_out(core_state* state, PyObject* object, jf_value* out) {
  const jf_pattern* pattern = jf_pattern_at(state->info, -1);
  converted held = {0};
  if (pattern == NULL) return raised(-1);
  if (core_convert_value(state, -1, pattern, object, &held) != 0) return -1;
  const int status = raised(jf_any_retain(&held.borrowed.view, out));
  converted_done(&held);
  return status;
}
