"""What is told while something is tuned: a bar with the time left on a terminal, else a line now and then."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jitffi.tune.search.evidence import Progress

#: Seconds between two lines of one stage.
_SELDOM = 5.0
#: A second: this machine is measuring something.
_REDRAWS = 2


@contextlib.contextmanager
def watch(what: str, budget: float) -> Iterator[Progress]:
    """A function to be told of the progress, for as long as the context lasts. *budget*: seconds at most."""
    if sys.stderr is None:
        yield lambda stage, seconds_left, detail: None
    elif sys.stderr.isatty():
        with _bar(what, budget) as tell:
            yield tell
    else:
        yield Lines(what)


class Lines:
    """Writes a line to standard error when a stage begins, and every few seconds while it lasts."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._stage = ""
        self._next = 0.0

    def __call__(self, stage: str, seconds_left: float, detail: str) -> None:
        now = time.monotonic()
        if stage == self._stage and now < self._next:
            return
        self._stage, self._next = stage, now + _SELDOM
        left = f", {seconds_left:.0f} s left at most" if seconds_left else ""
        line = f"{self._what}: {stage}{f' {detail}' if detail else ''}{left}"
        with contextlib.suppress(OSError, ValueError):  # nobody is listening, which is no reason to end
            print(line, file=sys.stderr, flush=True)


@contextlib.contextmanager
def _bar(what: str, budget: float) -> Iterator[Progress]:
    """A bar of time, which goes on between two calls."""
    from rich.console import Console
    from rich.progress import Progress as Bars
    from rich.progress import ProgressColumn, Task
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    end = time.monotonic() + budget
    start = end - budget

    class Bar(ProgressColumn):
        def render(self, task: Task) -> ProgressBar:
            return ProgressBar(total=budget, completed=min(time.monotonic() - start, budget), width=30)

    class Left(ProgressColumn):
        def render(self, task: Task) -> Text:
            left = max(0, round(end - time.monotonic()))
            return Text(f"{left // 60}:{left % 60:02} left at most")

    class Stage(ProgressColumn):
        def render(self, task: Task) -> Text:
            return Text(task.description)

    bars = Bars(
        Stage(), Bar(), Left(), console=Console(stderr=True), transient=True, refresh_per_second=_REDRAWS,
        redirect_stdout=False, redirect_stderr=False,
    )  # fmt: skip
    with bars:
        bar = bars.add_task(what)

        def tell(stage: str, seconds_left: float, detail: str) -> Any:
            bars.update(bar, description=f"{stage} {detail}".strip())

        yield tell
