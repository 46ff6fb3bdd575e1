"""Parts without characters of their own as code: anchors, looks ahead and behind, and a group's text once more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from jitffi.ir.builder import FALSE, V, const
from jitffi.scripts.regex.read import EMPTY_HAS_NO_BOUNDARY

if TYPE_CHECKING:
    from jitffi.scripts.regex.code import Code
    from jitffi.scripts.regex.nodes import At, Look, Same

_ZERO, _ONE = const("i64", 0), const("i64", 1)


def at(c: Code, node: At, fail: str) -> None:
    """Go on at such a place."""
    e, here, kind = c.e, c.now(), node.kind
    if kind == "start":
        c.require(e.icmp("eq", here, _ZERO), fail)
    elif kind == "very end":
        c.require(e.icmp("eq", here, c.end), fail)
    elif kind == "line start":
        on, behind = e.label("at.start"), e.label("behind")
        e.branch(e.icmp("eq", here, _ZERO), on, behind)
        e.at(behind)
        e.branch(e.icmp("eq", c.chars.load(here, -1), const(c.chars.machine, 10)), on, fail)
        e.at(on)
    elif kind in ("end", "line end"):
        on, before = e.label("at.end"), e.label("before")
        e.branch(e.icmp("eq", here, c.end), on, before)
        e.at(before)
        if kind == "end":
            c.require(e.icmp("eq", here, e.sub(c.end, _ONE, "last")), fail)
        e.branch(e.icmp("eq", c.chars.load(here), const(c.chars.machine, 10)), on, fail)
        e.at(on)
    else:
        _boundary(c, node, here, fail)


def _boundary(c: Code, node: At, here: V, fail: str) -> None:
    e = c.e
    before = _is_word(c, node, e.icmp("sgt", here, _ZERO), here, -1)
    after = _is_word(c, node, e.icmp("slt", here, c.end), here, 0)
    differs = e.xor(before, after, "boundary")
    if node.kind == "word":
        c.require(differs, fail)
        return
    c.require(e.not_(differs), fail)
    if not EMPTY_HAS_NO_BOUNDARY:
        c.require(e.icmp("sgt", c.end, _ZERO), fail)


def _is_word(c: Code, node: At, there: V, here: V, offset: int) -> V:
    e = c.e
    assert node.word is not None
    some, told, before = e.label("some"), e.label("told"), e.here
    e.branch(there, some, told)
    e.at(some)
    found = c.chars.is_in(c.chars.load(here, offset), node.word)
    at_found = e.here
    e.br(told)
    e.at(told)
    return e.phi([(FALSE, before), (found, at_found)], "is.word")


def look(c: Code, node: Look, fail: str) -> None:
    """Whether it matches here, or as many characters before."""
    if node.negated:
        _look_not(c, node, fail)
        return
    e = c.e
    start = c.saved("look.start")
    height = c.keep(node.sets) if node.body.pushes else None
    _go_back(c, node, fail if height is None else c.stack.back)
    with c.stateful():
        c.part(node.body, fail if height is None else c.stack.back)
    if height is not None:
        c.stack.cut(e.load("i64", height, 0, "height"))
    c.go(e.load("i64", start, 0, "start"))
    c.known = 0


def _go_back(c: Code, node: Look, fail: str) -> None:
    c.known = 0
    if node.back:
        here, back = c.now(), const("i64", node.back)
        c.require(c.e.icmp("sge", here, back), fail)
        c.go(c.e.sub(here, back, "back"))


def _look_not(c: Code, node: Look, fail: str) -> None:
    e = c.e
    done = e.label("not.there")
    if not node.body.pushes:
        start, words = c.saved("look.start"), c.remembered(node.sets)
        missing = e.label("missing")
        _go_back(c, node, missing)
        c.part(node.body, missing)
        c.restore(words)
        e.br(fail)
        e.at(missing)
        c.go(e.load("i64", start, 0, "start"))
        c.restore(words)
        e.br(done)
    else:
        height = c.keep(node.sets)
        missing = c.stack.push([c.now()], "missing")
        _go_back(c, node, c.stack.back)
        with c.stateful():
            c.part(node.body, c.stack.back)
        c.stack.cut(e.load("i64", height, 0, "height"))
        e.br(c.stack.back)
        e.at(missing)
        c.go(c.stack.pop(1)[0])
        e.br(done)
    e.at(done)
    c.known = 0


def same(c: Code, node: Same, fail: str) -> None:
    """The text of a group once more; a group that has none fails."""
    e, memory = c.e, c.groups.memory
    start, end = e.load("i64", memory, 16 * node.index, "start"), e.load("i64", memory, 16 * node.index + 8, "end")
    c.require(e.icmp("sge", end, _ZERO), fail)
    here = c.now()
    length = e.sub(end, start, "length")
    c.require(e.icmp("sle", length, e.sub(c.end, here, "left")), fail)
    place = e.alloca("i64", "compared")
    e.store(_ZERO, place)
    head, body, done = e.label("compare"), e.label("both"), e.label("same")
    e.br(head)
    e.at(head)
    i = e.load("i64", place, 0, "i")
    e.branch(e.icmp("slt", i, length), body, done)
    e.at(body)
    a, b = (_folded(c, node, c.chars.load(e.add(base, i))) for base in (start, here))
    c.require(e.icmp("eq", a, b), fail)
    e.store(e.add(i, _ONE), place)
    e.br(head)
    e.at(done)
    c.go(e.add(here, length, "behind"))


def _folded(c: Code, node: Same, char: V) -> V:
    """Its lower case: of ASCII, as other text is not compared so."""
    if not node.folding:
        return char
    e, machine = c.e, c.chars.machine
    upper = e.icmp("ult", e.sub(char, const(machine, 65)), const(machine, 26), "is.upper")
    return e.or_(char, e.select(upper, const(machine, 32), const(machine, 0)), "lower")
