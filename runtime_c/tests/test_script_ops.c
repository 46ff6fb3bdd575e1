/* Operations of scripts on values of any type: results and errors that need no interpreter to compare with, each of them
 * without memory, and text in every form. What CPython says is compared in tests/scripts/test_op_library.py. */
#include "testhelper.h"

#include "jitffi/script.h"

static jf_any text_slot(jf_text* text) {
  return (jf_any){text->wide ? JF_UCS4_VIEW : JF_STR_VIEW, 0, {.v_uint64 = JF_POINTER_WORD(text)}};
}

static jf_object* list_of_ints(int64_t count) {
  jf_object* list = jf_list_new(0, 1);
  for (int64_t i = 0; list && i < count; i++) {
    const jf_any value = slot_of_int(i * 5000);
    if (jf_list_append(list, &value) == 0) continue;
    jf_object_release(list);
    return NULL;
  }
  return list;
}

static void test_sums(void) {
  const jf_any max = slot_of_int(INT64_MAX), one = slot_of_int(1), big = {JF_UINT, 0, {.v_uint64 = UINT64_MAX}};
  jf_any out = null_out(8);
  CHECK(jf_op_binary(JF_OP_ADD, &one, &one, &out) == 0 && out.type_code == JF_INT && out.v_int64 == 2);
  out = null_out(8);
  CHECK(jf_op_binary(JF_OP_ADD, &max, &one, &out) == -1 && out.type_code == JF_NULL);
  CHECK_ERROR("OverflowError: int of more than 64 bits");
  CHECK(jf_op_binary(JF_OP_SUB, &big, &max, &out) == 0 && out.type_code == JF_UINT &&
        out.v_uint64 == UINT64_C(1) << 63);
  out = null_out(8);
  CHECK(jf_op_binary(JF_OP_SUB, &out, &one, &out) == -1);
  CHECK_ERROR("TypeError: unsupported operand type(s) for -: 'NoneType' and 'int'");
  CHECK(jf_int_pow(3, 39, &out) == 0 && out.v_int64 == INT64_C(4052555153018976267));
  CHECK(jf_int_pow(3, 40, &out) == -1 && out.type_code == JF_NULL);
  CHECK_ERROR("OverflowError: int of more than 64 bits");
  CHECK(jf_int_pow(-2, 63, &out) == 0 && out.v_int64 == INT64_MIN);
  CHECK(jf_int_pow(2, -1, &out) == 0 && out.type_code == JF_FLOAT && out.v_float64 == 0.5);
  CHECK(jf_int_rest_of_product(INT64_MAX, INT64_MAX, 5, 1000) == 254);
  CHECK(jf_int_rest_of_product(INT64_MIN, INT64_MIN, INT64_MAX, -7) == -6);
  CHECK(jf_int_rest_of_product(INT64_MIN, 3, INT64_MIN, INT64_MIN) == 0);
  CHECK(jf_int_rest_of_product(0, 5, -1, -1) == 0);
  const jf_any text = slot_of_raw("99999999999999999999");
  CHECK(jf_op_int_of_any_size(&one, 0, 0, &out) == 0 && out.type_code == JF_INT && out.v_int64 == 1);
  CHECK(jf_op_int_of_any_size(&text, 0, 0, &out) == -1 && out.type_code == JF_NULL); /* no host knows larger ones */
  CHECK_ERROR("OverflowError: int of more than 64 bits");
  double quotient;
  CHECK(jf_int_div(INT64_MAX, 3, &quotient) == 0 && quotient == 3074457345618258602.0);
  CHECK(jf_int_div(1, 0, &quotient) == -1);
  CHECK_ERROR("ZeroDivisionError: division by zero");
  CHECK(jf_float_mod(-1, 3) == 2 && jf_float_floordiv(-1, 3) == -1);
}

static void test_text_of_every_form(void) {
  const jf_char32 wide[] = {'a', 0xE9, 'c'}, wide_ascii[] = {'a', 'b'};
  jf_text forms[] = {{"ab", 2, 0}, {wide_ascii, 2, 1}};
  jf_text other = {wide, 3, 1};
  jf_any accent = text_slot(&other), utf8 = slot_of_raw(
                                         "a\xC3\xA9"
                                         "c");
  CHECK(jf_op_compare(JF_EQ, &accent, &utf8) == 1);
  jf_object* map = jf_map_new(0, 1);
  for (int i = 0; i < 2; i++) {
    const jf_any key = text_slot(&forms[i]), one = slot_of_int(1);
    int32_t added = jf_op_map_add_int(map, &key, 1);
    if (added == 0) added = jf_op_map_set(map, &key, &one);
    CHECK(added >= 0);
  }
  CHECK(jf_op_map_set(map, &utf8, &accent) == 0 && jf_map_size(map) == 2);
  const jf_any key = slot_of_raw("ab");
  jf_any out = null_out(8);
  CHECK(jf_op_map_item(map, &key, &out) == 0 && out.v_int64 == 2);
  const jf_any text = text_slot(&forms[1]), number = slot_of_int(-1);
  out = null_out(8);
  CHECK(jf_op_item(&text, &number, &out) == 0 && out.type_code == JF_SMALL_STR && out.v_bytes[0] == 'b');
  out = null_out(8);
  CHECK(jf_op_str(&text, &out) == 0 && out.type_code == JF_SMALL_STR && out.small_len == 2);
  out = null_out(8);
  CHECK(jf_op_str(&accent, &out) == 0 && out.type_code == JF_OBJECT && out.v_object->type_code == JF_UCS4);
  jf_any_release(&out);
  jf_object_release(map);
}

static void test_iteration(void) {
  jf_object* list = list_of_ints(3);
  const jf_any subject = slot_of_object(list), number = slot_of_int(5);
  jf_iteration it;
  memset(&it, 0, sizeof it);
  jf_any out = null_out(8);
  CHECK(jf_iterate_next(&it, &out) == 0 && out.type_code == JF_NULL);
  jf_iterate_end(&it);
  CHECK(jf_iterate(&it, &subject, JF_OVER_REVERSED) == 0);
  jf_object_release(list); /* the iteration holds it */
  for (int64_t i = 2; i >= 0; i--) {
    out = null_out(8);
    CHECK(jf_iterate_next(&it, &out) == 1 && out.v_int64 == i * 5000);
  }
  out = null_out(8);
  CHECK(jf_iterate_next(&it, &out) == 0 && jf_iterate_next(&it, &out) == 0);
  CHECK(jf_iterate(&it, &number, JF_OVER_ITEMS) == -1);
  CHECK_ERROR("TypeError: 'int' object is not iterable");
  jf_iterate_end(&it);
  CHECK(jf_iterate(&it, &number, JF_OVER_PAIRS) == -1);
  CHECK_ERROR("AttributeError: 'int' object has no attribute 'items'");
}

static void test_errors_are_python_s(void) {
  jf_object* map = jf_map_new(0, 1);
  const jf_any subject = slot_of_object(map), number = slot_of_int(1);
  int64_t size;
  CHECK(jf_op_compare(JF_LT, &subject, &number) == -1);
  CHECK_ERROR("TypeError: '<' not supported between instances of 'dict' and 'int'");
  CHECK(jf_op_hash(&subject, &size) == -1);
  CHECK_ERROR("TypeError: unhashable type: 'dict'");
  CHECK(jf_op_len(&number, &size) == -1);
  CHECK_ERROR("TypeError: object of type 'int' has no len()");
  CHECK(jf_script_mistyped("f", "x", "list[str]", &number) == -1);
  CHECK_ERROR("TypeError: f: 'x': expected list[str], got int 1");
  CHECK(jf_script_raise("KeyError", &number) == -1);
  const jf_object* args = ((jf_error*)jf_error_peek())->host;
  CHECK(args && args->type_code == JF_TUPLE && jf_tuple_size(args) == 1);
  jf_script_trace("a.py", "f", 3);
  CHECK_TEXT(((jf_error*)jf_error_peek())->traceback->data, "  File \"a.py\", line 3, in f\n");
  CHECK_ERROR("KeyError: 1");
  CHECK(jf_script_raise("ValueError", NULL) == -1);
  args = ((jf_error*)jf_error_peek())->host;
  CHECK(args && args->type_code == JF_TUPLE && jf_tuple_size(args) == 0);
  CHECK_ERROR("ValueError: ");
  jf_script_trace("a.py", "f", 3); /* of no error: nothing */
  jf_object_release(map);
}

/* Appends to a str, one piece after the other, beside plain memory. */
static void test_text_that_grows(void) {
  static const jf_char32 wide_ascii[] = {'x', 'y', 'z'}, accents[] = {0xE9, 0x20AC};
  const jf_text pieces[] = {{"a", 1, 0}, {"0123456789012345", 16, 0}, {wide_ascii, 3, 1}, {"", 0, 0}, {accents, 2, 1}};
  static jf_char32 expected[8192];
  size_t size = 0;
  jf_any slot = null_out(8), shared = null_out(8);
  CHECK(jf_out_str(&slot, "", 0) == 0);
  size_t shared_size = 0;
  for (size_t i = 0; i < 400; i++) {
    jf_text piece = pieces[i * 7 % (i < 200 ? 4 : 5)];
    const jf_any view = text_slot(&piece);
    CHECK(jf_op_inplace(JF_OP_ADD, &slot, &view) == 0);
    for (size_t k = 0; k < piece.size; k++) {
      expected[size++] = piece.wide ? ((const jf_char32*)piece.data)[k] : (unsigned char)((const char*)piece.data)[k];
    }
    if (i == 100) { /* another has it from now on: it stays as it is */
      CHECK(jf_any_retain(&slot, &shared) == 0);
      shared_size = size;
    }
    if (i == 190) CHECK(slot.v_object->type_code == JF_STR);
  }
  jf_any itself = slot;
  CHECK(size < 4096 && jf_op_inplace(JF_OP_ADD, &slot, &itself) == 0);
  memcpy(expected + size, expected, size * sizeof *expected);
  jf_text all, before, wanted = {expected, 2 * size, 1}, wanted_before = {expected, shared_size, 1};
  CHECK(jf_text_of(&slot, &all, NULL) == 0 && jf_text_equal(&all, &wanted));
  CHECK(jf_text_of(&shared, &before, NULL) == 0 && before.size == shared_size);
  CHECK(jf_text_equal(&before, &wanted_before));
  jf_any_release(&slot);
  jf_any_release(&shared);
}

static void test_arguments(void) {
  jf_text ascii = {"what is longer than any text that is looked through each time", 60, 0};
  const jf_any slot = text_slot(&ascii), utf8 = slot_of_raw("\xC3\xA9"), number = slot_of_int(5);
  jf_any keep = null_out(8), view;
  CHECK(jf_op_argument(&slot, &keep, &view) == 0 && view.type_code == JF_OBJECT && view.v_object->type_code == JF_STR);
  CHECK(((jf_str*)view.v_object)->characters == 60);
  jf_any_release(&keep);
  keep = null_out(8);
  CHECK(jf_op_argument(&utf8, &keep, &view) == 0 && view.type_code == JF_SMALL_UCS4 && view.v_char32[0] == 0xE9);
  jf_any_release(&keep);
  keep = null_out(8);
  CHECK(jf_op_argument(&number, &keep, &view) == 0 && view.type_code == JF_INT && keep.type_code == JF_NULL);
}

/* -- without memory -- */

static const char long_text[] =
    "what no slot has room for, and then some more of it, so that it has to go to the heap....."
    "..................................................";

static int32_t binaries(void) {
  jf_text text = {long_text, sizeof long_text - 1, 0};
  const jf_any slot = text_slot(&text), three = slot_of_int(3), utf8 = slot_of_raw("\xC3\xA9\xC3\xA9\xC3\xA9\xC3\xA9");
  jf_any out = null_out(8);
  int32_t status = jf_op_binary(JF_OP_ADD, &slot, &slot, &out);
  jf_any_release(&out);
  out = null_out(8);
  if (status == 0) status = jf_op_binary(JF_OP_MUL, &three, &slot, &out);
  jf_any_release(&out);
  out = null_out(8);
  if (status == 0) status = jf_op_binary(JF_OP_ADD, &utf8, &slot, &out);
  if (status == 0) status = jf_op_inplace(JF_OP_ADD, &out, &slot);
  if (status == 0) status = jf_op_inplace(JF_OP_ADD, &out, &slot);
  jf_any_release(&out);
  out = null_out(8);
  if (status == 0) status = jf_op_repr(&slot, &out);
  jf_any_release(&out);
  out = null_out(8);
  if (status == 0) status = jf_op_ascii(&utf8, &out);
  jf_any_release(&out);
  return status;
}

static int32_t formats(void) {
  jf_text spec = {"*^1500.900f", 11, 0}, wide_spec = {U"\xE9>200", 5, 1};
  jf_text text = {long_text, sizeof long_text - 1, 0};
  const jf_any number = slot_of_float(0.1), slot = text_slot(&text);
  jf_any out = null_out(8);
  int32_t status = jf_op_format(&number, &spec, &out);
  jf_any_release(&out);
  out = null_out(8);
  if (status == 0) status = jf_op_format(&slot, &wide_spec, &out);
  jf_any_release(&out);
  return status;
}

static int32_t collections(void) {
  jf_object *list = list_of_ints(40), *made = NULL, *map = jf_map_new(0, 1);
  int32_t status = list && map ? 0 : -1;
  jf_any out = null_out(8);
  for (int64_t i = 0; status == 0 && i < 20; i++) {
    const jf_any key = slot_of_int(i);
    status = jf_op_map_set(map, &key, &key);
  }
  const jf_any items = slot_of_object(list), entries = slot_of_object(map), zero = slot_of_int(0);
  if (status == 0) status = jf_op_tuple(&items, &made);
  jf_object_release(made), made = NULL;
  if (status == 0) status = jf_op_sorted(&entries, 1, 1, &made);
  if (status == 0) status = jf_op_extend(made, &entries);
  jf_object_release(made), made = NULL;
  if (status == 0) status = jf_op_map_items(map, 1, &made);
  const jf_any pairs = slot_of_object(made);
  jf_object* again = NULL;
  if (status == 0) status = jf_op_dict(&pairs, 1, &again);
  jf_object_release(again), again = NULL;
  jf_object_release(made), made = NULL;
  if (status == 0) status = jf_op_map_popitem(map, &made);
  jf_object_release(made), made = NULL;
  if (status == 0) status = jf_op_sum(&items, &zero, &out);
  if (status == 0) status = jf_op_list_copy(list, 0, &made);
  if (status == 0) status = jf_op_sort_by(list, made, 1);
  jf_object_release(made), made = NULL;
  if (status == 0) jf_map_clear(map);
  for (size_t i = 0; status == 0 && i < 3; i++) {
    jf_text text = {i % 2 ? (const void*)"to be or not to be" : (const void*)U"\u65E5\u672C", i % 2 ? 10 + i : 2,
                    i % 2 == 0};
    const jf_any key = text_slot(&text);
    status = jf_list_set(list, (int64_t)i, &key);
    if (status == 0) status = jf_op_map_set(map, &key, &zero);
  }
  if (status == 0) status = jf_list_delete(list, 3, 40, 1);
  if (status == 0) status = jf_op_sort(list, 0);
  jf_object* values = NULL;
  if (status == 0) status = jf_op_map_sorted(map, 0, 1, &made, &values);
  jf_object_release(values);
  jf_object_release(made);
  jf_object_release(list);
  jf_object_release(map);
  return status;
}

static int32_t raises(void) {
  jf_text text = {long_text, sizeof long_text - 1, 0};
  const jf_any slot = text_slot(&text);
  jf_script_raise("KeyError", &slot); /* its key is kept, or where there is no memory for that its message alone */
  const int32_t survived = strcmp(((jf_error*)jf_error_peek())->kind->data, "MemoryError") != 0;
  if (!survived) return -1;
  jf_script_trace("a.py", "f", 1); /* without memory a line less */
  jf_object_release(jf_error_take());
  return 0;
}

static int32_t prints(void) {
  const jf_any utf8 =
      slot_of_raw("\xC3\xA9 and a text that is long enough to need more than what a writer has at first");
  const jf_any* values[] = {&utf8, &utf8};
  return jf_op_print(values, 2, NULL, NULL);
}

static int32_t asked;
static int32_t interrupt(void) {
  if (++asked < 3) return 0;
  jf_error_set("KeyboardInterrupt", "");
  return -1;
}

static void test_a_script_is_interrupted(void) {
  CHECK(jf_script_interrupted(64) > 64); /* nobody interrupts */
  jf_set_interrupt(interrupt);
  CHECK(jf_script_interrupted(64) >= 1 && jf_script_interrupted(1) >= 1);
  CHECK(jf_script_interrupted(64) == -1);
  CHECK_ERROR("KeyboardInterrupt: ");
  jf_set_interrupt(NULL);
}

static int32_t swallow(const char* utf8, size_t size) {
  (void)utf8, (void)size;
  return 0;
}

static void test_without_memory(void) {
  jf_set_print(swallow);
  SURVIVES(binaries);
  SURVIVES(formats);
  SURVIVES(collections);
  SURVIVES(prints);
  jf_set_print(NULL);
#ifdef JITFFI_HOSTILE
  for (int64_t count = 0; count < 24; count++) {
    jf_hostile_fail_after(count);
    if (raises() != 0) CHECK_ERROR("MemoryError: out of memory");
    jf_hostile_fail_after(-1);
  }
#endif
  CHECK(raises() == 0);
}

int main(void) {
  RUN(test_sums);
  RUN(test_text_of_every_form);
  RUN(test_iteration);
  RUN(test_text_that_grows);
  RUN(test_arguments);
  RUN(test_errors_are_python_s);
  RUN(test_a_script_is_interrupted);
  RUN(test_without_memory);
  return finish();
}
