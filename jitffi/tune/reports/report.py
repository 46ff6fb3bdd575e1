"""What tuning has found out: the choice, all trials, how sure it is; written as a table, JSON or a page."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import Any

from jitffi.profiles.candidates import DEFAULT
from jitffi.tune.formatting import MEMORY, TIME, Unit, unit
from jitffi.tune.records import Interval, Trial

#: Processes whose median one that was disturbed cannot move far.
_ENOUGH = 3


@dataclass(frozen=True, slots=True, repr=False)
class Report:
    """The result of `autotune`. Read only; it pickles.

    Nothing has been better than the compiler's own pads, beyond the noise, where `winner` is None: then `best` is
    None, too, and `functions` is empty.

    >>> from jitffi.profiles.candidates import Pads
    >>> trial = Trial(Pads(3), Interval(0.0019, 0.002, 0.0021), Interval(0.48, 0.5, 0.52), runs=5)
    >>> report = Report("words.py", best=3, winner=trial, trials=(trial,), runs=5)
    >>> report
    <Report of words.py: Pad 3 makes it 2.00 times as fast as the default.>
    >>> report.gain
    Interval(low=1.923076923076923, median=2.0, high=2.0833333333333335)
    >>> Report("words.py", notes=("the corpus is empty: nothing was measured",))
    <Report of words.py: Nothing was measured.>
    """

    #: The name of the workload.
    workload: str
    #: The pad to use; None: no difference, the compiler's own. Of a winner that has several: the largest.
    best: int | None = None
    #: The trial of the choice, which may be one of `refined`; None: no difference.
    winner: Trial | None = None
    #: The compiler's own pads: variables 0, pools 1.
    default: Trial = Trial(DEFAULT)
    #: One for each pad that was asked for, in the order of the pads: measured, pruned or failed.
    trials: tuple[Trial, ...] = ()
    #: Trials of candidates that have several pads, by function or by variable.
    refined: tuple[Trial, ...] = ()
    #: What a profile says: the pad of each variable, by function id; "*": the others, "[]": items.
    functions: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    #: The default's second measurement, relative to its first: what the same code differs by.
    noise: Interval | None = None
    #: The machine that has measured: cpu, caches, llvm, abi, python, jitffi, platform. JSON's types only.
    environment: Mapping[str, Any] = field(default_factory=dict)
    #: What one should know before believing the rest; a line each.
    notes: tuple[str, ...] = ()
    #: Ctrl-C has ended it.
    interrupted: bool = False
    #: Why the winner wins, in two sentences; "": there is nothing to explain.
    explanation: str = ""
    #: Processes that have measured.
    runs: int = 0
    #: Items of the corpus in one pass; 0: the workload is no function of items.
    items: int = 0
    #: Seconds that all of it took.
    elapsed: float | None = None

    @property
    def gain(self) -> Interval | None:
        """How many times as fast as the default the winner is. None: there is no winner."""
        if self.winner is None or self.winner.relative is None:
            return None
        relative = self.winner.relative
        low, median, high = (1 / each if each else math.inf for each in (relative.high, relative.median, relative.low))
        return Interval(low, median, high)

    @property
    def candidates(self) -> tuple[Trial, ...]:
        """All trials, the default's first."""
        return (self.default, *self.trials, *self.refined)

    def is_rough(self, trial: Trial) -> bool:
        """Return whether so few processes have measured it, while others had more, that its time is a hint only."""
        return trial.seconds is not None and trial.runs < min(_ENOUGH, max(each.runs for each in self.candidates))

    @property
    def pace_unit(self) -> Unit:
        """What all times are shown in: its seconds of a pass, and its name with what they are of."""
        items = self.items or 1
        first = next((trial.seconds.median for trial in self.candidates if trial.seconds), 1.0)
        size, name = unit(first / items, TIME)
        return items * size, f"{name} {'an item' if self.items else 'a pass'}"

    @property
    def memory_unit(self) -> Unit:
        """What all peaks are shown in."""
        return unit(next((trial.peak_bytes for trial in self.candidates if trial.peak_bytes), 0), MEMORY)

    def as_dict(self) -> dict[str, Any]:
        """Return what `--json` prints: dicts, lists, str, finite numbers, True, False and None; seconds of a pass."""
        found = {
            "workload": self.workload,
            "best": self.best,
            "gain": self.gain,
            "winner": None if self.winner is None else _trial(self.winner),
            "choice": self.functions,
            "default": {**_trial(self.default), "locals": 0, "pools": 1},
            "trials": [_trial(trial) for trial in self.trials],
            "refined": [_trial(trial) for trial in self.refined],
            "noise": self.noise,
        }
        names = ("explanation", "environment", "notes", "interrupted", "runs", "items", "elapsed")
        plain: dict[str, Any] = _plain({**found, **{name: getattr(self, name) for name in names}})
        return plain

    def save(self, path: str | PathLike[str]) -> None:
        """Put the choice into the profile at *path*, which may have others already. OSError if that cannot be."""
        from jitffi.profiles import saving

        saving.save_report(self, path)

    def plot(self, path: str | PathLike[str]) -> None:
        """Write the report to *path*, by its ending: .html, a page that needs nothing else; .json.

        ValueError for other endings. What was at *path* is replaced once all has been written.
        """
        place = Path(path)
        if why := refusal(place):
            raise ValueError(f"plot: {place}: {why}")
        if place.suffix.lower() == ".html":
            from jitffi.tune.reports.page import page

            content = page(self)
        else:
            content = json.dumps(self.as_dict(), indent=2, allow_nan=False) + "\n"
        from jitffi.base.outputs import Outputs

        with Outputs() as outputs:
            outputs.add(place).write_bytes(content.encode())

    def __repr__(self) -> str:
        from jitffi.tune.formatting import clean
        from jitffi.tune.reports.statements import answer

        return f"<Report of {clean(self.workload, 60)}: {answer(self)}>"

    def __str__(self) -> str:
        from jitffi.tune.reports.table import as_text

        return as_text(self)


def refusal(place: Path) -> str:
    """Return why a report cannot be written to a file of that name; "" if it can.

    >>> refusal(Path("out.pdf")), refusal(Path("out.html"))
    ("unknown ending '.pdf'; known: .html, .json", '')
    """
    ending = place.suffix.lower()
    if ending == ".png":
        return "reports are not drawn as pictures; name an .html file: a page, which a browser shows and prints"
    return "" if ending in (".html", ".json") else f"unknown ending {place.suffix!r}; known: .html, .json"


def _trial(trial: Trial) -> dict[str, Any]:
    names = ("pad", "seconds", "relative", "peak_bytes", "runs", "pruned", "not_won")
    found = {name: getattr(trial, name) for name in names}
    found["failure"] = None if trial.failure is None else trial.failure.text
    found["functions"] = {key: dict(variables) for key, variables in trial.pads.functions}
    return found


def _plain(value: object) -> Any:
    """Return *value* of JSON's types only, whatever mappings and sequences it is made of; it has no infinities."""
    if isinstance(value, Interval):
        return {"low": _plain(value.low), "median": _plain(value.median), "high": _plain(value.high)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if value is None or isinstance(value, (str, int)):
        return value
    return [_plain(item) for item in value] if isinstance(value, Iterable) else str(value)
