"""Native to native with text: 5 characters as an argument, 20 as a result. ns a call, in a loop that adds up lengths.

    pointer     the limit: a C function called through a pointer, with pointer and length; a result goes through an
                out-slot of AnyPad<2>
    by hand     the loop packs, in C, and so does the callee unpack
    packed      the same, generated: the packed entry of a C function, called by an adapter inlined in the loop, or by a
                closure that C's own loop calls

The allocations of a loop are counted by a shim over the runtime's allocator.
"""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

from benchmarks import build, peers
from benchmarks.harness import Case, Goal, Measured, Settings, Spread, Times, compare, ratio_goal

LIMIT = "pointer"
ARGUMENT, RESULT, ALLOCATED = "(str) -> i64, 5", "(str) -> str, 20", "(str) -> str, 20: allocations"
TURNS = 20000
TYPES = {ARGUMENT: "(str) -> i64", RESULT: "(str) -> str"}
CALLEES = {ARGUMENT: "str_len", RESULT: "str_id"}
LOOPS = {ARGUMENT: "length", RESULT: "result"}
SUMS = {ARGUMENT: 5 * TURNS, RESULT: 20 * TURNS}
BY_HAND = {ARGUMENT: "packed_len_here", RESULT: "packed_id"}
PEERS = {ARGUMENT: ("function", "object"), RESULT: ("function",)}
#: Contender -> its limit, in (str) -> i64.
GOALS = {"packed: in loop": 3.5}
AGAINST_TVM = 0.5


def bind() -> SimpleNamespace:
    import jitffi
    from benchmarks import native

    library = jitffi.load_library(str(build.plain()))
    made: dict[str, Any] = {}
    for row, types in TYPES.items():
        callee = jitffi.Function(library.bind(CALLEES[row], types))
        unknown = native.without_types(callee, callee.packed_address)
        _kept.append(unknown)
        closure = jitffi.Function.from_packed(
            callee.packed_address, signature=types, self_handle=ctypes.addressof(unknown), keep_alive=callee
        )
        made[row] = SimpleNamespace(callee=callee, closure=closure, address=closure.native_address)
    return SimpleNamespace(rows=made)


_kept: list[object] = []


def _loop(address: int) -> Any:
    return ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)(address)


def _cases(row: str, bound: SimpleNamespace, remarks: list[str], with_peers: bool) -> dict[str, Case]:
    from benchmarks import fused, native

    loops = build.library("text_loops", *build.against_plain(), *build.against_runtime())
    plain = ctypes.CDLL(str(build.plain()))
    made: dict[str, Case] = {}

    def add(who: str, loop: int, target: int) -> None:
        cell = ctypes.c_uint64(target)
        _kept.append(cell)
        names = {"loop": _loop(loop), "context": ctypes.addressof(cell), "n": TURNS}
        made[who] = Case("loop(context, n)", names, SUMS[row].__eq__, per=TURNS, loop=False)

    pointer = build.address(loops, f"{LOOPS[row]}_pointer")
    add(LIMIT, pointer, build.address(plain, CALLEES[row]))
    add("by hand", build.address(loops, f"{LOOPS[row]}_packed"), build.address(loops, BY_HAND[row]))
    if row == ARGUMENT:
        inlined = fused.text_caller()
        _kept.append(inlined)
        add("packed: in loop", inlined.address, native.state_of(bound.rows[row].closure))
    add("packed: by closure", pointer, bound.rows[row].address)
    peer = (
        peers.gathered({"tvm_ffi": lambda: ctypes.CDLL(str(peers.tvm_library("tvm_text")))}, remarks)
        if with_peers
        else {}
    )
    for name in PEERS[row] if peer else ():
        add(f"tvm_ffi: {name}", build.address(peer["tvm_ffi"], f"tvm_{LOOPS[row]}_{name}"), 0)
    return made


def _allocations(cases: dict[str, Case]) -> Times:
    """How often each loop but the peers' asks the runtime for memory, a call."""
    counting = build.library("counted", *build.against_runtime())
    counting.count_allocations.restype = ctypes.c_int64
    times = Times(ALLOCATED, "allocations a call")
    for who, case in cases.items():
        if who.startswith("tvm_ffi"):
            continue
        counting.count_start()
        before = counting.count_allocations()
        case.names["loop"](case.names["context"], TURNS)
        times.samples[who] = [(counting.count_allocations() - before) / TURNS]
        counting.count_stop()
    return times


def measure(settings: Settings, bound: SimpleNamespace) -> Measured:
    measured = Measured()
    cases = {row: _cases(row, bound, measured.remarks, settings.peers) for row in TYPES}
    for row in TYPES:
        times = compare(row, cases[row], settings.rounds)
        times.unit = "ns a call"
        measured.times.append(times)
    measured.times.append(_allocations(cases[RESULT]))
    return measured


def judge(measured: list[Times]) -> list[Goal]:
    goals = []
    for times in measured:
        if times.case == ARGUMENT:
            goals += [goal for who, limit in GOALS.items() for goal in ratio_goal(times, who, LIMIT, limit)]
        elif times.case == RESULT:
            goals += ratio_goal(times, "packed: by closure", "tvm_ffi: function", AGAINST_TVM, below=True)
        elif times.case == ALLOCATED:
            who = "packed: by closure"
            goals.append(Goal(times.case, who, "", "", Spread.of(times.samples[who]), 0.0))
    return goals
