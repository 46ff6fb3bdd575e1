/* What a value is: its type's name, truth, size, identity, class, hash, and what may serve as an index. */
#include <string.h>

#include "host.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "op_value.h"
#include "slot.h"
#include "value.h"

enum {
  IS_INT = 1,
  IS_BOOL = 2,
  IS_FLOAT = 4,
  IS_STR = 8,
  IS_BYTES = 16,
  IS_LIST = 32,
  IS_TUPLE = 64,
  IS_DICT = 128,
  IS_NONE = 256,
  IS_FUNCTION = 512
};

const char* jf_op_type_name(const jf_any* value) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  switch (jf_value_kind(slot)) {
    case JF_VALUE_TEXT:
      return "str";
    case JF_VALUE_BYTES:
      return "bytes";
    case JF_VALUE_LIST:
      return "list";
    case JF_VALUE_TUPLE:
      return "tuple";
    case JF_VALUE_MAP:
      return "dict";
    default:
      return jf_value_type_name(slot);
  }
}

int32_t jf_op_fail_foreign(const jf_any* value, const char* doing) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  const jf_object* object = jf_any_object(slot);
  if (!object || object->type_code != JF_HOST_OBJECT) return 0;
  const char* const name = jf_op_type_name(slot);
  const int32_t is_bytes = strcmp(name, "bytearray") == 0 || strcmp(name, "memoryview") == 0;
  const int32_t is_mapping = strcmp(name, "frozendict") == 0 || strcmp(name, "mappingproxy") == 0;
  const char* const instead = is_bytes             ? "bytes(...) of it"
                              : is_mapping         ? "dict(...) of it"
                              : strchr(doing, '.') ? "a str, list, dict or tuple"
                                                   : "list(...) of it";
  return JF_FAIL("TypeError", "a script cannot %s a '%s' object: pass %s", doing, name, instead);
}

/* -- errors of the runtime -- */

/* What the runtime says, and what Python says in its place. */
static const char* const words[][2] = {
    {"'map'", "'dict'"},
    {"'ucs4'", "'str'"},
    {"map changed size", "dictionary changed size"},
    {"set changed size", "Set changed size"},
    {"map keys changed", "dictionary keys changed"},
};

/* New message with each of the words replaced; NULL: none was there, or no memory. */
static char* translate(const char* message) {
  const size_t size = strlen(message);
  char* made = jf_alloc(3 * size + 1);
  size_t at = 0, changes = 0;
  for (size_t i = 0; made && i < size;) {
    size_t taken = 0;
    for (size_t k = 0; k < sizeof words / sizeof words[0] && !taken; k++) {
      const size_t length = strlen(words[k][0]);
      if (strncmp(message + i, words[k][0], length) != 0) continue;
      memcpy(made + at, words[k][1], strlen(words[k][1]));
      at += strlen(words[k][1]);
      taken = length;
      changes++;
    }
    if (!taken) made[at++] = message[i];
    i += taken ? taken : 1;
  }
  if (made) made[at] = 0;
  if (changes) return made;
  jf_free(made);
  return NULL;
}

/* Changes the last error. */
int32_t jf_op_failed(void) {
  const jf_error* error = (const jf_error*)jf_error_peek();
  if (!error || error->header.type_code != JF_ERROR || error->host) return -1;
  if (strcmp(error->kind->data, "TypeError") != 0 && strcmp(error->kind->data, "RuntimeError") != 0) return -1;
  char* message = translate(error->message->data);
  if (message) jf_error_set(strcmp(error->kind->data, "TypeError") == 0 ? "TypeError" : "RuntimeError", message);
  jf_free(message);
  return -1;
}

int32_t jf_op_failed_out(jf_value* out) {
  jf_set_null(out);
  return jf_op_failed();
}

int32_t jf_op_error_is(const char* kind) {
  const jf_error* error = (const jf_error*)jf_error_peek();
  return error && error->header.type_code == JF_ERROR && strcmp(error->kind->data, kind) == 0;
}

int32_t jf_op_text(const jf_any* slot, int32_t kind, jf_text* text, jf_value* keep) {
  if (kind == JF_VALUE_TEXT) return jf_text_of(slot, text, keep) == 0 ? 0 : -1;
  return jf_bytes_of(slot, text) == 0 ? 0 : -1;
}

/* -- the functions -- */

/* Borrows. -1 where an object's own truth fails. */
int32_t jf_op_truth(const jf_any* value) {
  switch (value->type_code) {
    case JF_NULL:
      return 0;
    case JF_BOOL:
    case JF_INT:
      return value->v_int64 != 0;
    case JF_SMALL_STR:
    case JF_SMALL_UCS4:
    case JF_SMALL_BYTES:
      return value->small_len != 0;
    default:
      return jf_any_truth(value);
  }
}

/* Borrows. TypeError. */
int32_t jf_op_len(const jf_any* value, int64_t* out) {
  jf_any scratch;
  jf_object* array = jf_op_array(jf_any_resolve(value, &scratch));
  if (array) return jf_op_array_length(array, out);
  const jf_script_host* host = jf_op_host(jf_any_resolve(value, &scratch));
  if (host) return host->length(jf_any_resolve(value, &scratch), out);
  if (jf_op_fail_foreign(value, "ask for len() of") != 0) return -1;
  *out = jf_any_size(value);
  return *out < 0 ? jf_op_failed() : 0;
}

/* Borrows both. Numbers and text, which scripts may hold in registers, are identical where they are of one type and
 * equal. */
int32_t jf_op_is(const jf_any* left, const jf_any* right) {
  jf_any a_scratch, b_scratch;
  const jf_any* a = jf_any_resolve(left, &a_scratch);
  const jf_any* b = jf_any_resolve(right, &b_scratch);
  const int32_t kind = jf_value_kind(a);
  if (kind != jf_value_kind(b)) return 0;
  switch (kind) {
    case JF_VALUE_NULL:
      return 1;
    case JF_VALUE_NUMBER:
    case JF_VALUE_PLAIN:
      return a->type_code == b->type_code && a->v_int64 == b->v_int64;
    case JF_VALUE_TEXT:
    case JF_VALUE_BYTES:
      return jf_any_equal(a, b) == 1;
    default:
      if (a->v_object == b->v_object) return 1;
      if (a->v_object->type_code != JF_HOST_OBJECT || b->v_object->type_code != JF_HOST_OBJECT) return 0;
      return ((const jf_host_object*)a->v_object)->handle == ((const jf_host_object*)b->v_object)->handle;
  }
}

static int32_t class_of(const jf_any* slot) {
  switch (jf_value_kind(slot)) {
    case JF_VALUE_NULL:
      return IS_NONE;
    case JF_VALUE_NUMBER:
      return slot->type_code == JF_FLOAT ? IS_FLOAT : slot->type_code == JF_BOOL ? IS_BOOL | IS_INT : IS_INT;
    case JF_VALUE_TEXT:
      return IS_STR;
    case JF_VALUE_BYTES:
      return IS_BYTES;
    case JF_VALUE_LIST:
      return IS_LIST;
    case JF_VALUE_TUPLE:
      return IS_TUPLE;
    case JF_VALUE_MAP:
      return IS_DICT;
    default:
      return slot->type_code == JF_FUNCTION ? IS_FUNCTION : 0;
  }
}

/* Borrows; 1 or 0. */
int32_t jf_op_isinstance(const jf_any* value, int32_t mask) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  const jf_script_host* host = jf_op_host(slot);
  return host ? host->isinstance(slot, mask) : (class_of(slot) & mask) != 0;
}

/* Borrows. TypeError for what has no hash. */
int32_t jf_op_hash(const jf_any* value, int64_t* out) {
  uint64_t hash = 0;
  const int32_t status = jf_any_hash(value, &hash);
  *out = (int64_t)hash;
  return status == 0 ? 0 : jf_op_failed();
}

/* 0, 1 for an int of more than 64 bits, which is INT64_MAX or INT64_MIN then, or -1. */
static int32_t read_host(const jf_script_host* host, const jf_any* slot, int64_t* out) {
  jf_value found = {JF_NULL, 0, {0}};
  if (host->unary(JF_HOST_INDEX, slot, &found) != 0) return -1;
  if (found.type_code == JF_INT) {
    *out = found.v_int64;
    return 0;
  }
  const jf_any zero = {JF_INT, 0, {0}};
  const int32_t is_negative = jf_op_compare(JF_LT, &found, &zero);
  jf_any_release(&found);
  *out = is_negative ? INT64_MIN : INT64_MAX;
  return is_negative < 0 ? -1 : 1;
}

static int32_t index_of_host(const jf_script_host* host, const jf_any* slot, int64_t* out) {
  const int32_t status = read_host(host, slot, out);
  if (status == 1) *out = 0;
  return status == 1 ? jf_script_overflow() : status;
}

int32_t jf_op_int_of_host(const jf_any* slot, int64_t* out) {
  const jf_script_host* host = jf_op_host(slot);
  return host && host->isinstance(slot, IS_INT) ? read_host(host, slot, out) : JF_NO_INT;
}

/* Borrows. TypeError; OverflowError for an int above 2**63 - 1. */
int32_t jf_op_index(const jf_any* value, int64_t* out) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  *out = slot->v_int64;
  if (slot->type_code == JF_INT || slot->type_code == JF_BOOL) return 0;
  *out = 0;
  if (slot->type_code == JF_UINT) return jf_script_overflow();
  const jf_script_host* host = jf_op_host(slot);
  if (host) return index_of_host(host, slot, out);
  return JF_FAIL("TypeError", "'%s' object cannot be interpreted as an integer", jf_op_type_name(slot));
}

/* Borrows slot. Text that is looked at again and again is text in a script's own form: known to be ASCII, or wide. *out
 * borrows from *slot or *keep, a null out-slot that is the caller's to release. MemoryError, UnicodeDecodeError. */
int32_t jf_op_argument(const jf_any* slot, jf_value* keep, jf_view* out) {
  enum { SHORT = 32 };
  jf_text text;
  *out = *slot;
  const int32_t code = slot->type_code;
  if (code == JF_STR_VIEW || code == JF_UCS4_VIEW || code == JF_BYTE_ARRAY) out->small_len = 0; /* what Python notes */
  if (code != JF_STR_VIEW && code != JF_RAW_STR && code != JF_ANY_PTR && code != JF_OBJECT) return 0;
  const int32_t status = jf_text_of(slot, &text, keep);
  if (status != 0) return status < 0 ? -1 : 0;
  if (keep->type_code == JF_NULL && (code == JF_OBJECT || text.size <= SHORT)) return 0;
  if (keep->type_code == JF_NULL && jf_text_out(&text, keep) != 0) return -1;
  jf_any_view(keep, out);
  return 0;
}

int32_t jf_op_place(const jf_any* key, const char* what, int64_t* index) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(key, &scratch);
  *index = slot->v_int64;
  if (slot->type_code == JF_INT || slot->type_code == JF_BOOL) return 0;
  *index = 0;
  const int32_t status = jf_op_int_of_host(slot, index);
  if (status <= 0) return status;
  *index = 0;
  if (status == 1 || slot->type_code == JF_UINT)
    return JF_FAIL("IndexError", "cannot fit 'int' into an index-sized integer");
  if (jf_value_kind(slot) == JF_VALUE_BAD) return jf_value_fail_bad(slot);
  if (strcmp(what, "string") != 0) {
    return JF_FAIL("TypeError", "%s indices must be integers or slices, not %s", what, jf_op_type_name(slot));
  }
  return JF_FAIL("TypeError", "string indices must be integers, not '%s'", jf_op_type_name(slot));
}

/* Borrows key. TypeError, IndexError. */
int32_t jf_op_index_of(const jf_any* key, const char* what, int64_t* out) { return jf_op_place(key, what, out); }

/* -- characters -- */

/* Borrows. TypeError for what is no text of one character. */
int32_t jf_op_ord(const jf_any* value, int64_t* out) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  const int32_t kind = jf_value_kind(slot);
  *out = 0;
  if (kind != JF_VALUE_TEXT && kind != JF_VALUE_BYTES) {
    return JF_FAIL("TypeError", "ord() expected string of length 1, but %s found", jf_op_type_name(slot));
  }
  jf_room keep;
  jf_text text;
  jf_room_init(&keep);
  if (jf_op_text(slot, kind, &text, &keep.slot) != 0) return -1;
  int32_t status = 0;
  if (text.size != 1) {
    status = JF_FAIL("TypeError", "ord() expected a character, but string of length %zu found", text.size);
  } else {
    *out = text.wide ? (int64_t)*(const jf_char32*)text.data : *(const unsigned char*)text.data;
  }
  if (keep.slot.type_code != JF_NULL) jf_any_release(&keep.slot);
  return status;
}

/* ValueError, OverflowError as CPython's. */
int32_t jf_op_chr(int64_t code_point, int32_t* out) {
  *out = 0;
  if (JITFFI_SCRIPT_PYTHON < 313 && (code_point < INT32_MIN || code_point > INT32_MAX)) {
    return JF_FAIL("OverflowError", "Python int too large to convert to C int");
  }
  if (code_point < 0 || code_point > 0x10FFFF) return JF_FAIL("ValueError", "chr() arg not in range(0x110000)");
  *out = (int32_t)code_point;
  return 0;
}
