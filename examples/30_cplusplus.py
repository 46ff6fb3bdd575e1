"""C++ by jitffi.hpp: programs and a library, built by CMake with the installed package; Python calls, and is called.

The sources are in `examples/cxx`: `add.cpp`, `hello.cpp`, `registry.cpp` and `boxes.cpp`, with their `CMakeLists.txt`.
"""

import subprocess
import sys
import tempfile
from pathlib import Path

import jitffi

SOURCES = Path(__file__).resolve().parent / "cxx"
BUILD = Path(tempfile.mkdtemp())


def run(*command: str) -> str:
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


cmake_dir = run(sys.executable, "-m", "jitffi", "config", "--cmakedir").strip()
run("cmake", "-S", str(SOURCES), "-B", str(BUILD), f"-Djitffi_DIR={cmake_dir}")
run("cmake", "--build", str(BUILD))

for program in ("add", "registry", "boxes"):
    print(f"-- {program}.cpp", run(str(BUILD / program)), sep="\n", end="")


@jitffi.register_global_func("example.lower_call")
def lower_call(text: str) -> str:
    return text.lower()


print("-- hello.cpp")
hello = jitffi.load_module(str(BUILD / "hello.so"))  # registers its names
myadd = jitffi.get_global_func("myadd")
print("myadd:", myadd(1, 2))

callhello = jitffi.get_global_func("callhello")
callhello(lambda msg: print("called back:", msg))
print("lower:", jitffi.get_global_func("lower")("FROM C++ TO PYTHON AND BACK"))
print("add:", hello.add(40, 2), hello.signatures["add"])


def fails(msg):
    raise LookupError(f"Python's own error about {msg!r}")


try:
    callhello(fails)
except LookupError as error:
    print("LookupError:", error)
