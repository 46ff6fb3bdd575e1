/* The packed convention of before: C as TVM's generated callers and callees have it. */
#include "jitffi/containers.h"
#include "jitffi/legacy.h"
#include "testhelper.h"

#include <string.h>

/* -- as code that TVM generated: reads codes and values, writes one of each -- */

static int32_t sum(void* args, int32_t* codes, int32_t count, void* out, int32_t* out_code, void* resource) {
  const jf_legacy_value* values = args;
  double total = resource ? *(const double*)resource : 0;
  for (int32_t i = 0; i < count; i++) {
    if (codes[i] == JF_LEGACY_INT) {
      total += (double)values[i].v_int64;
    } else if (codes[i] == JF_LEGACY_FLOAT) {
      total += values[i].v_float64;
    } else {
      jf_error_set("TypeError", "sum: expected numbers");
      return -1;
    }
  }
  ((jf_legacy_value*)out)->v_float64 = total;
  *out_code = JF_LEGACY_FLOAT;
  return 0;
}

static int32_t seen_codes[32];

/* Gives back its first argument, with a reference where it is an object. */
static int32_t first(void* self, int32_t count, const int32_t* codes, const jf_legacy_value* values, int32_t* out_code,
                     jf_legacy_value* out) {
  (void)self;
  memcpy(seen_codes, codes, (size_t)count * sizeof *codes);
  if (count == 0) return -1; /* without an error */
  *out_code = codes[0];
  *out = values[0];
  if (codes[0] >= JF_LEGACY_OBJECT && codes[0] <= JF_LEGACY_FUNCTION) jf_object_retain(values[0].v_handle);
  if (codes[0] == JF_LEGACY_NDARRAY) jf_object_retain(jf_ndarray_of_tensor(values[0].v_handle));
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

/* There and back through a callee of the convention; which code it saw. */
static int32_t there_and_back(jf_view given, jf_value* out) {
  jf_object* function = jf_legacy_function(first, NULL, NULL, NULL, NULL, NULL);
  CHECK(jf_function_call(function, 1, &given, out) == 0);
  jf_object_release(function);
  return seen_codes[0];
}

static void test_values(void) {
  jf_value out = {.type_code = JF_NULL};
  CHECK(there_and_back(view(JF_INT, (uint64_t)-7), &out) == JF_LEGACY_INT && out.type_code == JF_INT &&
        out.v_int64 == -7);
  jf_out_init(&out, 0);
  CHECK(there_and_back(view(JF_BOOL, 1), &out) == JF_LEGACY_INT && out.v_int64 == 1);
  jf_out_init(&out, 0);
  CHECK(there_and_back(view(JF_UINT, UINT64_MAX), &out) == JF_LEGACY_UINT && out.type_code == JF_UINT);
  jf_out_init(&out, 0);
  CHECK(there_and_back(view(JF_HANDLE, 4096), &out) == JF_LEGACY_HANDLE && out.type_code == JF_HANDLE);
  jf_out_init(&out, 0);
  CHECK(there_and_back(view(JF_NULL, 0), &out) == JF_LEGACY_NULL && out.type_code == JF_NULL);
  jf_view dtype = {.type_code = JF_DTYPE}, device = {.type_code = JF_DEVICE};
  dtype.v_dtype = (jf_dtype){2, 32, 4};
  device.v_device = (jf_device){2, 1};
  CHECK(there_and_back(dtype, &out) == JF_LEGACY_DTYPE && out.v_dtype.lanes == 4);
  jf_out_init(&out, 0);
  CHECK(there_and_back(device, &out) == JF_LEGACY_DEVICE && out.v_device.device_id == 1);
}

static void test_text(void) {
  jf_value out = {.type_code = JF_NULL};
  jf_view small = {.type_code = JF_SMALL_STR, .small_len = 3};
  memcpy(small.v_bytes, "abc", 4);
  CHECK(there_and_back(small, &out) == JF_LEGACY_STR && out.type_code == JF_SMALL_STR && out.small_len == 3);
  jf_any_release(&out);
  jf_span text = {"a text without its end", 6}, bytes = {"a\0b", 3}, bad = {"a\0b", 3};
  jf_view given = {.type_code = JF_STR_VIEW};
  given.v_span = &text;
  CHECK(there_and_back(given, &out) == JF_LEGACY_STR && out.small_len == 6 && memcmp(out.v_bytes, "a text", 6) == 0);
  jf_any_release(&out);
  given.type_code = JF_BYTE_ARRAY;
  given.v_span = &bytes;
  CHECK(there_and_back(given, &out) == JF_LEGACY_BYTES && out.type_code == JF_SMALL_BYTES && out.small_len == 3);
  jf_any_release(&out);
  given.type_code = JF_STR_VIEW;
  given.v_span = &bad;
  jf_object* function = jf_legacy_function(first, NULL, NULL, NULL, NULL, NULL);
  CHECK(jf_function_call(function, 1, &given, &out) == -1);
  jf_object_release(jf_error_take());
  CHECK(jf_function_call(function, 0, &given, &out) == -1); /* the callee sets no error */
  CHECK_ERROR("RuntimeError: a packed function failed without setting an error");
  jf_object_release(function);
}

static void test_objects(void) {
  jf_value out = {.type_code = JF_NULL};
  jf_object* list = jf_list_new(0, -1);
  CHECK(there_and_back(of_object(list), &out) == JF_LEGACY_OBJECT && out.v_object == list && list->ref_count == 2);
  jf_any_release(&out);
  jf_object* function = jf_legacy_function(first, NULL, NULL, NULL, NULL, NULL);
  jf_view given = {.type_code = JF_FUNCTION};
  given.v_object = function;
  CHECK(there_and_back(given, &out) == JF_LEGACY_FUNCTION && out.type_code == JF_FUNCTION && out.v_object == function);
  jf_any_release(&out);
  jf_object* moved = list;
  jf_view rvalue = {.type_code = JF_RVALUE};
  rvalue.v_rvalue = &moved;
  CHECK(jf_function_call(function, 1, &rvalue, &out) == -1 && seen_codes[0] == JF_LEGACY_RVALUE);
  CHECK_ERROR("TypeError: function: result: expected a type code that results have, got type code 14");
  jf_object_release(function);
  jf_object_release(list);
}

static int32_t echo(jf_function* self, int32_t count, const jf_view* args, jf_value* out) {
  (void)self;
  if (count != 1) {
    jf_error_set("ValueError", "echo takes one");
    return -1;
  }
  return jf_any_retain(args, out);
}

static int32_t num_deleted;
static void count_deleted(void* owner) { *(int32_t*)owner += 1; }

static void test_called_by_the_convention(void) {
  jf_object* function = jf_function_new(echo, NULL, NULL, NULL);
  jf_object* list = jf_list_new(0, -1);
  const char* long_text =
      "a text that is too long for any slot there is, be it as long as it may: it has more than a hundred and twenty "
      "bytes, and goes on";
  const jf_span bytes = {"x\0y", 3};
  int32_t code = JF_LEGACY_STR, out_code = -1;
  jf_legacy_value value = {.v_str = long_text}, out;
  CHECK(jf_legacy_entry(function, 1, &code, &value, &out_code, &out) == 0 && out_code == JF_LEGACY_STR);
  CHECK(strcmp(out.v_str, long_text) == 0 && out.v_str != long_text);
  value.v_str = "b";
  CHECK(jf_tvm_entry(&value, &code, 1, &out, &out_code, function) == 0 && strcmp(out.v_str, "b") == 0);
  code = JF_LEGACY_BYTES;
  value.v_handle = (void*)(uintptr_t)&bytes;
  CHECK(jf_legacy_entry(function, 1, &code, &value, &out_code, &out) == 0 && out_code == JF_LEGACY_BYTES);
  CHECK(((jf_span*)out.v_handle)->size == 3 && memcmp(((jf_span*)out.v_handle)->data, "x\0y", 3) == 0);
  code = JF_LEGACY_OBJECT;
  value.v_handle = list;
  CHECK(jf_legacy_entry(function, 1, &code, &value, &out_code, &out) == 0 && out.v_handle == list &&
        list->ref_count == 2);
  jf_object_release(list);
  code = JF_LEGACY_BOOL;
  value.v_int64 = 1;
  CHECK(jf_legacy_entry(function, 1, &code, &value, &out_code, &out) == 0 && out_code == JF_LEGACY_INT &&
        out.v_int64 == 1);
  code = 99;
  CHECK(jf_legacy_entry(function, 1, &code, &value, &out_code, &out) == -1 && out_code == JF_LEGACY_NULL);
  CHECK_ERROR("TypeError: function: argument 1: expected a type code of the convention, got type code 99");
  CHECK(jf_legacy_entry(function, 0, &code, &value, &out_code, &out) == -1);
  CHECK_ERROR("ValueError: echo takes one");
  jf_object_release(list);
  jf_object_release(function);
}

static void test_tvm_functions(void) {
  double start = 0.5;
  jf_object* function = jf_tvm_function(sum, &start, &num_deleted, count_deleted, NULL, NULL);
  jf_view args[20];
  for (int32_t i = 0; i < 20; i++) args[i] = view(JF_INT, (uint64_t)i);
  jf_value out = {.type_code = JF_NULL};
  CHECK(jf_function_call(function, 20, args, &out) == 0 && out.type_code == JF_FLOAT && out.v_float64 == 190.5);
  args[3] = view(JF_NULL, 0);
  jf_out_init(&out, 0);
  CHECK(jf_function_call(function, 20, args, &out) == -1);
  CHECK_ERROR("TypeError: sum: expected numbers");
  CHECK(jf_global_set("test.legacy.sum", function, 0) == 0);
  jf_object_release(function);
  CHECK(num_deleted == 0 && jf_global_remove("test.legacy.sum") == 0 && num_deleted == 1);
}

/* As TVM generates it for two arrays of float32 and a number: codes, ranks, types and shapes are asserted before the loop, and
 * whatever has a tensor behind its handle will do. */
static int32_t has_code_of_a_tensor(int32_t code) {
  return code == JF_LEGACY_HANDLE || code == JF_LEGACY_TENSOR || code == JF_LEGACY_NDARRAY;
}
static int32_t scale(void* args, int32_t* codes, int32_t count, void* out, int32_t* out_code, void* resource) {
  (void)out, (void)out_code, (void)resource;
  const jf_legacy_value* values = args;
  const char* wrong = NULL;
  if (count != 3) wrong = "num_args should be 3";
  if (!wrong) memcpy(seen_codes, codes, 3 * sizeof *codes);
  for (int32_t i = 0; !wrong && i < 2; i++) {
    const jf_dltensor* tensor = values[i].v_handle;
    if (!has_code_of_a_tensor(codes[i]))
      wrong = "expect arg to be pointer";
    else if (tensor->ndim != 1 || tensor->dtype.code != JF_DL_FLOAT || tensor->dtype.bits != 32)
      wrong = "ndim or dtype is expected to be another";
    else if (tensor->strides && tensor->strides[0] != 1)
      wrong = "expected to be compact array";
  }
  if (wrong) {
    jf_error_format("RuntimeError", "Assert fail: scale: %s", wrong);
    return -1;
  }
  const jf_dltensor *from = values[0].v_handle, *to = values[1].v_handle;
  for (int64_t i = 0; i < to->shape[0]; i++)
    ((float*)to->data)[i] = ((const float*)from->data)[i] * (float)values[2].v_float64;
  return 0;
}

static void test_a_callee_as_tvm_generates_it(void) {
  jf_object* function = jf_tvm_function(scale, NULL, NULL, NULL, "scale", NULL);
  const int64_t shape[] = {3};
  jf_object* array = jf_ndarray_new(1, shape, (jf_dtype){JF_DL_FLOAT, 32, 1}, 0);
  float from[3] = {1, 2, 3};
  int64_t dims[1] = {3};
  jf_dltensor tensor = {from, {JF_CPU, 0}, 1, {JF_DL_FLOAT, 32, 1}, dims, NULL, 0};
  jf_view args[3] = {{.type_code = JF_DLTENSOR}, of_object(array), {.type_code = JF_FLOAT}};
  args[0].v_handle = &tensor;
  args[2].v_float64 = 0.5;
  jf_value out = {.type_code = JF_NULL};
  CHECK(jf_function_call(function, 3, args, &out) == 0 && out.type_code == JF_NULL);
  CHECK(seen_codes[0] == JF_LEGACY_TENSOR && seen_codes[1] == JF_LEGACY_NDARRAY && seen_codes[2] == JF_LEGACY_FLOAT);
  CHECK(((float*)jf_ndarray_tensor(array)->data)[2] == 1.5f && array->ref_count == 1);
  tensor.dtype.bits = 64;
  CHECK(jf_function_call(function, 3, args, &out) == -1);
  CHECK_ERROR("RuntimeError: Assert fail: scale: ndim or dtype is expected to be another");
  CHECK(jf_function_call(function, 2, args, &out) == -1);
  CHECK_ERROR("RuntimeError: Assert fail: scale: num_args should be 3");
  jf_object_release(array);
  jf_object_release(function);
}

static int32_t first_code; /* which the packed function below has seen */
static int32_t look(jf_function* self, int32_t count, const jf_view* args, jf_value* out) {
  first_code = args[0].type_code;
  return echo(self, count - 1, args + 1, out);
}

static void asleep(jf_object* object) { (void)object; }

/* As TVM's generated code calls packed functions: values and codes on its stack, what it gets in places of its own. */
static void test_a_caller_as_tvm_generates_it(void) {
  jf_object* function = jf_function_new(look, NULL, NULL, NULL);
  const int64_t shape[] = {3};
  jf_object* array = jf_ndarray_new(1, shape, (jf_dtype){JF_DL_FLOAT, 32, 1}, 0);
  struct { /* TVM's container: a head with a deleter of its own, and the tensor */
    jf_object head;
    jf_dltensor tensor;
  } theirs = {{.type_code = 2, .ref_count = 1}, *jf_ndarray_tensor(array)};
  jf_legacy_value stack_value[2] = {{.v_handle = &theirs.tensor}, {.v_int64 = 5}}, ret;
  int32_t stack_tcode[2] = {JF_LEGACY_TENSOR, JF_LEGACY_INT}, ret_tcode = -1;
  CHECK(jf_tvm_entry(stack_value, stack_tcode, 2, &ret, &ret_tcode, function) == 0 && ret.v_int64 == 5);
  CHECK(first_code == JF_DLTENSOR && ret_tcode == JF_LEGACY_INT);
  stack_tcode[0] = JF_LEGACY_NDARRAY;
  CHECK(jf_tvm_entry(stack_value, stack_tcode, 2, &ret, &ret_tcode, function) == 0 && first_code == JF_DLTENSOR);
  for (int i = 0; i < 2; i++) { /* what goes out as an nd-array comes back as that one */
    stack_value[i].v_handle = jf_ndarray_tensor(array);
    stack_tcode[i] = JF_LEGACY_NDARRAY;
  }
  CHECK(jf_tvm_entry(stack_value, stack_tcode, 2, &ret, &ret_tcode, function) == 0 && first_code == JF_NDARRAY);
  CHECK(ret_tcode == JF_LEGACY_NDARRAY && ret.v_handle == jf_ndarray_tensor(array) && array->ref_count == 2);
  jf_object_release(array);
  const jf_deleter own = array->deleter;
  array->deleter = asleep; /* a host has an object of it, which sleeps: it is an nd-array all the same */
  CHECK(jf_tvm_entry(stack_value, stack_tcode, 2, &ret, &ret_tcode, function) == 0 && first_code == JF_NDARRAY);
  jf_object_release(array);
  array->deleter = own;
  stack_tcode[1] = JF_LEGACY_TENSOR; /* a tensor that is borrowed is no result */
  CHECK(jf_tvm_entry(stack_value, stack_tcode, 2, &ret, &ret_tcode, function) == -1 && ret_tcode == JF_LEGACY_NULL);
  jf_object_release(jf_error_take());

  jf_value out = {.type_code = JF_NULL};
  CHECK(there_and_back(of_object(array), &out) == JF_LEGACY_NDARRAY && out.type_code == JF_NDARRAY &&
        out.v_object == array && array->ref_count == 2);
  jf_any_release(&out);
  jf_object_release(array);
  jf_object_release(function);
}

/* What generated code calls: views of arguments, a call with them, and what a result is given as. */
static void test_parts_of_a_call(void) {
  const int32_t codes[] = {JF_LEGACY_INT, JF_LEGACY_NULL, JF_LEGACY_STR};
  const jf_legacy_value values[] = {{.v_int64 = 5}, {.v_int64 = 0}, {.v_str = "abc"}};
  jf_view views[3];
  CHECK(jf_legacy_views(NULL, 3, codes, values, views) == 0);
  CHECK(views[0].type_code == JF_INT && views[0].v_int64 == 5 && views[1].type_code == JF_NULL);
  CHECK(views[2].type_code == JF_RAW_STR && views[2].v_raw_str == values[2].v_str);
  const int32_t none = 99;
  CHECK(jf_legacy_views(NULL, 1, &none, values, views) == -1 && jf_error_peek());
  jf_object_release(jf_error_take());

  jf_value out = {.type_code = JF_NULL};
  CHECK(jf_legacy_invoke(NULL, first, NULL, 2, views, &out) == 0 && out.type_code == JF_INT && out.v_int64 == 5);
  CHECK(seen_codes[0] == JF_LEGACY_INT && seen_codes[1] == JF_LEGACY_NULL);
  jf_out_init(&out, 0);
  CHECK(jf_legacy_invoke(NULL, first, NULL, 0, views, &out) == -1 && out.type_code == JF_NULL && jf_error_peek());
  jf_object_release(jf_error_take());

  int32_t code = 99;
  jf_legacy_value result;
  jf_object* list = jf_list_new(0, -1);
  out.type_code = JF_OBJECT, out.v_object = list;
  CHECK(jf_legacy_give(NULL, &out, &code, &result) == 0 && code == JF_LEGACY_OBJECT && result.v_handle == list);
  CHECK(out.type_code == JF_NULL && list->ref_count == 1);
  jf_object_release(list);
}

int main(void) {
  RUN(test_values);
  RUN(test_text);
  RUN(test_objects);
  RUN(test_called_by_the_convention);
  RUN(test_tvm_functions);
  RUN(test_a_callee_as_tvm_generates_it);
  RUN(test_a_caller_as_tvm_generates_it);
  RUN(test_parts_of_a_call);
  return finish();
}
