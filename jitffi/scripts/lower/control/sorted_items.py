"""`sorted(d.items())` of a native dict: its keys are all different, so that they alone are compared, and what goes
through the pairs makes no tuples."""

from __future__ import annotations

import sys

from jitffi.scripts.lower import dynamic
from jitffi.scripts.lower.function import operations
from jitffi.scripts.lower.function.emit import V, const
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.types import ANY, list_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.lower.function.values import Value


def of_dict(node: tree.Expr) -> tree.Expr | None:
    """The dict whose sorted items a call gives; None for other expressions."""
    if not (isinstance(node, tree.Builtin) and node.name == "sorted" and node.key is None):
        return None
    items = node.args[0]
    if not (isinstance(items, tree.Method) and items.name == "items" and items.value.type.kind == "dict"):
        return None
    args = items.value.type.args
    return items.value if args and args[0].kind in ("str", "int", "bytes") and not items.args else None


def sorted_parts(b: Body, node: tree.Builtin, dict_: tree.Expr) -> list[Value]:
    """The keys and the values, as two lists."""
    value, cells = b.storage.materialise(b.expr(dict_)), [b.frame.temp_cell(), b.frame.temp_cell()]
    pad = const("i32", b.module.pads.pool)
    b.frame.call("jf_op_map_sorted", value.ssa, backwards(b, node.keywords.get("reverse")), pad, *cells)
    args = value.type.args or (ANY, ANY)
    return [b.storage.from_cell(list_of(each), cell) for each, cell in zip(args, cells, strict=True)]


def backwards(b: Body, reverse: tree.Expr | None) -> V:
    if reverse is None:
        return const("i32", 0)
    value = b.storage.lasting(b.expr(reverse))
    # Any truth is good enough since CPython 3.12.
    by_index = sys.version_info < (3, 12)
    truth = b.e.icmp("ne", dynamic.index(b, value), const("i64", 0)) if by_index else operations.is_true(b, value)
    return b.e.zext(truth, "i32")
