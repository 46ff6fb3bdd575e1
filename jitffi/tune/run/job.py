"""What is measured, as a worker gets it: the workload and the items of the sample, as bytes.

What a worker can import is pickled by name, all else (of the program's main module, a lambda, a closure) by value. The
text of scripts that are pickled by value travels, too: they are compiled from it, on whatever machine.
"""

from __future__ import annotations

import inspect
import io
import linecache
import os
import pickle
import sys
from collections import ChainMap
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType
from typing import TYPE_CHECKING, Any

from jitffi.profiles.candidates import Pads

if TYPE_CHECKING:
    from jitffi.scripts.api.script import Script
    from jitffi.tune.workload import Workload


@dataclass(frozen=True, slots=True)
class Job:
    """A workload and what it is fed."""

    workload: Workload
    #: The items of the sample: a pass is all of them, in this order.
    items: tuple[object, ...]
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Packed:
    """A Job as bytes, and what it takes to unpickle them elsewhere."""

    job: bytes
    #: sys.path.
    path: tuple[str, ...]
    #: By name of the file, its lines.
    sources: dict[str, list[str]]


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be done with a job: one run or one count."""

    packed: Packed
    candidates: tuple[Pads, ...]
    seconds: float
    #: Whether to measure times, in rounds; else to count.
    is_timed: bool
    #: The same of all that are stopped together.
    token: str
    #: Draws the order in which candidates take turns.
    seed: int = 0


def pack(job: Job) -> Packed:
    """Return *job* for another process. PicklingError, a line, for what cannot be pickled."""
    import cloudpickle  # here: workers do without, they should start quickly

    from jitffi.scripts.api.script import Script

    sources: dict[str, list[str]] = {}

    def reduce(script: Script[..., Any]) -> Any:
        found = script._by_value() if script.__module__ == "__main__" else script.__reduce__()
        if not isinstance(found, str):
            name = script._given.function.__code__.co_filename
            sources[name] = linecache.getlines(name)
        return found

    plain = cloudpickle.CloudPickler.dispatch_table

    def reduce_code(code: CodeType) -> Any:
        """cloudpickle leaves out the file's name (`_code_reduce`, from 3.1.2 on), by which a script's text is found."""
        return _code, (code.co_filename, plain[CodeType](code))

    class Pickler(cloudpickle.CloudPickler):  # type: ignore[misc]
        dispatch_table = ChainMap({Script: reduce, CodeType: reduce_code}, plain)

    def dumps(thing: object) -> bytes:
        file = io.BytesIO()
        Pickler(file).dump(thing)
        return file.getvalue()

    try:
        data = dumps(job)
    except Exception as error:  # TypeError, PicklingError, whatever a __reduce__ raises
        names = ", ".join(_culprits(job.workload.function, dumps, set()))
        why = f"{f'it uses {names}: ' if names else ''}{type(error).__name__}: {error}"
        raise pickle.PicklingError(f"the workload cannot be sent to workers: {why}") from None
    path = tuple([os.path.abspath(each) if os.path.exists(each or ".") else each for each in sys.path])
    return Packed(data, path, sources)


def _code(name: str, reduced: tuple[Callable[..., CodeType], tuple[Any, ...]]) -> CodeType:
    """What unpickling calls for code."""
    make, given = reduced
    return make(*given).replace(co_filename=name)


def _culprits(function: Any, dumps: Callable[[object], bytes], known: set[int]) -> Iterator[str]:
    """Yield the names of the globals that cannot be pickled, of those that it uses, itself or by another function."""
    function = inspect.unwrap(function)
    for name in _names(getattr(function, "__code__", None)):
        value = function.__globals__.get(name)
        if id(value) not in known:
            known.add(id(value))
            try:
                dumps(value)
            except Exception:
                yield from tuple(_culprits(value, dumps, known)) or [name]


def _names(code: object) -> Iterator[str]:
    """Yield the names that code uses, also that of functions in it."""
    if isinstance(code, CodeType):
        yield from code.co_names
        for each in code.co_consts:
            yield from _names(each)


def unpack(packed: Packed) -> Job:
    """Return the job again, in a process that has nothing else to do. Whatever importing raises comes out."""
    sys.path += [each for each in packed.path if each not in sys.path]
    for name, lines in packed.sources.items():
        if not os.path.exists(name):  # without a time of change: nobody looks for the file
            linecache.cache[name] = (sum(map(len, lines)), None, lines, name)
    job: Job = pickle.loads(packed.job)
    return job
