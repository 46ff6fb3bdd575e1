"""What the stages of tuning hand each other: records without behaviour, which pickle."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from jitffi.profiles.candidates import Pads

if TYPE_CHECKING:
    from jitffi.profiles.function_ids import Place


@dataclass(frozen=True, slots=True)
class Interval:
    """A median with its 95 % confidence interval."""

    low: float
    median: float
    high: float


@dataclass(frozen=True, slots=True)
class Counts:
    """What one pass over the sample asks of the runtime's allocator: exact, the same in every run."""

    allocations: int
    allocated_bytes: int
    #: The most that was in use at a time during the pass, beyond what was in use before: of the runtime, and of Python.
    peak_bytes: int
    python_peak_bytes: int

    @property
    def all_peak_bytes(self) -> int:
        """What all outputs call the peak."""
        return self.peak_bytes + self.python_peak_bytes


@dataclass(frozen=True, slots=True)
class Failure:
    """Why a candidate could not be measured: one line, as "ValueError: ..." or "killed by signal 11"."""

    text: str


@dataclass(frozen=True, slots=True)
class Counted:
    """What one process has counted, not timed. `counts` lacks the candidates that there was no time for."""

    counts: Mapping[Pads, Counts | Failure] = field(default_factory=dict)
    #: The functions that candidates act on, by id.
    places: Mapping[str, Place] = field(default_factory=dict)
    #: The CPU's model.
    machine: str = ""
    #: Of the sample, how many items each count is of: the first ones, fewer than all where a pass takes long.
    items: int = 0
    #: Seconds of a pass of the default over the whole sample: a first impression of one warm pass.
    seconds: float | None = None
    #: Whether the workload has pads to choose: by a script that it calls, or by a parameter.
    has_pads: bool = True


@dataclass(frozen=True, slots=True)
class Sample:
    """A reproducible part of a corpus, in an order that a prefix of it is a sample, too."""

    items: tuple[object, ...]
    #: What to tell about it, a line each: bytes that were no UTF-8, lines that were cut, that it is empty.
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """The times that one process has measured: seconds a pass, by candidate, a time a round, rounds in order."""

    #: Which machine: the CPU's model. Runs are compared with those of the same.
    machine: str
    seconds: dict[Pads, tuple[float, ...]]
    failures: dict[Pads, Failure] = field(default_factory=dict)
    #: Wall time of its rounds; what the process took beside was its start, compiling, and warming up. 0: unknown.
    rounds_seconds: float = 0.0
    #: Of the latter, how long all candidates but the first took to be compiled and warm.
    warm_seconds: float = 0.0
    #: Which computer. Only there can the time of a probe be compared.
    host: str = ""
    #: As `seconds`: the slower one of the two baseline probes before and after each; {}: nobody has probed. And the
    #: fastest one that was known there by the end of the run.
    probes: dict[Pads, tuple[float, ...]] = field(default_factory=dict)
    fastest_probe: float = math.inf


@dataclass(frozen=True, slots=True)
class Trial:
    """What was found out about one candidate. `seconds`: of a pass; None: it was not measured."""

    pads: Pads
    seconds: Interval | None = None
    #: To the default's, measured in the same runs: below 1 is faster.
    relative: Interval | None = None
    counts: Counts | None = None
    #: Processes that measured it.
    runs: int = 0
    failure: Failure | None = None
    #: Why it was not measured; "".
    pruned: str = ""
    #: Why it has not won, though its median looks faster than the winner's, or than the default's without one; "".
    not_won: str = ""

    @property
    def pad(self) -> int | None:
        """That for everything; None: the compiler's own choice."""
        return self.pads.everywhere

    @property
    def peak_bytes(self) -> int | None:
        return None if self.counts is None else self.counts.all_peak_bytes
