"""A report on a terminal: the answer, a table of all pads, the finer candidates, the choice, and the notes."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from jitffi.tune.formatting import candidate_lines, clean, digits, plus_minus, room
from jitffi.tune.records import Trial
from jitffi.tune.reports import statements

if TYPE_CHECKING:
    from jitffi.tune.reports.report import Report

#: Columns of text that goes to no terminal: what lines are cut or folded at.
_WIDTH = 80
#: A rule below the heads, of characters that every terminal has.
_RULE = box.Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
_STYLES = {"winner": "bold green", "failed": "red", "pruned": "dim", "unmeasured": "dim", "default": "bold"}


def as_text(report: Report, explain: bool = False) -> str:
    """Return the table without colours, 80 columns wide."""
    sink = io.StringIO()
    show(report, Console(file=sink, width=_WIDTH, color_system=None, force_terminal=False, highlight=False), explain)
    return "\n".join([line.rstrip() for line in sink.getvalue().splitlines()])


def show(report: Report, console: Console | None = None, explain: bool = False) -> None:
    """Print it on *console*, by default standard output, with colours if that is a terminal. *explain*: and why."""
    if console is None:
        console = Console(highlight=False)
        if not console.is_terminal:
            encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
            print(as_text(report, explain).encode(encoding, "backslashreplace").decode(encoding))
            return
    name, said = clean(report.workload, 60), statements.answer(report)
    console.print(Text.assemble((name, "bold"), ": ", (said, "bold green" if report.winner else "")))
    if certainty := statements.certainty(report):
        console.print(Text(certainty))
    if explain and report.explanation:
        console.print(Text(clean(report.explanation, 1000)))
    console.print()
    console.print(_of_pads(report))
    for title, table in (("Finer than one pad for all", _of_refined(report)), ("The choice", _of_choice(report))):
        if table.row_count:
            console.print(Text(f"\n{title}\n", style="bold"))
            console.print(table)
    lines = [*statements.failures(report), *[f"note: {clean(each)}" for each in statements.remarks(report)]]
    for number, line in enumerate(lines):
        console.print(Text("\n" * (not number) + line))
    for other in report.others:
        console.print(Text(f"\nOn {clean(str(other.environment.get('cpu', 'another machine')), 60)}:"))
        show(other, console)


def _table(texts: tuple[str, ...], *columns: str) -> Table:
    """Return an empty table of columns, by name; those in *texts* and those without a name are no numbers."""
    table = Table(box=_RULE, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for name in columns:
        is_number = bool(name) and name not in texts
        table.add_column(name, justify="right" if is_number else "left", overflow="fold", no_wrap=is_number)
    return table


def _of_pads(report: Report) -> Table:
    """Return a table of one row a pad: what fits a slot, time, time to the default's, memory."""
    heads = ("pad", "bytes", "ucs4", report.pace_unit[1], "to the default", report.memory_unit[1], "")
    table = _table((), *heads)
    for trial in (report.default, *report.trials):
        pad = trial.pads.everywhere
        shown = ("-", "", "") if pad is None else (str(pad), *map(str, room(pad)))
        _add(table, report, trial, *shown, _time(report, trial))
    return table


def _of_refined(report: Report) -> Table:
    table = _table(("pads",), "pads", "to the default", report.memory_unit[1], "")
    for trial in report.refined:
        _add(table, report, trial, "\n".join(candidate_lines(trial.pads)))
    return table


def _add(table: Table, report: Report, trial: Trial, *first: str) -> None:
    """Add a row: *first*, then what all candidates have."""
    words = statements.status(report, trial)
    memory = "" if trial.peak_bytes is None else digits(trial.peak_bytes / report.memory_unit[0])
    cells = (*first, statements.to_default(report, trial), memory, ", ".join(words))
    style = next((_STYLES[word] for word in words if word in _STYLES), "")
    table.add_row(*map(Text, cells), style=style)


def _of_choice(report: Report) -> Table:
    """Return a table of what a profile says."""
    table = _table(("function", "variable"), "function", "variable", "pad", "bytes", "ucs4")
    for row in statements.choice(report):
        table.add_row(*map(Text, row))
    return table


def _time(report: Report, trial: Trial) -> str:
    """Return the median and half its interval; of a rough one no interval, which would be too small."""
    seconds, unit = trial.seconds, report.pace_unit[0]
    if seconds is None:
        return ""
    if report.is_rough(trial):
        return digits(seconds.median / unit)
    return plus_minus(seconds.median / unit, (seconds.high - seconds.low) / 2 / unit)
