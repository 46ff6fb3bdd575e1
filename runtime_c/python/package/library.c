/* Shared libraries: open, look up, close. */
#include <dlfcn.h>
#ifdef __linux__
#include <link.h>
#endif
#include <sys/stat.h>

#include "code.h"
#include "hooks.h"
#include "parts.h"

typedef struct {
  PyObject_HEAD void* handle;
} core_library;

static PyTypeObject library_type;

/* Library(path or None): OSError with the loader's own words */
static PyObject* library_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* path;
  if (kwargs && PyDict_GET_SIZE(kwargs)) return PyErr_Format(PyExc_TypeError, "Library takes no keyword arguments");
  if (!PyArg_ParseTuple(args, "O", &path)) return NULL;
  PyObject* encoded = NULL;
  if (path != Py_None && !PyUnicode_FSConverter(path, &encoded)) return NULL;
  core_library* library = (core_library*)type->tp_alloc(type, 0);
  if (library) {
    const char* name = encoded ? PyBytes_AS_STRING(encoded) : NULL;
    struct stat status;
    /* The loader would wait for who writes into a FIFO. For a directory it has words of its own. */
    if (name && strchr(name, '/') && stat(name, &status) == 0 && !S_ISREG(status.st_mode) && !S_ISDIR(status.st_mode)) {
      PyErr_Format(PyExc_OSError, "%S: is no regular file", path);
      Py_DECREF(library);
      Py_DECREF(encoded);
      return NULL;
    }
    Py_BEGIN_ALLOW_THREADS; /* constructors run */
    library->handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    Py_END_ALLOW_THREADS;
    if (!library->handle) {
      PyObject* reason = PyUnicode_DecodeFSDefault(dlerror()); /* it quotes the path, whatever bytes that has */
      if (reason) PyErr_SetObject(PyExc_OSError, reason);
      Py_XDECREF(reason);
      Py_CLEAR(library);
    }
  }
  Py_XDECREF(encoded);
  return (PyObject*)library;
}

#if PY_VERSION_HEX >= 0x030D0000
#define finalizing() Py_IsFinalizing()
#else
#define finalizing() _Py_IsFinalizing()
#endif

/* Not while the interpreter ends: threads of the library's own may still run in it, and the process takes it along. */
static void library_dealloc(PyObject* self) {
  core_library* library = (core_library*)self;
  if (library->handle && !finalizing()) dlclose(library->handle);
  Py_TYPE(self)->tp_free(self);
}

/* dlopen's handle, the library's own; NULL with TypeError. */
void* core_library_handle(PyObject* library) {
  if (Py_TYPE(library) == &library_type) return ((core_library*)library)->handle;
  return PyErr_Format(PyExc_TypeError, "expected a Library, got %s", Py_TYPE(library)->tp_name);
}

void* core_library_symbol(void* handle, const char* name) { return dlsym(handle, name); }

/* The symbol's address, or None; bytes that are no UTF-8 are in the name as surrogates. */
static PyObject* find(PyObject* self, PyObject* name, void* (*look_up)(void* handle, const char* name)) {
  if (!PyUnicode_Check(name)) return PyErr_Format(PyExc_TypeError, "a symbol's name is a str");
  PyObject* bytes = PyUnicode_AsEncodedString(name, "utf-8", "surrogateescape");
  if (!bytes) return NULL;
  const char* text = PyBytes_AS_STRING(bytes);
  /* With a NUL inside it is the name of no symbol. */
  const int is_whole = strlen(text) == (size_t)PyBytes_GET_SIZE(bytes);
  void* address = is_whole ? look_up(((core_library*)self)->handle, text) : NULL;
  Py_DECREF(bytes);
  if (!address) Py_RETURN_NONE;
  return PyLong_FromVoidPtr(address);
}

/* An executable that names a variable of a library can have a copy of it (ELF, R_*_COPY), and then the library's own code uses
 * that, too. */
static void* find_data(void* handle, const char* name) {
  void* own = dlsym(handle, name);
#ifdef __GLIBC__
  void* copy = own ? dlsym(RTLD_DEFAULT, name) : NULL;
  Dl_info info;
  struct link_map* map = NULL;
  if (copy && copy != own && dladdr1(copy, &info, (void**)&map, RTLD_DL_LINKMAP) && map && !map->l_prev) return copy;
#endif
  return own;
}

static PyObject* library_find(PyObject* self, PyObject* name) { return find(self, name, core_library_symbol); }

static PyObject* library_find_variable(PyObject* self, PyObject* name) { return find(self, name, find_data); }

static PyMethodDef library_methods[] = {
    {"find", library_find, METH_O, NULL},
    {"find_variable", library_find_variable, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

static PyTypeObject library_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi._core.Library",
    .tp_basicsize = sizeof(core_library),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = library_new,
    .tp_dealloc = library_dealloc,
    .tp_methods = library_methods,
};

/* Adds Library to the module; -1 with an exception set on failure. */
int core_library_init(PyObject* module) {
  if (core_type_ready(&library_type) < 0) return -1;
  return PyModule_AddObject(module, "Library", Py_NewRef((PyObject*)&library_type));
}
