"""Runs of candidates in fresh processes of this machine, and what a search asks of whoever measures.

search --time_runs--> Local --a process a run--> worker     rounds, in which the candidates take turns
       --count------>       --one process------>            exact counts of one pass, costs, places
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from jitffi.tune.records import Counts, Failure, Pads, Run

if TYPE_CHECKING:
    from jitffi.pads import Place
    from jitffi.tune.calibrate import Costs
    from jitffi.tune.job import Job


@dataclass(frozen=True, slots=True)
class Counted:
    """What one process has counted, not timed. `counts` lacks the candidates that there was no time for."""

    counts: Mapping[Pads, Counts | Failure] = field(default_factory=dict)
    #: By key: the functions that candidates act on.
    places: Mapping[str, Place] = field(default_factory=dict)
    #: None: the process ended before it could find out.
    costs: Costs | None = None
    #: The CPU's model.
    machine: str = ""
    #: Of the sample, how many items each count is of: the first ones, fewer than all where a pass takes long.
    items: int = 0
    #: Of a pass of the default over the whole sample; a first impression of one warm pass. None: not measured.
    seconds: float | None = None


class Runner(Protocol):
    """Whoever measures: here (Local) or elsewhere (jitffi.tune.remote). The default and CONTROL are in each run.

    Both methods end when their time is over, what hangs is killed; KeyboardInterrupt passes, `time_runs` yields
    first what the interrupted run has measured so far. Failures of candidates are in the records.
    """

    #: Runs that take place at a time.
    @property
    def width(self) -> int: ...

    #: What to tell about how it was measured, a line each; grows.
    @property
    def notes(self) -> tuple[str, ...]: ...

    def count(self, job: Job, candidates: Sequence[Pads], seconds: float) -> Counted:
        """Count a pass of each candidate, in one process, in *seconds* at most."""

    def time_runs(self, job: Job, candidates: Sequence[Pads], seconds: float, seeds: Sequence[int]) -> Iterator[Run]:
        """Yield a run a seed, of *seconds* each at most; none for a process that has not finished a round. The consumer
        may stop at any time, and close the iterator."""

    def close(self) -> None:
        """End what still runs, and remove what was written."""
