"""What a worker counts: a pass of each candidate, what could be given pads of its own, what memory costs here."""

from __future__ import annotations

import time
from functools import partial
from typing import TYPE_CHECKING

from jitffi.profiles import pads
from jitffi.tune.worker import allocator, calibrate
from jitffi.tune.worker.ahead import Ahead
from jitffi.tune.worker.passes import Plan, patience, plan
from jitffi.tune.worker.worker import as_text, in_words

if TYPE_CHECKING:
    from jitffi.tune.records import Counts
    from jitffi.tune.runs.job import Task
    from jitffi.tune.worker.worker import Channel
    from jitffi.tune.workload import Loaded

#: A counted pass takes so much longer than a plain one; there is one of each, and compiling.
_SLOWER = 8
#: What others may take of the time that the first one has taken to be counted.
_SLOWER_YET = 3
#: Seconds that must be left to find out what memory costs.
_FOR_COSTS = 0.6


def measure(workload: Loaded, items: tuple[object, ...], task: Task, channel: Channel) -> None:
    """Send a plan, failures, and a count of each candidate, if they differ in anything."""
    blocks = len(task.candidates) * _SLOWER
    started = time.monotonic()
    made = plan(workload, items, task, channel, lambda left: left / blocks)
    if made is None:
        return
    if not workload.parameters.pad and not pads.places():  # compiled since the plan has run them
        channel.send("padless")
        return
    took = time.monotonic() - started
    with Ahead(task, channel) as ahead:
        _count(workload, made, task, channel, ahead, took)
    channel.send("places", as_text(dict(pads.places())))


def _count(workload: Loaded, made: Plan, task: Task, channel: Channel, ahead: Ahead, took: float) -> None:
    for index in range(made.first, len(task.candidates)):
        candidate = task.candidates[index]
        channel.send("begin", index, None)  # compiling takes what it takes
        channel.at(index)
        try:
            ahead.switch(index)
            channel.send("begin", index, patience(task, took))
            workload.run(made.items, candidate)
            begun = time.monotonic()
            found = allocator.count(partial(workload.run, made.items, candidate))
            if index == made.first:
                made, found = _shorter(workload, made, task, found, time.monotonic() - begun)
                channel.send("plan", len(made.items), made.of, 0, "", made.seconds * made.factor)
        except BaseException as error:
            channel.send("fail", index, in_words(error))
            continue
        channel.send("count", index, found.allocations, found.allocated_bytes, found.peak_bytes,
                     found.python_peak_bytes, found.sizes)  # fmt: skip
        if index == made.first:
            channel.send("places", as_text(dict(pads.places())))
            if task.deadline - time.monotonic() > _FOR_COSTS:
                channel.send("begin", None, None)
                channel.send("costs", as_text(calibrate.calibrate()))


def _shorter(workload: Loaded, made: Plan, task: Task, found: Counts, took: float) -> tuple[Plan, Counts]:
    """As many items as all candidates can be counted with, where the first one took so long; and its count of them."""
    most = (task.deadline - time.monotonic()) / (_SLOWER_YET * len(task.candidates))
    if took <= most or len(made.items) < 2:
        return made, found
    made = made.cut(made.seconds * most / took)
    return made, allocator.count(partial(workload.run, made.items, task.candidates[made.first]))
