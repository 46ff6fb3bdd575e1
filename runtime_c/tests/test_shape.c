/* Shapes. */
#include "testhelper.h"

static void test_new(void) {
  const int64_t dims[] = {2, -1, INT64_MAX};
  jf_shape* shape = (jf_shape*)jf_shape_new(dims, 3);
  CHECK(shape->header.type_code == JF_SHAPE && shape->size == 3 && shape->data != dims);
  CHECK(memcmp(shape->data, dims, sizeof dims) == 0);
  jf_object_release(&shape->header);
  shape = (jf_shape*)jf_shape_new(NULL, 0);
  CHECK(shape->size == 0);
  jf_object_release(&shape->header);
  CHECK(!jf_shape_new(dims, SIZE_MAX / 8));
  CHECK_ERROR("MemoryError: out of memory");
}

/* Also as a key, and in order. */
static void test_is_a_tuple(void) {
  const int64_t dims[] = {2, -1, INT64_MAX};
  jf_view numbers[3], key, value = {.type_code = JF_INT, .v_int64 = 5};
  for (int i = 0; i < 3; i++) numbers[i] = (jf_view){.type_code = JF_INT, .v_int64 = dims[i]};
  const jf_view shape = {.type_code = JF_OBJECT, .v_object = jf_shape_new(dims, 3)};
  const jf_view tuple = {.type_code = JF_OBJECT, .v_object = jf_tuple_new(numbers, 3)};
  const jf_view shorter = {.type_code = JF_OBJECT, .v_object = jf_tuple_new(numbers, 2)};
  uint64_t hashes[2];
  int32_t result = 0;
  CHECK(jf_any_equal(&shape, &tuple) == 1 && jf_any_equal(&tuple, &shape) == 1);
  CHECK(jf_any_equal(&shape, &shorter) == 0);
  CHECK(jf_any_hash(&shape, &hashes[0]) == 0 && jf_any_hash(&tuple, &hashes[1]) == 0 && hashes[0] == hashes[1]);
  CHECK(jf_any_compare(&shorter, &shape, JF_LT, &result) == 0 && result == 1);
  CHECK(jf_any_compare(&shape, &tuple, JF_GT, &result) == 0 && result == 0);
  jf_object* map = jf_map_new(0, -1);
  CHECK(jf_map_set(map, &tuple, &value) == 0 && jf_map_peek(map, &shape, &key) == 1 && key.v_int64 == 5);
  jf_object_release(map);
  jf_object_release(shape.v_object);
  jf_object_release(tuple.v_object);
  jf_object_release(shorter.v_object);
}

static int32_t compare(void) {
  const int64_t dim = 3;
  const jf_view number = {.type_code = JF_INT, .v_int64 = 3};
  jf_view shape = {.type_code = JF_OBJECT}, tuple = {.type_code = JF_OBJECT};
  shape.v_object = jf_shape_new(&dim, 1);
  tuple.v_object = shape.v_object ? jf_tuple_new(&number, 1) : NULL;
  const int32_t equal = tuple.v_object ? jf_any_equal(&shape, &tuple) : -1;
  jf_object_release(shape.v_object);
  jf_object_release(tuple.v_object);
  return equal == 1 ? 0 : -1;
}

static int32_t make(void) {
  const int64_t dim = 3;
  jf_object* shape = jf_shape_new(&dim, 1);
  if (!shape) return -1;
  jf_object_release(shape);
  return 0;
}

static void test_without_memory(void) {
  SURVIVES(make);
  SURVIVES(compare);
}

int main(void) {
  RUN(test_new);
  RUN(test_is_a_tuple);
  RUN(test_without_memory);
  return finish();
}
