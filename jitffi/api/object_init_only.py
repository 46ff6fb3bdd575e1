"""What only the constructor takes: annotations with `dataclasses.InitVar`, which `__post_init__` is given.

    side: float
    scale: InitVar[float] = 1.0                  Square(side, scale=1.0), then self.__post_init__(scale)

Such a class gets an `__init__` in Python, which gives the fields to the one in C (`__jitffi_set_fields__`).
"""

from __future__ import annotations

from jitffi import _core
from jitffi.api.object_fields import HAS_DEFAULT, HAS_FACTORY, KEYWORD_ONLY, NO_INIT, Declared, same_default

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def add_to(namespace: dict[str, Any], bases: tuple[Any, ...], declared: list[Declared], code: int) -> None:
    """Add to the class of the type *code* what constructors have to know of *declared*, its own, and its bases'. A
    class without such parameters stays as it is."""
    for each in declared:
        if each.init_only and each.flags & HAS_DEFAULT:
            namespace[each.name] = each.default
        elif each.init_only:
            namespace.pop(each.name, None)
    above = _of_bases(bases)
    known = _known(above, declared, code)
    if above or known:
        namespace["__jitffi_init_only__"] = known
        namespace.setdefault("__init__", _Init())


def check_same(cls: Any, declared: list[Declared], code: int) -> None:
    """ValueError where a class is declared again with other parameters that only the constructor takes."""
    known = getattr(cls, "__jitffi_init_only__", {})
    now = _known(_of_bases(cls.__bases__), declared, code)
    if list(now) != list(known) or not all(_is_same(known[name], place) for name, place in now.items()):
        key = vars(cls)["__jitffi_type_key__"]
        names = ", ".join(known) or "fields alone"
        raise ValueError(f"{key} is registered already, and its constructor takes others: {names}")


def _is_same(one: tuple[int, Declared], other: tuple[int, Declared]) -> bool:
    told, again = one[1], other[1]
    return one[0] == other[0] and told.flags == again.flags and same_default(told.default, again.default)


def _of_bases(bases: tuple[Any, ...]) -> dict[str, tuple[int, Declared]]:
    """Such parameters by their names, each with the number of fields before it."""
    known: dict[str, tuple[int, Declared]] = {}
    for base in reversed(bases):
        known |= getattr(base, "__jitffi_init_only__", {})
    return known


def _known(
    above: dict[str, tuple[int, Declared]], declared: list[Declared], code: int
) -> dict[str, tuple[int, Declared]]:
    """Those of a class: its bases', but for those whose places fields take, and its own."""
    row = _core.type_row(code)
    inherited = {each[0] for each in row[9][: row[8]]}
    known, fields = dict(above), len(inherited)
    for each in declared:
        if each.init_only:
            known[each.name] = fields, each
        else:
            known.pop(each.name, None)
            fields += each.name not in inherited
    return known


class _Init:
    """`__init__` of such a class: a function of its own, since `super().__init__` is a base's."""

    def __set_name__(self, owner: Any, name: str) -> None:
        parts: _Parts | None = None

        def __init__(self: Any, /, *args: Any, **named: Any) -> None:
            nonlocal parts
            if parts is None:  # fields are known once the class is finished
                parts = _Parts(owner)
            _construct(parts, self, args, named)

        __init__.__qualname__ = f"{owner.__qualname__}.__init__"
        setattr(owner, name, __init__)


class _Parts:
    """What `__init__` of a class asks on every call."""

    __slots__ = ("by_position", "compute", "init_only", "key", "set_fields")

    def __init__(self, owner: Any) -> None:
        self.key = vars(owner)["__jitffi_type_key__"]
        self.by_position = [name_of(each) for each in parameters(owner)[0]]
        self.init_only = [
            (name, not each.flags & HAS_DEFAULT, each.default) for name, (_, each) in owner.__jitffi_init_only__.items()
        ]
        self.set_fields = owner.__jitffi_set_fields__
        self.compute = getattr(owner, "__jitffi_compute__", None)


def parameters(cls: Any) -> tuple[list[Any], list[Any]]:
    """Fields and what only the constructor takes, by position and by keyword, as `inspect` shows them."""
    given = list(_in_order(cls))
    by_position = [each for each in given if not each.flags & KEYWORD_ONLY]
    by_position.sort(key=lambda each: each.flags & (HAS_DEFAULT | HAS_FACTORY) != 0)
    return by_position, [each for each in given if each.flags & KEYWORD_ONLY]


def _in_order(cls: Any) -> Iterator[Any]:
    waiting = list(cls.__jitffi_init_only__.values())
    for number, member in enumerate(_core.class_members(cls)):
        while waiting and waiting[0][0] <= number:
            yield waiting.pop(0)[1]
        if not member.flags & NO_INIT:
            yield member
    yield from (each for _, each in waiting)


def name_of(parameter: Any) -> str:
    return parameter.name if isinstance(parameter, Declared) else parameter.__name__


def _construct(parts: _Parts, instance: Any, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    names = parts.by_position
    if len(args) > len(names):
        raise TypeError(f"{parts.key}: expected at most {len(names)} arguments by position, got {len(args)}")
    if named:
        for position, name in enumerate(names[: len(args)], 1):
            if name in named:
                raise TypeError(f"{parts.key}: argument {position} {name!r} is given twice, by position and by name")
    named.update(zip(names, args, strict=False))
    values = []
    for name, is_required, default in parts.init_only:
        if is_required and name not in named:
            raise TypeError(f"{parts.key}: missing required argument {name!r}")
        values.append(named.pop(name, default))
    parts.set_fields(instance, **named)
    if parts.compute:
        parts.compute(instance)
    if hasattr(instance, "__post_init__"):
        instance.__post_init__(*values)
