/* string_core<char>: UTF-8. */
#define CORE str_core
#define CHAR char
#define HEAP jf_str
#define CODE JF_STR
#define SMALL JF_CORE_SMALL_BYTES
#define TO_OUT jf_out_str
#include "jitffi/runtime.h"
#include "jitffi/text.h"
#include "string_core.inc"
