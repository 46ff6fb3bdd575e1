"""Object files linked in memory, without a linker on the machine: laid out, relocated, sealed, and started.

    | text, stubs      | constants, frames    | data, addresses (GOT), zeros |      one mapping, three kinds of pages
    | read and execute | read                 | read and write               |

LLVM's JIT is not used for this, though it is at hand. It aborts the process over a thread-local variable or a
damaged file, runs no constructors of object files and no destructors at all, and tells of a missing symbol on standard
error only. What is left when it is asked for nothing but relocating is what stands here, and every input is checked by
it. Besides, what was compiled ahead of time is loaded without LLVM then.

Two machines are known, by the table in `relocations`; on others, and for what only the system's loader can do, such as
thread-local variables, the way is a shared library.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, NamedTuple

from jitffi import _core
from jitffi.base.config import library_file
from jitffi.base.files import open_regular
from jitffi.link import objects
from jitffi.link.linker import Linker
from jitffi.link.objects import ObjectError
from jitffi.link.perf_map import write_for_perf
from jitffi.link.script_library import script_library

if TYPE_CHECKING:
    from collections.abc import Collection

#: What a compiler's driver links without being asked, beside what the process has.
_DRIVEN = ("libm.so.6", "libgcc_s.so.1", "libstdc++.so.6")


class Linked(NamedTuple):
    image: _core.Image
    name: str
    exports: list[tuple[str, int, str | None]]


def link_objects(
    inputs: list[str | bytes], libraries: tuple[str, ...], host: int | None = None, functions: Collection[str] = ()
) -> Linked:
    """Link files and bytes of object files, and run their constructors. OSError, naming the file, and where none of
    them has one of the C *functions*."""
    if host is None:
        host = objects.host()
    linker = Linker(host)
    for number, content in enumerate(inputs, 1):
        name, data = _read(number, content)
        try:
            linker.add(name, data)
        except ObjectError as error:
            raise OSError(f"{name}: {error}") from None
    for function in functions:
        if not linker.has_function(function):
            raise OSError(f"load_module: no C function {function!r} is in the object files")
    linker.resolve(Libraries(libraries))
    image = _core.Image(linker.lay_out())
    image.keep(linker.libraries.opened)
    memory, constructors, destructors = linker.relocate(image.address)
    image.write(0, memory)
    image.seal(0, linker.text_end, True)
    image.seal(linker.text_end, linker.constants_end, False)
    exports = linker.exports(memory)
    if os.environ.get("JITFFI_PERF") == "1":
        write_for_perf(linker.functions())
    if os.environ.get("JITFFI_DEBUG"):
        from jitffi.link import debugger

        shown = debugger.show(linker.functions(), image.address, memory, linker.frames)
        image.keep((linker.libraries.opened, shown))
    image.start(constructors, destructors, linker.frames)
    stem = "object" if isinstance(inputs[0], bytes) else os.path.basename(linker.objects[0].name).removesuffix(".o")
    return Linked(image, stem, exports)


def _read(number: int, content: str | bytes) -> tuple[str, bytes]:
    if isinstance(content, bytes):
        return f"object file {number}", content
    with open_regular(content) as file:
        return content.encode("utf-8", "backslashreplace").decode(), file.read()


class Libraries:
    """Where to look for what no object defines, in order: link=, jitffi's runtime, the process, the library of scripts,
    the driver's."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.opened = [_core.Library(name) for name in (*names, str(library_file()))]
        self.opened.append(_core.Library(None))
        self._driven = ["", *_DRIVEN]

    def find(self, name: str) -> int | None:
        for library in self.opened:
            address = library.find(name)
            if address is not None:
                return address
        while self._driven:
            try:
                more = self._driven.pop(0)
                self.opened.append(_core.Library(more) if more else script_library())
            except OSError:
                continue
            address = self.opened[-1].find(name)
            if address is not None:
                return address
        return None
