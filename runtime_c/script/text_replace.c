/* replace. */
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "jitffi/script_methods.h"
#include "text_make.h"
#include "text_search.h"
#include "text_units.h"

/* What is put together: units of one width, as they come. */
typedef struct {
  void* data;
  size_t size;
  int32_t wide;
} target;

static void put(target* to, const jf_text* text, size_t start, size_t end) {
  void* at = (void*)(uintptr_t)jf_unit_address(to->data, to->size, to->wide);
  jf_units_copy(at, to->wide, jf_unit_address(text->data, start, text->wide), text->wide, end - start);
  to->size += end - start;
}

/* Between all characters, and at both ends. */
static void put_between(target* to, const jf_text* text, const jf_text* new_, size_t count) {
  for (size_t i = 0; i < count; i++) {
    put(to, new_, 0, new_->size);
    if (i < text->size) put(to, text, i, i + 1);
  }
  if (count < text->size) put(to, text, count, text->size);
}

static void put_replaced(target* to, const jf_text* text, const jf_text* old, const jf_text* new_, size_t count) {
  size_t start = 0;
  for (; count; count--) {
    const int64_t found = jf_units_find(text, start, text->size, old);
    if (found < 0) break; /* never: they were counted */
    put(to, text, start, (size_t)found);
    put(to, new_, 0, new_->size);
    start = (size_t)found + old->size;
  }
  put(to, text, start, text->size);
}

static void swap_units(const unsigned char* restrict from, unsigned char* restrict to, size_t size, unsigned char old,
                       unsigned char new_) {
  for (size_t i = 0; i < size; i++) to[i] = from[i] == old ? new_ : from[i];
}

static void swap_wide(const jf_char32* restrict from, jf_char32* restrict to, size_t size, uint32_t old,
                      uint32_t new_) {
  for (size_t i = 0; i < size; i++) to[i] = from[i] == old ? new_ : from[i];
}

/* Of each unit by one of the same text's width. -1: *out is null. */
static int32_t replace_units(const jf_text* text, uint32_t old, uint32_t new_, int32_t code, jf_value* out) {
  const int32_t capacity = out->small_len;
  void* to = jf_text_begin(out, text->wide ? JF_UCS4 : code, text->size);
  if (!to) return -1;
  if (text->wide) {
    swap_wide(text->data, to, text->size, old, new_);
    return jf_text_narrow(out, capacity);
  }
  swap_units(text->data, to, text->size, (unsigned char)old, (unsigned char)new_);
  return 0;
}

static int32_t copy(const jf_text* text, int32_t is_bytes, jf_value* out) {
  return is_bytes ? jf_bytes_to(text, out) : jf_text_out(text, out);
}

static int32_t replace(const jf_text* text, const jf_text* old, const jf_text* new_, int64_t most, int32_t is_bytes,
                       jf_value* out) {
  const int32_t capacity = out->small_len, code = is_bytes ? JF_BYTES : JF_STR;
  const int32_t is_narrow = !text->wide && !new_->wide;
  if (old->size == 1 && new_->size == 1 && (most < 0 || (uint64_t)most >= text->size)) {
    const uint32_t from = jf_unit(old->data, 0, old->wide), to = jf_unit(new_->data, 0, new_->wide);
    if (text->wide || (from < 256 && to < 256 && is_narrow)) return replace_units(text, from, to, code, out);
  }
  const size_t limit = most < 0 || (uint64_t)most > SIZE_MAX ? SIZE_MAX : (size_t)most;
  const size_t count = limit ? jf_units_count(text, 0, text->size, old, limit) : 0;
  if (!count) return copy(text, is_bytes, out);
  const size_t kept = text->size - count * old->size;
  if (new_->size && count > (PTRDIFF_MAX / sizeof(jf_char32) - kept) / new_->size) {
    *out = jf_static_null;
    jf_error_set("OverflowError", is_bytes ? "replace bytes is too long" : "replace string is too long");
    return -1;
  }
  target to = {NULL, 0, !is_narrow};
  to.data = jf_text_begin(out, is_narrow ? code : JF_UCS4, kept + count * new_->size);
  if (!to.data) return -1;
  if (old->size) {
    put_replaced(&to, text, old, new_, count);
  } else {
    put_between(&to, text, new_, count);
  }
  return is_narrow ? 0 : jf_text_narrow(out, capacity);
}

/* Borrow. OverflowError, MemoryError: *out is null. */
int32_t jf_text_replace(const jf_text* text, const jf_text* old, const jf_text* new_, int64_t count, jf_value* out) {
  return replace(text, old, new_, count, 0, out);
}
int32_t jf_bytes_replace(const jf_text* bytes, const jf_text* old, const jf_text* new_, int64_t count, jf_value* out) {
  return replace(bytes, old, new_, count, 1, out);
}
