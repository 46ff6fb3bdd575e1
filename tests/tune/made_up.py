"""Made-up reports, as realistic as can be, for the tests of what shows and keeps them."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable
from dataclasses import replace

from jitffi.profiles.candidates import DEFAULT, Pads
from jitffi.tune.records import Counts, Failure, Interval, Trial
from jitffi.tune.reports.report import Report

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


def around(median: float, spread: float) -> Interval:
    return Interval(median * (1 - spread), median, median * (1 + spread))


def counts(peak: int, python_peak: int = 4096, allocations: int = 1000) -> Counts:
    return Counts(allocations, 64 * allocations, peak, python_peak)


def default(seconds: float = 0.00231, peak: int = 800_000) -> Trial:
    return Trial(DEFAULT, around(seconds, 0.006), around(1.0, 0.006), counts(peak), runs=6)


def trial(pads: Pads, relative: float, spread: float = 0.01, seconds: float = 0.00231, peak: int = 800_000) -> Trial:
    ratio = around(relative, spread)
    times = Interval(ratio.low * seconds, relative * seconds, ratio.high * seconds)
    return Trial(pads, times, ratio, counts=counts(peak), runs=6)


def uniform(relatives: Iterable[float], peaks: Iterable[int], seconds: float = 0.00231) -> tuple[Trial, ...]:
    pairs = enumerate(zip(relatives, peaks, strict=True))
    return tuple(trial(Pads(pad), relative, seconds=seconds, peak=peak) for pad, (relative, peak) in pairs)


def words() -> Report:
    """English words in UCS4: a clear winner, finer than one pad for all; some are unmeasured, one has failed."""
    relatives = [1.3, 1.01, 0.82, 0.66, 0.55, 0.5, 0.47, 0.44, 0.45, 0.46, 0.47, 0.48, 0.5, 0.51, 0.53, 0.54]
    trials = list(uniform(relatives, [700_000 + 41_000 * abs(pad - 3) for pad in range(16)]))
    trials[0] = Trial(Pads(0), counts=counts(812_000), pruned="there was no time for it")
    for pad in (12, 13, 15):
        trials[pad] = Trial(Pads(pad), counts=counts(1_210_000), pruned="interrupted")
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
        environment=ENVIRONMENT,
        notes=("3 bytes of the corpus are no UTF-8: read as U+FFFD",),
        explanation="With pad 7, more text lies in its slot: a pass makes 10 allocations instead of 1,000.",
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
    trials = [Trial(Pads(pad), counts=counts(50_000)) for pad in range(16)]
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


def one_pad() -> Report:
    """Words in UTF-8: one pad for all."""
    relatives = [1.41, 0.99, 0.81, 0.8, 0.79, 0.8, 0.82, 0.83, 0.85, 0.86, 0.88, 0.9, 0.91, 0.93, 0.94, 0.96]
    trials = uniform(relatives, [640_000 + 33_000 * pad for pad in range(16)])
    functions = {WORDS: {"*": 4, "[]": 4}}
    made = Report("words.py", 4, trials[4], default(peak=640_000), trials, (), functions, around(1.0, 0.01))
    return replace(made, environment=ENVIRONMENT, runs=7, items=12000, elapsed=30.2)


def hostile() -> Report:
    """Text of users that means something to browsers and terminals, in all places that have any."""
    script = "<script>window.hit = 1</script>\"' onload='window.hit=1' <img src=http://example.org/x onerror=alert(1)>"
    texts = [
        script,
        "\u202edrow eht\u2066",
        "\x1b[31mred\x07\0",
        "$\\frac{1}{2}$ {curly} &amp; ]]>",
        "\ud800 half",
        "x" * 10240,
    ]
    name = " ".join(texts)
    best = Pads(3, ((f"{name}:0123456789abcdef", ((name, 4), ("[]", 1))),))
    winner = trial(best, 0.5)
    trials = list(uniform([0.6 + pad / 40 for pad in range(16)], [100_000] * 16))
    for pad, text in enumerate(texts, 5):
        trials[pad] = Trial(Pads(pad), failure=Failure(text))
    trials[15] = Trial(Pads(15), pruned=name)
    return Report(
        name,
        3,
        winner,
        default(),
        tuple(trials),
        (winner,),
        {best.functions[0][0]: dict(best.functions[0][1])},
        around(1.0, 0.01),
        {name: name, "cpu": name, "caches": {name: 1}},
        (name, "a line\nand another"),
        False,
        name,
        5,
        10,
    )


def extreme() -> Report:
    """Numbers beyond what anybody expects."""
    relatives = [1e-3, 0.04, 0.5, 3.0, 77.0, 1234.0, 98765.0, 1.0, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 200.0]
    trials = list(uniform(relatives, [1, 2, 10**3, 10**6, 10**9, 10**12, *[10**5] * 10], seconds=1e-9))
    trials[7] = Trial(Pads(7), Interval(0.0, 1e-9, math.inf), Interval(0.0, 1.0, math.inf), counts(0, 0), 1)
    trials[9] = replace(trials[9], relative=Interval(1e-9, 2.0, 1e9))
    return Report(
        "extreme.py",
        0,
        trials[0],
        Trial(DEFAULT, around(1e-9, 0.5), around(1.0, 0.5), counts(10**15), 1),
        tuple(trials),
        noise=Interval(0.0, 1.0, math.inf),
        environment=ENVIRONMENT,
        runs=1,
        items=10**9,
        elapsed=1e6,
    )


def crowded() -> Report:
    """All that are there lie over each other, and there are many finer ones with long names."""
    pads = [
        Pads(3, ((f"a_function_whose_name_is_long_{n:02}" * 3 + f":{n:016x}", (("a_variable" * 6, 1),)),))
        for n in range(40)
    ]
    refined = tuple(trial(each, 0.8 + number / 1e5, peak=500_000) for number, each in enumerate(pads))
    trials = uniform([0.8 + pad / 1e4 for pad in range(16)], [500_000] * 16)
    functions = {key: dict(variables) for each in pads for key, variables in each.functions}
    return Report("crowded.py", 3, refined[0], default(), trials, refined, functions, around(1.0, 0.05), runs=9)


def screened() -> Report:
    """Most have been measured in one process only, which something disturbed: what they seem to gain is not so."""
    trials = [replace(trial(Pads(pad), 0.25 + pad / 100, 0.0), runs=1) for pad in range(16)]
    for pad in (10, 11, 12):
        trials[pad] = trial(Pads(pad), 0.62 + abs(pad - 11) / 100)
    functions = {WORDS: {"*": 11, "[]": 11}}
    return Report("screened.py", 11, trials[11], default(), tuple(trials), (), functions, around(1.0, 0.01), runs=6)


def no_default() -> Report:
    """The default fails, and with it all that is compared; some others work."""
    trials = [replace(trial(Pads(pad), 1 + pad / 10), relative=None) for pad in range(16)]
    failing = Trial(DEFAULT, failure=Failure("OverflowError: 3 is too much"))
    return Report("no_default.py", None, None, failing, tuple(trials), runs=6)


def sleeping() -> Report:
    """Nothing has pads but a parameter: no memory is counted."""
    trials = tuple(replace(trial(Pads(pad), 1 - pad / 20), counts=None) for pad in range(0, 16, 5))
    return Report("sleep.py", 15, trials[-1], replace(default(), counts=None), trials, runs=5)


ALL = {
    make.__name__: make
    for make in (
        words,
        one_pad,
        flat,
        interrupted,
        empty,
        failed,
        screened,
        no_default,
        sleeping,
        crowded,
        extreme,
        hostile,
    )
}
