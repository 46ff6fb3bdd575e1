"""Paths to places in graphs of objects: steps by attribute, by index and by key, shown and followed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

#: In the order of jitffi/structural.h; the last three are of places that are not there.
KINDS = ("attribute", "index", "key", "missing attribute", "missing index", "missing key")


class AccessKind:
    """The kinds of steps, under tvm-ffi's names."""

    ATTR, ARRAY_ITEM, MAP_ITEM, ATTR_MISSING, ARRAY_ITEM_MISSING, MAP_ITEM_MISSING = KINDS


class AccessStep(tuple[str, "Any"]):
    """One step of an AccessPath: its *kind*, "attribute", "index" or "key", and that by which it goes on.

    "missing attribute", "missing index" and "missing key" are the last steps of paths to what is not there.
    """

    __slots__ = ()

    def __new__(cls, kind: str, key: Any) -> AccessStep:
        if kind not in KINDS:
            raise ValueError(f"AccessStep: kind: expected one of {', '.join(KINDS)}, got {kind!r}")
        return tuple.__new__(cls, (kind, key))

    @property
    def kind(self) -> str:
        """By what it goes on."""
        return self[0]

    @property
    def key(self) -> Any:
        """The name of the attribute, the index, or the key."""
        return self[1]

    def __getnewargs__(self) -> tuple[str, Any]:
        return self[0], self[1]

    def __repr__(self) -> str:
        return f"AccessStep({self[0]!r}, {self[1]!r})"

    def __str__(self) -> str:
        return f".{self[1]}" if self[0].endswith("attribute") else f"[{self[1]!r}]"


class AccessPath:
    """Where something is in a graph of objects: the steps to it from the outermost one. It never changes.

    >>> import jitffi
    >>> here, there = jitffi.first_structural_mismatch({"a": [1, 2]}, {"a": [1, 3]})
    >>> print(here), here.steps[1].key, here.resolve({"a": [1, 2]})
    <root>['a'][1]
    (None, 1, 2)
    """

    __slots__ = ("_above", "_step")
    _above: AccessPath | None
    _step: AccessStep | None

    def __init__(self, steps: Iterable[AccessStep] = ()) -> None:
        above: AccessPath | None = None
        last: AccessStep | None = None
        for step in steps:
            if not isinstance(step, AccessStep):
                raise TypeError(f"AccessPath: expected AccessStep, got {type(step).__name__}")
            above, last = _path(above, last), step
        object.__setattr__(self, "_above", above)
        object.__setattr__(self, "_step", last)

    def __setattr__(self, name: str, value: Any) -> None:
        raise AttributeError(f"AccessPath.{name}: it is read-only")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"AccessPath.{name}: it is read-only")

    @property
    def steps(self) -> tuple[AccessStep, ...]:
        """The steps, the first one from the outermost object."""
        found: list[AccessStep] = []
        at: AccessPath | None = self
        while at is not None and at._step is not None:
            found.append(at._step)
            at = at._above
        return tuple(reversed(found))

    @property
    def parent(self) -> AccessPath | None:
        """The path without the last step; None of the outermost object's."""
        return self._above

    def attribute(self, name: str) -> AccessPath:
        """Return the path one step further, to the attribute *name*."""
        return self._then("attribute", name)

    def index(self, index: int) -> AccessPath:
        """Return the path one step further, to the item at *index*."""
        return self._then("index", index)

    def key(self, key: Any) -> AccessPath:
        """Return the path one step further, to the value of *key*."""
        return self._then("key", key)

    def missing_attribute(self, name: str) -> AccessPath:
        """Return the path that ends at the attribute *name*, which is not there."""
        return self._then("missing attribute", name)

    def missing_index(self, index: int) -> AccessPath:
        """Return the path that ends at *index*, where there is no item."""
        return self._then("missing index", index)

    def missing_key(self, key: Any) -> AccessPath:
        """Return the path that ends at *key*, which is not there."""
        return self._then("missing key", key)

    @classmethod
    def root(cls) -> AccessPath:
        """Return the path of the outermost object."""
        return cls()

    def to_steps(self) -> tuple[AccessStep, ...]:
        """Return `steps`, under tvm-ffi's name, as the following ones are."""
        return self.steps

    attr, array_item, map_item = attribute, index, key
    attr_missing, array_item_missing, map_item_missing = missing_attribute, missing_index, missing_key

    def _then(self, kind: str, key: Any) -> AccessPath:
        return _path(self, AccessStep(kind, key))

    def is_prefix_of(self, other: AccessPath) -> bool:
        """Whether *other* begins with the steps of this one."""
        mine = self.steps
        return other.steps[: len(mine)] == mine

    def resolve(self, value: Any) -> Any:
        """What is there in *value*: AttributeError, IndexError or KeyError where there is nothing."""
        for kind, key in self.steps:
            value = getattr(value, key) if kind.endswith("attribute") else value[key]
        return value

    def __len__(self) -> int:
        return len(self.steps)

    def __eq__(self, other: object) -> bool:
        return self.steps == other.steps if isinstance(other, AccessPath) else NotImplemented

    def __hash__(self) -> int:
        return hash(self.steps)

    def __reduce__(self) -> Any:
        return AccessPath, (self.steps,)

    def __str__(self) -> str:
        return "<root>" + "".join(map(str, self.steps))

    def __repr__(self) -> str:
        return f"AccessPath({self})"


def _path(above: AccessPath | None, step: AccessStep | None) -> AccessPath:
    made = AccessPath.__new__(AccessPath)
    object.__setattr__(made, "_above", above)
    object.__setattr__(made, "_step", step)
    return made
