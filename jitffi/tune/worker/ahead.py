"""Compiling ahead, in a worker: what scripts were called with before, they are made ready for with other pads, too.

Nothing of the workload runs for it, so it takes long at times, but cannot hang: what a candidate takes afterwards is
its own. Where there is a second processor, a process beside compiles from the other end; they meet by the cache of
code.
"""

from __future__ import annotations

import contextlib
import os
import signal
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from jitffi import _core
from jitffi.profiles import pads
from jitffi.profiles.candidates import Pads

if TYPE_CHECKING:
    from jitffi.tune.runs.job import Task
    from jitffi.tune.worker.worker import Channel

#: Seconds of compiling a candidate, and how many are still to come, that are worth a process.
_WORTH, _MANY = 0.008, 3


class Ahead:
    """The scripts that the first candidate has called. Leave it as a context: nothing else runs then."""

    def __init__(self, task: Task, channel: Channel) -> None:
        self._task = task
        self._channel = channel
        #: With the kinds of their arguments; None is for any, which comes by itself.
        self._calls: list[tuple[Any, int]] = [
            (script, kinds)
            for script in _core.scripts()
            for kinds in script.__dict__.get("_variants", ())
            if kinds is not None
        ]
        self._helper = 0

    def __enter__(self) -> Ahead:
        return self

    def __exit__(self, *error: object) -> None:
        self.stop()

    def switch(self, index: int) -> None:
        """Let scripts run with that candidate's pads, compiled; a helper starts if that has taken long."""
        started = time.monotonic()
        self._compile(self._task.candidates[index])
        left = len(self._task.candidates) - index
        if not self._helper and left > _MANY and time.monotonic() - started > _WORTH and _processors() > 1:
            self._start(index)

    def stop(self) -> None:
        """End the helper: what it has made stays."""
        if self._helper > 0:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._helper, signal.SIGKILL)
            with contextlib.suppress(ChildProcessError):
                os.waitpid(self._helper, 0)
        self._helper = -1

    def _compile(self, candidate: Pads) -> None:
        pads.switch(candidate)
        for script, kinds in self._calls:
            script._make_variant(kinds)

    def _start(self, index: int) -> None:
        try:
            self._helper = os.fork()
        except OSError:
            self._helper = -1  # there is none, then
        if self._helper:
            return
        try:
            self._channel.leave()
            self._help(self._task.candidates, index)
        finally:
            os._exit(0)

    def _help(self, candidates: Sequence[Pads], begun: int) -> None:
        """The last ones first, until the other end is near."""
        from jitffi.tune.worker.worker import die_with_parent

        die_with_parent(self._task.deadline)
        for index in range(len(candidates) - 1, begun, -1):
            if self._channel.where() >= index:
                return
            self._compile(candidates[index])


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
