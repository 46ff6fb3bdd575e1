/* What converts one value into the item of a typed container, and what is said where it cannot: shared by unbox_item.c, which
 * does it, and unbox_container.c, which walks.
 */
#ifndef JITFFI_PYTHON_UNBOX_ITEM_H
#define JITFFI_PYTHON_UNBOX_ITEM_H

#include "borrow.h"
#include "error.h"
#include "jitffi/runtime.h"
#include "state.h"

/* The way to the value that is being converted, innermost first. */
typedef struct step step;
struct step {
  const step* outer;
  Py_ssize_t index;
  PyObject* key; /* NULL: an index, or -1 for an item of a set, which has no place */
};

/* What a message needs, the same during the whole walk. */
typedef struct {
  core_state* state;
  int32_t index;
  PyObject* whole;
  int as_they_are; /* a list is no tuple: what a union's types are asked at first */
  int is_tried; /* as one of a union's types: what is refused has no message, by which it is known from errors of others */
} subject;

/* A converted value: a view, and what it borrows from. */
typedef struct {
  core_borrowed borrowed;
  jf_temps temps;
} converted;

/* TypeError: "f: argument 1 'xs': expected list[u8], got list with str 'a' at [2]"; `what` is "" or "key ". Returns -1. */
int core_refuse_item(const subject* s, PyObject* got, const step* at, const char* what);
/* The same of an array, for its elements. */
int core_refuse_elements(const subject* s, PyObject* got, const step* at, const char* what, const jf_object* array);
/* Whether the exception that is set says that what is tried was refused. */
int core_is_refusal(void);
/* The same with the text of what came, which it steals. */
int core_refuse_text(const subject* s, PyObject* value, const step* at);
/* A value that is no container, borrowed, into zero-initialised *out. -1 with an exception, and nothing to give back. */
int core_convert_item(const subject* s, const jf_pattern* p, PyObject* object, const step* at, const char* what,
                      converted* out);

/* unbox_container.c: a value of any type, containers too; `p` is NULL for what need only be an object. As core_convert_item,
 * but where the whole of it is a container it is told as one. */
int core_convert_value(core_state* state, int32_t index, const jf_pattern* p, PyObject* object, converted* out);

static inline void converted_done(converted* value) {
  core_borrowed_done(&value->borrowed);
  jf_temps_release(&value->temps);
}

static inline int raised(int32_t status) {
  if (status != 0) core_error_raise(NULL);
  return status != 0 ? -1 : 0;
}

#endif
