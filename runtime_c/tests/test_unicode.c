/* UTF-8, UCS2, UCS4 and Latin-1 against a plain reader of the Unicode Standard's table of well-formed sequences; hashes. */
#include "testhelper.h"

/* Every code point there and back; a value beyond them and each surrogate refused. */
static void test_utf8_of_every_code_point(void) {
  for (uint32_t c = 0; c < 0x110010; c++) {
    char text[4];
    size_t length = jf_utf8_encode(c, text);
    if ((c >= 0xD800 && c < 0xE000) || c > 0x10FFFF) {
      if (length) CHECK(length == 0);
      continue;
    }
    size_t expected = c < 0x80 ? 1 : c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    if (length != expected || jf_utf8_decode(text, length) != length) CHECK(!"round trip");
    if (length > 1 && jf_utf8_decode(text, length - 1) != 0) CHECK(!"truncated");
  }
}

static void test_bad_utf8_is_refused(void) {
  static const char* const bad[] = {"\x80",
                                    "\xC0\x80",
                                    "\xC1\xBF",
                                    "\xE0\x9F\xBF",
                                    "\xED\xA0\x80",
                                    "\xF0\x8F\xBF\xBF",
                                    "\xF4\x90\x80\x80",
                                    "\xF5\x80\x80\x80",
                                    "\xFF",
                                    "\xC2"
                                    "a",
                                    "\xE2\x82",
                                    "\xE2"
                                    "a\x82"};
  for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) CHECK(jf_utf8_decode(bad[i], strlen(bad[i])) == 0);
  CHECK(jf_utf8_decode("", 0) == 0);
}

static void test_ucs4_to_utf8(void) {
  char out[16];
  CHECK(jf_ucs4_utf8_size(U"aé€😀", 4) == 10);
  jf_ucs4_to_utf8(U"aé€😀", 4, out);
  CHECK(memcmp(out, "a\xC3\xA9\xE2\x82\xAC\xF0\x9F\x98\x80", 10) == 0);
  CHECK(jf_ucs4_utf8_size((const jf_char32[]){0xD800}, 1) == -1);
  CHECK(jf_ucs4_utf8_size((const jf_char32[]){0x110000}, 1) == -1);
  CHECK(jf_ucs4_utf8_size(NULL, 0) == 0);
}

/* -- the plain reader: The Unicode Standard 15, table 3-7 -- */

static const unsigned char well_formed[][3] = {/* first bytes, then the range of the second one */
                                               {0xC2, 0x80, 0xBF}, {0xE0, 0xA0, 0xBF}, {0xE1, 0x80, 0xBF},
                                               {0xED, 0x80, 0x9F}, {0xEE, 0x80, 0xBF}, {0xF0, 0x90, 0xBF},
                                               {0xF1, 0x80, 0xBF}, {0xF4, 0x80, 0x8F}, {0xF5, 0xFF, 0x00}};

static size_t plain_length(const unsigned char* s, size_t size) {
  if (s[0] < 0x80) return 1;
  if (s[0] < 0xC2) return 0;
  size_t row = 0, length = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
  while (row + 1 < sizeof well_formed / 3 && well_formed[row + 1][0] <= s[0]) row++;
  if (length > size || s[1] < well_formed[row][1] || s[1] > well_formed[row][2]) return 0;
  for (size_t i = 2; i < length; i++) {
    if (s[i] < 0x80 || s[i] > 0xBF) return 0;
  }
  return length;
}

/* Characters before the first fault; *valid is its position. */
static size_t plain_decode(const unsigned char* s, size_t size, jf_char32* out, size_t* valid) {
  size_t i = 0, count = 0, length;
  for (; i < size && (length = plain_length(s + i, size - i)); i += length) {
    uint32_t c = length == 1 ? s[i] : s[i] & (0x7Fu >> length);
    for (size_t k = 1; k < length; k++) c = c << 6 | (s[i + k] & 0x3F);
    out[count++] = c;
  }
  *valid = i;
  return count;
}

static uint64_t seed = 0x9E3779B97F4A7C15;
static uint32_t random_below(uint32_t limit) {
  seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
  return (uint32_t)((seed >> 11) % limit);
}

/* Of a kind: 0 ASCII, 1 Latin-1, 2 up to three bytes, 3 any; now and then ASCII amid it. */
static uint32_t random_char(uint32_t kind) {
  static const uint32_t limits[] = {0x80, 0x100, 0x10000, 0x110000};
  if (random_below(4) == 0) return random_below(0x80);
  const uint32_t c = random_below(limits[kind]);
  return c - 0xD800 < 0x800 ? 0xFFFD : c;
}

enum { LONGEST = 1000 };
static jf_char32 chars[LONGEST], decoded[LONGEST * 4], plain[LONGEST * 4];
static char utf8[LONGEST * 4 + 1];

/* Fills chars and utf8 with `count` characters; returns the bytes. */
static size_t random_text(uint32_t kind, size_t count) {
  size_t size = 0;
  for (size_t i = 0; i < count; i++) {
    chars[i] = random_char(kind);
    size += jf_utf8_encode(chars[i], utf8 + size);
  }
  utf8[size] = 0;
  return size;
}

static size_t random_count(void) { return random_below(random_below(8) ? 100 : LONGEST); }

static void test_text_of_every_kind(void) {
  for (int32_t round = 0; round < 20000; round++) {
    const uint32_t kind = random_below(4);
    const size_t count = random_count(), size = random_text(kind, count);
    int32_t ascii = 1;
    for (size_t i = 0; i < count; i++) ascii &= chars[i] < 0x80;
    CHECK(jf_utf8_valid(utf8, size) == size && jf_utf8_length(utf8, size) == count);
    CHECK(jf_is_ascii(utf8, size) == ascii && jf_ucs4_fault(chars, count) == -1);
    decoded[count] = 0xABCD;
    CHECK(jf_utf8_to_ucs4(utf8, size, decoded) == (int64_t)count && decoded[count] == 0xABCD);
    CHECK(memcmp(decoded, chars, count * sizeof *chars) == 0);
    const size_t index = random_below((uint32_t)count + 2);
    size_t offset = 0;
    for (size_t i = 0; i < index && i < count; i++) offset += plain_length((unsigned char*)utf8 + offset, 4);
    CHECK(jf_utf8_offset(utf8, size, index) == offset);
    CHECK(jf_hash_utf8(utf8, size) == jf_hash_ucs4(chars, count) && jf_hash_utf8(utf8, size) != 0);
  }
}

static void test_every_width(void) {
  static uint8_t bytes[LONGEST];
  static uint16_t words[LONGEST];
  static char out[LONGEST * 4 + 1];
  for (int32_t round = 0; round < 20000; round++) {
    const uint32_t kind = random_below(4);
    const size_t count = random_count(), size = random_text(kind, count);
    for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)chars[i], words[i] = (uint16_t)chars[i];
    const void* sources[] = {bytes, words, chars};
    for (uint32_t k = kind < 2 ? 0 : kind - 1; k < 3; k++) {
      const int32_t width = 1 << k;
      out[size] = 0x55;
      CHECK(jf_utf8_size(sources[k], count, width) == (int64_t)size);
      jf_utf8_write(sources[k], count, width, out);
      CHECK(memcmp(out, utf8, size) == 0 && out[size] == 0x55);
      jf_ucs4_write(sources[k], count, width, decoded);
      CHECK(memcmp(decoded, chars, count * sizeof *chars) == 0);
    }
  }
}

/* One wrong byte anywhere, and text that ends anywhere. */
static void test_faults_are_found(void) {
  for (int32_t round = 0; round < 40000; round++) {
    size_t size = random_text(random_below(4), 1 + random_below(120)), valid;
    if (random_below(4)) {
      utf8[random_below((uint32_t)size)] = (char)random_below(256);
    } else {
      size = random_below((uint32_t)size);
    }
    const size_t count = plain_decode((unsigned char*)utf8, size, plain, &valid);
    CHECK(jf_utf8_valid(utf8, size) == valid);
    const int64_t made = jf_utf8_to_ucs4(utf8, size, decoded);
    CHECK(made == (valid == size ? (int64_t)count : -1));
    if (made >= 0) CHECK(memcmp(decoded, plain, count * sizeof *plain) == 0);
  }
}

/* Every sequence of two bytes, and of three that begin with a lead, at each place of a block. */
static void test_short_sequences_everywhere(void) {
  char text[80];
  for (uint32_t bits = 0; bits < 0x10000; bits++) {
    const size_t at = bits % 70;
    size_t valid;
    memset(text, 'x', sizeof text);
    text[at] = (char)(bits >> 8), text[at + 1] = (char)bits;
    if (bits >> 8 >= 0xE0) text[at + 2] = (char)0x80;
    if (bits >> 8 >= 0xF0) text[at + 3] = (char)0xBF;
    plain_decode((unsigned char*)text, sizeof text, plain, &valid);
    if (jf_utf8_valid(text, sizeof text) != valid) CHECK(!"the same place");
  }
}

static void test_faults_of_ucs4(void) {
  static const uint32_t faults[] = {0xD800, 0xDFFF, 0x110000, 0xFFFFFFFF, 0x80000000};
  for (size_t place = 0; place < 300; place++) {
    for (size_t k = 0; k < sizeof faults / sizeof *faults; k++) {
      for (size_t i = 0; i < 300; i++) chars[i] = 0xD7FF + 0x801 * (i & 1);
      chars[place] = faults[k];
      CHECK(jf_ucs4_fault(chars, 300) == (int64_t)place && jf_utf8_size(chars, 300, 4) == -1);
      CHECK(jf_ucs4_fault(chars, place) == -1);
      uint16_t words[300];
      for (size_t i = 0; i < 300; i++) words[i] = (uint16_t)chars[i];
      if (k < 2) CHECK(jf_utf8_size(words, 300, 2) == -1);
    }
  }
}

/* -- hashes -- */

static int by_value(const void* a, const void* b) {
  const uint64_t x = *(const uint64_t*)a, y = *(const uint64_t*)b;
  return x < y ? -1 : x > y;
}

static size_t equal_ones(uint64_t* hashes, size_t count) {
  size_t equal = 0;
  qsort(hashes, count, sizeof *hashes, by_value);
  for (size_t i = 1; i < count; i++) equal += hashes[i] == hashes[i - 1];
  return equal;
}

static void test_hashes_of_like_texts_differ(void) {
  enum { COUNT = 40000 };
  static uint64_t hashes[COUNT], low[COUNT];
  for (uint32_t i = 0; i < COUNT; i++) {
    char text[32];
    const int length = snprintf(text, sizeof text, i % 2 ? "%u" : "a_key_of_a_map_%u", i / 2);
    hashes[i] = jf_hash_utf8(text, (size_t)length);
    low[i] = hashes[i] & 0xFFFFFF;
  }
  CHECK(equal_ones(hashes, COUNT) == 0);
  CHECK(equal_ones(low, COUNT) < 100); /* 48 expected of COUNT places among 2 to the 24 */
}

/* Each bit of each length counts: flipped, it changes about half the bits of the hash. */
static void test_every_bit_counts(void) {
  unsigned char text[200];
  for (size_t size = 1; size <= sizeof text; size += size < 70 ? 1 : 13) {
    int64_t changed = 0;
    int32_t least = 64;
    for (size_t i = 0; i < size; i++) text[i] = (unsigned char)random_below(256);
    const uint64_t hash = jf_hash_bytes(text, size);
    for (size_t bit = 0; bit < size * 8; bit++) {
      text[bit / 8] ^= (unsigned char)(1 << bit % 8);
      const int32_t flips = __builtin_popcountll(hash ^ jf_hash_bytes(text, size));
      text[bit / 8] ^= (unsigned char)(1 << bit % 8);
      changed += flips;
      least = flips < least ? flips : least;
    }
    CHECK(least >= 8 && changed / (double)(size * 8) > 28 && changed / (double)(size * 8) < 36);
  }
}

static void test_hashes_of_zeros_differ(void) {
  static const char zeros[1000];
  uint64_t hashes[sizeof zeros];
  for (size_t size = 0; size < sizeof zeros; size++) hashes[size] = jf_hash_bytes(zeros, size);
  CHECK(equal_ones(hashes, sizeof zeros) == 0 && jf_hash_utf8(NULL, 0) == jf_hash_ucs4(NULL, 0));
}

/* What is no text has a hash as well, in which it differs from what is. */
static void test_hashes_of_faults(void) {
  const jf_char32 surrogate = 0xD800, other = 0xD801, beyond = 0x110000, space = 0xFFFD;
  uint64_t hashes[] = {jf_hash_ucs4(&surrogate, 1), jf_hash_ucs4(&other, 1), jf_hash_ucs4(&beyond, 1),
                       jf_hash_ucs4(&space, 1)};
  CHECK(equal_ones(hashes, 4) == 0);
}

int main(void) {
  printf("seed %llu\n", (unsigned long long)seed);
  RUN(test_utf8_of_every_code_point);
  RUN(test_bad_utf8_is_refused);
  RUN(test_ucs4_to_utf8);
  RUN(test_text_of_every_kind);
  RUN(test_every_width);
  RUN(test_faults_are_found);
  RUN(test_short_sequences_everywhere);
  RUN(test_faults_of_ucs4);
  RUN(test_hashes_of_like_texts_differ);
  RUN(test_every_bit_counts);
  RUN(test_hashes_of_zeros_differ);
  RUN(test_hashes_of_faults);
  return finish();
}
