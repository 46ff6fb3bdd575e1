"""What compilers' attributes and pragmas say of structs: `packed`, `aligned(n)` and `#pragma pack`, by their places.

The C parser knows none of them, so they are blanked before it reads a text (csource); here they are found in the text
as it was, and given to the struct or the member that they stand at.
"""

from __future__ import annotations

import re
from typing import NamedTuple

_BODY = re.compile(r"\b(?:struct|union)\b|[{};]")
_ATTRIBUTE = re.compile(r"\b__attribute(?:__)?\s*\(\s*\(")
_PACKED = re.compile(r"\b(?:__)?packed(?:__)?\b")
_ALIGNED = re.compile(r"\b(?:__)?aligned(?:__)?\b\s*(?:\(([^()]*(?:\([^()]*\))?[^()]*)\))?")
PRAGMA = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+pack[ \t]*\(([^)\n]*)\)", re.M)
#: What `aligned` without a number means: the largest alignment of the machine (GCC manual, "Common Type Attributes").
_LARGEST = "16"


class Body(NamedTuple):
    """Where the braces of a struct are."""

    keyword: int
    opens: int
    closes: int


class Said(NamedTuple):
    """What is said of one struct: the greatest alignment of a member, 0 for its own, and texts of the least ones of the
    whole."""

    pack: int
    aligned: tuple[str, ...]


class Attributes:
    """Those of one text. *code* has blanks for them, *text* has them."""

    def __init__(self, text: str, code: str) -> None:
        self._bodies = _bodies(code)
        self._code = code
        self._found = [(m.start(), _inside(text, m.end())) for m in _ATTRIBUTE.finditer(text)]
        self._found = [(at, what) for at, what in self._found if code[at : at + 5].isspace()]
        self._packs = _packs(text)

    def body(self, offset: int) -> Body | None:
        """The braces of the struct whose name, or opening brace, is at *offset*."""
        return next((each for each in self._bodies if each.keyword <= offset <= each.opens), None)

    def struct(self, body: Body) -> Said:
        """What stands before the struct's opening brace, or behind its closing one."""
        said = [
            what for at, what in self._found
            if body.keyword < at < body.opens or at > body.closes and not self._code[body.closes + 1 : at].strip()
        ]  # fmt: skip
        pack = max([value for at, value in self._packs if at < body.keyword][-1:], default=0)
        is_packed = any(_PACKED.search(what) for what in said)
        aligned = [m[1] or _LARGEST for what in said for m in _ALIGNED.finditer(what)]
        return Said(1 if is_packed else pack, tuple(aligned))

    def member(self, body: Body, offset: int) -> tuple[str, ...]:
        """The texts of the least alignments of the member at *offset*, and "packed"."""
        start = max(self._code.rfind(";", body.opens, offset), body.opens)
        end = self._code.find(";", offset)
        said = [what for at, what in self._found if start < at < end and self._innermost(at) == body]
        packed = ["packed" for what in said if _PACKED.search(what)]
        return (*packed, *[m[1] or _LARGEST for what in said for m in _ALIGNED.finditer(what)])

    def typedef(self, offset: int) -> tuple[str, ...]:
        """The texts of the least alignments of the typedef whose name is at *offset*."""
        start, end = self._code.rfind(";", 0, offset), self._code.find(";", offset)
        said = [what for at, what in self._found if start < at < end and not self._is_of_body(at)]
        return tuple([m[1] or _LARGEST for what in said for m in _ALIGNED.finditer(what)])

    def _innermost(self, at: int) -> Body | None:
        around = [each for each in self._bodies if each.opens < at < each.closes]
        return max(around, default=None) if not self._is_of_body(at) else None

    def _is_of_body(self, at: int) -> bool:
        """Whether it stands directly behind a closing brace: it is that struct's."""
        return any(each.closes < at and not self._code[each.closes + 1 : at].strip() for each in self._bodies)


def _bodies(code: str) -> list[Body]:
    found: list[Body] = []
    opened: list[tuple[int, int]] = []
    keyword = -1
    for token in _BODY.finditer(code):
        word = token.group()
        if word == "{":
            between = code[keyword : token.start()].split() if keyword >= 0 else []
            opened.append((keyword if 1 <= len(between) <= 2 else -1, token.start()))
            keyword = -1
        elif word == "}" and opened:
            start, opens = opened.pop()
            if start >= 0:
                found.append(Body(start, opens, token.start()))
        elif word == ";":
            keyword = -1
        elif word in ("struct", "union"):
            keyword = token.start()
    return found


def _inside(text: str, start: int) -> str:
    depth = 2
    for at in range(start, len(text)):
        depth += {"(": 1, ")": -1}.get(text[at], 0)
        if depth == 0:
            return text[start : at - 1]
    return ""


class Packing:
    """What `#pragma pack` says from one place on; MSVC's documentation of `pack` says what its arguments do.

    >>> packing = Packing()
    >>> [packing.after(arguments) for arguments in ("push, 1", "2", "pop", "")]
    [1, 2, 0, 0]
    """

    def __init__(self) -> None:
        self.now = 0
        self._stack: list[int] = []

    def after(self, arguments: str) -> int:
        """Return the greatest alignment of members behind a pragma with these arguments; 0: their own."""
        words = [word.strip() for word in arguments.split(",") if word.strip()]
        number = next((int(word) for word in words if word.isdigit()), None)
        if "push" in words:
            self._stack.append(self.now)
        if "pop" in words:
            self.now = self._stack.pop() if self._stack else 0
        if number is not None or not words:
            self.now = number or 0
        return self.now


def _packs(text: str) -> list[tuple[int, int]]:
    """The packing from each `#pragma pack` on."""
    packing = Packing()
    return [(pragma.start(), packing.after(pragma[1])) for pragma in PRAGMA.finditer(text)]
