"""`jitffi bind`: a module from a header, with the errors that a command line has, and what is said beside it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence

from jitffi.bind import bind_header, suggest_side
from jitffi.bind.source.errors import HeaderNotFound
from jitffi.bind.write.summary import Binding
from jitffi.signature.signature_lists import ArgumentError


def bind(
    headers: Sequence[str], library: str, out: str, include_dirs: Sequence[str], defines: Sequence[str],
    also: Sequence[str], check: bool, keep_callbacks: Sequence[str], brief: bool, use_compiler: bool,
    side: str | None = None, prefix: str | None = None, cxx: bool = False,
) -> Binding:  # fmt: skip
    """Make the module; *out* "-" writes none. ArgumentError for a header, a directory, a side file or a library's path
    that is not there; what else goes wrong comes as bind_header raises it.
    """
    _check_paths(include_dirs, library, check)
    if side is not None and not os.path.exists(side):
        raise ArgumentError(f"{side}: no such file")
    try:
        return bind_header(
            headers, library, None if out == "-" else out, include_dirs=include_dirs, defines=defines, also=also,
            check=check, keep_callbacks=keep_callbacks, brief=brief, use_compiler=use_compiler, side=side,
            prefix=prefix, cxx=cxx,
        )  # fmt: skip
    except HeaderNotFound as error:
        raise ArgumentError(str(error)) from None


def suggest(
    headers: Sequence[str], library: str, out: str, include_dirs: Sequence[str], defines: Sequence[str],
    also: Sequence[str], check: bool, use_compiler: bool, prefix: str | None = None, cxx: bool = False,
) -> str:  # fmt: skip
    """Propose a side file, and return its text; *out* and the errors are those of `bind`."""
    _check_paths(include_dirs, library, check)
    try:
        return suggest_side(
            headers, library, None if out == "-" else out, include_dirs=include_dirs, defines=defines, also=also,
            check=check, use_compiler=use_compiler, prefix=prefix, cxx=cxx,
        )  # fmt: skip
    except HeaderNotFound as error:
        raise ArgumentError(str(error)) from None


def _check_paths(include_dirs: Sequence[str], library: str, check: bool) -> None:
    for folder in include_dirs:
        if not os.path.isdir(folder):
            raise ArgumentError(f"{folder}: no such directory")
    if check and "/" in library and not os.path.exists(library):
        raise ArgumentError(f"{library}: no such file")


def remarks(made: Binding) -> Iterator[str]:
    """Yield the lines that go to standard error."""
    if not made.preprocessor:
        left = f"; not found and left out: {', '.join(made.missing)}" if made.missing else ""
        yield f"{made.header} was read without a C preprocessor{left}"
    yield made.summary
    yield from made.left_out
