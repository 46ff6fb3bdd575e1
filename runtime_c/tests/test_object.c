/* Counting and deleting. */
#include "testhelper.h"

static int deleted;

static void count_and_free(jf_object* object) {
  deleted++;
  jf_object_free(object);
}

static void test_last_release_deletes(void) {
  jf_object* object = jf_object_new(sizeof *object, JF_ROOT, count_and_free);
  deleted = 0;
  CHECK(object->ref_count == 1 && object->type_code == JF_ROOT);
  jf_object_retain(object);
  jf_object_release(object);
  CHECK(deleted == 0);
  jf_object_release(object);
  CHECK(deleted == 1);
}

static void test_static_objects_are_not_counted(void) {
  static const jf_str constant = {.header = {.type_code = JF_STR, .ref_count = 1},
                                  .data = "abc",
                                  .size = 3,
                                  .characters = 3}; /* in read-only memory */
  jf_object* object = (jf_object*)(uintptr_t)&constant;
  jf_object_retain(object);
  jf_object_release(object);
  jf_object_release(object);
  CHECK(constant.header.ref_count == 1);
}

static void test_null_is_allowed(void) {
  jf_object_retain(NULL);
  jf_object_release(NULL);
}

static void test_new_objects_are_zeroed(void) {
  struct {
    jf_object header;
    unsigned char rest[100];
  }* object = jf_object_new(sizeof *object, JF_ROOT, NULL);
  for (size_t i = 0; i < sizeof object->rest; i++) CHECK(object->rest[i] == 0);
  CHECK(jf_live_objects() == 1);
  jf_object_release(&object->header);
}

static int host_deleted;
static void delete_host(jf_object* object) {
  ++*(int*)((jf_host_object*)object)->handle;
  jf_object_free(object);
}

static void test_host_object(void) {
  static const char owner;
  jf_host_object* object = (jf_host_object*)jf_host_object_new(&owner, &host_deleted, delete_host);
  CHECK(object->header.type_code == JF_HOST_OBJECT && object->owner == &owner && object->handle == &host_deleted);
  jf_object_release(&object->header);
  CHECK(host_deleted == 1);
}

static int32_t make_host(void) {
  jf_object* object = jf_host_object_new(NULL, NULL, NULL);
  if (!object) return -1;
  jf_object_release(object);
  return 0;
}

static void test_without_memory(void) { SURVIVES(make_host); }

int main(void) {
  RUN(test_last_release_deletes);
  RUN(test_static_objects_are_not_counted);
  RUN(test_null_is_allowed);
  RUN(test_new_objects_are_zeroed);
  RUN(test_host_object);
  RUN(test_without_memory);
  return finish();
}
