"""Compiled functions as a module: object files linked in memory, imports, and what is missing."""

import subprocess
import tempfile
from pathlib import Path

import jitffi

FOLDER = Path(tempfile.mkdtemp())


def compiled(name: str, source: str) -> Path:
    """An object file, as a build would leave it."""
    (FOLDER / f"{name}.c").write_text(source)
    subprocess.run(["cc", "-c", "-O2", "-fPIC", "-o", str(FOLDER / f"{name}.o"), str(FOLDER / f"{name}.c")], check=True)
    return FOLDER / f"{name}.o"


# jitffi writes the side that others call, a C compiler what it calls; linked here, without a linker.
jitffi.emit(["gcd: (a: i64, b: i64) -> i64", "mean: (list[f64]) -> f64"], FOLDER / "numbers.o")
c = compiled("gcd", "long gcd(long a, long b) { return b ? gcd(b, a % b) : a < 0 ? -a : a; }")
try:
    numbers = jitffi.load_module(FOLDER / "numbers.o", c)
except OSError as error:
    print("missing:", str(error).replace(f"{FOLDER}/", ""))
jitffi.emit("gcd: (a: i64, b: i64) -> i64", FOLDER / "numbers.o")
numbers = jitffi.load_module(FOLDER / "numbers.o", c)
print(numbers, "exports", *(f"{name}{sig}" for name, sig in numbers.signatures.items()))
print("gcd:", numbers.gcd(84, b=-36), numbers["gcd"](17, 4))

# The convention by hand, with no header of ours. Each load has its own variables.
counter = compiled("counter", """
    #include <stdint.h>
    typedef struct { int32_t code, length; int64_t value; } slot;
    static int64_t count;
    __attribute__((constructor)) static void begin(void) { count = 100; }
    const char __jfsig_next[] = "() -> i64";
    int32_t __jf_next(void* self, int32_t n, const slot* args, slot* out) {
      (void)self, (void)n, (void)args;
      *out = (slot){-2, 0, ++count}; /* -2: an int */
      return 0;
    }
""")  # fmt: skip
first, second = jitffi.load_module(counter), jitffi.load_module(counter.read_bytes())
print("counters:", first.next(), first.next(), second.next())

# A module finds in those that it imports what it does not have itself, and stays as long as a function of it is held.
numbers.import_module(second)
print("imported:", numbers.next())
try:
    numbers.gdc(1, 2)
except AttributeError as error:
    print("error:", error)
gcd = numbers.gcd
try:
    numbers.close()
except RuntimeError as error:
    print("error:", error)
del gcd
numbers.close()
print(numbers)
