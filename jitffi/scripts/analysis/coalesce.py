"""Webs of one name and type are one variable again, once types are known: nothing is held longer than it must be."""

from __future__ import annotations

from jitffi.scripts.analysis import constant_conditions, type_narrowing
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from jitffi.scripts.analysis.webs import Webs
    from jitffi.scripts.tree.types import Type


def coalesce(function: tree.Function, webs: Webs) -> None:
    """Makes webs of one variable and type one variable again; types are known by now."""
    parts = webs.parts
    found: dict[tuple[tree.Variable, Type, bool], tree.Variable] = {}
    replaced: dict[tree.Variable, tree.Variable] = {}
    kept = []
    for variable in function.variables:
        first = found.setdefault((parts.get(variable, variable), variable.type, variable.is_wide), variable)
        if first is variable:
            kept.append(variable)
        else:
            replaced[variable] = first
            first.maybe_unbound |= variable.maybe_unbound
    nodes = constant_conditions.nodes(function.body)
    if replaced:
        for node in nodes:
            if isinstance(node, tree.Local | tree.TargetLocal):
                node.variable = replaced.get(node.variable, node.variable)
    idle = {stmt: type_ for stmt, type_ in webs.narrowed.items() if _is_idle(stmt)}
    if idle:
        type_narrowing.remove(function.body, idle)
        nodes = constant_conditions.nodes(function.body)
    assigned = {node.variable for node in nodes if isinstance(node, tree.TargetLocal)}
    used = {node.variable for node in nodes if isinstance(node, tree.Local)}
    function.variables = [each for each in kept if each.is_parameter or each in assigned or each in used]
    for variable in function.variables:
        variable.is_assigned = variable in assigned


def _is_idle(stmt: tree.Stmt) -> bool:
    """Whether a variable is assigned to itself."""
    assert isinstance(stmt, tree.Assign)
    (target,) = stmt.targets
    return (
        isinstance(target, tree.TargetLocal)
        and isinstance(stmt.value, tree.Local)
        and target.variable is stmt.value.variable
    )


class FreeNames:
    """Names of variables that come in parts: `word.1`, `word.2`."""

    def __init__(self, taken: Iterable[str]) -> None:
        self._taken = set(taken)
        self._numbers: dict[str, int] = {}

    def like(self, name: str) -> str:
        base = name.partition(".")[0]
        while True:
            number = self._numbers[base] = self._numbers.get(base, 0) + 1
            if f"{base}.{number}" not in self._taken:
                return f"{base}.{number}"
