/* Text of scripts as str. Short ASCII texts that were made lately are kept, with their hashes: a script makes words, and parts of
 * words, again and again. */
#include "box.h"
#include "script_container.h"

#include <string.h>

enum { LONGEST = 8, KEPT = 256 };

/* The characters of a text of 2 to 8: from four on the first and last four, else the first and last two. */
typedef struct {
  uint64_t characters;
  size_t size;
  PyObject* text; /* NULL: none yet */
} kept_text;

static kept_text table[KEPT];

static uint64_t characters_of(const char* data, size_t size) {
  if (size >= 4) {
    uint32_t first, last;
    memcpy(&first, data, 4);
    memcpy(&last, data + size - 4, 4);
    return first | (uint64_t)last << 32;
  }
  uint16_t first, last;
  memcpy(&first, data, 2);
  memcpy(&last, data + size - 2, 2);
  return first | (uint64_t)last << 16;
}

/* Where a text is, or would be; NULL of others than short ones. */
static kept_text* place_of(const jf_text* text, uint64_t* characters) {
  if (text->size < 2 || text->size > LONGEST) return NULL;
  const char* data = text->data;
  char narrow[LONGEST];
  if (text->wide) {
    jf_char32 all = 0;
    for (size_t i = 0; i < text->size; i++) {
      all |= ((const jf_char32*)text->data)[i];
      narrow[i] = (char)((const jf_char32*)text->data)[i];
    }
    if (all > 127) return NULL;
    data = narrow;
  }
  *characters = characters_of(data, text->size);
  return &table[((*characters ^ text->size) * UINT64_C(0x9E3779B97F4A7C15)) >> 56];
}

PyObject* core_script_kept_text(const jf_text* text) {
  uint64_t characters;
  const kept_text* place = place_of(text, &characters);
  if (place == NULL || place->characters != characters || place->size != text->size) return NULL;
  return Py_XNewRef(place->text);
}

static PyObject* made_of(const jf_text* text) {
  if (text->wide) return core_box_ucs4(text->data, text->size);
  if (text->size == 0) return PyUnicode_New(0, 0);
  if (text->size == 1) return PyUnicode_FromOrdinal(*(const unsigned char*)text->data);
  PyObject* made = PyUnicode_New((Py_ssize_t)text->size, 127);
  if (made != NULL) memcpy((PyASCIIObject*)made + 1, text->data, text->size);
  return made;
}

PyObject* core_op_box_text(const jf_text* text) {
  uint64_t characters;
  kept_text* place = place_of(text, &characters);
  if (place != NULL && place->characters == characters && place->size == text->size && place->text != NULL)
    return Py_NewRef(place->text);
  PyObject* made = core_op_checked(made_of(text));
  if (made == NULL || place == NULL) return made;
  PyObject* before = place->text;
  *place = (kept_text){characters, text->size, Py_NewRef(made)};
  Py_XDECREF(before);
  return made;
}

/* -- pieces ------------------------------------------------------------------------------------------------------------------ */

PyObject* core_op_text_partition(PyObject* text, PyObject* separator, int32_t from_end) {
  return core_op_checked(from_end ? PyUnicode_RPartition(text, separator) : PyUnicode_Partition(text, separator));
}

PyObject* core_op_text_split(PyObject* text, PyObject* separator, int64_t most, int32_t from_end) {
  const Py_ssize_t count = (Py_ssize_t)most;
  return core_op_checked(from_end ? PyUnicode_RSplit(text, separator, count) : PyUnicode_Split(text, separator, count));
}
