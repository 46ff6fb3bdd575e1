/* Plans of calls without compiled code: made from what Python has worked out, and given to Functions. */
#include "plan.h"

#include "jitffi/runtime.h"
#include "parts.h"
#include "trace.h"

#include <string.h>

/* Numbers of a tuple, one after the other; `failed` once there is none left or one is no int. */
typedef struct {
  PyObject* tuple;
  Py_ssize_t at;
  int failed;
} numbers;

static int64_t next(numbers* n) {
  if (n->failed || n->at == PyTuple_GET_SIZE(n->tuple)) return n->failed = 1, 0;
  const int64_t value = PyLong_AsLongLong(PyTuple_GET_ITEM(n->tuple, n->at++));
  if (value == -1 && PyErr_Occurred()) n->failed = 1;
  return value;
}

static core_plan_step next_step(numbers* n) {
  core_plan_step step = {0};
  step.code = (uint8_t)next(n);
  step.flags = (uint16_t)next(n);
  step.extra = next(n);
  step.size = (uint32_t)next(n);
  step.index = (int16_t)next(n);
  step.at = (uint16_t)next(n);
  step.place = (uint16_t)next(n);
  step.first_dimension = (uint16_t)next(n);
  step.num_dimensions = (uint8_t)next(n);
  return step;
}

static core_plan_length next_length(numbers* n) {
  core_plan_length length = {0};
  length.kind = (uint8_t)next(n);
  length.value = next(n);
  length.dimension = (uint16_t)next(n);
  length.is_signed = (uint8_t)next(n);
  length.bits = (uint8_t)next(n);
  return length;
}

static core_plan_move next_move(numbers* n) {
  core_plan_move move = {0};
  move.place = (uint16_t)next(n);
  move.is_behind = (uint8_t)next(n);
  move.offset = (uint32_t)next(n);
  move.size = (uint32_t)next(n);
  move.word = (uint16_t)next(n);
  return move;
}

static core_plan next_head(numbers* n) {
  core_plan head = {.result = {0}};
  head.flags = (uint16_t)next(n);
  head.num_positional = (uint16_t)next(n);
  head.num_params = (uint16_t)next(n);
  head.num_words = (uint16_t)next(n);
  head.num_stack = (uint16_t)next(n);
  head.num_names = (uint16_t)next(n);
  head.num_vectors = (uint16_t)next(n);
  head.slot_words = (uint16_t)next(n);
  head.num_back = (uint16_t)next(n);
  head.num_steps = (uint16_t)next(n);
  head.num_makes = (uint16_t)next(n);
  head.num_lengths = (uint16_t)next(n);
  head.num_moves = (uint16_t)next(n);
  head.num_result_moves = (uint16_t)next(n);
  head.result = next_step(n);
  return head;
}

/* plan(numbers): bytes of what next_head reads, then the steps, makes, lengths, moves and moves of the result that it counts. */
static PyObject* make_plan(PyObject* module, PyObject* tuple) {
  (void)module;
  if (!PyTuple_CheckExact(tuple)) return PyErr_Format(PyExc_TypeError, "expected a tuple");
  numbers n = {tuple, 0, 0};
  const core_plan head = next_head(&n);
  const int num_steps = head.num_steps + head.num_makes, num_moves = head.num_moves + head.num_result_moves;
  const size_t size = sizeof head + (size_t)num_steps * sizeof(core_plan_step) +
                      head.num_lengths * sizeof(core_plan_length) + (size_t)num_moves * sizeof(core_plan_move);
  PyObject* bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)size);
  if (bytes == NULL) return NULL;
  core_plan* plan = (core_plan*)PyBytes_AS_STRING(bytes);
  memset(plan, 0, size);
  memcpy(plan, &head, sizeof head);
  for (int i = 0; i < num_steps; i++) plan->steps[i] = next_step(&n);
  core_plan_length* lengths = (core_plan_length*)core_plan_lengths(plan);
  for (int i = 0; i < head.num_lengths; i++) lengths[i] = next_length(&n);
  core_plan_move* moves = (core_plan_move*)core_plan_moves(plan);
  for (int i = 0; i < num_moves; i++) moves[i] = next_move(&n);
  if (!n.failed && n.at == PyTuple_GET_SIZE(tuple)) return bytes;
  Py_DECREF(bytes);
  return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_ValueError, "a plan has as many numbers as it says");
}

void core_plan_set(core_function* f, PyObject* plan, int keywords, uint32_t limit) {
  Py_XSETREF(f->plan, Py_NewRef(plan));
  f->plan_calls = 0;
  f->plan_limit = limit;
  f->def.ml_flags = keywords ? METH_FASTCALL | METH_KEYWORDS : METH_FASTCALL;
  f->def.ml_meth = core_trace_entry(f, keywords ? (PyCFunction)(void (*)(void))core_plan_entry_keywords
                                                : (PyCFunction)(void (*)(void))core_plan_entry);
}

/* set_plan(function, plan, keywords, limit): its calls go by the plan; `limit` of them ask for code, 0: none. */
static PyObject* set_plan(PyObject* module, PyObject* args) {
  (void)module;
  core_function* f;
  PyObject* plan;
  int keywords;
  unsigned int limit;
  if (!PyArg_ParseTuple(args, "O!SpI", &core_function_type, &f, &plan, &keywords, &limit)) return NULL;
  core_plan_set(f, plan, keywords, limit);
  Py_RETURN_NONE;
}

/* set_plan_limit(function, limit): so many calls by the plan that it has ask for code. */
static PyObject* set_plan_limit(PyObject* module, PyObject* args) {
  (void)module;
  core_function* f;
  unsigned int limit;
  if (!PyArg_ParseTuple(args, "O!I", &core_function_type, &f, &limit)) return NULL;
  f->plan_limit = limit;
  Py_RETURN_NONE;
}

/* set_callback_plan(function, plan, result_class, closure, limit): the same of the C entry of a Python callable. */
static PyObject* set_callback_plan(PyObject* module, PyObject* args) {
  (void)module;
  core_function* f;
  PyObject* plan;
  int result_class, closure;
  unsigned int limit;
  if (!PyArg_ParseTuple(args, "O!SipI", &core_function_type, &f, &plan, &result_class, &closure, &limit)) return NULL;
  if (core_plan_set_callback(f, plan, result_class, closure, limit) != 0) return NULL;
  Py_RETURN_NONE;
}

static PyMethodDef methods[] = {
    {"plan", make_plan, METH_O, NULL},
    {"plain_plan", core_plan_plain, METH_VARARGS, NULL},
    {"bind_plain", core_bind_plain, METH_VARARGS, NULL},
    {"set_plan", set_plan, METH_VARARGS, NULL},
    {"set_plan_limit", set_plan_limit, METH_VARARGS, NULL},
    {"set_callback_plan", set_callback_plan, METH_VARARGS, NULL},
    {NULL, NULL, 0, NULL},
};

#define NAME(name) #name,
static const char* const codes[] = {CORE_PLAN_CODES(NAME)};

/* Adds both, and PLAN_CODES: the names of the steps, in order; none where no call goes by a plan. */
int core_plan_init(PyObject* module) {
  const Py_ssize_t count = CORE_CALLS_NATIVE ? (Py_ssize_t)CORE_PLAN_COUNT : 0;
  PyObject* tuple = PyTuple_New(count);
  for (Py_ssize_t i = 0; i < count && tuple; i++) {
    PyObject* name = PyUnicode_InternFromString(codes[i]);
    if (name == NULL)
      Py_CLEAR(tuple);
    else
      PyTuple_SET_ITEM(tuple, i, name);
  }
  if (tuple == NULL || PyModule_AddObject(module, "PLAN_CODES", tuple) < 0) {
    Py_XDECREF(tuple);
    return -1;
  }
  if (PyModule_AddIntConstant(module, "PLAN_LIMIT", CORE_PLAN_LIMIT) < 0) return -1;
  return PyModule_AddFunctions(module, methods);
}
