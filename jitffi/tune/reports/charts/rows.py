"""What the charts of candidates have in common: a row each, with its label, and what is told about it."""

from __future__ import annotations

import math
from dataclasses import dataclass

from jitffi.tune.records import Interval, Trial
from jitffi.tune.reports import wording
from jitffi.tune.reports.report import Report


@dataclass(frozen=True, slots=True)
class Row:
    """A candidate in a chart. `label` is short, and no other's."""

    label: str
    trial: Trial
    status: tuple[str, ...]
    #: Its time is of too few processes.
    is_rough: bool = False
    #: Its time and its memory, as all outputs show them; "": not known.
    spent: str = ""
    peak: str = ""

    @property
    def classes(self) -> str:
        return " ".join(("mark", *(["rough"] if self.is_rough else []), *(word.lower() for word in self.status)))

    @property
    def relative(self) -> Interval | None:
        """Of what has been measured, and can be drawn."""
        trial = self.trial
        if trial.seconds is None:
            return None
        found = Interval(1.0, 1.0, 1.0) if trial.pads.is_default else trial.relative
        return found if found is not None and 0 < found.median < math.inf else None

    @property
    def guess(self) -> float | None:
        """The model's, of what has not been measured, and can be drawn."""
        trial = self.trial
        if trial.seconds is not None or trial.failure is not None or trial.predicted is None:
            return None
        return trial.predicted if 0 < trial.predicted < math.inf else None

    @property
    def time(self) -> str:
        """`relative` for reading; "" where there is none."""
        if self.relative is None:
            return ""
        if self.is_rough:
            return f"{wording.ratio(self.relative.median)} ({wording.processes(self.trial.runs)})"
        return wording.relative(self.relative)

    @property
    def whisker(self) -> tuple[float, float]:
        """The ends of the interval of `relative`, as far as they are numbers; both are its median otherwise."""
        found = self.relative
        if found is None:
            return 1.0, 1.0
        low, high = (end if math.isfinite(end) else found.median for end in (found.low, found.high))
        return low, high

    @property
    def story(self) -> str:
        """All about it in a line."""
        trial = self.trial
        parts = [self.label if trial.pads.is_default or trial.pads.functions else f"pad {self.label}"]
        if trial.pads.functions:
            parts.append(wording.candidate(trial.pads))
        if trial.failure is not None:
            parts.append(f"failed: {trial.failure.text}")
        if self.relative is not None and not trial.pads.is_default:
            parts.append(f"{self.time} of the default's time")
        if trial.seconds is not None:
            parts.append(self.spent)
        elif trial.predicted is not None:
            parts.append(f"predicted {wording.ratio(trial.predicted)} of the default's time")
        if self.peak:
            parts.append(f"{self.peak} at its peak")
        if trial.not_won:
            parts.append(f"has not won: {trial.not_won}")
        shown = [trial.pruned] if trial.pruned else [word for word in self.status if word not in ("default", "failed")]
        return "; ".join(parts + shown)


def rows(report: Report) -> list[Row]:
    """The default, all pads, and the finer candidates."""
    labelled = [("default", report.default)]
    labelled += [(str(trial.pads.everywhere), trial) for trial in report.trials]
    labelled += [(f"finer {number}", trial) for number, trial in enumerate(report.refined, 1)]
    pace, memory = wording.pace_unit(report), wording.memory_unit((report.default, *report.trials))
    return [
        Row(
            name,
            trial,
            wording.status(report, trial),
            report.is_rough(trial),
            "" if trial.seconds is None else wording.in_unit(trial.seconds.median, pace),
            "" if trial.peak_bytes is None else wording.in_bytes(trial.peak_bytes, memory),
        )
        for name, trial in labelled
    ]
