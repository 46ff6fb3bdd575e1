/* Entries of Functions that have a plan and no compiled code: arguments, the call, its result. */
#include "plan.h"

#include "array.h"
#include "array_make.h"
#include "call.h"
#include "error.h"
#include "gil.h"
#include "hooks.h"
#include "plan_lengths.h"
#include "plan_places.h"
#include "pointer.h"
#include "raise.h"
#include "unwind.h"

#include <string.h>
#include <unistd.h>

/* Called so often that code is worth making: it is asked for, and called on till it has come. A loop that only calls would keep the
 * thread that makes it from the interpreter's lock; a long one lets it have that now and then, as long as it may take. It is asked for
 * again after a long while, for a child of a fork has no such thread. -1 with an exception, which a signal handler has raised. */
__attribute__((cold)) int core_plan_called_often(core_function* f, uint32_t* count, int by_c) {
  enum { LONG = 10, TOO_LONG = 30, VERY_LONG = 64, NOW_AND_THEN = 256, MICROSECONDS = 20 };
  const uint32_t calls = *count, limit = f->plan_limit;
  if (limit == 0) return 0;
  if (f->is_unseen && !by_c) {
    f->is_unseen = 0;
    return core_hook_first_call(f);
  }
  if (calls == limit) return core_hook_hot(f, by_c);
  if (calls / limit >= VERY_LONG) *count = 0;
  if (calls / limit < LONG || calls / limit >= TOO_LONG || calls % NOW_AND_THEN != 0) return 0;
  PyThreadState* saved = PyEval_SaveThread();
  usleep(MICROSECONDS);
  PyEval_RestoreThread(saved);
  return 0;
}

#if CORE_CALLS_NATIVE

enum { FAILED_IN_PYTHON = -1, FAILED_IN_RUNTIME = -2 };

/* -- arguments ------------------------------------------------------------------------------------------------------- */

static int convert(core_plan_call* call, PyObject* const* args, int is_arranged) {
  const core_plan* plan = call->plan;
  for (int i = 0; i < plan->num_steps; i++) {
    const core_plan_step* step = &plan->steps[i];
    PyObject* object = is_arranged || step->at < plan->num_positional ? args[step->at] : NULL;
    if (step->flags & CORE_STEP_FILLED) {
      if (core_plan_fill(call, step, object) != 0) return FAILED_IN_PYTHON;
      continue;
    }
    /* Converting may run any code, which could let go of what was read before. */
    if ((step->flags & CORE_STEP_LENDS) && (plan->flags & CORE_PLAN_KEEPS) &&
        core_keep_argument(&call->temps, object) != 0)
      return FAILED_IN_PYTHON;
    if (core_plan_unbox(call, step, object) != 0) return FAILED_IN_PYTHON;
    if (step->num_dimensions && core_plan_bind(call, step, object) != 0) return FAILED_IN_PYTHON;
  }
  return 0;
}

/* -- the call -------------------------------------------------------------------------------------------------------- */

static void move_arguments(const core_plan_call* call, core_native_call* native) {
  const core_plan_move* moves = core_plan_moves(call->plan);
  uint64_t* words = &native->indirect;
  for (int i = 0; i < call->plan->num_moves; i++) {
    const core_plan_move* move = &moves[i];
    const char* from = (const char*)(call->words + move->place);
    if (move->is_behind) from = *(char* const*)from;
    if (move->size < 8) words[move->word] = 0;
    if (move->size == 8)
      memcpy(&words[move->word], from + move->offset, 8);
    else
      memcpy(&words[move->word], from + move->offset, move->size);
  }
}

/* A struct's bytes, of what came back in registers. */
static void move_result(const core_plan_call* call, const core_native_call* native) {
  const core_plan* plan = call->plan;
  const core_plan_move* moves = core_plan_moves(plan) + plan->num_moves;
  for (int i = 0; i < plan->num_result_moves; i++)
    memcpy((char*)(call->words + plan->result.place + 1) + moves[i].offset, native->general_results + moves[i].word,
           moves[i].size);
}

static int is_errno(const core_plan_step* result, const core_native_call* native) {
  const uint64_t word = native->general_results[0];
  if (result->code != CORE_PLAN_scalar) return word == 0;
  switch (result->extra) {
    case JF_KIND_I8:
    case JF_KIND_U8:
      return (uint8_t)word == UINT8_MAX;
    case JF_KIND_I16:
    case JF_KIND_U16:
      return (uint16_t)word == UINT16_MAX;
    case JF_KIND_I32:
    case JF_KIND_U32:
      return (uint32_t)word == UINT32_MAX;
    default:
      return word == UINT64_MAX;
  }
}

/* What came although a callback has failed. */
static void drop_result(core_plan_call* call, const core_native_call* native) {
  const core_plan_step* result = &call->plan->result;
  void* word = (void*)(uintptr_t)native->general_results[0];
  if (core_plan_owns(result))
    jf_object_release(word);
  else if (result->code == CORE_PLAN_owned || result->code == CORE_PLAN_owned_cstr)
    core_free_owned(call->state, word, call->state->releases[call->state->info->num_params]);
}

static int check_result(core_plan_call* call, const core_native_call* native) {
  const core_plan* plan = call->plan;
  const uint64_t word = native->general_results[0];
  if (*jf_error_pending_count() != 0 && core_take_pending()) {
    drop_result(call, native);
    return FAILED_IN_RUNTIME;
  }
  if (plan->flags & CORE_PLAN_IN_SLOT) return (int32_t)word == 0 ? 0 : FAILED_IN_RUNTIME;
  if ((plan->flags & CORE_PLAN_ERRNO) && is_errno(&plan->result, native) && core_errno_failed(call->state) != 0)
    return FAILED_IN_RUNTIME;
  if (core_plan_owns(&plan->result) && word == 0 &&
      core_null_result(call->state, (plan->result.flags & CORE_STEP_OPTIONAL) != 0) != 0)
    return FAILED_IN_RUNTIME;
  return 0;
}

static int enter(core_plan_call* call, core_native_call* native) {
  const core_plan* plan = call->plan;
  native->target = call->state->target;
  native->num_stack = plan->num_stack;
  native->num_vectors = plan->num_vectors;
  native->is_x87 = (plan->flags & CORE_PLAN_X87) != 0;
  if (plan->flags & CORE_PLAN_IN_SLOT) {
    uint64_t* words = call->words + plan->result.place;
    words[0] = (uintptr_t)(words + 1);
    jf_out_init((jf_value*)(words + 1), 8 * (plan->slot_words - 1));
  } else if (plan->result.flags & CORE_STEP_BY_ADDRESS) {
    call->words[plan->result.place] = (uintptr_t)(call->words + plan->result.place + 1);
  }
  move_arguments(call, native);
  const int is_unlocked = plan->flags & CORE_PLAN_NOGIL;
  for (int i = 0; is_unlocked && i < plan->num_steps; i++)
    if (core_plan_check_sole(call, &plan->steps[i]) != 0) return FAILED_IN_PYTHON;
  void* saved = is_unlocked ? core_release_gil(call->state) : NULL;
  void* thrown = core_call_native(native);
  if (is_unlocked) core_acquire_gil(saved);
  if (thrown != NULL) {
    core_caught(call->state, thrown);
    core_take_pending(); /* of a callback below: it came first, and is the error */
    return FAILED_IN_RUNTIME;
  }
  return check_result(call, native);
}

/* -- what comes back ------------------------------------------------------------------------------------------------- */

static PyObject* box_result(core_plan_call* call, core_native_call* native) {
  const core_plan* plan = call->plan;
  if (plan->result.flags & CORE_STEP_BY_ADDRESS) {
    move_result(call, native);
    return core_plan_box(call, &plan->result, -1, call->words + plan->result.place + 1);
  }
  const void* at = plan->flags & CORE_PLAN_VECTOR ? (void*)native->vector_results : (void*)native->general_results;
  return core_plan_box(call, &plan->result, -1, at);
}

/* -- all of it --------------------------------------------------------------------------------------------------------- */

static void let_go(core_plan_call* call) {
  for (int i = call->plan->num_steps - 1; i >= 0; i--) core_plan_release(call, &call->plan->steps[i]);
  jf_temps_release(&call->temps);
}

static PyObject* finish(core_plan_call* call, core_native_call* native, int status) {
  const core_plan* plan = call->plan;
  PyObject* result = NULL;
  if (status == 0) {
    result = box_result(call, native);
    if (result != NULL && plan->num_back) result = core_plan_give_all(call, result);
    if (result == NULL) status = FAILED_IN_PYTHON;
  }
  if (status != 0) core_plan_drop_places(call);
  let_go(call);
  if (status != 0 && (plan->flags & CORE_PLAN_IN_SLOT) && call->words[plan->result.place])
    jf_any_release((jf_value*)(call->words + plan->result.place + 1));
  if (status == FAILED_IN_RUNTIME) core_error_raise_call(call->state);
  return result;
}

/* The same of a callee that is no C function. */
static PyObject* run_other(core_plan_call* call, core_native_call* native, int status) {
  PyObject* result = NULL;
  if (status == 0) {
    status = FAILED_IN_PYTHON;
    result = call->plan->flags & CORE_PLAN_TO_PYTHON ? core_plan_run_callable(call)
                                                     : core_plan_run_slots(call, native, &status);
  }
  if (result != NULL && call->plan->num_back) result = core_plan_give_all(call, result);
  if (result == NULL) core_plan_drop_places(call);
  let_go(call);
  if (result == NULL && status == FAILED_IN_RUNTIME) core_error_raise_call(call->state);
  return result;
}

static PyObject* run(core_function* f, const core_plan* plan, PyObject* const* args, int is_arranged) {
  const size_t words = plan->num_words + 2 * (size_t)plan->num_names;
  __attribute__((aligned(16))) uint64_t memory[words + 2];
  uint64_t native_memory[sizeof(core_native_call) / sizeof(uint64_t) + plan->num_stack];
  core_native_call* native = (core_native_call*)native_memory;
  memset(memory, 0, 8 * words);
  core_plan_call call = {plan, &f->state, memory, (core_plan_name*)(memory + plan->num_words), {NULL}, args};
  for (int i = 0; i < plan->num_names; i++) call.names[i].source = -1;
  int status = convert(&call, args, is_arranged);
  if (status == 0 && plan->num_makes) status = core_plan_make_places(&call);
  if (plan->flags & (CORE_PLAN_TO_PYTHON | CORE_PLAN_TO_SLOTS)) return run_other(&call, native, status);
  if (status == 0) status = enter(&call, native);
  return finish(&call, native, status);
}

PyObject* core_plan_entry_keywords(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
  core_function* f = (core_function*)self;
  const core_plan* plan = (const core_plan*)PyBytes_AS_STRING(f->plan);
  if (core_plan_count(f, 0) != 0) return NULL;
  const int by_name = plan->flags & CORE_PLAN_BY_NAME;
  if (!by_name && given == plan->num_positional && kwnames == NULL) return run(f, plan, args, 0);
  if (!by_name && kwnames != NULL && kwnames == f->state.kw_names && given == f->state.kw_given)
    return run(f, plan, args, 0);
  if (!(plan->flags & (CORE_PLAN_KEYWORDS | CORE_PLAN_DEFAULTS | CORE_PLAN_BY_NAME))) {
    core_raise_arity(&f->state, given);
    return NULL;
  }
  PyObject* space[plan->num_params + 1];
  PyObject* const* arranged = core_arrange(&f->state, args, given, kwnames, space);
  return arranged == NULL ? NULL : run(f, plan, arranged, 1);
}

#else /* no Function has a plan */

PyObject* core_plan_entry_keywords(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
  (void)args, (void)given, (void)kwnames;
  return PyErr_Format(PyExc_SystemError, "jitffi: %R has no code", self);
}

#endif

PyObject* core_plan_entry(PyObject* self, PyObject* const* args, Py_ssize_t given) {
  return core_plan_entry_keywords(self, args, given, NULL);
}
