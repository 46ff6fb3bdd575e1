"""The parts of a pattern, for one alphabet: its tree without flags, names and spellings.

A tree is made for each alphabet, since sets of characters are other ones there. What the planner decides stands in the
nodes: `label` of an alternative, `plan` of a repetition, `pushes` of all.
"""

from __future__ import annotations

from typing import Final

from jitffi.scripts.regex.charset import ASCII, BYTE, EVERYTHING, NOTHING, CharSet

#: As re's own MAXREPEAT: no limit.
MANY: Final = 1 << 62


class Alphabet:
    """What a text is of: its characters in memory, and how many there are of them."""

    def __init__(self, name: str, mask: int, machine: str, lanes: int) -> None:
        self.name: Final = name
        self.mask: Final = mask
        #: A character's LLVM type, its bytes, and how many are looked at together.
        self.machine: Final = machine
        self.lanes: Final = lanes
        self.width: Final = int(machine[1:]) // 8
        self.all: Final = self.cut(CharSet(BYTE, EVERYTHING))

    @property
    def is_wide(self) -> bool:
        return self.width > 1

    def cut(self, chars: CharSet) -> CharSet:
        """The characters of a set that there are."""
        return chars if self.is_wide else CharSet(chars.bits & self.mask, NOTHING)


NARROW: Final = Alphabet("ascii", ASCII, "i8", 16)
BYTES: Final = Alphabet("bytes", BYTE, "i8", 16)
WIDE: Final = Alphabet("wide", BYTE, "i32", 8)


class Node:
    """One part. `pushes`: it may leave choices on the stack."""

    pushes = False
    #: The shortest and the longest text that it matches.
    low = high = 0
    #: The groups that it sets, in it or below.
    sets: frozenset[int] = frozenset()


class Char(Node):
    low = high = 1

    def __init__(self, chars: CharSet) -> None:
        self.chars: Final = chars


class Seq(Node):
    def __init__(self, parts: list[Node]) -> None:
        self.parts: Final = parts
        self.low, self.high = sum([each.low for each in parts]), min(MANY, sum([each.high for each in parts]))
        self.sets = frozenset().union(*[each.sets for each in parts])


class Alt(Node):
    def __init__(self, choices: list[Node]) -> None:
        self.choices: Final = choices
        self.low, self.high = min([each.low for each in choices]), max([each.high for each in choices])
        self.sets = frozenset().union(*[each.sets for each in choices])
        #: By choice: "" (no other can match where it does), "static" (a label while it is tried), "push".
        self.labels: list[str] = []
        #: By choice: what it, and what follows, can begin with; and whether it can be at the end.
        self.firsts: list[tuple[CharSet, bool]] = []


class Repeat(Node):
    """kind: "greedy", "lazy"."""

    def __init__(self, body: Node, low: int, high: int, kind: str) -> None:
        self.body: Final = body
        self.least: Final = low
        self.most: Final = high
        self.kind: Final = kind
        self.low, self.high = min(MANY, body.low * low), min(MANY, body.high * high)
        self.sets = body.sets
        #: Of a character: "least", "run", "backoff", "extend"; else "least", "sole", "sure", "push".
        self.plan = ""
        self.body_first: tuple[CharSet, bool] = (CharSet(0), False)
        self.next_first: tuple[CharSet, bool] = (CharSet(0), False)


class Group(Node):
    def __init__(self, index: int, body: Node) -> None:
        self.index: Final = index
        self.body: Final = body
        self.low, self.high = body.low, body.high
        self.sets = body.sets | {index}


class Look(Node):
    """A look ahead, or with `back` characters behind."""

    def __init__(self, body: Node, back: int | None, negated: bool) -> None:
        self.body: Final = body
        self.back: Final = back
        self.negated: Final = negated
        self.sets = body.sets


class Atomic(Node):
    def __init__(self, body: Node) -> None:
        self.body: Final = body
        self.low, self.high = body.low, body.high
        self.sets = body.sets


class Same(Node):
    """What a group has matched, once more. folding: "", "ascii", "unicode"."""

    high = MANY

    def __init__(self, index: int, folding: str) -> None:
        self.index: Final = index
        self.folding: Final = folding


class If(Node):
    """Whether a group has matched."""

    def __init__(self, index: int, then: Node, other: Node) -> None:
        self.index: Final = index
        self.then: Final = then
        self.other: Final = other
        self.low, self.high = min(then.low, other.low), max(then.high, other.high)
        self.sets = then.sets | other.sets


class At(Node):
    """kind: "start", "line start", "end", "line end", "very end", "word", "no word"; the last two with the set."""

    def __init__(self, kind: str, word: CharSet | None = None) -> None:
        self.kind: Final = kind
        self.word: Final = word


def children(node: Node) -> list[Node]:
    if isinstance(node, Seq):
        return node.parts
    if isinstance(node, Alt):
        return node.choices
    if isinstance(node, If):
        return [node.then, node.other]
    if isinstance(node, Repeat | Group | Look | Atomic):
        return [node.body]
    return []


def sequence(parts: list[Node]) -> Node:
    """One node for several, flat."""
    flat: list[Node] = []
    for each in parts:
        flat += each.parts if isinstance(each, Seq) else [each]
    return flat[0] if len(flat) == 1 else Seq(flat)


def parts_of(node: Node) -> list[Node]:
    return node.parts if isinstance(node, Seq) else [node]
