"""Fields that are pointers, texts and functions of C: what Python puts there is kept as long as it stands there."""

from __future__ import annotations

import copy
import ctypes
import gc
import itertools
import pickle
import weakref
from typing import Any

import numpy as np
import pytest
from support.leaks import assert_nothing_stays

import jitffi
from jitffi import _core
from jitffi.signature import structs
from jitffi.signature.model import TYPES

KEYS = itertools.count()
NONE = _core.NO_DEFAULT


def make(name: str, size: int, *fields: Any, key: str = "", is_union: bool = False) -> Any:
    """A class from (name, type, offset), perhaps with more of the tuple."""
    full = [(n, text, offset, -1, -1, *(more or ((), None)), NONE) for n, text, offset, *more in fields]
    key = key or f"struct_addresses{next(KEYS)}.{name}"
    return _core.struct_class(name, {"__module__": __name__}, key, size, 8, is_union, tuple(full))


structs.declare(
    "struct_addresses.Point", [structs.Member("x", TYPES["f64"]), structs.Member("y", TYPES["f64"])]
)  # for texts of types
Point = make("Point", 16, ("x", "f64", 0), ("y", "f64", 8), key="struct_addresses.Point")
Packet = make("Packet", 4, ("n", "u32", 0), ("data", "u16", 4, (-1,), None), key="struct_addresses.Packet")
structs.declare("struct_addresses.Packet", [structs.Member("n", TYPES["u32"])])
NAMED = "struct_addresses.Named"
structs.declare(NAMED, [structs.Member("n", TYPES["i64"]), structs.Member("name", TYPES["cstr"])])
Named = make("Named", 16, ("n", "i64", 0), ("name", "cstr", 8), key=NAMED)
Holder = make(
    "Holder", 32, ("a", "ptr[f64]", 0), ("b", "ptr[const u8]", 8), ("p", "ptr[struct_addresses.Point]", 16),
    ("v", "ptr", 24),
)  # fmt: skip
Ops = make("Ops", 16, ("add", "func[(i64, i64) -> i64]", 0), ("note", "optional[func[(cstr) -> i32]]", 8))


class Text(str):
    """One that can be watched."""


class TestText:
    def test_str_bytes_and_none(self) -> None:
        one = Named(1, "wörter")
        assert one.name == "wörter"
        one.name = b"bytes"
        assert one.name == "bytes" and one == Named(1, "bytes") != Named(1, "other") and repr(one).endswith("'bytes')")
        one.name = None
        assert one.name is None and one == Named(1) != Named(1, "")

    @pytest.mark.parametrize(
        "value, error", [(5, TypeError), ("a\0b", ValueError), (b"a\0b", ValueError), ([], TypeError)]
    )
    def test_others_are_refused(self, value: Any, error: Any) -> None:
        with pytest.raises(error, match=r"Named.name: "):
            Named(1, value)

    def test_it_is_kept_as_long_as_it_stands_there(self) -> None:
        text = Text("watched")
        died = weakref.ref(text)
        one = Named(1, text)
        other = copy.copy(one)
        del text
        one.name = None
        gc.collect()
        assert died() is not None and other.name == "watched"
        line = make("Outer", 32, ("a", "struct", 0, (), Named), ("b", "struct", 16, (), Named))(other)
        del other
        assert line.a.name == "watched"
        line.b = line.a
        line.a = Named()
        assert line.b.name == "watched" and died() is not None
        line.b.name = "else"
        gc.collect()
        assert died() is None and line.b.name == "else"

    def test_where_nothing_would_keep_it_none_is_put(self) -> None:
        one = Named(1, "x")
        address = jitffi.cast("ptr[u8]", one).address
        view = jitffi.cast(f"ptr[{NAMED}]", address).value
        for value in ("text", b"text"):
            with pytest.raises(TypeError, match="nothing there would keep it alive"):
                view.name = value
        view.n, view.name = 5, None
        assert one == Named(5)

    def test_arrays_of_texts(self) -> None:
        words = make("Words", 24, ("words", "cstr", 0, (3,), None))(["a", None, "c"])
        assert list(words.words) == ["a", None, "c"] and words.words == ["a", None, "c"]
        words.words[1] = "b"
        words.words = list(words.words)[::-1]
        assert list(copy.copy(words).words) == ["c", "b", "a"]

    def test_pickle_refuses(self) -> None:
        with pytest.raises(TypeError, match="cannot be pickled: it has pointers"):
            pickle.dumps(Named())


class TestPointers:
    def test_arrays_pointers_and_instances_are_kept(self) -> None:
        array, point = np.arange(3.0), Point(1, 2)
        holder = Holder(array, b"bytes", point, bytearray(b"xyz"))
        assert holder.a[2] == 2.0 and holder.b[1] == ord("y") and holder.p.value == point
        holder.p.value.x = 5
        assert point.x == 5.0
        died = weakref.ref(array)
        del array, point
        gc.collect()
        assert died() is not None and holder.p.value.x == 5.0
        kept = holder.a
        holder.a = None
        gc.collect()
        assert holder.a is None and kept[1] == 1.0
        del kept
        gc.collect()
        assert died() is None

    def test_a_bytearray_is_held(self) -> None:
        buffer = bytearray(b"abc")
        holder = Holder(v=buffer)
        with pytest.raises(BufferError):
            buffer.extend(b"more")
        holder.v = None
        buffer.extend(b"more")

    def test_pointers_of_ours(self) -> None:
        numbers = jitffi.new("f64[4]", [1, 2, 3, 4])
        holder = Holder(numbers, p=jitffi.new(Point))
        assert holder.a.len == 4 and holder.a == numbers
        holder.a = numbers + 1
        assert holder.a[0] == 2.0 and holder.a[2] == 4.0
        holder.v = numbers
        assert holder.v == numbers.address

    @pytest.mark.parametrize("name", ["a", "b", "p"])
    @pytest.mark.parametrize("value", [1, 1.5, "x", np.zeros(3, np.int16), object(), Named(), (ctypes.c_int16 * 3)()])
    def test_others_are_refused(self, name: str, value: Any) -> None:
        with pytest.raises(TypeError, match=rf"Holder.{name}: expected ptr\["):
            setattr(Holder(), name, value)

    def test_what_is_read_only_needs_const(self) -> None:
        array = np.zeros(3)
        array.flags.writeable = False
        with pytest.raises(TypeError, match=r"Holder.a: expected ptr\[f64\], got read-only float64"):
            Holder(array)
        with pytest.raises(TypeError, match="Holder.v: expected ptr"):
            Holder(v=b"bytes")

    def test_equality_is_of_addresses(self) -> None:
        array = np.zeros(3)
        assert Holder(array) == Holder(array) != Holder(array.copy())

    def test_a_cycle_is_collected(self) -> None:
        node = make(
            "Node", 16, ("value", "i64", 0), ("next", "ptr[struct_addresses.Node]", 8), key="struct_addresses.Node"
        )
        structs.declare("struct_addresses.Node", [structs.Member("value", TYPES["i64"])])
        first, second = node(1), node(2)
        first.next, second.next = second, first
        died = weakref.ref(first)
        assert first.next.value.next.value.value == 1
        del first, second
        gc.collect()
        assert died() is None

    def test_another_address_that_c_writes_is_read(self) -> None:
        holder = Holder(np.zeros(3))
        other = np.arange(2.0)
        memoryview(holder).cast("B").cast("Q")[0] = other.ctypes.data
        assert holder.a[1] == 1.0 and holder.a.len is None


class TestFunctions:
    def test_a_callable_becomes_a_c_function(self) -> None:
        ops = Ops(lambda a, b: a + b)
        assert ops.add(2, 3) == 5 and ops.note is None
        address = memoryview(ops).cast("B").cast("Q")[0]
        assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(address)(4, 5) == 9
        assert "<func[(i64, i64) -> i64] at 0x" in repr(ops)

    def test_it_lives_as_long_as_it_stands_there(self) -> None:
        class Adder:
            def __call__(self, a: int, b: int) -> int:
                return a + b

        adder = Adder()
        died = weakref.ref(adder)
        ops = Ops(adder)
        other = copy.copy(ops)
        del adder, ops
        gc.collect()
        assert other.add(1, 2) == 3
        other.add = None
        gc.collect()
        assert died() is None and other.add is None

    def test_functions_of_the_same_types_give_their_own_address(self) -> None:
        made = jitffi.function("(a: i64, b: i64) -> i64")(lambda a, b: a * b)
        ops = Ops(made)
        assert ops.add(3, 4) == 12
        with pytest.raises(TypeError, match=r"Ops.add: expected .* -> i64\], got .*its types are others"):
            ops.add = jitffi.function("(a: i64) -> i64")(lambda a: a)

    def test_what_c_has_put_there_can_be_called(self) -> None:
        ops = Ops()
        libc = ctypes.CDLL(None)
        ops.note = ctypes.cast(libc.atoi, ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_char_p))
        assert ops.note("42") == 42 and ops.note is ops.note

    def test_others_are_refused(self) -> None:
        for value in ("x", 1.5, []):
            with pytest.raises(TypeError, match=r"Ops.add: expected func\[\(i64, i64\) -> i64\], got"):
                Ops(value)

    def test_an_exception_comes_back(self) -> None:
        def fail(a: int, b: int) -> int:
            raise LookupError(a + b)

        with pytest.raises(LookupError, match="3"):
            Ops(fail).add(1, 2)


class TestPointersToStructs:
    def test_new_and_items(self) -> None:
        points = jitffi.new("struct_addresses.Point[3]", [Point(1), Point(2), Point(3)])
        points[0].y = 7
        points[1] = points[0]
        assert [(p.x, p.y) for p in points] == [(1, 7), (1, 7), (3, 0)]
        assert jitffi.new(Point, Point(4, 5)).value == Point(4, 5) and jitffi.new(Point).value == Point()
        view = points[2]
        del points
        gc.collect()
        assert view.x == 3.0

    def test_arrays_are_numpy_s(self) -> None:
        points = jitffi.new("struct_addresses.Point[2]", [Point(1, 2), Point(3, 4)])
        array = points.array()
        assert array.dtype.names == ("x", "y") and array["y"].tolist() == [2, 4]
        array["x"][1] = 9
        assert points[1].x == 9.0

    def test_const_is_not_written(self) -> None:
        point = Point(1, 2)
        view = jitffi.cast("ptr[const struct_addresses.Point]", point).value
        with pytest.raises(TypeError, match="behind a pointer to const"):
            view.x = 5
        with pytest.raises(TypeError, match="read-only"):
            memoryview(view).cast("B")[0] = 1
        assert view == point
        point.x = 3
        assert view.x == 3.0 and memoryview(view).readonly

    def test_a_flexible_end_has_the_length_that_it_was_made_with(self) -> None:
        pointer = jitffi.new(Packet, 3)
        packet = pointer.value
        packet.data = [1, 2, 3]
        assert packet.data.tolist() == [1, 2, 3] and len(bytes(packet)) == 10 and pointer.len == 1
        other = copy.copy(packet)
        packet.data[0] = 100
        assert other.data.tolist() == [1, 2, 3] and other != packet and jitffi.new(Packet, other).value == other
        assert Packet(5).data.tolist() == [] and Packet(5) != jitffi.new(Packet, 1).value
        with pytest.raises(ValueError, match="got 2 items where there are 3"):
            packet.data = [1, 2]
        for wrong, error in ((-1, ValueError), (2**62, MemoryError), ("x", TypeError), (2**70, OverflowError)):
            with pytest.raises(error):
                jitffi.new(Packet, wrong)
        with pytest.raises(TypeError, match="no arrays of struct_addresses.Packet"):
            jitffi.new("struct_addresses.Packet[2]")
        with pytest.raises(TypeError, match="pickled"):
            pickle.dumps(packet)

    def test_texts_are_kept_by_new(self) -> None:
        pointer = jitffi.new(Named)
        pointer.value.name = "te" + "xt"
        gc.collect()
        assert pointer.value.name == "text"
        pointer[0] = Named(2, "ot" + "her")
        gc.collect()
        assert pointer[0].name == "other"


class TestUnions:
    def test_what_others_lie_over_is_not_read(self) -> None:
        either = make("Either", 8, ("n", "i64", 0), ("s", "cstr", 0), is_union=True)
        one = either(5)
        assert repr(one).endswith("(n=5, s=<cstr at 0x5>)") and one == either(5) != either(6)
        one.s = "text"
        assert one.s == "text" and "s='text'" in repr(one)
        tagged = make("Tagged", 16, ("tag", "i64", 0), ("n", "i64", 8), ("s", "cstr", 8))
        assert repr(tagged(1, 7)).endswith("(tag=1, n=7, s=<cstr at 0x7>)") and tagged(1, 7) == tagged(1, 7)


class TestMemory:
    def test_nothing_stays(self) -> None:
        def add(a: int, b: int) -> int:
            return a + b

        def work() -> None:
            holder = Holder(np.zeros(3), bytearray(b"abc"), Point(), bytearray(b"abc"))
            holder.p = jitffi.new(Point)
            copy.copy(holder).a = None
            named = Named(1, "text" * 3)
            named.name = "other" * 3
            assert Ops(add).add(1, 2) == 3
            for name in "abp":
                with pytest.raises(TypeError):
                    setattr(holder, name, np.zeros(3, np.int16))
            pointer = jitffi.new(Packet, 5)
            copy.copy(pointer.value).data = range(5)
            first = jitffi.new(Named, Named(1, "name"))
            first.value.name = "x" * 9

        assert_nothing_stays(work)


def test_places_for_pointers_take_instances_and_keep_them():
    """As members and arguments do."""
    Node = jitffi.struct("addresses.Placed", "x: i32, next: ptr[addresses.Placed]")
    place = jitffi.new("ptr[addresses.Placed]", made := Node(7))
    alive, address = weakref.ref(made), jitffi.addressof(made)
    del made
    gc.collect()
    assert place.value.address == address and place.value.value.x == 7 and alive() is not None
    place.value = Node(8, place.value)
    assert place.value.value.next.value.x == 7
    place.value = None
    gc.collect()
    assert alive() is None
    assert [each.value.x for each in jitffi.new("ptr[addresses.Placed][2]", [Node(1), Node(2)])] == [1, 2]
    constant = jitffi.cast("ptr[const addresses.Placed]", held := jitffi.new(Node)).value
    assert held and jitffi.new("ptr[const addresses.Placed]", constant).value.value == constant
    for wrong, got in (
        (constant, "it is behind a pointer to const"),
        (jitffi.struct("addresses.No", "y: i8")(), "got "),
    ):
        with pytest.raises(TypeError, match=rf"item 0: expected ptr\[addresses.Placed\], .*{got}"):
            place.value = wrong
