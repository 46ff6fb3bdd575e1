/* What the runtime's own files share and nobody else sees. Never installed.
 *
 * Locking: one mutex (lock.c) guards the type table, the interned texts, the global functions and the closures. Under
 * it nothing is called that may come back: no deleter, no function object, no jf_error_*; errors are set after
 * unlocking.
 */
#ifndef JITFFI_INTERNAL_H
#define JITFFI_INTERNAL_H

#include <assert.h>
#include <string.h>

#include "jitffi/containers.h"
#include "jitffi/pad.h"
#include "jitffi/pattern.h"
#include "jitffi/runtime.h"
#include "jitffi/text.h"

/* Sets a pointer or size of an object that is new, hence not zero: all of its 8 bytes. */
#if UINTPTR_MAX > 0xFFFFFFFF
#define JF_SET_WIDE(object, field, value) ((void)((object)->field = (value)))
#else
#define JF_SET_WIDE(object, field, value) ((object)->field##_word = (uintptr_t)(value))
#endif

#define JF_COLD __attribute__((cold, noinline))

/* Of what the script library uses beside the public functions: it is built with the runtime, and only fits that. */
#define JF_SHARED JF_API

/* -- lock.c -- */
void jf_lock(void);
void jf_unlock(void);

/* -- memory.c -- */
#ifdef JITFFI_HOSTILE
/* Lets `count` more allocations (and mappings) succeed and fails all after them; negative: none fails. */
void jf_hostile_fail_after(int64_t count);
int32_t jf_hostile_failed(void); /* whether one has failed since then */
int32_t jf_hostile_refuses(void);
#endif

/* -- large_block_cache.c: what may be large, and is given back with its size -- */
JF_SHARED void* jf_alloc_large(size_t size);
JF_SHARED void jf_free_large(void* memory, size_t size);
void jf_large_block_cache_clear(void); /* what is kept of it for the next one */

/* -- memory.c, blocks.c -- */
extern int32_t jf_allocator_is_set __attribute__((visibility("hidden"))); /* a hook */
static inline int32_t jf_allocator_is_malloc(void) { return !__atomic_load_n(&jf_allocator_is_set, __ATOMIC_RELAXED); }
void* jf_block_new(size_t size);              /* memory of an object, counted; NULL: none */
void jf_block_free(void* block);              /* steals it */
void* jf_piece_new(size_t size);              /* memory of another kind, kept by threads when it is small */
void jf_piece_free(void* piece, size_t size); /* steals it */
void jf_pieces_clear(void);                   /* what this thread keeps */

/* -- object.c -- */
/* As jf_object_new, but failure sets no error: for making errors, and under the lock. */
void* jf_object_make(size_t size, int32_t type_code, void (*deleter)(jf_object*));
/* The same, but what follows the header is the caller's to fill. */
void* jf_object_make_unset(size_t size, int32_t type_code, void (*deleter)(jf_object*));
/* Gives one reference up. 1: it was the last, and the caller must call the deleter. NULL is allowed. */
int32_t jf_object_drop(jf_object* object);

/* -- type.c -- */
int32_t jf_type_parent(int32_t code); /* 0: none */

/* -- table.c: text to pointer -- */
typedef struct {
  uint64_t hash;
  const char* key; /* NULL: free */
  void* value;
} jf_entry;
typedef struct {
  jf_entry* entries;
  size_t capacity; /* 0 or a power of two */
  size_t count;
} jf_table;
jf_entry* jf_table_find(const jf_table* table, const char* key);     /* NULL: not there */
int32_t jf_table_put(jf_table* table, const char* key, void* value); /* key is new, and kept; -1: no memory */
void jf_table_erase(jf_table* table, jf_entry* entry);

/* -- registry.c -- */
/* Characters to insert, remove or replace to make one of the other; SIZE_MAX for names that are too long to ask. */
size_t jf_edit_distance(const char* left, const char* right);

/* -- string.c -- */
JF_SHARED jf_str* jf_str_make(int32_t type_code, const char* data, size_t size); /* as jf_str_new, but sets no error */
/* A str or UCS4 str of `unit` bytes each with room for *room units (raised to what the memory has) and a NUL; its text is
 * not set, its size is *room. NULL with MemoryError set. */
jf_str* jf_str_make_room(int32_t type_code, size_t unit, size_t* room);

/* -- utf8.c -- */
JF_SHARED size_t jf_utf8_encode(uint32_t code_point, char* out); /* 1 to 4 bytes; 0: not a character */
JF_SHARED size_t jf_utf8_decode(const char* data, size_t size);  /* length of the first character; 0: invalid */

/* -- slot.c -- */
enum { JF_TEXT_NONE, JF_TEXT_UTF8, JF_TEXT_BYTES, JF_TEXT_UCS4 };
typedef struct {
  int32_t kind;
  int32_t terminated; /* a NUL follows the last unit */
  const void* data;   /* never NULL */
  size_t size;        /* units */
} jf_encoded;
/* The slot that `slot` stands for: the one behind an any pointer, the object of an r-value reference, what is in a box.
 * Either some existing slot or *scratch. Text is left alone, and a pointer into it stays good while `slot` does. */
JF_SHARED const jf_any* jf_any_resolve(const jf_any* slot, jf_any* scratch);
JF_SHARED jf_encoded jf_any_text(const jf_any* resolved);
/* The object in a resolved slot, borrowed, or NULL. */
JF_SHARED jf_object* jf_any_object(const jf_any* resolved);

/* -- deferred_free.c: deep nests of containers are released without deep recursion -- */
/* For the deleter of a container that can hold containers: 1: go on, and call jf_deferred_free_leave in the end. 0: too deep,
 * the object was put aside and its deleter will be called again; return at once. `links` are the object's own, unused
 * from here on: an object leaves the cycle finder before. */
int32_t jf_deferred_free_enter(jf_object* object, jf_links* links);
void jf_deferred_free_leave(void);

/* -- cycles.c -- */
/* The deleters of containers, by which this copy of the runtime knows its own. Steal the last reference. */
void jf_list_delete_last(jf_object* list);
void jf_map_delete_last(jf_object* map);
void jf_tuple_delete_last(jf_object* tuple);
void jf_tuple_delete_plain(jf_object* tuple); /* of a tuple in which nothing is counted */
/* Makes a container known to the finder, for the first item that can lead back to it. Cheap when known already. */
void jf_cycles_track(jf_object* container);
void jf_cycles_untrack(jf_object* container); /* for a deleter, when links.next is not NULL */

/* -- pool.c -- */
/* Whether a slot that an item points at is one of the static ones: told by its value, since such a value is never in a
 * pool. */
static inline int32_t jf_slot_is_shared(const jf_any* slot) {
  switch (slot->type_code) {
    case JF_NULL:
    case JF_BOOL:
      return 1;
    case JF_INT:
      return slot->v_uint64 - (uint64_t)JF_STATIC_INT_FIRST < JF_STATIC_INTS;
    case JF_SMALL_STR:
      return slot->small_len == 1 && (unsigned char)slot->v_bytes[0] < JF_STATIC_CHARS;
    case JF_SMALL_UCS4:
      return slot->small_len == 1 && slot->v_char32[0] < JF_STATIC_CHARS;
    default:
      return 0;
  }
}
/* Gives a slot of this pool back. */
static inline void jf_pool_put(jf_pool* pool, const jf_any* slot) {
  jf_any* freed = (jf_any*)(uintptr_t)slot;
#ifdef JITFFI_HOSTILE
  memset(freed, 0xDB, (size_t)pool->stride);
  freed->type_code = 0;
#endif
  freed->v_handle = pool->free;
  pool->free = freed;
}
size_t jf_pool_slots(const jf_pool* pool); /* in all its blocks */
void jf_pool_reset(jf_pool* pool);         /* all slots at once, but the newest block is kept */
/* An item of this pool for an item of any container. 0, or -1 with MemoryError set. */
int32_t jf_item_copy(jf_pool* pool, size_t limit, jf_item from, jf_item* out);
/* Whether an item is an object that can lead back to the container it is in. A tuple that holds none never will. */
int32_t jf_item_leads_back(jf_item item);
/* A slot, uninitialised, if the pool has one; else NULL. */
static inline jf_any* jf_pool_try(jf_pool* pool) {
  jf_any* slot = pool->free;
  if (slot) {
    pool->free = slot->v_handle;
  } else if (pool->fresh != pool->end) {
    slot = (jf_any*)(void*)pool->fresh;
    pool->fresh += pool->stride;
  }
  return slot;
}
/* jf_item_new for what takes no more than a slot that the pool has, or a reference: 1. 0: nothing was done. */
static inline int32_t jf_item_fast(jf_pool* pool, const jf_view* view, jf_item* out) {
  const uint32_t room = (uint32_t)pool->stride - JF_PAYLOAD_OFFSET;
  size_t beyond = 0; /* bytes of text behind the first 16 of the slot */
  switch (view->type_code) {
    case JF_INT:
      if (view->v_uint64 - (uint64_t)JF_STATIC_INT_FIRST < JF_STATIC_INTS) {
        out->slot = &jf_static_ints[view->v_int64 - JF_STATIC_INT_FIRST];
        return 1;
      }
      break;
    case JF_FLOAT:
      break;
    case JF_SMALL_UCS4:
      if (view->small_len == 1 && view->v_char32[0] < JF_STATIC_CHARS) {
        out->slot = &jf_static_ucs4_chars[view->v_char32[0]];
        return 1;
      }
      if ((uint32_t)view->small_len <= 2) break;
      if ((uint32_t)view->small_len > room / sizeof(jf_char32)) return 0;
      beyond = (size_t)view->small_len * sizeof(jf_char32) - 8;
      break;
    case JF_SMALL_STR:
      if (view->small_len == 1 && (unsigned char)view->v_bytes[0] < JF_STATIC_CHARS) {
        out->slot = &jf_static_chars[(unsigned char)view->v_bytes[0]];
        return 1;
      }
      /* fall through */
    case JF_SMALL_BYTES:
      if ((uint32_t)view->small_len <= 7) break;
      if ((uint32_t)view->small_len >= room) return 0;
      beyond = (size_t)view->small_len + 1 - 8;
      break;
    case JF_OBJECT:
      if (!view->v_object || (view->v_object->type_code >= JF_S2_FIRST && view->v_object->type_code <= JF_S2_LAST)) {
        return 0;
      }
      jf_object_retain(view->v_object);
      out->object = view->v_object;
      return 1;
    case JF_RVALUE: {
      jf_object* moved = view->v_rvalue ? *view->v_rvalue : NULL;
      if (!moved || (moved->type_code >= JF_S2_FIRST && moved->type_code <= JF_S2_LAST)) return 0;
      *view->v_rvalue = NULL;
      out->object = moved;
      return 1;
    }
    case JF_NULL:
      out->slot = &jf_static_null;
      return 1;
    case JF_BOOL:
      out->slot = view->v_int64 ? &jf_static_true : &jf_static_false;
      return 1;
    default:
      return 0;
  }
  jf_any* slot = jf_pool_try(pool);
  if (!slot) return 0;
  *slot = *view;
  if (beyond) memcpy(slot + 1, view + 1, beyond);
  out->slot = slot;
  return 1;
}
/* Whether the finder knows the container. Its neighbours' coming and going, on other threads, may write the links. */
static inline int32_t jf_links_used(const jf_links* links) {
  return __atomic_load_n(&links->next, __ATOMIC_RELAXED) != NULL;
}
/* For a container that stores `item`. */
static inline void jf_item_stored(jf_object* container, const jf_links* links, jf_item item) {
  const int32_t code = *item.code;
  if (code <= 0 || (code >= JF_STR && code <= JF_BYTES) || jf_links_used(links)) return;
  if (code == JF_TUPLE && !jf_links_used(&((const jf_tuple*)item.object)->links)) return;
  if (jf_item_leads_back(item)) jf_cycles_track(container);
}

/* How often, as a number of bytes could be: nothing for a negative number, more than there can be for more than that. */
static inline size_t jf_times(int64_t times) {
  return times <= 0 ? 0 : times < PTRDIFF_MAX ? (size_t)times : (size_t)PTRDIFF_MAX;
}

/* -- pool.c, list.c, list_slice.c: what list, tuple and the cycle finder share -- */
/* Calls visit with each object among the items; stops where it returns non-zero, and returns that. */
int32_t jf_items_traverse(const jf_item* items, size_t size, int32_t (*visit)(jf_object* child, void* context),
                          void* context);
/* The item's place, or -1 with IndexError: "<what> out of range". */
static inline int64_t jf_index(int64_t index, size_t size) {
  if (index < 0) index += (int64_t)size;
  return index >= 0 && index < (int64_t)size ? index : -1;
}
int32_t jf_list_make_room(jf_list* list, size_t more); /* behind the items there are, grown geometrically */
size_t jf_list_limit(const jf_list* list);             /* for jf_pool_take */
void jf_items_reverse(jf_item* items, size_t size);
void jf_list_discard(const jf_list* contents); /* items and pool that were taken out of a list: steals them */
/* Clips start and stop to `size` as Python does, gives the number of items; -1 with ValueError for step 0. */
JF_SHARED int64_t jf_slice_clip(size_t size, int64_t* start, int64_t* stop, int64_t* step);
/* list_find.c: of a list or a tuple; what jf_list_find says. */
JF_SHARED int64_t jf_items_find(const jf_object* items, const jf_view* value, int64_t start, int64_t stop);
JF_SHARED int64_t jf_items_count(const jf_object* items, const jf_view* value);
/* tuple.c: tuples of keys and values, for which the list has room; -1 with MemoryError: some are there */
int32_t jf_list_append_pairs(jf_list* list, const jf_map_entry* entries, size_t used);
/* tuple.c: for the cycle finder: leaves the tuple empty. */
void jf_tuple_clear(jf_object* tuple);
#ifdef JITFFI_HOSTILE
int32_t jf_list_ok(const jf_list* list);
#endif

/* -- describe.c -- */
/* `text` in quotes for a message: control characters escaped, cut when long. Returns buffer. */
JF_SHARED const char* jf_quote(const char* text, char* buffer, size_t capacity);
enum { JF_QUOTE_SIZE = 192, JF_DESCRIBE_SIZE = 256 };

/* -- fail.c -- */
/* What the parameter's (index -1: the result's) type is called; `otherwise` where info does not say. */
const char* jf_expected_type(const jf_call_info* info, int32_t index, const char* otherwise);
/* Sets "<where>: expected <type><range>, got <got>" and returns -1. */
JF_COLD int32_t jf_fail_argument(const char* kind, const jf_call_info* info, int32_t index, const char* expected,
                                 const char* range, const char* got);

/* -- error.c -- */
JF_SHARED JF_COLD void jf_error_no_memory(void); /* sets MemoryError without allocating */
void jf_errors_after_fork(void);                 /* only the forking thread is left */

/* -- closure.c -- */
int32_t jf_closures_exist(void); /* whether jf_closure_new can make any on this target */

/* -- code.c -- */
void* jf_map_writable(size_t size); /* NULL with the error set */
int32_t jf_map_seal(void* memory, size_t size);

/* -- function.c -- */
void jf_function_set_deleter(jf_object* function, void (*deleter)(void*));

#endif
