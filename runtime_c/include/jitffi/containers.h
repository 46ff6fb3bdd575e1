/* List, Map, Set, Tuple and Shape, what holds for every value that can be in one, and the finder of cycles.
 *
 * Arguments and results are slots: values come in as views, any code and any pad, and leave through null out-slots with
 * their capacity, owned (slot.c). A container argument is borrowed, must be of that type or a subtype, and stays alive
 * for the call. int32_t results: 0 done, -1 failed with this thread's error set and nothing changed, unless the comment
 * says otherwise. Indices are Python's: negative ones count from the end; slices are clipped as Python clips them, and
 * take JF_NO_INDEX for a start or stop that is not given.
 *
 * Containers are shared by reference and have no lock: while one thread changes a container, no other may use it.
 */
#ifndef JITFFI_CONTAINERS_H
#define JITFFI_CONTAINERS_H

#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

#define JF_NO_INDEX INT64_MIN
enum { JF_DEFAULT_PAD = 1 };

/* -- value.c: equality, hash, order and text of whatever a slot can hold, by Python's rules ---------------- */

enum { JF_LT, JF_LE, JF_EQ, JF_NE, JF_GT, JF_GE };

/* 1 or 0; -1 with the error set (an object's own comparison failed, or RecursionError). 1 == 1.0 == True; text is equal
 * by its characters, str to ucs4 too; bytes are no text; the same NaN is itself; list, tuple, map and set by content, arrays by
 * theirs (ndarray.h); other objects as their type's operations say, else by identity. */
JF_API int32_t jf_any_equal(const jf_any* a, const jf_any* b);
/* Equal values have equal hashes; numbers have Python's. TypeError for what has none (list, map, set). */
JF_API int32_t jf_any_hash(const jf_any* value, uint64_t* hash);
/* *result is 1 or 0. TypeError for < and its like between types that have no order, as Python's. */
JF_API int32_t jf_any_compare(const jf_any* a, const jf_any* b, int32_t operation, int32_t* result);
/* What Python's repr of the same value is; a container within itself is [...] or {...}. */
JF_API int32_t jf_any_repr(const jf_any* value, jf_value* out);
/* Python's truth of it: 1, 0 or -1. */
JF_API int32_t jf_any_truth(const jf_any* value);
/* len() of text (characters), bytes, list, tuple, map, set, shape; -1 with TypeError for others. */
JF_API int64_t jf_any_size(const jf_any* value);
/* value[key]: of text the character, in its own kind; of bytes the int; of list, tuple, shape the item; of a map the value.
 * IndexError, KeyError, TypeError. Constant time for all but UTF-8 text that is not ASCII. */
JF_API int32_t jf_any_at(const jf_any* value, const jf_any* key, jf_value* out);

/* What only the maker of an object type knows. NULL: identity, no order, no text, no children. Functions that fail
 * return -1 with the error set; those that compare are called where either side is of the type. */
typedef struct {
  int32_t (*equal)(const jf_any* a, const jf_any* b); /* 1, 0, -1 */
  int32_t (*hash)(jf_object* object, uint64_t* hash);
  int32_t (*compare)(const jf_any* a, const jf_any* b, int32_t operation, int32_t* result);
  int32_t (*repr)(jf_object* object, jf_value* out);
  int32_t (*truth)(jf_object* object);
  /* For the cycle finder: calls visit with each object that this one holds a reference to; stops where visit returns
   * non-zero, and returns that. Must not fail, allocate, or change anything. */
  int32_t (*traverse)(jf_object* object, int32_t (*visit)(jf_object* child, void* context), void* context);
  void (*clear)(jf_object* object); /* gives those references up; the object stays usable, but empty */
} jf_type_operations;
/* `operations` must live for ever. A subtype without its own has its nearest ancestor's. Set once, before the first use. */
JF_API int32_t jf_type_set_operations(int32_t type_code, const jf_type_operations* operations);
JF_API const jf_type_operations* jf_type_get_operations(int32_t type_code); /* NULL: none */
/* What messages call the type of an object that belongs to another language, or of a function: `name` writes it, with a
 * NUL, and returns 1, or 0 where it knows nothing of the object. It must not fail or run code of others. */
JF_API void jf_set_type_namer(int32_t (*name)(const jf_object* object, char* buffer, size_t capacity));
/* What another language makes of a value where text is asked for: str(value) for spec NULL, else format(value, *spec).
 * `write` puts UTF-8 into *out, which is null on failure; 0 or -1. It may run any code. */
typedef int32_t (*jf_text_writer)(const jf_any* value, const jf_span* spec, jf_value* out);
JF_API void jf_set_text_writer(jf_text_writer write); /* NULL: there is none */
JF_API jf_text_writer jf_get_text_writer(void);       /* NULL: there is none */

/* -- pool.c: slots of containers; static_slots.c ------------------------------------------------------------ */

enum { JF_STATIC_INT_FIRST = -128, JF_STATIC_INT_LAST = 1023, JF_STATIC_INTS = 1152, JF_STATIC_CHARS = 128 };
/* Shared by all containers, never written, never given back: null, false, true, small ints, ASCII characters. */
JF_API extern const jf_any jf_static_null, jf_static_false, jf_static_true;
JF_API extern const jf_any jf_static_ints[JF_STATIC_INTS];
JF_API extern const jf_any jf_static_chars[JF_STATIC_CHARS];
JF_API extern const jf_any jf_static_ucs4_chars[JF_STATIC_CHARS];

JF_API void jf_pool_init(jf_pool* pool, int32_t pad);        /* pad below 0: JF_DEFAULT_PAD; above 15: 15 */
JF_API int32_t jf_pool_reserve(jf_pool* pool, size_t slots); /* room for that many more, in one block */
JF_API void jf_pool_clear(jf_pool* pool);                    /* all slots at once: none may be in use */
JF_API jf_any* jf_pool_grow(jf_pool* pool, size_t limit); /* a slot from a new block of at most `limit` slots; NULL */
/* A slot, uninitialised; NULL with MemoryError set. `limit`: how many more slots the container can need now, so that a
 * block is no larger than that (at least one). */
static inline jf_any* jf_pool_take(jf_pool* pool, size_t limit) {
  jf_any* slot = pool->free;
  if (slot != NULL) {
    pool->free = (jf_any*)slot->v_handle;
    return slot;
  }
  if (pool->fresh != pool->end) {
    slot = (jf_any*)(void*)pool->fresh;
    pool->fresh += pool->stride;
    return slot;
  }
  return jf_pool_grow(pool, limit);
}
static inline int32_t jf_slot_is_static(const jf_any* slot) {
  const jf_any* chars = jf_static_chars;
  const jf_any* wide = jf_static_ucs4_chars;
  return (slot >= jf_static_ints && slot < jf_static_ints + JF_STATIC_INTS) ||
         (slot >= chars && slot < chars + JF_STATIC_CHARS) || (slot >= wide && slot < wide + JF_STATIC_CHARS) ||
         slot == &jf_static_null || slot == &jf_static_false || slot == &jf_static_true;
}

/* An item for a view: a static slot, a slot of the pool, or a new reference to an object (longer text is copied to the
 * heap, boxes are opened, r-value references are moved). 0, or -1 with the error set. */
JF_API int32_t jf_item_new(jf_pool* pool, size_t limit, const jf_view* view, jf_item* out);
JF_API void jf_item_free(jf_pool* pool, jf_item item); /* may run deleters: the container must be whole before */
/* What it holds: a view of 16 bytes that borrows from the container and is good while the item is in it. */
static inline void jf_item_view(jf_item item, jf_view* out) {
  if (*item.code < 0) {
    jf_any_view(item.slot, out);
    return;
  }
  out->type_code = *item.code <= JF_S1_LAST ? *item.code : JF_OBJECT;
  out->small_len = 0;
  out->v_uint64 = JF_POINTER_WORD(item.object);
}
JF_API int32_t jf_item_get(jf_item item, jf_value* out); /* owned, into a null out-slot */

/* -- decode_items.c ------------------------------------------------------------------------------------------ */

/* Makes UCS4 str of the UTF-8 beyond ASCII in a list or set, or in a map's keys and values, where that can be: for a container
 * that nobody else has. */
JF_API void jf_items_decode(jf_object* container);

/* -- list.c, list_find.c, list_sort.c ------------------------------------------------------------------------ */

/* new; room for `capacity` items; `pad` as jf_pool_init's */
JF_API jf_object* jf_list_new(size_t capacity, int32_t pad);
JF_API jf_object* jf_list_of(const jf_view* views, size_t count, int32_t pad); /* new; owns copies */
JF_API size_t jf_list_size(const jf_object* list);                             /* items */
JF_API int32_t jf_list_pad(const jf_object* list);                             /* of its slots */
JF_API int32_t jf_list_reserve(jf_object* list, size_t capacity); /* room for that many items in all; MemoryError */
JF_API int32_t jf_list_get(const jf_object* list, int64_t index, jf_value* out); /* IndexError */
/* A view that borrows from the list: good while the list does not change. */
JF_API int32_t jf_list_peek(const jf_object* list, int64_t index, jf_view* out);
JF_API int32_t jf_list_set(jf_object* list, int64_t index, const jf_view* value);
JF_API int32_t jf_list_append(jf_object* list, const jf_view* value);
JF_API int32_t jf_list_insert(jf_object* list, int64_t index, const jf_view* value);
JF_API int32_t jf_list_extend(jf_object* list, const jf_object* items); /* a list or tuple, itself too */
JF_API int32_t jf_list_pop(jf_object* list, int64_t index,
                           jf_value* out);                            /* takes the item out: *out owns it; IndexError */
JF_API int32_t jf_list_remove(jf_object* list, const jf_view* value); /* the first; ValueError */
JF_API int32_t jf_list_delete(jf_object* list, int64_t start, int64_t stop,
                              int64_t step); /* del list[start:stop:step] */
JF_API jf_object* jf_list_slice(const jf_object* list, int64_t start, int64_t stop, int64_t step); /* new */
/* list[start:stop:step] = items, a list or tuple; ValueError where an extended slice has another size. */
JF_API int32_t jf_list_assign(jf_object* list, int64_t start, int64_t stop, int64_t step, const jf_object* items);
/* Position of the first equal item in list[start:stop], or -1; -2 with the error set. */
JF_API int64_t jf_list_find(const jf_object* list, const jf_view* value, int64_t start, int64_t stop);
JF_API int64_t jf_list_count(const jf_object* list, const jf_view* value); /* -1 with the error set */
JF_API void jf_list_reverse(jf_object* list);                              /* in place */
/* Stable. `key`, a function of one argument, may be NULL. ValueError when the list changes meanwhile; a failing
 * comparison leaves the items in some order, none lost, as Python's does. */
JF_API int32_t jf_list_sort(jf_object* list, jf_object* key, int32_t reverse);
/* The same by keys that are there: `keys`, a list of its own and of the same size, which is sorted, too. */
JF_API int32_t jf_list_sort_by(jf_object* list, jf_object* keys, int32_t reverse);
/* Which CPython's order of comparisons sorting has, 311 for 3.11: it shows where they are in no order, as a NaN's. */
JF_API void jf_set_sort_version(int32_t version);
/* For who sorts by its own means: the list looks empty and is held until what was in it is given back, from `contents`,
 * whose items may have another order then. 1: the list was changed meanwhile, and what was put into it is gone. */
JF_API void jf_list_detach(jf_object* list, jf_list* contents);
JF_API int32_t jf_list_attach(jf_object* list, const jf_list* contents);
JF_API void jf_list_clear(jf_object* list);
JF_API jf_object* jf_list_copy(const jf_object* list);                           /* new; shallow, the same pad */
JF_API jf_object* jf_list_concat(const jf_object* list, const jf_object* items); /* new */
JF_API jf_object* jf_list_repeat(const jf_object* list, int64_t times);          /* new */
/* Copy on write: *list becomes a copy unless the reference in it is the only one. For r-value arguments. */
JF_API int32_t jf_list_unshare(jf_object** list);

/* -- tuple.c ------------------------------------------------------------------------------------------------- */

JF_API jf_object* jf_tuple_new(const jf_view* views, size_t count); /* new; each slot as large as its value needs */
JF_API jf_object* jf_tuple_of(const jf_object* items);              /* new, of a list or tuple */
/* What generated code makes tuples of, up to 8 parts: each the address of a view or an owned slot, or of an object. Where bit
 * i of `moved` is set part i is an object, no text, whose reference the tuple takes when nothing fails. */
JF_API jf_object* jf_tuple_of_parts(const jf_item* parts, size_t count, uint32_t moved); /* new */
JF_API int32_t jf_list_append_parts(jf_object* list, const jf_item* parts, size_t count,
                                    uint32_t moved); /* the tuple of them, as jf_tuple_of_parts makes it */
JF_API size_t jf_tuple_size(const jf_object* tuple); /* items */
JF_API int32_t jf_tuple_get(const jf_object* tuple, int64_t index, jf_value* out); /* as jf_list_get */
JF_API int32_t jf_tuple_peek(const jf_object* tuple, int64_t index, jf_view* out); /* as jf_list_peek */
JF_API jf_object* jf_tuple_slice(const jf_object* tuple, int64_t start, int64_t stop, int64_t step); /* new */
JF_API jf_object* jf_tuple_concat(const jf_object* tuple, const jf_object* items);                   /* new */
JF_API jf_object* jf_tuple_repeat(const jf_object* tuple, int64_t times);                            /* new */
JF_API int64_t jf_tuple_find(const jf_object* tuple, const jf_view* value, int64_t start,
                             int64_t stop);                                  /* as jf_list_find */
JF_API int64_t jf_tuple_count(const jf_object* tuple, const jf_view* value); /* -1 with the error set */

/* -- map.c, map_index.c ---------------------------------------------------------------------------------------- */

JF_API jf_object* jf_map_new(size_t capacity, int32_t pad);     /* new */
JF_API size_t jf_map_size(const jf_object* map);                /* keys */
JF_API int32_t jf_map_pad(const jf_object* map);                /* of its slots */
JF_API int32_t jf_map_reserve(jf_object* map, size_t capacity); /* room for that many keys in all; MemoryError */
/* 1: found, *out has the value; 0: not there, *out is left null; -1: failed (a key without a hash). */
JF_API int32_t jf_map_get(const jf_object* map, const jf_view* key, jf_value* out);
JF_API int32_t jf_map_peek(const jf_object* map, const jf_view* key, jf_view* out); /* the same, borrowed */
/* The same, but where the entry itself is, until the map changes: for generated code, which reads and writes its value. */
JF_API int32_t jf_map_seek(const jf_object* map, const jf_view* key, jf_map_entry** out);
JF_API int32_t jf_map_has(const jf_object* map, const jf_view* key); /* 1, 0, -1 */
/* Of the tuple of `count` views, at least one and no r-value reference: it is made where it is put in, or where comparing
 * its items can run code, and else not at all. */
JF_API int32_t jf_map_seek_views(const jf_object* map, const jf_view* items, size_t count, jf_map_entry** out);
/* The value of a key is `more` than it was, or `first`, by one look-up: 1. Else nothing was done: 0: look, add and set; 2: the
 * key is not there, set it; -1 with the error set. */
JF_API int32_t jf_map_count(jf_object* map, const jf_view* key, int64_t first, int64_t more);
JF_API int32_t jf_map_count_views(jf_object* map, const jf_view* items, size_t count, int64_t first, int64_t more);
JF_API int32_t jf_map_set_views(jf_object* map, const jf_view* items, size_t count, const jf_view* value);
JF_API int32_t jf_map_set(jf_object* map, const jf_view* key, const jf_view* value); /* an equal key stays as it was */
/* map[key] += number: 1: done; 0: there is no such key, its value is no int, or the sum is none; -1. */
JF_API int32_t jf_map_add_int(jf_object* map, const jf_view* key, int64_t number);
/* The value that is there, or `value` after putting it there. */
JF_API int32_t jf_map_setdefault(jf_object* map, const jf_view* key, const jf_view* value, jf_value* out);
JF_API int32_t jf_map_delete(jf_object* map, const jf_view* key);              /* 1: removed; 0: not there; -1 */
JF_API int32_t jf_map_pop(jf_object* map, const jf_view* key, jf_value* out);  /* as jf_map_get, and removes it */
JF_API int32_t jf_map_popitem(jf_object* map, jf_value* key, jf_value* value); /* the last; KeyError when empty */
JF_API void jf_map_clear(jf_object* map);                                      /* may run deleters */
JF_API jf_object* jf_map_copy(const jf_object* map);                           /* new; shallow */
JF_API int32_t jf_map_update(jf_object* map, const jf_object* other);          /* another map, itself too */
JF_API int32_t jf_map_unshare(jf_object** map);                                /* as jf_list_unshare */
JF_API jf_object* jf_map_keys(const jf_object* map);   /* new list, in order; and so the next two */
JF_API jf_object* jf_map_values(const jf_object* map); /* new list */
JF_API jf_object* jf_map_items(const jf_object* map);  /* of tuples */
/* The same, appended to a list; what there was no memory for is not. */
JF_API int32_t jf_map_items_to(const jf_object* map, jf_object* list);
/* In order of insertion: zero-initialise, then call until it returns 0. 1: key and value (either may be NULL) are views
 * that borrow from the map until it changes. -1 with RuntimeError when keys came or went since the first call. */
typedef struct {
  size_t next;
  uint64_t version;
  int32_t started;
  int32_t reversed; /* set it to 1 before the first call to go backwards */
} jf_map_iterator;
JF_API int32_t jf_map_next(const jf_object* map, jf_map_iterator* iterator, jf_view* key,
                           jf_view* value); /* the next key and value */

/* Sets have no subtypes: their code alone says how large an entry is. Entries go by numbers below `used`; one whose key is NULL
 * is a hole. For who reads in place, until the map changes. */
static inline int32_t jf_is_set(const jf_map* map) { return map->header.type_code == JF_SET; }
/* Bytes of an entry. */
static inline size_t jf_map_entry_size(const jf_map* map) {
  return jf_is_set(map) ? sizeof(jf_set_entry) : sizeof(jf_map_entry);
}
/* An entry; that of a set ends before the value. */
static inline jf_map_entry* jf_map_at(const jf_map* map, size_t number) {
  if (JF_EXPECT_NOT(jf_is_set(map))) return (jf_map_entry*)(void*)((jf_set_entry*)(void*)map->entries + number);
  return map->entries + number;
}
/* The value of an entry; null, which is shared by all and never freed, of a set's. */
static inline jf_item jf_map_value(const jf_map* map, const jf_map_entry* entry) {
  jf_item none;
  none.slot = &jf_static_null;
  return jf_is_set(map) ? none : entry->value;
}
/* Python's hash of an int is the int itself. The low half, the only one that the index looks at, stays so while the high half is
 * zero, and numbers that are counted up from anywhere stay apart in it; else it depends on all bits. Nothing is lost. */
static inline uint64_t jf_map_mix(uint64_t hash) { return hash ^ (hash >> 32) * UINT64_C(0x9E3779B97F4A7C15) >> 32; }
/* The index has lines of words: see map_index.c. */
enum { JF_MAP_LINE = 8 };
/* In a line's first word: some key was to have a word in this line and is in another one. */
#define JF_MAP_MARK (UINT64_C(1) << 31)
/* The word at which the line of a half of a hash begins. */
static inline size_t jf_map_first_line(uint32_t half, size_t mask) { return half & mask & ~(size_t)(JF_MAP_LINE - 1); }

/* -- set.c, map.c ----------------------------------------------------------------------------------------------- */

/* A set is a map without values, in order of insertion, too: 1, 1.0 and True are one item of it. What is a map's alone are
 * its values; the rest of its functions take sets as well. */
JF_API jf_object* jf_set_new(size_t capacity, int32_t pad);     /* new */
JF_API int32_t jf_set_add(jf_object* set, const jf_view* item); /* 1: added; 0: it was there; -1: it has no hash */
JF_API int32_t jf_set_pop(jf_object* set, jf_value* out);       /* the last; KeyError when empty */
/* The map's functions by their names here. */
static inline size_t jf_set_size(const jf_object* set) { return jf_map_size(set); }
static inline int32_t jf_set_pad(const jf_object* set) { return jf_map_pad(set); }
static inline int32_t jf_set_reserve(jf_object* set, size_t capacity) { return jf_map_reserve(set, capacity); }
static inline int32_t jf_set_has(const jf_object* set, const jf_view* item) { return jf_map_has(set, item); }
static inline int32_t jf_set_discard(jf_object* set, const jf_view* item) { return jf_map_delete(set, item); }
static inline void jf_set_clear(jf_object* set) { jf_map_clear(set); }
static inline jf_object* jf_set_copy(const jf_object* set) { return jf_map_copy(set); }
static inline int32_t jf_set_unshare(jf_object** set) { return jf_map_unshare(set); }
static inline jf_object* jf_set_items(const jf_object* set) { return jf_map_keys(set); }
static inline int32_t jf_set_next(const jf_object* set, jf_map_iterator* iterator, jf_view* item) {
  return jf_map_next(set, iterator, item, NULL);
}
/* With another set, or the keys of a map, itself too. What is added keeps the order that it has there; of two equal items the
 * set's own stays, of an intersection that of the smaller one. RuntimeError when comparing items changes the other. */
enum { JF_SET_UNION, JF_SET_INTERSECTION, JF_SET_DIFFERENCE, JF_SET_SYMMETRIC_DIFFERENCE };
JF_API jf_object* jf_set_combine(const jf_object* set, const jf_object* other, int32_t operation); /* new */
JF_API int32_t jf_set_change(jf_object* set, const jf_object* other, int32_t operation);           /* in place */
/* As Python's operators on sets: JF_LE is "all of it is in the other", and so on. 1, 0, -1. */
JF_API int32_t jf_set_compare(const jf_object* set, const jf_object* other, int32_t operation);
JF_API int32_t jf_set_is_disjoint(const jf_object* set,
                                  const jf_object* other); /* they have nothing in common: 1, 0, -1 */

/* -- shape.c --------------------------------------------------------------------------------------------------- */

JF_API jf_object* jf_shape_new(const int64_t* dims, size_t count); /* new; copies */

/* -- cycles.c -------------------------------------------------------------------------------------------------- */

/* Containers that hold containers can hold themselves, which counting references never frees. These are known to the
 * finder, by their links; all others cost nothing.
 *
 * jf_cycles_collect frees every group of containers that only its own members refer to, and returns how many objects that
 * were; jf_cycles_count only counts them; -1 with MemoryError set. Objects with `traverse` in their type's operations take
 * part where a container leads to them. No other thread may change or release containers meanwhile. The
 * first also gives back what memory of containers was kept for new ones. */
JF_API int64_t jf_cycles_collect(void);
JF_API int64_t jf_cycles_count(void);
/* New: the containers and objects known to the finder, and what they hold, that more than one reference leads to: in *objects,
 * each with a reference, which the caller releases, some twice; the caller frees *objects with jf_free. How many; 0 and NULL
 * also without memory. For hosts whose own collector is to see what they share with native code. */
JF_API int64_t jf_cycles_shared(jf_object*** objects);
JF_API int64_t jf_cycles_tracked(void); /* containers that are known to the finder */

#ifdef __cplusplus
}
#endif
#endif
