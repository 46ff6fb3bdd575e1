/* value[key]. */
#include "testhelper.h"

static jf_any plain(int32_t code, uint64_t payload) { return (jf_any){code, 0, {.v_uint64 = payload}}; }

static jf_any small(int32_t code, const char* text) {
  jf_any slot = {code, (int32_t)strlen(text), {0}};
  memcpy(slot.v_bytes, text, strlen(text));
  return slot;
}

static jf_object* list_of(const jf_any* views, size_t count) {
  jf_object* list = jf_list_new(0, -1);
  for (size_t i = 0; i < count; i++) CHECK(jf_list_append(list, &views[i]) == 0);
  return list;
}

#define CHECK_AT(value, key, expected) check_at(value, key, expected, __FILE__, __LINE__)
static void check_at(jf_any value, jf_any key, jf_any expected, const char* file, int line) {
  wide_slot out = {null_out(16)};
  check(jf_any_at(&value, &key, &out.slot) == 0, "at", file, line);
  check(jf_any_equal(&out.slot, &expected) == 1, "the item", file, line);
  jf_any_release(&out.slot);
}

#define CHECK_NOT_AT(value, key, error) check_not_at(value, key, error, __FILE__, __LINE__)
static void check_not_at(jf_any value, jf_any key, const char* error, const char* file, int line) {
  jf_value out = null_out(8);
  check(jf_any_at(&value, &key, &out) == -1 && out.type_code == JF_NULL, "no item", file, line);
  check_error(error, file, line);
}

static void test_at(void) {
  jf_object* heap = jf_str_new("h\u00e9\u65e5\U0001F600!", 11);
  const jf_any forms[] = {slot_of_raw("h\u00e9\u65e5\U0001F600!"), slot_of_object(heap)};
  for (int i = 0; i < 2; i++) {
    CHECK_AT(forms[i], slot_of_int(0), slot_of_raw("h"));
    CHECK_AT(forms[i], slot_of_int(2), slot_of_raw("\u65e5"));
    CHECK_AT(forms[i], slot_of_int(-1), slot_of_raw("!"));
    CHECK_AT(forms[i], slot_of_int(-5), slot_of_raw("h"));
    CHECK_AT(forms[i], plain(JF_BOOL, 1), slot_of_raw("\u00e9"));
    CHECK_NOT_AT(forms[i], slot_of_int(5), "IndexError: string index out of range");
    CHECK_NOT_AT(forms[i], slot_of_int(-6), "IndexError: string index out of range");
    CHECK_NOT_AT(forms[i], slot_of_int(INT64_MIN), "IndexError: string index out of range");
    CHECK_NOT_AT(forms[i], slot_of_float(0), "TypeError: str indices must be integers, not float");
  }
  CHECK_NOT_AT(slot_of_raw("abc"), plain(JF_UINT, UINT64_MAX),
               "IndexError: cannot fit 'int' into an index-sized integer");
  CHECK_AT(small(JF_SMALL_BYTES, "ab\xff"), slot_of_int(2), slot_of_int(255));
  CHECK_NOT_AT(small(JF_SMALL_BYTES, "ab"), slot_of_int(2), "IndexError: index out of range");
  const jf_any wide = {JF_SMALL_UCS4, 2, {.v_char32 = {'a', 0x65E5}}};
  jf_value out = null_out(8);
  const jf_any minus_one = slot_of_int(-1);
  CHECK(jf_any_at(&wide, &minus_one, &out) == 0 && out.type_code == JF_SMALL_UCS4 && out.v_char32[0] == 0x65E5);
  jf_object_release(heap);
}

static void test_at_of_containers(void) {
  const int64_t dims[] = {7, 8};
  const jf_any items[] = {slot_of_int(70000), slot_of_raw("twelve chars")};
  jf_object *list = list_of(items, 2), *tuple = jf_tuple_of(list), *shape = jf_shape_new(dims, 2);
  jf_object* map = jf_map_new(0, -1);
  CHECK_AT(slot_of_object(list), slot_of_int(-1), items[1]);
  CHECK_AT(slot_of_object(tuple), slot_of_int(0), items[0]);
  CHECK_AT(slot_of_object(shape), slot_of_int(1), slot_of_int(8));
  CHECK(jf_map_set(map, &items[1], &items[0]) == 0);
  CHECK_AT(slot_of_object(map), items[1], items[0]);
  CHECK_NOT_AT(slot_of_object(list), slot_of_int(2), "IndexError: list index out of range");
  CHECK_NOT_AT(slot_of_object(tuple), slot_of_int(-3), "IndexError: tuple index out of range");
  CHECK_NOT_AT(slot_of_object(shape), slot_of_int(2), "IndexError: shape index out of range");
  CHECK_NOT_AT(slot_of_object(list), slot_of_raw("a"), "TypeError: list indices must be integers, not str");
  CHECK_NOT_AT(slot_of_object(map), slot_of_raw("it's"), "KeyError: \"it's\"");
  CHECK_NOT_AT(slot_of_object(map), slot_of_object(list), "TypeError: unhashable type: 'list'");
  CHECK_NOT_AT(slot_of_int(3), slot_of_int(0), "TypeError: 'int' object is not subscriptable");
  jf_object* all[] = {list, tuple, shape, map};
  for (int i = 0; i < 4; i++) jf_object_release(all[i]);
}

int main(void) {
  RUN(test_at);
  RUN(test_at_of_containers);
  return finish();
}
