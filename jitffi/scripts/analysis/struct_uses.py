"""What is done with structs of the caller's. They are addresses, which are good for the call: scripts read and write
their members, name them, and pass them to scripts. Everything else is a ScriptError, once the types are known."""

from __future__ import annotations

from jitffi.base.errors import ScriptError
from jitffi.scripts.library import members
from jitffi.scripts.tree import tree
from jitffi.scripts.tree.walk import walk

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from jitffi.scripts.tree.types import Type

_KINDS = ("struct", "elements")


def check(function: tree.Function) -> None:
    """ScriptError for what is done with a struct that scripts do not have."""
    _Checker(function).check()


def writes(function: tree.Function) -> bool:
    """Whether it writes to some struct."""
    targets = (each for each in walk(function.body) if isinstance(each, tree.TargetItem))
    return any(each.value.type.kind in _KINDS for each in targets)


class _Checker:
    def __init__(self, function: tree.Function) -> None:
        self._function = function
        #: Expressions and targets that are structs where one may stand.
        self._fine: set[Any] = set()

    def check(self) -> None:
        nodes = list(walk(self._function.body))
        for node in nodes:
            if isinstance(node, tree.Item):
                self._item(node, node.type)
            elif isinstance(node, tree.TargetItem):
                self._target(node)
            elif isinstance(node, tree.DeleteItem) and isinstance(node.target.value, tree.Expr):
                self._delete(node)
            elif isinstance(node, tree.Assign):
                self._assign(node)
            elif isinstance(node, tree.Call) and node.callee.script is not None:
                self._arguments(node)
            elif isinstance(node, tree.ExprStmt):
                self._fine.add(node.value)
            elif isinstance(node, tree.Builtin) and node.name == "len" and node.args[0].type.kind == "elements":
                self._fine.add(node.args[0])
        self._others(nodes)

    def _others(self, nodes: Iterable[Any]) -> None:
        for node in nodes:
            if isinstance(node, tree.Expr) and node.type.kind in _KINDS and node not in self._fine:
                self._refuse(
                    node,
                    f"this is {node.type} of the caller's: scripts read and write members one by one, and pass structs "
                    "to other scripts",
                )
            if isinstance(node, tree.TargetLocal) and node.variable.type.kind in _KINDS and node not in self._fine:
                self._refuse(node, f"{node.variable.name!r} is {node.variable.type}: it can be nothing else")

    def _item(self, node: tree.Item | tree.TargetItem, type_: Type | None) -> None:
        value = node.value.type
        if isinstance(node.index, tree.MemberName):
            if value.kind == "never" or (value.kind not in _KINDS and self._function.takes_objects):
                return
            if value.kind != "struct":
                self._refuse(node, f"this is {value}, and members are of structs: call a method, or use a dict")
            if members.find(value, node.index.name) is None:
                self._refuse(node, members.why_not(value, node.index.name))
        elif value.kind in _KINDS and (type_ is None or type_.kind == "any"):
            self._refuse(node, f"this is {value}: an index is an int, or as many as it has dimensions")
        self._fine.add(node.value)

    def _target(self, node: tree.TargetItem) -> None:
        value, index = node.value.type, node.index
        if value.kind not in _KINDS:
            self._item(node, value)
            return
        items = index.items if isinstance(index, tree.TupleOf) else None
        given = index.type if items is None else _Items([each.type for each in items])
        type_ = members.item_type(value, index, given)
        self._item(node, type_)
        name = index.name if isinstance(index, tree.MemberName) else ""
        member = members.find(value, name) if name and value.kind == "struct" else None
        if member is not None and member.is_fixed:
            self._refuse(node, f"{member.name} is read-only")
        if type_ is None or type_.kind in _KINDS:
            self._refuse(node, f"this is {type_}: scripts write the members of a struct one by one")

    def _delete(self, node: tree.DeleteItem) -> None:
        is_member = isinstance(getattr(node.target, "index", None), tree.MemberName)
        if node.target.value.type.kind in _KINDS or (is_member and not self._function.takes_objects):
            self._refuse(node.target, "members of structs cannot be deleted")

    def _assign(self, node: tree.Assign) -> None:
        for target in node.targets:
            if isinstance(target, tree.TargetLocal) and target.variable.type == node.value.type:
                self._fine.add(target)
        if all(target in self._fine for target in node.targets):
            self._fine.add(node.value)

    def _arguments(self, node: tree.Call) -> None:
        for argument, type_ in zip(node.args, node.callee.variant, strict=False):
            if argument.type == type_:
                self._fine.add(argument)
            elif type_.kind in _KINDS:
                self._refuse(argument, f"expected {type_}, and this is {argument.type}")

    def _refuse(self, node: Any, message: str) -> None:
        place, function = node.place, self._function
        at = place.line - function.place.line
        text = function.source[at] if 0 <= at < len(function.source) else ""
        end = place.end_column if place.end_line == place.line else len(text)
        column = place.column + 1
        position = (function.filename, place.line, column, text, place.line, max(end, column) + 1)
        raise ScriptError(message, position)


class _Items:
    """The types of a tuple's items, which is not made."""

    def __init__(self, items: list[Type]) -> None:
        self.items = items
