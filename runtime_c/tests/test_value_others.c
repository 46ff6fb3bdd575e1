/* Objects of others in containers: their operations, and what happens when those change the container under its feet. */
#include "testhelper.h"

/* Equal to all of its kind with the same number; before it says so, it does what was asked for. */
typedef struct {
  jf_object header;
  int64_t number;
} moody;

static void (*on_equal)(void); /* runs once */
static int fails;
static jf_object* touched; /* what on_equal changes */

static void run_once(void) {
  void (*what)(void) = on_equal;
  on_equal = NULL;
  if (what) what();
}

static int64_t number_of(const jf_any* slot) {
  return slot->type_code == JF_INT      ? slot->v_int64
         : slot->type_code == JF_OBJECT ? ((moody*)slot->v_object)->number
                                        : -1;
}

static int32_t equal_moody(const jf_any* a, const jf_any* b) {
  const int32_t same = number_of(a) == number_of(b);
  run_once();
  if (fails) jf_error_set("ValueError", "in no mood");
  return fails ? -1 : same;
}

static int32_t hash_moody(jf_object* object, uint64_t* hash) {
  *hash = (uint64_t)((moody*)object)->number;
  return 0;
}

static int32_t compare_moody(const jf_any* a, const jf_any* b, int32_t operation, int32_t* result) {
  run_once();
  *result = operation == JF_LT ? number_of(a) < number_of(b) : number_of(a) > number_of(b);
  return 0;
}

static int32_t truth_moody(jf_object* object) { return ((moody*)object)->number != 0; }

static int32_t moody_code(void) {
  static const jf_type_operations operations = {
      .equal = equal_moody, .hash = hash_moody, .compare = compare_moody, .truth = truth_moody};
  static int32_t code;
  if (!code) {
    code = jf_type_register("test.Moody", JF_ROOT);
    CHECK(jf_type_set_operations(code, &operations) == 0);
  }
  return code;
}

static jf_object* new_moody(int64_t number) {
  moody* object = jf_object_new(sizeof *object, moody_code(), NULL);
  object->number = number;
  return &object->header;
}

static void set(jf_object* map, jf_any key, jf_any value) { CHECK(jf_map_set(map, &key, &value) == 0); }

static void test_operations_are_inherited(void) {
  const int32_t below = jf_type_register("test.MoodyChild", moody_code());
  const int32_t of_list = jf_type_register("test.MyList", JF_LIST);
  CHECK(jf_type_get_operations(below) == jf_type_get_operations(moody_code()));
  CHECK(jf_type_get_operations(below) != NULL && jf_type_get_operations(of_list) == NULL);
  CHECK(jf_type_get_operations(JF_LIST) == NULL && jf_type_get_operations(-3) == NULL);
  CHECK(jf_type_get_operations(INT32_MAX) == NULL);
  CHECK(jf_type_set_operations(-3, NULL) == -1);
  CHECK_ERROR("ValueError: type code -3 is no object type's: it cannot have operations");
  CHECK(jf_type_set_operations(12345, NULL) == -1);
  CHECK_ERROR("ValueError: type code 12345 is no object type's: it cannot have operations");
}

static void test_either_side_is_asked(void) {
  jf_object *three = new_moody(3), *twin = new_moody(3);
  const jf_any object = slot_of_object(three), other = slot_of_object(twin), number = slot_of_int(3);
  int32_t result;
  CHECK(jf_any_equal(&object, &number) == 1 && jf_any_equal(&number, &object) == 1);
  CHECK(jf_any_equal(&object, &other) == 1);
  CHECK(jf_any_compare(&number, &object, JF_LT, &result) == 0 && result == 0);
  CHECK(jf_any_compare(&number, &object, JF_NE, &result) == 0 && result == 0);
  CHECK(jf_any_truth(&object) == 1);
  fails = 1;
  CHECK(jf_any_equal(&object, &object) == 1); /* nobody is asked: it is the same one */
  CHECK(jf_any_equal(&object, &number) == -1);
  CHECK_ERROR("ValueError: in no mood");
  fails = 0;
  jf_object* map = jf_map_new(0, -1);
  set(map, number, slot_of_int(1000000));
  CHECK(jf_map_has(map, &object) == 1);
  set(map, object, slot_of_int(2000000));
  CHECK(jf_map_size(map) == 1);
  jf_object_release(map);
  jf_object_release(three);
  jf_object_release(twin);
}

static void test_equality_without_a_hash(void) {
  static const jf_type_operations operations = {.equal = equal_moody};
  const int32_t code = jf_type_register("test.NoHash", JF_ROOT);
  CHECK(jf_type_set_operations(code, &operations) == 0);
  jf_object* object = jf_object_new(sizeof(moody), code, NULL);
  const jf_any view = slot_of_object(object);
  uint64_t hash;
  CHECK(jf_any_hash(&view, &hash) == -1);
  CHECK_ERROR("TypeError: unhashable type: 'test.NoHash'");
  jf_object_release(object);
}

/* -- maps that change while keys are compared -- */

static void clear_map(void) { jf_map_clear(touched); }
static void fill_map(void) {
  for (int64_t i = 1000; i < 1100; i++) set(touched, slot_of_int(i), slot_of_int(i));
}
static void delete_five(void) {
  const jf_any five = slot_of_int(5);
  CHECK(jf_map_delete(touched, &five) == 1);
}
static void reserve_much(void) { CHECK(jf_map_reserve(touched, 5000) == 0); }

/* A map with the ints to `count`, and an object as its key 5. */
static jf_object* map_with_moody(int64_t count, int32_t pad) {
  jf_object *map = jf_map_new(0, pad), *five = new_moody(5);
  for (int64_t i = 0; i < count; i++) {
    set(map, i == 5 ? slot_of_object(five) : slot_of_int(i), slot_of_raw("a value of twenty-one"));
  }
  jf_object_release(five);
  return map;
}

static void test_lookups_start_again(void) {
  static void (*const changes[])(void) = {clear_map, fill_map, delete_five, reserve_much};
  static const int32_t is_there[] = {0, 1, 0, 1};
  for (int64_t size = 6; size < 60; size += 50) {
    for (int i = 0; i < 4; i++) {
      const jf_any five = slot_of_int(5), value = slot_of_raw("another value, also long");
      jf_object* map = touched = map_with_moody(size, i);
      on_equal = changes[i];
      CHECK(jf_map_has(map, &five) == is_there[i]);
      jf_object_release(map);
      touched = map = map_with_moody(size, i);
      on_equal = changes[i];
      CHECK(jf_map_set(map, &five, &value) == 0 && jf_map_has(map, &five) == 1);
      jf_object_release(map);
      touched = map = map_with_moody(size, i);
      on_equal = changes[i];
      jf_value out = null_out(8);
      CHECK(jf_map_setdefault(map, &five, &value, &out) == 0);
      jf_any_release(&out);
      CHECK(jf_map_has(map, &five) == 1);
      on_equal = NULL;
      jf_object_release(map);
      touched = map = map_with_moody(size, i);
      on_equal = changes[i];
      out = null_out(8);
      CHECK(jf_map_pop(map, &five, &out) == is_there[i]);
      jf_any_release(&out);
      jf_object_release(map);
    }
  }
}

static void test_failing_comparison_changes_nothing(void) {
  jf_object* map = map_with_moody(20, -1);
  const jf_any five = slot_of_int(5);
  fails = 1;
  CHECK(jf_map_set(map, &five, &five) == -1);
  CHECK_ERROR("ValueError: in no mood");
  CHECK(jf_map_delete(map, &five) == -1);
  CHECK_ERROR("ValueError: in no mood");
  jf_object* other = jf_map_new(0, -1);
  fails = 0;
  set(other, slot_of_int(100), five);
  set(other, five, five);
  fails = 1;
  CHECK(jf_map_update(map, other) == -1);
  CHECK_ERROR("ValueError: in no mood");
  fails = 0;
  CHECK(jf_map_size(map) == 20);
  jf_object_release(other);
  jf_object_release(map);
}

static void test_update_of_a_changing_map(void) {
  jf_object *map = map_with_moody(20, -1), *other = jf_map_new(0, -1);
  set(other, slot_of_int(5), slot_of_int(1));
  set(other, slot_of_raw("a long key that is an object"), slot_of_int(1));
  for (int i = 0; i < 2; i++) {
    touched = i ? map : other;
    on_equal = i ? fill_map : clear_map;
    CHECK(jf_map_update(map, other) == -1);
    CHECK_ERROR("RuntimeError: map changed during update");
    set(other, slot_of_int(5), slot_of_int(1));
  }
  CHECK(jf_map_size(map) == 120 && jf_map_update(map, other) == 0 && jf_map_size(map) == 120);
  jf_object_release(map);
  jf_object_release(other);
}

static void test_maps_that_change_while_compared(void) {
  static void (*const changes[])(void) = {clear_map, fill_map, delete_five, reserve_much};
  for (int i = 0; i < 4; i++) {
    jf_object *a = map_with_moody(30, 2), *b = map_with_moody(30, 0);
    const jf_any a_view = slot_of_object(a), b_view = slot_of_object(b);
    CHECK(jf_any_equal(&a_view, &b_view) == 1);
    for (int k = 0; k < 2; k++) {
      touched = k ? a : b;
      on_equal = changes[i];
      CHECK(jf_any_equal(&a_view, &b_view) >= 0);
    }
    on_equal = NULL;
    jf_object_release(a);
    jf_object_release(b);
  }
}

/* -- lists -- */

static void clear_list(void) { jf_list_clear(touched); }

static jf_object* list_with_moody(int64_t number) {
  jf_object *list = jf_list_new(0, 2), *object = new_moody(number);
  const jf_any views[3] = {slot_of_int(70000), slot_of_object(object), slot_of_raw("twenty characters...")};
  for (int i = 0; i < 3; i++) CHECK(jf_list_append(list, &views[i]) == 0);
  jf_object_release(object);
  return list;
}

static void test_lists_that_change_while_compared(void) {
  for (int k = 0; k < 4; k++) {
    jf_object *a = list_with_moody(1), *b = list_with_moody(k / 2);
    const jf_any a_view = slot_of_object(a), b_view = slot_of_object(b);
    int32_t result;
    touched = k % 2 ? a : b;
    on_equal = clear_list;
    CHECK(jf_any_equal(&a_view, &b_view) == 0);
    on_equal = clear_list;
    CHECK(jf_any_compare(&a_view, &b_view, JF_LT, &result) == 0 && result == (k % 2));
    on_equal = NULL;
    jf_object_release(a);
    jf_object_release(b);
  }
}

static void test_order_of_items(void) {
  jf_object *a = list_with_moody(1), *b = list_with_moody(2);
  const jf_any a_view = slot_of_object(a), b_view = slot_of_object(b);
  int32_t result;
  CHECK(jf_any_compare(&a_view, &b_view, JF_LT, &result) == 0 && result == 1);
  CHECK(jf_any_compare(&b_view, &a_view, JF_LT, &result) == 0 && result == 0);
  jf_object_release(a);
  jf_object_release(b);
}

/* -- deleters that use the map -- */

static int deleted;

static void delete_and_touch(jf_object* object) {
  const jf_any key = slot_of_int(12345 + deleted++);
  if (touched) {
    CHECK(jf_map_set(touched, &key, &key) == 0 && jf_map_has(touched, &key) == 1);
    if (deleted % 3 == 0) jf_map_clear(touched);
  }
  jf_object_free(object);
}

static void give(jf_object* map, int64_t key_number) {
  jf_object *key = jf_object_new(sizeof *key, JF_ROOT, delete_and_touch),
            *value = jf_object_new(sizeof *value, JF_ROOT, delete_and_touch);
  set(map, slot_of_int(key_number), slot_of_object(value));
  set(map, slot_of_object(key), slot_of_raw("text in a slot, long"));
  jf_object_release(key);
  jf_object_release(value);
}

static void test_deleters_use_the_map(void) {
  for (int round = 0; round < 6; round++) {
    jf_object *map = jf_map_new(0, 2), *keys;
    for (int64_t i = 0; i < 10; i++) give(map, i);
    touched = map;
    deleted = round;
    if (round % 2) {
      keys = jf_map_keys(map);
      for (size_t i = 0; i < jf_list_size(keys); i++) {
        jf_view key;
        CHECK(jf_list_peek(keys, (int64_t)i, &key) == 0);
        CHECK(jf_map_delete(map, &key) >= 0);
      }
      jf_object_release(keys);
    } else if (round == 2) {
      for (int64_t i = 0; i < 10; i++) set(map, slot_of_int(i), slot_of_int(100000));
    }
    jf_map_clear(map);
    touched = NULL;
    jf_object_release(map);
  }
}

int main(void) {
  RUN(test_operations_are_inherited);
  RUN(test_either_side_is_asked);
  RUN(test_equality_without_a_hash);
  RUN(test_lookups_start_again);
  RUN(test_failing_comparison_changes_nothing);
  RUN(test_update_of_a_changing_map);
  RUN(test_maps_that_change_while_compared);
  RUN(test_lists_that_change_while_compared);
  RUN(test_order_of_items);
  RUN(test_deleters_use_the_map);
  return finish();
}
