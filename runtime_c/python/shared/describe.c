/* What a Function says of itself to native code, from its names, types and defaults; and copies of Functions, which share that.
 */
#include "call.h"
#include "error.h"
#include "function.h"
#include "function_at.h"
#include "jitffi/containers.h"
#include "jitffi/pattern.h"
#include "jitffi/runtime.h"
#include "pointer.h"

#include <string.h>

/* Whether values of the type are held against a pattern: of containers, unions, functions of a signature and objects whose key
 * has a dot. Those of others are looked up when they are needed, which is when something is wrong, or slow. */
static int has_pattern(const char* type) {
  const char* name = strncmp(type, "optional[", 9) == 0 ? type + 9 : type;
  const size_t size = strcspn(name, "[]| (");
  int depth = 0;
  if ((size == 4 && memcmp(name, "list", 4) == 0) || (size == 3 && memcmp(name, "map", 3) == 0) ||
      (size == 5 && memcmp(name, "tuple", 5) == 0) || strncmp(name, "func[", 5) == 0)
    return 1;
  if (strncmp(name, "jitffi.FrozenMap[", 17) == 0) return 1; /* others with a dot and a bracket are arrays of structs */
  if (memchr(name, '.', size) != NULL && (name[size] == 0 || strcmp(name + size, "]") == 0)) return 1;
  for (const char* at = name; *at != 0; at++) {
    depth += *at == '[' ? 1 : *at == ']' ? -1 : 0;
    if (*at == '|' && depth == 0) return 1;
  }
  return 0;
}

/* The pattern of such a type; *out stays NULL for others. -1 with an exception. */
static int find_pattern(const char* type, const jf_pattern** out) {
  if (!has_pattern(type)) return 0;
  *out = jf_pattern_of(type);
  if (*out) return 0;
  core_error_raise(NULL);
  return -1;
}

/* info and params from the tuples; the texts belong to the str objects in them. -1 with an exception. */
int core_function_set_info(core_function* f) {
  f->info.name = PyUnicode_AsUTF8(f->name);
  if (!f->info.name) return -1;
  f->state.info = &f->info;
  f->info.num_params = -1; /* any number */
  if (!f->names) return 0;
  Py_ssize_t n = PyTuple_GET_SIZE(f->names);
  f->params = PyMem_Calloc(n ? (size_t)n : 1, sizeof *f->params);
  if (!f->params) {
    PyErr_NoMemory();
    return -1;
  }
  f->info.num_params = (int32_t)n;
  f->info.params = f->params;
  for (Py_ssize_t i = 0; i <= n; i++) {
    const char* type = PyUnicode_AsUTF8(PyTuple_GET_ITEM(f->types, i));
    if (!type) return -1;
    if (i == n) {
      f->info.result = type;
      if (find_pattern(type, &f->info.result_pattern) < 0) return -1;
      break;
    }
    f->params[i].type = type;
    if (find_pattern(type, &f->params[i].pattern) < 0) return -1;
    /* Interned as the names of calls are, so that most of these are told apart by address. */
    if (PyTuple_GET_ITEM(f->names, i) != Py_None) PyUnicode_InternInPlace(&PyTuple_GET_ITEM(f->names, i));
    PyObject* name = PyTuple_GET_ITEM(f->names, i);
    if (name != Py_None && !(f->params[i].name = PyUnicode_AsUTF8(name))) return -1;
    if (!f->defaults || PyTuple_GET_ITEM(f->defaults, i) == core_no_default) f->info.num_required = (int32_t)i + 1;
  }
  return core_structs != NULL ? core_structs->set_classes(f) : 0;
}

/* Makes a new or sleeping copy one of `origin` as that is now, which it keeps alive. */
static void fill_copy(core_function* f, core_function* origin, PyObject* callable) {
  f->state = origin->state;
  f->state.kw_names = NULL;
  f->state.kw_given = -1;
  f->state.target = callable;
  f->state.self = NULL;
  f->callable = Py_NewRef(callable);
  f->owner = Py_NewRef((PyObject*)origin); /* whose info this shares */
  f->def = origin->def;
  f->c_body = origin->c_body;
  f->result_class = origin->result_class;
  f->packed = origin->packed;
}

/* New; NULL with an exception. It shares the info and the code of `origin`, which it keeps alive. */
core_function* core_function_copy(core_function* origin, PyObject* callable, int has_closure) {
  PyTypeObject* type = Py_TYPE(origin);
  core_function* f = (core_function*)type->tp_alloc(type, 0);
  if (!f) return NULL;
  f->vectorcall = core_function_vectorcall;
  f->callee = 'p';
  f->copy = 1;
  f->name = Py_NewRef(origin->name);
  fill_copy(f, origin, callable);
  if (!has_closure) return f;
  if (core_function_close(f, f->c_body, f->result_class) != 0) Py_CLEAR(f);
  return f;
}

/* -- copies for one call, of which one sleeps between calls: its closure and its record are what takes time to make ---------- */

/* With its first object a thread begins to keep pieces for the next ones, which the temps of calls are, too. */
static void begin_to_keep_pieces(void) { jf_object_release(jf_list_new(0, -1)); }

core_function* core_function_lend(core_function* template, PyObject* callable) {
  core_function* f = (core_function*)template->asleep;
  if (!f) {
    begin_to_keep_pieces();
    return core_function_copy(template, callable, 1);
  }
  template->asleep = NULL;
  if (f->c_body == template->c_body && f->def.ml_meth == template->def.ml_meth && f->packed == template->packed) {
    f->state.target = callable;
    f->callable = Py_NewRef(callable);
    f->owner = Py_NewRef((PyObject*)template);
  } else {
    fill_copy(f, template, callable); /* better code has come */
  }
  jf_closure_wake(f->closure, &f->state, f->c_body, f->result_class);
  core_function_mark(f);
  return f;
}

/* Whether nothing has come to it, and nobody else has it. */
static int is_as_lent(const core_function* f) {
  return Py_REFCNT(f) == 1 && !f->handle && !f->state.self && !f->dict && !f->weakrefs && !f->builtin && !f->text &&
         !f->codes && !f->templates && !f->kept && !f->kept_texts && !f->variants && !f->traced && !f->passed &&
         !f->kept_for_ever && !f->state.kw_names && !f->default_temps.head && !f->packed_defaults && !f->plan &&
         !f->c_plan;
}

void core_function_take_back(core_function* f) {
  core_function* template = (core_function*)f->owner;
  if (template->asleep || !is_as_lent(f)) {
    Py_DECREF(f);
    return;
  }
  jf_closure_sleep(f->closure, core_function_dead_state(f->callee));
  f->closure->next_free = NULL;
  PyObject* callable = f->callable;
  f->callable = f->owner = NULL;
  f->state.target = NULL;
  template->asleep = (PyObject*)f;
  Py_DECREF(callable); /* whose end may run anything, with all of this done */
  Py_DECREF(template);
}
