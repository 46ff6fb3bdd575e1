"""Every kind of Python object at every parameter type: never a crash, and always the exception that is documented.

An object is taken, or refused by TypeError, OverflowError, ValueError or UnicodeEncodeError with a message that names
function and position; an exception of its own methods passes unchanged. No native object is left behind.
"""

from __future__ import annotations

import array
import collections
import ctypes
import datetime
import decimal
import enum
import fractions
import functools
import gc
import io
import itertools
import operator
import pathlib
import random
import re
import sys
import threading
import traceback
import types
import weakref

import numpy
import pytest
from support.adapters import FarEnds
from support.leaks import live_objects, settle
from support.native import echo_signature, echo_source
from support.values import ALL, cases, edges, ids, random_value, seed

import jitffi
from jitffi import _core
from jitffi.signature.model import TYPES

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::PendingDeprecationWarning")

DOCUMENTED = (TypeError, OverflowError, ValueError, UnicodeEncodeError)


@pytest.fixture(scope="module")
def ends(build_library):
    settle()
    return FarEnds(jitffi.load_library(build_library(echo_source(ALL), runtime=True)), ALL)


# -- kinds of objects ------------------------------------------------------------------------------------------------


class Own(Exception):
    """Raised by the methods of the objects below, and by nothing else."""


class Plain:
    pass


class Slotted:
    __slots__ = ("a",)


class IntEnum(enum.IntEnum):
    A = 5


class Flag(enum.Flag):
    A = 1


class StrEnum(enum.StrEnum):
    A = "a"


class Int(int):
    def __index__(self):
        raise Own

    __int__ = __repr__ = __eq__ = __hash__ = bit_length = __index__


class Float(float):
    def __float__(self):
        raise Own

    __repr__ = __eq__ = __hash__ = __float__


class Str(str):
    def __str__(self):
        raise Own

    __repr__ = __len__ = __eq__ = __hash__ = encode = __str__


class Bytes(bytes):
    def __bytes__(self):
        raise Own

    __repr__ = __len__ = __eq__ = __hash__ = __bytes__


class Named(collections.namedtuple("Named", "x")):
    pass


class Structure(ctypes.Structure):
    _fields_ = [("x", ctypes.c_int), ("y", ctypes.c_double)]


def generator():
    yield 1


async def coroutine():
    pass


def numpy_objects():
    everything = [numpy.zeros(3, code) for code in "?bhilqBHILQefdFDSUOmM" if code not in "SU"]
    everything += [numpy.zeros(3, "S5"), numpy.zeros(3, "U5"), numpy.zeros(3, [("a", "i4"), ("b", "f8")])]
    scalars = [a[0] for a in everything]
    arrays = [
        numpy.array(5), numpy.array(5.0), numpy.array(True), numpy.array("x"), numpy.zeros(0),
        numpy.zeros((2, 3))[:, ::2], numpy.zeros((2, 3)).T, numpy.zeros((2, 3), order="F"), numpy.ma.zeros(3),
        numpy.float64("nan"), numpy.broadcast_to(numpy.int8(1), (3, 3)), numpy.matrix([[1]]), numpy.dtype("i4"),
        numpy.random.default_rng(1),
    ]  # fmt: skip
    arrays[4].flags.writeable = False
    return everything + scalars + arrays


def ctypes_objects():
    number = ctypes.c_int(5)
    function = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)
    return [
        number, ctypes.c_double(1.5), ctypes.c_void_p(5), ctypes.c_void_p(), ctypes.c_char_p(b"abc"),
        ctypes.c_char_p(), ctypes.c_wchar_p("abc"), ctypes.c_bool(True), ctypes.c_char(b"x"), ctypes.c_longlong(-1),
        ctypes.py_object(5), ctypes.pointer(number), ctypes.POINTER(ctypes.c_int)(), ctypes.byref(number),
        ctypes.byref(number, 2), (ctypes.c_int * 3)(1, 2, 3), (ctypes.c_char * 4)(), Structure(1, 2.0),
        ctypes.pointer(Structure()), function(abs), function(), ctypes.c_int, ctypes.POINTER(ctypes.c_int),
        ctypes.c_int.from_param(5), ctypes.CDLL(None), ctypes.create_string_buffer(b"abc"),
        ctypes.cast(number and 8, ctypes.c_void_p), ctypes.c_char_p.from_param(b"x"),
    ]  # fmt: skip


def cffi_objects():
    try:
        import cffi
    except ImportError:  # the tests' requirements name it, but nothing here depends on it
        return []
    ffi = cffi.FFI()
    ffi.cdef("struct s { int a; }; int abs(int);")
    return [
        ffi.new("int*"), ffi.new("int[3]"), ffi.new("char[]", b"abc"), ffi.new("struct s*"),
        ffi.new("struct s*")[0], ffi.NULL, ffi.cast("int", 5), ffi.cast("double", 1.5), ffi.cast("void*", 5),
        ffi.cast("char", b"x"), ffi.from_buffer(b"abc"), ffi.buffer(ffi.new("int[3]")),
        ffi.callback("int(int)", abs), ffi.dlopen(None).abs, ffi.typeof("int"), ffi, ffi.new_handle(5),
    ]  # fmt: skip


def python_objects():
    released = memoryview(b"abc")
    released.release()
    stream = coroutine()
    stream.close()
    return [
        None, True, False, 0, -1, 1, 255, -(2**31), 2**31, 2**63 - 1, -(2**63), 2**64 - 1, 2**64, -(2**64), 10**100,
        0.0, -0.0, 1.5, 1e39, -1e308, float("inf"), float("nan"), 1j, "", "abc", "b\u00fccher", "\U0001f600",
        "\ud800", "a\0b", "x" * 300, b"", b"abc", b"a\0b", b"\xff" * 300, bytearray(b"abc"), bytearray(),
        memoryview(b"abc"), memoryview(b"abcd")[::2], memoryview(b"abcd").cast("i"),
        memoryview(b"abcdef").cast("B", (2, 3)), released, array.array("d", [1.0]), array.array("b"), [], [1], (),
        (1,), {}, {1: 2}, set(), frozenset((1,)), range(3), slice(1), ..., NotImplemented, object(), Plain, Plain(),
        Slotted(), int, type, abs, len, print, lambda x: x, [].append, "".join, Plain.__init__,
        functools.partial(abs), operator.itemgetter(1), generator(), generator, stream, iter([1]), zip(),
        map(abs, []), itertools.count(), types, types.SimpleNamespace(), ValueError("x"), ValueError,
        datetime.datetime(2000, 1, 1), datetime.timedelta(1), decimal.Decimal("1.5"), decimal.Decimal(10) ** 400,
        fractions.Fraction(1, 3), pathlib.Path("."), re.compile("x"), IntEnum.A, Flag.A, StrEnum.A, Int(5),
        Float(1.5), Str("abc"), Bytes(b"abc"), Named(1), io.BytesIO(b"x"), io.BytesIO(b"abc").getbuffer(),
        io.StringIO(), weakref.ref(Plain), weakref.proxy(Plain), threading.Lock(), sys, sys.exc_info,
        collections.OrderedDict(), collections.deque(), jitffi, jitffi.Function, TYPES["i8"],
        jitffi.Signature.parse("() -> i8"), jitffi.function("(i64) -> i64")(abs),
        jitffi.function("() -> void")(print), jitffi.Function(jitffi.function("(i64) -> i64")(abs)),
        jitffi.convert(len), _core.NO_DEFAULT, _core.Code, jitffi.Object, staticmethod(abs), classmethod(abs),
        property(), Plain.__dict__, globals, itertools.chain,
    ]  # fmt: skip


# -- objects that misbehave --------------------------------------------------------------------------------------------


def raises(self, *args, **kwargs):
    raise Own


def gives(value):
    return lambda self, *args: value


def forever(self, *args):
    return self


SPECIAL = (
    "__index__", "__int__", "__float__", "__bool__", "__len__", "__str__", "__repr__", "__bytes__", "__eq__",
    "__hash__", "__call__", "__getattr__", "__getattribute__", "__array__", "__buffer__", "__iter__", "__trunc__",
    "__complex__",
)  # fmt: skip
ATTRIBUTES = ("_as_parameter_", "__array_interface__", "__class__", "__array_struct__", "__cuda_array_interface__")
BAD_RESULTS = ("x", -1, 1 << 70, 1.5, None, b"x", [], True, Plain)
INTERFACES = [
    {}, {"data": None}, {"data": ()}, {"data": (1, 2, 3)}, {"data": ("x", False)}, {"data": (1 << 70, False)},
    {"data": (-(1 << 70), False)}, {"data": b"abc"}, {"data": b"abc", "offset": "x"},
    {"data": b"abc", "offset": 1 << 70}, {"data": 5}, {"data": (5, False)}, [], 5, {"shape": (1,)},
    collections.OrderedDict(data=(5, True)),
]  # fmt: skip


def misbehaving():
    """Objects whose methods raise, give what they should not, or lead back to themselves."""
    made = []
    for name in SPECIAL:
        for method in (raises, forever, *map(gives, BAD_RESULTS)):
            made.append(type("Bad", (), {name: method})())
    for name in ATTRIBUTES:
        for method in (raises, forever, *map(gives, BAD_RESULTS)):
            made.append(type("Bad", (), {name: property(method)})())
        for value in (*BAD_RESULTS, *INTERFACES, bytearray(b"abc"), abs):
            made.append(type("Bad", (), {name: value})())
    for base, value in ((int, 5), (float, 1.5), (str, "x"), (bytes, b"x"), (list, ()), (dict, ())):
        for name in (*SPECIAL, *ATTRIBUTES):
            try:
                made.append(type("Bad", (base,), {name: raises if name in SPECIAL else property(raises)})(value))
            except Exception:
                continue  # such a one cannot be made
    hostile = ("__instancecheck__", "__subclasscheck__", "__repr__", "__eq__", "__hash__")
    meta = type("Meta", (type,), dict.fromkeys(hostile, raises))
    made.append(meta("Bad", (), {})())
    long_name = type("B" * 10000, (), {})
    made += [long_name(), type("numpy.bool_", (), {})(), type("numpy.int64", (), {"__index__": gives(5)})()]
    fake_cffi = type("_cffi_backend._CDataBase", (), {})
    return [*made, fake_cffi()]


class Exporter:
    """A buffer written in Python (3.12), which may misbehave in each of its methods."""

    def __init__(self, view, release=None):
        self.view = view
        self.release = release

    def __buffer__(self, flags):
        if self.view is None:
            raise Own
        return self.view() if callable(self.view) else self.view

    def __release_buffer__(self, view):
        if self.release is not None:
            self.release()


def exporters():
    def export():
        return memoryview(b"abc")

    return [
        Exporter(None),
        Exporter("x"),
        Exporter(export),
        Exporter(export, gc.collect),
        Exporter(memoryview(b"abcd")[::2]),
    ]


GROUPS = (python_objects, numpy_objects, ctypes_objects, cffi_objects, misbehaving, exporters)


@functools.cache
def everything():
    return [obj for group in GROUPS for obj in group()]


def check_refusal(error, name):
    """The exception says where, in one of the documented classes; one that Python code has raised is as it was."""
    if traceback.extract_tb(error.__traceback__)[-1].name != "offer":
        return
    assert isinstance(error, DOCUMENTED), repr(error)
    assert isinstance(error, (UnicodeEncodeError, UnicodeDecodeError)) or str(error).startswith(name), repr(error)


def offer(call, args, name):
    """Call it; what it refuses, it refuses as documented."""
    try:
        call(*args)
    except Exception as error:
        check_refusal(error, name)


@pytest.mark.parametrize("type_", ALL, ids=ids(ALL))
def test_every_object_at_every_type(ends, type_):
    sig = echo_signature(type_)
    call = ends.library.bind(ends.symbol("echo", type_), sig)
    others = [edges(p.type)[0] for p in sig.params[1:]]
    packed = jitffi.Function.from_packed(ends.address("packed_echo"), signature=sig, name="packed_echo")
    objects = everything()
    before = live_objects()
    for obj in objects:
        offer(call, (obj, *others), call.__name__)
        offer(packed, (obj, *others), "packed_echo")
    assert live_objects() == before


def test_every_object_without_a_signature(ends):
    """By what it is: all but ints beyond 64 bits and lone surrogates is taken and comes back, containers and arrays
    as ours."""
    packed = jitffi.Function.from_packed(ends.address("packed_echo"), name="packed_echo")
    identity = jitffi.convert(lambda x: x)
    plain = (int, float, str, bytes, bool, type(None))
    for obj in everything():
        for call in (packed, identity):
            try:
                got = call(obj)
            except OverflowError:
                assert isinstance(obj, (int, numpy.longdouble)) and not -(1 << 63) <= int.__index__(obj) < 1 << 64
            except UnicodeEncodeError:
                assert isinstance(obj, str) and "\\ud800" in ascii(str.__str__(obj))
            else:
                same = got is obj or isinstance(got, plain) or callable(got)
                same = same or (type(obj) in (list, tuple, dict, set) and isinstance(got, jitffi.Object))
                same = same or (type(obj) is numpy.ndarray and isinstance(got, jitffi.NDArray))
                same = same or (isinstance(obj, numpy.dtype) and isinstance(got, jitffi.DataType))
                assert same, (type(obj), got)


@pytest.mark.parametrize("type_", ALL, ids=ids(ALL))
def test_every_object_as_the_result_of_a_callback(type_):
    given = []
    function = jitffi.Function(jitffi.function(f"() -> {type_}", name="giver")(given.pop))
    packed = jitffi.Function.from_packed(function.packed_address, self_handle=function.handle)
    for obj in everything():
        for call in (function, packed):
            given.append(obj)
            offer(call, (), "giver: result: ")


# -- arguments that interfere with the call --------------------------------------------------------------------------


def test_an_argument_may_call_the_function_again():
    call = jitffi.function("(i64, str, i64) -> str")(lambda a, text, b: text * (a + b))

    class Again:
        def __init__(self, depth):
            self.depth = depth

        def __index__(self):
            return len(call(1, "x", Again(self.depth - 1))) if self.depth else 1

    assert call(1, "ab", Again(20)) == "ab" * 22


def test_an_argument_may_drop_the_function():
    class Drops:
        def __index__(self):
            functions.clear()
            gc.collect()
            return 3

    functions = [jitffi.function("(i64) -> i64")(lambda x: x)]
    assert functions[0](Drops()) == 3 and functions == []


def test_an_argument_may_change_the_ones_before():
    """The memory of a buffer is held as long as the call: it cannot be resized meanwhile."""
    call = jitffi.function("(bytes, i64) -> bytes")(lambda data, n: data)
    held = bytearray(b"x" * 1000)

    class Resizes:
        def __index__(self):
            held.extend(b"y" * 100000)
            return 1

    with pytest.raises(BufferError):
        call(held, Resizes())
    held.append(1)


def test_a_callback_may_resize_what_it_was_not_given(ends):
    call = ends.library.bind(ends.symbol("call", TYPES["bytes"]), "(func[(bytes) -> bytes], bytes) -> bytes")
    held = bytearray(b"x" * 100)

    def callback(data):
        with pytest.raises(BufferError):
            held.clear()
        return data[:5]

    assert call(callback, held) == b"xxxxx"
    held.clear()


def test_a_callback_may_drop_itself():
    functions = {}

    def drops(x):
        functions.clear()
        gc.collect()
        return x + 1

    functions["own"] = jitffi.function("(i64) -> i64")(drops)
    address = jitffi.Function(functions["own"]).native_address
    assert jitffi.Function.from_native(address, "(i64) -> i64")(1) == 2


@pytest.mark.parametrize("n", [0, 1, 5, 16, 17, 40])
def test_random_objects_in_many_places(n):
    """Signatures and arguments at random: some refusal among many arguments, and temporaries before it."""
    rng = random.Random(seed() * 100 + n)
    objects, types_seen = everything(), []
    before = live_objects()
    for _ in range(cases(8)):
        types_seen.append([rng.choice(ALL) for _ in range(n)])
        texts = [type_.text for type_ in types_seen[-1]]
        call = jitffi.function(f"({', '.join(texts)}) -> void", name="f")(lambda *args: None)
        function = jitffi.Function(call)
        untyped = jitffi.Function.from_packed(function.packed_address, self_handle=function.handle)
        for _ in range(5):
            args = [random_value(rng, t) if rng.random() < 0.9 else rng.choice(objects) for t in types_seen[-1]]
            offer(call, args, "f: ")
            offer(untyped, args, ("f: ", "packed: "))
    del args, call, function, untyped
    assert live_objects() == before, f"JITFFI_FUZZ_SEED={seed()} n {n}: {types_seen}"
