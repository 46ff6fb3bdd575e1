"""Variables of C: the type of what stands at a symbol, and the texts that say so.

i32    const f64    cstr    ptr[struct FILE]    i64[2]    const i8[]    geo.Point    func[(i32) -> void]
"""

from __future__ import annotations

import re
from typing import NamedTuple

from jitffi.base.errors import SignatureError
from jitffi.signature.model import Type
from jitffi.signature.text import parse_type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

_TEXT = re.compile(r"\s*(?P<const>const\b)?\s*(?P<type>.*?)\s*(?P<dims>\[[\d\s,*]*\])?\s*", re.S)


class Variable(NamedTuple):
    """What stands at a symbol."""

    type: Type
    #: Lengths of an array's dimensions; the first may be -1, which is not known.
    dims: tuple[int, ...] = ()
    const: bool = False
    #: The enum that it is of, by its class's name; "": none.
    enum: str = ""

    def __str__(self) -> str:
        lengths = ", ".join(["*" if n < 0 else str(n) for n in self.dims])
        return f"{'const ' * self.const}{self.type.text}{f'[{lengths}]' * bool(self.dims)}"

    @property
    def pointer(self) -> Type:
        """The type of a pointer to it, or to the first item."""
        return Type("ptr", (self.type, self.const))


def parse(text: str, scope: Mapping[str, Type] | None = None) -> Variable:
    """Read the text of a variable's type. SignatureError for a bad one.

    >>> str(parse("const  i8[]")), parse("i32[2, 3]").dims
    ('const i8[*]', (2, 3))
    """
    found = _TEXT.fullmatch(text)
    assert found is not None
    dims = found["dims"]
    lengths = [part.strip() for part in dims[1:-1].split(",")] if dims else []
    for i, each in enumerate(lengths):
        if not each.isdigit() and (i or each not in ("", "*")):
            raise SignatureError("expected the length of a dimension", text, found.start("dims"), len(dims))
    made = of(parse_type(found["type"], scope), tuple([int(n) if n.isdigit() else -1 for n in lengths]))
    return made._replace(const=bool(found["const"]))


def of(type_: Type, dims: tuple[int, ...] = ()) -> Variable:
    """The variable of a type. SignatureError where none has it."""
    bare = type_.inner if type_.is_optional else type_
    if bare.text == "ptr[const void]":
        bare = Type("ptr")
    made = Variable(bare, dims)
    try:
        if bare.name == "void":
            raise ValueError("void has no values")
        assert made.pointer
    except ValueError as error:
        raise SignatureError(f"a variable has no type {type_.text}: {error}") from None
    return made
