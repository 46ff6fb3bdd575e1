"""Ways through a tree: its statements, all of its nodes, and the pairs of an assignment of several values."""

from __future__ import annotations

from jitffi.base.records import fields_of
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


#: What has the statements in a statement, in the order in which they stand.
BLOCKS = ("then", "body", "handlers", "other")


def walk_statements(body: list[tree.Stmt]) -> Iterator[tree.Stmt]:
    """Each statement, outer ones before those in them."""
    waiting = body[::-1]
    while waiting:
        stmt = waiting.pop()
        yield stmt
        for part in reversed(BLOCKS):
            waiting += getattr(stmt, part, [])[::-1]


_NODES = (
    tree.Expr, tree.Stmt, tree.Clause, tree.Field, tree.Callee,
    tree.TargetLocal, tree.TargetItem, tree.TargetSlice, tree.TargetTuple,
)  # fmt: skip
#: By class: the fields of a node that can have nodes; None of what is none. Asked thousands of times a function.
_fields: dict[type, tuple[str, ...] | None] = {}


def _look(cls: type) -> tuple[str, ...] | None:
    found = None
    if issubclass(cls, _NODES):
        found = tuple([name for name in fields_of(cls) if name not in ("place", "type")])
    return _fields.setdefault(cls, found)


def walk(nodes: Any) -> Iterator[Any]:
    """All statements, expressions, clauses, targets and callees below."""
    waiting: list[Any] = list(nodes)
    while waiting:
        node = waiting.pop()
        cls = node.__class__
        if cls is list or cls is tuple:
            waiting += node
        elif cls is dict:
            waiting += node.values()
        else:
            fields = _fields[cls] if cls in _fields else _look(cls)
            if fields is not None:
                yield node
                waiting += [getattr(node, name) for name in fields]


def assigned_by(target: tree.Target) -> Iterator[tree.Variable]:
    """The variables that a target gives values to."""
    if isinstance(target, tree.TargetLocal):
        yield target.variable
    elif isinstance(target, tree.TargetTuple):
        for each in target.targets:
            yield from assigned_by(each)


def element_pairs(target: tree.Target, value: tree.Expr) -> list[tuple[tree.Target, tree.Expr]] | None:
    """`a, b = x, y` as pairs, all evaluated before the first is assigned: no tuple is made, and a character stays one.
    None for other assignments."""
    if not isinstance(target, tree.TargetTuple) or target.star >= 0:
        return None
    if not isinstance(value, tree.TupleOf | tree.ListOf) or len(value.items) != len(target.targets):
        return None
    if any(isinstance(each, tree.Spread) for each in value.items):
        return None
    return list(zip(target.targets, value.items, strict=True))
