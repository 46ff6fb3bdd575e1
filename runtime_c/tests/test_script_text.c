/* Text of slots and what is made of it: every kind of slot, in place and on the heap, narrow wherever it is ASCII. */
#include "scripthelper.h"

static const char* const e_acute = "\xC3\xA9";

static void check_text_of(const jf_any* slot, int32_t wide_out, const char* utf8, int32_t is_kept) {
  jf_pad1 keep = JF_PAD_INIT(1);
  jf_text text;
  CHECK(jf_text_of(slot, &text, &keep.slot) == 0);
  CHECK(text.wide == wide_out && (keep.slot.type_code != JF_NULL) == is_kept);
  CHECK_MADE(jf_text_out(&text, out), utf8);
  if (is_kept) CHECK(jf_text_of(slot, &text, NULL) == 2);
  jf_any_release(&keep.slot);
}

static void test_text_of(void) {
  jf_any small = null_out(8);
  CHECK(jf_out_str(&small, "abc", 3) == 0);
  check_text_of(&small, 0, "a:abc", 0);
  wide_slot longer = {.slot = {JF_NULL, JF_MAX_CAPACITY, {0}}};
  CHECK(jf_out_str(&longer.slot, "0123456789", 10) == 0);
  check_text_of(&longer.slot, 0, "a:0123456789", 0);
  jf_view pointer;
  jf_any_view(&longer.slot, &pointer);
  CHECK(pointer.type_code == JF_ANY_PTR);
  check_text_of(&pointer, 0, "a:0123456789", 0);
  jf_any accented = null_out(8);
  CHECK(jf_out_str(&accented, e_acute, 2) == 0);
  check_text_of(&accented, 1, "u:\xC3\xA9", 1);
  jf_any raw = slot_of_raw("x\xC3\xA9");
  check_text_of(&raw, 1, "u:x\xC3\xA9", 1);
  jf_span span = {"ab", 2};
  const jf_any view = {JF_STR_VIEW, 0, {.v_span = &span}};
  check_text_of(&view, 0, "a:ab", 0);
  jf_text units = wide("ab\xC3\xA9");
  const jf_any wide_view = {JF_UCS4_VIEW, 0, {.v_handle = &units}};
  check_text_of(&wide_view, 1, "u:ab\xC3\xA9", 0);
  jf_any narrow_ucs4 = null_out(8);
  CHECK(jf_out_ucs4(&narrow_ucs4, U"ab", 2) == 0);
  check_text_of(&narrow_ucs4, 1, "a:ab", 0);
}

static void test_text_of_objects(void) {
  jf_any str = slot_of_object(jf_str_new("abc", 3));
  check_text_of(&str, 0, "a:abc", 0);
  jf_any utf8 = slot_of_object(jf_str_new("\xE4\xB8\x80\xE4\xBA\x8C\xE4\xB8\x89\xE5\x9B\x9B\xE4\xBA\x94", 15));
  check_text_of(&utf8, 1, "U:\xE4\xB8\x80\xE4\xBA\x8C\xE4\xB8\x89\xE5\x9B\x9B\xE4\xBA\x94", 1);
  jf_any ucs4 = slot_of_object(jf_ucs4_new(U"abc", 3));
  check_text_of(&ucs4, 1, "a:abc", 0);
  jf_object* reference = ucs4.v_object;
  jf_view rvalue;
  jf_any_rvalue(&reference, &rvalue);
  check_text_of(&rvalue, 1, "a:abc", 0);
  const int32_t code = jf_type_register("test.script.text", JF_STR);
  jf_any derived = slot_of_object(jf_str_new("abc", 3));
  derived.v_object->type_code = code;
  check_text_of(&derived, 0, "a:abc", 0);
  jf_any bytes = slot_of_object(jf_bytes_new("abc", 3)), number = slot_of_int(3);
  jf_text text;
  CHECK(jf_text_of(&bytes, &text, NULL) == 1 && jf_text_of(&number, &text, NULL) == 1);
  CHECK(jf_text_of(&jf_static_null, &text, NULL) == 1 && jf_bytes_of(&str, &text) == 1);
  CHECK(jf_bytes_of(&bytes, &text) == 0 && text.size == 3 && !memcmp(text.data, "abc", 3));
  CHECK_MADE(jf_bytes_to(&text, out), "b:abc");
  jf_any wrong = slot_of_raw("a\xFF");
  jf_pad1 keep = JF_PAD_INIT(1);
  CHECK(jf_text_of(&wrong, &text, &keep.slot) == -1);
  CHECK_ERROR("UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff in position 1: invalid text of a slot");
  jf_any* all[] = {&str, &utf8, &ucs4, &derived, &bytes};
  for (size_t i = 0; i < 5; i++) jf_any_release(all[i]);
}

static void test_hold(void) {
  jf_object* owner = jf_str_new("0123456789abcdefghij", 20);
  const char* data = ((jf_str*)owner)->data;
  jf_text text = {data + 3, 5, 0};
  jf_pad0 slot = JF_PAD_INIT(0);
  CHECK(jf_text_hold(&slot.slot, &text, owner) == 0 && text.data == slot.slot.v_bytes);
  CHECK_TEXT(shown(&slot.slot), "a:34567");
  text = (jf_text){data + 3, 9, 0};
  jf_out_init(&slot.slot, 8);
  CHECK(jf_text_hold(&slot.slot, &text, owner) == 0 && text.data == data + 3);
  CHECK(owner->ref_count == 2 && slot.slot.v_object == owner);
  jf_any_release(&slot.slot);
  jf_out_init(&slot.slot, 8);
  CHECK(jf_text_hold(&slot.slot, &text, NULL) == 0 && text.data != data + 3 && owner->ref_count == 1);
  CHECK_TEXT(shown(&slot.slot), "A:3456789ab");
  text = wide("\xC3\xA9z");
  jf_out_init(&slot.slot, 8);
  CHECK(jf_text_hold(&slot.slot, &text, NULL) == 0 && text.data == slot.slot.v_bytes && text.wide);
  CHECK_TEXT(shown(&slot.slot), "u:\xC3\xA9z");
  text = narrow("bytes and more");
  jf_out_init(&slot.slot, 8);
  CHECK(jf_bytes_hold(&slot.slot, &text, NULL) == 0);
  CHECK_TEXT(shown(&slot.slot), "B:bytes and more");
  jf_object_release(owner);
}

static void test_characters(void) {
  CHECK_MADE(jf_char_out('x', out), "a:x");
  CHECK_MADE(jf_char_out(0x1F600, out), "u:\xF0\x9F\x98\x80");
  CHECK(jf_char_flags('a') & JF_IS_ALPHA && jf_char_flags(' ') == (JF_IS_SPACE | JF_IS_PRINTABLE));
  CHECK(jf_char_flags(-1) == 0 && jf_char_flags(0x110000) == 0 && jf_ascii_flags['7'] & JF_IS_DECIMAL);
}

static void test_order(void) {
  jf_text abc = narrow("abc"), wide_abc = wide("abc"), abd = narrow("abd"), ab = narrow("ab");
  jf_text accented = wide("ab\xC3\xA9"), high = wide("ab\xF0\x9F\x98\x80");
  CHECK(jf_text_equal(&abc, &wide_abc) && jf_text_equal(&wide_abc, &abc) && !jf_text_equal(&abc, &abd));
  CHECK(!jf_text_equal(&abc, &ab) && !jf_text_equal(&abc, &accented) && jf_text_equal(&high, &high));
  const jf_text* order[] = {&ab, &abc, &abd, &accented, &high};
  for (int32_t i = 0; i < 5; i++) {
    for (int32_t j = 0; j < 5; j++) {
      const int32_t found = jf_text_compare(order[i], order[j]);
      CHECK(i < j ? found < 0 : i > j ? found > 0 : found == 0);
    }
  }
  CHECK(jf_text_compare(&wide_abc, &abd) < 0 && jf_text_compare(&abd, &wide_abc) > 0);
}

static void test_concat_and_repeat(void) {
  jf_text abc = narrow("abc"), accented = wide("\xC3\xA9"), plain = wide("xy"), none = narrow("");
  CHECK_MADE(jf_text_concat(&abc, &abc, out), "a:abcabc");
  CHECK_MADE(jf_text_concat(&abc, &plain, out), "a:abcxy");
  CHECK_MADE(jf_text_concat(&abc, &accented, out), "u:abc\xC3\xA9");
  CHECK_MADE(jf_text_concat(&none, &none, out), "a:");
  CHECK_MADE(jf_bytes_concat(&abc, &abc, out), "b:abcabc");
  CHECK_MADE(jf_text_repeat(&abc, 6, out), "A:abcabcabcabcabcabc");
  CHECK_MADE(jf_text_repeat(&accented, 3, out), "u:\xC3\xA9\xC3\xA9\xC3\xA9");
  CHECK_MADE(jf_text_repeat(&accented, 0, out), "a:");
  CHECK_MADE(jf_text_repeat(&abc, -1, out), "a:");
  CHECK_MADE(jf_text_repeat(&none, INT64_MAX, out), "a:");
  CHECK_MADE(jf_bytes_repeat(&abc, 2, out), "b:abcabc");
  CHECK_FAILS(jf_text_repeat(&abc, INT64_MAX, out), "OverflowError: repeated string is too long");
  CHECK_FAILS(jf_bytes_repeat(&abc, INT64_MAX, out), "OverflowError: repeated bytes are too long");
  CHECK_FAILS(jf_text_repeat(&abc, INT64_MAX / 4, out), "MemoryError: out of memory");
}

static void test_slices(void) {
  jf_text abc = narrow("abcdefghij"), odd = wide("a\xC3\xA9z\xC3\xA8q");
  CHECK_MADE(jf_text_slice(&abc, 2, 5, 1, out), "a:cde");
  CHECK_MADE(jf_text_slice(&abc, JF_NO_INDEX, JF_NO_INDEX, JF_NO_INDEX, out), "a:abcdefghij");
  CHECK_MADE(jf_text_slice(&abc, JF_NO_INDEX, JF_NO_INDEX, -1, out), "a:jihgfedcba");
  CHECK_MADE(jf_text_slice(&abc, -3, 100, 2, out), "a:hj");
  CHECK_MADE(jf_text_slice(&abc, 5, 2, 1, out), "a:");
  CHECK_MADE(jf_text_slice(&abc, 8, JF_NO_INDEX, INT64_MAX, out), "a:i");
  CHECK_MADE(jf_text_slice(&abc, JF_NO_INDEX, JF_NO_INDEX, INT64_MIN + 1, out), "a:j");
  CHECK_MADE(jf_text_slice(&odd, 0, 2, 1, out), "u:a\xC3\xA9");
  CHECK_MADE(jf_text_slice(&odd, 0, 1, 1, out), "a:a");
  CHECK_MADE(jf_text_slice(&odd, 0, JF_NO_INDEX, 2, out), "a:azq");
  CHECK_MADE(jf_text_slice(&odd, 1, JF_NO_INDEX, 2, out), "u:\xC3\xA9\xC3\xA8");
  CHECK_MADE(jf_bytes_slice(&abc, 1, 4, 1, out), "b:bcd");
  CHECK_FAILS(jf_text_slice(&abc, 0, 1, 0, out), "ValueError: slice step cannot be zero");
  CHECK_FAILS(jf_bytes_slice(&abc, 0, 1, 0, out), "ValueError: slice step cannot be zero");
}

static void test_bytes_grow(void) {
  jf_text piece = narrow("a\xFF"), now = narrow("");
  jf_pad0 slot = JF_PAD_INIT(0);
  int64_t room = 0;
  for (int32_t i = 0; i < 500; i++) CHECK(jf_bytes_grow(&slot.slot, &room, &piece, &now) == 0);
  CHECK(now.size == 1000 && room >= 1000 && slot.slot.v_object->ref_count == 1);
  CHECK(slot.slot.v_object->type_code == JF_BYTES && ((const unsigned char*)now.data)[999] == 0xFF);
  CHECK(jf_bytes_grow(&slot.slot, &room, &now, &now) == 0 && now.size == 2000 &&
        *((const char*)now.data + 1000) == 'a'); /* itself */
  jf_object* other = slot.slot.v_object;         /* somebody else has it now: it stays as it is */
  jf_object_retain(other);
  CHECK(jf_bytes_grow(&slot.slot, &room, &piece, &now) == 0 && now.size == 2002 &&
        *((const char*)now.data + 2000) == 'a');
  CHECK(((jf_str*)other)->size == 2000 && slot.slot.v_object != other);
  jf_object_release(other);
  jf_any_release(&slot.slot);
}

static void test_append(void) {
  jf_text piece = narrow("ab"), accented = wide("\xC3\xA9"), now;
  jf_pad0 slot = JF_PAD_INIT(0);
  int64_t room = 0;
  for (int32_t i = 0; i < 500; i++) CHECK(jf_text_append(&slot.slot, &room, &piece, &now) == 0);
  CHECK(now.size == 1000 && !now.wide && room >= 1000 && slot.slot.v_object->ref_count == 1);
  CHECK(jf_text_append(&slot.slot, &room, &now, &now) == 0 && now.size == 2000); /* itself */
  jf_object* other = slot.slot.v_object; /* somebody else has it now: it stays as it is */
  jf_object_retain(other);
  CHECK(jf_text_append(&slot.slot, &room, &piece, &now) == 0 && now.size == 2002);
  CHECK(((jf_str*)other)->size == 2000 && slot.slot.v_object != other);
  jf_object_release(other);
  CHECK(jf_text_append(&slot.slot, &room, &accented, &now) == 0 && now.size == 2003 && now.wide);
  for (int32_t i = 0; i < 500; i++) CHECK(jf_text_append(&slot.slot, &room, &piece, &now) == 0);
  CHECK(now.size == 3003 && ((const jf_char32*)now.data)[2002] == 0xE9 && ((const jf_char32*)now.data)[3002] == 'b');
  CHECK(jf_str_characters(slot.slot.v_object) == 3003);
  jf_any_release(&slot.slot);
}

static void test_pieces(void) {
  jf_text text = narrow("  the quick\tbrown\034fox  "), piece, sep = narrow("--");
  jf_split split;
  const char* words[] = {"the", "quick", "brown", "fox"};
  CHECK(jf_text_split_init(&split, &text, NULL, -1) == 0);
  for (int32_t i = 0; i < 4; i++) {
    CHECK(jf_text_split_next(&split, &piece) == 1);
    const jf_text expected = narrow(words[i]);
    CHECK(jf_text_equal(&piece, &expected));
  }
  CHECK(jf_text_split_next(&split, &piece) == 0 && jf_text_split_next(&split, &piece) == 0);
  CHECK(jf_text_split_init(&split, &text, NULL, 1) == 0 && jf_text_split_next(&split, &piece) == 1);
  CHECK(jf_text_split_next(&split, &piece) == 1 && piece.size == 17 && !jf_text_split_next(&split, &piece));
  text = wide("a--\xC3\xA9--");
  CHECK(jf_text_split_init(&split, &text, &sep, -1) == 0);
  for (int32_t i = 0; i < 3; i++) CHECK(jf_text_split_next(&split, &piece) == 1 && piece.size == (i < 2));
  CHECK(jf_text_split_next(&split, &piece) == 0);
  sep = narrow("");
  CHECK(jf_text_split_init(&split, &text, &sep, -1) == -1 && jf_text_split_next(&split, &piece) == 0);
  CHECK_ERROR("ValueError: empty separator");
}

static void test_list_append(void) {
  jf_object* list = jf_list_new(0, 1);
  const char* texts[] = {
      "", "x", "\xC3\xA9", "seven77", "fifteen-fifteen", "sixteen--sixteen", "\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9z"};
  for (int32_t i = 0; i < 70; i++) {
    const jf_text text = i % 2                                             ? wide(texts[i % 7])
                         : jf_is_ascii(texts[i % 7], strlen(texts[i % 7])) ? narrow(texts[i % 7])
                                                                           : wide(texts[i % 7]);
    CHECK(jf_text_list_append(list, &text) == 0);
  }
  const int32_t codes[] = {JF_SMALL_STR, JF_SMALL_STR, JF_SMALL_UCS4, JF_SMALL_STR, JF_SMALL_STR, JF_STR, JF_UCS4};
  for (int32_t i = 0; i < 70; i++) {
    jf_any item = null_out(8);
    jf_span span = {texts[i % 7], strlen(texts[i % 7])};
    const jf_any expected = {JF_STR_VIEW, 0, {.v_span = &span}};
    CHECK(jf_list_peek(list, i, &item) == 0 && jf_any_equal(&item, &expected) == 1);
    CHECK(*((jf_list*)list)->items[i].code == codes[i % 7]);
  }
  CHECK(((jf_list*)list)->items[1].slot == &jf_static_chars['x']);
  jf_object_release(list);
}

static int32_t make_much(void) {
  jf_text text = narrow("0123456789"), accented = wide("\xC3\xA9\xC3\xA9\xC3\xA9"), now = text;
  jf_pad0 slot = JF_PAD_INIT(0), keep = JF_PAD_INIT(0);
  jf_any utf8 = slot_of_raw("\xC3\xA9\xC3\xA9\xC3\xA9");
  int64_t room = 0;
  if (jf_text_out(&accented, &slot.slot) != 0) return -1;
  int32_t status = jf_text_append(&slot.slot, &room, &text, &now) | jf_text_of(&utf8, &now, &keep.slot);
  jf_any_release(&keep.slot);
  jf_any_release(&slot.slot);
  if (status != 0) return -1;
  jf_out_init(&slot.slot, 8);
  if (jf_text_concat(&text, &accented, &slot.slot) != 0) return -1;
  jf_any_release(&slot.slot);
  jf_out_init(&slot.slot, 8);
  if (jf_text_slice(&accented, 0, 3, 1, &slot.slot) != 0) return -1;
  jf_any_release(&slot.slot);
  jf_out_init(&slot.slot, 8);
  now = text;
  if (jf_text_hold(&slot.slot, &now, NULL) != 0) return -1;
  jf_any_release(&slot.slot);
  jf_object* list = jf_list_new(0, 0);
  status = list ? jf_text_list_append(list, &text) | jf_text_list_append(list, &accented) : -1;
  jf_object_release(list);
  return status;
}

static void test_translate(void) {
  enum { TEXT_AT = 128 + 1 + 4, EMPTY_AT = TEXT_AT + 3 };
  uint32_t table[EMPTY_AT + 1] = {0};
  for (uint32_t i = 0; i < 128; i++) table[i] = i;
  table['x'] = 'y', table['d'] = UINT32_C(0x80000000) | EMPTY_AT, table['w'] = 0xE9;
  const uint32_t more[] = {2, 0xE9, 'e', 0x4E09, UINT32_C(0x80000000) | TEXT_AT, 2, '3', '!'};
  memcpy(table + 128, more, sizeof more);
  const jf_text plain = narrow("axdb"), some = wide("a\xE4\xB8\x89\xC3\xA9"), other = wide("\xC3\xA8x"),
                w = narrow("w");
  CHECK_MADE(jf_text_translate(&plain, table, out), "a:ayb");
  CHECK_MADE(jf_text_translate(&some, table, out), "a:a3!e");
  CHECK_MADE(jf_text_translate(&other, table, out), "u:\xC3\xA8y");
  CHECK_MADE(jf_text_translate(&w, table, out), "u:\xC3\xA9");
  table[128] |= UINT32_C(0xC0000000), table['w'] = 'w';
  CHECK_MADE(jf_text_translate(&plain, table, out), "a:ayb");
  CHECK_MADE(jf_text_translate(&w, table, out), "a:w");
  unsigned char bytes[256] = {['a'] = 'b', ['x'] = 'x'};
  const jf_text given = {"xa", 2, 0};
  CHECK_MADE(jf_bytes_translate(&given, bytes, out), "b:xb");
}

static void test_without_memory(void) { SURVIVES(make_much); }

int main(void) {
  RUN(test_text_of);
  RUN(test_text_of_objects);
  RUN(test_hold);
  RUN(test_characters);
  RUN(test_order);
  RUN(test_translate);
  RUN(test_translate);
  RUN(test_concat_and_repeat);
  RUN(test_slices);
  RUN(test_append);
  RUN(test_bytes_grow);
  RUN(test_pieces);
  RUN(test_list_append);
  RUN(test_without_memory);
  return finish();
}
