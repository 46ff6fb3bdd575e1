"""Ints of 64 bits without a sign: what masks give is exact and native, and what fits nowhere is the interpreter's."""

from __future__ import annotations

import numpy
import pytest

import jitffi

MASK = 0xFFFFFFFFFFFFFFFF
CUT = 2**64
#: Masked they are all that there is.
VALUES = (0, 1, 2, 63, 64, 2**32 - 1, 2**53 + 1, 2**62, 2**63 - 1, -(2**63), 1 - 2**63, -7, -2, -1)


def operations(a, b):
    u, v = a & MASK, b & MASK
    found = [u & v, u | v, u ^ v, u >> (b & 127), u & b, b & u, (u * b) & MASK, (u - b) % CUT, u % 1000]
    more = [~(u >> 2) & MASK, -u & MASK, (b << 60) & MASK, (u << (b & 127)) & MASK, -(u >> 1), u if u else -1]
    rest = [((u << (b & 63)) | (u >> (64 - (b & 63)))) & MASK, abs(u), int(u), min(u, v), max(u, v), u + 0, hash(u)]
    parts = [u % v if v else 0, b % u if u else 0, v // u if u else 0, v // 3, divmod(u, 7), sum([u >> 2, v >> 2])]
    tests = [u == b, b != u, u < b, b <= u, u > v, u >= v, u == 1.5, u < 1e19, bool(u), isinstance(u, int), u in (1, b)]
    floats = [float(u), u * 0.5, u / 3, 2.0**-64 * v]
    texts = [str(u), hex(u), bin(v), f"{u:>22}{v:x}", repr([u, v]), u.to_bytes(8, "big"), "abc"[v % 3]]
    return found, more, rest, parts, tests, floats, texts, {u: v}, [10, 20, 30][u % 3], u.bit_length(), u.bit_count()


def test_operations_are_pythons() -> None:
    script = jitffi.script(operations)
    for a in VALUES:
        for b in VALUES:
            wanted, got = operations(a, b), script(a, b)
            assert repr(got) == repr(wanted), (a, b)
    assert "u: u64" in script.inspect_types()


def beyond(a, b, which):
    u = a & MASK
    if which == 0:
        return u + b
    if which == 1:
        return u - b
    if which == 2:
        return u * b
    if which == 3:
        return u | b
    if which == 4:
        return u ^ b
    return u << (b & 63)


def test_what_fits_nowhere_is_the_interpreters() -> None:
    script, strict = jitffi.script(beyond), jitffi.script(strict=True)(beyond)
    for a in VALUES:
        for b in VALUES:
            for which in range(6):
                wanted = beyond(a, b, which)
                assert script(a, b, which) == wanted, (a, b, which)
                if 0 <= wanted <= MASK and not (which == 2 and b < 0):
                    assert strict(a, b, which) == wanted
                else:
                    with pytest.raises(OverflowError, match="int of more than 64 bits"):
                        strict(a, b, which)


def murmur(data: bytes, seed: int = 0xE17A1465) -> int:
    h: int = seed ^ (len(data) * 0xC6A4A7935BD1E995) & MASK
    for at in range(0, len(data) - 7, 8):
        k = int.from_bytes(data[at : at + 8], "little")
        k *= 0xC6A4A7935BD1E995
        k &= MASK
        h = (h ^ k ^ k >> 47) * 0xC6A4A7935BD1E995 % 2**64
    return h ^ h >> 47


def crc(data):
    table = []
    for i in range(256):
        c = i
        for _ in range(8):
            c = (c >> 1) ^ 0xC96C5795D7870F42 if c & 1 else c >> 1
        table.append(c)
    total = MASK
    for byte in data:
        total = table[(total ^ byte) & 0xFF] ^ (total >> 8)
    return total ^ MASK


def shuffled(seed, n):
    def rotated(x, k):
        return ((x << k) | (x >> (64 - k))) & MASK

    state = [seed, 2, 3, 4]
    found = []
    for _ in range(n):
        found.append(rotated(state[1] * 5 & MASK, 7) * 9 & MASK)
        t = state[1] << 17 & MASK
        state[2] ^= state[0]
        state[3] ^= state[1]
        state[1] ^= state[2]
        state[0] ^= state[3]
        state[2] ^= t
        state[3] = rotated(state[3], 45)
    return found


def cut_later(x, n):
    for i in range(n):
        x ^= i
        x += x << 10
        x *= 33
        x &= MASK
        z = x * 0x9E3779B97F4A7C15 + i
        z = z & MASK
        y = z - x * 3
        q = y & 0xFFFFFFFF
        x ^= z ^ q
    return x


def wyrand(seed: int, n: int) -> int:
    total, state = 0, seed & MASK
    for _ in range(n):
        state = (state + 0xA0761D6478BD642F) & MASK
        r = state * (state ^ 0xE7037ED1A0B428DB)
        s = r * 3 & MASK
        total ^= (r >> 64 ^ r) & MASK ^ s
    return total


def products(a, b):
    x, y = a & MASK, b & MASK
    r = x * y
    low, high = r & MASK, r >> 64
    parts = (
        (x * y) >> 64,
        ((x * y) >> 32) & MASK,
        x * y >> 100,
        (x * y >> 0) & MASK,
        x * y >> 130,
        (x * y >> 7) * 3 & MASK,
    )
    return low, high, r % CUT, parts


@pytest.mark.parametrize("function, calls", [
    (murmur, [(bytes(range(200, 256)),), (b"\xff" * 17, 2**64 - 3), (b"", 0)]),
    (crc, [(b"123456789",)]),
    (shuffled, [(1, 9), (2**64 - 1, 9)]),
    (cut_later, [(5, 50), (2**64 - 1, 50)]),
    (wyrand, [(5, 50), (2**64 - 1, 50)]),
])  # fmt: skip
def test_hashes_are_native(function, calls) -> None:
    script = jitffi.script(function)
    for args in calls:
        assert script(*args) == function(*args)
    types = script.inspect_types()
    assert "u64" in types and "any" not in types and "object" not in types


def test_products_of_128_bits() -> None:
    script = jitffi.script(strict=True)(products)
    for a in VALUES:
        for b in VALUES:
            assert repr(script(a, b)) == repr(products(a, b))


def test_a_negative_literal_keeps_its_variable_open() -> None:
    @jitffi.script
    def best(numbers):
        found = -1
        for each in numbers:
            h = each * 0x9E3779B97F4A7C15 & MASK
            if h > found:
                found = h
        return found

    assert best([]) == -1 and best(list(range(9))) == best.__wrapped__(range(9))


def test_changed_arguments_leave_large_ints_to_python() -> None:
    @jitffi.script
    def put(x, into):
        into.append(x * 3)
        return into

    assert put(2**63, []) == [3 * 2**63] and put(5, []) == [15]


def test_elements_of_arrays() -> None:
    @jitffi.script
    def put(x, seed):
        for i in range(len(x)):
            seed = seed * 6364136223846793005 + 1 & MASK
            x[i] = seed

    ours, pythons = numpy.zeros(8, numpy.uint64), numpy.zeros(8, numpy.uint64)
    put(ours, 7)
    put.__wrapped__(pythons, 7)
    assert (ours == pythons).all() and ours.max() > 2**63
