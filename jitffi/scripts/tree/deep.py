"""Room for deep programs: every stage walks the tree by recursion, and a long `elif` or sum is a deep tree.

CPython's limit of 1000 frames is made for what users write. It is raised while a stage runs, and what needs more is
refused.
"""

from __future__ import annotations

import sys
from _thread import allocate_lock

from jitffi.base.errors import ScriptError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FunctionType

#: Frames. Where each is entered through C as well, they take about a kilobyte of a stack of eight megabytes.
LIMIT = 5000

_lock = allocate_lock()
_open = 0
_before = 0


class Room:
    """`with Room(function):` around a stage. ScriptError where the function is nested too deeply for it."""

    def __init__(self, function: FunctionType) -> None:
        self._function = function

    def __enter__(self) -> None:
        global _open, _before
        with _lock:
            if not _open:
                _before = sys.getrecursionlimit()
                sys.setrecursionlimit(max(_before, LIMIT))
            _open += 1

    def __exit__(self, kind: object, error: object, where: object) -> None:
        global _open
        with _lock:
            _open -= 1
            if not _open and sys.getrecursionlimit() == max(_before, LIMIT):
                sys.setrecursionlimit(_before)
        if isinstance(error, RecursionError):
            code = self._function.__code__
            position = (code.co_filename, code.co_firstlineno, 1, "", code.co_firstlineno, 0)
            message = f"{self._function.__name__} is nested too deeply: write several statements, or functions"
            raise ScriptError(message, position) from None
