/* What emitted code calls beside runtime.h: the functions that code compiled into files has no state of its own for.
 *
 * `info` is a constant in the object file. Words as in runtime.h: int32_t results are 0, or -1 with the last error set;
 * `index` counts parameters from 0, -1 is the result.
 */
#ifndef JITFFI_EMITTED_H
#define JITFFI_EMITTED_H

#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -- error.c ------------------------------------------------------------------------------------------- */

/* The variable behind jf_error_pending_count, for code that loads it through its global offset table. Only the runtime
 * writes it. */
JF_API extern int32_t jf_pending_count;

/* -- emitted.c ----------------------------------------------------------------------------------------- */

/* All arguments of a packed call in the order of the parameters: `out`, which has room for all, gets the `given` ones,
 * and behind them the views in `defaults` (one for each parameter; those of required ones are not read; NULL: there are
 * none). Borrowed from args and defaults. NULL with TypeError when there are too few or too many. */
JF_API const jf_view* jf_arrange(const jf_call_info* info, const jf_view* defaults, int32_t given, const jf_view* args,
                                 jf_view* out);
/* C returned NULL for an object. 0: that is null. -1: an error is set, or (ValueError) the type has no null. */
JF_API int32_t jf_null_result(const jf_call_info* info, int32_t nullable);
/* ValueError "expected <type>, got NULL"; always -1. */
JF_API int32_t jf_fail_null(const jf_call_info* info, int32_t index);
/* A packed callee's result of type str, ucs4 or bytes (optional ones too, unless null): TypeError where it is none;
 * text of the other width is converted in place. On -1 *out is still the caller's to release. */
JF_API int32_t jf_check_out(const jf_call_info* info, jf_value* out);
/* A copy of `text` that lives until this thread ends, or its next call with the same key: an address that belongs to who
 * returns the text (a C entry's info, a closure). NULL with MemoryError. */
JF_API const char* jf_keep_cstr(const void* key, const char* text, const jf_call_info* info);
/* 1: this thread had a pending error, which is now its last error and no more; 0: it had none. */
JF_API int32_t jf_take_pending(void);

/* As jf_error_add_call, unless the function that was called has told the traceback itself. */
JF_API void jf_error_leave_call(const jf_call_info* info);

/* -- unwind.c ------------------------------------------------------------------------------------------ */

/* What the unwinder asks about frames of generated code: a personality routine of the Itanium C++ ABI. */
JF_API int jf_personality(int version, int actions, uint64_t language, void* exception, void* frame);
/* Makes the last error of an exception that landed in generated code, and ends it; `name` of what was called, or "". */
JF_API void jf_caught(const char* name, void* exception);
/* call(callee, num_args, args, out); -1 with the last error where it throws. */
JF_API int32_t jf_call_guarded(jf_function* callee, int32_t num_args, const jf_view* args, jf_value* out,
                               jf_packed_call call);

/* What emitted code knows of a `func[...]` that it takes: a constant. */
typedef struct {
  const char* types; /* the text of the func's types alone, as in jf_function: "(i64, f64) -> i64" */
  /* A C entry of these types for closures: jf_closure.state is the `jf_function*` to call, with itself as `self`. NULL:
   * there is none. */
  void* body;
  int32_t result_class; /* JF_RESULT_*, of the body */
} jf_callback_type;

/* The C function pointer in a slot: a handle; of a function object with these types its native one; around any other
 * function object a closure, which lives as long as temps (of a result, index -1: for ever, once a function object).
 * TypeError for anything else, and where there is no body or the target has no closures. */
JF_API int32_t jf_lift_callback(const jf_call_info* info, int32_t index, const jf_view* view,
                                const jf_callback_type* type, void** out, jf_temps* temps);

#ifdef __cplusplus
}
#endif
#endif
