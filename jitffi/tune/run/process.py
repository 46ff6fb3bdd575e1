"""A worker process, seen by whoever asks: how it is started, what it says, how it ends. Nothing of it is left.

Each is started afresh, by the interpreter that runs here, and is the leader of a session of its own: a terminal's
Ctrl-C does not reach it, and what it starts is ended with it.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from functools import cache
from multiprocessing.connection import Connection
from typing import Any

from jitffi.profiles.candidates import Pads
from jitffi.tune.run.job import Request

#: Not for workers: they run the candidates' pads, and nobody wants a trace of them.
_NOT_PASSED = ("JITFFI_PROFILE", "JITFFI_TRACE")
_CODE = "import sys; sys.path[:] = {path!r}; from jitffi.tune.worker.worker import main; main({state})"
#: Seconds that a process may take to end itself.
_TO_END = 0.3


class Process:
    """A worker at work, for a `with`, at whose end it is ended."""

    def __init__(self, request: Request, candidates: tuple[Pads, ...], deadline: float) -> None:
        """Start one for those candidates, until *deadline* by time.monotonic(), which all processes of a machine share.
        OSError where no process can be had."""
        self._words: str | None = None
        with contextlib.ExitStack() as kept:
            # No pipe, which can be full: a sample has megabytes.
            task, self._state = [kept.enter_context(tempfile.TemporaryFile()) for _ in range(2)]
            pickle.dump((request, candidates, deadline), task)
            task.seek(0)
            state, path = self._state.fileno(), [each or os.getcwd() for each in sys.path]
            out, far = os.pipe()
            self._events: Connection = kept.enter_context(Connection(out, writable=False))
            with os.fdopen(far, "wb") as stdout:
                self._popen = subprocess.Popen(
                    [sys.executable, "-c", _CODE.format(path=path, state=state)], stdin=task, stdout=stdout,
                    stderr=subprocess.DEVNULL, env=_environment(), pass_fds=(state,), start_new_session=True,
                )  # fmt: skip
            self._close = kept.pop_all().close

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self._close()

    def is_heard(self, until: float) -> bool:
        """Wait for what it says next, its end included; False: it is *until*, by time.monotonic()."""
        return self._events.poll(max(0.0, until - time.monotonic()))

    def facts(self) -> Mapping[str, Any] | None:
        """Return what it says; None: it has ended."""
        try:
            found: Mapping[str, Any] = self._events.recv()
        except (EOFError, OSError):  # the end, perhaps in the middle of something
            return None
        return found

    def at(self) -> int | None:
        """The number of the candidate that it was busy with last; None: it was not busy with any."""
        text = os.pread(self._state.fileno(), 4, 0)
        return int(text) if text.strip() else None

    def kill(self) -> None:
        """Let it come to its end at once, with what it has started. From any thread."""
        if self._words is None:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self._popen.pid, signal.SIGKILL)

    def end(self) -> str:
        """End it and what it has started, if it does not end itself soon, and return how it went, as "killed by signal
        11 (SIGSEGV)"; "" for an end that is none of its own, or is as it should be. Again: nothing happens."""
        if self._words is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._popen.wait(_TO_END)
            status = self._popen.poll() or 0
            self.kill()
            self._popen.wait()
            self._words = _in_words(status)
        return self._words


def _in_words(status: int) -> str:
    if status < 0:
        names = {each.value: f" ({each.name})" for each in signal.Signals}
        return f"killed by signal {-status}{names.get(-status, '')}"
    return f"exit code {status}" if status else ""


def _environment() -> dict[str, str]:
    """Return the variables of a worker. Where the cache of code is off it gets one for the time being: the second
    process does not compile what the first one did."""
    from jitffi.adapters import cache as code

    found = {name: value for name, value in os.environ.items() if name not in _NOT_PASSED}
    if code.directory() is None:
        found["JITFFI_CACHE_DIR"] = _own_cache().name
    return found


@cache
def _own_cache() -> tempfile.TemporaryDirectory[str]:
    """Return a folder that is there until this process ends."""
    return tempfile.TemporaryDirectory(prefix="jitffi-", ignore_cleanup_errors=True)
