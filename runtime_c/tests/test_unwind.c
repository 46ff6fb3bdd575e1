/* Exceptions that code which is called throws, as they land in calls of packed functions. C has none, but it has the
 * unwinder, which tells nobody who uses it. */
#include "jitffi/emitted.h"

#include "testhelper.h"

static int32_t answer(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self, (void)args;
  *out = slot_of_int(42 + num_args);
  return 0;
}

static void test_a_guarded_call(void) {
  jf_value out;
  jf_out_init(&out, 0);
  CHECK(jf_call_guarded(NULL, 1, NULL, &out, answer) == 0 && out.v_int64 == 43);
}

#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__)) && defined(__ELF__)
#include <unwind.h>

static struct _Unwind_Exception thrown = {.exception_class = 0x5445535454455354};

static int32_t throws(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self, (void)num_args, (void)args, (void)out;
  _Unwind_RaiseException(&thrown);
  return 7; /* nobody catches it */
}

static void test_what_is_thrown_lands(void) {
  jf_value out;
  jf_out_init(&out, 0);
  CHECK(jf_call_guarded(NULL, 0, NULL, &out, throws) == -1);
  CHECK_ERROR("RuntimeError: an exception of another language");
  jf_caught("f", &thrown);
  CHECK_ERROR("RuntimeError: f: an exception of another language");
  CHECK(jf_personality(2, _UA_SEARCH_PHASE, 0, &thrown, NULL) == _URC_FATAL_PHASE1_ERROR);
}
#else
static void test_what_is_thrown_lands(void) {
  jf_caught("f", NULL);
  CHECK(jf_personality(1, 1, 0, NULL, NULL) == 8); /* it passes */
}
#endif

int main(void) {
  RUN(test_a_guarded_call);
  RUN(test_what_is_thrown_lands);
  return finish();
}
