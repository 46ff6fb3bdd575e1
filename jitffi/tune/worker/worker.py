"""The process that measures: what it reads, what it writes, and how it lives and dies.

    stdin     a pickled pair of Packed and Task, nothing more
    stdout    a JSON array a line, the first member says what it is:
        ["unpickled", why]  ["unloaded", why]            it cannot begin
        ["begin", candidate, seconds]                    busy from now on, so long at most; null: as it likes
        ["fail", candidate, why]                         it raised
        ["plan", items, of, raised, why, seconds]        what can be run, what not; seconds of a pass over all items
        ["pass", items, of]                              so many are timed
        ["round", [[candidate, seconds, probe], ...], fastest]    seconds of a pass over all items, and of the slower
                                                         probe beside it; of the fastest that is known
        ["count", candidate, allocations, bytes, peak, python's peak, sizes]
        ["costs", pickle], ["places", pickle]            records of calibrate.py and profiles/pads.py, as base64
        ["padless"]                                      nothing that was run has pads: no candidate is counted
        ["end"]

Candidates are numbers, by their place in the Task. What the workload prints goes nowhere. Nothing here is imported by
the process that asks: jitffi.tune.runs.process is its side.
"""

from __future__ import annotations

import contextlib
import faulthandler
import json
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable
from typing import Any

from jitffi.tune import workload
from jitffi.tune.runs.job import Job, Packed, Task, unpack

#: Beyond the deadline, seconds after which the process ends itself, if whoever started it cannot.
_LAST_RESORT = 5.0
_MOST_WORDS = 300
_PR_SET_PDEATHSIG = 1  # <linux/prctl.h>


class Channel:
    """The way to the process that asked. It takes no output of the workload."""

    def __init__(self, out: int, state: int) -> None:
        self._out = out
        self._state = state

    def send(self, kind: str, *values: object) -> None:
        """Write an event. The process ends if nobody is there to read it."""
        line = json.dumps([kind, *values]).encode() + b"\n"
        while line:
            try:
                line = line[os.write(self._out, line) :]
            except OSError:
                os._exit(1)

    def at(self, candidate: int) -> None:
        """Note who is to blame if the process dies now. Wakes nobody up."""
        os.pwrite(self._state, b"%4d" % candidate, 0)

    def where(self) -> int:
        """Who is busy, as it was noted last: a fork sees what the other one notes."""
        return int(os.pread(self._state, 4, 0) or -1)

    def leave(self) -> None:
        """In a fork: it has nothing to say, and nobody is to wait for it."""
        os.close(self._out)


def in_words(error: BaseException) -> str:
    """An exception as one line."""
    words = workload.in_words(error)
    return words if len(words) <= _MOST_WORDS else words[: _MOST_WORDS - 3] + "..."


def main(state: int) -> None:
    """Be the process that was started for this. *state*: a file to write to who is busy."""
    out = os.dup(1)
    packed, task = pickle.load(sys.stdin.buffer)
    serve(lambda: _unpack(packed), task, out, state)


def _unpack(packed: Packed) -> Job:
    return unpack(packed)


def serve(job: Callable[[], Job], task: Task, out: int, state: int) -> None:
    """Do it, in a process that ends then. *out*, *state*: file descriptors."""
    _settle(task)
    channel = Channel(out, state)
    try:
        _do(job, task, channel)
    except BaseException as error:  # of ours, or of an installation that does not fit: it has no other way out
        channel.send("unloaded", in_words(error))
    channel.send("end")


def _do(job: Callable[[], Job], task: Task, channel: Channel) -> None:
    try:
        given = job()
    except BaseException as error:
        channel.send("unpickled", in_words(error))
        return
    try:
        loaded = given.workload.load()
        loaded.prepare(given.items)
    except BaseException as error:
        channel.send("unloaded", in_words(error))
        return
    from jitffi.tune.worker import counts, rounds

    (rounds.measure if task.timed else counts.measure)(loaded, given.items, task, channel)


def _settle(task: Task) -> None:
    """Stop being a part of the terminal: no input, no output, no interrupts; and end with the process that asked."""
    null = os.open(os.devnull, os.O_RDWR)
    for fd in range(3):
        os.dup2(null, fd)
    faulthandler.disable()  # in a fork it could write elsewhere
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent(task.deadline)


def die_with_parent(deadline: float) -> None:
    """End this process when the one that started it ends; in any case some seconds after the deadline."""
    with contextlib.suppress(OSError, AttributeError, ImportError):
        import ctypes

        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, max(0.0, deadline - time.monotonic()) + _LAST_RESORT)


def as_text(record: Any) -> str:
    """A record in an event."""
    import base64

    return base64.b64encode(pickle.dumps(record)).decode()
