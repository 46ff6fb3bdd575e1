"""Runs of candidates in fresh processes of this machine, and what a search asks of whoever measures.

search --time_runs--> Local --a process a run--> worker     rounds, in which the candidates take turns
       --count------>       --one process------>            exact counts of one pass, costs, places
"""

from __future__ import annotations

import math
import pickle
import platform
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from jitffi.profiles import machine
from jitffi.profiles.candidates import CONTROL, DEFAULT, Pads
from jitffi.tune.records import Counts, Failure, Run
from jitffi.tune.runs.job import Job, Packed, Task, pack
from jitffi.tune.runs.process import Late, Process
from jitffi.tune.runs.seen import Seen

if TYPE_CHECKING:
    from jitffi.profiles.function_ids import Place
    from jitffi.tune.worker.calibrate import Costs

#: Seconds that a process may take beyond its time: what it measured by then is on its way.
_GRACE = 0.15
#: Seconds that a new process needs to be worth it, where another has died.
_WORTH = 0.25
#: Seconds that one may take to end itself.
_TO_END = 0.3


@dataclass(frozen=True, slots=True)
class Counted:
    """What one process has counted, not timed. `counts` lacks the candidates that there was no time for."""

    counts: Mapping[Pads, Counts | Failure] = field(default_factory=dict)
    #: By key: the functions that candidates act on.
    places: Mapping[str, Place] = field(default_factory=dict)
    #: None: the process ended before it could find out.
    costs: Costs | None = None
    #: The CPU's model.
    machine: str = ""
    #: Of the sample, how many items each count is of: the first ones, fewer than all where a pass takes long.
    items: int = 0
    #: Of a pass of the default over the whole sample; a first impression of one warm pass. None: not measured.
    seconds: float | None = None
    #: Whether the workload has pads to choose: by a script that it calls, or by a parameter.
    has_pads: bool = True


class Runner(Protocol):
    """Whoever measures: here (Local) or elsewhere (jitffi.tune.runs.remote). The default and CONTROL are in each run.

    Both methods end when their time is over, what hangs is killed; KeyboardInterrupt passes, `time_runs` yields
    first what the interrupted run has measured so far. Failures of candidates are in the records, also those of the
    whole workload: it is the default then that has failed.
    """

    @property
    def width(self) -> int:
        """Runs that take place at a time."""

    @property
    def notes(self) -> tuple[str, ...]:
        """What to tell about how it was measured, a line each; grows."""

    def count(self, job: Job, candidates: Sequence[Pads], seconds: float) -> Counted:
        """Count a pass of each candidate, in one process, in *seconds* at most. Of time that is too short for all the
        first candidates have most."""

    def time_runs(self, job: Job, candidates: Sequence[Pads], seconds: float, seeds: Sequence[int]) -> Iterator[Run]:
        """Yield a run a seed, of *seconds* each at most; none for a process that has not finished a round and has no
        failure to tell of. The consumer may stop at any time, and close the iterator."""

    def close(self) -> None:
        """End what still runs."""


class Local:
    """A Runner of this machine: one process after the other."""

    width = 1

    def __init__(self) -> None:
        #: By what they are about.
        self._notes: dict[str, str] = {}
        #: How the workload gets to its process: the first of `_WAYS` that has not failed.
        self._way = 0
        self._source: tuple[Job, Packed | Job] | None = None
        #: Of all runs: the next one knows by it whether it is slowed down.
        self._fastest_probe = math.inf

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(self._notes.values())

    def close(self) -> None:
        self._source = None

    def count(self, job: Job, candidates: Sequence[Pads], seconds: float) -> Counted:
        seen = to_count(candidates)
        self._measure(job, seen, seconds, 0, rounds=False)
        return counted(seen)

    def time_runs(self, job: Job, candidates: Sequence[Pads], seconds: float, seeds: Sequence[int]) -> Iterator[Run]:
        for seed in seeds:
            seen = to_time(candidates)
            try:
                self._measure(job, seen, seconds, seed, rounds=True)
            except KeyboardInterrupt:
                if seen.times:
                    yield timed(seen)
                raise
            if seen.times or seen.failures:
                yield timed(seen)

    def _measure(self, job: Job, seen: Seen, seconds: float, seed: int, rounds: bool) -> None:
        deadline = time.monotonic() + seconds
        source = self._pack(job)
        while True:
            seen.fastest_probe = min(seen.fastest_probe, self._fastest_probe)
            measure(source, seen, deadline, seed, rounds, alone=True)
            self._fastest_probe = seen.fastest_probe
            if seen.times:
                self._notes.pop("items", None)  # what the last run says of it holds
                self._notes.pop("late", None)
            self._notes.update(seen.notes)
            if seen.unpickled is None:
                return
            if source is job:
                raise RuntimeError(seen.unpickled)  # a fork has nothing to unpickle
            source = self._pack(job, seen.unpickled)

    def _pack(self, job: Job, failed: str = "") -> Packed | Job:
        """The job for a fresh process, else for a fork. *failed*: why it did not get there."""
        if self._source is not None and self._source[0] is job and not failed:
            return self._source[1]
        self._way += bool(failed)
        source: Packed | Job = job
        while self._way < len(_WAYS):
            try:
                source = pack(job, **_WAYS[self._way])
                break
            except pickle.PicklingError as error:
                self._way, failed = self._way + 1, failed or str(error)
        if source is job and failed:
            self._notes["forked"] = f"measured in forked processes, as the workload cannot be sent to others: {failed}"
        self._source = job, source
        return source


#: By name, by value; then there is only a fork.
_WAYS: tuple[dict[str, bool], ...] = ({"by_value": False}, {"by_value": True})


# -- one run or count, wherever it takes place ------------------------------------------------------------------------


def to_time(candidates: Sequence[Pads]) -> Seen:
    """What a run is to find out. The default comes first: it says how many items there is time for."""
    return Seen(tuple(dict.fromkeys((DEFAULT, CONTROL, *candidates))))


def to_count(candidates: Sequence[Pads]) -> Seen:
    """What is to be counted."""
    return Seen(tuple(dict.fromkeys((DEFAULT, *candidates))))


def timed(seen: Seen) -> Run:
    """The record of a run on this machine."""
    return seen.run(machine.cpu_model(), platform.node())


def counted(seen: Seen) -> Counted:
    """The record of a count on this machine."""
    cpu, places = machine.cpu_model(), seen.places
    return Counted(seen.counted(), places, seen.costs, cpu, seen.items, seen.seconds, seen.has_pads)


def measure(source: Packed | Job, seen: Seen, deadline: float, seed: int, rounds: bool, alone: bool = False) -> None:
    """Let processes measure until the deadline, by time.monotonic(); each is without the candidates that those before
    have failed with. *rounds*: to time, not to count. *alone*: nothing else measures on this machine. All that comes of
    it is in *seen*."""
    while not seen.stopped:
        process = seen.process = Process(source, Task(seen.begin(), rounds, deadline, seed, seen.fastest_probe, alone))
        try:
            seen.check()
            again = _follow(process, seen, deadline)
        finally:
            seen.process = None
            process.end()
        if not again or seen.times or not seen.begin() or deadline - time.monotonic() < _WORTH:
            return


def _follow(process: Process, seen: Seen, deadline: float) -> bool:
    """Listen to its end. Return whether another might go on where it died."""
    started, latest = time.monotonic(), deadline + _GRACE
    while True:
        try:
            event = process.next_event(min(latest, seen.until))
        except Late:
            if seen.until >= latest:
                seen.late(deadline - started)
                return False
            seen.hangs(process.at())
            return True
        if event is None and seen.stopped:
            return False
        if event is None:
            index = process.at()
            seen.died(index, process.end(_TO_END) or "the process ended itself")
            return index is not None
        if event[0] == "end":
            process.end(_TO_END)
            return False
        seen.take(event)
