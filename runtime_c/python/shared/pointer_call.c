/* Pointers as arguments and results: of a type ptr[T], which may stand in optional[...], owned[...] and what passes it back. */
#include "array.h"
#include "box.h"
#include "error.h"
#include "foreign.h"
#include "function.h"
#include "pointer.h"
#include "pointer_foreign.h"
#include "raise.h"
#include "said.h"
#include "unbox.h"

#include <string.h>

/* The pointer in the type's text; *is_optional tells whether NULL is a value. NULL with MemoryError. */
static const core_pointee* type_of(core_state* state, int32_t index, int* is_optional) {
  const char* text = core_type_text(state, index);
  *is_optional = 0;
  while (strncmp(text, "ptr", 3) != 0 && strchr(text, '[') != NULL) {
    if (strncmp(text, "optional[", 9) == 0) *is_optional = 1;
    text = strchr(text, '[') + 1;
  }
  size_t size = 3;
  for (int depth = text[3] == '['; depth > 0 && text[size] != 0;) {
    size++;
    depth += (text[size] == '[') - (text[size] == ']');
    if (depth == 0) size++;
  }
  const core_pointee* type = core_pointee_of(text, size, 1);
  if (type == NULL && !PyErr_Occurred()) PyErr_Format(PyExc_SystemError, "'%s' is no type of a pointer", text);
  return type;
}

/* ValueError; -1. */
static int refuse_null(core_state* state, int32_t index) {
  PyObject* where = core_where(state, index);
  if (where != NULL) PyErr_Format(PyExc_ValueError, "%Uexpected %s, got NULL", where, core_type_text(state, index));
  Py_XDECREF(where);
  return -1;
}

static PyObject* box_null(core_state* state, int32_t index, int is_optional) {
  if (is_optional) Py_RETURN_NONE;
  refuse_null(state, index);
  return NULL;
}

PyObject* core_box_pointer(core_state* state, int32_t index, void* address) {
  int is_optional;
  const core_pointee* type = type_of(state, index, &is_optional);
  if (type == NULL) return NULL;
  return address != NULL ? core_pointer_make(type, address, 0, -1, NULL) : box_null(state, index, is_optional);
}

PyObject* core_box_owned(core_state* state, int32_t index, void* address, void* release) {
  int is_optional;
  const core_pointee* type = type_of(state, index, &is_optional);
  if (type == NULL) {
    core_free_owned(state, address, release);
    return NULL;
  }
  if (address == NULL) return box_null(state, index, is_optional);
  return core_pointer_own(core_function_of(state), type, address, release);
}

PyObject* core_take_cstr(core_state* state, int32_t index, void* text, void* release) {
  PyObject* made = core_box_cstr(state, index, text);
  core_free_owned(state, text, release);
  return made;
}

int32_t core_pointer_view(PyObject* object, core_pointer_info* out) {
  if (!core_is_pointer(object)) return 0;
  const core_pointer* p = (core_pointer*)object;
  if (core_pointer_check_open(p) != 0) return -1;
  *out = (core_pointer_info){
      p->address,   PyUnicode_AsUTF8(p->type->item_text), p->length, p->type->dtype, p->type->is_const, p->type->info,
      p->type->size};
  return 1;
}

/* The pointer's memory stays for the call: an owned one counts a view, so that a callback cannot close it. */
static void release_view(void* pointer) {
  core_owned_count(((core_pointer*)pointer)->owner, -1);
  Py_DECREF((PyObject*)pointer);
}

int32_t core_pointer_hold(core_pointer* p, jf_temps* temps) {
  if (p->owner == NULL || !core_is_owned(p->owner)) return 0;
  core_owned_count(p->owner, 1);
  Py_INCREF(p);
  if (jf_temps_add(temps, p, release_view) == 0) return 0;
  core_error_raise(NULL);
  return -1;
}

/* TypeError; -1. */
static int refuse(core_state* state, int32_t index, const core_pointer* p) {
  PyObject* where = core_where(state, index);
  if (where != NULL)
    PyErr_Format(PyExc_TypeError, "%Uexpected %s, got a Pointer of type %U", where, core_type_text(state, index),
                 p->type->text);
  Py_XDECREF(where);
  return -1;
}

static int32_t unbox_own(core_state* state, int32_t index, core_pointer* p, void** out, jf_temps* temps) {
  if (core_pointer_check_open(p) != 0) {
    core_raise_context(state, index);
    return -1;
  }
  *out = p->address;
  return core_pointer_hold(p, temps);
}

/* An instance of a struct goes by reference: 1; 0: it is none, or of another struct; -1 with an exception. */
static int struct_address(core_state* state, int32_t index, const core_pointee* type, PyObject* object, void** out) {
  const int is_void = core_pointee_is_void(type);
  int is_const;
  if (core_structs == NULL || (type->kind != CORE_TO_STRUCT && !is_void)) return 0;
  if (!is_void && core_pointee_complete(type) != 0) {
    core_raise_context(state, index);
    return -1;
  }
  char* address = core_structs->address(is_void ? NULL : type->info, object, &is_const);
  if (address == NULL) return 0;
  if (is_const && !type->is_const) {
    core_raise_type(state, index, object, "it is behind a pointer to const");
    return -1;
  }
  *out = address;
  return 1;
}

/* NumPy's, of any rank. */
static int32_t unbox_struct_array(core_state* state, int32_t index, const core_pointee* type, PyObject* object,
                                  void** out, jf_temps* temps) {
  int64_t address = 0;
  const uint64_t flags = JF_SPEC_EITHER_ORDER | (type->is_const ? 0 : JF_SPEC_WRITABLE);
  const uint64_t spec = JF_SPEC_STRUCT | (uint64_t)JF_RANK_ANY << 16 | flags << 24;
  if (core_unbox_array(state, index, object, spec, &address, temps) != 0) return -1;
  *out = (void*)(uintptr_t)address;
  return 0;
}

static int32_t pointer_said(core_state* state, int32_t index, PyObject* said, int64_t unused, void* out,
                            jf_temps* temps) {
  (void)unused;
  return core_unbox_pointer(state, index, said, out, temps);
}

int32_t core_unbox_pointer(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps) {
  int is_optional;
  const core_pointee* type = type_of(state, index, &is_optional);
  if (type == NULL) return -1;
  *out = NULL;
  if (object == Py_None && is_optional) return 0;
  if (core_is_pointer(object)) {
    core_pointer* p = (core_pointer*)object;
    if (!core_pointee_fits(type, p->type)) return refuse(state, index, p);
    if (unbox_own(state, index, p, out, temps) != 0) return -1;
    return *out != NULL || is_optional ? 0 : refuse_null(state, index);
  }
  int status = struct_address(state, index, type, object, out);
  if (status != 0) return status > 0 ? 0 : -1;
  status = core_foreign_pointer(type, object, out);
  if (status > 0) return 0;
  if (status < 0) {
    core_raise_conversion(state, index);
    return -1;
  }
  const int is_foreign = core_ctypes_pointer(object, out) > 0 || core_cffi_pointer(object, out, 0) > 0;
  if (!is_foreign && type->kind == CORE_TO_STRUCT && core_structs != NULL) {
    if (unbox_struct_array(state, index, type, object, out, temps) == 0) return 0;
    return index >= 0 ? core_unbox_said_instead(state, index, object, pointer_said, out, temps) : -1;
  }
  PyErr_Clear();
  if (!is_foreign && index >= 0) return core_unbox_said(state, index, object, pointer_said, 0, out, temps);
  core_raise_type(state, index, object, is_foreign ? "jitffi.cast says what it points at" : NULL);
  return -1;
}

int core_address_for_ptr(core_state* state, int32_t index, PyObject* object, void** out, jf_temps* temps) {
  if (core_structs != NULL && !core_is_pointer(object)) {
    int is_const;
    char* address = core_structs->address(NULL, object, &is_const);
    *out = address;
    if (address == NULL || !is_const || strstr(core_type_text(state, index), "ptr[const void]") != NULL)
      return address != NULL;
    core_raise_type(state, index, object, "it is behind a pointer to const");
    return -1;
  }
  if (!core_is_pointer(object)) return 0;
  core_pointer* p = (core_pointer*)object;
  if (p->type->is_const && strstr(core_type_text(state, index), "ptr[const void]") == NULL)
    return refuse(state, index, p);
  return unbox_own(state, index, p, out, temps) == 0 ? 1 : -1;
}
