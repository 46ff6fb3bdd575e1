/* The extension module `jitffi._core`: puts the parts together. */
#include "array.h"
#include "call.h"
#include "dlpack.h"
#include "error.h"
#include "function.h"
#include "gil.h"
#include "host_object.h"
#include "jitffi/runtime.h"
#include "map_object.h"
#include "ndarray_object.h"
#include "parts.h"
#include "pointer.h"
#include "sequence.h"
#include "shape_object.h"
#include "struct.h"
#include "text_object.h"
#include "wrapper.h"

static PyObject* live_objects(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return PyLong_FromLongLong(jf_live_objects());
}

static PyObject* abi_version(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return PyLong_FromUnsignedLong(jf_abi_version());
}

static PyObject* error_registry(PyObject* module, PyObject* unused) {
  (void)module;
  (void)unused;
  return Py_XNewRef(core_error_registry(1));
}

static PyMethodDef methods[] = {
    {"live_objects", live_objects, METH_NOARGS, "How many native objects there are."},
    {"abi_version", abi_version, METH_NOARGS, "The runtime's ABI, major << 16 | minor."},
    {"error_registry", error_registry, METH_NOARGS, "Classes by kind, and kinds by the class's address."},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT,
    .m_name = "jitffi._core",
    .m_size = -1,
    .m_methods = methods,
};

PyMODINIT_FUNC PyInit__core(void) {
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    PyErr_SetString(PyExc_ImportError, "jitffi does not support sub-interpreters");
    return NULL;
  }
  PyObject* module = PyModule_Create(&definition);
  if (!module) return NULL;
  if (core_layout_init(module) < 0 || core_table_init(module) < 0 || core_call_init(module) < 0 ||
      core_gil_init(module) < 0 || core_object_init(module) < 0 || core_host_init(module) < 0 ||
      core_error_init(module) < 0 || core_handle_init(module) < 0 || core_dtype_init(module) < 0 ||
      core_device_init(module) < 0 || core_iterate_init(module) < 0 || core_list_init(module) < 0 ||
      core_tuple_init(module) < 0 || core_collect_init(module) < 0 || core_function_init(module) < 0 ||
      core_construct_init(module) < 0 || core_globals_init(module) < 0 || core_hooks_init(module) < 0 ||
      core_code_init(module) < 0 || core_library_init(module) < 0 || core_machine_init(module) < 0 ||
      core_string_init(module) < 0 || core_bytes_init(module) < 0 || core_shape_init(module) < 0 ||
      core_ndarray_init(module) < 0 || core_pointer_init(module) < 0 || core_pointers_init(module) < 0 ||
      core_struct_init(module) < 0 || core_structs_init(module) < 0 || core_objects_init(module) < 0 ||
      core_arrays_init(module) < 0 || core_map_init(module) < 0 || core_module_init(module) < 0 ||
      core_image_init(module) < 0 || core_script_init(module) < 0 || core_script_quick_init(module) < 0 ||
      core_llvm_apart_init(module) < 0 || core_script_interrupt_init(module) < 0 || core_script_left_init(module) < 0 ||
      core_script_long_init(module) < 0 || core_script_guess_init(module) < 0 || core_script_object_init(module) < 0 ||
      core_script_global_init(module) < 0 || core_script_host_init(module) < 0 ||
      core_script_attribute_init(module) < 0 || core_counting_init(module) < 0 || core_trace_init(module) < 0 ||
      core_variadic_init(module) < 0 || core_converted_init(module) < 0 || core_unwind_init(module) < 0 ||
      core_plan_init(module) < 0 || core_debugger_init(module) < 0 || core_structural_init(module) < 0 ||
      core_tvm_init(module) < 0) {
    Py_DECREF(module);
    return NULL;
  }
  jf_set_array_reader(core_read_host_array);
  return module;
}
