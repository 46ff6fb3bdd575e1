/* Arrays by `__array__(copy=False)` (NumPy reference, "The __array__() method"): whatever gives NumPy an array without a copy, as
 * a Series of pandas does.
 */
#include "array.h"
#include "numpy_array.h"
#include "unbox.h"

/* A method that does not know `copy` may make one, and what C writes there would be lost: then it is no array. */
int core_read_array_method(PyObject* object, core_array* out, jf_temps* temps) {
  PyObject* method = PyObject_GetAttrString(object, "__array__");
  if (method == NULL) {
    if (!PyErr_ExceptionMatches(PyExc_AttributeError)) return -1;
    PyErr_Clear();
    return 0;
  }
  PyObject* names = Py_BuildValue("(s)", "copy");
  PyObject* no_copy[1] = {Py_False};
  PyObject* array = names != NULL ? PyObject_Vectorcall(method, no_copy, 0, names) : NULL;
  Py_XDECREF(names);
  Py_DECREF(method);
  if (array != NULL) return core_keep_python(temps, array) == 0 ? core_numpy_read(array, out) : -1;
  if (!PyErr_ExceptionMatches(PyExc_TypeError)) return -1;
  PyErr_Clear();
  return 0;
}
