"""Whoever measures: threads of this process, the workers of an executor or of a Dask cluster.

    search --time_runs--> Runner --a task a run--> work --> a fresh process with all candidates, in which they take
           --count------>        --one task------>          turns: comparisons stay in it; or which counts

Runs say which CPU they are of. The run of a worker that is lost is given to another; where none is left, it ends.
"""

from __future__ import annotations

import contextlib
import os
import pickle
import platform
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from concurrent import futures
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import Any

from jitffi.base import off_thread
from jitffi.profiles import machine
from jitffi.profiles.candidates import CONTROL, DEFAULT, Pads
from jitffi.tune.records import Counted, Failure, Run
from jitffi.tune.run.job import Job, Packed, pack
from jitffi.tune.run.process import Observations, measure

#: Seconds that a task may take beyond its time: it is sent, and may have to import; and those for what was measured so
#: far to come back after an interrupt; and for a scheduler to answer.
_SLACK, _TO_RETURN, _TO_CONNECT = 1.0, 2.0, 5.0
#: Notes that are of one run.
_OF_TIME = ("items", "late")
#: Workers of an executor that does not tell.
_WORKERS = 4


# -- at the other end -------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Request:
    """What a worker is to do: one run or one count, in a process that it starts."""

    packed: Packed
    candidates: tuple[Pads, ...]
    seconds: float
    is_timed: bool
    #: The same of all that are stopped together.
    token: str
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Response:
    """What came of it. `result` None: nothing was measured."""

    result: Run | Counted | None
    notes: dict[str, str] = field(default_factory=dict)
    #: Why the job could not be unpickled there.
    unpickled: str | None = None


#: The runs of this process that take place, by token.
_busy: dict[str, set[Observations]] = {}
_stopped: set[str] = set()


def work(task: bytes) -> Response:
    """Do what a pickled Request says. For others to call, by name."""
    request: Request = pickle.loads(task)
    observed = Observations((DEFAULT, *([CONTROL] if request.is_timed else []), *request.candidates))
    _busy.setdefault(request.token, set()).add(observed)
    try:
        if request.token not in _stopped:
            deadline = time.monotonic() + request.seconds
            measure(request.packed, observed, deadline, request.seed, request.is_timed)
    except KeyboardInterrupt:
        pass  # of a terminal that all processes of a pool share: what there is goes back
    finally:
        _busy.get(request.token, set()).discard(observed)
    result: Run | Counted | None = observed.counted(machine.cpu_model())
    if request.is_timed:
        is_told = observed.times or observed.failures
        result = observed.run(machine.cpu_model(), platform.node()) if is_told else None
    return Response(result, observed.notes, observed.unpickled)


def stop(token: str) -> None:
    """End the runs of this process that have that token; `work` returns what they have."""
    _stopped.add(token)
    for observed in tuple(_busy.pop(token, ())):
        observed.stop()


# -- who there is -----------------------------------------------------------------------------------------------------


def runner(executor: object) -> Runner:
    """Return who measures with *executor*: None, for this machine; a concurrent.futures.Executor; the address of a Dask
    scheduler as "tcp://10.0.0.1:8786", or a distributed.Client. TypeError for others, ImportError for an address where
    distributed is not installed, ConnectionError where no scheduler answers."""
    if executor is None:
        return Local()
    if isinstance(executor, str):
        # On a thread of its own: a Ctrl-C would be lost in what distributed imports, and in its event loops.
        client = off_thread.run(_connect, executor)
        return _of_cluster(client, lambda: client.close(timeout=1))
    if type(executor).__module__.partition(".")[0] == "distributed":
        client = getattr(executor, "_client", executor)  # of Client.get_executor()
        if hasattr(client, "nthreads"):
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
        #: Lines to tell, by what they are about.
        self._notes: dict[str, str] = {}
        self._packed: tuple[Job, Packed] | None = None

    @property
    def width(self) -> int:
        """Runs that take place at a time."""
        return max(1, self._left)

    @property
    def notes(self) -> tuple[str, ...]:
        """What to tell about how it was measured, a line each; grows."""
        return tuple(self._notes.values())

    def count(self, job: Job, candidates: Sequence[Pads], seconds: float) -> Counted:
        """Count a pass of each candidate, in one process, in *seconds* at most. Of time that is too short for all the
        first candidates have most."""
        for result in self._results(job, candidates, seconds, [0], is_timed=False):
            if isinstance(result, Counted):
                return result
        return Counted()

    def time_runs(self, job: Job, candidates: Sequence[Pads], seconds: float, seeds: Sequence[int]) -> Iterator[Run]:
        """Yield a run a seed, of *seconds* each at most; none for a process that has not finished a round and has no
        failure to tell of. The consumer may stop at any time, and close the iterator."""
        for result in self._results(job, candidates, seconds, seeds, is_timed=True):
            if isinstance(result, Run):
                yield result

    def _pack(self, job: Job, by_value: bool = False) -> Packed:
        """Return the job as it is sent: by name, else by value."""
        if self._packed is None or self._packed[0] is not job or by_value > self._packed[1].by_value:
            why = None
            for way in (False, True)[by_value:]:
                try:
                    self._packed = job, pack(job, way)
                    break
                except pickle.PicklingError as error:
                    why = f"{why}; {error}" if why else str(error)
            else:
                raise pickle.PicklingError(f"the workload cannot be sent to workers: {why}")
        return self._packed[1]

    def _results(
        self, job: Job, candidates: Sequence[Pads], seconds: float, seeds: Sequence[int], is_timed: bool
    ) -> Iterator[Run | Counted | None]:
        """Yield what the tasks return, one a seed, in the order in which they end."""
        packed, token = self._pack(job), uuid.uuid4().hex
        deadline = time.monotonic() + seconds * -(-len(seeds) // self.width) + _SLACK
        running: dict[Future[Response], Request] = {}
        try:
            for seed in seeds:
                self._send(Request(packed, tuple(candidates), seconds, is_timed, token, seed), running)
            while running:
                ended = self._ended(running, deadline)
                if not ended:
                    self._notes["late"] = "runs did not come back in time"
                    break
                for request, response in ended:
                    if response is None:
                        self._send(request, running)
                    elif response.unpickled is None:
                        if isinstance(response.result, Run):  # what the last one says of its time holds
                            self._notes = {what: note for what, note in self._notes.items() if what not in _OF_TIME}
                        self._notes.update(response.notes)
                        yield response.result
                    elif request.packed.by_value:
                        yield _unsent(request, response.unpickled)
                    else:
                        left = min(request.seconds, deadline - _SLACK - time.monotonic())
                        try:
                            packed = self._pack(job, by_value=True)
                        except pickle.PicklingError:  # what has a name: why that is not found there is what matters
                            yield _unsent(request, response.unpickled)
                        else:
                            self._send(replace(request, packed=packed, seconds=left), running)
        except KeyboardInterrupt:
            self._stop_all(token)
            until = time.monotonic() + _TO_RETURN
            while ended := self._ended(running, until):
                yield from [response.result for _, response in ended if response is not None]
            raise
        finally:
            self._stop_all(token)
            for future in running:
                future.cancel()
        if self._left == 0:
            self._notes["none"] = "no worker is left"
        for lost in sorted(self._known - self._workers()):
            self._notes[lost] = f"worker {lost} was lost"

    def _send(self, request: Request, running: dict[Future[Response], Request]) -> None:
        """Send it to whoever is left."""
        while self._left:
            try:
                running[self._executor.submit(work, pickle.dumps(request))] = request
                return
            except Exception as error:  # a pool that is shut down or broken, a connection that is
                self._lose(error)

    def _ended(self, running: dict[Future[Response], Request], until: float) -> list[tuple[Request, Response | None]]:
        """Wait for one to end, and return those that have. None: its worker was lost."""
        done, _ = futures.wait(running, max(0.0, until - time.monotonic()), futures.FIRST_COMPLETED)
        found: list[tuple[Request, Response | None]] = []
        for future in done:
            request, response = running.pop(future), None
            try:
                response = future.result()
            except BaseException as error:  # also CancelledError, and an interrupt of the worker's
                self._lose(error)
            found.append((request, response))
        return found

    def _lose(self, error: BaseException) -> None:
        self._left = max(0, self._left - 1)
        why = " ".join(f"{type(error).__name__}: {error}".split())[:200]
        self._notes[f"lost {self._left}"] = f"a worker was lost: {why}"


class Local(Runner):
    """This machine: one process after the other, whose events a thread waits for."""

    def __init__(self) -> None:
        pool = ThreadPoolExecutor(1)
        super().__init__(pool, 1, stop, close=lambda: pool.shutdown(wait=False))

    def _lose(self, error: BaseException) -> None:
        raise error  # there is no other worker


def _unsent(request: Request, why: str) -> Run | Counted:
    """Return a failure of all candidates, where the workload does not get to a worker."""
    failure = Failure(f"the workload cannot be sent to workers: {why}")
    if request.is_timed:
        return Run("", {}, dict.fromkeys((DEFAULT, CONTROL, *request.candidates), failure))
    return Counted(dict.fromkeys((DEFAULT, *request.candidates), failure))
