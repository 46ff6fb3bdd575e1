/* Generated code told to a debugger, by the interface that gdb and lldb know (GDB manual, "JIT Compilation Interface"): a list of object
 * files in memory, and a function that is called when it has changed, where the debugger stops. */
#include "parts.h"

typedef struct jit_code_entry {
  struct jit_code_entry *next, *previous;
  const char* file;
  uint64_t size;
  PyObject* bytes; /* ours: the file */
} jit_code_entry;

struct jit_descriptor {
  uint32_t version;
  uint32_t action; /* 1: an entry is new; 2: one goes */
  jit_code_entry* relevant;
  jit_code_entry* first;
};

__attribute__((visibility("default"))) void __jit_debug_register_code(void);
__attribute__((visibility("default"))) extern struct jit_descriptor __jit_debug_descriptor;

__attribute__((noinline)) void __jit_debug_register_code(void) { __asm__ volatile("" ::: "memory"); }
struct jit_descriptor __jit_debug_descriptor = {1, 0, NULL, NULL};

static void tell(jit_code_entry* entry, uint32_t action) {
  __jit_debug_descriptor.relevant = entry;
  __jit_debug_descriptor.action = action;
  __jit_debug_register_code();
}

static void forget(PyObject* capsule) {
  jit_code_entry* entry = PyCapsule_GetPointer(capsule, NULL);
  *(entry->previous ? &entry->previous->next : &__jit_debug_descriptor.first) = entry->next;
  if (entry->next) entry->next->previous = entry->previous;
  tell(entry, 2);
  Py_DECREF(entry->bytes);
  free(entry);
}

/* show_debugger(file): as long as what it returns lives. */
static PyObject* show_debugger(PyObject* module, PyObject* file) {
  (void)module;
  if (!PyBytes_Check(file)) return PyErr_Format(PyExc_TypeError, "expected bytes, got %s", Py_TYPE(file)->tp_name);
  jit_code_entry* entry = calloc(1, sizeof *entry);
  if (!entry) return PyErr_NoMemory();
  entry->bytes = Py_NewRef(file);
  entry->file = PyBytes_AS_STRING(file);
  entry->size = (uint64_t)PyBytes_GET_SIZE(file);
  entry->next = __jit_debug_descriptor.first;
  if (entry->next) entry->next->previous = entry;
  __jit_debug_descriptor.first = entry;
  tell(entry, 1);
  return PyCapsule_New(entry, NULL, forget);
}

static PyMethodDef methods[] = {{"show_debugger", show_debugger, METH_O, NULL}, {NULL, NULL, 0, NULL}};

/* Adds show_debugger to the module; -1 with an exception set on failure. */
int core_debugger_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
