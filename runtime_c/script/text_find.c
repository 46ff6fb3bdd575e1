/* find, rfind, index, rindex, count, startswith, endswith. text_search.c has the search itself. */
#include "jitffi/containers.h"
#include "jitffi/pad.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "jitffi/script_methods.h"
#include "macros.h"
#include "op_value.h"
#include "text_search.h"
#include "text_units.h"

/* Borrow. Never fail; -1: not there. */
int64_t jf_text_find(const jf_text* text, const jf_text* sub, int64_t start, int64_t end) {
  return jf_clip(text->size, &start, &end) ? jf_units_find(text, (size_t)start, (size_t)end, sub) : -1;
}
int64_t jf_text_rfind(const jf_text* text, const jf_text* sub, int64_t start, int64_t end) {
  return jf_clip(text->size, &start, &end) ? jf_units_rfind(text, (size_t)start, (size_t)end, sub) : -1;
}
int64_t jf_bytes_find(const jf_text* bytes, const jf_text* sub, int64_t start, int64_t end) {
  return jf_text_find(bytes, sub, start, end);
}
int64_t jf_bytes_rfind(const jf_text* bytes, const jf_text* sub, int64_t start, int64_t end) {
  return jf_text_rfind(bytes, sub, start, end);
}

static int32_t found(int64_t at, const char* what, int64_t* out) {
  *out = at;
  if (at >= 0) return 0;
  jf_error_format("ValueError", "%s not found", what);
  return -1;
}

/* Borrow. ValueError where it is not there. */
int32_t jf_text_index(const jf_text* text, const jf_text* sub, int64_t start, int64_t end, int64_t* out) {
  return found(jf_text_find(text, sub, start, end), "substring", out);
}
int32_t jf_text_rindex(const jf_text* text, const jf_text* sub, int64_t start, int64_t end, int64_t* out) {
  return found(jf_text_rfind(text, sub, start, end), "substring", out);
}
int32_t jf_bytes_index(const jf_text* bytes, const jf_text* sub, int64_t start, int64_t end, int64_t* out) {
  return found(jf_text_find(bytes, sub, start, end), "subsection", out);
}
int32_t jf_bytes_rindex(const jf_text* bytes, const jf_text* sub, int64_t start, int64_t end, int64_t* out) {
  return found(jf_text_rfind(bytes, sub, start, end), "subsection", out);
}

/* In counters as narrow as the units, a block at a time, which is what vectors add up. */
static size_t count_narrow(const unsigned char* s, size_t start, size_t end, uint32_t c) {
  enum { BLOCK = 128 };
  size_t count = 0;
  for (; end - start >= BLOCK; start += BLOCK) {
    uint8_t found = 0;
    for (size_t k = 0; k < BLOCK; k++) found += s[start + k] == (unsigned char)c;
    count += found;
  }
  for (; start < end; start++) count += s[start] == c;
  return count;
}

static size_t count_wide(const jf_char32* s, size_t start, size_t end, uint32_t c) {
  enum { BLOCK = 128 };
  size_t count = 0;
  for (; end - start >= BLOCK; start += BLOCK) {
    uint32_t found = 0;
    for (size_t k = 0; k < BLOCK; k++) found += s[start + k] == c;
    count += found;
  }
  for (; start < end; start++) count += s[start] == c;
  return count;
}

size_t jf_units_count(const jf_text* text, size_t start, size_t end, const jf_text* sub, size_t most) {
  if (!sub->size) return end - start + 1 < most ? end - start + 1 : most;
  size_t count = 0;
  if (sub->size == 1 && most >= end - start) {
    const uint32_t c = jf_unit(sub->data, 0, sub->wide);
    return text->wide ? count_wide(text->data, start, end, c) : c < 256 ? count_narrow(text->data, start, end, c) : 0;
  }
  for (int64_t at; count < most && (at = jf_units_find(text, start, end, sub)) >= 0; count++) {
    start = (size_t)at + sub->size;
  }
  return count;
}

/* Borrow. Never fail. */
int64_t jf_text_count(const jf_text* text, const jf_text* sub, int64_t start, int64_t end) {
  if (!jf_clip(text->size, &start, &end)) return 0;
  return (int64_t)jf_units_count(text, (size_t)start, (size_t)end, sub, SIZE_MAX);
}
int64_t jf_bytes_count(const jf_text* bytes, const jf_text* sub, int64_t start, int64_t end) {
  return jf_text_count(bytes, sub, start, end);
}

/* -- at the ends -- */

typedef struct {
  jf_text part; /* text[start:end] */
  int32_t is_there;
  int32_t at_end;
  int32_t is_bytes;
} place;

static int32_t matches(const place* where, const jf_text* affix) {
  const jf_text* part = &where->part;
  if (!where->is_there || affix->size > part->size) return 0;
  const size_t from = where->at_end ? part->size - affix->size : 0;
  const jf_text there = jf_part(part, from, from + affix->size);
  return jf_text_equal(&there, affix);
}

/* 1 or 0; 2: not of the right type; -1 with the error set. */
static int32_t matches_slot(const place* where, const jf_view* affix) {
  jf_text text;
  if (where->is_bytes) return jf_bytes_of(affix, &text) == 0 ? matches(where, &text) : 2;
  jf_pad15 keep = JF_PAD_INIT(15);
  const int32_t status = jf_text_of(affix, &text, &keep.slot);
  if (status != 0) return status < 0 ? -1 : 2;
  const int32_t result = matches(where, &text);
  jf_any_release(&keep.slot);
  return result;
}

static JF_COLD int32_t fail_affix(const place* where, const jf_view* affix, int32_t in_tuple) {
  const char* name = where->at_end ? "endswith" : "startswith";
  const char* type = where->is_bytes ? "bytes" : "str";
  const char* got = jf_op_type_name(affix);
  if (!in_tuple) {
    jf_error_format("TypeError", "%s first arg must be %s or a tuple of %s, not %s", name, type, type, got);
  } else if (where->is_bytes) {
    jf_error_format("TypeError", "a bytes-like object is required, not '%s'", got);
  } else {
    jf_error_format("TypeError", "tuple for %s must only contain str, not %s", name, got);
  }
  return -1;
}

static int32_t has_affix(const jf_text* text, const jf_view* affix, int64_t start, int64_t end, int32_t at_end,
                         int32_t is_bytes) {
  place where = {*text, jf_clip(text->size, &start, &end), at_end, is_bytes};
  if (where.is_there) where.part = jf_part(text, (size_t)start, (size_t)end);
  int32_t result = matches_slot(&where, affix);
  if (result != 2) return result;
  const jf_object* object = affix->type_code == JF_OBJECT ? affix->v_object : NULL;
  if (!object || !jf_type_is_a(object->type_code, JF_TUPLE)) return fail_affix(&where, affix, 0);
  const jf_tuple* tuple = (const jf_tuple*)object;
  for (size_t i = 0; i < tuple->size; i++) {
    jf_view item;
    jf_item_view(tuple->items[i], &item);
    result = matches_slot(&where, &item);
    if (result == 2) return fail_affix(&where, &item, 1);
    if (result) return result;
  }
  return 0;
}

/* Borrow. 1, 0, or -1 with TypeError. */
int32_t jf_text_startswith(const jf_text* text, const jf_view* prefix, int64_t start, int64_t end) {
  return has_affix(text, prefix, start, end, 0, 0);
}
int32_t jf_text_endswith(const jf_text* text, const jf_view* suffix, int64_t start, int64_t end) {
  return has_affix(text, suffix, start, end, 1, 0);
}
int32_t jf_bytes_startswith(const jf_text* bytes, const jf_view* prefix, int64_t start, int64_t end) {
  return has_affix(bytes, prefix, start, end, 0, 1);
}
int32_t jf_bytes_endswith(const jf_text* bytes, const jf_view* suffix, int64_t start, int64_t end) {
  return has_affix(bytes, suffix, start, end, 1, 1);
}
