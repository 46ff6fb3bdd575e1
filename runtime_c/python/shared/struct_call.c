/* Structs as arguments and results: by value, behind pointers, in arrays; and the classes that a Function's types name. */
#include "array.h"
#include "error.h"
#include "numpy_array.h"
#include "raise.h"
#include "said.h"
#include "struct.h"

#include <string.h>

/* -- the classes of a Function ------------------------------------------------------------------------------------------- */

/* Words that types begin with and that are no keys. */
static const char* const words[] = {
    "any",  "bf16",   "bool", "bytes",  "c128",       "c64",   "cstr", "device", "dtype",  "f16",    "f32",  "f64",
    "func", "i128",   "i16",  "i32",    "i64",        "i8",    "list", "map",    "module", "object", "ptr",  "str",
    "u128", "struct", "u16",  "tensor", "longdouble", "tuple", "u32",  "u64",    "u8",     "ucs4",   "void",
};

static int is_word(const char* text, size_t size) {
  for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
    if (strncmp(words[i], text, size) == 0 && words[i][size] == 0) return 1;
  return size > 7 && strncmp(text, "float8_", 7) == 0;
}

static int is_key_byte(char c) {
  const int is_letter = (c | 32) >= 'a' && (c | 32) <= 'z';
  return is_letter || c == '_' || c == '.' || (c >= '0' && c <= '9') || (c & 0x80) != 0;
}

/* The key in "geo.Point", "optional[ptr[const geo.Point]]", "out[geo.Point[n]]"; its size, 0: there is none. */
static size_t find_key(const char** type) {
  static const char* const wrappers[] = {"optional[", "out[", "inout[", "owned[", "const ", "ptr["};
  for (size_t i = 0; i < sizeof wrappers / sizeof wrappers[0];) {
    const size_t size = strlen(wrappers[i]);
    const int found = strncmp(*type, wrappers[i], size) == 0;
    if (found) *type += size;
    i = found ? 0 : i + 1;
  }
  size_t size = 0;
  while (is_key_byte((*type)[size])) size++;
  return is_word(*type, size) ? 0 : size;
}

/* Borrowed; NULL, with an exception or without: the type names no struct. */
static PyTypeObject* class_in(const char* type) {
  const size_t size = find_key(&type);
  return size != 0 ? core_struct_class_of(type, size) : NULL;
}

/* NULL: it has no class yet, or is none: who needs it finds it later, or says that it is none. */
static PyTypeObject* class_for_state(const char* type) {
  PyTypeObject* class = class_in(type);
  if (class == NULL) PyErr_Clear();
  return class;
}

static int set_classes(core_function* f) {
  const int32_t n = f->info.num_params;
  for (int32_t i = 0; i <= n; i++) {
    const char* type = i < n ? f->params[i].type : f->info.result;
    PyTypeObject* class = type != NULL ? class_for_state(type) : NULL;
    if (class == NULL) continue;
    if (f->state.classes == NULL) f->state.classes = PyMem_Calloc((size_t)n + 1, sizeof *f->state.classes);
    if (f->state.classes == NULL) {
      PyErr_NoMemory();
      return -1;
    }
    f->state.classes[i] = class;
  }
  return 0;
}

/* Borrowed; NULL with an exception. */
static const core_struct_info* info_of(core_state* state, int32_t index) {
  const int32_t at = index >= 0 ? index : state->info->num_params;
  PyTypeObject* class = state->classes != NULL ? state->classes[at] : NULL;
  if (class == NULL) class = class_in(core_type_text(state, index));
  if (class != NULL) return core_struct_info_of((PyObject*)class);
  if (!PyErr_Occurred()) PyErr_Format(PyExc_SystemError, "'%s' is no struct", core_type_text(state, index));
  return NULL;
}

/* -- values ---------------------------------------------------------------------------------------------------------------- */

/* New: NumPy's array of what offers a buffer, without a copy where that is no scalar. NULL, with an exception or without. */
static PyObject* as_array(PyObject* object) {
  PyObject* numpy = PyObject_CheckBuffer(object) ? PyImport_ImportModule("numpy") : NULL;
  PyObject* array = numpy != NULL ? PyObject_CallMethod(numpy, "asarray", "O", object) : NULL;
  Py_XDECREF(numpy);
  return array;
}

/* New: an instance with the bytes of a record, a ctypes.Structure or another buffer of one such struct, as NumPy understands
 * them. NULL, with MemoryError or without an exception where it is none. */
static PyObject* copy_record(const core_struct_info* info, PyObject* object) {
  PyObject *array = as_array(object), *made = NULL;
  const core_ndarray* fields = (const core_ndarray*)(const void*)array;
  core_array found;
  const int is_one = array != NULL && core_numpy_read(array, &found) && fields->nd == 0;
  if (is_one && core_struct_is_dtype(info, fields->descr) > 0) made = core_struct_new(info, fields->data);
  Py_XDECREF(array);
  if (made == NULL && PyErr_Occurred() && !PyErr_ExceptionMatches(PyExc_MemoryError)) PyErr_Clear();
  return made;
}

static void release(void* object) { Py_DECREF((PyObject*)object); }

static int32_t struct_said(core_state* state, int32_t index, PyObject* said, int64_t unused, void* out,
                           jf_temps* temps) {
  (void)unused;
  return core_unbox_struct(state, index, said, out, temps);
}

static int32_t unbox_record(core_state* state, int32_t index, const core_struct_info* info, PyObject* object,
                            void** out, jf_temps* temps) {
  PyObject* made = !core_is_struct(object) ? copy_record(info, object) : NULL;
  if (made == NULL) return PyErr_Occurred() ? -1 : core_unbox_said(state, index, object, struct_said, 0, out, temps);
  *out = ((core_struct*)made)->data;
  if (jf_temps_add(temps, made, release) == 0) return 0;
  core_error_raise(NULL);
  return -1;
}

int32_t core_unbox_struct(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps) {
  const core_struct_info* info = info_of(state, index);
  *out = NULL;
  if (info == NULL) return -1;
  if (!PyObject_TypeCheck(object, info->class) &&
      !(core_is_struct(object) && core_struct_is_alike(info, core_info((core_struct*)object))))
    return unbox_record(state, index, info, object, out, temps);
  *out = ((core_struct*)object)->data;
  return 0;
}

PyObject* core_box_struct(core_state* state, int32_t index, const void* bytes) {
  const int32_t at = index >= 0 ? index : state->info->num_params;
  PyTypeObject* class = state->classes != NULL ? state->classes[at] : NULL;
  const core_struct_info* info = class != NULL ? ((core_struct_class*)class)->info : info_of(state, index);
  return info != NULL ? core_struct_new(info, bytes) : NULL;
}

/* -- what pointers ask (core_struct_api) ------------------------------------------------------------------------------------- */

static const core_struct_info* find(const char* key, size_t size) {
  PyTypeObject* class = core_struct_class_of(key, size);
  return class != NULL ? core_struct_info_of((PyObject*)class) : NULL;
}

static int is_key(const char* key, size_t size, int is_trusted) {
  return is_trusted ? !is_word(key, size) : core_struct_class_known(key, size) != NULL;
}

static void extent(const core_struct_info* info, Py_ssize_t* size, Py_ssize_t* item_size) {
  *size = info->size;
  *item_size = info->flexible_size;
}

static PyObject* view(const core_struct_info* info, char* at, PyObject* owner, Py_ssize_t items, int is_const) {
  PyObject* made = core_struct_view(info, at, owner, items);
  if (made != NULL && is_const && ((core_struct*)made)->kept == NULL) ((core_struct*)made)->kept = Py_NewRef(Py_None);
  return made;
}

/* The address of an instance: of that struct (NULL: of any). */
static char* address(const core_struct_info* info, PyObject* object, int* is_const) {
  if (!core_is_struct(object)) return NULL;
  if (info != NULL && !PyObject_TypeCheck(object, info->class) &&
      !core_struct_is_alike(info, core_info((core_struct*)object)))
    return NULL;
  *is_const = core_struct_is_const((core_struct*)object);
  return ((core_struct*)object)->data;
}

/* The struct whose objects have that code; NULL: none that is declared here. An exception is one of memory. */
static const core_struct_info* info_of_code(int32_t code) {
  const char* key = jf_type_key(code);
  const core_struct_info* info = find(key, strlen(key));
  if (info == NULL && !PyErr_ExceptionMatches(PyExc_MemoryError)) PyErr_Clear();
  if (info == NULL || jf_type_register_struct(key, (size_t)info->size, (size_t)info->align) == code) return info;
  jf_object_release(jf_error_take());
  return NULL;
}

static char* lent(PyObject* object, int32_t code) {
  int is_const;
  const core_struct_info* info = core_is_struct(object) ? info_of_code(code) : NULL;
  PyErr_Clear();
  return info != NULL ? address(info, object, &is_const) : NULL;
}

static PyObject* boxed(const jf_object* object) {
  const void* found = jf_struct_bytes(object);
  const core_struct_info* info = found != NULL ? info_of_code(object->type_code) : NULL;
  return info != NULL ? core_struct_new(info, found) : NULL;
}

static Py_ssize_t bytes(PyObject* object) { return core_struct_bytes((core_struct*)object); }

static const core_struct_info* class_info(PyObject* class) { return core_struct_info_of(class); }

static PyObject* key_of(const core_struct_info* info) { return info->key; }

/* Steals dtype, which may be NULL. Sets no exception. */
static int is_dtype(const core_struct_info* info, PyObject* dtype) {
  const int is_same = dtype != NULL ? core_struct_is_dtype(info, dtype) : 0;
  Py_XDECREF(dtype);
  PyErr_Clear();
  return is_same > 0;
}

static int is_buffer_of(const core_struct_info* info, PyObject* object) {
  PyObject* array = as_array(object);
  PyObject* dtype = array != NULL ? PyObject_GetAttrString(array, "dtype") : NULL;
  Py_XDECREF(array);
  return is_dtype(info, dtype);
}

static int is_ctypes(const core_struct_info* info, PyObject* class) {
  PyObject* numpy = PyImport_ImportModule("numpy");
  PyObject* dtype = numpy != NULL ? PyObject_CallMethod(numpy, "dtype", "O", class) : NULL;
  Py_XDECREF(numpy);
  return is_dtype(info, dtype);
}

/* Elements that are the struct of parameter `index` get the code that the specs of such arrays have. */
static int set_element(core_state* state, int32_t index, PyObject* object, core_array* found) {
  const core_struct_info* info = info_of(state, index);
  if (info == NULL) return -1;
  int fits = found->struct_info == info;
  if (!fits && found->descr != NULL)
    fits = core_struct_is_dtype(info, found->descr);
  else if (!fits && found->format != NULL && found->array.item_size == info->size)
    fits = is_buffer_of(info, object);
  if (fits < 0) return -1;
  if (fits == 0) return 0;
  found->array.dtype = (jf_dtype){JF_SPEC_STRUCT, 0, 1};
  found->array.item_size = info->size;
  found->align = info->align;
  return 0;
}

static int set_items(const core_struct_info* info, const void* address, int64_t length, int64_t* out) {
  if (length <= 0 || (uintptr_t)address % (uintptr_t)info->align != 0) return 0;
  out[0] = (int64_t)(uintptr_t)address;
  out[1] = length;
  return 1;
}

/* The common cases of an array: NumPy's of a dtype that was met before, and a Pointer that knows how many there are. */
static int items(core_state* state, int32_t index, PyObject* object, uint64_t spec, int64_t* out) {
  const uint64_t flags = (uint64_t)(JF_SPEC_WRITABLE | JF_SPEC_SHOWN) << 24;
  const int is_written = (spec >> 24 & JF_SPEC_WRITABLE) != 0;
  PyTypeObject* class = state->classes != NULL ? state->classes[index] : NULL;
  if (class == NULL || (spec & ~flags) != (JF_SPEC_STRUCT | 1 << 16)) return 0;
  const core_struct_info* info = ((core_struct_class*)class)->info;
  if (Py_TYPE(object) == core_numpy.ndarray) {
    const core_ndarray* array = (const core_ndarray*)(const void*)object;
    const int wanted = CORE_NDARRAY_C | (is_written ? CORE_NDARRAY_WRITEABLE : 0);
    const int is_same = array->descr == info->same || array->descr == info->numpy;
    if (!is_same || array->nd != 1 || (array->flags & wanted) != wanted) return 0;
    return set_items(info, array->data, array->dimensions[0], out);
  }
  const core_pointer* p = (const core_pointer*)object;
  if (!core_is_pointer(object) || p->type->info != info || (is_written && p->type->is_const)) return 0;
  return p->owner != NULL && !core_is_owned(p->owner) ? set_items(info, p->address, p->length, out) : 0;
}

static int element(core_state* state, int32_t index, PyObject** descr, int64_t* size) {
  const core_struct_info* info = info_of(state, index);
  *descr = info != NULL ? core_struct_numpy(info) : NULL;
  if (*descr == NULL) return -1;
  Py_DECREF(*descr); /* which the class keeps */
  *size = info->size;
  return 0;
}

static const core_struct_api api = {
    .find = find,
    .is_key = is_key,
    .extent = extent,
    .view = view,
    .address = address,
    .lent = lent,
    .boxed = boxed,
    .is_alike = core_struct_is_alike,
    .bytes = bytes,
    .info = class_info,
    .key = key_of,
    .keeper = core_struct_keeper,
    .numpy = core_struct_numpy,
    .set_classes = set_classes,
    .set_element = set_element,
    .is_ctypes = is_ctypes,
    .items = items,
    .element = element,
};

void core_struct_call_init(void) { core_structs = &api; }
