/* What the files of the extension share: the state that generated code reads, and who owns which helper.
 *
 *   Function (m_self of the builtin)          jf_function (a handle)         jf_closure (a C function pointer)
 *   +-- PyObject head                         +-- header, call, ...          +-- state --+
 *   +-- core_state  <-------- captures -------+-- captures 48                            |
 *   |     ^---------------------------------------------------------------- ------------+
 *   +-- PyMethodDef, info, owners
 *
 * Generated code finds everything outside itself in the table that the state points at, so it needs no relocation.
 * Words: "temps" are the temporaries of one call (runtime.h); `index` counts parameters from 0, -1 is the result.
 */
#ifndef JITFFI_CORE_H
#define JITFFI_CORE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include <structmember.h>

#include "jitffi/runtime.h"

typedef struct core_table core_table;

/* The part of a Function that generated code reads; its offsets are reported to Python by layout.c. */
typedef struct {
  void* target;            /* callee c: the C function; packed: its jf_packed_call; python: the callable (borrowed here) */
  const core_table* table; /* every outside address */
  jf_function* self;       /* callee packed: passed as self */
  const char* types;       /* interned types text */
  PyObject* kw_names;      /* last kwnames tuple that gave all keywords in order: the arguments are used in place */
  Py_ssize_t kw_given;     /* and how many positional arguments came before them */
  uint64_t on_error;       /* what a C entry without an error channel returns on failure, in the result's own bits */
  const jf_call_info* info;
} core_state;

/* -- layout.c: offsets, and the interpreter's own structs, as Python sees them ---------------------------- */
int core_layout_init(PyObject* module);

/* -- table.c -------------------------------------------------------------------------------------------- */
extern const core_table core_the_table;
int core_table_init(PyObject* module); /* module.TABLE: names in order */

/* -- fail.c: messages ------------------------------------------------------------------------------------ */
/* "f: argument 2 'y': " or "f: argument 2: " or "f: result: " as a new str. */
PyObject* core_where(const core_state* state, int32_t index);
/* The type's text of parameter `index`, borrowed. */
const char* core_type_text(const core_state* state, int32_t index);
/* TypeError "expected <type>, got <type name> <value when short>"; `note` (may be NULL) is appended in brackets. */
void core_fail_type(const core_state* state, int32_t index, PyObject* got, const char* note);
/* Any exception class with "<where>expected <type><range>, got <value>". */
void core_fail_value(const core_state* state, int32_t index, PyObject* exception, const char* detail, PyObject* got);
void core_fail_arity(const core_state* state, Py_ssize_t given);
/* The exception that is set gets "<where>" in front where that can be done without loss (same class, one str
 * argument), else a note or nothing: never another class, never lost. */
void core_fail_context(const core_state* state, int32_t index);

/* -- foreign.c: objects of other packages, recognised without importing them ------------------------------ */
enum { CORE_NUMPY_NONE, CORE_NUMPY_BOOL, CORE_NUMPY_INT, CORE_NUMPY_FLOAT, CORE_NUMPY_COMPLEX };
int core_numpy_kind(PyObject* object); /* of a NumPy scalar, by its class */
/* 1: a pointer of that package, *out is what it points at; 0: not one; -1: exception. */
int core_ctypes_pointer(PyObject* object, void** out);
int core_cffi_pointer(PyObject* object, void** out);

/* -- unbox.c, unbox_ptr.c, unbox_any.c: Python object to native value, off the fast path; 0 or -1 with a Python exception
 * set. Temporaries are to be released with the GIL held. */
int32_t core_keep_object(jf_temps* temps, jf_object* object);  /* steals, on failure too; so does the next */
int32_t core_keep_python(jf_temps* temps, PyObject* object);
int32_t core_keep_buffer(jf_temps* temps, PyObject* exporter, int flags, jf_span* out); /* data is never NULL */
PyObject* core_as_int(PyObject* object); /* new int by __index__; NULL without an exception when it is no integer */
int32_t core_unbox_scalar(core_state* state, int32_t index, PyObject* object, int32_t kind, void* out); /* JF_KIND_*, as jf_lift_scalar */
int32_t core_unbox_ptr(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps);
int32_t core_unbox_str(core_state* state, int32_t index, PyObject* object, jf_span* out);
int32_t core_unbox_cstr(core_state* state, int32_t index, PyObject* object, const char** out);
int32_t core_unbox_bytes(core_state* state, int32_t index, PyObject* object, jf_span* out, jf_temps* temps);
/* code: JF_ROOT for `object`, JF_FUNCTION for `func` (a Function, a builtin of ours, any callable). *out is borrowed from temps. */
int32_t core_unbox_object(core_state* state, int32_t index, PyObject* object, int32_t code, jf_object** out, jf_temps* temps);
int32_t core_unbox_any(core_state* state, int32_t index, PyObject* object, jf_view* out, jf_temps* temps);
/* Results of a Python callee, owned, written into a null out-slot with its capacity. */
int32_t core_unbox_str_out(core_state* state, PyObject* object, jf_value* out);
int32_t core_unbox_bytes_out(core_state* state, PyObject* object, jf_value* out);
int32_t core_unbox_any_out(core_state* state, PyObject* object, jf_value* out);

/* -- box.c: native value to Python object; new references, NULL with a Python exception set ----------------- */
PyObject* core_box_ptr(void* pointer); /* None for NULL */
PyObject* core_box_str(const char* data, size_t size);
PyObject* core_box_bytes(const char* data, size_t size);
PyObject* core_box_cstr(core_state* state, int32_t index, const char* text); /* NULL is a ValueError */
PyObject* core_box_object(jf_object* object); /* borrows; boxes, str, bytes become Python's own; NULL gives None */
PyObject* core_box_view(const jf_view* view); /* borrows; any code that there is */
PyObject* core_box_slot(jf_value* value);     /* takes it: the slot is null afterwards, on failure too */

/* -- object.c: Python faces of native objects, host objects, and references dropped without the GIL ---------- */
extern PyTypeObject core_object_type; /* jitffi.Object */
int core_object_init(PyObject* module);
PyObject* core_object_face(jf_object* object);         /* new face; retains */
jf_object* core_face_object(PyObject* face);           /* borrowed; NULL without an exception when it is not one */
jf_object* core_host_new(PyObject* object);            /* new jf_host_object that holds `object`; NULL with an exception */
PyObject* core_host_get(const jf_object* object);      /* borrowed; NULL when it is not ours */
/* Drops a reference from any thread: at once with the GIL, else later on the main thread, or when the GIL is next taken. */
void core_decref_anywhere(PyObject* object);
void core_drain_decrefs(void); /* those dropped without the GIL; to be called where the GIL has been taken; one load when there are none */

/* -- error.c: Python exceptions and error objects ------------------------------------------------------------- */
extern PyTypeObject core_error_type; /* jitffi.Error, a jitffi.Object */
int core_error_init(PyObject* module); /* after core_object_init */
PyObject* core_error_fetch(void);      /* new: the exception that is set, normalised, and no longer set; NULL when there is none */
void core_error_restore(PyObject* exception); /* steals; its traceback and context stay as they are */
void core_error_add_note(PyObject* exception, PyObject* note); /* sets no exception; nothing on 3.10 */
/* The Python exception that is set becomes this thread's last error (kind, message, traceback text, cause, and itself as the
 * host exception). Without one set: RuntimeError that says so. */
void core_error_from_python(void);
/* The last error is taken and raised: the very exception it came from, with its traceback, or an exception of its kind (a built-in's
 * name; else RuntimeError with the kind in the text). Without one: RuntimeError naming the function that failed without an error. */
void core_error_raise(const core_state* state);
/* The same for an error object in hand; steals it. */
void core_error_raise_object(jf_object* error);

/* -- function.c: Function, its builtin, handles and closures --------------------------------------------------- */
extern PyTypeObject core_function_type;
int core_function_init(PyObject* module);
/* The Function behind a Function or one of our builtins, borrowed; NULL without an exception otherwise. */
PyObject* core_function_get(PyObject* object);
/* A new handle (jf_function) for a Function, a builtin of ours, or any other callable; NULL with an exception. */
jf_object* core_function_handle(PyObject* callable);
PyObject* core_function_box(jf_object* function); /* the builtin for a jf_function, new; the one that is alive if there is */

/* -- call.c: keywords, calls into Python, the GIL, the pending error --------------------------------------------- */
PyObject* const* core_arrange(core_state* state, PyObject* const* args, Py_ssize_t given, PyObject* kwnames, PyObject** out);
PyObject* core_call_python(core_state* state, PyObject** args, Py_ssize_t count);
int64_t core_enter_python(void);
void core_leave_python(int64_t token);
int32_t core_has_gil(void);
int core_call_init(PyObject* module);

#endif
