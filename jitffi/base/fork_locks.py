"""The package's locks: what a fork waits for.

A child has the forking thread alone: a module that another thread was importing, and LLVM while another thread was
inside, stay locked there for ever. Whoever does either on the way of a user's call holds one of these locks, and a fork
takes both. Where a thread needs both, IMPORTS comes first. On the way of a warm start: imports next to nothing.
"""

from __future__ import annotations

from _thread import RLock
from posix import register_at_fork  # os has it from there, and may not be loaded yet
from sys import version_info

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec, TypeVar

    P = ParamSpec("P")
    R = TypeVar("R")


class _Lock(RLock):  # type: ignore[misc]  # final in typeshed alone
    """For CPython 3.14, on which `with` can lose a lock: where a signal handler raises right after a method of C has
    taken it, nobody releases it. No handler runs between the end of a method of Python's and the block."""

    def __enter__(self, blocking: bool = True, timeout: float = -1) -> bool:
        before = self._recursion_count()  # type: ignore[attr-defined]
        try:
            return self.acquire(blocking, timeout)
        except BaseException:
            if self._recursion_count() > before:  # type: ignore[attr-defined]
                self.release()
            raise


_new_lock = _Lock if version_info[:2] == (3, 14) else RLock
#: Around imports of the package's own parts on first use.
IMPORTS = _new_lock()
#: Around every use of LLVM. llvmlite's own lock cannot be held across a fork.
LLVM = _new_lock()
#: Around compiling scripts: one is compiled at a time. It comes before the others, and no fork waits for it.
SCRIPTS = _new_lock()

LOCKS = (IMPORTS, LLVM, SCRIPTS)


def is_mine(lock: RLock) -> bool:
    """Whether this thread holds it."""
    owned: bool = lock._is_owned()  # type: ignore[attr-defined]  # what threading.Condition asks
    return owned


def holding(lock: RLock, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Call *function* with the lock held. On CPython 3.14 `with` can lose a lock: where a signal handler raises right
    after it was taken, nobody releases it."""
    if is_mine(lock):
        return function(*args, **kwargs)
    try:
        lock.acquire()
        return function(*args, **kwargs)
    finally:
        try:  # noqa: SIM105 - contextlib's manager is a function, in which a handler runs before the release
            lock.release()
        except RuntimeError:
            pass  # the handler was faster than acquire


def _before() -> None:
    IMPORTS.acquire()
    LLVM.acquire()


def _after() -> None:
    LLVM.release()
    IMPORTS.release()


def _after_in_child() -> None:
    if not is_mine(SCRIPTS):  # whoever held it is not here
        SCRIPTS._at_fork_reinit()  # type: ignore[attr-defined]
    _after()


register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after_in_child)
