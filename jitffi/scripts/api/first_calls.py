"""The first calls of a script, which the interpreter makes: how many there are until code is made.

    call, no code --fit?--no---> code is made, and runs
                     `----yes--> the Python function runs --OFTEN, or LONG in several--> a thread makes code meanwhile
                                                          --TOO_OFTEN, or TOO_LONG-----> the next call waits for it
                                                          --ENOUGH in one call---------> it is given up, and code made

Code takes a tenth of a second to make, or milliseconds to find in the cache, and a call of few rounds takes some
microseconds. Fit are calls that are short, as is told by the script's text (rounds.py) and by the arguments
(runtime_c/python/package/script_first.c), and those that can be given up (script_long.c).
"""

from __future__ import annotations

import atexit
import os
import sys
import time
from _thread import allocate_lock

from jitffi import _core
from jitffi.base import apart, pad_policy
from jitffi.base.errors import ScriptError
from jitffi.base.fork_locks import SCRIPTS, holding
from jitffi.scripts.api import left, options, rounds
from jitffi.scripts.api.bounds import SMALL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FunctionType
    from typing import Any

    from jitffi.scripts.api.script import Script

#: So many calls of a script, or nanoseconds in several of them, ask for code, which a thread makes.
OFTEN, LONG = 1_000, 10_000_000
#: So many are the last, and the next call waits for the code: while others compute, the thread comes to little.
TOO_OFTEN, TOO_LONG = 5_000, 50_000_000
#: Nanoseconds after which a call is given up: what code takes to make.
ENOUGH = 100_000_000


class FirstCalls:
    """What the interpreter has done for a script: calls with what type tags."""

    __slots__ = ("has_failed", "type_tags")

    def __init__(self) -> None:
        self.type_tags: dict[int, None] = {}
        #: Code could not be made on the thread: let the next call say why.
        self.has_failed = False


def of(script: Script) -> tuple[Any, ...] | None:
    """What the extension is to know of a script: how its rounds are counted (None: it has no loops), how many rounds
    are a short call, what a default comes to, the Python function, whom to tell of calls, after how many calls or
    nanoseconds of each, and how long none begins in another, and whom to ask whether longer calls can be given up; None
    where the first call is to make code."""
    given = script._given
    if given.pads is not None or given.structs is not None or pad_policy.current is not None:
        return None
    found = apart.run(rounds.look_at, given.function) if options.begins_quickly() else None
    if found is None:
        return None
    given.first = FirstCalls()
    told = _count, OFTEN, LONG, TOO_LONG
    return found.rounds, rounds.MOST, SMALL, given.function, *told, _can_be_given_up


def _count(script: Script, kinds: int, ranks: int, calls: int, nanoseconds: int) -> bool:
    """Let code be made where there were enough calls, of any type tags. Whether there may be others."""
    first, type_tags = script._given.first, kinds | ranks << 64
    assert first is not None
    first.type_tags[type_tags] = None
    if calls >= OFTEN or (calls > 1 and nanoseconds >= LONG):
        _ask_for(script, type_tags)
    return not (first.has_failed or calls >= TOO_OFTEN or nanoseconds >= TOO_LONG)


# -- long calls -------------------------------------------------------------------------------------------------------

#: Seconds between two looks, and looks at no call after which the thread ends.
_PAUSE, _MOST_IDLE = 0.01, 5
_is_watching = False
#: Is locked until the end.
_end = allocate_lock()
_end.acquire()


def _can_be_given_up(function: FunctionType) -> tuple[Any, ...] | None:
    """Where calls of a script can end, which parameters are no containers then, when they end, and who lets a thread
    look at them; None where they cannot."""
    from jitffi.scripts.api import repeats

    found = apart.run(repeats.look_at, function)
    return None if found is None else (found.codes, found.kept, ENOUGH, lambda: found.is_as_seen() and _watch())


def _watch() -> bool:
    """Let a thread look at the call that is about to begin. Whether one does."""
    global _is_watching
    if not _is_watching:
        _is_watching = not _is_over and apart.start(_look)
    return _is_watching and not _is_over


def _look() -> None:
    global _is_watching
    idle = 0
    try:
        while not _is_over and idle < _MOST_IDLE:
            _end.acquire(timeout=_PAUSE)
            idle = 0 if _core.script_look_at_long() else idle + 1
            if idle == _MOST_IDLE:
                _is_watching = False
                if _core.script_look_at_long():  # it has begun just now
                    _is_watching, idle = True, 0
    finally:
        _is_watching = False


# -- code, made meanwhile ----------------------------------------------------------------------------------------------

#: No lock: whoever asks may be interrupted anywhere, by a handler that asks, too.
_asked: dict[tuple[Script, int], None] = {}
_is_running = False
#: Is the thread's that makes code.
_making = allocate_lock()
_is_over = False
#: What may be spent at exit, in seconds.
_AT_EXIT = 2.0


def _ask_for(script: Script, type_tags: int) -> None:
    """Each call asks again until there is code."""
    global _is_running
    _asked[script, type_tags] = None
    if not (_is_running or _is_over):
        _is_running = True
        try:
            if not apart.start(_make_all):
                _is_running = False
        except BaseException:  # a handler's: the next call starts another
            _is_running = False
            raise


def _make_all() -> None:
    global _is_running
    if not _making.acquire(blocking=False):  # a handler's exception has come when the thread was there already
        return
    try:
        while _asked and not _is_over:
            for script, type_tags in list(_asked):
                if not _is_over:
                    _make(script, type_tags)
                _asked.pop((script, type_tags), None)
    finally:
        _making.release()
        _is_running = False  # last: a thread that has found the lock taken leaves this to this one


def _make(script: Script, type_tags: int) -> None:
    try:
        holding(SCRIPTS, script._add_variant, type_tags, True)
    except ScriptError as error:
        left.leave(script, error.with_traceback(None))
    except BaseException:  # whatever it is, the next call makes code itself, and raises it to its caller
        assert script._given.first is not None
        script._given.first.has_failed = True


def _finish() -> None:
    """At exit: what has not been begun is not made. A thread of improving.py that was started meanwhile is ended here:
    what is registered while such functions run is not called."""
    global _is_over
    _is_over = True
    _end.release()
    end = time.monotonic() + _AT_EXIT
    while _is_running and time.monotonic() < end:
        time.sleep(0.001)
    improving = sys.modules.get("jitffi.scripts.api.improving")
    if improving is not None:
        improving._finish()


def _after_fork_in_child() -> None:
    """The threads are not here."""
    global _is_running, _is_watching, _making
    _is_running = _is_watching = False
    _making = allocate_lock()
    _asked.clear()


atexit.register(_finish)
os.register_at_fork(after_in_child=_after_fork_in_child)
