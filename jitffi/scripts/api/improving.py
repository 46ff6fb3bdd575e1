"""Better code for variants that were compiled quickly: level 2, made while calls go on.

    first call   level 0, in milliseconds --> runs
                 ask_for --> a thread of C's has LLVM make it (llvm_apart.c)
                                      --> a thread of Python's puts it into the cache, and in the variant's place
                                          a call that is under way may begin again there (script_quick.h)

At exit what is waited for is made for the next process, as long as the time for it lasts. Loads LLVM.
"""

from __future__ import annotations

import atexit
import os
import time
from _thread import allocate_lock

from jitffi import _core
from jitffi.adapters import cache
from jitffi.base import apart
from jitffi.llvm import library
from jitffi.llvm.target import HOST

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

#: What may be spent at exit, in seconds; what is left then is compiled by the next process.
_AT_EXIT = 2.0
#: A look at what is going on, in seconds.
_PAUSE = 0.001

#: What is to become of the object file, of all that is being made.
_wanted: dict[_core.Quick, Callable[[bytes], None]] = {}
_lock = allocate_lock()
_is_running = False
_is_over = False
#: Whether the thread has been given LLVM's functions: False where llvmlite has others.
_has_tools: bool | None = None


def is_possible() -> bool:
    """Whether LLVM can be used without the interpreter's lock. To be asked with the lock around LLVM."""
    global _has_tools
    if _has_tools is None:
        _has_tools = _give_tools()
    return _has_tools and not _is_over


def _give_tools() -> bool:
    try:
        functions = library.addresses(_core.APART_NAMES)
    except AttributeError:  # of another version
        return False
    _core.set_apart(tuple(functions), *[library.address(each) for each in (HOST.new_machine(2), library.tuning())])
    return True


def ask_for(quick: _core.Quick, text: str, install: Callable[[bytes], None]) -> None:
    """Let level 2 of a module be made, and *install* called with the object file, on a thread. *quick* has ended
    afterwards, whatever came of it."""
    global _is_running
    with _lock:
        if not _is_running:
            _is_running = apart.start(_run)
        if not _is_running:
            return quick.end()
        _wanted[quick] = install
        try:
            _core.compile_apart(quick, text.encode())
        except OSError:  # no thread is to be had
            _use(quick, None)
    return None


def wait_for(quick: _core.Quick) -> None:
    """Return when *quick* has ended."""
    while not quick.has_ended():
        time.sleep(_PAUSE)


def drain() -> None:
    """Return when nothing is left to be made."""
    for each in list(_wanted):
        wait_for(each)


def _run() -> None:
    global _is_running
    while True:
        made = _core.take_compiled()
        for quick, obj in made:
            _use(quick, obj)
        with _lock:
            if not (made or (_wanted and not _is_over)):
                _is_running = False
                return


def _use(quick: _core.Quick, obj: bytes | None) -> None:
    install = _wanted.get(quick)
    try:
        if obj is not None and install is not None:
            install(obj)
    except (OSError, MemoryError):
        pass  # the code that is there stays
    finally:
        quick.end()
        _wanted.pop(quick, None)


def _finish() -> None:
    """At exit: make what is left, for the next process; without a cache there is nobody to make it for."""
    global _is_over
    end = time.monotonic() + (_AT_EXIT if cache.directory() else 0.0)
    while _wanted and _is_running and time.monotonic() < end:
        time.sleep(_PAUSE)
    _is_over = True
    for quick, _ in _core.forget_apart():
        _use(quick, None)
    while made := _core.take_compiled():  # till the thread has ended
        for quick, obj in made:
            _use(quick, obj)


def _before_fork() -> None:
    _core.hold_apart()


def _after_fork() -> None:
    _core.release_apart(False)


def _after_fork_in_child() -> None:
    """The threads are not here. What the parent waits for stays as it is."""
    global _lock, _is_running
    _core.release_apart(True)
    _lock, _is_running = allocate_lock(), False
    _core.forget_apart()
    _core.take_compiled()
    for each in list(_wanted):
        each.end()
    _wanted.clear()


atexit.register(_finish)
os.register_at_fork(before=_before_fork, after_in_parent=_after_fork, after_in_child=_after_fork_in_child)
