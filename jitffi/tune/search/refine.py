"""Finer candidates: pads for what counts say they matter to, a few of them measured.

    which spots matter    with all others as large as can be: does the number of allocations change with this one small?
    how large they are    by spot, the smallest pad that saves all, most, or half of what the largest saves
    measured              those together, pools that nothing gains from at 0, each function alone

A spot is a variable of a function, or its pools. A finer choice is accepted only if it is faster than the best uniform
pad beyond the noise, or as fast in less memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jitffi.profiles.candidates import DEFAULT, LARGEST_PAD, OTHERS, POOLS, Pads
from jitffi.tune.search.evidence import Evidence, count

if TYPE_CHECKING:
    from jitffi.profiles.function_ids import Place

#: Spots that are looked at, and candidates that are measured in the end.
_MOST_SPOTS, _MOST_MEASURED = 12, 4
#: Pads whose neighbours are near enough, where each costs a compilation; shares of what the largest saves.
_GRID = (1, 2, 3, 4, 6, 8, 11)
_SHARES = (1.0, 0.9, 0.6)
#: What the compiler does where nothing is said.
OWN_LOCALS, OWN_POOLS = 0, 1


@dataclass(frozen=True, slots=True, order=True)
class Spot:
    """One thing that can have a pad of its own: a variable of the function of that key, or its pools ("[]")."""

    key: str
    variable: str


# -- spots -------------------------------------------------------------------------------------------------------------


def spots_of(places: Mapping[str, Place]) -> tuple[Spot, ...]:
    """Return all that could have a pad of its own, in a fixed order; "*" of a typed function, without variables."""
    return tuple(
        sorted({Spot(key, variable) for key, place in places.items() for variable in place.variables or (OTHERS,)})
    )


def of_spots(chosen: Mapping[Spot, int]) -> Pads:
    """Return the default but for these. Pads that the compiler chooses itself are left out, so that equal code is one
    candidate.

    >>> of_spots({Spot("f:1", "word"): 3, Spot("f:1", "[]"): 1, Spot("g:2", "line"): 0})
    Pads(everywhere=None, functions=(('f:1', (('word', 3),)),))
    """
    functions: dict[str, list[tuple[str, int]]] = {}
    for spot, pad in sorted(chosen.items()):
        if pad != (OWN_POOLS if spot.variable == POOLS else OWN_LOCALS):
            functions.setdefault(spot.key, []).append((spot.variable, pad))
    return Pads(functions=tuple([(key, tuple(each)) for key, each in functions.items()]))


# -- candidates --------------------------------------------------------------------------------------------------------


def is_possible(evidence: Evidence) -> bool:
    """Return whether there is more than one spot, and a pass allocates more or less by pad."""
    allocated = {each.allocated_bytes for each in evidence.counts.values()}
    return len(spots_of(evidence.counted.places)) > 1 and len(allocated) > 1


def propose(evidence: Evidence, seconds: float) -> list[Pads]:
    """Return the finer candidates that are worth measuring; counting takes *seconds* at most."""
    clock = evidence.given.clock
    until = clock.elapsed + seconds
    spots = spots_of(evidence.counted.places)[:_MOST_SPOTS]
    _count(evidence, [_with(spots, each, pad) for pad in (LARGEST_PAD, 0) for each in spots], seconds / 2)
    matter = [each for each in spots if _matters(_allocations(evidence, spots, each))]
    if not matter:
        return []
    # If there is no time for all: first the pads that are in the middle, of each spot.
    grid = sorted(_GRID, key=lambda pad: abs(pad - 4))
    _count(evidence, [_with(spots, each, pad) for pad in grid for each in matter], until - clock.elapsed)
    known = {each: _allocations(evidence, spots, each) for each in matter}
    best = [{each: _smallest(known[each], share) for each in matter} for share in _SHARES]
    narrow = {each: 0 for each in spots if each.variable == POOLS and each not in matter}
    keys = sorted({each.key for each in matter})
    by_function = [{each: pad for each, pad in best[0].items() if each.key == key} for key in keys]
    chosen = [best[0], {**narrow, **best[0]}, *best[1:], *(by_function if len(by_function) > 1 else [])]
    new = [each for each in dict.fromkeys(map(of_spots, chosen)) if not each.is_default]
    _count(evidence, new, max(until - clock.elapsed, seconds / 10))
    return _undominated(evidence, new)[:_MOST_MEASURED]


def accept(evidence: Evidence) -> Pads | None:
    """Return the winner of all: the best finer candidate, if it beats the best uniform pad or needs less memory for the
    same time; else that."""
    results, memory, uniform = evidence.choosing, evidence.memory, evidence.winner
    best = results.best(evidence.working(evidence.refined), memory)
    if best is None or uniform is None:
        return best or uniform
    if results.beats(best, uniform):
        return best
    is_less = memory.get(best, 0) < memory.get(uniform, 0)
    return best if is_less and results.is_equal(best, uniform) else uniform


def _with(spots: Iterable[Spot], one: Spot, pad: int) -> Pads:
    """Return the candidate in which all spots but one are as large as can be."""
    return of_spots({**dict.fromkeys(spots, LARGEST_PAD), one: pad})


def _allocations(evidence: Evidence, spots: Sequence[Spot], one: Spot) -> dict[int, int]:
    """Return how often a pass allocates, by pad of one spot with all others as large as can be, as far as counted."""
    found = {pad: evidence.counts.get(_with(spots, one, pad)) for pad in (0, *_GRID, LARGEST_PAD)}
    return {pad: each.allocations for pad, each in found.items() if each is not None}


def _matters(allocations: dict[int, int]) -> bool:
    return {0, LARGEST_PAD} <= allocations.keys() and allocations[0] > allocations[LARGEST_PAD]


def _smallest(allocations: dict[int, int], share: float) -> int:
    """Return the smallest pad that saves that share of what the largest saves."""
    most = allocations[0]
    wanted = share * (most - allocations[LARGEST_PAD])
    return min([pad for pad, each in allocations.items() if most - each >= wanted])


def _count(evidence: Evidence, candidates: Iterable[Pads], seconds: float) -> None:
    new = [each for each in dict.fromkeys(candidates) if each not in evidence.counts and not each.is_default]
    new = evidence.working(new)
    if new and seconds > 0:
        count(evidence, [DEFAULT, *new], seconds)


def _undominated(evidence: Evidence, candidates: Iterable[Pads]) -> list[Pads]:
    """Return those than which no other allocates neither more often nor more bytes."""
    counted = {each: evidence.counts[each] for each in candidates if each in evidence.counts}
    asked = {each: (counts.allocations, counts.allocated_bytes) for each, counts in counted.items()}

    def is_beaten(mine: tuple[int, int]) -> bool:
        return any(its != mine and its[0] <= mine[0] and its[1] <= mine[1] for its in asked.values())

    return [each for each, mine in asked.items() if not is_beaten(mine)]
