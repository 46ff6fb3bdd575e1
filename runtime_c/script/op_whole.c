/* Ints as bytes, and bytes as ints. */
#include <string.h>

#include "host.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "op_value.h"
#include "slot.h"
#include "value.h"

/* 1: little, 0: big; -1 with a ValueError. */
static int32_t is_little(const jf_text* order) {
  if (!order->wide && order->size == 6 && memcmp(order->data, "little", 6) == 0) return 1;
  if (!order->wide && order->size == 3 && memcmp(order->data, "big", 3) == 0) return 0;
  return JF_FAIL("ValueError", "byteorder must be either 'little' or 'big'");
}

static int32_t fits(int64_t value, int64_t length, int32_t is_signed) {
  if (value < 0 && !is_signed) return JF_FAIL("OverflowError", "can't convert negative int to unsigned");
  if (length >= 8) return 0;
  const int32_t bits = (int32_t)length * 8 - (is_signed && length > 0);
  const int64_t rest = bits < 63 ? value >> bits : 0;
  return rest == 0 || (is_signed && length > 0 && rest == -1) ? 0 : JF_FAIL("OverflowError", "int too big to convert");
}

/* An owned bytes in a null out-slot. */
int32_t jf_int_to_bytes(int64_t value, int64_t length, const jf_text* order, int32_t is_signed, jf_value* out) {
  const int32_t little = is_little(order);
  if (little < 0) return -1;
  if (length < 0) return JF_FAIL("ValueError", "length argument must be non-negative");
  if (fits(value, length, is_signed) != 0) return -1;
  unsigned char frame[64];
  unsigned char* bytes = length <= (int64_t)sizeof frame ? frame : jf_alloc((size_t)length);
  if (bytes == NULL) return JF_FAIL("MemoryError", "no memory for the bytes of an int");
  memset(bytes, value < 0 ? 0xFF : 0, (size_t)length);
  for (int64_t i = 0; i < length && i < 8; i++)
    bytes[little ? i : length - 1 - i] = (unsigned char)((uint64_t)value >> (8 * i));
  const jf_text made = {bytes, (size_t)length, 0};
  const int32_t status = jf_bytes_to(&made, out);
  if (bytes != frame) jf_free(bytes);
  return status;
}

/* Byte i, from the least significant one. */
static uint64_t byte_at(const jf_text* bytes, size_t i, int32_t little) {
  return ((const unsigned char*)bytes->data)[little ? i : bytes->size - 1 - i];
}

/* 0, or 1 for an int of more than 64 bits. */
static int32_t read_bytes(const jf_text* bytes, int32_t little, int32_t is_signed, int64_t* out) {
  const int32_t negative = is_signed && bytes->size > 0 && byte_at(bytes, bytes->size - 1, little) > 127;
  uint64_t value = negative ? UINT64_MAX : 0;
  for (size_t i = 0; i < bytes->size; i++) {
    const uint64_t byte = byte_at(bytes, i, little);
    if (i < 8)
      value = (value & ~(UINT64_C(0xFF) << (8 * i))) | byte << (8 * i);
    else if (byte != (negative ? 0xFF : 0))
      return 1;
  }
  if ((value >> 63 != 0) != (negative != 0)) return 1;
  *out = (int64_t)value;
  return 0;
}

static int32_t from_bytes(const jf_text* bytes, int32_t little, int32_t is_signed, int64_t* out) {
  return read_bytes(bytes, little, is_signed, out) != 0 ? jf_script_overflow() : 0;
}

/* Of a bytes, or of a list or tuple of ints. Borrows. */
int32_t jf_int_from_bytes(const jf_any* given, const jf_text* order, int32_t is_signed, int64_t* out) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(given, &scratch);
  const int32_t little = is_little(order), kind = jf_value_kind(slot);
  if (little < 0) return -1;
  jf_text bytes;
  if (kind == JF_VALUE_BYTES)
    return jf_op_text(slot, kind, &bytes, NULL) != 0 ? -1 : from_bytes(&bytes, little, is_signed, out);
  const int32_t has_items =
      kind == JF_VALUE_LIST || kind == JF_VALUE_TUPLE || kind == JF_VALUE_MAP || kind == JF_VALUE_SET;
  if (!has_items && !jf_op_host(slot))
    return JF_FAIL("TypeError", "cannot convert '%s' object to bytes", jf_op_type_name(slot));
  union {
    jf_value slot;
    char room[JF_PAYLOAD_OFFSET + JF_MAX_CAPACITY];
  } made;
  jf_out_init(&made.slot, JF_MAX_CAPACITY);
  const jf_script_host* host = jf_op_host(slot);
  if ((host ? host->unary(JF_HOST_BYTES, slot, &made.slot) : jf_op_bytes(slot, &made.slot)) != 0) return -1;
  int32_t status = jf_op_text(&made.slot, JF_VALUE_BYTES, &bytes, NULL);
  if (status == 0) status = from_bytes(&bytes, little, is_signed, out);
  jf_any_release(&made.slot);
  return status;
}

/* The same of any size: *out is null on failure. */
int32_t jf_int_of_any_size_from_bytes(const jf_any* given, const jf_text* order, int32_t is_signed, jf_value* out) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(given, &scratch);
  const jf_script_host* host = jf_op_any_host();
  const int32_t little = is_little(order), kind = jf_value_kind(slot);
  int64_t number;
  jf_text bytes;
  jf_set_null(out);
  if (little < 0) return -1;
  if (!host) {
    if (jf_int_from_bytes(slot, order, is_signed, &number) != 0) return -1;
  } else {
    if (kind == JF_VALUE_BYTES && jf_op_text(slot, kind, &bytes, NULL) != 0) return -1;
    if (kind != JF_VALUE_BYTES || read_bytes(&bytes, little, is_signed, &number) != 0) {
      jf_any how = {JF_INT, 0, {0}};
      how.v_int64 = little | (is_signed ? 2 : 0);
      return host->binary(JF_HOST_INT_FROM_BYTES, slot, &how, out);
    }
  }
  jf_set_int(out, number);
  return 0;
}
