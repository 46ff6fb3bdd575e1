/* One of three languages: what three_cpp.cxx and test_three_languages.py do, too, under names that begin with "c.". */
#include <jitffi/abi.h>
#include <jitffi/containers.h>
#include <jitffi/runtime.h>
#include <jitffi/types.h>
#include <string.h>

static int32_t echo(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self, (void)num_args;
  return jf_any_retain(&args[0], out);
}

/* name, arguments: calls the global function. */
static int32_t call(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self;
  jf_temps temps = {NULL};
  const char* name;
  int32_t status = jf_lift_cstr(NULL, 0, &args[0], &name, &temps);
  jf_object* function = status == 0 ? jf_global_get(name) : NULL;
  if (status == 0 && !function) {
    jf_global_fail_unknown(name);
    status = -1;
  }
  if (status == 0) status = jf_function_call(function, num_args - 1, args + 1, out);
  jf_object_release(function);
  jf_temps_release(&temps);
  return status;
}

/* The error of that call, as an object. */
static int32_t caught(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  if (call(self, num_args, args, out) == 0) {
    jf_any_release(out);
    return 0;
  }
  jf_out_object(out, jf_error_take());
  return 0;
}

static int32_t append_name(const char* name, void* list) {
  const jf_view view = {JF_RAW_STR, 0, {.v_raw_str = name}};
  return jf_list_append((jf_object*)list, &view);
}

static int32_t names(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self, (void)num_args, (void)args;
  jf_object* list = jf_list_new(0, -1);
  if (!list) return -1;
  const int32_t status = jf_global_list(append_name, list);
  jf_out_object(out, list);
  return status;
}

/* name, function: registers it; name alone: removes it. */
static int32_t change(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self, (void)out;
  jf_temps temps = {NULL};
  const char* name;
  jf_object* function;
  int32_t status = jf_lift_cstr(NULL, 0, &args[0], &name, &temps);
  if (status == 0 && num_args == 1) {
    status = jf_global_remove(name);
  } else if (status == 0) {
    status = jf_lift_object(NULL, 1, &args[1], JF_FUNCTION, &function, &temps);
    if (status == 0) status = jf_global_set(name, function, 0);
  }
  jf_temps_release(&temps);
  return status;
}

static int32_t fail(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self, (void)num_args, (void)out;
  jf_temps temps = {NULL};
  const char *kind, *message;
  if (jf_lift_cstr(NULL, 0, &args[0], &kind, &temps) == 0 && jf_lift_cstr(NULL, 1, &args[1], &message, &temps) == 0) {
    jf_error_set(kind, message);
  }
  jf_temps_release(&temps);
  return -1;
}

/* function, arguments: calls it. */
static int32_t apply(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self;
  jf_temps temps = {NULL};
  jf_object* function;
  int32_t status = jf_lift_object(NULL, 0, &args[0], JF_FUNCTION, &function, &temps);
  if (status == 0) status = jf_function_call(function, num_args - 1, args + 1, out);
  jf_temps_release(&temps);
  return status;
}

typedef struct {
  jf_object header;
  double x;
} point;
static int32_t point_code;

static int32_t make(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self, (void)num_args, (void)args;
  jf_object* made = jf_object_make_of(point_code);
  if (!made) return -1;
  ((point*)made)->x = 1.5;
  jf_out_object(out, made);
  return 0;
}

static int32_t twice(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self, (void)num_args;
  *out = (jf_value){JF_FLOAT, 0, {.v_float64 = 2 * ((const point*)args[0].v_object)->x}};
  return 0;
}

/* object, field: its value. object, field, value: sets it. */
static int32_t field(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self;
  jf_temps temps = {NULL};
  jf_object* object;
  const char* name;
  int32_t status = jf_lift_object(NULL, 0, &args[0], JF_ROOT, &object, &temps);
  if (status == 0) status = jf_lift_cstr(NULL, 1, &args[1], &name, &temps);
  if (status == 0) status = num_args == 2 ? jf_object_get(object, name, out) : jf_object_set(object, name, &args[2]);
  jf_temps_release(&temps);
  return status;
}

/* object, name: calls the method. */
static int32_t method(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self, (void)num_args;
  jf_temps temps = {NULL};
  const char* name;
  int32_t status = jf_lift_cstr(NULL, 1, &args[1], &name, &temps);
  if (status == 0) status = jf_method_call(name, 1, args, out);
  jf_temps_release(&temps);
  return status;
}

static int32_t kind(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self, (void)num_args;
  jf_temps temps = {NULL};
  jf_object* error;
  int32_t status = jf_lift_object(NULL, 0, &args[0], JF_ERROR, &error, &temps);
  const jf_str* text = status == 0 ? ((const jf_error*)error)->kind : NULL;
  if (status == 0) status = jf_out_str(out, text->data, text->size);
  jf_temps_release(&temps);
  return status;
}

static int32_t raise_it(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self, (void)num_args, (void)out;
  jf_temps temps = {NULL};
  jf_object* error;
  if (jf_lift_object(NULL, 0, &args[0], JF_ERROR, &error, &temps) == 0) {
    jf_object_retain(error);
    jf_error_set_object(error);
  }
  jf_temps_release(&temps);
  return -1;
}

static int32_t define_point(void) {
  const jf_field fields[] = {{.name = "x", .type = "f64", .offset = sizeof(jf_object), .kind = JF_KIND_F64}};
  const jf_type_info type = {
      .key = "c.Point", .parent = JF_ROOT, .num_fields = 1, .fields = fields, .size = sizeof(point)};
  point_code = jf_type_define(&type);
  if (!point_code) return -1;
  jf_object* function = jf_function_new(twice, NULL, NULL, "(object) -> f64");
  const jf_method made = {"twice", NULL, 0, function};
  const int32_t status = function ? jf_type_set_method(point_code, &made) : -1;
  jf_object_release(function);
  return status;
}

JITFFI_EXPORT(start, "() -> void") {
  if (define_point() != 0) return -1;
  static const struct {
    const char* name;
    jf_packed_call call;
  } functions[] = {{"c.echo", echo},     {"c.call", call},     {"c.caught", caught}, {"c.names", names},
                   {"c.change", change}, {"c.fail", fail},     {"c.apply", apply},   {"c.make", make},
                   {"c.field", field},   {"c.method", method}, {"c.kind", kind},     {"c.raise", raise_it}};
  for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
    jf_object* made = jf_function_new(functions[i].call, NULL, NULL, NULL);
    const int32_t status = made ? jf_global_set(functions[i].name, made, 1) : -1;
    jf_object_release(made);
    if (status != 0) return -1;
  }
  return 0;
}
JITFFI_EXPORT_ABI;
