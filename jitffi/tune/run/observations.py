"""What is known of a run or a count: what its processes have said, and the records that are made of it."""

from __future__ import annotations

import math
import platform
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jitffi.profiles import machine
from jitffi.profiles.candidates import Pads
from jitffi.tune import statistics
from jitffi.tune.records import Counted, Counts, Failure, Run

if TYPE_CHECKING:
    from jitffi.profiles.function_ids import Place


@dataclass(slots=True, eq=False)
class Observations:
    """All that is known of a run or a count, on the machine where it is made; it pickles.

    Processes say what to add to the dicts and lists, and what the other fields are now, by their names.
    """

    candidates: tuple[Pads, ...]
    failures: dict[Pads, Failure] = field(default_factory=dict)
    counts: dict[Pads, Counts] = field(default_factory=dict)
    #: By round: seconds of a pass over all items; the slower one of the two probes beside each time.
    times: list[dict[Pads, float]] = field(default_factory=list)
    probes: list[dict[Pads, float]] = field(default_factory=list)
    #: As those of a Run.
    rounds_seconds: float = 0.0
    warm_seconds: float = 0.0
    #: Items of a pass, and seconds of one over all items.
    items: int = 0
    seconds: float | None = None
    places: dict[str, Place] = field(default_factory=dict)
    has_pads: bool = True
    #: Lines to tell, by what they are about; "" takes back what was told before.
    notes: dict[str, str] = field(default_factory=dict)
    machine: str = field(default_factory=machine.cpu_model)
    host: str = field(default_factory=platform.node)

    @property
    def left(self) -> tuple[Pads, ...]:
        """The candidates that have neither failed nor been counted."""
        return tuple([each for each in self.candidates if each not in self.failures and each not in self.counts])

    def run(self) -> Run:
        """Return the times, without rounds in which the process was still getting warm."""
        whole = [each for each in self.left if self.times and all(each in times for times in self.times)]
        first = statistics.cold([sum([each[pads] for pads in whole]) for each in self.times])
        times = {pads: tuple([each[pads] for each in self.times[first:]]) for pads in whole}
        probes = {pads: tuple([each[pads] for each in self.probes[first:]]) for pads in whole}
        fastest = min([probe for each in self.probes for probe in each.values()], default=math.inf)
        took = self.rounds_seconds, self.warm_seconds
        return Run(self.machine, times, self.failures, *took, self.host, probes, fastest)

    def counted(self) -> Counted:
        """Return what became of the candidates, in their order."""
        found: dict[Pads, Counts | Failure] = {**self.failures, **self.counts}
        counts = {each: found[each] for each in self.candidates if each in found}
        return Counted(counts, self.places, self.machine, self.items, self.seconds, self.has_pads)
