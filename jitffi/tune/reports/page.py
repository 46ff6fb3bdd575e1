"""A report as one HTML page that needs nothing else: no other file, no network, no scripts."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterator, Mapping, Sequence
from importlib import resources
from typing import TYPE_CHECKING

from jitffi.profiles.candidates import LARGEST_PAD
from jitffi.tune import lengths
from jitffi.tune.formatting import (
    byte_unit,
    candidate,
    candidate_lines,
    clean,
    digits,
    in_bytes,
    in_unit,
    percent,
    ratio,
    room,
)
from jitffi.tune.records import Trial
from jitffi.tune.reports import charts, statements
from jitffi.tune.reports.markup import Markup, joined, table, tag

if TYPE_CHECKING:
    from jitffi.tune.reports.report import Report

_NONE = "\u2013"


def page(report: Report) -> str:
    """Return the page's text.

    >>> from jitffi.tune.reports.report import Report
    >>> text = page(Report("<words>"))
    >>> text[:15], "<h1>Nothing was measured.</h1>" in text, "&lt;words&gt;" in text, "<words>" in text
    ('<!DOCTYPE html>', True, True, False)
    """
    style = resources.files("jitffi.tune.reports").joinpath("page.css").read_text("utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    # Whatever got onto the page by mistake: the browser loads nothing, and runs nothing.
    policy = f"default-src 'none'; img-src data:; style-src 'sha256-{digest}'"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=Markup(policy)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{clean(report.workload, 80)}: {statements.brief(report)}"),
        tag("link", rel="icon", href="data:,"),
        tag("style", Markup(style)),
    )
    articles = [_article(each, number) for number, each in enumerate((report, *report.others))]
    return f"<!DOCTYPE html>\n{tag('html', head, tag('body', tag('main', *articles)), lang='en')}\n"


def _article(report: Report, number: int) -> Markup:
    """Return all about one kind of machine."""
    finer = [(name, trial) for name, trial in _named(report) if trial in report.refined]
    return tag(
        "article",
        _header(report, number),
        _section("The choice", _choice(report)),
        _section("Time and memory", _candidates(report)),
        *([_section("Finer than one pad for all", _finer(finer))] if finer else []),
        _section("Lengths of text", _lengths(report)),
        _section("Measured on", _environment(report)),
    )


def _section(title: str, *content: str) -> Markup:
    return tag("section", tag("h2", title), *content)


def _absent(why: str) -> Markup:
    return tag("p", why, class_="absent")


# -- the answer -------------------------------------------------------------------------------------------------------


def _header(report: Report, number: int) -> Markup:
    cpu = str(report.environment.get("cpu", "")) if report.others or number else ""
    kicker = [tag("span", "autotune"), tag("bdi", clean(report.workload, 150)), *([tag("span", cpu)] if cpu else [])]
    said = [statements.certainty(report), report.explanation]
    lines = [tag("li", line) for line in _remarks(report)]
    return tag(
        "header",
        tag("p", *kicker, class_="kicker"),
        tag("h2" if number else "h1", statements.answer(report)),
        *[tag("p", each, class_="lead") for each in said if each],
        *([tag("ul", *lines, class_="remarks")] if lines else []),
    )


def _remarks(report: Report) -> Iterator[str]:
    if report.interrupted:
        yield "It was interrupted."
    for other in report.others:
        cpu = clean(str(other.environment.get("cpu", "another kind of machine")), 60)
        yield f"On {cpu}, of which more below: {statements.brief(other)}."
    yield from statements.remarks(report)
    yield from statements.failures(report)


def _choice(report: Report) -> Markup:
    """Return what is chosen, function by function."""
    if report.winner is None:
        return _absent("The compiler's own pads stay: 0 for variables, 1 for the items of lists and maps.")
    if not report.functions:
        return tag("p", candidate(report.winner.pads))
    heads = ("function", "variable", "pad", "bytes", "ucs4")
    rows = [((tag("bdi", tag("code", name)), *cells), None) for name, *cells in statements.choice(report)]
    said = "bytes, ucs4: the longest text in place, in bytes of UTF-8 and in characters of UCS4."
    return joined((table(heads, rows, heads[:2]), tag("p", said, class_="small")))


# -- the candidates ---------------------------------------------------------------------------------------------------


def _named(report: Report) -> list[tuple[str, Trial]]:
    """Return the default, all pads, and the finer candidates, each with a short name of its own."""
    finer = [(f"finer {number}", trial) for number, trial in enumerate(report.refined, 1)]
    return [("default", report.default), *[(str(each.pads.everywhere), each) for each in report.trials], *finer]


def _candidates(report: Report) -> Markup:
    named = _named(report)
    if all(trial.seconds is None and trial.counts is None and trial.failure is None for _, trial in named):
        return _absent("No candidate was measured.")
    unit, times = report.memory_unit, charts.time_scale(report)
    peaks = charts.amount_scale([(trial.peak_bytes or 0) / unit[0] for _, trial in named])
    time, memory = charts.axis("time by the default's", times), charts.axis("peak memory", peaks, unit)
    heads = ("pad", time, "relative", "95 %", report.pace_unit[1], memory, "peak", "processes", "")
    mark = None if report.default.peak_bytes is None else report.default.peak_bytes / unit[0]
    rows = []
    for name, trial in named:
        words, story = statements.status(report, trial), _story(report, trial)
        peak = None if trial.peak_bytes is None else trial.peak_bytes / unit[0]
        strips = charts.time(report, trial, times, story), charts.amount(peak, peaks, story, mark)
        rough = ["rough"] if report.is_rough(trial) else []
        classes = " ".join([*rough, *[word.lower() for word in words]])
        rows.append((_cells(report, name, trial, *strips), classes or None))
    said = (
        "Time of a pass by the default's in the same processes: medians with their 95 % intervals; faint ones are "
        "measured in one or two processes; the band is the noise, the default against itself. "
        "Memory: the most in use at a time during a pass, of the runtime's and of Python's; the line is the default's."
    )
    return joined((table(heads, rows, ("pad", "")), tag("p", said, class_="small")))


def _cells(report: Report, name: str, trial: Trial, time: Markup, memory: Markup) -> Sequence[str]:
    found = charts.relative_of(trial)
    is_bare = found is None or report.is_rough(trial) or trial.pads.is_default
    reason = trial.failure.text if trial.failure is not None else trial.pruned
    reason = f"has not won: {trial.not_won}" if trial.not_won else reason
    words = [word for word in statements.status(report, trial) if not reason.startswith(word)] + [reason] * bool(reason)
    return (
        name,
        time,
        _NONE if found is None else ratio(found.median),
        _NONE if found is None or is_bare else f"{ratio(found.low)} to {ratio(found.high)}",
        _NONE if trial.seconds is None else digits(trial.seconds.median / report.pace_unit[0]),
        memory,
        _NONE if trial.peak_bytes is None else in_bytes(trial.peak_bytes, report.memory_unit),
        str(trial.runs),
        ", ".join(words),
    )


def _story(report: Report, trial: Trial) -> str:
    """Return all about a candidate in a line."""
    parts = [candidate(trial.pads)]
    if shown := statements.to_default(report, trial):
        parts.append(f"{shown} of the default's time")
    if trial.seconds is not None:
        parts.append(in_unit(trial.seconds.median, report.pace_unit))
    if trial.peak_bytes is not None:
        parts.append(f"{in_bytes(trial.peak_bytes, report.memory_unit)} at its peak")
    return "; ".join(parts)


def _finer(finer: Sequence[tuple[str, Trial]]) -> Markup:
    """Return what the finer candidates of the table are."""
    items = []
    for name, trial in finer:
        lines = [tag("span", tag("bdi", line), class_="function") for line in candidate_lines(trial.pads)]
        items.append(tag("div", tag("dt", name), tag("dd", *lines)))
    return tag("dl", *items, class_="finer")


# -- lengths, and the machine -----------------------------------------------------------------------------------------


def _lengths(report: Report) -> Markup:
    """Return for each pad how many of the texts are in place whose place depends on it."""
    if not report.histogram:
        return _absent("There is no text whose place depends on the pad.")
    total = sum(count for _, count in report.histogram)
    scale = charts.Scale(0, 100)
    share_of = charts.axis("in place, %", scale)
    heads = ("pad", "bytes", "characters of UCS4", share_of, "texts in place", "share")
    rows = []
    for pad in range(LARGEST_PAD + 1):
        fit = lengths.texts_in_place(pad, report.histogram)
        strip = charts.amount(100 * fit / total, scale, f"pad {pad}: {fit:,} texts in place")
        shown = (str(pad), *map(str, room(pad)), strip, f"{fit:,}", percent(fit / total))
        rows.append((shown, "winner" if pad == report.best else None))
    said = "Texts that are in place or on the heap, depending on the pad. Shorter texts always are in place."
    return joined((table(heads, rows, ("pad",)), tag("p", said, class_="small")))


def _environment(report: Report) -> Markup:
    if not report.environment:
        return _absent("It is not known what machine has measured.")
    about = {"items a pass": f"{report.items:,}"} if report.items else {}
    about |= {} if report.elapsed is None else {"seconds in all": digits(report.elapsed)}
    items = [
        tag("div", tag("dt", clean(name, 60)), tag("dd", clean(_described(name, value), 200)))
        for name, value in {**report.environment, **about}.items()
    ]
    return tag("dl", *items, class_="environment")


def _described(name: str, value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_described(name, item)}" for key, item in value.items())
    if name == "caches" and isinstance(value, int):
        return in_unit(value, byte_unit([value]))
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
