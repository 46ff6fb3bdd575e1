"""Where a container in a field of a registered class (library/instances.py) is used, and not only handed on: what is
done there gives the same for a native container as for the object that Python has of it.

    self.items[i]    self.items.append(x)    for x in self.items    len(self.items)    x in self.items    if self.items

A variable that stands for it, and is used so alone, is as good (`items = self.items`). Elsewhere it is that object: it
is printed, sliced, joined and compared as `jitffi.List` is, and is the same one when it comes back. What is put into
it, or looked for, is a number, text or an object of a registered class: what Python converts for a container, or
refuses, is Python's to do.
"""

from __future__ import annotations

from collections import Counter

from jitffi.base.records import record
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.walk import element_pairs, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Final

    from jitffi.scripts.tree.types import Type

#: Methods with results, and words of errors, that are the same.
_METHODS: Final = frozenset(
    (
        "append", "pop", "insert", "remove", "clear", "index", "count", "reverse", "sort", "get", "add", "discard",
        "setdefault",
    )
)  # fmt: skip
_VIEWS: Final = frozenset(("items", "keys", "values"))
#: Builtins that take it apart, or ask of it what is the same.
_BUILTINS: Final = frozenset(("len", "bool", "sum", "min", "max", "sorted", "list", "tuple", "set", "any", "all"))
_CONTAINERS: Final = frozenset(("list", "dict", "set", "tuple"))
#: What gives no item, of builtins, and what does, of methods.
_ASKING: Final = frozenset(("len", "bool", "any", "all"))
_GIVING: Final = frozenset(("pop", "get", "setdefault"))
_AROUND: Final = frozenset(("enumerate", "zip", "reversed"))
_SCALARS: Final = frozenset(("none", "bool", "int", "u64", "float", "char", "str", "bytes"))
_PLAIN: Final = _SCALARS | {"never", "any", "object"}


@record
class Use:
    """*given*: what has to be plain for it, and what of this stands between brackets, *indices*. *gives_items*: what is
    in it goes where it may be the script's own."""

    given: list[tree.Expr]
    indices: list[tree.Expr]
    gives_items: bool = False


def uses(function: tree.Function) -> dict[tree.Expr, Use]:
    """The expressions that are fields, or items of containers in them, if anything, and used so."""
    nodes = list(walk(function.body))
    used: dict[tree.Expr, Use] = {}
    for node in nodes:
        for each, given in _used(node):  # of an item that is assigned to twice
            use = used.setdefault(each, Use([], []))
            use.given += given
            use.gives_items |= _gives_items(node)
            use.indices += given if isinstance(node, tree.Item | tree.TargetItem) else []
    found: dict[tree.Expr, Use] = {each: use for each, use in used.items() if isinstance(each, tree.Item)}
    mentions: dict[tree.Variable, list[tree.Local]] = {}
    for node in nodes:
        if isinstance(node, tree.Local):
            mentions.setdefault(node.variable, []).append(node)
    for variable, value in _named(function, nodes).items():
        of_variable = mentions.get(variable, [])
        if all(each in used for each in of_variable):
            given = [given for each in of_variable for given in used[each].given]
            indices = [index for each in of_variable for index in used[each].indices]
            found[value] = Use(given, indices, any(used[each].gives_items for each in of_variable))
    return found


def _gives_items(node: Any) -> bool:
    if isinstance(node, tree.Method):
        return node.name in _GIVING
    return isinstance(node, tree.Assign) or (isinstance(node, tree.Builtin) and node.name not in _ASKING)


def containers(function: tree.Function) -> set[tree.Expr]:
    """The expressions of a typed tree that are native containers in fields, and the variables that stand for them."""
    nodes = list(walk(function.body))
    found = set[tree.Expr]()
    named = _named(function, nodes)
    found.update(each for each in nodes if _is_in_field(each, named))
    return found


def _is_in_field(node: Any, named: dict[tree.Variable, tree.Item]) -> bool:
    if isinstance(node, tree.Local):
        value = named.get(node.variable)
        return value is not None and _is_in_field(value, named)
    if not isinstance(node, tree.Item) or node.type.kind not in _CONTAINERS:
        return False
    return node.value.type.key != "" if _is_attribute(node) else _is_in_field(node.value, named)


def _is_attribute(node: tree.Expr) -> bool:
    return isinstance(node, tree.Item) and isinstance(node.index, tree.MemberName)


def _named(function: tree.Function, nodes: list[Any]) -> dict[tree.Variable, tree.Item]:
    """The variables that are given one attribute or item, at one place, and nothing else."""
    bound = Counter(function.parameters)
    bound.update(each.variable for each in nodes if not isinstance(each, tree.Local) and hasattr(each, "variable"))
    given: dict[tree.Variable, tree.Item] = {}
    for target, value in assigned(nodes):
        if isinstance(target, tree.TargetLocal) and bound[target.variable] == 1 and isinstance(value, tree.Item):
            given[target.variable] = value
    return given


def assigned(nodes: Iterable[Any]) -> Iterator[tuple[tree.Target, tree.Expr]]:
    """The targets of assignments that have no other beside them, each with what it is given; those of pairs, too."""
    for node in nodes:
        if isinstance(node, tree.Assign) and len(node.targets) == 1:
            yield from element_pairs(node.targets[0], node.value) or [(node.targets[0], node.value)]


def is_plain(type_: Type) -> bool:
    """Whether it is what Python's container takes as the native one does, or what that is asked for (contained.py)."""
    if type_.kind == "tuple":
        return type_.args is not None and all(each.kind in _SCALARS for each in type_.args)
    return type_.kind in _PLAIN


def _used(node: Any) -> Iterator[tuple[tree.Expr, list[tree.Expr]]]:
    if isinstance(node, tree.For | tree.Clause):
        yield from ((each, []) for each in _iterated(node.iterable))
    elif isinstance(node, tree.Item | tree.TargetItem):
        if not isinstance(node.index, tree.MemberName):
            yield node.value, [node.index]
    elif isinstance(node, tree.Method):
        if node.name in _METHODS and node.key is None and not node.keywords:
            yield node.value, node.args
    elif isinstance(node, tree.Builtin):
        if node.name in _BUILTINS and len(node.args) == 1 and node.key is None and not node.keywords:
            yield from ((each, []) for each in _iterated(node.args[0]))
    elif isinstance(node, tree.Compare):
        for op, left, right in zip(node.ops, node.operands, node.operands[1:], strict=False):
            if op in ("in", "not in"):
                yield right, [left]
    elif isinstance(node, tree.Assign):
        for target in node.targets:
            if isinstance(target, tree.TargetItem):
                yield target.value, [target.index, node.value]
            elif isinstance(target, tree.TargetTuple) and target.star < 0:
                yield node.value, []
    elif isinstance(node, tree.AugAssign):
        if isinstance(node.target, tree.TargetItem):
            yield node.target.value, [node.target.index, node.value]
    elif isinstance(node, tree.If | tree.While | tree.Choice):
        yield from _tested(node.test)


def _iterated(node: tree.Expr) -> Iterator[tree.Expr]:
    """What it goes through."""
    if isinstance(node, tree.Builtin) and node.name in _AROUND:
        for each in node.args:
            yield from _iterated(each)
    elif isinstance(node, tree.Method) and node.name in _VIEWS and not node.args:
        yield node.value
    else:
        yield node


def _tested(node: tree.Expr) -> Iterator[tuple[tree.Expr, list[tree.Expr]]]:
    """What its truth is asked of."""
    if isinstance(node, tree.Logic):
        for each in node.operands:
            yield from _tested(each)
    elif isinstance(node, tree.Unary) and node.op == "not":
        yield from _tested(node.operand)
    else:
        yield node, []
