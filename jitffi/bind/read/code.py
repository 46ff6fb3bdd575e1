"""The code of a header by its lines, which count from 1: where declarations begin and end, and what stands between."""

from __future__ import annotations

import bisect
import re
from collections.abc import Collection
from functools import cached_property

_MAX_SPAN = 200  # lines of a declaration
_CONDITION = re.compile(r"\s*#\s*(?:if|ifdef|ifndef|else|elif|endif)\b")
#: A macro on a line of its own, which says something to the compiler about what is declared below.
_MARKER = re.compile(r"\s*[A-Z_][A-Z0-9_]*\s*(?:\([^()]*\)\s*)?\Z")
_WORD = re.compile(r"(?:[^\W\d]|\$)[\w$]*|;")
_BRACKET = re.compile(r"[()\[\]{};\n]")
_DEPTHS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


def blanked(text: str, comment: re.Pattern[str]) -> str:
    """Return *text* with spaces in the place of what the group "comment" of the pattern finds; line ends stay."""

    def spaces(found: re.Match[str]) -> str:
        body = found.group()
        if not found["comment"]:
            return body
        return re.sub(r"[^\n]", " ", body) if "\n" in body else " " * len(body)

    return comment.sub(spaces, text)


class Code:
    """A text whose comments are blanked."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._lines = text.split("\n")
        self._begins = [len(line) - len(line.lstrip()) if line.strip() else len(line) for line in self._lines]
        self._ends = [len(line.rstrip()) for line in self._lines]
        #: The first line with code that is no directive.
        numbers = (i for i, line in enumerate(self._lines, 1) if line.strip() and line.lstrip()[0] != "#")
        self.first = next(numbers, len(self._lines) + 1)

    def begins(self, line: int) -> int:
        """Return the column of the line's first code, or its length."""
        return self._begins[line - 1]

    def ends(self, line: int) -> int:
        """Return the column behind the line's last code; 0 where it has none."""
        return self._ends[line - 1]

    def declares(self, line: int) -> bool:
        """Whether the line has code that is no condition and neither opens nor closes a block."""
        if not 0 < line <= len(self._lines) or not self._ends[line - 1]:
            return False
        text = self._lines[line - 1]
        return (
            not _CONDITION.match(text) and text[self._begins[line - 1]] != "}" and text[self._ends[line - 1] - 1] != "{"
        )

    def last_before(self, line: int) -> int:
        """Return the nearest line with code above *line*; 0 if there is none."""
        at = bisect.bisect_left(self._filled, line)
        return self._filled[at - 1] if at else 0

    @cached_property
    def _filled(self) -> list[int]:
        return [number for number, end in enumerate(self._ends, 1) if end]

    def above(self, line: int) -> int:
        """Return the line above the declaration that begins in *line*, with the conditions and markers before it."""
        line = min(line - 1, len(self._lines))  # a compiler may end lines that Python does not
        while line > 0 and (_CONDITION.match(self._lines[line - 1]) or _MARKER.match(self._lines[line - 1])):
            line -= 1
        return line

    def follow(self, end: int, start: int) -> bool:
        """Whether nothing but conditions stands between a declaration's end and another's start."""
        return all(_CONDITION.match(self._lines[number - 1]) for number in range(end + 1, start))

    def lines_with(self, name: str) -> list[int]:
        """Return the lines that have the name, in their order."""
        return self._words.get(name, [])

    def line_with(self, name: str, line: int) -> int:
        """Return the first line from *line* on that has the name; 0 if there is none."""
        found = self.lines_with(name)
        at = bisect.bisect_left(found, line)
        return found[at] if at < len(found) else 0

    @cached_property
    def _words(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, line in enumerate(self._lines, 1):
            for word in _WORD.findall(line):
                lines = found.setdefault(word, [])
                if not lines or lines[-1] != number:
                    lines.append(number)
        return found

    def outer(self, names: Collection[str], start: int, end: int) -> tuple[Collection[str], Collection[str]]:
        """Of what is declared from line *start* on, return the names in its first and those in its last declaration.

        All of them where one declaration, or one macro, declares them all.
        """
        if len(names) == 1 or start != end:
            return names, names
        wanted = set(names)
        parts: list[list[str]] = [[]]
        for word in _WORD.findall(self._lines[start - 1]):
            if word in wanted:
                parts[-1].append(word)
            elif word == ";" and parts[-1]:
                parts.append([])
        parts = [part for part in parts if part]
        return (parts[0], parts[-1]) if wanted <= {name for part in parts for name in part} else (names, names)

    def end_of(self, line: int) -> int:
        """Return the line in which the declaration that begins in *line* ends."""
        depths, stops = self._stops
        if not 0 < line < len(depths):
            return line
        at = bisect.bisect_left(stops, (line, -1 << 60))
        while at < len(stops) and stops[at][0] < line + _MAX_SPAN:
            if stops[at][1] <= depths[line]:
                return stops[at][0]
            at += 1
        return line

    @cached_property
    def _stops(self) -> tuple[list[int], list[tuple[int, int]]]:
        """The depth of brackets at each line's begin, and all semicolons with their lines and depths."""
        depths, stops, depth = [0, 0], [], 0
        for found in _BRACKET.findall(self._text):
            if found == "\n":
                depths.append(depth)
            elif found == ";":
                stops.append((len(depths) - 1, depth))
            else:
                depth += _DEPTHS[found]
        return depths, stops
