/* Values between our slots and tvm-ffi's Any: numbers and short text by their code, longer text and containers as copies, arrays
 * by DLPack, which shares their memory.
 */
#include "tvm_ffi.h"

#include <string.h>

#include "interpreter.h"

static const jf_param_info parameter = {NULL, "any", NULL};
static const jf_call_info call_info = {"tvm_ffi", 1, 1, &parameter, "any", NULL};

static int too_deep(void) {
  jf_error_set("RecursionError", "containers are nested too deep for a call into or from tvm-ffi");
  return -1;
}

static int text_from(const jf_view* view, tvm_any* out, int is_bytes) {
  jf_temps temps = {NULL};
  jf_span span;
  int failed =
      is_bytes ? jf_lift_bytes(&call_info, 0, view, &span, &temps) : jf_lift_str(&call_info, 0, view, &span, &temps);
  if (!failed) failed = core_tvm_failed(is_bytes ? core_tvm.bytes_new(&span, out) : core_tvm.str_new(&span, out));
  jf_temps_release(&temps);
  return failed ? -1 : 0;
}

static int call_with(void* function, tvm_any* items, size_t count, tvm_any* out) {
  int status = -1;
  if (count > INT32_MAX)
    jf_error_set("OverflowError", "a container is too large for a call into tvm-ffi");
  else
    status = core_tvm_failed(((tvm_function*)function)->call(function, items, (int32_t)count, out));
  return status;
}

static int end_items(tvm_any* items, size_t made) {
  while (made > 0) core_tvm_release(&items[--made]);
  PyMem_RawFree(items);
  return -1;
}

static tvm_any* new_items(size_t count) {
  tvm_any* items = PyMem_RawCalloc(count + 1, sizeof *items);
  if (!items) jf_error_set_object(NULL);
  return items;
}

static int sequence_from(jf_object* object, tvm_any* out, int depth) {
  const int is_list = object->type_code == JF_LIST;
  size_t count = ((jf_list*)object)->size, made = 0; /* list and tuple have it at the same place */
  tvm_any* items = new_items(count);
  if (!items) return -1;
  for (; made < count; made++) {
    jf_value item = {.type_code = JF_NULL};
    int64_t index = (int64_t)made;
    if ((is_list ? jf_list_get(object, index, &item) : jf_tuple_get(object, index, &item)) != 0) break;
    int failed = core_tvm_from_view(&item, &items[made], depth + 1);
    jf_any_release(&item);
    if (failed) break;
  }
  int status = made == count ? call_with(core_tvm.array, items, count, out) : -1;
  end_items(items, made);
  return status;
}

static int map_from(jf_object* object, tvm_any* out, int depth) {
  size_t count = 2 * ((jf_map*)object)->size, made = 0;
  tvm_any* items = new_items(count);
  if (!items) return -1;
  jf_map_iterator at = {0};
  jf_view pair[2];
  int more = 0;
  while (made < count && (more = jf_map_next(object, &at, &pair[0], &pair[1])) == 1) {
    if (core_tvm_from_view(&pair[0], &items[made], depth + 1) != 0) break;
    made++;
    if (core_tvm_from_view(&pair[1], &items[made], depth + 1) != 0) break;
    made++;
  }
  int status = made == count ? call_with(core_tvm.map, items, count, out) : -1;
  end_items(items, made);
  return status;
}

static int array_from(jf_object* object, tvm_any* out) {
  jf_dlversioned* managed = jf_ndarray_to_dlpack_versioned(object);
  if (!managed) return -1;
  void* tensor = NULL;
  if (core_tvm_failed(core_tvm.tensor_new(managed, 0, 0, &tensor))) {
    if (managed->deleter) managed->deleter(managed);
    return -1;
  }
  out->type_index = TVM_TENSOR;
  out->v_object = tensor;
  return 0;
}

static int shape_from(const jf_object* object, tvm_any* out) {
  const jf_shape* shape = (const jf_shape*)object;
  tvm_any* items = new_items(shape->size);
  if (!items) return -1;
  for (size_t i = 0; i < shape->size; i++) {
    items[i].type_index = TVM_INT;
    items[i].v_int64 = shape->data[i];
  }
  int status = call_with(core_tvm.shape, items, shape->size, out);
  PyMem_RawFree(items);
  return status;
}

static int give(tvm_any* out, int32_t type_index, void* object) {
  if (!object) return -1;
  out->type_index = type_index;
  out->v_object = object;
  return 0;
}

static int object_from(const jf_view* view, tvm_any* out, int depth) {
  jf_object* object = view->v_object;
  if (depth > TVM_DEPTH) return too_deep();
  if (jf_type_is_a(object->type_code, JF_NDARRAY)) return array_from(object, out);
  if (object->type_code == core_tvm.object_code) {
    tvm_object* theirs = ((jf_box*)object)->v_handle;
    core_tvm.retain(theirs);
    return give(out, theirs->type_index, theirs);
  }
  switch (object->type_code) {
    case JF_FUNCTION:
      return give(out, TVM_FUNCTION, core_tvm_export(object));
    case JF_ERROR:
      return give(out, TVM_ERROR, core_tvm_error_new(object));
    case JF_LIST:
    case JF_TUPLE:
      return sequence_from(object, out, depth);
    case JF_MAP:
      return map_from(object, out, depth);
    case JF_SHAPE:
      return shape_from(object, out);
    case JF_STR:
    case JF_UCS4:
      return text_from(view, out, 0);
    case JF_BYTES:
      return text_from(view, out, 1);
    default:
      jf_error_format("TypeError", "tvm-ffi has no form for an object of type %s", jf_type_key(object->type_code));
      return -1;
  }
}

int core_tvm_from_view(const jf_view* view, tvm_any* out, int depth) {
  static const int8_t plain[] = {TVM_NONE,    TVM_INT,   TVM_FLOAT,  TVM_BOOL,
                                 TVM_POINTER, TVM_DTYPE, TVM_DEVICE, TVM_DLTENSOR};
  memset(out, 0, sizeof *out);
  if (view->type_code <= JF_NULL && view->type_code >= JF_DLTENSOR) {
    out->type_index = plain[JF_NULL - view->type_code];
    out->v_int64 = view->v_int64;
    return 0;
  }
  jf_view inner;
  if (view->type_code == JF_RVALUE) {
    inner = (jf_view){.type_code = JF_OBJECT, .v_object = *view->v_rvalue};
    if (inner.v_object && inner.v_object->type_code <= JF_S1_LAST) inner.type_code = inner.v_object->type_code;
    if (!inner.v_object) return 0;
    view = &inner;
  }
  if (view->type_code > 0 || view->type_code == JF_OBJECT) {
    int32_t code = view->v_object->type_code;
    if (code < JF_S2_FIRST || code > JF_S2_LAST) return object_from(view, out, depth);
    jf_any_view(view, &inner);
    return core_tvm_from_view(&inner, out, depth);
  }
  const jf_any* whole = view->type_code == JF_ANY_PTR ? view->v_handle : view;
  switch (whole->type_code) {
    case JF_SMALL_BYTES:
    case JF_BYTE_ARRAY:
      return text_from(view, out, 1);
    case JF_RAW_STR:
    case JF_STR_VIEW:
    case JF_UCS4_VIEW:
    case JF_SMALL_UCS4:
    case JF_SMALL_STR:
      return text_from(view, out, 0);
    case JF_UINT:
      jf_error_set("OverflowError", "tvm-ffi has no integer above 2**63 - 1");
      return -1;
    default:
      jf_error_format("TypeError", "a slot of the unknown code %d", whole->type_code);
      return -1;
  }
}

static int give_object(jf_value* out, jf_object* object) {
  if (!object) return -1;
  jf_out_object(out, object);
  return 0;
}

static int sequence_to(const tvm_object* object, jf_value* out, int depth) {
  const tvm_sequence* sequence = (const tvm_sequence*)object;
  jf_object* list = jf_list_new((size_t)sequence->size, 1);
  for (int64_t i = 0; list && i < sequence->size; i++) {
    jf_value item = {.type_code = JF_NULL};
    int failed = core_tvm_to_value(&sequence->data[i], &item, depth + 1) || jf_list_append(list, &item);
    jf_any_release(&item);
    if (!failed) continue;
    jf_object_release(list);
    return -1;
  }
  return give_object(out, list);
}

/* What an iterator, which is a function, says of its place: 0 the key, 1 the value, 2 whether there is a next one. */
static int ask(tvm_any* iterator, int64_t what, tvm_any* out) {
  tvm_any word = {.type_index = TVM_INT, .v_int64 = what};
  memset(out, 0, sizeof *out);
  return call_with(iterator->v_object, &word, 1, out);
}

static int pair_to(tvm_any* iterator, jf_object* map, int depth) {
  jf_value pair[2] = {{.type_code = JF_NULL}, {.type_code = JF_NULL}};
  int failed = 0;
  for (int part = 0; part < 2 && !failed; part++) {
    tvm_any theirs;
    failed = ask(iterator, part, &theirs);
    if (failed) break;
    failed = core_tvm_to_value(&theirs, &pair[part], depth + 1);
    core_tvm_release(&theirs);
  }
  if (!failed) failed = jf_map_set(map, &pair[0], &pair[1]);
  jf_any_release(&pair[0]);
  jf_any_release(&pair[1]);
  return failed ? -1 : 0;
}

static int map_to(const tvm_any* any, jf_value* out, int depth) {
  const uint64_t size = ((const uint64_t*)(const void*)any->v_object)[4]; /* at 32, of a Map and of a Dict */
  tvm_any argument = *any, iterator = {0}, more;
  void* getter = any->type_index == TVM_MAP ? core_tvm.map_iterator : core_tvm.dict_iterator;
  if (call_with(getter, &argument, 1, &iterator) != 0) return -1;
  jf_object* map = jf_map_new((size_t)size, 1);
  int failed = !map;
  for (uint64_t i = 0; i < size && !failed; i++) {
    failed = pair_to(&iterator, map, depth);
    if (!failed && i + 1 < size) failed = ask(&iterator, 2, &more);
  }
  core_tvm_release(&iterator);
  if (failed && map) jf_object_release(map);
  return failed ? -1 : give_object(out, map);
}

static void opaque_delete(jf_object* object) {
  core_tvm.release(((jf_box*)object)->v_handle);
  jf_object_free(object);
}

static int opaque_to(tvm_object* object, jf_value* out) {
  jf_box* box = jf_object_new(sizeof *box, core_tvm.object_code, opaque_delete);
  if (!box) return -1;
  core_tvm.retain(object);
  box->v_handle = object;
  return give_object(out, &box->header);
}

static int tensor_to(tvm_object* object, jf_value* out) {
  jf_dlversioned* managed = NULL;
  if (core_tvm_failed(core_tvm.tensor_dlpack(object, &managed))) return -1;
  return give_object(out, jf_ndarray_from_dlpack_versioned(managed));
}

static int object_to(const tvm_any* any, jf_value* out, int depth) {
  tvm_object* object = any->v_object;
  const jf_span* text = &((tvm_text*)object)->text;
  if (depth > TVM_DEPTH) return too_deep();
  switch (any->type_index) {
    case TVM_STR:
      return jf_out_str(out, text->data, text->size);
    case TVM_BYTES:
      return jf_out_bytes(out, text->data, text->size);
    case TVM_ERROR:
      return give_object(out, core_tvm_error_of(object));
    case TVM_FUNCTION:
      return give_object(out, core_tvm_wrap(object));
    case TVM_SHAPE:
      return give_object(out, jf_shape_new(((tvm_shape*)object)->data, ((tvm_shape*)object)->size));
    case TVM_TENSOR:
      return tensor_to(object, out);
    case TVM_ARRAY:
    case TVM_LIST:
      return sequence_to(object, out, depth);
    case TVM_MAP:
    case TVM_DICT:
      return map_to(any, out, depth);
    default:
      return opaque_to(object, out);
  }
}

int core_tvm_to_value(const tvm_any* any, jf_value* out, int depth) {
  static const int8_t plain[] = {JF_NULL, JF_INT, JF_BOOL, JF_FLOAT, JF_HANDLE, JF_DTYPE, JF_DEVICE, JF_DLTENSOR};
  if (any->type_index >= TVM_OBJECT) return object_to(any, out, depth);
  if (any->type_index >= 0 && any->type_index <= TVM_DLTENSOR) {
    const int is_null = any->type_index == TVM_POINTER && any->v_pointer == NULL;
    out->type_code = is_null ? JF_NULL : plain[any->type_index];
    out->small_len = 0;
    out->v_int64 = any->v_int64;
    return 0;
  }
  tvm_any object;
  switch (any->type_index) {
    case TVM_RAW_STR:
      return jf_out_str(out, any->v_pointer, strlen(any->v_pointer));
    case TVM_BYTE_ARRAY:
      return jf_out_bytes(out, any->v_span->data, any->v_span->size);
    case TVM_SMALL_STR:
      return jf_out_str(out, any->v_bytes, any->small_len);
    case TVM_SMALL_BYTES:
      return jf_out_bytes(out, any->v_bytes, any->small_len);
    case TVM_RVALUE:
      object = (tvm_any){.v_object = *any->v_rvalue};
      if (!object.v_object) return core_tvm_to_value(&object, out, depth);
      object.type_index = object.v_object->type_index;
      return object_to(&object, out, depth);
    default:
      jf_error_format("TypeError", "a value of tvm-ffi's unknown type index %d", any->type_index);
      return -1;
  }
}
