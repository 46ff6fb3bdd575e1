"""What memory costs on this machine, measured in a moment: texts on the heap, lines of the caches, pages of the system.

Each is timed as a difference, so that what both sides do drops out, and is the best of several rounds that take turns,
so that another process which had the CPU meanwhile is not in it. Timed are the runtime's own operations, from Python:
no compiler is needed.
"""

from __future__ import annotations

import mmap
import time
from collections.abc import Callable
from dataclasses import dataclass

from jitffi._core import List
from jitffi.profiles import machine

#: Lengths of texts, in bytes, that are mixed in a list: code that always does the same is faster than any real program.
_LENGTHS = ((9, 15), (16, 60), (61, 119))
#: Items of such a list. Fewer would be served from what the thread has kept, and from malloc's nearest shelf.
_TEXTS = 3000
_HEAP_TEXT = 49  # of a text on the heap, beside its bytes: its header and a NUL
_LINE = 64
_PAGES = 256
#: Larger working sets than this take too long to be touched.
_LARGEST_SET = 16 << 20
_FEWEST_ROUNDS, _IN_A_ROW = 3, 4


@dataclass(frozen=True, slots=True)
class Costs:
    """Seconds. Of pairs (bytes, seconds), sorted, what lies between is interpolated."""

    #: By size of the object: what a text costs more on the heap than in a slot, from being made to being released.
    text: tuple[tuple[int, float], ...]
    #: By bytes in use: what writing a line of 64 bytes costs more than in the nearest cache.
    line: tuple[tuple[int, float], ...]
    #: To get a page from the system, touch it and give it back.
    page: float
    page_bytes: int = mmap.PAGESIZE


def calibrate(seconds: float = 0.2) -> Costs:
    """Measure for about *seconds*, at least three rounds (0.1 s); takes 20 MB meanwhile.

    >>> costs = calibrate(0.0)
    >>> all(cost >= 0 for _, cost in costs.text + costs.line), costs.page > 0
    (True, True)
    """
    texts = [_texts(*lengths) for lengths in _LENGTHS]
    buffers = [bytearray(min(size // 2, _LARGEST_SET)) for size in machine.caches()]
    work: dict[tuple[str, int], Callable[[], object]] = {("pages", 0): _touch_pages}
    for i, mixed in enumerate(texts):
        work["heap", i] = lambda mixed=mixed: _fill(mixed, 0)  # type: ignore[misc]
        work["slots", i] = lambda mixed=mixed: _fill(mixed, 15)  # type: ignore[misc]
    for i, buffer in enumerate(buffers):
        work["lines", i] = _line_writer(buffer)
    best = _best(work, seconds)
    lines = [best["lines", i] / (_passes(buffer) * len(buffer) // _LINE) for i, buffer in enumerate(buffers)]
    return Costs(
        tuple((_mean_size(mixed), _over(best["heap", i], best["slots", i]) / _TEXTS) for i, mixed in enumerate(texts)),
        tuple((len(buffer), _over(line, lines[0])) for buffer, line in zip(buffers, lines, strict=True)),
        best["pages", 0] / _PAGES,
    )


def interpolated(table: tuple[tuple[int, float], ...], size: float) -> float:
    """What *table* says of *size* bytes; of what is smaller or larger than all in it, what it says of the nearest.

    >>> [interpolated(((100, 1.0), (200, 3.0)), size) for size in (10, 100, 150, 1000)]
    [1.0, 1.0, 2.0, 3.0]
    """
    for (low, below), (high, above) in zip(table, table[1:], strict=False):
        if size < high:
            return below + (above - below) * max(0.0, size - low) / (high - low)
    return table[-1][1]


def _best(work: dict[tuple[str, int], Callable[[], object]], seconds: float) -> dict[tuple[str, int], float]:
    best = dict.fromkeys(work, float("inf"))
    clock = time.perf_counter
    end, rounds = clock() + seconds, 0
    while rounds < _FEWEST_ROUNDS or clock() < end:
        for name, function in work.items():
            for _ in range(_IN_A_ROW):  # the first finds in the caches what others have left there
                start = clock()
                function()
                best[name] = min(best[name], clock() - start)
        rounds += 1
    return best


def _over(much: float, little: float) -> float:
    return max(0.0, much - little)


def _texts(shortest: int, longest: int) -> list[str]:
    """Of all lengths in between, none after its neighbour."""
    lengths = longest - shortest + 1
    return ["x" * (shortest + 31 * i * i % lengths) for i in range(_TEXTS)]


def _mean_size(texts: list[str]) -> int:
    return _HEAP_TEXT + sum(map(len, texts)) // len(texts)


def _fill(texts: list[str], pad: int) -> None:
    """As programs do: the list grows, and is given up."""
    made: List[str] = List(pad=pad)
    append = made.append
    for text in texts:
        append(text)


def _passes(buffer: bytearray) -> int:
    """So many that beginning one does not count."""
    return max(1, (1 << 20) // len(buffer))


def _line_writer(buffer: bytearray) -> Callable[[], None]:
    source, passes = bytes(len(range(0, len(buffer), _LINE))), range(_passes(buffer))

    def write() -> None:
        for _ in passes:
            buffer[::_LINE] = source

    return write


def _touch_pages() -> None:
    with mmap.mmap(-1, _PAGES * mmap.PAGESIZE) as pages:
        pages[:: mmap.PAGESIZE] = bytes(_PAGES)
