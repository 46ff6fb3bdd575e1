/* Items of lists and keys of maps. */
#ifndef JITFFI_SCRIPT_OP_ITEMS_H
#define JITFFI_SCRIPT_OP_ITEMS_H

#include "jitffi/abi.h"
#include "op_value.h"

/* -- op_list.c -- */
/* Appends what the iterable gives. */
int32_t jf_op_append_all(jf_object* list, const jf_any* iterable);
/* A view that is written narrow where it is ASCII: the view itself, or *narrow, which `room` keeps. NULL: no memory. */
const jf_any* jf_op_narrow(const jf_any* view, jf_room* room, jf_any* narrow);

/* -- op_map.c -- */
/* A key to look up, made narrow where it is short text of four bytes a character: found faster. */
typedef struct {
  jf_any view;
  jf_span span;
  char text[64];
} jf_key;
const jf_any* jf_op_narrow_key(const jf_any* key, jf_key* narrow);
static inline const jf_any* jf_op_key(const jf_any* key, jf_key* narrow) {
  return key->type_code == JF_UCS4_VIEW ? jf_op_narrow_key(key, narrow) : key;
}

#endif
