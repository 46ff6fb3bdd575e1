"""Why a winner wins, in two sentences: texts that find their place in a slot, and bytes for it.

Lengths of the texts that a pad can take in are told by which sizes are allocated with pad 0 and not with pad 15.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jitffi.profiles import machine
from jitffi.profiles.candidates import LARGEST_PAD
from jitffi.tune.formatting import Unit, candidate, in_bytes, percent
from jitffi.tune.records import Counts, Trial

if TYPE_CHECKING:
    from jitffi.tune.reports.report import Report

#: Pairs of a length in bytes and how many texts have it, sorted.
Lengths = Sequence[tuple[int, int]]

#: Bytes of a text on the heap before its characters; of a block of slots before the first (a test compares them).
_TEXT_HEADER, _BLOCK_HEADER = 48, 16
_NUL, _WIDE_NUL = 1, 4
_SLOT, _STEP = 16, 8
#: As JF_PIECE_STEP, JF_PIECE_OVERHEAD and JF_PIECE_LARGEST of the runtime.
_PIECE, _OVERHEAD, _LARGEST_PIECE = 16, 8, 504


def explain(report: Report) -> str:
    """Return the two sentences; "" where nothing wins, or it was not counted.

    >>> from jitffi.profiles.candidates import Pads
    >>> from jitffi.tune.reports.report import Report
    >>> default = Trial(Pads(), counts=Counts(1000, 90000, 3000, 0, ((80, 900), (180, 100))))
    >>> winner = Trial(Pads(4), counts=Counts(100, 60000, 5000, 0, ((600, 100),)))
    >>> print(explain(Report("w", default=default, trials=(winner,), winner=winner, histogram=((31, 1000),))))
    With pad 4, 100 % of the texts that a pad can make room for lie in their slots, with the default 10.0 %, so that a \
pass makes 100 allocations instead of 1,000. They are 58.6 KiB instead of 87.9 KiB, and at most 4.88 KiB are in use at \
a time instead of 2.93 KiB, which still fits the same caches.
    """
    before, after = report.default.counts, None if report.winner is None else report.winner.counts
    if report.winner is None or before is None or after is None:
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


def _level(in_use: int) -> str:
    """Return the nearest cache that holds so many bytes: the names sort as the caches are near."""
    sizes = machine.caches()
    return next((f"L{level}" for level, size in enumerate(sizes, 1) if in_use <= size), "main memory")


# -- lengths of text --------------------------------------------------------------------------------------------------


def histogram(at_0: Counts, at_15: Counts) -> tuple[tuple[int, int], ...]:
    """Return the texts that a pad can take in: pairs of length in bytes and how many such were made in a pass, sorted.

    They are the allocations of uniform pad 0 that pad 15 saves. Text of up to 7 bytes is in its slot with every pad,
    and of more than 127 with none: neither is here. A text that is made twice counts twice. Lengths are those of UTF-8,
    or, if all can be that, of UCS4, 4 bytes a character; where both are mixed, those of UCS4 are 3 bytes too long.
    """
    made, later = dict(at_0.sizes), dict(at_15.sizes)
    saved = {size: count - later.get(size, 0) for size, count in made.items() if _is_short(size)}
    for size in saved:
        slots = (size - _BLOCK_HEADER) // _SLOT
        if size == block_size(slots, 0):  # or a block of so many slots, which is another size with pad 15
            block = block_size(slots, LARGEST_PAD)
            saved[size] -= max(0, later.get(block, 0) - made.get(block, 0))
    found = {size - _TEXT_HEADER: count for size, count in saved.items() if count > 0}
    nul = _NUL if math.gcd(*found) % 4 else _WIDE_NUL
    return tuple((length - nul, count) for length, count in sorted(found.items()))


def block_size(slots: int, pad: int) -> int:
    """Return what is asked of the allocator for so many slots: small ones in steps, so that a thread can keep them."""
    size = _BLOCK_HEADER + slots * (_SLOT + _STEP * pad)
    return size if size > _LARGEST_PIECE else -(-(size + _OVERHEAD) // _PIECE) * _PIECE - _OVERHEAD


def heap_texts(counts: Counts, texts: Lengths) -> int:
    """Return how many of *texts*, a `histogram`, are on the heap by *counts* (blocks of a text's size among them)."""
    made = dict(counts.sizes)
    return max(
        sum(min(count, made.get(_TEXT_HEADER + length + nul, 0)) for length, count in texts)
        for nul in (_NUL, _WIDE_NUL)
    )


def texts_in_place(pad: int, texts: Lengths) -> int:
    """Return how many of *texts*, a `histogram`, are short enough for the slots of a pad."""
    is_wide = math.gcd(*[length for length, _ in texts]) % 4 == 0
    return sum(count for length, count in texts if length <= 7 + is_wide + _STEP * pad)


def _is_short(size: int) -> bool:
    return 8 < size - _TEXT_HEADER <= 8 + _STEP * LARGEST_PAD + _WIDE_NUL
