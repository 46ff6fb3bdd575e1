/* Fields that are pointers to C functions: what is read can be called, and a callable that is written gets a C function that lives
 * as long as it stands there.
 */
#include "callback.h"
#include "foreign.h"
#include "function.h"
#include "hooks.h"
#include "struct.h"

#include <string.h>

static PyObject* where(const core_place* place) { return core_field_where(place->of); }

static core_place place_of(const core_field* field, core_struct* self) {
  return (core_place){field->to, (PyObject*)self, field->text, where, 0, field};
}

/* A function that Python has put there is what Python calls, without a way through C. */
static PyObject* get_function(const core_field* field, core_struct* self, char* at) {
  void* address;
  memcpy(&address, at, sizeof address);
  if (address == NULL) Py_RETURN_NONE;
  PyObject* kept = core_kept_at((PyObject*)self, at);
  core_function* function = kept != NULL ? (core_function*)core_function_get(kept) : NULL;
  if (function != NULL && function->native == address) return core_hook_builtin(function);
  Py_XINCREF(kept);
  PyObject* made = core_hook_function_at(field->to->item_text, field->name, address, kept != NULL ? kept : Py_None);
  /* It keeps what was kept, and stands in for it, unless something else was put there meanwhile: the next time it is found. */
  const int is_there = made != NULL && kept != NULL && core_kept_at((PyObject*)self, at) == kept;
  if (is_there && core_keep_at((PyObject*)self, at, made) != 0) Py_CLEAR(made);
  Py_XDECREF(kept);
  return made;
}

/* A new Function of the field's types that calls it; steals nothing. -1 with an exception. */
static int set_callable(const core_field* field, core_struct* self, char* at, PyObject* callable) {
  core_keeper keeper;
  if (!core_keeper_of((PyObject*)self, &keeper))
    return core_field_refuse(field, PyExc_TypeError, NULL, callable, "nothing there would keep it alive");
  PyObject* function = core_hook_callback(field->to->item_text, field->name, callable);
  const core_place place = place_of(field, self);
  const int status = function != NULL ? core_place_write(&place, at, function) : -1;
  Py_XDECREF(function);
  return status;
}

/* Functions of ours and of other packages have an address of their own: 1, 0 or -1 with an exception. */
static int has_address(PyObject* value) {
  void* address;
  if (core_function_get(value) != NULL) return 1;
  const int status = core_ctypes_pointer(value, &address);
  return status != 0 ? status : core_cffi_pointer(value, &address, 1);
}

static int set_function(const core_field* field, core_struct* self, char* at, PyObject* value) {
  const core_place place = place_of(field, self);
  const int status = PyCallable_Check(value) ? has_address(value) : 1;
  if (status < 0) return -1;
  return status == 0 ? set_callable(field, self, at, value) : core_place_write(&place, at, value);
}

void core_field_choose_function(core_field* field) {
  field->get_item = get_function;
  field->set_item = set_function;
}
