/* Views that borrow from Python objects, for methods of wrapper objects. */
#ifndef JITFFI_PYTHON_BORROW_H
#define JITFFI_PYTHON_BORROW_H

#include "interpreter.h"
#include "jitffi/runtime.h"

typedef struct {
  jf_view view; /* good while the Python object and this struct stay where they are */
  jf_span span;
  jf_object* owned; /* what was made for it */
  PyObject* kept;
} core_borrowed;
/* As core_unbox_any, but errors name no function, and nothing is allocated for None, bool, int, float, ASCII str, bytes and
 * wrappers. 0, or -1 with an exception and nothing to be done; else core_borrowed_done gives back what it holds. User code
 * (__index__ and its like) may run. */
int core_borrow(PyObject* object, core_borrowed* borrowed);
int core_set_int(PyObject* number, jf_any* out);   /* an int (subclass) as int or uint; -1 with OverflowError */
int core_set_numpy(PyObject* object, jf_any* out); /* 1: a NumPy scalar, 0: none, -1: exception */
PyObject* core_utf8_of(PyObject* text); /* new bytes; a str's own UTF-8 cache is left alone; UnicodeEncodeError */
static inline void core_borrowed_done(core_borrowed* borrowed) {
  if (borrowed->owned != NULL) jf_object_release(borrowed->owned);
  Py_XDECREF(borrowed->kept);
}

#endif
