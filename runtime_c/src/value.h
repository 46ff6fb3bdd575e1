/* What the files of jf_any_equal, _hash, _compare, _repr, _size and _at share: kinds of values, numbers, the depth of
 * values within values, and references that are held while other code runs.
 */
#ifndef JITFFI_VALUE_H
#define JITFFI_VALUE_H

#include "decimal.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "macros.h"
#include "slot.h"

/* -- value.c -- */

/* The kinds of values. */
enum {
  JF_VALUE_BAD, /* no value: an unknown code, a reference that was taken, a NULL object */
  JF_VALUE_NULL,
  JF_VALUE_NUMBER,
  JF_VALUE_PLAIN, /* handle, data type, device, DLTensor: the payload says it all */
  JF_VALUE_TEXT,  /* str, ucs4 */
  JF_VALUE_BYTES,
  JF_VALUE_LIST, /* from here on: objects */
  JF_VALUE_TUPLE,
  JF_VALUE_MAP,
  JF_VALUE_SET,
  JF_VALUE_SHAPE,
  JF_VALUE_OBJECT
};
JF_SHARED int32_t jf_value_kind(const jf_any* resolved);
int32_t jf_object_kind(const jf_object* object); /* the same, of an object that is no box */
/* Sets the error for a JF_VALUE_BAD; -1. */
JF_SHARED JF_COLD int32_t jf_value_fail_bad(const jf_any* resolved);
/* What Python calls the type, for messages. Static, or of this thread, until a few more were asked for. */
JF_SHARED const char* jf_value_type_name(const jf_any* resolved);
/* New list of the shape's ints, NULL with the error set: what it is compared as with a tuple. */
JF_SHARED jf_object* jf_shape_items(const jf_shape* shape);
/* The operations of an object, or NULL; of other kinds, NULL. */
const jf_type_operations* jf_value_operations(const jf_any* resolved, int32_t kind);

/* Values within values: deeper than this is a RecursionError, never the end of the stack. */
#if defined(__wasm__)
enum { JF_MAX_DEPTH = 100 }; /* linkers set 64 KiB aside for the stack, and nothing stops one that grows beyond them */
#else
enum { JF_MAX_DEPTH = 1000 };
#endif
extern __thread int32_t jf_value_depth;
JF_COLD int32_t jf_value_fail_depth(const char* doing); /* -1 */
/* 0, or -1 with RecursionError set; jf_value_leave only after 0. */
static inline int32_t jf_value_enter(const char* doing) {
  if (jf_value_depth >= JF_MAX_DEPTH) return jf_value_fail_depth(doing);
  jf_value_depth++;
  return 0;
}
static inline void jf_value_leave(void) { jf_value_depth--; }

/* An item of a container, held for as long as code runs that may change the container. */
typedef union {
  jf_any slot;
  char bytes[JF_PAYLOAD_OFFSET + JF_MAX_CAPACITY];
} jf_held;
JF_SHARED void jf_hold(jf_item item, jf_held* held);
static inline void jf_unhold(jf_held* held) { jf_object_release(jf_any_object(&held->slot)); }
/* Whether comparing the item, or asking for its hash, can run code of others: it is an object, but no text. */
static inline int32_t jf_item_runs_code(jf_item item) {
  return *item.code > 0 && (*item.code < JF_STR || *item.code > JF_BYTES);
}
/* A slot for an item: the item itself, or *scratch. */
static inline const jf_any* jf_item_slot(jf_item item, jf_any* scratch) {
  if (*item.code < 0) return item.slot;
  jf_item_view(item, scratch);
  return scratch;
}

/* -- repr.c -- */

/* jf_any_repr, with Unicode's word on which code points from 0x100 on Python prints. */
JF_SHARED int32_t jf_any_repr_with(const jf_any* value, int32_t (*printable)(int32_t code_point), jf_value* out);

/* -- number.c -- */

enum { JF_LESS = -1, JF_SAME = 0, JF_MORE = 1, JF_UNORDERED = 2 };
JF_SHARED int32_t jf_number_order(const jf_any* a, const jf_any* b); /* exact; of two JF_VALUE_NUMBERs */
JF_SHARED uint64_t jf_number_hash(const jf_any* number);             /* CPython's, of 64 bits */

/* -- hash.c -- */

#define JF_HASH_OF_NULL UINT64_C(0xFCA86420)

/* What jf_any_hash gives for the tuple of these values. 0, or -1 with the error set. */
int32_t jf_views_hash(const jf_view* views, size_t count, uint64_t* hash);

/* -- equal.c -- */

/* Whether a tuple has just these values: 1 or 0; -1: an item, or a value, may run code of others when it is compared. */
int32_t jf_tuple_has_views(const jf_tuple* tuple, const jf_view* views, size_t count);
/* The same of two tuples. */
int32_t jf_tuples_fast_equal(const jf_tuple* a, const jf_tuple* b);

/* jf_any_equal of items, which are held where that can run code of others. */
int32_t jf_item_equal(jf_item x, jf_item y);

/* -- compare.c -- */

int32_t jf_encoded_order(jf_encoded a, jf_encoded b); /* by code points; both text, or both bytes */
int32_t jf_encoded_equal(jf_encoded a, jf_encoded b);

#endif
