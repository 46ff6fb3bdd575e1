/* What a slot holds, as the operations on values see it; truth and size. */
#include <string.h>

#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/text.h"
#include "jitffi/types.h"
#include "slot.h"
#include "value.h"

__thread int32_t jf_value_depth;

/* An S4 type is what its built-in ancestor is. */
int32_t jf_object_kind(const jf_object* object) {
  static const uint8_t kinds[] = {
      [JF_STR - JF_STR] = JF_VALUE_TEXT,
      [JF_UCS4 - JF_STR] = JF_VALUE_TEXT,
      [JF_BYTES - JF_STR] = JF_VALUE_BYTES,
      [JF_LIST - JF_STR] = JF_VALUE_LIST,
      [JF_MAP - JF_STR] = JF_VALUE_MAP,
      [JF_TUPLE - JF_STR] = JF_VALUE_TUPLE,
      [JF_ERROR - JF_STR] = JF_VALUE_OBJECT,
      [JF_SHAPE - JF_STR] = JF_VALUE_SHAPE,
      [JF_HOST_OBJECT - JF_STR] = JF_VALUE_OBJECT,
      [JF_SET - JF_STR] = JF_VALUE_SET,
  };
  int32_t code = object->type_code;
  while (code >= JF_FIRST_DYNAMIC) code = jf_type_parent(code);
  if (code <= 0) return JF_VALUE_BAD;
  return code >= JF_STR && code <= JF_SET ? kinds[code - JF_STR] : JF_VALUE_OBJECT;
}

int32_t jf_value_kind(const jf_any* slot) {
  switch (slot->type_code) {
    case JF_NULL:
      return JF_VALUE_NULL;
    case JF_INT:
    case JF_FLOAT:
    case JF_BOOL:
    case JF_UINT:
      return JF_VALUE_NUMBER;
    case JF_HANDLE:
    case JF_DTYPE:
    case JF_DEVICE:
    case JF_DLTENSOR:
      return JF_VALUE_PLAIN;
    case JF_OBJECT:
    case JF_MODULE:
    case JF_FUNCTION:
    case JF_NDARRAY:
      return slot->v_object ? jf_object_kind(slot->v_object) : JF_VALUE_BAD;
    default:
      break;
  }
  switch (jf_any_text(slot).kind) {
    case JF_TEXT_UTF8:
    case JF_TEXT_UCS4:
      return JF_VALUE_TEXT;
    case JF_TEXT_BYTES:
      return JF_VALUE_BYTES;
    default:
      return JF_VALUE_BAD;
  }
}

int32_t jf_value_fail_bad(const jf_any* slot) {
  const char* why = NULL;
  if (slot->type_code == JF_RVALUE) {
    jf_error_set("ValueError", "the object of an r-value reference was taken before");
  } else {
    jf_any_ok(slot, 0, &why);
    jf_error_format("TypeError", "a slot with type code %d is no value: %s", slot->type_code,
                    why ? why : "it points at no value");
  }
  return -1;
}

static int32_t (*type_namer)(const jf_object*, char*, size_t);

void jf_set_type_namer(int32_t (*name)(const jf_object* object, char* buffer, size_t capacity)) {
  __atomic_store_n(&type_namer, name, __ATOMIC_RELEASE);
}

static jf_text_writer text_writer;

void jf_set_text_writer(jf_text_writer write) { __atomic_store_n(&text_writer, write, __ATOMIC_RELEASE); }

jf_text_writer jf_get_text_writer(void) { return __atomic_load_n(&text_writer, __ATOMIC_ACQUIRE); }

/* What its own language calls the object's class; NULL: nothing. Good until a few more were asked for. */
static const char* foreign_name(const jf_object* object) {
  /* One message has a few; all threads share them, since what is each thread's own should be small. The last byte of each is
   * never written. */
  enum { NAMES = 64, LONGEST = 96 };
  static char names[NAMES][LONGEST + 1];
  static unsigned next;
  int32_t (*const namer)(const jf_object*, char*, size_t) = __atomic_load_n(&type_namer, __ATOMIC_ACQUIRE);
  if (!namer || !object) return NULL;
  if (object->type_code != JF_HOST_OBJECT && object->type_code != JF_FUNCTION) return NULL;
  char* const name = names[__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % NAMES];
  return namer(object, name, LONGEST) ? name : NULL;
}

const char* jf_value_type_name(const jf_any* slot) {
  const jf_object* object = jf_any_object(slot);
  const char* foreign = foreign_name(object);
  if (foreign) return foreign;
  if (slot->type_code == JF_NULL) return "NoneType";
  if (slot->type_code == JF_UINT) return "int";
  return jf_type_key(object ? object->type_code : slot->type_code);
}

const jf_type_operations* jf_value_operations(const jf_any* slot, int32_t kind) {
  return kind >= JF_VALUE_LIST ? jf_type_get_operations(slot->v_object->type_code) : NULL;
}

int32_t jf_value_fail_depth(const char* doing) {
  jf_error_format("RecursionError", "maximum recursion depth exceeded %s", doing);
  return -1;
}

/* A reference to the object, or a copy of the slot as far as it is used. Never fails. */
void jf_hold(jf_item item, jf_held* held) {
  if (*item.code > 0) {
    jf_item_view(item, &held->slot);
    jf_object_retain(item.object);
    return;
  }
  const size_t length = item.slot->small_len < 0 ? 0 : (size_t)item.slot->small_len;
  size_t size = sizeof(jf_any);
  if (item.slot->type_code == JF_SMALL_UCS4) size = JF_PAYLOAD_OFFSET + length * sizeof(jf_char32);
  if (item.slot->type_code == JF_SMALL_STR || item.slot->type_code == JF_SMALL_BYTES) {
    size = JF_PAYLOAD_OFFSET + length + 1;
  }
  memcpy(held, item.slot, size < sizeof(jf_any) ? sizeof(jf_any) : size < sizeof *held ? size : sizeof *held);
}

/* Borrows. -1 with the error set. */
int32_t jf_any_truth(const jf_any* value) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  const int32_t kind = jf_value_kind(slot);
  const jf_type_operations* operations = jf_value_operations(slot, kind);
  if (operations && operations->truth) return operations->truth(slot->v_object);
  switch (kind) {
    case JF_VALUE_BAD:
      return jf_value_fail_bad(slot);
    case JF_VALUE_NULL:
      return 0;
    case JF_VALUE_NUMBER:
      return slot->type_code == JF_FLOAT ? slot->v_float64 != 0 : slot->v_int64 != 0;
    case JF_VALUE_TEXT:
    case JF_VALUE_BYTES:
      return jf_any_text(slot).size != 0;
    case JF_VALUE_PLAIN:
    case JF_VALUE_OBJECT:
      return 1;
    default:
      return jf_any_size(slot) != 0;
  }
}

static int64_t text_size(const jf_any* slot) {
  const jf_encoded text = jf_any_text(slot);
  const jf_object* object = jf_any_object(slot);
  if (text.kind != JF_TEXT_UTF8) return (int64_t)text.size;
  return (int64_t)(object ? jf_str_characters(object) : jf_utf8_length(text.data, text.size));
}

/* Borrows. -1 with TypeError set. */
int64_t jf_any_size(const jf_any* value) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  switch (jf_value_kind(slot)) {
    case JF_VALUE_BAD:
      return jf_value_fail_bad(slot);
    case JF_VALUE_TEXT:
      return text_size(slot);
    case JF_VALUE_BYTES:
      return (int64_t)jf_any_text(slot).size;
    case JF_VALUE_LIST:
    case JF_VALUE_TUPLE:
      return (int64_t)((const jf_list*)slot->v_object)->size;
    case JF_VALUE_MAP:
    case JF_VALUE_SET:
      return (int64_t)((const jf_map*)slot->v_object)->size;
    case JF_VALUE_SHAPE:
      return (int64_t)((const jf_shape*)slot->v_object)->size;
    default:
      jf_error_format("TypeError", "object of type '%s' has no len()", jf_value_type_name(slot));
      return -1;
  }
}
