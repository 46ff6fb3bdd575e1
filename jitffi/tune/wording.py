"""How a report is put into words: units for reading, names of candidates, and the answer in a sentence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jitffi.tune.records import OTHERS, POOLS, Interval, Pads, Trial

if TYPE_CHECKING:
    from jitffi.tune.report import Report

_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
_BYTES = ((1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))


def digits(value: float) -> str:
    """Three figures, or all of an integer's: 0.123, 1.23, 12.3, 123, 1234; 1.2e+05 from six on.

    >>> [digits(x) for x in (0, 0.01234, 0.1234, 1.234, 99.96, 1234.5, 1e6)]
    ['0', '0.0123', '0.123', '1.23', '100', '1234', '1e+06']
    """
    if not math.isfinite(value):
        return "?"
    size = abs(value)
    if size >= 99999.5 or 0 < size < 1e-4:
        return f"{value:.2g}"
    if size >= 99.95:
        return f"{value:.0f}"
    if size >= 9.995:
        return f"{value:.1f}"
    return f"{value:.2f}" if size >= 0.9995 else f"{value:.3g}"


def time_unit(seconds: Sequence[float]) -> tuple[float, str]:
    """The unit, in seconds and by name, in which the middle one of *seconds* has one to three digits.

    >>> time_unit([3e-7, 5e-7, 2e-6])
    (1e-09, 'ns')
    """
    known = sorted(value for value in seconds if 0 < value < math.inf)
    middle = known[len(known) // 2] if known else 1.0
    return next((pair for pair in _SECONDS if middle >= pair[0]), _SECONDS[-1])


def byte_unit(amounts: Sequence[float]) -> tuple[float, str]:
    """As `time_unit`, of bytes.

    >>> byte_unit([3000, 5000])
    (1024, 'KiB')
    """
    largest = max((value for value in amounts if value < math.inf), default=0)
    return next((pair for pair in _BYTES if largest >= pair[0]), _BYTES[-1])


def in_unit(value: float, unit: tuple[float, str]) -> str:
    """*value* with its unit.

    >>> in_unit(0.00123, (1e-3, "ms"))
    '1.23 ms'
    """
    return f"{digits(value / unit[0])} {unit[1]}"


def factor(value: float) -> str:
    """How many times as fast.

    >>> factor(1.256), factor(123.4)
    ('1.26x', '123x')
    """
    return f"{digits(value)}x"


def room(pad: int) -> tuple[int, int]:
    """Text that a slot has room for: bytes of UTF-8 (or of bytes), characters of UCS4.

    >>> room(0), room(15)
    ((7, 2), (127, 32))
    """
    return 7 + 8 * pad, 2 + 2 * pad


def function_name(key: str) -> str:
    """The name in a function's key, without the digest of its source.

    >>> function_name("Parser.words:0123456789abcdef"), function_name("add: (str) -> str")
    ('Parser.words', 'add: (str) -> str')
    """
    name, _, digest = key.rpartition(":")
    is_digest = len(digest) == 16 and all(digit in "0123456789abcdef" for digit in digest)
    return name if name and is_digest else key


def variable_name(name: str) -> str:
    """What a variable's name in pads stands for."""
    return {OTHERS: "other variables", POOLS: "items of lists and maps"}.get(name, name)


def candidate(pads: Pads) -> str:
    """A candidate in one line.

    >>> candidate(Pads()), candidate(Pads(3)), candidate(Pads(3, (("f:0123456789abcdef", (("[]", 1), ("w", 4))),)))
    ('default', 'pad 3', 'pad 3, f: []=1 w=4')
    """
    if pads.is_default:
        return "default"
    parts = ["" if pads.everywhere is None else f"pad {pads.everywhere}"]
    for key, variables in pads.functions:
        parts.append(f"{function_name(key)}: " + " ".join(f"{name}={pad}" for name, pad in variables))
    return ", ".join(part for part in parts if part)


def was_measured(report: Report) -> bool:
    """Whether there are times of anything but the default."""
    return any(trial.seconds is not None for trial in (*report.trials, *report.refined))


def percent_interval(interval: Interval) -> str:
    """How far an interval around 1 reaches from it.

    >>> percent_interval(Interval(0.985, 1.0, 1.01))
    '1.50 %'
    """
    return f"{digits(100 * max(abs(interval.low - 1), abs(interval.high - 1)))} %"


def brief(report: Report) -> str:
    """The answer in a few words, without a full stop."""
    gain = report.gain
    if report.winner is not None:
        pads = report.winner.pads
        what = f"pad {report.best}" if not pads.functions else f"pads by function ({report.best} where most text is)"
        return what if gain is None else f"{what}, {factor(gain.median)} as fast as the default"
    if not was_measured(report):
        return "nothing was measured"
    return "no difference"


def status(report: Report, trial: Trial) -> tuple[str, ...]:
    """What is to be said of a trial: winner, failed, pruned, unmeasured, Pareto; several or none."""
    if trial.failure is not None:
        return ("failed",)
    if trial.seconds is None:
        return ("pruned",) if trial.pruned else ("unmeasured",)
    words = ["winner"] if report.winner is not None and trial.pads == report.winner.pads else []
    if any(trial.pads == other.pads for other in report.pareto):
        words.append("Pareto")
    return tuple(words)
