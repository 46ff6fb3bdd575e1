"""How a report is put into words: units for reading, names of candidates, and the answer in a sentence."""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from jitffi.profiles.candidates import OTHERS, POOLS, Pads
from jitffi.tune.records import Interval, Trial

if TYPE_CHECKING:
    from jitffi.tune.reports.report import Report

_SECONDS = ((1.0, "s"), (1e-3, "ms"), (1e-6, "us"), (1e-9, "ns"))
_BYTES = ((1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB"), (1, "B"))


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
    """The unit in which the largest of *amounts* has one to four digits before the point.

    >>> byte_unit([3000, 50000])
    (1024, 'KiB')
    """
    largest = max((value for value in amounts if value < math.inf), default=0)
    return next((pair for pair in _BYTES if largest >= 4 * pair[0]), _BYTES[-1])


def pace_unit(report: Report) -> tuple[float, str]:
    """What all times of a report are shown in: its seconds of a pass, and its name with what they are of."""
    items = report.items or 1
    shown = [trial.seconds.median / items for trial in (report.default, *report.trials) if trial.seconds is not None]
    unit = time_unit(shown)
    return items * unit[0], f"{unit[1]} {'an item' if report.items else 'a pass'}"


def memory_unit(trials: Iterable[Trial]) -> tuple[float, str]:
    """What all peaks of a report are shown in, by its default and uniform *trials*."""
    return byte_unit([trial.peak_bytes or 0 for trial in trials])


def in_bytes(amount: float, unit: tuple[float, str]) -> str:
    """*amount* in a column's unit, or in its own where that would show but zeros.

    >>> in_bytes(2000, (1024, "KiB")), in_bytes(3, (1024, "KiB"))
    ('1.95 KiB', '3 B')
    """
    return in_unit(amount, unit if amount >= 0.01 * unit[0] else byte_unit([amount]))


def in_unit(value: float, unit: tuple[float, str]) -> str:
    """*value* with its unit.

    >>> in_unit(0.00123, (1e-3, "ms"))
    '1.23 ms'
    """
    shown = str(value) if isinstance(value, int) and unit[0] == 1 else digits(value / unit[0])
    return f"{shown} {unit[1]}"


def plus_minus(value: float, reach: float) -> str:
    """A number and how far its interval reaches, with as many decimals as it has.

    >>> plus_minus(84.7, 0.8471), plus_minus(1234, 0.2)
    ('84.7 +- 0.8', '1234 +- 0')
    """
    shown = digits(value)
    decimals = len(shown.partition(".")[2])
    return f"{shown} +- {reach:.{decimals}f}" if "e" not in shown else f"{shown} +- {digits(reach)}"


def percent(share: float) -> str:
    """A share of 1.

    >>> percent(0.2727), percent(1.0)
    ('27.3 %', '100 %')
    """
    return f"{digits(100 * share)} %"


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


def variable_order(item: tuple[str, int]) -> tuple[int, str]:
    """By what a function's pads are sorted for reading: named variables, items, the others."""
    return (POOLS, OTHERS).index(item[0]) + 1 if item[0] in (POOLS, OTHERS) else 0, item[0]


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
    return percent(max(abs(interval.low - 1), abs(interval.high - 1)))


def is_finite(interval: Interval) -> bool:
    """Whether it has two ends."""
    return math.isfinite(interval.low) and math.isfinite(interval.high)


def brief(report: Report) -> str:
    """The answer in a few words, without a full stop."""
    gain = report.gain
    if report.winner is not None:
        what = f"pads by function ({report.best} where most text is)" if report.winner.pads.functions else ""
        what = what or f"pad {report.best}"
        return what if gain is None else f"{what}, {factor(gain.median)} as fast as the default"
    if not was_measured(report):
        return "nothing was measured"
    return "no difference" if report.default.failure is None else "the default fails"


def answer(report: Report) -> str:
    """The answer in a sentence."""
    gain = report.gain
    if report.winner is not None and gain is not None:
        what = "Pads by function make" if report.winner.pads.functions else f"Pad {report.best} makes"
        return f"{what} it {digits(gain.median)} times as fast as the default."
    if report.default.failure is not None and was_measured(report):
        if report.winner is not None:
            return f"The default fails; {candidate(report.winner.pads)} is the fastest of what works."
        return "The default fails: there is nothing to compare the others with."
    if was_measured(report):
        so_far = " so far" if report.interrupted else ""
        return f"No difference: nothing beats the default beyond the noise{so_far}."
    if any(trial.failure for trial in (report.default, *report.trials)):
        return "Nothing was measured: it failed."
    return "Nothing was measured."


def certainty(report: Report) -> str:
    """How sure the answer is, in sentences; "" where nothing was measured."""
    if not was_measured(report):
        return ""
    said = []
    gain = report.gain
    nearest = fastest(report)
    if gain is not None:
        said.append(f"With 95 % confidence, {digits(gain.low)} to {digits(gain.high)} times.")
    elif nearest is not None and nearest.relative is not None:
        name = clean(candidate(nearest.pads), 100)
        said.append(f"The fastest, {name}, takes {relative(nearest.relative)} of the default's time.")
    if report.runs:
        said.append(f"Measured in {processes(report.runs)}.")
    if report.noise is not None and is_finite(report.noise):
        said.append(f"The default, measured twice, differs from itself by up to {percent_interval(report.noise)}.")
    return " ".join(said)


def fastest(report: Report) -> Trial | None:
    """The candidate with the smallest median, the default aside."""
    known = [trial for trial in (*report.trials, *report.refined) if trial.relative is not None]
    known = [trial for trial in known if not report.is_rough(trial)]
    return min(known, key=lambda trial: trial.relative.median if trial.relative else math.inf, default=None)


def overlooked(report: Report) -> str:
    """Why the fastest of those has not won that look faster than what has, in a sentence; "" without such."""
    found = [trial for trial in (*report.trials, *report.refined) if trial.not_won and trial.relative is not None]
    nearest = min(found, key=lambda trial: trial.relative.median if trial.relative else math.inf, default=None)
    if nearest is None or nearest.relative is None:
        return ""
    name, than = clean(candidate(nearest.pads), 100), "the winner" if report.winner is not None else "the default"
    return f"{name} looks faster than {than}, {ratio(nearest.relative.median)}, and has not won: {nearest.not_won}"


def uncounted(report: Report) -> str:
    """Why memory is not known of some, with their number; "" where it is of all."""
    shown = (*report.trials, *report.refined)
    reasons = list(dict.fromkeys([trial.uncounted for trial in shown if trial.uncounted]))
    count = len([trial for trial in shown if trial.uncounted])
    if not reasons or count == len(shown) and not was_measured(report):
        return ""
    return f"the memory of {count} of {len(shown)} candidates is not known: {', '.join(reasons)}"


def relative(interval: Interval) -> str:
    """A time relative to another, with its interval.

    >>> relative(Interval(0.43, 0.44, 0.46))
    '0.440 (0.430..0.460)'
    """
    return f"{ratio(interval.median)} ({ratio(interval.low)}..{ratio(interval.high)})"


def processes(count: int) -> str:
    """How many.

    >>> processes(1), processes(5)
    ('1 process', '5 processes')
    """
    return f"{count} process{'' if count == 1 else 'es'}"


def ratio(value: float) -> str:
    """A number around 1, so that columns of them line up.

    >>> ratio(0.44), ratio(1.0), ratio(25.0), ratio(0.00001)
    ('0.440', '1.000', '25.0', '1e-05')
    """
    return f"{value:.3f}" if 0.001 <= value < 9.9995 else digits(value)


def clean(text: str, most: int = 300) -> str:
    r"""*text* of users in one line: what a terminal or a browser would obey is escaped, what is too long is cut.

    >>> clean("a\x1b[31m\n\u202eb")
    'a\\x1b[31m \\u202eb'
    >>> clean("abc" * 1000, 10)
    'abcabcabca... (3000 characters)'
    """
    shown = "".join(_visible(char) for char in text[:most])
    return shown if len(text) <= most else f"{shown}... ({len(text)} characters)"


def _visible(char: str) -> str:
    if char in "\t\n\r":
        return " "
    # Controls, among them those of direction; halves of pairs; line ends. Not joiners, which are spelling.
    if unicodedata.category(char) in ("Cc", "Cf", "Cs", "Zl", "Zp") and char not in "\u200c\u200d":
        return char.encode("unicode_escape", "surrogatepass").decode()
    return char


def status(report: Report, trial: Trial) -> tuple[str, ...]:
    """What is to be said of a trial: winner, default, failed, pruned, unmeasured, Pareto; several or none."""
    words = ["default"] if trial.pads.is_default else []
    if trial.failure is not None:
        return (*words, "failed")
    if trial.seconds is None:
        return (*words, "pruned" if trial.pruned else "unmeasured")
    if report.winner is not None and trial.pads == report.winner.pads:
        words.append("winner")
    if any(trial.pads == other.pads for other in report.pareto):
        words.append("Pareto")
    return tuple(words)


def failures(report: Report) -> list[str]:
    """A line for each kind of failure, with the candidates that it has befallen."""
    found: dict[str, list[str]] = {}
    for trial in (report.default, *report.trials, *report.refined):
        if trial.failure is not None:
            found.setdefault(trial.failure.text, []).append(candidate(trial.pads))
    lines = []
    for failure, names in found.items():
        # pad 1, pad 2 -> pad 1, 2
        short = [
            name.removeprefix("pad ") if name[:4] == before[:4] == "pad " else name
            for before, name in zip(["", *names], names, strict=False)
        ]
        lines.append(f"failed: {clean(', '.join(short), 200)}: {clean(failure)}")
    return lines
