"""Readers of `match`: tests and assignments, as a chain of `if`s that leads out where a pattern does not fit.

    match x:                      subject = x
        case [a, 1] if g: body    done: {
        case _: other                 next: { if not (isinstance(subject, (list, tuple)) and ...): leave next
                                              a = item; if not g: leave next; body; leave done }
                                      { other } }

Names are bound where all of a pattern fits, as in Python. What any value may be, a sequence of Python's say, is asked
of its class; in scripts without objects pattern_uses.py refuses it when types are known.
"""

from __future__ import annotations

from jitffi.scripts.frontend import names
from jitffi.scripts.frontend.context import Context, meet, reads
from jitffi.scripts.frontend.targets import target_of
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Captured = dict[str, tree.Variable]

_CLASSES = ("int", "bool", "float", "str", "bytes", "list", "tuple", "dict")


@reads("Match")
def _match(cx: Context, node: Any) -> list[tree.Stmt]:
    place, done = cx.place(node.subject), cx.new_label()
    value = cx.expr(node.subject)
    subject = _hidden(cx)
    made: list[tree.Stmt] = [tree.Assign(place, [tree.TargetLocal(place, subject)], value)]
    entry = cx.bound
    after, all_fit = None, False
    for case in node.cases:
        cx.bound = entry
        label = cx.new_label()
        stmts: list[tree.Stmt] = []
        captured: Captured = {}
        _pattern(cx, case.pattern, subject, label, stmts, captured)
        for name, variable in captured.items():
            target = target_of(cx, name, cx.place(case.pattern))
            stmts.append(tree.Assign(target.place, [target], tree.Local(target.place, variable)))
        if case.guard is not None:
            stmts.append(_unless(cx.expr(case.guard), label))
        stmts += cx.block(case.body)
        after = meet(after, cx.bound)
        stmts.append(tree.Leave(place, done))
        made.append(tree.Labelled(place, label, stmts))
        all_fit = all_fit or (case.guard is None and _fits_all(case.pattern))
    cx.bound = after if all_fit else meet(after, entry)
    return [tree.Labelled(place, done, made)]


def _fits_all(node: Any) -> bool:
    return type(node).__name__ == "MatchAs" and node.pattern is None


def _hidden(cx: Context) -> tree.Variable:
    number = cx.new_label()
    variable = cx.new_variable(f" match{number}", f"match.{number}")
    variable.is_assigned = True
    return variable


def _unless(test: tree.Expr, label: int) -> tree.Stmt:
    return tree.If(test.place, test, [tree.Pass(test.place)], [tree.Leave(test.place, label)])


def _keep(cx: Context, value: tree.Expr, stmts: list[tree.Stmt]) -> tree.Variable:
    """A variable of its own for a part of the subject."""
    variable = _hidden(cx)
    stmts.append(tree.Assign(value.place, [tree.TargetLocal(value.place, variable)], value))
    return variable


def _pattern(
    cx: Context, node: Any, subject: tree.Variable, fail: int, stmts: list[tree.Stmt], captured: Captured
) -> None:
    """Append the tests of a pattern, which lead to the label *fail*."""
    kind, place = type(node).__name__, cx.place(node)
    value = tree.Local(place, subject)
    if kind == "MatchValue":
        stmts.append(_unless(tree.Compare(place, [value, cx.expr(node.value)], ["=="]), fail))
    elif kind == "MatchSingleton":
        stmts.append(_unless(tree.Compare(place, [value, tree.Const(place, node.value)], ["is"]), fail))
    elif kind == "MatchAs":
        if node.pattern is not None:
            _pattern(cx, node.pattern, subject, fail, stmts, captured)
        if node.name is not None:
            captured[node.name] = subject
    elif kind == "MatchOr":
        _either(cx, node, subject, fail, stmts, captured)
    elif kind == "MatchSequence":
        _sequence(cx, node, subject, fail, stmts, captured)
    elif kind == "MatchMapping":
        _mapping(cx, node, subject, fail, stmts, captured)
    else:
        _class(cx, node, subject, fail, stmts, captured)


def _either(
    cx: Context, node: Any, subject: tree.Variable, fail: int, stmts: list[tree.Stmt], captured: Captured
) -> None:
    place, fits = cx.place(node), cx.new_label()
    chosen: Captured = {}
    inside: list[tree.Stmt] = []
    for each in node.patterns:
        other = cx.new_label()
        tests: list[tree.Stmt] = []
        found: Captured = {}
        _pattern(cx, each, subject, other, tests, found)
        for name, variable in found.items():
            if name not in chosen:
                chosen[name] = _hidden(cx)
            tests.append(tree.Assign(place, [tree.TargetLocal(place, chosen[name])], tree.Local(place, variable)))
        tests.append(tree.Leave(place, fits))
        inside.append(tree.Labelled(place, other, tests))
    inside.append(tree.Leave(place, fail))
    stmts.append(tree.Labelled(place, fits, inside))
    captured.update(chosen)


def _is_of(place: tree.Place, subject: tree.Variable, classes: tuple[str, ...], is_pattern: bool = True) -> tree.Expr:
    return tree.Builtin(place, "isinstance", [tree.Local(place, subject)], {}, classes=classes, is_pattern=is_pattern)


def _sequence(
    cx: Context, node: Any, subject: tree.Variable, fail: int, stmts: list[tree.Stmt], captured: Captured
) -> None:
    place, patterns = cx.place(node), node.patterns
    stars = [i for i, each in enumerate(patterns) if type(each).__name__ == "MatchStar"]
    least, count = len(patterns) - len(stars), len(patterns)
    stmts.append(_unless(_is_of(place, subject, ("list", "tuple")), fail))
    size = tree.Builtin(place, "len", [tree.Local(place, subject)], {})
    stmts.append(_unless(tree.Compare(place, [size, tree.Const(place, least)], [">=" if stars else "=="]), fail))
    for i, each in enumerate(patterns):
        if stars and i == stars[0]:
            if each.name is not None:
                stop = None if i == count - 1 else tree.Const(place, i + 1 - count)
                whole = tree.Builtin(place, "list", [tree.Local(place, subject)], {})
                captured[each.name] = _keep(cx, tree.Slice(place, whole, tree.Const(place, i), stop, None), stmts)
            continue
        if _fits_all(each) and each.name is None:
            continue
        at = i if not stars or i < stars[0] else i - count
        item = tree.Item(place, tree.Local(place, subject), tree.Const(place, at))
        _pattern(cx, each, _keep(cx, item, stmts), fail, stmts, captured)


def _mapping(
    cx: Context, node: Any, subject: tree.Variable, fail: int, stmts: list[tree.Stmt], captured: Captured
) -> None:
    place = cx.place(node)
    stmts.append(_unless(_is_of(place, subject, ("dict",)), fail))
    keys = [_keep(cx, cx.expr(key), stmts) for key in node.keys]
    for key in keys:
        there = tree.Compare(place, [tree.Local(place, key), tree.Local(place, subject)], ["in"])
        stmts.append(_unless(there, fail))
    for key, each in zip(keys, node.patterns, strict=True):
        item = tree.Item(place, tree.Local(place, subject), tree.Local(place, key))
        _pattern(cx, each, _keep(cx, item, stmts), fail, stmts, captured)
    if node.rest is not None:
        rest = _keep(cx, tree.Builtin(place, "dict", [tree.Local(place, subject)], {}), stmts)
        for key in keys:
            gone = tree.TargetItem(place, tree.Local(place, rest), tree.Local(place, key))
            stmts.append(tree.DeleteItem(place, gone))
        captured[node.rest] = rest


def _class(
    cx: Context, node: Any, subject: tree.Variable, fail: int, stmts: list[tree.Stmt], captured: Captured
) -> None:
    name = ""
    if type(node.cls).__name__ == "Name" and cx.is_outside(node.cls.id):
        name = names.builtin_name(cx.outside(node.cls.id))
    if name not in _CLASSES or node.kwd_patterns or len(node.patterns) > 1:
        if cx.foreign:
            _any_class(cx, node, subject, fail, stmts, captured)
            return
        cx.refuse(node, f"patterns of scripts have the classes {', '.join(_CLASSES)}, with one pattern at most")
    stmts.append(_unless(_is_of(cx.place(node), subject, (name,), is_pattern=False), fail))
    for each in node.patterns:
        _pattern(cx, each, subject, fail, stmts, captured)


def _any_class(
    cx: Context, node: Any, subject: tree.Variable, fail: int, stmts: list[tree.Stmt], captured: Captured
) -> None:
    """Of any class, with any sub-patterns: Python says what these are tried on."""
    place, names_ = cx.place(node), tuple(node.kwd_attrs)
    tried = pytree.MatchClass(place, tree.Local(place, subject), cx.expr(node.cls), len(node.patterns), names_)
    parts = _keep(cx, tried, stmts)
    is_none = tree.Compare(place, [tree.Local(place, parts), tree.Const(place, None)], ["is not"])
    stmts.append(_unless(is_none, fail))
    for i, each in enumerate((*node.patterns, *node.kwd_patterns)):
        if not (_fits_all(each) and each.name is None):
            item = tree.Item(place, tree.Local(place, parts), tree.Const(place, i))
            _pattern(cx, each, _keep(cx, item, stmts), fail, stmts, captured)
