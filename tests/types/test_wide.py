"""longdouble, i128, u128, c64 and c128 as types of signatures: with a C compiler at the other end."""

from __future__ import annotations

import cmath
import ctypes
import ctypes.util
import math
import sys

import numpy as np
import pytest
from support.leaks import live_objects

import jitffi
from jitffi.signature.model import Signature

SOURCE = r"""
#include <errno.h>
long double half(long double x) { return x / 2; }
long double beyond(void) { return 1e300L * 1e300L; }
long double kept(long double (*f)(long double), long double x) { return f(f(x)); }
__int128 negated(__int128 x) { return -x; }
unsigned __int128 sum(unsigned char a, unsigned __int128 b, int c, unsigned __int128 d, unsigned __int128 e) {
  return a + b + c + d + e;
}
float _Complex turned(float _Complex z) { return z * 1.0iF; }
double _Complex product(float a, double _Complex b, int c, float _Complex d, double _Complex e, double _Complex f,
                        double _Complex g) {
  return a * b * c * d * e + f - g;
}
void places(long double* a, __int128* b, unsigned __int128* c, float _Complex* d, double _Complex* e) {
  *a += 1, *b = -*b, *c = ~*c, *d *= 1.0iF, *e += 1.0i;
}
int given(const long double* a, const __int128* b, const unsigned __int128* c, const float _Complex* d,
          const double _Complex* e) {
  return (a && *a == 1.5L) + 2 * (b && *b == -1) + 4 * (c && *c == 3) + 8 * (d && *d == 1.0iF) + 16 * (e && *e == 2);
}
__int128 failing(int how) {
  errno = how;
  return how ? -1 : 5;
}
long double call_longdouble(void* f) { return ((long double (*)(void))f)() + 1; }
int is_zero_i128(void* f) { return ((__int128 (*)(void))f)() == 0; }
int is_zero_c64(void* f) { return ((float _Complex (*)(void))f)() == 0; }
int is_zero_c128(void* f) { return ((double _Complex (*)(void))f)() == 0; }
long double many(void* f) {
  long double total = 0;
  for (int i = 0; i < 100; i++) total += ((long double (*)(void))f)();
  return total + 0.25L;
}
double _Complex items(const __int128* a, const long double* b, unsigned long long n) {
  double re = 0, im = 0;
  for (unsigned long long i = 0; i < n; i++) re += (double)a[i], im += (double)b[i];
  return re + im * 1.0i;
}
"""


@pytest.fixture(scope="module")
def lib(build_library):
    return jitffi.load_library(build_library(SOURCE))


class Number:
    def __complex__(self):
        return 1 - 2j


class Bad:
    def __complex__(self):
        raise KeyError("from __complex__")


# -- values ---------------------------------------------------------------------------------------------------------


def test_a_long_double_is_a_float(lib):
    half = lib.bind("half", "(x: longdouble) -> longdouble")
    assert [half(x) for x in (3, 0.5, True, np.float32(1.5), 2.0**-1074)] == [1.5, 0.25, 0.5, 0.75, 0.0]
    assert half(float("inf")) == math.inf and math.isnan(half(math.nan)) and math.copysign(1, half(-0.0)) == -1
    if ctypes.sizeof(ctypes.c_longdouble) > 8:
        with pytest.raises(OverflowError, match=r"^beyond: result: longdouble 1e\+600 is beyond the range of float$"):
            lib.bind("beyond", "() -> longdouble")()
    with pytest.raises(TypeError, match=r"^half: argument 1 'x': expected longdouble, got str 'a'$"):
        half("a")


def test_what_a_long_double_has_more_stays_between_c_functions(lib):
    """C's own form is what adapters move: nothing is rounded on the way from C to C."""
    half = lib.bind("half", "(longdouble) -> longdouble")
    quarter = lib.bind("kept", "(func[(longdouble) -> longdouble], longdouble) -> longdouble")
    assert quarter(half, 1.0) == quarter(lambda x: x / 2, 1.0) == 0.25


@pytest.mark.parametrize(
    "value", [0, 1, -1, 1 << 63, 1 << 64, -1 << 64, (1 << 127) - 1, 1 - (1 << 127), 0x123456789 << 60]
)
def test_integers_of_128_bits(lib, value):
    negated = lib.bind("negated", "(i128) -> i128")
    assert negated(value) == -value and type(negated(value)) is int
    total = lib.bind("sum", "(u8, u128, i32, u128, u128) -> u128")
    assert total(1, abs(value), 2, 1 << 100, 5) == 8 + abs(value) + (1 << 100)


def test_integers_of_128_bits_are_checked(lib):
    negated = lib.bind("negated", "(i128) -> i128")
    for wrong in (1 << 127, (-1 << 127) - 1, 1 << 1000):
        with pytest.raises(
            OverflowError, match=rf"negated: argument 1: expected i128 \({-1 << 127} to {(1 << 127) - 1}\), got "
        ):
            negated(wrong)
    for wrong in (1.0, "1", None, 1j, np.float64(1)):
        with pytest.raises(TypeError, match="negated: argument 1: expected i128, got "):
            negated(wrong)
    assert negated(np.int64(5)) == -5 and negated(True) == -1


def test_complex_numbers(lib):
    turned = lib.bind("turned", "(z: c64) -> c64")
    given = [1 + 2j, 3, 1.5, True, Number(), np.complex64(2j), np.complex128(1), np.float32(0.5), np.int8(3)]
    assert [turned(z) for z in given] == [complex(z) * 1j for z in given]
    product = lib.bind("product", "(f32, c128, i32, c64, c128, c128, c128) -> c128")
    assert product(2, 1 + 1j, 3, 1j, -1j, 5, 7j) == 2 * (1 + 1j) * 3 + 5 - 7j
    with pytest.raises(OverflowError, match=r"turned: argument 1 'z': expected c64 \(parts from -3.4"):
        turned(1e300j)
    with pytest.raises(KeyError, match="from __complex__"):
        turned(Bad())
    for wrong in ("1j", b"1", None, [1j], object()):
        with pytest.raises(TypeError, match="turned: argument 1 'z': expected c64, got "):
            turned(wrong)


# -- places ---------------------------------------------------------------------------------------------------------


def test_places_and_optional_parameters(lib):
    types = ("longdouble", "i128", "u128", "c64", "c128")
    places = lib.bind("places", f"({', '.join(f'inout[{ty}]' for ty in types)}) -> void")
    assert places(1.5, 1 << 100, 1, 1 + 1j, 2) == (2.5, -1 << 100, (1 << 128) - 2, -1 + 1j, 2 + 1j)
    outs = lib.bind("places", f"({', '.join(f'out[{ty}]' for ty in types)}) -> void")
    assert outs() == (1.0, 0, (1 << 128) - 1, 0, 1j)
    given = lib.bind("given", f"({', '.join(f'optional[{ty}]' for ty in types)}) -> i32")
    assert given(None, None, None, None, None) == 0 and given(1.5, -1, 3, 1j, 2) == 31
    with pytest.raises(OverflowError, match=r"places: argument 3: expected inout\[u128\] "):
        places(0, 0, -1, 0, 0)


def test_results_that_may_be_none_are_refused():
    for name in ("i128", "u128", "c64", "c128"):
        with pytest.raises(jitffi.SignatureError, match=rf"optional\[{name}\] cannot be a result: C has no way"):
            Signature.parse(f"() -> optional[{name}]")


def test_pointers_to_them(lib):
    integers, floats = jitffi.new("i128[2]"), jitffi.new("longdouble[2]")
    integers[0], integers[1], floats[1] = -5, 1 << 80, 0.5
    assert [integers[0], integers[1], floats[0], floats[1]] == [-5, 1 << 80, 0.0, 0.5]
    items = lib.bind("items", "(ptr[const i128], ptr[const longdouble], u64) -> c128")
    assert items(integers, floats, 2) == complex((1 << 80) - 5, 0.5)
    with pytest.raises(OverflowError, match=r"ptr\[i128\]: item 0: expected i128"):
        integers[0] = 1 << 127
    with pytest.raises(TypeError, match=r"ptr\[longdouble\]: item 0: expected longdouble, got str 'x'"):
        floats[0] = "x"


def test_members_of_structs():
    wide = jitffi.struct("wide.All", "a: longdouble, b: i128, c: u128, d: c64, e: c128")
    made = wide(1.5, -1 << 100, (1 << 128) - 1, 1j, 2)
    assert (made.a, made.b, made.c, made.d, made.e) == (1.5, -1 << 100, (1 << 128) - 1, 1j, 2)
    with pytest.raises(OverflowError, match=r"wide.All.b: expected i128"):
        made.b = 1 << 127


# -- failures -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "value"),
    [("longdouble", -2.5), ("i128", -1 << 100), ("u128", 1 << 127), ("c64", 1 - 2j), ("c128", -0.5 + 1j)],
)
def test_the_value_of_a_failure(build_library, name, value):
    c = {
        "longdouble": "long double",
        "i128": "__int128",
        "u128": "unsigned __int128",
        "c64": "float _Complex",
        "c128": "double _Complex",
    }[name]
    source = f"static {c} last; {c} get(void) {{ return last; }} void run({c} (*f)(void)) {{ last = f(); }}"
    lib = jitffi.load_library(build_library(source))
    get, run = lib.bind("get", f"() -> {name}"), lib.bind("run", f"(func[() -> {name}]) -> void")
    for given, expected in ((value, value), (0, 0)):
        failing = jitffi.function(f"() -> {name}", on_error=given)(lambda: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            run(failing)
        assert get() == expected
    with pytest.raises(TypeError, match=f"on_error: expected {name}, got str 'x'"):
        jitffi.function(f"() -> {name}", on_error="x")(lambda: 1)


def test_the_value_of_a_failure_has_the_results_range():
    with pytest.raises(OverflowError, match="on_error: expected u128, got -1"):
        jitffi.function("() -> u128", on_error=-1)(lambda: 1)


def test_errno(lib):
    failing = lib.bind("failing", "(i32) -> i128", errno=True)
    assert failing(0) == 5
    with pytest.raises(FileNotFoundError):
        failing(2)
    with pytest.raises(TypeError, match="errno=True needs a result that can be -1 or NULL, not c128"):
        lib.bind("product", "() -> c128", errno=True)()


@pytest.mark.parametrize("name", ["longdouble", "i128", "c64", "c128"])
def test_functions_that_died_return_zero(lib, name):
    """A long double comes back on the stack of the floating-point unit, which has eight places."""
    function = jitffi.function(f"() -> {name}")(lambda: 1)
    address = jitffi.Function(function).native_address
    caller = "many" if name == "longdouble" else f"is_zero_{name}"
    call = lib.bind(caller, f"(ptr) -> {'longdouble' if name == 'longdouble' else 'i32'}")
    assert call(address) == (100.25 if name == "longdouble" else 0)
    del function
    with pytest.raises(RuntimeError, match="called after its Function was released"):
        call(address)
    assert lib.bind("half", "(longdouble) -> longdouble")(3.0) == 1.5


def test_without_the_lock(lib):
    half = lib.bind("half", "(longdouble) -> longdouble", nogil=True)
    turned = lib.bind("turned", "(c64) -> c64", nogil=True)
    assert half(3.0) == 1.5 and turned(2) == 2j


def test_nothing_is_left_behind(lib):
    negated, turned = lib.bind("negated", "(i128) -> i128"), lib.bind("turned", "(c64) -> c64")
    big, before, counts = 1 << 100, live_objects(), sys.getrefcount(None)
    for _ in range(100):
        negated(big)
        for wrong in (1 << 127, 1.5):
            with pytest.raises((OverflowError, TypeError)):
                negated(wrong)
        with pytest.raises(KeyError):
            turned(Bad())
    assert live_objects() == before and abs(sys.getrefcount(None) - counts) < 50


# -- slots, scripts, texts ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["i128", "u128", "c64", "c128"])
@pytest.mark.parametrize("text", ["({}) -> void", "() -> {}", "(optional[{}]) -> void", "(func[({}) -> void]) -> void"])
def test_slots_hold_none_of_them(name, text):
    function = jitffi.function(text.format(name))(lambda *args: args)
    with pytest.raises(TypeError, match=f"convention 'packed' cannot carry {name}: slots hold no such number"):
        jitffi.Function(function).packed_address  # noqa: B018


def test_a_long_double_in_a_slot_is_a_float():
    function = jitffi.Function(jitffi.function("(x: longdouble) -> longdouble")(lambda x: x + 1))
    packed = jitffi.Function.from_packed(function.packed_address, self_handle=function.handle)
    assert packed(1) == 2.0 and packed(0.5) == 1.5
    with pytest.raises(TypeError, match="argument 1 'x': expected longdouble, got str"):
        packed("x")


def test_texts_and_annotations():
    sig = Signature.parse("(a: c64 = 2j, b: c128 = (1-2j), c: c128 = -0.5, d: i128 = -5, e: longdouble = 1) -> void")
    assert str(sig) == "(a: c64 = 2j, b: c128 = (1-2j), c: c128 = -0.5, d: i128 = -5, e: longdouble = 1.0) -> void"
    assert Signature.parse(str(sig)) == sig
    for text in (
        "(z: c128 = (1+) ) -> void",
        "(z: c128 = j) -> void",
        "(z: c64 = 1e300j) -> void",
        "(z: f64 = 1j) -> void",
    ):
        with pytest.raises(jitffi.SignatureError):
            Signature.parse(text)

    def annotated(x: jitffi.longdouble, y: complex, z: np.complex64, w: jitffi.u128 = 1 << 100) -> complex: ...

    assert str(Signature.of(annotated)) == f"(x: longdouble, y: c128, z: c64, w: u128 = {1 << 100}) -> c128"


def test_prototypes():
    for text, expected in (
        ("long double sinl(long double x);", "(x: longdouble) -> longdouble"),
        ("double _Complex cexp(_Complex double z);", "(z: c128) -> c128"),
        ("float _Complex f(float _Complex *z, int n);", "(z: optional[ptr[c64]], n: i32) -> c64"),
        ("unsigned __int128 f(__int128 a, const __uint128_t *b);", "(a: i128, b: optional[ptr[const u128]]) -> u128"),
        (
            "long double modfl(long double x, long double *i);",
            "(x: longdouble, i: optional[ptr[longdouble]]) -> longdouble",
        ),
    ):
        assert str(Signature.from_c(text)) == expected
    with pytest.raises(jitffi.SignatureError, match="there is no type for long double _Complex"):
        Signature.from_c("long double _Complex f(void);")


# -- the C library --------------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def libm():
    return jitffi.load_library(ctypes.util.find_library("m"))


def test_math_of_long_doubles(libm):
    for name in ("sin", "cos", "exp", "sqrt", "atan", "log1p"):
        call = libm.bind(f"{name}l", "(longdouble) -> longdouble")
        for x in (0.0, 0.5, 1.0, 3.25):
            assert call(x) == pytest.approx(getattr(math, name)(x), rel=1e-15, abs=1e-300)
    assert libm.bind("frexpl", "(longdouble, out[i32]) -> longdouble")(6.5) == (0.8125, 3)
    assert libm.bind("modfl", "(longdouble, out[longdouble]) -> longdouble")(-2.75) == (-0.75, -2.0)
    assert libm.bind("ldexpl", "(longdouble, i32) -> longdouble")(0.75, 4) == 12.0
    assert libm.bind("fmal", "(longdouble, longdouble, longdouble) -> longdouble")(2, 3, 4) == 10.0
    with pytest.raises(OverflowError, match="expl: result: longdouble "):
        libm.bind("expl", "(longdouble) -> longdouble")(2000)


def test_math_of_complex_numbers(libm):
    for name in ("exp", "sin", "cos", "sqrt", "log", "tanh", "acos"):
        call, single = libm.bind(f"c{name}", "(c128) -> c128"), libm.bind(f"c{name}f", "(c64) -> c64")
        for z in (1 + 1j, -0.5j, 2.0, -3 + 0.25j):
            expected = getattr(cmath, name)(z)
            assert cmath.isclose(call(z), expected, rel_tol=1e-13)
            assert cmath.isclose(single(z), expected, rel_tol=1e-5)
    assert libm.bind("cabs", "(c128) -> f64")(3 + 4j) == 5.0 and libm.bind("cargf", "(c64) -> f32")(
        -1
    ) == pytest.approx(math.pi)
    assert cmath.isclose(libm.bind("cpow", "(c128, c128) -> c128")(1j, 2), -1)
