"""Whether a call that has failed can be made again, by the interpreter: nothing that anybody else sees has changed.

What scripts cannot hold, an int of more than 64 bits say, is an exception in the middle of a call. Where the call has
changed nothing but what it has made itself, the Python function is called in its place, from the start. Everything that
is not known to change nothing counts as a change.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from jitffi.scripts.tree import tree, tries
from jitffi.scripts.tree.walk import walk

if TYPE_CHECKING:
    from collections.abc import Iterable

#: Nodes that change nothing themselves.
_PLAIN = (
    tree.Const, tree.Local, tree.Unary, tree.Binary, tree.Compare, tree.Logic, tree.Choice, tree.Item, tree.Slice,
    tree.Field, tree.Format, tree.ListOf, tree.TupleOf, tree.DictOf, tree.Clause, tree.Comprehension, tree.TargetLocal,
    tree.TargetTuple, tree.Assign, tree.AugAssign, tree.ExprStmt, tree.If, tree.While, tree.For, tree.Break,
    tree.Continue, tree.Return, tree.Raise, tree.Assert, tree.Pass, tree.Named, tree.Spread, tree.Undefined,
    tree.Labelled, tree.Leave, tries.Try, tries.Handler, tries.Leaving, tries.Reraise, tries.Unbind,
)  # fmt: skip
#: What is changed in a value of these types was made here, where the parameters do not say that they are changed.
_OWN = frozenset(("list", "dict"))
_VALUES = frozenset(("none", "bool", "int", "float", "char", "str", "bytes", "tuple", "never", "any", "list", "dict"))


def is_repeatable(trees: Iterable[tree.Function]) -> bool:
    """Of a variant, the first, and all that it calls."""
    root, *called = trees
    if root.changes_arguments or any(each.type.kind not in _VALUES for each in root.parameters):
        return False
    return all(_changes_nothing(node) for each in (root, *called) for node in walk(each.body))


def _changes_nothing(node: Any) -> bool:
    if isinstance(node, tree.TargetItem | tree.TargetSlice):
        return node.value.type.kind in _OWN
    if isinstance(node, tree.DeleteItem):
        return True  # its target is a node, too
    if isinstance(node, tree.Method):
        return node.of_class != "" or node.value.type.kind in _VALUES - {"any"}
    if isinstance(node, tree.Builtin):
        return node.name != "print"
    if isinstance(node, tree.Callee):
        return node.script is not None or node.builtin != ""
    if isinstance(node, tree.Call):
        return True  # its callee is a node, too
    return type(node) in _PLAIN
