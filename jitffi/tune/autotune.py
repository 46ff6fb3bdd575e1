"""`jitffi.autotune`, which loads what tunes when it is called."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike
    from typing import Any

    from jitffi.tune.reports.report import Report


def autotune(
    workload: Any = None,
    corpus: Any = None,
    pads: Iterable[int] = range(16),
    budget: float | str = 30.0,
    executor: Any = None,
    trace: str | PathLike[str] | None = None,
    seed: int = 0,
) -> Report:
    """Find the pads at which *workload* runs best; returns a Report, which says how sure that is and why.

    *workload*: a callable, which is called with an item of the corpus (or, without a parameter for it, with nothing),
    and with the pad that is tried if it has a parameter `pad`; a jitffi.Script; or the path of a Python file that has
    `workload`, and perhaps `setup`. Where scripts run whose source says no pad, they get the one that is tried.
    *corpus*: a path or paths of text, JSON lines, Parquet or Arrow, or an iterable of items; a sample of it is used.
    *trace*, instead of both: the path of a file that a program has written which ran with JITFFI_TRACE=path.

    *pads*: those to try for everything; finer choices are made of what they show. *budget*: seconds for all of it, or a
    text as "500ms", "10s" or "2m". *executor*: a concurrent.futures.Executor, or the address of a Dask scheduler, where
    the runs take place; None: here, in processes of their own. The same *seed* draws the same sample and orders.

    Ctrl-C ends the search: the Report is of what had been measured, and says `interrupted`. Candidates that fail are in
    the Report. TypeError and ValueError for other arguments, RuntimeError with the first failure where nothing could be
    measured, pickle.PicklingError for a workload that cannot be sent to another process; what reading the corpus and
    the workload raises comes out.

    >>> import jitffi
    >>> report = jitffi.autotune(len, [], budget="2s")
    >>> report.best, report.notes
    (None, ('the corpus is empty: nothing was measured',))
    """
    from importlib import import_module

    from jitffi.base.off_thread import run

    # NumPy, which it needs, cannot be imported again where Ctrl-C has ended its import.
    found: Report = run(import_module, "jitffi.tune.tuning").tune(workload, corpus, pads, budget, executor, trace, seed)
    return found
