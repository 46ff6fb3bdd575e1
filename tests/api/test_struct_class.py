"""The class of a struct: C's bytes behind Python's attributes."""

from __future__ import annotations

import copy
import gc
import itertools
import math
import pickle
import struct
import weakref
from typing import Any

import numpy as np
import pytest
from support.leaks import assert_nothing_stays

from jitffi import _core

KEYS = itertools.count()


NONE = _core.NO_DEFAULT


def field(
    name: str, text: str, offset: int, bit: int = -1, bits: int = -1, dims: Any = (), inner: Any = None,
    default: Any = NONE,
) -> Any:  # fmt: skip
    return (name, text, offset, bit, bits, dims, inner, default)


def make(name: str, size: int, *fields: Any, align: int = 8, is_union: bool = False, **namespace: Any) -> Any:
    """A class whose key is new in the process."""
    key = f"struct_class{next(KEYS)}.{name}"
    return _core.struct_class(name, {"__module__": __name__, **namespace}, key, size, align, is_union, fields)


Point = _core.struct_class(
    "Point",
    {"__module__": __name__, "norm": lambda self: math.hypot(self.x, self.y)},
    "struct_class.Point",
    16,
    8,
    False,
    (field("x", "f64", 0), field("y", "f64", 8, default=1.0)),
)
Line = make("Line", 32, field("a", "struct", 0, inner=Point), field("b", "struct", 16, inner=Point))

NUMBERS = {
    "i8": ("b", -(2**7), 2**7 - 1), "u8": ("B", 0, 2**8 - 1), "i16": ("h", -(2**15), 2**15 - 1),
    "u16": ("H", 0, 2**16 - 1), "i32": ("i", -(2**31), 2**31 - 1), "u32": ("I", 0, 2**32 - 1),
    "i64": ("q", -(2**63), 2**63 - 1), "u64": ("Q", 0, 2**64 - 1),
}  # fmt: skip


class TestConstructor:
    def test_positions_keywords_and_defaults(self) -> None:
        assert [(p.x, p.y) for p in (Point(), Point(2.0), Point(2, 3), Point(y=3), Point(1.0, y=5))] == [
            (0.0, 1.0), (2.0, 1.0), (2.0, 3.0), (0.0, 3.0), (1.0, 5.0),
        ]  # fmt: skip

    @pytest.mark.parametrize(
        "args, names, text",
        [
            ((1, 2, 3), {}, "expected at most 2 arguments, got 3"),
            ((1,), {"x": 2}, "field 'x' is given by position and by name"),
            ((), {"z": 2}, "there is no field 'z'"),
            (("abc",), {}, r"struct_class.Point.x: expected f64, got str 'abc'"),
            ((Point(),), {}, r"struct_class.Point.x: expected f64, got struct_class.Point"),
        ],
    )
    def test_what_does_not_fit_is_a_type_error(self, args: Any, names: Any, text: str) -> None:
        with pytest.raises(TypeError, match=text):
            Point(*args, **names)

    def test_one_in_python_is_called(self) -> None:
        def init(self: Any, angle: float) -> None:
            _core.Struct.__init__(self, math.cos(angle), math.sin(angle))

        direction = make("Direction", 16, field("x", "f64", 0), field("y", "f64", 8), __init__=init)
        assert direction(0.0) == direction(angle=0.0) and direction(0.0).x == 1.0
        later = make("Later", 8, field("x", "f64", 0))
        later.__init__ = lambda self: setattr(self, "x", 4.0)
        assert later().x == 4.0

    def test_a_class_without_fields_has_no_instances(self) -> None:
        class Bare(_core.Struct):
            pass

        for maker in (_core.Struct, Bare):
            with pytest.raises(TypeError, match="has no fields"):
                maker()
        with pytest.raises(TypeError):
            object.__new__(Point)

    def test_a_union_has_one_value(self) -> None:
        either = make("Either", 8, field("n", "i64", 0, default=-1), field("x", "f64", 0), is_union=True)
        assert either().n == -1 and either(x=0.0).n == 0 and either(3).n == 3
        assert either(x=1.5).n == struct.unpack("q", struct.pack("d", 1.5))[0]


class TestNumbers:
    @pytest.mark.parametrize("text", NUMBERS)
    def test_integers_are_range_checked(self, text: str) -> None:
        letter, least, most = NUMBERS[text]
        size = struct.calcsize(letter)
        one = make("One", 2 * size, field("before", text, 0), field("n", text, size), align=1)()
        for value in (least, most, 0, 1, True, np.int8(5)):
            one.n = value
            assert one.n == value and one.before == 0 and bytes(one)[size:] == struct.pack(letter, int(value))
            assert type(one)(0, value) == one
        for value in (least - 1, most + 1, 2**200, -(2**200)):
            with pytest.raises(OverflowError, match=rf"One.n: expected {text} \({least} to {most}\), got int"):
                one.n = value
            with pytest.raises(OverflowError, match=rf"One.n: expected {text} \({least} to {most}\), got int"):
                type(one)(0, value)
        for value in (1.0, "1", None, b"1", 1j):
            with pytest.raises(TypeError, match=f"One.n: expected {text}, got"):
                one.n = value
        assert one.n == 5

    def test_an_index_counts_and_its_exceptions_pass(self) -> None:
        class Index:
            def __index__(self) -> int:
                return 7

        class Broken:
            def __index__(self) -> int:
                raise KeyError("own")

        one = make("One", 4, field("n", "i32", 0), align=4)(Index())
        assert one.n == 7
        with pytest.raises(KeyError, match="own"):
            one.n = Broken()

    @pytest.mark.parametrize(
        "text, size, most", [("f16", 2, 65504.0), ("bf16", 2, 3.3895314e38), ("f32", 4, 3.4028234663852886e38)]
    )
    def test_floats_are_rounded_and_never_become_infinite(self, text: str, size: int, most: float) -> None:
        one = make("One", size, field("x", text, 0), align=size)()
        for value in (0.0, -1.5, most, math.inf, -math.inf, 3):
            one.x = value
            assert one.x == pytest.approx(value)
        one.x = math.nan
        assert math.isnan(one.x)
        for value in (2 * most, -1e300, 10**400):
            with pytest.raises(OverflowError, match=f"One.x: expected {text}"):
                one.x = value
        with pytest.raises(TypeError, match="expected"):
            one.x = 1j

    def test_bool_takes_bools_alone(self) -> None:
        one = make("One", 1, field("b", "bool", 0), align=1)(True)
        assert one.b is True
        one.b = np.bool_(False)
        assert one.b is False
        with pytest.raises(TypeError, match="One.b: expected bool, got int 1"):
            one.b = 1

    def test_complex(self) -> None:
        one = make("One", 24, field("a", "c64", 0), field("b", "c128", 8))(1 + 2j, 3)
        assert (one.a, one.b) == (1 + 2j, 3 + 0j)
        with pytest.raises(OverflowError, match="One.a: expected c64"):
            one.a = 1e300j
        with pytest.raises(TypeError, match="One.b: expected c128, got str 'x'"):
            one.b = "x"

    def test_float8(self) -> None:
        one = make("One", 1, field("a", "float8_e4m3fn", 0), align=1)(1.5)
        assert one.a == 1.5 and len(bytes(one)) == 1


class TestBits:
    def test_neighbours_stay(self) -> None:
        flags = make(
            "Flags", 4, field("a", "u32", 0, 0, 3), field("b", "i32", 0, 3, 5), field("c", "bool", 1, 0, 1),
            field("d", "u32", 1, 1, 23), align=4,
        )  # fmt: skip
        one = flags(5, -16, True, 2**23 - 1)
        assert (one.a, one.b, one.c, one.d) == (5, -16, True, 2**23 - 1)
        for name, value in (("a", 2), ("b", 15), ("c", False), ("d", 1)):
            others = {n: getattr(one, n) for n in "abcd" if n != name}
            setattr(one, name, value)
            assert getattr(one, name) == value and {n: getattr(one, n) for n in others} == others
        assert repr(one).endswith("(a=2, b=15, c=False, d=1)")

    @pytest.mark.parametrize("start", range(8))
    def test_sixty_four_bits_may_touch_nine_bytes(self, start: int) -> None:
        wide = make("Wide", 9, field("u", "u64", 0, start, 64), field("i", "i64", 0, start, 64), align=1)
        one = wide()
        for value in (0, 1, 2**64 - 1, 0x123456789ABCDEF0):
            one.u = value
            assert one.u == value and int.from_bytes(bytes(one), "little") == value << start
        for value in (-(2**63), -1, 2**63 - 1):
            one.i = value
            assert one.i == value

    @pytest.mark.parametrize("text, least, most", [("u32", 0, 7), ("i32", -4, 3)])
    def test_they_are_range_checked(self, text: str, least: int, most: int) -> None:
        one = make("One", 4, field("n", text, 0, 6, 3), align=4)()
        for value in range(least, most + 1):
            one.n = value
            assert one.n == value
        for value in (least - 1, most + 1, 2**40, -(2**80)):
            with pytest.raises(OverflowError, match=rf"One.n: expected {text}:3 \({least} to {most}\), got int"):
                one.n = value
        with pytest.raises(TypeError, match=f"One.n: expected {text}:3, got str"):
            one.n = "1"


class TestNested:
    def test_a_view_writes_through_and_keeps_its_owner(self) -> None:
        line = Line(Point(1, 2), Point(3, 4))
        start, died = line.a, weakref.ref(line)
        start.x = 9
        assert line.a.x == 9.0
        del line
        gc.collect()
        assert died() is not None and start.x == 9.0
        del start
        gc.collect()
        assert died() is None

    def test_assigning_copies(self) -> None:
        point = Point(1, 2)
        line = Line(point)
        point.x = 5
        assert line == Line(Point(1, 2), Point(0, 0))
        line.a = line.b
        assert line == Line(Point(0, 0), Point(0, 0))
        with pytest.raises(TypeError, match=r"Line.a: expected struct_class.Point, got tuple"):
            line.a = (1, 2)

    def test_the_innermost_view_keeps_the_outermost_owner(self) -> None:
        outer = make("Outer", 40, field("n", "i64", 0), field("line", "struct", 8, inner=Line))
        view = outer(1, Line(Point(1, 2), Point(3, 4))).line.b
        gc.collect()
        assert (view.x, view.y) == (3.0, 4.0)


class TestArrays:
    def test_numbers_are_a_numpy_view(self) -> None:
        matrix = make("Matrix", 24, field("name", "u8", 0, dims=(4,)), field("m", "f32", 4, dims=(2, 2)), align=4)
        one = matrix(b"abcd", [[1, 2], [3, 4]])
        view = one.m
        assert view.dtype == np.float32 and view.tolist() == [[1, 2], [3, 4]] and one.name.tobytes() == b"abcd"
        view[1, 0] = 7
        assert one.m[1, 0] == 7
        del one
        gc.collect()
        assert view.tolist() == [[1, 2], [7, 4]]

    def test_assignment_takes_the_same_shape_and_all_or_nothing(self) -> None:
        one = make("One", 16, field("m", "i32", 0, dims=(2, 2)), align=4)()
        one.m = np.arange(4, dtype=np.int32).reshape(2, 2)
        one.m = np.arange(4, dtype=np.int64).reshape(2, 2)
        one.m = one.m[::-1].T
        assert one.m.tolist() == [[2, 0], [3, 1]]
        for wrong in ([1, 2], [[1, 2]], [[1, 2], [3]], 5, "abcd", {1: 2}, [[1, 2], [3, 2**40]], [[1, 2], [3, None]]):
            with pytest.raises((TypeError, ValueError, OverflowError), match=r"One.m: expected i32\[2, 2\]"):
                one.m = wrong
        assert one.m.tolist() == [[2, 0], [3, 1]]

    def test_structs_are_a_sequence(self) -> None:
        path = make("Path", 64, field("points", "struct", 0, dims=(2, 2), inner=Point))
        one = path([[Point(1, 2), Point(3, 4)], [Point(5, 6), Point(7, 8)]])
        assert len(one.points) == 2 and one.points[1][-1] == Point(7, 8) and len(list(one.points[0])) == 2
        one.points[0][1].x = 30
        one.points[0] = list(one.points[0])[::-1]
        assert [p.x for p in one.points[0]] == [30.0, 1.0] and one.points[0] == [Point(30, 4), Point(1, 2)]
        for index in (2, -3):
            with pytest.raises(IndexError, match=r"points: index .* is out of range: the length is 2"):
                one.points[0][index]
        with pytest.raises(TypeError, match="Path.points: expected"):
            one.points[0][0] = 5
        items = one.points[1]
        del one
        gc.collect()
        assert items[0].x == 5.0 and eval(repr(items)) == items


class TestInstances:
    def test_text_and_equality(self) -> None:
        assert repr(Point(1, 2)) == "Point(x=1.0, y=2.0)"
        assert Point(1, 2) == Point(1, 2) != Point(1, 3) and Point(math.nan) != Point(math.nan) and Point(1) != 1
        assert Point(0.0) == Point(-0.0)
        with pytest.raises(TypeError, match="unhashable"):
            hash(Point())
        with pytest.raises(TypeError, match="not supported"):
            assert Point() < Point()

    def test_padding_does_not_count(self) -> None:
        padded = make("Padded", 8, field("a", "u8", 0), field("b", "u32", 4), align=4)
        one, other = padded(1, 2), padded(1, 2)
        memoryview(one).cast("B")[1:4] = b"xyz"
        assert one == other

    def test_copies(self) -> None:
        line = Line(Point(1, 2), Point(3, 4))
        for made in (copy.copy(line), copy.deepcopy(line), copy.copy(line.b), pickle.loads(pickle.dumps(Point(3, 4)))):
            assert made == (line if type(made) is Line else line.b)
            (made.a if type(made) is Line else made).x = 100
        assert line.a.x == 1.0 and line.b.x == 3.0

    @pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
    def test_pickle(self, protocol: int) -> None:
        assert pickle.loads(pickle.dumps(Point(3, 4), protocol)) == Point(3, 4)
        derived = Derived(1, 2)
        derived.note = "kept"
        again = pickle.loads(pickle.dumps(derived, protocol))
        assert type(again) is Derived and again == derived and again.note == "kept"
        with pytest.raises((TypeError, ValueError)):
            Point().__setstate__((b"short", None))

    def test_the_bytes_are_a_buffer(self) -> None:
        point = Point(1, 2)
        assert bytes(point) == struct.pack("dd", 1, 2) and memoryview(point).nbytes == 16
        memoryview(point).cast("B")[:8] = struct.pack("d", 5)
        assert point.x == 5.0

    def test_numpy_reads_the_format(self) -> None:
        line = Line(Point(1, 2), Point(3, 4))
        view = np.asarray(line)
        view["b"]["y"] = 7
        assert line.b.y == 7.0 and view.dtype.names == ("a", "b") and view.dtype.itemsize == 32
        mixed = make(
            "Mixed", 24, field("k", "u8", 0), field("f", "u32", 4, 0, 3), field("m", "f32", 8, dims=(2, 1)),
            field("p", "ptr", 16),
        )  # fmt: skip
        assert memoryview(mixed()).format == "T{^B:k:7x(2,1)^f:m:^Q:p:}" and np.asarray(mixed(1)).tolist()[0] == 1
        either = make("Either", 8, field("n", "i64", 0), field("x", "f32", 0), is_union=True)
        assert memoryview(either(5)).format == "T{^q:n:}"

    def test_fields_cannot_be_deleted_or_borrowed(self) -> None:
        with pytest.raises(TypeError, match="struct_class.Point.x: fields cannot be deleted"):
            del Point().x
        with pytest.raises(TypeError, match="doesn't apply"):
            Point.x.__get__(Line())
        with pytest.raises(AttributeError):
            Point().z = 1
        assert (
            Point.x.__name__ == "x" and Point.x.offset == 0 and Point.y.type == "f64" and Point.x.__objclass__ is Point
        )
        assert pickle.loads(pickle.dumps(Point.x)) is Point.x

    def test_methods_matching_and_derived_classes(self) -> None:
        assert Point(3, 4).norm() == 5.0
        match Point(3, 4):
            case Point(x, y=4.0):
                assert x == 3.0
            case _:
                raise AssertionError
        derived = Derived(3, y=4)
        derived.note = 1
        assert (
            derived.norm() == 5.0 and derived.double().x == 6.0 and derived == Point(3, 4) and Line(derived).a.x == 3.0
        )
        assert repr(derived) == "Derived(x=3.0, y=4.0)" and copy.copy(derived).note == 1
        assert copy.deepcopy(derived).note == 1

    def test_attributes_of_the_class_can_be_set(self) -> None:
        made = make("Later", 8, field("x", "f64", 0))
        made.twice = lambda self: 2 * self.x
        made.__doc__, made.__name__ = "Later.", "Renamed"
        assert (made(2).twice(), made.__doc__, repr(made(1))) == (4.0, "Later.", "Renamed(x=1.0)")
        del made.twice
        assert not hasattr(made(2), "twice")
        with pytest.raises(TypeError, match="__class__"):
            made().__class__ = Point

    def test_two_structs_have_no_common_heir(self) -> None:
        with pytest.raises(TypeError):
            type(Point)("Both", (Point, Line), {})

    def test_a_key_has_one_class(self) -> None:
        with pytest.raises(ValueError, match=r"a class of struct_class.Point already"):
            _core.struct_class("Point", {}, "struct_class.Point", 0, 1, False, ())

    @pytest.mark.parametrize("align", [1, 2, 4, 8, 16, 32, 128, 4096])
    def test_bytes_are_aligned(self, align: int) -> None:
        aligned = make("Aligned", 4096, field("n", "i32", 0), align=align)
        instances = [aligned(n) for n in range(20)]
        assert all(np.frombuffer(each, np.uint8).ctypes.data % align == 0 for each in instances)
        assert [each.n for each in instances] == list(range(20))

    def test_empty(self) -> None:
        empty = make("Empty", 0, align=1)
        assert empty() == empty() and bytes(empty()) == b"" and repr(empty()).endswith("Empty()")


class Derived(Point):
    note: Any

    def double(self) -> Derived:
        return Derived(2 * self.x, 2 * self.y)


class TestMemory:
    def test_the_collector_has_nothing_to_do_with_plain_ones(self) -> None:
        assert not gc.is_tracked(Point()) and gc.is_tracked(Line().a)

    def test_nothing_stays(self) -> None:
        matrix = make("Matrix", 16, field("m", "f32", 0, dims=(2, 2)), align=4)

        def work() -> None:
            line = Line(Point(1, 2), b=Point(3, 4))
            line.a = line.b
            assert repr(copy.copy(line)) and line == line and line.a.x == 3.0
            derived = Derived(1, 2)
            derived.itself = derived
            matrix([[1, 2], [3, 4]]).m = np.zeros((2, 2))
            for wrong in ("abc", 10**400, None):
                with pytest.raises((TypeError, OverflowError)):
                    Line(Point(wrong))
                with pytest.raises((TypeError, OverflowError, ValueError)):
                    matrix([[wrong, 1], [1, 1]])
            pickle.loads(pickle.dumps(Point(1, 2)))

        assert_nothing_stays(work)

    def test_deep_ownership_takes_no_stack(self) -> None:
        holder = Derived(1, 2)
        for _ in range(100_000):
            following = Derived(1, 2)
            following.before = holder
            holder = following
        died = weakref.ref(holder)
        del holder, following
        assert died() is None
