/* string_core<char32_t> against plain buffers. */
#define CORE ucs4_core
#define CHAR jf_char32
#define CODE JF_UCS4
#define SMALL JF_CORE_SMALL_CHARS
#define HEAP_NEW jf_ucs4_new
#include "string_core_model.inc"
