"""What worker processes have said of one run, put together to records."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jitffi.profiles.candidates import Pads
from jitffi.tune import statistics
from jitffi.tune.records import Counted, Counts, Failure, Run

if TYPE_CHECKING:
    from jitffi.profiles.function_ids import Place
    from jitffi.tune.run.process import Process


class Observations:
    """All that is known of a run, by one process or by several, of which each goes on where the one before died.

    Workers say what to add to the dicts and lists, and what the other fields are now, by their names. Instants are of
    time.monotonic().
    """

    def __init__(self, candidates: Sequence[Pads]) -> None:
        self.candidates = tuple(dict.fromkeys(candidates))
        self.failures: dict[Pads, Failure] = {}
        self.counts: dict[Pads, Counts] = {}
        #: By round: seconds of a pass over all items; the slower one of the two probes beside each time.
        self.times: list[dict[Pads, float]] = []
        self.probes: list[dict[Pads, float]] = []
        #: When the items were known, when the first round began, and the last one ended.
        self.planned = self.began = self.ended = 0.0
        self.places: dict[str, Place] = {}
        self.has_pads = True
        #: Items of a pass, and seconds of one over all items.
        self.items = 0
        self.seconds: float | None = None
        #: Lines to tell, by what they are about.
        self.notes: dict[str, str] = {}
        #: Why the job could not be unpickled.
        self.unpickled: str | None = None
        #: After how many seconds the candidate that is busy hangs, and when that is.
        self.limit = self.until = math.inf
        #: The process has said all.
        self.is_complete = False
        #: Nobody wants to know more: no further process is to be started.
        self.stopped = False
        self.process: Process | None = None
        self._task: tuple[Pads, ...] = ()

    def begin(self) -> tuple[Pads, ...]:
        """Return what the next process is to do."""
        self._task = tuple([each for each in self.candidates if each not in self.failures and each not in self.counts])
        self.until, self.unpickled, self.is_complete = math.inf, None, False
        return self._task

    def take(self, facts: Mapping[str, Any]) -> None:
        """Take note of what a worker said."""
        for name, value in facts.items():
            known = getattr(self, name)
            if isinstance(known, dict):
                known.update(value)
            elif isinstance(known, list):
                known += value
            else:
                setattr(self, name, value)
        if "limit" in facts:
            self.until = time.monotonic() + self.limit

    def stop(self) -> None:
        """End the process that there is, and have no other: what was said stays. From another thread."""
        self.stopped = True
        self.check()

    def check(self) -> None:
        """End the process if nobody wants it any more, in whichever order that and its start have happened."""
        process = self.process
        if process is not None and self.stopped:
            process.kill()

    # -- records --------------------------------------------------------------------------------------------------

    def run(self, machine: str, host: str = "") -> Run:
        """Return the times, without rounds in which the process was still getting warm."""
        whole = [each for each in self._task if all(each in times for times in self.times)]
        whole = [each for each in whole if each not in self.failures]
        first = statistics.cold([sum([each[pads] for pads in whole]) for each in self.times])
        times = {pads: tuple([each[pads] for each in self.times[first:]]) for pads in whole if self.times}
        probes = {pads: tuple([each[pads] for each in self.probes[first:]]) for pads in times}
        took, warm = self.ended - self.began, self.began - self.planned
        fastest = min([probe for each in self.probes for probe in each.values()], default=math.inf)
        return Run(machine, times, self.failures, took, warm, host, probes, fastest)

    def counted(self, machine: str) -> Counted:
        """Return what became of the candidates, in their order."""
        found: dict[Pads, Counts | Failure] = {**self.failures, **self.counts}
        counts = {each: found[each] for each in self.candidates if each in found}
        return Counted(counts, self.places, machine, self.items, self.seconds, self.has_pads)

    # -- how a process ends ---------------------------------------------------------------------------------------

    def late(self, seconds: float) -> None:
        """Take note that the time is over."""
        if not self.items:
            self.notes["late"] = f"nothing was ready to be measured after {max(0.0, seconds):.2g} seconds"

    def died(self, index: int | None, why: str) -> None:
        """Take note that the process ended while it was busy with that one; None: before it was with any, which is all
        the same to them."""
        blamed = self._task if index is None else (self._task[index],)
        self.failures.update(dict.fromkeys(blamed, Failure(why)))
