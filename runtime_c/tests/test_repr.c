/* repr: what CPython says of the same value. */
#include <math.h>

#include "testhelper.h"
#include "value.h"

#define CHECK_REPR(slot, expected) check_repr(slot, expected, __FILE__, __LINE__)
static void check_repr(jf_any slot, const char* expected, const char* file, int line) {
  jf_value out = null_out(8);
  if (!check(jf_any_repr(&slot, &out) == 0, "repr", file, line)) return;
  check_text(jf_any_text(&out).data, expected, file, line);
  jf_any_release(&out);
}

static jf_any plain(int32_t code, uint64_t payload) { return (jf_any){code, 0, {.v_uint64 = payload}}; }

static void test_numbers(void) {
  CHECK_REPR(plain(JF_NULL, 0), "None");
  CHECK_REPR(plain(JF_BOOL, 1), "True");
  CHECK_REPR(plain(JF_BOOL, 0), "False");
  CHECK_REPR(slot_of_int(0), "0");
  CHECK_REPR(slot_of_int(INT64_MIN), "-9223372036854775808");
  CHECK_REPR(plain(JF_UINT, UINT64_MAX), "18446744073709551615");
}

static void test_floats(void) {
  static const struct {
    double value;
    const char* text;
  } cases[] = {{0.0, "0.0"},
               {-0.0, "-0.0"},
               {1.0, "1.0"},
               {-1.5, "-1.5"},
               {0.1, "0.1"},
               {0.30000000000000004, "0.30000000000000004"},
               {1e15, "1000000000000000.0"},
               {9999999999999998.0, "9999999999999998.0"},
               {1e16, "1e+16"},
               {1.5e300, "1.5e+300"},
               {0.0001, "0.0001"},
               {0.00001, "1e-05"},
               {1.25e-7, "1.25e-07"},
               {5e-324, "5e-324"},
               {2.2250738585072014e-308, "2.2250738585072014e-308"},
               {1.7976931348623157e308, "1.7976931348623157e+308"},
               {5.684341886080802e-14, "5.684341886080802e-14"},
               {9007199254740992.0, "9007199254740992.0"},
               {INFINITY, "inf"},
               {-INFINITY, "-inf"},
               {NAN, "nan"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) CHECK_REPR(slot_of_float(cases[i].value), cases[i].text);
}

static void test_text(void) {
  CHECK_REPR(slot_of_raw(""), "''");
  CHECK_REPR(slot_of_raw("it's"), "\"it's\"");
  CHECK_REPR(slot_of_raw("\"it's\""), "'\"it\\'s\"'");
  CHECK_REPR(slot_of_raw("tab\t line\n cr\r back\\ del\x7f"), "'tab\\t line\\n cr\\r back\\\\ del\\x7f'");
  CHECK_REPR(slot_of_raw("\u00e9\u65e5\U0001F600"), "'\u00e9\u65e5\U0001F600'");
  CHECK_REPR(slot_of_raw("\xc2\x80\u00a0\u00ad\u200b\u2028\ufeff\ue000\U000E0001"),
             "'\\x80\\xa0\\xad\\u200b\\u2028\\ufeff\\ue000\\U000e0001'");
  jf_span span = {"a\0b", 3};
  CHECK_REPR(plain(JF_STR_VIEW, (uintptr_t)&span), "'a\\x00b'");
  jf_span bytes = {"it's\x80\n\xff", 7};
  CHECK_REPR(plain(JF_BYTE_ARRAY, (uintptr_t)&bytes), "b\"it's\\x80\\n\\xff\"");
  static const jf_char32 wide[] = {'a', '\'', 0xE9, 0xD800, 0x10FFFF};
  jf_ucs4_span ucs4 = {wide, 5};
  CHECK_REPR(plain(JF_UCS4_VIEW, (uintptr_t)&ucs4), "\"a'\u00e9\\ud800\\U0010ffff\"");
}

static jf_object* list_of_ints(int64_t count) {
  jf_object* list = jf_list_new(0, -1);
  for (int64_t i = 0; i < count; i++) {
    const jf_any view = slot_of_int(i);
    CHECK(jf_list_append(list, &view) == 0);
  }
  return list;
}

static void test_containers(void) {
  jf_object *list = list_of_ints(3), *map = jf_map_new(0, -1), *empty = jf_tuple_new(NULL, 0);
  const jf_any list_view = slot_of_object(list), key = slot_of_raw("it"), number = slot_of_float(1);
  jf_object* one = jf_tuple_new(&list_view, 1);
  const jf_any tuple_view = slot_of_object(one), map_view = slot_of_object(map);
  CHECK_REPR(list_view, "[0, 1, 2]");
  CHECK_REPR(map_view, "{}");
  CHECK_REPR(slot_of_object(empty), "()");
  CHECK(jf_map_set(map, &key, &tuple_view) == 0 && jf_map_set(map, &number, &key) == 0);
  CHECK_REPR(map_view, "{'it': ([0, 1, 2],), 1.0: 'it'}");
  CHECK(jf_list_append(list, &list_view) == 0);
  CHECK_REPR(list_view, "[0, 1, 2, [...]]");
  CHECK_REPR(tuple_view, "([0, 1, 2, [...]],)");
  CHECK(jf_list_append(list, &map_view) == 0);
  CHECK_REPR(map_view, "{'it': ([0, 1, 2, [...], {...}],), 1.0: 'it'}");
  CHECK_REPR(tuple_view, "([0, 1, 2, [...], {'it': (...), 1.0: 'it'}],)");
  jf_object_release(one);
  jf_object_release(empty);
  jf_object_release(map);
  jf_object_release(list);
  CHECK(jf_cycles_collect() == 3);
}

static void test_the_rest(void) {
  const int64_t dims[] = {2, -3};
  jf_object* shape = jf_shape_new(dims, 2);
  CHECK_REPR(slot_of_object(shape), "Shape((2, -3))");
  jf_object* flat = jf_shape_new(dims, 1);
  CHECK_REPR(slot_of_object(flat), "Shape((2,))");
  CHECK_REPR(((jf_any){JF_DTYPE, 0, {.v_dtype = {2, 32, 1}}}), "DataType('float32')");
  CHECK_REPR(((jf_any){JF_DEVICE, 0, {.v_device = {1, 0}}}), "Device('cpu:0')");
  CHECK_REPR(plain(JF_HANDLE, 0x1000), "4096");
  jf_object* error = jf_error_new("ValueError", "it's bad", NULL, NULL, NULL);
  CHECK_REPR(slot_of_object(error), "ValueError(\"it's bad\")");
  jf_object* other = jf_object_new(sizeof *other, jf_type_register("test.Other", JF_ROOT), NULL);
  char text[64];
  snprintf(text, sizeof text, "<test.Other at 0x%llx>", (unsigned long long)(uintptr_t)other);
  CHECK_REPR(slot_of_object(other), text);
  jf_object_release(other);
  jf_object_release(error);
  jf_object_release(flat);
  jf_object_release(shape);
}

/* An object whose repr empties the list that it is in. */
static jf_object* victim;
static int32_t repr_and_clear(jf_object* object, jf_value* out) {
  (void)object;
  if (victim) jf_type_is_a(victim->type_code, JF_MAP) ? jf_map_clear(victim) : jf_list_clear(victim);
  return jf_out_str(out, "gone", 4);
}
static int32_t repr_of_wrong_type(jf_object* object, jf_value* out) {
  (void)object;
  return jf_out_bytes(out, "x", 1);
}
static int32_t repr_fails(jf_object* object, jf_value* out) {
  (void)object, (void)out;
  jf_error_set("KeyError", "mine");
  return -1;
}

static jf_object* new_with_repr(const char* key, const jf_type_operations* operations) {
  const int32_t code = jf_type_register(key, JF_ROOT);
  CHECK(jf_type_set_operations(code, operations) == 0);
  return jf_object_new(sizeof(jf_object), code, NULL);
}

static void test_code_of_others(void) {
  static const jf_type_operations clears = {.repr = repr_and_clear}, wrong = {.repr = repr_of_wrong_type},
                                  fails = {.repr = repr_fails};
  jf_object *object = new_with_repr("test.Clears", &clears), *list = list_of_ints(1), *map = jf_map_new(0, 2);
  const jf_any view = slot_of_object(object), text = slot_of_raw("longer than sixteen bytes");
  CHECK(jf_list_append(list, &view) == 0 && jf_list_append(list, &text) == 0);
  victim = list;
  CHECK_REPR(slot_of_object(list), "[0, gone]");
  CHECK(jf_map_set(map, &view, &text) == 0 && jf_map_set(map, &text, &text) == 0);
  victim = map;
  CHECK_REPR(slot_of_object(map), "{gone: 'longer than sixteen bytes'}");
  victim = NULL;
  jf_object *wrong_one = new_with_repr("test.Wrong", &wrong), *failing = new_with_repr("test.Fails", &fails);
  jf_value out = null_out(8);
  const jf_any wrong_view = slot_of_object(wrong_one), failing_view = slot_of_object(failing);
  CHECK(jf_any_repr(&wrong_view, &out) == -1);
  CHECK_ERROR("TypeError: the repr of a 'test.Wrong' object is no str");
  CHECK(jf_list_append(list, &failing_view) == 0);
  const jf_any list_view = slot_of_object(list);
  CHECK(jf_any_repr(&list_view, &out) == -1 && out.type_code == JF_NULL);
  CHECK_ERROR("KeyError: mine");
  jf_object_release(object);
  jf_object_release(wrong_one);
  jf_object_release(failing);
  jf_object_release(list);
  jf_object_release(map);
}

static void test_depth(void) {
  jf_object* nest = jf_list_new(0, -1);
  for (int i = 0; i < 5000; i++) {
    jf_object* outer = jf_list_new(0, -1);
    jf_view moved = plain(JF_RVALUE, (uintptr_t)&nest);
    CHECK(jf_list_append(outer, &moved) == 0);
    nest = outer;
  }
  jf_value out = null_out(8);
  const jf_any view = slot_of_object(nest);
  CHECK(jf_any_repr(&view, &out) == -1);
  CHECK_ERROR("RecursionError: maximum recursion depth exceeded while getting the repr of an object");
  jf_object_release(nest);
}

static void test_what_is_no_value(void) {
  jf_value out = null_out(8);
  const jf_any bad = plain(-77, 0);
  CHECK(jf_any_repr(&bad, &out) == -1);
  CHECK_ERROR("TypeError: a slot with type code -77 is no value: the type code is unknown");
}

static int32_t write_map(void) {
  jf_object* map = jf_map_new(0, -1);
  const jf_any key = slot_of_raw("a key of some length, too long"), value = slot_of_float(0.5);
  jf_value out = null_out(8);
  int32_t status = map ? jf_map_set(map, &key, &value) : -1;
  if (status == 0) {
    const jf_any view = slot_of_object(map);
    status = jf_any_repr(&view, &out);
    if (status == 0) CHECK_TEXT(jf_any_text(&out).data, "{'a key of some length, too long': 0.5}");
  }
  jf_any_release(&out);
  jf_object_release(map);
  return status;
}

static void test_without_memory(void) { SURVIVES(write_map); }

static int32_t prints_only_accents(int32_t code_point) { return code_point < 0x180; }

static void test_characters_by_a_table_that_is_passed_in(void) {
  const jf_any text = slot_of_raw("\xC4\x81\xE2\x82\xAC"); /* U+0101, U+20AC */
  jf_object* list = jf_list_of(&text, 1, 1);
  const jf_any view = slot_of_object(list);
  wide_slot out;
  out.slot = null_out(JF_MAX_CAPACITY);
  CHECK(jf_any_repr_with(&view, prints_only_accents, &out.slot) == 0);
  CHECK_TEXT(jf_any_text(&out.slot).data, "['\xC4\x81\\u20ac']");
  out.slot = null_out(JF_MAX_CAPACITY);
  CHECK(jf_any_repr(&view, &out.slot) == 0);
  CHECK_TEXT(jf_any_text(&out.slot).data, "['\xC4\x81\xE2\x82\xAC']");
  jf_object_release(list);
}

int main(void) {
  RUN(test_numbers);
  RUN(test_floats);
  RUN(test_text);
  RUN(test_containers);
  RUN(test_the_rest);
  RUN(test_code_of_others);
  RUN(test_depth);
  RUN(test_characters_by_a_table_that_is_passed_in);
  RUN(test_what_is_no_value);
  RUN(test_without_memory);
  return finish();
}
