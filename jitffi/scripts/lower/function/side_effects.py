"""What runs nobody's code and changes no container: while it is evaluated, what is volatile stays good.

Text and numbers are computed without a call of anything that a script's user wrote. Comparing, hashing or releasing
other things can run a host's code, and with it anything. Appending to a list counts as none, too: no slot of it moves.

A variable *borrows* when it is the target of a loop whose rounds have none, and is read in them alone: then it needs
no copy of a text that lies in a container, and no reference to what else does.
"""

from __future__ import annotations

from jitffi.scripts.lower.function.values import SCALARS, TEXTS
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from jitffi.scripts.tree.types import Type

_BUILTINS = frozenset(("len", "ord", "chr", "abs", "int", "float", "str", "bool", "min", "max", "isinstance", "repr"))
#: Of these an argument can be anything.
_OF_ANYTHING = frozenset(("len", "isinstance"))
_SURE = ("+", "-", "*", "&", "|", "^")
_LENT = frozenset((*TEXTS, "any"))
_ROWS = frozenset(("list", "vector", "tuple", "array"))
_SIZED = frozenset(("list", "vector", "tuple", "set", "dict", "array"))


def is_plain(type_: Type) -> bool:
    """Numbers, None and text."""
    return type_.kind in SCALARS or type_.kind in TEXTS


def without_effects(node: tree.Expr | None) -> bool:
    if node is None or isinstance(node, (tree.Const, tree.Local)):
        return True
    if isinstance(node, tree.Item):
        of_text = node.value.type.kind in ("str", "char", "bytes")
        in_row = node.value.type.kind in _ROWS and node.index.type.kind in ("int", "bool")
        return (of_text or in_row) and _plain_without_effects(node.index) and without_effects(node.value)
    if isinstance(node, tree.Slice):
        parts = [part for part in (node.start, node.stop, node.step) if part is not None]
        return node.value.type.kind in ("str", "bytes", "char") and without_effects(node.value) and _all(parts)
    if isinstance(node, tree.Builtin):
        if node.name not in _BUILTINS or node.key is not None or node.keywords:
            return False
        if node.name in _OF_ANYTHING:
            return all(without_effects(each) and each.type.kind not in ("any", "object") for each in node.args)
        return _all(node.args)
    if isinstance(node, tree.Method):
        if node.name == "append" and node.value.type.kind in ("list", "vector") and without_effects(node.value):
            return all(_quiet_item(each) for each in node.args)
        of_text = node.value.type.kind in ("str", "char", "bytes")
        return of_text and _all([node.value, *node.args, *node.keywords.values()])
    return _operation_without_effects(node)


def cannot_fail(node: tree.Expr | None) -> bool:
    """Whether it has no effects, and raises nothing either: constants, variables that are there, and what is computed
    of numbers."""
    if node is None or isinstance(node, tree.Const):
        return True
    if isinstance(node, tree.Local):
        return not node.check
    if isinstance(node, tree.Binary):
        are_numbers = node.left.type.kind in SCALARS and node.right.type.kind in SCALARS
        return are_numbers and node.op in _SURE and cannot_fail(node.left) and cannot_fail(node.right)
    if isinstance(node, tree.Format):
        fields = [part for part in node.parts if not isinstance(part, str)]
        return all(is_plain(each.value.type) and each.spec is None and cannot_fail(each.value) for each in fields)
    return False


def _quiet_item(node: tree.Expr) -> bool:
    """What is put into a list: a variable of any type is only counted, and so are those in a tuple."""
    if isinstance(node, tree.TupleOf):
        return all(_quiet_item(each) for each in node.items)
    return isinstance(node, tree.Local) or _plain_without_effects(node)


def _operation_without_effects(node: tree.Expr) -> bool:
    if isinstance(node, tree.Unary):
        return (
            without_effects(node.operand)
            if node.op == "not" and _has_truth(node.operand)
            else _plain_without_effects(node.operand)
        )
    if isinstance(node, tree.Binary):
        return _all([node.left, node.right])
    if isinstance(node, tree.Compare):
        return all(
            _is_member_of_constants(node, i) or _plain_without_effects(each) for i, each in enumerate(node.operands)
        )
    if isinstance(node, tree.Logic):
        return all(without_effects(each) and _has_truth(each) for each in node.operands)
    if isinstance(node, tree.Choice):
        return (
            without_effects(node.test)
            and _has_truth(node.test)
            and without_effects(node.then)
            and without_effects(node.other)
        )
    if isinstance(node, tree.Format):
        fields = [part for part in node.parts if not isinstance(part, str)]
        return all(_plain_without_effects(field.value) and without_effects(field.spec) for field in fields)
    return False


def _is_member_of_constants(node: tree.Compare, i: int) -> bool:
    display = node.operands[i]
    return i > 0 and node.ops[i - 1] in ("in", "not in") and is_constant_display(display)


def is_constant_display(node: tree.Expr) -> bool:
    """A tuple or list of constants."""
    return isinstance(node, (tree.TupleOf, tree.ListOf)) and all(constant_of(each) is not ... for each in node.items)


def constant_of(node: tree.Expr) -> object:
    """The value of a constant, one with a sign too, or ..."""
    if isinstance(node, tree.Unary) and node.op == "-" and isinstance(node.operand, tree.Const):
        value = node.operand.value
        return -value if type(value) in (int, float) else ...
    return node.value if isinstance(node, tree.Const) else ...


def _has_truth(node: tree.Expr) -> bool:
    """Its truth is no question to others."""
    if isinstance(node, tree.Logic):
        return all(map(_has_truth, node.operands))
    return is_plain(node.type) or node.type.kind in _SIZED


def _plain_without_effects(node: tree.Expr) -> bool:
    return is_plain(node.type) and without_effects(node)


def _all(nodes: Iterable[tree.Expr]) -> bool:
    return all(_plain_without_effects(each) for each in nodes)


def quiet_statements(body: list[tree.Stmt]) -> bool:
    return all(_quiet_statement(each) for each in body)


def _quiet_statement(node: tree.Stmt) -> bool:
    if isinstance(node, tree.Assign):
        return all(_plain_local(each) for each in node.targets) and without_effects(node.value)
    if isinstance(node, tree.AugAssign):
        return _plain_local(node.target) and _plain_without_effects(node.value)
    if isinstance(node, tree.ExprStmt):
        return without_effects(node.value)
    if isinstance(node, (tree.If, tree.While)):
        if not (without_effects(node.test) and _has_truth(node.test)):
            return False
        inner = node.then if isinstance(node, tree.If) else node.body
        return quiet_statements(inner) and quiet_statements(node.other)
    if isinstance(node, tree.For):
        over = node.iterable
        is_range = isinstance(over, tree.Builtin) and over.name == "range" and _all(over.args)
        of_text = over.type.kind in TEXTS and without_effects(over)
        inside = _plain_local(node.target) and quiet_statements(node.body) and quiet_statements(node.other)
        return (is_range or of_text) and inside
    if isinstance(node, tree.Return):
        return node.value is None or _plain_without_effects(node.value)
    return isinstance(node, (tree.Break, tree.Continue, tree.Pass))


def _plain_local(target: tree.Target) -> bool:
    return isinstance(target, tree.TargetLocal) and is_plain(target.variable.type)


# -- lending -------------------------------------------------------------------------------------------------------


def locals_of(target: tree.Target) -> list[tree.Variable]:
    """The variables of a target that is one, or several."""
    if isinstance(target, tree.TargetLocal):
        return [target.variable]
    if isinstance(target, tree.TargetTuple) and target.star < 0:
        return [each.variable for each in target.targets if isinstance(each, tree.TargetLocal)]
    return []


def _reads(nodes: Any, variable: tree.Variable) -> int:
    return len([1 for node in walk(nodes) if isinstance(node, tree.Local) and node.variable is variable])


def borrowing_in_for(function: tree.Function, node: tree.For) -> set[tree.Variable]:
    """The variables among the targets that may borrow from what is iterated over: of text, or of any type."""
    found = [v for v in locals_of(node.target) if v.type.kind in _LENT and not v.is_parameter]
    if not found or not quiet_statements(node.body):
        return set()
    targets = [each.variable for each in walk(function.body) if isinstance(each, tree.TargetLocal)]
    alone = [v for v in found if targets.count(v) == 1]
    return {v for v in alone if _reads(function.body, v) == _reads(node.body, v)}


def borrowing_in_clause(node: tree.Comprehension, i: int) -> set[tree.Variable]:
    """The same of a comprehension, whose variables are its own."""
    rest = node.clauses[i + 1 :]
    inside = [node.key, *[c for clause in node.clauses[i:] for c in clause.conditions]]
    if node.key is not None or not _quiet_item(node.value):
        inside.append(node.value)
    inside += [clause.iterable for clause in rest if clause.iterable.type.kind not in TEXTS]
    found = {v for v in locals_of(node.clauses[i].target) if v.type.kind in _LENT}
    if not found or not all(without_effects(each) and (each is None or is_plain(each.type)) for each in inside):
        return set()
    targets = [each.variable for each in walk([node]) if isinstance(each, tree.TargetLocal)]
    return {v for v in found if targets.count(v) == 1}
