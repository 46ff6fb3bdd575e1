"""What whoever measures does with a request, on whatever machine: processes, one after the other, that are listened to.

A candidate with which a process crashes or hangs has failed; another process goes on with the others.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Mapping
from typing import Any

from jitffi.profiles.candidates import Pads
from jitffi.tune.records import Failure
from jitffi.tune.run.job import Request
from jitffi.tune.run.observations import Observations
from jitffi.tune.run.process import Process

#: Seconds that a process may take beyond its time: what it measured by then is on its way.
_GRACE = 0.15
#: Seconds that a new process needs to be worth it, where another has died.
_WORTH = 0.25


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
