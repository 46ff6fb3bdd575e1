"""The sheet of a C++ header: its declarations with C linkage and the types that they need, each as a text in C."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Collection, Iterator, Sequence

from jitffi.base.files import open_regular
from jitffi.bind.cxx.callback_names import with_names
from jitffi.bind.cxx.clang import Clang, place_of
from jitffi.bind.cxx.entities import Entities, Entity, Node
from jitffi.bind.cxx.spelling import (
    HOLE,
    Unwritable,
    declared,
    declared_function,
    is_scalar_constant,
    is_standard,
    spelled,
    without_unnamed,
)
from jitffi.bind.source.files import chosen_files
from jitffi.bind.source.macros import MacroError, parse_define
from jitffi.bind.source.tokens import tokens, without_comments
from jitffi.bind.source.units import LeftOut, Sheet, Unit, read

#: Attributes that move members, and stand in no text of C.
_MOVING = frozenset(("NoUniqueAddressAttr", "MSStructAttr", "RandomizeLayoutAttr"))


def read_cxx(clang: Clang, headers: Sequence[str], also: Sequence[str]) -> Sheet:
    """Read C++ headers. HeaderNotFound, or HeaderError with clang++'s first complaint."""
    directives = [line if line.lstrip().startswith("#") else "" for line in clang.preprocessed().split("\n")]
    sheet = read("\n".join(directives))
    entities = Entities()
    entities.add(clang.tree())
    writer = _Writer(sheet, entities, chosen_files(sheet, headers, also))
    for entity in entities.in_order:
        writer.add(entity)
    return sheet


class _Writer:
    """Writes the units of a sheet: each type before what needs it."""

    def __init__(self, sheet: Sheet, entities: Entities, chosen: Collection[str]) -> None:
        self.sheet, self.entities, self.chosen = sheet, entities, chosen
        self.names: dict[Entity, str] = {}  # in C, of types
        self.taken: set[str] = set()  # of these
        self.linked = {each.name for each in entities.in_order if each.kind in ("function", "variable")}
        self.begun: set[Entity] = set()  # types that are declared, or that are just about to be
        self.unwritable: dict[Entity, str] = {}  # types that cannot be, with the reason
        values = [each.name for each in entities.in_order if each.kind == "variable" and "init" in each.node]
        enums = [each for each in entities.in_order if each.kind == "enum" and "scopedEnumTag" not in each.node]
        self.times = Counter([*values, *[name for enum in enums for name in _enumerator_names(enum)]])  # in all scopes
        self.waiting: list[Entity] = []  # structs that something points to
        self.contents: dict[str, bytes] = {}  # of files
        self.opaque: dict[Entity, str] = {}  # structs whose members C cannot have, with the reason

    def add(self, entity: Entity) -> None:
        """Write a declaration of the chosen files, if it is C's; else list it."""
        if entity.place[0] not in self.chosen:
            return
        if entity.kind == "function":
            self._function(entity)
        elif entity.kind == "variable":
            self._variable(entity)
        elif (entity.in_c or entity.kind == "enum") and not entity.is_nested:
            try:
                self._need(entity)
            except Unwritable as error:
                self._leave_out(entity, str(error), entity.qualified)
        while self.waiting:
            with contextlib.suppress(Unwritable):
                self._need(self.waiting.pop())

    def _function(self, entity: Entity) -> None:
        node, type_ = entity.node, entity.node["type"]["qualType"]
        if not entity.in_c:
            if node.get("storageClass") != "static":
                self._leave_out(entity, "it has C++ linkage", type_)
            return
        is_static = node.get("storageClass") == "static"
        if not is_static and (node.get("inline") or node.get("constexpr")):
            return self._leave_out(entity, "it is inline: code of the header, no symbol of a library", type_)
        try:
            params = ", ".join(self._parameters(entity)) or "void"
            written = self._spelled(declared_function(type_), entity, f"{entity.name}({params})")
        except Unwritable as error:
            return self._leave_out(entity, str(error), type_)
        self._unit(entity, f"static {written}" if is_static else f"{written}{_renamed(entity)}")

    def _parameters(self, entity: Entity) -> Iterator[str]:
        params = [each for each in entity.node.get("inner", ()) if each["kind"] == "ParmVarDecl"]
        for i, param in enumerate(params):
            name = param.get("name", "")
            try:
                yield self._spelled(self._declared(param), entity, name)
            except Unwritable as error:
                raise Unwritable(f"parameter {i + 1}{f' {name!r}' if name else ''}: {error}") from None
        if entity.node.get("variadic"):
            yield "..."

    def _variable(self, entity: Entity) -> None:
        node, type_ = entity.node, entity.node["type"]["qualType"]
        if not entity.in_c or node.get("mangledName", "").startswith("_Z"):
            return self._constant(entity)
        try:
            self._unit(entity, f"extern {self._spelled(declared(type_), entity, entity.name)}{_renamed(entity)}")
        except Unwritable as error:
            self._leave_out(entity, str(error), type_)

    def _constant(self, entity: Entity) -> None:
        """Define a constant as a macro of what it is initialised with; not one of several with the same name."""
        type_ = entity.node["type"].get("desugaredQualType", entity.node["type"]["qualType"])
        value = next((each for each in entity.node.get("inner", ()) if "valueCategory" in each), None)
        if value is None or not is_scalar_constant(type_):
            return
        text = self._source(value, entity.place[0])
        if not text or self.times[entity.name] > 1:
            return
        text = _operand(text)
        if value.get("castKind", "").startswith(("Integral", "Floating")):
            text = f"({type_.removeprefix('const ')})({text})"
        with contextlib.suppress(MacroError):
            self.sheet.macros[entity.name] = parse_define(f"{entity.name} {text}", *entity.place)

    def _need(self, entity: Entity) -> str:
        """Return how C writes a type, which is then declared."""
        if entity in self.unwritable:
            raise Unwritable(self.unwritable[entity])
        if entity not in self.begun:
            self.begun.add(entity)
            name = self._name(entity)
            try:
                if entity.kind == "record":
                    self._record(entity, name)
                elif entity.kind == "enum":
                    self._enum(entity, name)
                else:
                    self._unit(entity, f"typedef {self._spelled(self._declared(entity.node), entity, name)}")
            except Unwritable as error:
                self.unwritable[entity] = str(error)
                raise
        return self._called(entity)

    def _called(self, entity: Entity) -> str:
        """How C calls a type, which may be declared later."""
        if not _is_tagged(entity):
            return self._name(entity)
        return _named("enum" if entity.kind == "enum" else _tag(entity.node), self._name(entity))

    def _declared(self, node: Node) -> str:
        """The type of a declaration with a hole for its name; of a callback, with the names of its parameters."""
        type_ = declared(without_unnamed(node["type"]["qualType"]))
        return with_names(type_, self._source(node, place_of(node)[0]))

    def _source(self, node: Node, file: str) -> str:
        """The text of a declaration or an expression of *file*; "" where that is not known."""
        begin, end = [node["range"][each].get("expansionLoc", node["range"][each]) for each in ("begin", "end")]
        if not begin.get("file") == end.get("file") == file:
            return ""
        if file not in self.contents:
            with open_regular(file) as opened:
                self.contents[file] = opened.read()
        text = self.contents[file][begin["offset"] : end["offset"] + end["tokLen"]]
        return " ".join(without_comments(text.decode("utf-8", "replace")).split())

    def _name(self, entity: Entity) -> str:
        """The last part of a name, or all of it where another type, function or variable has that."""
        if entity not in self.names:
            name = entity.name
            if name in self.taken or (name in self.linked and not _is_tagged(entity)):
                name = entity.qualified.replace("::", "_")
            while name and name in self.taken:
                name += "_"
            self.taken.add(name)
            self.names[entity] = name
            if entity.has_alias and _is_tagged(entity):  # before others, so that the struct is called so
                self._unit(entity, f"typedef {self._called(entity)} {name}")
        return self.names[entity]

    def _record(self, entity: Entity, name: str) -> None:
        try:
            reason = _opaque(entity.node)
            if not reason:
                if entity.has_tag:
                    return self._unit(entity, self._members(entity.node, entity, name))
                return self._unit(entity, f"typedef {self._members(entity.node, entity, '')} {name}")
        except Unwritable as error:
            reason = str(error)
        self.opaque[entity] = reason
        if entity.node.get("completeDefinition") and entity.place[0] in self.chosen:
            self._leave_out(entity, reason, entity.qualified)

    def _members(self, node: Node, entity: Entity, name: str) -> str:
        """The definition of a struct or union, which stands in *entity* or is it."""
        members, said = [], []
        unnamed = {
            "unnamed_{1}_{2}".format(*place_of(each, begin=False)): each
            for each in node.get("inner", ())
            if each["kind"] in ("CXXRecordDecl", "EnumDecl") and "name" not in each
        }
        for each in node.get("inner", ()):
            if each["kind"] == "FieldDecl":
                members.append(self._member(each, entity, unnamed))
            elif each["kind"] == "MaxFieldAlignmentAttr" and not self._pack(entity):
                raise Unwritable("its #pragma pack is not in the file")
            said += _attributes(each)
        text = " ".join(f"{member};" for member in members)
        return f"{_named(_tag(node), name)} {{ {text} }}{_attribute(said)}"

    def _member(self, node: Node, entity: Entity, unnamed: dict[str, Node]) -> str:
        name = "" if node.get("isImplicit") else node.get("name", "")
        width = ""
        if node.get("isBitfield"):
            width = f" : {_value(node)}"
        said = [word for each in node.get("inner", ()) for word in _attributes(each)]
        written = self._spelled(self._declared(node), entity, name, unnamed)
        return f"{written}{width}{_attribute(said)}"

    def _enum(self, entity: Entity, name: str) -> None:
        is_scoped = "scopedEnumTag" in entity.node or any(self.times[each] > 1 for each in _enumerator_names(entity))
        prefix = f"{name}_" if is_scoped else ""
        text = _enumerators(entity.node, prefix)
        is_fixed = "fixedUnderlyingType" in entity.node
        if text:
            of_tag = f"{_named('enum', name)} {{ {text} }}"
            self._unit(entity, of_tag if entity.has_tag or is_fixed else f"typedef enum {{ {text} }} {name}")
        if is_fixed:
            written = self._spelled(declared(entity.node["fixedUnderlyingType"]["qualType"]), entity, name)
            self._unit(entity, f"typedef {written}")

    def _spelled(self, type_: str, entity: Entity, name: str, unnamed: dict[str, Node] | None = None) -> str:
        """Return a type in C's words with *name* in its hole."""
        inside = entity.qualified if entity.kind == "record" else entity.scope
        is_value = entity.kind != "typedef" and not any(sign in type_ for sign in "*(")

        def word(cxx_name: str) -> str | None:
            node = unnamed.get(cxx_name) if unnamed else None
            if node is not None:
                is_enum = node["kind"] == "EnumDecl"
                return f"enum {{ {_enumerators(node, '')} }}" if is_enum else self._members(node, entity, "")
            other = self.entities.find(cxx_name, inside)
            last = cxx_name.rpartition("::")[2]
            if other is None:
                return last if is_standard(last) else None
            if other.kind != "record" or not other.has_tag:
                made = self._need(other)
            else:
                self.waiting.append(other)
                made = self._called(other)
            if is_value:
                self._check_value(other)
            return made

        return spelled(type_, word).replace(HOLE, name).strip()

    def _check_value(self, entity: Entity) -> None:
        """Define the struct that a type is, itself or by typedefs. Unwritable if C cannot pass it."""
        while entity.kind == "typedef":
            target = self.entities.find(_plain(entity.node["type"]["qualType"]), entity.scope)
            if target is None or target is entity:
                return
            entity = target
        if entity.kind != "record":
            return
        self._need(entity)
        if entity in self.opaque and entity.node.get("completeDefinition"):
            raise Unwritable(f"{entity.qualified} by value: {self.opaque[entity]}")

    def _pack(self, entity: Entity) -> int:
        file, line = entity.place
        said = [pack for path, at, pack in self.sheet.packings if path == file and at <= line]
        return said[-1] if said else 0

    def _unit(self, entity: Entity, text: str) -> None:
        pack = self._pack(entity) if entity.kind == "record" else 0
        self.sheet.units.append(Unit(f"{text};", *entity.place, pack=pack))

    def _leave_out(self, entity: Entity, reason: str, text: str) -> None:
        kind = {"record": "struct", "enum": "type", "typedef": "type"}.get(entity.kind, entity.kind)
        self.sheet.left_out.append(LeftOut(entity.name, reason, kind, Unit(text, *entity.place)))


def _operand(plain: str) -> str:
    """The text of an expression as part of others."""
    return {"true": "1", "false": "0"}.get(plain, plain if len(tokens(plain)) == 1 else f"({plain})")


def _plain(type_: str) -> str:
    """A type without the words before its name."""
    return type_.removeprefix("const ").partition("[")[0].split(" ")[-1]


def _opaque(node: Node) -> str:
    """Why C cannot have the members of a class; "" if it can."""
    said = node.get("definitionData", {})
    if not node.get("completeDefinition"):
        return "it is not defined"
    if node.get("bases"):
        return "it has a base class"
    if not said.get("isStandardLayout"):
        return "it has no standard layout"
    if not said.get("canPassInRegisters"):
        return "copying or destroying it runs code"
    return "it has no members" if said.get("isEmpty") else ""


def _named(tag: str, name: str) -> str:
    return f"{tag} {name}" if name else tag


def _is_tagged(entity: Entity) -> bool:
    """Whether C calls a type by its tag: `struct name`."""
    return entity.kind != "typedef" and entity.has_tag and "fixedUnderlyingType" not in entity.node


def _tag(node: Node) -> str:
    return "union" if node.get("tagUsed") == "union" else "struct"


def _enumerator_names(entity: Entity) -> list[str]:
    return [each["name"] for each in entity.node.get("inner", ()) if each["kind"] == "EnumConstantDecl"]


def _enumerators(node: Node, prefix: str) -> str:
    members, last = [], -1
    for each in node.get("inner", ()):
        if each["kind"] == "EnumConstantDecl":
            said = _value(each)
            last = last + 1 if said is None else said
            members.append(f"{prefix}{each['name']} = {last}")
    return ", ".join(members)


def _value(node: Node) -> int | None:
    """The value of the first constant expression in a node."""
    for each in node.get("inner", ()):
        if each["kind"].endswith("Comment"):
            continue
        value = int(each["value"]) if each["kind"] == "ConstantExpr" else _value(each)
        if value is not None:
            return value
    return None


def _attributes(node: Node) -> list[str]:
    """What an attribute says of the layout. Unwritable for one that has no text in C."""
    if node["kind"] in _MOVING:
        raise Unwritable(f"its layout is changed by an attribute, {node['kind'].removesuffix('Attr')}")
    if node["kind"] == "PackedAttr":
        return ["packed"]
    if node["kind"] != "AlignedAttr":
        return []
    value = _value(node)
    if value is None:
        raise Unwritable("its alignment is that of another type")
    return [f"aligned({value})"]


def _attribute(said: list[str]) -> str:
    return f" __attribute__(({', '.join(said)}))" if said else ""


def _renamed(entity: Entity) -> str:
    """The label of a function or variable whose symbol is not its name."""
    symbol = entity.node.get("mangledName", entity.name)
    return f' __asm__("{symbol}")' if symbol.removeprefix("_") != entity.name.removeprefix("_") else ""
