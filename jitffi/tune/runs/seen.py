"""What workers have said of one run: their events, put together to records. The order of events is worker.py's."""

from __future__ import annotations

import base64
import math
import pickle
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from jitffi.profiles.candidates import Pads
from jitffi.tune import statistics
from jitffi.tune.records import Counts, Failure, Run
from jitffi.tune.runs.process import Event, Process

if TYPE_CHECKING:
    from jitffi.profiles.function_ids import Place
    from jitffi.tune.worker.calibrate import Costs


class Seen:
    """All that is known of a run, by one process or by several, of which each goes on where the one before died."""

    def __init__(self, candidates: Sequence[Pads]) -> None:
        self.candidates = tuple(candidates)
        self.failures: dict[Pads, Failure] = {}
        self.counts: dict[Pads, Counts] = {}
        #: Rounds: seconds of a pass, by candidate.
        self.times: list[dict[Pads, float]] = []
        #: Of each the slower one of its two probes, and the fastest of all that is known, in seconds.
        self.probes: list[dict[Pads, float]] = []
        self.fastest_probe = math.inf
        #: When the first of them began, and the last one ended, by time.monotonic().
        self._rounds = 0.0, 0.0
        #: When the items were known, by the same clock; seconds from then to the first round.
        self._planned, self._warm = 0.0, 0.0
        self.places: Mapping[str, Place] = {}
        self.costs: Costs | None = None
        self.has_pads = True
        #: Of a pass, and seconds of one over all items.
        self.items = 0
        self.seconds: float | None = None
        #: By what they are about.
        self.notes: dict[str, str] = {}
        #: Why the job could not be unpickled.
        self.unpickled: str | None = None
        #: When the candidate that is busy hangs, by time.monotonic().
        self.until = math.inf
        #: Nobody wants to know more: no further process is to be started.
        self.stopped = False
        self.process: Process | None = None
        self._limit = 0.0
        self._task: tuple[Pads, ...] = ()

    def begin(self) -> tuple[Pads, ...]:
        """What the next process is to do."""
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

    def run(self, machine: str, host: str = "") -> Run:
        """Its times, without rounds in which the process was still getting warm."""
        whole = [each for each in self._task if all(each in times for times in self.times)]
        whole = [each for each in whole if each not in self.failures]
        first = statistics.cold([sum([each[pads] for pads in whole]) for each in self.times])
        rounds = self.times[first:]
        times = {pads: tuple([each[pads] for each in rounds]) for pads in whole if rounds}
        probes = {pads: tuple([each[pads] for each in self.probes[first:]]) for pads in times}
        took = self._rounds[1] - self._rounds[0]
        return Run(machine, times, self.failures, took, self._warm, host, probes, self.fastest_probe)

    def counted(self) -> dict[Pads, Counts | Failure]:
        """What became of the candidates, in their order."""
        found: dict[Pads, Counts | Failure] = {**self.failures, **self.counts}
        return {each: found[each] for each in self.candidates if each in found}

    # -- events -----------------------------------------------------------------------------------------------------

    def take(self, event: Event) -> None:
        """Take note of what a worker said."""
        kind, *values = event
        getattr(self, "_" + kind)(*values)

    def hangs(self, index: int | None) -> None:
        """The candidate took too long."""
        self.died(index, f"not ready after {self._limit:.3g} seconds")

    def late(self, seconds: float) -> None:
        """The time is over."""
        if not self.items:
            self.notes["late"] = f"nothing was ready to be measured after {max(0.0, seconds):.2g} seconds"

    def died(self, index: int | None, why: str) -> None:
        """The process ended while it was busy with that one; None: before it was with any, which is all the same to
        them."""
        if index is None:
            self._unloaded(why)
        else:
            self._fail(index, why)

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
        self._rounds = time.monotonic(), time.monotonic()
        self._warm = self._rounds[0] - self._planned
        if items < of:
            self.notes["items"] = f"only the first {items} of {of} items are measured, for want of time"

    def _round(self, times: list[tuple[int, float, float]], fastest: float) -> None:
        self.times.append({self._task[index]: seconds for index, seconds, _ in times})
        self.probes.append({self._task[index]: probe for index, _, probe in times})
        self.fastest_probe = min(self.fastest_probe, fastest)
        self._rounds = self._rounds[0], time.monotonic()

    def _count(self, index: int, allocations: int, size: int, peak: int, python: int, sizes: list[list[int]]) -> None:
        pairs = tuple([(each, count) for each, count in sizes])
        self.counts[self._task[index]] = Counts(allocations, size, peak, python, pairs)

    def _costs(self, text: str) -> None:
        self.costs = _record(text)

    def _padless(self) -> None:
        self.has_pads = False

    def _places(self, text: str) -> None:
        self.places = _record(text)


def _record(text: str) -> Any:
    return pickle.loads(base64.b64decode(text))
