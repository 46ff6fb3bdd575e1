"""What is kept and noted while a corpus is read: lines and rows become items of the sample, faults become notes."""

from __future__ import annotations

import json
import time

from jitffi.tune.data import lines
from jitffi.tune.data.columns import Rows
from jitffi.tune.data.lines import Batch
from jitffi.tune.data.openings import Opening
from jitffi.tune.data.reservoir import NOTHING, Reservoir
from jitffi.tune.records import Sample

#: The most of a sample.
MOST_ITEMS, MOST_BYTES = 20_000, 8 << 20
#: Lines that are no JSON get a note each, up to that many.
_TOLD = 3
_BOM, _BOMS_16 = b"\xef\xbb\xbf", (b"\xff\xfe", b"\xfe\xff")


class Reading:
    """The state of one reading. *seconds* from now it is late."""

    def __init__(self, seed: int, seconds: float | None) -> None:
        self.kept = Reservoir(seed, MOST_ITEMS, MOST_BYTES)
        self.late = float("inf") if seconds is None else time.monotonic() + seconds
        #: Whether all has been offered.
        self.is_whole = True
        #: Bytes of what is no plain file.
        self.streamed = 0
        self._notes: list[str] = []
        self._cut = self._replaced = self._nulls = self._bad = 0

    def is_late(self) -> bool:
        return time.monotonic() >= self.late

    def note(self, text: str) -> None:
        self._notes.append(text)

    def stopped(self, what: str, size: str) -> None:
        """Note that only the beginning of *what* has been looked at."""
        self.is_whole = False
        self.note(f"{what}: the first {size} were looked at{', then the time was up' if self.is_late() else ''}")

    def offer_lines(self, opening: Opening, batch: Batch) -> None:
        """Take some of the lines of a file."""
        if batch.number == 1 and batch.lines:
            self._first_line(opening, batch)
        convert = self._json if opening.is_json else self._text
        self.kept.offer(len(batch.lines), lambda index: convert(opening, batch, index))

    def offer_rows(self, rows: Rows) -> None:
        """Take some of the rows of a table."""
        size = rows.size // max(rows.count, 1)

        def row(index: int) -> tuple[object, int]:
            item = rows.row(index)
            if item is None:
                self._nulls += 1
                return NOTHING, 0
            return item, size

        self.kept.offer(rows.count, row)

    def _first_line(self, opening: Opening, batch: Batch) -> None:
        line = batch.lines[0]
        if line.startswith(_BOMS_16):
            self.note(f"{opening.path}: it begins as UTF-16 does, and is read as UTF-8")
        batch.lines[0] = line.removeprefix(_BOM)

    def _text(self, opening: Opening, batch: Batch, index: int) -> tuple[object, int]:
        line = batch.lines[index]
        if len(line) > lines.LONGEST:
            self._cut += 1
            line = _cut(line)
        try:
            return line.decode(), len(line)
        except UnicodeDecodeError:
            self._replaced += 1
            return line.decode(errors="replace"), len(line)

    def _json(self, opening: Opening, batch: Batch, index: int) -> tuple[object, int]:
        line = batch.lines[index]
        if not line.strip():
            return NOTHING, 0
        if len(line) > lines.LONGEST:
            return self._no_json(opening, batch, index, "the line is longer than 1 MiB")
        try:
            return json.loads(line.decode()), len(line)
        except json.JSONDecodeError as error:
            return self._no_json(opening, batch, index, f"{error.msg}, column {error.colno}")
        except (ValueError, RecursionError) as error:  # no UTF-8, a number of too many digits, too deep
            return self._no_json(opening, batch, index, str(error))

    def _no_json(self, opening: Opening, batch: Batch, index: int, why: str) -> tuple[object, int]:
        self._bad += 1
        if self._bad <= _TOLD:
            if batch.number:
                place = f"{opening.path}:{batch.number + index}"
            else:
                place = f"{opening.path}, at byte {batch.offset + sum(len(line) + 1 for line in batch.lines[:index])}"
            self.note(f"{place}: no JSON, left out: {why}")
        return NOTHING, 0

    def result(self, total_bytes: int) -> Sample:
        """Return the sample, and what is to be told of it."""
        notes = self._notes
        if self._bad > _TOLD:
            notes.append(f"{self._bad - _TOLD} more lines of those looked at are no JSON and were left out")
        if self._cut:
            notes.append(f"{_lines(self._cut)} of more than 1 MiB {'was' if self._cut == 1 else 'were'} cut there")
        if self._replaced:
            notes.append(f"{_lines(self._replaced)} had bytes that are no UTF-8, read as U+FFFD")
        if self._nulls:
            notes.append(f"{self._nulls} {'row' if self._nulls == 1 else 'rows'} without a value left out")
        return Sample(self.kept.items(), self.kept.seen if self.is_whole else None, total_bytes, tuple(notes))


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines of those looked at"


def _cut(line: bytes) -> bytes:
    """A line's first LONGEST bytes, without a part of a character at their end."""
    line = line[: lines.LONGEST]
    end = len(line)
    while end > len(line) - 4 and line[end - 1] & 0xC0 == 0x80:
        end -= 1
    lead = line[end - 1]
    length = 4 if lead >= 0xF0 else 3 if lead >= 0xE0 else 2 if lead >= 0xC0 else 1
    return line if end - 1 + length <= len(line) else line[: end - 1]
