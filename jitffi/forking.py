"""What a fork waits for.

A child has the forking thread alone: a module that another thread was importing, and LLVM while another thread was
inside, stay locked there for ever. Whoever does either on the way of a user's call holds one of these locks, and a fork
takes both. Where a thread needs both, IMPORTS comes first. On the way of a warm start: imports next to nothing.
"""

from __future__ import annotations

from _thread import RLock
from posix import register_at_fork  # os has it from there, and may not be loaded yet

#: Around imports of the package's own parts on first use.
IMPORTS = RLock()
#: Around every use of LLVM. llvmlite's own lock cannot be held across a fork.
LLVM = RLock()


def _before() -> None:
    IMPORTS.acquire()
    LLVM.acquire()


def _after() -> None:
    LLVM.release()
    IMPORTS.release()


register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after)
