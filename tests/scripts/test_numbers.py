"""Ints, floats and bools in scripts: every operator on values at the limits, beside CPython."""

# ruff: noqa

from __future__ import annotations

import itertools

import pytest

import jitffi
from tests.scripts.alike import described, plain

INTS = [0, 1, -1, 2, -3, 7, 63, 64, 2**31, 2**53, 2**53 + 1, -(2**53) - 1, 2**62, 2**63 - 1, -(2**63)]
FLOATS = [0.0, -0.0, 1.0, -1.5, 2.5, 1e300, 2.0**53, 2.0**63, -(2.0**63), float("inf"), float("nan"), 3.0]
BOOLS = [True, False]


def quotients(a, b):
    return [a // b, a % b, a / b]


def sums(a, b):
    return [a + b, a - b]


def products(a, b):
    return a * b


def left(a, b):
    return a << b


def right(a, b):
    return a >> b


def bits(a, b):
    return [a & b, a | b, a ^ b]


def powers(a, b):
    return a**b


def comparisons(a, b):
    return [a < b, a <= b, a == b, a != b, a > b, a >= b]


def logic(a, b):
    return [a and b, a or b, not a, b if a else a]


def chains(a, b):
    return [a < b < 10, a <= b != a, 0 < a < b < 100, a == b == a]


def augmented(a, b):
    x = a
    x += b
    x -= 1
    x *= 2
    return x


def signs(a, b):
    return [-a, +b, abs(a)]


def constants(a, b):
    return [a // 3, a % -4, a % 8, a // -1, a / 2, a**0, a**2, 2 < a, a < 1.5, b == 0, a // 1]


def extremes(a, b):
    return [min(a, b), max(a, b)]


def _expected(function, arguments):
    """What CPython does; OverflowError where an int would need more than 64 bits."""
    try:
        found = function(*arguments)
    except Exception as error:
        return type(error).__name__, str(error)
    values = found if isinstance(found, list) else [found]
    if any(type(value) is int and not -(2**63) <= value < 2**63 for value in values):
        return "OverflowError", "int of more than 64 bits"
    return described(found)


def _outcome(function, arguments):
    try:
        return described(plain(function(*arguments)))
    except Exception as error:
        return type(error).__name__, str(error)


KINDS = {"int": INTS, "float": FLOATS, "bool": BOOLS}
PAIRS = list(itertools.product(KINDS, KINDS))
#: Of ints and bools only.
WHOLE = {left, right, bits}


@pytest.mark.parametrize("kinds", PAIRS, ids="-".join)
@pytest.mark.parametrize(
    "function",
    [quotients, sums, products, bits, comparisons, logic, chains, signs, constants, extremes],
    ids=lambda f: f.__name__,
)
def test_operators(function, kinds):
    script = jitffi.script(function, strict=True)
    for arguments in itertools.product(KINDS[kinds[0]], KINDS[kinds[1]]):
        if "nan" in map(str, arguments) and function is extremes and kinds[0] != kinds[1]:
            continue
        assert _outcome(script, arguments) == _expected(function, arguments), arguments


@pytest.mark.parametrize("function", [left, right], ids=lambda f: f.__name__)
def test_shifts(function):
    script = jitffi.script(function, strict=True)
    for arguments in itertools.product([*INTS, True], [0, 1, 3, 62, 63, 64, 1000, -1, 2**62, False]):
        if function is left and arguments[0] and arguments[1] > 1000:
            assert _outcome(script, arguments)[0] == "OverflowError"
        else:
            assert _outcome(script, arguments) == _expected(function, arguments), arguments


def test_powers():
    script = jitffi.script(powers, strict=True)
    bases, exponents = [0, 1, -1, 2, -3, 10, True], [0, 1, 2, 5, 18, 62, 63, 64, -1, -2, False]
    for arguments in itertools.product(bases, exponents):
        assert _outcome(script, arguments) == _expected(powers, arguments), arguments
    for arguments in itertools.product([0.0, 1.5, 2.0, 10.0], [0, 1, 2, -1, 0.5, 3.5, 400.0]):
        assert _outcome(script, arguments) == _expected(powers, arguments), arguments


def test_augmented():
    script = jitffi.script(augmented, strict=True)
    for arguments in itertools.product([0, 5, -7, 2**40, 1.5, True], repeat=2):
        assert _outcome(script, arguments) == _expected(augmented, arguments), arguments


def constant_powers(a):
    return [a**1, a**3, a**5]


def test_constant_powers():
    script = jitffi.script(constant_powers, strict=True)
    for a in (0, 1, -1, 2, -3, 1000, 2**12, 6208, -6208, 6209, 2**62, True):
        assert _outcome(script, (a,)) == _expected(constant_powers, (a,)), a


def too_large(n):
    total = 1
    for i in range(n):
        total *= 10
    return total


def test_overflow_is_an_error_and_never_wraps():
    script = jitffi.script(too_large, strict=True)
    assert script(18) == 10**18
    with pytest.raises(OverflowError, match="int of more than 64 bits"):
        script(19)
