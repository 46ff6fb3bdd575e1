"""The enums of a declaration: their members' values, and what they are called."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from jitffi.bind.read.declared import Declared, Enum, refuse
from jitffi.bind.read.names import restored
from jitffi.bind.source.expression import evaluate
from jitffi.bind.source.literals import Int, NotConstant
from jitffi.bind.source.tokens import tokens
from jitffi.bind.source.units import Unit
from jitffi.signature.cdecl import Reader


def read_enums(nodes: list[Any], unit: Unit, wanted: bool, found: Declared) -> None:
    """Add the enums that are defined in the *nodes* of a unit; inside structs, too."""
    seen = set()  # declarators of one declaration share its type
    for node in nodes if "enum" in unit.text else ():
        for inner, typedef in _definitions(node):
            if id(inner) not in seen:
                seen.add(id(inner))
                _enum(inner, typedef, unit, wanted, found)


def enum_of(node: Any, reader: Reader, found: Declared) -> str:
    """Return the name of the enum that a type is, by itself or by typedefs; "" where it is none that was found."""
    seen: set[str] = set()
    while type(node).__name__ == "TypeDecl":
        if type(node.type).__name__ == "Enum":
            c_name = f"enum {restored(node.type.name or '')}"
            return next((enum.name for enum in found.enums if enum.c_name == c_name), "")
        names: list[str] = getattr(node.type, "names", [])
        if len(names) != 1 or names[0] not in reader.typedefs or names[0] in seen:
            return ""
        name = restored(names[0])
        if any(enum.name == name for enum in found.enums):
            return name
        seen.add(names[0])
        node = reader.typedefs[names[0]]
    return ""


def _definitions(node: Any) -> Iterator[tuple[Any, str]]:
    """Yield the enums that are defined below a node, each with the typedef that stands for it itself."""
    is_typedef = type(node).__name__ == "Typedef" and type(node.type).__name__ == "TypeDecl"
    if is_typedef and type(node.type.type).__name__ == "Enum":
        if node.type.type.values is not None:
            yield node.type.type, restored(node.name)
        return
    for _, child in node.children():
        if type(child).__name__ == "Enum" and child.values is not None:
            yield child, ""
        else:
            yield from _definitions(child)


def _enum(inner: Any, typedef: str, unit: Unit, wanted: bool, found: Declared) -> None:
    from pycparser.c_generator import CGenerator

    members = []
    last: Int | None = Int(-1)
    for each in inner.values.enumerators:
        name, reason = restored(each.name), ""
        if each.value is not None:
            try:
                words = tokens(restored(CGenerator().visit(each.value)))
                value = evaluate(words, found.member, found.cast, found.size)
            except NotConstant as error:
                value, reason = "", str(error)
            except RecursionError:
                value, reason = "", "nested too deep"
            last = value if isinstance(value, Int) else None
        elif last is not None:
            last = Int(last.value + 1, last.bits, last.signed)
        if last is not None:
            found.members[name] = last
            members.append((name, last.value))
        elif wanted:
            refuse(name, f"not a constant: {reason}".rstrip(": "), unit, name, found, "constant")
    if wanted and members:
        tag = restored(inner.name or "")
        c_name = f"enum {tag}" if tag else typedef
        found.enums.append(Enum(typedef or tag, c_name, tuple(members), unit.file, unit.line))
