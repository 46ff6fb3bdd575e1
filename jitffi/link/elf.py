"""Several ELF objects put into one, as `ld -r` does, for machines without a linker.

Sections stay what they are, one behind the other, as many of one name as there are; but `.eh_frame` becomes one, as
linkers look for one in an object. Symbols become common: a name that one object defines and another needs is one
symbol, and of a weak one that several define the first is taken. Groups of sections are dissolved: what is weak in one
is common all the same.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

# Of elf.h: types of sections, what is at special indices, and bindings of symbols.
_SYMTAB, _STRTAB, _RELA, _REL, _GROUP, _SYMTAB_SHNDX = 2, 3, 4, 9, 17, 18
_ADDRSIG = 0x6FFF4C03  # SHT_LLVM_ADDRSIG: a hint that names symbols by number
_ATTRIBUTES = 0x70000003  # SHT_ARM_ATTRIBUTES, and those of other machines
_LINK_ORDER, _IN_GROUP = 0x80, 0x200
_RESERVED = 0xFF00
#: Sections that become one, with their relocations; pieces of them are self-contained.
_JOINED = frozenset((b".eh_frame", b".rela.eh_frame", b".rel.eh_frame"))
_LOCAL, _WEAK = 0, 2


class NotMergeable(ValueError):
    """An object with something in it that is not handled here."""


@dataclass(frozen=True)
class _Class:
    """The records of 32 or 64 bits, and the order of their fields that is used here.

    header: ident, type, machine, version, entry, phoff, shoff, flags, ehsize, phentsize, phnum, shentsize, shnum,
    shstrndx. section: name, type, flags, addr, offset, size, link, info, align, entsize.
    """

    header: struct.Struct
    section: struct.Struct
    symbol: struct.Struct
    word: struct.Struct
    #: Which field of a symbol is name, info, other, section, value, size.
    fields: tuple[int, ...]
    symbol_shift: int
    align: int


_CLASSES = {
    1: _Class(
        struct.Struct("<16sHHIIIIIHHHHHH"), struct.Struct("<10I"), struct.Struct("<IIIBBH"), struct.Struct("<I"),
        (0, 3, 4, 5, 1, 2), 8, 4,
    ),
    2: _Class(
        struct.Struct("<16sHHIQQQIHHHHHH"), struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IBBHQQ"), struct.Struct("<Q"),
        (0, 1, 2, 3, 4, 5), 32, 8,
    ),
}  # fmt: skip


@dataclass
class _Symbol:
    name: bytes
    info: int
    other: int
    section: int  # in the new object
    value: int
    size: int

    @property
    def binding(self) -> int:
        return self.info >> 4


@dataclass
class _Merged:
    """What the new object has so far."""

    form: _Class
    sections: list[tuple[bytes, list[int], bytearray]] = field(default_factory=list)  # name, header, content; from 1 on
    locals: list[_Symbol] = field(default_factory=list)
    globals: dict[bytes, _Symbol] = field(default_factory=dict)
    #: Relocations, by section, start and end, and what their symbols are, by number, until all have their place.
    relocated: list[tuple[int, int, int, list[_Symbol | None]]] = field(default_factory=list)
    once: set[bytes] = field(default_factory=set)
    #: Where the one section of a name is.
    joined: dict[bytes, int] = field(default_factory=dict)


def merge(objects: Sequence[bytes]) -> bytes:
    """Return one relocatable object of several for the same machine. NotMergeable where that may not be right."""
    form = _CLASSES.get(objects[0][4])
    if form is None or objects[0][:4] != b"\x7fELF" or objects[0][5] != 1:
        raise NotMergeable("no little-endian ELF object")
    header = form.header.unpack_from(objects[0])
    merged = _Merged(form)
    for data in objects:
        own = form.header.unpack_from(data)
        if (own[0], own[1:3], own[7]) != (header[0], header[1:3], header[7]):
            raise NotMergeable("objects for different machines")
        _add(merged, data, own)
    return _write(merged, header)


def _text(table: bytes, at: int) -> bytes:
    return table[at : table.index(0, at)]


def _add(merged: _Merged, data: bytes, header: tuple[int, ...]) -> None:
    """Take over one object's sections and symbols."""
    form = merged.form
    rows = [list(form.section.unpack_from(data, header[6] + i * form.section.size)) for i in range(header[12])]
    if header[12] == 0 or any(row[1] == _SYMTAB_SHNDX for row in rows):
        raise NotMergeable("too many sections")
    contents = [b"" if row[1] == 8 else data[row[4] : row[4] + row[5]] for row in rows]  # 8: SHT_NOBITS
    names = [_text(contents[header[13]], row[0]) for row in rows]
    place: dict[int, int] = {0: 0}
    starts: dict[int, int] = {}  # in what they became the end of
    for i, row in enumerate(rows):
        # What says something of the object as a whole is said once.
        is_once = names[i] == b".note.GNU-stack" or row[1] == _ATTRIBUTES
        if i == 0 or row[1] in (_SYMTAB, _STRTAB, _ADDRSIG, _GROUP) or (is_once and names[i] in merged.once):
            continue
        if is_once:
            merged.once.add(names[i])
        row[2] &= ~_IN_GROUP
        place[i] = _place(merged, names[i], row, contents[i])
        starts[i] = len(merged.sections[place[i] - 1][2]) - len(contents[i])
    table = next((i for i, row in enumerate(rows) if row[1] == _SYMTAB), None)
    symbols = [] if table is None else _symbols(merged, contents[table], contents[rows[table][6]], place, starts)
    for i in place:
        row = rows[i]
        if row[1] in (_RELA, _REL):
            size = len(contents[i])
            _, new, content = merged.sections[place[i] - 1]
            _move(form, content, len(content) - size, row[9], starts.get(row[7], 0))
            new[7] = place[row[7]]
            merged.relocated.append((place[i], len(content) - size, len(content), symbols))
        elif row[2] & _LINK_ORDER:
            row[6] = place[row[6]]
        elif row[6] or row[7]:
            raise NotMergeable(f"a section of type {row[1]} that refers to others")


def _place(merged: _Merged, name: bytes, row: list[int], content: bytes) -> int:
    """Return the number of the section that this one becomes, or becomes the end of."""
    at = merged.joined.get(name, 0)
    if at:
        known, there = merged.sections[at - 1][1:]
        if known[1:3] != row[1:3] or len(there) % max(row[8], 1):
            raise NotMergeable(f"sections {name.decode()} that do not fit together")
        there += content
        return at
    merged.sections.append((name, row, bytearray(content)))
    if name in _JOINED:
        merged.joined[name] = len(merged.sections)
    return len(merged.sections)


def _move(form: _Class, content: bytearray, start: int, size: int, distance: int) -> None:
    """Let relocations from *start* on be for places that much further on."""
    for at in range(start, len(content), size) if distance else ():
        (offset,) = form.word.unpack_from(content, at)
        form.word.pack_into(content, at, offset + distance)


def _symbols(
    merged: _Merged, content: bytes, names: bytes, place: dict[int, int], starts: dict[int, int]
) -> list[_Symbol | None]:
    """Return the symbols of one object by number, as they are in the new one."""
    found: list[_Symbol | None] = []
    order = merged.form.fields
    for record in merged.form.symbol.iter_unpack(content):
        name, info, other, section, value, size = (record[i] for i in order)
        if not found:
            found.append(None)
            continue
        if section < _RESERVED:
            if section not in place:
                found.append(None)  # the symbol of a section that is left out
                continue
            value += starts.get(section, 0)
            section = place[section]
        new = _Symbol(_text(names, name), info, other, section, value, size)
        if new.binding == _LOCAL:
            merged.locals.append(new)
            found.append(new)
        else:
            found.append(_common(merged, new))
    return found


def _common(merged: _Merged, new: _Symbol) -> _Symbol:
    """The global symbol of that name, which a definition fills in."""
    known = merged.globals.setdefault(new.name, new)
    if known is new or not new.section:
        if known.section == 0 and known.binding == _WEAK and new.binding != _WEAK:
            known.info = new.info
        return known
    if known.section and known.binding != _WEAK and new.binding != _WEAK:
        raise NotMergeable(f"{new.name.decode()} is defined twice")
    if not known.section or known.binding == _WEAK and new.binding != _WEAK:
        known.info, known.other, known.section = new.info, new.other, new.section
        known.value, known.size = new.value, new.size
    return known


class _Strings:
    """A string table under construction."""

    def __init__(self) -> None:
        self.data = bytearray(1)
        self._known = {b"": 0}

    def add(self, text: bytes) -> int:
        if text not in self._known:
            self._known[text] = len(self.data)
            self.data += text + b"\0"
        return self._known[text]


def _write(merged: _Merged, header: tuple[int, ...]) -> bytes:
    form = merged.form
    symbols = [*merged.locals, *merged.globals.values()]
    number = {id(symbol): i + 1 for i, symbol in enumerate(symbols)}
    strings = _Strings()
    table = bytearray(form.symbol.size)
    for s in symbols:
        values = dict(zip(form.fields, (strings.add(s.name), s.info, s.other, s.section, s.value, s.size), strict=True))
        table += form.symbol.pack(*[values[i] for i in range(6)])
    symtab = len(merged.sections) + 1
    if symtab + 2 >= _RESERVED:
        raise NotMergeable("too many sections")
    contents = [content for _, _, content in merged.sections]
    for at, start, end, own in merged.relocated:
        row = merged.sections[at - 1][1]
        row[6] = symtab
        _renumber(form, contents[at - 1], range(start, end, row[9]), own, number)
    rows = [(name, row) for name, row, _ in merged.sections]
    rows.append(
        (b".symtab", [0, _SYMTAB, 0, 0, 0, 0, symtab + 1, len(merged.locals) + 1, form.align, form.symbol.size])
    )
    rows.append((b".strtab", [0, _STRTAB, 0, 0, 0, 0, 0, 0, 1, 0]))
    for name, row in rows:
        row[0] = strings.add(name)
    contents += [table, strings.data]
    out = bytearray(form.header.size)
    for (_, row), content in zip(rows, contents, strict=True):
        out += bytes(-len(out) % max(row[8], 1))
        row[4], row[5] = len(out), row[5] if row[1] == 8 else len(content)
        out += content
    out += bytes(-len(out) % form.align)
    new = list(header)
    new[6], new[12], new[13] = len(out), len(rows) + 1, symtab + 1
    out[: form.header.size] = form.header.pack(*new)
    out += bytes(form.section.size) + b"".join(form.section.pack(*row) for _, row in rows)
    return bytes(out)


def _renumber(
    form: _Class, content: bytearray, places: range, own: list[_Symbol | None], number: dict[int, int]
) -> None:
    """Let the relocations at *places* have the new numbers of their symbols."""
    low = (1 << form.symbol_shift) - 1
    for at in places:
        (info,) = form.word.unpack_from(content, at + form.word.size)
        symbol = own[info >> form.symbol_shift]
        if symbol is None and info >> form.symbol_shift:
            raise NotMergeable("a relocation against a section that is left out")
        there = number[id(symbol)] if symbol is not None else 0
        form.word.pack_into(content, at + form.word.size, there << form.symbol_shift | info & low)
