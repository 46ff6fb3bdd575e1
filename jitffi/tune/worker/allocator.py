"""What one pass allocates: counted exactly at the runtime's allocator, and the peak of Python's beside it.

Counted is what goes through the allocator of the runtime that the package has loaded: of scripts, of containers and
text, and of native libraries that are linked with the same shared library (`jitffi config --libs`). Not counted: what
a library allocates by itself, and modules that `jitffi emit` made, which have a runtime of their own. Other threads
count, too.
"""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

from jitffi import _core
from jitffi.tune.records import Counts


def count(function: Callable[[], object]) -> Counts:
    """Call *function* without arguments and return what it allocated, in bytes; its result is dropped before the end.

    `allocations`, `allocated_bytes` and `sizes` are as requested and the same each time, if the function does the same
    each time: call it once before, lest what it compiles or caches be counted. Peaks are above what was in use at the
    start, the runtime's as malloc rounds sizes. Of more than some 4000 different sizes above 4096 bytes a part is
    counted as the next power of two.

    What the function raises goes on, with the allocator as it was. RuntimeError: inside another `count`, in whichever
    thread, or while another allocator is set (`jf_set_allocator`). It takes longer than the bare call: do not time it.

    >>> import jitffi
    >>> counts = count(lambda: jitffi.List(["a text of 23 characters"] * 3, pad=0))
    >>> [pair for pair in counts.sizes if pair[1] == 3]
    [(72, 3)]
    """
    was_tracing = tracemalloc.is_tracing()
    if not was_tracing:
        tracemalloc.start()
    try:
        tracemalloc.reset_peak()
        before, _ = tracemalloc.get_traced_memory()
        allocations, allocated, peak, sizes = _core.count_allocations(function)
        _, most = tracemalloc.get_traced_memory()
    finally:
        if not was_tracing:
            tracemalloc.stop()
    return Counts(allocations, allocated, peak, max(0, most - before), sizes)
