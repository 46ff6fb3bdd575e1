/* Text in containers, decoded once for whoever reads it by characters again and again. */
#include <string.h>

#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/text.h"
#include "map.h"
#include "pool.h"

/* As a slot of the pool, where it fits, or as an object. */
static void decode_small(jf_pool* pool, jf_item* item) {
  jf_char32 characters[JF_MAX_CAPACITY];
  jf_any* slot = (jf_any*)(uintptr_t)item->slot; /* no static one is beyond ASCII */
  char* payload = (char*)slot + JF_PAYLOAD_OFFSET;
  const int64_t size = jf_utf8_to_ucs4(payload, (size_t)slot->small_len, characters);
  if (size < 0) return;
  if ((size_t)size * sizeof *characters <= (size_t)pool->stride - JF_PAYLOAD_OFFSET) {
    slot->type_code = JF_SMALL_UCS4;
    slot->small_len = (int32_t)size;
    slot->v_int64 = 0;
    memcpy(payload, characters, (size_t)size * sizeof *characters);
    return;
  }
  jf_object* made = jf_ucs4_new(characters, (size_t)size);
  if (made) {
    item->object = made;
    jf_pool_put(pool, slot);
  } else {
    jf_object_release(jf_error_take());
  }
}

static void decode_heap(jf_item* item) {
  const jf_str* str = (const jf_str*)item->object;
  char* data;
  const size_t size = jf_utf8_length(str->data, str->size);
  jf_object* made = jf_str_alloc(JF_UCS4, size, &data);
  if (made && jf_utf8_to_ucs4(str->data, str->size, (jf_char32*)(void*)data) == (int64_t)size) {
    jf_object_release(item->object);
    item->object = made;
  } else {
    jf_object_release(made ? made : jf_error_take());
  }
}

static void decode(jf_pool* pool, jf_item* item) {
  const int32_t code = *item->code;
  if (code == JF_SMALL_STR) {
    if (!jf_is_ascii((const char*)item->slot + JF_PAYLOAD_OFFSET, (size_t)item->slot->small_len)) {
      decode_small(pool, item);
    }
  } else if (code == JF_STR) {
    const jf_str* str = (const jf_str*)item->object;
    if (!jf_is_ascii(str->data, str->size)) decode_heap(item);
  }
}

/* Never fails: what there is no memory for stays as it is. */
void jf_items_decode(jf_object* container) {
  if (container->type_code == JF_LIST) {
    jf_list* list = (jf_list*)container;
    for (size_t i = 0; i < list->size; i++) decode(&list->pool, &list->items[i]);
  } else if (container->type_code == JF_MAP || container->type_code == JF_SET) {
    jf_map* map = (jf_map*)container; /* hashes stay the same */
    for (size_t i = 0; i < map->used; i++) {
      jf_map_entry* entry = jf_map_at(map, i);
      if (!entry->key.code) continue;
      decode(&map->pool, &entry->key);
      if (!jf_is_set(map)) decode(&map->pool, &entry->value);
    }
  }
}
