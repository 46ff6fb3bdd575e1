"""What a list of 1000 items keeps in memory, counted at the runtime's allocator; and what its designs would cost.

The goals are for the bytes of a whole list, made at its final size: so much an item, and 256 for the list. "jitffi" is
the runtime's list, filled by C; "jitffi.List" is made of a Python list, its Python object included. The designs are
models of native/models.c, which fill their memory with the same values and nothing else:

    D3a          slots of AnyPad<1>, 24 bytes, one behind the other
    D3b          pointers to objects: every value is one
    D3c          pointers to objects, or into a pool of AnyPad<1>
    D3c-variant  the same, small ints, None, bools and characters in a static table

Text longer than a slot holds, and objects themselves, are in the heap with each of them. "Python" is the list and its
items, by sys.getsizeof, without those that every process has.
"""

from __future__ import annotations

import ctypes
import sys
from collections.abc import Callable
from typing import Any

from benchmarks import build
from benchmarks.harness import Case, Goal, Measured, Settings, Spread, Times, compare

TITLE = "Memory and time of a list of 1000 items, by design"
RELATION = ""
LIMIT = ""
OURS, FACE = "jitffi", "jitffi.List"

COUNT = 1000
_LIST = 256
_HEAP_STRING = 48 + 20 + 1
#: Number of the kind in native/workload.h -> its name, and the bytes that an item may have.
KINDS: dict[int, tuple[str, int]] = {
    0: ("small ints", 8),
    1: ("None", 8),
    2: ("bools", 8),
    3: ("ASCII characters", 8),
    4: ("text of 5", 33),
    5: ("text of 12", 33),
    6: ("text of 20", 8 + _HEAP_STRING),
    8: ("objects", 8),
    9: ("other ints", 33),
    10: ("floats", 33),
    11: ("mixed", 33),
}
#: Contender -> prefix of its functions.
DESIGNS = {OURS: "jitffi", "D3a": "d3a", "D3b": "d3b", "D3c": "d3c", "D3c-variant": "d3c_variant"}


def _in_python(kind: str) -> list[Any]:
    """The values of a workload, each an object of its own where Python's are."""
    from jitffi import Shape

    made: dict[str, Callable[[int], Any]] = {
        "small ints": lambda i: i % 1000,
        "None": lambda i: None,
        "bools": lambda i: i % 2 == 1,
        "ASCII characters": lambda i: chr(32 + i % 95),
        "text of 5": lambda i: f"w{i:04}",
        "text of 12": lambda i: f"w{i:011}",
        "text of 20": lambda i: f"w{i:019}",
        "objects": lambda i: Shape((i,)),
        "other ints": lambda i: 7 * i + 3000,
        "floats": lambda i: i + 0.5,
        "mixed": lambda i: (7 * i + 3000, f"w{i:04}", i + 0.5)[i % 3],
    }
    return [made[kind](i) for i in range(COUNT)]


def _python_bytes(items: list[Any]) -> int:
    """Ints up to 256 and characters are Python's own, and count nothing; nor do objects."""
    return sys.getsizeof(items) + sum(sys.getsizeof(item) for item in items if _is_own(item))


def _is_own(item: object) -> bool:
    if isinstance(item, str):
        return len(item) > 1
    return isinstance(item, float) or (isinstance(item, int) and item > 256)


class Models:
    """native/models.c, loaded."""

    def __init__(self) -> None:
        self.library = build.library("models", *build.against_runtime())
        self.counting = build.library("counted", *build.against_runtime())
        self.counting.count_bytes.restype = ctypes.c_int64
        self._function("models_workload", ctypes.c_void_p, ctypes.c_int32, ctypes.c_int64)
        self._function("models_sum", ctypes.c_int64, ctypes.c_void_p)
        for prefix in DESIGNS.values():
            self._function(f"{prefix}_make", ctypes.c_void_p, ctypes.c_void_p)
            self._function(f"{prefix}_build", ctypes.c_int64, ctypes.c_void_p)
            self._function(f"{prefix}_read", ctypes.c_int64, ctypes.c_void_p, ctypes.c_int64)
            self._function(f"{prefix}_free", None, ctypes.c_void_p)

    def _function(self, name: str, result: Any, *arguments: Any) -> None:
        function = getattr(self.library, name)
        function.restype, function.argtypes = result, arguments

    def call(self, name: str, *arguments: Any) -> Any:
        return getattr(self.library, name)(*arguments)

    def kept(self, prefix: str, work: Any) -> int:
        """Bytes that a design's list of a workload keeps, counting being on; all are given back with it."""
        before = self.counting.count_bytes()
        made = self.call(f"{prefix}_make", work)
        kept = self.counting.count_bytes() - before
        self.call(f"{prefix}_free", made)
        assert self.counting.count_bytes() == before, "a list left memory behind"
        return kept


def _bytes(models: Models, number: int, name: str) -> Times:
    times = Times(name, "bytes an item")
    items = _in_python(name)
    from jitffi import List

    models.counting.count_start()
    work = models.call("models_workload", number, COUNT)
    for who, prefix in DESIGNS.items():
        times.samples[who] = [models.kept(prefix, work) / COUNT]
    native = _counted_wrapper(models, lambda: List(items))
    models.counting.count_stop()
    times.samples[FACE] = [native / COUNT]
    times.samples["Python"] = [_python_bytes(items) / COUNT]
    return times


def _counted_wrapper(models: Models, make: Callable[[], Any]) -> int:
    make()
    before = models.counting.count_bytes()
    made = make()
    kept = models.counting.count_bytes() - before
    # What it says of its size includes what was counted.
    return kept + sys.getsizeof(made) - made.__sizeof__() + object.__sizeof__(made)


def _times(models: Models, number: int, name: str, rounds: int) -> list[Times]:
    work = models.call("models_workload", number, COUNT)
    wanted = models.call("models_sum", work)
    builds, reads = {}, {}
    for who, prefix in DESIGNS.items():
        names = {"f": getattr(models.library, f"{prefix}_build"), "w": work}
        builds[who] = Case("f(w)", names, COUNT.__eq__, per=COUNT, loop=False)
        made = models.call(f"{prefix}_make", work)
        names = {"f": getattr(models.library, f"{prefix}_read"), "c": made, "n": COUNT}
        reads[who] = Case("f(c, n)", names, wanted.__eq__, per=COUNT, loop=False)
    return [compare(f"build: {name}", builds, rounds), compare(f"read: {name}", reads, rounds)]


def measure(settings: Settings) -> Measured:
    models = Models()
    kept = [_bytes(models, number, name) for number, (name, _) in KINDS.items()]
    times = [_times(models, number, name, settings.rounds) for number, (name, _) in KINDS.items()]
    return Measured(kept + [pair[0] for pair in times] + [pair[1] for pair in times])


def judge(measured: list[Times]) -> list[Goal]:
    limits = dict(KINDS.values())
    goals = []
    for times in measured:
        for who in (OURS, FACE) if times.unit == "bytes an item" else ():
            total = times.median(who) * COUNT
            each = f"{times.median(who):.2f} an item"
            limit = limits[times.case] * COUNT + _LIST
            goals.append(Goal(times.case, who, "", each, Spread.of([total]), limit, " bytes"))
    return goals
