"""What the extension cannot be built without: an interpreter with the GIL, its headers, a C compiler. Who lacks one of
them is told which in a sentence, in place of what CMake and a compiler would say.
"""

from __future__ import annotations

import itertools
import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

#: In CMake's order.
COMPILERS = ("cc", "gcc", "clang")
INSTALL_COMPILER = (
    "apt install build-essential (Debian, Ubuntu), dnf install gcc (Fedora) or apk add build-base (Alpine)"
)
#: Whoever says one of these to CMake has another compiler than this file would look at.
CHOICES = ("CMAKE_C_COMPILER", "CMAKE_TOOLCHAIN_FILE")
PROGRAM = "#include <stdlib.h>\n#include <math.h>\nint main(void) { return EXIT_SUCCESS; }\n"


def require(config_settings: dict[str, Any] | None) -> None:
    """End the process with a sentence where the extension cannot be built here."""
    missing = of_python() or ("" if names_compiler(config_settings) else of_compiler())
    if missing:
        sys.exit(f"jitffi: {missing}")


def of_python() -> str:
    running = "{}.{}".format(*sys.version_info)
    if sys.platform in ("darwin", "win32"):
        return f"it runs on Linux, and this is {sys.platform}, which is not supported"
    if sysconfig.get_config_var("Py_GIL_DISABLED"):
        return f"this CPython {running} is the free-threaded build, and jitffi needs the GIL: use the other build"
    header = Path(sysconfig.get_path("include"), "Python.h")
    if header.is_file():
        return ""
    return (
        f"CPython {running} has no C headers here ({header}): install them with apt install python{running}-dev "
        f"(Debian, Ubuntu) or dnf install python{running}-devel (Fedora)"
    )


def names_compiler(config_settings: dict[str, Any] | None) -> bool:
    variables = (name for name in os.environ if name in (*CHOICES, "CMAKE_ARGS", "SKBUILD_CMAKE_ARGS"))
    said = [f"{name}={os.environ[name]}" for name in variables]
    said += [f"{name}={value}" for name, value in (config_settings or {}).items()]
    return any(choice in each for choice in CHOICES for each in said)


def of_compiler() -> str:
    chosen = os.environ.get("CC", "").strip()
    if chosen:
        wrong = trouble_with(chosen)
        return wrong and f"CC is {chosen!r}, which is no C compiler that works: {wrong}; set it to one, or unset it"
    found = next(filter(shutil.which, COMPILERS), None)
    if found is None:
        return f"there is no C compiler ({', '.join(COMPILERS)}) on PATH: install one with {INSTALL_COMPILER}"
    wrong = trouble_with(found)
    return (
        wrong and f"the C compiler {found} does not work here: {wrong}; install what it lacks with {INSTALL_COMPILER}"
    )


def trouble_with(compiler: str) -> str:
    """Why that command makes no program from C, in a few words; "" if it does."""
    with tempfile.TemporaryDirectory() as folder:
        source, program = Path(folder, "probe.c"), Path(folder, "probe")
        source.write_text(PROGRAM)
        try:
            words = [
                shlex.split(text) for text in (compiler, os.environ.get("CFLAGS", ""), os.environ.get("LDFLAGS", ""))
            ]
            done = subprocess.run(
                [*itertools.chain(*words), "-o", str(program), str(source)],
                stdin=subprocess.DEVNULL, capture_output=True, encoding="utf-8", errors="replace", timeout=60,
            )  # fmt: skip
        except FileNotFoundError:
            return "there is no such program"
        except (OSError, ValueError, subprocess.TimeoutExpired) as error:
            return str(error)
        if done.returncode == 0 and program.is_file():
            return ""
        lines = [line for line in done.stderr.splitlines() if line.strip()]
        errors = [line for line in lines if "error" in line.lower()]
        return next(iter(errors or lines), f"it made no program from C, and ended with {done.returncode}")
