/* The messages of a failed call: function, argument's position and name, what was expected, what came. */
#include <string.h>

#include "jitffi/runtime.h"
#include "message.h"

static const char* name_of(const jf_call_info* info) { return info && info->name ? info->name : "function"; }

static const jf_param_info* param_of(const jf_call_info* info, int32_t index) {
  return info && info->params && index >= 0 && index < info->num_params ? &info->params[index] : NULL;
}

const char* jf_expected_type(const jf_call_info* info, int32_t index, const char* otherwise) {
  const jf_param_info* param = param_of(info, index);
  const char* type = index < 0 ? (info ? info->result : NULL) : param ? param->type : NULL;
  return type ? type : otherwise;
}

const char jf_self[] = "self";

static int32_t num_bound(const jf_call_info* info) {
  const jf_param_info* first = param_of(info, 0);
  return first && first->name == jf_self;
}

/* "<where>: " and the pieces, one after the other. */
static int32_t fail(const char* kind, const jf_call_info* info, int32_t index, const char* const pieces[5]) {
  const jf_param_info* param = param_of(info, index);
  const int32_t number = index + 1 - num_bound(info);
  if (index == JF_FIELD_INDEX) {
    jf_error_format(kind, "%s: %s%s%s%s%s", name_of(info), pieces[0], pieces[1], pieces[2], pieces[3], pieces[4]);
  } else if (index < 0) {
    jf_error_format(kind, "%s: result: %s%s%s%s%s", name_of(info), pieces[0], pieces[1], pieces[2], pieces[3],
                    pieces[4]);
  } else if (param && param->name) {
    jf_error_format(kind, number ? "%s: argument %d '%s': %s%s%s%s%s" : "%s: argument %.0d'%s': %s%s%s%s%s",
                    name_of(info), number, param->name, pieces[0], pieces[1], pieces[2], pieces[3], pieces[4]);
  } else {
    jf_error_format(kind, "%s: argument %d: %s%s%s%s%s", name_of(info), number, pieces[0], pieces[1], pieces[2],
                    pieces[3], pieces[4]);
  }
  return -1;
}

int32_t jf_fail_argument(const char* kind, const jf_call_info* info, int32_t index, const char* expected,
                         const char* range, const char* got) {
  const char* type = jf_expected_type(info, index, expected);
  return fail(kind, info, index, (const char* const[]){"expected ", type, range, ", got ", got});
}

int32_t jf_fail_place(const char* kind, const jf_call_info* info, int32_t index, const char* what) {
  return fail(kind, info, index, (const char* const[]){what, "", "", "", ""});
}

/* Borrows all. TypeError. */
void jf_fail_type(const jf_call_info* info, int32_t index, const jf_view* got) {
  char described[JF_DESCRIBE_SIZE];
  jf_any_describe(got, described, sizeof described);
  jf_fail_argument("TypeError", info, index, "another type", "", described);
}

int32_t jf_is_out(const jf_param_info* param) { return param->type && strncmp(param->type, "out[", 4) == 0; }

int32_t jf_num_args(const jf_call_info* info, int32_t count) {
  int32_t args = 0;
  for (int32_t i = 0; i < count; i++) args += !jf_is_out(&info->params[i]);
  return args;
}

/* Borrows info. TypeError. */
void jf_fail_arity(const jf_call_info* info, int32_t num_args) {
  const int32_t bound = num_bound(info);
  const int32_t most = info ? jf_num_args(info, info->num_params) - bound : 0;
  const int32_t least = info ? jf_num_args(info, info->num_required) - bound : 0;
  if (num_args >= bound) num_args -= bound;
  if (least < most) {
    jf_error_format("TypeError", "%s: expected %d to %d arguments, got %d", name_of(info), least, most, num_args);
  } else {
    jf_error_format("TypeError", "%s: expected %d argument%s, got %d", name_of(info), most, most == 1 ? "" : "s",
                    num_args);
  }
}
