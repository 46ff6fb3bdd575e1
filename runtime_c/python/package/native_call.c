/* The stub that loads registers and stack from memory, calls, and stores what came back: one for each machine.
 *
 * Registers are those of the System V psABI 3.2.3 for x86-64 and of AAPCS64 6.8.2. What C++ code throws lands here, as it lands
 * in a compiled wrapper; the table of landings is as in the runtime's guard (runtime_c/src/unwind.c).
 */
#include "native_call.h"

#if CORE_CALLS_NATIVE

#include <stddef.h>

_Static_assert(offsetof(core_native_call, target) == 80 && offsetof(core_native_call, is_x87) == 100 &&
                   offsetof(core_native_call, indirect) == 104 && offsetof(core_native_call, vector) == 176 &&
                   offsetof(core_native_call, stack) == 304,
               "the offsets below");

#if defined(__x86_64__)
#define ENTER                                                                                       \
  "pushq %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\nmovq %rsp, %rbp\n"                    \
  ".cfi_def_cfa_register %rbp\npushq %rbx\n.cfi_offset %rbx, -24\nsubq $8, %rsp\nmovq %rdi, %rbx\n" \
  "movq 88(%rbx), %rcx\nleaq (,%rcx,8), %rax\nsubq %rax, %rsp\n"                                    \
  "1: testq %rcx, %rcx\nje 2f\nmovq 296(%rbx,%rcx,8), %rax\nmovq %rax, -8(%rsp,%rcx,8)\ndecq %rcx\njmp 1b\n"
#define LOAD                                                                                         \
  "2: movl 96(%rbx), %eax\ntestl %eax, %eax\nje 3f\n"                                                \
  "movsd 176(%rbx), %xmm0\nmovsd 192(%rbx), %xmm1\nmovsd 208(%rbx), %xmm2\nmovsd 224(%rbx), %xmm3\n" \
  "movsd 240(%rbx), %xmm4\nmovsd 256(%rbx), %xmm5\nmovsd 272(%rbx), %xmm6\nmovsd 288(%rbx), %xmm7\n" \
  "3: movq 112(%rbx), %rdi\nmovq 120(%rbx), %rsi\nmovq 128(%rbx), %rdx\nmovq 136(%rbx), %rcx\n"      \
  "movq 144(%rbx), %r8\nmovq 152(%rbx), %r9\n"
#define CALL "callq *80(%rbx)\n"
#define STORE                                                                             \
  "movq %rax, (%rbx)\nmovq %rdx, 8(%rbx)\nmovsd %xmm0, 16(%rbx)\nmovsd %xmm1, 32(%rbx)\n" \
  "cmpl $0, 100(%rbx)\nje 5f\nfstpt (%rbx)\n5: xorl %eax, %eax\n"
#define LEAVE "movq -8(%rbp), %rbx\nleave\n.cfi_def_cfa %rsp, 8\nretq\n"
#define BACK "jmp 4b\n"
#define AGAIN ".cfi_def_cfa %rbp, 16\n.cfi_offset %rbp, -16\n.cfi_offset %rbx, -24\n"
#else
#define ENTER                                                                                                    \
  "stp x29, x30, [sp, #-32]!\n.cfi_def_cfa_offset 32\n.cfi_offset x29, -32\n.cfi_offset x30, -24\nmov x29, sp\n" \
  ".cfi_def_cfa_register x29\nstr x19, [sp, #16]\n.cfi_offset x19, -16\nmov x19, x0\nldr x1, [x19, #88]\n"       \
  "add x2, x19, #304\nsub sp, sp, x1, lsl #3\n"                                                                  \
  "1: cbz x1, 2f\nsub x1, x1, #1\nldr x3, [x2, x1, lsl #3]\nmov x4, sp\nstr x3, [x4, x1, lsl #3]\nb 1b\n"
#define LOAD                                                                                                       \
  "2: ldr w9, [x19, #96]\ncbz w9, 3f\nldp q0, q1, [x19, #176]\nldp q2, q3, [x19, #208]\nldp q4, q5, [x19, #240]\n" \
  "ldp q6, q7, [x19, #272]\n3: ldr x8, [x19, #104]\nldr x9, [x19, #80]\nldp x0, x1, [x19, #112]\n"                 \
  "ldp x2, x3, [x19, #128]\nldp x4, x5, [x19, #144]\nldp x6, x7, [x19, #160]\n"
#define CALL "blr x9\n"
#define STORE "stp x0, x1, [x19]\nstp q0, q1, [x19, #16]\nstp q2, q3, [x19, #48]\nmov x0, #0\n"
#define LEAVE                                                                                                   \
  "mov sp, x29\n.cfi_def_cfa_register sp\nldr x19, [sp, #16]\nldp x29, x30, [sp], #32\n.cfi_def_cfa_offset 0\n" \
  ".cfi_restore x19\n.cfi_restore x29\n.cfi_restore x30\nret\n"
#define BACK "b 4b\n"
#define AGAIN ".cfi_def_cfa x29, 32\n.cfi_offset x29, -32\n.cfi_offset x30, -24\n.cfi_offset x19, -16\n"
#endif

/* The exception's address is where a function's result is, at the landing as behind the call. */
__asm__(
    ".text\n.p2align 4\n.hidden core_call_native\n.globl core_call_native\n.type core_call_native, %function\n"
    "core_call_native:\n.cfi_startproc\n.cfi_personality 0x9b, .Lcore_native_personality\n"
    ".cfi_lsda 0x1b, .Lcore_native_table\n" ENTER LOAD ".Lcore_native_begin:\n" CALL ".Lcore_native_end:\n" STORE
    "4:\n" LEAVE ".Lcore_native_land:\n" AGAIN BACK
    ".cfi_endproc\n.size core_call_native, .-core_call_native\n"
    ".section .gcc_except_table,\"a\",%progbits\n.Lcore_native_table:\n.byte 0xff, 0xff, 1\n"
    ".uleb128 .Lcore_native_sites_end - .Lcore_native_sites\n.Lcore_native_sites:\n"
    ".uleb128 .Lcore_native_begin - core_call_native\n.uleb128 .Lcore_native_end - .Lcore_native_begin\n"
    ".uleb128 .Lcore_native_land - core_call_native\n.uleb128 1\n.Lcore_native_sites_end:\n.zero 4\n"
    ".section .data.rel.ro,\"aw\",%progbits\n.p2align 3\n.Lcore_native_personality:\n.quad jf_personality\n.text\n");

/* -- closures ------------------------------------------------------------------------------------------------------- */

/* Their records come in the registers that the runtime's stubs load (runtime_c/src/closure.c). */
#if defined(__x86_64__)
#define BODY                                                                                                          \
  "endbr64\npushq %rbp\n.cfi_def_cfa_offset 16\n.cfi_offset %rbp, -16\nmovq %rsp, %rbp\n.cfi_def_cfa_register %rbp\n" \
  "subq $304, %rsp\nmovq %rdi, 112(%rsp)\nmovq %rsi, 120(%rsp)\nmovq %rdx, 128(%rsp)\nmovq %rcx, 136(%rsp)\n"         \
  "movq %r8, 144(%rsp)\nmovq %r9, 152(%rsp)\nmovsd %xmm0, 176(%rsp)\nmovsd %xmm1, 192(%rsp)\n"                        \
  "movsd %xmm2, 208(%rsp)\nmovsd %xmm3, 224(%rsp)\nmovsd %xmm4, 240(%rsp)\nmovsd %xmm5, 256(%rsp)\n"                  \
  "movsd %xmm6, 272(%rsp)\nmovsd %xmm7, 288(%rsp)\nleaq 16(%rbp), %rax\nmovq %rax, 80(%rsp)\nmovq %r10, %rdi\n"       \
  "movl $0, 100(%rsp)\nmovq %rsp, %rsi\ncallq core_plan_called\nmovq (%rsp), %rax\nmovq 8(%rsp), %rdx\n"              \
  "movsd 16(%rsp), %xmm0\nmovsd 32(%rsp), %xmm1\ncmpl $0, 100(%rsp)\nje 1f\nfldt (%rsp)\n1: leave\n.cfi_def_cfa "     \
  "%rsp, "                                                                                                            \
  "8\nretq\n"
#else
#define BODY                                                                                                       \
  "hint #34\nstp x29, x30, [sp, #-16]!\n.cfi_def_cfa_offset 16\n.cfi_offset x29, -16\n.cfi_offset x30, -8\n"       \
  "mov x29, sp\n.cfi_def_cfa_register x29\nsub sp, sp, #304\nstr x8, [sp, #104]\nstp x0, x1, [sp, #112]\n"         \
  "stp x2, x3, [sp, #128]\nstp x4, x5, [sp, #144]\nstp x6, x7, [sp, #160]\nstp q0, q1, [sp, #176]\n"               \
  "stp q2, q3, [sp, #208]\nstp q4, q5, [sp, #240]\nstp q6, q7, [sp, #272]\nadd x9, x29, #16\nstr x9, [sp, #80]\n"  \
  "mov x0, x15\nmov x1, sp\nbl core_plan_called\nldp x0, x1, [sp]\nldp q0, q1, [sp, #16]\nldp q2, q3, [sp, #48]\n" \
  "mov sp, x29\n.cfi_def_cfa_register sp\nldp x29, x30, [sp], #16\n.cfi_def_cfa_offset 0\n.cfi_restore x29\n"      \
  ".cfi_restore x30\nret\n"
#endif

__asm__(
    ".text\n.p2align 4\n.hidden core_plan_body\n.globl core_plan_body\n.type core_plan_body, %function\n"
    ".hidden core_plan_called\ncore_plan_body:\n.cfi_startproc\n" BODY
    ".cfi_endproc\n.size core_plan_body, .-core_plan_body\n");

#else

typedef int core_no_native_call;

#endif
