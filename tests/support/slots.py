"""Slots from Python by ctypes: the library of compiled scripts as their code calls it, without a compiler."""

from __future__ import annotations

import ctypes
import random
import struct
from ctypes import byref, c_double, c_int32, c_int64, c_size_t, c_uint64, c_void_p
from typing import Any

import pytest

from jitffi.base import config

NULL, INT, FLOAT, BOOL, UINT = -1, -2, -3, -4, -18
BYTE_ARRAY, OBJECT, SMALL_STR, SMALL_UCS4, SMALL_BYTES = -10, -11, -13, -14, -15
ANY_PTR, STR_VIEW, UCS4_VIEW = -16, -17, -19
STR, UCS4, BYTES, LIST, MAP, TUPLE, HOST_OBJECT = 33, 34, 35, 36, 37, 38, 41
CAPACITY = 128
NO_INDEX = -(2**63)
VIEW = object()
NO_COMPLEX = "negative number to a fractional power: scripts have no complex numbers"


class Slot(ctypes.Structure):
    """An AnyPad<15>."""

    _fields_ = [("code", c_int32), ("length", c_int32), ("payload", c_uint64 * (CAPACITY // 8))]

    def __init__(self, code: int, length: int = 0, payload: bytes = b"") -> None:
        super().__init__(code, length)
        ctypes.memmove(ctypes.addressof(self) + 8, payload, len(payload))

    @property
    def word(self) -> int:
        return int(struct.unpack_from("<Q", self, 8)[0])


class Text(ctypes.Structure):
    """A jf_text."""

    _fields_ = [("data", c_void_p), ("size", c_size_t), ("wide", c_int32)]


class Iteration(ctypes.Structure):
    _fields_ = [("memory", c_uint64 * 32)]


def _load() -> ctypes.CDLL | None:
    name = config.library_file().name.replace("jitffi_runtime", "jitffi_script")
    path = config.library_file().parent / name
    return ctypes.CDLL(str(path)) if path.exists() else None


library = _load()
needs_library = pytest.mark.skipif(library is None, reason="the library of scripts is not built")


def function(name: str, *types: Any, result: Any = c_int32) -> Any:
    found = getattr(library, name)
    found.restype = result
    found.argtypes = list(types)
    return found


def out_slot(capacity: int = CAPACITY) -> Slot:
    return Slot(NULL, capacity)


class Failed(Exception):
    """A call failed: the error's kind and message."""

    def __init__(self, kind: str, message: str, traceback: str) -> None:
        super().__init__(kind, message)
        self.kind, self.message, self.traceback = kind, message, traceback


def _heap_text(address: int | None) -> str:
    if not address:
        return ""
    data, size = struct.unpack("<QQ", ctypes.string_at(address + 16, 16))
    return ctypes.string_at(data, size).decode("utf-8", "surrogatepass")


def take_error() -> Failed:
    error = function("jf_error_take", result=c_void_p)()
    assert error, "failed without an error"
    kind, message, traceback = struct.unpack("<QQQ", ctypes.string_at(error + 16, 24))
    failed = Failed(_heap_text(kind), _heap_text(message), _heap_text(traceback))
    release_object(error)
    return failed


def release_object(address: int | None) -> None:
    function("jf_object_release", c_void_p, result=None)(address)


def live_objects() -> int:
    return int(function("jf_live_objects", result=c_int64)())


class Packed:
    """A Python value in a slot, in one of the forms that a slot can have; give it back with `release`."""

    def __init__(self, value: Any, random_: random.Random | None = None, *, form: int | None = None) -> None:
        self.keep: list[Any] = []
        self.owned: int | None = None
        self.random = random_ or random.Random(0)
        self.form = self.random.randrange(4) if form is None else form
        self.slot = Slot(NULL, 0)
        self._pack(value)

    def release(self) -> None:
        release_object(self.owned)

    def _plain(self, code: int, format_: str, value: Any) -> None:
        self.slot = Slot(code, 0, struct.pack("<" + format_, value))

    def _object(self, address: int | None, *, owned: bool = True) -> None:
        assert address, take_error()
        self.owned = address if owned else None
        self._plain(OBJECT, "Q", address)

    def _pack(self, value: Any) -> None:
        if value is None:
            return
        if isinstance(value, bool):
            self._plain(BOOL, "q", value)
        elif isinstance(value, int):
            big = value > 2**63 - 1
            self._plain(UINT if big else INT, "Q" if big else "q", value)
        elif isinstance(value, float):
            self._plain(FLOAT, "d", value)
        elif isinstance(value, str):
            self._text(value)
        elif isinstance(value, bytes):
            self._units(value, SMALL_BYTES, BYTE_ARRAY, BYTES, 1)
        else:
            self._container(value)

    def _text(self, value: str) -> None:
        if value.isascii():
            self._units(value.encode(), SMALL_STR, STR_VIEW, STR, 1)
        elif self.form == 3 and not any(0xD800 <= ord(c) < 0xE000 for c in value):
            self._units(value.encode(), SMALL_STR, STR_VIEW, STR, 1, view=False)
        else:
            self._units(value.encode("utf-32-le", "surrogatepass"), SMALL_UCS4, UCS4_VIEW, UCS4, 4)

    def _units(self, data: bytes, small: int, view_code: int, heap: int, unit: int, *, view: bool = True) -> None:
        size = len(data) // unit
        terminated = len(data) + (unit == 1)
        if self.form in (0, 3) and terminated <= (8 if unit == 1 else 8):
            self.slot = Slot(small, size, data)
        elif self.form in (0, 3) and terminated <= CAPACITY:
            memory = Slot(small, size, data)
            self.keep.append(memory)
            self._plain(ANY_PTR, "Q", ctypes.addressof(memory))
        elif self.form == 1 and view:
            buffer = ctypes.create_string_buffer(data, len(data) + 4)
            text = Text(ctypes.addressof(buffer), size, int(unit == 4))
            self.keep += [buffer, text]
            self._plain(view_code, "Q", ctypes.addressof(text))
        else:
            maker = {STR: "jf_str_new", BYTES: "jf_bytes_new", UCS4: "jf_ucs4_new"}[heap]
            self._object(function(maker, ctypes.c_char_p, c_size_t, result=c_void_p)(data, size))

    def _container(self, value: Any) -> None:
        if isinstance(value, dict):
            made = function("jf_map_new", c_size_t, c_int32, result=c_void_p)(0, 1)
            for key, item in value.items():
                with_key, with_item = Packed(key, self.random), Packed(item, self.random)
                add = function("jf_map_set", c_void_p, c_void_p, c_void_p)
                assert add(made, byref(with_key.slot), byref(with_item.slot)) == 0, take_error()
                with_key.release()
                with_item.release()
        else:
            made = function("jf_list_new", c_size_t, c_int32, result=c_void_p)(0, self.random.randrange(3))
            for item in value:
                packed = Packed(item, self.random)
                status = function("jf_list_append", c_void_p, c_void_p)(made, byref(packed.slot))
                assert status == 0, take_error()
                packed.release()
            if isinstance(value, tuple):
                items = made
                made = function("jf_tuple_of", c_void_p, result=c_void_p)(items)
                release_object(items)
        self._object(made)


def _object_value(address: int) -> Any:
    code = struct.unpack("<i", ctypes.string_at(address, 4))[0]
    if code in (STR, UCS4, BYTES):
        data, size = struct.unpack("<QQ", ctypes.string_at(address + 16, 16))
        return _text_value(code, ctypes.string_at(data, size * (4 if code == UCS4 else 1)))
    if code in (LIST, TUPLE):
        size = struct.unpack("<Q", ctypes.string_at(address + 24, 8))[0]
        get = function("jf_list_get" if code == LIST else "jf_tuple_get", c_void_p, c_int64, c_void_p)
        items = []
        for i in range(size):
            slot = out_slot()
            assert get(address, i, byref(slot)) == 0, take_error()
            items.append(unpack(slot))
        return items if code == LIST else tuple(items)
    if code == HOST_OBJECT:  # an int that is Python's (jf_host_object in abi.h)
        return ctypes.cast(struct.unpack("<Q", ctypes.string_at(address + 24, 8))[0], ctypes.py_object).value
    assert code == MAP, f"object of type {code}"
    listed = function("jf_map_items", c_void_p, result=c_void_p)(address)
    pairs = _object_value(listed)
    release_object(listed)
    return dict(pairs)


def _text_value(code: int, data: bytes) -> Any:
    if code in (BYTES, SMALL_BYTES):
        return data
    if code in (UCS4, SMALL_UCS4):
        text = data.decode("utf-32-le", "surrogatepass")
        return text
    return data.decode()


def unpack(slot: Slot, *, own_form: bool = False) -> Any:
    """The value; the slot is released. own_form: ASCII must have the form that scripts write."""
    value = view(slot)
    if own_form and isinstance(value, str) and value.isascii():
        is_narrow = slot.code == SMALL_STR or (slot.code == OBJECT and _code_of(slot.word) == STR)
        assert is_narrow, f"{value!r} has code {slot.code}"
    function("jf_any_release", c_void_p, result=None)(byref(slot))
    return value


def _code_of(address: int) -> int:
    return int(struct.unpack("<i", ctypes.string_at(address, 4))[0])


def view(slot: Slot) -> Any:
    """What the slot holds; VIEW for what it only points at."""
    code = slot.code
    if code == NULL:
        return None
    if code in (INT, BOOL):
        value = struct.unpack_from("<q", slot, 8)[0]
        return bool(value) if code == BOOL else value
    if code == UINT:
        return slot.word
    if code == FLOAT:
        return struct.unpack_from("<d", slot, 8)[0]
    if code == OBJECT:
        return _object_value(slot.word)
    if code in (STR_VIEW, UCS4_VIEW, BYTE_ARRAY, ANY_PTR):
        return VIEW
    assert code in (SMALL_STR, SMALL_UCS4, SMALL_BYTES), f"code {code}"
    unit = 4 if code == SMALL_UCS4 else 1
    return _text_value(code, ctypes.string_at(ctypes.addressof(slot) + 8, slot.length * unit))


def same(a: Any, b: Any) -> bool:
    """Equal, and of the same type all the way down; a NaN is a NaN, and zeros have signs."""
    if type(a) is not type(b):
        return False
    if isinstance(a, (list, tuple)):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, dict):
        return len(a) == len(b) and all(same(*pair) for pair in zip(a.items(), b.items(), strict=True))
    if isinstance(a, float):
        return repr(a) == repr(b)
    return bool(a == b)


def is_too_large(value: Any) -> bool:
    """Whether an int in it needs more than 64 bits with a sign."""
    if isinstance(value, (list, tuple)):
        return any(map(is_too_large, value))
    if isinstance(value, dict):
        return any(map(is_too_large, value.values()))
    return isinstance(value, int) and not -(2**63) <= value < 2**63


def outcome(compute: Any) -> tuple[Any, str, str]:
    """What Python does: the value, or the exception's class and text."""
    try:
        return compute(), "", ""
    except Exception as error:
        return None, type(error).__name__, str(error)


def native(name: str, *arguments: Any, out: str = "slot", seed: int = 0) -> tuple[Any, str, str]:
    """The same of a function of the library. Arguments: values (packed), or ctypes objects. out: what it writes."""
    random_ = random.Random(seed)
    packed = [a if isinstance(a, (ctypes._SimpleCData, ctypes.Array, Text)) else Packed(a, random_) for a in arguments]
    given = [byref(p.slot) if isinstance(p, Packed) else p for p in packed]
    given = [byref(g) if isinstance(g, Text) else g for g in given]
    results = {"slot": out_slot(random_.choice([0, 8, 24, 128])), "int": c_int64(), "float": c_double()}
    result = results.get(out, c_void_p())
    if out != "status":
        given.append(byref(result))
    call = getattr(library, name)
    call.restype, call.argtypes = c_int32, None
    status = call(*given)
    try:
        if status < 0 or (out != "status" and status != 0):
            assert out != "slot" or result.code == NULL
            failed = take_error()
            return None, failed.kind, failed.message
        if out == "status":
            return status, "", ""
        if out == "slot":
            return unpack(result, own_form=True), "", ""
        if out == "object":
            value = _object_value(result.value)
            release_object(result.value)
            return value, "", ""
        return result.value, "", ""
    finally:
        for p in packed:
            if isinstance(p, Packed):
                p.release()


def check(expected: tuple[Any, str, str], actual: tuple[Any, str, str], what: str) -> None:
    """The same value, or the same error; where 64 bits are too few, OverflowError may stand for the value."""
    if not expected[1] and is_too_large(expected[0]) and actual[1] == "OverflowError":
        return
    if isinstance(expected[0], complex) or expected[2] == "complex exponentiation":
        expected = None, "ValueError", NO_COMPLEX
    if expected[1] or actual[1]:
        assert actual[1:] == expected[1:] or (expected[1] == actual[1] == "MemoryError"), (
            f"{what}: {actual} in place of {expected}"
        )
    else:
        assert same(expected[0], actual[0]), f"{what}: {actual[0]!r} in place of {expected[0]!r}"
