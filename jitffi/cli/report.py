"""How the command line shows results: tables, JSON, and errors of one line."""

from __future__ import annotations

import contextlib
import json
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from jitffi.tune.reports.report import Report

#: Columns of a table that goes to a file or a pipe, where nothing should be cut off.
_WIDE = 1000
#: Of less than this nobody waits for the end.
_A_LOT = 100


def show(text: str = "") -> None:
    """Print a result."""
    print(text, flush=True)


def show_json(value: object) -> None:
    """Print a result for programs."""
    print(json.dumps(value, indent=2))


def show_table(columns: Sequence[str], rows: Iterable[Sequence[str]], numbers: Sequence[str] = ()) -> None:
    """Print a table; the columns in *numbers* are aligned to the right."""
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE, show_edge=False, pad_edge=False)
    for column in columns:
        table.add_column(column, justify="right" if column in numbers else "left", overflow="fold")
    for row in rows:
        table.add_row(*[Text(cell) for cell in row])  # Text: a cell's brackets are no markup
    console = Console(highlight=False)
    if console.is_terminal:
        console.print(table)
        return
    console.width = _WIDE
    with console.capture() as capture:
        console.print(table)
    # Cells of the last column are padded to the widest, which nobody wants in a file.
    show("\n".join([line.rstrip() for line in capture.get().splitlines()]))


def show_tuned(found: Report, explain: bool) -> None:
    """Print what tuning has found out."""
    from jitffi.tune.reports import table

    table.show(found, explain=explain)
    sys.stdout.flush()


@contextlib.contextmanager
def progress(what: str, total: int) -> Iterator[Callable[[int, int], None]]:
    """A function that shows how much is done of how much, as a bar on a terminal where there is a lot to do."""
    if total < _A_LOT or not sys.stderr.isatty():
        yield lambda done, total: None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(what, total=total)
        yield lambda done, total: bars.update(bar, completed=done, total=total)


def show_error(program: str, message: str) -> None:
    """Print an error on standard error: one line, and below it the text and carets that the message may bring."""
    print(f"{program}: {message}", file=sys.stderr)


def explain_source(error: SyntaxError) -> str:
    """Return where it is, what is wrong, and the line with carets below."""
    place = f"{error.filename}:{error.lineno}:{error.offset}: " if error.filename and error.lineno else ""
    if not error.text or not error.offset:
        return f"{place}{error.msg}"
    text = error.text.rstrip("\n")
    end = error.end_offset if error.end_offset and error.end_lineno == error.lineno else len(text) + 1
    carets = "^" * max(end - error.offset, 1)
    return f"{place}{error.msg}\n{text}\n{' ' * (error.offset - 1)}{carets}"


def explain(error: BaseException) -> str:
    """Return an error's text in one line; its class where it has none. Not the number of a system's error.

    >>> explain(FileNotFoundError(2, "No such file", "a.txt")), explain(MemoryError())
    ('a.txt: No such file', 'MemoryError')
    """
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror
    return " ".join(str(error).split()) or type(error).__name__
