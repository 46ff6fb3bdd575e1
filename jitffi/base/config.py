"""Where the C headers, the runtime library and the library of scripts are: in a wheel, in an editable install, and
beside a build in the checkout.

The extension module is the fixed point, since it was built together with the library it is linked to.
"""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

from jitffi import _core

_LIBRARY = "libjitffi_runtime"
#: What compiled scripts call, beside it.
_SCRIPTS = "libjitffi_script"
#: Endings of the shared and the static library.
_ENDINGS = (".dylib", ".a") if sys.platform == "darwin" else (".so", ".a")
#: What the static library needs beside it.
_SYSTEM_LIBRARIES = ("-pthread",) if sys.platform == "darwin" else ("-pthread", "-ldl", "-lm")


def _extension_dirs() -> list[Path]:
    """The directory of the extension module as it is imported, and where it really lies if that is a link."""
    path = Path(os.path.abspath(_core.__file__))
    return list(dict.fromkeys((path.parent, path.resolve().parent)))


def _first(candidates: list[Path], holds: str, what: str) -> Path:
    for directory in candidates:
        if (directory / holds).is_file():
            return directory
    looked = ", ".join(map(str, candidates))
    raise FileNotFoundError(f"{what} not found: no {holds} in {looked}")


def include_dir() -> Path:
    """Return the directory to pass with -I. FileNotFoundError names the places looked at.

    >>> (include_dir() / "jitffi" / "runtime.h").is_file()
    True
    """
    checkout = Path(__file__).resolve().parents[2] / "runtime_c" / "include"
    return _first([d / "include" for d in _extension_dirs()] + [checkout], "jitffi/runtime.h", "C headers of jitffi")


def library_dir() -> Path:
    """Return the directory of the runtime library, shared and where there is one static. FileNotFoundError as above.

    >>> any(library_dir().glob("libjitffi_runtime.*"))
    True
    """
    found = [d for where in _extension_dirs() for d in (where / "lib", where)]
    return _first(found, _LIBRARY + _ENDINGS[0], "runtime library of jitffi")


def library_file() -> Path:
    """Return the path of the shared runtime library.

    >>> library_file().parent == library_dir()
    True
    """
    return library_dir() / (_LIBRARY + _ENDINGS[0])


def static_library_file() -> Path:
    """Return the path of the static runtime library. FileNotFoundError as above.

    >>> static_library_file().name
    'libjitffi_runtime.a'
    """
    found = [d for where in _extension_dirs() for d in (where / "lib", where)]
    return _first(found, _LIBRARY + _ENDINGS[1], "static runtime library of jitffi") / (_LIBRARY + _ENDINGS[1])


def script_library_file(static: bool = False) -> Path:
    """Return the path of the library of scripts, the shared or the static one. FileNotFoundError as above.

    >>> script_library_file().parent == library_dir()
    True
    """
    name = _SCRIPTS + _ENDINGS[static]
    found = [d for where in _extension_dirs() for d in (where / "lib", where)]
    return _first(found, name, "library of jitffi's scripts") / name


def cmake_dir() -> Path:
    """Return the directory for CMake's ``jitffi_DIR`` or ``CMAKE_PREFIX_PATH``. FileNotFoundError as above."""
    lib = library_dir()
    return _first([lib / "cmake" / "jitffi", lib], "jitffiTargets.cmake", "CMake package of jitffi")


def pkgconfig_dir() -> Path:
    """Return the directory for ``PKG_CONFIG_PATH``. FileNotFoundError as above."""
    return _first([library_dir() / "pkgconfig"], "jitffi.pc", "pkg-config file of jitffi")


def flags(what: str) -> str:
    """Return one line for a shell. FileNotFoundError as above.

    "includes": what a C compiler needs to find the headers; "libs": to link a program that finds the shared libraries
    when it runs; "static": to link a program that has the runtime, and what it needs for scripts, in it; "cmakedir"
    and "pkgconfigdir": the directories for those.

    >>> flags("includes").startswith("-I"), "-ljitffi_runtime" in flags("libs").split()
    (True, True)
    >>> flags("static").split()[2:]
    ['-pthread', '-ldl', '-lm']
    """
    if what == "includes":
        words = [f"-I{include_dir()}"]
    elif what == "libs":
        where = library_dir()
        runtime, scripts = (f"-l{name.removeprefix('lib')}" for name in (_LIBRARY, _SCRIPTS))
        if sys.platform != "darwin":  # a program without scripts shall not need their library
            scripts = f"-Wl,--push-state,--as-needed {scripts} -Wl,--pop-state"
        words = [f"-L{where}", *scripts.split(), runtime, f"-Wl,-rpath,{where}"]
    elif what == "static":
        words = [str(script_library_file(static=True)), str(static_library_file()), *_SYSTEM_LIBRARIES]
    else:
        words = [str(cmake_dir() if what == "cmakedir" else pkgconfig_dir())]
    return shlex.join(words)
