/* `_core.count_allocations(function)`: what one call of a Python function asks of the runtime's allocator.
 *
 * While it runs, the runtime's hook is ours: malloc and free as before, and counters beside them. The blocks are malloc's
 * own, without a header, so that each can be freed whether it is from before, from meanwhile, or freed afterwards; how large
 * one is that is freed malloc itself is asked. The hook uses no context and can be put in and taken out while other threads
 * allocate (see jf_set_allocator); what they allocate is counted, too. It allocates nothing: its counters are static.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "jitffi/runtime.h"
#include "parts.h"

#if defined(__APPLE__)
#include <malloc/malloc.h>
#define usable_size malloc_size
#else
#include <malloc.h>
#define usable_size malloc_usable_size
#endif

static struct {
  _Atomic uint64_t allocations, bytes;
  _Atomic int64_t in_use, peak; /* as malloc rounds sizes; from 0 at the start, so in_use may be negative */
} counters;

static int is_counting; /* under the interpreter's lock */

#define RELAXED memory_order_relaxed
#define ADD(counter, more) atomic_fetch_add_explicit(&(counter), (more), RELAXED)

static void* count_allocate(size_t size, void* context) {
  (void)context;
  void* memory = malloc(size);
  if (!memory) return NULL;
  ADD(counters.allocations, 1);
  ADD(counters.bytes, size);
  const int64_t rounded = (int64_t)usable_size(memory);
  const int64_t now = ADD(counters.in_use, rounded) + rounded;
  int64_t peak = atomic_load_explicit(&counters.peak, RELAXED);
  while (now > peak && !atomic_compare_exchange_weak_explicit(&counters.peak, &peak, now, RELAXED, RELAXED)) continue;
  return memory;
}

static void count_deallocate(void* memory, void* context) {
  (void)context;
  ADD(counters.in_use, -(int64_t)usable_size(memory));
  free(memory);
}

/* -1 with an exception: it is counting already, or another allocator stands. */
static int start(void) {
  void* (*allocate)(size_t, void*);
  void (*deallocate)(void*, void*);
  void* context;
  jf_get_allocator(&allocate, &deallocate, &context);
  if (is_counting || allocate || deallocate) {
    PyErr_SetString(PyExc_RuntimeError, is_counting
                                            ? "allocations are being counted already; a count cannot contain another"
                                            : "allocations cannot be counted while another allocator is set "
                                              "(jf_set_allocator): whose blocks are whose is not known");
    return -1;
  }
  memset(&counters, 0, sizeof counters);
  is_counting = 1;
  jf_set_allocator(count_allocate, count_deallocate, NULL);
  return 0;
}

/* An allocator that was set meanwhile stays. */
static void stop(void) {
  void* (*allocate)(size_t, void*);
  void (*deallocate)(void*, void*);
  void* context;
  jf_get_allocator(&allocate, &deallocate, &context);
  if (allocate == count_allocate) jf_set_allocator(NULL, NULL, NULL);
}

/* count_allocations(function) -> (allocations, bytes, peak) */
static PyObject* count_allocations(PyObject* module, PyObject* function) {
  (void)module;
  if (start() < 0) return NULL;
  PyObject* result = PyObject_CallNoArgs(function);
  const int failed = !result;
  Py_XDECREF(result); /* what it holds is released as part of the call; finalizers keep an exception that is set */
  stop();
  PyObject* counts = failed ? NULL
                            : Py_BuildValue("KKL", (unsigned long long)counters.allocations,
                                            (unsigned long long)counters.bytes, (long long)counters.peak);
  is_counting = 0; /* the counters have been read */
  return counts;
}

static PyMethodDef functions[] = {
    {"count_allocations", count_allocations, METH_O,
     "count_allocations(function)\n--\n\nCall it, and return what it asks of the runtime's allocator:\n"
     "(allocations, bytes, peak)."},
    {NULL, NULL, 0, NULL},
};

/* Adds the function to the module; -1 with an exception set on failure. */
int core_counting_init(PyObject* module) { return PyModule_AddFunctions(module, functions); }
