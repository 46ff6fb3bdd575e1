/* What a Function needs of whoever has made it: the package (package/hooks.c), or what was compiled beforehand for an emitted
 * module (emitted/hooks.c). New references, NULL or -1 with an exception.
 */
#ifndef JITFFI_PYTHON_HOOKS_H
#define JITFFI_PYTHON_HOOKS_H

#include "function.h"
#include "jitffi/abi.h"
#include "jitffi/pattern.h"

/* The Function to copy for callables that are given for parameter `index` (-1: the result), of a type func[...]. */
PyObject* core_hook_template(core_function* function, int32_t index);
/* A callable for the C function that came for such a one. */
PyObject* core_hook_boxed(core_function* function, int32_t index, void* address);
/* An entry that the Function has not got yet is put into it. */
int core_hook_native(core_function* function);
int core_hook_packed(core_function* function);
int core_hook_packed_code(core_function* function); /* of the package alone: at the first call of what has none */
int core_hook_python(core_function* function);
int core_hook_first_call(core_function* function); /* called by a plan for the first time; there may be code for it */
int core_hook_hot(core_function* function, int by_c); /* it is called often, by Python or by C, and has no code yet */
/* Of a script, for arguments of those type tags (script.h). */
int core_hook_variant(core_function* function, uint64_t kinds, uint64_t ranks);
PyObject* core_hook_class_number(core_function* function, PyObject* class); /* Script._class_number */
PyObject* core_hook_first_calls(core_function* function);                   /* what first_calls.of says */
PyObject* core_hook_signature(core_function* function);                     /* its text */
/* JSON for a trace: of the function, or of the place in that code that calls it (NULL: none). */
PyObject* core_hook_description(core_function* function, PyObject* code, int line, int of_site);
PyObject* core_hook_builtin(core_function* function);
PyObject* core_hook_convert(PyObject* callable); /* a Function, or its builtin, that takes whatever it is given */
PyObject* core_hook_function(jf_object* function,
                             const char* name); /* a callable for a function object of native code */
/* The Type that a text of the notation, or a Type, stands for, whose str is its canonical text; in emitted modules text itself. */
PyObject* core_hook_type(PyObject* spec);
/* The text of the types alone (state.types) for that of a type func[...]. */
PyObject* core_hook_types(PyObject* text);
/* The class of that key is made, which core_struct_class_of finds then. */
PyObject* core_hook_struct(PyObject* key);
/* What calls the C function at an address, whose type func[...] is told by its text; `name` is for messages. */
PyObject* core_hook_function_at(PyObject* type_text, PyObject* name, void* address, PyObject* kept);
/* A Function of that type that calls a callable. */
PyObject* core_hook_callback(PyObject* type_text, PyObject* name, PyObject* callable);
/* The Function to copy for callables that become function objects of a pattern's types. */
PyObject* core_hook_typed(const jf_pattern* pattern);
void core_hook_freed(core_function* function); /* the Function dies: so does what was kept for it */
int core_type_ready(PyTypeObject* type);       /* PyType_Ready, under the name that the class has here */
/* The Function behind a builtin whose `__self__` is none, borrowed; it has a C function. NULL without an exception. */
PyObject* core_hook_emitted(PyObject* builtin);

#endif
