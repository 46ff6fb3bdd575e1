"""How numbers, names and candidates are written for people: digits, units, and text of users in one safe line.

>>> [digits(x) for x in (0, 0.01234, 0.1234, 1.234, 99.96, 1234.5, 1e6)]
['0', '0.0123', '0.123', '1.23', '100', '1234', '1e+06']
>>> ratio(0.44), ratio(1.0), ratio(25.0), ratio(0.00001), relative(Interval(0.43, 0.44, 0.46))
('0.440', '1.000', '25.0', '1e-05', '0.440 (0.430..0.460)')
>>> plus_minus(84.7, 0.8471), plus_minus(1234, 0.2), percent(0.2727), percent(1.0), processes(1), processes(5)
('84.7 +- 0.8', '1234 +- 0', '27.3 %', '100 %', '1 process', '5 processes')
>>> time_unit([3e-7, 5e-7, 2e-6]), byte_unit([3000, 50000]), in_unit(0.00123, (1e-3, "ms"))
((1e-09, 'ns'), (1024, 'KiB'), '1.23 ms')
>>> in_bytes(2000, (1024, "KiB")), in_bytes(3, (1024, "KiB")), in_bytes(5000), room(0), room(15)
('1.95 KiB', '3 B', '4.88 KiB', (7, 2), (127, 32))
>>> candidate(Pads()), candidate(Pads(3)), candidate(Pads(3, (("f:0123456789abcdef", (("[]", 1), ("w", 4))),)))
('default', 'pad 3', 'pad 3; f: w 4, [] 1')
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from jitffi.profiles.candidates import OTHERS, POOLS, Pads
from jitffi.tune.records import Interval

#: A unit is its size and its name.
Unit = tuple[float, str]
_SECONDS: tuple[Unit, ...] = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
_BYTES: tuple[Unit, ...] = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))


# -- numbers ----------------------------------------------------------------------------------------------------------


def digits(value: float) -> str:
    """Write three figures, or all of an integer's: 0.123, 1.23, 12.3, 123, 1234; 1.2e+05 from six on."""
    if not math.isfinite(value):
        return "?"
    size = abs(value)
    if size >= 99999.5 or 0 < size < 1e-4:
        return f"{value:.2g}"
    if size < 0.9995:
        return f"{value:.3g}"
    return f"{value:.{2 if size < 9.995 else 1 if size < 99.95 else 0}f}"


def ratio(value: float) -> str:
    """Write a number around 1, so that columns of such numbers line up."""
    return f"{value:.3f}" if 0.001 <= value < 9.9995 else digits(value)


def relative(interval: Interval) -> str:
    """Write a time relative to another, with its interval."""
    return f"{ratio(interval.median)} ({ratio(interval.low)}..{ratio(interval.high)})"


def plus_minus(value: float, reach: float) -> str:
    """Write a number and how far its interval reaches, with as many decimals as the number has."""
    shown = digits(value)
    decimals = len(shown.partition(".")[2])
    return f"{shown} +- {reach:.{decimals}f}" if "e" not in shown else f"{shown} +- {digits(reach)}"


def percent(share: float) -> str:
    """Write a share of 1."""
    return f"{digits(100 * share)} %"


def processes(count: int) -> str:
    """Write a number of processes."""
    return f"{count} process{'' if count == 1 else 'es'}"


def time_unit(seconds: Sequence[float]) -> Unit:
    """Return the unit of time in which the middle one of *seconds* has one to three digits."""
    known = sorted(value for value in seconds if 0 < value < math.inf)
    middle = known[len(known) // 2] if known else 1.0
    return next((unit for unit in _SECONDS if middle >= unit[0]), _SECONDS[-1])


def byte_unit(amounts: Sequence[float]) -> Unit:
    """Return the unit of memory in which the largest of *amounts* has one to four digits before the point."""
    largest = max((value for value in amounts if value < math.inf), default=0)
    return next((unit for unit in _BYTES if largest >= 4 * unit[0]), _BYTES[-1])


def in_unit(value: float, unit: Unit) -> str:
    """Write *value* with its unit; bytes are whole."""
    return f"{value if unit == _BYTES[-1] else digits(value / unit[0])} {unit[1]}"


def in_bytes(amount: float, unit: Unit | None = None) -> str:
    """Write *amount* in a column's unit; in its own where there is none, or where that would show but zeros."""
    return in_unit(amount, byte_unit([amount]) if unit is None or amount < 0.01 * unit[0] else unit)


def room(pad: int) -> tuple[int, int]:
    """Return the text that a slot has room for: bytes of UTF-8 (or of bytes), and characters of UCS4."""
    return 7 + 8 * pad, 2 + 2 * pad


# -- names ------------------------------------------------------------------------------------------------------------


def function_name(key: str) -> str:
    """Return the name in a function's id, without the digest of its source."""
    return re.sub("(?<=.):[0-9a-f]{16}$", "", key)


def variable_name(name: str) -> str:
    """Return what a variable's name in pads stands for."""
    return {OTHERS: "other variables", POOLS: "items of lists and maps"}.get(name, name)


def by_variable(pads: Iterable[tuple[str, int]]) -> list[tuple[str, int]]:
    """Return a function's pads in the order in which they are read: named variables, then items, then the others."""
    last = (POOLS, OTHERS)
    return sorted(pads, key=lambda each: (last.index(each[0]) + 1 if each[0] in last else 0, each[0]))


def candidate_lines(pads: Pads) -> list[str]:
    """Name a candidate: the pad of everything, and a line for each function that has its own."""
    lines = ["default"] if pads.is_default else [] if pads.everywhere is None else [f"pad {pads.everywhere}"]
    for key, variables in pads.functions:
        named = ", ".join(f"{clean(name, 40)} {pad}" for name, pad in by_variable(variables))
        lines.append(f"{clean(function_name(key), 60)}: {named}")
    return lines


def candidate(pads: Pads, most: int = 200) -> str:
    """Name a candidate in one line of about so many characters."""
    return clean("; ".join(candidate_lines(pads)), most)


def clean(text: str, most: int = 300) -> str:
    r"""Write *text* of users in one line: what a terminal or a browser would obey is escaped, what is too long is cut.

    >>> clean("a\x1b[31m\n\u202eb"), clean("abc" * 1000, 10)
    ('a\\x1b[31m \\u202eb', 'abcabcabca... (3000 characters)')
    """
    shown = "".join([_visible(char) for char in text[:most]])
    return shown if len(text) <= most else f"{shown}... ({len(text)} characters)"


def _visible(char: str) -> str:
    if char.isprintable() or char in "\u200c\u200d":  # joiners, which are spelling
        return char
    return " " if char in "\t\n\r" else char.encode("unicode_escape", "surrogatepass").decode()
