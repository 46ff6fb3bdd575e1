/* Values as text: str() and repr(). */
#ifndef JITFFI_SCRIPT_OP_REPR_H
#define JITFFI_SCRIPT_OP_REPR_H

#include "jitffi/script.h"
#include "macros.h"

/* str(value), or format(value, *spec), of a value that is none of a script's own: as its language says where it does,
 * else its repr or its message. *out is null on failure. */
int32_t jf_op_text_of(const jf_any* slot, const jf_text* spec, jf_value* out);
/* Whether a resolved value is one: neither None, number, text, bytes nor container. */
int32_t jf_op_is_foreign(const jf_any* slot);

/* KeyError(key); -1. */
JF_COLD int32_t jf_op_fail_key(const jf_any* key);
/* repr() as UTF-8 for a message, at most `most` characters (0: all). NULL with the error set; to be freed. */
char* jf_op_repr_text(const jf_any* value, size_t most);
int32_t jf_char_is_printable(int32_t code_point);

#endif
