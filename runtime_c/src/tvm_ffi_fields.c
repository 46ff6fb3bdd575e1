/* Objects of tvm-ffi that jitffi has no type for: one of ours holds each, and gives their fields and methods by name, as
 * tvm-ffi's own type information tells them.
 *
 *   jf_box of "jitffi.TvmFfiObject" -> object of tvm-ffi     __getattr__, __setattr__, __dir__: methods of that type
 */
#include <string.h>

#include "jitffi/types.h"
#include "macros.h"
#include "message.h"
#include "object.h"
#include "slot.h"
#include "tvm_ffi.h"

/* TVMFFIFieldInfo and TVMFFITypeInfo. */
typedef struct {
  jf_span name, doc, metadata;
  int64_t flags, size, alignment, offset;
  int (*get)(void* field, jf_tvmffi_any* result);
  void* set; /* int (*)(void* field, const jf_tvmffi_any* value), or a Function: see the flags */
  jf_tvmffi_any default_value;
  int32_t static_type;
} field_info;
typedef jf_tvmffi_method_info method_info;
typedef struct type_info type_info;
struct type_info {
  int32_t type_index, depth;
  jf_span key;
  const type_info** ancestors;
  uint64_t key_hash;
  int32_t num_fields, num_methods;
  const field_info* fields;
  const method_info* methods;
};
enum { WRITABLE = 1 << 0, STATIC = 1 << 2, SET_BY_FUNCTION = 1 << 11 };

static int is_named(jf_span text, const char* name) {
  const size_t size = strlen(name);
  return text.size == size && memcmp(text.data, name, size) == 0;
}

/* -- what its types tell --------------------------------------------------------------------------------------------------- */

/* NULL with the error set. */
static const type_info* info_of(const jf_tvmffi_object* object) {
  if (jf_tvmffi_open() != 0) return NULL;
  const type_info* found = jf_tvmffi_type_info(object->type_index);
  if (!found) jf_error_format("TypeError", "tvm-ffi has no type of the index %d", object->type_index);
  return found;
}

/* The type itself, then its ancestors from the nearest on; NULL behind the last. */
static const type_info* level(const type_info* type, int32_t at) {
  if (at == 0) return type;
  return at <= type->depth ? type->ancestors[type->depth - at] : NULL;
}

static const field_info* find_field(const type_info* type, const char* name) {
  const type_info* each;
  for (int32_t at = 0; (each = level(type, at)); at++)
    for (int32_t i = 0; i < each->num_fields; i++)
      if (is_named(each->fields[i].name, name)) return &each->fields[i];
  return NULL;
}

static const method_info* find_method(const type_info* type, const char* name) {
  const type_info* each;
  for (int32_t at = 0; (each = level(type, at)); at++)
    for (int32_t i = 0; i < each->num_methods; i++)
      if (is_named(each->methods[i].name, name)) return &each->methods[i];
  return NULL;
}

static int32_t no_attribute(const type_info* type, const char* name, const char* why) {
  char quoted[JF_QUOTE_SIZE];
  jf_error_format("AttributeError", "%.*s %s %s", (int)type->key.size, type->key.data, why,
                  jf_quote(name, quoted, sizeof quoted));
  return -1;
}

/* -- methods: functions of the object that they were asked of ------------------------------------------------------------ */

enum { FEW = 8 };

typedef struct {
  jf_tvmffi_function_object* method;
  jf_object* self;
} bound;

static void delete_bound(void* given) {
  bound* held = given;
  jf_tvmffi_release(held->method);
  jf_object_release(held->self);
  jf_free(held);
}

static int32_t call_bound(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  const bound* held = jf_function_captures(&self->header, delete_bound);
  jf_view few[FEW], *views = few;
  const size_t count = (size_t)num_args + 1;
  if (count > FEW) views = jf_alloc(count * sizeof *views);
  if (!views) return jf_error_no_memory(), -1;
  views[0] = (jf_view){.type_code = JF_OBJECT};
  views[0].v_object = held->self;
  if (num_args > 0) memcpy(views + 1, args, (size_t)num_args * sizeof *args);
  const int32_t status = jf_tvmffi_invoke(held->method->call, held->method, num_args + 1, views, out);
  if (views != few) jf_free(views);
  return status;
}

static jf_object* bind(jf_object* self, const method_info* method) {
  jf_tvmffi_function_object* function = method->method.v_pointer;
  if (method->flags & STATIC) return jf_tvmffi_wrap(function);
  bound* held = jf_alloc(sizeof *held);
  if (!held) return jf_error_no_memory(), NULL;
  *held = (bound){function, self};
  jf_object* made = jf_function_new(call_bound, held, delete_bound, NULL);
  if (!made) return jf_free(held), NULL;
  jf_tvmffi_retain(function);
  jf_object_retain(self);
  return made;
}

/* -- by name --------------------------------------------------------------------------------------------------------------- */

/* What an object of ours holds; NULL with TypeError. */
static jf_tvmffi_object* held_by(const jf_object* object) {
  if (object && object->type_code == jf_tvmffi_object_code_now()) return ((const jf_box*)object)->v_handle;
  jf_error_set("TypeError", "expected an object of tvm-ffi's");
  return NULL;
}

int32_t jf_tvmffi_get(jf_object* object, const char* name, jf_value* out) {
  jf_tvmffi_object* held = held_by(object);
  const type_info* type = held ? info_of(held) : NULL;
  if (!type) return -1;
  const field_info* field = find_field(type, name);
  if (field) {
    jf_tvmffi_any value = {0};
    if (field->get((char*)held + field->offset, &value) == 0) return jf_tvmffi_take(&value, out);
    jf_tvmffi_failed();
    return -1;
  }
  const method_info* method = find_method(type, name);
  if (!method || method->method.type_index != JF_TVMFFI_FUNCTION) return no_attribute(type, name, "has no attribute");
  jf_object* made = bind(object, method);
  if (!made) return -1;
  jf_out_object(out, made);
  return 0;
}

int32_t jf_tvmffi_set(jf_object* object, const char* name, const jf_view* value) {
  jf_tvmffi_object* held = held_by(object);
  const type_info* type = held ? info_of(held) : NULL;
  if (!type) return -1;
  const field_info* field = find_field(type, name);
  if (!field) return no_attribute(type, name, "has no field");
  if (!(field->flags & WRITABLE) || !field->set) return no_attribute(type, name, "has as read-only");
  jf_tvmffi_any given[2] = {{.type_index = JF_TVMFFI_POINTER, .v_pointer = (char*)held + field->offset}}, result = {0};
  if (jf_tvmffi_from_view(value, &given[1], 0) != 0) return -1;
  int32_t failed;
  if (field->flags & SET_BY_FUNCTION) {
    jf_tvmffi_function_object* function = field->set;
    failed = function->call(function, given, 2, &result);
  } else {
    failed = ((int (*)(void*, const jf_tvmffi_any*))field->set)(given[0].v_pointer, &given[1]);
  }
  if (failed) jf_tvmffi_failed();
  jf_tvmffi_end(&given[1]);
  jf_tvmffi_end(&result);
  return failed ? -1 : 0;
}

/* -- the type that holds them ---------------------------------------------------------------------------------------------- */

/* The text of an argument, which lives as long as temps. */
static int32_t name_of(const jf_view* view, const char** name, jf_temps* temps) {
  return jf_lift_cstr(NULL, 1, view, name, temps);
}

static int32_t fail_call(const char* method) {
  if (!jf_error_peek()) jf_error_format("TypeError", "%s: wrong number of arguments", method);
  return -1;
}

static int32_t call_get(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self;
  jf_temps temps = {NULL};
  const char* name;
  if (num_args != 2) return fail_call("__getattr__");
  int32_t status = name_of(&args[1], &name, &temps);
  if (status == 0) status = jf_tvmffi_get(jf_any_object(&args[0]), name, out);
  jf_temps_release(&temps);
  return status;
}

static int32_t call_set(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self;
  (void)out;
  jf_temps temps = {NULL};
  const char* name;
  if (num_args != 3) return fail_call("__setattr__");
  int32_t status = name_of(&args[1], &name, &temps);
  if (status == 0) status = jf_tvmffi_set(jf_any_object(&args[0]), name, &args[2]);
  jf_temps_release(&temps);
  return status;
}

static int32_t append(jf_object* list, jf_span name) {
  jf_value text = {.type_code = JF_NULL};
  const int32_t failed = jf_out_str(&text, name.data, name.size) || jf_list_append(list, &text);
  jf_any_release(&text);
  return failed;
}

static int32_t call_dir(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self;
  const jf_tvmffi_object* held = num_args == 1 ? held_by(jf_any_object(&args[0])) : NULL;
  if (!held) return fail_call("__dir__");
  const type_info *type = info_of(held), *each;
  if (!type) return -1;
  jf_object* list = jf_list_new(0, 1);
  int32_t failed = !list;
  for (int32_t at = 0; !failed && (each = level(type, at)); at++) {
    for (int32_t i = 0; !failed && i < each->num_fields; i++) failed = append(list, each->fields[i].name);
    for (int32_t i = 0; !failed && i < each->num_methods; i++) failed = append(list, each->methods[i].name);
  }
  if (failed) {
    if (list) jf_object_release(list);
    return -1;
  }
  jf_out_object(out, list);
  return 0;
}

static int32_t equal(const jf_any* a, const jf_any* b) {
  const jf_object *left = jf_any_object(a), *right = jf_any_object(b);
  return left && right && left->type_code == right->type_code &&
         ((const jf_box*)left)->v_handle == ((const jf_box*)right)->v_handle;
}

static int32_t hash(jf_object* object, uint64_t* result) {
  *result = JF_POINTER_WORD(((jf_box*)object)->v_handle) >> 4;
  return 0;
}

/* tvm-ffi's own text of it. */
static int32_t repr(jf_object* object, jf_value* out) {
  jf_tvmffi_object* held = ((jf_box*)object)->v_handle;
  const jf_tvmffi_any given = {.type_index = held->type_index, .v_object = held};
  jf_tvmffi_any result = {0};
  if (jf_tvmffi_call_global(TVMFFI_REPR, &given, 1, &result) != 0) return -1;
  return jf_tvmffi_take(&result, out);
}

static int32_t call_equal(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self;
  if (num_args != 2 || !held_by(jf_any_object(&args[0]))) return fail_call("__eq__");
  *out = (jf_value){.type_code = JF_BOOL, .v_int64 = equal(&args[0], &args[1])};
  return 0;
}

static int32_t call_hash(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self;
  uint64_t result;
  if (num_args != 1 || !held_by(jf_any_object(&args[0]))) return fail_call("__hash__");
  hash(jf_any_object(&args[0]), &result);
  *out = (jf_value){.type_code = JF_INT, .v_int64 = (int64_t)result};
  return 0;
}

static int32_t call_repr(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self;
  if (num_args != 1 || !held_by(jf_any_object(&args[0]))) return fail_call("__repr__");
  return repr(jf_any_object(&args[0]), out);
}

static int32_t define(void) {
  static const jf_type_operations operations = {.equal = equal, .hash = hash, .repr = repr};
  static const struct {
    const char* name;
    jf_packed_call call;
  } methods[] = {{"__getattr__", call_get}, {"__setattr__", call_set}, {"__dir__", call_dir},
                 {"__eq__", call_equal},    {"__hash__", call_hash},   {"__repr__", call_repr}};
  const jf_type_info type = {.key = "jitffi.TvmFfiObject",
                             .doc = "An object of tvm-ffi, with its fields and methods by name.",
                             .parent = JF_ROOT};
  const int32_t code = jf_type_define(&type);
  if (!code) return 0;
  for (size_t i = 0; i < sizeof methods / sizeof *methods; i++) {
    jf_object* function = jf_function_new(methods[i].call, NULL, NULL, NULL);
    if (!function) return 0;
    const jf_method method = {methods[i].name, NULL, 0, function};
    const int32_t failed = jf_type_set_method(code, &method);
    jf_object_release(function);
    if (failed) return 0;
  }
  return jf_type_get_operations(code) == &operations || jf_type_set_operations(code, &operations) == 0 ? code : 0;
}

static int32_t the_code = -1;

int32_t jf_tvmffi_object_code_now(void) { return __atomic_load_n(&the_code, __ATOMIC_RELAXED); }

int32_t jf_tvmffi_object_code(void) {
  int32_t known = jf_tvmffi_object_code_now();
  if (known > 0) return known;
  known = define(); /* two threads find the same one */
  if (known) __atomic_store_n(&the_code, known, __ATOMIC_RELAXED);
  return known;
}
