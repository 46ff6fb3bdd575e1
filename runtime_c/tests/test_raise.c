/* The messages of failed calls. */
#include "testhelper.h"

static const jf_param_info params[] = {{"x", "f64"}, {"y", "optional[cstr]"}, {NULL, "i8"}};
static const jf_call_info info = {"add", 3, 2, params, "i64"};

static void test_each_place(void) {
  const jf_any text = slot_of_raw("abc");
  jf_fail_type(&info, 0, &text);
  CHECK_ERROR("TypeError: add: argument 1 'x': expected f64, got str 'abc'");
  jf_fail_type(&info, 1, &text);
  CHECK_ERROR("TypeError: add: argument 2 'y': expected optional[cstr], got str 'abc'");
  jf_fail_type(&info, 2, &text);
  CHECK_ERROR("TypeError: add: argument 3: expected i8, got str 'abc'");
  jf_fail_type(&info, -1, &text);
  CHECK_ERROR("TypeError: add: result: expected i64, got str 'abc'");
}

static void test_what_is_not_known(void) {
  const jf_call_info nameless = {NULL, 1, 1, NULL, NULL};
  const jf_any three = slot_of_int(3);
  jf_fail_type(&info, 3, &three);
  CHECK_ERROR("TypeError: add: argument 4: expected another type, got int 3");
  jf_fail_type(&nameless, 0, &three);
  CHECK_ERROR("TypeError: function: argument 1: expected another type, got int 3");
  jf_fail_type(NULL, -1, &three);
  CHECK_ERROR("TypeError: function: result: expected another type, got int 3");
}

static void test_arity(void) {
  const jf_call_info exact = {"f", 2, 2, params, "void"}, one = {NULL, 1, 1, params, "void"};
  const jf_call_info none = {"h", 0, 0, NULL, "void"};
  jf_fail_arity(&exact, 3);
  CHECK_ERROR("TypeError: f: expected 2 arguments, got 3");
  jf_fail_arity(&info, 0);
  CHECK_ERROR("TypeError: add: expected 2 to 3 arguments, got 0");
  jf_fail_arity(&one, 2);
  CHECK_ERROR("TypeError: function: expected 1 argument, got 2");
  jf_fail_arity(&none, 1);
  CHECK_ERROR("TypeError: h: expected 0 arguments, got 1");
}

static void test_the_object_of_a_method_is_not_counted(void) {
  const jf_param_info of_method[] = {{jf_self, "object"}, {NULL, "f64"}, {"by", "f64"}};
  const jf_call_info method = {"scale", 3, 2, of_method, "void"};
  const jf_any three = slot_of_int(3);
  jf_fail_type(&method, 0, &three);
  CHECK_ERROR("TypeError: scale: argument 'self': expected object, got int 3");
  jf_fail_type(&method, 1, &three);
  CHECK_ERROR("TypeError: scale: argument 1: expected f64, got int 3");
  jf_fail_type(&method, 2, &three);
  CHECK_ERROR("TypeError: scale: argument 2 'by': expected f64, got int 3");
  jf_fail_arity(&method, 4);
  CHECK_ERROR("TypeError: scale: expected 1 to 2 arguments, got 3");
  char other[] = "self"; /* of a function that is no method */
  const jf_param_info of_function[] = {{other, "object"}, {NULL, "f64"}};
  const jf_call_info function = {"scale", 2, 2, of_function, "void"};
  jf_fail_type(&function, 0, &three);
  CHECK_ERROR("TypeError: scale: argument 1 'self': expected object, got int 3");
  jf_fail_arity(&function, 3);
  CHECK_ERROR("TypeError: scale: expected 2 arguments, got 3");
}

static void test_long_types_are_not_cut(void) {
  char type[1000];
  memset(type, 'x', sizeof type - 1);
  type[sizeof type - 1] = 0;
  const jf_param_info param = {NULL, type};
  const jf_call_info longer = {"f", 1, 1, &param, "void"};
  const jf_any three = slot_of_int(3);
  jf_fail_type(&longer, 0, &three);
  const jf_error* error = (const jf_error*)jf_error_peek();
  CHECK(strstr(error->message->data, type) && strstr(error->message->data, ", got int 3"));
  jf_object_release(jf_error_take());
}

/* Some error is set whatever happens. */
static int32_t fail(void) {
  const jf_any three = slot_of_int(3);
  jf_fail_type(&info, 0, &three);
  jf_error* error = (jf_error*)jf_error_peek();
  if (strcmp(error->kind->data, "MemoryError") == 0) return -1;
  jf_object_release(jf_error_take());
  return 0;
}

static void test_without_memory(void) { SURVIVES(fail); }

int main(void) {
  RUN(test_each_place);
  RUN(test_what_is_not_known);
  RUN(test_arity);
  RUN(test_the_object_of_a_method_is_not_counted);
  RUN(test_long_types_are_not_cut);
  RUN(test_without_memory);
  return finish();
}
