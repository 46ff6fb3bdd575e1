"""A trace as a workload: a generated file whose `workload(item)` plays a recorded call.

For each traced function that has text to keep there is a script of its own, which stands for it: the tuner asks for its
pads under the traced function's key, so that a profile fits the program that was traced.
"""

from __future__ import annotations

import os
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

from jitffi.profiles.candidates import POOLS
from jitffi.tune.records import Sample
from jitffi.tune.traces import player, trace
from jitffi.tune.workload import Workload

if TYPE_CHECKING:
    from jitffi.tune.traces.trace import Function, Trace

#: Functions that are played: each is compiled for every candidate.
MOST_FUNCTIONS = 6


def read(path: str | os.PathLike[str], seed: int = 0) -> tuple[Workload, Sample]:
    """Return the workload that plays the trace in the file *path*, and a sample of its calls as items: as many of a
    kind as there were. Errors as `trace.read`."""
    found = trace.read(path, seed)
    name = os.path.basename(os.fsdecode(os.fspath(path)))
    weights: Counter[int] = Counter()
    used: defaultdict[int, set[str]] = defaultdict(set)
    for number, body in found.calls:
        steps = player.names_of(trace.parse(body))
        weights[number] += sum([1 + size for _, size in steps])
        used[number].update([step for step, _ in steps])
    left = Counter([why for number in weights if (why := _refusal(found.functions[number]))])
    scripts = [number for number, _ in weights.most_common() if not _refusal(found.functions[number])]
    if len(scripts) > MOST_FUNCTIONS:
        left["that handle least text"] = len(scripts) - MOST_FUNCTIONS
    played = {number: used[number] for number in scripts[:MOST_FUNCTIONS]}
    notes = [*found.notes, *[f"{count} functions of the trace {why}: not played" for why, count in left.items()]]
    if found.calls and not played:
        notes.append("there is no function in the trace whose pads could be chosen")
    items = [f"{number} {body}" for number, body in found.calls if number in played]
    text = _module_text(name, found, played)
    return Workload(name, f"<replay of {name}>", text), Sample(tuple(items), tuple(notes))


def _refusal(function: Function) -> str:
    """Return what functions are or do that are not played as this one is not; "" if it is."""
    if function.padded:
        return "say their pads themselves"
    if not function.key:
        return "cannot be told by their text"
    return "" if function.is_script else "are no scripts"


def _module_text(name: str, found: Trace, played: dict[int, set[str]]) -> str:
    """Return the text of the file that plays functions, by number, with the steps of each."""
    parts = [
        f"# Calls that were recorded in {name!r}, played: scripts stand for the functions that were called.",
        "import jitffi",
        "from jitffi.profiles import function_ids",
        "from jitffi.tune.traces import player",
    ]
    for number, steps in played.items():
        function = found.functions[number]
        kinds = {step.partition(" ")[0] for step in steps}
        variables = [each for each, of in (("*", {"local", "key"}), (POOLS, {"list", "dict"})) if kinds & of]
        place = f"function_ids.Place({function.name!r}, {function.file!r}, {function.line}, {tuple(variables)!r})"
        parts.append(player.script_text(f"replay_{number}", steps))
        parts.append(f"function_ids.adopt_id(replay_{number}, {function.key!r}, {place})")
    scripts = ", ".join([f"{number}: replay_{number}" for number in played])
    parts.append(f"replay = player.Player({{{scripts}}})")
    parts.append("setup = replay.prepare")
    parts.append("workload = replay.play")
    return "\n\n".join(parts) + "\n"
