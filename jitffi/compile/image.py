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
from typing import NamedTuple

from jitffi import _core
from jitffi.compile import objects
from jitffi.compile.adapters import write_for_perf
from jitffi.compile.frames import check_frames
from jitffi.compile.objects import Elf, ObjectError, Relocation, Symbol, machine_name
from jitffi.compile.relocations import MACHINES, Machine, OutOfReach
from jitffi.config import library_file

MACHINE = os.uname().machine
PAGE = 65536 if MACHINE == "aarch64" else 4096
_MOST = 1 << 40  # bytes of an image: more is a damaged size
_HOST = {"x86_64": objects.X86_64, "AMD64": objects.X86_64, "aarch64": objects.AARCH64, "riscv64": objects.RISCV}
#: What a compiler's driver links without being asked, beside what the process has.
_DRIVEN = ("libm.so.6", "libgcc_s.so.1", "libstdc++.so.6")
#: Functions that each library has for itself, from a static part of the C library, since they tell who calls: what they
#: lead to, and whether the library's handle is its fourth argument there, or its third after a zero.
_OWN = {"atexit": ("__cxa_atexit", 0), "pthread_atfork": ("__register_atfork", 1)}
_ONLY_LOADER = "link it into a shared library (cc -shared), which load_module takes, too"


class _Object:
    """One input. Sections that are kept have an offset in the image, once they are laid out."""

    def __init__(self, name: str, elf: Elf) -> None:
        self.name = name
        self.elf = elf
        self.symbols = elf.symbols()
        self.dropped: set[int] = set()
        self.offsets: dict[int, int] = {}
        self.frames_end: dict[int, int] = {}  # of sections of frames: what follows is not loaded
        self.relocations: dict[int, list[Relocation]] = {}


class _Place(NamedTuple):
    """Where a symbol is: in a section of an object, or at an address that is known without."""

    object: _Object | None
    section: int
    value: int


class Linked(NamedTuple):
    image: _core.Image
    name: str
    exports: list[tuple[str, int, str | None]]


def link_objects(inputs: list[str | bytes], libraries: tuple[str, ...], host: int | None = None) -> Linked:
    """Link files and bytes of object files, and run their constructors. OSError, naming the file."""
    if host is None:
        host = _HOST.get(MACHINE, 0)
    linker = Linker(host)
    for number, content in enumerate(inputs, 1):
        name, data = _read(number, content)
        try:
            linker.add(name, data)
        except ObjectError as error:
            raise OSError(f"{name}: {error}") from None
    linker.resolve(_Libraries(libraries))
    image = _core.Image(linker.lay_out())
    image.keep(linker.libraries.opened)
    memory, constructors, destructors = linker.relocate(image.address)
    image.write(0, memory)
    image.seal(0, linker.text_end, True)
    image.seal(linker.text_end, linker.constants_end, False)
    exports = linker.exports(memory)
    if os.environ.get("JITFFI_PERF") == "1":
        write_for_perf(linker.functions())
    image.start(constructors, destructors, linker.frames)
    stem = "object" if isinstance(inputs[0], bytes) else os.path.basename(linker.objects[0].name).removesuffix(".o")
    return Linked(image, stem, exports)


def _read(number: int, content: str | bytes) -> tuple[str, bytes]:
    if isinstance(content, bytes):
        return f"object file {number}", content
    with open(content, "rb") as file:
        return content.encode("utf-8", "backslashreplace").decode(), file.read()


class _Libraries:
    """Where to look for what no object defines, in order: link=, jitffi's runtime, the process, the driver's."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.opened = [_core.Library(name) for name in (*names, str(library_file()))]
        self.opened.append(_core.Library(None))
        self._driven = list(_DRIVEN)

    def find(self, name: str) -> int | None:
        for library in self.opened:
            address = library.find(name)
            if address is not None:
                return address
        while self._driven:
            try:
                self.opened.append(_core.Library(self._driven.pop(0)))
            except OSError:
                continue
            address = self.opened[-1].find(name)
            if address is not None:
                return address
        return None


class Linker:
    """One link, step by step: `add` each object, `resolve`, `lay_out`, `relocate`."""

    def __init__(self, host: int) -> None:
        self.host = host
        self.objects: list[_Object] = []
        self.groups: set[str] = set()
        self.defined: dict[str, tuple[_Object, Symbol]] = {}
        self.externals: dict[str, int] = {}  # addresses by name
        self.commons: dict[str, tuple[int, int]] = {}  # size, alignment
        self.common_offsets: dict[str, int] = {}
        self.entries: dict[tuple[int, int | str], int] = {}  # of the GOT, by symbol
        self.stubs: dict[str, int] = {}  # offsets by name
        self.rows: dict[str, tuple[int, int]] = {}  # where the sections of a name that C can spell begin and end
        self.base = self.got = 0
        self.text_end = self.constants_end = 0
        self.frames = -1

    @property
    def machine(self) -> Machine:
        return MACHINES[self.host]

    # -- objects -----------------------------------------------------------------------------------------------

    def add(self, name: str, data: bytes) -> None:
        elf = Elf(data)
        if elf.machine != self.host:
            raise ObjectError(f"is for {machine_name(elf.machine)}, this machine is {machine_name(self.host)}")
        if elf.type != objects.REL:
            raise ObjectError("is no object file; a shared library is loaded by its path, alone")
        if self.host not in MACHINES:
            raise ObjectError(f"object files for {machine_name(self.host)} are not linked here; {_ONLY_LOADER}")
        made = _Object(name, elf)
        _check_sections(made)
        self._drop_repeated(made)
        self._read_relocations(made)
        for symbol in made.symbols:
            self._define(made, symbol)
        for section in elf.sections:
            if section.flags & objects.ALLOC and section.name.isidentifier():
                self.rows[section.name] = (0, 0)
        self.objects.append(made)

    def _drop_repeated(self, made: _Object) -> None:
        for index, sections in made.elf.groups():
            if index >= len(made.symbols):
                raise ObjectError("is damaged: a group has no name")
            name = made.symbols[index].name
            if name in self.groups:
                made.dropped.update(sections)
            self.groups.add(name)

    def _read_relocations(self, made: _Object) -> None:
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

    def _check_relocations(self, made: _Object, index: int, found: list[Relocation]) -> None:
        section, machine = made.elf.sections[index], self.machine
        for each in found:
            if each.symbol >= len(made.symbols) or each.offset + machine.width(each.type) > section.size:
                raise ObjectError(f"is damaged: a relocation in {section.name} is beyond its end")
            if machine.is_thread_local(each.type):
                raise ObjectError(f"has the thread-local variable {made.symbols[each.symbol].name!r}: {_ONLY_LOADER}")
            if each.type not in machine.forms:
                raise ObjectError(f"has a relocation of type {each.type}, which is not known here; {_ONLY_LOADER}")

    def _define(self, made: _Object, symbol: Symbol) -> None:
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
            if not 0 < symbol.value <= 4096 or symbol.value & symbol.value - 1 or symbol.size > _MOST:
                raise ObjectError(f"is damaged: the alignment of {symbol.name!r} is {symbol.value}")
            size, alignment = self.commons.get(symbol.name, (0, 1))
            self.commons[symbol.name] = max(size, symbol.size), max(alignment, symbol.value)
            return
        known = self.defined.get(symbol.name)
        if known is not None and symbol.binding == known[1].binding == objects.GLOBAL:
            raise ObjectError(f"defines {symbol.name!r}, and so does {known[0].name}")
        if known is None or known[1].binding != objects.GLOBAL and symbol.binding == objects.GLOBAL:
            self.defined[symbol.name] = made, symbol

    # -- symbols -----------------------------------------------------------------------------------------------

    def resolve(self, libraries: _Libraries) -> None:
        """Find what the objects do not define. OSError naming all that is nowhere."""
        self.libraries = libraries
        missing: dict[str, str] = {}
        for made in self.objects:
            self._check_abi(made)
            for found in made.relocations.values():
                for each in found:
                    symbol = made.symbols[each.symbol]
                    if symbol.binding == objects.LOCAL or self._is_inside(symbol.name) or symbol.name in missing:
                        continue
                    address = libraries.find(_OWN.get(symbol.name, (symbol.name,))[0])
                    if address is None and symbol.binding != objects.WEAK:
                        missing[symbol.name] = made.name
                    self.externals[symbol.name] = address or 0
        if missing:
            self._fail_missing(missing)

    def _is_inside(self, name: str) -> bool:
        special = ("__dso_handle", "_GLOBAL_OFFSET_TABLE_")
        known = name in self.defined or name in self.commons or name in self.externals or name in special
        return known or self._row(name) is not None

    def _row(self, name: str) -> int | None:
        """Where a row of sections begins or ends, for a symbol such as ``__start_NAME`` or ``__stop_NAME``."""
        for prefix, which in (("__start_", 0), ("__stop_", 1)):
            if name.startswith(prefix) and name[len(prefix) :] in self.rows:
                return self.rows[name[len(prefix) :]][which]
        return None

    def _fail_missing(self, missing: dict[str, str]) -> None:
        names = sorted(missing)
        shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
        first = missing[names[0]]
        raise OSError(f"{first}: undefined: {shown}; link=... names the shared libraries to look into")

    def _check_abi(self, made: _Object) -> None:
        for symbol in made.symbols:
            if symbol.name == "__jfabi" and symbol.section > 0:
                word = made.elf.content(made.elf.sections[symbol.section])[symbol.value : symbol.value + 4]
                _core.check_abi(made.name, int.from_bytes(word, "little"))

    # -- layout ------------------------------------------------------------------------------------------------

    def lay_out(self) -> int:
        """Give everything its offset; return the size of it all."""
        self._find_indirect()
        at = self._place(0, objects.ALLOC | objects.EXECINSTR)
        for name in self.stubs:
            self.stubs[name] = at = _aligned(at, 16)
            at += self.machine.stub_size
        self.text_end = at = _aligned(at, PAGE)
        at = self._place_frames(self._place(at, objects.ALLOC))
        self.constants_end = at = _aligned(at, PAGE)
        at = _aligned(self._place(at, objects.ALLOC | objects.WRITE), 8)
        self.got = at
        at += 8 * len(self.entries)
        self.filled = at
        at = self._place(at, objects.ALLOC | objects.WRITE, zeros=True)
        for name, (size, alignment) in self.commons.items():
            if name not in self.defined:
                self.common_offsets[name] = at = _aligned(at, alignment)
                at += size
        if at > _MOST:
            raise OSError(f"{self.objects[0].name}: is damaged: it would need {at} bytes")
        return max(at, 1)

    def _find_indirect(self) -> None:
        """Which symbols have an entry in the GOT, and which functions a stub."""
        for number, made in enumerate(self.objects):
            for found in made.relocations.values():
                for each in found:
                    form, symbol = self.machine.forms[each.type][0], made.symbols[each.symbol]
                    if form in "gehl":
                        self.entries.setdefault(_key(number, each.symbol, symbol), len(self.entries))
                    if symbol.name in self.externals and (form == "c" or symbol.name in _OWN):
                        self.stubs.setdefault(symbol.name, 0)

    def _place(self, at: int, flags: int, zeros: bool = False) -> int:
        mask = objects.ALLOC | objects.WRITE | objects.EXECINSTR
        chosen = []
        for made in self.objects:
            for i, section in enumerate(made.elf.sections):
                if section.flags & mask != flags or i in made.dropped or section.type == objects.NOTE:
                    continue
                are_zeros = section.type == objects.NOBITS and flags & objects.WRITE > 0
                if are_zeros == zeros and section.name != ".eh_frame":
                    chosen.append((made, i, section))
        chosen.sort(key=lambda each: each[2].name if each[2].name in self.rows else "")
        for made, i, section in chosen:
            made.offsets[i] = start = _aligned(at, section.align or 1)
            at = start + section.size
            if section.name in self.rows:
                first, end = self.rows[section.name]
                self.rows[section.name] = (first if end else start, at)
        return at

    def _place_frames(self, at: int) -> int:
        """The descriptions of frames stand in one row, which a zero ends, for the unwinder to walk along."""
        start = at = _aligned(at, 8)
        alive = 0
        for made in self.objects:
            for i, section in enumerate(made.elf.sections):
                if section.name != ".eh_frame" or i in made.dropped or not section.flags & objects.ALLOC:
                    continue
                dead = {each.offset for each in made.relocations.get(i, ()) if self._is_dropped(made, each)}
                try:
                    length, count = check_frames(made.elf.content(section), dead)
                except ObjectError as error:
                    raise OSError(f"{made.name}: {error}") from None
                made.offsets[i] = at
                made.frames_end[i] = length
                at += length
                alive += count
        if alive:
            self.frames = start
        return at + 4

    def _is_dropped(self, made: _Object, each: Relocation) -> bool:
        return made.symbols[each.symbol].section in made.dropped

    # -- values ------------------------------------------------------------------------------------------------

    def relocate(self, base: int) -> tuple[bytearray, list[int], list[int]]:
        """The content of the image for that address, its constructors, and its destructors in the same order."""
        self.base = base
        memory = bytearray(self.filled)
        for made in self.objects:
            for i, offset in made.offsets.items():
                content = made.elf.content(made.elf.sections[i])[: made.frames_end.get(i)]
                memory[offset : offset + len(content)] = content
        self._write_stubs(memory)
        for number, made in enumerate(self.objects):
            for i, found in made.relocations.items():
                if i in made.offsets:
                    self._write_section(memory, number, made, i, found)
        return (
            memory,
            self._addresses(memory, ".init_array", ".ctors"),
            self._addresses(memory, ".fini_array", ".dtors"),
        )

    def _write_stubs(self, memory: bytearray) -> None:
        for name, at in self.stubs.items():
            _, fourth = _OWN.get(name, ("", 0))
            code = self.machine.stub(self.externals[name], self.base if name in _OWN else None, fourth)
            memory[at : at + len(code)] = code

    def _write_section(
        self, memory: bytearray, number: int, made: _Object, index: int, found: list[Relocation]
    ) -> None:  # fmt: skip
        section, offset = made.elf.sections[index], made.offsets[index]
        forms, base, end = self.machine.forms, self.base, made.frames_end.get(index, section.size)
        for each in found:
            if each.offset >= end:
                continue
            symbol = made.symbols[each.symbol]
            if symbol.binding == objects.LOCAL and symbol.section in made.dropped:
                if section.name == ".eh_frame":
                    continue  # what describes the frames of a function that is not there: it stays at address 0, unused
                raise OSError(f"{made.name}: is damaged: {section.name} refers to a section that another file has")
            form, write = forms[each.type]
            at = offset + each.offset
            try:
                write(memory, at, base + at, self._value(form, memory, number, made, each, base + at))
            except OutOfReach:
                name = symbol.name or made.elf.sections[max(symbol.section, 0)].name
                raise OSError(f"{made.name}: the address of {name!r} is out of reach: compile with -fPIC") from None

    def _value(self, form: str, memory: bytearray, number: int, made: _Object, each: Relocation, place: int) -> int:
        symbol, addend = made.symbols[each.symbol], each.addend
        if form == "n":
            return 0
        if form == "s":
            return symbol.size + addend
        if form == "b":
            return self.base + self.got + addend - place
        target = self._address(made, symbol)
        if form == "c":
            near = target + addend - place
            reach = 1 << (31 if self.host == objects.X86_64 else 27)
            if symbol.name in self.stubs and (symbol.name in _OWN or not -reach <= near < reach):
                return self.base + self.stubs[symbol.name] + addend - place
            return near
        if symbol.name in _OWN and symbol.name in self.stubs:
            target = self.base + self.stubs[symbol.name]
        if form in "gehl":
            entry = self.got + 8 * self.entries[_key(number, each.symbol, symbol)]
            memory[entry : entry + 8] = target.to_bytes(8, "little")
            if form == "e":
                return entry - self.got + addend
            target = self.base + entry
        if form in "gp":
            return target + addend - place
        if form in "qh":
            return (target + addend & ~0xFFF) - (place & ~0xFFF)
        return target + addend - (self.base + self.got if form == "o" else 0)

    def _address(self, made: _Object, symbol: Symbol) -> int:
        if symbol.binding != objects.LOCAL:
            if symbol.name in self.defined:
                made, symbol = self.defined[symbol.name]
            elif symbol.name in self.common_offsets:
                return self.base + self.common_offsets[symbol.name]
            elif (row := self._row(symbol.name)) is not None:
                return self.base + row
            elif symbol.name == "_GLOBAL_OFFSET_TABLE_":
                return self.base + self.got
            elif symbol.name == "__dso_handle":
                return self.base
            else:
                return self.externals[symbol.name]
        if symbol.section == objects.IS_ABS:
            return symbol.value
        if symbol.section == objects.UNDEF:
            return 0
        if symbol.section not in made.offsets:
            where = made.elf.sections[symbol.section].name
            raise OSError(f"{made.name}: is damaged: code refers to {where}, which is not loaded")
        return self.base + made.offsets[symbol.section] + symbol.value

    # -- what the image offers ---------------------------------------------------------------------------------

    def _addresses(self, memory: bytearray, array: str, older: str) -> list[int]:
        """The functions in an array of constructors or destructors, or in its older form, which is read backwards.

        Those with a priority come first, the lower the earlier."""
        found: list[tuple[int, int]] = []
        for made in self.objects:
            for i, section in enumerate(made.elf.sections):
                is_array = section.name == array or section.name.startswith(array + ".")
                is_older = section.name == older or section.name.startswith(older + ".")
                if i not in made.offsets or not (is_array or is_older) or section.type == objects.NOBITS:
                    continue
                _, _, number = section.name.rpartition(".")
                priority = int(number) if number.isascii() and number.isdigit() else 65536
                if is_older and priority < 65536:
                    priority = 65535 - priority
                start = made.offsets[i]
                words = [memory[at : at + 8] for at in range(start, start + section.size // 8 * 8, 8)]
                values = [int.from_bytes(word, "little") for word in words]
                found += [(priority, value) for value in (reversed(values) if is_older else values)]
        addresses = [value for _, value in sorted(found, key=lambda each: each[0])]
        for value in addresses:
            if value not in (0, (1 << 64) - 1) and not self.base <= value < self.base + self.text_end:
                raise OSError(f"{self.objects[0].name}: is damaged: a constructor or destructor is no code of it")
        return [value for value in addresses if value not in (0, (1 << 64) - 1)]

    def exports(self, memory: bytearray) -> list[tuple[str, int, str | None]]:
        """(name, address, signature) of each function that the objects export."""
        found = []
        for full, (made, symbol) in self.defined.items():
            name = full.removeprefix("__jf_")
            if name == full or not name or symbol.visibility in (objects.INTERNAL, objects.HIDDEN):
                continue
            if symbol.type == objects.OBJECT or symbol.section <= 0:
                continue
            if not made.elf.sections[symbol.section].flags & objects.EXECINSTR:
                raise OSError(f"{made.name}: {full} is no code")
            found.append((name, self._address(made, symbol), self._signature(memory, name)))
        return found

    def functions(self) -> list[tuple[int, int, str]]:
        """(address, size, name) of all functions."""
        return [
            (self.base + made.offsets[symbol.section] + symbol.value, symbol.size, symbol.name)
            for made in self.objects
            for symbol in made.symbols
            if symbol.type == objects.FUNC and symbol.section in made.offsets
        ]

    def _signature(self, memory: bytearray, name: str) -> str | None:
        if f"__jfsig_{name}" not in self.defined:
            return None
        made, symbol = self.defined[f"__jfsig_{name}"]
        start = made.offsets.get(symbol.section)
        end = (
            -1
            if start is None
            else memory.find(b"\0", start + symbol.value, start + made.elf.sections[symbol.section].size)
        )
        if start is None or end < 0:
            raise OSError(f"{made.name}: __jfsig_{name} is no text")
        try:
            return memory[start + symbol.value : end].decode()
        except UnicodeDecodeError:
            raise OSError(f"{made.name}: __jfsig_{name} is no text") from None


def _aligned(at: int, alignment: int) -> int:
    return (at + alignment - 1) // alignment * alignment


def _key(number: int, index: int, symbol: Symbol) -> tuple[int, int | str]:
    return (number, index) if symbol.binding == objects.LOCAL else (-1, symbol.name)


def _check_sections(made: _Object) -> None:
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
        if section.size > _MOST:
            raise ObjectError(f"is damaged: section {section.name} has {section.size} bytes")
