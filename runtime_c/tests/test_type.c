/* The type table. */
#include "testhelper.h"

static void test_static_names(void) {
  CHECK_TEXT(jf_type_key(JF_INT), "int");
  CHECK_TEXT(jf_type_key(JF_SMALL_STR), "str");
  CHECK_TEXT(jf_type_key(JF_STR), "str");
  CHECK_TEXT(jf_type_key(JF_FUNCTION), "function");
  CHECK_TEXT(jf_type_key(JF_HOST_OBJECT), "host object");
  CHECK_TEXT(jf_type_key(0), "?");
  CHECK_TEXT(jf_type_key(INT32_MIN), "?");
  CHECK_TEXT(jf_type_key(INT32_MAX), "?");
  CHECK(jf_type_code("str") == JF_STR && jf_type_code("int") == JF_INT && jf_type_code("object") == JF_ROOT);
  CHECK(jf_type_code("no such type") == 0);
  for (int32_t code = JF_S0_LAST; code < 0; code++) CHECK(strcmp(jf_type_key(code), "?") != 0);
  for (int32_t code = JF_ROOT; code <= JF_HOST_OBJECT; code++) CHECK(jf_type_code(jf_type_key(code)) == code);
}

static void test_codes_are_given_once(void) {
  int32_t code = jf_type_register("test.Once", JF_ROOT);
  CHECK(code >= JF_FIRST_DYNAMIC);
  CHECK(jf_type_register("test.Once", JF_ROOT) == code && jf_type_code("test.Once") == code);
  CHECK_TEXT(jf_type_key(code), "test.Once");
  CHECK(jf_type_register("str", JF_ROOT) == JF_STR);
}

static void test_ancestors(void) {
  int32_t array = jf_type_register("test.Array", JF_NDARRAY);
  int32_t matrix = jf_type_register("test.Matrix", array);
  int32_t sparse = jf_type_register("test.Sparse", matrix);
  int32_t other = jf_type_register("test.Other", array);
  int32_t plain = jf_type_register("test.Plain", JF_ROOT);
  CHECK(jf_type_is_a(sparse, sparse) && jf_type_is_a(sparse, matrix) && jf_type_is_a(sparse, array));
  CHECK(jf_type_is_a(sparse, JF_NDARRAY) && jf_type_is_a(sparse, JF_ROOT));
  CHECK(!jf_type_is_a(matrix, sparse) && !jf_type_is_a(other, matrix) && !jf_type_is_a(sparse, other));
  CHECK(!jf_type_is_a(plain, JF_NDARRAY) && !jf_type_is_a(plain, array) && !jf_type_is_a(array, plain));
  CHECK(!jf_type_is_a(sparse, JF_STR) && !jf_type_is_a(JF_NDARRAY, array));
  CHECK(jf_type_is_a(JF_STR, JF_ROOT) && jf_type_is_a(JF_FUNCTION, JF_ROOT) && jf_type_is_a(JF_BOXED_INT, JF_ROOT));
  CHECK(!jf_type_is_a(JF_INT, JF_ROOT) && jf_type_is_a(JF_INT, JF_INT) && !jf_type_is_a(0, JF_ROOT));
  CHECK(!jf_type_is_a(100, JF_ROOT) && !jf_type_is_a(INT32_MAX, JF_ROOT) && !jf_type_is_a(sparse, INT32_MAX));
}

static void test_wrong_registrations(void) {
  int32_t array = jf_type_register("test.Taken", JF_NDARRAY);
  CHECK(jf_type_register("test.Taken", JF_ROOT) == 0);
  CHECK_ERROR("ValueError: type 'test.Taken' is already registered below another parent, ndarray");
  CHECK(array && jf_type_register("int", JF_ROOT) == 0);
  CHECK_ERROR("ValueError: type key 'int' belongs to a built-in type");
  CHECK(jf_type_register("str", JF_LIST) == 0);
  CHECK_ERROR("ValueError: type key 'str' belongs to a built-in type");
  CHECK(jf_type_register("", JF_ROOT) == 0);
  CHECK_ERROR("ValueError: a type key cannot be empty");
  CHECK(jf_type_register("test.Orphan", 9999) == 0);
  CHECK_ERROR("ValueError: type 'test.Orphan': type code 9999 cannot be a parent");
  CHECK(jf_type_register("test.Boxed", JF_BOXED_INT) == 0);
  CHECK_ERROR("ValueError: type 'test.Boxed': type code 16 cannot be a parent");
  CHECK(jf_type_register("test.Negative", JF_INT) == 0);
  CHECK_ERROR("ValueError: type 'test.Negative': type code -2 cannot be a parent");
}

static void test_many(void) {
  char key[32];
  int32_t codes[300];
  for (int i = 0; i < 300; i++) {
    snprintf(key, sizeof key, "test.Many%d", i);
    codes[i] = jf_type_register(key, i ? codes[i - 1] : JF_ROOT);
  }
  CHECK(jf_type_is_a(codes[299], codes[0]) && !jf_type_is_a(codes[0], codes[299]));
  CHECK_TEXT(jf_type_key(codes[123]), "test.Many123");
}

static int32_t register_next(void) {
  static int number;
  static char key[32];
  snprintf(key, sizeof key, "test.Hostile%d", number);
  int32_t code = jf_type_register(key, JF_ROOT);
  if (!code) return -1;
  CHECK(jf_type_code(key) == code);
  number++;
  return 0;
}

static void test_without_memory(void) {
  for (int i = 0; i < 100; i++) SURVIVES(register_next); /* over the end of a block and of the table */
}

static void test_the_table_has_an_end(void) {
  char key[32];
  int32_t code = 1;
  int count = 0;
  for (; code && count < 100000; count++) {
    snprintf(key, sizeof key, "test.Full%d", count);
    code = jf_type_register(key, JF_ROOT);
  }
  CHECK(code == 0 && count > 60000);
  CHECK_ERROR("OverflowError: more than 65536 registered types");
  CHECK(jf_type_code("test.Full50000") != 0);
}

int main(void) {
  RUN(test_static_names);
  RUN(test_codes_are_given_once);
  RUN(test_ancestors);
  RUN(test_wrong_registrations);
  RUN(test_many);
  RUN(test_without_memory);
  RUN(test_the_table_has_an_end); /* last: there is no room after it */
  return finish();
}
