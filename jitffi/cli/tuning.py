"""`jitffi autotune`: what is asked for, checked before anything is measured, and what is written at the end."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jitffi.profiles.candidates import LARGEST_PAD
from jitffi.signature.signature_lists import ArgumentError

if TYPE_CHECKING:
    from jitffi.tune.reports.report import Report
    from jitffi.tune.search.evidence import Progress

CORPUS = "--corpus"


def spread(arguments: Sequence[str], option: str = CORPUS) -> list[str]:
    """Repeat an option before each of the values that follow it, up to the next option: what click can read.
    ArgumentError where no value follows.

    >>> spread(["w.py", "--corpus", "a", "b", "-", "--json"])
    ['w.py', '--corpus', 'a', '--corpus', 'b', '--corpus', '-', '--json']
    """
    found: list[str] = []
    values = -1  # of the option, so far; -1: we are not behind it
    for index, argument in enumerate(arguments):
        if argument == "--":
            return [*found, *arguments[index:]]
        if argument.startswith("-") and argument != "-":
            _check_values(option, values)
            values = {option: 0}.get(argument, 1 if argument.startswith(f"{option}=") else -1)
        elif values >= 0:
            if values:
                found.append(option)
            values += 1
        found.append(argument)
    _check_values(option, values)
    return found


def _check_values(option: str, values: int) -> None:
    if values == 0:
        raise ArgumentError(f"{option}: expected one file or several behind it")


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for: nothing has been run yet, and all of it can be done as far as can be known."""

    workload: str | None
    corpus: tuple[Path, ...] | None
    pads: tuple[int, ...]
    budget: float
    trace: str | None
    scheduler: str | None
    seed: int
    reports: tuple[Path, ...]
    profile: Path | None

    def run(self, progress: Progress) -> Report:
        """Tune; what jitffi.autotune raises comes out."""
        from jitffi.tune.tuning import tune

        return tune(self.workload, self.corpus, self.pads, self.budget, self.scheduler, self.trace, self.seed, progress)

    def write(self, report: Report) -> None:
        """Write the reports and the profile. OSError."""
        for place in self.reports:
            report.plot(place)
        if self.profile is not None:
            report.save(self.profile)


def prepare(
    workload: str | None, corpus: Sequence[str], pads: str, budget: str, reports: Sequence[str], profile: str | None,
    trace: str | None, scheduler: str | None, seed: int,
) -> Request:  # fmt: skip
    """Check what was given. ArgumentError for what cannot be, SyntaxError of the workload's file."""
    from jitffi.tune.data import readers
    from jitffi.tune.tuning import parse_budget

    try:
        seconds = parse_budget(budget)
    except ValueError as error:
        raise ArgumentError(str(error)) from None
    tried = parse_pads(pads)
    if trace is not None:
        if workload is not None or corpus:
            raise ArgumentError("--trace has both workload and data; give neither WORKLOAD.py nor --corpus with it")
        readers.existing(trace, "name a file")
    elif workload is None:
        hint = "; it stands before --corpus, which takes all that follows" if _is_python(corpus) else ""
        raise ArgumentError(f"expected WORKLOAD.py, or --trace FILE{hint}")
    else:
        _check_workload(workload, bool(corpus))
    for each in corpus:
        readers.check(each)
    for each in reports:
        _check_report(Path(each))
    if profile is not None:
        _check_profile(Path(profile))
    if len({os.path.realpath(each) for each in (*reports, *filter(None, [profile]))}) < len(reports) + bool(profile):
        raise ArgumentError("two of the files to be written have one name")
    return Request(
        workload, tuple(map(Path, corpus)) or None, tried, seconds, trace, scheduler, seed, tuple(map(Path, reports)),
        None if profile is None else Path(profile),
    )  # fmt: skip


def parse_pads(text: str) -> tuple[int, ...]:
    """The pads of `0-15` or `0,1,4-6`, sorted. ArgumentError.

    >>> parse_pads("4-6,0,1,0")
    (0, 1, 4, 5, 6)
    """
    found: set[int] = set()
    for part in text.split(","):
        match = re.fullmatch(r"\s*(\d{1,2})\s*(?:-\s*(\d{1,2})\s*)?", part, re.ASCII)
        first, last = (int(match[1]), int(match[2] or match[1])) if match else (1, 0)
        if not first <= last <= LARGEST_PAD:
            raise ArgumentError(f"expected pads as 0-{LARGEST_PAD} or 0,1,4, got {text!r}")
        found.update(range(first, last + 1))
    return tuple(sorted(found))


def _is_python(corpus: Sequence[str]) -> bool:
    return bool(corpus) and corpus[-1].endswith(".py")


def _check_workload(path: str, has_corpus: bool) -> None:
    """A file that can be read, and has data if it needs some."""
    from jitffi.tune import workload

    found = workload.read(path)
    if found.parameters is not None and found.parameters.item and not has_corpus:
        raise ArgumentError(f"{path}: its workload is called with items; give them with --corpus FILE...")


def _check_report(place: Path) -> None:
    from jitffi.tune.reports import report

    if why := report.refusal(place):
        raise ArgumentError(f"{place}: {why}")
    _check_place(place)


def _check_profile(place: Path) -> None:
    from jitffi.profiles import saving

    _check_place(place)
    saving.check(place)


def _check_place(place: Path) -> None:
    """Try whether a file can be made there."""
    from jitffi.base.outputs import Outputs

    outputs = Outputs()
    try:
        outputs.add(place).unlink()
    except OSError as error:
        raise ArgumentError(f"{place}: {error.strerror}") from None


def why_nothing(report: Any) -> str:
    """Why there was nothing to measure with; "" if there was."""
    return next((note for note in report.notes if note.endswith(": nothing was measured")), "")
