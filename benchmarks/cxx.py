"""C++ to C++: lambdas called through function objects, in loops of C++ (native/cxx_jitffi.cpp, native/cxx_tvm.cpp).

tvm_ffi is the limit. Both convert arguments and results by the types of call and callee; "any types" is a call whose
types are those of what it is given, and a result that is cast.
"""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

from benchmarks import build, peers
from benchmarks.harness import Case, Goal, Measured, Settings, Times, compare, equals, ratio_goal

TITLE = "C++ to C++, ns a call"
RELATION = "ratio"
LIMIT = "tvm_ffi"
OURS = "jitffi"
TURNS = 2000

#: Row -> the loop of both libraries.
ROWS: dict[str, str] = {
    "typed, (i64, i64) -> i64": "loop_typed",
    "any types, (1, 2)": "loop_any",
    "typed, a short text": "loop_short",
    "typed, a long text": "loop_long",
    "typed, an object and back": "loop_object",
    "a function made of a lambda": "loop_make",
}


def _cases(library: Any) -> dict[str, Case]:
    made = {}
    for row, name in ROWS.items():
        loop = getattr(library, name)
        loop.argtypes, loop.restype = [ctypes.c_int64], ctypes.c_int64
        made[row] = Case("loop(n)", {"loop": loop, "n": TURNS}, equals(TURNS), per=TURNS)
    return made


def bind() -> SimpleNamespace:
    from jitffi.base import config

    source = build.NATIVE / "cxx_jitffi.cpp"
    links = build.against(config.library_file())
    command = [build.compiler(cpp=True), *build.CPP, *build.FLAGS, str(source), *links]
    library = ctypes.CDLL(str(build.build("libcxx_jitffi.so", command, [source])))
    for case in _cases(library).values():
        assert case.fault() is None, case.fault()
    return SimpleNamespace(library=library)


def _tvm_ffi() -> dict[str, Case]:
    return _cases(ctypes.CDLL(str(peers.tvm_library("cxx_tvm", ()))))


def measure(settings: Settings, bound: SimpleNamespace) -> Measured:
    measured = Measured()
    contenders = {OURS: _cases(bound.library)}
    contenders |= peers.gathered({LIMIT: _tvm_ffi}, measured.remarks) if settings.peers else {}
    for row in ROWS:
        measured.times.append(compare(row, {who: made[row] for who, made in contenders.items()}, settings.rounds))
    return measured


def judge(measured: list[Times]) -> list[Goal]:
    goals = []
    for times in measured:
        goals += ratio_goal(times, OURS, LIMIT, 1.0)
    return goals
