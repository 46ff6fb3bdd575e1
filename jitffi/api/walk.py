"""Going through values without calls, from the leaves up, so that no depth is too deep."""

from __future__ import annotations

import itertools

from jitffi._core import List, Map, Set, Tuple

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

LISTS = (list, List)
TUPLES = (tuple, Tuple)
MAPS = (dict, Map)
SETS = (set, Set)
CONTAINERS = (*LISTS, *TUPLES, *MAPS, *SETS)


class Unfit(Exception):
    """Raised by who is asked about a leaf: what is wrong with it."""


def fold(value: Any, leaf: Callable[[Any], Any], join: Callable[[Any, list[Any]], Any], name: str) -> Any:
    """Return what *join* makes of the outermost container and the results for what is in it: items, or keys and values
    in turn; for what is no container, what *leaf* gives. ValueError with the way to a container within itself,
    TypeError with that to what is Unfit.
    """
    inside: dict[int, Any] = {}
    outer: list[tuple[Any, Iterator[Any], list[Any]]] = []
    container: Any = [value]
    rest, results = iter(container), []
    while True:
        for item in rest:
            if not isinstance(item, CONTAINERS):
                try:
                    results.append(leaf(item))
                except Unfit as problem:
                    way = _way([*outer, (container, rest, results)])
                    raise TypeError(f"{name}: value{way}: {problem}") from None
                continue
            if id(item) in inside:
                way = _way([*outer, (container, rest, results)])
                raise ValueError(f"{name}: value{way}: a container within itself")
            inside[id(item)] = item
            outer.append((container, rest, results))
            container, rest, results = item, _parts(item), []
            break
        else:
            if not outer:
                return results[0]
            made = join(container, results)
            del inside[id(container)]
            container, rest, results = outer.pop()
            results.append(made)


def _parts(container: Any) -> Iterator[Any]:
    return itertools.chain.from_iterable(container.items()) if isinstance(container, MAPS) else iter(container)


def _way(frames: list[tuple[Any, Iterator[Any], list[Any]]]) -> str:
    """As it is written behind a value: "['a'][0]". A frame has as many results as there are parts before this one."""
    steps: list[Any] = []
    for container, _, results in frames[1:]:
        position = len(results)
        steps.append(list(container)[position // 2] if isinstance(container, MAPS) else position)
    if len(steps) > 40:
        return "".join(f"[{step!r}]" for step in steps[:20]) + "..." + "".join(f"[{step!r}]" for step in steps[-20:])
    return "".join(f"[{step!r}]" for step in steps)
