"""Enums of C declarations: their members by the names that C and Python have for them.

enum color { RED, GREEN = 5 };         color     RED, GREEN
typedef enum { ON, OFF } state;        state     ON, OFF
enum { LIMIT = 10 };                             LIMIT is a constant alone
"""

from __future__ import annotations

from jitffi.signature.model import TYPES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from jitffi.signature.cdecl import Reader
    from jitffi.signature.model import Type


class EnumReader:
    """The enums of a text and of what stands before it."""

    def __init__(self, before: EnumReader | None = None) -> None:
        #: Members by the name of their class.
        self.members: dict[str, dict[str, int]] = {} if before is None else before.members
        #: The class's name of each typedef of an enum that has another.
        self.aliases: dict[str, str] = {} if before is None else before.aliases
        self._names: dict[int, str] = {} if before is None else before._names
        self._nodes: list[Any] = [] if before is None else before._nodes  # their ids are keys

    def read(self, reader: Reader) -> None:
        """Collect them; the values of their members are known."""
        for node in reader.nodes:
            inner: Any = getattr(getattr(node, "type", None), "type", None)
            if type(node).__name__ == "Typedef" and type(inner).__name__ == "Enum":
                if inner.name and inner.name != node.name:
                    self.aliases[node.name] = inner.name
                self._add(inner, inner.name or node.name, reader)
            else:
                self._walk(node, reader)

    def _walk(self, node: Any, reader: Reader) -> None:
        if type(node).__name__ == "Enum":
            self._add(node, node.name, reader)
        elif type(node).__name__ != "FuncDef":
            for _, child in node.children():
                self._walk(child, reader)

    def _add(self, node: Any, name: str | None, reader: Reader) -> None:
        if name and node.values is not None:
            self._names[id(node)] = name
            self._nodes.append(node)
            self.members[name] = {each.name: reader.enumerators[each.name] for each in node.values.enumerators}

    def name_of(self, node: Any) -> str:
        """The class's name of the enum that a type's node is; "" for others, and where its members are not known."""
        inner: Any = getattr(node, "type", None)
        if type(node).__name__ != "TypeDecl" or type(inner).__name__ != "Enum":
            return ""
        name = self._names.get(id(inner)) or inner.name or ""
        return name if name in self.members else ""

    def type(self, node: Any) -> Type:
        """The type that an Enum node has in signatures: as GCC and clang choose it, but for the sign of those that fit
        i32."""
        name = self._names.get(id(node)) or node.name or ""
        values = self.members.get(name, {}).values()
        if all(-1 << 31 <= value < 1 << 31 for value in values):
            return TYPES["i32"]
        low, high = min(values), max(values)
        return TYPES["u32" if low >= 0 and high < 1 << 32 else "u64" if low >= 0 and high >= 1 << 63 else "i64"]
