"""Graphs rewritten by callbacks for types of values: `structural_map`, and `structural_mutate`, whose callbacks say
themselves what is rewritten in a value. What nothing changed in is the same object in the result; what was given stays.
"""

from __future__ import annotations

from operator import is_

from jitffi._core import Object, Tuple
from jitffi.api.object_copies import replaced
from jitffi.api.structural_parts import (
    FIRST_CHECK,
    Callbacks,
    DefRegionKind,
    Fields,
    InplaceMode,
    Layouts,
    Parts,
    WalkOrder,
    check_circle,
    identity,
    inner,
    order_of,
)
from jitffi.api.walk import LISTS, MAPS, SETS, TUPLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    _R = TypeVar("_R")


_MOVED = type(Tuple()._move())


class _Level:
    """A value on the way down: its parts, those of them that are left, and what the others have become."""

    __slots__ = ("kind", "layout", "made", "parts", "rest", "value")

    def __init__(self, value: Any, kind: DefRegionKind, layout: Parts) -> None:
        self.value = value
        self.kind = kind
        self.layout = layout
        self.parts = tuple(layout.of(value))
        self.rest = zip(self.parts, layout.kinds(kind))  # noqa: B905  the kinds may have no end
        self.made: list[Any] = []


class _Mapping:
    """Goes through a graph from the leaves up. What a callback makes of a value comes from `_begin` and `_end`."""

    def __init__(self, callbacks: Callbacks) -> None:
        self._callbacks = callbacks
        self._layouts = Layouts()
        self._kept: dict[Any, tuple[Any, Any]] = {}  # variables and shared nodes, alive, and what they have become

    def _begin(self, value: Any, kind: DefRegionKind) -> tuple[bool, Any]:
        """Whether that is the result already, and the result, or the value that is gone into."""
        return False, value

    def _end(self, value: Any, kind: DefRegionKind) -> Any:
        """The result, of a value whose parts have become what they do."""
        return value

    def _run(self, root: Any, kind: DefRegionKind) -> Any:
        done, value = self._begin(root, kind)
        return value if done else self._descend(value, kind)

    def _descend(self, root: Any, kind: DefRegionKind) -> Any:
        """What becomes of *root* by what becomes of its parts, and by `_end`."""
        made, level = self._enter(root, kind)
        if level is None:
            return made
        above: list[_Level] = []
        next_check = FIRST_CHECK
        while True:
            step = next(level.rest, None)
            if step is not None:
                done, made = self._begin(*step)
                if not done:
                    made, below = self._enter(made, step[1])
                    if below is not None:
                        above.append(level)
                        level = below
                        if len(above) == next_check:
                            next_check = check_circle(self._callbacks.name, [each.value for each in above])
                        continue
            else:
                made = self._end(self._rebuilt(level), level.kind)
                if not above:
                    return made
                level = above.pop()
            level.made.append(made)

    def _enter(self, value: Any, kind: DefRegionKind) -> tuple[Any, _Level | None]:
        """The result of a value that is not gone into, or the level of one that is."""
        layout = self._layouts[type(value)]
        if layout is None:
            return self._end(value, kind), None
        if layout.is_kept:
            kept = self._kept.get(identity(value))
            if kept is not None:
                return self._end(kept[1], kind), None
            if layout.is_variable and not kind:
                return self._end(value, kind), None  # a use: its definition did not change, or it is free
        return None, _Level(value, kind, layout)

    def _rebuilt(self, level: _Level) -> Any:
        value, layout = level.value, level.layout
        changed = not all(map(is_, level.parts, level.made)) and not all(map(_is_same, level.parts, level.made))
        made = _with_parts(level) if changed else value
        is_told = changed or level.kind is DefRegionKind.DEF_PATTERN  # else its uses are itself, without a look
        if layout.is_kept and (is_told or not layout.is_variable):
            self._kept[identity(value)] = value, made
        return made


def _is_same(before: Any, after: Any) -> bool:
    return before is after or (isinstance(before, Object) and isinstance(after, Object) and before.same_as(after))


def _with_parts(level: _Level) -> Any:
    value, made, layout = level.value, level.made, level.layout
    if isinstance(layout, Fields):
        changed = zip(layout.names, level.parts, made, strict=True)
        return replaced(value, {name: new for name, old, new in changed if not _is_same(old, new)})
    cls = _container_class(value)
    if not isinstance(value, MAPS):
        return cls(made)
    if len(value) != len(made):
        raise RuntimeError("a map changed while it was gone through")
    return cls(zip(value, made, strict=True))


def _container_class(value: Any) -> Any:
    """The class itself, but for classes derived from it, whose constructors may be anything."""
    return next(cls for cls in (*LISTS, *TUPLES, *MAPS, *SETS) if isinstance(value, cls))


class _Map(_Mapping):
    def __init__(self, callbacks: Callbacks, order: WalkOrder) -> None:
        super().__init__(callbacks)
        self._before = order is WalkOrder.PREORDER

    def _begin(self, value: Any, kind: DefRegionKind) -> tuple[bool, Any]:
        return False, self._mapped(value, kind) if self._before else value

    def _end(self, value: Any, kind: DefRegionKind) -> Any:
        return value if self._before else self._mapped(value, kind)

    def _mapped(self, value: Any, kind: DefRegionKind) -> Any:
        action = self._callbacks[type(value)]
        if action is None:
            return value
        return action[0](value, kind) if action[1] else action[0](value)


def structural_map(
    root: Any, callbacks: Any = (), with_def_region_kind: Any = (), order: str | WalkOrder = "post"
) -> Any:
    """Return *root* with each value in it, and itself, replaced by what its callback returns: given the value, it
    returns that or another one. *callbacks*, *with_def_region_kind*, *order* and what is gone through are those of
    structural_walk; with "post" a callback is given the value with its parts replaced already.

    *root* stays as it is: where something in an object changes it is copied, by its fields, without its constructor;
    where nothing does it is the same object in the result. A variable (``structure="free_var"``) whose fields change
    where it is bound is replaced by one and the same object wherever it is used, and so is a shared node
    (``structure="dag"``). What a callback raises comes out; ValueError for a value within itself.

    >>> import jitffi
    >>> jitffi.structural_map([1, {"a": (2, "b")}], (int, lambda x: 10 * x))
    [10, {'a': (20, 'b')}]
    """
    found = Callbacks("structural_map", callbacks, with_def_region_kind)
    return _Map(found, order_of(order, "structural_map"))._run(_unmoved(root), DefRegionKind.NONE)


class StructuralMutator(_Mapping):
    """What callbacks of structural_mutate go on with: made by it, good while it runs."""

    def __init__(self, callbacks: Callbacks) -> None:
        super().__init__(callbacks)
        self._kind = DefRegionKind.NONE
        self._owned: Any = None  # the root, where nobody else has it
        self._told: dict[Any, bool] = {}

    def mutate(self, value: Any) -> Any:
        """Return what *value* becomes: by its callback, or by what is in it."""
        return self._run(value, self._kind)

    def default_mutate(self, value: Any) -> Any:
        """Return what *value* becomes by what is in it, whatever callback it has itself."""
        return self._descend(value, self._kind)

    def var_remap_get(self, var: Any) -> Any:
        """What takes the place of a variable or shared node, or None."""
        found = self._kept.get(self._kept_key(var))
        return None if found is None else found[1]

    def var_remap_set(self, var: Any, mapped_value: Any) -> None:
        """Let *mapped_value* take the place of a variable or shared node from now on."""
        self._kept[self._kept_key(var)] = var, mapped_value

    def _kept_key(self, var: Any) -> Any:
        layout = self._layouts[type(var)]
        if layout is None or not layout.is_kept:
            got = type(var).__name__
            raise TypeError(f"StructuralMutator: expected an object of structure free_var or dag, got {got}")
        return identity(var)

    def def_region_kind(self) -> DefRegionKind:
        """Whether variables are bound where the value stands that the callback was given."""
        return self._kind

    def with_def_region_kind(self, kind: int, callback: Callable[[], _R]) -> _R:
        """Return what *callback* returns, which mutates in a region of that *kind*."""
        former, pattern = self._kind, self._kind is DefRegionKind.DEF_PATTERN
        self._kind = former if pattern else inner(DefRegionKind.NONE, DefRegionKind(kind))
        try:
            return callback()
        finally:
            self._kind = former

    def _begin(self, value: Any, kind: DefRegionKind) -> tuple[bool, Any]:
        action = self._callbacks[type(value)]
        if action is None:
            return False, value
        function = action[0]
        former, self._kind = self._kind, kind
        try:
            if function not in self._told:
                self._told[function] = _takes_mode(function)
            mode = int(InplaceMode.ALLOW if value is self._owned else InplaceMode.DISALLOW)
            return True, function(value, self, mode) if self._told[function] else function(value, self)
        finally:
            self._kind = former


def _takes_mode(function: Callable[..., Any]) -> bool:
    import inspect

    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):
        return False
    try:
        signature.bind(None, None, 0)
    except TypeError:
        return False
    return True


def structural_mutate(root: Any, callbacks: Any = ()) -> Any:
    """Return *root* rewritten by callbacks that say themselves what is rewritten in a value: each is given the value
    and a StructuralMutator, whose `mutate(part)` and `default_mutate(value)` return what these become, and returns the
    result, into which nobody looks again. One that takes a third argument is given an InplaceMode: ALLOW for a root
    that was moved here and that nobody else holds. Values without a callback are rewritten by what is in them.
    *callbacks*, copies and variables as in structural_map; ValueError for a value within itself.

    >>> import jitffi
    >>> def on_list(value, mutator):
    ...     return [mutator.mutate(value[0]), "end"]
    >>> jitffi.structural_mutate([1, 2, 3], [(list, on_list), (int, lambda value, mutator: value + 1)])
    [2, 'end']
    """
    mutator = StructuralMutator(Callbacks("structural_mutate", callbacks))
    value = _unmoved(root)
    if value is not root and value.ref_count == 1:
        mutator._owned = value
    return mutator.mutate(value)


def _unmoved(root: Any) -> Any:
    """What `_move()` gave up, as an object again."""
    return Tuple((root,))[0] if type(root) is _MOVED else root
