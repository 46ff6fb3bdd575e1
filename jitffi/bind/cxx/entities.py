"""The declarations of a C++ header that can matter to C: types by their qualified names, functions and variables."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from jitffi.bind.cxx.clang import place_of

Node = dict[str, Any]  # of clang's syntax tree

_KINDS = {"CXXRecordDecl": "record", "EnumDecl": "enum", "TypedefDecl": "typedef", "TypeAliasDecl": "typedef"}
_OTHERS = {"FunctionDecl": "function", "VarDecl": "variable"}


@dataclass(eq=False)
class Entity:
    """One declaration. *kind* is "record", "enum", "typedef", "function" or "variable"; *scope* the qualified name of
    what it stands in; *in_c* whether that is `extern "C"`; *is_nested* whether it is a class; *has_tag* whether the
    name is the struct's or enum's own, not that of `typedef struct { ... } name`; *has_alias* whether there is
    `typedef struct name name`."""

    kind: str
    name: str
    scope: str
    node: Node
    in_c: bool
    is_nested: bool = False
    has_tag: bool = True
    has_alias: bool = False

    @property
    def qualified(self) -> str:
        return joined(self.scope, self.name)

    @property
    def place(self) -> tuple[str, int]:
        return place_of(self.node)[:2]


@dataclass
class Entities:
    """What a header declares: *types* by qualified names, and all in its order."""

    types: dict[str, Entity] = field(default_factory=dict)
    in_order: dict[Entity, None] = field(default_factory=dict)
    _by_id: dict[str, Entity] = field(default_factory=dict)
    _linked: set[str] = field(default_factory=set)  # the ids of what was declared in `extern "C"` before

    def find(self, name: str, scope: str) -> Entity | None:
        """Return the type that *name* means in *scope*: of the innermost scope around that has one."""
        name = name.removeprefix("::")
        while True:
            found = self.types.get(joined(scope, name))
            if found is not None or not scope:
                break
            scope = scope.rpartition("::")[0]
        # The names of C that namespace std has, too; we pass over its declarations.
        return self.types.get(name.removeprefix("std::")) if found is None else found

    def add(self, nodes: Iterable[Node], scope: str = "", in_c: bool = False, around: str | None = None) -> None:
        """Add what *nodes* declare, which stand in one scope; in a class, *around* is the namespace that it is in."""
        is_nested = around is not None
        unnamed: Node | None = None  # a struct or an enum, which the typedef behind it may name
        for node in nodes:
            kind = node["kind"]
            inner = node.get("inner", ())
            if node.get("isImplicit") and kind not in ("UsingShadowDecl", "FunctionDecl"):
                continue
            if kind == "LinkageSpecDecl":
                self.add(inner, scope, node.get("language") == "C")
            elif kind == "NamespaceDecl" and "name" in node:
                self.add(inner, joined(scope, node["name"]), in_c)
                if node.get("isInline"):
                    self._expose(joined(scope, node["name"]), scope)
            elif kind == "UsingShadowDecl" and node.get("target", {}).get("id") in self._by_id:
                target = self._by_id[node["target"]["id"]]
                self.types.setdefault(joined(scope, node["target"]["name"]), target)
            elif kind in _KINDS and "name" not in node:
                unnamed = node
                if kind == "EnumDecl":
                    self.in_order[Entity("enum", "", scope, node, in_c, is_nested)] = None
            elif kind in _KINDS:
                self._type(node, unnamed, scope, in_c, around)
            elif kind in _OTHERS and not is_nested:
                self._linkable(Entity(_OTHERS[kind], node["name"], scope, node, in_c))

    def _type(self, node: Node, unnamed: Node | None, scope: str, in_c: bool, around: str | None) -> None:
        kind = _KINDS[node["kind"]]
        if around is not None and "parentDeclContextId" in node:  # struct a { struct other *member; };
            scope, around = around, None
        qualified = joined(scope, node["name"])
        has_tag = kind != "typedef" or unnamed is None or _owned(node) != unnamed["id"]
        if not has_tag and unnamed is not None:
            if unnamed["kind"] == "EnumDecl":
                self.in_order.popitem()
            node, kind = {**unnamed, "name": node["name"]}, _KINDS[unnamed["kind"]]
        before = self.types.get(qualified)
        if kind == "typedef" and before is not None and before.kind != "typedef":
            before.has_alias = True
            return
        if kind == "record":
            self.add(node.get("inner", ()), qualified, around=scope if around is None else around)
        if before is not None and not _is_definition(node):
            self._by_id[node["id"]] = before
            before.in_c |= in_c
            return
        entity = before or Entity(kind, node["name"], scope, node, in_c, around is not None, has_tag)
        if before is not None:  # what has found it before finds the definition
            before.kind, before.node, before.in_c = kind, node, before.in_c or in_c
            del self.in_order[before]
        self.types[qualified] = self._by_id[node["id"]] = entity
        self.in_order[entity] = None

    def _linkable(self, entity: Entity) -> None:
        entity.in_c |= entity.node.get("previousDecl") in self._linked
        if entity.in_c:
            self._linked.add(entity.node["id"])
        self.in_order[entity] = None

    def _expose(self, inside: str, scope: str) -> None:
        """The names of an inline namespace are those of the one around it, too."""
        for name, entity in list(self.types.items()):
            if name.startswith(f"{inside}::"):
                self.types.setdefault(joined(scope, name.removeprefix(f"{inside}::")), entity)


def joined(scope: str, name: str) -> str:
    """Return a name with its scope before it.

    >>> joined("a::b", "c"), joined("", "c")
    ('a::b::c', 'c')
    """
    return f"{scope}::{name}" if scope else name


def _owned(node: Node) -> str | None:
    """The id of the struct or enum that a typedef defines, and is no pointer to."""
    first: Node = next(iter(node.get("inner", ())), {})
    tag: Node = first.get("ownedTagDecl") or first.get("decl") or {}
    return tag.get("id")


def _is_definition(node: Node) -> bool:
    if node["kind"] == "CXXRecordDecl":
        return bool(node.get("completeDefinition"))
    return node["kind"] == "EnumDecl" and any(each["kind"] == "EnumConstantDecl" for each in node.get("inner", ()))
