"""Where a search begins: the places where a pattern can match, found a row of characters at a time.

tests       sets of characters at fixed distances from the beginning, the rarest two: `\\d{4}-` looks for digits that
            have a - four further on
word first  `\\w+@` is looked for by its @, and back from there; the runs that do not end before one cost nothing
runs        where `\\w+:` has failed, it fails in the rest of that run, too
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from jitffi.ir.builder import V, const
from jitffi.scripts.regex.charset import CharSet
from jitffi.scripts.regex.nodes import MANY, At, Atomic, Char, Group, Node, Repeat, Same, Seq, children
from jitffi.scripts.regex.plan import fixed

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jitffi.scripts.regex.chars import Chars
    from jitffi.scripts.regex.code import Code
    from jitffi.scripts.regex.nodes import Alphabet

_ONE = const("i64", 1)
#: Of each character how often it stands in a text, about: in English prose and in source text, per mille.
_OFTEN: Final = {
    " ": 160, "e": 90, "t": 65, "a": 60, "o": 55, "i": 55, "n": 55, "s": 50, "r": 45, "h": 40, "l": 30, "d": 28,
    "c": 25, "u": 22, "m": 20, "f": 16, "p": 18, "g": 14, "w": 14, "y": 13, "b": 12, "v": 8, "k": 5, "\n": 20,
    ",": 10, ".": 12, "0": 12, "1": 12, "2": 8, "_": 5, "(": 5, ")": 5, '"': 6, "-": 6, "=": 5, "'": 4, ":": 5, "/": 4,
}  # fmt: skip
_SELDOM, _ABOVE = 2, 40


def often(chars: CharSet) -> int:
    """Of a thousand characters how many are in the set, about."""
    total = sum([_OFTEN.get(chr(code), _SELDOM) for code in range(128) if chars.bits >> code & 1])
    return min(1000, total + (_ABOVE if chars.bits >> 128 or chars.above != (False, (), ()) else 0))


class Test(NamedTuple):
    """What must stand at a distance from the beginning."""

    offset: int
    chars: CharSet


class Plan(NamedTuple):
    """How to look for a pattern."""

    tests: list[Test]
    #: Of a pattern that begins with a run: what that is of; it does not begin again in the middle of one.
    run: CharSet | None = None
    #: What stands behind that run, where it is looked for first; and the run's least length.
    anchor: CharSet | None = None
    least: int = 0

    @property
    def is_behind(self) -> bool:
        """A test is of what stands before the beginning, which there need not be."""
        return any(test.offset < 0 for test in self.tests)


def plan(node: Node, chars: Chars) -> Plan:
    alphabet = chars.alphabet
    leaves = _leaves(node, 3)
    run: CharSet | None = None
    first = leaves[0] if leaves else node
    if isinstance(first, Repeat) and isinstance(first.body, Char) and _stops_at(first, alphabet) and not _refers(node):
        run = first.body.chars
        after = leaves[1] if len(leaves) > 1 else None
        if isinstance(after, Char) and after.chars.single is not None and often(run) > 100 > 5 * often(after.chars):
            return Plan([], run, after.chars, first.least)
    tests = _tests(fixed(node), chars)
    before = _before(leaves, alphabet)
    if before is not None and chars.is_quick(before.chars, superset=True):
        tests = [before, *tests[:1]]
    return Plan(tests, run)


def _stops_at(node: Repeat, alphabet: Alphabet) -> bool:
    """A run of all that there are: where it is followed by what it is not of, it is the same from everywhere in it."""
    follows = node.next_first[0]
    return node.plan == "run" and node.most == MANY and node.least > 0 and follows != alphabet.all


def required(node: Node) -> CharSet | None:
    """A character that is in every match, the rarest, of a pattern that can come back to rounds of a repetition: where
    the text has none left, none of its ways leads anywhere."""
    found = sorted([each for each in _always(node) if each.single is not None], key=often)
    return found[0] if found and _comes_back(node) else None


def _always(node: Node) -> Iterator[CharSet]:
    if isinstance(node, Char):
        yield node.chars
    elif isinstance(node, Seq | Group | Atomic) or (isinstance(node, Repeat) and node.least):
        for each in children(node):
            yield from _always(each)


def _comes_back(node: Node) -> bool:
    return isinstance(node, Repeat) and node.plan == "push" or any(map(_comes_back, children(node)))


def _leaves(node: Node, count: int) -> list[Node]:
    """The first parts, out of groups."""
    if isinstance(node, Group):
        return _leaves(node.body, count)
    if not isinstance(node, Seq):
        return [node]
    found: list[Node] = []
    for each in node.parts:
        found += _leaves(each, count)
        if len(found) >= count:
            break
    return found


def _refers(node: Node) -> bool:
    return isinstance(node, Same) or any(_refers(each) for each in children(node))


def _before(leaves: list[Node], alphabet: Alphabet) -> Test | None:
    """What a pattern that begins with `^` of lines, or with `\\b` and a letter, has before it."""
    if not leaves or not isinstance(leaves[0], At):
        return None
    if leaves[0].kind == "line start":
        return Test(-1, CharSet(1 << 10))
    word = leaves[0].word
    following = fixed(Seq(leaves[1:]))
    if leaves[0].kind != "word" or word is None or not following:
        return None
    first = following[0]
    if first.bits & ~word.bits or first.above not in ((False, (), ()), word.above):
        return None
    return Test(-1, word.complement(alphabet.all))


def _tests(sets: list[CharSet], chars: Chars) -> list[Test]:
    """The rarest two that are quick to test, where they leave much out."""
    found = [Test(i, each) for i, each in enumerate(sets) if chars.is_quick(each, superset=True)]
    found = sorted([each for each in found if often(each.chars) < 900], key=lambda each: often(each.chars))
    if len(found) > 1 and often(found[0].chars) < 8 * often(found[1].chars) // 8 and often(found[1].chars) > 500:
        return found[:1]
    return found[:2]


class Scan:
    """The code of a search: `begin` leads to attempts, `failed` to the next one, and both to *none*."""

    def __init__(self, code: Code, node: Node, start: V, attempt: str, none: str) -> None:
        self.c, self.e, self.node = code, code.e, node
        self.plan: Final = plan(node, code.chars)
        #: The variable with the beginning of the attempt.
        self.start: Final = start
        self._attempt, self._none = attempt, none
        self._next: Final = self.e.label("scan")
        self._pick: Final = self.e.label("pick")
        self._mask, self._base = self.e.alloca("i32", "mask"), self.e.alloca("i64", "row")

    def begin(self) -> None:
        """Close the block, with the scan behind it."""
        if self.plan.anchor is not None:
            self._anchored(self.plan.anchor)
        elif self.plan.tests:
            self._tested()
        else:
            self._everywhere()

    def failed(self) -> None:
        """Close the block: on with the next place."""
        e, start = self.e, self.e.load("i64", self.start, 0, "start")
        if self.plan.run is not None and self.plan.anchor is None:
            behind = self.c.chars.skip(start, self.c.end, self.plan.run)
            # It need not begin a run: rows find more than is in the set.
            e.store(e.intrinsic("llvm.smax", "i64", behind, e.add(start, _ONE)), self.start)
            e.br(self._next)
        elif self.plan.tests:
            e.br(self._pick)
        else:
            if self.plan.anchor is None:
                e.store(e.add(start, _ONE, "next"), self.start)
            e.br(self._next)

    # -- everywhere --------------------------------------------------------------------------------------

    def _everywhere(self) -> None:
        e = self.e
        e.br(self._next)
        e.at(self._next)
        at = e.load("i64", self.start, 0, "start")
        e.branch(self._is_room(at), self._attempt, self._none)

    def _is_room(self, at: V) -> V:
        e = self.e
        return e.icmp("sle", e.add(at, const("i64", self.node.low), "least.end"), self.c.end)

    # -- by tests ----------------------------------------------------------------------------------------

    def _tested(self) -> None:
        e, chars = self.e, self.c.chars
        rows, single, next_row, take = e.label("scan.row"), e.label("scan.one"), e.label("next.row"), e.label("take")
        self._first()
        e.at(self._next)
        at = e.load("i64", self.start, 0, "start")
        reach = max(0, *[test.offset for test in self.plan.tests]) + chars.lanes
        e.branch(e.icmp("sle", e.add(at, const("i64", reach)), self.c.end), rows, single)
        e.at(rows)
        hits = [chars.row(at, test.chars, test.offset, superset=True) for test in self.plan.tests]
        mask = chars.mask(hits[0] if len(hits) == 1 else chars.both(*hits))
        e.store(mask, self._mask)
        e.store(at, self._base)
        e.br(self._pick)
        e.at(self._pick)
        mask = e.load("i32", self._mask, 0, "mask")
        e.branch(e.icmp("eq", mask, const("i32", 0)), next_row, take)
        e.at(next_row)
        e.store(e.add(e.load("i64", self._base, 0, "row"), const("i64", chars.lanes)), self.start)
        e.br(self._next)
        e.at(take)
        e.store(e.and_(mask, e.sub(mask, const("i32", 1))), self._mask)
        at = e.add(e.load("i64", self._base, 0, "row"), chars.first_of(mask), "place")
        e.store(at, self.start)
        e.branch(self._is_room(at), self._attempt, self._none)
        e.at(single)
        self._single()

    def _first(self) -> None:
        """Nothing stands before the first character of a text."""
        e = self.e
        if not self.plan.is_behind:
            e.br(self._next)
            return
        first, room = e.label("first"), e.label("first.room")
        start = e.load("i64", self.start, 0, "start")
        e.branch(e.icmp("eq", start, const("i64", 0)), first, self._next)
        e.at(first)
        e.store(const("i64", 1 - self.c.chars.lanes), self._base)
        e.store(const("i32", 0), self._mask)
        e.br(room)
        e.at(room)
        e.branch(self._is_room(start), self._attempt, self._none)

    def _single(self) -> None:
        """One place, near the end of the text."""
        e, chars = self.e, self.c.chars
        room, on = e.label("room"), e.label("scan.on")
        at = e.load("i64", self.start, 0, "start")
        e.branch(self._is_room(at), room, self._none)
        e.at(room)
        e.store(const("i32", 0), self._mask)
        e.store(e.sub(at, const("i64", chars.lanes - 1)), self._base)
        for test in self.plan.tests:
            good = e.label("good")
            e.branch(chars.is_in(chars.load(at, test.offset), test.chars), good, on)
            e.at(good)
        e.br(self._attempt)
        e.at(on)
        e.store(e.add(at, _ONE), self.start)
        e.br(self._next)

    # -- by what stands behind a run ---------------------------------------------------------------------

    def _anchored(self, anchor: CharSet) -> None:
        e, chars = self.e, self.c.chars
        run = self.plan.run
        assert run is not None
        other = anchor.complement(chars.alphabet.all)
        floor, begin = e.alloca("i64", "floor"), e.alloca("i64", "begin")
        e.store(e.load("i64", self.start, 0, "start"), floor)
        e.br(self._next)
        e.at(self._next)
        low = e.load("i64", floor, 0, "floor")
        found = chars.skip(low, self.c.end, other)
        there, back, look, less, done = (e.label(n) for n in ("there", "back", "look", "less", "begin"))
        e.branch(e.icmp("slt", found, self.c.end), there, self._none)
        e.at(there)
        e.store(found, begin)
        e.store(e.add(found, _ONE), floor)
        e.br(back)
        e.at(back)
        at = e.load("i64", begin, 0, "at")
        e.branch(e.icmp("sgt", at, low), look, done)
        e.at(look)
        e.branch(chars.is_in(chars.load(at, -1), run), less, done)
        e.at(less)
        e.store(e.sub(at, _ONE), begin)
        e.br(back)
        e.at(done)
        at = e.load("i64", begin, 0, "at")
        e.store(at, self.start)
        long = e.icmp("sge", e.sub(found, at, "length"), const("i64", self.plan.least))
        e.branch(e.and_(long, self._is_room(at)), self._attempt, self._next)
