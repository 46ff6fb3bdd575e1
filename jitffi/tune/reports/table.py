"""A report on a terminal: the answer, a table of all candidates, the choice, and the notes."""

from __future__ import annotations

import io
import sys
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from jitffi.tune.formatting import candidate_lines, clean
from jitffi.tune.reports import statements

if TYPE_CHECKING:
    from jitffi.tune.reports.report import Report

#: Columns of text that goes to no terminal: what lines are cut or folded at.
_WIDTH = 80
#: A rule below the heads, of characters that every terminal has.
_RULE = box.Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
_STYLES = {"winner": "bold green", "failed": "red", "unmeasured": "dim"}


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
    for said in (statements.certainty(report), clean(report.explanation, 1000) if explain else ""):
        if said:
            console.print(Text(said))
    console.print()
    console.print(_of_candidates(report))
    if choice := statements.choice(report):
        console.print(Text("\nThe choice ([]: items of lists and maps; *: other variables)\n", style="bold"))
        console.print(Text("\n".join(choice)))
    lines = [*statements.failures(report), *[f"note: {clean(each)}" for each in statements.remarks(report)]]
    if lines:
        console.print(Text("\n".join(["", *lines])))


def _of_candidates(report: Report) -> Table:
    table = Table(box=_RULE, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    table.add_column("pads", overflow="fold")
    for head in statements.heads(report):
        table.add_column(head, justify="right", no_wrap=True)
    table.add_column(no_wrap=True)
    for trial in report.candidates:
        word, _ = statements.status(report, trial)
        cells = ("\n".join(candidate_lines(trial.pads)), *statements.cells(report, trial), word)
        table.add_row(*map(Text, cells), style=_STYLES.get(word, ""))
    return table
