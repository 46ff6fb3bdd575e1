/* Arrays as arguments: what NumPy, buffers, DLPack and slots call an array as one struct, the one check of it against what a
 * parameter takes, and the words of what differs.
 *
 *   spec, one constant a parameter:   bits 0-7    DLDataTypeCode of the element (3 with 0 bits, void: any element fits; JF_SPEC_STRUCT with 0 bits: a struct)
 *                                     bits 8-15   its bits
 *                                     bits 16-23  the rank; 255: any
 *                                     bits 24-31  JF_SPEC_*
 *                                     bits 32-63  the dimensions whose stride is free; of a tensor: DLDeviceType, -1: any
 *
 *   out:   [0] address   [1 .. rank] lengths   [1 + rank .. 2 * rank] strides in elements;   of any rank: the address alone
 */
#ifndef JITFFI_ARRAY_H
#define JITFFI_ARRAY_H

#include "ndarray.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
  JF_SPEC_WRITABLE = 1,
  JF_SPEC_ONE_BYTE = 2,     /* every integer of one byte fits */
  JF_SPEC_EITHER_ORDER = 4, /* contiguous in C or in Fortran order */
  JF_SPEC_C_ORDER = 8,      /* a tensor that has to be contiguous */
  JF_SPEC_ANYWHERE = 16,    /* what is not on the CPU is asked for its memory */
  JF_SPEC_KEPT = 32,        /* the memory is kept beyond the call: what only shows it is not enough */
  JF_SPEC_SHOWN = 64        /* nothing runs but the callee: what only shows it is enough, to be written, too */
};
/* In place of a DLDataTypeCode: the element is a struct that whoever reads the object has compared with the parameter's (in Python
 * the class of that parameter in core_state.classes), and its size is the array's item_size. */
enum { JF_SPEC_STRUCT = 255 };
enum { JF_RANK_ANY = 255, JF_MAX_RANK = JF_NDARRAY_DIMS }; /* NumPy's own limit, and that of Py_buffer */

enum {
  JF_ARRAY_READ_ONLY = 1,
  JF_ARRAY_SWAPPED = 2, /* its elements are in the other byte order */
  JF_ARRAY_OPAQUE = 4   /* its elements are references: they are never an element of C, void neither */
};
typedef struct {
  void* data; /* the first element */
  const int64_t* shape;
  const int64_t* strides; /* in bytes */
  const char* name;       /* what elements are called that dtype does not tell; else NULL */
  int64_t item_size;      /* bytes of an element */
  jf_dtype dtype;         /* lanes 0: none */
  jf_device device;
  int32_t ndim; /* -1: a pointer, which has no shape */
  uint32_t flags;
  uint64_t byte_offset; /* of data from what a tensor calls so, which need not be an address */
} jf_array;

/* What can be wrong with an array, in the order in which it is looked at. */
enum {
  JF_ARRAY_FITS,
  JF_ARRAY_BAD_DEVICE,  /* this one and the next two are a TypeError, the others a ValueError */
  JF_ARRAY_BAD_ELEMENT, /* of another type or byte order */
  JF_ARRAY_BAD_ACCESS,  /* read-only */
  JF_ARRAY_BAD_RANK,
  JF_ARRAY_BAD_SHAPE, /* lengths that no memory has */
  JF_ARRAY_BAD_STRIDES,
  JF_ARRAY_BAD_ADDRESS /* misaligned, or NULL */
};
enum { JF_ARRAY_WORDS = 512 };

/* -- array.c ------------------------------------------------------------------------------------------- */

/* JF_ARRAY_FITS and `out` filled, or the first thing that is wrong; sets no error. Of a rank that is not the spec's, `out`
 * may be too short: nothing is written then. */
JF_API int32_t jf_array_match(const jf_array* array, uint64_t spec, int64_t* out);
/* The same for a tensor, which may have any whole strides: `out` gets them in elements, or NULL where it is contiguous in C order,
 * with shape and strides behind itself, the spec's rank of each, JF_MAX_RANK where that is any. */
JF_API int32_t jf_tensor_match(const jf_array* array, uint64_t spec, jf_dltensor* out);
/* In bytes, of a contiguous array in C order. */
JF_API void jf_array_contiguous_strides(int32_t ndim, const int64_t* shape, int64_t item_size, int64_t* strides);
/* The tensor as an array, which borrows its shape, and whose strides in bytes go into `strides` (JF_MAX_RANK of them). A rank
 * or strides that no array has stand as a shape of -1. */
JF_API void jf_array_of_tensor(const jf_dltensor* tensor, uint32_t flags, int64_t* strides, jf_array* out);
/* How objects of another language are read where an array is asked for. 1: *out borrows from the object, or from what is put into
 * `temps`; 0: the object is no array; -1 with the error set. */
JF_API void jf_set_array_reader(int32_t (*read)(jf_object* object, uint64_t spec, jf_array* out, jf_temps* temps));
/* Parameter `index` of a packed call: an nd-array, a borrowed DLTensor, bytes (an array of one dimension), an object of another
 * language; of any rank also a handle, of which nothing is checked. Borrowed from the view and temps. TypeError or ValueError. */
JF_API int32_t jf_lift_array(const jf_call_info* info, int32_t index, const jf_view* view, uint64_t spec, int64_t* out,
                             jf_temps* temps);

/* -- array_words.c -------------------------------------------------------------------------------------- */

/* "TypeError" or "ValueError", static. */
JF_API const char* jf_array_error(int32_t reason);
/* What the array is called after "got", for that reason (JF_ARRAY_FITS: element and shape alone). Its length. */
JF_API size_t jf_array_words(const jf_array* array, uint64_t spec, int32_t reason, char* buffer, size_t capacity);
/* Added to a dimension's number where its stride is meant. */
enum { JF_DIM_STRIDE = 64 };
/* "n is 5 here and 4 in 'x'": `dimension` is one of parameter `index`; `other` is the parameter that says `there`. 0 where the
 * type's text has no name for it, or other is -1. */
JF_API size_t jf_length_words(const jf_call_info* info, int32_t index, int32_t dimension, int64_t here, int32_t other,
                              int64_t there, char* buffer, size_t capacity);
/* ValueError: a dimension has another length than its type or another parameter says; always -1. `other` -1: a fixed length. */
JF_API int32_t jf_refuse_length(const jf_call_info* info, int32_t index, const jf_view* view, int32_t dimension,
                                int64_t here, int32_t other, int64_t there);

/* -- lend.c ---------------------------------------------------------------------------------------------- */

/* A tensor of what `in` tells of in the order of out: address, lengths, all strides. It borrows them from there. */
JF_API void jf_fill_tensor(jf_dltensor* tensor, uint64_t spec, int64_t* in);
/* A read-only nd-array with a copy of the elements, which the temps hold: the memory itself may go before whoever keeps the
 * array. Borrowed; NULL with ValueError or MemoryError set. */
JF_API jf_object* jf_copy_array(uint64_t spec, int64_t* in, jf_temps* temps);

/* An nd-array of the spec's element and rank that the temps hold, for parameter `index`, which comes back; *data is where its
 * elements are, all zero. Borrowed; NULL with ValueError or MemoryError. */
JF_API jf_object* jf_new_array(const jf_call_info* info, int32_t index, uint64_t spec, const int64_t* shape,
                               void** data, jf_temps* temps);
/* What comes back from a call: one value, or a tuple of several, goes to a null out-slot, or one that one of the views borrows.
 * -1 with MemoryError. */
JF_API int32_t jf_out_values(jf_value* out, const jf_view* views, int32_t count);

/* The parts of the tuple in a slot, `count` of them, borrowed from it. TypeError where there is no such tuple. */
JF_API int32_t jf_take_parts(const jf_call_info* info, const jf_value* slot, jf_view* parts, int32_t count);
/* Copies the array in a slot to what `in` tells of, as jf_fill_tensor takes it: of the same element, rank and lengths, or
 * TypeError or ValueError. */
JF_API int32_t jf_take_array(const jf_call_info* info, int32_t index, const jf_view* view, uint64_t spec, int64_t* in);

/* -- tensor.c -------------------------------------------------------------------------------------------- */

/* What words are asked for with: strides that are no whole elements are all that is wrong with a tensor's, where no order is
 * asked for. */
static inline uint64_t jf_tensor_spec_in_words(uint64_t spec) {
  return (uint32_t)spec | ((spec >> 24) & JF_SPEC_C_ORDER ? 0 : (uint64_t)UINT32_MAX << 32);
}
/* As jf_lift_array, of which a tensor takes the same, into `out` and what is behind it (jf_tensor_match). */
JF_API int32_t jf_lift_tensor(const jf_call_info* info, int32_t index, const jf_view* view, uint64_t spec,
                              jf_dltensor* out, jf_temps* temps);
/* New: the nd-array that a callee may keep of a tensor that it is lent. Of one that came in the slot `view` (or NULL) it is the
 * slot's, else a copy, read-only where the type is const; what is not on the CPU is that memory itself, which must not outlive the
 * call. `lengths`: those that it has to have, -1 for any; NULL: all are any. NULL with TypeError, ValueError or MemoryError. */
JF_API jf_object* jf_lend_tensor(const jf_call_info* info, int32_t index, const jf_view* view,
                                 const jf_dltensor* tensor, uint64_t spec, const int64_t* lengths);
/* Passes a tensor on: a handle, which counts as writable, or of a const type what jf_lend_tensor makes, held by temps. */
JF_API int32_t jf_lower_tensor(const jf_call_info* info, int32_t index, const jf_dltensor* tensor, uint64_t spec,
                               jf_view* view, jf_temps* temps);
/* New: the nd-array in a slot, or one on the memory of an object of another language. NULL with TypeError or ValueError. */
JF_API jf_object* jf_lift_tensor_result(const jf_call_info* info, int32_t index, const jf_view* view, uint64_t spec,
                                        const int64_t* lengths);
/* The same of an object that a C function has returned; steals it. */
JF_API jf_object* jf_take_tensor(const jf_call_info* info, jf_object* object, uint64_t spec, const int64_t* lengths);

/* -- filled.c -------------------------------------------------------------------------------------------- */

/* "expected at most 5, as 'x' has, got 7": what is given for the integer parameter `index`, the array `source` that says `there`
 * (-1: all such arrays are None), and whether it must be that. Its length. */
JF_API size_t jf_filled_words(const jf_call_info* info, int32_t index, int64_t given, int32_t source, int32_t exact,
                              int64_t there, char* buffer, size_t capacity);
/* "expected i32, got 3000000000 of 'x'": what fills in parameter `index` does not fit its type. */
JF_API size_t jf_beyond_words(const jf_call_info* info, int32_t index, int64_t there, int32_t source, char* buffer,
                              size_t capacity);
/* ValueError: parameter `index` of a packed call is not what the array `source` says; always -1. */
JF_API int32_t jf_refuse_filled(const jf_call_info* info, int32_t index, int64_t given, int32_t source, int32_t exact,
                                int64_t there);

#ifdef __cplusplus
}
#endif
#endif
