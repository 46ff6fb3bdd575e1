/* Linked code in memory: mapped writable, filled, then sealed part by part, never writable and executable at once; its
 * constructors run, and its destructors when it goes, or when the process ends.
 *
 * Destructors are registered with the C library under the image's own address as `dso_handle` (Itanium C++ ABI, 3.3.6.3),
 * as the loader does for a shared library: so those of C++ objects, of the image and of everybody else run in the right
 * order in either case.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "parts.h"
#include "unwind.h"

int __cxa_atexit(void (*function)(void*), void* argument, void* dso_handle);
#if defined(__GLIBC__)
void __cxa_finalize(void* dso_handle);
#endif

/* What the destructors need: not a Python object, since the process may end long after the interpreter. */
typedef struct {
  size_t count;
  void (*functions[])(void);
} destructors;

typedef struct {
  PyObject_HEAD char* memory;
  size_t size;
  char* frames; /* registered with the unwinder, or NULL */
  int started;
  PyObject* kept; /* libraries that the code refers to */
} image;

static size_t rounded(size_t size) {
  const size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return (size + page - 1) & ~(page - 1);
}

/* Image(size) */
static PyObject* image_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  Py_ssize_t size;
  if (kwargs && PyDict_GET_SIZE(kwargs)) return PyErr_Format(PyExc_TypeError, "Image takes no keyword arguments");
  if (!PyArg_ParseTuple(args, "n", &size)) return NULL;
  if (size <= 0 || size > PY_SSIZE_T_MAX / 2) return PyErr_NoMemory();
  image* self = (image*)type->tp_alloc(type, 0);
  if (!self) return NULL;
  self->size = rounded((size_t)size);
  void* memory = mmap(NULL, self->size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    Py_DECREF(self);
    return PyErr_NoMemory();
  }
  self->memory = memory;
  return (PyObject*)self;
}

/* write(offset, bytes): before seal */
static PyObject* image_write(PyObject* object, PyObject* args) {
  image* self = (image*)object;
  Py_ssize_t offset;
  Py_buffer bytes;
  if (!PyArg_ParseTuple(args, "ny*", &offset, &bytes)) return NULL;
  const int fits =
      !self->started && offset >= 0 && (size_t)offset <= self->size && (size_t)bytes.len <= self->size - (size_t)offset;
  if (fits) memcpy(self->memory + offset, bytes.buf, (size_t)bytes.len);
  PyBuffer_Release(&bytes);
  if (!fits) return PyErr_Format(PyExc_ValueError, "%zd bytes at %zd are not in the image", bytes.len, offset);
  Py_RETURN_NONE;
}

/* seal(start, end, executable): whole pages */
static PyObject* image_seal(PyObject* object, PyObject* args) {
  image* self = (image*)object;
  Py_ssize_t start, end;
  int executable;
  if (!PyArg_ParseTuple(args, "nnp", &start, &end, &executable)) return NULL;
  if (start < 0 || end < start || (size_t)end > self->size || rounded((size_t)start) != (size_t)start)
    return PyErr_Format(PyExc_ValueError, "%zd to %zd are not pages of the image", start, end);
  if (start == end) Py_RETURN_NONE;
  const size_t size = rounded((size_t)(end - start));
  if (mprotect(self->memory + start, size, executable ? PROT_READ | PROT_EXEC : PROT_READ) != 0)
    return PyErr_SetFromErrno(PyExc_OSError);
  if (executable) __builtin___clear_cache(self->memory + start, self->memory + start + size);
  Py_RETURN_NONE;
}

/* keep(object): as long as the code is there, destructors included */
static PyObject* image_keep(PyObject* object, PyObject* kept) {
  Py_XSETREF(((image*)object)->kept, Py_NewRef(kept));
  Py_RETURN_NONE;
}

/* -- unwinding ------------------------------------------------------------------------------------------------------ */

static void register_frames(image* self, char* frames) {
  if (core_frames_register(frames)) self->frames = frames;
}

/* -- constructors and destructors ----------------------------------------------------------------------------------- */

static void destruct(void* argument) {
  destructors* all = argument;
  for (size_t i = all->count; i > 0; i--) all->functions[i - 1]();
  free(all);
}

/* New: the addresses in a list of ints; NULL with an exception. */
static destructors* read_addresses(PyObject* list) {
  const Py_ssize_t count = PyList_GET_SIZE(list);
  destructors* read = malloc(sizeof *read + (size_t)count * sizeof read->functions[0]);
  if (!read) return PyErr_NoMemory(), NULL;
  read->count = (size_t)count;
  for (Py_ssize_t i = 0; i < count; i++) {
    void* address = PyLong_AsVoidPtr(PyList_GET_ITEM(list, i));
    memcpy(&read->functions[i], &address, sizeof address);
  }
  if (!PyErr_Occurred()) return read;
  free(read);
  return NULL;
}

typedef void (*constructor)(int argc, char** argv, char** environment);

/* start(constructors, destructors, frames): addresses, the destructors in the order of the constructors; frames is the
 * offset of what describes the frames of the code, or -1. */
static PyObject* image_start(PyObject* object, PyObject* args) {
  extern char** environ;
  image* self = (image*)object;
  PyObject *first, *last;
  Py_ssize_t frames;
  static char* no_arguments[] = {NULL};
  if (!PyArg_ParseTuple(args, "O!O!n", &PyList_Type, &first, &PyList_Type, &last, &frames)) return NULL;
  if (self->started) return PyErr_Format(PyExc_ValueError, "the image was started before");
  destructors* begin = read_addresses(first);
  destructors* end = begin ? read_addresses(last) : NULL;
  if (!end || __cxa_atexit(destruct, end, self->memory) != 0) {
    free(begin);
    free(end);
    return PyErr_Occurred() ? NULL : PyErr_NoMemory();
  }
  self->started = 1;
  if (frames >= 0) register_frames(self, self->memory + frames);
  Py_BEGIN_ALLOW_THREADS;
  for (size_t i = 0; i < begin->count; i++) {
    constructor run;
    memcpy(&run, &begin->functions[i], sizeof run);
    run(0, no_arguments, environ);
  }
  Py_END_ALLOW_THREADS;
  free(begin);
  Py_RETURN_NONE;
}

#if PY_VERSION_HEX >= 0x030D0000
#define finalizing() Py_IsFinalizing()
#else
#define finalizing() _Py_IsFinalizing()
#endif

/* Destructors of a C library that cannot run some of them early, musl's, run at the end, and the code stays for them, as
 * its loader leaves libraries where they are. */
static void stop(image* self) {
#if defined(__GLIBC__)
  if (self->started) {
    Py_BEGIN_ALLOW_THREADS; /* as constructors do, they may wait for other threads */
    __cxa_finalize(self->memory);
    if (self->frames) core_frames_deregister(self->frames);
    Py_END_ALLOW_THREADS;
  }
  munmap(self->memory, self->size);
#else
  if (!self->started) munmap(self->memory, self->size);
#endif
}

/* Not while the interpreter ends: other threads may be in the code, and the process takes it along. */
static void image_dealloc(PyObject* object) {
  image* self = (image*)object;
  if (self->memory && !finalizing()) {
    PyObject *type, *value, *traceback; /* no exception of the caller's goes into the destructors */
    PyErr_Fetch(&type, &value, &traceback);
    stop(self);
    Py_XDECREF(self->kept);
    PyErr_Restore(type, value, traceback);
  }
  Py_TYPE(object)->tp_free(object);
}

static PyObject* get_address(PyObject* self, void* closure) {
  (void)closure;
  return PyLong_FromVoidPtr(((image*)self)->memory);
}

static PyObject* get_size(PyObject* self, void* closure) {
  (void)closure;
  return PyLong_FromSize_t(((image*)self)->size);
}

static PyMethodDef image_methods[] = {
    {"write", image_write, METH_VARARGS, NULL},
    {"seal", image_seal, METH_VARARGS, NULL},
    {"start", image_start, METH_VARARGS, NULL},
    {"keep", image_keep, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef image_getset[] = {
    {"address", get_address, NULL, NULL, NULL},
    {"size", get_size, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

static PyTypeObject image_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi._core.Image",
    .tp_basicsize = sizeof(image),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = image_new,
    .tp_dealloc = image_dealloc,
    .tp_methods = image_methods,
    .tp_getset = image_getset,
};

int core_is_image(PyObject* object) { return Py_IS_TYPE(object, &image_type); }

/* Adds Image to the module; -1 with an exception set on failure. */
int core_image_init(PyObject* module) {
  if (PyType_Ready(&image_type) < 0) return -1;
  return PyModule_AddObjectRef(module, "Image", (PyObject*)&image_type);
}
