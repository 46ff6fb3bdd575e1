/* LLVM's passes and code generator at level 2 on a thread of its own, which never has the interpreter's lock: a script that holds
 * that may run for minutes. By functions of llvmlite's library, whose addresses Python gives; modules have contexts of their own,
 * and the thread its own target machine, so it does not wait for whoever else uses LLVM.
 */
#include "parts.h"
#include "script_quick.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

typedef struct {
  void* (*context_create)(void);
  void (*context_dispose)(void* context);
  void* (*parse_assembly)(void* context, const char* text, const char** error);
  void (*dispose_module)(void* module);
  void* (*create_pass_builder)(void* machine, void* tuning);
  void (*dispose_pass_builder)(void* builder);
  void* (*build_pipeline)(void* builder, int level);
  void (*run_passes)(void* manager, void* module, void* builder);
  void (*dispose_passes)(void* manager);
  void* (*emit)(void* machine, void* module, int is_object, const char** error);
  const char* (*buffer_start)(void* buffer);
  size_t (*buffer_size)(void* buffer);
  void (*dispose_buffer)(void* buffer);
  void (*dispose_string)(const char* text);
} llvm_functions;

/* In the order of the members. */
static const char* const names[] = {
    "ContextCreate",
    "ContextDispose",
    "ParseAssembly",
    "DisposeModule",
    "CreatePassBuilder",
    "DisposePassBuilder",
    "buildPerModuleDefaultPipeline",
    "RunNewModulePassManager",
    "DisposeNewModulePassManger",
    "TargetMachineEmitToMemory",
    "GetBufferStart",
    "GetBufferSize",
    "DisposeMemoryBuffer",
    "DisposeString",
};
enum { LEVEL = 2, NUM_NAMES = sizeof names / sizeof names[0] };

/* The buffer with the object file; NULL with *error, which is LLVM's, or NULL. */
static void* compile(const llvm_functions* llvm, void* machine, void* tuning, const char* text, const char** error) {
  void *context = llvm->context_create(), *made = NULL;
  void* module = llvm->parse_assembly(context, text, error);
  if (module != NULL) {
    void* builder = llvm->create_pass_builder(machine, tuning);
    void* passes = llvm->build_pipeline(builder, LEVEL);
    llvm->run_passes(passes, module, builder);
    llvm->dispose_passes(passes);
    llvm->dispose_pass_builder(builder);
    made = llvm->emit(machine, module, 1, error);
    llvm->dispose_module(module);
  }
  llvm->context_dispose(context);
  return made;
}

/* -- the thread, which ends when there is nothing left -------------------------------------------------------------------- */

enum { STACK = 16 << 20 }; /* LLVM goes deep */

static struct {
  pthread_mutex_t lock;
  pthread_cond_t changed;
  core_quick *queue, *done; /* newest first: what was asked for last is made first, since calls of it are waiting */
  int is_alive;             /* there is a thread */
  int is_inside;            /* it is in LLVM */
  int holds;                /* it is to stay out of it: forks, and the end */
  llvm_functions llvm;
  void *machine, *tuning;
} apart = {.lock = PTHREAD_MUTEX_INITIALIZER, .changed = PTHREAD_COND_INITIALIZER};

static core_quick* pop(core_quick** list) {
  core_quick* found = *list;
  if (found != NULL) *list = found->next;
  return found;
}

static void* work(void* ignored) {
  (void)ignored;
  pthread_mutex_lock(&apart.lock);
  for (;;) {
    while (apart.holds != 0 && apart.queue != NULL) pthread_cond_wait(&apart.changed, &apart.lock);
    core_quick* quick = pop(&apart.queue);
    if (quick == NULL) break;
    apart.is_inside = 1;
    pthread_mutex_unlock(&apart.lock);
    const char* error = NULL;
    quick->buffer = compile(&apart.llvm, apart.machine, apart.tuning, PyBytes_AS_STRING(quick->text), &error);
    if (quick->buffer == NULL && error != NULL) apart.llvm.dispose_string(error);
    pthread_mutex_lock(&apart.lock);
    apart.is_inside = 0;
    quick->next = apart.done;
    apart.done = quick;
    int32_t running = CORE_QUICK_RUNNING; /* else nobody will install it */
    __atomic_compare_exchange_n(&quick->state, &running, CORE_QUICK_READY, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    pthread_cond_broadcast(&apart.changed);
  }
  apart.is_alive = 0;
  pthread_cond_broadcast(&apart.changed);
  pthread_mutex_unlock(&apart.lock);
  return NULL;
}

/* With the lock. 0, or what pthread_create says. */
static int start(void) {
  pthread_t thread;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
  pthread_attr_setstacksize(&attributes, STACK);
  const int status = pthread_create(&thread, &attributes, work, NULL);
  pthread_attr_destroy(&attributes);
  apart.is_alive = status == 0;
  return status;
}

/* -- Python's side --------------------------------------------------------------------------------------------------------- */

/* set_apart(addresses of APART_NAMES, machine, tuning) */
static PyObject* set_apart(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *addresses, *machine, *tuning;
  if (!PyArg_ParseTuple(args, "O!O!O!", &PyTuple_Type, &addresses, &PyLong_Type, &machine, &PyLong_Type, &tuning))
    return NULL;
  if (PyTuple_GET_SIZE(addresses) != NUM_NAMES) return PyErr_Format(PyExc_TypeError, "expected one address a name");
  void* found[NUM_NAMES];
  for (int i = 0; i < NUM_NAMES; i++) found[i] = PyLong_AsVoidPtr(PyTuple_GET_ITEM(addresses, i));
  apart.machine = PyLong_AsVoidPtr(machine);
  apart.tuning = PyLong_AsVoidPtr(tuning);
  if (PyErr_Occurred()) return NULL;
  _Static_assert(sizeof apart.llvm == sizeof found, "one name a function");
  memcpy(&apart.llvm, found, sizeof found);
  Py_RETURN_NONE;
}

/* compile_apart(quick, text): the thread is to compile it; OSError where there can be no thread. */
static PyObject* compile_apart(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *object, *text;
  if (!PyArg_ParseTuple(args, "OS", &object, &text)) return NULL;
  if (!core_is_quick(object)) return PyErr_Format(PyExc_TypeError, "expected a Quick");
  core_quick* quick = (core_quick*)Py_NewRef(object);
  Py_XSETREF(quick->text, Py_NewRef(text));
  pthread_mutex_lock(&apart.lock);
  quick->next = apart.queue;
  apart.queue = quick;
  const int status = apart.is_alive ? 0 : start();
  if (status != 0) pop(&apart.queue);
  pthread_mutex_unlock(&apart.lock);
  if (status == 0) Py_RETURN_NONE;
  Py_DECREF(object);
  errno = status;
  return PyErr_SetFromErrno(PyExc_OSError);
}

static PyObject* taken(core_quick* quick) {
  void* const buffer = quick->buffer;
  if (buffer == NULL) return Py_BuildValue("OO", quick, Py_None);
  const char* start = apart.llvm.buffer_start(buffer);
  PyObject* made = Py_BuildValue("Oy#", quick, start, (Py_ssize_t)apart.llvm.buffer_size(buffer));
  apart.llvm.dispose_buffer(buffer);
  quick->buffer = NULL;
  return made;
}

/* A list of (Quick, object file or None) of those in the list, whose references it takes. */
static PyObject* list_of(core_quick* first) {
  PyObject* list = PyList_New(0);
  for (core_quick *each = first, *next; each != NULL; each = next) {
    next = each->next;
    Py_CLEAR(each->text);
    PyObject* pair = taken(each);
    if (list != NULL && (pair == NULL || PyList_Append(list, pair) != 0)) Py_CLEAR(list);
    Py_XDECREF(pair);
    Py_DECREF(each);
  }
  return list;
}

/* take_compiled(): waits for what is done; empty: nothing more comes. */
static PyObject* take_compiled(PyObject* module, PyObject* ignored) {
  (void)module;
  (void)ignored;
  core_quick* done;
  Py_BEGIN_ALLOW_THREADS;
  pthread_mutex_lock(&apart.lock);
  while (apart.done == NULL && apart.is_alive) pthread_cond_wait(&apart.changed, &apart.lock);
  done = apart.done;
  apart.done = NULL;
  pthread_mutex_unlock(&apart.lock);
  Py_END_ALLOW_THREADS;
  return list_of(done);
}

/* forget_apart(): those in the queue, which is empty then, as take_compiled has them. */
static PyObject* forget_apart(PyObject* module, PyObject* ignored) {
  (void)module;
  (void)ignored;
  pthread_mutex_lock(&apart.lock);
  core_quick* waiting = apart.queue;
  apart.queue = NULL;
  pthread_cond_broadcast(&apart.changed);
  pthread_mutex_unlock(&apart.lock);
  return list_of(waiting);
}

/* hold_apart(): the thread is not in LLVM from now on. */
static PyObject* hold_apart(PyObject* module, PyObject* ignored) {
  (void)module;
  (void)ignored;
  Py_BEGIN_ALLOW_THREADS;
  pthread_mutex_lock(&apart.lock);
  apart.holds++;
  while (apart.is_inside) pthread_cond_wait(&apart.changed, &apart.lock);
  pthread_mutex_unlock(&apart.lock);
  Py_END_ALLOW_THREADS;
  Py_RETURN_NONE;
}

/* release_apart(in_child): it may be again; in a child of a fork there is no thread. */
static PyObject* release_apart(PyObject* module, PyObject* in_child) {
  (void)module;
  if (in_child == Py_True) {
    pthread_mutex_init(&apart.lock, NULL);
    pthread_cond_init(&apart.changed, NULL);
    apart.is_alive = 0;
  }
  pthread_mutex_lock(&apart.lock);
  apart.holds--;
  pthread_cond_broadcast(&apart.changed);
  pthread_mutex_unlock(&apart.lock);
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"set_apart", set_apart, METH_VARARGS, NULL},
    {"compile_apart", compile_apart, METH_VARARGS, NULL},
    {"take_compiled", take_compiled, METH_NOARGS, NULL},
    {"forget_apart", forget_apart, METH_NOARGS, NULL},
    {"hold_apart", hold_apart, METH_NOARGS, NULL},
    {"release_apart", release_apart, METH_O, NULL},
    {NULL, NULL, 0, NULL},
};

/* Adds them, and APART_NAMES: what the functions of llvmlite's library are called behind "LLVMPY_"; -1 with an exception. */
int core_llvm_apart_init(PyObject* module) {
  PyObject* tuple = PyTuple_New(NUM_NAMES);
  for (int i = 0; i < NUM_NAMES && tuple != NULL; i++) {
    PyObject* name = PyUnicode_FromString(names[i]);
    if (name == NULL)
      Py_CLEAR(tuple);
    else
      PyTuple_SET_ITEM(tuple, i, name);
  }
  if (tuple == NULL) return -1;
  if (PyModule_AddObject(module, "APART_NAMES", tuple) < 0) {
    Py_DECREF(tuple);
    return -1;
  }
  return PyModule_AddFunctions(module, methods);
}
