"""Values as Python's own, all the way down: what `json.dumps(x, default=jitffi.to_plain)` and the like can read.

Nothing here goes down into values by calls, so there is no depth that is too deep:

    containers   found, each once, by where they are: cycles and what is shared come out as they went in
    lists, dicts made empty, and filled at the end: they may lead back to whatever they are in
    tuples, sets made from the innermost, which is there before them: only lists and dicts can close a cycle
"""

from __future__ import annotations

from jitffi._core import Bytes, DataType, Device, List, Map, NDArray, Set, Shape, String, Tuple, UCS4String

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

_LISTS = (list, List)
_DICTS: tuple[type[Any], ...] = (dict, Map)
#: What is made whole, from items that are there.
_WHOLES: tuple[tuple[type | tuple[type, ...], type], ...] = (
    ((tuple, Tuple, Shape), tuple),
    (frozenset, frozenset),
    ((set, Set), set),
)
_CONTAINERS: tuple[type, ...] = (list, List, dict, Map, tuple, Tuple, Shape, frozenset, set, Set)
#: Values without items that are not Python's own, or not quite. What a subclass says of itself is not asked.
_LEAVES: tuple[tuple[type | tuple[type, ...], Callable[[Any], Any]], ...] = (
    ((String, UCS4String, DataType, Device), str),
    (Bytes, bytes),
    (NDArray, NDArray.numpy),
    (str, str.__str__),
    (bytes, bytes.__bytes__),
    (int, int.__int__),
    (float, float.__float__),
    (complex, complex.__complex__),
)
_OWN = frozenset((type(None), bool, int, float, complex, str, bytes, bytearray))


def add_mapping(cls: type) -> None:
    """Make dicts of instances of *cls*, too: of a class whose module is loaded on first use."""
    global _DICTS, _CONTAINERS
    _DICTS, _CONTAINERS = (*_DICTS, cls), (*_CONTAINERS, cls)


def is_mapping(value: Any) -> bool:
    """Whether to_plain makes a dict of it."""
    return isinstance(value, _DICTS)


def to_plain(value: Any) -> Any:
    """*value* as Python's own: list, dict, tuple, set, str, bytes, numbers and None, all the way down, at any depth.

    Subclasses of these become the class itself, data types and devices their names, arrays NumPy's; what is shared, or
    in a cycle, stays so. Other objects stay what they are, within a container; alone they are a TypeError, as
    json.dumps expects.

    >>> import jitffi, json
    >>> jitffi.to_plain({"words": jitffi.List(["to", ("be", jitffi.Map(n=1))])})
    {'words': ['to', ('be', {'n': 1})]}
    >>> json.dumps({"words": jitffi.List(["to", "be"])}, default=jitffi.to_plain)
    '{"words": ["to", "be"]}'
    """
    if not isinstance(value, _CONTAINERS):
        plain = _leaf(value)
        if plain is value and type(value) not in _OWN:
            raise TypeError(f"to_plain: expected a value of jitffi's or Python's own, got {type(value).__name__}")
        return plain
    found = _containers_of(value)
    made: dict[int, Any] = {key: [] if isinstance(each, _LISTS) else {} for key, each in found.items()
                            if isinstance(each, (*_LISTS, *_DICTS))}  # fmt: skip
    for key in found:
        if key not in made:
            _make_whole(key, found, made)

    def plain_of(item: Any) -> Any:
        if type(item) in _OWN:
            return item
        return made[id(item)] if isinstance(item, _CONTAINERS) else _leaf(item)

    for key, each in found.items():
        if isinstance(each, _LISTS):
            made[key].extend(map(plain_of, each))
        elif isinstance(each, _DICTS):
            made[key].update((plain_of(name), plain_of(item)) for name, item in each.items())
    return made[id(value)]


def _items(container: Any) -> Iterable[Any]:
    return (part for pair in container.items() for part in pair) if isinstance(container, _DICTS) else container


def _containers_of(value: Any) -> dict[int, Any]:
    """All that can be reached, by id. They are held, for the object of a native one goes with its last user."""
    found: dict[int, Any] = {}
    to_do = [value]
    while to_do:
        container = to_do.pop()
        if id(container) not in found:
            found[id(container)] = container
            to_do.extend(each for each in _items(container) if isinstance(each, _CONTAINERS))
    return found


def _make_whole(key: int, found: dict[int, Any], made: dict[int, Any]) -> None:
    """Add to *made* what *key* stands for, and before it whatever is in it."""
    to_do = [key]
    while to_do:
        container = found[to_do[-1]]
        missing = [id(each) for each in container if isinstance(each, _CONTAINERS) and id(each) not in made]
        if missing:
            to_do.extend(missing)
            continue
        kind = next(kind for kinds, kind in _WHOLES if isinstance(container, kinds))
        items = [made[id(each)] if isinstance(each, _CONTAINERS) else _leaf(each) for each in container]
        made[to_do.pop()] = kind(items)


def _leaf(value: Any) -> Any:
    if type(value) in _OWN:
        return value
    for kinds, make in _LEAVES:
        if isinstance(value, kinds):
            return make(value)
    known: Any = List([value])[0] if type(value).__module__ == "numpy" and hasattr(value, "dtype") else value
    return known if type(known) in _OWN else value
