"""How numbers flow in a function: from what an expression reads to what gets its value.

    x = a * 2 + b        a -> x, multiplied; b -> x
    items.append(x)      x -> items        what is in a container is as the container
    return f(n - 1) * n  f's results -> its results, multiplied; n -> results; n -> its first parameter

Told by the tree alone, without types.
"""

from __future__ import annotations

from jitffi.base.records import record
from jitffi.scripts.library.own import class_of
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.defaulting import Defaulting
from jitffi.scripts.tree.walk import element_pairs, walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from typing import Any, Final

    from jitffi.scripts.tree.types import Type

    #: A variable; None: the results of the function.
    Source = tree.Variable | None
    #: What is read, and whether it is multiplied.
    Reads = list[tuple[Source, bool]]

#: Operators whose result is no larger than it was.
CUT: Final = ("&", "%", "//", ">>")
_SUMS: Final = ("+", "-", "|", "^")
_PUTTING: Final = ("append", "add", "insert", "extend", "appendleft")
_TAKING: Final = ("pop", "get", "setdefault", "popleft")


@record
class Flow:
    """What is read for a target; the nodes that are to be larger where it grows, and the node it belongs to."""

    target: Source
    reads: Reads
    nodes: list[object]
    owner: object
    #: It gives a variable what it was, or a part of that.
    is_cut: bool = False
    #: Its target is shifted in it, and something else done with the bits.
    is_shifted: bool = False


def flows(function: tree.Function, script: Any) -> list[Flow]:
    """Those of a function. *script*: what calls of the function itself have as their callee."""
    found: list[Flow] = []
    for node in walk(function.body):
        found += _of_node(node, _Reader(script), function)
    return found


def reached(found: list[Flow]) -> dict[Source, set[Source]]:
    """From each target, what its value comes from, however far."""
    direct: dict[Source, set[Source]] = {}
    for flow in found:
        direct.setdefault(flow.target, set()).update(source for source, _ in flow.reads)
        for source, _ in flow.reads:
            direct.setdefault(source, set())
    result: dict[Source, set[Source]] = {}
    for target in direct:
        seen: set[Source] = set()
        waiting = list(direct[target])
        while waiting:
            each = waiting.pop()
            if each not in seen:
                seen.add(each)
                waiting += direct[each]
        result[target] = seen
    return result


def places(function: tree.Function, types: Iterable[Type]) -> set[Source]:
    """The variables that are places in sequences, `x[i]` and `x[i - 1 :]`: those are no larger than memory. *types*: of
    the parameters."""
    found: set[Source] = set()
    reader = _Reader(None)
    dicts = set(_dicts(function, types))
    for node in walk(function.body):
        if isinstance(node, tree.Item | tree.TargetItem) and getattr(node.value, "variable", None) in dicts:
            continue  # which has any key
        if isinstance(node, tree.Item | tree.TargetItem):
            found.update(source for source, _ in reader.reads(node.index))
        elif isinstance(node, tree.Slice | tree.TargetSlice):
            parts = [each for each in (node.start, node.stop) if each is not None]
            found.update(source for each in parts for source, _ in reader.reads(each))
    return found


def _dicts(function: tree.Function, types: Iterable[Type]) -> Iterator[tree.Variable]:
    for parameter, type_ in zip(function.parameters, types, strict=True):
        if "dict" in (type_.kind, class_of(type_)):
            yield parameter
    for node in walk(function.body):
        pairs = [] if not isinstance(node, tree.Assign) else element_pairs(node.targets[0], node.value)
        for target, value in [(node.targets[0], node.value)] if pairs is None else pairs:
            if isinstance(target, tree.TargetLocal) and _is_dict(value):
                yield target.variable


def _is_dict(value: tree.Expr) -> bool:
    if isinstance(value, tree.Comprehension):
        return value.key is not None
    return isinstance(value, tree.DictOf | Defaulting) or (isinstance(value, tree.Builtin) and value.name == "dict")


def changed(stmt: object) -> tree.Variable | None:
    """The variable that a statement gives another value, which depends on what it had."""
    if isinstance(stmt, tree.AugAssign) and isinstance(stmt.target, tree.TargetLocal):
        return stmt.target.variable
    if isinstance(stmt, tree.Assign) and len(stmt.targets) == 1 and isinstance(stmt.targets[0], tree.TargetLocal):
        variable = stmt.targets[0].variable
        if any(isinstance(each, tree.Local) and each.variable is variable for each in walk([stmt.value])):
            return variable
    return None


def operation(stmt: Any) -> str:
    """The operator that such a statement does last."""
    if isinstance(stmt, tree.AugAssign):
        return stmt.op
    return stmt.value.op if isinstance(stmt.value, tree.Binary) else ""


class _Reader:
    """Tells what the value of an expression is made of."""

    def __init__(self, script: Any) -> None:
        self.script = script

    def reads(self, node: tree.Expr | None) -> Reads:
        if isinstance(node, tree.Local):
            return [(node.variable, False)]
        if isinstance(node, tree.Binary):
            return self._binary(node)
        if isinstance(node, tree.Item | tree.Slice | tree.Named | tree.Spread):
            return self.reads(node.value)
        if isinstance(node, tree.Unary):
            return [] if node.op == "not" else self.reads(node.operand)
        if isinstance(node, tree.Call):
            return [(None, False)] if is_own(node, self.script) else []
        if isinstance(node, tree.Builtin) and node.name == "min" and len(node.args) > 1:
            return min(map(self.reads, node.args), key=_weight)
        if isinstance(node, tree.Builtin) and node.name == "pow":
            return _multiplied(self.reads(node.args[0]) if len(node.args) == 2 else [])
        if isinstance(node, tree.Builtin):
            return self.largest(node.args) if node.name in _PASSING else []
        if isinstance(node, tree.Method):
            return self.reads(node.value) if node.name in _TAKING else []
        return self.largest(parts(node)) if node is not None else []

    def _binary(self, node: tree.Binary) -> Reads:
        if node.op in _SUMS:
            return self.reads(node.left) + self.reads(node.right)
        if node.op == "*":
            return _multiplied(self.reads(node.left) + self.reads(node.right))
        return _multiplied(self.reads(node.left)) if node.op in ("<<", "**") else []

    def largest(self, nodes: list[tree.Expr]) -> Reads:
        """Of several expressions of which one gives the value: what may grow most."""
        return max(map(self.reads, nodes), key=_weight, default=[])


def _weight(reads: Reads) -> tuple[bool, int]:
    return any(multiplied for _, multiplied in reads), len(reads)


_PASSING: Final = (
    "max", "min", "abs", "sum", "int", "round", "sorted", "list", "tuple", "set", "reversed", "enumerate", "zip",
)  # fmt: skip


def _multiplied(reads: Reads) -> Reads:
    return [(source, True) for source, _ in reads]


def parts(node: tree.Expr) -> list[tree.Expr]:
    """The expressions of which one is the value, or which are in the container that is the value."""
    if isinstance(node, tree.Choice):
        return [node.then, node.other]
    if isinstance(node, tree.Logic):
        return node.operands
    if isinstance(node, tree.ListOf | tree.TupleOf):
        return node.items
    if isinstance(node, tree.DictOf):
        return node.values
    return [node.value] if isinstance(node, tree.Comprehension) else []


def is_own(node: tree.Call, script: Any) -> bool:
    """Whether it calls the function that it is in."""
    return script is not None and node.callee.script == script


def _tops(node: tree.Expr) -> Iterator[object]:
    """The operations that give an expression's value, or the values that are in it."""
    waiting = [node]
    while waiting:
        each = waiting.pop()
        if isinstance(each, tree.Binary):
            yield each
            waiting += [each.left, each.right] if each.op in ("+", "*") else []  # of lists, too
        elif isinstance(each, tree.Named | tree.Spread):
            waiting.append(each.value)
        elif isinstance(each, tree.Builtin) and each.name == "pow":
            yield each
        elif isinstance(each, tree.Builtin):
            waiting += each.args if each.name in _PASSING else []
        else:
            waiting += parts(each)


# -- by node ----------------------------------------------------------------------------------------------------------


def _of_node(node: Any, reader: _Reader, function: tree.Function) -> Iterator[Flow]:
    find = _FLOWS.get(type(node))
    if find is not None:
        yield from find(node, reader)
    elif isinstance(node, tree.Call) and is_own(node, reader.script):
        for parameter, value in zip(function.parameters, node.args, strict=False):
            yield Flow(parameter, reader.reads(value), list(_tops(value)), node)


def _given(target: tree.Target, value: tree.Expr, owner: object, reader: _Reader) -> Iterator[Flow]:
    pairs = element_pairs(target, value)
    if pairs is not None:
        for each in pairs:
            yield from _given(*each, owner, reader)
    elif isinstance(target, tree.TargetTuple):
        for part in target.targets:
            yield from _given(part, value, owner, reader)
    else:
        reads = reader.reads(value)
        for variable in _roots(target, reader):
            is_own = isinstance(target, tree.TargetLocal) and changed(owner) is variable
            is_cut = is_own and isinstance(value, tree.Binary) and value.op in CUT
            yield Flow(variable, reads, list(_tops(value)), owner, is_cut, is_own and _shifts_in(value, variable))


def _roots(target: tree.Target, reader: _Reader) -> list[Source]:
    if isinstance(target, tree.TargetLocal):
        return [target.variable]
    return [] if isinstance(target, tree.TargetTuple) else [source for source, _ in reader.reads(target.value)]


def _shifts_in(value: tree.Expr, variable: Source) -> bool:
    """Whether the bits of a shifted variable meet others, `x ^ (x << 13)`: the upper ones come down again."""
    if not isinstance(value, tree.Binary) or value.op not in ("^", "|"):
        return False
    shifts = [each for each in walk([value]) if isinstance(each, tree.Binary) and each.op == "<<"]
    return any(isinstance(each.left, tree.Local) and each.left.variable is variable for each in shifts)


def _assign(node: tree.Assign, reader: _Reader) -> Iterator[Flow]:
    for target in node.targets:
        yield from _given(target, node.value, node, reader)


def _augmented(node: tree.AugAssign, reader: _Reader) -> Iterator[Flow]:
    for root in _roots(node.target, reader):
        value = reader.reads(node.value)
        is_cut = node.op in CUT and isinstance(node.target, tree.TargetLocal)
        if node.op in _SUMS:
            reads = [(root, False), *value]
        elif node.op in ("*", "<<", "**"):
            reads = _multiplied([(root, False), *(value if node.op == "*" else [])])
        else:
            reads = []
        is_shifted = node.op in ("^", "|") and any(multiplied and each is root for each, multiplied in value)
        yield Flow(root, reads, [node, *_tops(node.value)], node, is_cut, is_shifted)


def _named(node: tree.Named, reader: _Reader) -> Iterator[Flow]:
    return _given(node.target, node.value, node, reader)


def _iterated(node: tree.For | tree.Clause, reader: _Reader) -> Iterator[Flow]:
    return _given(node.target, node.iterable, node, reader)


def _put(node: tree.Method, reader: _Reader) -> Iterator[Flow]:
    if node.name in _PUTTING and node.args:
        value = node.args[-1]
        for source, _ in reader.reads(node.value):
            yield Flow(source, reader.reads(value), list(_tops(value)), node)


def _return(node: tree.Return, reader: _Reader) -> Iterator[Flow]:
    if node.value is not None:
        yield Flow(None, reader.reads(node.value), list(_tops(node.value)), node)


_FLOWS: dict[type, Callable[[Any, _Reader], Iterator[Flow]]] = {
    tree.Assign: _assign, tree.AugAssign: _augmented, tree.Named: _named, tree.For: _iterated, tree.Clause: _iterated,
    tree.Method: _put, tree.Return: _return,
}  # fmt: skip
