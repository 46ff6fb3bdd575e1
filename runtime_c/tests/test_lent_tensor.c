/* Tensors between conventions: what is lifted, lent, passed on and returned, and the words of what does not fit. */
#include "jitffi/array.h"
#include "jitffi/ndarray.h"
#include "testhelper.h"

static const jf_dtype f32 = {2, 32, 1}, int4 = {0, 4, 1};
static const jf_param_info params[] = {{"x", "tensor[f32, *, *]"}};
static const jf_call_info info = {"f", 1, 1, params, "tensor[f32, *, *]"};
static float memory[6] = {0, 1, 2, 3, 4, 5};
static int64_t shape[] = {2, 3}, transposed[] = {1, 2};

static uint64_t spec_of(int rank, uint64_t flags, uint64_t device) {
  return f32.code | (uint64_t)f32.bits << 8 | (uint64_t)rank << 16 | flags << 24 | device << 32;
}
#define WRITABLE spec_of(2, JF_SPEC_WRITABLE, JF_CPU)
#define CONST spec_of(2, 0, JF_CPU)

static jf_dltensor tensor_of(void) { return (jf_dltensor){memory, {JF_CPU, 0}, 2, f32, shape, transposed, 0}; }

static void test_lifting(void) {
  struct {
    jf_dltensor tensor;
    int64_t room[4];
  } out;
  jf_temps temps = {NULL};
  jf_dltensor tensor = tensor_of();
  jf_any view = {JF_DLTENSOR, 0, {.v_handle = &tensor}}, number = slot_of_int(3);
  CHECK(jf_lift_tensor(&info, 0, &view, WRITABLE, &out.tensor, &temps) == 0);
  CHECK(out.tensor.data == memory && out.tensor.shape[1] == 3 && out.tensor.strides[1] == 2);
  CHECK(jf_lift_tensor(&info, 0, &view, spec_of(1, 0, JF_CPU), &out.tensor, &temps) == -1);
  CHECK_ERROR("ValueError: f: argument 1 'x': expected tensor[f32, *, *], got float32[2, 3]");
  CHECK(jf_lift_tensor(&info, 0, &view, spec_of(2, 0, 2), &out.tensor, &temps) == -1);
  CHECK_ERROR("TypeError: f: argument 1 'x': expected tensor[f32, *, *], got float32[2, 3] on cpu:0");
  CHECK(jf_lift_tensor(&info, 0, &number, WRITABLE, &out.tensor, &temps) == -1);
  CHECK_ERROR("TypeError: f: argument 1 'x': expected tensor[f32, *, *], got int 3");
  CHECK(jf_tensor_spec_in_words(WRITABLE) >> 32 == UINT32_MAX);
}

static void test_lending(void) {
  jf_temps temps = {NULL};
  jf_dltensor tensor = tensor_of();
  const int64_t wrong[] = {-1, 4};
  jf_any view;
  jf_object* copy = jf_lend_tensor(&info, 0, NULL, &tensor, WRITABLE, NULL);
  const float* items = copy ? ((jf_ndarray*)copy)->tensor.data : memory;
  CHECK(items != memory && items[0] == 0 && items[1] == 2 && items[2] == 4 && items[3] == 1);
  CHECK(((jf_ndarray*)copy)->flags == 0);
  jf_object_release(copy);
  CHECK(!jf_lend_tensor(&info, 0, NULL, &tensor, WRITABLE, wrong));
  CHECK_ERROR("ValueError: f: argument 1 'x': expected tensor[f32, *, *], got float32[2, 3]");
  CHECK(jf_lower_tensor(&info, 0, &tensor, WRITABLE, &view, &temps) == 0);
  CHECK(view.type_code == JF_DLTENSOR && view.v_handle == &tensor);
  CHECK(jf_lower_tensor(&info, 0, &tensor, CONST, &view, &temps) == 0);
  CHECK(view.type_code == JF_NDARRAY && ((jf_ndarray*)view.v_object)->flags == JF_DL_READ_ONLY);
  jf_temps_release(&temps);
  tensor.device = (jf_device){2, 1};
  jf_object* there = jf_lend_tensor(&info, 0, NULL, &tensor, spec_of(2, 0, UINT32_MAX), NULL);
  CHECK(there && ((jf_ndarray*)there)->tensor.data == memory);
  jf_object_release(there);
}

static void test_lending_what_shares_bytes(void) {
  jf_dltensor tensor = tensor_of();
  tensor.dtype = int4;
  tensor.strides = NULL;
  CHECK(!jf_lend_tensor(&info, 0, NULL, &tensor, JF_DL_HANDLE | JF_RANK_ANY << 16 | (uint64_t)JF_CPU << 32, NULL));
  CHECK_ERROR("ValueError: f: argument 1 'x': elements that share bytes are not copied: pass an nd-array");
}

static int32_t read_host(jf_object* object, uint64_t spec, jf_array* out, jf_temps* temps) {
  static const int64_t strides[] = {12, 4};
  (void)object, (void)temps;
  CHECK((spec >> 24) & JF_SPEC_KEPT);
  *out = (jf_array){memory, shape, strides, NULL, 4, f32, {JF_CPU, 0}, 2, 0};
  return 1;
}

static void test_results(void) {
  const int64_t right[] = {2, 3}, wrong[] = {2, 4};
  jf_object* made = jf_ndarray_new(2, shape, f32, 0);
  jf_any slot = slot_of_object(made), number = slot_of_int(3);
  jf_object* same = jf_lift_tensor_result(&info, -1, &slot, WRITABLE, right);
  CHECK(same == made);
  jf_object_release(same);
  CHECK(!jf_lift_tensor_result(&info, -1, &slot, WRITABLE, wrong));
  CHECK_ERROR("ValueError: f: result: expected tensor[f32, *, *], got float32[2, 3]");
  CHECK(!jf_lift_tensor_result(&info, -1, &number, WRITABLE, NULL));
  CHECK_ERROR("TypeError: f: result: expected tensor[f32, *, *], got int 3");
  CHECK(jf_take_tensor(&info, made, WRITABLE, NULL) == made);
  CHECK(!jf_take_tensor(&info, made, spec_of(1, 0, JF_CPU), NULL));
  CHECK_ERROR("ValueError: f: result: expected tensor[f32, *, *], got float32[2, 3]");
  CHECK(!jf_take_tensor(&info, jf_str_new("abc", 3), WRITABLE, NULL));
  CHECK_ERROR("TypeError: f: result: expected tensor[f32, *, *], got str 'abc'");
}

static void test_results_of_the_host(void) {
  jf_object* host = jf_host_object_new(&info, memory, NULL);
  jf_any slot = slot_of_object(host);
  CHECK(!jf_lift_tensor_result(&info, -1, &slot, WRITABLE, NULL));
  CHECK_ERROR("TypeError: f: result: expected tensor[f32, *, *], got host object");
  jf_set_array_reader(read_host);
  jf_object* made = jf_lift_tensor_result(&info, -1, &slot, WRITABLE, NULL);
  CHECK(made && ((jf_ndarray*)made)->tensor.data == memory);
  jf_object_release(made);
  jf_set_array_reader(NULL);
  jf_object_release(host);
}

int main(void) {
  RUN(test_lifting);
  RUN(test_lending);
  RUN(test_lending_what_shares_bytes);
  RUN(test_results);
  RUN(test_results_of_the_host);
  return finish();
}
