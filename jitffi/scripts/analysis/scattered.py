"""Tuples in variables that only look things up in dicts: `pair = (a, b); counts[pair] = counts.get(pair, 0) + 1`, and
`for pair in zip(a, b): counts[pair] += 1`.

Each item gets a variable of its own, and each use is a tuple display again, which a dict needs no tuple for. So that is
done only where every use but one is of a dict for sure: what is known before types are inferred.
"""

from __future__ import annotations

from jitffi.scripts.library.own import class_of
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.defaulting import Defaulting
from jitffi.scripts.tree.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Final

    from jitffi.scripts.tree.types import Type

_MOST_ITEMS = 8


def scatter(function: tree.Function, types: tuple[Type, ...]) -> None:
    """Changes the caller's copy of a function."""
    found = _Found(function.body)
    given = zip(function.parameters, types, strict=True)
    dicts = {each for each, type_ in given if type_.kind == "dict" or class_of(type_) == "dict"}
    for variable, definitions in found.tuples.items():
        sizes = {count for _, count in definitions}
        uses = found.uses.get(variable, [])
        keys = [container for _, _, container in uses if container is not None]
        if variable.is_parameter or variable.declared is not None or variable in found.otherwise or not keys:
            continue
        is_known = len(sizes) == 1 and 0 < max(sizes) <= _MOST_ITEMS and len(uses) <= len(keys) + 1
        if is_known and all(found.is_dict(each, dicts) for each in keys):
            _replace(function, variable, max(sizes), [node for node, _ in definitions], uses)


#: Where a variable is used as a key: the list or node that it is in, its index or name there, and the dict's variable;
#: None where it is assigned to another variable.
_Use = tuple["Any", "Any", "tree.Variable | None"]
#: Where it is assigned to: a tuple display, or a loop over several things at once.
_Definition = tree.Assign | tree.Clause | tree.For


class _Found:
    """What is done with variables that tuples of a known length are assigned to."""

    def __init__(self, body: list[tree.Stmt]) -> None:
        self.tuples: Final[dict[tree.Variable, list[tuple[_Definition, int]]]] = {}
        self.uses: Final[dict[tree.Variable, list[_Use]]] = {}
        #: Variables that are used or assigned to in other ways.
        self.otherwise: Final[set[tree.Variable]] = set()
        self._assigned: Final[dict[tree.Variable, list[tree.Expr | None]]] = {}
        self._seen: Final[set[tree.Local | tree.TargetLocal]] = set()
        for node in walk(body):
            self._look(node)

    def is_dict(self, variable: tree.Variable, dicts: set[tree.Variable]) -> bool:
        """For sure: it was made as one, or given as one."""
        values = self._assigned.get(variable, [])
        if not values and variable not in dicts:
            return False
        return all(_makes_dict(each) for each in values)

    def _look(self, node: Any) -> None:
        if isinstance(node, tree.Assign) and len(node.targets) == 1 and isinstance(node.targets[0], tree.TargetLocal):
            target = node.targets[0]
            self._seen.add(target)
            self._assigned.setdefault(target.variable, []).append(node.value)
            if isinstance(node.value, tree.TupleOf):
                self.tuples.setdefault(target.variable, []).append((node, len(node.value.items)))
            else:
                self.otherwise.add(target.variable)
                self._assign(node)
        elif isinstance(node, tree.Named):
            self._assign(node)
        elif isinstance(node, tree.Clause | tree.For) and isinstance(node.target, tree.TargetLocal):
            count = _items_at_once(node.iterable)
            if count:
                self._seen.add(node.target)
                self._assigned.setdefault(node.target.variable, []).append(None)
                self.tuples.setdefault(node.target.variable, []).append((node, count))
        elif isinstance(node, tree.TargetLocal) and node not in self._seen:
            self._assigned.setdefault(node.variable, []).append(None)
            self.otherwise.add(node.variable)
        elif isinstance(node, tree.Item | tree.TargetItem):
            self._use(node, "index", node.index, node.value)
        elif isinstance(node, tree.Compare) and len(node.ops) == 1 and node.ops[0] in ("in", "not in"):
            self._use(node.operands, 0, node.operands[0], node.operands[1])
        elif isinstance(node, tree.Method) and node.name == "get" and node.args:
            self._use(node.args, 0, node.args[0], node.value)
        elif isinstance(node, tree.Local) and node not in self._seen:
            self.otherwise.add(node.variable)

    def _assign(self, node: tree.Assign | tree.Named) -> None:
        if isinstance(node.value, tree.Local):
            self._seen.add(node.value)
            self.uses.setdefault(node.value.variable, []).append((node, "value", None))

    def _use(self, within: Any, at: Any, key: tree.Expr, container: tree.Expr) -> None:
        if isinstance(key, tree.Local) and isinstance(container, tree.Local):
            self._seen.add(key)
            self.uses.setdefault(key.variable, []).append((within, at, container.variable))


def _makes_dict(node: tree.Expr | None) -> bool:
    if isinstance(node, tree.Comprehension):
        return node.key is not None
    if isinstance(node, tree.Builtin):
        return node.name == "dict"
    return isinstance(node, tree.DictOf | Defaulting)


def _items_at_once(iterable: tree.Expr) -> int:
    """How many items each tuple has that a loop makes; 0 where it makes none, or that is not known."""
    if not isinstance(iterable, tree.Builtin) or any(isinstance(each, tree.Spread) for each in iterable.args):
        return 0
    return len(iterable.args) if iterable.name == "zip" else 2 * (iterable.name == "enumerate")


def _replace(
    function: tree.Function, variable: tree.Variable, count: int, definitions: list[_Definition], uses: list[_Use]
) -> None:
    parts = [object.__new__(tree.Variable) for _ in range(count)]
    for i, part in enumerate(parts):
        part.__dict__.update({**variable.__dict__, "name": f"{variable.name}.{i}"})
    at = function.variables.index(variable)
    function.variables[at : at + 1] = parts
    for node in definitions:
        place = (node.targets[0] if isinstance(node, tree.Assign) else node.target).place
        target = tree.TargetTuple(place, [tree.TargetLocal(place, part) for part in parts], -1)
        if isinstance(node, tree.Assign):
            node.targets = [target]
        else:
            node.target = target
    for within, key, _ in uses:
        local = getattr(within, key) if isinstance(key, str) else within[key]
        items: list[tree.Expr] = [tree.Local(local.place, part, local.check) for part in parts]
        made = tree.TupleOf(local.place, items)
        if isinstance(key, str):
            setattr(within, key, made)
        else:
            within[key] = made
