/* What code in files calls where code in memory has a state: arguments left out, results checked, texts kept, and
 * function objects as C function pointers.
 */
#include <string.h>

#include "jitffi/emitted.h"

#include "code.h"
#include "jitffi/runtime.h"
#include "lock.h"
#include "message.h"
#include "slot.h"
#include "threads.h"

/* Borrows all. */
const jf_view* jf_arrange(const jf_call_info* info, const jf_view* defaults, int32_t given, const jf_view* args,
                          jf_view* out) {
  const int32_t most = jf_num_args(info, info->num_params);
  if (given < jf_num_args(info, info->num_required) || given > most || (given < most && !defaults)) {
    jf_fail_arity(info, given);
    return NULL;
  }
  if (given) memcpy(out, args, (size_t)given * sizeof *out);
  for (int32_t i = 0, at = 0; i < info->num_params; i++) {
    if (jf_is_out(&info->params[i])) continue;
    if (at >= given) out[at] = defaults[i];
    at++;
  }
  return out;
}

/* Borrows info. */
int32_t jf_fail_null(const jf_call_info* info, int32_t index) {
  return jf_fail_argument("ValueError", info, index, "a pointer", "", "NULL");
}

/* Borrows info. */
int32_t jf_null_result(const jf_call_info* info, int32_t nullable) {
  if (jf_error_peek()) return -1;
  return nullable ? 0 : jf_fail_null(info, -1);
}

/* -- text that came in another width than C was promised -- */

static int32_t settle_ucs4(const jf_call_info* info, jf_value* out) {
  jf_ucs4_span text;
  jf_temps temps = {NULL};
  int32_t status = jf_lift_ucs4(info, -1, out, &text, &temps);
  if (status == 0 && (temps.head || text.size == 0)) {
    jf_any_release(out);
    status = jf_out_ucs4(out, text.data, text.size);
  }
  jf_temps_release(&temps);
  return status;
}

static int32_t settle_str(const jf_call_info* info, jf_value* out) {
  jf_span text;
  jf_temps temps = {NULL};
  int32_t status = jf_lift_str(info, -1, out, &text, &temps);
  if (status == 0 && (temps.head || text.size == 0)) {
    jf_any_release(out);
    status = jf_out_str(out, text.data, text.size);
  }
  jf_temps_release(&temps);
  return status;
}

/* What is read as bytes, an array or another language's buffer, becomes bytes. */
static int32_t settle_bytes(const jf_call_info* info, jf_value* out) {
  jf_span span;
  jf_any scratch;
  jf_temps temps = {NULL};
  int32_t status = jf_lift_bytes(info, -1, out, &span, &temps);
  if (status == 0 && jf_any_text(jf_any_resolve(out, &scratch)).kind != JF_TEXT_BYTES) {
    jf_object* bytes = jf_bytes_new(span.data, span.size);
    status = bytes ? 0 : -1;
    if (bytes) jf_any_release(out), jf_out_object(out, bytes);
  }
  jf_temps_release(&temps);
  return status;
}

/* Borrows info. */
int32_t jf_check_out(const jf_call_info* info, jf_value* out) {
  const char* type = info->result;
  if (strncmp(type, "optional[", 9) == 0) type += 9;
  if (strncmp(type, "ucs4", 4) == 0) return settle_ucs4(info, out);
  if (strncmp(type, "str", 3) == 0) return settle_str(info, out);
  return settle_bytes(info, out);
}

/* -- texts that stay after the call that returned them -- */

typedef struct kept_text kept_text;
struct kept_text {
  kept_text* next;
  const void* key;
  size_t capacity;
  char* text;
};

static __thread kept_text* kept_texts;

static void free_kept_texts(void* ignored) {
  (void)ignored;
  while (kept_texts) {
    kept_text* kept = kept_texts;
    kept_texts = kept->next;
    jf_free(kept->text);
    jf_free(kept);
  }
}

JF_AT_THREAD_END(free_kept_texts);

/* This thread's record of that key, made on first sight; NULL without memory. */
static kept_text* kept_text_of(const void* key) {
  kept_text* kept = kept_texts;
  while (kept && kept->key != key) kept = kept->next;
  if (kept) return kept;
  kept = jf_alloc(sizeof *kept);
  if (!kept) return NULL;
  *kept = (kept_text){kept_texts, key, 0, NULL};
  kept_texts = kept;
  watch_thread();
  return kept;
}

/* Borrows all; the result is borrowed from this thread. */
const char* jf_keep_cstr(const void* key, const char* text, const jf_call_info* info) {
  const size_t size = strlen(text) + 1;
  kept_text* kept = kept_text_of(key);
  if (kept && kept->capacity < size) {
    char* larger = jf_alloc(size);
    if (larger) {
      jf_free(kept->text);
      kept->text = larger;
      kept->capacity = size;
    } else {
      kept = NULL;
    }
  }
  if (kept) return memcpy(kept->text, text, size);
  if (info && info->name)
    jf_error_format("MemoryError", "%s: no memory for its result", info->name);
  else
    jf_error_no_memory();
  return NULL;
}

/* Never fails. */
int32_t jf_take_pending(void) {
  if (!jf_error_is_pending()) return 0;
  jf_error_set_object(jf_error_take());
  return 1;
}

/* -- function objects as C function pointers -- */

/* What a call finds that another thread makes while its closure is killed. */
static int32_t call_dead(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self, (void)num_args, (void)args, (void)out;
  jf_error_set("RuntimeError", "a native function pointer was called while its Function was released");
  return -1;
}

static jf_function dead_function = {.header = {.type_code = JF_FUNCTION, .ref_count = 1}, .call = call_dead};

static void end_closure(void* made) {
  jf_closure* closure = made;
  jf_object* function = closure->state;
  jf_closure_kill(closure, &dead_function);
  jf_object_release(function);
}

/* What was a result lives for ever, once a function object and body: who holds its address is never known. Under the
 * lock; what is in the list is never changed. */
typedef struct lasting lasting;
struct lasting {
  lasting* next;
  jf_object* function; /* owned */
  const void* body;    /* NULL: `address` is its native one */
  void* address;
};
enum { BUCKETS = 256 };
static lasting* lasting_functions[BUCKETS];

static lasting** bucket_of(const jf_object* function) {
  return &lasting_functions[((uintptr_t)function >> 5) * 0x9E3779B1u >> 8 & (BUCKETS - 1)];
}

static void* find_lasting(const jf_object* function, const void* body) {
  jf_lock();
  const lasting* at = *bucket_of(function);
  while (at && (at->function != function || at->body != body)) at = at->next;
  jf_unlock();
  return at ? at->address : NULL;
}

/* Retains function. Two threads may make two of one. */
static int32_t keep_lasting(jf_object* function, const void* body, void* address) {
  lasting* kept = jf_alloc(sizeof *kept);
  if (!kept) {
    jf_error_no_memory();
    return -1;
  }
  jf_object_retain(function);
  jf_lock();
  lasting** bucket = bucket_of(function);
  *kept = (lasting){*bucket, function, body, address};
  *bucket = kept;
  jf_unlock();
  return 0;
}

static int32_t borrow_native(jf_object* function, int32_t index, void** out) {
  *out = ((const jf_function*)function)->native;
  if (index >= 0 || find_lasting(function, NULL)) return 0;
  return keep_lasting(function, NULL, *out);
}

static int32_t wrap(jf_object* function, int32_t index, const jf_callback_type* type, void** out, jf_temps* temps) {
  if (index < 0 && (*out = find_lasting(function, type->body))) return 0;
  jf_closure* closure = jf_closure_new(function, type->body, type->result_class);
  if (!closure) return -1;
  jf_object_retain(function);
  *out = jf_closure_address(closure);
  if (index >= 0) return jf_temps_add(temps, closure, end_closure);
  int32_t status = keep_lasting(function, type->body, *out);
  if (status == 0)
    jf_object_release(function); /* the list has its own */
  else
    end_closure(closure);
  return status;
}

/* Borrows all; *out is borrowed from what the view holds, or from temps, or lives for ever. On failure it is unspecified. */
int32_t jf_lift_callback(const jf_call_info* info, int32_t index, const jf_view* view, const jf_callback_type* type,
                         void** out, jf_temps* temps) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(view, &scratch);
  if (slot->type_code == JF_HANDLE) {
    *out = slot->v_handle;
    return 0;
  }
  jf_object* object = jf_any_object(slot);
  if (!object || !jf_type_is_a(object->type_code, JF_FUNCTION)) {
    jf_fail_type(info, index, view);
    return -1;
  }
  const jf_function* function = (const jf_function*)object;
  if (function->native && function->types && strcmp(function->types, type->types) == 0) {
    return borrow_native(object, index, out);
  }
  if (type->body && jf_closures_exist()) return wrap(object, index, type, out, temps);
  return jf_fail_argument("TypeError", info, index, type->types, "",
                          "a function object, which cannot be made a C function here: pass a C function's address");
}
