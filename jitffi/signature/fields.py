"""Where C puts the members of a struct or union: offsets, bits, size and alignment, by the rules of each target.

    struct { u8 kind; u32 id: 12; f64 x; }     kind at 0, id in the bits 8 to 19, x at 8; size 16, alignment 8

A member is a number, a pointer, another struct or union, or an array of these; the last one of a struct may be an array
without a length, which takes no room. Sources: System V psABI 3.1.2 (x86-64) and its supplement for i386, AAPCS32 and
AAPCS64 section 8 (bit-fields), RISC-V psABI 2.1; for Windows what its compilers do. The tests compare it with clang.
"""

from __future__ import annotations

from typing import NamedTuple

from jitffi.signature.numbers import SIZES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from jitffi.signature.datamodel import DataModel


class Member(NamedTuple):
    """A member as it is declared. *type*: the name of a number, "pointer", or the layout of a struct or union."""

    name: str | None
    type: str | Layout
    #: Lengths of an array's dimensions; the outermost may be -1, which is a flexible end.
    dims: tuple[int, ...] = ()
    #: Bits of a bit-field, 0 of one that ends its unit; None: it is none.
    bits: int | None = None
    #: The least alignment that is asked for; 0: the type's.
    align: int = 0


class Placed(NamedTuple):
    """A member in its place."""

    member: Member
    #: Bytes from the start of the struct to the first byte that has any of it.
    offset: int
    #: The first of its bits, from the least significant of the byte at *offset* on a little-endian machine; of
    #: bit-fields alone.
    bit: int = 0


class Layout(NamedTuple):
    """A struct or union in bytes."""

    size: int
    align: int
    members: tuple[Placed, ...]
    is_union: bool = False
    #: What was asked for by `align`, here or of a member: Microsoft's compilers take no less where they pack.
    least_align: int = 1
    #: That of the members alone, without what `align` asks of the whole.
    natural_align: int = 1


def number(name: str, machine: DataModel) -> tuple[int, int]:
    """Return the size and the alignment of a number, or of a pointer by the name "pointer"."""
    if name == "pointer":
        return machine.pointer_bits // 8, machine.pointer_bits // 8
    if name == "longdouble":
        return machine.long_double
    size = SIZES[name]
    align = size // 2 if name in ("c64", "c128") else size
    return size, min(align, machine.wide_align) if align == 8 else align


def extent(member: Member, machine: DataModel) -> tuple[int, int]:
    """Return the size and the alignment of what a member is declared as, without `align` and bits."""
    size, align = (member.type[:2]) if isinstance(member.type, Layout) else number(member.type, machine)
    for length in member.dims:
        size *= max(length, 0)
    return size, align


def place(
    members: Sequence[Member], machine: DataModel, *, is_union: bool = False, pack: int = 0, align: int = 0
) -> Layout:
    """Lay members out as C does.

    *pack* is the greatest alignment that a member has, as by `#pragma pack`; 0: its own. *align* is the least of the
    whole. ValueError for a bit-field wider than its type, and a flexible end that is no end.

    >>> from jitffi.signature.datamodel import HOST
    >>> made = place([Member("kind", "u8"), Member("id", "u32", bits=12), Member("x", "f64")], HOST)
    >>> made.size, [(placed.offset, placed.bit) for placed in made.members]
    (16, [(0, 0), (1, 0), (8, 0)])
    """
    builder = _Microsoft if machine.is_windows else _Builder
    return builder(machine, is_union, pack).placed(members, align)


class _Builder:
    """One struct while its members are placed, in bits; bit-fields as System V and the AAPCS have them."""

    def __init__(self, machine: DataModel, is_union: bool, pack: int) -> None:
        self._machine = machine
        self._is_union = is_union
        self._pack = pack
        self._next = 0
        self._end = 0
        self._align = 1
        self._members: list[Placed] = []

    def placed(self, members: Sequence[Member], align: int) -> Layout:
        for at, member in enumerate(members):
            if -1 in member.dims and (at + 1 < len(members) or self._is_union or member.dims.index(-1)):
                raise ValueError(f"{member.name}: only the last member of a struct has no length")
            if self._is_union:
                self._next = 0
            if member.bits is None:
                self._plain(member)
            else:
                self._check(member, member.bits)
                self._bit_field(member, member.bits)
            self._end = max(self._end, self._next)
        whole = max(self._align, align)
        size = _up(self._end, 8 * whole) // 8
        least = [align, *[max(member.align, _least(member)) for member in members]]
        return Layout(size, whole, tuple(self._members), self._is_union, max(least), self._align)

    def _check(self, member: Member, bits: int) -> None:
        size = 1 if member.type == "bool" else 8 * extent(member, self._machine)[0]
        if not 0 <= bits <= size or member.dims or isinstance(member.type, Layout):
            raise ValueError(f"{member.name}: {bits} bits of {member.type} are no bit-field")

    def _plain(self, member: Member) -> None:
        size, align = extent(member, self._machine)
        align = self._aligned(member, align)
        start = _up(self._next, 8 * align)
        self._members.append(Placed(member, start // 8))
        self._next = start + 8 * size
        self._align = max(self._align, align)

    def _aligned(self, member: Member, align: int) -> int:
        """The alignment that a member has here; what is asked for it counts in what is packed, too."""
        return max(min(align, self._pack) if self._pack else align, member.align)

    def _bit_field(self, member: Member, bits: int) -> None:
        """It lies where the one before ends, unless it would then touch two units of its type."""
        size, align = extent(member, self._machine)
        align = self._aligned(member, align) if bits else max(align, member.align)
        unit = 8 * size
        crosses = not self._pack and self._next % (8 * align) + bits > unit
        start = _up(self._next, 8 * align) if not bits or crosses or member.align else self._next
        self._next = start + bits
        self._members.append(Placed(member, start // 8, start % 8))
        if member.name is not None or self._machine.unnamed_bits_align:
            self._align = max(self._align, align)


class _Microsoft(_Builder):
    """Bit-fields as Microsoft's compilers have them: in units of their type, shared with others of its size."""

    def __init__(self, machine: DataModel, is_union: bool, pack: int) -> None:
        super().__init__(machine, is_union, pack)
        self._unit = 0
        self._left = 0

    def placed(self, members: Sequence[Member], align: int) -> Layout:
        made = super().placed(members, align)
        return made if made.size else made._replace(size=max(4, made.align))

    def _aligned(self, member: Member, align: int) -> int:
        return max(super()._aligned(member, align), _least(member))

    def _plain(self, member: Member) -> None:
        self._unit = self._left = 0
        super()._plain(member)

    def _bit_field(self, member: Member, bits: int) -> None:
        size, align = extent(member, self._machine)
        if not bits and not self._unit:
            return  # it ends what nothing has begun
        align = self._aligned(member, align)
        if self._is_union or 8 * size != self._unit or bits > self._left or not bits:
            start = _up(self._next, 8 * align)
            self._left = 8 * size
            self._next = start + 8 * size * bool(bits or self._is_union)
        else:
            start = self._next - self._left
        self._unit = 8 * size if bits else 0
        self._left -= bits
        self._members.append(Placed(member, start // 8, start % 8))
        if not self._is_union:  # where bit-fields do not align
            self._align = max(self._align, align)


def _least(member: Member) -> int:
    return member.type.least_align if isinstance(member.type, Layout) else 1


def _up(bits: int, to: int) -> int:
    return -(-bits // to) * to
