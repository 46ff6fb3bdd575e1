/* Python objects to native values, off the fast path. Functions return 0, or -1 with a Python exception set. Temporaries are to
 * be released with the GIL held.
 */
#ifndef JITFFI_PYTHON_UNBOX_H
#define JITFFI_PYTHON_UNBOX_H

#include "jitffi/runtime.h"
#include "state.h"

int32_t core_keep_object(jf_temps* temps, jf_object* object); /* steals, on failure too; so does the next */
int32_t core_keep_python(jf_temps* temps, PyObject* object);
Py_buffer* core_keep_view(jf_temps* temps, PyObject* exporter, int flags);
int32_t core_keep_buffer(jf_temps* temps, PyObject* exporter, int flags, jf_span* out); /* data is never NULL */
int core_is_number(PyObject* object);
PyObject* core_as_int(PyObject* object); /* new int by __index__; NULL without an exception when it is no integer */
/* New: the number that an object of a class with a value protocol stands for; NULL, with an exception or without. */
PyObject* core_number_said(PyObject* object, int kind);
int32_t core_unbox_scalar(core_state* state, int32_t index, PyObject* object, int32_t kind,
                          void* out); /* JF_KIND_*, as jf_lift_scalar */
int32_t core_unbox_ptr(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps);
int32_t core_unbox_str(core_state* state, int32_t index, PyObject* object, jf_span* out);
int32_t core_unbox_cstr(core_state* state, int32_t index, PyObject* object, const char** out);
/* texts.c: cstr[n] */
int32_t core_unbox_texts(core_state* state, int32_t index, PyObject* object, int64_t* out, jf_temps* temps);
PyObject* core_box_texts(core_state* state, int32_t index, const char* const* texts, int64_t length);
int32_t core_unbox_bytes(core_state* state, int32_t index, PyObject* object, jf_span* out, jf_temps* temps);
/* What classes of ours say of themselves is known once there are these classes, so that a module without them need not carry them.
 * The UTF-8 of a text wrapper (NUL-terminated), the bytes of a Bytes, good while the wrapper lives and is not moved: 1; 0: it is
 * none; -1: exception. */
extern int (*core_text_span)(PyObject* object, jf_span* out);
extern int (*core_bytes_span)(PyObject* object, jf_span* out);
/* The address of a Pointer: 1; 0: the object is none; -1: exception. */
extern int (*core_ptr_of_pointer)(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps);
/* New: the nd-array of a NumPy array, which keeps it; NULL without an exception where it is none. */
extern jf_object* (*core_numpy_object)(PyObject* object);
/* The nd-array of what exports DLPack's tensors, new: 1; 0: it exports none; -1: exception. */
extern int (*core_exporter_object)(PyObject* object, jf_object** out);
/* New: what stands for an object of the type of that key: ints for a shape, an exception for an error, NumPy's or another array for
 * an nd-array, its value for the member of an enumeration, a mapping for a FrozenMap. NULL, with an exception or without. */
jf_object* core_stand_in(const char* key, PyObject* object);
/* Whether it is a mapping that may change: a dict, a Map, or one of others. */
int core_is_mapping(PyObject* object);
/* As core_unbox_scalar, for JF_KIND_DTYPE and JF_KIND_DEVICE. */
extern int32_t (*core_unbox_dlpack)(core_state* state, int32_t index, PyObject* object, int32_t kind, int64_t* word);
/* code: JF_ROOT for `object`, JF_FUNCTION for `func` (a Function, a builtin of ours, any callable), JF_MODULE. *out is borrowed from temps. */
int32_t core_unbox_object(core_state* state, int32_t index, PyObject* object, int32_t code, jf_object** out,
                          jf_temps* temps);
int32_t core_unbox_any(core_state* state, int32_t index, PyObject* object, jf_view* out, jf_temps* temps);
/* New: the native object of a wrapper or function; a new container for a dict, list or tuple; the nd-array of a NumPy array; else a host object. The object of
 * a moved argument counts as its wrapper. NULL with an exception, or without one for what says by a protocol that it is None. */
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
/* unions and null */
int32_t core_unbox_union(core_state* state, int32_t index, PyObject* object, jf_view* out, jf_temps* temps);
int32_t core_unbox_union_out(core_state* state, PyObject* object, jf_value* out);
/* New: the shape of ints; NULL with an exception. NULL in modules that have no shapes. */
extern jf_object* (*core_shape_from)(PyObject* object);
/* Whether going through it ends: what has an index and no length, as ctypes' pointers, leads on behind its memory. */
static inline int core_ends(PyObject* object) {
  const PyTypeObject* type = Py_TYPE(object);
  const int has_length = (type->tp_as_sequence != NULL && type->tp_as_sequence->sq_length != NULL) ||
                         (type->tp_as_mapping != NULL && type->tp_as_mapping->mp_length != NULL);
  return type->tp_iter != NULL || (PySequence_Check(object) && has_length);
}
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
int core_has_surrogate(PyObject* text);               /* of a str: it is not all characters */
int32_t core_out_ucs4(PyObject* text, jf_value* out); /* the same of a str that is */

#endif
