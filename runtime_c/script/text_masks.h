/* 64 narrow units at a time: a word of bits that says which of them are white space, ends of lines, or one given unit. */
#ifndef JITFFI_TEXT_MASKS_H
#define JITFFI_TEXT_MASKS_H

#include "text_internal.h"

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* What is looked for: a constant, for functions that are inlined. */
enum { JF_SEEK_SPACE, JF_SEEK_BYTE_SPACE, JF_SEEK_LINE, JF_SEEK_BYTE_LINE, JF_SEEK_UNIT };
enum { JF_MASK_UNITS = 64 };

#if defined(__SSE2__)

/* Which are from `first` on, `count` of them. */
JF_ALWAYS __m128i jf_in_range(__m128i units, char first, char count) {
  const __m128i from = _mm_sub_epi8(units, _mm_set1_epi8(first));
  return _mm_cmpeq_epi8(_mm_min_epu8(from, _mm_set1_epi8((char)(count - 1))), from);
}

JF_ALWAYS uint64_t jf_mask_16(const unsigned char* s, int32_t seek, unsigned char unit) {
  const __m128i units = _mm_loadu_si128((const __m128i*)(const void*)s);
  __m128i found;
  switch (seek) {
    case JF_SEEK_SPACE:
      found = _mm_or_si128(jf_in_range(units, 9, 5), jf_in_range(units, 28, 5));
      break;
    case JF_SEEK_BYTE_SPACE:
      found = _mm_or_si128(jf_in_range(units, 9, 5), _mm_cmpeq_epi8(units, _mm_set1_epi8(' ')));
      break;
    case JF_SEEK_LINE:
      found = _mm_or_si128(jf_in_range(units, 10, 4), jf_in_range(units, 28, 3));
      break;
    case JF_SEEK_BYTE_LINE:
      found = _mm_or_si128(_mm_cmpeq_epi8(units, _mm_set1_epi8(10)), _mm_cmpeq_epi8(units, _mm_set1_epi8(13)));
      break;
    default:
      found = _mm_cmpeq_epi8(units, _mm_set1_epi8((char)unit));
  }
  return (uint64_t)(uint32_t)_mm_movemask_epi8(found);
}

JF_ALWAYS uint64_t jf_mask(const unsigned char* s, int32_t seek, unsigned char unit) {
  return jf_mask_16(s, seek, unit) | jf_mask_16(s + 16, seek, unit) << 16 | jf_mask_16(s + 32, seek, unit) << 32 |
         jf_mask_16(s + 48, seek, unit) << 48;
}

#else

#define JF_EACH(byte) (0x0101010101010101u * (uint64_t)(byte))

/* In bit 7 of each byte, which are below 128 here: those from `first` on, `count` of them. */
JF_ALWAYS uint64_t jf_in_range(uint64_t units, unsigned first, unsigned count) {
  return (units + JF_EACH(128 - first)) & ~(units + JF_EACH(128 - first - count));
}

JF_ALWAYS uint64_t jf_mask_8(const unsigned char* s, int32_t seek, unsigned char unit) {
  uint64_t word, found;
  memcpy(&word, s, sizeof word);
  const uint64_t low = word & JF_EACH(127);
  switch (seek) {
    case JF_SEEK_SPACE:
      found = jf_in_range(low, 9, 5) | jf_in_range(low, 28, 5);
      break;
    case JF_SEEK_BYTE_SPACE:
      found = jf_in_range(low, 9, 5) | jf_in_range(low, 32, 1);
      break;
    case JF_SEEK_LINE:
      found = jf_in_range(low, 10, 4) | jf_in_range(low, 28, 3);
      break;
    case JF_SEEK_BYTE_LINE:
      found = jf_in_range(low, 10, 1) | jf_in_range(low, 13, 1);
      break;
    default:
      word ^= JF_EACH(unit);
      found = ~((word & JF_EACH(127)) + JF_EACH(127));
  }
  found &= ~word & JF_EACH(128);
  return (found >> 7) * 0x0102040810204080u >> 56;
}

JF_ALWAYS uint64_t jf_mask(const unsigned char* s, int32_t seek, unsigned char unit) {
  uint64_t mask = 0;
  for (unsigned k = 0; k < 8; k++) mask |= jf_mask_8(s + 8 * k, seek, unit) << 8 * k;
  return mask;
}

#endif

/* The bits of data[at:size], less than 64 units; those beyond are zero. */
static inline uint64_t jf_mask_rest(const unsigned char* data, size_t at, size_t size, int32_t seek,
                                    unsigned char unit) {
  unsigned char rest[JF_MASK_UNITS] = {0};
  memcpy(rest, data + at, size - at);
  return jf_mask(rest, seek, unit) & (((uint64_t)1 << (size - at)) - 1);
}

JF_ALWAYS uint64_t jf_mask_at(const unsigned char* data, size_t at, size_t size, int32_t seek, unsigned char unit) {
  return size - at >= JF_MASK_UNITS ? jf_mask(data + at, seek, unit) : jf_mask_rest(data, at, size, seek, unit);
}

/* Without an instruction for it, which the oldest x86-64 has not. */
JF_ALWAYS unsigned jf_count_bits(uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555u;
  bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
  return (unsigned)(((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
}

JF_ALWAYS unsigned jf_first_bit(uint64_t bits) { return (unsigned)__builtin_ctzll(bits); }

#endif
