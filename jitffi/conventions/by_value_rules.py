"""The rules by which each ABI passes structs by value; `RULES` has them by the names of ir/cabi.py.

Sources: System V psABI 3.2.3 (x86-64), AAPCS64 6.8.2, AAPCS32 6.4 and 7.1 (VFP), RISC-V psABI 2.1 and 2.2, Microsoft's
"x64 calling convention", the WebAssembly tool conventions, OpenPOWER ELFv2 2.2.3.2. The tests compare all with clang.
"""

from __future__ import annotations

from jitffi.conventions.by_value import (
    COPY,
    DIRECT,
    FLOATS,
    NOTHING,
    SRET,
    STACK,
    ByValue,
    Passing,
    Piece,
    Scalar,
    homogeneous,
    scalars,
    words,
)
from jitffi.signature.fields import Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable


class SystemV(ByValue):
    """x86-64: each eight bytes in a general or a vector register, all of a struct or nothing; else on the stack."""

    _NONE, _SSE, _INTEGER, _X87, _MEMORY = range(5)

    def __init__(self, extent: Callable[[str], tuple[int, int]]) -> None:
        super().__init__(extent)
        self._general, self._vector = 6, 8

    def scalar(self, type_: str) -> None:
        if type_ in FLOATS:
            self._vector -= 1
        elif type_ in ("c64", "c128"):
            self._vector -= 1 + (type_ == "c128")
        elif type_ in ("i128", "u128"):
            self._general -= 2 * (self._general >= 2)
        elif type_ != "longdouble":
            self._general -= 1

    def _classes(self, layout: Layout) -> list[int]:
        """The class of each eight bytes; [MEMORY] for the whole."""
        if layout.size > 16:
            return [self._MEMORY]
        classes = [self._NONE] * -(-layout.size // 8)
        for each in self._scalars(layout):
            if each.type == "longdouble":
                classes = [max(self._X87, c) if c in (self._NONE, self._X87) else self._MEMORY for c in classes]
                continue
            if not each.is_bits and each.offset % each.align:
                return [self._MEMORY]
            kind = self._SSE if each.type in FLOATS else self._INTEGER
            for at in range(each.offset // 8, (each.offset + each.size + 7) // 8):
                classes[at] = self._MEMORY if classes[at] == self._X87 else max(classes[at], kind)
        return [self._MEMORY] if self._MEMORY in classes else classes

    def _pieces(self, classes: list[int]) -> tuple[Piece, ...]:
        types = {self._SSE: "double", self._INTEGER: "i64"}
        return tuple([Piece(types[kind], 8 * at, 8) for at, kind in enumerate(classes) if kind != self._NONE])

    def argument(self, layout: Layout) -> Passing:
        classes = self._classes(layout)
        general, vector = classes.count(self._INTEGER), classes.count(self._SSE)
        if not general and not vector and self._MEMORY not in classes and self._X87 not in classes:
            return Passing(NOTHING)
        stays = self._MEMORY in classes or self._X87 in classes
        if stays or general > max(self._general, 0) or vector > max(self._vector, 0):
            if self._general <= 0 and layout.size <= 8 and layout.align <= 8 and not stays:
                return Passing(DIRECT, words(layout, 8))  # which is on the stack, too
            return Passing(STACK, align=max(8, layout.align))
        self._general -= general
        self._vector -= vector
        return Passing(DIRECT, self._pieces(classes))

    def result(self, layout: Layout) -> Passing:
        classes = self._classes(layout)
        if self._MEMORY in classes:
            self._general -= 1
            return Passing(SRET)
        if self._X87 in classes:
            return Passing(DIRECT, (Piece("x86_fp80", 0, 16),))
        pieces = self._pieces(classes)
        return Passing(DIRECT if pieces else NOTHING, pieces)


class Windows64(ByValue):
    """What is as wide as an integer is one; all else goes by address."""

    def argument(self, layout: Layout) -> Passing:
        if layout.size in (1, 2, 4, 8):
            return Passing(DIRECT, words(layout, layout.size))
        return Passing(COPY)

    def result(self, layout: Layout) -> Passing:
        made = self.argument(layout)
        return made if made.kind == DIRECT else Passing(SRET)


class AArch64(ByValue):
    """Up to four floating-point numbers of one type in vector registers; else up to sixteen bytes in general ones."""

    def argument(self, layout: Layout) -> Passing:
        array = homogeneous(layout, self._scalars(layout), 4)
        if array:
            return Passing(DIRECT, (array,))
        if layout.size > 16:
            return Passing(COPY)
        if not layout.size:
            return Passing(NOTHING)
        return Passing(DIRECT, words(layout, 16 if self._align(layout) >= 16 else 8))

    def _align(self, layout: Layout) -> int:
        return layout.natural_align

    def result(self, layout: Layout) -> Passing:
        made = self.argument(layout)
        return Passing(SRET) if made.kind == COPY else made


class Darwin64(AArch64):
    def _align(self, layout: Layout) -> int:
        return layout.align


class I386(ByValue):
    """All on the stack."""

    def argument(self, layout: Layout) -> Passing:
        return Passing(STACK, align=4) if layout.size else Passing(NOTHING)

    def result(self, layout: Layout) -> Passing:
        return Passing(SRET) if layout.size else Passing(NOTHING)

    def complex_result(self, layout: Layout) -> Passing:
        return Passing(DIRECT, words(layout, 8)) if layout.size == 8 else Passing(SRET)


class Arm(ByValue):
    """The hard-float variant: as AArch64, but for words of four bytes, and large ones on the stack. Variadic functions
    are those of the variant without (AAPCS 6.5)."""

    _is_hard = True

    def begin_variadic(self) -> None:
        self._is_hard = False

    def argument(self, layout: Layout) -> Passing:
        array = homogeneous(layout, self._scalars(layout), 4) if self._is_hard else None
        if array:
            return Passing(DIRECT, (array,))
        if not layout.size:
            return Passing(NOTHING)
        align = min(max(layout.natural_align, 4), 8)
        if layout.size > 64:
            return Passing(STACK, align=align)
        return Passing(DIRECT, self._array(layout, align))

    @staticmethod
    def _array(layout: Layout, size: int) -> tuple[Piece, ...]:
        count = -(-layout.size // size)
        return (Piece(f"[{count} x i{8 * size}]", 0, count * size),)

    def result(self, layout: Layout) -> Passing:
        array = homogeneous(layout, self._scalars(layout), 4) if self._is_hard else None
        if array:
            return Passing(DIRECT, (array,))
        if not layout.size:
            return Passing(NOTHING)
        return Passing(DIRECT, (Piece("i32", 0, 4),)) if layout.size <= 4 else Passing(SRET)


class RiscV(ByValue):
    """One or two members with a floating-point number among them; else up to two words; else by address."""

    def __init__(self, extent: Callable[[str], tuple[int, int]], word: int) -> None:
        super().__init__(extent)
        self._word = word
        self._general, self._float = 8, 8

    def begin_variable(self) -> None:
        """All of them go where integers do (psABI 2.1)."""
        self._float = 0

    def scalar(self, type_: str) -> None:
        if type_ in FLOATS and self._float > 0:
            self._float -= 1
            return
        size, align = self.extent(type_)
        if type_ in ("c64", "c128") and self._float >= 2:
            self._float -= 2
        elif size > 2 * self._word or type_ in ("c64", "c128") and size > 2 * self._word:
            self._general -= 1
        else:
            self._general -= -(-size // self._word)

    def _members(self, layout: Layout) -> tuple[Piece, ...] | None:
        """Each member in a register of its own; None where no floating-point register is wanted."""
        found = self._flat(layout)
        if found is None or not 1 <= len(found) <= 2 or not any(each.type in FLOATS for each in found):
            return None
        pieces = []
        for each in found:
            if each.type in FLOATS and each.size <= 8:
                pieces.append(Piece(FLOATS[each.type], each.offset, each.size))
            elif each.type not in ("longdouble", "pointer") and each.size <= self._word:
                pieces.append(Piece(f"i{8 * each.size}", each.offset, each.size))
            else:
                return None
        return tuple(pieces)

    def _flat(self, layout: Layout, base: int = 0) -> list[Scalar] | None:
        """What is in a struct, of bit-fields whole units, but for those of no bits; None where there is a union."""
        if layout.is_union:
            return None
        found: list[Scalar] = []
        for placed in layout.members:
            member = placed.member
            if isinstance(member.type, Layout):
                count = 1
                for length in member.dims:
                    count *= max(length, 0)
                inner = self._flat(member.type) if count and member.type.size else []
                if inner is None:
                    return None
                for i in range(min(count, 3)):
                    start = base + placed.offset + i * member.type.size
                    found += [each._replace(offset=each.offset + start) for each in inner]
            elif member.bits == 0:
                continue
            elif member.bits is not None:
                size, align = self.extent(member.type)
                size = min(size, self._word) if member.bits <= 8 * self._word else size
                found.append(Scalar(base + placed.offset, member.type, size, align, True))
            else:
                found += scalars(Layout(0, 1, (placed,)), self.extent, base)
        return found

    def _passed(self, layout: Layout, general: int, floats: int) -> tuple[Passing, int, int]:
        """How, and how many general and floating-point registers that takes."""
        pieces = self._members(layout)
        if pieces:
            needed = sum(piece.type in FLOATS.values() for piece in pieces)
            if needed <= floats and len(pieces) - needed <= general:
                return Passing(DIRECT, pieces), len(pieces) - needed, needed
        if not layout.size:
            return Passing(NOTHING), 0, 0
        if layout.size > 2 * self._word:
            return Passing(COPY), 1, 0
        wide = layout.size > self._word and layout.align == 2 * self._word
        made = words(layout, (1 + wide) * self._word)
        return Passing(DIRECT, made), -(-layout.size // self._word), 0

    def argument(self, layout: Layout) -> Passing:
        made, general, floats = self._passed(layout, max(self._general, 0), max(self._float, 0))
        self._general -= general
        self._float -= floats
        return made

    def result(self, layout: Layout) -> Passing:
        made = self._passed(layout, 2, 2)[0]
        if made.kind == COPY:
            self._general -= 1
            return Passing(SRET)
        return made


class Wasm(ByValue):
    """What holds one number is that number; all else is in memory."""

    def argument(self, layout: Layout) -> Passing:
        found = self._scalars(layout)
        if not layout.size:
            return Passing(NOTHING)
        if len(found) == 1 and self.extent(found[0].type)[0] == layout.size:
            floats = FLOATS | {"longdouble": "fp128"}
            type_ = floats.get(found[0].type, f"i{8 * layout.size}")
            return Passing(DIRECT, (Piece("ptr" if found[0].type == "pointer" else type_, 0, layout.size),))
        return Passing(STACK, align=layout.align)

    def result(self, layout: Layout) -> Passing:
        made = self.argument(layout)
        return Passing(SRET) if made.kind == STACK else made


class PowerPC(ByValue):
    """ELFv2: up to eight floating-point numbers of one type; else words, eight as an argument and two as a result."""

    def argument(self, layout: Layout) -> Passing:
        array = homogeneous(layout, self._scalars(layout), 8)
        if array:
            return Passing(DIRECT, (array,))
        if not layout.size:
            return Passing(NOTHING)
        if layout.size > 64:
            return Passing(STACK, align=max(8, min(layout.align, 16)))
        return Passing(DIRECT, words(layout, 16 if layout.align >= 16 else 8))

    def result(self, layout: Layout) -> Passing:
        array = homogeneous(layout, self._scalars(layout), 8)
        if array:
            return Passing(DIRECT, (array,))
        if not layout.size:
            return Passing(NOTHING)
        return Passing(DIRECT, words(layout, 8)) if layout.size <= 16 else Passing(SRET)

    def complex_argument(self, layout: Layout) -> Passing:
        """Each part by itself: two of four bytes take two words of the parameters' area."""
        size = layout.size // 2
        return Passing(DIRECT, tuple([Piece({4: "float", 8: "double"}[size], at, size) for at in (0, size)]))

    complex_result = complex_argument


#: The rules of each ABI of ir/cabi.py, by its name.
RULES: dict[str, Callable[[Callable[[str], tuple[int, int]]], ByValue]] = {
    "x86-64": SystemV,
    "x86-64 Windows": Windows64,
    "i386": I386,
    "aarch64": AArch64,
    "arm64 Darwin": Darwin64,
    "arm": Arm,
    "riscv64": lambda extent: RiscV(extent, 8),
    "riscv32": lambda extent: RiscV(extent, 4),
    "wasm32": Wasm,
    "powerpc64le": PowerPC,
}
