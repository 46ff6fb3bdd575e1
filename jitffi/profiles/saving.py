"""Profiles written: entries join the others of a file, which is replaced as a whole."""

from __future__ import annotations

import contextlib
import errno
import fcntl
import json
import os
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import Any

from jitffi.base.outputs import Outputs
from jitffi.profiles.profile import FORMAT, KEY, entry_of, read

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.tune.reports.report import Report


def save_report(report: Report, path: str | PathLike[str]) -> None:
    """Put a report's choice into the profile at *path*, which is made if it is not there.

    An entry of the same workload, CPU, LLVM and ABI is replaced, others stay; a report that found no difference has an
    entry without functions. The file is replaced as a whole, and by one process at a time. ProfileError where there is
    something else in it, OSError where it cannot be written.
    """
    save(entry_of(report), path)


def save(entry: dict[str, Any], path: str | PathLike[str]) -> None:
    """The same with what a profile keeps of a report."""
    place = Path(path)
    check(place)
    with _alone(place):
        kept = {_key(each): each for each in _kept(place)}
        kept.pop(_key(entry), None)
        kept[_key(entry)] = entry  # as the last
        with Outputs() as outputs:
            outputs.add(place).write_text(_text([*kept.values()]), "utf-8", "surrogatepass")


def check(path: str | PathLike[str]) -> None:
    """Raise what `save` would raise there: ProfileError, or OSError where there is no such directory."""
    place = Path(path)
    if not place.parent.is_dir():
        raise FileNotFoundError(errno.ENOENT, "there is no such directory; make it first", str(place))
    if place.is_dir():
        raise IsADirectoryError(errno.EISDIR, "it is a directory; name a file", str(place))
    _kept(place)


def _key(entry: dict[str, Any]) -> tuple[str, ...]:
    return tuple([entry[name] for name in KEY])


def _kept(place: Path) -> list[dict[str, Any]]:
    """What is in the file already; nothing where it is empty or not there."""
    try:
        return read(place) if place.stat().st_size else []
    except FileNotFoundError:
        return []


def _text(entries: list[dict[str, Any]]) -> str:
    return json.dumps({"format": FORMAT, "entries": entries}, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


@contextlib.contextmanager
def _alone(place: Path) -> Iterator[None]:
    """While it lasts no other process saves to a profile of that directory; where it cannot be locked, one may."""
    with contextlib.ExitStack() as stack:
        with contextlib.suppress(OSError):
            directory = os.open(place.resolve().parent, os.O_RDONLY | os.O_CLOEXEC)
            stack.callback(os.close, directory)
            fcntl.flock(directory, fcntl.LOCK_EX)
        yield
