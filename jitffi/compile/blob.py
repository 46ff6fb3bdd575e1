"""Code that needs no linker: the .text of an ELF object that refers to nothing outside itself.

The generator makes such code by loading every address from the table. Here that is checked, not assumed: an object with
relocations against .text, or with any other section that code could refer to, is refused, and the linker's route taken.
"""

from __future__ import annotations

_SHT_PROGBITS, _SHT_SYMTAB, _SHT_RELA, _SHT_NOBITS = 1, 2, 4, 8  # System V ABI, chapter 4, "Sections"
_SHF_ALLOC = 2


class NotSelfContained(Exception):
    """The object refers to something outside its .text, or is of a format that is not read here."""


def _word(data: bytes, offset: int, size: int) -> int:
    return int.from_bytes(data[offset : offset + size], "little")


def _sections(obj: bytes) -> list[tuple[str, int, int, int, int, int]]:
    """Return (name, type, flags, offset, size, link) of each section."""
    start, size, count, names = _word(obj, 40, 8), _word(obj, 58, 2), _word(obj, 60, 2), _word(obj, 62, 2)
    raw = []
    for i in range(count):
        at = start + i * size
        raw.append(
            (
                _word(obj, at, 4),
                _word(obj, at + 4, 4),
                _word(obj, at + 8, 8),
                _word(obj, at + 24, 8),
                _word(obj, at + 32, 8),
                _word(obj, at + 40, 4),
            )
        )
    table = raw[names][3]
    return [
        (_text(obj, table + name), kind, flags, offset, length, link) for name, kind, flags, offset, length, link in raw
    ]


def _text(obj: bytes, offset: int) -> str:
    return obj[offset : obj.index(b"\0", offset)].decode()


def extract(obj: bytes) -> dict[str, bytes]:
    """Return the code of each function of an object file. NotSelfContained where it needs a linker."""
    if obj[:7] != b"\x7fELF\x02\x01\x01":
        raise NotSelfContained("no 64-bit little-endian ELF object")
    sections = _sections(obj)
    code, text_index = b"", -1
    for i, (name, kind, flags, offset, size, _) in enumerate(sections):
        if name == ".text":
            code, text_index = obj[offset : offset + size], i
        elif kind == _SHT_RELA and name == ".rela.text":
            raise NotSelfContained("relocations in .text")
        elif flags & _SHF_ALLOC and size and name != ".eh_frame":
            raise NotSelfContained(f"a section {name}")
    functions: dict[str, bytes] = {}
    for _, kind, _, offset, size, link in sections:
        if kind == _SHT_SYMTAB:
            strings = sections[link][3]
            for at in range(offset, offset + size, 24):
                if _word(obj, at + 6, 2) == text_index and obj[at + 4] & 15 == 2:  # STT_FUNC
                    start, length = _word(obj, at + 8, 8), _word(obj, at + 16, 8)
                    functions[_text(obj, strings + _word(obj, at, 4))] = code[start : start + length]
    if not functions:
        raise NotSelfContained("no function")
    return functions
