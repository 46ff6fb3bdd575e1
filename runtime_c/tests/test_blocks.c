/* Small blocks of objects: used again by the thread that freed them, and all objects counted, whoever makes and frees them. */
#include "testhelper.h"

#if !defined(__wasm__)
#include <pthread.h>
#endif

#if defined(__linux__) && !defined(JITFFI_HOSTILE) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
#define KEPT 1
#else
#define KEPT 0
#endif
enum { MANY = 5000 };

static jf_object* text_of(size_t size) {
  static char characters[400];
  memset(characters, 'x', sizeof characters);
  return jf_str_new(characters, size);
}

static void test_objects_are_counted(void) {
  const int64_t before = jf_live_objects();
  jf_object* objects[MANY];
  for (size_t i = 0; i < MANY; i++) objects[i] = text_of(i % 400); /* some larger than what is kept */
  CHECK(jf_live_objects() == before + MANY);
  for (size_t i = 0; i < MANY; i++) jf_object_release(objects[i]);
  CHECK(jf_live_objects() == before);
}

static void test_blocks_of_one_size_are_apart(void) {
  jf_object* first[100];
  for (int32_t turn = 0; turn < 3; turn++) {
    for (size_t i = 0; i < 100; i++) {
      first[i] = text_of(20);
      memset((char*)(uintptr_t)((jf_str*)first[i])->data, (int)i, 20);
    }
    for (size_t i = 0; i < 100; i++) {
      CHECK(((const unsigned char*)((jf_str*)first[i])->data)[19] == i);
      jf_object_release(first[i]);
    }
  }
}

/* Lists' arrays and tuples are among what is kept. */
static void test_containers_use_their_memory_again(void) {
  const jf_any number = {JF_INT, 0, {.v_int64 = 5000}};
  const jf_item parts[] = {{.slot = &number}, {.slot = &number}, {.slot = &number}};
  void* before = NULL;
  for (int32_t turn = 0; turn < 2; turn++) {
    jf_object* list = jf_list_new(3, 1);
    CHECK(jf_list_append_parts(list, parts, 3, 0) == 0 && jf_list_append(list, &number) == 0);
    void* now = ((jf_list*)list)->items[0].object;
    CHECK(!KEPT || !before || now == before);
    before = now;
    jf_object_release(list);
  }
  CHECK(jf_cycles_collect() == 0); /* gives it all back */
  jf_object_release(text_of(20));
}

static int64_t given, taken;

static void* counting_allocate(size_t size, void* context) {
  (void)context;
  taken++;
  return malloc(size);
}

static void counting_deallocate(void* memory, void* context) {
  (void)context;
  given++;
  free(memory);
}

static void test_an_allocator_that_is_set_sees_each(void) {
  jf_object_release(text_of(30)); /* a block that is kept, where any are */
  jf_set_allocator(counting_allocate, counting_deallocate, NULL);
  jf_object_release(text_of(30));
  jf_object_release(text_of(30));
  jf_set_allocator(NULL, NULL, NULL);
  CHECK(taken == 2 && given == 2);
}

#if !defined(__wasm__)
static void* make_many(void* place) {
  jf_object** objects = place;
  for (size_t i = 0; i < MANY; i++) jf_object_release(text_of(i % 300));
  for (size_t i = 0; i < MANY; i++) objects[i] = text_of(i % 300);
  return NULL;
}

static void test_objects_of_a_thread_that_has_ended(void) {
  enum { THREADS = 4 };
  static jf_object* objects[THREADS][MANY];
  pthread_t threads[THREADS];
  const int64_t before = jf_live_objects();
  for (size_t i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, make_many, objects[i]) == 0);
  for (size_t i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
  CHECK(jf_live_objects() == before + THREADS * MANY);
  for (size_t i = 0; i < THREADS; i++) {
    for (size_t k = 0; k < MANY; k++) jf_object_release(objects[i][k]);
  }
  CHECK(jf_live_objects() == before);
}
#endif

int main(void) {
  RUN(test_objects_are_counted);
  RUN(test_blocks_of_one_size_are_apart);
  RUN(test_containers_use_their_memory_again);
  RUN(test_an_allocator_that_is_set_sees_each);
#if !defined(__wasm__)
  RUN(test_objects_of_a_thread_that_has_ended);
#endif
  return finish();
}
