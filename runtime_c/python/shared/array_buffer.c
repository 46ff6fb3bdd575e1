/* Arrays by the buffer protocol: what exporters say of their items in the struct module's language (PEP 3118). */
#include "array.h"
#include "error.h"
#include "unbox.h"

#include <string.h>

/* Letters by kind; bytes 0: an integer of any size. */
static const struct {
  char letter;
  uint8_t code;
  uint8_t bytes;
} letters[] = {
    {'b', JF_DL_INT, 1},   {'B', JF_DL_UINT, 1},    {'c', JF_DL_UINT, 1},     {'?', JF_DL_BOOL, 1},
    {'h', JF_DL_INT, 2},   {'H', JF_DL_UINT, 2},    {'i', JF_DL_INT, 0},      {'I', JF_DL_UINT, 0},
    {'l', JF_DL_INT, 0},   {'L', JF_DL_UINT, 0},    {'q', JF_DL_INT, 8},      {'Q', JF_DL_UINT, 8},
    {'n', JF_DL_INT, 0},   {'N', JF_DL_UINT, 0},    {'e', JF_DL_FLOAT, 2},    {'f', JF_DL_FLOAT, 4},
    {'d', JF_DL_FLOAT, 8}, {'F', JF_DL_COMPLEX, 8}, {'D', JF_DL_COMPLEX, 16}, {'P', JF_DL_HANDLE, 8},
};

static int is_size(int64_t bytes, int64_t wanted) { return wanted != 0 ? bytes == wanted : bytes == 4 || bytes == 8; }

/* NULL stands for bytes. Complex numbers are `Z` and a letter, or one letter as Python 3.14 has it. */
int core_format_dtype(const char* format, int64_t item_size, jf_dtype* dtype, uint32_t* flags) {
  if (format == NULL) format = "B";
  const int swapped = *format == '>' || *format == '!';
  if (*format != 0 && strchr("@=<>!", *format) != NULL) format++;
  const int complex = *format == 'Z';
  const char letter = complex ? format[1] == 'f' ? 'F' : format[1] == 'd' ? 'D' : 0 : *format;
  if (letter == 0 || format[1 + complex] != 0) return 0;
  for (size_t i = 0; i < sizeof letters / sizeof letters[0]; i++) {
    if (letters[i].letter != letter || !is_size(item_size, letters[i].bytes)) continue;
    *dtype = (jf_dtype){letters[i].code, (uint8_t)(8 * item_size), 1};
    if (swapped && item_size > 1) *flags |= JF_ARRAY_SWAPPED;
    return 1;
  }
  return 0;
}

static void fill(const Py_buffer* buffer, core_array* out) {
  core_array_init(out, buffer->buf);
  jf_array* array = &out->array;
  array->item_size = buffer->itemsize;
  array->ndim = buffer->ndim;
  if (buffer->readonly) array->flags |= JF_ARRAY_READ_ONLY;
  if (!core_format_dtype(buffer->format, buffer->itemsize, &array->dtype, &array->flags)) {
    out->format = buffer->format;
    if (buffer->format != NULL && strchr(buffer->format, 'O') != NULL) array->flags |= JF_ARRAY_OPAQUE;
  }
  for (int i = 0; i < buffer->ndim; i++) out->shape[i] = buffer->shape[i];
  if (buffer->strides == NULL) jf_array_contiguous_strides(buffer->ndim, out->shape, buffer->itemsize, out->strides);
  for (int i = 0; buffer->strides != NULL && i < buffer->ndim; i++) out->strides[i] = buffer->strides[i];
}

int core_read_buffer(PyObject* object, core_array* out, jf_temps* temps, PyObject** refused) {
  if (!PyObject_CheckBuffer(object)) return 0;
  const Py_buffer* buffer = core_keep_view(temps, object, PyBUF_RECORDS_RO); /* without suboffsets */
  if (buffer == NULL) {
    /* TypeError: of CuPy's arrays, whose class has the protocol and whose memory the CPU does not reach. */
    if (!PyErr_ExceptionMatches(PyExc_BufferError) && !PyErr_ExceptionMatches(PyExc_ValueError) &&
        !PyErr_ExceptionMatches(PyExc_TypeError))
      return -1;
    PyObject* exception = core_error_fetch();
    if (*refused == NULL)
      *refused = exception;
    else
      Py_XDECREF(exception);
    return 0;
  }
  if (buffer->ndim < 0 || buffer->ndim > JF_MAX_RANK || (buffer->ndim > 0 && buffer->shape == NULL)) return 0;
  for (int i = 0; buffer->suboffsets != NULL && i < buffer->ndim; i++)
    if (buffer->suboffsets[i] >= 0) return 0;
  fill(buffer, out);
  return 1;
}
