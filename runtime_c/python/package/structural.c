/* Structural operations and stored graphs of the runtime, as functions of `jitffi._core` (jitffi/structural.h). */
#include "jitffi/structural.h"
#include "borrow.h"
#include "box.h"
#include "error.h"
#include "parts.h"

typedef struct {
  core_borrowed a, b;
} pair;

/* Two values; -1 with an exception and nothing to be done. */
static int borrow(PyObject* a, PyObject* b, pair* both) {
  if (core_borrow(a, &both->a) < 0) return -1;
  if (core_borrow(b, &both->b) == 0) return 0;
  core_borrowed_done(&both->a);
  return -1;
}

static void done(const pair* both) {
  core_borrowed_done((core_borrowed*)(uintptr_t)&both->a);
  core_borrowed_done((core_borrowed*)(uintptr_t)&both->b);
}

static PyObject* structural_equal(PyObject* module, PyObject* args) {
  PyObject *a, *b;
  unsigned flags;
  pair both;
  (void)module;
  if (!PyArg_ParseTuple(args, "OOI", &a, &b, &flags) || borrow(a, b, &both) < 0) return NULL;
  const int32_t same = jf_structural_equal(&both.a.view, &both.b.view, flags);
  done(&both);
  if (same >= 0) return PyBool_FromLong(same);
  core_error_raise(NULL);
  return NULL;
}

static PyObject* structural_mismatch(PyObject* module, PyObject* args) {
  PyObject *a, *b;
  unsigned flags;
  pair both;
  jf_value paths = {JF_NULL, 0, {0}};
  (void)module;
  if (!PyArg_ParseTuple(args, "OOI", &a, &b, &flags) || borrow(a, b, &both) < 0) return NULL;
  const int32_t same = jf_structural_mismatch(&both.a.view, &both.b.view, flags, &paths);
  done(&both);
  if (same >= 0) return core_box_slot(&paths);
  core_error_raise(NULL);
  return NULL;
}

static PyObject* structural_hash(PyObject* module, PyObject* args) {
  PyObject* value;
  unsigned flags;
  uint64_t hash = 0;
  core_borrowed borrowed;
  (void)module;
  if (!PyArg_ParseTuple(args, "OI", &value, &flags) || core_borrow(value, &borrowed) < 0) return NULL;
  const int32_t status = jf_structural_hash(&borrowed.view, flags, &hash);
  core_borrowed_done(&borrowed);
  if (status == 0) return PyLong_FromLongLong((long long)hash);
  core_error_raise(NULL);
  return NULL;
}

static PyMethodDef methods[] = {
    {"structural_equal", structural_equal, METH_VARARGS, "structural_equal($module, a, b, flags, /)\n--\n\n"},
    {"structural_mismatch", structural_mismatch, METH_VARARGS,
     "structural_mismatch($module, a, b, flags, /)\n--\n\nNone, or the steps to where a and b differ."},
    {"structural_hash", structural_hash, METH_VARARGS, "structural_hash($module, value, flags, /)\n--\n\n"},
    {NULL, NULL, 0, NULL},
};

/* -1 with an exception set on failure. */
int core_structural_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
