/* The table that generated code loads every outside address from, and its names in order: `_core.TABLE`. `_core.SYMBOLS` has the
 * symbols of the same things, for code that is linked.
 *
 * One list makes both, so that an index cannot drift from its name; jitffi/runtime/entry_points.py describes each entry's types. The order
 * is part of the key that stored machine code is found by.
 */
#include "array.h"
#include "array_filled.h"
#include "array_make.h"
#include "box.h"
#include "call.h"
#include "callback.h"
#include "cold.h"
#include "dlpack.h"
#include "error.h"
#include "function.h"
#include "gil.h"
#include "instance.h"
#include "jitffi/array.h"
#include "jitffi/emitted.h"
#include "jitffi/legacy.h"
#include "jitffi/runtime.h"
#include "jitffi/tvm_ffi.h"
#include "numpy_array.h"
#include "parts.h"
#include "pointer.h"
#include "raise.h"
#include "said.h"
#include "state.h"
#include "struct.h"
#include "typed_function.h"
#include "unbox.h"
#include "unlock.h"
#include "unwind.h"
#include "wide.h"

_Static_assert(sizeof(long long) == sizeof(int64_t), "an i64 is boxed as a long long");

#define ENTRIES(X)                             \
  X(float_type, &PyFloat_Type)                 \
  X(long_type, &PyLong_Type)                   \
  X(unicode_type, &PyUnicode_Type)             \
  X(bytes_type, &PyBytes_Type)                 \
  X(dtype_type, &core_dtype_type)              \
  X(device_type, &core_device_type)            \
  X(none, &_Py_NoneStruct)                     \
  X(true, &_Py_TrueStruct)                     \
  X(false, &_Py_FalseStruct)                   \
  X(unbox_scalar, core_scalar_of_object)       \
  X(unbox_wide, core_unbox_wide)               \
  X(unbox_ptr, core_unbox_ptr)                 \
  X(unbox_str, core_unbox_str)                 \
  X(unbox_cstr, core_unbox_cstr)               \
  X(unbox_bytes, core_unbox_bytes)             \
  X(unbox_ucs4, core_unbox_ucs4)               \
  X(unbox_object, core_unbox_object)           \
  X(unbox_any, core_unbox_any)                 \
  X(unbox_container, core_unbox_container)     \
  X(unbox_union, core_unbox_union)             \
  X(unbox_union_out, core_unbox_union_out)     \
  X(sole_object, core_sole_object)             \
  X(sole_view, core_sole_view)                 \
  X(unbox_callback, core_unbox_callback)       \
  X(unbox_function, core_unbox_function)       \
  X(unbox_str_out, core_unbox_str_out)         \
  X(unbox_bytes_out, core_unbox_bytes_out)     \
  X(unbox_ucs4_out, core_unbox_ucs4_out)       \
  X(unbox_any_out, core_unbox_any_out)         \
  X(box_i64, PyLong_FromLongLong)              \
  X(box_u64, PyLong_FromUnsignedLongLong)      \
  X(box_f64, PyFloat_FromDouble)               \
  X(box_wide, core_box_wide)                   \
  X(box_ptr, core_box_ptr)                     \
  X(box_str, core_box_str)                     \
  X(box_bytes, core_box_bytes)                 \
  X(box_ucs4, core_box_ucs4)                   \
  X(box_dtype, core_box_dtype)                 \
  X(box_device, core_box_device)               \
  X(box_cstr, core_box_cstr)                   \
  X(box_object, core_box_object)               \
  X(take_object, core_take_object)             \
  X(box_view, core_box_view)                   \
  X(box_slot, core_box_slot)                   \
  X(box_callback, core_box_callback)           \
  X(raise_arity, core_raise_arity)             \
  X(call_again, core_call_again)               \
  X(arrange, core_arrange)                     \
  X(arrange_packed, core_arrange_packed)       \
  X(call_python, core_call_python)             \
  X(decref, core_decref)                       \
  X(decref_array, core_decref_array)           \
  X(enter_python, core_enter_python)           \
  X(leave_python, core_leave_python)           \
  X(release_gil, core_release_gil)             \
  X(acquire_gil, core_acquire_gil)             \
  X(error_raise, core_error_raise_call)        \
  X(error_from_python, core_error_from_python) \
  X(error_pending, core_error_pending)         \
  X(take_pending, core_take_pending)           \
  X(is_pending, core_is_pending)               \
  X(errno_failed, core_errno_failed)           \
  X(caught, core_caught)                       \
  X(null_result, core_null_result)             \
  X(fail_null, core_fail_null)                 \
  X(keep_cstr, core_keep_cstr)                 \
  X(check_out, core_check_out)                 \
  X(lift_scalar, core_scalar_of_slot)          \
  X(lift_longdouble, jf_lift_longdouble)       \
  X(lower_longdouble, jf_lower_longdouble)     \
  X(lift_ptr, jf_lift_ptr)                     \
  X(lift_str, jf_lift_str)                     \
  X(lift_bytes, jf_lift_bytes)                 \
  X(lift_ucs4, jf_lift_ucs4)                   \
  X(lift_cstr, jf_lift_cstr)                   \
  X(lift_object, jf_lift_object)               \
  X(lift_container, jf_lift_container)         \
  X(lift_checked, jf_lift_checked)             \
  X(closure_dead, jf_closure_dead)             \
  X(lift_struct, jf_lift_struct)               \
  X(lower_struct, jf_lower_struct)             \
  X(out_struct, jf_out_struct)                 \
  X(lift_callback, core_lift_callback)         \
  X(lift_function, core_lift_function)         \
  X(lower_callback, core_lower_callback)       \
  X(lift_array, jf_lift_array)                 \
  X(lift_tensor, jf_lift_tensor)               \
  X(lower_tensor, jf_lower_tensor)             \
  X(lift_tensor_result, jf_lift_tensor_result) \
  X(take_tensor, jf_take_tensor)               \
  X(fill_tensor, jf_fill_tensor)               \
  X(copy_array, jf_copy_array)                 \
  X(new_array, jf_new_array)                   \
  X(out_values, jf_out_values)                 \
  X(take_parts, jf_take_parts)                 \
  X(take_array, jf_take_array)                 \
  X(fail_length, jf_refuse_length)             \
  X(fail_filled, jf_refuse_filled)             \
  X(numpy, &core_numpy)                        \
  X(embedding_meta, &core_embedding_meta)      \
  X(unbox_array, core_unbox_array)             \
  X(unbox_tensor, core_unbox_tensor)           \
  X(tensor_object, core_tensor_object)         \
  X(tensor_value, core_tensor_value)           \
  X(box_tensor, core_box_tensor)               \
  X(tensor_back, core_tensor_back)             \
  X(unbox_pointer, core_unbox_pointer)         \
  X(box_pointer, core_box_pointer)             \
  X(unbox_struct, core_unbox_struct)           \
  X(box_struct, core_box_struct)               \
  X(unbox_texts, core_unbox_texts)             \
  X(box_texts, core_box_texts)                 \
  X(box_owned, core_box_owned)                 \
  X(take_cstr, core_take_cstr)                 \
  X(free_owned, core_free_owned)               \
  X(refuse_length, core_refuse_length)         \
  X(keep_argument, core_keep_argument)         \
  X(make_array, core_make_array)               \
  X(box_array, core_box_array)                 \
  X(array_value, core_array_value)             \
  X(array_back, core_array_back)               \
  X(unbox_array_out, core_unbox_array_out)     \
  X(take_tuple, core_take_tuple)               \
  X(take_apart, core_take_apart)               \
  X(refuse_filled, core_refuse_filled)         \
  X(refuse_beyond, core_refuse_beyond)         \
  X(argument_missing, core_argument_missing)   \
  X(packed_arity, jf_fail_arity)               \
  X(legacy_views, jf_legacy_views)             \
  X(legacy_invoke, jf_legacy_invoke)           \
  X(legacy_give, jf_legacy_give)               \
  X(tvmffi_view, jf_tvmffi_view)               \
  X(tvmffi_argument, jf_tvmffi_argument)       \
  X(tvmffi_give, jf_tvmffi_give)               \
  X(tvmffi_take, jf_tvmffi_take)               \
  X(tvmffi_failed, jf_tvmffi_failed)           \
  X(tvmffi_raise, jf_tvmffi_raise)             \
  X(any_view, jf_any_view)                     \
  X(any_retain, jf_any_retain)                 \
  X(any_release, jf_any_release)               \
  X(out_str, jf_out_str)                       \
  X(out_bytes, jf_out_bytes)                   \
  X(out_object, jf_out_object)                 \
  X(object_retain, jf_object_retain)           \
  X(object_release, jf_object_release)         \
  X(temps_release, jf_temps_release)           \
  X(f64_from_f16, jf_f64_from_f16)             \
  X(f64_from_bf16, jf_f64_from_bf16)           \
  X(strlen, strlen)

#define NAME(name, address) #name,
static const char* const names[] = {"pending_count", ENTRIES(NAME)};
enum { NUM_PLAIN = sizeof names / sizeof names[0], MAX_ENTRIES = NUM_PLAIN + 64 };

struct core_table {
  void* entries[MAX_ENTRIES];
};

#define SYMBOL(name, address) #address,
static const char* const symbols[] = {"jf_pending_count", ENTRIES(SYMBOL)};

/* Filled at import: addresses of another library's data are no constants. */
core_table core_the_table;

static int set_name(PyObject* tuple, Py_ssize_t at, const char* text) {
  PyObject* name = PyUnicode_InternFromString(text);
  if (!name) return -1;
  PyTuple_SET_ITEM(tuple, at, name);
  return 0;
}

/* New: the texts without a leading "&"; NULL with an exception. */
static PyObject* symbol_names(void) {
  PyObject* tuple = PyTuple_New(NUM_PLAIN);
  for (Py_ssize_t i = 0; i < (Py_ssize_t)NUM_PLAIN && tuple; i++)
    if (set_name(tuple, i, symbols[i] + (symbols[i][0] == '&')) < 0) Py_CLEAR(tuple);
  return tuple;
}

/* Adds TABLE and SYMBOLS to the module; -1 with an exception set on failure. */
int core_table_init(PyObject* module) {
  PyObject* plain = symbol_names();
  if (!plain || PyModule_AddObject(module, "SYMBOLS", plain) < 0) {
    Py_XDECREF(plain);
    return -1;
  }
  size_t n = 0;
  core_the_table.entries[n++] = (void*)jf_error_pending_count();
#define ADDRESS(name, address) core_the_table.entries[n++] = (void*)(address);
  ENTRIES(ADDRESS)
  PyObject* tuple = PyTuple_New(NUM_PLAIN + core_cold_count);
  if (!tuple) return -1;
  int failed = NUM_PLAIN + core_cold_count > MAX_ENTRIES;
  for (n = 0; n < NUM_PLAIN && !failed; n++) failed = set_name(tuple, (Py_ssize_t)n, names[n]) < 0;
  for (int i = 0; i < core_cold_count && !failed; i++, n++) {
    const char* name;
    core_the_table.entries[n] = core_cold_entry(i, &name);
    failed = set_name(tuple, (Py_ssize_t)n, name) < 0;
  }
  if (!failed && PyModule_AddObject(module, "TABLE", tuple) == 0) return 0;
  Py_DECREF(tuple);
  return -1;
}
