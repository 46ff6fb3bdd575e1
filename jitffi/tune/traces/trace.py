"""Traces that JITFFI_TRACE has recorded: what was called, and a sample of the calls.

runtime_c/python/package/trace.h has the format. Calls go into a reservoir, so that memory is bounded. Several processes
may have written a file, and one may have been killed while it did: a line that is cut is left out. Values are text:

    "L20[w5:15 s3]"     a jitffi.List of 20 items, of which two are shown
    n b i I f o~        None, bool, ints, float, something else, left out
    s5 u3:9 w3:9 y7     ASCII text, other text, text in UCS4, bytes
"""

from __future__ import annotations

import json
import os
import random
import re
from dataclasses import dataclass
from typing import Any

from jitffi.base.errors import ArgumentError
from jitffi.base.files import open_regular
from jitffi.tune.data.readers import existing
from jitffi.tune.data.reservoir import Reservoir

#: Lines of calls that are kept, and calls that are made of them by their weights.
KEPT, DRAWN = 20_000, 1_000
_LONGEST = 1 << 20
_HEAD = re.compile(r"jitffi-trace 1 (@[0-9a-f.]+) \{.*\}")
_CALL = re.compile(r"(\d+)(?:\*(\d+))? (.+)")
_FUNCTION = re.compile(r"F (\d+) (\{.*\})")
_SITE = re.compile(r"S (\d+) (\d+) \{.*\}")
_TOTAL = re.compile(r"T \d+ \d+")
#: Kinds of values; of containers Python's and jitffi's, tuples being "t" and "T".
TEXTS, LISTS, DICTS = "suw", "lL", "dD"
_TOKEN = re.compile(r"([nbiIf~])(?![\w.])|o[\w.]*|([suwylLtTdD])(\d{1,19})(?::(\d{1,19}))?(\[)?")
_NAME = re.compile(r"(?:^|(?<= ))[\w.]*=")


@dataclass(frozen=True, slots=True)
class Value:
    """A value's kind, its length in characters, bytes or items, and of a container the items that are shown: of a dict
    keys and values in turn."""

    kind: str
    size: int = 0
    #: Of text, in UTF-8; else as `size`.
    bytes: int = 0
    items: tuple[Value, ...] = ()


@dataclass(frozen=True, slots=True)
class Call:
    """What a function was given, keyword arguments among it, and what came of it: `result` is None for an exception."""

    arguments: tuple[Value, ...]
    result: Value | None


@dataclass(frozen=True, slots=True)
class Function:
    """A function that was called."""

    #: In profiles; "" where it has none.
    key: str
    name: str
    #: A script; else a typed function.
    is_script: bool
    file: str
    line: int
    #: Its source says its pad.
    padded: bool


@dataclass(frozen=True, slots=True)
class Trace:
    """What was recorded."""

    functions: tuple[Function, ...]
    #: A sample of the calls, in random order: the function's number, and what a line says of it.
    calls: tuple[tuple[int, str], ...]
    notes: tuple[str, ...] = ()


def read(path: str | os.PathLike[str], seed: int = 0) -> Trace:
    """Read a trace; the same *seed*, the same sample.

    ArgumentError with the number of the line for a file that is none, FileNotFoundError, OSError.
    """
    where = os.fsdecode(os.fspath(path))
    existing(where, "name the file that JITFFI_TRACE was set to")
    reading, wrong = _Reading(seed), ""
    with open_regular(where) as file:
        for number, raw in enumerate(iter(lambda: file.readline(_LONGEST), b""), 1):
            line = raw.decode("utf-8", "replace").rstrip("\n")
            # A line may be cut short by the end of its process. Whoever writes next ends it, and says its name.
            if wrong and line and not line.startswith(("@", "jitffi-trace ")):
                raise ArgumentError(wrong)
            wrong = ""
            try:
                reading.take(line)
            except (ValueError, RecursionError) as error:
                wrong = f"{where}:{number}: {error}"
                if not reading.process:
                    raise ArgumentError(wrong) from None
                reading.cut += 1
    return reading.trace()


class _Reading:
    """The reading of one file, line by line. Numbers of functions and sites are of the process that has written."""

    def __init__(self, seed: int) -> None:
        self._seed = seed
        self.process = ""
        self._functions: dict[tuple[str, int], dict[str, Any]] = {}
        #: Of the places that call: the number of the function.
        self._sites: dict[tuple[str, int], int] = {}
        #: Of calls: the site, the weight, the rest of the line.
        self._kept = Reservoir(seed, KEPT, 1 << 62)
        self._is_full = False
        #: Lines that were cut short.
        self.cut = 0

    def take(self, line: str) -> None:
        """Take what a line says. ValueError for what is no line of a trace."""
        if found := _HEAD.fullmatch(line):
            self.process = found[1]
        elif not self.process and line:
            raise ValueError(f"this is no trace: expected 'jitffi-trace 1 ...', got {line[:60]!r}")
        elif found := _CALL.fullmatch(line):
            call = (self.process, int(found[1])), int(found[2] or 1), found[3]
            if self._kept.seen < KEPT or self._kept.seen % 1000 == 0:  # of the others some are looked at, too
                parse(found[3])
            self._kept.offer(1, lambda _: (call, 1))
        elif found := _FUNCTION.fullmatch(line):
            self._functions[self.process, int(found[1])] = json.loads(found[2])
        elif found := _SITE.fullmatch(line):
            self._sites[self.process, int(found[1])] = int(found[2])
        elif line.startswith("@"):
            self.process = line
        elif line == "X":
            self._is_full = True
        elif line and not _TOTAL.fullmatch(line):
            raise ValueError(f"no line of a trace: {line[:60]!r}")

    def trace(self) -> Trace:
        """Return what has been read; a function that several processes have called is one."""
        found: dict[tuple[str, str], Function] = {}
        numbers: dict[tuple[str, int], int] = {}
        for (process, site), number in self._sites.items():
            function = _function(self._functions.get((process, number), {}))
            identity = function.key, function.name
            found.setdefault(identity, function)
            numbers[process, site] = list(found).index(identity)
        notes = []
        if not self.process:
            notes.append("the trace is empty")
        if self.cut:
            notes.append(f"{self.cut} line{'s' if self.cut > 1 else ''} of the trace cut short: left out")
        if self._is_full:
            notes.append("the trace was full before its program ended")
        return Trace(tuple(found.values()), tuple(self._draw(numbers)), tuple(notes))

    def _draw(self, numbers: dict[tuple[str, int], int]) -> list[tuple[int, str]]:
        """Return as many of each kept line as its weight is worth, in random order."""
        kept = [(numbers[site], weight, body) for site, weight, body in self._kept.items() if site in numbers]
        draw = random.Random(self._seed)
        drawn: list[tuple[int, str]] = []
        step = max(1.0, sum([weight for _, weight, _ in kept]) / DRAWN)
        at, mark = 0, draw.random() * step
        for function, weight, body in kept:
            at += weight
            while mark < at:
                drawn.append((function, body))
                mark += step
        draw.shuffle(drawn)
        return drawn


def _function(about: dict[str, Any]) -> Function:
    """Return what a description says; nothing, where describing the function has failed."""
    key, name, file = (str(about.get(each, "")) for each in ("key", "name", "file"))
    line, is_script, padded = about.get("line", 0), about.get("kind") == "script", bool(about.get("padded", False))
    return Function(key, name, is_script, file, line if isinstance(line, int) else 0, padded)


def parse(body: str) -> Call:
    """Read "s5 n=i > l2[s2 s3]", what a call's line has behind its site. ValueError for anything else.

    >>> parse("n=s5 i > L2[s2 w3:9]").result.items[1]
    Value(kind='w', size=3, bytes=9, items=())
    """
    found = re.search(r"(?:^| )([>!]) (\S.*)$", body)
    if found is None:
        raise ValueError(f"expected arguments and > result, got {body[:80]!r}")
    given = _NAME.sub("", body[: found.start()])
    arguments = _only_value(f"t0[{given}]").items if given else ()
    return Call(arguments, None if found[1] == "!" else _only_value(found[2]))


def _only_value(text: str) -> Value:
    end, value = _value(text, 0)
    if end < len(text):
        raise ValueError(f"expected one value, got {text[:80]!r}")
    return value


def _value(text: str, at: int) -> tuple[int, Value]:
    """Return where the value ends that begins there, and the value. The writer bounds how deep they are nested."""
    found = _TOKEN.match(text, at)
    if found is None:
        raise ValueError(f"expected a value, got {text[at : at + 80]!r}")
    plain, kind, size, encoded, bracket = found.groups()
    at = found.end()
    items: list[Value] = []
    while bracket is not None:
        at, item = _value(text, at)
        items.append(item)
        end = text[at : at + 1]
        at += 1
        if end == "]":
            break
        if end != " ":
            raise ValueError(f"expected ']', got {text[at - 1 : at + 79]!r}")
    return at, Value(kind or plain or "o", int(size or 0), int(encoded or size or 0), tuple(items))
