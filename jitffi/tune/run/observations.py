"""What worker processes have said of one run: their events, put together to records. worker.py has their order."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from jitffi.profiles.candidates import Pads
from jitffi.tune import statistics
from jitffi.tune.records import Counted, Counts, Failure, Run
from jitffi.tune.run.process import Event, Process

if TYPE_CHECKING:
    from jitffi.profiles.function_ids import Place


class Observations:
    """All that is known of a run, by one process or by several, of which each goes on where the one before died."""

    def __init__(self, candidates: Sequence[Pads]) -> None:
        self.candidates = tuple(dict.fromkeys(candidates))
        self.failures: dict[Pads, Failure] = {}
        self.counts: dict[Pads, Counts] = {}
        #: By round: seconds of a pass, by candidate.
        self.times: list[dict[Pads, float]] = []
        #: By round: the slower one of the two probes beside each time; and the fastest that is known, in seconds.
        self.probes: list[dict[Pads, float]] = []
        self._fastest_probe = math.inf
        #: When the items were known, when the first round began, and the last one ended, by time.monotonic().
        self._planned = self._began = self._ended = 0.0
        self.places: Mapping[str, Place] = {}
        self.has_pads = True
        #: Items of a pass, and seconds of one over all items.
        self.items = 0
        self.seconds: float | None = None
        #: Lines to tell, by what they are about.
        self.notes: dict[str, str] = {}
        #: Why the job could not be unpickled.
        self.unpickled: str | None = None
        #: When the candidate that is busy hangs, by time.monotonic(), and after how many seconds that is.
        self.until = self._limit = math.inf
        #: Nobody wants to know more: no further process is to be started.
        self.stopped = False
        self.process: Process | None = None
        self._task: tuple[Pads, ...] = ()

    def begin(self) -> tuple[Pads, ...]:
        """Return what the next process is to do."""
        self._task = tuple([each for each in self.candidates if each not in self.failures and each not in self.counts])
        self.until, self.unpickled = math.inf, None
        return self._task

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
        took, warm = self._ended - self._began, self._began - self._planned
        return Run(machine, times, self.failures, took, warm, host, probes, self._fastest_probe)

    def counted(self, machine: str) -> Counted:
        """Return what became of the candidates, in their order."""
        found: dict[Pads, Counts | Failure] = {**self.failures, **self.counts}
        counts = {each: found[each] for each in self.candidates if each in found}
        return Counted(counts, self.places, machine, self.items, self.seconds, self.has_pads)

    # -- how a process ends ---------------------------------------------------------------------------------------

    def hangs(self, index: int | None) -> None:
        """Take note that the candidate took too long."""
        self.died(index, f"not ready after {self._limit:.3g} seconds")

    def late(self, seconds: float) -> None:
        """Take note that the time is over."""
        if not self.items:
            self.notes["late"] = f"nothing was ready to be measured after {max(0.0, seconds):.2g} seconds"

    def died(self, index: int | None, why: str) -> None:
        """Take note that the process ended while it was busy with that one; None: before it was with any, which is all
        the same to them."""
        if index is None:
            self._unloaded(why)
        else:
            self._fail(index, why)

    # -- events ---------------------------------------------------------------------------------------------------

    def take(self, event: Event) -> None:
        """Take note of what a worker said."""
        kind, *values = event
        getattr(self, "_" + kind)(*values)

    def _unpickled(self, why: str) -> None:
        self.unpickled = why

    def _unloaded(self, why: str) -> None:
        self.failures.update({each: Failure(why) for each in self._task})

    def _begin(self, index: int | None, limit: float | None) -> None:
        self._limit = math.inf if limit is None else limit
        self.until = time.monotonic() + self._limit

    def _fail(self, index: int, why: str) -> None:
        self.failures[self._task[index]] = Failure(why)

    def _plan(self, items: int, of: int, raised: int, why: str, seconds: float) -> None:
        self.items, self.seconds = items, seconds
        self._planned = time.monotonic()
        if raised:
            self.notes["raised"] = f"{raised} of {items + raised} items are left out, the workload raises: {why}"

    def _pass(self, items: int, of: int) -> None:
        self.items = items
        self._began = self._ended = time.monotonic()
        if items < of:
            self.notes["items"] = f"only the first {items} of {of} items are measured, for want of time"

    def _round(self, times: list[tuple[int, float, float]]) -> None:
        self.times.append({self._task[index]: seconds for index, seconds, _ in times})
        self.probes.append({self._task[index]: probe for index, _, probe in times})
        self._fastest_probe = min([self._fastest_probe, *[probe for _, _, probe in times]])
        self._ended = time.monotonic()

    def _count(self, index: int, counts: Counts) -> None:
        self.counts[self._task[index]] = counts

    def _padless(self) -> None:
        self.has_pads = False

    def _places(self, places: Mapping[str, Place]) -> None:
        self.places = places
