"""One link in memory: where everything goes, what it refers to, and what is written where it refers to something.

`image` has what comes before and after: the files, the mapping, and the start of what is in it. It is longer than
most files, since each step fills in what the next one reads.
"""

from __future__ import annotations

import os

from jitffi import _core
from jitffi.base.symbol_names import ABI_VERSION, PACKED_PREFIX, SIGNATURE_PREFIX
from jitffi.link import objects
from jitffi.link.frames import check_frames, check_ranges
from jitffi.link.inputs import MOST, Input, Inputs
from jitffi.link.objects import ObjectError, Relocation, Symbol
from jitffi.link.relocations import MACHINES, Machine, OutOfReach

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.link.image import Libraries

PAGE = 65536 if os.uname().machine == "aarch64" else 4096
#: Functions that each library has for itself, from a static part of the C library, since they tell who calls: what they
#: lead to, and whether the library's handle is its fourth argument there, or its third after a zero.
_OWN = {"atexit": ("__cxa_atexit", 0), "pthread_atfork": ("__register_atfork", 1)}


class Linker:
    """One link, step by step: `add` each object, `resolve`, `lay_out`, `relocate`."""

    def __init__(self, host: int) -> None:
        self.host = host
        self.inputs = Inputs(host)
        self.objects, self.defined = self.inputs.objects, self.inputs.defined
        self.commons, self.rows = self.inputs.commons, self.inputs.rows
        self.externals: dict[str, int] = {}  # addresses by name
        self.common_offsets: dict[str, int] = {}
        self.entries: dict[tuple[int, int | str], int] = {}  # of the GOT, by symbol
        self.stubs: dict[str, int] = {}  # offsets by name
        self.base = self.got = 0
        self.text_end = self.constants_end = 0
        self.frames = -1

    @property
    def machine(self) -> Machine:
        return MACHINES[self.host]

    def add(self, name: str, data: bytes) -> None:
        """One object file more. ObjectError where it cannot be linked."""
        self.inputs.add(name, data)

    # -- symbols -----------------------------------------------------------------------------------------------

    def resolve(self, libraries: Libraries) -> None:
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

    def has_function(self, name: str) -> bool:
        """Whether one of the objects defines a C function of that name."""
        made, symbol = self.defined.get(name, (None, None))
        if made is None or symbol is None or symbol.type not in (objects.FUNC, objects.NOTYPE):
            return False
        return bool(symbol.section > 0 and made.elf.sections[symbol.section].flags & objects.EXECINSTR)

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
        names = [name.encode("utf-8", "backslashreplace").decode() for name in sorted(missing)]
        shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
        first = missing[min(missing)]
        raise OSError(f"{first}: undefined: {shown}; link=... names the shared libraries to look into")

    def _check_abi(self, made: Input) -> None:
        for symbol in made.symbols:
            if symbol.name == ABI_VERSION and symbol.section > 0:
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
        if at > MOST:
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
                made.frames_end[i], made.frames_dead[i] = length, dead
                at += length
                alive += count
        if alive:
            self.frames = start
        return at + 4

    def _is_dropped(self, made: Input, each: Relocation) -> bool:
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
            self._check_frames(memory, made)
        return (
            memory,
            self._addresses(memory, ".init_array", ".ctors"),
            self._addresses(memory, ".fini_array", ".dtors"),
        )

    def _check_frames(self, memory: bytearray, made: Input) -> None:
        """They are of the code that is here, and no relocation has changed more than addresses in them."""
        for i, length in made.frames_end.items():
            start = made.offsets[i]
            content = bytes(memory[start : start + length])
            try:
                changed = check_frames(content, set())[0] != length
                if not changed:
                    code = range(self.base, self.base + self.text_end)
                    check_ranges(content, self.base + start, code, made.frames_dead[i])
            except ObjectError as error:
                raise OSError(f"{made.name}: {error}") from None
            if changed:
                raise OSError(f"{made.name}: is damaged: a relocation changes the descriptions of frames")

    def _write_stubs(self, memory: bytearray) -> None:
        for name, at in self.stubs.items():
            _, fourth = _OWN.get(name, ("", 0))
            code = self.machine.stub(self.externals[name], self.base if name in _OWN else None, fourth)
            memory[at : at + len(code)] = code

    def _write_section(
        self, memory: bytearray, number: int, made: Input, index: int, found: list[Relocation]
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

    def _value(self, form: str, memory: bytearray, number: int, made: Input, each: Relocation, place: int) -> int:
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

    def _address(self, made: Input, symbol: Symbol) -> int:
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
                priority = int(number) if number.isascii() and number.isdigit() and len(number) < 10 else 65536
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
            name = full.removeprefix(PACKED_PREFIX)
            if name == full or not name or symbol.visibility in (objects.INTERNAL, objects.HIDDEN):
                continue
            if symbol.type == objects.OBJECT or symbol.section <= 0:
                continue
            if any("\udc80" <= char <= "\udcff" for char in name):
                raise OSError(f"{made.name}: is damaged: the name of a function is no UTF-8: {name!a}")
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
        full = SIGNATURE_PREFIX + name
        if full not in self.defined:
            return None
        made, symbol = self.defined[full]
        start = made.offsets.get(symbol.section)
        end = (
            -1
            if start is None
            else memory.find(b"\0", start + symbol.value, start + made.elf.sections[symbol.section].size)
        )
        if start is None or end < 0:
            raise OSError(f"{made.name}: {full} is no text")
        try:
            return memory[start + symbol.value : end].decode()
        except UnicodeDecodeError:
            raise OSError(f"{made.name}: {full} is no text") from None


def _aligned(at: int, alignment: int) -> int:
    return (at + alignment - 1) // alignment * alignment


def _key(number: int, index: int, symbol: Symbol) -> tuple[int, int | str]:
    return (number, index) if symbol.binding == objects.LOCAL else (-1, symbol.name)
