/* The module's functions of arrays. */
#include "interpreter.h"
#include "ndarray_object.h"
#include "parts.h"

PyDoc_STRVAR(
    from_dlpack_doc,
    "from_dlpack($module, x, /, *, device=None, copy=None)\n--\n\n"
    "An NDArray of the memory of *x*, an array of another package (NumPy, torch, JAX, CuPy, on whatever device) or\n"
    "a capsule of DLPack's, which keeps it alive. *device* is where it has to be: BufferError where it is not, and "
    "*x*\n"
    "makes no copy there. With copy=True the elements are copied, on the CPU by jitffi.\n\n"
    ">>> import jitffi, numpy\n"
    ">>> numbers = numpy.arange(4.0)\n"
    ">>> a = jitffi.from_dlpack(numbers)\n"
    ">>> a[1] = 7\n"
    ">>> numbers\n"
    "array([0., 7., 2., 3.])");

static PyMethodDef methods[] = {
    {"from_dlpack", (PyCFunction)(void (*)(void))core_from_dlpack, METH_VARARGS | METH_KEYWORDS, from_dlpack_doc},
    {NULL, NULL, 0, NULL},
};

int core_arrays_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
