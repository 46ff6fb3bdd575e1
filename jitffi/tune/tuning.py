"""What `autotune` does: what it is given is checked and read, searched with, and made a Report of."""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Iterable
from time import monotonic
from typing import Any

from jitffi.profiles import machine
from jitffi.profiles.candidates import LARGEST_PAD, Pads
from jitffi.tune import workload as workloads
from jitffi.tune.data import corpus as corpora
from jitffi.tune.records import Trial
from jitffi.tune.reports.report import Report
from jitffi.tune.run.job import Job
from jitffi.tune.search.clock import Clock
from jitffi.tune.search.evidence import Evidence, Experiment, Progress
from jitffi.tune.search.search import search

TYPE_CHECKING = False
if TYPE_CHECKING:
    from os import PathLike

#: Of the budget, what reading the corpus may take.
_READING = 0.1
_UNITS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "": 1.0}


def tune(
    workload: Any = None,
    corpus: Any = None,
    pads: Iterable[int] = range(16),
    budget: float | str = 30.0,
    executor: Any = None,
    trace: str | PathLike[str] | None = None,
    seed: int = 0,
    progress: Progress | None = None,
) -> Report:
    """Do what `autotune` does; *progress* is told what goes on."""
    started = monotonic()
    tried = tuple(map(Pads, parse_pads(pads)))
    seconds = parse_budget(budget)
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(f"seed: expected an int, got {type(seed).__name__}")
    if trace is None and workload is None:
        raise TypeError("autotune: expected a workload or a trace")
    if trace is not None and (workload is not None or corpus is not None):
        raise TypeError("autotune: a trace has both workload and data; give it alone")
    clock = Clock(seconds, started=started)
    if progress is not None:
        progress("reading", seconds, "")
    if trace is not None:
        from jitffi.tune.traces import replay

        given, sample = replay.read(trace, seed)
    else:
        given, sample = workloads.read(workload), corpora.of(corpus, seed, _READING * seconds)
    if not sample.items and (corpus is not None or trace is not None):
        why = "the corpus is empty" if trace is None else "the trace has nothing to play"
        notes = (f"{why}: nothing was measured", *[each for each in sample.notes if trace or "empty" not in each])
        nothing = tuple([Trial(each, pruned=why) for each in tried])
        return Report(given.name, trials=nothing, environment=machine.environment(), notes=notes, elapsed=clock.elapsed)
    from jitffi.tune.run import runners

    job, runner = Job(given, sample.items, seed), runners.runner(executor)
    return search(Evidence(Experiment(job, sample.notes, tried, runner, clock, progress)))


def parse_budget(budget: float | str) -> float:
    """Return seconds. TypeError for what is neither number nor text, ValueError for what is none, or not more than 0.

    >>> parse_budget(2), parse_budget("500ms"), parse_budget("1.5m")
    (2.0, 0.5, 90.0)
    """
    expected = 'budget: expected a number of seconds above 0, or a text as "10s"'
    if isinstance(budget, str):
        match = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*([a-z]*)\s*", budget)
        if match is None or match[2] not in _UNITS:
            raise ValueError(f"{expected}, got {budget!r}")
        seconds = float(match[1]) * _UNITS[match[2]]
    elif isinstance(budget, bool):
        raise TypeError(f"{expected}, got {budget}")
    else:
        try:
            seconds = float(budget)
        except (TypeError, ValueError):
            raise TypeError(f"{expected}, got {type(budget).__name__}") from None
    if not 0 < seconds < math.inf:
        raise ValueError(f"{expected}, got {budget!r}")
    return seconds


def parse_pads(pads: Any) -> tuple[int, ...]:
    """Return the pads to try, sorted, each once. TypeError for what is no int, ValueError for one that is not of 0 to
    15, and if there is none.

    >>> parse_pads(range(3)), parse_pads([4, 1, 4])
    ((0, 1, 2), (1, 4))
    """
    if isinstance(pads, (str, bytes, int)) or not isinstance(pads, Iterable):
        like = f"[{int(pads)}]" if isinstance(pads, int) else "range(16)"
        got = repr(pads) if isinstance(pads, (str, bytes, int)) else type(pads).__name__
        raise TypeError(f"pads: expected an iterable of ints, as {like}, got {got}")
    found = set()
    for each in pads:
        expected = f"pads: expected ints from 0 to {LARGEST_PAD}, got {each!r}"
        if isinstance(each, bool) or not hasattr(each, "__index__"):
            raise TypeError(expected)
        if not 0 <= each <= LARGEST_PAD:
            raise ValueError(expected)
        found.add(operator.index(each))
    if not found:
        raise ValueError("pads: expected at least one pad to try, got none")
    return tuple(sorted(found))
