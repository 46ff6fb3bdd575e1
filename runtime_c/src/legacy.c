/* Between slots and the type codes and values of the packed convention of before, both ways.
 *
 * Whatever has a text is asked for it by the rules of the packed call (lift.c), so boxes and small text cross as well.
 */
#include "jitffi/legacy.h"

#include <string.h>

#include "decimal.h"
#include "message.h"
#include "object.h"
#include "slot.h"
#include "threads.h"

_Static_assert(sizeof(jf_legacy_value) == 8, "values take eight bytes each");

enum { FEW = 16 };

static void set(jf_view* view, int32_t code, uint64_t payload) {
  *view = (jf_view){.type_code = code};
  view->v_uint64 = payload;
}

static void set_object(jf_view* view, void* object) {
  jf_object* given = object;
  set(view, JF_NULL, 0);
  if (!given) return;
  view->type_code = given->type_code > 0 && given->type_code <= JF_S1_LAST ? given->type_code : JF_OBJECT;
  view->v_object = given;
}

/* The nd-array that a tensor of that code lies in; NULL where it is not one of this runtime's. Every such tensor lies 16 bytes
 * behind the head of an object: of TVM's as well (runtime/ndarray.h and object.h of version 0.20), whose deleter is its own, and whose
 * code is no nd-array's here. An nd-array that a host keeps a sleeping object of has the host's deleter. */
static jf_object* array_of(void* tensor) {
  jf_object* array = jf_ndarray_of_tensor(tensor);
  return array->deleter == jf_ndarray_delete || array->type_code == JF_NDARRAY ? array : NULL;
}

/* -- arguments that come ----------------------------------------------------------------------------------------------- */

/* 0, or -1 for a code that is none. */
static int32_t view_of(int32_t code, jf_legacy_value value, jf_view* view) {
  switch (code) {
    case JF_LEGACY_UINT:
      set(view, value.v_uint64 > INT64_MAX ? JF_UINT : JF_INT, value.v_uint64);
      return 0;
    case JF_LEGACY_INT:
      set(view, JF_INT, value.v_uint64);
      return 0;
    case JF_LEGACY_FLOAT:
      set(view, JF_FLOAT, value.v_uint64);
      return 0;
    case JF_LEGACY_BOOL:
      set(view, JF_BOOL, value.v_int64 != 0);
      return 0;
    case JF_LEGACY_NULL:
      set(view, JF_NULL, 0);
      return 0;
    case JF_LEGACY_DTYPE:
      set(view, JF_DTYPE, 0);
      view->v_dtype = value.v_dtype;
      return 0;
    case JF_LEGACY_DEVICE:
      set(view, JF_DEVICE, 0);
      view->v_device = value.v_device;
      return 0;
    case JF_LEGACY_OBJECT:
    case JF_LEGACY_MODULE:
    case JF_LEGACY_FUNCTION:
      set_object(view, value.v_handle);
      return 0;
    case JF_LEGACY_NDARRAY:
      if (!value.v_handle || !array_of(value.v_handle)) break;
      set_object(view, array_of(value.v_handle));
      return 0;
    case JF_LEGACY_HANDLE:
    case JF_LEGACY_TENSOR:
    case JF_LEGACY_STR:
    case JF_LEGACY_BYTES:
    case JF_LEGACY_RVALUE:
      break;
    default:
      return -1;
  }
  set(view, JF_NULL, 0);
  if (!value.v_handle) return 0;
  view->type_code = code == JF_LEGACY_HANDLE   ? JF_HANDLE
                    : code == JF_LEGACY_STR    ? JF_RAW_STR
                    : code == JF_LEGACY_BYTES  ? JF_BYTE_ARRAY
                    : code == JF_LEGACY_RVALUE ? JF_RVALUE
                                               : JF_DLTENSOR;
  view->v_handle = value.v_handle;
  return 0;
}

int32_t jf_legacy_views(const jf_call_info* info, int32_t num_args, const int32_t* type_codes,
                        const jf_legacy_value* values, jf_view* views) {
  for (int32_t i = 0; i < num_args; i++) {
    if (view_of(type_codes[i], values[i], &views[i]) == 0) continue;
    char got[32];
    jf_print(got, sizeof got, "type code %d", type_codes[i]);
    return jf_fail_argument("TypeError", info, i, "a type code of the convention", "", got);
  }
  return 0;
}

/* -- arguments that go ------------------------------------------------------------------------------------------------- */

static int32_t value_of_object(jf_object* object, jf_legacy_value* value) {
  value->v_handle = object;
  if (jf_type_is_a(object->type_code, JF_FUNCTION)) return JF_LEGACY_FUNCTION;
  if (jf_type_is_a(object->type_code, JF_MODULE)) return JF_LEGACY_MODULE;
  if (!jf_type_is_a(object->type_code, JF_NDARRAY)) return JF_LEGACY_OBJECT;
  value->v_handle = jf_ndarray_tensor(object);
  return JF_LEGACY_NDARRAY;
}

static int32_t text_of(const jf_call_info* info, int32_t index, const jf_view* view, jf_encoded text, int32_t* code,
                       jf_legacy_value* value, jf_temps* temps) {
  if (text.kind != JF_TEXT_BYTES) {
    *code = JF_LEGACY_STR;
    return jf_lift_cstr(info, index, view, &value->v_str, temps);
  }
  jf_span* span = jf_alloc(sizeof *span);
  if (!span) return jf_error_no_memory(), -1;
  *code = JF_LEGACY_BYTES;
  value->v_handle = span;
  *span = (jf_span){text.data, text.size};
  return jf_temps_add(temps, span, jf_free);
}

/* What is made for it is in temps. -1 with the error set. */
static int32_t value_of(const jf_call_info* info, int32_t index, const jf_view* view, int32_t* code,
                        jf_legacy_value* value, jf_temps* temps) {
  jf_any scratch;
  if (view->type_code == JF_RVALUE) {
    *code = JF_LEGACY_RVALUE;
    value->v_handle = (void*)view->v_rvalue;
    return 0;
  }
  const jf_any* slot = jf_any_resolve(view, &scratch);
  const jf_encoded text = jf_any_text(slot);
  if (text.kind != JF_TEXT_NONE) return text_of(info, index, view, text, code, value, temps);
  jf_object* object = jf_any_object(slot);
  value->v_uint64 = slot->v_uint64;
  switch (slot->type_code) {
    case JF_NULL:
      *code = JF_LEGACY_NULL;
      return 0;
    case JF_INT:
    case JF_BOOL:
      *code = JF_LEGACY_INT;
      return 0;
    case JF_UINT:
      *code = JF_LEGACY_UINT;
      return 0;
    case JF_FLOAT:
      *code = JF_LEGACY_FLOAT;
      return 0;
    case JF_HANDLE:
      *code = JF_LEGACY_HANDLE;
      return 0;
    case JF_DTYPE:
      value->v_uint64 = 0;
      value->v_dtype = slot->v_dtype;
      *code = JF_LEGACY_DTYPE;
      return 0;
    case JF_DEVICE:
      *code = JF_LEGACY_DEVICE;
      return 0;
    case JF_DLTENSOR:
      *code = JF_LEGACY_TENSOR;
      return 0;
    default:
      break;
  }
  if (!object) {
    char got[JF_DESCRIBE_SIZE];
    jf_any_describe(slot, got, sizeof got);
    return jf_fail_argument("TypeError", info, index, "what the convention has a type code for", "", got);
  }
  *code = value_of_object(object, value);
  return 0;
}

/* -- results --------------------------------------------------------------------------------------------------------- */

/* What the thread's last result by this convention points to. */
static _Thread_local struct {
  jf_value text;
  jf_span span;
  int32_t is_set;
} kept;

static void forget(void* unused) {
  (void)unused;
  if (kept.is_set) jf_any_release(&kept.text);
  kept.is_set = 0;
}
JF_AT_THREAD_END(forget);

/* Text and bytes, copied: NUL-terminated, and where they stay. */
static int32_t keep(const jf_call_info* info, const jf_any* slot, jf_encoded text, int32_t* code,
                    jf_legacy_value* result) {
  jf_value made = {.type_code = JF_NULL};
  jf_temps temps = {NULL};
  jf_object* object = NULL;
  const char* data = text.data;
  size_t size = text.size;
  int32_t status = 0;
  if (text.kind != JF_TEXT_BYTES) {
    status = jf_lift_cstr(info, JF_RESULT_INDEX, slot, &data, &temps);
    size = status == 0 ? strlen(data) : 0;
  }
  if (status == 0) object = text.kind == JF_TEXT_BYTES ? jf_bytes_new(data, size) : jf_str_new(data, size);
  jf_temps_release(&temps);
  if (!object) return -1;
  if (!watch_thread()) return jf_object_release(object), jf_error_no_memory(), -1;
  forget(NULL);
  made.type_code = JF_OBJECT;
  made.v_object = object;
  kept.text = made;
  kept.is_set = 1;
  const jf_encoded stays = jf_any_text(&kept.text);
  kept.span = (jf_span){stays.data, stays.size};
  *code = text.kind == JF_TEXT_BYTES ? JF_LEGACY_BYTES : JF_LEGACY_STR;
  if (text.kind == JF_TEXT_BYTES)
    result->v_handle = &kept.span;
  else
    result->v_str = stays.data;
  return 0;
}

int32_t jf_legacy_give(const jf_call_info* info, jf_value* value, int32_t* code, jf_legacy_value* result) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  const jf_encoded text = jf_any_text(slot);
  jf_temps temps = {NULL};
  *code = JF_LEGACY_NULL;
  result->v_uint64 = 0;
  if (text.kind == JF_TEXT_NONE) forget(NULL);
  if (text.kind != JF_TEXT_NONE) {
    const int32_t status = keep(info, slot, text, code, result);
    jf_any_release(value);
    return status;
  }
  const int32_t status = value_of(info, JF_RESULT_INDEX, slot, code, result, &temps);
  jf_temps_release(&temps);
  if (status != 0 || *code < JF_LEGACY_OBJECT || slot != value) {
    if (status == 0 && *code >= JF_LEGACY_OBJECT) jf_object_retain(jf_any_object(slot));
    jf_any_release(value);
    return status;
  }
  jf_out_init(value, 0); /* its reference is the caller's now */
  return 0;
}

/* Takes over what a function of the convention has given. */
static int32_t take(const jf_call_info* info, int32_t code, jf_legacy_value value, jf_value* out) {
  jf_view view;
  if (code == JF_LEGACY_RVALUE || code == JF_LEGACY_TENSOR || view_of(code, value, &view) != 0 ||
      view.type_code == JF_DLTENSOR) {
    char got[32];
    jf_print(got, sizeof got, "type code %d", code);
    return jf_fail_argument("TypeError", info, JF_RESULT_INDEX, "a type code that results have", "", got);
  }
  const int32_t status = jf_any_retain(&view, out);
  if (view.type_code == JF_OBJECT || view.type_code > 0) jf_object_release(view.v_object); /* out has one of its own */
  return status;
}

/* -- calls ------------------------------------------------------------------------------------------------------------- */

static void fail_unsaid(const jf_call_info* info) {
  const char* name = info && info->name ? info->name : "a packed function";
  jf_error_format("RuntimeError", "%s failed without setting an error", name);
}

int32_t jf_legacy_invoke(const jf_call_info* info, jf_legacy_call call, void* self, int32_t num_args,
                         const jf_view* args, jf_value* out) {
  int32_t few_codes[FEW], out_code = JF_LEGACY_NULL;
  jf_legacy_value few[FEW], result = {0};
  jf_temps temps = {NULL};
  const size_t each = sizeof(jf_legacy_value) + sizeof(int32_t);
  char* block = num_args > FEW ? jf_alloc((size_t)num_args * each) : NULL;
  if (num_args > FEW && !block) return jf_error_no_memory(), -1;
  jf_legacy_value* values = block ? (jf_legacy_value*)(void*)block : few;
  int32_t* codes = block ? (int32_t*)(void*)(values + num_args) : few_codes;
  int32_t status = 0;
  for (int32_t i = 0; i < num_args && status == 0; i++)
    status = value_of(info, i, &args[i], &codes[i], &values[i], &temps);
  if (status == 0) {
    status = call(self, num_args, codes, values, &out_code, &result);
    if (status != 0 && !jf_error_peek()) fail_unsaid(info);
    if (status == 0) status = take(info, out_code, result, out);
  }
  jf_temps_release(&temps);
  jf_free(block);
  return status == 0 ? 0 : -1;
}

/* Calls `function`, whose signature is the only name it has, with what came, and gives back what it returns. */
static int32_t enter(jf_object* function, int32_t num_args, const int32_t* type_codes, const jf_legacy_value* values,
                     int32_t* out_code, jf_legacy_value* out_value) {
  jf_view few[FEW];
  jf_view* views = num_args > FEW ? jf_alloc((size_t)num_args * sizeof *views) : few;
  if (!views) return jf_error_no_memory(), -1;
  jf_any room[8]; /* text of up to 119 bytes stays off the heap */
  jf_value* result = (jf_value*)room;
  jf_out_init(result, 7);
  *out_code = JF_LEGACY_NULL;
  int32_t status = jf_legacy_views(NULL, num_args, type_codes, values, views);
  if (status == 0) status = jf_function_call(function, num_args, views, result);
  if (status == 0) status = jf_legacy_give(NULL, result, out_code, out_value);
  if (views != few) jf_free(views);
  return status == 0 ? 0 : -1;
}

int32_t jf_legacy_entry(void* self, int32_t num_args, const int32_t* type_codes, const jf_legacy_value* values,
                        int32_t* out_code, jf_legacy_value* out_value) {
  return enter(self, num_args, type_codes, values, out_code, out_value);
}

int32_t jf_tvm_entry(void* args, int32_t* type_codes, int32_t num_args, void* out_value, int32_t* out_code,
                     void* resource) {
  return enter(resource, num_args, type_codes, args, out_code, out_value);
}

/* -- function objects --------------------------------------------------------------------------------------------------- */

typedef struct {
  jf_legacy_call call;
  jf_tvm_call tvm; /* one of the two */
  void* self;
  void* owner;
  void (*deleter)(void*);
  int32_t gives_bool; /* by its signature: it comes as an int */
  jf_call_info info;  /* for messages: its name follows this */
} captures;

static void delete_captures(void* given) {
  captures* held = given;
  if (held->deleter) held->deleter(held->owner);
  jf_free(held);
}

/* As a jf_legacy_call, whose self is the captures. */
static int32_t call_tvm(void* self, int32_t num_args, const int32_t* type_codes, const jf_legacy_value* values,
                        int32_t* out_code, jf_legacy_value* out_value) {
  const captures* held = self;
  return held->tvm((void*)(uintptr_t)values, (int32_t*)(uintptr_t)type_codes, num_args, out_value, out_code,
                   held->self);
}

static int32_t call_held(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  captures* held = jf_function_captures(&self->header, delete_captures);
  const int32_t status = held->tvm ? jf_legacy_invoke(&held->info, call_tvm, held, num_args, args, out)
                                   : jf_legacy_invoke(&held->info, held->call, held->self, num_args, args, out);
  if (status != 0 || !held->gives_bool || out->type_code != JF_INT) return status;
  out->type_code = JF_BOOL;
  out->v_int64 = out->v_int64 != 0;
  return 0;
}

static int32_t ends_with(const char* text, const char* end) {
  const size_t size = strlen(text), wanted = strlen(end);
  return size >= wanted && strcmp(text + size - wanted, end) == 0;
}

static jf_object* make(captures what, const char* name, const char* signature) {
  const size_t size = name ? strlen(name) + 1 : 0;
  captures* held = jf_alloc(sizeof *held + size);
  if (!held) return jf_error_no_memory(), NULL;
  *held = what;
  if (name) held->info.name = memcpy(held + 1, name, size);
  held->gives_bool = signature && (ends_with(signature, "-> bool") || ends_with(signature, "-> optional[bool]"));
  jf_object* made = jf_function_new(call_held, held, delete_captures, signature);
  if (!made) jf_free(held);
  return made;
}

jf_object* jf_legacy_function(jf_legacy_call call, void* self, void* owner, void (*deleter)(void*), const char* name,
                              const char* signature) {
  return make((captures){.call = call, .self = self, .owner = owner, .deleter = deleter}, name, signature);
}

jf_object* jf_tvm_function(jf_tvm_call call, void* resource, void* owner, void (*deleter)(void*), const char* name,
                           const char* signature) {
  return make((captures){.tvm = call, .self = resource, .owner = owner, .deleter = deleter}, name, signature);
}
