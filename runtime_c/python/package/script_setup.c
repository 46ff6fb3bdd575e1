/* Scripts as Python makes them: their parameters, their variants, and what `print` in them writes to. */
#include "effect.h"
#include "error.h"
#include "function.h"
#include "gil.h"
#include "handle.h"
#include "jitffi/runtime.h"
#include "parts.h"
#include "script.h"
#include "script_quick.h"
#include "trace.h"

#include <string.h>

/* All scripts, the newest first. Under the GIL. */
static core_script* newest = NULL;

static void forget_quick(core_variants* table) {
  Py_CLEAR(table->otherwise.quick);
  for (int32_t i = 0; i < CORE_MOST_VARIANTS; i++) Py_CLEAR(table->variants[i].quick);
}

void core_script_free(core_script* script) {
  if (script == NULL) return;
  if (script->next != NULL) script->next->previous = script->previous;
  if (script->previous != NULL) script->previous->next = script->next;
  if (newest == script) newest = script->next;
  core_kept_free(script->kept, script->num_params);
  forget_quick(&script->own);
  for (int32_t i = 0; i < script->num_tables; i++) {
    forget_quick(script->tables[i]);
    PyMem_Free(script->tables[i]);
  }
  PyMem_Free(script->tables);
  for (int32_t i = 0; script->default_rooms != NULL && i < script->num_params - script->num_required; i++)
    if (script->default_rooms[i].owned != NULL) jf_object_release(script->default_rooms[i].owned);
  jf_temps_release(&script->default_temps);
  PyMem_Free(script->default_rooms);
  PyMem_Free(script->default_views);
  Py_XDECREF(script->names);
  Py_XDECREF(script->values);
  Py_XDECREF(script->missing);
  Py_XDECREF(script->structs);
  core_first_free(&script->first);
  PyMem_Free(script->classes);
  PyMem_Free(script);
}

/* Packs the defaults once; what is packed borrows from the tuple, which the script keeps. -1 with an exception. */
static int pack_defaults(core_function* f, core_script* script) {
  const int32_t count = script->num_params - script->num_required;
  script->default_views = PyMem_Calloc((size_t)count + 1, sizeof *script->default_views);
  script->default_rooms = PyMem_Calloc((size_t)count + 1, sizeof *script->default_rooms);
  if (script->default_views == NULL || script->default_rooms == NULL) return PyErr_NoMemory(), -1;
  for (int32_t i = 0; i < count; i++) {
    PyObject* value = PyTuple_GET_ITEM(script->values, i);
    if (core_script_pack(f, script->num_required + i, value, &script->default_views[i], &script->default_rooms[i],
                         &script->default_temps) < 0)
      return -1;
  }
  return 0;
}

/* Its arguments are arranged at each call, and the packed convention calls the Python function: there are parameters by
 * name alone, stars, or defaults that are no constants. */
static void arrange_always(core_function* f, core_script* script) {
  script->least_plain = INT32_MAX;
  f->packed = core_dynamic_entry;
}

/* script_setup(function, names, defaults, shape, asked, type_tags, buffers, arrays, structs, nogil, strict, returns_python):
 * `function` is called as a script from now on. Shape: how many parameters have no names for callers, how many are given by
 * position, the stars, what stands for no default, and the Python function where arguments are to be arranged, else None. */
static PyObject* script_setup(PyObject* module, PyObject* args) {
  (void)module;
  core_function* f;
  PyObject *names, *values, *structs, *missing, *callable;
  unsigned long long asked_kinds, asked_ranks, kinds, ranks, buffers, arrays;
  int positional, by_position, stars, nogil, strict, returns_python;
  if (!PyArg_ParseTuple(args, "O!O!O!(iiiOO)(KK)(KK)KKOppp", &core_function_type, &f, &PyTuple_Type, &names,
                        &PyTuple_Type, &values, &positional, &by_position, &stars, &missing, &callable, &asked_kinds,
                        &asked_ranks, &kinds, &ranks, &buffers, &arrays, &structs, &nogil, &strict, &returns_python))
    return NULL;
  const Py_ssize_t count = PyTuple_GET_SIZE(names), optional = PyTuple_GET_SIZE(values);
  const int has_structs = PyTuple_Check(structs) && PyTuple_GET_SIZE(structs) == count;
  if (f->script != NULL || (structs != Py_None && !has_structs) || optional > count || count > INT32_MAX)
    return PyErr_Format(PyExc_ValueError, "%U cannot be set up as a script", f->name);
  core_script* script = PyMem_Calloc(1, sizeof *script);
  if (script == NULL) return PyErr_NoMemory();
  script->names = Py_NewRef(names);
  script->values = Py_NewRef(values);
  script->num_params = (int32_t)count;
  script->num_required = (int32_t)(count - optional);
  script->asked = (core_tags){asked_kinds, asked_ranks};
  script->defaults = (core_tags){kinds, ranks};
  script->buffers = buffers;
  script->arrays = arrays;
  script->structs = has_structs ? Py_NewRef(structs) : NULL;
  script->num_positional = positional;
  script->num_by_position = by_position;
  script->stars = stars;
  script->missing = Py_NewRef(missing);
  script->least_plain = script->num_required;
  script->nogil = nogil;
  script->strict = strict;
  script->returns_python = returns_python;
  script->pool = -1;
  f->script = script; /* which goes with the function, whatever fails from here on */
  script->function = f;
  script->next = newest;
  if (newest != NULL) newest->previous = script;
  newest = script;
  if (callable == Py_None && pack_defaults(f, script) != 0) return NULL;
  f->vectorcall = core_trace_on ? core_trace_script_vectorcall : core_script_vectorcall;
  f->packed = core_script_entry;
  if (callable != Py_None) arrange_always(f, script);
  f->def.ml_flags = METH_FASTCALL | METH_KEYWORDS;
  f->def.ml_meth = core_trace_entry(f, (PyCFunction)(void (*)(void))core_script_call);
  Py_RETURN_NONE;
}

/* What better code has come for. Calls that are in the other one stay there. */
static void exchange(core_variant* variant, jf_packed_call call) {
  __atomic_store_n(&variant->call, call, __ATOMIC_RELEASE);
  Py_CLEAR(variant->quick);
}

/* script_variant(function, type_tags (kinds, ranks) or None, address, reads, repeats, python, quick): the packed entry for arguments
 * of those type tags, or of all others; quick: better code is being made. It stays for ever, another thread may be in it. */
static PyObject* script_variant(PyObject* module, PyObject* args) {
  (void)module;
  core_function* f;
  PyObject *type_tags, *address, *quick;
  unsigned long long reads, kinds = 0, ranks = 0;
  int repeats, python;
  if (!PyArg_ParseTuple(args, "O!OOKppO", &core_function_type, &f, &type_tags, &address, &reads, &repeats, &python,
                        &quick))
    return NULL;
  core_script* script = f->script;
  void* entry = PyLong_AsVoidPtr(address);
  if (entry == NULL || script == NULL)
    return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "%U: no script, or no code", f->name);
  if (type_tags != Py_None && !PyArg_ParseTuple(type_tags, "KK", &kinds, &ranks)) return NULL;
  if (quick != Py_None && !core_is_quick(quick)) return PyErr_Format(PyExc_TypeError, "expected a Quick or None");
  core_quick* coming = quick != Py_None ? (core_quick*)quick : NULL;
  jf_packed_call call;
  memcpy(&call, &entry, sizeof call);
  core_variants* table = script->used != NULL ? script->used : &script->own;
  if (type_tags == Py_None) {
    if (coming != NULL && table->otherwise.call != NULL && table->otherwise.quick == NULL) Py_RETURN_NONE;
    table->otherwise.repeats = repeats;
    table->otherwise.python = python;
    Py_XSETREF(table->otherwise.quick, (core_quick*)Py_XNewRef((PyObject*)coming));
    __atomic_store_n(&table->otherwise.call, call, __ATOMIC_RELEASE);
    Py_RETURN_NONE;
  }
  for (uint32_t i = 0; i < (uint32_t)table->count; i++) {
    core_variant* found = &table->variants[i];
    if (found->type_tags.kinds != kinds || found->type_tags.ranks != ranks) continue;
    if (found->quick != NULL && coming == NULL) exchange(found, call);
    Py_RETURN_NONE;
  }
  if (table->count == CORE_MOST_VARIANTS)
    return PyErr_Format(PyExc_ValueError, "%U has %d variants, and no room for more", f->name, CORE_MOST_VARIANTS);
  table->variants[table->count] = (core_variant){{kinds, ranks}, call, reads, repeats, python, coming};
  Py_XINCREF((PyObject*)coming);
  __atomic_store_n(&table->count, table->count + 1, __ATOMIC_RELEASE);
  Py_RETURN_NONE;
}

/* -- tables of variants, one for each of the pads that the tuner tries ---------------------------------------------- */

/* One more, at the end; -1 with an exception. */
static int add_table(core_script* script, const core_variants* like) {
  core_variants** tables = PyMem_Realloc(script->tables, ((size_t)script->num_tables + 1) * sizeof *tables);
  if (tables == NULL) return PyErr_NoMemory(), -1;
  script->tables = tables;
  core_variants* made = PyMem_Calloc(1, sizeof *made);
  if (made == NULL) return PyErr_NoMemory(), -1;
  if (like != NULL) *made = *like;
  made->otherwise.quick = NULL; /* `like` has it, and nobody looks there any more */
  for (int32_t i = 0; i < CORE_MOST_VARIANTS; i++) made->variants[i].quick = NULL;
  tables[script->num_tables++] = made;
  return 0;
}

/* script_table(function, number): calls are served by the variants of that table from now on, which is new and empty if it is
 * one more than there are. Number 0 has what was made before there were tables. */
static PyObject* script_table(PyObject* module, PyObject* args) {
  (void)module;
  core_function* f;
  int number;
  if (!PyArg_ParseTuple(args, "O!i", &core_function_type, &f, &number)) return NULL;
  core_script* script = f->script;
  if (script == NULL || number < 0 || number > (script->num_tables == 0 ? 1 : script->num_tables))
    return PyErr_Format(PyExc_ValueError, "%U: no script, or no table %d", f->name, number);
  if (script->num_tables == 0 && add_table(script, &script->own) != 0) return NULL;
  if (number == script->num_tables && add_table(script, NULL) != 0) return NULL;
  __atomic_store_n(&script->used, script->tables[number], __ATOMIC_RELEASE);
  /* The others stay as they are: a thread may be reading them. */
  __atomic_store_n(&script->own.count, -1, __ATOMIC_RELEASE);
  Py_RETURN_NONE;
}

/* script_pool(function, pad): of the containers that Python's own become from now on, as arguments; -1: the default. */
static PyObject* script_pool(PyObject* module, PyObject* args) {
  (void)module;
  core_function* f;
  int pad;
  if (!PyArg_ParseTuple(args, "O!i", &core_function_type, &f, &pad)) return NULL;
  if (f->script == NULL || pad < -1 || pad > JF_MAX_PAD)
    return PyErr_Format(PyExc_ValueError, "%U: no script, or no pad %d", f->name, pad);
  core_kept_forget(f->script);
  f->script->pool = pad;
  Py_RETURN_NONE;
}

/* scripts(): a list of all that there are. */
static PyObject* scripts(PyObject* module, PyObject* unused) {
  (void)module, (void)unused;
  PyObject* found = PyList_New(0);
  for (core_script* each = newest; found != NULL && each != NULL; each = each->next) {
    if (Py_REFCNT(each->function) == 0) continue; /* about to go */
    if (PyList_Append(found, (PyObject*)each->function) != 0) Py_CLEAR(found);
  }
  return found;
}

/* script_native(function, address): its C function, which stays for ever. */
static PyObject* script_native(PyObject* module, PyObject* args) {
  (void)module;
  core_function* f;
  PyObject* address;
  if (!PyArg_ParseTuple(args, "O!O", &core_function_type, &f, &address)) return NULL;
  f->native = PyLong_AsVoidPtr(address);
  if (PyErr_Occurred()) return NULL;
  Py_RETURN_NONE;
}

/* What Script.__get__ says in Python. */
static PyObject* bind(PyObject* self, PyObject* object, PyObject* class) {
  (void)class;
  return object == NULL || object == Py_None ? Py_NewRef(self) : PyMethod_New(self, object);
}

/* set_script_class(cls): classes that Python code makes lose the fast way to be called before 3.12; this one keeps it, since
 * nothing in it says otherwise. As attributes of classes its objects are called as functions are, without a bound method. */
static PyObject* set_script_class(PyObject* module, PyObject* class) {
  (void)module;
  if (!PyType_Check(class) || !PyType_IsSubtype((PyTypeObject*)class, &core_function_type))
    return PyErr_Format(PyExc_TypeError, "expected a class of Functions");
  ((PyTypeObject*)class)->tp_flags |= Py_TPFLAGS_HAVE_VECTORCALL | Py_TPFLAGS_METHOD_DESCRIPTOR;
  ((PyTypeObject*)class)->tp_descr_get = bind;
  PyType_Modified((PyTypeObject*)class);
  Py_RETURN_NONE;
}

/* -- print ------------------------------------------------------------------------------------------------------------ */

/* What print() does with its text: sys.stdout.write, nothing where there is no sys.stdout. 0, or -1 with the last error set.
 * Any thread. */
static int32_t print_to_python(const char* utf8, size_t size) {
  if (!Py_IsInitialized()) {
    jf_error_set("RuntimeError", "print() after the interpreter has ended");
    return -1;
  }
  const int has_gil = core_has_gil();
  PyGILState_STATE state = has_gil ? PyGILState_LOCKED : PyGILState_Ensure();
  core_host_operations++; /* effect.h */
  PyObject* out = PySys_GetObject("stdout");
  int32_t status = 0;
  if (out != NULL && out != Py_None) {
    Py_INCREF(out);
    PyObject* text = PyUnicode_DecodeUTF8(utf8, (Py_ssize_t)size, "replace");
    PyObject* done = text != NULL ? PyObject_CallMethod(out, "write", "O", text) : NULL;
    if (done == NULL) {
      core_error_from_python();
      status = -1;
    }
    Py_XDECREF(done);
    Py_XDECREF(text);
    Py_DECREF(out);
  }
  if (!has_gil) PyGILState_Release(state);
  return status;
}

/* script_print(address): of jf_set_print, which learns what to call. */
static PyObject* script_print(PyObject* module, PyObject* address) {
  (void)module;
  void* entry = PyLong_AsVoidPtr(address);
  if (entry == NULL) return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "expected an address");
  void (*set)(int32_t (*)(const char*, size_t));
  memcpy(&set, &entry, sizeof set);
  set(print_to_python);
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"script_setup", script_setup, METH_VARARGS, NULL},
    {"script_variant", script_variant, METH_VARARGS, NULL},
    {"script_native", script_native, METH_VARARGS, NULL},
    {"set_script_class", set_script_class, METH_O, NULL},
    {"script_print", script_print, METH_O, NULL},
    {"script_table", script_table, METH_VARARGS, NULL},
    {"script_pool", script_pool, METH_VARARGS, NULL},
    {"scripts", scripts, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* Adds them to the module; -1 with an exception set on failure. */
int core_script_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
