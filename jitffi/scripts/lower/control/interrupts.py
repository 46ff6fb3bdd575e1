"""Where loops ask whether the script is to end: each after so many rounds that asking costs nothing.

How many that are the answer says, by the time that has passed; how many at first, what a round does. Iterations of a
known end (ranges, text) run in stretches: the end that their rounds compare with is that of the stretch, and what
follows it asks. So a round has not one instruction more, and the loop within the stretch is as open to LLVM as it was.
All other loops of a function count their rounds down together, those that do more by more.

    stretch:  end of the stretch = min(end, next + rounds)
    again:    next < end of the stretch?  --yes-->  the round  -->  again
                 | no
              next < end?  --no-->  the loop is over
                 | yes
              ask  -->  stretch
"""

from __future__ import annotations

from jitffi.base.records import fields_of
from jitffi.scripts.lower.function.emit import V, const
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.scripts.lower.function.body import Body

#: Rounds until the first question, of some nanoseconds each.
STRETCH = 1 << 15
#: What a round counts for: with operations in it; with calls of functions, or a loop; with two loops in one another.
BUSY, CALLING, NESTED = 16, 512, 8192
_DEEP = 15


def ask(b: Body, rounds: V) -> V:
    """How many rounds to go on for, where it was *rounds* until now."""
    return b.frame.call("jf_script_interrupted", rounds)


def weight(nodes: Any) -> int:
    """What a round of these statements and expressions counts for."""
    found = 1
    waiting: list[tuple[Any, int]] = [(nodes, 0)]
    while waiting:
        node, depth = waiting.pop()
        if isinstance(node, list | tuple):
            waiting += [(each, depth) for each in node]
        elif isinstance(node, dict):
            waiting += [(each, depth) for each in node.values()]
        elif isinstance(node, tree.Expr | tree.Stmt | tree.Clause | tree.Callee | tree.Field):
            if isinstance(node, tree.Call):
                found = max(found, CALLING)
            elif isinstance(node, tree.Method | tree.Builtin):
                found = max(found, BUSY)
            depth += len(node.clauses) if isinstance(node, tree.Comprehension) else isinstance(node, _LOOPS)
            found = max(found, (1, CALLING, NESTED, STRETCH)[min(depth, 3)])
            waiting += [(getattr(node, name), depth) for name in fields_of(type(node)) if name not in ("place", "type")]
    return found


_LOOPS = (tree.For, tree.While)


def count_round(b: Body, nodes: object) -> None:
    """At the beginning of a round with these statements and expressions: ask where the function's loops have gone
    through enough of them."""
    e = b.e
    if b.rounds is None:
        b.rounds = e.alloca("i64", "rounds"), e.alloca("i64", "stretch")
        for each in b.rounds:
            e.setup(const("i64", STRETCH), each)
    _count(b, *b.rounds, weight(nodes))


def _count(b: Body, left: V, stretch: V, weight: int) -> None:
    e = b.e
    on, enough = e.label("round"), e.label("enough")
    now = e.sub(e.load("i64", left, 0, "rounds"), const("i64", weight))
    e.store(now, left)
    e.branch(e.icmp("slt", now, const("i64", 0), "enough"), enough, on, likely=False)
    e.at(enough)
    rounds = ask(b, e.load("i64", stretch, 0, "stretch"))
    e.store(rounds, left)
    e.store(rounds, stretch)
    e.br(on)
    e.at(on)


def stretch_length(nodes: object) -> int:
    """The rounds of the first stretch with these statements and expressions in each."""
    return STRETCH // weight(nodes)


def count_depth(b: Body) -> None:
    """At the beginning of a variant that can call itself: calls at each sixteenth depth are counted, so that a
    recursion without loops ends, too."""
    e, unit = b.e, b.module.unit
    if _COUNTS[0] not in unit.defined:
        for each in _COUNTS:
            unit.define(each, f"i64 {STRETCH}, align 8", "internal global")
    on, deep = e.label("called"), e.label("deep")
    low = e.binary("and", b.depth, const("i32", _DEEP), "depth.low")
    e.branch(e.icmp("eq", low, const("i32", _DEEP), "is.deep"), deep, on, likely=False)
    e.at(deep)
    left, stretch = [V("ptr", f'@"{each}"') for each in _COUNTS]
    _count(b, left, stretch, BUSY)
    e.br(on)
    e.at(on)


#: Of all recursive variants of a module and all threads; who loses a count asks later.
_COUNTS = ("script.rounds", "script.stretch")


class Stretch:
    """Of an iteration upwards from the number at *place* to *end*: made where the loop begins, behind all that is done
    once."""

    def __init__(self, b: Body, place: V, end: V, signed: bool, rounds: int) -> None:
        e = b.e
        self._place, self._end, self._kind = place, end, "s" if signed else "u"
        self._label = e.label("stretch")
        self._rounds = e.alloca("i64", "rounds")
        e.store(const("i64", rounds), self._rounds)
        self._first = e.load("i64", place, 0, "first")
        e.br(self._label)
        e.at(self._label)
        start = e.load("i64", place, 0, "start")
        now = e.load("i64", self._rounds, 0, "rounds")
        some = e.icmp(f"{self._kind}lt", start, end, "some")
        left = e.select(some, e.sub(end, start), const("i64", 0), "left")
        # LLVM would count the rounds of the stretch beside the number, or instead of it, and add its start at each use:
        # a tenth of the time where rounds are short.
        self._limit = e.opaque(e.add(start, e.intrinsic("llvm.umin", "i64", left, now), "limit"), "limit")

    def next(self, b: Body, done: str) -> V:
        """Go on with the next number, which is returned, or to *done*."""
        e, below = b.e, f"{self._kind}lt"
        on, over, more = e.label("round"), e.label("over"), e.label("more")
        at = e.load("i64", self._place, 0, "at")
        e.branch(e.icmp(below, at, self._limit), on, over)
        e.at(over)
        e.branch(e.icmp(below, at, self._end), more, done, likely=False)
        e.at(more)
        e.store(ask(b, e.load("i64", self._rounds, 0, "rounds")), self._rounds)
        e.br(self._label)
        e.at(on)
        # LLVM sees through one loop, and not from a stretch back to the first: what is known of `at` removes checks.
        e.assume(e.icmp(below, at, self._end))
        if self._kind == "s":
            e.assume(e.icmp("sge", at, self._first))
        return at
