"""Iteration over an array: its elements, or the views of its rows."""

from __future__ import annotations

from jitffi.scripts.lower.containers import arrays
from jitffi.scripts.lower.control.interrupts import Stretch
from jitffi.scripts.lower.control.iteration import ONE, ZERO, Iterator, counter
from jitffi.scripts.tree.types import array_item, rank_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.lower.function.emit import V
    from jitffi.scripts.lower.function.values import Value


class Array(Iterator):
    """Its length never changes, so that rounds run in stretches as those over text."""

    def __init__(self, b: Body, value: Value, backwards: bool = False) -> None:
        self.type = array_item(value.type)
        self._value: Final = value
        self._backwards: Final = backwards
        self._size: Final = arrays.length_of(b, value)
        self._at = counter(b, self._size if backwards else ZERO)
        self._stretch: Stretch | None = None
        self._item = ZERO

    def stretch(self, b: Body, rounds: int) -> bool:
        if not self._backwards:
            self._stretch = Stretch(b, self._at, self._size, False, rounds)
        return not self._backwards

    def next(self, b: Body, done: str) -> None:
        e = b.e
        if self._stretch is not None:
            at = self._stretch.next(b, done)
        else:
            on = e.label("round")
            at = e.load("i64", self._at, 0, "at")
            e.branch(e.icmp("ne", at, ZERO if self._backwards else self._size), on, done)
            e.at(on)
        after = e.sub(at, ONE) if self._backwards else e.add(at, ONE)
        e.store(after, self._at)
        self._item = after if self._backwards else at

    def position(self) -> V | None:
        return None if self._backwards else self._item

    def item(self, b: Body) -> Value:
        if rank_of(self._value.type) == 1:
            return arrays.read(b, self._value, [self._item])
        return arrays.row(b, self._value, self._item)

    def length(self, b: Body) -> V | None:
        return self._size
