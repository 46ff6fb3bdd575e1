/* Functions whose code is a script's: their variants, and how they are called. */
#ifndef JITFFI_PYTHON_SCRIPT_H
#define JITFFI_PYTHON_SCRIPT_H

#include "function.h"
#include "jitffi/runtime.h"
#include "unbox.h"

/* -- script.c, script_setup.c -- */
void core_script_free(core_script* script); /* NULL is allowed */
PyObject* core_script_call(PyObject* self, PyObject* const* args, Py_ssize_t given,
                           PyObject* kwnames); /* METH_FASTCALL | METH_KEYWORDS */
PyObject* core_script_vectorcall(PyObject* self, PyObject* const* args, size_t flags, PyObject* kwnames);
int32_t core_script_entry(jf_function* self, int32_t count, const jf_view* args, jf_value* out); /* self: its handle */

enum { CORE_MOST_VARIANTS = 8 };

/* Type tags, as jitffi/scripts/api/dispatch.py counts them. */
enum {
  CORE_TAG_ANY,
  CORE_TAG_NONE,
  CORE_TAG_BOOL,
  CORE_TAG_INT,
  CORE_TAG_FLOAT,
  CORE_TAG_STR,
  CORE_TAG_BYTES,
  CORE_TAG_LIST,
  CORE_TAG_DICT,
  CORE_TAG_TUPLE,
  CORE_TAG_FUNC,
  CORE_TAG_OBJECT, /* of Python's, passed as it is; and so are those that are exactly these */
  CORE_TAG_OWN_LIST,
  CORE_TAG_OWN_DICT,
  CORE_TAG_OWN_TUPLE,
  CORE_TAG_OWN_SET,
  CORE_TAG_U64 = CORE_TAG_OWN_SET | 1 << 4
};

/* A tag has eight bits: the lower four, of all parameters, are one word, and the upper four, which are not 0 for arrays and
 * lists alone, another. Of an array these are its rank, and those the number of its element in dispatch.py; of a list of
 * Python's own, what its items seem to be, and of a List that and so many more; an int above 2**63 - 1 is told by both. */
typedef struct {
  uint64_t kinds;
  uint64_t ranks;
} core_tags;
enum { CORE_MOST_TOLD_APART = 16, CORE_MOST_GUESSES = 3 };

/* What a view leads to: text as a span of bytes or as code points, behind the str or bytes that it is read of; or an object, which
 * is owned. The view of text says CORE_TEXT_GIVEN in the place of a length. */
enum { CORE_TEXT_GIVEN = 0x74786574 };
typedef struct {
  PyObject* text;
  union {
    jf_span span;
    core_ucs4_room wide;
  };
  jf_object* owned;
} core_room;

typedef struct core_quick core_quick;

typedef struct {
  core_tags type_tags; /* of its arguments */
  jf_packed_call call;
  uint64_t reads;    /* a bit for each parameter whose list, dict or struct it only reads */
  int32_t repeats;   /* it changes nothing outside: the interpreter can make its call once more */
  int32_t python;    /* it has to do with objects of Python's, so it needs the lock */
  core_quick* quick; /* better code is being made, which takes the place of `call`; NULL: it is there. Under the GIL */
} core_variant;

typedef struct {
  int32_t count;          /* of variants; grows under the GIL, is read without. -1: another table is used instead */
  core_variant otherwise; /* serves arguments of all types; its call is NULL while there is none */
  core_variant variants[CORE_MOST_VARIANTS];
} core_variants;

typedef struct core_kept core_kept;
typedef struct core_script_classes core_script_classes;

/* What calls go by before there is code; see script_first.c. Under the GIL. */
typedef struct {
  PyObject* rounds; /* bytes: how its loops' rounds are counted; NULL: it has none */
  PyObject* function;
  PyObject* told;         /* is called after some of them */
  double most, small;     /* rounds of a short call; what a default comes to */
  int64_t often, enough;  /* from so many calls, or nanoseconds in them, on each is told */
  int64_t longest;        /* nanoseconds after which none begins inside of another */
  PyObject* look;         /* whom to ask, once, whether longer calls can be given up; NULL: asked */
  PyObject* codes;        /* tuple: where such a call may end; NULL: nowhere */
  PyObject* watch;        /* lets a thread look at it */
  uint64_t kept;          /* a bit for each parameter that is to be no container then */
  int64_t enough_at_once; /* nanoseconds after which it ends */
  int64_t calls, spent;
  core_tags type_tags; /* of the last one that was told */
  core_tags beginning_tags;
  void* beginning;  /* the thread that is on its way into one; NULL */
  int32_t is_long;  /* which may be a long one */
  int32_t is_asked; /* whether there are such calls is known */
  int32_t is_open;  /* there are */
  int32_t running;  /* in each other, or on other threads */
  int64_t start;    /* of the first of those */
} core_first;

enum { CORE_STAR_ARGS = 1, CORE_STAR_KWARGS = 2 };

struct core_script {
  core_tags asked;    /* all bits of each parameter whose type tag, or only whose second part, tells variants apart */
  core_tags defaults; /* type tags of the defaults, none of which is an array */
  uint64_t buffers;   /* a bit for each parameter that takes whatever has bytes */
  uint64_t arrays;    /* a bit for each parameter that takes whatever is an array */
  PyObject* structs;  /* tuple: of each parameter the class that it is a struct of, or None; NULL: none is a struct */
  int32_t num_params, num_required;
  int32_t num_positional;  /* the first ones, which have no names for callers */
  int32_t num_by_position; /* those that are given by position; behind them are those by name alone, and the stars */
  int32_t stars;           /* CORE_STAR_*: the last parameters get what has no other */
  int32_t least_plain;     /* as many arguments by position, or more, need not be arranged */
  int32_t nogil;
  int32_t strict;         /* what scripts cannot hold is an error, and nothing for the interpreter */
  int32_t returns_python; /* results that are containers become Python's own, all the way down */
  int32_t unsure;         /* no list is taken for one of items of one type */
  int32_t left;           /* some variant could not be compiled: calls are the Python function's; see script_left.c */
  int32_t
      pool; /* pad of the lists and maps that Python's lists and dicts among the arguments become; -1: the default */
  PyObject *names, *values; /* tuples of the parameters' names, and of the last ones' defaults */
  PyObject* missing;        /* stands in values where there is no default */
  jf_view* default_views;   /* of those */
  core_room* default_rooms;
  jf_temps default_temps;
  core_variants own;
  /* While pads are tuned there are tables for each, all kept as others may be reading them, and one is used; else NULL. */
  core_variants *used, **tables;
  int32_t num_tables;
  core_kept* kept;              /* one a parameter, or NULL: see script_kept.c */
  core_script_classes* classes; /* script_class.c's own; NULL: none was met */
  core_first first;
  core_function* function;
  core_script *next, *previous; /* all scripts there are */
};

uint64_t core_script_type_tag(const jf_any* view);

/* -- script_arrange.c -- */
/* All arguments in the order of the parameters, in `out`, until they are disarranged: borrowed, but for a tuple and a dict of what
 * stars get. -1 with a TypeError. */
int core_script_arrange(const core_function* f, PyObject* const* args, Py_ssize_t given, PyObject* kwnames,
                        PyObject** out);
void core_script_disarrange(const core_script* script, PyObject** out);
/* Whether the parameter takes objects of Python's as they are. */
static inline int core_script_takes_objects(const core_script* script, int32_t index) {
  return !script->strict && index < CORE_MOST_TOLD_APART && (script->asked.kinds >> (4 * index) & 15) != 0;
}

/* Of a list, dict, tuple or set that is exactly that; 0 of others. */
static inline int64_t core_script_own_tag(const PyObject* object) {
  const PyTypeObject* const type = Py_TYPE(object);
  return type == &PyList_Type    ? CORE_TAG_OWN_LIST
         : type == &PyDict_Type  ? CORE_TAG_OWN_DICT
         : type == &PyTuple_Type ? CORE_TAG_OWN_TUPLE
         : type == &PySet_Type   ? CORE_TAG_OWN_SET
                                 : 0;
}

/* -- script_guess.c -- */
#define CORE_SCRIPT_BEYOND_GUESS "a list of items of several types"
/* What the items of a list seem to be, the upper four bits of its tag; 0 of others, and where nothing is to be guessed. */
int64_t core_script_guess(core_function* f, PyObject* object); /* -1 with an exception */
int64_t core_script_guess_native(const core_script* script, const jf_object* list);

/* -- script_class.c -- */
/* The number of the registered class that the object is exactly of, the upper four bits of its tag; 0 of others, -1 with an exception. */
int64_t core_script_class(core_function* f, PyObject* object);

/* -- script_first.c -- */
/* Whether the interpreter makes this call, for which there is no variant: 1, and core_first_call is to follow; 0; -1 with
 * an exception. */
int core_first_begins(core_function* f, core_tags type_tags, PyObject* const* args, Py_ssize_t given);
int core_first_has_begun(const core_script* script);
PyObject* core_first_call(PyObject* self, PyObject* const* args, Py_ssize_t given,
                          PyObject* kwnames); /* METH_FASTCALL | METH_KEYWORDS */
void core_first_free(core_first* first);

/* -- script_interrupt.c, script_long.c -- */
int core_is_main_thread(void);
int64_t core_script_now(void); /* nanoseconds */
/* Whether the interpreter may begin a call of which nobody knows how long it will be: 1, 0, or -1 with an exception. */
int core_long_may_be(core_first* first, PyObject* const* args, Py_ssize_t given);
/* Right before it; whether core_long_end is to follow. */
int core_long_begin(const core_first* first);
/* Whether it was given up, and code is to make it; the exception is taken then. */
int core_long_end(PyObject* result);

/* -- script_left.c, script_field.c -- */
#define CORE_SCRIPT_BEYOND_FIELD "a field of a registered class, or a container in it, has become another type's"
#define CORE_SCRIPT_BEYOND_TEXT "text of a script has no lone surrogates"
/* Whether a value beyond what scripts hold has ended a call of the variant, and the interpreter is to make the call again: the last error is taken
 * then. */
int core_script_left_error(core_script* script, const core_variant* variant);
/* The same of an exception that an argument has raised. */
int core_script_left_argument(const core_script* script);
/* METH_FASTCALL | METH_KEYWORDS, of a script that is left to the interpreter; of one call that is. */
PyObject* core_left_call(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames);

/* -- script_array.c -- */
/* Parameters that are told apart take NumPy's arrays as nd-arrays; those that are declared to be arrays take whatever has
 * the buffer protocol. *made: new, on the memory of the object, which it holds. 1; 0: it is no array of numbers; -1 with an
 * exception. */
int core_script_array(const core_script* script, int32_t index, PyObject* object, jf_object** made);
/* The tag of an array of numbers; 0 of another one. */
uint64_t core_script_array_tag(const jf_object* array);

/* -- script_kept.c -- */
/* A list or dict that is long enough for it to matter. */
static inline int core_kept_worth(PyObject* object) {
  enum { SHORTEST = 16 };
  if (PyList_CheckExact(object)) return PyList_GET_SIZE(object) >= SHORTEST;
  return PyDict_CheckExact(object) && PyDict_Size(object) >= SHORTEST;
}
/* New: what such an argument becomes, which the variant only reads; NULL with an exception. */
jf_object* core_kept_get(core_script* script, int32_t index, PyObject* container);
/* After a call that has used it, and has a reference still: what somebody else has, too, is kept no longer. */
void core_kept_check(core_script* script, int32_t index, const jf_object* used);
void core_kept_forget(core_script* script);
void core_kept_free(core_kept* kept, int32_t count); /* NULL: nothing */

/* -- script_pack.c -- */
/* For what is no ASCII str. */
int64_t core_script_pack_other(core_function* f, int32_t index, PyObject* object, jf_view* out, core_room* space,
                               jf_temps* temps);

/* TypeError for what is no such struct, and for those behind a pointer to const that the variant writes to. */
int core_script_check_structs(const core_function* f, PyObject* const* args, Py_ssize_t given, uint64_t reads);

/* Borrows object, which the view may point into; the view is good while `space` stays where it is. The type tag; -1
 * with an exception, or without one where the interpreter is to make the call. */
static inline int64_t core_script_pack(core_function* f, int32_t index, PyObject* object, jf_view* out,
                                       core_room* space, jf_temps* temps) {
  if (!PyUnicode_CheckExact(object) || !PyUnicode_IS_COMPACT_ASCII(object))
    return core_script_pack_other(f, index, object, out, space, temps);
  space->owned = NULL;
  space->text = object;
  space->span.data = PyUnicode_DATA(object);
  space->span.size = (size_t)PyUnicode_GET_LENGTH(object);
  out->type_code = JF_STR_VIEW;
  out->small_len = CORE_TEXT_GIVEN;
  out->v_span = &space->span;
  return CORE_TAG_STR;
}

#endif
