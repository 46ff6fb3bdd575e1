"""Sessions: which worker does what is asked, what it has to be sent before, and what happens when it dies.

A session talks to one worker as long as that lives, and to the next one then: what was uploaded is sent again, what was
kept at the lost one is gone. A call is never repeated: it may be what ended the worker.
"""

from __future__ import annotations

import contextlib
import pickle
import time
import uuid
from collections.abc import Callable
from types import TracebackType
from typing import Any

import jitffi
from jitffi.base import off_thread
from jitffi.remote import worker as at_worker
from jitffi.remote.functions import Caller, Kept, RemoteArray, RemoteFunction, RemoteModule
from jitffi.remote.protocol import PROTOCOL, Answer, Failure, Handle, Machine, Request
from jitffi.remote.uploads import Upload

#: Seconds between two looks at whether a worker still lives.
_LOOK = 0.5


class WorkerLost(ConnectionError):
    """The worker that was asked has ended."""


class RemoteTraceback(Exception):
    """Where at the worker an exception was raised: the cause of the one that is raised here."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text

    def __str__(self) -> str:
        return f"\n{self.text}"


def connected(address: Any, security: Any, timeout: float) -> Session:
    """What `connect` returns."""
    if isinstance(address, str):
        # On a thread of its own: a Ctrl-C would be lost in what distributed imports, and in its event loops.
        return Session(off_thread.run(_client, address, security, timeout), timeout, owns_client=True)
    if not (type(address).__module__.startswith("distributed.") and hasattr(address, "nthreads")):
        got = type(address).__name__
        raise TypeError(f"connect: expected the address of a Dask scheduler or a distributed.Client, got {got}")
    return Session(address, timeout, owns_client=False)


def _client(address: str, security: Any, timeout: float) -> Any:
    try:
        import distributed
    except ImportError:
        raise ImportError("connect needs dask.distributed: install jitffi[remote]") from None
    try:
        if "://" not in address:  # a Client of what is no address cannot be closed, and says so when the program ends
            distributed.comm.addressing.get_address_host_port(address)
        return distributed.Client(address, timeout=timeout, security=security, set_as_default=False)
    except (OSError, ValueError, TypeError) as error:
        raise ConnectionError(f"no Dask scheduler answers at {address!r}: {error}") from None


class Session:
    """What `connect` returns; a context manager, which closes it.

    `timeout` is the seconds that a call may take, None for any: then it is a TimeoutError, and the session goes on with
    another worker while that one is busy.
    """

    def __init__(self, client: Any, timeout: float, owns_client: bool) -> None:
        self.timeout: float | None = None
        self._client = client
        self._owns_client = owns_client
        self._token = uuid.uuid4().hex
        self._uploads: dict[str, Upload] = {}
        self._machines: dict[str, Machine] = {}
        #: Digests that a worker's process has.
        self._sent: dict[str, set[str]] = {}
        #: What is kept at workers and not needed any more; finalisers add to it, from whichever thread.
        self._forgotten: list[tuple[str, int]] = []
        #: Workers that have not come back in time, with what they still do.
        self._busy: dict[str, Any] = {}
        self._worker = ""
        self._closed = False
        until = time.monotonic() + timeout
        while not self._living():
            if time.monotonic() > until:
                self.close()
                raise ConnectionError(f"connect: no worker came to the scheduler in {timeout:g} s")
            time.sleep(0.05)
        try:
            self._choose(timeout)
        except BaseException:
            self.close()
            raise

    # -- what users call ----------------------------------------------------------------------------------------------

    def targets(self) -> dict[str, str]:
        """Return the machines of the workers, as compilers name them, by address.

        A worker that does not answer is left out.
        """
        found = {}
        for address in self._living():
            with contextlib.suppress(WorkerLost, TimeoutError):
                found[address] = self._machine(address).triple
        return found

    def upload(self, *given: Any, name: str | None = None) -> list[str]:
        """Send files or scripts to the session's workers, and return the names by which `load_module` knows them.

        Scripts and kernels, "FILE.py:script" too, are compiled here for the worker's machine. Files are shared
        libraries and objects for that machine, and Python, which is run there: what it registers can be called. *name*:
        of one alone, instead of the file's. FileNotFoundError; ValueError for what the worker's machine cannot load.
        """
        if name is not None and len(given) != 1:
            raise ValueError(f"upload: one name for {len(given)} things")
        uploads = [Upload(each, name) for each in given]
        self._with_worker(lambda address: [upload.file(self._machine(address).triple) for upload in uploads])
        # Another thread may go through those of before.
        self._uploads = self._uploads | {upload.name: upload for upload in uploads}
        self._with_worker(self._send_uploads)
        return [upload.name for upload in uploads]

    def load_module(self, name: str) -> RemoteModule:
        """Return the functions of what was uploaded as *name*. ValueError where nothing was."""
        upload = self._uploads.get(name)
        if upload is None:
            known = ", ".join(self._uploads) or "nothing"
            raise ValueError(f"load_module: nothing was uploaded as {name!r}, but {known}")
        exports = self._with_worker(lambda address: self._load(address, upload))
        return RemoteModule(self, name, dict(exports))

    def get_function(self, name: str, keep: bool = False) -> RemoteFunction:
        """Return the function *name* of what was uploaded, or else of the worker's registry. *keep*: arrays that it
        returns stay at the worker, as RemoteArray. ValueError where there is none."""

        def find(address: str) -> Any:
            self._send_uploads(address)
            files = {upload.file(self._machine(address).triple).digest: upload for upload in self._uploads.values()}
            found = self._ask(address, "find", (list(files), name))
            return found and (files[found[0]].name if found[0] else "", found[1])

        found = self._with_worker(find)
        if found is None:
            raise ValueError(f"get_function: the worker has no function {name!r}, uploaded or registered")
        return RemoteFunction(Caller(self, name, found[0], found[1], keep))

    def array(self, values: Any) -> RemoteArray:
        """Copy an array to the worker, where it stays until the RemoteArray is gone."""
        data = jitffi.to_bytes([values])

        def store(address: str) -> Any:
            return self.received(jitffi.from_bytes(self._ask(address, "store", (data,)))[0], address)

        stored = self._with_worker(store)
        if not isinstance(stored, RemoteArray):
            raise TypeError(f"array: expected an array, got {type(values).__name__}")
        return stored

    def close(self) -> None:
        """Free what the session has at workers, and close its connection."""
        if self._closed:
            return
        self._closed = True
        for address in list(self._machines):  # it leaves those of a worker that turns out to be lost
            if address not in self._busy:
                with contextlib.suppress(Exception):  # it is gone, or busy: its process frees it when it ends
                    self._ask(address, "close", (), timeout=5.0)
        if self._owns_client:
            self._client.close(timeout=5)

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<jitffi.Session with {'nobody: it was closed' if self._closed else self._worker}>"

    # -- for functions and arrays ------------------------------------------------------------------------------------

    def ask(self, what: str, arguments: tuple[Any, ...], worker: str) -> Any:
        """Ask the one worker that has what it is about."""
        return self._ask(worker, what, arguments, self.timeout)

    def ask_function(
        self, what: str, caller: Caller, arguments: tuple[Any, ...], worker: str | None
    ) -> tuple[Any, str]:
        """Ask about a function, at *worker* or where the session is; what it says, and who."""
        address = worker or self._choose()
        self._send_uploads(address)
        where: str | int = ""
        if isinstance(caller.where, Kept):
            where = caller.where.handle.number
        elif caller.where:
            where = self._uploads[caller.where].file(self._machine(address).triple).digest
        asked = (where, caller.name, *arguments)
        return self._ask(address, what, asked, self.timeout, caller.name), address

    def received(self, value: Any, worker: str) -> Any:
        """A value as the program gets it: what stays at the worker by what stands for it."""
        if not isinstance(value, Handle):
            return value
        if value.kind == "array":
            return RemoteArray(self, worker, value)
        return RemoteFunction(Caller(self, value.text, Kept(self, worker, value), value.signature, False))

    def forget(self, worker: str, number: int) -> None:
        """Free something at a worker with the next request to it: a finaliser must not wait."""
        self._forgotten.append((worker, number))

    # -- workers ------------------------------------------------------------------------------------------------------

    def _living(self) -> list[str]:
        try:
            return sorted(self._client.scheduler_info(n_workers=-1)["workers"])
        except TypeError:  # before distributed 2025.1 it gave all
            return sorted(self._client.scheduler_info()["workers"])

    def _choose(self, timeout: float | None = None) -> str:
        """The worker to ask: the same as before while it lives and is not busy. ConnectionError: there is none."""
        if self._closed:
            raise ValueError("the session was closed")
        living = self._living()
        for address, future in list(self._busy.items()):
            if address not in living or future.done():
                self._busy.pop(address, None)
        if self._worker in living and self._worker not in self._busy:
            return self._worker
        failed = ""
        for address in sorted(living, key=lambda each: each in self._busy):
            try:
                self._machine(address, timeout)
            except (WorkerLost, TimeoutError) as error:
                failed = f": {error}"
                continue
            self._worker = address
            return address
        raise ConnectionError(f"no worker is left{failed}")

    def _with_worker(self, work: Callable[[str], Any]) -> Any:
        """What *work* does with a worker, and with another one if that is lost on the way: nothing of a user's runs."""
        while True:
            address = self._choose()
            with contextlib.suppress(WorkerLost):
                return work(address)

    def _machine(self, address: str, timeout: float | None = None) -> Machine:
        if address not in self._machines:
            found: Machine = self._ask(address, "machine", (), timeout or 30.0)
            if found.protocol != PROTOCOL or found.version != jitffi.__version__:
                raise RuntimeError(
                    f"{address} has jitffi {found.version} (protocol {found.protocol}), this program "
                    f"{jitffi.__version__} (protocol {PROTOCOL})"
                )
            self._machines[address] = found
        return self._machines[address]

    def _load(self, address: str, upload: Upload) -> Any:
        file = upload.file(self._machine(address).triple)
        exports = self._ask(address, "load", (file,))
        self._sent.setdefault(address, set()).add(file.digest)
        return exports

    def _send_uploads(self, address: str) -> None:
        sent = self._sent.setdefault(address, set())
        for upload in self._uploads.values():
            if upload.file(self._machine(address).triple).digest not in sent:
                self._load(address, upload)

    # -- one request --------------------------------------------------------------------------------------------------

    def _ask(
        self, address: str, what: str, arguments: tuple[Any, ...], timeout: float | None = None, who: str = ""
    ) -> Any:
        """Send a request and wait for the answer; what was raised at the worker is raised here."""
        self._free(address)
        request = Request(self._token, what, arguments)
        future = self._client.submit(
            at_worker.answer, request, workers=[address], allow_other_workers=False, pure=False, retries=0,
            key=f"jitffi-{what}-{uuid.uuid4().hex}",
        )  # fmt: skip
        answer = self._waited(future, address, timeout, who or what)
        if answer.failure is not None:
            raise _raised(answer.failure, address) from RemoteTraceback(answer.failure.traceback)
        return answer.value

    def _waited(self, future: Any, address: str, timeout: float | None, who: str) -> Answer:
        until = time.monotonic() + (float("inf") if timeout is None else timeout)
        while True:
            try:
                answer: Answer = future.result(timeout=min(_LOOK, max(0.0, until - time.monotonic())))
                return answer
            except TimeoutError:
                if address not in self._living():
                    self._lose(address)
                    future.cancel()
                    raise WorkerLost(f"{who}: the worker {address} died") from None
                if time.monotonic() >= until:
                    self._busy[address] = future
                    raise TimeoutError(f"{who}: no answer from {address} in {timeout:g} s") from None
            except Exception as error:  # the scheduler's: it has given up on the worker, or is gone itself
                self._lose(address)
                raise WorkerLost(f"{who}: the worker {address} was lost: {type(error).__name__}: {error}") from None
            except BaseException:  # Ctrl-C: the worker still does it, and the session goes on with another one
                self._busy[address] = future
                raise

    def _lose(self, address: str) -> None:
        self._machines.pop(address, None)
        self._sent.pop(address, None)
        self._busy.pop(address, None)

    def _free(self, address: str) -> None:
        mine = []
        for each in [each for each in self._forgotten if each[0] == address]:
            with contextlib.suppress(ValueError):  # another thread's request has it
                self._forgotten.remove(each)
                mine.append(each[1])
        if mine:
            self._ask(address, "free", (mine,))


def _raised(failure: Failure, address: str) -> BaseException:
    """The exception to raise: the worker's own, or the nearest one that this process has."""
    error: BaseException | None = None
    if failure.pickled is not None:
        with contextlib.suppress(Exception):
            error = pickle.loads(failure.pickled)
    if not isinstance(error, BaseException):
        error = jitffi.Error(failure.kind, failure.message).exception
    error.__traceback__ = None
    error.add_note(f"raised at the worker {address}")
    return error
