/* long double in slots: a float. What is no long double of this machine's C is no business of generated code, which moves the
 * bytes alone. */
#include <math.h>
#include <string.h>

#include "jitffi/runtime.h"
#include "macros.h"
#include "message.h"

/* Borrows all; writes sizeof(long double) bytes. */
int32_t jf_lift_longdouble(const jf_call_info* info, int32_t index, const jf_view* view, void* out) {
  double value;
  if (jf_lift_scalar(info, index, view, JF_KIND_LONGDOUBLE, &value) != 0) return -1;
  const long double wide = value;
  memcpy(out, &wide, sizeof wide);
  return 0;
}

static JF_COLD int32_t fail_beyond(const jf_call_info* info, int32_t index) {
  return jf_fail_argument("OverflowError", info, index, "longdouble", " in the range of float", "one beyond it");
}

/* Borrows all. The view stays as it is on failure. */
int32_t jf_lower_longdouble(const jf_call_info* info, int32_t index, const void* value, jf_view* out) {
  long double wide;
  memcpy(&wide, value, sizeof wide);
  const double rounded = (double)wide;
  if (isinf(rounded) && !isinf(wide)) return fail_beyond(info, index);
  out->type_code = JF_FLOAT;
  out->small_len = 0;
  out->v_float64 = rounded;
  return 0;
}
