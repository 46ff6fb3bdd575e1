"""Readers of what is assigned to."""

from __future__ import annotations

from jitffi.scripts.frontend import shared
from jitffi.scripts.frontend.context import Context
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def target_names(node: Any) -> Iterator[str]:
    """The names that a target binds."""
    kind = type(node).__name__
    if kind == "Name":
        yield node.id
    elif kind in ("Tuple", "List"):
        for each in node.elts:
            yield from target_names(each)
    elif kind == "Starred":
        yield from target_names(node.value)


#: What has the statements in a statement, and its except clauses and cases.
_BLOCKS = ("body", "cases", "handlers", "orelse", "finalbody")


def statements_of(nodes: list[Any]) -> Iterator[Any]:
    """All statements, except clauses and cases of a function, without those of functions in it."""
    waiting = nodes[::-1]
    while waiting:
        node = waiting.pop()
        yield node
        if type(node).__name__ not in ("FunctionDef", "AsyncFunctionDef", "ClassDef"):
            for part in reversed(_BLOCKS):
                waiting += getattr(node, part, [])[::-1]


def imported_name(alias: Any) -> str:
    """The name that one of an import statement's binds."""
    name: str = alias.asname or alias.name.partition(".")[0]
    return name


def bound_names(nodes: list[Any]) -> Iterator[str]:
    """The names that statements bind, which makes them variables of the function."""
    for node in statements_of(nodes):
        kind = type(node).__name__
        if kind == "Assign":
            for target in node.targets:
                yield from target_names(target)
        elif kind in ("AugAssign", "AnnAssign", "For"):
            yield from target_names(node.target)
        elif kind == "ExceptHandler" and node.name:
            yield node.name
        elif kind == "With":
            for item in node.items:
                yield from target_names(item.optional_vars)
        elif kind == "match_case":
            yield from _matched([node.pattern, node.guard])
        elif kind in ("Import", "ImportFrom"):
            yield from (imported_name(each) for each in node.names)
        yield from named_in([part for name, part in vars(node).items() if name not in _BLOCKS])
    yield from deleted_names(nodes)


def deleted_names(nodes: list[Any]) -> Iterator[str]:
    """The names that statements unbind, which makes them variables, too."""
    for node in statements_of(nodes):
        if type(node).__name__ == "Delete":
            for target in node.targets:
                yield from target_names(target)
        elif type(node).__name__ == "ExceptHandler" and node.name:
            yield node.name


def _matched(nodes: Any) -> Iterator[str]:
    """The names that patterns and their guards bind."""
    waiting = [nodes]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif hasattr(node, "_fields"):
            kind = type(node).__name__
            name = getattr(node, "rest" if kind == "MatchMapping" else "name", None)
            if kind in ("MatchAs", "MatchStar", "MatchMapping") and name is not None:
                yield name
            elif kind == "NamedExpr":
                yield node.target.id
            waiting += [getattr(node, each, None) for each in node._fields]


def named_in(nodes: Any) -> Iterator[str]:
    """The names that `:=` binds in expressions, without those of lambdas."""
    waiting = [nodes]
    while waiting:
        node = waiting.pop()
        kind = type(node).__name__
        if isinstance(node, list):
            waiting += node
        elif hasattr(node, "_fields") and kind != "Lambda":
            if kind == "NamedExpr":
                yield node.target.id
            waiting += vars(node).values()


def is_member(cx: Context, node: Any) -> bool:
    """Whether an attribute may be a member of a struct: of a variable, or of what is in one. Its type says."""
    base = node.value
    while type(base).__name__ in ("Attribute", "Subscript"):
        base = base.value
    return cx.has_structs and type(base).__name__ == "Name" and cx.scope.find(base.id) is not None


def target_of(cx: Context, name: str, place: tree.Place) -> tree.TargetLocal | tree.TargetItem:
    """The variable of that name as a target, which binds it."""
    variable = cx.scope.find(name)
    if variable is None and name in cx.globals:
        return shared.module_target(cx, place, name)
    if variable is None and cx.foreign and shared.is_outer(cx, name):
        return shared.outer_target(cx, place, name)
    assert variable is not None, name
    cx.bind(variable)
    cx.others.add(variable)
    if variable in cx.cells:
        return shared.target_of(cx, place, variable, name)
    if variable in cx.boxes:
        return tree.TargetItem(place, tree.Local(place, variable), tree.Const(place, 0))
    return tree.TargetLocal(place, variable)


def read_target(cx: Context, node: Any) -> tree.Target:
    """Read a target and bind its variables."""
    kind, place = type(node).__name__, cx.place(node)
    if kind == "Name":
        return target_of(cx, node.id, place)
    if kind == "Subscript":
        return read_item_target(cx, node)
    if kind in ("Tuple", "List"):
        star = -1
        targets = []
        for number, each in enumerate(node.elts):
            if type(each).__name__ == "Starred":
                star = number
                each = each.value
            targets.append(read_target(cx, each))
        return tree.TargetTuple(place, targets, star)
    if kind == "Attribute":
        if cx.foreign or is_member(cx, node):
            return read_item_target(cx, node)
        cx.refuse(node, "scripts have no attributes to assign to: use a dict")
    cx.refuse(node, "scripts cannot assign to this: assign to variables and items")


def read_item_target(cx: Context, node: Any) -> tree.TargetItem | tree.TargetSlice:
    """Read `value[index]` or `value[start:stop:step]` as a target."""
    read = cx.expr(node)
    if isinstance(read, tree.Slice):
        return tree.TargetSlice(read.place, read.value, read.start, read.stop, read.step)
    assert isinstance(read, tree.Item)
    return tree.TargetItem(read.place, read.value, read.index)


def without_docstring(body: list[Any]) -> list[Any]:
    """The statements of a function, but for its text."""
    first = body[0]
    is_docstring = type(first).__name__ == "Expr" and type(getattr(first.value, "value", None)) is str
    return body[1:] if is_docstring else body


def read_items(cx: Context, nodes: list[Any]) -> list[tree.Expr]:
    """Those of a display or call: `*x` is a Spread."""
    return [
        tree.Spread(cx.place(each), cx.iterable(each.value)) if type(each).__name__ == "Starred" else cx.expr(each)
        for each in nodes
    ]


def nodes_of(node: Any) -> Iterator[Any]:
    """A node of Python's, and all that are in it."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        yield each
        for part in vars(each).values():
            waiting += [inner for inner in (part if isinstance(part, list) else [part]) if hasattr(inner, "__dict__")]
