/* tvm-ffi's convention: C by its ABI's layouts, without its library. */
#include "jitffi/containers.h"
#include "jitffi/module.h"
#include "jitffi/tvm_ffi.h"
#include "testhelper.h"

#include <string.h>

/* -- code of the convention, as others make it -- */

static jf_tvmffi_any seen[32];

/* Gives back its first argument, with a reference where it is an object. */
static int32_t first(void* self, const jf_tvmffi_any* args, int32_t count, jf_tvmffi_any* result) {
  (void)self;
  memcpy(seen, args, (size_t)count * sizeof *args);
  if (count == 0) return -1; /* without an error */
  *result = args[0];
  if (args[0].type_index >= JF_TVMFFI_OBJECT) args[0].v_object->ref_count++;
  return 0;
}

static int32_t sum(void* self, const jf_tvmffi_any* args, int32_t count, jf_tvmffi_any* result) {
  int64_t total = self ? *(const int64_t*)self : 0;
  for (int32_t i = 0; i < count; i++) total += args[i].v_int64;
  *result = (jf_tvmffi_any){.type_index = JF_TVMFFI_INT, .v_int64 = total};
  return 0;
}

static jf_view view(int32_t code, uint64_t payload) {
  jf_view made = {.type_code = code};
  made.v_uint64 = payload;
  return made;
}

static jf_view of_object(jf_object* object) {
  jf_view made = {.type_code = JF_OBJECT};
  made.v_object = object;
  return made;
}

/* There and back through a callee of the convention; which type it saw. */
static int32_t there_and_back(jf_view given, jf_value* out) {
  jf_object* function = jf_tvmffi_function(first, NULL, NULL, NULL, NULL);
  CHECK(jf_function_call(function, 1, &given, out) == 0);
  jf_object_release(function);
  return seen[0].type_index;
}

static int32_t has_text(const jf_value* slot, const char* text) {
  jf_span span = {NULL, 0};
  jf_temps temps = {NULL};
  const int32_t failed = jf_lift_str(NULL, 0, slot, &span, &temps);
  const int32_t same = !failed && span.size == strlen(text) && memcmp(span.data, text, span.size) == 0;
  jf_temps_release(&temps);
  return same;
}

static void test_values_there_and_back(void) {
  jf_value out = {.type_code = JF_NULL};
  CHECK(there_and_back(view(JF_INT, 7), &out) == JF_TVMFFI_INT && out.type_code == JF_INT && out.v_int64 == 7);
  out.type_code = JF_NULL;
  CHECK(there_and_back(view(JF_BOOL, 1), &out) == JF_TVMFFI_BOOL && out.type_code == JF_BOOL);
  out = (jf_value){.type_code = JF_NULL};
  CHECK(there_and_back(view(JF_NULL, 0), &out) == JF_TVMFFI_NONE && out.type_code == JF_NULL);
  jf_view text = view(JF_RAW_STR, 0);
  text.v_handle = "short";
  CHECK(there_and_back(text, &out) == JF_TVMFFI_SMALL_STR && seen[0].small_len == 5 && has_text(&out, "short"));
  jf_any_release(&out);
  out = (jf_value){.type_code = JF_NULL};
  CHECK(there_and_back(view(JF_UINT, UINT64_MAX), &out) == JF_TVMFFI_BIG_INT && out.type_code == JF_UINT);
  CHECK(out.v_uint64 == UINT64_MAX);
  out = (jf_value){.type_code = JF_NULL};
  text.v_handle = "text that is long";
  CHECK(there_and_back(text, &out) == JF_TVMFFI_STR && has_text(&out, "text that is long"));
  jf_any_release(&out);
}

static void test_containers_and_objects_there_and_back(void) {
  jf_value out = {.type_code = JF_NULL};
  const jf_view items[] = {view(JF_INT, 1), view(JF_FLOAT, 0)};
  jf_object* tuple = jf_tuple_new(items, 2);
  CHECK(there_and_back(of_object(tuple), &out) == JF_TVMFFI_ARRAY);
  CHECK(out.v_object->type_code == JF_TUPLE && ((jf_tuple*)out.v_object)->size == 2);
  jf_any_release(&out);
  jf_object* list = jf_list_new(0, 1);
  jf_value in_list = of_object(tuple);
  CHECK(jf_list_append(list, &in_list) == 0);
  CHECK(there_and_back(of_object(list), &out) == JF_TVMFFI_ARRAY && out.v_object->type_code == JF_LIST);
  jf_any_release(&out);
  jf_object_release(list);
  const int64_t lengths[] = {2, 3};
  jf_object* shape = jf_shape_new(lengths, 2);
  CHECK(there_and_back(of_object(shape), &out) == JF_TVMFFI_SHAPE && ((jf_shape*)out.v_object)->data[1] == 3);
  jf_any_release(&out);
  jf_object_release(shape);
  jf_object* array = jf_ndarray_new(2, lengths, (jf_dtype){JF_DL_FLOAT, 32, 1}, 0);
  jf_view given = of_object(array);
  given.type_code = JF_NDARRAY;
  CHECK(there_and_back(given, &out) == JF_TVMFFI_TENSOR && out.v_object == array);
  jf_any_release(&out);
  jf_object_release(array);
  jf_object* module = jf_system_library(NULL); /* it has no type for these */
  given = of_object(module);
  given.type_code = JF_MODULE;
  CHECK(there_and_back(given, &out) == JF_TVMFFI_OBJECT && out.v_object == module);
  jf_any_release(&out);
  jf_object_release(module);
  jf_object_release(tuple);
}

static int32_t ended;

static void end(void* owner) {
  (void)owner;
  ended++;
}

static void test_functions_both_ways(void) {
  int64_t start = 30;
  jf_value out = {.type_code = JF_NULL};
  const jf_view args[] = {view(JF_INT, 5), view(JF_INT, 7)};
  jf_object* ours = jf_tvmffi_function(sum, &start, &start, end, NULL);
  CHECK(jf_function_call(ours, 2, args, &out) == 0 && out.v_int64 == 42);
  void* self = NULL;
  CHECK(jf_tvmffi_target(ours, &self) == sum && self == &start);
  out = (jf_value){.type_code = JF_NULL};
  CHECK(jf_tvmffi_invoke(sum, NULL, 2, args, &out) == 0 && out.v_int64 == 12);
  /* ours is one of theirs, which is one of ours again */
  jf_tvmffi_function_object* theirs = jf_tvmffi_unwrap(ours);
  jf_object* again = jf_tvmffi_wrap(theirs);
  out = (jf_value){.type_code = JF_NULL};
  CHECK(jf_function_call(again, 2, args, &out) == 0 && out.v_int64 == 42);
  void* same = jf_tvmffi_unwrap(again);
  CHECK(same == theirs);
  jf_tvmffi_release(same);
  jf_tvmffi_retain(theirs);
  jf_tvmffi_release(theirs);
  jf_object_release(again);
  const jf_tvmffi_any given = {.type_index = JF_TVMFFI_INT, .v_int64 = 12};
  jf_tvmffi_any result = {0};
  CHECK(theirs->call(theirs, &given, 1, &result) == 0 && result.type_index == JF_TVMFFI_INT && result.v_int64 == 42);
  jf_object_release(ours);
  CHECK(ended == 0);
  theirs->header.deleter(theirs, 3); /* the last reference */
  CHECK(ended == 1);
}

static int32_t joined(jf_function* self, int32_t count, const jf_view* args, jf_value* out) {
  (void)self;
  return count == 1 ? jf_any_retain(&args[0], out) : (jf_error_set("TypeError", "joined: expected one"), -1);
}

static void test_an_entry_takes_what_an_any_can_be(void) {
  jf_object* function = jf_function_new(joined, NULL, NULL, NULL);
  const jf_span bytes = {"by\0tes", 6};
  jf_tvmffi_any given = {.type_index = JF_TVMFFI_BYTE_ARRAY, .v_span = &bytes}, result = {0};
  CHECK(jf_tvmffi_entry(function, &given, 1, &result) == 0 && result.type_index == JF_TVMFFI_SMALL_BYTES);
  CHECK(result.small_len == 6 && memcmp(result.v_bytes, "by\0tes", 7) == 0);
  given = (jf_tvmffi_any){.type_index = JF_TVMFFI_RAW_STR, .v_pointer = "text that is long"};
  result = (jf_tvmffi_any){0};
  CHECK(jf_tvmffi_entry(function, &given, 1, &result) == 0 && result.type_index == JF_TVMFFI_STR);
  CHECK(strcmp(((jf_tvmffi_text*)result.v_object)->text.data, "text that is long") == 0);
  jf_view borrowed;
  jf_temps temps = {NULL};
  CHECK(jf_tvmffi_view(&result, &borrowed, &temps) == 0 && borrowed.type_code == JF_STR_VIEW);
  CHECK(jf_tvmffi_argument(&borrowed, &temps) == 0 && borrowed.type_code == JF_TVMFFI_STR);
  jf_temps_release(&temps);
  jf_value out = {.type_code = JF_NULL};
  CHECK(jf_tvmffi_take(&result, &out) == 0 && result.type_index == JF_TVMFFI_NONE &&
        has_text(&out, "text that is long"));
  CHECK(jf_tvmffi_give(&out, &result) == 0 && out.type_code == JF_NULL && result.type_index == JF_TVMFFI_STR);
  result.v_object->deleter(result.v_object, 3);
  given = (jf_tvmffi_any){.type_index = 13};
  CHECK(jf_tvmffi_entry(function, &given, 1, &result) == -1);
  CHECK_ERROR("TypeError: a value of tvm-ffi's unknown type index 13");
  jf_object_release(function);
}

/* -- without its library -- */

static void test_without_its_library(void) {
  CHECK(jf_tvmffi_open() == -1);
  CHECK_ERROR("ImportError: tvm-ffi is not loaded in this process: import tvm_ffi first");
  CHECK(jf_tvmffi_global_get("any") == NULL);
  CHECK_ERROR("ImportError: tvm-ffi is not loaded in this process: import tvm_ffi first");
  jf_object* function = jf_tvmffi_function(first, NULL, NULL, NULL, NULL);
  CHECK(jf_tvmffi_global_set("any", function, 0) == -1);
  jf_object_release(jf_error_take());
  CHECK(jf_tvmffi_global_set_described("any", function, "{}", "any", 0) == -1);
  jf_object_release(jf_error_take());
  jf_value out = {.type_code = JF_NULL};
  CHECK(jf_function_call(function, 0, NULL, &out) == -1);
  CHECK_ERROR("RuntimeError: a function of tvm-ffi's convention failed without an error");
  jf_object_release(function);
  jf_error_set("ValueError", "stays");
  jf_tvmffi_raise();
  jf_tvmffi_failed();
  CHECK_ERROR("ValueError: stays");
}

static int32_t take_hosts(void) {
  jf_error_set("KeyError", "of the host");
  return 1;
}

static int64_t hosts; /* what a handle of the host is the address of */

static jf_object* object_of(void* handle) { return jf_shape_new(handle, 1); }

static jf_tvmffi_object their_object = {.ref_count = 1, .type_index = 200};

static int32_t theirs_of(const jf_object* object, jf_tvmffi_any* out) {
  if (*(int64_t*)((const jf_host_object*)object)->handle != 5) return 0;
  their_object.ref_count++;
  *out = (jf_tvmffi_any){.type_index = 200, .v_object = &their_object};
  return 1;
}

static void traceback_of(jf_object* error, jf_value* out) {
  (void)error;
  (void)out;
}

static int32_t array_of(const jf_object* object, jf_object** out) {
  const jf_host_object* host = (const jf_host_object*)object;
  if (*(int64_t*)host->handle != 3) return 0;
  *out = jf_ndarray_new(1, host->handle, (jf_dtype){JF_DL_FLOAT, 32, 1}, 0);
  return *out ? 1 : -1;
}

static void* handle_of(const jf_object* object) {
  const jf_host_object* host = (const jf_host_object*)object;
  return host->owner == &hosts ? host->handle : NULL;
}

static void test_errors_and_objects_of_the_host(void) {
  static const jf_tvmffi_host host = {take_hosts, object_of, theirs_of, array_of, traceback_of, handle_of};
  jf_tvmffi_set_host(&host);
  jf_tvmffi_failed();
  CHECK_ERROR("KeyError: of the host");
  int64_t number = 7;
  jf_object* ours = jf_host_object_new(&hosts, &number, jf_object_free);
  jf_value out = {.type_code = JF_NULL};
  CHECK(there_and_back(of_object(ours), &out) == JF_TVMFFI_OPAQUE && out.v_object == ours); /* as itself */
  jf_any_release(&out);
  number = 5;
  CHECK(there_and_back(of_object(ours), &out) == 200);
  jf_any_release(&out);
  CHECK(their_object.ref_count == 1);
  number = 3;
  CHECK(there_and_back(of_object(ours), &out) == JF_TVMFFI_TENSOR && out.type_code == JF_NDARRAY);
  jf_any_release(&out);
  number = 7;
  jf_object_release(ours);
  jf_tvmffi_opaque_object theirs = {.header = {.ref_count = 1, .type_index = JF_TVMFFI_OPAQUE}, .handle = &number};
  jf_tvmffi_any any = {.type_index = JF_TVMFFI_OPAQUE, .v_object = &theirs.header};
  CHECK(jf_tvmffi_take(&any, &out) == 0 && ((jf_shape*)out.v_object)->data[0] == 7);
  jf_any_release(&out);
  jf_tvmffi_set_host(NULL);
}

static void test_an_object_that_there_is_no_type_for(void) {
  jf_tvmffi_object theirs = {.ref_count = 1, .type_index = 200};
  jf_tvmffi_any any = {.type_index = 200, .v_object = &theirs};
  jf_value held = {.type_code = JF_NULL}, out = {.type_code = JF_NULL};
  jf_tvmffi_any given = any;
  theirs.ref_count++;
  CHECK(jf_tvmffi_take(&given, &held) == 0);
  CHECK(strcmp(jf_type_key(held.v_object->type_code), "jitffi.TvmFfiObject") == 0 && theirs.ref_count == 2);
  CHECK(jf_tvmffi_get(held.v_object, "x", &out) == -1);
  CHECK_ERROR("ImportError: tvm-ffi is not loaded in this process: import tvm_ffi first");
  CHECK(jf_tvmffi_set(held.v_object, "x", &held) == -1);
  CHECK_ERROR("ImportError: tvm-ffi is not loaded in this process: import tvm_ffi first");
  jf_any_release(&held);
  jf_object* other = jf_tuple_new(NULL, 0);
  CHECK(jf_tvmffi_get(other, "x", &out) == -1);
  CHECK_ERROR("TypeError: expected an object of tvm-ffi's");
  jf_object_release(other);
  CHECK(theirs.ref_count == 1);
}

/* The type that holds its objects, with its methods, stays once it is there. */
static void hold_one(void) {
  jf_tvmffi_object theirs = {.ref_count = 2, .type_index = 200};
  jf_tvmffi_any any = {.type_index = 200, .v_object = &theirs};
  jf_value held = {.type_code = JF_NULL};
  CHECK(jf_tvmffi_take(&any, &held) == 0);
  jf_any_release(&held);
}

int main(void) {
  hold_one();
  RUN(test_values_there_and_back);
  RUN(test_containers_and_objects_there_and_back);
  RUN(test_functions_both_ways);
  RUN(test_an_entry_takes_what_an_any_can_be);
  RUN(test_without_its_library);
  RUN(test_errors_and_objects_of_the_host);
  RUN(test_an_object_that_there_is_no_type_for);
  return finish();
}
