/* The invariants of a slot: each is broken once. */
#include "testhelper.h"

static void broken(jf_any slot, int32_t is_value, const char* expected) {
  const char* why = NULL;
  CHECK(!jf_any_ok(&slot, is_value, &why));
  CHECK_TEXT(why, expected);
}

static void test_each_invariant(void) {
  jf_object no_object = {.type_code = 0, .ref_count = 1}, text = {.type_code = JF_STR, .ref_count = 1},
            box = {.type_code = JF_BOXED_INT, .ref_count = 1}, function = {.type_code = JF_FUNCTION, .ref_count = 1};
  broken((jf_any){JF_NULL, 0, {.v_int64 = 1}}, 0, "null has a payload");
  broken((jf_any){JF_BOOL, 0, {.v_int64 = 2}}, 0, "a bool is neither 0 nor 1");
  broken((jf_any){JF_DTYPE, 0, {.v_int64 = 1ll << 40}}, 0, "the payload behind a data type is not zero");
  broken((jf_any){JF_UINT, 0, {.v_int64 = 5}}, 0, "a uint would fit into an int");
  broken((jf_any){JF_HANDLE, 0, {0}}, 0, "a pointer is NULL");
  broken((jf_any){JF_SMALL_STR, -1, {0}}, 0, "a small value has a negative length");
  broken((jf_any){JF_SMALL_UCS4, 33, {0}}, 0, "a small value is longer than any AnyPad holds");
  broken((jf_any){JF_SMALL_BYTES, 1, {.v_bytes = "ab"}}, 0, "the payload behind a small value is not zero");
  broken((jf_any){JF_INT, 1, {0}}, 0, "small_len is not 0");
  broken((jf_any){JF_OBJECT, 0, {0}}, 0, "an object handle is NULL");
  broken((jf_any){JF_OBJECT, 0, {.v_object = &no_object}}, 0, "an object has a type code that is not positive");
  broken((jf_any){JF_OBJECT, 0, {.v_object = &function}}, 0, "the object's own type code must stand in the slot");
  broken((jf_any){JF_FUNCTION, 0, {.v_object = &text}}, 0, "slot and object have different type codes");
  broken((jf_any){JF_OBJECT, 0, {.v_object = &box}}, 1, "an owned slot holds a box");
  broken((jf_any){JF_ANY_PTR, 0, {0}}, 0, "an any pointer is NULL");
  broken(slot_of_raw("x"), 1, "an owned slot holds what only a view may");
  broken((jf_any){JF_S0_LAST - 1, 0, {0}}, 0, "the type code is unknown");
  broken((jf_any){JF_LIST, 0, {0}}, 0, "the type code is unknown");
  wide_slot wide = {{JF_SMALL_STR, 9, {.v_bytes = "abcdefgh"}}};
  memcpy(wide.bytes + 16, "ix", 2);
  const char* why;
  CHECK(!jf_any_ok(&wide.slot, 0, &why));
  CHECK_TEXT(why, "no NUL follows a small value");
}

static void test_what_is_right(void) {
  jf_object box = {.type_code = JF_BOXED_INT, .ref_count = 1};
  jf_any integer = slot_of_int(1), view = slot_of_object(&box), pointer = {JF_ANY_PTR, 0, {.v_handle = &integer}};
  jf_any capacity = null_out(64), text = slot_of_raw("x");
  CHECK(jf_any_ok(&integer, 1, NULL) && jf_any_ok(&view, 0, NULL) && jf_any_ok(&pointer, 0, NULL));
  CHECK(jf_any_ok(&capacity, 1, NULL) && jf_any_ok(&text, 0, NULL));
}

int main(void) {
  RUN(test_each_invariant);
  RUN(test_what_is_right);
  return finish();
}
