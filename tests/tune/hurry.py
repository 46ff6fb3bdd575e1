"""Runs that end when they have told enough: who waits for rounds gets them on a busy machine, a quiet one is soon done.

Without it a run measures until its time is over, and a test has to know how much a process gets done by then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from unittest import mock

from jitffi.tune.run.work import Measurement, Observations

#: Seconds for what ends by itself, or when it has told enough: a limit, on a machine that is busy with much else.
AMPLE = 300


def two_rounds(observed: Observations) -> bool:
    return len(observed.times) >= 2


def _then(then: Callable[[Measurement], object], enough: Callable[[Observations], object]) -> Callable[..., None]:
    take = Measurement.take

    def take_and_then(measurement: Measurement, facts: Mapping[str, object]) -> None:
        take(measurement, facts)
        if "times" in facts and enough(measurement.observed):
            then(measurement)

    return take_and_then


def listened(
    then: Callable[[Measurement], object] = Measurement.stop, enough: Callable[[Observations], object] = two_rounds
) -> AbstractContextManager[object]:
    """Do *then*(measurement) after each round of a run that has told enough; of itself, end the run."""
    return mock.patch.object(Measurement, "take", _then(then, enough))


def from_now_on() -> None:
    """End runs after two rounds in this process, which is one of a test alone."""
    Measurement.take = _then(Measurement.stop, two_rounds)  # type: ignore[method-assign]
