/* Scalars, text and bytes: Python object to native value, off the fast path.
 *
 * Generated code has taken the exact float, the short int, the compact ASCII str and the exact bytes before it comes
 * here; what is left are long ints, subclasses, __index__ and __float__, NumPy's scalars, other text and other
 * buffers. Exceptions raised by a user's __index__ or __float__ pass unchanged, those of an extension type's with function
 * and position in front. Temporaries need the GIL when they are released.
 */
#include "unbox.h"
#include "error.h"
#include "foreign.h"
#include "gil.h"
#include "jitffi/runtime.h"
#include "raise.h"
#include "said.h"
#include "state.h"

#include <math.h>
#include <string.h>

typedef struct {
  int64_t low;
  uint64_t high;
  const char* range;
} integer_limits;

static const integer_limits INTEGERS[] = {
    [JF_KIND_I8] = {INT8_MIN, INT8_MAX, " (-128 to 127)"},
    [JF_KIND_I16] = {INT16_MIN, INT16_MAX, " (-32768 to 32767)"},
    [JF_KIND_I32] = {INT32_MIN, INT32_MAX, " (-2147483648 to 2147483647)"},
    [JF_KIND_I64] = {INT64_MIN, INT64_MAX, " (-9223372036854775808 to 9223372036854775807)"},
    [JF_KIND_U8] = {0, UINT8_MAX, " (0 to 255)"},
    [JF_KIND_U16] = {0, UINT16_MAX, " (0 to 65535)"},
    [JF_KIND_U32] = {0, UINT32_MAX, " (0 to 4294967295)"},
    [JF_KIND_U64] = {0, UINT64_MAX, " (0 to 18446744073709551615)"},
};

/* -- temporaries ------------------------------------------------------------------------------------------ */

static void release_object(void* object) { jf_object_release(object); }
static void release_python(void* object) { Py_DECREF((PyObject*)object); }
/* A packed entry gives its temporaries back on whatever thread it was called. */
static void release_buffer(void* buffer) {
  const int has_gil = core_has_gil();
  if (!has_gil && !Py_IsInitialized()) return;
  const PyGILState_STATE state = has_gil ? PyGILState_LOCKED : PyGILState_Ensure();
  PyBuffer_Release(buffer);
  PyMem_Free(buffer);
  if (!has_gil) PyGILState_Release(state);
}

/* Steals resource, also on failure: -1 with MemoryError. */
static int32_t keep(jf_temps* temps, void* resource, void (*release)(void*)) {
  if (jf_temps_add(temps, resource, release) == 0) return 0;
  core_error_raise(NULL);
  return -1;
}

int32_t core_keep_object(jf_temps* temps, jf_object* object) { return keep(temps, object, release_object); }

int32_t core_keep_python(jf_temps* temps, PyObject* object) { return keep(temps, object, release_python); }

/* The buffer of an exporter, held in temps: while it is, a bytearray cannot move. NULL with the exporter's exception. */
Py_buffer* core_keep_view(jf_temps* temps, PyObject* exporter, int flags) {
  Py_buffer* buffer = PyMem_Malloc(sizeof *buffer);
  if (buffer == NULL) {
    PyErr_NoMemory();
    return NULL;
  }
  if (PyObject_GetBuffer(exporter, buffer, flags) != 0) {
    PyMem_Free(buffer);
    return NULL;
  }
  return keep(temps, buffer, release_buffer) == 0 ? buffer : NULL;
}

int32_t core_keep_buffer(jf_temps* temps, PyObject* exporter, int flags, jf_span* out) {
  const Py_buffer* buffer = core_keep_view(temps, exporter, flags);
  if (buffer == NULL) return -1;
  out->data = buffer->buf != NULL ? buffer->buf : "";
  out->size = (size_t)buffer->len;
  return 0;
}

/* -- scalars ---------------------------------------------------------------------------------------------- */

/* New exact int, or an int (subclass) itself; NULL with an exception, or without one when it is no integer. */
PyObject* core_as_int(PyObject* object) {
  if (PyLong_Check(object)) return Py_NewRef(object);
  const PyNumberMethods* number = Py_TYPE(object)->tp_as_number;
  if (number == NULL || number->nb_index == NULL || PyFloat_Check(object) || PyUnicode_Check(object)) return NULL;
  if (core_numpy_kind(object) == CORE_NUMPY_BOOL) return NULL;
  return PyNumber_Index(object);
}

PyObject* core_number_said(PyObject* object, int kind) {
  PyObject* found = core_protocol_value(object, kind);
  if (found == NULL || (kind == CORE_AS_INT ? PyLong_Check(found) : core_is_number(found))) return found;
  PyObject* inner = NULL;
  if (Py_EnterRecursiveCall(" in a value protocol") == 0) {
    inner = core_number_said(found, kind);
    Py_LeaveRecursiveCall();
  }
  Py_DECREF(found);
  return inner;
}

static int32_t unbox_integer(core_state* state, int32_t index, PyObject* object, int32_t kind, int64_t* out) {
  const integer_limits* limits = &INTEGERS[kind];
  PyObject* number = core_as_int(object);
  if (number == NULL && !PyErr_Occurred()) number = core_number_said(object, CORE_AS_INT);
  if (number == NULL) return core_raise_unconverted(state, index, object);
  int overflow = 0;
  int fits = 0;
  int64_t value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow == 0) {
    fits = value >= limits->low && (value < 0 || (uint64_t)value <= limits->high);
  } else if (overflow > 0 && kind == JF_KIND_U64) {
    uint64_t large = PyLong_AsUnsignedLongLong(number);
    fits = large != UINT64_MAX || !PyErr_Occurred();
    PyErr_Clear();
    value = (int64_t)large;
  }
  if (fits)
    *out = value;
  else
    core_raise_value(state, index, PyExc_OverflowError, limits->range, number);
  Py_DECREF(number);
  return fits ? 0 : -1;
}

static int32_t double_from_int(core_state* state, int32_t index, PyObject* number, double* out) {
  *out = PyLong_AsDouble(number);
  if (*out != -1.0 || !PyErr_Occurred()) return 0;
  if (PyErr_ExceptionMatches(PyExc_OverflowError)) {
    PyErr_Clear();
    core_raise_value(state, index, PyExc_OverflowError, "", number);
  }
  return -1;
}

/* A complex number has a __float__ in NumPy, which drops the imaginary part; text has one that parses it. */
static int is_never_float(PyObject* object) {
  return PyUnicode_Check(object) || PyBytes_Check(object) || PyComplex_Check(object) ||
         core_numpy_kind(object) == CORE_NUMPY_COMPLEX;
}

static int32_t unbox_double(core_state* state, int32_t index, PyObject* object, double* out) {
  if (PyFloat_Check(object)) {
    *out = PyFloat_AS_DOUBLE(object);
    return 0;
  }
  if (PyLong_Check(object)) return double_from_int(state, index, object, out);
  const PyNumberMethods* number = Py_TYPE(object)->tp_as_number;
  if (number != NULL && number->nb_float != NULL && !is_never_float(object)) {
    *out = PyFloat_AsDouble(object);
    if (*out != -1.0 || !PyErr_Occurred()) return 0;
    core_raise_conversion(state, index);
    return -1;
  }
  if (number != NULL && number->nb_index != NULL && !is_never_float(object)) {
    PyObject* value = PyNumber_Index(object);
    if (value == NULL) {
      core_raise_conversion(state, index);
      return -1;
    }
    int32_t status = double_from_int(state, index, value, out);
    Py_DECREF(value);
    return status;
  }
  PyObject* said = core_number_said(object, CORE_AS_FLOAT);
  if (said == NULL) return core_raise_unconverted(state, index, object);
  const int32_t status = unbox_double(state, index, said, out);
  Py_DECREF(said);
  return status;
}

/* Whether a parameter of floats takes it, if its code gives a value. */
int core_is_number(PyObject* object) {
  const PyNumberMethods* number = Py_TYPE(object)->tp_as_number;
  return number != NULL && (number->nb_float != NULL || number->nb_index != NULL) && !is_never_float(object);
}

/* A finite number that rounds to infinity is out of range. The object is shown as the float that it is. */
static int32_t narrow(core_state* state, int32_t index, PyObject* object, int32_t kind, double value, void* out) {
  int32_t overflow = 0;
  uint16_t bits = 0;
  float single = 0;
  const char* range = " (-3.4028235e+38 to 3.4028235e+38)";
  if (kind == JF_KIND_F32) {
    single = (float)value;
    overflow = isinf(single) && !isinf(value);
    memcpy(out, &single, sizeof single);
  } else if (kind == JF_KIND_F16) {
    range = " (-65504 to 65504)";
    bits = jf_f16_from_f64(value, &overflow);
    memcpy(out, &bits, sizeof bits);
  } else {
    range = " (-3.3895314e+38 to 3.3895314e+38)";
    bits = jf_bf16_from_f64(value, &overflow);
    memcpy(out, &bits, sizeof bits);
  }
  if (!overflow) return 0;
  core_raise_value(state, index, PyExc_OverflowError, range, object);
  return -1;
}

static int32_t unbox_bool(core_state* state, int32_t index, PyObject* object, int64_t* out) {
  if (object == Py_True || object == Py_False) {
    *out = object == Py_True;
    return 0;
  }
  if (core_numpy_kind(object) == CORE_NUMPY_BOOL) {
    int truth = PyObject_IsTrue(object);
    *out = truth;
    return truth < 0 ? -1 : 0;
  }
  PyObject* said = core_number_said(object, CORE_AS_INT);
  const int is_bool = said != NULL && PyBool_Check(said);
  *out = said == Py_True;
  Py_XDECREF(said);
  if (is_bool) return 0;
  return core_raise_unconverted(state, index, object);
}

/* Borrows object; *out is all zero on failure. */
int32_t core_unbox_scalar(core_state* state, int32_t index, PyObject* object, int32_t kind, void* out) {
  int64_t word = 0;
  double value = 0;
  int32_t status = -1;
  memset(out, 0, 8);
  if (kind >= JF_KIND_DTYPE) {
    status = core_unbox_dlpack(state, index, object, kind, &word);
    memcpy(out, &word, 8);
    return status;
  }
  if (kind == JF_KIND_BOOL || (kind >= JF_KIND_I8 && kind <= JF_KIND_U64)) {
    status = kind == JF_KIND_BOOL ? unbox_bool(state, index, object, &word)
                                  : unbox_integer(state, index, object, kind, &word);
    if (status == 0) memcpy(out, &word, 8);
    return status;
  }
  if (unbox_double(state, index, object, &value) != 0) return -1;
  if (kind == JF_KIND_F64) {
    memcpy(out, &value, 8);
    return 0;
  }
  status = narrow(state, index, object, kind, value, out);
  if (status != 0) memset(out, 0, 8);
  return status;
}

/* -- what classes of ours say of themselves ----------------------------------------------------------------- */

static int no_span(PyObject* object, jf_span* out) {
  (void)object;
  (void)out;
  return 0;
}

int (*core_text_span)(PyObject* object, jf_span* out) = no_span;
int (*core_bytes_span)(PyObject* object, jf_span* out) = no_span;
int32_t (*core_unbox_dlpack)(core_state* state, int32_t index, PyObject* object, int32_t kind, int64_t* word);

/* -- text and bytes --------------------------------------------------------------------------------------- */

/* The text is the str's own UTF-8 copy, or a String's own memory: it lives as long as the object. */
int32_t core_unbox_str(core_state* state, int32_t index, PyObject* object, jf_span* out) {
  if (!PyUnicode_Check(object)) {
    int status = core_text_span(object, out);
    if (status > 0) return 0;
    if (status == 0) return core_refuse_text_argument(state, index, object);
    core_raise_context(state, index);
    return -1;
  }
  Py_ssize_t size = 0;
  out->data = PyUnicode_AsUTF8AndSize(object, &size);
  out->size = (size_t)size;
  if (out->data != NULL) return 0;
  core_raise_context(state, index);
  return -1;
}

/* Whether a NUL is among short ASCII text: by words, the last of which overlaps the one before. One less, a byte of zero alone has
 * its highest bit. */
static inline int has_nul(const char* data, size_t size) {
  const uint64_t ones = UINT64_C(0x0101010101010101), high = UINT64_C(0x8080808080808080);
  uint64_t word, seen = 0;
  uint32_t first, last;
  if (size < sizeof first) {
    for (size_t i = 0; i < size; i++) seen |= (uint64_t)(data[i] == 0) << 7;
    return seen != 0;
  }
  if (size < sizeof word) {
    memcpy(&first, data, sizeof first);
    memcpy(&last, data + size - sizeof last, sizeof last);
    return (((first - (uint32_t)ones) | (last - (uint32_t)ones)) & (uint32_t)high) != 0;
  }
  for (size_t i = 0; i + sizeof word < size; i += sizeof word) {
    memcpy(&word, data + i, sizeof word);
    seen |= word - ones;
  }
  memcpy(&word, data + size - sizeof word, sizeof word);
  return ((seen | (word - ones)) & high) != 0;
}

static int32_t unbox_any_cstr(core_state* state, int32_t index, PyObject* object, const char** out);

/* As core_unbox_str, and bytes as they lie; an embedded NUL is a ValueError that tells its place. */
int32_t core_unbox_cstr(core_state* state, int32_t index, PyObject* object, const char** out) {
  enum { SHORT = 64 };
  if (PyUnicode_Check(object) && PyUnicode_IS_COMPACT_ASCII(object)) {
    const size_t size = (size_t)PyUnicode_GET_LENGTH(object);
    const char* data = (const char*)((PyASCIIObject*)object + 1);
    if (size <= SHORT && !has_nul(data, size)) {
      *out = data;
      return 0;
    }
  }
  return unbox_any_cstr(state, index, object, out);
}

/* Apart, as what the usual text needs none of. */
static __attribute__((noinline)) int32_t unbox_any_cstr(core_state* state, int32_t index, PyObject* object,
                                                        const char** out) {
  jf_span text;
  if (PyBytes_Check(object))
    text = (jf_span){PyBytes_AS_STRING(object), (size_t)PyBytes_GET_SIZE(object)};
  else if (core_unbox_str(state, index, object, &text) != 0)
    return index == -1 ? core_unbox_cstr_result_said(state, object, out) : -1;
  const char* nul = memchr(text.data, 0, text.size);
  if (nul == NULL) {
    *out = text.data;
    return 0;
  }
  char detail[64];
  PyOS_snprintf(detail, sizeof detail, " without NUL, but byte %zd is NUL", (Py_ssize_t)(nul - text.data));
  core_raise_value(state, index, PyExc_ValueError, detail, object);
  return -1;
}

/* TypeError that quotes the exporter's own words and has its exception as the cause. */
static void fail_buffer(core_state* state, int32_t index, PyObject* object) {
  PyObject* reason = core_error_fetch();
  PyObject* text = PyObject_Str(reason);
  const char* note = text != NULL ? PyUnicode_AsUTF8(text) : NULL;
  if (note == NULL) PyErr_Clear();
  core_raise_type(state, index, object, note != NULL ? note : "its buffer is not contiguous");
  Py_XDECREF(text);
  PyObject* exception = core_error_fetch();
  PyException_SetCause(exception, reason); /* steals */
  core_error_restore(exception);
}

static int32_t unbox_bytes_said(core_state* state, int32_t index, PyObject* said, int64_t extra, void* out,
                                jf_temps* temps) {
  (void)extra;
  return core_unbox_bytes(state, index, said, out, temps);
}

/* Apart, so that what it keeps in registers is no burden on the usual argument. */
static __attribute__((noinline)) int32_t unbox_buffer(core_state* state, int32_t index, PyObject* object, jf_span* out,
                                                      jf_temps* temps) {
  int status = core_bytes_span(object, out);
  if (status > 0) return 0;
  if (status < 0) {
    core_raise_context(state, index);
    return -1;
  }
  if (PyUnicode_Check(object) || !PyObject_CheckBuffer(object))
    return core_unbox_said(state, index, object, unbox_bytes_said, 0, out, temps);
  if (core_keep_buffer(temps, object, PyBUF_SIMPLE, out) == 0) return 0;
  if (PyErr_ExceptionMatches(PyExc_BufferError) || PyErr_ExceptionMatches(PyExc_ValueError))
    fail_buffer(state, index, object);
  else
    core_raise_conversion(state, index);
  return -1;
}

/* Bytes are borrowed from the object, Python's or ours, every other buffer is held in temps. data is never NULL. */
int32_t core_unbox_bytes(core_state* state, int32_t index, PyObject* object, jf_span* out, jf_temps* temps) {
  if (!PyBytes_Check(object)) return unbox_buffer(state, index, object, out, temps);
  out->data = PyBytes_AS_STRING(object);
  out->size = (size_t)PyBytes_GET_SIZE(object);
  return 0;
}

/* -- owned results ---------------------------------------------------------------------------------------- */

/* 0, or -1 with the runtime's last error raised. */
static int32_t raised(int32_t status) {
  if (status == 0) return 0;
  core_error_raise(NULL);
  return -1;
}

/* Borrows object; *out stays null on failure. */
int32_t core_unbox_str_out(core_state* state, PyObject* object, jf_value* out) {
  jf_temps temps = {NULL};
  jf_span text;
  int32_t status = core_unbox_str_kept(state, -1, object, &text, &temps);
  if (status == 0) status = raised(jf_out_str(out, text.data, text.size));
  jf_temps_release(&temps);
  return status;
}

/* Borrows object; *out stays null on failure. */
int32_t core_unbox_bytes_out(core_state* state, PyObject* object, jf_value* out) {
  jf_temps temps = {NULL};
  jf_span bytes;
  int32_t status = core_unbox_bytes(state, -1, object, &bytes, &temps);
  if (status == 0) status = raised(jf_out_bytes(out, bytes.data, bytes.size));
  jf_temps_release(&temps);
  return status;
}
