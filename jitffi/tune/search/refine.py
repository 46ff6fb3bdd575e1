"""Finer candidates: pads for what counts say they matter to, put together by the model, a few of them measured.

    which spots matter    a pass with only this one as large as can be, one with only this one small: do counts change?
    each one's best pad   passes with the others at the best uniform pad; the model ranks
    together              those, the pools alone, each function's best; the model ranks them, the best few are measured

A spot is a variable of a function, or its pools. A finer choice is accepted only if it is faster than the best uniform
pad beyond the noise, or as fast in less memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from jitffi.profiles.candidates import DEFAULT, LARGEST_PAD, POOLS, Pads
from jitffi.tune.records import Counts
from jitffi.tune.search import counting, ranking, space
from jitffi.tune.search.space import Spot
from jitffi.tune.search.tally import Tally

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.tune.search.search import Search

#: Spots that are looked at, and candidates that are measured in the end.
_MOST_SPOTS, _MOST_MEASURED = 12, 4
#: Pads whose neighbours are near enough, where each costs a compilation.
_GRID = (0, 1, 2, 3, 4, 6, 8, 11, 15)


def is_possible(search: Search) -> bool:
    """Whether there is more than one spot, and the model knows something of them."""
    places = {} if search.counted is None else search.counted.places
    return len(space.spots(places)) > 1 and bool(search.predicted)


def propose(search: Search, seconds: float) -> list[Pads]:
    """The finer candidates that are worth measuring, the best by the model first; counting takes *seconds* at most."""
    places = {} if search.counted is None else search.counted.places
    spots = space.spots(places)[:_MOST_SPOTS]
    until = search.clock.elapsed + seconds
    matter = _that_matter(search, spots, seconds / 2)
    if not matter:
        return []
    base = _base(search)
    grid = [each for each in _GRID if Pads(each) in search.uniform] or [base]
    best = _best_each(search, matter, base, grid, (until - search.clock.elapsed) * 0.7)
    together = [
        space.of_spots(best),
        space.of_spots(dict.fromkeys(matter, base)),
        *[space.of_spots(each) for each in _by_function(matter, grid)],
        *space.pools_only(places, [best[each] for each in matter if each.variable == POOLS] or grid),
    ]
    new = [each for each in dict.fromkeys(together) if not each.is_default]
    _count(search, new, until - search.clock.elapsed)
    return _ranked(search, [each for each in search.counts if each.functions])[:_MOST_MEASURED]


def accept(tally: Tally, uniform: Pads | None, refined: Sequence[Pads], memory: dict[Pads, int]) -> Pads | None:
    """The winner of all: the best finer candidate, if it beats the best uniform pad or needs less memory for the same
    time; else that."""
    best = tally.best(refined, memory)
    if best is None or uniform is None:
        return uniform if best is None else best
    if tally.beats(best, uniform):
        return best
    less = memory.get(best, 0) < memory.get(uniform, 0)
    return best if less and tally.is_equal(best, uniform) else uniform


def main_pad(counts: Mapping[Pads, Counts], pads: Pads) -> int | None:
    """The pad of a candidate; of one that has several, that of the spot which alone saves most allocations."""
    if not pads.functions:
        return pads.everywhere
    default = counts.get(DEFAULT)

    def saved(spot: Spot) -> int:
        alone = counts.get(space.of_spots({spot: LARGEST_PAD}))
        return 0 if default is None or alone is None else default.allocations - alone.allocations

    spots = [(Spot(key, variable), pad) for key, variables in pads.functions for variable, pad in variables]
    return max(spots, key=lambda each: (saved(each[0]), each[1]))[1]


def _base(search: Search) -> int:
    """The best uniform pad: as measured, or else by the model."""
    won = [each for each in search.winners.values() if each is not None and space.is_uniform(each)]
    found = won[0] if won else min(search.predicted, key=search.predicted.__getitem__)
    return 0 if found.everywhere is None else found.everywhere


def _that_matter(search: Search, spots: Sequence[Spot], seconds: float) -> list[Spot]:
    """Those whose pad changes what is allocated: alone, or where all others are large."""
    everything = space.of_spots(dict.fromkeys(spots, LARGEST_PAD))
    small = {each: space.of_spots({**dict.fromkeys(spots, LARGEST_PAD), each: _own(each)}) for each in spots}
    alone = {each: space.of_spots({each: LARGEST_PAD}) for each in spots}
    _count(search, [everything, *small.values(), *alone.values()], seconds)
    return [
        each for each in spots
        if _differ(search, DEFAULT, alone[each]) or _differ(search, everything, small[each])
    ]  # fmt: skip


def _own(spot: Spot) -> int:
    return space.OWN_POOLS if spot.variable == POOLS else space.OWN_LOCALS


def _differ(search: Search, one: Pads, other: Pads) -> bool:
    first, second = search.counts.get(one), search.counts.get(other)
    return first is not None and second is not None and _texts(first) != _texts(second)


def _texts(counts: Counts) -> int:
    """What a text that fits no longer asks for: the number of allocations. Larger slots only change the bytes."""
    return counts.allocations


def _best_each(
    search: Search, matter: Sequence[Spot], base: int, grid: Sequence[int], seconds: float
) -> dict[Spot, int]:
    """For each the pad that the model likes best, while the others have the best uniform one."""
    tried = {
        each: {pad: space.of_spots({**dict.fromkeys(matter, base), each: pad}) for pad in {*grid, _own(each), base}}
        for each in matter
    }
    # If there is no time for all: first what is nearest to the best uniform pad, and what the compiler chooses.
    near = sorted(
        [(0 if pad == _own(spot) else abs(pad - base), pads) for spot in matter for pad, pads in tried[spot].items()],
        key=lambda each: each[0],
    )
    _count(search, [pads for _, pads in near], seconds)
    best = {}
    for spot, by_pad in tried.items():
        predicted = ranking.predict(search, by_pad.values())
        known = {pad: predicted[pads] for pad, pads in by_pad.items() if pads in predicted}
        best[spot] = min(sorted(known), key=known.__getitem__, default=base)
    return best


def _by_function(matter: Sequence[Spot], grid: Iterable[int]) -> list[dict[Spot, int]]:
    """Each function with one pad for all that matters in it: what the model likes best by what was counted."""
    keys = sorted({each.key for each in matter})
    if len(keys) < 2:
        return []
    return [
        {spot: (pad if spot.key == key else _own(spot)) for spot in matter} for key in keys for pad in grid
    ]  # fmt: skip


def _count(search: Search, candidates: Iterable[Pads], seconds: float) -> None:
    new = [each for each in dict.fromkeys(candidates) if each not in search.counts and not each.is_default]
    new = [each for each in new if each not in search.failed]
    if new and seconds > 0:
        counting.count(search, [DEFAULT, *new], seconds)


def _ranked(search: Search, candidates: Sequence[Pads]) -> list[Pads]:
    """The fastest by the model first. Of those that allocate equally often only the one with the fewest bytes: larger
    pads do nothing for it."""
    predicted = ranking.predict(search, candidates)
    fewest: dict[int, Pads] = {}
    for each in sorted([each for each in candidates if each in predicted], key=lambda one: _bytes(search.counts[one])):
        fewest.setdefault(search.counts[each].allocations, each)
    return sorted(fewest.values(), key=lambda each: (round(predicted[each], 3), search.counts[each].peak_bytes))


def _bytes(counts: Counts) -> int:
    return counts.allocated_bytes
