"""Traces that JITFFI_TRACE has recorded: what was called from where, and a sample of the calls.

runtime_c/python/package/trace.h has the format. Files are read line by line, and calls go into a reservoir, so that
memory is bounded. Several processes may have written a file, and one may have been killed while it did: a line that is
cut is left out.
"""

from __future__ import annotations

import json
import math
import os
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from jitffi.base.errors import ArgumentError
from jitffi.base.files import open_regular
from jitffi.tune.traces import shapes

#: Lines of calls that are kept, and calls that are made of them by their weights.
KEPT, DRAWN = 20_000, 1_000
_LONGEST = 1 << 20
_HEAD = re.compile(r"jitffi-trace (\d+) (@[0-9a-f.]+) \{.*\}$")


class TraceError(ArgumentError):
    """A file that is no trace: one line, with the file's name and the line's number."""


@dataclass(frozen=True, slots=True)
class Function:
    """A function that was called: its key in profiles ("" where it has none), and how often."""

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
class Site:
    """A place that calls one, by its number in `Trace.functions`: file "" where it is no Python code."""

    function: int
    file: str
    line: int
    inside: str
    calls: int


@dataclass(frozen=True, slots=True)
class Trace:
    """What was recorded."""

    functions: tuple[Function, ...]
    sites: tuple[Site, ...]
    #: A sample of the calls, in random order: the function's number, and what a line says of it.
    calls: tuple[tuple[int, str], ...]
    total_calls: int
    total_bytes: int
    notes: tuple[str, ...] = ()


def read(path: str | os.PathLike[str], seed: int = 0) -> Trace:
    """Read a trace; the same *seed*, the same sample.

    TraceError (a ValueError) with the number of the line for a file that is none, FileNotFoundError, OSError.
    """
    where = os.fsdecode(os.fspath(path))
    if not os.path.exists(where):
        from jitffi.signature.signature_lists import MissingFile

        raise MissingFile(f"{where}: no such file")
    if os.path.isdir(where):
        raise TraceError(f"{where}: it is a directory; name the file that JITFFI_TRACE was set to")
    reading = _Reading(where, seed)
    with open_regular(where) as file:
        while raw := file.readline(_LONGEST):
            reading.line(raw)
    return reading.trace()


@dataclass(slots=True)
class _Described:
    """What a process has said of one of its sites, or functions, by number."""

    about: dict[str, Any]
    function: int = 0
    weight: int = 0
    total: int = 0


@dataclass(slots=True)
class _Process:
    functions: dict[int, _Described] = field(default_factory=dict)
    sites: dict[int, _Described] = field(default_factory=dict)


class _Reading:
    """Of one file, line by line."""

    def __init__(self, where: str, seed: int) -> None:
        self._where = where
        self._random = random.Random(seed)
        self._number = 0
        self._bytes = 0
        self._processes: dict[str, _Process] = {}
        self._now: _Process | None = None
        #: Of calls: the site, the weight, the rest of the line.
        self._kept: list[tuple[_Process, int, int, str]] = []
        self._seen = self._next = 0
        self._least = 1.0
        self._cut = self._full = 0
        self._wrong = ""

    def line(self, raw: bytes) -> None:
        self._number += 1
        self._bytes += len(raw)
        text = raw.decode("utf-8", "replace").rstrip("\n")
        if self._wrong and text and not text.startswith(("@", "jitffi-trace ")):
            raise TraceError(self._wrong)
        self._wrong = ""
        if not text:
            return
        try:
            why = self._take(text)
        except TraceError:
            raise
        except (ValueError, RecursionError) as error:  # numbers and nesting that are no trace's
            why = str(error)
        if why:
            self._wrong = f"{self._where}:{self._number}: {why}"
            if self._now is None:
                raise TraceError(self._wrong)
            self._cut += 1  # if it was the last one of its process: whoever writes next ends it, and says its name

    def _take(self, text: str) -> str:
        """Empty, or what is wrong with it."""
        if text[0].isdecimal() and self._now is not None:
            return self._take_call(self._now, text)
        head = _HEAD.match(text)
        if head is not None:
            if head[1] != "1":
                raise TraceError(f"{self._where}:{self._number}: a trace of format {head[1]}; this version reads 1")
            self._now = self._processes.setdefault(head[2], _Process())
        elif self._now is None:
            return f"this is no trace: expected 'jitffi-trace 1 ...', got {text[:60]!r}"
        elif text[0] == "@":
            self._now = self._processes.setdefault(text, _Process())
        elif text[0] in "FST" and text[1:2] == " ":
            return self._take_description(self._now, text)
        elif text == "X":
            self._full += 1
        else:
            return f"no line of a trace: {text[:60]!r}"
        return ""

    def _take_call(self, process: _Process, text: str) -> str:
        head, _, body = text.partition(" ")
        first, _, last = head.partition("*")
        if not (first.isdecimal() and (last or "1").isdecimal()):
            return f"expected a call, got {text[:60]!r}"
        number, weight = int(first), int(last or 1)
        if self._seen == self._next or self._seen % 1000 == 0:  # of the others some are looked at, too
            try:
                shapes.parse(body)
            except ValueError as error:
                return str(error)
        site = process.sites.get(number)
        if site is None:
            site = process.sites[number] = _Described({})
        site.weight += weight
        if self._seen == self._next:
            self._keep((process, number, weight, body))
        self._seen += 1
        return ""

    def _keep(self, call: tuple[_Process, int, int, str]) -> None:
        """A reservoir that is told which line is the next: algorithm L (Li 1994)."""
        if len(self._kept) < KEPT:
            self._kept.append(call)
        else:
            self._kept[self._random.randrange(KEPT)] = call
        self._next += 1
        if len(self._kept) == KEPT:
            self._least *= math.exp(math.log(1 - self._random.random()) / KEPT)
            self._next += int(math.log(1 - self._random.random()) / math.log1p(-self._least))

    def _take_description(self, process: _Process, text: str) -> str:
        found = re.match(r"(?:F (\d+)|S (\d+) (\d+)) (\{.*\})$|T (\d+) (\d+)$", text)
        try:
            about = {} if found is None or found[4] is None else json.loads(found[4])
        except ValueError:
            found = None
        if found is None:
            return f"expected a description, got {text[:60]!r}"
        if found[1]:
            process.functions[int(found[1])] = _Described(about)
        elif found[2]:
            site = process.sites.setdefault(int(found[2]), _Described({}))
            site.about, site.function = about, int(found[3])
        else:
            process.sites.setdefault(int(found[5]), _Described({})).total = int(found[6])
        return ""

    # -- all of it ------------------------------------------------------------------------------------------------

    def trace(self) -> Trace:
        """What has been read."""
        numbers: dict[tuple[str, str], int] = {}
        merged: list[tuple[dict[str, Any], int]] = []
        sites: dict[tuple[int, str, int, str], int] = {}
        places: dict[tuple[int, int], int] = {}
        lost = 0
        for process, number, site in self._sites():
            described = process.functions.get(site.function)
            calls = max(site.total, site.weight)
            if described is None or "name" not in described.about:
                lost += calls
                continue
            about = described.about
            function = numbers.setdefault((str(about.get("key", "")), str(about["name"])), len(numbers))
            merged[function:] = merged[function:] or [(about, 0)]
            merged[function] = merged[function][0], merged[function][1] + calls
            places[id(process), number] = function
            key = function, _text(site.about, "file"), _integer(site.about, "line"), _text(site.about, "in")
            sites[key] = sites.get(key, 0) + calls
        return Trace(
            tuple([_function(about, calls) for about, calls in merged]),
            tuple([Site(*key, calls) for key, calls in sites.items()]),
            tuple(self._draw(places)),
            sum([calls for _, calls in merged]),
            self._bytes,
            tuple(self._notes(lost)),
        )

    def _sites(self) -> Iterator[tuple[_Process, int, _Described]]:
        for process in self._processes.values():
            for number, site in sorted(process.sites.items()):
                yield process, number, site

    def _draw(self, places: dict[tuple[int, int], int]) -> Iterator[tuple[int, str]]:
        """As many of each kept line as its weight is worth, in random order."""
        kept = [
            (places[id(process), number], weight, body)
            for process, number, weight, body in self._kept
            if (id(process), number) in places
        ]
        total = sum([weight for _, weight, _ in kept])
        drawn: list[tuple[int, str]] = []
        step = max(1.0, total / DRAWN)
        at, mark = 0, self._random.random() * step
        self._random.shuffle(kept)
        for function, weight, body in kept:
            at += weight
            while mark < at:
                drawn.append((function, body))
                mark += step
        self._random.shuffle(drawn)
        return iter(drawn)

    def _notes(self, lost: int) -> Iterator[str]:
        if not self._number:
            yield "the trace is empty"
        if self._cut:
            yield f"{self._cut} line{'s' if self._cut > 1 else ''} of the trace cut short: left out"
        if self._full:
            yield "the trace was full before its program ended"
        if lost:
            yield f"{lost} calls of functions that the trace does not describe: left out"


def _text(about: dict[str, Any], name: str) -> str:
    return str(about.get(name, ""))


def _integer(about: dict[str, Any], name: str) -> int:
    found = about.get(name, 0)
    return found if isinstance(found, int) else 0


def _function(about: dict[str, Any], calls: int) -> Function:
    return Function(
        _text(about, "key"),
        _text(about, "name"),
        about.get("kind") == "script",
        _text(about, "file"),
        _integer(about, "line"),
        _text(about, "signature"),
        bool(about.get("padded", False)),
        calls,
    )
