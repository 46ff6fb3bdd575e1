"""What a worker of an executor or of a cluster does: one run or one count, in a process that it starts."""

from __future__ import annotations

import pickle
import time
from dataclasses import dataclass, field

from jitffi.profiles.candidates import Pads
from jitffi.tune.records import Run
from jitffi.tune.runs.job import Packed
from jitffi.tune.runs.measure import Counted, counted, measure, timed, to_count, to_time
from jitffi.tune.runs.seen import Seen


@dataclass(frozen=True, slots=True)
class Order:
    """What is to be done."""

    packed: Packed
    by_value: bool
    candidates: tuple[Pads, ...]
    seconds: float
    rounds: bool
    #: Of all that are stopped together.
    token: str
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Told:
    """What came of it. `result` None: nothing was measured."""

    result: Run | Counted | None
    notes: dict[str, str] = field(default_factory=dict)
    #: Why the job could not be unpickled there.
    unpickled: str | None = None


#: Of this process, by token: the runs that take place.
_busy: dict[str, set[Seen]] = {}
_stopped: set[str] = set()


def work(task: bytes) -> Told:
    """Do what a pickled Order says. For others to call, by name."""
    order: Order = pickle.loads(task)
    seen = (to_time if order.rounds else to_count)(order.candidates)
    _busy.setdefault(order.token, set()).add(seen)
    try:
        if order.token not in _stopped:
            measure(order.packed, seen, time.monotonic() + order.seconds, order.seed, order.rounds)
    except KeyboardInterrupt:
        pass  # of a terminal that all processes of a pool share: what there is goes back
    finally:
        _busy.get(order.token, set()).discard(seen)
    if not order.rounds:
        return Told(counted(seen), seen.notes, seen.unpickled)
    return Told(timed(seen) if seen.times or seen.failures else None, seen.notes, seen.unpickled)


def stop(token: str) -> None:
    """End the runs of this process that have that token; `work` returns what they have."""
    _stopped.add(token)
    for seen in tuple(_busy.pop(token, ())):
        seen.stop()
