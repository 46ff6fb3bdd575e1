/* What a list of any values costs under each design that stores them: small models of their memory, filled with the same
 * values, beside the list of the runtime.
 *
 *   D3a           AnyPad<1> | AnyPad<1> | ...           longer text in the heap
 *   D3b           Object* | Object* | ...               everything is an object, in the heap
 *   D3c           item* | item* | ...                   objects in the heap, other values in a pool of AnyPad<1>
 *   D3c-variant   the same                              small ints, None, bools and characters in a static table
 *
 * All memory is asked of jf_alloc, also by the models: it can be counted there (counted.c).
 */
#include <jitffi/containers.h>
#include <jitffi/pad.h>

#include "workload.h"

#define MODELS_API __attribute__((visibility("default")))

/* -- the designs ------------------------------------------------------------------------------------------------ */

/* A slot of AnyPad<1>: text in place where it fits, else in the heap. */
static void slot_put(jf_pad1* slot, const jf_view* view) {
  if (view->type_code > JF_OBJECT) {
    slot->slot = *view;
    return;
  }
  jf_out_init(&slot->slot, JF_PAD_CAPACITY(1));
  if (jf_any_retain(view, &slot->slot)) abort();
}

typedef struct {
  jf_pad1* slots;
  size_t size;
} list_a;

static list_a* a_new(size_t capacity) {
  list_a* list = jf_alloc(sizeof *list);
  *list = (list_a){jf_alloc(capacity * sizeof *list->slots), 0};
  return list;
}
static void a_put(list_a* list, const jf_view* view) { slot_put(&list->slots[list->size++], view); }
static void a_get(const list_a* list, size_t i, jf_view* out) { jf_any_view(&list->slots[i].slot, out); }
static void a_free(list_a* list) {
  for (size_t i = 0; i < list->size; i++)
    if (list->slots[i].slot.type_code == JF_OBJECT) jf_object_release(list->slots[i].slot.v_object);
  jf_free(list->slots);
  jf_free(list);
}

typedef struct {
  jf_object** objects; /* NULL is None */
  size_t size;
} list_b;

static list_b* b_new(size_t capacity) {
  list_b* list = jf_alloc(sizeof *list);
  *list = (list_b){jf_alloc(capacity * sizeof *list->objects), 0};
  return list;
}
static void b_put(list_b* list, const jf_view* view) { list->objects[list->size++] = jf_any_to_object(view, NULL); }
static void b_get(const list_b* list, size_t i, jf_view* out) {
  jf_object* object = list->objects[i];
  *out = (jf_view){object == NULL ? JF_NULL : JF_OBJECT, 0, {.v_object = object}};
  if (object == NULL || object->type_code > JF_S2_LAST) return;
  out->type_code = object->type_code == JF_BOXED_INT     ? JF_INT
                   : object->type_code == JF_BOXED_FLOAT ? JF_FLOAT
                                                         : JF_BOOL;
  out->v_int64 = ((const jf_box*)object)->v_int64;
}
static void b_free(list_b* list) {
  for (size_t i = 0; i < list->size; i++) jf_object_release(list->objects[i]);
  jf_free(list->objects);
  jf_free(list);
}

typedef struct block block;
struct block {
  block* next;
  size_t size;
  jf_pad1 slots[];
};
typedef struct {
  jf_item* items;
  size_t size, capacity;
  block* blocks;
  size_t used; /* slots of the newest block */
} list_c;

static list_c* c_new(size_t capacity) {
  list_c* list = jf_alloc(sizeof *list);
  *list = (list_c){jf_alloc(capacity * sizeof *list->items), 0, capacity, NULL, 0};
  return list;
}
static jf_pad1* c_slot(list_c* list) {
  if (list->blocks == NULL || list->used == list->blocks->size) {
    const size_t size = list->capacity - list->size;
    block* made = jf_alloc(sizeof *made + size * sizeof *made->slots);
    made->next = list->blocks;
    made->size = size;
    list->blocks = made;
    list->used = 0;
  }
  return &list->blocks->slots[list->used++];
}
static void c_put(list_c* list, const jf_view* view) {
  jf_item item;
  if (view->type_code == JF_OBJECT || (view->type_code == JF_STR_VIEW && view->v_span->size > 15)) {
    item.object = jf_any_to_object(view, NULL);
  } else {
    jf_pad1* slot = c_slot(list);
    slot_put(slot, view);
    item.slot = &slot->slot;
  }
  list->items[list->size++] = item;
}
static void variant_put(list_c* list, const jf_view* view) {
  const jf_any* known = NULL;
  const uint64_t from_first = (uint64_t)view->v_int64 - (uint64_t)JF_STATIC_INT_FIRST;
  if (view->type_code == JF_INT && from_first < JF_STATIC_INTS)
    known = &jf_static_ints[from_first];
  else if (view->type_code == JF_NULL)
    known = &jf_static_null;
  else if (view->type_code == JF_BOOL)
    known = view->v_int64 ? &jf_static_true : &jf_static_false;
  else if (view->type_code == JF_SMALL_STR && view->small_len == 1)
    known = &jf_static_chars[(unsigned char)view->v_bytes[0]];
  if (known != NULL)
    list->items[list->size++].slot = known;
  else
    c_put(list, view);
}
static void c_get(const list_c* list, size_t i, jf_view* out) { jf_item_view(list->items[i], out); }
static void c_free(list_c* list) {
  for (size_t i = 0; i < list->size; i++)
    if (*list->items[i].code > 0) jf_object_release(list->items[i].object);
  while (list->blocks != NULL) {
    block* next = list->blocks->next;
    jf_free(list->blocks);
    list->blocks = next;
  }
  jf_free(list->items);
  jf_free(list);
}

static jf_object* real_new(size_t capacity) { return jf_list_new(capacity, JF_DEFAULT_PAD); }
static void real_put(jf_object* list, const jf_view* view) {
  if (jf_list_append(list, view)) abort();
}
static void real_get(const jf_object* list, size_t i, jf_view* out) {
  if (jf_list_peek(list, (int64_t)i, out)) abort();
}

/* -- what is measured of each ------------------------------------------------------------------------------------- */

MODELS_API workload* models_workload(int32_t kind, int64_t size);
workload* models_workload(int32_t kind, int64_t size) { return workload_new((enum workload_kind)kind, (size_t)size); }
/* What every read must come to. */
MODELS_API int64_t models_sum(const workload* all);
int64_t models_sum(const workload* all) {
  int64_t sum = 0;
  for (size_t i = 0; i < all->size; i++) {
    const jf_view* view = &all->views[i];
    sum += view->type_code == JF_STR_VIEW ? (int64_t)view->v_span->size + view->v_span->data[0] : workload_sum(view);
  }
  return sum;
}

/* name_make: a list made at its final size and filled. name_build: the same, and its end; its size. name_read: sum of what the
 * list holds. */
#define MEASURED(name, list, new, put, get, end)                      \
  MODELS_API list* name##_make(const workload* all);                  \
  MODELS_API int64_t name##_build(const workload* all);               \
  MODELS_API int64_t name##_read(const list* from, int64_t size);     \
  MODELS_API void name##_free(list* made);                            \
  list* name##_make(const workload* all) {                            \
    list* made = new (all->size);                                     \
    for (size_t i = 0; i < all->size; i++) put(made, &all->views[i]); \
    return made;                                                      \
  }                                                                   \
  int64_t name##_build(const workload* all) {                         \
    end(name##_make(all));                                            \
    return (int64_t)all->size;                                        \
  }                                                                   \
  int64_t name##_read(const list* from, int64_t size) {               \
    int64_t sum = 0;                                                  \
    for (size_t i = 0; i < (size_t)size; i++) {                       \
      jf_view view;                                                   \
      get(from, i, &view);                                            \
      sum += workload_sum(&view);                                     \
    }                                                                 \
    return sum;                                                       \
  }                                                                   \
  void name##_free(list* made) { end(made); }

MEASURED(d3a, list_a, a_new, a_put, a_get, a_free)
MEASURED(d3b, list_b, b_new, b_put, b_get, b_free)
MEASURED(d3c, list_c, c_new, c_put, c_get, c_free)
MEASURED(d3c_variant, list_c, c_new, variant_put, c_get, c_free)
MEASURED(jitffi, jf_object, real_new, real_put, real_get, jf_object_release)
