/* Values that need no call: exact int, float, str and bytes to items of a container and back, by what CPython's headers say of
 * their layout.
 */
#ifndef JITFFI_PYTHON_FAST_PATHS_H
#define JITFFI_PYTHON_FAST_PATHS_H

#include <string.h>

#include "box.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"

#define FAST_HIGH_BITS UINT64_C(0x8080808080808080)

/* 1 and the value, for an exact int (or subclass) of at most two digits; else 0. */
static inline int fast_int(PyObject* object, int64_t* out) {
  const PyLongObject* number = (const PyLongObject*)object;
#if PY_VERSION_HEX >= 0x030C0000
  const uintptr_t tag = number->long_value.lv_tag;
  const digit* digits = number->long_value.ob_digit;
  const int64_t sign = 1 - (int64_t)(tag & 3);
  const uintptr_t size = tag >> 3;
  if (size <= 1) {
    *out = sign * (int64_t)digits[0];
    return 1;
  }
  if (size != 2) return 0;
  *out = sign * (int64_t)((uint64_t)digits[0] | (uint64_t)digits[1] << PyLong_SHIFT);
  return 1;
#else
  const digit* digits = number->ob_digit;
  const Py_ssize_t size = Py_SIZE(object);
  if (size >= -1 && size <= 1) {
    *out = (int64_t)size * (int64_t)digits[0];
    return 1;
  }
  if (size != 2 && size != -2) return 0;
  const int64_t value = (int64_t)((uint64_t)digits[0] | (uint64_t)digits[1] << PyLong_SHIFT);
  *out = size > 0 ? value : -value;
  return 1;
#endif
}

/* Copies 2 to 7 bytes into a word whose other bytes are zero. */
static inline uint64_t fast_word(const char* data, size_t size) {
  if (size >= 4) {
    uint32_t low, high;
    memcpy(&low, data, 4);
    memcpy(&high, data + size - 4, 4);
    return (uint64_t)low | (uint64_t)high << (8 * (size - 4));
  }
  uint16_t low, high;
  memcpy(&low, data, 2);
  memcpy(&high, data + size - 2, 2);
  return (uint64_t)low | (uint64_t)high << (8 * (size - 2));
}

/* Writes small text: size from 2 up to what the slot's payload holds beside the NUL. */
static inline void fast_write(jf_any* slot, int32_t code, const char* data, size_t size) {
  slot->type_code = code;
  slot->small_len = (int32_t)size;
  if (size < 8) {
    slot->v_uint64 = fast_word(data, size);
    return;
  }
  char* payload = (char*)slot + JF_PAYLOAD_OFFSET;
  if (size > 16) {
    memcpy(payload, data, size);
  } else {
    memcpy(payload, data, 8);
    memcpy(payload + size - 8, data + size - 8, 8);
  }
  payload[size] = 0;
}

/* Writes an exact str of short ASCII text over a slot that owns nothing. 1: done. */
static inline int fast_set_text(jf_any* slot, PyObject* value) {
  if (!PyUnicode_CheckExact(value) || !PyUnicode_IS_COMPACT_ASCII(value)) return 0;
  const size_t size = (size_t)PyUnicode_GET_LENGTH(value);
  if (size < 2 || size > sizeof slot->v_bytes - 1 || slot->type_code > 0 || slot->type_code == JF_OBJECT) return 0;
  fast_write(slot, JF_SMALL_STR, (const char*)((PyASCIIObject*)value + 1), size);
  return 1;
}

static inline int fast_is_static_int(int64_t value) {
  return value >= JF_STATIC_INT_FIRST && value <= JF_STATIC_INT_LAST;
}

/* Whether an item for the object takes a slot of a pool with that payload. Only a guess for what takes a call. */
static inline size_t fast_slots(PyObject* object, size_t payload) {
  PyTypeObject* type = Py_TYPE(object);
  int64_t value;
  if (type == &PyLong_Type) return !(fast_int(object, &value) && fast_is_static_int(value));
  if (type == &PyUnicode_Type) {
    size_t size = (size_t)PyUnicode_GET_LENGTH(object);
    return PyUnicode_IS_COMPACT_ASCII(object) ? size != 1 && size < payload : size * 2 <= payload;
  }
  if (type == &PyFloat_Type) return 1;
  return type == &PyBytes_Type && (size_t)PyBytes_GET_SIZE(object) < payload;
}

/* 1: *out is a new item of the pool; 0: the object takes a call; -1: last error set. Runs no Python code. */
static inline int fast_item(jf_pool* pool, size_t limit, PyObject* object, jf_item* out) {
  PyTypeObject* type = Py_TYPE(object);
  int64_t value;
  jf_any* slot;
  if (type == &PyLong_Type) {
    if (!fast_int(object, &value)) return 0;
    if (fast_is_static_int(value)) {
      out->slot = &jf_static_ints[value - JF_STATIC_INT_FIRST];
      return 1;
    }
    if ((slot = jf_pool_take(pool, limit)) == NULL) return -1;
    slot->type_code = JF_INT;
    slot->small_len = 0;
    slot->v_int64 = value;
    out->slot = slot;
    return 1;
  }
  if (type == &PyUnicode_Type) {
    if (!PyUnicode_IS_COMPACT_ASCII(object)) return 0;
    const char* data = (const char*)((PyASCIIObject*)object + 1);
    size_t size = (size_t)PyUnicode_GET_LENGTH(object);
    if (size == 1) {
      out->slot = &jf_static_chars[(unsigned char)data[0]];
      return 1;
    }
    if (size >= (size_t)pool->stride - JF_PAYLOAD_OFFSET) {
      out->object = jf_str_new(data, size);
      if (out->object == NULL) return -1;
      ((jf_str*)out->object)->characters = (int64_t)size; /* ASCII, which nobody has to find out again */
      return 1;
    }
    if ((slot = jf_pool_take(pool, limit)) == NULL) return -1;
    if (size == 0)
      *slot = (jf_any){.type_code = JF_SMALL_STR};
    else
      fast_write(slot, JF_SMALL_STR, data, size);
    out->slot = slot;
    return 1;
  }
  if (type == &PyFloat_Type) {
    if ((slot = jf_pool_take(pool, limit)) == NULL) return -1;
    slot->type_code = JF_FLOAT;
    slot->small_len = 0;
    slot->v_float64 = PyFloat_AS_DOUBLE(object);
    out->slot = slot;
    return 1;
  }
  if (object == Py_None) {
    out->slot = &jf_static_null;
    return 1;
  }
  if (type == &PyBool_Type) {
    out->slot = object == Py_True ? &jf_static_true : &jf_static_false;
    return 1;
  }
  return 0;
}

/* New str of a small str in a slot. */
static inline PyObject* fast_box_str(const jf_any* slot) {
  const size_t size = (size_t)slot->small_len;
  const char* payload = (const char*)slot + JF_PAYLOAD_OFFSET;
  uint64_t last = slot->v_uint64;
  if (size >= 8) memcpy(&last, payload + size - 8, 8);
  if (size < 2 || size > 16 || ((slot->v_uint64 | last) & FAST_HIGH_BITS) != 0) return core_box_view(slot);
  PyObject* text = PyUnicode_New((Py_ssize_t)size, 127);
  if (text == NULL) return NULL;
  char* data = (char*)((PyASCIIObject*)text + 1);
  if (size >= 8) {
    memcpy(data, &slot->v_uint64, 8);
    memcpy(data + size - 8, &last, 8);
  } else if (size >= 4) {
    memcpy(data, payload, 4);
    memcpy(data + size - 4, payload + size - 4, 4);
  } else {
    memcpy(data, payload, 2);
    memcpy(data + size - 2, payload + size - 2, 2);
  }
  return text;
}

/* New str of a heap str that is known to be ASCII; all others by core_box_item. */
static inline PyObject* fast_box_heap_str(jf_item item) {
  const jf_str* heap = (const jf_str*)item.object;
  const int64_t size = (int64_t)heap->size;
  if (size < 2 || __atomic_load_n(&heap->characters, __ATOMIC_RELAXED) != size) return core_box_item(item);
  PyObject* text = PyUnicode_New((Py_ssize_t)size, 127);
  if (text != NULL) memcpy((PyASCIIObject*)text + 1, heap->data, (size_t)size);
  return text;
}

/* New reference; as core_box_item. The kinds in a pool are told apart here. */
static inline PyObject* fast_box(jf_item item) {
  switch (*item.code) {
    case JF_INT:
      return PyLong_FromLongLong(item.slot->v_int64);
    case JF_SMALL_STR:
      return fast_box_str(item.slot);
    case JF_FLOAT:
      return PyFloat_FromDouble(item.slot->v_float64);
    case JF_STR:
      return fast_box_heap_str(item);
    case JF_NULL:
      return Py_NewRef(Py_None);
    case JF_BOOL:
      return Py_NewRef(item.slot->v_int64 ? Py_True : Py_False);
    default:
      return core_box_item(item);
  }
}

#endif
