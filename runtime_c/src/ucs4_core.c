/* string_core<char32_t>: code points. */
#define CORE ucs4_core
#define CHAR jf_char32
#define HEAP jf_ucs4
#define CODE JF_UCS4
#define SMALL JF_CORE_SMALL_CHARS
#define TO_OUT jf_out_ucs4
#include "jitffi/runtime.h"
#include "jitffi/text.h"
#include "string_core.inc"
