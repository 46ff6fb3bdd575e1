/* Heap text, and UTF-8. */
#include "testhelper.h"

static void test_content_is_copied_and_terminated(void) {
  char source[] = "a\0c";
  jf_str* str = (jf_str*)jf_str_new(source, 3);
  source[0] = 'x';
  CHECK(str->size == 3 && memcmp(str->data, "a\0c\0", 4) == 0);
  CHECK(str->data == (const char*)str + 48 && str->hash == 0 && str->characters == -1);
  jf_object_release(&str->header);
  jf_ucs4* ucs4 = (jf_ucs4*)jf_ucs4_new(U"aé😀", 3);
  CHECK(ucs4->header.type_code == JF_UCS4 && ucs4->size == 3 && ucs4->data[2] == 0x1F600 && ucs4->data[3] == 0);
  jf_object_release(&ucs4->header);
}

static void test_empty(void) {
  jf_str* str = (jf_str*)jf_bytes_new(NULL, 0);
  CHECK(str->header.type_code == JF_BYTES && str->size == 0 && str->data[0] == 0);
  jf_object_release(&str->header);
}

static void test_alloc_gives_memory_to_fill(void) {
  char* data;
  jf_str* str = (jf_str*)jf_str_alloc(JF_BYTES, 4, &data);
  CHECK(str->data == data && memcmp(data, "\0\0\0\0", 5) == 0);
  memcpy(data, "wxyz", 4);
  CHECK(memcmp(str->data, "wxyz", 5) == 0);
  jf_object_release(&str->header);
}

static void test_impossible_sizes_are_refused(void) {
  char* data;
  CHECK(!jf_str_alloc(JF_STR, SIZE_MAX - 10, &data) && !data);
  CHECK_ERROR("MemoryError: out of memory");
  CHECK(!jf_ucs4_new(U"", SIZE_MAX / 4));
  CHECK_ERROR("MemoryError: out of memory");
}

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

static int32_t make_all(void) {
  jf_object* str = jf_str_new("abc", 3);
  jf_object* ucs4 = str ? jf_ucs4_new(U"abc", 3) : NULL;
  jf_object_release(str);
  jf_object_release(ucs4);
  return ucs4 ? 0 : -1;
}

static void test_without_memory(void) { SURVIVES(make_all); }

int main(void) {
  RUN(test_content_is_copied_and_terminated);
  RUN(test_empty);
  RUN(test_alloc_gives_memory_to_fill);
  RUN(test_impossible_sizes_are_refused);
  RUN(test_utf8_of_every_code_point);
  RUN(test_bad_utf8_is_refused);
  RUN(test_ucs4_to_utf8);
  RUN(test_without_memory);
  return finish();
}
