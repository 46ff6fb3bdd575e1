"""Variadic C functions: what goes behind `...`, by its type, and the adapters that stay for the types of a call."""

from __future__ import annotations

import ctypes
import enum
import inspect
import os
import pickle
import threading

import numpy as np
import pytest
from support.leaks import assert_nothing_stays

import jitffi
from jitffi.signature.model import TYPES, Param, Signature

SOURCE = """
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>

int sum_of(int count, ...) {
  va_list all;
  int sum = 0;
  va_start(all, count);
  for (int i = 0; i < count; i++) sum += va_arg(all, int);
  va_end(all);
  return sum;
}

/* Each letter of `form` is an argument. */
int written(char *to, const char *form, ...) {
  va_list all;
  int at = 0;
  va_start(all, form);
  for (; *form; form++) {
    if (at) at += sprintf(to + at, " ");
    if (*form == 'i') at += sprintf(to + at, "%d", va_arg(all, int));
    if (*form == 'u') at += sprintf(to + at, "%u", va_arg(all, unsigned));
    if (*form == 'q') at += sprintf(to + at, "%lld", (long long)va_arg(all, int64_t));
    if (*form == 'Q') at += sprintf(to + at, "%llu", (unsigned long long)va_arg(all, uint64_t));
    if (*form == 'd') at += sprintf(to + at, "%g", va_arg(all, double));
    if (*form == 's') at += sprintf(to + at, "%s", va_arg(all, const char *));
    if (*form == 'p') at += sprintf(to + at, "%d", va_arg(all, void *) != 0);
    if (*form == 'f') at += sprintf(to + at, "%d", va_arg(all, int (*)(int))(20));
  }
  va_end(all);
  return at;
}

void report(void (*to)(const char *form, ...), int count) { to("%d of %g", count, 2.5); }
const char *name_of(int count, ...) { return count > 1 ? "many" : count ? "one" : 0; }
int failing(const char *what, ...) { return what[0] == '!' ? -1 : 7; }
"""


@pytest.fixture(scope="module")
def lib(build_library):
    return jitffi.load_library(build_library(SOURCE))


@pytest.fixture(scope="module")
def written(lib):
    function = lib.bind("written", "(to: ptr, form: cstr, ...) -> i32")
    room = ctypes.create_string_buffer(1000)

    def call(form, *args):
        size = function(room, form, *args)
        return room.raw[:size].decode()

    return call


class Colour(enum.IntEnum):
    RED = 4


@pytest.mark.parametrize(
    ("form", "args", "expected"),
    [
        ("", (), ""),
        ("ii", (1, -5), "1 -5"),
        ("i", (True,), "1"),
        ("i", (Colour.RED,), "4"),
        ("ii", (2**31 - 1, -(2**31)), "2147483647 -2147483648"),
        ("qq", (2**31, -(2**63)), "2147483648 -9223372036854775808"),
        ("Q", (2**64 - 1,), "18446744073709551615"),
        ("dd", (1.5, float("inf")), "1.5 inf"),
        ("ss", ("text \u20ac", b"bytes"), "text \u20ac bytes"),
        ("ppp", (None, b"x", np.zeros(3)), "0 1 1"),
        ("iiii", (np.int8(-3), np.uint8(200), np.int16(-300), np.uint16(65535)), "-3 200 -300 65535"),
        ("uqQ", (np.uint32(2**32 - 1), np.int64(-7), np.uint64(2**63)), "4294967295 -7 9223372036854775808"),
        ("ddd", (np.float16(0.5), np.float32(0.25), np.float64(0.125)), "0.5 0.25 0.125"),
        ("s", (np.str_("numpy"),), "numpy"),
        ("qui", (jitffi.i64(7), jitffi.u32(8), jitffi.i8(-9)), "7 8 -9"),
        ("dd", (jitffi.f32(0.5), jitffi.f64(3)), "0.5 3"),
        ("i" * 12, tuple(range(12)), " ".join(map(str, range(12)))),
        ("d" * 12, tuple(0.5 * i for i in range(12)), " ".join(f"{0.5 * i:g}" for i in range(12))),
        ("qqQ" * 4, (-1, 7, np.uint32(2**32 - 1)) * 4, " ".join(["-1 7 4294967295"] * 4)),  # long, where C reads one
        ("idsq" * 6, (1, 0.5, "x", 2**40) * 6, " ".join(["1 0.5 x 1099511627776"] * 6)),
    ],
)
def test_arguments_go_by_their_type(written, form, args, expected):
    assert written(form, *args) == expected


@pytest.mark.parametrize(
    "pointer",
    [
        lambda place: place,
        lambda place: jitffi.cast("ptr[i32]", place.ctypes.data),
        lambda place: place.ctypes.data_as(ctypes.POINTER(ctypes.c_int)),
        lambda place: ctypes.c_void_p(place.ctypes.data),
        lambda place: ctypes.byref(ctypes.c_int.from_buffer(place)),
        memoryview,
    ],
)
def test_pointers_are_passed_as_such(pointer):
    sscanf = jitffi.load_library(None).bind("sscanf", "(text: cstr, form: cstr, ...) -> i32")
    place = np.zeros(1, np.int32)
    assert sscanf("42", "%d", pointer(place)) == 1
    assert place.tolist() == [42]


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        ([1], TypeError, "written: argument 3: expected what C can be given, got list"),
        (print, TypeError, r"written: argument 3: .*a callable has an address that lasts with jitffi\.function"),
        (lambda: 1, TypeError, "written: argument 3: .*got function"),
        ("a\0b", ValueError, "written: argument 3: expected cstr without NUL, but byte 1 is NUL"),
        (b"\0", ValueError, "written: argument 3: expected cstr without NUL"),
        (1 << 64, OverflowError, "written: argument 3: expected -9223372036854775808 to 18446744073709551615, got int"),
        (-(1 << 63) - 1, OverflowError, "written: argument 3: expected -9223372036854775808"),
        (ctypes.c_int(3), TypeError, r"written: argument 3: .*got c_int: jitffi\.i32\(x\.value\)"),
        (np.True_, TypeError, "written: argument 3: expected what says its type"),
        (object(), TypeError, "written: argument 3: expected .*got object"),
        ("\udc80", UnicodeEncodeError, "surrogates"),
    ],
)
def test_what_cannot_be_passed_is_named(written, value, error, message):
    with pytest.raises(error, match=message):
        written("i", value)


def test_numbers_of_arguments(lib):
    function = lib.bind("sum_of", "(count: i32, ...) -> i32")
    assert [function(0), function(count=0), function(3, 1, 2, 3), function(126, *range(126))] == [0, 0, 6, 7875]
    with pytest.raises(TypeError, match="sum_of: argument 1 'count' is missing"):
        function()
    with pytest.raises(TypeError, match="sum_of: at most 127 arguments can be passed to C, got 128"):
        function(127, *range(127))
    with pytest.raises(TypeError, match="sum_of: unexpected keyword argument 'other'"):
        function(1, 2, other=3)


def test_adapters_stay_for_the_types_of_a_call(lib):
    function = lib.bind("sum_of", "(i32, ...) -> i32")
    made = jitffi.Function(function)
    for value in (1, True, np.int32(3), Colour.RED, jitffi.i16(5)):
        function(1, value)
    import gc

    variants = [each for each in gc.get_referents(made) if isinstance(each, list)]
    assert [str(f.signature) for held in variants for f in held if isinstance(f, jitffi.Function)] == [
        "(i32, ..., i32) -> i32"
    ]


def test_filled_in_lengths_defaults_and_errno(lib):
    libc = jitffi.load_library(None)
    snprintf = libc.bind("snprintf", "(to: u8[size], size: u64, form: cstr, ...) -> i32")
    room = np.zeros(10, np.uint8)
    assert snprintf(room, "%d-%s", 12, "x") == 4 and room[:5].tobytes() == b"12-x\0"
    assert snprintf(room, "%d", 123456, size=4) == 6 and room[:4].tobytes() == b"123\0"
    assert str(inspect.signature(snprintf)) == "(to, form, *args, size=None)"
    failing = lib.bind("failing", "(what: cstr = '!', ...) -> i32", errno=True)
    with pytest.raises(OSError):
        failing()
    with pytest.raises(OSError):
        failing("!", 1, 2.5)
    assert failing("?", 1) == 7 and failing(what="") == 7
    name_of = lib.bind("name_of", "(i32, ...) -> optional[cstr]", nogil=True)
    assert [name_of(0), name_of(1, 2), name_of(2, 3.0, "x")] == [None, "one", "many"]


def test_types_named_beforehand(lib):
    libc = jitffi.load_library(None)
    sscanf = libc.bind("sscanf", "(text: cstr, form: cstr, ..., first: out[i32], second: out[f64]) -> i32")
    assert sscanf("7 2.5", "%d %lf") == (2, 7, 2.5)
    sum_of = lib.bind("sum_of", "(count: i32, ..., a: i32, b: i32 = 5) -> i32")
    assert sum_of(2, 3) == 8 and sum_of(2, b=1, a=3) == 4
    packed = jitffi.Function(sum_of)
    again = jitffi.Function.from_packed(
        packed.packed_address, signature="(i32, i32, i32) -> i32", self_handle=packed.handle
    )
    assert again(2, 20, 22) == 42


def test_functions_have_an_address_that_lasts(lib, written):
    @jitffi.function("(x: i32) -> i32")
    def twice(x):
        return 2 * x

    assert written("f", twice) == "40" and written("if", 1, jitffi.Function(twice)) == "1 40"
    assert written("f", jitffi.load_library(None).bind("abs", "(i32) -> i32")) == "20"
    with pytest.raises(TypeError, match="expected a function with a signature"):
        written("f", jitffi.convert(print))

    @jitffi.function("(i32) -> i32")
    def failing(x):
        raise KeyError(x)

    with pytest.raises(KeyError, match="20"):
        written("f", failing)


def test_callbacks_get_their_named_parameters(lib):
    for signature in (
        "(to: func[(cstr, ...) -> void], count: i32) -> void",
        "void report(void (*to)(const char *, ...), int n);",
    ):
        got = []
        lib.bind("report", signature)(got.append, 3)
        assert got == ["%d of %g"]

    @jitffi.function("(form: cstr, ...) -> i32")
    def length(form):
        return len(form)

    address = jitffi.Function(length).native_address
    same = jitffi.Function.from_native(address, "(form: cstr, ...) -> i32")
    assert same("abc", 1, 2.5, "x") == 3 and length("abcd") == 4


def test_what_knows_no_types_refuses():
    f = jitffi.load_library(None).bind("printf", "(format: cstr, ...) -> i32")
    F = jitffi.Function(f)
    assert F.native_address
    for ask in (lambda: F.packed_address, lambda: F.handle, lambda: jitffi.register_global_func("no.printf", f)):
        with pytest.raises(TypeError, match="convention 'packed' cannot carry a variadic function: name the types"):
            ask()
    with pytest.raises(TypeError, match=r"convention 'c' cannot be called as \(cstr, ..., i32\) -> i32"):
        assert jitffi.Function(jitffi.function("(cstr, ..., i32) -> i32")(lambda *args: 0)).native_address
    with pytest.raises(TypeError, match="an out-slot stands behind"):
        jitffi.load_library(None).bind("printf", "(cstr, ...) -> str")
    with pytest.raises(jitffi.SignatureError, match="va_list"):
        jitffi.load_library(None).bind("vprintf", "int vprintf(const char *form, va_list all);")
    with pytest.raises(TypeError, match="a script is not variadic"):
        jitffi.script(signature="(i64, ...) -> i64")(lambda x: x)


@pytest.mark.parametrize("entry", ["packed", "python"])
def test_emitted_files_need_the_types(tmp_path, entry):
    with pytest.raises(TypeError, match="printf: convention .* cannot carry a variadic function"):
        jitffi.emit("int printf(const char *, ...);", tmp_path / "x.o", entry=entry)
    jitffi.emit("printf: (cstr, ..., i32) -> i32", tmp_path / "x.ll", entry=entry, callee_name="printf")
    assert "i32 (ptr, ...) @printf(ptr" in (tmp_path / "x.ll").read_text()
    with pytest.raises(TypeError, match="f: convention 'c' cannot be called as"):
        jitffi.emit("f: (cstr, ..., i32) -> i32", tmp_path / "x.o", entry="c", callee="packed")


def test_signatures_with_an_ellipsis():
    sig = Signature.parse("(format: cstr, ...) -> i32")
    assert sig.variadic and sig.fixed == 1 and str(sig) == "(format: cstr, ...) -> i32"
    assert sig.types == "(cstr, ...) -> i32" and sig == Signature([Param("format", TYPES["cstr"])], TYPES["i32"], 1)
    assert pickle.loads(pickle.dumps(sig)) == sig and sig != Signature.parse("(format: cstr) -> i32")
    one = Signature.parse("(cstr, ..., i32) -> i32")
    assert not one.variadic and one.fixed == 1 and pickle.loads(pickle.dumps(one)) == one
    assert str(Signature.from_c("int printf(const char *format, ...);")) == "(format: optional[cstr], ...) -> i32"
    for text, message in [
        ("(...) -> i32", "C wants one before it"),
        ("(cstr, ..., f32) -> i32", "C passes f32 behind '...' as f64"),
        ("(cstr, ..., i64, bool) -> i32", "C passes bool behind '...' as i32"),
        ("(cstr, ..., i32, ...) -> i32", "expected a type, got '...'"),
    ]:
        with pytest.raises(jitffi.SignatureError, match=message.replace(".", r"\.")):
            Signature.parse(text)


def test_builtins_pickle_and_show_themselves():
    f = jitffi.load_library(None).bind("open", "(path: cstr, flags: i32, ...) -> i32", errno=True)
    assert str(inspect.signature(f)) == "(path, flags, *args)"
    assert "open(path: cstr, flags: i32, ...) -> i32" in f.__doc__
    assert "path: Type('cstr')" in str(inspect.signature(jitffi.Function(f)))
    again = pickle.loads(pickle.dumps(f))
    os.close(again("/dev/null", os.O_RDONLY))
    with pytest.raises(FileNotFoundError):
        again("/nowhere/at/all", os.O_RDONLY, 0)


WIDE = """
#include <complex.h>
#include <stdarg.h>
#define TOTAL(name, type)                               \\
  type name(int count, ...) {                           \\
    va_list all;                                        \\
    type sum = 0;                                       \\
    va_start(all, count);                               \\
    for (int i = 0; i < count; i++) sum += va_arg(all, type); \\
    va_end(all);                                        \\
    return sum;                                         \\
  }
TOTAL(reals, long double)
TOTAL(complexes, double complex)
TOTAL(singles, float complex)
"""


def test_wide_numbers(build_library):
    lib = jitffi.load_library(build_library(WIDE))
    reals = lib.bind("reals", "long double reals(int count, ...);")
    assert reals(3, np.longdouble(2.25), jitffi.Type("longdouble")(1.5), np.longdouble(1)) == 4.75
    complexes = lib.bind("complexes", "double _Complex complexes(int count, ...);")
    assert complexes(10, *[1 + 0.5j] * 9, np.complex128(1j)) == 9 + 5.5j
    assert lib.bind("singles", "(i32, ...) -> c64")(2, np.complex64(1j), jitffi.Type("c64")(2)) == 2 + 1j


STRUCTS = """
#include <stdarg.h>
struct point { double x, y; };
struct small { int i; float f; };
struct large { long long a[5]; };
struct point added(int count, ...) {
  struct point sum = {0, 0};
  va_list all;
  va_start(all, count);
  for (int i = 0; i < count; i++) {
    struct point p = va_arg(all, struct point);
    sum.x += p.x;
    sum.y += p.y;
  }
  va_end(all);
  return sum;
}
double mixed(int count, ...) {
  va_list all;
  double sum = count;
  va_start(all, count);
  sum += va_arg(all, struct large).a[4];
  struct small small = va_arg(all, struct small);
  sum += small.i + small.f;
  sum += va_arg(all, int);
  struct point point = va_arg(all, struct point);
  sum += point.x + point.y;
  va_end(all);
  return sum;
}
"""


def test_structs_go_by_value(build_library):
    types = "struct point { double x, y; }; struct small { int i; float f; }; struct large { long long a[5]; };"
    cdef = f"{types} struct point added(int count, ...); double mixed(int count, ...);"
    lib = jitffi.load_library(build_library(STRUCTS), cdef=cdef)
    point, small, large = lib.types.point, lib.types.small, lib.types.large
    assert lib.added(0) == point() and lib.added(12, *[point(1, 0.5)] * 12) == point(12, 6)
    last = large()
    last.a[4] = 1000
    assert lib.mixed(1, last, small(20, 0.5), 300, point(0.25, 0.125)) == 1321.875

    class Mine(point):
        pass

    assert lib.added(2, Mine(1, 2), point(3, 4)) == point(4, 6)
    assert (
        lib.bind("added", "(i32, ..., struct point, struct point) -> struct point")(2, point(1, 2), point(3, 4)).y == 6
    )


def test_numbers_with_types():
    assert jitffi.i64(7) + 1 == 8 and repr(jitffi.i64(7)) == "i64(7)" and f"{jitffi.u8(3)} {jitffi.f64(2)}" == "3 2.0"
    assert jitffi.f32(0.1) == np.float32(0.1) and jitffi.bf16(1.005) == 1.0078125 and jitffi.f16(2049) == 2048.0
    assert type(pickle.loads(pickle.dumps(jitffi.f32(0.5)))) is type(jitffi.f32(0.5))
    for call, error in [
        (lambda: jitffi.u8(256), OverflowError),
        (lambda: jitffi.i8(-129), OverflowError),
        (lambda: jitffi.i32(1.0), TypeError),
        (lambda: jitffi.f32(1e300), OverflowError),
        (lambda: jitffi.f64("1"), TypeError),
        (lambda: jitffi.cstr("x"), TypeError),
    ]:
        with pytest.raises(error):
            call()


def test_threads_share_the_adapters(lib):
    function = lib.bind("sum_of", "(i32, ...) -> i32")
    wrong = []

    def work():
        for count in range(1, 20):
            if function(count, *range(count)) != sum(range(count)):
                wrong.append(count)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong


def test_nothing_stays(lib):
    function = lib.bind("written", "(to: ptr, form: cstr, ...) -> i32")
    room = ctypes.create_string_buffer(100)
    twice = jitffi.function("(i32) -> i32")(lambda x: 2 * x)

    def work():
        function(room, "idsp", 1, 0.5, "x", np.zeros(1))
        function(room, "f", twice)
        for bad in ([1], "a\0b", 1 << 70, print):
            with pytest.raises((TypeError, ValueError, OverflowError)):
                function(room, "i", bad)
        lib.bind("sum_of", "(i32, ...) -> i32")(1, 2)

    assert_nothing_stays(work)
