"""A C library that calls a Python function by its global name, through the runtime that both share."""

import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import jitffi

SOURCE = r"""
#include <jitffi/runtime.h>

/* The sum of name(0) to name(count - 1). A result of type any goes through `out`, and non-zero is a failure. */
int32_t sum_of(const char* name, int64_t count, jf_value* out) {
  jf_object* function = jf_global_get(name);
  if (!function) {
    jf_global_fail_unknown(name);
    return -1;
  }
  int64_t sum = 0;
  int32_t status = 0;
  for (int64_t i = 0; i < count && status == 0; i++) {
    const jf_view argument = {JF_INT, 0, {.v_int64 = i}};
    jf_value result;
    jf_out_init(&result, 8);
    status = jf_function_call(function, 1, &argument, &result);
    if (status == 0 && result.type_code == JF_INT) sum += result.v_int64;
    jf_any_release(&result);
  }
  jf_object_release(function);
  if (status == 0) *out = (jf_value){JF_INT, 0, {.v_int64 = sum}};
  return status;
}
"""


def flags(what: str) -> list[str]:
    """What the command line says to a C compiler: jitffi config --includes, jitffi config --libs."""
    return shlex.split(subprocess.check_output([sys.executable, "-m", "jitffi", "config", what], text=True))


with tempfile.TemporaryDirectory() as folder:
    source, library = Path(folder, "sum.c"), Path(folder, "sum.so")
    source.write_text(SOURCE)
    command = ["cc", "-shared", "-fPIC", "-o", str(library), *flags("--includes"), str(source), *flags("--libs")]
    subprocess.run(command, check=True)
    sum_of = jitffi.load_library(library).bind("sum_of", "(name: cstr, count: i64) -> any")


@jitffi.register_global_func("example.square")
def square(x):
    return x * x


@jitffi.register_global_func("example.picky")
def picky(x):
    if x == 3:
        raise LookupError("not with 3")
    return x


print("sum of squares:", sum_of("example.square", 10))
for name in ("example.picky", "example.sqare"):
    try:
        sum_of(name, 10)
    except (LookupError, ValueError) as error:
        print(f"{type(error).__name__}: {error}")
