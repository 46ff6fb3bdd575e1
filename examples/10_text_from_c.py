"""C functions that take text, return text, and fail as Python's do."""

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import jitffi

SOURCE = r"""
#include <jitffi/runtime.h>
#include <stdlib.h>
#include <string.h>

/* str repeat(str text, i64 count) */
int32_t repeat(const char* text, size_t size, int64_t count, jf_value* out) {
  if (count < 0) {
    jf_error_format("ValueError", "repeat: count is %lld, which is negative", (long long)count);
    return -1;
  }
  char* all = malloc(size * (size_t)count + 1);
  for (int64_t i = 0; i < count; i++) memcpy(all + (size_t)i * size, text, size);
  int32_t status = jf_out_str(out, all, size * (size_t)count);
  free(all);
  return status;
}

/* optional[bytes] after(bytes data, u8 mark): what follows the first mark, or None */
int32_t after(const char* data, size_t size, uint8_t mark, jf_value* out) {
  const char* found = memchr(data, mark, size);
  return found ? jf_out_bytes(out, found + 1, (size_t)(data + size - found - 1)) : 0;
}
"""


def flags(what: str) -> list[str]:
    return shlex.split(subprocess.check_output([sys.executable, "-m", "jitffi", "config", what], text=True))


with tempfile.TemporaryDirectory() as folder:
    source, library = Path(folder, "text.c"), Path(folder, "text.so")
    source.write_text(SOURCE)
    command = ["cc", "-shared", "-fPIC", "-o", str(library), *flags("--includes"), str(source), *flags("--libs")]
    subprocess.run(command, check=True)
    lib = jitffi.load_library(library)

repeat = lib.bind("repeat", "(text: str, count: i64 = 2) -> str")
after = lib.bind("after", "(data: bytes, mark: u8) -> optional[bytes]")

print(repeat("Ärger, "), len(repeat("ß", count=1000)))
print(after(b"key=value", ord("=")), after(bytearray(b"no mark"), ord("=")))
for call in (lambda: repeat("x", -1), lambda: repeat(b"x"), lambda: after(b"x", 256)):
    try:
        call()
    except (ValueError, TypeError, OverflowError) as error:
        print(f"{type(error).__name__}: {error}")
