"""Several ELF objects put into one, as `ld -r` does, for machines without a linker.

Sections stay what they are, one behind the other, as many of one name as there are; but `.eh_frame` becomes one, as
linkers look for one in an object. Symbols become common: a name that one object defines and another needs is one
symbol, and of a weak one that several define the first is taken. Groups of sections are dissolved: what is weak in one
is common all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from jitffi.link import objects
from jitffi.link.objects import Elf, ObjectError, Records

#: Sections that become one, with their relocations; pieces of them are self-contained.
_JOINED = frozenset((".eh_frame", ".rela.eh_frame", ".rel.eh_frame"))
#: What a symbol's section is called in a file where it is no index.
_NO_INDEX = {objects.IS_ABS: objects.ABS, objects.IS_COMMON: objects.COMMON}


class NotMergeable(ValueError):
    """An object with something in it that is not handled here."""


@dataclass
class _Section:
    name: str
    type: int
    flags: int
    size: int  # of one without content
    link: int
    info: int
    align: int
    entry_size: int
    content: bytearray


@dataclass
class _Symbol:
    name: str
    type: int
    binding: int
    other: int
    section: int  # in the new object
    value: int
    size: int


@dataclass
class _Merged:
    """What the new object has so far."""

    records: Records
    sections: list[_Section] = field(default_factory=list)  # numbers from 1 on
    locals: list[_Symbol] = field(default_factory=list)
    globals: dict[str, _Symbol] = field(default_factory=dict)
    #: Relocations, by section, start and end, and what their symbols are, by number, until all have their place.
    relocated: list[tuple[int, int, int, list[_Symbol | None]]] = field(default_factory=list)
    once: set[str] = field(default_factory=set)
    #: Where the one section of a name is.
    joined: dict[str, int] = field(default_factory=dict)


def merge(contents: Sequence[bytes]) -> bytes:
    """Return one relocatable object of several for the same machine. NotMergeable where that may not be right."""
    try:
        files = [Elf(data, narrow_too=True) for data in contents]
        merged = _Merged(files[0].records)
        for elf in files:
            if _machine(elf) != _machine(files[0]):
                raise NotMergeable("objects for different machines")
            _add(merged, elf)
    except ObjectError as error:
        raise NotMergeable(f"an object {error}") from None
    return _write(merged, files[0].header)


def _machine(elf: Elf) -> tuple[object, ...]:
    """What of the header the objects of a program have in common."""
    ident, type_, machine, *_ = elf.header
    return ident, type_, machine, elf.header[7]


def _add(merged: _Merged, elf: Elf) -> None:
    """Take over one object's sections and symbols."""
    if not elf.sections or any(section.type == objects.SYMTAB_SHNDX for section in elf.sections):
        raise NotMergeable("too many sections")
    place: dict[int, int] = {0: 0}
    starts: dict[int, int] = {}  # in what they became the end of
    for i, section in enumerate(elf.sections):
        # What says something of the object as a whole is said once.
        is_once = section.name == ".note.GNU-stack" or section.type == objects.ATTRIBUTES
        rewritten = (objects.SYMTAB, objects.STRTAB, objects.ADDRSIG, objects.GROUP)
        if i == 0 or section.type in rewritten or (is_once and section.name in merged.once):
            continue
        if is_once:
            merged.once.add(section.name)
        content = elf.content(section)
        place[i] = _place(merged, section, content)
        starts[i] = len(merged.sections[place[i] - 1].content) - len(content)
    symbols = _symbols(merged, elf, place, starts)
    for i in place:
        section, new = elf.sections[i], merged.sections[place[i] - 1]
        if section.type in (objects.RELA, objects.REL_SECTION):
            end = len(new.content)
            start = starts[i]
            _move(merged.records, new.content, start, section.entry_size, starts.get(section.info, 0))
            new.info = place[section.info]
            merged.relocated.append((place[i], start, end, symbols))
        elif section.flags & objects.LINK_ORDER:
            new.link = place[section.link]
        elif section.link or section.info:
            raise NotMergeable(f"a section of type {section.type} that refers to others")


def _place(merged: _Merged, section: objects.Section, content: bytes) -> int:
    """Return the number of the section that this one becomes, or becomes the end of."""
    name, type_, flags, align = section.name, section.type, section.flags & ~objects.IN_GROUP, section.align
    at = merged.joined.get(name, 0)
    if at:
        known = merged.sections[at - 1]
        if (known.type, known.flags) != (type_, flags) or len(known.content) % max(align, 1):
            raise NotMergeable(f"sections {name} that do not fit together")
        known.content += content
        return at
    rest = section.size, section.link, section.info, align, section.entry_size, bytearray(content)
    merged.sections.append(_Section(name, type_, flags, *rest))
    if name in _JOINED:
        merged.joined[name] = len(merged.sections)
    return len(merged.sections)


def _move(records: Records, content: bytearray, start: int, size: int, distance: int) -> None:
    """Let relocations from *start* on be for places that much further on."""
    for at in range(start, len(content), size) if distance else ():
        (offset,) = records.word.unpack_from(content, at)
        records.word.pack_into(content, at, offset + distance)


def _symbols(merged: _Merged, elf: Elf, place: dict[int, int], starts: dict[int, int]) -> list[_Symbol | None]:
    """Return the symbols of one object by number, as they are in the new one."""
    found: list[_Symbol | None] = [None]
    for each in elf.symbols()[1:]:
        value, section = each.value, each.section
        if section >= 0:
            if section not in place:
                found.append(None)  # the symbol of a section that is left out
                continue
            value += starts.get(section, 0)
            section = place[section]
        new = _Symbol(each.name, each.type, each.binding, each.other, section, value, each.size)
        if each.binding == objects.LOCAL:
            merged.locals.append(new)
            found.append(new)
        else:
            found.append(_common(merged, new))
    return found


def _common(merged: _Merged, new: _Symbol) -> _Symbol:
    """The global symbol of that name, which a definition fills in."""
    known = merged.globals.setdefault(new.name, new)
    if known is new or not new.section:
        if known.section == 0 and known.binding == objects.WEAK and new.binding != objects.WEAK:
            known.type, known.binding = new.type, new.binding
        return known
    if known.section and known.binding != objects.WEAK and new.binding != objects.WEAK:
        raise NotMergeable(f"{new.name} is defined twice")
    if not known.section or (known.binding == objects.WEAK and new.binding != objects.WEAK):
        known.type, known.binding, known.other, known.section = new.type, new.binding, new.other, new.section
        known.value, known.size = new.value, new.size
    return known


class _Strings:
    """A string table under construction."""

    def __init__(self) -> None:
        self.data = bytearray(1)
        self._known = {"": 0}

    def add(self, text: str) -> int:
        if text not in self._known:
            self._known[text] = len(self.data)
            self.data += text.encode("utf-8", "surrogateescape") + b"\0"
        return self._known[text]


def _symbol_table(records: Records, symbols: list[_Symbol], strings: _Strings) -> bytearray:
    table = bytearray(records.symbol.size)
    for s in symbols:
        section = _NO_INDEX.get(s.section, s.section)
        fields = (strings.add(s.name), s.binding << 4 | s.type, s.other, section, s.value, s.size)
        values = dict(zip(records.symbol_fields, fields, strict=True))
        table += records.symbol.pack(*[values[i] for i in range(6)])
    return table


def _write(merged: _Merged, header: tuple[int, ...]) -> bytes:
    records = merged.records
    symbols = [*merged.locals, *merged.globals.values()]
    number = {id(symbol): i + 1 for i, symbol in enumerate(symbols)}
    strings = _Strings()
    table = _symbol_table(records, symbols, strings)
    symtab = len(merged.sections) + 1
    if symtab + 2 >= objects.RESERVED:
        raise NotMergeable("too many sections")
    for at, start, end, own in merged.relocated:
        section = merged.sections[at - 1]
        section.link = symtab
        _renumber(records, section.content, range(start, end, section.entry_size), own, number)
    size, count = records.symbol.size, len(merged.locals) + 1
    sections = [
        *merged.sections,
        _Section(".symtab", objects.SYMTAB, 0, 0, symtab + 1, count, records.align, size, table),
        _Section(".strtab", objects.STRTAB, 0, 0, 0, 0, 1, 0, strings.data),
    ]
    names = [strings.add(section.name) for section in sections]
    out = bytearray(records.header.size)
    rows = bytearray(records.section.size)
    for name, section in zip(names, sections, strict=True):
        out += bytes(-len(out) % max(section.align, 1))
        size = section.size if section.type == objects.NOBITS else len(section.content)
        rows += records.section.pack(
            name, section.type, section.flags, 0, len(out), size, section.link, section.info, section.align,
            section.entry_size,
        )  # fmt: skip
        out += section.content
    out += bytes(-len(out) % records.align)
    new = list(header)
    new[6], new[12], new[13] = len(out), len(sections) + 1, symtab + 1
    out[: records.header.size] = records.header.pack(*new)
    return bytes(out + rows)


def _renumber(
    records: Records, content: bytearray, places: range, own: list[_Symbol | None], number: dict[int, int]
) -> None:
    """Let the relocations at *places* have the new numbers of their symbols."""
    shift = records.symbol_shift
    for at in places:
        (info,) = records.word.unpack_from(content, at + records.word.size)
        symbol = own[info >> shift]
        if symbol is None and info >> shift:
            raise NotMergeable("a relocation against a section that is left out")
        there = number[id(symbol)] if symbol is not None else 0
        records.word.pack_into(content, at + records.word.size, there << shift | info & ((1 << shift) - 1))
