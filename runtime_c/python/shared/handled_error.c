/* Errors that native code catches, as the exceptions that Python sees meanwhile.
 *
 *   except clause of a script  --show-->  sys.exc_info() of what it calls, and the context of what that raises
 *
 * An exception is made once for an error, which is its host exception from then on: everybody sees the same object.
 */
#include "error.h"
#include "gil.h"
#include "host_object.h"

/* Takes the lock where this thread has not got it: 1 or 0 for `give_back`, -1 where the interpreter is gone. */
static int take_lock(PyGILState_STATE* state) {
  if (!Py_IsInitialized()) return -1;
  if (core_has_gil()) return 0;
  *state = PyGILState_Ensure();
  return 1;
}

static void give_back(int taken, PyGILState_STATE state) {
  if (taken == 1) PyGILState_Release(state);
}

/* Where Python keeps what this thread is handling. */
static PyObject** handled_place(void) { return &PyThreadState_Get()->exc_info->exc_value; }

/* New: what is being handled, here or further out; NULL for nothing. */
static PyObject* handled_now(void) {
  PyObject* found = PyErr_GetHandledException();
  if (found == Py_None) Py_CLEAR(found);
  return found;
}

/* `exception` was raised while `context` was handled, which is stolen: as `raise` sets it, without cycles. */
static void set_context(PyObject* exception, PyObject* context) {
  if (context == NULL || context == exception) {
    Py_XDECREF(context);
    return;
  }
  PyObject* at = Py_NewRef(context);
  PyObject* slow = Py_NewRef(context);
  for (int odd = 0; at != NULL; odd = !odd) {
    PyObject* next = PyException_GetContext(at);
    if (next == exception) PyException_SetContext(at, NULL);
    Py_SETREF(at, next);
    if (at == exception || at == slow) break;
    if (odd) Py_SETREF(slow, PyException_GetContext(slow));
  }
  Py_XDECREF(at);
  Py_XDECREF(slow);
  PyException_SetContext(exception, context);
}

/* The lines that the error has passed since become entries of the exception's traceback. */
static void add_lines(jf_error* error, PyObject* exception) {
  if (error->traceback == NULL) return;
  core_error_restore(Py_NewRef(exception));
  core_traceback_add(error->traceback->data, error->traceback->size);
  Py_XDECREF(core_error_fetch());
  if (error->header.deleter == NULL) return;
  jf_object_release((jf_object*)error->traceback);
  error->traceback = NULL;
}

PyObject* core_error_settled(jf_object* object) {
  jf_error* error = (jf_error*)object;
  PyObject* exception = Py_XNewRef(core_host_get(error->host));
  if (exception == NULL) {
    const int is_first = jf_error_context(object) == NULL;
    exception = core_error_new_exception(object);
    if (exception == NULL) return NULL;
    if (is_first) set_context(exception, handled_now());
    jf_object* host = object->deleter != NULL ? core_host_new(exception) : NULL; /* not of static ones: MemoryError */
    PyErr_Clear();
    if (host != NULL) {
      jf_object* before = error->host;
      error->host = host;
      jf_object_release(before);
    }
  }
  add_lines(error, exception);
  return exception;
}

/* -- what catching code asks ------------------------------------------------------------------------------------------ */

static int32_t is_a(const jf_object* object, const char* name) {
  PyGILState_STATE state = PyGILState_UNLOCKED;
  const int taken = take_lock(&state);
  if (taken < 0) return 0;
  const jf_error* error = (const jf_error*)object;
  PyObject* base = PyObject_GetAttrString(PyImport_AddModule("builtins"), name);
  PyObject* exception = core_host_get(error->host);
  PyObject* kind = exception == NULL ? core_error_field(error->kind) : NULL;
  PyObject* class = kind != NULL ? core_error_class(kind) : NULL;
  int32_t found = 0;
  if (base != NULL && exception != NULL) found = PyErr_GivenExceptionMatches(exception, base);
  if (base != NULL && class != NULL) found = PyErr_GivenExceptionMatches(class, base);
  PyErr_Clear();
  Py_XDECREF(class);
  Py_XDECREF(kind);
  Py_XDECREF(base);
  give_back(taken, state);
  return found;
}

/* From the outermost on, so that each has the next one as its context. */
static void show_each(jf_handled* handled) {
  while (!handled->is_shown) {
    jf_handled* next = handled;
    while (next->outer != NULL && !next->outer->is_shown) next = next->outer;
    PyObject* exception = core_error_settled(jf_handled_error(next));
    PyErr_Clear();
    PyObject** place = handled_place();
    next->before = *place;
    *place = exception;
    next->is_shown = 1;
  }
}

static void show(jf_handled* innermost) {
  PyGILState_STATE state = PyGILState_UNLOCKED;
  const int taken = take_lock(&state);
  if (taken < 0) return;
  show_each(innermost);
  give_back(taken, state);
}

static void hide(jf_handled* handled) {
  PyGILState_STATE state = PyGILState_UNLOCKED;
  const int taken = take_lock(&state);
  if (taken < 0) return;
  PyObject** place = handled_place();
  PyObject* shown = *place;
  *place = handled->before;
  Py_XDECREF(shown);
  give_back(taken, state);
}

static jf_object* handled(void) {
  PyGILState_STATE state = PyGILState_UNLOCKED;
  const int taken = take_lock(&state);
  if (taken < 0) return NULL;
  PyObject* exception = handled_now();
  jf_object* found = exception != NULL ? core_error_object_of(exception) : NULL;
  PyErr_Clear();
  Py_XDECREF(exception);
  give_back(taken, state);
  return found;
}

void core_show_handled(void) {
  jf_handled* innermost = jf_handled_innermost();
  if (innermost != NULL && !innermost->is_shown) show_each(innermost);
}

static const jf_host_errors errors = {is_a, show, hide, handled};

void core_handled_error_init(void) { jf_set_host_errors(&errors); }
