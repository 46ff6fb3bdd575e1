"""Why the package cannot be imported here: one sentence, which says what to do. Loaded when it cannot."""

from __future__ import annotations

import re
import sys
from pathlib import Path

_FREE_THREADED = "this CPython {running} is the free-threaded build, and jitffi needs the GIL: use the other build"
_OTHER = (
    "{folder} is built for {built}, and this is CPython {running}: use that one, or build it for this one: {install}"
)
_SOURCE = (
    "{folder} is the source tree, which has no compiled part (_core) for CPython {running}: leave {root}, so that an "
    "installed jitffi is found, or build it there: {install}"
)
_INCOMPLETE = "{folder} has no compiled part (_core): it is not completely installed; install it again: {install}"


def refusal(path: str) -> ImportError:
    """What to raise for the package in the folder *path*, whose compiled part is missing or cannot be used."""
    folder = Path(path)
    root = folder.parent
    is_source = (root / "runtime_c").is_dir() and (root / "pyproject.toml").is_file()
    built = sorted(found.name for found in folder.glob("_core.*.so"))
    if "t" in sys.abiflags:
        template = _FREE_THREADED
    elif built:
        template = _OTHER
    else:
        template = _SOURCE if is_source else _INCOMPLETE
    message = template.format(
        folder=folder,
        root=root,
        running="{}.{}".format(*sys.version_info),
        built=" and ".join(map(interpreter_of, built)),
        install=f"pip install -e {root}, or make" if is_source else "pip install --force-reinstall jitffi",
    )
    return ImportError(f"jitffi: {message}", name="jitffi._core", path=path)


def interpreter_of(extension: str) -> str:
    """What the name of an extension module says that it is for.

    >>> interpreter_of("_core.cpython-311-x86_64-linux-gnu.so")
    'CPython 3.11 on x86_64-linux-gnu'
    >>> interpreter_of("_core.cpython-314t-x86_64-linux-gnu.so")
    'CPython 3.14 (free-threaded) on x86_64-linux-gnu'
    """
    found = re.fullmatch(r"_core\.cpython-(\d)(\d+)([a-z]*)-(.+)\.so", extension)
    if found is None:
        return extension
    major, minor, flags, machine = found.groups()
    build = {"": "", "t": " (free-threaded)", "d": " (debug)"}.get(flags, f" ({flags})")
    return f"CPython {major}.{minor}{build} on {machine}"
