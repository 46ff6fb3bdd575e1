/* The text and the objects of slots, and heap strings. */
#ifndef JITFFI_SRC_SLOT_H
#define JITFFI_SRC_SLOT_H

#include "jitffi/abi.h"
#include "macros.h"

/* -- string.c -- */
/* As jf_str_new, but sets no error; NULL for the data: it is to be filled. */
JF_SHARED jf_str* jf_str_make(int32_t type_code, const char* data, size_t size);
/* A str or UCS4 str of `unit` bytes each with room for *room units (raised to what the memory has) and a NUL; its text is
 * not set, its size is *room. NULL with MemoryError set. */
jf_str* jf_str_make_room(int32_t type_code, size_t unit, size_t* room);

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

/* -- lift.c -- */
/* 1: *out is what an object of another language is there (jf_set_host_reader); 0: it is none; -1. */
int32_t jf_host_read(const jf_any* resolved, int32_t code, jf_any* out, jf_span* span, jf_temps* temps);

#endif
