"""Repetitions as code: of a character, which are runs, and of anything else.

What is repeated zero times more often than it must be, without moving, ends a repetition, as in `re`: a round that
begins where the one before it began is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from jitffi.ir.builder import V, const
from jitffi.scripts.regex.nodes import MANY, Char, Repeat

if TYPE_CHECKING:
    from collections.abc import Callable

    from jitffi.scripts.regex.code import Code

_ONE = const("i64", 1)


def repeat(c: Code, node: Repeat, fail: str) -> None:
    """Write it."""
    if isinstance(node.body, Char):
        {"least": _least, "run": _run, "backoff": _backoff, "extend": _extend}[node.plan](c, node, node.body, fail)
    elif node.plan == "push":
        (_lazy if node.kind == "lazy" else _greedy)(c, node, fail)
    elif node.most:
        _still(c, node, fail)


# -- characters --------------------------------------------------------------------------------------------------------


def _limit(c: Code, at: V, most: int) -> V:
    """How far so many characters go."""
    if most >= MANY:
        return c.end
    return c.e.intrinsic("llvm.smin", "i64", c.end, c.e.add(at, const("i64", most), "at.most"))


def _least(c: Code, node: Repeat, char: Char, fail: str) -> None:
    """As many as there must be, and no more."""
    e, at = c.e, c.now()
    if node.least == 0:
        return
    behind = e.add(at, const("i64", node.least), "behind")
    c.require(e.icmp("sle", behind, c.end), fail)
    c.require(e.icmp("eq", c.chars.skip(at, behind, char.chars), behind), fail)
    c.go(behind)


def _run(c: Code, node: Repeat, char: Char, fail: str) -> None:
    """All that there are."""
    e, at = c.e, c.now()
    behind = c.chars.skip(at, _limit(c, at, node.most), char.chars)
    if node.least:
        c.require(e.icmp("sge", e.sub(behind, at, "length"), const("i64", node.least)), fail)
    c.go(behind)


def _backoff(c: Code, node: Repeat, char: Char, fail: str) -> None:
    """All that there are, then one less at a time, where what follows can begin."""
    e, at = c.e, c.now()
    behind = c.chars.skip(at, _limit(c, at, node.most), char.chars)
    least = e.add(at, const("i64", node.least), "least")
    c.require(e.icmp("sge", behind, least), fail)
    least_at = e.alloca("i64", "least")
    e.store(least, least_at)
    c.go(behind)
    look, good, less = e.label("look"), e.label("good"), e.label("less")
    e.br(look)
    e.at(look)
    c.next_is(node.next_first, good, less)
    e.at(good)
    c.once()
    again = c.stack.push([e.load("i64", least_at, 0, "least"), c.now()], "less.again")
    done = e.label("repeated")
    e.br(done)
    e.at(again)
    least, now = c.stack.pop(2)
    e.store(least, least_at)
    c.go(now)
    e.br(less)
    e.at(less)
    now = c.now()
    c.require(e.icmp("sgt", now, e.load("i64", least_at, 0, "least")), c.stack.back)
    c.go(e.sub(now, _ONE, "one.less"))
    e.br(look)
    e.at(done)


def _extend(c: Code, node: Repeat, char: Char, fail: str) -> None:
    """As few as there can be, then one more at a time, up to where what follows can begin."""
    e = c.e
    _least(c, node, char, fail)
    limit_at = e.alloca("i64", "limit")
    e.store(_limit(c, e.sub(c.now(), const("i64", node.least)), node.most), limit_at)
    look, good, more = e.label("look"), e.label("good"), e.label("more")
    e.br(look)
    e.at(look)
    c.next_is(node.next_first, good, more)
    e.at(good)
    again = c.stack.push([e.load("i64", limit_at, 0, "limit"), c.now()], "more.again")
    done = e.label("repeated")
    e.br(done)
    e.at(again)
    limit, now = c.stack.pop(2)
    e.store(limit, limit_at)
    c.go(now)
    e.br(more)
    e.at(more)
    now = c.now()
    c.require(e.icmp("slt", now, e.load("i64", limit_at, 0, "limit")), c.stack.back)
    c.require(c.chars.is_in(c.chars.load(now), char.chars), c.stack.back)
    c.go(e.add(now, _ONE, "one.more"))
    e.br(look)
    e.at(done)


# -- anything else -----------------------------------------------------------------------------------------------------


class _Rounds:
    """The variables of a repetition: how many rounds there were, if anybody asks, and where the last one began that was
    not needed. *undone*: going back brings them back."""

    def __init__(self, c: Code, node: Repeat, undone: bool) -> None:
        self.c, self.node, self.undone = c, node, undone
        #: Of `+` the first round is simply begun with.
        self.is_begun = undone and node.least == 1 and node.most >= MANY and node.body.low > 0
        counts = (node.least > 0 or node.most < MANY) and not self.is_begun
        self.count = c.e.alloca("i64", "rounds") if counts else None
        self.last = c.e.alloca("i64", "last.round") if node.body.low == 0 else None
        #: Where a round begins, what can follow depends on more than the position.
        self.is_counted = self.count is not None or self.last is not None
        self._set(self.count, const("i64", 0))
        self._set(self.last, const("i64", -1))

    def _set(self, variable: V | None, value: V) -> None:
        if variable is not None:
            if self.undone:
                self.c.stack.undo(variable)
            self.c.e.store(value, variable)

    def begin(self, head: str) -> None:
        """Open the block where it is decided whether there is another round."""
        self.c.e.at(head)
        if not self.is_counted:
            self.c.once()

    def write(self, choose: Callable[[], None], head: str, body: str) -> None:
        """The rounds, of which there can be several ways."""
        c, e = self.c, self.c.e
        e.br(body if self.is_begun else head)
        if not self.is_begun:
            choose()
        e.at(body)
        self.next()
        c.known = 0
        with c.stateful(self.is_counted):
            c.part(self.node.body, c.stack.back)
        e.br(head)
        if self.is_begun:
            choose()

    def next(self) -> None:
        """One more has been begun."""
        if self.count is not None:
            self._set(self.count, self.c.e.add(self.c.e.load("i64", self.count, 0, "rounds"), _ONE))

    def if_needed(self, body: str) -> None:
        """To the body while there are too few; else go on."""
        if self.node.least and not self.is_begun:
            self._branch("slt", self.node.least, body)

    def if_enough(self, done: str) -> None:
        """Away where there can be no more; else go on, with a round that is not needed."""
        e = self.c.e
        if self.node.most < MANY:
            self._branch("sge", self.node.most, done)
        if self.last is not None:
            on, at = e.label("moved"), self.c.now()
            e.branch(e.icmp("eq", at, e.load("i64", self.last, 0, "last")), done, on)
            e.at(on)
            self._set(self.last, at)

    def _branch(self, predicate: str, limit: int, there: str) -> None:
        e = self.c.e
        assert self.count is not None
        on = e.label("rounds")
        e.branch(e.icmp(predicate, e.load("i64", self.count, 0, "rounds"), const("i64", limit)), there, on)
        e.at(on)


def _greedy(c: Code, node: Repeat, fail: str) -> None:
    e = c.e
    rounds = _Rounds(c, node, undone=True)
    head, body, done, way = e.label("round"), e.label("body"), e.label("repeated"), e.label("way")

    def choose() -> None:
        rounds.begin(head)
        rounds.if_needed(body)
        rounds.if_enough(done)
        c.next_is(node.body_first, way, done)
        e.at(way)
        enough = c.stack.push([c.now()], "enough")
        e.br(body)
        e.at(enough)
        c.go(c.stack.pop(1)[0])
        e.br(done)

    rounds.write(choose, head, body)
    e.at(done)
    c.known = 0


def _lazy(c: Code, node: Repeat, fail: str) -> None:
    e = c.e
    rounds = _Rounds(c, node, undone=True)
    head, body, done = e.label("round"), e.label("body"), e.label("repeated")

    def choose() -> None:
        rounds.begin(head)
        rounds.if_needed(body)
        more = c.stack.push([c.now()], "one.more")
        e.br(done)
        e.at(more)
        c.go(c.stack.pop(1)[0])
        rounds.if_enough(c.stack.back)
        c.next_is(node.body_first, body, c.stack.back)

    rounds.write(choose, head, body)
    e.at(done)
    c.known = 0


def _still(c: Code, node: Repeat, fail: str) -> None:
    """One that leaves nothing to come back for. "sole": the next character says whether there is another round.
    "least": there are as many as there must be. "sure": what follows matches, wherever the last whole round ends."""
    e = c.e
    rounds = _Rounds(c, node, undone=False)
    head, body, done, failed = e.label("round"), e.label("body"), e.label("repeated"), e.label("no.round")
    e.br(head)
    e.at(head)
    rounds.if_needed(body)
    if node.plan == "least":
        e.br(done)
    else:
        rounds.if_enough(done)
        c.next_is(node.body_first, body, done)
    e.at(body)
    sure = node.plan == "sure"
    if sure:
        start, words = c.saved("round.start"), c.remembered(node.sets)
    rounds.next()
    c.known = 0
    c.part(node.body, failed if sure else fail)
    e.br(head)
    if sure:
        e.at(failed)
        c.go(e.load("i64", start, 0, "start"))
        c.restore(words)
        if node.least:
            assert rounds.count is not None
            e.branch(e.icmp("sle", e.load("i64", rounds.count, 0, "rounds"), const("i64", node.least)), fail, done)
        else:
            e.br(done)
    e.at(done)
    c.known = 0
