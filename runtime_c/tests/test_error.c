/* Errors: their objects, the last one of a thread, and the pending mark. */

#include "jitffi/emitted.h"
#include "testhelper.h"

#if HAVE_PROCESSES
#include <pthread.h>
#endif

static void test_set_and_take(void) {
  jf_error_set("ValueError", "first");
  jf_error_set("TypeError", "second");
  jf_error* peeked = (jf_error*)jf_error_peek();
  CHECK_TEXT(peeked->kind->data, "TypeError");
  CHECK(!peeked->traceback && !peeked->cause && !peeked->host);
  CHECK_ERROR("TypeError: second");
  CHECK(!jf_error_peek() && !jf_error_take());
}

static void test_format(void) {
  jf_error_format("ValueError", "%d %s", 42, "texts");
  CHECK_ERROR("ValueError: 42 texts");
  char longer[900];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = 0;
  jf_error_format("ValueError", "%s", longer);
  CHECK(((jf_error*)jf_error_peek())->message->size == sizeof longer - 1);
  jf_object_release(jf_error_take());
}

static void test_fields(void) {
  jf_object* cause = jf_error_new("OSError", "below", NULL, NULL, NULL);
  jf_object* host = jf_host_object_new(NULL, NULL, NULL);
  jf_error* error = (jf_error*)jf_error_new("KeyError", "above", "line 1", cause, host);
  jf_object_release(cause);
  jf_object_release(host);
  CHECK_TEXT(error->traceback->data, "line 1");
  CHECK(error->cause == cause && error->host == host);
  jf_error_set_object(&error->header);
  CHECK_ERROR("KeyError: above");
  jf_error_set(NULL, NULL);
  CHECK_ERROR("RuntimeError: ");
}

static void test_long_chains_of_causes_are_freed(void) {
  jf_object* error = NULL;
  for (int i = 0; i < 200000; i++) {
    jf_object* above = jf_error_new("ValueError", "link", NULL, error, NULL);
    jf_object_release(error);
    error = above;
  }
  jf_object_release(error);
}

static void test_errno(void) {
  jf_error_set_object(jf_error_of_errno(2, "open", NULL));
  CHECK_ERROR("OSError: [Errno 2] open");
}

static int32_t raises(const char* name) { return JF_RAISE("KeyError", "no %s", name); }

static void test_places(void) {
  jf_error_add_frame("nowhere.c", 1, "nobody"); /* without an error there is nothing to add to */
  CHECK(!jf_error_peek());
  CHECK(raises("word") == -1);
  jf_error* error = (jf_error*)jf_error_peek();
  CHECK(strstr(error->traceback->data, "test_error.c\", line ") && strstr(error->traceback->data, ", in raises\n"));
  jf_error_set_object(jf_error_new("KeyError", "above", "  of another form", NULL, NULL));
  jf_object* held = jf_error_take();
  jf_object_retain(held);
  jf_error_set_object(held);
  jf_error_add_frame("a.c", 12, "f");
  jf_error_add_frame(NULL, -1, NULL);
  error = (jf_error*)jf_error_peek();
  CHECK(&error->header != held); /* somebody else's error stays as it is */
  CHECK_TEXT(error->traceback->data, "  of another form\n  File \"a.c\", line 12, in f\n  File \"?\", line -1, in ?\n");
  CHECK_TEXT(((jf_error*)held)->traceback->data, "  of another form");
  jf_object_release(held);
  for (int i = 0; i < 5000; i++) jf_error_add_frame("recursion.c", i, "without_an_end");
  CHECK(((jf_error*)jf_error_peek())->traceback->size <= 1 << 16);
  CHECK_ERROR("KeyError: above");
  jf_error_set_object(NULL);
  jf_error_add_frame("a.c", 1, "f"); /* a static error has no room */
  CHECK(!((jf_error*)jf_error_peek())->traceback);
  jf_object_release(jf_error_take());
}

static void test_places_of_what_is_held(void) {
  const jf_call_info info = {"f", 0, 0, NULL, "i64", NULL};
  jf_error_set("KeyError", "held");
  jf_object* held = jf_error_take();
  jf_object_retain(held);
  jf_error_set_object(held);
  jf_error_add_call(&info);
  jf_error_leave_call(&info); /* it is told */
  jf_error_add_frame("b.c", 2, "g");
  jf_object* lines = jf_error_take_lines();
  CHECK(jf_error_peek() == held && !((jf_error*)held)->traceback && !jf_error_take_lines());
  CHECK_TEXT(((jf_str*)lines)->data, "  File \"<native>\", line 1, in f() -> i64\n  File \"b.c\", line 2, in g\n");
  jf_error_add_lines(lines);
  jf_object_release(jf_error_take());
  CHECK(!jf_error_take_lines());
  jf_object_retain(lines = jf_error_new("KeyError", "of nobody", NULL, NULL, NULL));
  jf_error_add_lines(lines); /* without an error they go */
  jf_object_release(lines);
  jf_object_release(held);
}

static void test_places_while_one_is_pending(void) {
  jf_error_set("ValueError", "first");
  jf_error_mark_pending();
  CHECK(raises("second") == -1);
  CHECK(!((jf_error*)jf_error_peek())->traceback);
  CHECK_ERROR("ValueError: first");
}

static void test_a_cause_may_be_any_object(void) {
  jf_object* text = jf_str_new("why", 3);
  jf_object* error = jf_error_new("ValueError", "caused", NULL, text, NULL);
  jf_object_release(text);
  jf_object_release(error);
}

static void test_what_is_no_error(void) {
  jf_error_set_object(jf_str_new("x", 1));
  CHECK_ERROR("TypeError: what was raised is not an error object");
  jf_error_set_object(NULL);
  CHECK_ERROR("MemoryError: out of memory");
}

static void test_pending_keeps_the_first(void) {
  const int32_t* count = jf_error_pending_count();
  CHECK(*count == 0);
  jf_error_set("ValueError", "first");
  CHECK(!jf_error_is_pending());
  jf_error_mark_pending();
  CHECK(jf_error_is_pending() && *count == 1);
  jf_error_set("ValueError", "second");
  jf_error_mark_pending();
  CHECK(*count == 1);
  CHECK_ERROR("ValueError: first");
  CHECK(!jf_error_is_pending() && *count == 0);
  jf_error_mark_pending();
  CHECK_ERROR("RuntimeError: a callback failed without setting an error");
}

#if HAVE_PROCESSES
static void* leave_a_pending_error(void* ignored) {
  jf_error_set("ValueError", "left behind");
  jf_error_mark_pending();
  CHECK(*jf_error_pending_count() == 1);
  return ignored;
}

static void set_in_destructor(void* ignored) {
  (void)ignored;
  jf_error_set("ValueError", "set while the thread ends");
}

static pthread_key_t key_of_test;
static void* leave_an_error_late(void* ignored) {
  jf_error_set("ValueError", "early");
  pthread_setspecific(key_of_test, &key_of_test);
  return ignored;
}

static void test_errors_end_with_their_thread(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, leave_a_pending_error, NULL);
  pthread_join(thread, NULL);
  CHECK(*jf_error_pending_count() == 0 && !jf_error_peek());
  pthread_key_create(&key_of_test, set_in_destructor);
  pthread_create(&thread, NULL, leave_an_error_late, NULL);
  pthread_join(thread, NULL);
  pthread_key_delete(key_of_test);
}
#endif

static void delete_and_set(jf_object* object) {
  CHECK_ERROR("ValueError: new"); /* the new error stands when the old one goes */
  jf_object_free(object);
}

static void test_deleters_see_the_new_error(void) {
  jf_object* host = jf_host_object_new(NULL, NULL, delete_and_set);
  jf_error_set_object(jf_error_new("ValueError", "old", NULL, NULL, host));
  jf_object_release(host);
  jf_error_set("ValueError", "new");
}

static int32_t make_error(void) {
  jf_object* error = jf_error_new("ValueError", "message", "traceback", NULL, NULL);
  if (!error) jf_error_no_memory();
  jf_object_release(error);
  return error ? 0 : -1;
}

/* Out of memory, some error is set all the same: this one or MemoryError. */
static int32_t set_long_error(void) {
  char longer[900];
  memset(longer, 'x', sizeof longer - 1);
  longer[sizeof longer - 1] = 0;
  jf_error_format("ValueError", "%s", longer);
  jf_error* error = (jf_error*)jf_error_peek();
  CHECK(error != NULL);
  if (strcmp(error->kind->data, "MemoryError") == 0) return -1;
  jf_object_release(jf_error_take());
  return 0;
}

static void test_without_memory(void) {
  SURVIVES(make_error);
  SURVIVES(set_long_error);
}

int main(void) {
  RUN(test_set_and_take);
  RUN(test_format);
  RUN(test_fields);
  RUN(test_long_chains_of_causes_are_freed);
  RUN(test_places);
  RUN(test_places_of_what_is_held);
  RUN(test_errno);
  RUN(test_places_while_one_is_pending);
  RUN(test_a_cause_may_be_any_object);
  RUN(test_what_is_no_error);
  RUN(test_pending_keeps_the_first);
#if HAVE_PROCESSES
  RUN(test_errors_end_with_their_thread);
#endif
  RUN(test_deleters_see_the_new_error);
  RUN(test_without_memory);
  return finish();
}
