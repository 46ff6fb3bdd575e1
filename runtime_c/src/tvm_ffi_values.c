/* Values between our slots and tvm-ffi's Any: numbers and short text by their code, longer text and containers as copies, arrays
 * with their memory, which they share.
 */
#include <string.h>

#include "jitffi/containers.h"
#include "macros.h"
#include "message.h"
#include "object.h"
#include "slot.h"
#include "tvm_ffi.h"

_Static_assert(sizeof(jf_tvmffi_any) == sizeof(jf_view), "an argument takes its view's place");

static JF_COLD int32_t too_deep(void) {
  jf_error_set("RecursionError", "containers are nested too deep for a call into or from tvm-ffi");
  return -1;
}

/* -- ours to theirs ------------------------------------------------------------------------------------------------------ */

static int32_t text_from(const jf_any* slot, jf_encoded text, jf_tvmffi_any* out) {
  if (text.kind != JF_TEXT_UCS4) return jf_tvmffi_text_to(text.data, text.size, text.kind == JF_TEXT_BYTES, out);
  jf_temps temps = {NULL};
  jf_span span;
  int32_t status = jf_lift_str(NULL, 0, slot, &span, &temps);
  if (status == 0) status = jf_tvmffi_text_to(span.data, span.size, 0, out);
  jf_temps_release(&temps);
  return status;
}

static int32_t give(jf_tvmffi_any* out, int32_t type_index, void* object) {
  if (!object) return -1;
  *out = (jf_tvmffi_any){.type_index = type_index, .v_object = object};
  return 0;
}

static int32_t sequence_from(jf_object* object, jf_tvmffi_any* out, int32_t depth) {
  const int32_t is_list = object->type_code == JF_LIST;
  const size_t count = ((jf_list*)object)->size; /* list and tuple have it at the same place */
  jf_tvmffi_sequence* array = jf_tvmffi_array(count, !is_list);
  for (size_t i = 0; array && i < count; i++) {
    jf_value item = {.type_code = JF_NULL};
    const int64_t at = (int64_t)i;
    int32_t failed = is_list ? jf_list_get(object, at, &item) : jf_tuple_get(object, at, &item);
    if (!failed) failed = jf_tvmffi_from_view(&item, &array->data[i], depth + 1);
    jf_any_release(&item);
    if (!failed) continue;
    jf_tvmffi_release(array);
    return -1;
  }
  return give(out, JF_TVMFFI_ARRAY, array);
}

/* Its maps are its library's, which makes them of keys and values. */
static int32_t map_from(jf_object* object, jf_tvmffi_any* out, int32_t depth) {
  const size_t count = 2 * ((jf_map*)object)->size;
  jf_tvmffi_sequence* items = jf_tvmffi_array(count, 0);
  jf_map_iterator at = {0};
  jf_view pair[2];
  size_t made = 0;
  int32_t failed = !items;
  while (!failed && made < count && jf_map_next(object, &at, &pair[0], &pair[1]) == 1) {
    failed = jf_tvmffi_from_view(&pair[0], &items->data[made++], depth + 1);
    if (!failed) failed = jf_tvmffi_from_view(&pair[1], &items->data[made++], depth + 1);
  }
  if (!failed) failed = jf_tvmffi_call_global(TVMFFI_MAKE_MAP, items->data, made, out);
  if (items) jf_tvmffi_release(items);
  return failed ? -1 : 0;
}

static int32_t host_object_from(jf_object* object, jf_tvmffi_any* out) {
  const jf_tvmffi_host* host = jf_tvmffi_host_now();
  const int32_t is_theirs = host->theirs_of(object, out);
  if (is_theirs != 0) return is_theirs > 0 ? 0 : -1;
  jf_object* array = NULL;
  const int32_t is_array = host->array_of(object, &array);
  if (is_array < 0) return -1;
  if (is_array) {
    const int32_t status = give(out, JF_TVMFFI_TENSOR, jf_tvmffi_tensor_to(array));
    jf_object_release(array);
    return status;
  }
  void* handle = host->handle_of(object);
  if (handle) return give(out, JF_TVMFFI_OPAQUE, jf_tvmffi_opaque(object, handle));
  return give(out, JF_TVMFFI_OBJECT, jf_tvmffi_hold(object));
}

static int32_t object_from(jf_object* object, jf_tvmffi_any* out, int32_t depth) {
  if (depth > TVMFFI_DEPTH) return too_deep();
  const int32_t code = object->type_code;
  if (jf_type_is_a(code, JF_NDARRAY)) return give(out, JF_TVMFFI_TENSOR, jf_tvmffi_tensor_to(object));
  if (jf_type_is_a(code, JF_FUNCTION)) return give(out, JF_TVMFFI_FUNCTION, jf_tvmffi_unwrap(object));
  if (jf_type_is_a(code, JF_ERROR)) return give(out, JF_TVMFFI_ERROR, jf_tvmffi_error_to(object));
  switch (code) {
    case JF_LIST:
    case JF_TUPLE:
      return sequence_from(object, out, depth);
    case JF_MAP:
      return map_from(object, out, depth);
    case JF_SET:
      jf_error_set("TypeError", "tvm-ffi has no set: pass a list of what is in it");
      return -1;
    case JF_SHAPE:
      return give(out, JF_TVMFFI_SHAPE, jf_tvmffi_shape_to(((jf_shape*)object)->data, ((jf_shape*)object)->size));
    default:
      break;
  }
  if (code == JF_HOST_OBJECT && jf_tvmffi_host_now()) return host_object_from(object, out);
  if (code == jf_tvmffi_object_code_now()) {
    jf_tvmffi_object* held = ((jf_box*)object)->v_handle;
    jf_tvmffi_retain(held);
    return give(out, held->type_index, held);
  }
  return give(out, JF_TVMFFI_OBJECT, jf_tvmffi_hold(object));
}

int32_t jf_tvmffi_from_view(const jf_view* view, jf_tvmffi_any* out, int32_t depth) {
  static const int8_t plain[] = {JF_TVMFFI_NONE,    JF_TVMFFI_INT,   JF_TVMFFI_FLOAT,  JF_TVMFFI_BOOL,
                                 JF_TVMFFI_POINTER, JF_TVMFFI_DTYPE, JF_TVMFFI_DEVICE, JF_TVMFFI_DLTENSOR};
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(view, &scratch);
  *out = (jf_tvmffi_any){0};
  if (slot->type_code <= JF_NULL && slot->type_code >= JF_DLTENSOR) {
    out->type_index = plain[JF_NULL - slot->type_code];
    out->v_int64 = slot->v_int64;
    return 0;
  }
  const jf_encoded text = jf_any_text(slot);
  if (text.kind != JF_TEXT_NONE) return text_from(slot, text, out);
  jf_object* object = jf_any_object(slot);
  if (object) return object_from(object, out, depth);
  if (slot->type_code == JF_UINT && jf_tvmffi_has_big_int())
    return give(out, JF_TVMFFI_BIG_INT, jf_tvmffi_big_int_to(slot->v_uint64));
  if (slot->type_code == JF_UINT)
    jf_error_set("OverflowError", "this version of tvm-ffi has no integer above 2**63 - 1");
  else
    jf_error_format("TypeError", "a slot of the unknown code %d", slot->type_code);
  return -1;
}

/* -- theirs to ours ------------------------------------------------------------------------------------------------------ */

static int32_t give_object(jf_value* out, jf_object* object) {
  if (!object) return -1;
  jf_out_object(out, object);
  return 0;
}

static int32_t sequence_to(const jf_tvmffi_object* object, jf_value* out, int32_t depth) {
  const jf_tvmffi_sequence* sequence = (const jf_tvmffi_sequence*)object;
  jf_object* list = jf_list_new((size_t)sequence->size, 1);
  for (int64_t i = 0; list && i < sequence->size; i++) {
    jf_value item = {.type_code = JF_NULL};
    const int32_t failed = jf_tvmffi_to_value(&sequence->data[i], &item, depth + 1) || jf_list_append(list, &item);
    jf_any_release(&item);
    if (!failed) continue;
    jf_object_release(list);
    return -1;
  }
  if (!list || !jf_tvmffi_was_tuple(object)) return give_object(out, list);
  jf_object* tuple = jf_tuple_of(list);
  jf_object_release(list);
  return give_object(out, tuple);
}

/* What an iterator, which is a function, says of its place: 0 the key, 1 the value, 2 whether there is a next one. */
static int32_t ask(const jf_tvmffi_any* iterator, int64_t what, jf_tvmffi_any* out) {
  const jf_tvmffi_any word = {.type_index = JF_TVMFFI_INT, .v_int64 = what};
  *out = (jf_tvmffi_any){0};
  if (((jf_tvmffi_function_object*)iterator->v_object)->call(iterator->v_object, &word, 1, out) == 0) return 0;
  jf_tvmffi_failed();
  return -1;
}

static int32_t pair_to(const jf_tvmffi_any* iterator, jf_object* map, int32_t depth) {
  jf_value pair[2] = {{.type_code = JF_NULL}, {.type_code = JF_NULL}};
  int32_t failed = 0;
  for (int32_t part = 0; part < 2 && !failed; part++) {
    jf_tvmffi_any theirs;
    failed = ask(iterator, part, &theirs);
    if (failed) break;
    failed = jf_tvmffi_to_value(&theirs, &pair[part], depth + 1);
    jf_tvmffi_end(&theirs);
  }
  if (!failed) failed = jf_map_set(map, &pair[0], &pair[1]);
  jf_any_release(&pair[0]);
  jf_any_release(&pair[1]);
  return failed ? -1 : 0;
}

static int32_t map_to(const jf_tvmffi_any* any, jf_value* out, int32_t depth) {
  const uint64_t size = ((const uint64_t*)(const void*)any->v_object)[4]; /* at 32, of a Map and of a Dict */
  jf_tvmffi_any iterator = {0}, more;
  const int32_t which = any->type_index == JF_TVMFFI_MAP ? TVMFFI_MAP_ITERATOR : TVMFFI_DICT_ITERATOR;
  if (jf_tvmffi_call_global(which, any, 1, &iterator) != 0) return -1;
  jf_object* map = jf_map_new((size_t)size, 1);
  int32_t failed = !map;
  for (uint64_t i = 0; i < size && !failed; i++) {
    failed = pair_to(&iterator, map, depth);
    if (!failed && i + 1 < size) failed = ask(&iterator, 2, &more);
  }
  jf_tvmffi_end(&iterator);
  if (failed && map) jf_object_release(map);
  return failed ? -1 : give_object(out, map);
}

static void delete_held(jf_object* object) {
  jf_tvmffi_release(((jf_box*)object)->v_handle);
  jf_object_free(object);
}

/* Its object as one of ours, which holds it. */
static int32_t hold(jf_tvmffi_object* object, jf_value* out) {
  jf_object* ours = jf_tvmffi_held(object);
  if (ours) return give_object(out, ours);
  const jf_tvmffi_host* host = jf_tvmffi_host_now();
  if (object->type_index == JF_TVMFFI_OPAQUE && host)
    return give_object(out, host->object_of(((jf_tvmffi_opaque_object*)object)->handle));
  const int32_t code = jf_tvmffi_object_code();
  jf_box* box = code ? jf_object_new(sizeof *box, code, delete_held) : NULL;
  if (!box) return -1;
  jf_tvmffi_retain(object);
  box->v_handle = object;
  return give_object(out, &box->header);
}

static int32_t object_to(const jf_tvmffi_any* any, jf_value* out, int32_t depth) {
  jf_tvmffi_object* object = any->v_object;
  const jf_span* text = &((jf_tvmffi_text*)object)->text;
  const jf_tvmffi_shape* shape = (const jf_tvmffi_shape*)object;
  if (depth > TVMFFI_DEPTH) return too_deep();
  switch (any->type_index) {
    case JF_TVMFFI_STR:
      return jf_out_str(out, text->data, text->size);
    case JF_TVMFFI_BYTES:
      return jf_out_bytes(out, text->data, text->size);
    case JF_TVMFFI_BIG_INT:
      if (jf_tvmffi_big_int_from(object, &out->v_uint64) != 0) return out->v_uint64 = 0, -1;
      out->type_code = JF_UINT;
      out->small_len = 0;
      return 0;
    case JF_TVMFFI_ERROR:
      return give_object(out, jf_tvmffi_error_from(object));
    case JF_TVMFFI_FUNCTION:
      return give_object(out, jf_tvmffi_wrap(object));
    case JF_TVMFFI_SHAPE:
      return give_object(out, jf_shape_new(shape->data, shape->size));
    case JF_TVMFFI_TENSOR:
      return give_object(out, jf_tvmffi_tensor_from(object));
    case JF_TVMFFI_ARRAY:
    case JF_TVMFFI_LIST:
      return sequence_to(object, out, depth);
    case JF_TVMFFI_MAP:
    case JF_TVMFFI_DICT:
      return map_to(any, out, depth);
    default:
      return hold(object, out);
  }
}

int32_t jf_tvmffi_to_value(const jf_tvmffi_any* any, jf_value* out, int32_t depth) {
  static const int8_t plain[] = {JF_NULL, JF_INT, JF_BOOL, JF_FLOAT, JF_HANDLE, JF_DTYPE, JF_DEVICE, JF_DLTENSOR};
  if (any->type_index >= JF_TVMFFI_OBJECT) return object_to(any, out, depth);
  if (any->type_index >= 0 && any->type_index <= JF_TVMFFI_DLTENSOR) {
    const int32_t is_pointer = any->type_index == JF_TVMFFI_POINTER || any->type_index == JF_TVMFFI_DLTENSOR;
    out->type_code = is_pointer && !any->v_pointer ? JF_NULL : plain[any->type_index];
    out->small_len = 0;
    out->v_int64 = any->v_int64;
    return 0;
  }
  jf_tvmffi_any object = {0};
  switch (any->type_index) {
    case JF_TVMFFI_RAW_STR:
      return jf_out_str(out, any->v_pointer, strlen(any->v_pointer));
    case JF_TVMFFI_BYTE_ARRAY:
      return jf_out_bytes(out, any->v_span->data, any->v_span->size);
    case JF_TVMFFI_SMALL_STR:
    case JF_TVMFFI_SMALL_BYTES:
      if (any->small_len >= sizeof any->v_bytes) break;
      return any->type_index == JF_TVMFFI_SMALL_STR ? jf_out_str(out, any->v_bytes, any->small_len)
                                                    : jf_out_bytes(out, any->v_bytes, any->small_len);
    case JF_TVMFFI_RVALUE:
      object.v_object = *any->v_rvalue;
      if (object.v_object) object.type_index = object.v_object->type_index;
      return jf_tvmffi_to_value(&object, out, depth);
    default:
      break;
  }
  jf_error_format("TypeError", "a value of tvm-ffi's unknown type index %d", any->type_index);
  return -1;
}

/* -- arguments and results of one call ----------------------------------------------------------------------------------- */

static void release_object(void* object) { jf_object_release(object); }

int32_t jf_tvmffi_view(const jf_tvmffi_any* any, jf_view* view, jf_temps* temps) {
  const int32_t code = any->type_index;
  jf_value made = {.type_code = JF_NULL};
  if (code == JF_TVMFFI_STR || code == JF_TVMFFI_BYTES) {
    *view = (jf_view){.type_code = code == JF_TVMFFI_STR ? JF_STR_VIEW : JF_BYTE_ARRAY};
    view->v_span = &((jf_tvmffi_text*)any->v_object)->text;
    return 0;
  }
  if (code == JF_TVMFFI_RAW_STR || code == JF_TVMFFI_BYTE_ARRAY) {
    *view = (jf_view){.type_code = code == JF_TVMFFI_RAW_STR ? JF_RAW_STR : JF_BYTE_ARRAY};
    view->v_handle = any->v_pointer;
    if (!any->v_pointer) view->type_code = JF_NULL;
    return 0;
  }
  if (jf_tvmffi_to_value(any, &made, 0) != 0) return -1;
  *view = made;
  jf_object* object = jf_any_object(view);
  return object ? jf_temps_add(temps, object, release_object) : 0;
}

int32_t jf_tvmffi_argument(jf_view* view, jf_temps* temps) {
  jf_tvmffi_any made;
  if (jf_tvmffi_from_view(view, &made, 0) != 0) return -1;
  memcpy(view, &made, sizeof made);
  return made.type_index >= JF_TVMFFI_OBJECT ? jf_temps_add(temps, made.v_object, jf_tvmffi_release) : 0;
}

int32_t jf_tvmffi_give(jf_value* value, jf_tvmffi_any* result) {
  const int32_t status = jf_tvmffi_from_view(value, result, 0);
  jf_any_release(value);
  return status;
}

int32_t jf_tvmffi_take(jf_tvmffi_any* result, jf_value* out) {
  int32_t status = -1;
  if (result->type_index < JF_TVMFFI_OBJECT && result->type_index >= JF_TVMFFI_DLTENSOR &&
      result->type_index <= JF_TVMFFI_RVALUE)
    jf_error_format("TypeError", "a result of tvm-ffi's type index %d, which no result has", result->type_index);
  else
    status = jf_tvmffi_to_value(result, out, 0);
  jf_tvmffi_end(result);
  return status;
}
