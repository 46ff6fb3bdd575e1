/* Nd-arrays: objects with a DLTensor in them, and DLPack's structs, by which arrays change hands without copies.
 *
 *   0   header, type code JF_NDARRAY or a subtype's
 *   16  DLTensor, in the target's own layout: object + 16 is a DLTensor*, DLTensor* - 16 the object
 *       flags, the owner of the memory, a subtype's own fields, shape, strides, and the elements where the object has its own
 *
 * An nd-array never changes but for its elements: what slices or reshapes it is another one, which shares the memory. Strides
 * count elements, and are never NULL here; along a dimension of less than two, and where there are no elements, they are those of
 * C order. Elements may be on any device; only what says so reads or writes them, on the CPU.
 */
#ifndef JITFFI_NDARRAY_H
#define JITFFI_NDARRAY_H

#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -- DLPack (dlpack.h 1.1), by layout ------------------------------------------------------------------------- */

enum { JF_DLPACK_MAJOR = 1, JF_DLPACK_MINOR = 1 };
enum { JF_CPU = 1 }; /* DLDeviceType */
/* DLDataTypeCode */
enum { JF_DL_INT, JF_DL_UINT, JF_DL_FLOAT, JF_DL_HANDLE, JF_DL_BFLOAT, JF_DL_COMPLEX, JF_DL_BOOL };
/* Bits of `flags`. */
enum { JF_DL_READ_ONLY = 1, JF_DL_IS_COPIED = 2, JF_DL_SUBBYTE_PADDED = 4 };

typedef struct {
  void* data;
  jf_device device;
  int32_t ndim;
  jf_dtype dtype;
  int64_t* shape;
  int64_t* strides;     /* NULL: contiguous in C order */
  uint64_t byte_offset; /* from data to the first element */
} jf_dltensor;

/* DLManagedTensor: what capsules called "dltensor" hold. */
typedef struct jf_dlmanaged jf_dlmanaged;
struct jf_dlmanaged {
  jf_dltensor tensor;
  void* manager_ctx;
  void (*deleter)(jf_dlmanaged* self); /* NULL: nothing to do */
};

/* DLManagedTensorVersioned: what capsules called "dltensor_versioned" hold. */
typedef struct jf_dlversioned jf_dlversioned;
struct jf_dlversioned {
  uint32_t major;
  uint32_t minor;
  void* manager_ctx;
  void (*deleter)(jf_dlversioned* self); /* NULL: nothing to do */
  uint64_t flags;
  jf_dltensor tensor;
};

/* -- ndarray.c ------------------------------------------------------------------------------------------------ */

enum { JF_NDARRAY_DIMS = 64 }; /* at most */
enum { JF_NDARRAY_ALIGNMENT = 64 };

typedef struct {
  jf_object header;
  jf_dltensor tensor;
  uint64_t flags;        /* JF_DL_READ_ONLY, JF_DL_SUBBYTE_PADDED */
  JF_WIDE(void*, owner); /* whose memory it is; the object's own where `release` is NULL */
  void (*release)(void* owner);
} jf_ndarray;

#define JF_NDARRAY_TENSOR 16
/* From an object to its tensor and back; both are borrowed. */
static inline jf_dltensor* jf_ndarray_tensor(jf_object* array) { return &((jf_ndarray*)array)->tensor; }
/* The object of a tensor that is one's. */
static inline jf_object* jf_ndarray_of_tensor(jf_dltensor* tensor) {
  return (jf_object*)(void*)((char*)tensor - JF_NDARRAY_TENSOR);
}

/* New, on the CPU, contiguous in C order, its elements not set; alignment: a power of two, 0 for JF_NDARRAY_ALIGNMENT. NULL
 * with ValueError or MemoryError set. */
JF_API jf_object* jf_ndarray_new(int32_t ndim, const int64_t* shape, jf_dtype dtype, size_t alignment);
/* New: an nd-array on memory that `owner` keeps; shape and strides are copied. `release(owner)` is called once, when the last
 * array that shares the memory is gone, on any thread, on failure at once; NULL: nobody need be told. `size` is that of the object
 * before shape and strides, sizeof(jf_ndarray) or a subtype's struct, zero behind jf_ndarray; type_code the subtype's. NULL with ValueError or MemoryError set. */
JF_API jf_object* jf_ndarray_wrap(size_t size, int32_t type_code, const jf_dltensor* tensor, uint64_t flags,
                                  void* owner, void (*release)(void* owner));
/* New: other elements of the same memory. `offset` is that of its first element from the array's, in elements; the caller
 * answers for their being within the array's. */
JF_API jf_object* jf_ndarray_view(jf_object* array, int32_t ndim, const int64_t* shape, const int64_t* strides,
                                  int64_t offset);
/* The array that has the memory of a view, borrowed; of what is no view itself. */
JF_API jf_object* jf_ndarray_base(jf_object* array);
/* The deleter: that of a subtype calls it last. */
JF_API void jf_ndarray_delete(jf_object* array);

JF_API int64_t jf_dltensor_items(const jf_dltensor* tensor); /* the product of the shape */
/* Bytes of one element; 0 where elements share bytes (int4 and its like, not padded). */
JF_API size_t jf_dltensor_itemsize(const jf_dltensor* tensor, uint64_t flags);
JF_API int32_t jf_dltensor_is_contiguous(const jf_dltensor* tensor); /* in C order: 1 or 0 */
/* 1: of one data type and shape, and the same bits in each element; 0; -1 with BufferError where the elements are not on the
 * CPU, or share bytes. */
JF_API int32_t jf_ndarray_equal(jf_object* a, jf_object* b);
/* Copies all elements; both are on the CPU, of one data type and shape, and may overlap. -1 with ValueError or MemoryError. */
JF_API int32_t jf_dltensor_copy(const jf_dltensor* to, const jf_dltensor* from);

/* -- ndarray_dlpack.c ------------------------------------------------------------------------------------------ */

/* New: takes the tensor over, and calls its deleter when the memory is not needed any more, on failure at once. NULL with
 * ValueError (a shape, strides or data that no array has; BufferError: another major version) or MemoryError set. */
JF_API jf_object* jf_ndarray_from_dlpack(jf_dlmanaged* managed);
JF_API jf_object* jf_ndarray_from_dlpack_versioned(jf_dlversioned* managed);
/* New: holds a reference to the array until whoever has it calls its deleter, on any thread. NULL with MemoryError set;
 * BufferError: a read-only array, where no version has a flag that says so. */
JF_API jf_dlmanaged* jf_ndarray_to_dlpack(jf_object* array);
JF_API jf_dlversioned* jf_ndarray_to_dlpack_versioned(jf_object* array);

#ifdef __cplusplus
}
#endif
#endif
