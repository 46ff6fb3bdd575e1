/* Rings of containers: what is found, what is kept. */
#include "testhelper.h"

#if HAVE_PROCESSES
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>
#endif

static jf_object* new_list(void) { return jf_list_new(0, -1); }

/* Appends without keeping the caller's reference. */
static void give(jf_object* list, jf_object* item) {
  jf_view view = {JF_RVALUE, 0, {.v_rvalue = &item}};
  CHECK(jf_list_append(list, &view) == 0 && item == NULL);
}

static void add(jf_object* list, jf_object* item) {
  jf_view view = slot_of_object(item);
  CHECK(jf_list_append(list, &view) == 0);
}

static void test_what_holds_no_container_is_not_tracked(void) {
  jf_object* list = new_list();
  const jf_any number = slot_of_int(123456), text = slot_of_raw("a text that is too long for any slot there is here");
  CHECK(jf_list_append(list, &number) == 0 && jf_list_append(list, &text) == 0);
  jf_object* tuple = jf_tuple_new(&number, 1);
  add(list, tuple); /* which holds nothing that could lead back */
  jf_object* map = jf_map_new(0, -1);
  CHECK(jf_map_set(map, &number, &text) == 0);
  CHECK(jf_cycles_tracked() == 0);
  jf_object_release(tuple);
  jf_object_release(list);
  jf_object_release(map);
}

static void test_list_in_itself(void) {
  jf_object* list = new_list();
  add(list, list);
  CHECK(jf_cycles_tracked() == 1);
  CHECK(jf_cycles_count() == 0 && jf_cycles_collect() == 0); /* we have it */
  CHECK(jf_list_size(list) == 1);
  jf_object_release(list);
  CHECK(jf_cycles_count() == 1 && jf_live_objects() == 1);
  CHECK(jf_cycles_collect() == 1 && jf_live_objects() == 0);
  CHECK(jf_cycles_tracked() == 0);
}

static void test_what_several_refer_to(void) {
  jf_object *list = new_list(), *inner = new_list(), **found;
  CHECK(jf_cycles_shared(&found) == 0 && found == NULL);
  add(inner, inner);
  add(list, inner);
  CHECK(jf_cycles_shared(&found) == 1 && found[0] == inner && inner->ref_count == 4);
  jf_object_release(found[0]);
  jf_free(found);
  jf_list_clear(inner);
  jf_object_release(inner);
  CHECK(jf_cycles_shared(&found) == 0 && found == NULL);
  jf_object_release(list);
}

static void test_list_and_map(void) {
  jf_object *list = new_list(), *map = jf_map_new(0, -1);
  const jf_any key = slot_of_raw("the list"), in_map = slot_of_object(list);
  CHECK(jf_map_set(map, &key, &in_map) == 0);
  add(list, map);
  CHECK(jf_cycles_tracked() == 2);
  jf_object_release(list);
  CHECK(jf_cycles_collect() == 0 && jf_live_objects() == 2);
  jf_object_release(map);
  CHECK(jf_cycles_collect() == 2);
}

static void test_tuple_in_list_in_tuple(void) {
  jf_object* list = new_list();
  const jf_any view = slot_of_object(list);
  jf_object* inner = jf_tuple_new(&view, 1);
  const jf_any inner_view = slot_of_object(inner);
  jf_object* outer = jf_tuple_new(&inner_view, 1);
  add(list, outer);
  jf_object_release(outer);
  jf_object_release(inner);
  CHECK(jf_cycles_tracked() == 3 && jf_cycles_collect() == 0);
  CHECK(jf_list_size(list) == 1);
  jf_object_release(list);
  CHECK(jf_cycles_count() == 3 && jf_cycles_collect() == 3);
}

static void test_tuple_as_key(void) {
  jf_object* map = jf_map_new(0, -1);
  jf_view none = {JF_NULL, 0, {0}}, map_view = slot_of_object(map);
  jf_object* tuple = jf_tuple_new(&map_view, 1);
  const jf_any key = slot_of_object(tuple);
  CHECK(jf_map_set(map, &key, &none) == -1); /* no hash */
  CHECK_ERROR("TypeError: unhashable type: 'map'");
  CHECK(jf_map_size(map) == 0);
  jf_object_release(tuple);
  jf_object_release(map);
}

/* A ring of `length` lists; the first one, owned by the ring. */
static jf_object* make_ring(int length, jf_object** middle) {
  jf_object* start = new_list();
  jf_object* last = start;
  for (int i = 1; i < length; i++) {
    jf_object* next = new_list();
    give(last, next);
    last = next;
    if (i == length / 2 && middle) *middle = next;
  }
  add(last, start);
  return start;
}

static void test_long_ring(void) {
  jf_object* middle = NULL;
  jf_object_release(make_ring(100000, &middle));
  jf_object_retain(middle);
  CHECK(jf_cycles_collect() == 0 && jf_live_objects() == 100000);
  jf_object_release(middle);
  CHECK(jf_cycles_collect() == 100000);
}

static void test_long_chain_behind_a_ring(void) {
  jf_object* start = make_ring(3, NULL);
  jf_object *chain = new_list(), *kept = new_list();
  for (int i = 0; i < 50000; i++) {
    jf_object* outer = new_list();
    give(outer, chain);
    chain = outer;
  }
  add(start, kept);
  give(start, chain);
  jf_object_release(start);
  CHECK(jf_cycles_collect() == 3 + 50000); /* the innermost one holds nothing: freed, but not known */
  CHECK(jf_live_objects() == 1 && kept->ref_count == 1);
  jf_object_release(kept);
}

static void test_groups(void) {
  jf_object* kept = make_ring(5, NULL);
  jf_object* lost = make_ring(7, NULL);
  add(kept, lost); /* one leads to the other */
  jf_object_release(lost);
  CHECK(jf_cycles_collect() == 0);
  const jf_any number = slot_of_int(1);
  CHECK(jf_list_set(kept, 1, &number) == 0);
  CHECK(jf_cycles_collect() == 7 && jf_live_objects() == 5);
  jf_object* other = make_ring(2, NULL);
  add(other, kept); /* the garbage leads to what is in use */
  jf_object_release(other);
  CHECK(jf_cycles_collect() == 2 && jf_live_objects() == 5);
  jf_object_release(kept);
  CHECK(jf_cycles_collect() == 5);
}

/* -- an object that holds another -- */

typedef struct {
  jf_object header;
  jf_object* held;
} holder;

static int collected_within;

static void delete_foreign_list(jf_object* list) {
  list->deleter = jf_list_delete_last;
  list->deleter(list);
}

/* Its deleter is that of another copy of the runtime, which has a ring of its own. */
static void test_containers_of_another_runtime(void) {
  jf_object *list = new_list(), *inner = new_list();
  list->deleter = delete_foreign_list;
  add(list, inner);
  add(inner, list);
  CHECK(jf_cycles_tracked() == 1 && jf_cycles_collect() == 0);
  jf_object_release(inner);
  CHECK(jf_cycles_collect() == 0 && jf_live_objects() == 2);
  jf_list_clear(list);
  CHECK(jf_live_objects() == 1);
  jf_object_release(list);
}

static int32_t traverse_holder(jf_object* object, int32_t (*visit)(jf_object*, void*), void* context) {
  holder* h = (holder*)object;
  return h->held ? visit(h->held, context) : 0;
}

static void clear_holder(jf_object* object) {
  jf_object* held = ((holder*)object)->held;
  ((holder*)object)->held = NULL;
  jf_object_release(held);
}

static void delete_holder(jf_object* object) {
  clear_holder(object);
  collected_within += (int)jf_cycles_collect(); /* what a deleter may well do */
  jf_object_free(object);
}

static int32_t holder_code(void) {
  static const jf_type_operations operations = {.traverse = traverse_holder, .clear = clear_holder};
  const int32_t code = jf_type_register("test.Holder", JF_ROOT);
  CHECK(jf_type_set_operations(code, &operations) == 0);
  return code;
}

static void test_objects_with_traverse(void) {
  holder* h = jf_object_new(sizeof *h, holder_code(), delete_holder);
  h->held = new_list();
  add(h->held, &h->header);
  CHECK(jf_cycles_tracked() == 1 && jf_cycles_collect() == 0);
  jf_object_release(&h->header);
  collected_within = 0;
  CHECK(jf_cycles_count() == 2 && jf_cycles_collect() == 2);
  CHECK(collected_within == 0 && jf_live_objects() == 0);
}

static void test_objects_without_traverse_keep_what_they_hold(void) {
  holder* h = jf_object_new(sizeof *h, jf_type_register("test.Secret", JF_ROOT), delete_holder);
  h->held = new_list();
  add(h->held, &h->header);
  jf_object_release(&h->header);
  CHECK(jf_cycles_tracked() == 0 && jf_cycles_collect() == 0 && jf_live_objects() == 2);
  jf_object* list = h->held;
  jf_list_clear(list);
  CHECK(jf_live_objects() == 0);
}

static void test_without_memory(void) {
#ifdef JITFFI_HOSTILE
  jf_object_release(make_ring(40, NULL));
  for (int64_t count = 0; count < 3; count++) {
    jf_hostile_fail_after(count);
    CHECK(jf_cycles_collect() == -1);
    jf_hostile_fail_after(-1);
    CHECK_ERROR("MemoryError: out of memory");
    CHECK(jf_live_objects() == 40);
  }
  CHECK(jf_cycles_collect() == 40);
#endif
}

#if HAVE_PROCESSES
/* Others make and release containers while one asks how many there are, and one forks. */
static void* make_and_release(void* rounds) {
  for (int i = 0; i < *(int*)rounds; i++) {
    jf_object *outer = new_list(), *inner = new_list();
    give(outer, inner);
    jf_object_release(outer);
  }
  return NULL;
}

static void test_threads_and_fork(void) {
  pthread_t threads[2];
  int rounds = 20000;
  for (int i = 0; i < 2; i++) CHECK(pthread_create(&threads[i], NULL, make_and_release, &rounds) == 0);
  for (int i = 0; i < 10; i++) {
    const pid_t child = fork();
    if (child == 0) {
      jf_object* list = new_list();
      add(list, list);
      jf_object_release(list);
      _exit(jf_cycles_tracked() >= 1 ? 7 : 1);
    }
    int status = 0;
    CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 7);
  }
  for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
  CHECK(jf_cycles_tracked() == 0);
}
#endif

int main(void) {
  RUN(test_what_holds_no_container_is_not_tracked);
  RUN(test_list_in_itself);
  RUN(test_what_several_refer_to);
  RUN(test_list_and_map);
  RUN(test_tuple_in_list_in_tuple);
  RUN(test_tuple_as_key);
  RUN(test_long_ring);
  RUN(test_long_chain_behind_a_ring);
  RUN(test_groups);
  RUN(test_objects_with_traverse);
  RUN(test_objects_without_traverse_keep_what_they_hold);
  RUN(test_containers_of_another_runtime);
  RUN(test_without_memory);
#if HAVE_PROCESSES
  RUN(test_threads_and_fork);
#endif
  return finish();
}
