/* A plain C array of tagged structs, 24 bytes each, longer text in memory of its own: what a program writes that needs no
 * list of anybody. The functions do what those of containers.c do; the pad is there for the same callers, and not used.
 */
#include "workload.h"

#define API __attribute__((visibility("default")))

enum { INLINE_BYTES = 16 };
typedef struct {
  int32_t code; /* of the runtime's, for small values; JF_STR or JF_UCS4 where `longer` holds the text */
  int32_t size;
  union {
    int64_t integer;
    char text[INLINE_BYTES];
    jf_char32 wide[INLINE_BYTES / 4];
    void* longer;
  };
} tagged;

typedef struct {
  tagged* items;
  size_t size, capacity;
} array;

API workload* values_workload(int32_t kind, int64_t size);
API array* list_make(const workload* all, int64_t pad);
API int64_t list_append(const workload* all, int64_t pad);
API int64_t list_get(const array* list, int64_t pad);
API int64_t list_pop_append(array* list, int64_t pad);
API int64_t split_words(const char* text, int64_t size, int64_t pad);
API int64_t split_wide_words(const jf_char32* text, int64_t size, int64_t pad);
API int64_t split_characters(const jf_char32* text, int64_t size, int64_t pad);

workload* values_workload(int32_t kind, int64_t size) { return workload_new((enum workload_kind)kind, (size_t)size); }

static tagged* next(array* list) {
  if (list->size == list->capacity) {
    list->capacity = list->capacity ? 2 * list->capacity : 8;
    list->items = realloc(list->items, list->capacity * sizeof *list->items);
  }
  return &list->items[list->size++];
}

static inline void put_text(tagged* item, int32_t small, int32_t large, const void* data, size_t units, size_t unit) {
  *item = (tagged){units * unit < INLINE_BYTES ? small : large, (int32_t)units, {0}};
  if (item->code == large) item->longer = malloc(units * unit);
  memcpy(item->code == large ? item->longer : item->text, data, units * unit);
}

static void append(array* list, const jf_view* view) {
  tagged* item = next(list);
  if (view->type_code == JF_UCS4_VIEW)
    put_text(item, JF_SMALL_UCS4, JF_UCS4, view->v_ucs4_span->data, view->v_ucs4_span->size, sizeof(jf_char32));
  else
    *item = (tagged){view->type_code, view->small_len, {.integer = view->v_int64}};
}

static void release(array* list) {
  for (size_t i = 0; i < list->size; i++)
    if (list->items[i].code > 0) free(list->items[i].longer);
  free(list->items);
}

/* Its size; the array is given up. */
static int64_t done(array* list) {
  release(list);
  return (int64_t)list->size;
}

array* list_make(const workload* all, int64_t pad) {
  (void)pad;
  array* list = calloc(1, sizeof *list);
  for (size_t i = 0; i < all->size; i++) append(list, &all->views[i]);
  return list;
}

int64_t list_append(const workload* all, int64_t pad) {
  (void)pad;
  array list = {NULL, 0, 0};
  for (size_t i = 0; i < all->size; i++) append(&list, &all->views[i]);
  return done(&list);
}

int64_t list_get(const array* list, int64_t pad) {
  (void)pad;
  int64_t sum = 0;
  for (size_t i = 0; i < list->size; i++) {
    const tagged item = list->items[i];
    sum += item.code == JF_INT ? item.integer
                               : item.size + (item.code == JF_SMALL_STR ? item.text[0] : (int64_t)item.wide[0]);
  }
  return sum;
}

int64_t list_pop_append(array* list, int64_t pad) {
  (void)pad;
  const size_t size = list->size;
  for (size_t i = 0; i < size; i++) {
    const tagged item = list->items[--list->size];
    __asm__ volatile("" ::"r"(&item) : "memory"); /* it has been somewhere else in between */
    *next(list) = item;
  }
  return (int64_t)list->size;
}

#define SPLIT(name, Char, small, large)                                             \
  int64_t name(const Char* text, int64_t size, int64_t pad) {                       \
    (void)pad;                                                                      \
    array list = {NULL, 0, 0};                                                      \
    const Char *end = text + size, *word = text;                                    \
    while (word < end) {                                                            \
      const Char* at = word;                                                        \
      while (at < end && *at != ' ') at++;                                          \
      put_text(next(&list), small, large, word, (size_t)(at - word), sizeof *word); \
      word = at + 1;                                                                \
    }                                                                               \
    return done(&list);                                                             \
  }

SPLIT(split_words, char, JF_SMALL_STR, JF_STR)
SPLIT(split_wide_words, jf_char32, JF_SMALL_UCS4, JF_UCS4)

int64_t split_characters(const jf_char32* text, int64_t size, int64_t pad) {
  (void)pad;
  array list = {NULL, 0, 0};
  for (int64_t i = 0; i < size; i++) *next(&list) = (tagged){JF_SMALL_UCS4, 1, {.wide = {text[i]}}};
  return done(&list);
}
