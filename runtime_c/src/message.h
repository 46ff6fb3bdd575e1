/* What messages say: values and types in words, and where an argument fails. */
#ifndef JITFFI_SRC_MESSAGE_H
#define JITFFI_SRC_MESSAGE_H

#include "jitffi/runtime.h"
#include "macros.h"

/* -- describe.c -- */
/* `text` in quotes for a message: control characters escaped, cut when long. Returns buffer. */
JF_SHARED const char* jf_quote(const char* text, char* buffer, size_t capacity);
enum { JF_QUOTE_SIZE = 192, JF_DESCRIBE_SIZE = 256 };
/* Sets a ValueError of that format, for the name in quotes, and returns -1. */
JF_COLD int32_t jf_fail_name(const char* format, const char* name);

/* -- raise.c -- */
/* What the parameter's (index -1: the result's) type is called; `otherwise` where info does not say. */
const char* jf_expected_type(const jf_call_info* info, int32_t index, const char* otherwise);
/* Sets "<where>: expected <type><range>, got <got>" and returns -1. */
JF_SHARED JF_COLD int32_t jf_fail_argument(const char* kind, const jf_call_info* info, int32_t index,
                                           const char* expected, const char* range, const char* got);
/* Sets "<where>: <what>" and returns -1. */
JF_COLD int32_t jf_fail_place(const char* kind, const jf_call_info* info, int32_t index, const char* what);

/* How many arguments a packed call has, and how many of the first `count` parameters are among them: all but those that come
 * back alone, out[...]. */
int32_t jf_num_args(const jf_call_info* info, int32_t count);
int32_t jf_is_out(const jf_param_info* param);

/* -- error.c -- */
void jf_error_pass(const char* file, int32_t line, const char* function); /* error.c: for what calls have failed */
const jf_str* jf_error_last_lines(
    void); /* borrowed: of the last error's traceback, with the last line of all; or NULL */
JF_SHARED JF_COLD void jf_error_no_memory(void); /* sets MemoryError without allocating */
void jf_errors_after_fork(void);                 /* only the forking thread is left */

#endif
