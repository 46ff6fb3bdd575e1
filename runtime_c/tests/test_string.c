/* Heap text. */
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
  CHECK(str->data == data && data[4] == 0);
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

static void test_characters_are_counted_once(void) {
  jf_str* str = (jf_str*)jf_str_new("a\xC3\xA9", 3);
  CHECK(jf_str_characters(&str->header) == 2 && str->characters == 2);
  str->characters = 1; /* no more than a mark: it is not counted again */
  CHECK(jf_str_characters(&str->header) == 1);
  jf_object_release(&str->header);
  str = (jf_str*)jf_bytes_new("a\xC3\xA9", 3);
  CHECK(jf_str_characters(&str->header) == 3);
  jf_object_release(&str->header);
  jf_ucs4* ucs4 = (jf_ucs4*)jf_ucs4_new(U"aé", 2);
  CHECK(jf_str_characters(&ucs4->header) == 2);
  jf_object_release(&ucs4->header);
  static const jf_str unwritable = {.header = {.type_code = JF_STR}, .data = "\xC3\xA9", .size = 2, .characters = -1};
  CHECK(jf_str_characters(&unwritable.header) == 1 && unwritable.characters == -1);
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
  RUN(test_characters_are_counted_once);
  RUN(test_without_memory);
  return finish();
}
