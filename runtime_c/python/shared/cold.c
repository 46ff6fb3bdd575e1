/* Entry points off the fast path, under a calling convention that keeps the caller's registers: LLVM's preserve_most.
 *
 * A call in a cold block makes a compiler keep whatever lives across it in callee-saved registers, and the function pays for that at
 * its entry, on the fast path too. Level 2 code therefore calls these stubs, which save what the C compiler's own code
 * may change; the fast path then has nothing to save. On x86-64 preserve_most keeps all integer registers but r11, and
 * rax where it is no result (LLVM X86CallingConv.td, CSR_64_RT_MostRegs). Elsewhere the stubs are the functions.
 */
#include "cold.h"

#include "array.h"
#include "array_filled.h"
#include "call.h"
#include "error.h"
#include "gil.h"
#include "jitffi/runtime.h"
#include "raise.h"
#include "unbox.h"

/* P: gives a pair, in rax and rdx. V: gives a value. N: gives none, so rax is the caller's as well. */
#define COLD(P, V, N)                          \
  P(unbox_scalar, core_scalar_of_object)       \
  V(unbox_str, core_unbox_str)                 \
  V(unbox_bytes, core_unbox_bytes)             \
  V(unbox_array, core_unbox_array)             \
  V(unbox_tensor, core_unbox_tensor)           \
  V(refuse_filled, core_refuse_filled)         \
  V(refuse_beyond, core_refuse_beyond)         \
  P(lift_scalar, core_scalar_of_slot)          \
  V(lift_ptr, jf_lift_ptr)                     \
  V(lift_str, jf_lift_str)                     \
  V(lift_bytes, jf_lift_bytes)                 \
  V(arrange, core_arrange)                     \
  V(arrange_packed, core_arrange_packed)       \
  V(take_pending, core_take_pending)           \
  V(is_pending, core_is_pending)               \
  V(errno_failed, core_errno_failed)           \
  V(null_result, core_null_result)             \
  V(fail_null, core_fail_null)                 \
  V(check_out, core_check_out)                 \
  N(raise_arity, core_raise_arity)             \
  N(packed_arity, jf_fail_arity)               \
  N(error_raise, core_error_raise_call)        \
  N(error_from_python, core_error_from_python) \
  N(error_pending, core_error_pending)         \
  N(decref_array, core_decref_array)           \
  N(any_release, jf_any_release)               \
  N(temps_release, jf_temps_release)

#if defined(__x86_64__) && defined(__ELF__)

#define PUSH(register_) "push %" register_ "\n.cfi_adjust_cfa_offset 8\n"
#define POP(register_) "pop %" register_ "\n.cfi_adjust_cfa_offset -8\n"
#define STUB(name, before, target, rdx, after)                                                                      \
  __asm__(".section .text.core_cold_" #name ",\"ax\",@progbits\n.p2align 4\n.hidden core_cold_" #name               \
          "\n.globl core_cold_" #name "\n.type core_cold_" #name ",@function\ncore_cold_" #name                     \
          ":\n.cfi_startproc\n" before PUSH("rcx") PUSH("rdx") PUSH("rsi") PUSH("rdi") PUSH("r8") PUSH("r9")        \
              PUSH("r10") "call *" #target "@GOTPCREL(%rip)\n" POP("r10") POP("r9") POP("r8") POP("rdi") POP("rsi") \
                  rdx POP("rcx") after "ret\n.cfi_endproc\n.size core_cold_" #name ", .-core_cold_" #name           \
                                       "\n.text\n");
/* Seven pushes and the return address keep the stack aligned to 16; with rax it takes one more word. */
#define WORD(sign, change) sign " $8, %rsp\n.cfi_adjust_cfa_offset " change "\n"
#define PAIR(name, target) STUB(name, "", target, WORD("add", "-8"), "")
#define VALUE(name, target) STUB(name, "", target, POP("rdx"), "")
#define NOTHING(name, target) STUB(name, PUSH("rax") WORD("sub", "8"), target, POP("rdx"), WORD("add", "-8") POP("rax"))
COLD(PAIR, VALUE, NOTHING)

#define DECLARE(name, target) extern void core_cold_##name(void);
COLD(DECLARE, DECLARE, DECLARE)
#define ADDRESS(name, target) (void*)core_cold_##name,
enum { PRESERVES = 1 };

#else

#define ADDRESS(name, target) (void*)target,
enum { PRESERVES = 0 };

#endif

#define NAME(name, target) "cold_" #name,
static const char* const names[] = {COLD(NAME, NAME, NAME)};
enum { COUNT = sizeof names / sizeof names[0] };

const int core_cold_preserves = PRESERVES;
const int core_cold_count = COUNT;

/* The stub at `index` and its name in the table. */
void* core_cold_entry(int index, const char** name) {
  void* const entries[] = {COLD(ADDRESS, ADDRESS, ADDRESS)};
  *name = names[index];
  return entries[index];
}
