"""What is measured, as a worker gets it: the workload and the items of the sample, as bytes.

A callable is pickled by name. One of the program's main module is found by running that module in the worker, up to
its call of `jitffi.autotune`; one that has no name (a lambda, a closure, what was typed at the prompt) is pickled by
value if cloudpickle is installed. The text of both travels, too: scripts are read from it, on whatever machine.
"""

from __future__ import annotations

import io
import linecache
import os
import pickle
import sys
from collections import ChainMap
from collections.abc import Callable
from dataclasses import dataclass
from types import ModuleType
from typing import TYPE_CHECKING, Any, NoReturn

from jitffi.profiles.candidates import Pads

if TYPE_CHECKING:
    from jitffi.tune.workload import Workload

#: `__name__` of the main module in a worker, as multiprocessing calls it: what stands below `if __name__ ==
#: "__main__"` does not run.
_MAIN = "__mp_main__"


@dataclass(frozen=True, slots=True)
class Job:
    """A workload and what it is fed."""

    workload: Workload
    #: The items of the sample: a pass is all of them, in this order.
    items: tuple[object, ...]
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Task:
    """What one process is to do with a job."""

    candidates: tuple[Pads, ...]
    #: Whether to measure times, in rounds; else to count.
    is_timed: bool
    #: By time.monotonic(), which all processes of a machine share.
    deadline: float
    #: Draws the order in which candidates take turns.
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Main:
    """The program that asked for tuning, for functions that are pickled as `__main__`'s."""

    path: str
    text: str
    #: Of `python -m`; else "".
    package: str
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Packed:
    """A Job as bytes, and what it takes to unpickle them elsewhere."""

    workload: bytes
    items: bytes
    main: Main | None
    #: sys.path.
    path: tuple[str, ...]
    #: By name of the file, its lines, where the workload is pickled by value.
    sources: tuple[tuple[str, tuple[str, ...]], ...]
    by_value: bool


# -- here -------------------------------------------------------------------------------------------------------------


def pack(job: Job, by_value: bool = False) -> Packed:
    """Return *job* for another process. *by_value*: with cloudpickle. PicklingError, a line, for what cannot be."""
    dumps = _dumps_by_value() if by_value else pickle.dumps
    try:
        workload, items = dumps(job.workload), dumps(job.items)
    except Exception as error:  # AttributeError for local functions, TypeError, whatever a __reduce__ raises
        raise pickle.PicklingError(f"{type(error).__name__}: {error}") from None
    main = None
    if b"__main__" in workload or b"__main__" in items:
        main = _main_program()
        if main is None and not by_value:
            raise pickle.PicklingError("it belongs to a main module without a file")
    path = tuple([os.path.abspath(each) if os.path.exists(each or ".") else each for each in sys.path])
    return Packed(workload, items, main, path, _sources(job) if by_value else (), by_value)


def _dumps_by_value() -> Callable[[object], bytes]:
    """Return cloudpickle's function, which gives scripts of the main module their code, too."""
    try:
        import cloudpickle
    except ImportError:
        raise pickle.PicklingError("what has no name needs cloudpickle: pip install cloudpickle") from None
    from jitffi.scripts.api.script import Script

    def reduce(script: Script) -> Any:
        return script._by_value() if script.__module__ == "__main__" else script.__reduce__()

    class Pickler(cloudpickle.CloudPickler):  # type: ignore[misc]
        dispatch_table = ChainMap({Script: reduce}, cloudpickle.CloudPickler.dispatch_table)

    def dumps(thing: object) -> bytes:
        file = io.BytesIO()
        Pickler(file).dump(thing)
        return file.getvalue()

    return dumps


def _main_program() -> Main | None:
    """Return how the running program can be run again; None for a prompt and the like."""
    main = sys.modules.get("__main__")
    path = getattr(main, "__file__", None)
    lines = linecache.getlines(path) if path else []
    if path is None or not lines:
        return None
    spec = getattr(main, "__spec__", None)
    return Main(os.path.abspath(path), "".join(lines), spec.parent or "" if spec else "", tuple(sys.argv))


def _sources(job: Job) -> tuple[tuple[str, tuple[str, ...]], ...]:
    found = {}
    for function in (job.workload.function, *job.workload.scripts):
        code = getattr(getattr(function, "__wrapped__", function), "__code__", None)
        if code is not None:
            found[code.co_filename] = tuple(linecache.getlines(code.co_filename))
    return tuple([(name, lines) for name, lines in found.items() if lines])


# -- there ------------------------------------------------------------------------------------------------------------


def unpack(packed: Packed) -> Job:
    """Return the job again, in a process that has nothing else to do: modules are imported, perhaps the main module is
    run. Whatever that raises comes out."""
    sys.path += [each for each in packed.path if each not in sys.path]
    for name, lines in packed.sources:
        if not os.path.exists(name):
            _remember(name, list(lines))
    if packed.main is not None:
        _run_main(packed.main)
    return Job(pickle.loads(packed.workload), pickle.loads(packed.items))


def _remember(name: str, lines: list[str]) -> None:
    """Let inspect find the lines of a file that is not there. Without a time of change: nobody looks for the file."""
    linecache.cache[name] = (sum(map(len, lines)), None, lines, name)


class _Reached(BaseException):
    """The program has come to its call of autotune."""


def _stop(*arguments: object, **more: object) -> NoReturn:
    raise _Reached


def _run_main(main: Main) -> None:
    """Make the program's main module, with what stands before its call of autotune."""
    import jitffi

    module = ModuleType(_MAIN)
    module.__file__ = main.path
    module.__package__ = main.package
    sys.modules["__main__"] = sys.modules[_MAIN] = module
    sys.argv[:] = main.arguments
    if not os.path.exists(main.path):
        _remember(main.path, main.text.splitlines(keepends=True))
    real = jitffi.autotune
    called = sys.modules[real.__module__]
    vars(jitffi)["autotune"] = vars(called)["autotune"] = _stop
    try:
        exec(compile(main.text, main.path, "exec", dont_inherit=True), module.__dict__)
    except (_Reached, SystemExit):
        pass
    finally:
        vars(jitffi)["autotune"] = vars(called)["autotune"] = real
