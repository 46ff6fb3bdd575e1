/* zfill, ljust, rjust, center, expandtabs. */
#include <string.h>

#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "jitffi/script_methods.h"
#include "macros.h"
#include "op_value.h"
#include "text_make.h"
#include "text_search.h"
#include "text_units.h"

/* Clears *out, and says why: always -1. */
static int32_t refuse(jf_value* out, const char* kind, const char* message) {
  *out = jf_static_null;
  jf_error_set(kind, message);
  return -1;
}

static void fill(void* data, size_t at, int32_t wide, size_t count, uint32_t unit) {
  if (wide) {
    for (size_t i = 0; i < count; i++) ((jf_char32*)data)[at + i] = unit;
  } else {
    memset((char*)data + at, (int)unit, count);
  }
}

static void* address(void* data, size_t at, int32_t wide) { return (void*)(uintptr_t)jf_unit_address(data, at, wide); }

/* `left` and `right` units around the text. */
static int32_t surround(const jf_text* text, size_t left, size_t right, uint32_t unit, int32_t is_bytes,
                        jf_value* out) {
  const size_t limit = PTRDIFF_MAX / sizeof(jf_char32);
  if (left > limit || right > limit || left + right + text->size > limit) {
    *out = jf_static_null;
    return jf_fail_memory();
  }
  const int32_t wide = !is_bytes && ((unit >= 128 && left + right) || !jf_text_is_ascii(text));
  void* data = jf_text_begin(out, wide ? JF_UCS4 : is_bytes ? JF_BYTES : JF_STR, left + text->size + right);
  if (!data) return -1;
  fill(data, 0, wide, left, unit);
  jf_units_copy(address(data, left, wide), wide, text->data, text->wide, text->size);
  fill(data, left + text->size, wide, right, unit);
  return 0;
}

static const char* const names[] = {"ljust", "rjust", "center"};
enum { LJUST, RJUST, CENTER };

static JF_COLD int32_t refuse_fill(int32_t how, int32_t is_bytes, size_t size, jf_value* out) {
  if (!is_bytes) return refuse(out, "TypeError", "The fill character must be exactly one character long");
  *out = jf_static_null;
  if (JITFFI_SCRIPT_PYTHON < 314) {
    jf_error_format("TypeError", "%s() argument 2 must be a byte string of length 1, not bytes", names[how]);
  } else {
    jf_error_format("TypeError", "%s(): argument 2 must be a byte string of length 1, not a bytes object of length %zu",
                    names[how], size);
  }
  return -1;
}

static int32_t justify(const jf_text* text, int64_t width, const jf_text* unit, int32_t how, int32_t is_bytes,
                       jf_value* out) {
  if (unit && unit->size != 1) return refuse_fill(how, is_bytes, unit->size, out);
  const uint32_t c = unit ? jf_unit(unit->data, 0, unit->wide) : ' ';
  const uint64_t missing = width > (int64_t)text->size ? (uint64_t)width - text->size : 0;
  if (missing > PTRDIFF_MAX) {
    *out = jf_static_null;
    return jf_fail_memory();
  }
  size_t left = how == RJUST ? (size_t)missing : 0;
  if (how == CENTER) left = (size_t)(missing / 2 + (missing & (uint64_t)width & 1)); /* as Python does it */
  return surround(text, left, (size_t)missing - left, c, is_bytes, out);
}

/* Borrow. TypeError where fillchar is not one character, MemoryError: *out is null. */
int32_t jf_text_ljust(const jf_text* text, int64_t width, const jf_text* fillchar, jf_value* out) {
  return justify(text, width, fillchar, LJUST, 0, out);
}
int32_t jf_text_rjust(const jf_text* text, int64_t width, const jf_text* fillchar, jf_value* out) {
  return justify(text, width, fillchar, RJUST, 0, out);
}
int32_t jf_text_center(const jf_text* text, int64_t width, const jf_text* fillchar, jf_value* out) {
  return justify(text, width, fillchar, CENTER, 0, out);
}
int32_t jf_bytes_ljust(const jf_text* bytes, int64_t width, const jf_text* fillchar, jf_value* out) {
  return justify(bytes, width, fillchar, LJUST, 1, out);
}
int32_t jf_bytes_rjust(const jf_text* bytes, int64_t width, const jf_text* fillchar, jf_value* out) {
  return justify(bytes, width, fillchar, RJUST, 1, out);
}
int32_t jf_bytes_center(const jf_text* bytes, int64_t width, const jf_text* fillchar, jf_value* out) {
  return justify(bytes, width, fillchar, CENTER, 1, out);
}

/* Zeros go between a sign and what is behind it. */
static int32_t zfill(const jf_text* text, int64_t width, int32_t is_bytes, jf_value* out) {
  const uint64_t missing = width > (int64_t)text->size ? (uint64_t)width - text->size : 0;
  if (missing > PTRDIFF_MAX) {
    *out = jf_static_null;
    return jf_fail_memory();
  }
  if (surround(text, (size_t)missing, 0, '0', is_bytes, out) != 0) return -1;
  const uint32_t sign = text->size ? jf_unit(text->data, 0, text->wide) : 0;
  if (!missing || (sign != '+' && sign != '-')) return 0;
  const int32_t is_heap = out->type_code == JF_OBJECT;
  const int32_t wide = is_heap ? out->v_object->type_code == JF_UCS4 : out->type_code == JF_SMALL_UCS4;
  void* data = is_heap ? (void*)(uintptr_t)((const jf_str*)out->v_object)->data : (char*)out + JF_PAYLOAD_OFFSET;
  jf_put_unit(data, (size_t)missing, wide, '0');
  jf_put_unit(data, 0, wide, sign);
  return 0;
}

/* Borrow. MemoryError: *out is null. */
int32_t jf_text_zfill(const jf_text* text, int64_t width, jf_value* out) { return zfill(text, width, 0, out); }
int32_t jf_bytes_zfill(const jf_text* bytes, int64_t width, jf_value* out) { return zfill(bytes, width, 1, out); }

/* -- tabs -- */

/* The column behind text[start:end], which begins in `column`. */
JF_ALWAYS uint64_t column_after(const jf_text* text, int32_t wide, size_t start, size_t end, uint64_t column) {
  for (size_t i = end; i > start; i--) {
    const uint32_t c = jf_unit(text->data, i - 1, wide);
    if (c == '\n' || c == '\r') return end - i;
  }
  return column + (end - start);
}

/* Units of the result, which are written where `to` is not NULL; SIZE_MAX where there are too many. */
JF_ALWAYS size_t expand(const jf_text* text, int32_t wide, int64_t tab, void* to) {
  static const jf_text tab_text = {"\t", 1, 0};
  size_t made = 0, start = 0;
  uint64_t column = 0;
  for (;;) {
    const int64_t found = jf_units_find(text, start, text->size, &tab_text);
    const size_t end = found < 0 ? text->size : (size_t)found;
    if (to) jf_units_copy(address(to, made, wide), wide, jf_unit_address(text->data, start, wide), wide, end - start);
    made += end - start;
    if (found < 0) return made;
    column = column_after(text, wide, start, end, column);
    const uint64_t spaces = tab > 0 ? (uint64_t)tab - column % (uint64_t)tab : 0;
    if (spaces > PTRDIFF_MAX / sizeof(jf_char32) - made) return SIZE_MAX;
    if (to) fill(to, made, wide, (size_t)spaces, ' ');
    made += (size_t)spaces;
    column += spaces;
    start = end + 1;
  }
}

static int32_t expandtabs(const jf_text* text, int64_t tab, int32_t is_bytes, jf_value* out) {
  const int32_t capacity = out->small_len;
  const size_t size = text->wide ? expand(text, 1, tab, NULL) : expand(text, 0, tab, NULL);
  if (size == SIZE_MAX) return refuse(out, "OverflowError", is_bytes ? "result too long" : "new string is too long");
  void* data = jf_text_begin(out, text->wide ? JF_UCS4 : is_bytes ? JF_BYTES : JF_STR, size);
  if (!data) return -1;
  if (!text->wide) {
    expand(text, 0, tab, data);
    return 0;
  }
  expand(text, 1, tab, data);
  return jf_text_narrow(out, capacity);
}

/* Borrow. OverflowError, MemoryError: *out is null. */
int32_t jf_text_expandtabs(const jf_text* text, int64_t tabsize, jf_value* out) {
  return expandtabs(text, tabsize, 0, out);
}
int32_t jf_bytes_expandtabs(const jf_text* bytes, int64_t tabsize, jf_value* out) {
  return expandtabs(bytes, tabsize, 1, out);
}
