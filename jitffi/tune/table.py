"""A report on a terminal: the answer, and a table of all candidates."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jitffi.tune import wording

if TYPE_CHECKING:
    from jitffi.tune.report import Report


def as_text(report: Report) -> str:
    """The table without colours, 80 columns wide."""
    return f"{report.workload}: {wording.brief(report)}"
