/* Vectors: lists of numbers that only one script ever sees, without slots. Its code reads and writes items by itself, and
 * calls what is here to make one and where one must grow. An item is 8 bytes: an int64_t, a double, or a bool as 0 or 1.
 */
#include <string.h>

#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "text_make.h"

/* Short ones grow fast: most are filled to a length that only the script knows, and copying costs more than room.
 * Up to FEW numbers lie in the vector's own block, behind the struct, which is one of the small blocks that the runtime keeps. */
enum { LEAST_ROOM = 8, SHORT = 128, FEW = 96 };

/* Where the numbers are at first, if they are few. */
static int64_t* inside_of(jf_vector* self) { return (int64_t*)(void*)(self + 1); }

static void free_items(jf_vector* self) {
  if (self->data != inside_of(self)) jf_free(self->data);
}

static void vector_delete(jf_object* object) {
  free_items((jf_vector*)object);
  jf_object_free(object);
}

/* The code of vectors, which no slot that anybody else sees ever has. 0 with the error set. */
static int32_t vector_code(void) {
  static int32_t known;
  int32_t code = __atomic_load_n(&known, __ATOMIC_RELAXED);
  if (code == 0) {
    code = jf_type_register("jitffi.Vector", JF_ROOT);
    __atomic_store_n(&known, code, __ATOMIC_RELAXED);
  }
  return code;
}

static int64_t* items_new(size_t capacity) {
  if (capacity > PTRDIFF_MAX / sizeof(int64_t)) return NULL;
  return jf_alloc(capacity * sizeof(int64_t));
}

static int32_t set_capacity(jf_vector* self, size_t capacity) {
  int64_t* data = items_new(capacity);
  if (data == NULL) {
    jf_error_set("MemoryError", "out of memory");
    return -1;
  }
  memcpy(data, self->data, self->size * sizeof *data);
  free_items(self);
  self->data = data;
  self->capacity = capacity;
  return 0;
}

/* New, empty; NULL with the error set. */
jf_object* jf_vector_new(size_t capacity) {
  const int32_t code = vector_code();
  if (code == 0) return NULL;
  if (capacity < LEAST_ROOM) capacity = LEAST_ROOM;
  const size_t inside = capacity <= FEW ? capacity : 0;
  jf_vector* made = jf_object_new(sizeof(jf_vector) + inside * sizeof(int64_t), code, vector_delete);
  if (made == NULL) return NULL;
  made->data = inside_of(made);
  made->capacity = inside;
  if (inside == 0 && set_capacity(made, capacity) != 0) {
    jf_object_release(&made->header);
    return NULL;
  }
  return &made->header;
}

static size_t larger(const jf_vector* self) {
  return self->capacity < SHORT ? 4 * self->capacity : self->capacity + self->capacity / 2;
}

/* Room for one more; on failure the vector is as before. */
int32_t jf_vector_grow(jf_object* vector) {
  jf_vector* self = (jf_vector*)vector;
  return set_capacity(self, larger(self));
}

/* Room for so many more, and at least as much as one more would make; on failure the vector is as before. */
int32_t jf_vector_reserve(jf_object* vector, size_t more) {
  jf_vector* self = (jf_vector*)vector;
  if (more <= self->capacity - self->size) return 0;
  const size_t least = more > SIZE_MAX - self->size ? SIZE_MAX : self->size + more;
  return set_capacity(self, least > larger(self) ? least : larger(self));
}

/* New; NULL with the error set. */
jf_object* jf_vector_repeat(const jf_object* vector, int64_t times) {
  const jf_vector* self = (const jf_vector*)vector;
  if (times > 0 && self->size > 0 && times > (int64_t)(PTRDIFF_MAX / sizeof(int64_t) / self->size)) {
    jf_error_set("MemoryError", "out of memory");
    return NULL;
  }
  const size_t count = times > 0 && self->size > 0 ? (size_t)times : 0;
  jf_object* made = jf_vector_new(self->size * count);
  if (made == NULL) return NULL;
  jf_vector* out = (jf_vector*)made;
  out->size = self->size * count;
  if (self->size == 1) { /* by far the most frequent: [0] * n */
    for (size_t i = 0; i < count; ++i) out->data[i] = self->data[0];
    return made;
  }
  for (size_t i = 0; i < count; ++i) memcpy(out->data + i * self->size, self->data, self->size * sizeof(int64_t));
  return made;
}

/* New; NULL with the error set. */
jf_object* jf_vector_concat(const jf_object* a, const jf_object* b) {
  const jf_vector *left = (const jf_vector*)a, *right = (const jf_vector*)b;
  jf_object* made = jf_vector_new(left->size + right->size);
  if (made == NULL) return NULL;
  jf_vector* out = (jf_vector*)made;
  memcpy(out->data, left->data, left->size * sizeof(int64_t));
  memcpy(out->data + left->size, right->data, right->size * sizeof(int64_t));
  out->size = left->size + right->size;
  return made;
}

/* vector[start:stop:step], as jf_list_slice. New; NULL with the error set. */
jf_object* jf_vector_slice(const jf_object* vector, int64_t start, int64_t stop, int64_t step) {
  const jf_vector* self = (const jf_vector*)vector;
  const int64_t count = jf_clip_slice(self->size, &start, &stop, &step);
  if (count < 0) return NULL;
  jf_object* made = jf_vector_new((size_t)count);
  if (made == NULL) return NULL;
  jf_vector* out = (jf_vector*)made;
  out->size = (size_t)count;
  if (step == 1) {
    memcpy(out->data, self->data + start, (size_t)count * sizeof(int64_t));
  } else {
    for (int64_t i = 0; i < count; ++i) out->data[i] = self->data[start + i * step];
  }
  return made;
}

/* vector.pop(index); IndexError. */
int32_t jf_vector_pop(jf_object* vector, int64_t index, int64_t* out) {
  jf_vector* self = (jf_vector*)vector;
  const int64_t size = (int64_t)self->size;
  if (index < 0) index += size;
  if (index < 0 || index >= size) {
    jf_error_set("IndexError", size == 0 ? "pop from empty list" : "pop index out of range");
    return -1;
  }
  *out = self->data[index];
  memmove(self->data + index, self->data + index + 1, (size_t)(size - index - 1) * sizeof(int64_t));
  self->size--;
  return 0;
}

void jf_vector_clear(jf_object* vector) { ((jf_vector*)vector)->size = 0; }

void jf_vector_reverse(jf_object* vector) {
  jf_vector* self = (jf_vector*)vector;
  for (size_t i = 0, j = self->size; i + 1 < j; ++i) {
    const int64_t item = self->data[i];
    self->data[i] = self->data[--j];
    self->data[j] = item;
  }
}
