/* Python's repr of any value.
 *
 * Text differs from CPython's in one respect: which characters beyond Latin-1 are written as escapes follows a short
 * table (formats, separators, private use, noncharacters) in place of Unicode's; code points that no character has been
 * given yet are written as they are. Whoever has the tables of Unicode passes them in: jf_any_repr_with.
 */

#include <string.h>

#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/text.h"
#include "map.h"
#include "message.h"
#include "slot.h"
#include "utf8.h"
#include "value.h"

/* Nested containers are written by recursion: what has memory of its own on the stack is no part of its frames. */
#define APART __attribute__((noinline))

typedef struct {
  char* data;
  size_t size;
  size_t capacity;
} writer;

/* Room for `more` bytes: where to write them. NULL with MemoryError set. */
static char* make_room(writer* w, size_t more) {
  if (more <= w->capacity - w->size) return w->data + w->size;
  const size_t capacity = 2 * w->capacity + more + 64;
  char* data = capacity > more ? jf_alloc(capacity) : NULL;
  if (!data) {
    jf_error_no_memory();
    return NULL;
  }
  if (w->size) memcpy(data, w->data, w->size);
  jf_free(w->data);
  w->data = data;
  w->capacity = capacity;
  return data + w->size;
}

static int32_t put(writer* w, const char* piece, size_t size) {
  char* at = make_room(w, size);
  if (!at) return -1;
  memcpy(at, piece, size);
  w->size += size;
  return 0;
}

static int32_t put_text(writer* w, const char* text) { return put(w, text, strlen(text)); }

/* -- text -- */

/* Beyond Latin-1: what Python does not print. */
static int32_t is_hidden(uint32_t c) {
  static const uint32_t ranges[][2] = {{0x600, 0x605},     {0x61C, 0x61C},     {0x6DD, 0x6DD},       {0x70F, 0x70F},
                                       {0x890, 0x891},     {0x8E2, 0x8E2},     {0x1680, 0x1680},     {0x180E, 0x180E},
                                       {0x2000, 0x200F},   {0x2028, 0x202F},   {0x205F, 0x206F},     {0x3000, 0x3000},
                                       {0xD800, 0xF8FF},   {0xFDD0, 0xFDEF},   {0xFEFF, 0xFEFF},     {0xFFF0, 0xFFFB},
                                       {0x110BD, 0x110BD}, {0x110CD, 0x110CD}, {0x13430, 0x1343F},   {0x1BCA0, 0x1BCA3},
                                       {0x1D173, 0x1D17A}, {0xE0000, 0xE00FF}, {0xE01F0, UINT32_MAX}};
  if ((c & 0xFFFE) == 0xFFFE) return 1;
  for (size_t i = 0; i < sizeof ranges / sizeof ranges[0] && c >= ranges[i][0]; i++) {
    if (c <= ranges[i][1]) return 1;
  }
  return 0;
}

/* What jf_any_repr_with was given, as long as it writes on this thread. */
static __thread int32_t (*is_printable)(int32_t code_point);

/* The escape for a code point, or 0 where it stands for itself. */
static int escape_of(uint32_t c, char quote, char* out, size_t capacity) {
  switch (c) {
    case '\n':
      return jf_print(out, capacity, "\\n");
    case '\r':
      return jf_print(out, capacity, "\\r");
    case '\t':
      return jf_print(out, capacity, "\\t");
    case '\\':
      return jf_print(out, capacity, "\\\\");
    default:
      break;
  }
  if (c == (unsigned char)quote) return jf_print(out, capacity, "\\%c", quote);
  if (c < 0x20 || (c >= 0x7F && c <= 0xA0) || c == 0xAD) return jf_print(out, capacity, "\\x%02x", (unsigned)c);
  if (c < 0x100 || (is_printable && c <= INT32_MAX ? is_printable((int32_t)c) : !is_hidden(c))) return 0;
  return jf_print(out, capacity, c < 0x10000 ? "\\u%04x" : "\\U%08x", (unsigned)c);
}

static int32_t put_character(writer* w, uint32_t c, char quote) {
  enum { LONGEST = 12 };
  char* at = make_room(w, LONGEST);
  if (!at) return -1;
  const int length = escape_of(c, quote, at, LONGEST);
  w->size += length > 0 ? (size_t)length : jf_utf8_encode(c, at);
  return 0;
}

static int32_t put_utf8(writer* w, const char* data, size_t size, char quote) {
  for (size_t i = 0, length; i < size; i += length) {
    size_t plain = i; /* a run of ASCII that stands for itself */
    while (plain < size && data[plain] >= ' ' && data[plain] < 0x7F && data[plain] != quote && data[plain] != '\\')
      plain++;
    length = plain - i;
    if (length) {
      if (put(w, data + i, length) != 0) return -1;
      continue;
    }
    jf_char32 c = 0;
    length = jf_utf8_decode(data + i, size - i);
    if (!length) {
      char escape[8];
      const int written = jf_print(escape, sizeof escape, "\\x%02x", (unsigned)(unsigned char)data[i]);
      if (put(w, escape, (size_t)written) != 0) return -1;
      length = 1;
      continue;
    }
    jf_utf8_to_ucs4(data + i, length, &c);
    if (put_character(w, (uint32_t)c, quote) != 0) return -1;
  }
  return 0;
}

static int32_t contains(jf_encoded text, unsigned char c) {
  if (text.kind != JF_TEXT_UCS4) return text.size && memchr(text.data, c, text.size) != NULL;
  for (size_t i = 0; i < text.size; i++) {
    if (((const jf_char32*)text.data)[i] == c) return 1;
  }
  return 0;
}

static APART int32_t put_quoted(writer* w, jf_encoded text) {
  const char quote = contains(text, '\'') && !contains(text, '"') ? '"' : '\'';
  if (text.kind == JF_TEXT_BYTES && put(w, "b", 1) != 0) return -1;
  if (put(w, &quote, 1) != 0) return -1;
  if (text.kind == JF_TEXT_UTF8 && put_utf8(w, text.data, text.size, quote) != 0) return -1;
  for (size_t i = 0; text.kind == JF_TEXT_UCS4 && i < text.size; i++) {
    if (put_character(w, (uint32_t)((const jf_char32*)text.data)[i], quote) != 0) return -1;
  }
  for (size_t i = 0; text.kind == JF_TEXT_BYTES && i < text.size; i++) {
    const unsigned char byte = ((const unsigned char*)text.data)[i];
    char escape[8];
    const int length = byte >= 0x80 ? jf_print(escape, sizeof escape, "\\x%02x", byte) : 0;
    if (length ? put(w, escape, (size_t)length) : put_character(w, byte, quote)) return -1;
  }
  return put(w, &quote, 1);
}

/* -- containers -- */

/* What is being written on this thread, so that a container within itself is seen, through objects of others, too. */
typedef struct frame frame;
struct frame {
  const jf_object* object;
  frame* outer;
};
static __thread frame* innermost;

static int32_t is_being_written(const jf_object* object) {
  for (const frame* f = innermost; f; f = f->outer) {
    if (f->object == object) return 1;
  }
  return 0;
}

static int32_t put_value(writer* w, const jf_any* slot);

/* Of an item that is held meanwhile: writing it can run code of others. */
static int32_t put_item(writer* w, jf_item item) {
  if (!jf_item_runs_code(item)) {
    jf_any scratch;
    return put_value(w, jf_item_slot(item, &scratch));
  }
  jf_any view;
  jf_item_view(item, &view);
  jf_object_retain(item.object);
  const int32_t status = put_value(w, &view);
  jf_object_release(view.v_object);
  return status;
}

static int32_t put_items(writer* w, const jf_list* list) {
  for (size_t i = 0; i < list->size; i++) {
    if (i && put(w, ", ", 2) != 0) return -1;
    if (put_item(w, list->items[i]) != 0) return -1;
  }
  return 0;
}

/* The key's writing can free the value. */
static APART int32_t put_entry_held(writer* w, jf_item key, jf_item value) {
  jf_held held;
  jf_hold(value, &held);
  int32_t status = put_item(w, key);
  if (status == 0) status = put(w, ": ", 2);
  if (status == 0) status = put_value(w, &held.slot);
  jf_unhold(&held);
  return status;
}

static int32_t put_entries(writer* w, const jf_map* map) {
  int32_t is_first = 1;
  for (size_t i = 0; i < map->used; i++) {
    const jf_item key = jf_map_at(map, i)->key;
    if (!key.code) continue;
    const jf_item value = jf_map_value(map, jf_map_at(map, i));
    if (!is_first && put(w, ", ", 2) != 0) return -1;
    is_first = 0;
    if (jf_is_set(map)) {
      if (put_item(w, key) != 0) return -1;
    } else if (jf_item_runs_code(key)) {
      if (put_entry_held(w, key, value) != 0) return -1;
    } else if (put_item(w, key) != 0 || put(w, ": ", 2) != 0 || put_item(w, value) != 0) {
      return -1;
    }
  }
  return 0;
}

static int32_t put_container(writer* w, const jf_object* object, int32_t kind) {
  static const char* const brackets[][3] = {
      {"[", "]", "[...]"}, {"(", ")", "(...)"}, {"{", "}", "{...}"}, {"{", "}", "{...}"}};
  const char* const* bracket = brackets[kind - JF_VALUE_LIST];
  if (is_being_written(object)) return put_text(w, bracket[2]);
  if (kind == JF_VALUE_SET && !jf_map_size(object)) return put_text(w, "set()");
  if (jf_value_enter("while getting the repr of an object") != 0) return -1;
  frame own = {object, innermost};
  innermost = &own;
  int32_t status = put_text(w, bracket[0]);
  if (status == 0)
    status = kind >= JF_VALUE_MAP ? put_entries(w, (const jf_map*)object) : put_items(w, (const jf_list*)object);
  if (status == 0 && kind == JF_VALUE_TUPLE && ((const jf_tuple*)object)->size == 1) status = put_text(w, ",");
  if (status == 0) status = put_text(w, bracket[1]);
  innermost = own.outer;
  jf_value_leave();
  return status;
}

/* -- the rest -- */

static APART int32_t put_number(writer* w, const jf_any* slot) {
  char text[JF_FLOAT_TEXT];
  switch (slot->type_code) {
    case JF_FLOAT:
      return put(w, text, jf_float_repr(slot->v_float64, text));
    case JF_BOOL:
      return put_text(w, slot->v_int64 ? "True" : "False");
    case JF_UINT:
      jf_print(text, sizeof text, "%llu", (unsigned long long)slot->v_uint64);
      return put_text(w, text);
    default:
      jf_print(text, sizeof text, "%lld", (long long)slot->v_int64);
      return put_text(w, text);
  }
}

static APART int32_t put_plain(writer* w, const jf_any* slot) {
  char name[64], text[96];
  if (slot->type_code == JF_DTYPE) {
    jf_dtype_format(slot->v_dtype, name, sizeof name);
    jf_print(text, sizeof text, "DataType('%s')", name);
  } else if (slot->type_code == JF_DEVICE) {
    jf_device_format(slot->v_device, name, sizeof name);
    jf_print(text, sizeof text, "Device('%s')", name);
  } else if (slot->type_code == JF_HANDLE) { /* an int in Python */
    jf_print(text, sizeof text, "%llu", (unsigned long long)slot->v_uint64);
  } else {
    jf_print(text, sizeof text, "<%s at 0x%llx>", jf_type_key(slot->type_code), (unsigned long long)slot->v_uint64);
  }
  return put_text(w, text);
}

static APART int32_t put_shape(writer* w, const jf_shape* shape) {
  char text[32];
  if (put_text(w, "Shape((") != 0) return -1;
  for (size_t i = 0; i < shape->size; i++) {
    jf_print(text, sizeof text, i ? ", %lld" : "%lld", (long long)shape->data[i]);
    if (put_text(w, text) != 0) return -1;
  }
  return put_text(w, shape->size == 1 ? ",))" : "))");
}

static APART int32_t put_by(writer* w, const jf_type_operations* operations, jf_object* object) {
  jf_value out = {JF_NULL, 0, {0}};
  if (jf_value_enter("while getting the repr of an object") != 0) return -1;
  int32_t status = operations->repr(object, &out);
  jf_value_leave();
  if (status != 0) return -1;
  const jf_encoded text = jf_any_text(&out);
  if (text.kind == JF_TEXT_UTF8) {
    status = put(w, text.data, text.size);
  } else {
    jf_error_format("TypeError", "the repr of a '%s' object is no str", jf_type_key(object->type_code));
    status = -1;
  }
  jf_any_release(&out);
  return status;
}

/* As Python writes the exception. */
static int32_t put_error(writer* w, const jf_error* error) {
  const jf_encoded message = {JF_TEXT_UTF8, 1, error->message->data, error->message->size};
  if (put(w, error->kind->data, error->kind->size) != 0 || put(w, "(", 1) != 0) return -1;
  return put_quoted(w, message) == 0 ? put(w, ")", 1) : -1;
}

static APART int32_t put_object(writer* w, const jf_object* object) {
  if (jf_type_is_a(object->type_code, JF_ERROR)) return put_error(w, (const jf_error*)object);
  char address[40];
  jf_print(address, sizeof address, " at 0x%llx>", (unsigned long long)(uintptr_t)object);
  if (put(w, "<", 1) != 0 || put_text(w, jf_type_key(object->type_code)) != 0) return -1;
  return put_text(w, address);
}

static int32_t put_value(writer* w, const jf_any* slot) {
  const int32_t kind = jf_value_kind(slot);
  const jf_type_operations* operations = jf_value_operations(slot, kind);
  if (operations && operations->repr) return put_by(w, operations, slot->v_object);
  switch (kind) {
    case JF_VALUE_BAD:
      return jf_value_fail_bad(slot);
    case JF_VALUE_NULL:
      return put_text(w, "None");
    case JF_VALUE_NUMBER:
      return put_number(w, slot);
    case JF_VALUE_PLAIN:
      return put_plain(w, slot);
    case JF_VALUE_TEXT:
    case JF_VALUE_BYTES:
      return put_quoted(w, jf_any_text(slot));
    case JF_VALUE_SHAPE:
      return put_shape(w, (const jf_shape*)slot->v_object);
    case JF_VALUE_OBJECT:
      return put_object(w, slot->v_object);
    default:
      return put_container(w, slot->v_object, kind);
  }
}

/* Borrows value; *out owns the text. -1 with the error set: MemoryError, RecursionError, or what an object's own repr
 * says; *out is null then. */
int32_t jf_any_repr(const jf_any* value, jf_value* out) {
  jf_any scratch;
  writer w = {NULL, 0, 0};
  int32_t status = put_value(&w, jf_any_resolve(value, &scratch));
  if (status == 0) {
    status = jf_out_str(out, w.data, w.size);
  } else {
    *out = (jf_any){JF_NULL, 0, {0}};
  }
  jf_free(w.data);
  return status;
}

/* As jf_any_repr; `printable` says which characters beyond Latin-1 stand for themselves, in nested values, too. */
int32_t jf_any_repr_with(const jf_any* value, int32_t (*printable)(int32_t code_point), jf_value* out) {
  int32_t (*const outer)(int32_t) = is_printable;
  is_printable = printable;
  const int32_t status = jf_any_repr(value, out);
  is_printable = outer;
  return status;
}
