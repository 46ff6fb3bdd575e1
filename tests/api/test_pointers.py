"""Pointers: their items against NumPy and struct, arithmetic, what keeps what alive, and every way to be refused."""

from __future__ import annotations

import copy
import ctypes
import functools
import gc
import pickle
import random
import shutil
import sys
import tempfile
import weakref
from pathlib import Path

import ml_dtypes
import numpy as np
import pytest
from support.extension import HOST, compile_c, linker
from support.leaks import assert_nothing_stays

import jitffi
from jitffi import Pointer, cast, new

INTEGERS = {"i8": np.int8, "i16": np.int16, "i32": np.int32, "i64": np.int64} | {
    "u8": np.uint8, "u16": np.uint16, "u32": np.uint32, "u64": np.uint64,
}  # fmt: skip
FLOATS = {"f16": np.float16, "bf16": ml_dtypes.bfloat16, "f32": np.float32, "f64": np.float64}
FLOATS8 = [
    "float8_e3m4", "float8_e4m3", "float8_e4m3b11fnuz", "float8_e4m3fn", "float8_e4m3fnuz", "float8_e5m2",
    "float8_e5m2fnuz", "float8_e8m0fnu",
]  # fmt: skip
NUMBERS = {**INTEGERS, **FLOATS, "bool": np.bool_, "c64": np.complex64, "c128": np.complex128}
NUMBERS |= {name: getattr(ml_dtypes, name) for name in FLOATS8}


def same(left, right):
    return left == right or (left != left and right != right)


# -- items -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", NUMBERS)
def test_items_are_those_of_the_numpy_array(name):
    p = new(f"{name}[7]")
    array = p.array()
    assert (array.dtype, array.shape, array.flags.writeable, p.len) == (np.dtype(NUMBERS[name]), (7,), True, 7)
    raw = np.random.default_rng(5).integers(0, 256, 7 * array.itemsize, dtype=np.uint8)
    if name == "bool":
        raw &= 1
    array.view(np.uint8)[:] = raw
    for i, value in enumerate(p):
        assert same(value, array[i].item()), i
        p[i] = value
    assert [same(*pair) for pair in zip(p, array.tolist(), strict=True)] == [True] * 7
    assert p.array(7, 1).shape == p.array((7, 1)).shape == (7, 1)


@pytest.mark.parametrize("name", INTEGERS)
def test_integers_have_a_range(name):
    p, limits = new(name), np.iinfo(INTEGERS[name])
    for value in (int(limits.min), int(limits.max), np.int8(5), True):
        p.value = value
        assert p[0] == value
    for value in (int(limits.min) - 1, int(limits.max) + 1, 1 << 200):
        with pytest.raises(OverflowError, match=rf"^ptr\[{name}\]: item 0: expected {name} \(-?\d+ to \d+\), got int"):
            p[0] = value
    with pytest.raises(TypeError, match=rf"^ptr\[{name}\]: item 0: expected {name}, got float 1.5$"):
        p[0] = 1.5
    assert p.value == 1


@pytest.mark.parametrize("name", FLOATS8)
def test_eight_bit_floats_are_those_of_ml_dtypes(name):
    p, kind = new(name), NUMBERS[name]
    byte = p.cast("ptr[u8]")
    numbers = []
    for bits in range(256):
        byte[0] = bits
        expected = float(np.uint8(bits).view(kind))
        assert same(p[0], expected), bits
        if expected == expected and abs(expected) != float("inf"):
            numbers.append(expected)
            p[0] = expected
            assert byte[0] == bits
    numbers = sorted(set(numbers))
    for low, high in zip(numbers, numbers[1:], strict=False):
        middle, near = (low + high) / 2, (high - low) / 100
        for value in (middle - near, middle, middle + near):  # ml_dtypes rounds to float32 first
            if name != "float8_e8m0fnu" or (value != middle and value > 1e-37):
                p[0] = value
                assert p[0] == float(np.asarray(value).astype(kind)), (low, value, high)
    p[0] = float("nan")
    assert p[0] != p[0]
    with pytest.raises(OverflowError, match=rf"^ptr\[{name}\]: item 0: expected {name} \(.* to .*\), got float"):
        p[0] = numbers[-1] * 2


def test_narrow_floats_and_complex_numbers_have_a_range():
    for name, value in (("f32", 1e39), ("f16", 1e5), ("bf16", 1e39), ("c64", 1e39j)):
        with pytest.raises(OverflowError, match=rf"^ptr\[{name}\]: item 0: expected {name} "):
            new(name, value)
    assert new("c64", 1.5 + 2j).value == 1.5 + 2j
    assert new("c128", np.complex64(1j)).value == 1j
    assert [new("c64", value).value for value in (3, True, 0.5)] == [3, 1, 0.5]
    for value in ("1j", None, b"1"):
        with pytest.raises(TypeError, match=r"^ptr\[c64\]: item 0: expected c64, got "):
            new("c64", value)


def test_misaligned_items_are_read_and_written():
    memory = bytearray(64)
    for name in NUMBERS:
        p = cast(f"ptr[{name}]", cast("ptr[u8]", memory) + 1)
        p[0] = True if name == "bool" else 1
        assert p[0] == 1


def test_texts_stay_as_long_as_they_stand_there():
    p = new("cstr[3]")
    p[0], p[1] = "h\xe9" + str(id(p)), b"x" * 30
    gc.collect()
    assert list(p) == ["h\xe9" + str(id(p)), "x" * 30, None]
    p[0] = None
    assert p[0] is None
    for value, error in (("a\0b", ValueError), (b"a\0b", ValueError), (5, TypeError), ("\ud800", UnicodeEncodeError)):
        with pytest.raises(error, match=None if error is UnicodeEncodeError else r"^ptr\[cstr\]: item 1: "):
            p[1] = value
    assert p[1] == "x" * 30
    elsewhere = cast("ptr[cstr]", bytearray(8))
    with pytest.raises(TypeError, match="nothing there would keep it alive"):
        elsewhere[0] = "abc"


def test_a_place_for_a_pointer_keeps_it():
    place = new("ptr[i32]")
    place[0] = new("i32[3]", (4, 5, 6))
    gc.collect()
    assert (place.value.len, list(place.value), place[0] is place[0]) == (3, [4, 5, 6], True)
    alive = weakref.ref(place.value)
    place.value = None
    assert place.value is None
    assert alive() is None


def test_an_address_that_c_has_put_there_is_read_without_an_owner():
    place, target = new("ptr[const i32]", new("i32", 1)), new("i32[2]", [7, 8])
    assert place.value.type is jitffi.Signature.parse("(ptr[const i32]) -> void").params[0].type
    place.cast("ptr[u64]")[0] = target.address
    assert (place.value.value, place.value.len) == (7, None)


def test_places_for_pointers_take_the_same_alone():
    place = new("ptr[i32]")
    for value in (new("u32"), new("f32"), 5, cast("ptr[const i32]", new("i32")), np.zeros(3, np.int32), b"abcd"):
        with pytest.raises(TypeError, match=r"^ptr\[ptr\[i32\]\]: item 0: expected ptr\[i32\], got "):
            place[0] = value
    number = ctypes.c_int(9)
    for value in (ctypes.pointer(number), ctypes.byref(number)):
        place[0] = value
        assert place.value.value == 9
    for value in (ctypes.pointer(ctypes.c_uint(9)), ctypes.c_void_p(5), ctypes.byref(ctypes.c_float(1))):
        with pytest.raises(TypeError, match="expected ptr"):
            place[0] = value
    anything = new("ptr", 0x1234)
    assert anything.value == 0x1234
    anything[0] = place
    assert anything.value == place.address
    assert new("ptr[const void]", b"abc" and cast("ptr[const u8]", b"abc")).value


def test_cffi_pointers_go_where_they_point_at_the_same():
    cffi = pytest.importorskip("cffi")
    ffi = cffi.FFI()
    ffi.cdef("struct own { int x; }; typedef unsigned char byte;")
    for ctype, name in (("int", "i32"), ("unsigned char", "u8"), ("byte", "u8"), ("double", "f64"), ("size_t", "u64")):
        place, made = new(f"ptr[{name}]"), ffi.new(f"{ctype}[2]", [3, 4])
        place[0] = made
        assert [place.value[0], cast(f"ptr[{name}]", made)[1]] == [3, 4]
        with pytest.raises(TypeError):
            new("ptr[f32]", made)
    assert new("ptr[struct own]", ffi.new("struct own *")).value
    with pytest.raises(TypeError):
        new("ptr[struct other]", ffi.new("struct own *"))
    assert new("ptr[cstr]", ffi.new("char *[1]")).value.value is None
    assert new("ptr[ptr[f64]]", ffi.new("double *[1]")).value.value is None


def test_functions_go_where_their_types_are_the_same():
    @jitffi.function("(x: i64) -> i64")
    def double(x):
        return 2 * x

    place = new("func[(y: i64) -> i64]")
    place[0] = double
    assert jitffi.Function.from_native(place.value, "(i64) -> i64")(21) == 42
    for value in (abs, "double", jitffi.function("(i32) -> i32")(abs)):
        with pytest.raises(TypeError, match=r"^ptr\[func\[\(y: i64\) -> i64\]\]: item 0: "):
            place[0] = value
    place[0] = None
    assert place[0] is None


# -- where it leads ---------------------------------------------------------------------------------------------------


def test_indices_are_checked_where_the_length_is_known():
    p = new("i32[4]", range(4))
    q = p + 3
    assert [q[i] for i in (-3, -2, -1, 0)] == [0, 1, 2, 3]
    for bad in (4, -1, 1 << 70):
        with pytest.raises(IndexError):
            p[bad]
        with pytest.raises(IndexError):
            p[bad] = 1
    for bad in (5, -1):
        with pytest.raises(IndexError, match=rf"^ptr\[i32\]: index {bad} is out of range: the length is 4$"):
            p + bad
    assert [(p + 4).len, (p + 4 - 4) == p, (4 + p) - p] == [0, True, 4]
    with pytest.raises(IndexError):
        assert (p + 4).value
    r = cast("ptr[i32]", p.address + 8)
    assert [r[-1], r[1], (r - 2)[0], r.len] == [1, 3, 0, None]


@pytest.mark.parametrize("key", [slice(1, 2), "0", 1.0, None])
def test_what_is_no_index(key):
    p = new("i32[4]")
    with pytest.raises(TypeError, match=r"^ptr\[i32\]: "):
        p[key]
    with pytest.raises(TypeError, match=r"^ptr\[i32\]: "):
        p[key] = 1
    with pytest.raises(TypeError, match="deleted"):
        del p[0]


def test_a_false_pointer_is_not_read():
    p = cast("ptr[u8]", 0)
    assert (bool(p), p.address, p.len, repr(p)) == (False, 0, None, "<Pointer ptr[u8], NULL>")
    for work in (lambda: p[0], lambda: p.value, lambda: p.text(), lambda: p.array(1), lambda: p + 1, lambda: set_(p)):
        with pytest.raises(ValueError, match=r"^ptr\[u8\]: the pointer is NULL$"):
            work()
    assert cast("ptr[i8]", None) == cast("ptr[const i8]", 0)


def set_(pointer, value=0):
    pointer[0] = value


def test_const_items_are_not_written():
    p = new("f32[2]").cast("ptr[const f32]")
    for work in (lambda: set_(p), lambda: setattr(p, "value", 1)):
        with pytest.raises(TypeError, match="const cannot be written"):
            work()
    assert not p.array().flags.writeable
    assert memoryview(p).readonly


def test_what_has_no_size_is_not_looked_into():
    for name in ("ptr[struct thing]", "ptr", "ptr[const void]"):
        p = new("u64[2]").cast(name)
        for work in (lambda p=p: p[0], lambda p=p: set_(p), lambda p=p: p + 1, lambda p=p: p - p):
            with pytest.raises(TypeError, match="has no size"):
                work()
        with pytest.raises(TypeError, match="NumPy has no arrays of"):
            p.array(1)
        assert (p.len, p.cast("ptr[u64]").len) == (None, 2)


def test_pointers_compare_by_type_and_address():
    p = new("f64[4]")
    q = (p + 2).cast("ptr[const f64]")
    assert q == p + 2 and p < q and q >= p and p != q and hash(q) == hash(p + 2) and q - p == 2 and p - q == -2
    assert p != p.cast("ptr[u8]") and p != p.address and p is not None
    for work in (lambda: p < p.cast("ptr[u8]"), lambda: p - p.cast("ptr[u8]"), lambda: p - "a", lambda: p + 1.0):
        with pytest.raises(TypeError):
            work()
    with pytest.raises(ValueError, match="3 bytes apart"):
        cast("ptr[f64]", p.address + 3) - p


# -- making -----------------------------------------------------------------------------------------------------------


def test_texts_of_types_are_read_in_any_spelling():
    for text in ("ptr[const  f32]", " ptr[ const f32 ]", "ptr[const f32]", jitffi.Type("ptr", (jitffi.f32, True))):
        assert cast(text, 0).type is jitffi.Type("ptr", (jitffi.f32, True))
    for text, length in (("f32[2, 3]", 6), (" f32 [ 2,3 ] ", 6), ("f32[0]", 0), (jitffi.f32, 1), ("ptr[f32][2]", 2)):
        assert new(text).len == length
    assert str(cast("ptr[func[( i64)->void]]", 0).type) == "ptr[func[(i64) -> void]]"
    assert cast("ptr[struct n\xe4her]", 0).type.args[0].args == ("n\xe4her",)


@pytest.mark.parametrize(
    ("text", "error"),
    [
        *[
            (text, jitffi.SignatureError)
            for text in ("", "flaot", "ptr[flaot]", "f64[1", "f64]", "f64[-1]", "ptr[void]")
        ],
        *[(text, jitffi.SignatureError) for text in ("ptr[" * 1000, "\ud800", "f64[01]", "f64[1][2]", "ptr[a\0]")],
        *[
            (text, TypeError)
            for text in ("str", "f64[n]", "f64[*]", "void", "const f64[2]", "list[i64]", 5, None, b"f64")
        ],
        ("f64[999999999999999999]", MemoryError),
        ("u8[99999999999999999999999]", MemoryError),
        ("u8[9223372036854775807]", MemoryError),
    ],
)
def test_what_cannot_be_made(text, error):
    with pytest.raises(error):
        new(text)


def test_new_is_filled_from_as_many_values():
    assert list(new("u8[3]", b"abc")) == [97, 98, 99]
    assert list(new("u8[1]", [9])) == [9]
    for values, error in (([1], ValueError), (range(4), ValueError), (5, TypeError), (["a", 1, 2], TypeError)):
        with pytest.raises(error):
            new("i16[3]", values)
    assert list(new("i8[4]", "\u00fcb")) == [-61, -68, 98, 0] and list(new("i8[2]", b"\xff")) == [-1, 0]
    assert new("u8[1]", "a").value == 97 and new("cstr[1]", "text").value == "text"
    for type_, text in (("i8[2]", "abc"), ("i8[2]", b"abc"), ("u8[2]", "\u00fcb"), ("u8[2]", b"a")):
        with pytest.raises(ValueError, match="there is room for 2|expected 2 values"):
            new(type_, text)


@pytest.mark.parametrize("source", ["x", 1.5, [], {}, object(), (1,), abs, 1 << 64, -(1 << 70)])
def test_what_has_no_address(source):
    with pytest.raises(OverflowError if isinstance(source, int) else TypeError, match="^cast: "):
        cast("ptr[u8]", source)


def test_casts_of_memory_know_how_much_there_is():
    array = np.arange(6, dtype=np.int32).reshape(2, 3)
    p = cast("ptr[i32]", array)
    assert (p.address, list(p), cast("ptr[i64]", array).len, (p + 3).cast("ptr[i8]").len) == (
        array.ctypes.data, [0, 1, 2, 3, 4, 5], 3, 12,
    )  # fmt: skip
    assert cast("ptr[i32]", array.T).len == 6
    with pytest.raises(ValueError, match="not contiguous"):
        cast("ptr[i32]", array[:, ::2])
    with pytest.raises(TypeError, match="read-only bytes"):
        cast("ptr[u8]", b"abc")
    memory = bytearray(8)
    held = cast("ptr[u8]", memory)
    with pytest.raises(BufferError):
        memory.append(1)
    del held
    memory.append(1)
    number = ctypes.c_double(2.5)
    assert cast("ptr[f64]", ctypes.pointer(number)).value == cast("ptr[f64]", number).value == 2.5
    assert cast("ptr[u8]", -1).address == 2**64 - 1


# -- many items -------------------------------------------------------------------------------------------------------


def test_arrays_have_the_shape_that_is_asked_for():
    p = new("i16[6]", range(6))
    assert p.array(2, 3).tolist() == p.array((2, 3)).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert p.array(4).tolist() == [0, 1, 2, 3]
    assert p.array(0, 5).shape == (0, 5)
    assert p.array(()).shape == () and p.array(()) == 0
    for shape, error in (((7,), ValueError), ((2, 4), ValueError), ((-1,), ValueError), ((1.5,), TypeError)):
        with pytest.raises(error):
            p.array(*shape)
    r = cast("ptr[i16]", p.address)
    assert r.array(3).tolist() == [0, 1, 2]
    for shape in ((1 << 62, 4), (1 << 62,)):
        with pytest.raises(ValueError, match="no memory has so many"):
            r.array(*shape)
    with pytest.raises(TypeError, match="NumPy has no arrays of cstr"):
        new("cstr").array()


@pytest.mark.parametrize("name", [name for name in NUMBERS if name != "bf16" and name not in FLOATS8])
def test_a_pointer_with_a_length_is_a_buffer(name):
    p = new(f"{name}[3]")
    array = np.asarray(p)
    array[1] = 1
    assert (array.dtype, p[1], memoryview(p).nbytes) == (np.dtype(NUMBERS[name]), 1, 3 * array.itemsize)
    with pytest.raises(BufferError):
        memoryview(cast(f"ptr[{name}]", p.address))


def test_what_has_no_format_is_bytes_alone():
    for name in ("bf16", *FLOATS8):
        with pytest.raises(BufferError, match="no format"):
            memoryview(new(f"{name}[2]"))
        assert hash(cast("ptr[const u8]", new(f"{name}[2]")).len)
    for name in ("cstr", "ptr[f32]"):
        with pytest.raises(BufferError, match="no numbers"):
            memoryview(new(name))


def test_text_ends_with_a_nul_or_the_size():
    p = new("u8[10]", b"h\xc3\xa9llo\0xyz")
    assert [p.text(), p.text(size=3), p.text(None), (p + 1).cast("ptr[const i8]").text(4)] == ["h\xe9llo", "h\xe9"] + [
        "h\xe9llo", "\xe9ll",
    ]  # fmt: skip
    assert (p + 7).text() == "xyz"
    assert cast("ptr[i8]", p.address).text() == "h\xe9llo"
    for size, error in ((2, UnicodeDecodeError), (11, IndexError), (-1, ValueError), ("a", TypeError)):
        with pytest.raises(error):
            p.text(size)
    with pytest.raises(TypeError, match="i8 and u8"):
        new("i16").text()


# -- what is kept -----------------------------------------------------------------------------------------------------


def test_everything_derived_keeps_the_owner():
    array = np.zeros(10)
    count = sys.getrefcount(array)
    p = cast("ptr[f64]", array)
    chain = [p + 1, (p + 2).cast("ptr[u8]"), p.array(2), memoryview(p + 3)]
    del p
    for derived in range(len(chain)):
        assert sys.getrefcount(array) > count, derived
        chain.pop()
    gc.collect()
    assert sys.getrefcount(array) == count


def test_cycles_are_collected():
    place = new("ptr[ptr]")
    place[0] = new("ptr")
    inner = new("ptr[ptr[struct any]]")
    inner[0] = new("ptr[struct any]").cast("ptr[ptr[struct any]]")
    loop = new("ptr[u8][2]")
    loop[0] = loop.cast("ptr[u8]")
    gone = weakref.ref(loop)
    del loop
    gc.collect()
    assert gone() is None


def test_a_pointer_is_not_pickled_but_copied():
    p = new("i32")
    assert copy.copy(p) is p
    for work in (pickle.dumps, copy.deepcopy):
        with pytest.raises(TypeError, match="a Pointer cannot be pickled"):
            work(p)
    with pytest.raises(TypeError, match=r"made by jitffi\.new or jitffi\.cast"):
        Pointer()


def test_nothing_stays():
    @assert_nothing_stays
    def work():
        p = new("f64[10]")
        place = new("ptr[f64]", p)
        place[0] = place.value + 2
        list(p), p.array(2, 5), memoryview(p), p.text if p else None, new("cstr", "abc").value
        for wrong in (lambda: p[20], lambda: set_(p, "x"), lambda: new("nothing"), lambda: cast("ptr[f32]", "x")):
            with pytest.raises((IndexError, TypeError, ValueError)):
                wrong()


# -- memory that a function frees -----------------------------------------------------------------------------------


SOURCE = """
#include <stdlib.h>
struct head { void (*told)(void*); long align; };
void* make(void (*told)(void*)) {
  struct head* made = calloc(1, sizeof *made + 256);
  made->told = told;
  return made + 1;
}
void drop(void* memory) {
  struct head* made = (struct head*)memory - 1;
  made->told(memory);
  free(made);
}
"""


@functools.cache
def native_library():
    folder = Path(tempfile.mkdtemp())
    linker.link([compile_c(folder / "memory.o", SOURCE)], folder / "memory.so", kind="so", target=HOST)
    loaded = jitffi.load_library(folder / "memory.so")
    shutil.rmtree(folder)
    return loaded


class Library:
    """Memory of `malloc`, and what is told that it is freed."""

    def __init__(self):
        self.freed = []
        self.error = None
        self.bound = {}

    def release(self, address):
        self.freed.append(address)
        if self.error:
            raise self.error

    def make(self, name="ptr[f64]"):
        if name not in self.bound:
            text = f"(func[(ptr) -> void]) -> owned[{name}, drop]"
            self.bound[name] = native_library().bind("make", text, keep_callbacks=True)
            self.told = self.release
        return self.bound[name](self.told)


def test_owned_memory_is_freed_when_nothing_leads_to_it():
    library = Library()
    p = library.make()
    address = p.address
    derived, array = p + 3, p.array(4)
    del p
    array[3] = 7
    assert (derived.value, library.freed) == (7, [])
    del derived
    assert library.freed == []
    del array
    assert library.freed == [address]


def test_owned_memory_is_closed_once():
    library = Library()
    with library.make() as p:
        q, r = p + 1, p.cast("ptr[u8]")
        array = p.array(2)
        with pytest.raises(BufferError, match="cannot be closed while"):
            p.close()
        del array
        with pytest.raises(ValueError, match="nothing to close"):
            q.close()
    assert len(library.freed) == 1
    p.close()
    assert repr(q) == "<Pointer ptr[f64], closed>" and not q and q == q and hash(q) == hash(q)
    for each in (p, q):
        for work in (
            lambda each=each: each[0], lambda each=each: set_(each), lambda each=each: each.array(1),
            lambda each=each: each.address, lambda each=each: each + 1, lambda each=each: each.cast("ptr[u8]"),
            lambda each=each: each.__enter__(),
        ):  # fmt: skip
            with pytest.raises(ValueError, match="was closed"):
                work()
    with pytest.raises(ValueError, match="was closed"):
        r.text()
    del p, q, r
    assert len(library.freed) == 1


def test_a_conversion_that_closes_does_not_write():
    library = Library()
    p = library.make("ptr[i32]")

    class Closes:
        def __index__(self):
            p.close()
            return 5

    with pytest.raises(ValueError, match="was closed"):
        p[0] = Closes()


def test_errors_of_the_function_that_frees_are_unraisable(monkeypatch):
    library = Library()
    library.error = KeyError("late")
    seen = []
    monkeypatch.setattr(sys, "unraisablehook", lambda unraisable: seen.append(unraisable.exc_value))
    p = library.make()
    p.close()
    assert seen == [library.error]
    p = library.make()
    try:
        raise IndexError
    except IndexError:
        del p
    assert seen == [library.error] * 2


def test_owned_memory_in_a_cycle_is_freed_before_what_frees_it():
    library = Library()
    library.p = library.make()
    freed = library.freed
    del library
    gc.collect()
    assert len(freed) == 1


def test_what_uses_owned_memory_leaves_nothing():
    library = Library()

    @assert_nothing_stays
    def work():
        p = library.make()
        q = p + 1
        p.array(3)
        p.close()
        with pytest.raises(ValueError):
            q[0]
        library.freed.clear()


# -- arguments of the types ptr and ptr[const void] -------------------------------------------------------------------


def test_ptr_takes_every_pointer_that_may_be_written():
    libc = jitffi.load_library("libc.so.6")
    copy_, compare = (
        libc.bind("memcpy", "(to: ptr, source: ptr[const void], u64) -> ptr"),
        libc.bind("memcmp", "(ptr[const void], ptr[const void], u64) -> i32"),
    )
    source, to = new("i32[3]", [1, 2, 3]), new("i32[3]")
    copy_(cast("ptr[struct any]", to.address), source.cast("ptr[const i32]"), 12)
    assert (list(to), compare(to, source, 12)) == ([1, 2, 3], 0)
    with pytest.raises(
        TypeError, match=r"^memcpy: argument 1 'to': expected ptr, got a Pointer of type ptr\[const i32\]$"
    ):
        copy_(to.cast("ptr[const i32]"), source, 4)
    closed = Library().make()
    closed.close()
    with pytest.raises(ValueError, match="'to': .*was closed"):
        copy_(closed, source, 4)
    assert list(to) == [1, 2, 3]


def test_what_a_call_uses_is_not_closed():
    p = Library().make("ptr[struct any]")
    refused = []

    @jitffi.function("(i64) -> i64")
    def close(x):
        with pytest.raises(BufferError, match="cannot be closed while"):
            p.close()
        refused.append(x)
        return x

    @jitffi.function("(x: ptr[struct any], f: func[(i64) -> i64]) -> i64")
    def calls(x, f):
        return f(5)

    call = jitffi.Function(calls)
    bound = jitffi.Function.from_native(call.native_address, str(call.signature), name="calls", keep_alive=calls)
    assert (bound(p, close), refused) == (5, [5])
    p.close()
    with pytest.raises(ValueError, match="^calls: argument 1 'x': .*was closed"):
        bound(p, close)
    with pytest.raises(ValueError, match=r"^calls: argument 1 'x': expected ptr\[struct any\], got NULL$"):
        bound(cast("ptr[struct any]", 0), close)


# -- any operations in any order -------------------------------------------------------------------------------------


class Model:
    """What a pointer is expected to be: an array of bytes and an offset into it."""

    def __init__(self, pointer, name, memory, at):
        self.pointer, self.name, self.memory, self.at = pointer, name, memory, at

    @property
    def size(self):
        return np.dtype(NUMBERS[self.name]).itemsize

    @property
    def range(self):
        return -(self.at // self.size), (len(self.memory) - self.at) // self.size


@pytest.mark.parametrize("seed", range(40))
def test_any_operations(seed):
    rng = random.Random(seed)
    names = list(INTEGERS)
    memory = bytearray(rng.randrange(1, 80))
    models = [Model(cast("ptr[u8]", memory), "u8", memory, 0)]
    for _ in range(400):
        model = rng.choice(models)
        low, high = model.range
        index = rng.randrange(low - 2, high + 3)
        action = rng.choice("rwacs")
        at = model.at + index * model.size
        if action == "c":
            name = rng.choice(names)
            models.append(Model(model.pointer.cast(f"ptr[{name}]"), name, memory, model.at))
        elif action == "a" and low <= index <= high:
            models.append(Model(model.pointer + index, model.name, memory, at))
        elif action == "s":
            other = rng.choice([each for each in models if each.name == model.name])
            if (other.at - model.at) % model.size == 0:
                assert other.pointer - model.pointer == (other.at - model.at) // model.size
                assert (other.pointer < model.pointer) == (other.at < model.at)
        elif not low <= index < high:
            with pytest.raises(IndexError):
                model.pointer[index] = 1
        elif action == "w":
            value = rng.randrange(0, 128)
            model.pointer[index] = value
            assert int.from_bytes(memory[at : at + model.size], sys.byteorder) == value
        else:
            expected = np.frombuffer(memory[at : at + model.size], NUMBERS[model.name])[0]
            assert model.pointer[index] == expected
        assert model.pointer.len == high


def test_an_array_of_one_item_is_filled_as_longer_ones_are():
    for values in (np.full(1, 7.0), [7], (7,), range(7, 8), iter([7]), 7, np.float64(7)):
        assert list(new("f64[1]", values)) == [7.0]
    assert list(new("cstr[1]", "abc")) == list(new("cstr[1]", ["abc"])) == ["abc"]
    p = new("f64", 7.0)
    assert new("ptr[f64][1]", p)[0] is p
    with pytest.raises(ValueError, match="expected 1 values for f64"):
        new("f64[1]", [1, 2])


def test_an_integer_of_numpy_is_an_address():
    assert cast("ptr[i32]", np.int64(16)).address == 16
    with pytest.raises(TypeError, match="expected an address, a pointer or a buffer, got numpy.float64"):
        cast("ptr[const i32]", np.float64(16))


def test_the_type_of_another_pointer_is_named():
    with pytest.raises(TypeError, match=r"expected ptr\[i32\], got a Pointer of type ptr\[f64\]"):
        new("ptr[i32]", new("f64"))


def test_a_pointer_is_no_number():
    """Python's int() reads digits where an object has a buffer."""
    with pytest.raises(TypeError, match="a pointer is no number"):
        int(new("u8[2]", b"12"))
