/* jitffi.new: zeroed memory, owned by the pointers to it, which keeps what Python puts into it.
 *
 *   "f64"   one item      "f64[10]", "f64[2, 3]"   as many      "ptr[T]", "cstr[4]"   places for addresses
 */
#include "hooks.h"
#include "pointer.h"
#include "unbox.h"

#include <string.h>

enum { ALIGNMENT = 64 }; /* of a cache line, and of the widest vectors */

typedef struct {
  PyObject_HEAD void* block;
  char* start;
  PyObject* kept; /* dict: where -> what Python has put there; NULL: nothing */
} core_memory;

static int memory_traverse(core_memory* m, visitproc visit, void* arg) {
  Py_VISIT(m->kept);
  return 0;
}

static int memory_clear(core_memory* m) {
  Py_CLEAR(m->kept);
  return 0;
}

static void memory_dealloc(core_memory* m) {
  PyObject_GC_UnTrack(m);
  Py_XDECREF(m->kept);
  PyMem_RawFree(m->block);
  Py_TYPE(m)->tp_free(m);
}

static PyTypeObject memory_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.Memory",
    .tp_doc = "Memory that pointers own together.",
    .tp_basicsize = sizeof(core_memory),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_alloc = PyType_GenericAlloc,
    .tp_free = PyObject_GC_Del,
    .tp_dealloc = (destructor)memory_dealloc,
    .tp_traverse = (traverseproc)memory_traverse,
    .tp_clear = (inquiry)memory_clear,
};

int core_memory_init(void) { return core_type_ready(&memory_type); }

int core_is_memory(PyObject* object) { return Py_TYPE(object) == &memory_type; }

char* core_memory_start(PyObject* memory, PyObject*** kept) {
  core_memory* m = (core_memory*)memory;
  *kept = &m->kept;
  return m->start;
}

/* -- making ------------------------------------------------------------------------------------------------------------ */

PyObject* core_memory_new(Py_ssize_t size) {
  if (size > PY_SSIZE_T_MAX - ALIGNMENT) return PyErr_NoMemory();
  core_memory* m = (core_memory*)memory_type.tp_alloc(&memory_type, 0);
  if (m == NULL) return NULL;
  m->block = PyMem_RawCalloc(1, (size_t)size + ALIGNMENT);
  if (m->block == NULL) {
    Py_DECREF(m);
    return PyErr_NoMemory();
  }
  m->start = (char*)(((uintptr_t)m->block + ALIGNMENT - 1) & ~(uintptr_t)(ALIGNMENT - 1));
  return (PyObject*)m;
}

/* New pointer to `count` zeroed items. */
static PyObject* make(const core_pointee* type, Py_ssize_t count) {
  if (count > PY_SSIZE_T_MAX / type->size) return PyErr_NoMemory();
  core_memory* m = (core_memory*)core_memory_new(count * type->size);
  PyObject* pointer = m != NULL ? core_pointer_make(type, m->start, 0, count * type->size, (PyObject*)m) : NULL;
  Py_XDECREF(m);
  return pointer;
}

/* "2, 3]" at the end of `text`: the product, or -1 where these are no such lengths, -2 where it is too large. */
static Py_ssize_t read_count(const char* at, const char* end) {
  Py_ssize_t count = 1;
  int is_too_large = 0;
  while (at < end) {
    Py_ssize_t length = 0;
    while (at < end && *at == ' ') at++;
    const char* first = at;
    for (; at < end && *at >= '0' && *at <= '9'; at++)
      if (__builtin_mul_overflow(length, 10, &length) || __builtin_add_overflow(length, *at - '0', &length))
        is_too_large = 1;
    if (at == first || (*first == '0' && at - first > 1)) return -1;
    if (__builtin_mul_overflow(count, length, &count)) is_too_large = 1;
    while (at < end && *at == ' ') at++;
    if (at + 1 == end && *at == ']') return is_too_large ? -2 : count;
    if (at == end || *at++ != ',') return -1;
  }
  return -1;
}

/* "ptr[ITEM]" for that item's text. NULL, with MemoryError or without an exception. */
static const core_pointee* to_item(const char* item, size_t size, int is_trusted) {
  char* text = PyMem_Malloc(size + sizeof "ptr[]");
  if (text == NULL) return (const core_pointee*)PyErr_NoMemory();
  memcpy(text, "ptr[", 4);
  memcpy(text + 4, item, size);
  memcpy(text + 4 + size, "]", 2);
  const core_pointee* type = core_pointee_of(text, size + 5, is_trusted);
  PyMem_Free(text);
  return type;
}

/* The type and *count, -1 for an item alone; NULL, with an exception or where the text, in canonical spelling, is none. */
static const core_pointee* read_spec(PyObject* spec, int is_trusted, Py_ssize_t* count) {
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(spec, &size);
  if (text == NULL) return NULL;
  const core_pointee* type = to_item(text, (size_t)size, is_trusted);
  const char* bracket = text + size;
  *count = -1;
  if (type != NULL || PyErr_Occurred()) return type;
  while (bracket > text && *bracket != '[') bracket--;
  if (*bracket != '[' || (*count = read_count(bracket + 1, text + size)) == -1) return NULL;
  if (*count == -2) return (const core_pointee*)PyErr_NoMemory();
  return to_item(text, (size_t)(bracket - text), is_trusted);
}

/* The same of a text in any spelling, a Type, or the class of a struct. NULL with an exception. */
static const core_pointee* find_spec(PyObject* spec, Py_ssize_t* count) {
  const core_struct_info* info = core_structs != NULL ? core_structs->info(spec) : NULL;
  if (info != NULL) spec = core_structs->key(info);
  const core_pointee* type = PyUnicode_Check(spec) ? read_spec(spec, 0, count) : NULL;
  if (type == NULL && PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_UnicodeEncodeError)) return NULL;
  PyErr_Clear();
  PyObject* text = NULL;
  if (type == NULL) {
    PyObject* known = core_hook_type(spec);
    text = known != NULL ? PyObject_Str(known) : NULL;
    Py_XDECREF(known);
    if (text == NULL) return NULL;
    type = read_spec(text, 1, count);
  }
  if (type != NULL && core_pointee_complete(type) != 0) type = NULL;
  if (!PyErr_Occurred() && (type == NULL || type->size == 0 || type->is_const)) {
    PyErr_Format(PyExc_TypeError, "new: expected the type of an item or an array with its lengths, \"f64[10]\", got %U",
                 text != NULL ? text : spec);
    type = NULL;
  }
  Py_XDECREF(text);
  return type;
}

int core_text_write(const core_pointee* type, char* at, Py_ssize_t size, PyObject* value, Py_ssize_t* length) {
  const int is_signed = type->kind == CORE_TO_NUMBER && type->scalar == JF_KIND_I8;
  const int is_byte = is_signed || (type->kind == CORE_TO_NUMBER && type->scalar == JF_KIND_U8);
  if (!is_byte || !(PyUnicode_Check(value) || (is_signed && PyBytes_Check(value)))) return 0;
  const char* text = PyBytes_Check(value) ? PyBytes_AS_STRING(value) : PyUnicode_AsUTF8AndSize(value, length);
  if (PyBytes_Check(value)) *length = PyBytes_GET_SIZE(value);
  if (text == NULL || *length > size) return -1;
  memcpy(at, text, (size_t)*length);
  memset(at + *length, 0, (size_t)(size - *length));
  return 1;
}

/* An array is filled from as many values, one of C's char from a text, too. */
static int fill(core_pointer* p, PyObject* values) {
  Py_ssize_t length = 0;
  const int is_text = core_text_write(p->type, p->address, p->length, values, &length);
  if (length > p->length)
    PyErr_Format(PyExc_ValueError, "new: expected %U[%zd], got a text of %zd bytes: there is room for %zd",
                 p->type->item_text, p->length, length, p->length);
  if (is_text != 0) return is_text > 0 ? 0 : -1;
  if (!core_ends(values)) {
    PyErr_Format(PyExc_TypeError, "new: expected %zd values for %U[%zd], got %.200s", p->length, p->type->item_text,
                 p->length, Py_TYPE(values)->tp_name);
    return -1;
  }
  PyObject* items = PySequence_Tuple(values);
  if (items == NULL) return -1;
  int status = 0;
  if (PyTuple_GET_SIZE(items) != p->length) {
    PyErr_Format(PyExc_ValueError, "new: expected %zd values for %U[%zd], got %zd", p->length, p->type->item_text,
                 p->length, PyTuple_GET_SIZE(items));
    status = -1;
  }
  for (Py_ssize_t i = 0; i < p->length && status == 0; i++) status = core_item_write(p, i, PyTuple_GET_ITEM(items, i));
  Py_DECREF(items);
  return status;
}

/* What an array of one item takes as that, and not as what has it: a text is an array of C's char. */
static int is_item(const core_pointee* type, PyObject* initial) {
  return (PyUnicode_Check(initial) && type->kind != CORE_TO_NUMBER) || core_is_pointer(initial) || !core_ends(initial);
}

/* A struct with so many items at its flexible end, `initial`, or a copy of one with those that it has. */
static PyObject* new_flexible(const core_pointee* type, Py_ssize_t item_size, PyObject* initial) {
  Py_ssize_t items = 0, size;
  int is_const;
  const char* from = initial != NULL ? core_structs->address(type->info, initial, &is_const) : NULL;
  if (from != NULL)
    items = (core_structs->bytes(initial) - type->size) / item_size;
  else if (initial != NULL)
    items = PyNumber_AsSsize_t(initial, PyExc_OverflowError);
  if (items == -1 && PyErr_Occurred()) return NULL;
  if (items < 0) return PyErr_Format(PyExc_ValueError, "new: %U has no %zd items at its end", type->item_text, items);
  if (__builtin_mul_overflow(items, item_size, &size) || __builtin_add_overflow(size, type->size, &size))
    return PyErr_NoMemory();
  core_memory* m = (core_memory*)core_memory_new(size);
  int status = m != NULL ? 0 : -1;
  if (status == 0 && from != NULL) status = core_copy_kept((PyObject*)m, m->start, initial, from, size);
  PyObject* pointer = status == 0 ? core_pointer_make(type, m->start, 0, size, (PyObject*)m) : NULL;
  Py_XDECREF(m);
  return pointer;
}

PyObject* core_pointer_new(PyObject* spec, PyObject* initial) {
  Py_ssize_t count;
  const core_pointee* type = find_spec(spec, &count);
  const Py_ssize_t flexible = type != NULL && type->kind == CORE_TO_STRUCT ? core_struct_flexible(type) : 0;
  if (flexible != 0 && count >= 0)
    return PyErr_Format(PyExc_TypeError, "new: there are no arrays of %U, which has a flexible end", type->item_text);
  if (flexible != 0) return new_flexible(type, flexible, initial);
  PyObject* pointer = type != NULL ? make(type, count < 0 ? 1 : count) : NULL;
  if (pointer == NULL || initial == NULL) return pointer;
  const int is_one =
      count < 0 ? !(PyList_Check(initial) || PyTuple_Check(initial)) : count == 1 && is_item(type, initial);
  const int status =
      is_one ? core_item_write((core_pointer*)pointer, 0, initial) : fill((core_pointer*)pointer, initial);
  if (status != 0) Py_CLEAR(pointer);
  return pointer;
}
