"""Functions recognised without a parser: their digest, found again by the content of their file.

A function's digest is of its own lines, which take Python's parser to find, and that takes longer to load than all the
rest of a warm start. So the cache keeps it under what is at hand: the file's content, the line, and the code.
"""

from __future__ import annotations

import os
import sys
from _blake2 import blake2b

from jitffi.compile import cache
from jitffi.script import names

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FunctionType

_DIGEST = 16
#: The content of the last file that was read: a module has its scripts one after the other.
_last: tuple[str, tuple[int, int], str] = ("", (0, 0), "")


def digest(function: FunctionType) -> bytes:
    """A hash of the function's text and place, and of what its annotations stand for. ScriptError where there is no
    text, or no script's."""
    key = _place(function)
    known = cache.load(key) if key else None
    if known is not None and len(known) >= _DIGEST:
        text, annotations = known[:_DIGEST], known[_DIGEST:].decode().split()
    else:
        from jitffi.script import source

        text, annotations = source.parts(function)
        if key:
            cache.store(key, text + " ".join(annotations).encode())
    return names.meaning(function, text, annotations)


def _place(function: FunctionType) -> str:
    """What tells the function from all others, before it is looked at; "" for one that is in no file."""
    code = function.__code__
    content = _content(code.co_filename)
    if not content:
        return ""
    own = blake2b(code.co_code + repr((code.co_names, code.co_varnames)).encode(), digest_size=_DIGEST).hexdigest()
    place = f"{code.co_filename}|{code.co_firstlineno}|{function.__qualname__}|{function.__name__}"
    return f"script at|{__debug__}|{sys.version_info[:2]}|{place}|{content}|{own}"


def _content(filename: str) -> str:
    """A hash of what is in a file; "" where that cannot be told."""
    global _last
    linecache = sys.modules.get("linecache")
    entry = linecache.cache.get(filename) if linecache else None
    if filename.startswith("<") or (entry is not None and len(entry) > 1 and entry[1] is None):
        return ""  # text that a notebook has put there, say
    try:
        info = os.stat(filename)
        mark = (info.st_size, info.st_mtime_ns)
        if _last[0] == filename and _last[1] == mark:
            return _last[2]
        with open(filename, "rb") as file:
            found = blake2b(file.read(), digest_size=_DIGEST).hexdigest()
    except (OSError, ValueError):
        return ""
    _last = filename, mark, found
    return found
