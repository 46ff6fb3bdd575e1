/* Values of scripts: slots that are written, what their types are called, and what is said of those that do not fit. */
#ifndef JITFFI_SCRIPT_OP_VALUE_H
#define JITFFI_SCRIPT_OP_VALUE_H

#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "jitffi/text.h"
#include "macros.h"

/* Whose words messages are in: 311 for CPython 3.11, and so on. */
#ifndef JITFFI_SCRIPT_PYTHON
#define JITFFI_SCRIPT_PYTHON 311
#endif

#define JF_FAIL(kind, ...) (jf_error_format(kind, __VA_ARGS__), -1)

/* A slot of any pad, null, that owns what is written to it. */
typedef union {
  jf_any slot;
  char bytes[JF_PAYLOAD_OFFSET + JF_MAX_CAPACITY];
} jf_room;

static inline void jf_room_init(jf_room* room) { room->slot = (jf_any){JF_NULL, JF_MAX_CAPACITY, {0}}; }
/* When it is written; a null does not show its capacity. */
static inline void jf_room_view(jf_room* room, jf_view* out) {
  if (room->slot.type_code == JF_NULL) room->slot.small_len = 0;
  jf_any_view(&room->slot, out);
}

static inline void jf_set_null(jf_value* out) { *out = (jf_any){JF_NULL, 0, {0}}; }
static inline void jf_set_int(jf_value* out, int64_t value) { *out = (jf_any){JF_INT, 0, {.v_int64 = value}}; }
/* A character as text. */
static inline void jf_set_char(jf_value* out, uint32_t c) {
  *out = (jf_any){c < 0x80 ? JF_SMALL_STR : JF_SMALL_UCS4, 1, {.v_uint64 = c}};
}
static inline void jf_set_float(jf_value* out, double value) { *out = (jf_any){JF_FLOAT, 0, {.v_float64 = value}}; }
static inline void jf_set_bool(jf_value* out, int32_t value) { *out = (jf_any){JF_BOOL, 0, {.v_int64 = value != 0}}; }
/* 0 where there is an object, which is stolen; else -1. */
static inline int32_t jf_set_object(jf_value* out, jf_object* object) {
  jf_set_null(out);
  if (!object) return -1;
  out->type_code = object->type_code <= JF_S1_LAST ? object->type_code : JF_OBJECT;
  out->v_uint64 = JF_POINTER_WORD(object);
  return 0;
}

/* Gives up what a room owns. */
static inline void jf_room_drop(jf_room* room) {
  if (room->slot.type_code > 0 || room->slot.type_code == JF_OBJECT) jf_any_release(&room->slot);
}

/* The text of the most usual slots of scripts, where that takes no search for characters beyond ASCII: 1, or 0. */
static inline int32_t jf_fast_text(const jf_any* slot, jf_text* out) {
  switch (slot->type_code) {
    case JF_SMALL_STR:
      if ((uint32_t)slot->small_len > 7 || slot->v_uint64 & UINT64_C(0x8080808080808080)) return 0;
      *out = (jf_text){slot->v_bytes, (size_t)slot->small_len, 0};
      return 1;
    case JF_SMALL_UCS4:
      if ((uint32_t)slot->small_len > 2) return 0;
      *out = (jf_text){slot->v_char32, (size_t)slot->small_len, 1};
      return 1;
    case JF_UCS4_VIEW:
      if (!slot->v_ucs4_span || !slot->v_ucs4_span->data) return 0;
      *out = (jf_text){slot->v_ucs4_span->data, slot->v_ucs4_span->size, 1};
      return 1;
    case JF_STR_VIEW:
      if (!slot->v_span || !slot->v_span->data) return 0;
      *out = (jf_text){slot->v_span->data, slot->v_span->size, 0};
      return jf_is_ascii(slot->v_span->data, slot->v_span->size);
    case JF_OBJECT: {
      const jf_str* str = (const jf_str*)slot->v_object;
      if (!str || (str->header.type_code != JF_STR && str->header.type_code != JF_UCS4)) return 0;
      *out = (jf_text){str->data, str->size, str->header.type_code == JF_UCS4};
      return out->wide || __atomic_load_n(&str->characters, __ATOMIC_RELAXED) == (int64_t)str->size;
    }
    default:
      return 0;
  }
}

/* -- op_value.c -- */
/* What CPython calls the type of a value. Static. */
const char* jf_op_type_name(const jf_any* value);
/* TypeError where the value is an object of another language, with what to pass instead; -1, or 0: it is not. `doing`
 * is what scripts cannot do, as in "iterate over". */
int32_t jf_op_fail_foreign(const jf_any* value, const char* doing);
/* The same for a function that has an out-slot, which is null then. */
JF_COLD int32_t jf_op_failed_out(jf_value* out);
/* Whether the last error is of this kind. */
int32_t jf_op_error_is(const char* kind);
/* A place in a sequence: *index of an int or bool. TypeError says `format` with the type's name. */
/* Of an int that is the host's: 0, 1 where it has more than 64 bits (*out is INT64_MIN or INT64_MAX then), or -1; JF_NO_INT for other
 * things. Borrows slot, which is resolved. */
enum { JF_NO_INT = 2 };
int32_t jf_op_int_of_host(const jf_any* slot, int64_t* out);
int32_t jf_op_place(const jf_any* key, const char* format, int64_t* index);
/* The text or bytes of a resolved slot; *keep, a null out-slot, gets what had to be made. 0 or -1. */
int32_t jf_op_text(const jf_any* slot, int32_t kind, jf_text* text, jf_value* keep);

/* -- op_array.c -- */
jf_object* jf_op_array(const jf_any* resolved); /* borrowed; NULL where the value is no nd-array */
/* How often it can be indexed; TypeError where scripts have no such elements. */
int32_t jf_op_array_length(jf_object* array, int64_t* length);
int32_t jf_op_array_item(jf_object* array, int64_t at, jf_value* out);
int32_t jf_op_array_at(jf_object* array, const int64_t* at, int32_t count, jf_value* out);

/* -- op_binary.c -- */
/* "unsupported operand type(s) for ..."; -1. */
JF_COLD int32_t jf_op_unsupported(const char* symbol, const jf_any* a, const jf_any* b);

#endif
