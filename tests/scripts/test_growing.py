"""Ints that take more than 64 bits behind effects, where no call can be made again: they grow into Python's."""

from __future__ import annotations

import pytest

import jitffi


def factorials(out, n):
    """What is behind 64 bits comes after effects."""
    print("up to", n)
    value = 1
    for i in range(1, n + 1):
        value *= i
        out.append(value)
    power = 3
    while power.bit_length() < 70:
        power = power << 1
    return value, power


def fibonacci_numbers(out, n):
    a, b = 0, 1
    for _ in range(n):
        out.append(a)
        a, b = b, a + b


def digits(out, text):
    number = shifted = 0
    for each in text:
        out.append(each)
        number = number * 10 + int(each)
        shifted = shifted << 4 | ord(each) & 15
    return number, shifted


def table(out, n):
    out.append(n)
    ways, other, powers = [1, 1], [1] + [0] * n, [1 << i for i in range(n)]
    for i in range(2, n):
        ways.append(ways[-1] + ways[-2])
        other[i] = other[i - 1] + other[i - 2] * 3 + 1
    return ways, other, powers, sum(powers)


def recursive(out, n):
    out.append(n)
    return 1 if n < 2 else n * recursive(out, n - 1)


def of_one_size(out, n):
    out.append(n)
    return bin((1 << n) - 1), 3**n, pow(7, n), 5 & 1 << n, f"{-(1 << n)}", (1 << n).bit_length()


def read(out, text):
    out.append(text)
    data = text.encode()
    whole = [int.from_bytes(data, order, signed=sign) for order in ("big", "little") for sign in (False, True)]
    return int(text) % 97, int(text, 16), int(text[:8]), int.from_bytes(data + b"\xff", "little", signed=True), whole


def xorshift(out, n):
    x = 88172645463325252
    for _ in range(n):
        x ^= x << 13
        x ^= x >> 7
        x ^= x << 17
        x &= 0xFFFFFFFFFFFFFFFF
        out.append(x)


def places(out, n):
    out.append(n)
    key, seen = 1, {}
    while key < 2**70:
        seen[key] = len(seen)
        key = key * 2
    x = n << n
    try:
        out[x] = 1
    except IndexError as error:
        out.append(str(error))
    return [1, 2, 3][:x], "abc"[-x:], (1, 2)[x:], "abc".find("c", 0, x), seen


def remainders(out, b, e, m):
    result = 1
    while e:
        out.append((b * e + m) % -m)
        if e & 1:
            result = result * b % m
        b = b * b % m
        e >>= 1
    return result


@pytest.mark.parametrize(
    ("function", "args"),
    [
        (factorials, (25,)), (fibonacci_numbers, (120,)), (digits, ("9" * 30,)), (table, (90,)), (recursive, (30,)),
        (of_one_size, (80,)), (read, ("9" * 30,)), (xorshift, (5,)), (places, (70,)),
        (remainders, (2**62, 2**40 - 1, 2**61 - 1)),
    ],
)  # fmt: skip
def test_what_soon_takes_more_grows_after_effects(function, args):
    expected: list[object] = []
    found: list[object] = []
    assert jitffi.script(function)(found, *args) == function(expected, *args) and found == expected


@pytest.mark.parametrize("wrong", ["", "12x", "1" * 30 + "x"])
def test_errors_of_what_may_be_larger_are_pythons(wrong):
    with pytest.raises(ValueError) as expected:
        read([], wrong)
    with pytest.raises(ValueError) as found:
        jitffi.script(read)([], wrong)
    assert str(found.value) == str(expected.value)


def grown(xs, x):
    xs.append(x)
    y = None
    if x:
        y = x
    y = y * y
    y *= y
    y += 1
    return y, y % 97, -y, y >> 100, y == x, str(y)


@pytest.mark.parametrize("x", [3, 1 << 40, -(1 << 33)])
def test_what_may_be_any_value_grows_after_effects(x):
    assert jitffi.script(grown)([], x) == grown([], x)
    if x != 3:
        with pytest.raises(OverflowError, match="more than 64 bits"):
            jitffi.script(grown, strict=True)([], x)


class Whole:
    def __init__(self, value):
        self.value = value

    def __int__(self):
        return self.value


def wholes(x, y):
    """What makes the ints is an effect itself."""
    return int(x) == int(y), int(x) ^ int(y), hash(int(x)), -int(x), str(int(x))


def of_data(data, told):
    told(1)
    return int.from_bytes(data, "big"), int.from_bytes(data, "little", signed=True)


def test_what_objects_of_pythons_give_grows():
    for value in (5, 2**70, -(2**64)):
        given = Whole(value), Whole(value + 1)
        assert jitffi.script(wholes)(*given) == wholes(*given)
    for data in (b"x" * 20, bytearray(b"y" * 20), memoryview(b"z" * 20), [200] * 20, (1, 2), bytearray(3)):
        assert jitffi.script(of_data)(data, [].append) == of_data(data, [].append)
    with pytest.raises(ValueError, match=r"bytes must be in range\(0, 256\)"):
        jitffi.script(of_data)([256], [].append)
