/* Calls of packed functions by a plan: native values become views, and what is in the slot of the result Python's value. */
#include "plan.h"

#include "array.h"
#include "array_make.h"
#include "box.h"
#include "call.h"
#include "callback.h"
#include "error.h"
#include "gil.h"
#include "plan_places.h"
#include "pointer.h"
#include "typed_function.h"
#include "unwind.h"

#include <string.h>

#if CORE_CALLS_NATIVE

static void put(jf_view* view, int32_t code, uint64_t payload) {
  view->type_code = code;
  view->small_len = 0;
  view->v_int64 = (int64_t)payload;
}

static void put_float(jf_view* view, double value) {
  put(view, JF_FLOAT, 0);
  view->v_float64 = value;
}

/* As the rows of numbers lower them (jitffi/types/scalar.py). */
static void lower_scalar(int64_t kind, const uint64_t* word, jf_view* view) {
  float single;
  double number;
  memcpy(&single, word, sizeof single);
  memcpy(&number, word, sizeof number);
  switch (kind) {
    case JF_KIND_BOOL:
      return put(view, JF_BOOL, *word & 1);
    case JF_KIND_F16:
      return put_float(view, jf_f64_from_f16((uint16_t)*word));
    case JF_KIND_BF16:
      return put_float(view, jf_f64_from_bf16((uint16_t)*word));
    case JF_KIND_F32:
      return put_float(view, single);
    case JF_KIND_F64:
      return put_float(view, number);
    case JF_KIND_DTYPE:
      return put(view, JF_DTYPE, (uint32_t)*word);
    case JF_KIND_DEVICE:
      return put(view, JF_DEVICE, *word);
    default:
      put(view, kind == JF_KIND_U64 && (int64_t)*word < 0 ? JF_UINT : JF_INT, *word);
  }
}

/* Arrays that Python has passed go as nd-arrays on their memory, which callees may keep. -1 with an exception. */
static int lower_array(core_plan_call* call, const core_plan_step* step, jf_view* view) {
  PyObject* object = call->args[step->at];
  int64_t* words = (int64_t*)call->words + step->place;
  if (step->code == CORE_PLAN_tensor)
    return core_tensor_value(call->state, step->index, object, (uint64_t)step->extra, view, &call->temps);
  return core_array_value(call->state, step->index, object, (uint64_t)step->extra, words, view, &call->temps);
}

/* A view of what may not go, as a number beyond a float's range. 0, or -1 with the last error. */
static int lower_checked(core_plan_call* call, const core_plan_step* step, jf_view* view) {
  const uint64_t* words = call->words + step->place;
  const jf_call_info* info = call->state->info;
  if (step->code == CORE_PLAN_scalar)
    return jf_lower_longdouble(info, step->index, step->flags & CORE_STEP_BY_ADDRESS ? words + 1 : words, view);
  return jf_lower_struct(info, step->index, (void*)(uintptr_t)words[0], step->size, (size_t)step->extra, view,
                         &call->temps);
}

static int is_checked(const core_plan_step* step) {
  return step->code == CORE_PLAN_structure || (step->code == CORE_PLAN_scalar && step->extra == JF_KIND_LONGDOUBLE);
}

/* A view that borrows what the step has converted. */
static void lower(const core_plan_call* call, const core_plan_step* step, jf_view* view) {
  const uint64_t* words = call->words + step->place;
  switch (step->code) {
    case CORE_PLAN_scalar:
      return lower_scalar(step->extra, step->flags & CORE_STEP_BY_ADDRESS ? words + 1 : words, view);
    case CORE_PLAN_cstr:
      return put(view, JF_RAW_STR, words[0]);
    case CORE_PLAN_ptr:
      return put(view, words[0] ? JF_HANDLE : JF_NULL, words[0]);
    case CORE_PLAN_str:
      return put(view, JF_STR_VIEW, (uintptr_t)words);
    case CORE_PLAN_bytes:
      return put(view, JF_BYTE_ARRAY, (uintptr_t)words);
    case CORE_PLAN_ucs4:
      return put(view, JF_UCS4_VIEW, (uintptr_t)words);
    case CORE_PLAN_object: {
      const int32_t code = ((const jf_object*)(uintptr_t)words[0])->type_code;
      return put(view, code <= JF_S1_LAST ? code : JF_OBJECT, words[0]);
    }
    case CORE_PLAN_container:
      return put(view, JF_OBJECT, words[0]);
    case CORE_PLAN_function:
      return put(view, JF_FUNCTION, words[0]);
    case CORE_PLAN_pointer:
    case CORE_PLAN_array: /* of a pointer to numbers */
      return put(view, JF_HANDLE, words[0]);
    default:
      jf_any_view((const jf_any*)(uintptr_t)words[0], view);
  }
}

static int is_none(const core_plan_call* call, const core_plan_step* step) {
  if (call->words[step->place] != 0 || !(step->flags & CORE_STEP_OPTIONAL)) return 0;
  return step->code != CORE_PLAN_scalar || (step->flags & CORE_STEP_BY_ADDRESS);
}

/* What is in a place, whose own step is another: of a struct its address is. */
static core_plan_step in_place(const core_plan_step* place) {
  core_plan_step step = *place;
  step.flags &= ~CORE_STEP_PLACE;
  step.place += step.code != CORE_PLAN_structure;
  return step;
}

/* Which of the callee's arguments it is: it is not given what it alone writes to. */
static int position_of(const core_plan* plan, const core_plan_step* step) {
  const core_plan_step* makes = core_plan_makes(plan);
  int position = step->index;
  for (int i = 0; i < plan->num_makes; i++) position -= makes[i].index < step->index;
  return position;
}

/* All of them. 0, -1 with an exception, or -2 with the last error. */
static int lower_all(core_plan_call* call, jf_view* views) {
  for (int i = 0; i < call->plan->num_steps; i++) {
    const core_plan_step given = call->plan->steps[i], inner = in_place(&given);
    const core_plan_step* step = given.flags & CORE_STEP_PLACE ? &inner : &given;
    jf_view* view = &views[position_of(call->plan, step)];
    const int is_pointer = step->code == CORE_PLAN_pointer || step->code == CORE_PLAN_array;
    if (is_none(call, step))
      put(view, JF_NULL, 0);
    else if (step->code == CORE_PLAN_tensor || (step->code == CORE_PLAN_array && step->size > 1)) {
      if (call->words[step->place] == 0) return core_fail_null(call->state, step->index), -2;
      if (lower_array(call, step, view) != 0) return -1;
    } else if (is_pointer && call->words[step->place] == 0)
      return core_fail_null(call->state, step->index), -2;
    else if (is_checked(step)) {
      if (lower_checked(call, step, view) != 0) return -2;
    } else
      lower(call, step, view);
  }
  return 0;
}

/* What a call has left in a slot, as the native value of the result or of a place: `words`, with an object that is new. 0, or -1 with
 * the last error. */
static int lift(core_plan_call* call, const core_plan_step* result, jf_value* out, uint64_t* words) {
  const jf_call_info* info = call->state->info;
  jf_object** object = (jf_object**)words;
  core_scalar scalar;
  int status;
  switch (result->code) {
    case CORE_PLAN_scalar:
      if (result->extra == JF_KIND_LONGDOUBLE) return jf_lift_longdouble(info, result->index, out, words);
      scalar = core_scalar_of_slot(info, result->index, out, (int32_t)result->extra);
      words[0] = (uint64_t)scalar.value;
      return (int)scalar.status;
    case CORE_PLAN_ptr:
      return jf_lift_ptr(info, result->index, out, (void**)words);
    case CORE_PLAN_cstr: /* which points into the slot */
      return jf_lift_cstr(info, result->index, out, (const char**)words, &call->temps);
    case CORE_PLAN_pointer:
    case CORE_PLAN_array:
      words[0] = (uintptr_t)out->v_handle;
      if (out->type_code == JF_HANDLE) return 0;
      return jf_lift_array(info, result->index, out, (uint64_t)result->extra, (int64_t*)words, &call->temps);
    case CORE_PLAN_structure: /* which is in the slot's object */
      return jf_lift_struct(info, result->index, out, result->size, (size_t)result->extra, (void**)words);
    case CORE_PLAN_function: /* which the slot or the temps have */
      return core_lift_function(call->state, result->index, out, object, &call->temps);
    case CORE_PLAN_tensor: {
      int64_t lengths[JF_MAX_RANK];
      *object = jf_lift_tensor_result(info, result->index, out, (uint64_t)result->extra,
                                      core_plan_lengths_of_result(call, lengths));
      return *object != NULL ? 0 : -1;
    }
    case CORE_PLAN_object:
    case CORE_PLAN_container:
      status = result->code == CORE_PLAN_container
                   ? jf_lift_container(info, result->index, out, object)
                   : jf_lift_object(info, result->index, out, (int32_t)result->extra, object, &call->temps);
      if (status == 0) jf_object_retain(*object);
      return status;
    default:
      return 0;
  }
}

/* Whether what is in a slot is of the type: text is looked at, unless it is in place, and so is what has alternatives. */
static int is_fine(const core_plan_call* call, jf_value* out) {
  const int64_t code = call->plan->result.extra;
  if (code > 0) return jf_lift_checked(call->state->info, -1, out) == 0;
  return code == 0 || out->type_code == (int32_t)code || core_check_out(call->state, out, 0) == 0;
}

/* New: Python's object of it. NULL with an exception, or with *status -2 and the last error. */
static PyObject* take(core_plan_call* call, jf_value* out, int* status) {
  const core_plan_step* result = &call->plan->result;
  uint64_t words[2] = {0, 0};
  if (out->type_code == JF_NULL && (result->flags & CORE_STEP_OPTIONAL)) Py_RETURN_NONE;
  if (result->code == CORE_PLAN_slot) {
    if (is_fine(call, out)) return core_box_slot(out);
    *status = -2;
    return NULL;
  }
  if (lift(call, result, out, words) != 0) {
    *status = -2;
    return NULL;
  }
  if (result->code == CORE_PLAN_tensor) return core_take_object((jf_object*)(uintptr_t)words[0]);
  const void* at = result->code == CORE_PLAN_structure ? (void*)(uintptr_t)words[0] : words;
  return core_plan_box(call, result, -1, at);
}

/* What a callee has left for a place. 0, or -1 with the last error. */
static int put_back(core_plan_call* call, const core_plan_step* step, jf_view* view) {
  uint64_t* words = call->words + step->place;
  if (step->code == CORE_PLAN_array && step->size > 1)
    return jf_take_array(call->state->info, step->index, view, (uint64_t)step->extra, (int64_t*)words);
  uint64_t value[2] = {0, 0};
  const int is_none = view->type_code == JF_NULL && (step->flags & CORE_STEP_OPTIONAL);
  if (!is_none && lift(call, step, view, value) != 0) return -1;
  if (step->code == CORE_PLAN_cstr && value[0] != 0) { /* read when what it was taken from has gone */
    value[0] = (uintptr_t)core_keep_cstr(call->state, (const char*)(uintptr_t)value[0], step->index);
    if (value[0] == 0) return -1;
  }
  const int is_struct = step->code == CORE_PLAN_structure;
  memcpy(words + 1, is_struct ? (void*)(uintptr_t)value[0] : value, is_struct ? step->size : sizeof value);
  return 0;
}

/* The result, and what comes back beside it, which goes to its places: `all` has them. As take. */
static PyObject* take_all(core_plan_call* call, const jf_value* all, int* status) {
  const core_plan* plan = call->plan;
  const int has_result = plan->result.code != CORE_PLAN_void;
  jf_view parts[plan->num_back];
  jf_any_view((const jf_any*)all, parts);
  int failed = plan->num_back > 1 && jf_take_parts(call->state->info, all, parts, plan->num_back) != 0;
  for (int index = 0, at = has_result; !failed && at < plan->num_back; index++) {
    const core_plan_step* step = core_plan_place_of(plan, index);
    failed = step != NULL && put_back(call, step, &parts[at++]) != 0;
  }
  jf_value* out = (jf_value*)(call->words + plan->result.place + 1);
  jf_out_init(out, 8 * (plan->slot_words - 1));
  if (failed || (has_result && jf_any_retain(parts, out) != 0)) {
    *status = -2;
    return NULL;
  }
  if (!has_result) Py_RETURN_NONE;
  PyObject* result = take(call, out, status);
  jf_any_release(out);
  return result;
}

PyObject* core_plan_run_slots(core_plan_call* call, core_native_call* native, int* status) {
  const core_plan* plan = call->plan;
  jf_view views[plan->num_steps + 1];
  *status = lower_all(call, views);
  if (*status != 0) return NULL;
  *status = -1;
  jf_value all;
  jf_value* out = plan->num_back ? &all : (jf_value*)(call->words + plan->result.place + 1);
  jf_out_init(out, plan->num_back ? 8 : 8 * (plan->slot_words - 1));
  native->target = call->state->target;
  native->num_stack = native->indirect = 0;
  native->num_vectors = native->is_x87 = 0;
  native->general[0] = (uintptr_t)call->state->self;
  native->general[1] = plan->num_steps;
  native->general[2] = (uintptr_t)views;
  native->general[3] = (uintptr_t)out;
  void* thrown = core_call_native(native);
  if (thrown != NULL) {
    core_caught(call->state, thrown);
    core_take_pending(); /* of a callback below: it came first, and is the error */
  }
  PyObject* result = NULL;
  if (thrown != NULL || (int32_t)native->general_results[0] != 0)
    *status = -2;
  else
    result = plan->num_back ? take_all(call, out, status) : take(call, out, status);
  jf_any_release(out); /* a result beside a failure: a fault of the callee, but no reason for a leak */
  return result;
}

#endif
