/* Machine code as a Python object: mapped when made, unmapped when the last Function that uses it dies. */
#include "code.h"
#include "error.h"
#include "hooks.h"
#include "jitffi/runtime.h"
#include "parts.h"
#include "unwind.h"

typedef struct {
  PyObject_HEAD void* address;
  Py_ssize_t size;
  void* frames;  /* what describes its frame, registered with the unwinder; NULL */
  char immortal; /* native code may be inside it when the last Function dies: never unmapped */
  PyObject* weakrefs;
} core_code;

/* Code(bytes, immortal=False, frames=0): at `frames` begins what describes its frame to the unwinder. */
static PyObject* code_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  static char* names[] = {"bytes", "immortal", "frames", NULL};
  const char* bytes;
  Py_ssize_t size, frames = 0;
  int immortal = 0;
  if (!PyArg_ParseTupleAndKeywords(args, kwargs, "y#|pn", names, &bytes, &size, &immortal, &frames)) return NULL;
  if (frames < 0 || frames > size) return PyErr_Format(PyExc_ValueError, "frames at %zd of %zd bytes", frames, size);
  core_code* code = (core_code*)type->tp_alloc(type, 0);
  if (!code) return NULL;
  code->size = size;
  code->immortal = (char)immortal;
  code->address = jf_code_map(bytes, (size_t)size);
  if (!code->address) {
    core_error_raise_object(jf_error_take());
    Py_CLEAR(code);
  } else if (frames && core_frames_register((char*)code->address + frames)) {
    code->frames = (char*)code->address + frames;
  }
  return (PyObject*)code;
}

static void code_dealloc(PyObject* self) {
  core_code* code = (core_code*)self;
  if (code->weakrefs) PyObject_ClearWeakRefs(self);
  if (code->address && !code->immortal) {
    if (code->frames) core_frames_deregister(code->frames);
    jf_code_unmap(code->address, (size_t)code->size);
  }
  Py_TYPE(self)->tp_free(self);
}

static PyObject* get_address(PyObject* self, void* closure) {
  (void)closure;
  return PyLong_FromVoidPtr(((core_code*)self)->address);
}

static PyMemberDef members[] = {
    {"size", T_PYSSIZET, offsetof(core_code, size), READONLY, NULL},
    {NULL, 0, 0, 0, NULL},
};

static PyGetSetDef getset[] = {
    {"address", get_address, NULL, NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyTypeObject core_code_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi._core.Code",
    .tp_basicsize = sizeof(core_code),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = code_new,
    .tp_dealloc = code_dealloc,
    .tp_members = members,
    .tp_getset = getset,
    .tp_weaklistoffset = offsetof(core_code, weakrefs),
};

/* Adds Code to the module; -1 with an exception set on failure. */
int core_code_init(PyObject* module) {
  if (core_type_ready(&core_code_type) < 0) return -1;
  return PyModule_AddObject(module, "Code", Py_NewRef((PyObject*)&core_code_type));
}
