"""The comments of a header: which of them belongs to which declaration, and their text without the decoration.

A comment belongs to the declaration beside it or directly below it, with no empty line between. In headers that explain
what stands above, as zlib.h does, it is the other way round; the file's own habit tells them apart.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from jitffi.bind.read.code import Code, blanked

#: The functions that stand together with one that has a longer comment refer to it.
_SHARED_LINES = 4
_COMMENT = re.compile(
    r"(?P<comment>//(?:[^\n\\]|\\.|\\\n)*|/\*.*?(?:\*/|\Z))|" + r'"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'", re.S
)
_RULER = re.compile(r"[\s*/=#_~+-]*\Z")
#: Of what stands above, as doxygen has it.
_BACKWARD = ("///<", "//!<", "/**<", "/*!<")
#: What stands at the top of a file and is for all of it.
_OF_THE_FILE = re.compile(
    r"copyright\s*(?:\(c\)|\u00a9|\d{4}|by\b)|SPDX-|all rights reserved|permission is hereby granted|licen[cs]ed under"
    r"|under the terms of|redistribution and use|in the public domain|without (?:any )?warranty|[\\@]file\b",
    re.I,
)
_CALLED = re.compile(r"\b(\w+)(?=\s*(?:\w+\s*\()?\()")


@dataclass(frozen=True)
class Comment:
    """One comment, or several one-line ones below each other."""

    start: int
    end: int
    text: str


class Comments:
    """The comments of one file by their lines, which count from 1."""

    def __init__(self, text: str) -> None:
        self.code = Code(blanked(text, _COMMENT))
        sorted_ = _Sorted(self.code)
        for comment, column, end in _comments(text):
            sorted_.add(comment, column, end)
        #: By the line of code that they stand behind; where there is none, in front of.
        self.beside = {line: _joined(parts) for line, parts in {**sorted_.leading, **sorted_.beside}.items()}
        runs = [_joined(parts) for parts in sorted_.alone]
        runs = [each for each in runs if each.start > self.code.first or not _OF_THE_FILE.search(each.text)]
        self.starting = {each.start: each for each in runs}
        self.ending = {each.end: each for each in runs}

    @cached_property
    def _abouts(self) -> dict[str, str]:
        """Of the comments that begin with prototypes: what they say, by the names of the functions."""
        found: dict[str, str] = {}
        for comment in self.starting.values():
            if ");" in comment.text:
                head, _, rest = plain(comment.text).partition("\n\n")
                for name in _CALLED.findall(head) if head.endswith(";") else ():
                    found.setdefault(name, textwrap.dedent(rest))
        return found

    def about(self, name: str) -> str:
        """Return what a comment says that begins with the prototype of the function *name*; "" if none does."""
        return self._abouts.get(name, "")

    def above(self, line: int) -> Comment | None:
        """Return the comment above the declaration that begins in *line*; conditions may stand between the two."""
        return self.ending.get(self.code.above(line))

    def below(self, line: int) -> Comment | None:
        """Return the comment below the declaration that ends in *line*."""
        return self.starting.get(line + 1)

    def after(self, line: int) -> Comment | None:
        """Return the comment below *line*, unless there is code directly below it, which it may be for as well."""
        found = self.below(line)
        return None if found is None or self.code.declares(found.end + 1) else found

    def habit(self, spans: Iterable[tuple[int, int]]) -> int:
        """Return how many more declarations have their comment below than have it above, of those that tell."""
        votes = 0
        for start, end in spans:
            above = self.above(start)
            votes += self.after(end) is not None
            votes -= above is not None and not self.code.declares(above.start - 1)
        return votes


def _comments(text: str) -> Iterator[tuple[Comment, int, int]]:
    """Yield each comment with the columns at which it begins and ends."""
    line, line_start, at = 1, 0, 0
    for found in _COMMENT.finditer(text):
        breaks = text.count("\n", at, found.start())
        if breaks:
            line, line_start = line + breaks, text.rindex("\n", at, found.start()) + 1
        body, at = found.group(), found.start()
        if found["comment"]:
            column, more = at - line_start, body.count("\n")
            end = len(body) - body.rindex("\n") - 1 if more else column + len(body)
            yield Comment(line, line + more, body), column, end


class _Sorted:
    """Comments by what they stand beside; those on lines of their own in runs that belong together."""

    def __init__(self, code: Code) -> None:
        self.code = code
        self.beside: dict[int, list[Comment]] = {}
        self.leading: dict[int, list[Comment]] = {}
        self.alone: list[list[Comment]] = []
        self._goes_on: dict[int, int] = {}  # the line of code by the last line of the comment beside it

    def add(self, comment: Comment, column: int, end: int) -> None:
        code = self.code
        behind_code = code.begins(comment.start) < column
        if code.ends(comment.end) > end:  # there is code behind it
            if not behind_code:
                self.leading[comment.end] = [comment]
            return
        target = comment.start if behind_code else self._continued(comment, column)
        if target:
            if target not in self.beside or not behind_code:  # of several in one line the first
                self.beside.setdefault(target, []).append(comment)
                self._goes_on[comment.end] = target
        else:
            last = self.alone[-1] if self.alone else []
            if last and last[-1].end == comment.start - 1 and last[-1].text[:2] == comment.text[:2] == "//":
                last.append(comment)
            else:
                self.alone.append([comment])

    def _continued(self, comment: Comment, column: int) -> int:
        """Return the line of code above whose comment this one belongs to, on lines of its own; 0 if there is none."""
        target = self._goes_on.get(comment.start - 1, 0)
        if comment.text.startswith(_BACKWARD):
            return target or self.code.last_before(comment.start)
        return target if target and column > self.code.begins(target) else 0


def _joined(parts: list[Comment]) -> Comment:
    if len(parts) == 1:
        return parts[0]
    if all(each.text.startswith("//") for each in parts):
        return Comment(parts[0].start, parts[-1].end, "\n".join([each.text for each in parts]))
    text = "\n".join([plain(each.text) for each in parts]).replace("*/", "* /")
    return Comment(parts[0].start, parts[-1].end, f"/*{text}*/")


def documentation(
    comments: Comments, places: Iterable[tuple[str, int]], wanted: Collection[str] | None = None
) -> dict[str, str]:
    """Return the text that belongs to each of the declarations, given by name and line; "" where there is none.

    A long text above several that stand together goes to the first of them that is *wanted*; the others refer to it.

    >>> text = "int a(void);\\n/* A. */\\n\\nint b(int x,\\n      int y);\\n/* B. */\\n\\nint c(void); // C.\\n"
    >>> documentation(Comments(text), [("a", 1), ("b", 4), ("c", 8)])
    {'a': 'A.', 'b': 'B.', 'c': 'C.'}
    """
    names: dict[int, list[str]] = {}
    for name, line in places:
        names.setdefault(line, []).append(name)
    spans = [(line, comments.code.end_of(line)) for line in sorted(names)]
    votes = comments.habit(spans)
    texts: dict[str, str] = {}
    bearer, last_end = "", 0  # of a long text, and where its prototypes end
    for start, end in spans:
        first, last = comments.code.outer(names[start], start, end)
        around = comments.below(end) if votes > 0 else None
        around = around or comments.above(start)
        beside = comments.beside.get(end) or comments.beside.get(start)
        if around is not None or not (bearer and comments.code.follow(last_end, start)):
            bearer = ""
        for name in names[start]:
            own = (beside if name in last else None) or (around if name in (last if votes > 0 else first) else None)
            text = plain(own.text) if own is not None else comments.about(name)
            if not text and bearer:
                text = f"See {bearer}."
            elif own is around and votes <= 0 and text.count("\n") >= _SHARED_LINES:
                if bearer:
                    text = f"See {bearer}."
                elif wanted is None or name in wanted:
                    bearer = name
            texts[name] = text
        last_end = end
    return texts


def plain(comment: str) -> str:
    """Return a comment's text: no signs of the comment, no rulers, no common indentation.

    >>> plain("/**\\n ** Adds.\\n **\\n ** Really.\\n **********/"), plain("//  one\\n//  two")
    ('Adds.\\n\\nReally.', 'one\\ntwo')
    """
    if comment.startswith("//"):
        lines = [re.sub(r"^\s*//[/!]?<?", "", line) for line in comment.split("\n")]
    else:
        lines = re.sub(r"\A/\*+[!<]*|\*+/\Z", "", comment).expandtabs().split("\n")
        starred = [line for line in lines[1:] if line.strip()]
        if starred and sum(line.lstrip().startswith("*") for line in starred) * 2 > len(starred):
            lines = [lines[0], *[re.sub(r"^\s*\*+", "", line) for line in lines[1:]]]
    first, rest = lines[0].strip(), [("" if _RULER.match(line) else line.rstrip()) for line in lines[1:]]
    lines = [first if not _RULER.match(first) else "", *textwrap.dedent("\n".join(rest)).split("\n")]
    text = "\n".join(lines).strip("\n")
    text = "\n\n".join(map(_even, re.split(r"\n\s*\n", text)))
    return printable(text.strip())


def _even(paragraph: str) -> str:
    """A paragraph whose first line is indented further than the second, without that."""
    lines = paragraph.split("\n")
    if len(lines) > 1:
        first, second = (len(line) - len(line.lstrip()) for line in lines[:2])
        if 0 < first - second <= 4 or first > 0 == second:
            lines[0] = " " * second + lines[0].lstrip()
    return "\n".join(lines)


def printable(text: str) -> str:
    """Return a text that a line of Python's source can hold, and every terminal show."""
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() or char == "\n" else "?" for char in text)
