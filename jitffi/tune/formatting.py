"""How numbers, names and candidates are written for people: digits, units, and text of users in one safe line.

>>> [digits(x) for x in (0.01234, 0.1234, 1.234, 99.96, 1234.5, 1e6)]
['0.0123', '0.123', '1.23', '100', '1234', '1.00e+06']
>>> ratio(0.44), ratio(1.0), ratio(25.0), relative(Interval(0.43, 0.44, 0.46)), percent(0.2727)
('0.440', '1.000', '25.0', '0.440 (0.430..0.460)', '27.3 %')
>>> unit(5e-7, TIME), memory(50000), memory(300), processes(1), processes(5)
((1e-09, 'ns'), '48.8 KiB', '0.293 KiB', '1 process', '5 processes')
>>> candidate(Pads()), candidate(Pads(3)), candidate(Pads(3, (("f:0123456789abcdef", (("[]", 1), ("w", 4))),)))
('default', 'pad 3', 'pad 3; f: w 4, [] 1')
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from jitffi.profiles.candidates import OTHERS, POOLS, Pads
from jitffi.tune.records import Interval

#: A unit is its size and its name.
Unit = tuple[float, str]
TIME: Sequence[Unit] = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
MEMORY: Sequence[Unit] = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"))


# -- numbers ----------------------------------------------------------------------------------------------------------


def digits(value: float) -> str:
    """Write three figures, or all before the point: 0.123, 1.23, 12.3, 123, 1234; 1.23e+05 from six on."""
    return f"{value:.0f}" if 99.95 <= abs(value) < 99999.5 else f"{value:#.3g}"


def ratio(value: float) -> str:
    """Write a number around 1, so that columns of such numbers line up."""
    return f"{value:.3f}" if value < 9.9995 else digits(value)


def relative(interval: Interval) -> str:
    """Write a time relative to another, with its interval."""
    return f"{ratio(interval.median)} ({ratio(interval.low)}..{ratio(interval.high)})"


def percent(share: float) -> str:
    """Write a share of 1."""
    return f"{digits(100 * share)} %"


def processes(count: int) -> str:
    """Write a number of processes."""
    return f"{count} process{'' if count == 1 else 'es'}"


def unit(value: float, units: Sequence[Unit]) -> Unit:
    """Return the largest of *units* that *value* has one of; the smallest where it has none."""
    return next((each for each in units if value >= each[0]), units[-1])


def memory(amount: float) -> str:
    """Write bytes in the unit that suits them."""
    size, name = unit(amount, MEMORY)
    return f"{digits(amount / size)} {name}"


# -- names ------------------------------------------------------------------------------------------------------------


def function_pads(key: str, pads: Iterable[tuple[str, int]]) -> str:
    """Write a function's name, without the digest of its source that its id has, and its pads: named variables first,
    then items, then the other variables."""
    ordered = sorted(pads, key=lambda each: (each[0] == OTHERS, each[0] == POOLS, each[0]))
    named = ", ".join([f"{clean(name, 40)} {pad}" for name, pad in ordered])
    return f"{clean(re.sub('(?<=.):[0-9a-f]{16}$', '', key), 60)}: {named}"


def candidate_lines(pads: Pads) -> list[str]:
    """Name a candidate: the pad of everything, and a line for each function that has its own."""
    first = ["default"] if pads.is_default else [] if pads.everywhere is None else [f"pad {pads.everywhere}"]
    return first + [function_pads(key, variables) for key, variables in pads.functions]


def candidate(pads: Pads) -> str:
    """Name a candidate in one line, of some 200 characters at most."""
    return clean("; ".join(candidate_lines(pads)), 200)


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
