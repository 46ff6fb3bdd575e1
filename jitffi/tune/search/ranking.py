"""What a search has of the model: the ranking of uniform pads, what is not worth measuring, and whether that was right.

What is pruned is not taken on trust. The best and the worst of it, the *sentinels*, are screened all the same; if they
are as fast as what was kept, or the ranking is not what was measured, all of it comes back.
"""

from __future__ import annotations

from collections.abc import Iterable

from jitffi.profiles.candidates import DEFAULT, Pads
from jitffi.tune.search import order
from jitffi.tune.search.tally import LEAST_GAIN, Tally

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.tune.search.search import Search


def predict(search: Search, candidates: Iterable[Pads]) -> dict[Pads, float]:
    """The model's times of those that were counted, relative to the default's; {} where it knows nothing."""
    if search.counted is None or search.counted.costs is None or DEFAULT not in search.counts:
        return {}
    from jitffi.tune.search import model

    counts = {each: search.counts[each] for each in (DEFAULT, *candidates) if each in search.counts}
    return model.predict(counts, _default_seconds(search), search.counted.costs) if model.knows(counts) else {}


def _default_seconds(search: Search) -> float | None:
    """Of a pass of the default over what was counted; None: not known."""
    found = search.counted
    if found is None or not found.seconds or not search.sample.items:
        return None
    return found.seconds * (found.items / len(search.job.items) if found.items and search.job.items else 1)


def rank(search: Search) -> None:
    """Predict all uniform pads, and prune."""
    search.predicted = order.interpolated(predict(search, search.uniform), search.uniform)
    if not search.predicted:
        return
    from jitffi.tune.search import model

    candidates = {each: search.predicted[each] for each in search.survivors if each in search.predicted}
    search.pruned = {each: why for each, why in model.prune(candidates).items() if each in candidates}
    ranked = sorted(search.pruned, key=search.predicted.__getitem__)
    search.sentinels = ranked[:: max(1, len(ranked) - 1)][:2]
    kept = {*search.survivors} - {*search.pruned} | {*search.sentinels}
    search.survivors = [each for each in search.survivors if each in kept]


def take_back(search: Search) -> list[Pads]:
    """After screening: what was pruned though it did not deserve it. Nothing is pruned any more then."""
    if not search.pruned or all(_is_right(search, tally) for tally in search.tallies.values()):
        return []
    back = [each for each in search.uniform if each in search.pruned and each not in search.sentinels]
    search.pruned.clear()
    if back:
        search.notes.append("the model's ranking is not what was measured, so nothing was pruned by it")
    return back


def _is_right(search: Search, tally: Tally) -> bool:
    """Whether nothing that it has pruned is as fast as what it has kept."""
    from jitffi.tune.search import model

    intervals = {each: tally.relative(each) for each in (DEFAULT, *search.survivors)}
    measured = {each: found for each, found in intervals.items() if found is not None}
    if model.contradicted(search.predicted, measured):
        return False
    best = next(iter(tally.measured([each for each in search.survivors if each not in search.sentinels])), None)
    pruned = [found for each in search.sentinels if best and (found := tally.relative(each, best)) is not None]
    return best is None or all(each.median > 1 + LEAST_GAIN for each in pruned)
