"""Runs that end when they have told enough: who waits for rounds gets them on a busy machine, a quiet one is soon done.

Without it a run measures until its time is over, and a test has to know how much a process gets done by then.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from unittest import mock

from jitffi.tune.runs.seen import Seen

#: Seconds for what ends by itself, or when it has told enough.
AMPLE = 60


def two_rounds(seen: Seen) -> bool:
    return len(seen.times) >= 2


def _then(then: Callable[[Seen], object], enough: Callable[[Seen], object]) -> Callable[..., None]:
    take = Seen._round

    def round_and_then(seen: Seen, times: list[tuple[int, float, float]], fastest: float) -> None:
        take(seen, times, fastest)
        if enough(seen):
            then(seen)

    return round_and_then


def listened(
    then: Callable[[Seen], object] = Seen.stop, enough: Callable[[Seen], object] = two_rounds
) -> AbstractContextManager[object]:
    """Do *then*(seen) after each round of a run that has told enough; of itself, end the run."""
    return mock.patch.object(Seen, "_round", _then(then, enough))


def from_now_on() -> None:
    """End runs after two rounds in this process, which is one of a test alone."""
    Seen._round = _then(Seen.stop, two_rounds)  # type: ignore[method-assign]
