"""Graphs gone through by callbacks for types of values: `structural_walk`, and `structural_visit`, whose callbacks say
themselves where to go on.
"""

from __future__ import annotations

from jitffi.api.structural_parts import (
    FIRST_CHECK,
    Callbacks,
    DefRegionKind,
    Layouts,
    VisitInterrupt,
    WalkOrder,
    WalkResult,
    check_circle,
    inner,
    order_of,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar

    _R = TypeVar("_R")
    _Parts = Iterator[tuple[Any, DefRegionKind]]


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
    actions = Callbacks("structural_walk", callbacks, with_def_region_kind)
    before = order_of(order, "structural_walk") is WalkOrder.PREORDER
    layouts = Layouts()
    above: list[tuple[_Parts, Any, DefRegionKind]] = []  # of each value that the walk is in: what is left around it
    next_check = FIRST_CHECK
    level: _Parts = iter([(root, DefRegionKind.NONE)])
    while True:
        for value, kind in level:
            action = actions[type(value)]
            if action is not None and before:
                result = _called(action, value, kind)
                if isinstance(result, VisitInterrupt):
                    return result
                if result is WalkResult.SKIP:
                    continue
            layout = layouts[type(value)]
            if layout is not None:
                above.append((level, value, kind))
                if len(above) == next_check:
                    next_check = check_circle("structural_walk", [each[1] for each in above])
                level = zip(layout.of(value), layout.kinds(kind))  # noqa: B905  the kinds may have no end
                break
            if action is not None and not before:
                result = _called(action, value, kind)
                if isinstance(result, VisitInterrupt):
                    return result
        else:
            if not above:
                return None
            level, value, kind = above.pop()
            action = None if before else actions[type(value)]
            if action is not None:
                result = _called(action, value, kind)
                if isinstance(result, VisitInterrupt):
                    return result


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
        layout = self._layouts[type(value)]
        if layout is None:
            return None
        return self._run(zip(layout.of(value), layout.kinds(self._kind)))  # noqa: B905  the kinds may have no end

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

    def _run(self, level: _Parts) -> VisitInterrupt | None:
        former = self._kind
        above: list[tuple[_Parts, Any]] = []
        actions, layouts, next_check = self._callbacks, self._layouts, FIRST_CHECK
        try:
            while True:
                for value, kind in level:
                    action = actions[type(value)]
                    if action is not None:
                        self._kind = kind
                        result = action[0](value, self)
                        if result is not None:
                            return _interrupt(result)
                        continue
                    layout = layouts[type(value)]
                    if layout is not None:
                        above.append((level, value))
                        if len(above) == next_check:
                            next_check = check_circle("structural_visit", [each[1] for each in above])
                        level = zip(layout.of(value), layout.kinds(kind))  # noqa: B905
                        break
                else:
                    if not above:
                        return None
                    level, _ = above.pop()
        finally:
            self._kind = former


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
