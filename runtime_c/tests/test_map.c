/* Maps: each function, with values. */
#include "map.h"
#include "testhelper.h"

static jf_object* map_of_ints(int64_t count) {
  jf_object* map = jf_map_new(0, -1);
  for (int64_t i = 0; i < count; i++) {
    const jf_any key = slot_of_int(i), value = slot_of_int(i * 10000);
    CHECK(jf_map_set(map, &key, &value) == 0);
  }
  return map;
}

static int64_t int_at(const jf_object* map, jf_any key) {
  jf_value out = null_out(8);
  if (jf_map_get(map, &key, &out) != 1) return -1;
  CHECK(out.type_code == JF_INT);
  return out.v_int64;
}

static void set_int(jf_object* map, jf_any key, int64_t number) {
  const jf_any value = slot_of_int(number);
  CHECK(jf_map_set(map, &key, &value) == 0);
}

#define CHECK_TEXT_OF(map, expected) check_text_of(map, expected, __FILE__, __LINE__)
static void check_text_of(jf_object* object, const char* expected, const char* file, int line) {
  jf_value out = null_out(8);
  const jf_any view = slot_of_object(object);
  if (check(jf_any_repr(&view, &out) == 0, "repr", file, line)) {
    check_text(jf_any_text(&out).data, expected, file, line);
  }
  jf_any_release(&out);
}

static void test_an_empty_map(void) {
  jf_object* map = jf_map_new(0, 20);
  jf_any key = slot_of_int(1);
  jf_value out = null_out(8), value = null_out(8);
  CHECK(jf_map_size(map) == 0 && jf_map_pad(map) == 15);
  CHECK(jf_map_get(map, &key, &out) == 0 && out.type_code == JF_NULL && out.small_len == 0);
  CHECK(jf_map_has(map, &key) == 0 && jf_map_delete(map, &key) == 0);
  CHECK(jf_map_pop(map, &key, &out) == 0);
  CHECK(jf_map_popitem(map, &out, &value) == -1);
  CHECK_ERROR("KeyError: popitem(): map is empty");
  jf_map_iterator iterator = {0};
  CHECK(jf_map_next(map, &iterator, &out, &value) == 0);
  jf_map_clear(map);
  CHECK_TEXT_OF(map, "{}");
  jf_object_release(map);
}

static void test_one_key_in_many_forms(void) {
  jf_object* map = jf_map_new(0, -1);
  const jf_any one_float = slot_of_float(1), yes = {JF_BOOL, 0, {1}};
  set_int(map, slot_of_int(1), 5000);
  set_int(map, one_float, 6000);
  set_int(map, yes, 7000);
  CHECK(jf_map_size(map) == 1 && int_at(map, one_float) == 7000);
  CHECK_TEXT_OF(map, "{1: 7000}"); /* the key that was first */
  const jf_any wide = {JF_SMALL_UCS4, 2, {.v_char32 = {'a', 'b'}}}, narrow = {JF_SMALL_STR, 2, {.v_bytes = "ab"}};
  const jf_any bytes = {JF_SMALL_BYTES, 2, {.v_bytes = "ab"}};
  set_int(map, narrow, 1);
  set_int(map, wide, 2);
  set_int(map, bytes, 3);
  CHECK_TEXT_OF(map, "{1: 7000, 'ab': 2, b'ab': 3}");
  set_int(map, slot_of_float(0.0), 4);
  CHECK(int_at(map, slot_of_float(-0.0)) == 4 && int_at(map, slot_of_int(0)) == 4);
  jf_object_release(map);
}

static void test_order_is_that_of_insertion(void) {
  jf_object* map = map_of_ints(5);
  const jf_any two = slot_of_int(2), none = {JF_NULL, 0, {0}};
  set_int(map, two, 1);
  CHECK_TEXT_OF(map, "{0: 0, 1: 10000, 2: 1, 3: 30000, 4: 40000}");
  CHECK(jf_map_delete(map, &two) == 1 && jf_map_set(map, &two, &none) == 0);
  CHECK_TEXT_OF(map, "{0: 0, 1: 10000, 3: 30000, 4: 40000, 2: None}");
  jf_object *keys = jf_map_keys(map), *values = jf_map_values(map), *items = jf_map_items(map);
  CHECK_TEXT_OF(keys, "[0, 1, 3, 4, 2]");
  CHECK_TEXT_OF(values, "[0, 10000, 30000, 40000, None]");
  CHECK_TEXT_OF(items, "[(0, 0), (1, 10000), (3, 30000), (4, 40000), (2, None)]");
  jf_value key = null_out(8), value = null_out(8);
  CHECK(jf_map_popitem(map, &key, &value) == 0 && key.v_int64 == 2 && value.type_code == JF_NULL);
  key = value = null_out(8);
  CHECK(jf_map_popitem(map, &key, &value) == 0 && key.v_int64 == 4 && value.v_int64 == 40000);
  jf_object* all[] = {map, keys, values, items};
  for (int i = 0; i < 4; i++) jf_object_release(all[i]);
}

static void test_long_text(void) {
  jf_object* map = jf_map_new(0, 1);
  const jf_any key = slot_of_raw("twelve chars"), value = slot_of_raw("more than the slots of this map have room for");
  CHECK(jf_map_set(map, &key, &value) == 0);
  jf_view peeked;
  CHECK(jf_map_peek(map, &key, &peeked) == 1 && peeked.type_code == JF_OBJECT);
  jf_value out = null_out(8);
  CHECK(jf_map_get(map, &key, &out) == 1 && out.v_object == peeked.v_object);
  jf_any_release(&out);
  CHECK(jf_map_set(map, &value, &key) == 0 && jf_map_peek(map, &value, &peeked) == 1);
  CHECK(peeked.type_code == JF_ANY_PTR); /* in a slot of the map */
  CHECK(jf_map_get(map, &value, &out) == 1 && out.type_code == JF_OBJECT);
  jf_any_release(&out);
  wide_slot wide = {null_out(24)};
  CHECK(jf_map_pop(map, &value, &wide.slot) == 1 && wide.slot.type_code == JF_SMALL_STR && wide.slot.small_len == 12);
  CHECK(jf_map_size(map) == 1);
  jf_object_release(map);
}

static void test_objects_are_moved_and_shared(void) {
  jf_object *map = jf_map_new(0, -1), *list = jf_list_new(0, -1), *kept = list;
  const jf_any key = slot_of_int(1), view = slot_of_object(list), moved = {JF_RVALUE, 0, {.v_rvalue = &list}};
  CHECK(jf_map_set(map, &key, &view) == 0 && kept->ref_count == 2);
  CHECK(jf_map_set(map, &key, &moved) == 0 && kept->ref_count == 1 && !list);
  jf_value out = null_out(8);
  CHECK(jf_map_get(map, &key, &out) == 1 && out.v_object == kept && kept->ref_count == 2);
  jf_any_release(&out);
  CHECK(jf_map_set(map, &key, &moved) == -1);
  CHECK_ERROR("ValueError: the object of an r-value reference was taken before");
  CHECK(jf_map_size(map) == 1 && kept->ref_count == 1);
  list = jf_list_new(0, -1);
  const jf_any bad = {JF_DLTENSOR, 0, {.v_handle = &out}}, two = slot_of_int(2);
  jf_object* text = jf_str_new("a key", 5);
  const jf_any moved_key = {JF_RVALUE, 0, {.v_rvalue = &text}};
  CHECK(jf_map_set(map, &moved_key, &bad) == -1 && text != NULL && text->ref_count == 1); /* it was given back */
  CHECK_ERROR("ValueError: a borrowed DLTensor cannot become a value: pass an nd-array, which is counted");
  CHECK(jf_map_setdefault(map, &two, &moved, &out) == 0 && !list && out.v_object->ref_count == 2);
  jf_any_release(&out);
  jf_object_release(text);
  jf_object_release(map);
}

static void test_keys_without_hash(void) {
  jf_object *map = map_of_ints(1), *list = jf_list_new(0, -1);
  const jf_any key = slot_of_object(list);
  jf_value out = null_out(8);
  CHECK(jf_map_set(map, &key, &key) == -1);
  CHECK_ERROR("TypeError: unhashable type: 'list'");
  CHECK(jf_map_get(map, &key, &out) == -1 && out.type_code == JF_NULL);
  CHECK_ERROR("TypeError: unhashable type: 'list'");
  CHECK(jf_map_has(map, &key) == -1);
  CHECK_ERROR("TypeError: unhashable type: 'list'");
  CHECK(jf_map_setdefault(map, &key, &key, &out) == -1);
  CHECK_ERROR("TypeError: unhashable type: 'list'");
  CHECK(jf_map_delete(map, &key) == -1);
  CHECK_ERROR("TypeError: unhashable type: 'list'");
  CHECK(jf_map_size(map) == 1);
  jf_object_release(map);
  jf_object_release(list);
}

static void test_setdefault(void) {
  jf_object* map = jf_map_new(0, 2);
  const jf_any key = slot_of_raw("key"), text = slot_of_raw("some twenty bytes..."), number = slot_of_int(1);
  wide_slot out = {null_out(24)};
  CHECK(jf_map_setdefault(map, &key, &text, &out.slot) == 0 && out.slot.small_len == 20);
  out.slot = null_out(24);
  CHECK(jf_map_setdefault(map, &key, &number, &out.slot) == 0 && out.slot.small_len == 20);
  CHECK_TEXT_OF(map, "{'key': 'some twenty bytes...'}");
  jf_object_release(map);
}

static void test_adding_to_ints(void) {
  jf_object *map = jf_map_new(0, 0), *list = jf_list_new(0, 0);
  const jf_any word = slot_of_raw("word"), other = slot_of_raw("other"), one = slot_of_int(1),
               half = slot_of_float(0.5);
  const jf_any most = slot_of_int(INT64_MAX), none = slot_of_object(list);
  jf_any out = null_out(8);
  CHECK(jf_map_add_int(map, &word, 1) == 0 && jf_map_size(map) == 0);
  CHECK(jf_map_set(map, &word, &one) == 0 && jf_map_set(map, &other, &half) == 0);
  CHECK(jf_map_add_int(map, &word, 1) == 1 && jf_map_add_int(map, &word, 5000) == 1);
  CHECK(jf_map_add_int(map, &word, -2) == 1 && jf_map_add_int(map, &other, 1) == 0);
  CHECK(jf_map_get(map, &word, &out) == 1 && out.type_code == JF_INT && out.v_int64 == 5000);
  CHECK(jf_map_set(map, &word, &most) == 0 && jf_map_add_int(map, &word, 1) == 0);
  CHECK(jf_map_add_int(map, &none, 1) == -1);
  CHECK_ERROR("TypeError: unhashable type: 'list'");
  jf_object_release(list);
  jf_object_release(map);
}

static void test_clear_and_use_again(void) {
  jf_object* map = map_of_ints(100);
  jf_map_clear(map);
  CHECK(jf_map_size(map) == 0 && ((jf_map*)map)->capacity == 0);
  set_int(map, slot_of_int(7), 70000);
  CHECK(int_at(map, slot_of_int(7)) == 70000 && int_at(map, slot_of_int(8)) == -1);
  jf_object_release(map);
}

static void test_copies_are_independent(void) {
  jf_object *map = map_of_ints(50), *shared = map;
  const jf_any three = slot_of_int(3);
  CHECK(jf_map_delete(map, &three) == 1);
  jf_object* copy = jf_map_copy(map);
  CHECK(((jf_map*)copy)->capacity == 49 && ((jf_map*)copy)->used == 49);
  set_int(copy, three, 1);
  CHECK(jf_map_has(map, &three) == 0 && int_at(copy, three) == 1 && int_at(copy, slot_of_int(49)) == 490000);
  CHECK(jf_map_unshare(&shared) == 0 && shared == map);
  jf_object_retain(map);
  CHECK(jf_map_unshare(&shared) == 0 && shared != map && map->ref_count == 1);
  const jf_any a = slot_of_object(shared), b = slot_of_object(map);
  CHECK(jf_any_equal(&a, &b) == 1);
  jf_object_release(shared);
  jf_object_release(copy);
  jf_object_release(map);
}

static void test_update(void) {
  jf_object *map = map_of_ints(3), *other = jf_map_new(0, 4);
  const jf_any text = slot_of_raw("thirty characters and no more."), two = slot_of_float(2);
  CHECK(jf_map_set(other, &two, &text) == 0 && jf_map_set(other, &text, &two) == 0);
  CHECK(jf_map_update(map, other) == 0);
  CHECK_TEXT_OF(map, "{0: 0, 1: 10000, 2: 'thirty characters and no more.', 'thirty characters and no more.': 2.0}");
  CHECK(jf_map_update(map, map) == 0 && jf_map_size(map) == 4);
  jf_map_clear(other);
  CHECK(jf_map_update(map, other) == 0 && jf_map_size(map) == 4);
  CHECK(jf_map_update(other, map) == 0 && jf_map_size(other) == 4);
  jf_object_release(map);
  jf_object_release(other);
}

static void test_iterating(void) {
  jf_object* map = map_of_ints(4);
  jf_map_iterator iterator = {0}, backwards = {.reversed = 1}, third = {0};
  jf_view key, back, value;
  for (int64_t i = 0; i < 4; i++) {
    CHECK(jf_map_next(map, &iterator, &key, &value) == 1 && key.v_int64 == i && value.v_int64 == i * 10000);
    CHECK(jf_map_next(map, &backwards, &back, NULL) == 1 && back.v_int64 == 3 - i);
    set_int(map, key, value.v_int64); /* values may change */
    CHECK(jf_map_reserve(map, 64 << i) == 0);
  }
  CHECK(jf_map_next(map, &iterator, &key, &value) == 0 && jf_map_next(map, &backwards, NULL, NULL) == 0);
  CHECK(jf_map_next(map, &third, NULL, NULL) == 1);
  set_int(map, slot_of_int(9), 1);
  CHECK(jf_map_next(map, &third, &key, &value) == -1 && key.type_code == JF_NULL);
  CHECK_ERROR("RuntimeError: map changed size during iteration");
  CHECK(jf_map_next(map, &iterator, &key, &value) == 0); /* the end is for good */
  jf_map_iterator fourth = {0};
  CHECK(jf_map_next(map, &fourth, NULL, NULL) == 1);
  const jf_any nine = slot_of_int(9);
  CHECK(jf_map_delete(map, &nine) == 1);
  set_int(map, slot_of_int(10), 1);
  CHECK(jf_map_next(map, &fourth, NULL, NULL) == -1);
  CHECK_ERROR("RuntimeError: map keys changed during iteration");
  jf_object_release(map);
}

static void test_reserve(void) {
  jf_object* object = jf_map_new(1000, -1);
  const jf_map* map = (const jf_map*)object;
  const jf_map_entry* entries = map->entries;
  CHECK(map->capacity == 1000 && map->index_mask + 1 == 2048);
  for (int64_t i = 0; i < 1000; i++) set_int(object, slot_of_int(i), i);
  CHECK(map->entries == entries && map->capacity == 1000);
  CHECK(jf_map_reserve(object, SIZE_MAX) == -1);
  CHECK_ERROR("MemoryError: out of memory");
  CHECK(jf_map_reserve(object, 10) == 0 && map->capacity == 1000);
  jf_object_release(object);
  CHECK(jf_map_new(SIZE_MAX / 2, -1) == NULL);
  CHECK_ERROR("MemoryError: out of memory");
}

/* Keys whose low bits, or high bits, are all the same; and a great many in a row. */
static void test_patterns_of_ints(void) {
  static const int shifts[] = {0, 1, 8, 16, 32, 40, 48};
  for (size_t s = 0; s < sizeof shifts / sizeof shifts[0]; s++) {
    jf_object* map = jf_map_new(0, -1);
    for (int64_t i = 0; i < 3000; i++) set_int(map, slot_of_int(i << shifts[s]), i);
    for (int64_t i = 0; i < 3000; i += 7) CHECK(int_at(map, slot_of_int(i << shifts[s])) == i);
    CHECK(jf_map_size(map) == 3000);
    jf_object_release(map);
  }
}

/* Keys in no order come and go at the end, where no hole is ever closed, at the most that the index holds: lines of it become full
 * again and again. */
static void test_ever_new_keys_at_the_end(void) {
  enum { KEPT = 680, TURNS = 60000 };
  jf_object* map = jf_map_new(KEPT + 2, -1);
  uint64_t random = 1;
  jf_value key = null_out(0), value = null_out(0);
  for (int64_t i = 0; i < KEPT; i++)
    set_int(map, slot_of_int((int64_t)((random = random * 6364136223846793005u + 1) >> 20)), i);
  for (int64_t i = 0; i < TURNS; i++) {
    const jf_any added = slot_of_int((int64_t)((random = random * 6364136223846793005u + 1) >> 20));
    set_int(map, added, i);
    CHECK(jf_map_popitem(map, &key, &value) == 0 && key.v_int64 == added.v_int64 && value.v_int64 == i);
    key = value = null_out(0);
    CHECK(jf_map_has(map, &added) == 0);
  }
  CHECK(jf_map_size(map) == KEPT);
#ifdef JITFFI_HOSTILE
  CHECK(jf_map_ok((const jf_map*)map));
#endif
  jf_object_release(map);
}

static void test_deep_nests_are_released(void) {
  jf_object* nest = jf_map_new(0, -1);
  const jf_any key = slot_of_int(1);
  for (int i = 0; i < 100000; i++) {
    jf_object* outer = jf_map_new(0, -1);
    const jf_any moved = {JF_RVALUE, 0, {.v_rvalue = &nest}};
    CHECK(jf_map_set(outer, &key, &moved) == 0);
    nest = outer;
  }
  CHECK(jf_live_objects() == 100001);
  jf_object_release(nest);
}

/* -- without memory -- */

static jf_object* standing; /* must be as it was after each failure */

static int32_t change_all(void) {
  jf_object* map = jf_map_copy(standing);
  const jf_any key = slot_of_raw("a key that is an object for its size"),
               text = slot_of_raw("and so is the value, here");
  jf_value out = null_out(8);
  int32_t status = map ? jf_map_set(map, &key, &text) : -1;
  if (status == 0) status = jf_map_update(map, standing);
  if (status == 0) status = jf_map_setdefault(map, &text, &key, &out);
  jf_any_release(&out);
  if (status == 0) {
    jf_object* items = jf_map_items(map);
    status = items ? 0 : -1;
    jf_object_release(items);
  }
  jf_object_release(map);
  return status;
}

static void test_without_memory(void) {
  standing = map_of_ints(30);
  jf_object* before = jf_map_copy(standing);
  const jf_any text = slot_of_raw("fifteen bytes..");
  CHECK(jf_map_set(standing, &text, &text) == 0);
  SURVIVES(change_all);
  CHECK(jf_map_delete(standing, &text) == 1);
  const jf_any a = slot_of_object(before), b = slot_of_object(standing);
  CHECK(jf_any_equal(&a, &b) == 1);
  jf_object_release(before);
  jf_object_release(standing);
}

static int32_t has_views(const jf_object* map, const jf_view* views, size_t count) {
  jf_map_entry* entry = NULL;
  const int32_t found = jf_map_seek_views(map, views, count, &entry);
  CHECK((found == 1) == (entry != NULL));
  return found;
}

static void test_keys_that_are_not_made(void) {
  jf_object* map = jf_map_new(0, -1);
  const jf_any one = slot_of_int(1), value = slot_of_int(7), text = slot_of_raw("some text, long enough");
  jf_any number = {JF_FLOAT, 0, {.v_float64 = 1.0}};
  const jf_view pairs[][2] = {{one, one}, {one, text}, {text, text}, {text, one}, {one, slot_of_int(-1)}};
  const int64_t before = jf_live_objects();
  for (size_t i = 0; i < 5; i++) CHECK(has_views(map, pairs[i], 2) == 0);
  CHECK(jf_live_objects() == before);
  for (size_t i = 0; i < 5; i++) CHECK(jf_map_set_views(map, pairs[i], 2, &value) == 0);
  CHECK(jf_map_size(map) == 5);
  for (size_t i = 0; i < 5; i++) {
    jf_object* made = jf_tuple_new(pairs[i], 2);
    const jf_any key = slot_of_object(made);
    CHECK(has_views(map, pairs[i], 2) == 1 && has_views(map, pairs[i], 1) == 0 && int_at(map, key) == 7);
    CHECK(jf_map_set(map, &key, &value) == 0 && jf_map_size(map) == 5);
    jf_object_release(made);
  }
  const jf_view equal[2] = {number, one};
  CHECK(has_views(map, equal, 2) == 1); /* 1.0 is 1 */
  /* What runs code when it is compared is made first: a tuple within, say. */
  jf_object* inner = jf_tuple_new(&one, 1);
  const jf_view nested[2] = {slot_of_object(inner), one};
  CHECK(has_views(map, nested, 2) == 0 && jf_map_set_views(map, nested, 2, &value) == 0);
  CHECK(has_views(map, nested, 2) == 1 && jf_map_size(map) == 6);
  jf_object* list = jf_list_new(0, -1);
  const jf_view unhashable[2] = {slot_of_object(list), one};
  CHECK(has_views(map, unhashable, 2) == -1);
  CHECK_ERROR("TypeError: unhashable type: 'list'");
  CHECK(jf_map_set_views(map, unhashable, 2, &value) == -1 && jf_map_size(map) == 6);
  CHECK_ERROR("TypeError: unhashable type: 'list'");
  jf_object_release(inner);
  jf_object_release(list);
  jf_object_release(map);
}

static void test_counting(void) {
  jf_object* map = jf_map_new(0, -1);
  jf_ucs4_span ascii = {U"ab", 2}, wide = {U"a\u4e09", 2};
  const jf_any one = slot_of_int(1), word = slot_of_raw("word"), most = slot_of_int(INT64_MAX);
  const jf_any narrow = {JF_UCS4_VIEW, 0, {.v_ucs4_span = &ascii}}, han = {JF_UCS4_VIEW, 0, {.v_ucs4_span = &wide}};
  for (int64_t i = 0; i < 3; i++) {
    CHECK(jf_map_count(map, &word, 10, 1) == 1 && int_at(map, word) == 10 + i);
    CHECK(jf_map_count(map, &han, 20, 2) == 1 && int_at(map, han) == 20 + 2 * i);
    const jf_view pair[2] = {word, one}, other[2] = {word, han};
    CHECK(jf_map_count_views(map, pair, 2, 5000, 1) == 1 && jf_map_count_views(map, other, 2, 1, 1) == 1);
    jf_object* made = jf_tuple_new(pair, 2);
    CHECK(int_at(map, slot_of_object(made)) == 5000 + i);
    jf_object_release(made);
  }
  CHECK(jf_map_size(map) == 4);
  /* Text that is to be made narrow first; a sum that is no int; a value that is none: whoever calls does it. */
  const jf_view pair[2] = {one, narrow};
  CHECK(jf_map_count(map, &narrow, 1, 1) == 2 && jf_map_count_views(map, pair, 2, 1, 1) == 2 && jf_map_size(map) == 4);
  CHECK(jf_map_set(map, &word, &most) == 0 && jf_map_count(map, &word, 1, 1) == 0 && int_at(map, word) == INT64_MAX);
  CHECK(jf_map_set(map, &word, &word) == 0 && jf_map_count(map, &word, 1, 1) == 0);
  jf_object* inner = jf_tuple_new(&one, 1);
  const jf_view nested[2] = {slot_of_object(inner), one};
  CHECK(jf_map_count_views(map, nested, 2, 1, 1) == 0);
  jf_object* list = jf_list_new(0, -1);
  const jf_view unhashable[2] = {slot_of_object(list), one};
  CHECK(jf_map_count_views(map, unhashable, 2, 1, 1) == 0); /* whoever makes it finds out */
  CHECK(jf_map_count(map, &unhashable[0], 1, 1) == -1 && jf_map_size(map) == 4);
  CHECK_ERROR("TypeError: unhashable type: 'list'");
  const jf_any as_list = {JF_LIST, 0, {.v_uint64 = JF_POINTER_WORD(list)}}; /* its own code */
  const jf_view coded[2] = {one, as_list};
  CHECK(jf_map_set_views(map, coded, 2, &one) == -1);
  CHECK_ERROR("TypeError: unhashable type: 'list'");
  jf_object_release(inner);
  jf_object_release(list);
  jf_object_release(map);
}

static int32_t count_unmade(void) {
  jf_object* map = jf_map_new(0, -1);
  int32_t status = map ? 0 : -1;
  for (int64_t i = 0; i < 20 && status == 0; i++) {
    const jf_view items[2] = {slot_of_int(i * 5000), slot_of_raw("a text of some length")};
    if (jf_map_count_views(map, items, 2, 5000, 1) != 1 || jf_map_count(map, &items[0], 5000, 1) != 1) status = -1;
  }
  jf_object_release(map);
  return status;
}

/* Text beyond ASCII becomes UCS4, in the slot or as an object, and stays equal; so do hashes. */
static void test_items_that_are_decoded(void) {
  static const char* const texts[] = {"ascii", "\u4e09", "\u4e09\u56db\u4e94\u516d", "\u4e09\u56db\u4e94\u516d\u4e03",
                                      "\u00e9\u00e9\u00e9 and so on, so that it is no small text at all"};
  enum { COUNT = sizeof texts / sizeof *texts };
  const int64_t before = jf_live_objects();
  jf_object *list = jf_list_new(0, -1), *map = jf_map_new(0, -1);
  for (size_t i = 0; i < COUNT; i++) {
    const jf_any text = slot_of_raw(texts[i]);
    CHECK(jf_list_append(list, &text) == 0 && jf_map_set(map, &text, &text) == 0);
  }
  jf_items_decode(list);
  jf_items_decode(map);
  for (size_t i = 0; i < COUNT; i++) {
    const jf_any text = slot_of_raw(texts[i]);
    jf_any view;
    CHECK(jf_list_peek(list, (int64_t)i, &view) == 0 && jf_any_equal(&view, &text) == 1);
    const int32_t code = *((jf_list*)list)->items[i].code;
    CHECK(code == (i == 0 ? JF_SMALL_STR : i <= 2 ? JF_SMALL_UCS4 : JF_UCS4));
    CHECK(jf_map_has(map, &text) == 1 && jf_map_peek(map, &text, &view) == 1 && jf_any_equal(&view, &text) == 1);
  }
  jf_object_release(list);
  jf_object_release(map);
  CHECK(jf_live_objects() == before);
}

static int32_t set_unmade(void) {
  jf_object* map = jf_map_new(0, -1);
  int32_t status = map ? 0 : -1;
  for (int64_t i = 0; i < 20 && status == 0; i++) {
    const jf_view items[2] = {slot_of_int(i * 5000), slot_of_raw("a text of some length")};
    status = jf_map_set_views(map, items, 2, &items[1]);
  }
  jf_object_release(map);
  return status;
}

static void test_keys_that_are_not_made_without_memory(void) { SURVIVES(set_unmade); }
static void test_counting_without_memory(void) { SURVIVES(count_unmade); }

int main(void) {
  RUN(test_an_empty_map);
  RUN(test_one_key_in_many_forms);
  RUN(test_order_is_that_of_insertion);
  RUN(test_long_text);
  RUN(test_objects_are_moved_and_shared);
  RUN(test_keys_without_hash);
  RUN(test_setdefault);
  RUN(test_adding_to_ints);
  RUN(test_clear_and_use_again);
  RUN(test_copies_are_independent);
  RUN(test_update);
  RUN(test_iterating);
  RUN(test_reserve);
  RUN(test_patterns_of_ints);
  RUN(test_ever_new_keys_at_the_end);
  RUN(test_deep_nests_are_released);
  RUN(test_without_memory);
  RUN(test_keys_that_are_not_made);
  RUN(test_counting);
  RUN(test_counting_without_memory);
  RUN(test_items_that_are_decoded);
  RUN(test_keys_that_are_not_made_without_memory);
  return finish();
}
