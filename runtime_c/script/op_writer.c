/* Text that is put together a piece at a time: one byte a character until the first one beyond ASCII. */
#include <string.h>

#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "jitffi/text.h"
#include "message.h"
#include "op_value.h"
#include "op_writer.h"

void jf_writer_init(jf_writer* w) {
  w->data = w->near;
  w->size = 0;
  w->capacity = sizeof w->near;
  w->wide = w->failed = 0;
}

void jf_writer_free(jf_writer* w) {
  if (w->data != w->near) jf_free(w->data);
  jf_writer_init(w);
}

static size_t unit_of(const jf_writer* w) { return w->wide ? sizeof(jf_char32) : 1; }

/* Room for `more` characters of that width. 0, or -1: there is no memory. */
static int32_t make_room(jf_writer* w, size_t more, int32_t wide) {
  if (w->failed) return -1;
  if (wide <= w->wide && more <= w->capacity - w->size) return 0;
  const size_t unit = wide || w->wide ? sizeof(jf_char32) : 1;
  const size_t most = PTRDIFF_MAX / sizeof(jf_char32) / 4;
  const size_t capacity = more > most || w->size > most ? 0 : 2 * w->size + more + 64;
  char* data = capacity ? jf_alloc(capacity * unit) : NULL;
  if (!data) {
    w->failed = 1;
    return -1;
  }
  if (unit == unit_of(w)) {
    memcpy(data, w->data, w->size * unit);
  } else {
    for (size_t i = 0; i < w->size; i++) ((jf_char32*)(void*)data)[i] = ((unsigned char*)w->data)[i];
  }
  if (w->data != w->near) jf_free(w->data);
  w->data = data;
  w->capacity = capacity;
  w->wide = unit != 1;
  return 0;
}

void jf_writer_ascii(jf_writer* w, const char* data, size_t size) {
  if (make_room(w, size, 0) != 0) return;
  if (!w->wide) {
    memcpy((char*)w->data + w->size, data, size);
  } else {
    for (size_t i = 0; i < size; i++) ((jf_char32*)w->data)[w->size + i] = (unsigned char)data[i];
  }
  w->size += size;
}

void jf_writer_char(jf_writer* w, jf_char32 c, size_t times) {
  if (make_room(w, times, c > 0x7F) != 0) return;
  if (!w->wide) {
    memset((char*)w->data + w->size, (int)c, times);
  } else {
    for (size_t i = 0; i < times; i++) ((jf_char32*)w->data)[w->size + i] = c;
  }
  w->size += times;
}

void jf_writer_text(jf_writer* w, const jf_text* text) {
  if (!text->wide) {
    jf_writer_ascii(w, text->data, text->size);
    return;
  }
  if (make_room(w, text->size, 1) != 0) return;
  memcpy((jf_char32*)w->data + w->size, text->data, text->size * sizeof(jf_char32));
  w->size += text->size;
}

int32_t jf_writer_end(jf_writer* w, jf_value* out) {
  int32_t status = -1;
  if (w->failed) {
    jf_set_null(out);
    jf_error_no_memory();
  } else {
    const jf_text text = {w->data, w->size, w->wide};
    status = jf_text_out(&text, out);
  }
  jf_writer_free(w);
  return status;
}

/* Borrows data, valid UTF-8. MemoryError: *out is null. */
int32_t jf_out_utf8(jf_value* out, const char* data, size_t size) {
  if (jf_is_ascii(data, size)) return jf_out_str(out, data, size);
  jf_char32 near[64];
  jf_char32* wide = size <= 64 ? near : size <= PTRDIFF_MAX / sizeof *wide ? jf_alloc(size * sizeof *wide) : NULL;
  if (!wide) {
    jf_set_null(out);
    jf_error_no_memory();
    return -1;
  }
  const int64_t count = jf_utf8_to_ucs4(data, size, wide);
  const int32_t status = jf_out_ucs4(out, wide, count < 0 ? 0 : (size_t)count);
  if (wide != near) jf_free(wide);
  return status;
}
