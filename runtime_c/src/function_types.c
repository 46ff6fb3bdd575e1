/* What functions take and give, as text without names and defaults: by it functions of one signature are told from others.
 *
 *   (a: i64, b: str = "x") -> func[(c: i64) -> void]      becomes      (i64, str) -> func[(i64) -> void]
 *
 * A text that is no signature is copied as far as it looks like one; it equals nothing that is.
 */
#include <string.h>

#include "function_types.h"
#include "jitffi/pattern.h"
#include "jitffi/runtime.h"
#include "message.h"
#include "object.h"

enum { MAX_DEPTH = 40, SHORT = 256 };

typedef struct {
  const char* at;
  char* out;
  int32_t depth;
} copier;

static void put(copier* c, const char* text) {
  const size_t size = strlen(text);
  memcpy(c->out, text, size);
  c->out += size;
}

static int32_t accept(copier* c, const char* token) {
  const size_t size = strlen(token);
  if (strncmp(c->at, token, size) != 0) return 0;
  c->at += size;
  return 1;
}

/* Past a parameter's name, if one is next. */
static void skip_name(copier* c) {
  const char* at = c->at;
  while (*at && !strchr(" :,()[]|\"'", *at)) at++;
  if (at != c->at && at[0] == ':' && at[1] == ' ') c->at = at + 2;
}

/* Past a text in quotes, to whose first one `at` points. */
static const char* skip_quoted(const char* at) {
  const char quote = *at++;
  for (; *at && *at != quote; at++)
    if (*at == '\\' && at[1]) at++;
  return *at ? at + 1 : at;
}

/* Past a default, to the comma or bracket behind it. */
static void skip_default(copier* c) {
  int32_t depth = 0;
  while (*c->at && (depth > 0 || !strchr(",)", *c->at))) {
    depth += (strchr("([", *c->at) != NULL) - (strchr(")]", *c->at) != NULL);
    c->at = strchr("\"'", *c->at) ? skip_quoted(c->at) : c->at + 1;
  }
}

static void copy_signature(copier* c);

/* Up to what ends a type: a comma, a bracket that it has not opened, a default. */
static void copy_type(copier* c) {
  int32_t depth = 0;
  while (*c->at) {
    if (c->depth < MAX_DEPTH && strncmp(c->at, "func[(", 6) == 0) {
      c->at += 5;
      put(c, "func[");
      copy_signature(c);
      if (accept(c, "]")) put(c, "]");
      continue;
    }
    if (depth == 0 && (strchr(",)]}", *c->at) || strncmp(c->at, " = ", 3) == 0)) return;
    depth += (strchr("([{", *c->at) != NULL) - (strchr(")]}", *c->at) != NULL);
    *c->out++ = *c->at++;
  }
}

/* From its first bracket on. */
static void copy_signature(copier* c) {
  c->depth++;
  c->at++;
  put(c, "(");
  while (*c->at && *c->at != ')') {
    skip_name(c);
    copy_type(c);
    if (accept(c, " = ")) skip_default(c);
    if (!accept(c, ", ")) break;
    put(c, ", ");
  }
  if (accept(c, ") -> ")) {
    put(c, ") -> ");
    copy_type(c);
  }
  c->depth--;
}

const char* jf_function_end(const char* bracket) {
  int32_t depth = 0;
  const char* at = bracket;
  while (*at) {
    depth += (strchr("([", *at) != NULL) - (strchr(")]", *at) != NULL);
    if (depth == 0) break;
    at = strchr("\"'", *at) ? skip_quoted(at) : at + 1;
  }
  return at;
}

/* `out` has room for as much as the text, and its NUL. */
static void copy_types(const char* signature, char* out) {
  copier c = {signature, out, 0};
  if (*signature == '(') copy_signature(&c);
  *c.out = 0;
}

/* Borrows signature; the result lives for ever. NULL with MemoryError set. */
const char* jf_function_types(const char* signature) {
  const size_t size = strlen(signature) + 1;
  char scratch[SHORT];
  char* text = size <= sizeof scratch ? scratch : jf_alloc(size);
  if (!text) {
    jf_error_no_memory();
    return NULL;
  }
  copy_types(signature, text);
  const char* types = jf_intern(text);
  if (text != scratch) jf_free(text);
  return types;
}

/* Borrows all. Never fails: what there is no memory to look at is of other types. */
int32_t jf_function_has_types(const jf_object* function, const char* types) {
  const jf_function* f = (const jf_function*)(const void*)function;
  if (f->types == types) return 1;
  if (!f->signature) return -1;
  const size_t size = strlen(f->signature) + 1;
  char scratch[SHORT];
  char* text = size <= sizeof scratch ? scratch : jf_alloc(size);
  if (!text) return 0;
  copy_types(f->signature, text);
  const int32_t same = strcmp(text, types) == 0;
  if (text != scratch) jf_free(text);
  return same;
}
