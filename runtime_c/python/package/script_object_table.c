/* The addresses of all functions that code of scripts calls for Python's own objects, by name: `_core.SCRIPT_FUNCTIONS`. */
#include "parts.h"
#include "script_container.h"
#include "script_object.h"

/* clang-format off */
#define FUNCTIONS(X) \
  X(retain) X(release) X(view) X(view_as) X(view_shown) X(put) X(subject) X(box) X(box_int) X(box_float) X(box_char) X(box_text) X(box_bytes) X(box_native) \
  X(argument) X(result) X(binary) X(inplace) X(unary) X(compare) X(test) X(truth) X(isinstance) X(math) X(length) X(item) \
  X(item_at) X(set_item) X(slice) X(contains) X(attribute) X(set_attribute) X(field) X(set_field) X(object_at) X(object_field) X(slot_field) X(container_at) X(container_field) X(array_at) X(array_field) X(array_outside) X(array_beyond) X(object_item) X(contained) X(is_method) X(iterator) X(next) X(unpack) X(unpack_rest) \
  X(call) X(make) X(new) X(made) X(call_method) X(method) X(call_found) X(call_spread) X(global) X(import) X(import_from) X(cell) X(cell_get) \
  X(cell_set) X(function) X(fits) X(match_class) X(raise) X(caught) X(told) X(catches) X(enter) X(exit)
#define CONTAINERS(X) \
  X(int) X(pass) X(box_stored) X(own) X(text_partition) X(text_split) X(list_new) X(tuple_new) X(list_append) X(append_of) X(append) X(list_set) X(list_pop) X(list_sort) X(list_slice) X(guessed) X(guessed_native) X(guessed_text) X(set_new) X(set_add) X(dict_update) X(dict_new) \
  X(dict_item) X(dict_item_text) X(dict_find) X(dict_find_text) X(dict_set) X(dict_set_text) X(dict_setdefault) X(dict_setdefault_text) X(dict_count) \
  X(dict_count_text) X(contains_text) X(dict_walk) X(dict_next)
/* clang-format on */

#define ROW(name) {"core_op_" #name, (void (*)(void))core_op_##name},

static const struct {
  const char* name;
  void (*function)(void);
} rows[] = {FUNCTIONS(ROW) CONTAINERS(ROW)};

int core_script_object_init(PyObject* module) {
  PyObject* found = PyDict_New();
  int status = found != NULL ? 0 : -1;
  for (size_t i = 0; status == 0 && i < sizeof rows / sizeof rows[0]; i++) {
    PyObject* address = PyLong_FromVoidPtr((void*)(uintptr_t)rows[i].function);
    status = address != NULL ? PyDict_SetItemString(found, rows[i].name, address) : -1;
    Py_XDECREF(address);
  }
  if (status == 0) status = PyModule_AddObjectRef(module, "SCRIPT_FUNCTIONS", found);
  Py_XDECREF(found);
  return status;
}
