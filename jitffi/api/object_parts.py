"""Objects with fields as dicts and tuples of Python's own, as `dataclasses.asdict` and `astuple` give them; native
containers of objects become Python's, too."""

from __future__ import annotations

import copy

from jitffi import _core
from jitffi._core import List, Object, Set, Tuple
from jitffi.api.plain import is_mapping, to_plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

_TEXTS = (_core.String, _core.UCS4String, _core.Bytes, _core.Shape)


def asdict(value: Any, *, dict_factory: Callable[[list[tuple[str, Any]]], Any] = dict) -> Any:
    """The fields of the object *value* by their names, in a dict or what *dict_factory* makes of the pairs.

    Objects with fields in it become dicts as well, also within containers, which are copied as Python's own: a `List`
    as list, a `Map` or `FrozenMap` as dict, a `Set` as set, a `Tuple` as tuple. Everything else is copied by
    `copy.deepcopy`. TypeError for what is no object with fields; RecursionError for one that holds itself.

    >>> import jitffi
    >>> @jitffi.register_object("doc.parts.Point")
    ... class Point:
    ...     x: int
    ...     y: int = 0
    >>> @jitffi.register_object("doc.parts.Path")
    ... class Path:
    ...     points: list[Point]
    >>> jitffi.asdict(Path([Point(1), Point(2, 3)]))
    {'points': [{'x': 1, 'y': 0}, {'x': 2, 'y': 3}]}
    """
    checked = _checked(value, "asdict")
    return _of_object(checked, lambda names, parts: dict_factory(list(zip(names, parts, strict=True))))


def astuple(value: Any, *, tuple_factory: Callable[[list[Any]], Any] = tuple) -> Any:
    """The fields of the object *value* in their order, in a tuple or what *tuple_factory* makes of their list. What is
    copied, and how, is as in `asdict`, and so is what raises TypeError.

    >>> import jitffi
    >>> @jitffi.register_object("doc.parts.Span")
    ... class Span:
    ...     start: int
    ...     stop: int
    >>> jitffi.astuple(Span(2, 5))
    (2, 5)
    """
    return _of_object(_checked(value, "astuple"), lambda names, parts: tuple_factory(parts))


def _checked(value: Any, what: str) -> Any:
    if not _has_fields(value):
        got = "a class" if isinstance(value, type) else type(value).__name__
        raise TypeError(f"{what}: expected an object with fields, got {got}")
    return value


def _has_fields(value: Any) -> bool:
    return isinstance(value, Object) and _core.class_code(type(value)) != 0


def _of_object(value: Any, make: Callable[[list[str], list[Any]], Any]) -> Any:
    names = [member.__name__ for member in _core.class_members(type(value))]
    return make(names, [_of_value(getattr(value, name), make) for name in names])


def _of_value(value: Any, make: Callable[[list[str], list[Any]], Any]) -> Any:
    if isinstance(value, _TEXTS):
        return to_plain(value)
    if isinstance(value, (List, list)):
        made = [_of_value(each, make) for each in value]
        return made if isinstance(value, List) or type(value) is list else type(value)(made)
    if isinstance(value, (Tuple, tuple)):
        items = [_of_value(each, make) for each in value]
        if hasattr(type(value), "_fields"):
            return type(value)(*items)  # one of namedtuple's
        return tuple(items) if isinstance(value, Tuple) else type(value)(items)
    if is_mapping(value):
        pairs = [(_of_value(key, make), _of_value(each, make)) for key, each in value.items()]
        if hasattr(type(value), "default_factory"):
            made_dict = type(value)(value.default_factory)
            made_dict.update(pairs)
            return made_dict
        return type(value)(pairs) if isinstance(value, dict) else dict(pairs)
    if isinstance(value, Set):
        return {_of_value(each, make) for each in value}
    is_member = hasattr(type(value), "__members__")  # of an enumeration, which stays itself
    return _of_object(value, make) if _has_fields(value) and not is_member else copy.deepcopy(value)
