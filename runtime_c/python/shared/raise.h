/* The messages of exceptions: who was called, which argument, what it expected and what it got. */
#ifndef JITFFI_PYTHON_RAISE_H
#define JITFFI_PYTHON_RAISE_H

#include "state.h"

/* "f: argument 2 'y': " or "f: argument 2: " or "f: result: " as a new str. */
PyObject* core_where(const core_state* state, int32_t index);
/* New: the type's name, and the value of a built-in one where that is short; runs no code of the user. */
PyObject* core_describe(PyObject* got);
/* The type's text of parameter `index`, borrowed. */
const char* core_type_text(const core_state* state, int32_t index);
/* TypeError "expected <type>, got <type name> <value when short>"; `note` (may be NULL) is appended in brackets. */
void core_raise_type(const core_state* state, int32_t index, PyObject* got, const char* note);
/* Any exception class with "<where>expected <type><range>, got <value>". */
void core_raise_value(const core_state* state, int32_t index, PyObject* exception, const char* detail, PyObject* got);
void core_raise_arity(const core_state* state, Py_ssize_t given);
/* The exception that is set gets "<where>" in front where that can be done without loss (same class, one str
 * argument), else a note or nothing: never another class, never lost. */
void core_raise_context(const core_state* state, int32_t index);
/* What core_unbox_* has refused without a state is said again of another place: "geo.Point.x: expected f64, got str 'abc'". Steals
 * `where`, which may be NULL with an exception; what Python code has raised stays as it is. */
void core_raise_elsewhere(PyObject* where, PyObject* expected);
/* The same for a place in a container, "item 3: ", which is stolen (NULL is allowed) and left out where Python code has raised. */
void core_raise_place(PyObject* place);
/* The same for the exception of an object's own conversion, unless it is the user's Python code that raised it. */
void core_raise_conversion(const core_state* state, int32_t index);
/* Always -1: what the conversion of an object has raised, so, or the TypeError of one that has none. */
int32_t core_raise_unconverted(const core_state* state, int32_t index, PyObject* object);

#endif
