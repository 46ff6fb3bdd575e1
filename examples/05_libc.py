"""The C library: environment, text, memory of NumPy arrays, and errno."""

import numpy as np

import jitffi

libc = jitffi.load_library(None)
setenv = libc.bind("setenv", "int setenv(const char *name, const char *value, int overwrite)")
# Its prototype has a `char *`, which may be the caller's to free and comes as an address; this one is not.
getenv = libc.bind("getenv", "(name: cstr) -> optional[cstr]")
strlen = libc.bind("strlen", "(cstr) -> u64")
memcpy = libc.bind("memcpy", "(target: ptr, source: ptr, size: u64) -> ptr")
open_ = libc.bind("open", "(cstr, i32, u32) -> i32", errno=True)

setenv("JITFFI_EXAMPLE", "schön", 1)
print("getenv:", getenv("JITFFI_EXAMPLE"), getenv("JITFFI_NO_SUCH_NAME"))
print("strlen:", strlen("schön"), "bytes of UTF-8")

source, target = np.arange(8, dtype=np.float64), np.zeros(8)
memcpy(target, source, source.nbytes)
print("memcpy:", target.tolist())

try:
    open_("/no/such/file", 0, 0)
except FileNotFoundError as error:
    print("errno: ", error)
