/* Text that grows. */
#ifndef JITFFI_SCRIPT_OP_WRITER_H
#define JITFFI_SCRIPT_OP_WRITER_H

#include "jitffi/script.h"

typedef struct {
  void* data; /* `near`, or memory */
  size_t size, capacity;
  int32_t wide;
  int32_t failed; /* no memory: what is put is dropped, the end says so */
  jf_char32 near[64];
} jf_writer;
void jf_writer_init(jf_writer* w);
void jf_writer_ascii(jf_writer* w, const char* data, size_t size);
void jf_writer_char(jf_writer* w, jf_char32 c, size_t times);
void jf_writer_text(jf_writer* w, const jf_text* text);
/* Writes the text to a null out-slot and gives the memory back. 0, or -1 with MemoryError set. */
int32_t jf_writer_end(jf_writer* w, jf_value* out);
void jf_writer_free(jf_writer* w);
/* UTF-8 as a str of a script: ASCII, or UCS4. */
int32_t jf_out_utf8(jf_value* out, const char* data, size_t size);

#endif
