/* Lists among the arguments whose items are taken to be what the first is: a variant of their own serves them.
 *
 *   tag     the class of the first item, where a script may go by it
 *   entry   a copy of the list, whose items are all of that class: they stay while the script runs. A List is looked through where
 *           it is, since the script changes none, and so is a list of registered objects: what is taken for one of them is looked at
 *           where it is read. Where an item is of another class the interpreter makes the call, since nothing has
 *           happened yet, and no guess is made for this script again.
 */
#include "fast_paths.h"
#include "function.h"
#include "instance.h"
#include "jitffi/script.h"
#include "script.h"
#include "script_container.h"
#include "script_object.h"
#include "unbox.h"

/* jitffi/scripts/lower/function/entry.py counts them, too. */
enum { GUESS_NONE, GUESS_STR, GUESS_INT, GUESS_FLOAT, GUESS_REGISTERED = 2 * CORE_MOST_GUESSES, MOST_GUESSED = 15 };

static int is_of(PyObject* item, int32_t guess) {
  int64_t number;
  if (guess == GUESS_STR) return PyUnicode_CheckExact(item) && (PyUnicode_IS_ASCII(item) || !core_has_surrogate(item));
  if (guess == GUESS_FLOAT) return PyFloat_CheckExact(item);
  return PyLong_CheckExact(item) && fast_int(item, &number);
}

/* Behind those of numbers and texts, in lists and Lists, stand the numbers of classes. */
static int64_t guess_of_registered(core_function* f, PyObject* item) {
  const int64_t number = core_is_instance(item) ? core_script_class(f, item) : 0;
  if (number < 0) return -1;
  return number > 0 && number <= MOST_GUESSED - GUESS_REGISTERED ? GUESS_REGISTERED + number : GUESS_NONE;
}

int64_t core_script_guess(core_function* f, PyObject* object) {
  if (f->script->unsure || !PyList_CheckExact(object) || PyList_GET_SIZE(object) == 0) return GUESS_NONE;
  PyObject* const item = PyList_GET_ITEM(object, 0);
  const PyTypeObject* const type = Py_TYPE(item);
  return type == &PyUnicode_Type ? GUESS_STR
         : type == &PyLong_Type  ? GUESS_INT
         : type == &PyFloat_Type ? GUESS_FLOAT
                                 : guess_of_registered(f, item);
}

static int64_t guess_of_item(jf_item item) {
  switch (*item.code) {
    case JF_SMALL_STR:
    case JF_SMALL_UCS4:
    case JF_STR:
    case JF_UCS4:
      return GUESS_STR;
    case JF_INT:
      return GUESS_INT;
    case JF_FLOAT:
      return GUESS_FLOAT;
    default:
      return GUESS_NONE;
  }
}

int64_t core_script_guess_native(const core_script* script, const jf_object* object) {
  const jf_list* list = (const jf_list*)object;
  return script->unsure || list->size == 0 ? GUESS_NONE : guess_of_item(list->items[0]);
}

int32_t core_op_guessed_native(const jf_object* object, int32_t guess) {
  const jf_list* list = (const jf_list*)object;
  for (size_t i = 0; i < list->size; i++)
    if (guess_of_item(list->items[i]) != guess) {
      jf_error_set("TypeError", CORE_SCRIPT_BEYOND_GUESS);
      return -1;
    }
  return 0;
}

PyObject* core_op_guessed(PyObject* list, int32_t guess) {
  const Py_ssize_t size = PyList_GET_SIZE(list);
  PyObject* const* const items = PySequence_Fast_ITEMS(list);
  const PyTypeObject* const registered = guess >= GUESS_REGISTERED && size > 0 ? Py_TYPE(items[0]) : NULL;
  for (Py_ssize_t i = 0; i < size; i++)
    if (registered != NULL ? Py_TYPE(items[i]) != registered : !is_of(items[i], guess)) {
      jf_error_set("TypeError", CORE_SCRIPT_BEYOND_GUESS);
      return NULL;
    }
  return registered != NULL ? Py_NewRef(list) : core_op_checked(PyList_GetSlice(list, 0, size));
}

int32_t core_op_guessed_text(PyObject* item, jf_value* slot, jf_text* out) {
  *out = (jf_text){PyUnicode_DATA(item), (size_t)PyUnicode_GET_LENGTH(item), 1};
  if (PyUnicode_KIND(item) == PyUnicode_4BYTE_KIND) return 0;
  if (core_out_ucs4(item, slot) != 0) return core_op_status(-1);
  const int is_heap = slot->type_code == JF_OBJECT;
  out->data = is_heap ? (const void*)((const jf_ucs4*)slot->v_object)->data : (const char*)slot + JF_PAYLOAD_OFFSET;
  return 0;
}

/* script_unsure(function): no guesses are made for this script from now on. */
static PyObject* script_unsure(PyObject* module, PyObject* function) {
  (void)module;
  core_function* f = (core_function*)core_function_get(function);
  if (f == NULL || f->script == NULL) return PyErr_Format(PyExc_TypeError, "%R is no script", function);
  f->script->unsure = 1;
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"script_unsure", script_unsure, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

/* Adds it to the module; -1 with an exception set on failure. */
int core_script_guess_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
