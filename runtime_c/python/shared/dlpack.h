/* DLPack's data types and devices as Python's values: new references, NULL with an exception. */
#ifndef JITFFI_PYTHON_DLPACK_H
#define JITFFI_PYTHON_DLPACK_H

#include "interpreter.h"
#include "jitffi/abi.h"

typedef struct {
  PyObject_HEAD jf_dtype value; /* generated code reads it */
  PyObject* text;               /* the canonical name; NULL until it is asked for */
} core_dtype;
typedef struct {
  PyObject_HEAD jf_device value; /* generated code reads it */
  PyObject* text;
} core_device;
extern PyTypeObject core_dtype_type, core_device_type; /* jitffi.DataType, jitffi.Device */
/* Of a subclass, too, whose objects native code gives back as the class's own. */
static inline int core_is_dtype(PyObject* object) { return PyObject_TypeCheck(object, &core_dtype_type); }
static inline int core_is_device(PyObject* object) { return PyObject_TypeCheck(object, &core_device_type); }
int core_dtype_init(PyObject* module);
int core_device_init(PyObject* module);
PyObject* core_box_dtype(jf_dtype value);
PyObject* core_dtype_numpy(jf_dtype value); /* NumPy's */
PyObject* core_box_device(jf_device value);
/* What an object says: *out, nothing of the kind, text that is no name; only with CORE_RAISED an exception is set. */
enum { CORE_FOUND, CORE_NOT_ONE, CORE_NO_NAME, CORE_RAISED };
int core_dtype_convert(PyObject* object, jf_dtype* out);
int core_device_convert(PyObject* object, jf_device* out);

#endif
