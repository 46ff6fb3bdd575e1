/* jitffi.String and jitffi.UCS4String: immutable texts over a heap str and a heap UCS4 str.
 *
 *   core_wrapper | hash | utf8
 *
 * A text is a str, a String or a UCS4String; texts of the same characters are equal and have the hash of the str. What
 * a String is asked for natively: length, characters, comparison with ASCII, containment. All else is done on a str that
 * is made for the question (string_methods.c).
 */
#include <string.h>

#include "box.h"
#include "error.h"
#include "hooks.h"
#include "jitffi/runtime.h"
#include "jitffi/text.h"
#include "text_object.h"
#include "unbox.h"
#include "wrapper.h"

/* Whether object is a String or a UCS4String. */
int core_is_text_object(PyObject* object) {
  return PyObject_TypeCheck(object, &core_string_type) || PyObject_TypeCheck(object, &core_ucs4_string_type);
}

/* -- all text wrappers, and Bytes ------------------------------------------------------------------------------- */

/* New. */
PyObject* core_text_python(PyObject* wrapper) {
  jf_object* object = core_wrapper_get(wrapper);
  return object != NULL ? core_box_object(object) : NULL;
}

PyObject* core_text_wrap(PyTypeObject* type, jf_object* object) {
  if (object == NULL) {
    core_error_raise(NULL);
    return NULL;
  }
  PyObject* made = core_wrapper_make(type, object);
  if (made != NULL) ((core_text_object*)made)->hash = -1;
  return made;
}

Py_hash_t core_text_hash(PyObject* self) {
  core_text_object* wrapper = (core_text_object*)self;
  if (wrapper->hash != -1) return wrapper->hash;
  PyObject* text = core_text_python(self);
  if (text == NULL) return -1;
  wrapper->hash = PyObject_Hash(text);
  Py_DECREF(text);
  return wrapper->hash;
}

/* New: "String('abc')". */
PyObject* core_text_repr(PyObject* self) {
  PyObject* text = core_text_python(self);
  PyObject* made = text != NULL ? PyUnicode_FromFormat("%s(%R)", core_wrapper_name(Py_TYPE(self)), text) : NULL;
  Py_XDECREF(text);
  return made;
}

void core_text_dealloc(PyObject* self) {
  jf_object_release(((core_text_object*)self)->utf8); /* nobody else knows it: nothing runs here */
  ((core_text_object*)self)->utf8 = NULL;
  core_wrapper_dealloc(self);
}

/* -- construction ---------------------------------------------------------------------------------------------- */

/* UnicodeEncodeError for the lone surrogate that the str has, in CPython's own words. */
static void fail_surrogate(PyObject* text) {
  PyObject* bytes = PyUnicode_AsUTF8String(text);
  if (bytes != NULL) PyErr_SetString(PyExc_ValueError, "text holds a value that is no character");
  Py_XDECREF(bytes);
}

/* New heap str; NULL with an exception. The str is not made to keep a UTF-8 copy of its own. */
static jf_object* utf8_of(PyObject* text) {
  if (core_text_ready(text) != 0) return NULL;
  const void* data = PyUnicode_DATA(text);
  size_t length = (size_t)PyUnicode_GET_LENGTH(text);
  int32_t width = (int32_t)PyUnicode_KIND(text);
  int64_t size = jf_utf8_size(data, length, width);
  if (size < 0) {
    fail_surrogate(text);
    return NULL;
  }
  char* out = NULL;
  jf_object* made = jf_str_alloc(JF_STR, (size_t)size, &out);
  if (made == NULL)
    core_error_raise(NULL);
  else
    jf_utf8_write(data, length, width, out);
  return made;
}

/* New heap UCS4 str; NULL with an exception. */
static jf_object* ucs4_of(PyObject* text) {
  if (core_text_ready(text) != 0) return NULL;
  Py_UCS4* wide = PyUnicode_AsUCS4Copy(text);
  if (wide == NULL) return NULL;
  size_t length = (size_t)PyUnicode_GET_LENGTH(text);
  jf_object* made = NULL;
  if (jf_ucs4_fault((const jf_char32*)wide, length) >= 0)
    fail_surrogate(text);
  else if ((made = jf_ucs4_new((const jf_char32*)wide, length)) == NULL)
    core_error_raise(NULL);
  PyMem_Free(wide);
  return made;
}

static PyObject* text_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  PyObject* text = NULL;
  if (kwargs != NULL && PyDict_GET_SIZE(kwargs) > 0)
    return PyErr_Format(PyExc_TypeError, "%s() takes no keyword arguments", core_wrapper_name(type));
  if (!PyArg_UnpackTuple(args, core_wrapper_name(type), 0, 1, &text)) return NULL;
  if (text != NULL && Py_TYPE(text) == type) return Py_NewRef(text);
  if (text == NULL)
    text = PyUnicode_FromStringAndSize(NULL, 0);
  else if (core_is_text_object(text))
    text = core_text_python(text);
  else if (PyUnicode_Check(text))
    Py_INCREF(text);
  else
    return PyErr_Format(PyExc_TypeError, "%s() argument must be str, not %.200s", core_wrapper_name(type),
                        Py_TYPE(text)->tp_name);
  if (text == NULL) return NULL;
  jf_object* object = PyType_IsSubtype(type, &core_string_type) ? utf8_of(text) : ucs4_of(text);
  Py_DECREF(text);
  return object != NULL ? core_text_wrap(type, object) : NULL;
}

/* -- what native code is given ----------------------------------------------------------------------------------- */

/* The UTF-8 of a String or UCS4String, NUL-terminated, good while the wrapper lives: 1; 0: it is neither; -1: exception. */
static int text_span(PyObject* object, jf_span* out) {
  if (!core_is_text_object(object)) return 0;
  const jf_str* text = core_text_get(object);
  if (text == NULL) return -1;
  if (text->header.type_code == JF_UCS4) {
    core_text_object* wrapper = (core_text_object*)object;
    if (wrapper->utf8 == NULL) {
      PyObject* plain = core_text_python(object);
      wrapper->utf8 = plain != NULL ? utf8_of(plain) : NULL;
      Py_XDECREF(plain);
    }
    text = (const jf_str*)(const void*)wrapper->utf8;
    if (text == NULL) return -1;
  }
  out->data = text->data;
  out->size = text->size;
  return 1;
}

/* -- comparison ---------------------------------------------------------------------------------------------------- */

static PyObject* ordered(int sign, int operation) { Py_RETURN_RICHCOMPARE(sign, 0, operation); }

/* UTF-8 in the order of its bytes is text in the order of its characters. */
static int bytes_order(const char* a, size_t a_size, const char* b, size_t b_size) {
  int sign = memcmp(a, b, a_size < b_size ? a_size : b_size);
  return sign != 0 ? sign : (a_size > b_size) - (a_size < b_size);
}

static int ucs4_order(const jf_ucs4* text, PyObject* other) {
  Py_ssize_t length = PyUnicode_GET_LENGTH(other);
  Py_ssize_t size = (Py_ssize_t)text->size;
  int kind = (int)PyUnicode_KIND(other);
  const void* data = PyUnicode_DATA(other);
  for (Py_ssize_t i = 0; i < size && i < length; i++) {
    Py_UCS4 a = text->data[i];
    Py_UCS4 b = PyUnicode_READ(kind, data, i);
    if (a != b) return a > b ? 1 : -1;
  }
  return (size > length) - (size < length);
}

/* How many characters. */
Py_ssize_t core_text_length(const jf_str* text) {
  return text->header.type_code == JF_UCS4 ? (Py_ssize_t)text->size : (Py_ssize_t)jf_str_characters(&text->header);
}

static PyObject* compare_str(PyObject* self, const jf_str* text, PyObject* other, int operation) {
  if (core_text_ready(other) != 0) return NULL;
  if ((operation == Py_EQ || operation == Py_NE) && core_text_length(text) != PyUnicode_GET_LENGTH(other))
    return PyBool_FromLong(operation == Py_NE);
  if (text->header.type_code == JF_UCS4)
    return ordered(ucs4_order((const jf_ucs4*)(const void*)text, other), operation);
  if (PyUnicode_IS_ASCII(other)) {
    size_t size = (size_t)PyUnicode_GET_LENGTH(other);
    return ordered(bytes_order(text->data, text->size, PyUnicode_DATA(other), size), operation);
  }
  PyObject* plain = core_text_python(self);
  PyObject* result = plain != NULL ? PyUnicode_RichCompare(plain, other, operation) : NULL;
  Py_XDECREF(plain);
  return result;
}

static PyObject* text_compare(PyObject* self, PyObject* other, int operation) {
  int is_str = PyUnicode_Check(other);
  if (!is_str && !core_is_text_object(other)) Py_RETURN_NOTIMPLEMENTED;
  const jf_str* text = core_text_get(self);
  if (text == NULL) return NULL;
  if (is_str) return compare_str(self, text, other, operation);
  const jf_str* second = core_text_get(other);
  if (second == NULL) return NULL;
  if (text->header.type_code == JF_STR && second->header.type_code == JF_STR)
    return ordered(bytes_order(text->data, text->size, second->data, second->size), operation);
  PyObject* plain = core_text_python(other);
  PyObject* result = plain != NULL ? compare_str(self, text, plain, operation) : NULL;
  Py_XDECREF(plain);
  return result;
}

/* -- the classes --------------------------------------------------------------------------------------------------------- */

#define TEXT_TYPE(name, doc)                                \
  {PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi." name, \
   .tp_doc = doc,                                           \
   .tp_basicsize = sizeof(core_text_object),                \
   .tp_base = &core_object_type,                            \
   .tp_flags = Py_TPFLAGS_DEFAULT | CORE_MATCH_SELF,        \
   .tp_new = text_new,                                      \
   .tp_dealloc = core_text_dealloc,                         \
   .tp_hash = core_text_hash,                               \
   .tp_repr = core_text_repr,                               \
   .tp_str = core_text_python,                              \
   .tp_richcompare = text_compare,                          \
   .tp_iter = core_text_iter,                               \
   .tp_as_number = &core_text_number,                       \
   .tp_as_sequence = &core_text_sequence,                   \
   .tp_as_mapping = &core_text_mapping,                     \
   .tp_methods = core_text_methods}

PyDoc_STRVAR(
    string_doc,
    "String(text='', /)\n--\n\n"
    "An immutable text in a native object, as UTF-8.\n\n"
    "It equals the str of the same characters, has its hash, and does what a str does: what comes out\n"
    "of its methods, slices and iteration are Python's own str and list. Native code that takes a str, cstr or any\n"
    "is given the object's own memory. It is no str for isinstance, nor for what insists on one:\n"
    "String('a') in 'abc' is a TypeError, 'a' in String('abc') is not.\n\n"
    ">>> import jitffi\n"
    ">>> s = jitffi.String('Grüße')\n"
    ">>> s, len(s), s[2], s[-2:], s == 'Grüße', {'Grüße': 1}[s]\n"
    "(String('Grüße'), 5, 'ü', 'ße', True, 1)\n"
    ">>> s.upper(), s + '!', isinstance(s, str)\n"
    "('GRÜSSE', 'Grüße!', False)");
PyDoc_STRVAR(
    ucs4_string_doc,
    "UCS4String(text='', /)\n--\n\n"
    "An immutable text in a native object, four bytes a character: any character is found in constant time.\n\n"
    "In all else it is like String.\n\n"
    ">>> import jitffi\n"
    ">>> s = jitffi.UCS4String('naïve 😀')\n"
    ">>> s[6], s[::-1], s == jitffi.String('naïve 😀'), hash(s) == hash('naïve 😀')\n"
    "('😀', '😀 evïan', True, True)");

PyTypeObject core_string_type = TEXT_TYPE("String", string_doc);
PyTypeObject core_ucs4_string_type = TEXT_TYPE("UCS4String", ucs4_string_doc);

/* After core_object_init. 0, or -1 with an exception. */
int core_string_init(PyObject* module) {
  if (core_type_ready(&core_string_type) != 0 || core_type_ready(&core_ucs4_string_type) != 0) return -1;
  core_text_span = text_span;
  if (core_register_abc("Sequence", &core_string_type) != 0 ||
      core_register_abc("Sequence", &core_ucs4_string_type) != 0)
    return -1;
  if (PyModule_AddObjectRef(module, "String", (PyObject*)&core_string_type) != 0) return -1;
  return PyModule_AddObjectRef(module, "UCS4String", (PyObject*)&core_ucs4_string_type);
}

/* With the class of that name in collections.abc, which the interpreter itself has loaded at its start. 0, or -1 with an
 * exception. */
int core_register_abc(const char* name, PyTypeObject* type) {
  PyObject* module = PyImport_ImportModule("_collections_abc");
  PyObject* abc = module != NULL ? PyObject_GetAttrString(module, name) : NULL;
  PyObject* done = abc != NULL ? PyObject_CallMethod(abc, "register", "O", type) : NULL;
  Py_XDECREF(module);
  Py_XDECREF(abc);
  Py_XDECREF(done);
  return done != NULL ? 0 : -1;
}
