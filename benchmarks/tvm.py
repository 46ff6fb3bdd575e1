"""Functions of tvm-ffi called from Python: by tvm-ffi itself, and by jitffi in front of the same function.

"with a signature": compiled for these types; without one each argument is asked for its type.
"""

from __future__ import annotations

from typing import Any

from benchmarks import build, peers
from benchmarks.harness import Case, Goal, Measured, Settings, Times, compare, ratio_goal

TITLE = "Functions of tvm-ffi, ns a call from Python"
RELATION = "ratio"
LIMIT = "tvm_ffi"
OURS = "jitffi, with a signature"
PLAIN = "jitffi"
#: The share of tvm-ffi's own time that a call with a signature is to take.
GOAL = 0.2
NUMBER = "testing.add_one(1)"
ROWS = (
    (NUMBER, "testing.add_one", "(i64) -> i64", 1, 2),
    ("testing.echo('abc')", "testing.echo", "(str) -> str", "abc", "abc"),
    ("testing.echo('a' * 20)", "testing.echo", "(str) -> str", "a" * 20, "a" * 20),
)


def _cases(name: str, signature: str, given: Any, wanted: Any) -> dict[str, Case]:
    import jitffi

    theirs = build.installed("tvm_ffi").get_global_func(name)
    functions = {
        LIMIT: theirs,
        OURS: jitffi.from_tvm_ffi(theirs, "f", signature),
        PLAIN: jitffi.from_tvm_ffi(theirs, "f"),
    }
    return {who: Case("f(x)", {"f": f, "x": given}, lambda made: bool(made == wanted)) for who, f in functions.items()}


def measure(settings: Settings) -> Measured:
    measured = Measured()
    for row, *what in ROWS:
        found = peers.gathered({LIMIT: lambda what=what: _cases(*what)}, measured.remarks) if settings.peers else {}
        if found:
            measured.times.append(compare(row, found[LIMIT], settings.rounds))
    return measured


def judge(measured: list[Times]) -> list[Goal]:
    return [goal for times in measured if times.case == NUMBER for goal in ratio_goal(times, OURS, LIMIT, GOAL)]
