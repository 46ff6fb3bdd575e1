/* Ways from a value to something in it: as tuples of steps, and as the text of messages. */
#include <string.h>

#include "decimal.h"
#include "map.h"
#include "message.h"
#include "structural.h"

/* A view of what part `next - 1` is found by: a name, an int, a key; null where the map has changed since. */
static int32_t step_of(const jf_parts* p, jf_view* key) {
  *key = (jf_view){JF_NULL, 0, {0}};
  const size_t at = p->next ? p->next - 1 : 0;
  if (p->kind == JF_NODE_FIELDS) {
    key->type_code = JF_RAW_STR;
    key->v_uint64 = JF_POINTER_WORD(p->type->fields[at].name);
    return JF_STEP_FIELD;
  }
  if (p->kind == JF_NODE_MAP || p->kind == JF_NODE_SET) {
    const jf_map* map = (const jf_map*)p->object;
    const jf_map_entry* entry = at / 2 < map->used ? jf_map_at(map, at / 2) : NULL;
    if (entry && entry->key.code) jf_item_view(entry->key, key);
    return JF_STEP_KEY;
  }
  key->type_code = JF_INT;
  key->v_int64 = (int64_t)at;
  return JF_STEP_INDEX;
}

int32_t jf_path_add(jf_object* steps, const jf_parts* parts, int32_t missing, const jf_view* missing_key) {
  jf_view pair[2] = {{JF_INT, 0, {0}}};
  pair[0].v_int64 = step_of(parts, &pair[1]) + missing;
  if (missing_key) pair[1] = *missing_key;
  jf_object* step = jf_tuple_new(pair, 2);
  if (!step) return -1;
  jf_view view = {JF_OBJECT, 0, {0}};
  view.v_uint64 = JF_POINTER_WORD(step);
  const int32_t status = jf_list_append(steps, &view);
  jf_object_release(step);
  return status;
}

/* What a step is written as; cut at the capacity. */
static size_t write_step(const jf_parts* p, char* out, size_t capacity) {
  jf_view key;
  jf_value text = {JF_NULL, 0, {0}};
  const int32_t kind = step_of(p, &key);
  int size = 0;
  if (kind == JF_STEP_FIELD) {
    size = jf_print(out, capacity, ".%s", key.v_raw_str);
  } else if (kind == JF_STEP_INDEX) {
    size = jf_print(out, capacity, "[%lld]", (long long)key.v_int64);
  } else if (jf_any_repr(&key, &text) == 0) {
    size = jf_print(out, capacity, "[%.*s]", (int)jf_any_text(&text).size, (const char*)jf_any_text(&text).data);
    jf_any_release(&text);
  } else {
    jf_object_release(jf_error_take());
    size = jf_print(out, capacity, "[...]");
  }
  return size < 0 ? 0 : (size_t)size < capacity ? (size_t)size : capacity - 1;
}

void jf_path_text(const char* nodes, size_t stride, size_t count, char* buffer, size_t capacity) {
  enum { ENDS = 8, LONGEST = 48 };
  size_t at = 0;
  buffer[0] = 0;
  for (size_t i = 0; i < count && at + LONGEST + 4 < capacity; i++) {
    if (count > 2 * (size_t)ENDS && i == ENDS) {
      at += (size_t)jf_print(buffer + at, capacity - at, "...");
      i = count - ENDS;
    }
    at += write_step((const jf_parts*)(const void*)(nodes + i * stride), buffer + at, LONGEST);
  }
}
