/* The structured dtype of a struct: its fields at their offsets. Addresses are numbers there, and bit-fields are left out. */
#include "hooks.h"
#include "struct.h"

/* New: what an element is to NumPy. */
static PyObject* element_of(PyObject* numpy, const core_field* field) {
  if (field->inner != NULL) return core_struct_numpy(core_struct_info_of((PyObject*)field->inner));
  if (field->to->kind >= CORE_TO_TEXT) return PyObject_CallMethod(numpy, "dtype", "s", "uint64");
  if (field->to->dtype.lanes != 0) {
    PyObject* dtype = core_pointee_numpy(field->to);
    if (dtype != NULL || !PyErr_ExceptionMatches(PyExc_TypeError)) return dtype;
    PyErr_Clear(); /* an element that NumPy has not got */
  }
  PyObject* text = PyUnicode_FromFormat("V%zd", field->item_size);
  PyObject* dtype = text != NULL ? PyObject_CallMethod(numpy, "dtype", "O", text) : NULL;
  Py_XDECREF(text);
  return dtype;
}

/* New: the element, or the array that the field is. */
static PyObject* format_of(PyObject* numpy, const core_field* field) {
  PyObject* element = element_of(numpy, field);
  if (element == NULL || field->num_dims == 0) return element;
  PyObject* shape = PyTuple_New(field->num_dims);
  for (int i = 0; i < field->num_dims && shape != NULL; i++) {
    PyObject* length = PyLong_FromSsize_t(field->dims[i]);
    if (length != NULL)
      PyTuple_SET_ITEM(shape, i, length);
    else
      Py_CLEAR(shape);
  }
  if (shape == NULL) {
    Py_DECREF(element);
    return NULL;
  }
  return Py_BuildValue("(NN)", element, shape);
}

/* Steals value. */
static int append(PyObject* list, PyObject* value) {
  const int status = value != NULL ? PyList_Append(list, value) : -1;
  Py_XDECREF(value);
  return status;
}

static int add(PyObject* numpy, const core_field* field, PyObject* names, PyObject* formats, PyObject* offsets) {
  if (field->bits != 0 || field->is_flexible) return 0;
  return append(names, Py_NewRef(field->name)) != 0 || append(formats, format_of(numpy, field)) != 0 ||
                 append(offsets, PyLong_FromSsize_t(field->offset)) != 0
             ? -1
             : 0;
}

static PyObject* make(const core_struct_info* info) {
  PyObject* numpy = PyImport_ImportModule("numpy");
  PyObject *names = PyList_New(0), *formats = PyList_New(0), *offsets = PyList_New(0), *made = NULL;
  int status = numpy != NULL && names != NULL && formats != NULL && offsets != NULL ? 0 : -1;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(info->fields) && status == 0; i++)
    status = add(numpy, (core_field*)PyTuple_GET_ITEM(info->fields, i), names, formats, offsets);
  if (status == 0)
    made = PyObject_CallMethod(numpy, "dtype", "({sOsOsOsn})", "names", names, "formats", formats, "offsets", offsets,
                               "itemsize", info->size);
  Py_XDECREF(numpy);
  Py_XDECREF(names);
  Py_XDECREF(formats);
  Py_XDECREF(offsets);
  return made;
}

PyObject* core_struct_numpy(const core_struct_info* info) {
  core_struct_info* known = (core_struct_info*)(uintptr_t)info;
  if (known->numpy == NULL) {
    PyObject* made = make(info);
    if (made == NULL) return NULL;
    Py_XSETREF(known->numpy, made);
  }
  return Py_NewRef(known->numpy);
}

int core_struct_is_dtype(const core_struct_info* info, PyObject* dtype) {
  core_struct_info* known = (core_struct_info*)(uintptr_t)info;
  if (dtype == info->same || dtype == info->numpy) return 1;
  PyObject* own = core_struct_numpy(info);
  const int is_same = own != NULL ? PyObject_RichCompareBool(own, dtype, Py_EQ) : -1;
  Py_XDECREF(own);
  if (is_same > 0) Py_XSETREF(known->same, Py_NewRef(dtype));
  return is_same;
}
