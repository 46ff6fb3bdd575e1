/* Tuples: made of views, lists and tuples; read; each without memory. */
#include "listhelper.h"

#define WORDS "n t i5 i5000 f1.5 sa sabcdefg s0123456789 wabc babcdefghijklmnopqrstuvwxyz"

static jf_object* tuple_of_text(const char* text) {
  jf_object* list = list_of_text(text);
  jf_object* tuple = list ? jf_tuple_of(list) : NULL;
  jf_object_release(list);
  return tuple;
}

static void test_new(void) {
  jf_any long_text[20];
  jf_span spans[3];
  char letters[300];
  memset(letters, 'x', sizeof letters);
  static const size_t sizes[] = {127, 128, 20};
  for (int i = 0; i < 3; i++) {
    spans[i] = (jf_span){letters, sizes[i]};
    long_text[i] = (jf_any){JF_STR_VIEW, 0, {.v_span = &spans[i]}};
  }
  long_text[3] = slot_of_int(7);
  long_text[4] = slot_of_float(7.5);
  const jf_tuple* tuple = (const jf_tuple*)jf_tuple_new(long_text, 5);
  CHECK(tuple->size == 5 && tuple->hash == 0 && tuple->items == (jf_item*)(tuple + 1));
  CHECK(*tuple->items[0].code == JF_SMALL_STR && tuple->items[0].slot->small_len == 127);
  CHECK(*tuple->items[1].code == JF_STR);
  CHECK((const char*)tuple->items[2].code - (const char*)tuple->items[0].code == 136);
  CHECK(tuple->items[3].slot == &jf_static_ints[135]);
  CHECK((const char*)tuple->items[4].code - (const char*)tuple->items[2].code == 32);
  jf_any out = null_out(0);
  CHECK(jf_tuple_get(&tuple->header, 2, &out) == 0 && out.type_code == JF_OBJECT);
  jf_any_release(&out);
  CHECK(jf_tuple_peek(&tuple->header, 2, &out) == 0 && out.type_code == JF_ANY_PTR);
  CHECK(jf_tuple_get(&tuple->header, 5, &out) == -1);
  CHECK_ERROR("IndexError: tuple index out of range");
  CHECK(jf_tuple_peek(&tuple->header, -6, &out) == -1);
  CHECK_ERROR("IndexError: tuple index out of range");
  jf_object_release((jf_object*)(uintptr_t)&tuple->header);
}

static void test_r_values(void) {
  jf_object *first = jf_str_new("first", 5), *second = jf_str_new("second", 6), *none = NULL;
  jf_object* was = first;
  jf_any views[] = {{JF_RVALUE, 0, {.v_rvalue = &first}}, {JF_RVALUE, 0, {.v_rvalue = &second}}, slot_of_int(1)};
  jf_object* tuple = jf_tuple_new(views, 3);
  CHECK(!first && !second && ((jf_tuple*)tuple)->items[0].object == was && was->ref_count == 1);
  CHECK_LIST(tuple, "sfirst ssecond i1");
  jf_object_release(tuple);
  first = jf_str_new("first", 5);
  views[1].v_rvalue = &none;
  CHECK(!jf_tuple_new(views, 3));
  CHECK_ERROR("ValueError: the object of an r-value reference was taken before");
  CHECK(!jf_list_of(views, 3, -1));
  CHECK_ERROR("ValueError: the object of an r-value reference was taken before");
  CHECK(first && first->ref_count == 1); /* it was not moved */
  views[1] = slot_of_float(2.5);
  jf_object* list = jf_list_of(views, 3, -1);
  CHECK(!first);
  CHECK_LIST(list, "sfirst f2.5 i1");
  jf_object_release(list);
}

static void test_of_other_items(void) {
  jf_object* tuple = tuple_of_text(WORDS);
  CHECK_LIST(tuple, WORDS);
  CHECK(jf_tuple_size(tuple) == 10);
  jf_object* same = jf_tuple_of(tuple);
  CHECK(same == tuple);
  jf_object_release(same);
  jf_object* slice = jf_tuple_slice(tuple, 7, 2, -2);
  CHECK_LIST(slice, "s0123456789 sa i5000");
  jf_object_release(slice);
  slice = jf_tuple_slice(tuple, JF_NO_INDEX, JF_NO_INDEX, 1);
  CHECK(slice == tuple);
  jf_object_release(slice);
  CHECK(!jf_tuple_slice(tuple, 1, 2, 0));
  CHECK_ERROR("ValueError: slice step cannot be zero");
  jf_object* few = list_of_text_pad("n w0123456789 sabcdefghijklmnop", 5);
  jf_object* both = jf_tuple_concat(tuple, few);
  CHECK_LIST(both, WORDS " n w0123456789 sabcdefghijklmnop");
  jf_object* three = jf_tuple_of(few);
  jf_object* six = jf_tuple_repeat(three, 2);
  CHECK_LIST(six, "n w0123456789 sabcdefghijklmnop n w0123456789 sabcdefghijklmnop");
  CHECK(!jf_tuple_repeat(three, INT64_MAX));
  CHECK_ERROR("MemoryError: out of memory");
  jf_object* nothing = jf_tuple_repeat(three, -3);
  CHECK_LIST(nothing, "");
  CHECK(jf_list_extend(few, six) == 0 && jf_list_extend(few, tuple) == 0);
  CHECK(jf_list_size(few) == 19);
  jf_object_release(nothing);
  jf_object_release(six);
  jf_object_release(three);
  jf_object_release(both);
  jf_object_release(few);
  jf_object_release(tuple);
}

/* -- of parts ------------------------------------------------------------------------------------------------------ */

static const char letters[] =
    "a text that is so long that it is no slot of any tuple: more than one hundred and twenty-seven bytes are no small "
    "value, "
    "however large the pad is";

static void test_of_parts(void) {
  static const jf_char32 wide[] = {0x4E00, 0x4E01, 0x4E02};
  jf_span narrow = {"abc", 3}, one = {"x", 1}, empty = {"", 0}, bytes = {"\0b", 2};
  jf_ucs4_span ucs4 = {wide, 3};
  const jf_any views[] = {slot_of_int(1023),
                          slot_of_int(1024),
                          slot_of_float(0.5),
                          {JF_NULL, 0, {0}},
                          {JF_BOOL, 0, {1}},
                          {JF_STR_VIEW, 0, {.v_span = &narrow}},
                          {JF_STR_VIEW, 0, {.v_span = &one}},
                          {JF_STR_VIEW, 0, {.v_span = &empty}},
                          {JF_BYTE_ARRAY, 0, {.v_span = &bytes}},
                          {JF_UCS4_VIEW, 0, {.v_ucs4_span = &ucs4}}};
  jf_item parts[10];
  for (size_t i = 0; i < 10; i++) parts[i].slot = &views[i];
  jf_object* first = jf_tuple_of_parts(parts, 5, 0);
  jf_object* second = jf_tuple_of_parts(parts + 5, 5, 0);
  jf_object* same = jf_tuple_new(views, 5);
  CHECK_LIST(first, "i1023 i1024 f0.5 n t");
  CHECK(((jf_tuple*)first)->items[0].slot == ((jf_tuple*)same)->items[0].slot && first->ref_count == 1);
  const jf_any *x = ((jf_tuple*)second)->items[0].slot, *y = ((jf_tuple*)second)->items[4].slot;
  CHECK(x->type_code == JF_SMALL_STR && x->small_len == 3 && x->v_int64 == 0x636261);
  CHECK(y->type_code == JF_SMALL_UCS4 && y->small_len == 3 && memcmp(y->v_char32, wide, sizeof wide) == 0);
  CHECK(((jf_tuple*)second)->items[1].slot == &jf_static_chars['x']);
  CHECK(((jf_tuple*)second)->items[2].slot->v_int64 == 0 && ((jf_tuple*)second)->items[2].slot->small_len == 0);
  CHECK(((jf_tuple*)second)->items[3].slot->small_len == 2);
  jf_object_release(first);
  jf_object_release(second);
  jf_object_release(same);
}

static void test_parts_that_are_objects(void) {
  const int64_t before = jf_live_objects();
  jf_object *few = jf_str_new("0123456789abcdefghij", 20), *many = jf_str_new(letters, 140), *list = jf_list_new(0, -1);
  jf_object *inner = jf_tuple_new(NULL, 0), *given = inner, *numbers = jf_list_new(0, -1);
  const jf_item parts[] = {{.object = few}, {.object = many}, {.object = list}, {.object = inner}};
  jf_object* tuple = jf_tuple_of_parts(parts, 4, 1 << 3);
  const jf_tuple* made = (const jf_tuple*)tuple;
  CHECK(*made->items[0].code == JF_SMALL_STR && few->ref_count == 1); /* copied */
  CHECK(made->items[1].object == many && many->ref_count == 2);
  CHECK(made->items[2].object == list && list->ref_count == 2 && jf_links_used(&made->links));
  CHECK(made->items[3].object == given && given->ref_count == 1); /* moved */
  CHECK(jf_list_append_parts(numbers, parts, 1, 0) == 0 && !jf_links_used(&((jf_list*)numbers)->links));
  CHECK(jf_list_append_parts(numbers, parts, 3, 0) == 0 && jf_links_used(&((jf_list*)numbers)->links));
  CHECK(jf_list_size(numbers) == 2 && list->ref_count == 3);
  jf_object_release(numbers);
  CHECK(list->ref_count == 2 && many->ref_count == 2);
  jf_object_release(tuple);
  jf_object_release(few);
  jf_object_release(many);
  jf_object_release(list);
  CHECK(jf_live_objects() == before);
}

/* A box and text of any length go another way to the same tuple. */
static void test_parts_that_take_longer(void) {
  jf_span span = {letters, 140};
  const jf_any number = slot_of_int(5000), text = {JF_STR_VIEW, 0, {.v_span = &span}};
  jf_object *list = jf_list_new(0, -1), *inner = jf_tuple_new(&number, 1), *held = inner;
  const jf_item parts[] = {{.slot = &text}, {.object = inner}, {.slot = &number}};
  CHECK(jf_list_append_parts(list, parts, 3, 1 << 1) == 0);
  const jf_tuple* made = (const jf_tuple*)((jf_list*)list)->items[0].object;
  CHECK(*made->items[0].code == JF_STR && made->items[1].object == held && held->ref_count == 1);
  CHECK(made->items[2].slot->v_int64 == 5000);
  jf_object_release(list);
}

static void test_a_bad_part(void) {
  jf_object *list = jf_list_new(0, -1), *inner = jf_tuple_new(NULL, 0);
  jf_object* none = NULL;
  const jf_any taken = {JF_RVALUE, 0, {.v_rvalue = &none}};
  const jf_item parts[] = {{.object = inner}, {.slot = &taken}};
  CHECK(jf_list_append_parts(list, parts, 2, 1) == -1 && jf_list_size(list) == 0 && inner->ref_count == 1);
  CHECK_ERROR("ValueError: the object of an r-value reference was taken before");
  jf_object_release(inner);
  jf_object_release(list);
}

static int32_t append_parts(void) {
  jf_span span = {letters, 140};
  const jf_any text = {JF_STR_VIEW, 0, {.v_span = &span}}, number = slot_of_int(5000);
  jf_object *list = jf_list_new(0, -1), *inner = list ? jf_tuple_new(&number, 1) : NULL;
  if (!inner) {
    jf_object_release(list);
    return -1;
  }
  const jf_item parts[] = {{.object = inner}, {.slot = &number}, {.slot = &text}};
  int32_t status = jf_list_append_parts(list, parts, 2, 0);
  CHECK(jf_list_size(list) == (status == 0) && inner->ref_count == 1 + (status == 0));
  const int32_t moved = status == 0 ? jf_list_append_parts(list, parts, 3, 1) : -1;
  if (moved != 0) jf_object_release(inner);
  jf_object_release(list);
  return moved;
}

static int32_t make_tuples(void) {
  jf_object* tuple = tuple_of_text(WORDS);
  jf_object* twice = tuple ? jf_tuple_repeat(tuple, 2) : NULL;
  jf_object* both = twice ? jf_tuple_concat(twice, tuple) : NULL;
  jf_object* slice = both ? jf_tuple_slice(both, JF_NO_INDEX, JF_NO_INDEX, -1) : NULL;
  jf_object_release(tuple);
  jf_object_release(twice);
  jf_object_release(both);
  jf_object_release(slice);
  return slice ? 0 : -1;
}

static int32_t make_of_views(void) {
  jf_span span = {
      "a text that is so long that it is no slot of any tuple: more than one hundred and twenty-seven bytes "
      "are no small value, however large the pad is",
      146};
  jf_object* moved = jf_str_new("moved", 5);
  if (!moved) return -1;
  jf_any views[] = {{JF_RVALUE, 0, {.v_rvalue = &moved}}, {JF_STR_VIEW, 0, {.v_span = &span}}};
  jf_object* tuple = jf_tuple_new(views, 2);
  jf_object* list = tuple ? jf_list_of(views + 1, 1, -1) : NULL;
  CHECK(!tuple == !!moved);
  jf_object_release(moved);
  jf_object_release(tuple);
  jf_object_release(list);
  return list ? 0 : -1;
}

static void test_without_memory(void) {
  SURVIVES(make_tuples);
  SURVIVES(make_of_views);
  SURVIVES(append_parts);
}

int main(void) {
  RUN(test_new);
  RUN(test_r_values);
  RUN(test_of_other_items);
  RUN(test_of_parts);
  RUN(test_parts_that_are_objects);
  RUN(test_parts_that_take_longer);
  RUN(test_a_bad_part);
  RUN(test_without_memory);
  return finish();
}
