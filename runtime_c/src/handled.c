/* What except clauses are handling, and finally clauses behind an exception: the errors that were caught.
 *
 *   thread --> the innermost clause's --outer--> the next one's --> ...
 *
 *   begin     the thread's last error becomes the clause's; or it is known what the error would be, and made when asked
 *   reraise   it is the thread's last error again
 *   failed    another error leaves the clause: this one is its context
 *   end       the clause is left
 *
 * The embedding language is told of them when it is asked for something meanwhile, and not before. An error without a
 * host exception has its context in the place of that, beside what its class is called with:
 *
 *   jf_error.host --> {a host object of this file's, context, args}
 *
 * Nothing here is an error of its own: without memory the error that there is goes on, without a context.
 */
#include "jitffi/runtime.h"
#include "object.h"

/* -- contexts --------------------------------------------------------------------------------------------------------- */

typedef struct {
  jf_host_object base;
  jf_object* context;
  jf_object* args; /* may be NULL */
} with_context;

static const char with_context_owner;

static void delete_with_context(jf_object* object) {
  jf_object_release(((with_context*)object)->context);
  jf_object_release(((with_context*)object)->args);
  jf_object_free(object);
}

static const with_context* context_of(const jf_object* error) {
  const jf_object* host = ((const jf_error*)error)->host;
  if (!host || host->type_code != JF_HOST_OBJECT) return NULL;
  return ((const jf_host_object*)host)->owner == &with_context_owner ? (const with_context*)host : NULL;
}

jf_object* jf_error_context(const jf_object* error) {
  const with_context* found = context_of(error);
  return found ? found->context : NULL;
}

jf_object* jf_error_args(const jf_object* error) {
  const with_context* found = context_of(error);
  return found ? found->args : ((const jf_error*)error)->host;
}

/* Borrows. The error, or the end of the chain of contexts that it has, was raised while `context` was handled. */
static void add_context(jf_object* error, jf_object* context) {
  for (jf_object* next; (next = jf_error_context(error)) != NULL; error = next) {
    if (next == context) return;
  }
  jf_error* fields = (jf_error*)error;
  const int is_ours = error != context && error->deleter && error->type_code == JF_ERROR;
  if (!is_ours || (fields->host && fields->host->type_code == JF_HOST_OBJECT)) return; /* the host knows better */
  with_context* made = jf_object_make(sizeof *made, JF_HOST_OBJECT, delete_with_context);
  if (!made) return;
  made->base.owner = &with_context_owner;
  made->context = context;
  made->args = fields->host;
  jf_object_retain(context);
  fields->host = &made->base.header;
}

/* -- clauses ---------------------------------------------------------------------------------------------------------- */

static __thread jf_handled* innermost;

jf_handled* jf_handled_innermost(void) { return innermost; }

static void open(jf_handled* handled, const jf_handled* as) {
  *handled = *as;
  handled->is_open = 1;
  handled->outer = innermost;
  innermost = handled;
}

void jf_handled_begin(jf_handled* handled, const char* file, const char* function, int32_t line) {
  const jf_handled as = {.error = jf_error_take(), .file = file, .function = function, .line = line};
  open(handled, &as);
}

void jf_handled_known(jf_handled* handled, const char* kind, const char* message, const char* file,
                      const char* function, int32_t line) {
  const jf_handled as = {.kind = kind, .message = message, .file = file, .function = function, .line = line};
  open(handled, &as);
}

void jf_handled_key(jf_handled* handled, int32_t (*raise)(const char* kind, const jf_any* key), jf_value* key,
                    const char* file, const char* function, int32_t line) {
  const jf_handled as = {
      .kind = "KeyError", .raise = raise, .key = *key, .file = file, .function = function, .line = line};
  *key = (jf_any){JF_NULL, 0, {0}};
  open(handled, &as);
}

/* Borrowed. Makes the error, with the line where it was caught. */
jf_object* jf_handled_error(jf_handled* handled) {
  if (handled->line == 0) return handled->error;
  jf_object* other = jf_error_take(); /* what is on its way meanwhile, or NULL */
  if (handled->error)
    jf_error_set_object(handled->error);
  else if (handled->raise)
    (void)handled->raise(handled->kind, &handled->key);
  else
    jf_error_set(handled->kind, handled->message);
  jf_error_add_frame(handled->file, handled->line, handled->function);
  handled->error = jf_error_take();
  handled->line = 0;
  if (other) jf_error_set_object(other);
  return handled->error;
}

/* Always -1. */
int32_t jf_handled_reraise(jf_handled* handled) {
  jf_object* error = jf_handled_error(handled);
  jf_object_retain(error);
  jf_error_set_object(error);
  return -1;
}

void jf_handled_failed(jf_handled* handled) {
  jf_object* raised = jf_error_peek();
  if (raised && raised != handled->error) add_context(raised, jf_handled_error(handled));
  jf_handled_end(handled);
}

void jf_handled_end(jf_handled* handled) {
  if (!handled->is_open) return;
  handled->is_open = 0;
  innermost = handled->outer;
  if (handled->is_shown) jf_get_host_errors()->hide(handled);
  jf_object* error = handled->error;
  handled->error = NULL;
  if (handled->raise) jf_any_release(&handled->key);
  jf_object_release(error);
}

void jf_handled_show(void) {
  const jf_host_errors* host = jf_get_host_errors();
  if (host && innermost && !innermost->is_shown) host->show(innermost);
}

/* -- the embedding language -------------------------------------------------------------------------------------------- */

static const jf_host_errors* host_errors;

/* Borrowed, for ever. */
void jf_set_host_errors(const jf_host_errors* host) { __atomic_store_n(&host_errors, host, __ATOMIC_RELEASE); }

const jf_host_errors* jf_get_host_errors(void) { return __atomic_load_n(&host_errors, __ATOMIC_ACQUIRE); }
