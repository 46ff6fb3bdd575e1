"""Runs elsewhere: on the workers of an executor or of a Dask cluster, which start the processes that measure.

    search --time_runs--> Spread --a task a run--> errand.work --> a process of its own, as on this machine,
                             |                                     with all candidates: comparisons stay in it
                             +- Pool       any concurrent.futures.Executor
                             +- Cluster    dask.distributed: a task is pinned to its worker

Runs say which CPU they are of. A worker that is lost, or that cannot do it, gets no further task; its run is another's.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import threading
import time
import uuid
from collections import deque
from collections.abc import Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import replace
from types import FrameType
from typing import Any

from jitffi.profiles.candidates import Pads
from jitffi.tune.records import Failure, Run
from jitffi.tune.runs import errand
from jitffi.tune.runs.errand import Order
from jitffi.tune.runs.job import Job, pack
from jitffi.tune.runs.measure import Counted, Runner, to_count, to_time
from jitffi.tune.runs.tasks import TO_ANSWER, Future, Tasks, Workers

#: Seconds that a task may take beyond its time: it is sent, and may have to import.
_SLACK = 1.0
#: Seconds after which it is looked whether workers are still there.
_POLL = 0.25
#: Seconds for what was measured so far to come back after an interrupt.
_TO_RETURN = 0.5
#: Seconds for a scheduler to answer.
_TO_CONNECT = 5.0
#: Workers of an executor that does not tell.
_WORKERS = 4


def runner(executor: object) -> Runner:
    """Return who measures with *executor*: a concurrent.futures.Executor, the address of a Dask scheduler as
    "tcp://10.0.0.1:8786", or a distributed.Client. TypeError for others, ImportError for an address where distributed
    is not installed, ConnectionError where no scheduler answers."""
    if isinstance(executor, str):
        with _interrupts_heard():
            client = _connect(executor)
        return Spread(Cluster(client, own=True))
    if type(executor).__module__.partition(".")[0] == "distributed":
        client = getattr(executor, "_client", executor)  # of Client.get_executor(), which does not pin
        if hasattr(client, "nthreads"):
            return Spread(Cluster(client))
    if isinstance(executor, Executor):
        return Spread(Pool(executor))
    raise TypeError(
        "executor: expected a concurrent.futures.Executor, the address of a Dask scheduler or a distributed.Client, "
        f"got {type(executor).__name__}"
    )


@contextlib.contextmanager
def _interrupts_heard() -> Iterator[None]:
    """A Ctrl-C that is lost on the way, as in what distributed imports and in its event loops, comes at the end."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield
        return
    heard: list[int] = []

    def hear(number: int, frame: FrameType | None) -> None:
        heard.append(number)
        before(number, frame)

    signal.signal(signal.SIGINT, hear)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if heard:
        raise KeyboardInterrupt


def _connect(address: str) -> Any:
    try:
        import distributed
    except ImportError:
        raise ImportError("a scheduler needs dask.distributed: install jitffi[tune]") from None
    try:
        if "://" not in address:  # a Client of what is no address cannot be closed, and says so when the program ends
            distributed.comm.addressing.get_address_host_port(address)
        return distributed.Client(address, timeout=_TO_CONNECT, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise ConnectionError(f"no Dask scheduler answers at {address!r}: {error}") from None


# -- workers ----------------------------------------------------------------------------------------------------------


class Pool:
    """An executor of the standard library, or one like it. It is the caller's: nothing shuts it down."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor
        count = getattr(executor, "_max_workers", None)
        count = count if isinstance(count, int) and count > 0 else _WORKERS
        if isinstance(executor, (ThreadPoolExecutor, ProcessPoolExecutor)):
            count = min(count, os.cpu_count() or 1)  # all on this machine: more would only be in each other's way
        self._places = [f"{type(executor).__name__} {i + 1}" for i in range(count)]

    def places(self) -> list[str]:
        return self._places

    def submit(self, place: str, task: bytes) -> Future:
        return self._executor.submit(errand.work, task)

    def stop(self, token: str) -> None:
        errand.stop(token)  # of threads; other processes end when their time is over

    def close(self) -> None:
        pass


class Cluster:
    """The workers of a Dask cluster, by address."""

    def __init__(self, client: Any, own: bool = False) -> None:
        self._client = client
        self._own = own

    def places(self) -> list[str]:
        try:
            return sorted(self._client.nthreads(callback_timeout=TO_ANSWER))
        except (OSError, TimeoutError):  # no connection to the scheduler
            return []

    def submit(self, place: str, task: bytes) -> Future:
        future: Future = self._client.submit(
            errand.work, task, workers=[place], allow_other_workers=False, pure=False, key=f"jitffi-{uuid.uuid4().hex}"
        )
        return future

    def stop(self, token: str) -> None:
        # Not here: it would wait for workers that may be lost.
        threading.Thread(target=self._tell_to_stop, args=(token,), daemon=True).start()

    def _tell_to_stop(self, token: str) -> None:
        with contextlib.suppress(Exception):
            self._client.run(errand.stop, token, on_error="ignore")

    def close(self) -> None:
        if self._own:
            self._client.close(timeout=1)


# -- runs -------------------------------------------------------------------------------------------------------------


class Spread:
    """A Runner that sends its runs to workers, one task at a time to each."""

    def __init__(self, workers: Workers) -> None:
        self._workers = workers
        self._lost: set[str] = set()
        self._notes: dict[str, str] = {}
        self._by_value = False

    @property
    def width(self) -> int:
        return max(1, len(set(self._workers.places()) - self._lost))

    @property
    def notes(self) -> tuple[str, ...]:
        return tuple(self._notes.values())

    def close(self) -> None:
        self._workers.close()

    def count(self, job: Job, candidates: Sequence[Pads], seconds: float) -> Counted:
        for result in self._results(job, self._order(job, candidates, seconds, False), [0]):
            if isinstance(result, Counted):
                return result
        return Counted()

    def time_runs(self, job: Job, candidates: Sequence[Pads], seconds: float, seeds: Sequence[int]) -> Iterator[Run]:
        for result in self._results(job, self._order(job, candidates, seconds, True), seeds):
            if isinstance(result, Run):
                yield result

    def _order(self, job: Job, candidates: Sequence[Pads], seconds: float, rounds: bool) -> Order:
        """PicklingError for a workload that cannot be sent."""
        token = uuid.uuid4().hex
        if not self._by_value:
            with contextlib.suppress(pickle.PicklingError):
                return Order(pack(job), False, tuple(candidates), seconds, rounds, token)
            self._by_value = True
        try:
            return Order(pack(job, by_value=True), True, tuple(candidates), seconds, rounds, token)
        except pickle.PicklingError as error:
            raise pickle.PicklingError(f"the workload cannot be sent to workers: {error}") from None

    def _results(self, job: Job, order: Order, seeds: Sequence[int]) -> Iterator[Run | Counted | None]:
        """What the tasks return, one a seed, in the order in which they end."""
        tasks = Tasks(self._workers, self._lost, self._notes)
        deadline = time.monotonic() + order.seconds * -(-len(seeds) // self.width) + _SLACK
        waiting = deque([replace(order, seed=each) for each in seeds])
        try:
            while (waiting or tasks.running) and self._goes_on(tasks, waiting, deadline):
                for each, told in tasks.ended(min(_POLL, deadline - time.monotonic())):
                    if told is None:
                        waiting.append(each)
                    elif told.unpickled is None:
                        self._notes.update(told.notes)
                        yield told.result
                    elif each.by_value:
                        yield _failed(each, told.unpickled)
                    else:
                        self._by_value = True
                        waiting.append(replace(self._order(job, each.candidates, each.seconds, each.rounds),
                                               token=each.token, seed=each.seed))  # fmt: skip
        except KeyboardInterrupt:
            self._workers.stop(order.token)
            until = time.monotonic() + _TO_RETURN
            while tasks.running and time.monotonic() < until:
                for _, told in tasks.ended(until - time.monotonic()):
                    yield None if told is None else told.result
            raise
        finally:
            with contextlib.suppress(Exception):  # a connection that is closed
                self._workers.stop(order.token)
            tasks.cancel()

    def _goes_on(self, tasks: Tasks, waiting: deque[Order], deadline: float) -> bool:
        """Send what can be sent. Whether something is under way, in time."""
        if time.monotonic() > deadline:
            self._notes["late"] = "runs did not come back in time"
            return False
        for place in tasks.free():
            if waiting and tasks.send(place, waiting[0]):
                waiting.popleft()
        if not tasks.running:
            self._notes["none"] = "no worker is left"
        return bool(tasks.running)


def _failed(order: Order, why: str) -> Run | Counted:
    """All candidates, where the workload does not get to a worker."""
    failure = Failure(f"the workload cannot be sent to workers: {why}")
    seen = (to_time if order.rounds else to_count)(order.candidates)
    failures = dict.fromkeys(seen.candidates, failure)
    return Run("", {}, failures) if order.rounds else Counted(failures)
