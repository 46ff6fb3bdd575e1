"""Traces that JITFFI_TRACE has recorded: what was called, and a sample of the calls.

runtime_c/python's trace.h has the format. Files are read line by line, and calls go into a reservoir, so that memory is
bounded. Several processes may have written a file, and one may have been killed while it did: a line that is cut is
left out.
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
from jitffi.tune.traces import shapes

#: Lines of calls that are kept, and calls that are made of them by their weights.
KEPT, DRAWN = 20_000, 1_000
_LONGEST = 1 << 20
_HEAD = re.compile(r"jitffi-trace (\d+) (@[0-9a-f.]+) \{.*\}$")
_DESCRIPTION = re.compile(r"(?:F (\d+)|S (\d+) (\d+)) (\{.*\})$|T (\d+) (\d+)$")


class TraceError(ArgumentError):
    """A file that is no trace: one line, with the file's name and the line's number."""


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
            why = self._take(text)
        except TraceError:
            raise
        except (ValueError, RecursionError) as error:  # numbers and nesting that are no trace's
            why = str(error)
        if why:
            self._wrong = f"{self._where}:{self._number}: {why}"
            if not self._process:
                raise TraceError(self._wrong)
            self._cut += 1

    def _take(self, text: str) -> str:
        """Take what it says; return what is wrong with it, or ""."""
        head = _HEAD.match(text)
        if head is not None:
            if head[1] != "1":
                raise TraceError(f"{self._where}:{self._number}: a trace of format {head[1]}; this version reads 1")
            self._process = head[2]
        elif not self._process:
            return f"this is no trace: expected 'jitffi-trace 1 ...', got {text[:60]!r}"
        elif text[0].isdecimal():
            return self._take_call(text)
        elif text[0] == "@":
            self._process = text
        elif text[0] in "FST" and text[1:2] == " ":
            return self._take_description(text)
        elif text == "X":
            self._full += 1
        else:
            return f"no line of a trace: {text[:60]!r}"
        return ""

    def _take_call(self, text: str) -> str:
        head, _, body = text.partition(" ")
        first, _, last = head.partition("*")
        if not (first.isdecimal() and (last or "1").isdecimal()):
            return f"expected a call, got {text[:60]!r}"
        site, weight = (self._process, int(first)), int(last or 1)
        if self._kept.seen < KEPT or self._kept.seen % 1000 == 0:  # of the others some are looked at, too
            shapes.parse(body)
        self._sites[site].weight += weight
        self._kept.offer(1, lambda _: ((site, weight, body), 1))
        return ""

    def _take_description(self, text: str) -> str:
        found = _DESCRIPTION.match(text)
        try:
            about = {} if found is None or found[4] is None else json.loads(found[4])
        except ValueError:
            found = None
        if found is None:
            return f"expected a description, got {text[:60]!r}"
        if found[1]:
            self._functions[self._process, int(found[1])] = about
        elif found[2]:
            self._sites[self._process, int(found[2])].function = int(found[3])
        else:
            self._sites[self._process, int(found[5])].total = int(found[6])
        return ""

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
