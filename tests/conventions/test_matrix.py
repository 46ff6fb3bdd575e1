"""All pairs of an entry and a callee, for every type: edge values come back bit by bit, or the pair is refused by name.

The far end is C's: what calls a C or packed entry and what a C or packed callee is were built by the C compiler.
"""

from __future__ import annotations

import os

import pytest
from support.adapters import PAIRS, FarEnds, carries, function_at, has_no_set
from support.native import echo_signature, echo_source
from support.values import ALL, edges, ids, same

import jitffi
from jitffi.signature.model import TYPES, Signature, optional
from jitffi.types.table import row

FIRST = {"c", "packed", "python"}
TYPES_AND_VOID = [*ALL, TYPES["void"]]
OPTIONAL_SCALARS = [type_ for type_ in ALL if row(type_).c_result_refused]
IN_SLOT = [type_ for type_ in ALL if row(type_).in_slot and not row(type_).c_result_refused]


def at_turns(types):
    """(type, pair, level) that stand for all: entries and callees know nothing of each other, so each type goes through
    every pair of c, packed and python at one level, the next type at the other, and through a quarter of the pairs with
    others, the next type through the next quarter. All of them by JITFFI_TARGETS=all."""
    is_full = os.environ.get("JITFFI_TARGETS")
    for i, type_ in enumerate(types):
        for k, pair in enumerate(PAIRS):
            if is_full or set(pair) <= FIRST or (i + k) % 4 == 0:
                for level in (0, 2) if is_full else (2 * ((i + k) % 2),):
                    yield pytest.param(type_, pair, level, id=f"{ids([type_])[0]}-{'-'.join(pair)}-{level}")


@pytest.fixture(scope="module")
def ends(build_library):
    library = jitffi.load_library(build_library(echo_source(TYPES_AND_VOID), runtime=True))
    return FarEnds(library, TYPES_AND_VOID)


def echo(*args):
    """Python's echo: of two arguments the second where the first is None."""
    return next((a for a in args if a is not None), None)


@pytest.mark.parametrize(("type_", "pair", "level"), list(at_turns(TYPES_AND_VOID)))
def test_every_pair_carries_every_type(ends, type_, pair, level):
    entry, callee = pair
    sig = echo_signature(type_)
    if "tvm_ffi" in pair and not has_no_set(type_):
        with pytest.raises(TypeError, match=r"convention 'tvm_ffi' cannot carry .*set.*: tvm-ffi has no set"):
            function_at("adapter", sig, entry, callee, ends.target(callee, type_, echo), level)
        return
    adapter = function_at("adapter", sig, entry, callee, ends.target(callee, type_, echo), level)
    call = ends.caller(adapter, entry, type_, sig, "packed_forward")
    if len(sig.params) == 0:
        assert call() is None
    for value in edges(type_):
        if not carries(pair, type_, value):
            continue
        args = (value, *[edges(p.type)[0] for p in sig.params[1:]])
        expected = args[-1] if value is None else value
        for _ in range(2):  # the second call finds caches filled
            got = call(*args)
            assert same(got, expected), (value, got)


@pytest.mark.parametrize("type_", IN_SLOT, ids=ids(IN_SLOT))
@pytest.mark.parametrize("callee", ["python", "packed", "c"])
def test_packed_results_fit_the_slot_that_the_caller_has(ends, type_, callee):
    sig = Signature.parse(f"({type_}) -> {type_}")
    adapter = function_at("adapter", sig, "packed", callee, ends.target(callee, type_, echo), 0)
    call = ends.caller(adapter, "packed", type_, sig, "packed_forward_small")
    for value in edges(type_):
        assert same(call(value), value)


@pytest.mark.parametrize("type_", OPTIONAL_SCALARS, ids=ids(OPTIONAL_SCALARS))
@pytest.mark.parametrize("pair", [pair for pair in PAIRS if "c" in pair], ids="-".join)
def test_c_cannot_return_an_optional_scalar(ends, type_, pair):
    sig = Signature.parse(f"({type_}) -> {type_}")
    with pytest.raises(TypeError, match=rf"convention 'c' cannot return optional\[{type_.inner}\]"):
        function_at("refused", sig, *pair, echo if pair[1] == "python" else 1, 0)


@pytest.mark.parametrize(
    ("type_", "pair", "level"), [each for each in at_turns(OPTIONAL_SCALARS) if "c" not in each.values[1]]
)
def test_the_other_pairs_return_optional_scalars(ends, type_, pair, level):
    entry, callee = pair
    sig = Signature.parse(f"({type_}) -> {type_}")
    adapter = function_at("adapter", sig, entry, callee, ends.target(callee, type_, echo), level)
    call = ends.caller(adapter, entry, type_, sig, "packed_forward")
    for value in edges(type_):
        assert not carries(pair, type_, value) or same(call(value), value)


def test_public_addresses_of_a_native_function(ends):
    """One function bound from C is called through all three of its entries, by C."""
    type_ = TYPES["str"]
    sig = echo_signature(type_)
    bound = ends.library.bind(ends.symbol("echo", type_), sig)
    function = jitffi.Function(bound)
    assert bound("text") == "text"
    assert ends.caller(function, "c", type_, sig, "")("text") == "text"
    assert ends.caller(function, "packed", type_, sig, "packed_forward")("text") == "text"
    again = jitffi.Function.from_packed(function.packed_address, self_handle=function.handle, keep_alive=bound)
    assert again("text") == "text"


def test_public_addresses_of_a_python_function(ends):
    sig = "(x: f64, n: i32 = 3) -> f64"

    @jitffi.function(sig)
    def scaled(x, n):
        return x * n

    function = jitffi.Function(scaled)
    assert jitffi.Function.from_native(function.native_address, sig)(1.5) == 4.5
    packed = jitffi.Function.from_packed(function.packed_address, signature=sig, self_handle=function.handle)
    assert packed(1.5) == packed(n=3, x=1.5) == 4.5
    untyped = jitffi.Function.from_packed(function.packed_address, self_handle=function.handle)
    assert untyped(1.5) == untyped(1.5, 3) == 4.5  # the packed entry fills the default in
    with pytest.raises(TypeError, match="scaled: expected 1 to 2 arguments, got 3"):
        untyped(1.5, 3, 4)


def test_functions_of_equal_types_meet_without_packing(ends):
    """The caller's types are the callee's: its C function is called, and gives the same answer."""
    type_ = optional(TYPES["bytes"])
    sig = echo_signature(type_)
    function = jitffi.Function(ends.library.bind(ends.symbol("echo", type_), sig))
    assert function.native_address
    same_types = jitffi.Function.from_packed(function.packed_address, signature=sig, self_handle=function.handle)
    for value in edges(type_):
        assert same(same_types(value), value)
