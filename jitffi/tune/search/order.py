"""In which order uniform pads are looked at, where there is no time for all, and what is known of those between."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence

from jitffi.profiles.candidates import Pads


def far_apart(candidates: Sequence[Pads]) -> list[Pads]:
    """The middle one, then those of the halves, and so on: each prefix is spread over all."""
    parts, found = deque([tuple(candidates)]), []
    while parts:
        part = parts.popleft()
        if part:
            middle = len(part) // 2
            found.append(part[middle])
            parts += [part[:middle], part[middle + 1 :]]
    return found


def distance(one: Pads, other: Pads) -> int:
    """How far apart two uniform pads are."""
    return abs((one.everywhere or 0) - (other.everywhere or 0))


def interpolated(predicted: dict[Pads, float], candidates: Sequence[Pads]) -> dict[Pads, float]:
    """With uniform pads that there was no time to count: on the line between those next to them."""
    known = sorted((each.everywhere, time) for each, time in predicted.items() if each.everywhere is not None)
    found = dict(predicted)
    for each in candidates:
        below = [one for one in known if one[0] <= (each.everywhere or 0)]
        above = [one for one in known if one[0] >= (each.everywhere or 0)]
        if each not in found and below and above:
            (left, low), (right, high) = below[-1], above[0]
            found[each] = low + (high - low) * ((each.everywhere or 0) - left) / (right - left)
    return found
