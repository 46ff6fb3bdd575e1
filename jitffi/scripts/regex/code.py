"""The parts of a pattern as code: each begins where the position is, ends with the position behind what it has matched,
or branches to where it fails.

Failing is a branch to a label that is known here as long as there is nothing to come back for: to the next
alternative, or to the end of the attempt. Behind a part that pushes it is a branch to the stack's `back`.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from jitffi.ir.builder import V, const
from jitffi.scripts.regex import loops, places
from jitffi.scripts.regex.nodes import (
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
)  # fmt: skip

if TYPE_CHECKING:
    from collections.abc import Iterator

    from jitffi.adapters.unit import Unit
    from jitffi.ir.builder import Builder
    from jitffi.scripts.regex.chars import Chars
    from jitffi.scripts.regex.charset import CharSet
    from jitffi.scripts.regex.stack import Stack

#: So many characters of a repetition are tested one by one.
UNROLLED: Final = 16


class Groups:
    """Where the groups' ends go: two words each, behind those of the whole match, and one for the last group."""

    def __init__(self, memory: V, count: int, kept: frozenset[int], last: bool, undone: frozenset[int]) -> None:
        self.memory: Final = memory
        self.count: Final = count
        #: Those that anybody asks for.
        self.kept: Final = kept
        self.last: Final = last
        self.undone: Final = undone

    @property
    def last_at(self) -> int:
        return 16 * (self.count + 1)


class Code:
    """Of one function: what its parts need."""

    def __init__(self, unit: Unit, builder: Builder, chars: Chars, stack: Stack, groups: Groups, end: V) -> None:
        self.unit: Final = unit
        self.e: Final = builder
        self.chars: Final = chars
        self.stack: Final = stack
        self.groups: Final = groups
        self.end: Final = end
        self.position: Final = builder.alloca("i64", "position")
        #: Characters that are known to be there, from the position on.
        self.known = 0
        #: What can still match depends on the position alone: on no group, no count of rounds, and nothing that is left
        #: as a whole.
        self.is_stateless = False

    # -- the position ------------------------------------------------------------------------------------

    def now(self) -> V:
        return self.e.load("i64", self.position, 0, "at")

    def go(self, to: V) -> None:
        self.e.store(to, self.position)

    def saved(self, name: str) -> V:
        """A variable of the frame with the position."""
        place = self.e.alloca("i64", name)
        self.e.store(self.now(), place)
        return place

    def require(self, condition: V, fail: str) -> None:
        """Go on where it holds."""
        on = self.e.label("ok")
        self.e.branch(condition, on, fail)
        self.e.at(on)

    def next_is(self, first: tuple[CharSet, bool], yes: str, no: str) -> None:
        """Close the block: whether the next character, or the end, is what something can begin with."""
        e, (chars, at_end) = self.e, first
        if chars == self.chars.alphabet.all and at_end:
            e.br(yes)
            return
        at, some = self.now(), e.label("some")
        e.branch(e.icmp("slt", at, self.end), some, yes if at_end else no)
        e.at(some)
        e.branch(self.chars.is_in(self.chars.load(at), chars), yes, no)

    def once(self) -> None:
        """Go on where this place was not come to at this position before, if that tells anything."""
        if self.is_stateless:
            self.stack.memory.once(self.now(), self.stack.back)

    @contextmanager
    def stateful(self, really: bool = True) -> Iterator[None]:
        """Around what can match in several ways at one position."""
        before, self.is_stateless = self.is_stateless, self.is_stateless and not really
        yield
        self.is_stateless = before

    # -- parts -------------------------------------------------------------------------------------------

    def part(self, node: Node, fail: str) -> str:
        """Write a part. Where what is behind it fails is returned."""
        if isinstance(node, Seq):
            return self._sequence(node.parts, fail)
        if isinstance(node, Char):
            return self._sequence([node], fail)
        known, self.known = self.known, 0
        if isinstance(node, Repeat):
            loops.repeat(self, node, fail)
        elif isinstance(node, Alt):
            self._choice(node, fail)
        elif isinstance(node, Group):
            self.known = known
            self._group(node, fail)
        elif isinstance(node, At):
            places.at(self, node, fail)
            self.known = known
        elif isinstance(node, Look):
            places.look(self, node, fail)
        elif isinstance(node, Atomic):
            self._atomic(node, fail)
        elif isinstance(node, If):
            self._condition(node, fail)
        else:
            assert isinstance(node, Same), node
            places.same(self, node, fail)
        return self.stack.back if node.pushes else fail

    def _sequence(self, parts: list[Node], fail: str) -> str:
        """Characters that stand in a row are tested together."""
        row: list[CharSet] = []
        for each in parts:
            if isinstance(each, Char):
                row.append(each.chars)
            elif isinstance(each, Repeat) and isinstance(each.body, Char) and each.least == each.most <= UNROLLED:
                row += [each.body.chars] * each.least
            else:
                self.row(row, fail)
                row = []
                fail = self.part(each, fail)
        self.row(row, fail)
        return fail

    def row(self, sets: list[CharSet], fail: str) -> None:
        """Characters of these sets, one behind the other."""
        if not sets:
            return
        e, count = self.e, len(sets)
        at = self.now()
        if self.known < count:
            self.require(e.icmp("sle", at, e.sub(self.end, const("i64", count), "last")), fail)
        self.known = max(0, self.known - count)
        done = 0
        while done < count:
            done += self._some(at, sets, done, fail)
        self.go(e.add(at, const("i64", count), "behind"))

    def _some(self, at: V, sets: list[CharSet], first: int, fail: str) -> int:
        """Test some of them at once, as a number; how many."""
        e, width = self.e, self.chars.alphabet.width
        for length in (8, 4, 2):
            if length * width > 8 or first + length > len(sets):
                continue
            words = [self._word(each) for each in sets[first : first + length]]
            if any(each is None for each in words):
                continue
            bits = 8 * width
            value = sum([each[0] << bits * i for i, each in enumerate(words) if each])
            mask = sum([each[1] << bits * i for i, each in enumerate(words) if each])
            machine = f"i{bits * length}"
            word = e.load(machine, self.chars.address(at, first), 0, "word", align=width)
            if mask:
                word = e.or_(word, _constant(machine, mask), "folded")
            self.require(e.icmp("eq", word, _constant(machine, value)), fail)
            return length
        self.require(self.chars.is_in(self.chars.load(at, first), sets[first]), fail)
        return 1

    def _word(self, chars: CharSet) -> tuple[int, int] | None:
        """What a character is after an or with a mask, and that; None where it takes another test."""
        single = chars.single
        if single is not None:
            return single, 0
        pair = self.chars.pair(chars)
        return None if pair is None else (pair, 32)

    # -- groups ------------------------------------------------------------------------------------------

    def _group(self, node: Group, fail: str) -> None:
        groups, e = self.groups, self.e
        wanted = node.index in groups.kept
        if not wanted and not groups.last:
            self.part(node.body, fail)
            return
        fixed = node.body.low == node.body.high
        start = None
        if wanted and not fixed:
            start = e.alloca("i64", f"open.{node.index}")
            if node.index in groups.undone:
                self.stack.undo(start)
            e.store(self.now(), start)
        self.part(node.body, fail)
        end = self.now()
        if wanted:
            begin = e.load("i64", start, 0, "start") if start else e.sub(end, const("i64", node.body.low), "start")
            self.set(16 * node.index, begin, node.index)
            self.set(16 * node.index + 8, end, node.index)
        if groups.last:
            self.set(groups.last_at, const("i64", node.index), node.index)

    def set(self, offset: int, value: V, index: int) -> None:
        """A word of a group's."""
        if index in self.groups.undone:
            self.stack.undo(self.groups.memory, offset)
        self.e.store(value, self.groups.memory, offset)

    def words(self, sets: frozenset[int]) -> list[int]:
        """The words that groups have, of those that anybody asks for: their offsets."""
        kept = sorted(sets & self.groups.kept)
        found = [16 * index + half for index in kept for half in (0, 8)]
        return [*found, self.groups.last_at] if sets and self.groups.last else found

    def remembered(self, sets: frozenset[int]) -> list[tuple[int, V]]:
        """What the groups are now, for `restore`."""
        found = []
        for offset in self.words(sets):
            place = self.e.alloca("i64", "before")
            self.e.store(self.e.load("i64", self.groups.memory, offset, "word"), place)
            found.append((offset, place))
        return found

    def restore(self, remembered: list[tuple[int, V]]) -> None:
        for offset, place in remembered:
            self.e.store(self.e.load("i64", place, 0, "before"), self.groups.memory, offset)

    # -- choices -----------------------------------------------------------------------------------------

    def _choice(self, node: Alt, fail: str) -> None:
        """One alternative after the other, those left out that the next character rules out."""
        e = self.e
        done = e.label("chosen")
        last = len(node.choices) - 1
        for i, each in enumerate(node.choices):
            label, self.known = node.labels[i], 0
            other = e.label("alternative") if i < last else fail
            if i < last:
                here = e.label("choice")
                self.next_is(node.firsts[i], here, other)
                e.at(here)
            if label == "push":
                again = self.stack.push([self.now()], "again")
                self.part(each, self.stack.back)
                e.br(done)
                e.at(again)
                self.go(self.stack.pop(1)[0])
                e.br(other)
            elif label == "static":
                self._static(each, other, done)
            else:
                self.part(each, fail)
                e.br(done)
            if i < last:
                e.at(other)
        e.at(done)

    def _static(self, node: Node, other: str, done: str) -> None:
        """An alternative that leaves nothing to come back for: where it fails the next one follows."""
        before, words = self.saved("choice.start"), self.remembered(node.sets)
        failed = self.e.label("failed")
        self.part(node, failed)
        self.e.br(done)
        self.e.at(failed)
        self.go(self.e.load("i64", before, 0, "start"))
        self.restore(words)
        self.e.br(other)

    def _condition(self, node: If, fail: str) -> None:
        e = self.e
        then, other, done = e.label("then"), e.label("else"), e.label("decided")
        end = e.load("i64", self.groups.memory, 16 * node.index + 8, "end")
        e.branch(e.icmp("sge", end, const("i64", 0)), then, other)
        for label, each in ((then, node.then), (other, node.other)):
            e.at(label)
            self.known = 0
            self.part(each, fail)
            e.br(done)
        e.at(done)

    def _atomic(self, node: Atomic, fail: str) -> None:
        if not node.body.pushes:
            self.part(node.body, fail)
            return
        height = self.keep(node.sets)
        with self.stateful():
            self.part(node.body, fail)
        self.stack.cut(self.e.load("i64", height, 0, "height"))

    def keep(self, sets: frozenset[int]) -> V:
        """Before what is left as a whole: the variable with the height that the stack is cut to. Below it stand the
        values of its groups, for who goes back further."""
        for offset in self.words(sets & self.groups.undone):
            self.stack.undo(self.groups.memory, offset)
        height = self.e.alloca("i64", "height")
        self.e.store(self.stack.height(), height)
        return height


def _constant(machine: str, value: int) -> V:
    bits = int(machine[1:])
    return const(machine, value - (1 << bits) if value >> bits - 1 else value)
