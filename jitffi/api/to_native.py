"""Python's own containers as native ones, where they lead in a circle or are nested deeper than calls go."""

from __future__ import annotations

from jitffi._core import List, Map, Set, Tuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_WHOLES: dict[type, Any] = {tuple: Tuple, set: Set}
_CONTAINERS = (list, dict, *_WHOLES)


def to_native(value: Any) -> Any:
    """*value* with each list, dict, tuple and set in it as a List, Map, Tuple and Set: what is shared, or in a circle,
    stays so.

    Lists and maps are made empty, and filled at the end: they may lead back to what they are in. Tuples and sets are
    made from the innermost: only lists and dicts can close a circle.
    """
    made: dict[int, Any] = {}
    kept: list[Any] = []  # what is known by its address lives as long as that is
    to_fill: list[Any] = []
    rest = [value]
    while rest:
        item = rest[-1]
        if id(item) in made or type(item) not in _CONTAINERS:
            rest.pop()
            continue
        if type(item) in _WHOLES:
            inner = [part for part in item if type(part) in _CONTAINERS and id(part) not in made]
            if inner:
                rest.extend(inner)
                continue
            made[id(item)] = _WHOLES[type(item)](made.get(id(part), part) for part in item)
            kept.append(item)
            rest.pop()
            continue
        made[id(item)] = List() if type(item) is list else Map()
        kept.append(item)
        to_fill.append(item)
        rest.pop()
        rest.extend(item if type(item) is list else [*item, *item.values()])
    for item in to_fill:
        if type(item) is list:
            made[id(item)].extend([made.get(id(part), part) for part in item])
        else:
            made[id(item)].update({made.get(id(key), key): made.get(id(part), part) for key, part in item.items()})
    return made.get(id(value), value)
