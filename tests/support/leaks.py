"""What is alive: native objects, once the garbage collector has nothing left to find."""

from __future__ import annotations

import gc

from jitffi import _core


def settle() -> None:
    """Before a module's first test: what is there, pytest and NumPy too, need not be looked at hundreds of times."""
    gc.collect()
    gc.freeze()


def live_objects() -> int:
    """How many native objects there are. What one collection frees may set free what the next one finds."""
    count = -1
    while count != (count := _core.live_objects()):
        gc.collect()
    return count
