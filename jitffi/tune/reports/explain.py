"""Why a winner wins, or nothing does, in two sentences: texts that find their place in a slot, and bytes for it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from jitffi.profiles import machine
from jitffi.tune.formatting import Unit, candidate, in_bytes, percent
from jitffi.tune.lengths import Lengths, heap_texts
from jitffi.tune.records import Counts, Trial

if TYPE_CHECKING:
    from jitffi.tune.reports.report import Report

#: The share of the default's time below which a candidate is not the same.
_GAIN = 0.95


def explain(report: Report) -> str:
    """Return the two sentences; "" where nothing was counted.

    >>> from jitffi.profiles.candidates import Pads
    >>> from jitffi.tune.reports.report import Report
    >>> default = Trial(Pads(), counts=Counts(1000, 90000, 3000, 0, ((80, 900), (180, 100))))
    >>> winner = Trial(Pads(4), counts=Counts(100, 60000, 5000, 0, ((600, 100),)))
    >>> print(explain(Report("w", default=default, trials=(winner,), winner=winner, histogram=((31, 1000),))))
    With pad 4, 100 % of the texts that a pad can make room for lie in their slots, with the default 10.0 %, so that a \
pass makes 100 allocations instead of 1,000. They are 58.6 KiB instead of 87.9 KiB, and at most 4.88 KiB are in use at \
a time instead of 2.93 KiB, which still fits the same caches.
    """
    before, known = report.default.counts, [trial for trial in report.trials if trial.counts is not None]
    if before is None or (report.winner is None and not known):
        return ""
    if report.winner is None:
        return _nothing(before, known)
    after = report.winner.counts
    if after is None:
        return ""
    return f"{_saved(report.winner, before, after, report.histogram)} {_moved(before, after, report.memory_unit)}"


def _saved(winner: Trial, before: Counts, after: Counts, histogram: Lengths) -> str:
    name = candidate(winner.pads)
    total = sum(count for _, count in histogram)
    calls = f"a pass makes {after.allocations:,} allocations instead of {before.allocations:,}"
    if after.allocations >= before.allocations:
        if after.allocated_bytes < before.allocated_bytes:
            return f"With {name}, slots are no wider than their text needs: {calls}, and they are smaller."
        return f"With {name}, {calls}: what is faster is not the allocations."
    if not total:
        return f"With {name}, more text lies in its slot, so that {calls}."
    now, then = (max(0.0, 1 - heap_texts(counts, histogram) / total) for counts in (after, before))
    share = f"{percent(now)} of the texts that a pad can make room for lie in their slots"
    return f"With {name}, {share}, with the default {percent(then)}, so that {calls}."


def _moved(before: Counts, after: Counts, unit: Unit) -> str:
    moved = f"They are {in_bytes(after.allocated_bytes)} instead of {in_bytes(before.allocated_bytes)}"
    peaks = [in_bytes(counts.all_peak_bytes, unit) for counts in (after, before)]
    in_use = f"at most {peaks[0]} are in use at a time instead of {peaks[1]}"
    now, then = _level(after.all_peak_bytes), _level(before.all_peak_bytes)
    fits = "still fits the same caches" if now == then else f"now fits {now}" if now < then else f"now needs {now}"
    return f"{moved}, and {in_use}, which {fits}."


def _nothing(before: Counts, trials: Sequence[Trial]) -> str:
    counted = [(each.counts, each) for each in trials if each.counts is not None]
    fewest, trial = min(counted, key=lambda pair: pair[0].allocations)
    amounts = [counts.allocated_bytes for counts, _ in counted]
    sizes = f"they are {in_bytes(min(amounts))} to {in_bytes(max(amounts))}, by pad"
    if fewest.allocations >= before.allocations:
        return (
            f"No pad saves any of the default's {before.allocations:,} allocations a pass: no text gains its place in "
            f"a slot. What a pad changes is how large they are: {sizes}."
        )
    name = candidate(trial.pads)
    made = f"With {name} a pass makes {fewest.allocations:,} allocations, with the default {before.allocations:,}"
    if trial.relative is not None and trial.relative.median < _GAIN:
        told = "it seems to be faster, and there were too few runs to be sure"
    else:
        told = "that is too little to be seen in the whole time"
    return f"{made}, and no pad makes fewer: {told}. In bytes {sizes}."


def _level(in_use: int) -> str:
    """Return the nearest cache that holds so many bytes: the names sort as the caches are near."""
    sizes = machine.caches()
    return next((f"L{level}" for level, size in enumerate(sizes, 1) if in_use <= size), "main memory")
