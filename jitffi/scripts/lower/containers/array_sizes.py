"""Sizes of arrays: `x.ndim`, `x.size`, `x.shape` and `x.shape[0]`, as far as inference has made them native
(analysis/array_uses.py)."""

from __future__ import annotations

from jitffi.scripts.lower import numbers
from jitffi.scripts.lower.containers.arrays import length_of
from jitffi.scripts.lower.control.evaluated import evaluated
from jitffi.scripts.lower.function.values import Value, int_
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import rank_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body


def size(b: Body, node: tree.Item) -> Value | None:
    """None where the item is something else."""
    if _is_attribute(node):
        return _attribute(b, node, b.expr(node.value))
    if not isinstance(node.value, tree.Item) or not _is_attribute(node.value):
        return None
    assert isinstance(node.index, tree.Const)
    return int_(length_of(b, b.expr(node.value.value), int(node.index.value)))  # no tuple is made


def _is_attribute(node: tree.Item) -> bool:
    return isinstance(node.index, tree.MemberName) and node.value.type.kind == "array"


def _attribute(b: Body, node: tree.Item, array: Value) -> Value:
    assert isinstance(node.index, tree.MemberName)
    rank = rank_of(array.type)
    if node.index.name == "ndim":
        return numbers.int_constant(rank)
    lengths = [length_of(b, array, axis) for axis in range(rank)]
    if node.index.name == "shape":
        made = tree.TupleOf(node.place, [evaluated(node.place, int_(each)) for each in lengths])
        made.type = node.type
        return b.expr(made)
    found = lengths[0]
    for each in lengths[1:]:
        found = b.e.mul(found, each)
    return int_(found)
