"""Files of a corpus: what kind each is, and how lines and rows are read out of it, whatever its size.

A line ends with "\\n"; a "\\r" before it belongs to the end. Of one that is longer than LONGEST bytes more than these
come out, so that whoever gets it can tell, but not always all.
"""

from __future__ import annotations

import contextlib
import os
import select
import stat
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import FileIO
from typing import Any

from jitffi.base.errors import ArgumentError
from jitffi.base.files import open_regular

_JSON = (".jsonl", ".ndjson")
_PACKED = (".gz", ".bz2", ".xz")
_PARQUET = (".parquet", ".pq")
_TABLES = (*_PARQUET, ".arrow", ".arrows", ".feather", ".ipc")

#: Bytes of a line.
LONGEST = 1 << 20
#: Bytes that are read at a time, and of a part of a file of which some parts are read.
BLOCK = 1 << 16
#: Rows of a Parquet file that are read at a time.
_ROWS = 4096


@dataclass(frozen=True, slots=True)
class Source:
    """A file that is there. `size` is that of a plain file of lines, which has parts that can be read; else None."""

    path: str
    size: int | None
    is_json: bool = False
    is_table: bool = False
    #: ".gz" and the like; "".
    packed: str = ""


def existing(path: str, hint: str) -> os.stat_result:
    """Return what the system says of a file. FileNotFoundError (an ArgumentError) where nothing is, ArgumentError with
    the hint for a directory."""
    try:
        info = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        from jitffi.signature.signature_lists import MissingFile

        raise MissingFile(f"{path}: no such file") from None
    if stat.S_ISDIR(info.st_mode):
        raise ArgumentError(f"{path}: it is a directory; {hint}")
    return info


def check(path: str) -> Source:
    """Return what a path is; "-" is standard input. Errors as `existing`."""
    path = "/dev/stdin" if path == "-" else path
    info = existing(path, "name files")
    name, packed = os.path.splitext(path.lower())
    if packed not in _PACKED:
        name, packed = path.lower(), ""
    is_table = name.endswith(_TABLES)
    if is_table and packed:
        raise ArgumentError(f"{path}: Parquet and Arrow are read as they are; unpack it")
    is_plain = stat.S_ISREG(info.st_mode) and not packed and not is_table
    return Source(path, info.st_size if is_plain else None, name.endswith(_JSON), is_table, packed)


def lines(read: Callable[[int], bytes], most: int, is_inside: bool = False) -> Iterator[tuple[list[bytes], int]]:
    """Yield the lines that begin in the next *most* bytes, without their ends, some at a time, and of how many bytes
    they are. *read* returns at most so many bytes, b"" at the end. *is_inside*: what comes first is the rest of a line.

    >>> chunks = [b"one\\r\\ntwo\\nth", b"ree"]
    >>> list(lines(lambda count: chunks.pop(0) if chunks else b"", 100))
    [([b'one', b'two'], 11), ([], 3), ([b'three'], 0)]
    """
    rest, left = b"", most
    while left or rest:
        chunk = read(min(BLOCK, left) or BLOCK)
        if not chunk:
            if rest:
                yield [rest.removesuffix(b"\r")], 0
            return
        if not left:  # only to the end of the line that has begun
            chunk = b"".join(chunk.partition(b"\n")[:2])
        size = len(chunk)
        left = max(left - size, 0)
        if is_inside:
            _, end, chunk = chunk.partition(b"\n")
            is_inside = not end
        found = (rest + chunk).split(b"\n")
        rest = found.pop()
        if len(rest) > LONGEST:
            found.append(rest[: LONGEST + 1])
            rest, is_inside = b"", True
        yield [line.removesuffix(b"\r") for line in found], size


@contextlib.contextmanager
def reader(source: Source, late: float, start: int = 0) -> Iterator[Callable[[int], bytes]]:
    """Give a function that returns at most so many bytes of what the file holds from *start* on: b"" at its end, and
    when it has to wait for a pipe until time.monotonic() is *late*. ArgumentError where the file is not packed as its
    ending says.
    """
    with open(source.path, "rb", buffering=0, opener=_without_waiting) as file:
        if start:
            file.seek(start)
        if not source.packed:
            yield lambda count: os.read(file.fileno(), count) if _wait(file, late) else b""
            return
        _wait(file, late)
        os.set_blocking(file.fileno(), True)
        import bz2
        import gzip
        import lzma
        import zlib

        unpack: Any = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open}[source.packed]
        try:
            with unpack(file) as inner:
                yield inner.read
        except (OSError, EOFError, zlib.error, lzma.LZMAError) as error:
            raise ArgumentError(f"{source.path}: what is in it cannot be unpacked: {error}") from None


def _without_waiting(path: str, flags: int) -> int:
    """Open a FIFO that nobody writes to yet: it is waited for where it is read, which has an end."""
    return os.open(path, flags | os.O_NONBLOCK)


def _wait(file: FileIO, late: float) -> bool:
    """Return whether there is something to read, or the end, before it is late."""
    poll = select.poll()
    poll.register(file, select.POLLIN)
    wait = late - time.monotonic()
    return bool(poll.poll(None if wait == float("inf") else max(wait, 0.0) * 1000))


def batches(path: str) -> Iterator[Any]:
    """Yield pyarrow's record batches of a Parquet or Arrow file, in order. ImportError that names the extra without
    pyarrow, OSError, ArgumentError for what is no such file, or turns out to be none while it is read.
    """
    try:
        import pyarrow
    except ImportError:
        raise ImportError(f"{path}: Parquet and Arrow need pyarrow: pip install 'jitffi[tune]'") from None
    is_parquet = path.lower().endswith(_PARQUET)
    try:
        with pyarrow.PythonFile(open_regular(path), "r") as file:
            if is_parquet:
                from pyarrow import parquet

                source = parquet.ParquetFile(file, buffer_size=1 << 20, pre_buffer=False)
                yield from source.iter_batches(_ROWS, use_threads=False)
            else:
                yield from _arrow(file)
    except pyarrow.ArrowException as error:
        what = " ".join(str(error).split())
        raise ArgumentError(f"{path}: no {'Parquet' if is_parquet else 'Arrow'} file: {what}") from None


def _arrow(file: Any) -> Iterator[Any]:
    """Yield the batches of a file of them, or of a stream."""
    import pyarrow

    try:
        source = pyarrow.ipc.open_file(file)
    except pyarrow.ArrowInvalid:
        file.seek(0)
        yield from pyarrow.ipc.open_stream(file)
    else:
        yield from map(source.get_batch, range(source.num_record_batches))
