/* UTF-8: checking, counting, finding and decoding it.
 *
 * The loops over whole blocks have fixed lengths and no branches, which is what compilers turn into vector code; this
 * file is compiled with -O3 for them. What is left at the end, and where the faults are, goes a character at a time.
 */
#include <string.h>

#include "jitffi/text.h"
#include "shuffle.h"
#include "utf8.h"

enum { BLOCK = 32, COUNTED = 192 }; /* COUNTED: as many as a byte counts, in whole vectors */

static inline int32_t is_ascii_block(const unsigned char* s) {
  uint64_t all = 0;
  for (int32_t i = 0; i < BLOCK; i += 8) all |= jf_load8(s + i);
  return !(all & JF_HIGH_BITS);
}

/* Borrows. Never fails. */
int32_t jf_is_ascii(const char* data, size_t size) {
  const unsigned char* s = (const unsigned char*)data;
  size_t i = 0;
  for (; size - i >= BLOCK; i += BLOCK) {
    if (!is_ascii_block(s + i)) return 0;
  }
  uint64_t all = 0;
  for (; size - i >= 8; i += 8) all |= jf_load8(s + i);
  for (; i < size; i++) all |= s[i];
  return !(all & JF_HIGH_BITS);
}

size_t jf_utf8_encode(uint32_t c, char* out) { return c - 0xD800 < 0x800 || c > 0x10FFFF ? 0 : jf_utf8_put(c, out); }

/* Overlong forms, surrogates and what lies beyond 0x10FFFF show in the second byte. */
static inline size_t decode(const unsigned char* s, size_t size, jf_char32* c) {
  const uint32_t first = size ? s[0] : 0x80;
  *c = first;
  if (first < 0x80) return 1;
  if (first < 0xC2 || size < 2 || (s[1] & 0xC0) != 0x80) return 0;
  const uint32_t second = s[1] & 0x3F;
  if (first < 0xE0) {
    *c = (first & 0x1F) << 6 | second;
    return 2;
  }
  if (size < 3 || (s[2] & 0xC0) != 0x80) return 0;
  const uint32_t three = second << 6 | (s[2] & 0x3F);
  if (first < 0xF0) {
    *c = (first & 0x0F) << 12 | three;
    return *c >= 0x800 && *c - 0xD800 >= 0x800 ? 3 : 0;
  }
  if (size < 4 || (s[3] & 0xC0) != 0x80) return 0;
  *c = (first & 0x0F) << 18 | three << 6 | (s[3] & 0x3F);
  return first < 0xF8 && *c - 0x10000 < 0x100000 ? 4 : 0;
}

size_t jf_utf8_decode(const char* data, size_t size) {
  jf_char32 ignored;
  return decode((const unsigned char*)data, size, &ignored);
}

/* -- checking -- */

typedef uint8_t vector __attribute__((vector_size(16)));
typedef int8_t signed_vector __attribute__((vector_size(16)));

static inline vector load(const unsigned char* s) {
  vector loaded;
  memcpy(&loaded, s, sizeof loaded);
  return loaded;
}

/* In bit 7: whether a byte is above `limit`, which has that bit itself. Signed, since that is the comparison there is. */
static inline vector above(vector bytes, uint8_t limit) {
  const signed_vector limits = (signed_vector)((vector){0} + limit);
  return (vector)((signed_vector)bytes > limits) & bytes;
}

static inline vector equal(vector bytes, uint8_t wanted) { return (vector)(bytes == wanted); }

/* Each byte is judged by itself and the three before it, which must be there and have been judged. Bit 7 is the verdict:
 * a continuation byte is one exactly where a lead wants it, the second byte suits the lead, and there are no C0, C1 or
 * F5 and up. */
static inline vector faults_at(const unsigned char* s) {
  const vector c = load(s), lead = load(s - 1);
  const vector bit6 = c + c, bit5 = bit6 + bit6, bit54 = bit5 | (bit5 + bit5);
  vector faults = above(lead, 0xBF) | above(load(s - 2), 0xDF) | above(load(s - 3), 0xEF);
  faults ^= c & ~bit6;
  faults |= (equal(lead, 0xE0) & ~bit5) | (equal(lead, 0xED) & bit5);
  faults |= (equal(lead, 0xF0) & ~bit54) | (equal(lead, 0xF4) & bit54);
  return faults | equal(c & 0xFE, 0xC0) | above(c, 0xF4);
}

static inline int32_t has_fault(const unsigned char* s) {
  const vector faults = faults_at(s) | faults_at(s + 16);
  uint64_t halves[2];
  memcpy(halves, &faults, sizeof halves);
  return ((halves[0] | halves[1]) & JF_HIGH_BITS) != 0;
}

/* Whether no character runs on past the three bytes before s. */
static inline int32_t is_whole(const unsigned char* s) { return s[-1] < 0xC0 && s[-2] < 0xE0 && s[-3] < 0xF0; }

static size_t valid_slowly(const unsigned char* s, size_t i, size_t size) {
  while (i < size) {
    if (size - i >= 8 && !(jf_load8(s + i) & JF_HIGH_BITS)) {
      i += 8;
      continue;
    }
    jf_char32 ignored;
    const size_t length = decode(s + i, size - i, &ignored);
    if (!length) break;
    i += length;
  }
  return i;
}

/* Borrows. Never fails. */
size_t jf_utf8_valid(const char* data, size_t size) {
  const unsigned char* s = (const unsigned char*)data;
  size_t i = 0;
  while (size - i >= BLOCK && is_ascii_block(s + i)) i += BLOCK;
  if (size - i < BLOCK + 4) return valid_slowly(s, i, size);
  while (i < 3) { /* has_fault looks back that far */
    jf_char32 ignored;
    const size_t length = decode(s + i, size - i, &ignored);
    if (!length) return i;
    i += length;
  }
  for (; size - i >= BLOCK; i += BLOCK) {
    if (is_ascii_block(s + i) ? !is_whole(s + i) : has_fault(s + i)) break;
  }
  if (size - i < BLOCK && !has_fault(s + size - BLOCK) && is_whole(s + size)) return size;
  /* Back to where a character begins. All before i is right, but for a character that i cuts. */
  for (int32_t back = 1; back <= 3; back++) {
    if (s[i - back] >= 0xC0) {
      i -= is_whole(s + i) ? 0 : (size_t)back;
      break;
    }
  }
  return valid_slowly(s, i, size);
}

/* -- counting -- */

/* How many of the 8 bytes begin a character. */
static inline size_t starts_in(uint64_t word) {
  const uint64_t starts = (~word >> 7 | word >> 6) & 0x0101010101010101u;
  return (size_t)(starts * 0x0101010101010101u >> 56);
}

static inline size_t starts_in_block(const unsigned char* s) {
  uint8_t count = 0;
  for (int32_t i = 0; i < COUNTED; i++) count += (int8_t)s[i] >= -64;
  return count;
}

/* Borrows. Never fails; of what is not UTF-8 it counts the bytes that begin a character. */
size_t jf_utf8_length(const char* data, size_t size) {
  const unsigned char* s = (const unsigned char*)data;
  size_t i = 0, count = 0;
  for (; size - i >= COUNTED; i += COUNTED) count += starts_in_block(s + i);
  for (; size - i >= 8; i += 8) count += starts_in(jf_load8(s + i));
  for (; i < size; i++) count += (int8_t)s[i] >= -64;
  return count;
}

/* Borrows. Never fails. */
size_t jf_utf8_offset(const char* data, size_t size, size_t index) {
  const unsigned char* s = (const unsigned char*)data;
  size_t i = 0, count;
  for (; size - i >= COUNTED && (count = starts_in_block(s + i)) <= index; i += COUNTED) index -= count;
  for (; size - i >= 8 && (count = starts_in(jf_load8(s + i))) <= index; i += 8) index -= count;
  for (; i < size; i++) {
    if ((int8_t)s[i] >= -64 && index-- == 0) return i;
  }
  return size;
}

/* -- decoding -- */

/* One character that is not ASCII; four bytes can be read. Two and three bytes are checked with one comparison. */
static inline size_t decode_fast(const unsigned char* s, jf_char32* out) {
  const uint32_t word = jf_load4(s);
  if ((word & 0xC0E0) == 0x80C0) {
    *out = (word & 0x1F) << 6 | (word >> 8 & 0x3F);
    return *out >= 0x80 ? 2 : 0;
  }
  if ((word & 0xC0C0F0) == 0x8080E0) {
    const uint32_t c = (word & 0x0F) << 12 | (word >> 2 & 0xFC0) | (word >> 16 & 0x3F);
    *out = c;
    return c >= 0x800 && c - 0xD800 >= 0x800 ? 3 : 0;
  }
  return decode(s, 4, out);
}

/* Most that is not ASCII has three bytes a character, and neighbours like itself: four of them at once. How many were decoded,
 * as long as there are four and they are right. */
#ifdef JF_HAVE_SHUFFLE
JF_SHUFFLES static size_t decode_threes(const unsigned char* s, const unsigned char* end, jf_char32* out) {
  static const unsigned char order[16] = {2, 1, 0, 255, 5, 4, 3, 255, 8, 7, 6, 255, 11, 10, 9, 255};
  size_t count = 0;
  for (jf_four word; (size_t)(end - s) >= sizeof word; s += 12, count += 4) {
    memcpy(&word, s, sizeof word);
    word = jf_shuffle(word, order);
    const jf_four c = (word & 0x3F) | (word >> 2 & 0xFC0) | (word >> 4 & 0xF000), high = c & 0xF800;
    if (!jf_is_zero((jf_four)((word & 0xF0C0C0) != 0xE08080) | (jf_four)(high == 0xD800) | (jf_four)(high == 0))) break;
    memcpy(out + count, &c, sizeof c);
  }
  return count;
}
#endif

/* Borrows; out is the caller's. -1 is not an error that is set. */
int64_t jf_utf8_to_ucs4(const char* data, size_t size, jf_char32* out) {
  const unsigned char* s = (const unsigned char*)data;
  const unsigned char* const end = s + size;
#ifdef JF_HAVE_SHUFFLE
  const int32_t shuffles = jf_can_shuffle();
#endif
  jf_char32* o = out;
  while (s < end) {
    if (*s < 0x80) {
      while ((size_t)(end - s) >= 16 && !((jf_load8(s) | jf_load8(s + 8)) & JF_HIGH_BITS)) {
        for (int32_t i = 0; i < 16; i++) o[i] = s[i];
        s += 16;
        o += 16;
      }
      while (s < end && *s < 0x80) *o++ = *s++;
      continue;
    }
#ifdef JF_HAVE_SHUFFLE
    if (*s >= 0xE0 && shuffles) {
      const size_t threes = decode_threes(s, end, o);
      s += 3 * threes;
      o += threes;
      if (threes) continue;
    }
#endif
    const size_t left = (size_t)(end - s), length = left >= 4 ? decode_fast(s, o) : decode(s, left, o);
    if (!length) return -1;
    o++;
    s += length;
  }
  return o - out;
}
