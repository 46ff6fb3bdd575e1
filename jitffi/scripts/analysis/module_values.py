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
#: Larger dicts are not looked through.
_MOST: Final = 10_000
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
    if type(value) is not dict or not 0 < len(value) <= _MOST:
        return False
    return all(type(each) in _PLAIN and not _has_half(each) for each in value.values())


def _has_half(value: object) -> bool:
    """Whether a text has half of a character in it, which is no text of scripts."""
    return isinstance(value, str) and not value.isascii() and any("\ud800" <= ch <= "\udfff" for ch in value)


def is_gone_through(node: tree.Expr) -> bool:
    """`NAME.items()`, or keys or values, of a dict of the module."""
    if not isinstance(node, tree.Method) or node.name not in ("keys", "values", "items"):
        return False
    return not node.args and not node.keywords and is_plain_dict(value_of(node.value))


def is_asked(node: tree.Compare) -> bool:
    """`x in NAME`, of a number or text and a set or dict of the module."""
    if len(node.ops) > 1 or node.ops[0] not in ("in", "not in") or node.operands[0].type.kind not in _NATIVE:
        return False
    return type(value_of(node.operands[1])) in (set, frozenset, dict)
