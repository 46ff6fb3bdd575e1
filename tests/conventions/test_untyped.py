"""Untyped calls: what a callee that says nothing of itself is given, and what one takes that does say what it wants."""

from __future__ import annotations

import array
import copy
import ctypes
import pickle
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any

import cffi
import numpy as np
import pytest
from support.native import HEAD

import jitffi
from jitffi import Function, List, Map

SOURCE = (
    "#include <stdio.h>\n"
    + HEAD
    + r"""
/* The code of the slot, and its payload. */
int32_t look(jf_function* self, int32_t count, const jf_view* args, jf_value* out) {
  char text[64];
  int size = snprintf(text, sizeof text, "%d %lld", args[0].type_code, (long long)args[0].v_int64);
  jf_object* made = jf_str_new(text, (size_t)size);
  out->type_code = JF_OBJECT, out->v_object = made;
  return 0;
}
/* What it was given, or a handle for no argument. */
int32_t give(jf_function* self, int32_t count, const jf_view* args, jf_value* out) {
  if (count) return jf_any_retain(&args[0], out);
  out->type_code = JF_HANDLE, out->v_handle = (void*)0x1234;
  return 0;
}
int64_t as_int(int64_t x) { return x; }
int8_t as_byte(int8_t x) { return x; }
double as_double(double x) { return x; }
float as_float(float x) { return x; }
size_t as_size(const char* data, size_t size) { return size ? size * 1000 + (unsigned char)data[size - 1] : 0; }
void* as_ptr(void* x) { return x; }
"""
)


@pytest.fixture(scope="module")
def lib(build_library: Any) -> Any:
    return jitffi.load_library(build_library(SOURCE, runtime=True))


def untyped(lib: Any, name: str) -> Any:
    return Function.from_packed(lib._library.find(name), keep_alive=lib)


def without_type(lib: Any, name: str, signature: str) -> Any:
    """A typed C function, called by who does not know its type."""
    typed = Function(lib.bind(name, signature))
    return Function.from_packed(typed.packed_address, self_handle=typed.handle, keep_alive=typed)


HANDLE, NULL = -5, -1
ffi = cffi.FFI()


def pointers() -> list[tuple[Any, int]]:
    number = ctypes.c_int(5)
    address = ctypes.addressof(number)
    made = ffi.new("int *", 5)
    at = int(ffi.cast("uintptr_t", made))
    items = ffi.new("int[3]")
    return [
        (ctypes.c_void_p(0x1234), 0x1234), (ctypes.c_void_p(2**64 - 16), 2**64 - 16), (ctypes.pointer(number), address),
        (ctypes.byref(number), address), (ctypes.cast(address, ctypes.POINTER(ctypes.c_char)), address), (made, at),
        (ffi.cast("void *", 0x1234), 0x1234), (items, int(ffi.cast("uintptr_t", items))),
    ]  # fmt: skip


def test_pointers_are_handles(lib: Any) -> None:
    look, back = untyped(lib, "look"), without_type(lib, "as_ptr", "(ptr) -> ptr")
    for pointer, address in pointers():
        signed = address - 2**64 if address >= 2**63 else address
        assert look(pointer) == f"{HANDLE} {signed}" and back(pointer) == address
    for null in (ctypes.c_void_p(), ctypes.c_void_p(0), ctypes.POINTER(ctypes.c_int)(), ffi.NULL, None):
        assert look(null) == f"{NULL} 0" and back(null) is None


def test_a_handle_that_c_gives_is_a_handle_again(lib: Any) -> None:
    look, give = untyped(lib, "look"), untyped(lib, "give")
    handle = give()
    assert handle == 0x1234 and isinstance(handle, int) and hex(handle) == "0x1234" and {handle: 1}[0x1234] == 1
    for same in (handle, give(handle), give(ctypes.c_void_p(0x1234)), List([handle])[0], Map(k=handle)["k"],
                 copy.deepcopy(handle), pickle.loads(pickle.dumps(handle))):  # fmt: skip
        assert same == handle and look(same) == f"{HANDLE} {0x1234}"
    assert look(handle + 0) == f"-2 {0x1234}" and look(int(handle)) == f"-2 {0x1234}"  # what is computed is an int
    assert without_type(lib, "as_ptr", "(ptr) -> ptr")(handle) == 0x1234
    assert (
        lib.bind("as_ptr", "(ptr) -> ptr")(handle) == 0x1234 and type(lib.bind("as_ptr", "(ptr) -> ptr")(handle)) is int
    )
    assert jitffi.convert(lambda x: x)(handle) == handle and jitffi.to_plain(handle) == 0x1234


class Indexed:
    def __init__(self, value: Any) -> None:
        self.value = value

    def __index__(self) -> Any:
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


class Floating:
    def __float__(self) -> float:
        return 2.5


@pytest.mark.parametrize("value", [Indexed(7), Indexed(-128), np.int8(7), True, Indexed(np.int64(3).item())])
def test_integers_by_index(lib: Any, value: Any) -> None:
    for name, type_ in (("as_int", "i64"), ("as_byte", "i8")):
        typed = lib.bind(name, f"({type_}) -> {type_}")
        assert without_type(lib, name, f"({type_}) -> {type_}")(value) == typed(value)


@pytest.mark.parametrize(
    "value", [Floating(), Decimal("1.5"), Fraction(3, 2), Indexed(3), np.float32(0.5), np.int8(2), 1]
)
def test_floats_by_float(lib: Any, value: Any) -> None:
    for name, type_ in (("as_double", "f64"), ("as_float", "f32")):
        typed = lib.bind(name, f"({type_}) -> {type_}")
        assert without_type(lib, name, f"({type_}) -> {type_}")(value) == typed(value)


BUFFERS = [
    bytearray(b"a buffer of some bytes"), memoryview(b"a view of some bytes"), array.array("i", range(9)), np.arange(5),
    np.arange(6, dtype="u1").reshape(2, 3), (ctypes.c_char * 9)(*b"some char"), bytearray(b"x"), bytearray(), b"bytes",
    jitffi.Bytes(b"of ours, and long enough"), memoryview(bytearray(b"abcdefghijklm"))[2:],
]  # fmt: skip


@pytest.mark.parametrize("value", BUFFERS, ids=lambda value: type(value).__name__)
def test_buffers_are_bytes_where_bytes_are_taken(lib: Any, value: Any) -> None:
    before = sys.getrefcount(value)
    expected = lib.bind("as_size", "(bytes) -> u64")(value)
    assert without_type(lib, "as_size", "(bytes) -> u64")(value) == expected
    assert sys.getrefcount(value) == before
    if isinstance(value, bytearray):
        value.append(1)  # nobody holds it any more
        value.pop()


def test_what_no_number_and_no_buffer_is(lib: Any) -> None:
    as_int, as_byte = without_type(lib, "as_int", "(x: i64) -> i64"), without_type(lib, "as_byte", "(x: i8) -> i8")
    as_double, as_size = (
        without_type(lib, "as_double", "(x: f64) -> f64"),
        without_type(lib, "as_size", "(x: bytes) -> u64"),
    )
    for wrong in (object(), Floating(), Decimal(1), 1j, {1}):
        with pytest.raises(TypeError, match="as_int: argument 1 'x': expected i64"):
            as_int(wrong)
    for wrong in (object(), 1j, {1}, np.complex64(1)):
        with pytest.raises(TypeError, match="as_double: argument 1 'x': expected f64"):
            as_double(wrong)
    for wrong in (object(), {1}, Indexed(1), "text"):
        with pytest.raises(TypeError, match="as_size: argument 1 'x': expected bytes"):
            as_size(wrong)
    with pytest.raises((BufferError, TypeError, ValueError)):
        as_size(np.arange(10)[::2])
    with pytest.raises(OverflowError, match="as_byte: argument 1 'x': expected i8"):
        as_byte(Indexed(128))
    with pytest.raises(OverflowError):
        as_int(Indexed(2**70))
    with pytest.raises(ZeroDivisionError):
        as_int(Indexed(ZeroDivisionError()))


def test_python_callees_get_objects_as_they_are() -> None:
    same = jitffi.convert(lambda x: x)
    for value in (bytearray(b"a"), Indexed(1), Floating(), object(), np.array([None])):
        assert same(value) is value
    typed = Function(jitffi.function("(x: i64, y: bytes) -> str")(lambda x, y: f"{x} {bytes(y)}"))
    called = Function.from_packed(typed.packed_address, self_handle=typed.handle, keep_alive=typed)
    assert called(Indexed(3), bytearray(b"some more bytes")) == "3 b'some more bytes'"
