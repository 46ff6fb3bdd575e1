/* A call of any C function, its arguments laid out in memory: what a compiled wrapper has in its instructions; and of Python by C. */
#ifndef JITFFI_PYTHON_NATIVE_CALL_H
#define JITFFI_PYTHON_NATIVE_CALL_H

#include <stdint.h>

/* A vector register has two words, of which numbers but for AArch64's long double take the first. The offsets are native_call.c's,
 * too. */
typedef struct {
  uint64_t general_results[2]; /* 0: rax and rdx, or x0 and x1 */
  uint64_t vector_results[8];  /* 16: xmm0 and xmm1, or v0 to v3 */
  void* target;                /* 80 */
  uint64_t num_stack;          /* 88: words on the stack, an even number */
  uint32_t num_vectors;        /* 96: 0: no vector register is loaded; on x86-64 a variadic callee reads it */
  uint32_t is_x87;             /* 100: the result is in st(0), of x86-64: its bytes are where rax and rdx would be */
  uint64_t indirect;           /* 104: x8, where a large result goes on AArch64 */
  uint64_t general[8];         /* 112: 6 on x86-64 */
  uint64_t vector[16];         /* 176 */
  uint64_t stack[];            /* 304 */
} core_native_call;

/* Where the words of arguments begin, which plans count from `indirect`. */
enum { CORE_WORD_INDIRECT, CORE_WORD_GENERAL, CORE_WORD_VECTOR = 9, CORE_WORD_STACK = 25 };

#if defined(__GLIBC__) && (defined(__x86_64__) || defined(__aarch64__)) && defined(__ELF__)
#define CORE_CALLS_NATIVE 1
/* NULL, or the exception that was thrown through it, for core_caught. */
void* core_call_native(core_native_call* call);
/* The body of closures: stores what it is called with as a core_native_call whose `target` is the first word on the stack, lets
 * core_plan_called (plan_callback.c) answer, and returns its results. */
void core_plan_body(void);
#else
#define CORE_CALLS_NATIVE 0
#endif

#endif
