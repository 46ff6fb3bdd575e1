/* Structs and long doubles in slots: copied in and out, under the type that the signature names. */
#include <float.h>
#include <string.h>

#include "jitffi/types.h"
#include "testhelper.h"

typedef struct {
  double x;
  int32_t n;
} point;

#define SIZES(type) sizeof(type), _Alignof(type)

static const jf_param_info params[] = {{"p", "test.SlotPoint", NULL}, {"q", "out[test.SlotPoint]", NULL}};
static const jf_call_info info = {"move", 2, 2, params, "test.SlotPoint", NULL};

static void test_a_struct_is_an_object_of_its_type(void) {
  const point given = {1.5, 7};
  jf_temps temps = {NULL};
  jf_any view, text = slot_of_raw("abc"), out = null_out(0);
  void* found;
  for (int32_t index = 0; index < 2; index++) {
    CHECK(jf_lower_struct(&info, index, &given, SIZES(point), &view, &temps) == 0);
    CHECK(view.type_code == JF_OBJECT && jf_lift_struct(&info, 1 - index, &view, SIZES(point), &found) == 0);
    CHECK(memcmp(found, &given, sizeof given) == 0 && found != &given);
  }
  jf_temps_release(&temps);
  CHECK(jf_out_struct(&info, &given, SIZES(point), &out) == 0);
  CHECK(jf_lift_struct(&info, -1, &out, SIZES(point), &found) == 0 && ((point*)found)->n == 7);
  CHECK(found == jf_struct_bytes(out.v_object));
  jf_any_release(&out);
  CHECK(jf_lift_struct(&info, 0, &text, SIZES(point), &found) == -1);
  CHECK_ERROR("TypeError: move: argument 1 'p': expected test.SlotPoint, got str 'abc'");
}

typedef struct {
  _Alignas(128) double x;
} wide_point;

static const jf_param_info wide_params[] = {{"p", "test.WidePoint", NULL}};
static const jf_call_info wide_info = {"move", 1, 1, wide_params, "test.WidePoint", NULL};

static void test_an_object_is_aligned_as_its_struct(void) {
  const wide_point given = {2.5};
  for (int32_t round = 0; round < 8; round++) { /* malloc's blocks are at other places each time */
    jf_any out = null_out(0);
    void* found;
    CHECK(jf_out_struct(&wide_info, &given, SIZES(wide_point), &out) == 0);
    CHECK(jf_lift_struct(&wide_info, 0, &out, SIZES(wide_point), &found) == 0);
    CHECK((uintptr_t)found % 128 == 0 && (char*)found == (char*)out.v_object + 128 && ((wide_point*)found)->x == 2.5);
    jf_any_release(&out);
  }
  CHECK(jf_object_alloc(SIZE_MAX, 128) == NULL);
  CHECK_ERROR("MemoryError: out of memory");
}

static void test_a_key_is_of_one_struct(void) {
  const jf_field fields[] = {{.name = "x", .type = "i64", .offset = 16, .kind = JF_KIND_I64}};
  jf_type_info fielded = {.key = "test.Fielded", .parent = JF_ROOT, .size = 24, .num_fields = 1, .fields = fields};
  const int32_t code = jf_type_register_struct("test.SlotPoint", SIZES(point));
  CHECK(code != 0 && code == jf_type_code("test.SlotPoint"));
  CHECK(jf_type_register_struct("test.SlotPoint", 4096, 8) == 0);
  CHECK_ERROR("ValueError: type key 'test.SlotPoint' is not that of a struct of 4096 bytes");
  CHECK(jf_type_define(&fielded) != 0 && jf_type_register_struct("test.Fielded", 8, 8) == 0);
  CHECK_ERROR("ValueError: type key 'test.Fielded' is not that of a struct of 8 bytes");
  CHECK(jf_type_register_struct("list", 8, 8) == 0);
  CHECK_ERROR("ValueError: type key 'list' is not that of a struct of 8 bytes");
  fielded.key = "test.SlotPoint";
  CHECK(jf_type_define(&fielded) == 0);
  CHECK_ERROR("ValueError: type 'test.SlotPoint': it is a struct's");
}

static const jf_param_info real_params[] = {{"x", "longdouble", NULL}};
static const jf_call_info real_info = {"sinl", 1, 1, real_params, "longdouble", NULL};

static void test_a_long_double_is_a_float(void) {
  jf_any view = slot_of_float(0.1), text = slot_of_raw("1");
  long double value = 0;
  CHECK(jf_lift_longdouble(&real_info, 0, &view, &value) == 0 && value == (long double)0.1);
  CHECK(jf_lift_longdouble(&real_info, 0, &text, &value) == -1);
  CHECK_ERROR("TypeError: sinl: argument 1 'x': expected longdouble, got str '1'");
  value = 1.5L;
  CHECK(jf_lower_longdouble(&real_info, -1, &value, &view) == 0);
  CHECK(view.type_code == JF_FLOAT && view.v_float64 == 1.5);
#if LDBL_MAX_EXP > DBL_MAX_EXP
  value = LDBL_MAX;
  CHECK(jf_lower_longdouble(&real_info, -1, &value, &view) == -1);
  CHECK_ERROR("OverflowError: sinl: result: expected longdouble in the range of float, got one beyond it");
#endif
}

int main(void) {
  RUN(test_a_struct_is_an_object_of_its_type);
  RUN(test_an_object_is_aligned_as_its_struct);
  RUN(test_a_key_is_of_one_struct);
  RUN(test_a_long_double_is_a_float);
  return finish();
}
