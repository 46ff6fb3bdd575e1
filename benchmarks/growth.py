"""What becomes of a time when there is more of everything: each row at four sizes, beside Python's own.

    map, list, sort, text   a function as it is, by CPython and as a script; ns a key, an item, a byte
    Map from Python         `m[k] = k` and `m[k]` in a loop of Python's, and `Map(d)`, beside the same with a dict
    functions               that many bound and kept; ctypes has one object each, too, with its types
    threads                 64 MiB of checksums shared out among them, without the interpreter's lock; wall time

Keys are `i` or random numbers of 40 bits, which are looked up in another order; words are `w0000000` and on.
"""

from __future__ import annotations

import ctypes
import gc
import os
import random
import threading
import time
import zlib
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.harness import Goal, Measured, Settings, Spread, Times, ratio_goal, rotated

TITLE = "Growth: four sizes of everything"
RELATION = "ratio"
LIMIT = "Python"
OURS = "jitffi"

SIZES = (10_000, 100_000, 1_000_000, 10_000_000)
FUNCTIONS = (10, 100, 1000, 10_000)
THREADS = (1, 2, 4, 8)
SHARED_OUT = 64 << 20
#: Microseconds for a bound function.
BIND = 15.0
#: Items that the rounds of a row have together, as far as they are not too few.
ITEMS = 5_000_000

Contenders = dict[str, Callable[[], Any]]


def fill(keys):
    m = {}
    for k in keys:
        m[k] = 1
    return len(m)


def fill_and_find(keys, order):
    m = {}
    for k in keys:
        m[k] = 1
    total = 0
    for k in order:
        total += m[k]
    return total


def extend(numbers):
    kept = []
    for number in numbers:
        kept.append(number * 2)
    total = 0
    for number in kept:
        total += number
    return total


def order(numbers):
    return sorted(numbers)[len(numbers) // 2]


def lines_with(text, wanted):
    total = 0
    for line in text.split("\n"):
        if wanted in line:
            total += len(line.strip())
    return total


def _timed(case: str, contenders: Contenders, size: int, rounds: int, clock: Callable[[], float]) -> Times:
    """ns for each of *size*; who gives another result than the first is left out."""
    times = Times(case)
    wanted = None
    for name, run in contenders.items():
        result = run()
        wanted = result if wanted is None else wanted
        if result == wanted:
            times.samples[name] = []
        else:
            times.faults[name] = f"wrong result {result!r}"
    gc.collect()
    gc.disable()
    for number in range(rounds):
        for name in rotated(list(times.samples), number):
            start = clock()
            contenders[name]()
            times.samples[name].append((clock() - start) * 1e9 / size)
    gc.enable()
    return times


def _rounds(settings: Settings, size: int) -> int:
    return min(settings.rounds, max(3, ITEMS // size))


def _name(size: int) -> str:
    return f"{size:,}".replace(",", " ")


def _keys(kind: str, size: int) -> tuple[list[Any], list[Any]]:
    if kind == "sequential":
        keys: list[Any] = list(range(size))
        return keys, keys
    draw = random.Random(size)
    keys = [f"w{i:07}" for i in range(size)] if kind == "words" else [draw.getrandbits(40) for _ in range(size)]
    shuffled = keys[:]
    draw.shuffle(shuffled)
    return keys, shuffled


def _scripts(settings: Settings, size: int) -> list[Times]:
    import jitffi

    rounds, found = _rounds(settings, size), []

    def row(case: str, python: Callable[..., Any], *args: Any) -> None:
        script = jitffi.script(python)
        native = [jitffi.List(arg) if isinstance(arg, list) else arg for arg in args]
        both: Contenders = {LIMIT: lambda: python(*args), OURS: lambda: script(*native)}
        found.append(_timed(f"{case}, {_name(size)}", both, size, rounds, time.thread_time))

    for kind in ("sequential", "random", "words"):
        keys, shuffled = _keys(kind, size)
        row(f"map, {kind}: fill", fill, keys)
        row(f"map, {kind}: fill and find", fill_and_find, keys, shuffled)
    numbers = _keys("random", size)[0]
    row("list: append and add up", extend, [number >> 10 for number in numbers])  # whose sum has 64 bits
    row("sort: random numbers", order, numbers)
    lines = "".join(f"{number:x} is the line of {number}\n" for number in numbers[: max(1, size // 3)])
    text = (lines * 10)[: size * 10]
    row("text: lines that contain, 10 characters", lines_with, text, "77")
    return found


def _set_each(cls: Any, keys: list[Any]) -> Any:
    made = cls()
    for key in keys:
        made[key] = key
    return len(made)


def _size_of(cls: Any, source: Any) -> int:
    return len(cls(source))


def _find_each(mapping: Any, keys: list[Any]) -> None:
    for key in keys:
        mapping[key]


def _from_python(settings: Settings, size: int) -> list[Times]:
    import jitffi

    rounds, found = _rounds(settings, size), []
    classes = {LIMIT: dict, OURS: jitffi.Map}
    for kind in ("sequential", "random"):
        keys, shuffled = _keys(kind, size)
        source = dict.fromkeys(keys, 1)
        made = {who: cls(source) for who, cls in classes.items()}
        ways: dict[str, Contenders] = {
            "m[k] = k": {who: partial(_set_each, cls, keys) for who, cls in classes.items()},
            "m[k]": {who: partial(_find_each, made[who], shuffled) for who in classes},
            "Map(d)": {who: partial(_size_of, cls, source) for who, cls in classes.items()},
        }
        for what, contenders in ways.items():
            case = f"from Python, {kind}: {what}, {_name(size)}"
            found.append(_timed(case, contenders, size, rounds, time.thread_time))
    return found


def _bound(settings: Settings, count: int) -> Times:
    import jitffi

    ours, theirs = jitffi.load_library(None), ctypes.CDLL(None)

    def bind() -> Any:
        return len([ours.bind("labs", "(i64) -> i64") for _ in range(count)])

    def declare() -> Any:
        kept = []
        for _ in range(count):
            function = theirs["labs"]
            function.argtypes = [ctypes.c_long]
            function.restype = ctypes.c_long
            kept.append(function)
        return len(kept)

    rounds = min(settings.rounds, max(3, 20_000 // count))
    before = os.environ.pop("JITFFI_COMPILE", None)  # as everywhere: code is made of what is called often
    try:
        return _timed(f"functions bound, {_name(count)}", {LIMIT: declare, OURS: bind}, count, rounds, time.thread_time)
    finally:
        if before is not None:
            os.environ["JITFFI_COMPILE"] = before


def _shared_out(crc32: Callable[[Any], int], size: int, threads: int) -> Callable[[], Any]:
    parts = [bytearray(size // threads) for _ in range(threads)]

    def run() -> Any:
        sums = [0] * threads

        def one(at: int) -> None:
            sums[at] = crc32(parts[at])

        started = [threading.Thread(target=one, args=(at,)) for at in range(threads)]
        for each in started:
            each.start()
        for each in started:
            each.join()
        return sums

    return run


def _threads(settings: Settings, size: int) -> list[Times]:
    import jitffi

    bound = jitffi.load_library("libz.so.1").bind("crc32", "(u64, ptr, u32) -> u64", nogil=True)
    found = []
    for threads in THREADS:
        both = {
            LIMIT: _shared_out(zlib.crc32, size, threads),
            OURS: _shared_out(lambda part: bound(0, part, len(part)), size, threads),
        }
        rounds = min(settings.rounds, 9)
        found.append(_timed(f"threads, {threads}", both, size, rounds, time.perf_counter))
    return found


def measure(settings: Settings) -> Measured:
    is_quick = settings.rounds <= 5
    measured = Measured()
    for size in (SIZES[0] // 10,) if is_quick else SIZES:
        measured.times += _scripts(settings, size)
        measured.times += _from_python(settings, size)
    measured.times += [_bound(settings, count) for count in (FUNCTIONS[:2] if is_quick else FUNCTIONS)]
    measured.times += _threads(settings, SHARED_OUT // 64 if is_quick else SHARED_OUT)
    return measured


def judge(measured: list[Times]) -> list[Goal]:
    goals = []
    for times in measured:
        if times.case.startswith(("map", "list", "sort", "text")):
            goals += ratio_goal(times, OURS, LIMIT, 1.0)
        elif times.case.startswith("functions") and OURS in times.samples:
            micros = Spread.of([each / 1e3 for each in times.samples[OURS]])
            goals.append(Goal(times.case, OURS, "", "", micros, BIND, " us"))
    return goals
