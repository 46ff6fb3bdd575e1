"""A worker process, seen by whoever asks: how it is started, what it says, how it ended. Nothing of it is left behind.

It is started afresh, by the interpreter that runs here; or forked, for what cannot be pickled. It is the leader of a
session of its own: a terminal's Ctrl-C does not reach it, and what it starts is ended with it.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from functools import cache
from multiprocessing.connection import Connection
from typing import IO, Any

from jitffi.tune.run.job import Job, Packed, Task

#: Not for workers: they run the candidates' pads, and nobody wants a trace of them.
_NOT_PASSED = ("JITFFI_PROFILE", "JITFFI_TRACE")
_CODE = "import sys; sys.path[:] = {path!r}; from jitffi.tune.worker.worker import main; main({state})"
_MOST_WORDS = 300

#: What a worker says: a word, and what belongs to it.
Event = tuple[Any, ...]


class Late(Exception):
    """Nothing was said in time."""


class Process:
    """A worker at work. `end` must be called."""

    def __init__(self, source: Packed | Job, task: Task) -> None:
        """Start one: a Job is for a fork. OSError where no process can be had."""
        self._state: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  closed by _close
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115
        self._popen: subprocess.Popen[bytes] | None = None
        self._status: int | None = None
        self._words = ""
        out, far = os.pipe()
        self._events: Connection = Connection(out, writable=False)
        try:
            if isinstance(source, Packed):
                self._pid = self._spawn(source, task, far)
            else:
                self._pid = _fork(source, task, far, self._state.fileno())
        except BaseException:
            self._close()
            raise
        finally:
            os.close(far)

    def _spawn(self, packed: Packed, task: Task, out: int) -> int:
        state = self._state.fileno()
        path = [each or os.getcwd() for each in sys.path]
        with tempfile.TemporaryFile() as spec:  # no pipe, which can be full: a sample has megabytes
            pickle.dump((packed, task), spec)
            spec.seek(0)
            self._popen = subprocess.Popen(
                [sys.executable, "-c", _CODE.format(path=path, state=state)], stdin=spec, stdout=out,
                stderr=self._errors, env=_environment(), pass_fds=(state,), start_new_session=True,
            )  # fmt: skip
        return self._popen.pid

    # -- what it says ---------------------------------------------------------------------------------------------

    def next_event(self, until: float) -> Event | None:
        """Return what it says next; None: it has ended. Late: it is *until*, by time.monotonic()."""
        try:
            if not self._events.poll(max(0.0, until - time.monotonic())):
                raise Late
            event: Event = self._events.recv()
        except (EOFError, OSError):  # the end, perhaps in the middle of an event
            return None
        return event

    def at(self) -> int | None:
        """The number of the candidate that it was busy with last."""
        text = os.pread(self._state.fileno(), 4, 0)
        return int(text) if text.strip() else None

    # -- how it ends ----------------------------------------------------------------------------------------------

    def kill(self) -> None:
        """Let it come to its end at once. From another thread than the one that listens."""
        if self._status is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._pid, signal.SIGKILL)

    def end(self, patience: float = 0.0) -> str:
        """End it and what it has started, if it does not end itself in *patience* seconds, and return how it went, as
        "killed by signal 11 (SIGSEGV)"; "" for an end that is none of its own, or is as it should be. Again: nothing
        happens."""
        if self._status is None:
            until = time.monotonic() + patience
            while not self._is_over() and time.monotonic() < until:
                time.sleep(0.002)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._pid, signal.SIGKILL)
            if self._status is None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(self._pid, signal.SIGKILL)  # it may not lead a session yet
                self._wait()
                self._status = 0
            self._words = self._in_words()
            self._close()
        return self._words

    def _is_over(self) -> bool:
        if self._popen is not None:
            self._status = self._popen.poll()
        else:
            pid, status = os.waitpid(self._pid, os.WNOHANG)
            self._status = os.waitstatus_to_exitcode(status) if pid else None
        return self._status is not None

    def _wait(self) -> None:
        if self._popen is not None:
            self._popen.wait()
        else:
            os.waitpid(self._pid, 0)

    def _in_words(self) -> str:
        """Return how it ended, as `end` says it."""
        status = self._status or 0
        if status < 0:
            with contextlib.suppress(ValueError):
                return f"killed by signal {-status} ({signal.Signals(-status).name})"
            return f"killed by signal {-status}"
        if status == 0:
            return ""
        self._errors.seek(0)
        said = self._errors.read(1 << 16).decode(errors="replace").strip().splitlines()
        return f"exit code {status}" + (f": {said[-1].strip()[:_MOST_WORDS]}" if said else "")

    def _close(self) -> None:
        self._events.close()
        self._state.close()
        self._errors.close()


def _fork(job: Job, task: Task, out: int, state: int) -> int:
    """Fork a worker and return its number. Ctrl-C must not find the child while it looks like the parent."""
    from jitffi.tune.worker import passes, worker  # noqa: F401  not in the child, where another thread may hold a lock

    blocked = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of threads: the child has nothing to do with them
            pid = os.fork()
        if pid:
            return pid
        try:
            os.setsid()
            os.environ.update(_environment())
            for name in _NOT_PASSED:
                os.environ.pop(name, None)
            worker.serve(lambda: job, task, out, state)
            os._exit(0)
        finally:
            os._exit(1)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, blocked)


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
    import atexit

    folder, owner = tempfile.mkdtemp(prefix="jitffi-"), os.getpid()

    @atexit.register
    def remove() -> None:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    return folder
