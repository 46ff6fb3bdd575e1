"""Which uses of arrays are native, and which are of the object that Python has of the array.

    x[i, j]    x[i][j]    x[1:]    x[i] += 1    x[1:] = 0    len(x)    for v in x    1 in x    f(x) of a script    y = x

That is asked of each expression whose value is an array: with any other use of it, it is Python's own object, the very
one that the array was made of, which shares its elements (`x.shape`, `x * 2`, `x[x > 1]`, `np.dot(x, y)`). Where that
decides what a variable is, as for `x = x * 2`, the variable is an object everywhere.

Arrays in fields of registered classes (instances.py) are `jitffi.NDArray`s: elements take there what those of the class
take, and no more.
"""

from __future__ import annotations

from jitffi.scripts.analysis.cells import Tup, Value, kind_of
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.templates import Template
from jitffi.scripts.tree.types import INT, Type, array_item, rank_of
from jitffi.scripts.tree.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import Any, Final

    from jitffi.scripts.analysis.evaluate import Evaluator

_AROUND: Final = frozenset(("enumerate", "zip", "reversed"))
#: What gives the same of one dimension, if the elements are numbers of Python's.
_BUILTINS: Final = frozenset(("sum", "min", "max", "sorted", "list", "tuple", "set", "any", "all"))
#: Attributes that are native, and those that change more than elements where they are set.
_SIZES: Final = frozenset(("ndim", "size", "shape"))
_SHAPING: Final = frozenset(("shape", "strides", "dtype", "data"))
_SHAPING_METHODS: Final = frozenset(("resize", "setflags"))
#: What hands an array on as it is.
_HANDED: Final = (tree.Assign, tree.Return, tree.Call, tree.Method, pytree.PyCall)
_NUMBERS: Final = frozenset(("float", "int", "u64", "bool", "never"))
#: What elements of arrays in fields take, by what a script has of them.
_IN_FIELDS: Final = {
    "float": frozenset(("float", "int", "bool", "never")),
    "int": frozenset(("int", "bool", "never")),
    "bool": frozenset(("bool", "never")),
}
#: What makes of two ints something else, or may do so.
_NOT_WHOLE: Final = frozenset(("/", "**"))


class Uses:
    """Of one function. *by*: what may use an expression as an array. *kept*: variables that Python gets to keep, or is
    asked which object they are, so that each has to be one: of a slice that is native there is another each time.
    *parts*: variables of which elements are asked for, so that a row or slice is worth to be native. *shaped*: those
    that get another shape, data or flags, as arrays have them, which native code does not ask for again."""

    __slots__ = ("by", "kept", "parts", "shaped")

    def __init__(self, function: tree.Function) -> None:
        self.by: dict[tree.Expr, list[Any]] = {}
        nodes = list(walk(function.body))
        for node in nodes:
            for each in _used(node):
                self.by.setdefault(each, []).append(node)
        asking = [each for each, by in self.by.items() if not all(isinstance(node, _HANDED) for node in by)]
        self.parts = _variables(asking)
        passing = {each for node in nodes for each in _passing(node)}
        self.kept = _variables(each for each in nodes if each not in passing)
        self.kept |= _variables(each for node in nodes if _is_asked(node) for each in node.operands)
        self.shaped = _variables(each for node in nodes for each in _shaped(node))


def _variables(nodes: Iterable[Any]) -> set[tree.Variable]:
    return {each.variable for each in nodes if isinstance(each, tree.Local)}


def _shaped(node: Any) -> Iterator[tree.Expr]:
    """`x.shape = ...`, `x.flags.writeable = False`, `x.resize(...)`."""
    if isinstance(node, tree.TargetItem) and isinstance(node.index, tree.MemberName):
        if node.index.name in _SHAPING:
            yield node.value
        elif isinstance(node.value, tree.Item) and node.index.name == "writeable":
            yield node.value.value
    elif isinstance(node, tree.Method) and node.name in _SHAPING_METHODS:
        yield node.value
    elif isinstance(node, pytree.PyCall) and isinstance(node.callee, tree.Item):
        name = node.callee.index
        if isinstance(name, tree.MemberName) and name.name in _SHAPING_METHODS:
            yield node.callee.value


def _is_asked(node: Any) -> bool:
    return isinstance(node, tree.Compare) and not {"is", "is not"}.isdisjoint(node.ops)


def _passing(node: Any) -> Iterator[tree.Expr]:
    """What keeps nothing of it, and does not ask which object it is."""
    if isinstance(node, tree.Binary):
        yield from (node.left, node.right)
    elif isinstance(node, tree.Unary):
        yield node.operand
    elif isinstance(node, tree.Compare):
        yield from node.operands
    elif isinstance(node, tree.Item | tree.TargetItem | tree.Slice | tree.TargetSlice | tree.Method):
        yield node.value
    elif isinstance(node, tree.For | tree.Clause):
        yield node.iterable
    elif isinstance(node, tree.AugAssign):
        yield node.value
    elif isinstance(node, tree.Builtin | Template | tree.Call):
        yield from node.args
    elif isinstance(node, tree.Return) and node.value is not None:
        yield node.value


def _used(node: Any) -> Iterator[tree.Expr]:
    if isinstance(node, tree.Item | tree.TargetItem):
        is_size = isinstance(node, tree.Item) and isinstance(node.index, tree.MemberName) and node.index.name in _SIZES
        if is_size or not isinstance(node.index, tree.MemberName):
            yield node.value
    elif isinstance(node, tree.Slice | tree.TargetSlice):
        yield node.value
    elif isinstance(node, tree.For | tree.Clause):
        yield from _iterated(node.iterable)
    elif isinstance(node, tree.Builtin):
        if (node.name == "len" or node.name in _BUILTINS) and len(node.args) == 1 and node.key is None:
            yield node.args[0]
    elif isinstance(node, tree.Compare):
        if len(node.ops) == 1 and node.ops[0] in ("in", "not in"):
            yield node.operands[1]
    elif isinstance(node, tree.Assign):
        yield node.value
        yield from (each.value for each in node.targets if isinstance(each, tree.TargetItem | tree.TargetSlice))
    elif isinstance(node, tree.AugAssign):
        if isinstance(node.target, tree.TargetItem | tree.TargetSlice):
            yield node.target.value
    elif isinstance(node, tree.DeleteItem):
        yield node.target.value
    elif isinstance(node, tree.Call | tree.Method | pytree.PyCall):
        yield from (each.value if isinstance(each, pytree.Named) else each for each in node.args)
    elif isinstance(node, tree.Return):
        if node.value is not None:
            yield node.value
    elif isinstance(node, tree.Choice):
        yield from (node.then, node.other)


def _iterated(node: tree.Expr) -> Iterator[tree.Expr]:
    if isinstance(node, tree.Builtin) and node.name in _AROUND:
        for each in node.args:
            yield from _iterated(each)
    else:
        yield node


def is_native(ev: Evaluator, array: Type, node: tree.Expr) -> bool:
    """Whether an expression, which has been evaluated, is used as an array alone."""
    assert ev.array_uses is not None
    if any(kind_of(ev.local(each)) == "array" for each in ev.array_uses.shaped):
        return False
    used_by = ev.array_uses.by.get(node)
    return used_by is not None and all(_is_use(ev, array, each, node) for each in used_by)


def _is_use(ev: Evaluator, array: Type, node: Any, part: tree.Expr) -> bool:
    if isinstance(node, tree.Item) and isinstance(node.index, tree.MemberName):
        return not array.is_in_field and (node.index.name != "shape" or _are_lengths(ev, array, node))
    if isinstance(node, tree.Item):
        rest = _rest(ev, array, node.index)
        return rest is not None and (rest == 0 or is_native(ev, array.of_rank(rest), node))
    if isinstance(node, tree.TargetItem):  # what is put there, the assignment says
        return _rest(ev, array, node.index) == 0
    if isinstance(node, tree.Slice | tree.TargetSlice):
        bounds = [each for each in (node.start, node.stop, node.step) if each is not None]
        is_part = isinstance(node, tree.TargetSlice) or is_native(ev, array, node)
        return not array.is_in_field and is_part and all(_is_int(ev, each) for each in bounds)
    if isinstance(node, tree.For | tree.Clause):
        return rank_of(array) == 1 or (not array.is_in_field and _is_worth_it(ev, [node.target]))
    if isinstance(node, tree.Builtin):
        return node.name == "len" or (rank_of(array) == 1 and not array.is_in_field and not node.keywords)
    if isinstance(node, tree.Compare):
        return rank_of(array) == 1 and not array.is_in_field and kind_of(ev.expr(node.operands[0])) in _NUMBERS
    if isinstance(node, tree.Assign):
        return _is_assigned(ev, array, node, part)
    if isinstance(node, tree.AugAssign):
        if isinstance(node.target, tree.TargetSlice):
            return False
        is_whole = not array.is_in_field or _element(array).kind == "float" or node.op not in _NOT_WHOLE
        return is_whole and _takes(ev, array, node.value)
    if isinstance(node, tree.Choice):
        return is_native(ev, array, node)
    if array.is_in_field or isinstance(node, tree.DeleteItem):
        return False
    return isinstance(node, tree.Return | tree.Call) or bool(node.methods or getattr(node, "inits", None))


def _are_lengths(ev: Evaluator, array: Type, shape: tree.Expr) -> bool:
    """Whether a shape is only asked for its numbers: `x.shape[0]`, `n, m = x.shape`."""
    used_by = ev.array_uses.by.get(shape, []) if ev.array_uses is not None else []
    return used_by != [] and all(_is_length(array, each) for each in used_by)


def _is_length(array: Type, node: Any) -> bool:
    if isinstance(node, tree.Item) and isinstance(node.index, tree.Const):
        return type(node.index.value) is int and 0 <= node.index.value < rank_of(array)
    target = node.targets[0] if isinstance(node, tree.Assign) and len(node.targets) == 1 else None
    return isinstance(target, tree.TargetTuple) and target.star < 0 and len(target.targets) == rank_of(array)


def size(array: Type, name: str) -> Value:
    """What that attribute of an array is."""
    return Tup((INT,) * rank_of(array)) if name == "shape" else INT


def _is_assigned(ev: Evaluator, array: Type, node: tree.Assign, part: tree.Expr) -> bool:
    """To variables, or as what is assigned to."""
    if part is not node.value:
        return _takes(ev, array, node.value)
    if array.is_in_field:
        return all(isinstance(each, tree.TargetLocal) for each in node.targets)
    if not all(isinstance(each, tree.TargetLocal | tree.TargetTuple) for each in node.targets):
        return False
    taken = [each for each in node.targets if isinstance(each, tree.TargetTuple)]
    if taken:
        is_plain = all(each.star < 0 for each in taken)
        return rank_of(array) == 1 or (is_plain and _is_worth_it(ev, node.targets))
    return isinstance(part, tree.Local) or _is_worth_it(ev, node.targets)


def _is_worth_it(ev: Evaluator, targets: list[tree.Target]) -> bool:
    """Whether what variables are given, a row or slice, is native."""
    assert ev.array_uses is not None
    variables = {each.variable for each in walk(targets) if isinstance(each, tree.TargetLocal)}
    kept = [each for each in variables & ev.array_uses.kept if kind_of(ev.local(each)) in ("array", "object", "any")]
    return kept == [] and not variables.isdisjoint(ev.array_uses.parts)


def _rest(ev: Evaluator, array: Type, index: tree.Expr) -> int | None:
    """How many dimensions are left behind an index; None of what is none, or nobody knows to be."""
    found = ev.values.get(index)  # of this round: an index of an index would be evaluated again for each around it
    if found is None:
        found = ev.index(array, index)
    if isinstance(found, Tup) and not isinstance(index, tree.TupleOf):
        return None
    parts = found.items if isinstance(found, Tup) else (found,)
    if len(parts) > rank_of(array) or not all(kind_of(each) in ("int", "never") for each in parts):
        return None
    return rank_of(array) - len(parts)


def _is_int(ev: Evaluator, bound: tree.Expr) -> bool:
    return kind_of(ev.expr(bound)) in ("int", "never") or (isinstance(bound, tree.Const) and bound.value is None)


def _takes(ev: Evaluator, array: Type, value: tree.Expr) -> bool:
    taken = _IN_FIELDS[_element(array).kind] if array.is_in_field else _NUMBERS
    return kind_of(ev.expr(value)) in taken


def _element(array: Type) -> Type:
    return array_item(array.of_rank(1))
