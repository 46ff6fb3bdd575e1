"""What goes through graphs by callbacks: which callback a value has, what is in a value, and what says how to go on.

Both `structural_walk` and `structural_map` are made of these. The names and the orders are those of tvm-ffi, in which
ML compilers have such passes.
"""

from __future__ import annotations

import enum
from itertools import repeat
from operator import attrgetter
from types import BuiltinFunctionType

from jitffi import _core
from jitffi._core import Object
from jitffi.api.functions import Function
from jitffi.api.object_fields import DEFINES, DEFINES_ONE, IGNORED
from jitffi.api.object_info import type_info
from jitffi.api.walk import LISTS, MAPS, SETS, TUPLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any


class WalkOrder(enum.IntEnum):
    """When a callback is called: before or after what is in the value."""

    PREORDER = 0
    POSTORDER = 1


class WalkResult(enum.IntEnum):
    """What a callback of structural_walk returns: go on, or pass over what is in the value."""

    ADVANCE = 0
    SKIP = 1


class InplaceMode(enum.IntEnum):
    """Whether a callback of structural_mutate may change the value that it is given."""

    DISALLOW = 0
    ALLOW = 1


class DefRegionKind(enum.IntEnum):
    """Whether variables are bound where a value stands: by a field with ``structural="define"`` all that are in it, by
    one with ``structural="define_one"`` the variable that it holds, but for what is in that.
    """

    NONE = 0
    DEF_PATTERN = 1
    DEF_SIMPLE = 2


class VisitInterrupt:
    """Returned by a callback, it ends a walk, which returns it: *value* is what was found."""

    __slots__ = ("value",)
    #: What was found.
    value: Any

    def __init__(self, value: Any = None) -> None:
        self.value = value

    def __repr__(self) -> str:
        return f"VisitInterrupt({self.value!r})"


def order_of(order: str | WalkOrder, name: str) -> WalkOrder:
    """WalkOrder for "pre" and "post"; ValueError for others."""
    found = {"pre": WalkOrder.PREORDER, "post": WalkOrder.POSTORDER}.get(order) if isinstance(order, str) else order
    if not isinstance(found, WalkOrder):
        raise ValueError(f"{name}: order: expected 'pre' or 'post', got {order!r}")
    return found


# -- callbacks -------------------------------------------------------------------------------------------------------


class Callbacks(dict[type, "tuple[Callable[..., Any], bool] | None"]):
    """By the class of a value: the first callback whose type is that or an ancestor's, and whether it is told of the
    region; None where there is none.
    """

    def __init__(self, name: str, callbacks: Any, with_kind: Any = ()) -> None:
        self.name = name
        self._entries = [
            *((type_, function, False) for type_, function in _entries(name, "callbacks", callbacks)),
            *((type_, function, True) for type_, function in _entries(name, "with_def_region_kind", with_kind)),
        ]

    def __missing__(self, cls: type) -> tuple[Callable[..., Any], bool] | None:
        actual = Function if cls is BuiltinFunctionType else cls
        found = next(((function, told) for type_, function, told in self._entries if _fits(actual, type_)), None)
        self[cls] = found
        return found


def _entries(name: str, parameter: str, callbacks: Any) -> Iterator[tuple[Any, Any]]:
    if callable(callbacks):
        callbacks = (object, callbacks)
    if isinstance(callbacks, tuple) and len(callbacks) == 2 and callable(callbacks[1]):
        callbacks = [callbacks]
    if not isinstance(callbacks, (list, tuple)):
        raise TypeError(f"{name}: {parameter}: expected a callable or (type, callable), got {type(callbacks).__name__}")
    for entry in callbacks:
        if not isinstance(entry, tuple) or len(entry) != 2 or not callable(entry[1]):
            raise TypeError(f"{name}: {parameter}: expected (type, callable), got {entry!r:.100}")
        for type_ in entry[0] if isinstance(entry[0], tuple) else (entry[0],):
            yield _class_of(name, parameter, type_), entry[1]


def _class_of(name: str, parameter: str, type_: Any) -> type:
    from typing import Any as Anything
    from typing import get_origin

    if type_ is None:
        return type(None)
    found = object if type_ is Anything else get_origin(type_) or type_
    if not isinstance(found, type):
        raise TypeError(f"{name}: {parameter}: expected a class or typing.Any, got {type_!r:.100}")
    return found


def _fits(cls: type, wanted: type) -> bool:
    for alike in (LISTS, TUPLES, MAPS, SETS):
        if wanted in alike:
            return issubclass(cls, alike)
    if cls is bool:
        return wanted in (bool, object)
    return issubclass(cls, wanted)


# -- what is in a value ----------------------------------------------------------------------------------------------


class Parts:
    """What is in the values of a class: their items, without more to say."""

    __slots__ = ()
    is_variable = is_kept = False

    def of(self, value: Any) -> Any:
        """The parts, as an iterable of a known length."""
        return value

    def kinds(self, kind: DefRegionKind) -> Iterable[DefRegionKind]:
        """The region of each part, in one of the value."""
        return repeat(kind)


class Values(Parts):
    """Of maps: their values."""

    __slots__ = ()

    def of(self, value: Any) -> Any:
        """The parts."""
        return value.values()


class Fields(Parts):
    """Of objects: the fields that structural comparison looks at."""

    __slots__ = ("_get", "_regions", "is_kept", "is_variable", "names")

    def __init__(self, cls: type, members: tuple[Any, ...]) -> None:
        structure = type_info(cls).structure
        shown = [each for each in members if not each.flags & IGNORED]
        regions = [_region(each.flags) for each in shown]
        self.is_variable = structure == "free_var"
        self.is_kept = structure in ("free_var", "dag")  # one object is mapped once
        self.names = [each.__name__ for each in shown]
        self._regions = regions if any(regions) else None
        self._get = attrgetter(*self.names) if len(shown) > 1 else None

    def of(self, value: Any) -> Any:
        """The parts."""
        return tuple([getattr(value, name) for name in self.names]) if self._get is None else self._get(value)

    def kinds(self, kind: DefRegionKind) -> Iterable[DefRegionKind]:
        """The region of each part; what a variable is made of is used, where that alone is bound."""
        if kind is DefRegionKind.DEF_SIMPLE and self.is_variable:
            kind = DefRegionKind.NONE
        return repeat(kind) if self._regions is None else [inner(kind, opened) for opened in self._regions]


def _region(flags: int) -> DefRegionKind:
    if not flags & DEFINES:
        return DefRegionKind.NONE
    return DefRegionKind.DEF_SIMPLE if flags & DEFINES_ONE else DefRegionKind.DEF_PATTERN


_ITEMS, _VALUES = Parts(), Values()


class Layouts(dict[type, "Parts | None"]):
    """What is in the values of the classes that are met in one walk; None: nothing can be."""

    def __missing__(self, cls: type) -> Parts | None:
        self[cls] = found = _parts_of(cls)
        return found


def _parts_of(cls: type) -> Parts | None:
    if issubclass(cls, (*LISTS, *TUPLES, *SETS)):
        return _ITEMS
    if issubclass(cls, MAPS):
        return _VALUES
    members = _core.class_members(cls) if issubclass(cls, Object) else None
    return Fields(cls, members) if members else None


def inner(kind: DefRegionKind, opened: DefRegionKind) -> DefRegionKind:
    """The region within one, where *opened* is entered; patterns go all the way down."""
    return opened if opened and kind is not DefRegionKind.DEF_PATTERN else kind


def identity(value: Any) -> Any:
    """What two wrappers of the same object have in common."""
    return value.handle if isinstance(value, Object) else (id(value),)


FIRST_CHECK = 32


def check_circle(name: str, inside: list[Any]) -> int:
    """Return the depth at which to ask again; ValueError where one of these values, each in the one before, is met
    twice: it is within itself. Asked at 32, at 64 and so on, once each: what goes round in a circle comes to them all.
    """
    if len({identity(value) for value in inside}) < len(inside):
        raise ValueError(f"{name}: a value within itself")
    return 2 * len(inside)
