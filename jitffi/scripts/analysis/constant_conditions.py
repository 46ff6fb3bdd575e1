"""Tests that types decide: what can be true, what can be false, and the tree without what never runs."""

from __future__ import annotations

from jitffi.scripts.library import rules
from jitffi.scripts.tree import tree, tries

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

EITHER = (True, True)


def truth(node: tree.Expr, kind_of: Callable[[tree.Local], str]) -> tuple[bool, bool]:
    """Whether a test can be true, and whether it can be false. `kind_of`: the kind of a variable's type; "" where it
    can be anything, "never" where it has no value yet."""
    if isinstance(node, tree.Const):
        return bool(node.value), not node.value
    if isinstance(node, tree.Unary) and node.op == "not":
        true, false = truth(node.operand, kind_of)
        return false, true
    if isinstance(node, tree.Logic):
        pairs = [truth(each, kind_of) for each in node.operands]
        if node.is_and:
            return all(true for true, _ in pairs), any(false for _, false in pairs)
        return any(true for true, _ in pairs), all(false for _, false in pairs)
    if isinstance(node, tree.Local):
        return (False, True) if kind_of(node) == "none" else EITHER
    if isinstance(node, tree.Compare) and len(node.ops) == 1 and node.ops[0] in ("is", "is not"):
        a, b = node.operands
        if isinstance(a, tree.Local) and isinstance(b, tree.Const) and b.value is None:
            same = _is_one(kind_of(a), ["none"])
            return same if node.ops[0] == "is" else (same[1], same[0])
    if isinstance(node, tree.Builtin) and node.name == "isinstance" and isinstance(node.args[0], tree.Local):
        return _is_one(kind_of(node.args[0]), rules.class_kinds(node.classes))
    return EITHER


def _is_one(kind: str, kinds: list[str]) -> tuple[bool, bool]:
    if kind in ("", "match"):
        return EITHER
    return kind != "never" and kind in kinds, kind != "never" and kind not in kinds


def is_pure(node: tree.Expr) -> bool:
    """Whether nobody sees that a test is left out."""
    if isinstance(node, tree.Local):
        return not node.check
    if isinstance(node, tree.Compare):
        return node.ops[0] in ("is", "is not") and all(map(is_pure, node.operands))
    if isinstance(node, tree.Logic):
        return all(map(is_pure, node.operands))
    if isinstance(node, tree.Builtin):
        return node.name == "isinstance" and is_pure(node.args[0])
    return isinstance(node, tree.Const) or (isinstance(node, tree.Unary) and node.op == "not" and is_pure(node.operand))


def nodes(node: Any) -> list[Any]:
    """All nodes of statements."""
    found = []
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += each
        elif isinstance(each, dict):
            waiting += each.values()
        elif hasattr(each, "__dict__") and not isinstance(each, tree.Variable | tree.Place):
            found.append(each)
            waiting += [part for name, part in vars(each).items() if name not in ("script", "native")]
    return found


def decide(body: list[tree.Stmt], decided: dict[tree.Stmt | tree.Expr, Any]) -> None:
    """Leaves out what the types have ruled out."""
    for node in nodes(body):
        for name, part in vars(node).items():
            if isinstance(part, tree.Choice | tree.Logic):
                setattr(node, name, _chosen(part, decided))
            elif isinstance(part, list):
                part[:] = [_chosen(each, decided) for each in part]
            elif isinstance(part, dict):
                part.update({key: _chosen(each, decided) for key, each in part.items()})
        if isinstance(node, tree.If) and node in decided:
            true, false = decided[node]
            node.then = node.then if true else rules.unreachable(node)
            node.other = node.other if false else rules.unreachable(node)


def _chosen(node: Any, decided: dict[tree.Stmt | tree.Expr, Any]) -> Any:
    """What is left of an expression."""
    while isinstance(node, tree.Choice | tree.Logic) and node in decided:
        if isinstance(node, tree.Logic):
            node.operands = decided.pop(node)
            return _chosen(node.operands[0], decided) if len(node.operands) == 1 else node
        true, _ = decided[node]
        node = node.then if true else node.other
    return node


def pruned(body: list[tree.Stmt], truth_of: Callable[[tree.Expr], tuple[bool, bool]]) -> list[tree.Stmt]:
    """Without what cannot be reached: its expressions have no types. *truth_of*: what a test can be, as of `truth`."""
    found = []
    for stmt in body:
        found.append(stmt)
        _prune(stmt, lambda part: pruned(part, truth_of), truth_of)
        if not rules.falls_through([stmt]):
            break
    return found


def _prune(
    stmt: tree.Stmt,
    rest: Callable[[list[tree.Stmt]], list[tree.Stmt]],
    truth_of: Callable[[tree.Expr], tuple[bool, bool]],
) -> None:
    """The same of what is in a statement."""
    if isinstance(stmt, tree.If):
        true, false = truth_of(stmt.test)
        stmt.then = rest(stmt.then) if true else rules.unreachable(stmt)
        stmt.other = rest(stmt.other) if false else rules.unreachable(stmt)
    elif isinstance(stmt, tree.While):
        stmt.body = rest(stmt.body) if truth_of(stmt.test)[0] else rules.unreachable(stmt)
        endless = isinstance(stmt.test, tree.Const) and bool(stmt.test.value)
        stmt.other = [] if endless else rest(stmt.other)
    elif isinstance(stmt, tree.For):
        stmt.body, stmt.other = rest(stmt.body), rest(stmt.other)
    elif isinstance(stmt, tries.Leaving | tries.Titled | tree.Labelled):
        stmt.body = rest(stmt.body)
    elif isinstance(stmt, tries.Try):
        stmt.body = rest(stmt.body)
        stmt.other = rest(stmt.other) if rules.falls_through(stmt.body) else []
        for handler in stmt.handlers:
            handler.body = rest(handler.body)
