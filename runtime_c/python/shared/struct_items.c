/* Fields that are structs, which are views, and arrays: of numbers as NumPy arrays, of what NumPy has no numbers for as sequences.
 *
 * What is assigned to an array is written beside it first: it may be made of the same elements, and it may turn out not to fit.
 */
#include "hooks.h"
#include "raise.h"
#include "struct.h"
#include "unbox.h"

#include <string.h>

/* -- a struct ------------------------------------------------------------------------------------------------------------ */

static PyObject* get_struct(const core_field* field, core_struct* self, char* at) {
  return core_struct_view(core_struct_info_of((PyObject*)field->inner), at, (PyObject*)self, 0);
}

static int set_struct(const core_field* field, core_struct* self, char* at, PyObject* value) {
  if (!PyObject_TypeCheck(value, field->inner) &&
      !(core_is_struct(value) &&
        core_struct_is_alike(core_struct_info_of((PyObject*)field->inner), core_info((core_struct*)value))))
    return core_field_refuse(field, PyExc_TypeError, NULL, value, NULL);
  return core_copy_kept((PyObject*)self, at, value, ((core_struct*)value)->data, field->item_size);
}

void core_field_choose_struct(core_field* field) {
  field->get_item = get_struct;
  field->set_item = set_struct;
}

/* -- arrays -------------------------------------------------------------------------------------------------------------- */

static Py_ssize_t length_of(const core_field* field, const core_struct* self, int dimension) {
  return dimension == 0 && field->is_flexible ? core_struct_items(self) : field->dims[dimension];
}

/* Bytes of an element of that dimension. */
static Py_ssize_t step_of(const core_field* field, int dimension) {
  Py_ssize_t step = field->item_size;
  for (int i = dimension + 1; i < field->num_dims; i++) step *= field->dims[i];
  return step;
}

/* As many elements as *value* has, with the lengths inside those of the type; -1 with an exception. */
static int fill(const core_field* field, core_struct* self, core_struct* room, char* at, int dimension,
                PyObject* value) {
  if (dimension == field->num_dims) return field->set_item(field, room, at, value);
  if (PyUnicode_Check(value) || PyDict_Check(value) || PyAnySet_Check(value) || !core_ends(value))
    return core_field_refuse(field, PyExc_TypeError, NULL, value, NULL);
  PyObject* items = PySequence_Tuple(value);
  if (items == NULL) return -1;
  const Py_ssize_t length = length_of(field, self, dimension), step = step_of(field, dimension);
  int status = 0;
  if (PyTuple_GET_SIZE(items) != length) {
    PyObject* where = core_field_where(field);
    if (where != NULL)
      PyErr_Format(PyExc_ValueError, "%Uexpected %U, got %zd items where there are %zd", where, field->text,
                   PyTuple_GET_SIZE(items), length);
    Py_XDECREF(where);
    status = -1;
  }
  for (Py_ssize_t i = 0; i < length && status == 0; i++)
    status = fill(field, self, room, at + i * step, dimension + 1, PyTuple_GET_ITEM(items, i));
  Py_DECREF(items);
  return status;
}

/* A buffer of the same elements and lengths is copied at once. 1: done; 0: it is none; -1: exception. */
static int copy_buffer(const core_field* field, core_struct* self, char* at, Py_ssize_t size, PyObject* value) {
  Py_buffer buffer;
  if (field->to == NULL || field->to->format == NULL || !PyObject_CheckBuffer(value)) return 0;
  if (PyObject_GetBuffer(value, &buffer, PyBUF_C_CONTIGUOUS | PyBUF_FORMAT) != 0) {
    PyErr_Clear(); /* it is read item by item, or refused */
    return 0;
  }
  const char* format = buffer.format != NULL ? buffer.format : "B";
  int fits = buffer.len == size && buffer.ndim == field->num_dims && strcmp(format, field->to->format) == 0;
  for (int i = 0; i < field->num_dims && fits; i++) fits = buffer.shape[i] == length_of(field, self, i);
  if (fits) memmove(at, buffer.buf, (size_t)size);
  PyBuffer_Release(&buffer);
  return fits;
}

/* The elements of dimension `dimension`, all of them. */
static int set_part(const core_field* field, core_struct* self, char* at, int dimension, PyObject* value) {
  const Py_ssize_t size = length_of(field, self, dimension) * step_of(field, dimension);
  PyObject* memory = core_memory_new(size);
  core_keeper keeper;
  if (memory == NULL) return -1;
  core_keeper_of(memory, &keeper);
  PyObject* room = core_struct_view(core_struct_info_of((PyObject*)field->owner), keeper.start, memory, 0);
  if (room != NULL) PyObject_GC_UnTrack(room); /* nobody is to find it: it has only these elements of the struct */
  int status = room != NULL ? fill(field, self, (core_struct*)room, keeper.start, dimension, value) : -1;
  if (status == 0) status = core_copy_kept((PyObject*)self, at, memory, keeper.start, size);
  Py_XDECREF(room);
  Py_DECREF(memory);
  return status;
}

/* 1: done; 0: it is no text; -1: exception. */
static int set_text(const core_field* field, char* at, Py_ssize_t size, PyObject* value) {
  Py_ssize_t length = 0;
  const int status =
      field->num_dims == 1 && field->to != NULL ? core_text_write(field->to, at, size, value, &length) : 0;
  if (length <= size) return status;
  PyObject* where = core_field_where(field);
  if (where != NULL)
    PyErr_Format(PyExc_ValueError, "%Uexpected %U, got a text of %zd bytes: there is room for %zd", where, field->text,
                 length, size);
  Py_XDECREF(where);
  return -1;
}

static int set_array(const core_field* field, core_struct* self, char* at, PyObject* value) {
  const Py_ssize_t size = length_of(field, self, 0) * step_of(field, 0);
  const int is_text = set_text(field, at, size, value);
  if (is_text != 0) return is_text > 0 ? 0 : -1;
  const int status = copy_buffer(field, self, at, size, value);
  return status != 0 ? (status > 0 ? 0 : -1) : set_part(field, self, at, 0, value);
}

/* NumPy keeps the instance, and sees its bytes by the buffer protocol. */
static PyObject* get_numbers(const core_field* field, core_struct* self, char* at) {
  PyObject* numpy = PyImport_ImportModule("numpy");
  PyObject* dtype = numpy != NULL ? core_pointee_numpy(field->to) : NULL;
  PyObject* shape = dtype != NULL ? PyTuple_New(field->num_dims) : NULL;
  PyObject* array = NULL;
  for (int i = 0; i < field->num_dims && shape != NULL; i++) {
    PyObject* length = PyLong_FromSsize_t(length_of(field, self, i));
    if (length != NULL)
      PyTuple_SET_ITEM(shape, i, length);
    else
      Py_CLEAR(shape);
  }
  if (shape != NULL)
    array = PyObject_CallMethod(numpy, "ndarray", "OOOn", shape, dtype, (PyObject*)self, (Py_ssize_t)(at - self->data));
  Py_XDECREF(shape);
  Py_XDECREF(dtype);
  Py_XDECREF(numpy);
  return array;
}

/* -- sequences ------------------------------------------------------------------------------------------------------------- */

/* The elements of one dimension of a field. */
typedef struct {
  PyObject_HEAD core_struct* of;
  const core_field* field;
  char* at;
  int dimension;
} field_items;
static PyTypeObject items_type;

static PyObject* make_items(core_struct* of, const core_field* field, char* at, int dimension) {
  field_items* made = PyObject_GC_New(field_items, &items_type);
  if (made == NULL) return NULL;
  made->of = (core_struct*)Py_NewRef((PyObject*)of);
  made->field = field;
  made->at = at;
  made->dimension = dimension;
  PyObject_GC_Track(made);
  return (PyObject*)made;
}

static PyObject* get_items(const core_field* field, core_struct* self, char* at) {
  return make_items(self, field, at, 0);
}

static int items_traverse(field_items* items, visitproc visit, void* arg) {
  Py_VISIT(items->of);
  return 0;
}

static void items_dealloc(field_items* items) {
  PyObject_GC_UnTrack(items);
  Py_DECREF(items->of);
  PyObject_GC_Del(items);
}

static Py_ssize_t items_length(field_items* items) { return length_of(items->field, items->of, items->dimension); }

static int check_index(field_items* items, Py_ssize_t index) {
  if (index >= 0 && index < items_length(items)) return 0;
  PyObject* where = core_field_where(items->field);
  if (where != NULL)
    PyErr_Format(PyExc_IndexError, "%Uindex %zd is out of range: the length is %zd", where, index, items_length(items));
  Py_XDECREF(where);
  return -1;
}

static PyObject* items_item(field_items* items, Py_ssize_t index) {
  if (check_index(items, index) != 0) return NULL;
  char* at = items->at + index * step_of(items->field, items->dimension);
  if (items->dimension + 1 < items->field->num_dims)
    return make_items(items->of, items->field, at, items->dimension + 1);
  return items->field->get_item(items->field, items->of, at);
}

static int items_set(field_items* items, Py_ssize_t index, PyObject* value) {
  const core_field* field = items->field;
  if (value == NULL) {
    PyErr_Format(PyExc_TypeError, "%U: items cannot be deleted", field->name);
    return -1;
  }
  if (core_struct_check_writable(items->of) != 0 || check_index(items, index) != 0) return -1;
  char* at = items->at + index * step_of(field, items->dimension);
  if (items->dimension + 1 < field->num_dims) return set_part(field, items->of, at, items->dimension + 1, value);
  return field->set_item(field, items->of, at, value);
}

static PyObject* items_repr(field_items* items) {
  PyObject* list = PySequence_List((PyObject*)items);
  PyObject* text = list != NULL ? PyObject_Repr(list) : NULL;
  Py_XDECREF(list);
  return text;
}

static int is_list(PyObject* object) {
  return PyList_Check(object) || PyTuple_Check(object) || Py_TYPE(object) == &items_type;
}

/* As lists compare. */
static PyObject* items_compare(PyObject* self, PyObject* other, int operation) {
  if ((operation != Py_EQ && operation != Py_NE) || !is_list(other)) Py_RETURN_NOTIMPLEMENTED;
  PyObject* left = PySequence_List(self);
  PyObject* right = left != NULL ? PySequence_List(other) : NULL;
  PyObject* result = right != NULL ? PyObject_RichCompare(left, right, operation) : NULL;
  Py_XDECREF(left);
  Py_XDECREF(right);
  return result;
}

static PySequenceMethods items_sequence = {
    .sq_length = (lenfunc)items_length, .sq_item = (ssizeargfunc)items_item, .sq_ass_item = (ssizeobjargproc)items_set};

static PyTypeObject items_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "jitffi.FieldItems",
    .tp_doc = "The elements of a field that is an array: they are read from the struct and written to it.",
    .tp_basicsize = sizeof(field_items),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION | Py_TPFLAGS_SEQUENCE,
    .tp_dealloc = (destructor)items_dealloc,
    .tp_traverse = (traverseproc)items_traverse,
    .tp_repr = (reprfunc)items_repr,
    .tp_hash = PyObject_HashNotImplemented,
    .tp_richcompare = items_compare,
    .tp_as_sequence = &items_sequence,
};

int core_items_init(void) { return core_type_ready(&items_type); }

static int has_numpy(const core_field* field) {
  return field->to != NULL && field->to->dtype.lanes != 0 && field->to->kind <= CORE_TO_COMPLEX;
}

void core_field_choose_array(core_field* field) {
  field->get = has_numpy(field) ? get_numbers : get_items;
  field->set = set_array;
}
