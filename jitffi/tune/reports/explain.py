"""Why a winner wins, in two sentences: allocations that it saves, and the memory that this takes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jitffi.profiles import machine
from jitffi.tune.formatting import candidate, memory
from jitffi.tune.records import Counts

if TYPE_CHECKING:
    from jitffi.tune.reports.report import Report


def explain(report: Report) -> str:
    """Return the two sentences; "" where nothing wins, or it was not counted.

    >>> from jitffi.profiles.candidates import Pads
    >>> from jitffi.tune.records import Trial
    >>> from jitffi.tune.reports.report import Report
    >>> default = Trial(Pads(), counts=Counts(1000, 90000, 3000, 0))
    >>> winner = Trial(Pads(4), counts=Counts(100, 60000, 5000, 0))
    >>> print(explain(Report("w", default=default, trials=(winner,), winner=winner)))
    With pad 4, more text lies in its slot: a pass makes 100 allocations instead of 1,000. They are 58.6 KiB instead \
of 87.9 KiB, and at most 4.88 KiB are in use at a time instead of 2.93 KiB, which still fits the same caches.
    """
    before, after = report.default.counts, None if report.winner is None else report.winner.counts
    if report.winner is None or before is None or after is None:
        return ""
    calls = f"a pass makes {after.allocations:,} allocations instead of {before.allocations:,}"
    if after.allocations < before.allocations:
        saved = f"more text lies in its slot: {calls}."
    elif after.allocated_bytes < before.allocated_bytes:
        saved = f"slots are no wider than their text needs: {calls}, and they are smaller."
    else:
        saved = f"{calls}: what is faster is not the allocations."
    return f"With {candidate(report.winner.pads)}, {saved} {_moved(before, after)}"


def _moved(before: Counts, after: Counts) -> str:
    moved = f"They are {memory(after.allocated_bytes)} instead of {memory(before.allocated_bytes)}"
    in_use = f"at most {memory(after.all_peak_bytes)} are in use at a time instead of {memory(before.all_peak_bytes)}"
    now, then = _level(after.all_peak_bytes), _level(before.all_peak_bytes)
    fits = "still fits the same caches" if now == then else f"now fits {now}" if now < then else f"now needs {now}"
    return f"{moved}, and {in_use}, which {fits}."


def _level(in_use: int) -> str:
    """Return the nearest cache that holds so many bytes: the names sort as the caches are near."""
    sizes = machine.caches()
    return next((f"L{level}" for level, size in enumerate(sizes, 1) if in_use <= size), "main memory")
