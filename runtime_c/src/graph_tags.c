/* What JSON has no form for: {"$tuple": [...]} and its like, as values. */
#include <string.h>

#include "decimal.h"
#include "graph_parse.h"
#include "message.h"

static const jf_value null_value = {JF_NULL, 0, {0}};

static int32_t put_object(jf_object* made, jf_value* out) {
  if (!made) return -1;
  jf_out_object(out, made);
  return 0;
}

static jf_object* list_of(const jf_value* content) {
  jf_object* object = jf_any_object(content);
  return object && object->type_code == JF_LIST ? object : NULL;
}

/* Text in UTF-8; it is not changed while `content` is there. */
static int32_t text_of(const jf_value* content, jf_span* out) {
  const jf_encoded text = jf_any_text(content);
  *out = (jf_span){text.data, text.size};
  return text.kind == JF_TEXT_UTF8;
}

static int32_t decode_tuple(const jf_value* content, jf_value* out) {
  const jf_object* list = list_of(content);
  return list ? put_object(jf_tuple_of(list), out) : 1;
}

static int32_t decode_map(const jf_value* content, jf_value* out) {
  const jf_object* list = list_of(content);
  if (!list) return 1;
  jf_object* map = jf_map_new(jf_list_size(list), -1);
  int32_t status = map ? 0 : -1;
  for (size_t i = 0; i < jf_list_size(list) && status == 0; i++) {
    jf_view pair, key, value;
    const jf_object* items = jf_list_peek(list, (int64_t)i, &pair) == 0 ? list_of(&pair) : NULL;
    if (!items || jf_list_size(items) != 2) {
      status = 1;
    } else if (jf_list_peek(items, 0, &key) != 0 || jf_list_peek(items, 1, &value) != 0) {
      status = -1;
    } else {
      status = jf_map_set(map, &key, &value);
    }
  }
  if (status == 0) return put_object(map, out);
  jf_object_release(map);
  return status;
}

static int32_t decode_set(const jf_value* content, jf_value* out) {
  const jf_object* list = list_of(content);
  if (!list) return 1;
  jf_object* set = jf_set_new(jf_list_size(list), -1);
  int32_t status = set ? 0 : -1;
  for (size_t i = 0; i < jf_list_size(list) && status >= 0; i++) {
    jf_view item;
    status = jf_list_peek(list, (int64_t)i, &item) == 0 ? jf_set_add(set, &item) : -1;
  }
  if (status >= 0) return put_object(set, out);
  jf_object_release(set);
  return status;
}

static int32_t digit_of(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  return c == '+' ? 62 : c == '/' ? 63 : -1;
}

/* New memory with the bytes; NULL: MemoryError, or *size is SIZE_MAX where it is no base64. */
static char* from_base64(jf_span text, size_t* size) {
  char* made = jf_alloc(text.size / 4 * 3 + 4);
  size_t length = text.size;
  *size = 0;
  if (!made) return jf_error_no_memory(), NULL;
  while (length && text.size - length < 2 && text.data[length - 1] == '=') length--;
  uint32_t bits = 0;
  for (size_t i = 0; i < length; i++) {
    const int32_t digit = digit_of(text.data[i]);
    if (digit < 0 || text.size % 4) {
      jf_free(made);
      *size = SIZE_MAX;
      return NULL;
    }
    bits = bits << 6 | (uint32_t)digit;
    if ((i & 3) == 3) {
      made[(*size)++] = (char)(bits >> 16);
      made[(*size)++] = (char)(bits >> 8);
      made[(*size)++] = (char)bits;
    }
  }
  if ((length & 3) == 2) made[(*size)++] = (char)(bits >> 4);
  if ((length & 3) == 3) made[(*size)++] = (char)(bits >> 10), made[(*size)++] = (char)(bits >> 2);
  return made;
}

static int32_t decode_bytes(const jf_value* content, jf_value* out) {
  jf_span text;
  size_t size;
  if (!text_of(content, &text)) return 1;
  char* bytes = from_base64(text, &size);
  if (!bytes) return size == SIZE_MAX ? 1 : -1;
  const int32_t status = jf_out_bytes(out, bytes, size);
  jf_free(bytes);
  return status;
}

static int32_t decode_float(const jf_value* content, jf_value* out) {
  jf_span text;
  const int32_t is_text = text_of(content, &text);
  const int32_t is_negative = is_text && text.size == 4 && text.data[0] == '-';
  if (!is_text || text.size - (size_t)is_negative != 3) return 1;
  const char* word = text.data + is_negative;
  if (memcmp(word, "inf", 3) != 0 && (is_negative || memcmp(word, "nan", 3) != 0)) return 1;
  const int32_t is_infinite = word[0] == 'i';
  out->type_code = JF_FLOAT;
  out->v_uint64 =
      is_infinite ? UINT64_C(0x7FF0000000000000) | (uint64_t)is_negative << 63 : UINT64_C(0x7FF8000000000000);
  return 0;
}

/* Ints of a list: their number; -1: it is none, or has other items. */
static int64_t ints_of(const jf_object* list, int64_t* ints, size_t room) {
  const size_t count = list ? jf_list_size(list) : 0;
  if (!list || count > room) return -1;
  for (size_t i = 0; i < count; i++) {
    jf_view item;
    if (jf_list_peek(list, (int64_t)i, &item) != 0 || item.type_code != JF_INT) return -1;
    ints[i] = item.v_int64;
  }
  return (int64_t)count;
}

static int32_t decode_shape(const jf_value* content, jf_value* out) {
  const jf_object* list = list_of(content);
  if (!list) return 1;
  const size_t count = jf_list_size(list);
  int64_t* ints = jf_alloc((count + 1) * sizeof *ints);
  if (!ints) return jf_error_no_memory(), -1;
  const int64_t found = ints_of(list, ints, count);
  const int32_t status = found < 0 ? 1 : put_object(jf_shape_new(ints, count), out);
  jf_free(ints);
  return status;
}

static int32_t decode_name(const jf_value* content, int32_t code, jf_value* out) {
  jf_span text;
  if (!text_of(content, &text)) return 1;
  const int32_t status = code == JF_DTYPE ? jf_dtype_parse(text.data, text.size, &out->v_dtype)
                                          : jf_device_parse(text.data, text.size, &out->v_device);
  if (status != 0) return jf_object_release(jf_error_take()), 1;
  out->type_code = code;
  return 0;
}

static int32_t decode_ucs4(const jf_value* content, jf_value* out) {
  jf_view key = *content;
  return jf_any_text(content).kind == JF_TEXT_UTF8 ? jf_any_retain(&key, out) : 1;
}

/* The value of a key of a map; null where there is none. */
static jf_view entry_of(const jf_object* map, const char* key) {
  jf_view name = {JF_RAW_STR, 0, {0}}, found = null_value;
  name.v_uint64 = JF_POINTER_WORD(key);
  if (jf_map_peek(map, &name, &found) != 1) return null_value;
  jf_any scratch;
  return *jf_any_resolve(&found, &scratch);
}

static int32_t decode_array(const jf_value* content, jf_value* out) {
  const jf_object* map = jf_any_object(content);
  if (!map || map->type_code != JF_MAP || jf_map_size(map) != 3) return 1;
  const jf_view dtype = entry_of(map, "dtype"), shape = entry_of(map, "shape"), data = entry_of(map, "data");
  int64_t dims[JF_NDARRAY_DIMS];
  jf_value type = null_value;
  jf_span text;
  const int64_t ndim = ints_of(list_of(&shape), dims, JF_NDARRAY_DIMS);
  if (ndim < 0 || decode_name(&dtype, JF_DTYPE, &type) != 0 || !text_of(&data, &text)) return 1;
  size_t size;
  char* bytes = from_base64(text, &size);
  if (!bytes) return size == SIZE_MAX ? 1 : -1;
  const int32_t status = jf_array_load((int32_t)ndim, dims, type.v_dtype, bytes, size, out);
  jf_free(bytes);
  return status;
}

static int32_t decode_node(const jf_json* j, const jf_value* content, jf_value* out) {
  if (!j->nodes || content->type_code != JF_INT || content->v_uint64 >= j->nodes->count) return 1;
  jf_object* node = j->nodes->objects[content->v_int64];
  if (!node) return 1;
  jf_object_retain(node);
  return put_object(node, out);
}

/* 0; 1: it is no such content, or no such tag; -1. */
static int32_t decode(const jf_json* j, const char* tag, const jf_value* content, jf_value* out) {
  if (strcmp(tag, "$tuple") == 0) return decode_tuple(content, out);
  if (strcmp(tag, "$map") == 0) return decode_map(content, out);
  if (strcmp(tag, "$set") == 0) return decode_set(content, out);
  if (strcmp(tag, "$bytes") == 0) return decode_bytes(content, out);
  if (strcmp(tag, "$float") == 0) return decode_float(content, out);
  if (strcmp(tag, "$ucs4") == 0) return decode_ucs4(content, out);
  if (strcmp(tag, "$shape") == 0) return decode_shape(content, out);
  if (strcmp(tag, "$dtype") == 0) return decode_name(content, JF_DTYPE, out);
  if (strcmp(tag, "$device") == 0) return decode_name(content, JF_DEVICE, out);
  if (strcmp(tag, "$ndarray") == 0) return decode_array(content, out);
  return strcmp(tag, "$node") == 0 ? decode_node(j, content, out) : 1;
}

int32_t jf_json_decode(jf_json* j, const char* tag, jf_value* content) {
  jf_value out = null_value;
  const int32_t status = decode(j, tag, content, &out);
  jf_any_release(content);
  *content = out;
  if (status == 0) return 0;
  jf_any_release(content);
  *content = null_value;
  if (status < 0) return -1;
  char quoted[JF_QUOTE_SIZE], what[JF_QUOTE_SIZE + 32];
  jf_print(what, sizeof what, "no content of %s", jf_quote(tag, quoted, sizeof quoted));
  return jf_json_fail(j, what);
}
