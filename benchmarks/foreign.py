"""Scripts that have to do with nothing but Python's own objects: an operation each, in a loop, ns.

Whoever gives a script what scripts have no values for is to lose next to nothing by it: CPython runs the same function.
The last row is a function that is left to the interpreter, called.
"""

from __future__ import annotations

import collections
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.harness import Case, Goal, Measured, Settings, Times, compare, equals, ratio_goal

TITLE = "Scripts with Python's own objects, ns an operation"
RELATION = "ratio"
LIMIT = "CPython"
OURS = "jitffi"
GOAL = 1.1

COUNT = 1000


class Point:
    def __init__(self, x: object, y: object) -> None:
        self.x, self.y, self.items = x, y, []

    def get(self) -> object:
        return self.x


class Slots:
    __slots__ = ("x", "y")

    def __init__(self, x: object, y: object) -> None:
        self.x, self.y = x, y


def helper(x):
    return x


def attributes(p, n):
    for _ in range(n):
        p.x + p.y


def assigned(p, n):
    for _ in range(n):
        p.x = p.y


def compared(p, n):
    count = 0
    for _ in range(n):
        if p.x < p.y:
            count += 1
    return count


def method(p, n):
    for _ in range(n):
        p.get()


def called(f, n):
    for _ in range(n):
        f(-5)


def item(xs, n):
    for _ in range(n):
        xs[3]


def iterated(xs, n):
    for _ in range(n // 100):
        for _ in xs:
            pass


def text(p, n):
    for _ in range(n):
        f"{p.x}"


def rows(x, n):
    for i in range(n):
        x[i] - x[i + 1]


def numbers(x, n):
    most = x.max()
    for _ in range(n):
        most - 1.5


def left(x):
    try:
        pass
    except* ValueError:
        pass
    return x


LOOPS = {
    "attributes": (attributes, Point(1.5, 2.5), None),
    "attributes of __slots__": (attributes, Slots(1, 2), None),
    "assignment to an attribute": (assigned, Point(1, 2), None),
    "comparison of attributes": (compared, Point(1, 2), COUNT),
    "method": (method, Point(1, 2), None),
    "function": (called, helper, None),
    "function of C": (called, abs, None),
    "item of a deque": (item, collections.deque(range(100)), None),
    "iteration over a deque": (iterated, collections.deque(range(100)), None),
    "attribute in an f-string": (text, Point(1, 2), None),
    "rows of an array": (rows, np.ones((COUNT + 1, 3)), None),
    "numbers of NumPy's": (numbers, np.ones((COUNT + 1, 3)), None),
}


def bind() -> SimpleNamespace:
    import jitffi

    made = SimpleNamespace(left=jitffi.script(left))
    for function, given, _ in LOOPS.values():
        script = getattr(made, function.__name__, None) or jitffi.script(function)
        setattr(made, function.__name__, script)
        script(given, 1)
    made.left(1)
    return made


def _case(function: Callable[..., Any], given: object, wanted: object) -> Case:
    return Case("f(a, n)", {"f": function, "a": given, "n": COUNT}, equals(wanted), per=COUNT)


def measure(settings: Settings, bound: SimpleNamespace) -> Measured:
    measured = Measured()
    for row, (function, given, wanted) in LOOPS.items():
        both = {OURS: _case(getattr(bound, function.__name__), given, wanted), LIMIT: _case(function, given, wanted)}
        measured.times.append(compare(row, both, settings.rounds))
    both = {who: Case("f(1)", {"f": f}, equals(1)) for who, f in ((OURS, bound.left), (LIMIT, left))}
    measured.times.append(compare("left to the interpreter", both, settings.rounds))
    return measured


def judge(measured: list[Times]) -> list[Goal]:
    # The call of what is left goes through the Script's own, some ns more.
    return [goal for times in measured[:-1] for goal in ratio_goal(times, OURS, LIMIT, GOAL)]
