/* Errors that scripts raise, and the lines that errors pass on their way out.
 *
 *   jf_error.traceback   "  File \"file.py\", line 3, in name\n" a call, the innermost first
 *
 * The lines are of scripts alone: where an error came from Python, its host exception has the frames below them.
 */
#include <string.h>

#include "decimal.h"
#include "jitffi/containers.h"
#include "jitffi/runtime.h"
#include "jitffi/script.h"
#include "message.h"
#include "op_value.h"
#include "slot.h"
#include "utf8.h"
#include "value.h"

/* Borrows. Never fails: without memory the error has its message alone. */
void jf_script_error_args(const jf_view* args, size_t count) {
  jf_error* error = (jf_error*)jf_error_peek();
  if (!error || !error->header.deleter || error->header.type_code != JF_ERROR || error->host) return;
  jf_object_retain(&error->header); /* the tuple's own failure would take its place */
  error->host = jf_tuple_new(args, count);
  jf_error_set_object(&error->header);
}

/* What str(exception) gives: of a KeyError the key's repr. */
static int32_t message_of(int32_t is_key_error, const jf_any* message, jf_value* out) {
  return is_key_error ? jf_op_repr(message, out) : jf_op_str(message, out);
}

/* Sets the error. 1 where the text is the whole of it: no NUL, no surrogate; 0; or -1 with MemoryError set. */
static int32_t set_message(const char* kind, const jf_encoded* text) {
  if (text->kind != JF_TEXT_UCS4) {
    jf_error_set(kind, text->data);
    return strlen(text->data) == text->size;
  }
  char* utf8 = jf_alloc(4 * text->size + 1);
  size_t size = 0;
  int32_t whole = 1;
  for (size_t i = 0; utf8 && i < text->size; i++) {
    const size_t length = jf_utf8_encode((uint32_t)((const jf_char32*)text->data)[i], utf8 + size);
    if (!length) utf8[size] = '?'; /* a surrogate, which UTF-8 has no form for */
    if (!length || !utf8[size]) whole = 0;
    size += length ? length : 1;
  }
  if (!utf8) {
    jf_error_no_memory();
    return -1;
  }
  utf8[size] = 0;
  jf_error_set(kind, utf8);
  jf_free(utf8);
  return whole;
}

/* Borrows both; `message` may be NULL. Always -1: where str() of the message fails, that is the error. */
int32_t jf_script_raise(const char* kind, const jf_any* message) {
  if (!message) {
    jf_error_set(kind, "");
    jf_script_error_args(NULL, 0);
    return -1;
  }
  const int32_t is_key_error = strcmp(kind, "KeyError") == 0;
  jf_value text = {JF_NULL, 0, {0}};
  if (message_of(is_key_error, message, &text) != 0) {
    /* Python asks an exception's argument for its text later, if ever: what goes wrong there is no error of `raise`. */
    char instead[96];
    jf_print(instead, sizeof instead, "<unprintable %.64s object>", jf_op_type_name(message));
    jf_error_set(kind, instead);
    jf_script_error_args(message, 1);
    return -1;
  }
  jf_any scratch;
  const jf_encoded encoded = jf_any_text(jf_any_resolve(&text, &scratch));
  const int32_t whole = set_message(kind, &encoded);
  jf_any_release(&text);
  const int32_t is_text = strcmp(jf_op_type_name(message), "str") == 0;
  if (whole >= 0 && (!whole || is_key_error || !is_text)) jf_script_error_args(message, 1);
  return -1;
}

/* Always -1. */
int32_t jf_script_fail(const char* kind, const char* message) {
  jf_error_set(kind, message);
  return -1;
}

/* Always -1. */
int32_t jf_script_unbound(const char* variable) {
  return JF_FAIL("UnboundLocalError", "cannot access local variable '%s' where it is not associated with a value",
                 variable);
}

/* Borrows all. Always -1. An int that does not fit is no other type, and one that is
 * Python's own has more than 64 bits. */
int32_t jf_script_mistyped(const char* function, const char* name, const char* type, const jf_any* got) {
  char described[JF_DESCRIBE_SIZE];
  const char* shown = described;
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(got, &scratch);
  jf_any_describe(slot, described, sizeof described);
  const int32_t is_whole = strcmp(type, "int") == 0;
  if (is_whole && (slot->type_code == JF_INT || slot->type_code == JF_UINT)) return jf_script_overflow();
  if (slot->type_code == JF_NULL) shown = "None";
  if (jf_value_kind(slot) > JF_VALUE_BYTES) {
    shown = jf_op_type_name(slot);
    if (strcmp(shown, "int") == 0 && (is_whole || strcmp(type, "float") == 0)) return jf_script_overflow();
  }
  const char* const quoted = strchr(described, '\'');
  if (jf_value_kind(slot) == JF_VALUE_TEXT && quoted) {
    return JF_FAIL("TypeError", "%s: '%s': expected %s, got str %s", function, name, type, quoted);
  }
  if (jf_value_kind(slot) == JF_VALUE_BYTES && quoted) {
    return JF_FAIL("TypeError", "%s: '%s': expected %s, got bytes b%s", function, name, type, quoted);
  }
  if (jf_value_kind(slot) == JF_VALUE_TUPLE && strncmp(type, "tuple", 5) == 0) {
    const size_t size = jf_tuple_size(slot->v_object);
    return JF_FAIL("TypeError", "%s: '%s': expected %s, got tuple of %zu item%s", function, name, type, size,
                   size == 1 ? "" : "s");
  }
  return JF_FAIL("TypeError", "%s: '%s': expected %s, got %s", function, name, type, shown);
}

/* Borrows. Always -1. */
int32_t jf_script_misfit(const char* words, const jf_any* got) {
  jf_any scratch;
  const jf_any* slot = jf_any_resolve(got, &scratch);
  const char* const open = strchr(words, '{');
  const char* const close = open ? strchr(open, '}') : NULL;
  if (!close) return JF_FAIL("TypeError", "%s", words);
  const char* const name = open[1] == '!' && slot->type_code == JF_NULL ? "None" : jf_op_type_name(slot);
  return JF_FAIL("TypeError", "%.*s%s%s", (int)(open - words), words, name, close + 1);
}

/* Always -1. */
int32_t jf_script_overflow(void) { return JF_FAIL("OverflowError", JF_SCRIPT_BEYOND_INT); }

/* Borrows. Always -1. */
int32_t jf_script_no_method(const jf_any* value, const char* name) {
  char doing[64];
  jf_print(doing, sizeof doing, "call .%s() of", name);
  if (jf_op_fail_foreign(value, doing) != 0) return -1;
  return JF_FAIL("AttributeError", "'%s' object has no attribute '%s'", jf_op_type_name(value), name);
}

/* Never fails: without memory the line is left out. */
void jf_script_trace(const char* file, const char* function, int32_t line) {
  if (line) jf_error_add_frame(file, line, function);
}
