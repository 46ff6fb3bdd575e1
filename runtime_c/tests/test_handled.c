/* What except clauses are handling: errors that are caught, raised again, and the contexts of those that replace them. */
#include "testhelper.h"

static int shown, hidden;

static int32_t is_a(const jf_object* error, const char* name) {
  (void)error;
  return strcmp(name, "ValueError") == 0;
}

static void show(jf_handled* handled) {
  shown++;
  handled->is_shown = 1;
}

static void hide(jf_handled* handled) {
  hidden++;
  handled->is_shown = 0;
}

static jf_object* nothing_handled(void) { return NULL; }

static const jf_host_errors host = {is_a, show, hide, nothing_handled};

static void test_an_error_is_caught_and_raised_again(void) {
  jf_handled handled;
  CHECK(jf_handled_innermost() == NULL);
  jf_error_set("ValueError", "first");
  jf_handled_begin(&handled, "a.py", "f", 3);
  CHECK(jf_error_peek() == NULL && jf_handled_innermost() == &handled);
  jf_object* error = jf_handled_error(&handled);
  CHECK(error != NULL && error == jf_handled_error(&handled));
  CHECK(jf_handled_reraise(&handled) == -1);
  CHECK(jf_error_peek() == error);
  jf_handled_end(&handled);
  jf_handled_end(&handled); /* nothing, the second time */
  CHECK(jf_handled_innermost() == NULL);
  CHECK_ERROR("ValueError: first");
}

static void test_what_is_known_is_made_when_it_is_asked_for(void) {
  jf_handled handled;
  jf_handled_known(&handled, "IndexError", "out of range", "a.py", "f", 3);
  CHECK(handled.error == NULL && jf_error_peek() == NULL);
  CHECK(jf_handled_error(&handled) != NULL && jf_error_peek() == NULL);
  jf_handled_end(&handled);
  jf_handled_known(&handled, "IndexError", "never made", "a.py", "f", 3);
  jf_handled_end(&handled);
}

static int32_t raise_key(const char* kind, const jf_any* key) {
  jf_error_format(kind, "%lld", (long long)key->v_int64);
  return -1;
}

static void test_keys(void) {
  jf_handled handled;
  jf_value key = slot_of_int(7);
  jf_handled_key(&handled, raise_key, &key, "a.py", "f", 3);
  CHECK(key.type_code == JF_NULL);
  CHECK(jf_handled_reraise(&handled) == -1);
  jf_handled_end(&handled);
  CHECK_ERROR("KeyError: 7");
}

static void test_contexts(void) {
  jf_handled outer, inner;
  jf_error_set("ValueError", "first");
  jf_handled_begin(&outer, "a.py", "f", 3);
  jf_error_set("TypeError", "second");
  jf_handled_begin(&inner, "a.py", "f", 5);
  CHECK(jf_handled_innermost() == &inner && inner.outer == &outer);
  jf_error_set("KeyError", "third");
  jf_handled_failed(&inner);
  jf_handled_failed(&outer);
  jf_object* last = jf_error_take();
  jf_object* before = jf_error_context(last);
  CHECK(before != NULL && strcmp(((jf_error*)before)->kind->data, "TypeError") == 0);
  CHECK(jf_error_args(last) == NULL);
  CHECK(strcmp(((jf_error*)jf_error_context(before))->kind->data, "ValueError") == 0);
  jf_object_release(last);
}

static void test_the_host_is_told_once(void) {
  jf_handled handled;
  jf_handled_show(); /* nothing is being handled */
  CHECK(jf_get_host_errors() == NULL);
  jf_set_host_errors(&host);
  CHECK(jf_get_host_errors() == &host);
  jf_error_set("ValueError", "first");
  jf_handled_begin(&handled, "a.py", "f", 3);
  jf_handled_show();
  jf_handled_show();
  CHECK(shown == 1 && hidden == 0);
  jf_handled_end(&handled);
  CHECK(hidden == 1);
  jf_set_host_errors(NULL);
}

int main(void) {
  RUN(test_an_error_is_caught_and_raised_again);
  RUN(test_what_is_known_is_made_when_it_is_asked_for);
  RUN(test_keys);
  RUN(test_contexts);
  RUN(test_the_host_is_told_once);
  return finish();
}
