"""Iterations over ranges, forwards and back."""

from __future__ import annotations

from jitffi.scripts.lower import dynamic
from jitffi.scripts.lower.control.interrupts import Stretch
from jitffi.scripts.lower.control.iteration import ONE, ZERO, Iterator, counter
from jitffi.scripts.lower.function.emit import V
from jitffi.scripts.lower.function.values import Value, int_
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import INT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.lower.function.body import Body


class Range(Iterator):
    """Ints from start to stop. In steps of 1 or -1 they are compared with the end; else rounds are counted, which
    serves all steps, and ranges that end at either end of the ints."""

    type = INT

    def __init__(self, b: Body, start: V, stop: V, step: V) -> None:
        self._step: Final = step
        self._at = counter(b, start)
        self._item = ZERO
        self._start, self._stop = start, stop
        self._left: V | None = None
        self._stretch: Stretch | None = None
        if step.text not in ("1", "-1"):
            self._left = counter(b, range_length(b, start, stop, step), "left")

    def stretch(self, b: Body, rounds: int) -> bool:
        if self._step.text == "1" and self._left is None:
            self._stretch = Stretch(b, self._at, self._stop, True, rounds)
        return self._stretch is not None

    def next(self, b: Body, done: str) -> None:
        e = b.e
        at = self._next(b, done) if self._stretch is None else self._stretch.next(b, done)
        e.store(e.add(at, self._step), self._at)
        self._item = at

    def _next(self, b: Body, done: str) -> V:
        e = b.e
        on = e.label("round")
        at = e.load("i64", self._at, 0, "at")
        if self._left is None:
            e.branch(e.icmp("slt" if self._step.text == "1" else "sgt", at, self._stop), on, done)
            e.at(on)
        else:
            left = e.load("i64", self._left, 0, "left")
            e.branch(e.icmp("ne", left, ZERO), on, done)
            e.at(on)
            e.store(e.sub(left, ONE), self._left)
        return at

    def bounds(self) -> tuple[V, V] | None:
        return (self._start, self._stop) if self._step.text == "1" and self._left is None else None

    def number(self) -> V:
        return self._item

    def item(self, b: Body) -> Value:
        return int_(self._item)

    def length(self, b: Body) -> V | None:
        return range_length(b, self._start, self._stop, self._step)


def range_length(b: Body, start: V, stop: V, step: V) -> V:
    """How many ints there are, unsigned: up to 2**64 - 1."""
    e = b.e
    up = e.icmp("sgt", step, ZERO, "up")
    low, high = e.select(up, start, stop, "low"), e.select(up, stop, start, "high")
    size = e.select(up, step, e.sub(ZERO, step), "step")
    some = e.icmp("slt", low, high, "some")
    # Unsigned: the distance can be more than an int holds.
    rounds = e.add(e.binary("udiv", e.sub(e.sub(high, low), ONE), size), ONE)
    return e.select(some, rounds, ZERO, "rounds")


def range_bounds(b: Body, node: tree.Builtin) -> tuple[V, V, V]:
    """start, stop and step of a range."""
    values = b.exprs(node.args)
    given = [dynamic.index(b, value) for value in values]
    if len(given) == 1:
        return ZERO, given[0], ONE
    if len(given) == 2:
        return given[0], given[1], ONE
    known = values[2].const
    if not (isinstance(known, int) and known):
        b.frame.raise_if(b.e.icmp("eq", given[2], ZERO), "ValueError", "range() arg 3 must not be zero")
    return given[0], given[1], given[2]


def range_of(b: Body, node: tree.Builtin) -> Iterator:
    return Range(b, *range_bounds(b, node))


def reversed_range(b: Body, node: tree.Builtin) -> Iterator:
    """From the last one back; the ends may lie beyond the ints, so its rounds are counted."""
    e = b.e
    start, stop, step = range_bounds(b, node)
    rounds = range_length(b, start, stop, step)
    last = e.add(start, e.mul(e.sub(rounds, ONE), step), "last")
    found = Range(b, last, start, e.sub(ZERO, step))
    found._left = counter(b, rounds, "left")
    return found
