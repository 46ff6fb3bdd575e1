/* jitffi.String, UCS4String and Bytes: the classes, and what string_object.c, string_items.c, string_methods.c and
 * bytes_object.c share.
 */
#ifndef JITFFI_PYTHON_TEXT_OBJECT_H
#define JITFFI_PYTHON_TEXT_OBJECT_H

#include "jitffi/abi.h"
#include "wrapper.h"

extern PyTypeObject core_string_type, core_ucs4_string_type, core_bytes_type;
int core_string_init(PyObject* module); /* both after core_object_init */
int core_bytes_init(PyObject* module);
int core_is_text_object(PyObject* object);                   /* a String or a UCS4String */
int core_register_abc(const char* name, PyTypeObject* type); /* with collections.abc's class of that name; -1 */

typedef struct {
  core_wrapper wrapper;
  Py_hash_t hash;  /* that of the str or bytes; -1: not asked yet */
  jf_object* utf8; /* a UCS4String as a heap str, made when a callee wants UTF-8 */
} core_text_object;

extern PyMethodDef core_text_methods[]; /* str's, for String and UCS4String */

extern PyNumberMethods core_text_number;
extern PySequenceMethods core_text_sequence;
extern PyMappingMethods core_text_mapping;
PyObject* core_text_iter(PyObject* self);
Py_ssize_t core_text_length(const jf_str* text); /* characters, of a str or UCS4 str */

/* A str of any kind is ready in the CPythons that have no other; before, one from the oldest C API may not be. */
static inline int core_text_ready(PyObject* text) {
#if PY_VERSION_HEX < 0x030C0000
  return PyUnicode_READY(text);
#else
  (void)text;
  return 0;
#endif
}

/* The text or bytes as Python's own object; new, NULL with an exception. */
PyObject* core_text_python(PyObject* wrapper);
/* The wrapper's heap str, UCS4 str or bytes (they share their first fields), borrowed; NULL with an exception. */
static inline const jf_str* core_text_get(PyObject* wrapper) {
  return (const jf_str*)(const void*)core_wrapper_get(wrapper);
}
/* A new wrapper of that class, with the hash not known; steals object. NULL with an exception, for a NULL object the
 * runtime's error. */
PyObject* core_text_wrap(PyTypeObject* type, jf_object* object);
Py_hash_t core_text_hash(PyObject* self); /* the Python object's own */
PyObject* core_text_repr(PyObject* self);
void core_text_dealloc(PyObject* self);

/* Calls method *name* of the Python object that `self` stands for; *interned keeps the name. With `unwrap`, Strings
 * and Bytes among the arguments, and in tuples among them, are given as str and bytes. */
PyObject* core_text_delegate(PyObject* self, PyObject** interned, const char* name, int unwrap, PyObject* const* args,
                             Py_ssize_t given, PyObject* kwnames);
/* type(text): for pickle. */
PyObject* core_text_reduce(PyObject* self, PyObject* unused);
PyObject* core_text_self(PyObject* self, PyObject* unused);
PyObject* core_text_to_python(PyObject* self, PyObject* unused);

/* One C function a method: a method does not know its name. */
#define CORE_TEXT_DELEGATE(prefix, method, unwrap)                                                                 \
  static PyObject* prefix##_##method(PyObject* self, PyObject* const* args, Py_ssize_t given, PyObject* kwnames) { \
    static PyObject* interned;                                                                                     \
    return core_text_delegate(self, &interned, #method, unwrap, args, given, kwnames);                             \
  }

/* The methods that str and bytes both have and that are left to them; a formatter takes the list for one call. */
/* clang-format off */
#define CORE_TEXT_METHODS(_) \
  _(capitalize) _(center) _(count) _(endswith) _(expandtabs) _(find) _(index) _(isalnum) \
  _(isalpha) _(isascii) _(isdigit) _(islower) _(isspace) _(istitle) _(isupper) _(ljust) \
  _(lower) _(lstrip) _(partition) _(removeprefix) _(removesuffix) _(replace) _(rfind) _(rindex) \
  _(rjust) _(rpartition) _(rsplit) _(rstrip) _(split) _(splitlines) _(startswith) _(strip) \
  _(swapcase) _(title) _(translate) _(upper) _(zfill)
/* clang-format on */

#endif
