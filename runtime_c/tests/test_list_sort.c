/* Sorting and finding, with keys and comparisons that fail or change the list. */
#include "listhelper.h"

static void sorts(const char* items, int32_t reverse, const char* expected) {
  jf_object* list = list_of_text(items);
  if (CHECK(jf_list_sort(list, NULL, reverse) == 0)) CHECK_LIST(list, expected);
  jf_object_release(list);
}

static void test_each_kind(void) {
  sorts("", 0, "");
  sorts("i3 i-5 i2000 i0", 0, "i-5 i0 i3 i2000");
  sorts("i3 i-5 i2000 i0", 1, "i2000 i3 i0 i-5");
  sorts("f3.5 f-5 finf f0", 0, "f-5 f0 f3.5 finf");
  sorts("i3 f-5.5 t i2", 0, "f-5.5 t i2 i3");
  sorts("sb sa s sabcdefghij sabcdefgh sabcdefghijklmnopqrstuvwxyz", 0,
        "s sa sabcdefgh sabcdefghij sabcdefghijklmnopqrstuvwxyz sb");
  sorts("wb wa w wabcdefghij wabcdefgh wac", 0, "w wa wabcdefgh wabcdefghij wac wb");
  sorts("wb sa w sabcdefghij wabcdefgh", 1, "wb sabcdefghij wabcdefgh sa w");
  sorts("bb ba babcdefghij", 0, "ba babcdefghij bb");
  sorts("i1 f1 t i0 f0 f", 0, "i0 f0 f i1 f1 t"); /* equal ones keep their order */
  sorts("i1 f1 t i0 f0 f", 1, "i1 f1 t i0 f0 f");
}

static void test_no_order(void) {
  jf_object* list = list_of_text("i3 sab f1 n");
  CHECK(jf_list_sort(list, NULL, 0) == -1);
  jf_object* error = jf_error_take();
  CHECK_TEXT(((jf_error*)error)->kind->data, "TypeError");
  jf_object_release(error);
  CHECK_LIST(list, "i3 sab f1 n");
  CHECK(jf_list_sort(list, NULL, 1) == -1);
  jf_object_release(jf_error_take());
  CHECK_LIST(list, "i3 sab f1 n");
  jf_object_release(list);
}

/* Numbers of every size, against qsort. */
static int compare_ints(const void* a, const void* b) {
  const int64_t left = *(const int64_t*)a, right = *(const int64_t*)b;
  return (left > right) - (left < right);
}

static void test_many(void) {
  static int64_t numbers[3000];
  srand(7);
  for (size_t count = 1; count < 3000; count = count * 2 + 1) {
    for (int shape = 0; shape < 4; shape++) {
      jf_object* list = jf_list_new(count, -1);
      for (size_t i = 0; i < count; i++) {
        const int64_t made[] = {rand(), (int64_t)i, -(int64_t)i, rand() % 10};
        numbers[i] = made[shape];
        const jf_any view = slot_of_int(numbers[i]);
        jf_list_append(list, &view);
      }
      CHECK(jf_list_sort(list, NULL, 0) == 0);
      qsort(numbers, count, sizeof *numbers, compare_ints);
      for (size_t i = 0; i < count; i++) CHECK(((jf_list*)list)->items[i].slot->v_int64 == numbers[i]);
      jf_object_release(list);
    }
  }
}

/* A key function whose behaviour the test chooses. */
static jf_object* sorted;
static int calls, misbehave_at;
static enum { FAIL, APPEND, CLEAR_AGAIN, LOOK, CLEAR } misbehaviour;

static int32_t call_key(jf_function* self, int32_t count, const jf_view* args, jf_value* out) {
  (void)self, (void)count;
  if (calls++ == misbehave_at) {
    const jf_any view = slot_of_float(0.5);
    if (misbehaviour == FAIL) {
      jf_error_set("ZeroDivisionError", "of the key");
      return -1;
    }
    CHECK(jf_list_size(sorted) == 0);
    if (misbehaviour < LOOK) CHECK(jf_list_append(sorted, &view) == 0);
    if (misbehaviour == CLEAR_AGAIN || misbehaviour == CLEAR) jf_list_clear(sorted);
  }
  return jf_any_retain(args, out);
}

static void test_key(void) {
  jf_object* key = jf_function_new(call_key, NULL, NULL, NULL);
  sorted = list_of_text("sbcdefghijklmnopqrst sabcdef sz i7");
  jf_object* seven;
  jf_any out = null_out(8);
  CHECK(jf_list_pop(sorted, -1, &out) == 0 && out.v_int64 == 7);
  misbehave_at = calls = 0;
  misbehaviour = LOOK;
  CHECK(jf_list_sort(sorted, key, 1) == 0 && calls == 3);
  misbehave_at = calls = 0;
  misbehaviour = CLEAR; /* there is nothing in it to be cleared */
  CHECK(jf_list_sort(sorted, key, 0) == 0 && calls == 3);
  CHECK_LIST(sorted, "sabcdef sbcdefghijklmnopqrst sz");
  misbehave_at = 1, calls = 0;
  misbehaviour = FAIL;
  CHECK(jf_list_sort(sorted, key, 1) == -1 && calls == 2);
  CHECK_ERROR("ZeroDivisionError: of the key");
  CHECK_LIST(sorted, "sabcdef sbcdefghijklmnopqrst sz");
  for (misbehaviour = APPEND; misbehaviour <= CLEAR_AGAIN; misbehaviour++) {
    calls = 0;
    CHECK(jf_list_sort(sorted, key, misbehaviour == APPEND) == -1);
    CHECK_ERROR("ValueError: list modified during sort");
    CHECK_LIST(sorted, misbehaviour == APPEND ? "sz sbcdefghijklmnopqrst sabcdef" : "sabcdef sbcdefghijklmnopqrst sz");
  }
  seven = jf_list_new(0, -1);
  CHECK(jf_list_sort(sorted, seven, 0) == -1);
  CHECK_ERROR("TypeError: cannot call list");
  jf_object_release(seven);
  jf_object_release(sorted);
  jf_object_release(key);
}

/* Objects whose == changes the list that is searched. */
static jf_object* searched;
static int comparisons;

static int32_t fail_to_equal(const jf_any* a, const jf_any* b) {
  (void)a, (void)b;
  jf_error_set("ZeroDivisionError", "of the comparison");
  return -1;
}

static const jf_type_operations failing = {.equal = fail_to_equal};

static int32_t equal_and_clear(const jf_any* a, const jf_any* b) {
  CHECK(a->v_object->ref_count >= 2); /* held, though the list will let it go */
  jf_list_clear(searched);
  comparisons++;
  return a->v_object == b->v_object;
}

static const jf_type_operations operations = {.equal = equal_and_clear};

static jf_object* list_of_nasty(int32_t code, int count) {
  jf_object* list = jf_list_new(0, -1);
  for (int i = 0; i < count; i++) {
    jf_object* object = jf_object_new(sizeof *object, code, NULL);
    jf_any view = {JF_RVALUE, 0, {.v_rvalue = &object}};
    CHECK(jf_list_append(list, &view) == 0);
  }
  return list;
}

static void test_equality_that_changes_the_list(void) {
  const int32_t code = jf_type_register("test.nasty", JF_ROOT);
  CHECK(jf_type_set_operations(code, &operations) == 0);
  jf_object* value = jf_object_new(sizeof *value, code, NULL);
  const jf_any view = slot_of_object(value), number = slot_of_int(3);
  searched = list_of_nasty(code, 5);
  CHECK(jf_list_find(searched, &view, 0, JF_NO_INDEX) == -1 && comparisons == 1);
  jf_object_release(searched);
  searched = list_of_nasty(code, 5);
  CHECK(jf_list_count(searched, &view) == 0 && comparisons == 2);
  CHECK(jf_list_remove(searched, &view) == -1);
  CHECK_ERROR("ValueError: list.remove(x): x not in list");
  jf_object_release(searched);
  searched = list_of_text("sabcdefghijklm i3000 i3");
  CHECK(jf_list_find(searched, &number, 0, JF_NO_INDEX) == 2 && comparisons == 2);
  jf_object_release(searched);
  jf_object_release(value);
}

static void test_equality_that_fails(void) {
  const int32_t code = jf_type_register("test.failing", JF_ROOT);
  CHECK(jf_type_set_operations(code, &failing) == 0);
  jf_object* list = list_of_nasty(code, 2);
  const jf_any number = slot_of_int(3);
  CHECK(jf_list_find(list, &number, 0, JF_NO_INDEX) == -2);
  CHECK_ERROR("ZeroDivisionError: of the comparison");
  CHECK(jf_list_count(list, &number) == -1);
  CHECK_ERROR("ZeroDivisionError: of the comparison");
  CHECK(jf_list_remove(list, &number) == -1);
  CHECK_ERROR("ZeroDivisionError: of the comparison");
  CHECK(jf_list_size(list) == 2);
  jf_object_release(list);
}

/* Objects whose own codes stand in slots. */
static void test_functions_as_items(void) {
  jf_object *list = jf_list_new(0, -1), *key = jf_function_new(call_key, NULL, NULL, NULL);
  const jf_any view = {JF_FUNCTION, 0, {.v_object = key}};
  jf_any out = null_out(8);
  CHECK(jf_list_append(list, &view) == 0 && key->ref_count == 2 && jf_cycles_tracked() == 0);
  CHECK(jf_list_get(list, 0, &out) == 0 && out.type_code == JF_FUNCTION && out.v_object == key);
  CHECK(jf_list_find(list, &view, 0, JF_NO_INDEX) == 0);
  jf_any_release(&out);
  jf_object_release(list);
  CHECK(key->ref_count == 1);
  jf_object_release(key);
}

static void test_find_ranges(void) {
  jf_object* list = list_of_text("i1 i2000 f1 t sab wab bab n");
  jf_object* tuple = jf_tuple_of(list);
  static const struct {
    const char* word;
    int64_t start, stop, at, count;
  } cases[] = {{"i1", 0, JF_NO_INDEX, 0, 3},
               {"i1", 1, JF_NO_INDEX, 2, 3},
               {"t", 3, 100, 3, 3},
               {"i1", 4, JF_NO_INDEX, -1, 3},
               {"i1", -6, -1, 2, 3},
               {"i1", -100, 0, -1, 3},
               {"wab", 0, JF_NO_INDEX, 4, 2},
               {"sab", 5, JF_NO_INDEX, 5, 2},
               {"bab", 0, JF_NO_INDEX, 6, 1},
               {"n", 0, JF_NO_INDEX, 7, 1},
               {"f2000", 0, JF_NO_INDEX, 1, 1},
               {"sabc", 0, JF_NO_INDEX, -1, 0},
               {"i1", INT64_MAX, 5, -1, 3},
               {"i1", 0, -100, -1, 3},
               {"n", JF_NO_INDEX, INT64_MAX, 7, 1}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    word_scratch scratch;
    const jf_view view = view_of_word(cases[i].word, strlen(cases[i].word), &scratch);
    CHECK(jf_list_find(list, &view, cases[i].start, cases[i].stop) == cases[i].at);
    CHECK(jf_tuple_find(tuple, &view, cases[i].start, cases[i].stop) == cases[i].at);
    CHECK(jf_list_count(list, &view) == cases[i].count && jf_tuple_count(tuple, &view) == cases[i].count);
  }
  jf_object_release(tuple);
  jf_object_release(list);
}

static void test_by_keys_that_are_there(void) {
  jf_object* list = list_of_text("sa sb slong-enough-for-the-heap-surely i4 n");
  jf_object* keys = list_of_text("i2 f1.5 i2 i-7 i2");
  CHECK(jf_list_sort_by(list, keys, 0) == 0);
  CHECK_LIST(list, "i4 sb sa slong-enough-for-the-heap-surely n");
  CHECK_LIST(keys, "i-7 f1.5 i2 i2 i2");
  CHECK(jf_list_sort_by(list, keys, 1) == 0); /* equal ones stay as they are */
  CHECK_LIST(list, "sa slong-enough-for-the-heap-surely n sb i4");
  jf_object* wrong = list_of_text("i1 sa i2 i3 i4");
  CHECK(jf_list_sort_by(list, wrong, 0) == -1);
  CHECK_ERROR("TypeError: '<' not supported between instances of 'str' and 'int'");
  CHECK_LIST(list, "sa slong-enough-for-the-heap-surely n sb i4");
  CHECK(jf_list_delete(wrong, 0, 1, 1) == 0 && jf_list_sort_by(list, wrong, 0) == -1);
  CHECK_ERROR("ValueError: 5 items cannot be sorted by 4 keys");
  CHECK(jf_list_sort_by(list, list, 0) == -1);
  CHECK_ERROR("ValueError: 5 items cannot be sorted by 5 keys");
  jf_object_release(wrong);
  jf_object_release(keys);
  jf_object_release(list);
}

static int32_t sort_and_find(void) {
  jf_object* list = list_of_text("sabcdefghijklmnopqrstuvwxyz sbcd sa sabcdefgh sdefghijklmnopqrstuv");
  jf_object* key = list ? jf_function_new(call_key, NULL, NULL, NULL) : NULL;
  misbehave_at = -1;
  int32_t status = key ? jf_list_sort(list, NULL, 1) : -1;
  if (status == 0) status = jf_list_sort(list, key, 0);
  const jf_any view = slot_of_raw("sbcd");
  if (status == 0) CHECK(jf_list_find(list, &view, 0, JF_NO_INDEX) == -1);
  jf_object_release(key);
  jf_object_release(list);
  return status;
}

static void test_without_memory(void) { SURVIVES(sort_and_find); }

int main(void) {
  RUN(test_each_kind);
  RUN(test_no_order);
  RUN(test_many);
  RUN(test_key);
  RUN(test_by_keys_that_are_there);
  RUN(test_equality_that_changes_the_list);
  RUN(test_equality_that_fails);
  RUN(test_functions_as_items);
  RUN(test_find_ranges);
  RUN(test_without_memory);
  return finish();
}
