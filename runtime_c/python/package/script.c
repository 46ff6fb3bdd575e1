/* Scripts called: which variant of the code serves the arguments at hand, from Python and through the packed convention.
 *
 *   f("abc", 3)  --pack-->  views, and their type tags, eight bits each  --find-->  a variant's packed entry
 *                                     else the interpreter makes the call (script_first.c), or Python
 *                                     compiles one (Script._make_variant)
 *
 * Parameters with an annotation have no part in the type tags: each variant's entry checks them. What stands in a str is borrowed
 * to the script as it lies where it is ASCII or has four bytes a character; other text is widened, here.
 */
#include "script.h"
#include "box.h"
#include "convert.h"
#include "effect.h"
#include "error.h"
#include "function.h"
#include "gil.h"
#include "handle.h"
#include "hooks.h"
#include "jitffi/runtime.h"
#include "script_object.h"
#include "script_quick.h"
#include "sequence.h"
#include "unbox.h"
#include "unlock.h"
#include "wrapper.h"

enum { FRAME_ARGS = 8, OUT_BYTES = JF_PAYLOAD_OFFSET + JF_MAX_CAPACITY };

/* -- type tags --------------------------------------------------------------------------------------------------- */

static uint64_t at_place(uint64_t tag, int32_t index) { return index < CORE_MOST_TOLD_APART ? tag << (4 * index) : 0; }

static void set_tag(core_tags* tags, uint64_t tag, int32_t index) {
  tags->kinds = (tags->kinds & ~at_place(15, index)) | at_place(tag & 15, index);
  tags->ranks = (tags->ranks & ~at_place(15, index)) | at_place(tag >> 4, index);
}

/* NULL where none has been made for those type tags. */
static const core_variant* find(const core_script* script, core_tags type_tags) {
  const core_variants* table = &script->own;
  int32_t count = __atomic_load_n(&table->count, __ATOMIC_ACQUIRE);
  if (count < 0) {
    table = __atomic_load_n(&script->used, __ATOMIC_ACQUIRE);
    count = __atomic_load_n(&table->count, __ATOMIC_ACQUIRE);
  }
  for (int32_t i = 0; i < count; i++)
    if (table->variants[i].type_tags.kinds == type_tags.kinds && table->variants[i].type_tags.ranks == type_tags.ranks)
      return &table->variants[i];
  return __atomic_load_n(&table->otherwise.call, __ATOMIC_ACQUIRE) != NULL ? &table->otherwise : NULL;
}

/* The variant for those type tags, compiled where it must be. Needs the GIL; NULL with an exception, or without one where the
 * script, or this call, is left to the interpreter. */
static const core_variant* make(core_function* f, core_tags type_tags) {
  /* Another thread may take another table into use between the two. */
  for (int attempt = 0; attempt < 1000; attempt++) {
    if (core_hook_variant(f, type_tags.kinds, type_tags.ranks) <= 0 || f->script->left) return NULL;
    const core_variant* made = find(f->script, type_tags);
    if (made != NULL) return made;
  }
  PyErr_SetString(PyExc_SystemError, "jitffi: a variant of a script was not made");
  return NULL;
}

/* -- calls from Python --------------------------------------------------------------------------------------------- */

/* ValueError for a container that other threads can change while a script runs without the lock. */
static int32_t check_alone(core_function* f, int32_t count, const jf_view* views, const core_room* rooms) {
  for (int32_t i = 0; i < count; i++) {
    jf_object* object = rooms[i].owned;
    if (object != NULL && core_ref_count(object) == 2) core_wrapper_give_up(object);
    if (core_sole_view(&f->state, i, &views[i]) < 0) return -1;
  }
  return 0;
}

/* Runs the code; 0, or -1 with an exception, or without one where the interpreter is to make the call. */
static int32_t run_once(core_function* f, const core_variant* variant, const jf_view* views, const core_room* rooms,
                        int32_t given, jf_value* out) {
  const jf_packed_call call = variant->call;
  const int32_t count = f->script->num_params;
  int32_t status;
  const uint64_t operations = core_host_operations;
  if (!f->script->nogil) {
    status = call(NULL, count, views, out);
  } else {
    if (check_alone(f, given, views, rooms) != 0) return -1;
    core_without_gil outer = {0, 0};
    void* saved = core_release_gil_for_script(&f->state, &outer);
    status = call(NULL, count, views, out);
    core_acquire_gil_for_script(saved, outer);
  }
  if (*jf_error_pending_count() && core_take_pending()) status = -1;
  if (status == 0) return 0;
  jf_any_release(out);
  if (core_quick_was_broken_off()) return -1;
  if (core_host_operations == operations && core_script_left_error(f->script, variant)) return -1;
  core_error_raise(&f->state);
  return -1;
}

/* The same of a variant that better code is being made for. */
static __attribute__((noinline)) int32_t run_quick(core_function* f, const core_variant* variant, const jf_view* views,
                                                   const core_room* rooms, int32_t given, jf_value* out) {
  for (;;) {
    core_quick_call quick;
    core_quick_begin(&quick, variant);
    const int32_t status = run_once(f, variant, views, rooms, given, out);
    if (!core_quick_end(&quick)) return status;
    jf_out_init(out, JF_MAX_CAPACITY);
  }
}

static int32_t run(core_function* f, const core_variant* variant, const jf_view* views, const core_room* rooms,
                   int32_t given, jf_value* out) {
  if (variant->quick != NULL) return run_quick(f, variant, views, rooms, given, out);
  return run_once(f, variant, views, rooms, given, out);
}

/* New: a set that the script has made, and nobody else has, as a Set; any other object, and one of items that no native set can
 * hold, is itself. Takes it. */
static PyObject* native_of(PyObject* object) {
  if (!PySet_CheckExact(object) || Py_REFCNT(object) != 1) return object;
  jf_object* made = core_set_from(object, -1);
  if (made == NULL && core_not_a_value() == 0) return object;
  Py_DECREF(object);
  PyObject* result = made != NULL ? core_wrapper_of(made) : NULL;
  jf_object_release(made);
  return result;
}

/* Takes *value, the result. A container that is of no more use than to be converted goes in the end. */
static PyObject* box_result(const core_script* s, jf_value* value) {
  if (value->type_code == CORE_PYTHON_REFERENCE)
    return s->returns_python ? value->v_handle : native_of(value->v_handle);
  if (!s->returns_python || value->type_code != JF_OBJECT || !core_is_container(value->v_object->type_code))
    return core_box_slot(value);
  PyObject* made = core_result_to_python(value->v_object);
  jf_any_release(value);
  return made;
}

/* NULL with an exception, or without one where the interpreter makes the call. */
static const core_variant* variant_for(core_function* f, core_tags type_tags, PyObject* const* args, Py_ssize_t given) {
  const core_variant* found = find(f->script, type_tags);
  if (found != NULL || core_first_begins(f, type_tags, args, given) != 0) return found;
  return make(f, type_tags);
}

/* NULL without an exception where the script, or this call, is left to the interpreter. */
static PyObject* call_packed(core_function* f, PyObject* const* args, Py_ssize_t given, jf_view* views,
                             core_room* rooms) {
  core_script* s = f->script;
  jf_temps temps = {NULL};
  union {
    jf_value slot;
    char bytes[OUT_BYTES];
  } out;
  PyObject* result = NULL;
  core_tags type_tags = s->defaults;
  uint64_t waiting = 0, reads = 0;
  int32_t packed = 0;
  for (; packed < given; packed++) {
    const int32_t i = packed;
    int64_t tag;
    if (i < 64 && !s->nogil && !core_script_takes_objects(s, i) && core_kept_worth(args[i])) {
      /* How it is converted, the variant says. */
      rooms[i].owned = NULL;
      waiting |= UINT64_C(1) << i;
      tag = PyList_CheckExact(args[i]) ? CORE_TAG_LIST : CORE_TAG_DICT;
    } else {
      tag = core_script_pack(f, i, args[i], &views[i], &rooms[i], &temps);
      if (tag < 0) {
        core_script_left_argument(s);
        goto done;
      }
    }
    set_tag(&type_tags, (uint64_t)tag, i);
  }
  type_tags.kinds &= s->asked.kinds;
  type_tags.ranks &= s->asked.ranks;
  for (int32_t i = (int32_t)given; i < s->num_params; i++) views[i] = s->default_views[i - s->num_required];
  const core_variant* variant = variant_for(f, type_tags, args, given);
  if (variant == NULL) goto done;
  reads = variant->reads;
  if (s->structs != NULL && core_script_check_structs(f, args, given, reads) != 0) goto done;
  for (int32_t i = 0; i < 64 && waiting >> i; i++) {
    if (!(waiting >> i & 1)) continue;
    if (reads >> i & 1) {
      rooms[i].owned = core_kept_get(s, i, args[i]);
      if (rooms[i].owned == NULL) {
        core_script_left_argument(s);
        goto done;
      }
      core_view_of_object(rooms[i].owned, &views[i]);
    } else if (core_script_pack(f, i, args[i], &views[i], &rooms[i], &temps) < 0) {
      core_script_left_argument(s);
      goto done;
    }
  }
  jf_out_init(&out.slot, JF_MAX_CAPACITY);
  if (run(f, variant, views, rooms, packed, &out.slot) == 0) result = box_result(s, &out.slot);
done:
  for (int32_t i = 0; i < 64 && (waiting & reads) >> i && i < packed; i++)
    if ((waiting & reads) >> i & 1 && rooms[i].owned != NULL) core_kept_check(s, i, rooms[i].owned);
  for (int32_t i = 0; i < packed; i++)
    if (rooms[i].owned != NULL) jf_object_release(rooms[i].owned);
  if (temps.head != NULL) jf_temps_release(&temps);
  return result;
}

/* More arguments than the frame has room for. */
static __attribute__((noinline)) PyObject* call_many(core_function* f, PyObject* const* args, Py_ssize_t given,
                                                     PyObject* kwnames) {
  const size_t n = (size_t)f->script->num_params + 1;
  PyObject** arranged = PyMem_Malloc(n * sizeof *arranged);
  jf_view* views = PyMem_Malloc(n * sizeof *views);
  core_room* rooms = PyMem_Malloc(n * sizeof *rooms);
  PyObject* result = NULL;
  if (arranged == NULL || views == NULL || rooms == NULL) {
    PyErr_NoMemory();
  } else if (core_script_arrange(f, args, given, kwnames, arranged) == 0) {
    result = call_packed(f, arranged, f->script->num_params, views, rooms);
    core_script_disarrange(f->script, arranged);
  }
  PyMem_Free(arranged);
  PyMem_Free(views);
  PyMem_Free(rooms);
  return result;
}

static PyObject* call_few(core_function* f, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
  const core_script* s = f->script;
  jf_view views[FRAME_ARGS];
  core_room rooms[FRAME_ARGS];
  PyObject* arranged[FRAME_ARGS];
  const int by_name = kwnames != NULL && PyTuple_GET_SIZE(kwnames) > 0;
  if (!by_name && given >= s->least_plain && given <= s->num_params) return call_packed(f, args, given, views, rooms);
  if (core_script_arrange(f, args, given, kwnames, arranged) != 0) return NULL;
  PyObject* result = call_packed(f, arranged, s->num_params, views, rooms);
  core_script_disarrange(s, arranged);
  return result;
}

PyObject* core_script_call(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
  core_function* f = (core_function*)self;
  PyObject* result =
      f->script->num_params > FRAME_ARGS ? call_many(f, args, given, kwnames) : call_few(f, args, given, kwnames);
  if (result != NULL || PyErr_Occurred()) return result;
  return core_first_has_begun(f->script) ? core_first_call(self, args, given, kwnames)
                                         : core_left_call(self, args, given, kwnames);
}

PyObject* core_script_vectorcall(PyObject* self, PyObject* const* args, size_t flags, PyObject* kwnames) {
  if (Py_EnterRecursiveCall(" while calling a script")) return NULL;
  PyObject* result = core_script_call(self, args, PyVectorcall_NARGS(flags), kwnames);
  Py_LeaveRecursiveCall();
  return result;
}

/* -- calls through the packed convention --------------------------------------------------------------------------- */

static const core_variant left_variant = {.call = core_dynamic_entry};

/* NULL with the last error set. */
static const core_variant* make_packed(core_function* f, core_tags type_tags) {
  void* token = core_enter_python(&f->state, NULL);
  if (token == NULL) return NULL;
  const core_variant* made = make(f, type_tags);
  if (made == NULL && PyErr_Occurred())
    core_error_from_python();
  else if (made == NULL)
    made = &left_variant;
  core_leave_python(&f->state, token, NULL);
  return made;
}

/* With the defaults of what was not given. */
static __attribute__((noinline)) int32_t call_filled(const core_script* s, jf_packed_call call, int32_t given,
                                                     const jf_view* args, jf_value* out) {
  jf_view frame[FRAME_ARGS] = {0};
  jf_view* views = s->num_params <= FRAME_ARGS ? frame : jf_alloc((size_t)s->num_params * sizeof *views);
  if (views == NULL) {
    jf_error_set("MemoryError", "no memory for a script's arguments");
    jf_out_init(out, 0);
    return -1;
  }
  for (int32_t i = 0; i < s->num_params; i++) views[i] = i < given ? args[i] : s->default_views[i - s->num_required];
  const int32_t status = call(NULL, s->num_params, views, out);
  if (views != frame) jf_free(views);
  return status;
}

static int32_t call_variant(core_function* f, const core_variant* variant, jf_function* self, int32_t count,
                            const jf_view* args, jf_value* out) {
  if (count == f->script->num_params) return variant->call(self, count, args, out);
  return call_filled(f->script, variant->call, count, args, out);
}

/* What has to do with objects of Python's runs with the lock, whoever calls it; an object that it gives becomes a value. */
static int32_t call_locked(core_function* f, const core_variant* variant, jf_function* self, int32_t count,
                           const jf_view* args, jf_value* out) {
  void* token = core_enter_python(&f->state, NULL);
  const int32_t capacity = jf_out_capacity(out);
  int32_t status = token != NULL ? call_variant(f, variant, self, count, args, out) : -1;
  if (status == 0 && out->type_code == CORE_PYTHON_REFERENCE) {
    PyObject* result = out->v_handle;
    jf_out_init(out, capacity);
    status = core_op_put(result, out);
    Py_DECREF(result);
  }
  if (token != NULL) core_leave_python(&f->state, token, NULL);
  if (status != 0) jf_out_init(out, 0);
  return status;
}

int32_t core_script_entry(jf_function* self, int32_t count, const jf_view* args, jf_value* out) {
  core_function* f = core_function_made_by(&self->header);
  const core_variant* variant = NULL;
  if (f != NULL && f->script != NULL && f->script->left) return core_dynamic_entry(self, count, args, out);
  if (f == NULL || f->script == NULL) {
    jf_error_set("TypeError", "a script was called with another function's object as its self");
  } else if (f->script->structs != NULL) {
    jf_error_format("TypeError", "%s() has parameters that are structs: Python and scripts call it by its name alone",
                    f->info.name);
  } else if (count < f->script->num_required || count > f->script->num_params) {
    jf_error_format("TypeError", "%s() takes %d argument%s but %d %s given", f->info.name, (int)f->script->num_params,
                    f->script->num_params == 1 ? "" : "s", (int)count, count == 1 ? "was" : "were");
  } else {
    core_tags type_tags = f->script->defaults;
    for (int32_t i = 0; i < count; i++) {
      const uint64_t tag = core_script_type_tag(&args[i]);
      const int is_object = tag >= CORE_TAG_OBJECT && tag <= CORE_TAG_OWN_SET;
      set_tag(&type_tags, is_object && f->script->strict ? CORE_TAG_ANY : tag, i);
    }
    type_tags.kinds &= f->script->asked.kinds;
    type_tags.ranks &= f->script->asked.ranks;
    variant = find(f->script, type_tags);
    if (variant == NULL) variant = make_packed(f, type_tags);
  }
  if (variant == NULL) {
    jf_out_init(out, 0);
    return -1;
  }
  if (variant == &left_variant) return core_dynamic_entry(self, count, args, out);
  return variant->python ? call_locked(f, variant, self, count, args, out)
                         : call_variant(f, variant, self, count, args, out);
}
