/* Arrays as arguments: what fits a spec, what C is given, and the words of what does not. */
#include "arrayhelper.h"
#include "jitffi/ndarray.h"

#define CHECK_WORDS(made, spec, expected) check_words(made, spec, expected, __FILE__, __LINE__)
static void check_words(const any_array* made, uint64_t spec, const char* expected, const char* file, int line) {
  int64_t out[7];
  char words[JF_ARRAY_WORDS], text[JF_ARRAY_WORDS + 16];
  const int32_t reason = jf_array_match(&made->array, spec, out);
  const size_t size = jf_array_words(&made->array, spec, reason, words, sizeof words);
  snprintf(text, sizeof text, "%s: %s", reason ? jf_array_error(reason) : "fits", words);
  check_text(text, expected, file, line);
  check(size == strlen(words), "the length of the words", file, line);
}

#define CHECK_OUT(made, spec, ...) check_out(made, spec, (const int64_t[]){__VA_ARGS__}, __FILE__, __LINE__)
static void check_out(const any_array* made, uint64_t spec, const int64_t* expected, const char* file, int line) {
  int64_t out[8] = {0, -7, -7, -7, -7, -7, -7, -7};
  const int32_t rank = (uint8_t)(spec >> 16) == JF_RANK_ANY ? 0 : (uint8_t)(spec >> 16);
  check(jf_array_match(&made->array, spec, out) == JF_ARRAY_FITS, "the array fits", file, line);
  check(out[0] == (int64_t)(uintptr_t)made->array.data, "the address", file, line);
  for (int32_t i = 0; i < 2 * rank; i++) {
    if (out[1 + i] != expected[i])
      printf("  out[%d] is %lld, expected %lld\n", 1 + i, (long long)out[1 + i], (long long)expected[i]);
    check(out[1 + i] == expected[i], "what C is given", file, line);
  }
  check(out[1 + 2 * rank] == -7, "nothing behind it is written", file, line);
}

static void test_lengths_and_strides(void) {
  CHECK_OUT(ARRAY(F32, SHAPE(5), NULL), spec_of(F32, 1, 0, 0), 5, 1);
  CHECK_OUT(ARRAY(F64, SHAPE(2, 3, 4), NULL), spec_of(F64, 3, 1, 0), 2, 3, 4, 12, 4, 1);
  CHECK_OUT(ARRAY(F64, SHAPE(2, 3, 4), NULL), spec_of(F64, JF_RANK_ANY, 1, 0), 0);
  CHECK_OUT(ARRAY(F64, SHAPE(-1), NULL), spec_of(F64, JF_RANK_ANY, 1, 0), 0);
  CHECK_OUT(ARRAY(F64, SHAPE(-1), NULL), spec_of(F64, 0, 1, 0), 0);
}

static void test_free_strides(void) {
  CHECK_OUT(ARRAY(F32, SHAPE(5), SHAPE(3)), spec_of(F32, 1, 0, 1), 5, 3);
  CHECK_OUT(ARRAY(F32, SHAPE(4, 3), SHAPE(7, 1)), spec_of(F32, 2, 0, 1), 4, 3, 7, 1);
  CHECK_OUT(ARRAY(F32, SHAPE(4, 3), SHAPE(1, 9)), spec_of(F32, 2, 0, 2), 4, 3, 1, 9);
  CHECK_OUT(ARRAY(F32, SHAPE(4, 3), SHAPE(2, 9)), spec_of(F32, 2, 0, 3), 4, 3, 2, 9);
  CHECK_OUT(ARRAY(F32, SHAPE(2, 3, 4), SHAPE(50, 4, 1)), spec_of(F32, 3, 0, 1), 2, 3, 4, 50, 4, 1);
  CHECK_WORDS(
      ARRAY(F32, SHAPE(4, 3), NULL), spec_of(F32, 2, 0, 2),
      "ValueError: float32[4, 3] with strides of 3 and 1 elements, expected the other dimensions contiguous: copy "
      "it with numpy.asfortranarray");
}

static void test_strides_that_mean_nothing(void) {
  CHECK_OUT(ARRAY(F32, SHAPE(1), SHAPE(-9)), spec_of(F32, 1, 0, 0), 1, 1);
  CHECK_OUT(ARRAY(F32, SHAPE(1), SHAPE(-9)), spec_of(F32, 1, 0, 1), 1, 1);
  CHECK_OUT(ARRAY(F32, SHAPE(0), SHAPE(-9)), spec_of(F32, 1, 0, 1), 0, 1);
  CHECK_OUT(ARRAY(F32, SHAPE(1, 3), SHAPE(0, 1)), spec_of(F32, 2, 0, 1), 1, 3, 3, 1);
  CHECK_OUT(ARRAY(F32, SHAPE(5, 0), SHAPE(0, 0)), spec_of(F32, 2, 0, 1), 5, 0, 1, 1);
  CHECK_OUT(ARRAY(F32, SHAPE(0, 5), SHAPE(0, 0)), spec_of(F32, 2, 0, 1), 0, 5, 5, 1);
  CHECK_OUT(ARRAY(F32, SHAPE(3, 1), SHAPE(1, 2)), spec_of(F32, 2, 0, 2), 3, 1, 1, 3);
  CHECK_OUT(ARRAY(F32, SHAPE(3, 1), SHAPE(1, 77)), spec_of(F32, 2, 0, 0), 3, 1, 1, 1);
  any_array empty = *ARRAY(F32, SHAPE(0), NULL);
  empty.array.data = NULL;
  empty.array.shape = empty.shape;
  empty.array.strides = empty.strides;
  CHECK_OUT(&empty, spec_of(F32, 1, 1, 0), 0, 1);
  empty.array.data = memory + 1;
  CHECK_OUT(&empty, spec_of(F32, 1, 1, 0), 0, 1);
}

static void test_elements(void) {
  CHECK_WORDS(ARRAY(F64, SHAPE(5), NULL), spec_of(F32, 1, 0, 0), "TypeError: float64[5]");
  CHECK_WORDS(ARRAY(I32, SHAPE(2, 3), NULL), spec_of(F32, 1, 0, 0), "TypeError: int32[2, 3]");
  CHECK_WORDS(ARRAY(C64, SHAPE(-1), NULL), spec_of(F64, JF_RANK_ANY, 0, 0), "TypeError: complex64[]");
  CHECK_WORDS(ARRAY(U8, SHAPE(3), NULL), spec_of(I8, 1, 0, 0), "TypeError: uint8[3]");
  CHECK_WORDS(ARRAY(U8, SHAPE(3), NULL), spec_of(I8, 1, JF_SPEC_ONE_BYTE, 0), "fits: uint8[3]");
  CHECK_WORDS(ARRAY(I8, SHAPE(3), NULL), spec_of(U8, 1, JF_SPEC_ONE_BYTE, 0), "fits: int8[3]");
  CHECK_WORDS(ARRAY(BOOL, SHAPE(3), NULL), spec_of(U8, 1, JF_SPEC_ONE_BYTE, 0), "TypeError: bool[3]");
  CHECK_WORDS(ARRAY(I32, SHAPE(3), NULL), spec_of(VOID, JF_RANK_ANY, 1, 0), "fits: int32[3]");
  any_array* made = ARRAY(F32, SHAPE(5), NULL);
  made->array.flags = JF_ARRAY_SWAPPED;
  CHECK_WORDS(made, spec_of(F32, 1, 0, 0), "TypeError: big-endian float32[5]");
  CHECK_WORDS(made, spec_of(VOID, JF_RANK_ANY, 0, 0), "fits: big-endian float32[5]");
  made->array.flags = 0;
  made->array.dtype.lanes = 4;
  CHECK_WORDS(made, spec_of(F32, 1, 0, 0), "TypeError: float32x4[5]");
  made->array.dtype = (jf_dtype){0, 0, 0};
  made->array.name = "datetime64[ns]";
  CHECK_WORDS(made, spec_of(F32, 1, 0, 0), "TypeError: datetime64[ns][5]");
  CHECK_WORDS(made, spec_of(VOID, JF_RANK_ANY, 0, 0), "fits: datetime64[ns][5]");
  made->array.name = "object";
  made->array.flags = JF_ARRAY_OPAQUE;
  CHECK_WORDS(made, spec_of(VOID, JF_RANK_ANY, 0, 0), "TypeError: object[5]");
}

static void test_access_device_rank_and_address(void) {
  any_array* made = ARRAY(F32, SHAPE(5), NULL);
  made->array.flags = JF_ARRAY_READ_ONLY;
  CHECK_WORDS(made, spec_of(F32, 1, 0, 0), "fits: float32[5]");
  CHECK_WORDS(made, spec_of(F32, 1, JF_SPEC_WRITABLE, 0), "TypeError: read-only float32[5]");
  CHECK_WORDS(made, spec_of(F32, 2, 0, 0), "ValueError: float32[5]");
  made->array.device = (jf_device){2, 1};
  CHECK_WORDS(made, spec_of(F64, 1, 1, 0), "TypeError: float32[5] on cuda:1");
  made->array.name = "Tensor";
  made->array.ndim = -1;
  CHECK_WORDS(made, spec_of(F64, 1, 1, 0), "TypeError: Tensor on cuda:1");
  made->array.device = (jf_device){1, 0};
  CHECK_WORDS(made, spec_of(F32, JF_RANK_ANY, 0, 0), "fits: Tensor");
  CHECK_WORDS(made, spec_of(F64, JF_RANK_ANY, 0, 0), "TypeError: Tensor");
  CHECK_WORDS(ARRAY(F32, SHAPE(-1), NULL), spec_of(F32, 1, 0, 0), "ValueError: float32[]");
  made = ARRAY(F32, SHAPE(5), NULL);
  made->array.data = memory + 2;
  CHECK_WORDS(made, spec_of(F32, 1, 0, 0), "ValueError: misaligned float32[5]");
  made->array.data = NULL;
  CHECK_WORDS(made, spec_of(F32, 1, 0, 0), "ValueError: float32[5] at NULL");
  made = ARRAY(C64, SHAPE(5), NULL);
  made->array.data = memory + 4;
  CHECK_WORDS(made, spec_of(C64, 1, 0, 0), "fits: complex64[5]");
  made->array.data = memory + 6;
  CHECK_WORDS(made, spec_of(C64, 1, 0, 0), "ValueError: misaligned complex64[5]");
  CHECK_WORDS(ARRAY(F32, SHAPE(INT64_MAX, 2), NULL), spec_of(F32, 2, 0, 0),
              "ValueError: float32[9223372036854775807, 2]");
  CHECK_WORDS(ARRAY(F32, SHAPE(0, INT64_MAX, 2), NULL), spec_of(F32, 3, 0, 1),
              "fits: float32[0, 9223372036854775807, 2]");
}

static void test_strides_that_do_not_fit(void) {
  const uint64_t vector = spec_of(F32, 1, 0, 0), matrix = spec_of(F32, 2, 0, 0), any = spec_of(F32, JF_RANK_ANY, 0, 0);
  CHECK_WORDS(ARRAY(F32, SHAPE(5), SHAPE(2)), vector,
              "ValueError: float32[5] with a stride of 2 elements, expected contiguous: copy it with "
              "numpy.ascontiguousarray");
  CHECK_WORDS(ARRAY(F32, SHAPE(5), SHAPE(-2)), spec_of(F32, 1, 0, 1),
              "ValueError: float32[5] with a stride of -2 elements, expected at least 1: copy it with "
              "numpy.ascontiguousarray");
  CHECK_WORDS(ARRAY(F32, SHAPE(5), ((const int64_t[]){0, 0, 0})), spec_of(F32, 1, 0, 1),
              "ValueError: float32[5] with a stride of 0 elements, expected at least 1: copy it with "
              "numpy.ascontiguousarray");
  CHECK_WORDS(ARRAY(F32, SHAPE(5, 3), SHAPE(2, 1)), spec_of(F32, 2, 0, 1),
              "ValueError: float32[5, 3] with strides of 2 and 1 elements, expected at least 3: copy it with "
              "numpy.ascontiguousarray");
  CHECK_WORDS(ARRAY(F32, SHAPE(5, 3), SHAPE(6, 2)), matrix,
              "ValueError: float32[5, 3] with strides of 6 and 2 elements, expected contiguous: copy it with "
              "numpy.ascontiguousarray");
  CHECK_WORDS(ARRAY(F32, SHAPE(2, 3, 4), SHAPE(1, 2, 3)), spec_of(F32, 3, 0, 0),
              "ValueError: float32[2, 3, 4] with strides of 1, 2 and 3 elements, expected contiguous: copy it with "
              "numpy.ascontiguousarray");
  CHECK_WORDS(ARRAY(F32, SHAPE(5, 3), SHAPE(1, 5)), matrix,
              "ValueError: float32[5, 3] in Fortran order, expected C order: copy it with numpy.ascontiguousarray");
  CHECK_WORDS(ARRAY(F32, SHAPE(5, 3), SHAPE(1, 5)), any | (uint64_t)JF_SPEC_EITHER_ORDER << 24, "fits: float32[5, 3]");
  CHECK_WORDS(ARRAY(F32, SHAPE(5, 3), SHAPE(6, 2)), any | (uint64_t)JF_SPEC_EITHER_ORDER << 24,
              "ValueError: float32[5, 3] with strides of 6 and 2 elements, expected contiguous: copy it with "
              "numpy.ascontiguousarray");
  const uint64_t columns = spec_of(F32, 2, 0, 0) | (uint64_t)2 << 32;
  CHECK_WORDS(ARRAY(F32, SHAPE(5, 3), NULL), columns,
              "ValueError: float32[5, 3] with strides of 3 and 1 elements, expected the other dimensions contiguous: "
              "copy it with numpy.asfortranarray");
  CHECK_WORDS(ARRAY(F32, SHAPE(5, 3), SHAPE(1, 2)), columns,
              "ValueError: float32[5, 3] with strides of 1 and 2 elements, expected at least 5: copy it with "
              "numpy.asfortranarray");
  CHECK_WORDS(ARRAY(F32, SHAPE(2, 3, 4), SHAPE(12, 4, 1)), spec_of(F32, 3, 0, 0) | (uint64_t)2 << 32,
              "ValueError: float32[2, 3, 4] with strides of 12, 4 and 1 elements, expected the other dimensions "
              "contiguous");
  any_array* made = ARRAY(F32, SHAPE(5), NULL);
  made->strides[0] = 6;
  CHECK_WORDS(made, spec_of(F32, 1, 0, 1),
              "ValueError: float32[5] with a stride of 6 bytes, expected whole elements: copy it with "
              "numpy.ascontiguousarray");
}

static void test_words_of_many_dimensions(void) {
  int64_t shape[JF_MAX_RANK], strides[JF_MAX_RANK], out[1];
  for (int i = 0; i < JF_MAX_RANK; i++) shape[i] = 2;
  jf_array_contiguous_strides(20, shape, 4, strides);
  jf_array array = {memory, shape, strides, NULL, 4, types[F32], {1, 0}, 20, 0};
  char words[JF_ARRAY_WORDS], small[12];
  strides[0] = 4;
  const int32_t reason = jf_array_match(&array, spec_of(F32, JF_RANK_ANY, 0, 0), out);
  jf_array_words(&array, spec_of(F32, JF_RANK_ANY, 0, 0), reason, words, sizeof words);
  CHECK_TEXT(
      words,
      "float32[2, 2, 2, 2, 2, 2, 2, 2, ...] with strides of 1, 262144, 131072, 65536, 32768, 16384, 8192, 4096, ... "
      "elements, expected contiguous: copy it with numpy.ascontiguousarray");
  CHECK(jf_array_words(&array, 0, reason, small, sizeof small) == sizeof small - 1);
  CHECK_TEXT(small, "float32[2, ");
}

static void test_tensors_as_arrays(void) {
  int64_t shape[] = {2, 3}, strides[] = {6, 2}, room[JF_MAX_RANK];
  jf_dltensor tensor = {memory, {1, 0}, 2, types[F32], shape, NULL, 8};
  jf_array array;
  jf_array_of_tensor(&tensor, JF_ARRAY_READ_ONLY, room, &array);
  CHECK(array.data == memory + 8 && array.shape == shape && array.ndim == 2 && array.item_size == 4);
  CHECK(array.strides == room && room[0] == 12 && room[1] == 4 && array.flags == JF_ARRAY_READ_ONLY);
  tensor.strides = strides;
  jf_array_of_tensor(&tensor, 0, room, &array);
  CHECK(room[0] == 24 && room[1] == 8);
  strides[1] = INT64_MAX / 2;
  jf_array_of_tensor(&tensor, 0, room, &array);
  CHECK(array.ndim == 1 && array.shape[0] == -1);
  tensor.ndim = 65;
  jf_array_of_tensor(&tensor, 0, room, &array);
  CHECK(array.ndim == 1 && array.shape[0] == -1);
  tensor.ndim = -1;
  jf_array_of_tensor(&tensor, 0, room, &array);
  int64_t out[3];
  CHECK(jf_array_match(&array, spec_of(F32, 1, 0, 0), out) == JF_ARRAY_BAD_SHAPE);
}

static const jf_param_info params[] = {
    {"n", "u64"}, {"x", "const f32[n]"}, {"y", "f32[n]"}, {NULL, "const f64[n, m @ lda]"}, {"p", "ptr[f32]"}};
static const jf_call_info info = {"saxpy", 5, 5, params, "void"};

static void test_lifting(void) {
  jf_temps temps = {NULL};
  int64_t shape[] = {5}, out[3];
  jf_dltensor tensor = {memory, {1, 0}, 1, types[F32], shape, NULL, 0};
  jf_any view = {JF_DLTENSOR, 0, {.v_handle = &tensor}};
  CHECK(jf_lift_array(&info, 2, &view, spec_of(F32, 1, 1, 0), out, &temps) == 0 &&
        out[0] == (int64_t)(uintptr_t)memory);
  CHECK(out[1] == 5 && out[2] == 1);
  tensor.dtype = types[F64];
  CHECK(jf_lift_array(&info, 2, &view, spec_of(F32, 1, 1, 0), out, &temps) == -1);
  CHECK_ERROR("TypeError: saxpy: argument 3 'y': expected f32[n], got float64[5]");
  jf_ndarray array = {.header = {.type_code = JF_NDARRAY, .ref_count = 1}, .tensor = tensor, .flags = JF_DL_READ_ONLY};
  view = (jf_any){JF_NDARRAY, 0, {.v_object = &array.header}};
  CHECK(jf_lift_array(&info, 4, &view, spec_of(F64, JF_RANK_ANY, 0, 0), out, &temps) == 0);
  CHECK(jf_lift_array(&info, 2, &view, spec_of(F64, 1, 1, 0), out, &temps) == -1);
  CHECK_ERROR("TypeError: saxpy: argument 3 'y': expected f32[n], got read-only float64[5]");
  array.flags = 0;
  CHECK(jf_lift_array(&info, 2, &view, spec_of(F64, 1, 1, 0), out, &temps) == 0);
  array.header.type_code = jf_type_register("test.Tensor", JF_NDARRAY);
  view = slot_of_object(&array);
  CHECK(jf_lift_array(&info, 2, &view, spec_of(F64, 1, 1, 0), out, &temps) == 0 && out[1] == 5);
}

static void test_lifting_what_is_no_tensor(void) {
  jf_temps temps = {NULL};
  int64_t out[3];
  jf_any handle = {JF_HANDLE, 0, {.v_handle = memory}}, number = slot_of_int(3), null = null_out(0);
  CHECK(jf_lift_array(&info, 4, &handle, spec_of(F32, JF_RANK_ANY, 1, 0), out, &temps) == 0);
  CHECK(out[0] == (int64_t)(uintptr_t)memory);
  CHECK(jf_lift_array(&info, 2, &number, spec_of(F32, 1, 1, 0), out, &temps) == -1);
  CHECK_ERROR("TypeError: saxpy: argument 3 'y': expected f32[n], got int 3");
  CHECK(jf_lift_array(&info, 3, &null, spec_of(F64, 2, 0, 0), out, &temps) == -1);
  CHECK_ERROR("TypeError: saxpy: argument 4: expected const f64[n, m @ lda], got null");
  CHECK(jf_lift_array(&info, 3, &handle, spec_of(F64, 2, 0, 0), out, &temps) == -1);
  jf_object_release(jf_error_take());
  jf_span span = {"abc", 3};
  jf_any bytes = {JF_BYTE_ARRAY, 0, {.v_span = &span}};
  CHECK(jf_lift_array(&info, 2, &bytes, spec_of(I8, 1, JF_SPEC_ONE_BYTE, 0), out, &temps) == 0);
  CHECK(out[0] == (int64_t)(uintptr_t)span.data && out[1] == 3);
  CHECK(jf_lift_array(&info, 2, &bytes, spec_of(U8, 1, JF_SPEC_WRITABLE, 0), out, &temps) == -1);
  CHECK_ERROR("TypeError: saxpy: argument 3 'y': expected f32[n], got read-only uint8[3]");
}

static void release(void* object) { jf_object_release(object); }

static int32_t read_host(jf_object* object, uint64_t spec, jf_array* out, jf_temps* temps) {
  static const int64_t shape[] = {4}, strides[] = {8};
  if (((jf_host_object*)object)->handle != memory) return 0;
  if ((uint8_t)spec == 3) {
    jf_error_set("KeyError", "not now");
    return -1;
  }
  jf_object_retain(object);
  *out = (jf_array){memory, shape, strides, NULL, 8, types[F64], {1, 0}, 1, 0};
  return jf_temps_add(temps, object, release) == 0 ? 1 : -1;
}

static void test_lifting_objects_of_the_host(void) {
  jf_temps temps = {NULL};
  int64_t out[3];
  jf_object *array = jf_host_object_new(&info, memory, NULL), *other = jf_host_object_new(&info, NULL, NULL);
  jf_any view = slot_of_object(array), wrong = slot_of_object(other);
  CHECK(jf_lift_array(&info, 2, &view, spec_of(F64, 1, 1, 0), out, &temps) == -1);
  CHECK_ERROR("TypeError: saxpy: argument 3 'y': expected f32[n], got host object");
  jf_set_array_reader(read_host);
  CHECK(jf_lift_array(&info, 2, &view, spec_of(F64, 1, 1, 0), out, &temps) == 0 && out[1] == 4);
  CHECK(jf_lift_array(&info, 2, &view, spec_of(F32, 1, 1, 0), out, &temps) == -1);
  CHECK_ERROR("TypeError: saxpy: argument 3 'y': expected f32[n], got float64[4]");
  CHECK(jf_lift_array(&info, 2, &wrong, spec_of(F64, 1, 1, 0), out, &temps) == -1);
  CHECK_ERROR("TypeError: saxpy: argument 3 'y': expected f32[n], got host object");
  CHECK(jf_lift_array(&info, 2, &view, spec_of(VOID, 1, 1, 0), out, &temps) == -1);
  CHECK_ERROR("KeyError: not now");
  jf_temps_release(&temps);
  jf_set_array_reader(NULL);
  jf_object_release(array);
  jf_object_release(other);
}

static void test_lengths_that_differ(void) {
  static const jf_param_info others[] = {{"x", "const f32[n]"},
                                         {NULL, "const f64[n @ inc, 4]"},
                                         {"t", "optional[tensor[const f32, n, 4]]"},
                                         {"n", "i32"},
                                         {"s", "cstr"}};
  static const jf_call_info call = {"f", 5, 5, others, "void"};
  int64_t shape[] = {5, 3};
  jf_dltensor tensor = {memory, {1, 0}, 2, types[F64], shape, NULL, 0};
  jf_any view = {JF_DLTENSOR, 0, {.v_handle = &tensor}}, number = slot_of_int(3);
  CHECK(jf_refuse_length(&call, 1, &view, 0, 5, 0, 4) == -1);
  CHECK_ERROR("ValueError: f: argument 2: n is 5 here and 4 in 'x'");
  CHECK(jf_refuse_length(&call, 0, &view, 0, 4, 1, 5) == -1);
  CHECK_ERROR("ValueError: f: argument 1 'x': n is 4 here and 5 in argument 2");
  CHECK(jf_refuse_length(&call, 1, &view, JF_DIM_STRIDE, 5, 0, 4) == -1);
  CHECK_ERROR("ValueError: f: argument 2: inc is 5 here and 4 in 'x'");
  CHECK(jf_refuse_length(&call, 2, &view, 0, 5, 3, 4) == -1);
  CHECK_ERROR("ValueError: f: argument 3 't': n is 5 here and given as 4");
  CHECK(jf_refuse_length(&call, 1, &view, 1, 3, -1, 4) == -1);
  CHECK_ERROR("ValueError: f: argument 2: expected const f64[n @ inc, 4], got float64[5, 3]");
  CHECK(jf_refuse_length(&call, 2, &view, 1, 3, 0, 4) == -1); /* it has no name there */
  CHECK_ERROR("ValueError: f: argument 3 't': expected optional[tensor[const f32, n, 4]], got float64[5, 3]");
  CHECK(jf_refuse_length(&call, 1, &number, 1, 3, -1, 4) == -1);
  CHECK_ERROR("TypeError: f: argument 2: expected const f64[n @ inc, 4], got int 3");
  char words[JF_ARRAY_WORDS];
  CHECK(jf_length_words(&call, 4, 0, 1, 0, 2, words, sizeof words) == 0 && !*words);
  CHECK(jf_length_words(NULL, 4, 0, 1, 0, 2, words, sizeof words) == 0);
  CHECK(jf_length_words(&call, 0, 0, 1, 1, 2, words, 6) == 5);
  CHECK_TEXT(words, "n is ");
}

static void test_filled(void) {
  static const jf_param_info params[] = {{"n", "i32"}, {"x", "f32[n]"}, {NULL, "f32[n]"}, {"m", "u64"}};
  const jf_call_info info = {"f", 4, 4, params, "void"};
  char words[JF_ARRAY_WORDS];
  CHECK(jf_filled_words(&info, 0, 7, 1, 0, 5, words, sizeof words) == strlen(words));
  CHECK(strcmp(words, "expected at most 5, as 'x' has, got 7") == 0);
  jf_filled_words(&info, 0, 7, 2, 1, 5, words, sizeof words);
  CHECK(strcmp(words, "expected 5, as argument 3 has, got 7") == 0);
  jf_filled_words(&info, 0, -2, 1, 0, -1, words, sizeof words);
  CHECK(strcmp(words, "expected 0 or more, got -2") == 0);
  jf_filled_words(&info, 3, -1, 1, 0, 5, words, sizeof words);
  CHECK(strcmp(words, "expected at most 5, as 'x' has, got 18446744073709551615") == 0);
  jf_filled_words(&info, 3, INT64_MIN, 1, 0, -1, words, sizeof words);
  CHECK(strcmp(words, "expected less than 2**63, got 9223372036854775808") == 0);
  jf_beyond_words(&info, 0, 3000000000, 1, words, sizeof words);
  CHECK(strcmp(words, "expected i32, got 3000000000 of 'x'") == 0);
  CHECK(jf_refuse_filled(&info, 0, 7, 1, 0, 5) == -1);
  CHECK_ERROR("ValueError: f: argument 1 'n': expected at most 5, as 'x' has, got 7");
}

static void test_lending(void) {
  double elements[6] = {0, 1, 2, 3, 4, 5};
  int64_t in[5] = {(int64_t)(uintptr_t)elements, 2, 3, 3, 1};
  const uint64_t spec = spec_of(F64, 2, 0, 0);
  jf_dltensor tensor;
  jf_temps temps = {NULL};
  jf_fill_tensor(&tensor, spec, in);
  CHECK(tensor.data == elements && tensor.ndim == 2 && tensor.shape[1] == 3 && tensor.strides[0] == 3);
  jf_dltensor* copy = jf_ndarray_tensor(jf_copy_array(spec, in, &temps));
  CHECK(copy->data != elements && ((double*)copy->data)[5] == 5 && copy->shape[0] == 2);
  void* data;
  CHECK(jf_new_array(NULL, 0, spec, in + 1, &data, &temps) != NULL && ((double*)data)[5] == 0);
  CHECK(jf_new_array(NULL, 0, spec, SHAPE(2, -3), &data, &temps) == NULL);
  CHECK_ERROR("ValueError: function: argument 1: an array has no negative length");
  jf_any views[2] = {slot_of_int(3), slot_of_int(4)}, out;
  jf_out_init(&out, 8);
  CHECK(jf_out_values(&out, views, 1) == 0 && out.v_int64 == 3);
  jf_out_init(&out, 8);
  CHECK(jf_out_values(&out, views, 2) == 0 && out.type_code == JF_OBJECT);
  CHECK(jf_take_parts(NULL, &out, views, 2) == 0 && views[1].v_int64 == 4);
  CHECK(jf_take_parts(NULL, &out, views, 1) == -1);
  CHECK_ERROR("TypeError: function: result: expected a tuple of 1, the result and what comes back, got tuple");
  double other[6] = {0};
  int64_t there[5] = {(int64_t)(uintptr_t)other, 2, 3, 1, 2};
  jf_any array = {JF_DLTENSOR, 0, {.v_handle = &tensor}};
  CHECK(jf_take_array(NULL, 0, &array, spec, there) == 0 && other[4] == 2 && other[1] == 3);
  there[1] = 3;
  CHECK(jf_take_array(NULL, 0, &array, spec, there) == -1);
  CHECK_ERROR("ValueError: function: argument 1: expected an array, got float64[2, 3]");
  jf_any_release(&out);
  jf_temps_release(&temps);
}

int main(void) {
  RUN(test_lengths_and_strides);
  RUN(test_free_strides);
  RUN(test_strides_that_mean_nothing);
  RUN(test_elements);
  RUN(test_access_device_rank_and_address);
  RUN(test_strides_that_do_not_fit);
  RUN(test_words_of_many_dimensions);
  RUN(test_tensors_as_arrays);
  RUN(test_lifting);
  RUN(test_lifting_what_is_no_tensor);
  RUN(test_lifting_objects_of_the_host);
  RUN(test_lengths_that_differ);
  RUN(test_filled);
  RUN(test_lending);
  return finish();
}
