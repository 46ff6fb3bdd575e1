"""Packed calls from Python without a signature: each argument is packed as what it is, at run time.

Both sides call a packed C function written by hand (native/packed.c, native/tvm_peer.cpp), which checks the codes of
its arguments. tvm_ffi is the limit, since this is what all its calls are.
"""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

from benchmarks import build, peers
from benchmarks.harness import Case, Goal, Measured, Settings, Times, compare, equals, ratio_goal

TITLE = "A packed call from Python without a signature, ns"
RELATION = "ratio"
LIMIT = "tvm_ffi"
OURS = "jitffi"
GOAL = 0.5

NAMES = ("packed_none", "packed_add", "packed_add_f64", "packed_len")


def bind() -> SimpleNamespace:
    import jitffi

    library = build.library("packed", *build.against_plain())

    def one(name: str) -> Callable[..., object]:
        function = jitffi.Function.from_packed(build.address(library, name), name=name, keep_alive=library)
        return getattr(function, name)  # its builtin, as bind and convert return it

    return SimpleNamespace(**{name: one(name) for name in NAMES})


def cases(m: SimpleNamespace) -> dict[str, Case]:
    s40 = "abcdefghij" * 4
    return {
        "() -> None": Case("f()", {"f": m.packed_none}, equals(None)),
        "(int, int) -> int": Case("f(a, b)", {"f": m.packed_add, "a": 3, "b": 4}, equals(7)),
        "(int, int) -> int, large": Case("f(a, b)", {"f": m.packed_add, "a": 1 << 40, "b": 4}, equals((1 << 40) + 4)),
        "(float, float) -> float": Case("f(a, b)", {"f": m.packed_add_f64, "a": 1.5, "b": 2.5}, equals(4.0)),
        "(str) -> int, 5": Case("f(s)", {"f": m.packed_len, "s": "hello"}, equals(5)),
        "(str) -> int, 40": Case("f(s)", {"f": m.packed_len, "s": s40}, equals(40)),
    }


def measure(settings: Settings, bound: SimpleNamespace) -> Measured:
    measured = Measured()
    contenders = {OURS: cases(bound)}

    def tvm() -> dict[str, Case]:
        module = peers.tvm_ffi()
        return cases(SimpleNamespace(**{name: module[name] for name in NAMES}))

    contenders |= peers.gathered({LIMIT: tvm}, measured.remarks) if settings.peers else {}
    for row in contenders[OURS]:
        measured.times.append(compare(row, {who: made[row] for who, made in contenders.items()}, settings.rounds))
    return measured


def judge(measured: list[Times]) -> list[Goal]:
    return [goal for times in measured for goal in ratio_goal(times, OURS, LIMIT, GOAL)]
