/* Values from bytes, which may be any: each count is compared with what is left before anything is made of it. */
#include <string.h>

#include "graph_bytes.h"
#include "jitffi/text.h"
#include "message.h"

static const jf_value null_value = {JF_NULL, 0, {0}};

int32_t jf_load_fail(const jf_load* r, const char* what) {
  jf_error_format("ValueError", "from_bytes: byte %lld: %s", (long long)(r->at - r->start), what);
  return -1;
}

/* The error that is set, as a ValueError with the position. */
int32_t jf_load_fail_with(const jf_load* r) {
  jf_error* error = (jf_error*)jf_error_take();
  const char* why = error && error->message ? error->message->data : "it cannot be made";
  if (error && error->kind && strcmp(error->kind->data, "MemoryError") == 0) {
    jf_error_no_memory();
  } else if (strncmp(why, "from_bytes: ", 12) == 0) {
    jf_error_format("ValueError", "%s", why);
  } else {
    jf_load_fail(r, why);
  }
  jf_object_release((jf_object*)error);
  return -1;
}

int32_t jf_load_number(jf_load* r, uint64_t* out) {
  *out = 0;
  for (int32_t shift = 0; shift < 70 && r->at < r->end; shift += 7) {
    const unsigned char byte = *r->at++;
    if (shift == 63 && byte > 1) return jf_load_fail(r, "a number of more than 64 bits");
    *out |= (uint64_t)(byte & 127) << shift;
    if (byte < 128) return 0;
  }
  return jf_load_fail(r, r->at < r->end ? "a number of more than 64 bits" : "the end, in a number");
}

static int32_t read_int(jf_load* r, int64_t* out) {
  uint64_t bits;
  if (jf_load_number(r, &bits) != 0) return -1;
  *out = (int64_t)(bits >> 1 ^ (0 - (bits & 1)));
  return 0;
}

/* A count of what takes at least `each` bytes. */
int32_t jf_load_count(jf_load* r, size_t each, size_t* out) {
  uint64_t count;
  if (jf_load_number(r, &count) != 0) return -1;
  if (count > jf_load_left(r) / each) return jf_load_fail(r, "more than there are bytes for");
  *out = (size_t)count;
  return 0;
}

int32_t jf_load_text(jf_load* r, jf_span* out) {
  if (jf_load_count(r, 1, &out->size) != 0) return -1;
  out->data = (const char*)r->at;
  if (jf_utf8_valid(out->data, out->size) < out->size) return jf_load_fail(r, "no UTF-8");
  r->at += out->size;
  return 0;
}

int32_t jf_load_raw(jf_load* r, void* out, size_t size) {
  if (jf_load_left(r) < size) return jf_load_fail(r, "the end, in a value");
  memcpy(out, r->at, size);
  r->at += size;
  return 0;
}

/* -- values -- */

static int32_t read_shape(jf_load* r, jf_value* out) {
  size_t count;
  if (jf_load_count(r, 1, &count) != 0) return -1;
  int64_t* ints = out ? jf_alloc((count + 1) * sizeof *ints) : NULL;
  if (out && !ints) return jf_error_no_memory(), -1;
  int32_t status = 0;
  for (size_t i = 0; i < count && status == 0; i++) {
    int64_t number = 0;
    status = read_int(r, &number);
    if (ints) ints[i] = number;
  }
  jf_object* made = status == 0 && ints ? jf_shape_new(ints, count) : NULL;
  jf_free(ints);
  if (status != 0 || !out) return status;
  if (!made) return jf_load_fail_with(r);
  jf_out_object(out, made);
  return 0;
}

static int32_t read_node(jf_load* r, jf_value* out) {
  uint64_t number;
  if (jf_load_number(r, &number) != 0) return -1;
  if (!out) return 0;
  if (number >= r->nodes.count) return jf_load_fail(r, "a node that there is not");
  jf_object* node = r->nodes.objects[number];
  if (!node) return jf_load_fail(r, "a tuple within itself, or before what is in it");
  jf_object_retain(node);
  jf_out_object(out, node);
  return 0;
}

static int32_t read_string(jf_load* r, int32_t is_text, jf_value* out) {
  jf_span text;
  if (is_text) {
    if (jf_load_text(r, &text) != 0) return -1;
    return out ? jf_out_str(out, text.data, text.size) : 0;
  }
  if (jf_load_count(r, 1, &text.size) != 0) return -1;
  text.data = (const char*)r->at;
  r->at += text.size;
  return out ? jf_out_bytes(out, text.data, text.size) : 0;
}

static int32_t read_device(jf_load* r, jf_value* made) {
  int64_t type, index;
  if (read_int(r, &type) != 0 || read_int(r, &index) != 0) return -1;
  if (type < 0 || type > INT32_MAX || index < INT32_MIN || index > INT32_MAX) return jf_load_fail(r, "no device");
  made->type_code = JF_DEVICE;
  made->v_device = (jf_device){(int32_t)type, (int32_t)index};
  return 0;
}

/* Of what is no object. */
static int32_t read_plain(jf_load* r, int32_t tag, jf_value* made) {
  switch (tag) {
    case JF_STORED_NULL:
      return 0;
    case JF_STORED_FALSE:
    case JF_STORED_TRUE:
      made->type_code = JF_BOOL;
      made->v_int64 = tag == JF_STORED_TRUE;
      return 0;
    case JF_STORED_INT:
      made->type_code = JF_INT;
      return read_int(r, &made->v_int64);
    case JF_STORED_UINT:
      if (jf_load_number(r, &made->v_uint64) != 0) return -1;
      made->type_code = made->v_uint64 > INT64_MAX ? JF_UINT : JF_INT;
      return 0;
    case JF_STORED_FLOAT:
      made->type_code = JF_FLOAT;
      return jf_load_raw(r, &made->v_float64, 8);
    case JF_STORED_DTYPE:
      made->type_code = JF_DTYPE;
      return jf_load_raw(r, &made->v_dtype, 4);
    case JF_STORED_DEVICE:
      return read_device(r, made);
    default:
      return jf_load_fail(r, "no value begins so");
  }
}

/* Into a null slot; NULL: it is passed over. */
int32_t jf_load_value(jf_load* r, jf_value* out) {
  if (r->at == r->end) return jf_load_fail(r, "the end, where a value begins");
  const int32_t tag = *r->at++;
  jf_value made = null_value;
  int32_t status = 0;
  if (tag >= JF_STORED_SMALL) {
    made.type_code = JF_INT;
    made.v_int64 = tag & 127;
  } else if (tag == JF_STORED_STR || tag == JF_STORED_BYTES) {
    return read_string(r, tag == JF_STORED_STR, out);
  } else if (tag == JF_STORED_NODE) {
    return read_node(r, out);
  } else if (tag == JF_STORED_SHAPE) {
    return read_shape(r, out);
  } else {
    status = read_plain(r, tag, &made);
  }
  if (status == 0 && out) *out = made;
  return status;
}
