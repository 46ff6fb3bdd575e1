"""Functions of tvm-ffi called from Python: by tvm-ffi itself, and by jitffi in front of the same function.

"with a signature": compiled for these types; without one each argument is asked for its type.

The last row is native code that calls a function of the convention in a loop, which adds up the results: one that is
written in C by the convention's header, the same generated, and a loop of C's that calls a generated function pointer.
"""

from __future__ import annotations

from typing import Any

from benchmarks import build, native, peers
from benchmarks.harness import Case, Goal, Measured, Settings, Times, compare, ratio_goal

TITLE = "Functions of tvm-ffi, ns a call from Python"
RELATION = "ratio"
LIMIT = "tvm_ffi"
OURS = "jitffi, with a signature"
PLAIN = "jitffi"
#: The share of tvm-ffi's own time that a call with a signature is to take.
GOAL = 0.2
NUMBER = "testing.add_one(1)"
LOOP, BY_HAND, GENERATED = "(i64, i64) -> i64 in a native loop", "by hand", "jitffi, in the loop"
#: Of the time of a loop that calls the function's own address by hand.
LOOP_GOAL = 1.2
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


def _loops() -> native.Loops:
    from benchmarks import fused
    from jitffi.api.functions import Function
    from jitffi.api.making import make, signature_of
    from jitffi.conventions.tvm_ffi import CONVENTION

    library, loops = build.library("tvm_calls", *build.against_plain()), native.Loops()
    add = build.address(library, "tvm_add")
    caller = Function(make("add", signature_of(native.SIGNATURE), "tvm_ffi", add))
    assert caller.native_address
    loop = fused.caller(CONVENTION)
    loops.add(BY_HAND, build.address(library, "loop_tvm"), loops.cell(add))
    loops.add(GENERATED, loop.address, loops.cell(native.state_of(caller)), (caller, loop))
    pointer = build.address(build.library("loops"), "loop_pointer")
    loops.add("jitffi, by pointer", pointer, loops.cell(caller.native_address), caller)
    return loops


def measure(settings: Settings) -> Measured:
    measured = Measured()
    loops = _loops()  # what is called lives as long
    measured.times.append(compare(LOOP, loops.cases, settings.rounds))
    for row, *what in ROWS:
        found = peers.gathered({LIMIT: lambda what=what: _cases(*what)}, measured.remarks) if settings.peers else {}
        if found:
            measured.times.append(compare(row, found[LIMIT], settings.rounds))
    return measured


def judge(measured: list[Times]) -> list[Goal]:
    goals = [goal for times in measured if times.case == NUMBER for goal in ratio_goal(times, OURS, LIMIT, GOAL)]
    loops = [goal for t in measured if t.case == LOOP for goal in ratio_goal(t, GENERATED, BY_HAND, LOOP_GOAL)]
    return goals + loops
