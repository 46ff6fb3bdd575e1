/* Reading arguments and results out of slots, off the fast path: boxes opened, numbers widened and range-checked, text
 * of any kind taken; and the temporaries that this needs.
 */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "allocation.h"
#include "decimal.h"
#include "jitffi/ndarray.h"
#include "jitffi/runtime.h"
#include "jitffi/text.h"
#include "macros.h"
#include "message.h"
#include "slot.h"

/* -- temporaries -- */

struct jf_temp {
  jf_temp* next;
  void* resource;
  void (*release)(void*);
};

/* Steals resource. MemoryError: it has been released. */
int32_t jf_temps_add(jf_temps* temps, void* resource, void (*release)(void*)) {
  jf_temp* temp = jf_piece_new(sizeof *temp);
  if (!temp) {
    release(resource);
    jf_error_no_memory();
    return -1;
  }
  *temp = (jf_temp){temps->head, resource, release};
  temps->head = temp;
  return 0;
}

/* Never fails; may be called again. */
void jf_temps_release(jf_temps* temps) {
  while (temps->head) {
    jf_temp temp = *temps->head;
    jf_piece_free(temps->head, sizeof temp);
    temps->head = temp.next;
    temp.release(temp.resource);
  }
}

/* -- scalars -- */

typedef struct {
  const char* type;
  const char* range; /* for messages */
  int64_t least;     /* of integers */
  uint64_t most;
} scalar_kind;

static const scalar_kind kinds[] = {
    [JF_KIND_BOOL] = {"bool", "", 0, 1},
    [JF_KIND_I8] = {"i8", " (-128 to 127)", INT8_MIN, INT8_MAX},
    [JF_KIND_I16] = {"i16", " (-32768 to 32767)", INT16_MIN, INT16_MAX},
    [JF_KIND_I32] = {"i32", " (-2147483648 to 2147483647)", INT32_MIN, INT32_MAX},
    [JF_KIND_I64] = {"i64", " (-9223372036854775808 to 9223372036854775807)", INT64_MIN, INT64_MAX},
    [JF_KIND_U8] = {"u8", " (0 to 255)", 0, UINT8_MAX},
    [JF_KIND_U16] = {"u16", " (0 to 65535)", 0, UINT16_MAX},
    [JF_KIND_U32] = {"u32", " (0 to 4294967295)", 0, UINT32_MAX},
    [JF_KIND_U64] = {"u64", " (0 to 18446744073709551615)", 0, UINT64_MAX},
    [JF_KIND_F16] = {"f16", " (-65504.0 to 65504.0)", 0, 0},
    [JF_KIND_BF16] = {"bf16", " (-3.3895314e+38 to 3.3895314e+38)", 0, 0},
    [JF_KIND_F32] = {"f32", " (-3.4028235e+38 to 3.4028235e+38)", 0, 0},
    [JF_KIND_F64] = {"f64", "", 0, 0},
    [JF_KIND_DTYPE] = {"dtype", "", 0, 0},
    [JF_KIND_DEVICE] = {"device", "", 0, 0},
    [JF_KIND_LONGDOUBLE] = {"longdouble", "", 0, 0},
};

static JF_COLD int32_t refuse(const char* error, const jf_call_info* info, int32_t index, const char* expected,
                              const char* range, const jf_view* view) {
  char described[JF_DESCRIBE_SIZE];
  jf_any_describe(view, described, sizeof described);
  return jf_fail_argument(error, info, index, expected, range, described);
}

enum { DONE, WRONG_TYPE, OUT_OF_RANGE, WRONG_NAME };

static int32_t read_integer(const jf_any* slot, const scalar_kind* kind, int64_t* out) {
  int32_t fits;
  if (slot->type_code == JF_UINT) {
    fits = slot->v_uint64 <= kind->most;
  } else if (slot->type_code == JF_INT || slot->type_code == JF_BOOL) {
    fits = slot->v_int64 >= kind->least && (slot->v_int64 < 0 || slot->v_uint64 <= kind->most);
  } else {
    return WRONG_TYPE;
  }
  *out = slot->v_int64;
  return fits ? DONE : OUT_OF_RANGE;
}

/* Integers become the nearest double first, as in Python. */
static int32_t read_float(const jf_any* slot, int32_t kind, void* out) {
  double value;
  int32_t overflow = 0;
  switch (slot->type_code) {
    case JF_FLOAT:
      value = slot->v_float64;
      break;
    case JF_INT:
    case JF_BOOL:
      value = (double)slot->v_int64;
      break;
    case JF_UINT:
      value = (double)slot->v_uint64;
      break;
    default:
      return WRONG_TYPE;
  }
  union {
    double f64;
    float f32;
    uint64_t bits;
  } result = {.bits = 0};
  if (kind == JF_KIND_F64 || kind == JF_KIND_LONGDOUBLE) {
    result.f64 = value;
  } else if (kind == JF_KIND_F32) {
    result.f32 = (float)value;
    overflow = isinf(result.f32) && !isinf(value);
  } else {
    result.bits = kind == JF_KIND_F16 ? jf_f16_from_f64(value, &overflow) : jf_bf16_from_f64(value, &overflow);
  }
  memcpy(out, &result, sizeof result);
  return overflow ? OUT_OF_RANGE : DONE;
}

/* Names are ASCII, and none is longer than the buffer. */
static int32_t read_name(jf_encoded text, int32_t kind, void* out) {
  char name[JF_DTYPE_SIZE];
  const char* at = text.data;
  if (text.size > sizeof name) return WRONG_NAME;
  if (text.kind == JF_TEXT_UCS4) {
    const jf_char32* characters = text.data;
    for (size_t i = 0; i < text.size; i++) name[i] = characters[i] < 0x80 ? (char)characters[i] : 0;
    at = name;
  }
  if (kind == JF_KIND_DTYPE) return jf_dtype_parse(at, text.size, out) == 0 ? DONE : WRONG_NAME;
  return jf_device_parse(at, text.size, out) == 0 ? DONE : WRONG_NAME;
}

/* A data type or a device, or the name of one. */
static int32_t read_dlpack(const jf_any* slot, int32_t kind, void* out) {
  int64_t word = 0;
  int32_t outcome = DONE;
  if (slot->type_code == (kind == JF_KIND_DTYPE ? JF_DTYPE : JF_DEVICE)) {
    word = slot->v_int64;
  } else {
    const jf_encoded text = jf_any_text(slot);
    const int32_t is_text = text.kind == JF_TEXT_UTF8 || text.kind == JF_TEXT_UCS4;
    outcome = is_text ? read_name(text, kind, &word) : WRONG_TYPE;
  }
  memcpy(out, &word, sizeof word);
  return outcome;
}

/* -- objects of another language -- */

typedef int32_t (*host_reader)(jf_object* object, int32_t code, jf_any* out, jf_span* span, jf_temps* temps);
static host_reader reader;

void jf_set_host_reader(host_reader read) { __atomic_store_n(&reader, read, __ATOMIC_RELEASE); }

JF_COLD int32_t jf_host_read(const jf_any* slot, int32_t code, jf_any* out, jf_span* span, jf_temps* temps) {
  const host_reader read = __atomic_load_n(&reader, __ATOMIC_ACQUIRE);
  jf_object* object = slot->type_code == JF_OBJECT ? slot->v_object : NULL;
  return read && object && object->type_code == JF_HOST_OBJECT ? read(object, code, out, span, temps) : 0;
}

static int32_t is_dlpack(int32_t kind) { return kind == JF_KIND_DTYPE || kind == JF_KIND_DEVICE; }

static int32_t read_scalar(const jf_any* slot, int32_t kind, void* out) {
  if (is_dlpack(kind)) return read_dlpack(slot, kind, out);
  if (kind >= JF_KIND_F16) return read_float(slot, kind, out);
  if (kind == JF_KIND_BOOL && slot->type_code != JF_BOOL) return WRONG_TYPE;
  int64_t value;
  const int32_t outcome = read_integer(slot, &kinds[kind], &value);
  if (outcome == DONE) memcpy(out, &value, sizeof value);
  return outcome;
}

/* Borrows all. On failure *out is unspecified. */
int32_t jf_lift_scalar(const jf_call_info* info, int32_t index, const jf_view* view, int32_t kind, void* out) {
  assert(kind >= JF_KIND_BOOL && kind <= JF_KIND_LONGDOUBLE);
  const scalar_kind* wanted = &kinds[kind];
  jf_any scratch, made;
  const jf_any* slot = jf_any_resolve(view, &scratch);
  int32_t outcome = read_scalar(slot, kind, out);
  if (outcome == WRONG_TYPE && kind != JF_KIND_BOOL && !is_dlpack(kind)) {
    const int32_t found = jf_host_read(slot, kind >= JF_KIND_F16 ? JF_FLOAT : JF_INT, &made, NULL, NULL);
    if (found < 0) return -1;
    if (found) outcome = read_scalar(&made, kind, out);
  }
  if (outcome == WRONG_TYPE) return refuse("TypeError", info, index, wanted->type, "", view);
  if (outcome == WRONG_NAME) return refuse("ValueError", info, index, wanted->type, "", view);
  if (outcome == OUT_OF_RANGE) return refuse("OverflowError", info, index, wanted->type, wanted->range, view);
  return 0;
}

/* Whether an integer fits an address, with a sign or without. */
static int32_t is_address(const jf_any* slot) {
  if (sizeof(void*) == sizeof(int64_t)) return 1;
  return slot->type_code == JF_INT && slot->v_int64 >= INT32_MIN && slot->v_int64 <= UINT32_MAX;
}

/* Borrows all. On failure *out is unspecified. */
int32_t jf_lift_ptr(const jf_call_info* info, int32_t index, const jf_view* view, void** out) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(view, &scratch);
  switch (slot->type_code) {
    case JF_NULL:
      *out = NULL;
      return 0;
    case JF_INT:
    case JF_UINT:
      if (!is_address(slot)) return refuse("OverflowError", info, index, "ptr", " (-2147483648 to 4294967295)", view);
      *out = (void*)(uintptr_t)slot->v_uint64;
      return 0;
    case JF_HANDLE:
    case JF_DLTENSOR:
      *out = slot->v_handle;
      return 0;
    default:
      return refuse("TypeError", info, index, "ptr", "", view);
  }
}

/* -- text -- */

/* The text as UTF-8 with a NUL behind it, in memory that `temps` frees. */
static int32_t copy_text(const jf_call_info* info, int32_t index, const char* expected, jf_encoded text, jf_span* out,
                         jf_temps* temps) {
  int64_t size = text.kind == JF_TEXT_UCS4 ? jf_ucs4_utf8_size(text.data, text.size) : (int64_t)text.size;
  if (size < 0) {
    return jf_fail_argument("UnicodeEncodeError", info, index, expected, "",
                            "ucs4 with a code point that is no character, a surrogate or beyond 0x10ffff");
  }
  char* copy = jf_alloc((size_t)size + 1);
  if (!copy) {
    jf_error_no_memory();
    return -1;
  }
  if (text.kind == JF_TEXT_UCS4) {
    jf_ucs4_to_utf8(text.data, text.size, copy);
  } else {
    memcpy(copy, text.data, text.size);
  }
  copy[size] = 0;
  *out = (jf_span){copy, (size_t)size};
  return jf_temps_add(temps, copy, jf_free);
}

/* *out is borrowed from the view or from temps. On failure it is unspecified. */
int32_t jf_lift_str(const jf_call_info* info, int32_t index, const jf_view* view, jf_span* out, jf_temps* temps) {
  jf_any scratch;
  jf_encoded text = jf_any_text(jf_any_resolve(view, &scratch));
  if (text.kind == JF_TEXT_UCS4) return copy_text(info, index, "str", text, out, temps);
  if (text.kind != JF_TEXT_UTF8) return refuse("TypeError", info, index, "str", "", view);
  *out = (jf_span){text.data, text.size};
  return 0;
}

static JF_COLD int32_t refuse_utf8(const jf_call_info* info, int32_t index, jf_encoded text) {
  char got[64];
  jf_print(got, sizeof got, "str that is no UTF-8 from byte %zu on", jf_utf8_valid(text.data, text.size));
  return jf_fail_argument("UnicodeDecodeError", info, index, "ucs4", "", got);
}

/* *out is borrowed from the view or from temps. On failure it is unspecified. */
int32_t jf_lift_ucs4(const jf_call_info* info, int32_t index, const jf_view* view, jf_ucs4_span* out, jf_temps* temps) {
  jf_any scratch;
  const jf_encoded text = jf_any_text(jf_any_resolve(view, &scratch));
  *out = (jf_ucs4_span){text.data, text.size};
  if (text.kind == JF_TEXT_UCS4) return 0;
  if (text.kind != JF_TEXT_UTF8) return refuse("TypeError", info, index, "ucs4", "", view);
  if (text.size == 0) {
    out->data = U"";
    return 0;
  }
  /* There are no more characters than bytes. */
  jf_char32* copy = text.size <= SIZE_MAX / sizeof *copy ? jf_alloc(text.size * sizeof *copy) : NULL;
  if (!copy) {
    jf_error_no_memory();
    return -1;
  }
  const int64_t characters = jf_utf8_to_ucs4(text.data, text.size, copy);
  *out = (jf_ucs4_span){copy, (size_t)characters};
  if (characters >= 0) return jf_temps_add(temps, copy, jf_free);
  jf_free(copy);
  return refuse_utf8(info, index, text);
}

/* The elements of an array in C order on the CPU, as their buffer has them: 1; 0: it is none. */
static int32_t read_array(const jf_any* slot, jf_span* out) {
  jf_object* object = jf_any_object(slot);
  if (!object || !jf_type_is_a(object->type_code, JF_NDARRAY)) return 0;
  const jf_dltensor* tensor = jf_ndarray_tensor(object);
  const size_t itemsize = jf_dltensor_itemsize(tensor, ((jf_ndarray*)object)->flags);
  if (!itemsize || tensor->device.device_type != JF_CPU || !jf_dltensor_is_contiguous(tensor)) return 0;
  *out = (jf_span){(const char*)tensor->data + tensor->byte_offset, (size_t)jf_dltensor_items(tensor) * itemsize};
  if (!out->size) out->data = "";
  return 1;
}

/* *out is borrowed from the view or from temps. On failure it is unspecified. */
int32_t jf_lift_bytes(const jf_call_info* info, int32_t index, const jf_view* view, jf_span* out, jf_temps* temps) {
  jf_any scratch, made;
  const jf_any* slot = jf_any_resolve(view, &scratch);
  const jf_encoded text = jf_any_text(slot);
  *out = (jf_span){text.data, text.size};
  if (text.kind == JF_TEXT_BYTES || read_array(slot, out)) return 0; /* readable in place */
  const int32_t found = jf_host_read(slot, JF_BYTE_ARRAY, &made, out, temps);
  if (found) return found < 0 ? -1 : 0;
  return refuse("TypeError", info, index, "bytes", "", view);
}

/* *out is borrowed from the view or from temps. On failure it is unspecified. */
int32_t jf_lift_cstr(const jf_call_info* info, int32_t index, const jf_view* view, const char** out, jf_temps* temps) {
  jf_any scratch;
  jf_encoded text = jf_any_text(jf_any_resolve(view, &scratch));
  if (text.kind != JF_TEXT_UTF8 && text.kind != JF_TEXT_UCS4) return refuse("TypeError", info, index, "cstr", "", view);
  jf_span span = {text.data, text.size};
  if (!text.terminated || text.kind == JF_TEXT_UCS4) {
    if (copy_text(info, index, "cstr", text, &span, temps) != 0) return -1;
  }
  const char* nul = memchr(span.data, 0, span.size);
  if (nul) {
    char got[64];
    jf_print(got, sizeof got, "str with an embedded NUL at byte %zu", (size_t)(nul - span.data));
    return jf_fail_argument("ValueError", info, index, "cstr", "", got);
  }
  *out = span.data;
  return 0;
}

/* -- objects -- */

/* The code of the object that a resolved slot would be boxed into; 0: none. */
static int32_t boxed_code(const jf_any* slot) {
  switch (jf_any_text(slot).kind) {
    case JF_TEXT_UTF8:
      return JF_STR;
    case JF_TEXT_BYTES:
      return JF_BYTES;
    case JF_TEXT_UCS4:
      return JF_UCS4;
    default:
      return slot->type_code == JF_UINT || (slot->type_code <= JF_INT && slot->type_code >= JF_DEVICE) ? JF_ROOT : 0;
  }
}

static void release_object(void* object) { jf_object_release(object); }

/* *out is borrowed from the view or from temps. On failure it is unspecified. */
int32_t jf_lift_object(const jf_call_info* info, int32_t index, const jf_view* view, int32_t code, jf_object** out,
                       jf_temps* temps) {
  const char* expected = code == JF_ROOT ? "object" : jf_type_key(code);
  jf_any scratch;
  /* A box that is an object already stays one. */
  const jf_any* slot = view->type_code == JF_OBJECT ? view : jf_any_resolve(view, &scratch);
  jf_object* object = jf_any_object(slot);
  if (object) {
    *out = object;
    if (jf_type_is_a(object->type_code, code)) return 0;
    jf_any made;
    const int32_t found = code == JF_ERROR ? jf_host_read(slot, code, &made, NULL, NULL) : 0; /* an exception */
    if (found == 0) return refuse("TypeError", info, index, expected, "", view);
    *out = found > 0 ? made.v_object : NULL;
    return *out ? jf_temps_add(temps, *out, release_object) : -1;
  }
  if (slot->type_code == JF_DLTENSOR && code == JF_ROOT) {
    return jf_fail_argument("ValueError", info, index, expected, "",
                            "a borrowed DLTensor, which cannot be kept: pass an nd-array");
  }
  int32_t boxed = boxed_code(slot);
  if (!boxed || !jf_type_is_a(boxed, code)) return refuse("TypeError", info, index, expected, "", view);
  *out = jf_any_to_object(slot, NULL);
  return *out ? jf_temps_add(temps, *out, release_object) : -1;
}
