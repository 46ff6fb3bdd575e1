/* Function objects: what a Function is to native code, what native code's functions are to Python, and calls between the two
 * that have no signature to go by.
 */
#include "handle.h"
#include "box.h"
#include "call.h"
#include "error.h"
#include "function.h"
#include "gil.h"
#include "hooks.h"
#include "host_object.h"
#include "jitffi/emitted.h"
#include "jitffi/runtime.h"
#include "state.h"
#include "unbox.h"

static void release_captures(void* captures) { core_decref_anywhere((PyObject*)core_function_of(captures)); }

core_function* core_function_made_by(const jf_object* function) {
  core_state* state = jf_function_captures(function, release_captures);
  return state ? core_function_of(state) : NULL;
}

static jf_object* new_handle(core_function* f) {
  if (!f->packed) {
    if (core_hook_packed(f) < 0) return NULL;
  }
  core_function* about = f->copy ? (core_function*)f->owner : f;
  if (about->names && !about->text && !(about->text = core_hook_signature(about))) return NULL;
  PyObject* text = about->text;
  jf_object* handle = jf_function_new(f->packed, &f->state, release_captures, text ? PyUnicode_AsUTF8(text) : NULL);
  if (!handle) {
    core_error_raise(&f->state);
    return NULL;
  }
  Py_INCREF(f);
  jf_function* function = (jf_function*)handle;
  function->types = f->state.types;
  function->native = f->native;
  jf_function_set_name(handle, f->callable || f->script ? "" : f->info.name); /* Python's code has entries of its own */
  return handle;
}

jf_object* core_function_handle(PyObject* callable) {
  core_function* f = (core_function*)core_function_get(callable);
  PyObject* made = NULL;
  if (!f) {
    made = core_hook_convert(callable);
    if (!made) return NULL;
    f = (core_function*)core_function_get(made);
    f->transparent = 1;
  }
  jf_object* handle;
  if (f->handle || (f->callee == 'k' && !f->names)) {
    handle = f->handle ? f->handle : &f->state.self->header;
    if (f->handle) ((jf_function*)handle)->native = f->native; /* which may be newer */
    jf_object_retain(handle);
  } else {
    handle = new_handle(f);
  }
  Py_XDECREF(made);
  return handle;
}

PyObject* core_function_box_named(jf_object* function, const char* name) {
  core_function* f = core_function_made_by(function);
  if (f && f->transparent && f->callable) return Py_NewRef(f->callable);
  return f ? core_hook_builtin(f) : core_hook_function(function, name);
}

/* Borrowed: what makes two function objects the same one. The callable that one was made for, else the Function; NULL for a
 * function that is none of ours. */
PyObject* core_function_identity(const jf_object* function) {
  core_function* f = core_function_made_by(function);
  if (!f) return NULL;
  return f->transparent && f->callable ? f->callable : (PyObject*)f;
}

PyObject* core_function_box(jf_object* function) { return core_function_box_named(function, "function"); }

/* Borrowed: its function object, which it keeps from now on. NULL with an exception. */
jf_object* core_function_keep_handle(core_function* f) {
  if (f->callee == 'k' && !f->names) return &f->state.self->header;
  if (!f->handle) {
    jf_object* made = new_handle(f);
    if (!made) return NULL;
    if (f->handle) /* another thread was faster while code was made: its address has been given out */
      jf_object_release(made);
    else
      f->handle = made;
  }
  return f->handle;
}

/* -- calls without a signature ------------------------------------------------------------------------------------ */

enum { FRAME_ARGS = 16, OUT_BYTES = JF_PAYLOAD_OFFSET + JF_MAX_CAPACITY };

static PyObject* raise_last(core_state* state, jf_value* out) {
  jf_any_release(out);
  core_error_raise_call(state);
  return NULL;
}

PyObject* core_dynamic_call(PyObject* self, PyObject* const* args, Py_ssize_t given) {
  core_function* f = (core_function*)self;
  jf_view frame[FRAME_ARGS];
  jf_view* views = frame;
  jf_temps temps = {NULL};
  union {
    jf_value slot;
    char bytes[OUT_BYTES];
  } out;
  if (given > FRAME_ARGS && !(views = PyMem_Malloc((size_t)given * sizeof *views))) return PyErr_NoMemory();
  PyObject* result = NULL;
  for (Py_ssize_t i = 0; i < given; i++)
    if (core_unbox_any(&f->state, (int32_t)i, args[i], &views[i], &temps) < 0) goto done;
  jf_packed_call call = f->callee == 'k' ? (jf_packed_call)f->state.target : core_dynamic_entry;
  jf_out_init(&out.slot, JF_MAX_CAPACITY);
  jf_function* callee = f->callee == 'k' ? f->state.self : NULL;
  jf_object* own = NULL;
  if (!callee) {
    own = core_function_handle(self);
    callee = (jf_function*)own;
    if (!own) goto done;
  }
  int32_t status = jf_call_guarded(callee, (int32_t)given, views, &out.slot, call);
  jf_object_release(own);
  if (*jf_error_pending_count() && core_take_pending()) status = -1;
  result = status == 0 ? core_box_slot(&out.slot) : raise_last(&f->state, &out.slot);
done:
  if (temps.head) jf_temps_release(&temps);
  if (views != frame) PyMem_Free(views);
  return result;
}

/* A failure with the error set; the out-slot no longer tells a capacity. */
static int32_t failed_call(jf_value* out) {
  jf_out_init(out, 0);
  return -1;
}

static int is_container(const jf_any* slot) {
  if (slot->type_code != JF_OBJECT) return 0;
  const int32_t code = slot->v_object->type_code;
  return jf_type_is_a(code, JF_LIST) || jf_type_is_a(code, JF_MAP) || jf_type_is_a(code, JF_TUPLE) || code == JF_SET;
}

/* Whether the callable can have kept a list, map or set that its caller goes on with, or given one that it has. */
static int shares(int32_t count, const jf_view* args, const jf_value* out) {
  for (int32_t i = 0; i < count; i++)
    if (is_container(&args[i])) return 1;
  return is_container(out);
}

/* The packed entry of a callable without a signature: each argument as what it is. */
int32_t core_dynamic_entry(jf_function* self, int32_t count, const jf_view* args, jf_value* out) {
  core_state* state = jf_function_captures(&self->header, release_captures);
  if (!state) {
    jf_error_set("TypeError", "a Function was called with another function's object as its self");
    return failed_call(out);
  }
  void* token = core_enter_python(state, NULL);
  if (!token) return failed_call(out);
  PyObject* frame[FRAME_ARGS + 1];
  PyObject** objects = count <= FRAME_ARGS ? frame : PyMem_Calloc((size_t)count + 1, sizeof *objects);
  PyObject* result = NULL;
  int32_t made = 0;
  if (objects) {
    while (made < count && (objects[made + 1] = core_box_view(&args[made]))) made++;
    if (made == count)
      result = core_call_python(state, objects + 1, count);
    else
      core_decref_array(objects + 1, made);
  } else {
    PyErr_NoMemory();
  }
  int32_t status = result ? core_unbox_any_out(state, result, out) : -1;
  if (status != 0) core_error_from_python();
  if (objects != frame) PyMem_Free(objects);
  if (shares(count, args, out)) token = core_keep_gil(token);
  core_leave_python(state, token, result);
  return status == 0 ? 0 : failed_call(out);
}
