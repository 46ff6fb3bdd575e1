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

/* -- stored graphs -- */

static PyObject* to_json(PyObject* module, PyObject* args) {
  PyObject* value;
  int indent;
  core_borrowed borrowed;
  jf_value text = {JF_NULL, 0, {0}};
  (void)module;
  if (!PyArg_ParseTuple(args, "Oi", &value, &indent) || core_borrow(value, &borrowed) < 0) return NULL;
  const int32_t status = jf_to_json(&borrowed.view, indent, &text);
  core_borrowed_done(&borrowed);
  if (status == 0) return core_box_slot(&text);
  core_error_raise(NULL);
  return NULL;
}

static PyObject* to_bytes(PyObject* module, PyObject* value) {
  core_borrowed borrowed;
  jf_value bytes = {JF_NULL, 0, {0}};
  (void)module;
  if (core_borrow(value, &borrowed) < 0) return NULL;
  const int32_t status = jf_to_bytes(&borrowed.view, &bytes);
  core_borrowed_done(&borrowed);
  if (status == 0) return core_box_slot(&bytes);
  core_error_raise(NULL);
  return NULL;
}

/* What one of the readers makes of the bytes. */
static PyObject* read_with(int32_t (*read)(const void*, size_t, jf_value*), PyObject* args) {
  Py_buffer bytes;
  jf_value made = {JF_NULL, 0, {0}};
  if (!PyArg_ParseTuple(args, "y*", &bytes)) return NULL;
  const int32_t status = read(bytes.buf, (size_t)bytes.len, &made);
  PyBuffer_Release(&bytes);
  if (status == 0) return core_box_slot(&made);
  core_error_raise(NULL);
  return NULL;
}

static int32_t read_text(const void* data, size_t size, jf_value* out) { return jf_from_json(data, size, out); }

static PyObject* from_json(PyObject* module, PyObject* args) {
  (void)module;
  return read_with(read_text, args);
}

static PyObject* from_bytes(PyObject* module, PyObject* args) {
  (void)module;
  return read_with(jf_from_bytes, args);
}

static PyObject* type_set_version(PyObject* module, PyObject* args) {
  int code;
  long long version;
  (void)module;
  if (!PyArg_ParseTuple(args, "iL", &code, &version)) return NULL;
  if (jf_type_set_version(code, version) == 0) Py_RETURN_NONE;
  core_error_raise(NULL);
  return NULL;
}

static PyMethodDef methods[] = {
    {"structural_equal", structural_equal, METH_VARARGS, "structural_equal($module, a, b, flags, /)\n--\n\n"},
    {"structural_mismatch", structural_mismatch, METH_VARARGS,
     "structural_mismatch($module, a, b, flags, /)\n--\n\nNone, or the steps to where a and b differ."},
    {"structural_hash", structural_hash, METH_VARARGS, "structural_hash($module, value, flags, /)\n--\n\n"},
    {"to_json", to_json, METH_VARARGS, "to_json($module, value, indent, /)\n--\n\n"},
    {"from_json", from_json, METH_VARARGS, "from_json($module, utf8, /)\n--\n\n"},
    {"to_bytes", to_bytes, METH_O, "to_bytes($module, value, /)\n--\n\n"},
    {"from_bytes", from_bytes, METH_VARARGS, "from_bytes($module, data, /)\n--\n\n"},
    {"type_set_version", type_set_version, METH_VARARGS, "type_set_version($module, code, version, /)\n--\n\n"},
    {NULL, NULL, 0, NULL},
};

/* -1 with an exception set on failure. */
int core_structural_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
