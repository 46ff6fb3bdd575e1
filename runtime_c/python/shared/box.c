/* Native values to Python objects: new references, NULL with a Python exception set.
 *
 * Slots come from native code that may be wrong: a code that nobody knows, or a length that no slot can have, is an
 * exception.
 */
#include "box.h"
#include "boxing.h"
#include "host_object.h"
#include "jitffi/runtime.h"
#include "raise.h"
#include "state.h"

#include <string.h>

enum { ASCII_MOST = 128 };
#define HIGH_BITS UINT64_C(0x8080808080808080)

/* None for NULL, else the address as an int. */
PyObject* core_box_ptr(void* pointer) {
  if (pointer == NULL) Py_RETURN_NONE;
  return PyLong_FromUnsignedLongLong((uintptr_t)pointer);
}

static PyObject* decode_str(const char* data, size_t size) {
  if (size > (size_t)PY_SSIZE_T_MAX) {
    PyErr_SetString(PyExc_OverflowError, "text is too long for a str");
    return NULL;
  }
  return PyUnicode_DecodeUTF8(data != NULL ? data : "", (Py_ssize_t)size, "strict");
}

#if PY_VERSION_HEX < 0x030E0000 /* from 3.14 on CPython's own decoder is as quick with short ASCII */

/* Of two bytes at least: by words, the last of which overlaps the one before. */
static inline int is_ascii(const char* data, size_t size) {
  uint64_t seen = 0;
  uint64_t word = 0;
  if (size < sizeof word) {
    uint32_t first = 0, last = 0;
    const size_t part = size < sizeof first ? sizeof(uint16_t) : sizeof first;
    if (part == sizeof first) {
      memcpy(&first, data, sizeof first);
      memcpy(&last, data + size - sizeof last, sizeof last);
    } else {
      memcpy(&first, data, sizeof(uint16_t));
      memcpy(&last, data + size - sizeof(uint16_t), sizeof(uint16_t));
    }
    return ((first | last) & (uint32_t)HIGH_BITS) == 0;
  }
#if defined(__clang__) /* which would prepare for longer texts than come here */
#pragma clang loop vectorize(disable) unroll(disable)
#endif
  for (size_t i = 0; i + sizeof word <= size; i += sizeof word) {
    memcpy(&word, data + i, sizeof word);
    seen |= word;
  }
  memcpy(&word, data + size - sizeof word, sizeof word);
  return ((seen | word) & HIGH_BITS) == 0;
}

/* Up to one character goes to CPython's decoder, which gives the shared strings. */
static __attribute__((cold, noinline)) PyObject* decode_other(const char* data, size_t size) {
  return decode_str(data, size);
}

/* Borrows the text. Bytes that are no UTF-8 are a UnicodeDecodeError. All but short ASCII is decoded elsewhere, so that every
 * compiler makes the same few instructions of the rest. */
PyObject* core_box_str(const char* data, size_t size) {
  if (size - 2 > ASCII_MOST - 2 || !is_ascii(data, size)) return decode_other(data, size);
  PyObject* text = PyUnicode_New((Py_ssize_t)size, 127);
  if (text == NULL) return NULL;
  memcpy((PyASCIIObject*)text + 1, data, size); /* where PyUnicode_1BYTE_DATA finds it, too */
  return text;
}

#else

PyObject* core_box_str(const char* data, size_t size) { return decode_str(data, size); }

#endif

/* Borrows the bytes. */
PyObject* core_box_bytes(const char* data, size_t size) {
  if (size > (size_t)PY_SSIZE_T_MAX) {
    PyErr_SetString(PyExc_OverflowError, "too many bytes for a bytes object");
    return NULL;
  }
  return PyBytes_FromStringAndSize(data != NULL ? data : "", (Py_ssize_t)size);
}

/* Borrows text; NULL is a ValueError. */
PyObject* core_box_cstr(core_state* state, int32_t index, const char* text) {
  if (text == NULL) {
    PyObject* where = core_where(state, index);
    if (where != NULL) PyErr_Format(PyExc_ValueError, "%Uexpected %s, got NULL", where, core_type_text(state, index));
    Py_XDECREF(where);
    return NULL;
  }
  PyObject* boxed = core_box_str(text, strlen(text));
  if (boxed == NULL) core_raise_context(state, index);
  return boxed;
}

/* Borrows object. Values and text become Python's own, host objects themselves, NULL None, all others a wrapper. */
PyObject* core_box_object(jf_object* object) {
  if (object == NULL) Py_RETURN_NONE;
  const jf_box* box = (const jf_box*)object;
  const jf_str* text = (const jf_str*)object;
  switch (object->type_code) {
    case JF_FUNCTION:
      return core_class_function(object);
    case JF_MODULE:
      return core_class_module(object);
    case JF_BOXED_INT:
      return PyLong_FromLongLong(box->v_int64);
    case JF_BOXED_FLOAT:
      return PyFloat_FromDouble(box->v_float64);
    case JF_BOXED_BOOL:
      return PyBool_FromLong(box->v_int64 != 0);
    case JF_BOXED_HANDLE:
      return core_box_handle(box->v_handle);
    case JF_BOXED_UINT:
      return PyLong_FromUnsignedLongLong(box->v_uint64);
    case JF_BOXED_DTYPE:
      return core_class_dtype(box->v_dtype);
    case JF_BOXED_DEVICE:
      return core_class_device(box->v_device);
    case JF_STR:
      return core_box_str(text->data, text->size);
    case JF_BYTES:
      return core_box_bytes(text->data, text->size);
    case JF_UCS4:
      return core_box_ucs4(((const jf_ucs4*)object)->data, text->size);
    default:
      break;
  }
  PyObject* host = core_host_get(object);
  return host != NULL ? Py_NewRef(host) : core_class_wrapper(object);
}

/* A small value: `most` is what the largest slot holds. */
static PyObject* box_small(const jf_any* slot) {
  const char* payload = (const char*)slot + JF_PAYLOAD_OFFSET;
  int is_ucs4 = slot->type_code == JF_SMALL_UCS4;
  int32_t most = is_ucs4 ? JF_MAX_CAPACITY / (int32_t)sizeof(jf_char32) : JF_MAX_CAPACITY - 1;
  if (slot->small_len < 0 || slot->small_len > most)
    return PyErr_Format(PyExc_SystemError, "a slot of type code %d has length %d", (int)slot->type_code,
                        (int)slot->small_len);
  size_t size = (size_t)slot->small_len;
  if (is_ucs4) return core_box_ucs4((const jf_char32*)(const void*)payload, size);
  return slot->type_code == JF_SMALL_STR ? core_box_str(payload, size) : core_box_bytes(payload, size);
}

static PyObject* box_any_pointer(const jf_any* slot) {
  int32_t code = slot != NULL ? slot->type_code : 0;
  if (code == JF_SMALL_STR || code == JF_SMALL_UCS4 || code == JF_SMALL_BYTES) return box_small(slot);
  return PyErr_Format(PyExc_SystemError, "an any pointer leads to type code %d, which is no small value", (int)code);
}

/* Borrows what the view borrows, and leaves an r-value reference as it is. */
PyObject* core_box_view(const jf_view* view) {
  switch (view->type_code) {
    case JF_NULL:
      Py_RETURN_NONE;
    case JF_INT:
      return PyLong_FromLongLong(view->v_int64);
    case JF_UINT:
      return PyLong_FromUnsignedLongLong(view->v_uint64);
    case JF_FLOAT:
      return PyFloat_FromDouble(view->v_float64);
    case JF_BOOL:
      return PyBool_FromLong(view->v_int64 != 0);
    case JF_HANDLE:
      return core_box_handle(view->v_handle);
    case JF_DTYPE:
      return core_class_dtype(view->v_dtype);
    case JF_DEVICE:
      return core_class_device(view->v_device);
    case JF_DLTENSOR:
      PyErr_SetString(PyExc_ValueError,
                      "a borrowed DLTensor cannot become a Python object: pass an nd-array, which is counted");
      return NULL;
    case JF_RAW_STR:
      return view->v_raw_str != NULL ? core_box_str(view->v_raw_str, strlen(view->v_raw_str)) : Py_NewRef(Py_None);
    case JF_BYTE_ARRAY:
      return core_box_bytes(view->v_span->data, view->v_span->size);
    case JF_STR_VIEW:
      return core_box_str(view->v_span->data, view->v_span->size);
    case JF_UCS4_VIEW:
      return core_box_ucs4(view->v_ucs4_span->data, view->v_ucs4_span->size);
    case JF_RVALUE:
      return core_box_object(view->v_rvalue != NULL ? *view->v_rvalue : NULL);
    case JF_SMALL_STR:
    case JF_SMALL_UCS4:
    case JF_SMALL_BYTES:
      return box_small(view);
    case JF_ANY_PTR:
      return box_any_pointer(view->v_handle);
    case JF_OBJECT:
    case JF_MODULE:
    case JF_FUNCTION:
    case JF_NDARRAY:
      return core_box_object(view->v_object);
    default:
      return PyErr_Format(PyExc_TypeError, "a slot has type code %d, which is unknown", (int)view->type_code);
  }
}

/* Borrows the item, which may be a longer slot than a view. */
PyObject* core_box_item(jf_item item) {
  if (*item.code < 0) return core_box_view(item.slot);
  if (*item.code != JF_FUNCTION && *item.code != JF_MODULE) return core_box_object(item.object);
  jf_object_retain(item.object); /* Python code makes its builtin or its class, and may drop it from the container */
  PyObject* boxed = core_box_object(item.object);
  jf_object_release(item.object);
  return boxed;
}

/* Takes *value, a slot of any pad. Codes that only a view may have are read all the same: nothing of them is
 * owned. */
PyObject* core_box_slot(jf_value* value) {
  PyObject* boxed;
  jf_object* owned = NULL;
  const int32_t code = value->type_code;
  if (code == JF_SMALL_STR && (uint32_t)value->small_len < JF_MAX_CAPACITY) { /* the usual text, on the shortest way */
    boxed = core_box_str((const char*)value + JF_PAYLOAD_OFFSET, (size_t)value->small_len);
  } else {
    boxed = core_box_view(value);
    if (code == JF_OBJECT || (code > 0 && code <= JF_S1_LAST)) owned = value->v_object;
  }
  value->type_code = JF_NULL;
  value->small_len = 0;
  value->v_int64 = 0;
  if (owned != NULL) jf_object_release(owned);
  return boxed;
}
