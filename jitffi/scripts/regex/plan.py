"""Where a pattern needs no backtracking: decided from what can follow each part of it.

A part is handed what follows it: the characters that this can begin with, whether it can be at the end, and whether it
is sure to match. Where a choice and what else there is exclude each other by the next character, or what follows is
sure to match, there is nothing to come back for. What is left "pushes": it keeps choices on a stack.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from jitffi.scripts.regex.charset import CharSet
from jitffi.scripts.regex.nodes import (
    Alphabet,
    Alt,
    At,
    Atomic,
    Char,
    Group,
    If,
    Look,
    Node,
    Repeat,
    Same,
    Seq,
    children,
    parts_of,
)  # fmt: skip

#: How many characters of two alternatives are compared to find out that they exclude each other.
AHEAD: Final = 16
_NONE: Final = CharSet(0)


class Follow(NamedTuple):
    """What comes behind."""

    first: CharSet
    at_end: bool
    sure: bool = False


class Planner:
    """Of one pattern for one alphabet. *undone*: the groups whose earlier values choices bring back."""

    def __init__(self, alphabet: Alphabet, undone: frozenset[int]) -> None:
        self.alphabet: Final = alphabet
        self.undone: Final = undone
        self.sure: Final = Follow(alphabet.all, True, True)

    # -- what a part can begin with ----------------------------------------------------------------------

    def first(self, node: Node, follow: Follow) -> Follow:
        """The same of a part and what follows it, never sure."""
        if isinstance(node, Char):
            return Follow(node.chars, False)
        if isinstance(node, Seq):
            for each in reversed(node.parts):
                follow = self.first(each, follow)
            return Follow(*follow[:2])
        if isinstance(node, Alt | If):
            return _either([self.first(each, follow) for each in children(node)])
        if isinstance(node, Repeat):
            body = self.first(node.body, follow)
            return _either([body, follow]) if node.least == 0 else body
        if isinstance(node, Group | Atomic):
            return self.first(node.body, follow)
        if isinstance(node, At):
            return self._first_at(node, follow)
        if isinstance(node, Same):
            return Follow(self.alphabet.all, True)
        return Follow(*follow[:2])

    def _first_at(self, node: At, follow: Follow) -> Follow:
        if node.kind == "very end":
            return Follow(_NONE, follow.at_end)
        if node.kind in ("end", "line end"):
            return Follow(self.alphabet.cut(CharSet(1 << 10)), follow.at_end)
        return Follow(*follow[:2])

    # -- decisions ---------------------------------------------------------------------------------------

    def plan(self, node: Node, follow: Follow) -> None:
        """Decide all in it."""
        if isinstance(node, Seq):
            self._sequence(node, follow)
        elif isinstance(node, Alt):
            self._choice(node, follow)
        elif isinstance(node, Repeat):
            self._repeat(node, follow)
        elif isinstance(node, Look | Atomic):
            self.plan(node.body, self.sure)
            node.pushes = node.body.pushes
        else:
            for each in children(node):
                self.plan(each, follow)
                node.pushes = node.pushes or each.pushes
            if isinstance(node, Group) and node.index in self.undone:
                node.pushes = True

    def _sequence(self, node: Seq, follow: Follow) -> None:
        for each in reversed(node.parts):
            self.plan(each, follow)
            # Of what is before it follows this part, and what follows that.
            sure = follow.sure and is_sure(each)
            follow = Follow(*self.first(each, follow)[:2], sure)
        node.pushes = any(each.pushes for each in node.parts)

    def _choice(self, node: Alt, follow: Follow) -> None:
        node.firsts, node.labels = [], []
        for each in node.choices:
            self.plan(each, follow)
            node.firsts.append(self.first(each, follow)[:2])
        for i, each in enumerate(node.choices):
            others = [j for j in range(i + 1, len(node.choices)) if _overlap(node.firsts[i], node.firsts[j])]
            if not others:
                node.labels.append("")
            elif not each.pushes and (follow.sure or all(_exclude(each, node.choices[j]) for j in others)):
                node.labels.append("static")
            else:
                node.labels.append("push")
        node.pushes = "push" in node.labels or any(each.pushes for each in node.choices)

    def _repeat(self, node: Repeat, follow: Follow) -> None:
        if isinstance(node.body, Char):
            self._run(node, node.body.chars, follow)
            return
        body = self.first(node.body, follow)
        if node.body.low > 0:
            body = Follow(body.first, False)
        node.body_first, node.next_first = body[:2], follow[:2]
        again = _either([body, follow])
        self.plan(node.body, Follow(again.first, again.at_end, follow.sure and node.least <= 1))
        apart = node.body.low > 0 and body.first.is_disjoint(follow.first)
        if node.body.pushes:
            node.plan = "push"
        elif node.least == node.most or (follow.sure and node.kind == "lazy"):
            node.plan = "least"
        elif apart:
            node.plan = "sole"
        else:
            node.plan = "sure" if follow.sure else "push"
        node.pushes = node.plan == "push"

    def _run(self, node: Repeat, chars: CharSet, follow: Follow) -> None:
        """Of a character: all that there are, or as many as it takes."""
        node.next_first = follow[:2]
        if node.kind == "lazy" and follow.sure or node.least == node.most:
            node.plan = "least"
        elif follow.sure or chars.is_disjoint(follow.first):
            node.plan = "run"
        else:
            node.plan = "extend" if node.kind == "lazy" else "backoff"
        node.pushes = node.plan in ("extend", "backoff")


def is_sure(node: Node) -> bool:
    """Whether it matches wherever it is tried."""
    if isinstance(node, Seq | Group | Atomic):
        return all(is_sure(each) for each in children(node))
    if isinstance(node, Alt):
        return any(is_sure(each) for each in node.choices)
    if isinstance(node, If):
        return is_sure(node.then) and is_sure(node.other)
    return isinstance(node, Repeat) and (node.least == 0 or is_sure(node.body))


def _either(ways: list[Follow]) -> Follow:
    first = ways[0].first
    for each in ways[1:]:
        first = first | each.first
    return Follow(first, any(each.at_end for each in ways))


def _overlap(a: tuple[CharSet, bool], b: tuple[CharSet, bool]) -> bool:
    return (a[1] and b[1]) or not a[0].is_disjoint(b[0])


def _exclude(a: Node, b: Node) -> bool:
    """Whether no text begins as both do."""
    return any(x.is_disjoint(y) for x, y in zip(fixed(a), fixed(b), strict=False))


def fixed(node: Node) -> list[CharSet]:
    """The sets of the characters that it begins with, as far as these stand at known places."""
    found: list[CharSet] = []
    _fixed(node, found)
    return found


def _fixed(node: Node, found: list[CharSet]) -> bool:
    """Add to what was found. True where what stands behind it has a known place."""
    if len(found) >= AHEAD:
        return False
    if isinstance(node, Char):
        found.append(node.chars)
        return True
    if isinstance(node, Seq):
        return all(_fixed(each, found) for each in parts_of(node))
    if isinstance(node, Group | Atomic):
        return _fixed(node.body, found)
    if isinstance(node, Repeat):
        whole = all(_fixed(node.body, found) for _ in range(min(node.least, AHEAD)))
        return whole and node.least == node.most <= AHEAD
    if isinstance(node, Alt):
        return _fixed_choice(node, found)
    return isinstance(node, At | Look)


def _fixed_choice(node: Alt, found: list[CharSet]) -> bool:
    ways: list[list[CharSet]] = []
    whole = True
    for each in node.choices:
        way: list[CharSet] = []
        whole = _fixed(each, way) and whole
        ways.append(way)
    shortest = min(map(len, ways))
    for i in range(shortest):
        either = ways[0][i]
        for way in ways[1:]:
            either = either | way[i]
        found.append(either)
    return whole and all(len(way) == shortest for way in ways)
