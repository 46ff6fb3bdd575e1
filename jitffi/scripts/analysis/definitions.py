"""Definitions of variables, and which of them are one web: a forest, whose trees become variables."""

from __future__ import annotations

from jitffi.scripts.analysis.coalesce import FreeNames
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


class Definitions:
    """Those of one function, by numbers."""

    __slots__ = ("_up", "_variables", "nodes", "numbers")

    def __init__(self) -> None:
        self._up: list[int] = []
        self._variables: list[tree.Variable] = []
        #: By what defines: a variable (as the function begins), a target, or a use where several come together.
        self.numbers: dict[Any, int] = {}
        #: One that each place of a variable has.
        self.nodes: dict[tree.Local | tree.TargetLocal, int] = {}

    def number(self, key: Any, variable: tree.Variable) -> int:
        found = self.numbers.get(key)
        if found is None:
            found = self.numbers[key] = len(self._up)
            self._up.append(found)
            self._variables.append(variable)
        return found

    def find(self, number: int) -> int:
        """The root of its tree, which stands for the web."""
        up = self._up
        while up[number] != number:
            up[number] = up[up[number]]
            number = up[number]
        return number

    def unite(self, number: int, other: int) -> None:
        """Let the web of *number* be a part of that of *other*."""
        self._up[self.find(number)] = self.find(other)

    def name(self, function: tree.Function) -> dict[tree.Variable, tree.Variable]:
        """Give each web a variable: the old one to the one that begins with the function, or else to the first. Of the
        new ones, which one they were part of."""
        names = {variable: number for variable, number in self.numbers.items() if isinstance(variable, tree.Variable)}
        found: dict[int, tree.Variable] = {}
        used = {self.find(number) for number in self.nodes.values()}
        for variable, number in names.items():
            variable.is_assigned = False
            if variable.is_parameter or self.find(number) in used or variable.declared is not None:
                found[self.find(number)] = variable
            else:
                variable.maybe_unbound = False
        kept = set(found.values())
        names_left = FreeNames(each.name for each in function.variables)
        parts: dict[tree.Variable, tree.Variable] = {}
        for node, number in self.nodes.items():
            web = self.find(number)
            old = self._variables[number]
            if old.declared is not None:
                found[web] = old
            if web not in found and old not in kept:
                kept.add(old)
                found[web] = old
            if web not in found:
                found[web] = new = tree.Variable(names_left.like(old.name))
                parts[new] = old
            node.variable = found[web]
            if isinstance(node, tree.Local):
                node.check = node.check and found[web].maybe_unbound
            else:
                found[web].is_assigned = True
        rest = [each for each in dict.fromkeys(found.values()) if not each.is_parameter]
        function.variables = [*function.parameters, *rest]
        return parts
