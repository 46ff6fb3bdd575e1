"""What structs do when the classes and objects around them are unusual ones."""

from __future__ import annotations

import ctypes
import gc
import itertools
from typing import Annotated, Any

import numpy as np
import pytest
from support.leaks import assert_nothing_stays

import jitffi

KEYS = itertools.count()


def key() -> str:
    return f"struct_hostile.K{next(KEYS)}"


def declared(members: str) -> Any:
    return jitffi.struct(key(), members)


def test_classes_of_the_metaclass_are_structs() -> None:
    with pytest.raises(TypeError, match=r"classes of this metaclass derive from jitffi\.Struct"):
        type(jitffi.Struct)("Alone", (), {})


def test_what_is_behind_const_stays() -> None:
    cls = jitffi.struct("struct_hostile.Const", "x: i64")
    seen = jitffi.cast("ptr[const struct_hostile.Const]", cls(1)).value
    with pytest.raises(TypeError, match="behind a pointer to const"):
        seen.__init__(2)
    assert seen.x == 1


def test_integers_are_shifted_as_int_does_it() -> None:
    class Odd(int):
        def __rshift__(self, other: int) -> Any:
            return "nothing"

        __lshift__ = __rshift__

    assert declared("a: i128, b: u128")(Odd(-1 << 100), Odd(1 << 127)).__reduce__()[2][0] == (
        (-1 << 100).to_bytes(16, "little", signed=True) + (1 << 127).to_bytes(16, "little")
    )


class TestFinalisers:
    def test_they_run_once_for_each_instance(self) -> None:
        seen = []

        @jitffi.struct(key())
        class Counted:
            x: Annotated[int, "i64"]
            text: Annotated[Any, "cstr"] = None

            def __del__(self) -> None:
                seen.append((self.x, self.text))

        class Derived(Counted):
            pass

        for cls in (Counted, Derived):
            for given in ((1,), (2,), (3, "kept")):
                cls(*given)
            gc.collect()
            assert seen == [(1, None), (2, None), (3, "kept")], cls
            seen.clear()

    def test_they_may_come_and_go(self) -> None:
        cls, seen = declared("x: i64"), []
        cls(1)
        cls.__del__ = lambda self: seen.append(self.x)
        for number in (2, 3):
            cls(number)
        del cls.__del__
        cls(4)
        assert seen == [2, 3]

    def test_an_instance_may_live_on(self) -> None:
        cls, kept = declared("x: i64"), []
        cls.__del__ = lambda self: kept.append(self)
        cls(7)
        assert kept[0].x == 7
        kept.clear()
        assert not kept and cls().x == 0

    def test_a_long_chain_needs_no_stack(self) -> None:
        seen, name = [], key()
        cls = jitffi.struct(name, f"next: ptr[{name}]")
        cls.__del__ = lambda self: seen.append(1)
        first = None
        for _ in range(100_000):
            first = cls(first)
        del first
        assert len(seen) == 100_000


def test_a_class_that_is_being_made() -> None:
    said = []

    class Looks:
        def __set_name__(self, owner: type, name: str) -> None:
            field = vars(owner).get("x")
            if type(owner) is type(jitffi.Struct):
                said.extend([repr(field), field.__objclass__.__name__])
                with pytest.raises(TypeError, match="doesn't apply"):
                    field.__get__(other)
                with pytest.raises(TypeError, match="has no fields"):
                    owner()

    other = declared("x: i8")()

    @jitffi.struct(key())
    class Point:
        x: Annotated[int, "i64"]
        looks = Looks()

    assert said == ["<field x: i64 of an unfinished class>", "an unfinished class"]
    assert vars(Point)["x"].__objclass__ is Point


def test_a_key_has_one_class() -> None:
    name = key()

    class Declares:
        def __set_name__(self, owner: type, attribute: str) -> None:
            if type(owner) is type(jitffi.Struct):
                jitffi.new(name)

    with pytest.raises(ValueError, match="there is a class of"):

        @jitffi.struct(name)
        class Point:
            x: Annotated[int, "i64"]
            declares = Declares()


def test_methods_may_name_what_comes_later() -> None:
    @jitffi.struct(key())
    class Point:
        x: Annotated[int, "i64"]

        def twice(self) -> int:
            return later(self.x)

    def later(number: int) -> int:
        return 2 * number

    assert Point(3).twice() == 6


@pytest.mark.parametrize("error", [KeyError, ZeroDivisionError, KeyboardInterrupt, ValueError])
def test_a_declaration_that_fails_is_none(error: type[BaseException]) -> None:
    class Fails:
        @property
        def __metadata__(self) -> Any:
            raise error

    name = key()
    with pytest.raises(error):
        jitffi.struct(name)(type("Point", (), {"__annotations__": {"x": Fails()}}))
    with pytest.raises(jitffi.SignatureError, match="unknown type"):
        jitffi.new(name)
    assert jitffi.struct(name, "y: i32")(5).y == 5


def test_nobody_finds_what_is_half_filled() -> None:
    cls = declared("n: i32[3], after: i64")

    class Looks:
        def __index__(self) -> int:
            found.extend([each for each in gc.get_objects() if isinstance(each, cls)])
            return 1

    found: list[Any] = []
    made = cls()
    made.n = [Looks(), 2, 3]
    assert made.n.tolist() == [1, 2, 3] and not found


LIBRARY = """
typedef struct { double x, y; } point;
double norm(point p) { return p.x * p.x + p.y * p.y; }
void scale(point *p, double by) { p->x *= by; p->y *= by; }
double total(const point *p, long n) {
  double sum = 0;
  for (long i = 0; i < n; i++) sum += p[i].x + p[i].y;
  return sum;
}
long double twice(const long double *number) { return 2 * *number; }
"""


@pytest.fixture(scope="module")
def lib(build_library: Any) -> Any:
    lib = jitffi.load_library(build_library(LIBRARY))
    lib.point = jitffi.struct("struct_hostile.Point", "x: f64, y: f64")
    lib.norm = lib.bind("norm", "(p: struct_hostile.Point) -> f64")
    lib.scale = lib.bind("scale", "(p: ptr[struct_hostile.Point], by: f64) -> void")
    lib.total = lib.bind("total", "(p: const struct_hostile.Point[n], n: i64) -> f64")
    return lib


class TestOtherPackages:
    class Alike(ctypes.Structure):
        _fields_ = (("x", ctypes.c_double), ("y", ctypes.c_double))

    class Other(ctypes.Structure):
        _fields_ = (("y", ctypes.c_double), ("x", ctypes.c_double))

    def test_records_and_ctypes_go_by_value(self, lib: Any) -> None:
        points = lib.point.array(2)
        points["x"] = 3, 4
        packed = np.zeros(9, "u1")[1:].view(np.dtype([("x", "u8")]))  # of another struct
        assert lib.norm(points[1]) == lib.norm(points.view(np.recarray)[1]) == 16
        assert lib.norm(self.Alike(1, 2)) == lib.norm(points[0].copy()) - 4 == 5
        misaligned = np.frombuffer(bytes(1) + bytes(lib.point(2, 3)), "u1")[1:].view(lib.point.dtype)
        assert lib.norm(misaligned[0]) == 13
        for bad in (points, points[:1], packed[0], self.Other(1, 2), b"x" * 16, np.float64(1), memoryview(points)):
            with pytest.raises(TypeError, match=r"expected struct_hostile\.Point"):
                lib.norm(bad)

    def test_ctypes_go_by_reference(self, lib: Any) -> None:
        one = self.Alike(1, 2)
        for given in (one, ctypes.byref(one), ctypes.pointer(one), memoryview(one)):
            lib.scale(given, 2)
        assert (one.x, one.y) == (16, 32)
        assert lib.total((self.Alike * 2)((1, 2), (3, 4))) == 10
        own = lib.point(1, 2)
        lib.scale(memoryview(own), 3)
        assert own == lib.point(3, 6)
        for bad in (self.Other(1, 2), ctypes.pointer(self.Other()), memoryview(one).toreadonly(), bytes(16)):
            with pytest.raises((TypeError, ValueError), match=r"expected ptr\[struct_hostile\.Point\]"):
                lib.scale(bad, 2)

    def test_pointers_to_long_double(self, lib: Any) -> None:
        twice = lib.bind("twice", "(number: ptr[const longdouble]) -> longdouble")
        number = ctypes.c_longdouble(1.5)
        assert twice(ctypes.byref(number)) == twice(ctypes.pointer(number)) == 3.0
        cffi = pytest.importorskip("cffi")
        assert twice(cffi.FFI().new("long double *", 2.5)) == 5.0
        with pytest.raises(TypeError, match=r"jitffi\.cast says what it points at"):
            twice(ctypes.byref(ctypes.c_double(1.5)))

    def test_nothing_stays(self, lib: Any) -> None:
        points = lib.point.array(1)

        @assert_nothing_stays
        def work() -> None:
            lib.norm(points[0])
            lib.norm(self.Alike(1, 2))
            lib.scale(self.Alike(1, 2), 2)
            for bad in (self.Other(1, 2), np.float64(1)):
                for call in (lambda bad=bad: lib.norm(bad), lambda bad=bad: lib.scale(bad, 2)):
                    with pytest.raises(TypeError):
                        call()


def test_functions_of_ctypes_that_are_read_stay() -> None:
    cls = declared("f: func[(i64) -> i64]")
    kind = ctypes.CFUNCTYPE(ctypes.c_long, ctypes.c_long)
    read = [cls(kind(lambda x, by=by: x * by)).f for by in range(20)]
    gc.collect()
    assert [each(3) for each in read] == [3 * by for by in range(20)]


class Endless:
    """As ctypes' pointers are: items by any index, and no length."""

    def __getitem__(self, index: int) -> int:
        return index


@pytest.mark.parametrize("endless", [Endless(), ctypes.pointer(ctypes.c_int(3))], ids=["indices", "ctypes"])
def test_what_has_no_end_is_no_array(endless: Any) -> None:
    libc = jitffi.load_library(None)
    kind = type(endless).__name__
    numbers, texts = declared("a: i32[3]"), declared("a: cstr[2]")
    variable = libc.variable("environ", "cstr[2]")
    puts = libc.bind("puts", "(cstr[n], n: i32) -> i32")
    for call, message in (
        (lambda: numbers(endless), rf"a: expected i32\[3\], got {kind}"),
        (lambda: texts(endless), rf"a: expected cstr\[2\], got {kind}"),
        (lambda: jitffi.new("i64[3]", endless), rf"new: expected 3 values for i64\[3\], got {kind}"),
        (lambda: puts(endless), rf"argument 1: expected cstr\[n\], got {kind}"),
        (lambda: setattr(variable, "value", endless), rf"environ: expected cstr\[2\], got {kind}"),
        (lambda: jitffi.Shape(endless), f"Shape: expected a sequence of ints, got {kind}"),
    ):
        with pytest.raises(TypeError, match=message):
            call()
