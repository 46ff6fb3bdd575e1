/* A call without compiled code: the plan of a signature, and what carries it out.
 *
 *   plan (conventions/plan.py makes it of the types' rows, once for equal types and options; Python has it as bytes)
 *     steps   one a parameter that is passed, in the order in which wrappers convert them: how, from which argument
 *     makes   one a parameter that the callee alone writes to
 *     moves   from the native values to where C takes its arguments: words of a core_native_call
 *     result  how what comes back is converted, and which registers make up a struct
 *
 *   Python's arguments --core_plan_unbox--> native values --moves--> registers, stack --core_call_native--> the C function
 *   Python's result    <--core_plan_box---- result's bytes <--------- registers <------------------------------'
 *
 * Of a Python callable that C calls it goes the other way: moves lead from the registers that it was called with to native
 * values, steps from there to Python's, and the result's step back.
 *
 * Values are converted by the functions that compiled wrappers call off their fast paths, so results and messages are the
 * same. A call is counted; when a function has been called often, code is made for it, which takes the entry's place.
 */
#ifndef JITFFI_PYTHON_PLAN_H
#define JITFFI_PYTHON_PLAN_H

#include "function.h"
#include "native_call.h"

/* How a value is converted; Python has the names, in this order, as PLAN_CODES. */
#define CORE_PLAN_CODES(X)                                                                      \
  X(void)   /* result alone */                                                                  \
  X(scalar) /* `extra`: JF_KIND_* */                                                            \
  X(cstr)                                                                                       \
  X(ptr)                                                                                        \
  X(str) /* str, bytes and ucs4 are two words; as a result a slot */                            \
  X(bytes)                                                                                      \
  X(ucs4)                                                                                       \
  X(any) /* a view; as a result a slot */                                                       \
  X(union)                                                                                      \
  X(object) /* `extra`: the code of its class */                                                \
  X(container)                                                                                  \
  X(callback)  /* a pointer of C's */                                                           \
  X(function)  /* func[...] where no C is: an object */                                         \
  X(pointer)   /* of what is no number */                                                       \
  X(array)     /* `extra`: its spec; address, lengths, strides. Also of a pointer to numbers */ \
  X(tensor)    /* `extra`: its spec; address, a DLTensor, its lengths and strides */            \
  X(texts)     /* cstr[n]: address, length */                                                   \
  X(structure) /* `size` bytes, of which the first word is the address */                       \
  X(owned)     /* results and places alone */                                                   \
  X(owned_cstr)                                                                                 \
  X(slot) /* what a result leaves in a slot; of a callable `extra` is the code of what, and `size` a scalar's kind */

#define CORE_PLAN_ENUM(name) CORE_PLAN_##name,
enum { CORE_PLAN_CODES(CORE_PLAN_ENUM) CORE_PLAN_COUNT };

/* Of a step. */
enum {
  CORE_STEP_OPTIONAL = 1, /* None, which is all zeros */
  CORE_STEP_BY_ADDRESS =
      2,                 /* the value is behind its address; words: address, value. So are results that are no word */
  CORE_STEP_LENDS = 4,   /* its memory is the object's own */
  CORE_STEP_PLACE = 8,   /* out and inout: what is at the address comes back */
  CORE_STEP_COPIED = 16, /* C gets the address of a copy of the struct */
  CORE_STEP_FILLED = 32, /* an integer that arrays say, where it is not given; callables are not given it */
};

typedef struct {
  int64_t extra;
  uint32_t size;
  uint16_t flags;
  int16_t index;  /* parameter; -1: the result */
  uint16_t at;    /* where it stands among the arguments */
  uint16_t place; /* its first word among the native values */
  uint16_t first_dimension;
  uint8_t num_dimensions;
  uint8_t code;
} core_plan_step;

/* A length or stride that an array has, or that one is made with: a number, an integer parameter's, or a name's. */
enum { CORE_LENGTH_NUMBER, CORE_LENGTH_PARAMETER, CORE_LENGTH_NAME };
typedef struct {
  int64_t value;      /* the number; the parameter's word; the name's number */
  uint16_t dimension; /* JF_DIM_STRIDE more: its stride */
  uint8_t kind;
  uint8_t
      is_signed; /* this and the next of an integer that is filled in; `dimension`: whether what is given has to equal */
  uint8_t bits;
} core_plan_length;

typedef struct {
  uint32_t offset; /* in the value's bytes */
  uint32_t size;
  uint16_t place;    /* of the value: a word among the native ones */
  uint16_t word;     /* of the call's, from core_native_call.indirect; of a result: from its results */
  uint8_t is_behind; /* the word has the address of the bytes */
} core_plan_move;

enum {
  CORE_PLAN_NOGIL = 1,
  CORE_PLAN_ERRNO = 2,
  CORE_PLAN_KEYWORDS = 4,
  CORE_PLAN_DEFAULTS = 8,
  CORE_PLAN_BY_NAME = 16,    /* arguments are arranged as C has them */
  CORE_PLAN_KEEPS = 32,      /* what is lent is kept for the call; a callable is lent something */
  CORE_PLAN_IN_SLOT = 64,    /* the result comes through a slot; the function itself says whether it failed */
  CORE_PLAN_VECTOR = 128,    /* the result is in a vector register */
  CORE_PLAN_TO_PYTHON = 256, /* the callee is a Python callable */
  CORE_PLAN_TO_SLOTS =
      512, /* the callee is a packed function; the result's `extra` is the code of text in place, 1 where the type says more */
  CORE_PLAN_X87 = 1024 /* the result of a C function is in st(0) */
};

typedef struct {
  core_plan_step result;
  uint16_t flags;
  uint16_t num_positional; /* of what Python passes */
  uint16_t num_params;
  uint16_t num_steps, num_makes, num_moves, num_result_moves, num_lengths;
  uint16_t num_words; /* of native values, the result's included */
  uint16_t num_stack; /* even */
  uint16_t num_names; /* of dimensions */
  uint16_t num_vectors;
  uint16_t slot_words;    /* of the result's slot */
  uint16_t num_back;      /* what comes back, result included; 0: the result alone */
  core_plan_step steps[]; /* then makes, lengths, moves, moves of the result */
} core_plan;

/* What a name stands for in a call, -1 where the array is None, and the parameter that has said it; -1: none yet. */
typedef struct {
  int64_t value;
  int64_t source;
} core_plan_name;

/* One call that is under way. */
typedef struct {
  const core_plan* plan;
  core_state* state;
  uint64_t* words;
  core_plan_name* names;
  jf_temps temps;
  PyObject* const* args; /* what Python has passed; NULL where C has */
} core_plan_call;

/* -- plan.c: making them -- */
static inline const core_plan_step* core_plan_makes(const core_plan* p) { return p->steps + p->num_steps; }
static inline const core_plan_length* core_plan_lengths(const core_plan* p) {
  return (const core_plan_length*)(core_plan_makes(p) + p->num_makes);
}
static inline const core_plan_move* core_plan_moves(const core_plan* p) {
  return (const core_plan_move*)(core_plan_lengths(p) + p->num_lengths);
}

/* Python calls of a function that ask for its code: those before take as long as a few wrappers take to compile. */
#define CORE_PLAN_LIMIT 20000
/* Calls of `f` by Python go by the plan, bytes, from now on. */
void core_plan_set(core_function* f, PyObject* plan, int keywords, uint32_t limit);

/* -- plan_plain.c -- */
PyObject* core_plan_plain(PyObject* module, PyObject* args);
/* New: the plan of the texts of types, a tuple of which the last is the result's; None where one is not plain; NULL with an
 * exception. */
PyObject* core_plan_of_plain(PyObject* texts, int flags, int pad);

/* -- plan_bound.c -- */
PyObject* core_bind_plain(PyObject* module, PyObject* args);

/* -- plan_values.c -- */
/* Python's object to the step's words. -1 with an exception. */
int core_plan_unbox(core_plan_call* call, const core_plan_step* step, PyObject* object);
/* New: of the bytes at `at`, as they come back; NULL with an exception. */
PyObject* core_plan_box(core_plan_call* call, const core_plan_step* step, int32_t index, const void* at);
/* What a callee may not use without the lock: -1 with ValueError. */
int core_plan_check_sole(core_plan_call* call, const core_plan_step* step);
/* Whether a result is a reference, which C gives or gets; NULL says that it failed. */
static inline int core_plan_owns(const core_plan_step* result) {
  return result->code == CORE_PLAN_object || result->code == CORE_PLAN_container || result->code == CORE_PLAN_tensor;
}
/* Where the bytes of a value are, the first of whose words is at `words`. */
static inline void* core_plan_bytes(const core_plan_step* step, uint64_t* words) {
  const int is_behind = step->code == CORE_PLAN_structure || (step->flags & CORE_STEP_BY_ADDRESS);
  return is_behind ? (void*)(uintptr_t)words[0] : words;
}
/* Lets go of what the step alone holds. */
void core_plan_release(core_plan_call* call, const core_plan_step* step);

/* -- plan_slots.c -- */
/* Calls the packed callee with the values, and gives its result, new: NULL with an exception and *status -1, or the last error and
 * -2. */
PyObject* core_plan_run_slots(core_plan_call* call, core_native_call* native, int* status);

/* -- plan_callback.c -- */
/* Calls the callable with the values, and gives its result as of the type, new. NULL with an exception. */
PyObject* core_plan_run_callable(core_plan_call* call);
/* Lets `f`, whose callee is a Python callable, have a C entry that goes by its plan; `closure`: one of its own. -1 with an
 * exception. */
int core_plan_set_callback(core_function* f, PyObject* plan, int32_t result_class, int closure, uint32_t limit);

/* -- plan_call.c: entries of Functions with a plan -- */
PyObject* core_plan_entry(PyObject* self, PyObject* const* args, Py_ssize_t given);
PyObject* core_plan_entry_keywords(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames);
/* A call of `f` by a plan has begun, of Python's or of C's: asks for code when there have been many. -1 with an exception. */
int core_plan_called_often(core_function* f, uint32_t* calls, int by_c);
static inline int core_plan_count(core_function* f, int by_c) {
  uint32_t* calls = by_c ? &f->c_plan_calls : &f->plan_calls;
  return ++*calls >= f->plan_limit ? core_plan_called_often(f, calls, by_c) : 0;
}

#endif
