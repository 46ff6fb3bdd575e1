/* Native values of calls without compiled code: one value from Python's object, and to one. */
#include "plan.h"

#include "array.h"
#include "array_make.h"
#include "box.h"
#include "call.h"
#include "callback.h"
#include "dlpack.h"
#include "error.h"
#include "plan_lengths.h"
#include "pointer.h"
#include "said.h"
#include "struct.h"
#include "typed_function.h"
#include "unbox.h"
#include "unlock.h"
#include "wide.h"

#include <string.h>

static int unbox_structure(core_plan_call* call, const core_plan_step* step, PyObject* object, uint64_t* words) {
  void* bytes;
  if (core_unbox_struct(call->state, step->index, object, &bytes, &call->temps) != 0) return -1;
  if (step->flags & (CORE_STEP_COPIED | CORE_STEP_PLACE)) bytes = memcpy(words + 1, bytes, step->size);
  words[0] = (uintptr_t)bytes;
  return 0;
}

/* To words[0] and what is behind it. */
static int unbox_some(core_plan_call* call, const core_plan_step* step, PyObject* object, uint64_t* words) {
  core_state* state = call->state;
  const int32_t index = step->index;
  jf_temps* temps = &call->temps;
  switch (step->code) {
    case CORE_PLAN_scalar:
      if (step->extra >= JF_KIND_LONGDOUBLE) return core_unbox_wide(state, index, object, (int32_t)step->extra, words);
      return core_unbox_scalar(state, index, object, (int32_t)step->extra, words);
    case CORE_PLAN_cstr:
      return core_unbox_cstr_kept(state, index, object, (const char**)words, temps);
    case CORE_PLAN_ptr:
      return core_unbox_ptr(state, index, object, (void**)words, temps);
    case CORE_PLAN_str:
      return core_unbox_str_kept(state, index, object, (jf_span*)words, temps);
    case CORE_PLAN_bytes:
      return core_unbox_bytes(state, index, object, (jf_span*)words, temps);
    case CORE_PLAN_ucs4:
      return core_unbox_ucs4(state, index, object, (core_ucs4_room*)words, temps);
    case CORE_PLAN_any:
      words[0] = (uintptr_t)(words + 1);
      return core_unbox_any(state, index, object, (jf_view*)(words + 1), temps);
    case CORE_PLAN_union:
      words[0] = (uintptr_t)(words + 1);
      return core_unbox_union(state, index, object, (jf_view*)(words + 1), temps);
    case CORE_PLAN_object:
      return core_unbox_object(state, index, object, (int32_t)step->extra, (jf_object**)words, temps);
    case CORE_PLAN_container:
      return core_unbox_container(state, index, object, (jf_object**)words);
    case CORE_PLAN_function:
      return core_unbox_function(state, index, object, (jf_object**)words, temps);
    case CORE_PLAN_callback:
      return core_unbox_callback(state, index, object, (void**)words, temps);
    case CORE_PLAN_pointer:
      return core_unbox_pointer(state, index, object, (void**)words, temps);
    case CORE_PLAN_array:
      return core_unbox_array(state, index, object, (uint64_t)step->extra, (int64_t*)words, temps);
    case CORE_PLAN_tensor:
      words[0] = (uintptr_t)(words + 1);
      return core_unbox_tensor(state, index, object, (uint64_t)step->extra, (jf_dltensor*)(words + 1), temps);
    case CORE_PLAN_texts:
      return core_unbox_texts(state, index, object, (int64_t*)words, temps);
    case CORE_PLAN_structure:
      return unbox_structure(call, step, object, words);
    default:
      PyErr_SetString(PyExc_SystemError, "jitffi: a plan has no such step");
      return -1;
  }
}

/* Lengths that no array has are -1. */
static void be_none(const core_plan_step* step, uint64_t* words) {
  words[0] = 0;
  if (step->code == CORE_PLAN_str || step->code == CORE_PLAN_bytes || step->code == CORE_PLAN_ucs4) words[1] = 0;
  if (step->code != CORE_PLAN_array && step->code != CORE_PLAN_texts && step->code != CORE_PLAN_tensor) return;
  for (uint32_t i = 1; i < step->size; i++) words[i] = UINT64_MAX;
}

int core_plan_unbox(core_plan_call* call, const core_plan_step* step, PyObject* object) {
  uint64_t* words = call->words + step->place;
  if ((step->flags & CORE_STEP_OPTIONAL) && object == Py_None) {
    if (step->flags & CORE_STEP_PLACE) words[0] = (uintptr_t)(words + 1);
    be_none(step, step->flags & CORE_STEP_PLACE ? words + 1 : words);
    return 0;
  }
  if (!(step->flags & (CORE_STEP_BY_ADDRESS | CORE_STEP_PLACE)) || step->code == CORE_PLAN_structure)
    return unbox_some(call, step, object, words);
  words[0] = (uintptr_t)(words + 1);
  return unbox_some(call, step, object, words + 1);
}

/* A truth value is the low bit of a register, and any bit of memory. */
static PyObject* box_scalar(core_plan_call* call, const core_plan_step* step, int32_t index, const void* at) {
  union {
    uint8_t u8;
    int8_t i8;
    uint16_t u16;
    int16_t i16;
    uint32_t u32;
    int32_t i32;
    uint64_t u64;
    int64_t i64;
    float f32;
    double f64;
    jf_dtype dtype;
    jf_device device;
  } value;
  if (step->extra >= JF_KIND_LONGDOUBLE) return core_box_wide(call->state, index, (int32_t)step->extra, at);
  memcpy(&value, at, sizeof value);
  switch (step->extra) {
    case JF_KIND_BOOL:
      return PyBool_FromLong(index < 0 ? value.u8 & 1 : value.u8 != 0);
    case JF_KIND_I8:
      return PyLong_FromLong(value.i8);
    case JF_KIND_I16:
      return PyLong_FromLong(value.i16);
    case JF_KIND_I32:
      return PyLong_FromLong(value.i32);
    case JF_KIND_I64:
      return PyLong_FromLongLong(value.i64);
    case JF_KIND_U8:
      return PyLong_FromLong(value.u8);
    case JF_KIND_U16:
      return PyLong_FromLong(value.u16);
    case JF_KIND_U32:
      return PyLong_FromUnsignedLong(value.u32);
    case JF_KIND_U64:
      return PyLong_FromUnsignedLongLong(value.u64);
    case JF_KIND_F16:
      return PyFloat_FromDouble(jf_f64_from_f16(value.u16));
    case JF_KIND_BF16:
      return PyFloat_FromDouble(jf_f64_from_bf16(value.u16));
    case JF_KIND_F32:
      return PyFloat_FromDouble(value.f32);
    case JF_KIND_F64:
      return PyFloat_FromDouble(value.f64);
    case JF_KIND_DTYPE:
      return core_box_dtype(value.dtype);
    default:
      return core_box_device(value.device);
  }
}

/* What a C function has returned, which is let go of where it does not fit. */
static PyObject* take_tensor(core_plan_call* call, const core_plan_step* step, jf_object* object) {
  int64_t lengths[JF_MAX_RANK];
  object = jf_take_tensor(call->state->info, object, (uint64_t)step->extra, core_plan_lengths_of_result(call, lengths));
  if (object != NULL) return core_take_object(object);
  core_error_raise_call(call->state);
  return NULL;
}

PyObject* core_plan_box(core_plan_call* call, const core_plan_step* step, int32_t index, const void* at) {
  core_state* state = call->state;
  void* word;
  switch (step->code) {
    case CORE_PLAN_void:
      Py_RETURN_NONE;
    case CORE_PLAN_scalar:
      return box_scalar(call, step, index, at);
    case CORE_PLAN_slot:
      return core_box_slot((jf_value*)at);
    case CORE_PLAN_structure:
      return core_box_struct(state, index, at);
    default:
      memcpy(&word, at, sizeof word);
  }
  if (word == NULL && (step->flags & CORE_STEP_OPTIONAL)) Py_RETURN_NONE;
  void** releases = state->releases;
  void* release = releases ? releases[index < 0 ? state->info->num_params : index] : NULL;
  switch (step->code) {
    case CORE_PLAN_cstr:
      return core_box_cstr(state, index, word);
    case CORE_PLAN_ptr:
      return core_box_ptr(word);
    case CORE_PLAN_object:
    case CORE_PLAN_container:
      return core_take_object(word);
    case CORE_PLAN_tensor:
      return take_tensor(call, step, word);
    case CORE_PLAN_function:
      return core_box_object(word);
    case CORE_PLAN_callback:
      return core_box_callback(state, index, word);
    case CORE_PLAN_pointer:
    case CORE_PLAN_array:
      return core_box_pointer(state, index, word);
    case CORE_PLAN_owned:
      return core_box_owned(state, index, word, release);
    case CORE_PLAN_owned_cstr:
      return core_take_cstr(state, index, word, release);
    default:
      PyErr_SetString(PyExc_SystemError, "jitffi: a plan has no such result");
      return NULL;
  }
}

int core_plan_check_sole(core_plan_call* call, const core_plan_step* step) {
  const uint64_t* words = call->words + step->place;
  if (step->code == CORE_PLAN_object || step->code == CORE_PLAN_container)
    return core_sole_object(call->state, step->index, (jf_object*)(uintptr_t)words[0]);
  if (step->code == CORE_PLAN_any || step->code == CORE_PLAN_union)
    return core_sole_view(call->state, step->index, (const jf_view*)(uintptr_t)words[0]);
  return 0;
}

void core_plan_release(core_plan_call* call, const core_plan_step* step) {
  if (step->code == CORE_PLAN_container) jf_object_release((jf_object*)(uintptr_t)call->words[step->place]);
}
