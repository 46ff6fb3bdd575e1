/* How tuples are made: what tuple.c and tuple_copy.c share. */
#ifndef JITFFI_SRC_TUPLE_H
#define JITFFI_SRC_TUPLE_H

#include <assert.h>

#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "slot.h"

static inline const jf_tuple* jf_tuple_const(const jf_object* object) {
  assert(jf_type_is_a(object->type_code, JF_TUPLE));
  return (const jf_tuple*)object;
}

/* What text takes of a tuple's memory; 0: it is too long for any slot. */
size_t jf_tuple_text_bytes(jf_encoded text);
/* New: a tuple with room for that many items and bytes of slots, of size 0. NULL with MemoryError set. */
jf_tuple* jf_tuple_make(size_t count, size_t bytes);
/* The tuple, which has its items now. */
jf_object* jf_tuple_finished(jf_tuple* tuple);

#endif
