"""Graphs gone through by callbacks for types of values: `structural_walk`, and `structural_visit`, whose callbacks say
themselves where to go on.
"""

from __future__ import annotations

from jitffi.api.structural_parts import (
    Callbacks,
    DefRegionKind,
    Layouts,
    VisitInterrupt,
    WalkOrder,
    WalkResult,
    circle,
    identity,
    inner,
    order_of,
    parts_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar

    _R = TypeVar("_R")
    _Parts = Iterator[tuple[Any, DefRegionKind]]


class _Open:
    """The values that a walk is in, the outermost first: what is left of each, and what is called behind it."""

    def __init__(self, name: str) -> None:
        self._name = name
        self._inside: dict[Any, Any] = {}
        self.levels: list[tuple[_Parts, Any, Any]] = []

    def enter(self, value: Any, parts: _Parts, after: Callable[[], Any] | None) -> None:
        key = identity(value)
        if key in self._inside:
            raise circle(self._name)
        self._inside[key] = value
        self.levels.append((parts, key, after))

    def leave(self) -> Any:
        _, key, after = self.levels.pop()
        self._inside.pop(key, None)
        return None if after is None else after()


def structural_walk(
    root: Any, callbacks: Any = (), with_def_region_kind: Any = (), order: str | WalkOrder = "post"
) -> VisitInterrupt | None:
    """Call, for every value in *root* and for itself, the first of *callbacks* that is for its type: ``(type,
    callback)``, ``((type, type), callback)``, a list of these, or a callback for all. It is given the value; those of
    *with_def_region_kind* are given the DefRegionKind as well, that is whether variables are bound there.

    Items, fields that structural comparison looks at, and values of maps, not their keys, are gone through in order, an
    object as often as it is met. With *order* "pre" a callback comes before what is in the value, which
    ``WalkResult.SKIP`` passes over; with "post" behind it. A callback that returns a VisitInterrupt ends the walk,
    which returns it. What a callback raises comes out; ValueError for a value within itself. No depth is too deep.

    >>> import jitffi
    >>> found = []
    >>> jitffi.structural_walk([1, {"a": 2.5}], [((int, float), found.append)])
    >>> found
    [1, 2.5]
    >>> jitffi.structural_walk([1, 2, 3], (int, lambda x: jitffi.VisitInterrupt(x) if x > 1 else None))
    VisitInterrupt(2)
    """
    find = Callbacks("structural_walk", callbacks, with_def_region_kind).find
    before = order_of(order, "structural_walk") is WalkOrder.PREORDER
    layouts = Layouts()
    state = _Open("structural_walk")
    state.levels.append((iter([(root, DefRegionKind.NONE)]), None, None))
    while state.levels:
        for value, kind in state.levels[-1][0]:
            action = find(value)
            result = _called(action, value, kind) if action and before else None
            if isinstance(result, VisitInterrupt):
                return result
            parts = None if result is WalkResult.SKIP else parts_of(value, kind, layouts)
            if parts is not None:
                after = None if before or action is None else _later(action, value, kind)
                state.enter(value, parts, after)
                break
            if action and not before:
                result = _called(action, value, kind)
                if isinstance(result, VisitInterrupt):
                    return result
        else:
            result = state.leave()
            if isinstance(result, VisitInterrupt):
                return result
    return None


def _later(action: tuple[Any, bool], value: Any, kind: DefRegionKind) -> Callable[[], Any]:
    return lambda: _called(action, value, kind)


def _called(action: tuple[Any, bool], value: Any, kind: DefRegionKind) -> Any:
    function, told = action
    result = function(value, kind) if told else function(value)
    if result is None or isinstance(result, (VisitInterrupt, WalkResult)):
        return result
    got = type(result).__name__
    raise TypeError(f"structural_walk: a callback returns None, a WalkResult or a VisitInterrupt, got {got}")


class StructuralVisitor:
    """What callbacks of structural_visit go on with: made by it, good while it runs."""

    def __init__(self, callbacks: Callbacks) -> None:
        self._callbacks = callbacks
        self._layouts = Layouts()
        self._kind = DefRegionKind.NONE

    def visit(self, value: Any) -> VisitInterrupt | None:
        """Visit *value*: call its callback, or visit what is in it."""
        return self._run(iter([(value, self._kind)]))

    def default_visit(self, value: Any) -> VisitInterrupt | None:
        """Visit what is in *value*, whatever callback it has itself."""
        parts = parts_of(value, self._kind, self._layouts)
        return None if parts is None else self._run(parts)

    def def_region_kind(self) -> DefRegionKind:
        """Whether variables are bound where the value stands that the callback was given."""
        return self._kind

    def with_def_region_kind(self, kind: int, callback: Callable[[], _R]) -> _R:
        """Return what *callback* returns, which visits in a region of that *kind*."""
        former, self._kind = self._kind, inner(self._kind, DefRegionKind(kind)) if kind else self._without()
        try:
            return callback()
        finally:
            self._kind = former

    def _without(self) -> DefRegionKind:
        return self._kind if self._kind is DefRegionKind.DEF_PATTERN else DefRegionKind.NONE

    def _run(self, parts: _Parts) -> VisitInterrupt | None:
        former = self._kind
        state = _Open("structural_visit")
        state.levels.append((parts, None, None))
        try:
            while state.levels:
                for value, self._kind in state.levels[-1][0]:  # noqa: B020
                    action = self._callbacks.find(value)
                    if action is not None:
                        result = action[0](value, self)
                        if result is not None:
                            return _interrupt(result)
                        continue
                    inside = parts_of(value, self._kind, self._layouts)
                    if inside is not None:
                        state.enter(value, inside, None)
                        break
                else:
                    state.leave()
        finally:
            self._kind = former
        return None


def _interrupt(result: Any) -> VisitInterrupt:
    if isinstance(result, VisitInterrupt):
        return result
    got = type(result).__name__
    raise TypeError(f"structural_visit: a callback returns None or a VisitInterrupt, got {got}")


def structural_visit(root: Any, callbacks: Any = ()) -> VisitInterrupt | None:
    """Visit *root* with callbacks that say where to go on: each is given the value and a StructuralVisitor, whose
    `visit(part)` and `default_visit(value)` it returns or goes on behind. What it visits not is passed over. Values
    without a callback are visited by what is in them. *callbacks* and interrupts as in structural_walk; ValueError for
    a value within itself.

    >>> import jitffi
    >>> def on_list(value, visitor):
    ...     print("of", len(value))
    ...     return visitor.default_visit(value)
    >>> jitffi.structural_visit([1, [2]], [(list, on_list), (int, lambda value, visitor: print(value))])
    of 2
    1
    of 1
    2
    """
    return StructuralVisitor(Callbacks("structural_visit", callbacks)).visit(root)
