"""Failures on their way through native code: which exception comes out, of which object, with which traceback."""

from __future__ import annotations

import gc
import signal
import struct
import traceback

import pytest

import jitffi

SOURCE = r"""
#include "jitffi/runtime.h"

#include <pthread.h>
#include <string.h>

typedef int64_t (*unary)(int64_t);

int64_t apply(unary f, int64_t x) { return f(x); }

/* Calls f n times whatever happens, and notes what it got. */
int64_t repeat(unary f, int64_t n, void* results) {
  for (int64_t i = 0; i < n; i++) ((int64_t*)results)[i] = f(i);
  return n;
}
int64_t both(unary f, unary g, int64_t x) { return f(x) + g(x); }

struct job { unary f; int64_t x, result; };
static void* run(void* job) {
  struct job* j = job;
  j->result = j->f(j->x);
  return NULL;
}
int64_t in_thread(unary f, int64_t x) {
  struct job job = {f, x, 0};
  pthread_t thread;
  if (pthread_create(&thread, NULL, run, &job) != 0) return -1;
  pthread_join(thread, NULL);
  return job.result;
}

/* Functions that fail, through each channel that there is. */
int32_t packed_status(jf_function* self, int32_t n, const jf_view* args, jf_value* out) { return 1; }
int32_t packed_error(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  jf_error_set(args[0].v_raw_str, args[1].v_raw_str);
  return -1;
}
int32_t packed_result_beside_failure(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  out->type_code = JF_OBJECT;
  out->small_len = 0;
  out->v_object = jf_str_new("a string that nobody shall leak", 31);
  jf_error_set("ValueError", "beside a result");
  return -1;
}
int32_t out_status(jf_value* out) { return 1; }
int32_t out_error(jf_value* out) {
  jf_error_set("LookupError", "out_error has none");
  return 7;
}
jf_object* object_null(void) { return NULL; }
jf_object* object_error(void) {
  jf_error_set("LookupError", "object_error has none");
  return NULL;
}
const char* text_null(void) { return NULL; }
const char* text_bad(void) { return "\xff\xfe"; }
void* address_null(void) { return NULL; }
int64_t give_bad_text(int64_t (*f)(const char*, size_t)) { return f("\xff\xfe", 2); }
int64_t give_null(int64_t (*f)(const char*)) { return f(NULL); }

/* What becomes of errors in hands of C. */
static jf_function* target;
void set_target(void* function) { target = function; }
static int32_t call_target(jf_value* out) {
  jf_view none = {.type_code = JF_NULL};
  return target->call(target, 0, &none, out);
}
int32_t swallow(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  if (call_target(out) == 0) return 0;
  jf_error* error = (jf_error*)jf_error_take();
  jf_object_release(&error->header);
  out->type_code = JF_BOOL;
  out->small_len = 0;
  out->v_int64 = 1;
  return 0;
}
int32_t caught(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  if (call_target(out) == 0) return 0;
  out->type_code = JF_OBJECT;
  out->small_len = 0;
  out->v_object = jf_error_take();
  return 0;
}
int32_t rethrow(jf_function* self, int32_t n, const jf_view* args, jf_value* out) { return call_target(out); }
int32_t wrap(jf_function* self, int32_t n, const jf_view* args, jf_value* out) {
  if (call_target(out) == 0) return 0;
  jf_object* cause = jf_error_take();
  jf_error_set_object(jf_error_new("LookupError", "C found nothing", "  in wrap, native.c", cause, NULL));
  jf_object_release(cause);
  return -1;
}
"""

UNARY = "func[(i64) -> i64]"


@pytest.fixture(scope="module")
def native(build_library):
    return jitffi.load_library(build_library(SOURCE, runtime=True))


@pytest.fixture(scope="module")
def apply(native):
    return native.bind("apply", f"(f: {UNARY}, x: i64) -> i64")


@pytest.fixture
def packed(native):
    def packed(name, signature=None):
        address = jitffi.Function(native.bind(name, "() -> void")).native_address
        return jitffi.Function.from_packed(address, name=name, signature=signature, keep_alive=native)

    return packed


class Mine(Exception):
    """A class that native code knows nothing of."""


def frames(error):
    """Names of the Python functions in its traceback, outermost first."""
    return [frame.name for frame in traceback.extract_tb(error.__traceback__) if frame.filename != "<native>"]


# -- native functions that fail ------------------------------------------------------------------------------------


def test_a_failure_without_an_error_says_so(native, packed):
    for call in (packed("packed_status"), packed("packed_status", "() -> i64"), native.bind("out_status", "() -> str")):
        with pytest.raises(RuntimeError, match=f"{call.__name__} failed without an error"):
            call()


def test_no_error_is_left_behind(native, packed):
    with pytest.raises(LookupError):
        native.bind("out_error", "() -> str")()
    with pytest.raises(RuntimeError, match="packed_status failed without an error"):
        packed("packed_status")()


def test_native_errors_have_their_class(native, packed):
    for name in ("out_error", "object_error"):
        call = native.bind(name, f"() -> {'str' if name == 'out_error' else 'object'}")
        with pytest.raises(LookupError) as caught:
            call()
        assert type(caught.value) is LookupError and caught.value.args == (f"{name} has none",)


def test_kinds_of_native_errors(packed):
    call = packed("packed_error", "(cstr, cstr) -> void")
    for kind in (ValueError, KeyError, OSError, StopIteration, KeyboardInterrupt, SystemExit, GeneratorExit):
        with pytest.raises(kind) as caught:
            call(kind.__name__, "said C")
        assert type(caught.value) is kind and caught.value.args == ("said C",)
    # Names that are no exception's, or that want other arguments: the text is not lost.
    for kind in ("NoSuchError", "print", "demo.Error", "", "__name__"):
        with pytest.raises(RuntimeError) as caught:
            call(kind, "said C")
        assert str(caught.value) == f"{kind}: said C"
    with pytest.raises(UnicodeError, match="^said C$"):  # the two below it want the text itself
        call("UnicodeDecodeError", "said C")


def test_a_result_beside_a_failure_is_released(packed):
    from jitffi import _core

    for signature in (None, "() -> str", "() -> any", "() -> object", "() -> i64", "() -> cstr", "() -> optional[i8]"):
        call = packed("packed_result_beside_failure", signature)
        gc.collect()  # what other tests left would go in between
        before = _core.live_objects()
        for _ in range(3):
            with pytest.raises(ValueError, match="^beside a result$"):
                call()
        assert _core.live_objects() == before


@pytest.mark.parametrize(
    ("name", "result"), [("object_null", "object"), ("object_null", "func"), ("text_null", "cstr")]
)
def test_null_where_none_is_allowed(native, name, result):
    with pytest.raises(ValueError, match=f"^{name}: result: expected {result}, got NULL$"):
        native.bind(name, f"() -> {result}")()
    assert native.bind(name, f"() -> optional[{result}]")() is None


def test_null_as_a_c_function(native):
    result = "func[(i64) -> i64]"
    with pytest.raises(ValueError) as caught:
        native.bind("address_null", f"() -> {result}")()
    assert str(caught.value) == f"address_null: result: expected {result}, got NULL"
    assert native.bind("address_null", f"() -> optional[{result}]")() is None
    function = jitffi.Function(native.bind("address_null", f"() -> {result}"))
    untyped = jitffi.Function.from_packed(function.packed_address, self_handle=function.handle)
    with pytest.raises(ValueError, match="got NULL"):
        untyped()


def test_text_that_is_no_utf8(native):
    with pytest.raises(UnicodeDecodeError):
        native.bind("text_bad", "() -> cstr")()
    called = []
    with pytest.raises(UnicodeDecodeError):
        native.bind("give_bad_text", "(func[(str) -> i64]) -> i64")(called.append)
    with pytest.raises(ValueError, match="argument 1: expected cstr, got NULL"):
        native.bind("give_null", "(func[(cstr) -> i64]) -> i64")(called.append)
    assert called == []


# -- Python exceptions through native frames -----------------------------------------------------------------------


def raiser(error):
    def inner(x):
        raise error

    def outer(x):
        return inner(x)

    return outer


class BadStr(Exception):
    def __str__(self):
        raise RuntimeError("no text")


EXCEPTIONS = [
    ValueError("text"), KeyError("key"), Mine(1, 2), StopIteration(3), OSError(2, "No such file"), BadStr(),
    Exception(), KeyboardInterrupt(), SystemExit(3), GeneratorExit(), Exception("\ud800"), Exception("a\0b"),
    UnicodeDecodeError("utf-8", b"\xff", 0, 1, "reason"), SyntaxError("bad", ("file", 1, 2, "text")), AssertionError(),
]  # fmt: skip


@pytest.mark.parametrize("error", EXCEPTIONS, ids=lambda e: type(e).__name__)
def test_the_same_object_comes_back_through_c(apply, error):
    def caller():
        return apply(raiser(error), 3)

    with pytest.raises(type(error)) as caught:
        caller()
    assert caught.value is error
    assert frames(error)[-3:] == ["caller", "outer", "inner"]
    assert error.__cause__ is None and error.__context__ is None


@pytest.mark.parametrize("error", EXCEPTIONS, ids=lambda e: type(e).__name__)
@pytest.mark.parametrize("signature", [None, "() -> i64", "() -> str"])
def test_the_same_object_comes_back_through_packed(native, packed, error, signature):
    error = error.with_traceback(None)
    outer = raiser(error)
    function = jitffi.Function(jitffi.function("() -> any")(lambda: outer(1)))
    native.bind("set_target", "(ptr) -> void")(function.handle)
    with pytest.raises(type(error)) as caught:
        packed("rethrow", signature)()
    assert caught.value is error
    assert frames(error)[-3:] == ["<lambda>", "outer", "inner"]


def test_every_frame_of_nested_callbacks(apply):
    error = Mine("deep")

    def level(n):
        if n == 0:
            raise error
        return apply(level, n - 1) + 1

    assert apply(lambda x: x + 1, 1) == 2
    with pytest.raises(Mine) as caught:
        apply(level, 5)
    assert caught.value is error
    assert frames(error)[1:] == ["level"] * 6
    entries = traceback.extract_tb(error.__traceback__)[1:]
    native = "apply(f: func[(i64) -> i64], x: i64) -> i64"
    assert [entry.name for entry in entries] == [native, "level"] * 6
    lines = [entry.line for entry in entries[1::2]]
    assert lines == ["return apply(level, n - 1) + 1"] * 5 + ["raise error"]


def test_each_layer_may_handle_the_error(apply):
    def inner(x):
        raise Mine("inner")

    def middle(x):
        try:
            return apply(inner, x)
        except Mine:
            return -x

    assert apply(middle, 7) == -7
    assert apply(middle, 8) == -8


def test_each_layer_may_raise_from_it(apply):
    def inner(x):
        raise KeyError("inner")

    def middle(x):
        try:
            return apply(inner, x)
        except KeyError as error:
            raise Mine("middle") from error

    with pytest.raises(Mine) as caught:
        apply(middle, 1)
    assert type(caught.value.__cause__) is KeyError and caught.value.__context__ is caught.value.__cause__
    assert frames(caught.value)[-1] == "middle" and frames(caught.value.__cause__)[-1] == "inner"


def test_the_context_is_the_handler_that_ran(apply):
    outside = KeyError("outside")
    try:
        raise outside
    except KeyError:
        with pytest.raises(Mine) as caught:
            apply(raiser(Mine("inside")), 1)
    assert caught.value.__context__ is outside


def test_raising_the_same_object_again_is_no_cycle(apply):
    error = Mine("again")
    for _ in range(3):
        with pytest.raises(Mine) as caught:
            apply(raiser(error), 1)
        assert caught.value is error and error.__context__ is None


def test_a_keyboard_interrupt_comes_out_of_a_callback(apply):
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:

        def interrupted(x):
            signal.raise_signal(signal.SIGINT)
            return x

        with pytest.raises(KeyboardInterrupt) as caught:
            apply(interrupted, 1)
        assert "interrupted" in frames(caught.value)
    finally:
        signal.signal(signal.SIGINT, before)
    assert apply(abs, -1) == 1


def test_recursion_through_native_code_ends(apply):
    """By Python's own limit, whichever way round."""
    with pytest.raises(RecursionError):
        apply(forever := lambda x: apply(forever, x + 1), 0)
    packed = jitffi.convert(lambda x: packed(x))
    with pytest.raises(RecursionError):
        packed(1)
    assert apply(abs, -1) == 1


def test_functions_take_hundreds_of_arguments():
    n = 300
    total = jitffi.function(f"({', '.join(['i64', 'f64', 'str'] * (n // 3))}) -> f64")(
        lambda *args: sum(len(x) if isinstance(x, str) else x for x in args)
    )
    args = [x for i in range(n // 3) for x in (i, i / 2, "x" * i)]
    function = jitffi.Function(total)
    native = jitffi.Function.from_native(function.native_address, function.signature)
    packed = jitffi.Function.from_packed(function.packed_address, self_handle=function.handle)
    assert total(*args) == native(*args) == packed(*args) == sum(i + i / 2 + i for i in range(n // 3))
    with pytest.raises(TypeError, match="argument 299: expected f64, got str 'x'"):
        total(*args[:-2], "x", "")


# -- errors that C cannot carry ------------------------------------------------------------------------------------


def results(native, function, n):
    """What C saw of n calls."""
    memory = bytearray(8 * n)
    error = None
    try:
        native.bind("repeat", "(ptr, i64, ptr) -> i64")(jitffi.Function(function).native_address, n, memory)
    except Exception as e:
        error = e
    return list(struct.unpack(f"{n}q", memory)), error


def test_further_callbacks_are_silent_until_control_is_back(native):
    calls = []

    @jitffi.function("(i64) -> i64", on_error=-7)
    def third_fails(x):
        calls.append(x)
        if x == 2:
            raise Mine("the third")
        return x * 10

    seen, error = results(native, third_fails, 6)
    assert type(error) is Mine
    assert calls == [0, 1, 2]
    assert seen == [0, 10, -7, -7, -7, -7]
    assert third_fails(5) == 50  # control was back: nothing is pending any more


def test_other_callbacks_are_silent_too(native):
    both = native.bind("both", f"({UNARY}, {UNARY}, i64) -> i64")
    calls = []
    with pytest.raises(Mine, match="first"):
        both(raiser(Mine("first")), calls.append, 1)
    assert calls == []
    with pytest.raises(Mine, match="second"):
        both(lambda x: calls.append(x) or 1, raiser(Mine("second")), 1)
    assert calls == [1]


def test_an_error_inside_waits_for_its_own_call_only(native, apply):
    """A callback that calls C again gets the errors of that call; those around it go on."""
    calls = []

    def outer(x):
        with pytest.raises(Mine):
            apply(raiser(Mine("inside")), x)
        calls.append(x)
        return x

    seen, error = results(native, jitffi.function("(i64) -> i64")(outer), 4)
    assert error is None and seen == calls == [0, 1, 2, 3]


ON_ERROR = [
    ("bool", True), ("i8", -128), ("i16", -3), ("i32", -(2**31)), ("i64", -(2**63)), ("u8", 255), ("u16", 65535),
    ("u32", 2**32 - 1), ("u64", 2**64 - 1), ("f32", 1.5), ("f64", -0.0), ("f64", 0.1), ("f64", 7), ("ptr", 2**64 - 1),
]  # fmt: skip


@pytest.mark.parametrize(("type_", "value"), ON_ERROR, ids=lambda v: str(v))
def test_c_gets_the_value_for_errors(build_library, type_, value):
    from support.native import POINTERS, SCALARS

    spelled = {**SCALARS, **POINTERS}[type_]
    # C's own opinion of the value: the bytes of the result, whatever they are.
    source = f"""
    #include <stdint.h>
    #include <string.h>
    void keep(void* f, void* memory) {{ {spelled} r = (({spelled} (*)(void))f)(); memcpy(memory, &r, sizeof r); }}
    """
    keep = jitffi.load_library(build_library(source)).bind("keep", "(ptr, ptr) -> void")
    function = jitffi.function(f"() -> {type_}", on_error=value)(lambda: 1 / 0)
    memory = bytearray(8)
    with pytest.raises(ZeroDivisionError):
        keep(jitffi.Function(function).native_address, memory)
    forms = {"bool": "?", "i8": "b", "i16": "h", "i32": "i", "i64": "q", "f32": "f", "f64": "d", "ptr": "Q"}
    form = forms.get(type_) or forms["i" + type_[1:]].upper()
    expected = struct.pack(form, value)
    assert memory[: len(expected)] == expected


@pytest.mark.parametrize(
    ("type_", "value", "error"),
    [("i8", 128, OverflowError), ("u8", -1, OverflowError), ("i64", 1.5, TypeError), ("i64", "x", TypeError),
     ("bool", 2, TypeError), ("f32", 1e39, OverflowError), ("str", "x", TypeError), ("void", 1, TypeError),
     ("object", 1, TypeError), ("i64", True, TypeError)],
)  # fmt: skip
def test_values_for_errors_are_checked(type_, value, error):
    with pytest.raises(error, match="on_error: "):
        jitffi.function(f"() -> {type_}", on_error=value)(print)


def test_results_that_do_not_convert(native, apply):
    for bad, error in (("x", TypeError), (1.5, TypeError), (1 << 63, OverflowError), (None, TypeError)):
        with pytest.raises(error, match="apply.f: result: expected i64"):
            apply(lambda x, bad=bad: bad, 1)

    class Index:
        def __index__(self):
            raise Mine("from __index__")

    with pytest.raises(Mine) as caught:
        apply(lambda x: Index(), 1)
    assert frames(caught.value)[-1] == "__index__"


def test_a_thread_that_python_does_not_know(native):
    """Its error goes to the call that waits for it without the interpreter's lock."""
    call = native.bind("in_thread", f"({UNARY}, i64) -> i64", nogil=True)
    assert call(lambda x: x + 1, 1) == 2
    error = Mine("elsewhere")
    with pytest.raises(Mine) as caught:
        call(raiser(error), 1)
    assert caught.value is error and frames(error)[-2:] == ["outer", "inner"]
    assert call(lambda x: x + 1, 1) == 2


# -- errors in the hands of C ----------------------------------------------------------------------------------------


@pytest.fixture
def failing(native):
    """Makes C's target a Python function that raises the given error."""
    kept = []

    def failing(error):
        kept.append(jitffi.Function(jitffi.function("() -> any")(lambda: raiser(error)(1))))
        native.bind("set_target", "(ptr) -> void")(kept[-1].handle)

    return failing


def test_c_may_handle_the_error(packed, failing):
    failing(Mine("gone"))
    assert packed("swallow")() is True
    with pytest.raises(RuntimeError, match="packed_status failed without an error"):
        packed("packed_status")()


def test_c_may_give_the_error_as_a_value(packed, failing):
    error = Mine("as a value")
    error.__cause__ = ValueError("its cause")
    failing(error)
    wrapper = packed("caught")()
    assert isinstance(wrapper, jitffi.Error) and isinstance(wrapper, jitffi.Object)
    assert (wrapper.kind, wrapper.message) == ("test_errors.Mine", "as a value")
    assert (wrapper.cause.kind, wrapper.cause.message, wrapper.cause.cause) == ("ValueError", "its cause", None)
    assert "in inner" in wrapper.traceback and wrapper.traceback.index("in inner") < wrapper.traceback.index("in outer")


@pytest.mark.parametrize(
    ("error", "kind", "message"),
    [
        (KeyError("k"), "KeyError", "'k'"),
        (Exception("a\0b\ud800"), "Exception", "a\\x00b\\ud800"),
        (BadStr(), "test_errors.BadStr", "(its str() failed)"),
    ],
)
def test_texts_of_error_objects(packed, failing, error, kind, message):
    failing(error)
    wrapper = packed("caught")()
    assert (wrapper.kind, wrapper.message) == (kind, message)


def test_c_may_wrap_the_error(packed, failing):
    error = Mine("inside")
    failing(error)
    with pytest.raises(LookupError) as caught:
        packed("wrap")()
    assert caught.value.args == ("C found nothing",) and caught.value.__cause__ is error
    assert frames(error)[-2:] == ["outer", "inner"]
    assert caught.value.__notes__ == ["  in wrap, native.c"]


def test_circles_of_causes_end(packed, failing):
    first, second = Mine("first"), Mine("second")
    first.__cause__, second.__cause__ = second, first
    failing(first)
    wrapper, depth = packed("caught")(), 0
    while wrapper is not None and depth < 100:
        wrapper, depth = wrapper.cause, depth + 1
    assert 2 <= depth < 100


# -- calls that do not get as far as the callee ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((), {}, "f: argument 1 'a' is missing"),
        ((1, 2, 3, 4), {}, "f: expected 1 to 3 arguments, got 4"),
        ((), {"b": 1}, "argument 1 'a' is missing"),
        ((1,), {"a": 1}, "f: argument 1 'a' is given twice"),
        ((1,), {"z": 1}, "f: unexpected keyword argument 'z'"),
        ((1, "x"), {}, "f: argument 2 'b': expected i64, got str 'x'"),
        ((1,), {"c": "x"}, "f: argument 3 'c': expected f64, got str 'x'"),
    ],
)
def test_calls_that_do_not_fit(args, kwargs, message):
    @jitffi.function("(a: i64, b: i64 = 2, c: f64 = 3.0) -> f64", name="f")
    def f(a, b, c):
        return a + b + c

    with pytest.raises(TypeError) as caught:
        f(*args, **kwargs)
    assert message in str(caught.value)
    assert f(1) == 6.0


def test_long_values_are_not_shown():
    call = jitffi.function("(i8) -> i8", name="f")(lambda x: x)
    for value, shown in (
        ("x" * 41, "str of 41 characters"), ("x" * 40, f"str '{'x' * 40}'"), (b"x" * 25, "bytes of 25 bytes"),
        ([1, 2], "list"), (1 << 500, "int of 501 bits"), (object, "type"),
    ):  # fmt: skip
        with pytest.raises((TypeError, OverflowError)) as caught:
            call(value)
        assert str(caught.value).endswith(f", got {shown}")
