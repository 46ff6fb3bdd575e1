"""Native to Python: a Python function `(i64) -> i64` that a C loop calls, with the interpreter's lock held.

The limit is PyObject_Vectorcall in a hand-written extension, with ints made and read as jitffi makes and reads them;
the loop is its own. Ours is called as a C function pointer by a loop in another library, which knows nothing of
Python: it must find out whether it has the lock, and where an error goes. "C extension, function pointer" does the
same by hand, with one static callable.

The second row is what it costs to hand over a lambda that was never seen before: a call of the same loop for no rounds.
"""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

from benchmarks import build, peers
from benchmarks.harness import Case, Goal, Measured, Settings, Times, compare, equals, ratio_goal

TITLE = "Native to Python, ns a call"
RELATION = "ratio"
LIMIT = "C extension"
OURS = "jitffi"
CALLS, HAND_OVER = "(i64) -> i64", "hand over a lambda"

TURNS = 2000
SUM = sum(range(1000, 1000 + TURNS))
GOAL = 1.15


def identity(x: int) -> int:
    return x


def bind() -> SimpleNamespace:
    import jitffi

    library = jitffi.load_library(str(build.plain()))
    loop = library.bind("loop_callback", "(func[(i64) -> i64], i64) -> i64")
    function = jitffi.function("(i64) -> i64")(identity)
    assert loop(function, 3) == loop(identity, 3) == 3003  # both ways to hand one over have their code made
    return SimpleNamespace(loop=loop, function=function)


def _case(loop: Any, callback: Any) -> Case:
    return Case("loop(f, n)", {"loop": loop, "f": callback, "n": TURNS}, equals(SUM), per=TURNS)


def _cffi_compiled() -> Case:
    module = peers.cffi_compiled()
    module.ffi.def_extern(name="python_callback")(identity)
    return _case(module.lib.loop_callback, module.lib.python_callback)


def _cffi_loaded() -> Case:
    module = peers.cffi_loaded()
    return _case(module.lib.loop_callback, module.ffi.callback("int64_t(int64_t)", identity))


def _ctypes() -> Case:
    library = peers.with_ctypes()
    return _case(library.loop_callback, ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(identity))


def _tvm(name: str) -> Case:
    from tvm_ffi import convert

    return _case(peers.tvm_ffi()[name], convert(identity))


PEERS = {
    "nanobind, std::function": lambda: _case(peers.nanobind().loop_function, identity),
    "nanobind, callable": lambda: _case(peers.nanobind().loop_callable, identity),
    "pybind11, std::function": lambda: _case(peers.pybind11().loop_function, identity),
    "Cython": lambda: _case(peers.cython().loop_callable, identity),
    "cffi, compiled": _cffi_compiled,
    "cffi, loaded": _cffi_loaded,
    "tvm_ffi, Function": lambda: _tvm("loop_function"),
    "tvm_ffi, TypedFunction": lambda: _tvm("loop_typed"),
    "ctypes": _ctypes,
}


def _handing_over(loops: dict[str, Case]) -> dict[str, Case]:
    """The same loops, given a new lambda for no rounds; where something must be made of it first, with that."""
    made = {}
    for who, case in loops.items():
        if who.startswith("cffi") or who == "tvm_ffi, TypedFunction":
            continue  # cffi's are made once for a program
        names = {"loop": case.names["loop"]}
        if who == "ctypes":
            names["make"] = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
        made[who] = Case("loop(make(lambda x: x), 0)" if who == "ctypes" else "loop(lambda x: x, 0)", names, equals(0))
    return made


def measure(settings: Settings, bound: SimpleNamespace) -> Measured:
    measured = Measured()
    handmade = build.hand_written()
    loops = {
        LIMIT: _case(handmade.loop_own, identity),
        OURS: _case(bound.loop, bound.function),
        "C extension, function pointer": _case(handmade.loop_library, identity),
    }
    loops |= peers.gathered(PEERS, measured.remarks) if settings.peers else {}
    measured.times.append(compare(CALLS, loops, settings.rounds))
    measured.times.append(compare(HAND_OVER, _handing_over(loops), settings.rounds))
    return measured


def judge(measured: list[Times]) -> list[Goal]:
    calls = measured[0]  # handing over has no goal
    return ratio_goal(calls, OURS, LIMIT, GOAL)
