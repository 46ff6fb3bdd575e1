"""A sample of a stream of unknown length: by seed, bounded in number and bytes, in an order of its own.

Each item gets a random key; those with the smallest keys are kept. So what is kept is a sample of what has been seen,
and in the order of its keys each beginning of it is a sample, too. When there are too many, the largest key goes; from
then on an item is made only if its key is below that.
"""

from __future__ import annotations

import heapq
import random
from collections.abc import Callable
from typing import Any

#: What `get` returns for an item that is none.
NOTHING = object()


class Reservoir:
    """What is kept of the items offered so far.

    >>> kept = Reservoir(seed=1, most_items=3, most_bytes=100)
    >>> kept.offer(1000, lambda i: (i, 1))
    >>> len(kept.items()), kept.seen
    (3, 1000)
    """

    def __init__(self, seed: int, most_items: int, most_bytes: int) -> None:
        self._random = random.Random(seed)
        self._most_items = most_items
        self._most_bytes = most_bytes
        #: The largest key first. The number decides between equal keys; items may not be comparable.
        self._heap: list[tuple[float, int, object, int]] = []
        self._number = self._bytes = 0
        #: Keys below it are of interest.
        self._limit = 1.0
        #: How many were offered.
        self.seen = 0

    def offer(self, count: int, get: Callable[[int], tuple[object, int]]) -> None:
        """Take some of *count* items: *get* makes one by its index, with its size in bytes; indices rise."""
        self.seen += count
        for index in range(count):
            key = self._random.random()
            if key < self._limit:
                item, size = get(index)
                if item is not NOTHING:
                    self._take(key, item, size)

    def _take(self, key: float, item: object, size: int) -> None:
        self._number += 1
        heapq.heappush(self._heap, (-key, self._number, item, size))
        self._bytes += size
        # One is kept, however large.
        while len(self._heap) > self._most_items or (self._bytes > self._most_bytes and len(self._heap) > 1):
            negative, _, _, gone = heapq.heappop(self._heap)
            self._bytes -= gone
            self._limit = -negative

    def items(self) -> tuple[Any, ...]:
        """Return what is kept, in the order of the keys."""
        return tuple(entry[2] for entry in sorted(self._heap, key=lambda entry: (-entry[0], entry[1])))
