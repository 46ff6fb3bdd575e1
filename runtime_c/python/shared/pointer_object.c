/* jitffi.Pointer, the class: what it says of itself, arithmetic in items, comparison.
 *
 * A pointer never changes. What is derived from one keeps its owner, and knows how far the memory goes on both sides, so
 * that p + 3 - 3 is p.
 */
#include "array.h"
#include "hooks.h"
#include "pointer.h"
#include "unbox.h"

/* -- making ------------------------------------------------------------------------------------------------------- */

/* How many items there are in so many bytes. One with a flexible end has all of them. */
static Py_ssize_t items_in(const core_pointee* type, Py_ssize_t room) {
  if (type->size == 0) return -1;
  if (type->kind == CORE_TO_STRUCT && core_struct_flexible(type) != 0) return room >= type->size;
  return room / type->size;
}

PyObject* core_pointer_make(const core_pointee* type, const void* address, Py_ssize_t before, Py_ssize_t room,
                            PyObject* owner) {
  if (room >= 0 && type->kind == CORE_TO_STRUCT && core_pointee_complete(type) != 0) return NULL;
  core_pointer* p = (core_pointer*)core_pointer_type.tp_alloc(&core_pointer_type, 0);
  if (p == NULL) return NULL;
  p->address = (char*)(uintptr_t)address;
  p->type = type;
  p->owner = Py_XNewRef(owner);
  p->before = before;
  p->room = room;
  p->length = room >= 0 ? items_in(type, room) : -1;
  return (PyObject*)p;
}

static PyObject* pointer_new(PyTypeObject* type, PyObject* args, PyObject* kwargs) {
  (void)type, (void)args, (void)kwargs;
  PyErr_SetString(PyExc_TypeError, "a Pointer is made by jitffi.new or jitffi.cast");
  return NULL;
}

static int pointer_traverse(core_pointer* p, visitproc visit, void* arg) {
  Py_VISIT(p->owner);
  return 0;
}

static int pointer_clear(core_pointer* p) {
  Py_CLEAR(p->owner);
  p->address = NULL; /* of memory that may be gone */
  p->length = p->room = p->before = 0;
  return 0;
}

static void pointer_dealloc(core_pointer* p) {
  PyObject_GC_UnTrack(p);
  if (p->weak_references != NULL) PyObject_ClearWeakRefs((PyObject*)p);
  Py_XDECREF(p->owner);
  Py_TYPE(p)->tp_free(p);
}

/* -- whether it leads anywhere ---------------------------------------------------------------------------------- */

static int is_closed(const core_pointer* p) { return p->owner != NULL && core_owned_is_dead(p->owner); }

int core_pointer_check_open(const core_pointer* p) {
  if (!is_closed(p)) return 0;
  PyErr_Format(PyExc_ValueError, "%U: what it points at was closed", p->type->text);
  return -1;
}

int core_pointer_check(const core_pointer* p) {
  if (core_pointer_check_open(p) != 0) return -1;
  if (p->address != NULL) return 0;
  PyErr_Format(PyExc_ValueError, "%U: the pointer is NULL", p->type->text);
  return -1;
}

/* TypeError where items have no size. */
static int check_size(const core_pointer* p) {
  if (p->type->size > 0) return 0;
  if (core_pointee_complete(p->type) != 0) return -1;
  if (p->type->size > 0) return 0;
  PyErr_Format(PyExc_TypeError, "%U: %U has no size: cast the pointer to another type first", p->type->text,
               p->type->item_text);
  return -1;
}

/* -- attributes --------------------------------------------------------------------------------------------------- */

static PyObject* pointer_address(core_pointer* p, void* unused) {
  (void)unused;
  if (core_pointer_check_open(p) != 0) return NULL;
  return PyLong_FromUnsignedLongLong((uintptr_t)p->address);
}

static PyObject* pointer_get_type(core_pointer* p, void* unused) {
  (void)unused;
  return core_pointee_type(p->type);
}

static PyObject* pointer_get_len(core_pointer* p, void* unused) {
  (void)unused;
  if (p->length < 0) Py_RETURN_NONE;
  return PyLong_FromSsize_t(p->length);
}

static Py_ssize_t pointer_length(core_pointer* p) {
  if (p->length < 0) PyErr_Format(PyExc_TypeError, "%U: the length is not known", p->type->text);
  return p->length;
}

static int pointer_truth(core_pointer* p) { return p->address != NULL && !is_closed(p); }

/* int() would read the digits that a buffer has. */
static PyObject* pointer_int(core_pointer* p) {
  return PyErr_Format(PyExc_TypeError, "%U: a pointer is no number: there are its address and its items",
                      p->type->text);
}

static PyObject* pointer_repr(core_pointer* p) {
  if (is_closed(p)) return PyUnicode_FromFormat("<Pointer %U, closed>", p->type->text);
  if (p->address == NULL) return PyUnicode_FromFormat("<Pointer %U, NULL>", p->type->text);
  if (p->length < 0) return PyUnicode_FromFormat("<Pointer %U at %p>", p->type->text, p->address);
  return PyUnicode_FromFormat("<Pointer %U at %p, length %zd>", p->type->text, p->address, p->length);
}

/* -- items ------------------------------------------------------------------------------------------------------------ */

/* Indices count from the address, as in C: before it are only items where it was moved there. -1 with IndexError. */
static int check_index(const core_pointer* p, Py_ssize_t index) {
  if (p->room < 0 || (index < p->length && index >= -(p->before / p->type->size))) return 0;
  PyErr_Format(PyExc_IndexError, "%U: index %zd is out of range: the length is %zd", p->type->text, index, p->length);
  return -1;
}

static int read_index(const core_pointer* p, PyObject* key, Py_ssize_t* index) {
  if (!PyIndex_Check(key)) {
    if (PySlice_Check(key))
      PyErr_Format(PyExc_TypeError, "%U: a pointer has no slices: slice the NumPy array that .array() gives",
                   p->type->text);
    else
      PyErr_Format(PyExc_TypeError, "%U: expected an int as the index, got %.200s", p->type->text,
                   Py_TYPE(key)->tp_name);
    return -1;
  }
  *index = PyNumber_AsSsize_t(key, PyExc_IndexError);
  return *index == -1 && PyErr_Occurred() ? -1 : 0;
}

/* Wraps around where it leads nowhere, without undefined behaviour on the way. */
static char* address_of(const core_pointer* p, Py_ssize_t index) {
  return (char*)((uintptr_t)p->address + (uintptr_t)index * (uintptr_t)p->type->size);
}

static PyObject* pointer_item(core_pointer* p, Py_ssize_t index) {
  if (core_pointer_check(p) != 0 || check_size(p) != 0 || check_index(p, index) != 0) return NULL;
  return core_item_read(p, address_of(p, index));
}

static int pointer_set(core_pointer* p, Py_ssize_t index, PyObject* value) {
  if (value == NULL) {
    PyErr_Format(PyExc_TypeError, "%U: items cannot be deleted", p->type->text);
    return -1;
  }
  if (core_pointer_check(p) != 0 || check_size(p) != 0 || check_index(p, index) != 0) return -1;
  if (!p->type->is_const) return core_item_write(p, index, value);
  PyErr_Format(PyExc_TypeError, "%U: items that are const cannot be written", p->type->text);
  return -1;
}

static PyObject* pointer_subscript(core_pointer* p, PyObject* key) {
  Py_ssize_t index;
  return read_index(p, key, &index) == 0 ? pointer_item(p, index) : NULL;
}

static int pointer_set_subscript(core_pointer* p, PyObject* key, PyObject* value) {
  Py_ssize_t index;
  return read_index(p, key, &index) == 0 ? pointer_set(p, index, value) : -1;
}

static PyObject* pointer_get_value(core_pointer* p, void* unused) {
  (void)unused;
  return pointer_item(p, 0);
}

static int pointer_set_value(core_pointer* p, PyObject* value, void* unused) {
  (void)unused;
  return pointer_set(p, 0, value);
}

/* By the length: without one there would be no end. */
static PyObject* pointer_iter(core_pointer* p) { return pointer_length(p) >= 0 ? PySeqIter_New((PyObject*)p) : NULL; }

/* -- arithmetic ------------------------------------------------------------------------------------------------------ */

static PyObject* moved(core_pointer* p, Py_ssize_t index) {
  if (core_pointer_check(p) != 0 || check_size(p) != 0) return NULL;
  if (p->room < 0) return core_pointer_make(p->type, address_of(p, index), 0, -1, p->owner);
  if (index != p->length && check_index(p, index) != 0) return NULL; /* one behind the last is an address, too */
  const Py_ssize_t distance = index * p->type->size;
  return core_pointer_make(p->type, p->address + distance, p->before + distance, p->room - distance, p->owner);
}

static PyObject* moved_by(PyObject* pointer, PyObject* number, int sign) {
  Py_ssize_t index = PyNumber_AsSsize_t(number, PyExc_OverflowError);
  if (index == -1 && PyErr_Occurred()) return NULL;
  if (sign < 0 && index == PY_SSIZE_T_MIN) return PyErr_Format(PyExc_OverflowError, "the number of items is too large");
  return moved((core_pointer*)pointer, sign < 0 ? -index : index);
}

static PyObject* pointer_add(PyObject* left, PyObject* right) {
  if (core_is_pointer(left) && PyIndex_Check(right)) return moved_by(left, right, 1);
  if (core_is_pointer(right) && PyIndex_Check(left)) return moved_by(right, left, 1);
  Py_RETURN_NOTIMPLEMENTED;
}

static PyObject* pointer_subtract(PyObject* left, PyObject* right) {
  if (!core_is_pointer(left)) Py_RETURN_NOTIMPLEMENTED;
  if (PyIndex_Check(right)) return moved_by(left, right, -1);
  if (!core_is_pointer(right)) Py_RETURN_NOTIMPLEMENTED;
  const core_pointer* p = (core_pointer*)left;
  const core_pointer* q = (core_pointer*)right;
  if (p->type->plain != q->type->plain)
    return PyErr_Format(PyExc_TypeError, "%U - %U: pointers of different types have no distance", p->type->text,
                        q->type->text);
  if (core_pointer_check_open(p) != 0 || core_pointer_check_open(q) != 0 || check_size(p) != 0) return NULL;
  const intptr_t distance = (intptr_t)((uintptr_t)p->address - (uintptr_t)q->address);
  if (distance % p->type->size == 0) return PyLong_FromSsize_t(distance / p->type->size);
  return PyErr_Format(PyExc_ValueError, "%U - %U: they are %zd bytes apart, which is no whole number of items",
                      p->type->text, q->type->text, (Py_ssize_t)distance);
}

/* Of the same type, const or not. */
static PyObject* pointer_compare(PyObject* self, PyObject* other, int operation) {
  if (!core_is_pointer(other) || ((core_pointer*)self)->type->plain != ((core_pointer*)other)->type->plain)
    Py_RETURN_NOTIMPLEMENTED;
  const uintptr_t left = (uintptr_t)((core_pointer*)self)->address;
  const uintptr_t right = (uintptr_t)((core_pointer*)other)->address;
  Py_RETURN_RICHCOMPARE(left, right, operation);
}

static Py_hash_t pointer_hash(core_pointer* p) {
  const uintptr_t address = (uintptr_t)p->address;
  const Py_hash_t hash = (Py_hash_t)(address >> 4 | address << (8 * sizeof address - 4)); /* the low bits say little */
  return hash != -1 ? hash : -2;
}

/* -- methods ---------------------------------------------------------------------------------------------------------- */

static PyObject* pointer_close(PyObject* self, PyObject* unused) {
  (void)unused;
  return core_owned_close((core_pointer*)self);
}

static PyObject* pointer_enter(PyObject* self, PyObject* unused) {
  (void)unused;
  return core_pointer_check_open((core_pointer*)self) == 0 ? Py_NewRef(self) : NULL;
}

static PyObject* pointer_exit(PyObject* self, PyObject* unused) { return pointer_close(self, unused); }

static PyObject* pointer_copy(PyObject* self, PyObject* unused) {
  (void)unused;
  return Py_NewRef(self);
}

static PyObject* pointer_reduce(PyObject* self, PyObject* unused) {
  (void)self, (void)unused;
  PyErr_SetString(PyExc_TypeError, "a Pointer cannot be pickled: its address means nothing elsewhere");
  return NULL;
}

static PyObject* pointer_cast(PyObject* self, PyObject* type) { return core_pointer_cast(type, self); }

static PyMethodDef pointer_methods[] = {
    {"array", core_pointer_array, METH_VARARGS,
     "The items as a NumPy array that keeps the memory alive, without copying; read-only where they are const.\n\n"
     "With a shape, in C order, else as many as there are. ValueError where the length is not known, or less."},
    {"text", (PyCFunction)(void (*)(void))core_pointer_text, METH_VARARGS | METH_KEYWORDS,
     "The UTF-8 text that begins there, as a str: up to a NUL, or to `size` bytes. Items are i8 or u8, else a "
     "TypeError;\n"
     "other bytes are a UnicodeDecodeError."},
    {"cast", pointer_cast, METH_O, "The same address as a pointer of another type, with the same owner."},
    {"close", pointer_close, METH_NOARGS,
     "Free what it points at now: of results of a type owned[...]; others are a ValueError. BufferError while there "
     "are\n"
     "arrays or buffers of it. Pointers that were derived from it are dead then."},
    {"__enter__", pointer_enter, METH_NOARGS, NULL},
    {"__exit__", pointer_exit, METH_VARARGS, NULL},
    {"__copy__", pointer_copy, METH_NOARGS, NULL},
    {"__reduce__", pointer_reduce, METH_NOARGS, NULL},
    {NULL, NULL, 0, NULL},
};

static PyGetSetDef pointer_getset[] = {
    {"address", (getter)pointer_address, NULL, "The address, as an int.", NULL},
    {"type", (getter)pointer_get_type, NULL, "Its type, ptr[T].", NULL},
    {"len", (getter)pointer_get_len, NULL, "How many items there are; None where that is not known.", NULL},
    {"value", (getter)pointer_get_value, (setter)pointer_set_value, "The first item, p[0].", NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

PyDoc_STRVAR(
    pointer_doc,
    "A typed pointer, made by jitffi.new and jitffi.cast, and what functions return for ptr[T].\n\n"
    "Indices count items from the address. Where the length is known they are checked (IndexError), else they\n"
    "are not, as in C. What is written is checked as an argument of that type is; const items cannot be written\n"
    "(TypeError), and a pointer that is NULL cannot be read (ValueError).\n\n"
    ">>> import jitffi\n"
    ">>> p = jitffi.new('i32[4]')\n"
    ">>> p[1] = 7\n"
    ">>> q = p + 1\n"
    ">>> q.value, q - p, q.len, list(p), p.array()[:2]\n"
    "(7, 1, 3, [0, 7, 0, 0], array([0, 7], dtype=int32))");

static PyNumberMethods pointer_number = {.nb_add = pointer_add,
                                         .nb_subtract = pointer_subtract,
                                         .nb_bool = (inquiry)pointer_truth,
                                         .nb_int = (unaryfunc)pointer_int};
static PySequenceMethods pointer_sequence = {.sq_length = (lenfunc)pointer_length,
                                             .sq_item = (ssizeargfunc)pointer_item};
static PyMappingMethods pointer_mapping = {.mp_length = (lenfunc)pointer_length,
                                           .mp_subscript = (binaryfunc)pointer_subscript,
                                           .mp_ass_subscript = (objobjargproc)pointer_set_subscript};

PyTypeObject core_pointer_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.Pointer",
    .tp_doc = pointer_doc,
    .tp_basicsize = sizeof(core_pointer),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_new = pointer_new,
    .tp_alloc = PyType_GenericAlloc,
    .tp_free = PyObject_GC_Del,
    .tp_dealloc = (destructor)pointer_dealloc,
    .tp_traverse = (traverseproc)pointer_traverse,
    .tp_clear = (inquiry)pointer_clear,
    .tp_weaklistoffset = offsetof(core_pointer, weak_references),
    .tp_repr = (reprfunc)pointer_repr,
    .tp_hash = (hashfunc)pointer_hash,
    .tp_richcompare = pointer_compare,
    .tp_iter = (getiterfunc)pointer_iter,
    .tp_as_number = &pointer_number,
    .tp_as_sequence = &pointer_sequence,
    .tp_as_mapping = &pointer_mapping,
    .tp_as_buffer = &core_pointer_buffer,
    .tp_methods = pointer_methods,
    .tp_getset = pointer_getset,
};

int core_pointer_init(PyObject* module) {
  core_pointer_reader = core_read_pointer;
  core_pointer_address = core_address_of_pointer;
  core_ptr_of_pointer = core_address_for_ptr;
  if (core_memory_init() != 0 || core_owned_init() != 0 || core_pointer_view_init() != 0) return -1;
  if (core_type_ready(&core_pointer_type) != 0) return -1;
  return PyModule_AddObjectRef(module, "Pointer", (PyObject*)&core_pointer_type);
}
