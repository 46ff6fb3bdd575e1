/* What messages say of slots. */
#include "testhelper.h"

static void described(jf_any slot, const char* expected) {
  char text[JF_DESCRIBE_SIZE];
  size_t length = jf_any_describe(&slot, text, sizeof text);
  CHECK_TEXT(text, expected);
  CHECK(length == strlen(text));
}

static void test_plain(void) {
  described(null_out(8), "null");
  described(slot_of_int(-3), "int -3");
  described((jf_any){JF_UINT, 0, {.v_uint64 = UINT64_MAX}}, "int 18446744073709551615");
  described((jf_any){JF_BOOL, 0, {.v_int64 = 1}}, "bool True");
  described((jf_any){JF_BOOL, 0, {0}}, "bool False");
  described((jf_any){JF_HANDLE, 0, {.v_uint64 = 0xABC}}, "handle 0xabc");
  described((jf_any){JF_DTYPE, 0, {.v_dtype = {2, 32, 1}}}, "dtype float32");
  described((jf_any){JF_DTYPE, 0, {.v_dtype = {4, 16, 8}}}, "dtype bfloat16x8");
  described((jf_any){JF_DTYPE, 0, {.v_dtype = {200, 4, 1}}}, "dtype code200.4");
  described((jf_any){JF_DEVICE, 0, {.v_device = {2, 1}}}, "device cuda:1");
  described((jf_any){-99, 0, {0}}, "a slot with the unknown type code -99");
  described((jf_any){JF_LIST, 0, {0}}, "a slot with the unknown type code 36");
}

static void test_floats_are_short_and_exact(void) {
  described(slot_of_float(0.1), "float 0.1");
  described(slot_of_float(3), "float 3.0");
  described(slot_of_float(-0.0), "float -0.0");
  described(slot_of_float(1e300), "float 1e+300");
  described(slot_of_float(1.0 / 3), "float 0.3333333333333333");
  described(slot_of_float(__builtin_inf()), "float inf");
  described(slot_of_float(__builtin_nan("")), "float nan");
}

static void test_text(void) {
  described(slot_of_raw("abc"), "str 'abc'");
  described(slot_of_raw("it's\n\t\\\x01\x7F"), "str 'it\\'s\\n\\t\\\\\\x01\\x7f'");
  described(slot_of_raw("nrt"), "str 'nrt'");
  described(slot_of_raw("é\xC2\x85\xFF"), "str 'é\\x85\\xff'");
  jf_span bytes = {"\0\xC3\xA9z", 4};
  described((jf_any){JF_BYTE_ARRAY, 0, {.v_span = &bytes}}, "bytes '\\x00\\xc3\\xa9z'");
  jf_ucs4_span ucs4 = {(const jf_char32[]){'a', 0x1F600, 0xD800, '\n'}, 4};
  described((jf_any){JF_UCS4_VIEW, 0, {.v_ucs4_span = &ucs4}}, "ucs4 'a😀\\U0000d800\\n'");
}

static void test_long_text_is_cut_between_characters(void) {
  described(slot_of_raw("0123456789012345678901234567890123456789"), "str '0123456789012345678901234567890123456789'");
  described(slot_of_raw("01234567890123456789012345678901234567890"),
            "str '0123456789012345678901234567890123456789'...");
  described(slot_of_raw("012345678901234567890123456789012345678é"),
            "str '012345678901234567890123456789012345678'...");
  jf_char32 letters[50];
  for (int i = 0; i < 50; i++) letters[i] = 0x20AC;
  jf_ucs4_span span = {letters, 50};
  described((jf_any){JF_UCS4_VIEW, 0, {.v_ucs4_span = &span}}, "ucs4 '€€€€€€€€€€€€€'...");
}

static void test_objects(void) {
  jf_box box = {.header = {.type_code = JF_BOXED_FLOAT, .ref_count = 1}, {.v_float64 = 1.5}};
  jf_object function = {.type_code = JF_FUNCTION, .ref_count = 1},
            point = {.type_code = jf_type_register("demo.Point", JF_ROOT), .ref_count = 1};
  jf_str text = {.header = {.type_code = JF_STR, .ref_count = 1}, .data = "abc", .size = 3, .characters = 3};
  jf_object* moved = &text.header;
  jf_object* taken = NULL;
  described(slot_of_object(&box), "float 1.5");
  described((jf_any){JF_FUNCTION, 0, {.v_object = &function}}, "function");
  described(slot_of_object(&point), "demo.Point");
  described(slot_of_object(&text), "str 'abc'");
  described((jf_any){JF_RVALUE, 0, {.v_rvalue = &moved}}, "str 'abc'");
  described((jf_any){JF_RVALUE, 0, {.v_rvalue = &taken}}, "r-value reference");
  described((jf_any){JF_OBJECT, 0, {0}}, "object");
  jf_any inner = slot_of_raw("x");
  described((jf_any){JF_ANY_PTR, 0, {.v_handle = &inner}}, "str 'x'");
}

/* At no capacity is anything written beyond it, or a character or escape broken. */
static void test_every_capacity(void) {
  jf_any slot = slot_of_raw("aé\n😀");
  static const char* const cuts[] = {"",      "",       "s",      "st",      "str",     "str ",
                                     "str '", "str 'a", "str 'a", "str 'aé", "str 'aé", "str 'aé\\n"};
  for (size_t capacity = 0; capacity < sizeof cuts / sizeof cuts[0]; capacity++) {
    char text[64];
    memset(text, 'E', sizeof text);
    size_t length = jf_any_describe(&slot, text, capacity);
    CHECK(text[capacity] == 'E');
    if (capacity) CHECK(length < capacity && text[length] == 0 && jf_utf8_decode(text, 1) <= 1);
    if (capacity) CHECK_TEXT(text, cuts[capacity]);
  }
}

int main(void) {
  RUN(test_plain);
  RUN(test_floats_are_short_and_exact);
  RUN(test_text);
  RUN(test_long_text_is_cut_between_characters);
  RUN(test_objects);
  RUN(test_every_capacity);
  return finish();
}
