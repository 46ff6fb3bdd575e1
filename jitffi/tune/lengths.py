"""Lengths of the texts that a pad can take in, told by which sizes are allocated with pad 0 and not with pad 15."""

from __future__ import annotations

import math
from collections.abc import Sequence

from jitffi.profiles.candidates import LARGEST_PAD
from jitffi.tune.records import Counts

#: Pairs of a length in bytes and how many texts have it, sorted.
Lengths = Sequence[tuple[int, int]]

#: Bytes of a text on the heap before its characters; of a block of slots before the first (a test compares them).
_TEXT_HEADER, _BLOCK_HEADER = 48, 16
_NUL, _WIDE_NUL = 1, 4
_SLOT, _STEP = 16, 8
#: As JF_PIECE_STEP, JF_PIECE_OVERHEAD and JF_PIECE_LARGEST of the runtime.
_PIECE, _OVERHEAD, _LARGEST_PIECE = 16, 8, 504


def histogram(at_0: Counts, at_15: Counts) -> tuple[tuple[int, int], ...]:
    """Return the texts that a pad can take in: pairs of length in bytes and how many such were made in a pass, sorted.

    They are the allocations of uniform pad 0 that pad 15 saves. Text of up to 7 bytes is in its slot with every pad,
    and of more than 127 with none: neither is here. A text that is made twice counts twice. Lengths are those of UTF-8,
    or, if all can be that, of UCS4, 4 bytes a character; where both are mixed, those of UCS4 are 3 bytes too long.
    """
    made, later = dict(at_0.sizes), dict(at_15.sizes)
    saved = {size: count - later.get(size, 0) for size, count in made.items() if _is_short(size)}
    for size in saved:
        slots = (size - _BLOCK_HEADER) // _SLOT
        if size == block_size(slots, 0):  # or a block of so many slots, which is another size with pad 15
            block = block_size(slots, LARGEST_PAD)
            saved[size] -= max(0, later.get(block, 0) - made.get(block, 0))
    found = {size - _TEXT_HEADER: count for size, count in saved.items() if count > 0}
    nul = _NUL if math.gcd(*found) % 4 else _WIDE_NUL
    return tuple((length - nul, count) for length, count in sorted(found.items()))


def block_size(slots: int, pad: int) -> int:
    """Return what is asked of the allocator for so many slots: small ones in steps, so that a thread can keep them."""
    size = _BLOCK_HEADER + slots * (_SLOT + _STEP * pad)
    return size if size > _LARGEST_PIECE else -(-(size + _OVERHEAD) // _PIECE) * _PIECE - _OVERHEAD


def heap_texts(counts: Counts, texts: Lengths) -> int:
    """Return how many of *texts*, a `histogram`, are on the heap by *counts* (blocks of a text's size among them)."""
    made = dict(counts.sizes)
    return max(
        sum(min(count, made.get(_TEXT_HEADER + length + nul, 0)) for length, count in texts)
        for nul in (_NUL, _WIDE_NUL)
    )


def texts_in_place(pad: int, texts: Lengths) -> int:
    """Return how many of *texts*, a `histogram`, are short enough for the slots of a pad."""
    is_wide = math.gcd(*[length for length, _ in texts]) % 4 == 0
    return sum(count for length, count in texts if length <= 7 + is_wide + _STEP * pad)


def _is_short(size: int) -> bool:
    return 8 < size - _TEXT_HEADER <= 8 + _STEP * LARGEST_PAD + _WIDE_NUL
