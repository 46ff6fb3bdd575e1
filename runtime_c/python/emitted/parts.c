/* The parts of an emitted module: each starts once, and what it needs before it. */
#include "boxing.h"
#include "dlpack.h"
#include "emitted.h"
#include "error.h"
#include "function.h"
#include "gil.h"
#include "handle.h"
#include "host_object.h"
#include "map_object.h"
#include "ndarray_object.h"
#include "pointer.h"
#include "sequence.h"
#include "shape_object.h"
#include "struct.h"
#include "text_object.h"
#include "wrapper.h"

static int callables_started, dlpack_started, pointers_started, structs_started, values_started;

/* Callbacks: threads, errors that come from Python, and Functions as objects. */
int core_part_callables(PyObject* names) {
  if (callables_started) return 0;
  callables_started = 1;
  return core_gil_init(names) < 0 || core_host_init(names) < 0 || core_function_init(names) < 0 ? -1 : 0;
}

/* Data types and devices. */
int core_part_dlpack(PyObject* names) {
  if (dlpack_started) return 0;
  dlpack_started = 1;
  core_boxes.dtype = core_box_dtype;
  core_boxes.device = core_box_device;
  return core_dtype_init(names) < 0 || core_device_init(names) < 0 ? -1 : 0;
}

/* Typed pointers. */
int core_part_pointers(PyObject* names) {
  if (pointers_started) return 0;
  pointers_started = 1;
  return core_pointer_init(names);
}

/* Structs, and pointers to them. */
int core_part_structs(PyObject* names) {
  if (structs_started) return 0;
  structs_started = 1;
  if (core_part_pointers(names) < 0 || core_struct_init(names) < 0) return -1;
  return core_emitted_add_structs(names);
}

/* Everything that stands in a slot. Modules are the package's: here they are objects like any other. */
int core_part_values(PyObject* names) {
  if (values_started) return 0;
  values_started = 1;
  core_boxes.wrapper = core_wrapper_of;
  core_boxes.function = core_function_box;
  if (core_part_callables(names) < 0 || core_part_dlpack(names) < 0 || core_object_init(names) < 0 ||
      core_error_init(names) < 0 || core_iterate_init(names) < 0 || core_list_init(names) < 0 ||
      core_tuple_init(names) < 0 || core_collect_init(names) < 0 || core_string_init(names) < 0 ||
      core_bytes_init(names) < 0 || core_shape_init(names) < 0 || core_ndarray_init(names) < 0 ||
      core_map_init(names) < 0 || core_part_pointers(names) < 0)
    return -1;
  return 0;
}
