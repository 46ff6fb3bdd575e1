"""A report as a picture, drawn by matplotlib: time and memory by pad, both against each other, lengths of text."""

from __future__ import annotations

import io
import math
import warnings
from typing import TYPE_CHECKING, Any

from jitffi.tune.reports import wording
from jitffi.tune.reports.charts.lengths import is_ucs4, limit
from jitffi.tune.reports.charts.rows import Row, rows

if TYPE_CHECKING:
    from jitffi.tune.reports.report import Report

_INK, _MARK, _ACCENT, _FAINT, _WARM = "#1c1e23", "#69707d", "#0063a5", "#c9c6bf", "#a84a00"


def picture(report: Report) -> bytes:
    """The PNG. ImportError, saying what to install, without matplotlib; no state of its is touched."""
    try:
        from matplotlib.backends.backend_agg import FigureCanvasAgg
        from matplotlib.figure import Figure
    except ImportError as error:
        remedy = "pip install 'jitffi[tune]' brings it; .html and .json need nothing"
        raise ImportError(f"plot: a .png needs matplotlib: {remedy} ({error})") from None
    shown = rows(report)
    figure = Figure(figsize=(12, 4.2 + 0.24 * len(shown)), dpi=120, layout="constrained")
    canvas = FigureCanvasAgg(figure)
    ratios = (max(0.24 * len(shown), 3), 3.4)
    (times, memory), (front, lengths) = figure.subplots(2, 2, height_ratios=ratios)
    name = _plain(wording.clean(report.workload, 60))
    figure.suptitle(f"{name}: {wording.answer(report)}", x=0.01, ha="left", weight="bold", color=_INK)
    for axes, draw in ((times, _times), (memory, _memory), (front, _front), (lengths, _lengths)):
        axes.spines[["top", "right"]].set_visible(False)
        axes.tick_params(labelsize=8, color=_FAINT)
        draw(axes, report, shown)
    sink = io.BytesIO()
    with warnings.catch_warnings():
        # A name may have letters that the font has not: it shows boxes.
        warnings.filterwarnings("ignore", "Glyph .* missing")
        canvas.print_png(sink, metadata={"Software": "jitffi"})
    return sink.getvalue()


def _plain(text: str) -> str:
    """Without what matplotlib would read as mathematics."""
    return text.replace("$", r"\$")


def _by_row(axes: Any, shown: list[Row]) -> None:
    axes.set_yticks(range(len(shown)), [row.label for row in shown])
    axes.set_ylim(len(shown) - 0.4, -0.6)
    for label, row in zip(axes.get_yticklabels(), shown, strict=True):
        if "winner" in row.status:
            label.set(color=_ACCENT, weight="bold")


def _colour(row: Row) -> str:
    return _ACCENT if "winner" in row.status else _INK if row.trial.pads.is_default else _MARK


def _times(axes: Any, report: Report, shown: list[Row]) -> None:
    axes.set_title("time relative to the default, 95 % intervals", loc="left", fontsize=10)
    _by_row(axes, shown)
    if report.noise is not None and math.isfinite(report.noise.low + report.noise.high):
        axes.axvspan(report.noise.low, report.noise.high, color=_FAINT, alpha=0.5, lw=0)
    axes.axvline(1, color=_INK, lw=0.8, ls="--")
    for y, row in enumerate(shown):
        found = row.relative
        if found is not None:
            if not row.is_rough:
                axes.plot(row.whisker, [y, y], color=_colour(row), lw=2)
            kind = "s" if row.trial.pads.is_default else "o"
            axes.plot(found.median, y, kind, color=_colour(row), ms=5, alpha=0.4 if row.is_rough else 1)
        elif row.trial.failure is not None:
            axes.text(0.5, y, "failed", transform=axes.get_yaxis_transform(), color=_WARM, fontsize=8, va="center")
        elif row.guess is not None:
            axes.plot(row.guess, y, "D", mfc="none", mec=_MARK, ms=4)
    medians = [row.relative.median for row in shown if row.relative is not None]
    if medians and max(medians) > 6 * min(medians):
        axes.set_xscale("log")


def _memory(axes: Any, report: Report, shown: list[Row]) -> None:
    unit = wording.memory_unit((report.default, *report.trials))
    axes.set_title(f"peak memory, {unit[1]}", loc="left", fontsize=10)
    _by_row(axes, shown)
    known = [(y, row) for y, row in enumerate(shown) if row.trial.peak_bytes is not None]
    for y, row in known:
        axes.barh(y, (row.trial.peak_bytes or 0) / unit[0], 0.6, color=_colour(row), alpha=1 if row.relative else 0.4)
    if report.default.peak_bytes is not None:
        axes.axvline(report.default.peak_bytes / unit[0], color=_INK, lw=0.8, ls="--")


def _front(axes: Any, report: Report, shown: list[Row]) -> None:
    axes.set_title("time and memory: the front is joined", loc="left", fontsize=10)
    points = [row for row in shown if row.relative and row.trial.peak_bytes is not None and not row.is_rough]
    unit = wording.memory_unit((report.default, *report.trials))
    for row in points:
        x, y = (row.trial.peak_bytes or 0) / unit[0], row.relative.median if row.relative else 1.0
        is_open = "Pareto" in row.status and "winner" not in row.status
        kind = "s" if row.trial.pads.is_default else "o"
        axes.plot(x, y, kind, mfc="white" if is_open else _colour(row), mec=_ACCENT if is_open else _colour(row), ms=5)
        if row.status:
            axes.annotate(row.label, (x, y), (5, 3), textcoords="offset points", fontsize=8, color=_colour(row))
    on_front = [row for trial in report.pareto for row in points if row.trial is trial]
    peaks = [(row.trial.peak_bytes or 0) / unit[0] for row in on_front]
    axes.step(peaks, [row.relative.median for row in on_front if row.relative], where="post", color=_ACCENT, lw=1)
    axes.set_xlabel(f"peak memory, {unit[1]}", fontsize=8)
    axes.set_ylabel("relative time", fontsize=8)


def _lengths(axes: Any, report: Report, shown: list[Row]) -> None:
    wide_text = is_ucs4(report)
    axes.set_title("lengths of text, and the room of each pad", loc="left", fontsize=10, pad=16)
    best = report.best
    for length, count in report.histogram:
        is_inline = best is not None and length <= limit(best, wide_text)
        axes.bar(length, count, -4 if wide_text else -1, align="edge", color=_ACCENT if is_inline else _MARK)
    top = axes.get_xaxis_transform()
    for pad in range(16):
        x, colour = limit(pad, wide_text), _ACCENT if pad == best else _MARK
        axes.axvline(x, color=colour, lw=1.6 if pad == best else 0.5)
        axes.annotate(str(pad), (x, 1.0), xycoords=top, fontsize=7, color=colour, ha="center", va="bottom")
    axes.set_xlabel("bytes", fontsize=8)
