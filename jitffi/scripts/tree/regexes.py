"""Expressions with regular expressions: nodes of the tree, beside those of tree.py.

A variable that is a match is two: the match, which is an address or NULL, and a text beside it, which every match
that the variable gets is of. So what keeps the text is what keeps any other text.
"""

from __future__ import annotations

from jitffi.base.records import record
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


#: In the place of a group: the text that was looked through.
WHOLE = -1


class Asked:
    """What is asked of the matches that one variable has, whichever pattern they are of."""

    def __init__(self, *patterns: Any) -> None:
        self.patterns = list(patterns)  #: regex.read.Pattern
        self.groups: set[int | str] = set()  #: by number or name
        self.last = False
        #: Something was read that holds for matches of one pattern only.
        self.is_of_one = False

    def fits(self) -> bool:
        """Whether all that is asked of them means the same for all of the patterns."""
        first = self.patterns[0]
        same = all((each.text, each.flags) == (first.text, first.flags) for each in self.patterns)
        numbers = [[each.number(key) for key in self.groups] for each in self.patterns]
        known = all(number is not None for row in numbers for number in row)
        return known and (same or not (self.is_of_one or self.last) and all(row == numbers[0] for row in numbers))


@record
class Subject(tree.Expr):
    """A value as the text that a pattern is looked for in; TypeError where it is none."""

    value: tree.Expr
    pattern: Any


@record
class Find(tree.Expr):
    """`pattern.search(text, start, end)`: a match, or NULL. mode: "search", "match", "fullmatch"."""

    pattern: Any
    mode: str
    text: tree.Expr
    start: tree.Expr | None
    end: tree.Expr | None
    asked: Asked


@record
class Matches(tree.Expr):
    """What `pattern.finditer(text, start, end)` goes through, as pairs of a match and the text. Only to go through."""

    pattern: Any
    text: tree.Expr
    start: tree.Expr | None
    end: tree.Expr | None
    asked: Asked


@record
class GroupOf(tree.Expr):
    """`match[key]` of a match with that text; `default` where the group has none."""

    match: tree.Expr
    text: tree.Expr
    key: int | str
    asked: Asked
    default: str | bytes | None = None
    #: The method, which None does not have; "" is an index.
    name: str = "group"


@record
class PlaceOf(tree.Expr):
    """`match.start(key)` or `match.end(key)`."""

    match: tree.Expr
    key: int | str
    is_end: bool
    asked: Asked
    name: str = "start"


@record
class LastOf(tree.Expr):
    """`match.lastgroup`, or `match.lastindex`."""

    match: tree.Expr
    is_name: bool
    asked: Asked


@record
class Substituted(tree.Comprehension):
    """`pattern.sub(..., text, count)`: its one clause goes through the matches, and the value is a tuple of what goes
    in the place of each."""

    count: tree.Expr | None = None


@record
class Split(tree.Comprehension):
    """`pattern.split(text, most)`: its one clause goes through the matches; the value is a tuple of their groups."""

    most: tree.Expr | None = None


def over(node: Substituted | Split) -> Matches:
    """The matches that it goes through."""
    found = node.clauses[0].iterable
    assert isinstance(found, Matches)
    return found
