/* Python objects that native ones hold: host objects, what containers ask of them, and references dropped without the GIL.
 *
 * Equality, hash, order, text and truth are Python's own. An exception becomes the thread's last error and is raised
 * again, the same object, by whoever comes back to Python.
 */
#include <stdatomic.h>
#include <stdlib.h>

#include "borrow.h"
#include "box.h"
#include "effect.h"
#include "error.h"
#include "gil.h"
#include "handle.h"
#include "host_object.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "pointer.h"
#include "unbox.h"

/* -- host objects ------------------------------------------------------------------------------------------- */

static const char host_owner; /* its address tells our host objects from those of another embedder */

static void host_delete(jf_object* object) {
  core_decref_anywhere(((jf_host_object*)object)->handle);
  jf_object_free(object);
}

/* New; holds a reference to object. NULL with an exception. */
jf_object* core_host_new(PyObject* object) {
  jf_object* host = jf_host_object_new(&host_owner, object, host_delete);
  if (host != NULL)
    Py_INCREF(object);
  else
    core_error_raise(NULL);
  return host;
}

/* Borrowed; NULL, also for a NULL object, when it is not ours. */
PyObject* core_host_get(const jf_object* object) {
  if (object == NULL || object->type_code != JF_HOST_OBJECT) return NULL;
  const jf_host_object* host = (const jf_host_object*)object;
  return host->owner == &host_owner ? host->handle : NULL;
}

/* -- what containers ask ------------------------------------------------------------------------------------ */

typedef struct {
  int taken;
  PyGILState_STATE state;
} lock_taken;

uint64_t core_host_operations;

/* Takes the GIL where this thread has not got it. -1 with the last error set when there is no interpreter any more. */
static int enter(lock_taken* lock) {
  lock->taken = 0;
  if (!Py_IsInitialized()) {
    jf_error_set("RuntimeError", "a Python object was asked after the interpreter's end");
    return -1;
  }
  if (!core_has_gil()) {
    lock->state = PyGILState_Ensure();
    lock->taken = 1;
  }
  core_show_handled();
  return 0;
}

/* Makes the exception that `status` below 0 stands for the last error, and gives the lock back. Returns status. */
static int32_t leave(const lock_taken* lock, int status) {
  if (status < 0) core_error_from_python();
  if (lock->taken) PyGILState_Release(lock->state);
  return status;
}

static int32_t host_compare(const jf_any* a, const jf_any* b, int32_t operation, int32_t* result) {
  _Static_assert(
      JF_LT == Py_LT && JF_LE == Py_LE && JF_EQ == Py_EQ && JF_NE == Py_NE && JF_GT == Py_GT && JF_GE == Py_GE,
      "Python's numbers");
  lock_taken lock;
  if (enter(&lock) != 0) return -1;
  PyObject* left = core_box_view(a);
  PyObject* right = left != NULL ? core_box_view(b) : NULL;
  if (right != NULL) core_count_effects(left, right);
  int status = right != NULL ? PyObject_RichCompareBool(left, right, operation) : -1;
  Py_XDECREF(left);
  Py_XDECREF(right);
  if (status >= 0) *result = status;
  return leave(&lock, status < 0 ? -1 : 0);
}

static int32_t host_equal(const jf_any* a, const jf_any* b) {
  int32_t result = 0;
  return host_compare(a, b, JF_EQ, &result) == 0 ? result : -1;
}

static int32_t host_hash(jf_object* object, uint64_t* hash) {
  lock_taken lock;
  if (enter(&lock) != 0) return -1;
  core_host_operations++;
  PyObject* host = core_box_object(object);
  Py_hash_t value = host != NULL ? PyObject_Hash(host) : -1;
  Py_XDECREF(host);
  *hash = (uint64_t)value;
  return leave(&lock, value == -1 && PyErr_Occurred() ? -1 : 0);
}

static int32_t host_repr(jf_object* object, jf_value* out) {
  lock_taken lock;
  if (enter(&lock) != 0) return -1;
  PyObject* host = core_box_object(object);
  if (host != NULL) core_count_effect(host);
  PyObject* text = host != NULL ? PyObject_Repr(host) : NULL;
  PyObject* utf8 = text != NULL ? PyUnicode_AsEncodedString(text, "utf-8", "backslashreplace") : NULL;
  int failed = utf8 != NULL && jf_out_str(out, PyBytes_AS_STRING(utf8), (size_t)PyBytes_GET_SIZE(utf8)) != 0;
  int raised = utf8 == NULL;
  Py_XDECREF(host);
  Py_XDECREF(text);
  Py_XDECREF(utf8);
  if (leave(&lock, raised ? -1 : 0) != 0) return -1;
  return failed ? -1 : 0;
}

/* str(value), or format(value, *spec), of what Python makes of a value: lone surrogates are an error, as everywhere. */
static int32_t write_text(const jf_any* value, const jf_span* spec, jf_value* out) {
  lock_taken lock;
  const int32_t capacity = jf_out_capacity(out);
  *out = (jf_any){JF_NULL, 0, {0}};
  if (enter(&lock) != 0) return -1;
  PyObject* object = core_box_view(value);
  if (object != NULL) core_count_effect(object);
  PyObject* wanted = spec != NULL ? core_box_str(spec->data, spec->size) : NULL;
  PyObject* text = NULL;
  if (object != NULL && spec == NULL) text = PyObject_Str(object);
  if (object != NULL && wanted != NULL) text = PyObject_Format(object, wanted);
  Py_ssize_t size = 0;
  const char* utf8 = text != NULL ? PyUnicode_AsUTF8AndSize(text, &size) : NULL;
  int failed = 0;
  if (utf8 != NULL) {
    jf_out_init(out, capacity);
    failed = jf_out_str(out, utf8, (size_t)size) != 0;
  }
  const int raised = utf8 == NULL;
  Py_XDECREF(object);
  Py_XDECREF(wanted);
  Py_XDECREF(text);
  if (leave(&lock, raised ? -1 : 0) != 0) return -1;
  return failed ? -1 : 0;
}

static int32_t host_truth(jf_object* object) {
  lock_taken lock;
  if (enter(&lock) != 0) return -1;
  core_host_operations++;
  PyObject* host = core_host_get(object);
  return leave(&lock, host != NULL ? PyObject_IsTrue(host) : 1);
}

/* Python's collector sees what Python objects refer to. That there is a function makes containers of Python objects known to
 * the finder of cycles, which is how their wrappers know that there is something to show the collector. */
static int32_t host_traverse(jf_object* object, int32_t (*visit)(jf_object* child, void* context), void* context) {
  (void)object;
  (void)visit;
  (void)context;
  return 0;
}

/* A Python callable becomes another function object each time that it is converted: they are equal as the callables are. */
static int32_t function_equal(const jf_any* a, const jf_any* b) {
  if (a->type_code != JF_FUNCTION || b->type_code != JF_FUNCTION) return 0;
  lock_taken lock;
  if (a->v_object == b->v_object) return 1;
  if (enter(&lock) != 0) return -1;
  PyObject* left = Py_XNewRef(core_function_identity(a->v_object));
  PyObject* right = Py_XNewRef(core_function_identity(b->v_object));
  int status = left != NULL && right != NULL ? PyObject_RichCompareBool(left, right, Py_EQ) : 0;
  Py_XDECREF(left);
  Py_XDECREF(right);
  return leave(&lock, status);
}

static int32_t function_hash(jf_object* object, uint64_t* hash) {
  lock_taken lock;
  if (enter(&lock) != 0) return -1;
  PyObject* identity = Py_XNewRef(core_function_identity(object));
  Py_hash_t value = identity != NULL ? PyObject_Hash(identity) : (Py_hash_t)((uintptr_t)object >> 4);
  Py_XDECREF(identity);
  *hash = (uint64_t)value;
  return leave(&lock, value == -1 && PyErr_Occurred() ? -1 : 0);
}

/* What Python calls the class of what a host object or a function stands for. */
static int32_t host_name(const jf_object* object, char* buffer, size_t capacity) {
  lock_taken lock;
  if (!Py_IsInitialized() || enter(&lock) != 0) return 0;
  PyObject* host = core_host_get(object);
  if (host == NULL && object->type_code == JF_FUNCTION) host = core_function_identity(object);
  if (host != NULL) PyOS_snprintf(buffer, capacity, "%s", Py_TYPE(host)->tp_name);
  (void)leave(&lock, 0);
  return host != NULL;
}

/* 0 in place of -1 where what has refused is the object's own C code, as NumPy's arrays do: it is no such value. What
 * Python code raises is its user's. */
static int refused(int status) {
  if (status >= 0 || !PyErr_ExceptionMatches(PyExc_TypeError)) return status;
  PyObject* exception = core_error_fetch();
  PyObject* traceback = PyException_GetTraceback(exception);
  if (traceback == NULL) {
    Py_DECREF(exception);
    return 0;
  }
  Py_DECREF(traceback);
  core_error_restore(exception);
  return status;
}

/* As a parameter of a number, of bytes, of an error or of a struct takes it from Python: by __index__, by __float__, as a buffer, as
 * an exception, which is new. A refusal is the caller's to tell, with the parameter's name. */
static int32_t host_read(jf_object* object, int32_t code, jf_any* out, jf_span* span, jf_temps* temps) {
  lock_taken lock;
  if (enter(&lock) != 0) return -1;
  PyObject* host = core_host_get(object);
  *out = (jf_any){.type_code = code};
  int status = host != NULL ? 1 : 0;
  if (status != 0 && code == JF_INT) {
    PyObject* number = core_as_int(host);
    status = number != NULL ? 1 : PyErr_Occurred() ? -1 : 0;
    if (number != NULL && core_set_int(number, out) != 0) status = -1;
    Py_XDECREF(number);
  } else if (status != 0 && code == JF_FLOAT) {
    status = core_is_number(host) ? 1 : 0;
    if (status != 0 && core_unbox_scalar(NULL, 0, host, JF_KIND_F64, &out->v_int64) != 0) status = -1;
  } else if (status != 0 && code == JF_ERROR) {
    out->v_object = PyExceptionInstance_Check(host) ? core_error_object_of(host) : NULL;
    status = out->v_object != NULL ? 1 : PyErr_Occurred() ? -1 : 0;
  } else if (status != 0 && code >= JF_FIRST_DYNAMIC) {
    out->v_handle = core_structs != NULL ? core_structs->lent(host, code) : NULL;
    status = out->v_handle != NULL;
  } else if (status != 0) {
    status = PyObject_CheckBuffer(host) ? 1 : 0;
    if (status != 0 && core_unbox_bytes(NULL, 0, host, span, temps) != 0) status = -1;
  }
  return leave(&lock, refused(status));
}

static const jf_type_operations function_operations = {
    .equal = function_equal, .hash = function_hash, .repr = host_repr, .traverse = host_traverse};

static const jf_type_operations array_operations = {.repr = host_repr};

const jf_type_operations core_python_operations = {.equal = host_equal,
                                                   .hash = host_hash,
                                                   .compare = host_compare,
                                                   .repr = host_repr,
                                                   .truth = host_truth,
                                                   .traverse = host_traverse};

/* 0, or -1 with an exception. */
int core_host_init(PyObject* module) {
  (void)module;
  if (jf_type_get_operations(JF_HOST_OBJECT) != NULL) return 0;
  jf_set_type_namer(host_name);
  jf_set_host_reader(host_read);
  jf_set_text_writer(write_text);
  core_handled_error_init();
  jf_set_sort_version(PY_MAJOR_VERSION * 100 + PY_MINOR_VERSION);
  if (jf_type_set_operations(JF_HOST_OBJECT, &core_python_operations) == 0 &&
      jf_type_set_operations(JF_NDARRAY, &array_operations) == 0 &&
      jf_type_set_operations(JF_FUNCTION, &function_operations) == 0)
    return 0;
  core_error_raise(NULL);
  return -1;
}

/* -- references dropped without the GIL --------------------------------------------------------------------- */

typedef struct dropped dropped;
struct dropped {
  dropped* next;
  PyObject* object; /* or NULL, and */
  jf_object* native;
};

/* Threads push one at a time, who holds the GIL takes the whole list: no node is ever popped alone, so there is no
 * ABA. A child of fork has the list as it was, and drops its own copies. */
static _Atomic(dropped*) dropped_list;

static int drain_when_pending(void* unused) {
  (void)unused;
  core_drain_decrefs();
  return 0;
}

/* Needs the GIL. Destructors run here; they may drop more. */
void core_drain_decrefs(void) {
  if (atomic_load_explicit(&dropped_list, memory_order_relaxed) == NULL) return;
  dropped* list = atomic_exchange_explicit(&dropped_list, NULL, memory_order_acquire);
  while (list != NULL) {
    dropped* next = list->next;
    Py_XDECREF(list->object);
    jf_object_release(list->native);
    free(list);
    list = next;
  }
}

static void push(PyObject* object, jf_object* native) {
  dropped* node = malloc(sizeof *node);
  if (node == NULL) return;
  node->object = object;
  node->native = native;
  node->next = atomic_load_explicit(&dropped_list, memory_order_relaxed);
  while (!atomic_compare_exchange_weak_explicit(&dropped_list, &node->next, node, memory_order_release,
                                                memory_order_relaxed)) {
  }
  /* One call takes the whole list, so only the first node asks for one. When the queue is full the GIL's next
   * taker drains. */
  if (node->next == NULL) (void)Py_AddPendingCall(drain_when_pending, NULL);
}

/* Steals the reference. Without the GIL the list is drained on the main thread, or by whoever takes the GIL next
 * through us. Once the interpreter is being taken down there is nobody left to do it, and without memory for the
 * node no way: the reference then leaks. */
void core_decref_anywhere(PyObject* object) {
  if (object == NULL || !Py_IsInitialized()) return;
  if (core_has_gil())
    Py_DECREF(object);
  else
    push(object, NULL);
}

void core_release_later(jf_object* object) { push(NULL, object); }
