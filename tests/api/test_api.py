"""What users hold: libraries, bound functions, decorated and converted callables, the registry, and their errors."""

from __future__ import annotations

import ctypes
import functools
import gc
import inspect
import io
import math
import pathlib
import pydoc
import shutil
import types
import weakref

import pytest

import jitffi

SOURCE = r"""
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int64_t twice(int64_t x) { return 2 * x; }
int64_t add3(int64_t a, int64_t b, int64_t c) { return a + 10 * b + 100 * c; }
int64_t apply(int64_t (*f)(int64_t), int64_t x) { return f(x); }
int64_t apply_twice(int64_t (*f)(int64_t), int64_t x) { return f(x) + 1000 * f(x + 1); }
double apply_f64(double (*f)(void)) { return f(); }
float apply_f32(float (*f)(void)) { return f(); }
_Bool apply_bool(_Bool (*f)(void)) { return f(); }
uint8_t apply_u8(uint8_t (*f)(void)) { return f(); }
void* apply_ptr(void* (*f)(void)) { return f(); }
void apply_void(void (*f)(void)) { f(); }

static int64_t (*handler)(int64_t);
void set_handler(int64_t (*f)(int64_t)) { handler = f; }
int64_t fire(int64_t x) { return handler ? handler(x) : -1; }

static const char* texts[] = {"zero", "\303\251", "\377bad"};
const char* text(uint32_t which) { return which < 3 ? texts[which] : NULL; }
size_t measure(const char* (*f)(int64_t), int64_t x) { const char* s = f(x); return s ? strlen(s) : 0; }
size_t size(const char* data, size_t size) { size_t n = size; while (n && !data[n - 1]) n--; return n * 1000 + size; }
int32_t set_errno(int32_t code, int32_t result) { errno = code; return result; }
int64_t set_errno_wide(int32_t code, int64_t result) { errno = code; return result; }
void* set_errno_null(int32_t code) { errno = code; return NULL; }
int64_t (*pick(int32_t which))(int64_t) { return which ? twice : NULL; }
"""


@pytest.fixture(scope="module")
def path(build_library):
    return build_library(SOURCE)


@pytest.fixture(scope="module")
def lib(path):
    return jitffi.load_library(path)


def show(error: BaseException) -> str:
    return f"{type(error).__name__}: {error}"


# -- load_library ------------------------------------------------------------------------------------------------------


def test_library_by_soname():
    assert jitffi.load_library("libm.so.6").bind("cos", "(f64) -> f64")(0) == 1.0


def test_library_by_path_relative_to_the_working_directory(path, tmp_path, monkeypatch):
    shutil.copy(path, tmp_path / "mine.so")
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path)
    for form in ("./mine.so", "mine.so", pathlib.Path("mine.so"), str(tmp_path / "mine.so"), tmp_path / "mine.so"):
        library = jitffi.load_library(form)
        assert library.bind("twice", "(i64) -> i64")(21) == 42, form
    monkeypatch.chdir(tmp_path / "below")
    assert jitffi.load_library("../mine.so").bind("twice", "(i64) -> i64")(21) == 42
    shutil.copy(path, tmp_path / "above.so")
    for form in ("./above.so", "above.so", pathlib.Path("above.so")):
        with pytest.raises(OSError, match=r"above\.so"):
            jitffi.load_library(form)


def test_none_is_this_process():
    assert jitffi.load_library(None).bind("strlen", "(cstr) -> u64")("four") == 4


def test_missing_library_says_which():
    with pytest.raises(OSError, match=r"libnot-there\.so\.9: cannot open shared object file"):
        jitffi.load_library("libnot-there.so.9")


def test_file_that_is_no_library(tmp_path):
    (tmp_path / "text.so").write_text("not a library")
    with pytest.raises(OSError, match=r"text\.so"):
        jitffi.load_library(tmp_path / "text.so")


@pytest.mark.parametrize(
    ("name", "error"), [("", OSError), ("a\0b", OSError), (3, TypeError), (b"libm.so.6", TypeError), ([], TypeError)]
)
def test_names_that_are_none(name, error):
    with pytest.raises(error):
        jitffi.load_library(name)


def test_library_shows_itself(lib):
    assert repr(jitffi.load_library("libm.so.6")) == "<jitffi.Library libm.so.6>"
    assert repr(jitffi.load_library(None)) == "<jitffi.Library of this process>"


# -- bind --------------------------------------------------------------------------------------------------------------


def test_bind_by_text_prototype_and_signature(lib):
    forms = [
        "(x: i64) -> i64",
        "  (x:i64)->i64",
        "int64_t twice(int64_t x);",
        "long twice(long x)",
        jitffi.Signature.parse("(x: i64) -> i64"),
        jitffi.Signature.from_c("long long twice(long long x);"),
    ]
    for form in forms:
        twice = lib.bind("twice", form)
        assert twice(21) == twice(x=21) == 42, form
        assert str(jitffi.Function(twice).signature) == "(x: i64) -> i64"


def test_cdef_gives_attributes(path):
    lib = jitffi.load_library(
        path,
        cdef="""
        typedef int64_t (*mapper)(int64_t);
        int64_t twice(int64_t x);   // comments are C's
        int64_t apply(mapper f, int64_t x);
        int64_t not_there(void);
        int printf(const char *format, va_list values);
        """,
    )
    assert lib.twice(4) == 8 and lib.twice is lib.twice
    assert lib.apply(lambda x: x + 1, 4) == 5
    assert {"twice", "apply", "bind"} <= set(dir(lib))
    assert lib.bind("twice")(5) == 10
    with pytest.raises(AttributeError, match="no symbol 'not_there'"):
        lib.not_there()
    with pytest.raises(AttributeError, match=r"printf cannot be bound: .*va_list"):
        lib.printf()
    with pytest.raises(AttributeError, match=r"declares no 'add3'; bind\(name, signature\)"):
        lib.add3()
    with pytest.raises(TypeError, match=r"'add3' needs a signature"):
        lib.bind("add3")
    assert not hasattr(lib, "add3") and hasattr(lib, "twice")


def test_bad_cdef_is_shown(path):
    with pytest.raises(jitffi.SignatureError, match=r"(?s)line 2: .*\n.*\n *\^"):
        jitffi.load_library(path, cdef="int good(void);\nint64_t twice(int64 x);\n")
    with pytest.raises(TypeError, match="cdef"):
        jitffi.load_library(path, cdef=b"int f(void);")


@pytest.mark.parametrize("name", ["not_there", "twice ", "", "twice\0", "tw\0ice", "f\u00fcnf"])
def test_missing_symbol(lib, name):
    with pytest.raises(AttributeError, match="has no symbol"):
        lib.bind(name, "(i64) -> i64")


def test_missing_symbol_names_library_and_symbol(lib):
    with pytest.raises(AttributeError) as caught:
        lib.bind("twise", "(i64) -> i64")
    assert caught.value.name == "twise" and caught.value.obj is lib
    assert "libnative.so" in str(caught.value) and "'twise'" in str(caught.value)


@pytest.mark.parametrize(
    ("signature", "message"),
    [
        ("(i64, f63) -> i64", "unknown type 'f63'; did you mean 'f64'?"),
        ("(i64) -> double", "unknown type 'double'; did you mean 'f64'?"),
        ("(i64) - i64", "expected '->'"),
        ("(i64", "expected ')'"),
        ("(x: i64, x: i64) -> i64", "two parameters named 'x'"),
        ("(i8 = 300) -> i64", "out of range for i8"),
        ("int64_t twice(int64 x);", "int64"),
        ("int64_t twice(int64_t x", ""),
        ("i64", ""),
        ("", "empty"),
    ],
)
def test_typing_errors_are_shown_with_a_caret(lib, signature, message):
    with pytest.raises(jitffi.SignatureError) as caught:
        lib.bind("twice", signature)
    assert isinstance(caught.value, ValueError)
    first, *rest = str(caught.value).splitlines()
    assert message in str(caught.value)
    if signature:
        assert set(rest[-1].strip()) == {"^"} and signature in rest[-2]


def test_prototype_of_another_function_is_refused(lib):
    with pytest.raises(TypeError, match="the prototype declares 'twise', not 'twice'"):
        lib.bind("twice", "int64_t twise(int64_t x);")


@pytest.mark.parametrize("args", [(3, "(i64) -> i64"), ("twice", 3), ("twice", b"(i64) -> i64")])
def test_bind_of_wrong_types(lib, args):
    with pytest.raises(TypeError, match="bind"):
        lib.bind(*args)


def test_types_that_c_cannot_return(lib):
    with pytest.raises(TypeError, match=r"convention 'c' cannot return optional\[i64\]"):
        lib.bind("twice", "(i64) -> optional[i64]")


def test_function_outlives_its_library_object(path, tmp_path):
    shutil.copy(path, tmp_path / "own.so")
    library = jitffi.load_library(tmp_path / "own.so")
    gone = weakref.ref(library)
    twice = library.bind("twice", "(i64) -> i64")
    del library
    gc.collect()
    assert gone() is not None and twice(4) == 8
    maps = pathlib.Path("/proc/self/maps")
    assert "own.so" in maps.read_text()
    del twice
    gc.collect()
    assert gone() is None
    assert "own.so" not in maps.read_text(), "the last function lets the library go"


# -- what bind returns -------------------------------------------------------------------------------------------------


def test_bound_function_is_an_exact_builtin(lib):
    twice = lib.bind("twice", "(x: i64) -> i64")
    assert type(twice) is types.BuiltinFunctionType is type(len)
    assert type(twice.__self__) is jitffi.Function
    assert twice.__name__ == "twice" and twice.__module__ == "jitffi"
    assert callable(twice) and callable(twice.__self__)


def test_function_from_either(lib):
    twice = lib.bind("twice", "(x: i64) -> i64")
    function = jitffi.Function(twice)
    assert function is twice.__self__ is jitffi.Function(function)
    assert function(21) == function(x=21) == 42
    assert function.__name__ == "twice"
    assert repr(function) == "<jitffi.Function twice(x: i64) -> i64>"
    with pytest.raises(TypeError, match="twice: argument 1 'x': expected i64, got str 'a'"):
        function("a")
    for other in (len, print, 3, None, lambda: 0, "twice", jitffi.Function):
        with pytest.raises(TypeError, match="expected a Function or its builtin, got"):
            jitffi.Function(other)
    with pytest.raises(TypeError):
        jitffi.Function()


def test_builtin_lives_and_dies_with_its_users(lib):
    function = jitffi.Function(lib.bind("twice", "(i64) -> i64"))
    assert function(4) == 8
    gone = weakref.ref(function)
    del function
    gc.collect()
    assert gone() is None


def test_addresses(lib):
    twice = jitffi.Function(lib.bind("twice", "(i64) -> i64"))
    assert ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(twice.native_address)(5) == 10
    assert twice.native_address == ctypes.cast(ctypes.CDLL(lib._path).twice, ctypes.c_void_p).value
    assert all(type(a) is int and a for a in (twice.native_address, twice.packed_address, twice.handle))
    assert twice.handle == twice.handle and twice.packed_address == twice.packed_address


def test_documentation(lib):
    add3 = lib.bind("add3", "(a: i64, b: i64 = 2, c: i64 = 3) -> i64")
    assert add3.__doc__ == "add3(a: i64, b: i64 = 2, c: i64 = 3) -> i64"
    assert str(inspect.signature(add3)) == "(a, b=2, c=3)"
    page = io.StringIO()
    pydoc.Helper(output=page)(add3)
    assert "add3(a, b=2, c=3)" in page.getvalue() and "add3(a: i64, b: i64 = 2, c: i64 = 3) -> i64" in page.getvalue()
    assert jitffi.Function.__doc__ and pydoc.render_doc(jitffi.Function)


@pytest.mark.parametrize(
    ("signature", "shown"),
    [
        ("() -> void", "()"),
        ("(i64, i64) -> i64", "(arg1, arg2, /)"),
        ("(i64, y: i64) -> i64", "(arg1, /, y)"),
        ("(i64, arg1: i64) -> i64", "(arg1_, /, arg1)"),
        ("(self: ptr) -> void", "(self)"),
        ("(x: f64 = inf, y: f64 = -inf, z: f64 = -0.0) -> void", "(x=inf, y=-inf, z=-0.0)"),
        ("(s: str = 'it\\'s (\"\\n', b: bytes = b'\\x00)', n: ptr = None, t: bool = True, i: i8 = -5) -> void",
         "(s='it\\'s (\"\\n', b=b'\\x00)', n=None, t=True, i=-5)"),
        ("(x: str = '\u00e9') -> void", "(x='\u00e9')"),
    ],
)  # fmt: skip
def test_signature_as_inspect_shows_it(signature, shown):
    made = jitffi.function(signature, name="some.dotted.name")(lambda *args: None)
    assert str(inspect.signature(made)) == shown
    assert made.__doc__ == f"some.dotted.name{jitffi.Signature.parse(signature)}"
    assert made.__name__ == "some.dotted.name"


def test_keywords_and_defaults(lib):
    add3 = lib.bind("add3", "(a: i64, b: i64 = 2, c: i64 = 3) -> i64")
    for args, kwargs in [
        ((1,), {}), ((1, 2), {}), ((1, 2, 3), {}), ((1,), {"c": 3}), ((1,), {"c": 3, "b": 2}), ((), {"c": 3, "a": 1}),
        ((), {"a": 1, "b": 2, "c": 3}), ((1,), {"b": 2, "c": 3}),
    ]:  # fmt: skip
        for _ in range(3):
            assert add3(*args, **kwargs) == 321, (args, kwargs)
    assert add3(c=9, b=8, a=7) == 987 and add3(a=7, b=8, c=9) == 987
    assert functools.partial(add3, c=9)(1) == 921
    # A name that equals the parameter's without being the same str.
    assert add3(**{"".join(["a"]): 1, "b" + "": 5}) == 351


@pytest.mark.parametrize(
    ("args", "kwargs", "message"),
    [
        ((), {}, "add3: argument 1 'a' is missing"),
        ((), {"b": 2}, "add3: argument 1 'a' is missing"),
        ((1, 2, 3, 4), {}, "add3: expected 1 to 3 arguments, got 4"),
        ((1,), {"d": 4}, "add3: unexpected keyword argument 'd'"),
        ((1,), {"a": 4}, "add3: argument 1 'a' is given twice"),
        ((1, 2), {"c": "x"}, "add3: argument 3 'c': expected i64, got str 'x'"),
        ((1.5,), {}, "add3: argument 1 'a': expected i64, got float 1.5"),
        (({},), {}, "add3: argument 1 'a': expected i64, got dict"),
        (("x" * 100,), {}, "add3: argument 1 'a': expected i64, got str of 100 characters"),
    ],
)
def test_wrong_calls(lib, args, kwargs, message):
    add3 = lib.bind("add3", "(a: i64, b: i64 = 2, c: i64 = 3) -> i64")
    for f in (add3, jitffi.Function(add3)):
        for _ in range(2):
            with pytest.raises(TypeError) as caught:
                f(*args, **kwargs)
            assert str(caught.value) == message
            assert f(1) == 321 and f(a=1, b=2, c=3) == 321  # what the last call left behind does not matter


def test_parameters_without_a_name_are_positional_only(lib):
    add3 = lib.bind("add3", "(i64, b: i64, c: i64 = 3) -> i64")
    assert add3(1, b=2) == 321
    with pytest.raises(TypeError, match="add3: unexpected keyword argument 'arg1'"):
        add3(arg1=1, b=2)
    with pytest.raises(TypeError, match="add3: argument 1 is missing"):
        add3(b=2)
    bare = lib.bind("add3", "(i64, i64, i64) -> i64")
    with pytest.raises(TypeError, match="takes no keyword arguments"):
        bare(1, 2, b=3)
    with pytest.raises(TypeError, match="takes no keyword arguments"):
        jitffi.Function(bare)(1, 2, b=3)
    with pytest.raises(TypeError, match="add3: expected 3 arguments, got 2"):
        bare(1, 2)


def test_function_as_a_method_does_not_bind(lib):
    class Holder:
        twice = lib.bind("twice", "(x: i64) -> i64")

    assert Holder().twice(4) == 8


# -- errno, optional results -------------------------------------------------------------------------------------------


def test_errno_becomes_the_matching_oserror(lib):
    function = lib.bind("set_errno", "(code: i32, result: i32) -> i32", errno=True)
    assert function(2, 0) == 0 and function(2, -2) == -2
    for code, error in ((2, FileNotFoundError), (17, FileExistsError), (13, PermissionError), (22, OSError)):
        with pytest.raises(error) as caught:
            function(code, -1)
        assert caught.value.errno == code and caught.value.strerror
    wide = lib.bind("set_errno_wide", "(i32, i64) -> i64", errno=True)
    assert wide(2, 0xFFFFFFFF) == 0xFFFFFFFF
    with pytest.raises(FileNotFoundError):
        wide(2, -1)
    with pytest.raises(FileNotFoundError):
        lib.bind("set_errno_null", "(i32) -> ptr", errno=True)(2)


def test_errno_survives_a_released_lock(lib):
    function = lib.bind("set_errno", "(code: i32, result: i32) -> i32", errno=True, nogil=True)
    for _ in range(100):
        with pytest.raises(FileNotFoundError):
            function(2, -1)


def test_errno_needs_a_result_that_can_fail(lib):
    for result in ("f64", "void", "bool", "f16", "str", "any", "optional[bytes]"):
        with pytest.raises(TypeError, match="errno=True needs a result"):
            lib.bind("set_errno", f"(i32, i32) -> {result}", errno=True)


def test_null_is_none_or_an_error(lib):
    assert lib.bind("text", "(i32) -> optional[cstr]")(0) == "zero"
    assert lib.bind("text", "(i32) -> optional[cstr]")(9) is None
    assert lib.bind("text", "(i32) -> cstr")(1) == "\u00e9"
    with pytest.raises(ValueError, match="text: result: expected cstr, got NULL"):
        lib.bind("text", "(i32) -> cstr")(9)
    with pytest.raises(UnicodeDecodeError):
        lib.bind("text", "(i32) -> cstr")(2)
    assert lib.bind("text", "(i32) -> ptr")(9) is None
    assert lib.bind("text", "const char *text(unsigned which);")(9) is None


def test_getenv_without_and_with_a_value(monkeypatch):
    libc = jitffi.load_library("libc.so.6")
    monkeypatch.setenv("JITFFI_TEST_SET", "value")
    monkeypatch.delenv("JITFFI_TEST_UNSET", raising=False)
    getenv = libc.bind("getenv", "(name: cstr) -> optional[cstr]")
    assert (getenv("JITFFI_TEST_SET"), getenv("JITFFI_TEST_UNSET")) == ("value", None)
    with pytest.raises(ValueError, match="getenv: result: expected cstr, got NULL"):
        libc.bind("getenv", "(name: cstr) -> cstr")("JITFFI_TEST_UNSET")
    with pytest.raises(ValueError, match=r"getenv: argument 1 'name': .*NUL.*got str 'a\\x00b'"):
        getenv("a\0b")


def test_text_and_bytes_are_two_parameters_in_c(lib):
    assert lib.bind("size", "(s: str) -> u64")("\u00e9\0") == 2003
    assert lib.bind("size", "(s: bytes) -> u64")(bytearray(b"ab\0")) == 2003
    assert lib.bind("size", "(s: optional[bytes]) -> u64")(None) == 0


# -- callbacks ---------------------------------------------------------------------------------------------------------


def test_callbacks_of_every_kind(lib):
    apply = lib.bind("apply", "(f: func[(i64) -> i64], x: i64) -> i64")

    class Thing:
        def __call__(self, x):
            return x + 1

        def method(self, x):
            return x + 2

    @jitffi.function("(i64) -> i64")
    def typed(x):
        return x + 3

    twice = lib.bind("twice", "(x: i64) -> i64")
    for f, wanted in [
        (Thing(), 6), (Thing().method, 7), (typed, 8), (jitffi.Function(typed), 8), (twice, 10), (abs, 5),
        (jitffi.Function(typed).native_address, 8), (jitffi.convert(lambda x: x + 4), 9),
        (functools.partial(pow, 5), 3125),
        (jitffi.function("(i8) -> f64")(lambda x: x + 5), None), (jitffi.function("(i8) -> i8")(lambda x: x + 5), 10),
    ]:  # fmt: skip
        if wanted is None:
            with pytest.raises(TypeError, match=r"apply\.f: result: expected i64, got float 10\.0"):
                apply(f, 5)
        else:
            assert apply(f, 5) == wanted
    for wrong in ("f", 1.5, None, [], True):
        with pytest.raises(TypeError, match=r"apply: argument 1 'f': expected func\[\(i64\) -> i64\], got"):
            apply(wrong, 5)
    with pytest.raises(ValueError, match=r"apply: argument 1 'f': expected func\[\(i64\) -> i64\].*got int 0"):
        apply(0, 5)


def test_traceback_shows_every_python_frame(lib):
    apply = lib.bind("apply", "(f: func[(i64) -> i64], x: i64) -> i64")

    def deepest(x):
        raise KeyError(x)

    def between(x):
        return apply(deepest, x + 1)

    def outer(x):
        return between(x)

    with pytest.raises(KeyError) as caught:
        apply(outer, 1)
    native = "apply(f: func[(i64) -> i64], x: i64) -> i64"
    assert [entry.name for entry in caught.traceback] == [
        "test_traceback_shows_every_python_frame", native, "outer", "between", native, "deepest",
    ]  # fmt: skip


@pytest.mark.parametrize("error", [SystemExit(3), KeyboardInterrupt(), StopIteration("x"), GeneratorExit()])
def test_every_exception_crosses(lib, error):
    def callback(x):
        raise error

    with pytest.raises(type(error)) as caught:
        lib.bind("apply", "(f: func[(i64) -> i64], x: i64) -> i64")(callback, 1)
    assert caught.value is error


def test_exception_keeps_cause_and_context(lib):
    apply = lib.bind("apply", "(f: func[(i64) -> i64], x: i64) -> i64")

    def callback(x):
        try:
            {}[x]
        except KeyError as error:
            raise ValueError("outer") from error

    with pytest.raises(ValueError, match="outer") as caught:
        apply(callback, 1)
    assert isinstance(caught.value.__cause__, KeyError)
    try:
        raise RuntimeError("first")
    except RuntimeError as first:
        with pytest.raises(TypeError) as caught:
            apply("x", 1)
        assert caught.value.__context__ is first


def test_endless_recursion_through_native_code_is_an_error(lib):
    apply = lib.bind("apply", "(f: func[(i64) -> i64], x: i64) -> i64")
    depth = 0

    def deeper(x):
        nonlocal depth
        depth = x
        return apply(deeper, x + 1)

    with pytest.raises(RecursionError):
        apply(deeper, 0)
    assert depth > 100
    assert apply(lambda x: x, 5) == 5


def test_first_error_is_the_one_reported(lib):
    calls = []

    def callback(x):
        calls.append(x)
        raise ValueError(f"call {len(calls)}")

    with pytest.raises(ValueError, match="call 1"):
        lib.bind("apply_twice", "(f: func[(i64) -> i64], x: i64) -> i64")(callback, 1)
    assert calls == [1], "the second call into Python does not run"


@pytest.mark.parametrize(
    ("type_", "value"),
    [("f64", -2.5), ("f32", 1.5), ("bool", True), ("u8", 255), ("ptr", 0x1000), ("f64", 7), ("f64", math.inf)],
)
def test_on_error_is_what_c_gets(lib, type_, value):
    """The error itself comes out; what C saw is asked for by a caller that is no adapter of ours."""
    c = {"f64": ctypes.c_double, "f32": ctypes.c_float, "bool": ctypes.c_bool, "u8": ctypes.c_uint8,
         "ptr": ctypes.c_void_p}[type_]  # fmt: skip

    @jitffi.function(f"() -> {type_}", on_error=value)
    def failing():
        raise ValueError("failed")

    with pytest.raises(ValueError, match="failed"):
        lib.bind(f"apply_{type_}", f"(func[() -> {type_}]) -> {type_}")(failing)
    assert ctypes.CFUNCTYPE(c)(jitffi.Function(failing).native_address)() == value
    with pytest.raises(ValueError, match="failed"):  # the error that ctypes could not take
        lib.bind("apply_void", "(func[() -> void]) -> void")(lambda: None)


def test_on_error_is_zero_unless_it_is_given(lib):
    seen = []

    @jitffi.function("(i64) -> i64")
    def failing(x):
        raise ValueError("failed")

    seen.append(ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(jitffi.Function(failing).native_address)(5))
    with pytest.raises(ValueError, match="failed"):
        lib.bind("fire", "(i64) -> i64")(0)
    assert seen == [0]


@pytest.mark.parametrize(
    ("signature", "value", "error"),
    [
        ("() -> u8", 256, OverflowError), ("() -> u8", -1, OverflowError), ("() -> i64", 1.5, TypeError),
        ("() -> bool", 2, TypeError), ("() -> void", 1, TypeError), ("() -> str", "x", TypeError),
        ("() -> f64", "x", TypeError), ("() -> i8", "x", TypeError),
    ],
)  # fmt: skip
def test_on_error_must_be_a_value_of_the_result(signature, value, error):
    with pytest.raises(error, match="on_error"):
        jitffi.function(signature, on_error=value)(lambda: 0)


def test_callbacks_kept_by_the_bound_function(lib):
    set_handler = lib.bind("set_handler", "(func[(i64) -> i64]) -> void", keep_callbacks=True)
    fire = lib.bind("fire", "(i64) -> i64")

    def first(x):
        return x + 1

    gone = weakref.ref(first)
    set_handler(first)
    assert fire(1) == 2
    del first
    gc.collect()
    assert fire(1) == 2
    set_handler(lambda x: x + 2)
    gc.collect()
    assert fire(1) == 3 and gone() is not None, "for the life of the bound function, not until the next one"
    set_handler(handler := jitffi.function("(i64) -> i64")(lambda x: x + 3))
    del handler
    gc.collect()
    assert fire(1) == 4
    del set_handler
    gc.collect()
    assert gone() is None
    lib.bind("set_handler", "(ptr) -> void")(None)


def test_same_callable_is_kept_once(lib):
    set_handler = lib.bind("set_handler", "(func[(i64) -> i64]) -> void", keep_callbacks=True)
    handler = lambda x: x  # noqa: E731
    address = lib.bind("fire", "(i64) -> i64")
    set_handler(handler)
    before = len(gc.get_referrers(handler))
    for _ in range(100):
        set_handler(handler)
    assert len(gc.get_referrers(handler)) == before
    assert address(5) == 5


def test_plain_callback_dies_after_the_call(lib):
    """Native code that keeps it all the same gets an error, not a crash."""
    set_handler = lib.bind("set_handler", "(func[(i64) -> i64]) -> void")
    fire = lib.bind("fire", "(i64) -> i64")
    set_handler(lambda x: x)
    with pytest.raises(RuntimeError, match="called after its Function was released"):
        fire(1)
    lib.bind("set_handler", "(ptr) -> void")(None)
    assert fire(1) == -1


def test_what_a_call_has_for_its_callable_is_used_again_and_never_the_callable(lib):
    apply = lib.bind("apply", "(func[(i64) -> i64], i64) -> i64")

    def plus(x):
        return x + 1

    alive, references = weakref.ref(plus), len(gc.get_referrers(plus))
    for _ in range(3):
        assert apply(plus, 3) == apply(lambda x: x + 1, 3) == 4
    assert len(gc.get_referrers(plus)) == references
    del plus
    assert alive() is None
    assert apply(lambda x: apply(lambda y: 2 * y, x) + 1, 5) == 11
    with pytest.raises(ZeroDivisionError):
        apply(lambda x: x // 0, 2)
    assert apply(lambda x: apply(lambda y: 3 * y, x) + 1, 5) == 16


@pytest.mark.parametrize("result", ["i64", "f64", "f32", "bool", "void", "ptr", "cstr", "optional[cstr]"])
def test_dead_closure_of_every_class_of_results(result):
    dead = jitffi.Function(jitffi.function(f"() -> {result}")(lambda: None))
    address = dead.native_address
    del dead
    gc.collect()
    call = jitffi.Function.from_native(address, f"() -> {result}", name="dead")
    with pytest.raises(RuntimeError, match="called after its Function was released"):
        call()


@pytest.mark.parametrize("result", ["str", "bytes", "any", "optional[str]"])
def test_dead_closure_with_an_error_channel(result):
    dead = jitffi.Function(jitffi.function(f"() -> {result}")(lambda: None))
    address = dead.native_address
    del dead
    gc.collect()
    with pytest.raises(RuntimeError, match="called after its Function was released"):
        jitffi.Function.from_native(address, f"() -> {result}", name="dead")()


def test_addresses_stay_valid_as_long_as_their_functions(lib):
    apply = lib.bind("apply", "(f: ptr, x: i64) -> i64")
    functions = [jitffi.Function(jitffi.function("(i64) -> i64")(lambda x, k=k: x + k)) for k in range(1000)]
    addresses = [f.native_address for f in functions]
    assert len(set(addresses)) == 1000
    assert [apply(a, 1) for a in addresses] == [1 + k for k in range(1000)]
    del functions[::2], addresses[::2]
    gc.collect()
    others = [jitffi.Function(jitffi.function("(i64) -> i64")(lambda x: -x)) for _ in range(700)]
    assert {apply(f.native_address, 1) for f in others} == {-1}
    assert [apply(a, 1) for a in addresses] == [1 + k for k in range(1, 1000, 2)]


def test_callback_may_drop_its_own_function(lib):
    set_handler = lib.bind("set_handler", "(ptr) -> void")
    box = []

    @jitffi.function("(i64) -> i64")
    def handler(x):
        box.clear()
        gc.collect()
        return x + 1

    box.append(handler)
    set_handler(jitffi.Function(handler).native_address)
    del handler
    assert lib.bind("fire", "(i64) -> i64")(1) == 2
    set_handler(None)


def test_text_of_a_callback_stays_valid_for_c(lib):
    measure = lib.bind("measure", "(f: func[(i64) -> optional[cstr]], x: i64) -> u64")
    assert measure(lambda x: "\u00e9" * x, 5000) == 10000
    assert measure(lambda x: "", 1) == 0
    assert measure(lambda x: None, 1) == 0
    assert measure(lambda x: b"x\xff", 1) == 2
    with pytest.raises(TypeError, match=r"measure\.f: result: expected optional\[cstr\], got int 1"):
        measure(lambda x: 1, 1)


def test_function_pointer_as_a_result(lib):
    pick = lib.bind("pick", "(which: i32) -> optional[func[(i64) -> i64]]")
    assert pick(1)(21) == 42
    assert pick(0) is None
    with pytest.raises(ValueError, match="pick: result: expected func.*got NULL"):
        lib.bind("pick", "(which: i32) -> func[(i64) -> i64]")(0)


# -- Function.from_native ----------------------------------------------------------------------------------------------


def test_from_native(lib):
    class Owner:
        pass

    owner = Owner()
    gone = weakref.ref(owner)
    address = jitffi.Function(lib.bind("twice", "(i64) -> i64")).native_address
    made = jitffi.Function.from_native(address, "(x: i64) -> i64", name="add", keep_alive=owner)
    assert type(made) is jitffi.Function and made.__name__ == "add" and made.native_address == address
    assert made(4) == made(x=4) == 8
    with pytest.raises(TypeError, match="add: argument 1 'x': expected i64, got None"):
        made(None)
    del owner
    gc.collect()
    assert gone() is not None
    del made
    gc.collect()
    assert gone() is None
    by_signature = jitffi.Function.from_native(address, jitffi.Signature.parse("(i64) -> i64"))
    assert by_signature(5) == 10 and by_signature.__name__ == "native"


@pytest.mark.parametrize(
    ("address", "signature", "error"),
    [
        (0, "(i64) -> i64", ValueError), (None, "(i64) -> i64", TypeError), (1.5, "(i64) -> i64", TypeError),
        (2**64, "(i64) -> i64", OverflowError), (True, "(i64) -> i64", TypeError), (4096, None, TypeError),
        (4096, "(i65) -> i64", jitffi.SignatureError), (4096, 3, TypeError),
    ],
)  # fmt: skip
def test_from_native_of_what_is_no_address_or_signature(address, signature, error):
    with pytest.raises(error):
        jitffi.Function.from_native(address, signature)


def test_from_packed_of_what_is_no_address():
    for address, error in ((0, ValueError), (None, TypeError), ("x", TypeError), (2**64, OverflowError)):
        with pytest.raises(error):
            jitffi.Function.from_packed(address)
    with pytest.raises(TypeError):
        jitffi.Function.from_packed(4096, self_handle="x")


def test_packed_entry_of_a_function_by_its_addresses(lib):
    twice = jitffi.Function(lib.bind("twice", "(x: i64) -> i64"))
    add = jitffi.Function(jitffi.function("(a: i64, b: i64 = 2) -> i64")(lambda a, b: a + b))
    for function, args, result in ((twice, (21,), 42), (add, (1, 4), 5), (add, (1,), 3)):
        packed = jitffi.Function.from_packed(
            function.packed_address, name="packed", self_handle=function.handle, keep_alive=function
        )
        assert packed(*args) == result and packed.signature is None
        with pytest.raises(TypeError, match=f"{function.__name__}: argument 1 .*: expected i64, got str 'x'"):
            packed("x")
        with pytest.raises(TypeError, match=f"{function.__name__}: expected .* argument.*, got 3"):
            packed(1, 2, 3)


# -- function ----------------------------------------------------------------------------------------------------------


def test_function_decorator():
    @jitffi.function("(a: i64, b: i64 = 10) -> i64", on_error=0)
    def add(a, b):
        """Adds."""
        return a + b

    assert type(add) is types.BuiltinFunctionType
    assert add(1, 2) == 3 and add(a=1) == 11
    assert add.__name__ == "add" and add.__doc__ == "add(a: i64, b: i64 = 10) -> i64\n\nAdds."
    assert (
        ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)(jitffi.Function(add).native_address)(3, 4) == 7
    )
    with pytest.raises(TypeError, match="add: argument 2 'b': expected i64, got str 'x'"):
        add(1, "x")


def test_function_decorator_reads_annotations():
    @jitffi.function
    def scale(text: str, factor: jitffi.i32 = 2, sign: float | None = None) -> str:
        return text * factor

    assert str(jitffi.Function(scale).signature) == "(text: str, factor: i32 = 2, sign: optional[f64] = None) -> str"
    assert scale("ab") == "abab" and scale("ab", factor=3) == "ababab"

    @jitffi.function()
    def half(x: float) -> float:
        return x / 2

    assert half(3) == 1.5
    assert str(jitffi.Function(jitffi.function(lambda x: x)).signature) == "(x: any) -> any"


def test_result_of_a_typed_function_is_checked():
    wrong = jitffi.function("(x: any) -> i32", name="check")(lambda x: x)
    assert wrong(5) == 5 and wrong(True) == 1
    for value, error in (("x", TypeError), (1.5, TypeError), (None, TypeError), (2**31, OverflowError)):
        with pytest.raises(error, match="check: result: expected i32"):
            wrong(value)


def test_function_decorator_of_what_cannot_be():
    for wrong in (3, None, "text"):
        with pytest.raises(TypeError, match="expected a callable"):
            jitffi.function("() -> void")(wrong)
    with pytest.raises(jitffi.SignatureError):
        jitffi.function("(x: int) -> void")
    with pytest.raises(TypeError, match="'flag' is keyword-only"):

        @jitffi.function
        def keyword_only(*, flag: bool): ...


def test_decorated_function_can_be_collected():
    def make():
        @jitffi.function("(i64) -> i64")
        def fact(n):
            return n * fact(n - 1) if n else 1

        assert fact(10) == 3628800
        assert jitffi.Function(fact).handle and jitffi.Function(fact).native_address
        return weakref.ref(fact.__self__)

    gone = make()
    gc.collect()
    assert gone() is None


# -- convert -----------------------------------------------------------------------------------------------------------


def test_convert_of_a_callable():
    last = jitffi.convert(lambda *args: args[-1] if args else None)
    assert type(last) is types.BuiltinFunctionType and jitffi.Function(last).signature is None
    for value in (
        None,
        True,
        0,
        -(2**63),
        2**64 - 1,
        1.5,
        "",
        "x" * 1000,
        "\0",
        b"",
        b"y" * 1000,
        object(),
        frozenset((1,)),
    ):
        assert last(value) is value or last(value) == value
        assert type(last(1, value)) is type(value)
    assert type(last([1])) is jitffi.List and last([1]) == [1]
    assert type(last((1, "a"))) is jitffi.Tuple and last((1, "a")) == (1, "a")
    assert type(last({1})) is jitffi.Set and last({1}) == {1}
    assert last() is None
    assert last(*range(100)) == 99
    with pytest.raises(OverflowError, match="argument 2: expected any .*got int 18446744073709551616"):
        last(1, 2**64)
    with pytest.raises(TypeError, match="takes no keyword arguments"):
        last(x=1)
    with pytest.raises(TypeError, match="without a signature has no C function"):
        _ = jitffi.Function(last).native_address


def test_convert_names_what_it_wraps():
    class Callable:
        def __call__(self):
            return 5

    assert jitffi.convert(len).__name__ == "len"
    assert jitffi.convert(Callable()).__name__ == "Callable" and jitffi.convert(Callable())() == 5
    assert jitffi.convert(functools.partial(max, 3))(1, 2) == 3


def test_convert_leaves_objects_that_can_be_called():
    @jitffi.register_object("tests.api.Times")
    class Times:
        factor: int

        def __call__(self, number):
            return self.factor * number

    times = Times(3)
    assert jitffi.convert(times) is times
    assert jitffi.function("(func) -> i64")(lambda function: function(2))(times) == 6


def test_convert_leaves_functions_and_plain_values(lib):
    twice = lib.bind("twice", "(i64) -> i64")
    assert jitffi.convert(twice) is twice is jitffi.convert(jitffi.Function(twice))
    for value in (None, True, 3, 2.5, "text", b"bytes", 2**64 - 1):
        assert jitffi.convert(value) is value
    with pytest.raises(OverflowError, match="more than 64 bits"):
        jitffi.convert(2**64)
    with pytest.raises(OverflowError, match="more than 64 bits"):
        jitffi.convert(10**10000)
    assert jitffi.convert(1j) == 1j  # held for Python, as it is


def test_exception_of_a_converted_callable_is_the_same_object():
    error = ValueError("mine")

    def failing():
        raise error

    with pytest.raises(ValueError) as caught:
        jitffi.convert(failing)()
    assert caught.value is error


# -- the registry ------------------------------------------------------------------------------------------------------


@pytest.fixture
def registered():
    """Names that a test may use; they are free again afterwards."""
    before = set(jitffi.list_global_func_names())
    yield
    for name in set(jitffi.list_global_func_names()) - before:
        jitffi.remove_global_func(name)


def test_register_get_list_remove(registered):
    def add(a, b):
        return a + b

    assert jitffi.register_global_func("test.add", add) is add
    get = jitffi.get_global_func("test.add")
    assert type(get) is types.BuiltinFunctionType and get(1, 2) == 3 and get("a", "b") == "ab"
    assert "test.add" in jitffi.list_global_func_names()
    assert jitffi.list_global_func_names() == sorted(jitffi.list_global_func_names())
    jitffi.remove_global_func("test.add")
    assert "test.add" not in jitffi.list_global_func_names()
    assert get(1, 2) == 3, "whoever holds it keeps it"
    with pytest.raises(ValueError, match="unknown global function 'test.add'"):
        jitffi.get_global_func("test.add")
    assert jitffi.get_global_func("test.add", allow_missing=True) is None
    with pytest.raises(ValueError, match="unknown global function 'test.add'"):
        jitffi.remove_global_func("test.add")


def test_register_as_a_decorator(registered):
    @jitffi.register_global_func("test.first")
    def first(x):
        return x

    @jitffi.register_global_func
    def test_second(x):
        return x

    @jitffi.register_global_func("test.third")
    @jitffi.function("(i64) -> i64")
    def third(x):
        return x

    assert isinstance(first, types.FunctionType) and isinstance(test_second, types.FunctionType)
    assert jitffi.get_global_func("test.first")(1) == jitffi.get_global_func("test_second")(1) == 1
    assert jitffi.get_global_func("test.third") is third
    with pytest.raises(TypeError, match="third: argument 1: expected i64, got str 'x'"):
        jitffi.get_global_func("test.third")("x")


def test_name_twice_needs_override(registered):
    jitffi.register_global_func("test.twice", lambda: 1)
    with pytest.raises(ValueError, match="'test.twice' is already registered"):
        jitffi.register_global_func("test.twice", lambda: 2)
    assert jitffi.get_global_func("test.twice")() == 1
    jitffi.register_global_func("test.twice", lambda: 3, override=True)
    assert jitffi.get_global_func("test.twice")() == 3
    jitffi.register_global_func("test.twice", override=True)(lambda: 4)
    assert jitffi.get_global_func("test.twice")() == 4


def test_unknown_name_has_a_suggestion(registered):
    jitffi.register_global_func("test.similar", lambda: 1)
    with pytest.raises(ValueError, match="unknown global function 'test.simular'; did you mean 'test.similar'?"):
        jitffi.get_global_func("test.simular")


@pytest.mark.parametrize(("name", "error"), [("", ValueError), ("a\0b", ValueError), (3, TypeError), (b"x", TypeError)])
def test_names_that_no_function_can_have(name, error):
    with pytest.raises(error):
        jitffi.register_global_func(name, len)
    with pytest.raises(error):
        jitffi.get_global_func(name)
    with pytest.raises(error):
        jitffi.remove_global_func(name)


def test_what_cannot_be_called_cannot_be_registered():
    for wrong in (3, "text", [1]):
        with pytest.raises(TypeError, match="expected a callable"):
            jitffi.register_global_func("test.wrong", wrong)
    assert jitffi.get_global_func("test.wrong", allow_missing=True) is None


def test_names_of_any_text(registered):
    for name in ("f\u00fcnf.\u2192", "with space", "x" * 1000):
        jitffi.register_global_func(name, lambda: 5)
        assert name in jitffi.list_global_func_names() and jitffi.get_global_func(name)() == 5


def test_registry_keeps_and_lets_go(registered):
    def function():
        return 1

    gone = weakref.ref(function)
    jitffi.register_global_func("test.kept", function)
    del function
    gc.collect()
    assert gone() is not None and jitffi.get_global_func("test.kept")() == 1
    jitffi.register_global_func("test.kept", lambda: 2, override=True)
    gc.collect()
    assert gone() is None


# -- inspection --------------------------------------------------------------------------------------------------------


def test_inspect_llvm_and_asm(lib):
    function = jitffi.Function(lib.bind("twice", "(x: i64) -> i64"))
    ir = function.inspect_llvm()
    assert "define " in ir and "ret ptr" in ir and "target triple" in ir
    asm = function.inspect_asm()
    assert ".text" in asm and "ret" in asm
    assert jitffi.Function(jitffi.function("(i64) -> i64")(abs)).inspect_llvm().count("define") == 1
    with pytest.raises(TypeError, match="without a signature has no code"):
        jitffi.Function(jitffi.convert(len)).inspect_llvm()


def test_attributes_are_read_only_and_unknown_ones_are_named(lib):
    function = jitffi.Function(lib.bind("twice", "(x: i64) -> i64"))
    with pytest.raises(AttributeError):
        function.signature = None
    with pytest.raises(AttributeError, match="'Function' object has no attribute 'nothing'"):
        _ = function.nothing


def test_public_names():
    assert set(jitffi.__all__) <= set(dir(jitffi))
    for name in jitffi.__all__:
        assert getattr(jitffi, name) is not None
    with pytest.raises(AttributeError, match="module 'jitffi' has no attribute 'nothing'"):
        _ = jitffi.nothing
