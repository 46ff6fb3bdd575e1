"""Lines of files larger than memory: one after the other, or those of some blocks of a file.

A line ends with "\\n"; a "\\r" before it belongs to the end. What is longer than LONGEST comes out one byte longer than
that, and the rest of it is passed over: whoever gets it can tell.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import BinaryIO

#: Bytes of a line.
LONGEST = 1 << 20
#: What is read at a time of a stream; and of a file of which some parts are read.
CHUNK, BLOCK = 1 << 18, 1 << 16


@dataclass(frozen=True, slots=True)
class Batch:
    """Some lines without their ends."""

    lines: list[bytes]
    #: Of the first of them in its file, from 1; 0: unknown.
    number: int
    #: Where that begins in the file, of a block.
    offset: int = 0
    #: Read for it.
    size: int = 0


def streamed(read: Callable[[int], bytes], most: int) -> Iterator[Batch]:
    """Yield all lines of a stream: *read* returns at most so many bytes of it, b"" at its end. After *most* bytes it is
    enough; a line that is not complete by then is left out. A batch can be empty.

    >>> chunks = [b"one\\r\\ntwo\\nth", b"ree"]
    >>> [batch.lines for batch in streamed(lambda n: chunks.pop(0) if chunks else b"", 100)]
    [[b'one', b'two'], [], [b'three']]
    """
    rest, number, seen, cut = b"", 1, 0, False
    while seen < most:
        chunk = read(min(CHUNK, most - seen))
        if not chunk:
            if rest:
                yield Batch([_without_end(rest)], number)
            return
        size, seen = len(chunk), seen + len(chunk)
        if cut:  # in the rest of a line that has been yielded
            end = chunk.find(b"\n") + 1
            if not end:
                yield Batch([], number, 0, size)
                continue
            chunk, cut = chunk[end:], False
        lines = (rest + chunk).split(b"\n")
        rest = lines.pop()
        if len(rest) > LONGEST:
            lines.append(rest[: LONGEST + 1])
            rest, cut = b"", True
        yield Batch([_without_end(line) for line in lines], number, 0, size)
        number += len(lines)


def of_block(file: BinaryIO, block: int) -> Batch:
    """Return the lines that begin in a block of BLOCK bytes of a file: each line begins in exactly one."""
    start = block * BLOCK
    file.seek(max(start - 1, 0))
    found = file.read(BLOCK + bool(start))
    size = len(found)
    if start:
        # The byte before decides whether a line begins where the block does.
        end = found.find(b"\n") + 1
        if not end:
            return Batch([], 0, start, size)
        start, found = start - 1 + end, found[end:]
    lines = found.split(b"\n")
    rest = lines.pop()
    if rest:
        more = file.readline(max(LONGEST + 2 - len(rest), 0))
        size += len(more)
        lines.append((rest + more).removesuffix(b"\n"))
    return Batch([_without_end(line)[: LONGEST + 1] for line in lines], 0 if start else 1, start, size)


def _without_end(line: bytes) -> bytes:
    return line[:-1] if line.endswith(b"\r") else line
