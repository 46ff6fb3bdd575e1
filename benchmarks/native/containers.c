/* The runtime's containers as C code uses them, and a plain C array of tagged structs that does as much of the same as such an
 * array can: it knows no objects, and lends its longer text where the runtime gives out a reference.
 *
 * Each function is given what to work on and the pad of container and locals, does everything once, and returns a sum that
 * does not depend on the pad.
 */
#include <jitffi/containers.h>
#include <jitffi/pad.h>

#include "workload.h"

#define API __attribute__((visibility("default")))

API workload* values_workload(int32_t kind, int64_t size);
API int64_t list_append(const workload* all, int64_t pad);
API jf_object* list_make(const workload* all, int64_t pad);
API int64_t list_get(const jf_object* list, int64_t pad);
API int64_t list_pop_append(jf_object* list, int64_t pad);
API int64_t map_fill(const workload* keys, int64_t pad);
API jf_object* map_make(const workload* keys, int64_t pad);
API int64_t map_get(const jf_object* map, const workload* keys, int64_t pad);
API int64_t split_words(const char* text, int64_t size, int64_t pad);
API int64_t split_wide_words(const jf_char32* text, int64_t size, int64_t pad);
API int64_t split_characters(const jf_char32* text, int64_t size, int64_t pad);

workload* values_workload(int32_t kind, int64_t size) { return workload_new((enum workload_kind)kind, (size_t)size); }

/* A null local of AnyPad<pad>; the largest stands for all, since only the capacity that it tells matters. */
static inline void local_init(jf_pad4* local, int64_t pad) {
  local->slot = (jf_any){JF_NULL, JF_PAD_CAPACITY((int32_t)pad), {0}};
}

static inline void local_done(jf_pad4* local) {
  if (local->slot.type_code == JF_OBJECT) jf_object_release(local->slot.v_object);
}

/* Size of the list, which is given up; -1 where something failed. */
static int64_t done(jf_object* list, int32_t failed) {
  const int64_t size = failed ? -1 : (int64_t)jf_list_size(list);
  jf_object_release(list);
  return size;
}

int64_t list_append(const workload* all, int64_t pad) {
  jf_object* list = jf_list_new(0, (int32_t)pad);
  int32_t failed = 0;
  for (size_t i = 0; i < all->size; i++) failed |= jf_list_append(list, &all->views[i]);
  return done(list, failed);
}

jf_object* list_make(const workload* all, int64_t pad) { return jf_list_of(all->views, all->size, (int32_t)pad); }

int64_t list_get(const jf_object* list, int64_t pad) {
  int64_t sum = 0;
  const int64_t size = (int64_t)jf_list_size(list);
  for (int64_t i = 0; i < size; i++) {
    jf_pad4 item;
    local_init(&item, pad);
    if (jf_list_get(list, i, &item.slot)) return -1;
    sum += workload_sum(&item.slot);
    local_done(&item);
  }
  return sum;
}

/* Takes the last item out and puts it back, as often as there are items. */
int64_t list_pop_append(jf_object* list, int64_t pad) {
  const size_t size = jf_list_size(list);
  for (size_t i = 0; i < size; i++) {
    jf_pad4 item;
    jf_view view;
    local_init(&item, pad);
    if (jf_list_pop(list, -1, &item.slot)) return -1;
    jf_any_view(&item.slot, &view);
    if (jf_list_append(list, &view)) return -1;
    local_done(&item);
  }
  return (int64_t)jf_list_size(list);
}

jf_object* map_make(const workload* keys, int64_t pad) {
  jf_object* map = jf_map_new(0, (int32_t)pad);
  for (size_t i = 0; i < keys->size; i++) {
    const jf_view value = {JF_INT, 0, {.v_int64 = 7 * (int64_t)i + 300}};
    if (jf_map_set(map, &keys->views[i], &value)) return NULL;
  }
  return map;
}

int64_t map_fill(const workload* keys, int64_t pad) {
  jf_object* map = map_make(keys, pad);
  const int64_t size = (int64_t)jf_map_size(map);
  jf_object_release(map);
  return size;
}

int64_t map_get(const jf_object* map, const workload* keys, int64_t pad) {
  int64_t sum = 0;
  for (size_t i = 0; i < keys->size; i++) {
    jf_pad4 value;
    local_init(&value, pad);
    if (jf_map_get(map, &keys->views[i], &value.slot) != 1) return -1;
    sum += value.slot.v_int64;
  }
  return sum;
}

/* -- split and append: the list is made, filled and given up ------------------------------------------------------ */

/* Words stand between single spaces. Returns how many there are. */
#define SPLIT(name, Char, span_type, append)                  \
  int64_t name(const Char* text, int64_t size, int64_t pad) { \
    jf_object* list = jf_list_new(0, (int32_t)pad);           \
    const Char *end = text + size, *word = text;              \
    int32_t failed = 0;                                       \
    while (word < end) {                                      \
      const Char* at = word;                                  \
      while (at < end && *at != ' ') at++;                    \
      span_type span = {word, (size_t)(at - word)};           \
      failed |= append(list, &span);                          \
      word = at + 1;                                          \
    }                                                         \
    return done(list, failed);                                \
  }

static inline int32_t append_text(jf_object* list, jf_span* word) {
  const jf_view view = {JF_STR_VIEW, 0, {.v_span = word}};
  return jf_list_append(list, &view);
}
static inline int32_t append_wide(jf_object* list, jf_ucs4_span* word) {
  const jf_view view = {JF_UCS4_VIEW, 0, {.v_ucs4_span = word}};
  return jf_list_append(list, &view);
}

SPLIT(split_words, char, jf_span, append_text)
SPLIT(split_wide_words, jf_char32, jf_ucs4_span, append_wide)

int64_t split_characters(const jf_char32* text, int64_t size, int64_t pad) {
  jf_object* list = jf_list_new(0, (int32_t)pad);
  int32_t failed = 0;
  for (int64_t i = 0; i < size; i++) {
    const jf_view one = {JF_SMALL_UCS4, 1, {.v_char32 = {text[i]}}};
    failed |= jf_list_append(list, &one);
  }
  return done(list, failed);
}
