/* The binary form of graphs, as its writer and its reader know it.
 *
 *   "jfg1"  version: 1
 *   types   count, each: key (size, UTF-8), version, count of fields, their names (size, UTF-8)
 *   nodes   count, each: kind; list, tuple, set: count, values; map: count, keys and values in turn; object: number of its type,
 *           values of the fields named there; array: dtype (4 bytes), ndim, dims, size, elements in C order
 *   value   the outermost
 *
 * Numbers are varints (7 bits a byte, the lowest first, the high bit: more follow), ints of values zigzag varints.
 */
#ifndef JITFFI_SRC_GRAPH_BYTES_H
#define JITFFI_SRC_GRAPH_BYTES_H

#include "graph.h"

#define JF_GRAPH_MAGIC "jfg1"
enum { JF_GRAPH_VERSION = 1 };
/* The first byte of a value. */
enum {
  JF_STORED_NULL,
  JF_STORED_FALSE,
  JF_STORED_TRUE,
  JF_STORED_INT,        /* zigzag varint */
  JF_STORED_UINT,       /* varint */
  JF_STORED_FLOAT,      /* 8 bytes, IEEE 754 */
  JF_STORED_STR,        /* size, UTF-8 */
  JF_STORED_BYTES,      /* size, bytes */
  JF_STORED_NODE,       /* number */
  JF_STORED_DTYPE,      /* 4 bytes, DLPack's */
  JF_STORED_DEVICE,     /* type and index, zigzag */
  JF_STORED_SHAPE,      /* count, zigzag ints */
  JF_STORED_SMALL = 128 /* and up: an int from 0 to 127, the lower 7 bits */
};

/* -- graph_load_value.c: a reader of them -- */

typedef struct {
  const unsigned char* start;
  const unsigned char* at;
  const unsigned char* end;
  jf_growing types, fields, places; /* graph_load.c's */
  jf_nodes nodes;
} jf_load;
static inline size_t jf_load_left(const jf_load* r) { return (size_t)(r->end - r->at); }
int32_t jf_load_fail(const jf_load* r, const char* what); /* ValueError with the position; -1 */
int32_t jf_load_fail_with(const jf_load* r);              /* the same, with what the error that is set says */
int32_t jf_load_number(jf_load* r, uint64_t* out);
int32_t jf_load_count(jf_load* r, size_t each, size_t* out); /* of what takes at least `each` bytes */
int32_t jf_load_text(jf_load* r, jf_span* out);              /* checked; it stays where it is */
int32_t jf_load_raw(jf_load* r, void* out, size_t size);
int32_t jf_load_value(jf_load* r, jf_value* out); /* into a null slot; NULL: it is passed over */

#endif
