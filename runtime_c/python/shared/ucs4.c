/* `ucs4`: Python's str to code points and back.
 *
 * A str of four bytes a character is borrowed as it lies; a narrower one is widened, into the frame of generated code where
 * it is short. Lone surrogates are refused, as they are for `str`. This file is compiled with -O3: its loops are
 * written for the vectoriser.
 */
#include "box.h"
#include "error.h"
#include "jitffi/runtime.h"
#include "jitffi/text.h"
#include "raise.h"
#include "said.h"
#include "state.h"
#include "unbox.h"
#include "wrapper.h"

#include <string.h>

/* -- to Python ---------------------------------------------------------------------------------------------- */

/* All bits that occur: they tell the widest character's class, as the limits between the classes are powers of two. */
static uint32_t bits_of(const jf_char32* data, size_t size) {
  uint32_t bits = 0;
  for (size_t i = 0; i < size; i++) bits |= (uint32_t)data[i];
  return bits;
}

/* Of text whose bits say that there may be a fault: 1 with ValueError, or 0. */
static int is_faulty(const jf_char32* data, size_t size) {
  const int64_t at = jf_ucs4_fault(data, size);
  if (at < 0) return 0;
  PyErr_Format(PyExc_ValueError, "character %lld of a UCS4 string is 0x%x, which is %s", (long long)at,
               (unsigned)data[at], data[at] > 0x10FFFF ? "beyond 0x10ffff" : "a surrogate");
  return 1;
}

/* Borrows. New str of the narrowest kind; ValueError for what is no character. */
PyObject* core_box_ucs4(const jf_char32* data, size_t size) {
  if (size > (size_t)PY_SSIZE_T_MAX / sizeof *data) return PyErr_NoMemory();
  const uint32_t bits = bits_of(data, size);
  if (bits >= 0xD800 && is_faulty(data, size)) return NULL;
  if (size <= 1) return PyUnicode_FromKindAndData(PyUnicode_4BYTE_KIND, data, (Py_ssize_t)size); /* shared ones */
  const Py_UCS4 most = bits < 0x80 ? 0x7F : bits < 0x100 ? 0xFF : bits < 0x10000 ? 0xFFFF : 0x10FFFF;
  PyObject* text = PyUnicode_New((Py_ssize_t)size, most);
  if (text == NULL) return NULL;
  if (most <= 0xFF) {
    Py_UCS1* out = PyUnicode_1BYTE_DATA(text);
    for (size_t i = 0; i < size; i++) out[i] = (Py_UCS1)data[i];
  } else if (most == 0xFFFF) {
    Py_UCS2* out = PyUnicode_2BYTE_DATA(text);
    for (size_t i = 0; i < size; i++) out[i] = (Py_UCS2)data[i];
  } else {
    memcpy(PyUnicode_4BYTE_DATA(text), data, size * sizeof *data);
  }
  return text;
}

/* -- from Python -------------------------------------------------------------------------------------------- */

/* A str has nothing beyond 0x10FFFF, so this is all there is to check. */
int core_has_surrogate(PyObject* text) {
  const size_t size = (size_t)PyUnicode_GET_LENGTH(text);
  if (PyUnicode_KIND(text) == PyUnicode_4BYTE_KIND) {
    const Py_UCS4* data = PyUnicode_4BYTE_DATA(text);
    uint32_t found = 0;
    for (size_t i = 0; i < size; i++) found |= (data[i] & 0xFFFFF800) == 0xD800;
    return found != 0;
  }
  if (PyUnicode_KIND(text) != PyUnicode_2BYTE_KIND) return 0;
  const Py_UCS2* data = PyUnicode_2BYTE_DATA(text);
  uint16_t found = 0; /* of the characters' width, so that all lanes are used */
  for (size_t i = 0; i < size; i++) found |= (uint16_t)((data[i] & 0xF800) == 0xD800);
  return found != 0;
}

/* 0 for a str that is all characters; else -1 with the UnicodeEncodeError that encoding it gives. */
static int32_t check(core_state* state, int32_t index, PyObject* object) {
  if (PyUnicode_READY(object) != 0) return -1;
  if (!core_has_surrogate(object)) return 0;
  if (PyUnicode_AsUTF8AndSize(object, NULL) == NULL) core_raise_context(state, index);
  return -1;
}

/* The native text of a wrapper, borrowed from it: 1, 0 for what has none, -1 with an exception. */
static int text_of_wrapper(core_state* state, int32_t index, PyObject* object, jf_ucs4_span* out, jf_temps* temps) {
  jf_object* native = core_wrapper_object(object);
  if (native == NULL || !(jf_type_is_a(native->type_code, JF_STR) || jf_type_is_a(native->type_code, JF_UCS4)))
    return 0;
  const jf_any view = {.type_code = JF_OBJECT, .v_object = native};
  if (jf_lift_ucs4(state->info, index, &view, out, temps) == 0) return 1;
  core_error_raise(NULL);
  return -1;
}

static int32_t unbox_said(core_state* state, int32_t index, PyObject* said, int64_t extra, void* out, jf_temps* temps) {
  (void)extra;
  return core_unbox_ucs4(state, index, said, out, temps);
}

/* Borrows object, which the text may lie in; else it lies in *out, or in temps. */
int32_t core_unbox_ucs4(core_state* state, int32_t index, PyObject* object, core_ucs4_room* out, jf_temps* temps) {
  if (!PyUnicode_Check(object)) {
    int found = text_of_wrapper(state, index, object, &out->span, temps);
    if (found != 0) return found > 0 ? 0 : -1;
    return core_unbox_said(state, index, object, unbox_said, 0, out, temps);
  }
  if (check(state, index, object) != 0) return -1;
  const size_t size = (size_t)PyUnicode_GET_LENGTH(object);
  const int kind = PyUnicode_KIND(object);
  out->span.size = size;
  if (kind == PyUnicode_4BYTE_KIND) {
    out->span.data = (const jf_char32*)PyUnicode_4BYTE_DATA(object);
    return 0;
  }
  jf_char32* wide = out->room;
  if (size > CORE_UCS4_ROOM) wide = size <= SIZE_MAX / sizeof *wide ? jf_alloc(size * sizeof *wide) : NULL;
  if (wide == NULL) {
    PyErr_NoMemory();
    return -1;
  }
  out->span.data = wide;
  jf_ucs4_write(PyUnicode_DATA(object), size, kind, wide);
  if (wide == out->room || jf_temps_add(temps, wide, jf_free) == 0) return 0;
  core_error_raise(NULL);
  return -1;
}

/* Borrows a str that is all characters; *out is a null out-slot with its capacity. 0, or -1 with MemoryError. */
int32_t core_out_ucs4(PyObject* text, jf_value* out) {
  const size_t size = (size_t)PyUnicode_GET_LENGTH(text);
  const int kind = PyUnicode_KIND(text);
  const void* data = PyUnicode_DATA(text);
  int32_t status = 0;
  if (kind == PyUnicode_4BYTE_KIND) {
    status = jf_out_ucs4(out, data, size);
  } else if (size <= JF_MAX_CAPACITY / sizeof(jf_char32)) {
    jf_char32 wide[JF_MAX_CAPACITY / sizeof(jf_char32)];
    jf_ucs4_write(data, size, kind, wide);
    status = jf_out_ucs4(out, wide, size);
  } else {
    char* wide;
    jf_object* made = jf_str_alloc(JF_UCS4, size, &wide);
    status = made != NULL ? 0 : -1;
    if (made != NULL) {
      jf_ucs4_write(data, size, kind, (jf_char32*)(void*)wide);
      jf_out_object(out, made);
    }
  }
  if (status != 0) core_error_raise(NULL);
  return status;
}

static int32_t out_said(core_state* state, int32_t index, PyObject* said, int64_t extra, void* out, jf_temps* temps) {
  (void)index;
  (void)extra;
  (void)temps;
  return core_unbox_ucs4_out(state, said, out);
}

/* Borrows object; *out is a null out-slot with its capacity and stays null on failure. */
int32_t core_unbox_ucs4_out(core_state* state, PyObject* object, jf_value* out) {
  jf_ucs4_span text;
  jf_temps temps = {NULL};
  if (PyUnicode_Check(object)) return check(state, -1, object) == 0 ? core_out_ucs4(object, out) : -1;
  const int found = text_of_wrapper(state, -1, object, &text, &temps);
  int32_t status = found > 0 ? jf_out_ucs4(out, text.data, text.size) : -1;
  if (found > 0 && status != 0) core_error_raise(NULL);
  if (found == 0) status = core_unbox_said(state, -1, object, out_said, 0, out, &temps);
  jf_temps_release(&temps);
  return status;
}
