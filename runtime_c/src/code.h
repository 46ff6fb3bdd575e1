/* Code that is made at run time: closures and mappings. */
#ifndef JITFFI_SRC_CODE_H
#define JITFFI_SRC_CODE_H

#include <stddef.h>
#include <stdint.h>

/* -- closure.c -- */
int32_t jf_closures_exist(void); /* whether jf_closure_new can make any on this target */

/* -- code.c -- */
void* jf_map_writable(size_t size); /* NULL with the error set */
int32_t jf_map_seal(void* memory, size_t size);

#endif
