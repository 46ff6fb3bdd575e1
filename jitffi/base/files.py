"""Files that users name, read only where they are regular ones: opening a FIFO waits for a writer, a device has no end.

What the process has open already is a file, too, whatever it is: `/dev/stdin`, and `/dev/fd/63` of a shell's `<(...)`.
"""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, BinaryIO

_KINDS = (
    (stat.S_ISDIR, "a directory"),
    (stat.S_ISFIFO, "a FIFO"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)
_OPEN_ALREADY = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")


def kind_of(mode: int) -> str:
    """Return what a file is that is no regular one, "" of a regular one.

    >>> kind_of(os.stat("/dev/null").st_mode), kind_of(os.stat("/").st_mode)
    ('a device', 'a directory')
    """
    return next((name for is_one, name in _KINDS if is_one(mode)), "")


def check_regular(path: str) -> None:
    """OSError where *path*, or what it links to, is there and is no regular file."""
    _check(os.stat(path).st_mode, path)


def _check(mode: int, path: str) -> None:
    kind = kind_of(mode)
    if kind == "a directory":
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
    if kind:
        raise OSError(errno.EINVAL, f"is {kind}, no regular file", path)


def open_regular(path: str, pipes: bool = False) -> BinaryIO:
    """Open a file to be read. OSError where it is no regular one; *pipes*: what is open already is taken as it is."""
    if pipes and path.startswith(_OPEN_ALREADY):
        return open(path, "rb")
    _check(os.stat(path).st_mode, path)
    descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)  # it may have become a FIFO meanwhile
    try:
        _check(os.fstat(descriptor).st_mode, path)
        return open(descriptor, "rb")
    except BaseException:
        os.close(descriptor)
        raise


def library_names(who: str, link: Any) -> tuple[str, ...]:
    """The shared libraries that a parameter *link* of *who* names, as the loader takes them."""
    if not isinstance(link, (str, os.PathLike, Iterable)):
        raise TypeError(f"{who}: link names shared libraries, got {type(link).__name__}")
    found = []
    for name in (link,) if isinstance(link, (str, os.PathLike)) else tuple(link):
        if not isinstance(name, (str, os.PathLike)):
            raise TypeError(f"{who}: link names shared libraries, got {type(name).__name__}")
        path: str = os.fspath(name)
        found.append(os.path.abspath(path) if "/" in path or not isinstance(name, str) else path)
    return tuple(found)
