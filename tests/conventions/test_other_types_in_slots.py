"""Types beside those of the matrix through the conventions of others: structs, objects, unions, shapes, errors, typed
functions, lists of them. What goes in at Python comes back from Python, through a callee and an entry of each.
"""

from __future__ import annotations

import pytest
from support.adapters import HAS_TVM_FFI, function_at

import jitffi
from jitffi import _core

jitffi.struct("tests.slots.Point", "x: f64, kind: i32")


@jitffi.register_object("tests.slots.Node")
class Node(jitffi.Object):
    name: str
    next: Node | None = None


NODE = Node("first", Node("second"))
WIDE = jitffi.struct("tests.slots.Wide", "x: f64, kind: i32", align=64)(2.5, 9)
POINT = jitffi.struct("tests.slots.Point", "x: f64, kind: i32")(1.5, -7)


def thrice(x):
    return 3 * x


CASES = [
    ("tests.slots.Point", [POINT]),
    ("tests.slots.Wide", [WIDE]),
    ("tests.slots.Node", [NODE]),
    ("optional[tests.slots.Node]", [None, NODE]),
    ("list[tests.slots.Node]", [[NODE, NODE.next]]),
    ("i64 | str | null", [5, "text", "text that is long", None]),
    ("list[i64 | str]", [[1, "two", "three is long enough"]]),
    ("f64 | list[i64]", [2.5, [1, 2]]),
    ("shape", [jitffi.Shape([1, 2, 3]), jitffi.Shape([])]),
    ("error", [jitffi.Error("ValueError", "of a value")]),
    ("func[(i64) -> i64]", [thrice]),
    ("null", [None]),
]


def through(convention: str, type_: str):
    """Python to a callee of the convention, which is an entry of it in front of Python."""
    sig = jitffi.Signature.parse(f"(x: {type_}) -> {type_}")
    inner = function_at("inner", sig, convention, "python", lambda x: x, 0)
    options = {"self_handle": inner.handle, "owner": inner}
    return function_at("outer", sig, "python", convention, inner.entry_code.address, 2, **options)


@pytest.mark.parametrize("convention", ["packed_legacy", "tvm_ffi"])
@pytest.mark.parametrize(("type_", "values"), CASES, ids=[case[0] for case in CASES])
def test_there_and_back(type_, values, convention):
    call = through(convention, type_)
    for value in values:
        if isinstance(value, jitffi.Error) and convention == "tvm_ffi" and not HAS_TVM_FFI:
            continue  # errors are its library's
        for _ in range(2):
            got = call(value)
            if callable(value):
                assert got(5) == 15
            elif isinstance(value, jitffi.Error):
                assert (got.kind, got.message) == (value.kind, value.message)
            elif isinstance(value, list):
                assert jitffi.to_plain(got) == value or list(got) == value
            else:
                assert got == value
    if isinstance(values[-1], Node):
        assert call(values[-1]) is values[-1]


@pytest.mark.parametrize("convention", ["packed_legacy", "tvm_ffi"])
@pytest.mark.parametrize(
    ("type_", "value"), [("tests.slots.Node", 5), ("i64 | str", 2.5), ("shape", "x"), ("list[i64 | str]", [1, 2.5])]
)
def test_what_does_not_fit_is_refused(type_, value, convention):
    before = _core.live_objects()
    with pytest.raises(TypeError, match="argument 1 'x': expected"):
        through(convention, type_)(value)
    assert _core.live_objects() <= before + 4
