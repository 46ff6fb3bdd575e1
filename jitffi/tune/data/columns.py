"""Rows of Parquet and Arrow files, a batch at a time, by pyarrow: it is asked for here only."""

from __future__ import annotations

import contextlib
import os
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from jitffi.base.errors import ArgumentError

ENDINGS = (".parquet", ".pq", ".arrow", ".arrows", ".feather", ".ipc")
_PARQUET = (".parquet", ".pq")
_ROWS = 4096


@dataclass(frozen=True, slots=True)
class Rows:
    """Some rows of a table, as pyarrow has them."""

    batch: Any
    count: int
    #: In memory, in bytes.
    size: int

    def row(self, index: int) -> object:
        """Return a row: the value of the only column, or a dict by column."""
        if self.batch.num_columns == 1:
            return self.batch.column(0)[index].as_py()
        return self.batch.slice(index, 1).to_pylist()[0]


@dataclass(frozen=True, slots=True)
class Table:
    """A file of rows. `sizes`: of what can be read by itself, row groups or batches; None: it is read as it comes."""

    sizes: tuple[int, ...] | None
    _source: Any
    _is_parquet: bool

    @property
    def parts(self) -> int:
        return len(self.sizes or ())

    def batches(self, chosen: list[int] | None) -> Iterator[Rows]:
        """Yield the rows of some parts; None: of all."""
        if self._is_parquet:
            for batch in self._source.iter_batches(batch_size=_ROWS, row_groups=chosen, use_threads=False):
                yield Rows(batch, batch.num_rows, batch.nbytes)
            return
        whole = self._source if self.sizes is None else map(self._source.get_batch, chosen or range(len(self.sizes)))
        for batch in whole:
            for start in range(0, batch.num_rows, _ROWS):
                part = batch.slice(start, _ROWS)
                yield Rows(part, part.num_rows, part.nbytes)

    def choose(self, seed: int, most: int) -> list[int] | None:
        """Return parts to read of, at random, of *most* bytes in all or one more; None: all of them."""
        if self.sizes is None or sum(self.sizes) <= most:
            return None
        order = list(range(len(self.sizes)))
        random.Random(f"parts {seed}").shuffle(order)
        chosen, size = [], 0
        for part in order:
            if size >= most:
                break
            chosen.append(part)
            size += self.sizes[part]
        return sorted(chosen)


@contextlib.contextmanager
def opened(path: str) -> Iterator[Table]:
    """Open a Parquet or Arrow file. ImportError that names the extra without pyarrow, OSError, ArgumentError for what
    is no such file, or turns out to be none while it is read.
    """
    try:
        import pyarrow
    except ImportError:
        raise ImportError(f"{path}: Parquet and Arrow need pyarrow: pip install 'jitffi[tune]'") from None
    is_parquet = path.lower().endswith(_PARQUET)
    with open(path, "rb"):  # an OSError of Python's, if any
        pass
    try:
        with pyarrow.OSFile(path, "rb") as file:  # not mapped: the address space may have a limit
            yield _parquet(file) if is_parquet else _arrow(file, os.path.getsize(path))
    except pyarrow.ArrowException as error:
        what = " ".join(str(error).split())
        raise ArgumentError(f"{path}: no {'Parquet' if is_parquet else 'Arrow'} file: {what}") from None


def _parquet(file: Any) -> Table:
    from pyarrow import parquet

    source = parquet.ParquetFile(file, buffer_size=1 << 20, pre_buffer=False)
    groups = [source.metadata.row_group(i) for i in range(source.num_row_groups)]
    return Table(tuple(each.total_byte_size for each in groups), source, True)


def _arrow(file: Any, size: int) -> Table:
    """A file of batches that can be read one by one, or a stream of them."""
    import pyarrow

    try:
        source = pyarrow.ipc.open_file(file)
    except pyarrow.ArrowInvalid:
        file.seek(0)
        return Table(None, pyarrow.ipc.open_stream(file), False)
    count = source.num_record_batches
    return Table((size // count,) * count if count else (), source, False)
