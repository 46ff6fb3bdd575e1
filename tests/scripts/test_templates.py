"""`%` and str.format of literals beside CPython: conversions, flags, widths, precisions, values of all kinds."""

# ruff: noqa: UP031, UP032
from __future__ import annotations

import random
from typing import Any

import pytest

import jitffi
from tests.scripts.many import function_of


class Own:
    def __str__(self) -> str:
        return "own"

    def __repr__(self) -> str:
        return "<own>"

    def __index__(self) -> int:
        return 8

    def __float__(self) -> float:
        return 2.5

    def __format__(self, spec: str) -> str:
        return f"own({spec})"


VALUES: list[Any] = [
    0, 5, -17, 10**12, True, 2.5, -0.0, 1e300, float("inf"), float("nan"), "ab", "é🙂", "", None, [1, "a"],
    (1, 2), (3,), {"k": 1}, {}, b"x", Own(), 2**70, 2**64 - 1, bytearray(b"yz"),
]  # fmt: skip
CONVERSIONS = [
    f"%{flags}{width}{precision}{letter}"
    for letter in "diuxXoeEfFgGsrabc"
    for flags in ("", "-", "+", "0", " ", "#", "-0", "+0", "#0")
    for width in ("", "6", "12")
    for precision in ("", ".", ".0", ".3")
]
FIELDS = (
    "{}", "{:>5}", "{!r:^9}", "{0}-{0!s}", "{1:05d}{0}", "{k}{0:x}", "{{}}{}{{", "{:,.2f}", "{:+}", "{0:}{k!a}", "{:%}",
    "{:c}", "{0.real}", "{0[0]}", "{:{}}", "{3}",
)  # fmt: skip


def outcome(function: Any, arguments: list[Any]) -> tuple[str, str]:
    try:
        return "result", function(*arguments)
    except Exception as error:
        return type(error).__name__, str(error)


def compare(text: str, rng: random.Random) -> Any:
    function = function_of(text, "f")
    script = jitffi.script(function)
    for _ in range(6):
        arguments = [rng.choice(VALUES) for _ in range(3)]
        assert outcome(script, arguments) == outcome(function, arguments), (text, arguments)
    assert "left to the interpreter" not in script.inspect_types()


@pytest.mark.parametrize("seed", range(3))
def test_values_are_put_in_as_by_python(seed: int) -> None:
    rng = random.Random(seed)
    a, b, c, alone = (rng.choice(CONVERSIONS) for _ in range(4))
    compare(f"def f(a, b, c):\n    return {f'{a}|{b}%%<{c}'!r} % (a, b, c)\n", rng)
    compare(f"def f(a, b, c):\n    return {'x' + alone!r} % a, {alone!r} % len(str(b)), '%d%%' % -3\n", rng)
    compare(f"def f(a, b, c):\n    return {f'%(p){a[1:]} %(q){b[1:]} %(p)s'!r} % {{'q': b, 'p': a, 'z': c}}\n", rng)
    both = f"{a}|{b}%%<%{rng.choice('bsd')}".encode(), alone.encode()
    compare(f"def f(a, b, c):\n    return {both[0]!r} % (a, b, c), {both[1]!r} % a\n", rng)
    compare(f"def f(a, b, c):\n    return {' '.join(rng.sample(FIELDS, 2))!r}.format(a, b, k=c)\n", rng)


def test_plain_ones_are_native() -> None:
    def f(name: str, n: int, x: float) -> str:
        line = "%-5s|%05d|%.2f%%|%x" % (name, n, x, n)
        return "{1:>4}:{0}{k!r}".format(line, n, k="é") + "%(a)s" % {"a": n} + "%d" % n

    script = jitffi.script(f)
    assert script("ab", 7, 2.5) == f("ab", 7, 2.5)
    assert not [line for line in script.inspect_types().splitlines() if line.startswith("py ")]
    assert "core_op_" not in script.inspect_llvm()

    def packed(data: bytes, n: int) -> bytes:
        return b"%d:%s,%%%b\xff" % (len(data), data, data) + b"%04x" % n + b"%s" % data

    script = jitffi.script(packed)
    assert script(b"ab\0", 7) == packed(b"ab\0", 7)
    assert "core_op_" not in script.inspect_llvm()


def test_all_values_are_evaluated_first() -> None:
    def f(log: list) -> str:
        return "%d %s" % (log.append(1) or "x", log.append(2))

    ours, plain = [], []
    assert outcome(jitffi.script(f), [ours]) == outcome(f, [plain]) and ours == plain == [1, 2]


def test_results_that_are_an_argument_or_a_list_end_the_inference() -> None:
    def f(items):
        for _ in items:
            pass
        if items:
            return items
        return [items, 1]

    script = jitffi.script(f)
    assert script([1]) == [1] and script([]) == [[], 1]
