"""Which of the files that a header includes count as the header, and their texts."""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Sequence

from jitffi.base.files import open_regular
from jitffi.bind.source.units import Sheet

#: One header, or several that make one module.
Headers = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

#: What a part of a system's header says, of which header it is one: "Never use <bits/signum-generic.h> directly;
#: include <signal.h> instead." (glibc's bits/).
_PART = re.compile(r"never (?:use|include) [^\"]*? directly[^\"]*", re.I)
_STANDARD = re.compile(r"/include(?:/[^/]*-(?:linux|gnu|musl|darwin)[^/]*)?\Z")


def names_of(header: Headers) -> tuple[str, ...]:
    """Return the names of one header or of several.

    >>> names_of("zlib.h"), names_of(["lz4.h", "lz4frame.h"])
    (('zlib.h',), ('lz4.h', 'lz4frame.h'))
    """
    return (
        (os.fspath(header),) if isinstance(header, (str, os.PathLike)) else tuple([os.fspath(each) for each in header])
    )


def chosen_files(sheet: Sheet, headers: Sequence[str], also: Sequence[str]) -> list[str]:
    """Return the files whose declarations are bound: each header itself; what it includes and lies in its own
    directory or below, where that is none of the system's; what begins with its name, as `bits/mathcalls.h` does
    for `math.h`, or lies in a directory beside it that has its name, as `git2/blob.h` does for `git2.h`; what says that
    it is a part of it; what one of the patterns *also* fits, with any directories before it.
    """
    real = [path for path in sheet.files if not path.startswith("<") and os.path.isfile(path)]
    owns = [own for own in (_own(real, header) for header in headers) if own is not None]
    return list(dict.fromkeys(owns + [path for own in owns for path in _with(own, real, sheet, also)]))


def _with(own: str, real: Sequence[str], sheet: Sheet, also: Sequence[str]) -> list[str]:
    """The files that count because the header *own* does."""
    folder, stem = os.path.dirname(own), os.path.splitext(os.path.basename(own))[0]
    is_systems = own in sheet.system and _STANDARD.search(folder) is not None
    chosen = []
    for path in real:
        base = os.path.basename(path)
        kin = len(stem) > 2 and base.startswith(stem) and (path in sheet.system) == (own in sheet.system)
        family = os.path.normpath(os.path.join(folder, stem if is_systems else "")) + os.sep
        near = os.path.normpath(path).startswith(family)
        named = any(fnmatch.fnmatchcase(path, pattern) or fnmatch.fnmatchcase(path, f"*/{pattern}") for pattern in also)
        if kin or near or named or ({path, own} <= sheet.system and _is_part(path, own)):
            chosen.append(path)
    return chosen


def _is_part(path: str, own: str) -> bool:
    """Whether the file *path* says that it is to be had through the header *own*."""
    said = _PART.search(text_of(path))
    return said is not None and any(own.endswith(f"/{name}") for name in re.findall(r"<([^>]+)>", said[0]))


def _own(files: Sequence[str], header: str) -> str | None:
    """The path that *header* has among the files of the run: the first that is it, ends as it does, or is what a link
    of that name leads to: GCC calls files of the system by their real names (-fcanonical-system-headers)."""
    if os.path.isfile(header):
        return next((path for path in files if os.path.samefile(path, header)), None)
    named = next((path for path in files if path == header or path.endswith("/" + header)), None)
    linked = (path for path in files if os.path.realpath(os.path.join(os.path.dirname(path), header)) == path)
    return named or next(linked, None)


def text_of(path: str) -> str:
    """Return a header's text; what is no UTF-8 is taken as Latin-1, which every byte is."""
    with open_regular(path) as opened:
        content = opened.read()
    try:
        text = content.decode()
    except UnicodeDecodeError:
        text = content.decode("latin-1")
    return text.replace("\r\n", "\n")
