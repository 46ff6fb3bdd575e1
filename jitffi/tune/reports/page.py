"""A report as one HTML page that needs nothing else: no other file, no network, and scripts only for comfort."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping
from importlib import resources

from jitffi.tune.reports import charts, page_tables, wording
from jitffi.tune.reports.charts.rows import Row, rows
from jitffi.tune.reports.report import Report
from jitffi.tune.reports.svg import Markup, joined, tag


def page(report: Report) -> str:
    """The page's text.

    >>> text = page(Report("<words>"))
    >>> text[:15], "<h1>Nothing was measured.</h1>" in text, "&lt;words&gt;" in text, "<words>" in text
    ('<!DOCTYPE html>', True, True, False)
    """
    place = resources.files("jitffi.tune.reports")
    style, script = (place.joinpath(name).read_text("utf-8") for name in ("page.css", "page.js"))
    # Whatever got onto the page by mistake: the browser loads nothing, and runs nothing else.
    policy = f"default-src 'none'; img-src data:; style-src {_hash(style)}; script-src {_hash(script)}"
    head = tag(
        "head",
        tag("meta", charset="utf-8"),
        tag("meta", http_equiv="Content-Security-Policy", content=Markup(policy)),
        tag("meta", name="viewport", content="width=device-width, initial-scale=1"),
        tag("meta", name="color-scheme", content="light dark"),
        tag("title", f"{wording.clean(report.workload, 80)}: {wording.brief(report)}"),
        Markup('<link rel="icon" href="data:,">'),
        tag("style", Markup(style)),
    )
    articles = [_article(each, number) for number, each in enumerate((report, *report.others))]
    body = tag("body", tag("main", *articles), tag("script", Markup(script)))
    return f"<!DOCTYPE html>\n{tag('html', head, body, lang='en')}\n"


def _hash(content: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def _article(report: Report, number: int) -> Markup:
    """All about one kind of machine."""
    figures = [
        _section("Time", _of_times(report)),
        _section("Memory", _of_memory(report)),
        _section("Time and memory", _of_front(report)),
        _section("Lengths of text", _of_lengths(report)),
    ]
    finer = [row for row in rows(report) if row.trial in report.refined]
    return tag(
        "article",
        tag("div", _header(report, number), _section("The choice", page_tables.choice(report), "plain"), class_="top"),
        tag("div", *figures, class_="figures"),
        *([_section("Finer than one pad for all", _finer(finer), "plain")] if finer else []),
        _section("Measured on", _environment(report.environment), "plain"),
    )


def _section(title: str, content: str, kind: str | None = None) -> Markup:
    return tag("section", tag("h2", title), content, class_=kind)


# -- the answer -------------------------------------------------------------------------------------------------------


def _header(report: Report, number: int) -> Markup:
    cpu = str(report.environment.get("cpu", "")) if report.others or number else ""
    kicker = [
        tag("span", "autotune"),
        tag("bdi", wording.clean(report.workload, 150)),
        *([tag("span", cpu)] if cpu else []),
    ]
    parts = [tag("p", *kicker, class_="kicker"), tag("h2" if number else "h1", wording.answer(report))]
    if certainty := wording.certainty(report):
        parts.append(tag("p", certainty, class_="lead"))
    if report.explanation:
        parts.append(tag("p", report.explanation, class_="lead why"))
    facts = list(_facts(report))
    if facts:
        parts.append(tag("dl", *(_fact(*fact) for fact in facts), class_="facts"))
    remarks = list(_remarks(report))
    if remarks:
        parts.append(tag("ul", *(tag("li", remark) for remark in remarks), class_="remarks"))
    return tag("header", *parts)


def _fact(name: str, value: str, unit: str, below: str) -> Markup:
    return tag("div", tag("dt", name), tag("dd", value, tag("small", unit)), tag("dd", below, class_="below"))


def _facts(report: Report) -> Iterator[tuple[str, str, str, str]]:
    """A name, a number, its unit, and what to compare it with."""
    chosen = report.winner or report.default
    before = report.default if report.winner else None
    if report.gain is not None:
        low, high = wording.digits(report.gain.low), wording.digits(report.gain.high)
        yield "Faster", wording.digits(report.gain.median), "times", f"{low} to {high}"
    if chosen.seconds is not None:
        was = before.seconds.median if before is not None and before.seconds is not None else None
        unit = wording.pace_unit(report)
        below = f"default: {wording.digits(was / unit[0])} {unit[1].split()[0]}" if was is not None else "by default"
        yield "Time", wording.digits(chosen.seconds.median / unit[0]), unit[1], below
    if chosen.peak_bytes is not None:
        peak = before.peak_bytes if before is not None else None
        unit = wording.memory_unit((report.default, *report.trials))
        below = f"default: {wording.in_bytes(peak, unit)}" if peak is not None else "by default"
        number, _, name = wording.in_bytes(chosen.peak_bytes, unit).partition(" ")
        yield "Peak memory", number, name, below
    if report.runs:
        took = "" if report.elapsed is None else f", {wording.digits(report.elapsed)} s in all"
        below = f"{report.items:,} items a pass{took}" if report.items else took.removeprefix(", ")
        yield "Evidence", str(report.runs), "processes" if report.runs != 1 else "process", below


def _remarks(report: Report) -> Iterator[str]:
    if report.interrupted:
        yield "It was interrupted."
    for other in report.others:
        cpu = wording.clean(str(other.environment.get("cpu", "another kind of machine")), 60)
        yield f"On {cpu}, of which more below: {wording.brief(other)}."
    yield from filter(None, (wording.overlooked(report), wording.uncounted(report)))
    yield from report.notes
    yield from wording.failures(report)


# -- the figures ------------------------------------------------------------------------------------------------------


def _figure(report: Report, draw: Callable[[Report, int], Markup], caption: str, keys: str, table: Markup) -> Markup:
    return tag(
        "figure",
        tag("figcaption", caption),
        keys,
        charts.both(lambda width: draw(report, width)),
        tag("p", "", class_="story", role="status"),
        tag("details", tag("summary", "As a table"), tag("div", table, class_="scroll", tabindex=0)),
    )


def _absent(why: str) -> Markup:
    return tag("p", why, class_="absent")


def _keys(*keys: tuple[str, str]) -> Markup:
    """A legend: the class of a mark, and what it stands for."""
    return tag("ul", *(tag("li", tag("i", class_=f"key {kind}"), name) for kind, name in keys), class_="keys")


def _of_times(report: Report) -> Markup:
    shown = rows(report)
    if not any(row.relative or row.guess or row.trial.failure for row in shown):
        return _absent("No candidate was measured.")
    if not any(row.relative or row.guess for row in shown) and wording.was_measured(report):
        why = "The default fails, so that no time can be relative to its own."
        return joined((_absent(why), tag("div", page_tables.times(report), class_="scroll", tabindex=0)))
    caption = (
        "Time of a pass relative to the default's in the same processes: medians, with their 95 % intervals. "
        "Further left is faster."
    )
    keys = [("winner", "winner")] if report.winner else []
    keys += [("measured", "measured")] if any(row.relative and not row.is_rough for row in shown) else []
    keys += [("rough", "measured in one or two processes")] if any(row.is_rough for row in shown) else []
    if any(row.guess is not None for row in shown):
        keys.append(("predicted", "predicted, not measured"))
    keys += [("noise", "noise: the default against itself")] if report.noise and wording.is_finite(report.noise) else []
    return _figure(report, charts.times, caption, _keys(*keys), page_tables.times(report))


def _finer(shown: Iterable[Row]) -> Markup:
    """What the finer candidates of the charts are."""
    items = [tag("div", tag("dt", row.label), tag("dd", *page_tables.pads(row.trial.pads))) for row in shown]
    return tag("dl", *items, class_="finer")


def _of_memory(report: Report) -> Markup:
    if not any(row.trial.peak_bytes for row in rows(report)):
        why = report.default.uncounted
        return _absent(f"No memory was counted: {why}." if why else "No memory was counted.")
    caption = "The most that was in use at a time during a pass, of the runtime's and of Python's memory."
    keys = [("winner bar", "winner")] if report.winner else []
    keys += [("default bar", "default"), ("measured bar", "others")]
    if any(row.trial.peak_bytes and row.trial.seconds is None for row in rows(report)):
        keys.append(("faint bar", "whose time was not measured"))
    return _figure(report, charts.memory, caption, _keys(*keys), page_tables.memory(report))


def _of_front(report: Report) -> Markup:
    points = charts.points(report)
    if len(points) < 2:
        return _absent("Of too few candidates both are known.")
    caption = "Left is smaller, down is faster. No candidate is as fast and as small as one on the line."
    keys = [("winner", "winner")] if report.winner else []
    keys += [("pareto", "on the front"), ("measured", "others"), ("default", "default")]
    return _figure(report, charts.front, caption, _keys(*keys), page_tables.front(report))


def _of_lengths(report: Report) -> Markup:
    if not report.histogram:
        return _absent("There is no text whose place depends on the pad.")
    caption = (
        "Texts that are in place or on the heap, depending on the pad. Each line is where the room of a pad ends: "
        "what is left of it is in place. Shorter texts always are."
    )
    chosen = (
        [("inline", f"in place with pad {report.best}"), ("heap", "on the heap")] if report.best is not None else []
    )
    return _figure(report, charts.lengths, caption, _keys(*chosen), page_tables.lengths(report))


# -- the machine ------------------------------------------------------------------------------------------------------


def _environment(environment: Mapping[str, object]) -> Markup:
    if not environment:
        return _absent("It is not known what machine has measured.")
    items = [
        tag("div", tag("dt", wording.clean(name, 60)), tag("dd", wording.clean(_described(name, value), 200)))
        for name, value in environment.items()
    ]
    return tag("dl", *items, class_="environment")


def _described(name: str, value: object) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_described(name, item)}" for key, item in value.items())
    if name == "caches" and isinstance(value, int):
        return wording.in_unit(value, wording.byte_unit([value]))
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)
