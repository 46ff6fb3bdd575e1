"""Flat images in memory: an object file made flat once, put into memory by whoever wants to run it.

    object file  -- flatten -->  image as it will lie in memory, and where addresses go in it     cached on disk
                 -- load    -->  mapped, filled in, sealed; its functions by name                 no linker, no LLVM

A script's image stays mapped for ever: strings of it that cannot change go around as objects, and another thread may
be in it when the last one who knows of it goes. Equal ones are one. What is `put` there goes with its Image.
"""

from __future__ import annotations

import marshal
import os
from _blake2 import blake2b

from jitffi import _core
from jitffi.base.fork_locks import IMPORTS
from jitffi.link.script_library import address_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any


def flatten(obj: bytes) -> bytes:
    """Return the object file as an image of one piece. OSError where it cannot be linked in memory."""
    with IMPORTS:
        from jitffi.link.flat import flatten

    return flatten(obj, "a script's object")


class Loaded:
    """An image in memory: the addresses of its functions by name."""

    __slots__ = ("functions", "image")

    def __init__(self, image: _core.Image, functions: dict[str, int]) -> None:
        self.image = image
        self.functions = functions


_loaded: dict[bytes, Loaded] = {}


def put(flat: bytes, find: Callable[[str], int], kept: object, shown: Mapping[str, str]) -> Loaded:
    """Put an image into memory, its own even where there is an equal one. *find* gives the address of a symbol, *kept*
    lives as long as the image. *shown*: what profilers and debuggers are to call functions."""
    parts = marshal.loads(flat)
    return _put(parts, {name: find(name) for name, _ in parts[5]}, kept, shown)


def load(
    flat: bytes, find: Callable[[str], int | None], kept: object = None, shown: Mapping[str, str] | None = None
) -> Loaded:
    """The same for ever, once for equal images and addresses. *find* gives None for a symbol of the library of scripts,
    the runtime or the process. OSError where one is nowhere."""
    parts = marshal.loads(flat)
    addresses = {name: address for name, _ in parts[5] if (address := find(name)) is not None}
    # The same code for other addresses is other code.
    key = blake2b(repr(addresses).encode() + flat, digest_size=16).digest()
    found = _loaded.get(key)
    if found is None:
        found = _loaded.setdefault(key, _put(parts, addresses, kept, shown or {}))
    return found


def _put(parts: tuple[Any, ...], addresses: dict[str, int], kept: object, shown: Mapping[str, str]) -> Loaded:
    size, text_end, constants_end, content, inside, outside, functions, frames = parts
    image = _core.Image(size)
    base = image.address
    memory = bytearray(content)
    for offset, addend in inside:
        memory[offset : offset + 8] = (base + addend).to_bytes(8, "little")
    for name, places in outside:
        address = addresses.get(name) or address_of(name)
        for offset, addend in places:
            memory[offset : offset + 8] = (address + addend & 0xFFFFFFFFFFFFFFFF).to_bytes(8, "little")
    image.write(0, memory)
    image.seal(0, text_end, True)
    image.seal(text_end, constants_end, False)
    image.start([], [], frames)
    places = [(base + offset, length, shown.get(name, name)) for name, offset, length in functions]
    if os.environ.get("JITFFI_DEBUG"):
        from jitffi.link import debugger

        kept = (kept, debugger.show(places, base, memory, frames))
    if os.environ.get("JITFFI_PERF") == "1":
        from jitffi.link.perf_map import write_for_perf

        write_for_perf(places)
    image.keep(kept)
    return Loaded(image, {name: base + offset for name, offset, _ in functions})
