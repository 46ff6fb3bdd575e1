/* Numbers as text: the fewest digits of a double against the C library's own, and our printf against its. */
#include "decimal.h"

#include "testhelper.h"

static double of_bits(uint64_t bits) {
  double value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Whether that many digits can give the value back at all: the C library's nearest, or one beside it. */
static int enough(double value, int digits) {
  char text[64];
  snprintf(text, sizeof text, "%.*e", digits - 1, value);
  return strtod(text, NULL) == value;
}

static int32_t read_back_and_is_shortest(double value) {
  char digits[JF_FLOAT_DIGITS], text[64];
  int32_t exponent;
  const int32_t count = jf_float_digits(value, digits, &exponent);
  snprintf(text, sizeof text, "%se%d", digits, (int)(exponent - count + 1));
  int32_t right = (int32_t)strlen(digits) == count && count <= 17 && strtod(text, NULL) == value;
  right = right && (digits[0] != '0' || value == 0) && (count == 1 || digits[count - 1] != '0');
  right = right && (count == 1 || !enough(value, count - 1));
  /* Of all with so many digits it is the nearest, which is what the C library writes, where that reads back. */
  if (right && enough(value, count)) {
    char nearest[64];
    snprintf(nearest, sizeof nearest, "%.*e", count - 1, value);
    right = strtol(strchr(nearest, 'e') + 1, NULL, 10) == exponent && nearest[0] == digits[0] &&
            (count == 1 || strncmp(nearest + 2, digits + 1, (size_t)count - 1) == 0);
  }
  if (!right) printf("  %.17g: %s, exponent %d\n", value, digits, (int)exponent);
  return right;
}

static void test_fewest_digits(void) {
  static const double edges[] = {0,      1,       0.1,     0.5,     5e-324,  1e-323, 2.2250738585072014e-308,
                                 1e22,   1e23,    1e16,    123456., 1.5e300, 1e308,  1.7976931348623157e308,
                                 9e15,   1 / 3.0, 2 / 3.0, 100,     1e-5,    1e-4,   2.2250738585072009e-308,
                                 9.5e-7, 1e21,    4.35,    0.3,     2e-308,  1e100,  9007199254740993.0};
  for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) CHECK(read_back_and_is_shortest(edges[i]));
  for (int32_t power = 0; power < 2047; power++) { /* powers of two and their neighbours */
    const uint64_t bits = (uint64_t)power << 52;
    CHECK(read_back_and_is_shortest(of_bits(bits)) && read_back_and_is_shortest(of_bits(bits + 1)));
    if (bits) CHECK(read_back_and_is_shortest(of_bits(bits - 1)));
  }
}

static void test_random_numbers(void) {
  uint64_t state = 88172645463325252;
  for (int i = 0; i < 20000; i++) {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    const uint64_t bits = state & ~(UINT64_C(1) << 63);
    if (bits >> 52 != 2047) CHECK(read_back_and_is_shortest(of_bits(bits)));
    CHECK(read_back_and_is_shortest((double)(state % 100000) / 1000));
    CHECK(read_back_and_is_shortest((double)(state >> (state & 63))));
  }
}

static void shows(double value, const char* expected) {
  char text[JF_FLOAT_TEXT];
  CHECK(jf_float_repr(value, text) == strlen(expected));
  CHECK_TEXT(text, expected);
}

static void test_repr(void) {
  shows(0, "0.0"), shows(-0.0, "-0.0"), shows(1e16, "1e+16"), shows(1e15, "1000000000000000.0"), shows(-2.5, "-2.5");
  shows(5e-324, "5e-324"), shows(1e-4, "0.0001"), shows(1e-5, "1e-05"), shows(123456789.125, "123456789.125");
  shows(9007199254740993.0, "9007199254740992.0"), shows(1e23, "1e+23"), shows(2e22, "2e+22");
  shows(of_bits(UINT64_C(0x7FF) << 52), "inf"), shows(of_bits(UINT64_C(0xFFF) << 52), "-inf");
  shows(of_bits(UINT64_C(0x7FF8) << 48), "nan");
}

#define SAME(...)                                                  \
  do {                                                             \
    char ours[128], theirs[128];                                   \
    const int size = snprintf(theirs, sizeof theirs, __VA_ARGS__); \
    CHECK(jf_print(ours, sizeof ours, __VA_ARGS__) == size);       \
    CHECK_TEXT(ours, theirs);                                      \
  } while (0)

static void test_print(void) {
  SAME("plain %% text");
  SAME("%s|%5s|%-5s|%.2s|%.*s|%*s|", "abc", "abc", "abc", "abc", 1, "abc", -6, "abc");
  SAME("%d|%i|%5d|%-5d|%05d|%.3d|%.0d|", 0, -7, -42, -42, -42, -7, 0);
  SAME("%u|%x|%X|%08x|%-8x|%04x|%0*x|", 4000000000u, 48879u, 48879u, 48879u, 48879u, 0x12345u, 6, 255u);
  SAME("%ld|%lu|%lld|%llu|%llx|", -1L, 1UL, (long long)INT64_MIN, (unsigned long long)UINT64_MAX, 1ULL << 60);
  SAME("%zu|%zd|%jd|%td|", (size_t)5, (ptrdiff_t)-5, (intmax_t)-6, (ptrdiff_t)7);
  SAME("%c|%3c|%-3c|", 'x', 'y', 'z');
  char text[64];
  const char* volatile none = NULL;
  CHECK(jf_print(text, sizeof text, "%g and %.3f and %8e.", 1.5, 2.25, 1e300) == 26);
  CHECK_TEXT(text, "1.5 and 2.25 and   1e+300.");
  jf_print(text, sizeof text, "%s", none);
  CHECK_TEXT(text, "(null)");
  jf_print(text, sizeof text, "%p", (void*)(uintptr_t)0xABC);
  CHECK_TEXT(text, "0xabc");
}

static void test_print_cuts(void) {
  char text[8] = "uvwxyz";
  CHECK(jf_print(text, 4, "%s", "abcdef") == 6);
  CHECK_TEXT(text, "abc");
  CHECK(jf_print(text, 0, "%d", 12345) == 5);
  CHECK_TEXT(text, "abc");
  CHECK(jf_print(text, 1, "x%d", 1) == 2);
  CHECK_TEXT(text, "");
  CHECK(jf_print(text, sizeof text, "%d%s", 12, "34567") == 7);
  CHECK_TEXT(text, "1234567");
}

int main(void) {
  RUN(test_fewest_digits);
  RUN(test_random_numbers);
  RUN(test_repr);
  RUN(test_print);
  RUN(test_print_cuts);
  return finish();
}
