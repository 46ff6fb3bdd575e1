/* Calls that have failed: the lines that tell of them in the error's traceback.
 *
 *   File "<native>", line 1, in hypot(x: f64, y: f64) -> f64
 *
 * A function that knows its own name and types writes its line when it fails (jf_error_add_call). For function objects of C,
 * which do not, the caller does (jf_call_failed), as adapters do for what they call (jf_error_leave_call); both see by the last
 * line whether the function has done so. Nothing is done in a call that succeeds.
 */
#include <string.h>

#include "jitffi/emitted.h"
#include "jitffi/runtime.h"
#include "message.h"
#include "object.h"
#include "slot.h"

enum { LONGEST = 512 }; /* what is longer is cut */

typedef struct {
  size_t size;
  char text[LONGEST];
} line;

static void append(line* to, const char* text) {
  const size_t room = sizeof to->text - 1 - to->size, size = strlen(text);
  const size_t taken = size < room ? size : room;
  memcpy(to->text + to->size, text, taken);
  to->size += taken;
  to->text[to->size] = 0;
}

static void describe(const jf_call_info* info, line* out) {
  out->size = 0;
  append(out, info->name ? info->name : "function");
  append(out, "(");
  for (int32_t i = 0; info->params && i < info->num_params; i++) {
    const jf_param_info* param = &info->params[i];
    if (i > 0) append(out, ", ");
    if (param->name) append(out, param->name);
    if (param->name && param->type) append(out, ": ");
    if (param->type) append(out, param->type);
  }
  append(out, info->params || info->num_params == 0 ? ")" : "...)");
  if (info->result) append(out, " -> ");
  if (info->result) append(out, info->result);
}

static int ends_with(const char* text, size_t size, const char* end) {
  const size_t length = strlen(end);
  return size >= length && memcmp(text + size - length, end, length) == 0;
}

/* Whether the last line is of a function of that name: `name(...` of a native one, or `name` in a file of Python, where a script
 * tells its own line. */
static int is_told(const char* name) {
  const jf_str* lines = jf_error_last_lines();
  if (!lines || lines->size == 0) return 0;
  const char* text = lines->data;
  size_t size = lines->size - (text[lines->size - 1] == '\n'), begin = size;
  while (begin > 0 && text[begin - 1] != '\n') begin--;
  text += begin;
  size -= begin;
  static const char IN[] = ", in ";
  const size_t in = sizeof IN - 1, length = strlen(name);
  for (size_t at = 0; at + in + length <= size; at++) {
    if (memcmp(text + at, IN, in) != 0 || memcmp(text + at + in, name, length) != 0) continue;
    const size_t end = at + in + length;
    if (end < size && text[end] == '(') return 1;
    size_t file = at; /* the name of the file ends before `", line 3` */
    while (file > 0 && text[file] != '"') file--;
    if (end == size && (ends_with(text, file, ".py") || ends_with(text, file, ">"))) return 1;
  }
  return 0;
}

static void add(const line* made) {
  if (jf_error_peek()) jf_error_pass("<native>", 1, made->text);
}

/* Borrows info. */
void jf_error_add_call(const jf_call_info* info) {
  line made;
  describe(info, &made);
  add(&made);
}

/* Borrows info. */
void jf_error_leave_call(const jf_call_info* info) {
  if (!is_told(info->name ? info->name : "function")) jf_error_add_call(info);
}

/* Borrows callee; *out is null afterwards. */
void jf_call_failed(const jf_function* callee, jf_value* out) {
  jf_any_release(out);
  if (!jf_error_peek()) jf_error_set("RuntimeError", "a packed function failed without setting an error");
#ifdef JITFFI_BARE /* the core of microcontrollers has no room for it */
  (void)callee;
#else
  const char* name = jf_function_name(&callee->header);
  if (!name || !*name || is_told(name)) return;
  line made = {0};
  append(&made, name);
  append(&made, callee->signature ? callee->signature : "(...)");
  add(&made);
#endif
}
