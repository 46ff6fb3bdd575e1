"""The tuner on real text: is its choice the best, does it pay, is it what a program gets?

    exhaustive    all pads of a workload, long, interleaved, in several processes, by code that is not the tuner's
    choice        the tuner, ten times with another seed: the time of what it chose by that of the best pad, both from
                  the exhaustive run, round by round, where one half of the rounds says which pad is the best, and the
                  other how it compares
    profile       the program in new processes, with the saved profile and without, in turn

exhaustive.py has the workloads with their corpora, corpora.py where their text is from.
"""

from __future__ import annotations

import json
import math
import os
import pathlib
import random
import statistics
import subprocess
import sys
import tempfile
from typing import Any

from benchmarks import corpora, exhaustive
from benchmarks.exhaustive import DEFAULT, PADS, ROWS, Row
from benchmarks.harness import Goal, Measured, Settings, Spread, Times

TITLE = "Padding, tuned; ns an element by pad"
RELATION = "ratio"
LIMIT = DEFAULT

#: The tuner's choice takes at most this part of the best pad's time, in this share of its repeats.
WITHIN, SHARE = 1.05, 0.9
#: Workload -> the choice's time is at most this part of the default's. The cheaper text on the heap gets, the less is
#: to be gained: these are what pads gained when the default took 29 ns a word, and 46 in the script.
GAINS = {"English words, UCS4": 1 / 1.3, "English words, UCS4, script": 1 / 1.2, "characters, long lists": 1.0}
REPEATS, BUDGET = 10, 10.0
#: Of the quick mode, which shows that it runs.
QUICK = ("English words, UCS4, script", "vowels")
UNIT = {"choice": "times the best pad's", "winners": "repeats", "profile": "ns, by process"}
REPORTED = ("reported, low", "reported", "reported, high")


def _python(module: str, *arguments: object, **variables: str) -> Any:
    """What a new process prints."""
    command = [sys.executable, "-m", f"benchmarks.{module}", *map(str, arguments)]
    environment = {name: value for name, value in os.environ.items() if name not in ("JITFFI_PROFILE", "JITFFI_TRACE")}
    done = subprocess.run(command, capture_output=True, text=True, env=environment | variables)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command[2:5])}: {done.stderr.strip()[-800:]}")
    return json.loads(done.stdout)


def _label(choice: Any) -> str:
    """Name of a choice among the candidates of the exhaustive run."""
    return choice if isinstance(choice, str) else f"finer {json.dumps(choice, sort_keys=True)}"


def _exhaustive(name: str, chosen: list[dict[str, Any]], settings: Settings) -> Times:
    """All pads, and what the tuner chose that is none of them."""
    finer = {_label(each["choice"]): each["choice"] for each in chosen if not isinstance(each["choice"], str)}
    times = Times(name)
    for seed in range(settings.repeats):
        found = _python("exhaustive", name, settings.rounds, seed, json.dumps(finer))
        for candidate, samples in found.items():
            times.samples.setdefault(candidate, []).extend(samples)
    return times


def over_best(times: Times, choice: str, seed: int) -> float:
    """The choice's time by that of the best pad, round by round, as a machine that others use, too, is another one from
    second to second. Of many candidates that are equal the fastest of a sample is so by luck: the best is found in one
    half of the rounds, drawn by *seed*, and timed in the other."""
    rounds = list(range(len(times.samples[DEFAULT])))
    random.Random(seed).shuffle(rounds)
    seen, kept = rounds[::2], rounds[1::2] or rounds

    def relative(candidate: str, to: str, which: list[int]) -> float:
        mine, other = times.samples[candidate], times.samples[to]
        return statistics.median(mine[number] / other[number] for number in which)

    uniform = [DEFAULT, *(f"pad {pad}" for pad in PADS)]
    best = min(uniform, key=lambda candidate: relative(candidate, DEFAULT, seen))
    return relative(choice, best, kept)


def _profile(name: str, row: Row, chosen: dict[str, Any], path: str, settings: Settings) -> Times:
    """New processes, with the profile and without, in turn. A workload that takes a pad is given it."""
    times = Times(f"{name}: the program", UNIT["profile"])
    takes_pad = exhaustive.takes_pad(exhaustive.module_of(row))
    more = [] if not takes_pad or chosen["best"] is None else [chosen["best"]]
    for _ in range(settings.repeats):
        plain = _python("tuned", "run", name, settings.rounds)
        variables = {} if takes_pad else {"JITFFI_PROFILE": path}
        tuned = _python("tuned", "run", name, settings.rounds, *more, **variables)
        times.samples.setdefault(DEFAULT, []).append(statistics.median(plain))
        times.samples.setdefault("with the choice", []).append(statistics.median(tuned))
    for who, factor in zip(REPORTED, chosen["relative"], strict=True):
        times.samples[who] = [factor * time for time in times.samples[DEFAULT]]
    return times


def measure(settings: Settings) -> Measured:
    is_quick = settings.starts < 5
    repeats, budget = (1, 2.0) if is_quick else (REPEATS, BUDGET)
    measured = Measured()
    with tempfile.TemporaryDirectory() as directory:
        for name, row in ROWS.items():
            if is_quick and name not in QUICK:
                continue
            profiles = [str(pathlib.Path(directory, f"{row.workload}-{seed}.json")) for seed in range(repeats)]
            chosen = [_python("tuned", "tune", name, seed, budget, path) for seed, path in enumerate(profiles)]
            times = _exhaustive(name, chosen, settings)
            measured.times += [times, *_choices(name, times, chosen)]
            if chosen[0]["choice"] != DEFAULT:
                measured.times.append(_profile(name, row, chosen[0], profiles[0], settings))
            measured.remarks.append(f"{name}: {corpora.CORPORA[row.corpus]().source}; {_told(chosen)}")
    return measured


def _told(chosen: list[dict[str, Any]]) -> str:
    seconds = statistics.median(each["seconds"] or 0.0 for each in chosen)
    return f"chosen: {', '.join(_label(each['choice']) for each in chosen)}; {seconds:.1f} s each"


def _choices(name: str, times: Times, chosen: list[dict[str, Any]]) -> list[Times]:
    labels = [_label(each["choice"]) for each in chosen]
    ratios = [over_best(times, label, seed) for seed, label in enumerate(labels)]
    gains = [times.ratio(label, DEFAULT).median for label in labels]
    share = sum(label != DEFAULT for label in labels) / len(labels)
    choice = Times(f"{name}: the choice", UNIT["choice"], {"tuner": ratios, "by the default's": gains})
    winners = Times(f"{name}: winners", UNIT["winners"], {"tuner": [share]})
    return [choice, winners] if ROWS[name].is_flat else [choice]


def _most(values: list[float]) -> Spread:
    """What nine of ten are at most, and the spread of all."""
    ordered = sorted(values)
    return Spread(ordered[math.ceil(SHARE * len(ordered)) - 1], ordered[0], ordered[-1])


def judge(measured: list[Times]) -> list[Goal]:
    goals = []
    for times in measured:
        name = times.case.partition(": ")[0]
        if times.unit == UNIT["choice"]:
            tuner, gains = times.samples["tuner"], times.samples["by the default's"]
            count = sum(ratio <= WITHIN for ratio in tuner)
            goals.append(Goal(name, "the choice", "best pad", f"{count} of {len(tuner)}", _most(tuner), WITHIN))
            if name in GAINS:
                goals.append(Goal(name, "the choice", DEFAULT, "", _most(gains), round(GAINS[name], 3)))
        elif times.unit == UNIT["winners"]:
            goals.append(Goal(name, "a winner", "", "", Spread.of(times.samples["tuner"]), round(1 - SHARE, 3)))
        elif times.unit == UNIT["profile"]:
            low, high = (times.ratio(who, DEFAULT).median for who in (REPORTED[0], REPORTED[2]))
            figure = times.ratio("with the choice", DEFAULT)
            told = f"reported {low:.3f} to {high:.3f}"
            goals.append(Goal(name, "new process, profile", "without", told, figure, round(max(high, low), 3)))
    return goals
