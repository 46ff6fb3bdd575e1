"""Dicts and sets of Python's own that are asked in place: those of the module, by what their names stand for now, which
need not be so later, and what `get` gives of any of them."""

from __future__ import annotations

from jitffi.scripts.frontend import names
from jitffi.scripts.library.own import class_of
from jitffi.scripts.tree import python as pytree
from jitffi.scripts.tree import tree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Final

    from jitffi.scripts.tree.types import Type

_PLAIN: Final = (str, bytes, int, float, bool, type(None))
_NATIVE: Final = frozenset(("none", "bool", "int", "u64", "float", "char", "str", "bytes"))


def value_of(node: tree.Expr) -> object:
    """What a name of the module stands for; None for other expressions."""
    return names.outside(node.outside.function, node.outside.name) if isinstance(node, pytree.Global) else None


def gives_plain(node: tree.Method, receiver: Type, kinds: list[str]) -> bool:
    """Whether `d.get(key, default)` gives a number or text as a rule, so that it is a value of any type: of a dict of
    the module that has nothing else, and where the default is a number."""
    if node.name != "get" or len(node.args) != 2 or node.keywords or not set(kinds) <= _NATIVE:
        return False
    if class_of(receiver) == "dict":
        return isinstance(node.args[1], tree.Const) and type(node.args[1].value) in (int, float)
    return is_plain_dict(value_of(node.value))


def is_plain_dict(value: object) -> bool:
    return type(value) is dict and bool(value) and all(type(each) in _PLAIN for each in value.values())


def is_asked(node: tree.Compare) -> bool:
    """`x in NAME`, of a number or text and a set or dict of the module."""
    if len(node.ops) > 1 or node.ops[0] not in ("in", "not in") or node.operands[0].type.kind not in _NATIVE:
        return False
    return type(value_of(node.operands[1])) in (set, frozenset, dict)
