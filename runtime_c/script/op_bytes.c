/* bytes(value): of a number of zeros, of bytes, or of ints from 0 to 255; what may be encoded, decoded and looked for. */
#include <string.h>

#include "host.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "message.h"
#include "op_value.h"
#include "slot.h"
#include "value.h"

static int32_t zeros(const jf_any* count, jf_value* out) {
  int64_t size = 0;
  if (jf_op_index(count, &size) != 0) return -1;
  if (size < 0) return JF_FAIL("ValueError", "negative count");
  char* data = NULL;
  jf_object* made = (uint64_t)size < PTRDIFF_MAX / 2 ? jf_str_alloc(JF_BYTES, (size_t)size, &data) : NULL;
  if (!made) {
    jf_error_no_memory();
    return -1;
  }
  memset(data, 0, (size_t)size);
  const int32_t status = jf_out_bytes(out, data, (size_t)size);
  jf_object_release(made);
  return status;
}

/* A list of the ints, so that the iteration is over before they are looked at. */
static int32_t of_items(const jf_any* iterable, jf_value* out) {
  jf_object* items = NULL;
  if (jf_op_list(iterable, 0, &items) != 0) return -1;
  const jf_list* list = (const jf_list*)items;
  char* data = NULL;
  jf_object* made = jf_str_alloc(JF_BYTES, list->size, &data);
  int32_t status = made ? 0 : -1;
  for (size_t i = 0; status == 0 && i < list->size; i++) {
    jf_view view;
    int64_t byte = 0;
    jf_item_view(list->items[i], &view);
    status = jf_op_index(&view, &byte);
    if (status == 0 && (byte < 0 || byte > 255)) status = JF_FAIL("ValueError", "bytes must be in range(0, 256)");
    data[i] = (char)byte;
  }
  if (status == 0) status = jf_out_bytes(out, data, list->size);
  jf_object_release(made);
  jf_object_release(items);
  return status;
}

/* Borrows; *out owns the bytes. TypeError, ValueError, MemoryError: *out is null. */
int32_t jf_op_bytes(const jf_any* value, jf_value* out) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  switch (jf_value_kind(slot)) {
    case JF_VALUE_NUMBER:
      if (slot->type_code == JF_FLOAT) break;
      return zeros(slot, out);
    case JF_VALUE_TEXT:
      return JF_FAIL("TypeError", "string argument without an encoding");
    case JF_VALUE_BYTES:
      return jf_any_retain(slot, out);
    case JF_VALUE_LIST:
    case JF_VALUE_TUPLE:
    case JF_VALUE_MAP:
    case JF_VALUE_SET:
      return of_items(slot, out);
    default:
      break;
  }
  const jf_script_host* host = jf_op_host(slot);
  if (host) return host->unary(JF_HOST_BYTES_CALL, slot, out);
  return JF_FAIL("TypeError", "cannot convert '%s' object to bytes", jf_op_type_name(slot));
}

/* Borrows. TypeError for what is no bytes. */
int32_t jf_op_decodable(const jf_any* value) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  switch (jf_value_kind(slot)) {
    case JF_VALUE_BYTES:
      return 0;
    case JF_VALUE_TEXT:
      return JF_FAIL("TypeError", "decoding str is not supported");
    default:
      return JF_FAIL("TypeError", "decoding to str: need a bytes-like object, %s found", jf_op_type_name(slot));
  }
}

/* Borrows. TypeError for what is no text. */
int32_t jf_op_encodable(const jf_any* value) {
  jf_any scratch;
  if (jf_value_kind(jf_any_resolve(value, &scratch)) == JF_VALUE_TEXT) return 0;
  return JF_FAIL("TypeError", "encoding without a string argument");
}

/* Borrows; errors may be NULL. TypeError for what is no text. */
int32_t jf_op_coding(const char* function, const jf_any* encoding, const jf_any* errors) {
  const jf_any* const given[] = {encoding, errors};
  for (int i = 0; i < 2 && given[i]; i++) {
    jf_any scratch;
    const jf_any* slot = jf_any_resolve(given[i], &scratch);
    if (jf_value_kind(slot) == JF_VALUE_TEXT) continue;
    /* The faster way to call str() since CPython 3.13 has words of its own. */
    const int32_t is_none = slot->type_code == JF_NULL && (JITFFI_SCRIPT_PYTHON < 313 || strcmp(function, "str") != 0);
    return JF_FAIL("TypeError", "%s() argument '%s' must be str, not %s", function, i ? "errors" : "encoding",
                   is_none ? "None" : jf_op_type_name(slot));
  }
  return 0;
}

/* Borrows; *out borrows from the value, or from *room. ValueError. */
int32_t jf_op_byte_text(const jf_any* value, char* room, jf_text* out) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(value, &scratch);
  if (slot->type_code != JF_INT && slot->type_code != JF_BOOL && slot->type_code != JF_UINT) {
    return jf_bytes_of(slot, out);
  }
  if (slot->v_uint64 > 255) return JF_FAIL("ValueError", "byte must be in range(0, 256)");
  *room = (char)slot->v_uint64;
  *out = (jf_text){room, 1, 0};
  return 0;
}
