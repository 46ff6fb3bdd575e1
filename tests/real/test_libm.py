"""libm: every function of one or two doubles, from its prototypes, against Python's math."""

from __future__ import annotations

import inspect
import itertools
import math
import re

import pytest

import jitffi

HEADER = """
double acos(double x); double acosh(double x); double asin(double x); double asinh(double x); double atan(double x);
double atanh(double x); double cbrt(double x); double ceil(double x); double cos(double x); double cosh(double x);
double erf(double x); double erfc(double x); double exp(double x); double exp2(double x); double expm1(double x);
double fabs(double x); double floor(double x); double j0(double x); double j1(double x); double lgamma(double x);
double log(double x); double log10(double x); double log1p(double x); double log2(double x); double logb(double x);
double nearbyint(double x); double rint(double x); double round(double x); double sin(double x);
double sinh(double x); double sqrt(double x); double tan(double x); double tanh(double x); double tgamma(double x);
double trunc(double x); double y0(double x); double y1(double x);
double atan2(double x, double y); double copysign(double x, double y); double fdim(double x, double y);
double fmax(double x, double y); double fmin(double x, double y); double fmod(double x, double y);
double hypot(double x, double y); double nextafter(double x, double y); double pow(double x, double y);
double remainder(double x, double y);
"""
PROTOTYPES = {re.search(r"(\w+)\(", text)[1]: text for text in re.findall(r"double .*?;", HEADER)}
ONE = [name for name, text in PROTOTYPES.items() if "y" not in text.partition("(")[2]]
TWO = [name for name in PROTOTYPES if name not in ONE]

INF, NAN = math.inf, math.nan
EDGES = [0.0, -0.0, 5e-324, 2.2250738585072014e-308, 0.5, 1.0, 1.5, 2.5, 170.0, 1e300, 1.7976931348623157e308, INF, NAN]
POINTS = [*EDGES, *[-x for x in EDGES], *[k / 8 for k in range(-200, 200, 3)]]
#: Between these, functions are compared whose references are sums.
BESSEL_RANGE = (0.1, 15.0)


def bessel(n: int, x: float) -> float:
    """Jn by its integral: the trapezoidal rule converges faster than any power of the step (A&S 9.1.21)."""
    steps = 200
    return (
        math.fsum(math.cos(n * t - x * math.sin(t)) for t in (math.pi * (k + 0.5) / steps for k in range(steps)))
        / steps
    )


def round_half_away(x: float) -> float:
    if not math.isfinite(x) or abs(x) >= 2.0**52:
        return x
    whole = math.floor(abs(x))
    return math.copysign(whole + (abs(x) - whole >= 0.5), x)


def round_half_even(x: float) -> float:
    return x if not math.isfinite(x) else math.copysign(float(round(x)), x)


def logb(x: float) -> float:
    if x == 0:
        return -INF
    return float(math.frexp(x)[1] - 1) if math.isfinite(x) else abs(x)


def cube_root(x: float) -> float:
    if not math.isfinite(x) or x == 0:
        return x
    root = math.copysign(abs(x) ** (1 / 3), x)
    return root - (root * root * root - x) / (3 * root * root) if 1e-100 < abs(x) < 1e100 else root


def larger(x: float, y: float) -> float:
    return y if math.isnan(x) else x if math.isnan(y) else max(x, y)


def smaller(x: float, y: float) -> float:
    return y if math.isnan(x) else x if math.isnan(y) else min(x, y)


#: Where the module has another name, or none.
REFERENCES = {
    "tgamma": math.gamma, "cbrt": cube_root, "exp2": lambda x: math.pow(2.0, x), "round": round_half_away,
    "rint": round_half_even, "nearbyint": round_half_even, "logb": logb, "j0": lambda x: bessel(0, x),
    "ceil": lambda x: x if not math.isfinite(x) else math.copysign(float(math.ceil(x)), x),
    "floor": lambda x: x if not math.isfinite(x) else math.copysign(float(math.floor(x)), x),
    "trunc": lambda x: x if not math.isfinite(x) else math.copysign(float(math.trunc(x)), x),
    "j1": lambda x: bessel(1, x), "fmax": larger, "fmin": smaller,
    "fdim": lambda x, y: NAN if x != x or y != y else 0.0 if x <= y else x - y,
}  # fmt: skip
#: Own sums of ours or of the math module, not the C function itself: relative error allowed.
LOOSE = {
    "tgamma": 1e-13,
    "lgamma": 1e-12,
    "cbrt": 1e-12,
    "j0": 1e-12,
    "j1": 1e-12,
    "exp2": 1e-14,
    "hypot": 1e-15,
    "pow": 1e-15,
}


def check(name: str, function, *args: float) -> None:
    got = function(*args)
    assert type(got) is float
    try:
        wanted = (REFERENCES.get(name) or getattr(math, name))(*args)
    except (ValueError, OverflowError):
        assert not math.isfinite(got), (name, args, got)
        return
    if math.isnan(wanted):
        assert math.isnan(got), (name, args, got)
    elif name in LOOSE:
        assert math.isclose(got, wanted, rel_tol=LOOSE[name], abs_tol=1e-13 if name in ("j0", "j1", "lgamma") else 0), (
            name,
            args,
            got,
            wanted,
        )
    else:
        assert got == wanted or abs(got - wanted) <= 2 * math.ulp(wanted), (name, args, got, wanted)
        if got == 0 and name not in ("fmax", "fmin"):
            assert math.copysign(1, got) == math.copysign(1, wanted), (name, args)


@pytest.fixture(scope="module")
def libm():
    return jitffi.load_library("libm.so.6", cdef=HEADER)


@pytest.mark.parametrize("name", [n for n in ONE if n not in ("y0", "y1")])
def test_function_of_one_double(libm, name):
    function = getattr(libm, name)
    assert str(inspect.signature(function)) == "(x)"
    for x in POINTS:
        if name not in ("j0", "j1") or BESSEL_RANGE[0] <= x <= BESSEL_RANGE[1]:
            check(name, function, x)


@pytest.mark.parametrize("name", TWO)
def test_function_of_two_doubles(libm, name):
    function = getattr(libm, name)
    assert str(inspect.signature(function)) == "(x, y)"
    for x, y in itertools.product(POINTS[::5] + EDGES + [-1.0, -2.0, -INF], repeat=2):
        check(name, function, x, y)
        check(name, lambda x, y: function(y=y, x=x), x, y)


def test_second_kind_of_bessel(libm):
    """Their Wronskian with the first kind (A&S 9.1.16)."""
    for k in range(1, 120):
        x = k / 8
        assert math.isclose(libm.j1(x) * libm.y0(x) - libm.j0(x) * libm.y1(x), 2 / (math.pi * x), rel_tol=1e-12)


@pytest.mark.parametrize("name", [*ONE, *TWO])
def test_prototype_signature_and_attribute_agree(libm, name):
    types = "(f64) -> f64" if name in ONE else "(f64, f64) -> f64"
    args = (1.0,) if name in ONE else (0.75, 2.0)
    by_text = libm.bind(name, types)
    assert by_text(*args) == libm.bind(name, PROTOTYPES[name])(*args) == getattr(libm, name)(*args)
    assert jitffi.Function(by_text).native_address == jitffi.Function(getattr(libm, name)).native_address


def test_ints_and_bools_are_numbers(libm):
    assert libm.hypot(3, 4) == 5.0
    assert libm.hypot(True, False) == 1.0
    assert libm.sqrt(10**300) == 1e150
    with pytest.raises(OverflowError, match=r"sqrt: argument 1 'x': "):
        libm.sqrt(10**400)
    with pytest.raises(TypeError, match=r"hypot: argument 2 'y': expected f64, got str 'abc'"):
        libm.hypot(3, "abc")
