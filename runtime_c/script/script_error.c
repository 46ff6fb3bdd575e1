/* Errors that scripts raise, and the lines that errors pass on their way out.
 *
 *   jf_error.traceback   "  File \"file.py\", line 3, in name\n" a call, the innermost first
 *
 * The lines are of scripts alone: where an error came from Python, its host exception has the frames below them.
 */
#include "op_internal.h"

enum { MOST_LINES = 1 << 16 }; /* bytes of traceback: deeper recursions show their innermost calls */

/* What str(exception) gives: of a KeyError the key's repr. */
static int32_t message_of(int32_t is_key_error, const jf_any* message, jf_value* out) {
  return is_key_error ? jf_op_repr(message, out) : jf_op_str(message, out);
}

/* Borrows both; `message` may be NULL. Always -1: where str() of the message fails, that is the error. */
int32_t jf_script_raise(const char* kind, const jf_any* message) {
  if (!message) return jf_script_fail(kind, "");
  jf_value text = {JF_NULL, 0, {0}};
  if (message_of(strcmp(kind, "KeyError") == 0, message, &text) != 0) return -1;
  jf_any scratch;
  const jf_encoded encoded = jf_any_text(jf_any_resolve(&text, &scratch));
  if (encoded.kind != JF_TEXT_UCS4) {
    jf_error_set(kind, encoded.data);
  } else {
    char* utf8 = jf_alloc(4 * encoded.size + 1);
    size_t size = 0;
    for (size_t i = 0; utf8 && i < encoded.size; i++) {
      const size_t length = jf_utf8_encode((uint32_t)((const jf_char32*)encoded.data)[i], utf8 + size);
      if (!length) utf8[size] = '?'; /* a surrogate, which UTF-8 has no form for */
      size += length ? length : 1;
    }
    if (utf8) utf8[size] = 0;
    if (utf8) {
      jf_error_set(kind, utf8);
    } else {
      jf_error_no_memory();
    }
    jf_free(utf8);
  }
  jf_any_release(&text);
  return -1;
}

/* Always -1. */
int32_t jf_script_fail(const char* kind, const char* message) {
  jf_error_set(kind, message);
  return -1;
}

/* Always -1. */
int32_t jf_script_unbound(const char* variable) {
  if (JITFFI_SCRIPT_PYTHON < 311) {
    return JF_FAIL("UnboundLocalError", "local variable '%s' referenced before assignment", variable);
  }
  return JF_FAIL("UnboundLocalError", "cannot access local variable '%s' where it is not associated with a value",
                 variable);
}

/* Borrows all. Always -1. */
int32_t jf_script_mistyped(const char* function, const char* name, const char* type, const jf_any* got) {
  char described[JF_DESCRIBE_SIZE];
  jf_any_describe(got, described, sizeof described);
  return JF_FAIL("TypeError", "%s: '%s': expected %s, got %s", function, name, type, described);
}

/* Always -1. */
int32_t jf_script_overflow(void) { return JF_FAIL("OverflowError", "int of more than 64 bits"); }

/* Borrows. Always -1. */
int32_t jf_script_no_method(const jf_any* value, const char* name) {
  return JF_FAIL("AttributeError", "'%s' object has no attribute '%s'", jf_op_type_name(value), name);
}

/* Never fails: without memory the line is left out. */
void jf_script_trace(const char* file, const char* function, int32_t line) {
  jf_error* error = (jf_error*)jf_error_peek();
  if (!error || !error->header.deleter || error->header.type_code != JF_ERROR) return; /* static: MemoryError */
  const size_t before = error->traceback ? error->traceback->size : 0;
  if (before > MOST_LINES) return;
  const size_t most = strlen(file) + strlen(function) + 48;
  char* text = jf_alloc(before + most);
  if (!text) return;
  if (before) memcpy(text, error->traceback->data, before);
  /* Others' text may end within a line. */
  const char* end = before && text[before - 1] != '\n' ? "\n" : "";
  jf_print(text + before, most, "%s  File \"%s\", line %d, in %s\n", end, file, (int)line, function);
  jf_str* made = jf_str_make(JF_STR, text, before + strlen(text + before));
  jf_free(text);
  if (!made) return;
  jf_object_release((jf_object*)error->traceback);
  error->traceback = made;
}
