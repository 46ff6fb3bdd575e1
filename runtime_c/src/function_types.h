/* Where the text of a function's type ends. */
#ifndef JITFFI_FUNCTION_TYPES_H
#define JITFFI_FUNCTION_TYPES_H

/* The bracket that closes the one at `bracket`, or the end of the text; brackets in quotes do not count. */
const char* jf_function_end(const char* bracket);

#endif
