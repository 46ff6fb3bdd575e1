/* A map against a model that cannot be wrong: an array that is searched from end to end.
 *
 * The seed is printed; the program's first argument sets it, the second the number of operations.
 */
#include "map.h"
#include "testhelper.h"

enum { MAX_KEYS = 400, KINDS = 9 };

/* -- random keys: `identity` tells which are equal -- */

static uint64_t state;

static uint64_t next_random(void) {
  state += 0x9E3779B97F4A7C15;
  uint64_t z = state;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
  z = (z ^ z >> 27) * 0x94D049BB133111EB;
  return z ^ z >> 31;
}

static uint64_t below(uint64_t bound) { return next_random() % bound; }

typedef struct {
  jf_view view;
  jf_object* owned; /* what the view borrows from, or NULL */
  jf_span span;
  jf_ucs4_span wide_span;
  char text[40];
  jf_char32 wide[40];
  int64_t identity;
} test_key;

/* Text number n in one of its forms: the same characters as str, as a heap str, as UCS4. */
static void make_text(test_key* k, int64_t n, uint64_t form) {
  const int length =
      snprintf(k->text, sizeof k->text, n % 3 ? "k%lld" : "a key of more than a slot, %lld", (long long)n);
  for (int i = 0; i <= length; i++) k->wide[i] = (unsigned char)k->text[i];
  k->span = (jf_span){k->text, (size_t)length};
  k->wide_span = (jf_ucs4_span){k->wide, (size_t)length};
  k->identity = 2000 + n;
  switch (form) {
    case 0:
      k->view = (jf_view){JF_RAW_STR, 0, {.v_raw_str = k->text}};
      break;
    case 1:
      k->view = (jf_view){JF_STR_VIEW, 0, {.v_span = &k->span}};
      break;
    case 2:
      k->view = (jf_view){JF_UCS4_VIEW, 0, {.v_ucs4_span = &k->wide_span}};
      break;
    default:
      k->owned = form == 3 ? jf_str_new(k->text, (size_t)length) : jf_ucs4_new(k->wide, (size_t)length);
      k->view = slot_of_object(k->owned);
  }
}

static void make_key(test_key* k, uint64_t range) {
  const int64_t n = (int64_t)below(range);
  k->owned = NULL;
  switch (below(KINDS)) {
    case 0:
      k->view = slot_of_int(n);
      k->identity = n;
      break;
    case 1:
      k->view = slot_of_float((double)n);
      k->identity = n;
      break;
    case 2:
      k->view = (jf_view){JF_BOOL, 0, {.v_int64 = n % 2}};
      k->identity = n % 2;
      break;
    case 3: /* all alike in their low half */
      k->view = slot_of_int(n << 32);
      k->identity = n ? 1000 + n : 0;
      break;
    case 4: {
      snprintf(k->text, sizeof k->text, "k%lld", (long long)n);
      k->span = (jf_span){k->text, strlen(k->text)};
      k->view = (jf_view){JF_BYTE_ARRAY, 0, {.v_span = &k->span}};
      k->identity = 3000 + n;
      break;
    }
    case 5: {
      const jf_view pair[2] = {below(2) ? slot_of_int(n) : slot_of_float((double)n), slot_of_raw("of two")};
      k->owned = jf_tuple_new(pair, 2);
      k->view = slot_of_object(k->owned);
      k->identity = 4000 + n;
      break;
    }
    default:
      make_text(k, n, below(5));
  }
}

/* -- the model -- */

static struct {
  int64_t identity;
  int64_t value;
} model[6000];
static size_t model_size;

static int64_t model_find(int64_t identity) {
  for (size_t i = 0; i < model_size; i++) {
    if (model[i].identity == identity) return (int64_t)i;
  }
  return -1;
}

static void model_remove(size_t at) { memmove(&model[at], &model[at + 1], (--model_size - at) * sizeof model[0]); }

static void model_set(int64_t identity, int64_t value) {
  int64_t at = model_find(identity);
  if (at < 0) at = (int64_t)model_size++, model[at].identity = identity;
  model[at].value = value;
}

/* -- values: an int, or text that says it; so that slots and objects come and go -- */

static jf_view make_value(int64_t number, char* text, jf_span* span) {
  if (number % 3) return slot_of_int(number);
  span->size = (size_t)snprintf(text, 64, number % 2 ? "%lld" : "%031lld", (long long)number);
  span->data = text;
  return (jf_view){JF_STR_VIEW, 0, {.v_span = span}};
}

static int64_t number_of(const jf_any* slot) {
  jf_any scratch;
  const jf_any* resolved = jf_any_resolve(slot, &scratch);
  return resolved->type_code == JF_INT ? resolved->v_int64 : strtoll(jf_any_text(resolved).data, NULL, 10);
}

static void check_all(const jf_object* map, int32_t reversed) {
  jf_map_iterator iterator = {.reversed = reversed};
  jf_view value;
  size_t seen = 0;
  CHECK(jf_map_size(map) == model_size);
  while (jf_map_next(map, &iterator, NULL, &value) == 1 && seen < model_size) {
    const size_t at = reversed ? model_size - 1 - seen : seen;
    if (!CHECK(number_of(&value) == model[at].value)) return;
    seen++;
  }
  CHECK(seen == model_size);
#ifdef JITFFI_HOSTILE
  CHECK(jf_map_ok((const jf_map*)map));
#endif
}

/* Lets some allocation of the next operation fail, now and then. */
static int32_t may_fail(void) {
#ifdef JITFFI_HOSTILE
  if (below(8)) return 0;
  jf_hostile_fail_after((int64_t)below(4));
  return 1;
#else
  return 0;
#endif
}

/* 1: the operation failed for want of memory, and must have changed nothing. */
static int32_t has_failed(int32_t status) {
#ifdef JITFFI_HOSTILE
  jf_hostile_fail_after(-1);
#endif
  if (status >= 0) return 0;
  CHECK_ERROR("MemoryError: out of memory");
  return 1;
}

static void do_set(jf_object* map, test_key* k, int64_t number) {
  char text[64];
  jf_span span;
  const jf_view value = make_value(number, text, &span);
  if (below(4)) {
    may_fail();
    if (!has_failed(jf_map_set(map, &k->view, &value))) model_set(k->identity, number);
    return;
  }
  wide_slot out = {null_out(8 * (int32_t)below(6))};
  may_fail();
  if (has_failed(jf_map_setdefault(map, &k->view, &value, &out.slot))) return;
  if (model_find(k->identity) < 0) model_set(k->identity, number);
  CHECK(number_of(&out.slot) == model[model_find(k->identity)].value);
  jf_any_release(&out.slot);
}

static void do_get(jf_object* map, test_key* k) {
  const int64_t at = model_find(k->identity);
  jf_view view;
  jf_value out = null_out(8);
  CHECK(jf_map_has(map, &k->view) == (at >= 0));
  CHECK(jf_map_peek(map, &k->view, &view) == (at >= 0));
  if (at >= 0) CHECK(number_of(&view) == model[at].value);
  CHECK(jf_map_get(map, &k->view, &out) == (at >= 0));
  if (at >= 0) CHECK(number_of(&out) == model[at].value);
  jf_any_release(&out);
}

static void do_remove(jf_object* map, test_key* k) {
  const int64_t at = model_find(k->identity);
  if (below(2)) {
    CHECK(jf_map_delete(map, &k->view) == (at >= 0));
  } else {
    jf_value out = null_out(8);
    may_fail();
    const int32_t status = jf_map_pop(map, &k->view, &out);
    if (has_failed(status)) return;
    CHECK(status == (at >= 0));
    if (at >= 0) CHECK(number_of(&out) == model[at].value);
    jf_any_release(&out);
  }
  if (at >= 0) model_remove((size_t)at);
}

static void do_popitem(jf_object* map) {
  jf_value key = null_out(8), value = null_out(16);
  wide_slot wide = {value};
  if (!model_size) return;
  may_fail();
  if (has_failed(jf_map_popitem(map, &key, &wide.slot))) return;
  model_size--;
  CHECK(number_of(&wide.slot) == model[model_size].value);
  CHECK(jf_map_has(map, &key) == 0);
  jf_any_release(&key);
  jf_any_release(&wide.slot);
}

/* Another map with some new keys and some old ones. */
static void do_update(jf_object* map, uint64_t range) {
  jf_object* other = jf_map_new(0, (int32_t)below(4));
  struct {
    test_key key;
    int64_t value;
  } added[10];
  const size_t count = below(10);
  for (size_t i = 0; i < count; i++) {
    char text[64];
    jf_span span;
    make_key(&added[i].key, range);
    added[i].value = (int64_t)below(100000);
    const jf_view value = make_value(added[i].value, text, &span);
    CHECK(jf_map_set(other, &added[i].key.view, &value) == 0);
  }
  may_fail();
  if (!has_failed(jf_map_update(map, other))) {
    for (size_t i = 0; i < count; i++) model_set(added[i].key.identity, added[i].value);
  }
  for (size_t i = 0; i < count; i++) jf_object_release(added[i].key.owned);
  jf_object_release(other);
}

static void do_whole(jf_object** map) {
  switch (below(12)) {
    case 0:
      jf_map_clear(*map);
      model_size = 0;
      break;
    case 1:
      may_fail();
      has_failed(jf_map_reserve(*map, below(500)));
      break;
    default: {
      may_fail();
      jf_object* copy = jf_map_copy(*map);
      if (has_failed(copy ? 0 : -1)) break;
      const jf_view a = slot_of_object(*map), b = slot_of_object(copy);
      CHECK(jf_any_equal(&a, &b) == 1);
      jf_object_release(*map);
      *map = copy;
    }
  }
  check_all(*map, (int32_t)below(2));
}

static void run(size_t operations, int32_t pad) {
  jf_object* map = jf_map_new(0, pad);
  uint64_t range = 10;
  model_size = 0;
  for (size_t i = 0; i < operations && !checks_failed; i++) {
    if (i % 1000 == 0) range = i % 3000 ? 6 : MAX_KEYS / 2;
    const uint64_t choice = below(1000);
    test_key k;
    make_key(&k, range);
    if (choice < 400) {
      do_set(map, &k, (int64_t)below(100000));
    } else if (choice < 650) {
      do_get(map, &k);
    } else if (choice < 900) {
      do_remove(map, &k);
    } else if (choice < 960) {
      do_popitem(map);
    } else if (choice < 990) {
      do_update(map, range);
    } else {
      do_whole(&map);
    }
    jf_object_release(k.owned);
    CHECK(jf_map_size(map) == model_size);
    if (i % 256 == 0) check_all(map, 0);
  }
  check_all(map, 0);
  check_all(map, 1);
  jf_object_release(map);
}

static size_t operations = 120000;

static void test_against_the_model(void) {
  for (int32_t pad = 0; pad < 4; pad++) run(operations / 4, pad);
}

/* Keys come and go for ever: the map stays as large as the keys that are there at a time need. */
static void test_churn_is_bounded(void) {
  jf_object* object = jf_map_new(0, -1);
  const jf_map* map = (const jf_map*)object;
  for (int64_t i = 0; i < 200000; i++) {
    const jf_any key = slot_of_int(i * 1000003), value = slot_of_int(i);
    CHECK(jf_map_set(object, &key, &value) == 0);
    if (i >= 100) {
      const jf_any old = slot_of_int((i - 100) * 1000003);
      if (!CHECK(jf_map_delete(object, &old) == 1)) break;
    }
  }
  CHECK(map->size == 100 && map->capacity <= 256 && map->index_mask + 1 <= 512);
  CHECK(jf_pool_slots(&map->pool) <= 2 * 256);
  jf_object_release(object);
}

/* After growth, the work that a removal takes goes by the keys that are left. */
static void test_a_large_map_made_small(void) {
  jf_object* object = jf_map_new(0, -1);
  for (int64_t i = 0; i < 100000; i++) {
    const jf_any key = slot_of_int(i);
    CHECK(jf_map_set(object, &key, &key) == 0);
  }
  for (int64_t i = 0; i < 99990; i++) {
    const jf_any key = slot_of_int(i);
    CHECK(jf_map_delete(object, &key) == 1);
  }
  for (int64_t i = 0; i < 200000; i++) {
    const jf_any key = slot_of_int(i + 200000);
    CHECK(jf_map_set(object, &key, &key) == 0 && jf_map_delete(object, &key) == 1);
  }
  CHECK(jf_map_size(object) == 10);
  jf_object_release(object);
}

int main(int argc, char** argv) {
  const uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 20240607;
  if (argc > 2) operations = strtoull(argv[2], NULL, 0);
  state = seed;
  printf("seed %llu\n", (unsigned long long)seed);
  RUN(test_against_the_model);
  RUN(test_churn_is_bounded);
  RUN(test_a_large_map_made_small);
  return finish();
}
