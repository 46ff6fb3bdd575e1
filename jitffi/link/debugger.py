"""Code in memory as debuggers want to have it told: as an object file that lies where the code lies.

.text      no content: it is there; a symbol for each function
.eh_frame  what describes the frames, so that a backtrace leads through them     (System V ABI, chapter 4)
"""

from __future__ import annotations

import struct

from jitffi import _core
from jitffi.link import objects

_HEADER = struct.Struct("<16sHHIQQQIHHHHHH")
_SECTION = struct.Struct("<IIQQQQIIQQ")
_SYMBOL = struct.Struct("<IBBHQQ")
_NAMES = b"\0.text\0.eh_frame\0.symtab\0.strtab\0.shstrtab\0"
_EXECUTABLE = 2  # e_type
_GLOBAL_FUNCTION = objects.GLOBAL << 4 | objects.FUNC


def show(functions: list[tuple[int, int, str]], base: int, image: bytes | bytearray, frames: int) -> object:
    """Tell a debugger of functions, by address, size and name. What describes their frames begins at *frames* of the
    *image* at address *base*, and ends with a zero; nothing does where it is less than 1. It holds as long as the
    result lives."""
    at = frames
    while frames > 0 and (size := int.from_bytes(image[at : at + 4], "little")):
        at += 4 + size
    described = (base + frames, bytes(image[frames : at + 4])) if frames > 0 else (0, b"")
    return _core.show_debugger(_object_file(functions, described)) if functions else None


def _object_file(functions: list[tuple[int, int, str]], frames: tuple[int, bytes]) -> bytes:
    start = min(address for address, _, _ in functions)
    end = max(address + size for address, size, _ in functions)
    names, symbols = b"\0", bytes(_SYMBOL.size)
    for address, size, name in functions:
        symbols += _SYMBOL.pack(len(names), _GLOBAL_FUNCTION, objects.DEFAULT, 1, address, size)
        names += name.encode("utf-8", "replace").replace(b"\0", b"?") + b"\0"
    parts = [b"", frames[1], symbols, names, _NAMES]
    offsets, at = [], _HEADER.size
    for part in parts:
        at += -at % 8
        offsets.append(at)
        at += len(part)
    executable = objects.ALLOC | objects.EXECINSTR
    kinds = [
        (".text", objects.NOBITS, executable, start, end - start, 0, 0, 16, 0),
        (".eh_frame", objects.PROGBITS, objects.ALLOC, frames[0], len(frames[1]), 0, 0, 8, 0),
        (".symtab", objects.SYMTAB, 0, 0, len(symbols), 4, 1, 8, _SYMBOL.size),
        (".strtab", objects.STRTAB, 0, 0, len(names), 0, 0, 1, 0),
        (".shstrtab", objects.STRTAB, 0, 0, len(_NAMES), 0, 0, 1, 0),
    ]
    headers = bytes(_SECTION.size)
    for (name, kind, flags, address, size, link, info, align, entry), offset in zip(kinds, offsets, strict=True):
        place = _NAMES.index(name.encode() + b"\0")
        headers += _SECTION.pack(place, kind, flags, address, offset, size, link, info, align, entry)
    at += -at % 8
    head = _HEADER.pack(
        b"\x7fELF\2\1\1" + bytes(9), _EXECUTABLE, objects.host(), 1, start, 0, at, 0, _HEADER.size, 0, 0,
        _SECTION.size, len(kinds) + 1, len(kinds),
    )  # fmt: skip
    content = bytearray(head)
    for part, offset in zip(parts, offsets, strict=True):
        content += bytes(offset - len(content)) + part
    return bytes(content) + bytes(at - len(content)) + headers
