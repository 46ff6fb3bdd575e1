"""Traces that JITFFI_TRACE has recorded: what was called, and a sample of the calls.

runtime_c/python's trace.h has the format. Files are read line by line, and calls go into a reservoir, so that memory is
bounded. Several processes may have written a file, and one may have been killed while it did: a line that is cut is
left out. Values are text in it (runtime_c/python/package/trace.h):

    "L20[w5:15 s3]"     a jitffi.List of 20 items, of which two are shown
    n b i I f o~        None, bool, ints, float, something else, left out
    s5 u3:9 w3:9 y7     ASCII text, other text, text in UCS4, bytes
"""

from __future__ import annotations

import json
import os
import random
import re
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from jitffi.base.errors import ArgumentError
from jitffi.base.files import open_regular
from jitffi.tune.data.readers import existing
from jitffi.tune.data.reservoir import Reservoir

#: Lines of calls that are kept, and calls that are made of them by their weights.
KEPT, DRAWN = 20_000, 1_000
_LONGEST = 1 << 20
_HEAD = re.compile(r"jitffi-trace (\d+) (@[0-9a-f.]+) \{.*\}$")
_DESCRIPTION = re.compile(r"(?:F (\d+)|S (\d+) (\d+)) (\{.*\})$|T (\d+) (\d+)$")
#: Lists, tuples and dicts: Python's, and jitffi's.
LISTS, TUPLES, DICTS = "lL", "tT", "dD"
_CONTAINERS = LISTS + TUPLES + DICTS
_NUMBER = r"\d{1,19}"
_TOKEN = re.compile(
    rf"([nbiIf~](?![\w.])|o[\w.]*)|([sy]{_NUMBER})|([uw]{_NUMBER}:{_NUMBER})|([{_CONTAINERS}]{_NUMBER})(\[)?"
)
_NAME = re.compile(r"(?:^|(?<= ))[\w.]*=")


class TraceError(ArgumentError):
    """A file that is no trace: one line, with the file's name and the line's number."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value's kind, its length in characters, bytes or items, and of a container the items that are shown: of a dict
    keys and values in turn."""

    kind: str
    size: int = 0
    #: Of text, in UTF-8.
    bytes: int = 0
    items: tuple[Value, ...] = ()

    @property
    def is_text(self) -> bool:
        return self.kind in "suw"


@dataclass(frozen=True, slots=True)
class Call:
    """What a function was given, keyword arguments among it, and what came of it: `result` is None for an exception."""

    arguments: tuple[Value, ...]
    result: Value | None
    error: str = ""


@dataclass(frozen=True, slots=True)
class Function:
    """A function that was called: its id in profiles ("" where it has none), and how often."""

    key: str
    name: str
    #: A script; else a typed function.
    is_script: bool
    file: str
    line: int
    signature: str
    #: Its source says its pad.
    padded: bool
    calls: int


@dataclass(frozen=True, slots=True)
class Trace:
    """What was recorded."""

    functions: tuple[Function, ...]
    #: A sample of the calls, in random order: the function's number, and what a line says of it.
    calls: tuple[tuple[int, str], ...]
    total_calls: int
    notes: tuple[str, ...] = ()


def read(path: str | os.PathLike[str], seed: int = 0) -> Trace:
    """Read a trace; the same *seed*, the same sample.

    TraceError (a ValueError) with the number of the line for a file that is none, FileNotFoundError, OSError.
    """
    where = os.fsdecode(os.fspath(path))
    existing(where, "name the file that JITFFI_TRACE was set to")
    reading = _Reading(where, seed)
    with open_regular(where) as file:
        while raw := file.readline(_LONGEST):
            reading.line(raw)
    return reading.trace()


@dataclass(slots=True)
class _Site:
    """A place that calls: the number of its function, how many calls its lines stand for, and how many there were."""

    function: int = 0
    weight: int = 0
    total: int = 0


class _Reading:
    """The reading of one file, line by line. Numbers of functions and sites are of the process that has written."""

    def __init__(self, where: str, seed: int) -> None:
        self._where, self._seed = where, seed
        self._number = 0
        self._process = ""
        self._functions: dict[tuple[str, int], dict[str, Any]] = {}
        self._sites: defaultdict[tuple[str, int], _Site] = defaultdict(_Site)
        #: Of calls: the site, the weight, the rest of the line.
        self._kept = Reservoir(seed, KEPT, 1 << 62)
        self._cut = self._full = 0
        self._wrong = ""

    def line(self, raw: bytes) -> None:
        """Take a line. TraceError where the one before was no trace's, and not cut short by the end of its process:
        whoever writes next ends that line, and says its name."""
        self._number += 1
        text = raw.decode("utf-8", "replace").rstrip("\n")
        if self._wrong and text and not text.startswith(("@", "jitffi-trace ")):
            raise TraceError(self._wrong)
        self._wrong = ""
        if not text:
            return
        try:
            self._take(text)
        except TraceError:
            raise
        except (ValueError, RecursionError) as error:
            self._wrong = f"{self._where}:{self._number}: {error}"
            if not self._process:
                raise TraceError(self._wrong) from None
            self._cut += 1

    def _take(self, text: str) -> None:
        """Take what it says. ValueError for what is no line of a trace."""
        head = _HEAD.match(text)
        if head is not None:
            if head[1] != "1":
                raise TraceError(f"{self._where}:{self._number}: a trace of format {head[1]}; this version reads 1")
            self._process = head[2]
        elif not self._process:
            raise ValueError(f"this is no trace: expected 'jitffi-trace 1 ...', got {text[:60]!r}")
        elif text[0].isdecimal():
            self._take_call(text)
        elif text[0] == "@":
            self._process = text
        elif text[0] in "FST" and text[1:2] == " ":
            self._take_description(text)
        elif text == "X":
            self._full += 1
        else:
            raise ValueError(f"no line of a trace: {text[:60]!r}")

    def _take_call(self, text: str) -> None:
        head, _, body = text.partition(" ")
        first, _, last = head.partition("*")
        if not (first.isdecimal() and (last or "1").isdecimal()):
            raise ValueError(f"expected a call, got {text[:60]!r}")
        site, weight = (self._process, int(first)), int(last or 1)
        if self._kept.seen < KEPT or self._kept.seen % 1000 == 0:  # of the others some are looked at, too
            parse(body)
        self._sites[site].weight += weight
        self._kept.offer(1, lambda _: ((site, weight, body), 1))

    def _take_description(self, text: str) -> None:
        found = _DESCRIPTION.match(text)
        try:
            about = json.loads(found[4] or "{}") if found is not None else None
        except ValueError:
            about = None
        if found is None or about is None:
            raise ValueError(f"expected a description, got {text[:60]!r}")
        if found[1]:
            self._functions[self._process, int(found[1])] = about
        elif found[2]:
            self._sites[self._process, int(found[2])].function = int(found[3])
        else:
            self._sites[self._process, int(found[5])].total = int(found[6])

    # -- all of it ------------------------------------------------------------------------------------------------

    def trace(self) -> Trace:
        """Return what has been read; a function that several processes have called is one."""
        found: dict[tuple[str, str], dict[str, Any]] = {}
        calls: Counter[tuple[str, str]] = Counter()
        numbers: dict[tuple[str, int], int] = {}
        lost = 0
        for (process, number), site in self._sites.items():
            about = self._functions.get((process, site.function), {})
            times = max(site.total, site.weight)
            if "name" not in about:
                lost += times
                continue
            name = str(about.get("key", "")), str(about["name"])
            found.setdefault(name, about)
            calls[name] += times
            numbers[process, number] = list(found).index(name)
        functions = tuple([_function(about, calls[name]) for name, about in found.items()])
        return Trace(functions, tuple(self._draw(numbers)), calls.total(), tuple(self._notes(lost)))

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

    def _notes(self, lost: int) -> Iterator[str]:
        if not self._number:
            yield "the trace is empty"
        if self._cut:
            yield f"{self._cut} line{'s' if self._cut > 1 else ''} of the trace cut short: left out"
        if self._full:
            yield "the trace was full before its program ended"
        if lost:
            yield f"{lost} calls of functions that the trace does not describe: left out"


def _function(about: dict[str, Any], calls: int) -> Function:
    key, name, file, signature = (str(about.get(each, "")) for each in ("key", "name", "file", "signature"))
    line = about.get("line", 0)
    is_script, is_padded = about.get("kind") == "script", bool(about.get("padded", False))
    return Function(key, name, is_script, file, line if isinstance(line, int) else 0, signature, is_padded, calls)


# -- values -----------------------------------------------------------------------------------------------------------


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
    return Call(arguments, None, found[2]) if found[1] == "!" else Call(arguments, _only_value(found[2]))


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
    plain, sized, encoded, container, bracket = found.groups()
    at = found.end()
    if plain is not None:
        return at, Value(plain[0])
    if sized is not None:
        size = int(sized[1:])
        return at, Value(sized[0], size, size)
    if encoded is not None:
        characters, _, size_ = encoded[1:].partition(":")
        return at, Value(encoded[0], int(characters), int(size_))
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
    return at, Value(container[0], int(container[1:]), 0, tuple(items))
