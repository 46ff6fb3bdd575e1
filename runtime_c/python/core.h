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

#include "jitffi/containers.h"
#include "jitffi/pattern.h"
#include "jitffi/runtime.h"
#include "jitffi/text.h"

#ifdef JITFFI_EMITTED
#include "weak.h"
#endif

#ifdef Py_GIL_DISABLED
#error "jitffi: generated code counts references without atomics; free-threaded builds are not supported"
#endif

typedef struct core_table core_table;

/* The part of a Function that generated code reads; its offsets are reported to Python by layout.c. */
typedef struct {
  void* target; /* callee c: the C function; packed: its jf_packed_call; python: the callable (borrowed here) */
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
extern core_table core_the_table;
int core_table_init(PyObject* module); /* module.TABLE: names in order; module.SYMBOLS: their symbols */

/* A scalar, in the bits that jf_lift_scalar writes, and whether it failed: returned in two registers, so that generated code needs
 * no memory for it. */
typedef struct {
  int64_t value;
  int64_t status;
} core_scalar;
core_scalar core_scalar_of_object(core_state* state, int32_t index, PyObject* object, int32_t kind);
core_scalar core_scalar_of_slot(const jf_call_info* info, int32_t index, const jf_view* view, int32_t kind);

/* -- cold.c: entry points that keep the caller's registers ------------------------------------------------- */
extern const int core_cold_preserves; /* 0: they are the plain functions on this target */
extern const int core_cold_count;
void* core_cold_entry(int index, const char** name);

/* -- raise.c: messages ------------------------------------------------------------------------------------ */
/* "f: argument 2 'y': " or "f: argument 2: " or "f: result: " as a new str. */
PyObject* core_where(const core_state* state, int32_t index);
/* New: the type's name, and the value of a built-in one where that is short; runs no code of the user. */
PyObject* core_describe(PyObject* got);
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
/* The same for a place in a container, "item 3: ", which is stolen (NULL is allowed) and left out where Python code has raised. */
void core_fail_place(PyObject* place);
/* The same for the exception of an object's own conversion, unless it is the user's Python code that raised it. */
void core_fail_conversion(const core_state* state, int32_t index);

/* -- foreign.c: objects of other packages, recognised without importing them ------------------------------ */
enum { CORE_NUMPY_NONE, CORE_NUMPY_BOOL, CORE_NUMPY_INT, CORE_NUMPY_FLOAT, CORE_NUMPY_COMPLEX };
int core_numpy_kind(PyObject* object);        /* of a NumPy scalar, by its class */
int core_is_numpy_dtype(PyObject* object);    /* a dtype, or a class of NumPy's scalars */
PyObject* core_numpy_dtype(PyObject* object); /* new: the dtype of such a one; NULL, with an exception or without */
/* 1: a pointer of that package, *out is what it points at; 0: not one; -1: exception. */
int core_ctypes_pointer(PyObject* object, void** out);
int core_cffi_pointer(PyObject* object, void** out, int functions);

/* -- unbox.c, unbox_ptr.c, unbox_any.c: Python object to native value, off the fast path; 0 or -1 with a Python exception
 * set. Temporaries are to be released with the GIL held. */
int32_t core_keep_object(jf_temps* temps, jf_object* object); /* steals, on failure too; so does the next */
int32_t core_keep_python(jf_temps* temps, PyObject* object);
int32_t core_keep_buffer(jf_temps* temps, PyObject* exporter, int flags, jf_span* out); /* data is never NULL */
int core_is_number(PyObject* object);
PyObject* core_as_int(PyObject* object); /* new int by __index__; NULL without an exception when it is no integer */
int32_t core_unbox_scalar(core_state* state, int32_t index, PyObject* object, int32_t kind,
                          void* out); /* JF_KIND_*, as jf_lift_scalar */
int32_t core_unbox_ptr(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps);
int32_t core_unbox_str(core_state* state, int32_t index, PyObject* object, jf_span* out);
int32_t core_unbox_cstr(core_state* state, int32_t index, PyObject* object, const char** out);
int32_t core_unbox_bytes(core_state* state, int32_t index, PyObject* object, jf_span* out, jf_temps* temps);
/* What classes of ours say of themselves is known once there are these classes, so that a module without them need not carry them.
 * The UTF-8 of a text face (NUL-terminated), the bytes of a Bytes, good while the face lives and is not moved: 1; 0: it is
 * none; -1: exception. */
extern int (*core_text_span)(PyObject* object, jf_span* out);
extern int (*core_bytes_span)(PyObject* object, jf_span* out);
/* As core_unbox_scalar, for JF_KIND_DTYPE and JF_KIND_DEVICE. */
extern int32_t (*core_unbox_dlpack)(core_state* state, int32_t index, PyObject* object, int32_t kind, int64_t* word);
/* code: JF_ROOT for `object`, JF_FUNCTION for `func` (a Function, a builtin of ours, any callable), JF_MODULE. *out is borrowed from temps. */
int32_t core_unbox_object(core_state* state, int32_t index, PyObject* object, int32_t code, jf_object** out,
                          jf_temps* temps);
int32_t core_unbox_any(core_state* state, int32_t index, PyObject* object, jf_view* out, jf_temps* temps);
/* New: the native object of a face or function; a new container for a dict, list or tuple; else a host object. What is lent by
 * a moved argument counts as its face. NULL with an exception. */
jf_object* core_native_object(PyObject* object);
/* Borrows object: the view of it, a box opened. */
static inline void core_view_of_object(jf_object* object, jf_view* out) {
  out->type_code = object->type_code <= JF_S1_LAST ? object->type_code : JF_OBJECT;
  out->small_len = 0;
  out->v_object = object;
  if (object->type_code >= JF_S2_FIRST && object->type_code <= JF_S2_LAST) {
    jf_any held = *out;
    jf_any_view(&held, out);
  }
}
/* unbox_container.c: list, map and tuple types; *out is a new reference. */
int32_t core_unbox_container(core_state* state, int32_t index, PyObject* object, jf_object** out);
enum { CORE_UCS4_ROOM = 32 };
/* What generated code sets aside for a ucs4 argument: the span, and room for a short text that has to be widened. */
typedef struct {
  jf_ucs4_span span;
  jf_char32 room[CORE_UCS4_ROOM];
} core_ucs4_room;
int32_t core_unbox_ucs4(core_state* state, int32_t index, PyObject* object, core_ucs4_room* out, jf_temps* temps);
/* Results of a Python callee, owned, written into a null out-slot with its capacity. */
int32_t core_unbox_str_out(core_state* state, PyObject* object, jf_value* out);
int32_t core_unbox_bytes_out(core_state* state, PyObject* object, jf_value* out);
int32_t core_unbox_any_out(core_state* state, PyObject* object, jf_value* out);
int32_t core_unbox_ucs4_out(core_state* state, PyObject* object, jf_value* out);

/* -- box.c: native value to Python object; new references, NULL with a Python exception set ----------------- */
#ifdef JITFFI_EMITTED /* a module of its own has no classes: a handle is its address */
#define core_box_handle core_box_ptr
static inline int core_is_handle(PyObject* object) { return (void)object, 0; }
#else
extern PyTypeObject core_handle_type; /* handle_value.c */
int core_handle_init(PyObject* module);
PyObject* core_box_handle(void* handle);
static inline int core_is_handle(PyObject* object) { return Py_TYPE(object) == &core_handle_type; }
#endif
PyObject* core_box_ptr(void* pointer); /* None for NULL */
PyObject* core_box_str(const char* data, size_t size);
PyObject* core_box_bytes(const char* data, size_t size);
PyObject* core_box_ucs4(const jf_char32* data, size_t size);                 /* ucs4.c */
PyObject* core_box_cstr(core_state* state, int32_t index, const char* text); /* NULL is a ValueError */
PyObject* core_box_object(jf_object* object); /* borrows; boxes, str, bytes become Python's own; NULL gives None */
PyObject* core_box_view(const jf_view* view); /* borrows; any code that there is */
PyObject* core_box_item(jf_item item);        /* borrows; an item of a container */
PyObject* core_box_slot(jf_value* value);     /* takes it: the slot is null afterwards, on failure too */

#ifdef JITFFI_EMITTED
/* An emitted module has only the classes that its types need: how their values are boxed is said by the parts that it starts. */
typedef struct {
  PyObject* (*face)(jf_object* object);
  PyObject* (*function)(jf_object* object);
  PyObject* (*dtype)(jf_dtype value);
  PyObject* (*device)(jf_device value);
} core_boxing;
extern core_boxing core_boxes;
#endif

/* -- dtype.c, device.c: DLPack's values as Python's; new references, NULL with an exception -------------------- */
typedef struct {
  PyObject_HEAD jf_dtype value; /* generated code reads it */
  PyObject* text;               /* the canonical name; NULL until it is asked for */
} core_dtype;
typedef struct {
  PyObject_HEAD jf_device value; /* generated code reads it */
  PyObject* text;
} core_device;
extern PyTypeObject core_dtype_type, core_device_type; /* jitffi.DataType, jitffi.Device */
int core_dtype_init(PyObject* module);
int core_device_init(PyObject* module);
PyObject* core_box_dtype(jf_dtype value);
PyObject* core_box_device(jf_device value);
/* What an object says: *out, nothing of the kind, text that is no name; only with CORE_RAISED an exception is set. */
enum { CORE_FOUND, CORE_NOT_ONE, CORE_NO_NAME, CORE_RAISED };
int core_dtype_convert(PyObject* object, jf_dtype* out);
int core_device_convert(PyObject* object, jf_device* out);

/* -- wrapper.c: Python faces of native objects ----------------------------------------------------------------- */
typedef struct {
  PyObject_HEAD jf_object* object; /* one reference; NULL: it was moved */
  PyObject* weak_references;
  const jf_object* key; /* wrapper.c's own */
  char moving;          /* the last call that it was lent to may take the object */
} core_face;
/* Of a class that Python code may derive from. It is longer than its base, which tells Python that its layout is another: no
 * class derives from two such, and no object changes from one to another. */
typedef struct {
  core_face face;
  void* unused;
} core_open_face;
extern PyTypeObject core_object_type; /* jitffi.Object */
/* `case List(x)` takes the value itself, as `case list(x)` does: CPython's flag for classes that are called with a value. */
#ifdef _Py_TPFLAGS_MATCH_SELF
#define CORE_MATCH_SELF _Py_TPFLAGS_MATCH_SELF
#else
#define CORE_MATCH_SELF 0
#endif
extern PyTypeObject core_moved_type; /* what _move() returns */
int core_object_init(PyObject* module);
/* Faces of objects of that type code, and of subtypes without a class of their own, are of class `type`: a type whose base is
 * core_object_type, whose struct begins with core_face and whose tp_dealloc is core_face_dealloc. -1 with MemoryError. */
int core_face_class(int32_t code, PyTypeObject* type);
PyObject* core_object_face(jf_object* object); /* new reference to its one face; retains object */
/* For constructors: a new face of that class, or Python subclass, for an object that has none; steals, on failure too. */
PyObject* core_face_wrap(PyTypeObject* type, jf_object* object);
int core_face_replace(PyObject* face, jf_object* object); /* steals; releases the object that was there; -1 */
PyObject* core_face_attributes(PyObject* self, PyObject* made,
                               PyObject* memo); /* for copies of subclasses; steals made */
void core_face_dealloc(PyObject* face);
const char* core_face_name(const PyTypeObject* type); /* "List" for "jitffi.List" */
jf_object* core_face_get(PyObject* face);             /* of a face, borrowed; NULL with ValueError when it was moved */
int core_face_give_up(jf_object* object);    /* 1: its face, which was moving, is empty now; 0: there is none */
PyObject* core_moved_face(PyObject* object); /* of what _move() returned, borrowed; NULL for anything else */
static inline int core_is_face(PyObject* object) { return PyObject_TypeCheck(object, &core_object_type); }
/* Borrowed; NULL without an exception when it is no face, or one that was moved. */
static inline jf_object* core_face_object(PyObject* object) {
  return core_is_face(object) ? ((core_face*)object)->object : NULL;
}
static inline int32_t core_ref_count(const jf_object* object) {
  return __atomic_load_n(&object->ref_count, __ATOMIC_RELAXED);
}

/* -- unlock.c: what a call without the GIL may be given; 0, or -1 with ValueError --------------------------------- */
int32_t core_sole_object(core_state* state, int32_t index, jf_object* object);
int32_t core_sole_view(core_state* state, int32_t index, const jf_view* view);

/* -- host_object.c: Python objects held by native ones, and references dropped without the GIL ---------------------- */
int core_host_init(PyObject* module);
jf_object* core_host_new(PyObject* object);       /* new jf_host_object that holds `object`; NULL with an exception */
PyObject* core_host_get(const jf_object* object); /* borrowed; NULL when it is not ours */
/* Drops a reference from any thread: at once with the GIL, else later on the main thread, or when the GIL is next taken. */
void core_decref_anywhere(PyObject* object);
void core_drain_decrefs(
    void); /* those dropped without the GIL; to be called where the GIL has been taken; one load when there are none */

/* -- borrow.c: views that borrow from Python objects, for methods of faces ------------------------------------------ */
typedef struct {
  jf_view view; /* good while the Python object and this struct stay where they are */
  jf_span span;
  jf_object* owned; /* what was made for it */
  PyObject* kept;
} core_lent;
/* As core_unbox_any, but errors name no function, and nothing is allocated for None, bool, int, float, ASCII str, bytes and
 * faces. 0, or -1 with an exception and nothing to be done; else core_lent_done gives back what it holds. User code
 * (__index__ and its like) may run. */
int core_lend(PyObject* object, core_lent* lent);
int core_set_int(PyObject* number, jf_any* out);   /* an int (subclass) as int or uint; -1 with OverflowError */
int core_set_numpy(PyObject* object, jf_any* out); /* 1: a NumPy scalar, 0: none, -1: exception */
PyObject* core_utf8_of(PyObject* text); /* new bytes; a str's own UTF-8 cache is left alone; UnicodeEncodeError */
static inline void core_lent_done(core_lent* lent) {
  if (lent->owned != NULL) jf_object_release(lent->owned);
  Py_XDECREF(lent->kept);
}

/* -- string_object.c, bytes_object.c, shape_object.c: immutable values -------------------------------------------------- */
extern PyTypeObject core_string_type, core_ucs4_string_type, core_bytes_type, core_shape_type;
int core_string_init(PyObject* module); /* these three after core_object_init */
int core_bytes_init(PyObject* module);
int core_shape_init(PyObject* module);
int core_is_text_face(PyObject* object);                     /* a String or a UCS4String */
int core_register_abc(const char* name, PyTypeObject* type); /* with collections.abc's class of that name; -1 */

/* -- convert.c: Python containers to native ones, nested ones too; results are new, NULL or -1 with an exception ------ */
jf_object* core_list_from(PyObject* iterable, int32_t pad); /* iterable NULL: empty; pad below 0: the default */
jf_object* core_tuple_from(PyObject* iterable);
jf_object* core_map_from(PyObject* mapping_or_pairs, int32_t pad); /* as core_list_from */
/* New container for an exact list, tuple or dict; NULL without an exception for anything else. */
jf_object* core_container_from(PyObject* object);
jf_object* core_items_of(
    PyObject* object); /* the list or tuple of a face, borrowed; NULL, with an exception when moved */
int core_list_add(jf_object* list, PyObject* item);
int core_list_extend(jf_object* list, PyObject* iterable); /* on failure some items may be there */
int core_map_put(jf_object* map, PyObject* key, PyObject* value);
int core_map_update(jf_object* map, PyObject* mapping_or_pairs); /* as dict.update */

/* -- foreign_instances.c: objects of other copies of our classes ------------------------------------------------------------------ */
/* New: str() of one of the class that is called like `ours`; NULL, with an exception or without. */
PyObject* core_other_text(PyObject* object, const PyTypeObject* ours);
/* New: the list, dict, tuple, str or bytes that it stands for; NULL, with an exception or without. */
PyObject* core_other_plain(PyObject* object);

/* -- to_python.c ------------------------------------------------------------------------------------------------------ */
int core_is_container(int32_t type_code); /* of a list, tuple or map, or what is based on one */
PyObject* core_to_plain(PyObject* face, PyObject* made);
PyObject* core_to_python(jf_object* container); /* new list, tuple or dict, nested ones too; borrows */

/* -- iterate.c: iterators of List and Tuple ------------------------------------------------------------------------------ */
int core_iterate_init(PyObject* module);
PyObject* core_iterate(PyObject* face, int reversed); /* new */

/* -- list_object.c, list_methods.c, list_numpy.c, tuple_object.c: jitffi.List and Tuple ------------------------------------------ */
extern PyTypeObject core_list_type, core_tuple_type;
extern PyMethodDef core_list_methods[];
int core_list_init(PyObject* module);
int core_tuple_init(PyObject* module);
int core_sequence_class(PyObject* module, PyTypeObject* type, int32_t code, const char* abstract);
int core_check_count(const char* method, Py_ssize_t given, Py_ssize_t least, Py_ssize_t most);
int core_not_a_value(void); /* after a failed core_lend: 0, cleared: nothing can be equal; else -1 */
PyObject* core_items_tuple(
    const jf_object* object);                /* new: the items of a list or tuple, as they are, as a Python tuple */
int core_same_nan(PyObject* a, PyObject* b); /* 1: two floats that are one NaN, which == denies */
PyObject* core_items_compare(PyObject* self, PyObject* other, int operation); /* slots and methods that both have */
PyObject* core_items_repr(PyObject* self);
PyObject* core_items_index(PyObject* self, PyObject* const* args, Py_ssize_t given);
PyObject* core_items_count(PyObject* self, PyObject* value);
PyObject* core_items_to_python(PyObject* self, PyObject* unused);
PyObject* core_list_to_numpy(PyObject* self, PyObject* args, PyObject* keywords);
PyObject* core_list_array(PyObject* self, PyObject* args, PyObject* keywords);

/* -- collect.c: faces of containers and Python's garbage collector ----------------------------------------------------------- */
int core_collect_init(PyObject* module);
/* tp_traverse and tp_clear of faces of containers: Python objects that only this face holds, through containers that only it
 * holds. */
int core_face_traverse(PyObject* face, visitproc visit, void* context);
int core_face_clear(PyObject* face);

/* -- map_object.c, map_methods.c, map_views.c: jitffi.Map ---------------------------------------------------------------- */
extern PyTypeObject core_map_type;
int core_map_init(PyObject* module);

/* -- error_kind.c -- */
/* core_to_python, once there are containers: small emitted modules have none, and what they name they bring in. */
extern PyObject* (*core_container_arg)(jf_object*);
PyObject* core_error_instance(PyObject* kind, PyObject* message, jf_object* host); /* new; NULL with an exception */

/* -- error.c: Python exceptions and error objects ------------------------------------------------------------- */
extern PyTypeObject core_error_type;   /* jitffi.Error, a jitffi.Object */
int core_error_init(PyObject* module); /* after core_object_init */
PyObject* core_error_fetch(
    void); /* new: the exception that is set, normalised, and no longer set; NULL when there is none */
void core_error_restore(PyObject* exception);                  /* steals; its traceback and context stay as they are */
void core_error_add_note(PyObject* exception, PyObject* note); /* sets no exception */
/* The Python exception that is set becomes this thread's last error (kind, message, traceback text, cause, and itself as the
 * host exception). Without one set: RuntimeError that says so. */
void core_error_from_python(void);
/* The last error is taken and raised: the very exception it came from, with its traceback, or an exception of its kind (a built-in's
 * name; else RuntimeError with the kind in the text). Without one: RuntimeError naming the function that failed without an error. */
void core_error_raise(const core_state* state);
/* The same for an error object in hand; steals it. */
void core_error_raise_object(jf_object* error);

/* -- traceback.c ---------------------------------------------------------------------------------------------- */
void core_traceback_add(const char* text, size_t size); /* entries for the exception that is set, which stays so */
PyObject* core_traceback_rest(const char* text, size_t size); /* new: what is left, as a note; NULL: nothing */

/* -- function.c: Function, the state's owner, and its builtin ---------------------------------------------------- */

typedef struct core_kept_text core_kept_text;
typedef struct core_script core_script;
typedef struct core_traced core_traced;

/* jitffi.Function. Python's class derives from it and adds what needs a compiler. */
typedef struct {
  PyObject_HEAD vectorcallfunc vectorcall; /* of the Function itself: slower than its builtin */
  core_state state;                        /* generated code reads it */
  PyMethodDef def;                         /* the builtin points at it */
  jf_call_info info;
  jf_param_info* params;   /* info.params, owned; NULL in a copy, which shares its origin's */
  jf_any* packed_defaults; /* one view a parameter, null where there is none; NULL until there is a packed entry */
  jf_temps default_temps;  /* what those views borrow from */
  PyObject* name;          /* str */
  PyObject* doc;           /* bytes behind ml_doc, or NULL */
  PyObject* names;         /* tuple of str or None, one a parameter; NULL for functions without a signature */
  PyObject* types;         /* tuple of str, one a parameter, then the result */
  PyObject* defaults;      /* tuple, `core_no_default` where there is none; NULL when there are none */
  PyObject* callable;      /* callee python */
  PyObject* owner;         /* whatever must outlive this: library, keep_alive, the origin of a copy */
  PyObject* codes;         /* list of Code in use */
  PyObject* templates;     /* list, one a parameter and the result: a Function to copy for callables, or None */
  PyObject* kept;          /* dict of callable -> Function: callbacks that live as long as this */
  PyObject* dict;
  PyObject* weakrefs;
  PyObject* builtin; /* weak reference to the builtin, or NULL */
  jf_closure* closure;
  void* c_body;          /* code of the C entry */
  int32_t result_class;  /* JF_RESULT_*, of the C entry */
  void* native;          /* the C function pointer of this Function, NULL until it is asked for */
  jf_packed_call packed; /* its packed entry, NULL until it is asked for */
  jf_object* handle;     /* its function object, kept since somebody asked for its address; NULL else */
  char callee;           /* 'c', 'k' (packed), 'p' (python) */
  char keep_callbacks;
  char transparent; /* made to pass a callable through native code: back in Python it is that callable again */
  core_kept_text* kept_texts;
  core_script* script; /* of a script: its variants; NULL */
  core_traced* traced; /* while calls are traced: its entry, which ml_meth is not then; NULL */
  char kept_for_ever;  /* its callee's code; see keep_callee */
  char copy;           /* made by core_function_copy: `owner` is the origin, which knows what Python's class knows */
} core_function;

extern PyTypeObject core_function_type;
int core_function_init(PyObject* module);
PyObject* core_function_vectorcall(PyObject* self, PyObject* const* args, size_t flags, PyObject* kwnames);
/* The Function behind a Function or one of our builtins, borrowed; NULL without an exception otherwise. */
PyObject* core_function_get(PyObject* object);
static inline core_function* core_function_of(core_state* state) {
  return (core_function*)((char*)state - offsetof(core_function, state));
}

/* -- hooks.c: what a Function needs of whoever has made it. New references, NULL or -1 with an
 * exception. ---- */
int core_ask_init(PyObject* module);
/* The Function to copy for callables that are given for parameter `index` (-1: the result), of a type func[...]. */
PyObject* core_ask_template(core_function* function, int32_t index);
/* A callable for the C function that came for such a one. */
PyObject* core_ask_boxed(core_function* function, int32_t index, void* address);
/* An entry that the Function has not got yet is put into it. */
int core_ask_native(core_function* function);
int core_ask_packed(core_function* function);
int core_ask_python(core_function* function);
int core_ask_variant(core_function* function, uint64_t kinds); /* of a script, for arguments of those kinds */
PyObject* core_ask_signature(core_function* function);         /* its text */
/* JSON for a trace: of the function, or of the place in that code that calls it (NULL: none). */
PyObject* core_ask_description(core_function* function, PyObject* code, int line, int of_site);
PyObject* core_ask_builtin(core_function* function);
PyObject* core_ask_convert(PyObject* callable); /* a Function, or its builtin, that takes whatever it is given */
PyObject* core_ask_function(jf_object* function,
                            const char* name); /* a callable for a function object of native code */
int core_type_ready(PyTypeObject* type);       /* PyType_Ready, under the name that the class has here */
/* The Function behind a builtin whose `__self__` is none, borrowed; it has a C function. NULL without an exception. */
PyObject* core_ask_emitted(PyObject* builtin);

/* -- construct.c: making and equipping Functions ------------------------------------------------------------------- */
int core_construct_init(PyObject* module);

/* -- describe.c ------------------------------------------------------------------------------------------------------ */
int core_function_set_info(core_function* function); /* from its names, types and defaults; -1 with an exception */
/* A Function like *template* that calls *callable*, with a C entry of its own; NULL with an exception. */
core_function* core_function_copy(core_function* template, PyObject* callable);
/* The address of its C entry, made when missing; NULL with an exception. */
void* core_function_native(core_function* function);
/* The Function to copy for callables given for parameter `index`, borrowed; NULL with an exception. */
core_function* core_function_template(core_function* function, int32_t index);
/* Frees the texts that C results of type cstr are kept in. */
void core_kept_texts_free(core_kept_text* texts);

/* -- handle.c: function objects ------------------------------------------------------------------------------------ */
PyObject* core_function_box_named(jf_object* function, const char* name); /* new: `name` where it is none of ours */
jf_object* core_function_keep_handle(
    core_function* function); /* borrowed: its handle, which it keeps; NULL with an exception */
/* A new handle (jf_function) for a Function, a builtin of ours, or any other callable; NULL with an exception. */
jf_object* core_function_handle(PyObject* callable);
PyObject* core_function_box(
    jf_object* function); /* the builtin for a jf_function, new; the one that is alive if there is */
core_function* core_function_made_by(const jf_object* function); /* borrowed; NULL when it is none of ours */
PyObject* core_function_identity(const jf_object* function);     /* borrowed: what two that are equal share; NULL */
PyObject* core_dynamic_call(PyObject* self, PyObject* const* args, Py_ssize_t given); /* METH_FASTCALL, no signature */
int32_t core_dynamic_entry(jf_function* self, int32_t count, const jf_view* args, jf_value* out);

/* -- script.c, script_setup.c: functions whose code is a script's ----------------------------------------------------- */
int core_script_init(PyObject* module);
int core_script_interrupt_init(PyObject* module);
void core_script_free(core_script* script); /* NULL is allowed */
PyObject* core_script_call(PyObject* self, PyObject* const* args, Py_ssize_t given,
                           PyObject* kwnames); /* METH_FASTCALL | METH_KEYWORDS */
PyObject* core_script_vectorcall(PyObject* self, PyObject* const* args, size_t flags, PyObject* kwnames);
int32_t core_script_entry(jf_function* self, int32_t count, const jf_view* args, jf_value* out); /* self: its handle */

/* -- trace.c: JITFFI_TRACE ------------------------------------------------------------------------------------------------ */
int core_trace_init(PyObject* module);
extern int core_trace_on; /* constant once the module is there */
PyCFunction core_trace_hook(core_function* f, PyCFunction entry);
PyObject* core_trace_script_vectorcall(PyObject* self, PyObject* const* args, size_t flags, PyObject* kwnames);
/* What ml_meth is to be for that entry; after ml_flags are set. */
static inline PyCFunction core_trace_entry(core_function* f, PyCFunction entry) {
  return core_trace_on ? core_trace_hook(f, entry) : entry;
}

/* -- globals.c: the registry of global functions, for the package --------------------------------------------------------- */
int core_globals_init(PyObject* module);

/* -- callback.c: callables as C function pointers --------------------------------------------------------------------- */
int32_t core_unbox_callback(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps);
PyObject* core_box_callback(core_state* state, int32_t index, void* address);
int32_t core_lift_callback(core_state* state, int32_t index, const jf_view* view, void** out, jf_temps* temps);
const char* core_keep_cstr(core_state* state, const char* text);

/* -- gil.c: threads, the interpreter's lock, and the pending error ---------------------------------------------------- */
int core_gil_init(PyObject* module);
int32_t core_has_gil(void);
/* Takes the lock if this thread has not got it, and a reference to the Function; NULL with the last error set when the
 * interpreter is gone, or the Function died while the thread waited: `closure` tells, NULL where the caller keeps it alive.
 * What it returns goes to core_leave_python. */
void* core_enter_python(core_state* state, const jf_closure* closure);
/* Drops `object` (may be NULL) and the Function, and gives the lock back where it was taken. */
void core_leave_python(core_state* state, void* token, PyObject* object);
void* core_release_gil(core_state* state);
/* Around a script: Python can share lists and maps with it while it runs, which have no lock of their own. From then on it
 * keeps the interpreter's. */
typedef struct {
  int depth; /* how many native calls of this thread had given the lock up then, and the script; 0: no script has */
  int keeps;
} core_without_gil;
void* core_release_gil_for_script(core_state* state, core_without_gil* outer);
void core_acquire_gil_for_script(void* saved, core_without_gil outer);
void* core_keep_gil(void* token); /* of core_enter_python: the token to leave with */
int core_calls_without_gil(void);
void core_acquire_gil(void* saved);
void core_error_pending(void);   /* the last error becomes pending, or goes to whoever waits for this foreign thread */
int32_t core_is_pending(void);   /* 1: a callback of this thread must not run */
int32_t core_take_pending(void); /* 1: there was one for this thread, it is the last error now */

/* -- call.c: arguments by keyword, calls of Python, checks of results ---------------------------------------------------- */
int core_call_init(PyObject* module);
extern PyObject* core_no_default;
PyObject* const* core_arrange(core_state* state, PyObject* const* args, Py_ssize_t given, PyObject* kwnames,
                              PyObject** out);
const jf_view* core_arrange_packed(core_state* state, int32_t given, const jf_view* args, jf_view* out);
PyObject* core_call_python(core_state* state, PyObject** args, Py_ssize_t count);
PyObject* core_call_entry(_PyCFunctionFastWithKeywords entry, PyObject** args, Py_ssize_t count);
void core_decref(PyObject* object);
void core_decref_array(PyObject** objects, Py_ssize_t count);
PyObject* core_take_object(jf_object* object);
int32_t core_errno_failed(core_state* state);
int32_t core_null_result(core_state* state, int32_t nullable);
int32_t core_fail_null(core_state* state, int32_t index);
int32_t core_check_out(core_state* state, jf_value* out, int32_t reserved);

/* -- machine.c: what stored code depends on --------------------------------------------------------------------------------- */
int core_machine_init(PyObject* module);

/* -- counting.c: what is allocated, for tuning ------------------------------------------------------------------------------ */
int core_counting_init(PyObject* module);

/* -- code.c: machine code as a Python object; libraries ------------------------------------------------------------------ */
extern PyTypeObject core_code_type;
int core_code_init(PyObject* module);
int core_library_init(PyObject* module);
void* core_library_handle(PyObject* library); /* dlopen's; NULL with TypeError */

/* -- module_object.c, image.c: modules, and code that was linked here -------------------------------------------------------- */
int core_module_init(PyObject* module);
int core_image_init(PyObject* module);
PyObject* core_module_box(jf_object* object);
void core_module_keep(jf_object* object);

#endif
