"""Why a winner wins, or nothing does, in two sentences: texts that find their place in a slot, and bytes for it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from jitffi.profiles import machine
from jitffi.tune.records import Choice, Counts, Trial
from jitffi.tune.reports import wording
from jitffi.tune.search.model import heap_texts

#: Of the default's time, below which a candidate is not the same.
_GAIN = 0.95


def explain(choice: Choice, histogram: Sequence[tuple[int, int]] = ()) -> str:
    """Return the two sentences; "" where nothing was counted. *histogram* is `jitffi.tune.search.model.histogram`'s.

    >>> from jitffi.profiles.candidates import Pads
    >>> from jitffi.tune.records import Choice, Counts, Trial
    >>> default = Trial(Pads(), counts=Counts(1000, 90000, 3000, 0, ((80, 900), (180, 100))))
    >>> winner = Trial(Pads(4), counts=Counts(100, 60000, 5000, 0, ((600, 100),)))
    >>> print(explain(Choice("CPU", default, (winner,), winner=winner), ((31, 1000),)))
    With pad 4, 100 % of the texts that a pad can make room for lie in their slots, with the default 10.0 %, so that a \
pass makes 100 allocations instead of 1,000. They are 58.6 KiB instead of 87.9 KiB, and at most 4.88 KiB are in use at \
a time instead of 2.93 KiB, which still fits the same caches.
    """
    before = choice.default.counts
    if before is None:
        return ""
    if choice.winner is not None:
        after = choice.winner.counts
        if after is None:
            return _by_length(choice.winner, before, histogram)
        unit = wording.memory_unit((choice.default, *choice.trials))
        return f"{_saved(choice.winner, before, after, histogram)} {_moved(before, after, unit)}"
    known = [trial for trial in choice.trials if trial.counts is not None]
    return _nothing(before, known) if known else ""


def _by_length(winner: Trial, before: Counts, histogram: Sequence[tuple[int, int]]) -> str:
    """What the lengths tell of a winner that there was no time to count."""
    pad, total = winner.pads.everywhere, sum(count for _, count in histogram)
    if pad is None or winner.pads.functions or not total:
        return ""
    in_bytes, characters = wording.room(pad)
    most = in_bytes if math.gcd(*[length for length, _ in histogram]) % 4 else 4 * characters
    fit = sum(count for length, count in histogram if length <= most) / total
    on_heap = heap_texts(before, histogram) / total
    return (
        f"With pad {pad}, {_percent(fit)} of the texts that a pad can make room for are short enough for their slots, "
        f"with the default {_percent(1 - on_heap)} lie there. What the default allocates are "
        f"{before.allocations:,} pieces a pass, {_bytes(before.allocated_bytes)}, and there was no time to count the "
        f"winner's."
    )


def _saved(winner: Trial, before: Counts, after: Counts, histogram: Sequence[tuple[int, int]]) -> str:
    name = wording.clean(wording.candidate(winner.pads), 200)
    total = sum(count for _, count in histogram)
    calls = f"a pass makes {after.allocations:,} allocations instead of {before.allocations:,}"
    if after.allocations >= before.allocations:
        if after.allocated_bytes < before.allocated_bytes:
            return f"With {name}, slots are no wider than their text needs: {calls}, and they are smaller."
        return f"With {name}, {calls}: what is faster is not the allocations."
    if not total:
        return f"With {name}, more text lies in its slot, so that {calls}."
    now, then = (1 - heap_texts(counts, histogram) / total for counts in (after, before))
    share = f"{_percent(now)} of the texts that a pad can make room for lie in their slots"
    return f"With {name}, {share}, with the default {_percent(then)}, so that {calls}."


def _moved(before: Counts, after: Counts, unit: tuple[float, str]) -> str:
    moved = f"They are {_bytes(after.allocated_bytes)} instead of {_bytes(before.allocated_bytes)}"
    peaks = [wording.in_bytes(counts.all_peak_bytes, unit) for counts in (after, before)]
    in_use = f"at most {peaks[0]} are in use at a time instead of {peaks[1]}"
    now, then = _level(after.all_peak_bytes), _level(before.all_peak_bytes)
    fits = "still fits the same caches" if now == then else f"now fits {now}" if now < then else f"now needs {now}"
    return f"{moved}, and {in_use}, which {fits}."


def _nothing(before: Counts, trials: Sequence[Trial]) -> str:
    fewest = min(trials, key=_allocations)
    saved = before.allocations - _allocations(fewest)
    bytes_made = [each.counts.allocated_bytes for each in trials if each.counts is not None]
    sizes = f"they are {_bytes(min(bytes_made))} to {_bytes(max(bytes_made))}, by pad"
    if saved <= 0:
        return (
            f"No pad saves any of the default's {before.allocations:,} allocations a pass: no text gains its place in "
            f"a slot. What a pad changes is how large they are: {sizes}."
        )
    name = wording.clean(wording.candidate(fewest.pads), 200)
    made = f"With {name} a pass makes {_allocations(fewest):,} allocations, with the default {before.allocations:,}"
    relative = fewest.relative
    if relative is not None and relative.median < _GAIN:
        told = "it seems to be faster, and there were too few runs to be sure"
    else:
        told = "that is too little to be seen in the whole time"
    return f"{made}, and no pad makes fewer: {told}. In bytes {sizes}."


def _allocations(trial: Trial) -> int:
    return 0 if trial.counts is None else trial.counts.allocations


def _percent(share: float) -> str:
    return wording.percent(min(1.0, max(0.0, share)))


def _bytes(amount: int) -> str:
    return wording.in_unit(amount, wording.byte_unit([amount]))


def _level(in_use: int) -> str:
    """The nearest cache that holds it: names that sort as they are near."""
    sizes = machine.caches()
    return next((f"L{level}" for level, size in enumerate(sizes, 1) if in_use <= size), "main memory")
