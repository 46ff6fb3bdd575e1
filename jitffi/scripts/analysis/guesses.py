"""Whether a list of Python's own that is a parameter can be taken for one of items of one type (a *guess*).

Such a list is looked through when the call begins, and what is read is a copy of it: so its items are there, and of
their type, to the end. That gives Python's results where the list itself could not change meanwhile, and nobody asks
which object it is: nothing that the variant does runs code of others, and the parameter is only read item by item.
Where a loop can end early looking through the list could cost more than the loop, so nothing is guessed.
A list of registered objects is looked through, too, and is no copy: its items are looked at again where they are used.
"""

from __future__ import annotations

import math

from jitffi.scripts.analysis.kept_items import is_only_kept, is_only_looked_into
from jitffi.scripts.frontend import names
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree, tries
from jitffi.scripts.tree.defaulting import Defaulting
from jitffi.scripts.tree.types import STR, is_guessed, is_guessed_native, key_of_items, list_of, promised
from jitffi.scripts.tree.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Final

#: Kinds of parameters that bring no objects of Python's in.
_KNOWN: Final = frozenset(("none", "bool", "int", "u64", "float", "char", "str", "bytes"))
#: Nodes that run code of others.
_FOREIGN: Final = (
    pytree.Import,
    pytree.ImportFrom,
    pytree.MadeFunction,
    pytree.ModuleDict,
    pytree.MatchClass,
    tries.Enter,
    tries.Raised,
    tries.Matches,
)
_CONTAINERS: Final = (set, frozenset, dict, tuple)
#: Builtins that go through all of their one argument.
_THROUGH: Final = frozenset(("list", "tuple", "sorted", "sum", "min", "max", "enumerate", "zip", "reversed", "len"))


def unfit(trees: Iterable[tree.Function]) -> set[int]:
    """Of a variant, the first, and all that it calls: the guessed parameters that cannot be taken so."""
    root, *called = trees
    of_registered = {i for i, each in enumerate(root.parameters) if key_of_items(each.type)}
    return _unfit(root, called) | {i for i in of_registered if not _is_only_read(root.body, root.parameters[i])}


def _unfit(root: tree.Function, called: list[tree.Function]) -> set[int]:
    """The same of numbers and texts."""
    native = {i for i, each in enumerate(root.parameters) if is_guessed_native(each.type, each.declared)}
    guessed = native | {i for i, each in enumerate(root.parameters) if is_guessed(each.type)}
    if not guessed:
        return guessed
    if any(each.type.kind not in _KNOWN for i, each in enumerate(root.parameters) if i not in guessed):
        return guessed
    if not all(_is_closed(node) for each in (root, *called) for node in walk(each.body)):
        return guessed
    if not all(_knows_globals(each.body) for each in (root, *called)):
        return guessed
    has_set = any(map(_is_set_of_texts, walk(root.body)))
    return {
        i
        for i in guessed
        if not _is_only_read(root.body, root.parameters[i])
        or (i not in native and has_set and promised(root.parameters[i].type) == STR)
        or (i not in native and is_only_kept(root, root.parameters[i]))
        or (
            i in native
            and root.parameters[i].type == list_of(STR)
            and not is_only_looked_into(root, root.parameters[i])
        )
    }


def _is_set_of_texts(node: Any) -> bool:
    """Python's texts know their hashes, which a set of its own asks, and one of the script's computes again."""
    return isinstance(node, tree.Expr) and str(node.type) == "set[str]"


# -- no code of others ------------------------------------------------------------------------------------------------


def _is_closed(node: Any) -> bool:
    """Whether it runs nobody's code, where no object of a class of others is there to begin with."""
    if isinstance(node, _FOREIGN):
        return False
    if isinstance(node, tree.Builtin):
        return node.name != "print"
    if isinstance(node, tree.Callee):
        return node.script is not None or node.builtin != ""
    if isinstance(node, pytree.PyCall):
        callee = node.callee
        is_attribute = isinstance(callee, tree.Item) and isinstance(callee.index, tree.MemberName)
        return is_attribute and not any(isinstance(each, pytree.Starred) for each in node.args)
    return True


def _knows_globals(body: list[tree.Stmt]) -> bool:
    """Whether names of the module are those of `math`, of tables, of what makes a Counter, of containers of plain
    values."""
    known: set[Any] = set()
    for node in walk(body):
        if isinstance(node, Defaulting):
            known.update((node.callee, node.factory))
            if isinstance(node.callee, tree.Item):
                known.add(node.callee.value)
        elif isinstance(node, tree.Item) and isinstance(node.index, tree.MemberName) and _is_math(node.value):
            known.add(node.value)
        elif isinstance(node, pytree.PyCall) and node.table is not None and node.type.kind != "object":
            known.update(walk(node.args))
        elif isinstance(node, tree.Compare):
            known.update(each for each in node.operands[1:] if _is_plain_container(each))
    return all(node in known for node in walk(body) if isinstance(node, pytree.Global))


def _is_math(node: tree.Expr) -> bool:
    return isinstance(node, pytree.Global) and _value(node) is math


def _is_plain_container(node: tree.Expr) -> bool:
    value: Any = _value(node) if isinstance(node, pytree.Global) else None
    return type(value) in _CONTAINERS and all(type(each) in (str, int) for each in value)


def _value(node: pytree.Global) -> Any:
    """What the name stands for now."""
    return names.outside(node.outside.function, node.outside.name)


# -- reading ----------------------------------------------------------------------------------------------------------


def _is_only_read(body: list[tree.Stmt], parameter: tree.Variable) -> bool:
    """Whether it is gone through, to the end, and nothing else that needs the object itself."""
    fine: set[tree.Expr] = set()
    goes_through = False
    for node in walk(body):
        if isinstance(node, tree.TargetLocal) and node.variable is parameter:
            return False
        over = [each for each in _iterated(node) if _is_of(each, parameter)]
        if over and isinstance(node, tree.For) and _ends_early(node.body):
            return False
        goes_through = goes_through or bool(over)
        fine.update(_locals_of(over))
        if isinstance(node, tree.Item):
            fine.add(node.value)
        elif isinstance(node, tree.Builtin) and node.name == "len":
            fine.update(node.args)
        elif isinstance(node, tree.If | tree.While):
            fine.add(node.test)
        elif isinstance(node, tree.Unary) and node.op == "not":
            fine.add(node.operand)
    reads = [node for node in walk(body) if isinstance(node, tree.Local) and node.variable is parameter]
    return goes_through and all(node in fine for node in reads)


def _iterated(node: Any) -> Iterator[tree.Expr]:
    """What it goes through."""
    if isinstance(node, tree.For):
        yield node.iterable
    elif isinstance(node, tree.Comprehension) and not node.is_lazy:
        yield from (clause.iterable for clause in node.clauses)
    elif isinstance(node, Defaulting) and node.over is not None:
        yield node.over
    elif isinstance(node, tree.Builtin) and node.name in _THROUGH and len(node.args) == 1:
        given = node.args[0]
        if isinstance(given, tree.Comprehension) and given.is_lazy:
            yield from (clause.iterable for clause in given.clauses)
        elif node.name not in ("enumerate", "zip", "reversed", "len"):
            yield given


def _locals_of(nodes: Iterable[tree.Expr]) -> Iterator[tree.Expr]:
    for node in nodes:
        yield node
        if isinstance(node, tree.Builtin):
            yield from _locals_of(node.args)


def _is_of(node: tree.Expr, parameter: tree.Variable) -> bool:
    """The parameter, `enumerate(parameter)`, `range(len(parameter))` and the like."""
    if isinstance(node, tree.Builtin) and node.name in ("enumerate", "zip", "reversed", "range", "len"):
        return any(_is_of(each, parameter) for each in node.args)
    return isinstance(node, tree.Local) and node.variable is parameter


def _ends_early(body: list[tree.Stmt]) -> bool:
    return any(isinstance(node, tree.Return | tree.Break | tree.Leave) for node in walk(body))
