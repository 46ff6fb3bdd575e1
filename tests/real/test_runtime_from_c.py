"""A C library that uses the runtime: it calls global functions, registers its own, keeps Python's, and fails."""

from __future__ import annotations

import gc
import inspect
import weakref

import pytest

import jitffi

SOURCE = r"""
#include <stdlib.h>
#include <string.h>

#include <jitffi/runtime.h>

/* -- calls a global function: (name: cstr, a: any, b: any) -> any -- */
int32_t call_global(const char* name, const jf_view* a, const jf_view* b, jf_value* out) {
  jf_object* function = jf_global_get(name);
  if (!function) {
    jf_global_fail_unknown(name);
    return -1;
  }
  const jf_view args[2] = {*a, *b};
  int32_t status = jf_function_call(function, 2, args, out);
  jf_object_release(function);
  return status;
}

/* (function: func, count: i64) -> i64: the sum of function(0) to function(count - 1); an Object* result could fail, an
 * int cannot, so the error is marked pending. */
int64_t sum(jf_object* function, int64_t count) {
  int64_t total = 0;
  for (int64_t i = 0; i < count; i++) {
    jf_view arg = {JF_INT, 0, {.v_int64 = i}};
    char space[8 + 8];
    jf_value* out = (jf_value*)space;
    jf_out_init(out, 8);
    if (jf_function_call(function, 1, &arg, out) != 0) {
      jf_error_mark_pending();
      return 0;
    }
    if (out->type_code == JF_INT) total += out->v_int64;
    jf_any_release(out);
  }
  return total;
}

/* -- a function of its own, with what it captures -- */
static int freed;

static int32_t add_captured(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  const int64_t* step = *(int64_t* const*)(self + 1);
  if (num_args != 1 || args[0].type_code != JF_INT) {
    jf_error_set("TypeError", "adder: expected one int");
    return -1;
  }
  out->type_code = JF_INT;
  out->small_len = 0;
  out->v_int64 = args[0].v_int64 + *step;
  return 0;
}

static void drop(void* captures) {
  free(captures);
  freed++;
}

jf_object* make_adder(int64_t step) {
  int64_t* captures = malloc(sizeof *captures);
  *captures = step;
  return jf_function_new(add_captured, captures, drop, NULL);
}

int32_t times_freed(void) { return freed; }

static int32_t repeat(jf_function* self, int32_t num_args, const jf_view* args, jf_value* out) {
  (void)self;
  jf_call_info info = {"demo.repeat", 2, 2, (jf_param_info[]){{"text", "str"}, {"count", "i64"}}, "str"};
  jf_temps temps = {NULL};
  jf_span text;
  int64_t count;
  int32_t status = -1;
  if (num_args != 2) {
    jf_fail_arity(&info, num_args);
  } else if (jf_lift_str(&info, 0, &args[0], &text, &temps) == 0 &&
             jf_lift_scalar(&info, 1, &args[1], JF_KIND_I64, &count) == 0) {
    char* long_text = malloc(text.size * (size_t)count + 1);
    for (int64_t i = 0; i < count; i++) memcpy(long_text + (size_t)i * text.size, text.data, text.size);
    status = jf_out_str(out, long_text, text.size * (size_t)count);
    free(long_text);
  }
  jf_temps_release(&temps);
  return status;
}

#define TYPED "(text: str, count: i64 = 2) -> str"

int32_t register_repeat(const char* name, _Bool with_signature) {
  jf_object* function = jf_function_new(repeat, NULL, NULL, with_signature ? TYPED : NULL);
  int32_t status = jf_global_set(name, function, 0);
  jf_object_release(function);
  if (status != 0) jf_error_mark_pending();
  return status;
}

void* repeat_address(void) { return (void*)repeat; }

/* -- keeps a Python function -- */
static jf_object* kept;

void keep(void* handle) {
  jf_object_retain(handle);
  jf_object_release(kept);
  kept = handle;
}

int32_t call_kept(const char* text, jf_value* out) {
  jf_view arg = {JF_RAW_STR, 0, {.v_raw_str = text}};
  return jf_function_call(kept, 1, &arg, out);
}

int32_t call_entry(void* entry, void* self, jf_value* out) {
  return ((jf_packed_call)entry)(self, 0, NULL, out);
}

/* -- fails -- */
int32_t fail(const char* kind, const char* message, jf_value* out) {
  (void)out;
  if (*kind) jf_error_set(kind, message);
  return -1;
}

jf_object* fail_object(const char* kind) {
  jf_error_set(kind, "no object");
  return NULL;
}
"""


@pytest.fixture(scope="module")
def lib(build_library):
    return jitffi.load_library(build_library(SOURCE, runtime=True))


@pytest.fixture
def name():
    """A global name that is free, and is so again afterwards."""
    fresh = "test.from_c"
    yield fresh
    if fresh in jitffi.list_global_func_names():
        jitffi.remove_global_func(fresh)


VALUES = [
    None, True, False, 0, -1, 2**63 - 1, -(2**63), 2**64 - 1, 1.5, float("inf"), "", "short",
    "caf\u00e9 \u2192 \U0001f600" * 40, "with \0 inside", b"", b"bytes", b"\0" * 300,
]  # fmt: skip


@pytest.mark.parametrize("value", VALUES, ids=lambda value: repr(value)[:20])
def test_c_calls_a_global_function_of_python(lib, name, value):
    call = lib.bind("call_global", "(name: cstr, a: any, b: any) -> any")
    seen = []

    @jitffi.register_global_func(name)
    def function(a, b):
        seen.append(a)
        return b

    result = call(name, value, value)
    assert (type(seen[0]), seen[0]) == (type(value), value)
    assert (type(result), result) == (type(value), value)


def test_object_of_python_comes_back_as_itself(lib, name):
    call = lib.bind("call_global", "(name: cstr, a: any, b: any) -> any")
    jitffi.register_global_func(name, lambda a, b: a)
    thing = object()
    assert call(name, thing, None) is thing
    assert call(name, [thing], None) is not None


def test_typed_global_function_is_called_by_its_types(lib, name):
    call = lib.bind("call_global", "(name: cstr, a: any, b: any) -> any")

    @jitffi.register_global_func(name)
    @jitffi.function("(i64, y: f64) -> f64")
    def scale(x, y):
        return x * y

    assert call(name, 3, 2) == 6.0
    with pytest.raises(TypeError, match=r"scale: argument 1: expected i64, got str 'three'"):
        call(name, "three", 2)
    with pytest.raises(TypeError, match=r"scale: argument 2 'y': expected f64, got null"):
        call(name, 3, None)


def test_unknown_global_from_c(lib, name):
    call = lib.bind("call_global", "(name: cstr, a: any, b: any) -> any")
    jitffi.register_global_func(name, lambda a, b: a)
    with pytest.raises(ValueError, match=f"unknown global function.*{name}"):
        call(name + "s", 1, 2)


def test_exception_of_python_crosses_c(lib, name):
    call = lib.bind("call_global", "(name: cstr, a: any, b: any) -> any")
    error = LookupError("the very one")

    @jitffi.register_global_func(name)
    def function(a, b):
        raise error

    with pytest.raises(LookupError) as caught:
        call(name, 1, 2)
    assert caught.value is error
    assert [entry.name for entry in caught.traceback][-1] == "function"


def test_python_callable_as_function_object(lib):
    total = lib.bind("sum", "(function: func, count: i64) -> i64")
    assert total(lambda x: x * x, 10) == 285
    assert total(jitffi.convert(lambda x: 2 * x), 10) == 90
    assert total(jitffi.function("(i32) -> i8")(lambda x: x), 10) == 45
    with pytest.raises(ZeroDivisionError):
        total(lambda x: 1 // (5 - x), 10)
    with pytest.raises(TypeError, match="sum: argument 1 'function': expected func, got int 3"):
        total(3, 10)
    assert total(lambda x: x, 3) == 3


def test_function_object_of_c(lib):
    make, freed = lib.bind("make_adder", "(step: i64) -> func"), lib.bind("times_freed", "() -> i32")
    before = freed()
    add = make(100)
    assert type(add) is type(len)
    assert add(5) == 105
    with pytest.raises(TypeError, match="adder: expected one int"):
        add("5")
    function = jitffi.Function(add)
    assert function.signature is None and function(1) == 101
    del add, function
    gc.collect()
    assert freed() == before + 1


@pytest.mark.parametrize("typed", [False, True])
def test_c_registers_a_global_function(lib, name, typed):
    assert lib.bind("register_repeat", "(name: cstr, typed: bool) -> i32")(name, typed) == 0
    repeat = jitffi.get_global_func(name)
    assert repeat("ab", 3) == "ababab"
    assert repeat("K\u00f6", 100) == "K\u00f6" * 100
    with pytest.raises(
        TypeError, match=f"{name if typed else 'demo.repeat'}: argument 1 'text': expected str, got int 3"
    ):
        repeat(3, 3)
    with pytest.raises(ValueError, match=f"{name}.*already registered"):
        lib.bind("register_repeat", "(name: cstr, typed: bool) -> i32")(name, typed)
    if typed:
        assert str(inspect.signature(repeat)) == "(text, count=2)"
        assert repeat(count=3, text="x") == "xxx"
        assert repeat("x") == "xx"


def test_function_from_a_packed_address(lib):
    address = lib.bind("repeat_address", "() -> ptr")()
    untyped = jitffi.Function.from_packed(address, name="demo.repeat", keep_alive=lib)
    assert untyped("ab", 2) == "abab"
    assert untyped.packed_address == address
    typed = jitffi.Function.from_packed(address, name="again", signature="(text: str, count: i64 = 3) -> str")
    assert typed("ab") == "ababab" and typed("a", count=0) == ""
    assert typed.__name__ == "again"
    with pytest.raises(TypeError, match="again: argument 1 'text': expected str, got None"):
        typed(None)


def test_native_code_keeps_a_function_by_its_handle(lib):
    keep, call = lib.bind("keep", "(handle: ptr) -> void"), lib.bind("call_kept", "(text: cstr) -> any")

    class Shout:
        def __call__(self, text):
            return text.upper() + "!" * 200

    shout = Shout()
    gone = weakref.ref(shout)
    function = jitffi.Function(jitffi.convert(shout))
    keep(function.handle)  # which is borrowed: a Function that nobody has would be gone before C takes its reference
    del shout, function
    gc.collect()
    assert gone() is not None
    assert call("hey") == "HEY" + "!" * 200
    keep(None)
    gc.collect()
    assert gone() is None


def test_packed_address_and_handle_are_a_call(lib):
    call = lib.bind("call_entry", "(entry: ptr, self: ptr) -> any")
    for decorate in (jitffi.convert, jitffi.function("() -> str")):
        function = jitffi.Function(decorate(lambda: "called " + "x" * 100))
        assert call(function.packed_address, function.handle) == "called " + "x" * 100
    failing = jitffi.Function(jitffi.convert(lambda: 1 // 0))
    with pytest.raises(ZeroDivisionError):
        call(failing.packed_address, failing.handle)


@pytest.mark.parametrize(
    ("kind", "error", "message"),
    [
        ("ValueError", ValueError, "^text$"),
        ("KeyError", KeyError, "^'text'$"),
        ("StopIteration", StopIteration, "^text$"),
        ("demo.Unknown", RuntimeError, "^demo.Unknown: text$"),
        ("print", RuntimeError, "^print: text$"),
        ("", RuntimeError, "^fail failed without an error$"),
    ],
)
def test_error_of_c(lib, kind, error, message):
    with pytest.raises(error, match=message):
        lib.bind("fail", "(kind: cstr, message: cstr) -> any")(kind, "text")
    with pytest.raises(error, match=message):
        lib.bind("fail", "(kind: cstr, message: cstr) -> str")(kind, "text")


def test_null_object_is_a_failure_or_none(lib):
    with pytest.raises(LookupError, match="no object"):
        lib.bind("fail_object", "(kind: cstr) -> object")("LookupError")
    with pytest.raises(LookupError, match="no object"):
        lib.bind("fail_object", "(kind: cstr) -> optional[object]")("LookupError")


def test_nothing_is_left_behind(lib, name):
    live = jitffi.Function.from_native(
        jitffi.Function(lib.bind("times_freed", "() -> i32")).native_address, "() -> i32", name="times_freed"
    )
    assert live() >= 0
    objects = jitffi.load_library("libjitffi_runtime.so").bind("jf_live_objects", "() -> i64")
    call = lib.bind("call_global", "(name: cstr, a: any, b: any) -> any")
    jitffi.register_global_func(name, lambda a, b: [a, b][len(str(a)) % 2])

    def round_of_calls():
        for value in VALUES:
            call(name, value, value)
        for kind in ("ValueError", "demo.Unknown"):
            with pytest.raises((ValueError, RuntimeError)):
                lib.bind("fail", "(kind: cstr, message: cstr) -> any")(kind, "text" * 100)
        assert lib.bind("make_adder", "(step: i64) -> func")(1)(2) == 3

    round_of_calls()
    gc.collect()
    before = objects()
    for _ in range(20):
        round_of_calls()
    gc.collect()
    assert objects() == before
