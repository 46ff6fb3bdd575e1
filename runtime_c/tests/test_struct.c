/* Structs and long doubles in slots: copied in and out, under the type that the signature names. */
#include <float.h>
#include <string.h>

#include "testhelper.h"

typedef struct {
  double x;
  int32_t n;
} point;

static const jf_param_info params[] = {{"p", "test.SlotPoint", NULL}, {"q", "out[test.SlotPoint]", NULL}};
static const jf_call_info info = {"move", 2, 2, params, "test.SlotPoint", NULL};

static void test_a_struct_is_an_object_of_its_type(void) {
  const point given = {1.5, 7};
  jf_temps temps = {NULL};
  jf_any view, text = slot_of_raw("abc"), out = null_out(0);
  void* found;
  for (int32_t index = 0; index < 2; index++) {
    CHECK(jf_lower_struct(&info, index, &given, sizeof given, &view, &temps) == 0);
    CHECK(view.type_code == JF_OBJECT && jf_lift_struct(&info, 1 - index, &view, &found) == 0);
    CHECK(memcmp(found, &given, sizeof given) == 0 && found != &given);
  }
  jf_temps_release(&temps);
  CHECK(jf_out_struct(&info, &given, sizeof given, &out) == 0);
  CHECK(jf_lift_struct(&info, -1, &out, &found) == 0 && ((point*)found)->n == 7);
  jf_any_release(&out);
  CHECK(jf_lift_struct(&info, 0, &text, &found) == -1);
  CHECK_ERROR("TypeError: move: argument 1 'p': expected test.SlotPoint, got str 'abc'");
}

static const jf_param_info wide_params[] = {{"x", "longdouble", NULL}};
static const jf_call_info wide_info = {"sinl", 1, 1, wide_params, "longdouble", NULL};

static void test_a_long_double_is_a_float(void) {
  jf_any view = slot_of_float(0.1), text = slot_of_raw("1");
  long double value = 0;
  CHECK(jf_lift_longdouble(&wide_info, 0, &view, &value) == 0 && value == (long double)0.1);
  CHECK(jf_lift_longdouble(&wide_info, 0, &text, &value) == -1);
  CHECK_ERROR("TypeError: sinl: argument 1 'x': expected longdouble, got str '1'");
  value = 1.5L;
  CHECK(jf_lower_longdouble(&wide_info, -1, &value, &view) == 0);
  CHECK(view.type_code == JF_FLOAT && view.v_float64 == 1.5);
#if LDBL_MAX_EXP > DBL_MAX_EXP
  value = LDBL_MAX;
  CHECK(jf_lower_longdouble(&wide_info, -1, &value, &view) == -1);
  CHECK_ERROR("OverflowError: sinl: result: expected longdouble in the range of float, got one beyond it");
#endif
}

int main(void) {
  RUN(test_a_struct_is_an_object_of_its_type);
  RUN(test_a_long_double_is_a_float);
  return finish();
}
