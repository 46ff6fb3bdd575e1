"""Operations on slots of unknown type against CPython's, on values of all kinds and pairs of kinds."""

from __future__ import annotations

import gc
import operator
import random
import sys
from ctypes import c_int32, c_int64, c_void_p
from typing import Any

import pytest
from support.slots import NO_INDEX, Packed, check, live_objects, native, needs_library, outcome

import jitffi

pytestmark = needs_library

NUMBERS: list[Any] = [0, 1, -1, 2, 3, -7, 10, 64, 255, 1000, 2**31, -(2**53) - 1, 2**62, 2**63 - 1, -(2**63), 2**63]
NUMBERS += [2**64 - 1, True, False, 0.0, -0.0, 1.0, -1.5, 0.1, 2.5, 1e16, 1e300, -1e-300, 5e-324, float("inf")]
NUMBERS += [float("-inf"), 3.0, -3.5, 9007199254740993.0]
TEXTS: list[Any] = ["", "a", "abc", "abcdefg", "abcdefgh", "x" * 40, "é", "Grüße", "日本語", "😀a", "a" * 200, "\udc80"]
BYTES: list[Any] = [b"", b"a", b"abc", b"\xff\x00", b"y" * 60]
CONTAINERS: list[Any] = [
    [],
    [1],
    [1, "a", None],
    [[1], [2]],
    (),
    (1,),
    (1, 2.5, "xyz"),
    ({},),
    {},
    {"a": 1},
    {1: "x", "é": [2]},
]
VALUES: list[Any] = [None, *NUMBERS, *TEXTS, *BYTES, *CONTAINERS]
BINARY = ["+", "-", "*", "/", "//", "%", "**", "<<", ">>", "&", "|", "^"]
NAMES = ["add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and_", "or_", "xor"]
PYTHON = dict(zip(BINARY, NAMES, strict=True))


@pytest.fixture(autouse=True)
def nothing_left() -> Any:
    gc.disable()  # which would take what tests before this one have left
    try:
        before = live_objects()
        yield
        assert live_objects() == before
    finally:
        gc.enable()


def is_heavy(op: str, a: Any, b: Any) -> bool:
    """What CPython would take too long for, or all memory."""
    whole = isinstance(a, int), isinstance(b, int)
    if op == "**":
        return all(whole) and abs(b) > 100 and abs(a) > 1
    if op == "<<":
        return all(whole) and b > 1000
    if op == "*":
        return (
            whole[0] != whole[1]
            and not isinstance(a, float)
            and not isinstance(b, float)
            and max(a if whole[0] else 0, b if whole[1] else 0) > 2000
        )
    return op == "%" and isinstance(a, (str, bytes))


@pytest.mark.parametrize("op", BINARY)
def test_binary(op: str) -> None:
    number = c_int32(BINARY.index(op))
    compute = getattr(operator, PYTHON[op])
    for i, a in enumerate(VALUES):
        for j, b in enumerate(VALUES):
            if is_heavy(op, a, b):
                continue
            expected = outcome(lambda a=a, b=b: compute(a, b))
            if op == "<<" and expected[1] == "MemoryError":
                continue
            check(expected, native("jf_op_binary", number, a, b, seed=i + 100 * j), f"{a!r} {op} {b!r}")


def test_the_percent_of_text_is_pythons() -> None:
    @jitffi.script
    def percent(text, value):
        return text % value

    for text in ("%d", b"%d", "%d %d"):
        check(outcome(lambda text=text: text % 1), outcome(lambda text=text: percent(text, 1)), repr(text))


COMPARE = [operator.lt, operator.le, operator.eq, operator.ne, operator.gt, operator.ge]


@pytest.mark.parametrize("op", range(6))
def test_compare(op: int) -> None:
    for i, a in enumerate(VALUES):
        for j, b in enumerate(VALUES):
            expected = outcome(lambda a=a, b=b: int(COMPARE[op](a, b)))
            actual = native("jf_op_compare", c_int32(op), a, b, out="status", seed=i + 100 * j)
            check(expected, actual, f"{a!r} {COMPARE[op].__name__} {b!r}")


def test_contains() -> None:
    values = [*VALUES, [1.0, 2, "abc"], "xabcx", "日本語Grüße", (None, 1), 97, b"bc"]
    for i, a in enumerate(values):
        for j, b in enumerate(values):
            expected = outcome(lambda a=a, b=b: int(b in a))
            check(expected, native("jf_op_contains", a, b, out="status", seed=i * 7 + j), f"{b!r} in {a!r}")


def test_item() -> None:
    keys = [*VALUES, -2, 5, -6]
    for i, a in enumerate(VALUES):
        for j, key in enumerate(keys):
            expected = outcome(lambda a=a, key=key: a[key])
            check(expected, native("jf_op_item", a, key, seed=i * 7 + j), f"{a!r}[{key!r}]")


def test_slice() -> None:
    random_ = random.Random(1)
    bounds = [None, None, 0, 1, 2, -1, -2, 5, -9, 100, 2**63 - 1, -(2**63), True, "a", 1.5, 2**64 - 1]
    steps = [None, None, None, 1, 2, -1, -2, 3, 0, 2**63 - 1, -(2**63), "a"]
    for i in range(4000):
        value = random_.choice([v for v in VALUES if not isinstance(v, dict)])
        start, stop, step = random_.choice(bounds), random_.choice(bounds), random_.choice(steps)
        expected = outcome(lambda v=value, a=start, b=stop, c=step: v[a:b:c])
        actual = native("jf_op_slice", value, start, stop, step, seed=i)
        check(expected, actual, f"{value!r}[{start!r}:{stop!r}:{step!r}]")


def test_unary_and_one_argument() -> None:
    functions: dict[str, tuple[Any, str, list[Any]]] = {
        "jf_op_abs": (abs, "slot", []),
        "jf_op_repr": (repr, "slot", []),
        "jf_op_str": (str, "slot", []),
        "jf_op_ascii": (ascii, "slot", []),
        "jf_op_len": (len, "int", []),
        "jf_op_ord": (ord, "int", []),
        "jf_op_int": (int, "int", []),
        "jf_op_float": (float, "float", []),
        "jf_op_truth": (lambda v: int(bool(v)), "status", []),
    }
    odd = ["\u0378\xad\u200b\u3000\U0001f600", "it's", 'it"s', "it's \"", "\x00\x1f\\\n", "\ud800", b"'\"\\\x7f"]
    for name, (compute, out, extra) in functions.items():
        for seed in range(3):
            for value in [*VALUES, *odd, odd, (odd[0],), {odd[0]: odd[3]}, "12", " 7_0 ", "0x1", "٣", "1e5", "nan"]:
                check(
                    outcome(lambda v=value, f=compute: f(v)),
                    native(name, value, *extra, out=out, seed=seed),
                    f"{name} {value!r}",
                )
    for op, compute in enumerate((operator.neg, operator.pos, operator.invert)):
        for value in VALUES:
            if isinstance(value, bool) and op == 2 and sys.version_info >= (3, 12):
                continue
            check(
                outcome(lambda v=value, f=compute: f(v)),
                native("jf_op_unary", c_int32(op), value),
                f"{compute} {value!r}",
            )
    numbers = [v for v in VALUES if isinstance(v, (int, float))]
    for value in [*numbers, None, "abc", b"x", (1, 2.5), [1], {}, (1, [2])]:
        expected = outcome(lambda v=value: hash(v))
        if isinstance(value, (int, float)) or expected[1]:
            check(expected, native("jf_op_hash", value, out="int"), f"hash {value!r}")


def test_round_divmod_pow() -> None:
    random_ = random.Random(2)
    numbers = [*NUMBERS, 0.5, 1.5, 2.675, 1234.5678, 50.0, 51.0, 5e22, 5e23, 1e22, 2.5e15, 0.15, 1e308, "a", None]
    numbers += [random_.uniform(-1e6, 1e6) for _ in range(100)] + [
        random_.randrange(-(2**63), 2**63) for _ in range(100)
    ]
    for value in numbers:
        for digits in [
            None,
            0,
            1,
            2,
            3,
            15,
            17,
            22,
            300,
            400,
            -1,
            -2,
            -5,
            -15,
            -18,
            -19,
            -20,
            -22,
            -23,
            -308,
            -400,
            True,
            2**64 - 1,
            "x",
            1.5,
        ]:
            if digits is None:
                expected = outcome(lambda v=value: round(v))
            else:
                expected = outcome(lambda v=value, d=digits: round(v, d))
            check(expected, native("jf_op_round", value, digits), f"round({value!r}, {digits!r})")
    for a in [*NUMBERS, "a", None]:
        for b in [*NUMBERS, "a", None]:
            check(outcome(lambda a=a, b=b: divmod(a, b)), native("jf_op_divmod", a, b), f"divmod({a!r}, {b!r})")
    wholes = [v for v in NUMBERS if isinstance(v, int)] + ["a", 1.5, None]
    for _ in range(3000):
        a, b, c = (random_.choice([random_.choice(wholes), random_.randrange(-(2**63), 2**63)]) for _ in range(3))
        if c is None and is_heavy("**", a, b):
            continue
        check(outcome(lambda a=a, b=b, c=c: pow(a, b, c)), native("jf_op_pow3", a, b, c), f"pow({a!r}, {b!r}, {c!r})")
    for _ in range(2000):
        a, b = (random_.randrange(-(2**63), 2**63) >> random_.randrange(63) for _ in range(2))
        for op in ["/", "//", "%", "&", "|", "^", "+", "-", "*"]:
            expected = outcome(lambda a=a, b=b, op=op: getattr(operator, PYTHON[op])(a, b))
            check(expected, native("jf_op_binary", c_int32(BINARY.index(op)), a, b), f"{a} {op} {b}")
        x, y = random_.uniform(-100, 100), random_.choice([0.1, -0.3, 1e-5, 7.0, -1e10])
        for op in ["//", "%"]:
            expected = outcome(lambda a=x, b=y, op=op: getattr(operator, PYTHON[op])(a, b))
            check(expected, native("jf_op_binary", c_int32(BINARY.index(op)), x, y), f"{x} {op} {y}")


def test_int_and_float_of_text() -> None:
    random_ = random.Random(3)
    pieces = [
        "0",
        "1",
        "9",
        "12",
        "_",
        "-",
        "+",
        " ",
        "\t",
        "x",
        "0x",
        "0b1",
        "0O7",
        "a",
        "f",
        "Z",
        ".",
        "e",
        "E5",
        "inf",
    ]
    pieces += ["nan", "٣", "５", "\u2003", "\x1c", "\x00", "é", "infinity", "99999999999", "\n", "00"]
    for i in range(6000):
        text = "".join(random_.choice(pieces) for _ in range(random_.randrange(5)))
        value = text.encode() if i % 5 == 0 else text
        check(outcome(lambda v=value: int(v)), native("jf_op_int", value, out="int", seed=i), f"int({value!r})")
        check(outcome(lambda v=value: float(v)), native("jf_op_float", value, out="float", seed=i), f"float({value!r})")
        base = random_.choice([0, 2, 8, 10, 16, 36, 1, 37, -1])
        expected = outcome(lambda v=value, b=base: int(v, b))
        check(expected, native("jf_op_int_base", value, c_int64(base), out="int", seed=i), f"int({value!r}, {base})")
    for value in [
        "x" * 300,
        "1" * 400,
        "0." + "1" * 400,
        "9223372036854775807",
        "-9223372036854775808",
        "9223372036854775808",
    ]:
        check(outcome(lambda v=value: float(v)), native("jf_op_float", value, out="float"), f"float({value!r})")
        check(outcome(lambda v=value: int(v)), native("jf_op_int", value, out="int"), f"int({value!r})")
    assert native("jf_op_int_base", 5, c_int64(10), out="int")[1:] == (
        "TypeError",
        "int() can't convert non-string with explicit base",
    )


def test_list_and_tuple_methods() -> None:
    for items in [[], [1, 2, 1.0, "a", None, True], (1, "é", 1)]:
        for value in [1, 2, "a", "é", None, 5]:
            for start, end in [(None, None), (1, None), (0, 2), (-2, None), (5, 1)]:
                a, b = 0 if start is None else start, sys.maxsize if end is None else end
                expected = outcome(lambda i=items, v=value, a=a, b=b: i.index(v, a, b))
                bounds = [c_int64(NO_INDEX if x is None else x) for x in (start, end)]
                actual = with_object("jf_op_list_index", items, value, *bounds, out="int")
                check(expected, actual, f"{items}.index({value!r}, {start}, {end})")
            check(
                outcome(lambda i=items, v=value: i.count(v)),
                with_object("jf_op_list_count", items, value, out="int"),
                "count",
            )


def with_object(name: str, container: Any, *arguments: Any, out: str = "slot") -> tuple[Any, str, str]:
    """A function whose first argument is the object itself."""
    packed = Packed(container)
    try:
        return native(name, c_void_p(packed.slot.word), *arguments, out=out)
    finally:
        packed.release()
