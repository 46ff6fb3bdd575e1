"""Tensors through all pairs of conventions: what a callee is given and may keep, results, and how both fail."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from support.adapters import function_at
from support.leaks import assert_nothing_stays

import jitffi
from jitffi import _core
from jitffi.api.making import make

SOURCE = """
#include "jitffi/ndarray.h"
static jf_object* copy(const jf_dltensor* t) {
  jf_object* made = jf_ndarray_new(t->ndim, t->shape, t->dtype, 0);
  if (made && jf_dltensor_copy(jf_ndarray_tensor(made), t) != 0) { jf_object_release(made); return NULL; }
  return made;
}
jf_object* same(jf_dltensor* t) { return t ? copy(t) : NULL; }
int32_t seen_code;
int32_t packed_same(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  (void)self; (void)n;
  seen_code = args->type_code;
  const jf_dltensor* t = args->type_code == JF_DLTENSOR ? args->v_handle : args->type_code == JF_NDARRAY
                         ? jf_ndarray_tensor(args->v_object) : NULL;
  if (!t) return 0;
  jf_object* made = copy(t);
  if (!made) return -1;
  jf_out_object(out, made);
  return 0;
}
int32_t code(void) { return seen_code; }
int32_t packed_one(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  (void)self; (void)n; (void)args;
  *out = (jf_value){JF_INT, 0, {.v_int64 = 1}};
  return 0;
}
jf_object* call(jf_object* (*f)(jf_dltensor*), jf_dltensor* t) { return f(t); }
int32_t count(int32_t (*f)(jf_dltensor*), jf_dltensor* t) { return f(t); }
int32_t on_device(int32_t (*f)(const jf_dltensor*), int32_t device) {
  int64_t shape[] = {3};
  jf_dltensor t = {.data = (void*)4096, .device = {device, 1}, .ndim = 1, .dtype = {2, 32, 1}, .shape = shape};
  return f(&t);
}
"""


@pytest.fixture(scope="module")
def lib(build_library):
    return jitffi.load_library(build_library(SOURCE, runtime=True))


def callees(lib, type_: str, callback=lambda x: x):
    """A Function of each convention that gives back what it gets, or a copy."""
    sig = f"(x: {type_}) -> {type_}"
    address = jitffi.Function(lib.bind("packed_same", "() -> void")).native_address
    return {
        "c": jitffi.Function(lib.bind("same", sig)),
        "packed": jitffi.Function.from_packed(address, name="same", signature=sig, keep_alive=lib),
        "python": jitffi.Function(jitffi.function(sig)(callback)),
        **{name: slot_callee(name, sig, jitffi.Function.from_packed(address, keep_alive=lib)) for name in OTHERS},
    }


OTHERS = ("packed_legacy", "tvm_ffi")


def slot_callee(convention: str, sig: str, called: jitffi.Function) -> jitffi.Function:
    """A Function that calls, by that convention, what calls *called*."""
    target = _core.tvm_entry() if convention == "tvm_ffi" else _core.legacy_entries()[0]
    return make("same", jitffi.Signature.parse(sig), convention, target, self_handle=called.handle, owner=called)


def slot_entry(convention: str, sig: str, called: jitffi.Function):
    """What calls, by that convention, an entry in front of *called*."""
    parsed = jitffi.Signature.parse(sig)
    entry = function_at(
        "same", parsed, convention, "packed", called.packed_address, 0, self_handle=called.handle, owner=called
    )
    address = entry.entry_code.address
    if convention == "tvm_ffi":
        return _core.tvm_function(address, "same", entry.handle, entry, sig)
    return _core.legacy_function(address, "same", entry.handle, entry, sig, False)


def entries(lib, function: jitffi.Function, type_: str):
    """The function called by each convention."""
    sig = f"(x: {type_}) -> {type_}"
    c = jitffi.Function.from_native(function.native_address, sig, name="same", keep_alive=function)
    address, handle = function.packed_address, function.handle
    packed = jitffi.Function.from_packed(address, name="same", signature=sig, self_handle=handle, keep_alive=function)
    untyped = jitffi.Function.from_packed(address, name="same", self_handle=handle, keep_alive=function)
    call = lib.bind("call", f"(func[({type_}) -> {type_}], {type_}) -> {type_}")
    return {
        "python": function, "c": c, "packed": packed, "untyped": untyped, "callback": lambda x: call(function, x),
        **{name: slot_entry(name, sig, function) for name in OTHERS},
    }  # fmt: skip


def fails(call, *args) -> str:
    with pytest.raises((TypeError, ValueError, RuntimeError)) as caught:
        call(*args)
    return f"{type(caught.value).__name__}: {caught.value}"


BASE = np.arange(24, dtype=np.float32).reshape(2, 3, 4)
CASES = [
    ("tensor[f32]", [BASE, BASE[::-1, 1:, ::2], BASE.T, np.zeros((2, 0), "f4"), np.array(3, "f4")]),
    ("tensor", [BASE, np.arange(5.0), np.zeros((1,) * 32, "c8"), np.array(True), np.arange(6, dtype="u2")[::-2]]),
    ("tensor[const f32, *, 3, 4]", [BASE, BASE[::-1], BASE[:1]]),
    ("tensor[f32, n, m, order=C]", [BASE[0], np.zeros((3, 0), "f4")]),
    ("optional[tensor[f32, *]]", [None, BASE[0, 0], BASE[0, :, 2]]),
    ("tensor[i64, device=any]", [np.arange(9)[::-3]]),
]


@pytest.mark.parametrize("callee", ["python", "packed", "c", *OTHERS])
@pytest.mark.parametrize(("type_", "arrays"), CASES, ids=[case[0].replace(" ", "") for case in CASES])
def test_all_pairs_give_the_same_elements(lib, type_, arrays, callee):
    function = callees(lib, type_)[callee]
    for name, call in entries(lib, function, type_).items():
        for array in arrays:
            for form in (array, None if array is None else jitffi.from_dlpack(array)):
                got = call(form)
                if array is None:
                    assert got is None, name
                    continue
                assert type(got) is jitffi.NDArray, name
                got = np.from_dlpack(got) if array.size else got.numpy()
                assert got.dtype == array.dtype and got.shape == array.shape, name
                assert np.array_equal(got, array), name


def test_64_dimensions(lib):
    wide = jitffi.NDArray.zeros((1,) * 64, "float32")
    for name, function in callees(lib, "tensor[f32]").items():
        for entry, call in entries(lib, function, "tensor[f32]").items():
            assert call(wide).shape == (1,) * 64, (name, entry)


def test_what_python_passes_stays_its_memory(lib):
    array, kept = np.arange(4, dtype="f4"), []
    keep = jitffi.function("(x: tensor[f32]) -> tensor[f32]")(lambda x: kept.append(x) or x)
    result = keep(array)
    result[0] = 7
    kept[0][1] = 8
    assert array.tolist() == [7, 8, 2, 3]
    view = memoryview(bytearray(4))
    result = jitffi.function("(x: tensor[u8, 4]) -> tensor[u8]")(lambda x: x)(view)
    result[3] = 5
    assert bytes(view) == b"\0\0\0\5"


def test_what_c_lends_is_a_copy_that_is_written_back(lib):
    kept = []

    def add(x):
        kept.append(x)
        x[0] = x[0] + 1
        return 5

    array = np.arange(8, dtype="f4")[::2]
    call = lib.bind("count", "(func[(tensor[f32, *]) -> i32], tensor[f32]) -> i32")
    assert call(add, array) == 5
    assert array.tolist() == [1, 2, 4, 6]
    call = lib.bind("count", "(func[(tensor[const f32, *]) -> i32], tensor[f32]) -> i32")
    with pytest.raises(ValueError, match="read-only"):
        call(add, array)
    assert array.tolist() == [1, 2, 4, 6]
    array[:] = 9
    assert kept[0].tolist() == [1, 2, 4, 6]
    assert kept[1].tolist() == [1, 2, 4, 6]


def test_what_packed_callees_are_given(lib):
    code = lib.bind("code", "() -> i32")
    array = np.arange(4, dtype="f4")
    for type_, from_c in (("tensor[f32]", -8), ("tensor[const f32]", 3)):
        called = entries(lib, callees(lib, type_)["packed"], type_)
        called["python"](array)
        assert code() == 3, "Python's array is an nd-array"
        called["callback"](array)
        assert code() == from_c, "what C lends is a handle, a copy where it is const"


def test_other_devices_are_lent_as_they_are(lib):
    seen = []

    def look(x):
        seen.append((str(x.device), x.shape, str(x.dtype)))
        return 1

    call = lib.bind("on_device", "(func[(tensor[const f32, *, device=any]) -> i32], i32) -> i32")
    assert call(look, 2) == 1
    assert seen == [("cuda:1", (3,), "float32")]
    call = lib.bind("on_device", "(func[(x: tensor[const f32, *]) -> i32], i32) -> i32")
    assert "argument 1 'x': expected tensor[const f32, *], got float32[3] on cuda:1" in fails(call, look, 2)


def test_callbacks_refuse_tensors_that_their_type_does_not_have(lib):
    cases = [
        ("tensor[f64]", "TypeError", "float32[2, 3, 4]"), ("tensor[f32, 2, 3]", "ValueError", "float32[2, 3, 4]"),
        ("tensor[f32, 2, 3, 5]", "ValueError", "float32[2, 3, 4]"),
    ]  # fmt: skip
    for type_, error, got in cases:
        call = lib.bind("count", f"(func[(x: {type_}) -> i32], tensor[f32]) -> i32")
        said = fails(call, lambda x: 1, BASE)
        assert said.startswith(error) and said.endswith(f"argument 1 'x': expected {type_}, got {got}")


RESULTS = [
    (BASE[0].astype("f8"), "TypeError", "float64[3, 4]"), (BASE, "ValueError", "float32[2, 3, 4]"),
    (BASE[0].T, "ValueError", "float32[4, 3]"), (None, "TypeError", "None"), ([1.0], "TypeError", "list"),
]  # fmt: skip


@pytest.mark.parametrize("entry", ["python", "packed", "c", "untyped"])
@pytest.mark.parametrize(("value", "error", "got"), RESULTS, ids=[row[2] for row in RESULTS])
def test_python_results_are_checked(lib, entry, value, error, got):
    sig = "(x: i64) -> tensor[f32, *, 4]"
    function = jitffi.Function(jitffi.function(sig)(lambda x: value))
    name = function.__name__
    if entry == "python":
        call = function
    elif entry == "c":
        call = jitffi.Function.from_native(function.native_address, sig, name="f")
    else:
        typed = {"signature": sig} if entry == "packed" else {}
        call = jitffi.Function.from_packed(function.packed_address, name="f", self_handle=function.handle, **typed)
    assert fails(call, 1) == f"{error}: {name}: result: expected tensor[f32, *, 4], got {got}"


def test_c_and_packed_results_are_checked(lib):
    for name, sig in (("same", "(tensor[f32]) -> tensor[f32, 2, *, 5]"), ("same", "(tensor[f32]) -> tensor[f64]")):
        call = lib.bind(name, sig)
        assert "same: result: expected tensor" in fails(call, BASE)
        assert fails(call, BASE).endswith("got float32[2, 3, 4]")
    address = jitffi.Function(lib.bind("packed_one", "() -> void")).native_address
    call = jitffi.Function.from_packed(address, name="one", signature="(i64) -> tensor[f32]", keep_alive=lib)
    assert fails(call, 1) == "TypeError: one: result: expected tensor[f32], got int 1"


def test_lengths_of_results_that_have_names(lib):
    double = lib.bind("same", "(x: tensor[f32, n]) -> tensor[f32, n]")
    assert double(BASE[0, 0]).shape == (4,)
    made = []
    for sig in ("(x: f32[n]) -> tensor[f32, n]", "(n: i32) -> tensor[f32, n]", "(x: tensor[f32, n]) -> tensor[f32, n]"):
        call = jitffi.function(sig)(lambda x: made[-1])
        argument = 4 if "i32" in sig else BASE[0, 0]
        packed = jitffi.Function.from_packed(
            jitffi.Function(call).packed_address, self_handle=jitffi.Function(call).handle
        )
        for entry in (call, packed):
            made.append(np.zeros(4, "f4"))
            assert entry(argument).shape == (4,)
            made.append(np.zeros(3, "f4"))
            assert "result: expected tensor[f32, n], got float32[3]" in fails(entry, argument)


def test_results_keep_what_they_are_of(lib):
    make = jitffi.function("() -> tensor")(lambda: memoryview(bytearray(range(9))))
    made = make()
    assert made.tolist() == list(range(9))
    make = jitffi.function("() -> tensor[const u8]")(lambda: bytes(range(9)))
    assert make().tolist() == list(range(9))
    with pytest.raises(ValueError, match="read-only"):
        make()[0] = 1
    assert "read-only uint8[9]" in fails(jitffi.function("() -> tensor[u8]")(lambda: bytes(range(9))))
    masked = jitffi.function("() -> tensor[f32]")(lambda: np.ma.masked_array(BASE[0].copy()))()
    assert np.array_equal(masked.numpy(), BASE[0])
    own = jitffi.NDArray.zeros(3, "float32")
    assert jitffi.function("() -> tensor[f32]")(lambda: own)() is own


def test_calls_leave_nothing_behind(lib):
    types = ("tensor[f32]", "tensor[const f32, *, 3, 4]", "optional[tensor[f32]]")
    made = [entries(lib, function, type_) for type_ in types for function in callees(lib, type_).values()]
    array, view = BASE.copy(), memoryview(BASE.copy())
    frozen = array.copy()
    frozen.flags.writeable = False
    values = [array, array.T, view, frozen, None, 1.5, "x", array.astype("f8"), jitffi.from_dlpack(array), [1]]

    def calls() -> None:
        for called in made:
            for call in called.values():
                for value in values:
                    with contextlib.suppress(TypeError, ValueError, RuntimeError):
                        call(value)

    assert_nothing_stays(calls)


def test_callables_are_given_the_nd_array_of_a_slot():
    """It is not copied, and they may keep it, on whatever device."""
    kept = []

    def keep(x):
        kept.append(x)
        x[0] = 7

    call = jitffi.Function(jitffi.function("(x: tensor[f32, *]) -> void")(keep))
    untyped = jitffi.Function.from_packed(call.packed_address, name="keep", self_handle=call.handle, keep_alive=call)
    array = jitffi.NDArray.zeros((3,), "float32")
    untyped(array)
    assert array[0] == 7 and kept[0].numpy().ctypes.data == array.numpy().ctypes.data
    made = np.zeros(3, "f4")
    untyped(made)
    assert made[0] == 7
    del array, made
    assert [x.tolist() for x in kept] == [[7, 0, 0], [7, 0, 0]]
