"""What the tuner's choice is judged by: every pad of a workload measured long, by code that has no part in the tuner.

A process times one workload: `python -m benchmarks.exhaustive WORKLOAD ROUNDS SEED [FINER]` prints {candidate:
[nanoseconds an element, one a round]}. Scripts are compiled with `pad=n` each, the default without; FINER, JSON, has
other candidates: {name: {script: its `pad=`}}. They take turns, in an order that is drawn anew each round.
"""

from __future__ import annotations

import gc
import importlib
import inspect
import itertools
import json
import random
import sys
import time
from collections.abc import Callable
from types import ModuleType
from typing import Any, NamedTuple

from benchmarks import corpora

DEFAULT = "default"
PADS = range(16)


class Row(NamedTuple):
    """A workload file and its corpus. `is_flat`: no pad makes a difference."""

    workload: str
    corpus: str
    is_flat: bool = False


ROWS = {
    "English words, UTF-8": Row("words", "english"),
    "English words, UCS4": Row("native_words", "english"),
    "English words, UCS4, script": Row("wide_words", "english"),
    "characters, long lists": Row("characters", "characters"),
    "CJK phrases": Row("phrases", "cjk"),
    "Cyrillic tokens": Row("tokens", "cyrillic"),
    "identifiers": Row("names", "identifiers"),
    "log lines": Row("log_lines", "log"),
    "JSON keys": Row("json_keys", "json"),
    "vowels": Row("vowels", "english", True),
}
#: Characters of a pass, about: what the scripts make of it is larger than a cache near the processor.
_CHARACTERS = 100_000


def module_of(row: Row) -> ModuleType:
    return importlib.import_module(f"benchmarks.workloads.{row.workload}")


def items_of(row: Row) -> list[str]:
    """Lines of the corpus, as many as a pass takes."""
    lines = corpora.CORPORA[row.corpus]().lines
    seen = list(itertools.accumulate(map(len, lines)))
    return list(lines[: 1 + sum(1 for size in seen if size < _CHARACTERS)])


def scripts_of(module: ModuleType) -> dict[str, Any]:
    """By name in the module, what has been decorated there."""
    import jitffi

    return {name: value for name, value in vars(module).items() if isinstance(value, jitffi.Script)}


def elements(module: ModuleType, items: list[str]) -> int:
    """What a pass makes: items of the lists that the scripts return, or what the counts add up to; else characters."""
    scripts = scripts_of(module)
    made = [script.__wrapped__(item) for script in scripts.values() for item in items]
    if not scripts:
        return sum(len(item.split()) for item in items)
    if isinstance(made[0], int):
        return sum(map(len, items))
    return sum(sum(each.values()) if isinstance(each, dict) else len(each) for each in made)


Pass = Callable[[list[str]], object]
#: By name of the script: what its `pad=` is; what is not named is as it stands.
Finer = dict[str, Any]


def candidates(module: ModuleType, finer: dict[str, Finer]) -> dict[str, Pass]:
    """Name -> what runs a pass with this pad."""
    if takes_pad(module):
        made: dict[str, Pass] = {DEFAULT: lambda items: [module.workload(item) for item in items]}
        for pad in PADS:
            made[f"pad {pad}"] = lambda items, pad=pad: [module.workload(item, pad) for item in items]
        return made
    names = scripts_of(module)
    made = {DEFAULT: _variant(module, {})}
    made |= {f"pad {pad}": _variant(module, dict.fromkeys(names, pad)) for pad in PADS}
    return made | {name: _variant(module, pads) for name, pads in finer.items()}


def takes_pad(module: ModuleType) -> bool:
    return "pad" in inspect.signature(module.workload).parameters


def _variant(module: ModuleType, pads: Finer) -> Pass:
    """A pass in which the module's names stand for scripts of these pads."""
    import jitffi

    plain = scripts_of(module)
    made = {name: jitffi.script(pad=pads.get(name))(script.__wrapped__) for name, script in plain.items()}

    def run(items: list[str]) -> None:
        vars(module).update(made)
        try:
            for item in items:
                module.workload(item)
        finally:
            vars(module).update(plain)

    return run


def measure(row: Row, rounds: int, seed: int, finer: dict[str, Finer]) -> dict[str, list[float]]:
    module, items = module_of(row), items_of(row)
    if hasattr(module, "setup"):
        module.setup(items)
    passes, per = candidates(module, finer), elements(module, items)
    samples: dict[str, list[float]] = {name: [] for name in passes}
    order, shuffled = list(passes), random.Random(seed).shuffle
    gc.disable()
    for number in range(rounds + 2):
        shuffled(order)
        for name in order:
            start = time.thread_time()
            passes[name](items)
            spent = time.thread_time() - start
            if number > 1:  # the first compile, and fill the caches
                samples[name].append(1e9 * spent / per)
    return samples


if __name__ == "__main__":
    name, rounds, seed, *rest = sys.argv[1:]
    print(json.dumps(measure(ROWS[name], int(rounds), int(seed), json.loads(rest[0]) if rest else {})))
