"""Symbols of object files, read by the formats' own descriptions: ELF of 32 and 64 bits, and WebAssembly."""

from __future__ import annotations

import struct


def symbols(data: bytes) -> tuple[set[str], set[str]]:
    """The global and weak symbols that an object defines, but for hidden ones, and those that it needs."""
    if data[:4] == b"\x7fELF":
        return _elf(data)
    if data[:4] == b"\0asm":
        return _wasm(data)
    raise ValueError(f"neither ELF nor WebAssembly: {data[:8]!r}")


def _elf(data: bytes) -> tuple[set[str], set[str]]:
    wide = data[4] == 2
    assert data[5] == 1, "big-endian"
    if wide:
        (offset,), (size, count) = struct.unpack_from("<Q", data, 0x28), struct.unpack_from("<HH", data, 0x3A)
    else:
        (offset,), (size, count) = struct.unpack_from("<I", data, 0x20), struct.unpack_from("<HH", data, 0x2E)
    form = "<IIQQQQIIQQ" if wide else "<10I"
    sections = [struct.unpack_from(form, data, offset + i * size) for i in range(count)]
    table = next(section for section in sections if section[1] == 2)
    names = sections[table[6]][4]
    defined, needed = set(), set()
    for at in range(table[4], table[4] + table[5], table[9]):
        name, info, other, section = struct.unpack_from("<IBBH" if wide else "<I8xBBH", data, at)
        text = data[names + name : data.index(b"\0", names + name)].decode()
        if text and info >> 4 and not (section and other & 3 == 2):
            (defined if section else needed).add(text)
    return defined, needed


def elf_machine(data: bytes) -> tuple[int, int, int]:
    """Bits, machine (e_machine) and flags (e_flags)."""
    wide = data[4] == 2
    return (
        (64 if wide else 32),
        struct.unpack_from("<H", data, 18)[0],
        struct.unpack_from("<I", data, 48 if wide else 36)[0],
    )


class _Reader:
    def __init__(self, data: bytes, at: int = 0) -> None:
        self.data, self.at = data, at

    def number(self) -> int:
        value = shift = 0
        while True:
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def name(self) -> str:
        size = self.number()
        self.at += size
        return self.data[self.at - size : self.at].decode()


def _wasm_sections(data: bytes):
    r = _Reader(data, 8)
    while r.at < len(data):
        kind, size = r.number(), r.number()
        end = r.at + size
        inner = _Reader(data[:end], r.at)
        yield kind, (inner.name() if kind == 0 else ""), inner, end
        r.at = end


def _imports(r: _Reader) -> list[str]:
    """Names of the imported functions."""
    found = []
    for _ in range(r.number()):
        r.name()
        name, kind = r.name(), r.number()
        if kind == 0:
            found.append(name)
            r.number()
        elif kind in (1, 2):  # a table or a memory
            if kind == 1:
                r.number()
            flags = r.number()
            r.number()
            if flags & 1:
                r.number()
        else:
            r.number()
            r.number()
    return found


def _wasm(data: bytes) -> tuple[set[str], set[str]]:
    """The linking section's table of symbols (tool-conventions, Linking.md)."""
    imports: list[str] = []
    defined, needed = set(), set()
    for kind, name, r, end in _wasm_sections(data):
        if kind == 2:
            imports = _imports(r)
        if name != "linking":
            continue
        assert r.number() == 2
        while r.at < end:
            sub, size = r.number(), r.number()
            stop = r.at + size
            for _ in range(r.number() if sub == 8 else 0):
                what, flags = r.number(), r.number()
                undefined, explicit, local = flags & 0x10, flags & 0x40, flags & 0x02
                if what == 1:
                    text = r.name()
                    if not undefined:
                        r.number(), r.number(), r.number()
                elif what == 3:
                    r.number()
                    continue
                else:
                    index = r.number()
                    text = r.name() if not undefined or explicit else imports[index] if what == 0 else ""
                if not local and text:
                    (needed if undefined else defined).add(text)
            r.at = stop
    return defined, needed
