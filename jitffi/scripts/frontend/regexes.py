"""Readers of calls of regular expressions: of a pattern's methods, and of the functions of `re`."""

from __future__ import annotations

from jitffi.scripts.frontend.context import Context
from jitffi.scripts.frontend.matches import find, hidden, matches, of_match, read_loop_target
from jitffi.scripts.frontend.python_calls import read_call
from jitffi.scripts.frontend.regex_patterns import FINDS, kind_of, operation
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import regexes, tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def call(cx: Context, node: Any) -> tree.Expr | None:
    """A call that is one of a pattern, or of a match; None for all others."""
    found = operation(cx, node)
    if node in cx.texts:
        return pytree.AsText(cx.place(node), read_call(cx, node))
    if found is None:
        return of_match(cx, node)
    name, pattern, bound = found
    place = cx.place(node)
    if name in FINDS:
        return find(cx, place, name, pattern, bound, regexes.Asked(pattern), None)
    if name == "finditer":
        return matches(cx, place, pattern, bound)
    if name == "findall":
        over = matches(cx, place, pattern, bound)
        clause, match, text = _clause(cx, place, over)
        value = _all_of(place, pattern, match, text, over.asked)
        return tree.Comprehension(place, None, value, [clause])
    return _substituted(cx, node, pattern, bound) if name == "sub" else _split(cx, place, pattern, bound)


def _clause(cx: Context, place: tree.Place, over: regexes.Matches) -> tuple[tree.Clause, tree.Local, tree.Local]:
    """`for match, text in matches`, of variables that nobody else has."""
    match, text = (hidden(cx, name) for name in ("match", "text"))
    targets: list[tree.Target] = [tree.TargetLocal(place, match), tree.TargetLocal(place, text)]
    clause = tree.Clause(tree.TargetTuple(place, targets), over, [])
    return clause, tree.Local(place, match), tree.Local(place, text)


def _all_of(place: tree.Place, pattern: Any, match: tree.Local, text: tree.Local, asked: regexes.Asked) -> tree.Expr:
    """What findall() gives for a match."""
    empty = type(pattern.text)()
    keys = range(1, pattern.groups + 1) if pattern.groups else (0,)
    asked.groups.update(keys)
    values: list[tree.Expr] = [
        regexes.GroupOf(place, _again(match), _again(text), key, asked, empty if key else None) for key in keys
    ]
    return values[0] if len(values) == 1 else tree.TupleOf(place, values)


def _again(node: tree.Local) -> tree.Local:
    return tree.Local(node.place, node.variable, node.check)


def _split(cx: Context, place: tree.Place, pattern: Any, bound: dict[str, Any]) -> tree.Expr:
    over = matches(cx, place, pattern, bound)
    most = cx.optional(bound.get("maxsplit"))
    clause, match, text = _clause(cx, place, over)
    over.asked.groups.update(range(1, pattern.groups + 1))
    values: list[tree.Expr] = [
        regexes.GroupOf(place, _again(match), _again(text), key, over.asked) for key in range(1, pattern.groups + 1)
    ]
    return regexes.Split(place, None, tree.TupleOf(place, values), [clause], most=most)


def _substituted(cx: Context, node: Any, pattern: Any, bound: dict[str, Any]) -> tree.Expr:
    place, given = cx.place(node), bound["repl"]
    is_function = kind_of(given) == "Lambda"
    if not is_function and not (kind_of(given) == "Constant" and type(given.value) is type(pattern.text)):
        cx.refuse(node, "what a script puts in the place of matches is a literal, or a lambda")
    over = matches(cx, place, pattern, bound)
    count = cx.optional(bound.get("count"))
    if is_function:
        clause, pieces = _by_lambda(cx, given, over)
    else:
        clause, match, text = _clause(cx, place, over)
        pieces = _by_template(cx, given, pattern, over.asked, match, text)
    return regexes.Substituted(place, None, tree.TupleOf(place, pieces), [clause], count=count)


def _by_lambda(cx: Context, node: Any, over: regexes.Matches) -> tuple[tree.Clause, list[tree.Expr]]:
    args = node.args
    if len(args.args) != 1 or args.posonlyargs or args.kwonlyargs or args.vararg or args.kwarg or args.defaults:
        cx.refuse(node, "a function that sub() calls has one parameter")
    place, before = cx.place(node), cx.bound
    cx.enter_comprehension([args.args[0].arg])
    target = read_loop_target(cx, args.args[0].arg, place, over)
    clause = tree.Clause(target, over, [])
    value = cx.expr(node.body)
    cx.leave_comprehension()
    cx.bound = before
    return clause, [value]


def _by_template(
    cx: Context, node: Any, pattern: Any, asked: regexes.Asked, match: tree.Local, text: tree.Local
) -> list[tree.Expr]:
    from jitffi.scripts.regex.template import pieces

    try:
        found = pieces(pattern, node.value)
    except Exception as error:  # what re says of it, whatever class that has
        cx.refuse(node, f"{error}: a template that re refuses")
    place, empty = cx.place(node), type(pattern.text)()
    made: list[tree.Expr] = []
    for each in found:
        if isinstance(each, int):
            asked.groups.add(each)
            made.append(regexes.GroupOf(place, _again(match), _again(text), each, asked, empty if each else None))
        else:
            made.append(tree.Const(place, each))
    return made
