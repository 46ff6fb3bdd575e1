"""What a pad is worth, computed from what was counted: which candidates need no measuring, and how long the texts are.

    seconds of memory = sum over sizes of allocations x what such a text costs on the heap
                      + lines of the caches, written and read, x what they cost in so large a working set
                      + pages x what the system takes for one x the chance that it takes them back after each pass

    predicted = 1 + (seconds of memory of the candidate - of the default) / measured seconds of the default

What it knows: the exact allocations of a pass, the most memory in use at a time, and what these cost on this machine
(calibrate.py). So it knows texts that fit or do not, lists that grow beyond a cache, and what share of the whole time
all that is.

What it does not know, and measurement has to find: the time of copying wider slots that stay in the nearest cache,
which is little; how the compiler's code for two pads differs beside what it allocates; hashes, which a text on the heap
keeps and a text in a slot does not; whether malloc gives a large list's memory back to the system after each pass, for
which it has a chance only (it hangs on all that the process has allocated before, other candidates included: beyond
some megabytes its figures tell a direction); and everything that does not go through the runtime's allocator. A size in
bytes does not tell whose it is, so all allocations of one size cost the same.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

from jitffi.profiles.candidates import DEFAULT, LARGEST_PAD, Pads
from jitffi.tune.records import Counts, Interval
from jitffi.tune.worker.calibrate import Costs, interpolated

#: Of a text on the heap, before its characters; of a block of slots, before the first (a test compares them).
_TEXT_HEADER, _BLOCK_HEADER = 48, 16
_NUL, _WIDE_NUL = 1, 4
_SLOT, _STEP = 16, 8
_LINE = 64
#: What touching a line of the nearest cache costs, in texts on the heap: too little to be measured by itself, enough to
#: order what is otherwise equal.
_NEAR_LINE = 1 / 500
#: malloc gives memory back from some size on, between these: the limit grows with what a process has ever used.
_KEPT, _GIVEN_BACK = 4 << 20, 64 << 20
#: More than this share of the default's time is not believed to be memory's.
_LARGEST_SHARE = 0.9
#: Where the default's time is not known.
_USUAL_SHARE = 0.5
#: Of the predicted gain, how much the model may be wrong by; and at least, of the default's time.
_DOUBT, _LEAST_DOUBT = 0.5, 0.05
_FEWEST_KEPT = 3
#: From which ratio on times differ clearly; up to which they are predicted to be equal.
_CLEAR, _EQUAL = 1.08, 1.003


def knows(counts: Mapping[Pads, Counts]) -> bool:
    """Return whether the candidates differ in what they allocate. If not, the model has nothing to say of them."""
    return len({(each.allocations, each.allocated_bytes, each.sizes) for each in counts.values()}) > 1


def predict(counts: Mapping[Pads, Counts], default_seconds: float | None, costs: Costs) -> dict[Pads, float]:
    """Return the time of a pass of each candidate, relative to the default's.

    *counts* are of the same items for all, the default (`Pads()`) among them, else a ValueError; *default_seconds* is a
    warm pass of the default over these items. None: memory is taken for half of it, so that the order is right, and the
    figures are a guess.
    """
    if DEFAULT not in counts:
        raise ValueError("the default has not been counted: there is nothing to compare with")
    seconds = {pads: _memory(each, costs) for pads, each in counts.items()}
    base = seconds[DEFAULT]
    whole = base / _USUAL_SHARE if default_seconds is None else max(default_seconds, base / _LARGEST_SHARE)
    return {pads: 1 + (each - base) / whole if whole > 0 else 1.0 for pads, each in seconds.items()}


def prune(predicted: Mapping[Pads, float]) -> dict[Pads, str]:
    """Return those that need no measuring, and why.

    Kept are the default, the best three, and all that could be the best if the model were wrong by half of what the
    best gains, at least by 5 % of the default's time.
    """
    ranked = sorted((pads for pads in predicted if pads != DEFAULT), key=predicted.__getitem__)
    if not ranked:
        return {}
    best = min(1.0, predicted[ranked[0]])
    limit = best + max(_LEAST_DOUBT, _DOUBT * (1 - best))
    return {
        pads: f"pruned: predicted {predicted[pads]:.3f} of the default"
        for pads in ranked[_FEWEST_KEPT:]
        if predicted[pads] > limit
    }


def contradicted(predicted: Mapping[Pads, float], measured: Mapping[Pads, Interval]) -> bool:
    """Return whether measurement refutes the ranking, so that nothing should be pruned by it. *measured*: relative
    times, the default's 1 among them.

    Looked at are the pairs that clearly differ, by 8 % and beyond their intervals: more than half of them are predicted
    to be equal, or the other way round. The order among equals is noise, and tells nothing.
    """
    known = [pads for pads in measured if pads in predicted]
    clear = wrong = 0
    for slow, fast in itertools.permutations(known, 2):
        apart = measured[slow].median / measured[fast].median
        if apart > _CLEAR and measured[slow].low > measured[fast].high:
            clear += 1
            wrong += predicted[slow] / predicted[fast] < _EQUAL
    return 2 * wrong > clear


def histogram(at_0: Counts, at_15: Counts) -> tuple[tuple[int, int], ...]:
    """Return the texts that a pad can take in: pairs of length in bytes and how many such were made in a pass, sorted.

    They are the allocations of uniform pad 0 that pad 15 saves. Text of up to 7 bytes is in its slot with every pad,
    and of more than 127 with none: neither is here. A text that is made twice counts twice. Lengths are those of UTF-8,
    or, if all can be that, of UCS4, 4 bytes a character; where both are mixed, those of UCS4 are 3 bytes too long.
    """
    made, later = dict(at_0.sizes), dict(at_15.sizes)
    saved = {size: count - later.get(size, 0) for size, count in made.items() if _is_short(size)}
    for size in saved:
        if (size - _BLOCK_HEADER) % _SLOT == 0:  # or a block of so many slots, which is another size with pad 15
            slots = (size - _BLOCK_HEADER) // _SLOT
            block = _BLOCK_HEADER + slots * (_SLOT + _STEP * LARGEST_PAD)
            saved[size] -= max(0, later.get(block, 0) - made.get(block, 0))
    found = {size - _TEXT_HEADER: count for size, count in saved.items() if count > 0}
    nul = _NUL if math.gcd(*found) % 4 else _WIDE_NUL
    return tuple((length - nul, count) for length, count in sorted(found.items()))


def heap_texts(counts: Counts, texts: Sequence[tuple[int, int]]) -> int:
    """Return how many of *texts*, a `histogram`, are on the heap by *counts* (blocks of a text's size among them)."""
    made = dict(counts.sizes)
    return max(
        sum(min(count, made.get(_TEXT_HEADER + length + nul, 0)) for length, count in texts)
        for nul in (_NUL, _WIDE_NUL)
    )


def _is_short(size: int) -> bool:
    return 8 < size - _TEXT_HEADER <= 8 + _STEP * LARGEST_PAD + _WIDE_NUL


def _memory(counts: Counts, costs: Costs) -> float:
    allocated, in_use = counts.allocated_bytes, counts.peak_bytes
    return (
        sum(count * interpolated(costs.text, size) for size, count in counts.sizes)
        + allocated / _LINE * 2 * (interpolated(costs.line, in_use) + _NEAR_LINE * costs.text[0][1])
        + allocated / costs.page_bytes * costs.page * _given_back(in_use)
    )


def _given_back(in_use: int) -> float:
    """The chance that a heap of so many bytes goes back to the system between two passes, and comes anew."""
    if in_use <= _KEPT:
        return 0.0
    return min(1.0, math.log(in_use / _KEPT) / math.log(_GIVEN_BACK / _KEPT))
