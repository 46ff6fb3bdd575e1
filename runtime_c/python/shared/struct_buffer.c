/* The bytes of an instance as a buffer: of one item, the struct, where a format is asked for, else of bytes. */
#include "struct.h"

static int get_buffer(core_struct* s, Py_buffer* view, int flags) {
  const int is_const = core_struct_is_const(s);
  view->obj = NULL;
  if ((flags & PyBUF_WRITABLE) && is_const) return core_struct_check_writable(s);
  return PyBuffer_FillInfo(view, (PyObject*)s, s->data, core_struct_bytes(s), is_const, flags);
}

PyBufferProcs core_struct_buffer = {(getbufferproc)get_buffer, NULL};
