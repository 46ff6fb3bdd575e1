/* Generated code told to a debugger, by the interface that gdb and lldb know (GDB manual, "JIT Compilation Interface"): a list of object
 * files in memory, and a function that is called when it has changed, where the debugger stops. */
#include "unwind.h"

typedef struct jit_code_entry {
  struct jit_code_entry *next, *previous;
  const char* file;
  uint64_t size;
} jit_code_entry;

struct jit_descriptor {
  uint32_t version;
  uint32_t action; /* 1: an entry is new */
  jit_code_entry* relevant;
  jit_code_entry* first;
};

__attribute__((visibility("default"))) void __jit_debug_register_code(void);
__attribute__((visibility("default"))) extern struct jit_descriptor __jit_debug_descriptor;

__attribute__((noinline)) void __jit_debug_register_code(void) { __asm__ volatile("" ::: "memory"); }
struct jit_descriptor __jit_debug_descriptor = {1, 0, NULL, NULL};

/* show_debugger(file): for ever, as the code that it is of. */
static PyObject* show_debugger(PyObject* module, PyObject* file) {
  (void)module;
  if (!PyBytes_Check(file)) return PyErr_Format(PyExc_TypeError, "expected bytes, got %s", Py_TYPE(file)->tp_name);
  jit_code_entry* entry = calloc(1, sizeof *entry);
  if (!entry) return PyErr_NoMemory();
  entry->file = PyBytes_AS_STRING(Py_NewRef(file));
  entry->size = (uint64_t)PyBytes_GET_SIZE(file);
  entry->next = __jit_debug_descriptor.first;
  if (entry->next) entry->next->previous = entry;
  __jit_debug_descriptor.first = __jit_debug_descriptor.relevant = entry;
  __jit_debug_descriptor.action = 1;
  __jit_debug_register_code();
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {{"show_debugger", show_debugger, METH_O, NULL}, {NULL, NULL, 0, NULL}};

/* Adds show_debugger to the module; -1 with an exception set on failure. */
int core_debugger_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
