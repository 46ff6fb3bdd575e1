/* The loop of loops.c through tvm-ffi's convention, and a callee of it, as a C programmer writes them by its header. */
#include "jitffi/tvm_ffi.h"
#include "plain.h"

PLAIN_API int32_t tvm_add(void* self, const jf_tvmffi_any* args, int32_t n, jf_tvmffi_any* result);
PLAIN_API int64_t loop_tvm(jf_tvmffi_call* where, int64_t n);

int32_t tvm_add(void* self, const jf_tvmffi_any* args, int32_t n, jf_tvmffi_any* result) {
  (void)self;
  if (n != 2 || args[0].type_index != JF_TVMFFI_INT || args[1].type_index != JF_TVMFFI_INT) return -1;
  *result = (jf_tvmffi_any){.type_index = JF_TVMFFI_INT, .v_int64 = add_i64(args[0].v_int64, args[1].v_int64)};
  return 0;
}

/* The pointer is read again for each call: nobody knows what it is. */
int64_t loop_tvm(jf_tvmffi_call* where, int64_t n) {
  int64_t sum = 0;
  for (int64_t i = 0; i < n; i++) {
    const jf_tvmffi_any args[2] = {{JF_TVMFFI_INT, 0, {i}}, {JF_TVMFFI_INT, 0, {7}}};
    jf_tvmffi_any result = {0};
    if ((*where)(NULL, args, 2, &result) != 0 || result.type_index != JF_TVMFFI_INT) return -1;
    sum += result.v_int64;
  }
  return sum;
}
