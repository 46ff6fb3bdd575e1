/* Function objects, calling them, and interned texts, by which callers compare what a function takes. */
#include <assert.h>
#include <string.h>

#include "decimal.h"
#include "jitffi/emitted.h"
#include "jitffi/runtime.h"
#include "lock.h"
#include "message.h"
#include "object.h"
#include "table.h"

/* The captures' pointer lies at 48, where generated code looks for it; what is behind it is known here only. */
typedef struct {
  jf_function function;
  void* captures;
  void (*delete_captures)(void*);
  const char* name; /* for tracebacks; "": it is in them anyway; NULL: not known. Atomic */
  char signature[];
} function_record;

_Static_assert(offsetof(function_record, captures) == 48, "captures follow the public fields");

static jf_table interned; /* text -> itself, under the lock */

static void delete_function(jf_object* object) {
  function_record* function = (function_record*)object;
  if (function->delete_captures) function->delete_captures(function->captures);
  jf_object_free(object);
}

/* New; borrows signature; owns captures from now on if deleter is not NULL. NULL with MemoryError set: the captures are
 * still the caller's. */
jf_object* jf_function_new(jf_packed_call call, void* captures, void (*deleter)(void*), const char* signature) {
  assert(call);
  size_t text_size = signature ? strlen(signature) + 1 : 0;
  function_record* made = jf_object_new(sizeof *made + text_size, JF_FUNCTION, delete_function);
  if (!made) return NULL;
  made->function.call = call;
  made->captures = captures;
  made->delete_captures = deleter;
  if (signature) made->function.signature = memcpy(made->signature, signature, text_size);
  return &made->function.header;
}

/* Borrows function; what it gives lives as long as function does. */
void* jf_function_captures(const jf_object* function, void (*deleter)(void*)) {
  if (!function || function->deleter != delete_function) return NULL;
  const function_record* record = (const function_record*)function;
  return record->delete_captures == deleter ? record->captures : NULL;
}

/* Borrows function, one made here. Another thread must not look at its captures meanwhile. */
void jf_function_set_deleter(jf_object* function, void (*deleter)(void*)) {
  ((function_record*)function)->delete_captures = deleter;
}

/* Borrows both. */
void jf_function_set_name(jf_object* function, const char* name) {
  if (function->deleter != delete_function) return;
  __atomic_store_n(&((function_record*)function)->name, name, __ATOMIC_RELEASE);
}

/* Borrowed; NULL where it has none, and "function" where it could have one. */
const char* jf_function_name(const jf_object* function) {
  if (function->deleter != delete_function) return NULL;
  const char* name = __atomic_load_n(&((const function_record*)function)->name, __ATOMIC_ACQUIRE);
  return name ? name : "function";
}

/* Borrows all; `type` is its key where it is a method, else NULL. -1 with MemoryError. */
int32_t jf_function_name_once(jf_object* function, const char* type, const char* name) {
  if (function->deleter != delete_function) return 0;
  if (__atomic_load_n(&((function_record*)function)->name, __ATOMIC_ACQUIRE)) return 0;
  const size_t size = (type ? strlen(type) + 1 : 0) + strlen(name) + 1;
  char* joined = type ? jf_alloc(size) : NULL;
  if (type && !joined) return jf_error_no_memory(), -1;
  if (type) jf_print(joined, size, "%s.%s", type, name);
  const char* kept = jf_intern(type ? joined : name);
  jf_free(joined);
  if (!kept) return -1;
  jf_function_set_name(function, kept);
  return 0;
}

/* Borrows function and args. *out is a null out-slot; it gets the owned result, or null on failure. The function, and so its
 * code, is held while it runs: what it calls may drop the caller's reference. */
int32_t jf_function_call(jf_object* function, int32_t num_args, const jf_view* args, jf_value* out) {
  assert(out->type_code == JF_NULL);
  if (!function || !jf_type_is_a(function->type_code, JF_FUNCTION)) {
    jf_out_init(out, 0);
    jf_error_format("TypeError", "cannot call %s", function ? jf_type_key(function->type_code) : "null");
    return -1;
  }
  jf_function* callee = (jf_function*)function;
  jf_object_retain(function);
  int32_t status = jf_call_guarded(callee, num_args, args, out, callee->call);
  assert(status != 0 || jf_any_ok(out, 1, NULL));
  if (status != 0) jf_call_failed(callee, out);
  jf_object_release(function);
  return status;
}

/* Borrows text; the result lives for ever. NULL with MemoryError set. */
const char* jf_intern(const char* text) {
  jf_lock();
  jf_entry* known = jf_table_find(&interned, text);
  char* copy = NULL;
  if (!known) {
    size_t size = strlen(text) + 1;
    copy = jf_alloc(size);
    if (copy) memcpy(copy, text, size);
    if (copy && jf_table_put(&interned, copy, copy) != 0) {
      jf_free(copy);
      copy = NULL;
    }
  }
  const char* result = known ? known->value : copy;
  jf_unlock();
  if (!result) jf_error_no_memory();
  return result;
}
