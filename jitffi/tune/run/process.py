"""Worker processes, seen by whoever asks: how they are started, what they say, how they end. Nothing of them is left.

Each is started afresh, by the interpreter that runs here, and is the leader of a session of its own: a terminal's
Ctrl-C does not reach it, and what it starts is ended with it.
"""

from __future__ import annotations

import atexit
import contextlib
import math
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from functools import cache
from multiprocessing.connection import Connection
from typing import IO, TYPE_CHECKING, Any

from jitffi.profiles.candidates import Pads
from jitffi.tune import statistics
from jitffi.tune.records import Counted, Counts, Failure, Run
from jitffi.tune.run.job import Packed, Task

if TYPE_CHECKING:
    from jitffi.profiles.function_ids import Place

#: Not for workers: they run the candidates' pads, and nobody wants a trace of them.
_NOT_PASSED = ("JITFFI_PROFILE", "JITFFI_TRACE")
_CODE = "import sys; sys.path[:] = {path!r}; from jitffi.tune.worker.worker import main; main({state})"
_MOST_WORDS = 300
#: Seconds that a process may take beyond its time: what it measured by then is on its way.
_GRACE = 0.15
#: Seconds that a new process needs to be worth it, where another has died; and that one may take to end itself.
_WORTH, _TO_END = 0.25, 0.3


class Late(Exception):
    """Nothing was said in time."""


class Process:
    """A worker at work. `end` must be called."""

    def __init__(self, packed: Packed, task: Task) -> None:
        """Start one. OSError where no process can be had."""
        self._words: str | None = None
        with contextlib.ExitStack() as kept:
            self._state: IO[bytes] = kept.enter_context(tempfile.TemporaryFile())
            self._errors: IO[bytes] = kept.enter_context(tempfile.TemporaryFile())
            out, far = os.pipe()
            self._events: Connection = kept.enter_context(Connection(out, writable=False))
            kept_far = kept.enter_context(os.fdopen(far, "wb"))
            self._popen = self._spawn(packed, task, kept_far)
            kept_far.close()
            self._close = kept.pop_all().close

    def _spawn(self, packed: Packed, task: Task, out: IO[bytes]) -> subprocess.Popen[bytes]:
        state = self._state.fileno()
        path = [each or os.getcwd() for each in sys.path]
        with tempfile.TemporaryFile() as spec:  # no pipe, which can be full: a sample has megabytes
            pickle.dump((packed, task), spec)
            spec.seek(0)
            return subprocess.Popen(
                [sys.executable, "-c", _CODE.format(path=path, state=state)], stdin=spec, stdout=out,
                stderr=self._errors, env=_environment(), pass_fds=(state,), start_new_session=True,
            )  # fmt: skip

    # -- what it says ---------------------------------------------------------------------------------------------

    def next_facts(self, until: float) -> dict[str, Any] | None:
        """Return what it says next; None: it has ended. Late: it is *until*, by time.monotonic()."""
        try:
            if not self._events.poll(max(0.0, until - time.monotonic())):
                raise Late
            facts: dict[str, Any] = self._events.recv()
        except (EOFError, OSError):  # the end, perhaps in the middle of something
            return None
        return facts

    def at(self) -> int | None:
        """The number of the candidate that it was busy with last."""
        text = os.pread(self._state.fileno(), 4, 0)
        return int(text) if text.strip() else None

    # -- how it ends ----------------------------------------------------------------------------------------------

    def kill(self) -> None:
        """Let it come to its end at once, with what it has started. From any thread."""
        if self._words is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._popen.pid, signal.SIGKILL)

    def end(self, patience: float = 0.0) -> str:
        """End it and what it has started, if it does not end itself in *patience* seconds, and return how it went, as
        "killed by signal 11 (SIGSEGV)"; "" for an end that is none of its own, or is as it should be. Again: nothing
        happens."""
        if self._words is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(patience)
            status = self._popen.poll() or 0
            self.kill()
            self._popen.wait()
            self._words = self._in_words(status)
            self._close()
        return self._words

    def _in_words(self, status: int) -> str:
        """Return how it ended, as `end` says it."""
        if status < 0:
            with contextlib.suppress(ValueError):
                return f"killed by signal {-status} ({signal.Signals(-status).name})"
            return f"killed by signal {-status}"
        if status == 0:
            return ""
        self._errors.seek(0)
        said = self._errors.read(1 << 16).decode(errors="replace").strip().splitlines()
        return f"exit code {status}" + (f": {said[-1].strip()[:_MOST_WORDS]}" if said else "")


# -- what processes say -----------------------------------------------------------------------------------------------


class Observations:
    """All that is known of a run, by one process or by several, of which each goes on where the one before died.

    Workers say what to add to the dicts and lists, and what the other fields are now, by their names. Instants are of
    time.monotonic().
    """

    def __init__(self, candidates: Sequence[Pads]) -> None:
        self.candidates = tuple(dict.fromkeys(candidates))
        self.failures: dict[Pads, Failure] = {}
        self.counts: dict[Pads, Counts] = {}
        #: By round: seconds of a pass over all items; the slower one of the two probes beside each time.
        self.times: list[dict[Pads, float]] = []
        self.probes: list[dict[Pads, float]] = []
        #: When the items were known, when the first round began, and the last one ended.
        self.planned = self.began = self.ended = 0.0
        self.places: dict[str, Place] = {}
        self.has_pads = True
        #: Items of a pass, and seconds of one over all items.
        self.items = 0
        self.seconds: float | None = None
        #: Lines to tell, by what they are about.
        self.notes: dict[str, str] = {}
        #: Why the job could not be unpickled.
        self.unpickled: str | None = None
        #: After how many seconds the candidate that is busy hangs, and when that is.
        self.limit = self.until = math.inf
        #: The process has said all.
        self.is_complete = False
        #: Nobody wants to know more: no further process is to be started.
        self.stopped = False
        self.process: Process | None = None
        self._task: tuple[Pads, ...] = ()

    def begin(self) -> tuple[Pads, ...]:
        """Return what the next process is to do."""
        self._task = tuple([each for each in self.candidates if each not in self.failures and each not in self.counts])
        self.until, self.unpickled, self.is_complete = math.inf, None, False
        return self._task

    def take(self, facts: Mapping[str, Any]) -> None:
        """Take note of what a worker said."""
        for name, value in facts.items():
            known = getattr(self, name)
            if isinstance(known, dict):
                known.update(value)
            elif isinstance(known, list):
                known += value
            else:
                setattr(self, name, value)
        if "limit" in facts:
            self.until = time.monotonic() + self.limit

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
        took, warm = self.ended - self.began, self.began - self.planned
        fastest = min([probe for each in self.probes for probe in each.values()], default=math.inf)
        return Run(machine, times, self.failures, took, warm, host, probes, fastest)

    def counted(self, machine: str) -> Counted:
        """Return what became of the candidates, in their order."""
        found: dict[Pads, Counts | Failure] = {**self.failures, **self.counts}
        counts = {each: found[each] for each in self.candidates if each in found}
        return Counted(counts, self.places, machine, self.items, self.seconds, self.has_pads)

    # -- how a process ends ---------------------------------------------------------------------------------------

    def died(self, index: int | None, why: str) -> None:
        """Take note that the process ended while it was busy with that one; None: before it was with any, which is all
        the same to them."""
        blamed = self._task if index is None else (self._task[index],)
        self.failures.update(dict.fromkeys(blamed, Failure(why)))


# -- one run or count -------------------------------------------------------------------------------------------------


def measure(packed: Packed, observed: Observations, deadline: float, seed: int, is_timed: bool) -> None:
    """Let processes measure until the deadline, by time.monotonic(), or count; each is without the candidates that
    those before have failed with. All that comes of it is in *observed*."""
    while not observed.stopped:
        process = observed.process = Process(packed, Task(observed.begin(), is_timed, deadline, seed))
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
    while not observed.is_complete:
        try:
            facts = process.next_facts(min(latest, observed.until))
        except Late:
            if observed.until >= latest:
                if not observed.items:
                    seconds = max(0.0, deadline - started)
                    observed.notes["late"] = f"nothing was ready to be measured after {seconds:.2g} seconds"
                return False
            observed.died(process.at(), f"not ready after {observed.limit:.3g} seconds")
            return True
        if facts is None and observed.stopped:
            return False
        if facts is None:
            index = process.at()
            observed.died(index, process.end(_TO_END) or "the process ended itself")
            return index is not None
        observed.take(facts)
    process.end(_TO_END)
    return False


# -- where code is kept -----------------------------------------------------------------------------------------------


def _environment() -> dict[str, str]:
    """Return the variables of a worker. Where the cache of code is off it gets one for the time being: the second
    process does not compile what the first one did."""
    from jitffi.adapters import cache as code

    found = {name: value for name, value in os.environ.items() if name not in _NOT_PASSED}
    if code.directory() is None:
        found["JITFFI_CACHE_DIR"] = _own_cache()
    return found


@cache
def _own_cache() -> str:
    folder, owner = tempfile.mkdtemp(prefix="jitffi-"), os.getpid()

    @atexit.register
    def remove() -> None:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    return folder
