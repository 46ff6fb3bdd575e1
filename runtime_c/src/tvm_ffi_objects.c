/* Objects of tvm-ffi's layouts, and their references. Those that are made here free themselves: whoever has the last reference
 * calls the deleter in the header.
 */
#include <string.h>

#include "jitffi/runtime.h"
#include "macros.h"
#include "message.h"
#include "object.h"
#include "tvm_ffi.h"

enum { CONTENTS = 1, MEMORY = 2 }; /* what a deleter is told to let go */

/* -- references (tvm/ffi/object.h, IncRef and DecRef) -------------------------------------------------------------------- */

#define ONE_WEAK ((uint64_t)1 << 32)

void jf_tvmffi_retain(void* object) {
  uint32_t* strong = (uint32_t*)&((jf_tvmffi_object*)object)->ref_count; /* the low half, of a little-endian machine */
  __atomic_fetch_add(strong, 1, __ATOMIC_RELAXED);
}

static void let_go(jf_tvmffi_object* object, int flags) {
  __atomic_thread_fence(__ATOMIC_ACQUIRE);
  if (object->deleter) object->deleter(object, flags);
}

void jf_tvmffi_release(void* given) {
  jf_tvmffi_object* object = given;
#if UINTPTR_MAX > UINT32_MAX
  const uint64_t before = __atomic_fetch_sub(&object->ref_count, 1, __ATOMIC_RELEASE);
  if (before == ONE_WEAK + 1) {
    let_go(object, CONTENTS | MEMORY);
  } else if ((uint32_t)before == 1) {
    let_go(object, CONTENTS);
    if (__atomic_fetch_sub(&object->ref_count, ONE_WEAK, __ATOMIC_RELEASE) == ONE_WEAK) let_go(object, MEMORY);
  }
#else /* small machines have no atomics of eight bytes */
  uint32_t* counts = (uint32_t*)&object->ref_count;
  if (__atomic_fetch_sub(&counts[0], 1, __ATOMIC_RELEASE) != 1) return;
  let_go(object, CONTENTS);
  if (__atomic_fetch_sub(&counts[1], 1, __ATOMIC_RELEASE) == 1) let_go(object, MEMORY);
#endif
}

/* -- making -------------------------------------------------------------------------------------------------------------- */

void* jf_tvmffi_new(size_t size, int32_t type_index, void (*deleter)(void* self, int flags)) {
  jf_tvmffi_object* made = jf_alloc(size);
  if (!made) return jf_error_no_memory(), NULL;
  memset(made, 0, size);
  made->ref_count = ONE_WEAK + 1;
  made->type_index = type_index;
  made->deleter = deleter;
  return made;
}

void jf_tvmffi_free(void* object) { jf_free(object); }

static void delete_plain(void* self, int flags) {
  if (flags & MEMORY) jf_free(self);
}

int32_t jf_tvmffi_text_to(const void* data, size_t size, int32_t is_bytes, jf_tvmffi_any* out) {
  *out = (jf_tvmffi_any){.type_index = is_bytes ? JF_TVMFFI_SMALL_BYTES : JF_TVMFFI_SMALL_STR};
  if (size < sizeof out->v_bytes) {
    out->small_len = (uint32_t)size;
    if (size) memcpy(out->v_bytes, data, size);
    return 0;
  }
  const size_t head = sizeof(jf_tvmffi_text);
  const int32_t code = is_bytes ? JF_TVMFFI_BYTES : JF_TVMFFI_STR;
  jf_tvmffi_text* made = size < SIZE_MAX - head ? jf_tvmffi_new(head + size + 1, code, delete_plain) : NULL;
  if (!made) return *out = (jf_tvmffi_any){0}, jf_error_no_memory(), -1;
  memcpy(made + 1, data, size);
  made->text = (jf_span){(char*)(made + 1), size};
  out->type_index = code;
  out->v_object = &made->header;
  return 0;
}

/* The one deleter does what the other does: they tell what an Array was made of. */
static void delete_array(void* self, int flags) {
  jf_tvmffi_sequence* array = self;
  if (flags & CONTENTS) {
    for (int64_t i = 0; i < array->size; i++) jf_tvmffi_end(&array->data[i]);
    if (array->deleter) array->deleter(array->data); /* who has shared it may have given it other memory */
  }
  if (flags & MEMORY) jf_free(self);
}

static void delete_tuple(void* self, int flags) { delete_array(self, flags); }

int32_t jf_tvmffi_was_tuple(const jf_tvmffi_object* object) { return object->deleter == delete_tuple; }

jf_tvmffi_sequence* jf_tvmffi_array(size_t count, int32_t is_tuple) {
  const size_t head = sizeof(jf_tvmffi_sequence), most = (SIZE_MAX - head) / sizeof(jf_tvmffi_any);
  if (count > most) return jf_error_no_memory(), NULL;
  jf_tvmffi_sequence* made =
      jf_tvmffi_new(head + count * sizeof(jf_tvmffi_any), JF_TVMFFI_ARRAY, is_tuple ? delete_tuple : delete_array);
  if (!made) return NULL;
  made->data = (jf_tvmffi_any*)(void*)(made + 1);
  made->size = made->capacity = (int64_t)count;
  return made;
}

jf_tvmffi_object* jf_tvmffi_big_int_to(uint64_t value) {
  const uint64_t words[] = {value, 0}; /* the upper one has the sign */
  jf_tvmffi_big_int* made = jf_tvmffi_new(sizeof *made + sizeof words, JF_TVMFFI_BIG_INT, delete_plain);
  if (!made) return NULL;
  made->size = 2;
  memcpy(made + 1, words, sizeof words);
  return &made->header;
}

int32_t jf_tvmffi_big_int_from(const jf_tvmffi_object* object, uint64_t* value) {
  const jf_tvmffi_big_int* from = (const jf_tvmffi_big_int*)object;
  const uint64_t* words = (const uint64_t*)(const void*)(from + 1);
  if (from->size == 2 && words[1] == 0) return *value = words[0], 0;
  jf_error_set("OverflowError", "an integer of tvm-ffi is out of the range of 64 bits");
  return -1;
}

jf_tvmffi_object* jf_tvmffi_shape_to(const int64_t* data, size_t size) {
  jf_tvmffi_shape* made = jf_tvmffi_new(sizeof *made + size * sizeof *data, JF_TVMFFI_SHAPE, delete_plain);
  if (!made) return NULL;
  if (size) memcpy(made + 1, data, size * sizeof *data);
  made->data = (const int64_t*)(void*)(made + 1);
  made->size = size;
  return &made->header;
}

/* -- arrays: one holds the other, and both have the same memory ----------------------------------------------------------- */

typedef struct {
  jf_tvmffi_tensor tensor;
  jf_object* array;
} held_array;

static void delete_tensor(void* self, int flags) {
  if (flags & CONTENTS) jf_object_release(((held_array*)self)->array);
  if (flags & MEMORY) jf_free(self);
}

jf_tvmffi_object* jf_tvmffi_tensor_to(jf_object* array) {
  jf_ndarray* from = (jf_ndarray*)array;
  if (from->release == jf_tvmffi_release) return jf_tvmffi_retain(from->owner), from->owner; /* it is theirs */
  held_array* made = jf_tvmffi_new(sizeof *made, JF_TVMFFI_TENSOR, delete_tensor);
  if (!made) return NULL;
  jf_object_retain(array);
  made->array = array;
  made->tensor.tensor = from->tensor;
  return &made->tensor.header;
}

jf_object* jf_tvmffi_tensor_from(jf_tvmffi_object* tensor) {
  held_array* held = (held_array*)tensor;
  if (tensor->deleter == delete_tensor) return jf_object_retain(held->array), held->array; /* it is ours */
  jf_tvmffi_retain(tensor);
  return jf_ndarray_wrap(sizeof(jf_ndarray), JF_NDARRAY, &held->tensor.tensor, 0, tensor, jf_tvmffi_release);
}

/* -- objects that it has no type for --------------------------------------------------------------------------------------- */

typedef struct {
  jf_tvmffi_object header;
  jf_object* ours;
} held_object;

static void delete_held(void* self, int flags) {
  if (flags & CONTENTS) jf_object_release(((held_object*)self)->ours);
  if (flags & MEMORY) jf_free(self);
}

jf_tvmffi_object* jf_tvmffi_hold(jf_object* object) {
  held_object* made = jf_tvmffi_new(sizeof *made, JF_TVMFFI_OBJECT, delete_held);
  if (!made) return NULL;
  jf_object_retain(object);
  made->ours = object;
  return &made->header;
}

/* As held_object, behind what everybody reads of an opaque one. */
typedef struct {
  jf_tvmffi_opaque_object object;
  jf_object* ours;
} opaque_object;

static void delete_opaque(void* self, int flags) {
  if (flags & CONTENTS) jf_object_release(((opaque_object*)self)->ours);
  if (flags & MEMORY) jf_free(self);
}

jf_tvmffi_object* jf_tvmffi_opaque(jf_object* object, void* handle) {
  opaque_object* made = jf_tvmffi_new(sizeof *made, JF_TVMFFI_OPAQUE, delete_opaque);
  if (!made) return NULL;
  jf_object_retain(object);
  made->object.handle = handle;
  made->ours = object;
  return &made->object.header;
}

jf_object* jf_tvmffi_held(jf_tvmffi_object* object) {
  jf_object* ours = NULL;
  if (object->deleter == delete_held) ours = ((held_object*)object)->ours;
  if (object->deleter == delete_opaque) ours = ((opaque_object*)object)->ours;
  if (!ours) return NULL;
  jf_object_retain(ours);
  return ours;
}
