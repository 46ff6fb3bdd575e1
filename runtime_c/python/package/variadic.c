/* Calls of variadic C functions: each finds the Function that was made for the types of its variable arguments.
 *
 *   printf("%d %s", 7, "x")      kinds: i32, cstr  ->  variant  (format: cstr, ..., i32, cstr) -> i32
 *
 * A kind is the number of a type. Objects of Python's own classes and structs tell it here, all others in Python (api/variadic.py),
 * which also makes a variant when there is none for the kinds of a call. Variants stay as long as the Function.
 */
#include "variadic.h"
#include "convert.h"
#include "numpy_array.h"
#include "parts.h"
#include "pointer.h"
#include "raise.h"
#include "state.h"
#include "struct.h"

#include <string.h>

/* C promises no more arguments of one call (C11 5.2.4.1). */
enum { MAX_ARGUMENTS = 127, NUM_CHAINS = 16 };

enum { NO_KIND, KIND_I32, KIND_I64, KIND_U64, KIND_F64, KIND_CSTR, KIND_POINTER, NUM_OWN_KINDS };
static const char* const OWN_KINDS[NUM_OWN_KINDS] = {"", "i32", "i64", "u64", "f64", "cstr", "ptr[const void]"};

static PyObject* kind_texts;   /* list of the types' texts, by kind */
static PyObject* kind_numbers; /* dict of the kinds, by text */
static PyObject* kind_of;      /* Python: (object) -> the text of its type, or the exception to raise */
static PyObject* make_variant; /* Python: (Function, tuple of texts) -> Function */

typedef struct variant {
  struct variant* next;
  core_function* function; /* borrowed from `variants` of the Function that is called */
  Py_ssize_t count;
  uint32_t kinds[];
} variant;

struct core_variadic {
  Py_ssize_t positional; /* arguments before the variable ones */
  variant* last;         /* of the last call; NULL: none yet */
  variant* chains[NUM_CHAINS];
};

static void drop_chains(core_variadic* variadic) {
  variadic->last = NULL;
  for (int i = 0; i < NUM_CHAINS; i++) {
    while (variadic->chains[i] != NULL) {
      variant* first = variadic->chains[i];
      variadic->chains[i] = first->next;
      PyMem_Free(first);
    }
  }
}

void core_variadic_free(core_variadic* variadic) {
  if (variadic) drop_chains(variadic);
  PyMem_Free(variadic);
}

/* -- kinds ------------------------------------------------------------------------------------------------------- */

/* A compact int has one digit, of at most 30 bits (longintrepr.h). */
static inline int is_compact(PyObject* number) {
#if PY_VERSION_HEX >= 0x030C0000
  return PyUnstable_Long_IsCompact((PyLongObject*)number);
#else
  return (size_t)Py_SIZE(number) + 1 <= 2;
#endif
}

static __attribute__((noinline)) uint32_t kind_of_large(PyObject* number) {
  int overflow;
  int64_t value = PyLong_AsLongLongAndOverflow(number, &overflow);
  if (overflow == 0) return value == (int32_t)value ? KIND_I32 : KIND_I64;
  if (overflow > 0) {
    PyLong_AsUnsignedLongLong(number);
    if (!PyErr_Occurred()) return KIND_U64;
    PyErr_Clear();
  }
  PyObject* got = core_describe(number);
  if (got) PyErr_Format(PyExc_OverflowError, "expected -9223372036854775808 to 18446744073709551615, got %U", got);
  Py_XDECREF(got);
  return NO_KIND;
}

/* The number of the type that Python says an object is passed as; where it gives an exception, that is raised. */
static uint32_t kind_from_python(PyObject* object) {
  PyObject* text =
      core_is_struct(object) ? Py_NewRef(core_info((core_struct*)object)->key) : PyObject_CallOneArg(kind_of, object);
  if (text && PyExceptionInstance_Check(text)) {
    PyErr_SetObject((PyObject*)Py_TYPE(text), text);
    Py_CLEAR(text);
  }
  PyObject* found = text ? PyDict_GetItemWithError(kind_numbers, text) : NULL;
  uint32_t kind = found ? (uint32_t)PyLong_AsUnsignedLong(found) : NO_KIND;
  if (text && !found && !PyErr_Occurred()) {
    PyObject* number = PyLong_FromSsize_t(PyList_GET_SIZE(kind_texts));
    if (number && PyList_Append(kind_texts, text) == 0 && PyDict_SetItem(kind_numbers, text, number) == 0)
      kind = (uint32_t)PyLong_AsUnsignedLong(number);
    Py_XDECREF(number);
  }
  Py_XDECREF(text);
  return kind;
}

/* NO_KIND with an exception. */
static inline uint32_t kind(PyObject* object) {
  const PyTypeObject* type = Py_TYPE(object);
  if (type == &PyLong_Type) return is_compact(object) ? KIND_I32 : kind_of_large(object);
  if (type == &PyFloat_Type) return KIND_F64;
  if (type == &PyUnicode_Type || type == &PyBytes_Type) return KIND_CSTR;
  if (type == &core_pointer_type || type == core_numpy.ndarray || object == Py_None) return KIND_POINTER;
  if (type == &PyBool_Type) return KIND_I32;
  return kind_from_python(object);
}

/* -- variants ---------------------------------------------------------------------------------------------------- */

static inline variant** chain_of(core_variadic* variadic, const uint32_t* kinds, Py_ssize_t count) {
  uint32_t hash = (uint32_t)count;
  for (Py_ssize_t i = 0; i < count; i++) hash = hash * 31 + kinds[i];
  return &variadic->chains[(hash ^ hash >> 4) % NUM_CHAINS];
}

static inline int is_for(const variant* v, const uint32_t* kinds, Py_ssize_t count) {
  if (v->count != count) return 0;
  for (Py_ssize_t i = 0; i < count; i++)
    if (v->kinds[i] != kinds[i]) return 0;
  return 1;
}

static variant* find(variant* first, const uint32_t* kinds, Py_ssize_t count) {
  while (first != NULL && !is_for(first, kinds, count)) first = first->next;
  return first;
}

static PyObject* texts_of(const uint32_t* kinds, Py_ssize_t count) {
  PyObject* texts = PyTuple_New(count);
  for (Py_ssize_t i = 0; texts != NULL && i < count; i++)
    PyTuple_SET_ITEM(texts, i, Py_NewRef(PyList_GET_ITEM(kind_texts, kinds[i])));
  return texts;
}

/* A variant for the kinds, borrowed; NULL with an exception. */
static variant* add_variant(core_function* f, const uint32_t* kinds, Py_ssize_t count) {
  PyObject* texts = texts_of(kinds, count);
  PyObject* made = texts ? PyObject_CallFunctionObjArgs(make_variant, (PyObject*)f, texts, NULL) : NULL;
  Py_XDECREF(texts);
  if (made == NULL) return NULL;
  if (f->variants == NULL) { /* none yet, or the garbage collector has taken them */
    drop_chains(f->variadic);
    f->variants = PyList_New(0);
  }
  variant** chain = chain_of(f->variadic, kinds, count);
  variant* found = find(*chain, kinds, count); /* another thread may have been faster */
  if (found == NULL && PyObject_TypeCheck(made, &core_function_type)) {
    variant* v = f->variants ? PyMem_Malloc(sizeof *v + (size_t)count * sizeof *kinds) : NULL;
    if (v == NULL && !PyErr_Occurred()) PyErr_NoMemory();
    if (v != NULL && PyList_Append(f->variants, made) == 0) {
      *v = (variant){.next = *chain, .function = (core_function*)made, .count = count};
      memcpy(v->kinds, kinds, (size_t)count * sizeof *kinds);
      *chain = found = v;
    } else {
      PyMem_Free(v);
    }
  }
  Py_DECREF(made);
  return found;
}

/* What is wrong with argument `at` stands behind the function and the place. Always NULL. */
static PyObject* refuse(const core_function* f, Py_ssize_t at) {
  core_raise_place(PyUnicode_FromFormat("%U: argument %zd: ", f->name, at + 1));
  return NULL;
}

static inline core_function* variant_for(core_function* f, PyObject* const* args, Py_ssize_t given) {
  core_variadic* variadic = f->variadic;
  uint32_t kinds[MAX_ARGUMENTS];
  Py_ssize_t count = given > variadic->positional ? given - variadic->positional : 0;
  if (given > MAX_ARGUMENTS)
    return (core_function*)PyErr_Format(PyExc_TypeError, "%U: at most %d arguments can be passed to C, got %zd",
                                        f->name, MAX_ARGUMENTS, given);
  for (Py_ssize_t i = 0; i < count; i++) {
    kinds[i] = kind(args[variadic->positional + i]);
    if (kinds[i] == NO_KIND) return (core_function*)refuse(f, variadic->positional + i);
  }
  if (f->variants != NULL && variadic->last != NULL && is_for(variadic->last, kinds, count))
    return variadic->last->function;
  variant* found = f->variants ? find(*chain_of(variadic, kinds, count), kinds, count) : NULL;
  if (found == NULL) found = add_variant(f, kinds, count);
  variadic->last = found;
  return found ? found->function : NULL;
}

static PyObject* call(PyObject* self, PyObject* const* args, Py_ssize_t given) {
  core_function* f = variant_for((core_function*)self, args, given);
  return f ? ((_PyCFunctionFast)(void (*)(void))f->def.ml_meth)((PyObject*)f, args, given) : NULL;
}

static PyObject* call_keywords(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) {
  core_function* f = variant_for((core_function*)self, args, given);
  return f ? ((_PyCFunctionFastWithKeywords)(void (*)(void))f->def.ml_meth)((PyObject*)f, args, given, kwnames) : NULL;
}

/* -- the module's functions -------------------------------------------------------------------------------------- */

/* set_variadic(function, positional, keywords): each call enters a variant from now on. */
static PyObject* set_variadic(PyObject* module, PyObject* args) {
  (void)module;
  core_function* f;
  Py_ssize_t positional;
  int keywords;
  if (!PyArg_ParseTuple(args, "O!np", &core_function_type, &f, &positional, &keywords)) return NULL;
  if (f->variadic == NULL) f->variadic = PyMem_Calloc(1, sizeof *f->variadic);
  if (f->variadic == NULL) return PyErr_NoMemory();
  f->variadic->positional = positional;
  f->def.ml_flags = keywords ? METH_FASTCALL | METH_KEYWORDS : METH_FASTCALL;
  f->def.ml_meth = keywords ? (PyCFunction)(void (*)(void))call_keywords : (PyCFunction)(void (*)(void))call;
  Py_RETURN_NONE;
}

/* set_variadic_hooks(kind_of, make_variant) */
static PyObject* set_variadic_hooks(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *first, *second;
  if (!PyArg_ParseTuple(args, "OO", &first, &second)) return NULL;
  Py_XSETREF(kind_of, Py_NewRef(first));
  Py_XSETREF(make_variant, Py_NewRef(second));
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"set_variadic", set_variadic, METH_VARARGS, NULL},
    {"set_variadic_hooks", set_variadic_hooks, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

/* Adds them to the module; -1 with an exception set on failure. */
int core_variadic_init(PyObject* module) {
  kind_texts = PyList_New(0);
  kind_numbers = PyDict_New();
  for (long i = 0; kind_texts != NULL && kind_numbers != NULL && i < NUM_OWN_KINDS; i++) {
    PyObject* text = PyUnicode_FromString(OWN_KINDS[i]);
    PyObject* number = PyLong_FromLong(i);
    if (text && number && PyList_Append(kind_texts, text) == 0) PyDict_SetItem(kind_numbers, text, number);
    Py_XDECREF(text);
    Py_XDECREF(number);
  }
  return PyErr_Occurred() ? -1 : PyModule_AddFunctions(module, methods);
}
