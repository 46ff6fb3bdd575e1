/* 64 narrow units at a time: a word of bits that says which of them are white space, ends of lines, or one given unit. */
#ifndef JITFFI_TEXT_MASKS_H
#define JITFFI_TEXT_MASKS_H

#include <string.h>

#include "text_units.h"

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

JF_ALWAYS uint64_t jf_mask_vector(__m128i units, int32_t seek, unsigned char unit) {
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

JF_ALWAYS uint64_t jf_mask_16(const unsigned char* s, int32_t seek, unsigned char unit) {
  return jf_mask_vector(_mm_loadu_si128((const __m128i*)(const void*)s), seek, unit);
}

/* Of up to 16 units in two words. */
JF_ALWAYS uint64_t jf_mask_words(uint64_t low, uint64_t high, int32_t seek, unsigned char unit) {
  return jf_mask_vector(_mm_set_epi64x((long long)high, (long long)low), seek, unit);
}

#else

#define JF_EACH(byte) (0x0101010101010101u * (uint64_t)(byte))

/* In bit 7 of each byte, which are below 128 here: those from `first` on, `count` of them. */
JF_ALWAYS uint64_t jf_in_range(uint64_t units, unsigned first, unsigned count) {
  return (units + JF_EACH(128 - first)) & ~(units + JF_EACH(128 - first - count));
}

JF_ALWAYS uint64_t jf_mask_word(uint64_t word, int32_t seek, unsigned char unit) {
  uint64_t found;
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

JF_ALWAYS uint64_t jf_mask_words(uint64_t low, uint64_t high, int32_t seek, unsigned char unit) {
  return jf_mask_word(low, seek, unit) | jf_mask_word(high, seek, unit) << 8;
}

JF_ALWAYS uint64_t jf_mask_16(const unsigned char* s, int32_t seek, unsigned char unit) {
  uint64_t words[2];
  memcpy(words, s, sizeof words);
  return jf_mask_words(words[0], words[1], seek, unit);
}

#endif

JF_ALWAYS uint64_t jf_mask(const unsigned char* s, int32_t seek, unsigned char unit) {
  return jf_mask_16(s, seek, unit) | jf_mask_16(s + 16, seek, unit) << 16 | jf_mask_16(s + 32, seek, unit) << 32 |
         jf_mask_16(s + 48, seek, unit) << 48;
}

/* `size` units, 1 to 7, in a word; zeros behind them. */
JF_ALWAYS uint64_t jf_load_few(const unsigned char* s, size_t size) {
  if (size >= 4) {
    uint32_t first, last;
    memcpy(&first, s, 4);
    memcpy(&last, s + size - 4, 4);
    return first | (uint64_t)last << 8 * (size - 4);
  }
  return s[0] | (uint64_t)s[size / 2] << 8 * (size / 2) | (uint64_t)s[size - 1] << 8 * (size - 1);
}

/* Of a text of less than 64 units, without a copy, which would have to be waited for: parts of it overlap. */
static inline uint64_t jf_mask_short(const unsigned char* s, size_t size, int32_t seek, unsigned char unit) {
  uint64_t mask = 0, low, high;
  if (size >= 16) {
    for (size_t i = 0; size - i >= 16; i += 16) mask |= jf_mask_16(s + i, seek, unit) << i;
    return mask | jf_mask_16(s + size - 16, seek, unit) << (size - 16);
  }
  if (size > 8) {
    memcpy(&low, s, 8);
    memcpy(&high, s + size - 8, 8);
    mask = jf_mask_words(low, high >> 8 * (16 - size), seek, unit);
  } else if (size == 8) {
    memcpy(&low, s, 8);
    mask = jf_mask_words(low, 0, seek, unit);
  } else if (size) {
    mask = jf_mask_words(jf_load_few(s, size), 0, seek, unit);
  }
  return mask & (((uint64_t)1 << size) - 1);
}

/* The bits of data[at:size], 64 at most; those beyond are zero. */
JF_ALWAYS uint64_t jf_mask_at(const unsigned char* data, size_t at, size_t size, int32_t seek, unsigned char unit) {
  const size_t left = size - at;
  if (left >= JF_MASK_UNITS) return jf_mask(data + at, seek, unit);
  if (at) return jf_mask(data + size - JF_MASK_UNITS, seek, unit) >> (JF_MASK_UNITS - left);
  return jf_mask_short(data, size, seek, unit);
}

/* Without an instruction for it, which the oldest x86-64 has not. */
JF_ALWAYS unsigned jf_count_bits(uint64_t bits) {
  bits -= bits >> 1 & 0x5555555555555555u;
  bits = (bits & 0x3333333333333333u) + (bits >> 2 & 0x3333333333333333u);
  return (unsigned)(((bits + (bits >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
}

JF_ALWAYS unsigned jf_first_bit(uint64_t bits) { return (unsigned)__builtin_ctzll(bits); }

#endif
