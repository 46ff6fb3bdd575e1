/* Machine code in memory. */
#include "testhelper.h"

#if defined(__x86_64__)
static const unsigned char add_one[] = {0x48, 0x8D, 0x47, 0x01, 0xC3}; /* lea rax, [rdi + 1]; ret */
#elif defined(__aarch64__)
static const uint32_t add_one[] = {0x91000400, 0xD65F03C0}; /* add x0, x0, #1; ret */
#elif defined(__riscv)
static const uint32_t add_one[] = {0x00150513, 0x00008067}; /* addi a0, a0, 1; ret */
#elif defined(__arm__)
static const uint32_t add_one[] = {0xE2900001, 0xE2A11000, 0xE12FFF1E}; /* adds r0, r0, #1; adc r1, r1, #0; bx lr */
#elif HAVE_PROCESSES
#error "this test has no code for this architecture"
#endif

#if HAVE_PROCESSES
typedef int64_t (*unary)(int64_t);

static void test_mapped_code_runs(void) {
  void* code = jf_code_map(add_one, sizeof add_one);
  CHECK(((unary)(uintptr_t)code)(41) == 42);
  jf_code_unmap(code, sizeof add_one);
  jf_code_unmap(NULL, 10);
}

static void test_large_code(void) {
  const size_t size = 100000;
  char* bytes = calloc(1, size);
  memcpy(bytes + 65536, add_one, sizeof add_one);
  char* code = jf_code_map(bytes, size);
  CHECK(((unary)(uintptr_t)(code + 65536))(1) == 2);
  jf_code_unmap(code, size);
  free(bytes);
}

static void test_refusals(void) {
  CHECK(!jf_code_map(add_one, 0));
  CHECK_ERROR("OSError: mmap of 0 bytes of code: Invalid argument");
  CHECK(!jf_code_map(add_one,
                     SIZE_MAX - 0xFFFF)); /* MemoryError, or OSError where the system looks at the number first */
  CHECK(jf_error_peek() != NULL);
  jf_object_release(jf_error_take());
}

static int32_t map_and_unmap(void) {
  void* code = jf_code_map(add_one, sizeof add_one);
  jf_code_unmap(code, sizeof add_one);
  return code ? 0 : -1;
}

static void test_without_memory(void) { SURVIVES(map_and_unmap); }

#else
static void test_refusal(void) {
  CHECK(!jf_code_map("code", 4));
  CHECK_ERROR("OSError: this target has no memory for code that is made at run time");
  jf_code_unmap(NULL, 4);
}
#endif

int main(void) {
#if HAVE_PROCESSES
  RUN(test_mapped_code_runs);
  RUN(test_large_code);
  RUN(test_refusals);
  RUN(test_without_memory);
#else
  RUN(test_refusal);
#endif
  return finish();
}
