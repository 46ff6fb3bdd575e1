"""What only the constructor takes: annotations with `dataclasses.InitVar`, which `__post_init__` is given.

    side: float
    scale: InitVar[float] = 1.0                  Square(side, scale=1.0), then self.__post_init__(scale)

The namespace of such a class tells C of them (runtime_c/python/package/instance_parameters.c).
"""

from __future__ import annotations

from jitffi import _core
from jitffi.api.object_fields import HAS_DEFAULT, HAS_FACTORY, KEYWORD_ONLY, NO_INIT, Declared, same_default

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    #: Where it comes among the parameters (so many fields are before it), its flags, its default, its type.
    Told = tuple[int, int, Any, str]


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


def check_same(cls: Any, declared: list[Declared], code: int) -> None:
    """ValueError where a class is declared again with other parameters that only the constructor takes."""
    known = getattr(cls, "__jitffi_init_only__", {})
    now = _known(_of_bases(cls.__bases__), declared, code)
    if list(now) != list(known) or not all(_is_same(known[name], told) for name, told in now.items()):
        key = vars(cls)["__jitffi_type_key__"]
        names = ", ".join(known) or "fields alone"
        raise ValueError(f"{key} is registered already, and its constructor takes others: {names}")


def _is_same(one: Told, other: Told) -> bool:
    return one[:2] == other[:2] and same_default(one[2], other[2])


def _of_bases(bases: tuple[Any, ...]) -> dict[str, Told]:
    known: dict[str, Told] = {}
    for base in reversed(bases):
        known |= getattr(base, "__jitffi_init_only__", {})
    return known


def _known(above: dict[str, Told], declared: list[Declared], code: int) -> dict[str, Told]:
    """Those of a class: its bases', but for those whose places fields take, and its own."""
    row = _core.type_row(code)
    inherited = {each[0] for each in row[9][: row[8]]}
    known, fields = dict(above), len(inherited)
    for each in declared:
        if each.init_only:
            known[each.name] = fields, each.flags, each.default, each.type
        else:
            known.pop(each.name, None)
            fields += each.name not in inherited
    return known


class Parameter:
    """One of them as descriptors of fields tell of themselves."""

    __slots__ = ("__name__", "default_value", "flags", "type")

    def __init__(self, name: str, told: Told) -> None:
        self.__name__ = name
        _, self.flags, self.default_value, self.type = told


def parameters(cls: Any) -> tuple[list[Any], list[Any]]:
    """Fields and what only the constructor takes, by position and by keyword, as `inspect` shows them."""
    given = list(_in_order(cls))
    by_position = [each for each in given if not each.flags & KEYWORD_ONLY]
    by_position.sort(key=lambda each: each.flags & (HAS_DEFAULT | HAS_FACTORY) != 0)
    return by_position, [each for each in given if each.flags & KEYWORD_ONLY]


def _in_order(cls: Any) -> Iterator[Any]:
    waiting = list(cls.__jitffi_init_only__.items())
    for number, member in enumerate(_core.class_members(cls)):
        while waiting and waiting[0][1][0] <= number:
            yield Parameter(*waiting.pop(0))
        if not member.flags & NO_INIT:
            yield member
    for each in waiting:
        yield Parameter(*each)
