/* Arguments of scripts: Python objects as views, and the type tag of each. */
#include "borrow.h"
#include "boxing.h"
#include "convert.h"
#include "dlpack.h"
#include "fast_paths.h"
#include "foreign.h"
#include "function.h"
#include "handle.h"
#include "host_object.h"
#include "instance.h"
#include "jitffi/runtime.h"
#include "map_object.h"
#include "raise.h"
#include "script.h"
#include "script_object.h"
#include "struct.h"
#include "unbox.h"
#include "wrapper.h"

_Static_assert(offsetof(core_room, span) - offsetof(core_room, text) == sizeof(PyObject*), "entries know it");

/* -- type tags --------------------------------------------------------------------------------------------------- */

static uint64_t tag_of_object(const jf_object* object) {
  if (object == NULL) return CORE_TAG_ANY;
  switch (object->type_code) {
    case JF_STR:
    case JF_UCS4:
      return CORE_TAG_STR;
    case JF_BYTES:
      return CORE_TAG_BYTES;
    case JF_LIST:
      return CORE_TAG_LIST;
    case JF_MAP:
      return CORE_TAG_DICT;
    case JF_TUPLE:
      return CORE_TAG_TUPLE;
    case JF_FUNCTION:
      return CORE_TAG_FUNC;
    case JF_BOXED_INT:
      return CORE_TAG_INT;
    case JF_BOXED_UINT:
      return CORE_TAG_U64;
    case JF_BOXED_FLOAT:
      return CORE_TAG_FLOAT;
    case JF_BOXED_BOOL:
      return CORE_TAG_BOOL;
    case JF_HOST_OBJECT: {
      const PyObject* host = core_host_get(object);
      const int64_t own = host != NULL ? core_script_own_tag(host) : 0;
      return own != 0 ? (uint64_t)own : host != NULL ? CORE_TAG_OBJECT : CORE_TAG_ANY;
    }
    default:
      return jf_type_is_a(object->type_code, JF_NDARRAY) ? core_script_array_tag(object) : CORE_TAG_ANY;
  }
}

uint64_t core_script_type_tag(const jf_any* view) {
  switch (view->type_code) {
    case JF_NULL:
      return CORE_TAG_NONE;
    case JF_INT:
      return CORE_TAG_INT;
    case JF_UINT:
      return CORE_TAG_U64;
    case JF_FLOAT:
      return CORE_TAG_FLOAT;
    case JF_BOOL:
      return CORE_TAG_BOOL;
    case JF_RAW_STR:
    case JF_STR_VIEW:
    case JF_UCS4_VIEW:
    case JF_SMALL_STR:
    case JF_SMALL_UCS4:
      return CORE_TAG_STR;
    case JF_BYTE_ARRAY:
    case JF_SMALL_BYTES:
      return CORE_TAG_BYTES;
    case JF_ANY_PTR:
      return ((const jf_any*)view->v_handle)->type_code == JF_SMALL_BYTES ? CORE_TAG_BYTES : CORE_TAG_STR;
    case JF_RVALUE:
      return tag_of_object(*view->v_rvalue);
    case JF_OBJECT:
    case JF_FUNCTION:
    case JF_NDARRAY:
      return tag_of_object(view->v_object);
    default:
      return CORE_TAG_ANY;
  }
}

/* Steals native, which may be NULL with an exception. The type tag, or -1. */
static int64_t pack_object(jf_object* native, jf_view* out, core_room* space) {
  if (native == NULL) return -1;
  space->owned = native;
  core_view_of_object(native, out);
  return (int64_t)core_script_type_tag(out);
}

/* A wrapper, or what its _move() returned: its object, which the call may then take, if it must be the only one to have it. */
static int64_t pack_wrapper(PyObject* wrapper, int is_moved, jf_view* out, core_room* space) {
  jf_object* native = core_wrapper_get(wrapper);
  if (native == NULL) return -1;
  ((core_wrapper*)wrapper)->moving = (char)is_moved;
  jf_object_retain(native);
  return pack_object(native, out, space);
}

/* What stands in a str is borrowed as it lies where it has four bytes a character; narrower text is widened, into the frame where it
 * is short. */
static int64_t pack_text(core_function* f, int32_t index, PyObject* text, jf_view* out, core_room* space,
                         jf_temps* temps) {
  out->type_code = JF_UCS4_VIEW;
  out->small_len = CORE_TEXT_GIVEN;
  out->v_span = &space->span;
  space->text = text;
  return core_unbox_ucs4(&f->state, index, text, &space->wide, temps) == 0 ? CORE_TAG_STR : -1;
}

static int64_t pack_bytes(PyObject* bytes, jf_view* out, core_room* space) {
  out->type_code = JF_BYTE_ARRAY;
  out->small_len = CORE_TEXT_GIVEN;
  out->v_span = &space->span;
  space->text = bytes;
  space->span.data = PyBytes_AS_STRING(bytes);
  space->span.size = (size_t)PyBytes_GET_SIZE(bytes);
  return CORE_TAG_BYTES;
}

/* New: of a class of structs, or a registered one. */
static PyObject* key_of(PyObject* class) {
  const core_class_info* info = core_class_info_of(class);
  return info != NULL ? PyUnicode_FromString(info->type->key) : Py_NewRef(core_struct_info_of(class)->key);
}

static int check_struct(const core_function* f, Py_ssize_t index, PyObject* object, PyObject* class) {
  if (PyObject_TypeCheck(object, (PyTypeObject*)class)) return 0;
  PyObject *got = core_describe(object), *key = key_of(class);
  if (got != NULL && key != NULL)
    PyErr_Format(PyExc_TypeError, "%U: '%U': expected %U, got %U", f->name, PyTuple_GET_ITEM(f->script->names, index),
                 key, got);
  Py_XDECREF(got);
  Py_XDECREF(key);
  return -1;
}

/* An instance as the address of its bytes, or a registered object as that of its native object, which the caller keeps. */
static int64_t pack_struct(const core_function* f, int32_t index, PyObject* object, PyObject* class, jf_view* out) {
  if (check_struct(f, index, object, class) != 0) return -1;
  void* address = core_is_instance(object) ? (void*)core_wrapper_get(object) : ((core_struct*)object)->data;
  if (address == NULL) return -1;
  *out = (jf_any){JF_HANDLE, 0, {.v_handle = address}};
  return CORE_TAG_ANY;
}

int core_script_check_structs(const core_function* f, PyObject* const* args, Py_ssize_t given, uint64_t reads) {
  for (Py_ssize_t i = 0; i < given; i++) {
    PyObject* class = PyTuple_GET_ITEM(f->script->structs, i);
    if (class == Py_None) continue;
    if (check_struct(f, i, args[i], class) != 0) return -1;
    const int is_read = i < 64 && (reads >> i & 1);
    if (!is_read && !core_is_instance(args[i]) && core_struct_check_writable((core_struct*)args[i]) != 0) return -1;
  }
  return 0;
}

/* Whether the script gets the object itself: it is none of scripts' values, exactly, and no address of C's. */
static int is_object(const core_script* script, int32_t index, PyObject* object) {
  if (!core_script_takes_objects(script, index)) return 0;
  PyTypeObject* const type = Py_TYPE(object);
  if (type == &PyLong_Type) {
    jf_any slot;
    if (core_set_int(object, &slot) == 0) return 0;
    PyErr_Clear();
    return 1;
  }
  if (type == &PyFloat_Type || type == &PyBool_Type || object == Py_None) return 0;
  if (core_function_get(object) != NULL || (PyLong_Check(object) && core_is_handle(object))) return 0;
  if (type == &core_dtype_type || type == &core_device_type) return 0;
  void* address;
  return core_cffi_pointer(object, &address, 0) == 0 && core_ctypes_pointer(object, &address) == 0;
}

/* Whether it is of a class that is derived from Map, whose __missing__ and the like only the wrapper asks. */
static int is_derived_map(const core_script* script, int32_t index, PyObject* object) {
  return Py_TYPE(object) != &core_map_type && core_script_takes_objects(script, index) && core_is_map(object);
}

/* Whether it is of a class that is derived from an annotation's, and would be no such object any more. */
static int is_derived(const core_script* script, int32_t index, PyObject* object) {
  if (script->strict || core_script_takes_objects(script, index)) return 0;
  if (PyLong_Check(object)) return !PyLong_CheckExact(object) && !PyBool_Check(object);
  return (PyUnicode_Check(object) && !PyUnicode_CheckExact(object)) ||
         (PyBytes_Check(object) && !PyBytes_CheckExact(object));
}

static int64_t pack_reference(PyObject* object, int64_t tag, jf_view* out) {
  *out = (jf_any){CORE_PYTHON_REFERENCE, 0, {.v_handle = object}};
  return tag;
}

int64_t core_script_pack_other(core_function* f, int32_t index, PyObject* object, jf_view* out, core_room* space,
                               jf_temps* temps) {
  space->owned = NULL;
  const int64_t own = core_script_own_tag(object);
  if (own != 0 && core_script_takes_objects(f->script, index)) {
    const int64_t guess = core_script_guess(f, object);
    return guess >= 0 ? pack_reference(object, own | guess << 4, out) : -1;
  }
  PyObject* class = f->script->structs != NULL ? PyTuple_GET_ITEM(f->script->structs, index) : Py_None;
  if (class != Py_None) return pack_struct(f, index, object, class, out);
  int64_t number;
  if (PyLong_CheckExact(object) && fast_int(object, &number)) {
    *out = (jf_any){JF_INT, 0, {.v_int64 = number}};
    return CORE_TAG_INT;
  }
  if (PyUnicode_CheckExact(object)) return pack_text(f, index, object, out, space, temps);
  if (is_derived(f->script, index, object)) return -1;
  if (PyObject_CheckBuffer(object)) {
    jf_object* array;
    const int is_array = core_script_array(f->script, index, object, &array);
    if (is_array != 0) return pack_object(is_array > 0 ? array : NULL, out, space);
  }
  if (core_is_instance(object) && core_script_takes_objects(f->script, index)) {
    const int64_t number = core_script_class(f, object);
    return number >= 0 ? pack_reference(object, CORE_TAG_OBJECT | number << 4, out) : -1;
  }
  if (PyBytes_CheckExact(object)) return pack_bytes(object, out, space);
  if (index < 64 && f->script->buffers >> index & 1 && PyObject_CheckBuffer(object)) {
    out->type_code = JF_BYTE_ARRAY;
    out->small_len = 0;
    out->v_span = &space->span;
    return core_unbox_bytes(&f->state, index, object, &space->span, temps) == 0 ? CORE_TAG_BYTES : -1;
  }
  if (PyList_CheckExact(object)) return pack_object(core_list_from(object, f->script->pool), out, space);
  if (PyDict_CheckExact(object)) return pack_object(core_map_from(object, f->script->pool), out, space);
  if (PyTuple_CheckExact(object)) return pack_object(core_native_object(object), out, space);
  if (is_derived_map(f->script, index, object)) return pack_reference(object, CORE_TAG_OBJECT, out);
  if (core_is_wrapper(object)) {
    const int64_t tag = pack_wrapper(object, 0, out, space);
    const int may_guess = tag == CORE_TAG_LIST && core_script_takes_objects(f->script, index);
    const int64_t guess = may_guess ? core_script_guess_native(f->script, space->owned) : 0;
    return guess != 0 ? CORE_TAG_OWN_LIST | (CORE_MOST_GUESSES + guess) << 4 : tag;
  }
  PyObject* mover = core_moved_wrapper(object);
  if (mover != NULL) return pack_wrapper(mover, 1, out, space);
  if (is_object(f->script, index, object)) return pack_reference(object, CORE_TAG_OBJECT, out);
  /* Elsewhere classes are values; what a script does with one is call it. */
  if (PyType_Check(object)) return pack_object(core_function_handle(object), out, space);
  if (core_unbox_any(&f->state, index, object, out, temps) < 0) return -1;
  return (int64_t)core_script_type_tag(out);
}
