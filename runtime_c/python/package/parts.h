/* The parts that only the package's extension has, each of which adds itself to the module: 0, or -1 with an exception. */
#ifndef JITFFI_PYTHON_PARTS_H
#define JITFFI_PYTHON_PARTS_H

#include "interpreter.h"

int core_layout_init(PyObject* module);
int core_table_init(PyObject* module); /* module.TABLE: names in order; module.SYMBOLS: their symbols */
int core_handle_init(PyObject* module);
int core_arrays_init(PyObject* module);
int core_construct_init(PyObject* module);
PyObject* core_new_function(PyObject* module, PyObject* args);
int core_globals_init(PyObject* module);
int core_hooks_init(PyObject* module);
int core_pointers_init(PyObject* module);
int core_structs_init(PyObject* module);
int core_objects_init(PyObject* module);
int core_code_init(PyObject* module);
int core_library_init(PyObject* module);
int core_machine_init(PyObject* module);
int core_module_init(PyObject* module);
int core_image_init(PyObject* module);
int core_script_init(PyObject* module);
int core_script_quick_init(PyObject* module);
int core_llvm_apart_init(PyObject* module); /* module.compile_apart, APART_NAMES */
int core_script_interrupt_init(PyObject* module);
int core_script_left_init(PyObject* module);
int core_script_long_init(PyObject* module);
int core_script_guess_init(PyObject* module);
int core_script_object_init(PyObject* module); /* module.SCRIPT_FUNCTIONS: addresses by name, for code of scripts */
int core_script_global_init(PyObject* module);
int core_script_host_init(PyObject* module);
int core_script_attribute_init(PyObject* module); /* module.KNOWS_VALUES */
int core_counting_init(PyObject* module);
int core_trace_init(PyObject* module);
int core_converted_init(PyObject* module);
int core_variadic_init(PyObject* module);
int core_structural_init(PyObject* module);
int core_tvm_init(PyObject* module);
int core_unwind_init(PyObject* module);   /* module.PERSONALITY: what descriptions of frames name */
int core_plan_init(PyObject* module);     /* module.PLAN_CODES, PLAN_LIMIT, plan, set_plan, bind_plain */
int core_debugger_init(PyObject* module); /* module.show_debugger */

#endif
