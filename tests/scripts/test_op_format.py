"""format() of every kind of value with specs of all shapes against CPython's."""

from __future__ import annotations

import random
from typing import Any

import pytest
from support.slots import Text, check, live_objects, native, needs_library, outcome

pytestmark = needs_library

INTS = [
    0,
    1,
    -1,
    7,
    255,
    -255,
    999,
    1000,
    12345,
    1234567,
    -98765432,
    2**31,
    2**63 - 1,
    -(2**63),
    2**64 - 1,
    True,
    False,
]
FLOATS = [0.0, -0.0, 1.0, -1.5, 0.1, 2.5, 1e16, 1e15, 123456.789, 1e300, -1e-300, 5e-324, 0.0001, 0.00001, 99999.5]
FLOATS += [float("inf"), float("-inf"), float("nan"), 1e22, 12345678901234567.0, 0.5, 1.5, 2.675, 9.995, 1e100, -0.0004]
TEXTS = ["", "a", "abcdef", "é", "日本語", "x" * 50, "😀"]
OTHERS: list[Any] = [None, [], [1], (1,), {}, {"a": 1}, b"x"]


@pytest.fixture(autouse=True)
def nothing_left() -> Any:
    before = live_objects()
    yield
    assert live_objects() == before


def as_text(text: str) -> Text:
    """A jf_text of it, which keeps what it borrows from."""
    import ctypes

    data = text.encode() if text.isascii() else text.encode("utf-32-le", "surrogatepass")
    buffer = ctypes.create_string_buffer(data, len(data) + 4)
    made = Text(ctypes.addressof(buffer), len(text), int(not text.isascii()))
    made.buffer = buffer
    return made


def check_format(value: Any, spec: str, seed: int = 0) -> None:
    expected = outcome(lambda: format(value, spec))
    actual = native("jf_op_format", value, as_text(spec), seed=seed)
    check(expected, actual, f"format({value!r}, {spec!r})")


def a_spec(random_: random.Random) -> str:
    """A spec that is mostly right."""

    def some(choices: list[str], chance: float = 0.4) -> str:
        return random_.choice(choices) if random_.random() < chance else ""

    spec = some(["<", ">", "^", "=", "*<", "0=", "0<", "é^", "日>", "x=", "<<", " ^"])
    spec += some(["+", "-", " "], 0.3) + some(["z"], 0.05) + some(["#"], 0.2) + some(["0"], 0.3)
    spec += some(["1", "5", "8", "12", "13", "20", "40", "٣", "007"]) + some([",", "_", ",_", "__", "_,"], 0.25)
    spec += some([".0", ".1", ".2", ".3", ".6", ".10", ".17", ".50", "."], 0.4)
    spec += some([",", "_", ",_", "_,", "__"], 0.15)  # in the fraction, from 3.14 on
    return spec + some(list("bcdoxXneEfFgG%s") + ["q", "é", "ss", "\x01"], 0.8)


def test_random_specs() -> None:
    random_ = random.Random(4)
    values = [*INTS, *INTS, *FLOATS, *FLOATS, *TEXTS, *OTHERS]
    for i in range(30000):
        spec, value = a_spec(random_), random_.choice(values)
        check_format(value, spec, seed=i)


def test_every_type_and_precision_of_floats() -> None:
    random_ = random.Random(5)
    numbers = FLOATS + [random_.randrange(-(10**6), 10**6) / random_.choice([8, 16, 1000, 2000, 3]) for _ in range(200)]
    numbers += [1e15 - 0.125, 999.9995, 0.9995, 0.0005, 2**-11, 0.5**13, 1e15]
    numbers += [random_.uniform(-1, 1) * 10.0 ** random_.randrange(-30, 30) for _ in range(60)]
    for value in numbers:
        for type_ in ["", *"eEfFgGn%"]:
            for precision in ["", ".0", ".1", ".2", ".5", ".15", ".16", ".17", ".18", ".30"]:
                for flags in ["", "#", "+", ",", "020,", "_"]:
                    if type_ == "n" and ("," in flags or "_" in flags):
                        continue
                    check_format(value, flags + precision + type_)


def test_every_width_with_groups() -> None:
    for value in [0, 1, 12, 123, 1234, -1234567, 10**15, 1234.5, -0.25, 1e10, float("inf")]:
        for width in range(30):
            for spec in ["0{},", "0{}_", "0{}", "*={},", "^{},", "+0{},", "0=-{},", ">{}_"]:
                check_format(value, spec.format(width))
        for width in range(24):
            for type_ in "bxXo" if isinstance(value, int) else "":
                check_format(value, f"0{width}_{type_}")
                check_format(value, f"#0{width}_{type_}")
                check_format(value, f"#{width}{type_}")


def test_long_results_and_wrong_specs() -> None:
    for spec in [
        ".1000f",
        "5000",
        "0>3000",
        ".400e",
        "99999999999999999999",
        ".99999999999999999999",
        "5 ",
        "5.",
        ".q",
    ]:
        for value in [1.5, 7, "abc", True, None]:
            check_format(value, spec)
    for value in [1.5, 1e300]:
        check_format(value, "é^1500.300f")
    check_format("abc", "日>2000")
    check_format(65, "c")
    check_format(0x1F600, "*^5c")
    check_format(-1, "c")
    check_format(0x110000, "c")
    check_format(2**64 - 1, "c")
    check_format(97, "05c")
