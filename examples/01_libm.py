"""Functions of libm by signature text: doubles in, doubles out, checked against Python's own."""

import math

import jitffi

libm = jitffi.load_library("libm.so.6")

ONE = (
    "sqrt",
    "cbrt",
    "exp",
    "exp2",
    "expm1",
    "log1p",
    "sin",
    "cos",
    "tan",
    "asin",
    "acos",
    "atan",
    "sinh",
    "cosh",
    "tanh",
)
TWO = ("pow", "hypot", "atan2", "fmod", "copysign", "remainder", "nextafter")

for name in ONE:
    native, python = libm.bind(name, "(x: f64) -> f64"), getattr(math, name, None)
    value = native(0.5)
    if python is not None:
        assert math.isclose(value, python(0.5), rel_tol=1e-15), name
    print(f"{name}(0.5) = {value:.6g}")

for name in TWO:
    native = libm.bind(name, "(x: f64, y: f64) -> f64")
    value = native(3, y=4.5)
    python = getattr(math, name, None)
    assert python is None or math.isclose(value, python(3, 4.5), rel_tol=1e-15), name
    print(f"{name}(3, 4.5) = {value:.6g}")

try:
    libm.bind("sqrt", "(x: f64) -> f64")("four")
except TypeError as error:
    print(error)
