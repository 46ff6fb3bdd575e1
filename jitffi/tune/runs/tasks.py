"""Tasks that are with workers elsewhere: which are under way, which have come back, whose worker was lost."""

from __future__ import annotations

import contextlib
import pickle
import queue
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from jitffi.tune.runs.errand import Order, Told

#: Seconds for a worker or scheduler that has answered before.
TO_ANSWER = 2.0


class Future(Protocol):
    """What futures of all kinds can do."""

    def result(self, timeout: float) -> Any: ...
    def cancel(self) -> object: ...
    def add_done_callback(self, function: Callable[[Any], object], /) -> object: ...


class Workers(Protocol):
    """Where tasks are sent."""

    def places(self) -> list[str]:
        """Names of the workers that there are now: each gets one task at a time."""

    def submit(self, place: str, task: bytes) -> Future:
        """Let that worker do `errand.work`."""

    def stop(self, token: str) -> None:
        """Let all workers do `errand.stop`, without waiting for it."""

    def close(self) -> None: ...


class Tasks:
    """What is under way, and what has come back. *lost*: workers that are not to be asked again; *notes* say why."""

    def __init__(self, workers: Workers, lost: set[str], notes: dict[str, str]) -> None:
        self.running: dict[Future, tuple[str, Order]] = {}
        self._workers = workers
        self._lost = lost
        self._notes = notes
        self._done: queue.SimpleQueue[Future] = queue.SimpleQueue()

    def free(self) -> list[str]:
        """The workers that have nothing to do."""
        busy = {place for place, _ in self.running.values()}
        return [each for each in self._workers.places() if each not in busy and each not in self._lost]

    def send(self, place: str, order: Order) -> bool:
        """Whether it could be sent."""
        try:
            future = self._workers.submit(place, pickle.dumps(order))
        except Exception as error:  # a pool that is shut down or broken, a connection that is
            self._lose(place, error)
            return False
        self.running[future] = place, order
        future.add_done_callback(self._done.put)
        return True

    def ended(self, seconds: float) -> Iterator[tuple[Order, Told | None]]:
        """Wait so long at most for one to end; yield those that have. None: its worker was lost, it is to be sent to
        another one."""
        try:
            future = self._done.get(timeout=max(0.0, seconds))
        except queue.Empty:
            yield from self._missing()
            return
        while True:
            if future in self.running:
                place, order = self.running.pop(future)
                yield order, self._result(future, place)
            try:
                future = self._done.get_nowait()
            except queue.Empty:
                return

    def _result(self, future: Future, place: str) -> Told | None:
        try:
            # It is there; but a cluster fetches it now, and would wait for ever for a worker that died meanwhile.
            told: Told = future.result(timeout=TO_ANSWER)
        except BaseException as error:  # also CancelledError, and an interrupt of the worker's
            with contextlib.suppress(Exception):
                future.cancel()
            self._lose(place, error)
            return None
        return told

    def _missing(self) -> Iterator[tuple[Order, Told | None]]:
        """Tasks of workers that are not there any more; a cluster would keep them until one of that name comes."""
        there = set(self._workers.places())
        for future, (place, order) in list(self.running.items()):
            if place not in there:
                del self.running[future]
                future.cancel()
                self._lose(place, None)
                yield order, None

    def _lose(self, place: str, error: BaseException | None) -> None:
        why = "" if error is None else ": " + " ".join(f"{type(error).__name__}: {error}".split())[:200]
        self._lost.add(place)
        self._notes[f"lost {place}"] = f"worker {place} was lost{why}"

    def cancel(self) -> None:
        """Forget all that are under way."""
        for future in self.running:
            with contextlib.suppress(Exception):
                future.cancel()
        self.running.clear()
