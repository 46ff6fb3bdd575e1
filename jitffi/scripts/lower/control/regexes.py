"""Loops through matches: `finditer`, and `sub` and `split`, which put together what is around them."""

from __future__ import annotations

from jitffi.scripts.lower import dynamic
from jitffi.scripts.lower.containers import lists, vectors
from jitffi.scripts.lower.control import interrupts, iterators, taking
from jitffi.scripts.lower.control.iteration import ONE, ZERO, Iterator, counter
from jitffi.scripts.lower.function.emit import FALSE, SLOT_ATTRIBUTES, P, V, const
from jitffi.scripts.lower.function.registry import expression, of_kind
from jitffi.scripts.lower.function.values import Value, local, text
from jitffi.scripts.lower.python import own
from jitffi.scripts.lower.text import regexes as finding
from jitffi.scripts.lower.text import texts
from jitffi.scripts.lower.text.texts import as_text
from jitffi.scripts.tree import regexes, tree
from jitffi.scripts.tree.types import MATCH, tuple_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Final

    from jitffi.scripts.lower.function.body import Body


class Matches(Iterator):
    """One match after the other, each with the text: as `re` does, nothing empty where the last one has ended empty."""

    has_parts = True

    def __init__(self, b: Body, node: regexes.Matches, value: Value) -> None:
        if value.keep.kind == "owned":  # by the loop, in all its rounds
            value = text(value.type, value.data, value.size, value.wide, local(value.keep.place))
        self.value: Final = value
        self.type = tuple_of(MATCH, value.type)
        start, self._end = finding.bounds(b, value, node.start, node.end)
        self._at = counter(b, start, "from")
        self.finder: Final = finding.Finder(b, node.pattern, "search", node.asked)
        self._may_be_empty = node.pattern.nodes(node.pattern.alphabets[0]).low == 0
        self._was_empty = b.e.alloca("i1", "was.empty")
        b.e.store(FALSE, self._was_empty)

    def next(self, b: Body, done: str) -> None:
        e = b.e
        on = e.label("match")
        at = e.load("i64", self._at, 0, "from")
        e.branch(self._find(b, at), on, done)
        e.at(on)
        end = e.load("i64", self.finder.memory, 8, "end")
        e.store(end, self._at)
        if self._may_be_empty:
            start = e.load("i64", self.finder.memory, 0, "start")
            e.store(e.icmp("eq", start, end), self._was_empty)

    def _find(self, b: Body, at: V) -> V:
        if not self._may_be_empty:
            return self.finder.call(self.value, at, self._end)
        e = b.e
        empty, other, done = e.label("advance"), e.label("search"), e.label("looked")
        e.branch(e.load("i1", self._was_empty, 0, "was.empty"), empty, other)
        found = []
        for label, advances in ((empty, True), (other, False)):
            e.at(label)
            found.append((self.finder.call(self.value, at, self._end, advances), e.here))
            e.br(done)
        e.at(done)
        return e.phi(found, "found")

    def item(self, b: Body) -> Value:
        raise AssertionError("a match is no item of a tuple that is made")

    def parts(self, b: Body) -> list[Value]:
        return [Value(MATCH, self.finder.memory), self.value]

    def place(self, b: Body, is_end: bool) -> V:
        """Where the match begins, or ends."""
        return b.e.load("i64", self.finder.memory, 8 * is_end, "place")


@of_kind("iterate", regexes.Matches)
def through(b: Body, node: regexes.Matches, stays: Callable[[tree.Variable], bool]) -> Matches:
    """The iteration over the matches; the text is good for all rounds."""
    return Matches(b, node, iterators.kept(b, node.text, stays))


def _rounds(
    b: Body, node: regexes.Substituted | regexes.Split, most: V | None, each: Callable[[Matches, Value], None]
) -> tuple[Matches, V]:
    """Do this with each match and the text before it, at most so many times (0: all); where the rest begins."""
    e, (clause,) = b.e, node.clauses
    found = through(b, regexes.over(node), lambda _: True)
    behind, count = counter(b, ZERO, "behind"), counter(b, ZERO, "count")
    again, look, done = e.label("each"), e.label("look"), e.label("all")
    e.br(again)
    e.at(again)
    interrupts.count_round(b, [node.value])
    if most is None:
        e.br(look)
    else:
        unlimited = e.icmp("eq", most, ZERO)
        more = e.icmp("slt", e.load("i64", count, 0, "count"), most)
        e.branch(e.or_(unlimited, more), look, done)
    e.at(look)
    with b.frame.scope():
        found.next(b, done)
        taking.take(b, found, clause.target)
        start = e.load("i64", behind, 0, "behind")
        each(found, _between(b, found.value, start, found.place(b, False)))
        e.store(found.place(b, True), behind)
        e.store(e.add(e.load("i64", count, 0, "count"), ONE), count)
    e.br(again)
    e.at(done)
    return found, behind


def _between(b: Body, value: Value, start: V, end: V) -> Value:
    data = texts.at(b, value, start)
    return text(value.type, data, b.e.sub(end, start, "length"), value.wide, value.keep)


def _rest(b: Body, found: Matches, behind: V) -> Value:
    return _between(b, found.value, b.e.load("i64", behind, 0, "behind"), found.value.size)


def _limit(b: Body, node: tree.Expr | None) -> V | None:
    """`count` or `maxsplit`, 0 for all; what is below 0 is none at all."""
    if node is None or (isinstance(node, tree.Const) and node.value == 0):
        return None
    return dynamic.index(b, b.expr(node))


@expression(regexes.Substituted)
def substituted(b: Body, node: regexes.Substituted) -> Value:
    e, is_bytes = b.e, node.type.kind == "bytes"
    slot, now = texts.new_slot(b, node), b.frame.scratch(3 * b.abi.pointer_bytes)
    room = counter(b, ZERO, "room")
    nothing = b.storage.literal(b"" if is_bytes else "")
    b.storage.write_text(nothing, now)
    b.frame.call("jf_bytes_to" if is_bytes else "jf_text_out", b.storage.text(nothing), slot)

    def append(value: Value) -> None:
        symbol = "jf_bytes_grow" if is_bytes else "jf_text_append"
        some, none = e.label("append"), e.label("appended")
        value = as_text(b, value)
        e.branch(e.icmp("ne", value.size, ZERO), some, none)
        e.at(some)
        b.frame.call(symbol, slot, P(room.text, SLOT_ATTRIBUTES), b.storage.text(value), now)
        e.br(none)
        e.at(none)

    def each(found: Matches, before: Value) -> None:
        append(before)
        assert isinstance(node.value, tree.TupleOf)
        for piece in node.value.items:
            value = b.expr(piece)
            if value.kind not in ("str", "char", "bytes"):
                value = _expected(b, value, is_bytes)
            append(value)

    found, behind = _rounds(b, node, _limit(b, node.count), each)
    append(_rest(b, found, behind))
    return b.storage.read_text(node.type, now, b.storage.result_text(node.type, slot).keep)


def _expected(b: Body, value: Value, is_bytes: bool) -> Value:
    """What a function gave in place of a text: TypeError, in the words of str.join."""
    kind = "bytes" if is_bytes else "str"
    words = f"expected {kind} instance, {{}} found"
    b.frame.call("jf_script_misfit", b.module.c_string(words), b.storage.view(value))
    b.e.dead()
    return b.storage.literal(b"" if is_bytes else "")


@expression(regexes.Split)
def split(b: Body, node: regexes.Split) -> Value:
    is_own = node.type.kind == "object"
    made = own.new_list(b) if is_own else lists.new_list(b, const("i64", 0), node.type)

    def add(value: Value) -> None:
        if is_own:
            own.append(b, made, own.kept(b, b.storage.lasting(value)))
        else:
            vectors.add(b, made, value)

    def each(found: Matches, before: Value) -> None:
        add(before)
        assert isinstance(node.value, tree.TupleOf)
        for piece in node.value.items:
            add(b.expr(piece))

    found, behind = _rounds(b, node, _limit(b, node.most), each)
    add(_rest(b, found, behind))
    return made
