"""What times say: medians, intervals by bootstrap, and whether a process was warm."""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

import numpy

from jitffi.tune.records import Interval

#: The confidence that an Interval has.
CONFIDENCE = 0.95
_RESAMPLES = 4000
#: A first round is cold only if it is slower than the rest by more than this, whatever their spread.
_COLD_ABOVE = 1.1


def bootstrap(values: Sequence[float], seed: int = 0) -> Interval:
    """Return the median with its interval: where the medians of samples of the sample, drawn by *seed*, lie.

    It is as wide as all values where there are five or fewer: so few do not allow for less. One value is its interval.

    >>> bootstrap([5.0, 1.0, 2.0, 4.0, 3.0])
    Interval(low=1.0, median=3.0, high=5.0)
    """
    middle = median(values)
    if len(values) <= 5:
        return Interval(min(values), middle, max(values))
    drawn = numpy.random.default_rng(seed).integers(0, len(values), (_RESAMPLES, len(values)))
    medians = numpy.median(numpy.asarray(values, dtype=float)[drawn], axis=1)
    low, high = numpy.quantile(medians, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return Interval(min(float(low), middle), middle, max(float(high), middle))


def is_warm(times: Sequence[float]) -> bool:
    """Return whether a process was as fast in the first half of *times* as in the second: their quartiles overlap, and
    the first is no outlier of the others. Fewer than 4 times are not judged.

    >>> is_warm([1.0, 1.1, 1.0, 1.1, 1.0, 1.1]), is_warm([9.0, 1.1, 1.0, 1.1, 1.0, 1.1]), is_warm([3, 3, 2, 1, 1, 1])
    (True, False, False)
    """
    if len(times) < 4:
        return True
    half = len(times) // 2
    if numpy.quantile(times[:half], 0.25) > _COLD_ABOVE * numpy.quantile(times[half:], 0.75):
        return False
    low, high = numpy.quantile(times[1:], (0.25, 0.75))
    return bool(times[0] <= max(high + 1.5 * (high - low), _COLD_ABOVE * high))


def cold(times: Sequence[float]) -> int:
    """Return how many of the first *times* are to be left out for the rest to be warm: at most a half.

    >>> cold([9.0, 5.0, 1.0, 1.1, 1.0, 1.1]), cold([1.0, 1.1, 1.0, 1.1]), cold([9.0, 6.0, 4.0, 2.0, 1.0, 0.5])
    (2, 0, 3)
    """
    most = len(times) // 2
    return next((count for count in range(most) if is_warm(times[count:])), most)
