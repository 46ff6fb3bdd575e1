/* Text made of several pieces at once: f-strings, chains of +, [a, b].join. One allocation at most, none where the result
 * fits into its slot. And the pieces that are numbers.
 */
#include <string.h>

#include "jitffi/script.h"

static int32_t has_wide(const jf_text* text) {
  if (!text->wide) return 0;
  const jf_char32* data = text->data;
  jf_char32 bits = 0;
  for (size_t i = 0; i < text->size; i++) bits |= data[i];
  return bits > 127;
}

static char* write_narrow(char* to, const jf_text* text) {
  if (text->wide) {
    const jf_char32* from = text->data;
    for (size_t i = 0; i < text->size; i++) to[i] = (char)from[i];
  } else if (text->size <= 16) {
    /* A call of memcpy costs more than most pieces are long. */
    const char* from = text->data;
    for (size_t i = 0; i < text->size; i++) to[i] = from[i];
  } else {
    memcpy(to, text->data, text->size);
  }
  return to + text->size;
}

static jf_char32* write_wide(jf_char32* to, const jf_text* text) {
  if (text->wide) {
    memcpy(to, text->data, text->size * sizeof *to);
  } else {
    const unsigned char* from = text->data;
    for (size_t i = 0; i < text->size; i++) to[i] = from[i];
  }
  return to + text->size;
}

/* Memory for `size` units of a str or bytes: the out-slot's own, or a heap object's. NULL with MemoryError set. */
static char* room_for(jf_value* out, int32_t small_code, int32_t heap_code, size_t size) {
  const size_t unit = heap_code == JF_UCS4 ? sizeof(jf_char32) : 1;
  const size_t capacity = (size_t)jf_out_capacity(out);
  if (size <= capacity && size * unit + (unit == 1) <= capacity) {
    out->type_code = small_code;
    out->small_len = (int32_t)size;
    out->v_int64 = 0;
    if (unit == 1) ((char*)out)[JF_PAYLOAD_OFFSET + size] = 0;
    return (char*)out + JF_PAYLOAD_OFFSET;
  }
  char* data;
  jf_object* made = jf_str_alloc(heap_code, size, &data);
  if (!made) return NULL;
  ((jf_str*)made)->characters = (int64_t)size;
  jf_out_object(out, made);
  return data;
}

/* The sum of the sizes; -1 with OverflowError set. */
static int64_t size_of(const jf_text* pieces, int64_t count) {
  size_t size = 0;
  for (int64_t i = 0; i < count; i++) {
    if (pieces[i].size > INT64_MAX / 8 - size) {
      jf_error_set("OverflowError", "strings are too large to concat");
      return -1;
    }
    size += pieces[i].size;
  }
  return (int64_t)size;
}

/* Borrows the pieces; *out is a null out-slot, which none of them lies in. -1: *out is null. */
int32_t jf_text_build(const jf_text* pieces, int64_t count, jf_value* out) {
  const int64_t size = size_of(pieces, count);
  if (size < 0) return -1;
  int32_t wide = 0;
  for (int64_t i = 0; i < count && !wide; i++) wide = has_wide(&pieces[i]);
  char* data = room_for(out, wide ? JF_SMALL_UCS4 : JF_SMALL_STR, wide ? JF_UCS4 : JF_STR, (size_t)size);
  if (!data) return -1;
  if (wide) {
    jf_char32* to = (jf_char32*)(void*)data;
    for (int64_t i = 0; i < count; i++) to = write_wide(to, &pieces[i]);
  } else {
    for (int64_t i = 0; i < count; i++) data = write_narrow(data, &pieces[i]);
  }
  return 0;
}

/* The same of bytes. */
int32_t jf_bytes_build(const jf_text* pieces, int64_t count, jf_value* out) {
  const int64_t size = size_of(pieces, count);
  if (size < 0) return -1;
  char* data = room_for(out, JF_SMALL_BYTES, JF_BYTES, (size_t)size);
  if (!data) return -1;
  for (int64_t i = 0; i < count; i++) data = write_narrow(data, &pieces[i]);
  return 0;
}

/* str(number) in the caller's 24 bytes, and the text that borrows from them. Never fails. */
void jf_text_of_int(int64_t number, char* buffer, jf_text* out) {
  char* const end = buffer + 24;
  char* at = end;
  uint64_t rest = number < 0 ? 0 - (uint64_t)number : (uint64_t)number;
  do {
    *--at = (char)('0' + rest % 10);
    rest /= 10;
  } while (rest);
  if (number < 0) *--at = '-';
  *out = (jf_text){at, (size_t)(end - at), 0};
}
