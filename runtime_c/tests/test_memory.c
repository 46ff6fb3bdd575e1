/* The allocator hook. */
#include "testhelper.h"

static int64_t balance;

static void* counting_allocate(size_t size, void* context) {
  ++*(int64_t*)context;
  return malloc(size);
}

static void counting_deallocate(void* memory, void* context) {
  --*(int64_t*)context;
  free(memory);
}

static void test_hook_sees_everything(void) {
  jf_set_allocator(counting_allocate, counting_deallocate, &balance);
  jf_object* text = jf_str_new("abc", 3);
  CHECK(balance == 1);
  jf_object_release(text);
  CHECK(balance == 0);
  void* (*allocate)(size_t, void*);
  void (*deallocate)(void*, void*);
  void* context;
  jf_get_allocator(&allocate, &deallocate, &context);
  CHECK(allocate == counting_allocate && deallocate == counting_deallocate && context == &balance);
  jf_set_allocator(NULL, NULL, NULL);
  jf_free(jf_alloc(10));
  CHECK(balance == 0);
  jf_get_allocator(&allocate, &deallocate, &context);
  CHECK(!allocate && !deallocate && !context);
}

static void free_all(jf_object* object) { jf_object_free_sized(object, 40); }

static void free_part(jf_object* object) { jf_object_free_sized(object, sizeof *object); }

static void test_objects_of_known_sizes(void) {
  const int64_t live = jf_live_objects();
  for (int32_t hooked = 0; hooked < 2; hooked++) {
    if (hooked) jf_set_allocator(counting_allocate, counting_deallocate, &balance);
    for (int32_t i = 0; i < 4; i++) {
      unsigned char* object = jf_object_new(40, JF_ROOT, i % 2 ? free_part : free_all);
      if (!object) continue;
      CHECK(jf_live_objects() == live + 1);
      for (size_t at = sizeof(jf_object); at < 40; at++) CHECK(object[at] == 0);
      memset(object + sizeof(jf_object), 0xFF, 40 - sizeof(jf_object));
      jf_object_release((jf_object*)(void*)object);
    }
    CHECK(jf_live_objects() == live && balance == 0);
  }
  jf_set_allocator(NULL, NULL, NULL);
}

static void test_nothing_is_something(void) {
  void* memory = jf_alloc(0);
  CHECK(memory != NULL);
  jf_free(memory);
  jf_free(NULL);
}

static void test_impossible_sizes_are_refused(void) {
  CHECK(jf_alloc(SIZE_MAX / 2) == NULL);
  CHECK(jf_alloc(SIZE_MAX) == NULL);
  CHECK(!jf_error_peek());
}

static void test_version(void) { CHECK(jf_abi_version() == JF_ABI_VERSION); }

int main(void) {
  RUN(test_hook_sees_everything);
  RUN(test_objects_of_known_sizes);
  RUN(test_nothing_is_something);
  RUN(test_impossible_sizes_are_refused);
  RUN(test_version);
  return finish();
}
