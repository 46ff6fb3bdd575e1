"""What Python objects become: addresses, type codes, functions; beyond what the tests of all rows say of each type."""

from __future__ import annotations

import array
import ctypes
import gc
import io
import mmap
import operator
import weakref

import numpy
import pytest
from support.leaks import codes_of

import jitffi
from jitffi import _core

SOURCE = r"""
#include "jitffi/runtime.h"

#include <pthread.h>

void* address_of(void* p) { return p; }
int32_t code_of(const jf_view* view) { return view->type_code; }
int32_t code_of_object(jf_object* object) { return object->type_code; }
int32_t length_of(const jf_view* view) { return view->small_len; }
int64_t call(int64_t (*f)(int64_t), int64_t x) { return f(x); }

/* Keeps what it was given, as libraries do that are given a handler. */
static int64_t (*handler)(int64_t);
void set_handler(int64_t (*f)(int64_t)) { handler = f; }
int64_t run_handler(int64_t x) { return handler(x); }

typedef int64_t (*unary)(int64_t);
int64_t call_result(unary (*give)(void), int64_t x) {
  unary f = give();
  return f != NULL ? f(x) : 0;
}

/* A packed call without the interpreter's lock, with a temporary for its text. */
void* packed_unlocked(jf_function* function) {
  jf_view text = {.type_code = JF_SMALL_STR, .small_len = 1, .v_bytes = "x"};
  jf_value out = {.type_code = JF_NULL};
  return function->call(function, 1, &text, &out) == 0 ? out.v_handle : NULL;
}
"""


@pytest.fixture(scope="module")
def native(build_library):
    return jitffi.load_library(build_library(SOURCE, runtime=True))


@pytest.fixture(scope="module")
def address(native):
    """The address that C gets for a ptr."""
    return native.bind("address_of", "(ptr) -> ptr")


@pytest.fixture(scope="module")
def constant(native):
    """The same for memory that is not written."""
    return native.bind("address_of", "(ptr[const void]) -> ptr")


# -- ptr -----------------------------------------------------------------------------------------------------------


def test_numbers_are_addresses(address):
    class Index:
        def __index__(self):
            return 77

    assert [address(n) for n in (1, True, numpy.uint64(2**64 - 1), numpy.int8(5), Index())] == [1, 1, 2**64 - 1, 5, 77]
    assert address(0) is address(False) is address(None) is None
    assert address(-1) == 2**64 - 1 and address(-(2**63)) == 2**63


def test_buffers_are_their_memory(address, constant):
    held = bytearray(b"abcdef")
    there = ctypes.addressof(ctypes.c_char.from_buffer(held))
    for buffer, offset in ((held, 0), (memoryview(held), 0), (memoryview(held)[2:], 2)):
        assert address(buffer) == there + offset
    with pytest.raises(ValueError, match=r"expected ptr, got uint8\[3\] with a stride of 2 elements"):
        address(memoryview(held)[1::2])
    numbers = array.array("d", [1.0, 2.0])
    assert address(numbers) == numbers.buffer_info()[0]
    data = b"read only"
    assert constant(data) == ctypes.cast(data, ctypes.c_void_p).value == constant(memoryview(data))
    for read_only in (data, memoryview(data)):
        with pytest.raises(TypeError, match=r"expected ptr, got read-only uint8\[9\]"):
            address(read_only)
    with mmap.mmap(-1, 100) as memory:
        assert address(memory) == ctypes.addressof(pinned := ctypes.c_char.from_buffer(memory))
        del pinned
    assert address(io.BytesIO(b"abc").getbuffer())
    assert address(bytearray()) and constant(b"") and constant(memoryview(b""))  # empty, but never NULL


def test_arrays_are_their_memory(address, constant):
    numbers = numpy.arange(12.0).reshape(3, 4)
    frozen = numpy.arange(5)
    frozen.flags.writeable = False
    for each in (numbers, numbers[1:], numbers.T, numpy.array(7), numpy.zeros(0)):
        assert address(each) == constant(each) == each.ctypes.data
    for each in (numpy.zeros(3, "M8[s]"), numpy.zeros(3, [("a", "i4")]), numpy.zeros(3, ">f4")):  # not all are buffers
        assert address(each) == each.ctypes.data
    assert constant(frozen) == frozen.ctypes.data
    for each, words in ((frozen, "read-only int64"), (numpy.zeros(3, object), r"object\[3\]")):
        with pytest.raises(TypeError, match=f"expected ptr, got {words}"):
            address(each)
    for each in (numbers[:, ::2], numbers[::-1]):
        with pytest.raises(ValueError, match="expected ptr, got .*, expected contiguous"):
            address(each)


def test_ctypes_objects(address):
    number = ctypes.c_int(5)
    there = ctypes.addressof(number)
    pointer = ctypes.pointer(number)
    function = ctypes.CFUNCTYPE(ctypes.c_int)(lambda: 1)
    for each in (number, pointer, ctypes.byref(number), ctypes.cast(pointer, ctypes.c_void_p), ctypes.c_void_p(there)):
        assert address(each) == there
    assert address(ctypes.byref(number, 3)) == there + 3
    assert address(function) == ctypes.cast(function, ctypes.c_void_p).value
    assert address(ctypes.c_char_p(b"abc")) and address(ctypes.c_wchar_p("abc"))
    for null in (ctypes.c_void_p(), ctypes.c_char_p(), ctypes.POINTER(ctypes.c_int)()):
        assert address(null) is None
    items = (ctypes.c_int * 3)()
    assert address(items) == ctypes.addressof(items)


def test_cffi_objects(address):
    ffi = pytest.importorskip("cffi", reason="cffi is not installed").FFI()
    ffi.cdef("struct s { int a; };")
    news = [ffi.new(kind) for kind in ("int*", "int[4]", "struct s*", "char[5]")]
    for each in (*news, ffi.cast("void*", 99)):
        assert address(each) == int(ffi.cast("uintptr_t", each))
    assert address(ffi.NULL) is None
    data = bytearray(8)
    assert address(ffi.from_buffer(data)) == address(data)


def test_objects_that_say_what_they_pass(address):
    class Parameter:
        def __init__(self, parameter):
            self._as_parameter_ = parameter

    memory = bytearray(8)
    assert address(Parameter(Parameter(memory))) == address(memory)
    assert address(Parameter(5)) == 5 and address(Parameter(None)) is None
    endless = Parameter(None)
    endless._as_parameter_ = endless
    with pytest.raises(TypeError, match="_as_parameter_ leads to another one without end"):
        address(endless)
    with pytest.raises(TypeError, match="argument 1: expected ptr, got str 'x'"):
        address(Parameter("x"))

    class Interface:
        def __init__(self, **fields):
            self.__array_interface__ = fields

    assert address(Interface(data=(99, False))) == 99
    with pytest.raises(TypeError, match=r"expected ptr, got Interface \(its memory is read-only\)"):
        address(Interface(data=(99, True)))
    assert address(Interface(data=memory)) == address(memory)
    assert address(Interface(data=memory, offset=3)) == address(memory) + 3
    with pytest.raises(TypeError, match="expected ptr, got Interface"):
        address(Interface(shape=(1,)))


def test_a_buffer_is_held_as_long_as_the_call(native):
    held = bytearray(b"abc")
    call = jitffi.function("(ptr) -> void")(lambda p: pytest.raises(BufferError, held.append, 1))
    call(held)
    held.append(1)
    assert len(held) == 4


def test_what_a_buffer_refuses_is_told(address):
    released = memoryview(b"abc")
    released.release()
    with pytest.raises(TypeError, match=r"expected ptr, got memoryview \(operation forbidden on released memoryview"):
        address(released)
    with pytest.raises(TypeError, match="native_address"):
        address(jitffi.function("() -> void")(print))


# -- any and object --------------------------------------------------------------------------------------------------

NULL, INT, FLOAT, BOOL, BYTE_ARRAY, OBJECT = -1, -2, -3, -4, -10, -11
SMALL_STR, SMALL_BYTES, STR_VIEW, UINT = -13, -15, -17, -18
FUNCTION, NDARRAY, HOST = 2, 3, 41


class Int(int):
    pass


CODES = [
    (None, NULL, None), (True, BOOL, 18), (numpy.bool_(False), BOOL, 18), (0, INT, 16), (2**63 - 1, INT, 16),
    (-(2**63), INT, 16), (2**63, UINT, 22), (Int(5), INT, 16), (numpy.int16(5), INT, 16),
    (numpy.uint64(2**63), UINT, 22), (1.5, FLOAT, 17), (numpy.float32(1.5), FLOAT, 17), ("", SMALL_STR, 33),
    ("1234567", SMALL_STR, 33), ("12345678", STR_VIEW, 33), ("\u20ac\u20ac", SMALL_STR, 33),
    ("\u20ac" * 3, STR_VIEW, 33), (b"", SMALL_BYTES, 35), (b"1234567", SMALL_BYTES, 35), (b"12345678", BYTE_ARRAY, 35),
    (bytearray(b"x"), OBJECT, HOST), ([], OBJECT, 36), ({}, OBJECT, 37), ((1,), OBJECT, 38),
    (type("Other", (list,), {})(), OBJECT, HOST), (object, OBJECT, HOST),
    (numpy.zeros(1), NDARRAY, NDARRAY), (numpy.array([None]), OBJECT, HOST),
    (numpy.int16, OBJECT, HOST), (1j, OBJECT, HOST),
]  # fmt: skip


@pytest.mark.parametrize(("value", "code", "object_code"), CODES, ids=lambda v: repr(v)[:20])
def test_codes_of_values(native, value, code, object_code):
    assert native.bind("code_of", "(any) -> i32")(value) == code
    if object_code is not None:
        assert native.bind("code_of_object", "(object) -> i32")(value) == object_code


def test_functions_keep_their_code(native):
    function = jitffi.convert(lambda x: x)
    assert native.bind("code_of", "(any) -> i32")(function) == FUNCTION
    assert native.bind("code_of_object", "(object) -> i32")(jitffi.Function(function)) == FUNCTION
    assert native.bind("code_of_object", "(func) -> i32")(abs) == FUNCTION


def test_lengths_of_small_values(native):
    length = native.bind("length_of", "(any) -> i32")
    assert [length(v) for v in ("", "abc", "\u20ac", b"\0\0", "x" * 100, 5, None)] == [0, 3, 3, 2, 0, 0, 0]


def test_an_object_is_held_no_longer_than_the_call():
    class Host:
        pass

    host = Host()
    alive = weakref.ref(host)
    call = jitffi.function("(any, object) -> void")(lambda a, b: None)
    call(host, host)
    del host
    assert alive() is None


# -- callbacks ---------------------------------------------------------------------------------------------------------

UNARY = "func[(i64) -> i64]"


def test_a_callable_is_wrapped_for_the_call(native):
    call = native.bind("call", f"({UNARY}, i64) -> i64")
    before = _core.live_objects()
    assert [call(f, -5) for f in (abs, lambda x: x * 2, operator.neg, Int)] == [5, -10, 5, -5]
    assert _core.live_objects() == before


def test_a_dead_callback_reports_an_error(native):
    native.bind("set_handler", f"({UNARY}) -> void")(abs)
    with pytest.raises(RuntimeError, match="called after its Function was released"):
        native.bind("run_handler", "(i64) -> i64")(1)


def test_kept_callbacks_live_with_the_function(native):
    set_handler = native.bind("set_handler", f"({UNARY}) -> void", keep_callbacks=True)
    run = native.bind("run_handler", "(i64) -> i64")
    kept = lambda x: x + 1  # noqa: E731
    alive = weakref.ref(kept)
    set_handler(kept)
    del kept
    gc.collect()
    assert run(1) == 2
    set_handler(lambda x: x + 10)
    assert run(1) == 11
    assert alive() is not None  # C may have kept its address elsewhere
    del set_handler
    gc.collect()
    assert alive() is None
    with pytest.raises(RuntimeError, match="called after its Function was released"):
        run(1)


def test_what_is_kept_is_found_by_no_other(native):
    """A Function's builtin may die while the Function is kept; whoever gets its address is wrapped anew."""
    set_handler = native.bind("set_handler", f"({UNARY}) -> void", keep_callbacks=True)
    run = native.bind("run_handler", "(i64) -> i64")
    for _ in range(50):
        builtin = jitffi.function("(i64) -> i64")(lambda x: -1)
        set_handler(builtin)
        del builtin
        # Bound methods of ints are exact builtins too, and take the memory that the first one left.
        for each in [int(n).__add__ for n in range(20)]:
            set_handler(each)
            assert run(0) == each(0)


def test_a_function_gives_its_own_address(native):
    call = native.bind("call", f"({UNARY}, i64) -> i64")
    double = jitffi.function("(i64) -> i64")(lambda x: 2 * x)
    set_handler, run = native.bind("set_handler", f"({UNARY}) -> void"), native.bind("run_handler", "(i64) -> i64")
    set_handler(double)
    assert run(21) == call(double, 21) == call(jitffi.Function(double), 21) == 42
    assert call(jitffi.Function(double).native_address, 21) == 42
    other_types = jitffi.function("(i32) -> i32")(lambda x: x + 1)
    assert call(other_types, 1) == 2
    with pytest.raises(OverflowError):
        call(other_types, 2**40)


def test_callables_that_a_callback_returns_live_with_it(native):
    call = native.bind("call_result", f"(func[() -> {UNARY}], i64) -> i64")
    assert call(lambda: lambda x: x + 1, 1) == 2
    assert call(lambda: abs, -1) == 1
    with pytest.raises(TypeError, match=r"result: expected func\[\(i64\) -> i64\], got int|str"):
        call(lambda: "abs", 1)


def test_function_objects_that_a_packed_callee_returns_live_on(native):
    """The slot that they came in is released before the C function is called."""
    give = jitffi.Function(jitffi.function("() -> func")(lambda: jitffi.function("(i64) -> i64")(lambda x: x + 1)))
    typed = jitffi.Function.from_packed(give.packed_address, signature=f"() -> {UNARY}", self_handle=give.handle)
    assert [typed()(n) for n in range(3)] == [1, 2, 3]


def test_callbacks_of_callbacks(native):
    call = native.bind("call", f"({UNARY}, i64) -> i64")
    outer = jitffi.function(f"(func[({UNARY}, i64) -> i64], i64) -> i64")(lambda f, x: f(lambda y: y * x, 7))
    function = jitffi.Function.from_native(
        jitffi.Function(outer).native_address, f"(func[({UNARY}, i64) -> i64], i64) -> i64", keep_alive=outer
    )
    assert function(lambda g, x: call(g, x) + 1, 6) == 43


def test_code_for_a_callback_that_is_boxed_is_made_once():
    """Each call brings another C function, and all of them the same code."""
    sig = f"(f: {UNARY}, x: i64) -> i64"
    seen = []

    @jitffi.function(sig, name="outer")
    def outer(f, x):
        seen.append((f.__name__, f(x), codes_of(f)[0]))
        return 0

    call = jitffi.Function.from_native(jitffi.Function(outer).native_address, sig)
    libc = jitffi.load_library(None)
    for name in ("labs", "llabs", "toupper", "tolower", "labs"):
        call(jitffi.Function(libc.bind(name, "(i64) -> i64")).native_address, -10 if "abs" in name else ord("A"))
    assert [(name, value) for name, value, _ in seen] == [
        ("outer.f", value) for value in (10, 10, ord("A"), ord("a"), 10)
    ]
    assert len({id(code) for _, _, code in seen}) == 1


def test_temporaries_of_a_result_are_released_with_the_lock(native):
    """Their destructors are Python code; the caller has not got the lock, and gave a text that had to be copied."""
    deleted = []

    class Address(int):
        def __del__(self):
            deleted.append(int(self))

    class Parameter:
        @property
        def _as_parameter_(self):
            return Address(4321)

    function = jitffi.Function(jitffi.function("(cstr) -> ptr")(lambda text: Parameter()))
    call = native.bind("packed_unlocked", "(ptr) -> ptr", nogil=True)
    assert call(function.handle) == 4321
    assert deleted == [4321]
