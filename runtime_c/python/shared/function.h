/* Function: the owner of a state, and its builtin. */
#ifndef JITFFI_PYTHON_FUNCTION_H
#define JITFFI_PYTHON_FUNCTION_H

#include "jitffi/runtime.h"
#include "state.h"

typedef struct core_kept_text core_kept_text;
typedef struct core_script core_script;
typedef struct core_traced core_traced;
typedef struct core_variadic core_variadic;

/* jitffi.Function. Python's class derives from it and adds what needs a compiler. */
typedef struct {
  PyObject_HEAD vectorcallfunc vectorcall; /* of the Function itself: slower than its builtin */
  core_state state;                        /* generated code reads it */
  PyMethodDef def;                         /* the builtin points at it */
  jf_call_info info;
  jf_param_info* params;   /* info.params, owned; NULL in a copy, which shares its origin's */
  jf_any* packed_defaults; /* one view a parameter, null where there is none; NULL until there is a packed entry */
  jf_temps default_temps;  /* what those views borrow from */
  PyObject* name;          /* str */
  PyObject* doc;           /* bytes behind ml_doc, or NULL */
  PyObject* names;         /* tuple of str or None, one a parameter; NULL for functions without a signature */
  PyObject* types;         /* tuple of str, one a parameter, then the result */
  PyObject* defaults;      /* tuple, `core_no_default` where there is none; NULL when there are none */
  PyObject* order;         /* tuple, where Python passes the parameters in another way than C: see core_passed */
  PyObject* callable;      /* callee python */
  PyObject* owner;         /* whatever must outlive this: library, keep_alive, the origin of a copy */
  PyObject* codes;         /* list of Code in use */
  PyObject* templates;     /* list, one a parameter and the result: a Function to copy for callables, or None */
  PyObject* kept;          /* dict of callable -> Function: callbacks that live as long as this */
  PyObject* dict;
  PyObject* weakrefs;
  PyObject* text;    /* str, of its signature, once its function object has been made; NULL */
  PyObject* builtin; /* weak reference to the builtin, or NULL */
  jf_closure* closure;
  void* c_body;          /* code of the C entry */
  int32_t result_class;  /* JF_RESULT_*, of the C entry */
  void* native;          /* the C function pointer of this Function, NULL until it is asked for */
  jf_packed_call packed; /* its packed entry, NULL until it is asked for */
  jf_object* handle;     /* its function object, kept since somebody asked for its address; NULL else */
  char callee;           /* 'c', 'k' (packed), 'l' (packed_legacy), 't' (tvm_ffi), 'p' (python) */
  char keep_callbacks;
  char frees_without_gil; /* what it gives, of types owned[...] */
  char transparent;       /* made to pass a callable through native code: back in Python it is that callable again */
  core_kept_text* kept_texts;
  core_script* script;     /* of a script: its variants; NULL */
  core_variadic* variadic; /* of a variadic C function: which of `variants` a call enters; NULL */
  PyObject*
      variants; /* list of the Functions that a call enters, of a variadic one or one that converts results; NULL */
  core_traced* traced; /* while calls are traced: its entry, which ml_meth is not then; NULL */
  PyObject* plan;      /* bytes: how calls go on without compiled code (package/plan.h); NULL */
  PyObject* c_plan;    /* the same of calls by C */
  uint32_t plan_calls; /* of Python that have gone on so since it was asked for code */
  uint32_t c_plan_calls;
  uint32_t plan_limit; /* so many of them ask for it; 0: none does */
  char is_unseen;      /* whether there is code for it: nobody has looked; the first call by the plan does */
  char kept_for_ever;  /* its callee's code; see keep_callee */
  char passed;         /* to C by its own address, under which it is found: callback.c */
  PyObject* asleep;    /* a copy of this that nobody uses, to be woken for another callable; NULL */
  char is_method;      /* of a type: messages do not count the object in front, which is called jf_self */
  char copy;           /* made by core_function_copy: `owner` is the origin, which knows what Python's class knows */
} core_function;

extern PyTypeObject core_function_type;
int core_function_init(PyObject* module);
PyObject* core_function_vectorcall(PyObject* self, PyObject* const* args, size_t flags, PyObject* kwnames);
/* The Function behind a Function or one of our builtins, borrowed; NULL without an exception otherwise. */
PyObject* core_function_get(PyObject* object);
static inline core_function* core_function_of(core_state* state) {
  return (core_function*)((char*)state - offsetof(core_function, state));
}

/* How Python passes the parameters. `order` is the number of those by position and then all that are passed, by their
 * index: those by position, then those by keyword alone; ~index of one that stays NULL where it is not given, since
 * the entry fills it in. ~number where a default is passed by keyword alone: then arranged arguments stand where C has
 * their parameters, else in the order in which they are passed. */
static inline Py_ssize_t core_num_passed(const core_function* f) {
  return f->order ? PyTuple_GET_SIZE(f->order) - 1 : f->info.num_params;
}
static inline Py_ssize_t core_num_positional(const core_function* f) {
  Py_ssize_t count = f->order ? PyLong_AsSsize_t(PyTuple_GET_ITEM(f->order, 0)) : f->info.num_params;
  return count < 0 ? ~count : count;
}
static inline int core_arranged_as_in_c(const core_function* f) {
  return f->order && PyLong_AsSsize_t(PyTuple_GET_ITEM(f->order, 0)) < 0;
}
static inline Py_ssize_t core_passed(const core_function* f, Py_ssize_t at, int* is_filled) {
  Py_ssize_t index = f->order ? PyLong_AsSsize_t(PyTuple_GET_ITEM(f->order, at + 1)) : at;
  *is_filled = index < 0;
  return index < 0 ? ~index : index;
}
/* "argument 2" as Python counts parameter `index`; 0 where it is passed by keyword alone, or not at all. */
Py_ssize_t core_position(const core_function* f, Py_ssize_t index);
int32_t core_argument_missing(core_state* state, int32_t index); /* always -1 with a TypeError */

/* -- describe.c -- */
int core_function_set_info(core_function* function); /* from its names, types and defaults; -1 with an exception */
/* A Function like *template* that calls *callable*, with a C entry of its own where it has a closure; NULL with an exception. */
core_function* core_function_copy(core_function* template, PyObject* callable, int has_closure);
/* The same with a closure; for one that was lent to a call, and is taken back with core_function_take_back, without which it is a
 * reference like any other. */
core_function* core_function_lend(core_function* template, PyObject* callable);
void core_function_take_back(core_function* lent);
/* What a copy finds that is called while it sleeps. */
core_state* core_function_dead_state(char callee);
/* The address of its C entry, made when missing; NULL with an exception. */
void* core_function_native(core_function* function);
/* The Function to copy for callables given for parameter `index`, borrowed; NULL with an exception. */
core_function* core_function_template(core_function* function, int32_t index);

#endif
