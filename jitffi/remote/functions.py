"""What a session gives of what is at its workers: functions, modules, arrays."""

from __future__ import annotations

import statistics
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import jitffi
from jitffi.base.errors import nearest
from jitffi.remote.protocol import Handle

if TYPE_CHECKING:
    from jitffi.remote.session import Session


@dataclass(frozen=True)
class Timings:
    """Seconds a call, as a worker measured them."""

    results: tuple[float, ...]

    @property
    def median(self) -> float:
        return statistics.median(self.results)

    @property
    def mean(self) -> float:
        return statistics.fmean(self.results)

    @property
    def min(self) -> float:
        return min(self.results)

    @property
    def max(self) -> float:
        return max(self.results)

    @property
    def std(self) -> float:
        return statistics.stdev(self.results) if len(self.results) > 1 else 0.0

    def __str__(self) -> str:
        return f"{self.median * 1e6:.3f} us (min {self.min * 1e6:.3f}, max {self.max * 1e6:.3f})"


class Kept:
    """Something that stays at a worker while this lives."""

    def __init__(self, session: Session, worker: str, handle: Handle) -> None:
        self.session = session
        self.worker = worker
        self.handle = handle
        weakref.finalize(self, session.forget, worker, handle.number).atexit = False


class RemoteArray(Kept):
    """An array that stays at its worker, and is passed to functions there by its handle."""

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.handle.shape)

    @property
    def dtype(self) -> jitffi.DataType:
        return jitffi.DataType(self.handle.text)

    def fetch(self) -> jitffi.NDArray:
        """Return a copy of the array here."""
        (array,) = jitffi.from_bytes(self.session.ask("fetch", (self.handle.number,), worker=self.worker))
        return array  # type: ignore[no-any-return]

    def numpy(self) -> Any:
        """Return a copy of the array here, as a numpy.ndarray."""
        return self.fetch().numpy()

    def __repr__(self) -> str:
        return f"<RemoteArray {self.handle.text}{list(self.shape)} at {self.worker}>"


class Caller:
    """Calls a function at a worker."""

    def __init__(self, session: Session, name: str, where: str | Kept, signature: str, keep: bool) -> None:
        self.session = session
        self.name = self.__name__ = name
        #: The name of the upload that has it, "" for the worker's registry; or what keeps it there.
        self.where = where
        self.signature = jitffi.Signature.parse(signature) if signature else None
        self.keep = keep

    def __call__(self, *args: Any, **options: Any) -> Any:
        given, worker = self._stored(args, options)
        data, where = self.session.ask_function("call", self, (given, self.keep), worker)
        (value,) = jitffi.from_bytes(data)
        return self.session.received(value, where)

    def measure(self, number: int, repeat: int, least: float, args: Any, options: Any) -> Timings:
        given, worker = self._stored(args, options)
        taken, _ = self.session.ask_function("measure", self, (given, number, repeat, least), worker)
        return Timings(tuple(taken))

    def _stored(self, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[bytes, str | None]:
        """The arguments as bytes, and the worker that has what they stand for; None: any may be asked."""
        found: set[str] = {self.where.worker} if isinstance(self.where, Kept) else set()
        values = [self._sent(value, f"argument {i + 1}", found) for i, value in enumerate(self._bound(args, options))]
        if len(found) > 1:
            raise ValueError(f"{self.name}: its arguments are at different workers: {', '.join(sorted(found))}")
        try:
            return jitffi.to_bytes(values), next(iter(found), None)
        except TypeError as error:
            raise TypeError(f"{self.name}: an argument cannot be sent: {error}") from None

    def _bound(self, args: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, ...]:
        """All arguments by position."""
        if not options:
            return args
        if self.signature is None:
            raise TypeError(f"{self.name}: a function without a signature takes no keywords, got {', '.join(options)}")
        import inspect

        kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
        missing = inspect.Parameter.empty
        params = [
            inspect.Parameter(p.name or f"arg{i + 1}", kind, default=p.default if p.has_default else missing)
            for i, p in enumerate(self.signature.params)
        ]
        try:
            bound = inspect.Signature(params).bind(*args, **options)
        except TypeError as error:
            raise TypeError(f"{self.name}: {error}") from None
        bound.apply_defaults()
        return bound.args

    def _sent(self, value: Any, where: str, found: set[str]) -> Any:
        kept = value.caller.where if isinstance(value, RemoteFunction) else value
        if isinstance(kept, Kept):
            if kept.session is not self.session:
                raise ValueError(f"{self.name}: {where} is of another session")
            found.add(kept.worker)
            return kept.handle
        if isinstance(value, list | jitffi.List):
            return [self._sent(item, f"{where}[{i}]", found) for i, item in enumerate(value)]
        if isinstance(value, tuple | jitffi.Tuple):
            return tuple([self._sent(item, f"{where}[{i}]", found) for i, item in enumerate(value)])
        if isinstance(value, dict | jitffi.Map):
            return {key: self._sent(item, f"{where}[{key!r}]", found) for key, item in value.items()}
        if isinstance(value, RemoteFunction):
            raise TypeError(f"{self.name}: {where}: {value.caller.name} has no handle: pass what a call has returned")
        if callable(value) and not isinstance(value, jitffi.Object):
            raise TypeError(f"{self.name}: {where}: a function of this process cannot be called from a worker")
        return value


class RemoteFunction(jitffi.Function):
    """A function at a worker; to native code here a Function like any other."""

    caller: Caller

    def __new__(cls, caller: Caller) -> RemoteFunction:
        made = jitffi.Function(jitffi.convert(caller))
        made.__class__ = cls
        assert isinstance(made, RemoteFunction)
        made.caller = caller
        return made

    def __init__(self, caller: Caller) -> None:
        pass

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.caller(*args, **options)

    @property
    def signature(self) -> jitffi.Signature | None:
        return self.caller.signature

    def time_evaluator(self, number: int = 10, repeat: int = 3, min_seconds: float = 0.0) -> Callable[..., Timings]:
        """Return what measures calls at the worker: with a function's arguments it gives seconds a call, *repeat*
        times, each the mean of *number* calls, or of as many as take *min_seconds*."""
        if number < 1 or repeat < 1:
            raise ValueError(f"time_evaluator: number and repeat are at least 1, got {number} and {repeat}")
        return lambda *args, **options: self.caller.measure(number, repeat, min_seconds, args, options)

    def __repr__(self) -> str:
        known = "" if self.caller.signature is None else f" {self.caller.signature}"
        return f"<RemoteFunction {self.caller.name}{known}>"


class RemoteModule:
    """The functions of what was uploaded, by their names, as attributes and as items."""

    def __init__(self, session: Session, name: str, exports: dict[str, str]) -> None:
        self._session = session
        self._exports = exports
        self.name = name

    def get_function(self, name: str, keep: bool = False) -> RemoteFunction:
        """Return a function; AttributeError where the module has none of that name. *keep*: arrays that it returns
        stay at the worker."""
        if name not in self._exports:
            near = nearest(name, self._exports)
            text = f"module {self.name!r} has no function {name!r}"
            raise AttributeError(f"{text}; {near}" if near else text, name=name)
        return RemoteFunction(Caller(self._session, name, self.name, self._exports[name], keep))

    __getitem__ = get_function

    def __getattr__(self, name: str) -> RemoteFunction:
        if name.startswith("__"):
            raise AttributeError(name)
        return self.get_function(name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._exports)

    def __len__(self) -> int:
        return len(self._exports)

    def __contains__(self, name: object) -> bool:
        return name in self._exports

    def __repr__(self) -> str:
        return f"<RemoteModule {self.name}: {', '.join(self._exports)}>"
