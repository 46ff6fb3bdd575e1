"""Runs of candidates in fresh processes of this machine, and what a search asks of whoever measures.

search --time_runs--> Local --a process a run--> worker     rounds, in which the candidates take turns
       --count------>       --one process------>            exact counts of one pass, places
"""

from __future__ import annotations

import math
import pickle
import platform
import time
from collections.abc import Iterator, Sequence
from typing import Protocol

from jitffi.profiles import machine
from jitffi.profiles.candidates import CONTROL, DEFAULT, Pads
from jitffi.tune.records import Counted, Run
from jitffi.tune.run.job import Job, Packed, Task, pack
from jitffi.tune.run.observations import Observations
from jitffi.tune.run.process import Late, Process

#: Seconds that a process may take beyond its time: what it measured by then is on its way.
_GRACE = 0.15
#: Seconds that a new process needs to be worth it, where another has died; and that one may take to end itself.
_WORTH, _TO_END = 0.25, 0.3


class Runner(Protocol):
    """Whoever measures: here (Local) or elsewhere (jitffi.tune.run.remote). The default and CONTROL are in each run.

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
        #: Lines to tell, by what they are about.
        self._notes: dict[str, str] = {}
        #: How the workload gets to its process, once that is known: as bytes, or by a fork.
        self._source: tuple[Job, Packed | Job] | None = None
        #: Whether it is pickled by value, in the order in which that is tried.
        self._ways = [False, True]
        #: The fastest baseline probe of all runs: the next one knows by it whether it is slowed down.
        self._fastest_probe = math.inf

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(self._notes.values())

    def close(self) -> None:
        self._source = None

    def count(self, job: Job, candidates: Sequence[Pads], seconds: float) -> Counted:
        observed = Observations((DEFAULT, *candidates))
        self._measure(job, observed, seconds, 0, is_timed=False)
        return observed.counted(machine.cpu_model())

    def time_runs(self, job: Job, candidates: Sequence[Pads], seconds: float, seeds: Sequence[int]) -> Iterator[Run]:
        for seed in seeds:
            observed = Observations((DEFAULT, CONTROL, *candidates))
            try:
                self._measure(job, observed, seconds, seed, is_timed=True)
            except KeyboardInterrupt:
                if observed.times:
                    yield timed(observed)
                raise
            if observed.times or observed.failures:
                yield timed(observed)

    def _measure(self, job: Job, observed: Observations, seconds: float, seed: int, is_timed: bool) -> None:
        deadline = time.monotonic() + seconds
        source = self._pack(job)
        while True:
            observed.fastest_probe = min(observed.fastest_probe, self._fastest_probe)
            measure(source, observed, deadline, seed, is_timed)
            self._fastest_probe = observed.fastest_probe
            if observed.times:
                self._notes.pop("items", None)  # what the last run says of it holds
                self._notes.pop("late", None)
            self._notes.update(observed.notes)
            if observed.unpickled is None:
                return
            if source is job:
                raise RuntimeError(observed.unpickled)  # a fork has nothing to unpickle
            source = self._pack(job, observed.unpickled)

    def _pack(self, job: Job, failed: str = "") -> Packed | Job:
        """Return the job for a fresh process, by name, else by value; else for a fork. *failed*: why what was packed
        last did not get there."""
        if self._source is not None and self._source[0] is job and not failed:
            return self._source[1]
        if failed:
            self._ways.pop(0)
        source: Packed | Job = job
        while source is job and self._ways:
            try:
                source = pack(job, self._ways[0])
            except pickle.PicklingError as error:
                failed = failed or str(error)
                self._ways.pop(0)
        if source is job:
            self._notes["forked"] = f"measured in forked processes, as the workload cannot be sent to others: {failed}"
        self._source = job, source
        return source


# -- one run or count, wherever it takes place ------------------------------------------------------------------------


def timed(observed: Observations) -> Run:
    """Return the record of a run on this machine."""
    return observed.run(machine.cpu_model(), platform.node())


def measure(source: Packed | Job, observed: Observations, deadline: float, seed: int, is_timed: bool) -> None:
    """Let processes measure until the deadline, by time.monotonic(), or count; each is without the candidates that
    those before have failed with. All that comes of it is in *observed*."""
    while not observed.stopped:
        task = Task(observed.begin(), is_timed, deadline, seed, observed.fastest_probe)
        process = observed.process = Process(source, task)
        try:
            observed.check()
            again = _follow(process, observed, deadline)
        finally:
            observed.process = None
            process.end()
        if not again or observed.times or not observed.begin() or deadline - time.monotonic() < _WORTH:
            return


def _follow(process: Process, observed: Observations, deadline: float) -> bool:
    """Listen to its end. Return whether another might go on where it died."""
    started, latest = time.monotonic(), deadline + _GRACE
    while True:
        try:
            event = process.next_event(min(latest, observed.until))
        except Late:
            if observed.until >= latest:
                observed.late(deadline - started)
                return False
            observed.hangs(process.at())
            return True
        if event is None and observed.stopped:
            return False
        if event is None:
            index = process.at()
            observed.died(index, process.end(_TO_END) or "the process ended itself")
            return index is not None
        if event[0] == "end":
            process.end(_TO_END)
            return False
        observed.take(event)
