/* Dicts of Python's own in scripts.
 *
 * Text of a script is looked up without a str of its own: one that is kept for it gets the characters. Whoever comes to have it
 * all the same, by the `==` of another key, keeps it, and there is a new one for the next.
 */
#include "error.h"
#include "script_container.h"
#include "script_effect.h"
#include "script_object.h"

#include <string.h>

/* -- texts as keys ------------------------------------------------------------------------------------------------------- */

enum { MOST = 255 };
static PyObject* lent;  /* what was given out last, for who gives it back */
static PyObject* spare; /* room for that many ASCII characters; NULL: it is in use, or was never made */

#if PY_VERSION_HEX >= 0x030D0000 && PY_VERSION_HEX < 0x030E0000
extern Py_hash_t _Py_HashBytes(const void*,
                               Py_ssize_t); /* which its public headers have no more, and not yet the other */
#endif

static Py_hash_t hash_of(const void* data, Py_ssize_t size) {
#if PY_VERSION_HEX >= 0x030E0000
  return Py_HashBuffer(data, size);
#else
  return _Py_HashBytes(data, size);
#endif
}

static int fits_spare(const jf_text* text) {
  if (text->size < 2 || text->size > MOST) return 0;
  if (!text->wide) return 1;
  jf_char32 all = 0;
  for (size_t i = 0; i < text->size; i++) all |= ((const jf_char32*)text->data)[i];
  return all < 128;
}

/* New: a str that is good for looking up, until put_back gets it. */
static PyObject* key_of(const jf_text* text) {
  PyObject* kept = core_script_kept_text(text);
  if (kept != NULL) return kept;
  if (!fits_spare(text)) return core_op_box_text(text);
  PyObject* key = spare;
  spare = NULL;
  if (key == NULL && (key = PyUnicode_New(MOST, 127)) == NULL) {
    core_error_from_python();
    return NULL;
  }
  PyASCIIObject* head = (PyASCIIObject*)key;
  char* data = (char*)(head + 1);
  if (text->wide)
    for (size_t i = 0; i < text->size; i++) data[i] = (char)((const jf_char32*)text->data)[i];
  else
    memcpy(data, text->data, text->size);
  data[text->size] = 0;
  head->length = (Py_ssize_t)text->size;
  head->hash = hash_of(data, (Py_ssize_t)text->size);
  lent = key;
  return key;
}

static void put_back(PyObject* key) {
  const int is_spare = key == lent && spare == NULL && Py_REFCNT(key) == 1;
  if (key == lent) lent = NULL; /* another may come to lie there */
  if (is_spare)
    spare = key;
  else
    Py_DECREF(key);
}

/* -- items ---------------------------------------------------------------------------------------------------------------- */

static void set_key_error(PyObject* key) {
  if (!PyTuple_Check(key)) {
    PyErr_SetObject(PyExc_KeyError, key);
    return;
  }
  PyObject* args = PyTuple_Pack(1, key); /* else its items would be the exception's arguments */
  if (args != NULL) PyErr_SetObject(PyExc_KeyError, args);
  Py_XDECREF(args);
}

PyObject* core_op_dict_new(void) {
  PyObject* made = PyDict_New();
  if (made == NULL) core_error_from_python();
  return made;
}

int32_t core_op_dict_update(PyObject* dict, PyObject* other) {
  core_count_effects_of(other, PY_SSIZE_T_MAX);
  if (PyDict_Update(dict, other) == 0) return 0;
  if (PyErr_ExceptionMatches(PyExc_AttributeError))
    PyErr_Format(PyExc_TypeError, "'%.200s' object is not a mapping", Py_TYPE(other)->tp_name);
  return core_op_status(-1);
}

int32_t core_op_dict_find(PyObject* dict, PyObject* key, PyObject** value) {
  core_count_effects_in(key);
  *value = PyDict_GetItemWithError(dict, key);
  if (*value != NULL) return 1;
  return PyErr_Occurred() ? core_op_status(-1) : 0;
}

int32_t core_op_dict_find_text(PyObject* dict, const jf_text* text, PyObject** value) {
  PyObject* key = key_of(text);
  if (key == NULL) return -1;
  const int32_t found = core_op_dict_find(dict, key, value);
  put_back(key);
  return found;
}

int32_t core_op_contains_text(PyObject* container, const jf_text* text) {
  const PyTypeObject* const type = Py_TYPE(container);
  const int hashes = type == &PySet_Type || type == &PyFrozenSet_Type || type == &PyDict_Type;
  PyObject* key = hashes ? key_of(text) : core_op_box_text(text);
  if (key == NULL) return -1;
  const int32_t found = core_op_contains(container, key);
  if (hashes)
    put_back(key);
  else
    Py_DECREF(key);
  return found;
}

PyObject* core_op_dict_item(PyObject* dict, PyObject* key) {
  core_count_effects_in(key);
  PyObject* value = PyDict_GetItemWithError(dict, key);
  if (value != NULL) return value;
  if (!PyErr_Occurred()) set_key_error(key);
  core_error_from_python();
  return NULL;
}

PyObject* core_op_dict_item_text(PyObject* dict, const jf_text* text) {
  PyObject* value;
  const int32_t found = core_op_dict_find_text(dict, text, &value);
  if (found != 0) return found > 0 ? value : NULL;
  PyObject* key = core_op_box_text(text);
  if (key == NULL) return NULL;
  set_key_error(key);
  core_error_from_python();
  Py_DECREF(key);
  return NULL;
}

int32_t core_op_dict_set(PyObject* dict, PyObject* key, PyObject* value) {
  core_count_effects_in(key);
  return core_op_status(PyDict_SetItem(dict, key, value));
}

int32_t core_op_dict_set_text(PyObject* dict, const jf_text* text, PyObject* value) {
  PyObject* key = core_op_box_text(text);
  if (key == NULL) return -1;
  const int result = PyDict_SetItem(dict, key, value);
  Py_DECREF(key);
  return core_op_status(result);
}

PyObject* core_op_dict_setdefault(PyObject* dict, PyObject* key, PyObject* otherwise) {
  core_count_effects_in(key);
  PyObject* value = PyDict_SetDefault(dict, key, otherwise);
  if (value == NULL) core_error_from_python();
  return value;
}

PyObject* core_op_dict_setdefault_text(PyObject* dict, const jf_text* text, PyObject* otherwise) {
  PyObject* value;
  const int32_t found = core_op_dict_find_text(dict, text, &value);
  if (found != 0) return found > 0 ? value : NULL;
  return core_op_dict_set_text(dict, text, otherwise) == 0 ? otherwise : NULL;
}

/* -- counting ------------------------------------------------------------------------------------------------------------- */

/* New: old + more, as Python adds. NULL with an exception. */
static PyObject* sum_of(PyObject* old, int64_t more) {
  if (PyLong_CheckExact(old)) {
    int overflow;
    int64_t sum;
    const long long value = PyLong_AsLongLongAndOverflow(old, &overflow);
    if (overflow == 0 && !__builtin_add_overflow(value, more, &sum)) return PyLong_FromLongLong(sum);
  }
  PyObject* number = PyLong_FromLongLong(more);
  PyObject* sum = number != NULL ? PyNumber_Add(old, number) : NULL;
  Py_XDECREF(number);
  return sum;
}

int32_t core_op_dict_count(PyObject* dict, PyObject* key, int64_t first, int64_t more) {
  core_count_effects_in(key);
  PyObject* old = PyDict_GetItemWithError(dict, key);
  if (old == NULL && PyErr_Occurred()) return core_op_status(-1);
  Py_XINCREF(old);
  PyObject* sum = old != NULL ? sum_of(old, more) : PyLong_FromLongLong(first);
  const int result = sum != NULL ? PyDict_SetItem(dict, key, sum) : -1;
  Py_XDECREF(sum);
  Py_XDECREF(old);
  return core_op_status(result);
}

int32_t core_op_dict_count_text(PyObject* dict, const jf_text* text, int64_t first, int64_t more) {
  PyObject* old;
  PyObject* key = key_of(text);
  if (key == NULL) return -1;
  int32_t result = core_op_dict_find(dict, key, &old);
  if (result > 0) {
    /* The key that is there stays, so this one is not kept. */
    Py_INCREF(old);
    PyObject* sum = sum_of(old, more);
    result = core_op_status(sum != NULL ? PyDict_SetItem(dict, key, sum) : -1);
    Py_XDECREF(sum);
    Py_DECREF(old);
  } else if (result == 0) {
    PyObject* sum = PyLong_FromLongLong(first);
    result = sum != NULL ? core_op_dict_set_text(dict, text, sum) : core_op_status(-1);
    Py_XDECREF(sum);
  }
  put_back(key);
  return result;
}

/* -- iteration ------------------------------------------------------------------------------------------------------------ */

void core_op_dict_walk(PyObject* dict, core_dict_walk* walk) {
  *walk = (core_dict_walk){0, PyDict_GET_SIZE(dict), PyDict_GET_SIZE(dict)};
}

int32_t core_op_dict_next(PyObject* dict, core_dict_walk* walk, PyObject** key, PyObject** value) {
  const char* message = "dictionary changed size during iteration";
  if (PyDict_GET_SIZE(dict) == walk->used) {
    if (!PyDict_Next(dict, &walk->at, key, value)) return 0;
    if (walk->left-- > 0) return 1;
    message = "dictionary keys changed during iteration";
  }
  PyErr_SetString(PyExc_RuntimeError, message);
  return core_op_status(-1);
}
