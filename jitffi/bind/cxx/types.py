"""The types of a C++ header in C: structs, enums and typedefs, each declared where something needs it."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Collection

from jitffi.base.files import open_regular
from jitffi.bind.cxx.callback_names import with_names
from jitffi.bind.cxx.clang import place_of
from jitffi.bind.cxx.entities import Entities, Entity, Node
from jitffi.bind.cxx.spelling import HOLE, Unwritable, declared, is_standard, spelled, without_unnamed
from jitffi.bind.source.tokens import without_comments
from jitffi.bind.source.units import LeftOut, Sheet, Unit

#: Attributes that move members, and stand in no text of C.
_MOVING = frozenset(("NoUniqueAddressAttr", "MSStructAttr", "RandomizeLayoutAttr"))


class Types:
    """Writes types as units of a sheet; what only a pointer leads to with `settle`."""

    def __init__(self, sheet: Sheet, entities: Entities, chosen: Collection[str]) -> None:
        self.sheet, self.entities, self.chosen = sheet, entities, chosen
        self.names: dict[Entity, str] = {}  # in C
        self.taken: set[str] = set()  # of these
        self.linked = {each.name for each in entities.in_order if each.kind in ("function", "variable")}
        self.begun: set[Entity] = set()  # those that are declared, or that are just about to be
        self.unwritable: dict[Entity, str] = {}  # those that cannot be, with the reason
        self.opaque: dict[Entity, str] = {}  # structs whose members C cannot have, with the reason
        self.waiting: list[Entity] = []  # structs that something points to
        self.contents: dict[str, bytes] = {}  # of files
        values = [each.name for each in entities.in_order if each.kind == "variable" and "init" in each.node]
        enums = [each for each in entities.in_order if each.kind == "enum" and "scopedEnumTag" not in each.node]
        #: How often a constant or a member of an enum is called so, in all scopes.
        self.times = Counter([*values, *[name for enum in enums for name in _enumerator_names(enum)]])

    def settle(self) -> None:
        """Declare the structs that something points to."""
        while self.waiting:
            with contextlib.suppress(Unwritable):
                self.need(self.waiting.pop())

    def need(self, entity: Entity) -> str:
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
                    self.unit(entity, f"typedef {self.spelled(self.declared(entity.node), entity, name)}")
            except Unwritable as error:
                self.unwritable[entity] = str(error)
                raise
        return self._called(entity)

    def _called(self, entity: Entity) -> str:
        """How C calls a type, which may be declared later."""
        if not _is_tagged(entity):
            return self._name(entity)
        return _named("enum" if entity.kind == "enum" else _tag(entity.node), self._name(entity))

    def declared(self, node: Node) -> str:
        """The type of a declaration with a hole for its name; of a callback, with the names of its parameters."""
        type_ = declared(without_unnamed(node["type"]["qualType"]))
        return with_names(type_, self.source(node, place_of(node)[0]))

    def source(self, node: Node, file: str) -> str:
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
                self.unit(entity, f"typedef {self._called(entity)} {name}")
        return self.names[entity]

    def _record(self, entity: Entity, name: str) -> None:
        try:
            reason = _opaque(entity.node)
            if not reason:
                if entity.has_tag:
                    return self.unit(entity, self._members(entity.node, entity, name))
                return self.unit(entity, f"typedef {self._members(entity.node, entity, '')} {name}")
        except Unwritable as error:
            reason = str(error)
        self.opaque[entity] = reason
        if entity.node.get("completeDefinition") and entity.place[0] in self.chosen:
            self.leave_out(entity, reason, entity.qualified)

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
        written = self.spelled(self.declared(node), entity, name, unnamed)
        return f"{written}{width}{_attribute(said)}"

    def _enum(self, entity: Entity, name: str) -> None:
        is_scoped = "scopedEnumTag" in entity.node or any(self.times[each] > 1 for each in _enumerator_names(entity))
        prefix = f"{name}_" if is_scoped else ""
        text = _enumerators(entity.node, prefix)
        is_fixed = "fixedUnderlyingType" in entity.node
        if text:
            of_tag = f"{_named('enum', name)} {{ {text} }}"
            self.unit(entity, of_tag if entity.has_tag or is_fixed else f"typedef enum {{ {text} }} {name}")
        if is_fixed:
            written = self.spelled(declared(entity.node["fixedUnderlyingType"]["qualType"]), entity, name)
            self.unit(entity, f"typedef {written}")

    def spelled(self, type_: str, entity: Entity, name: str, unnamed: dict[str, Node] | None = None) -> str:
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
                made = self.need(other)
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
        self.need(entity)
        if entity in self.opaque and entity.node.get("completeDefinition"):
            raise Unwritable(f"{entity.qualified} by value: {self.opaque[entity]}")

    def _pack(self, entity: Entity) -> int:
        file, line = entity.place
        said = [pack for path, at, pack in self.sheet.packings if path == file and at <= line]
        return said[-1] if said else 0

    def unit(self, entity: Entity, text: str) -> None:
        pack = self._pack(entity) if entity.kind == "record" else 0
        self.sheet.units.append(Unit(f"{text};", *entity.place, pack=pack))

    def leave_out(self, entity: Entity, reason: str, text: str) -> None:
        kind = {"record": "struct", "enum": "type", "typedef": "type"}.get(entity.kind, entity.kind)
        self.sheet.left_out.append(LeftOut(entity.name, reason, kind, Unit(text, *entity.place)))


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
