/* Heap str, bytes and UCS4 str: objects whose characters follow them and end in one NUL unit. */
#include <assert.h>
#include <string.h>

#include "jitffi/runtime.h"
#include "jitffi/text.h"
#include "macros.h"
#include "message.h"
#include "object.h"
#include "slot.h"

/* The largest content whose object size cannot overflow. */
enum { OVERHEAD = sizeof(jf_str) + sizeof(jf_char32) };

/* Its text is not set, but for the NUL behind it. */
static jf_str* make(int32_t type_code, size_t units, size_t unit_size) {
  if (units > (SIZE_MAX / 2 - OVERHEAD) / unit_size) return NULL;
  jf_str* str = jf_object_make_unset(sizeof(jf_str) + (units + 1) * unit_size, type_code, NULL);
  if (!str) return NULL;
  JF_SET_WIDE(str, data, (const char*)(str + 1));
  JF_SET_WIDE(str, size, units);
  str->hash = 0;
  str->characters = -1;
  memset((char*)(str + 1) + units * unit_size, 0, unit_size);
  return str;
}

static jf_object* or_no_memory(jf_str* str) {
  if (!str) jf_error_no_memory();
  return str ? &str->header : NULL;
}

jf_str* jf_str_make(int32_t type_code, const char* data, size_t size) {
  jf_str* str = make(type_code, size, 1);
  if (str && data && size) memcpy(str + 1, data, size);
  return str;
}

/* Allocators give memory by the 16 bytes and keep 8 of them. */
jf_str* jf_str_make_room(int32_t type_code, size_t unit, size_t* room) {
  const size_t limit = SIZE_MAX / 2 / unit, bytes = sizeof(jf_str) + (*room < limit ? *room + 1 : limit) * unit;
  if (*room < limit) *room = (((bytes + 7) & ~(size_t)15) + 8 - sizeof(jf_str)) / unit - 1;
  jf_str* str = make(type_code, *room, unit);
  if (!str) jf_error_no_memory();
  return str;
}

/* New; borrows data, which may be NULL when size is 0. The caller vouches for its being UTF-8. NULL with MemoryError
 * set. */
jf_object* jf_str_new(const char* data, size_t size) { return or_no_memory(jf_str_make(JF_STR, data, size)); }

/* New; borrows data. NULL with MemoryError set. */
jf_object* jf_bytes_new(const char* data, size_t size) { return or_no_memory(jf_str_make(JF_BYTES, data, size)); }

/* New; borrows data. NULL with MemoryError set. */
jf_object* jf_ucs4_new(const jf_char32* data, size_t size) {
  jf_str* str = make(JF_UCS4, size, sizeof(jf_char32));
  if (str && size) memcpy(str + 1, data, size * sizeof(jf_char32));
  return or_no_memory(str);
}

/* New; the caller fills it. NULL with MemoryError set, *data is NULL then. */
jf_object* jf_str_alloc(int32_t type_code, size_t size, char** data) {
  assert(type_code == JF_STR || type_code == JF_BYTES || type_code == JF_UCS4);
  jf_str* str = make(type_code, size, type_code == JF_UCS4 ? sizeof(jf_char32) : 1);
  *data = str ? (char*)(str + 1) : NULL;
  return or_no_memory(str);
}

/* Borrows: a heap str, bytes or UCS4 str. Never fails. Threads that count at once write the same number. */
size_t jf_str_characters(const jf_object* object) {
  jf_str* str = (jf_str*)(uintptr_t)object;
  const int64_t known = __atomic_load_n(&str->characters, __ATOMIC_RELAXED);
  if (known >= 0) return (size_t)known;
  const int32_t is_utf8 = jf_type_is_a(object->type_code, JF_STR);
  const size_t count = is_utf8 ? jf_utf8_length(str->data, str->size) : str->size;
  /* A static object may lie in memory that cannot be written. */
  if (object->deleter) __atomic_store_n(&str->characters, (int64_t)count, __ATOMIC_RELAXED);
  return count;
}
