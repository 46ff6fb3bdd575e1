/* Places of a call without compiled code, out[T] and inout[T]: what is made before it, written in it, and given after it. */
#include "plan_places.h"

#include "array.h"
#include "array_make.h"
#include "box.h"
#include "call.h"
#include "pointer.h"

#include <string.h>

static int is_made_array(const core_plan_step* step) { return step->code == CORE_PLAN_array && step->num_dimensions; }

/* Where an array that is made is, behind what is known of it. */
static uint64_t* holder_of(const core_plan_call* call, const core_plan_step* step) {
  return call->words + step->place + step->size;
}

static int make_array(core_plan_call* call, const core_plan_step* step) {
  int64_t shape[JF_MAX_RANK];
  const core_plan_length* lengths = core_plan_lengths(call->plan) + step->first_dimension;
  for (int dim = 0; dim < step->num_dimensions; dim++) shape[dim] = core_plan_length_of(call, &lengths[dim]);
  void* data;
  PyObject* array = core_make_array(call->state, step->index, (uint64_t)step->extra, shape, &data);
  if (array == NULL) return -1;
  call->words[step->place] = (uintptr_t)data;
  *holder_of(call, step) = (uintptr_t)array;
  if (step->size > 1) core_plan_tell(call, step);
  return 0;
}

int core_plan_make_places(core_plan_call* call) {
  const core_plan_step* makes = core_plan_makes(call->plan);
  for (int i = 0; i < call->plan->num_makes; i++) {
    uint64_t* words = call->words + makes[i].place;
    if (!is_made_array(&makes[i]))
      words[0] = (uintptr_t)(words + 1);
    else if (make_array(call, &makes[i]) != 0)
      return -1;
  }
  return 0;
}

void core_plan_drop_places(core_plan_call* call) {
  const core_plan_step* makes = core_plan_makes(call->plan);
  for (int i = 0; i < call->plan->num_makes; i++) {
    const core_plan_step* step = &makes[i];
    if (is_made_array(step))
      Py_XDECREF((PyObject*)(uintptr_t)*holder_of(call, step));
    else if (step->code == CORE_PLAN_owned || step->code == CORE_PLAN_owned_cstr)
      core_free_owned(call->state, (void*)(uintptr_t)call->words[step->place + 1], call->state->releases[step->index]);
  }
}

const core_plan_step* core_plan_place_of(const core_plan* plan, int index) {
  const int num_places = plan->num_steps + plan->num_makes;
  for (int i = 0; i < num_places; i++)
    if (plan->steps[i].index == index && (plan->steps[i].flags & CORE_STEP_PLACE)) return &plan->steps[i];
  return NULL;
}

int core_plan_put(core_plan_call* call, const core_plan_step* step, PyObject* object) {
  int64_t* words = (int64_t*)call->words + step->place;
  if (!is_made_array(step)) return core_plan_unbox(call, step, object);
  return core_unbox_array_out(call->state, step->index, object, (uint64_t)step->extra, words);
}

/* New: of a place; what it owned it owns no more. */
static PyObject* give(core_plan_call* call, const core_plan_step* step) {
  uint64_t* words = call->words + step->place;
  if (is_made_array(step)) {
    PyObject* array = (PyObject*)(uintptr_t)*holder_of(call, step);
    *holder_of(call, step) = 0;
    return array;
  }
  const uint64_t value = words[1];
  if (step->code != CORE_PLAN_owned && step->code != CORE_PLAN_owned_cstr)
    return core_plan_box(call, step, step->index, words + 1);
  words[1] = 0;
  return core_plan_box(call, step, step->index, &value);
}

PyObject* core_plan_give_all(core_plan_call* call, PyObject* result) {
  const core_plan* plan = call->plan;
  PyObject* objects[plan->num_back];
  Py_ssize_t count = 0;
  if (plan->result.code != CORE_PLAN_void)
    objects[count++] = result;
  else
    Py_DECREF(result);
  for (int index = 0; count < plan->num_back; index++) { /* in the order of the parameters */
    const core_plan_step* step = core_plan_place_of(plan, index);
    if (step == NULL || (objects[count++] = give(call, step)) != NULL) continue;
    core_decref_array(objects, count);
    return NULL;
  }
  if (count == 1) return objects[0];
  PyObject* tuple = core_take_tuple(objects, count);
  if (tuple == NULL) core_decref_array(objects, count);
  return tuple;
}
