"""Which uniform pads a search still measures: who is out, who comes back, and whom there is time for."""

from __future__ import annotations

from collections.abc import Sequence

from jitffi.profiles.candidates import DEFAULT, Pads
from jitffi.tune import statistics
from jitffi.tune.search import order
from jitffi.tune.search.tally import ENOUGH_RUNS, LEAST_GAIN, Tally

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.tune.search.search import Search

#: What the model predicts to differ by less is equal.
_SAME = 0.005
#: Of the best ones, as many stay until there are enough runs.
KEPT = 3
#: After so many runs what has been said of a candidate holds; before, it comes back if it looks better than the best.
_CERTAIN, _BETTER = 3, 0.97
#: Times this close may be equal: one is as good as another, and more runs of one say more than a run of each.
_CLOSE = 1.1
#: Runs take longer than expected, and some say nothing.
_RESERVE = 1.3


def drop_beaten(search: Search) -> None:
    """Those that are beaten everywhere; the best few stay until there are enough runs."""
    drop_failed(search)
    now, tallies = search.survivors, search.tallies.values()
    out = [{*tally.beaten(now, KEPT), *filter(tally.cannot_win, now)} for tally in tallies]
    if out:
        search.survivors = [each for each in now if not all(each in some for some in out)]
    _drop_needless(search)
    _bring_back(search)


def drop_failed(search: Search) -> None:
    """Those that raise, hang or die."""
    search.survivors = [each for each in search.survivors if each not in search.failed]
    if DEFAULT in search.failed:
        for tally in search.tallies.values():
            tally.replace_reference(search.survivors)


def _bring_back(search: Search) -> None:
    """Those that few runs have discarded, and that look better now than all that was kept: what they were compared with
    was disturbed, or lucky."""
    back: set[Pads] = set()
    for tally in search.tallies.values():
        kept = tally.measured(search.survivors)
        best = min(1.0, statistics.median(tally.scores(kept[0]))) if kept else 1.0
        for each in search.uniform:
            scores = [] if each in search.survivors or each in search.failed else tally.scores(each)
            if 0 < len(scores) < _CERTAIN and statistics.median(scores) < _BETTER * best:
                back.add(each)
    search.survivors = [each for each in search.uniform if each in back or each in search.survivors]


def _drop_needless(search: Search) -> None:
    """Those that the model and the clock say are equal to others that need less memory."""
    memory = search.memory()
    for each in sorted(search.survivors, key=lambda one: -memory.get(one, 0)):
        smaller = [one for one in search.survivors if memory.get(one, 0) < memory.get(each, 0)]
        if any(_is_as_good(search, one, each) for one in smaller):
            search.survivors = [one for one in search.survivors if one != each]


def _is_as_good(search: Search, pads: Pads, other: Pads) -> bool:
    mine, its = search.predicted.get(pads), search.predicted.get(other)
    if mine is None or its is None or mine > its + _SAME:
        return False
    return all(
        tally.count(pads, other) >= _CERTAIN
        and tally.is_calm(pads, other)
        and tally.is_equal(pads, other)
        and _is_among_the_best(search, tally, pads)
        for tally in search.tallies.values()
    )


def _is_among_the_best(search: Search, tally: Tally, pads: Pads) -> bool:
    """Whether it equals the fastest of all, dropped ones too: else small steps would add up."""
    best = tally.measured(search.uniform)[0]
    return best == pads or tally.is_equal(pads, best)


def make_fewer(search: Search) -> bool:
    """After a run that has not finished a round: fewer candidates in the next. False: there are no fewer."""
    if len(search.survivors) < 2:
        return False
    kept = search.survivors[1::2]
    if search.predicted:
        ranked = sorted(search.survivors, key=lambda each: search.predicted.get(each, 1.0))
        kept = [each for each in search.survivors if each in ranked[: len(ranked) // 2]]
    for each in search.survivors:
        if each not in kept:
            search.pruned[each] = "the budget is too small for it"
    search.survivors = kept
    return True


def needed(search: Search, candidates: Sequence[Pads], otherwise: int) -> int:
    """Runs that a statement on the best of these lacks; *otherwise* where none was measured."""
    best = [(tally, found[0]) for tally in search.tallies.values() if (found := tally.measured(candidates))]
    return max([ENOUGH_RUNS - tally.count(each) for tally, each in best], default=otherwise)


def affordable(search: Search) -> list[Pads]:
    """Of the survivors, those for the next run. Where there is not even time for enough short runs of all, it is given
    to those that look best: a statement on one of them is worth more than a glance at many."""
    now = search.survivors
    found = [_affordable(search, tally, now) for tally in search.tallies.values()]
    return [each for each in now if any(each in some for some in found)] if found else now


def _affordable(search: Search, tally: Tally, now: list[Pads]) -> list[Pads]:
    promising = _promising(search, tally, now)
    while promising and len(now) > 1:
        still = ENOUGH_RUNS - tally.count(promising[0])
        needed = search.compiling(now) + _RESERVE * still * search.least(now)
        if still <= 0 or search.clock.left * search.runner.width >= needed:
            break
        others = [each for each in now if each not in promising]
        ranked = [*promising, *sorted(others, key=lambda each: order.distance(each, promising[0]))]
        now = ranked[: max(1, len(ranked) // 2)]
        promising = [each for each in promising if each in now]
    return now


def _promising(search: Search, tally: Tally, candidates: Sequence[Pads]) -> list[Pads]:
    """Those that were faster than the reference: what is close to the fastest first, by runs and memory."""
    memory = search.memory()
    relative = {each: tally.relative(each) for each in tally.measured(candidates)}
    times = {each: found.median for each, found in relative.items() if found and found.median < 1 - LEAST_GAIN}
    close = _CLOSE * min(times.values(), default=1.0)

    def rank(each: Pads) -> tuple[float, int, int]:
        return (0.0, -tally.count(each), memory.get(each, 0)) if times[each] <= close else (times[each], 0, 0)

    return sorted(times, key=rank)
