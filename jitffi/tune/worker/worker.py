"""The process that measures: what it reads, what it writes, and how it lives and dies.

    stdin     pickled: a Request, those of its candidates that are left, the deadline
    stdout    dicts by a multiprocessing.connection.Connection, which jitffi.tune.run.work takes

What the workload prints goes nowhere. Nothing here is imported by the process that asks.
"""

from __future__ import annotations

import contextlib
import math
import os
import pickle
import signal
import sys
from collections.abc import Sequence
from multiprocessing.connection import Connection

from jitffi.profiles.candidates import Pads
from jitffi.tune.records import Failure
from jitffi.tune.run.job import unpack
from jitffi.tune.workload import in_words

_PR_SET_PDEATHSIG = 1  # <linux/prctl.h>


class Channel:
    """The way to the process that asked. It takes no output of the workload."""

    def __init__(self, out: int, state: int, candidates: Sequence[Pads]) -> None:
        self._events: Connection = Connection(out, readable=False)
        self._state = state
        self._numbers = {each: number for number, each in enumerate(candidates)}

    def send(self, **facts: object) -> None:
        """Tell what is known now. The process ends if nobody is there to read it."""
        try:
            self._events.send(facts)
        except OSError:
            os._exit(1)

    def at(self, candidate: Pads) -> None:
        """Note which candidate is to blame if the process dies now. Wakes nobody up."""
        os.pwrite(self._state, b"%4d" % self._numbers[candidate], 0)

    def begin(self, candidate: Pads, seconds: float = math.inf) -> None:
        """Tell that the process is busy with it from now on, so long at most."""
        self.at(candidate)
        self.send(limit=seconds)


def main(state: int) -> None:
    """Be the process that was started for this, and end. *state*: a file to write to who is busy."""
    out = os.dup(1)
    request, candidates, deadline = pickle.load(sys.stdin.buffer)
    _settle()
    channel = Channel(out, state, candidates)
    doing = "the workload cannot be sent to workers: "
    try:
        job = unpack(request.packed)
        doing = ""
        loaded = job.workload.load()
        loaded.prepare(job.items)
        from jitffi.tune.worker.passes import Worker

        worker = Worker(loaded, job.items, candidates, deadline, channel)
        worker.time(request.seed) if request.is_timed else worker.count()
    except BaseException as error:  # of ours, or of an installation that does not fit, too: it has no other way out
        channel.send(failures=dict.fromkeys(candidates, Failure(doing + in_words(error))))
    channel.send(is_complete=True)


def _settle() -> None:
    """Have no input and no output, and end with the process that asked."""
    null = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):
        os.dup2(null, fd)
    with contextlib.suppress(OSError, AttributeError, ImportError):
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
