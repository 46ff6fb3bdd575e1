"""Recorded calls, played: what a replay's generated file calls in the process that measures.

    "2 s5 > l3[u5:15]"  --steps-->  bytes, four a step  --script-->  text of that kind and length goes through a local
                                                                     variable, into a list or dict, with the candidate's
                                                                     pads

A script is one loop over its steps (STEPS has their code), so that what it does is what was recorded, whatever the
function did beside. Text is a part of one long text; that of wide text is UCS4, so that it is borrowed, not converted.
"""

from __future__ import annotations

import functools
import random
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from jitffi.tune.traces import trace
from jitffi.tune.traces.trace import DICTS, LISTS, TEXTS, Call, Value

if TYPE_CHECKING:
    from jitffi.scripts.api.script import Script

#: The name of each, and the length of its text.
Steps = list[tuple[str, int]]

#: Text is no longer than this, and begins at one of so many places.
LONGEST, STARTS = 8192, 1024
#: Of one call: what it would do beyond is left out.
MOST_STEPS = 50_000

_PART = "{0}[start:middle] + {0}[middle : start + n]"
#: What a step does, by number, and the variables that it needs.
STEPS: dict[str, tuple[int, str, tuple[str, ...]]] = {
    "local s": (0, f"text = {_PART.format('narrow')}", ("text",)),
    "local w": (1, f"text = {_PART.format('wide')}", ("text",)),
    "local y": (2, f"data = {_PART.format('raw')}", ("data",)),
    "list": (3, "items = []\nkept.append(items)", ("items",)),
    "dict": (4, "table = {}\nkept.append(table)", ("table",)),
    "add text": (5, "items.append(text)", ("text", "items")),
    "add y": (6, "items.append(data)", ("data", "items")),
    "add n": (7, "items.append(None)", ("items",)),
    "key s": (8, f"key = {_PART.format('narrow')}", ("key",)),
    "key w": (9, f"key = {_PART.format('wide')}", ("key",)),
    "put text": (10, "table[key] = text", ("key", "text", "table")),
    "put y": (11, "table[key] = data", ("key", "data", "table")),
    "put n": (12, "table[key] = None", ("key", "table")),
    "put by I text": (13, "table[at + 100000] = text", ("text", "table")),
    "put by I n": (14, "table[at + 100000] = None", ("table",)),
}
_FIRST = {"text": '""', "key": '""', "data": 'b""', "items": "[]", "table": "{}"}


def names_of(call: Call) -> Steps:
    """Return the steps of a call, each with the length of its text: arguments go through a local variable, what comes
    back into containers, too. At most MOST_STEPS."""
    found = [step for each in call.arguments for step in _local(each)]
    if call.result is not None:
        found += _stored(call.result)
    return found[:MOST_STEPS]


def _text(value: Value) -> str:
    """ "s" for what scripts keep narrow, "w" for other text; text in UCS4 may be of ASCII characters."""
    return "s" if value.size == value.bytes else "w"


def _slot(value: Value) -> str:
    """Return the kind of what a slot keeps: text, bytes, or what fits any slot, for which None stands."""
    return "text" if value.kind in TEXTS else "y" if value.kind == "y" else "n"


def _local(*values: Value) -> Steps:
    """Return the steps by which text and bytes, and those in containers, go through a local variable."""
    found: Steps = []
    for each in values:
        found += _variable(each) or _repeated(each, _local)
    return found


def _stored(value: Value) -> Steps:
    """Return the steps that keep a value. A container within another is made on its own: that one holds a pointer,
    whatever its pad."""
    if value.kind in LISTS:
        found = [("list", 0), *_repeated(value, lambda item: [*_variable(item), (f"add {_slot(item)}", 0)])]
    elif value.kind in DICTS:
        found = [("dict", 0), *_repeated(value, _entry)]
    elif value.items:  # a tuple has slots that fit
        found = _repeated(value, _variable)
    else:
        return _local(value)
    return (found + _repeated(value, _nested))[:MOST_STEPS]


def _variable(value: Value) -> Steps:
    if value.kind in TEXTS:
        return [(f"local {_text(value)}", value.size)]
    return [("local y", value.size)] if value.kind == "y" else []


def _nested(*values: Value) -> Steps:
    return [step for each in values if each.items for step in _stored(each)]


def _entry(key: Value, value: Value) -> Steps:
    if key.kind in TEXTS:
        return [*_variable(value), (f"key {_text(key)}", key.size), (f"put {_slot(value)}", 0)]
    return [*_variable(value), (f"put by I {'text' if value.kind in TEXTS else 'n'}", 0)]


def _repeated(value: Value, steps: Callable[..., Steps]) -> Steps:
    """Return the steps of all items of a container, those that are not shown being like those beside. *steps* gets an
    item, or key and value."""
    width = 2 if value.kind in DICTS else 1
    shown = list(zip(*[iter(value.items)] * width, strict=False))
    size = min(value.size, MOST_STEPS)
    found: Steps = []
    for i, entry in enumerate(shown):
        times = -(-(i + 1) * size // len(shown)) + (-i * size // len(shown))
        one = steps(*entry)
        found += one * min(times, MOST_STEPS // max(1, len(one)) + 1)
    return found[:MOST_STEPS]


def encode(steps: Steps) -> bytes:
    """Return four bytes a step: its number, and the length, lowest byte first."""
    return b"".join([_encoded(*each) for each in steps])


@functools.lru_cache(10_000)
def _encoded(name: str, size: int) -> bytes:
    return (min(size, LONGEST) << 8 | STEPS[name][0]).to_bytes(4, "little")


def script_text(name: str, used: Iterable[str]) -> str:
    """Return the text of the script of that name, which can do the steps *used* and has no variables but for them."""
    steps = sorted([STEPS[each] for each in used])
    variables = [each for each in _FIRST if any(each in step[2] for step in steps)]
    lines = [
        "@jitffi.script",
        f"def {name}(narrow: str, wide: str, raw: bytes, steps: bytes) -> int:",
        "    kept = []",
        *[f"    {each} = {_FIRST[each]}" for each in variables],
        "    at = 0",
        "    end = len(steps)",
        "    while at < end:",
        "        what = steps[at]",
        "        n = steps[at + 1] + (steps[at + 2] << 8) + (steps[at + 3] << 16)",
        f"        start = at * 29 & {STARTS - 1}",
        "        middle = start + (n >> 1)",
        "        at += 4",
    ]
    for place, (number, code, _) in enumerate(steps):
        lines.append(f"        {'elif' if place else 'if'} what == {number}:")
        lines += [f"            {line}" for line in code.split("\n")]
    return "\n".join([*lines, "    return len(kept)"])


def _sources() -> tuple[str, str, bytes]:
    """Return narrow text, wide text and bytes: letters in an order without a period, the same in every process."""
    draw = random.Random(1)
    size = LONGEST + STARTS
    narrow = "".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=size))
    # The last character makes it a str of four bytes a character.
    wide = "".join(map(chr, draw.choices(range(0x4E00, 0x9000), k=size))) + "\U0001f600"
    return narrow, wide, narrow.encode()


class Player:
    """The scripts of a replay, by number."""

    def __init__(self, scripts: dict[int, Script]) -> None:
        self._scripts = scripts
        self._sources = _sources()
        #: By item: the script, and its steps.
        self._ready: dict[str, tuple[Script, bytes]] = {}

    def prepare(self, items: Sequence[str]) -> None:
        """Make what the items need, so that playing them does nothing else."""
        for item in items:
            if item not in self._ready:
                number, _, body = item.partition(" ")
                self._ready[item] = self._scripts[int(number)], encode(names_of(trace.parse(body)))

    def play(self, item: str) -> None:
        """Play a recorded call."""
        script, steps = self._ready[item]
        script(*self._sources, steps)
