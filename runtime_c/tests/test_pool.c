/* The static slots, the pool, and items into and out of it. */
#include "listhelper.h"

static void test_static_slots(void) {
  for (int64_t n = JF_STATIC_INT_FIRST; n <= JF_STATIC_INT_LAST; n++) {
    const jf_any* slot = &jf_static_ints[n - JF_STATIC_INT_FIRST];
    CHECK(slot->type_code == JF_INT && slot->small_len == 0 && slot->v_int64 == n);
  }
  for (int c = 0; c < JF_STATIC_CHARS; c++) {
    const jf_any *narrow = &jf_static_chars[c], *wide = &jf_static_ucs4_chars[c];
    CHECK(narrow->type_code == JF_SMALL_STR && narrow->small_len == 1 && narrow->v_int64 == c);
    CHECK(wide->type_code == JF_SMALL_UCS4 && wide->small_len == 1 && wide->v_int64 == c);
    CHECK(jf_slot_is_static(narrow) && jf_slot_is_static(wide));
  }
  CHECK(jf_static_null.type_code == JF_NULL && jf_static_null.v_int64 == 0);
  CHECK(jf_static_false.type_code == JF_BOOL && jf_static_false.v_int64 == 0);
  CHECK(jf_static_true.type_code == JF_BOOL && jf_static_true.v_int64 == 1);
  CHECK(jf_slot_is_static(&jf_static_null) && jf_slot_is_static(&jf_static_ints[JF_STATIC_INTS - 1]));
}

static jf_item item_of(jf_pool* pool, const char* word) {
  word_scratch scratch;
  const jf_view view = view_of_word(word, strlen(word), &scratch);
  jf_item item = {NULL};
  CHECK(jf_item_new(pool, 100, &view, &item) == 0);
  return item;
}

static void test_what_is_shared(void) {
  jf_pool pool;
  jf_pool_init(&pool, 1);
  CHECK(item_of(&pool, "n").slot == &jf_static_null && item_of(&pool, "t").slot == &jf_static_true);
  CHECK(item_of(&pool, "f").slot == &jf_static_false && item_of(&pool, "i-128").slot == &jf_static_ints[0]);
  CHECK(item_of(&pool, "i1023").slot == &jf_static_ints[1151] && item_of(&pool, "sz").slot == &jf_static_chars['z']);
  CHECK(item_of(&pool, "wz").slot == &jf_static_ucs4_chars['z']);
  CHECK(!pool.blocks);
  static const char* own[] = {"i-129", "i1024", "f0", "s", "w", "b", "bz", "sab", "s\x80"};
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    const jf_item item = item_of(&pool, own[i]);
    CHECK(*item.code < 0 && !jf_slot_is_static(item.slot) && jf_any_ok(item.slot, 1, NULL));
    jf_item_free(&pool, item);
    CHECK(pool.free == item.slot); /* the last one that was given back is the first to be taken */
  }
  CHECK(jf_pool_slots(&pool) == 8);
  jf_pool_clear(&pool);
}

/* Each length of text, in pools of each pad: in a slot when it fits, exactly as long. */
static void test_text_by_pad(void) {
  char word[160];
  for (int32_t pad = 0; pad <= JF_MAX_PAD; pad++) {
    jf_pool pool;
    jf_pool_init(&pool, pad);
    for (size_t size = 2; size < 150; size++) {
      for (const char* kind = "sbw"; *kind; kind++) {
        memset(word, 'x', sizeof word);
        word[0] = *kind;
        word[size + 1] = 0;
        const jf_item item = item_of(&pool, word);
        const size_t most = *kind == 'w' ? 2 + 2 * (size_t)pad : 7 + 8 * (size_t)pad;
        CHECK((*item.code < 0) == (size <= most));
        jf_view view, scratch;
        jf_item_view(item, &view);
        char text[200];
        text[write_word(jf_any_resolve(&view, &scratch), text)] = 0;
        CHECK_TEXT(text, word);
        wide_slot out = {.slot = {JF_NULL, 16, {0}}};
        CHECK(jf_item_get(item, &out.slot) == 0 && jf_any_ok(&out.slot, 1, NULL));
        text[write_word(&out.slot, text)] = 0;
        CHECK_TEXT(text, word);
        jf_any_release(&out.slot);
        jf_item_free(&pool, item);
      }
    }
    jf_pool_clear(&pool);
  }
}

static void test_pads_out_of_range(void) {
  jf_pool pool;
  jf_pool_init(&pool, -5);
  CHECK(pool.pad == 1 && pool.stride == 24);
  jf_pool_init(&pool, 16);
  CHECK(pool.pad == 15 && pool.stride == 136);
}

static void test_blocks(void) {
  jf_pool pool;
  jf_pool_init(&pool, 1);
  CHECK(jf_pool_reserve(&pool, 100) == 0 && pool.blocks->slots == 100 && !pool.blocks->next);
  jf_any* slots[100];
  for (int i = 0; i < 100; i++) slots[i] = jf_pool_take(&pool, 1);
  CHECK((char*)slots[99] - (char*)slots[0] == 99 * 24 && pool.fresh == pool.end);
  CHECK(jf_pool_take(&pool, 3) && pool.blocks->slots == 3 && jf_pool_slots(&pool) == 103);
  CHECK(jf_pool_reserve(&pool, 5) == 0 && pool.blocks->slots == 3); /* two were left */
  CHECK(pool.free && jf_pool_slots(&pool) == 106);
  jf_pool_reset(&pool);
  CHECK(jf_pool_slots(&pool) == 3 && !pool.free && pool.end - pool.fresh == 72);
  CHECK(jf_pool_reserve(&pool, SIZE_MAX / 2) == -1);
  CHECK_ERROR("MemoryError: out of memory");
  CHECK(jf_pool_slots(&pool) == 3);
  jf_pool_clear(&pool);
  CHECK(!pool.blocks && !pool.fresh && !pool.free && pool.pad == 1);
}

static void test_boxes_moves_and_pointers(void) {
  jf_pool pool;
  jf_pool_init(&pool, 1);
  jf_any plain = slot_of_int(123456);
  jf_object* box = jf_any_to_object(&plain, NULL);
  jf_any view = slot_of_object(box);
  jf_item item;
  CHECK(jf_item_new(&pool, 9, &view, &item) == 0 && *item.code == JF_INT && item.slot->v_int64 == 123456);
  view = (jf_any){JF_RVALUE, 0, {.v_rvalue = &box}};
  CHECK(jf_item_new(&pool, 9, &view, &item) == 0 && *item.code == JF_INT && item.slot->v_int64 == 123456 && !box);
  CHECK(jf_item_new(&pool, 9, &view, &item) == -1);
  CHECK_ERROR("ValueError: the object of an r-value reference was taken before");
  jf_object* moved = jf_str_new("abc", 3);
  view.v_rvalue = &moved;
  CHECK(jf_item_new(&pool, 9, &view, &item) == 0 && *item.code == JF_STR && !moved);
  jf_item_free(&pool, item);
  wide_slot wide = {.slot = {JF_NULL, 128, {0}}};
  CHECK(jf_out_str(&wide.slot, "0123456789abcdefghij", 20) == 0);
  jf_any_view(&wide.slot, &view);
  CHECK(view.type_code == JF_ANY_PTR);
  CHECK(jf_item_new(&pool, 9, &view, &item) == 0 && *item.code == JF_STR); /* 20 bytes are too many for pad 1 */
  jf_item_free(&pool, item);
  CHECK(jf_item_new(&pool, 9, &wide.slot, &item) == 0 && *item.code == JF_STR);
  jf_item_free(&pool, item);
  int64_t tensor[8] = {0};
  view = (jf_any){JF_DLTENSOR, 0, {.v_handle = tensor}};
  CHECK(jf_item_new(&pool, 9, &view, &item) == -1);
  CHECK_ERROR("ValueError: a borrowed DLTensor cannot become a value: pass an nd-array, which is counted");
  jf_pool_clear(&pool);
}

/* Every plain code, as it was, in and out and from pool to pool. */
static void test_plain_codes(void) {
  int anything;
  const jf_any plain[] = {slot_of_int(INT64_MIN),
                          slot_of_float(-0.0),
                          {JF_HANDLE, 0, {.v_handle = &anything}},
                          {JF_DTYPE, 0, {.v_dtype = {2, 32, 4}}},
                          {JF_DEVICE, 0, {.v_device = {2, -7}}},
                          {JF_UINT, 0, {.v_uint64 = UINT64_MAX}}};
  jf_pool pool, narrow;
  jf_pool_init(&pool, 3);
  jf_pool_init(&narrow, 0);
  for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++) {
    jf_item item, copy;
    jf_any out = null_out(8);
    CHECK(jf_item_new(&pool, 6, &plain[i], &item) == 0 && !jf_slot_is_static(item.slot));
    CHECK(jf_item_copy(&narrow, 6, item, &copy) == 0 && copy.slot != item.slot);
    CHECK(jf_item_get(copy, &out) == 0 && memcmp(&out, &plain[i], sizeof out) == 0);
    CHECK(memcmp(item.slot, &plain[i], sizeof out) == 0);
  }
  jf_object* moved = NULL;
  const jf_any wrong[] = {{0, 0, {0}}, {-20, 0, {0}}, {JF_RVALUE, 0, {.v_rvalue = &moved}}, {JF_SMALL_STR, -1, {0}}};
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    jf_item item;
    CHECK(jf_item_new(&pool, 1, &wrong[i], &item) == -1);
    jf_object_release(jf_error_take());
  }
  CHECK(jf_pool_slots(&pool) == 6);
  jf_pool_clear(&pool);
  jf_pool_clear(&narrow);
}

static int32_t make_items(void) {
  static const char* words[] = {"i5000", "f1.5", "sabcdefgh", "sabcdefghijklmnopqrstuvwxyz", "wabcdefgh", "bxy"};
  jf_pool pool;
  jf_pool_init(&pool, 1);
  jf_item items[6];
  int32_t made = 0, status = 0;
  for (; made < 6 && status == 0; made += status == 0) {
    word_scratch scratch;
    const jf_view view = view_of_word(words[made], strlen(words[made]), &scratch);
    status = jf_item_new(&pool, 2, &view, &items[made]);
  }
  while (made) jf_item_free(&pool, items[--made]);
  jf_pool_clear(&pool);
  return status;
}

static void test_without_memory(void) { SURVIVES(make_items); }

int main(void) {
  RUN(test_static_slots);
  RUN(test_what_is_shared);
  RUN(test_text_by_pad);
  RUN(test_pads_out_of_range);
  RUN(test_blocks);
  RUN(test_boxes_moves_and_pointers);
  RUN(test_plain_codes);
  RUN(test_without_memory);
  return finish();
}
