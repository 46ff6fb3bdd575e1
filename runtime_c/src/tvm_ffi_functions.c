/* Functions between tvm-ffi and us: a function object of ours whose call is one of that convention, and the other way.
 *
 *   jf_function | captures --> call, self         a function of the convention, or one of its Functions
 *   its Function | function --> jf_function       made here
 */
#include "jitffi/runtime.h"
#include "message.h"
#include "object.h"
#include "tvm_ffi.h"

enum { FEW = 8 }; /* arguments that take no memory but the stack's */

/* -- its functions as ours ----------------------------------------------------------------------------------------------- */

typedef struct {
  jf_tvmffi_call call;
  void* self;
  void* owner;
  void (*deleter)(void*);
} captures;

static void delete_captures(void* given) {
  captures* held = given;
  if (held->deleter) held->deleter(held->owner);
  jf_free(held);
}

int32_t jf_tvmffi_invoke(jf_tvmffi_call call, void* self, int32_t num_args, const jf_view* args, jf_value* out) {
  jf_tvmffi_any few[FEW], *items = few, result = {0};
  if (num_args > FEW) items = jf_alloc((size_t)num_args * sizeof *items);
  if (!items) return jf_error_no_memory(), -1;
  items[0] = result; /* a compiler cannot see that a call without arguments reads none */
  int32_t status = 0, made = 0;
  while (made < num_args && status == 0) {
    status = jf_tvmffi_from_view(&args[made], &items[made], 0); /* what fails is None */
    made++;
  }
  if (status == 0) {
    status = call(self, items, num_args, &result);
    if (status != 0) jf_tvmffi_failed();
    if (status == 0) status = jf_tvmffi_take(&result, out);
  }
  while (made > 0) jf_tvmffi_end(&items[--made]);
  if (items != few) jf_free(items);
  return status == 0 ? 0 : -1;
}

static int32_t call_theirs(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  const captures* held = jf_function_captures(&self->header, delete_captures);
  return jf_tvmffi_invoke(held->call, held->self, num_args, args, out);
}

jf_object* jf_tvmffi_function(jf_tvmffi_call call, void* self, void* owner, void (*deleter)(void*),
                              const char* signature) {
  captures* held = jf_alloc(sizeof *held);
  if (!held) return jf_error_no_memory(), NULL;
  *held = (captures){call, self, owner, deleter};
  jf_object* made = jf_function_new(call_theirs, held, delete_captures, signature);
  if (!made) jf_free(held);
  return made;
}

void* jf_tvmffi_owner(const jf_object* function, void (*deleter)(void*)) {
  const captures* held = jf_function_captures(function, delete_captures);
  return held && held->deleter == deleter ? held->owner : NULL;
}

int32_t jf_tvmffi_set_deleter(jf_object* function, void (*deleter)(void*)) {
  captures* held = jf_function_captures(function, delete_captures);
  if (held) held->deleter = deleter;
  return held != NULL;
}

jf_tvmffi_call jf_tvmffi_target(const jf_object* function, void** self) {
  const captures* held = jf_function_captures(function, delete_captures);
  if (held) *self = held->self;
  return held ? held->call : NULL;
}

jf_object* jf_tvmffi_wrap(void* function) {
  jf_tvmffi_retain(function);
  jf_object* made =
      jf_tvmffi_function(((jf_tvmffi_function_object*)function)->call, function, function, jf_tvmffi_release, NULL);
  if (!made) jf_tvmffi_release(function);
  return made;
}

/* -- our functions as its ------------------------------------------------------------------------------------------------ */

int32_t jf_tvmffi_entry(void* self, const jf_tvmffi_any* args, int32_t num_args, jf_tvmffi_any* result) {
  jf_view few[FEW], *views = few;
  jf_temps temps = {NULL};
  jf_any room[8]; /* text of up to 119 bytes stays off the heap */
  jf_value* out = (jf_value*)room;
  jf_out_init(out, 7);
  if (num_args > FEW) views = jf_alloc((size_t)num_args * sizeof *views);
  int32_t status = views ? 0 : (jf_error_no_memory(), -1);
  for (int32_t i = 0; i < num_args && status == 0; i++) status = jf_tvmffi_view(&args[i], &views[i], &temps);
  if (status == 0) status = jf_function_call(self, num_args, views, out);
  jf_temps_release(&temps);
  if (views != few) jf_free(views);
  if (status == 0) status = jf_tvmffi_give(out, result);
  if (status == 0) return 0;
  jf_tvmffi_raise();
  return -1;
}

typedef struct {
  jf_tvmffi_function_object function;
  jf_object* ours;
} exported;

static int32_t call_ours(void* self, const jf_tvmffi_any* args, int32_t num_args, jf_tvmffi_any* result) {
  return jf_tvmffi_entry(((exported*)self)->ours, args, num_args, result);
}

static void delete_exported(void* self, int flags) {
  if (flags & 1) jf_object_release(((exported*)self)->ours);
  if (flags & 2) jf_tvmffi_free(self);
}

void* jf_tvmffi_unwrap(jf_object* function) {
  const captures* held = jf_function_captures(function, delete_captures);
  if (held && held->deleter == jf_tvmffi_release) {
    jf_tvmffi_retain(held->owner);
    return held->owner;
  }
  exported* made = jf_tvmffi_new(sizeof *made, JF_TVMFFI_FUNCTION, delete_exported);
  if (!made) return NULL;
  jf_object_retain(function);
  made->function.call = call_ours;
  made->ours = function;
  return made;
}
