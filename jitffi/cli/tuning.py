"""`jitffi autotune`: what is asked for, all of it checked before anything is measured."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from jitffi.profiles.candidates import LARGEST_PAD
from jitffi.signature.signature_lists import ArgumentError

if TYPE_CHECKING:
    from jitffi.tune.reports.report import Report

_CORPUS = "--corpus"


def spread(arguments: Sequence[str]) -> list[str]:
    """Repeat --corpus before each of the values that follow it, up to the next option: what click can read.
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
            _check_values(values)
            values = {_CORPUS: 0}.get(argument, 1 if argument.startswith(f"{_CORPUS}=") else -1)
        elif values >= 0:
            if values:
                found.append(_CORPUS)
            values += 1
        found.append(argument)
    _check_values(values)
    return found


def _check_values(values: int) -> None:
    if values == 0:
        raise ArgumentError(f"{_CORPUS}: expected one file or several behind it")


def tune(
    workload: str | None, corpus: Sequence[str], pads: str, budget: str, trace: str | None, scheduler: str | None,
    seed: int, reports: Sequence[str], profile: str | None,
) -> Report:  # fmt: skip
    """Check what was given, and that *reports* and *profile* can be written, then tune. ArgumentError for what cannot
    be, SyntaxError of the workload's file; what jitffi.autotune raises comes out."""
    from jitffi.cli import watching
    from jitffi.tune import workload as workloads
    from jitffi.tune.data import readers
    from jitffi.tune.tuning import parse_budget
    from jitffi.tune.tuning import tune as start

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
        workloads.read(workload)
    for each in corpus:
        readers.check(each)
    _check_outputs(reports, profile)
    with watching.watch("autotune", seconds) as progress:
        return start(workload, tuple(map(Path, corpus)) or None, tried, seconds, scheduler, trace, seed, progress)


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


def _check_outputs(reports: Sequence[str], profile: str | None) -> None:
    from jitffi.profiles import saving
    from jitffi.tune.reports import report

    for each in reports:
        if why := report.refusal(Path(each)):
            raise ArgumentError(f"{each}: {why}")
    places = [*reports, *([] if profile is None else [profile])]
    for each in places:
        _check_place(Path(each))
    if profile is not None:
        saving.check(profile)
    if len(set(map(os.path.realpath, places))) < len(places):
        raise ArgumentError("two of the files to be written have one name")


def _check_place(place: Path) -> None:
    """Try whether a file can be made there."""
    from jitffi.base.outputs import Outputs

    outputs = Outputs()
    try:
        outputs.add(place).unlink()
    except OSError as error:
        raise ArgumentError(f"{place}: {error.strerror}") from None
