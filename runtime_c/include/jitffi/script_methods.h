/* Methods of str and bytes, one function a row of jitffi/scripts/library/methods.py, whose rules make the prototypes.
 *
 * A text or int parameter that Python lets one leave out is NULL or JF_NO_INDEX where it says None, else the default of the
 * row. New text is owned by *out, a null out-slot with its capacity; a view is a part of the receiver's memory, or of an
 * argument's; lists and tuples are new. int32_t results of functions with `out`: 0, or -1 with the error set. Part of script.h.
 */
#ifndef JITFFI_SCRIPT_METHODS_H
#define JITFFI_SCRIPT_METHODS_H

#include "script.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -- str -- */

JF_API int32_t jf_text_lower(const jf_text* text, jf_value* out);
JF_API int32_t jf_text_upper(const jf_text* text, jf_value* out);
JF_API int32_t jf_text_swapcase(const jf_text* text, jf_value* out);
JF_API int32_t jf_text_title(const jf_text* text, jf_value* out);
JF_API int32_t jf_text_capitalize(const jf_text* text, jf_value* out);
JF_API void jf_text_strip(const jf_text* text, const jf_text* chars, jf_text* out);
JF_API void jf_text_lstrip(const jf_text* text, const jf_text* chars, jf_text* out);
JF_API void jf_text_rstrip(const jf_text* text, const jf_text* chars, jf_text* out);
JF_API void jf_text_removeprefix(const jf_text* text, const jf_text* prefix, jf_text* out);
JF_API void jf_text_removesuffix(const jf_text* text, const jf_text* suffix, jf_text* out);
JF_API int32_t jf_text_split(const jf_text* text, const jf_text* sep, int64_t maxsplit, int32_t pad, jf_object** out);
JF_API int32_t jf_text_rsplit(const jf_text* text, const jf_text* sep, int64_t maxsplit, int32_t pad, jf_object** out);
JF_API int32_t jf_text_splitlines(const jf_text* text, int32_t keepends, int32_t pad, jf_object** out);
JF_API int32_t jf_text_partition(const jf_text* text, const jf_text* sep, jf_object** out);
JF_API int32_t jf_text_rpartition(const jf_text* text, const jf_text* sep, jf_object** out);
JF_API int32_t jf_text_join(const jf_text* text, const jf_view* items, jf_value* out);
JF_API int32_t jf_text_replace(const jf_text* text, const jf_text* old, const jf_text* new_, int64_t count,
                               jf_value* out);
JF_API int64_t jf_text_find(const jf_text* text, const jf_text* sub, int64_t start, int64_t end);
JF_API int64_t jf_text_rfind(const jf_text* text, const jf_text* sub, int64_t start, int64_t end);
JF_API int32_t jf_text_index(const jf_text* text, const jf_text* sub, int64_t start, int64_t end, int64_t* out);
JF_API int32_t jf_text_rindex(const jf_text* text, const jf_text* sub, int64_t start, int64_t end, int64_t* out);
JF_API int64_t jf_text_count(const jf_text* text, const jf_text* sub, int64_t start, int64_t end);
JF_API int32_t jf_text_startswith(const jf_text* text, const jf_view* prefix, int64_t start, int64_t end);
JF_API int32_t jf_text_endswith(const jf_text* text, const jf_view* suffix, int64_t start, int64_t end);
JF_API int32_t jf_text_isalpha(const jf_text* text);
JF_API int32_t jf_text_isdigit(const jf_text* text);
JF_API int32_t jf_text_isalnum(const jf_text* text);
JF_API int32_t jf_text_isspace(const jf_text* text);
JF_API int32_t jf_text_isupper(const jf_text* text);
JF_API int32_t jf_text_islower(const jf_text* text);
JF_API int32_t jf_text_istitle(const jf_text* text);
JF_API int32_t jf_text_isascii(const jf_text* text);
JF_API int32_t jf_text_zfill(const jf_text* text, int64_t width, jf_value* out);
JF_API int32_t jf_text_ljust(const jf_text* text, int64_t width, const jf_text* fillchar, jf_value* out);
JF_API int32_t jf_text_rjust(const jf_text* text, int64_t width, const jf_text* fillchar, jf_value* out);
JF_API int32_t jf_text_center(const jf_text* text, int64_t width, const jf_text* fillchar, jf_value* out);
JF_API int32_t jf_text_expandtabs(const jf_text* text, int64_t tabsize, jf_value* out);
JF_API int32_t jf_text_casefold(const jf_text* text, jf_value* out);
JF_API int32_t jf_text_isdecimal(const jf_text* text);
JF_API int32_t jf_text_isnumeric(const jf_text* text);
JF_API int32_t jf_text_isidentifier(const jf_text* text);
JF_API int32_t jf_text_isprintable(const jf_text* text);
JF_API int32_t jf_text_encode(const jf_text* text, const jf_text* encoding, const jf_text* errors, jf_value* out);

/* -- bytes -- */

JF_API int32_t jf_bytes_lower(const jf_text* bytes, jf_value* out);
JF_API int32_t jf_bytes_upper(const jf_text* bytes, jf_value* out);
JF_API int32_t jf_bytes_swapcase(const jf_text* bytes, jf_value* out);
JF_API int32_t jf_bytes_title(const jf_text* bytes, jf_value* out);
JF_API int32_t jf_bytes_capitalize(const jf_text* bytes, jf_value* out);
JF_API void jf_bytes_strip(const jf_text* bytes, const jf_text* chars, jf_text* out);
JF_API void jf_bytes_lstrip(const jf_text* bytes, const jf_text* chars, jf_text* out);
JF_API void jf_bytes_rstrip(const jf_text* bytes, const jf_text* chars, jf_text* out);
JF_API void jf_bytes_removeprefix(const jf_text* bytes, const jf_text* prefix, jf_text* out);
JF_API void jf_bytes_removesuffix(const jf_text* bytes, const jf_text* suffix, jf_text* out);
JF_API int32_t jf_bytes_split(const jf_text* bytes, const jf_text* sep, int64_t maxsplit, int32_t pad, jf_object** out);
JF_API int32_t jf_bytes_rsplit(const jf_text* bytes, const jf_text* sep, int64_t maxsplit, int32_t pad,
                               jf_object** out);
JF_API int32_t jf_bytes_splitlines(const jf_text* bytes, int32_t keepends, int32_t pad, jf_object** out);
JF_API int32_t jf_bytes_partition(const jf_text* bytes, const jf_text* sep, jf_object** out);
JF_API int32_t jf_bytes_rpartition(const jf_text* bytes, const jf_text* sep, jf_object** out);
JF_API int32_t jf_bytes_join(const jf_text* bytes, const jf_view* items, jf_value* out);
JF_API int32_t jf_bytes_replace(const jf_text* bytes, const jf_text* old, const jf_text* new_, int64_t count,
                                jf_value* out);
JF_API int64_t jf_bytes_find(const jf_text* bytes, const jf_text* sub, int64_t start, int64_t end);
JF_API int64_t jf_bytes_rfind(const jf_text* bytes, const jf_text* sub, int64_t start, int64_t end);
JF_API int32_t jf_bytes_index(const jf_text* bytes, const jf_text* sub, int64_t start, int64_t end, int64_t* out);
JF_API int32_t jf_bytes_rindex(const jf_text* bytes, const jf_text* sub, int64_t start, int64_t end, int64_t* out);
JF_API int64_t jf_bytes_count(const jf_text* bytes, const jf_text* sub, int64_t start, int64_t end);
JF_API int32_t jf_bytes_startswith(const jf_text* bytes, const jf_view* prefix, int64_t start, int64_t end);
JF_API int32_t jf_bytes_endswith(const jf_text* bytes, const jf_view* suffix, int64_t start, int64_t end);
JF_API int32_t jf_bytes_isalpha(const jf_text* bytes);
JF_API int32_t jf_bytes_isdigit(const jf_text* bytes);
JF_API int32_t jf_bytes_isalnum(const jf_text* bytes);
JF_API int32_t jf_bytes_isspace(const jf_text* bytes);
JF_API int32_t jf_bytes_isupper(const jf_text* bytes);
JF_API int32_t jf_bytes_islower(const jf_text* bytes);
JF_API int32_t jf_bytes_istitle(const jf_text* bytes);
JF_API int32_t jf_bytes_isascii(const jf_text* bytes);
JF_API int32_t jf_bytes_zfill(const jf_text* bytes, int64_t width, jf_value* out);
JF_API int32_t jf_bytes_ljust(const jf_text* bytes, int64_t width, const jf_text* fillchar, jf_value* out);
JF_API int32_t jf_bytes_rjust(const jf_text* bytes, int64_t width, const jf_text* fillchar, jf_value* out);
JF_API int32_t jf_bytes_center(const jf_text* bytes, int64_t width, const jf_text* fillchar, jf_value* out);
JF_API int32_t jf_bytes_expandtabs(const jf_text* bytes, int64_t tabsize, jf_value* out);
JF_API int32_t jf_bytes_hex(const jf_text* bytes, jf_value* out);
JF_API int32_t jf_bytes_decode(const jf_text* bytes, const jf_text* encoding, const jf_text* errors, jf_value* out);

#ifdef __cplusplus
}
#endif
#endif
