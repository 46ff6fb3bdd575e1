/* jitffi.List: construction, and what Python's operators and built-in functions ask of a sequence. list_methods.c has the
 * methods.
 *
 * Whatever runs Python code (__index__, __eq__, converting an argument) may change the list, or move it out of the wrapper:
 * the native list is asked for after that, and held where more of it runs.
 */
#include "borrow.h"
#include "convert.h"
#include "error.h"
#include "fast_paths.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "sequence.h"
#include "wrapper.h"

static PyObject* wrap(jf_object* list) {
  if (list != NULL) return core_wrapper_make(&core_list_type, list);
  core_error_raise(NULL);
  return NULL;
}

static int raised(int32_t status) {
  if (status < 0) core_error_raise(NULL);
  return status;
}

/* -- making ------------------------------------------------------------------------------------------------- */

/* 0 and -1 for NULL or None; -1 with an exception. */
static int pad_of(PyObject* object, int32_t* pad) {
  *pad = -1;
  return object == NULL || object == Py_None ? 0 : core_pad_of(object, pad);
}

/* List(iterable=(), /, *, pad=None) */
static PyObject* list_vectorcall(PyObject* type, PyObject* const* args, size_t flags, PyObject* names) {
  const Py_ssize_t given = PyVectorcall_NARGS(flags);
  const Py_ssize_t named = names != NULL ? PyTuple_GET_SIZE(names) : 0;
  int32_t pad = -1;
  if (given > 1) return PyErr_Format(PyExc_TypeError, "List expected at most 1 argument, got %zd", given);
  for (Py_ssize_t i = 0; i < named; i++) {
    PyObject* name = PyTuple_GET_ITEM(names, i);
    if (PyUnicode_CompareWithASCIIString(name, "pad") != 0)
      return PyErr_Format(PyExc_TypeError, "List() got an unexpected keyword argument '%U'", name);
    if (pad_of(args[given + i], &pad) != 0) return NULL;
  }
  jf_object* list = core_list_from(given > 0 ? args[0] : NULL, pad);
  return list != NULL ? core_wrapper_make((PyTypeObject*)type, list) : NULL;
}

/* For Python subclasses: an empty list, since their __init__ may take anything. */
static PyObject* list_new(PyTypeObject* type, PyObject* args, PyObject* keywords) {
  (void)args;
  PyObject* given = keywords != NULL ? PyDict_GetItemString(keywords, "pad") : NULL;
  int32_t pad = -1;
  if (given != NULL && PyLong_Check(given) && pad_of(given, &pad) != 0) return NULL;
  jf_object* list = core_list_from(NULL, pad);
  return list != NULL ? core_wrapper_make(type, list) : NULL;
}

/* As list.__init__: emptied, and then extended, which is seen by who is asked for items. */
static int refill(jf_object* list, PyObject* source) {
  jf_object_retain(list);
  jf_list_clear(list);
  int status = source != NULL ? core_list_extend(list, source) : 0;
  jf_object_release(list);
  return status;
}

/* The content is replaced. Another pad needs another native list, which nobody else may see then. */
static int list_init(PyObject* self, PyObject* args, PyObject* keywords) {
  static char* names[] = {"", "pad", NULL};
  PyObject *source = NULL, *given = NULL;
  int32_t pad;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O$O:List", names, &source, &given)) return -1;
  jf_object* list = core_wrapper_get(self);
  if (list == NULL || pad_of(given, &pad) != 0) return -1;
  const int is_exact = source != NULL && (PyList_CheckExact(source) || PyTuple_CheckExact(source));
  if (given == NULL && !is_exact) return refill(list, source);
  if (given == NULL) pad = jf_list_pad(list);
  jf_object* made = core_list_from(source, pad);
  if (made == NULL) return -1;
  list = core_wrapper_get(self);
  int status = -1;
  if (list != NULL && core_ref_count(list) == 1) return core_wrapper_replace(self, made);
  if (list != NULL && jf_list_pad(list) != jf_list_pad(made))
    PyErr_SetString(PyExc_ValueError, "List: pad cannot change while others refer to the list");
  else if (list != NULL)
    status = raised(jf_list_assign(list, 0, JF_NO_INDEX, 1, made));
  jf_object_release(made);
  return status;
}

/* -- reading ------------------------------------------------------------------------------------------------ */

static Py_ssize_t list_length(PyObject* self) {
  const jf_object* list = core_wrapper_get(self);
  return list != NULL ? (Py_ssize_t)((const jf_list*)list)->size : -1;
}

static PyObject* item_at(PyObject* self, int64_t index) {
  const jf_list* list = (const jf_list*)core_wrapper_get(self);
  if (list == NULL) return NULL;
  if (index >= 0 && (uint64_t)index < list->size) return fast_box(list->items[index]);
  PyErr_SetString(PyExc_IndexError, "list index out of range");
  return NULL;
}

static PyObject* list_item(PyObject* self, Py_ssize_t index) { return item_at(self, index); }

/* The part of a list of that size that a slice means, for the runtime. */
typedef struct {
  Py_ssize_t start, stop, step;
} part;

static part part_of(part asked, size_t size) {
  part found = asked;
  if (PySlice_AdjustIndices((Py_ssize_t)size, &found.start, &found.stop, found.step) == 0) {
    if (found.step != 1) found.start = 0;
    found.stop = found.start;
  } else if (found.stop < 0) {
    found.stop = JF_NO_INDEX; /* beyond the first item, going backwards */
  }
  return found;
}

static PyObject* fail_key(PyObject* key) {
  return PyErr_Format(PyExc_TypeError, "list indices must be integers or slices, not %.200s", Py_TYPE(key)->tp_name);
}

static PyObject* list_subscript(PyObject* self, PyObject* key) {
  int64_t index;
  const jf_list* list = (const jf_list*)((core_wrapper*)self)->object;
  if (list != NULL && PyLong_CheckExact(key) && fast_int(key, &index)) {
    if (index < 0) index += (int64_t)list->size;
    if ((uint64_t)index < list->size) return fast_box(list->items[index]);
    return item_at(self, index);
  }
  if (PyIndex_Check(key)) {
    index = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (index == -1 && PyErr_Occurred()) return NULL;
    list = (const jf_list*)core_wrapper_get(self);
    return list != NULL ? item_at(self, index < 0 ? index + (int64_t)list->size : index) : NULL;
  }
  if (!PySlice_Check(key)) return fail_key(key);
  part asked;
  if (PySlice_Unpack(key, &asked.start, &asked.stop, &asked.step) != 0) return NULL;
  list = (const jf_list*)core_wrapper_get(self);
  if (list == NULL) return NULL;
  asked = part_of(asked, list->size);
  return wrap(jf_list_slice(&list->header, asked.start, asked.stop, asked.step));
}

static int list_contains(PyObject* self, PyObject* value) {
  core_borrowed borrowed;
  if (core_borrow(value, &borrowed) != 0) return core_not_a_value();
  jf_object* list = core_wrapper_get(self);
  jf_object_retain(list);
  int64_t at = list != NULL ? jf_list_find(list, &borrowed.view, 0, JF_NO_INDEX) : -3;
  if (at == -2) core_error_raise(NULL);
  core_borrowed_done(&borrowed);
  jf_object_release(list);
  return at < -1 ? -1 : at >= 0;
}

/* -- writing ------------------------------------------------------------------------------------------------ */

static int assign_index(PyObject* self, int64_t index, int from_end, PyObject* value) {
  core_borrowed borrowed;
  if (value != NULL && core_borrow(value, &borrowed) != 0) return -1;
  jf_object* list = core_wrapper_get(self);
  int status = -1;
  if (list != NULL) {
    const int64_t size = (int64_t)((const jf_list*)list)->size;
    if (from_end && index < 0) index += size;
    if (index < 0 || index >= size)
      PyErr_SetString(PyExc_IndexError, "list assignment index out of range");
    else
      status =
          raised(value != NULL ? jf_list_set(list, index, &borrowed.view) : jf_list_delete(list, index, index + 1, 1));
  }
  if (value != NULL) core_borrowed_done(&borrowed);
  return status;
}

/* New reference to a native list or tuple of what the iterable gives; NULL with an exception. */
static jf_object* items_of(PyObject* source, const jf_object* not_this, const char* refusal) {
  jf_object* native = core_items_of(source);
  if (native == NULL && PyErr_Occurred()) return NULL;
  if (native != NULL && native != not_this) {
    jf_object_retain(native);
    return native;
  }
  if (refusal != NULL && Py_TYPE(source)->tp_iter == NULL && !PySequence_Check(source)) {
    PyErr_SetString(PyExc_TypeError, refusal);
    return NULL;
  }
  return core_list_from(source, -1);
}

static int assign_slice(PyObject* self, PyObject* key, PyObject* value) {
  part asked;
  if (PySlice_Unpack(key, &asked.start, &asked.stop, &asked.step) != 0) return -1;
  jf_object* list = core_wrapper_get(self);
  if (list == NULL) return -1;
  /* Whether a plain part is found before an iterator changes the list: as CPython did until 3.12.5 (listobject.c,
   * list_ass_subscript). */
  const int at_once = asked.step == 1 && Py_Version < 0x030C05F0;
  if (at_once) asked = part_of(asked, ((const jf_list*)list)->size);
  jf_object* items = NULL;
  if (value != NULL) {
    items = items_of(value, ((core_wrapper*)self)->object,
                     asked.step == 1 ? "can only assign an iterable" : "must assign iterable to extended slice");
    if (items == NULL) return -1;
  }
  list = core_wrapper_get(self);
  int status = -1;
  if (list != NULL) {
    if (!at_once) asked = part_of(asked, ((const jf_list*)list)->size);
    status = raised(value != NULL ? jf_list_assign(list, asked.start, asked.stop, asked.step, items)
                                  : jf_list_delete(list, asked.start, asked.stop, asked.step));
  }
  jf_object_release(items);
  return status;
}

static int list_assign(PyObject* self, PyObject* key, PyObject* value) {
  if (PyIndex_Check(key)) {
    Py_ssize_t index = PyNumber_AsSsize_t(key, PyExc_IndexError);
    if (index == -1 && PyErr_Occurred()) return -1;
    return assign_index(self, index, 1, value);
  }
  if (PySlice_Check(key)) return assign_slice(self, key, value);
  fail_key(key);
  return -1;
}

static int list_assign_item(PyObject* self, Py_ssize_t index, PyObject* value) {
  return assign_index(self, index, 0, value); /* the caller has added the size */
}

/* -- operators ---------------------------------------------------------------------------------------------- */

static int is_list(PyObject* object) { return PyObject_TypeCheck(object, &core_list_type); }

/* List + list, list + List, List + List; a Tuple answers itself */
static PyObject* list_add(PyObject* left, PyObject* right) {
  PyObject* wrong = !is_list(left) && !PyList_Check(left)     ? left
                    : !is_list(right) && !PyList_Check(right) ? right
                                                              : NULL;
  if (wrong == left || (wrong != NULL && (!is_list(left) || PyObject_TypeCheck(wrong, &core_tuple_type))))
    Py_RETURN_NOTIMPLEMENTED;
  if (wrong != NULL)
    return PyErr_Format(PyExc_TypeError, "can only concatenate list (not \"%.200s\") to list", Py_TYPE(wrong)->tp_name);
  jf_object* first = items_of(left, NULL, NULL);
  jf_object* second = first != NULL ? items_of(right, NULL, NULL) : NULL;
  PyObject* made = second != NULL ? wrap(jf_list_concat(first, second)) : NULL;
  jf_object_release(first);
  jf_object_release(second);
  return made;
}

static PyObject* list_inplace_add(PyObject* self, PyObject* other) {
  if (!is_list(self)) Py_RETURN_NOTIMPLEMENTED; /* `other` is ours, and comes by list_add */
  jf_object* list = core_wrapper_get(self);
  if (list == NULL) return NULL;
  jf_object_retain(list);
  int status = core_list_extend(list, other);
  jf_object_release(list);
  return status == 0 ? Py_NewRef(self) : NULL;
}

static PyObject* list_repeat(PyObject* self, Py_ssize_t times) {
  jf_object* list = core_wrapper_get(self);
  return list != NULL ? wrap(jf_list_repeat(list, times)) : NULL;
}

static PyObject* list_inplace_repeat(PyObject* self, Py_ssize_t times) {
  jf_object* list = core_wrapper_get(self);
  if (list == NULL) return NULL;
  jf_object* made = jf_list_repeat(list, times);
  if (made == NULL || jf_list_assign(list, 0, JF_NO_INDEX, 1, made) != 0) {
    core_error_raise(NULL);
    self = NULL;
  }
  jf_object_release(made);
  return Py_XNewRef(self);
}

static PyObject* list_iter(PyObject* self) { return core_iterate(self, 0); }

/* -- the class ---------------------------------------------------------------------------------------------- */

static PyObject* get_pad(PyObject* self, void* closure) {
  (void)closure;
  const jf_object* list = core_wrapper_get(self);
  return list != NULL ? PyLong_FromLong(jf_list_pad(list)) : NULL;
}

static PyGetSetDef getset[] = {
    {"pad", get_pad, NULL, "n of AnyPad<n>: values that are no objects take 16 + 8 n bytes, text up to 7 + 8 n is one.",
     NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyNumberMethods as_number = {.nb_add = list_add, .nb_inplace_add = list_inplace_add};
static PySequenceMethods as_sequence = {
    .sq_length = list_length,
    .sq_item = list_item,
    .sq_ass_item = list_assign_item,
    .sq_contains = list_contains,
    .sq_repeat = list_repeat,
    .sq_inplace_repeat = list_inplace_repeat,
};
static PyMappingMethods as_mapping = {list_length, list_subscript, list_assign};

PyTypeObject core_list_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.List",
    .tp_doc =
        "List(iterable=(), /, *, pad=None)\n--\n\n"
        "A native list that does what Python's does, shared by reference.\n\n"
        "Lists, tuples and dicts inside are converted, other Python objects held as they are, until the item goes.\n"
        "OverflowError for an int of more than 64 bits, ValueError for a pad that is not from 0 to 15; what the\n"
        "iterable raises comes out.\n\n"
        ">>> import jitffi\n>>> words = jitffi.List(['one', 2, 3.5, [None]])\n>>> words.append(True)\n"
        ">>> words\nList(['one', 2, 3.5, [None], True])\n>>> words[-2].to_python()\n[None]",
    .tp_basicsize = sizeof(core_open_wrapper),
    .tp_base = &core_object_type,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_SEQUENCE | CORE_MATCH_SELF,
    .tp_new = list_new,
    .tp_init = list_init,
    .tp_vectorcall = list_vectorcall,
    .tp_dealloc = core_wrapper_dealloc,
    .tp_traverse = core_wrapper_traverse,
    .tp_clear = core_wrapper_clear,
    .tp_repr = core_items_repr,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_richcompare = core_items_compare,
    .tp_iter = list_iter,
    .tp_as_number = &as_number,
    .tp_as_sequence = &as_sequence,
    .tp_as_mapping = &as_mapping,
    .tp_methods = core_list_methods,
    .tp_getset = getset,
    .tp_free = PyObject_GC_Del,
};

/* 0, or -1 with an exception. */
int core_list_init(PyObject* module) {
  core_container_arg = core_to_python;
  return core_sequence_class(module, &core_list_type, JF_LIST, "MutableSequence");
}
