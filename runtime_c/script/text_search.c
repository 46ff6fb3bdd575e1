/* Where a text is in another: both narrow by the C library's memmem, else by a search for units of any two widths. */
#include <string.h>

#include "jitffi/script.h"
#include "text_search.h"
#include "text_units.h"

/* The first unit `c` in data[from:to], or `to`. */
JF_ALWAYS size_t find_unit(const void* data, int32_t wide, size_t from, size_t to, uint32_t c) {
  enum { BLOCK = 16 };
  if (!wide) {
    const void* found = c < 256 && from < to ? memchr((jf_bytes_at)data + from, (int)c, to - from) : NULL;
    return found ? (size_t)((jf_bytes_at)found - (jf_bytes_at)data) : to;
  }
  for (; to - from >= BLOCK; from += BLOCK) {
    uint32_t any = 0;
    for (size_t k = 0; k < BLOCK; k++) any |= (uint32_t)(jf_unit(data, from + k, 1) == c);
    if (any) break;
  }
  while (from < to && jf_unit(data, from, 1) != c) from++;
  return from;
}

JF_ALWAYS int32_t is_at(const jf_text* text, int32_t wide, size_t at, const jf_text* sub, int32_t sub_wide) {
  for (size_t i = 0; i < sub->size; i++) {
    if (jf_unit(text->data, at + i, wide) != jf_unit(sub->data, i, sub_wide)) return 0;
  }
  return 1;
}

enum { FACTOR = 0x01000193, PATIENCE = 4 };

/* By the hash of what lies under the needle: as long for every text. `at` .. `last` are the places looked at. */
static int64_t find_by_hash(const jf_text* text, size_t at, size_t last, const jf_text* sub) {
  const int32_t wide = text->wide, sub_wide = sub->wide;
  uint32_t wanted = 0, hash = 0, top = 1;
  for (size_t i = 0; i < sub->size; i++) {
    wanted = wanted * FACTOR + jf_unit(sub->data, i, sub_wide);
    hash = hash * FACTOR + jf_unit(text->data, at + i, wide);
    if (i) top *= FACTOR;
  }
  for (;; at++) {
    if (hash == wanted && is_at(text, wide, at, sub, sub_wide)) return (int64_t)at;
    if (at == last) return -1;
    hash -= top * jf_unit(text->data, at, wide);
    hash = hash * FACTOR + jf_unit(text->data, at + sub->size, wide);
  }
}

/* Candidates by their first and last unit; when that has failed too often, by hash. */
JF_ALWAYS int64_t find_units(const jf_text* text, int32_t wide, size_t start, size_t end, const jf_text* sub,
                             int32_t sub_wide) {
  const size_t size = sub->size, behind = end - size + 1;
  const uint32_t first = jf_unit(sub->data, 0, sub_wide), final = jf_unit(sub->data, size - 1, sub_wide);
  size_t wasted = 0;
  for (size_t at = start;; at++) {
    at = find_unit(text->data, wide, at, behind, first);
    if (at >= behind) return -1;
    if (jf_unit(text->data, at + size - 1, wide) != final) continue;
    if (is_at(text, wide, at, sub, sub_wide)) return (int64_t)at;
    wasted += size;
    if (wasted > PATIENCE * (at - start) + 1024) {
      return at + 1 < behind ? find_by_hash(text, at + 1, behind - 1, sub) : -1;
    }
  }
}

int64_t jf_units_find(const jf_text* text, size_t start, size_t end, const jf_text* sub) {
  if (sub->size > end - start) return -1;
  if (!sub->size) return (int64_t)start;
  if (text->wide) return sub->wide ? find_units(text, 1, start, end, sub, 1) : find_units(text, 1, start, end, sub, 0);
  if (sub->wide) return find_units(text, 0, start, end, sub, 1);
  if (sub->size == 1) {
    const size_t at = find_unit(text->data, 0, start, end, jf_unit(sub->data, 0, 0));
    return at < end ? (int64_t)at : -1;
  }
#if defined(__GLIBC__)
  const char* found = memmem((const char*)text->data + start, end - start, sub->data, sub->size);
  return found ? found - (const char*)text->data : -1;
#else
  return find_units(text, 0, start, end, sub, 0);
#endif
}

/* From the end, which is rarely far. */
JF_ALWAYS int64_t rfind_units(const jf_text* text, int32_t wide, size_t start, size_t end, const jf_text* sub,
                              int32_t sub_wide) {
  const uint32_t first = jf_unit(sub->data, 0, sub_wide), final = jf_unit(sub->data, sub->size - 1, sub_wide);
  for (size_t at = end - sub->size + 1; at-- > start;) {
#if defined(__GLIBC__)
    if (!wide) {
      jf_bytes_at s = text->data;
      const void* place = first < 256 ? memrchr(s + start, (int)first, at + 1 - start) : NULL;
      if (!place) return -1;
      at = (size_t)((jf_bytes_at)place - s);
    }
#endif
    if (jf_unit(text->data, at, wide) != first) continue;
    if (jf_unit(text->data, at + sub->size - 1, wide) == final && is_at(text, wide, at, sub, sub_wide)) {
      return (int64_t)at;
    }
  }
  return -1;
}

int64_t jf_units_rfind(const jf_text* text, size_t start, size_t end, const jf_text* sub) {
  if (sub->size > end - start) return -1;
  if (!sub->size) return (int64_t)end;
  if (text->wide) {
    return sub->wide ? rfind_units(text, 1, start, end, sub, 1) : rfind_units(text, 1, start, end, sub, 0);
  }
#if defined(__GLIBC__)
  if (!sub->wide && sub->size == 1) {
    const char* found = memrchr((const char*)text->data + start, (int)jf_unit(sub->data, 0, 0), end - start);
    return found ? found - (const char*)text->data : -1;
  }
#endif
  return sub->wide ? rfind_units(text, 0, start, end, sub, 1) : rfind_units(text, 0, start, end, sub, 0);
}
