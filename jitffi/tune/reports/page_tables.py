"""The tables of a report's page: the choice, and under each chart its numbers, for who cannot or would not see it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from jitffi.profiles.candidates import Pads
from jitffi.tune.records import Interval
from jitffi.tune.reports import wording
from jitffi.tune.reports.charts.lengths import is_ucs4, limit
from jitffi.tune.reports.charts.rows import Row, rows
from jitffi.tune.reports.report import Report
from jitffi.tune.reports.svg import Markup, joined, tag

_DRAWING = "a slot of 16 bytes and its pad"
#: Characters of a name, at most.
_NAME = 120
_NONE = "\u2013"


def _table(heads: Sequence[str], lines: Iterable[Sequence[str]], texts: Sequence[str] = ()) -> Markup:
    """A table; columns in *texts* are no numbers. The first cell of a line is its head."""
    classes = ["drawing" if head == _DRAWING else None if head in texts else "number" for head in heads]
    top = tag("tr", *(tag("th", head, scope="col", class_=kind) for head, kind in zip(heads, classes, strict=True)))
    body = []
    for first, *others in lines:
        cells = [tag("td", cell, class_=kind) for cell, kind in zip(others, classes[1:], strict=True)]
        body.append(tag("tr", tag("th", first, scope="row", class_=classes[0]), *cells))
    return tag("table", tag("thead", top), tag("tbody", *body))


def choice(report: Report) -> Markup:
    """What is chosen, function by function."""
    if report.winner is None:
        return tag(
            "p", "The compiler's own pads stay: 0 for variables, 1 for the items of lists and maps.", class_="absent"
        )
    if not report.functions:
        return tag("p", *pads(report.winner.pads), class_="absent")
    heads = ("function", "variable", "pad", _DRAWING, "bytes", "ucs4")
    table = _table(heads, _choices(report), texts=heads[:2])
    said = "bytes, ucs4: the longest text in place, in bytes of UTF-8 and in characters of UCS4."
    return joined((tag("div", table, class_="scroll low", tabindex=0), tag("p", said, class_="small")))


def _choices(report: Report) -> Iterator[Sequence[str]]:
    for key, variables in report.functions.items():
        name: str = tag("bdi", _code(wording.function_name(key)))
        for variable, pad in sorted(variables.items(), key=wording.variable_order):
            room = map(str, wording.room(pad))
            named = wording.variable_name(variable)
            yield name, named if named != variable else _code(variable), str(pad), _slot(pad), *room
            name = ""


def _code(name: str) -> Markup:
    return tag("code", wording.clean(name, _NAME))


def _slot(pad: int) -> Markup:
    """A drawing: the slot's two words, and one for each of its pad."""
    words = [
        tag("rect", x=9 * number + 0.5, y=0.5, width=8, height=13, rx=1.5, class_="pad" if number > 1 else None)
        for number in range(2 + pad)
    ]
    label = f"{16 + 8 * pad} bytes"
    return tag("svg", *words, class_="slot", width=154, height=14, viewBox="0 0 154 14", role="img", aria_label=label)


def pads(chosen: Pads) -> Iterator[str]:
    """A candidate's pads in words."""
    if chosen.everywhere is not None:
        yield f"Pad {chosen.everywhere} everywhere" + (", but:" if chosen.functions else ".")
    for key, variables in chosen.functions:
        ordered = sorted(variables, key=wording.variable_order)
        named = ", ".join(f"{wording.clean(wording.variable_name(name), _NAME)} {pad}" for name, pad in ordered)
        yield tag("span", tag("bdi", _code(wording.function_name(key))), f": {named}", class_="function")


def times(report: Report) -> Markup:
    shown = rows(report)
    unit = wording.pace_unit(report)
    heads = ("pad", unit[1], "95 %", "relative", "95 %", "predicted", "processes", "")
    return _table(heads, (_time_cells(row, unit[0]) for row in shown), texts=("",))


def _time_cells(row: Row, unit: float) -> Sequence[str]:
    trial = row.trial
    reason = trial.failure.text if trial.failure is not None else trial.pruned
    reason = f"has not won: {trial.not_won}" if trial.not_won else reason
    return (
        row.label,
        _NONE if trial.seconds is None else wording.digits(trial.seconds.median / unit),
        _NONE if row.is_rough else _span(trial.seconds, unit),
        _NONE if row.relative is None else wording.ratio(row.relative.median),
        _NONE if row.is_rough or trial.pads.is_default else _span(row.relative, None),
        _NONE if trial.predicted is None else wording.ratio(trial.predicted),
        str(trial.runs),
        ", ".join([word for word in row.status if not reason.startswith(word)] + ([reason] if reason else [])),
    )


def _span(interval: Interval | None, unit: float | None) -> str:
    if interval is None:
        return _NONE
    if unit is None:
        return f"{wording.ratio(interval.low)} to {wording.ratio(interval.high)}"
    return f"{wording.digits(interval.low / unit)} to {wording.digits(interval.high / unit)}"


def memory(report: Report) -> Markup:
    heads = ("pad", "peak", "of the runtime", "of Python", "allocations", "allocated", "")
    unit = wording.memory_unit((report.default, *report.trials))
    return _table(heads, (_memory_cells(row, unit) for row in rows(report)), texts=("",))


def _memory_cells(row: Row, unit: tuple[float, str]) -> Sequence[str]:
    counts = row.trial.counts
    if counts is None:
        return (row.label, *[_NONE] * 5, f"unknown: {row.trial.uncounted}" if row.trial.uncounted else "unknown")
    parts = [wording.in_bytes(each, unit) for each in (counts.peak_bytes, counts.python_peak_bytes)]
    allocated = wording.in_unit(counts.allocated_bytes, wording.byte_unit([counts.allocated_bytes]))
    return (row.label, row.peak, *parts, f"{counts.allocations:,}", allocated, "")


def front(report: Report) -> Markup:
    on_front = [row for trial in report.pareto for row in rows(report) if row.trial is trial]
    lines = [
        (row.label, row.peak, _NONE if row.relative is None else wording.ratio(row.relative.median)) for row in on_front
    ]
    return _table(("on the front", "peak", "relative time"), lines)


def lengths(report: Report) -> Markup:
    wide_text = is_ucs4(report)
    total = sum(count for _, count in report.histogram) or 1
    lines = []
    for pad in range(16):
        fit = sum(count for length, count in report.histogram if length <= limit(pad, wide_text))
        in_bytes, characters = wording.room(pad)
        lines.append((str(pad), str(in_bytes), str(characters), f"{fit:,}", wording.percent(fit / total)))
    return _table(("pad", "bytes", "characters of UCS4", "texts in place", "share"), lines)
