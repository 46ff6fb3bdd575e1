/* Encodings and error handlers by their names. */
#ifndef JITFFI_TEXT_CODEC_H
#define JITFFI_TEXT_CODEC_H

#include "jitffi/script.h"
#include "macros.h"

enum {
  JF_CODEC_UTF8,
  JF_CODEC_ASCII,
  JF_CODEC_LATIN1,
  JF_CODEC_UTF16,
  JF_CODEC_UTF16_LE,
  JF_CODEC_UTF16_BE,
  JF_CODEC_UTF32,
  JF_CODEC_UTF32_LE,
  JF_CODEC_UTF32_BE
};
enum { JF_ERRORS_STRICT, JF_ERRORS_IGNORE, JF_ERRORS_REPLACE, JF_ERRORS_BACKSLASH, JF_ERRORS_XML, JF_ERRORS_UNKNOWN };

/* JF_CODEC_*, of any name that Python knows for it; -1 with LookupError or ValueError set. */
int32_t jf_codec_of(const jf_text* name);
/* Whether it is the host's to do, by its codecs: then *status is 0, or -1 with the last error set and *out null. */
int32_t jf_coded_by_host(int32_t is_decoded, const jf_text* text, const jf_text* encoding, const jf_text* errors,
                         jf_value* out, int32_t* status);
/* JF_ERRORS_*; that a name is unknown counts only when there is an error. */
int32_t jf_errors_of(const jf_text* name);
int32_t jf_errors_fail(const jf_text* name); /* LookupError; always -1 */
/* The last error is of these units of the text or bytes: what its class is called with. */
JF_COLD void jf_codec_error_args(int32_t codec, const jf_view* coded, size_t start, size_t end, const char* why);
const char* jf_codec_name(int32_t codec); /* as it stands in messages */

#endif
