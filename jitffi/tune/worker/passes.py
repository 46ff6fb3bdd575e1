"""What a pass is, in a worker: the items that a workload can be run with, and as many as there is time for."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from jitffi.profiles import pads
from jitffi.profiles.candidates import Pads
from jitffi.tune.worker.stopwatch import Stopwatch

if TYPE_CHECKING:
    from jitffi.tune.runs.job import Task
    from jitffi.tune.worker.worker import Channel
    from jitffi.tune.workload import Loaded

#: A pass of so few items may be so for being disturbed.
_FEW = 16
#: A candidate hangs if it takes longer to run, once it is compiled, than all of these: seconds; a share of what is
#: left; a multiple of the time the first one took.
_PATIENCE, _SHARE, _TIMES = 1.0, 0.25, 5.0


@dataclass(frozen=True, slots=True)
class Plan:
    """What a pass is."""

    items: tuple[object, ...]
    #: Seconds of it, as first seen; of each item.
    each: tuple[float, ...]
    #: All items, by how many there are of those that can be run.
    of: int
    #: The candidate it was found with: it is ready to run.
    first: int

    @property
    def seconds(self) -> float:
        return sum(self.each)

    @property
    def factor(self) -> float:
        """A pass over all items takes so much longer."""
        return max(1.0, self.of / max(1, len(self.items)))

    def cut(self, seconds: float) -> Plan:
        """The first items that take so long together; one at least."""
        count, total = 0, 0.0
        for took in self.each:
            total += took
            if count and total > seconds:
                break
            count += 1
        return Plan(self.items[:count], self.each[:count], self.of, self.first)


def plan(
    workload: Loaded, items: Sequence[object], task: Task, channel: Channel, share: Callable[[float], float]
) -> Plan | None:
    """Find the items for a pass of *share*(seconds left) seconds, with the first candidate that does not fail: the
    default, most often. Send that and the failures. Items that it raises for are left out. None: all fail.

    Each item is run twice, as the first time compiles.
    """
    given = items if workload.parameters.item else (None,)
    for index, candidate in enumerate(task.candidates):
        left = task.deadline - time.monotonic()
        channel.send("begin", index, None)  # nothing is known of how long it may take
        channel.at(index)
        pads.switch(candidate)
        found, error = _try(workload, given, candidate, share(left), task.deadline - left / 2)
        if found is not None:
            kept, each, raised = found
            made = Plan(tuple(kept), tuple(each), len(given) - raised, index)
            channel.send("plan", len(kept), len(given), raised, error, made.seconds * made.factor)
            return made
        channel.send("fail", index, error)
    return None


def _try(
    workload: Loaded, items: Sequence[object], candidate: Pads, most: float, until: float
) -> tuple[tuple[list[object], list[float], int] | None, str]:
    """The items that can be run, their seconds, and how many raised; None where all did. Why the first did."""
    from jitffi.tune.worker.worker import in_words

    kept: list[object] = []
    seconds: list[float] = []
    watch = Stopwatch()
    raised, why, total = 0, "", 0.0
    for item in items:
        try:
            workload.run((item,), candidate)
            watch.start()
            workload.run((item,), candidate)
            took = watch.stop()
            if total + took > most and took > 2 * most / _FEW:  # or was it disturbed?
                watch.start()
                workload.run((item,), candidate)
                took = min(took, watch.stop())
        except BaseException as error:
            raised, why = raised + 1, why or in_words(error)
        else:
            kept.append(item)
            seconds.append(took)
            total += took
        if total > most or time.monotonic() > until:
            break
    return ((kept, seconds, raised) if kept else None), why


def patience(task: Task, took: float) -> float:
    """Seconds after which a candidate is believed to hang, where the first one took so long."""
    return max(_PATIENCE, _SHARE * (task.deadline - time.monotonic()), _TIMES * took)
