/* What may have changed something: operations that run code of somebody's class are counted. A call of a script that has failed for
 * want of a bigger int, and in which none was counted, is made again by the interpreter (script_left.c).
 */
#ifndef JITFFI_PYTHON_EFFECT_H
#define JITFFI_PYTHON_EFFECT_H

#include "interpreter.h"

extern uint64_t core_host_operations; /* so many, so far; host_object.c */

/* Whether operations among objects of these classes run nothing but the interpreter's own code, and change none of them. */
static inline int core_is_plain(PyObject* object) {
  const PyTypeObject* type = Py_TYPE(object);
  return type == &PyLong_Type || type == &PyUnicode_Type || type == &PyFloat_Type || type == &PyBool_Type ||
         type == &PyBytes_Type || type == &PyComplex_Type || object == Py_None;
}

static inline void core_count_effect(PyObject* object) { core_host_operations += (uint64_t)!core_is_plain(object); }

static inline void core_count_effects(PyObject* a, PyObject* b) {
  core_host_operations += (uint64_t)!(core_is_plain(a) && core_is_plain(b));
}

#endif
