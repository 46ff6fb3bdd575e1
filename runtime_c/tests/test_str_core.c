/* string_core<char> against plain buffers. */
#define CORE str_core
#define CHAR char
#define CODE JF_STR
#define SMALL JF_CORE_SMALL_BYTES
#define HEAP_NEW jf_str_new
#include "string_core_model.inc"
