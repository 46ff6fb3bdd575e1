/* What code in files calls: arguments left out, checked results, kept texts, and function objects as C functions. */
#include "jitffi/emitted.h"

#include "testhelper.h"

#if HAVE_PROCESSES
#include <pthread.h>
#endif

static const jf_param_info params[] = {
    {.name = "a", .type = "i64"}, {.type = "i64"}, {.name = "f", .type = "func[(x: i64) -> i64]"}};
static const jf_call_info info = {
    .name = "demo", .num_params = 3, .num_required = 1, .params = params, .result = "str"};

/* -- arguments -- */

static void test_arrange(void) {
  jf_any args[3] = {slot_of_int(1), slot_of_int(2), slot_of_int(3)}, out[3];
  jf_any defaults[3] = {{0}, slot_of_int(20), slot_of_int(30)};
  const jf_view* all = jf_arrange(&info, defaults, 1, args, out);
  CHECK(all == out && out[0].v_int64 == 1 && out[1].v_int64 == 20 && out[2].v_int64 == 30);
  all = jf_arrange(&info, defaults, 2, args, out);
  CHECK(all == out && out[1].v_int64 == 2 && out[2].v_int64 == 30);
  CHECK(jf_arrange(&info, NULL, 3, args, out) == out && out[2].v_int64 == 3);
  CHECK(!jf_arrange(&info, defaults, 0, NULL, out));
  CHECK_ERROR("TypeError: demo: expected 1 to 3 arguments, got 0");
  CHECK(!jf_arrange(&info, defaults, 4, args, out));
  CHECK_ERROR("TypeError: demo: expected 1 to 3 arguments, got 4");
  CHECK(!jf_arrange(&info, defaults, -1, args, out));
  CHECK_ERROR("TypeError: demo: expected 1 to 3 arguments, got -1");
  CHECK(!jf_arrange(&info, NULL, 2, args, out));
  CHECK_ERROR("TypeError: demo: expected 1 to 3 arguments, got 2");
}

/* -- results -- */

static void test_null_results(void) {
  CHECK(jf_null_result(&info, 1) == 0 && jf_null_result(&info, 0) == -1);
  CHECK_ERROR("ValueError: demo: result: expected str, got NULL");
  jf_error_set("KeyError", "its own");
  CHECK(jf_null_result(&info, 1) == -1 && jf_null_result(&info, 0) == -1);
  CHECK_ERROR("KeyError: its own");
  CHECK(jf_fail_null(&info, 0) == -1);
  CHECK_ERROR("ValueError: demo: argument 1 'a': expected i64, got NULL");
  CHECK(jf_fail_null(&info, 1) == -1);
  CHECK_ERROR("ValueError: demo: argument 2: expected i64, got NULL");
}

/* 1: the result is the text, in the slot's own way of writing that kind. */
static int settles(const char* type, jf_any view, const char* expected, int32_t kind) {
  const jf_call_info typed = {.name = "demo", .result = type};
  wide_slot out = {null_out(JF_MAX_CAPACITY)};
  CHECK(jf_any_retain(&view, &out.slot) == 0);
  if (jf_check_out(&typed, &out.slot) != 0) {
    jf_any_release(&out.slot);
    return 0;
  }
  jf_any scratch;
  const jf_encoded text = jf_any_text(jf_any_resolve(&out.slot, &scratch));
  int same = text.kind == kind && text.size == strlen(expected);
  for (size_t i = 0; same && i < text.size; i++) {
    same = kind == JF_TEXT_UCS4 ? ((const jf_char32*)text.data)[i] == (jf_char32)expected[i]
                                : ((const char*)text.data)[i] == expected[i];
  }
  jf_any_release(&out.slot);
  return same;
}

static void test_check_out(void) {
  jf_char32 wide[] = {'a', 'b', 'c'};
  jf_ucs4_span wide_span = {wide, 3};
  jf_span bytes_span = {"xyz", 3};
  const jf_any ucs4 = {JF_UCS4_VIEW, 0, {.v_ucs4_span = &wide_span}};
  const jf_any bytes = {JF_BYTE_ARRAY, 0, {.v_span = &bytes_span}};
  CHECK(settles("str", slot_of_raw("abc"), "abc", JF_TEXT_UTF8));
  CHECK(settles("str", slot_of_raw(""), "", JF_TEXT_UTF8));
  CHECK(settles("optional[str]", ucs4, "abc", JF_TEXT_UTF8));
  CHECK(settles("ucs4", slot_of_raw("abc"), "abc", JF_TEXT_UCS4));
  CHECK(settles("ucs4", slot_of_raw(""), "", JF_TEXT_UCS4));
  CHECK(settles("optional[ucs4]", ucs4, "abc", JF_TEXT_UCS4));
  CHECK(settles("bytes", bytes, "xyz", JF_TEXT_BYTES));
  CHECK(!settles("bytes", slot_of_raw("abc"), "", JF_TEXT_BYTES));
  CHECK_ERROR("TypeError: demo: result: expected bytes, got str 'abc'");
  CHECK(!settles("str", slot_of_int(3), "", JF_TEXT_UTF8));
  CHECK_ERROR("TypeError: demo: result: expected str, got int 3");
}

static int32_t settle_long_text(void) {
  const jf_call_info typed = {.name = "demo", .result = "ucs4"};
  jf_any out = null_out(8);
  if (jf_out_str(&out, "longer than any slot of sixteen bytes", 37) != 0) return -1;
  int32_t status = jf_check_out(&typed, &out);
  jf_any_release(&out);
  return status;
}

static int32_t keep_two(void) {
  static const char first, second;
  const char* one = jf_keep_cstr(&first, "one", NULL);
  if (!one) return -1;
  const char* two = jf_keep_cstr(&second, "twotwotwotwotwotwotwo", NULL);
  if (!two) return -1;
  CHECK_TEXT(one, "one");
  CHECK_TEXT(two, "twotwotwotwotwotwotwo");
  const char* longer = jf_keep_cstr(&first, "longer than before", NULL);
  if (!longer) return -1;
  CHECK_TEXT(longer, "longer than before");
  CHECK(jf_keep_cstr(&first, "short", NULL) == longer);
  CHECK_TEXT(longer, "short");
  CHECK_TEXT(two, "twotwotwotwotwotwotwo");
  return 0;
}

#if HAVE_PROCESSES
static void* keep_in_thread(void* ignored) {
  (void)ignored;
  CHECK(keep_two() == 0);
  return NULL;
}

static void test_kept_texts(void) {
  static const char key;
  const char* mine = jf_keep_cstr(&key, "mine", &info);
  pthread_t thread;
  pthread_create(&thread, NULL, keep_in_thread, NULL);
  pthread_join(thread, NULL);
  CHECK_TEXT(mine, "mine");
}
#endif

static void test_without_memory(void) {
  SURVIVES(settle_long_text);
  SURVIVES(keep_two);
}

static void test_take_pending(void) {
  CHECK(jf_take_pending() == 0 && jf_pending_count == 0);
  jf_error_set("KeyError", "first");
  CHECK(jf_take_pending() == 0);
  jf_error_mark_pending();
  CHECK(&jf_pending_count == jf_error_pending_count() && jf_pending_count == 1);
  CHECK(jf_take_pending() == 1 && jf_take_pending() == 0 && jf_pending_count == 0 && !jf_error_is_pending());
  CHECK_ERROR("KeyError: first");
}

/* -- callbacks -- */

typedef int64_t (*unary)(int64_t);
static int64_t negate(int64_t x) { return -x; }
static jf_any slot_of_function(jf_object* function) { return (jf_any){JF_FUNCTION, 0, {.v_object = function}}; }

#if HAVE_CLOSURES
/* int64_t body(int64_t x): what emitted code does, but for the packing: the state's address and x. */
__asm__(
    ".text\n.globl test_body\ntest_body:\n"
#if defined(__x86_64__)
    "movq (%r10), %rsi\n jmp test_enter\n"
#elif defined(__aarch64__)
    "ldr x1, [x15]\n b test_enter\n"
#elif defined(__riscv)
    "ld a1, 0(t2)\n tail test_enter\n"
#endif
    ".previous\n");
extern char test_body[];
int64_t test_enter(int64_t x, jf_function* self);

int64_t test_enter(int64_t x, jf_function* self) {
  const jf_any arg = slot_of_int(x);
  jf_any out = null_out(8);
  if (self->call(self, 1, &arg, &out) == 0) return out.v_int64;
  jf_error_mark_pending();
  return 0;
}

static int32_t add_captured(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  const int64_t* captured = jf_function_captures(&self->header, NULL);
  CHECK(num_args == 1 && args[0].type_code == JF_INT);
  *out = slot_of_int(args[0].v_int64 + *captured);
  return 0;
}

static const jf_callback_type type = {"(i64) -> i64", test_body, JF_RESULT_INTEGER};
#else
static int32_t add_captured(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  return self && num_args && args && out ? -1 : 0;
}
static const jf_callback_type type = {"(i64) -> i64", "no body", JF_RESULT_INTEGER}; /* never entered */
#endif
static const jf_callback_type no_body = {"(i64) -> i64", NULL, JF_RESULT_INTEGER};

static void test_callbacks_that_have_an_address(void) {
  jf_temps temps = {NULL};
  void* out = NULL;
  const jf_any handle = {JF_HANDLE, 0, {.v_handle = (void*)(uintptr_t)negate}};
  CHECK(jf_lift_callback(&info, 2, &handle, &no_body, &out, &temps) == 0 && ((unary)(uintptr_t)out)(4) == -4);
  jf_object* function = jf_function_new(add_captured, NULL, NULL, NULL);
  ((jf_function*)function)->native = (void*)(uintptr_t)negate;
  ((jf_function*)function)->types = "(i64) -> i64";
  const jf_any view = slot_of_function(function);
  out = NULL;
  CHECK(jf_lift_callback(&info, 2, &view, &no_body, &out, &temps) == 0 && out == handle.v_handle && !temps.head);
  ((jf_function*)function)->types = "(f64) -> i64";
  CHECK(jf_lift_callback(&info, 2, &view, &no_body, &out, &temps) == -1);
  CHECK_ERROR(
      "TypeError: demo: argument 3 'f': expected func[(x: i64) -> i64], got a function object, which cannot be made a "
      "C "
      "function here: pass a C function's address");
  jf_object_release(function);
}

static void test_what_is_no_callback(void) {
  jf_temps temps = {NULL};
  void* out;
  const jf_any number = slot_of_int(5), null = null_out(0), text = slot_of_raw("abc");
  CHECK(jf_lift_callback(&info, 2, &number, &type, &out, &temps) == -1);
  CHECK_ERROR("TypeError: demo: argument 3 'f': expected func[(x: i64) -> i64], got int 5");
  CHECK(jf_lift_callback(&info, 2, &null, &type, &out, &temps) == -1);
  CHECK_ERROR("TypeError: demo: argument 3 'f': expected func[(x: i64) -> i64], got null");
  CHECK(jf_lift_callback(&info, 2, &text, &type, &out, &temps) == -1);
  CHECK_ERROR("TypeError: demo: argument 3 'f': expected func[(x: i64) -> i64], got str 'abc'");
}

#if HAVE_CLOSURES
static int32_t lift_and_call(void) {
  static int64_t captured = 100;
  jf_object* function = jf_function_new(add_captured, &captured, NULL, NULL);
  if (!function) return -1;
  const jf_any view = slot_of_function(function);
  jf_temps temps = {NULL};
  void* out;
  int32_t status = jf_lift_callback(&info, 2, &view, &type, &out, &temps);
  if (status == 0) CHECK(((unary)(uintptr_t)out)(7) == 107);
  jf_object_release(function); /* the closure has its own */
  if (status == 0) CHECK(((unary)(uintptr_t)out)(-1) == 99);
  jf_temps_release(&temps);
  return status;
}

static void test_closures(void) {
  SURVIVES(lift_and_call);
  int64_t captured = 5;
  jf_object* function = jf_function_new(add_captured, &captured, NULL, NULL);
  const jf_any view = slot_of_function(function);
  jf_temps temps = {NULL};
  void* out;
  CHECK(jf_lift_callback(&info, 2, &view, &type, &out, &temps) == 0);
  jf_object_release(function);
  jf_temps_release(&temps);
  CHECK(((unary)(uintptr_t)out)(7) == 0 && jf_take_pending());
  CHECK_ERROR(
      "RuntimeError: a native function pointer was called after its Function was released: keep it, or bind with "
      "keep_callbacks");
}

/* The slot that a result came in is released before its pointer is used. */
static void test_results_live_for_ever(void) {
  static int64_t captured = 1000;
  jf_temps temps = {NULL};
  void *first, *second;
  jf_object* function = jf_function_new(add_captured, &captured, NULL, NULL);
  const jf_any view = slot_of_function(function);
  CHECK(jf_lift_callback(&info, -1, &view, &type, &first, &temps) == 0 && !temps.head);
  CHECK(jf_lift_callback(&info, -1, &view, &type, &second, &temps) == 0 && first == second);
  CHECK(function->ref_count == 2);
  CHECK(((unary)(uintptr_t)first)(1) == 1001);
  ((jf_function*)function)->native = (void*)(uintptr_t)negate;
  ((jf_function*)function)->types = "(i64) -> i64";
  for (int i = 0; i < 3; i++) CHECK(jf_lift_callback(&info, -1, &view, &type, &second, &temps) == 0);
  CHECK(second == (void*)(uintptr_t)negate && function->ref_count == 3);
  for (int i = 0; i < 3; i++) jf_object_release(function); /* for ever is too long for the checks around each test */
}
#else
static void test_no_closures(void) {
  jf_temps temps = {NULL};
  void* out;
  jf_object* function = jf_function_new(add_captured, NULL, NULL, NULL);
  const jf_any view = slot_of_function(function);
  CHECK(jf_lift_callback(&info, 2, &view, &type, &out, &temps) == -1 && !temps.head);
  CHECK_ERROR(
      "TypeError: demo: argument 3 'f': expected func[(x: i64) -> i64], got a function object, which cannot be made a "
      "C "
      "function here: pass a C function's address");
  jf_object_release(function);
}
#endif

int main(void) {
  RUN(test_arrange);
  RUN(test_null_results);
  RUN(test_check_out);
#if HAVE_PROCESSES
  RUN(test_kept_texts);
#endif
  RUN(test_without_memory);
  RUN(test_take_pending);
  RUN(test_callbacks_that_have_an_address);
  RUN(test_what_is_no_callback);
#if HAVE_CLOSURES
  RUN(test_closures);
  RUN(test_results_live_for_ever);
#else
  RUN(test_no_closures);
#endif
  return finish();
}
