"""Loops over arrays of a million elements: scripts beside numba's functions of the same source, and NumPy where it has
the same in one call. The limit is NumPy, numba what is to be reached.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import SimpleNamespace
from typing import Any

from benchmarks import build, peers
from benchmarks.harness import Case, Goal, Measured, Settings, Times, compare, ratio_goal

TITLE = "A loop over arrays of 1,000,000 float64, ns"
RELATION = "ratio"
LIMIT = "NumPy"
OURS = "jitffi"
NUMBA = "numba"
#: Against NumPy where it makes no temporary array.
GOALS = {"axpy": 1.0, "fill": 1.0}
NUMBA_GOAL = 1.2
SIZE = 1_000_000


def axpy(a, x, y):  # type: ignore[no-untyped-def]
    for i in range(len(x)):
        y[i] += a * x[i]


def dot(x, y):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(len(x)):
        s += x[i] * y[i]
    return s


def prefix_sum(x, y):  # type: ignore[no-untyped-def]
    s = 0.0
    for i in range(len(x)):
        s += x[i]
        y[i] = s


def smooth(x, y):  # type: ignore[no-untyped-def]
    for i in range(1, len(x) - 1):
        y[i] = 0.25 * x[i - 1] + 0.5 * x[i] + 0.25 * x[i + 1]


def matrix_vector(a, x, y):  # type: ignore[no-untyped-def]
    for i in range(len(a)):
        s = 0.0
        for j in range(len(x)):
            s += a[i, j] * x[j]
        y[i] = s


def fill(x, v):  # type: ignore[no-untyped-def]
    for i in range(len(x)):
        x[i] = v


LOOPS = (axpy, dot, prefix_sum, smooth, matrix_vector, fill)


@cache
def _arguments() -> dict[str, dict[str, Any]]:
    """Of each loop. All contenders have the same arrays: how fast memory is depends on the pages it lies in."""
    import numpy as np

    x, y, a = np.linspace(0.0, 1.0, SIZE), np.ones(SIZE), np.ones((1000, 1000))
    short = np.ones(1000)
    return {
        "axpy": {"a": 1e-9, "x": x, "y": y},
        "dot": {"x": x, "y": np.ones(SIZE)},
        "prefix_sum": {"x": x, "y": y},
        "smooth": {"x": x, "y": y},
        "matrix_vector": {"a": a, "x": short, "y": np.zeros(1000)},
        "fill": {"x": np.zeros(SIZE), "v": 1.0},
    }


def cases(functions: dict[str, Callable[..., object]]) -> dict[str, Case]:
    arguments = _arguments()
    wanted = {"dot": lambda found: abs(found - SIZE / 2) < 1e-3}
    return {
        name: Case(f"f({', '.join(arguments[name])})", {"f": f, **arguments[name]}, wanted.get(name, lambda _: True))
        for name, f in functions.items()
    }


def bind() -> SimpleNamespace:
    import jitffi

    bound = {each.__name__: jitffi.script(each) for each in LOOPS}
    for name, case in cases(bound).items():
        bound[name](*[value for key, value in case.names.items() if key != "f"])
    return SimpleNamespace(**bound)


def _numpy() -> dict[str, Case]:
    import numpy as np

    def add(a: float, x: Any, y: Any) -> None:
        y += a * x

    return cases(
        {
            "axpy": add,
            "dot": np.dot,
            "prefix_sum": lambda x, y: np.cumsum(x, out=y),
            "matrix_vector": lambda a, x, y: np.dot(a, x, out=y),
            "fill": lambda x, v: x.fill(v),
        }
    )


def _numba() -> dict[str, Case]:
    numba = build.installed("numba")
    return cases({each.__name__: numba.njit(each) for each in LOOPS})


def measure(settings: Settings, bound: SimpleNamespace) -> Measured:
    measured = Measured()
    contenders = {LIMIT: _numpy(), OURS: cases(vars(bound))}
    contenders |= peers.gathered({NUMBA: _numba}, measured.remarks) if settings.peers else {}
    for each in LOOPS:
        row = each.__name__
        taking_part = {who: made[row] for who, made in contenders.items() if row in made}
        measured.times.append(compare(row, taking_part, settings.rounds))
    return measured


def judge(measured: list[Times]) -> list[Goal]:
    goals = []
    for times in measured:
        limit = GOALS.get(times.case)
        goals += ratio_goal(times, OURS, LIMIT, limit) if limit else []
        goals += ratio_goal(times, OURS, NUMBA, NUMBA_GOAL)
    return goals
