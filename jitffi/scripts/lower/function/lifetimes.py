"""Which variables only ever have text that outlives the call: parts of parameters and of literals. They keep nothing,
so they need no slot.

The guess is made before anything is generated; where a value turns out not to outlive the call, DoesNotOutlive is
raised and the function is generated anew without guessing.
"""

from __future__ import annotations

from jitffi.scripts.lower.function.values import TEXTS
from jitffi.scripts.tree import regexes, tree
from jitffi.scripts.tree.walk import element_pairs, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set

#: Methods whose result is a part of the text that they are of.
_VIEWS = frozenset(("strip", "lstrip", "rstrip", "removeprefix", "removesuffix"))


class DoesNotOutlive(Exception):
    """A variable or choice was taken to outlive the call, and does not."""


def outlives_call(node: tree.Expr, variables: Set[tree.Variable]) -> bool:
    """The text of *node* outlives the call, given that of *variables* does."""
    if isinstance(node, tree.Choice):
        return outlives_call(node.then, variables) and outlives_call(node.other, variables)
    if isinstance(node, tree.Logic):
        return all(outlives_call(each, variables) for each in node.operands)
    if isinstance(node, tree.Const):
        return isinstance(node.value, str | bytes)
    if node.type.kind not in TEXTS:
        return False
    if isinstance(node, tree.Local):
        return node.variable in variables
    if isinstance(node, regexes.Subject):
        return node.value.type == node.type and outlives_call(node.value, variables)
    if isinstance(node, regexes.GroupOf):
        return outlives_call(node.text, variables)
    if isinstance(node, tree.Slice):
        plain = all(part is None or part.type.kind in ("int", "bool", "none") for part in (node.start, node.stop))
        return node.step is None and plain and outlives_call(node.value, variables)
    return isinstance(node, tree.Method) and node.name in _VIEWS and outlives_call(node.value, variables)


def outliving_variables(function: tree.Function) -> set[tree.Variable]:
    """The largest set of variables that all assignments agree with."""
    sources: dict[tree.Variable, list[tree.Expr | None]] = {}
    for node in walk(function.body):
        if isinstance(node, tree.Assign):
            for target in node.targets:
                _assign(sources, target, node.value)
        elif isinstance(node, tree.Named):
            _assign(sources, node.target, node.value)
        elif isinstance(node, tree.AugAssign):
            _spoil(sources, node.target)
        elif isinstance(node, tree.For | tree.Clause):
            _iterate(sources, node.target, node.iterable)
    found = {v for v in function.variables if v.type.kind in TEXTS and (v.is_parameter or v in sources)}
    while True:
        wrong = [v for v in found if any(s is None or not outlives_call(s, found) for s in sources.get(v, []))]
        if not wrong:
            return found
        found.difference_update(wrong)


def _assign(sources: dict[tree.Variable, list[tree.Expr | None]], target: tree.Target, value: tree.Expr) -> None:
    if isinstance(target, tree.TargetLocal):
        sources.setdefault(target.variable, []).append(value)
        return
    pairs = element_pairs(target, value)
    if pairs is None:
        _spoil(sources, target)
    for each, item in pairs or []:
        _assign(sources, each, item)


def _spoil(sources: dict[tree.Variable, list[tree.Expr | None]], target: tree.Target) -> None:
    if isinstance(target, tree.TargetLocal):
        sources.setdefault(target.variable, []).append(None)
    elif isinstance(target, tree.TargetTuple):
        for each in target.targets:
            _spoil(sources, each)


def _iterate(sources: dict[tree.Variable, list[tree.Expr | None]], target: tree.Target, iterable: tree.Expr) -> None:
    """The pieces of text.split() are parts of the text."""
    if isinstance(iterable, regexes.Matches) and isinstance(target, tree.TargetTuple):
        _assign(sources, target.targets[1], iterable.text)
        return
    is_builtin = isinstance(iterable, tree.Builtin) and isinstance(target, tree.TargetTuple) and target.star < 0
    if is_builtin and isinstance(iterable, tree.Builtin) and isinstance(target, tree.TargetTuple):
        inner = [None, *iterable.args[:1]] if iterable.name == "enumerate" else iterable.args
        if iterable.name in ("enumerate", "zip") and len(inner) == len(target.targets):
            for each, part in zip(target.targets, inner, strict=True):
                if part is None:
                    _spoil(sources, each)
                else:
                    _iterate(sources, each, part)
            return
    if isinstance(target, tree.TargetLocal) and isinstance(iterable, tree.Method) and iterable.name == "split":
        sources.setdefault(target.variable, []).append(iterable.value)
    else:
        _spoil(sources, target)
