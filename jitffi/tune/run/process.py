"""A worker process, seen by whoever asks: how it is started, what it says, how it ended. Nothing of it is left behind.

It is started afresh, by the interpreter that runs here, and is the leader of a session of its own: a terminal's Ctrl-C
does not reach it, and what it starts is ended with it.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from functools import cache
from multiprocessing.connection import Connection
from typing import IO, TYPE_CHECKING, Any

from jitffi.tune.run.job import Packed, Task

if TYPE_CHECKING:
    from jitffi.tune.run.observations import Observations

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
                observed.late(deadline - started)
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
