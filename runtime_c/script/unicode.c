/* Characters alone. */
#include "jitffi/script.h"
#include "unicode_tables.h"

/* Never fails. */
uint32_t jf_char_flags(int32_t code_point) { return jf_flags_of((uint32_t)code_point); }
