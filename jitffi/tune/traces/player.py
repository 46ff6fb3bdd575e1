"""Recorded calls, played: what a replay's generated file calls in the process that measures.

    "2 s5 > L3[w5:15]"  --steps-->  bytes, four a step  --script-->  text of that kind and length goes through a local
                                                                     variable, into a list or dict, with the candidate's
                                                                     pads
                        --typed-->  a packed function that gives text back, through a slot of the candidate's pad

A script is one loop over its steps (STEPS has their code), so that what it does is what was recorded, whatever the
function did beside. Text is a part of one long text; that of wide text is UCS4, so that it is lent, not converted.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from jitffi.tune.traces import trace
from jitffi.tune.traces.trace import DICTS, LISTS, Call, Value

if TYPE_CHECKING:
    from jitffi.scripts.api.script import Script

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
    "add I": (7, "items.append(at + 100000)", ("items",)),
    "add f": (8, "items.append(at + 0.5)", ("items",)),
    "add n": (9, "items.append(None)", ("items",)),
    "key s": (10, f"key = {_PART.format('narrow')}", ("key",)),
    "key w": (11, f"key = {_PART.format('wide')}", ("key",)),
    "put text": (12, "table[key] = text", ("key", "text", "table")),
    "put y": (13, "table[key] = data", ("key", "data", "table")),
    "put I": (14, "table[key] = at + 100000", ("key", "table")),
    "put f": (15, "table[key] = at + 0.5", ("key", "table")),
    "put n": (16, "table[key] = None", ("key", "table")),
    "put by I text": (17, "table[at + 100000] = text", ("text", "table")),
    "put by I n": (18, "table[at + 100000] = None", ("table",)),
}
_FIRST = {"text": '""', "key": '""', "data": 'b""', "items": "[]", "table": "{}"}


def names_of(call: Call) -> list[tuple[str, int]]:
    """Return the steps of a call, each with the length of its text: arguments go through a local variable, what comes
    back into containers, too. At most MOST_STEPS."""
    found: list[tuple[str, int]] = []
    for each in call.arguments:
        found += _local(each)
    if call.result is not None:
        found += _stored(call.result)
    return found[:MOST_STEPS]


def _text(value: Value) -> str:
    """ "s" for what scripts keep narrow, "w" for other text; text in UCS4 may be of ASCII characters."""
    return "s" if value.size == value.bytes else "w"


def _local(value: Value) -> list[tuple[str, int]]:
    if value.is_text:
        return [(f"local {_text(value)}", value.size)]
    if value.kind == "y":
        return [("local y", value.size)]
    if value.kind in DICTS:
        return _repeated(value, lambda key, item: _local(key) + _local(item))
    return _repeated(value, lambda item, _: _local(item))


def _stored(value: Value) -> list[tuple[str, int]]:
    """Return the steps that keep a value. A container within another is made on its own: that one holds a pointer,
    whatever its pad."""
    if value.kind in LISTS:
        found = [("list", 0), *_repeated(value, lambda item, _: [*_variable(item), (f"add {_slot(item)}", 0)])]
    elif value.kind in DICTS:
        found = [("dict", 0), *_repeated(value, _entry)]
    elif not value.items:
        return _local(value)
    else:  # a tuple has slots that fit
        found = _repeated(value, lambda item, _: _variable(item))
    inner = _repeated(value, lambda item, other: _nested(item) + (_nested(other) if other is not item else []))
    return (found + inner)[:MOST_STEPS]


def _variable(value: Value) -> list[tuple[str, int]]:
    return _local(value) if value.is_text or value.kind == "y" else []


def _nested(value: Value) -> list[tuple[str, int]]:
    return _stored(value) if value.items else []


def _entry(key: Value, value: Value) -> list[tuple[str, int]]:
    if key.is_text:
        return [*_variable(value), (f"key {_text(key)}", key.size), (f"put {_slot(value)}", 0)]
    return [*_variable(value), (f"put by I {'text' if value.is_text else 'n'}", 0)]


def _slot(value: Value) -> str:
    """Return the kind of what takes a slot of its own; None is shared, as small ints and all else are here."""
    return "text" if value.is_text else value.kind if value.kind in "yIf" else "n"


def _repeated(value: Value, steps: Callable[[Value, Value], list[tuple[str, int]]]) -> list[tuple[str, int]]:
    """Return the steps of all items of a container, those that are not shown being like those beside. *steps* gets key
    and value, or twice the item."""
    shown = value.items
    pairs = (
        list(zip(shown[::2], shown[1::2], strict=False)) if value.kind in DICTS else [(each, each) for each in shown]
    )
    size, found = min(value.size, MOST_STEPS), []
    for i, pair in enumerate(pairs):
        times = -(-(i + 1) * size // len(pairs)) + (-i * size // len(pairs))
        one = steps(*pair)
        found += one * min(times, MOST_STEPS // max(1, len(one)) + 1)
    return found[:MOST_STEPS]


def encode(steps: Iterable[tuple[str, int]]) -> bytes:
    """Return four bytes a step: its number, and the length, lowest byte first."""
    known: dict[tuple[str, int], bytes] = {}
    made = []
    for each in steps:
        step = known.get(each)
        if step is None:
            name, size = each
            step = known[each] = (min(size, LONGEST) << 8 | STEPS[name][0]).to_bytes(4, "little")
        made.append(step)
    return b"".join(made)


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


# -- in the process that measures -------------------------------------------------------------------------------------


def _sources() -> tuple[str, str, bytes]:
    """Return narrow text, wide text and bytes: letters in an order without a period, the same in every process."""
    draw = random.Random(1)
    size = LONGEST + STARTS
    narrow = "".join(draw.choices("abcdefghijklmnopqrstuvwxyz", k=size))
    # The last character makes it a str of four bytes a character.
    wide = "".join(map(chr, draw.choices(range(0x4E00, 0x9000), k=size))) + "\U0001f600"
    return narrow, wide, narrow.encode()


class Player:
    """The functions of a replay, by number: *scripts*, and of typed functions name and signature."""

    def __init__(self, scripts: dict[int, Script], typed: dict[int, tuple[str, str]]) -> None:
        self._scripts = scripts
        self._typed = {number: _Typed(*each) for number, each in typed.items()}
        self._sources = _sources()
        #: By item: what is called, and with what.
        self._ready: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {}

    def prepare(self, items: Sequence[str]) -> None:
        """Make what the items need, so that playing them does nothing else."""
        for item in items:
            if item not in self._ready:
                self._ready[item] = self._made(item)

    def _made(self, item: str) -> tuple[Callable[..., Any], tuple[Any, ...]]:
        number, _, body = item.partition(" ")
        call = trace.parse(body)
        script = self._scripts.get(int(number))
        if script is not None:
            return script, (*self._sources, encode(names_of(call)))
        return self._typed[int(number)].call, self._typed[int(number)].arguments(call, *self._sources)

    def play(self, item: str) -> None:
        """Play a recorded call, by scripts."""
        function, arguments = self._ready.get(item) or self._made(item)
        function(*arguments)

    def play_padded(self, item: str, pad: int | None) -> None:
        """Play a call where typed functions are among them."""
        function, arguments = self._ready.get(item) or self._made(item)
        if int(item.partition(" ")[0]) in self._typed:
            function(pad, *arguments)
        else:
            function(*arguments)


class _Typed:
    """A typed function that stands for a recorded one: of the same name and types, so that a profile names that one. It
    gives back text that it finds, through a slot of the candidate's pad."""

    def __init__(self, name: str, signature: str) -> None:
        import jitffi

        self._name = name
        self._signature = signature
        self._text: Any = ""
        self._callee = jitffi.Function(jitffi.convert(lambda *args: self._text))
        self._by_pad: dict[int | None, Any] = {}

    def arguments(self, call: Call, narrow: str, wide: str, raw: bytes) -> tuple[Any, ...]:
        """Return the text that comes back, and values of the kinds that were recorded."""
        sources = {"s": narrow, "w": wide, "y": raw}
        values = [_value(each, sources) for each in call.arguments]
        result = call.result
        return (None if result is None else _value(result, sources), *values)

    def call(self, pad: int | None, text: Any, *args: Any) -> None:
        """Call the function that the pad asks for."""
        from jitffi.profiles import pads
        from jitffi.signature.text import parse

        number = pads.of_typed(self._name, parse(self._signature), pad)
        function = self._by_pad.get(number)
        if function is None:
            function = self._by_pad[number] = self._make(pad)
        self._text = text
        function(*args)

    def _make(self, pad: int | None) -> Any:
        import jitffi

        callee = self._callee
        return jitffi.Function.from_packed(
            callee.packed_address, name=self._name, signature=self._signature, self_handle=callee.handle,
            keep_alive=callee, pad=pad,
        )  # fmt: skip


def _value(value: Value, sources: dict[str, Any]) -> Any:
    """Return a value of that kind and length; None for other kinds."""
    if value.is_text:
        return sources[_text(value)][: min(value.size, LONGEST)]
    return {"y": sources["y"][: min(value.size, LONGEST)], "b": True, "i": 1, "I": 1, "f": 0.5}.get(value.kind)
