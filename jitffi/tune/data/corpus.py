"""A reproducible sample of what a workload is fed: of files of any size, or of anything that can be iterated.

    plain text, JSON lines    up to WHOLE bytes read to the end; of more, BLOCKS blocks at random, by seeks
    "-", pipes, .gz .bz2 .xz  what comes first of them, STREAM bytes: there is nothing to seek
    Parquet, Arrow            row groups or batches at random, STREAM bytes of them
    Python iterables          what comes first, MOST_SEEN items

All of it goes into one reservoir, so that each item that was read is as likely in the sample as every other. The same
files, or items, and the same seed make the same sample, unless *seconds* ended the reading.
"""

from __future__ import annotations

import os
import random
import sys
from collections.abc import Iterable, Sequence

from jitffi.tune.data import columns, lines, openings
from jitffi.tune.data.openings import Opening
from jitffi.tune.data.reading import Reading
from jitffi.tune.records import Sample

#: Read at most, in bytes: of files in all without choosing, in parts, and of what cannot be read in parts.
WHOLE, BLOCKS, STREAM = 16 << 20, 256, 64 << 20
#: Items of an iterable.
MOST_SEEN = 1_000_000


def of(corpus: object, seed: int = 0, seconds: float | None = None) -> Sample:
    """Return a sample of what `autotune` is given: a path, a list or tuple of paths (pathlib's; of str they are items),
    an iterable of items, or None: nothing. TypeError for what is none of these, else as `read` and `sample`.

    >>> of(["a", "b"]).total_items
    2
    """
    if corpus is None:
        return Sample((), 0, 0)
    if isinstance(corpus, (str, bytes, os.PathLike)):
        return read([corpus], seed, seconds)
    if isinstance(corpus, (list, tuple)) and corpus and all(isinstance(each, os.PathLike) for each in corpus):
        return read(corpus, seed, seconds)
    if not isinstance(corpus, Iterable):
        raise TypeError(f"corpus: expected a path, paths or an iterable of items, got {type(corpus).__name__}")
    return sample(corpus, seed, seconds)


def sample(items: Iterable[object], seed: int = 0, seconds: float | None = None) -> Sample:
    """Return a sample of *items*: of its first MOST_SEEN, or STREAM bytes of text. What iterating raises comes out.

    >>> found = sample((n for n in range(100_000)), seed=1)
    >>> len(found.items), found.total_items, found.items[:3] == sample(range(100_000), 1).items[:3]
    (20000, 100000, True)
    """
    reading = Reading(seed, seconds)
    size = 0
    for count, item in enumerate(items):
        if count == MOST_SEEN or size >= STREAM or (count % 256 == 255 and reading.is_late()):
            reading.stopped("the iterable", f"{count} items")
            break
        here = _size(item)
        size += here
        reading.kept.offer(1, lambda _, taken=(item, here): taken)  # type: ignore[misc]
    return reading.result(size)


def _size(item: object) -> int:
    """About how many bytes an item has."""
    if isinstance(item, (str, bytes, bytearray)):
        return len(item)
    if isinstance(item, dict):
        return 64 + sum(_size(key) + _size(value) for key, value in item.items())
    if isinstance(item, (list, tuple)):
        return 64 + sum(map(_size, item))
    return sys.getsizeof(item, 64)


def read(
    paths: Iterable[str | bytes | os.PathLike[str] | os.PathLike[bytes]], seed: int = 0, seconds: float | None = None
) -> Sample:
    """Return a sample of files; "-" is standard input. The ending says what an item is:

    .jsonl .ndjson: a line's object (or other value); what is no JSON is left out and noted. .parquet .pq .arrow
    .arrows .feather .ipc: a row, the value of the only column or a dict by column. Else the text of a line, without
    its end ("\\n" or "\\r\\n"), what is no UTF-8 in it replaced by U+FFFD. With .gz, .bz2 or .xz behind it: of what
    they hold. *seconds*: read no longer than that.

    Raises FileNotFoundError (an ArgumentError too), ArgumentError for a directory and for a file that is not what its
    ending says, OSError, ImportError without pyarrow where it is needed.

    >>> read([__file__], seed=1).items == read([__file__], seed=1).items
    True
    """
    opening = [openings.check(os.fsdecode(path)) for path in paths]
    plain = [each for each in opening if each.size is not None]
    total = sum(each.size or 0 for each in plain)
    reading = Reading(seed, seconds)
    for each in opening:
        if each.is_table:
            _read_table(reading, each, seed, STREAM // (len(opening) - len(plain)))
        elif each.size is None:
            _read_stream(reading, each, STREAM // (len(opening) - len(plain)))
        elif total <= WHOLE:
            _read_stream(reading, each, each.size + 1)
    if total > WHOLE:
        _read_parts(reading, plain, seed)
        reading.note(
            f"the corpus has {_bytes(total)}; {BLOCKS} parts of {_bytes(lines.BLOCK)} of it were read, at random"
        )
    return reading.result(total + reading.streamed)


def _read_stream(reading: Reading, opening: Opening, most: int) -> None:
    """Offer what comes first of a file, and all of a plain one, which may grow meanwhile."""
    size = 0
    with openings.reader(opening, reading.late) as read:
        for batch in lines.streamed(read, most):
            reading.offer_lines(opening, batch)
            size += batch.size
            if reading.is_late():
                break
    if opening.size is None:
        reading.streamed += size
    if reading.is_late() or (opening.size is None and size >= most):
        reading.stopped(opening.path, _bytes(size))


def _read_parts(reading: Reading, files: Sequence[Opening], seed: int) -> None:
    """Offer the lines of some blocks of the files, each block with the same chance."""
    counts = [-(-(each.size or 0) // lines.BLOCK) for each in files]
    numbers = sorted(random.Random(f"blocks {seed}").sample(range(sum(counts)), min(BLOCKS, sum(counts))))
    _read_blocks(reading, files, counts, numbers)
    if not reading.kept.seen:  # lines so long that none begins there: then the first of each file
        _read_blocks(reading, files, counts, [sum(counts[:i]) for i in range(min(len(files), BLOCKS)) if counts[i]])
    reading.is_whole = False


def _read_blocks(reading: Reading, files: Sequence[Opening], counts: list[int], numbers: list[int]) -> None:
    """Offer blocks by their numbers, counted through all files."""
    left, first = numbers, 0
    for each, count in zip(files, counts, strict=True):
        here = [number - first for number in left if number < first + count]
        left, first = left[len(here) :], first + count
        if not here or reading.is_late():
            continue
        with open(each.path, "rb") as file:
            for block in here:
                reading.offer_lines(each, lines.of_block(file, block))


def _read_table(reading: Reading, opening: Opening, seed: int, most: int) -> None:
    """Offer the rows of parts of a table, or what comes first of it."""
    size = 0
    with columns.opened(opening.path) as table:
        chosen = table.choose(seed, most)
        for rows in table.batches(chosen):
            reading.offer_rows(rows)
            size += rows.size
            if reading.is_late() or (size >= most and chosen is None):
                reading.stopped(opening.path, f"{_bytes(size)} of rows")
                break
    if chosen is not None:
        reading.is_whole = False
        reading.note(f"{opening.path}: {len(chosen)} of its {table.parts} parts were read, chosen at random")
    reading.streamed += os.path.getsize(opening.path)


def _bytes(count: int) -> str:
    """A number of bytes for people.

    >>> _bytes(900), _bytes(65536), _bytes(10 << 30)
    ('900 bytes', '64 KiB', '10 GiB')
    """
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:.3g} {unit}"
    return f"{count} bytes"
