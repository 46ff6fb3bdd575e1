"""Files of a corpus: what kind each is, whether parts of it can be read, and how bytes are got out of it."""

from __future__ import annotations

import contextlib
import os
import select
import stat
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

from jitffi.base.errors import ArgumentError
from jitffi.tune.data import columns

STDIN = "-"
_JSON = (".jsonl", ".ndjson")
_PACKED = (".gz", ".bz2", ".xz")


@dataclass(frozen=True, slots=True)
class Opening:
    """A file that is there."""

    path: str
    #: Of a plain file of lines, which has parts that can be read; None of all else.
    size: int | None
    is_json: bool = False
    is_table: bool = False
    #: ".gz" and the like; "".
    packed: str = ""


def check(path: str) -> Opening:
    """Return what a path is. FileNotFoundError (an ArgumentError) where nothing is, ArgumentError for a directory."""
    if path == STDIN:
        return Opening(path, None)
    try:
        info = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        from jitffi.signature.signature_lists import MissingFile

        raise MissingFile(f"{path}: no such file") from None
    except ValueError as error:  # a null byte
        raise ArgumentError(f"{path!r}: {error}") from None
    if stat.S_ISDIR(info.st_mode):
        raise ArgumentError(f"{path}: it is a directory; name files")
    name, ending = os.path.splitext(path.lower())
    packed = ending if ending in _PACKED else ""
    if packed:
        ending = os.path.splitext(name)[1]
    is_table = ending in columns.ENDINGS
    if is_table and packed:
        raise ArgumentError(f"{path}: Parquet and Arrow are read as they are; unpack it")
    is_lines = stat.S_ISREG(info.st_mode) and not packed and not is_table
    return Opening(path, info.st_size if is_lines else None, ending in _JSON, is_table, packed)


@contextlib.contextmanager
def reader(opening: Opening, late: float) -> Iterator[Callable[[int], bytes]]:
    """A function that returns at most so many bytes of what the file holds, b"" at its end, and when it has to wait
    for a pipe until time.monotonic() is *late*. ArgumentError where the file is not packed as its ending says.
    """
    if opening.path == STDIN:
        yield _of_stdin(late)
        return
    with open(opening.path, "rb", buffering=0, opener=_without_waiting) as file:
        if not opening.packed:
            yield _of_descriptor(file.fileno(), late)
            return
        _wait(file.fileno(), late)
        os.set_blocking(file.fileno(), True)
        try:
            with _unpacked(file, opening.packed) as inner:
                yield inner.read
        except _damages() as error:
            raise ArgumentError(f"{opening.path}: what is in it cannot be unpacked: {error}") from None


def _without_waiting(path: str, flags: int) -> int:
    """A FIFO that nobody writes to yet is waited for where it is read, which has an end."""
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
    """Whether there is something to read, or the end, before it is late."""
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    wait = late - time.monotonic()
    return bool(poll.poll(None if wait == float("inf") else max(wait, 0.0) * 1000))


def _unpacked(file: BinaryIO, packed: str) -> BinaryIO:
    if packed == ".gz":
        import gzip

        return gzip.GzipFile(fileobj=file, mode="rb")  # type: ignore[return-value]
    if packed == ".bz2":
        import bz2

        return bz2.BZ2File(file, "rb")  # type: ignore[return-value]
    import lzma

    return lzma.LZMAFile(file, "rb")  # type: ignore[return-value]


def _damages() -> tuple[type[Exception], ...]:
    """What unpacking raises for bytes that are no such thing."""
    import lzma
    import zlib

    return OSError, EOFError, zlib.error, lzma.LZMAError
