/* The hash of text and bytes: products of 128 bits whose halves are folded, after the idea of wyhash.
 *
 *   up to 63 bytes    16 at a time into one state, then the last 0 to 16
 *   from 64 bytes     whole blocks of 64 go into four states side by side, which make up the one that the rest starts with
 *
 * Nothing is read twice and the size is mixed in last, so text in another encoding is hashed a buffer at a time. There is
 * no random seed: heap strings keep their hash, and two copies of the runtime in one process (a shared one and one linked
 * into a library) read each other's. Tables that must bear keys picked by an enemy have to bear equal hashes.
 */
#include <string.h>

#include "jitffi/text.h"
#include "shuffle.h"
#include "utf8.h"

enum { STRIPE = 16, BLOCK = 64 };

/* The fractional parts of the square roots of the first primes: numbers that hide nothing. */
static const uint64_t roots[] = {0x6A09E667F3BCC909, 0xBB67AE8584CAA73B, 0x3C6EF372FE94F82B, 0xA54FF53A5F1D36F1,
                                 0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179};

typedef struct {
  uint64_t low, high;
} wide;

static inline wide multiply(uint64_t a, uint64_t b) {
#ifdef __SIZEOF_INT128__
  const unsigned __int128 product = (unsigned __int128)a * b;
  return (wide){(uint64_t)product, (uint64_t)(product >> 64)};
#else
  const uint64_t a0 = (uint32_t)a, a1 = a >> 32, b0 = (uint32_t)b, b1 = b >> 32;
  const uint64_t middle = a1 * b0 + (a0 * b0 >> 32);
  const uint64_t other = a0 * b1 + (uint32_t)middle;
  return (wide){a * b, a1 * b1 + (middle >> 32) + (other >> 32)};
#endif
}

static inline uint64_t mix(uint64_t a, uint64_t b) {
  const wide product = multiply(a, b);
  return product.low ^ product.high;
}

typedef struct {
  uint64_t lanes[4];
} states;

static inline void add_block(states* h, const unsigned char* s) {
  for (int32_t k = 0; k < 4; k++) {
    h->lanes[k] = mix(jf_load8(s + STRIPE * k) ^ roots[k], jf_load8(s + STRIPE * k + 8) ^ h->lanes[k]);
  }
}

static inline uint64_t finish_words(uint64_t state, uint64_t a, uint64_t b, size_t total) {
  const wide product = multiply(a ^ roots[1], b ^ state);
  const uint64_t hash = mix(product.low ^ roots[2] ^ total, product.high ^ roots[3]);
  return hash ? hash : roots[4]; /* 0 says that a hash has not been computed */
}

/* With what is left after the whole blocks, less than BLOCK; `total` is the size of it all. */
static inline uint64_t finish(const states* h, const unsigned char* s, size_t rest, size_t total) {
  uint64_t state = roots[7], a = 0, b = 0;
  if (total >= BLOCK) state = mix(h->lanes[0] ^ h->lanes[1], roots[5]) ^ mix(h->lanes[2] ^ roots[6], h->lanes[3]);
  for (; rest > STRIPE; rest -= STRIPE, s += STRIPE) state = mix(jf_load8(s) ^ roots[0], jf_load8(s + 8) ^ state);
  if (rest >= 8) { /* the two halves overlap, which tells all: the size is known */
    a = jf_load8(s);
    b = jf_load8(s + rest - 8);
  } else if (rest >= 4) {
    a = jf_load4(s);
    b = jf_load4(s + rest - 4);
  } else if (rest) {
    a = (uint64_t)s[0] << 16 | (uint64_t)s[rest / 2] << 8 | s[rest - 1];
  }
  return finish_words(state, a, b, total);
}

/* The same of up to 8 characters of ASCII, without a way through memory, which would wait for the bytes to arrive. */
static inline uint64_t finish_ascii(const jf_char32* data, size_t size) {
  if (size < 4) {
    const uint32_t a = size ? (uint32_t)(data[0] << 16 | data[size / 2] << 8 | data[size - 1]) : 0;
    return finish_words(roots[7], a, 0, size);
  }
  uint64_t word = 0;
  for (size_t k = 0; k < size; k++) word |= (uint64_t)data[k] << 8 * k;
  if (size == 8) return finish_words(roots[7], word, word, size);
  return finish_words(roots[7], (uint32_t)word, (uint32_t)(word >> 8 * (size - 4)), size);
}

/* The same of up to 16 characters whose UTF-8 has no more bytes than that; 0: they are others. */
static inline uint64_t finish_short(const jf_char32* data, size_t size) {
#ifdef __SIZEOF_INT128__
  unsigned __int128 bytes = 0;
  size_t total = 0;
  for (size_t k = 0; k < size; k++) {
    const uint32_t c = (uint32_t)data[k];
    uint32_t code = c, count = 1;
    if (c >= 0x80) {
      if (c >= 0x10000 || c - 0xD800 < 0x800) return 0;
      count = c < 0x800 ? 2 : 3;
      code = count == 2 ? (0xC0 | c >> 6) | (0x80 | (c & 63)) << 8
                        : (0xE0 | c >> 12) | (0x80 | (c >> 6 & 63)) << 8 | (0x80 | (c & 63)) << 16;
    }
    if (total + count > STRIPE) return 0;
    bytes |= (unsigned __int128)code << 8 * total;
    total += count;
  }
  const uint64_t low = (uint64_t)bytes;
  if (total >= 8) return finish_words(roots[7], low, (uint64_t)(bytes >> 8 * (total - 8)), total);
  if (total >= 4) return finish_words(roots[7], (uint32_t)low, (uint32_t)(low >> 8 * (total - 4)), total);
  const uint64_t ends = (low & 255) << 16 | (low >> 8 * (total / 2) & 255) << 8;
  return finish_words(roots[7], total ? ends | (low >> 8 * (total - 1) & 255) : 0, 0, total);
#else
  (void)data;
  (void)size;
  return 0;
#endif
}

static const states fresh = {{0x510E527FADE682D1, 0x9B05688C2B3E6C1F, 0x1F83D9ABFB41BD6B, 0x5BE0CD19137E2179}};

/* Borrows; data may be NULL when size is 0. Never 0, never fails. */
uint64_t jf_hash_bytes(const void* data, size_t size) {
  const unsigned char* s = data;
  if (size < BLOCK) return finish(&fresh, s, size, size);
  states h = fresh;
  size_t rest = size;
  for (; rest >= BLOCK; rest -= BLOCK, s += BLOCK) add_block(&h, s);
  return finish(&h, s, rest, size);
}

/* Borrows. Never 0, never fails. */
uint64_t jf_hash_utf8(const char* data, size_t size) { return jf_hash_bytes(data, size); }

/* What is no character has a code too: it is not text, and is still equal to itself. */
static inline size_t put_any(uint32_t c, unsigned char* out) {
  if (c - 0xD800 >= 0x800 && c <= 0x10FFFF) return jf_utf8_put(c, out);
  const unsigned char code[4] = {0xFF, (unsigned char)(c >> 16), (unsigned char)(c >> 8), (unsigned char)c};
  memcpy(out, code, sizeof code);
  return sizeof code;
}

/* The 24 bytes of 8 characters of three bytes each, and 4 bytes more; 0: they are others, nothing was written. */
#ifdef JF_HAVE_SHUFFLE
JF_SHUFFLES static int32_t put_threes(const jf_char32* data, unsigned char* out) {
  static const unsigned char order[16] = {0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13, 14, 255, 255, 255, 255};
  jf_four halves[2], bad = {0};
  memcpy(halves, data, sizeof halves);
  for (int32_t i = 0; i < 2; i++) {
    const jf_four c = halves[i], high = c & 0xF800;
    bad |= (jf_four)(c > 0xFFFF) | (jf_four)(high == 0xD800) | (jf_four)(high == 0);
  }
  if (!jf_is_zero(bad)) return 0;
  for (int32_t i = 0; i < 2; i++) {
    const jf_four c = halves[i];
    const jf_four code = jf_shuffle(0x8080E0 | c >> 12 | (c << 2 & 0x3F00) | (c << 16 & 0x3F0000), order);
    memcpy(out + 12 * i, &code, sizeof code);
  }
  return 1;
}
#endif

/* Borrows; allocates nothing. Never 0, never fails. */
uint64_t jf_hash_ucs4(const jf_char32* data, size_t size) {
  enum { RUN = 8 };
  unsigned char buffer[BLOCK + 4 * RUN]; /* what is put in last may run over */
#ifdef JF_HAVE_SHUFFLE
  const int32_t shuffles = jf_can_shuffle();
#endif
  if (size <= STRIPE) {
    const uint64_t hash = finish_short(data, size);
    if (hash) return hash;
  }
  states h = fresh;
  size_t filled = 0, total = 0;
  for (size_t i = 0; i < size;) {
    const size_t run = size - i < RUN ? size - i : RUN;
    uint32_t all = 0;
    for (size_t k = 0; k < run; k++) all |= (uint32_t)data[i + k];
    if (all < 0x80) {
      if (run == size) return finish_ascii(data, size);
      for (size_t k = 0; k < run; k++) buffer[filled++] = (unsigned char)data[i + k];
#ifdef JF_HAVE_SHUFFLE
    } else if (run == RUN && shuffles && put_threes(data + i, buffer + filled)) {
      filled += 3 * RUN;
#endif
    } else {
      for (size_t k = 0; k < run; k++) filled += put_any((uint32_t)data[i + k], buffer + filled);
    }
    i += run;
    if (filled < BLOCK) continue;
    add_block(&h, buffer);
    total += BLOCK;
    filled -= BLOCK;
    memcpy(buffer, buffer + BLOCK, 4 * RUN);
  }
  return finish(&h, buffer, filled, total + filled);
}
