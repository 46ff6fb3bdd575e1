"""A reproducible sample of what a workload is fed: of files of any size, or of anything that can be iterated.

    plain text, JSON lines    up to WHOLE bytes read to the end; of more, BLOCKS blocks at random, by seeks
    "-", pipes, .gz .bz2 .xz  what comes first of them, STREAM bytes: there is nothing to seek
    Parquet, Arrow            what comes first, STREAM bytes of rows
    Python iterables          what comes first, MOST_SEEN items

All of it goes into one reservoir, so that each item that was read is as likely in the sample as every other. The same
files, or items, and the same seed make the same sample, unless *seconds* ended the reading.
"""

from __future__ import annotations

import bisect
import codecs
import itertools
import json
import os
import random
import sys
import time
from collections.abc import Iterable, Sequence
from typing import Any

from jitffi.tune.data import readers
from jitffi.tune.data.readers import Lines, Source
from jitffi.tune.data.reservoir import NOTHING, Reservoir
from jitffi.tune.records import Sample

#: Bytes that are read at most: of files in all without choosing, in parts, and of what cannot be read in parts.
WHOLE, BLOCKS, STREAM = 16 << 20, 256, 64 << 20
#: Items of an iterable that are looked at.
MOST_SEEN = 1_000_000
#: The most of a sample.
MOST_ITEMS, MOST_BYTES = 20_000, 8 << 20
#: Lines that are no JSON get a note each, up to that many.
_TOLD = 3
_UNITS = (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10))
_BOM, _BOMS_16 = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")


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
    """Return a sample of *items*: of its first MOST_SEEN, or STREAM bytes of text. What iterating raises comes out.

    >>> found = sample((n for n in range(100_000)), seed=1)
    >>> len(found.items), found.items[:3] == sample(range(100_000), 1).items[:3]
    (20000, True)
    """
    reading, read_bytes = _Reading(seed, seconds), 0
    for count, item in enumerate(items):
        if count == MOST_SEEN or read_bytes >= STREAM or (count % 256 == 255 and reading.is_late()):
            reading.note_beginning("the iterable", f"{count} items")
            break
        size = _size(item)
        read_bytes += size
        reading.kept.offer(1, lambda _, taken=(item, size): taken)  # type: ignore[misc]
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
            reading.read_table(each, share)
        elif each.size is None:
            reading.read_stream(each, share)
        elif total <= WHOLE:
            reading.read_stream(each, each.size + 1)  # all of it: it may grow meanwhile
    if total > WHOLE:
        reading.read_blocks(plain, seed)
        parts = f"{BLOCKS} parts of {_bytes(readers.BLOCK)}"
        reading.notes.append(f"the corpus has {_bytes(total)}; {parts} of it were read, at random")
    return reading.result()


class _Reading:
    """One reading: what is kept of it, and what is to be told. It is late *seconds* from now."""

    def __init__(self, seed: int, seconds: float | None) -> None:
        self.kept = Reservoir(seed, MOST_ITEMS, MOST_BYTES)
        self.late = float("inf") if seconds is None else time.monotonic() + seconds
        self.notes: list[str] = []
        self._cut = self._replaced = self._empty = self._bad = 0

    def is_late(self) -> bool:
        return time.monotonic() >= self.late

    def note_beginning(self, what: str, size: str) -> None:
        """Note that only the beginning of *what* has been looked at."""
        late = ", then the time was up" if self.is_late() else ""
        self.notes.append(f"{what}: the first {size} were looked at{late}")

    # -- files ----------------------------------------------------------------------------------------------------

    def read_stream(self, source: Source, most: int) -> None:
        """Offer what comes first of a file."""
        size = 0
        with readers.reader(source, self.late) as read_bytes:
            for found in readers.streamed(read_bytes, most):
                self._offer(source, found)
                size += found.size
                if self.is_late():
                    break
        if self.is_late() or (source.size is None and size >= most):
            self.note_beginning(source.path, _bytes(size))

    def read_blocks(self, files: Sequence[Source], seed: int) -> None:
        """Offer the lines of some blocks of the files, each block with the same chance."""
        starts = [0, *itertools.accumulate([-(-(each.size or 0) // readers.BLOCK) for each in files])]
        chosen = random.Random(f"blocks {seed}").sample(range(starts[-1]), min(BLOCKS, starts[-1]))
        places = [(bisect.bisect_right(starts, number) - 1, number) for number in sorted(chosen)]
        self._read_blocks([(files[index], number - starts[index]) for index, number in places])
        if not self.kept.seen:  # lines so long that none begins there: then the first of each file
            self._read_blocks([(each, 0) for each in files if each.size][:BLOCKS])

    def _read_blocks(self, blocks: Sequence[tuple[Source, int]]) -> None:
        for source, block in blocks:
            if self.is_late():
                return
            with open(source.path, "rb") as file:
                self._offer(source, readers.of_block(file, block))

    def read_table(self, source: Source, most: int) -> None:
        """Offer the rows that come first of a table."""
        size = 0
        for batch in readers.batches(source.path):
            self._offer_rows(batch)
            size += batch.nbytes
            if self.is_late() or size >= most:
                self.note_beginning(source.path, f"{_bytes(size)} of rows")
                break

    # -- items ----------------------------------------------------------------------------------------------------

    def _offer(self, source: Source, found: Lines) -> None:
        """Take some of the lines of a file."""
        if found.number == 1 and found.lines:
            if found.lines[0].startswith(_BOMS_16):
                self.notes.append(f"{source.path}: it begins as UTF-16 does, and is read as UTF-8")
            found.lines[0] = found.lines[0].removeprefix(_BOM)
        convert = self._json if source.is_json else self._text
        self.kept.offer(len(found.lines), lambda index: convert(source, found, index))

    def _offer_rows(self, batch: Any) -> None:
        """Take some rows of a table: each is the value of the only column, or a dict by column."""
        size = batch.nbytes // max(batch.num_rows, 1)

        def row(index: int) -> tuple[object, int]:
            one = batch.num_columns == 1
            item = batch.column(0)[index].as_py() if one else batch.slice(index, 1).to_pylist()[0]
            self._empty += item is None
            return (NOTHING, 0) if item is None else (item, size)

        self.kept.offer(batch.num_rows, row)

    def _text(self, source: Source, found: Lines, index: int) -> tuple[object, int]:
        line = found.lines[index]
        is_cut = len(line) > readers.LONGEST
        self._cut += is_cut
        try:
            # Of a cut line without the part of a character at its end.
            text, size = codecs.utf_8_decode(line[: readers.LONGEST], "strict", not is_cut)
        except UnicodeDecodeError:
            self._replaced += 1
            text, size = codecs.utf_8_decode(line[: readers.LONGEST], "replace", not is_cut)
        return text, size

    def _json(self, source: Source, found: Lines, index: int) -> tuple[object, int]:
        line = found.lines[index]
        if not line.strip():
            return NOTHING, 0
        try:
            if len(line) > readers.LONGEST:
                raise ValueError("the line is longer than 1 MiB")
            return json.loads(line.decode()), len(line)
        except json.JSONDecodeError as error:
            why = f"{error.msg}, column {error.colno}"
        except (ValueError, RecursionError) as error:  # no UTF-8, a number of too many digits, too deep
            why = str(error)
        self._bad += 1
        if self._bad <= _TOLD:
            offset = found.offset + sum(len(line) + 1 for line in found.lines[:index])
            place = f":{found.number + index}" if found.number else f", at byte {offset}"
            self.notes.append(f"{source.path}{place}: no JSON, left out: {why}")
        return NOTHING, 0

    def result(self) -> Sample:
        """Return the sample, and what is to be told of it."""
        notes = self.notes
        if self._bad > _TOLD:
            notes.append(f"{self._bad - _TOLD} more lines of those looked at are no JSON and were left out")
        if self._cut:
            notes.append(f"{_lines(self._cut)} of more than 1 MiB {'was' if self._cut == 1 else 'were'} cut there")
        if self._replaced:
            notes.append(f"{_lines(self._replaced)} had bytes that are no UTF-8, read as U+FFFD")
        if self._empty:
            notes.append(f"{self._empty} {'row' if self._empty == 1 else 'rows'} without a value left out")
        return Sample(self.kept.items(), tuple(notes))


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines of those looked at"


def _bytes(count: int) -> str:
    """Write a number of bytes for people: 900 bytes, 64 KiB, 10 GiB."""
    unit, size = next(((unit, size) for unit, size in _UNITS if count >= size), ("bytes", 1))
    return f"{count / size:.3g} {unit}"
