"""Threads of the package's own, for what an exception must not interrupt half-way: LLVM, and imports that load it.

Python runs signal handlers on the main thread, between any two instructions, and what one raises (Ctrl-C's
KeyboardInterrupt, the TimeoutError of an alarm) comes up wherever that thread is: where an object of LLVM's changes
hands, or a lock was just taken. So such work is done on a thread of its own, where no handler runs. The caller waits,
and what a handler raises comes out of the waiting, at once. The work goes on then, and what it has made is there for
the next call.

    run(f, x)  -->  f(x) on a new thread; its result, or its exception as itself

Whoever waits must hold nothing that the work needs. Locks of the package that the caller has, or an import that it is
in the middle of, are a reason to do the work where it is. At exit the work is waited for, since LLVM cannot end under a
thread that is inside.
"""

from __future__ import annotations

import _frozen_importlib
import _imp
import atexit
import functools
import os
import sys
from _thread import allocate_lock, get_ident, stack_size, start_new_thread
from time import monotonic

from jitffi.base.fork_locks import LOCKS, is_mine

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ParamSpec, TypeVar

    P = ParamSpec("P")
    R = TypeVar("R")

#: Bytes of a thread's stack, whatever the program has set for its own: LLVM goes deep.
STACK = 16 << 20

#: What has not begun at exit after so many seconds never will: a handler's exception has come before its thread was
#: started.
_BEGUN = 1.0

_IMPORTED = ("jitffi", "llvmlite")
_IMPORTLIB = "<frozen importlib._bootstrap>"
#: Its functions that hold the lock around finding modules, and what they call.
_FINDING = ("_find_spec", "_get_module_lock", "cb", "__enter__", "__exit__")


class _Work:
    """A call that is made on another thread. `done` is locked until it has ended."""

    __slots__ = ("call", "done", "error", "lost", "thread", "value")

    def __init__(self, call: Callable[[], Any]) -> None:
        self.call: Callable[[], Any] | None = call
        self.done = allocate_lock()
        self.done.acquire()
        self.error: BaseException | None = None
        self.lost = False
        self.thread = 0
        self.value: Any = None

    def start(self) -> bool:
        """Whether a thread could be had; none can once the interpreter is about to end."""
        before = stack_size()
        _under_way.add(self)
        try:
            stack_size(STACK)
            start_new_thread(self._run, ())
        except (RuntimeError, MemoryError):
            _under_way.discard(self)
            return False
        finally:
            stack_size(before)
        return True

    def _run(self) -> None:
        self.thread = get_ident()
        assert self.call is not None
        ours.add(self.thread)
        try:
            self.value = self.call()
        except BaseException as error:  # the caller's, whatever it is
            self.error = error
        self.call = None  # what it holds is dropped here, and not by whoever waits
        ours.discard(self.thread)
        _under_way.discard(self)
        self.done.release()

    def result(self) -> Any:
        error, self.error = self.error, None
        if error is None:
            return self.value
        try:
            raise error
        finally:
            del error  # which refers to this frame


_under_way: set[_Work] = set()
#: The threads on which no handler runs: those of `run`, and the one that makes level 2.
ours: set[int] = set()


def run(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Return what the call returns, or raise what it raises. No signal handler runs where it is made, but while this
    waits for it."""
    while not _must_stay():
        work = _Work(functools.partial(function, *args, **kwargs))
        if not work.start():
            break
        with work.done:
            pass
        if not work.lost:
            found: R = work.result()
            return found
    return function(*args, **kwargs)


def start(function: Callable[[], object]) -> bool:
    """Let a thread of ours make the call, whatever becomes of it, and do not wait. False: no thread is to be had."""
    return _Work(function).start()


def apart(function: Callable[P, R]) -> Callable[P, R]:
    """Let *function* always `run` so."""

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        return run(function, *args, **kwargs)

    return call


def is_at_work() -> bool:
    """Whether what this thread does is the package's own: it is one of ours, or has a lock of the package."""
    return get_ident() in ours or any(is_mine(lock) for lock in LOCKS)


def _must_stay() -> bool:
    """Whether this thread is one of ours, has what ours would wait for, or can have none any more."""
    return is_at_work() or sys.is_finalizing() or _is_importing() or not mend_import_lock()


def _is_importing() -> bool:
    """Whether this thread has the lock of a module that compiling may import; also one that an interrupted import has
    left taken, as long as its traceback is kept."""
    ident = get_ident()
    for name, reference in list(_frozen_importlib._module_locks.items()):  # type: ignore[attr-defined]
        lock = reference()
        root = name.partition(".")[0]
        if lock is not None and lock.owner == ident and (root in _IMPORTED or root in sys.stdlib_module_names):
            return True
    return False


def mend_import_lock() -> bool:
    """Whether this thread has not got the interpreter's lock around finding modules. What a handler raises in an import
    can leave it taken (importlib/_bootstrap.py, _ImportLockContext), and then no other thread can import anything."""
    while _imp.lock_held():
        frame = sys._getframe()
        while frame.f_back is not None:
            frame = frame.f_back
            if frame.f_code.co_name in _FINDING and frame.f_code.co_filename == _IMPORTLIB:
                return False
        try:
            _imp.release_lock()
        except RuntimeError:  # it is another thread's, which is at it
            return True
    return True


def _after_fork() -> None:
    """In a child: of the threads there is the one that has forked. Who was waiting for another when a signal handler
    forked does the work anew."""
    ident = get_ident()
    ours.intersection_update((ident,))
    for work in _under_way.copy():
        if work.thread != ident:
            _under_way.discard(work)
            work.lost = True
            work.done.release()


def _finish() -> None:
    end = monotonic() + _BEGUN
    for work in _under_way.copy():
        if not work.done.acquire(timeout=max(end - monotonic(), 0)) and work.thread:
            work.done.acquire()


atexit.register(_finish)
os.register_at_fork(after_in_child=_after_fork)
