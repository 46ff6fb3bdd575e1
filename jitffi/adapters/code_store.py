"""Machine code for adapters: one piece a (entry, callee, options, types), shared by every function that needs it.

    find(...)  in this process?  in the cache?  -> there it is, LLVM stays unloaded
               else compiled (batches.py) at level 0, and queued: a quiet moment later, or at exit, level 2 is made
               (tiers.py), put into the cache, and into the functions that are in use

On the way of a warm start: imports next to nothing.
"""

from __future__ import annotations

import os
from _weakref import ref

from jitffi import _core
from jitffi.adapters import cache

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.signature.model import Signature

#: Of what is cached: the class of the result, the size of the code, where the description of its frame begins.
_CONTENT_HEAD = 16
#: Where that has the address of what the unwinder asks: behind length, identity, version, "zPLR" and five numbers.
PERSONALITY_AT = 19


class Request:
    """What code is wanted for; `key` is what equal requests share."""

    __slots__ = ("callee", "entry", "key", "options", "sig")

    def __init__(self, entry: str, callee: str, sig: Signature, options: str = "") -> None:
        self.entry = entry
        self.callee = callee
        self.sig = sig
        self.options = options
        self.key = f"{entry}|{callee}|{options}|{sig.types}"

    @property
    def symbol(self) -> str:
        return f"jitffi${self.entry}${self.callee}${self.options}${self.sig.types}"

    @property
    def immortal(self) -> bool:
        """Native code can be inside a C or packed entry, on any thread, when the last Function that used it dies, and
        nothing tells when it has left. Such code stays mapped: a page for each distinct type of callback. Python
        entries are called by whoever holds the function, and go with the last one."""
        return self.entry != "python"


class Blob:
    """The code of a function, and behind it what describes its frame, which begins at `frames`; 0: nothing does."""

    __slots__ = ("frames", "image", "size")

    def __init__(self, image: bytes, size: int, frames: int) -> None:
        self.image = image
        #: Of the code alone.
        self.size = size
        self.frames = frames

    def mapped(self, request: Request, immortal: bool = False) -> _core.Code:
        """Put it into memory; *immortal*: for ever, whatever *request* says of that."""
        image = self.image
        if self.frames:
            at = self.frames + PERSONALITY_AT
            image = image[:at] + _core.PERSONALITY.to_bytes(8, "little") + image[at + 8 :]
        code = _core.Code(image, immortal or request.immortal, self.frames)
        note_for_perf(request, code.address, self.size)
        return code


class Compiled:
    """Code in memory: `code` keeps it there, the function begins at its `address`."""

    __slots__ = ("__weakref__", "code", "level", "result_class")

    def __init__(self, code: Any, result_class: int, level: int) -> None:
        self.code = code
        self.result_class = result_class
        self.level = level


_live: dict[str, ref[Compiled]] = {}
#: Keys of requests that level 2 cannot be made for.
without_level_2: set[str] = set()
#: A C or packed entry's code is never unmapped, so it is kept to be found again, too.
_immortal: dict[str, Compiled] = {}


def find(request: Request) -> Compiled | None:
    """Return the code for *request* if this process or the cache has it."""
    found = living(request.key)
    if found is None:
        found = _from_cache(request)
        if found is not None:
            remember(request, found)
    return found


def living(key: str) -> Compiled | None:
    """The code of that key which this process has."""
    reference = _live.get(key)
    return None if reference is None else reference()


def remember(request: Request, compiled: Compiled) -> None:
    """Let others find *compiled* as long as somebody uses it."""
    key = request.key
    if request.immortal:
        _immortal[key] = compiled

    def forget(gone: ref[Compiled]) -> None:
        if _live.get(key) is gone:
            del _live[key]

    _live[key] = ref(compiled, forget)


def _from_cache(request: Request) -> Compiled | None:
    content = cache.load("code|" + request.key)
    if content is None or len(content) <= _CONTENT_HEAD:
        return None
    size, frames = int.from_bytes(content[8:12], "little"), int.from_bytes(content[12:16], "little")
    blob = Blob(content[_CONTENT_HEAD:], size, frames)
    return Compiled(blob.mapped(request), int.from_bytes(content[:8], "little"), 2)


def to_cache(request: Request, blob: Blob, result_class: int) -> None:
    head = result_class.to_bytes(8, "little") + blob.size.to_bytes(4, "little") + blob.frames.to_bytes(4, "little")
    cache.store("code|" + request.key, head + blob.image)


def note_for_perf(request: Request, address: int, size: int) -> None:
    """With JITFFI_PERF=1, add a line to the map file that `perf report` reads (perf's jit-interface.txt)."""
    if os.environ.get("JITFFI_PERF") == "1":
        from jitffi.link.perf_map import write_for_perf

        write_for_perf([(address, size, request.symbol)])
