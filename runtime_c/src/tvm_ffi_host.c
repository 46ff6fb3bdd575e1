/* The language that embeds both jitffi and tvm-ffi, which says so long before anything of tvm-ffi's is needed. */
#include "jitffi/tvm_ffi.h"
#include "tvm_ffi.h"

static const jf_tvmffi_host* the_host;

void jf_tvmffi_set_host(const jf_tvmffi_host* host) { __atomic_store_n(&the_host, host, __ATOMIC_RELEASE); }

const jf_tvmffi_host* jf_tvmffi_host_now(void) { return __atomic_load_n(&the_host, __ATOMIC_ACQUIRE); }
