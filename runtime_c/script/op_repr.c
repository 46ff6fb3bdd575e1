/* str, repr, ascii and print. */
#include <stdio.h>
#include <string.h>

#include "decimal.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "jitffi/text.h"
#include "message.h"
#include "op_repr.h"
#include "op_value.h"
#include "op_writer.h"
#include "slot.h"
#include "value.h"

int32_t jf_char_is_printable(int32_t code_point) { return (jf_char_flags(code_point) & JF_IS_PRINTABLE) != 0; }

/* The repr in the runtime's form: UTF-8. */
static int32_t repr_utf8(const jf_any* value, jf_value* out) {
  return jf_any_repr_with(value, jf_char_is_printable, out) == 0 ? 0 : jf_op_failed_out(out);
}

/* UTF-8 in a room that is given up, as a str of a script; *out had that capacity. */
static int32_t from_utf8(jf_room* room, int32_t capacity, jf_value* out) {
  const jf_encoded text = jf_any_text(&room->slot);
  if (room->slot.type_code == JF_OBJECT && jf_is_ascii(text.data, text.size)) {
    *out = room->slot;
    return 0;
  }
  jf_out_init(out, capacity);
  const int32_t status = jf_out_utf8(out, text.data, text.size);
  jf_any_release(&room->slot);
  return status;
}

/* Borrows. *out is null on failure. */
int32_t jf_op_repr(const jf_any* value, jf_value* out) {
  jf_room room;
  const int32_t capacity = jf_out_capacity(out);
  jf_room_init(&room);
  if (repr_utf8(value, &room.slot) == 0) return from_utf8(&room, capacity, out);
  jf_set_null(out);
  return -1;
}

/* -- values of others -- */

int32_t jf_op_is_foreign(const jf_any* slot) {
  const int32_t kind = jf_value_kind(slot);
  return kind == JF_VALUE_PLAIN || kind == JF_VALUE_SHAPE || kind == JF_VALUE_OBJECT;
}

/* The specifier as UTF-8, which is to be freed; NULL with the error set. */
static char* spec_utf8(const jf_text* spec, size_t* size) {
  const int64_t needed = spec->wide ? jf_ucs4_utf8_size(spec->data, spec->size) : (int64_t)spec->size;
  if (needed < 0) {
    jf_error_set("ValueError", "a lone surrogate is in a format specifier");
    return NULL;
  }
  char* utf8 = jf_alloc((size_t)needed + 1);
  *size = (size_t)needed;
  if (!utf8) {
    jf_error_no_memory();
  } else if (spec->wide) {
    jf_ucs4_to_utf8(spec->data, spec->size, utf8);
  } else {
    memcpy(utf8, spec->data, spec->size);
  }
  return utf8;
}

/* By the language that the process has beside scripts. */
static int32_t text_by(jf_text_writer write, const jf_any* slot, const jf_text* spec, jf_value* out) {
  jf_room room;
  size_t size = 0;
  const int32_t capacity = jf_out_capacity(out);
  char* utf8 = spec ? spec_utf8(spec, &size) : NULL;
  const jf_span wanted = {utf8, size};
  int32_t status = spec && !utf8 ? -1 : 0;
  jf_room_init(&room);
  if (status == 0) status = write(slot, spec ? &wanted : NULL, &room.slot);
  jf_free(utf8);
  if (status == 0) return from_utf8(&room, capacity, out);
  jf_set_null(out);
  return -1;
}

int32_t jf_op_text_of(const jf_any* slot, const jf_text* spec, jf_value* out) {
  const jf_text_writer write = jf_get_text_writer();
  if (write) return text_by(write, slot, spec, out);
  if (spec && spec->size) {
    jf_set_null(out);
    return JF_FAIL("TypeError", "unsupported format string passed to %s.__format__", jf_op_type_name(slot));
  }
  const jf_error* error = (const jf_error*)jf_any_object(slot);
  if (!error || !jf_type_is_a(error->header.type_code, JF_ERROR)) return jf_op_repr(slot, out);
  return jf_out_utf8(out, error->message->data, error->message->size);
}

/* A str, its text as it is: shared where it is a heap string in a script's own form. */
static int32_t str_of_text(const jf_any* slot, jf_value* out) {
  const jf_object* object = jf_any_object(slot);
  const jf_encoded encoded = jf_any_text(slot);
  if (encoded.kind == JF_TEXT_UCS4 && object) return jf_any_retain(slot, out);
  if (encoded.kind == JF_TEXT_UTF8 && object && jf_str_characters(object) == encoded.size) {
    return jf_any_retain(slot, out);
  }
  if (encoded.kind == JF_TEXT_UTF8) return jf_out_utf8(out, encoded.data, encoded.size);
  const jf_text text = {encoded.data, encoded.size, 1};
  return jf_text_out(&text, out);
}

/* Borrows; *out owns the text. MemoryError, RecursionError, or what an object itself says: *out is null. */
int32_t jf_op_str(const jf_any* value, jf_value* out) {
  jf_any scratch;
  char text[JF_FLOAT_TEXT];
  const jf_any* slot = jf_any_resolve(value, &scratch);
  switch (slot->type_code) {
    case JF_INT: {
      jf_text digits;
      jf_text_of_int(slot->v_int64, text, &digits);
      return jf_out_str(out, digits.data, digits.size);
    }
    case JF_FLOAT:
      return jf_out_str(out, text, jf_float_repr(slot->v_float64, text));
    default:
      if (jf_value_kind(slot) == JF_VALUE_TEXT) return str_of_text(slot, out);
      return jf_op_is_foreign(slot) ? jf_op_text_of(slot, NULL, out) : jf_op_repr(slot, out);
  }
}

/* Borrows. *out is null on failure. */
int32_t jf_op_ascii(const jf_any* value, jf_value* out) {
  jf_room room;
  jf_text text;
  jf_writer w;
  const int32_t capacity = jf_out_capacity(out);
  jf_room_init(&room);
  if (jf_op_repr(value, &room.slot) != 0 || jf_text_of(&room.slot, &text, NULL) != 0) {
    jf_set_null(out);
    return -1;
  }
  jf_writer_init(&w);
  for (size_t i = 0; i < text.size; i++) {
    const uint32_t c = text.wide ? (uint32_t)((const jf_char32*)text.data)[i] : ((const unsigned char*)text.data)[i];
    char escape[12] = {(char)c, 0};
    int length = 1;
    if (c > 0x7F) {
      const char* const format = c < 0x100 ? "\\x%02x" : c < 0x10000 ? "\\u%04x" : "\\U%08x";
      length = snprintf(escape, sizeof escape, format, (unsigned)c);
    }
    jf_writer_ascii(&w, escape, (size_t)length);
  }
  jf_any_release(&room.slot);
  jf_out_init(out, capacity);
  return jf_writer_end(&w, out);
}

char* jf_op_repr_text(const jf_any* value, size_t most) {
  jf_room room;
  jf_room_init(&room);
  if (repr_utf8(value, &room.slot) != 0) return NULL;
  const jf_encoded text = jf_any_text(&room.slot);
  const size_t size = most ? jf_utf8_offset(text.data, text.size, most) : text.size;
  char* made = jf_alloc(size + 1);
  if (made) {
    memcpy(made, text.data, size);
    made[size] = 0;
  } else {
    jf_error_no_memory();
  }
  jf_any_release(&room.slot);
  return made;
}

int32_t jf_op_fail_key(const jf_any* key) {
  char* text = jf_op_repr_text(key, 0);
  if (!text) return -1;
  jf_error_set("KeyError", text);
  jf_script_error_args(key, 1);
  jf_free(text);
  return -1;
}

/* -- print -- */

static int32_t (*print_hook)(const char* utf8, size_t size);

/* `write` gets what one print writes, at once; it returns 0, or -1 with the error set. */
void jf_set_print(int32_t (*write)(const char* utf8, size_t size)) {
  __atomic_store_n(&print_hook, write, __ATOMIC_RELEASE);
}

static int32_t write_out(const char* utf8, size_t size) {
  int32_t (*const write)(const char*, size_t) = __atomic_load_n(&print_hook, __ATOMIC_ACQUIRE);
  if (write) return write(utf8, size);
  if (fwrite(utf8, 1, size, stdout) == size) return 0;
  return JF_FAIL("OSError", "standard output cannot be written to");
}

/* What was put together, as UTF-8. */
static int32_t write_text(const jf_text* text) {
  if (!text->wide) return write_out(text->data, text->size);
  const int64_t fault = jf_ucs4_fault(text->data, text->size);
  if (fault >= 0) {
    return JF_FAIL("UnicodeEncodeError",
                   "'utf-8' codec can't encode character '\\u%04x' in position %lld: surrogates not allowed",
                   (unsigned)((const jf_char32*)text->data)[fault], (long long)fault);
  }
  const size_t size = (size_t)jf_ucs4_utf8_size(text->data, text->size);
  char* utf8 = jf_alloc(size);
  if (!utf8) {
    jf_error_no_memory();
    return -1;
  }
  jf_ucs4_to_utf8(text->data, text->size, utf8);
  const int32_t status = write_out(utf8, size);
  jf_free(utf8);
  return status;
}

static int32_t put_value(jf_writer* w, const jf_any* value) {
  jf_room room;
  jf_text text;
  jf_room_init(&room);
  if (jf_op_str(value, &room.slot) != 0) return -1;
  const int32_t status = jf_text_of(&room.slot, &text, NULL);
  if (status == 0) jf_writer_text(w, &text);
  jf_any_release(&room.slot);
  return status;
}

/* Writes what has been put together so far, and starts anew. */
static int32_t write_so_far(jf_writer* w) {
  if (w->failed) {
    jf_error_no_memory();
    return -1;
  }
  const jf_text text = {w->data, w->size, w->wide};
  const int32_t status = text.size ? write_text(&text) : 0;
  jf_writer_free(w);
  jf_writer_init(w);
  return status;
}

static int32_t put_each(jf_writer* w, const jf_any* const* values, int32_t count, const jf_text* separator) {
  for (int32_t i = 0; i < count; i++) {
    jf_any scratch;
    if (i && separator) jf_writer_text(w, separator);
    if (i && !separator) jf_writer_ascii(w, " ", 1);
    /* What runs code of others may print, too, or fail: what comes before it is out by then. */
    if (jf_op_is_foreign(jf_any_resolve(values[i], &scratch)) && write_so_far(w) != 0) return -1;
    if (put_value(w, values[i]) != 0) return -1;
  }
  return 0;
}

/* Borrows all; separator and end may be NULL: a space, a new line. */
int32_t jf_op_print(const jf_any* const* values, int32_t count, const jf_text* separator, const jf_text* end) {
  jf_writer w;
  jf_writer_init(&w);
  int32_t status = put_each(&w, values, count, separator);
  if (status == 0 && end) jf_writer_text(&w, end);
  if (status == 0 && !end) jf_writer_ascii(&w, "\n", 1);
  if (status == 0) status = write_so_far(&w);
  jf_writer_free(&w);
  return status;
}
