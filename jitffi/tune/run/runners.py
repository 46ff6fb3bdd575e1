"""Whoever measures: threads of this process, the workers of an executor or of a Dask cluster.

    search --time_runs--> Runner --a task a run--> work --> a fresh process with all candidates, in which they take
           --count------>        --one task------>          turns: comparisons stay in it; or which counts

Runs say which CPU they are of. The run of a worker that is lost is given to another; where none is left, it ends.
"""

from __future__ import annotations

import contextlib
import os
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

from jitffi.base import off_thread
from jitffi.profiles.candidates import CONTROL, DEFAULT, Pads
from jitffi.tune.records import Counted, Run
from jitffi.tune.run.job import Job, Packed, Request, pack
from jitffi.tune.run.work import Observations, stop, work

#: Seconds that a task may take beyond its time: it is sent, and may have to import; and those for what was measured so
#: far to come back after an interrupt; and for a scheduler to answer.
_SLACK, _TO_RETURN, _TO_CONNECT = 1.0, 2.0, 5.0
#: Workers of an executor that does not tell.
_WORKERS = 4


# -- who there is -----------------------------------------------------------------------------------------------------


def runner(executor: object) -> Runner:
    """Return who measures with *executor*: None, for this machine; a concurrent.futures.Executor; the address of a Dask
    scheduler as "tcp://10.0.0.1:8786", or a distributed.Client. TypeError for others, ImportError for an address where
    distributed is not installed, ConnectionError where no scheduler answers."""
    if executor is None:  # one process after the other, whose events a thread waits for
        pool = ThreadPoolExecutor(1)
        return Runner(pool, 1, stop, close=lambda: pool.shutdown(wait=False))
    if isinstance(executor, str):
        # On a thread of its own: a Ctrl-C would be lost in what distributed imports, and in its event loops.
        client = off_thread.run(_connect, executor)
        return _of_cluster(client, lambda: client.close(timeout=1))
    client = getattr(executor, "_client", executor)  # of Client.get_executor()
    if type(client).__module__.startswith("distributed.") and hasattr(client, "nthreads"):
        return _of_cluster(client, lambda: None)
    if isinstance(executor, Executor):
        count = getattr(executor, "_max_workers", None) or _WORKERS
        if isinstance(executor, (ThreadPoolExecutor, ProcessPoolExecutor)):
            count = min(count, os.cpu_count() or 1)  # all on this machine: more would only be in each other's way
        return Runner(executor, count, stop)
    raise TypeError(
        "executor: expected a concurrent.futures.Executor, the address of a Dask scheduler or a distributed.Client, "
        f"got {type(executor).__name__}"
    )


def _of_cluster(client: Any, close: Callable[[], None]) -> Runner:
    """Return who measures on a Dask cluster, which gives the task of a worker that dies to another by itself."""

    def stop_all(token: str) -> None:
        # Not here: it would wait for workers that may be lost.
        threading.Thread(target=tell, args=(token,), daemon=True).start()

    def tell(token: str) -> None:
        with contextlib.suppress(Exception):  # a connection that is closed
            client.run(stop, token, on_error="ignore")

    def workers() -> set[str]:
        try:
            return set(client.nthreads())
        except (OSError, TimeoutError):  # no connection to the scheduler
            return set()

    return Runner(client.get_executor(pure=False), len(workers()), stop_all, workers, close)


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


# -- runs -------------------------------------------------------------------------------------------------------------


class Runner:
    """Makes runs and counts: as many at a time as there are workers. The default and CONTROL are in each run.

    Both methods end when their time is over, what hangs is killed; KeyboardInterrupt passes, `time_runs` yields first
    what interrupted runs have measured so far. Failures of candidates are in the records, also those of the whole
    workload: it is all of them then that have failed. PicklingError for a workload that cannot be sent.
    """

    def __init__(
        self, executor: Executor, width: int, stop_all: Callable[[str], None],
        workers: Callable[[], set[str]] = set, close: Callable[[], None] = lambda: None,
    ) -> None:  # fmt: skip
        """*workers*: their names, where they have any, by which those that are lost are told."""
        self._executor = executor
        #: Workers that are not lost.
        self._left = width
        self._stop_all = stop_all
        self._workers = workers
        self.close = close
        self._known = workers()
        #: Of each worker that was lost its name, or why.
        self._lost: list[str] = []
        #: Lines to tell, by what they are about; "" for none.
        self._notes: dict[str, str] = {}
        self._packed: tuple[Job, Packed] | None = None

    @property
    def width(self) -> int:
        """Runs that take place at a time."""
        return max(1, self._left)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to tell about how it was measured, a line each."""
        who = "a worker was" if len(self._lost) == 1 else f"{len(self._lost)} workers were"
        lost = [f"{who} lost: {self._lost[-1]}"] if self._lost else []
        return (*lost, *filter(None, self._notes.values()))

    def count(self, job: Job, candidates: Sequence[Pads], seconds: float) -> Counted:
        """Count a pass of each candidate, in one process, in *seconds* at most. Of time that is too short for all the
        first candidates have most."""
        for observed in self._observed(job, (DEFAULT, *candidates), seconds, [0], is_timed=False):
            return observed.counted()
        return Counted()

    def time_runs(self, job: Job, candidates: Sequence[Pads], seconds: float, seeds: Sequence[int]) -> Iterator[Run]:
        """Yield a run a seed, of *seconds* each at most; none for a process that has not finished a round and has no
        failure to tell of. The consumer may stop at any time, and close the iterator."""
        for observed in self._observed(job, (DEFAULT, CONTROL, *candidates), seconds, seeds, is_timed=True):
            if observed.times or observed.failures:
                yield observed.run()

    def _observed(
        self, job: Job, candidates: Sequence[Pads], seconds: float, seeds: Sequence[int], is_timed: bool
    ) -> Iterator[Observations]:
        """Yield what comes of the tasks, one a seed, in the order in which they end."""
        if self._packed is None or self._packed[0] is not job:
            self._packed = job, pack(job)
        token, once = uuid.uuid4().hex, tuple(dict.fromkeys(candidates))
        deadline = time.monotonic() + seconds * -(-len(seeds) // self.width) + _SLACK
        running: dict[Future[Observations], Request] = {}
        try:
            for seed in seeds:
                self._send(Request(self._packed[1], once, seconds, is_timed, token, seed), running)
            while running:
                ended = self._ended(running, deadline)
                if ended is None:
                    self._notes["late"] = "runs did not come back in time"
                    break
                for observed in ended:
                    self._notes.update(observed.notes)
                    yield observed
        except KeyboardInterrupt:
            self._stop_all(token)
            until = time.monotonic() + _TO_RETURN
            while (ended := self._ended(running, until)) is not None:
                yield from ended
            raise
        finally:
            self._stop_all(token)
            for future in running:
                future.cancel()
        if self._left == 0:
            self._notes["none"] = "no worker is left"
        gone = self._known - self._workers()
        self._known -= gone
        self._lost += sorted(gone)

    def _send(self, request: Request, running: dict[Future[Observations], Request]) -> None:
        """Send it to whoever is left."""
        while self._left:
            try:
                running[self._executor.submit(work, request)] = request
                return
            except Exception as error:  # a pool that is shut down or broken, a connection that is
                self._lose(error)

    def _ended(self, running: dict[Future[Observations], Request], until: float) -> list[Observations] | None:
        """Wait for one to end, and return what came of those that have; what was lost with its worker is sent again.
        None: none has ended in time."""
        done, _ = futures.wait(running, max(0.0, until - time.monotonic()), futures.FIRST_COMPLETED)
        found = []
        for future in done:
            request = running.pop(future)
            try:
                found.append(future.result())
            except BaseException as error:  # also CancelledError, and an interrupt of the worker's
                self._lose(error)
                self._send(request, running)
        return found if done else None

    def _lose(self, error: BaseException) -> None:
        if isinstance(self._executor, ThreadPoolExecutor):  # of this process: no other one fares better
            raise error
        if self._left:  # all tasks of a pool that is broken end so
            self._left -= 1
            self._lost.append(" ".join(f"{type(error).__name__}: {error}".split())[:200])
