/* What the runtime's own files share and nobody else sees. Never installed.
 *
 * Locking: one mutex (lock.c) guards the type table, the interned texts, the global functions and the closures. Under
 * it nothing is called that may come back: no deleter, no function object, no jf_error_*; errors are set after
 * unlocking.
 */
#ifndef JITFFI_INTERNAL_H
#define JITFFI_INTERNAL_H

#include <assert.h>
#include <string.h>

#include "jitffi/containers.h"
#include "jitffi/pad.h"
#include "jitffi/runtime.h"
#include "jitffi/text.h"

#define JF_COLD __attribute__((cold, noinline))

/* -- lock.c -- */
void jf_lock(void);
void jf_unlock(void);

/* -- memory.c -- */
#ifdef JITFFI_HOSTILE
/* Lets `count` more allocations (and mappings) succeed and fails all after them; negative: none fails. */
void jf_hostile_fail_after(int64_t count);
int32_t jf_hostile_failed(void); /* whether one has failed since then */
int32_t jf_hostile_refuses(void);
#endif

/* -- object.c -- */
/* As jf_object_new, but failure sets no error: for making errors, and under the lock. */
void* jf_object_make(size_t size, int32_t type_code, void (*deleter)(jf_object*));
/* Gives one reference up. 1: it was the last, and the caller must call the deleter. NULL is allowed. */
int32_t jf_object_drop(jf_object* object);

/* -- table.c: text to pointer -- */
typedef struct {
  uint64_t hash;
  const char* key; /* NULL: free */
  void* value;
} jf_entry;
typedef struct {
  jf_entry* entries;
  size_t capacity; /* 0 or a power of two */
  size_t count;
} jf_table;
jf_entry* jf_table_find(const jf_table* table, const char* key);     /* NULL: not there */
int32_t jf_table_put(jf_table* table, const char* key, void* value); /* key is new, and kept; -1: no memory */
void jf_table_erase(jf_table* table, jf_entry* entry);

/* -- string.c -- */
jf_str* jf_str_make(int32_t type_code, const char* data, size_t size); /* as jf_str_new, but sets no error */

/* -- utf8.c -- */
size_t jf_utf8_encode(uint32_t code_point, char* out); /* 1 to 4 bytes; 0: not a character */
size_t jf_utf8_decode(const char* data, size_t size);  /* length of the first character; 0: invalid */

/* -- slot.c -- */
enum { JF_TEXT_NONE, JF_TEXT_UTF8, JF_TEXT_BYTES, JF_TEXT_UCS4 };
typedef struct {
  int32_t kind;
  int32_t terminated; /* a NUL follows the last unit */
  const void* data;   /* never NULL */
  size_t size;        /* units */
} jf_text;
/* The slot that `slot` stands for: the one behind an any pointer, the object of an r-value reference, what is in a box.
 * Either some existing slot or *scratch. Text is left alone, and a pointer into it stays good while `slot` does. */
const jf_any* jf_any_resolve(const jf_any* slot, jf_any* scratch);
jf_text jf_any_text(const jf_any* resolved);
/* The object in a resolved slot, borrowed, or NULL. */
jf_object* jf_any_object(const jf_any* resolved);

/* -- describe.c -- */
/* `text` in quotes for a message: control characters escaped, cut when long. Returns buffer. */
const char* jf_quote(const char* text, char* buffer, size_t capacity);
enum { JF_QUOTE_SIZE = 192, JF_DESCRIBE_SIZE = 256 };

/* -- fail.c -- */
/* What the parameter's (index -1: the result's) type is called; `otherwise` where info does not say. */
const char* jf_expected_type(const jf_call_info* info, int32_t index, const char* otherwise);
/* Sets "<where>: expected <type><range>, got <got>" and returns -1. */
JF_COLD int32_t jf_fail_argument(const char* kind, const jf_call_info* info, int32_t index, const char* expected,
                                 const char* range, const char* got);

/* -- error.c -- */
JF_COLD void jf_error_no_memory(void); /* sets MemoryError without allocating */
void jf_errors_after_fork(void);       /* only the forking thread is left */

/* -- code.c -- */
void* jf_map_writable(size_t size); /* NULL with the error set */
int32_t jf_map_seal(void* memory, size_t size);

#endif
