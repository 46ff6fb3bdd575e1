"""Items of a list of texts that are only put elsewhere: such a list is better read as what it is, objects of Python's.

    for line in lines:                  line is only kept, and so is what it is cut into
        rows.append(line.split(","))

Where there is anything else that a script does with a text it is faster on its own, and what it keeps of the list is
the str that is in there (`Value.origin`).
"""

from __future__ import annotations

from jitffi.scripts.library.own import PIECES
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import BYTES, STR, is_guessed, promised
from jitffi.scripts.tree.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def items_of_guesses(function: tree.Function) -> set[tree.Variable]:
    """The targets of loops over lists whose items are taken to be texts."""
    return _items_of(
        function, {each for each in function.parameters if is_guessed(each.type) and promised(each.type) == STR}
    )


def given_texts(function: tree.Function) -> set[tree.Variable]:
    """Parameters that are texts, and variables that they are assigned to: Python gets what the caller has given."""
    if not function.takes_objects:
        return set()
    found = {each for each in function.parameters if each.type in (STR, BYTES)}
    copies = [
        (each, node.value.variable)
        for node in (walk(function.body) if found else ())
        if isinstance(node, tree.Assign) and isinstance(node.value, tree.Local)
        for each in node.targets
        if isinstance(each, tree.TargetLocal)
    ]
    for target, variable in copies:
        if variable in found and target.variable.type == variable.type:
            found.add(target.variable)
    return found


def _items_of(function: tree.Function, lists: set[tree.Variable]) -> set[tree.Variable]:
    found: set[tree.Variable] = set()
    if lists:
        for node in walk(function.body):
            if isinstance(node, tree.For | tree.Clause) and _is_over(node.iterable, lists):
                found.update(each.variable for each in walk([node.target]) if isinstance(each, tree.TargetLocal))
    return {each for each in found if each.type == STR}


def _is_over(node: tree.Expr, lists: set[tree.Variable]) -> bool:
    return any(isinstance(each, tree.Local) and each.variable in lists for each in walk([node]))


def is_only_kept(function: tree.Function, parameter: tree.Variable) -> bool:
    """Whether all that a variant does with the items of this list of texts is to put them elsewhere."""
    if promised(parameter.type) != STR:
        return False
    kept: set[Any] = set()
    for node in walk(function.body):
        for each in _put_by(node):
            kept.update(_parts(each))
    items = items_of_guesses(function)
    over = [node for node in walk(function.body) if isinstance(node, tree.For | tree.Clause)]
    fine = {each for node in over if _is_gone_through(node.iterable) for each in walk([node.iterable])} | kept
    return all(
        node in fine
        for node in walk(function.body)
        if isinstance(node, tree.Local) and (node.variable in items or node.variable is parameter)
    )


def is_only_looked_into(function: tree.Function, parameter: tree.Variable) -> bool:
    """Whether a variant keeps none of the texts of a List: one that is put elsewhere is taken as it lies there."""
    fine: set[Any]
    items, fine = _items_of(function, {parameter}), set()
    for node in walk(function.body):
        if isinstance(node, tree.Method | tree.Item | tree.Slice):
            fine.add(node.value)
        elif isinstance(node, tree.Builtin) and node.name in ("len", "isinstance"):
            fine.update(node.args)
        elif isinstance(node, tree.Compare):
            fine.update(node.operands[node.ops[0] in ("in", "not in") :])
        elif isinstance(node, tree.For | tree.Clause) and _is_gone_through(node.iterable):
            fine.update(walk([node.iterable]))
    return all(node in fine for node in walk(function.body) if _is_item(node, parameter, items))


def _is_item(node: Any, parameter: tree.Variable, items: set[tree.Variable]) -> bool:
    """The list, an item by its index, or a variable that has one."""
    if isinstance(node, tree.Item):
        return isinstance(node.value, tree.Local) and node.value.variable is parameter
    return isinstance(node, tree.Local) and (node.variable is parameter or node.variable in items)


def _is_gone_through(node: tree.Expr) -> bool:
    """Variables, and `zip` and `enumerate` of some."""
    if isinstance(node, tree.Builtin) and node.name in ("zip", "enumerate"):
        return all(map(_is_gone_through, node.args))
    return isinstance(node, tree.Local | tree.Const)


def _put_by(node: Any) -> Iterator[tree.Expr]:
    """What it puts into a container of Python's own, or looks for there."""
    if isinstance(node, tree.Method) and node.value.type.kind == "object":
        yield from node.args
    elif isinstance(node, tree.Comprehension) and node.type.kind == "object":
        yield from (each for each in (node.key, node.value) if each is not None)
    elif isinstance(node, tree.ListOf | tree.TupleOf | pytree.SetOf) and node.type.kind == "object":
        yield from node.items
    elif isinstance(node, tree.Item | tree.TargetItem) and node.value.type.kind == "object":
        yield node.index
    elif isinstance(node, tree.Assign):
        if all(isinstance(each, tree.TargetItem) and each.value.type.kind == "object" for each in node.targets):
            yield node.value
    elif isinstance(node, tree.Builtin) and node.name in ("list", "tuple") and node.type.kind == "object":
        yield from node.args


def _parts(node: tree.Expr) -> Iterator[tree.Expr]:
    """The expression, and what is kept with it."""
    yield node
    if isinstance(node, tree.TupleOf):
        for each in node.items:
            yield from _parts(each)
    elif isinstance(node, tree.Method) and node.value.type == STR and node.name in PIECES:
        yield node.value
    elif isinstance(node, tree.Builtin) and node.name in ("zip", "enumerate"):
        yield from node.args
