"""Files written together or not at all: beside their places under other names, and renamed when all are there."""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType


@dataclass
class _Output:
    """One file: where it is made, where it is to be, and a second name of what was there before."""

    made: Path
    place: Path
    is_device: bool
    before: Path | None = None


def is_special(place: Path) -> bool:
    """Whether it is there and no file, but a device or a pipe."""
    return place.exists() and not place.is_file() and not place.is_dir()


class Outputs:
    """A context: `add` says which files there will be. At its end they appear; where it fails, all is as it was.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as directory:
    ...     with Outputs() as outputs:
    ...         _ = outputs.add(Path(directory, "a.txt")).write_text("a")
    ...     sorted(os.listdir(directory))
    ['a.txt']
    """

    def __init__(self) -> None:
        self._outputs: list[_Output] = []

    def add(self, place: Path, executable: bool = False) -> Path:
        """Return where to write what shall be at *place*. OSError, with that place as its file, where nothing can be.

        What is no file there, as /dev/stdout, is written to and not replaced.
        """
        if place.is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a directory; name a file", str(place))
        is_device = is_special(place)
        real = place if is_device else Path(os.path.realpath(place))
        where = Path(tempfile.gettempdir()) if is_device else real.parent
        # A short name: the longest that a file can have may be the place's own.
        made = where / f".jitffi-{secrets.token_hex(6)}"
        try:
            os.close(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o777 if executable else 0o666))
        except FileNotFoundError:
            raise FileNotFoundError(errno.ENOENT, "there is no such directory; make it first", str(place)) from None
        except OSError as error:
            reason = f"{error.strerror}; choose a place that can be written to"
            raise type(error)(error.errno, reason, str(place)) from None
        self._outputs.append(_Output(made, real, is_device))
        return made

    def __enter__(self) -> Outputs:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._commit()
        finally:
            for output in self._outputs:
                for path in (output.made, output.before):
                    if path is not None:
                        path.unlink(missing_ok=True)

    def _commit(self) -> None:
        moved: list[_Output] = []
        try:
            for output in self._outputs:
                moved.append(output)
                if output.is_device:
                    _copy(output.made, output.place)
                    continue
                if output.place.exists():
                    # Where a file cannot have two names, what was there cannot be brought back: then only the last
                    # step of all could fail.
                    with contextlib.suppress(OSError):
                        before = output.made.with_name(f"{output.made.name}-old")
                        os.link(output.place, before)
                        output.before = before
                os.replace(output.made, output.place)
        except BaseException:
            for output in moved:
                self._undo(output)
            raise

    def _undo(self, output: _Output) -> None:
        if output.is_device or output.made.exists():  # not replaced yet
            return
        with contextlib.suppress(OSError):
            if output.before is not None:
                os.replace(output.before, output.place)
            else:
                output.place.unlink()


def _copy(made: Path, device: Path) -> None:
    """Write what is in *made* to a device. OSError with that as its file."""
    try:
        with made.open("rb") as source, device.open("wb") as sink:
            shutil.copyfileobj(source, sink)
    except OSError as error:
        raise type(error)(error.errno, error.strerror, str(device)) from None
