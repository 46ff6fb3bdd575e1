/* One item behind a pointer, to Python and back.
 *
 * Items may lie anywhere: bytes are copied, never read through a pointer of their type. Writing converts first and looks
 * at the pointer again afterwards, since a conversion may run Python code that closes it.
 */
#include "array.h"
#include "box.h"
#include "callback.h"
#include "error.h"
#include "float8.h"
#include "foreign.h"
#include "function.h"
#include "hooks.h"
#include "pointer.h"
#include "pointer_foreign.h"
#include "raise.h"
#include "unbox.h"
#include "wide.h"

#include <string.h>

/* -- reading ---------------------------------------------------------------------------------------------------------- */

PyObject* core_number_read(int32_t kind, const char* at) {
  int64_t word = 0;
  float single;
  double number;
  switch (kind) {
    case JF_KIND_BOOL:
      return PyBool_FromLong(*at != 0);
    case JF_KIND_I8:
      return PyLong_FromLong((int8_t)*at);
    case JF_KIND_I16:
      memcpy(&word, at, 2);
      return PyLong_FromLong((int16_t)word);
    case JF_KIND_I32:
      memcpy(&word, at, 4);
      return PyLong_FromLong((int32_t)word);
    case JF_KIND_I64:
      memcpy(&word, at, 8);
      return PyLong_FromLongLong(word);
    case JF_KIND_U8:
      return PyLong_FromLong((uint8_t)*at);
    case JF_KIND_U16:
      memcpy(&word, at, 2);
      return PyLong_FromLong((uint16_t)word);
    case JF_KIND_U32:
      memcpy(&word, at, 4);
      return PyLong_FromUnsignedLong((uint32_t)word);
    case JF_KIND_U64:
      memcpy(&word, at, 8);
      return PyLong_FromUnsignedLongLong((uint64_t)word);
    case JF_KIND_F16:
      memcpy(&word, at, 2);
      return PyFloat_FromDouble(jf_f64_from_f16((uint16_t)word));
    case JF_KIND_BF16:
      memcpy(&word, at, 2);
      return PyFloat_FromDouble(jf_f64_from_bf16((uint16_t)word));
    case JF_KIND_F32:
      memcpy(&single, at, 4);
      return PyFloat_FromDouble((double)single);
    default:
      memcpy(&number, at, 8);
      return PyFloat_FromDouble(number);
  }
}

/* A pointer to an instance knows how far that goes; what else Python has put there is kept. */
static PyObject* read_kept(const core_pointee* target, void* address, PyObject* kept) {
  int is_const;
  const char* bytes = kept != NULL && core_structs != NULL ? core_structs->address(NULL, kept, &is_const) : NULL;
  if (bytes == address) return core_pointer_make(target, address, 0, core_structs->bytes(kept), kept);
  core_keeper keeper; /* of other memory, where C has put another address there */
  const int is_other = kept != NULL && (core_is_pointer(kept) || core_keeper_of(kept, &keeper));
  return core_pointer_make(target, address, 0, -1, is_other ? NULL : kept);
}

/* What Python has put there comes back with its owner, as long as the address is still the same. */
static PyObject* read_pointer(const core_place* place, const char* at) {
  const core_pointee* target = place->type->target;
  void* address;
  memcpy(&address, at, sizeof address);
  if (address == NULL) Py_RETURN_NONE;
  PyObject* kept = core_kept_at(place->owner, at);
  if (core_pointee_is_void(target) && !target->is_const) return core_box_ptr(address);
  if (kept == NULL || !core_is_pointer(kept) || ((core_pointer*)kept)->address != address)
    return read_kept(target, address, kept);
  const core_pointer* known = (core_pointer*)kept;
  if (known->type == target) return Py_NewRef(kept);
  return core_pointer_make(target, address, known->before, known->room, known->owner);
}

/* A view, which keeps the memory. Behind the last item of a flexible end is nothing. */
static PyObject* read_struct(const core_place* place, char* at) {
  core_pointer* p = (core_pointer*)(uintptr_t)place->of; /* fields that are structs are no business of this file */
  const Py_ssize_t flexible = core_struct_flexible(p->type);
  const Py_ssize_t items = flexible != 0 && p->length == 1 ? (p->room - p->type->size) / flexible : 0;
  if (p->owner == NULL || !core_is_owned(p->owner))
    return core_structs->view(p->type->info, at, p->owner, items, p->type->is_const);
  PyObject* memory = core_pointer_memory(p, p->room > 0 ? p->room : 0);
  PyObject* made = memory != NULL ? core_structs->view(p->type->info, at, memory, items, p->type->is_const) : NULL;
  Py_XDECREF(memory);
  return made;
}

PyObject* core_place_read(const core_place* place, char* at) {
  void* address;
  switch (place->type->kind) {
    case CORE_TO_NUMBER:
      return core_number_read(place->type->scalar, at);
    case CORE_TO_FLOAT8:
      return PyFloat_FromDouble(core_float8_read(place->type->dtype.code, (uint8_t)*at));
    case CORE_TO_COMPLEX:
    case CORE_TO_WIDE:
      return core_wide_read(place->type->scalar, at);
    case CORE_TO_STRUCT:
      return read_struct(place, at);
    case CORE_TO_POINTER:
      return read_pointer(place, at);
    default:
      memcpy(&address, at, sizeof address);
      if (place->type->kind == CORE_TO_FUNCTION || address == NULL) return core_box_ptr(address);
      return core_box_str(address, strlen(address));
  }
}

static PyObject* item_where(const core_place* place) {
  return PyUnicode_FromFormat("%U: item %zd: ", place->type->text, place->index);
}

static core_place item_place(const core_pointer* p, Py_ssize_t index) {
  return (core_place){p->type, p->owner, p->type->item_text, item_where, index, p};
}

PyObject* core_item_read(const core_pointer* p, char* at) {
  const core_place place = item_place(p, 0);
  return core_place_read(&place, at);
}

/* -- writing ---------------------------------------------------------------------------------------------------------- */

typedef struct {
  char bytes[CORE_WIDE_MOST];
  PyObject* kept; /* what must live as long as the item stands there; NULL */
} item;

/* "ptr[i8]: item 3: expected i8 (-128 to 127), got int 200"; detail and note may be NULL. Returns -1. */
static int refuse(const core_place* place, PyObject* exception, const char* detail, PyObject* got, const char* note) {
  PyObject* where = place->where(place);
  PyObject* value = NULL;
  if (where != NULL)
    value = core_is_pointer(got) ? PyUnicode_FromFormat("a Pointer of type %U", ((core_pointer*)got)->type->text)
                                 : core_describe(got);
  if (value != NULL)
    PyErr_Format(exception, "%Uexpected %U%s, got %U%s%s%s", where, place->expected, detail != NULL ? detail : "",
                 value, note != NULL ? " (" : "", note != NULL ? note : "", note != NULL ? ")" : "");
  Py_XDECREF(where);
  Py_XDECREF(value);
  return -1;
}

/* What an argument was refused with, in the words of an item. Returns -1. */
static int told_again(const core_place* place) {
  core_raise_elsewhere(place->where(place), place->expected);
  return -1;
}

static int convert_number(const core_place* place, PyObject* value, item* out) {
  if (core_unbox_scalar(NULL, 0, value, place->type->scalar, out->bytes) == 0) return 0; /* the low bytes come first */
  return told_again(place);
}

static int convert_float8(const core_place* place, PyObject* value, item* out) {
  double number;
  char range[80];
  const int code = place->type->dtype.code;
  const double most = core_float8_most(code);
  if (core_unbox_scalar(NULL, 0, value, JF_KIND_F64, &number) != 0) return told_again(place);
  if (core_float8_write(code, number, (uint8_t*)out->bytes) == 0) return 0;
  const int is_unsigned = core_float8_read(code, 0) > 0;
  PyOS_snprintf(range, sizeof range, " (%.8g to %.8g)", is_unsigned ? core_float8_read(code, 0) : -most, most);
  return refuse(place, PyExc_OverflowError, range, value, NULL);
}

static int convert_wide(const core_place* place, PyObject* value, item* out) {
  return core_unbox_wide(NULL, 0, value, place->type->scalar, out->bytes) == 0 ? 0 : told_again(place);
}

static int put_address(const void* address, PyObject* kept, item* out) {
  memcpy(out->bytes, &address, sizeof address);
  out->kept = Py_XNewRef(kept);
  return 0;
}

/* The text stays in the object that is given, so something must keep that. */
static int convert_text(const core_place* place, PyObject* value, item* out) {
  const char* text;
  const int is_bytes = PyBytes_Check(value);
  if (!PyUnicode_Check(value) && !is_bytes) return refuse(place, PyExc_TypeError, NULL, value, NULL);
  core_keeper keeper;
  if (!core_keeper_of(place->owner, &keeper))
    return refuse(place, PyExc_TypeError, NULL, value,
                  "nothing there would keep it alive: jitffi.new makes places that do");
  if (is_bytes && strlen(text = PyBytes_AS_STRING(value)) != (size_t)PyBytes_GET_SIZE(value))
    return refuse(place, PyExc_ValueError, " without NUL", value, NULL);
  if (!is_bytes && core_unbox_cstr(NULL, 0, value, &text) != 0) return told_again(place);
  return put_address(text, value, out);
}

static void release_temps(PyObject* capsule) {
  jf_temps temps = {PyCapsule_GetPointer(capsule, NULL)};
  jf_temps_release(&temps);
}

/* Keeps the object, and what reading it has made: buffers that are held. */
static int keep_with(PyObject* value, jf_temps* temps, const void* address, item* out) {
  if (temps->head == NULL) return put_address(address, value, out);
  PyObject* capsule = PyCapsule_New(temps->head, NULL, release_temps);
  if (capsule == NULL) jf_temps_release(temps);
  PyObject* kept = capsule != NULL ? PyTuple_Pack(2, value, capsule) : NULL;
  Py_XDECREF(capsule);
  if (kept == NULL) return -1;
  put_address(address, kept, out);
  Py_DECREF(kept);
  return 0;
}

/* What an argument of that type takes, for as long as it stands there. */
static int unbox_lasting(const core_pointee* target, PyObject* value, void** address, jf_temps* temps) {
  core_function asking = {.info = {.name = "function", .num_params = 1}};
  jf_param_info parameter = {.type = PyUnicode_AsUTF8(target->text)};
  asking.info.params = &parameter;
  asking.state.info = &asking.info;
  if (core_pointee_is_void(target)) return core_unbox_ptr(&asking.state, 0, value, address, temps);
  if (target->dtype.lanes == 0) return core_unbox_pointer(&asking.state, 0, value, address, temps);
  const int is_byte = target->kind == CORE_TO_NUMBER && target->dtype.code <= JF_DL_UINT && target->size == 1;
  const uint64_t flags = JF_SPEC_EITHER_ORDER | JF_SPEC_KEPT | (target->is_const ? 0 : JF_SPEC_WRITABLE) |
                         (is_byte ? JF_SPEC_ONE_BYTE : 0);
  const uint64_t spec =
      target->dtype.code | (uint64_t)target->dtype.bits << 8 | (uint64_t)JF_RANK_ANY << 16 | flags << 24;
  int64_t found = 0;
  if (core_unbox_array(&asking.state, 0, value, spec, &found, temps) != 0) return -1;
  *address = (void*)(uintptr_t)found;
  return 0;
}

static int convert_pointer(const core_place* place, PyObject* value, item* out) {
  const core_pointee* target = place->type->target;
  void* address = NULL;
  if (core_is_pointer(value) && core_pointee_fits(target, ((core_pointer*)value)->type)) {
    if (core_pointer_check_open((core_pointer*)value) != 0) return -1;
    return put_address(((core_pointer*)value)->address, value, out);
  }
  if (core_is_pointer(value)) return refuse(place, PyExc_TypeError, NULL, value, NULL);
  if (PyLong_Check(value)) {
    if (!core_pointee_is_void(target)) return refuse(place, PyExc_TypeError, NULL, value, NULL);
    if (core_unbox_ptr(NULL, 0, value, &address, NULL) != 0) return told_again(place);
    return put_address(address, NULL, out);
  }
  const int status = core_foreign_pointer(target, value, &address);
  if (status != 0) return status > 0 ? put_address(address, value, out) : -1;
  const int is_instance = core_structs != NULL && core_structs->info((PyObject*)Py_TYPE(value)) != NULL;
  if (place->where == item_where && !is_instance) /* it says of no array */
    return refuse(place, PyExc_TypeError, NULL, value, NULL);
  jf_temps temps = {NULL};
  if (unbox_lasting(target, value, &address, &temps) != 0) {
    jf_temps_release(&temps);
    return told_again(place);
  }
  return keep_with(value, &temps, address, out);
}

/* The address of a C function: of a Function of these types, or as a number. */
static int convert_function(const core_place* place, PyObject* value, item* out) {
  void* address = NULL;
  core_function* function = (core_function*)core_function_get(value);
  if (function != NULL) {
    PyObject* types = core_hook_types(place->type->item_text);
    if (types == NULL) return -1;
    const char* wanted = PyUnicode_AsUTF8(types);
    const int fits = wanted != NULL ? core_types_fit(function->state.types, wanted) : -1;
    Py_DECREF(types);
    if (fits < 0) return -1;
    if (!fits) return refuse(place, PyExc_TypeError, NULL, value, "its types are others");
    address = core_function_native(function);
    return address != NULL ? put_address(address, value, out) : -1;
  }
  if (PyLong_Check(value)) {
    if (core_unbox_ptr(NULL, 0, value, &address, NULL) != 0) return told_again(place);
    return put_address(address, NULL, out);
  }
  int status = core_ctypes_pointer(value, &address);
  if (status == 0) status = core_cffi_pointer(value, &address, 1);
  if (status == 0) return refuse(place, PyExc_TypeError, NULL, value, NULL);
  return status > 0 ? put_address(address, value, out) : -1;
}

static int convert(const core_place* place, PyObject* value, item* out) {
  switch (place->type->kind) {
    case CORE_TO_NUMBER:
      return convert_number(place, value, out);
    case CORE_TO_FLOAT8:
      return convert_float8(place, value, out);
    case CORE_TO_COMPLEX:
    case CORE_TO_WIDE:
      return convert_wide(place, value, out);
    default:
      if (value == Py_None) return put_address(NULL, NULL, out);
      if (place->type->kind == CORE_TO_TEXT) return convert_text(place, value, out);
      return place->type->kind == CORE_TO_POINTER ? convert_pointer(place, value, out)
                                                  : convert_function(place, value, out);
  }
}

/* Of what is converted; -1 with MemoryError. */
static int store(const core_place* place, char* at, const item* made) {
  const int is_address = place->type->kind >= CORE_TO_TEXT;
  PyObject* before =
      NULL; /* goes when the place has its new value: whoever looks at it meanwhile finds no dead address */
  if (is_address && place->owner != NULL) {
    before = Py_XNewRef(core_kept_at(place->owner, at));
    if (core_keep_at(place->owner, at, made->kept) != 0) {
      Py_XDECREF(before);
      return -1;
    }
  }
  memcpy(at, made->bytes, (size_t)place->type->size);
  Py_XDECREF(before);
  return 0;
}

int core_place_write(const core_place* place, char* at, PyObject* value) {
  item made = {.kept = NULL};
  const int status = convert(place, value, &made) == 0 ? store(place, at, &made) : -1;
  Py_XDECREF(made.kept);
  return status;
}

/* A copy of the bytes, and of what is kept with them. */
static int write_struct(const core_place* place, char* at, PyObject* value) {
  int is_const;
  const char* from = core_structs->address(place->type->info, value, &is_const);
  if (from == NULL) return refuse(place, PyExc_TypeError, NULL, value, NULL);
  return core_copy_kept(place->owner, at, value, from, place->type->size);
}

int core_item_write(const core_pointer* p, Py_ssize_t index, PyObject* value) {
  const core_place place = item_place(p, index);
  item made = {.kept = NULL};
  char* at = (char*)((uintptr_t)p->address + (uintptr_t)index * (uintptr_t)p->type->size);
  if (p->type->kind == CORE_TO_STRUCT) return write_struct(&place, at, value);
  int status = convert(&place, value, &made);
  if (status == 0) status = core_pointer_check(p);
  if (status == 0) status = store(&place, at, &made);
  Py_XDECREF(made.kept);
  return status;
}
