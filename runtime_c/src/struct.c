/* Structs in slots: objects of the type that a signature names, whose bytes stand behind the header. */
#include <stddef.h>
#include <string.h>

#include "blocks.h"
#include "jitffi/runtime.h"
#include "lock.h"
#include "macros.h"
#include "message.h"
#include "object.h"
#include "slot.h"

enum { MAX_KEY = 256 };

/* The key in "geo.Point" and "out[geo.Point]". -1 with ValueError set for one that is too long. */
static int32_t key_of(const jf_call_info* info, int32_t index, char* key) {
  const char* text = index < 0 ? info->result : info->params[index].type;
  const char* bracket = strrchr(text, '[');
  if (bracket) text = bracket + 1;
  const size_t size = strcspn(text, "]");
  if (size >= MAX_KEY) {
    jf_error_set("ValueError", "the key of a struct is too long");
    return -1;
  }
  memcpy(key, text, size);
  key[size] = 0;
  return 0;
}

/* The code of the struct that a signature names; 0 with the error set. */
static int32_t code_of(const jf_call_info* info, int32_t index, size_t size, size_t align) {
  char key[MAX_KEY];
  return key_of(info, index, key) == 0 ? jf_type_register_struct(key, size, align) : 0;
}

static size_t offset_of(size_t align) { return align > sizeof(jf_object) ? align : sizeof(jf_object); }

static void* bytes_of(const jf_object* object, size_t align) { return (char*)object + offset_of(align); }

void* jf_struct_bytes(const jf_object* object) {
  const jf_type_extra* extra = jf_type_extra_of(object->type_code);
  const size_t align = extra ? __atomic_load_n(&extra->struct_align, __ATOMIC_ACQUIRE) : 0;
  return align ? bytes_of(object, align) : NULL;
}

static int32_t is_of(const jf_type_extra* extra, size_t size, size_t align) {
  return __atomic_load_n(&extra->struct_align, __ATOMIC_ACQUIRE) == align && extra->struct_size == size;
}

/* Borrows key. */
int32_t jf_type_register_struct(const char* key, size_t size, size_t align) {
  const int32_t known = jf_type_code(key), code = known ? known : jf_type_register(key, JF_ROOT);
  if (!code) return 0;
  jf_type_extra* extra = jf_type_extra_of(code);
  if (extra && is_of(extra, size, align)) return code;
  jf_lock();
  const int32_t is_free = extra && !extra->info && !extra->struct_align;
  if (is_free) {
    extra->struct_size = size;
    __atomic_store_n(&extra->struct_align, align, __ATOMIC_RELEASE);
  }
  jf_unlock();
  if (is_free || (extra && is_of(extra, size, align))) return code;
  char quoted[JF_QUOTE_SIZE];
  jf_error_format("ValueError", "type key %s is not that of a struct of %zu bytes",
                  jf_quote(key, quoted, sizeof quoted), size);
  return 0;
}

/* Borrows all: *out is in what the view holds. */
int32_t jf_lift_struct(const jf_call_info* info, int32_t index, const jf_view* view, size_t size, size_t align,
                       void** out) {
  const int32_t code = code_of(info, index, size, align);
  if (!code) return -1;
  jf_any scratch, found;
  const jf_any* slot = jf_any_resolve(view, &scratch);
  jf_object* object = jf_any_object(slot);
  if (object && object->type_code == code) {
    *out = bytes_of(object, align);
    return 0;
  }
  const int32_t outcome = jf_host_read(slot, code, &found, NULL, NULL);
  if (outcome > 0) *out = found.v_handle;
  if (outcome == 0) jf_fail_type(info, index, view);
  return outcome > 0 ? 0 : -1;
}

/* In front of an object that is aligned to more than memory is, stands where its memory begins. */
static void free_aligned(jf_object* object) {
  void* block;
  memcpy(&block, (char*)object - sizeof block, sizeof block);
  jf_block_free(block);
}

jf_object* jf_object_alloc(size_t size, size_t align) {
  const size_t offset = offset_of(align);
  if (align > PTRDIFF_MAX / 4 || size > PTRDIFF_MAX / 2) return jf_error_no_memory(), NULL;
  if (align <= _Alignof(max_align_t)) return jf_object_new(offset + size, JF_ROOT, NULL);
  char* block = jf_block_new(sizeof block + align + offset + size);
  if (!block) return jf_error_no_memory(), NULL;
  const uintptr_t first = (uintptr_t)block + sizeof block;
  jf_object* object = (jf_object*)(void*)(block + sizeof block + (align - first % align) % align);
  memcpy((char*)object - sizeof block, &block, sizeof block);
  memset(object, 0, offset + size);
  object->type_code = JF_ROOT;
  object->ref_count = 1;
  JF_SET_WIDE(object, deleter, free_aligned);
  return object;
}

/* New; NULL with the error set. */
static jf_object* make(const jf_call_info* info, int32_t index, const void* bytes, size_t size, size_t align) {
  const int32_t code = code_of(info, index, size, align);
  jf_object* object = code ? jf_object_alloc(size, align) : NULL;
  if (!object) return NULL;
  object->type_code = code;
  memcpy(bytes_of(object, align), bytes, size);
  return object;
}

static void put(jf_any* slot, jf_object* object) {
  slot->type_code = JF_OBJECT;
  slot->small_len = 0;
  slot->v_uint64 = JF_POINTER_WORD(object);
}

static void release(void* object) { jf_object_release(object); }

/* The view borrows a copy from temps. */
int32_t jf_lower_struct(const jf_call_info* info, int32_t index, const void* bytes, size_t size, size_t align,
                        jf_view* view, jf_temps* temps) {
  jf_object* object = make(info, index, bytes, size, align);
  if (!object) return -1;
  put(view, object);
  return jf_temps_add(temps, object, release);
}

/* The null out-slot owns a copy. */
int32_t jf_out_struct(const jf_call_info* info, const void* bytes, size_t size, size_t align, jf_value* out) {
  jf_object* object = make(info, -1, bytes, size, align);
  if (!object) return -1;
  put(out, object);
  return 0;
}
