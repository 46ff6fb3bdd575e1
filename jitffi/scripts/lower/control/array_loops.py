"""Loops over a range that index arrays by its numbers are written twice.

    for i in range(n):         all of 0 .. n are indices of x and of y, both are contiguous, y can be written?
        y[i] += a * x[i]           yes: the loop, of which LLVM finds that no check can fail: it can use vectors
                                   no:  the same loop, with the checks and strides that it takes

What is known is the condition alone: the loop behind it has all of its checks, and LLVM takes them out.
"""

from __future__ import annotations

from jitffi.scripts.lower.containers import arrays
from jitffi.scripts.lower.control.iteration import Range
from jitffi.scripts.lower.function.emit import V, const
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import rank_of
from jitffi.scripts.tree.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Final

    from jitffi.scripts.lower.control.iterators import Iterator
    from jitffi.scripts.lower.function.body import Body

    #: `array[..., number + offset, ...]`: the array, the axis along which that is, the offset, whether it is written.
    Use = tuple[tree.Variable, int, int, bool]

#: Indices further from the loop's number are left to their checks, and so are loops of more statements and expressions.
_FAR: Final = 64
_LARGE: Final = 200


def uses_in(found: Iterator, node: tree.For, changed: Collection[tree.Variable]) -> list[Use]:
    """What the loop's range says of uses of arrays; nothing: it is to be written once."""
    if not isinstance(found, Range) or found.step.text != "1" or not isinstance(node.target, tree.TargetLocal):
        return []
    parts = list(walk(node.body))
    if len(parts) > _LARGE or any(isinstance(each, tree.For | tree.While | tree.Comprehension) for each in parts):
        return []
    number = node.target.variable
    uses = {use for each in parts if (use := _use(each, number)) is not None and use[0] not in changed}
    return [] if number in _assigned(node) else sorted(uses, key=lambda use: (use[0].name, *use[1:]))


def _assigned(node: tree.For) -> set[tree.Variable]:
    return {each.variable for each in walk(node.body) if isinstance(each, tree.TargetLocal)}


def _use(node: object, number: tree.Variable) -> Use | None:
    if not isinstance(node, tree.Item | tree.TargetItem):
        return None
    array = node.value
    if not isinstance(array, tree.Local) or array.check or array.variable.type.kind != "array":
        return None
    indices = node.index.items if isinstance(node.index, tree.TupleOf) else [node.index]
    if len(indices) != rank_of(array.variable.type):
        return None
    for axis, index in enumerate(indices):
        offset = _offset(index, number)
        if offset is not None:
            return array.variable, axis, offset, isinstance(node, tree.TargetItem)
    return None


def _offset(index: tree.Expr, number: tree.Variable) -> int | None:
    """Of `number`, `number + 1`, `number - 1`; else None."""
    if isinstance(index, tree.Local):
        return 0 if index.variable is number else None
    if not isinstance(index, tree.Binary) or index.op not in ("+", "-") or not isinstance(index.right, tree.Const):
        return None
    by = index.right.value
    if type(by) is not int or not 0 <= by <= _FAR or not isinstance(index.left, tree.Local):
        return None
    return None if index.left.variable is not number else by if index.op == "+" else -by


def assume(b: Body, found: Iterator, uses: list[Use]) -> None:
    """In a round of the loop that no use can fail in: what LLVM does not find by itself, that indices beside the number
    are in range, too."""
    e = b.e
    for array, axis, offset, _ in uses:
        if offset:
            at = e.add(found.item(b).ssa, const("i64", offset))
            e.assume(e.icmp("ult", at, arrays.length_of(b, b.variables.load(array), axis)))


def condition(b: Body, found: Iterator, uses: list[Use]) -> V:
    """The i1 under which no use can fail: of each array and axis the first and last index, a stride of 1 along the last
    axis, and that it can be written."""
    assert isinstance(found, Range)
    e = b.e
    conditions = []
    first = found.start
    least = min(offset for _, _, offset, _ in uses)
    conditions.append(e.icmp("sge", first, const("i64", max(-least, 0)), "from.start"))
    conditions.append(e.icmp("slt", found.stop, const("i64", (1 << 63) - 1 - _FAR), "no.overflow"))
    for variable, axis, offset, is_written in uses:
        array = b.variables.load(variable)
        last = e.add(found.stop, const("i64", offset)) if offset else found.stop
        conditions.append(e.icmp("ule", last, arrays.length_of(b, array, axis), "to.end"))
        if axis == rank_of(variable.type) - 1:
            conditions.append(e.icmp("eq", arrays.stride_of(b, array, axis), const("i64", 1), "contiguous"))
        if is_written:
            conditions.append(e.not_(arrays.is_read_only(b, array)))
    whole = conditions[0]
    for each in conditions[1:]:
        whole = e.and_(whole, each)
    return whole
