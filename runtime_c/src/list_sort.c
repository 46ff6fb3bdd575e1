/* Sorting lists: a stable merge sort of records, each an item with what it is compared by.
 *
 * The items are taken out of the list meanwhile, which looks empty to the key function and to comparisons; they stay
 * where they are until the records are in order, so that a failure leaves all as it was.
 *
 * Numbers of one type and text have one stable order, whatever they are compared in: they take the shortest way. All else
 * is compared in CPython's order (list_merge.c): a NaN, and comparisons of others, show which one it is.
 */
#include <string.h>

#include "items.h"
#include "jitffi/containers.h"
#include "jitffi/pad.h"
#include "jitffi/runtime.h"
#include "list_sort.h"
#include "message.h"
#include "slot.h"

static inline int32_t less_integer(const jf_record* a, const jf_record* b) { return a->integer < b->integer; }
static inline int32_t less_number(const jf_record* a, const jf_record* b) { return a->number < b->number; }

static inline int32_t less_utf8(const jf_record* a, const jf_record* b) {
  if (a->prefix != b->prefix) return a->prefix < b->prefix;
  const size_t common = a->text.size < b->text.size ? a->text.size : b->text.size;
  const int order = common > 8 ? memcmp(a->text.data, b->text.data, common) : 0;
  return order ? order < 0 : a->text.size < b->text.size;
}

static inline int32_t less_ucs4(const jf_record* a, const jf_record* b) {
  if (a->prefix != b->prefix) return a->prefix < b->prefix;
  const jf_char32 *left = a->text.data, *right = b->text.data;
  const size_t common = a->text.size < b->text.size ? a->text.size : b->text.size;
  for (size_t i = 2; i < common; i++) {
    if (left[i] != right[i]) return left[i] < right[i];
  }
  return a->text.size < b->text.size;
}

static int32_t less_any(const jf_record* a, const jf_record* b) {
  int32_t result = 0;
  return jf_any_compare(a->key, b->key, JF_LT, &result) == 0 ? result : -1;
}

enum { RUN = 16 };

/* Sorts a short run where it stands. */
static inline __attribute__((always_inline)) int32_t sort_run(jf_record* run, size_t count, jf_record_less less) {
  for (size_t i = 1; i < count; i++) {
    const jf_record moving = run[i];
    size_t at = i;
    while (at > 0) {
      const int32_t is_less = less(&moving, &run[at - 1]);
      if (is_less < 0) return -1; /* the records are of no use any more: the items are still in their place */
      if (!is_less) break;
      run[at] = run[at - 1];
      at--;
    }
    run[at] = moving;
  }
  return 0;
}

/* Merges from[0..left) and from[left..left+right) into `to`. */
static inline __attribute__((always_inline)) int32_t merge(const jf_record* from, size_t left, size_t right,
                                                           jf_record* to, jf_record_less less) {
  const jf_record *a = from, *a_end = from + left, *b = a_end, *b_end = b + right;
  int32_t is_less = left && right ? less(b, a_end - 1) : 0;
  if (is_less == 1) {
    while (a != a_end && b != b_end) {
      is_less = less(b, a);
      if (is_less < 0) return -1;
      *to++ = is_less ? *b++ : *a++;
    }
  }
  if (is_less < 0) return -1;
  if (a != a_end) memcpy(to, a, (size_t)(a_end - a) * sizeof *a);
  to += a_end - a;
  if (b != b_end) memcpy(to, b, (size_t)(b_end - b) * sizeof *b);
  return 0;
}

/* How many records at the start are in order, or in strictly falling order, which is turned round. -1: failed. */
static inline __attribute__((always_inline)) int64_t natural_run(jf_record* records, size_t count,
                                                                 jf_record_less less) {
  size_t length = 1;
  int32_t falling = 0;
  for (; length < count; length++) {
    const int32_t is_less = less(&records[length], &records[length - 1]);
    if (is_less < 0) return -1;
    if (length == 1) falling = is_less;
    if (is_less != falling) break;
  }
  for (size_t i = 0, j = length; falling && i + 1 < j; i++) {
    const jf_record first = records[i];
    records[i] = records[--j];
    records[j] = first;
  }
  return (int64_t)length;
}

/* Sorts `count` records, with as many more behind them as scratch. Returns where they are then, or NULL. */
static inline __attribute__((always_inline)) jf_record* sort_by(jf_record* records, size_t count, jf_record_less less) {
  const int64_t in_order = natural_run(records, count, less);
  if (in_order < 0) return NULL;
  if ((size_t)in_order == count) return records;
  for (size_t at = 0; at < count; at += RUN) {
    if (sort_run(records + at, count - at < RUN ? count - at : RUN, less) != 0) return NULL;
  }
  jf_record *from = records, *to = records + count;
  for (size_t width = RUN; width < count; width *= 2) {
    for (size_t at = 0; at < count; at += 2 * width) {
      const size_t left = count - at < width ? count - at : width;
      const size_t right = count - at - left < width ? count - at - left : width;
      if (merge(from + at, left, right, to + at, less) != 0) return NULL;
    }
    jf_record* sorted = to;
    to = from;
    from = sorted;
  }
  return from;
}

static uint64_t utf8_prefix(jf_encoded text) {
  unsigned char first[8] = {0};
  memcpy(first, text.data, text.size < 8 ? text.size : 8);
  uint64_t prefix = 0;
  for (int i = 0; i < 8; i++) prefix = prefix << 8 | first[i];
  return prefix;
}

static uint64_t ucs4_prefix(jf_encoded text) {
  const jf_char32* data = text.data;
  return text.size ? (uint64_t)data[0] << 32 | (text.size > 1 ? data[1] : 0) : 0;
}

/* What a key is: its code for ints and floats, JF_SMALL_STR or JF_SMALL_UCS4 for text of whatever form, else 0. */
static int32_t kind_of(const jf_any* key) {
  if (key->type_code == JF_INT || key->type_code == JF_FLOAT) return key->type_code;
  if (key->type_code == JF_SMALL_STR || key->type_code == JF_SMALL_UCS4) return key->type_code;
  if (key->type_code != JF_OBJECT) return 0;
  const int32_t code = key->v_object->type_code; /* a subtype may have an order of its own */
  return code == JF_STR ? JF_SMALL_STR : code == JF_UCS4 ? JF_SMALL_UCS4 : 0;
}

static jf_record* as_python(jf_record* records, size_t count, jf_record_less less) {
  return jf_sort_as_python(records, count, less) == 0 ? records : NULL;
}

static int32_t has_nan(const jf_record* records, size_t count) {
  int32_t found = 0;
  for (size_t i = 0; i < count; i++) found |= records[i].number != records[i].number;
  return found;
}

/* -- tuples, whose first items tell as a rule -- */

static int32_t less_after_integer(const jf_record* a, const jf_record* b) {
  return a->integer != b->integer ? a->integer < b->integer : less_any(a, b);
}

static int32_t less_after_number(const jf_record* a, const jf_record* b) {
  return a->number != b->number ? a->number < b->number : less_any(a, b);
}

static int32_t less_after_utf8(const jf_record* a, const jf_record* b) {
  if (a->prefix != b->prefix) return a->prefix < b->prefix;
  return less_utf8(a, b) ? 1 : less_utf8(b, a) ? 0 : less_any(a, b);
}

/* The first item of a tuple, or NULL. */
static const jf_any* first_of(const jf_any* key, jf_any* scratch) {
  if (key->type_code != JF_OBJECT || key->v_object->type_code != JF_TUPLE) return NULL;
  const jf_tuple* tuple = (const jf_tuple*)key->v_object;
  if (!tuple->size) return NULL;
  if (*tuple->items[0].code < 0) return tuple->items[0].slot;
  jf_item_view(tuple->items[0], scratch);
  return scratch;
}

/* How tuples are compared whose first items are numbers of one type, or text, which the records have from here on; NULL:
 * there are others. */
static jf_record_less less_of_tuples(jf_record* records, size_t count) {
  jf_any scratch;
  const jf_any* first = first_of(records[0].key, &scratch);
  const int32_t kind = first ? kind_of(first) : 0;
  if (kind != JF_INT && kind != JF_FLOAT && kind != JF_SMALL_STR) return NULL;
  for (size_t i = 0; i < count; i++) {
    jf_record* it = &records[i];
    first = first_of(it->key, &scratch);
    if (!first || kind_of(first) != kind) return NULL;
    if (kind == JF_FLOAT && first->v_float64 != first->v_float64) return NULL;
    if (kind == JF_SMALL_STR) {
      it->text = jf_any_text(first);
      it->prefix = utf8_prefix(it->text);
    } else {
      it->integer = first->v_int64;
    }
  }
  return kind == JF_INT ? less_after_integer : kind == JF_FLOAT ? less_after_number : less_after_utf8;
}

/* Returns where the records are then, or NULL. */
static jf_record* sort_records(jf_record* records, size_t count) {
  const jf_record_less by_first = less_of_tuples(records, count);
  if (by_first) return as_python(records, count, by_first);
  const int32_t kind = kind_of(records[0].key);
  for (size_t i = 0; i < count; i++) {
    if (!kind || kind_of(records[i].key) != kind) return as_python(records, count, less_any);
  }
  for (size_t i = 0; i < count; i++) {
    jf_record* it = &records[i];
    if (kind == JF_INT || kind == JF_FLOAT) {
      it->integer = it->key->v_int64;
    } else {
      it->text = jf_any_text(it->key);
      it->prefix = kind == JF_SMALL_STR ? utf8_prefix(it->text) : ucs4_prefix(it->text);
    }
  }
  if (kind == JF_INT) return sort_by(records, count, less_integer);
  if (kind == JF_FLOAT && has_nan(records, count)) return as_python(records, count, less_number);
  if (kind == JF_FLOAT) return sort_by(records, count, less_number);
  return kind == JF_SMALL_STR ? sort_by(records, count, less_utf8) : sort_by(records, count, less_ucs4);
}

enum { KEY_PAD = 1, KEY_SIZE = JF_PAD_SIZE(KEY_PAD) };

/* What the records are compared by: views of the items, or the key function's results. They are `count` slots of
 * KEY_SIZE at `keys`. Gives how many have been made. */
static size_t make_keys(const jf_item* items, size_t count, jf_object* function, char* keys) {
  for (size_t i = 0; i < count; i++) {
    jf_any* key = (jf_any*)(void*)(keys + i * KEY_SIZE);
    jf_out_init(key, function ? JF_PAD_CAPACITY(KEY_PAD) : 0);
    if (!function) {
      if (*items[i].code > 0) jf_item_view(items[i], key); /* slots are used where they are */
      continue;
    }
    jf_view view;
    jf_item_view(items[i], &view);
    if (jf_function_call(function, 1, &view, key) != 0) return i;
    if (key->type_code == JF_NULL) key->small_len = 0;
  }
  return count;
}

/* Brings `items`, at least two, into order. They belong to nobody else meanwhile. -1: they are as they were. */
static int32_t sort_items(jf_item* items, size_t count, jf_object* function, int32_t reverse) {
  const size_t each = 2 * sizeof(jf_record) + KEY_SIZE;
  char* memory = count <= PTRDIFF_MAX / each ? jf_alloc(count * each) : NULL;
  if (!memory) {
    jf_error_no_memory();
    return -1;
  }
  jf_record* records = (jf_record*)(void*)memory;
  jf_record* sorted = NULL;
  char* keys = memory + 2 * count * sizeof *records;
  const size_t made = make_keys(items, count, function, keys);
  if (made == count) {
    for (size_t i = 0; i < count; i++) {
      const size_t at = reverse ? count - 1 - i : i; /* turned round before and after, equal items keep their order */
      const int32_t is_slot = !function && *items[at].code < 0;
      records[i].item = items[at];
      records[i].key = is_slot ? items[at].slot : (const jf_any*)(void*)(keys + at * KEY_SIZE);
    }
    sorted = sort_records(records, count);
  }
  for (size_t i = 0; sorted && i < count; i++) items[reverse ? count - 1 - i : i] = sorted[i].item;
  for (size_t i = 0; function && i < made; i++) jf_any_release((jf_any*)(void*)(keys + i * KEY_SIZE));
  jf_free(memory);
  return sorted ? 0 : -1;
}

/* Brings keys into order, and `items`, as many, with them. -1: both are as they were. */
static int32_t sort_both(jf_item* keys, jf_item* items, size_t count) {
  const size_t each = 2 * sizeof(jf_record) + KEY_SIZE + 2 * sizeof(jf_item);
  char* memory = count <= PTRDIFF_MAX / each ? jf_alloc(count * each) : NULL;
  if (!memory) {
    jf_error_no_memory();
    return -1;
  }
  jf_record* records = (jf_record*)(void*)memory;
  jf_item* before = (jf_item*)(void*)(records + 2 * count);
  char* views = (char*)(before + 2 * count);
  make_keys(keys, count, NULL, views);
  for (size_t i = 0; i < count; i++) {
    records[i].item.code = (const int32_t*)i; /* where it came from: a number, no address */
    records[i].key = *keys[i].code < 0 ? keys[i].slot : (const jf_any*)(void*)(views + i * KEY_SIZE);
  }
  const jf_record* sorted = sort_records(records, count);
  if (sorted) {
    memcpy(before, keys, count * sizeof *keys);
    memcpy(before + count, items, count * sizeof *items);
  }
  for (size_t i = 0; sorted && i < count; i++) {
    keys[i] = before[(size_t)sorted[i].item.code];
    items[i] = before[count + (size_t)sorted[i].item.code];
  }
  jf_free(memory);
  return sorted ? 0 : -1;
}

static const char untouched = 0; /* an empty pool that no other list has: clearing the list would show */

void jf_list_detach(jf_object* object, jf_list* contents) {
  jf_list* list = (jf_list*)object;
  *contents = *list;
  list->items = NULL;
  list->size = list->capacity = 0;
  jf_pool_init(&list->pool, contents->pool.pad);
  list->pool.fresh = list->pool.end = (char*)(uintptr_t)&untouched;
  jf_object_retain(object);
}

int32_t jf_list_attach(jf_object* object, const jf_list* contents) {
  jf_list* list = (jf_list*)object;
  const jf_list other = *list;
  const int32_t is_changed = other.items || other.pool.fresh != &untouched;
  list->items = contents->items;
  list->size = contents->size;
  list->capacity = contents->capacity;
  list->pool = contents->pool;
  if (is_changed) jf_list_discard(&other);
  jf_object_release(object);
  return is_changed;
}

static int32_t fail_changed(const jf_list* list) {
  jf_error_format("ValueError", "%s modified during sort", jf_type_key(list->header.type_code));
  return -1;
}

/* Borrows list and key. ValueError when the list was changed meanwhile: it has the sorted items, what was put into it
 * is gone. What a comparison or the key function says, or MemoryError: nothing has changed. */
int32_t jf_list_sort(jf_object* object, jf_object* key, int32_t reverse) {
  jf_list* list = (jf_list*)object;
  if (list->size < 2 && !(key && list->size)) return 0;
  jf_list contents;
  jf_list_detach(object, &contents);
  jf_object_retain(object);
  jf_object_retain(key);
  int32_t status = sort_items(contents.items, contents.size, key, reverse);
  if (jf_list_attach(object, &contents) && status == 0) status = fail_changed(list);
  jf_object_release(key);
  jf_object_release(object);
  return status;
}

/* Borrows both. Fails as jf_list_sort, and with ValueError where the sizes differ. */
int32_t jf_list_sort_by(jf_object* object, jf_object* key_object, int32_t reverse) {
  jf_list *list = (jf_list*)object, *keys = (jf_list*)key_object;
  if (list->size != keys->size || list == keys) {
    jf_error_format("ValueError", "%zu items cannot be sorted by %zu keys", list->size, keys->size);
    return -1;
  }
  if (list->size < 2) return 0;
  jf_list contents, key_contents;
  jf_list_detach(object, &contents);
  jf_list_detach(key_object, &key_contents);
  jf_object_retain(object);
  if (reverse) jf_items_reverse(contents.items, contents.size);
  if (reverse) jf_items_reverse(key_contents.items, contents.size);
  int32_t status = sort_both(key_contents.items, contents.items, contents.size);
  if (reverse) jf_items_reverse(contents.items, contents.size);
  if (reverse) jf_items_reverse(key_contents.items, contents.size);
  const int32_t is_changed = jf_list_attach(object, &contents) | jf_list_attach(key_object, &key_contents);
  if (is_changed && status == 0) status = fail_changed(list);
  jf_object_release(object);
  return status;
}
