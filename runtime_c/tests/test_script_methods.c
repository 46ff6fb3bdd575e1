/* Methods of str and bytes: each once or a few times, in place and on the heap, its errors, and without memory. Those of lists are in test_script_lists.c. What each
 * makes of all kinds of text is compared with Python in tests/scripts/test_text_library.py.
 */
#include "scripthelper.h"

static const jf_text utf8_name = {"utf-8", 5, 0}, strict = {"strict", 6, 0};

static void test_case(void) {
  const jf_text plain = narrow("Hello wORLD"),
                sharp = wide(
                    "stra\xC3\x9F"
                    "e"),
                sigma = wide("\xCE\x91\xCE\xA3 \xCE\xA3"), kelvin = wide("\xE2\x84\xAA");
  CHECK_MADE(jf_text_lower(&plain, out), "a:hello world");
  CHECK_MADE(jf_text_upper(&plain, out), "a:HELLO WORLD");
  CHECK_MADE(jf_text_title(&plain, out), "a:Hello World");
  CHECK_MADE(jf_text_capitalize(&plain, out), "a:Hello world");
  CHECK_MADE(jf_text_swapcase(&plain, out), "a:hELLO World");
  CHECK_MADE(jf_text_casefold(&plain, out), "a:hello world");
  CHECK_MADE(jf_text_upper(&sharp, out), "a:STRASSE");
  CHECK_MADE(jf_text_casefold(&sharp, out), "a:strasse");
  CHECK_MADE(jf_text_capitalize(&sharp, out),
             "U:Stra\xC3\x9F"
             "e");
  CHECK_MADE(jf_text_title(&sharp, out),
             "U:Stra\xC3\x9F"
             "e");
  CHECK_MADE(jf_text_lower(&sigma, out), "u:\xCE\xB1\xCF\x82 \xCF\x83");
  CHECK_MADE(jf_text_swapcase(&sigma, out), "u:\xCE\xB1\xCF\x82 \xCF\x83");
  CHECK_MADE(jf_text_lower(&kelvin, out), "a:k");
  const jf_text bytes = {"aZ\xC9", 3, 0};
  CHECK_MADE(jf_bytes_lower(&bytes, out), "b:az\xC9");
  CHECK_MADE(jf_bytes_upper(&bytes, out), "b:AZ\xC9");
  CHECK_MADE(jf_bytes_title(&bytes, out), "b:Az\xC9");
  CHECK_MADE(jf_bytes_capitalize(&bytes, out), "b:Az\xC9");
  CHECK_MADE(jf_bytes_swapcase(&bytes, out), "b:Az\xC9");
}

static void test_tests(void) {
  const jf_text word = narrow("abc"), accented = wide("\xC3\xA9"), number = wide("\xD9\xA3"), half = wide("\xC2\xBD"),
                none = narrow(""), space = wide(" \xE3\x80\x80"),
                name = wide(
                    "_\xC3\xA9"
                    "1"),
                title = narrow("A Bc"), high = {"\xC9", 1, 0}, upper = narrow("AB1"), digits = narrow("123"),
                blanks = narrow(" \t\n");
  CHECK(jf_text_isalpha(&word) && jf_text_isalpha(&accented) && !jf_text_isalpha(&none) && !jf_bytes_isalpha(&high));
  CHECK(jf_text_isdigit(&number) && jf_text_isdecimal(&number) && jf_text_isnumeric(&half) && !jf_text_isdigit(&half));
  CHECK(jf_text_isalnum(&half) && jf_text_isspace(&space) && !jf_text_isspace(&none) && jf_text_isidentifier(&name));
  CHECK(jf_text_isupper(&upper) && !jf_text_islower(&upper) && jf_text_islower(&word) && jf_text_istitle(&title));
  CHECK(jf_text_isprintable(&none) && jf_text_isprintable(&accented) && !jf_text_isprintable(&space));
  CHECK(jf_text_isascii(&word) && jf_text_isascii(&none) && !jf_text_isascii(&accented));
  CHECK(jf_bytes_isalpha(&word) && jf_bytes_isdigit(&digits) && jf_bytes_isalnum(&digits) && jf_bytes_isspace(&blanks));
  CHECK(jf_bytes_isupper(&upper) && jf_bytes_islower(&word) && jf_bytes_istitle(&title) && !jf_bytes_isascii(&high));
}

static void test_parts(void) {
  const jf_text text = wide(
                    " \xC3\xA9"
                    "abx "),
                narrow_text = narrow(" \034ab\v"), chars = narrow("x "), prefix = wide(" \xC3\xA9"),
                suffix = narrow("x ");
  jf_text part;
  jf_text_strip(&text, NULL, &part);
  CHECK_MADE(jf_text_out(&part, out),
             "u:\xC3\xA9"
             "abx");
  jf_text_rstrip(&text, &chars, &part);
  CHECK_MADE(jf_text_out(&part, out),
             "u: \xC3\xA9"
             "ab");
  jf_text_lstrip(&narrow_text, NULL, &part);
  CHECK_MADE(jf_text_out(&part, out), "a:ab\v");
  jf_text_removeprefix(&text, &prefix, &part);
  CHECK_MADE(jf_text_out(&part, out), "a:abx ");
  jf_text_removesuffix(&text, &suffix, &part);
  CHECK_MADE(jf_text_out(&part, out),
             "u: \xC3\xA9"
             "ab");
  jf_bytes_strip(&narrow_text, NULL, &part);
  CHECK_MADE(jf_bytes_to(&part, out), "b:\034ab");
  jf_bytes_lstrip(&narrow_text, &chars, &part);
  CHECK_MADE(jf_bytes_to(&part, out), "b:\034ab\v");
  jf_bytes_rstrip(&narrow_text, NULL, &part);
  CHECK_MADE(jf_bytes_to(&part, out), "b: \034ab");
  jf_bytes_removeprefix(&narrow_text, &chars, &part);
  CHECK(part.size == 5);
  jf_bytes_removesuffix(&narrow_text, &narrow_text, &part);
  CHECK(part.size == 0);
}

#define ALL JF_NO_INDEX, JF_NO_INDEX

static void test_find(void) {
  const jf_text text = narrow("abcabcabd"),
                wide_text = wide(
                    "abc\xC3\xA9"
                    "abd"),
                abd = narrow("abd"), c = narrow("c"), none = narrow(""),
                accented = wide(
                    "\xC3\xA9"
                    "ab"),
                wide_c = wide("c");
  CHECK(jf_text_find(&text, &abd, ALL) == 6 && jf_text_find(&wide_text, &abd, ALL) == 4 &&
        jf_text_find(&text, &accented, ALL) == -1);
  CHECK(jf_text_find(&wide_text, &accented, ALL) == 3 && jf_text_find(&text, &wide_c, 3, 9) == 5 &&
        jf_text_find(&text, &none, 10, 20) == -1);
  CHECK(jf_text_rfind(&text, &c, ALL) == 5 && jf_text_rfind(&wide_text, &wide_c, ALL) == 2 &&
        jf_text_rfind(&text, &none, ALL) == 9);
  CHECK(jf_text_count(&text, &c, ALL) == 2 && jf_text_count(&text, &none, ALL) == 10 &&
        jf_text_count(&wide_text, &accented, ALL) == 1);
  CHECK(jf_bytes_find(&text, &abd, ALL) == 6 && jf_bytes_rfind(&text, &c, ALL) == 5 &&
        jf_bytes_count(&text, &abd, 0, -1) == 0);
  int64_t at;
  CHECK(jf_text_index(&text, &c, ALL, &at) == 0 && at == 2 && jf_text_rindex(&text, &c, ALL, &at) == 0 && at == 5);
  CHECK(jf_bytes_index(&text, &c, ALL, &at) == 0 && at == 2 && jf_bytes_rindex(&text, &c, ALL, &at) == 0 && at == 5);
  CHECK(jf_text_index(&text, &c, 6, 9, &at) == -1);
  CHECK_ERROR("ValueError: substring not found");
  CHECK(jf_bytes_rindex(&text, &c, 6, 9, &at) == -1);
  CHECK_ERROR("ValueError: subsection not found");
  /* A text for which each place nearly fits: found by hash. */
  static char many[20000];
  static char few[500];
  memset(many, 'a', sizeof many);
  memset(few, 'a', sizeof few);
  few[250] = 'b';
  static jf_char32 units[20000];
  for (size_t i = 0; i < 20000; i++) units[i] = 'a';
  units[19000] = 'b';
  const jf_text long_text = {units, 20000, 1}, needle = {few, 500, 0}, narrow_many = {many, 20000, 0};
  CHECK(jf_text_find(&long_text, &needle, ALL) == 18750 && jf_text_find(&narrow_many, &needle, ALL) == -1);
  CHECK(jf_text_find(&long_text, &needle, 18751, 20000) == -1);
}

static void test_affixes(void) {
  const jf_text text = narrow("hello");
  jf_any he = slot_of_raw("he"), lo = slot_of_raw("lo"), number = slot_of_int(1);
  jf_any accented = slot_of_raw("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9");
  jf_any views[] = {accented, lo, number};
  jf_any tuple = slot_of_object(jf_tuple_new(views, 3));
  CHECK(jf_text_startswith(&text, &he, ALL) == 1 && jf_text_endswith(&text, &lo, ALL) == 1);
  CHECK(jf_text_startswith(&text, &lo, ALL) == 0 && jf_text_startswith(&text, &he, 1, 9) == 0);
  CHECK(jf_text_endswith(&text, &tuple, ALL) == 1);
  CHECK(jf_text_startswith(&text, &tuple, ALL) == -1);
  CHECK_ERROR("TypeError: tuple for startswith must only contain str, not int");
  CHECK(jf_text_endswith(&text, &number, ALL) == -1);
  CHECK_ERROR("TypeError: endswith first arg must be str or a tuple of str, not int");
  jf_span span = {"he", 2};
  const jf_any bytes = {JF_BYTE_ARRAY, 0, {.v_span = &span}};
  CHECK(jf_bytes_startswith(&text, &bytes, ALL) == 1 && jf_bytes_endswith(&text, &bytes, ALL) == 0);
  CHECK(jf_bytes_startswith(&text, &tuple, ALL) == -1);
  CHECK_ERROR("TypeError: a bytes-like object is required, not 'str'");
  CHECK(jf_bytes_startswith(&text, &he, ALL) == -1);
  CHECK_ERROR("TypeError: startswith first arg must be bytes or a tuple of bytes, not str");
  jf_any_release(&tuple);
}

static void test_fill(void) {
  const jf_text text = narrow("-12"), star = narrow("*"), accented = wide("\xC3\xA9"), two = narrow("**"),
                tabs = narrow("a\tbc\n\td"), wide_tabs = wide("\xC3\xA9\tx");
  CHECK_MADE(jf_text_zfill(&text, 6, out), "a:-00012");
  CHECK_MADE(jf_bytes_zfill(&text, 2, out), "b:-12");
  CHECK_MADE(jf_text_ljust(&text, 6, &star, out), "a:-12***");
  CHECK_MADE(jf_text_rjust(&text, 5, &accented, out), "U:\xC3\xA9\xC3\xA9-12");
  CHECK_MADE(jf_text_center(&text, 6, NULL, out), "a: -12  ");
  CHECK_MADE(jf_bytes_ljust(&text, 4, NULL, out), "b:-12 ");
  CHECK_MADE(jf_bytes_rjust(&text, 4, NULL, out), "b: -12");
  CHECK_MADE(jf_bytes_center(&text, 7, &star, out), "b:**-12**");
  CHECK_MADE(jf_text_expandtabs(&tabs, 4, out), "a:a   bc\n    d");
  CHECK_MADE(jf_text_expandtabs(&wide_tabs, 2, out), "u:\xC3\xA9 x");
  CHECK_MADE(jf_bytes_expandtabs(&tabs, 0, out), "b:abc\nd");
  CHECK_FAILS(jf_text_ljust(&text, 9, &two, out), "TypeError: The fill character must be exactly one character long");
  CHECK_FAILS(jf_text_center(&text, INT64_MAX, NULL, out), "MemoryError: out of memory");
  CHECK_FAILS(jf_text_zfill(&text, INT64_MAX, out), "MemoryError: out of memory");
}

static void test_encodings(void) {
  const jf_text text = wide("a\xC3\xA9"), ascii_name = narrow("US-ASCII"), latin = narrow("Latin 1"),
                utf16 = narrow("utf_16_be"), replace = narrow("replace"), unknown = narrow("nope"),
                slash = narrow("backslashreplace"),
                wrong =
                    {"a\xFF"
                     "b",
                     3, 0},
                right = {"a\xC3\xA9", 3, 0};
  const jf_char32 surrogate = 0xD800;
  const jf_text half = {&surrogate, 1, 1};
  CHECK_MADE(jf_text_encode(&text, &utf8_name, &strict, out), "b:a\xC3\xA9");
  CHECK_MADE(jf_text_encode(&text, &latin, &strict, out), "b:a\xE9");
  CHECK_MADE(jf_text_encode(&text, &ascii_name, &slash, out), "b:a\\xe9");
  CHECK_MADE(jf_text_encode(&half, &utf8_name, &replace, out), "b:?");
  CHECK_FAILS(
      jf_text_encode(&half, &utf8_name, &strict, out),
      "UnicodeEncodeError: 'utf-8' codec can't encode character '\\ud800' in position 0: surrogates not allowed");
  CHECK_FAILS(jf_text_encode(&text, &unknown, &strict, out), "LookupError: unknown encoding: nope");
  CHECK_FAILS(jf_text_encode(&text, &ascii_name, &unknown, out), "LookupError: unknown error handler name 'nope'");
  CHECK_MADE(jf_bytes_decode(&right, &utf8_name, &strict, out), "u:a\xC3\xA9");
  CHECK_MADE(jf_bytes_decode(&right, &latin, &strict, out), "u:a\xC3\x83\xC2\xA9");
  CHECK_MADE(jf_bytes_decode(&wrong, &utf8_name, &replace, out),
             "u:a\xEF\xBF\xBD"
             "b");
  CHECK_MADE(jf_bytes_decode(&wrong, &utf8_name, &slash, out), "a:a\\xffb");
  CHECK_FAILS(jf_bytes_decode(&wrong, &utf8_name, &strict, out),
              "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 1: invalid start byte");
  CHECK_FAILS(jf_bytes_decode(&wrong, &utf16, &strict, out),
              "UnicodeDecodeError: 'utf-16-be' codec can't decode byte 0x62 in position 2: truncated data");
  CHECK_MADE(jf_bytes_hex(&wrong, out), "a:61ff62");
}

/* Each method that makes something, of text that needs memory. */
static int32_t make_all(const jf_text* text) {
  const jf_text name = utf8_name, sharp = {U"\u00DF\u00DF\u00DF", 3, 1};
  int32_t (*const one[])(const jf_text*, jf_value*) = {jf_text_lower,    jf_text_upper,    jf_text_title,
                                                       jf_text_casefold, jf_text_swapcase, jf_text_capitalize,
                                                       jf_bytes_hex};
  jf_value out = null_out(8);
  for (size_t i = 0; i < sizeof one / sizeof *one; i++) {
    if (text->wide && one[i] == jf_bytes_hex) continue;
    jf_out_init(&out, 8);
    if (one[i](text, &out) != 0) return CHECK(out.type_code == JF_NULL), -1;
    jf_any_release(&out);
    jf_out_init(&out, 8);
  }
  if (jf_text_upper(&sharp, &out) != 0) return -1;
  jf_any_release(&out);
  jf_out_init(&out, 8);
  if (jf_text_center(text, 30, NULL, &out) != 0) return -1;
  jf_any_release(&out);
  jf_out_init(&out, 8);
  if (jf_text_expandtabs(text, 3, &out) != 0) return -1;
  jf_any_release(&out);
  jf_out_init(&out, 8);
  if (jf_text_encode(text, &name, &strict, &out) != 0) return -1;
  jf_text bytes;
  jf_value back = null_out(8);
  int32_t status = jf_bytes_of(&out, &bytes) | jf_bytes_decode(&bytes, &name, &strict, &back);
  jf_any_release(&back);
  jf_any_release(&out);
  return status;
}

static int32_t make_narrow(void) {
  const jf_text text = {"some text that is long", 22, 0};
  return make_all(&text);
}

static int32_t make_wide(void) {
  const jf_text text = {U"some \u00E9text that is long", 22, 1};
  return make_all(&text);
}

static int32_t decode_wrong(void) {
  const jf_text wrong = {"some bytes that are wrong: \xFF", 28, 0}, slash = {"backslashreplace", 16, 0};
  jf_value out = null_out(8);
  if (jf_bytes_decode(&wrong, &utf8_name, &slash, &out) != 0) return -1;
  jf_any_release(&out);
  return 0;
}

static void test_without_memory(void) {
  SURVIVES(make_narrow);
  SURVIVES(make_wide);
  SURVIVES(decode_wrong);
}

int main(void) {
  RUN(test_case);
  RUN(test_tests);
  RUN(test_parts);
  RUN(test_find);
  RUN(test_affixes);
  RUN(test_fill);
  RUN(test_encodings);
  RUN(test_without_memory);
  return finish();
}
