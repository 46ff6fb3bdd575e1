/* Calls of variants that better code is being made for: broken off and begun again, where nothing has changed. */
#include "script_quick.h"

#include "build.h"
#include "hooks.h"
#include "jitffi/runtime.h"
#include "parts.h"

#include <time.h>

static CORE_THREAD_LOCAL core_quick_call* innermost;

void core_quick_begin(core_quick_call* call, const core_variant* variant) {
  *call = (core_quick_call){.outer = innermost};
  /* What has to do with Python's objects may call scripts that are no part of it, and whose loops would be asked. */
  if (variant->quick != NULL && variant->repeats && !variant->python)
    call->quick = (core_quick*)Py_NewRef((PyObject*)variant->quick);
  innermost = call;
}

int core_quick_breaks_off(void) {
  core_quick_call* call = innermost;
  if (call == NULL || call->quick == NULL) return 0;
  if (__atomic_load_n(&call->quick->state, __ATOMIC_ACQUIRE) != CORE_QUICK_READY) return 0;
  call->breaks_off = 1; /* the script ends with this: what can be repeated and handles errors is not asked, see begin */
  jf_error_set("SystemError", "jitffi: a call that begins again was not begun again");
  return 1;
}

int core_quick_was_broken_off(void) {
  if (innermost == NULL || !innermost->breaks_off) return 0;
  jf_object_release(jf_error_take());
  return 1;
}

/* Till the code is in its place, or is known not to come. */
static void wait_for(const core_quick* quick) {
  const struct timespec pause = {0, 100 * 1000};
  Py_BEGIN_ALLOW_THREADS;
  while (__atomic_load_n(&quick->state, __ATOMIC_ACQUIRE) == CORE_QUICK_READY) nanosleep(&pause, NULL);
  Py_END_ALLOW_THREADS;
}

int core_quick_end(core_quick_call* call) {
  innermost = call->outer;
  if (call->quick == NULL) return 0;
  if (call->breaks_off) wait_for(call->quick);
  Py_DECREF(call->quick);
  return call->breaks_off;
}

/* -- Python's side --------------------------------------------------------------------------------------------------- */

static PyObject* end(PyObject* self, PyObject* ignored) {
  (void)ignored;
  __atomic_store_n(&((core_quick*)self)->state, CORE_QUICK_ENDED, __ATOMIC_RELEASE);
  Py_RETURN_NONE;
}

static PyObject* has_ended(PyObject* self, PyObject* ignored) {
  (void)ignored;
  return PyBool_FromLong(__atomic_load_n(&((core_quick*)self)->state, __ATOMIC_ACQUIRE) == CORE_QUICK_ENDED);
}

static PyMethodDef quick_methods[] = {
    {"end", end, METH_NOARGS, NULL},
    {"has_ended", has_ended, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static void quick_dealloc(PyObject* self) {
  Py_XDECREF(((core_quick*)self)->text);
  Py_TYPE(self)->tp_free(self);
}

static PyTypeObject quick_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi._core.Quick",
    .tp_basicsize = sizeof(core_quick),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = PyType_GenericNew,
    .tp_dealloc = quick_dealloc,
    .tp_methods = quick_methods,
};

int core_is_quick(PyObject* object) { return Py_TYPE(object) == &quick_type; }

/* Adds Quick to the module; -1 with an exception set on failure. */
int core_script_quick_init(PyObject* module) {
  if (core_type_ready(&quick_type) < 0) return -1;
  return PyModule_AddObject(module, "Quick", Py_NewRef((PyObject*)&quick_type));
}
