"""Made-up reports, as realistic as can be, for the tests of what shows and keeps them."""

from __future__ import annotations

import random
from collections.abc import Iterable

from jitffi.tune.records import DEFAULT, Counts, Failure, Interval, Pads, Trial
from jitffi.tune.report import Report

WORDS, LINES = "split_words:0123456789abcdef", "shouted:fedcba9876543210"
ENVIRONMENT = {
    "cpu": "AMD EPYC 7B13",
    "caches": {"L1d": 32768, "L2": 524288, "L3": 33554432},
    "llvm": "20.1.8",
    "abi": 1,
    "python": "3.11.7",
    "jitffi": "0.1.0",
    "platform": "Linux-6.1-x86_64",
}
#: Words by their length, in 4 bytes a character.
HISTOGRAM = tuple((4 * length, round(9000 * 0.75 ** abs(length - 5))) for length in range(3, 25))


def around(median: float, spread: float) -> Interval:
    return Interval(median * (1 - spread), median, median * (1 + spread))


def counts(peak: int, python_peak: int = 4096, allocations: int = 1000) -> Counts:
    return Counts(allocations, 64 * allocations, peak, python_peak, ((32, allocations // 2), (64, allocations // 2)))


def default(seconds: float = 0.00231, peak: int = 800_000) -> Trial:
    return Trial(DEFAULT, around(seconds, 0.006), around(1.0, 0.006), 1.0, counts(peak), runs=6)


def trial(pads: Pads, relative: float, spread: float = 0.01, seconds: float = 0.00231, peak: int = 800_000) -> Trial:
    ratio = around(relative, spread)
    times = Interval(ratio.low * seconds, relative * seconds, ratio.high * seconds)
    return Trial(pads, times, ratio, relative * 1.04, counts(peak), runs=6)


def uniform(relatives: Iterable[float], peaks: Iterable[int], seconds: float = 0.00231) -> tuple[Trial, ...]:
    pairs = enumerate(zip(relatives, peaks, strict=True))
    return tuple(trial(Pads(pad), relative, seconds=seconds, peak=peak) for pad, (relative, peak) in pairs)


def words() -> Report:
    """English words in UCS4: a clear winner, finer than one pad for all; some are pruned, one has failed."""
    relatives = [1.3, 1.01, 0.82, 0.66, 0.55, 0.5, 0.47, 0.44, 0.45, 0.46, 0.47, 0.48, 0.5, 0.51, 0.53, 0.54]
    trials = list(uniform(relatives, [700_000 + 41_000 * abs(pad - 3) for pad in range(16)]))
    trials[0] = Trial(Pads(0), predicted=1.3, counts=counts(812_000), pruned="pruned: predicted 1.30 of the default")
    for pad in (12, 13, 15):
        trials[pad] = Trial(Pads(pad), predicted=0.6, counts=counts(1_210_000), pruned="pruned: 12 is as fast")
    trials[14] = Trial(Pads(14), failure=Failure("MemoryError: 1.2 GiB asked for"))
    best = Pads(7, ((WORDS, (("[]", 5), ("word", 7))), (LINES, (("*", 0),))))
    winner = trial(best, 0.41, peak=690_000)
    return Report(
        "words.py",
        best=7,
        winner=winner,
        default=default(),
        trials=tuple(trials),
        refined=(winner, trial(Pads(7, ((LINES, (("*", 0),)),)), 0.43, peak=760_000)),
        functions={WORDS: {"[]": 5, "word": 7, "*": 7}, LINES: {"*": 0, "[]": 7}},
        noise=around(1.0, 0.008),
        histogram=HISTOGRAM,
        environment=ENVIRONMENT,
        notes=("3 bytes of the corpus are no UTF-8: read as U+FFFD",),
        explanation="At pad 7, 93 % of the strings are kept in their slots instead of on the heap (31 % by default). "
        "A pass allocates 61 000 times less and moves 2.1 MB more.",
        runs=6,
        items=12000,
        elapsed=27.4,
    )


def flat() -> Report:
    """Nothing that matters: all pads are equally fast."""
    chance = random.Random(6)
    relatives = [1 + chance.uniform(-0.008, 0.008) for _ in range(16)]
    return Report(
        "numbers.py",
        default=default(0.0411, 90_000),
        trials=uniform(relatives, [90_000 + 1000 * pad for pad in range(16)], 0.0411),
        noise=around(1.0, 0.009),
        environment=ENVIRONMENT,
        runs=8,
        items=500,
        elapsed=12.0,
    )


def interrupted() -> Report:
    """Ctrl-C in the second process: a few times, no winner."""
    trials = [Trial(Pads(pad), predicted=1 + pad / 50, counts=counts(50_000)) for pad in range(16)]
    for pad in (1, 2, 3):
        trials[pad] = trial(Pads(pad), 0.9 - pad / 100, 0.2, peak=50_000)
    return Report(
        "lines.py",
        default=default(),
        trials=tuple(trials),
        environment=ENVIRONMENT,
        notes=("interrupted after 2 of 5 processes: too few for a winner",),
        interrupted=True,
        runs=2,
        items=100,
        elapsed=3.1,
    )


def empty() -> Report:
    """An empty corpus."""
    return Report(
        "words.py",
        trials=tuple(Trial(Pads(pad)) for pad in range(16)),
        environment=ENVIRONMENT,
        notes=("the corpus is empty: nothing was measured",),
    )


def failed() -> Report:
    """No candidate could be run, the default neither."""
    failure = Failure("killed by signal 11")
    trials = tuple(Trial(Pads(pad), failure=failure) for pad in range(16))
    return Report("crash.py", default=Trial(DEFAULT, failure=failure), trials=trials, environment=ENVIRONMENT)


ALL = {"words": words, "flat": flat, "interrupted": interrupted, "empty": empty, "failed": failed}
