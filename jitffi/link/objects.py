"""ELF files read: sections, symbols and relocations of little-endian object files and shared libraries.

Everything is checked against the file's size on the way in, so that what comes out can be followed without a look back:
a file that was cut short or damaged is an ObjectError that says where. (System V ABI, chapters 4 and 5.)
"""

from __future__ import annotations

import os
import struct
from operator import itemgetter

from jitffi.base.records import record


class ObjectError(ValueError):
    """The bytes are no ELF file of the kind wanted, or damaged. The text is a sentence about the file."""


REL, DYN = 1, 3  # e_type
PROGBITS, SYMTAB, STRTAB, RELA, NOTE, NOBITS, REL_SECTION, DYNSYM = 1, 2, 3, 4, 7, 8, 9, 11  # sh_type
INIT_ARRAY, FINI_ARRAY, PREINIT_ARRAY, GROUP, SYMTAB_SHNDX = 14, 15, 16, 17, 18
ADDRSIG = 0x6FFF4C03  # SHT_LLVM_ADDRSIG: a hint that names symbols by number
ATTRIBUTES = 0x70000003  # SHT_ARM_ATTRIBUTES, and those of other machines
WRITE, ALLOC, EXECINSTR, LINK_ORDER, IN_GROUP, TLS = 1, 2, 4, 0x80, 0x200, 0x400  # sh_flags
UNDEF, RESERVED, ABS, COMMON, XINDEX = 0, 0xFF00, 0xFFF1, 0xFFF2, 0xFFFF  # st_shndx
LOCAL, GLOBAL, WEAK, UNIQUE = 0, 1, 2, 10  # binding
NOTYPE, OBJECT, FUNC, SECTION, FILE, COMMON_TYPE, TLS_SYMBOL, IFUNC = 0, 1, 2, 3, 4, 5, 6, 10  # symbol types
DEFAULT, INTERNAL, HIDDEN = 0, 1, 2  # visibility
_COMDAT = 1

#: e_machine
X86_64, AARCH64, RISCV = 62, 183, 243
MACHINES = {
    3: "i386", 8: "MIPS", 20: "PowerPC", 21: "PowerPC64", 22: "S/390", 40: "ARM", X86_64: "x86-64", AARCH64: "AArch64",
    RISCV: "RISC-V", 258: "LoongArch",
}  # fmt: skip

_HOSTS = {"x86_64": X86_64, "AMD64": X86_64, "aarch64": AARCH64, "riscv64": RISCV}


def host() -> int:
    """Return this process's machine as objects name theirs (e_machine); 0 where it is none of those known here."""
    return _HOSTS.get(os.uname().machine, 0)


@record
class Records:
    """The records of files of 32 or 64 bits.

    header: ident, type, machine, version, entry, phoff, shoff, flags, ehsize, phentsize, phnum, shentsize, shnum,
    shstrndx. section: name, type, flags, addr, offset, size, link, info, align, entsize. relocation: offset, info,
    addend.
    """

    header: struct.Struct
    section: struct.Struct
    symbol: struct.Struct
    relocation: struct.Struct
    word: struct.Struct
    #: Which field of a symbol is name, info, other, section, value, size.
    symbol_fields: tuple[int, ...]
    #: Where the number of the symbol begins in a relocation's info.
    symbol_shift: int
    align: int


#: By EI_CLASS, the fifth byte of a file.
RECORDS = {
    1: Records(
        struct.Struct("<16sHHIIIIIHHHHHH"), struct.Struct("<10I"), struct.Struct("<IIIBBH"), struct.Struct("<IIi"),
        struct.Struct("<I"), (0, 3, 4, 5, 1, 2), 8, 4,
    ),
    2: Records(
        struct.Struct("<16sHHIQQQIHHHHHH"), struct.Struct("<IIQQQQIIQQ"), struct.Struct("<IBBHQQ"),
        struct.Struct("<QQq"), struct.Struct("<Q"), (0, 1, 2, 3, 4, 5), 32, 8,
    ),
}  # fmt: skip


@record
class Section:
    name: str
    type: int
    flags: int
    offset: int
    size: int
    link: int
    info: int
    align: int
    entry_size: int


@record
class Symbol:
    name: str
    value: int
    size: int
    type: int
    binding: int
    other: int
    section: int  # an index, IS_ABS or IS_COMMON

    @property
    def visibility(self) -> int:
        return self.other & 3


@record
class Relocation:
    offset: int
    type: int
    symbol: int
    addend: int


#: What `Symbol.section` is where it is no index.
IS_ABS, IS_COMMON = -1, -2


def what_is(data: bytes) -> str:
    """What the first bytes say, where they are no ELF file's.

    >>> what_is(b"BC\\xc0\\xde....")
    'LLVM bitcode'
    """
    starts = {
        b"BC\xc0\xde": "LLVM bitcode", b"\0asm": "a WebAssembly module", b"!<arch>": "an archive",
        b"MZ": "a Windows file", b"\xcf\xfa\xed\xfe": "a Mach-O file", b"\xca\xfe\xba\xbe": "a Mach-O file",
        b"\x64\x86": "a COFF object file",
    }  # fmt: skip
    return next((what for start, what in starts.items() if data.startswith(start)), "no ELF file")


class Elf:
    """A file as it lies in *data*. ObjectError where that is no little-endian ELF file of 64 bits, or of 32 where that
    is *narrow_too*."""

    def __init__(self, data: bytes, narrow_too: bool = False) -> None:
        self.data = data
        if len(data) < 16 or data[:4] != b"\x7fELF":
            raise ObjectError("is empty" if not data else f"is {what_is(data)}")
        if data[4:6] != b"\x02\x01" and not (narrow_too and data[4:6] == b"\x01\x01"):
            raise ObjectError("is no 64-bit little-endian ELF file")
        self.records = RECORDS[data[4]]
        self.header = self._unpack(self.records.header, 0, "its header")
        self.type, self.machine = self.header[1], self.header[2]
        self.sections = self._read_sections(self.header[6], *self.header[11:14])

    # -- reading, with checks ----------------------------------------------------------------------------------

    def _unpack(self, form: struct.Struct, offset: int, what: str) -> tuple[int, ...]:
        if offset + form.size > len(self.data):
            raise ObjectError(f"is cut short: {what} would end at byte {offset + form.size} of {len(self.data)}")
        return form.unpack_from(self.data, offset)

    def _read_sections(self, start: int, size: int, count: int, names: int) -> list[Section]:
        if start == 0:
            return []
        form = self.records.section
        if size != form.size:
            raise ObjectError(f"is damaged: its section headers have {size} bytes each")
        first = self._unpack(form, start, "its section headers")
        count, names = count or first[5], names if names != XINDEX else first[6]
        if start + count * size > len(self.data):
            raise ObjectError(f"is cut short: its {count} section headers begin at byte {start} of {len(self.data)}")
        raw = [form.unpack_from(self.data, start + i * size) for i in range(count)]
        for i, (_, kind, _, _, offset, length, *_) in enumerate(raw):
            if kind not in (0, NOBITS) and offset + length > len(self.data):
                raise ObjectError(f"is cut short: section {i} would end at byte {offset + length} of {len(self.data)}")
        if names >= count:
            raise ObjectError("is damaged: it has no names of sections")
        table = self._strings(raw[names][4], raw[names][5])
        return [
            Section(_text(table, name, "a section"), kind, flags, offset, length, link, info, align, entry)
            for name, kind, flags, _, offset, length, link, info, align, entry in raw
        ]

    def _strings(self, offset: int, size: int) -> bytes:
        return bytes(self.data[offset : offset + size])

    def content(self, section: Section) -> bytes:
        """The bytes of a section in the file; none for one that has only a size."""
        return b"" if section.type == NOBITS else bytes(self.data[section.offset : section.offset + section.size])

    def _entries(self, section: Section, form: struct.Struct, what: str) -> list[tuple[int, ...]]:
        if section.size % form.size or section.entry_size not in (0, form.size):
            raise ObjectError(f"is damaged: section {section.name} holds no whole number of {what}")
        return list(form.iter_unpack(self.content(section)))

    def symbols(self, kind: int = SYMTAB) -> list[Symbol]:
        """The symbols of a SYMTAB, or the DYNSYM of a shared library; none in a file without that."""
        tables = [section for section in self.sections if section.type == kind]
        if not tables:
            return []
        table = tables[0]
        if table.link >= len(self.sections) or self.sections[table.link].type != STRTAB:
            raise ObjectError("is damaged: its symbols have no names")
        strings = self.content(self.sections[table.link])
        wide = self._wide_indices(table)
        found = []
        entries = map(itemgetter(*self.records.symbol_fields), self._entries(table, self.records.symbol, "symbols"))
        for i, (name, info, other, index, value, size) in enumerate(entries):
            if index == XINDEX and i < len(wide):
                index = wide[i]
            elif index in (ABS, COMMON):
                index = IS_ABS if index == ABS else IS_COMMON
            if index >= len(self.sections):
                raise ObjectError(f"is damaged: symbol {i} is in section {index} of {len(self.sections)}")
            text = _text(strings, name, "a symbol") if name else ""
            found.append(Symbol(text, value, size, info & 15, info >> 4, other, index))
        return found

    def _wide_indices(self, table: Section) -> list[int]:
        """Sections of symbols in a file of more than 65000 sections."""
        number = self.sections.index(table)
        for section in self.sections:
            if section.type == SYMTAB_SHNDX and section.link == number:
                return [index for (index,) in self._entries(section, struct.Struct("<I"), "indices")]
        return []

    def relocations(self, section: Section) -> list[Relocation]:
        """What a RELA section holds."""
        shift = self.records.symbol_shift
        return [
            Relocation(offset, info & ((1 << shift) - 1), info >> shift, addend)
            for offset, info, addend in self._entries(section, self.records.relocation, "relocations")
        ]

    def groups(self) -> list[tuple[int, list[int]]]:
        """(symbol, sections) of each group of which a program has one, whatever number of objects brings it."""
        found = []
        for section in self.sections:
            if section.type == GROUP:
                words = [word for (word,) in self._entries(section, struct.Struct("<I"), "section numbers")]
                if any(index >= len(self.sections) for index in words[1:]):
                    raise ObjectError("is damaged: a group has sections that are not there")
                if words and words[0] & _COMDAT:
                    found.append((section.info, words[1:]))
        return found


def _text(table: bytes, offset: int, what: str) -> str:
    end = table.find(b"\0", offset)
    if offset > len(table) or end < 0:
        raise ObjectError(f"is damaged: the name of {what} is not there")
    return table[offset:end].decode("utf-8", "surrogateescape")


def machine_name(machine: int) -> str:
    """
    >>> machine_name(183), machine_name(9999)
    ('AArch64', 'machine 9999')
    """
    return MACHINES.get(machine, f"machine {machine}")
