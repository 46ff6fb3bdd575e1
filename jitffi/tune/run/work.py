"""What whoever measures does with a request, on whatever machine: processes, one after the other, that are listened to;
and the record of what they say.

A candidate with which a process crashes or hangs has failed; another process goes on with the others.
"""

from __future__ import annotations

import math
import platform
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from jitffi.profiles import machine
from jitffi.profiles.candidates import Pads
from jitffi.tune import statistics
from jitffi.tune.records import Counted, Counts, Failure, Run
from jitffi.tune.run.job import Request
from jitffi.tune.run.process import Process

if TYPE_CHECKING:
    from jitffi.profiles.function_ids import Place

#: Seconds that a process may take beyond its time: what it measured by then is on its way.
_GRACE = 0.15
#: Seconds that a new process needs to be worth it, where another has died.
_WORTH = 0.25


@dataclass(slots=True, eq=False)
class Observations:
    """All that is known of a run or a count, on the machine where it is made; it pickles.

    Processes say what to add to the dicts and lists, and what the other fields are now, by their names.
    """

    candidates: tuple[Pads, ...]
    failures: dict[Pads, Failure] = field(default_factory=dict)
    counts: dict[Pads, Counts] = field(default_factory=dict)
    #: By round: seconds of a pass over all items; the slower one of the two probes beside each time.
    times: list[dict[Pads, float]] = field(default_factory=list)
    probes: list[dict[Pads, float]] = field(default_factory=list)
    #: As those of a Run.
    rounds_seconds: float = 0.0
    warm_seconds: float = 0.0
    #: Items of a pass, and seconds of one over all items.
    items: int = 0
    seconds: float | None = None
    places: dict[str, Place] = field(default_factory=dict)
    has_pads: bool = True
    #: Lines to tell, by what they are about; "" takes back what was told before.
    notes: dict[str, str] = field(default_factory=dict)
    machine: str = field(default_factory=machine.cpu_model)
    host: str = field(default_factory=platform.node)

    @property
    def left(self) -> tuple[Pads, ...]:
        """The candidates that have neither failed nor been counted."""
        return tuple([each for each in self.candidates if each not in self.failures and each not in self.counts])

    def run(self) -> Run:
        """Return the times, without rounds in which the process was still getting warm."""
        whole = [each for each in self.left if self.times and all(each in times for times in self.times)]
        first = statistics.cold([sum([each[pads] for pads in whole]) for each in self.times])
        times = {pads: tuple([each[pads] for each in self.times[first:]]) for pads in whole}
        probes = {pads: tuple([each[pads] for each in self.probes[first:]]) for pads in whole}
        fastest = min([probe for each in self.probes for probe in each.values()], default=math.inf)
        took = self.rounds_seconds, self.warm_seconds
        return Run(self.machine, times, self.failures, *took, self.host, probes, fastest)

    def counted(self) -> Counted:
        """Return what became of the candidates, in their order."""
        found: dict[Pads, Counts | Failure] = {**self.failures, **self.counts}
        counts = {each: found[each] for each in self.candidates if each in found}
        return Counted(counts, self.places, self.machine, self.items, self.seconds, self.has_pads)


class Measurement:
    """One run or count, of which other threads may say that nobody wants to know more."""

    def __init__(self, request: Request) -> None:
        self.observed = Observations(request.candidates)
        self.token = request.token
        self._request = request
        self._deadline = time.monotonic() + request.seconds
        self._process: Process | None = None
        self._is_stopped = False

    def run(self) -> None:
        """Let processes measure until the time is over, each without the candidates that those before have failed with
        or have counted. All that comes of it is in `observed`."""
        observed, again = self.observed, True
        while again and not self._is_stopped:
            candidates = observed.left
            with Process(self._request, candidates, self._deadline) as self._process:
                has_died = self._follow(self._process, candidates)
            left = self._deadline - time.monotonic()
            again = has_died and not observed.times and bool(observed.left) and left >= _WORTH

    def stop(self) -> None:
        """End the process that there is, and have no other: what was said stays. From any thread."""
        self._is_stopped = True
        if self._process is not None:
            self._process.kill()

    def take(self, facts: Mapping[str, Any]) -> None:
        """Take note of what a process said."""
        for name, value in facts.items():
            known = getattr(self.observed, name)
            if isinstance(known, dict):
                known.update(value)
            elif isinstance(known, list):
                known += value
            else:
                setattr(self.observed, name, value)

    def _follow(self, process: Process, candidates: tuple[Pads, ...]) -> bool:
        """Listen to a process until its end. Return whether it died of a candidate, which has failed then; where it
        died before it was busy with any, all have."""
        if self._is_stopped:  # before there was a process to kill
            process.kill()
        started, latest = time.monotonic(), self._deadline + _GRACE
        limit = hangs = math.inf  # after how many seconds the candidate that is busy hangs, and when that is
        while process.is_heard(min(latest, hangs)):
            facts = process.facts()
            if facts is None:
                why = "" if self._is_stopped else process.end() or "the process ended itself"
                break
            if "limit" in facts:
                limit = facts["limit"]
                hangs = time.monotonic() + limit
            elif "is_complete" in facts:
                return False
            else:
                self.take(facts)
        else:
            process.kill()
            why = f"not ready after {limit:.3g} seconds" if hangs < latest else ""
            if not why and not self.observed.items:
                seconds = max(0.0, self._deadline - started)
                self.observed.notes["late"] = f"nothing was ready to be measured after {seconds:.2g} seconds"
        if not why:
            return False
        index = process.at()
        blamed = candidates if index is None else [candidates[index]]
        self.observed.failures.update(dict.fromkeys(blamed, Failure(why)))
        return index is not None


# -- for others to call, by name --------------------------------------------------------------------------------------

#: The measurements of this process that take place, and the last tokens that were stopped: what is sent may start late.
_busy: set[Measurement] = set()
_stopped: deque[str] = deque(maxlen=100)


def work(request: Request) -> Observations:
    """Do what it says."""
    measurement = Measurement(request)
    _busy.add(measurement)
    try:
        if measurement.token not in _stopped:
            measurement.run()
    except KeyboardInterrupt:
        pass  # of a terminal that all processes of a pool share: what there is goes back
    finally:
        _busy.discard(measurement)
    return measurement.observed


def stop(token: str) -> None:
    """End the measurements of this process that have that token; `work` returns what they have."""
    _stopped.append(token)
    for each in tuple(_busy):
        if each.token == token:
            each.stop()
