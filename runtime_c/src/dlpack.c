/* The names of DLPack's data types and devices: text to value and back, the one table of each.
 *
 * Codes and names are those of dlpack.h 1.1 (DLDataTypeCode, DLDeviceType), which are also NumPy's and ml_dtypes' names
 * for what they have. Every value has a name that leads back to it: what the table lacks is spelled by its numbers.
 */

#include <string.h>

#include "decimal.h"
#include "jitffi/runtime.h"

/* bits 0: the number of bits follows the name. Else the name alone has that many, and `counted` says whether others may
 * follow it. */
typedef struct {
  const char* name;
  uint8_t bits;
  uint8_t counted;
} type_name;

/* By code. */
static const type_name type_names[] = {
    {"int", 0, 1},
    {"uint", 0, 1},
    {"float", 0, 1},
    {"handle", 64, 1},
    {"bfloat", 0, 1},
    {"complex", 0, 1},
    {"bool", 8, 1},
    {"float8_e3m4", 8, 0},
    {"float8_e4m3", 8, 0},
    {"float8_e4m3b11fnuz", 8, 0},
    {"float8_e4m3fn", 8, 0},
    {"float8_e4m3fnuz", 8, 0},
    {"float8_e5m2", 8, 0},
    {"float8_e5m2fnuz", 8, 0},
    {"float8_e8m0fnu", 8, 0},
    {"float6_e2m3fn", 6, 0},
    {"float6_e3m2fn", 6, 0},
    {"float4_e2m1fn", 4, 0},
};
enum { TYPE_NAMES = sizeof type_names / sizeof type_names[0] };

/* What signatures call the same (docs/reference/signatures.md), which are read, too. */
static const struct {
  const char* name;
  uint8_t code;
  uint8_t bits;
} short_names[] = {
    {"i8", 0, 8},   {"i16", 0, 16},  {"i32", 0, 32}, {"i64", 0, 64},   {"i128", 0, 128}, {"u8", 1, 8},
    {"u16", 1, 16}, {"u32", 1, 32},  {"u64", 1, 64}, {"u128", 1, 128}, {"f16", 2, 16},   {"f32", 2, 32},
    {"f64", 2, 64}, {"bf16", 4, 16}, {"c64", 5, 64}, {"c128", 5, 128},
};
enum { SHORT_NAMES = sizeof short_names / sizeof short_names[0] };

/* By DLDeviceType; NULL where no device has the number. */
static const char* const device_names[] = {
    [1] = "cpu",     [2] = "cuda",     [3] = "cuda_host",  [4] = "opencl",   [7] = "vulkan",        [8] = "metal",
    [9] = "vpi",     [10] = "rocm",    [11] = "rocm_host", [12] = "ext_dev", [13] = "cuda_managed", [14] = "oneapi",
    [15] = "webgpu", [16] = "hexagon", [17] = "maia",      [18] = "trn",
};
enum { DEVICE_NAMES = sizeof device_names / sizeof device_names[0] };

/* -- reading -- */

typedef struct {
  const char* at;
  const char* end;
} reader;

static int32_t skip(reader* r, const char* word) {
  const size_t size = strlen(word);
  if ((size_t)(r->end - r->at) < size || memcmp(r->at, word, size) != 0) return 0;
  r->at += size;
  return 1;
}

static int32_t at_digit(const reader* r) { return r->at < r->end && *r->at >= '0' && *r->at <= '9'; }

/* A decimal number without leading zeros, up to `most`: 1 and the number, else 0. */
static int32_t read_number(reader* r, uint64_t most, uint64_t* out) {
  uint64_t number = 0;
  if (!at_digit(r) || (*r->at == '0' && r->end - r->at > 1 && r->at[1] >= '0' && r->at[1] <= '9')) return 0;
  for (; at_digit(r); r->at++) {
    number = number * 10 + (uint64_t)(*r->at - '0');
    if (number > most) return 0;
  }
  *out = number;
  return 1;
}

/* The name of a type; those of small floats with "f" or "fp" in the place of "float" as well. */
static int32_t skip_name(reader* r, const type_name* type) {
  if (skip(r, type->name)) return 1;
  if (type->counted) return 0;
  reader rest = *r;
  if (!(skip(&rest, "fp") || skip(&rest, "f")) || !skip(&rest, type->name + strlen("float"))) return 0;
  *r = rest;
  return 1;
}

/* What follows the bits: nothing, or "x" and the lanes, `least` or more, up to the end of the text. */
static int32_t read_lanes(reader* r, uint64_t least, jf_dtype* out) {
  uint64_t lanes = 1;
  if (r->at < r->end && !(skip(r, "x") && read_number(r, UINT16_MAX, &lanes))) return 0;
  out->lanes = (uint16_t)lanes;
  return r->at == r->end && lanes >= least;
}

static int32_t read_named(reader r, int32_t code, jf_dtype* out) {
  const type_name* type = &type_names[code];
  uint64_t bits = type->bits;
  if (!skip_name(&r, type)) return 0;
  if (!type->counted && r.end - r.at > 1 && r.at[0] == '_') r.at++; /* PyTorch's float4_e2m1fn_x2 */
  if (type->counted && (at_digit(&r) || bits == 0) && !read_number(&r, UINT8_MAX, &bits)) return 0;
  if (bits == 0) return 0;
  out->code = (uint8_t)code;
  out->bits = (uint8_t)bits;
  return read_lanes(&r, 1, out);
}

static int32_t read_short(const reader* all, jf_dtype* out) {
  for (size_t i = 0; i < SHORT_NAMES; i++) {
    reader r = *all;
    if (!skip(&r, short_names[i].name)) continue;
    out->code = short_names[i].code;
    out->bits = short_names[i].bits;
    return read_lanes(&r, 1, out);
  }
  return 0;
}

/* "code<code>.<bits>": what has no name, and what C made of no lanes at all. */
static int32_t read_numbered(reader r, jf_dtype* out) {
  uint64_t code, bits;
  if (!skip(&r, "code") || !read_number(&r, UINT8_MAX, &code)) return 0;
  if (!skip(&r, ".") || !read_number(&r, UINT8_MAX, &bits)) return 0;
  out->code = (uint8_t)code;
  out->bits = (uint8_t)bits;
  return read_lanes(&r, 0, out);
}

/* Borrows text, which need not end in a NUL. -1 where it names no data type: sets no error, *out is unspecified. */
int32_t jf_dtype_parse(const char* text, size_t size, jf_dtype* out) {
  const reader all = {text, text + size};
  for (int32_t code = 0; code < TYPE_NAMES; code++) {
    if (read_named(all, code, out)) return 0;
  }
  if (size == 4 && memcmp(text, "void", 4) == 0) {
    *out = (jf_dtype){3, 0, 0};
    return 0;
  }
  return read_short(&all, out) || read_numbered(all, out) ? 0 : -1;
}

/* Borrows text. -1 where it names no device: sets no error, *out is unspecified. */
int32_t jf_device_parse(const char* text, size_t size, jf_device* out) {
  const char* colon = size ? memchr(text, ':', size) : NULL;
  reader name = {text, colon ? colon : text + size};
  uint64_t type = 0, index = 0;
  for (size_t i = 0; i < DEVICE_NAMES && !type; i++) {
    const size_t length = (size_t)(name.end - name.at);
    if (device_names[i] && strlen(device_names[i]) == length && memcmp(device_names[i], text, length) == 0) type = i;
  }
  int32_t negative = 0;
  if (!type && !(skip(&name, "device") && (negative = skip(&name, "-"), 1) &&
                 read_number(&name, INT32_MAX + (uint64_t)negative, &type) && name.at == name.end)) {
    return -1;
  }
  out->device_type = (int32_t)(negative ? -(int64_t)type : (int64_t)type);
  out->device_id = 0;
  if (!colon) return 0;
  reader number = {colon + 1, text + size};
  negative = skip(&number, "-");
  if (!read_number(&number, INT32_MAX + (uint64_t)negative, &index) || number.at != number.end) return -1;
  out->device_id = (int32_t)(negative ? -(int64_t)index : (int64_t)index);
  return 0;
}

/* -- writing -- */

static size_t written(int length, size_t capacity) {
  if (length < 0 || capacity == 0) return 0;
  return (size_t)length < capacity ? (size_t)length : capacity - 1;
}

/* Writes the canonical name, cut to capacity and NUL-terminated; JF_DTYPE_SIZE bytes hold every one. Its length. */
size_t jf_dtype_format(jf_dtype dtype, char* buffer, size_t capacity) {
  const type_name* type = dtype.code < TYPE_NAMES && dtype.lanes ? &type_names[dtype.code] : NULL;
  char lanes[8] = "";
  if (dtype.code == 3 && dtype.bits == 0 && dtype.lanes == 0)
    return written(jf_print(buffer, capacity, "void"), capacity);
  if (dtype.lanes != 1) jf_print(lanes, sizeof lanes, "x%u", dtype.lanes);
  if (type && type->bits && type->bits == dtype.bits)
    return written(jf_print(buffer, capacity, "%s%s", type->name, lanes), capacity);
  if (type && type->counted && dtype.bits)
    return written(jf_print(buffer, capacity, "%s%u%s", type->name, dtype.bits, lanes), capacity);
  return written(jf_print(buffer, capacity, "code%u.%u%s", dtype.code, dtype.bits, lanes), capacity);
}

/* The name of a DLDeviceType, static; NULL where it has none. */
const char* jf_device_name(int32_t device_type) {
  return device_type >= 0 && device_type < DEVICE_NAMES ? device_names[device_type] : NULL;
}

/* As jf_dtype_format: "cuda:1", and "device99:0" where the type has no name. JF_DEVICE_SIZE bytes hold every one. */
size_t jf_device_format(jf_device device, char* buffer, size_t capacity) {
  const char* name = jf_device_name(device.device_type);
  if (name) return written(jf_print(buffer, capacity, "%s:%d", name, (int)device.device_id), capacity);
  return written(jf_print(buffer, capacity, "device%d:%d", (int)device.device_type, (int)device.device_id), capacity);
}
