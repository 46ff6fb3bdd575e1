/* Error objects, each thread's last error, and the pending mark.
 *
 *   thread --> { error, pending }     pending: the callee behind a C function that has no way to fail has failed; the
 *                                     error waits for the adapter that called into C
 *   jf_pending_count                  how many threads have that mark, so that adapters look at one word and not at
 *                                     thread-local storage
 */
#include <stdarg.h>
#include <string.h>

#include "decimal.h"
#include "jitffi/emitted.h"
#include "jitffi/runtime.h"
#include "macros.h"
#include "message.h"
#include "object.h"
#include "slot.h"
#include "threads.h"

typedef struct {
  jf_object* error; /* owned */
  jf_str* lines;    /* owned, or NULL: of its traceback, while somebody else holds it, who sees it as it was */
  int32_t pending;
  int32_t is_watched; /* the key's destructor will run for this thread */
} thread_errors;

static __thread thread_errors mine;
int32_t jf_pending_count;

/* The error that needs no memory. Static objects: nobody counts or frees them. */
#define STATIC_HEADER(code) {.type_code = code, .ref_count = 1}
#define STATIC_STR(text) \
  {.header = STATIC_HEADER(JF_STR), .data = text, .size = sizeof(text) - 1, .characters = sizeof(text) - 1}
static jf_str no_memory_kind = STATIC_STR("MemoryError");
static jf_str no_memory_message = STATIC_STR("out of memory");
static jf_error no_memory_error = {
    .header = STATIC_HEADER(JF_ERROR), .kind = &no_memory_kind, .message = &no_memory_message};

static void clear_pending(void) {
  if (!mine.pending) return;
  mine.pending = 0;
  __atomic_fetch_sub(&jf_pending_count, 1, __ATOMIC_RELAXED);
}

static void on_thread_end(void* ignored) {
  (void)ignored;
  mine.is_watched = 0; /* a later destructor of this thread may set an error again */
  jf_object_release(jf_error_take());
}

JF_AT_THREAD_END(on_thread_end);

void jf_errors_after_fork(void) { __atomic_store_n(&jf_pending_count, mine.pending ? 1 : 0, __ATOMIC_RELAXED); }

/* Causes can form long chains, which recursion could not free. */
static void delete_error(jf_object* object) {
  while (object) {
    jf_error* error = (jf_error*)object;
    jf_object* cause = error->cause;
    jf_object_release((jf_object*)error->kind);
    jf_object_release((jf_object*)error->message);
    jf_object_release((jf_object*)error->traceback);
    jf_object_release(error->host);
    jf_object_free(object);
    object = jf_object_drop(cause) ? cause : NULL;
    if (object && object->deleter != delete_error) {
      object->deleter(object);
      object = NULL;
    }
  }
}

/* New; borrows all arguments (cause and host are retained). NULL when out of memory: no error is set then, and
 * jf_error_set_object takes the NULL for MemoryError. */
jf_object* jf_error_new(const char* kind, const char* message, const char* traceback, jf_object* cause,
                        jf_object* host) {
  jf_error* error = jf_object_make(sizeof *error, JF_ERROR, delete_error);
  if (!error) return NULL;
  if (!kind) kind = "RuntimeError";
  if (!message) message = "";
  error->kind = jf_str_make(JF_STR, kind, strlen(kind));
  error->message = jf_str_make(JF_STR, message, strlen(message));
  error->traceback = traceback ? jf_str_make(JF_STR, traceback, strlen(traceback)) : NULL;
  if (!error->kind || !error->message || (traceback && !error->traceback)) {
    jf_object_release(&error->header);
    return NULL;
  }
  jf_object_retain(cause);
  jf_object_retain(host);
  error->cause = cause;
  error->host = host;
  return &error->header;
}

/* New; borrows all; NULL when out of memory. */
jf_object* jf_error_of_errno(int number, const char* message, jf_object* cause) {
  const size_t size = strlen(message) + sizeof "[Errno -2147483648] ";
  char* text = jf_alloc(size);
  if (!text) return NULL;
  jf_print(text, size, "[Errno %d] %s", number, message);
  jf_object* made = jf_error_new("OSError", text, NULL, cause, NULL);
  jf_free(text);
  return made;
}

static void drop_lines(void) {
  if (!mine.lines) return;
  jf_object_release(&mine.lines->header);
  mine.lines = NULL;
}

/* Steals error. NULL means that there was no memory for one; what is no error object becomes a TypeError. While an
 * error is pending the new one is dropped: the first cause is the one to report. */
void jf_error_set_object(jf_object* error) {
  if (!error) error = &no_memory_error.header;
  if (!jf_type_is_a(error->type_code, JF_ERROR)) {
    jf_object_release(error);
    jf_error_set("TypeError", "what was raised is not an error object");
    return;
  }
  if (mine.pending) {
    jf_object_release(error);
    return;
  }
  jf_object* before = mine.error;
  mine.error = error;
  drop_lines();
  if (!mine.is_watched) mine.is_watched = watch_thread();
  jf_object_release(before); /* last: its deleter may run code that looks at the error */
}

/* Borrows. Out of memory: MemoryError is set instead. */
void jf_error_set(const char* kind, const char* message) {
  jf_error_set_object(jf_error_new(kind, message, NULL, NULL, NULL));
}

void jf_error_no_memory(void) { jf_error_set_object(&no_memory_error.header); }

#ifdef JF_NO_SYSTEM
#define PRINT_LIST jf_print_list /* the C library's would have the module import files */
#else
#include <stdio.h>
#define PRINT_LIST vsnprintf
#endif

/* Borrows. Out of memory: MemoryError is set instead. */
void jf_error_format(const char* kind, const char* format, ...) {
  char local[512];
  char* message = local;
  va_list arguments;
  va_start(arguments, format);
  int length = PRINT_LIST(local, sizeof local, format, arguments);
  va_end(arguments);
  if (length >= (int)sizeof local) {
    message = jf_alloc((size_t)length + 1);
    if (!message) {
      jf_error_no_memory();
      return;
    }
    va_start(arguments, format);
    PRINT_LIST(message, (size_t)length + 1, format, arguments);
    va_end(arguments);
  }
  jf_error_set(kind, length < 0 ? format : message);
  if (message != local) jf_free(message);
}

enum { MOST_TRACEBACK = 1 << 16 }; /* what recursion without an end would add beyond is left out */

/* New: the traceback with a line more; NULL when out of memory, or when it is long enough. */
static jf_str* longer_traceback(const jf_str* before, const char* file, const char* line, const char* function) {
  const char* const pieces[] = {"  File \"", file, "\", line ", line, ", in ", function, "\n"};
  enum { COUNT = sizeof pieces / sizeof *pieces };
  const size_t old = before ? before->size : 0;
  const int is_open = old > 0 && before->data[old - 1] != '\n'; /* its last line has no end yet */
  size_t size = old + (size_t)is_open, sizes[COUNT];
  for (int i = 0; i < COUNT; i++) size += sizes[i] = strlen(pieces[i]);
  jf_str* made = size <= MOST_TRACEBACK ? jf_str_make(JF_STR, NULL, size) : NULL;
  if (!made) return NULL;
  char* at = (char*)(made + 1);
  if (old > 0) memcpy(at, before->data, old);
  if (is_open) at[old] = '\n';
  at += old + (size_t)is_open;
  for (int i = 0; i < COUNT; i++) {
    memcpy(at, pieces[i], sizes[i]);
    at += sizes[i];
  }
  return made;
}

/* Borrows all. As jf_error_add_frame, but the error of somebody else stays the one that is set, and what it passes through is kept
 * beside it. An exception of Python's is the same whatever stands for it. */
void jf_error_pass(const char* file, int32_t line, const char* function) {
  const jf_error* error = (const jf_error*)mine.error;
  const int is_exception = error && error->host && error->host->type_code == JF_HOST_OBJECT;
  const int is_held = error && !is_exception && __atomic_load_n(&error->header.ref_count, __ATOMIC_ACQUIRE) != 1;
  if (!mine.lines && !is_held) return jf_error_add_frame(file, line, function);
  if (mine.pending || !error->header.deleter) return;
  char number[16];
  jf_print(number, sizeof number, "%d", (int)line);
  jf_str* lines = longer_traceback(mine.lines, file ? file : "?", number, function ? function : "?");
  if (!lines) return;
  drop_lines();
  mine.lines = lines;
}

const jf_str* jf_error_last_lines(void) {
  const jf_error* error = (const jf_error*)mine.error;
  return mine.lines || !error ? mine.lines : error->traceback;
}

/* New, or NULL. */
jf_object* jf_error_take_lines(void) {
  jf_object* lines = mine.lines ? &mine.lines->header : NULL;
  mine.lines = NULL;
  return lines;
}

/* Steals lines, a jf_str, or NULL. */
void jf_error_add_lines(jf_object* lines) {
  if (!lines || !mine.error || mine.pending) return jf_object_release(lines);
  drop_lines();
  mine.lines = (jf_str*)lines;
}

/* Borrows all. The error that somebody else holds stays as it is: the thread's becomes a copy. Without memory, without an error
 * and while one is pending nothing is added. */
void jf_error_add_frame(const char* file, int32_t line, const char* function) {
  jf_error* error = (jf_error*)mine.error;
  if (!error || mine.pending || !error->header.deleter) return;
  if (mine.lines) return jf_error_pass(file, line, function);
  char number[16];
  jf_print(number, sizeof number, "%d", (int)line);
  const int is_shared = __atomic_load_n(&error->header.ref_count, __ATOMIC_ACQUIRE) != 1;
  if (is_shared && error->header.type_code != JF_ERROR) return; /* it may have fields that only its type knows */
  jf_str* lines = longer_traceback(error->traceback, file ? file : "?", number, function ? function : "?");
  if (!lines) return;
  if (is_shared) {
    jf_error* copy = (jf_error*)jf_error_new(error->kind->data, error->message->data, NULL, error->cause, error->host);
    if (!copy) {
      jf_object_release(&lines->header);
      return;
    }
    mine.error = &copy->header;
    jf_object_release(&error->header);
    error = copy;
  }
  jf_object_release((jf_object*)error->traceback);
  error->traceback = lines;
}

/* New, or NULL. */
jf_object* jf_error_take(void) {
  jf_object* error = mine.error;
  mine.error = NULL;
  drop_lines();
  clear_pending();
  return error;
}

/* Borrowed, until the next jf_error_* of this thread. */
jf_object* jf_error_peek(void) { return mine.error; }

/* Never fails. Without an error set, a RuntimeError says so. */
void jf_error_mark_pending(void) {
  if (mine.pending) return;
  if (!mine.error) jf_error_set("RuntimeError", "a callback failed without setting an error");
  mine.pending = 1;
  __atomic_fetch_add(&jf_pending_count, 1, __ATOMIC_RELAXED);
}

int32_t jf_error_is_pending(void) { return mine.pending; }

/* Borrowed, for ever. A thread sees its own mark in it at once; of other threads' marks it need know nothing. */
const int32_t* jf_error_pending_count(void) { return &jf_pending_count; }
