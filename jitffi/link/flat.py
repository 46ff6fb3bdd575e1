"""Object files made flat: laid out and linked within themselves, so that loading only fills in addresses.

    marshal of (size, end of the code, end of the constants, content,
                [(offset, addend)]                  8 bytes each: the image's address and the addend
                [(symbol, [(offset, addend)])]      8 bytes each: the symbol's address and the addend
                [(function, offset, length)], where the descriptions of frames begin, or -1)

The linker's own steps are taken for an image at address 0; what depends on the address is noted instead of written.
"""

from __future__ import annotations

import marshal

from jitffi.link import objects
from jitffi.link.inputs import Input
from jitffi.link.linker import Linker
from jitffi.link.objects import ObjectError, Relocation

#: No call reaches that far, so each goes through its stub.
_FAR = 1 << 48
#: Where a stub that `loading.relocations` makes has the address that it leads to.
_IN_STUB = {objects.X86_64: 2, objects.AARCH64: 8}


class _Outside:
    """In the place of libraries: every symbol is somewhere, and far."""

    def find(self, name: str) -> int:
        return _FAR


class _Flat(Linker):
    """A linker that writes down where addresses go."""

    def __init__(self, host: int) -> None:
        super().__init__(host)
        self.inside: list[tuple[int, int]] = []
        self.outside: dict[str, list[tuple[int, int]]] = {}

    def _note(self, at: int, symbol_name: str, address: int, addend: int) -> None:
        if symbol_name in self.externals:
            self.outside.setdefault(symbol_name, []).append((at, addend))
        else:
            self.inside.append((at, address + addend))

    def _write_section(
        self, memory: bytearray, number: int, made: Input, index: int, found: list[Relocation]
    ) -> None:  # fmt: skip
        offset = made.offsets[index]
        for each in found:
            form = self.machine.forms[each.type][0]
            if form == "a" and self.machine.width(each.type) == 8:
                symbol = made.symbols[each.symbol]
                self._note(offset + each.offset, symbol.name, self._address(made, symbol), each.addend)
        absolute = [
            each
            for each in found
            if not (self.machine.forms[each.type][0] == "a" and self.machine.width(each.type) == 8)
        ]
        super()._write_section(memory, number, made, index, absolute)

    def _check_frames(self, memory: bytearray, made: Input) -> None:
        pass

    def note_table(self) -> None:
        """The table of addresses, and the stubs."""
        for (number, key), index in self.entries.items():
            at = self.got + 8 * index
            if isinstance(key, str):
                if key in self.externals:
                    self._note(at, key, 0, 0)
                    continue
                made, symbol = self.defined[key]
            else:
                made = self.objects[number]
                symbol = made.symbols[key]
            self._note(at, "", self._address(made, symbol), 0)
        for name, at in self.stubs.items():
            self._note(at + _IN_STUB[self.host], name, 0, 0)


def flatten(obj: bytes, name: str) -> bytes:
    """Return the image of an object file, which messages call *name*. OSError where it cannot be linked in memory."""
    linker = _Flat(objects.host())
    try:
        linker.add(name, obj)
    except ObjectError as error:
        raise OSError(f"{name} {error}") from None
    linker.resolve(_Outside())  # type: ignore[arg-type]
    size = linker.lay_out()
    memory, constructors, destructors = linker.relocate(0)
    assert not constructors and not destructors
    linker.note_table()
    functions = [
        (symbol.name, made.offsets[symbol.section] + symbol.value, symbol.size)
        for made in linker.objects
        for symbol in made.symbols
        if symbol.type == objects.FUNC and symbol.section in made.offsets
    ]
    return marshal.dumps(
        (size, linker.text_end, linker.constants_end, bytes(memory), linker.inside, list(linker.outside.items()),
         functions, linker.frames)
    )  # fmt: skip
