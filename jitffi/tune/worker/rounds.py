"""What a worker measures: rounds in which the candidates take turns, in an order that is drawn anew for each.

A block is what is timed: the pass, as often as it takes to be longer than the noise of clocks and interrupts. All
candidates run the same items equally often.
"""

from __future__ import annotations

import gc
import math
import random
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jitffi.profiles import pads
from jitffi.profiles.candidates import Pads
from jitffi.tune.worker.ahead import Ahead
from jitffi.tune.worker.neighbours import Neighbours
from jitffi.tune.worker.passes import Plan, patience, plan
from jitffi.tune.worker.stopwatch import Stopwatch
from jitffi.tune.worker.worker import Channel, in_words

if TYPE_CHECKING:
    from jitffi.tune.runs.job import Task
    from jitffi.tune.workload import Loaded

#: Seconds of a block: at least, and at most where a pass is shorter.
_SHORTEST, _LONGEST = 0.005, 0.05
#: Rounds that there should be time for: for the first, fewer items make a pass; for the second, fewer passes a block.
_LEAST_ROUNDS, _GOOD_ROUNDS = 5, 25
#: Of what is left before the default is tried. The rest is for the others' compiling and warming up.
_FOR_ROUNDS = 0.6
#: Of what is left once the default was tried, for the others to get ready; so many are awaited all the same.
_FOR_WARMING, _FEWEST = 0.6, 3
#: Of the time, what must be left for fewer items to help.
_MUCH = 0.2
#: Runs of an item that tell how fast a candidate is, if they are shorter than these seconds.
_TRIES, _LONG = 3, 0.005
#: A candidate that is slower than so many times the first one has only been disturbed.
_SLOWEST = 8.0
#: So many rounds must fit into what is left for a pass of each candidate before it is timed.
_AMPLE = 6
#: Seconds before the deadline in which no round ends.
_MARGIN = 0.02
#: Items that one call of the workload's driver is given at most.
_MOST_ITEMS = 1 << 20


def measure(workload: Loaded, items: tuple[object, ...], task: Task, channel: Channel) -> None:
    """Send a plan, failures, and rounds until the deadline."""
    blocks = _LEAST_ROUNDS * len(task.candidates)
    started = time.monotonic()
    made = plan(workload, items, task, channel, lambda left: _FOR_ROUNDS * left / blocks)
    if made is None:
        return
    with Ahead(task, channel) as ahead:
        alive, pace = _warm(workload, made, task, channel, ahead, time.monotonic() - started)
    left = task.deadline - _MARGIN - time.monotonic()
    if left > _MUCH * (task.deadline - started):  # else a round of few items would be worth less than none
        made = made.cut(left / (2 * pace))
    channel.send("pass", len(made.items), made.of)
    turns = Turns(workload, made, left / len(alive))
    gc.collect()
    gc.freeze()  # what there is now is not looked at again
    gc.disable()
    neighbours = Neighbours(task.fastest_probe, task.seed, task.alone)
    order, rounds = random.Random(task.seed), 0.0
    while alive and (rounds == 0.0 or time.monotonic() + rounds < task.deadline - _MARGIN):
        start = time.monotonic()
        order.shuffle(alive)
        ample = 0 < _AMPLE * rounds < task.deadline - time.monotonic()
        neighbours.avoid()
        times = _round(turns, alive, task.candidates, channel, neighbours, ample)
        channel.send("round", times, neighbours.fastest)
        rounds = max(0.9 * rounds, time.monotonic() - start)


def _warm(
    workload: Loaded, made: Plan, task: Task, channel: Channel, ahead: Ahead, took: float
) -> tuple[list[int], float]:
    """Let all candidates make a pass, which compiles what they need. Those that can, the last ones left out if the
    others have taken most of the time; and how long a round of them takes, in passes of the first one."""
    alive, pace = [made.first], 1.0
    now = time.monotonic()
    until = now + _FOR_WARMING * (task.deadline - now)
    for index in range(made.first + 1, len(task.candidates)):
        if len(alive) >= _FEWEST and time.monotonic() > until:
            break
        channel.send("begin", index, None)  # compiling takes what it takes
        channel.at(index)
        try:
            ahead.switch(index)
            channel.send("begin", index, patience(task, took))
            workload.run(made.items, task.candidates[index])
            slower = _item_seconds(workload, made, task.candidates[index]) / max(made.each[0], 1e-7)
        except BaseException as error:
            channel.send("fail", index, in_words(error))
        else:
            alive.append(index)
            pace += min(max(1.0, slower), _SLOWEST)
    channel.send("begin", None, None)
    return alive, pace


def _item_seconds(workload: Loaded, made: Plan, candidate: Pads) -> float:
    """Of the first item, without compiling."""
    best = math.inf
    for _ in range(_TRIES):
        start = time.perf_counter()
        workload.run(made.items[:1], candidate)
        best = min(best, time.perf_counter() - start)
        if best > _LONG:
            break
    return best


def _round(
    turns: Turns, alive: list[int], candidates: Sequence[Pads], channel: Channel, neighbours: Neighbours, ample: bool
) -> list[tuple[int, float, float]]:
    """The times of a block of each, and of the slower one of the probes before and after; who fails is sent, and is
    alive no longer. *ample*: there is time for a pass before each block."""
    times = []
    for index in tuple(alive):
        channel.at(index)
        pads.switch(candidates[index])
        gc.collect()
        try:
            if ample:
                turns.once(candidates[index])
            before = neighbours.notice()
            seconds = turns.block(candidates[index])
            times.append((index, seconds, max(before, neighbours.notice())))
        except BaseException as error:
            channel.send("fail", index, in_words(error))
            alive.remove(index)
    return times


class Turns:
    """Blocks of a workload: `seconds` are for as many rounds as possible, of one candidate."""

    def __init__(self, workload: Loaded, made: Plan, seconds: float) -> None:
        once = max(made.seconds, 1e-7)
        target = max(_SHORTEST, min(_LONGEST, seconds / _GOOD_ROUNDS))
        passes = max(1, min(-int(-target // once), int(seconds / _LEAST_ROUNDS / once)))
        #: Calls of the driver in a block, and what each is given: its own loop is the faster one.
        self._calls, self._items = passes, made.items
        if workload.parameters.item:
            together = max(1, min(passes, _MOST_ITEMS // len(made.items)))
            self._calls, self._items = -(-passes // together), made.items * together
        self._pass = made.items
        self._run = workload.run
        self._watch = Stopwatch()
        self._passes = self._calls * (len(self._items) // len(made.items)) / made.factor

    def once(self, candidate: Pads) -> None:
        """A pass that is not timed: what the candidate before has left of the heap is not this one's."""
        self._run(self._pass, candidate)

    def block(self, candidate: Pads) -> float:
        """Seconds of a pass over all items. What the workload raises comes out."""
        run, items = self._run, self._items
        self._watch.start()
        for _ in range(self._calls):
            run(items, candidate)
        return self._watch.stop() / self._passes
