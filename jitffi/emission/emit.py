"""Ahead of time: adapters written to files that need neither Python nor LLVM to run.

    emit("add: (i64, i64) -> i64", "add.o")     an object that defines __jf_add and calls the C function add

How that is done is told in emission/emitting.py.
"""

from __future__ import annotations

from jitffi.base.fork_locks import IMPORTS
from jitffi.base.off_thread import run

TYPE_CHECKING = False
if TYPE_CHECKING:
    import os
    from collections.abc import Iterable
    from pathlib import Path
    from typing import Any, TypeAlias

    _Path: TypeAlias = str | os.PathLike[str]


def _loaded() -> Any:
    with IMPORTS:
        from jitffi.emission.emitting import prepare
        from jitffi.llvm import target  # noqa: F401 - LLVM, which files need sooner or later

    return prepare


def emit(
    sigs: Any,
    out: _Path,
    *,
    format: str | None = None,
    entry: str = "packed",
    callee: str = "c",
    callee_name: str | None = None,
    target: str | None = None,
    cpu: str | None = None,
    features: str | None = None,
    pad: int = 0,
    opt: int = 2,
    header: _Path | None = None,
    stub: _Path | None = None,
    js: _Path | None = None,
    link: Iterable[_Path] | _Path = (),
    jobs: int = 1,
) -> Path:
    """Write adapters from *entry* to *callee* into the file *out* and return its path.

    *sigs*: `"name: (i64) -> i64"`, a C prototype, `"@FILE"` with one a line, a Signature or Function, a pair or mapping
    of names and signatures, or any number of these. A script with a signature, or `"FILE.py:function"`, is written
    itself, and calls no callee. *out*'s ending says what is written, or *format*: an object (o), assembly (s), LLVM IR
    (ll, bc), a shared library (so), a WebAssembly module (wasm). *header* and *stub* are further files: a C and C++
    header, a .pyi. *js* is an ES module for a .wasm with the runtime in it, beside which its declarations for
    TypeScript are written. *callee_name*: the symbol that a single signature calls, in place of the entry's own.
    *target*: a triple of LLVM's, with *cpu* and *features* as LLVM names them; this machine, and the least CPU of its
    kind, where nothing is said. *pad*: of slots for results, 0 to 15. *opt*: level of optimisation, 0 to 3. *link*:
    objects, libraries and options for the linker. *jobs*: processes. The same input gives the same bytes; where
    anything fails no file has changed.

    SignatureError for a bad text; ValueError for an unknown target, CPU, convention or ending, another pad or level, a
    name that is no C identifier, two of one name; TypeError where a convention cannot carry a type; OSError for files
    that cannot be read or written, and where there is no linker.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     emit("add: (i64, i64) -> i64", f"{directory}/add.o").read_bytes()[:4]
    b'\\x7fELF'
    """
    path: Path = run(_loaded)(
        sigs, out, format=format, entry=entry, callee=callee, callee_name=callee_name, target=target, cpu=cpu,
        features=features, pad=pad, opt=opt, header=header, stub=stub, js=js, link=link, jobs=jobs,
    ).run()  # fmt: skip
    return path
