/* What lists take from the allocator, what they do without it, and what deleters may do to them. */
#include "listhelper.h"

/* -- bytes -- */

static size_t allocated, blocks;

static void* count_allocation(size_t size, void* context) {
  (void)context;
  size_t* memory = malloc(size + 16);
  if (!memory) return NULL;
  *memory = size;
  allocated += size, blocks++;
  return (char*)memory + 16;
}

static void count_free(void* memory, void* context) {
  (void)context;
  size_t* start = (size_t*)(void*)((char*)memory - 16);
  allocated -= *start, blocks--;
  free(start);
}

/* Bytes of a list of 1000 of that item. In the hostile build each allocation is 16 bytes larger. */
static size_t bytes_of(const char* word, size_t capacity) {
  word_scratch scratch;
  const jf_view view = view_of_word(word, strlen(word), &scratch);
  const size_t before = allocated, blocks_before = blocks;
  jf_object* list = jf_list_new(capacity, -1);
  for (int i = 0; i < 1000; i++) CHECK(jf_list_append(list, &view) == 0);
  size_t bytes = allocated - before;
#ifdef JITFFI_HOSTILE
  bytes -= 16 * (blocks - blocks_before);
#endif
  CHECK(blocks - blocks_before <= (capacity ? 10 : 1010));
  jf_object_release(list);
  CHECK(allocated == before && blocks == blocks_before);
  return bytes;
}

static void test_bytes(void) {
  jf_set_allocator(count_allocation, count_free, NULL);
  CHECK(bytes_of("n", 1000) <= 8000 + 256);
  CHECK(bytes_of("t", 1000) <= 8000 + 256);
  CHECK(bytes_of("i1000", 1000) <= 8000 + 256);
  CHECK(bytes_of("sx", 1000) <= 8000 + 256 && bytes_of("wx", 1000) <= 8000 + 256);
  CHECK(bytes_of("sabcde", 1000) <= 32000 + 256);
  CHECK(bytes_of("sabcdefghijkl", 1000) <= 32000 + 256);
  CHECK(bytes_of("wabcd", 1000) <= 32000 + 256);
  CHECK(bytes_of("f1.5", 1000) <= 32000 + 256 && bytes_of("i5000", 1000) <= 32000 + 256);
  CHECK(bytes_of("f1.5", 0) <= 1.5 * 32000 + 512); /* grown */
  /* A list of no capacity is its object alone; emptied, it has at most one block. */
  const size_t before = blocks;
  jf_object* list = jf_list_new(0, -1);
  CHECK(blocks == before + 1);
  const jf_any view = slot_of_float(1.5);
  for (int i = 0; i < 100; i++) jf_list_append(list, &view);
  jf_any out = null_out(8);
  while (jf_list_size(list)) CHECK(jf_list_pop(list, 0, &out) == 0), out = null_out(8);
  CHECK(blocks <= before + 3);
  jf_list_append(list, &view);
  jf_list_clear(list);
  CHECK(blocks == before + 1);
  jf_object_release(list);
  /* Items that are replaced all the time need no more than one slot each. */
  list = jf_list_new(10, -1);
  const jf_any zero = slot_of_int(0);
  for (int i = 0; i < 10; i++) jf_list_append(list, &zero);
  for (int i = 0; i < 10000; i++) jf_list_set(list, i % 10, i % 3 ? &view : &zero);
  CHECK(jf_pool_slots(&((jf_list*)list)->pool) <= 11);
  jf_object_release(list);
  jf_set_allocator(NULL, NULL, NULL);
}

/* -- each operation without memory -- */

#define LONG "sabcdefghijklmnopqrstuvwxyz"

static int32_t build(void) {
  jf_object* list = list_of_text("i5000 " LONG " n wabcdefgh f1.5");
  jf_object_release(list);
  return list ? 0 : -1;
}

/* Runs one operation on a list that was made with memory; it stays as it was when that fails. */
static int32_t (*operation)(jf_object* list);
static const char start[] = "i5000 " LONG " n wabcd f1.5 i1";

static int32_t operate(void) {
  jf_object* list = list_of_text(start);
  if (!list) return -1;
  const int32_t status = operation(list);
  if (status != 0) CHECK_LIST(list, start);
  jf_object_release(list);
  return status;
}

static jf_object* items(void) { return list_of_text_pad("sabcdefghijklmnopqr wxyz i123456 " LONG, 3); }

static int32_t append(jf_object* list) {
  const jf_any text = slot_of_raw("a text of more than fifteen bytes");
  return jf_list_append(list, &text);
}
static int32_t insert(jf_object* list) {
  const jf_any text = slot_of_raw("a text of more than fifteen bytes");
  return jf_list_insert(list, 1, &text);
}
static int32_t set(jf_object* list) {
  const jf_any text = slot_of_raw("a text of more than fifteen bytes");
  return jf_list_set(list, 1, &text);
}
static int32_t pop(jf_object* list) {
  jf_any out = null_out(8);
  CHECK(jf_list_get(list, 3, &out) == 0 || out.type_code == JF_NULL);
  const int32_t had = out.type_code != JF_NULL;
  jf_any_release(&out);
  if (!had) return -1;
  const int32_t status = jf_list_pop(list, 3, &out); /* four characters do not fit */
  jf_any_release(&out);
  return status;
}
static int32_t extend_by(jf_object* list) {
  jf_object* more = items();
  const int32_t status = more ? jf_list_extend(list, more) : -1;
  jf_object_release(more);
  return status;
}
static int32_t extend_by_itself(jf_object* list) { return jf_list_extend(list, list); }
static int32_t assign(jf_object* list) {
  jf_object* more = items();
  const int32_t status = more ? jf_list_assign(list, 1, 3, 1, more) : -1;
  jf_object_release(more);
  return status;
}
static int32_t assign_extended(jf_object* list) {
  jf_object* more = items();
  const int32_t status = more ? jf_list_assign(list, -1, 1, -1, more) : -1;
  jf_object_release(more);
  return status;
}
static int32_t delete_many(jf_object* list) {
  CHECK(jf_list_extend(list, list) == 0 || 1);
  jf_object_release(jf_error_take());
  return jf_list_delete(list, 6, JF_NO_INDEX, 1);
}
static int32_t check_new(jf_object* made) {
  jf_object_release(made);
  return made ? 0 : -1;
}
static int32_t slice(jf_object* list) { return check_new(jf_list_slice(list, JF_NO_INDEX, JF_NO_INDEX, -2)); }
static int32_t copy(jf_object* list) { return check_new(jf_list_copy(list)); }
static int32_t concat(jf_object* list) { return check_new(jf_list_concat(list, list)); }
static int32_t repeat(jf_object* list) { return check_new(jf_list_repeat(list, 3)); }
static int32_t unshare(jf_object* list) {
  jf_object* shared = list;
  jf_object_retain(list);
  const int32_t status = jf_list_unshare(&shared);
  CHECK((shared == list) == (status != 0));
  jf_object_release(shared);
  return status;
}

static void test_without_memory(void) {
  static int32_t (*const all[])(jf_object*) = {append,  insert,         set,         pop,  extend_by, extend_by_itself,
                                               assign,  slice,          delete_many, copy, concat,    repeat,
                                               unshare, assign_extended};
  SURVIVES(build);
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
    operation = all[i];
    SURVIVES(operate);
  }
}

/* -- deleters and depth -- */

static jf_object* victim;
static int deletions;

/* Does to the list what is worst while it lets go of its items. */
static void append_and_free(jf_object* object) {
  deletions++;
  if (victim) {
    const jf_any view = slot_of_float(9.5);
    CHECK(jf_list_append(victim, &view) == 0 && jf_list_set(victim, 0, &view) == 0);
    if (deletions % 3 == 0) jf_list_clear(victim);
  }
  jf_object_free(object);
}

static jf_object* list_with_deleters(int count) {
  jf_object* list = list_of_text("i5000 f2.5");
  for (int i = 0; i < count; i++) {
    jf_object* object = jf_object_new(sizeof *object, JF_ROOT, append_and_free);
    const jf_any view = {JF_RVALUE, 0, {.v_rvalue = &object}};
    const jf_any number = slot_of_float(i + 0.5);
    CHECK(jf_list_append(list, &view) == 0 && jf_list_append(list, &number) == 0);
  }
  return list;
}

static void test_deleters_that_use_the_list(void) {
  jf_object* none = list_of_text("f1.5");
  for (int what = 0; what < 5; what++) {
    jf_object* list = list_with_deleters(40);
    const jf_any view = slot_of_float(1.5);
    deletions = 0;
    victim = list;
    if (what == 0) jf_list_clear(list);
    if (what == 1) CHECK(jf_list_delete(list, 1, -1, 1) == 0);
    if (what == 2) CHECK(jf_list_assign(list, 1, 80, 1, none) == 0);
    if (what == 3) CHECK(jf_list_set(list, 2, &view) == 0);
    if (what == 4) CHECK(jf_list_delete(list, JF_NO_INDEX, JF_NO_INDEX, 2) == 0);
    CHECK(deletions == (what == 3 ? 1 : 40));
    victim = NULL;
    jf_object_release(list);
  }
  jf_object_release(none);
}

/* Lists and tuples in one another, a million deep. */
static void test_depth(void) {
  jf_object* inner = list_of_text("f1.5");
  for (int i = 0; i < 1000000; i++) {
    const jf_any view = {JF_RVALUE, 0, {.v_rvalue = &inner}};
    jf_object* outer = i % 2 ? jf_list_of(&view, 1, -1) : jf_tuple_new(&view, 1);
    CHECK(outer && !inner);
    inner = outer;
  }
  jf_object_release(inner);
  CHECK(jf_cycles_tracked() == 0);
}

static void test_tracking(void) {
  jf_object* tuple = jf_tuple_new(NULL, 0);
  jf_object* list = list_of_text("f1.5 " LONG);
  const jf_any flat = slot_of_object(tuple), self = slot_of_object(list);
  CHECK(jf_list_append(list, &flat) == 0 && jf_cycles_tracked() == 0); /* an empty tuple leads nowhere */
  jf_object* holder = jf_tuple_new(&self, 1);
  CHECK(jf_cycles_tracked() == 1);
  const jf_any nested = slot_of_object(holder);
  CHECK(jf_list_append(list, &nested) == 0 && jf_cycles_tracked() == 2);
  CHECK(jf_list_append(list, &nested) == 0 && jf_cycles_tracked() == 2);
  jf_list_clear(list);
  jf_object_release(holder);
  jf_object_release(list);
  jf_object_release(tuple);
  CHECK(jf_cycles_tracked() == 0);
}

int main(void) {
  RUN(test_bytes);
  RUN(test_without_memory);
  RUN(test_deleters_that_use_the_list);
  RUN(test_depth);
  RUN(test_tracking);
  return finish();
}
