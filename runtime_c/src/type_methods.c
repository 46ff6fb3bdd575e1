/* Methods of types: functions by name, which may be replaced. */
#include <string.h>

#include "jitffi/types.h"
#include "lock.h"
#include "message.h"
#include "object.h"
#include "slot.h"

/* Of one type, newest last. Entries are never freed; the function (NULL: it was taken out) and the doc change under the
 * lock. */
struct jf_methods {
  jf_methods* next;
  const char* name;
  const char* doc; /* interned; or NULL */
  jf_object* function;
  int32_t is_static;
};

/* Under the lock. */
static jf_methods* find(jf_methods* methods, const char* name) {
  while (methods && strcmp(methods->name, name) != 0) methods = methods->next;
  return methods;
}

/* New, linked nowhere; NULL with MemoryError. */
static jf_methods* make(const char* name) {
  const size_t size = strlen(name) + 1;
  jf_methods* made = jf_alloc(sizeof *made + size);
  if (!made) {
    jf_error_no_memory();
    return NULL;
  }
  *made = (jf_methods){.name = memcpy(made + 1, name, size)};
  return made;
}

/* Borrows method. -1 with ValueError or MemoryError set. */
int32_t jf_type_set_method(int32_t code, const jf_method* method) {
  jf_type_extra* extra = jf_type_extra_of(code);
  const jf_object* function = method->function;
  if (!extra || (function && !jf_type_is_a(function->type_code, JF_FUNCTION))) {
    jf_error_format("ValueError", "type code %d: %s", code,
                    extra ? "a method is a function" : "it is no registered type's, and can have no methods");
    return -1;
  }
  if (function && jf_function_name_once(method->function, jf_type_key(code), method->name) != 0) return -1;
  const char* doc = method->doc ? jf_intern(method->doc) : NULL;
  jf_methods* fresh = method->doc && !doc ? NULL : make(method->name);
  if (!fresh) return -1;
  jf_object_retain(method->function);
  jf_lock();
  jf_methods* known = find(extra->methods, method->name);
  if (!known) {
    jf_methods** last = &extra->methods;
    while (*last) last = &(*last)->next;
    known = *last = fresh;
    fresh = NULL;
  }
  jf_object* before = known->function;
  known->function = method->function;
  known->doc = doc;
  known->is_static = method->is_static;
  jf_unlock();
  jf_free(fresh);
  jf_object_release(before);
  return 0;
}

/* New; NULL: there is none. Never fails. */
jf_object* jf_type_method(int32_t code, const char* name) {
  jf_object* found = NULL;
  jf_lock();
  for (; code > 0 && !found; code = jf_type_parent(code)) {
    const jf_type_extra* extra = jf_type_extra_of(code);
    const jf_methods* known = extra ? find(extra->methods, name) : NULL;
    found = known ? known->function : NULL;
  }
  jf_object_retain(found);
  jf_unlock();
  return found;
}

/* Borrows context. What visit returned that was not 0, else 0. */
int32_t jf_type_each_method(int32_t code, int32_t (*visit)(const jf_method* method, void* context), void* context) {
  const jf_type_extra* extra = jf_type_extra_of(code);
  int32_t stop = 0;
  jf_lock();
  for (const jf_methods* at = extra ? extra->methods : NULL; at && !stop; at = at->next) {
    if (!at->function) continue;
    const jf_method method = {at->name, at->doc, at->is_static, at->function};
    jf_object_retain(method.function);
    jf_unlock();
    stop = visit(&method, context);
    jf_object_release(method.function);
    jf_lock();
  }
  jf_unlock();
  return stop;
}

/* Borrows all but *out, which is owned. -1 with the error set. */
int32_t jf_method_call(const char* name, int32_t num_args, const jf_view* args, jf_value* out) {
  jf_any scratch;
  const jf_object* object = num_args > 0 ? jf_any_object(jf_any_resolve(&args[0], &scratch)) : NULL;
  char quoted[JF_QUOTE_SIZE];
  jf_quote(name, quoted, sizeof quoted);
  if (!object) {
    jf_error_format("TypeError", "method %s: its first argument is no object", quoted);
    return -1;
  }
  jf_object* function = jf_type_method(object->type_code, name);
  if (!function) {
    jf_error_format("AttributeError", "%s has no method %s", jf_type_key(object->type_code), quoted);
    return -1;
  }
  const int32_t status = jf_function_call(function, num_args, args, out);
  jf_object_release(function);
  return status;
}
