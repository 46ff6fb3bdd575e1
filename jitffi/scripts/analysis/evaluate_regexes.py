"""Inference of regular expressions: matches, their groups, and what is made of texts by them."""

from __future__ import annotations

from jitffi.base.late import late
from jitffi.scripts.analysis.cells import Tup, Value
from jitffi.scripts.analysis.finer_types import Maybe
from jitffi.scripts.tree import regexes
from jitffi.scripts.tree.types import ANY, INT, MATCH, STR

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Final

    from jitffi.scripts.analysis.evaluate import Evaluator
    from jitffi.scripts.regex import asked
else:
    asked = late("jitffi.scripts.regex.asked")


def _subject(ev: Evaluator, node: regexes.Subject) -> Value:
    ev.expr(node.value)
    return asked.text_type(node.pattern)


def _find(ev: Evaluator, node: regexes.Find) -> Value:
    for each in (node.text, node.start, node.end):
        if each is not None:
            ev.expr(each)
    return MATCH


def matches(ev: Evaluator, node: regexes.Matches) -> Tup:
    """A match, and the text that it is of."""
    for each in (node.text, node.start, node.end):
        if each is not None:
            ev.expr(each)
    return Tup((MATCH, asked.text_type(node.pattern)))


def _group(ev: Evaluator, node: regexes.GroupOf) -> Value:
    ev.expr(node.match)
    ev.expr(node.text)
    if not node.asked.patterns:
        return ANY
    type_ = asked.text_type(node.asked.patterns[0])
    return type_ if node.default is not None or asked.is_always_set(node.asked, node.key) else Maybe(type_)


def _place(ev: Evaluator, node: regexes.PlaceOf) -> Value:
    ev.expr(node.match)
    return INT


def _last(ev: Evaluator, node: regexes.LastOf) -> Value:
    ev.expr(node.match)
    if not asked.has_last(node):
        return ANY
    return STR if node.is_name else INT


def _substituted(ev: Evaluator, node: regexes.Substituted) -> Value:
    _clause(ev, node)
    if node.count is not None:
        ev.expr(node.count)
    return asked.text_type(regexes.over(node).pattern)


def _split(ev: Evaluator, node: regexes.Split) -> Value:
    _clause(ev, node)
    if node.most is not None:
        ev.expr(node.most)
    value = ev.values[node.value]
    for each in (asked.text_type(regexes.over(node).pattern), *(value.items if isinstance(value, Tup) else ())):
        ev.made(node, each)
    return ev.site(node, "list")


def _clause(ev: Evaluator, node: regexes.Substituted | regexes.Split) -> None:
    (clause,) = node.clauses
    ev.assign(clause.target, ev.iterate(clause.iterable))
    ev.expr(node.value)


EXPRESSIONS: Final[dict[type, Callable[[Any, Any], Value]]] = {
    regexes.Subject: _subject,
    regexes.Find: _find,
    regexes.GroupOf: _group,
    regexes.PlaceOf: _place,
    regexes.LastOf: _last,
    regexes.Substituted: _substituted,
    regexes.Split: _split,
}
