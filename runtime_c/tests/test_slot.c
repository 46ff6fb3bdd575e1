/* Slots: every code into a value, an object and back, at every capacity. */
#include "testhelper.h"

static void same_value(const jf_any* left, const jf_any* right) { CHECK(memcmp(left, right, sizeof *left) == 0); }

/* What a view becomes as a value; releases nothing. */
static jf_any retained(jf_any view) {
  jf_any out = null_out(8);
  CHECK(jf_any_retain(&view, &out) == 0);
  CHECK(jf_any_ok(&out, 1, NULL));
  return out;
}

static void test_capacity(void) {
  static const int32_t cases[][2] = {{0, 8},   {-5, 8},    {1, 8},     {8, 8},     {15, 8},         {16, 16},
                                     {23, 16}, {127, 120}, {128, 128}, {129, 128}, {INT32_MAX, 128}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    jf_any out = null_out(cases[i][0]);
    CHECK(jf_out_capacity(&out) == cases[i][1]);
  }
  jf_any out;
  jf_out_init(&out, 24);
  CHECK(out.type_code == JF_NULL && out.small_len == 24 && out.v_int64 == 0);
}

/* A slot whose value is shorter than it: the rest is 0, which an initialiser of that member need not make it (C17, 6.2.6.1). */
static jf_any slot_of_dtype(jf_dtype dtype) {
  jf_any slot = slot_of_int(0);
  slot.type_code = JF_DTYPE;
  slot.v_dtype = dtype;
  return slot;
}

static jf_any slot_of_handle(void* handle) {
  jf_any slot = slot_of_int(0);
  slot.type_code = JF_HANDLE;
  slot.v_handle = handle;
  return slot;
}

static void test_plain_values_stay_as_they_are(void) {
  int anything;
  const jf_any plain[] = {null_out(0),
                          slot_of_int(INT64_MIN),
                          slot_of_int(-1),
                          slot_of_float(-0.0),
                          {JF_BOOL, 0, {.v_int64 = 1}},
                          slot_of_handle(&anything),
                          slot_of_dtype((jf_dtype){2, 32, 4}),
                          {JF_DEVICE, 0, {.v_device = {2, -7}}},
                          {JF_UINT, 0, {.v_uint64 = UINT64_MAX}}};
  for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
    jf_any value = retained(plain[i]), back;
    same_value(&value, &plain[i]);
    int32_t failed = 1;
    jf_object* object = jf_any_to_object(&plain[i], &failed);
    CHECK(!failed && (object != NULL) == (plain[i].type_code != JF_NULL));
    if (object) CHECK(object->type_code >= JF_S2_FIRST && object->type_code <= JF_BOXED_UINT);
    jf_any boxed = object ? slot_of_object(object) : null_out(0);
    value = retained(boxed); /* opened on the way in */
    same_value(&value, &plain[i]);
    jf_any_view(&boxed, &back);
    same_value(&back, &plain[i]);
    jf_out_object(&back, object);
    same_value(&back, &plain[i]);
  }
}

/* Text of any length, into slots of any capacity, as whatever view can hold it. */
static void test_text_of_all_lengths(void) {
  char letters[200];
  for (size_t i = 0; i < sizeof letters; i++) letters[i] = (char)('a' + i % 26);
  for (int32_t capacity = 8; capacity <= JF_MAX_CAPACITY; capacity += 8) {
    for (size_t size = 0; size < 140; size++) {
      jf_span span = {letters, size};
      for (int32_t code = JF_STR_VIEW; code <= JF_BYTE_ARRAY; code += JF_BYTE_ARRAY - JF_STR_VIEW) {
        wide_slot wide;
        memset(&wide, 0xEE, sizeof wide);
        wide.slot = null_out(capacity);
        jf_any view = {code, 0, {.v_span = &span}};
        CHECK(jf_any_retain(&view, &wide.slot) == 0);
        const char* why = NULL;
        if (!CHECK(jf_any_ok(&wide.slot, 1, &why))) printf("%s\n", why);
        CHECK((wide.slot.type_code == JF_OBJECT) == (size >= (size_t)capacity));
        for (int32_t i = JF_PAYLOAD_OFFSET + capacity; i < (int32_t)sizeof wide; i++) {
          CHECK(wide.bytes[i] == (char)0xEE || wide.slot.type_code == JF_OBJECT);
        }
        jf_any borrowed;
        jf_any_view(&wide.slot, &borrowed);
        CHECK((borrowed.type_code == JF_ANY_PTR) == (wide.slot.type_code != JF_OBJECT && size > 7));
        jf_any scratch;
        jf_encoded text = jf_any_text(jf_any_resolve(&borrowed, &scratch));
        CHECK(text.kind == (code == JF_STR_VIEW ? JF_TEXT_UTF8 : JF_TEXT_BYTES) && text.terminated);
        CHECK(text.size == size && memcmp(text.data, letters, size) == 0 && ((const char*)text.data)[size] == 0);
        jf_any narrow = retained(borrowed);
        CHECK((narrow.type_code == JF_OBJECT) == (size > 7));
        jf_any_release(&narrow);
        jf_any_release(&wide.slot);
        CHECK(wide.slot.type_code == JF_NULL && wide.slot.small_len == 0 && wide.slot.v_int64 == 0);
      }
    }
  }
}

static void test_ucs4_of_all_lengths(void) {
  jf_char32 letters[64];
  for (size_t i = 0; i < 64; i++) letters[i] = 0x1F600 + (jf_char32)i;
  for (int32_t capacity = 8; capacity <= JF_MAX_CAPACITY; capacity += 8) {
    for (size_t size = 0; size < 40; size++) {
      jf_ucs4_span span = {letters, size};
      jf_any view = {JF_UCS4_VIEW, 0, {.v_ucs4_span = &span}}, borrowed, scratch;
      wide_slot wide = {null_out(capacity)};
      CHECK(jf_any_retain(&view, &wide.slot) == 0 && jf_any_ok(&wide.slot, 1, NULL));
      CHECK((wide.slot.type_code == JF_OBJECT) == (size * 4 > (size_t)capacity));
      jf_any_view(&wide.slot, &borrowed);
      CHECK((borrowed.type_code == JF_ANY_PTR) == (wide.slot.type_code != JF_OBJECT && size > 2));
      jf_encoded text = jf_any_text(jf_any_resolve(&borrowed, &scratch));
      CHECK(text.kind == JF_TEXT_UCS4 && text.size == size && memcmp(text.data, letters, size * 4) == 0);
      jf_any_release(&wide.slot);
    }
  }
}

static void test_raw_and_embedded(void) {
  jf_any value = retained(slot_of_raw("seven77"));
  CHECK(value.type_code == JF_SMALL_STR && value.small_len == 7 && memcmp(value.v_bytes, "seven77", 8) == 0);
  value = retained(slot_of_raw(""));
  CHECK(value.type_code == JF_SMALL_STR && value.small_len == 0 && value.v_int64 == 0);
  jf_span span = {"a\0b", 3}, empty = {NULL, 0};
  value = retained((jf_any){JF_STR_VIEW, 0, {.v_span = &span}});
  CHECK(value.small_len == 3 && memcmp(value.v_bytes, "a\0b\0\0\0\0", 8) == 0);
  value = retained((jf_any){JF_BYTE_ARRAY, 0, {.v_span = &empty}});
  CHECK(value.type_code == JF_SMALL_BYTES && value.small_len == 0);
}

static void test_objects_are_counted(void) {
  jf_object* text = jf_str_new("a longer text", 13);
  jf_any value = retained(slot_of_object(text));
  CHECK(value.type_code == JF_OBJECT && value.v_object == text && text->ref_count == 2);
  jf_object* again = jf_any_to_object(&value, NULL);
  CHECK(again == text && text->ref_count == 3);
  jf_object_release(again);
  jf_any_release(&value);
  CHECK(text->ref_count == 1);
  jf_object_release(text);
  jf_function* function = jf_object_new(sizeof *function, JF_FUNCTION, NULL);
  jf_out_object(&value, &function->header);
  CHECK(value.type_code == JF_FUNCTION && value.v_object == &function->header);
  jf_any copy = retained(value);
  same_value(&copy, &value);
  jf_any_release(&copy);
  jf_any_release(&value);
  jf_out_object(&value, NULL);
  CHECK(value.type_code == JF_NULL);
}

static void test_rvalues_are_moved(void) {
  jf_object* text = jf_str_new("moved", 5);
  jf_object* reference = text;
  jf_any view = {JF_RVALUE, 0, {.v_rvalue = &reference}}, scratch;
  CHECK(jf_any_object(jf_any_resolve(&view, &scratch)) == text && reference == text);
  jf_object* borrowed = jf_any_to_object(&view, NULL);
  CHECK(borrowed == text && reference == text);
  jf_object_release(borrowed);
  jf_any value = retained(view);
  CHECK(value.v_object == text && reference == NULL && text->ref_count == 1);
  jf_any_release(&value);
  value = null_out(8);
  CHECK(jf_any_retain(&view, &value) == -1 && value.type_code == JF_NULL);
  CHECK_ERROR("ValueError: the object of an r-value reference was taken before");
}

static void refused(jf_any view, const char* as_value, const char* as_object) {
  jf_any out = null_out(64);
  CHECK(jf_any_retain(&view, &out) == -1);
  CHECK(out.type_code == JF_NULL && out.small_len == 0);
  CHECK_ERROR(as_value);
  int32_t failed = 0;
  CHECK(!jf_any_to_object(&view, &failed) && failed);
  CHECK_ERROR(as_object);
}

static void test_what_cannot_be_kept(void) {
  int64_t tensor;
  refused((jf_any){JF_DLTENSOR, 0, {.v_handle = &tensor}},
          "ValueError: a borrowed DLTensor cannot become a value: pass an nd-array, which is counted",
          "ValueError: a borrowed DLTensor cannot become an object: pass an nd-array, which is counted");
  refused((jf_any){-42, 0, {0}}, "TypeError: a slot with type code -42 cannot become a value: the type code is unknown",
          "TypeError: a slot with type code -42 cannot become an object: the type code is unknown");
  refused((jf_any){0, 0, {0}}, "TypeError: a slot with type code 0 cannot become a value: the type code is unknown",
          "TypeError: a slot with type code 0 cannot become an object: the type code is unknown");
  refused((jf_any){JF_LIST, 0, {0}},
          "TypeError: a slot with type code 36 cannot become a value: the type code is unknown",
          "TypeError: a slot with type code 36 cannot become an object: the type code is unknown");
  refused((jf_any){JF_OBJECT, 0, {0}},
          "TypeError: a slot with type code -11 cannot become a value: an object handle is NULL",
          "TypeError: a slot with type code -11 cannot become an object: an object handle is NULL");
  refused((jf_any){JF_RAW_STR, 0, {0}}, "TypeError: a slot with type code -9 cannot become a value: a pointer is NULL",
          "TypeError: a slot with type code -9 cannot become an object: a pointer is NULL");
  refused(
      (jf_any){JF_SMALL_STR, 128, {0}},
      "TypeError: a slot with type code -13 cannot become a value: a small value is longer than any AnyPad holds",
      "TypeError: a slot with type code -13 cannot become an object: a small value is longer than any AnyPad holds");
  jf_any inner = {JF_ANY_PTR, 0, {0}}, integer = slot_of_int(3);
  inner.v_handle = &integer;
  jf_any outer = {JF_ANY_PTR, 0, {.v_handle = &inner}};
  refused(outer, "TypeError: an any pointer that points at another cannot become a value",
          "TypeError: an any pointer that points at another cannot become an object");
  jf_any value = retained(inner);
  same_value(&value, &integer);
}

static void test_views_of_plain_values(void) {
  jf_any value = null_out(24), view;
  jf_any_view(&value, &view);
  CHECK(view.type_code == JF_NULL && view.small_len == 0);
  value = slot_of_float(2.5);
  jf_any_view(&value, &view);
  same_value(&view, &value);
}

static int32_t convert_all(void) {
  static const char* const texts[] = {"a longer text", "short", "another longer text"};
  jf_any values[3] = {null_out(8), null_out(8), null_out(8)};
  jf_object* objects[3] = {NULL};
  int32_t status = 0;
  for (int i = 0; i < 3 && status == 0; i++) {
    jf_any view = slot_of_raw(texts[i]);
    status = jf_any_retain(&view, &values[i]);
    if (status == 0) objects[i] = jf_any_to_object(&view, &status);
    if (objects[i] == NULL) status = -1;
  }
  for (int i = 0; i < 3; i++) {
    if (!objects[i]) CHECK(i == 1 || values[i].type_code == JF_OBJECT || values[i].type_code == JF_NULL);
    jf_any_release(&values[i]);
    jf_object_release(objects[i]);
  }
  return status;
}

static int32_t write_out(void) {
  jf_any out = null_out(8);
  if (jf_out_ucs4(&out, U"abc", 3) != 0 || out.type_code != JF_OBJECT) {
    CHECK(out.type_code == JF_NULL && out.small_len == 0);
    return -1;
  }
  jf_any_release(&out);
  return 0;
}

static void test_without_memory(void) {
  SURVIVES(convert_all);
  SURVIVES(write_out);
}

static uint64_t word_at(const void* memory, size_t offset) {
  uint64_t word;
  memcpy(&word, (const char*)memory + offset, sizeof word);
  return word;
}

/* Pointers and sizes take 8 bytes wherever they are: where they are of 4, the upper half is zero. */
static void test_pointers_take_eight_bytes(void) {
  jf_any slot, other;
  jf_object *text = jf_str_new("a text that is too long for a slot", 34), *list = jf_list_new(0, -1);
  const jf_any view = slot_of_object(text);
  CHECK(word_at(text, 8) == (uintptr_t)text->deleter && word_at(list, 8) == (uintptr_t)list->deleter);
  CHECK(word_at(text, 16) == (uintptr_t)((jf_str*)text)->data && word_at(text, 24) == 34);
  memset(&slot, 0xFF, sizeof slot);
  jf_object_retain(text);
  jf_out_object(&slot, text);
  CHECK(word_at(&slot, 8) == (uintptr_t)text);
  memset(&other, 0xFF, sizeof other);
  jf_any_view(&slot, &other);
  CHECK(memcmp(&slot, &other, sizeof slot) == 0);
  memset(&other, 0xFF, sizeof other);
  jf_any_rvalue(&text, &other);
  CHECK(word_at(&other, 8) == (uintptr_t)&text);
  jf_any_release(&slot);
  CHECK(jf_list_append(list, &view) == 0 && word_at(list, 24) == 1);
  CHECK(word_at(list, 16) == (uintptr_t)((jf_list*)list)->items);
  memset(&other, 0xFF, sizeof other);
  CHECK(jf_list_peek(list, 0, &other) == 0 && word_at(&other, 8) == (uintptr_t)text);
  jf_out_init(&other, 8);
  CHECK(jf_list_get(list, 0, &other) == 0 && word_at(&other, 8) == (uintptr_t)text);
  jf_any_release(&other);
  jf_object_release(list);
  jf_object_release(text);
}

int main(void) {
  RUN(test_capacity);
  RUN(test_plain_values_stay_as_they_are);
  RUN(test_text_of_all_lengths);
  RUN(test_ucs4_of_all_lengths);
  RUN(test_raw_and_embedded);
  RUN(test_objects_are_counted);
  RUN(test_rvalues_are_moved);
  RUN(test_what_cannot_be_kept);
  RUN(test_views_of_plain_values);
  RUN(test_without_memory);
  RUN(test_pointers_take_eight_bytes);
  return finish();
}
