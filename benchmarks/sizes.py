"""Sizes of the C runtime by part: `python benchmarks/sizes.py [FOLDER]`, which is what `make size` prints.

Text, data and bss of the libraries that the installed package has, and of each group of source files: for x86-64, with
the options that most files of the shared library have, and for microcontrollers (Thumb-2 and RISC-V 32) with
JITFFI_BARE, where the core is also linked alone, and run under qemu.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

RUNTIME = Path(__file__).resolve().parents[1] / "runtime_c"
#: The first group whose pattern a file's name begins with.
GROUPS = {
    "core: slots, objects, text, functions, errors, registry": "slot object str_core string function error registry "
    "type. table lock memory print decimal describe blocks value raise operations",
    "containers": "list map set tuple pool items shape hash equal compare decode filled lend find access",
    "arrays": "array ndarray tensor dlpack",
    "graphs and structures": "graph structural repr",
    "types and their objects": "type_ object_",
    "modules": "module load code closure unwind system",
    "calls of emitted code": "",
}
FLAGS = [
    "-std=gnu11",
    "-Os",
    "-DNDEBUG",
    "-ffunction-sections",
    "-fdata-sections",
    "-D_GNU_SOURCE",
    '-DJITFFI_VERSION="0"',
]
BARE = ["-DJITFFI_BARE", "-D__thread=", "-D_Thread_local=", "-fno-unwind-tables", "-fno-asynchronous-unwind-tables"]


@dataclass(frozen=True)
class Machine:
    """What a machine's code is made and run with."""

    name: str
    compiler: str
    flags: tuple[str, ...]
    runner: str = ""

    @property
    def is_there(self) -> bool:
        return shutil.which(self.compiler) is not None


MACHINES = (
    Machine(
        "x86-64", "cc",
        ("-O2", "-fPIC", "-fvisibility=hidden", "-falign-jumps=1", "-falign-labels=1", "-fno-tree-vectorize"),
    ),
    Machine("Thumb-2 (Cortex-M4)", "arm-none-eabi-gcc", ("-mthumb", "-mcpu=cortex-m4", *BARE), "qemu-arm"),
    Machine(
        "RISC-V 32 (rv32imac)", "riscv64-unknown-elf-gcc",
        ("-march=rv32imac", "-mabi=ilp32", "-msave-restore", "--specs=picolibc.specs", *BARE), "qemu-riscv32",
    ),
)  # fmt: skip


def run(*command: str | Path) -> str:
    """The output of a command that must succeed."""
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stderr}")
    return done.stdout


def compiled(machine: Machine, folder: Path) -> list[Path]:
    """The objects of all files of the runtime."""
    includes = ["-I", RUNTIME / "include", "-I", RUNTIME / "src"]
    objects = []
    for source in sorted((RUNTIME / "src").glob("*.c")):
        objects.append(folder / f"{source.stem}.o")
        run(machine.compiler, *FLAGS, *machine.flags, *includes, "-c", source, "-o", objects[-1])
    return objects


def sizes(path: Path) -> tuple[int, int, int]:
    """Text with constants, data and bss of an object or a program."""
    text, data, bss = run("size", path).splitlines()[1].split()[:3]
    return int(text), int(data), int(bss)


def group(name: str) -> str:
    for title, words in GROUPS.items():
        if any(f"{name}.".startswith(word) for word in words.split()):
            return title
    return next(reversed(GROUPS))


def c_library(machine: Machine) -> str:
    """The archive that memcpy and strlen are taken from."""
    found = run(machine.compiler, *machine.flags, "-print-file-name=libc.a").strip()
    if found != "libc.a":
        return found
    multi = run(machine.compiler, *machine.flags, "-print-multi-directory").strip()
    return str(next(Path("/usr/lib/picolibc").glob(f"*/lib/{multi}/libc.a"), found))  # Debian's picolibc


def linked_core(machine: Machine, objects: list[Path], folder: Path) -> Path:
    """The program of the core alone: what nobody needs is left out."""
    program, source = folder / "core", RUNTIME / "tests" / "bare" / "core.c"
    made = folder / "core.main.o"
    run(machine.compiler, *FLAGS, *machine.flags, "-I", RUNTIME / "include", "-c", source, "-o", made)
    # Without the C library's linker script, which has data copied by its start.
    where = [word for word in machine.flags if word.startswith("-m")]
    libraries = [c_library(machine), run(machine.compiler, *machine.flags, "-print-libgcc-file-name").strip()]
    options = ["-nostdlib", "-Wl,--gc-sections", f"-Wl,-Map={folder / 'map'}"]
    run(machine.compiler, *where, *options, made, *objects, *libraries, "-o", program)
    return program


def report(machine: Machine, folder: Path) -> dict[str, tuple[int, int, int]]:
    """Prints the table of a machine; the sums by group, and "core" alone where it is linked."""
    objects = compiled(machine, folder)
    found: dict[str, tuple[int, int, int]] = {}
    files: dict[str, list[str]] = {}
    for path in objects:
        each = sizes(path)
        title = group(path.stem)
        before = found.get(title, (0, 0, 0))
        found[title] = (before[0] + each[0], before[1] + each[1], before[2] + each[2])
        files.setdefault(title, []).append(f"{path.stem} {each[0]}")
    print(f"\n{machine.name}\n{'text':>9}{'data':>8}{'bss':>8}")
    for title in GROUPS:
        print("{:>9}{:>8}{:>8}  {}".format(*found[title], title))
        largest = sorted(files[title], key=lambda line: -int(line.split()[1]))[:6]
        print(f"{'':27}{', '.join(largest)}")
    print("{:>9}{:>8}{:>8}  all".format(*[sum(column) for column in zip(*found.values(), strict=True)]))
    if machine.runner:
        program = linked_core(machine, objects, folder)
        found["core"] = sizes(program)
        ran = ""
        if (runner := shutil.which(machine.runner)) is not None:
            run(runner, program)
            ran = f", runs under {machine.runner}"
        print("{:>9}{:>8}{:>8}  the core alone, linked{}".format(*found["core"], ran))
    return found


def report_libraries() -> None:
    """Prints what the installed package's shared libraries have, and how much of their text is code."""
    try:
        from jitffi.base import config
    except ImportError:
        print("jitffi is not installed: no libraries")
        return
    print(f"the package's libraries\n{'text':>9}{'data':>8}{'bss':>8}{'code':>9}")
    for path in sorted(config.library_dir().glob("libjitffi_*.so")):
        sections = (line.split() for line in run("size", "-A", "-d", path).splitlines())
        code = next(int(words[1]) for words in sections if words[:1] == [".text"])
        print("{:>9}{:>8}{:>8}{:>9}  {}".format(*sizes(path), code, path.name))


def main() -> None:
    report_libraries()
    for machine in MACHINES:
        if not machine.is_there:
            print(f"\n{machine.name}: no {machine.compiler}")
            continue
        with tempfile.TemporaryDirectory(prefix="jitffi-size-") as folder:
            report(machine, Path(sys.argv[1]) if len(sys.argv) > 1 else Path(folder))


if __name__ == "__main__":
    main()
