/* Function objects of a signature: what a value of type func[...] is wherever no C function passes or takes it.
 *
 *   Python callable --+                                             +--> slot, container, field: a jf_function
 *   Function, slot ---+--> the object itself, if it is of the      --+--> Python: the very callable that it was made for
 *   address ----------+    types; else a copy of a template          +--> C: its C function (callback.c)
 *
 * The signature is looked at where the value crosses, once. What has another one, or none, is wrapped by a copy of the template,
 * whose packed entry converts arguments and results; a Function that cannot take as many arguments is refused. A wrapped
 * callable comes back to Python as itself.
 */
#include "typed_function.h"
#include "call.h"
#include "callback.h"
#include "error.h"
#include "gil.h"
#include "handle.h"
#include "hooks.h"
#include "host_object.h"
#include "jitffi/runtime.h"
#include "raise.h"
#include "said.h"
#include "unbox.h"
#include "wrapper.h"

#include <string.h>

int core_function_takes(const core_function* given, const core_function* wanted) {
  if (!given->names || given->order || given->info.num_params == wanted->info.num_params) return 1;
  if (given->callee == 'c' && strstr(given->state.types, "...")) return 1;
  return given->info.num_required <= wanted->info.num_params && given->info.num_params > wanted->info.num_params;
}

/* New: a function object of the template's types that calls `callable`. NULL with an exception. */
static jf_object* wrap(core_function* template, PyObject* callable) {
  core_function* made = core_function_copy(template, callable, 0);
  if (!made) return NULL;
  made->transparent = 1;
  jf_object* handle = core_function_handle((PyObject*)made);
  Py_DECREF(made);
  return handle;
}

/* The native function that a wrapper of a derived class holds, borrowed; NULL without an exception where it is none. */
static jf_object* held_by(PyObject* object) {
  jf_object* native = core_wrapper_object(object);
  return native && native->type_code == JF_FUNCTION ? native : NULL;
}

jf_object* core_typed_function(const jf_pattern* p, PyObject* object, core_function* template) {
  core_function* f = (core_function*)core_function_get(object);
  if (f && f->state.types && f->state.types == p->types) return core_function_handle(object);
  jf_object* native = held_by(object);
  if (native && jf_function_has_types(native, p->types) == 1) {
    jf_object_retain(native);
    return native;
  }
  PyObject* made = NULL;
  if (!f && !PyCallable_Check(object)) return NULL;
  if (!template && !(made = core_hook_typed(p))) return NULL;
  if (!template) template = (core_function*)made;
  jf_object* result = NULL;
  if (f && f->state.types && core_types_fit(f->state.types, template->state.types))
    result = core_function_handle(object);
  else if (!f || core_function_takes(f, template))
    result = wrap(template, object);
  Py_XDECREF(made);
  return result;
}

/* -- parameters and results --------------------------------------------------------------------------------- */

/* New: the function object for the C function at an address. NULL with an exception. */
static jf_object* of_address(core_state* state, int32_t index, void* address) {
  PyObject* callable = core_box_callback(state, index, address);
  core_function* template = callable ? core_function_template(core_function_of(state), index) : NULL;
  const jf_pattern* p = template ? core_function_pattern(state, index) : NULL;
  jf_object* made = p ? core_typed_function(p, callable, template) : NULL;
  Py_XDECREF(callable);
  return made;
}

/* Keeps a new function object with temps; -1 with an exception, also where there is none. */
static int32_t keep(jf_object* made, jf_object** out, jf_temps* temps) {
  if (!made || core_keep_object(temps, made) != 0) return -1;
  *out = made;
  return 0;
}

const jf_pattern* core_function_pattern(core_state* state, int32_t index) {
  const jf_pattern* p = jf_pattern_at(state->info, index);
  if (!p) core_error_raise(NULL);
  return p;
}

static int32_t function_said(core_state* state, int32_t index, PyObject* said, int64_t extra, void* out,
                             jf_temps* temps) {
  (void)extra;
  return core_unbox_function(state, index, said, out, temps);
}

int32_t core_unbox_function(core_state* state, int32_t index, PyObject* object, jf_object** out, jf_temps* temps) {
  const jf_pattern* p = core_function_pattern(state, index);
  if (!p) return -1;
  core_function* f = (core_function*)core_function_get(object);
  if (f && f->state.types && f->state.types == p->types) {
    /* Native code may keep its C function as long as the Function lives: it has one by now, where C can carry the types. */
    if (!f->native && core_function_of(state)->callee == 'k' && !core_function_native(f)) {
      if (!PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
      PyErr_Clear();
    }
    return keep(core_function_handle(object), out, temps);
  }
  if (PyLong_Check(object) && !PyBool_Check(object)) {
    void* address; /* of what is none the message is C's */
    if (core_unbox_callback(state, index, object, &address, temps) == 0)
      core_raise_type(state, index, object, "Function.from_native makes a function of an address");
    return -1;
  }
  core_function* template = PyCallable_Check(object) ? core_function_template(core_function_of(state), index) : NULL;
  jf_object* made = template ? core_typed_function(p, object, template) : NULL;
  if (!made && !PyErr_Occurred()) return core_unbox_said(state, index, object, function_said, 0, out, temps);
  return keep(made, out, temps);
}

/* Of another signature, or a C function's address that native code gives: by way of Python. */
static int32_t lift_other(core_state* state, int32_t index, jf_object* function, void* address, jf_object** out,
                          jf_temps* temps) {
  void* token = core_enter_python(state, NULL);
  if (!token) return -1;
  int32_t status = -1;
  if (function) {
    PyObject* callable = core_function_box(function);
    if (callable) status = core_unbox_function(state, index, callable, out, temps);
    Py_XDECREF(callable);
  } else {
    status = keep(of_address(state, index, address), out, temps);
  }
  if (status != 0) core_error_from_python();
  core_leave_python(state, token, NULL);
  return status;
}

int32_t core_lift_function(core_state* state, int32_t index, const jf_view* view, jf_object** out, jf_temps* temps) {
  if (view->type_code == JF_HANDLE && view->v_handle) return lift_other(state, index, NULL, view->v_handle, out, temps);
  jf_object* object;
  if (jf_lift_object(state->info, index, view, JF_FUNCTION, &object, temps) != 0) return -1;
  const jf_pattern* p = jf_pattern_at(state->info, index);
  if (!p) return -1;
  if (jf_function_has_types(object, p->types) == 1) {
    *out = object;
    return 0;
  }
  return lift_other(state, index, object, NULL, out, temps);
}

int32_t core_lower_callback(core_state* state, int32_t index, void* address, jf_view* out, jf_temps* temps) {
  jf_object* function = NULL;
  if (lift_other(state, index, NULL, address, &function, temps) != 0) return -1;
  *out = (jf_view){.type_code = JF_FUNCTION, .v_object = function};
  return 0;
}
