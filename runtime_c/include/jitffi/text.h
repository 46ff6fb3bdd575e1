/* Text: the string containers string_core<char> and string_core<char32_t>, and conversions between encodings.
 *
 * A core is a value of 24 bytes, made by jf_str_core_init and given back by jf_str_core_release. Everything that is said of
 * str holds for ucs4, with characters in place of bytes. Functions that need memory return -1 or NULL with MemoryError
 * set, and leave the string as it was.
 */
#ifndef JITFFI_TEXT_H
#define JITFFI_TEXT_H

#include "runtime.h"

#ifdef __cplusplus
extern "C" {
#endif

/* -- str_core.c, ucs4_core.c (both from string_core.inc) ---------------------------------------------------- */

/* Medium: up to this many bytes. What is longer is large: its copies share it. */
enum { JF_CORE_SMALL_BYTES = 16, JF_CORE_SMALL_CHARS = 4, JF_CORE_MEDIUM_BYTES = 254 };

#define JF_CORE_FUNCTIONS(core, Char)                                                                                  \
  JF_API int32_t jf_##core##_init(jf_##core* string, const Char* data, size_t size); /* a copy of data */              \
  JF_API int32_t jf_##core##_of_object(jf_##core* string, jf_object* heap_string);   /* shares it where it is large */ \
  JF_API int32_t jf_##core##_copy(jf_##core* string, const jf_##core* from);         /* into uninitialised memory */   \
  JF_API void jf_##core##_move(jf_##core* string, jf_##core* from); /* into uninitialised memory; from is empty */     \
  JF_API void jf_##core##_swap(jf_##core* a, jf_##core* b);         /* exchanges what they hold */                     \
  JF_API void jf_##core##_release(jf_##core* string);               /* leaves it empty */                              \
  JF_API void jf_##core##_reset(jf_##core* string);                 /* the same */                                     \
  JF_API int32_t jf_##core##_category(const jf_##core* string);     /* 0 and up: the small length; else JF_CORE_* */   \
  JF_API const Char* jf_##core##_data(const jf_##core* string);  /* NUL-terminated, borrowed until the next change */  \
  JF_API size_t jf_##core##_size(const jf_##core* string);       /* bytes, or characters */                            \
  JF_API size_t jf_##core##_capacity(const jf_##core* string);   /* what it can grow to in place */                    \
  JF_API int32_t jf_##core##_is_shared(const jf_##core* string); /* 1 or 0 */                                          \
  JF_API Char* jf_##core##_mutable_data(jf_##core* string);      /* unshares; NULL */                                  \
  JF_API int32_t jf_##core##_unshare(jf_##core* string, size_t min_capacity); /* room of its own for that many */      \
  JF_API int32_t jf_##core##_reserve(jf_##core* string, size_t min_capacity); /* room for that many in all */          \
  JF_API int32_t jf_##core##_shrink(jf_##core* string, size_t delta); /* drops the last `delta`, at most all */        \
  JF_API Char* jf_##core##_expand(jf_##core* string, size_t delta, int32_t exponentially); /* the new part; NULL */    \
  JF_API int32_t jf_##core##_push_back(jf_##core* string, Char c);                         /* one more at the end */   \
  JF_API int32_t jf_##core##_append(jf_##core* string, const Char* data, size_t size);     /* its own data too */      \
  JF_API int32_t jf_##core##_out(const jf_##core* string, jf_value* out) /* a value: in place, shared or copied */

JF_CORE_FUNCTIONS(str_core, char);
JF_CORE_FUNCTIONS(ucs4_core, jf_char32);

/* -- utf8.c, unicode.c, text_hash.c, string.c -------------------------------------------------------------------- */

/* Bytes of valid UTF-8 at the start of data: all of it, or up to the first fault (surrogates and overlong forms are
 * faults). */
JF_API size_t jf_utf8_valid(const char* data, size_t size);
JF_API size_t jf_utf8_length(const char* data, size_t size); /* characters of valid UTF-8 */
/* Where character number `index` of valid UTF-8 begins; size when there are no more. */
JF_API size_t jf_utf8_offset(const char* data, size_t size, size_t index);
/* Characters written; out has room for jf_utf8_length. -1 where data is no valid UTF-8 (what is in out then is unspecified). */
JF_API int64_t jf_utf8_to_ucs4(const char* data, size_t size, jf_char32* out);
JF_API int32_t jf_is_ascii(const char* data, size_t size);
/* The text of a str of any `width`: 1 (Latin-1), 2 (UCS2 without surrogates) or 4 bytes a character. Bytes of UTF-8 that it
 * needs, -1 for a surrogate or what lies beyond 0x10FFFF; and the conversion of text so checked. */
JF_API int64_t jf_utf8_size(const void* data, size_t size, int32_t width);
JF_API void jf_utf8_write(const void* data, size_t size, int32_t width, char* out);
JF_API void jf_ucs4_write(const void* data, size_t size, int32_t width, jf_char32* out); /* widens */
/* Position of the first surrogate or value beyond 0x10FFFF, or -1. */
JF_API int64_t jf_ucs4_fault(const jf_char32* data, size_t size);
/* Characters of a heap str, counted once and kept. */
JF_API size_t jf_str_characters(const jf_object* str);
/* What another text's hash is compared with: equal for equal text in either encoding. Kept in heap strings. */
JF_API uint64_t jf_hash_utf8(const char* data, size_t size);
JF_API uint64_t jf_hash_ucs4(const jf_char32* data, size_t size); /* of the text's UTF-8 */
JF_API uint64_t jf_hash_bytes(const void* data, size_t size);     /* of bytes */

#ifdef __cplusplus
}
#endif
#endif
