/* Objects that say themselves which of their parts count, in what order, and where variables are bound: methods of the type.
 *
 *   __s_equal__(self, other, equal) -> bool    equal(a, b[, region[, name]]) -> bool
 *   __s_hash__(self, start, hash) -> int       hash(value, start[, region]) -> int
 *
 * The functions that they are given go on with the comparison that asks, as long as it waits for the method.
 */
#include "message.h"
#include "structural.h"

/* What such a function captures leads to the context, or nowhere once the method has returned: others may keep the function. */
static void forget(void* captures) { jf_free(captures); }

void* jf_own_context(const jf_function* self) {
  void** lead = jf_function_captures(&self->header, forget);
  if (lead && *lead) return *lead;
  jf_error_set("ValueError", "the comparison that this function belongs to is over");
  return NULL;
}

int32_t jf_own_enter(int32_t* depth) {
  if ((*depth)++ < JF_MAX_DEPTH) return 0;
  jf_error_set("RecursionError", "objects that say themselves what is compared are too deep within one another");
  return -1;
}

int32_t jf_own_region(int32_t outer, int32_t num_args, const jf_view* args) {
  if (num_args < 3) return outer;
  if (args[2].type_code != JF_INT && args[2].type_code != JF_BOOL)
    return JF_RAISE("TypeError", "region: expected bool or int, got %s", jf_value_type_name(&args[2]));
  if (outer == JF_REGION_DEFINES || args[2].v_int64 < JF_REGION_DEFINES) return outer;
  return args[2].v_int64 == JF_REGION_DEFINES_ONE ? JF_REGION_DEFINES_ONE : JF_REGION_DEFINES;
}

/* New: the function that calls `part`; *lead is its own. NULL with MemoryError. */
static jf_object* make_function(jf_packed_call part, void* context, void*** lead) {
  *lead = jf_alloc(sizeof **lead);
  if (!*lead) return jf_error_no_memory(), NULL;
  **lead = context;
  jf_object* made = jf_function_new(part, *lead, forget, NULL);
  if (!made) jf_free(*lead);
  return made;
}

/* Takes the method's result. 1; -1 with TypeError for what is no number. */
static int32_t take_answer(const jf_object* object, const char* name, jf_value* out, int64_t* answer) {
  if (out->type_code == JF_INT || out->type_code == JF_BOOL || out->type_code == JF_UINT) {
    *answer = out->v_int64;
    return 1;
  }
  jf_error_format("TypeError", "%s.%s: result: expected bool or int, got %s", jf_type_key(object->type_code), name,
                  jf_value_type_name(out));
  jf_any_release(out);
  return -1;
}

int32_t jf_ask_structure(jf_object* object, const char* name, const jf_view* with, jf_packed_call part, void* context,
                         int64_t* answer) {
  jf_object* method = jf_type_method(object->type_code, name);
  if (!method) return 0;
  int32_t status = -1;
  void** lead;
  jf_object* function = make_function(part, context, &lead);
  if (function) {
    jf_view args[3] = {{JF_NULL, 0, {0}}, *with, {JF_NULL, 0, {0}}};
    jf_item_view((jf_item){.object = object}, &args[0]);
    jf_item_view((jf_item){.object = function}, &args[2]);
    jf_value out = {JF_NULL, 0, {0}};
    status = jf_function_call(method, 3, args, &out) == 0 ? take_answer(object, name, &out, answer) : -1;
    *lead = NULL;
    jf_object_release(function);
  }
  jf_object_release(method);
  return status;
}
