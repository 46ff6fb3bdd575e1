/* What code of scripts calls for lists, dicts and tuples that are exactly Python's own, read and written where they are.
 *
 * All of it needs the interpreter's lock. An int32_t is 0, or -1 with the last error set, unless it says otherwise; arguments are
 * borrowed, `steals` says which are not. jitffi/runtime/script_container_entry_points.py has a row for each.
 */
#ifndef JITFFI_PYTHON_SCRIPT_CONTAINER_H
#define JITFFI_PYTHON_SCRIPT_CONTAINER_H

#include "interpreter.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "script_object.h"

/* -- script_text.c: what the methods of str give. New; ValueError, NULL ------------------------------------------------------- */
PyObject* core_op_text_partition(PyObject* text, PyObject* separator, int32_t from_end);
/* The separator may be NULL: white space. */
PyObject* core_op_text_split(PyObject* text, PyObject* separator, int64_t most, int32_t from_end);

/* -- script_list.c ---------------------------------------------------------------------------------------------------------- */
int32_t core_op_int(PyObject* object, int64_t* out); /* 1: it is exactly an int, of so many bits; 0 */
/* As core_op_view, for functions of others: lists, dicts and tuples become native ones, as arguments from Python do. */
int32_t core_op_pass(PyObject* object, jf_value* slot, jf_span* span);
/* As core_op_box, for what is put into a container: lists, dicts and tuples of ours become Python's own. */
PyObject* core_op_box_stored(const jf_view* view);
/* New: a native list, dict or tuple that nobody else has as Python's own; NULL. */
PyObject* core_op_own(jf_object* made);
PyObject* core_op_list_new(int64_t size);                                 /* new, its items yet to be stored; NULL */
PyObject* core_op_tuple_new(int64_t size);                                /* the same */
int32_t core_op_list_append(PyObject* list, PyObject* value);             /* steals value, on failure too */
int32_t core_op_list_set(PyObject* list, int64_t index, PyObject* value); /* the same; IndexError */
/* What `object.append`, of whatever it is, gives, as core_op_method does; a list itself. New; NULL. */
PyObject* core_op_append_of(PyObject* object, PyObject* name, core_attribute* cache, PyObject** self);
/* Calls it with `*self`, in args[0], and args[1]. New; NULL. */
PyObject* core_op_append(PyObject* found, PyObject** args);
PyObject* core_op_list_pop(PyObject* list, int64_t index); /* new; IndexError, NULL */
int32_t core_op_list_sort(PyObject* list);                 /* of numbers or texts */
PyObject* core_op_list_slice(PyObject* list, int64_t start,
                             int64_t stop); /* new; of a list or tuple, in steps of one; NULL */

/* -- script_guess.c --------------------------------------------------------------------------------------------------------- */
/* New: a copy of a list whose items are all of the class that is guessed; NULL with an error that leaves the call to the
 * interpreter. */
PyObject* core_op_guessed(PyObject* list, int32_t guess);
int32_t core_op_guessed_native(const jf_object* list, int32_t guess); /* the same of a List, where it is */
/* The text of such a str that is no ASCII: where it lies, or in *slot, null. */
int32_t core_op_guessed_text(PyObject* item, jf_value* slot, jf_text* out);

/* -- script_dict.c ---------------------------------------------------------------------------------------------------------- */
/* A key is an object, or a text that none is made of to look it up. */
PyObject* core_op_set_new(void); /* new; NULL */
int32_t core_op_set_add(PyObject* set, PyObject* item);
int32_t core_op_dict_update(PyObject* dict, PyObject* other); /* `**other` in a display */
PyObject* core_op_dict_new(void);                             /* new; NULL */
PyObject* core_op_dict_item(PyObject* dict, PyObject* key);   /* borrowed; KeyError, NULL */
PyObject* core_op_dict_item_text(PyObject* dict, const jf_text* key);
int32_t core_op_dict_find(PyObject* dict, PyObject* key, PyObject** value); /* 1: borrowed; 0: there is none; -1 */
int32_t core_op_dict_find_text(PyObject* dict, const jf_text* key, PyObject** value);
/* `text in container`, whatever that is: 1; 0; -1 */
int32_t core_op_contains_text(PyObject* container, const jf_text* text);
int32_t core_op_dict_set(PyObject* dict, PyObject* key, PyObject* value);
int32_t core_op_dict_set_text(PyObject* dict, const jf_text* key, PyObject* value);
/* `dict.setdefault(key, otherwise)`: borrowed; NULL. */
PyObject* core_op_dict_setdefault(PyObject* dict, PyObject* key, PyObject* otherwise);
PyObject* core_op_dict_setdefault_text(PyObject* dict, const jf_text* key, PyObject* otherwise);
/* dict[key] += more, of what is there; else dict[key] = first. */
int32_t core_op_dict_count(PyObject* dict, PyObject* key, int64_t first, int64_t more);
int32_t core_op_dict_count_text(PyObject* dict, const jf_text* key, int64_t first, int64_t more);

/* An iteration, as CPython's own: it fails where the dict is not as long any more. */
typedef struct {
  Py_ssize_t at, used, left;
} core_dict_walk;
void core_op_dict_walk(PyObject* dict, core_dict_walk* walk);
/* 1 with both, borrowed, 0 at the end, -1. */
int32_t core_op_dict_next(PyObject* dict, core_dict_walk* walk, PyObject** key, PyObject** value);

#endif
