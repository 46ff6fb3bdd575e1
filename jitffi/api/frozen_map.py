"""FrozenMap: a mapping that never changes, an object around a `Map` that nobody else gets."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import ItemsView, Iterable, Iterator, KeysView, Mapping, ValuesView
    from typing import Any, Generic, TypeVar

    from jitffi._core import Map, Object, Tuple

    _K = TypeVar("_K")
    _V = TypeVar("_V", covariant=True)

    class _Base(Object, Mapping[_K, _V], Generic[_K, _V]):  # at run time it is registered as one
        _map: Map[Any, Any]

        def __init__(self) -> None: ...

else:
    import collections.abc
    import types

    from jitffi import _core
    from jitffi._core import Map, Object, Tuple
    from jitffi.api import plain
    from jitffi.api.objects import field, register_object

    _Base, _K, _V = {(None, None): Object}, None, None


class FrozenMap(_Base[_K, _V]):
    """FrozenMap(mapping_or_pairs=(), /, **keys): a mapping with a hash that never changes.

    It takes *mapping_or_pairs* and *keys* as dict does, with its errors (TypeError, ValueError). It is asked as a `Map`
    is, and equals the Map and the dict of the same content; two that are equal have one hash, a TypeError where
    a value has none. As a tuple it holds values that can change. For native code it is an object of type
    ``jitffi.FrozenMap`` with a map as field ``_map``; structural_equal knows it from a Map.

    >>> import jitffi
    >>> frozen = jitffi.FrozenMap({"a": 1}, b=2)
    >>> frozen, frozen["a"], frozen == {"b": 2, "a": 1}, {frozen: "it"}[jitffi.FrozenMap(frozen)]
    (FrozenMap({'a': 1, 'b': 2}), 1, True, 'it')
    >>> frozen | {"b": 3}
    FrozenMap({'a': 1, 'b': 3})
    """

    if not TYPE_CHECKING:
        _map: dict = field(default_factory=dict)
        __module__ = "jitffi"
        __abc_tpflags__ = collections.abc.Mapping.__flags__ & 1 << 6  # `match` takes it for a mapping
        __class_getitem__ = classmethod(types.GenericAlias)
        #: C++ has had such objects, whose hash goes by their entries, too: they are found in Maps as before.
        __jitffi_native_operations__ = _core.type_row(_core.type_code("jitffi.FrozenMap")) is not None

    def __init__(self, mapping_or_pairs: Mapping[Any, Any] | Iterable[tuple[Any, Any]] = (), /, **keys: Any) -> None:
        super().__init__()
        known = _inner(mapping_or_pairs)
        shared = known is not mapping_or_pairs and not keys
        self._map = known if shared else Map(known, **keys)  # once: a second time it is read-only

    def __getitem__(self, key: _K, /) -> _V:
        value: _V = self._map[key]
        return value

    def __contains__(self, key: object, /) -> bool:
        return key in self._map

    def __len__(self) -> int:
        return len(self._map)

    def __iter__(self) -> Iterator[_K]:
        return iter(self._map)

    def __reversed__(self) -> Iterator[_K]:
        backwards: Iterator[_K] = reversed(self._map)
        return backwards

    def get(self, key: _K, default: Any = None, /) -> Any:
        """The value of *key*, or *default* where there is no such key; TypeError for a key without a hash.

        >>> import jitffi
        >>> jitffi.FrozenMap(a=1).get("b", 2)
        2
        """
        return self._map.get(key, default)

    def keys(self) -> KeysView[_K]:
        """A view of the keys, with the operations of a set. Never raises.

        >>> import jitffi
        >>> jitffi.FrozenMap(a=1).keys() | {"b"} == {"a", "b"}
        True
        """
        return self._map.keys()

    def values(self) -> ValuesView[_V]:
        """A view of the values. Never raises.

        >>> import jitffi
        >>> list(jitffi.FrozenMap(a=1).values())
        [1]
        """
        return self._map.values()

    def items(self) -> ItemsView[_K, _V]:
        """A view of the pairs, with the operations of a set. Never raises.

        >>> import jitffi
        >>> list(jitffi.FrozenMap(a=1).items())
        [('a', 1)]
        """
        return self._map.items()

    def to_python(self) -> dict[Any, Any]:
        """A dict, with all that is in it as Python's own; MemoryError only.

        >>> import jitffi
        >>> jitffi.FrozenMap(a=[1]).to_python()
        {'a': [1]}
        """
        return self._map.to_python()

    def copy(self) -> FrozenMap[_K, _V]:
        """The FrozenMap itself. Never raises.

        >>> import jitffi
        >>> (frozen := jitffi.FrozenMap(a=1)).copy() is frozen
        True
        """
        return self

    def __or__(self, other: Mapping[Any, Any], /) -> FrozenMap[Any, Any]:
        made = self._map.__or__(_inner(other))
        return made if made is NotImplemented else FrozenMap(made)

    def __ror__(self, other: Mapping[Any, Any], /) -> Map[Any, Any]:
        return self._map.__ror__(other)

    def __eq__(self, other: object) -> bool:
        return self._map.__eq__(_inner(other))

    def __hash__(self) -> int:
        return hash(frozenset([hash(Tuple(pair)) for pair in self._map.items()]))

    def __repr__(self) -> str:
        return type(self).__name__ + repr(self._map)[len("Map") :]


def _inner(other: Any) -> Any:
    return other._map if isinstance(other, FrozenMap) else other


if not TYPE_CHECKING:
    FrozenMap = register_object("jitffi.FrozenMap", frozen=True, eq=False, repr=False)(FrozenMap)
    collections.abc.Mapping.register(FrozenMap)
    plain.add_mapping(FrozenMap)
