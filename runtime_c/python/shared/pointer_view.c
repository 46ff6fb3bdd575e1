/* Many items behind a pointer: as a buffer, as a NumPy array, as text.
 *
 * NumPy's arrays let go of a buffer when they have its address, and keep the exporter instead (numpy.ndarray's argument
 * `buffer`). So an array gets an exporter of its own, which counts as a view for as long as it lives.
 */
#include "dlpack.h"
#include "hooks.h"
#include "pointer.h"
#include "unbox.h"

#include <string.h>

static char nothing[1]; /* memory of no size has an address, too */

/* -- buffers ----------------------------------------------------------------------------------------------------------- */

static int fill_buffer(PyObject* exporter, core_pointer* p, Py_ssize_t size, int is_writable, Py_buffer* view,
                       int flags) {
  if ((flags & PyBUF_WRITABLE) && !is_writable) {
    PyErr_Format(PyExc_BufferError, "%U: the items are const", p->type->text);
    return -1;
  }
  *view = (Py_buffer){.buf = p->address != NULL ? p->address : nothing,
                      .obj = Py_NewRef(exporter),
                      .len = size,
                      .itemsize = 1,
                      .readonly = !is_writable,
                      .ndim = 1};
  return 0;
}

static int pointer_get_buffer(core_pointer* p, Py_buffer* view, int flags) {
  view->obj = NULL;
  if (core_pointer_check_open(p) != 0) return -1;
  if (p->length < 0 || p->type->dtype.lanes == 0) {
    PyErr_Format(PyExc_BufferError, "%U: %s", p->type->text,
                 p->length < 0 ? "the length is not known" : "the items are no numbers");
    return -1;
  }
  if ((flags & PyBUF_FORMAT) && p->type->format == NULL) {
    PyErr_Format(PyExc_BufferError, "%U: buffers have no format for %U", p->type->text, p->type->item_text);
    return -1;
  }
  if (fill_buffer((PyObject*)p, p, p->length * p->type->size, !p->type->is_const, view, flags) != 0) return -1;
  view->itemsize = p->type->size;
  if (flags & PyBUF_FORMAT) view->format = (char*)(uintptr_t)p->type->format;
  if (flags & PyBUF_ND) view->shape = &p->length;
  if ((flags & PyBUF_STRIDES) == PyBUF_STRIDES) view->strides = &view->itemsize;
  core_owned_count(p->owner, 1);
  return 0;
}

static void pointer_release_buffer(core_pointer* p, Py_buffer* view) {
  (void)view;
  core_owned_count(p->owner, -1);
}

PyBufferProcs core_pointer_buffer = {(getbufferproc)pointer_get_buffer, (releasebufferproc)pointer_release_buffer};

/* -- the exporter of an array ------------------------------------------------------------------------------------------- */

typedef struct {
  PyObject_HEAD core_pointer* pointer;
  Py_ssize_t size;
} array_memory;

static void memory_dealloc(array_memory* m) {
  core_owned_count(m->pointer->owner, -1);
  Py_DECREF(m->pointer);
  Py_TYPE(m)->tp_free(m);
}

static int memory_get_buffer(array_memory* m, Py_buffer* view, int flags) {
  view->obj = NULL;
  return fill_buffer((PyObject*)m, m->pointer, m->size, !m->pointer->type->is_const, view, flags);
}

static PyBufferProcs memory_buffer = {(getbufferproc)memory_get_buffer, NULL};

static PyTypeObject memory_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.ArrayMemory",
    .tp_doc = "What an array of a Pointer keeps.",
    .tp_basicsize = sizeof(array_memory),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_dealloc = (destructor)memory_dealloc,
    .tp_as_buffer = &memory_buffer,
};

int core_pointer_view_init(void) { return core_type_ready(&memory_type); }

PyObject* core_pointer_memory(core_pointer* p, Py_ssize_t size) {
  array_memory* m = PyObject_New(array_memory, &memory_type);
  if (m == NULL) return NULL;
  m->pointer = (core_pointer*)Py_NewRef((PyObject*)p);
  m->size = size;
  core_owned_count(p->owner, 1);
  return (PyObject*)m;
}

/* -- NumPy ------------------------------------------------------------------------------------------------------------ */

PyObject* core_pointee_numpy(const core_pointee* type) {
  core_pointee* known = (core_pointee*)(uintptr_t)type;
  if (type->kind == CORE_TO_STRUCT) return core_pointee_complete(type) == 0 ? core_structs->numpy(type->info) : NULL;
  if (type->dtype.lanes == 0)
    return PyErr_Format(PyExc_TypeError, "%U: NumPy has no arrays of %U", type->text, type->item_text);
  if (known->numpy == NULL) {
    PyObject* made = core_dtype_numpy(type->dtype);
    if (made == NULL) return NULL;
    Py_XSETREF(known->numpy, made);
  }
  return Py_NewRef(known->numpy);
}

/* The product of the lengths, or -1 with an exception. */
static Py_ssize_t count_of(const core_pointer* p, PyObject* shape) {
  Py_ssize_t count = 1;
  int is_too_large = 0, is_empty = 0;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(shape); i++) {
    const Py_ssize_t length = PyNumber_AsSsize_t(PyTuple_GET_ITEM(shape, i), PyExc_OverflowError);
    if (length == -1 && PyErr_Occurred()) return -1;
    if (length < 0) {
      PyErr_Format(PyExc_ValueError, "%U: an array has no length %zd", p->type->text, length);
      return -1;
    }
    is_empty |= length == 0;
    is_too_large |= __builtin_mul_overflow(count, length, &count);
  }
  if (is_empty) return 0;
  if (!is_too_large && count <= PY_SSIZE_T_MAX / p->type->size) return count;
  PyErr_Format(PyExc_ValueError, "%U: no memory has so many items", p->type->text);
  return -1;
}

/* New tuple of exact ints: what has been counted is what NumPy reads. */
static PyObject* shape_of(const core_pointer* p, PyObject* args) {
  if (PyTuple_GET_SIZE(args) == 0) {
    if (p->length >= 0) return Py_BuildValue("(n)", p->length);
    return PyErr_Format(PyExc_ValueError, "%U: the length is not known: give .array() a shape", p->type->text);
  }
  PyObject* first = PyTuple_GET_ITEM(args, 0);
  PyObject* given = PyTuple_GET_SIZE(args) == 1 && !PyIndex_Check(first) ? PySequence_Tuple(first) : Py_NewRef(args);
  PyObject* shape = given != NULL ? PyTuple_New(PyTuple_GET_SIZE(given)) : NULL;
  for (Py_ssize_t i = 0; shape != NULL && i < PyTuple_GET_SIZE(given); i++) {
    PyObject* length = PyNumber_Index(PyTuple_GET_ITEM(given, i));
    if (length != NULL)
      PyTuple_SET_ITEM(shape, i, length);
    else
      Py_CLEAR(shape);
  }
  Py_XDECREF(given);
  return shape;
}

/* New array; `count` has been checked. */
static PyObject* make_array(core_pointer* p, PyObject* shape, Py_ssize_t count) {
  PyObject* numpy = PyImport_ImportModule("numpy");
  PyObject* dtype = numpy != NULL ? core_pointee_numpy(p->type) : NULL;
  PyObject* array = NULL;
  if (dtype != NULL && core_pointer_check(p) == 0) { /* importing may have run anything */
    PyObject* memory = core_pointer_memory(p, count * p->type->size);
    if (memory != NULL) array = PyObject_CallMethod(numpy, "ndarray", "OOO", shape, dtype, memory);
    Py_XDECREF(memory);
  }
  Py_XDECREF(numpy);
  Py_XDECREF(dtype);
  return array;
}

PyObject* core_pointer_array(PyObject* self, PyObject* args) {
  core_pointer* p = (core_pointer*)self;
  if (core_pointee_complete(p->type) != 0) return NULL;
  if (p->type->dtype.lanes == 0 && p->type->kind != CORE_TO_STRUCT) return core_pointee_numpy(p->type);
  PyObject* shape = shape_of(p, args);
  const Py_ssize_t count = shape != NULL ? count_of(p, shape) : -1;
  PyObject* array = NULL;
  if (count > p->length && p->length >= 0)
    PyErr_Format(PyExc_ValueError, "%U: the length is %zd, the array would have %zd items", p->type->text, p->length,
                 count);
  else if (count >= 0)
    array = make_array(p, shape, count);
  Py_XDECREF(shape);
  return array;
}

/* -- text -------------------------------------------------------------------------------------------------------------- */

/* `size` as the caller gives it, -1 for none; -2 with an exception. */
static Py_ssize_t read_size(const core_pointer* p, PyObject* args, PyObject* keywords) {
  static char* names[] = {"size", NULL};
  PyObject* given = Py_None;
  if (!PyArg_ParseTupleAndKeywords(args, keywords, "|O:text", names, &given)) return -2;
  if (given == Py_None) return p->room;
  const Py_ssize_t size = PyNumber_AsSsize_t(given, PyExc_OverflowError);
  if (size == -1 && PyErr_Occurred()) return -2;
  if (size >= 0 && (p->room < 0 || size <= p->room)) return size;
  if (size < 0)
    PyErr_Format(PyExc_ValueError, "%U: a text has no size %zd", p->type->text, size);
  else
    PyErr_Format(PyExc_IndexError, "%U: size %zd is out of range: the length is %zd", p->type->text, size, p->room);
  return -2;
}

PyObject* core_pointer_text(PyObject* self, PyObject* args, PyObject* keywords) {
  const core_pointer* p = (core_pointer*)self;
  if (p->type->kind != CORE_TO_NUMBER || (p->type->scalar != JF_KIND_I8 && p->type->scalar != JF_KIND_U8))
    return PyErr_Format(PyExc_TypeError, "%U: text is behind pointers to i8 and u8", p->type->text);
  const Py_ssize_t most = read_size(p, args, keywords);
  if (most == -2 || core_pointer_check(p) != 0) return NULL;
  const size_t size = most >= 0 ? strnlen(p->address, (size_t)most) : strlen(p->address);
  return PyUnicode_DecodeUTF8(p->address, (Py_ssize_t)size, "strict");
}
