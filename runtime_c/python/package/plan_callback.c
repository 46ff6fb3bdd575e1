/* Python callables that C calls by a plan: the registers that C has set become Python's arguments, and what is returned C's result.
 *
 *   C function pointer --closure--> core_plan_body --core_plan_called--> the callable
 *
 * All of it is as in the adapter that `c` and `python` write together (jitffi/conventions): nothing runs while an error is pending, the
 * Function is held while its callable runs, and a failure is pending, with zero or what `on_error` says as the result.
 */
#include "plan.h"

#include "array.h"
#include "array_make.h"
#include "box.h"
#include "call.h"
#include "callback.h"
#include "error.h"
#include "function_at.h"
#include "gil.h"
#include "plan_lengths.h"
#include "plan_places.h"
#include "pointer.h"
#include "struct.h"
#include "unbox.h"

#include <stdlib.h>
#include <string.h>

#if CORE_CALLS_NATIVE

/* The origin has the plan, and the code once there is some. */
static core_function* origin_of(core_function* f) { return f->copy ? (core_function*)f->owner : f; }

/* The words that C has passed, to where the values are. */
static void take_arguments(const core_plan_call* call, const core_native_call* native) {
  const core_plan_move* moves = core_plan_moves(call->plan);
  const uint64_t* registers = &native->indirect;
  const uint64_t* stack = native->target;
  for (int i = 0; i < call->plan->num_moves; i++) {
    const core_plan_move* move = &moves[i];
    char* to = (char*)(call->words + move->place);
    const uint64_t* from =
        move->word < CORE_WORD_STACK ? registers + move->word : stack + (move->word - CORE_WORD_STACK);
    if (move->is_behind) {
      *(uint64_t*)to = (uintptr_t)(to + sizeof(uint64_t));
      to += sizeof(uint64_t);
    }
    memcpy(to + move->offset, from, move->size);
  }
}

static int is_array(const core_plan_step* step) { return step->code == CORE_PLAN_array && step->size > 1; }

static PyObject* box_tensor(core_plan_call* call, const core_plan_step* step, const jf_dltensor* tensor) {
  PyObject* object = call->args ? call->args[step->at] : NULL;
  int64_t lengths[JF_MAX_RANK];
  const core_plan_length* told = core_plan_lengths(call->plan) + step->first_dimension;
  for (int i = 0; i < step->num_dimensions; i++) lengths[i] = object ? -1 : core_plan_length_of(call, &told[i]);
  return core_box_tensor(call->state, step->index, object, NULL, tensor, (uint64_t)step->extra,
                         step->num_dimensions ? lengths : NULL);
}

/* An exception: C has passed NULL for what has no None. */
static PyObject* refuse_null(core_plan_call* call, const core_plan_step* step) {
  core_fail_null(call->state, step->index);
  core_error_raise(call->state);
  return NULL;
}

/* New; NULL with an exception. */
static PyObject* box_argument(core_plan_call* call, const core_plan_step* step) {
  const uint64_t* words = call->words + step->place;
  void* first = (void*)(uintptr_t)words[0];
  if (step->flags & CORE_STEP_PLACE)
    return first != NULL ? core_plan_box(call, step, step->index, first) : refuse_null(call, step);
  if (first == NULL && (step->flags & CORE_STEP_OPTIONAL)) Py_RETURN_NONE;
  switch (step->code) {
    case CORE_PLAN_str:
      return core_box_str(first, (size_t)words[1]);
    case CORE_PLAN_bytes:
      return core_box_bytes(first, (size_t)words[1]);
    case CORE_PLAN_ucs4:
      return core_box_ucs4(first, (size_t)words[1]);
    case CORE_PLAN_structure:
      return core_box_struct(call->state, step->index, first);
    case CORE_PLAN_any:
    case CORE_PLAN_union:
      return core_box_view(first);
    case CORE_PLAN_object:
    case CORE_PLAN_function:
      return core_box_object(first);
    case CORE_PLAN_container:
      return first != NULL ? core_box_object(first) : refuse_null(call, step);
    case CORE_PLAN_tensor:
      return first != NULL ? box_tensor(call, step, first) : refuse_null(call, step);
    case CORE_PLAN_array:
      if (is_array(step)) return core_box_array(call->state, step->index, (uint64_t)step->extra, (int64_t*)words);
      /* fall through: a pointer to numbers */
    default:
      return core_plan_box(call, step, step->index, step->flags & CORE_STEP_BY_ADDRESS ? first : words);
  }
}

/* Which of the callable's arguments it is: it is not given what arrays say, nor what it alone writes to. */
static int position_of(const core_plan* plan, const core_plan_step* step) {
  int position = step->index;
  for (int i = 0; i < plan->num_steps + plan->num_makes; i++) {
    const core_plan_step* other = &plan->steps[i];
    position -= (i >= plan->num_steps || (other->flags & CORE_STEP_FILLED)) && other->index < step->index;
  }
  return position;
}

/* What callables have done to arrays that are copies. -1 with an exception. */
static int write_back(core_plan_call* call, PyObject* const* arrays) {
  for (int i = 0; i < call->plan->num_steps; i++) {
    const core_plan_step* step = &call->plan->steps[i];
    const uint64_t* words = call->words + step->place;
    if (arrays[i] == NULL || words[0] == 0) continue;
    if (step->code == CORE_PLAN_tensor)
      core_tensor_back(arrays[i], (const jf_dltensor*)(uintptr_t)words[0]);
    else if (core_array_back(call->state, step->index, arrays[i], (uint64_t)step->extra, (const int64_t*)words) != 0)
      return -1;
  }
  return 0;
}

/* Whether C, or who called from Python, sees what is written to it. */
static int is_written(const core_plan_call* call, const core_plan_step* step) {
  const int is_copy = is_array(step) || (step->code == CORE_PLAN_tensor && call->args == NULL);
  return is_copy && ((uint64_t)step->extra >> 24 & JF_SPEC_WRITABLE);
}

/* The same with arrays, of which callables get copies, and without what they are not given. */
static PyObject* call_with_arrays(core_plan_call* call) {
  const core_plan* plan = call->plan;
  const int count = plan->num_steps;
  PyObject* objects[count + 1]; /* the first place is vectorcall's */
  PyObject* arrays[count + 1];  /* of steps, those that are written back; the temps hold them */
  PyObject** args = objects + 1;
  int passed = 0, failed = 0;
  memset(objects, 0, sizeof objects);
  memset(arrays, 0, sizeof arrays);
  for (int i = 0; i < count && !failed; i++) {
    const core_plan_step* step = &plan->steps[i];
    if (step->flags & CORE_STEP_FILLED) continue;
    PyObject* object = args[position_of(plan, step)] = box_argument(call, step);
    passed++;
    if (object != NULL && is_written(call, step)) arrays[i] = object;
    failed = object == NULL || (arrays[i] && core_keep_argument(&call->temps, object) != 0);
  }
  if (failed) {
    core_decref_array(args, count);
    return NULL;
  }
  PyObject* returned = core_call_python(call->state, args, passed);
  if (returned != NULL && write_back(call, arrays) != 0) Py_CLEAR(returned);
  return returned;
}

/* New: what the callable returns. NULL with an exception. */
static PyObject* call_callable(core_plan_call* call) {
  const core_plan* plan = call->plan;
  if (plan->flags & CORE_PLAN_KEEPS) return call_with_arrays(call);
  PyObject* objects[plan->num_steps + 1]; /* the first place is vectorcall's */
  PyObject** args = objects + 1;
  for (int i = 0; i < plan->num_steps; i++) { /* which are not always in the order of the parameters */
    PyObject* object = args[plan->steps[i].index] = box_argument(call, &plan->steps[i]);
    if (object != NULL) continue;
    while (--i >= 0) Py_DECREF(args[plan->steps[i].index]);
    return NULL;
  }
  return core_call_python(call->state, args, plan->num_steps);
}

/* A dtype or device into a slot. -1 with an exception. */
static int put_scalar(core_state* state, int32_t kind, PyObject* object, jf_value* out) {
  uint64_t word = 0;
  if (core_unbox_scalar(state, -1, object, kind, &word) != 0) return -1;
  out->type_code = kind == JF_KIND_DTYPE ? JF_DTYPE : JF_DEVICE;
  out->v_int64 = kind == JF_KIND_DTYPE ? (int64_t)(uint32_t)word : (int64_t)word;
  return 0;
}

/* A result that comes through a slot. -1 with an exception. */
static int put_result(core_state* state, const core_plan_step* result, PyObject* object, jf_value* out) {
  switch (result->extra) {
    case CORE_PLAN_scalar:
      return put_scalar(state, (int32_t)result->size, object, out);
    case CORE_PLAN_str:
      return core_unbox_str_out(state, object, out);
    case CORE_PLAN_bytes:
      return core_unbox_bytes_out(state, object, out);
    case CORE_PLAN_ucs4:
      return core_unbox_ucs4_out(state, object, out);
    case CORE_PLAN_union:
      return core_unbox_union_out(state, object, out);
    default:
      return core_unbox_any_out(state, object, out);
  }
}

/* The words of a result that is no slot, an object's a reference. -1 with an exception. */
static int unbox_result(core_plan_call* call, PyObject* object) {
  const core_plan_step* result = &call->plan->result;
  uint64_t* words = &call->words[result->place];
  if (result->code == CORE_PLAN_void) return 0;
  if (result->code == CORE_PLAN_tensor && (object != Py_None || !(result->flags & CORE_STEP_OPTIONAL))) {
    int64_t lengths[JF_MAX_RANK];
    const int64_t* told = core_plan_lengths_of_result(call, lengths);
    words[0] = (uintptr_t)core_tensor_object(call->state, -1, object, (uint64_t)result->extra, told);
    return words[0] ? 0 : -1;
  }
  if (core_plan_unbox(call, result, object) != 0) return -1;
  if (result->code == CORE_PLAN_object) jf_object_retain((jf_object*)(uintptr_t)words[0]);
  return 0;
}

/* The result as C gets it: its word, or what is in its slot. -1 with an exception, -2 with the last error. */
static int take_result(core_plan_call* call, PyObject* object) {
  const core_plan_step* result = &call->plan->result;
  uint64_t* word = &call->words[result->place];
  if (call->plan->flags & CORE_PLAN_IN_SLOT) {
    if (object == Py_None && (result->flags & CORE_STEP_OPTIONAL)) return 0; /* C's slot is null */
    return put_result(call->state, result, object, (jf_value*)(uintptr_t)*word);
  }
  if (unbox_result(call, object) != 0) return -1;
  if (result->code != CORE_PLAN_cstr || *word == 0) return 0;
  const char* kept = core_keep_cstr(call->state, (const char*)(uintptr_t)*word, -1);
  *word = (uintptr_t)kept;
  return kept ? 0 : -2;
}

/* What a callable has returned for a place of C's, which may have none. As take_result. */
static int take_place(core_plan_call* call, const core_plan_step* step, PyObject* object) {
  uint64_t* words = call->words + step->place;
  void* place = (void*)(uintptr_t)words[0];
  if (place == NULL) return 0;
  if (is_array(step))
    return core_unbox_array_out(call->state, step->index, object, (uint64_t)step->extra, (int64_t*)words);
  core_plan_step value = *step;
  value.flags &= ~CORE_STEP_PLACE;
  value.place++;
  if (core_plan_unbox(call, &value, object) != 0) return -1;
  if (step->code == CORE_PLAN_cstr && words[1] != 0) {
    const char* kept = core_keep_cstr(call->state, (const char*)(uintptr_t)words[1], step->index);
    if (kept == NULL) return -2;
    words[1] = (uintptr_t)kept;
  }
  memcpy(place, core_plan_bytes(&value, words + 1), step->size ? step->size : sizeof(void*));
  return 0;
}

/* The result, and what comes back beside it. As take_result. */
static int take_all(core_plan_call* call, PyObject* returned) {
  const core_plan* plan = call->plan;
  if (plan->num_back == 0) return take_result(call, returned);
  PyObject* parts[plan->num_back];
  parts[0] = returned;
  if (plan->num_back > 1 && core_take_apart(call->state, returned, parts, plan->num_back) != 0) return -1;
  int at = plan->num_back;
  for (int i = plan->num_steps - 1; i >= 0; i--) {
    if (!(plan->steps[i].flags & CORE_STEP_PLACE)) continue;
    const int status = take_place(call, &plan->steps[i], parts[--at]);
    if (status != 0) return status;
  }
  return plan->result.code == CORE_PLAN_void ? 0 : take_result(call, parts[0]);
}

/* New: of what a callable has returned, which stays alive meanwhile. */
static PyObject* convert_result(core_plan_call* call, PyObject* object) {
  const core_plan_step* result = &call->plan->result;
  uint64_t* words = &call->words[result->place];
  if (object == Py_None && (result->flags & CORE_STEP_OPTIONAL)) Py_RETURN_NONE;
  if (call->plan->flags & CORE_PLAN_IN_SLOT) {
    jf_value* out = (jf_value*)(words + 1);
    jf_out_init(out, 8 * (call->plan->slot_words - 1));
    return put_result(call->state, result, object, out) == 0 ? core_box_slot(out) : NULL;
  }
  if (unbox_result(call, object) != 0) return NULL;
  if (result->code == CORE_PLAN_tensor) return core_take_object((jf_object*)(uintptr_t)words[0]);
  return core_plan_box(call, result, -1, core_plan_bytes(result, words));
}

/* The same with what comes back beside it, which goes to its places. */
static PyObject* convert_all(core_plan_call* call, PyObject* returned) {
  const core_plan* plan = call->plan;
  PyObject* parts[plan->num_back];
  parts[0] = returned;
  if (plan->num_back > 1 && core_take_apart(call->state, returned, parts, plan->num_back) != 0) return NULL;
  int at = plan->num_back;
  for (int index = plan->num_params - 1; index >= 0; index--) {
    const core_plan_step* step = core_plan_place_of(plan, index);
    if (step != NULL && core_plan_put(call, step, parts[--at]) != 0) return NULL;
  }
  return convert_result(call, parts[0]);
}

PyObject* core_plan_run_callable(core_plan_call* call) {
  PyObject* returned = call_callable(call);
  PyObject* result = NULL;
  if (returned != NULL) result = call->plan->num_back ? convert_all(call, returned) : convert_result(call, returned);
  Py_XDECREF(returned);
  return result;
}

static void give_word(core_native_call* native, uint64_t word) {
  native->general_results[0] = word;
  native->vector_results[0] = word;
}

/* Where the caller has memory for a result: the hidden first argument, which on x86-64 comes back (System V psABI 3.2.3; AAPCS64
 * 6.9). */
static void* memory_of_result(core_native_call* native) {
#if defined(__x86_64__)
  native->general_results[0] = native->general[0];
  return (void*)(uintptr_t)native->general[0];
#else
  return (void*)(uintptr_t)native->indirect;
#endif
}

/* The result, whose bytes are at `bytes`, in the registers that have it, or in the caller's memory. */
static void give(const core_plan* plan, core_native_call* native, const void* bytes) {
  if (plan->result.code == CORE_PLAN_structure && plan->result.size != 0) {
    memcpy(memory_of_result(native), bytes, plan->result.size);
    return;
  }
  const core_plan_move* moves = core_plan_moves(plan) + plan->num_moves;
  uint64_t word;
  memcpy(&word, bytes, sizeof word);
  if (plan->num_result_moves == 0) give_word(native, word);
  for (int i = 0; i < plan->num_result_moves; i++)
    memcpy(native->general_results + moves[i].word, (const char*)bytes + moves[i].offset, moves[i].size);
}

/* What a failure gives: zero of a struct, and of a Function that has died; a status is -1. */
static void give_failure(const core_state* state, const jf_closure* closure, core_native_call* native) {
  const int32_t result_class = abs(__atomic_load_n(&closure->result_class, __ATOMIC_ACQUIRE));
  memset(native->general_results, 0, sizeof native->general_results);
  memset(native->vector_results, 0, sizeof native->vector_results);
  if (result_class >= JF_RESULT_IN_MEMORY)
    memset(memory_of_result(native), 0, (size_t)(result_class - JF_RESULT_IN_MEMORY));
  if (closure->result_class == JF_RESULT_STATUS) {
    native->general_results[0] = UINT32_MAX;
    return;
  }
  if (__atomic_load_n((void**)&closure->state, __ATOMIC_ACQUIRE) != state) return;
  const PyObject* bytes = origin_of(core_function_of((core_state*)(uintptr_t)state))->c_plan;
  const core_plan* plan = bytes ? (const core_plan*)PyBytes_AS_STRING(bytes) : NULL;
  if (plan != NULL && plan->result.code != CORE_PLAN_structure) give(plan, native, state->on_error);
}

/* With the lock, and the Function held. Whether it went well; else the last error is set. */
static int run(core_function* f, const core_plan* plan, core_native_call* native, PyObject** returned) {
  __attribute__((aligned(16))) uint64_t memory[plan->num_words + 2];
  core_plan_call call = {plan, &f->state, memory, NULL, {NULL}, NULL};
  memset(memory, 0, 8 * (size_t)plan->num_words);
  take_arguments(&call, native);
  for (int i = 0; plan->num_lengths && i < plan->num_steps; i++)
    if (is_array(&plan->steps[i])) core_plan_tell(&call, &plan->steps[i]);
  *returned = core_plan_count(origin_of(f), 1) == 0 ? call_callable(&call) : NULL;
  const int status = *returned ? take_all(&call, *returned) : -1;
  if (status == -1) core_error_from_python();
  const int is_in_slot = plan->flags & CORE_PLAN_IN_SLOT;
  uint64_t* words = &memory[plan->result.place];
  if (status == 0 && !is_in_slot) give(plan, native, core_plan_bytes(&plan->result, words));
  if (status != 0 && is_in_slot) jf_any_release((jf_value*)(uintptr_t)words[0]); /* of another type than was promised */
  jf_temps_release(&call.temps);
  return status == 0;
}

__attribute__((used)) void core_plan_called(jf_closure* closure, core_native_call* native) {
  core_state* state = __atomic_load_n((void**)&closure->state, __ATOMIC_ACQUIRE);
  memset(native->general_results, 0, sizeof native->general_results);
  memset(native->vector_results, 0, sizeof native->vector_results);
  const int32_t result_class = __atomic_load_n(&closure->result_class, __ATOMIC_ACQUIRE);
  native->is_x87 = result_class == JF_RESULT_LONGDOUBLE;
  /* By its status, or by NULL for an object: the error is the last one then. */
  int says_failure = result_class == JF_RESULT_STATUS;
  if (result_class < 0) {
    give_failure(state, closure, native);
    jf_closure_dead();
    return;
  }
  if (*jf_error_pending_count() != 0 && core_is_pending()) {
    give_failure(state, closure, native);
    return;
  }
  void* token = core_enter_python(state, closure);
  if (token == NULL) {
    give_failure(state, closure, native);
    if (!says_failure) core_error_pending();
    return;
  }
  core_function* f = core_function_of(state);
  core_function* origin = origin_of(f);
  PyObject* returned = NULL;
  int went_well = 0;
  if (origin->c_plan == NULL) { /* it has died since the closure was entered */
    jf_error_set("RuntimeError", "a native function pointer was called while its Function was released");
  } else {
    if (origin->c_body != (void*)core_plan_body)
      __atomic_store_n((void**)&closure->body, origin->c_body, __ATOMIC_RELEASE);
    const core_plan* plan = (const core_plan*)PyBytes_AS_STRING(origin->c_plan);
    says_failure |= core_plan_owns(&plan->result);
    went_well = run(f, plan, native, &returned);
  }
  if (!went_well) give_failure(state, closure, native);
  core_leave_python(state, token, returned);
  if (!went_well && !says_failure) core_error_pending();
}

int core_plan_set_callback(core_function* f, PyObject* plan, int32_t result_class, int closure, uint32_t limit) {
  Py_XSETREF(f->c_plan, Py_NewRef(plan));
  f->c_plan_calls = 0;
  f->plan_limit = limit;
  f->c_body = (void*)core_plan_body;
  f->result_class = result_class;
  return closure && !f->closure ? core_function_close(f, f->c_body, result_class) : 0;
}

#else /* no Function has a plan */

int core_plan_set_callback(core_function* f, PyObject* plan, int32_t result_class, int closure, uint32_t limit) {
  (void)f, (void)plan, (void)result_class, (void)closure, (void)limit;
  PyErr_SetString(PyExc_SystemError, "jitffi: this machine has no plans");
  return -1;
}

#endif
