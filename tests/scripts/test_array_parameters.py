"""Arrays as arguments of scripts: read and written where they lie, by annotation or by what is passed."""

from __future__ import annotations

import array
import ctypes
import random
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import pytest
from numpy.typing import NDArray

import jitffi
from tests.support.instances import outcome
from tests.support.leaks import assert_nothing_stays
from tests.support.script_arrays import ELEMENTS, same


@jitffi.script
def total(xs):
    s = 0.0
    for x in xs:
        s += x
    return s


@jitffi.script
def axpy(a: float, x: NDArray[np.float64], y: NDArray[np.float64]) -> None:
    for i in range(len(x)):
        y[i] += a * x[i]


@jitffi.script
def checksum(data: NDArray[np.uint8]) -> int:
    return sum(data)


def test_what_is_passed_says_the_type() -> None:
    assert total([1.0, 2.0]) == total(np.array([1.0, 2.0])) == total(np.array([1, 2])) == 3.0
    assert "total(xs: f64[*]) -> float" in total.inspect_types()
    assert "total(xs: i64[*]) -> float" in total.inspect_types()


@pytest.mark.parametrize("name", ELEMENTS)
def test_elements_are_pythons_numbers(name: str) -> None:
    @jitffi.script
    def first(xs):
        return xs[0]

    found = first(np.ones(3, name))
    assert found == 1 and type(found) is (bool if name == "bool" else float if "float" in name else int)


@pytest.mark.parametrize("step", [1, 2, -1, -3])
def test_strides_of_any_kind(step: int) -> None:
    x = np.arange(20.0)
    assert total(x[::step]) == x[::step].sum()
    y = np.zeros(20)
    axpy(2.0, x[::step], y[::step])
    assert np.array_equal(y[::step], 2 * x[::step]) and np.count_nonzero(y) <= len(x[::step])


def test_elements_at_odd_addresses() -> None:
    memory = np.zeros(8 * 5 + 1, "u1")
    x = memory[1:].view("f8")
    axpy(1.0, np.arange(5.0), x)
    assert x.tolist() == [0, 1, 2, 3, 4] and total(x) == 10.0


def test_annotated_arrays_take_what_has_a_buffer() -> None:
    y = np.zeros(3)
    axpy(2.0, array.array("d", [1, 2, 3]), y)
    axpy(1.0, memoryview(np.ones(3)), y)
    assert y.tolist() == [3, 5, 7]
    assert checksum(b"abc") == checksum(bytearray(b"abc")) == checksum(np.frombuffer(b"abc", "u1")) == 294
    native = jitffi.NDArray.zeros((3,), "float64")
    axpy(1.0, y, native)
    assert native.tolist() == [3, 5, 7]


def test_what_is_no_such_array_is_told() -> None:
    y = np.zeros(3)
    for wrong, text in (
        (np.arange(3), "expected f64[*], got int64[3]"),
        (np.zeros(3, "f4"), "expected f64[*], got float32[3]"),
        ([1.0], "expected f64[*], got list"),
        (None, "expected f64[*], got None"),
    ):
        with pytest.raises(TypeError) as caught:
            axpy(1.0, wrong, y)
        assert str(caught.value) == f"axpy: 'x': {text}"
    assert not y.any()


def test_writing_to_a_read_only_array() -> None:
    x = np.zeros(3)
    x.flags.writeable = False
    with pytest.raises(ValueError, match="assignment destination is read-only"):
        axpy(1.0, np.ones(3), x)
    assert total(x) == 0.0 and not x.any()


def put(xs, i, v):
    xs[i] = v
    return xs[i]


@pytest.mark.parametrize("name", ELEMENTS)
def test_what_elements_hold(name: str) -> None:
    for value in (0, 1, -1, 127, 128, 255, 256, -129, 2**31, 2**63 - 1, True, 2.5, -3.7, 1e300, float("nan")):
        if isinstance(value, float) and "int" in name and not abs(value) < 2**62:
            continue  # each has its own words for what is no int
        if name == "uint64" and value in (-3.7,):
            continue
        same(put, np.ones(3, name), 1, value)


def test_indices_are_pythons() -> None:
    for i in (0, 2, -1, -3, 3, -4, 2**62):
        same(put, np.arange(3.0), i, 9.0)


def test_slices_are_views() -> None:
    @jitffi.script
    def part(xs, start, stop, step):
        found = xs[start:stop:step]
        if len(found) > 0:
            found[0] = 99.0
        return found

    chosen = random.Random(7)
    for _ in range(60):
        bounds = [chosen.choice([None, *range(-7, 8)]) for _ in range(2)]
        step = chosen.choice([None, 1, 2, -1, -2])
        x, y = np.arange(6.0), np.arange(6.0)
        found, expected = part(x, *bounds, step), y[slice(*bounds, step)]
        if len(expected):
            expected[0] = 99.0
        assert type(found) is np.ndarray and np.array_equal(found, expected) and np.array_equal(x, y)
        assert len(found) == 0 or np.shares_memory(found, x)


def test_an_array_that_is_returned_is_itself() -> None:
    @jitffi.script
    def same_one(x):
        return x

    x, native = np.zeros(3), jitffi.NDArray.zeros((3,), "float64")
    assert same_one(x) is x and same_one(native) is native


def test_arrays_that_python_gets_are_its_own() -> None:
    seen: list[object] = []

    @jitffi.script
    def show(x, note):
        note(x)
        note([x, 1])
        return x[1:]

    x = np.arange(3.0)
    rest = show(x, seen.append)
    assert seen[0] is x and rest.base is not None and rest.tolist() == [1, 2]
    del x
    assert rest.tolist() == [1, 2]


def builtins(xs, ys):
    found = 0.0
    for i, x in enumerate(xs):
        found += i * x
    for x, y in zip(xs, ys, strict=False):
        found += x * y
    for x in reversed(xs):
        found = found * 0.5 + x
    return found + sum(xs) + min(xs) + max(ys) + len(ys) + sum([x for x in xs if x > 1])


def test_what_goes_through_lists_goes_through_arrays() -> None:
    same(builtins, np.arange(7.0), np.linspace(0, 1, 5))
    same(builtins, np.arange(7.0)[::-2], np.arange(5.0))


def test_rows_of_a_matrix() -> None:
    def multiply(a, b, c):
        for i in range(len(a)):
            for j in range(len(b[0])):
                s = 0.0
                for k in range(len(b)):
                    s += a[i, k] * b[k][j]
                c[i, j] = s
        for row in c:
            row[0] += 1.0
        c[0][1] = -1.0

    a, b = np.random.default_rng(3).random((5, 4)), np.random.default_rng(4).random((4, 3))
    same(multiply, a, b, np.zeros((5, 3)))
    c = np.zeros((3, 5)).T
    jitffi.script(multiply)(np.asfortranarray(a), b[:, ::-1], c)
    expected = a @ b[:, ::-1]
    expected[:, 0] += 1
    expected[0, 1] = -1
    assert np.allclose(c, expected)


@jitffi.script
def in_a_list(x: NDArray[np.float64], key):
    c = [x]
    c[0][0, 1] += 5.0
    return c[0][0, 1], c[0][-1, 0], c[0][key]


def test_arrays_in_lists_have_items_of_several_indices() -> None:
    def item(c, key):
        return c[0][key]

    x, script = np.arange(4.0).reshape(2, 2), jitffi.script(item)
    assert in_a_list(x, (1, 1)) == (6.0, 2.0, 3.0)
    c = jitffi.List([jitffi.NDArray.zeros((2, 3, 4), "float64")])
    for key in ((0, 1, 2), (0, -1), (), (5, 0), (0, 5), (0, 0, 0, 0), (0.5, 0), (2**70, 0), (slice(0, 1), 0), ("a",)):
        assert outcome(script, c, key) == outcome(item, c, key)


def test_what_strict_scripts_do_not_do_with_arrays() -> None:
    def plus(x):
        return x + x

    def negative(x):
        return -x

    def equal(x):
        return x == x

    for function in (plus, negative, equal):
        with pytest.raises(TypeError, match="write the loop over their elements"):
            jitffi.script(function, strict=True)(np.zeros(2))

    @jitffi.script(strict=True)
    def truth(x):
        return 1 if x else 2

    with pytest.raises(ValueError, match=r"The truth value of an array .* is ambiguous"):
        truth(np.zeros(2))


def test_arrays_that_scripts_have_no_elements_of_are_values() -> None:
    @jitffi.script
    def same_one(x):
        return x

    for each in (np.zeros(2, ">f8"), np.array(["a"]), np.zeros(2, "O")):
        assert same_one(each) is each
    assert same_one(np.ones(2, "c16")).tolist() == [1, 1]
    assert total(np.ones(2, "c16")) == 2 + 0j


def test_scripts_that_call_scripts() -> None:
    @jitffi.script
    def norm(x: NDArray[np.float64]) -> float:
        return sum([v * v for v in x])

    @jitffi.script
    def halves(x):
        middle = len(x) // 2
        return norm(x[:middle]) + norm(x[middle:])

    assert halves(np.arange(5.0)) == 30.0
    with pytest.raises(TypeError, match=r"expected f64\[\*\], got"):
        halves(np.arange(5))


def test_nothing_stays() -> None:
    x, y = np.arange(5.0), np.zeros((2, 5))

    @jitffi.script
    def work(x, y, fails):
        row = y[0]
        for i in range(len(x)):
            row[i] = x[1:][i - 1] if i else 0.0
        for each in y:
            each[0] = 1.0
        if fails:
            row[9] = 1.0
        return row[1:]

    def both() -> None:
        work(x, y, False)
        with pytest.raises(IndexError):
            work(x, y, True)
        axpy(1.0, array.array("d", [1.0]), x)

    assert_nothing_stays(both)


def test_without_the_lock() -> None:
    @jitffi.script(nogil=True)
    def fill(x, value):
        for i in range(len(x)):
            x[i] = value
        return x

    x = np.zeros(4)
    assert fill(x, 2.0) is x and x.tolist() == [2.0] * 4


# -- loops that are written twice: with all that may and may not be known of the range --------------------------------


# -- with signatures ---------------------------------------------------------------------------------------------------


@jitffi.script(signature="(a: f64, x: const f64[n], y: f64[n]) -> f64")
def scaled(a, x, y):
    for i in range(len(x)):
        y[i] += a * x[i]
    return y[0]


def test_lengths_of_signatures_agree() -> None:
    y = np.arange(3.0)
    assert scaled(2.0, np.ones(3), y) == 2.0 and y.tolist() == [2, 3, 4]
    assert scaled(1.0, array.array("d", [1, 1, 1]), y) == 3.0
    with pytest.raises(ValueError, match="^scaled: 'y': n is 4 here and 3 in 'x'$"):
        scaled(2.0, np.ones(3), np.zeros(4))

    @jitffi.script
    def corner(x: Annotated[NDArray[np.float64], "const f64[n, 3]"], y: Annotated[Any, "f32[n]"]) -> float:
        return x[-1, 2] + y[0]

    assert corner(np.ones((2, 3)), np.ones(2, "f4")) == 2.0
    with pytest.raises(ValueError, match="^corner: 'x': expected a length of 3, got 4$"):
        corner(np.ones((2, 4)), np.ones(2, "f4"))
    with pytest.raises(TypeError, match=r"^corner: 'x': expected f64\[\*, \*\], got float64\[3\]$"):
        corner(np.ones(3), np.ones(2, "f4"))


def test_integers_are_not_filled_in() -> None:
    with pytest.raises(TypeError, match=r"use len\(\)"):
        jitffi.script(lambda n, x: x[0], signature="(n: i64, x: f64[n]) -> f64")


def test_files_take_arrays(tmp_path: Path) -> None:
    made = jitffi.load_module(jitffi.emit(scaled, str(tmp_path / "scaled.o")))
    x, y = np.ones(3), np.arange(3.0)
    assert made.scaled(2.0, x, y) == 2.0 and y.tolist() == [2, 3, 4]


class Tensor(ctypes.Structure):
    """DLTensor."""

    _fields_ = (
        ("data", ctypes.c_void_p), ("device", ctypes.c_int32 * 2), ("ndim", ctypes.c_int32), ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16), ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.c_void_p), ("byte_offset", ctypes.c_uint64),
    )  # fmt: skip


class Slot(ctypes.Structure):
    _fields_ = (("code", ctypes.c_int32), ("length", ctypes.c_int32), ("payload", ctypes.c_int64))


def of_borrowed(script: Any, x: Any) -> tuple[int, Slot]:
    """The script, called by C with a DLTensor that is its caller's."""
    shape = (ctypes.c_int64 * 1)(len(x) - 1)
    tensor = Tensor(x.ctypes.data, (1, 0), 1, 2, 64, 1, shape, None, 8)
    call = ctypes.PYFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)
    slot, out = Slot(-8, 0, ctypes.addressof(tensor)), Slot(-1, 0, 0)
    function = jitffi.Function(script)
    return call(function.packed_address)(function.handle, 1, ctypes.byref(slot), ctypes.byref(out)), out


def test_borrowed_tensors_are_not_kept() -> None:
    @jitffi.script(signature="(x: f64[n]) -> f64")
    def double(x):
        for i in range(len(x)):
            x[i] *= 2.0
        return x[0]

    @jitffi.script(signature="(x: f64[n]) -> list")
    def keep(x):
        return [x]

    x = np.arange(4.0)
    status, out = of_borrowed(double, x)
    assert (status, out.code) == (0, -3) and x.tolist() == [0, 2, 4, 6]
    assert of_borrowed(keep, x)[0] == -1
    assert keep(x)[0] is x


# -- slices written, and arrays of any type ---------------------------------------------------------------------------
