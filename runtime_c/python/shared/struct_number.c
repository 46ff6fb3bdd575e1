/* Fields of numbers, the common ones at the least cost, and bit-fields; others are read and written as items of pointers are. */
#include "raise.h"
#include "struct.h"
#include "unbox.h"

#include <math.h>
#include <string.h>

/* What a value may be that is no plain int or float of the range. The bytes are written at once, so that code of the user that
 * runs meanwhile sees the old value or the new one. */
static int set_any_number(const core_field* field, char* at, PyObject* value) {
  char bytes[8];
  if (core_unbox_scalar(NULL, 0, value, field->to->scalar, bytes) != 0) {
    core_raise_elsewhere(core_field_where(field), field->text);
    return -1;
  }
  memcpy(at, bytes, (size_t)field->item_size); /* little-endian: the low bytes come first */
  return 0;
}

/* -- integers ------------------------------------------------------------------------------------------------------------ */

#define INTEGER(name, type, least, most, make)                                                   \
  static PyObject* get_##name(const core_field* field, core_struct* self, char* at) {            \
    type number;                                                                                 \
    (void)field, (void)self;                                                                     \
    memcpy(&number, at, sizeof number);                                                          \
    return make(number);                                                                         \
  }                                                                                              \
  static int set_##name(const core_field* field, core_struct* self, char* at, PyObject* value) { \
    (void)self;                                                                                  \
    if (PyLong_CheckExact(value)) {                                                              \
      int overflow;                                                                              \
      const long long given = PyLong_AsLongLongAndOverflow(value, &overflow);                    \
      if (overflow == 0 && given >= (least) && given <= (most)) {                                \
        const type number = (type)given;                                                         \
        memcpy(at, &number, sizeof number);                                                      \
        return 0;                                                                                \
      }                                                                                          \
    }                                                                                            \
    return set_any_number(field, at, value);                                                     \
  }

INTEGER(i8, int8_t, INT8_MIN, INT8_MAX, PyLong_FromLong)
INTEGER(i16, int16_t, INT16_MIN, INT16_MAX, PyLong_FromLong)
INTEGER(i32, int32_t, INT32_MIN, INT32_MAX, PyLong_FromLong)
INTEGER(i64, int64_t, INT64_MIN, INT64_MAX, PyLong_FromLongLong)
INTEGER(u8, uint8_t, 0, UINT8_MAX, PyLong_FromLong)
INTEGER(u16, uint16_t, 0, UINT16_MAX, PyLong_FromLong)
INTEGER(u32, uint32_t, 0, UINT32_MAX, PyLong_FromUnsignedLong)
INTEGER(u64, uint64_t, 0, INT64_MAX, PyLong_FromUnsignedLongLong)

/* -- floats -------------------------------------------------------------------------------------------------------------- */

static PyObject* get_f64(const core_field* field, core_struct* self, char* at) {
  double number;
  (void)field, (void)self;
  memcpy(&number, at, sizeof number);
  return PyFloat_FromDouble(number);
}

static int set_f64(const core_field* field, core_struct* self, char* at, PyObject* value) {
  (void)self;
  if (!PyFloat_CheckExact(value)) return set_any_number(field, at, value);
  memcpy(at, &((PyFloatObject*)value)->ob_fval, sizeof(double));
  return 0;
}

static PyObject* get_f32(const core_field* field, core_struct* self, char* at) {
  float number;
  (void)field, (void)self;
  memcpy(&number, at, sizeof number);
  return PyFloat_FromDouble((double)number);
}

static int set_f32(const core_field* field, core_struct* self, char* at, PyObject* value) {
  (void)self;
  if (PyFloat_CheckExact(value)) {
    const float number = (float)PyFloat_AS_DOUBLE(value);
    if (!isinf(number)) {
      memcpy(at, &number, sizeof number);
      return 0;
    }
  }
  return set_any_number(field, at, value);
}

static PyObject* get_bool(const core_field* field, core_struct* self, char* at) {
  (void)field, (void)self;
  return PyBool_FromLong(*at != 0);
}

static PyObject* get_number(const core_field* field, core_struct* self, char* at) {
  (void)self;
  return core_number_read(field->to->scalar, at);
}

static int set_number(const core_field* field, core_struct* self, char* at, PyObject* value) {
  (void)self;
  return set_any_number(field, at, value);
}

static const struct {
  core_field_get get;
  core_field_set set;
} numbers[] = {
    [JF_KIND_BOOL] = {get_bool, set_number},   [JF_KIND_I8] = {get_i8, set_i8},
    [JF_KIND_I16] = {get_i16, set_i16},        [JF_KIND_I32] = {get_i32, set_i32},
    [JF_KIND_I64] = {get_i64, set_i64},        [JF_KIND_U8] = {get_u8, set_u8},
    [JF_KIND_U16] = {get_u16, set_u16},        [JF_KIND_U32] = {get_u32, set_u32},
    [JF_KIND_U64] = {get_u64, set_u64},        [JF_KIND_F16] = {get_number, set_number},
    [JF_KIND_BF16] = {get_number, set_number}, [JF_KIND_F32] = {get_f32, set_f32},
    [JF_KIND_F64] = {get_f64, set_f64},
};

/* -- bit-fields ---------------------------------------------------------------------------------------------------------- */

/* Of packed ones, 64 bits may touch nine bytes. No others are read or written: they may be another thread's, or of no memory. */
static size_t touched(const core_field* field) { return ((size_t)field->bit + field->bits + 7) / 8; }

static uint64_t mask_of(const core_field* field) { return field->bits == 64 ? UINT64_MAX : (1ull << field->bits) - 1; }

static int is_signed(const core_field* field) { return field->to->dtype.code == JF_DL_INT; }

static PyObject* get_bits(const core_field* field, core_struct* self, char* at) {
  unsigned __int128 word = 0;
  (void)self;
  memcpy(&word, at, touched(field));
  const uint64_t number = (uint64_t)(word >> field->bit) & mask_of(field);
  if (field->to->scalar == JF_KIND_BOOL) return PyBool_FromLong(number != 0);
  if (!is_signed(field)) return PyLong_FromUnsignedLongLong(number);
  const int unused = 64 - field->bits;
  return PyLong_FromLongLong((int64_t)(number << unused) >> unused);
}

static int refuse_bits(const core_field* field, PyObject* value) {
  char range[80];
  const uint64_t mask = mask_of(field);
  if (is_signed(field))
    PyOS_snprintf(range, sizeof range, " (%lld to %lld)", (long long)-(int64_t)(mask / 2) - 1, (long long)(mask / 2));
  else
    PyOS_snprintf(range, sizeof range, " (0 to %llu)", (unsigned long long)mask);
  return core_field_refuse(field, PyExc_OverflowError, range, value, NULL);
}

static int set_bits(const core_field* field, core_struct* self, char* at, PyObject* value) {
  unsigned __int128 word = 0;
  uint64_t number = 0;
  (void)self;
  if (core_unbox_scalar(NULL, 0, value, field->to->scalar, &number) != 0) {
    if (PyErr_ExceptionMatches(PyExc_OverflowError) && PyLong_Check(value)) {
      PyErr_Clear();
      return refuse_bits(field, value);
    }
    core_raise_elsewhere(core_field_where(field), field->text);
    return -1;
  }
  const uint64_t mask = mask_of(field);
  const int unused = 64 - field->bits;
  const int fits = is_signed(field) ? (int64_t)(number << unused) >> unused == (int64_t)number : number <= mask;
  if (!fits) return refuse_bits(field, value);
  memcpy(&word, at, touched(field));
  word &= ~((unsigned __int128)mask << field->bit);
  word |= (unsigned __int128)(number & mask) << field->bit;
  memcpy(at, &word, touched(field));
  return 0;
}

/* -- the choice ---------------------------------------------------------------------------------------------------------- */

static PyObject* where(const core_place* place) { return core_field_where(place->of); }

static PyObject* get_other(const core_field* field, core_struct* self, char* at) {
  const core_place place = {field->to, (PyObject*)self, field->text, where, 0, field};
  return core_place_read(&place, at);
}

static int set_other(const core_field* field, core_struct* self, char* at, PyObject* value) {
  const core_place place = {field->to, (PyObject*)self, field->text, where, 0, field};
  return core_place_write(&place, at, value);
}

int core_field_choose(core_field* field) {
  field->get_item = get_other;
  field->set_item = set_other;
  if (field->inner != NULL) {
    core_field_choose_struct(field);
  } else if (field->bits != 0) {
    if (field->to->kind != CORE_TO_NUMBER || field->to->scalar >= JF_KIND_F16 || field->bits > 64) {
      PyErr_Format(PyExc_TypeError, "%U: bit-fields are integers", field->name);
      return -1;
    }
    field->get_item = get_bits;
    field->set_item = set_bits;
  } else if (field->to->kind == CORE_TO_NUMBER && numbers[field->to->scalar].get != NULL) {
    field->get_item = numbers[field->to->scalar].get;
    field->set_item = numbers[field->to->scalar].set;
  }
  if (field->inner == NULL && field->to->kind == CORE_TO_FUNCTION) core_field_choose_function(field);
  field->get = field->get_item;
  field->set = field->set_item;
  if (field->num_dims == 0 && (field->set == set_f64 || field->set == set_i64 || field->set == set_i32))
    field->number = (uint8_t)field->to->scalar;
  return 0;
}
