"""What the values promise, tried one promise at a time as somebody would who only read about them."""

from __future__ import annotations

import copy
import ctypes
import inspect
from collections.abc import Callable
from typing import Any

import pytest

import jitffi
from jitffi import List, Map, Tuple
from jitffi.base import config

NAN = float("nan")


# -- equality and order ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("ours", "pythons"),
    [
        (List([1, NAN, "a"]), [1, NAN, "a"]),
        (Tuple([1, NAN]), (1, NAN)),
        (Map({"a": NAN, NAN: 1}), {"a": NAN, NAN: 1}),
        (Map({"a": NAN}).items(), {"a": NAN}.items()),
        (List([[NAN], {"k": (NAN,)}]), [[NAN], {"k": (NAN,)}]),
    ],
    ids=["list", "tuple", "dict", "items", "nested"],
)
def test_a_nan_is_the_same_nan_as_in_pythons_containers(ours: Any, pythons: Any) -> None:
    assert ours == pythons and pythons == ours
    assert (ours != pythons) is False and (pythons != ours) is False


def test_a_nan_is_found_in_containers() -> None:
    items = List([1, NAN, 2, NAN])
    assert NAN in items and items.index(NAN) == 1 and items.count(NAN) == 2
    items.remove(NAN)
    assert items == [1, 2, NAN] and items < [1, 2, NAN, 0] and not items < [1, 2, NAN]
    assert items != [1, 2, 3.0] and items != [1, 2, -NAN]
    assert ("a", NAN) in Map(a=NAN).items() and Map({NAN: 1})[NAN] == 1


def test_a_shape_is_a_tuple_wherever_it_is() -> None:
    shape = jitffi.Shape((1, 2))
    for same in ((1, 2), Tuple((1, 2)), Tuple((1.0, True + 1)), jitffi.Shape([1, 2])):
        assert shape == same and same == shape and hash(shape) == hash(same)
        assert List([shape]) == List([same]) and List([same]) == [shape]
        assert shape in List([same]) and same in List([shape])
        assert Map({same: "found"})[shape] == "found" and Map({shape: "found"})[same] == "found"
    assert shape != Tuple((1, 3)) and shape != Tuple((1,)) and shape != List([1, 2])
    assert shape < Tuple((1, 3)) and Tuple((0, 9)) < shape and shape >= Tuple((1, 2))
    assert List(sorted([(1, 3), shape, Tuple((1, 1))])) == [(1, 1), (1, 2), (1, 3)]
    mixed = List([(1, 3), shape, (1, 1)])
    mixed.sort()
    assert mixed == [(1, 1), (1, 2), (1, 3)]


# -- conversion --------------------------------------------------------------------------------------------------------


def test_convert_makes_containers_of_pythons() -> None:
    made = [jitffi.convert(value) for value in ([1, [2]], (1, "a"), {"a": (1,)}, {1, "a"})]
    assert [type(value) for value in made] == [List, Tuple, Map, jitffi.Set]
    assert made == [[1, [2]], (1, "a"), {"a": (1,)}, {1, "a"}]
    assert jitffi.convert(made[0]) is made[0]
    opaque = frozenset((1, 2))
    assert jitffi.convert(opaque) is opaque
    for value in (jitffi.DataType("int8"), jitffi.Device("cuda:1"), jitffi.String("x"), jitffi.Shape((1, 2))):
        assert jitffi.convert(value) == value
        assert type(jitffi.convert(value)) is type(value)
    with pytest.raises(OverflowError, match="item 1: int does not fit 64 bits"):
        jitffi.convert([1, 2**64])


def test_arrays_of_a_narrower_type_lose_no_digits() -> None:
    numpy = pytest.importorskip("numpy")
    items = List([-1, 100])
    assert items.to_numpy("int8").tolist() == [-1, 100] and items.to_numpy("int8").dtype == "int8"
    assert numpy.asarray(items, "float32").tolist() == [-1.0, 100.0]
    for values, dtype in [([-1], "uint64"), ([300], "uint8"), ([2**63], "int64"), ([2**40], "int32")]:
        with pytest.raises(OverflowError, match=f"do not fit {dtype}"):
            List(values).to_numpy(dtype)
        with pytest.raises(OverflowError, match="to_numpy"):
            numpy.array(List(values), dtype)


# -- out-slots ---------------------------------------------------------------------------------------------------------


RUNTIME = ctypes.PyDLL(str(config.library_file()))
RUNTIME.jf_error_take.restype = ctypes.c_void_p
RUNTIME.jf_object_release.argtypes = (ctypes.c_void_p,)


class Slot(ctypes.Structure):
    _fields_ = (("code", ctypes.c_int32), ("small_len", ctypes.c_int32), ("payload", ctypes.c_ubyte * 128))


def packed_call(function: Any, capacity: int) -> tuple[bool, int, int, bytes]:
    """Whether it succeeded, and the out-slot's code, length and first 8 bytes of payload."""
    entry = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_int32, ctypes.c_void_p, ctypes.c_void_p)
    made = jitffi.Function(function)
    out = Slot(-1, capacity)
    status = entry(made.packed_address)(made.handle, 0, None, ctypes.addressof(out))
    result = (status == 0, out.code, out.small_len, bytes(out.payload[:8]))
    RUNTIME.jf_any_release(ctypes.byref(out))
    RUNTIME.jf_object_release(RUNTIME.jf_error_take())
    return result


@pytest.mark.parametrize("typed", [False, True])
@pytest.mark.parametrize("capacity", [-8, -1, 0, 1, 8, 15, 16, 17, 23, 24, 31, 32, 128, 129, 1000])
def test_out_slots_of_every_capacity(typed: bool, capacity: int) -> None:
    def callee(result: Callable[[], Any], name: str) -> Any:
        return jitffi.function(f"() -> {name}")(result) if typed else jitffi.convert(result)

    room = max(8, min(128, capacity // 8 * 8))  # rounded down, and limited
    small_str, small_bytes, in_object, null = -13, -15, -11, -1
    text = packed_call(callee(lambda: "q" * 20, "str"), capacity)
    assert text[:3] == ((True, small_str, 20) if room >= 21 else (True, in_object, 0))
    data = packed_call(callee(lambda: b"z" * 15, "bytes"), capacity)
    assert data[:3] == ((True, small_bytes, 15) if room >= 16 else (True, in_object, 0))
    assert packed_call(callee(lambda: "ab", "str"), capacity) == (True, small_str, 2, b"ab" + bytes(6))
    assert packed_call(callee(lambda: 7, "i64"), capacity) == (True, -2, 0, b"\7" + bytes(7))
    assert packed_call(callee(lambda: None, "any"), capacity) == (True, null, 0, bytes(8))
    assert packed_call(callee(lambda: 1 // 0, "i64"), capacity) == (False, null, 0, bytes(8))
    assert packed_call(callee(lambda: "\ud800", "str"), capacity) == (False, null, 0, bytes(8))


# -- classes -----------------------------------------------------------------------------------------------------------


class Words(List):
    def __init__(self, items: Any = (), **options: Any) -> None:
        super().__init__(items, **options)
        self.notes = ["made"]


class Counts(Map):
    pass


class Slotted(List):
    __slots__ = ()


def test_copies_of_a_subclass_are_of_it() -> None:
    words = Words([1, [2]], pad=3)
    one = copy.copy(words)
    assert type(one) is Words and one == [1, [2]] and one.pad == 3
    assert one.notes is words.notes and one[1] is words[1]
    deep = copy.deepcopy(words)
    assert type(deep) is Words and deep == words and deep.pad == 3
    assert deep.notes == ["made"] and deep.notes is not words.notes and deep[1] is not words[1]
    counts = Counts(a=[1])
    counts.unit = ["s"]
    for made, shared in [(copy.copy(counts), True), (copy.deepcopy(counts), False)]:
        assert type(made) is Counts and made == {"a": [1]} and made.unit == ["s"]
        assert (made.unit is counts.unit) is shared and (made["a"] is counts["a"]) is shared
    assert type(copy.copy(Slotted([1]))) is Slotted and copy.deepcopy(Slotted([1])) == [1]
    assert type(words.copy()) is List and type(counts.copy()) is Map


def test_our_classes_are_annotations() -> None:
    def all_of(
        a: List[int], b: Map[str, int], c: Tuple[int, str], d: jitffi.String, e: jitffi.UCS4String, f: jitffi.Bytes,
        g: jitffi.DataType, h: jitffi.Device, i: jitffi.Object, k: Tuple[int], j: List | None = None,
    ) -> jitffi.UCS4String: ...  # fmt: skip

    assert str(jitffi.Signature.of(all_of)) == (
        "(a: list[i64], b: map[str, i64], c: tuple[i64, str], d: str, e: ucs4, f: bytes, g: dtype, h: device, "
        "i: object, k: tuple[i64, ...], j: optional[list] = None) -> ucs4"
    )
    assert str(List[int]) == "jitffi.List[int]" and Map[str, int].__args__ == (str, int)


class Array(Tuple[Any]):
    pass


class Names(Map[Any, Any]):
    pass


def test_classes_derived_from_ours_are_annotations() -> None:
    def both(a: Array[int], b: Names[str, int], c: Array, d: list[Array[float]]) -> Array[str]: ...  # type: ignore[type-arg, empty-body]

    assert str(jitffi.Signature.of(both)) == (
        "(a: tuple[i64, ...], b: map[str, i64], c: tuple, d: list[tuple[f64, ...]]) -> tuple[str, ...]"
    )

    @jitffi.register_object("test.promises.Holder")
    class Holder(jitffi.Object):
        items: Array[int]  # type: ignore[type-arg]

    assert jitffi.type_info(Holder).fields[0].type == "tuple[i64, ...]"


def test_methods_tell_their_signatures() -> None:
    assert str(inspect.signature(List.append)) == "(self, value, /)"
    assert str(inspect.signature(List().insert)) == "(index, value, /)"
    assert str(inspect.signature(Map.fromkeys)) == "(iterable, value=None, /)"
    assert str(inspect.signature(Tuple.to_python)) == "(self, /)"
    for cls in (List, Map, Tuple):
        for name, method in inspect.getmembers(cls, callable):
            if not name.startswith("_") and (cls, name) != (Map, "pop"):  # dict's own has none either
                assert inspect.signature(method) is not None
