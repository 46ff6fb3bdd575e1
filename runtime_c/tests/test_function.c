/* Function objects, calls and interned texts. */
#include "jitffi/emitted.h"
#include "testhelper.h"

static int32_t add(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  int64_t sum = **(int64_t**)(self + 1); /* the captures, at 48 */
  for (int32_t i = 0; i < num_args; i++) sum += args[i].v_int64;
  *out = slot_of_int(sum);
  return 0;
}

static void set_to_zero(void* captures) { *(int64_t*)captures = 0; }

static void test_captures(void) {
  int64_t base = 1000;
  char signature[] = "(i64) -> i64";
  jf_object* function = jf_function_new(add, &base, set_to_zero, signature);
  signature[0] = 'x';
  CHECK_TEXT(((jf_function*)function)->signature, "(i64) -> i64");
  CHECK(!((jf_function*)function)->native && !((jf_function*)function)->types);
  jf_any args[2] = {slot_of_int(20), slot_of_int(3)}, out = null_out(8);
  CHECK(jf_function_call(function, 2, args, &out) == 0 && out.type_code == JF_INT && out.v_int64 == 1023);
  CHECK(jf_function_captures(function, set_to_zero) == &base);
  CHECK(!jf_function_captures(function, NULL) && !jf_function_captures(NULL, set_to_zero));
  jf_object_release(function);
  CHECK(base == 0);
}

static int32_t fail_silently(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self, (void)num_args, (void)args, (void)out;
  return 7;
}

static int32_t fail_with_result(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self, (void)num_args, (void)args;
  jf_out_object(out, jf_str_new("leaked?", 7));
  jf_error_set("ValueError", "real");
  return -1;
}

static void test_functions_made_elsewhere_have_no_captures(void) {
  jf_function* function = jf_object_new(sizeof *function, JF_FUNCTION, NULL);
  CHECK(!jf_function_captures(&function->header, set_to_zero));
  jf_object_release(&function->header);
}

static void test_failures_are_mended(void) {
  jf_any out = null_out(64);
  jf_object* function = jf_function_new(fail_silently, NULL, NULL, NULL);
  CHECK(jf_function_call(function, 0, NULL, &out) == 7 && out.type_code == JF_NULL && out.small_len == 0);
  CHECK_ERROR("RuntimeError: a packed function failed without setting an error");
  jf_object_release(function);
  function = jf_function_new(fail_with_result, NULL, NULL, NULL);
  CHECK(!((jf_function*)function)->signature);
  CHECK(jf_function_call(function, 0, NULL, &out) == -1 && out.type_code == JF_NULL && out.v_int64 == 0);
  CHECK_ERROR("ValueError: real");
  jf_object_release(function);
}

static const char* lines(void) {
  const jf_error* error = (const jf_error*)jf_error_peek();
  return error && error->traceback ? error->traceback->data : "";
}

static int32_t fail_in_script(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self, (void)num_args, (void)args, (void)out;
  jf_error_set("ValueError", "real");
  jf_error_add_frame("text.py", 3, "word");
  return -1;
}

static void test_tracebacks_show_functions(void) {
  jf_any out = null_out(8);
  jf_object* function = jf_function_new(fail_with_result, NULL, NULL, "(x: i64) -> str");
  CHECK(jf_function_call(function, 0, NULL, &out) == -1);
  CHECK_TEXT(lines(), "  File \"<native>\", line 1, in function(x: i64) -> str\n");
  CHECK(jf_global_set("test.named", function, 0) == 0 && jf_global_set("test.other", function, 0) == 0);
  CHECK(jf_function_call(function, 0, NULL, &out) == -1);
  CHECK_TEXT(lines(), "  File \"<native>\", line 1, in test.named(x: i64) -> str\n");
  const jf_param_info params[] = {{"x", "i64", NULL}, {NULL, "str", NULL}};
  const jf_call_info info = {"test.named", 2, 2, params, "void", NULL}, packed = {"packed", -1, 0, NULL, "any", NULL};
  jf_error_leave_call(&info); /* it is told already */
  jf_error_leave_call(&packed);
  jf_error_add_call(&info);
  CHECK_TEXT(lines(),
             "  File \"<native>\", line 1, in test.named(x: i64) -> str\n"
             "  File \"<native>\", line 1, in packed(...) -> any\n"
             "  File \"<native>\", line 1, in test.named(x: i64, str) -> void\n");
  jf_error_set("ValueError", "another");
  jf_call_failed((jf_function*)function, &out);
  CHECK_TEXT(lines(), "  File \"<native>\", line 1, in test.named(x: i64) -> str\n");
  jf_function_set_name(function, "");
  CHECK(jf_function_call(function, 0, NULL, &out) == -1);
  CHECK_TEXT(lines(), "");
  CHECK(jf_global_remove("test.named") == 0 && jf_global_remove("test.other") == 0);
  jf_object_release(function);
  function = jf_function_new(fail_in_script, NULL, NULL, NULL);
  jf_function_set_name(function, "word");
  CHECK(jf_function_call(function, 0, NULL, &out) == -1);
  CHECK_TEXT(lines(), "  File \"text.py\", line 3, in word\n");
  jf_object_release(function);
  jf_object_release(jf_error_take());
}

static void test_what_is_no_function(void) {
  jf_any out = null_out(8);
  jf_object* text = jf_str_new("x", 1);
  CHECK(jf_function_call(text, 0, NULL, &out) == -1);
  CHECK_ERROR("TypeError: cannot call str");
  CHECK(jf_function_call(NULL, 0, NULL, &out) == -1);
  CHECK_ERROR("TypeError: cannot call null");
  jf_object_release(text);
}

static void test_interned_texts_are_one(void) {
  char text[] = "(f64) -> f64";
  const char* first = jf_intern(text);
  CHECK(first != text && jf_intern("(f64) -> f64") == first);
  text[1] = 'i';
  CHECK(jf_intern(text) != first);
  CHECK_TEXT(first, "(f64) -> f64");
}

static int32_t intern_next(void) {
  static int number;
  char text[32];
  snprintf(text, sizeof text, "text %d", number);
  if (!jf_intern(text)) return -1;
  number++;
  return 0;
}

static int32_t make_function(void) {
  jf_object* function = jf_function_new(add, NULL, NULL, "()");
  jf_object_release(function);
  return function ? 0 : -1;
}

static void test_without_memory(void) {
  for (int i = 0; i < 50; i++) SURVIVES(intern_next);
  SURVIVES(make_function);
}

int main(void) {
  RUN(test_captures);
  RUN(test_functions_made_elsewhere_have_no_captures);
  RUN(test_failures_are_mended);
  RUN(test_tracebacks_show_functions);
  RUN(test_what_is_no_function);
  RUN(test_interned_texts_are_one);
  RUN(test_without_memory);
  return finish();
}
