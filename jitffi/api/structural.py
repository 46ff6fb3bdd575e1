"""Values by their structure: equality, the first difference, hashes, keys of dicts, and walks.

The work is done in native code (jitffi/structural.h). Python's own containers are converted first, those that lead in a
circle, or are nested deeper than calls go, by to_native.
"""

from __future__ import annotations

from jitffi import _core
from jitffi._core import Object, Tuple
from jitffi.api.access_path import KINDS, AccessPath, AccessStep
from jitffi.api.walk import LISTS, MAPS, SETS, TUPLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

_MAP_FREE_VARS, _SKIP_ELEMENTS = 1, 2


def _flags(map_free_vars: bool, skip_elements: bool) -> int:
    return _MAP_FREE_VARS * bool(map_free_vars) | _SKIP_ELEMENTS * bool(skip_elements)


def structural_equal(a: Any, b: Any, *, map_free_vars: bool = False, skip_elements: bool = False) -> bool:
    """Whether two values have the same content: containers by their items, Python's own as well as native ones, text by
    its characters in either encoding, 1 as 1.0, a NaN as any other, arrays by data type, shape and the bits of their
    elements (with *skip_elements* without these).

    Objects of registered classes are compared by their fields, in order, whether they have == or not; the *structure*
    of the class and of its fields says what else counts: variables are equal where they were bound together, or with
    *map_free_vars* wherever they stand. Other objects are as they compare, and what that raises comes out. Either of
    *a* and *b* may hold itself; no depth is too deep.

    >>> import jitffi
    >>> jitffi.structural_equal({"a": [1, (2.0,)]}, jitffi.Map(a=jitffi.List([1, (2,)])))
    True
    >>> jitffi.structural_equal([1], (1,))
    False
    """
    flags = _flags(map_free_vars, skip_elements)
    try:
        return _core.structural_equal(a, b, flags)
    except RecursionError:  # a cycle of Python's, or deeper than calls go
        from jitffi.api.to_native import to_native

        return _core.structural_equal(to_native(a), to_native(b), flags)


def first_structural_mismatch(
    a: Any, b: Any, *, map_free_vars: bool = False, skip_elements: bool = False
) -> tuple[AccessPath, AccessPath] | None:
    """Return None where structural_equal says True, else the paths, in *a* and in *b*, to where they first differ. What
    an object's comparison raises comes out; *map_free_vars* and *skip_elements* as there.

    >>> import jitffi
    >>> jitffi.first_structural_mismatch([1, {"a": 2}], [1, {"b": 2}])
    (AccessPath(<root>[1]['a']), AccessPath(<root>[1]['a']))
    """
    flags = _flags(map_free_vars, skip_elements)
    try:
        found = _core.structural_mismatch(a, b, flags)
    except RecursionError:
        from jitffi.api.to_native import to_native

        found = _core.structural_mismatch(to_native(a), to_native(b), flags)
    return None if found is None else (_path_of(found[0]), _path_of(found[1]))


def _path_of(steps: Any) -> AccessPath:
    return AccessPath(AccessStep(KINDS[kind], key) for kind, key in steps)


def structural_hash(value: Any, *, map_free_vars: bool = False, skip_elements: bool = False) -> int:
    """A hash of the content of *value*: equal for values that are structurally equal, of lists and maps too, with the
    same *map_free_vars* and *skip_elements*. It holds within one process, as Python's hashes of str do. ValueError for
    what is within itself, TypeError for an object without a hash.

    >>> import jitffi
    >>> jitffi.structural_hash({"a": [1], "b": 2}) == jitffi.structural_hash(jitffi.Map(b=2.0, a=[True]))
    True
    """
    flags = _flags(map_free_vars, skip_elements)
    try:
        return _core.structural_hash(value, flags)
    except RecursionError:
        from jitffi.api.to_native import to_native

        return _core.structural_hash(to_native(value), flags)


class StructuralKey:
    """A value as a key of dicts and sets: equal to another one, and hashing, by structure.

    Made of *value*; ValueError and TypeError as structural_hash's.

    The hash is taken once: the value is not to change while it is a key.

    >>> import jitffi
    >>> {jitffi.StructuralKey([1, {"a": 2}]): "found"}[jitffi.StructuralKey(jitffi.List([1, {"a": 2.0}]))]
    'found'
    """

    __slots__ = ("_hash", "value")
    #: What it is a key for.
    value: Any
    _hash: int

    def __init__(self, value: Any) -> None:
        object.__setattr__(self, "value", value)
        object.__setattr__(self, "_hash", structural_hash(value))

    @property
    def key(self) -> Any:
        """*value*, under tvm-ffi's name.

        >>> import jitffi
        >>> jitffi.StructuralKey([1]).key
        [1]
        """
        return self.value

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"StructuralKey.{name}: it is read-only")

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, StructuralKey):
            return NotImplemented
        return self._hash == other._hash and structural_equal(self.value, other.value)

    def __reduce__(self) -> Any:
        return StructuralKey, (self.value,)

    def __repr__(self) -> str:
        return f"StructuralKey({self.value!r})"


# -- walks ---------------------------------------------------------------------------------------------------


def walk(value: Any, visit: Callable[[Any, AccessPath], Any]) -> None:
    """Call *visit* with every value in *value* and its AccessPath: the outermost one first, items, fields and keys in
    order, each object once, however often and in whatever circle it is met. Where *visit* returns False what is in
    the object is passed over; what it raises comes out. No depth is too deep.

    >>> import jitffi
    >>> jitffi.walk([1, {"a": (2,)}], lambda value, path: print(path, value))
    <root> [1, {'a': (2,)}]
    <root>[0] 1
    <root>[1] {'a': (2,)}
    <root>[1]['a'] (2,)
    <root>[1]['a'][0] 2
    """
    met: dict[Any, Any] = {}
    rest: list[Iterator[tuple[Any, AccessPath]]] = [iter([(value, AccessPath())])]
    while rest:
        for item, path in rest[-1]:
            parts = _parts(item, path)
            if parts is not None:
                identity = item.handle if isinstance(item, Object) else (id(item),)
                if identity in met:
                    continue
                met[identity] = item
            if visit(item, path) is not False and parts is not None:
                rest.append(parts)
                break
        else:
            rest.pop()


def _parts(value: Any, path: AccessPath) -> Iterator[tuple[Any, AccessPath]] | None:
    """What is in a value, with the paths to it; None: it is no object with parts."""
    if isinstance(value, (*LISTS, *TUPLES)):
        return ((item, path.index(at)) for at, item in enumerate(value))
    if isinstance(value, MAPS):
        return _entries(value, path)
    if isinstance(value, SETS):
        return ((item, path.key(item)) for item in value)
    if isinstance(value, Object) and (members := _core.class_members(type(value))):
        names = [member.__name__ for member in members]
        return ((getattr(value, name), path.attribute(name)) for name in names)
    return None


def _entries(value: Any, path: AccessPath) -> Iterator[tuple[Any, AccessPath]]:
    for key, item in value.items():
        if isinstance(key, (tuple, Tuple, Object)):
            yield key, path.key(key)
        yield item, path.key(key)
