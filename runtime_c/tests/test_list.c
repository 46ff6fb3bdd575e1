/* Lists: one operation after the other, with values, and each of them without memory. */
#include "listhelper.h"

static void test_append_and_get(void) {
  jf_object* list = list_of_text("n t f i5 i2000 f1.5 sabc sa s0123456789 sabcdefghijklmnopqrstuvwxyz wxyz wx");
  CHECK(jf_list_size(list) == 12 && jf_list_pad(list) == 1);
  CHECK_LIST(list, "n t f i5 i2000 f1.5 sabc sa s0123456789 sabcdefghijklmnopqrstuvwxyz wxyz wx");
  const jf_list* raw = (const jf_list*)list;
  CHECK(raw->items[0].slot == &jf_static_null && raw->items[3].slot == &jf_static_ints[133]);
  CHECK(raw->items[7].slot == &jf_static_chars['a'] && raw->items[11].slot == &jf_static_ucs4_chars['x']);
  CHECK(*raw->items[8].code == JF_SMALL_STR && *raw->items[9].code == JF_STR);
  jf_any out = null_out(8);
  CHECK(jf_list_get(list, -1, &out) == 0 && out.type_code == JF_SMALL_UCS4 && out.v_char32[0] == 'x');
  out = null_out(8);
  CHECK(jf_list_get(list, 12, &out) == -1 && out.type_code == JF_NULL);
  CHECK_ERROR("IndexError: list index out of range");
  CHECK(jf_list_get(list, -13, &out) == -1);
  CHECK_ERROR("IndexError: list index out of range");
  CHECK(jf_list_get(list, INT64_MIN, &out) == -1);
  CHECK_ERROR("IndexError: list index out of range");
  CHECK(jf_list_get(list, 8, &out) == 0 && out.type_code == JF_OBJECT); /* no room for ten bytes */
  jf_any_release(&out);
  jf_object_release(list);
}

static void test_set_insert_pop(void) {
  jf_object* list = list_of_text("i1 i2 i3");
  jf_any value = slot_of_int(5000), out = null_out(8);
  CHECK(jf_list_set(list, -1, &value) == 0);
  CHECK(jf_list_set(list, 3, &value) == -1);
  CHECK_ERROR("IndexError: list assignment index out of range");
  value = slot_of_float(0.5);
  CHECK(jf_list_insert(list, 1, &value) == 0);
  CHECK(jf_list_insert(list, INT64_MAX, &value) == 0 && jf_list_insert(list, INT64_MIN, &value) == 0);
  CHECK(jf_list_insert(list, -1, &value) == 0);
  CHECK_LIST(list, "f0.5 i1 f0.5 i2 i5000 f0.5 f0.5");
  CHECK(jf_list_pop(list, -3, &out) == 0 && out.type_code == JF_INT && out.v_int64 == 5000);
  CHECK_LIST(list, "f0.5 i1 f0.5 i2 f0.5 f0.5");
  out = null_out(0);
  CHECK(jf_list_pop(list, 6, &out) == -1);
  CHECK_ERROR("IndexError: pop index out of range");
  jf_list_clear(list);
  CHECK(jf_list_pop(list, -1, &out) == -1);
  CHECK_ERROR("IndexError: pop from empty list");
  jf_object_release(list);
}

static void test_slices(void) {
  jf_object* list = list_of_text("i0 i1 i2 i3 i4 i5 i6 i7 i8 i9");
  static const struct {
    int64_t start, stop, step;
    const char* items;
  } cases[] = {{2, 5, 1, "i2 i3 i4"},
               {JF_NO_INDEX, JF_NO_INDEX, -1, "i9 i8 i7 i6 i5 i4 i3 i2 i1 i0"},
               {-3, JF_NO_INDEX, 1, "i7 i8 i9"},
               {8, 2, -3, "i8 i5"},
               {5, 2, 1, ""},
               {-100, 100, 4, "i0 i4 i8"},
               {100, -100, -4, "i9 i5 i1"},
               {JF_NO_INDEX, JF_NO_INDEX, INT64_MAX, "i0"},
               {JF_NO_INDEX, JF_NO_INDEX, INT64_MIN, "i9"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    jf_object* slice = jf_list_slice(list, cases[i].start, cases[i].stop, cases[i].step);
    CHECK_LIST(slice, cases[i].items);
    jf_object_release(slice);
  }
  CHECK(!jf_list_slice(list, 0, 1, 0));
  CHECK_ERROR("ValueError: slice step cannot be zero");
  jf_object_release(list);
}

static void assigns(int64_t start, int64_t stop, int64_t step, const char* items, const char* expected) {
  jf_object* list = list_of_text("i0 i1 i2 i3 f4.5 sfive5");
  jf_object* from = *items == '@' ? list : list_of_text(items);
  if (from == list) jf_object_retain(list);
  if (CHECK(jf_list_assign(list, start, stop, step, from) == 0)) CHECK_LIST(list, expected);
  jf_object_release(from);
  jf_object_release(list);
}

static void test_assign(void) {
  assigns(1, 3, 1, "n", "i0 n i3 f4.5 sfive5");
  assigns(5, 2, 1, "n t", "i0 i1 i2 i3 f4.5 n t sfive5");
  assigns(JF_NO_INDEX, JF_NO_INDEX, 1, "", "");
  assigns(JF_NO_INDEX, JF_NO_INDEX, 2, "n t f", "n i1 t i3 f sfive5");
  assigns(JF_NO_INDEX, JF_NO_INDEX, -1, "@", "sfive5 f4.5 i3 i2 i1 i0");
  assigns(1, 2, 1, "@", "i0 i0 i1 i2 i3 f4.5 sfive5 i2 i3 f4.5 sfive5");
  assigns(3, 3, 2, "", "i0 i1 i2 i3 f4.5 sfive5");
  jf_object* list = list_of_text("i0 i1 i2 i3");
  CHECK(jf_list_assign(list, 0, 4, 2, list) == -1);
  CHECK_ERROR("ValueError: attempt to assign sequence of size 4 to extended slice of size 2");
  CHECK_LIST(list, "i0 i1 i2 i3");
  jf_object_release(list);
}

static void deletes(int64_t start, int64_t stop, int64_t step, const char* expected) {
  jf_object* list = list_of_text("i0 i1 i2000 i3 f4.5 sfive5");
  if (CHECK(jf_list_delete(list, start, stop, step) == 0)) CHECK_LIST(list, expected);
  jf_object_release(list);
}

static void test_delete(void) {
  deletes(1, 3, 1, "i0 i3 f4.5 sfive5");
  deletes(JF_NO_INDEX, JF_NO_INDEX, 2, "i1 i3 sfive5");
  deletes(JF_NO_INDEX, JF_NO_INDEX, -2, "i0 i2000 f4.5");
  deletes(4, 0, -3, "i0 i2000 i3 sfive5");
  deletes(JF_NO_INDEX, JF_NO_INDEX, -1, "");
  deletes(4, 4, 1, "i0 i1 i2000 i3 f4.5 sfive5");
}

static void test_extend_concat_repeat(void) {
  jf_object* list = list_of_text("i1 f2.5 sabcdefghijklmnopqrstuvwxyz");
  CHECK(jf_list_extend(list, list) == 0);
  CHECK_LIST(list, "i1 f2.5 sabcdefghijklmnopqrstuvwxyz i1 f2.5 sabcdefghijklmnopqrstuvwxyz");
  jf_object* other = jf_list_concat(list, list);
  CHECK(jf_list_size(other) == 12);
  jf_object_release(other);
  jf_object* few = list_of_text("f2.5 n");
  other = jf_list_repeat(few, 3);
  CHECK_LIST(other, "f2.5 n f2.5 n f2.5 n");
  jf_object_release(other);
  other = jf_list_repeat(few, -1);
  CHECK_LIST(other, "");
  jf_object_release(other);
  CHECK(!jf_list_repeat(few, INT64_MAX));
  CHECK_ERROR("MemoryError: out of memory");
  jf_object_release(few);
  jf_object_release(list);
}

static void test_capacity_and_peek(void) {
  CHECK(!jf_list_new(SIZE_MAX, -1));
  CHECK_ERROR("MemoryError: out of memory");
  jf_list* list = (jf_list*)jf_list_new(5, 2);
  CHECK(list->capacity == 5 && jf_list_pad(&list->header) == 2 && !list->pool.blocks);
  CHECK(jf_list_reserve(&list->header, SIZE_MAX / 2) == -1);
  CHECK_ERROR("MemoryError: out of memory");
  CHECK(jf_list_reserve(&list->header, 3) == 0 && list->capacity == 5);
  CHECK(jf_list_reserve(&list->header, 6) == 0 && list->capacity == 6);
  wide_slot wide = {.slot = {JF_NULL, 24, {0}}};
  jf_any view;
  CHECK(jf_out_str(&wide.slot, "twenty-three characters", 23) == 0 && wide.slot.type_code == JF_SMALL_STR);
  CHECK(jf_list_append(&list->header, &wide.slot) == 0);
  CHECK(jf_list_peek(&list->header, -1, &view) == 0 && view.type_code == JF_ANY_PTR);
  CHECK(view.v_handle == list->items[0].slot);
  CHECK(jf_list_set(&list->header, 0, &view) == 0); /* the item itself, by a pointer */
  CHECK_LIST(&list->header, "stwenty-three characters");
  CHECK(jf_list_peek(&list->header, 1, &view) == -1 && view.type_code == JF_NULL);
  CHECK_ERROR("IndexError: list index out of range");
  jf_list_reverse(&list->header);
  jf_object_release(&list->header);
}

static void test_unshare(void) {
  jf_object *list = list_of_text("f2.5 n"), *same = list;
  CHECK(jf_list_unshare(&list) == 0 && list == same);
  jf_object_retain(same);
  CHECK(jf_list_unshare(&list) == 0 && list != same);
  CHECK_LIST(list, "f2.5 n");
  jf_object_release(list);
  jf_object_release(same);
}

int main(void) {
  RUN(test_append_and_get);
  RUN(test_set_insert_pop);
  RUN(test_slices);
  RUN(test_assign);
  RUN(test_delete);
  RUN(test_extend_concat_repeat);
  RUN(test_capacity_and_peek);
  RUN(test_unshare);
  return finish();
}
