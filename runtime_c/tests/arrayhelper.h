/* Arrays made for a test: their elements lie in `memory`, or would. */
#pragma once
#include "jitffi/array.h"
#include "testhelper.h"

enum { I8, U8, I32, F32, F64, C64, BOOL, VOID, TYPES };
static const jf_dtype types[TYPES] = {[I8] = {0, 8, 1},   [U8] = {1, 8, 1},   [I32] = {0, 32, 1}, [F32] = {2, 32, 1},
                                      [F64] = {2, 64, 1}, [C64] = {5, 64, 1}, [BOOL] = {6, 8, 1}, [VOID] = {3, 0, 1}};
static _Alignas(16) char memory[1024];

static uint64_t spec_of(int type, int rank, uint64_t flags, uint64_t free) {
  return types[type].code | (uint64_t)types[type].bits << 8 | (uint64_t)rank << 16 | flags << 24 | free << 32;
}

/* An array of up to three dimensions, strides in elements; length -1 ends the shape. */
typedef struct {
  int64_t shape[3], strides[3];
  jf_array array;
} any_array;

static any_array* array_of(any_array* made, int type, const int64_t* shape, const int64_t* strides) {
  const int32_t size = types[type].bits / 8;
  memset(made, 0, sizeof *made);
  made->array = (jf_array){memory, made->shape, made->strides, NULL, size ? size : 1, types[type], {1, 0}, 0, 0};
  while (made->array.ndim < 3 && shape[made->array.ndim] >= 0) {
    made->shape[made->array.ndim] = shape[made->array.ndim];
    made->array.ndim++;
  }
  jf_array_contiguous_strides(made->array.ndim, made->shape, size, made->strides);
  for (int32_t i = 0; strides && i < made->array.ndim; i++) made->strides[i] = strides[i] * size;
  return made;
}
#define ARRAY(type, shape, strides) array_of(&(any_array){{0}}, type, shape, strides)
#define SHAPE(...) ((const int64_t[]){__VA_ARGS__, -1, -1, -1})
