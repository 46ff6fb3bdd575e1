/* Python's built-in exceptions, and which of them an except clause catches.
 *
 * An error says its class by name. One that came from Python is asked there, as classes of the user's may derive from
 * these; any other is of a class that stands here, or becomes a RuntimeError where it is raised in Python.
 */
#include <string.h>

#include "jitffi/runtime.h"
#include "jitffi/script.h"

typedef struct {
  const char* name;
  int8_t base; /* its place in the table, which is above; -1 for none */
} exception;

/* Of all versions of CPython that jitffi runs with; a test compares it with the interpreter's. Of two bases the one that
 * is not that of the other stands here: BaseExceptionGroup of ExceptionGroup. */
enum {
  BASE,
  EXCEPTION,
  ARITHMETIC,
  LOOKUP,
  IMPORT,
  NAME,
  OS,
  CONNECTION,
  RUNTIME,
  SYNTAX,
  INDENTATION,
  VALUE,
  UNICODE,
  WARNING,
  GROUP
};
static const exception EXCEPTIONS[] = {
    {"BaseException", -1},
    {"Exception", BASE},
    {"ArithmeticError", EXCEPTION},
    {"LookupError", EXCEPTION},
    {"ImportError", EXCEPTION},
    {"NameError", EXCEPTION},
    {"OSError", EXCEPTION},
    {"ConnectionError", OS},
    {"RuntimeError", EXCEPTION},
    {"SyntaxError", EXCEPTION},
    {"IndentationError", SYNTAX},
    {"ValueError", EXCEPTION},
    {"UnicodeError", VALUE},
    {"Warning", EXCEPTION},
    {"BaseExceptionGroup", BASE},
    {"AssertionError", EXCEPTION},
    {"AttributeError", EXCEPTION},
    {"BlockingIOError", OS},
    {"BrokenPipeError", CONNECTION},
    {"BufferError", EXCEPTION},
    {"BytesWarning", WARNING},
    {"ChildProcessError", OS},
    {"ConnectionAbortedError", CONNECTION},
    {"ConnectionRefusedError", CONNECTION},
    {"ConnectionResetError", CONNECTION},
    {"DeprecationWarning", WARNING},
    {"EOFError", EXCEPTION},
    {"EncodingWarning", WARNING},
    {"ExceptionGroup", GROUP},
    {"FileExistsError", OS},
    {"FileNotFoundError", OS},
    {"FloatingPointError", ARITHMETIC},
    {"FutureWarning", WARNING},
    {"GeneratorExit", BASE},
    {"ImportCycleError", IMPORT},
    {"ImportWarning", WARNING},
    {"IndexError", LOOKUP},
    {"InterruptedError", OS},
    {"IsADirectoryError", OS},
    {"KeyError", LOOKUP},
    {"KeyboardInterrupt", BASE},
    {"MemoryError", EXCEPTION},
    {"ModuleNotFoundError", IMPORT},
    {"NotADirectoryError", OS},
    {"NotImplementedError", RUNTIME},
    {"OverflowError", ARITHMETIC},
    {"PendingDeprecationWarning", WARNING},
    {"PermissionError", OS},
    {"ProcessLookupError", OS},
    {"PythonFinalizationError", RUNTIME},
    {"RecursionError", RUNTIME},
    {"ReferenceError", EXCEPTION},
    {"ResourceWarning", WARNING},
    {"RuntimeWarning", WARNING},
    {"StopAsyncIteration", EXCEPTION},
    {"StopIteration", EXCEPTION},
    {"SyntaxWarning", WARNING},
    {"SystemError", EXCEPTION},
    {"SystemExit", BASE},
    {"TabError", INDENTATION},
    {"TimeoutError", OS},
    {"TypeError", EXCEPTION},
    {"UnboundLocalError", NAME},
    {"UnicodeDecodeError", UNICODE},
    {"UnicodeEncodeError", UNICODE},
    {"UnicodeTranslateError", UNICODE},
    {"UnicodeWarning", WARNING},
    {"UserWarning", WARNING},
    {"ZeroDivisionError", ARITHMETIC},
    {"_IncompleteInputError", SYNTAX},
};
enum { COUNT = sizeof EXCEPTIONS / sizeof *EXCEPTIONS };

static int32_t place_of(const char* name) {
  for (int32_t i = 0; i < COUNT; i++) {
    if (EXCEPTIONS[i].name[0] == name[0] && strcmp(EXCEPTIONS[i].name, name) == 0) return i;
  }
  return -1;
}

int32_t jf_script_derives(const char* name, const char* base) {
  if (strcmp(base, EXCEPTIONS[BASE].name) == 0 || strcmp(name, base) == 0) return 1;
  if (strcmp(name, "ExceptionGroup") == 0 && strcmp(base, "Exception") == 0) return 1;
  for (int32_t i = place_of(name); i >= 0; i = EXCEPTIONS[i].base) {
    if (strcmp(EXCEPTIONS[i].name, base) == 0) return 1;
  }
  return 0;
}

/* What Python has a value for is no error there, and so nothing that a program could catch. */
static int32_t is_beyond(const jf_error* error) {
  const char* const kind = error->kind->data;
  if (strcmp(kind, "OverflowError") == 0) return strcmp(error->message->data, JF_SCRIPT_BEYOND_INT) == 0;
  return strcmp(kind, "ValueError") == 0 && strcmp(error->message->data, JF_SCRIPT_BEYOND_FLOAT) == 0;
}

static int32_t catches(const jf_object* object, const char* name) {
  if (!object) return 0;
  const jf_error* error = (const jf_error*)object;
  if (is_beyond(error)) return 0;
  const jf_host_errors* host = jf_get_host_errors();
  const jf_object* foreign = jf_error_args(object); /* not what a script has put there */
  const int32_t is_foreign = foreign && foreign->type_code == JF_HOST_OBJECT;
  if (host && (is_foreign || place_of(error->kind->data) < 0)) return host->is_a(object, name);
  return jf_script_derives(place_of(error->kind->data) < 0 ? "RuntimeError" : error->kind->data, name);
}

int32_t jf_script_catches(const char* name) { return catches(jf_error_peek(), name); }

int32_t jf_script_handles(const char* name) {
  const jf_handled* handled = jf_handled_innermost();
  return handled->error ? catches(handled->error, name) : jf_script_derives(handled->kind, name);
}

void jf_script_handle_key(jf_handled* handled, jf_value* key, const char* file, const char* function, int32_t line) {
  jf_handled_key(handled, jf_script_raise, key, file, function, line);
}

void jf_script_forget(void) { jf_object_release(jf_error_take()); }

/* Always -1. */
int32_t jf_script_reraise(const char* file, const char* function, int32_t line) {
  jf_handled* const handled = jf_handled_innermost();
  if (handled) return jf_handled_reraise(handled);
  const jf_host_errors* host = jf_get_host_errors();
  jf_object* error = host ? host->handled() : NULL;
  if (error) {
    jf_error_set_object(error);
    return -1;
  }
  jf_error_set("RuntimeError", "No active exception to reraise");
  jf_script_trace(file, function, line);
  return -1;
}
