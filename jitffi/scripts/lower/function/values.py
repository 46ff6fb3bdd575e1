"""Values of the code that is being generated: their type, where they are, and who keeps what they borrow.

    INT, U64 v: i64   FLOAT v: double   BOOL v: i1   CHAR v: i32   NONE nothing
    STR, BYTES    data: ptr, size: i64 (characters), wide: i1 (constant false of BYTES); v, if set: its jf_text
    LIST, DICT, TUPLE, FUNC, VECTOR, ARRAY   v: ptr, the object
    OBJECT        v: ptr, an object of Python's, which Python counts
    ANY           v: ptr, the slot, of any pad
    STRUCT, ELEMENTS  v: ptr, the bytes, which are there as long as the call

Keep says until when a value that borrows is good:

    outlives it is good for the whole call: literals, parameters that nothing assigns to
    local    until a variable is stored to (so to the end of the expressions of this statement). `place` is the
             variable's slot or cell; of text `object` (if known) the heap string that it lies in
    owned    `place`, a temporary slot or cell of this statement, owns it: storing it somewhere moves it
    volatile borrowed from a container: only until anything else runs. `Storage.materialise` makes it last. Of text
             `object` is the heap string that it lies in, or NULL for text in a slot

A text whose place is null turns out to outlive the call when the code runs: a variable that was given a part of a
parameter. Scalars and NONE borrow nothing: they outlive the call.
"""

from __future__ import annotations

from jitffi.scripts.lower.function.emit import FALSE, V
from jitffi.scripts.tree.types import BOOL, BYTES, CHAR, FLOAT, INT, NONE, STR, U64, Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.tree import tree


class Keep:
    """Who keeps what a value borrows."""

    __slots__ = ("kind", "object", "place")

    def __init__(self, kind: str, place: V | None = None, object_: V | None = None) -> None:
        self.kind: Final = kind
        self.place: Final = place
        self.object: Final = object_

    def __repr__(self) -> str:
        return f"{self.kind} {self.place or ''}".strip()


OUTLIVES: Final = Keep("outlives")


#: Of an object whose reference the value brings along: whoever puts it somewhere does not count it again.
TRANSFERRED: Final = Keep("transferred")


def local(place: V | None, object_: V | None = None) -> Keep:
    return Keep("local", place, object_)


def owned(place: V) -> Keep:
    return Keep("owned", place)


def volatile(object_: V | None = None) -> Keep:
    return Keep("volatile", None, object_)


#: Kinds whose values are registers: no owner, no release.
SCALARS = frozenset(("int", "u64", "float", "bool", "char", "none", "never", "struct", "elements", "member", "match"))
TEXTS = frozenset(("str", "bytes"))
#: Kinds whose values are the address of an object.
OBJECTS = frozenset(("list", "set", "dict", "tuple", "func", "vector", "array"))
#: The same, and those of Python: a cell or a reference owns each.
COUNTED = OBJECTS | {"object"}

#: The LLVM type of what a value of a scalar kind is in.
MACHINE = {
    "int": "i64",
    "u64": "i64",
    "float": "double",
    "bool": "i1",
    "char": "i32",
    "struct": "ptr",
    "elements": "ptr",
    "match": "ptr",
}


class Value:
    """One value, in the block that is being written."""

    __slots__ = ("const", "data", "given", "keep", "origin", "parts", "size", "type", "v", "wide")

    def __init__(
        self,
        type_: Type,
        v: V | None = None,
        keep: Keep = OUTLIVES,
        *,
        data: V | None = None,
        size: V | None = None,
        wide: V | None = None,
        const: object = ...,
        parts: list[Value] | None = None,
    ) -> None:
        if type_.kind in TEXTS:
            assert data and size and wide and (size.type, wide.type) == ("i64", "i1"), (type_, data, size, wide)
        elif type_.kind in MACHINE:
            assert v and v.type == MACHINE[type_.kind], (type_, v)
        elif type_.kind in COUNTED or type_.kind == "any":
            assert (v and v.type == "ptr") or parts is not None, (type_, v)
        self.type: Final = type_
        self.keep: Final = keep
        self.v = v
        if data is not None and size is not None and wide is not None:
            self.data, self.size, self.wide = data, size, wide
        #: The Python constant that it is, or ... : lets a caller choose at compile time (`s == ""`, `x ** 2`).
        self.const: Final = const
        #: Of a TUPLE that is not made: what would be in it. Only maps.py and lists.append know what to do with one.
        self.parts: Final = parts
        #: Of STR: the str of Python's, which outlives the call, that it is all of; NULL at run time where it is not.
        self.origin: V | None = None
        #: Of STR and BYTES: the same of arguments, for who hands them on.
        self.given: V | None = None

    v: V | None
    # Of STR and BYTES only.
    data: V
    size: V
    wide: V

    @property
    def ssa(self) -> V:
        """v, which is there."""
        assert self.v is not None, self
        return self.v

    @property
    def kind(self) -> str:
        return self.type.kind

    def __repr__(self) -> str:
        return f"<{self.type} {self.v or ''} {self.keep}>"


def int_(v: V) -> Value:
    return Value(INT, v)


def u64(v: V) -> Value:
    return Value(U64, v)


def float_(v: V) -> Value:
    return Value(FLOAT, v)


def bool_(v: V) -> Value:
    return Value(BOOL, v)


def char(v: V) -> Value:
    return Value(CHAR, v)


def str_(data: V, size: V, wide: V, keep: Keep) -> Value:
    return Value(STR, None, keep, data=data, size=size, wide=wide)


def bytes_(data: V, size: V, keep: Keep) -> Value:
    return Value(BYTES, None, keep, data=data, size=size, wide=FALSE)


def text(type_: Type, data: V, size: V, wide: V, keep: Keep) -> Value:
    """STR or BYTES, where the caller serves both."""
    return Value(type_, None, keep, data=data, size=size, wide=wide)


NONE_VALUE: Final = Value(NONE, const=None)


class Pads:
    """n of the slots of one script, AnyPad<n>: `pad=` of jitffi.script, an int or {variable: n, "*": n, "[]": n}."""

    def __init__(self, given: int | dict[str, int] | None = None) -> None:
        table = {"*": given, "[]": given} if isinstance(given, int) else dict(given or {})
        self._table: Final = table
        #: Of local variables that are not named.
        self.local: Final = table.get("*", 0)

    @property
    def pool(self) -> int:
        """Of the pools of lists and maps that it makes."""
        return self._table.get("[]", 1)

    def of(self, variable: tree.Variable, receives: bool = False) -> int:
        """*receives*: what lies in containers, as the target of a loop; it is as large as their slots."""
        otherwise = max(self.local, self._table.get("[]", 1)) if receives else self.local
        return self._table.get(variable.name.partition(".")[0], otherwise)

    @property
    def largest(self) -> int:
        """Of temporaries, so that what will be stored, in a variable or a container, need not be on the heap first."""
        return max(self._table.values(), default=0)


def borrowed(value: Value) -> Value:
    """The same, for whoever may not move it."""
    if value.keep.kind != "owned":
        return value
    keep = local(value.keep.place)
    if value.kind in TEXTS:
        return Value(value.type, value.v, keep, data=value.data, size=value.size, wide=value.wide)
    return Value(value.type, value.v, keep)
