/* A hundred thousand random operations on a list, against an array of plain C values that is changed as Python would
 * change its list. In the hostile build memory runs out now and then: the list is as it was.
 */
#include "listmodel.h"

enum { OPERATIONS = 120000 };

static row model, other, result;
static jf_object* list;
static jf_object* by_kind; /* a function: the key of an item */

/* A row and the list or tuple of it. NULL when memory ran out. */
static jf_object* random_items(row* into, size_t size) {
  jf_object* made = jf_list_new(below(2) ? size : 0, (int32_t)below(4));
  into->size = size;
  for (size_t i = 0; i < size && made; i++) {
    word_scratch scratch;
    wide_slot wide;
    into->at[i] = random_value();
    const jf_view view = view_of(&into->at[i], &scratch, &wide);
    if (jf_list_append(made, &view) != 0) {
      jf_object_release(made);
      made = NULL;
    }
  }
  if (!made || below(2)) return made;
  jf_object* tuple = jf_tuple_of(made);
  jf_object_release(made);
  return tuple;
}

static int64_t random_index(void) {
  if (below(12) == 0) return JF_NO_INDEX;
  if (below(12) == 0) return below(2) ? INT64_MAX : -INT64_MAX;
  return (int64_t)below((uint32_t)model.size * 2 + 6) - (int64_t)model.size - 3;
}

/* What slices say of the indices, one by one: the slow and obvious way. */
static size_t slice_indices(int64_t start, int64_t stop, int64_t step, size_t* indices) {
  const int64_t size = (int64_t)model.size, first = step > 0 ? 0 : -1, last = step > 0 ? size : size - 1;
  if (start == JF_NO_INDEX) start = step > 0 ? first : last;
  if (stop == JF_NO_INDEX) stop = step > 0 ? last : -1 - size;
  if (start < 0 && !(step < 0 && start == -1 && size == 0)) start += size;
  if (stop < 0) stop += size;
  start = start < first ? first : start > last ? last : start;
  stop = stop < first ? first : stop > last ? last : stop;
  size_t count = 0;
  for (; step > 0 ? start < stop : start > stop; start += step) indices[count++] = (size_t)start;
  indices[count] = (size_t)start; /* where an empty one is */
  return count;
}

static void pick(row* into, const size_t* indices, size_t count) {
  for (size_t i = 0; i < count; i++) into->at[i] = model.at[indices[i]];
  into->size = count;
}

/* Each changes the list and, when that was done, the model. -1: failed. */

static int change_one(void) {
  word_scratch scratch;
  wide_slot wide;
  const value made = random_value();
  jf_view view = view_of(&made, &scratch, &wide);
  jf_object *moved = made.kind == 'o' ? view.v_object : NULL, *reference = moved;
  const int is_move = moved && below(2);
  if (is_move) {
    jf_object_retain(moved);
    view = (jf_view){JF_RVALUE, 0, {.v_rvalue = &reference}};
  }
  const int64_t index = random_index();
  const int64_t at = index < 0 && index >= -(int64_t)model.size ? index + (int64_t)model.size : index;
  const int in_range = at >= 0 && at < (int64_t)model.size;
  int status;
  row one = {.size = 1};
  one.at[0] = made;
  switch (below(3)) {
    case 0:
      status = jf_list_append(list, &view);
      if (status == 0) model.at[model.size++] = made;
      break;
    case 1:
      status = jf_list_insert(list, index, &view);
      if (status == 0) splice(&model, at < 0 ? 0 : in_range ? (size_t)at : model.size, 0, &one);
      break;
    default:
      status = jf_list_set(list, index, &view);
      CHECK(status == -1 || in_range);
      if (status == 0) model.at[at] = made;
  }
  if (is_move) {
    CHECK((reference == NULL) == (status == 0));
    jf_object_release(reference);
  }
  return status;
}

static int take_one(void) {
  const int64_t index = random_index();
  const int64_t at = index < 0 && index >= -(int64_t)model.size ? index + (int64_t)model.size : index;
  const int in_range = at >= 0 && at < (int64_t)model.size, is_pop = (int)below(2);
  wide_slot out;
  jf_out_init(&out.slot, 8 * (int32_t)below(17));
  const int status = is_pop ? jf_list_pop(list, index, &out.slot) : jf_list_get(list, index, &out.slot);
  if (status == 0 && CHECK(in_range)) {
    const jf_item item =
        out.slot.type_code == JF_OBJECT ? (jf_item){.object = out.slot.v_object} : (jf_item){.slot = &out.slot};
    CHECK(jf_any_ok(&out.slot, 1, NULL) && same(&model.at[at], item));
    const row none = {.size = 0};
    if (is_pop) splice(&model, (size_t)at, 1, &none);
  }
  CHECK(status == 0 || out.slot.type_code == JF_NULL);
  jf_any_release(&out.slot);
  return status;
}

static int64_t random_step(void) { return below(3) ? 1 : below(8) == 0 ? -INT64_MAX / 4 : (int64_t)below(9) - 4; }

static int slices(void) {
  size_t indices[MOST * 2 + 8];
  const int64_t start = random_index(), stop = random_index(), step = random_step();
  const int what = (int)below(3);
  jf_object* from = NULL;
  const size_t count = step ? slice_indices(start, stop, step, indices) : 0;
  int status = 0;
  if (what == 0) {
    jf_object* slice = jf_list_slice(list, start, stop, step);
    CHECK(!slice || step);
    pick(&result, indices, count);
    if (slice) same_rows(&result, slice);
    jf_object_release(slice);
    return slice ? 0 : -1;
  }
  if (what == 1) {
    status = jf_list_delete(list, start, stop, step);
    CHECK(status == -1 || step);
    if (status != 0 || !step) return status;
    other.size = 0;
  } else if (below(6) == 0) {
    from = list;
    other = model;
    jf_object_retain(list);
  } else {
    from = random_items(&other, step == 1 ? below(12) : below(20) ? count : count + 1);
    if (!from) return -1;
  }
  if (what == 2) {
    status = jf_list_assign(list, start, stop, step, from);
    CHECK(status == -1 || (step && (step == 1 || count == other.size)));
    jf_object_release(from);
    if (status != 0) return status;
  }
  if (step == 1) {
    splice(&model, indices[0], count, &other);
  } else if (what == 2) {
    for (size_t i = 0; i < count; i++) model.at[indices[i]] = other.at[i];
  } else {
    for (size_t i = 0; i < count; i++) model.at[indices[i]].kind = 0;
    size_t kept = 0;
    for (size_t i = 0; i < model.size; i++) {
      if (model.at[i].kind) model.at[kept++] = model.at[i];
    }
    model.size = kept;
  }
  return 0;
}

static int joins(void) {
  const int what = (int)below(4);
  if (what == 3) { /* repeat */
    const int64_t times = (int64_t)below(4) - 1;
    jf_object* made = model.size <= 200 ? jf_list_repeat(list, times) : jf_list_copy(list);
    result.size = 0;
    for (int64_t i = 0; i < (model.size <= 200 ? times : 1); i++) splice(&result, result.size, 0, &model);
    if (made) same_rows(&result, made);
    jf_object_release(made);
    return made ? 0 : -1;
  }
  const int is_self = below(5) == 0;
  jf_object* items = is_self ? list : random_items(&other, below(20));
  if (!items) return -1;
  if (is_self) other = model, jf_object_retain(list);
  jf_object* made = what == 0 ? jf_list_concat(list, items) : NULL;
  int status = what == 0 ? (made ? 0 : -1) : jf_list_extend(list, items);
  jf_object_release(items);
  if (status == 0 && made) {
    result = model;
    splice(&result, result.size, 0, &other);
    same_rows(&result, made);
  } else if (status == 0) {
    splice(&model, model.size, 0, &other);
  }
  jf_object_release(made);
  return status;
}

static int key_of(const value* it) { return it->kind * 3 + (int)it->text[0]; }

/* The key function itself: the same, of what the list gave. */
static int32_t call_key(jf_function* self, int32_t count, const jf_view* args, jf_value* out) {
  (void)self;
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(args, &scratch);
  const jf_encoded text = jf_any_text(slot);
  value it = {.kind = 'o'};
  if (slot->type_code == JF_NULL) it.kind = 'n';
  if (slot->type_code == JF_BOOL) it.kind = slot->v_int64 ? 'T' : 'F';
  if (slot->type_code == JF_INT) it.kind = 'i';
  if (slot->type_code == JF_FLOAT) it.kind = 'f';
  if (text.kind == JF_TEXT_UTF8) it.kind = 's';
  if (text.kind == JF_TEXT_BYTES) it.kind = 'b';
  if (text.kind == JF_TEXT_UCS4) it.kind = 'w';
  if (text.kind != JF_TEXT_NONE && text.size) it.text[0] = *(const char*)text.data; /* little-endian */
  *out = slot_of_int(count == 1 ? key_of(&it) : 0);
  return 0;
}

static int orders(void) {
  const int reverse = (int)below(2);
  if (below(2)) {
    jf_list_reverse(list);
    for (size_t i = 0, j = model.size; i + 1 < j; i++) {
      const value first = model.at[i];
      model.at[i] = model.at[--j];
      model.at[j] = first;
    }
    return 0;
  }
  if (jf_list_sort(list, by_kind, reverse) != 0) return -1;
  for (size_t i = 1; i < model.size; i++) {
    const value moving = model.at[i];
    size_t at = i;
    for (; at && (reverse ? key_of(&moving) > key_of(&model.at[at - 1]) : key_of(&moving) < key_of(&model.at[at - 1]));
         at--) {
      model.at[at] = model.at[at - 1];
    }
    model.at[at] = moving;
  }
  return 0;
}

static int looks(void) {
  word_scratch scratch;
  wide_slot wide;
  const value sought = model.size && below(2) ? model.at[below((uint32_t)model.size)] : random_value();
  const jf_view view = view_of(&sought, &scratch, &wide);
  size_t count = 0, first = model.size;
  for (size_t i = model.size; i-- > 0;) {
    if (equal_values(&model.at[i], &sought)) count++, first = i;
  }
  CHECK(jf_list_count(list, &view) == (int64_t)count);
  CHECK(jf_list_find(list, &view, 0, JF_NO_INDEX) == (count ? (int64_t)first : -1));
  if (below(3)) return 0;
  const int status = jf_list_remove(list, &view);
  CHECK(status == -1 || count);
  const row none = {.size = 0};
  if (status == 0) splice(&model, first, 1, &none);
  return status;
}

static int rare(void) {
  jf_object* shared = list;
  switch (below(4)) {
    case 0:
      jf_list_clear(list);
      model.size = 0;
      return 0;
    case 1:
      return jf_list_reserve(list, below(2 * MOST));
    case 2:
      jf_object_retain(shared);
      if (jf_list_unshare(&list) != 0) {
        jf_object_release(shared);
        return -1;
      }
      CHECK(list != shared && same_rows(&model, shared));
      jf_object_release(shared);
      return 0;
    default: {
      jf_object* tuple = jf_tuple_of(list);
      if (tuple) same_rows(&model, tuple);
      jf_object_release(tuple);
      return tuple ? 0 : -1;
    }
  }
}

static int operate(void) {
  if (model.size > MOST) {
    const size_t half = model.size / 2;
    const row none = {.size = 0};
    if (jf_list_delete(list, 0, (int64_t)half, 1) != 0) return -1;
    splice(&model, 0, half, &none);
    return 0;
  }
  const uint32_t what = below(100);
  if (what < 40) return change_one();
  if (what < 58) return take_one();
  if (what < 74) return slices();
  if (what < 82) return joins();
  if (what < 88) return orders();
  if (what < 99) return looks();
  return below(8) ? 0 : rare();
}

static void run_seed(uint64_t seed) {
  const int64_t live = jf_live_objects();
  int failures = 0;
  state = seed;
  for (int i = 0; i < IDS; i++) objects[i] = jf_object_new(sizeof(jf_object), JF_ROOT, NULL);
  by_kind = jf_function_new(call_key, NULL, NULL, NULL);
  list = jf_list_new(0, (int32_t)below(3));
  model.size = 0;
  for (int i = 0; i < OPERATIONS / 8; i++) {
    const int checked_before = checks_failed;
#ifdef JITFFI_HOSTILE
    if (below(4) == 0) jf_hostile_fail_after(below(3));
#endif
    const int status = operate();
#ifdef JITFFI_HOSTILE
    jf_hostile_fail_after(-1);
#endif
    if (status != 0) failures++, jf_object_release(jf_error_take());
    if (status != 0 || i % 4 == 0) same_rows(&model, list);
    if (checks_failed > checked_before) {
      printf("seed %llu, operation %d\n", (unsigned long long)seed, i);
      break;
    }
  }
  for (int i = 0; i < IDS; i++) {
    int32_t held = 1;
    for (size_t k = 0; k < model.size; k++) held += model.at[k].kind == 'o' && model.at[k].number == i;
    CHECK(objects[i]->ref_count == held);
  }
  jf_object_release(list);
  jf_object_release(by_kind);
  for (int i = 0; i < IDS; i++) jf_object_release(objects[i]);
  CHECK(jf_live_objects() == live);
  printf("seed %llu: %d operations failed, as they should\n", (unsigned long long)seed, failures);
}

static void test_against_the_model(void) {
  const char* given = getenv("JITFFI_SEED");
  for (uint64_t seed = 1; seed <= 8; seed++) run_seed(given ? strtoull(given, NULL, 10) : seed * 0x9E3779B97F4A7C15);
}

int main(void) {
  RUN(test_against_the_model);
  return finish();
}
