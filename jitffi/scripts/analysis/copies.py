"""Copies of trees: each variant has its own, to write its types into."""

from __future__ import annotations

from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import Type

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


_SHARED = (type(None), bool, int, float, str, bytes, tuple, Type, tree.Place)
_NODES = (
    tree.Expr, tree.Stmt, tree.Clause, tree.Callee, tree.Field,
    tree.TargetLocal, tree.TargetItem, tree.TargetSlice, tree.TargetTuple,
)  # fmt: skip


def copy_function(function: tree.Function) -> tree.Function:
    """A function of new nodes and variables; what it calls, and where things stand, are the old ones."""
    variables: dict[tree.Variable, tree.Variable] = {}

    def variable(old: tree.Variable) -> tree.Variable:
        found = variables.get(old)
        if found is None:
            found = variables[old] = object.__new__(tree.Variable)
            found.__dict__.update(old.__dict__)
        return found

    def copy(old: Any) -> Any:
        if isinstance(old, _SHARED):
            return old
        if isinstance(old, tree.Variable):
            return variable(old)
        if isinstance(old, list):
            return [copy(each) for each in old]
        if isinstance(old, dict):
            return {name: copy(each) for name, each in old.items()}
        if isinstance(old, _NODES):
            new = object.__new__(type(old))
            parts = new.__dict__
            for name, part in old.__dict__.items():
                parts[name] = part if name in ("script", "native") else copy(part)
            return new
        return old

    new = object.__new__(tree.Function)
    new.__dict__.update(function.__dict__)
    new.parameters = copy(function.parameters)
    new.variables = copy(function.variables)
    new.body = copy(function.body)
    return new
