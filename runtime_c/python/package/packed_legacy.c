/* Functions of the old packed convention (ABI section 5, D4a), and of TVM's entry of that age, as function objects: values in
 * one array, 8 bytes each, their codes in another.
 *
 *   call(self, num_args, type_codes, values, out_code, out_value)
 *   entry(values, type_codes, num_args, out_value, out_code, resource)      TVM's
 */
#include <string.h>

#include "error.h"
#include "handle.h"
#include "host_object.h"
#include "interpreter.h"
#include "jitffi/ndarray.h"
#include "jitffi/runtime.h"
#include "parts.h"

enum { FEW = 8 };

/* Its codes. */
enum {
  INT,
  UINT,
  FLOAT = 2,
  HANDLE,
  NONE,
  DTYPE,
  DEVICE,
  DLTENSOR,
  OBJECT,
  MODULE,
  FUNCTION,
  STR,
  BYTES,
  NDARRAY,
  RVALUE,
  BOOL
};

typedef union {
  int64_t v_int64;
  double v_float64;
  void* v_handle;
} legacy_value;

typedef int32_t (*legacy_call)(void* self, int32_t num_args, const int32_t* codes, const legacy_value* values,
                               int32_t* out_code, legacy_value* out);
typedef int (*tvm_entry)(void* values, int* codes, int num_args, void* out, int* out_code, void* resource);

/* What the function object captures. */
typedef struct {
  legacy_call call; /* or NULL, and */
  tvm_entry entry;
  void* self;
  PyObject* kept;
} legacy_function;

static const jf_param_info parameter = {NULL, "any", NULL};
static const jf_call_info call_info = {"packed_legacy", 1, 1, &parameter, "any", NULL};

/* Text as one pointer, whose copy lives as long as the call. */
static int put_text(const jf_view* view, legacy_value* value, jf_temps* temps) {
  jf_span span;
  if (jf_lift_str(&call_info, 0, view, &span, temps) != 0) return -1;
  if (span.size && memchr(span.data, 0, span.size)) {
    jf_error_set("ValueError",
                 "text with an embedded NUL does not fit the packed_legacy convention, which has no length");
    return -1;
  }
  char* text = PyMem_RawMalloc(span.size + 1);
  if (!text) {
    jf_error_set_object(NULL);
    return -1;
  }
  if (span.size) memcpy(text, span.data, span.size);
  text[span.size] = 0;
  value->v_handle = text;
  return jf_temps_add(temps, text, PyMem_RawFree);
}

static int put_bytes(const jf_view* view, legacy_value* value, jf_temps* temps) {
  jf_span* span = PyMem_RawMalloc(sizeof *span);
  if (!span) {
    jf_error_set_object(NULL);
    return -1;
  }
  value->v_handle = span;
  return jf_temps_add(temps, span, PyMem_RawFree) || jf_lift_bytes(&call_info, 0, view, span, temps) ? -1 : 0;
}

static int put(const jf_view* view, int32_t* code, legacy_value* value, jf_temps* temps);

static int put_object(const jf_view* view, int32_t* code, legacy_value* value, jf_temps* temps) {
  jf_object* object = view->v_object;
  jf_view inner;
  *code = OBJECT;
  value->v_handle = object;
  if (object->type_code == JF_STR || object->type_code == JF_UCS4) return *code = STR, put_text(view, value, temps);
  if (object->type_code == JF_BYTES) return *code = BYTES, put_bytes(view, value, temps);
  if (object->type_code == JF_FUNCTION) *code = FUNCTION;
  if (object->type_code == JF_MODULE) *code = MODULE;
  if (jf_type_is_a(object->type_code, JF_NDARRAY)) {
    *code = DLTENSOR;
    value->v_handle = jf_ndarray_tensor(object);
  }
  if (object->type_code < JF_S2_FIRST || object->type_code > JF_S2_LAST) return 0;
  jf_any_view(view, &inner); /* a plain value, as a slot has it */
  return put(&inner, code, value, temps);
}

static int put(const jf_view* view, int32_t* code, legacy_value* value, jf_temps* temps) {
  static const int8_t plain[] = {NONE, INT, FLOAT, INT, HANDLE, DTYPE, DEVICE, DLTENSOR};
  const jf_any* whole = view->type_code == JF_ANY_PTR ? view->v_handle : view;
  value->v_int64 = view->v_int64;
  if (view->type_code <= JF_NULL && view->type_code >= JF_DLTENSOR) return *code = plain[JF_NULL - view->type_code], 0;
  if (view->type_code > 0 || view->type_code == JF_OBJECT) return put_object(view, code, value, temps);
  switch (whole->type_code) {
    case JF_UINT:
      *code = UINT;
      return 0;
    case JF_RVALUE:
      *code = RVALUE;
      return 0;
    case JF_SMALL_BYTES:
    case JF_BYTE_ARRAY:
      *code = BYTES;
      return put_bytes(view, value, temps);
    default:
      *code = STR;
      return put_text(view, value, temps);
  }
}

/* The result: text and bytes are copied at once, an object is ours from now on. */
static int take(int32_t code, legacy_value value, jf_value* out) {
  static const int8_t plain[] = {JF_INT, JF_INT, JF_FLOAT, JF_HANDLE, JF_NULL, JF_DTYPE, JF_DEVICE};
  const jf_span* span = value.v_handle;
  if (code == STR && value.v_handle) return jf_out_str(out, value.v_handle, strlen(value.v_handle));
  if (code == BYTES && span) return jf_out_bytes(out, span->data, span->size);
  if ((code >= OBJECT && code <= FUNCTION) || code == NDARRAY) return jf_out_object(out, value.v_handle), 0;
  if (code == BOOL || (code >= INT && code <= DEVICE)) {
    int32_t ours = code == BOOL ? JF_BOOL : plain[code];
    if (code == UINT && value.v_int64 < 0) ours = JF_UINT;
    if ((code == HANDLE && !value.v_handle) || code == NONE) ours = JF_NULL, value.v_int64 = 0;
    if (code == DTYPE) value.v_int64 &= UINT32_MAX; /* of its 8 bytes it has 4 */
    if (code == BOOL) value.v_int64 = value.v_int64 != 0;
    *out = (jf_value){.type_code = ours, .v_int64 = value.v_int64};
    return 0;
  }
  jf_error_format("TypeError", "a packed_legacy function returned a value of code %d, which no result has", code);
  return -1;
}

static int32_t call_legacy(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  const legacy_function* to = *(legacy_function**)(self + 1);
  int32_t few_codes[FEW], *codes = few_codes, out_code = NONE;
  legacy_value few[FEW], *values = few, result = {0};
  jf_temps temps = {NULL};
  if (num_args > FEW) {
    values = PyMem_RawMalloc((size_t)num_args * (sizeof *values + sizeof *codes));
    if (!values) {
      jf_error_set_object(NULL);
      return -1;
    }
    codes = (int32_t*)(values + num_args);
  }
  int status = 0;
  for (int32_t i = 0; i < num_args && status == 0; i++) status = put(&args[i], &codes[i], &values[i], &temps);
  if (status == 0 && to->call)
    status = to->call(to->self, num_args, codes, values, &out_code, &result);
  else if (status == 0)
    status = to->entry(values, codes, num_args, &result, &out_code, to->self);
  if (status == 0) status = take(out_code, result, out);
  jf_temps_release(&temps);
  if (values != few) PyMem_RawFree(values);
  return status == 0 ? 0 : -1;
}

static void let_go(void* captures) {
  legacy_function* function = captures;
  core_decref_anywhere(function->kept);
  PyMem_RawFree(function);
}

/* packed_legacy(address, name, self, is_entry, kept): the Function for a C function of either form */
static PyObject* packed_legacy(PyObject* module, PyObject* args) {
  (void)module;
  PyObject *address, *self, *kept;
  const char* name;
  int is_entry;
  if (!PyArg_ParseTuple(args, "O!sO!pO", &PyLong_Type, &address, &name, &PyLong_Type, &self, &is_entry, &kept))
    return NULL;
  void *code = PyLong_AsVoidPtr(address), *resource = PyErr_Occurred() ? NULL : PyLong_AsVoidPtr(self);
  if (PyErr_Occurred()) return NULL;
  if (!code) return PyErr_Format(PyExc_ValueError, "expected an address, got NULL");
  legacy_function* made = PyMem_RawMalloc(sizeof *made);
  if (!made) return PyErr_NoMemory();
  *made = (legacy_function){is_entry ? NULL : (legacy_call)code, is_entry ? (tvm_entry)code : NULL, resource, kept};
  jf_object* function = jf_function_new(call_legacy, made, let_go, NULL);
  if (!function) {
    PyMem_RawFree(made);
    core_error_raise(NULL);
    return NULL;
  }
  Py_INCREF(kept);
  PyObject* boxed = core_function_box_named(function, name);
  jf_object_release(function);
  return boxed;
}

static PyMethodDef methods[] = {{"packed_legacy", packed_legacy, METH_VARARGS, NULL}, {NULL, NULL, 0, NULL}};

int core_packed_legacy_init(PyObject* module) { return PyModule_AddFunctions(module, methods); }
