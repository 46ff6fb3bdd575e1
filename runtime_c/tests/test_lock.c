/* Eight threads on everything that is shared, and forks in their midst. */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "testhelper.h"

enum { THREADS = 8, ROUNDS = 2000 };

static void run_threads(void* (*work)(void*), void* shared) {
  pthread_t threads[THREADS];
  for (int i = 0; i < THREADS; i++) pthread_create(&threads[i], NULL, work, shared);
  for (int i = 0; i < THREADS; i++) pthread_join(threads[i], NULL);
}

static void* count(void* object) {
  for (int i = 0; i < ROUNDS * 10; i++) {
    jf_object_retain(object);
    jf_object_release(object);
  }
  jf_object_release(object);
  return NULL;
}

static void test_reference_counts(void) {
  jf_object* object = jf_str_new("shared", 6);
  for (int i = 0; i < THREADS; i++) jf_object_retain(object);
  run_threads(count, object);
  CHECK(object->ref_count == 1);
  jf_object_release(object);
}

static int host_locked = 1;

static void* host_unlock(void) { return host_locked-- ? &host_locked : NULL; }

static void host_relock(void* unlocked) { *(int*)unlocked = 1; }

static void test_the_lock_of_the_host(void) {
  static const jf_host_lock lock = {host_unlock, host_relock};
  CHECK(jf_host_unlock() == NULL);
  jf_host_relock(NULL);
  jf_set_host_lock(&lock);
  void* unlocked = jf_host_unlock();
  CHECK(unlocked == &host_locked && host_locked == 0);
  jf_host_relock(unlocked);
  CHECK(host_locked == 1);
  jf_set_host_lock(NULL);
}

static int32_t nothing(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self, (void)num_args, (void)args, (void)out;
  return 0;
}

static int32_t count_name(const char* name, void* context) {
  ++*(int*)context;
  return name[0] == 0;
}

static void* use_registries(void* interned) {
  char name[32];
  for (int i = 0; i < ROUNDS; i++) {
    snprintf(name, sizeof name, "threads.%d", i % 20);
    jf_object* function = jf_function_new(nothing, NULL, NULL, "()");
    jf_global_set(name, function, 1);
    jf_object_release(function);
    function = jf_global_get(name);
    if (function && function->type_code != JF_FUNCTION) abort();
    jf_object_release(function);
    if (i % 3 == 0 && jf_global_remove(name) != 0) jf_object_release(jf_error_take());
    int names = 0;
    if (i % 100 == 0 && jf_global_list(count_name, &names) != 0) abort();
    snprintf(name, sizeof name, "threads.Type%d", i % 100);
    int32_t code = jf_type_register(name, JF_ROOT);
    if (!jf_type_is_a(code, JF_ROOT) || strcmp(jf_type_key(code), name) != 0) abort();
    if (jf_intern("(threads) -> void") != interned) abort();
  }
  return NULL;
}

static void test_registries(void) {
  char name[32];
  run_threads(use_registries, (void*)(uintptr_t)jf_intern("(threads) -> void"));
  for (int i = 0; i < 20; i++) {
    snprintf(name, sizeof name, "threads.%d", i);
    if (jf_global_remove(name) != 0) jf_object_release(jf_error_take());
  }
}

static void* use_closures(void* state) {
  jf_closure* mine[10];
  for (int i = 0; i < ROUNDS / 10; i++) {
    for (int k = 0; k < 10; k++) mine[k] = jf_closure_new(&mine[k], state, JF_RESULT_INTEGER);
    for (int k = 0; k < 10; k++) {
      if (mine[k]->state != &mine[k]) abort();
      jf_closure_kill(mine[k], NULL);
    }
  }
  return NULL;
}

static void test_closures(void) { run_threads(use_closures, (void*)(uintptr_t)nothing); }

static int stop;

static void* keep_busy(void* ignored) {
  jf_error_set("ValueError", "of this thread");
  jf_error_mark_pending();
  while (!__atomic_load_n(&stop, __ATOMIC_RELAXED)) {
    jf_type_code("threads.unknown");
    jf_intern("busy");
  }
  return ignored;
}

/* The child has one thread: nobody else's lock, nobody else's pending error. */
static int in_child(void) {
  jf_object* function = jf_function_new(nothing, NULL, NULL, NULL);
  int right = jf_global_set("child", function, 0) == 0 && jf_type_register("child.Type", JF_ROOT) != 0;
  right = right && *jf_error_pending_count() == 0 && jf_closure_new(NULL, (void*)(uintptr_t)nothing, JF_RESULT_STATUS);
  return right ? 0 : 1;
}

static void test_forks(void) {
  pthread_t busy[2];
  for (int i = 0; i < 2; i++) pthread_create(&busy[i], NULL, keep_busy, NULL);
  while (__atomic_load_n(jf_error_pending_count(), __ATOMIC_RELAXED) < 2) usleep(100);
  for (int i = 0; i < 20; i++) {
    int status = -1;
    pid_t child = fork();
    if (child == 0) {
      alarm(20); /* a deadlock must not hang the tests */
      _exit(in_child());
    }
    CHECK(waitpid(child, &status, 0) == child && status == 0);
  }
  __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
  for (int i = 0; i < 2; i++) pthread_join(busy[i], NULL);
  CHECK(*jf_error_pending_count() == 0);
}

int main(void) {
  RUN(test_the_lock_of_the_host);
  RUN(test_reference_counts);
  RUN(test_registries);
  RUN(test_closures);
  RUN(test_forks);
  return finish();
}
