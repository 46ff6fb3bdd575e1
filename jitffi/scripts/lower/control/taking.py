"""Targets of loops: what they take of each item, what they borrow of it, and which variables that assigns to."""

from __future__ import annotations

from jitffi.scripts.lower.containers import items, lists
from jitffi.scripts.lower.control import targets
from jitffi.scripts.lower.function.emit import const
from jitffi.scripts.lower.function.values import SCALARS, TEXTS
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from jitffi.scripts.lower.control.iteration import Iterator
    from jitffi.scripts.lower.function.body import Body


def named_in(nodes: Iterable[object]) -> set[tree.Variable]:
    """The variables that `:=` assigns to in these statements and expressions."""
    return {node.target.variable for node in walk(nodes) if isinstance(node, tree.Named)}


def borrow(b: Body, found: Iterator, target: tree.Target, variables: set[tree.Variable]) -> None:
    """From here on these targets borrow items, where those are text or anything."""
    if not found.lends:
        return
    types = list(found.type.args or ()) if isinstance(target, tree.TargetTuple) else [found.type]
    given = list(target.targets) if isinstance(target, tree.TargetTuple) else [target]
    if len(types) != len(given):
        return
    chosen = set()
    for each, type_ in zip(given, types, strict=True):
        variable = each.variable if isinstance(each, tree.TargetLocal) else None
        if variable is None or variable not in variables or variable in b.variables.outliving:
            continue
        fits = found.of_items or type_.kind != "any"
        if type_ == variable.type and variable not in b.variables.cells and fits:
            chosen.add(variable)
    if isinstance(target, tree.TargetTuple) and not (found.has_parts and is_simple(target, chosen)):
        return
    b.variables.borrowing |= chosen
    if any(variable.type.kind in TEXTS for variable in chosen):
        found.keep_texts(b)


def take(b: Body, found: Iterator, target: tree.Target) -> None:
    """Assign the item to the target of a loop; no tuple is made only to be unpacked."""
    if not isinstance(target, tree.TargetTuple) or target.star >= 0:
        targets.store(b, target, found.item(b))
        return
    parts = found.parts(b)
    if parts is None:
        value = found.item(b)
        args = value.type.args
        simple = is_simple(target, b.variables.borrowing)
        if value.kind != "tuple" or args is None or len(args) != len(target.targets) or not simple:
            targets.store(b, target, value)
            return
        parts = [items.read(b, lists.item_at(b, value.ssa, const("i64", i)), each) for i, each in enumerate(args)]
    elif len(parts) != len(target.targets):
        targets.store(b, target, lists.new_tuple(b, parts))
        return
    if not is_simple(target, b.variables.borrowing):
        parts = [b.storage.materialise(part) for part in parts]
    for each, part in zip(target.targets, parts, strict=True):
        targets.store(b, each, part)


def is_simple(target: tree.TargetTuple, borrowing: set[tree.Variable]) -> bool:
    """Storing to it runs nobody's code, so that what is volatile stays good meanwhile."""
    found = [each.variable for each in target.targets if isinstance(each, tree.TargetLocal)]
    simple = (v in borrowing or v.type.kind in SCALARS or v.type.kind in TEXTS for v in found)
    return len(found) == len(target.targets) and all(simple)
