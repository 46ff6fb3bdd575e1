"""What a search counts: a pass of each candidate, as far as there is time, and what is missing once it is compiled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from jitffi.profiles.candidates import DEFAULT, LARGEST_PAD, Pads
from jitffi.tune.records import Failure
from jitffi.tune.search import order, ranking, survivors

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.tune.runs.measure import Counted
    from jitffi.tune.search.search import Search

#: Where that part of the budget ends.
_COUNTED = 0.15
#: Seconds that it should have, as it compiles for all; of a small budget, at most to that part.
_TO_COUNT, _COUNTED_AT_MOST = 2.5, 0.25
#: Where it ends if it has not got what the lengths of texts are computed from; the part of its time by which it was not
#: done, but cut.
_COUNTED_FOR_ENDS, _NEARLY = 0.40, 0.9
#: Seconds in which something may be counted, once a process has begun.
_LEAST_COUNT = 0.1
#: How the failure of a candidate begins that took too long.
_LATE = "not ready after"


def count_all(search: Search) -> None:
    """The default and all uniform pads; the model's ranking comes of it, and who fails is out."""
    ends = (Pads(LARGEST_PAD), Pads(0))  # the lengths of texts are what lies between
    wanted = [DEFAULT, *dict.fromkeys((*ends, *order.far_apart(search.uniform)))]
    clock = search.clock
    seconds = max(clock.share(_COUNTED), min(_TO_COUNT, clock.share(_COUNTED_AT_MOST)))
    found = _count_in_time(search, wanted, seconds)
    if (
        search.is_cut
        and found.has_pads
        and any(each not in search.counts and each not in search.failed for each in (DEFAULT, *ends))
    ):
        more = clock.share(_COUNTED_FOR_ENDS)
        if more > (seconds / 2 if found.items else seconds):  # what was compiled is ready now
            again = _count_in_time(search, wanted, more)
            found = again if len(again.counts) >= len(found.counts) else found
    search.counted = found
    if search.is_cut:
        clock.compiling = seconds / max(1, len(found.counts))
    survivors.drop_failed(search)
    search.item_seconds = (found.seconds or 0.0) / max(1, len(search.job.items))
    ranking.rank(search)
    if not found.has_pads:
        search.pruned = dict.fromkeys(search.uniform, "nothing has pads")


def is_lacking(search: Search, seconds: float) -> bool:
    """Whether there was no time for some, which are compiled by now, and *seconds* are enough for them."""
    found = search.counted
    is_cut = search.is_cut and found is not None and bool(found.items and search.counts and _missing(search))
    return is_cut and seconds >= _LEAST_COUNT + search.clock.overhead


def count_rest(search: Search, seconds: float) -> None:
    """Those, with the same items as the others."""
    assert search.counted is not None
    items, job = search.job.items[: search.counted.items], search.job
    if len(items) < len(job.items):
        search.job = replace(job, items=items)
    try:
        _count_in_time(search, [DEFAULT, *order.far_apart(_missing(search))], seconds)
    finally:
        search.job = job


def _missing(search: Search) -> list[Pads]:
    return [each for each in search.uniform if each not in search.counts and each in search.compiled]


def _count_in_time(search: Search, candidates: Sequence[Pads], seconds: float) -> Counted:
    """Count these, and see whether the time was enough for it."""
    started = search.clock.now()
    before = dict(search.counts)
    found = count(search, candidates, seconds)
    search.is_cut = search.clock.now() - started > _NEARLY * seconds
    if search.counted is not None and before and found.items != search.counted.items:
        search.counts = before  # they are of other items than the rest
    return found


def count(search: Search, candidates: Sequence[Pads], seconds: float) -> Counted:
    """Count a pass of each: what comes of it is in the search's `counts` and `failed`."""
    found = search.runner.count(search.job, candidates, seconds)
    for pads, each in found.counts.items():
        if isinstance(each, Failure):
            if each.text.startswith(_LATE) and pads not in search.late and not pads.is_default:
                search.late[pads] = each  # the machine may be busy: it is tried again, alone
            else:
                search.failed.setdefault(pads, each)
        else:
            search.counts[pads] = each
    return found
