"""Files of a corpus: what kind each is, and how lines and rows are read out of it, whatever its size.

A line ends with "\\n"; a "\\r" before it belongs to the end. What is longer than LONGEST bytes comes out one byte
longer than that, and the rest of it is passed over: whoever gets it can tell.
"""

from __future__ import annotations

import contextlib
import os
import select
import stat
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, BinaryIO

from jitffi.base.errors import ArgumentError

STDIN = "-"
_JSON = (".jsonl", ".ndjson")
_PACKED = (".gz", ".bz2", ".xz")
_PARQUET = (".parquet", ".pq")
_TABLES = (*_PARQUET, ".arrow", ".arrows", ".feather", ".ipc")

#: Bytes of a line.
LONGEST = 1 << 20
#: Bytes that are read at a time of a stream, and of a file of which some parts are read.
CHUNK, BLOCK = 1 << 18, 1 << 16
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
    except ValueError as error:  # a null byte
        raise ArgumentError(f"{path!r}: {error}") from None
    if stat.S_ISDIR(info.st_mode):
        raise ArgumentError(f"{path}: it is a directory; {hint}")
    return info


def check(path: str) -> Source:
    """Return what a path is. Errors as `existing`."""
    if path == STDIN:
        return Source(path, None)
    info = existing(path, "name files")
    name, ending = os.path.splitext(path.lower())
    packed = ending if ending in _PACKED else ""
    if packed:
        ending = os.path.splitext(name)[1]
    is_table = ending in _TABLES
    if is_table and packed:
        raise ArgumentError(f"{path}: Parquet and Arrow are read as they are; unpack it")
    is_plain = stat.S_ISREG(info.st_mode) and not packed and not is_table
    return Source(path, info.st_size if is_plain else None, ending in _JSON, is_table, packed)


# -- lines ------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Lines:
    """Some lines without their ends."""

    lines: list[bytes]
    #: The number of the first of them in its file, from 1; 0: unknown.
    number: int
    #: Where the first of them begins in the file, of a block.
    offset: int = 0
    #: Bytes that were read for them.
    size: int = 0


def streamed(read: Callable[[int], bytes], most: int) -> Iterator[Lines]:
    """Yield all lines of a stream: *read* returns at most so many bytes of it, b"" at its end. After *most* bytes it is
    enough; a line that is not complete by then is left out. What is yielded can be empty.

    >>> chunks = [b"one\\r\\ntwo\\nth", b"ree"]
    >>> [found.lines for found in streamed(lambda n: chunks.pop(0) if chunks else b"", 100)]
    [[b'one', b'two'], [], [b'three']]
    """
    rest, number, seen, is_cut = b"", 1, 0, False
    while seen < most:
        chunk = read(min(CHUNK, most - seen))
        if not chunk:
            if rest:
                yield Lines([rest.removesuffix(b"\r")], number)
            return
        size, seen = len(chunk), seen + len(chunk)
        if is_cut:  # in the rest of a line that has been yielded
            _, end, chunk = chunk.partition(b"\n")
            is_cut = not end
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()
        if len(rest) > LONGEST:
            lines.append(rest[: LONGEST + 1])
            rest, is_cut = b"", True
        yield Lines([line.removesuffix(b"\r") for line in lines], number, 0, size)
        number += len(lines)


def of_block(file: BinaryIO, block: int) -> Lines:
    """Return the lines that begin in a block of BLOCK bytes of a file: each line begins in exactly one."""
    start = block * BLOCK
    file.seek(max(start - 1, 0))
    found = file.read(BLOCK + bool(start))
    size = len(found)
    if start:
        # The byte before decides whether a line begins where the block does.
        before, end, found = found.partition(b"\n")
        if not end:
            return Lines([], 0, start, size)
        start += len(before)
    lines = found.split(b"\n")
    rest = lines.pop()
    if rest:
        more = file.readline(max(LONGEST + 2 - len(rest), 0))
        size += len(more)
        lines.append((rest + more).removesuffix(b"\n"))
    return Lines([line.removesuffix(b"\r")[: LONGEST + 1] for line in lines], 0 if block else 1, start, size)


@contextlib.contextmanager
def reader(source: Source, late: float) -> Iterator[Callable[[int], bytes]]:
    """Give a function that returns at most so many bytes of what the file holds: b"" at its end, and when it has to
    wait for a pipe until time.monotonic() is *late*. ArgumentError where the file is not packed as its ending says.
    """
    if source.path == STDIN:
        yield _of_stdin(late)
        return
    with open(source.path, "rb", buffering=0, opener=_without_waiting) as file:
        if not source.packed:
            yield _of_descriptor(file.fileno(), late)
            return
        _wait(file.fileno(), late)
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


def _of_stdin(late: float) -> Callable[[int], bytes]:
    if sys.stdin is None:
        raise ArgumentError("-: there is no standard input")
    try:
        return _of_descriptor(sys.stdin.fileno(), late)
    except OSError:  # somebody's own
        return sys.stdin.buffer.read


def _of_descriptor(descriptor: int, late: float) -> Callable[[int], bytes]:
    def read(count: int) -> bytes:
        return os.read(descriptor, count) if _wait(descriptor, late) else b""

    return read


def _wait(descriptor: int, late: float) -> bool:
    """Return whether there is something to read, or the end, before it is late."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    wait = late - time.monotonic()
    return bool(poll.poll(None if wait == float("inf") else max(wait, 0.0) * 1000))


# -- rows -------------------------------------------------------------------------------------------------------------


def batches(path: str) -> Iterator[Any]:
    """Yield pyarrow's record batches of a Parquet or Arrow file, in order. ImportError that names the extra without
    pyarrow, OSError, ArgumentError for what is no such file, or turns out to be none while it is read.
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
            yield from _parquet(file) if is_parquet else _arrow(file)
    except pyarrow.ArrowException as error:
        what = " ".join(str(error).split())
        raise ArgumentError(f"{path}: no {'Parquet' if is_parquet else 'Arrow'} file: {what}") from None


def _parquet(file: Any) -> Iterator[Any]:
    from pyarrow import parquet

    source = parquet.ParquetFile(file, buffer_size=1 << 20, pre_buffer=False)
    yield from source.iter_batches(_ROWS, use_threads=False)


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
