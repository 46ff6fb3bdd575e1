"""What holds of a whole program: which places make Python's own containers, whether objects of Python's are about."""

from __future__ import annotations

from jitffi.scripts.tree.types import BOOL, NEVER, OWN_KINDS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from jitffi.scripts.tree.types import Type

#: A place of a variant that makes containers.
Place = tuple["Any", ...]
#: Kinds of values that no objects of Python's can be, or be in.
_EXACT: Final = frozenset(("none", "bool", "int", "u64", "float", "char", "str", "bytes"))


class Places:
    """The places whose containers are Python's own, of all variants of a program."""

    def __init__(self, allowed: bool, holds: bool = True, ints_grow: bool = False) -> None:
        #: Ints that loops multiply are Python's when they need more than 64 bits.
        self.ints_grow: Final = ints_grow
        #: False where there is no interpreter, or no lock: nothing is Python's own.
        self.allowed: Final = allowed
        #: So is what holds objects of Python's; not where results are to be ours.
        self.holds: Final = allowed and holds
        self.own: set[Place] = set()
        #: Python gets what can be anything, and so what is not followed.
        self.gives_any = False
        #: A value of any type may be an object of Python's, and of a class derived from str, say.
        self.has_objects = False
        #: What `isinstance` says of a value of any type is taken for its very class.
        self.narrows = False
        #: What is put where containers in containers of fields may be, and whether that matters (nested_containers.py).
        self.put: set[tuple[str, str]] = set()
        self.put_matters = False
        #: Whether there are more of them than what is known so far was found with.
        self.grew = False

    def add(self, places: frozenset[Place]) -> None:
        if self.allowed and not places <= self.own:
            self.own |= places
            self.grew = True

    def add_any(self) -> None:
        if self.allowed and not self.gives_any:
            self.gives_any = self.grew = True

    def add_outer(self, type_: Type) -> None:
        """A value of that type comes from outside."""
        if self.allowed and not self.has_objects and type_.kind not in _EXACT:
            self.has_objects = True
            self.grew |= self.narrows

    def is_exact(self, narrowed: Type) -> bool:
        """Whether what could be anything, and `isinstance` says to be of that class, is of none that is derived from
        it, and not Python's."""
        if not self.allowed or narrowed in (BOOL, NEVER):
            return True
        if narrowed.kind in OWN_KINDS or self.has_objects:
            return False
        self.narrows = True
        return True
