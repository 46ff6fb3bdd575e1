/* Python containers to native ones and back, nested ones too. */
#ifndef JITFFI_PYTHON_CONVERT_H
#define JITFFI_PYTHON_CONVERT_H

#include "interpreter.h"
#include "jitffi/abi.h"

/* -- convert.c: results are new, NULL or -1 with an exception -- */
int core_pad_of(PyObject* object, int32_t* pad);            /* 0 to JF_MAX_PAD, else ValueError; -1 */
jf_object* core_list_from(PyObject* iterable, int32_t pad); /* iterable NULL: empty; pad below 0: the default */
jf_object* core_tuple_from(PyObject* iterable);
jf_object* core_map_from(PyObject* mapping_or_pairs, int32_t pad); /* as core_list_from */
jf_object* core_set_from(PyObject* iterable, int32_t pad);         /* the same */
/* New container for an exact list, tuple, dict or set; NULL without an exception for anything else. */
jf_object* core_container_from(PyObject* object);
jf_object* core_items_of(
    PyObject* object); /* the list or tuple of a wrapper, borrowed; NULL, with an exception when moved */
int core_list_add(jf_object* list, PyObject* item);
int core_list_extend(jf_object* list, PyObject* iterable); /* on failure some items may be there */
int core_map_put(jf_object* map, PyObject* key, PyObject* value);
int core_map_update(jf_object* map, PyObject* mapping_or_pairs); /* as dict.update */
/* As set.update; where `left_out` is not NULL it counts what no native set can hold, which is a failure else. */
int core_set_update(jf_object* set, PyObject* iterable, Py_ssize_t* left_out);

/* -- to_python.c -- */
int core_is_container(int32_t type_code); /* of a list, tuple, map or set, or what is based on one */
PyObject* core_to_plain(PyObject* wrapper, PyObject* made);
PyObject* core_to_python(jf_object* container); /* new list, tuple, dict or set, nested ones too; borrows */
PyObject* core_made_to_python(jf_object* container);
PyObject* core_result_to_python(jf_object* container); /* the same, but for those that Python has already */

#endif
