/* What arguments stand for that do not fit as they are, by a value protocol of their class. */
#ifndef JITFFI_PYTHON_SAID_H
#define JITFFI_PYTHON_SAID_H

#include "jitffi/runtime.h"
#include "state.h"

/* Converts what was said, which temps keep, as an argument in the object's place. */
typedef int32_t core_unbox_again(core_state* state, int32_t index, PyObject* said, int64_t extra, void* out,
                                 jf_temps* temps);
/* In the place of core_raise_type: asks, and goes on with what is said. 0, or -1 with an exception: the TypeError names `object`. */
int32_t core_unbox_said(core_state* state, int32_t index, PyObject* object, core_unbox_again* again, int64_t extra,
                        void* out, jf_temps* temps);

/* The same where the TypeError is set already, and stays where nothing is said. */
int32_t core_unbox_said_instead(core_state* state, int32_t index, PyObject* object, core_unbox_again* again, void* out,
                                jf_temps* temps);

/* Text whose function is called again, or is kept by temps: -1 with the TypeError, and notes it for core_call_again. */
int32_t core_refuse_text_argument(core_state* state, int32_t index, PyObject* object);
/* As core_unbox_str and core_unbox_cstr, of what was said, too, which temps keep. */
int32_t core_unbox_str_kept(core_state* state, int32_t index, PyObject* object, jf_span* out, jf_temps* temps);
int32_t core_unbox_cstr_kept(core_state* state, int32_t index, PyObject* object, const char** out, jf_temps* temps);
/* The result of a callable, whose TypeError is set and stays where nothing is said: what is said is kept as by core_keep_cstr. */
int32_t core_unbox_cstr_result_said(core_state* state, PyObject* object, const char** out);
/* For compiled code whose text was refused, with the exception set: the result of the call with what was said instead, or NULL. */
PyObject* core_call_again(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* names);

#endif
