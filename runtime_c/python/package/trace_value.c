/* Kinds and lengths as text (trace.h): of Python's values, and of native ones, which are read where they lie. */
#include <string.h>

#include "host_object.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/text.h"
#include "trace.h"
#include "wrapper.h"

/* SLACK: what one value needs without its items, and the brackets of all that are open. */
enum { DEEPEST = 4, SHOWN = 8, NAME = 40, SLACK = 64 };

static void put(trace_text* text, char c) { *text->at++ = c; }

void trace_number(trace_text* text, uint64_t number) {
  char digits[20];
  int count = 0;
  do digits[count++] = (char)('0' + number % 10);
  while ((number /= 10) != 0);
  while (count > 0) put(text, digits[--count]);
}

void trace_name(trace_text* text, const char* name, size_t size) {
  for (size_t i = 0; i < size && i < NAME; i++) {
    const char c = name[i];
    const int plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.';
    put(text, plain ? c : '_');
  }
}

/* `i` for those that all containers share. */
static void put_int(trace_text* text, int64_t value) {
  put(text, value >= JF_STATIC_INT_FIRST && value <= JF_STATIC_INT_LAST ? 'i' : 'I');
}

static int has_room(const trace_text* text) { return text->end - text->at >= SLACK; }

static void put_size(trace_text* text, char kind, size_t size) {
  put(text, kind);
  trace_number(text, size);
}

static void put_text(trace_text* text, char kind, size_t characters, size_t bytes) {
  put_size(text, kind, characters);
  put(text, ':');
  trace_number(text, bytes);
}

static void put_other(trace_text* text, const char* type) {
  put(text, 'o');
  trace_name(text, type, strlen(type));
}

/* -- native values ----------------------------------------------------------------------------------------------------- */

static void put_object(trace_text* text, jf_object* object, int depth);

static void put_utf8(trace_text* text, const char* data, size_t size) {
  const size_t characters = jf_utf8_length(data, size);
  characters == size ? put_size(text, 's', size) : put_text(text, 'u', characters, size);
}

static void put_ucs4(trace_text* text, const jf_char32* data, size_t size) {
  const int64_t bytes = jf_ucs4_utf8_size(data, size);
  put_text(text, 'w', size, bytes < 0 ? 3 * size : (size_t)bytes);
}

static void put_view(trace_text* text, const jf_any* view, int depth) {
  const char* payload = (const char*)view + JF_PAYLOAD_OFFSET;
  switch (view->type_code) {
    case JF_NULL:
      return put(text, 'n');
    case JF_BOOL:
      return put(text, 'b');
    case JF_INT:
      return put_int(text, view->v_int64);
    case JF_UINT:
      return put(text, 'I');
    case JF_FLOAT:
      return put(text, 'f');
    case JF_SMALL_STR:
      return put_utf8(text, payload, (size_t)view->small_len);
    case JF_SMALL_UCS4:
      return put_ucs4(text, (const jf_char32*)(const void*)payload, (size_t)view->small_len);
    case JF_SMALL_BYTES:
      return put_size(text, 'y', (size_t)view->small_len);
    case JF_OBJECT:
      return put_object(text, view->v_object, depth);
    default:
      return put_other(text, view->type_code > 0 ? "object" : "value");
  }
}

static void put_item(trace_text* text, jf_item item, int depth) {
  *item.code < 0 ? put_view(text, item.slot, depth) : put_object(text, item.object, depth);
}

/* How many of them are shown; 0 where no more can be. */
static size_t begin(trace_text* text, char kind, size_t size, int depth) {
  put_size(text, kind, size);
  if (size == 0 || depth >= DEEPEST || !has_room(text) || text->items <= 0) return 0;
  put(text, '[');
  return size < SHOWN ? size : SHOWN;
}

/* Whether there is room for one more; a space before all but the first. */
static int next(trace_text* text) {
  if (!has_room(text) || text->items-- <= 0) return 0;
  if (text->at[-1] != '[') put(text, ' ');
  return 1;
}

static void put_items(trace_text* text, const jf_list* list, char kind, int depth) {
  const size_t shown = begin(text, kind, list->size, depth);
  for (size_t i = 0; i < shown && next(text); i++) put_item(text, list->items[i * list->size / shown], depth + 1);
  if (shown > 0) put(text, ']');
}

static void put_map(trace_text* text, const jf_map* map, int depth) {
  size_t left = begin(text, 'D', map->size, depth);
  const int has_items = left > 0;
  for (size_t i = 0; i < map->used && left > 0; i++) {
    const jf_map_entry* entry = jf_map_at(map, i);
    if (entry->key.code == NULL) continue;
    if (!next(text)) break;
    left--;
    put_item(text, entry->key, depth + 1);
    put(text, ' ');
    has_room(text) ? put_item(text, entry->value, depth + 1) : put(text, '~');
  }
  if (has_items) put(text, ']');
}

static void put_str(trace_text* text, const jf_str* str) {
  const int64_t known = __atomic_load_n(&str->characters, __ATOMIC_RELAXED);
  if (known < 0) return put_utf8(text, str->data, str->size);
  (size_t)known == str->size ? put_size(text, 's', str->size) : put_text(text, 'u', (size_t)known, str->size);
}

static void put_python(trace_text* text, PyObject* object, int depth);

static void put_object(trace_text* text, jf_object* object, int depth) {
  PyObject* host;
  switch (object->type_code) {
    case JF_BOXED_INT:
      return put_int(text, ((const jf_box*)object)->v_int64);
    case JF_BOXED_UINT:
      return put(text, 'I');
    case JF_BOXED_FLOAT:
      return put(text, 'f');
    case JF_BOXED_BOOL:
      return put(text, 'b');
    case JF_STR:
      return put_str(text, (const jf_str*)object);
    case JF_UCS4:
      return put_ucs4(text, ((const jf_ucs4*)object)->data, ((const jf_ucs4*)object)->size);
    case JF_BYTES:
      return put_size(text, 'y', ((const jf_str*)object)->size);
    default:
      break;
  }
  if (jf_type_is_a(object->type_code, JF_LIST)) return put_items(text, (const jf_list*)object, 'L', depth);
  if (jf_type_is_a(object->type_code, JF_TUPLE)) return put_items(text, (const jf_list*)object, 'T', depth);
  if (jf_type_is_a(object->type_code, JF_MAP)) return put_map(text, (const jf_map*)object, depth);
  host = core_host_get(object);
  host != NULL ? put_python(text, host, depth) : put_other(text, "object");
}

/* -- Python's values --------------------------------------------------------------------------------------------------- */

static void put_unicode(trace_text* text, PyObject* object) {
#if PY_VERSION_HEX < 0x030C0000
  if (!PyUnicode_IS_READY(object)) return put_other(text, "str"); /* of the oldest C API */
#endif
  const size_t characters = (size_t)PyUnicode_GET_LENGTH(object);
  if (PyUnicode_IS_ASCII(object)) return put_size(text, 's', characters);
  const int64_t bytes = jf_utf8_size(PyUnicode_DATA(object), characters, (int32_t)PyUnicode_KIND(object));
  put_text(text, 'u', characters, bytes < 0 ? 3 * characters : (size_t)bytes); /* with surrogates it has no UTF-8 */
}

static void put_long(trace_text* text, PyObject* object) {
  int overflow;
  const long long value = PyLong_AsLongLongAndOverflow(object, &overflow); /* of an int it does not fail */
  put_int(text, overflow ? INT64_MAX : value);
}

static void put_array(trace_text* text, PyObject* const* items, size_t size, char kind, int depth) {
  const size_t shown = begin(text, kind, size, depth);
  for (size_t i = 0; i < shown && next(text); i++) put_python(text, items[i * size / shown], depth + 1);
  if (shown > 0) put(text, ']');
}

static void put_dict(trace_text* text, PyObject* dict, int depth) {
  size_t left = begin(text, 'd', (size_t)PyDict_GET_SIZE(dict), depth);
  const int has_items = left > 0;
  PyObject *key, *value;
  for (Py_ssize_t at = 0; left > 0 && PyDict_Next(dict, &at, &key, &value); left--) {
    if (!next(text)) break;
    put_python(text, key, depth + 1);
    put(text, ' ');
    has_room(text) ? put_python(text, value, depth + 1) : put(text, '~');
  }
  if (has_items) put(text, ']');
}

static void put_python(trace_text* text, PyObject* object, int depth) {
  if (PyUnicode_Check(object)) return put_unicode(text, object);
  if (PyBool_Check(object)) return put(text, 'b');
  if (PyLong_Check(object)) return put_long(text, object);
  if (object == Py_None) return put(text, 'n');
  if (PyFloat_Check(object)) return put(text, 'f');
  if (PyList_Check(object))
    return put_array(text, ((PyListObject*)object)->ob_item, (size_t)PyList_GET_SIZE(object), 'l', depth);
  if (PyTuple_Check(object))
    return put_array(text, ((PyTupleObject*)object)->ob_item, (size_t)PyTuple_GET_SIZE(object), 't', depth);
  if (PyDict_Check(object)) return put_dict(text, object, depth);
  if (PyBytes_Check(object)) return put_size(text, 'y', (size_t)PyBytes_GET_SIZE(object));
  if (PyByteArray_Check(object)) return put_size(text, 'y', (size_t)PyByteArray_GET_SIZE(object));
  jf_object* native = core_wrapper_object(object);
  native != NULL ? put_object(text, native, depth) : put_other(text, Py_TYPE(object)->tp_name);
}

void trace_value(trace_text* text, PyObject* object) { has_room(text) ? put_python(text, object, 0) : put(text, '~'); }
