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

static int32_t make(void) {
  const int64_t dim = 3;
  jf_object* shape = jf_shape_new(&dim, 1);
  if (!shape) return -1;
  jf_object_release(shape);
  return 0;
}

static void test_without_memory(void) { SURVIVES(make); }

int main(void) {
  RUN(test_new);
  RUN(test_without_memory);
  return finish();
}
