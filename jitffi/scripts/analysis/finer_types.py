"""Types finer than those of the tree: inference alone knows them; for who does not ask they are the coarser ones."""

from __future__ import annotations

from jitffi.scripts.tree.types import ANY, NEVER, Type, join

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final


_SCALARS = frozenset(("int", "u64", "float", "bool", "char", "str", "bytes", "func"))


class Maybe(Type):
    """None or a value of one other type, which is what is left where it is found not to be None. A value of type ANY
    for everybody who does not ask."""

    __slots__ = ("inner",)

    def __init__(self, inner: Type) -> None:
        super().__init__("any")
        self.inner: Final = inner


class Signed(Type):
    """INT, for everybody who does not ask; `SIGNED`."""

    def __init__(self) -> None:
        super().__init__("int")


#: An int where a negative number is written: it does not become a U64 where it meets one.
SIGNED: Final = Signed()


def join_types(a: Type, b: Type) -> Type:
    is_maybe = isinstance(a, Maybe) or isinstance(b, Maybe)
    if a == b and not is_maybe:
        return b if isinstance(b, Signed) else a
    if "u64" in (a.kind, b.kind) and (isinstance(a, Signed) or isinstance(b, Signed)):
        return ANY
    if not is_maybe and ("object" in (a.kind, b.kind) or {a.kind, b.kind} == {"match", "none"}):
        joined = join(a, b)
        return a if joined == a else joined
    if is_maybe or "none" in (a.kind, b.kind):
        inner = join(without_none(a), without_none(b))
        if inner.kind in _SCALARS:
            return a if isinstance(a, Maybe) and a.inner == inner else Maybe(inner)
        return a if a.kind == "any" and not isinstance(a, Maybe) else ANY
    return join(a, b)


def without_none(type_: Type) -> Type:
    if isinstance(type_, Maybe):
        return type_.inner
    return NEVER if type_.kind == "none" else type_
