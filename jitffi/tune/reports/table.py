"""A report on a terminal: the answer, a table of all pads, the finer candidates, the choice, and the notes."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from jitffi.tune.records import Trial
from jitffi.tune.reports import wording

if TYPE_CHECKING:
    from jitffi.tune.reports.report import Report

#: Columns of text that goes to no terminal: what lines are cut or folded at.
_WIDTH = 80
#: A rule below the heads, of characters that every terminal has.
_RULE = box.Box("    \n    \n -- \n    \n    \n    \n    \n    \n", ascii=True)
_STYLES = {"winner": "bold green", "failed": "red", "pruned": "dim", "unmeasured": "dim", "default": "bold"}


def as_text(report: Report, explain: bool = False) -> str:
    """The table without colours, 80 columns wide."""
    sink = io.StringIO()
    show(report, Console(file=sink, width=_WIDTH, color_system=None, force_terminal=False, highlight=False), explain)
    lines = (line.rstrip() for line in sink.getvalue().splitlines())
    return "\n".join(lines)


def show(report: Report, console: Console | None = None, explain: bool = False) -> None:
    """Print it on *console*, by default standard output, with colours if that is a terminal. *explain*: and why."""
    if console is None:
        console = Console(highlight=False)
        if not console.is_terminal:
            encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
            print(as_text(report, explain).encode(encoding, "backslashreplace").decode(encoding))
            return
    name = wording.clean(report.workload, 60)
    console.print(Text.assemble((name, "bold"), ": ", (wording.answer(report), "bold green" if report.winner else "")))
    if certainty := wording.certainty(report):
        console.print(Text(certainty))
    if explain and report.explanation:
        console.print(Text(wording.clean(report.explanation, 1000)))
    console.print()
    console.print(_of_pads(report))
    for title, table in (
        ("Finer than one pad for all", _of_refined(report)),
        ("The choice", _of_choice(report)),
    ):
        if table.row_count:
            console.print(Text(f"\n{title}\n", style="bold"))
            console.print(table)
    for line in _remarks(report):
        console.print(line)
    for other in report.others:
        console.print(Text(f"\nOn {wording.clean(str(other.environment.get('cpu', 'another machine')), 60)}:"))
        show(other, console)


def _table(*columns: tuple[str, bool]) -> Table:
    """An empty table of columns: their names, and whether they are numbers."""
    table = Table(box=_RULE, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for name, is_number in columns:
        table.add_column(name, justify="right" if is_number else "left", overflow="fold", no_wrap=is_number)
    return table


def _of_pads(report: Report) -> Table:
    """One row a pad: what fits a slot, time, time to the default's, memory."""
    shown = [report.default, *report.trials]
    time = wording.pace_unit(report)
    memory = wording.memory_unit(shown)
    table = _table(
        ("pad", True),
        ("bytes", True),
        ("ucs4", True),
        (time[1], True),
        ("to the default", True),
        (memory[1], True),
        ("", False),
    )
    for trial in shown:
        pad = trial.pads.everywhere
        fits = ("", "") if pad is None else map(str, wording.room(pad))
        words = wording.status(report, trial)
        cells = (
            "-" if pad is None else str(pad),
            *fits,
            _time(report, trial, time[0]),
            _to_default(report, trial),
        )
        table.add_row(*map(Text, cells), Text(_memory(trial, memory[0])), Text(", ".join(words)), style=_style(words))
    return table


def _of_refined(report: Report) -> Table:
    memory = wording.memory_unit((report.default, *report.trials))
    table = _table(("pads", False), ("to the default", True), (memory[1], True), ("", False))
    for trial in report.refined:
        words = wording.status(report, trial)
        lines = [] if trial.pads.everywhere is None else [f"{trial.pads.everywhere} everywhere, but"]
        for key, variables in trial.pads.functions:
            ordered = sorted(variables, key=wording.variable_order)
            pads = ", ".join(f"{wording.clean(name, 40)} {pad}" for name, pad in ordered)
            lines.append(f"{wording.clean(wording.function_name(key), 60)}: {pads}")
        cells = ("\n".join(lines), _to_default(report, trial), _memory(trial, memory[0]), ", ".join(words))
        table.add_row(*map(Text, cells), style=_style(words))
    return table


def _of_choice(report: Report) -> Table:
    """What a profile says."""
    table = _table(("function", False), ("variable", False), ("pad", True), ("bytes", True), ("ucs4", True))
    for key, variables in report.functions.items():
        name = wording.clean(wording.function_name(key), 60)
        for variable, pad in sorted(variables.items(), key=wording.variable_order):
            cells = (name, wording.clean(wording.variable_name(variable), 40), str(pad), *map(str, wording.room(pad)))
            table.add_row(*map(Text, cells))
            name = ""
    return table


def _remarks(report: Report) -> Iterator[Text]:
    """Failures, and the notes."""
    lines = wording.failures(report)
    told = filter(None, (wording.overlooked(report), wording.uncounted(report)))
    lines += [f"note: {wording.clean(note)}" for note in (*told, *report.notes)]
    for number, line in enumerate(lines):
        yield Text("\n" * (not number) + line)


def _time(report: Report, trial: Trial, unit: float) -> str:
    """The median and half its interval; of a rough one no interval, which would be too small."""
    seconds = trial.seconds
    if seconds is None:
        return ""
    if report.is_rough(trial):
        return wording.digits(seconds.median / unit)
    return wording.plus_minus(seconds.median / unit, (seconds.high - seconds.low) / 2 / unit)


def _to_default(report: Report, trial: Trial) -> str:
    if trial.pads.is_default:
        return "" if trial.seconds is None else wording.ratio(1.0)
    if trial.seconds is not None:
        if trial.relative is not None and report.is_rough(trial):
            return f"{wording.ratio(trial.relative.median)} ({wording.processes(trial.runs)})"
        return "" if trial.relative is None else wording.relative(trial.relative)
    return "" if trial.predicted is None else f"{wording.ratio(trial.predicted)} predicted"


def _memory(trial: Trial, unit: float) -> str:
    return "" if trial.peak_bytes is None else wording.digits(trial.peak_bytes / unit)


def _style(words: tuple[str, ...]) -> str:
    return next((_STYLES[word] for word in words if word in _STYLES), "")
