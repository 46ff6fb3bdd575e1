/* Closures: their address, their state, their death. The body is assembly, since C has no word for LLVM's nest
 * register. */
#include "testhelper.h"

#if HAVE_CLOSURES
/* int64_t body(int64_t a): a + *(int64_t*)closure->state */
__asm__(
    ".text\n.globl test_body\ntest_body:\n"
#if defined(__x86_64__)
    "movq (%r10), %rax\n movq (%rax), %rax\n addq %rdi, %rax\n ret\n"
#elif defined(__aarch64__)
    "ldr x9, [x15]\n ldr x9, [x9]\n add x0, x0, x9\n ret\n"
#elif defined(__riscv)
    "ld t0, 0(t2)\n ld t0, 0(t0)\n add a0, a0, t0\n ret\n"
#endif
    ".previous\n");
extern char test_body[];

typedef int64_t (*unary)(int64_t);
typedef double (*floating)(double);
typedef float (*single)(float);

static int64_t call(const jf_closure* closure, int64_t argument) {
  return ((unary)(uintptr_t)jf_closure_address(closure))(argument);
}

enum { MANY = 1000 }; /* several blocks */

static void test_each_has_its_own_state(void) {
  static int64_t states[MANY];
  static jf_closure* closures[MANY];
  for (int i = 0; i < MANY; i++) {
    states[i] = i * 10;
    closures[i] = jf_closure_new(&states[i], test_body, JF_RESULT_INTEGER);
    CHECK(i == 0 || jf_closure_address(closures[i]) != jf_closure_address(closures[i - 1]));
  }
  for (int i = 0; i < MANY; i++) CHECK(call(closures[i], 7) == i * 10 + 7);
  for (int i = 0; i < MANY; i++) jf_closure_kill(closures[i], NULL);
}

static void test_calls_after_death(void) {
  int64_t state = 5;
  jf_closure* closure = jf_closure_new(&state, test_body, JF_RESULT_INTEGER);
  CHECK(call(closure, 1) == 6);
  jf_closure_kill(closure, NULL);
  CHECK(closure->state == NULL);
  CHECK(call(closure, 1) == 0 && jf_error_is_pending());
  CHECK_ERROR(
      "RuntimeError: a native function pointer was called after its Function was released: keep it, or bind with "
      "keep_callbacks");
  closure = jf_closure_new(&state, test_body, JF_RESULT_FLOAT);
  jf_closure_kill(closure, NULL);
  CHECK(((floating)(uintptr_t)jf_closure_address(closure))(2.5) == 0.0 && jf_error_is_pending());
  CHECK_ERROR(
      "RuntimeError: a native function pointer was called after its Function was released: keep it, or bind with "
      "keep_callbacks");
  closure = jf_closure_new(&state, test_body, JF_RESULT_SINGLE);
  jf_closure_kill(closure, NULL);
  CHECK(((single)(uintptr_t)jf_closure_address(closure))(2.5F) == 0.0F && jf_error_is_pending());
  CHECK_ERROR(
      "RuntimeError: a native function pointer was called after its Function was released: keep it, or bind with "
      "keep_callbacks");
  closure = jf_closure_new(&state, test_body, JF_RESULT_STATUS);
  jf_closure_kill(closure, NULL);
  CHECK((int32_t)call(closure, 1) == -1 && !jf_error_is_pending());
  CHECK_ERROR(
      "RuntimeError: a native function pointer was called after its Function was released: keep it, or bind with "
      "keep_callbacks");
  int64_t dead_state = 7;
  closure = jf_closure_new(&state, test_body, JF_RESULT_BODY);
  jf_closure_kill(closure, &dead_state);
  CHECK(closure->result_class == -JF_RESULT_BODY && call(closure, 1) == 8);
  jf_closure_dead();
  CHECK(jf_error_is_pending());
  CHECK_ERROR(
      "RuntimeError: a native function pointer was called after its Function was released: keep it, or bind with "
      "keep_callbacks");
}

static void test_one_that_sleeps_is_dead_till_it_is_woken(void) {
  int64_t first = 1, second = 20, dead_state = 7;
  const int32_t classes[] = {JF_RESULT_INTEGER, JF_RESULT_BODY, JF_RESULT_IN_MEMORY + 24};
  for (int i = 0; i < 3; i++) {
    jf_closure* closure = jf_closure_new(&first, test_body, classes[i]);
    void* const address = jf_closure_address(closure);
    CHECK(call(closure, 3) == 4);
    jf_closure_sleep(closure, &dead_state);
    CHECK(closure->state == &dead_state && jf_closure_at(address) == closure);
    CHECK(call(closure, 3) == (classes[i] != JF_RESULT_INTEGER ? 10 : 0));
    if (classes[i] == JF_RESULT_INTEGER)
      CHECK_ERROR(
          "RuntimeError: a native function pointer was called after its Function was released: keep it, or bind with "
          "keep_callbacks");
    jf_closure_wake(closure, &second, test_body, classes[i]);
    CHECK(call(closure, 3) == 23 && jf_closure_address(closure) == address);
    jf_closure_kill(closure, NULL);
  }
}

static void test_the_dead_are_reused_as_late_as_can_be(void) {
  int64_t state = 0;
  jf_closure* first = jf_closure_new(&state, test_body, JF_RESULT_INTEGER);
  jf_closure_kill(first, NULL);
  for (int i = 0; i < 100; i++) {
    jf_closure* closure = jf_closure_new(&state, test_body, JF_RESULT_INTEGER);
    CHECK(closure != first);
    jf_closure_kill(closure, NULL);
  }
}

static void test_they_are_found_by_their_addresses(void) {
  int64_t state = 1;
  static jf_closure* closures[MANY];
  for (int i = 0; i < MANY; i++) closures[i] = jf_closure_new(&state, test_body, JF_RESULT_INTEGER);
  for (int i = 0; i < MANY; i++) {
    char* address = jf_closure_address(closures[i]);
    CHECK(jf_closure_at(address) == closures[i] && !jf_closure_at(address + 1));
  }
  CHECK(!jf_closure_at(NULL) && !jf_closure_at(&state) && !jf_closure_at((void*)(uintptr_t)jf_closure_new));
  for (int i = 0; i < MANY; i++) jf_closure_kill(closures[i], NULL);
}

static int32_t make_and_kill(void) {
  int64_t state = 1;
  static jf_closure* closures[MANY];
  int made = 0;
  while (made < MANY && (closures[made] = jf_closure_new(&state, test_body, JF_RESULT_INTEGER))) made++;
  for (int i = 0; i < made; i++) jf_closure_kill(closures[i], NULL);
  return made == MANY ? 0 : -1;
}

static void test_without_memory(void) { SURVIVES(make_and_kill); }

#else
static void test_refusal(void) {
  CHECK(!jf_closure_new(NULL, "a body", JF_RESULT_INTEGER));
#if defined(__wasm__)
  CHECK_ERROR("NotImplementedError: closures are not implemented for wasm, where code cannot be made at run time");
#else
  CHECK_ERROR("NotImplementedError: closures are not implemented for arm");
#endif
}
#endif

int main(void) {
#if HAVE_CLOSURES
  RUN(test_without_memory); /* first: there is no block yet */
  RUN(test_each_has_its_own_state);
  RUN(test_calls_after_death);
  RUN(test_one_that_sleeps_is_dead_till_it_is_woken);
  RUN(test_the_dead_are_reused_as_late_as_can_be);
  RUN(test_they_are_found_by_their_addresses);
#else
  RUN(test_refusal);
#endif
  return finish();
}
