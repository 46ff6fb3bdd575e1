/* join: of a list or tuple in two passes, how long it will be, and the copying; of other things by way of a list. */
#include <string.h>

#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "jitffi/script_methods.h"
#include "jitffi/text.h"
#include "macros.h"
#include "op_value.h"
#include "text_make.h"
#include "text_units.h"

typedef struct {
  const jf_text* sep;
  const jf_item* items;
  size_t count;
  int32_t is_bytes;
  int32_t any_wide; /* an item is UCS4 */
  size_t size;      /* of the result: bytes, where nothing is UCS4, else characters */
} joint;

static JF_COLD int32_t refuse_item(const joint* all, size_t number, jf_item item) {
  jf_view view;
  jf_item_view(item, &view);
  jf_error_format("TypeError", "sequence item %lld: expected %s, %s found", (long long)number,
                  all->is_bytes ? "a bytes-like object" : "str instance", jf_op_type_name(&view));
  return -1;
}

/* JF_STR, JF_UCS4 or JF_BYTES where the object is one of its kind, else 0. */
static inline int32_t kind_of(int32_t code) {
  if (code < JF_FIRST_DYNAMIC) return code == JF_STR || code == JF_UCS4 || code == JF_BYTES ? code : 0;
  return jf_type_is_a(code, JF_STR)     ? JF_STR
         : jf_type_is_a(code, JF_UCS4)  ? JF_UCS4
         : jf_type_is_a(code, JF_BYTES) ? JF_BYTES
                                        : 0;
}

/* Bytes of an item's text that is not UCS4; -1: it is, or is no text. */
JF_ALWAYS int64_t bytes_in(jf_item item, int32_t is_bytes) {
  const int32_t code = *item.code;
  if (code == (is_bytes ? JF_SMALL_BYTES : JF_SMALL_STR)) return item.slot->small_len;
  if (code > 0 && kind_of(code) == (is_bytes ? JF_BYTES : JF_STR)) return (int64_t)((const jf_str*)item.object)->size;
  return -1;
}

/* Whether short text in a slot is ASCII, as most of it is among wide text, too. */
JF_ALWAYS int32_t is_small_ascii(const jf_any* slot) {
  const unsigned char* s = (const unsigned char*)slot + JF_PAYLOAD_OFFSET;
  uint32_t all = 0;
  if (slot->small_len <= 7) return !(slot->v_uint64 & 0x8080808080808080u);
  for (int32_t i = 0; i < slot->small_len; i++) all |= s[i];
  return all < 128;
}

/* Characters of an item's text, or -1. */
JF_ALWAYS int64_t characters_in(jf_item item) {
  switch (*item.code) {
    case JF_SMALL_STR:
      if (is_small_ascii(item.slot)) return item.slot->small_len;
      return (int64_t)jf_utf8_length((const char*)item.slot + JF_PAYLOAD_OFFSET, (size_t)item.slot->small_len);
    case JF_SMALL_UCS4:
      return item.slot->small_len;
    default:
      if (*item.code < 0) return -1;
  }
  const int32_t kind = kind_of(*item.code);
  if (kind == JF_UCS4) return (int64_t)((const jf_str*)item.object)->size;
  return kind == JF_STR ? (int64_t)jf_str_characters(item.object) : -1;
}

static int32_t add_size(joint* all, size_t more) {
  if (more > PTRDIFF_MAX / sizeof(jf_char32) - all->size) return -1;
  all->size += more;
  return 0;
}

static int32_t refuse_size(void) {
  jf_error_set("OverflowError", "join() result is too long for a Python string");
  return -1;
}

/* The first pass, as bytes; then, where some text is UCS4, as characters. -1 with the error set. */
static int32_t measure(joint* all) {
  const size_t between = all->count ? all->count - 1 : 0;
  if (all->sep->size && between > PTRDIFF_MAX / sizeof(jf_char32) / all->sep->size) return refuse_size();
  all->size = between * all->sep->size;
  all->any_wide = all->sep->wide;
  for (size_t i = 0; i < all->count && !all->any_wide; i++) {
    const int64_t bytes = all->is_bytes ? bytes_in(all->items[i], 1) : bytes_in(all->items[i], 0);
    if (bytes < 0) {
      if (all->is_bytes || characters_in(all->items[i]) < 0) return refuse_item(all, i, all->items[i]);
      all->any_wide = 1;
    } else if (add_size(all, (size_t)bytes) != 0) {
      return refuse_size();
    }
  }
  if (!all->any_wide) return 0;
  all->size = between * all->sep->size;
  for (size_t i = 0; i < all->count; i++) {
    const int64_t characters = characters_in(all->items[i]);
    if (characters < 0) return refuse_item(all, i, all->items[i]);
    if (add_size(all, (size_t)characters) != 0) return refuse_size();
  }
  return 0;
}

/* By words that overlap; `end` is the end of what can be written. */
JF_ALWAYS char* put_small(char* to, const char* end, const jf_any* slot) {
  const char* from = (const char*)slot + JF_PAYLOAD_OFFSET;
  const size_t size = (size_t)slot->small_len;
  if (size <= 8 && end - to >= 8) {
    memcpy(to, from, 8); /* every slot has as many */
  } else if (size > 8 && size <= 16) {
    uint64_t last;
    memcpy(&last, from + size - 8, 8);
    memcpy(to, from, 8);
    memcpy(to + size - 8, &last, 8);
  } else {
    memcpy(to, from, size);
  }
  return to + size;
}

static void write_bytes(const joint* all, char* to) {
  const char* const end = to + all->size;
  const char* sep = all->sep->data;
  const size_t sep_size = all->sep->size;
  for (size_t i = 0; i < all->count; i++) {
    const jf_item item = all->items[i];
    if (i) {
      if (sep_size == 1) {
        *to++ = *sep;
      } else {
        memcpy(to, sep, sep_size);
        to += sep_size;
      }
    }
    if (*item.code < 0) {
      to = put_small(to, end, item.slot);
    } else {
      const jf_str* str = (const jf_str*)item.object;
      memcpy(to, str->data, str->size);
      to += str->size;
    }
  }
}

/* 0, or -1 where an item is not valid UTF-8; no error is set. */
static int32_t write_wide(const joint* all, jf_char32* to) {
  const size_t between = all->sep->size;
  const jf_char32 first = between ? (jf_char32)jf_unit(all->sep->data, 0, all->sep->wide) : 0;
  for (size_t i = 0; i < all->count; i++) {
    const jf_item item = all->items[i];
    if (i && between == 1) *to = first;
    if (i && between > 1) jf_units_copy(to, 1, all->sep->data, all->sep->wide, between);
    if (i) to += between;
    if (*item.code == JF_SMALL_STR && is_small_ascii(item.slot)) {
      const unsigned char* s = (const unsigned char*)item.slot + JF_PAYLOAD_OFFSET;
      for (int32_t k = 0; k < item.slot->small_len; k++) *to++ = s[k];
      continue;
    }
    const int32_t is_small = *item.code < 0;
    const int32_t is_utf8 = is_small ? *item.code == JF_SMALL_STR : kind_of(*item.code) == JF_STR;
    const void* data = is_small ? (const char*)item.slot + JF_PAYLOAD_OFFSET : ((const jf_str*)item.object)->data;
    const size_t size = is_small ? (size_t)item.slot->small_len : ((const jf_str*)item.object)->size;
    if (!is_utf8) {
      memcpy(to, data, size * sizeof(jf_char32));
      to += size;
      continue;
    }
    const int64_t made = jf_utf8_to_ucs4(data, size, to);
    if (made < 0) return -1;
    to += made;
  }
  return 0;
}

static int32_t refuse_text(jf_value* out) {
  jf_any_release(out);
  jf_error_set("UnicodeDecodeError", "'utf-8' codec can't decode the text of an item");
  return -1;
}

/* The result, which is UTF-8 that is not ASCII, becomes UCS4. */
static JF_COLD int32_t widen(jf_value* out, int32_t capacity) {
  jf_any* made = out;
  char copy[JF_MAX_CAPACITY];
  jf_text text;
  jf_object* object = NULL;
  if (made->type_code == JF_OBJECT) {
    object = made->v_object;
    text = (jf_text){((const jf_str*)object)->data, ((const jf_str*)object)->size, 0};
  } else {
    text = (jf_text){copy, (size_t)made->small_len, 0};
    memcpy(copy, (const char*)made + JF_PAYLOAD_OFFSET, text.size);
  }
  jf_out_init(out, capacity);
  const size_t count = jf_utf8_length(text.data, text.size);
  jf_char32* units = jf_text_begin(out, JF_UCS4, count);
  const int64_t written = units ? jf_utf8_to_ucs4(text.data, text.size, units) : 0;
  if (object) jf_object_release(object);
  if (!units) return -1;
  if (written >= 0) return 0;
  memset(units, 0, count * sizeof *units);
  return refuse_text(out);
}

static int32_t join_items(joint* all, jf_value* out) {
  const int32_t capacity = out->small_len;
  if (measure(all) != 0) {
    *out = jf_static_null;
    return -1;
  }
  void* data = jf_text_begin(out, all->any_wide ? JF_UCS4 : all->is_bytes ? JF_BYTES : JF_STR, all->size);
  if (!data) return -1;
  if (all->any_wide) {
    if (write_wide(all, data) == 0) return jf_text_narrow(out, capacity);
    memset(data, 0, all->size * sizeof(jf_char32));
    return refuse_text(out);
  }
  write_bytes(all, data);
  return all->is_bytes || jf_is_ascii(data, all->size) ? 0 : widen(out, capacity);
}

/* Of the characters of a text. */
static int32_t join_characters(const jf_text* sep, const jf_text* text, jf_value* out) {
  const size_t between = text->size ? text->size - 1 : 0;
  const int32_t capacity = out->small_len, wide = text->wide || (sep->wide && between);
  if (sep->size && between > (PTRDIFF_MAX / sizeof(jf_char32) - text->size) / sep->size) {
    *out = jf_static_null;
    return refuse_size();
  }
  void* data = jf_text_begin(out, wide ? JF_UCS4 : JF_STR, text->size + between * sep->size);
  if (!data) return -1;
  size_t at = 0;
  for (size_t i = 0; i < text->size; i++) {
    if (i) jf_units_copy((void*)(uintptr_t)jf_unit_address(data, at, wide), wide, sep->data, sep->wide, sep->size);
    if (i) at += sep->size;
    jf_put_unit(data, at++, wide, jf_unit(text->data, i, text->wide));
  }
  return wide ? jf_text_narrow(out, capacity) : 0;
}

/* A new list of whatever `items` yields. */
static jf_object* list_of(const jf_view* items) {
  jf_object* list = NULL;
  if (jf_op_list(items, JF_MAX_PAD, &list) == 0) return list;
  const jf_error* error = (const jf_error*)jf_error_peek();
  /* An iterable of another language is one, but not for a script, as the error says. */
  if (error && error->kind && strcmp(error->kind->data, "TypeError") == 0 && strstr(error->message->data, " is not ")) {
    jf_error_set("TypeError", "can only join an iterable");
  }
  return NULL;
}

static int32_t join(const jf_text* sep, const jf_view* items, int32_t is_bytes, jf_value* out) {
  joint all = {.sep = sep, .is_bytes = is_bytes};
  const jf_object* object = items->type_code == JF_OBJECT ? items->v_object : NULL;
  const int32_t code = object ? object->type_code : 0;
  if (object && (code == JF_LIST || code == JF_TUPLE || jf_type_is_a(code, JF_LIST) || jf_type_is_a(code, JF_TUPLE))) {
    all.items = ((const jf_list*)object)->items; /* a tuple's are at the same place */
    all.count = ((const jf_list*)object)->size;
    return join_items(&all, out);
  }
  if (!is_bytes) {
    jf_text text;
    jf_value keep = {JF_NULL, 8, {0}};
    const int32_t status = jf_text_of(items, &text, &keep);
    if (status != 1) {
      const int32_t done = status == 0 ? join_characters(sep, &text, out) : -1;
      if (status != 0) *out = jf_static_null;
      if (keep.type_code != JF_NULL) jf_any_release(&keep);
      return done;
    }
  }
  jf_object* list = list_of(items);
  if (!list) {
    *out = jf_static_null;
    return -1;
  }
  all.items = ((const jf_list*)list)->items;
  all.count = ((const jf_list*)list)->size;
  const int32_t status = join_items(&all, out);
  jf_object_release(list);
  return status;
}

/* Borrow. TypeError, what the iteration fails with, OverflowError, MemoryError: *out is null. */
int32_t jf_text_join(const jf_text* text, const jf_view* items, jf_value* out) { return join(text, items, 0, out); }
int32_t jf_bytes_join(const jf_text* bytes, const jf_view* items, jf_value* out) { return join(bytes, items, 1, out); }
