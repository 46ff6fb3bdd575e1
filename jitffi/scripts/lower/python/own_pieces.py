"""Pieces of a text that only Python's own containers get: `rows.append(line.split(","))`. What makes them in CPython
does, and no native list or tuple of them is there before."""

from __future__ import annotations

from jitffi.scripts.library.own import PIECES
from jitffi.scripts.lower.containers.lists import as_int
from jitffi.scripts.lower.function.emit import NULL, V, const
from jitffi.scripts.lower.python.boxing import boxed
from jitffi.scripts.tree.types import object_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from jitffi.scripts.lower.function.body import Body
    from jitffi.scripts.tree import tree
    from jitffi.scripts.tree.types import Type


def is_of_pieces(node: tree.Method) -> bool:
    """It cuts a str, at a str or white space, at most so often."""
    kinds = [each.type.kind for each in node.args]
    if node.value.type.kind != "str" or node.name not in PIECES or node.keywords or node.of_class:
        return False
    if node.name in ("partition", "rpartition"):
        return len(kinds) == 1 and kinds[0] in ("str", "char")
    separator, most = [*kinds, "none", "int"][:1], kinds[1:]
    return separator[0] in ("str", "char", "none") and most in ([], ["int"])


def pieces(b: Body, node: tree.Method) -> tuple[Type, V]:
    """A new list or tuple of them."""
    text = b.storage.lasting(boxed(b, b.storage.lasting(b.expr(node.value))))
    given = [b.storage.lasting(b.expr(each)) for each in node.args]
    separator = boxed(b, given[0]).ssa if given and given[0].kind != "none" else NULL
    from_end = const("i32", int(node.name.startswith("r")))
    if node.name in ("partition", "rpartition"):
        return object_of("tuple"), b.frame.call("core_op_text_partition", text.ssa, separator, from_end)
    most = as_int(b, given[1]) if len(given) > 1 else const("i64", -1)
    return object_of("list"), b.frame.call("core_op_text_split", text.ssa, separator, most, from_end)
