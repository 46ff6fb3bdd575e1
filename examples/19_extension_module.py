"""An extension module without a C compiler's part in it: emitted from signatures, linked, and imported by a Python that
has no jitffi."""

import subprocess
import sys
import tempfile
from pathlib import Path

import jitffi

SIGNATURES = [
    "labs: (number: i64) -> i64",
    "strlen: (text: cstr) -> u64",
    "hypot: (x: f64, y: f64 = 4.0) -> f64",
    "lfind: (key: ptr, base: ptr, count: ptr, size: u64, compare: func[(ptr, ptr) -> i32]) -> ptr",
]

PROGRAM = """
import array, ctypes, inspect, sys
import numbers_of_c as c

print("jitffi" in sys.modules, c.labs, inspect.signature(c.hypot))
print(c.labs(-2**40), c.strlen("four"), c.hypot(3), c.hypot(y=5, x=12))

primes, count = array.array("l", [2, 3, 5, 7, 11]), array.array("L", [5])
found = c.lfind(None, primes, count, 8, lambda key, item: ctypes.c_long.from_address(item).value != 7)
print("seven is at", (found - primes.buffer_info()[0]) // 8)
for wrong in (lambda: c.labs(2.5), lambda: c.labs(), lambda: c.strlen("a\\0b")):
    try:
        wrong()
    except (TypeError, ValueError) as error:
        print(f"{type(error).__name__}: {error}")
"""

with tempfile.TemporaryDirectory() as folder:
    made = jitffi.emit(
        SIGNATURES, Path(folder, "numbers_of_c.so"), entry="python", stub=Path(folder, "numbers_of_c.pyi"), link=["-lm"]
    )
    print(made.name, made.stat().st_size // 1000, "kB")
    program = f"import sys; sys.path.insert(0, {folder!r})\n{PROGRAM}"
    subprocess.run([sys.executable, "-I", "-S", "-c", program], check=True)
