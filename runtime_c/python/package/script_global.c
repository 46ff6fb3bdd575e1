/* Names of modules in scripts: what one stands for is kept until the module's dict, or the builtins, have changed.
 *
 *   a dict's version   before CPython 3.12 the dict has one; from then on a watcher counts its changes
 *   a closure's cell   is read each time
 *
 * Code refers to a cell of these by its address, for ever: there is one for each name of a module.
 */
#include "error.h"
#include "parts.h"
#include "script_object.h"

struct core_global {
  PyObject* value; /* owned; NULL: nobody has looked */
  const uint64_t *version, *builtins_version;
  uint64_t seen, builtins_seen;     /* of the versions, when the value was looked up */
  PyObject *dict, *builtins, *name; /* owned */
  PyObject* cell;                   /* of a closure, owned, or NULL: then there are no dicts */
};

/* -- versions -------------------------------------------------------------------------------------------------------- */

#if PY_VERSION_HEX < 0x030C0000

/* No two states of any dicts have the same. */
static const uint64_t* version_of(PyObject* dict) { return &((PyDictObject*)dict)->ma_version_tag; }

#else

typedef struct watched watched;
struct watched {
  PyObject* dict;
  uint64_t version;
  watched* next;
};

static watched* all;
static int watcher = -1;

static int on_change(PyDict_WatchEvent event, PyObject* dict, PyObject* key, PyObject* value) {
  (void)event, (void)key, (void)value;
  for (watched* each = all; each != NULL; each = each->next)
    if (each->dict == dict) each->version++;
  return 0;
}

/* NULL where it cannot be known when the dict changes. */
static const uint64_t* version_of(PyObject* dict) {
  for (watched* each = all; each != NULL; each = each->next)
    if (each->dict == dict) return &each->version;
  if (watcher < 0) watcher = PyDict_AddWatcher(on_change);
  watched* made = watcher >= 0 ? PyMem_Malloc(sizeof *made) : NULL;
  if (made == NULL || PyDict_Watch(watcher, dict) != 0) {
    PyErr_Clear();
    PyMem_Free(made);
    return NULL;
  }
  *made = (watched){dict, 1, all};
  all = made;
  return &made->version;
}

#endif

/* -- looking up ------------------------------------------------------------------------------------------------------- */

static PyObject* fail_unknown(PyObject* name, const char* format) {
  PyErr_Format(PyExc_NameError, format, name);
  PyObject* exception = core_error_fetch();
  if (exception != NULL && PyObject_SetAttrString(exception, "name", name) != 0) PyErr_Clear();
  core_error_restore(exception);
  core_error_from_python();
  return NULL;
}

#if PY_VERSION_HEX >= 0x030F0000
/* What a name that is imported lazily stands for, once it is used (PEP 810). New; steals. */
static PyObject* resolved(const core_global* g, PyObject* found) {
  if (strcmp(Py_TYPE(found)->tp_name, "lazy_import") != 0) return found;
  PyObject* value = PyObject_CallMethod(found, "resolve", NULL);
  Py_DECREF(found);
  if (value != NULL && PyDict_SetItem(g->dict, g->name, value) != 0) Py_CLEAR(value);
  return value;
}
#else
static PyObject* resolved(const core_global* g, PyObject* found) {
  (void)g;
  return found;
}
#endif

/* New. */
static __attribute__((noinline)) PyObject* look_up(core_global* g) {
  PyObject* found = Py_XNewRef(PyDict_GetItemWithError(g->dict, g->name));
  if (found == NULL && !PyErr_Occurred()) found = Py_XNewRef(PyDict_GetItemWithError(g->builtins, g->name));
  if (found != NULL) found = resolved(g, found);
  if (found == NULL) {
    if (!PyErr_Occurred()) return fail_unknown(g->name, "name '%U' is not defined");
    core_error_from_python();
    return NULL;
  }
  if (g->version != NULL && g->builtins_version != NULL) {
    g->seen = *g->version;
    g->builtins_seen = *g->builtins_version;
    Py_XSETREF(g->value, Py_NewRef(found));
  }
  return found;
}

PyObject* core_op_global(core_global* g) {
  if (g->cell != NULL) {
    PyObject* found = PyCell_GET(g->cell);
    if (found != NULL) return Py_NewRef(found);
    return fail_unknown(g->name,
                        "cannot access free variable '%U' where it is not associated with a value in enclosing scope");
  }
  if (g->value != NULL && *g->version == g->seen && *g->builtins_version == g->builtins_seen)
    return Py_NewRef(g->value);
  return look_up(g);
}

/* -- for program.py --------------------------------------------------------------------------------------------------- */

static PyObject* address_of(core_global* made) { return PyLong_FromVoidPtr(made); }

/* script_global(globals, builtins, name): the address of what code reads the name by, for ever. */
static PyObject* script_global(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *dict, *builtins, *name;
  if (!PyArg_ParseTuple(args, "O!O!U", &PyDict_Type, &dict, &PyDict_Type, &builtins, &name)) return NULL;
  core_global* made = PyMem_Calloc(1, sizeof *made);
  if (made == NULL) return PyErr_NoMemory();
  made->dict = Py_NewRef(dict);
  made->builtins = Py_NewRef(builtins);
  made->name = Py_NewRef(name);
  made->version = version_of(dict);
  made->builtins_version = version_of(builtins);
  return address_of(made);
}

/* script_cell(cell, name): the same of a closure's variable. */
static PyObject* script_cell(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *cell, *name;
  if (!PyArg_ParseTuple(args, "O!U", &PyCell_Type, &cell, &name)) return NULL;
  core_global* made = PyMem_Calloc(1, sizeof *made);
  if (made == NULL) return PyErr_NoMemory();
  made->cell = Py_NewRef(cell);
  made->name = Py_NewRef(name);
  return address_of(made);
}

static PyMethodDef methods[] = {
    {"script_global", script_global, METH_VARARGS, NULL},
    {"script_cell", script_cell, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

int core_script_global_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
