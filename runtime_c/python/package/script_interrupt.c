/* Ctrl-C in a running script: what its loops ask now and then, and the KeyboardInterrupt that they end with. They also end where
 * the call is to begin again in better code (script_quick.h).
 *
 * Signal handlers of Python's run between two of its instructions, and a script has none. Only the handler that raises
 * KeyboardInterrupt is stood in for here: it touches nothing. Any other may change the lists and maps that the script is
 * reading from, so it waits until the script returns or calls into Python.
 */
#include <signal.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#if defined(__linux__)
#include <sys/syscall.h>
#endif

#include "error.h"
#include "gil.h"
#include "parts.h"
#include "script.h"
#include "script_quick.h"

/* Nanoseconds between two looks by a script that runs without the interpreter's lock, which each look takes. */
enum { PAUSE = 20 * 1000 * 1000 };

int core_is_main_thread(void) {
#if defined(__linux__)
  return syscall(SYS_gettid) == getpid();
#else
  return 1;
#endif
}

/* Whether that long has passed since the main thread looked, which alone asks. */
static int is_time(void) {
  static int64_t last;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  const int64_t time = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
  if (time - last < PAUSE) return 0;
  last = time;
  return 1;
}

/* Whether SIGINT is handled by signal.default_int_handler. Needs the GIL; -1 with an exception. */
static int handler_raises(void) {
  PyObject* module = PyImport_ImportModule("_signal");
  PyObject* handler = module != NULL ? PyObject_CallMethod(module, "getsignal", "i", SIGINT) : NULL;
  PyObject* usual = handler != NULL ? PyObject_GetAttrString(module, "default_int_handler") : NULL;
  const int same = usual != NULL ? handler == usual : -1;
  Py_XDECREF(usual);
  Py_XDECREF(handler);
  Py_XDECREF(module);
  return same;
}

/* Needs the GIL. 0, or -1 with the last error set. */
static int32_t look(void) {
  if (!PyOS_InterruptOccurred()) return 0; /* which takes it back */
  const int raises = handler_raises();
  if (raises == 0) {
    PyErr_SetInterruptEx(SIGINT);
    return 0;
  }
  if (raises > 0) PyErr_SetNone(PyExc_KeyboardInterrupt);
  core_error_from_python();
  return -1;
}

static int32_t interrupted(void) {
  if (core_quick_breaks_off()) return -1;
  if (core_has_gil()) return look();
  if (!core_is_main_thread() || !is_time() || !Py_IsInitialized()) return 0;
  PyGILState_STATE state = PyGILState_Ensure();
  const int32_t status = look();
  PyGILState_Release(state);
  return status;
}

/* script_interrupt(address): of jf_set_interrupt, which learns what to ask. */
static PyObject* script_interrupt(PyObject* module, PyObject* address) {
  (void)module;
  void* entry = PyLong_AsVoidPtr(address);
  if (entry == NULL) return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "expected an address");
  void (*set)(int32_t (*)(void));
  memcpy(&set, &entry, sizeof set);
  set(interrupted);
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"script_interrupt", script_interrupt, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

int core_script_interrupt_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
