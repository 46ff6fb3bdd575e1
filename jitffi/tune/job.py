"""What is measured, as a worker gets it: the workload and the items of the sample, as bytes.

A callable is pickled by name. One of the program's main module is found by running that module in the worker, up to
its call of `jitffi.autotune`; one that has no name (a lambda, a closure, what was typed at the prompt) is pickled by
value if cloudpickle is installed.
"""

from __future__ import annotations

import os
import pickle
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jitffi.tune.workload import Workload


@dataclass(frozen=True, slots=True)
class Job:
    """A workload and what it is fed."""

    workload: Workload
    #: Of the Sample: a pass is all of them, in this order.
    items: tuple[object, ...]
    seed: int = 0


@dataclass(frozen=True, slots=True)
class Main:
    """The program that asked for tuning, for functions that are pickled as `__main__`'s."""

    #: What `python -m` was given, or None.
    module: str | None
    path: str | None
    arguments: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Packed:
    """A Job as bytes, and where what it names can be imported from."""

    workload: bytes
    items: bytes
    main: Main | None
    path: tuple[str, ...]


def pack(job: Job, by_value: bool = False) -> Packed:
    """Return *job* for another process. *by_value*: with cloudpickle. PickleError for what has no name, or no place
    that it can be found again."""
    dumps: Any = pickle.dumps
    if by_value:
        try:
            import cloudpickle
        except ImportError:
            raise pickle.PicklingError("cloudpickle is not installed") from None
        dumps = cloudpickle.dumps
    try:
        workload, items = dumps(job.workload), dumps(job.items)
    except pickle.PickleError:
        raise
    except Exception as error:  # what __reduce__ of anything raises: AttributeError for local functions, TypeError
        raise pickle.PicklingError(f"{type(error).__name__}: {error}") from None
    main = None
    if not by_value and b"__main__" in workload + items:
        main = main_program()
        if main is None:
            raise pickle.PicklingError("it is of a main module that is no file")
    return Packed(workload, items, main, tuple(os.path.abspath(each) for each in sys.path))


def unpack(packed: Packed) -> Job:
    """Return the job again. `sys.path` and the main module are the caller's business."""
    return Job(pickle.loads(packed.workload), pickle.loads(packed.items))


def main_program() -> Main | None:
    """Return how the running program can be run again; None for a prompt and the like."""
    main = sys.modules.get("__main__")
    spec = getattr(main, "__spec__", None)
    path = getattr(main, "__file__", None)
    if spec is not None and spec.name:
        return Main(spec.name, None, tuple(sys.argv))
    if path is None or not os.path.isfile(path):
        return None
    return Main(None, os.path.abspath(path), tuple(sys.argv))
