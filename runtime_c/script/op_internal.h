/* What the files op_*.c, iterate.c and script_error.c share and nobody else sees. Never installed. */
#ifndef JITFFI_OP_INTERNAL_H
#define JITFFI_OP_INTERNAL_H

#include "jitffi/script.h"
#include "value.h"

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
int32_t jf_op_place(const jf_any* key, const char* format, int64_t* index);
/* The text or bytes of a resolved slot; *keep, a null out-slot, gets what had to be made. 0 or -1. */
int32_t jf_op_text(const jf_any* slot, int32_t kind, jf_text* text, jf_value* keep);

/* -- op_writer.c: text that grows -- */

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

/* -- op_number.c, op_float.c -- */

enum { JF_OP_DIVMOD = 100 }; /* one more operation, for names */
/* Both are resolved numbers. 1: this operation is not for these types. */
int32_t jf_op_numbers(int32_t op, const jf_any* a, const jf_any* b, jf_value* out);
int32_t jf_op_floats(int32_t op, double a, double b, jf_value* out);
double jf_op_to_double(const jf_any* number); /* a resolved number, rounded once */
/* An int as sign and magnitude, for what does not fit into int64_t on the way. */
typedef struct {
  uint64_t magnitude;
  int32_t negative;
} jf_whole;
jf_whole jf_whole_of(const jf_any* number); /* int, uint or bool */
/* As an int, or as a uint where is_big; OverflowError. */
int32_t jf_whole_out(jf_whole whole, int32_t is_big, jf_value* out);
JF_COLD int32_t jf_op_zero_division(int32_t op, int32_t is_float);
/* The int that a whole float is; ValueError, OverflowError for NaN, infinity and what is too large. */
int32_t jf_float_to_int(double value, int64_t* out);

/* -- op_binary.c -- */

/* "unsupported operand type(s) for ..."; -1. */
JF_COLD int32_t jf_op_unsupported(const char* symbol, const jf_any* a, const jf_any* b);

/* -- op_parse.c -- */

/* For as long as numbers are read or written by the C library: its decimal point is a point. NULL: as it is. */
void* jf_point_enter(void);
void jf_point_leave(void* before);

/* -- op_repr.c -- */

/* str(value), or format(value, *spec), of a value that is none of a script's own: as its language says where it does,
 * else its repr or its message. *out is null on failure. */
int32_t jf_op_text_of(const jf_any* slot, const jf_text* spec, jf_value* out);
/* Whether a resolved value is one: neither None, number, text, bytes nor container. */
int32_t jf_op_is_foreign(const jf_any* slot);

/* KeyError(key); -1. */
JF_COLD int32_t jf_op_fail_key(const jf_any* key);
/* repr() as UTF-8 for a message, at most `most` characters (0: all). NULL with the error set; to be freed. */
char* jf_op_repr_text(const jf_any* value, size_t most);
int32_t jf_char_is_printable(int32_t code_point);

/* -- op_format_*.c -- */

typedef struct {
  jf_char32 fill;
  char align;                         /* < > ^ = */
  char sign;                          /* 0, + - or space */
  char separator, fraction_separator; /* 0 , _ */
  int32_t alternate, no_negative_zero;
  int64_t width, precision; /* -1: none */
  jf_char32 type;
} jf_format;
/* A number in parts: sign, prefix, digits to be grouped, and the rest. */
int32_t jf_format_parts(const jf_format* format, char sign, const char* prefix, const char* digits, size_t count,
                        const char* rest, size_t rest_count, int32_t group, jf_value* out);
int32_t jf_format_int(const jf_format* format, const jf_any* number, const char* type_name, jf_value* out);
int32_t jf_format_float(const jf_format* format, double value, jf_value* out);
JF_COLD int32_t jf_format_unknown(jf_char32 type, const char* type_name);

/* -- op_list.c -- */

/* Appends what the iterable gives. */
int32_t jf_op_append_all(jf_object* list, const jf_any* iterable);
/* A view that is written narrow where it is ASCII: the view itself, or *narrow, which `room` keeps. NULL: no memory. */
const jf_any* jf_op_narrow(const jf_any* view, jf_room* room, jf_any* narrow);

/* -- op_map.c -- */

/* A key to look up, made narrow where it is short text of four bytes a character: found faster. */
typedef struct {
  jf_any view;
  jf_span span;
  char text[64];
} jf_key;
const jf_any* jf_op_narrow_key(const jf_any* key, jf_key* narrow);
static inline const jf_any* jf_op_key(const jf_any* key, jf_key* narrow) {
  return key->type_code == JF_UCS4_VIEW ? jf_op_narrow_key(key, narrow) : key;
}

#endif
