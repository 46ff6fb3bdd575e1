"""Structs of C and variadic functions: fields, construction, calls, ns each.

jitffi's code is the stored one, as a second process finds it in the cache. The limit is native/handmade_points.c, whose
classes have the members of CPython's own (PyMemberDef), and whose variadic call has its types in its source. nanobind's
classes have def_rw; it has neither arrays of structs nor variadic functions, so that its row is a function of three
ints. ctypes and cffi are given an array of theirs and its length, and ints of C are made by neither of them from a
Python int alone: cffi takes what `cast` has made.
"""

from __future__ import annotations

import ctypes
import zlib
from types import SimpleNamespace
from typing import Any

from benchmarks import build, peers
from benchmarks.harness import Case, Goal, Measured, Settings, Times, compare, equals, ratio_goal

TITLE = "Structs, ns an operation"
RELATION = "ratio"
LIMIT = "C extension"
OURS = "jitffi"

#: Row -> what its ratio to the limit may be.
GOALS = dict.fromkeys(
    ("read a field", "write a field", "construct", "by pointer", "by value", "by value, and back", "array of structs"),
    1.15,
) | {"variadic": 1.15}

_DECLARATIONS = """
struct point { double x, y; int64_t id; };
struct pair { double x, y; };
double by_pointer(const struct point *p);
double by_value(struct pair p);
struct pair moved(struct pair p, double by);
double many(uint64_t n, const struct point *points);
int sum_of(int count, ...);
"""
_FUNCTIONS = "by_pointer", "by_value", "moved", "many", "sum_of"


def _links() -> tuple[str, ...]:
    return build.against(build.shared("points"))


def bind() -> SimpleNamespace:
    import jitffi

    library = jitffi.load_library(str(build.shared("points")), cdef=_DECLARATIONS)
    found = {name: getattr(library, name) for name in _FUNCTIONS}
    found["many"] = library.bind("many", types={"points": "const struct point[n]"})
    made = SimpleNamespace(Point=library.types.point, Pair=library.types.pair, **found)
    for case in cases(made, array=made.Point.array(4)).values():
        assert case.fault() is None, case.fault()  # compiled, the variadic one for these types
    return made


def _is_pair(result: Any) -> bool:
    return (result.x, result.y) == (3.0, 4.0)


def cases(m: Any, point: Any = None, pair: Any = None, array: Any = None, **others: Case) -> dict[str, Case]:
    """Every row, of a namespace that has classes and functions; *array* holds four points."""
    point = m.Point(1.5, 2.5, 7) if point is None else point
    pair = m.Pair(1.0, 2.0) if pair is None else pair
    three = {"f": m.sum_of, "n": 3, "a": 10, "b": 20, "c": 30}
    made = {
        "read a field": Case("p.x", {"p": point}, equals(1.5)),
        "write a field": Case("p.y = v", {"p": point, "v": 2.5}, lambda _: point.y == 2.5),
        "construct": Case("P(x, y, i)", {"P": m.Point, "x": 1.5, "y": 2.5, "i": 7}, lambda made: made.id == 7),
        "by pointer": Case("f(p)", {"f": m.by_pointer, "p": point}, equals(4.0)),
        "by value": Case("f(p)", {"f": m.by_value, "p": pair}, equals(3.0)),
        "by value, and back": Case("f(p, d)", {"f": m.moved, "p": pair, "d": 2.0}, _is_pair),
        "variadic": Case("f(n, a, b, c)", three, equals(60)),
    }
    if array is not None:
        made["array of structs"] = Case("f(a)", {"f": m.many, "a": array}, equals(0.0))
    return made | others


def _hand_written(array: Any) -> dict[str, Case]:
    m = build.extension("handmade_points", *_links())
    return cases(m, array=array)


def _ctypes() -> dict[str, Case]:
    class Point(ctypes.Structure):
        _fields_ = (("x", ctypes.c_double), ("y", ctypes.c_double), ("id", ctypes.c_int64))

    class Pair(ctypes.Structure):
        _fields_ = (("x", ctypes.c_double), ("y", ctypes.c_double))

    lib = build.library("points", *())
    for name, result, *arguments in (
        ("by_pointer", ctypes.c_double, ctypes.POINTER(Point)),
        ("by_value", ctypes.c_double, Pair),
        ("moved", Pair, Pair, ctypes.c_double),
        ("many", ctypes.c_double, ctypes.c_uint64, ctypes.POINTER(Point)),
    ):
        function = getattr(lib, name)
        function.restype, function.argtypes = result, arguments
    m = SimpleNamespace(Point=Point, Pair=Pair, **{name: getattr(lib, name) for name in _FUNCTIONS})
    array = Case("f(len(a), a)", {"f": m.many, "a": (Point * 4)(), "len": len}, equals(0.0))
    return cases(m, **{"array of structs": array})


def _cffi() -> dict[str, Case]:
    """API mode, a compiled module."""
    ffi = build.installed("cffi").FFI()
    ffi.cdef(_DECLARATIONS)
    ffi.set_source("cffi_points", '#include "points.h"')
    made_of = f"{build.installed('cffi').__version__}-{zlib.crc32(_DECLARATIONS.encode()):08x}"
    source = build.cache_directory() / f"cffi_points-{made_of}-{build.SUFFIX}.c"
    if not source.exists():
        ffi.emit_c_code(str(source))
    command = [build.compiler(), *build.FLAGS, build.PYTHON_INCLUDE, str(source), *_links()]
    module = build.load("cffi_points", build.build(f"cffi_points{build.SUFFIX}", command, [source]))
    new = module.ffi.new
    point, pair = new("struct point*", (1.5, 2.5, 7)), new("struct pair*", (1.0, 2.0))
    m = SimpleNamespace(Point=None, Pair=None, **{name: getattr(module.lib, name) for name in _FUNCTIONS})
    made = cases(m, point, pair)
    made["construct"] = Case(
        "new(t, (x, y, i))", {"new": new, "t": module.ffi.typeof("struct point*"), "x": 1.5, "y": 2.5, "i": 7},
        lambda result: result.id == 7,
    )  # fmt: skip
    for row in ("by value", "by value, and back"):
        made[row] = Case(made[row].statement, {**made[row].names, "p": pair[0]}, made[row].check)
    made["array of structs"] = Case("f(len(a), a)", {"f": m.many, "a": new("struct point[4]"), "len": len}, equals(0.0))
    made["variadic"] = Case(
        "f(n, i(t, a), i(t, b), i(t, c))",
        {**made["variadic"].names, "i": module.ffi.cast, "t": module.ffi.typeof("int")},
        equals(60),
    )
    return made


PEERS = {
    "nanobind": lambda: cases(peers.nanobind("nanobind_points", _links())),
    "cffi": _cffi,
    "ctypes": _ctypes,
}


def measure(settings: Settings, bound: SimpleNamespace) -> Measured:
    measured = Measured()
    array = bound.Point.array(4)
    contenders = {LIMIT: _hand_written(array), OURS: cases(bound, array=array)}
    contenders |= peers.gathered(PEERS, measured.remarks) if settings.peers else {}
    for row in GOALS:
        taking_part = {who: made[row] for who, made in contenders.items() if row in made}
        measured.times.append(compare(row, taking_part, settings.rounds))
    return measured


def judge(measured: list[Times]) -> list[Goal]:
    goals = []
    for times in measured:
        goals += ratio_goal(times, OURS, LIMIT, GOALS[times.case])
        nearest = times.quickest(list(PEERS))
        goals += ratio_goal(times, OURS, nearest, 1.0, below=True) if nearest else []
    return goals
