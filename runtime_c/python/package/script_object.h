/* What code of scripts calls for values that are Python's own objects: names, owners and conversions.
 *
 * All of it needs the interpreter's lock. A PyObject* that is returned is a new reference, NULL with the last error set; an int32_t
 * is 0, or -1 with it; arguments are borrowed. jitffi/runtime/script_object_entry_points.py has a row for each.
 */
#ifndef JITFFI_PYTHON_SCRIPT_OBJECT_H
#define JITFFI_PYTHON_SCRIPT_OBJECT_H

#include "error.h"
#include "interpreter.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"

/* A slot that only goes between a script's entry and script.c: a reference to a Python object, borrowed in an argument, owned in
 * a result. Below all codes of the ABI. */
enum { CORE_PYTHON_REFERENCE = -64 };

/* What an operation gives, with its exception as the last error where it has failed. */
static inline PyObject* core_op_checked(PyObject* made) {
  if (made == NULL) core_error_from_python();
  return made;
}

static inline int32_t core_op_status(int result) {
  if (result < 0) core_error_from_python();
  return result;
}

/* -- script_object.c: counting, and values as objects and back ------------------------------------------------------------ */
void core_op_retain(PyObject* object);
void core_op_release(PyObject* object); /* NULL: nothing. The last error stays what it is */
/* The value of an int of 64 bits, float, bool, None, str or bytes, exactly that; of wrappers their object; else a host object.
 * *slot, null, gets a view of it, which is good while the object and *span are, or owns what had to be made. */
int32_t core_op_view(PyObject* object, jf_value* slot, jf_span* span);
int32_t core_op_view_shown(PyObject* object, jf_value* slot, jf_span* span); /* containers as the objects they are */
int32_t core_op_view_as(PyObject* object, jf_value* slot, jf_span* span);    /* of derived classes, too */
int32_t core_op_put(PyObject* object, jf_value* out); /* the same, owned, into a null out-slot with its capacity */
/* Whether it is a str with half of a character alone, which text of scripts cannot have; NULL is none. */
int core_is_beyond_text(PyObject* text);
/* Also owned: the text that a regular expression goes through, of a str or buffer of any class. TypeError, ValueError. */
int32_t core_op_subject(PyObject* object, jf_value* out);
PyObject* core_op_box(const jf_view* view);
PyObject* core_op_box_int(int64_t value);
PyObject* core_op_box_float(double value);
PyObject* core_op_box_char(int32_t value);
PyObject* core_op_box_text(const jf_text* text);
PyObject* core_script_kept_text(const jf_text* text); /* script_text.c: new; NULL, without an error: none is kept */
PyObject* core_op_box_bytes(const jf_text* bytes);
PyObject* core_op_box_native(jf_object* object);
/* The value of an argument: where its slot is a CORE_PYTHON_REFERENCE that one, else a new object, which *owner keeps. NULL. */
PyObject* core_op_argument(const jf_view* view, PyObject** owner);
void core_op_result(PyObject* object, jf_value* out); /* steals it, into a null out-slot */

/* -- script_object_op.c: operators by JF_OP_*, comparisons by JF_LT and its like ---------------------------------------------- */
PyObject* core_op_binary(int32_t op, PyObject* a, PyObject* b);
PyObject* core_op_inplace(int32_t op, PyObject* a, PyObject* b);
PyObject* core_op_unary(int32_t op, PyObject* object);
PyObject* core_op_compare(int32_t op, PyObject* a, PyObject* b);
int32_t core_op_test(int32_t op, PyObject* a, PyObject* b); /* the truth of that: 1, 0 or -1 */
int32_t core_op_truth(PyObject* object);                    /* 1, 0 or -1 */
int32_t core_op_isinstance(PyObject* object,
                           int32_t mask); /* of jf_op_isinstance, and of classes derived from those: 1 or 0 */
double core_op_math(int32_t function, double x, double y); /* script_math.c */
int32_t core_op_length(PyObject* object, int64_t* out);
PyObject* core_op_item(PyObject* object, PyObject* key);
PyObject* core_op_item_at(PyObject* object, int64_t index);
int32_t core_op_set_item(PyObject* object, PyObject* key, PyObject* value); /* NULL: deletes it */
PyObject* core_op_slice(PyObject* start, PyObject* stop, PyObject* step);   /* NULL: None */
int32_t core_op_contains(PyObject* container, PyObject* item);              /* 1, 0 or -1 */
PyObject* core_op_iterator(PyObject* object);
int32_t core_op_next(PyObject* iterator, PyObject** out); /* 1 with a new reference, 0 at the end, -1 */
/* That many new references, all NULL on failure; of a star's there is one more, a list, behind the first `before`. */
int32_t core_op_unpack(PyObject* object, int64_t count, PyObject** out);
int32_t core_op_unpack_rest(PyObject* object, int64_t before, int64_t after, PyObject** out);

/* -- script_attribute.c: the cache is 16 bytes of the code that asks, zeroed at first ---------------------------------------------- */
typedef struct core_attribute core_attribute;
PyObject* core_op_attribute(PyObject* object, PyObject* name, core_attribute* cache);
int32_t core_op_set_attribute(PyObject* object, PyObject* name, PyObject* value,
                              core_attribute* cache); /* NULL: deletes it */
/* Borrowed: what is called with the object in front of the arguments; NULL where that takes a look-up. */
PyObject* core_attribute_method(PyObject* object, PyObject* name, core_attribute* cache);

/* -- script_field.c: of a registered object, where its class is not the one that code has seen: `field` is a kind in eight bits,
 * an offset in 32, and what the kind does not say of it; `seen` the complement of a version of a class ------------------------------------------------------------------- */
int32_t core_op_field(PyObject* object, PyObject* name, int64_t field, uint32_t* seen,
                      void* out); /* out: a double, or an int of 64 bits */
int32_t core_op_slot_field(PyObject* object, PyObject* name, int64_t field, uint32_t* seen,
                           jf_value* out); /* into a null out-slot */
int32_t core_op_set_field(PyObject* object, PyObject* name, PyObject* value, int64_t field, uint32_t* seen);
PyObject* core_op_object_at(jf_object* const* place); /* what a field gives that is an object */
PyObject* core_op_object_field(PyObject* object, PyObject* name, int64_t field, uint32_t* seen);
jf_object* core_op_container_at(jf_object* const* place, int32_t code); /* borrowed: what a field gives that is one */
jf_object* core_op_container_field(PyObject* object, PyObject* name, int64_t field, uint32_t* seen); /* new */
/* The same of an array of that core_array_kind: borrowed, NULL without an error for what is none, and new. */
jf_object* core_op_array_at(jf_object* const* place, int32_t kind);
jf_object* core_op_array_field(PyObject* object, PyObject* name, int64_t field, int32_t kind, uint32_t* seen);
/* What such an array refuses, in NDArray's words: an index, and a number, the int or else, where that is 0, the float. Always -1. */
int32_t core_op_array_outside(int64_t index, int64_t size, int32_t axis);
int32_t core_op_array_beyond(int64_t whole, double number, const char* element);
/* What Python's container makes of one of its objects that is put into it, 0. What it refuses is as it is where it is
 * only looked for, 1; as an index, 2, a bound, 3, or an argument, 4, what has an __index__() is that int. */
int32_t core_op_contained(const jf_view* value, int32_t role, jf_value* out);
PyObject* core_op_object_item(const jf_any* slot); /* what an item is: a slot, or an object */
/* Whether the name stands for that, in its class and nowhere else, or for super(owner, object), for who reads, 0, or sets,
 * 1; of a class that is asked itself, 2, which is not noted: 1 or 0. */
int32_t core_op_is_method(PyObject* object, PyObject* owner, PyObject* name, PyObject* method, int32_t role,
                          uint32_t* seen);

/* -- script_object_call.c ----------------------------------------------------------------------------------------------------- */
/* The array has a free place in front; its last ones have the names, a tuple or NULL. A method's first one is what has it. */
PyObject* core_op_call(PyObject* callable, PyObject** args, int64_t count, PyObject* names);
/* A call of what seems to be a registered class: views of values, CORE_PYTHON_REFERENCE for objects. */
PyObject* core_op_make(PyObject* callable, const jf_view* args, int64_t count, PyObject* names);
/* New: an object of a registered class before its __init__, which has to be that function; NULL without an error: it is
 * Python's to make. Behind that function the other is called. */
PyObject* core_op_new(PyObject* callable, PyObject* init);
int32_t core_op_made(PyObject* object);
/* New: what is called for a method whose arguments are evaluated behind it; *self is the object where that comes in front of them,
 * borrowed, else NULL. */
PyObject* core_op_method(PyObject* object, PyObject* name, core_attribute* cache, PyObject** self);
/* Its first argument is that self, which counts either way. */
PyObject* core_op_call_found(PyObject* callable, PyObject** args, int64_t count, PyObject* names);
PyObject* core_op_call_method(PyObject* name, PyObject** args, int64_t count, PyObject* names, core_attribute* cache);
/* With stars: a byte each, 0 by position, 1 *iterable, 2 by name (the next of names), 3 **mapping. */
PyObject* core_op_call_spread(PyObject* callable, PyObject* const* parts, int64_t count, const char* kinds,
                              PyObject* names);

/* -- script_global.c ---------------------------------------------------------------------------------------------------------- */
/* What a name of a module stands for, as it was when the versions of the module's dict and of the builtins were these. */
typedef struct core_global core_global;
PyObject* core_op_global(core_global* cell); /* NameError */

/* -- script_function.c -------------------------------------------------------------------------------------------------------- */
PyObject* core_op_cell(PyObject* value);                                     /* with that in it; NULL: with nothing */
PyObject* core_op_cell_get(PyObject* cell, PyObject* name, int32_t is_free); /* UnboundLocalError; NameError */
void core_op_cell_set(PyObject* cell, PyObject* value);                      /* NULL: empties it */
/* Of code that the interpreter has compiled. `parts`: a cell for each of its free variables, so many defaults, those by name alone
 * and annotations, each as many as names, which are tuples or NULL. */
PyObject* core_op_function(PyObject* code, PyObject* globals, PyObject** parts, int64_t num_defaults, PyObject* by_name,
                           PyObject* annotated);

/* -- script_import.c ---------------------------------------------------------------------------------------------------------- */
PyObject* core_op_import(PyObject* name, int32_t is_whole); /* `import name`; with `as` all of "a.b", else "a" */
PyObject* core_op_import_from(PyObject* module, PyObject* name);

/* -- script_match.c ------------------------------------------------------------------------------------------------------------ */
int32_t core_op_fits(PyObject* object, int32_t is_mapping); /* whether a pattern of a mapping, or a sequence, may fit */
/* A list of what the sub-patterns are tried on, so many by position and those of the names (a tuple or NULL); None: it does not
 * fit. */
PyObject* core_op_match_class(PyObject* subject, PyObject* cls, int64_t count, PyObject* names);

/* -- script_raise.c: exceptions. What is being handled is the innermost except clause's of this thread -------------------------- */
int32_t core_op_raise(PyObject* exception, PyObject* cause); /* NULL: there is no `from`; always -1 */
PyObject* core_op_caught(void);                              /* what is being handled */
/* str() of what that clause is handling, or format(). */
int32_t core_op_told(jf_handled* handled, int32_t is_formatted, jf_value* out);
int32_t core_op_catches(PyObject* classes);                  /* whether that is of one of these: 1, 0 or -1 */
PyObject* core_op_enter(PyObject* manager, PyObject** exit); /* what __enter__ gives; new, too: its __exit__ */
/* Calls it, with what is being handled or with None: 1 where that is suppressed, 0, or -1. */
int32_t core_op_exit(PyObject* exit, int32_t has_failed);

#endif
