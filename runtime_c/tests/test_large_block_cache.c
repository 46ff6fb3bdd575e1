/* Large blocks that containers give back: kept for the next one, and nobody else's. */
#include <pthread.h>

#include "testhelper.h"

#if defined(__linux__) && !defined(JITFFI_HOSTILE) && !defined(__SANITIZE_ADDRESS__)
#define KEPT 1
#else
#define KEPT 0
#endif
#ifdef __GLIBC__
#include <malloc.h>
#if __GLIBC_PREREQ(2, 33)
#define CAN_ASK KEPT
#endif
#endif
#ifndef CAN_ASK
#define CAN_ASK 0
#endif
enum { LARGE = 100000, TURNS = 2000, THREADS = 4 };

static int64_t allocations;

static void* counting_allocate(size_t size, void* context) {
  (void)context;
  allocations++;
  return malloc(size);
}

static void counting_deallocate(void* memory, void* context) {
  (void)context;
  allocations--;
  free(memory);
}

static void test_a_block_is_used_again(void) {
  char* block = jf_alloc_large(LARGE);
  memset(block, 1, LARGE);
  jf_free_large(block, LARGE);
  char* again = jf_alloc_large(LARGE - 1000);
  CHECK(!KEPT || again == block);
  char* other = jf_alloc_large(LARGE);
  CHECK(other != NULL && other != again);
  jf_free_large(again, LARGE - 1000);
  jf_free_large(other, LARGE);
  jf_free_large(NULL, LARGE);
}

static void test_a_block_that_is_far_too_large_is_not(void) {
  char* block = jf_alloc_large(4 << 20);
  jf_free_large(block, 4 << 20);
  char* small = jf_alloc_large(64 << 10);
  CHECK(small != NULL && small != block);
  jf_free_large(small, 64 << 10);
}

static void test_a_block_grows_with_what_is_in_it(void) {
  size_t size = 1000;
  char* block = jf_grow_large(NULL, 0, size);
  for (; size < 20 << 20; size *= 4) {
    memset(block, (int)(size % 100), size);
    block = jf_grow_large(block, size, 4 * size);
    CHECK(block[0] == (char)(size % 100) && block[size - 1] == block[0]);
    jf_large_spread(block, 4 * size);
  }
  CHECK(jf_grow_large(block, size, SIZE_MAX / 2) == NULL && block[0] == (char)(size / 4 % 100));
  jf_free_large(block, size);
}

static void test_more_are_given_back_than_are_kept(void) {
  void* blocks[20];
  for (size_t i = 0; i < 20; i++) blocks[i] = jf_alloc_large(LARGE + 1000 * i);
  for (size_t i = 0; i < 20; i++) {
    memset(blocks[i], (int)i, LARGE + 1000 * i);
    jf_free_large(blocks[i], LARGE + 1000 * i);
  }
}

/* Of malloc's memory, in use. */
static size_t in_use(void) {
#if CAN_ASK
  const struct mallinfo2 info = mallinfo2();
  return info.uordblks + info.hblkhd;
#else
  return 0;
#endif
}

static void test_they_go_when_cycles_are_collected_or_an_allocator_is_set(void) {
  void* first = jf_alloc_large(1 << 20);
  void* second = jf_alloc_large(1 << 20);
  jf_free_large(first, 1 << 20);
  const size_t with_one = in_use();
  CHECK(jf_cycles_collect() == 0);
  CHECK(in_use() + (CAN_ASK ? 1 << 20 : 0) <= with_one);
  jf_free_large(second, 1 << 20);
  jf_set_allocator(counting_allocate, counting_deallocate, NULL);
  CHECK(in_use() + (CAN_ASK ? 2 << 20 : 0) <= with_one);
  jf_set_allocator(NULL, NULL, NULL);
}

static void test_sizes_that_cannot_be(void) {
  CHECK(jf_alloc_large(SIZE_MAX) == NULL && jf_alloc_large(SIZE_MAX / 2) == NULL);
  void* memory = jf_alloc_large(0);
  CHECK(memory != NULL);
  jf_free_large(memory, 0);
}

static void fill(size_t count) {
  jf_object* list = jf_list_new(0, 1);
  for (size_t i = 0; i < count; i++) {
    const jf_view one = {JF_SMALL_UCS4, 1, {.v_char32 = {(jf_char32)(0x4E00 + i % 1000)}}};
    CHECK(jf_list_append(list, &one) == 0);
  }
  CHECK(jf_list_size(list) == count);
  jf_object_release(list);
}

static void test_an_allocator_sees_all_of_a_list(void) {
  fill(50000); /* leaves blocks behind */
  jf_set_allocator(counting_allocate, counting_deallocate, NULL);
  jf_object* list = jf_list_new(100000, 1);
  CHECK(allocations == 2);
  jf_object_release(list);
  CHECK(allocations == 0);
  jf_set_allocator(NULL, NULL, NULL);
}

static void* fill_often(void* context) {
  for (size_t i = 0; i < TURNS / 100; i++) fill(5000 + 1000 * i % 30000);
  for (size_t i = 0; i < TURNS; i++) {
    const size_t size = LARGE + 700 * (i % 60);
    unsigned char* block = jf_alloc_large(size);
    memset(block, (int)(i % 256), size);
    CHECK(block[0] == i % 256 && block[size - 1] == i % 256);
    jf_free_large(block, size);
  }
  return context;
}

static void test_threads_never_share_a_block(void) {
  pthread_t threads[THREADS];
  for (size_t i = 0; i < THREADS; i++) CHECK(pthread_create(&threads[i], NULL, fill_often, NULL) == 0);
  for (size_t i = 0; i < THREADS; i++) CHECK(pthread_join(threads[i], NULL) == 0);
}

int main(void) {
  RUN(test_a_block_is_used_again);
  RUN(test_a_block_that_is_far_too_large_is_not);
  RUN(test_a_block_grows_with_what_is_in_it);
  RUN(test_more_are_given_back_than_are_kept);
  RUN(test_they_go_when_cycles_are_collected_or_an_allocator_is_set);
  RUN(test_sizes_that_cannot_be);
  RUN(test_an_allocator_sees_all_of_a_list);
  RUN(test_threads_never_share_a_block);
  return finish();
}
