"""The object files of a link in memory, read and checked: their sections, symbols and relocations, and which is kept of
what several bring.
"""

from __future__ import annotations

from jitffi.link import objects
from jitffi.link.objects import Elf, ObjectError, Relocation, Symbol, machine_name
from jitffi.link.relocations import MACHINES, Machine

MOST = 1 << 40  # bytes of an image: more is a damaged size
_ONLY_LOADER = "link it into a shared library (cc -shared), which load_module takes, too"


class Input:
    """One input. Sections that are kept have an offset in the image, once they are laid out."""

    def __init__(self, name: str, elf: Elf) -> None:
        self.name = name
        self.elf = elf
        self.symbols = elf.symbols()
        self.dropped: set[int] = set()
        self.offsets: dict[int, int] = {}
        self.frames_end: dict[int, int] = {}  # of sections of frames: what follows is not loaded
        self.frames_dead: dict[int, set[int]] = {}  # and what leads to functions that were dropped
        self.relocations: dict[int, list[Relocation]] = {}


class Inputs:
    """What has been added, and what it defines."""

    def __init__(self, host: int) -> None:
        self.host = host
        self.objects: list[Input] = []
        self.groups: set[str] = set()
        self.defined: dict[str, tuple[Input, Symbol]] = {}
        self.commons: dict[str, tuple[int, int]] = {}  # size, alignment
        self.rows: dict[str, tuple[int, int]] = {}  # where the sections of a name that C can spell begin and end

    @property
    def machine(self) -> Machine:
        return MACHINES[self.host]

    def add(self, name: str, data: bytes) -> None:
        elf = Elf(data)
        if elf.machine != self.host:
            raise ObjectError(f"is for {machine_name(elf.machine)}, this machine is {machine_name(self.host)}")
        if elf.type != objects.REL:
            raise ObjectError("is no object file; a shared library is loaded by its path, alone")
        if self.host not in MACHINES:
            raise ObjectError(f"object files for {machine_name(self.host)} are not linked here; {_ONLY_LOADER}")
        made = Input(name, elf)
        _check_sections(made)
        self._drop_repeated(made)
        self._read_relocations(made)
        for symbol in made.symbols:
            self._define(made, symbol)
        for section in elf.sections:
            if section.flags & objects.ALLOC and section.name.isidentifier():
                self.rows[section.name] = (0, 0)
        self.objects.append(made)

    def _drop_repeated(self, made: Input) -> None:
        for index, sections in made.elf.groups():
            if index >= len(made.symbols):
                raise ObjectError("is damaged: a group has no name")
            symbol = made.symbols[index]
            # That of a section has the section's name.
            name = symbol.name or made.elf.sections[max(symbol.section, 0)].name
            if name in self.groups:
                made.dropped.update(sections)
            self.groups.add(name)

    def _read_relocations(self, made: Input) -> None:
        sections = made.elf.sections
        for i, section in enumerate(sections):
            if section.type not in (objects.RELA, objects.REL_SECTION) or i in made.dropped:
                continue
            if section.info >= len(sections):
                raise ObjectError("is damaged: relocations of a section that is not there")
            target = sections[section.info]
            if not target.flags & objects.ALLOC or section.info in made.dropped or target.type == objects.NOTE:
                continue
            if target.type == objects.NOBITS:
                raise ObjectError(f"is damaged: relocations in {target.name}, which has no content")
            if section.type == objects.REL_SECTION:
                raise ObjectError("has relocations without addends, which this machine's compilers do not make")
            found = made.elf.relocations(section)
            self._check_relocations(made, section.info, found)
            made.relocations.setdefault(section.info, []).extend(found)

    def _check_relocations(self, made: Input, index: int, found: list[Relocation]) -> None:
        section, machine = made.elf.sections[index], self.machine
        for each in found:
            if each.symbol >= len(made.symbols) or each.offset + machine.width(each.type) > section.size:
                raise ObjectError(f"is damaged: a relocation in {section.name} is beyond its end")
            if machine.is_thread_local(each.type):
                raise ObjectError(f"has the thread-local variable {made.symbols[each.symbol].name!r}: {_ONLY_LOADER}")
            if each.type not in machine.forms:
                raise ObjectError(f"has a relocation of type {each.type}, which is not known here; {_ONLY_LOADER}")

    def _define(self, made: Input, symbol: Symbol) -> None:
        """Check a symbol, and make it known where it is a global one that is defined here."""
        if symbol.type == objects.TLS_SYMBOL:
            raise ObjectError(f"has the thread-local variable {symbol.name!r}: {_ONLY_LOADER}")
        if symbol.type == objects.IFUNC:
            raise ObjectError(f"has the indirect function {symbol.name!r}: {_ONLY_LOADER}")
        if symbol.section > 0 and symbol.value > made.elf.sections[symbol.section].size:
            raise ObjectError(f"is damaged: symbol {symbol.name!r} is beyond the end of its section")
        if symbol.binding == objects.LOCAL or symbol.section == objects.UNDEF or symbol.section in made.dropped:
            return
        if symbol.section == objects.IS_COMMON:
            if not 0 < symbol.value <= 4096 or symbol.value & symbol.value - 1 or symbol.size > MOST:
                raise ObjectError(f"is damaged: the alignment of {symbol.name!r} is {symbol.value}")
            size, alignment = self.commons.get(symbol.name, (0, 1))
            self.commons[symbol.name] = max(size, symbol.size), max(alignment, symbol.value)
            return
        known = self.defined.get(symbol.name)
        if known is not None and symbol.binding == known[1].binding == objects.GLOBAL:
            raise ObjectError(f"defines {symbol.name!r}, and so does {known[0].name}")
        if known is None or known[1].binding != objects.GLOBAL and symbol.binding == objects.GLOBAL:
            self.defined[symbol.name] = made, symbol


def _check_sections(made: Input) -> None:
    if any(symbol.name == "__gnu_lto_slim" for symbol in made.symbols):
        raise ObjectError("holds no machine code: it was compiled with -flto")
    for section in made.elf.sections:
        if not section.flags & objects.ALLOC:
            continue
        if section.flags & objects.TLS and section.size:
            raise ObjectError(f"has thread-local variables: {_ONLY_LOADER}")
        if section.name in (".init", ".fini") and section.size:
            raise ObjectError(f"has a section {section.name}, pieces of a function: {_ONLY_LOADER}")
        if section.align > 4096 or section.align & max(section.align - 1, 0):
            raise ObjectError(f"has a section {section.name} that is aligned to {section.align} bytes: {_ONLY_LOADER}")
        if section.size > MOST:
            raise ObjectError(f"is damaged: section {section.name} has {section.size} bytes")
