"""A million calls and a thousand wrappers leave nothing behind: no native object, no reference, no memory, no code."""

from __future__ import annotations

import gc
import os
import shutil
import sys
import time
import weakref
from pathlib import Path

import pytest
from support.adapters import function_at
from support.leaks import codes_of, live_objects, settle
from support.native import HEAD, PACKED

import jitffi
from jitffi.adapters import tiers
from jitffi.api.functions import Function
from jitffi.api.making import make
from jitffi.llvm.target import LOCK
from jitffi.signature.model import Signature

#: Calls of each kind at each level; there are two dozen kinds.
CALLS = 20_000
FAILURES = 3_000
LEVELS = (0, 2)
#: Less than one word for each call: whatever a call leaves behind is larger.
BYTES = 2 << 20
BLOCKS = 1_000

SOURCE = (
    HEAD
    + PACKED
    + r"""
void noop(void) {}
int64_t add(int64_t a, int64_t b) { return a + b; }
double mean(double a, double b) { return (a + b) / 2; }
int32_t same_text(const char* data, size_t size, jf_value* out) { return put_text(out, JF_SMALL_STR, data, size); }
int32_t same_bytes(const char* data, size_t size, jf_value* out) { return put_text(out, JF_SMALL_BYTES, data, size); }
int32_t same_ucs4(const char32_t* data, size_t size, jf_value* out) { return put_ucs4(out, data, size); }
int32_t same_dtype(DLDataType x, jf_value* out) { return put_struct(out, JF_DTYPE, &x, sizeof x); }
int32_t same_device(DLDevice x, jf_value* out) { return put_struct(out, JF_DEVICE, &x, sizeof x); }
const char* same_cstr(const char* text) { return text; }
int32_t same_any(const jf_view* view, jf_value* out) { return put_view(out, view); }
jf_object* same_object(jf_object* object) { return retained(object); }
void* same_ptr(void* p) { return p; }
int64_t is_none(const int64_t* number, const char* text) { return (number == NULL) + (text == NULL); }
int64_t call(int64_t (*f)(int64_t), int64_t x) { return f(x); }
int32_t call_text(int32_t (*f)(const char*, size_t, jf_value*), const char* data, size_t size, jf_value* out) {
  return f(data, size, out);
}
jf_object* call_object(jf_object* (*f)(jf_object*), jf_object* object) { return f(object); }
const char* call_cstr(const char* (*f)(const char*), const char* text) { return f(text); }
int32_t fail(jf_value* out) {
  jf_error_set("ValueError", "as asked");
  return -1;
}
int32_t packed_fail(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  out->type_code = JF_OBJECT;
  out->v_object = jf_str_new("a result that stays behind", 26);
  jf_error_set("ValueError", "as asked");
  return -1;
}
"""
)


@pytest.fixture(scope="module")
def library(build_library):
    settle()
    return build_library(SOURCE, runtime=True)


@pytest.fixture(scope="module")
def native(library):
    return jitffi.load_library(library)


def packed(native, name, signature=None):
    address = Function(native.bind(name, "() -> void")).native_address
    return Function.from_packed(address, name=name, signature=signature, keep_alive=native)


def resident():
    """Bytes of memory in use."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Host:
    pass


TEXTS = ("short", "x" * 100, "\u20ac" * 100, "x" * 1000)
KINDS = {
    "no argument": ("noop", "() -> void", ()),
    "ints": ("add", "(i64, i64) -> i64", (3, 1 << 61)),
    "floats": ("mean", "(f64, f64) -> f64", (1.5, 2)),
    "keywords": ("add", "(a: i64, b: i64) -> i64", (), {"b": 3, "a": 1 << 40}),
    "defaults": ("add", "(a: i64, b: i64 = 7) -> i64", (3,)),
    **{f"str {i}": ("same_text", "(str) -> str", (text,)) for i, text in enumerate(TEXTS)},
    "bytes": ("same_bytes", "(bytes) -> bytes", (b"x" * 100,)),
    **{
        f"ucs4 {i}": ("same_ucs4", "(ucs4) -> ucs4", (text,))
        for i, text in enumerate(("short", "wide \u20ac" * 20, "\U0001f600" * 50))
    },
    "data type": ("same_dtype", "(dtype) -> dtype", (jitffi.DataType("int8x4"),)),
    "data type by name": ("same_dtype", "(dtype) -> dtype", ("bfloat16",)),
    "device": ("same_device", "(device) -> device", ("cuda:1",)),
    "a buffer": ("same_bytes", "(bytes) -> bytes", (bytearray(200),)),
    "cstr": ("same_cstr", "(cstr) -> cstr", ("text",)),
    "None": ("is_none", "(optional[i64], optional[cstr]) -> i64", (None, None)),
    "no None": ("is_none", "(optional[i64], optional[cstr]) -> i64", (1 << 40, "text")),
    "any: int": ("same_any", "(any) -> any", (1 << 62,)),
    "any: long str": ("same_any", "(any) -> any", ("x" * 200,)),
    "any: an object": ("same_any", "(any) -> any", (Host(),)),
    "object: a box": ("same_object", "(object) -> object", (1.5,)),
    "object: an object": ("same_object", "(object) -> object", (Host(),)),
    "ptr: a buffer": ("same_ptr", "(ptr) -> ptr", (bytearray(10),)),
    "a callback": ("call", "(func[(i64) -> i64], i64) -> i64", (lambda x: x + 1, 5)),
    "a callback with text": ("call_text", "(func[(str) -> str], str) -> str", (lambda s: s + "x", "x" * 200)),
    "a callback with an object": ("call_object", "(func[(object) -> object], object) -> object", (lambda o: o, Host())),
    "a callback with a cstr": ("call_cstr", "(func[(cstr) -> cstr], cstr) -> cstr", (lambda s: s + "x", "text")),
}


def many(call, args, kwargs, n):
    for _ in range(n):
        call(*args, **kwargs)


def failing(call, args, kwargs, n):
    for _ in range(n):
        try:
            call(*args, **kwargs)
        except Exception:
            continue
        raise AssertionError("it did not fail")


def left_by(run, watched=()):
    """What *run* leaves: native objects, references to *watched*, blocks of Python's, bytes; "" if nothing."""

    def state():
        return live_objects(), [sys.getrefcount(each) for each in watched], sys.getallocatedblocks(), resident()

    objects, counts, blocks, size = state()
    run()
    objects_after, counts_after, blocks_after, size_after = state()
    left = [f"{objects_after - objects} objects"] if objects_after != objects else []
    # Threads of ours come and go with a few references of their own.
    if any(abs(b - a) >= 100 for a, b in zip(counts, counts_after, strict=True)):
        left.append(f"references: {counts} before, {counts_after} after")
    left += [f"{blocks_after - blocks} blocks"] if blocks_after - blocks >= BLOCKS else []
    left += [f"{size_after - size} bytes"] if size_after - size >= BYTES else []
    return ", ".join(left)


def leaves_nothing(run, watched=()):
    """Better code is made on another thread, in memory of its own. But a leak is there each time."""
    left = "?"
    for _ in range(3):
        with LOCK:
            left = left and left_by(run, watched)
        if left:
            time.sleep(0.5)  # that thread may wait for the lock, with what waits for its code: it gets it now
    assert not left


def check(repeat, call, args, kwargs, n):
    """Nothing is left of n calls."""
    repeat(call, args, kwargs, n // 10)
    watched = [*args, *kwargs.values(), call, None, True, False, 0]
    leaves_nothing(lambda: repeat(call, args, kwargs, n), watched)


def at_level(native, name, signature, level):
    address = Function(native.bind(name, "() -> void")).native_address
    return function_at(name, Signature.parse(signature), "python", "c", address, level, owner=native)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", KINDS)
def test_calls_leave_nothing(native, kind, level):
    name, signature, args, *rest = KINDS[kind]
    check(many, at_level(native, name, signature, level), args, rest[0] if rest else {}, CALLS)


@pytest.mark.parametrize("value", [5, "short", "x" * 200, b"x" * 200, Host(), abs], ids=lambda v: type(v).__name__)
def test_packed_calls_leave_nothing(native, value):
    check(many, packed(native, "packed_echo"), (value,), {}, CALLS // 4)
    check(many, packed(native, "packed_echo", "(any) -> any"), (value,), {}, CALLS // 4)
    identity = Function(jitffi.convert(lambda x: x))
    check(many, Function.from_packed(identity.packed_address, self_handle=identity.handle), (value,), {}, CALLS // 4)


def raises(*args):
    raise ValueError("as asked")


class BadIndex:
    def __index__(self):
        raise ValueError("as asked")


FAILING = {
    "a type": ("add", "(i64, i64) -> i64", (1, "x")),
    "a range": ("same_text", "(str) -> str", ("\ud800",)),
    "too few": ("add", "(i64, i64) -> i64", (1,)),
    "too many": ("add", "(a: i64, b: i64) -> i64", (1, 2, 3)),
    "a keyword": ("add", "(a: i64, b: i64) -> i64", (1,), {"c": 2}),
    "one missing": ("add", "(a: i64, b: i64) -> i64", (), {"b": 2}),
    "after temporaries": (
        "noop", "(any, object, bytes, ptr, func[(i64) -> i64], i8) -> void",
        ("x" * 200, 1.5, bytearray(200), bytearray(8), raises, 1000),
    ),
    "of the object's own": ("noop", "(any, object, i64) -> void", ("x" * 200, Host(), BadIndex())),
    "a callback's": ("call", "(func[(i64) -> i64], i64) -> i64", (raises, 5)),
    "a callback's with text": ("call_text", "(func[(str) -> str], str) -> str", (raises, "x" * 200)),
    "a callback's result": ("call", "(func[(i64) -> i64], i64) -> i64", (str, 5)),
    "a callback's object": ("call_object", "(func[(object) -> object], object) -> object", (raises, Host())),
    "C's": ("fail", "() -> str", ()),
}  # fmt: skip


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("kind", FAILING)
def test_failures_leave_nothing(native, kind, level):
    name, signature, args, *rest = FAILING[kind]
    check(failing, at_level(native, name, signature, level), args, rest[0] if rest else {}, FAILURES)


@pytest.mark.parametrize("signature", [None, "() -> str", "() -> i64", "() -> object", "() -> any", "() -> cstr"])
def test_packed_failures_leave_nothing(native, signature):
    check(failing, packed(native, "packed_fail", signature), (), {}, FAILURES)
    function = Function(jitffi.function(signature or "() -> any")(raises))
    again = Function.from_packed(function.packed_address, self_handle=function.handle)
    check(failing, again, (), {}, FAILURES)


def test_an_exception_is_not_kept(native):
    call = native.bind("call", "(func[(i64) -> i64], i64) -> i64")

    class Mine(Exception):
        pass

    def fails(x):
        raise Mine

    try:
        call(fails, 1)
    except Mine as error:
        alive = weakref.ref(error)
    gc.collect()
    assert alive() is None


# -- wrappers ----------------------------------------------------------------------------------------------------------


def test_a_thousand_wrappers_leave_nothing(native):
    address = Function(native.bind("add", "() -> void")).native_address

    def one(i):
        kinds = (
            lambda: make("f", Signature.parse("(i64, i64) -> i64"), "c", address, owner=native),
            lambda: Function(jitffi.function("(i64, i64) -> i64")(lambda a, b: a + b)),
            lambda: Function(jitffi.convert(lambda a, b: a + b)),
            lambda: Function(native.bind("add", "(a: i64, b: i64 = 1) -> i64")),
        )
        function = kinds[i % 4]()
        assert function(1, 2) == 3
        assert function.handle and function.packed_address
        if function.signature is not None:
            assert function.native_address
        assert Function.from_packed(function.packed_address, self_handle=function.handle)(3, 4) == 7
        return weakref.ref(function)

    def many_of_them():
        alive = [one(i) for i in range(1000)]
        live_objects()
        assert not any(each() for each in alive)
        tiers.drain()  # or those that could have better code would be on a list until it is made

    many_of_them()
    leaves_nothing(many_of_them)


def test_code_of_python_entries_goes_with_the_last_function(native):
    noop = Function(native.bind("noop", "() -> void")).native_address
    sigs = [Signature.parse(f"({', '.join(['i64'] * n)}) -> void") for n in range(1, 30)]
    functions, others = [[make("f", sig, "c", noop, owner=native) for sig in sigs] for _ in range(2)]
    for function, other, sig in zip(functions, others, sigs, strict=True):
        args = [1] * len(sig.params)
        assert function(*args) is other(*args) is None
    # Both have the first code; better code, which comes any time now, too.
    codes = [weakref.ref(codes_of(function)[0]) for function in functions]
    assert all(code() is codes_of(other)[0] for code, other in zip(codes, others, strict=True))
    del functions, function
    gc.collect()
    assert all(code() for code in codes)
    del others, other
    gc.collect()
    assert not any(code() for code in codes)


def test_nobody_waits_for_code_that_is_not_made(native):
    """A signature too long for level 2: those who would be told of better code are forgotten."""
    noop = Function(native.bind("noop", "() -> void")).native_address
    n = tiers._MOST_PARAMETERS + 1
    function = make("f", Signature.parse(f"({', '.join(['i32'] * n)}) -> void"), "c", noop, owner=native)
    assert function(*[1] * n) is None
    assert function._request().key not in tiers._worker._watchers


def test_closures_die_with_their_function():
    function = Function(jitffi.function("(i64) -> i64")(abs))
    again = Function.from_native(function.native_address, "(i64) -> i64")
    assert again(-1) == 1
    del function
    gc.collect()
    with pytest.raises(RuntimeError, match="called after its Function was released"):
        again(-1)


# -- cycles ------------------------------------------------------------------------------------------------------------


def by_closure(native):
    def callee(x):
        return own if x < 0 else x

    own = jitffi.function("(i64) -> i64")(callee)
    return Function(own)


def by_closure_with_handle(native):
    function = by_closure(native)
    assert function.handle and function.native_address
    return function


def by_attribute(native):
    function = Function(jitffi.convert(lambda: None))
    function.own = function
    assert function.handle
    return function


def by_kept_callback(native):
    call = native.bind("call", "(func[(i64) -> i64], i64) -> i64", keep_callbacks=True)

    def callback(x):
        return x if call else 0

    assert call(callback, 3) == 3
    return Function(call)


def by_owner(native):
    owner = Host()
    owner.function = Function.from_native(1, "() -> void", keep_alive=owner)
    return owner.function


def by_result(native):
    def give():
        return lambda x: 0 if own is None else x

    own = jitffi.function("() -> func[(i64) -> i64]")(give)
    assert Function.from_native(Function(own).native_address, "() -> func[(i64) -> i64]", keep_alive=own)()(3) == 3
    return Function(own)


CYCLES = [by_closure, by_closure_with_handle, by_attribute, by_kept_callback, by_owner, by_result]


@pytest.mark.parametrize("make_one", CYCLES, ids=lambda f: f.__name__)
def test_cycles_are_found(native, make_one):
    before = live_objects()
    alive = [weakref.ref(make_one(native)) for _ in range(20)]
    assert live_objects() == before
    assert not any(each() for each in alive)


def test_the_registry_keeps_and_forgets():
    before = live_objects()
    callee = Host()
    callee.__class__ = type("Callee", (Host,), {"__call__": lambda self, x: x})
    alive = weakref.ref(callee)
    jitffi.register_global_func("leaks.f", callee)
    del callee
    gc.collect()
    assert alive() is not None and jitffi.get_global_func("leaks.f")(3) == 3
    jitffi.register_global_func("leaks.f", lambda x: -x, override=True)
    gc.collect()
    assert alive() is None and jitffi.get_global_func("leaks.f")(3) == -3
    jitffi.remove_global_func("leaks.f")
    assert live_objects() == before


def test_a_library_is_closed_after_its_last_function(library, tmp_path):
    path = shutil.copy(library, tmp_path / "libclosed.so")

    def is_mapped():
        return "libclosed.so" in Path("/proc/self/maps").read_text()

    loaded = jitffi.load_library(path)
    add = loaded.bind("add", "(i64, i64) -> i64")
    del loaded
    gc.collect()
    assert is_mapped() and add(1, 2) == 3
    del add
    gc.collect()
    assert not is_mapped()
