/* Values from JSON, from a stack of their own: arrays become lists, objects maps, or what their tag says. */
#include <stdlib.h>
#include <string.h>

#include "graph_parse.h"
#include "jitffi/text.h"
#include "message.h"

/* A container that is open: what goes into it, and under what key. */
typedef struct {
  jf_object* made;
  jf_value key;
} frame;

static const jf_value null_value = {JF_NULL, 0, {0}};

static int32_t read_word(jf_json* j, const char* word, int32_t code, int64_t payload, jf_value* out) {
  const size_t size = strlen(word);
  if ((size_t)(j->end - j->at) < size || memcmp(j->at, word, size) != 0) return jf_json_fail(j, "expected a value");
  j->at += size;
  out->type_code = code;
  out->v_int64 = payload;
  return 0;
}

static int32_t read_float(jf_json* j, const char* from, jf_value* out) {
  char short_text[64], *end = NULL;
  const size_t size = (size_t)(j->at - from);
  char* text = size < sizeof short_text ? short_text : jf_alloc(size + 1);
  if (!text) {
    jf_error_no_memory();
    return -1;
  }
  memcpy(text, from, size);
  text[size] = 0;
  out->type_code = JF_FLOAT;
  out->v_float64 = strtod(text, &end);
  const int32_t whole = end == text + size;
  if (text != short_text) jf_free(text);
  return whole ? 0 : jf_json_fail(j, "no number");
}

static int32_t is_digit(const jf_json* j) { return j->at < j->end && *j->at >= '0' && *j->at <= '9'; }

static int32_t read_digits(jf_json* j) {
  const char* from = j->at;
  while (is_digit(j)) j->at++;
  return j->at > from;
}

/* What comes behind the digits of an int: 1: it is a float; -1: it is no number. */
static int32_t read_fraction(jf_json* j) {
  int32_t is_float = 0;
  if (j->at < j->end && *j->at == '.') {
    j->at++;
    is_float = 1;
    if (!read_digits(j)) return -1;
  }
  if (j->at < j->end && (*j->at | 32) == 'e') {
    j->at++;
    is_float = 1;
    if (j->at < j->end && (*j->at == '+' || *j->at == '-')) j->at++;
    if (!read_digits(j)) return -1;
  }
  return is_float;
}

static int32_t read_number(jf_json* j, jf_value* out) {
  const char* from = j->at;
  const int32_t is_negative = *j->at == '-';
  j->at += is_negative;
  const char* digits = j->at;
  if (!read_digits(j) || (*digits == '0' && j->at - digits > 1)) return jf_json_fail(j, "expected a value");
  const char* digits_end = j->at;
  const int32_t is_float = read_fraction(j);
  if (is_float < 0) return jf_json_fail(j, "no number");
  if (is_float) return read_float(j, from, out);
  uint64_t value = 0;
  for (const char* at = digits; at < digits_end; at++) {
    const uint64_t digit = (uint64_t)(*at - '0');
    if (value > (UINT64_MAX - digit) / 10) return jf_json_fail(j, "an int of more than 64 bits");
    value = value * 10 + digit;
  }
  if (is_negative && value > (uint64_t)INT64_MAX + 1) return jf_json_fail(j, "an int of more than 64 bits");
  out->type_code = !is_negative && value > INT64_MAX ? JF_UINT : JF_INT;
  out->v_uint64 = is_negative ? 0 - value : value;
  return 0;
}

static int32_t read_text(jf_json* j, jf_value* out) {
  if (jf_json_string(j) != 0) return -1;
  return jf_out_str(out, j->string.data, j->string.size);
}

static int32_t read_scalar(jf_json* j, jf_value* out) {
  switch (*j->at) {
    case '"':
      return read_text(j, out);
    case 'n':
      return read_word(j, "null", JF_NULL, 0, out);
    case 't':
      return read_word(j, "true", JF_BOOL, 1, out);
    case 'f':
      return read_word(j, "false", JF_BOOL, 0, out);
    case '-':
    default:
      return read_number(j, out);
  }
}

static frame* top_of(const jf_growing* open) { return (frame*)(void*)(open->data + open->size) - 1; }

/* Reads a key, and what stands before its value. */
static int32_t read_key(jf_json* j, frame* f) {
  jf_json_space(j);
  return read_text(j, &f->key) == 0 ? jf_json_expect(j, ':') : -1;
}

static int32_t open_container(jf_growing* open, int32_t is_map) {
  frame* f = jf_growing_room(open, sizeof *f);
  if (!f) return -1;
  f->key = null_value;
  f->made = jf_node_make(is_map ? JF_NODE_MAP : JF_NODE_LIST, NULL);
  if (!f->made) return -1;
  open->size += sizeof *f;
  return 0;
}

/* The map of one entry whose key begins with "$" is what that says. Takes the frame's container into *out. */
static int32_t close_container(jf_json* j, frame* f, jf_value* out) {
  jf_out_object(out, f->made);
  if (f->made->type_code != JF_MAP || jf_map_size(f->made) != 1) return 0;
  const jf_map_entry* entry = ((const jf_map*)f->made)->entries;
  while (!entry->key.code) entry++;
  jf_any scratch;
  const jf_encoded key = jf_any_text(jf_item_slot(entry->key, &scratch));
  if (key.kind != JF_TEXT_UTF8 || !key.size || ((const char*)key.data)[0] != '$') return 0;
  jf_value content = null_value;
  char tag[16] = "";
  if (key.size < sizeof tag) memcpy(tag, key.data, key.size), tag[key.size] = 0;
  if (jf_item_get(entry->value, &content) != 0) return -1;
  jf_any_release(out);
  *out = null_value;
  const int32_t status = jf_json_decode(j, tag, &content);
  *out = content;
  return status;
}

/* Puts a value, which is taken, into the innermost container. */
static int32_t put(frame* f, jf_value* value) {
  jf_any view;
  jf_any_view(value, &view);
  int32_t status;
  if (f->made->type_code == JF_LIST) {
    status = jf_list_append(f->made, &view);
  } else {
    jf_any key;
    jf_any_view(&f->key, &key);
    status = jf_map_set(f->made, &key, &view);
    jf_any_release(&f->key);
    f->key = null_value;
  }
  jf_any_release(value);
  *value = null_value;
  return status;
}

/* After a value in a container: 1: another one comes; 0: it is closed; -1. */
static int32_t read_next(jf_json* j, frame* f, int32_t is_first) {
  const int32_t is_map = f->made->type_code == JF_MAP;
  if (jf_json_take(j, is_map ? '}' : ']')) return 0;
  if (!is_first && jf_json_expect(j, ',') != 0) return -1;
  return is_map && read_key(j, f) != 0 ? -1 : 1;
}

/* One value, or the beginning of a container: 1: that was opened; 0; -1. */
static int32_t read_one(jf_json* j, jf_growing* open, jf_value* out) {
  jf_json_space(j);
  if (j->at >= j->end) return jf_json_fail(j, "expected a value");
  if (*j->at != '[' && *j->at != '{') return read_scalar(j, out);
  return open_container(open, *j->at++ == '{') == 0 ? 1 : -1;
}

static int32_t read_all(jf_json* j, jf_growing* open, jf_value* out) {
  int32_t status = read_one(j, open, out);
  while (status >= 0 && open->size) {
    frame* f = top_of(open);
    if (status == 0 && put(f, out) != 0) return -1;
    const int32_t more = read_next(j, f, status);
    if (more < 0) return -1;
    if (more) {
      status = read_one(j, open, out);
      continue;
    }
    open->size -= sizeof *f;
    jf_value closed = null_value;
    status = close_container(j, f, &closed);
    *out = closed;
  }
  return status;
}

int32_t jf_json_value(jf_json* j, jf_value* out) {
  jf_growing open = {NULL, 0, 0};
  const int32_t status = read_all(j, &open, out);
  while (open.size) {
    frame* f = top_of(&open);
    jf_any_release(&f->key);
    jf_object_release(f->made);
    open.size -= sizeof *f;
  }
  jf_growing_free(&open);
  if (status == 0) return 0;
  jf_any_release(out);
  *out = null_value;
  return -1;
}
