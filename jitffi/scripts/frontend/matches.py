"""Readers of variables that are matches of regular expressions, and of what is asked of them.

What is a match, and not None, is a question of types; what is not read here is refused, and so left to Python.
"""

from __future__ import annotations

from jitffi.scripts.frontend.context import Context
from jitffi.scripts.frontend.regex_patterns import FINDS, kind_of, operation
from jitffi.scripts.tree import regexes, tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_OF_MATCHES = frozenset(("group", "groups", "groupdict", "start", "end", "span"))
_ATTRIBUTES = frozenset(("string", "lastgroup", "lastindex"))


def find(
    cx: Context, place: tree.Place, name: str, pattern: Any, bound: dict[str, Any], asked: regexes.Asked,
    text: tree.Expr | None,
) -> regexes.Find:  # fmt: skip
    """*text*: what stands for the text that has been evaluated."""
    if text is None:
        text = regexes.Subject(place, cx.expr(bound["string"]), pattern)
    start, end = (cx.optional(bound.get(each)) for each in ("pos", "endpos"))
    return regexes.Find(place, pattern, name, text, start, end, asked)


def matches(cx: Context, place: tree.Place, pattern: Any, bound: dict[str, Any]) -> regexes.Matches:
    text = regexes.Subject(place, cx.expr(bound["string"]), pattern)
    start, end = (cx.optional(bound.get(each)) for each in ("pos", "endpos"))
    return regexes.Matches(place, pattern, text, start, end, regexes.Asked(pattern))


def hidden(cx: Context, name: str) -> tree.Variable:
    taken = {each.name for each in cx.variables}
    number = 1
    while f"{name}.{number}" in taken:
        number += 1
    made = cx.new_variable(f"{name}.{number}")
    made.is_assigned = True
    return made


# -- variables that are matches ---------------------------------------------------------------------------------------


def _match_of(cx: Context, variable: tree.Variable) -> tuple[tree.Variable, regexes.Asked]:
    """The text beside a variable that is a match, and what is asked of it."""
    found = cx.matches.get(variable)
    if found is None:
        found = cx.matches[variable] = (hidden(cx, "text"), regexes.Asked())
    return found


def read_loop_target(cx: Context, name: str, place: tree.Place, over: regexes.Matches) -> tree.Target:
    """The target of a loop through matches: the variable, and the text beside it."""
    variable = cx.scope.find(name)
    assert variable is not None
    text, asked = _match_of(cx, variable)
    asked.patterns.append(over.pattern)
    over.asked = asked
    for each in (variable, text):
        cx.bind(each)
    return tree.TargetTuple(place, [tree.TargetLocal(place, variable), tree.TargetLocal(place, text)])


def loop_target(cx: Context, node: Any, over: tree.Expr) -> tree.Target | None:
    """What goes through matches; None where something else is gone through."""
    if not isinstance(over, regexes.Matches):
        return None
    if kind_of(node) != "Name":
        cx.refuse(node, "a match is no tuple")
    return read_loop_target(cx, node.id, cx.place(node), over)


def assign(cx: Context, node: Any, target: Any, value: Any) -> list[tree.Stmt] | None:
    """`match = pattern.search(text)`; None for any other assignment."""
    if kind_of(target) != "Name" or cx.scope.find(target.id) in (None, *cx.boxes, *cx.cells):
        return None
    if kind_of(value) == "BoolOp" and kind_of(value.op) == "Or":
        return _first_of(cx, node, target, value.values)
    found = operation(cx, value)
    if found is None or found[0] not in FINDS:
        return None
    name, pattern, bound = found
    place, variable = cx.place(node), cx.scope.find(target.id)
    assert variable is not None
    text, asked = _match_of(cx, variable)
    asked.patterns.append(pattern)
    subject = regexes.Subject(place, cx.expr(bound["string"]), pattern)
    first = tree.Assign(place, [tree.TargetLocal(place, text)], subject)
    made = find(cx, place, name, pattern, bound, asked, tree.Local(place, text))
    cx.bind(variable)
    cx.bind(text)
    # Should the search be interrupted, the variable has no match of another text.
    none = tree.Assign(place, [tree.TargetLocal(place, variable)], tree.Const(place, None))
    stays = [each for each in (made.start, made.end) if each is not None]
    return [first, *([] if stays else [none]), tree.Assign(place, [tree.TargetLocal(place, variable)], made)]


def _first_of(cx: Context, node: Any, target: Any, values: list[Any]) -> list[tree.Stmt] | None:
    """`match = a.search(text) or b.search(text)`."""
    if any((found := operation(cx, each)) is None or found[0] not in FINDS for each in values):
        return None
    statements = assign(cx, node, target, values[0])
    for each in values[1:]:
        rest = assign(cx, node, target, each)
        assert statements is not None and rest is not None
        place, variable = cx.place(node), cx.scope.find(target.id)
        assert variable is not None
        test = tree.Unary(place, "not", tree.Local(place, variable))
        statements.append(tree.If(place, test, rest, []))
    return statements


def walrus(cx: Context, node: Any) -> tuple[list[tree.Stmt], Any] | None:
    """Of a test that begins with `(match := pattern.search(text))` the assignment, and the test that is left."""
    inner = node
    while kind_of(inner) in ("UnaryOp", "Compare", "BoolOp"):
        inner = (
            inner.operand
            if kind_of(inner) == "UnaryOp"
            else inner.left
            if kind_of(inner) == "Compare"
            else inner.values[0]
        )
    if kind_of(inner) != "NamedExpr" or cx.scope.find(inner.target.id) is None:
        return None
    statements = assign(cx, inner, inner.target, inner.value)
    return None if statements is None else (statements, _replaced(node, inner))


def _replaced(node: Any, inner: Any) -> Any:
    """The same expression with the name in the place of the assignment."""
    import ast
    from copy import copy

    if node is inner:
        return ast.copy_location(ast.Name(inner.target.id, ast.Load()), inner)
    made = copy(node)
    if kind_of(node) == "UnaryOp":
        made.operand = _replaced(node.operand, inner)
    elif kind_of(node) == "Compare":
        made.left = _replaced(node.left, inner)
    else:
        made.values = [_replaced(node.values[0], inner), *node.values[1:]]
    return made


# -- what a match is asked for ----------------------------------------------------------------------------------------


def _variable(cx: Context, node: Any) -> tree.Variable | None:
    variable = cx.scope.find(node.id) if kind_of(node) == "Name" else None
    return variable if variable is not None and variable in cx.matches else None


def check(cx: Context) -> None:
    """ScriptError where what is a match can be something else, or is asked for what its patterns do not have."""
    for variable, (_, asked) in cx.matches.items():
        if variable in cx.others or (asked.patterns and not asked.fits()):
            cx.refuse(cx.source.node, f"{variable.name!r} is not always a match with the same groups")


def of_match(cx: Context, node: Any) -> tree.Expr | None:
    func = node.func
    if kind_of(func) != "Attribute" or func.attr not in _OF_MATCHES or node.keywords:
        return None
    variable = _variable(cx, func.value)
    if variable is None:
        return None
    keys = [each.value if kind_of(each) == "Constant" else None for each in node.args]
    if func.attr == "groups" and not node.args:
        return _groups(cx, node, func.value)
    if func.attr == "groupdict" and not node.args:
        return _dict(cx, node, func.value)
    if any(type(key) not in (int, str) for key in keys):
        cx.refuse(node, "scripts ask a match for groups by literals")
    if func.attr == "group":
        found = [_group(cx, node, func.value, key) for key in keys or [0]]
        return found[0] if len(found) == 1 else tree.TupleOf(cx.place(node), found)
    if len(keys) > 1:
        return None
    ends = {"start": [False], "end": [True], "span": [False, True]}[func.attr]
    places = [_place(cx, node, func.value, keys[0] if keys else 0, is_end) for is_end in ends]
    return places[0] if len(places) == 1 else tree.TupleOf(cx.place(node), places)


def _group(cx: Context, node: Any, match: Any, key: Any) -> tree.Expr:
    variable = _variable(cx, match)
    assert variable is not None
    text, asked = cx.matches[variable]
    asked.groups.add(key)
    place = cx.place(node)
    made = regexes.GroupOf(place, cx.expr(match), tree.Local(place, text), key, asked)
    made.name = node.func.attr if kind_of(node) == "Call" else ""
    return made


def _place(cx: Context, node: Any, match: Any, key: Any, is_end: bool) -> tree.Expr:
    variable = _variable(cx, match)
    assert variable is not None
    asked = cx.matches[variable][1]
    asked.groups.add(key)
    return regexes.PlaceOf(cx.place(node), cx.expr(match), key, is_end, asked, node.func.attr)


def _patterns(cx: Context, node: Any, match: Any) -> Any:
    """The pattern that all matches of a variable are of so far; what is read here depends on it."""
    variable = _variable(cx, match)
    assert variable is not None
    asked = cx.matches[variable][1]
    asked.is_of_one, patterns = True, asked.patterns
    if len({(each.text, each.flags) for each in patterns}) != 1:
        cx.refuse(node, "the groups of a match of one pattern are known, and this can be one of several")
    return patterns[0]


def _groups(cx: Context, node: Any, match: Any) -> tree.Expr:
    count = _patterns(cx, node, match).groups
    return tree.TupleOf(cx.place(node), [_group(cx, node, match, key) for key in range(1, count + 1)])


def _dict(cx: Context, node: Any, match: Any) -> tree.Expr:
    found = _patterns(cx, node, match).names
    place = cx.place(node)
    return tree.DictOf(
        place, [tree.Const(place, name) for name in found], [_group(cx, node, match, name) for name in found]
    )


def item(cx: Context, node: Any) -> tree.Expr | None:
    """`match[key]`; None for other items."""
    key = node.slice.value if kind_of(node.slice) == "Constant" else None
    if _variable(cx, node.value) is None or type(key) not in (int, str):
        return None
    return _group(cx, node, node.value, key)


def attribute(cx: Context, node: Any) -> tree.Expr | None:
    """`match.lastgroup` and its like; None for other attributes."""
    variable = _variable(cx, node.value)
    if variable is None or node.attr not in _ATTRIBUTES:
        return None
    text, asked = cx.matches[variable]
    place = cx.place(node)
    if node.attr == "string":
        return regexes.GroupOf(
            place, cx.expr(node.value), tree.Local(place, text), regexes.WHOLE, asked, None, "string"
        )
    asked.last = True
    return regexes.LastOf(place, cx.expr(node.value), node.attr == "lastgroup", asked)
