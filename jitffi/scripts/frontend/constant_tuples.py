"""Tuples in CAPITALS of the module that something only looks into: these are built in, item by item.

    SUFFIXES = ("ing", "ed")            `for each in SUFFIXES`, `x in SUFFIXES`, `SUFFIXES[0]`, `x.endswith(SUFFIXES)`
    MISSING = ("no", "value")           `x is MISSING`, `return MISSING`, `x.default = MISSING`: the object itself

Where a tuple is kept, passed on or asked which one it is, others can tell it from an equal one: it is Python's.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any, Final

#: Builtins that go through their arguments, or tell of them, and methods that do.
_BUILTINS: Final = frozenset(
    (
        "all", "any", "ascii", "bool", "bytes", "dict", "enumerate", "filter", "frozenset", "hash", "len", "list",
        "map", "print", "repr", "reversed", "set", "sorted", "str", "sum", "zip",
    )
)  # fmt: skip
_METHODS: Final = frozenset(("endswith", "extend", "join", "startswith"))
#: Fields of nodes whose value is looked into.
_FIELDS: Final = {
    "For": ("iter",), "comprehension": ("iter",), "Subscript": ("value",), "Starred": ("value",),
    "Attribute": ("value",), "FormattedValue": ("value",), "YieldFrom": ("value",), "If": ("test",),
    "While": ("test",), "IfExp": ("test",), "BinOp": ("left", "right"),
}  # fmt: skip


def looked_into(root: Any) -> set[Any]:
    """The names in the body of a function of which nobody sees which object they stand for."""
    import ast

    return {each for node in ast.walk(root) for each in _parts(node) if type(each) is ast.Name}


def _parts(node: Any) -> Iterable[Any]:
    kind = type(node).__name__
    if kind in _FIELDS:
        return [getattr(node, each) for each in _FIELDS[kind]]
    if kind == "Compare":
        tests = {type(op).__name__ for op in node.ops}
        return () if {"Is", "IsNot"} & tests else (node.left, *node.comparators)
    if kind == "UnaryOp":
        return (node.operand,)
    if kind == "Assign":
        is_unpacked = all(type(each).__name__ in ("Tuple", "List") for each in node.targets)
        return (node.value,) if is_unpacked else ()
    if kind == "Call":
        func = node.func
        name = getattr(func, "id", "")
        is_looking = name in _BUILTINS or (name in ("min", "max") and len(node.args) == 1)
        return node.args if is_looking or getattr(func, "attr", "") in _METHODS else ()
    return ()
