"""Functions recognised without a parser: what was found out about them, kept by the content of their file.

A function's digest is of its own lines, which take Python's parser to find, and that takes longer to load than all the
rest of a warm start. So the cache keeps the digests of a file's functions, and which of them were read and found to be
scripts, under the file's content.
"""

from __future__ import annotations

import marshal
import os
import sys
from _blake2 import blake2b

from jitffi.adapters import cache
from jitffi.scripts.frontend import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FunctionType

_DIGEST = 16
#: Files whose functions are kept in mind.
_MOST_FILES = 64


class _File:
    """What is known of the functions of a file with that content: for each the digest of its text, the names in its
    annotations, and by which reader and of what meaning it was read."""

    __slots__ = ("_key", "mark", "_known")

    def __init__(self, filename: str, mark: tuple[int, int], content: bytes) -> None:
        self.mark = mark
        found = blake2b(content, digest_size=_DIGEST).hexdigest()
        self._key = f"scripts of, 2|{__debug__}|{sys.version_info[:2]}|{filename}|{found}"
        kept = cache.load(self._key)
        self._known: dict[str, tuple[bytes, list[str], str]] = {} if kept is None else marshal.loads(kept)

    def find(self, place: str) -> tuple[bytes, list[str], str] | None:
        return self._known.get(place)

    def keep(self, place: str, digest: bytes, annotations: list[str], read: str) -> None:
        self._known[place] = digest, annotations, read
        cache.store(self._key, marshal.dumps(self._known))


_files: dict[str, _File] = {}


def digest(function: FunctionType) -> bytes:
    """A hash of the function's text and place, and of what its annotations stand for. ScriptError where there is no
    text, or no script's."""
    file = _file_of(function)
    found = None if file is None else file.find(_place(function))
    if found is None:
        from jitffi.scripts.frontend import source

        text, annotations = source.parts(function)
        if file is not None:
            file.keep(_place(function), text, annotations, "")
    else:
        text, annotations, _ = found
    return names.meaning(function, text, annotations)


def was_read(function: FunctionType, reader: str) -> bool:
    """Whether that *reader* has found the function to be a script."""
    file = _file_of(function)
    found = None if file is None else file.find(_place(function))
    return found is not None and found[2] == reader + digest(function).hex()


def keep_read(function: FunctionType, reader: str) -> None:
    """Keep in mind that it has."""
    file, meaning = _file_of(function), digest(function).hex()
    if file is not None:
        found = file.find(_place(function))
        assert found is not None
        file.keep(_place(function), found[0], found[1], reader + meaning)


def _place(function: FunctionType) -> str:
    """What tells a function from all others of its file."""
    code = function.__code__
    own = blake2b(code.co_code + repr((code.co_names, code.co_varnames)).encode(), digest_size=_DIGEST).hexdigest()
    return f"{code.co_firstlineno}|{function.__qualname__}|{function.__name__}|{own}"


def _file_of(function: FunctionType) -> _File | None:
    """The file that a function is in; None where that cannot be told."""
    filename = function.__code__.co_filename
    # It has no cache yet where its import was interrupted, or goes on in another thread.
    entry = getattr(sys.modules.get("linecache"), "cache", {}).get(filename)
    if filename.startswith("<") or (entry is not None and len(entry) > 1 and entry[1] is None):
        return None  # text that a notebook has put there, say
    try:
        info = os.stat(filename)
        mark = (info.st_size, info.st_mtime_ns)
        found = _files.get(filename)
        if found is None or found.mark != mark:
            with open(filename, "rb") as file:
                content = file.read()
            if len(_files) >= _MOST_FILES:
                _files.clear()
            found = _files[filename] = _File(filename, mark, content)
    except (OSError, ValueError):
        return None
    return found
