"""The C functions of scripts' text, called as C calls them, with Python's own values: for tests that compare both.

A str goes in as a jf_text, narrow where it is ASCII (or wide on request), a list or tuple as one of the runtime;
results are read out of slots byte by byte.
"""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Sequence
from typing import Any

from jitffi.base import config
from jitffi.scripts.library.methods import Method

NO_INDEX = -(1 << 63)
runtime = ctypes.CDLL(str(config.library_file()))
library = ctypes.CDLL(str(config.library_dir() / "libjitffi_script.so"))
runtime.jf_error_take.restype = ctypes.c_void_p
runtime.jf_live_objects.restype = ctypes.c_int64
runtime.jf_tuple_new.restype = runtime.jf_list_of.restype = runtime.jf_alloc.restype = ctypes.c_void_p
library.jf_char_flags.restype = ctypes.c_uint32
Pointer = ctypes.c_void_p


class Text(ctypes.Structure):
    _fields_ = [("data", Pointer), ("size", ctypes.c_size_t), ("wide", ctypes.c_int32)]


class Memory:
    """Exactly as much as there is text, so that a sanitizer sees what is read beyond it."""

    def __init__(self, raw: bytes) -> None:
        self.address: int = runtime.jf_alloc(ctypes.c_size_t(len(raw)))
        ctypes.memmove(self.address, raw, len(raw))

    def __del__(self) -> None:
        runtime.jf_free(Pointer(self.address))


class Slot:
    """An out-slot of any capacity, or a view."""

    def __init__(self, pad: int = 0) -> None:
        self.memory = ctypes.create_string_buffer(16 + 8 * pad + 8)
        struct.pack_into("<iiq", self.memory, 0, -1, 8 + 8 * pad, 0)
        self.kept: list[Any] = []

    @property
    def address(self) -> int:
        return ctypes.addressof(self.memory)

    def take(self) -> Any:
        """The value, which is released."""
        value = read(self.address)
        runtime.jf_any_release(Pointer(self.address))
        return value


class Failed(Exception):
    """What a C function has failed with: the kind and the message."""


def _word(address: int, kind: str = "q") -> int:
    return int(struct.unpack(f"<{kind}", ctypes.string_at(address, struct.calcsize(kind)))[0])


def _decode(code: int, data: int, size: int) -> str | bytes:
    if code == 34:
        raw = ctypes.string_at(data, 4 * size)
        text = "".join(map(chr, struct.unpack(f"<{size}I", raw)))
        assert not text.isascii(), "text that is ASCII is narrow"
        assert _word(data + 4 * size, "I") == 0 if size > 32 else True
        return text
    raw = ctypes.string_at(data, size)
    assert ctypes.string_at(data + size, 1) == b"\0"
    return raw if code == 35 else raw.decode("ascii")


def read_object(address: int) -> Any:
    code = _word(address, "i")
    data, size = _word(address + 16), _word(address + 24)
    if code in (36, 38):
        items = [read(_word(data + 8 * i)) for i in range(size)]
        return items if code == 36 else tuple(items)
    assert code in (33, 34, 35), code
    if code == 33:
        assert _word(address + 40) in (-1, size)
    return _decode(code, data, size)


def read(address: int) -> Any:
    """What a slot or an object holds."""
    code, length = struct.unpack("<ii", ctypes.string_at(address, 8))
    if code > 0:
        return read_object(address)
    if code == -11:
        return read_object(_word(address + 8))
    assert code in (-13, -14, -15), code
    if length < (2 if code == -14 else 7):
        rest = ctypes.string_at(address + 8, 8)[length * (4 if code == -14 else 1) :]
        assert not any(rest), "a slot's first word is canonical"
    return _decode(20 - code, address + 8, length)


def text_of(value: str | bytes, wide: bool = False) -> Text:
    if isinstance(value, bytes):
        raw = value
    else:
        wide = wide or not value.isascii()
        raw = struct.pack(f"<{len(value)}I", *map(ord, value)) if wide else value.encode()
    memory = Memory(raw)
    text = Text(memory.address, len(value), int(wide))
    text.memory = memory
    return text


def characters(text: Text) -> str:
    """What a jf_text of a str holds."""
    raw = ctypes.string_at(text.data, text.size * (4 if text.wide else 1))
    return "".join(map(chr, struct.unpack(f"<{text.size}I", raw))) if text.wide else raw.decode("ascii")


def view_of(value: Any) -> Slot:
    """A view of a value: borrowed text, numbers, or a container that lives as long as the slot."""
    slot = Slot()
    if value is None:
        struct.pack_into("<iiq", slot.memory, 0, -1, 0, 0)
    elif isinstance(value, int):
        struct.pack_into("<iiq", slot.memory, 0, -2, 0, value)
    elif isinstance(value, str | bytes):
        text = text_of(value)
        code = -10 if isinstance(value, bytes) else -19 if text.wide else -17
        struct.pack_into("<iiQ", slot.memory, 0, code, 0, ctypes.addressof(text))
        slot.kept.append(text)
    else:
        made = Made(value)
        slot.kept.append(made)
        struct.pack_into("<iiQ", slot.memory, 0, -11, 0, made.address)
    return slot


class Made:
    """A list or tuple of the runtime, released with this."""

    def __init__(self, values: Sequence[Any], pad: int = 1) -> None:
        slots = [view_of(value) for value in values]
        views = b"".join(slot.memory.raw[:16] for slot in slots)
        if isinstance(values, tuple):
            self.address: int = runtime.jf_tuple_new(views, ctypes.c_size_t(len(slots)))
        else:
            self.address = runtime.jf_list_of(views, ctypes.c_size_t(len(slots)), pad)
        assert self.address, "no memory"

    def __del__(self) -> None:
        runtime.jf_object_release(Pointer(self.address))


def fail() -> Failed:
    """The last error, which is taken."""
    error = runtime.jf_error_take()
    assert error, "it has failed without an error"
    kind, message = (ctypes.string_at(_word(_word(error + at) + 16)).decode() for at in (16, 24))
    runtime.jf_object_release(Pointer(error))
    return Failed(kind, message)


def call(method: Method, receiver: str | bytes, *args: Any, pad: int = 1, wide: bool = False) -> Any:
    """The C function of a row, by the rules on top of methods.py. Raises Failed."""
    kept: list[Any] = [text_of(receiver, wide)]
    passed: list[Any] = [ctypes.byref(kept[0])]
    for param, value in zip(method.params, [*args, *(None,) * (len(method.params) - len(args))], strict=True):
        if value is None and param.default:
            value = {"None": None, "utf-8": "utf-8", "strict": "strict"}.get(param.default, param.default)
            if isinstance(value, str) and param.type in ("int", "bool"):
                value = int(value)
        if param.type == "any":
            kept.append(view_of(value))
            passed.append(Pointer(kept[-1].address))
        elif "int" in param.type:
            passed.append(ctypes.c_int64(NO_INDEX if value is None else value))
        elif param.type == "bool":
            passed.append(ctypes.c_int32(value))
        elif value is None:
            passed.append(None)
        else:
            kept.append(text_of(value, wide))
            passed.append(ctypes.byref(kept[-1]))
    function = getattr(library, method.symbol)
    function.restype = ctypes.c_int64 if method.result == "int" else ctypes.c_int32
    return _result(method.result, function, passed, pad)


def _result(result: str, function: Any, passed: list[Any], pad: int) -> Any:
    if result == "view":
        part = Text()
        function(*passed, ctypes.byref(part))
        if function.__name__.startswith("jf_bytes"):
            return ctypes.string_at(part.data, part.size)
        return characters(part)
    if result.startswith("new "):
        out = Slot(pad)
        status = function(*passed, Pointer(out.address))
        if status != 0:
            assert _word(out.address, "i") == -1
            raise fail()
        return out.take()
    if result in ("int", "bool"):
        return int(function(*passed)) if result == "int" else bool(function(*passed))
    if result == "bool!":
        status = function(*passed)
        if status < 0:
            raise fail()
        return bool(status)
    number = ctypes.c_int64()
    more = [ctypes.c_int32(pad)] if result.startswith("list") else []
    if function(*passed, *more, ctypes.byref(number)) != 0:
        raise fail()
    if result == "int!":
        return number.value
    value = read_object(number.value)
    runtime.jf_object_release(Pointer(number.value))
    return value


def python(method: Method, receiver: str | bytes, *args: Any) -> Any:
    """The same by Python, with its exception as Failed."""
    try:
        return getattr(receiver, method.name)(*args)
    except Exception as error:
        raise Failed(type(error).__name__, str(error)) from None


def outcome(function: Any, *args: Any, **options: Any) -> Any:
    """The result, or what it failed with."""
    try:
        return function(*args, **options)
    except Failed as failed:
        return failed.args
