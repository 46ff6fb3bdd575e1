/* A routine written on objects and one written on slots, for whoever calls them the same: packed calls with every argument
 * as a slot, a box, text in place, on the heap, borrowed, and as an r-value. */
#include "testhelper.h"

/* -- x + 1 -- */

static const jf_param_info number_param[] = {{"x", "i64"}};
static const jf_call_info number_info = {"successor", 1, 1, number_param, "i64"};

static int32_t successor_on_slots(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  int64_t x;
  (void)self, (void)num_args;
  jf_out_init(out, 0);
  if (jf_lift_scalar(&number_info, 0, &args[0], JF_KIND_I64, &x) != 0) return -1;
  *out = slot_of_int(x + 1);
  return 0;
}

/* Sees nothing but objects, and gives a box. */
static int32_t successor_on_objects(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  int32_t failed;
  (void)self, (void)num_args;
  jf_out_init(out, 0);
  jf_object* x = jf_any_to_object(&args[0], &failed);
  if (failed) return -1;
  if (!x || (x->type_code != JF_BOXED_INT && x->type_code != JF_BOXED_BOOL)) {
    jf_object_release(x);
    jf_fail_type(&number_info, 0, &args[0]);
    return -1;
  }
  const int64_t sum = ((jf_box*)x)->v_int64 + 1;
  jf_object_release(x);
  jf_box* result = jf_object_new(sizeof *result, JF_BOXED_INT, NULL);
  if (!result) return -1;
  result->v_int64 = sum;
  jf_out_object(out, &result->header);
  return 0;
}

/* -- text + "!" -- */

static const jf_param_info text_param[] = {{"text", "str"}};
static const jf_call_info text_info = {"louder", 1, 1, text_param, "str"};

static int32_t louder_on_slots(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  jf_temps temps = {NULL};
  jf_span text;
  char buffer[256];
  (void)self, (void)num_args;
  int32_t status = jf_lift_str(&text_info, 0, &args[0], &text, &temps);
  if (status == 0) {
    snprintf(buffer, sizeof buffer, "%.*s!", (int)text.size, text.data);
    status = jf_out_str(out, buffer, strlen(buffer));
  } else {
    jf_out_init(out, 0);
  }
  jf_temps_release(&temps);
  return status;
}

static int32_t louder_on_objects(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  jf_temps temps = {NULL};
  jf_object *object, *result = NULL;
  (void)self, (void)num_args;
  jf_out_init(out, 0);
  if (jf_lift_object(&text_info, 0, &args[0], JF_STR, &object, &temps) == 0) {
    const jf_str* text = (const jf_str*)object;
    char* data;
    result = jf_str_alloc(JF_STR, text->size + 1, &data);
    if (result) {
      memcpy(data, text->data, text->size);
      data[text->size] = '!';
      jf_out_object(out, result);
    }
  }
  jf_temps_release(&temps);
  return result ? 0 : -1;
}

/* -- callers -- */

/* What is in both out-slots must be the same to whoever reads them. */
static void check_results(const jf_any* a, const jf_any* b) {
  CHECK(jf_any_ok(a, 1, NULL) && jf_any_ok(b, 1, NULL));
  CHECK(jf_any_equal(a, b) == 1);
  uint64_t hash_of_a = 0, hash_of_b = 1;
  CHECK(jf_any_hash(a, &hash_of_a) == 0 && jf_any_hash(b, &hash_of_b) == 0 && hash_of_a == hash_of_b);
  char text_of_a[JF_DESCRIBE_SIZE], text_of_b[JF_DESCRIBE_SIZE];
  jf_any_describe(a, text_of_a, sizeof text_of_a);
  jf_any_describe(b, text_of_b, sizeof text_of_b);
  CHECK_TEXT(text_of_a, text_of_b);
}

/* Both routines with one argument, into slots of all sizes; which must be `expected`. */
static void check_both(jf_packed_call first, jf_packed_call second, const jf_view* arg, jf_view expected) {
  jf_object* functions[] = {jf_function_new(first, NULL, NULL, NULL), jf_function_new(second, NULL, NULL, NULL)};
  for (int32_t pad = 0; pad <= JF_MAX_PAD; pad++) {
    wide_slot outs[2] = {{null_out(JF_PAD_CAPACITY(pad))}, {null_out(JF_PAD_CAPACITY(pad))}};
    for (int32_t i = 0; i < 2; i++) CHECK(jf_function_call(functions[i], 1, arg, &outs[i].slot) == 0);
    check_results(&outs[0].slot, &outs[1].slot);
    CHECK(jf_any_equal(&outs[0].slot, &expected) == 1);
    for (int32_t i = 0; i < 2; i++) jf_any_release(&outs[i].slot);
  }
  for (int32_t i = 0; i < 2; i++) jf_object_release(functions[i]);
}

static void check_refusals(jf_packed_call first, jf_packed_call second, const jf_view* arg, const char* expected) {
  jf_any out = null_out(8);
  CHECK(first(NULL, 1, arg, &out) == -1 && out.type_code == JF_NULL);
  CHECK_ERROR(expected);
  CHECK(second(NULL, 1, arg, &out) == -1 && out.type_code == JF_NULL);
  CHECK_ERROR(expected);
}

static void test_numbers(void) {
  const jf_any number = slot_of_int(41), truth = {JF_BOOL, 0, {.v_int64 = 1}}, text = slot_of_raw("41");
  check_both(successor_on_slots, successor_on_objects, &number, slot_of_int(42));
  check_both(successor_on_slots, successor_on_objects, &truth, slot_of_int(2));
  jf_object* box = jf_any_to_object(&number, NULL);
  CHECK(box->type_code == JF_BOXED_INT);
  const jf_any boxed = slot_of_object(box);
  check_both(successor_on_slots, successor_on_objects, &boxed, slot_of_int(42));
  jf_any borrowed = {JF_ANY_PTR, 0, {.v_handle = (void*)(uintptr_t)&number}}, moved;
  check_both(successor_on_slots, successor_on_objects, &borrowed, slot_of_int(42));
  jf_any_rvalue(&box, &moved);
  check_both(successor_on_slots, successor_on_objects, &moved, slot_of_int(42));
  CHECK(box->ref_count == 1);
  jf_object_release(box);
  check_refusals(successor_on_slots, successor_on_objects, &text,
                 "TypeError: successor: argument 1 'x': expected i64, got str '41'");
}

static void test_text(void) {
  char long_text[151] = {0};
  memset(long_text, 'x', 150); /* longer than any small text */
  const char* const texts[] = {"", "short", "seven77", "longer than a slot", long_text};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    const size_t size = strlen(texts[i]);
    char louder[200];
    snprintf(louder, sizeof louder, "%s!", texts[i]);
    const jf_any expected = slot_of_raw(louder);
    jf_span span = {texts[i], size};
    const jf_any raw = slot_of_raw(texts[i]), view = {JF_STR_VIEW, 0, {.v_span = &span}};
    check_both(louder_on_slots, louder_on_objects, &raw, expected);
    check_both(louder_on_slots, louder_on_objects, &view, expected);
    for (int32_t pad = 0; pad <= JF_MAX_PAD; pad++) {
      wide_slot wide = {null_out(JF_PAD_CAPACITY(pad))};
      jf_any borrowed;
      CHECK(jf_any_retain(&raw, &wide.slot) == 0);
      jf_any_view(&wide.slot, &borrowed);
      check_both(louder_on_slots, louder_on_objects, &borrowed, expected);
      jf_any_release(&wide.slot);
    }
    jf_object* heap = jf_str_new(texts[i], size);
    const jf_any object = slot_of_object(heap);
    jf_any moved;
    check_both(louder_on_slots, louder_on_objects, &object, expected);
    jf_any_rvalue(&heap, &moved);
    check_both(louder_on_slots, louder_on_objects, &moved, expected);
    jf_object_release(heap);
  }
  const jf_any number = slot_of_int(3);
  check_refusals(louder_on_slots, louder_on_objects, &number,
                 "TypeError: louder: argument 1 'text': expected str, got int 3");
}

/* -- r-values: a callee that takes its list, changes it, and gives it back -- */

static int32_t appended(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  jf_any taken = null_out(8);
  (void)self, (void)num_args;
  jf_out_init(out, 0);
  if (jf_any_retain(&args[0], &taken) != 0) return -1; /* takes an r-value, retains anything else */
  jf_object* list = taken.v_object;
  const jf_any one = slot_of_int(1);
  int32_t status = jf_list_unshare(&list);
  if (status == 0) status = jf_list_append(list, &one);
  taken.v_object = list;
  if (status != 0) {
    jf_any_release(&taken);
    return -1;
  }
  return jf_any_move(&taken, out);
}

static void test_what_is_taken_is_changed_in_place(void) {
  jf_object *list = jf_list_new(4, -1), *kept = list;
  jf_any view, out = null_out(8);
  CHECK(list != NULL);
  jf_any_rvalue(&list, &view);
  CHECK(jf_any_ok(&view, 0, NULL) && appended(NULL, 1, &view, &out) == 0);
  CHECK(list == NULL && out.v_object == kept && jf_list_size(kept) == 1 && kept->ref_count == 1);
  /* Borrowed, it is copied before the write. */
  jf_any again = null_out(8);
  CHECK(appended(NULL, 1, &out, &again) == 0 && again.v_object != kept);
  CHECK(jf_list_size(kept) == 1 && jf_list_size(again.v_object) == 2 && kept->ref_count == 1);
  jf_any_release(&again);
  /* Another reference: taken, and still copied. */
  list = out.v_object;
  jf_object_retain(list);
  CHECK(appended(NULL, 1, &view, &again) == 0 && !list && again.v_object != kept && jf_list_size(kept) == 1);
  jf_any_release(&again);
  jf_any_release(&out);
}

/* A callee that only reads leaves the reference to its owner. */
static void test_what_is_not_taken_stays(void) {
  jf_object* text = jf_str_new("abc", 3);
  jf_any view, out = null_out(8);
  jf_any_rvalue(&text, &view);
  CHECK(louder_on_slots(NULL, 1, &view, &out) == 0 && text && text->ref_count == 1);
  CHECK(out.type_code == JF_SMALL_STR && memcmp(out.v_bytes, "abc!", 5) == 0);
  jf_object_release(text);
}

int main(void) {
  RUN(test_numbers);
  RUN(test_text);
  RUN(test_what_is_taken_is_changed_in_place);
  RUN(test_what_is_not_taken_stays);
  return finish();
}
