"""What a worker does: it finds the items of a pass, counts a pass of each candidate, or times them in rounds.

A block is what is timed: the pass, as often as it takes to be longer than the noise of clocks and interrupts. In a
round each candidate has a block, in an order that is drawn anew for each; all run the same items equally often.
"""

from __future__ import annotations

import contextlib
import gc
import math
import random
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from jitffi import _core
from jitffi.profiles import pads
from jitffi.profiles.candidates import Pads
from jitffi.tune.records import Failure
from jitffi.tune.worker.instruments import Stopwatch, count, probe
from jitffi.tune.workload import in_words

if TYPE_CHECKING:
    from jitffi.tune.worker.worker import Channel
    from jitffi.tune.workload import Loaded

#: A pass of so few items may be so for being disturbed.
_FEW = 16
#: A candidate hangs if it takes longer to run, once it is compiled, than all of these: seconds; a share of what is
#: left; a multiple of the time the first one took.
_PATIENCE, _SHARE, _TIMES = 1.0, 0.25, 5.0
#: A counted pass takes so many times as long as a plain one.
_COUNTING = 3
#: Seconds of a block: at least, and at most where a pass is shorter.
_SHORTEST, _LONGEST = 0.005, 0.05
#: Rounds that there should be time for: for the first, fewer items make a pass; for the second, fewer passes a block.
_LEAST_ROUNDS, _GOOD_ROUNDS = 5, 25
#: The share of what is left once the default was tried that others have to get ready; so many are awaited all the same.
_FOR_WARMING, _FEWEST = 0.6, 3
#: Of the time, what must be left for fewer items to help.
_MUCH = 0.2
#: A candidate that is slower than so many times the first one has only been disturbed.
_SLOWEST = 8.0
#: So many rounds must fit into what is left for a pass of each candidate before it is timed.
_AMPLE = 6
#: Seconds before the deadline in which no round ends.
_MARGIN = 0.02
#: Items that one call of the workload's driver is given at most.
_MOST_ITEMS = 1 << 20


@dataclass(frozen=True, slots=True)
class Plan:
    """What a pass is."""

    items: tuple[object, ...]
    #: Seconds of each item, as first seen.
    each: tuple[float, ...]
    #: Of all items, how many can be run.
    of: int

    @property
    def seconds(self) -> float:
        return sum(self.each)

    @property
    def factor(self) -> float:
        """How much longer a pass over all items takes."""
        return max(1.0, self.of / max(1, len(self.items)))

    def cut(self, seconds: float) -> Plan:
        """Return the plan of the first items that take so long together; one at least."""
        ends = accumulate(self.each)
        number = max(1, sum(end <= seconds for end in ends))
        return Plan(self.items[:number], self.each[:number], self.of)


class Worker:
    """A workload that is measured."""

    def __init__(
        self, workload: Loaded, items: Sequence[object], candidates: Sequence[Pads], deadline: float, channel: Channel
    ) -> None:
        self._workload = workload
        self._items = items if workload.parameters.item else (None,)
        #: The candidates that have not failed, the first one being the one that the plan was made with.
        self._alive = list(candidates)
        self._deadline = deadline
        self._channel = channel
        self._started = time.monotonic()
        #: Scripts that the first candidate has called, with the type tags of their arguments.
        self._calls: list[tuple[Any, int]] = []
        #: Seconds that the first candidate has taken.
        self._took = 0.0

    @property
    def _left(self) -> float:
        return self._deadline - time.monotonic()

    @property
    def _patience(self) -> float:
        """Seconds after which a candidate that makes a plain pass is believed to hang."""
        return max(_PATIENCE, _SHARE * self._left, _TIMES * self._took)

    @contextlib.contextmanager
    def _blamed(self, candidate: Pads) -> Iterator[None]:
        """Let the candidate have failed if anything is raised."""
        try:
            yield
        except BaseException as error:
            self._fail(candidate, in_words(error))

    def _fail(self, candidate: Pads, why: str) -> None:
        self._alive.remove(candidate)
        self._channel.send(failures={candidate: Failure(why)})

    def _plan(self, share: float) -> Plan | None:
        """Find the items for a pass of that share of the time that is left, with the first candidate that does not
        fail: the default, most often. Send that and the failures. Items that it raises for are left out. None: all
        fail.

        Each item is run twice, as the first time compiles.
        """
        for candidate in tuple(self._alive):
            left = self._left
            self._channel.begin(candidate)  # nothing is known of how long it may take
            pads.switch(candidate)
            kept, raised, error = self._try(candidate, share * left, self._deadline - left / 2)
            if kept:
                items, each = zip(*kept, strict=True)
                plan = Plan(items, each, len(self._items) - raised)
                why = f"{raised} of {len(items) + raised} items are left out, the workload raises: {error}"
                notes = {"raised": why} if raised else {}
                self._channel.send(items=len(items), seconds=plan.seconds * plan.factor, notes=notes)
                self._took = time.monotonic() - self._started
                self._calls = [
                    (script, tags) for script in _core.scripts() for tags in script.__dict__.get("_variants", ())
                    if tags is not None
                ]  # fmt: skip
                return plan
            self._fail(candidate, error)
        return None

    def _try(self, candidate: Pads, most: float, until: float) -> tuple[list[tuple[object, float]], int, str]:
        """Return the items that can be run with their seconds, how many raised, and why the first did."""
        kept: list[tuple[object, float]] = []
        watch, raised, why, total = Stopwatch(), 0, "", 0.0
        for item in self._items:
            try:
                run = partial(self._workload.run, (item,), candidate)
                run()
                took = watch.time(run)
                if total + took > most and took > 2 * most / _FEW:  # or was it disturbed?
                    took = min(took, watch.time(run))
            except BaseException as error:
                raised, why = raised + 1, why or in_words(error)
            else:
                kept.append((item, took))
                total += took
            if total > most or time.monotonic() > until:
                break
        return kept, raised, why

    def _prepare(self, plan: Plan, candidate: Pads) -> None:
        """Let a candidate run once. It is compiled before, for what the first one was called with: that takes long at
        times, but cannot hang."""
        self._channel.begin(candidate)
        pads.switch(candidate)
        for script, tags in self._calls:
            # It may be one that the workload does not call; what is wrong with one that it does, the call says.
            with contextlib.suppress(Exception):
                script._make_variant(tags)
        self._channel.begin(candidate, self._patience)
        self._workload.run(plan.items, candidate)

    def count(self) -> None:
        """Send a plan, failures, and a count of each candidate, if they differ in anything."""
        plan = self._plan(1 / (len(self._alive) * 2 * (_COUNTING + 1)))
        if plan is None:
            return
        if not self._workload.parameters.pad and not pads.places():  # compiled since the plan has run them
            self._channel.send(has_pads=False)
            return
        for candidate in tuple(self._alive):
            with self._blamed(candidate):
                self._prepare(plan, candidate)
                self._channel.begin(candidate, _COUNTING * self._patience)
                counts = count(partial(self._workload.run, plan.items, candidate))
                self._channel.send(counts={candidate: counts}, places=dict(pads.places()))

    def time(self, seed: int) -> None:
        """Send a plan, failures, and rounds until the deadline, by *seed* in which order."""
        plan = self._plan(_FOR_WARMING / (_LEAST_ROUNDS * len(self._alive)))
        if plan is None:
            return
        pace = self._warm(plan)
        left = self._left - _MARGIN
        if left > _MUCH * (self._deadline - self._started):  # else a round of few items would be worth less
            plan = plan.cut(left / (2 * pace))
        began, items = time.monotonic(), len(plan.items)
        why = f"only the first {items} of {plan.of} items are measured, for want of time"
        notes = {"items": why if items < plan.of else "", "late": ""}  # instead of what the run before has told
        self._channel.send(items=items, warm_seconds=began - self._started - self._took, notes=notes)
        block = Block(self._workload, plan, left / len(self._alive))
        gc.collect()
        gc.freeze()  # what there is now is not looked at again
        gc.disable()
        order, took = random.Random(seed), 0.0
        while self._alive and (took == 0.0 or took < self._left - _MARGIN):
            start = time.monotonic()
            order.shuffle(self._alive)
            times, probes = self._round(block, is_ample=0 < _AMPLE * took < self._left)
            self._channel.send(times=[times], probes=[probes], rounds_seconds=time.monotonic() - began)
            took = max(0.9 * took, time.monotonic() - start)

    def _warm(self, plan: Plan) -> float:
        """Let all candidates make a pass, which compiles what they need; the last ones are left out if the others have
        taken most of the time. Return how long a round of them takes, in passes of the first one."""
        first, *others = self._alive
        ready, paces = [first], [1.0]
        until = time.monotonic() + _FOR_WARMING * self._left
        for candidate in others:
            if len(ready) >= _FEWEST and time.monotonic() > until:
                break
            with self._blamed(candidate):
                self._prepare(plan, candidate)
                took = Stopwatch().time(partial(self._workload.run, plan.items[:1], candidate))
                paces.append(min(max(1.0, took / max(plan.each[0], 1e-7)), _SLOWEST))
                ready.append(candidate)
        self._channel.send(limit=math.inf)
        self._alive = ready
        return sum(paces)

    def _round(self, block: Block, is_ample: bool) -> tuple[dict[Pads, float], dict[Pads, float]]:
        """Return the times of a block of each candidate, and of the slower one of the probes before and after.
        *is_ample*: there is time for a pass before each block."""
        times, probes = {}, {}
        for candidate in tuple(self._alive):
            self._channel.at(candidate)
            pads.switch(candidate)
            gc.collect()
            with self._blamed(candidate):
                if is_ample:  # what the candidate before has left of the heap is not this one's
                    self._workload.run(block.once, candidate)
                before = probe()
                times[candidate] = block.seconds(candidate)
                probes[candidate] = max(before, probe())
        return times, probes


class Block:
    """What is timed of a candidate: so many passes that *seconds* are for as many rounds as possible."""

    def __init__(self, workload: Loaded, plan: Plan, seconds: float) -> None:
        once = max(plan.seconds, 1e-7)
        target = max(_SHORTEST, min(_LONGEST, seconds / _GOOD_ROUNDS))
        passes = max(1, min(math.ceil(target / once), int(seconds / _LEAST_ROUNDS / once)))
        #: Calls of the driver, and what each is given: its own loop is the faster one.
        self._calls, self._items = passes, plan.items
        if workload.parameters.item:
            together = max(1, min(passes, _MOST_ITEMS // len(plan.items)))
            self._calls, self._items = -(-passes // together), plan.items * together
        self.once = plan.items
        self._run = workload.run
        self._watch = Stopwatch()
        self._passes = self._calls * (len(self._items) // len(plan.items)) / plan.factor

    def seconds(self, candidate: Pads) -> float:
        """Return the seconds of a pass over all items. What the workload raises comes out."""

        def run() -> None:
            for _ in range(self._calls):
                self._run(self._items, candidate)

        return self._watch.time(run) / self._passes
