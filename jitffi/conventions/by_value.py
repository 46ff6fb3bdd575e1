"""How each target's C passes structs and unions by value: in which registers the parts of one are, or where its copy.

    struct { double x; int n; }    x86-64: double, i64     AArch64: [2 x i64]     Windows: the address of a copy

A value is moved in *pieces*: an LLVM type and the offset in the struct of the bytes that it has. A piece may be wider
than what is left of the struct, so pieces are read from and written to memory of `Passing.room` bytes. What a struct
takes may depend on the registers that the parameters before it have left, so all of a signature are asked for at once.
The rules of each target are in by_value_rules.
"""

from __future__ import annotations

from typing import NamedTuple

from jitffi.signature import numbers
from jitffi.signature.fields import Layout

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

#: How a struct goes: in pieces, each a parameter (DIRECT); on the stack (STACK, LLVM's byval); by the address of a copy
#: that the caller makes (COPY), of memory that the caller has for a result (SRET); not at all (NOTHING).
DIRECT, STACK, COPY, SRET, NOTHING = "direct", "stack", "copy", "sret", "nothing"


class Piece(NamedTuple):
    type: str
    offset: int
    size: int


class Passing(NamedTuple):
    kind: str
    pieces: tuple[Piece, ...] = ()
    align: int = 0

    @property
    def room(self) -> int:
        """Bytes that the pieces cover."""
        return max([piece.offset + piece.size for piece in self.pieces], default=0)


class Scalar(NamedTuple):
    """A number or pointer in a struct, or as a parameter itself; of a bit-field the bytes that have its bits."""

    offset: int
    type: str
    size: int
    align: int
    is_bits: bool = False


#: LLVM's types of what goes in floating-point registers.
FLOATS = dict(zip(numbers.FLOATS, ("half", "bfloat", "float", "double"), strict=True))


def scalars(layout: Layout, extent: Callable[[str], tuple[int, int]], base: int = 0) -> Iterator[Scalar]:
    """Everything that is in a struct, members of unions one over the other; *extent*: size and alignment of a number.
    Bit-fields without a name are padding."""
    for placed in layout.members:
        member = placed.member
        at = base + placed.offset
        if member.bits is not None:
            if member.name is not None:
                size = (placed.bit + member.bits + 7) // 8
                yield Scalar(at, str(member.type), size, 1, True)
            continue
        count = 1
        for length in member.dims:
            count *= max(length, 0)
        if isinstance(member.type, Layout):
            for i in range(count):
                yield from scalars(member.type, extent, at + i * member.type.size)
            continue
        size, align = extent(member.type)
        type_ = "f64" if (member.type, size) == ("longdouble", 8) else member.type
        is_complex = member.type in ("c64", "c128")
        for i in range(count * (1 + is_complex)):
            part = {"c64": "f32", "c128": "f64"}.get(type_, type_)
            yield Scalar(at + i * size // (1 + is_complex), part, size // (1 + is_complex), align)


def words(layout: Layout, size: int, type_: str = "") -> tuple[Piece, ...]:
    """The struct in integers of *size* bytes; several are one LLVM array, which stays together."""
    count = -(-layout.size // size)
    name = type_ or f"i{8 * size}"
    return (Piece(name if count == 1 else f"[{count} x {name}]", 0, count * size),)


def homogeneous(layout: Layout, found: Sequence[Scalar], most: int) -> Piece | None:
    """The struct as one array of up to *most* of the same floating-point type that fill it; None where it is not so."""
    types = {each.type for each in found}
    if len(types) != 1 or _has_bits(layout):
        return None
    element = next(iter(types))
    size = found[0].size
    count, rest = divmod(layout.size, size)
    places = {each.offset for each in found}
    if element not in FLOATS and element != "longdouble" or rest or not 1 <= count <= most or len(places) != count:
        return None
    name = FLOATS.get(element, "double" if size == 8 else "fp128")
    return Piece(f"[{count} x {name}]", 0, layout.size)


def _has_bits(layout: Layout) -> bool:
    """Whether a bit-field is in it: to C, unlike C++, one without a name or bits is a member like any other."""
    members = [placed.member for placed in layout.members]
    return any(m.bits is not None or isinstance(m.type, Layout) and _has_bits(m.type) for m in members)


class ByValue:
    """The rules of one target. `argument` is asked in the order of the parameters, and counts registers."""

    def __init__(self, extent: Callable[[str], tuple[int, int]]) -> None:
        self.extent = extent

    def begin_variadic(self) -> None:
        """Called before anything else of a variadic function."""

    def begin_variable(self) -> None:
        """What follows stands behind `...`."""

    def scalar(self, type_: str) -> None:
        """A parameter that is no struct takes its registers."""

    def argument(self, layout: Layout) -> Passing:
        raise NotImplementedError

    def result(self, layout: Layout) -> Passing:
        raise NotImplementedError

    def complex_argument(self, layout: Layout) -> Passing:
        """Of a complex number, which is alone in *layout*."""
        return self.argument(layout)

    def complex_result(self, layout: Layout) -> Passing:
        return self.result(layout)

    def _scalars(self, layout: Layout) -> list[Scalar]:
        return list(scalars(layout, self.extent))
