"""What times say: medians, intervals by bootstrap, whether a process was warm, whether two rankings agree."""

from __future__ import annotations

from collections.abc import Sequence

import numpy

from jitffi.tune.records import Interval

#: The confidence that an Interval has.
CONFIDENCE = 0.95
_RESAMPLES = 4000
#: A first round is cold only if it is slower than the rest by more than this, whatever their spread.
_COLD_ABOVE = 1.1


def median(values: Sequence[float]) -> float:
    """Return the middle one, or the mean of both. ValueError where there is none.

    >>> median([3.0, 1.0, 2.0]), median([4.0, 1.0])
    (2.0, 2.5)
    """
    return quantile(values, 0.5)


def quantile(values: Sequence[float], share: float) -> float:
    """Return what *share* of the values is below, on the line between the two nearest.

    >>> quantile([1.0, 2.0, 3.0, 4.0, 5.0], 0.25), quantile([1.0, 2.0], 0.25)
    (2.0, 1.25)
    """
    if not values:
        raise ValueError("a median of no values")
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    below = int(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (ordered[above] - ordered[below]) * (place - below)


def bootstrap(values: Sequence[float], seed: int = 0) -> Interval:
    """Return the median with its interval: where the medians of samples of the sample, drawn by *seed*, lie.

    It is as wide as all values where there are five or fewer: so few do not allow for less. One value is its interval.

    >>> bootstrap([5.0, 1.0, 2.0, 4.0, 3.0])
    Interval(low=1.0, median=3.0, high=5.0)
    >>> bootstrap([2.0])
    Interval(low=2.0, median=2.0, high=2.0)
    """
    middle = median(values)
    if len(values) <= 5:
        return Interval(min(values), middle, max(values))
    drawn = numpy.random.default_rng(seed).integers(0, len(values), (_RESAMPLES, len(values)))
    medians = numpy.median(numpy.asarray(values, dtype=float)[drawn], axis=1)
    low, high = numpy.quantile(medians, ((1 - CONFIDENCE) / 2, (1 + CONFIDENCE) / 2))
    return Interval(min(float(low), middle), middle, max(float(high), middle))


def is_warm(times: Sequence[float]) -> bool:
    """Whether a process was as fast in the first half of *times* as in the second: their quartiles overlap, and the
    first is no outlier of the others. Fewer than 4 times are not judged.

    >>> is_warm([1.0, 1.1, 1.0, 1.1, 1.0, 1.1]), is_warm([9.0, 1.1, 1.0, 1.1, 1.0, 1.1]), is_warm([3, 3, 2, 1, 1, 1])
    (True, False, False)
    """
    if len(times) < 4:
        return True
    half = len(times) // 2
    if quantile(times[:half], 0.25) > _COLD_ABOVE * quantile(times[half:], 0.75):
        return False
    low, high = quantile(times[1:], 0.25), quantile(times[1:], 0.75)
    return times[0] <= max(high + 1.5 * (high - low), _COLD_ABOVE * high)


def cold(times: Sequence[float]) -> int:
    """Return how many of the first *times* are to be left out for the rest to be warm: at most a half.

    >>> cold([9.0, 5.0, 1.0, 1.1, 1.0, 1.1]), cold([1.0, 1.1, 1.0, 1.1]), cold([9.0, 6.0, 4.0, 2.0, 1.0, 0.5])
    (2, 0, 3)
    """
    most = len(times) // 2
    for count in range(most):
        if is_warm(times[count:]):
            return count
    return most


def ranks(values: Sequence[float]) -> list[float]:
    """Return the place of each among them, from 1; equal ones share the mean of their places.

    >>> ranks([10.0, 30.0, 20.0, 20.0])
    [1.0, 4.0, 2.5, 2.5]
    """
    order = sorted(range(len(values)), key=values.__getitem__)
    found = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for place in order[start:end]:
            found[place] = (start + 1 + end) / 2
        start = end
    return found


def spearman(first: Sequence[float], second: Sequence[float]) -> float:
    """Return how well two rankings of the same things agree: 1 the same, -1 the reverse, 0 not at all.

    Where all are equal in one of them it is 0, in both 1. ValueError for different lengths.

    >>> spearman([1.0, 2.0, 3.0], [10.0, 20.0, 90.0]), spearman([1.0, 2.0, 3.0], [3.0, 2.0, 1.0])
    (1.0, -1.0)
    """
    if len(first) != len(second):
        raise ValueError(f"rankings of the same things, got {len(first)} and {len(second)} values")
    flat = [len(set(values)) < 2 for values in (first, second)]
    if any(flat):
        return float(all(flat))
    x, y = (numpy.asarray(ranks(values)) for values in (first, second))
    x, y = x - x.mean(), y - y.mean()
    together = float((x * y).sum() / numpy.sqrt((x * x).sum() * (y * y).sum()))
    return max(-1.0, min(1.0, together))
