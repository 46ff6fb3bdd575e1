"""The comments of a header: which of them belongs to which declaration, and their text without the decoration.

Some headers explain a function above its prototype, others below it. What stands directly beside a prototype, with no
empty line between, is taken for its own; where that leaves both sides open, the file's own habit decides.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from jitffi.headers.tokens import without_comments

#: Longer ones are given to the first function of a group only; the others refer to it.
_SHARED_LINES = 4
_COMMENT = re.compile(
    r"(?P<line>//(?:[^\n\\]|\\.|\\\n)*)|(?P<block>/\*.*?\*/)|" + r'"(?:\\.|[^"\\\n])*"|' + r"'(?:\\.|[^'\\\n])*'", re.S
)
_CONDITION = re.compile(r"\s*#\s*(?:if|ifdef|ifndef|else|elif|endif)\b")
_RULER = re.compile(r"[\s*/=#_~+-]*\Z")


@dataclass(frozen=True)
class Comment:
    """One comment, or several one-line ones below each other."""

    start: int
    end: int
    text: str


class Comments:
    """The comments of one file by their lines, which count from 1."""

    def __init__(self, text: str) -> None:
        self.beside: dict[int, Comment] = {}  # by the line of code that they stand behind
        self.starting: dict[int, Comment] = {}
        self.ending: dict[int, Comment] = {}
        self._code = without_comments(text).split("\n")
        lines = text.split("\n")
        last: Comment | None = None
        line, at = 1, 0
        for found in _COMMENT.finditer(text):
            line, at = line + text.count("\n", at, found.start()), found.start()
            if not (found["line"] or found["block"]):
                continue
            comment = Comment(line, line + found.group().count("\n"), found.group())
            before = lines[line - 1][: found.start() - (text.rfind("\n", 0, found.start()) + 1)]
            behind = text[found.end() : (text + "\n").index("\n", found.end())]
            if before.strip():
                if not behind.strip():
                    self.beside[line] = comment
            elif not behind.strip():
                if last is not None and found["line"] and last.end == line - 1 and last.text.startswith("//"):
                    comment = Comment(last.start, comment.end, f"{last.text}\n{comment.text}")
                self.starting[comment.start] = self.ending[comment.end] = last = comment

    def about(self, name: str) -> str:
        """Return what a comment says that begins with the prototype of the function *name*; "" if none does."""
        called = re.compile(rf"\b{re.escape(name)}\s*(?:\w+\s*\()?\(")
        for comment in self.starting.values():
            if name in comment.text:
                head, _, rest = plain(comment.text).partition("\n\n")
                if head.endswith(";") and called.search(head):
                    return textwrap.dedent(rest)
        return ""

    def above(self, line: int) -> Comment | None:
        """Return the comment above the declaration that begins in *line*; conditions may stand between the two."""
        line = min(line - 1, len(self._code))  # a compiler may end lines that Python does not
        while line > 0 and _CONDITION.match(self._code[line - 1]):
            line -= 1
        return self.ending.get(line)

    def below(self, line: int) -> Comment | None:
        """Return the comment below the declaration that ends in *line*."""
        return self.starting.get(line + 1)

    def follow(self, end: int, start: int) -> bool:
        """Whether nothing but conditions stands between a declaration's end and another's start."""
        return all(_CONDITION.match(line) for line in self._code[end : start - 1])

    def line_with(self, name: str, line: int) -> int:
        """Return the first line from *line* on that has the name outside of comments; 0 if there is none."""
        pattern = re.compile(rf"\b{re.escape(name)}\b")
        numbers = range(line, len(self._code) + 1)
        return next((number for number in numbers if pattern.search(self._code[number - 1])), 0)

    def end_of(self, line: int) -> int:
        """Return the line in which the declaration that begins in *line* ends."""
        depth = 0
        for number in range(line, min(line + 200, len(self._code) + 1)):
            for token in re.findall(r"[()\[\]{};]", self._code[number - 1]):
                depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token, 0)
                if token == ";" and depth <= 0:
                    return number
        return line


def documentation(
    comments: Comments, places: Iterable[tuple[str, int]], wanted: Collection[str] | None = None
) -> dict[str, str]:
    """Return the text that belongs to each of the declarations, given by name and line; "" where there is none.

    A long text that is for several goes to the first of them that is *wanted*; the others refer to it.

    >>> text = "int a(void);\\n/* A. */\\n\\nint b(int x,\\n      int y);\\n/* B. */\\nint c(void); // C.\\n"
    >>> documentation(Comments(text), [("a", 1), ("b", 4), ("c", 7)])
    {'a': 'A.', 'b': 'B.', 'c': 'C.'}
    """
    names: dict[int, list[str]] = {}
    for name, line in places:
        if wanted is None or name in wanted:
            names.setdefault(line, []).append(name)
        else:
            names.setdefault(line, [])
    owned = _owners(comments, [(line, comments.end_of(line)) for line in sorted(names)])
    texts: dict[str, str] = {}
    bearers: dict[int, str] = {}  # of a text, by the line that it was written for
    for line in sorted(names):
        text, head = owned[line]
        for name in names[line]:
            if not text:
                texts[name] = comments.about(name)
            elif text.count("\n") >= _SHARED_LINES and bearers.setdefault(head, name) != name:
                texts[name] = f"See {bearers[head]}."
            else:
                texts[name] = text
    return texts


def _owners(comments: Comments, spans: Sequence[tuple[int, int]]) -> dict[int, tuple[str, int]]:
    """Return the text for each span by its first line, and the first line of the span that it was written for."""
    above = {start: comments.above(start) for start, _ in spans}
    below = {start: comments.below(end) for start, end in spans}
    votes = sum((below[s] is not None) - (above[s] is not None) for s, _ in spans)
    first, second = (below, above) if votes > 0 else (above, below)
    claimed = {each.start for each in first.values() if each is not None}
    found: dict[int, tuple[str, int]] = {}
    for start, end in spans:
        other = second[start]
        own = comments.beside.get(end) or first[start]
        if own is None and other is not None and other.start not in claimed:
            own = other
        found[start] = (plain(own.text) if own is not None else "", start)
    # A comment is for all prototypes that stand together with the one beside it.
    order = list(spans) if first is above else list(reversed(spans))
    for (a, a_end), (b, b_end) in zip(order, order[1:], strict=False):
        together = comments.follow(a_end, b) if first is above else comments.follow(b_end, a)
        if together and not found[b][0]:
            found[b] = found[a]
    return found


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
    return _printable(text.strip())


def _even(paragraph: str) -> str:
    """A paragraph whose first line is indented further than the second, without that."""
    lines = paragraph.split("\n")
    if len(lines) > 1:
        first, second = (len(line) - len(line.lstrip()) for line in lines[:2])
        if 0 < first - second <= 4 or first > 0 == second:
            lines[0] = " " * second + lines[0].lstrip()
    return "\n".join(lines)


def _printable(text: str) -> str:
    return "".join(char if char.isprintable() or char == "\n" else "?" for char in text)
