"""What only the constructor takes: annotations with `dataclasses.InitVar`, which `__post_init__` is given.

    side: float
    scale: InitVar[float] = 1.0                  Square(side, scale=1.0), then self.__post_init__(scale)

Such a class gets an `__init__` in Python, which gives the fields to the one in C (`__jitffi_set_fields__`).
"""

from __future__ import annotations

from jitffi import _core
from jitffi.api.object_fields import HAS_DEFAULT, HAS_FACTORY, KEYWORD_ONLY, NO_INIT, Declared

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def add_to(namespace: dict[str, Any], bases: tuple[Any, ...], declared: list[Declared], num_above: int) -> None:
    """Add to a class what constructors have to know of *declared*, its own, and its bases'; *num_above*: how many
    fields ancestors have. A class without such parameters stays as it is."""
    known: dict[str, tuple[int, Declared]] = {}
    for base in reversed(bases):
        known |= getattr(base, "__jitffi_init_only__", {})
    fields = num_above
    for each in declared:
        if each.init_only:
            known[each.name] = (fields, each)
            if each.flags & HAS_DEFAULT:
                namespace[each.name] = each.default
            else:
                namespace.pop(each.name, None)
        else:
            fields += 1
    if known:
        namespace["__jitffi_init_only__"] = known
        namespace.setdefault("__init__", _Init())


def check_same(cls: Any, declared: list[Declared]) -> None:
    """ValueError where a class is declared again with other parameters that only the constructor takes."""
    known = {name: (each.flags, each.default) for name, (_, each) in getattr(cls, "__jitffi_init_only__", {}).items()}
    own = {each.name: (each.flags, each.default) for each in declared if each.init_only}
    if any(known.get(name) != said for name, said in own.items()):
        key = vars(cls)["__jitffi_type_key__"]
        raise ValueError(f"{key} is registered already, and its constructor takes others: {', '.join(known)}")


class _Init:
    """`__init__` of such a class: a function of its own, since `super().__init__` is a base's."""

    def __set_name__(self, owner: Any, name: str) -> None:
        def __init__(self: Any, /, *args: Any, **named: Any) -> None:
            _construct(owner, self, args, named)

        __init__.__qualname__ = f"{owner.__qualname__}.__init__"
        setattr(owner, name, __init__)


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


def _construct(owner: Any, instance: Any, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    key = vars(owner)["__jitffi_type_key__"]
    by_position, _ = parameters(owner)
    if len(args) > len(by_position):
        raise TypeError(f"{key}: expected at most {len(by_position)} arguments by position, got {len(args)}")
    for position, (parameter, value) in enumerate(zip(by_position, args, strict=False), 1):
        name = name_of(parameter)
        if name in named:
            raise TypeError(f"{key}: argument {position} {name!r} is given twice, by position and by name")
        named[name] = value
    values = []
    for name, (_, each) in owner.__jitffi_init_only__.items():
        if name not in named and not each.flags & HAS_DEFAULT:
            raise TypeError(f"{key}: missing required argument {name!r}")
        values.append(named.pop(name, each.default))
    owner.__jitffi_set_fields__(instance, **named)
    if compute := getattr(owner, "__jitffi_compute__", None):
        compute(instance)
    if hasattr(instance, "__post_init__"):
        instance.__post_init__(*values)
