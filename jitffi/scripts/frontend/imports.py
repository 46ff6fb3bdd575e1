"""Readers of import statements inside functions: what they bind is Python's, found by its own import."""

from __future__ import annotations

from jitffi.scripts.frontend import refusals
from jitffi.scripts.frontend.context import Context, reads
from jitffi.scripts.frontend.targets import imported_name, target_of
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


@reads("Import")
def _import(cx: Context, node: Any) -> list[tree.Stmt]:
    if not cx.foreign:
        cx.refuse_head(node, refusals.IMPORT)
    return [
        _bound(cx, node, each, pytree.Import(cx.place(node), each.name, each.asname is not None)) for each in node.names
    ]


@reads("ImportFrom")
def _import_from(cx: Context, node: Any) -> list[tree.Stmt]:
    module = _absolute(cx, node) if cx.foreign else None
    if module is None:
        cx.refuse_head(node, refusals.IMPORT)
    return [_bound(cx, node, each, pytree.ImportFrom(cx.place(node), module, each.name)) for each in node.names]


def _absolute(cx: Context, node: Any) -> str | None:
    """The module's name; None where nobody knows which package the function is in."""
    package = cx.function.__globals__.get("__package__")
    if not node.level:
        name: str = node.module
        return name
    if not isinstance(package, str) or not package or package.count(".") < node.level - 1:
        return None
    base = package.rsplit(".", node.level - 1)[0]
    return f"{base}.{node.module}" if node.module else base


def _bound(cx: Context, node: Any, alias: Any, value: tree.Expr) -> tree.Stmt:
    place = cx.place(node)
    return tree.Assign(place, [target_of(cx, imported_name(alias), place)], value)
