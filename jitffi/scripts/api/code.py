"""The code of scripts in memory: an object file made flat once, put into memory by whoever wants to run it.

    object file  -- flatten -->  image as it will lie in memory, and where addresses go in it     cached on disk
                 -- load    -->  mapped, filled in, sealed; its functions by name                 no linker, no LLVM

An image stays mapped for ever: strings of it that cannot change go around as objects, and another thread may be in it
when the last one who knows of it goes. Equal images are one.
"""

from __future__ import annotations

import marshal
import os
import sys
from _blake2 import blake2b

from jitffi import _core
from jitffi.base.fork_locks import IMPORTS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

_ENDING = ".dylib" if sys.platform == "darwin" else ".so"


def flatten(obj: bytes) -> bytes:
    """Return the object file as an image of one piece. OSError where it cannot be linked in memory."""
    with IMPORTS:
        from jitffi.link.flat import flatten

    return flatten(obj)


class Loaded:
    """An image in memory: the addresses of its functions by name. `kept` is what its code refers to."""

    __slots__ = ("functions", "image", "kept")

    def __init__(self, image: _core.Image, functions: dict[str, int], kept: object) -> None:
        self.image = image
        self.functions = functions
        self.kept = kept


_loaded: dict[bytes, Loaded] = {}
_libraries: list[_core.Library] = []
_script_library: list[_core.Library] = []
_addresses: dict[str, int] = {}


def load(
    flat: bytes, natives: Callable[[str], int], kept: object = None, shown: Mapping[str, str] | None = None
) -> Loaded:
    """Put an image into memory. *natives* gives the addresses of symbols that begin with "native."; *kept* lives as
    long as the image, which is for ever. *shown*: what profilers and debuggers are to call functions. OSError where a
    symbol is nowhere."""
    parts = marshal.loads(flat)
    addresses = {name: natives(name) for name, _ in parts[5] if name.startswith("native.")}
    # The same code for other addresses is other code.
    key = blake2b(repr(addresses).encode() + flat, digest_size=16).digest()
    found = _loaded.get(key)
    if found is None:
        found = _loaded.setdefault(key, _put(parts, addresses, kept, shown or {}))
    return found


def _put(parts: tuple[Any, ...], natives: dict[str, int], kept: object, shown: Mapping[str, str]) -> Loaded:
    size, text_end, constants_end, content, inside, outside, functions, frames = parts
    image = _core.Image(size)
    base = image.address
    memory = bytearray(content)
    for offset, addend in inside:
        memory[offset : offset + 8] = (base + addend).to_bytes(8, "little")
    for name, places in outside:
        address = natives.get(name) or _address_of(name)
        for offset, addend in places:
            memory[offset : offset + 8] = (address + addend & 0xFFFFFFFFFFFFFFFF).to_bytes(8, "little")
    image.write(0, memory)
    image.seal(0, text_end, True)
    image.seal(text_end, constants_end, False)
    image.start([], [], frames)
    places = [(base + offset, length, shown.get(name, name)) for name, offset, length in functions]
    if os.environ.get("JITFFI_DEBUG"):
        from jitffi.link import debugger

        image.keep(debugger.show(places, base, memory, frames))
    if os.environ.get("JITFFI_PERF") == "1":
        from jitffi.adapters.code_store import write_for_perf

        write_for_perf(places)
    return Loaded(image, {name: base + offset for name, offset, _ in functions}, kept)


def _address_of(name: str) -> int:
    """Of a symbol that every script may refer to."""
    found = _addresses.get(name)
    if found is None:
        for library in _libraries or _open_libraries():
            found = library.find(name)
            if found is not None:
                break
        else:
            raise OSError(f"a script's code refers to {name}, which is nowhere")
        _addresses[name] = found
    return found


def library_path(stem: str) -> str:
    """The path of a library that was built together with the extension module: beside it, or beside what it is a link
    to. FileNotFoundError."""
    here = os.path.abspath(_core.__file__)
    looked = []
    for where in (os.path.dirname(here), os.path.dirname(os.path.realpath(here))):
        for folder in (os.path.join(where, "lib"), where):
            path = os.path.join(folder, stem + _ENDING)
            if os.path.exists(path):
                return path
            looked.append(path)
    raise FileNotFoundError(f"the library of scripts is not there: no {', no '.join(looked)}")


def script_library() -> _core.Library:
    """The library that scripts call. From now on `print` in them writes to sys.stdout; Ctrl-C ends them. OSError."""
    if not _script_library:
        library = _core.Library(library_path("libjitffi_script"))
        for symbol, set_hook in (("jf_set_print", _core.script_print), ("jf_set_interrupt", _core.script_interrupt)):
            address = library.find(symbol)
            if address is not None:
                set_hook(address)
        _script_library.append(library)
    return _script_library[0]


def _open_libraries() -> list[_core.Library]:
    _libraries[:] = [script_library(), _core.Library(library_path("libjitffi_runtime")), _core.Library(None)]
    return _libraries
