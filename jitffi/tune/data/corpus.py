"""A reproducible sample of what a workload is fed: of files of any size, or of anything that can be iterated.

    plain text, JSON lines    up to WHOLE bytes read to the end; of more, BLOCKS blocks at random, by seeks
    "-", pipes, .gz .bz2 .xz  what comes first of them, STREAM bytes: there is nothing to seek
    Parquet, Arrow            what comes first, STREAM bytes of rows
    Python iterables          what comes first, STREAM bytes

All of it goes into one reservoir, so that each item that was read is as likely in the sample as every other. The same
files, or items, and the same seed make the same sample, unless *seconds* ended the reading.
"""

from __future__ import annotations

import bisect
import contextlib
import itertools
import json
import os
import random
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

from jitffi.tune.data import readers
from jitffi.tune.data.readers import BLOCK, LONGEST, Source
from jitffi.tune.data.reservoir import NOTHING, Reservoir
from jitffi.tune.formatting import memory
from jitffi.tune.records import Sample

#: Bytes that are read at most: of files in all without choosing, in parts, and of what cannot be read in parts.
WHOLE, BLOCKS, STREAM = 16 << 20, 256, 64 << 20
#: The most of a sample.
MOST_ITEMS, MOST_BYTES = 20_000, 8 << 20
#: What an item of an iterable counts for at least: a million of them are STREAM bytes.
_LEAST = 64
_BOM = b"\xef\xbb\xbf"

#: Some items: how many, what makes one by its index with its size, and the bytes that were read for them.
_Batch = tuple[int, Callable[[int], tuple[object, int]], int]


def of(corpus: object, seed: int = 0, seconds: float | None = None) -> Sample:
    """Return a sample of what `autotune` is given: a path, a list or tuple of paths (pathlib's; of str they are items),
    an iterable of items, or None: nothing. TypeError for what is none of these, else as `read` and `sample`.

    >>> of(["a", "b"]).items
    ('b', 'a')
    """
    if corpus is None:
        return Sample(())
    if isinstance(corpus, (str, bytes, os.PathLike)):
        return read([corpus], seed, seconds)
    if isinstance(corpus, (list, tuple)) and corpus and all(isinstance(each, os.PathLike) for each in corpus):
        return read(corpus, seed, seconds)
    if not isinstance(corpus, Iterable):
        raise TypeError(f"corpus: expected a path, paths or an iterable of items, got {type(corpus).__name__}")
    return sample(corpus, seed, seconds)


def sample(items: Iterable[object], seed: int = 0, seconds: float | None = None) -> Sample:
    """Return a sample of *items*: of the first STREAM bytes of them. What iterating raises comes out.

    >>> found = sample((n for n in range(100_000)), seed=1)
    >>> len(found.items), found.items[:3] == sample(range(100_000), 1).items[:3]
    (20000, True)
    """
    reading = _Reading(seed, seconds)
    sized = ((item, max(_size(item), _LEAST)) for item in items)
    reading.take("the iterable", ((1, [each].__getitem__, each[1]) for each in sized), STREAM)
    return reading.result()


def _size(item: object) -> int:
    """Return about how many bytes an item has."""
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
    sources = [readers.check(os.fsdecode(path)) for path in paths]
    plain = [each for each in sources if each.size is not None]
    total = sum(each.size or 0 for each in plain)
    share = STREAM // max(1, len(sources) - len(plain))
    reading = _Reading(seed, seconds)
    for each in sources:
        if each.is_table:
            reading.take(each.path, reading.rows(each), share)
        elif each.size is None or total <= WHOLE:
            most = share if each.size is None else each.size + 1  # all of it: it may grow meanwhile
            reading.take(each.path, reading.lines(each, 0, most), most)
    if total > WHOLE:
        reading.take("the corpus", reading.blocks(plain, seed))
        parts = f"{BLOCKS} parts of {memory(BLOCK)}"
        reading.notes.append(f"the corpus has {memory(total)}; {parts} of it were read, at random")
    return reading.result()


class _Reading:
    """One reading: what is kept of it, and what is to be told. It is late *seconds* from now."""

    def __init__(self, seed: int, seconds: float | None) -> None:
        self._kept = Reservoir(seed, MOST_ITEMS, MOST_BYTES)
        self._late = float("inf") if seconds is None else time.monotonic() + seconds
        self.notes: list[str] = []
        #: By what is wrong with items: where one was the first time, and how many there were.
        self._wrong: dict[str, tuple[str, int]] = {}

    def take(self, what: str, batches: Iterable[_Batch], most: float = float("inf")) -> None:
        """Offer what comes first, until *most* bytes have been read or it is late."""
        read_bytes = 0
        for count, get, size in batches:
            self._kept.offer(count, get)
            read_bytes += size
            if read_bytes >= most or time.monotonic() >= self._late:
                break
        is_late = time.monotonic() >= self._late
        if is_late or read_bytes >= most:
            late = ", then the time was up" if is_late else ""
            self.notes.append(f"{what}: the first {memory(read_bytes)} were looked at{late}")

    def lines(self, source: Source, start: int, most: int) -> Iterator[_Batch]:
        """Yield the lines that begin in *most* bytes of a file."""
        before = 1 if start else 0  # that byte decides whether a line begins at *start*
        number = 1 - before  # of a line in its file; 0: unknown
        with readers.reader(source, self._late, start - before) as read:
            for lines, size in readers.lines(read, most + before, is_inside=start > 0):
                if number == 1 and lines:
                    lines[0] = lines[0].removeprefix(_BOM)
                yield len(lines), partial(self._line, source, lines, number), size
                number += len(lines) if number else 0

    def blocks(self, files: Sequence[Source], seed: int) -> Iterator[_Batch]:
        """Yield the lines of some blocks of the files, each block with the same chance."""
        starts = [0, *itertools.accumulate([-(-(each.size or 0) // BLOCK) for each in files])]
        chosen = random.Random(f"blocks {seed}").sample(range(starts[-1]), min(BLOCKS, starts[-1]))
        for number in sorted(chosen):
            index = bisect.bisect_right(starts, number) - 1
            yield from self.lines(files[index], (number - starts[index]) * BLOCK, BLOCK)
        if not self._kept.items():  # lines so long that none begins there: then the first of each file
            for each in [each for each in files if each.size][:BLOCKS]:
                yield from self.lines(each, 0, BLOCK)

    def rows(self, source: Source) -> Iterator[_Batch]:
        for batch in readers.batches(source.path):
            size = batch.nbytes
            yield batch.num_rows, partial(self._row, source, batch, size // max(batch.num_rows, 1)), size

    def _line(self, source: Source, lines: list[bytes], number: int, index: int) -> tuple[object, int]:
        line, place = lines[index], f"{source.path}:{number + index}" if number else source.path
        return self._json(line, place) if source.is_json else self._text(line, place)

    def _text(self, line: bytes, place: str) -> tuple[object, int]:
        if len(line) > LONGEST:
            self._note("longer than 1 MiB, cut there", place)
            return line[:LONGEST].decode(errors="ignore"), LONGEST  # without a part of a character at the end
        try:
            return line.decode(), len(line)
        except UnicodeDecodeError:
            self._note("no UTF-8, read with U+FFFD in its place", place)
            return line.decode(errors="replace"), len(line)

    def _json(self, line: bytes, place: str) -> tuple[object, int]:
        with contextlib.suppress(ValueError, RecursionError):  # no UTF-8, a number of too many digits, too deep
            if len(line) <= LONGEST:  # else there may be more of it
                return json.loads(line.decode()), len(line)
        if line.strip():
            self._note("no JSON, left out", place)
        return NOTHING, 0

    def _row(self, source: Source, batch: Any, size: int, index: int) -> tuple[object, int]:
        """Return the value of the only column, or a dict by column."""
        one = batch.num_columns == 1
        item = batch.column(0)[index].as_py() if one else batch.slice(index, 1).to_pylist()[0]
        if item is None:
            self._note("a row without a value, left out", source.path)
            return NOTHING, 0
        return item, size

    def _note(self, what: str, place: str) -> None:
        first, count = self._wrong.get(what, (place, 0))
        self._wrong[what] = first, count + 1

    def result(self) -> Sample:
        """Return the sample, and what is to be told of it."""
        for what, (place, count) in self._wrong.items():
            more = f" (so are {count - 1} more of those looked at)" if count > 1 else ""
            self.notes.append(f"{place}: {what}{more}")
        return Sample(self._kept.items(), tuple(self.notes))
