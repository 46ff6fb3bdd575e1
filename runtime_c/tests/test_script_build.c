/* Text made of several pieces, text that grows, and str(int). */
#include "jitffi/pad.h"
#include "jitffi/script.h"
#include "testhelper.h"

static jf_text narrow(const char* text) { return (jf_text){text, strlen(text), 0}; }

static const jf_char32 greek[] = {0x3b1, 0x3b2};
static const jf_char32 wide_ascii[] = {'x', 'y'};

/* The value is this text, of this code, and is released. */
static void check_value(jf_value* value, int32_t code, const char* utf8) {
  jf_text text;
  jf_value keep = {JF_NULL, 8, {0}};
  jf_text expected;
  jf_value expected_keep = {JF_NULL, 8, {0}};
  jf_span span = {utf8, strlen(utf8)};
  const jf_any view = {JF_STR_VIEW, 0, {.v_span = &span}};
  CHECK((value->type_code == JF_OBJECT ? value->v_object->type_code : value->type_code) == code);
  CHECK(jf_text_of(value, &text, &keep) == 0 && jf_text_of(&view, &expected, &expected_keep) == 0);
  CHECK(jf_text_equal(&text, &expected));
  jf_any_release(&keep);
  jf_any_release(&expected_keep);
  jf_any_release(value);
}

static void test_build(void) {
  jf_text pieces[] = {narrow("ab"), {wide_ascii, 2, 1}, narrow(""), narrow("cd")};
  jf_pad0 small = JF_PAD_INIT(0);
  CHECK(jf_text_build(pieces, 4, &small.slot) == 0);
  check_value(&small.slot, JF_SMALL_STR, "abxycd");
  pieces[2] = narrow("0123456789");
  jf_pad0 heap = JF_PAD_INIT(0);
  if (jf_text_build(pieces, 4, &heap.slot) == 0) check_value(&heap.slot, JF_STR, "abxy0123456789cd");
  pieces[3] = (jf_text){greek, 2, 1};
  jf_pad0 wide = JF_PAD_INIT(0);
  CHECK(jf_text_build(pieces + 3, 1, &wide.slot) == 0);
  check_value(&wide.slot, JF_SMALL_UCS4, "αβ");
  jf_pad1 bytes = JF_PAD_INIT(1);
  CHECK(jf_bytes_build(pieces, 1, &bytes.slot) == 0);
  CHECK(bytes.slot.type_code == JF_SMALL_BYTES && bytes.slot.small_len == 2);
}

static void test_grow(void) {
  jf_pad1 slot = JF_PAD_INIT(1);
  int64_t room = 0;
  jf_text now = narrow("12345"), more = narrow("67");
  CHECK(jf_text_grow(&slot.slot, 16, &room, &more, &now) == 0);
  CHECK(slot.slot.type_code == JF_SMALL_STR && now.data == (char*)&slot + 8 && now.size == 7);
  now = (jf_text){(char*)&slot + 10, 3, 0}; /* "345" of the slot itself, and "56" behind it */
  more = (jf_text){(char*)&slot + 12, 2, 0};
  CHECK(jf_text_grow(&slot.slot, 16, &room, &more, &now) == 0);
  CHECK(now.size == 5 && memcmp(now.data, "34556\0\0\0", 8) == 0 && slot.slot.small_len == 5);
  more = narrow("0123456789abc");
  CHECK(jf_text_grow(&slot.slot, 16, &room, &more, &now) == 0);
  CHECK(slot.slot.type_code == JF_OBJECT && room > 18 && now.size == 18);
  for (int i = 0; i < 100; i++) {
    more = (jf_text){greek, 2, 1};
    CHECK(jf_text_grow(&slot.slot, 16, &room, &more, &now) == 0);
  }
  CHECK(now.size == 218 && now.wide && ((const jf_char32*)now.data)[17] == 'c' &&
        ((const jf_char32*)now.data)[217] == 0x3b2);
  jf_any_release(&slot.slot);
}

static void test_grow_any(void) {
  const jf_any one = {JF_INT, 0, {.v_int64 = 1}};
  const jf_any word = {JF_RAW_STR, 0, {.v_raw_str = "\xce\xb1 word"}};
  jf_value target = {JF_SMALL_STR, 2, {.v_bytes = "ab"}};
  int64_t room = 0;
  CHECK(jf_op_grow(JF_OP_ADD, &target, &room, &target) == 0);
  CHECK(target.type_code == JF_SMALL_STR && target.small_len == 4 && memcmp(target.v_bytes, "abab", 5) == 0);
  for (int i = 0; i < 20; i++) CHECK(jf_op_grow(JF_OP_ADD, &target, &room, &word) == 0);
  CHECK(room >= 124 && ((jf_str*)target.v_object)->size == 124);
  CHECK(jf_op_grow(JF_OP_ADD, &target, &room, &target) == 0 && ((jf_str*)target.v_object)->size == 248);
  CHECK(jf_op_grow(JF_OP_ADD, &target, &room, &one) == -1 && room == 0);
  jf_object_release(jf_error_take());
  CHECK(jf_op_grow(JF_OP_ADD, &target, &room, &word) == 0 && ((jf_str*)target.v_object)->size == 254);
  jf_any_release(&target);
  jf_value number = {JF_INT, 0, {.v_int64 = 3}};
  CHECK(jf_op_grow(JF_OP_ADD, &number, &room, &one) == 0 && number.v_int64 == 4);
}

static void test_ints(void) {
  const struct {
    int64_t number;
    const char* text;
  } rows[] = {{0, "0"},
              {7, "7"},
              {-1, "-1"},
              {1234567890123, "1234567890123"},
              {INT64_MAX, "9223372036854775807"},
              {INT64_MIN, "-9223372036854775808"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    char buffer[24];
    jf_text text;
    jf_text_of_int(rows[i].number, buffer, &text);
    CHECK(text.size == strlen(rows[i].text) && memcmp(text.data, rows[i].text, text.size) == 0 && !text.wide);
  }
}

int main(void) {
  RUN(test_build);
  RUN(test_grow);
  RUN(test_grow_any);
  RUN(test_ints);
  return finish();
}
