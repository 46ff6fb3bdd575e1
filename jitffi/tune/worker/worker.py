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
import time
from multiprocessing.connection import Connection

from jitffi.tune.records import Failure
from jitffi.tune.run.job import unpack
from jitffi.tune.workload import in_words

#: Beyond the deadline, seconds after which the process ends itself, if whoever started it cannot.
_LAST_RESORT = 5.0
_PR_SET_PDEATHSIG = 1  # <linux/prctl.h>


class Channel:
    """The way to the process that asked. It takes no output of the workload."""

    def __init__(self, out: int, state: int) -> None:
        self._events: Connection = Connection(out, readable=False)
        self._state = state

    def send(self, **facts: object) -> None:
        """Tell what is known now. The process ends if nobody is there to read it."""
        try:
            self._events.send(facts)
        except OSError:
            os._exit(1)

    def at(self, candidate: int) -> None:
        """Note which candidate of the task is to blame if the process dies now. Wakes nobody up."""
        os.pwrite(self._state, b"%4d" % candidate, 0)

    def begin(self, candidate: int, seconds: float = math.inf) -> None:
        """Tell that the process is busy with it from now on, so long at most."""
        self.at(candidate)
        self.send(limit=seconds)


def main(state: int) -> None:
    """Be the process that was started for this, and end. *state*: a file to write to who is busy."""
    out = os.dup(1)
    request, candidates, deadline = pickle.load(sys.stdin.buffer)
    _settle(deadline)
    channel = Channel(out, state)
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


def _settle(deadline: float) -> None:
    """Stop being a part of the terminal: no input, no output, no interrupts; and end with the process that asked, or
    some seconds after the deadline."""
    null = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):
        os.dup2(null, fd)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    with contextlib.suppress(OSError, AttributeError, ImportError):
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, max(0.0, deadline - time.monotonic()) + _LAST_RESORT)
