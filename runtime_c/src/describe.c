/* What messages say of a slot: its type and, where it is short, its value. Text goes in whole characters and whole
 * escapes, so that no cut breaks it.
 */
#include <stdlib.h>
#include <string.h>

#include "decimal.h"
#include "jitffi/runtime.h"
#include "message.h"
#include "slot.h"
#include "utf8.h"

enum { SHOWN = 40 }; /* bytes of a text that are shown */

typedef struct {
  char* start;
  char* at;
  char* end; /* of what may be written, before the final NUL */
} writer;

static writer writer_on(char* buffer, size_t capacity) {
  if (capacity) *buffer = 0;
  return (writer){buffer, buffer, capacity ? buffer + capacity - 1 : buffer};
}

/* All of it or, for good, nothing more. */
static void put(writer* w, const char* piece, size_t size) {
  if ((size_t)(w->end - w->at) < size) {
    w->end = w->at;
    return;
  }
  memcpy(w->at, piece, size);
  w->at += size;
  if (size) *w->at = 0;
}

static void put_text(writer* w, const char* text) {
  for (size_t length; *text; text += length) {
    length = jf_utf8_decode(text, strlen(text));
    if (!length) length = 1;
    put(w, text, length);
  }
}

static void put_escape(writer* w, char letter, unsigned number, int digits) {
  char escape[16];
  int length = digits ? jf_print(escape, sizeof escape, "\\%c%0*x", letter, digits, number)
                      : jf_print(escape, sizeof escape, "\\%c", letter);
  put(w, escape, (size_t)length);
}

/* One character, `length` bytes; 0: the byte is not UTF-8. C1 controls are controls too. */
static void put_character(writer* w, const unsigned char* s, size_t length) {
  static const char named[] = "\nn\tt\rr\\\\''";
  const char* name = length == 1 && s[0] ? strchr(named, s[0]) : NULL;
  if (name && (name - named) % 2 == 1) name = NULL; /* a letter of the table itself */
  if (name) {
    put_escape(w, name[1], 0, 0);
  } else if (length == 0 || (length == 1 && (s[0] < 0x20 || s[0] == 0x7F))) {
    put_escape(w, 'x', s[0], 2);
  } else if (length == 2 && s[0] == 0xC2 && s[1] < 0xA0) {
    put_escape(w, 'x', s[1], 2);
  } else {
    put(w, (const char*)s, length);
  }
}

static void put_utf8(writer* w, const char* data, size_t size, int32_t is_bytes) {
  size_t shown = 0;
  put(w, "'", 1);
  while (shown < size) {
    const unsigned char* s = (const unsigned char*)data + shown;
    size_t length = is_bytes ? *s < 0x80 : jf_utf8_decode(data + shown, size - shown);
    if (shown + (length ? length : 1) > SHOWN) break;
    put_character(w, s, length);
    shown += length ? length : 1;
  }
  put_text(w, shown < size ? "'..." : "'");
}

static void put_ucs4(writer* w, const jf_char32* data, size_t size) {
  size_t shown = 0, bytes = 0;
  put(w, "'", 1);
  for (; shown < size; shown++) {
    char utf8[4];
    size_t length = jf_utf8_encode((uint32_t)data[shown], utf8);
    bytes += length ? length : 4;
    if (bytes > SHOWN) break;
    if (length) {
      put_character(w, (const unsigned char*)utf8, length);
    } else {
      put_escape(w, 'U', (unsigned)data[shown], 8);
    }
  }
  put_text(w, shown < size ? "'..." : "'");
}

static void put_float(writer* w, double value) {
  char text[JF_FLOAT_TEXT];
  put(w, text, jf_float_repr(value, text));
}

/* Of a resolved slot that is neither text nor object. */
static void put_plain(writer* w, const jf_any* slot) {
  char text[64];
  switch (slot->type_code) {
    case JF_INT:
      jf_print(text, sizeof text, "int %lld", (long long)slot->v_int64);
      put_text(w, text);
      return;
    case JF_UINT:
      jf_print(text, sizeof text, "int %llu", (unsigned long long)slot->v_uint64);
      put_text(w, text);
      return;
    case JF_FLOAT:
      put_text(w, "float ");
      put_float(w, slot->v_float64);
      return;
    case JF_BOOL:
      put_text(w, slot->v_int64 ? "bool True" : "bool False");
      return;
    case JF_HANDLE:
      jf_print(text, sizeof text, "handle 0x%llx", (unsigned long long)slot->v_uint64);
      put_text(w, text);
      return;
    case JF_DTYPE:
      put_text(w, "dtype ");
      jf_dtype_format(slot->v_dtype, text, sizeof text);
      put_text(w, text);
      return;
    case JF_DEVICE:
      put_text(w, "device ");
      jf_device_format(slot->v_device, text, sizeof text);
      put_text(w, text);
      return;
    default:
      if (slot->type_code >= JF_S0_LAST && slot->type_code < 0) {
        put_text(w, jf_type_key(slot->type_code));
        return;
      }
      jf_print(text, sizeof text, "a slot with the unknown type code %d", slot->type_code);
      put_text(w, text);
  }
}

/* Borrows. Never fails. */
size_t jf_any_describe(const jf_any* slot, char* buffer, size_t capacity) {
  writer w = writer_on(buffer, capacity);
  jf_any scratch;
  const jf_any* resolved = jf_any_resolve(slot, &scratch);
  const jf_encoded text = jf_any_text(resolved);
  const jf_object* object = jf_any_object(resolved);
  if (text.kind == JF_TEXT_UCS4) {
    put_text(&w, "ucs4 ");
    put_ucs4(&w, text.data, text.size);
  } else if (text.kind != JF_TEXT_NONE) {
    put_text(&w, text.kind == JF_TEXT_UTF8 ? "str " : "bytes ");
    put_utf8(&w, text.data, text.size, text.kind == JF_TEXT_BYTES);
  } else if (object) {
    put_text(&w, jf_type_key(object->type_code));
  } else {
    put_plain(&w, resolved);
  }
  return (size_t)(w.at - w.start);
}

const char* jf_quote(const char* text, char* buffer, size_t capacity) {
  writer w = writer_on(buffer, capacity);
  put_utf8(&w, text, strlen(text), 0);
  return buffer;
}

int32_t jf_fail_name(const char* format, const char* name) {
  char quoted[JF_QUOTE_SIZE];
  jf_error_format("ValueError", format, jf_quote(name, quoted, sizeof quoted));
  return -1;
}
