"""Objects of one's own types: fields, methods, construction, items of a list, ns each.

The limit is native/handmade_objects.c: members of CPython's own (PyMemberDef), a constructor by vectorcall, and
a list of Python's. A class with __slots__ is what most Python is written with. nanobind and pybind11 have classes of
C++ with def_rw and a bound std::vector; tvm_ffi has its py_class, whose fields lie in native memory as ours do, and
its List. Text is a str that is there already for the extension and __slots__, and is made anew by the others: it has
no goal beside the first, as items have none beside a list of Python's. A method in Python is the same function for all
that have one; the method of native code is C's for us, C++'s for nanobind and pybind11; tvm_ffi and __slots__ have
Python's there. A script reads and writes the fields of a hundred objects of a list, and calls a method of each, another
text and containers in fields, a third makes objects, a fourth multiplies a matrix in a field by a vector; CPython runs
the same functions on classes with __slots__.
"""

from __future__ import annotations

import shlex
from types import SimpleNamespace
from typing import Any

from benchmarks import build, peers
from benchmarks.harness import Case, Goal, Measured, Settings, Times, compare, equals, ratio_goal

TITLE = "Objects, ns an operation"
RELATION = "ratio"
LIMIT = "C extension"
OURS = "jitffi"

#: Row -> what its ratio to the limit may be; None: it is compared with the peers alone. "set an object" sets two,
#: one after the other: what a field has already is not counted, and what it had before keeps its reference for later.
GOALS: dict[str, float | None] = {
    "get a number": 1.15,
    "set a number": 1.15,
    "get an object": 1.15,
    "set an object": 1.15,
    "set the same object": None,
    "get a text": 1.15,
    "set a text": 1.15,
    "call a method": None,
    "call a method of native code": None,
    "construct": None,
    "item of a list": None,
}
#: Of scripts what the ratio to __slots__ may be.
SCRIPTS = {
    "a script over a list": 0.3,
    "a script of texts and containers": 0.7,
    "a script that makes objects": 0.5,
    "a script over arrays": 0.1,
}


def cases(m: Any, listed: Any) -> dict[str, Case]:
    """Every row, of a class with fields and what makes a list of its objects."""
    inner = m.Node(2.5, 8, None, "inner")
    node = m.Node(1.5, 7, inner, "outer")
    items = listed([inner, node])
    arguments = {"P": m.Node, "x": 1.5, "i": 7, "o": inner, "s": "outer"}
    return {
        "get a number": Case("p.x", {"p": node}, equals(1.5)),
        "set a number": Case("p.id = v", {"p": node, "v": 7}, lambda _: node.id == 7),
        "get an object": Case("p.next", {"p": node}, lambda found: found.id == 8),
        "set an object": Case(
            "p.next = v; p.next = w",
            {"p": node, "v": m.Node(1.5, 9, None, "w"), "w": inner},
            lambda _: node.next.id == 8,
        ),
        "set the same object": Case("p.next = v", {"p": node, "v": inner}, lambda _: node.next.id == 8),
        "get a text": Case("p.name", {"p": node}, equals("outer")),
        "set a text": Case("p.name = v", {"p": node, "v": "outer"}, lambda _: node.name == "outer"),
        "call a method": Case("p.doubled()", {"p": node}, equals(3.0)),
        "call a method of native code": Case("p.twice()", {"p": node}, equals(3.0)),
        "construct": Case("P(x, i, o, s)", arguments, lambda made: made.next.id == 8),
        "item of a list": Case("l[1]", {"l": items}, lambda found: found.id == 7),
    }


def advanced(nodes: list[Any]) -> float:
    """What the script is made of."""
    total = 0.0
    for node in nodes:
        node.id = node.id + 1
        total += node.x * node.id + node.doubled()
    return total


def stocked(shelf: Any, count: int) -> int:
    """The same of texts and containers in fields."""
    found = 0
    for item in shelf.items:
        if shelf.name == "first":
            found += item
    for i in range(count):
        shelf.items[i] += 1
        shelf.counts["first"] += i
        shelf.name = "first"
    return found + shelf.counts["first"]


def multiplied(layer: Any, n: int) -> float:
    """A matrix in a field, times a vector, by their elements."""
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += layer.w[i, j] * layer.x[j]
    return total


def _maker(made: Any) -> Any:
    cls = made.Point

    def made_of(count: int) -> float:
        total = 0.0
        for i in range(count):
            point = cls(i * 0.5, 2.0)
            total += point.x * point.y
        return total

    return made_of


def _scripts(m: Any) -> dict[str, Case]:
    import numpy as np

    nodes = [m.Node(1.5, i, None, "") for i in range(100)]
    functions = [m.script(each) for each in (advanced, stocked, _maker(m), multiplied)]
    given: list[dict[str, Any]] = [
        {"l": nodes},
        {"l": m.Shelf("first", list(range(100)), {"first": 1}), "n": 100},
        {"n": 100},
        {"l": m.Layer(np.ones((100, 100)), np.ones(100)), "n": 100},
    ]
    calls = ("f(l)", "f(l, n)", "f(n)", "f(l, n)")
    each = zip(SCRIPTS, calls, functions, given, strict=True)
    return {name: Case(call, {"f": f, **more}, lambda found: found > 0) for name, call, f, more in each}


def bind() -> SimpleNamespace:
    import jitffi
    from jitffi.base import config

    includes = shlex.split(config.flags("includes"))
    native = jitffi.load_library(str(build.shared("nodes", *includes))).bind("twice", "(object) -> f64")

    @jitffi.register_object("benchmarks.Node", eq=False)
    class Node:
        x: float
        id: int
        next: Node | None
        name: str

        twice = native

        def doubled(self) -> float:
            return 2 * self.x

    @jitffi.register_object("benchmarks.Shelf")
    class Shelf:
        name: str
        items: list[int]
        counts: dict[str, int]

    @jitffi.register_object("benchmarks.Point")
    class Point:
        x: float
        y: float

    @jitffi.register_object("benchmarks.Layer")
    class Layer:
        w: jitffi.NDArray
        x: jitffi.NDArray

    classes = {"Node": Node, "Shelf": Shelf, "Point": Point, "Layer": Layer}
    made = SimpleNamespace(**classes, List=jitffi.List, script=jitffi.script)
    for case in cases(made, made.List).values():
        assert case.fault() is None, case.fault()
    return made


def _hand_written() -> dict[str, Case]:
    return cases(build.extension("handmade_objects"), list)


def _slots() -> dict[str, Case]:
    class Node:
        __slots__ = ("id", "name", "next", "x")

        def __init__(self, x: float, id: int, next: Any, name: str) -> None:
            self.x = x
            self.id = id
            self.next = next
            self.name = name

        def doubled(self) -> float:
            return 2 * self.x

        twice = doubled

    class Shelf:
        __slots__ = ("counts", "items", "name")

        def __init__(self, name: str, items: list[int], counts: dict[str, int]) -> None:
            self.name = name
            self.items = items
            self.counts = counts

    class Point:
        __slots__ = ("x", "y")

        def __init__(self, x: float, y: float) -> None:
            self.x = x
            self.y = y

    class Layer:
        __slots__ = ("w", "x")

        def __init__(self, w: Any, x: Any) -> None:
            self.w = w
            self.x = x

    made = SimpleNamespace(Node=Node, Shelf=Shelf, Point=Point, Layer=Layer, script=lambda function: function)
    return {**cases(made, list), **_scripts(made)}


def _without_python(m: Any) -> dict[str, Case]:
    made = cases(m, m.Nodes)
    del made["call a method"]
    return made


def _nanobind() -> dict[str, Case]:
    return _without_python(peers.nanobind("nanobind_objects", ()))


def _pybind11() -> dict[str, Case]:
    return _without_python(peers.pybind11("pybind11_objects", ()))


def _tvm_ffi() -> dict[str, Case]:
    tvm = build.installed("tvm_ffi")
    from tvm_ffi.dataclasses import py_class

    class Node(tvm.Object):  # type: ignore[name-defined, misc]
        x: float
        id: int
        next: Any
        name: str

        def doubled(self) -> float:
            return 2 * self.x

        twice = doubled

    return cases(SimpleNamespace(Node=py_class("benchmarks.Node")(Node)), tvm.List)


PEERS = {"nanobind": _nanobind, "pybind11": _pybind11, "tvm_ffi": _tvm_ffi}


def measure(settings: Settings, bound: SimpleNamespace) -> Measured:
    measured = Measured()
    hand_written = _hand_written()
    hand_written.pop("call a method")
    contenders = {LIMIT: hand_written, OURS: cases(bound, bound.List), "__slots__": _slots()}
    contenders[OURS] |= _scripts(bound)
    contenders |= peers.gathered(PEERS, measured.remarks) if settings.peers else {}
    for row in (*GOALS, *SCRIPTS):
        taking_part = {who: made[row] for who, made in contenders.items() if row in made}
        measured.times.append(compare(row, taking_part, settings.rounds))
    return measured


def judge(measured: list[Times]) -> list[Goal]:
    goals = []
    for times in measured:
        if times.case in SCRIPTS:
            goals += ratio_goal(times, OURS, "__slots__", SCRIPTS[times.case])
            continue
        limit = GOALS[times.case]
        if limit is not None:
            goals += ratio_goal(times, OURS, LIMIT, limit)
        nearest = times.quickest(list(PEERS))
        goals += ratio_goal(times, OURS, nearest, 1.0, below=True) if nearest else []
    return goals
