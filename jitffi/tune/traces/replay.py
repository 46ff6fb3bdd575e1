"""A trace as a workload: a generated file whose `workload(item)` plays a recorded call.

For each traced function that has text to keep there is a script of its own, which stands for it: the tuner asks for its
pads under the traced function's key, so that a profile fits the program that was traced.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from jitffi.profiles.candidates import POOLS
from jitffi.tune.records import Sample
from jitffi.tune.traces import player, trace
from jitffi.tune.workload import Parameters, Workload

if TYPE_CHECKING:
    from jitffi.tune.traces.trace import Function, Trace

#: Functions that are played: each is compiled for every candidate.
MOST_FUNCTIONS = 6
#: Types of arguments that can be made up for a call, as far as the kinds of the recorded ones tell.
_SIMPLE = frozenset("suwybiIf")


def read(path: str | os.PathLike[str], seed: int = 0) -> tuple[Workload, Sample]:
    """Return the workload that plays the trace in the file *path*, and a sample of its calls as items: as many of a
    kind as there were. TraceError and other errors as `trace.read`."""
    found = trace.read(path, seed)
    name = os.path.basename(os.fsdecode(os.fspath(path)))
    calls = [(function, body, trace.parse(body)) for function, body in found.calls]
    scripts, typed, notes = _choose(found, calls)
    used: dict[int, set[str]] = {number: set() for number in scripts}
    items: list[str] = []
    for number, body, call in calls:
        if number in used:
            used[number].update([step for step, _ in player.names_of(call)])
        elif number not in typed or call.result is None or not all(each.kind in _SIMPLE for each in call.arguments):
            continue
        items.append(f"{number} {body}")
    text = _module_text(name, found, used, typed)
    sample = Sample(tuple(items), (*found.notes, *notes))
    return Workload(name, f"<replay of {name}>", text, parameters=Parameters(True, bool(typed), bool(typed))), sample


def _choose(found: Trace, calls: Sequence[tuple[int, str, trace.Call]]) -> tuple[list[int], list[int], list[str]]:
    """Return the numbers of the scripts and of the typed functions to play, those with most text first; and notes."""
    weights: Counter[int] = Counter()
    for number, _, call in calls:
        weights[number] += sum([1 + size for _, size in player.names_of(call)])
    scripts, typed = [], []
    padded = unknown = 0
    for number, _ in weights.most_common():
        function = found.functions[number]
        if function.padded:
            padded += 1
        elif not function.key:
            unknown += 1
        elif function.is_script:
            scripts.append(number)
        elif _gives_text(function):
            typed.append(number)
    notes = []
    if padded:
        notes.append(f"{padded} functions of the trace say their pads themselves: not played")
    if unknown:
        notes.append(f"{unknown} functions of the trace cannot be told by their text: not played")
    left = len(scripts) + len(typed) - MOST_FUNCTIONS
    if left > 0:
        notes.append(f"{left} functions of the trace that handle least text: not played")
    chosen = [number for number in weights if number in scripts or number in typed]
    chosen = sorted(chosen, key=lambda number: -weights[number])[:MOST_FUNCTIONS]
    if not chosen and calls:
        notes.append("there is no function in the trace whose pads could be chosen")
    return [each for each in scripts if each in chosen], [each for each in typed if each in chosen], notes


def _gives_text(function: Function) -> bool:
    """Return whether its result is text that comes in a slot."""
    return function.signature.rpartition("->")[2].strip().removesuffix("| None").strip() in ("str", "bytes", "ucs4")


def _module_text(name: str, found: Trace, used: dict[int, set[str]], typed: Sequence[int]) -> str:
    parts = [
        f"# Calls that were recorded in {name!r}, played: scripts stand for the functions that were called.",
        "import jitffi",
        "from jitffi.profiles import function_ids",
        "from jitffi.tune.traces import player",
    ]
    for number, steps in used.items():
        function = found.functions[number]
        variables = [each for each, kinds in (("*", ("local", "key")), (POOLS, ("list", "dict"))) if _any(steps, kinds)]
        place = f"function_ids.Place({function.name!r}, {function.file!r}, {function.line}, {tuple(variables)!r})"
        parts.append(player.script_text(f"replay_{number}", steps))
        parts.append(f"function_ids.adopt_id(replay_{number}, {function.key!r}, {place})")
    scripts = ", ".join([f"{number}: replay_{number}" for number in used])
    names = {number: (found.functions[number].name, found.functions[number].signature) for number in typed}
    parts.append(f"replay = player.Player({{{scripts}}}, {names!r})")
    parts.append("setup = replay.prepare")
    if typed:
        parts.append("def workload(item, pad=None):\n    replay.play_padded(item, pad)")
    else:
        parts.append("workload = replay.play")
    return "\n\n".join(parts) + "\n"


def _any(steps: set[str], kinds: tuple[str, ...]) -> bool:
    return any(each.partition(" ")[0] in kinds for each in steps)
