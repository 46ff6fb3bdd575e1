/* AnyPad<n>: every conversion between slots of every two sizes, for text of every length around their limits. */
#include "testhelper.h"

_Static_assert(sizeof(jf_pad0) == 16 && sizeof(jf_pad1) == 24 && sizeof(jf_pad15) == 136,
               "AnyPad<n> has 16 + 8n bytes");
_Static_assert(_Alignof(jf_pad1) == 8, "slots are aligned to 8");

enum { PADS = JF_MAX_PAD + 1, LONGEST = 140 };
static const struct kind {
  int32_t view, small, object, text, unit;
} kinds[] = {{JF_STR_VIEW, JF_SMALL_STR, JF_STR, JF_TEXT_UTF8, 1},
             {JF_BYTE_ARRAY, JF_SMALL_BYTES, JF_BYTES, JF_TEXT_BYTES, 1},
             {JF_UCS4_VIEW, JF_SMALL_UCS4, JF_UCS4, JF_TEXT_UCS4, 4}};

static jf_char32 wide_letters[LONGEST];
static char letters[LONGEST];

static void fill(void) {
  for (size_t i = 0; i < LONGEST; i++) letters[i] = (char)('a' + i % 26), wide_letters[i] = 0x1F600 + (jf_char32)i;
}

static const void* text_of(const struct kind* kind) { return kind->unit == 1 ? (void*)letters : (void*)wide_letters; }

/* A slot in the middle of memory that nobody may touch. */
typedef struct {
  uint64_t before;
  wide_slot wide;
  uint64_t behind;
} fenced;

static void fence(fenced* slot, int32_t pad) {
  memset(slot, 0xEE, sizeof *slot);
  jf_out_init(&slot->wide.slot, JF_PAD_CAPACITY(pad));
}

static void check_fence(const fenced* slot, int32_t pad) {
  const unsigned char* bytes = (const unsigned char*)slot;
  int32_t touched = 0;
  for (size_t i = 0; i < sizeof *slot; i++) {
    const size_t start = offsetof(fenced, wide);
    if ((i < start || i >= start + (size_t)JF_PAD_SIZE(pad)) && bytes[i] != 0xEE) touched++;
  }
  CHECK(!touched);
}

static int32_t fits(const struct kind* kind, int32_t pad, size_t size) {
  return size * (size_t)kind->unit + (kind->unit == 1) <= (size_t)JF_PAD_CAPACITY(pad);
}

/* An owned value of that text, in place exactly where it fits. */
static void check_value(const jf_any* slot, const struct kind* kind, int32_t in_place, size_t size) {
  const char* why = NULL;
  if (!CHECK(jf_any_ok(slot, 1, &why))) printf("%s\n", why);
  CHECK(slot->type_code == (in_place ? kind->small : JF_OBJECT) && slot->small_len == (in_place ? (int32_t)size : 0));
  jf_encoded text = jf_any_text(slot);
  CHECK(text.kind == kind->text && text.size == size &&
        memcmp(text.data, text_of(kind), size * (size_t)kind->unit) == 0);
  if (!in_place) CHECK(slot->v_object->type_code == kind->object && slot->v_object->ref_count == 1);
}

static void check_null(const jf_any* slot) {
  CHECK(slot->type_code == JF_NULL && slot->small_len == 0 && slot->v_int64 == 0);
}

/* From AnyPad<n>: a view of it, from which AnyPad<m> is made; then itself moved there. */
static void check_pair(const struct kind* kind, int32_t n, int32_t m, size_t size) {
  const jf_span span = {text_of(kind), size};
  jf_view view = {kind->view, 0, {.v_span = (jf_span*)(uintptr_t)&span}}, borrowed;
  fenced from, to;
  fence(&from, n);
  CHECK(jf_any_retain(&view, &from.wide.slot) == 0);
  const int32_t in_from = fits(kind, n, size), in_to = fits(kind, m, size), in_view = fits(kind, 0, size);
  check_value(&from.wide.slot, kind, in_from, size);
  jf_any_view(&from.wide.slot, &borrowed);
  CHECK(jf_any_ok(&borrowed, 0, NULL) && borrowed.type_code == (!in_from  ? JF_OBJECT
                                                                : in_view ? kind->small
                                                                          : JF_ANY_PTR));
  fence(&to, m);
  CHECK(jf_any_retain(&borrowed, &to.wide.slot) == 0);
  if (in_from) check_value(&to.wide.slot, kind, in_to, size);
  if (!in_from) CHECK(to.wide.slot.v_object == from.wide.slot.v_object && to.wide.slot.v_object->ref_count == 2);
  jf_any_release(&to.wide.slot);
  check_fence(&to, m);
  fence(&to, m);
  CHECK(jf_any_move(&from.wide.slot, &to.wide.slot) == 0);
  check_null(&from.wide.slot);
  check_value(&to.wide.slot, kind, in_from && in_to, size); /* what is on the heap stays there */
  jf_any_release(&to.wide.slot);
  check_fence(&from, n);
  check_fence(&to, m);
}

/* To an object and into AnyPad<m> again. */
static void check_boxing(const struct kind* kind, int32_t n, int32_t m, size_t size) {
  fenced from, to;
  fence(&from, n), fence(&to, m);
  jf_any* slot = &from.wide.slot;
  const int32_t status = kind->unit == 4              ? jf_out_ucs4(slot, wide_letters, size)
                         : kind->text == JF_TEXT_UTF8 ? jf_out_str(slot, letters, size)
                                                      : jf_out_bytes(slot, letters, size);
  CHECK(status == 0);
  jf_view borrowed;
  jf_any_view(slot, &borrowed);
  int32_t failed = 1;
  jf_object* object = jf_any_to_object(&borrowed, &failed);
  CHECK(!failed && object && object->type_code == kind->object);
  jf_any_release(slot);
  jf_out_object(&to.wide.slot, object);
  check_value(&to.wide.slot, kind, 0, size);
  jf_any_release(&to.wide.slot);
  check_fence(&from, n);
  check_fence(&to, m);
}

static void test_every_pair_of_sizes(void) {
  fill();
  for (const struct kind* kind = kinds; kind < kinds + 3; kind++) {
    for (int32_t n = 0; n < PADS; n++) {
      for (int32_t m = 0; m < PADS; m++) {
        const size_t limits[] = {0,
                                 2,
                                 7,
                                 (size_t)JF_PAD_CAPACITY(n) / (size_t)kind->unit,
                                 (size_t)JF_PAD_CAPACITY(m) / (size_t)kind->unit,
                                 LONGEST - 2};
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
          for (size_t size = limits[i] ? limits[i] - 1 : 0; size <= limits[i] + 1; size++) {
            check_pair(kind, n, m, size);
            check_boxing(kind, n, m, size);
          }
        }
      }
    }
  }
}

/* What is no text is 16 bytes in every slot; objects change hands without being counted. */
static void test_plain_values_and_objects_are_moved(void) {
  jf_object* object = jf_str_new("an object", 9);
  jf_any values[] = {
      null_out(0), slot_of_int(-5), slot_of_float(0.5), slot_of_object(object), {JF_BOOL, 0, {.v_int64 = 1}}};
  for (int32_t n = 0; n < PADS; n++) {
    for (int32_t m = 0; m < PADS; m++) {
      for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        fenced from, to;
        fence(&from, n), fence(&to, m);
        if (values[i].type_code != JF_NULL) from.wide.slot = values[i];
        CHECK(jf_any_move(&from.wide.slot, &to.wide.slot) == 0);
        CHECK(memcmp(&to.wide.slot, &values[i], sizeof values[i]) == 0); /* of a null not the capacity either */
        check_null(&from.wide.slot);
        check_fence(&from, n);
        check_fence(&to, m);
        if (jf_any_object(&to.wide.slot)) CHECK(object->ref_count == 1);
      }
    }
  }
  jf_object_release(object);
}

static void test_the_types_for_c(void) {
  jf_pad2 word = JF_PAD_INIT(2);
  CHECK(word.slot.type_code == JF_NULL && jf_out_capacity(&word.slot) == 24 && JF_PAD_SIZE(2) == sizeof word);
  CHECK(jf_out_str(&word.slot, "twenty-three characters", 23) == 0 && word.slot.type_code == JF_SMALL_STR);
  CHECK_TEXT((const char*)word.bytes + JF_PAYLOAD_OFFSET, "twenty-three characters");
  jf_any_release(&word.slot);
  jf_pad15 widest = JF_PAD_INIT(15);
  CHECK(jf_out_capacity(&widest.slot) == JF_MAX_CAPACITY && sizeof widest == JF_PAYLOAD_OFFSET + JF_MAX_CAPACITY);
}

/* Capacities as they come from outside: what is no multiple of 8, and what is beyond any pad. */
static void test_capacities_by_the_rules(void) {
  static const int32_t cases[][2] = {{0, 8}, {-1, 8}, {7, 8}, {23, 16}, {128, 128}, {200, 128}, {INT32_MAX, 128}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const size_t room = (size_t)cases[i][1];
    for (size_t size = room - 2; size <= room; size++) {
      wide_slot wide = {null_out(cases[i][0])};
      CHECK(jf_out_str(&wide.slot, letters, size) == 0);
      CHECK((wide.slot.type_code == JF_SMALL_STR) == (size < room));
      jf_any_release(&wide.slot);
    }
    for (size_t size = room / 4 - 1; size <= room / 4 + 1; size++) {
      wide_slot wide = {null_out(cases[i][0])};
      CHECK(jf_out_ucs4(&wide.slot, wide_letters, size) == 0);
      CHECK((wide.slot.type_code == JF_SMALL_UCS4) == (size <= room / 4));
      jf_any_release(&wide.slot);
    }
  }
}

static int32_t move_to_the_heap(void) {
  jf_pad3 from = JF_PAD_INIT(3);
  jf_pad1 to = JF_PAD_INIT(1);
  if (jf_out_str(&from.slot, letters, 20) != 0) return -1;
  const int32_t status = jf_any_move(&from.slot, &to.slot);
  if (status != 0) {
    CHECK(to.slot.type_code == JF_NULL && to.slot.small_len == 16 && to.slot.v_int64 == 0);
    check_value(&from.slot, &kinds[0], 1, 20);
  } else {
    check_value(&to.slot, &kinds[0], 0, 20);
  }
  jf_any_release(&from.slot);
  jf_any_release(&to.slot);
  return status;
}

static void test_without_memory(void) { SURVIVES(move_to_the_heap); }

int main(void) {
  RUN(test_every_pair_of_sizes);
  RUN(test_plain_values_and_objects_are_moved);
  RUN(test_the_types_for_c);
  RUN(test_capacities_by_the_rules);
  RUN(test_without_memory);
  return finish();
}
