"""`apart.run`, loaded where it is needed: a warm start compiles nothing. On its way: imports next to nothing."""

from __future__ import annotations

import sys

from jitffi.base.fork_locks import IMPORTS, holding

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, ParamSpec, TypeVar

    P = ParamSpec("P")
    R = TypeVar("R")


def run(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Return what the call returns, made on a thread on which no signal handler runs: see `jitffi.base.apart`."""
    found: R = holding(IMPORTS, _load)(function, *args, **kwargs)
    return found


def _load() -> Any:
    try:
        from jitffi.base.apart import run
    except ImportError:
        if "jitffi.base.apart" not in sys.modules:
            raise
        return _stay  # a signal handler has interrupted this import, on this thread: it does the work where it is
    return run


def _stay(function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    return function(*args, **kwargs)
