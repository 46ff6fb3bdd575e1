/* Lengths and strides of arrays in calls without compiled code: names agree wherever they stand, fill in integers, and say how
 * large arrays are that the call makes. The rules are those of jitffi/conventions/dimensions.py.
 */
#include "plan_lengths.h"

#include "array.h"
#include "array_filled.h"

/* Where the lengths of an array are, and where its strides. */
static int64_t* place_of(const core_plan_call* call, const core_plan_step* step, uint16_t dimension) {
  enum { BEFORE_ARRAY = 1, BEFORE_TENSOR = 1 + sizeof(jf_dltensor) / sizeof(uint64_t) };
  int64_t* words = (int64_t*)call->words + step->place;
  if (step->code == CORE_PLAN_tensor) return words + BEFORE_TENSOR + dimension;
  const int rank = (int)(step->size - 1) / 2;
  words += BEFORE_ARRAY;
  return dimension >= JF_DIM_STRIDE ? words + rank + dimension - JF_DIM_STRIDE : words + dimension;
}

/* Dimension `dimension` of the array of `step` is `here`. */
static int agree(core_plan_call* call, const core_plan_step* step, int32_t dimension, PyObject* object, int64_t here,
                 int32_t other, int64_t there) {
  if (here == there || (here < 0 && (step->flags & CORE_STEP_OPTIONAL)) || (other >= 0 && there < 0)) return 0;
  return core_refuse_length(call->state, step->index, object, dimension, here, other, there);
}

int core_plan_bind(core_plan_call* call, const core_plan_step* step, PyObject* object) {
  const core_plan_length* lengths = core_plan_lengths(call->plan) + step->first_dimension;
  for (int i = 0; i < step->num_dimensions; i++) {
    const core_plan_length* length = &lengths[i];
    const int64_t here = *place_of(call, step, length->dimension);
    if (length->kind == CORE_LENGTH_NUMBER) {
      if (agree(call, step, length->dimension, object, here, -1, length->value) != 0) return -1;
      continue;
    }
    core_plan_name* name = &call->names[length->value];
    if (name->source >= 0 && agree(call, step, length->dimension, object, here, name->source, name->value) != 0)
      return -1;
    if (name->source < 0 || name->value < 0) *name = (core_plan_name){here, step->index};
  }
  return 0;
}

static int fits(int64_t value, const core_plan_length* length) {
  if (length->bits == 64) return length->is_signed || value >= 0;
  if (!length->is_signed) return value >= 0 && value < (int64_t)1 << length->bits;
  const int64_t limit = (int64_t)1 << (length->bits - 1);
  return value >= -limit && value < limit;
}

int core_plan_fill(core_plan_call* call, const core_plan_step* step, PyObject* object) {
  const core_plan_length* length = core_plan_lengths(call->plan) + step->first_dimension;
  const core_plan_name* name = &call->names[length->value];
  uint64_t* word = &call->words[step->place];
  if (object == NULL) {
    if (name->value < 0) return core_argument_missing(call->state, step->index);
    if (!fits(name->value, length)) return core_refuse_beyond(call->state, step->index, name->value, name->source);
    *word = (uint64_t)name->value;
    return 0;
  }
  if (core_plan_unbox(call, step, object) != 0) return -1;
  const int64_t given = (int64_t)*word;
  const int is_exact = length->dimension;
  const int differs = is_exact ? given != name->value : (uint64_t)given > (uint64_t)name->value;
  if (name->value < 0 ? given >= 0 : !differs) return 0;
  return core_refuse_filled(call->state, step->index, given, name->source, is_exact, name->value);
}

int64_t core_plan_length_of(const core_plan_call* call, const core_plan_length* length) {
  if (length->kind == CORE_LENGTH_NUMBER) return length->value;
  if (length->kind == CORE_LENGTH_NAME) return call->names[length->value].value;
  const uint64_t word = call->words[length->value];
  const int unused = length->bits ? 64 - length->bits : 0; /* 0: extended by the type's sign when it was converted */
  return length->is_signed ? (int64_t)(word << unused) >> unused : (int64_t)(word << unused >> unused);
}

const int64_t* core_plan_lengths_of_result(const core_plan_call* call, int64_t* lengths) {
  const core_plan_step* result = &call->plan->result;
  const core_plan_length* told = core_plan_lengths(call->plan) + result->first_dimension;
  for (int i = 0; i < result->num_dimensions; i++) lengths[i] = core_plan_length_of(call, &told[i]);
  return result->num_dimensions ? lengths : NULL;
}

void core_plan_tell(core_plan_call* call, const core_plan_step* step) {
  const core_plan_length* lengths = core_plan_lengths(call->plan) + step->first_dimension;
  for (int i = 0; i < step->num_dimensions; i++)
    *place_of(call, step, lengths[i].dimension) = core_plan_length_of(call, &lengths[i]);
  uint64_t span = 1;
  for (int dim = (int)(step->size - 1) / 2 - 1; dim >= 0; dim--) {
    if ((uint64_t)step->extra >> 32 & (uint64_t)1 << dim) continue; /* its stride has been told */
    *place_of(call, step, (uint16_t)(JF_DIM_STRIDE + dim)) = (int64_t)span;
    span *= (uint64_t)*place_of(call, step, (uint16_t)dim);
  }
}
