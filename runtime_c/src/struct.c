/* Structs in slots: objects of the type that a signature names, whose bytes stand behind the header. */
#include <string.h>

#include "jitffi/runtime.h"
#include "macros.h"
#include "message.h"
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

/* *out is borrowed from what the view holds. */
int32_t jf_lift_struct(const jf_call_info* info, int32_t index, const jf_view* view, void** out) {
  char key[MAX_KEY];
  if (key_of(info, index, key) != 0) return -1;
  jf_any scratch;
  jf_object* object = jf_any_object(jf_any_resolve(view, &scratch));
  const int32_t code = jf_type_code(key);
  if (!object || !code || !jf_type_is_a(object->type_code, code)) {
    jf_fail_type(info, index, view);
    return -1;
  }
  *out = object + 1;
  return 0;
}

/* New; NULL with the error set. */
static jf_object* make(const jf_call_info* info, int32_t index, const void* bytes, size_t size) {
  char key[MAX_KEY];
  if (key_of(info, index, key) != 0) return NULL;
  const int32_t code = jf_type_register(key, JF_ROOT);
  jf_object* object = code ? jf_object_new(sizeof *object + size, code, NULL) : NULL;
  if (object) memcpy(object + 1, bytes, size);
  return object;
}

static void put(jf_any* slot, jf_object* object) {
  slot->type_code = JF_OBJECT;
  slot->small_len = 0;
  slot->v_uint64 = JF_POINTER_WORD(object);
}

static void release(void* object) { jf_object_release(object); }

/* The view borrows a copy from temps. */
int32_t jf_lower_struct(const jf_call_info* info, int32_t index, const void* bytes, size_t size, jf_view* view,
                        jf_temps* temps) {
  jf_object* object = make(info, index, bytes, size);
  if (!object) return -1;
  put(view, object);
  return jf_temps_add(temps, object, release);
}

/* The null out-slot owns a copy. */
int32_t jf_out_struct(const jf_call_info* info, const void* bytes, size_t size, jf_value* out) {
  jf_object* object = make(info, -1, bytes, size);
  if (!object) return -1;
  put(out, object);
  return 0;
}
