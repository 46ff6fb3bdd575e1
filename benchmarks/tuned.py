"""Processes that the group `tuning` starts: one that tunes, and the program that is run with the profile or without.

    python -m benchmarks.tuned tune WORKLOAD SEED BUDGET PROFILE    what was chosen, and the trials, as JSON
    python -m benchmarks.tuned run WORKLOAD PASSES [PAD]            nanoseconds an element, a pass each; it does nothing
                                                                    of its own for the profile

A choice is written as exhaustive.py takes it: "default", "pad 3", or by script what its `pad=` would be.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from types import ModuleType
from typing import TYPE_CHECKING, Any

from benchmarks import exhaustive
from benchmarks.exhaustive import DEFAULT, ROWS

if TYPE_CHECKING:
    from jitffi.profiles.candidates import Pads


def _given(pads: Pads, script: Any) -> Any:
    """What `pad=` of a script would be for these pads."""
    from jitffi.profiles import pads as keys
    from jitffi.profiles.candidates import OTHERS, POOLS

    named = dict(dict(pads.functions).get(keys.key(script.__wrapped__), ()))
    if pads.everywhere is not None:
        named = {OTHERS: pads.everywhere, POOLS: pads.everywhere} | named
    return named or None


def _choice(module: ModuleType, pads: Pads) -> str | dict[str, Any]:
    if pads.is_default:
        return DEFAULT
    if pads.everywhere is not None and not pads.functions:
        return f"pad {pads.everywhere}"
    return {name: _given(pads, script) for name, script in exhaustive.scripts_of(module).items()}


def tune(name: str, seed: int, budget: float, profile: str) -> dict[str, Any]:
    import jitffi

    row = ROWS[name]
    module = exhaustive.module_of(row)
    report = jitffi.autotune(str(module.__file__), corpus=exhaustive.items_of(row), budget=budget, seed=seed)
    report.save(profile)
    winner = report.winner
    relative = (1.0, 1.0, 1.0)
    if winner is not None and winner.relative is not None:
        relative = (winner.relative.low, winner.relative.median, winner.relative.high)
    return {
        "choice": DEFAULT if winner is None else _choice(module, winner.pads),
        "best": report.best,
        "relative": relative,
        "seconds": report.elapsed,
        "notes": report.notes,
    }


def run(name: str, passes: int, pad: int | None) -> list[float]:
    row = ROWS[name]
    module, items = exhaustive.module_of(row), exhaustive.items_of(row)
    if hasattr(module, "setup"):
        module.setup(items)
    more = () if pad is None else (pad,)
    per, spent = exhaustive.elements(module, items), []
    gc.disable()
    for number in range(passes + 2):
        start = time.thread_time()
        for item in items:
            module.workload(item, *more)
        if number > 1:
            spent.append(1e9 * (time.thread_time() - start) / per)
    return spent


def main(task: str, name: str, *rest: str) -> object:
    if task == "tune":
        seed, budget, profile = rest
        return tune(name, int(seed), float(budget), profile)
    passes, *pad = rest
    return run(name, int(passes), int(pad[0]) if pad else None)


if __name__ == "__main__":
    print(json.dumps(main(*sys.argv[1:])))
