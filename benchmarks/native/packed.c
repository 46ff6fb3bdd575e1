/* Packed functions as a C programmer writes them (abi.h, jf_packed_call): the arguments' codes are checked, nothing else is done. */
#include "plain.h"

PLAIN_API int32_t packed_none(jf_function* self, int32_t n, const jf_view* args, jf_value* out);
PLAIN_API int32_t packed_add(jf_function* self, int32_t n, const jf_view* args, jf_value* out);
PLAIN_API int32_t packed_add_here(jf_function* self, int32_t n, const jf_view* args, jf_value* out);
PLAIN_API int32_t packed_add_f64(jf_function* self, int32_t n, const jf_view* args, jf_value* out);
PLAIN_API int32_t packed_len(jf_function* self, int32_t n, const jf_view* args, jf_value* out);

/* The out-slot is null when it comes. */
int32_t packed_none(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  (void)self, (void)args;
  if (n != 0) return -1;
  out->small_len = 0;
  return 0;
}

int32_t packed_add(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  (void)self;
  if (n != 2 || args[0].type_code != JF_INT || args[1].type_code != JF_INT) return -1;
  out->type_code = JF_INT;
  out->small_len = 0;
  out->v_int64 = add_i64(args[0].v_int64, args[1].v_int64);
  return 0;
}

/* The same, without a call of another function. */
int32_t packed_add_here(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  (void)self;
  if (n != 2 || args[0].type_code != JF_INT || args[1].type_code != JF_INT) return -1;
  out->type_code = JF_INT;
  out->small_len = 0;
  out->v_int64 = args[0].v_int64 + args[1].v_int64;
  return 0;
}

int32_t packed_add_f64(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  (void)self;
  if (n != 2 || args[0].type_code != JF_FLOAT || args[1].type_code != JF_FLOAT) return -1;
  out->type_code = JF_FLOAT;
  out->small_len = 0;
  out->v_float64 = add_f64(args[0].v_float64, args[1].v_float64);
  return 0;
}

/* Text comes small in a slot, or long in a larger one, or as a view; the other codes for it do not come from Python. */
int32_t packed_len(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  (void)self;
  if (n != 1) return -1;
  const jf_any* text = args[0].type_code == JF_ANY_PTR ? (const jf_any*)args[0].v_handle : &args[0];
  int64_t size;
  if (text->type_code == JF_SMALL_STR) {
    size = text->small_len;
  } else if (text->type_code == JF_STR_VIEW) {
    size = (int64_t)text->v_span->size;
  } else if (text->type_code == JF_OBJECT && text->v_object->type_code == JF_STR) {
    size = (int64_t)((const jf_str*)text->v_object)->size;
  } else {
    return -1;
  }
  out->type_code = JF_INT;
  out->small_len = 0;
  out->v_int64 = size;
  return 0;
}
