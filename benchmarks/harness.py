"""Timing: contenders that take turns, and what is said of their times.

    round   1        2        3              times of one round are compared with each other only: the machine's
            A B C    B C A    C A B   ...    clock and its other users change from round to round, hardly within one

Where things lie in memory makes the same code a tenth faster or slower, and an address space is laid out anew for each
process: so a group is measured in several processes, a share of the rounds in each.
"""

from __future__ import annotations

import gc
import os
import statistics
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

#: Seconds that one contender gets in one round: short, so that a round is over before the machine changes.
BLOCK = 0.0004


@dataclass(frozen=True)
class Settings:
    """How thorough a run is. `rounds`: in each of `repeats` processes; `starts`: of each fresh process that is
    timed."""

    rounds: int = 61
    repeats: int = 7
    starts: int = 25
    peers: bool = True
    pythons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Case:
    """One contender's way to do one thing.

    `statement` is timed; its names come from `names`, as locals. `check` is given its result and must be true. One
    execution does `per` units of work. `loop`: the time of an empty loop is part of the measurement, and is taken
    off."""

    statement: str
    names: Mapping[str, Any]
    check: Callable[[Any], bool]
    per: int = 1
    loop: bool = True

    def timer(self) -> Callable[[range], float]:
        """A function of its own for each contender: the interpreter specialises its call for this one alone.

        The thread's own time, since what the processor does for others in between is no part of a call.
        """
        names = "".join(f", {name}={name}" for name in self.names)
        source = f"def timed(turns{names}):\n start = now()\n for _ in turns: {self.statement}\n return now() - start"
        scope = {**self.names, "now": time.thread_time}
        exec(source, scope)
        return scope["timed"]

    def fault(self) -> str | None:
        """What is wrong with the result, or None."""
        try:
            names = dict(self.names)
            try:
                result = eval(self.statement, names)
            except SyntaxError:  # no expression: what it does is checked
                result = exec(self.statement, names)
        except Exception as error:  # a peer's, of any kind: reported beside the table
            return f"{type(error).__name__}: {error}"
        return None if self.check(result) else f"wrong result {result!r}"


def equals(wanted: object) -> Callable[[Any], bool]:
    """A check for a value of the same class: True is not 1."""
    return lambda result: type(result) is type(wanted) and result == wanted


@dataclass(frozen=True)
class Spread:
    """The median and the 10th and 90th percentile."""

    median: float
    low: float
    high: float

    @staticmethod
    def of(values: list[float]) -> Spread:
        ordered = sorted(values)
        last = len(ordered) - 1
        return Spread(statistics.median(ordered), ordered[round(0.1 * last)], ordered[round(0.9 * last)])


@dataclass
class Times:
    """The times of one case: name of contender -> one time a round, in `unit`. `faults`: who was left out, and why."""

    case: str
    unit: str = "ns"
    samples: dict[str, list[float]] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)

    def median(self, contender: str) -> float:
        return statistics.median(self.samples[contender])

    def ratio(self, contender: str, other: str) -> Spread:
        pairs = zip(self.samples[contender], self.samples[other], strict=True)
        return Spread.of([mine / theirs for mine, theirs in pairs if theirs > 0])

    def difference(self, contender: str, other: str) -> Spread:
        pairs = zip(self.samples[contender], self.samples[other], strict=True)
        return Spread.of([mine - theirs for mine, theirs in pairs])

    def quickest(self, contenders: list[str]) -> str | None:
        """The one with the lowest median, or None of none."""
        return min((name for name in contenders if name in self.samples), key=self.median, default=None)

    def join(self, others: Times) -> None:
        """Take over the rounds of another process. Who was left out in either is left out."""
        self.faults |= others.faults
        self.samples = {
            name: [*mine, *others.samples[name]] for name, mine in self.samples.items() if name in others.samples
        }


@dataclass(frozen=True)
class Goal:
    """A figure that is asked for: `figure` (a ratio, a difference or a time) is to be at most, or `below`, the
    limit."""

    case: str
    contender: str
    against: str
    times: str
    figure: Spread
    limit: float
    unit: str = ""
    below: bool = False

    @property
    def met(self) -> bool:
        return self.figure.median < self.limit if self.below else self.figure.median <= self.limit


def ratio_goal(times: Times, contender: str, other: str, limit: float, below: bool = False) -> list[Goal]:
    """The goal for the ratio of two contenders; none where one of them was left out."""
    if contender not in times.samples or other not in times.samples:
        return []
    both = f"{show(times.median(contender))} / {show(times.median(other))} {times.unit}"
    return [Goal(times.case, contender, other, both, times.ratio(contender, other), limit, "", below)]


@dataclass
class Measured:
    """What one process of a group has to say."""

    times: list[Times] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)

    def join(self, others: Measured) -> None:
        for mine, theirs in zip(self.times, others.times, strict=True):
            mine.join(theirs)
        self.remarks += [remark for remark in others.remarks if remark not in self.remarks]


def show(number: float) -> str:
    """Three figures that mean something."""
    size = abs(number)
    return f"{number:.0f}" if size >= 100 else f"{number:.1f}" if size >= 10 else f"{number:.2f}"


def _calibrate(timed: Callable[[range], float]) -> int:
    """How many turns fill a block."""
    turns = 1
    while (spent := timed(range(turns))) < BLOCK / 4:
        turns *= 4
    return max(1, int(turns * BLOCK / spent))


def compare(case: str, contenders: Mapping[str, Case], rounds: int) -> Times:
    """Time the contenders in turn. Those with a wrong result are left out and named."""
    times = Times(case)
    for name, contender in contenders.items():
        fault = contender.fault()
        if fault is None:
            times.samples[name] = []
        else:
            times.faults[name] = fault
    names = list(times.samples)
    timers = {name: contenders[name].timer() for name in names}
    turns = {name: _calibrate(timers[name]) for name in names}
    empty = Case("pass", {}, equals(None)).timer()
    was_enabled = gc.isenabled()
    gc.collect()
    gc.disable()
    try:
        for number in range(rounds):
            overhead = min(empty(range(5000)) for _ in range(3)) / 5000
            for name in rotated(names, number):
                spent = timers[name](range(turns[name])) / turns[name]
                spent -= overhead if contenders[name].loop else 0.0
                times.samples[name].append(spent * 1e9 / contenders[name].per)
    finally:
        if was_enabled:
            gc.enable()
    return times


def rotated(names: list[str], number: int) -> list[str]:
    """The order of round *number*: who follows whom stays, who comes first changes."""
    at = number % len(names) if names else 0
    return names[at:] + names[:at]


Command = tuple[list[str], Mapping[str, str]]


def compare_processes(case: str, commands: Mapping[str, Command], rounds: int) -> Times:
    """Milliseconds from start to end of fresh processes that take turns: name -> (command, environment). The first
    round only fills the caches. A command that fails is left out and named."""
    times = Times(case, "ms")
    names = list(commands)
    for number in range(rounds + 1):
        for name in rotated(names, number):
            if name in times.faults:
                continue
            spent, status = _start(*commands[name])
            if status != 0:
                times.samples.pop(name, None)
                times.faults[name] = f"exit code {status}"
            elif number:
                times.samples.setdefault(name, []).append(spent * 1e3)
    return times


def _start(command: list[str], environment: Mapping[str, str]) -> tuple[float, int]:
    """Seconds that a silent process takes, and its exit code."""
    quiet = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    start = time.perf_counter()
    child = os.posix_spawn(command[0], command, environment, file_actions=quiet)
    status = os.waitpid(child, 0)[1]
    return time.perf_counter() - start, os.waitstatus_to_exitcode(status)
