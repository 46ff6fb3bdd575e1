/* Bytes of a vector in any order: what makes four characters of UTF-8's three bytes, or the other way round, at once. Where it
 * depends on the processor it is asked when the program runs, and a function that uses it says so: JF_SHUFFLES.
 */
#ifndef JITFFI_SHUFFLE_H
#define JITFFI_SHUFFLE_H

#if defined(__x86_64__)
#include <cpuid.h>
#include <tmmintrin.h>
#define JF_SHUFFLES __attribute__((target("ssse3")))
#define JF_HAVE_SHUFFLE 1
#elif defined(__aarch64__) && defined(__BYTE_ORDER__) && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#include <arm_neon.h>
#define JF_SHUFFLES
#define JF_HAVE_SHUFFLE 1
#endif

#ifdef JF_HAVE_SHUFFLE
#include <stdint.h>
#include <string.h>

typedef uint32_t jf_four __attribute__((vector_size(16)));

#ifdef __x86_64__
static inline int32_t jf_can_shuffle(void) {
  static int32_t known; /* threads that ask at once write the same */
  int32_t answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (!answer) {
    uint32_t a, b, c = 0, d;
    answer = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSSE3) ? 1 : -1;
    __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
  }
  return answer > 0;
}
JF_SHUFFLES static inline jf_four jf_shuffle(jf_four bytes, const unsigned char order[16]) {
  return (jf_four)_mm_shuffle_epi8((__m128i)bytes, _mm_loadu_si128((const __m128i*)(const void*)order));
}
#else
static inline int32_t jf_can_shuffle(void) { return 1; }
static inline jf_four jf_shuffle(jf_four bytes, const unsigned char order[16]) {
  return (jf_four)vqtbl1q_u8((uint8x16_t)bytes, vld1q_u8(order));
}
#endif

static inline int32_t jf_is_zero(jf_four bits) {
  uint64_t halves[2];
  memcpy(halves, &bits, sizeof halves);
  return !(halves[0] | halves[1]);
}
#endif

#endif
