/* Results that are text, and texts as items of lists. */
#ifndef JITFFI_SCRIPT_TEXT_MAKE_H
#define JITFFI_SCRIPT_TEXT_MAKE_H

#include "jitffi/script.h"
#include "macros.h"

/* Room for `size` units of a new str, bytes or UCS4 str (code JF_STR, JF_BYTES, JF_UCS4) in *out, a null out-slot: in place
 * up to its capacity, else in a heap object. The caller writes all of them. NULL with MemoryError set: *out is null. A
 * JF_STR is ASCII. */
void* jf_text_begin(jf_value* out, int32_t code, size_t size);
/* The UCS4 str that *out owns, narrow where it is ASCII. `capacity`: what *out had. 0, or -1: *out is null. */
int32_t jf_text_narrow(jf_value* out, int32_t capacity);
/* Units from one width to another; what does not fit is not there. */
void jf_units_copy(void* to, int32_t to_wide, const void* from, int32_t from_wide, size_t size);
int32_t jf_units_ascii(const void* data, int32_t wide, size_t size);
static inline int32_t jf_text_is_ascii(const jf_text* text) {
  return !text->wide || jf_units_ascii(text->data, 1, text->size);
}
/* MemoryError; always -1. */
JF_COLD int32_t jf_fail_memory(void);
/* An item of a pool for a part of a text; narrow where it is ASCII. `limit` as jf_pool_take. */
int32_t jf_text_item(jf_pool* pool, size_t limit, const jf_text* text, int32_t is_bytes, jf_item* out);
/* text.c: clips a slice's bounds to `units` as Python does, and gives how many it has; -1 with ValueError for step 0. */
int64_t jf_clip_slice(size_t units, int64_t* start, int64_t* stop, int64_t* step);
/* Appends to a list that this library has made. 0, or -1 with MemoryError. */
int32_t jf_list_put_text(jf_list* list, const jf_text* text, int32_t is_bytes);

#endif
