"""The sheet of a C++ header: its declarations with C linkage and its constants, each as a text in C."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence

from jitffi.bind.cxx.clang import Clang
from jitffi.bind.cxx.entities import Entities, Entity
from jitffi.bind.cxx.spelling import Unwritable, declared_function, is_scalar_constant
from jitffi.bind.cxx.types import Types
from jitffi.bind.source.files import chosen_files
from jitffi.bind.source.macros import MacroError, parse_define
from jitffi.bind.source.tokens import tokens
from jitffi.bind.source.units import Sheet, read


def read_cxx(clang: Clang, headers: Sequence[str], also: Sequence[str]) -> Sheet:
    """Read C++ headers. HeaderNotFound, or HeaderError with clang++'s first complaint."""
    directives = [line if line.lstrip().startswith("#") else "" for line in clang.preprocessed().split("\n")]
    sheet = read("\n".join(directives))
    entities = Entities()
    entities.add(clang.tree())
    writer = _Writer(sheet, Types(sheet, entities, chosen_files(sheet, headers, also)))
    for entity in entities.in_order:
        writer.add(entity)
    return sheet


class _Writer:
    """Writes what the chosen files of a sheet declare."""

    def __init__(self, sheet: Sheet, types: Types) -> None:
        self.sheet, self.types = sheet, types

    def add(self, entity: Entity) -> None:
        """Write a declaration of the chosen files, if it is C's; else list it."""
        if entity.place[0] not in self.types.chosen:
            return
        if entity.kind == "function":
            self._function(entity)
        elif entity.kind == "variable":
            self._variable(entity)
        elif (entity.in_c or entity.kind == "enum") and not entity.is_nested:
            try:
                self.types.need(entity)
            except Unwritable as error:
                self.types.leave_out(entity, str(error), entity.qualified)
        self.types.settle()

    def _function(self, entity: Entity) -> None:
        node, type_ = entity.node, entity.node["type"]["qualType"]
        if not entity.in_c:
            if node.get("storageClass") != "static":
                self.types.leave_out(entity, "it has C++ linkage", type_)
            return
        is_static = node.get("storageClass") == "static"
        if not is_static and (node.get("inline") or node.get("constexpr")):
            return self.types.leave_out(entity, "it is inline: code of the header, no symbol of a library", type_)
        try:
            params = ", ".join(self._parameters(entity)) or "void"
            written = self.types.spelled(declared_function(type_), entity, f"{entity.name}({params})")
        except Unwritable as error:
            return self.types.leave_out(entity, str(error), type_)
        self.types.unit(entity, f"static {written}" if is_static else f"{written}{_renamed(entity)}")

    def _parameters(self, entity: Entity) -> Iterator[str]:
        params = [each for each in entity.node.get("inner", ()) if each["kind"] == "ParmVarDecl"]
        for i, param in enumerate(params):
            name = param.get("name", "")
            try:
                yield self.types.spelled(self.types.declared(param), entity, name)
            except Unwritable as error:
                raise Unwritable(f"parameter {i + 1}{f' {name!r}' if name else ''}: {error}") from None
        if entity.node.get("variadic"):
            yield "..."

    def _variable(self, entity: Entity) -> None:
        node, type_ = entity.node, entity.node["type"]["qualType"]
        if not entity.in_c or node.get("mangledName", "").startswith("_Z"):
            return self._constant(entity)
        try:
            self.types.unit(
                entity, f"extern {self.types.spelled(self.types.declared(node), entity, entity.name)}{_renamed(entity)}"
            )
        except Unwritable as error:
            self.types.leave_out(entity, str(error), type_)

    def _constant(self, entity: Entity) -> None:
        """Define a constant as a macro of what it is initialised with; not one of several with the same name."""
        type_ = entity.node["type"].get("desugaredQualType", entity.node["type"]["qualType"])
        value = next((each for each in entity.node.get("inner", ()) if "valueCategory" in each), None)
        if value is None or not is_scalar_constant(type_):
            return
        text = self.types.source(value, entity.place[0])
        if not text or self.types.times[entity.name] > 1:
            return
        text = _operand(text)
        if value.get("castKind", "").startswith(("Integral", "Floating")):
            text = f"({type_.removeprefix('const ')})({text})"
        with contextlib.suppress(MacroError):
            self.sheet.macros[entity.name] = parse_define(f"{entity.name} {text}", *entity.place)


def _operand(plain: str) -> str:
    """The text of an expression as part of others."""
    return {"true": "1", "false": "0"}.get(plain, plain if len(tokens(plain)) == 1 else f"({plain})")


def _renamed(entity: Entity) -> str:
    """The label of a function or variable whose symbol is not its name."""
    symbol = entity.node.get("mangledName", entity.name)
    return f' __asm__("{symbol}")' if symbol.removeprefix("_") != entity.name.removeprefix("_") else ""
