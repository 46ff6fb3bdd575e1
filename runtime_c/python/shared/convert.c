/* Python containers to native ones, in bulk: lists, tuples, dicts and sets, and whatever is in them, in one call.
 *
 * A list's slots are counted first, so that one block holds them. Exact built-in values are then written without a call;
 * everything else goes through a borrowed view, and may run Python code that changes the source: its items are held
 * meanwhile, and its size is read again. A container inside itself is a RecursionError; one that stands in two places is
 * converted twice. Wrappers are shared by reference.
 */
#include "convert.h"
#include "borrow.h"
#include "error.h"
#include "fast_paths.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "map_object.h"
#include "raise.h"
#include "sequence.h"
#include "wrapper.h"

static int raised(int32_t status) {
  if (status != 0) core_error_raise(NULL);
  return status != 0 ? -1 : 0;
}

static jf_object* raised_object(jf_object* made) {
  if (made == NULL) core_error_raise(NULL);
  return made;
}

/* -- lists -------------------------------------------------------------------------------------------------- */

static __attribute__((noinline)) int append_slowly(jf_object* list, PyObject* item) {
  core_borrowed borrowed;
  Py_INCREF(item);
  int status = core_borrow(item, &borrowed);
  if (status == 0) {
    status = raised(jf_list_append(list, &borrowed.view));
    core_borrowed_done(&borrowed);
  }
  Py_DECREF(item);
  return status;
}

/* Borrows both. -1 with an exception. */
int core_list_add(jf_object* object, PyObject* item) {
  jf_list* list = (jf_list*)object;
  if (list->size < list->capacity) {
    int status = fast_item(&list->pool, list->capacity - list->size, item, &list->items[list->size]);
    if (status > 0) {
      list->size++;
      return 0;
    }
    if (status < 0) return raised(status);
  }
  return append_slowly(object, item);
}

static int fail_item(Py_ssize_t position) {
  core_raise_place(PyUnicode_FromFormat("item %zd: ", position));
  return -1;
}

/* How many of the first items are ints of 64 bits, which are added. No slot of the pool is free, room is reserved, and what
 * changes with each item stays in registers. */
static Py_ssize_t add_ints(jf_list* list, PyObject* const* items, Py_ssize_t size) {
  jf_item* const out = &list->items[list->size];
  const size_t stride = (size_t)list->pool.stride;
  char* fresh = list->pool.fresh;
  const char* const end = list->pool.end;
  Py_ssize_t i = 0;
  for (int64_t value; i < size && Py_TYPE(items[i]) == &PyLong_Type && fast_int(items[i], &value); i++) {
    if (fast_is_static_int(value)) {
      out[i].slot = &jf_static_ints[value - JF_STATIC_INT_FIRST];
      continue;
    }
    if (fresh == end) break;
    jf_any* slot = (jf_any*)(void*)fresh;
    fresh += stride;
    slot->type_code = JF_INT;
    slot->small_len = 0;
    slot->v_int64 = value;
    out[i].slot = slot;
  }
  list->pool.fresh = fresh;
  list->size += (size_t)i;
  return i;
}

/* The items of an exact list or tuple; a list may become longer or shorter while this runs. */
static int add_sequence(jf_object* object, PyObject* source) {
  jf_list* list = (jf_list*)object;
  PyObject** items = PySequence_Fast_ITEMS(source);
  Py_ssize_t size = PySequence_Fast_GET_SIZE(source);
  const size_t payload = (size_t)list->pool.stride - JF_PAYLOAD_OFFSET;
  size_t slots = 0;
  for (Py_ssize_t i = 0; i < size; i++) slots += fast_slots(items[i], payload);
  if (raised(jf_list_reserve(object, list->size + (size_t)size)) != 0) return -1;
  Py_ssize_t i = 0;
  if (list->pool.free == NULL) {
    if (raised(jf_pool_reserve(&list->pool, slots)) != 0) return -1;
    i = add_ints(list, items, size);
  }
  for (; i < size; i++) {
    if (list->size < list->capacity) {
      int status = fast_item(&list->pool, list->capacity - list->size, items[i], &list->items[list->size]);
      if (status > 0) {
        list->size++;
        continue;
      }
      if (status < 0) return raised(status);
    }
    if (append_slowly(object, items[i]) != 0) return fail_item(i);
    items = PySequence_Fast_ITEMS(source);
    size = PySequence_Fast_GET_SIZE(source);
  }
  return 0;
}

static int add_iterable(jf_object* list, PyObject* source) {
  PyObject* iterator = PyObject_GetIter(source);
  if (iterator == NULL) return -1;
  Py_ssize_t hint = PyObject_LengthHint(source, 0);
  int status = hint < 0 ? -1 : 0;
  if (hint > 0 && hint < PY_SSIZE_T_MAX / 64 && jf_list_reserve(list, jf_list_size(list) + (size_t)hint) != 0)
    jf_object_release(jf_error_take()); /* only a hint */
  for (Py_ssize_t i = 0; status == 0; i++) {
    PyObject* item = PyIter_Next(iterator);
    if (item == NULL) break;
    status = core_list_add(list, item);
    Py_DECREF(item);
    if (status != 0) fail_item(i);
  }
  Py_DECREF(iterator);
  return status != 0 || PyErr_Occurred() ? -1 : 0;
}

static int fill_from_sequence(jf_object* list, PyObject* source) {
  if (Py_EnterRecursiveCall(" while converting a list")) return -1;
  int status = add_sequence(list, source);
  Py_LeaveRecursiveCall();
  return status;
}

static int is_sequence(PyObject* source) { return PyList_CheckExact(source) || PyTuple_CheckExact(source); }

/* As list.extend: what an iterator gives is appended at once, all else is converted first. -1 with an exception. Both are borrowed. */
int core_list_extend(jf_object* list, PyObject* source) {
  jf_object* native = core_items_of(source);
  if (native == NULL && PyErr_Occurred()) return -1;
  if (native == NULL && !is_sequence(source)) return add_iterable(list, source);
  if (native != NULL)
    jf_object_retain(native);
  else
    native = core_list_from(source, jf_list_pad(list));
  int status = native != NULL ? raised(jf_list_extend(list, native)) : -1;
  jf_object_release(native);
  return status;
}

/* New. NULL with an exception. */
jf_object* core_list_from(PyObject* source, int32_t pad) {
  jf_object* list = raised_object(jf_list_new(0, pad));
  if (list == NULL || source == NULL) return list;
  if ((is_sequence(source) ? fill_from_sequence(list, source) : core_list_extend(list, source)) == 0) return list;
  jf_object_release(list);
  return NULL;
}

/* -- tuples ------------------------------------------------------------------------------------------------- */

enum { FRAME_ITEMS = 8 };

/* Of an exact tuple, which the caller holds. */
static jf_object* convert_tuple(PyObject* source) {
  const Py_ssize_t size = PyTuple_GET_SIZE(source);
  core_borrowed borrowed_frame[FRAME_ITEMS];
  jf_view view_frame[FRAME_ITEMS] = {{0}};
  core_borrowed* borrowed = borrowed_frame;
  jf_view* views = view_frame;
  jf_object* tuple = NULL;
  Py_ssize_t done = 0;
  if (size > FRAME_ITEMS) {
    borrowed = PyMem_New(core_borrowed, (size_t)size);
    views = PyMem_New(jf_view, (size_t)size);
    if (borrowed == NULL || views == NULL) {
      PyErr_NoMemory();
      goto out;
    }
  }
  for (; done < size; done++) {
    if (core_borrow(PyTuple_GET_ITEM(source, done), &borrowed[done]) != 0) {
      fail_item(done);
      break;
    }
    views[done] = borrowed[done].view;
  }
  if (done == size) tuple = raised_object(jf_tuple_new(views, (size_t)size));
  while (done > 0) core_borrowed_done(&borrowed[--done]);
out:
  if (borrowed != borrowed_frame) PyMem_Free(borrowed);
  if (views != view_frame) PyMem_Free(views);
  return tuple;
}

/* New, of any iterable; NULL with an exception. */
jf_object* core_tuple_from(PyObject* source) {
  if (PyTuple_CheckExact(source)) {
    if (Py_EnterRecursiveCall(" while converting a tuple")) return NULL;
    jf_object* tuple = convert_tuple(source);
    Py_LeaveRecursiveCall();
    return tuple;
  }
  jf_object* native = core_items_of(source);
  if (native == NULL && PyErr_Occurred()) return NULL;
  if (native != NULL) return raised_object(jf_tuple_of(native));
  jf_object* list = core_list_from(source, JF_MAX_PAD);
  jf_object* tuple = list != NULL ? raised_object(jf_tuple_of(list)) : NULL;
  jf_object_release(list);
  return tuple;
}

/* -- maps --------------------------------------------------------------------------------------------------- */

/* Borrows all. -1 with an exception. The key may run Python code to be hashed and compared. */
int core_map_put(jf_object* map, PyObject* key, PyObject* value) {
  core_borrowed borrowed_key, borrowed_value;
  if (core_borrow(key, &borrowed_key) != 0) return -1;
  int status = core_borrow(value, &borrowed_value);
  if (status == 0) {
    status = raised(jf_map_set(map, &borrowed_key.view, &borrowed_value.view));
    core_borrowed_done(&borrowed_value);
  }
  core_borrowed_done(&borrowed_key);
  return status;
}

/* `what` it is: "key" or "item". */
static int fail_key(PyObject* key, const char* what) {
  PyTypeObject* type = Py_TYPE(key);
  if (type != &PyLong_Type && type != &PyUnicode_Type && type != &PyFloat_Type) return -1;
  PyObject* exception = core_error_fetch();
  PyObject* place = PyUnicode_FromFormat("%s %R: ", what, key);
  PyErr_Clear();
  core_error_restore(exception);
  core_raise_place(place);
  return -1;
}

static int add_dict(jf_object* map, PyObject* source) {
  const Py_ssize_t size = PyDict_GET_SIZE(source);
  Py_ssize_t position = 0;
  PyObject *key, *value;
  if (raised(jf_map_reserve(map, jf_map_size(map) + (size_t)size)) != 0) return -1;
  while (PyDict_Next(source, &position, &key, &value)) {
    Py_INCREF(key);
    Py_INCREF(value);
    int status = core_map_put(map, key, value);
    if (status != 0) fail_key(key, "key");
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

/* What has keys(), as dict.update takes it. */
static int add_mapping(jf_object* map, PyObject* source, PyObject* keys) {
  PyObject* iterator = PyObject_GetIter(keys);
  if (iterator == NULL) return -1;
  int status = 0;
  PyObject* key;
  while (status == 0 && (key = PyIter_Next(iterator)) != NULL) {
    PyObject* value = PyObject_GetItem(source, key);
    status = value != NULL ? core_map_put(map, key, value) : -1;
    Py_XDECREF(value);
    Py_DECREF(key);
  }
  Py_DECREF(iterator);
  return status != 0 || PyErr_Occurred() ? -1 : 0;
}

static int add_pair(jf_object* map, PyObject* item, Py_ssize_t position) {
  PyObject* pair = PySequence_Fast(item, "");
  if (pair == NULL) {
    if (PyErr_ExceptionMatches(PyExc_TypeError))
      PyErr_Format(PyExc_TypeError, "cannot convert map update sequence element #%zd to a sequence", position);
    return -1;
  }
  int status = -1;
  if (PySequence_Fast_GET_SIZE(pair) == 2) {
    PyObject* key = Py_NewRef(PySequence_Fast_GET_ITEM(pair, 0));
    PyObject* value = Py_NewRef(PySequence_Fast_GET_ITEM(pair, 1));
    status = core_map_put(map, key, value);
    Py_DECREF(key);
    Py_DECREF(value);
  } else {
    PyErr_Format(PyExc_ValueError, "map update sequence element #%zd has length %zd; 2 is required", position,
                 PySequence_Fast_GET_SIZE(pair));
  }
  Py_DECREF(pair);
  return status;
}

static int add_pairs(jf_object* map, PyObject* source) {
  PyObject* iterator = PyObject_GetIter(source);
  if (iterator == NULL) return -1;
  int status = 0;
  PyObject* item;
  for (Py_ssize_t i = 0; status == 0 && (item = PyIter_Next(iterator)) != NULL; i++) {
    status = add_pair(map, item, i);
    Py_DECREF(item);
  }
  Py_DECREF(iterator);
  return status != 0 || PyErr_Occurred() ? -1 : 0;
}

/* As dict.update(source): a Map, a mapping, or pairs. -1 with an exception; some keys may have been set then. */
int core_map_update(jf_object* map, PyObject* source) {
  if (core_is_wrapper(source)) {
    jf_object* native = core_wrapper_get(source);
    if (native == NULL) return -1;
    if (jf_type_is_a(native->type_code, JF_MAP)) {
      jf_object_retain(native); /* comparing keys may move it out of its wrapper */
      const int status = raised(jf_map_update(map, native));
      jf_object_release(native);
      return status;
    }
  }
  if (PyDict_CheckExact(source)) {
    if (Py_EnterRecursiveCall(" while converting a dict")) return -1;
    int status = add_dict(map, source);
    Py_LeaveRecursiveCall();
    return status;
  }
  PyObject* method = PyObject_GetAttrString(source, "keys");
  if (method == NULL) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
    PyErr_Clear();
    return add_pairs(map, source);
  }
  Py_DECREF(method);
  PyObject* keys = PyMapping_Keys(source); /* a list: whatever the values' code does, these are the keys */
  int status = keys != NULL ? add_mapping(map, source, keys) : -1;
  Py_XDECREF(keys);
  return status;
}

/* New. source may be NULL: an empty one. NULL with an exception. */
jf_object* core_map_from(PyObject* source, int32_t pad) {
  jf_object* map = raised_object(jf_map_new(0, pad));
  if (map != NULL && source != NULL && core_map_update(map, source) != 0) {
    jf_object_release(map);
    return NULL;
  }
  return map;
}

/* -- sets --------------------------------------------------------------------------------------------------- */

/* Borrows both. As core_set_update of one item, whose hash and comparisons may run Python code. */
static int add_item(jf_object* set, PyObject* item, Py_ssize_t* left_out) {
  core_borrowed borrowed;
  if (core_check_hash(item) != 0) return -1;
  if (core_borrow(item, &borrowed) != 0) {
    if (left_out == NULL) return fail_key(item, "item");
    ++*left_out;
    return core_not_a_value();
  }
  const int status = raised(jf_set_add(set, &borrowed.view) < 0 ? -1 : 0);
  core_borrowed_done(&borrowed);
  return status;
}

int core_set_update(jf_object* set, PyObject* source, Py_ssize_t* left_out) {
  jf_object* native = core_wrapper_object(source);
  if (native != NULL && (native->type_code == JF_SET || jf_type_is_a(native->type_code, JF_MAP))) {
    jf_object_retain(native); /* comparing items may move it out of its wrapper */
    const int status = raised(jf_set_change(set, native, JF_SET_UNION));
    jf_object_release(native);
    return status;
  }
  PyObject* iterator = PyObject_GetIter(source);
  if (iterator == NULL) return -1;
  if (PyAnySet_Check(source) && jf_set_reserve(set, jf_set_size(set) + (size_t)PySet_GET_SIZE(source)) != 0)
    jf_object_release(jf_error_take()); /* only a hint */
  int status = 0;
  PyObject* item;
  while (status == 0 && (item = PyIter_Next(iterator)) != NULL) {
    status = add_item(set, item, left_out);
    Py_DECREF(item);
  }
  Py_DECREF(iterator);
  return status != 0 || PyErr_Occurred() ? -1 : 0;
}

/* New. source may be NULL: an empty one. NULL with an exception. */
jf_object* core_set_from(PyObject* source, int32_t pad) {
  jf_object* set = raised_object(jf_set_new(0, pad));
  if (set != NULL && source != NULL && core_set_update(set, source, NULL) != 0) {
    jf_object_release(set);
    return NULL;
  }
  return set;
}

/* -- what is converted ------------------------------------------------------------------------------------------ */

/* New container for an exact list, tuple, dict or set; NULL without an exception for anything else. */
jf_object* core_container_from(PyObject* object) {
  PyTypeObject* type = Py_TYPE(object);
  if (type == &PyList_Type) return core_list_from(object, -1);
  if (type == &PyTuple_Type) return core_tuple_from(object);
  if (type == &PyDict_Type) return core_map_from(object, -1);
  return type == &PySet_Type ? core_set_from(object, -1) : NULL;
}

/* The list or tuple of a wrapper, borrowed; NULL without an exception when it is none, with one when it was moved. */
jf_object* core_items_of(PyObject* object) {
  if (!core_is_wrapper(object)) return NULL;
  jf_object* native = core_wrapper_get(object);
  if (native == NULL) return NULL;
  return jf_type_is_a(native->type_code, JF_LIST) || jf_type_is_a(native->type_code, JF_TUPLE) ? native : NULL;
}

int core_pad_of(PyObject* object, int32_t* pad) {
  Py_ssize_t value = PyNumber_AsSsize_t(object, NULL);
  if (value == -1 && PyErr_Occurred()) return -1;
  if (value < 0 || value > JF_MAX_PAD) {
    PyErr_Format(PyExc_ValueError, "pad must be from 0 to %d, got %R", JF_MAX_PAD, object);
    return -1;
  }
  *pad = (int32_t)value;
  return 0;
}
