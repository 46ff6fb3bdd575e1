/* Sets: each function with values, random ones against numbers whose bits are the items, and everything that goes through
 * containers.
 */
#include "jitffi/structural.h"
#include "map.h"
#include "testhelper.h"

enum { ITEMS = 48 }; /* of random sets: half of them are ints, half are texts */

static jf_view item_of(int32_t number) {
  static const char* const texts[] = {"a", "bc", "a text that no slot has room for", "another text, as long"};
  static char made[ITEMS][48];
  if (number % 2 == 0) return slot_of_int(number * 1000);
  snprintf(made[number], sizeof made[number], "%s %d", texts[number / 2 % 4], (int)number);
  return slot_of_raw(made[number]);
}

static jf_object* set_of(uint64_t bits) {
  jf_object* set = jf_set_new(0, -1);
  for (int32_t i = 0; set && i < ITEMS; i++) {
    if (!(bits >> i & 1)) continue;
    const jf_view item = item_of(i);
    if (jf_set_add(set, &item) == 1) continue;
    jf_object_release(set);
    return NULL;
  }
  return set;
}

/* What a set holds; each item is found, and comes once when it is gone through. */
static uint64_t bits_of(const jf_object* set) {
  uint64_t bits = 0;
  size_t count = 0;
  for (int32_t i = 0; i < ITEMS; i++) {
    const jf_view item = item_of(i);
    const int32_t has = jf_set_has(set, &item);
    CHECK(has >= 0);
    bits |= (uint64_t)(has == 1) << i;
    count += has == 1;
  }
  CHECK(count == jf_set_size(set));
  jf_map_iterator at = {0};
  jf_view item;
  while (jf_set_next(set, &at, &item) == 1) count--;
  CHECK(count == 0);
#ifdef JITFFI_HOSTILE
  CHECK(jf_map_ok((const jf_map*)set));
#endif
  return bits;
}

static void check_repr(jf_object* object, const char* expected) {
  wide_slot out = {.slot = null_out(JF_MAX_CAPACITY)};
  const jf_any view = slot_of_object(object);
  if (CHECK(jf_any_repr(&view, &out.slot) == 0)) CHECK_TEXT(jf_any_text(&out.slot).data, expected);
  jf_any_release(&out.slot);
}

static void test_single_items(void) {
  jf_object* set = jf_set_new(0, 3);
  jf_view one = slot_of_int(1), one_float = slot_of_float(1), yes = {JF_BOOL, 0, {1}}, text = slot_of_raw("text");
  jf_value out = null_out(8);
  CHECK(set->type_code == JF_SET && jf_set_size(set) == 0 && jf_set_pad(set) == 3);
  check_repr(set, "set()");
  CHECK(jf_set_pop(set, &out) == -1);
  CHECK_ERROR("KeyError: pop from an empty set");
  CHECK(jf_set_add(set, &one_float) == 1 && jf_set_add(set, &one) == 0 && jf_set_add(set, &yes) == 0);
  CHECK(jf_set_add(set, &text) == 1 && jf_set_has(set, &yes) == 1 && jf_set_size(set) == 2);
  check_repr(set, "{1.0, 'text'}"); /* the item that was first, in order */
  CHECK(jf_set_discard(set, &one) == 1 && jf_set_discard(set, &one) == 0);
  CHECK(jf_set_pop(set, &out) == 0 && out.type_code == JF_SMALL_STR && jf_set_size(set) == 0);
  jf_view itself = slot_of_object(set);
  CHECK(jf_set_add(set, &itself) == -1);
  CHECK_ERROR("TypeError: unhashable type: 'set'");
  jf_set_clear(set);
  jf_object_release(set);
}

static void test_changes_are_seen_while_it_is_gone_through(void) {
  jf_object* set = set_of(7);
  jf_map_iterator at = {0};
  jf_view item, more = slot_of_int(-5);
  CHECK(jf_set_next(set, &at, &item) == 1 && jf_set_add(set, &more) == 1 && jf_set_next(set, &at, &item) == -1);
  CHECK_ERROR("RuntimeError: set changed size during iteration");
  jf_object_release(set);
}

static uint64_t combined(uint64_t a, uint64_t b, int32_t operation) {
  const uint64_t results[] = {a | b, a & b, a & ~b, a ^ b};
  return results[operation];
}

static void check_pair(uint64_t a_bits, uint64_t b_bits) {
  jf_object *a = set_of(a_bits), *b = set_of(b_bits);
  for (int32_t operation = JF_SET_UNION; operation <= JF_SET_SYMMETRIC_DIFFERENCE; operation++) {
    jf_object *made = jf_set_combine(a, b, operation), *changed = jf_set_copy(a);
    CHECK(jf_set_change(changed, b, operation) == 0);
    CHECK(bits_of(made) == combined(a_bits, b_bits, operation));
    CHECK(bits_of(changed) == combined(a_bits, b_bits, operation));
    jf_object_release(made);
    jf_object_release(changed);
  }
  const int32_t within = (a_bits & ~b_bits) == 0, around = (b_bits & ~a_bits) == 0, same = a_bits == b_bits;
  const int32_t expected[] = {within && !same, within, same, !same, around && !same, around};
  const jf_any x = slot_of_object(a), y = slot_of_object(b);
  for (int32_t operation = JF_LT; operation <= JF_GE; operation++) {
    int32_t result;
    CHECK(jf_set_compare(a, b, operation) == expected[operation]);
    CHECK(jf_any_compare(&x, &y, operation, &result) == 0 && result == expected[operation]);
  }
  CHECK(jf_set_is_disjoint(a, b) == ((a_bits & b_bits) == 0) && jf_any_equal(&x, &y) == same);
  CHECK(bits_of(a) == a_bits && bits_of(b) == b_bits);
  jf_object_release(a);
  jf_object_release(b);
}

static uint64_t random_bits(void) {
  static uint64_t state = 20261127;
  state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
  const uint64_t bits = (state >> 16) & ((UINT64_C(1) << ITEMS) - 1);
  return state >> 61 == 0 ? bits & 0xF0F : state >> 61 == 1 ? 0 : bits;
}

static void test_pairs(void) {
  for (int32_t i = 0; i < 300; i++) {
    const uint64_t a = random_bits(), b = random_bits();
    check_pair(a, i % 5 == 0 ? a : i % 5 == 1 ? a & b : i % 5 == 2 ? a | b : b);
  }
}

static void test_with_itself_and_with_a_map(void) {
  for (int32_t operation = JF_SET_UNION; operation <= JF_SET_SYMMETRIC_DIFFERENCE; operation++) {
    jf_object *set = set_of(0x333), *map = jf_map_new(0, -1), *large = jf_list_new(0, -1);
    const jf_view item = item_of(0), value = slot_of_object(large);
    CHECK(jf_map_set(map, &item, &value) == 0);
    jf_object_release(large);
    jf_object* made = jf_set_combine(set, map, operation);
    CHECK(made->type_code == JF_SET && bits_of(made) == combined(0x333, 1, operation));
    CHECK(jf_set_change(set, map, operation) == 0 && bits_of(set) == combined(0x333, 1, operation));
    CHECK(jf_set_change(made, made, operation) == 0);
    CHECK((jf_set_size(made) == 0) == (operation > JF_SET_INTERSECTION));
    jf_object_release(map);
    jf_object_release(set);
    jf_object_release(made);
  }
}

/* As of two equal items in Python, the smaller set's. */
static void test_which_of_two_equal_items_stays(void) {
  jf_object *ints = jf_set_new(0, -1), *floats = jf_set_new(0, -1);
  const jf_view one = slot_of_int(1), same = slot_of_float(1), two = slot_of_int(2);
  CHECK(jf_set_add(ints, &one) == 1 && jf_set_add(floats, &same) == 1);
  jf_object* made = jf_set_combine(ints, floats, JF_SET_INTERSECTION);
  check_repr(made, "{1.0}");
  jf_object_release(made);
  CHECK(jf_set_add(floats, &two) == 1 && jf_set_change(floats, ints, JF_SET_INTERSECTION) == 0);
  check_repr(floats, "{1}");
  CHECK(jf_set_change(ints, floats, JF_SET_UNION) == 0);
  check_repr(ints, "{1}");
  jf_object_release(ints);
  jf_object_release(floats);
}

static void test_by_structure(void) {
  jf_object *a = set_of(0xFFF), *b = jf_set_new(0, -1), *list = jf_list_new(0, -1);
  for (int32_t i = 11; i >= 0; i--) {
    const jf_view item = item_of(i);
    CHECK(jf_set_add(b, &item) == 1);
  }
  const jf_any x = slot_of_object(a), y = slot_of_object(b), none = slot_of_object(list);
  uint64_t one, other;
  CHECK(jf_structural_equal(&x, &y, 0) == 1 && jf_structural_equal(&x, &none, 0) == 0);
  CHECK(jf_structural_hash(&x, 0, &one) == 0 && jf_structural_hash(&y, 0, &other) == 0 && one == other);
  const jf_view last = item_of(11), more = slot_of_int(7);
  CHECK(jf_set_discard(b, &last) == 1 && jf_set_add(b, &more) == 1);
  CHECK(jf_structural_equal(&x, &y, 0) == 0 && jf_structural_hash(&y, 0, &other) == 0 && one != other);
  wide_slot paths = {.slot = null_out(JF_MAX_CAPACITY)}, text = {.slot = null_out(JF_MAX_CAPACITY)};
  CHECK(jf_structural_mismatch(&x, &y, 0, &paths.slot) == 0);
  CHECK(jf_any_repr(&paths.slot, &text.slot) == 0);
  CHECK_TEXT(jf_any_text(&text.slot).data, "(((2, 'bc 11'),), ((5, 'bc 11'),))");
  jf_any_release(&paths.slot);
  jf_any_release(&text.slot);
  jf_object_release(a);
  jf_object_release(b);
  jf_object_release(list);
}

static int32_t round_trip(void) {
  jf_object *set = set_of(0x1234567), *outer = set ? jf_list_new(0, -1) : NULL;
  const jf_view view = slot_of_object(set), whole = slot_of_object(outer);
  int32_t status = outer ? jf_list_append(outer, &view) : -1;
  for (int32_t times = 1; times <= 2 && status == 0; times++) { /* a tree, and a graph */
    jf_value json = null_out(8), bytes = null_out(8), back = null_out(0), again = null_out(0);
    status = jf_to_json(&whole, -1, &json) == 0 && jf_to_bytes(&whole, &bytes) == 0 ? 0 : -1;
    if (status == 0) status = jf_from_json(jf_any_text(&json).data, jf_any_text(&json).size, &back);
    if (status == 0) status = jf_from_bytes(jf_any_text(&bytes).data, jf_any_text(&bytes).size, &again);
    if (status == 0) {
      jf_view first, second;
      CHECK(jf_list_peek(back.v_object, 0, &first) == 0 && bits_of(first.v_object) == 0x1234567);
      CHECK(jf_list_peek(again.v_object, times - 1, &second) == 0 && bits_of(second.v_object) == 0x1234567);
    }
    jf_any_release(&json);
    jf_any_release(&bytes);
    jf_any_release(&back);
    jf_any_release(&again);
    if (status == 0) status = jf_list_append(outer, &view);
  }
  jf_object_release(outer);
  jf_object_release(set);
  return status;
}

static int32_t combine_all(void) {
  jf_object *a = set_of(0xFFFFFF), *b = a ? set_of(0xFFFFFF000F) : NULL;
  int32_t status = b ? 0 : -1;
  for (int32_t operation = JF_SET_UNION; status == 0 && operation <= JF_SET_SYMMETRIC_DIFFERENCE; operation++) {
    jf_object* made = jf_set_combine(a, b, operation);
    status = made ? jf_set_change(made, b, JF_SET_SYMMETRIC_DIFFERENCE) : -1;
    jf_object_release(made);
  }
  jf_object_release(b);
  jf_object_release(a);
  return status;
}

static void test_json_and_bytes(void) { SURVIVES(round_trip); }
static void test_combining_without_memory(void) { SURVIVES(combine_all); }

static void test_content_that_is_no_set(void) {
  const char texts[] = "{\"$set\": [[1]]}";
  jf_value out = null_out(0);
  CHECK(jf_from_json(texts, strlen(texts), &out) == -1);
  CHECK_ERROR("TypeError: unhashable type: 'list'");
  CHECK(jf_from_json("{\"$set\": 1}", 11, &out) == -1);
  CHECK_ERROR("ValueError: from_json: byte 11: no content of '$set'");
}

/* An object that has an identity, and may hold the set that it is in. */
typedef struct {
  jf_object header;
  jf_object* held;
} holder;

static int32_t traverse(jf_object* object, int32_t (*visit)(jf_object*, void*), void* context) {
  return ((holder*)object)->held ? visit(((holder*)object)->held, context) : 0;
}

static void empty(jf_object* object) {
  jf_object* held = ((holder*)object)->held;
  ((holder*)object)->held = NULL;
  jf_object_release(held);
}

static void delete (jf_object* object) {
  empty(object);
  jf_object_free(object);
}

static void test_a_circle_is_collected(void) {
  static const jf_type_operations operations = {.traverse = traverse, .clear = empty};
  const int32_t code = jf_type_register("test.InSets", JF_ROOT);
  CHECK(jf_type_set_operations(code, &operations) == 0);
  for (int32_t changed = 0; changed < 2; changed++) {
    jf_object *set = jf_set_new(0, -1), *other = jf_set_new(0, -1);
    holder* h = jf_object_new(sizeof *h, code, delete);
    const jf_view view = slot_of_object(h);
    h->held = set;
    jf_object_retain(set);
    CHECK(jf_set_add(other, &view) == 1);
    CHECK(jf_set_add(set, &view) == 1);
    if (changed) CHECK(jf_set_change(set, other, JF_SET_INTERSECTION) == 0);
    jf_object_release(&h->header);
    jf_object_release(other);
    CHECK(jf_cycles_collect() == 0);
    jf_object_release(set);
    CHECK(jf_cycles_collect() == 2);
  }
}

static void test_it_has_no_subtypes(void) {
  CHECK(jf_type_register("test.MySet", JF_SET) == 0);
  CHECK_ERROR("ValueError: type 'test.MySet': type code 42 cannot be a parent");
}

static void test_types_of_items(void) {
  jf_object *set = set_of(1), *none = jf_map_new(0, -1);
  jf_view view = slot_of_object(set), other = slot_of_object(none);
  CHECK(jf_pattern_holds(jf_pattern_of("set[i64]"), &view) && !jf_pattern_holds(jf_pattern_of("set[str]"), &view));
  CHECK(jf_pattern_holds(jf_pattern_of("set"), &view) && !jf_pattern_holds(jf_pattern_of("set"), &other));
  const jf_view text = slot_of_raw("abc");
  CHECK(jf_set_add(set, &text) == 1);
  CHECK(jf_pattern_check(jf_pattern_of("set[i64]"), NULL, 0, &view) == -1);
  CHECK_ERROR("TypeError: function: argument 1: expected set, got set with str 'abc'");
  jf_object_release(set);
  jf_object_release(none);
}

int main(void) {
  RUN(test_single_items);
  RUN(test_changes_are_seen_while_it_is_gone_through);
  RUN(test_pairs);
  RUN(test_with_itself_and_with_a_map);
  RUN(test_which_of_two_equal_items_stays);
  RUN(test_by_structure);
  RUN(test_json_and_bytes);
  RUN(test_combining_without_memory);
  RUN(test_content_that_is_no_set);
  RUN(test_a_circle_is_collected);
  RUN(test_it_has_no_subtypes);
  RUN(test_types_of_items);
  return finish();
}
