/* Equality, hash, order, truth and size of values. */
#include <math.h>

#include "testhelper.h"
#include "value.h"

static jf_any plain(int32_t code, uint64_t payload) { return (jf_any){code, 0, {.v_uint64 = payload}}; }
static jf_any truth_value(int32_t value) { return plain(JF_BOOL, value != 0); }
static jf_any big(uint64_t value) { return plain(JF_UINT, value); }

static jf_any small(int32_t code, const char* text) {
  jf_any slot = {code, (int32_t)strlen(text), {0}};
  memcpy(slot.v_bytes, text, strlen(text));
  return slot;
}

/* Both ways; equal values have equal hashes where they have one. */
#define CHECK_EQUAL(a, b, expected) check_equal(a, b, expected, __FILE__, __LINE__)
static void check_equal(jf_any a, jf_any b, int32_t expected, const char* file, int line) {
  uint64_t a_hash, b_hash;
  check(jf_any_equal(&a, &b) == expected && jf_any_equal(&b, &a) == expected, "equal", file, line);
  if (jf_any_hash(&a, &a_hash) != 0 || jf_any_hash(&b, &b_hash) != 0) {
    jf_object_release(jf_error_take());
  } else if (expected == 1) {
    check(a_hash == b_hash, "equal hashes", file, line);
  }
}

static uint64_t hash_of(jf_any slot) {
  uint64_t hash = 0;
  CHECK(jf_any_hash(&slot, &hash) == 0);
  return hash;
}

static int32_t compare(jf_any a, jf_any b, int32_t operation) {
  int32_t result = 7;
  CHECK(jf_any_compare(&a, &b, operation, &result) == 0);
  return result;
}

static void test_numbers_are_equal_exactly(void) {
  CHECK_EQUAL(slot_of_int(1), slot_of_float(1), 1);
  CHECK_EQUAL(slot_of_int(1), truth_value(1), 1);
  CHECK_EQUAL(slot_of_float(0), truth_value(0), 1);
  CHECK_EQUAL(slot_of_float(0.0), slot_of_float(-0.0), 1);
  CHECK_EQUAL(slot_of_int(0), slot_of_float(-0.0), 1);
  CHECK_EQUAL(slot_of_int((INT64_C(1) << 53) + 1), slot_of_float(9007199254740992.0), 0);
  CHECK_EQUAL(slot_of_int(INT64_C(1) << 53), slot_of_float(9007199254740992.0), 1);
  CHECK_EQUAL(slot_of_int(INT64_MAX), slot_of_float(9223372036854775808.0), 0);
  CHECK_EQUAL(big(UINT64_C(1) << 63), slot_of_float(9223372036854775808.0), 1);
  CHECK_EQUAL(slot_of_int(INT64_MIN), slot_of_float(-9223372036854775808.0), 1);
  CHECK_EQUAL(big(UINT64_MAX), slot_of_float(18446744073709551616.0), 0);
  CHECK_EQUAL(big(UINT64_MAX), slot_of_int(-1), 0);
  CHECK_EQUAL(big(UINT64_MAX), big(UINT64_MAX), 1);
  CHECK_EQUAL(slot_of_int(1), slot_of_float(1.5), 0);
  CHECK_EQUAL(slot_of_int(INT64_MAX), slot_of_float(INFINITY), 0);
  CHECK_EQUAL(slot_of_float(NAN), slot_of_float(NAN), 1); /* the same one */
  CHECK_EQUAL(slot_of_float(NAN), slot_of_float(-NAN), 0);
  CHECK_EQUAL(slot_of_float(NAN), slot_of_int(0), 0);
  jf_box box = {.header = {.type_code = JF_BOXED_FLOAT, .ref_count = 1}, {.v_float64 = 2}};
  CHECK_EQUAL(slot_of_object(&box), slot_of_int(2), 1);
  const jf_any two = slot_of_int(2);
  CHECK_EQUAL(plain(JF_ANY_PTR, (uintptr_t)&two), slot_of_float(2), 1);
}

/* What CPython 3 on 64 bits says; so that its own objects agree. */
static void test_hashes_of_numbers(void) {
  CHECK(hash_of(slot_of_int(0)) == 0 && hash_of(slot_of_int(17)) == 17);
  CHECK(hash_of(slot_of_int(-1)) == (uint64_t)-2 && hash_of(slot_of_int(-2)) == (uint64_t)-2);
  CHECK(hash_of(slot_of_int((INT64_C(1) << 61) - 1)) == 0);
  CHECK(hash_of(slot_of_int(INT64_MIN)) == (uint64_t)-4 && hash_of(slot_of_int(INT64_MAX)) == 3);
  CHECK(hash_of(big(UINT64_MAX)) == 7);
  CHECK(hash_of(slot_of_float(0.5)) == UINT64_C(1152921504606846976));
  CHECK(hash_of(slot_of_float(0.1)) == UINT64_C(230584300921369408));
  CHECK(hash_of(slot_of_float(-1.5)) == (uint64_t)-INT64_C(1152921504606846977));
  CHECK(hash_of(slot_of_float(1e300)) == UINT64_C(1224995262755759164));
  CHECK(hash_of(slot_of_float(INFINITY)) == 314159 && hash_of(slot_of_float(-INFINITY)) == (uint64_t)-314159);
  CHECK(hash_of(slot_of_float(NAN)) == hash_of(slot_of_float(-NAN)));
  CHECK(hash_of(slot_of_float(-1)) == (uint64_t)-2);
}

static void test_text_is_equal_by_characters(void) {
  static const jf_char32 wide[] = {'h', 0xE9, 0x65E5, 0x1F600};
  jf_ucs4_span span = {wide, 4}, shorter = {wide, 3};
  const char* utf8 = "h\u00e9\u65e5\U0001F600";
  jf_object *heap = jf_str_new(utf8, strlen(utf8)), *heap_wide = jf_ucs4_new(wide, 4);
  jf_any* forms[4] = {&(jf_any){0}, &(jf_any){0}, &(jf_any){0}, &(jf_any){0}};
  *forms[0] = slot_of_raw(utf8);
  *forms[1] = plain(JF_UCS4_VIEW, (uintptr_t)&span);
  *forms[2] = slot_of_object(heap);
  *forms[3] = slot_of_object(heap_wide);
  for (int i = 0; i < 4; i++) {
    for (int k = 0; k < 4; k++) CHECK_EQUAL(*forms[i], *forms[k], 1);
    CHECK_EQUAL(*forms[i], plain(JF_UCS4_VIEW, (uintptr_t)&shorter), 0);
    CHECK(jf_any_size(forms[i]) == 4);
  }
  CHECK(((jf_str*)heap)->hash == hash_of(slot_of_raw(utf8)) && ((jf_str*)heap_wide)->hash == ((jf_str*)heap)->hash);
  CHECK_EQUAL(small(JF_SMALL_STR, "abc"), slot_of_raw("abc"), 1);
  CHECK_EQUAL(small(JF_SMALL_STR, "abc"), small(JF_SMALL_BYTES, "abc"), 0);
  jf_span bytes = {"abc", 3};
  CHECK_EQUAL(plain(JF_BYTE_ARRAY, (uintptr_t)&bytes), small(JF_SMALL_BYTES, "abc"), 1);
  CHECK_EQUAL(slot_of_raw("1"), slot_of_int(1), 0);
  CHECK_EQUAL(slot_of_raw(""), plain(JF_NULL, 0), 0);
  jf_object_release(heap);
  jf_object_release(heap_wide);
}

static void test_plain_values_and_objects(void) {
  const jf_any f32 = {JF_DTYPE, 0, {.v_dtype = {2, 32, 1}}}, f64 = {JF_DTYPE, 0, {.v_dtype = {2, 64, 1}}};
  const jf_any cpu = {JF_DEVICE, 0, {.v_device = {1, 0}}};
  CHECK_EQUAL(f32, f32, 1);
  CHECK_EQUAL(f32, f64, 0);
  CHECK_EQUAL(cpu, f32, 0);
  CHECK_EQUAL(plain(JF_HANDLE, 16), plain(JF_HANDLE, 16), 1);
  CHECK_EQUAL(plain(JF_HANDLE, 16), slot_of_int(16), 0);
  CHECK_EQUAL(plain(JF_NULL, 0), plain(JF_NULL, 0), 1);
  CHECK_EQUAL(plain(JF_NULL, 0), truth_value(0), 0);
  jf_object *a = jf_object_new(sizeof *a, JF_ROOT, NULL), *b = jf_object_new(sizeof *b, JF_ROOT, NULL);
  CHECK_EQUAL(slot_of_object(a), slot_of_object(a), 1);
  CHECK_EQUAL(slot_of_object(a), slot_of_object(b), 0);
  const int64_t dims[] = {2, 3, 4};
  jf_object *shape = jf_shape_new(dims, 3), *same = jf_shape_new(dims, 3), *other = jf_shape_new(dims, 2);
  CHECK_EQUAL(slot_of_object(shape), slot_of_object(same), 1);
  CHECK_EQUAL(slot_of_object(shape), slot_of_object(other), 0);
  CHECK(compare(slot_of_object(other), slot_of_object(shape), JF_LT) == 1);
  jf_object* all[] = {a, b, shape, same, other};
  for (int i = 0; i < 5; i++) jf_object_release(all[i]);
}

/* -- containers -- */

static jf_object* list_of(const jf_any* views, size_t count) {
  jf_object* list = jf_list_new(0, -1);
  for (size_t i = 0; i < count; i++) CHECK(jf_list_append(list, &views[i]) == 0);
  return list;
}

static void test_containers_are_equal_by_content(void) {
  const jf_any ints[] = {slot_of_int(1), slot_of_int(5000), slot_of_raw("x")};
  const jf_any floats[] = {slot_of_float(1), slot_of_float(5000), slot_of_raw("y")};
  const jf_any wide_x = {JF_SMALL_UCS4, 1, {.v_char32 = {'x'}}};
  const jf_any mixed[] = {floats[0], floats[1], wide_x};
  jf_object *a = list_of(ints, 3), *b = list_of(mixed, 3), *c = list_of(ints, 2), *d = list_of(floats, 3);
  jf_object *t = jf_tuple_of(a), *u = jf_tuple_of(b), *v = jf_tuple_of(c);
  CHECK_EQUAL(slot_of_object(a), slot_of_object(b), 1);
  CHECK_EQUAL(slot_of_object(a), slot_of_object(c), 0);
  CHECK_EQUAL(slot_of_object(a), slot_of_object(d), 0);
  CHECK_EQUAL(slot_of_object(t), slot_of_object(u), 1);
  CHECK_EQUAL(slot_of_object(t), slot_of_object(v), 0);
  CHECK_EQUAL(slot_of_object(t), slot_of_object(a), 0);
  CHECK(compare(slot_of_object(c), slot_of_object(a), JF_LT) == 1);
  CHECK(compare(slot_of_object(t), slot_of_object(u), JF_LE) == 1);
  CHECK(compare(slot_of_object(t), slot_of_object(u), JF_LT) == 0);
  CHECK(compare(slot_of_object(t), slot_of_object(a), JF_NE) == 1);
  jf_object* all[] = {a, b, c, d, t, u, v};
  for (int i = 0; i < 7; i++) jf_object_release(all[i]);
}

static void test_maps_are_equal_in_any_order(void) {
  jf_object *a = jf_map_new(0, -1), *b = jf_map_new(0, 3);
  for (int64_t i = 0; i < 20; i++) {
    const jf_any up = slot_of_int(i), down = slot_of_float((double)(19 - i)), value = slot_of_int(i * 1000),
                 other = slot_of_int((19 - i) * 1000);
    CHECK(jf_map_set(a, &up, &value) == 0 && jf_map_set(b, &down, &other) == 0);
  }
  CHECK_EQUAL(slot_of_object(a), slot_of_object(b), 1);
  const jf_any three = slot_of_int(3), four = slot_of_int(4), text = slot_of_raw("three");
  CHECK(jf_map_set(b, &three, &text) == 0);
  CHECK_EQUAL(slot_of_object(a), slot_of_object(b), 0);
  CHECK(jf_map_delete(b, &three) == 1 && jf_map_set(b, &text, &four) == 0);
  CHECK_EQUAL(slot_of_object(a), slot_of_object(b), 0);
  jf_object_release(a);
  jf_object_release(b);
}

static void test_containers_within_themselves(void) {
  jf_object *a = jf_list_new(0, -1), *b = jf_list_new(0, -1);
  const jf_any a_view = slot_of_object(a), b_view = slot_of_object(b);
  CHECK(jf_list_append(a, &a_view) == 0 && jf_list_append(b, &b_view) == 0);
  CHECK_EQUAL(a_view, a_view, 1);
  CHECK(jf_any_equal(&a_view, &b_view) == -1);
  CHECK_ERROR("RecursionError: maximum recursion depth exceeded in comparison");
  int32_t result = 7;
  CHECK(jf_any_compare(&a_view, &b_view, JF_LT, &result) == -1 && result == 0);
  CHECK_ERROR("RecursionError: maximum recursion depth exceeded in comparison");
  jf_object_release(a);
  jf_object_release(b);
  CHECK(jf_cycles_collect() == 2);
}

static jf_object* nested_tuple(int depth) {
  jf_object* tuple = jf_tuple_new(NULL, 0);
  for (int i = 0; i < depth; i++) {
    const jf_any view = slot_of_object(tuple);
    jf_object* outer = jf_tuple_new(&view, 1);
    jf_object_release(tuple);
    tuple = outer;
  }
  return tuple;
}

static void test_depth(void) {
  jf_object *a = nested_tuple(JF_MAX_DEPTH * 9 / 10), *b = nested_tuple(JF_MAX_DEPTH * 9 / 10),
            *deep = nested_tuple(3000), *twin = nested_tuple(3000);
  CHECK_EQUAL(slot_of_object(a), slot_of_object(b), 1);
  const jf_any deep_view = slot_of_object(deep), twin_view = slot_of_object(twin);
  uint64_t hash = 7;
  CHECK(jf_any_equal(&deep_view, &twin_view) == -1);
  CHECK_ERROR("RecursionError: maximum recursion depth exceeded in comparison");
  CHECK(jf_any_hash(&deep_view, &hash) == -1 && hash == 0);
  CHECK_ERROR("RecursionError: maximum recursion depth exceeded while hashing");
  jf_object* all[] = {a, b, deep, twin};
  for (int i = 0; i < 4; i++) jf_object_release(all[i]);
}

static void test_what_has_no_hash(void) {
  uint64_t hash = 7;
  jf_object *list = jf_list_new(0, -1), *map = jf_map_new(0, -1);
  const jf_any list_view = slot_of_object(list), map_view = slot_of_object(map);
  jf_object* tuple = jf_tuple_new(&list_view, 1);
  const jf_any tuple_view = slot_of_object(tuple), gone = plain(JF_RVALUE, (uintptr_t)&(jf_object*){NULL});
  CHECK(jf_any_hash(&list_view, &hash) == -1 && hash == 0);
  CHECK_ERROR("TypeError: unhashable type: 'list'");
  CHECK(jf_any_hash(&map_view, &hash) == -1);
  CHECK_ERROR("TypeError: unhashable type: 'map'");
  CHECK(jf_any_hash(&tuple_view, &hash) == -1);
  CHECK_ERROR("TypeError: unhashable type: 'list'");
  CHECK(jf_any_hash(&gone, &hash) == -1);
  CHECK_ERROR("ValueError: the object of an r-value reference was taken before");
  jf_object_release(tuple);
  jf_object_release(list);
  jf_object_release(map);
}

static void test_order(void) {
  CHECK(compare(slot_of_int((INT64_C(1) << 53) + 1), slot_of_float(9007199254740992.0), JF_GT) == 1);
  CHECK(compare(big(UINT64_MAX), slot_of_int(-1), JF_LT) == 0);
  CHECK(compare(big(UINT64_MAX), slot_of_float(18446744073709551616.0), JF_LT) == 1);
  CHECK(compare(slot_of_float(0.5), truth_value(1), JF_LT) == 1);
  for (int32_t operation = JF_LT; operation <= JF_GE; operation++) {
    CHECK(compare(slot_of_float(NAN), slot_of_int(0), operation) == (operation == JF_NE));
    CHECK(compare(slot_of_float(NAN), slot_of_float(NAN), operation) == (operation == JF_NE));
    const int32_t allows_equal = operation == JF_LE || operation == JF_EQ || operation == JF_GE;
    CHECK(compare(slot_of_int(3), slot_of_float(3), operation) == allows_equal);
  }
  static const jf_char32 wide[] = {0xFFFF};
  jf_ucs4_span span = {wide, 1};
  const jf_any last_of_plane = plain(JF_UCS4_VIEW, (uintptr_t)&span);
  CHECK(compare(last_of_plane, slot_of_raw("\U00010000"), JF_LT) == 1); /* UTF-16 would say no */
  CHECK(compare(slot_of_raw("\U00010000"), last_of_plane, JF_GE) == 1);
  CHECK(compare(slot_of_raw("a"), slot_of_raw("ab"), JF_LT) == 1);
  CHECK(compare(slot_of_raw("\x7f"), slot_of_raw("\xc2\x80\u00e9"), JF_LT) == 1);
  CHECK(compare(small(JF_SMALL_BYTES, "b"), small(JF_SMALL_BYTES, "ab"), JF_GT) == 1);
  int32_t result = 7;
  const jf_any number = slot_of_int(1), text = slot_of_raw("1"), null = plain(JF_NULL, 0);
  CHECK(jf_any_compare(&number, &text, JF_LT, &result) == -1 && result == 0);
  CHECK_ERROR("TypeError: '<' not supported between instances of 'int' and 'str'");
  CHECK(jf_any_compare(&null, &null, JF_GE, &result) == -1);
  CHECK_ERROR("TypeError: '>=' not supported between instances of 'NoneType' and 'NoneType'");
  CHECK(compare(number, text, JF_EQ) == 0 && compare(null, null, JF_EQ) == 1);
}

static void test_truth(void) {
  static const struct {
    int32_t code;
    int64_t payload;
    int32_t truth;
  } cases[] = {{JF_NULL, 0, 0}, {JF_INT, 0, 0},          {JF_INT, -1, 1},   {JF_BOOL, 0, 0},
               {JF_BOOL, 1, 1}, {JF_UINT, INT64_MIN, 1}, {JF_HANDLE, 8, 1}, {JF_SMALL_STR, 0, 0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const jf_any slot = plain(cases[i].code, (uint64_t)cases[i].payload);
    CHECK(jf_any_truth(&slot) == cases[i].truth);
  }
  const jf_any zero = slot_of_float(-0.0), nan = slot_of_float(NAN), bad = plain(-50, 0);
  CHECK(jf_any_truth(&zero) == 0 && jf_any_truth(&nan) == 1);
  CHECK(jf_any_truth(&bad) == -1);
  CHECK_ERROR("TypeError: a slot with type code -50 is no value: the type code is unknown");
  jf_object* map = jf_map_new(0, -1);
  const jf_any view = slot_of_object(map);
  CHECK(jf_any_truth(&view) == 0 && jf_any_size(&view) == 0);
  CHECK(jf_map_set(map, &nan, &nan) == 0 && jf_any_truth(&view) == 1 && jf_any_size(&view) == 1);
  jf_object_release(map);
  CHECK(jf_any_size(&nan) == -1);
  CHECK_ERROR("TypeError: object of type 'float' has no len()");
}

static void test_errors_are_equal_by_kind_message_and_causes(void) {
  jf_object *cause = jf_error_new("KeyError", "below", NULL, NULL, NULL), *equal[3];
  equal[0] = jf_error_new("ValueError", "above", "line 1", cause, NULL);
  equal[1] = jf_error_new("ValueError", "above", NULL, cause, NULL);
  equal[2] = jf_error_new("ValueError", "above", NULL, NULL, NULL);
  uint64_t hashes[3];
  jf_any slots[3];
  for (int i = 0; i < 3; i++) {
    slots[i] = (jf_any){.type_code = JF_OBJECT, .v_object = equal[i]};
    CHECK(jf_any_hash(&slots[i], &hashes[i]) == 0);
  }
  CHECK(jf_any_equal(&slots[0], &slots[1]) == 1 && hashes[0] == hashes[1]);
  CHECK(jf_any_equal(&slots[0], &slots[2]) == 0);
  for (int i = 0; i < 3; i++) jf_object_release(equal[i]);
  jf_object_release(cause);
}

int main(void) {
  RUN(test_numbers_are_equal_exactly);
  RUN(test_hashes_of_numbers);
  RUN(test_text_is_equal_by_characters);
  RUN(test_plain_values_and_objects);
  RUN(test_containers_are_equal_by_content);
  RUN(test_maps_are_equal_in_any_order);
  RUN(test_containers_within_themselves);
  RUN(test_depth);
  RUN(test_what_has_no_hash);
  RUN(test_errors_are_equal_by_kind_message_and_causes);
  RUN(test_order);
  RUN(test_truth);
  return finish();
}
