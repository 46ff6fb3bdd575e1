/* NumPy's arrays by their fields, without NumPy's headers: what its C interface (NumPy reference, "Python types and C-structures")
 * has kept in place from 1.x to 2.x.
 */
#ifndef JITFFI_PYTHON_NUMPY_ARRAY_H
#define JITFFI_PYTHON_NUMPY_ARRAY_H

#include "array.h"

/* The elements that have one dtype object each in NumPy, in the order of `core_numpy`; by the names that signatures have. */
#define CORE_NUMPY_ELEMENTS(X)                \
  X(i8, "int8")                               \
  X(i16, "int16")                             \
  X(i32, "int32")                             \
  X(i64, "int64")                             \
  X(u8, "uint8")                              \
  X(u16, "uint16")                            \
  X(u32, "uint32")                            \
  X(u64, "uint64")                            \
  X(f16, "float16")                           \
  X(f32, "float32")                           \
  X(f64, "float64")                           \
  X(bool, "bool")                             \
  X(c64, "complex64")                         \
  X(c128, "complex128")                       \
  X(bf16, "bfloat16")                         \
  X(float8_e3m4, "float8_e3m4")               \
  X(float8_e4m3, "float8_e4m3")               \
  X(float8_e4m3b11fnuz, "float8_e4m3b11fnuz") \
  X(float8_e4m3fn, "float8_e4m3fn")           \
  X(float8_e4m3fnuz, "float8_e4m3fnuz")       \
  X(float8_e5m2, "float8_e5m2")               \
  X(float8_e5m2fnuz, "float8_e5m2fnuz")       \
  X(float8_e8m0fnu, "float8_e8m0fnu")
#define CORE_NUMPY_ENUM(name, text) CORE_NUMPY_##name,
enum { CORE_NUMPY_ELEMENTS(CORE_NUMPY_ENUM) CORE_NUMPY_COUNT };

/* What generated code compares an array's class and dtype with. NULL until such an array has been seen, so that nothing is
 * equal; the dtypes are one of those that NumPy has for an element: `l` and `q` are two, though of one size. Never freed. */
typedef struct {
  PyTypeObject* ndarray;
  PyObject* descr[CORE_NUMPY_COUNT];
} core_numpy_types;
extern core_numpy_types core_numpy;

/* PyArrayObject_fields (numpy/ndarraytypes.h). */
typedef struct {
  PyObject header;
  void* data;
  int nd;
  int64_t* dimensions;
  int64_t* strides; /* in bytes */
  PyObject* base;
  PyObject* descr;
  int flags;
} core_ndarray;
enum { CORE_NDARRAY_C = 1, CORE_NDARRAY_F = 2, CORE_NDARRAY_ALIGNED = 0x100, CORE_NDARRAY_WRITEABLE = 0x400 };

/* 1: an ndarray, or of a class derived from it that leaves the buffer protocol as it is; *out borrows from it. 0: none, or one
 * whose fields are not where they should be. Runs no code of the user, sets no exception. */
int core_numpy_read(PyObject* object, core_array* out);
/* One of NumPy's scalars, which offer buffers as arrays do: 1 or 0. Sets no exception. */
int core_is_numpy_scalar(PyObject* object);

#endif
