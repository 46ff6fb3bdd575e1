"""Native to native: `(i64, i64) -> i64` in a loop that adds up the results.

The limit is a call through a pointer, which is read again for each call, as is whatever the others call.

    by hand            the loop packs, in C, and so does the callee unpack
    packed: in loop    the same, generated: the packing half of an adapter inlined in the loop, a generated packed entry
        , whole        the C function is part of the packed entry: one call, as the limit is one call
        , behind       the packed entry calls the C function through a pointer: two calls
    same types         the loop compares the callee's types at each call, and calls its C function
    by closure         the loop is C's own and calls a function pointer, a closure, whose adapter packs, or compares
    visible            LLVM sees caller and callee in one module; what counts is what is left: no call, store or load

"in loop" and "visible" are what code pays that jitffi generates, "by closure" what any other C code pays.
"""

from __future__ import annotations

import ctypes
from types import SimpleNamespace
from typing import Any

from benchmarks import build, peers
from benchmarks.harness import Case, Goal, Measured, Settings, Spread, Times, compare, equals, ratio_goal

TITLE = "Native to native, ns a call"
RELATION = "ratio"
LIMIT = "pointer"
CALLS, LEFT = "(i64, i64) -> i64", "calls, stores and loads left"
GOALS = {"packed: in loop, whole": 2.2, "packed: in loop, behind": 1.9, "same types: in loop": 1.6}

TURNS = 50000
SUM = TURNS * (TURNS - 1) // 2 + 7 * TURNS
SIGNATURE = "(i64, i64) -> i64"
_FUNCTION_SIZE = 56


def without_types(function: Any, call: int) -> ctypes.Array[ctypes.c_uint64]:
    """A copy of a Function's function object that does not tell its types, so that it must be packed for. It is
    static, and thus never counted."""
    from jitffi.base import layout

    content = ctypes.string_at(function.handle, _FUNCTION_SIZE)
    words = (ctypes.c_uint64 * (_FUNCTION_SIZE // 8)).from_buffer_copy(content)
    words[1] = words[layout.FUNCTION_NATIVE // 8] = words[layout.FUNCTION_TYPES // 8] = 0
    words[layout.FUNCTION_CALL // 8] = call
    return words


def state_of(function: object) -> int:
    """Address of the state that generated code reads, a part of the object."""
    from jitffi.base import layout

    return id(function) + layout.HOST["function.state"]


def _caller(call: int, handle: int, keep: object) -> Any:
    """A Function whose C entry calls the packed entry *call*, with the function object at *handle*."""
    import jitffi

    made = jitffi.Function.from_packed(call, signature=SIGNATURE, self_handle=handle, keep_alive=keep)
    assert made.native_address
    return made


def bind() -> SimpleNamespace:
    import jitffi

    library = jitffi.load_library(str(build.plain()))
    add = jitffi.Function(library.bind("add_i64", SIGNATURE))
    unknown = without_types(add, add.packed_address)
    packing = _caller(add.packed_address, ctypes.addressof(unknown), unknown)
    return SimpleNamespace(add=add, packing=packing, checking=_caller(add.packed_address, add.handle, add))


class Loops:
    """Contenders: C functions `(context, n) -> sum`, called through ctypes, whose own cost is lost in the loop's
    turns."""

    def __init__(self) -> None:
        self.cases: dict[str, Case] = {}
        self._kept: list[object] = []

    def add(self, who: str, loop: int, context: int, keep: object = None) -> None:
        function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)(loop)
        names = {"loop": function, "context": context, "n": TURNS}
        self.cases[who] = Case("loop(context, n)", names, equals(SUM), per=TURNS, loop=False)
        self._kept.append(keep)

    def cell(self, value: int) -> int:
        """Address of 8 bytes that hold *value*."""
        made = ctypes.c_uint64(value)
        self._kept.append(made)
        return ctypes.addressof(made)


def _written(loops: Loops, bound: SimpleNamespace, remarks: list[str], with_peers: bool) -> None:
    """Loops that a compiler has made beforehand."""
    library = build.library("loops")
    callees = build.library("packed", *build.against_plain())
    pointer, packed = build.address(library, "loop_pointer"), build.address(library, "loop_packed")
    loops.add(LIMIT, pointer, loops.cell(bound.add.native_address))
    loops.add("by hand, whole", packed, loops.cell(build.address(callees, "packed_add_here")))
    loops.add("by hand, behind", packed, loops.cell(build.address(callees, "packed_add")))
    loops.add("packed: by closure", pointer, loops.cell(bound.packing.native_address))
    loops.add("same types: by closure", pointer, loops.cell(bound.checking.native_address))
    if with_peers:
        made = peers.gathered({"tvm_ffi": lambda: ctypes.CDLL(str(peers.tvm_library("tvm_loops")))}, remarks)
        for name in ("written", "object", "function") if made else ():
            loops.add(f"tvm_ffi: {name}", build.address(made["tvm_ffi"], f"tvm_loop_{name}"), 0)


def _fused(loops: Loops, bound: SimpleNamespace) -> Times:
    """Loops that LLVM makes here. Return what is left of the ones that it sees all of."""
    from benchmarks import fused

    loop, entry = fused.caller(), fused.callee(state_of(bound.add))
    unknown = without_types(bound.add, entry.address)
    whole = _caller(entry.address, ctypes.addressof(unknown), (unknown, entry))
    loops.add("packed: in loop, whole", loop.address, loops.cell(state_of(whole)), (whole, loop))
    loops.add("packed: in loop, behind", loop.address, loops.cell(state_of(bound.packing)))
    loops.add("same types: in loop", loop.address, loops.cell(state_of(bound.checking)))
    left = Times(LEFT, "")
    for who, same_types in (("packed: visible", False), ("same types: visible", True)):
        visible = fused.whole(same_types)
        loops.add(who, visible.address, 0, visible)
        left.samples[who] = [visible.calls + visible.stores + visible.loads]
    return left


def measure(settings: Settings, bound: SimpleNamespace) -> Measured:
    measured, loops = Measured(), Loops()
    _written(loops, bound, measured.remarks, settings.peers)
    left = _fused(loops, bound)
    measured.times += [compare(CALLS, loops.cases, settings.rounds), left]
    return measured


def judge(measured: list[Times]) -> list[Goal]:
    calls, left = measured
    goals = [goal for who, limit in GOALS.items() for goal in ratio_goal(calls, who, LIMIT, limit)]
    return goals + [Goal(LEFT, who, "", "", Spread.of(counts), 0.0) for who, counts in left.samples.items()]
