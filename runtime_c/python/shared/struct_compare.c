/* What instances are equal to, how they print, and how they are copied and pickled.
 *
 * Texts are read where they stand alone: what other fields lie over, of a union, may be no address at all.
 */
#include "raise.h"
#include "struct.h"

#include <string.h>

/* -- equality ------------------------------------------------------------------------------------------------------------ */

static int fields_equal(const core_struct_info* info, core_struct* a, char* at, core_struct* b, char* bt,
                        int is_shared);

/* One element: 1, 0, or -1 with an exception. */
static int item_equal(const core_field* field, core_struct* a, char* at, core_struct* b, char* bt, int is_shared) {
  if (field->inner != NULL) return fields_equal(core_struct_info_of((PyObject*)field->inner), a, at, b, bt, is_shared);
  if (field->to->kind >= CORE_TO_TEXT) {
    const char *left, *right;
    memcpy(&left, at, sizeof left);
    memcpy(&right, bt, sizeof right);
    if (left == right || field->to->kind != CORE_TO_TEXT || is_shared || left == NULL || right == NULL)
      return left == right;
    return strcmp(left, right) == 0;
  }
  PyObject* left = field->get_item(field, a, at);
  PyObject* right = left != NULL ? field->get_item(field, b, bt) : NULL;
  PyObject* same = right != NULL ? PyObject_RichCompare(left, right, Py_EQ) : NULL; /* of NaN with itself: no */
  const int is_equal = same != NULL ? PyObject_IsTrue(same) : -1;
  Py_XDECREF(same);
  Py_XDECREF(left);
  Py_XDECREF(right);
  return is_equal;
}

static int fields_equal(const core_struct_info* info, core_struct* a, char* at, core_struct* b, char* bt,
                        int is_shared) {
  int is_equal = 1;
  for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(info->fields) && is_equal == 1; i++) {
    const core_field* field = (core_field*)PyTuple_GET_ITEM(info->fields, i);
    Py_ssize_t count = field->count;
    if (field->is_flexible) { /* the last one of the whole */
      count *= core_info(a) == info ? core_struct_items(a) : 0;
      if (core_info(a) == info && core_struct_items(a) != core_struct_items(b)) return 0;
    }
    for (Py_ssize_t n = 0; n < count && is_equal == 1; n++) {
      const Py_ssize_t offset = field->offset + n * field->item_size;
      is_equal = item_equal(field, a, at + offset, b, bt + offset, is_shared || field->is_shared);
    }
  }
  return is_equal;
}

PyObject* core_struct_compare(PyObject* self, PyObject* other, int operation) {
  if ((operation != Py_EQ && operation != Py_NE) || !core_is_struct(other)) Py_RETURN_NOTIMPLEMENTED;
  core_struct *a = (core_struct*)self, *b = (core_struct*)other;
  if (core_info(a) != core_info(b)) Py_RETURN_NOTIMPLEMENTED;
  const core_struct_info* info = core_info(a);
  int is_equal = a->data == b->data ? 0 : info->is_union ? memcmp(a->data, b->data, (size_t)info->size) == 0 : -2;
  if (a->data == b->data || is_equal == -2) is_equal = fields_equal(info, a, a->data, b, b->data, 0);
  return is_equal >= 0 ? PyBool_FromLong(is_equal == (operation == Py_EQ)) : NULL;
}

/* -- the same struct of another module ----------------------------------------------------------------------------------- */

/* "png16." of "png16.FILE": each module has its own. */
static size_t module_size(PyObject* key) {
  const char* text = PyUnicode_AsUTF8(key);
  const char* dot = text != NULL ? strchr(text, '.') : NULL;
  return dot != NULL ? (size_t)(dot - text) + 1 : 0;
}

static const char* behind_module(const char* text, const char* start, const char* module, size_t size) {
  const int is_inside = text != start && (Py_ISALNUM((unsigned char)text[-1]) || text[-1] == '_' || text[-1] == '.');
  return !is_inside && size != 0 && strncmp(text, module, size) == 0 ? text + size : text;
}

/* Whether types are spelled alike but for the modules in front of keys. */
static int texts_alike(PyObject* a, PyObject* b, const core_struct_info* of_a, const core_struct_info* of_b) {
  const size_t a_size = module_size(of_a->key), b_size = module_size(of_b->key);
  const char *left = PyUnicode_AsUTF8(a), *right = PyUnicode_AsUTF8(b);
  if (left == NULL || right == NULL) PyErr_Clear();
  if (left == NULL || right == NULL) return 0;
  const char *a_module = PyUnicode_AsUTF8(of_a->key), *b_module = PyUnicode_AsUTF8(of_b->key);
  const char *a_start = left, *b_start = right;
  do {
    left = behind_module(left, a_start, a_module, a_size);
    right = behind_module(right, b_start, b_module, b_size);
    if (*left != *right) return 0;
    left++, right++;
  } while (left[-1] != 0);
  return 1;
}

static int fields_alike(const core_field* a, const core_field* b, const core_struct_info* of_a,
                        const core_struct_info* of_b) {
  if (a->offset != b->offset || a->bit != b->bit || a->bits != b->bits || a->count != b->count) return 0;
  if (PyUnicode_Compare(a->name, b->name) != 0 || !texts_alike(a->text, b->text, of_a, of_b)) return 0;
  if (a->inner == NULL || b->inner == NULL) return a->inner == b->inner;
  return core_struct_is_alike(core_struct_info_of((PyObject*)a->inner), core_struct_info_of((PyObject*)b->inner));
}

int core_struct_is_alike(const core_struct_info* a, const core_struct_info* b) {
  if (a == b || a->alike == b) return 1;
  if (a->size != b->size || a->align != b->align || a->is_union != b->is_union) return 0;
  const Py_ssize_t count = PyTuple_GET_SIZE(a->fields);
  if (count != PyTuple_GET_SIZE(b->fields) || !texts_alike(a->key, b->key, a, b)) return 0;
  for (Py_ssize_t i = 0; i < count; i++) {
    const core_field* field = (core_field*)PyTuple_GET_ITEM(a->fields, i);
    if (!fields_alike(field, (core_field*)PyTuple_GET_ITEM(b->fields, i), a, b)) return 0;
  }
  ((core_struct_info*)(uintptr_t)a)->alike = b;
  return 1;
}

/* -- text ------------------------------------------------------------------------------------------------------------------ */

/* New: of a function its address, since reading it would make one; of what others lie over too, unless Python has put it there. */
static PyObject* shown(const core_field* field, core_struct* self) {
  char* at = self->data + field->offset;
  const int kind = field->to != NULL && field->num_dims == 0 ? field->to->kind : CORE_TO_NUMBER;
  void* address;
  if (kind == CORE_TO_FUNCTION || (kind == CORE_TO_TEXT && field->is_shared)) {
    memcpy(&address, at, sizeof address);
    PyObject* kept = core_kept_at((PyObject*)self, at);
    if (kind == CORE_TO_FUNCTION || kept == NULL || !PyUnicode_Check(kept) || PyUnicode_AsUTF8(kept) != address) {
      PyErr_Clear();
      return address != NULL ? PyUnicode_FromFormat("<%U at %p>", field->text, address) : PyUnicode_FromString("None");
    }
  }
  PyObject* value = field->get(field, self, at);
  PyObject* text = value != NULL ? PyObject_Repr(value) : NULL;
  Py_XDECREF(value);
  return text;
}

static PyObject* name_of(core_struct* s) { return PyObject_GetAttrString((PyObject*)Py_TYPE(s), "__name__"); }

PyObject* core_struct_repr(core_struct* s) {
  const core_struct_info* info = core_info(s);
  PyObject* parts = PyList_New(0);
  for (Py_ssize_t i = 0; parts != NULL && i < PyTuple_GET_SIZE(info->fields); i++) {
    const core_field* field = (core_field*)PyTuple_GET_ITEM(info->fields, i);
    PyObject* value = shown(field, s);
    PyObject* part = value != NULL ? PyUnicode_FromFormat("%U=%U", field->name, value) : NULL;
    if (part == NULL || PyList_Append(parts, part) != 0) Py_CLEAR(parts);
    Py_XDECREF(value);
    Py_XDECREF(part);
  }
  PyObject* comma = parts != NULL ? PyUnicode_FromString(", ") : NULL;
  PyObject* joined = comma != NULL ? PyUnicode_Join(comma, parts) : NULL;
  PyObject* name = joined != NULL ? name_of(s) : NULL;
  PyObject* text = name != NULL ? PyUnicode_FromFormat("%U(%U)", name, joined) : NULL;
  Py_XDECREF(parts);
  Py_XDECREF(comma);
  Py_XDECREF(joined);
  Py_XDECREF(name);
  return text;
}

/* -- copies ---------------------------------------------------------------------------------------------------------------- */

/* New: the instance's dict, which those of derived classes have; NULL, with an exception or without where there is none. */
static PyObject* attributes_of(PyObject* self) {
  if (Py_TYPE(self) == core_info((core_struct*)self)->class) return NULL;
  PyObject* dict = PyObject_GetAttrString(self, "__dict__");
  if (dict == NULL && PyErr_ExceptionMatches(PyExc_AttributeError)) PyErr_Clear();
  return dict;
}

/* Steals attributes (NULL: nothing), unless an exception is set. -1 with one. */
static int add_attributes(PyObject* made, PyObject* attributes) {
  if (attributes == NULL) return PyErr_Occurred() ? -1 : 0;
  PyObject* dict = PyObject_GetAttrString(made, "__dict__");
  const int status = dict != NULL ? PyDict_Update(dict, attributes) : -1;
  Py_XDECREF(dict);
  Py_DECREF(attributes);
  return status;
}

static PyObject* struct_copy(PyObject* self, PyObject* unused) {
  (void)unused;
  PyObject* made = core_struct_copy((core_struct*)self);
  if (made != NULL && add_attributes(made, attributes_of(self)) != 0) Py_CLEAR(made);
  return made;
}

/* What pointers lead to is C's, and stays the same. */
static PyObject* struct_deepcopy(PyObject* self, PyObject* memo) {
  PyObject* made = core_struct_copy((core_struct*)self);
  PyObject* attributes = made != NULL ? attributes_of(self) : NULL;
  if (attributes != NULL) {
    PyObject* module = PyImport_ImportModule("copy");
    Py_SETREF(attributes, module != NULL ? PyObject_CallMethod(module, "deepcopy", "OO", attributes, memo) : NULL);
    Py_XDECREF(module);
  }
  if (made != NULL && add_attributes(made, attributes) != 0) Py_CLEAR(made);
  return made;
}

/* -- pickle ---------------------------------------------------------------------------------------------------------------- */

static PyObject* struct_reduce(PyObject* self, PyObject* unused) {
  core_struct* s = (core_struct*)self;
  const core_struct_info* info = core_info(s);
  (void)unused;
  if (info->has_addresses)
    return PyErr_Format(PyExc_TypeError, "%U cannot be pickled: it has pointers, which mean nothing elsewhere",
                        info->key);
  if (core_struct_items(s) > 0)
    return PyErr_Format(PyExc_TypeError, "%U cannot be pickled with items at its flexible end", info->key);
  PyObject* attributes = attributes_of(self);
  if (attributes == NULL && PyErr_Occurred()) return NULL;
  if (attributes == NULL) attributes = Py_NewRef(Py_None);
  PyObject* module = PyImport_ImportModule("copyreg");
  PyObject* maker = module != NULL ? PyObject_GetAttrString(module, "__newobj__") : NULL;
  PyObject* reduced = NULL;
  if (maker != NULL)
    reduced = Py_BuildValue("O(O)(y#O)", maker, (PyObject*)Py_TYPE(self), s->data, info->size, attributes);
  Py_XDECREF(maker);
  Py_XDECREF(module);
  Py_DECREF(attributes);
  return reduced;
}

static PyObject* struct_setstate(PyObject* self, PyObject* state) {
  core_struct* s = (core_struct*)self;
  const core_struct_info* info = core_info(s);
  Py_buffer bytes;
  PyObject* attributes;
  if (!PyTuple_Check(state)) return PyErr_Format(PyExc_TypeError, "%U: expected what __reduce__ gives", info->key);
  if (core_struct_check_writable(s) != 0 || !PyArg_ParseTuple(state, "y*O", &bytes, &attributes)) return NULL;
  int status = -1;
  if (info->has_addresses || bytes.len != info->size)
    PyErr_Format(PyExc_ValueError, "%U: these are no bytes of one that was pickled with this declaration", info->key);
  else
    status = add_attributes(self, attributes != Py_None ? Py_NewRef(attributes) : NULL);
  if (status == 0) memcpy(s->data, bytes.buf, (size_t)bytes.len);
  PyBuffer_Release(&bytes);
  if (status != 0) return NULL;
  Py_RETURN_NONE;
}

static PyObject* struct_sizeof(PyObject* self, PyObject* unused) {
  (void)unused;
  const core_struct* s = (core_struct*)self;
  return PyLong_FromSsize_t(s->owner != NULL ? (Py_ssize_t)sizeof *s : Py_TYPE(self)->tp_basicsize);
}

PyMethodDef core_struct_methods[] = {
    {"__copy__", struct_copy, METH_NOARGS, NULL},     {"__deepcopy__", struct_deepcopy, METH_O, NULL},
    {"__reduce__", struct_reduce, METH_NOARGS, NULL}, {"__setstate__", struct_setstate, METH_O, NULL},
    {"__sizeof__", struct_sizeof, METH_NOARGS, NULL}, {NULL, NULL, 0, NULL},
};
