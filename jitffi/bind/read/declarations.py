"""What a header declares: functions with their signatures, those that have none with the reason, structs, enums.

Each declaration is read by itself, so that one that cannot be read costs no other.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from jitffi.base.errors import SignatureError
from jitffi.bind.read.counted_text import without_counted_texts
from jitffi.bind.read.declared import Callback, Declared, DeclaredFunction, DeclaredStruct, DeclaredVariable, refuse
from jitffi.bind.read.enums import enum_of, read_enums
from jitffi.bind.read.names import parameter_names, restored, spelled
from jitffi.bind.read.structures import Structures, defined_by, keys_in, needed, read_structs
from jitffi.bind.source.tokens import is_name, joined, tokens
from jitffi.bind.source.units import Sheet, Unit
from jitffi.signature.cdecl import Reader
from jitffi.signature.csource import C_WORDS, Source
from jitffi.signature.model import KEYWORDS, Param, Signature

#: Specifiers that say nothing to a caller.
_DROPPED = frozenset(("extern", "static", "inline", "__inline", "__inline__", "_Noreturn", "register"))
_SPELLINGS = {"__complex__": "_Complex", "__complex": "_Complex", "__typeof": "typeof", "__typeof__": "typeof"}
_EXTENSION = re.compile(r"__attribute__\s*\(\(.*?\)\)|__extension__")
#: Another name of a symbol, which glibc gives, and register variables have.
_ASM = re.compile(r'\b__asm(?:__)?\s*\(((?:\s*"[^"]*")+)\s*\)')
_ATTRIBUTE = re.compile(r"\[\[[^\]]*\]\]")


def declarations(sheet: Sheet, chosen: Collection[str], prefix: str) -> Declared:
    """Read the declarations of *sheet*; those of the *chosen* files are what is returned, with the structs that they
    need. *prefix* is what the keys of structs begin with."""
    found = Declared()
    parsed = []
    for unit in sheet.units:
        wanted = unit.file in chosen
        try:
            parsed.append((unit, _parse(unit, found)))
            read_enums(parsed[-1][1].nodes, unit, wanted, found)
        except SignatureError as error:
            if wanted:
                _unread(unit, error.message, found)
        except RecursionError:
            if wanted:
                _unread(unit, "nested too deep", found)
    structures = read_structs([reader for _, reader in parsed], prefix)
    for unit, reader in parsed:
        for name, node in reader.declared() if unit.file in chosen else ():
            try:
                _function(restored(name), node, unit, restored(prototype_of(node)), reader, found)
            except RecursionError:
                refuse(restored(name), "nested too deep", unit, name, found)
    _structs(structures, parsed, chosen, found)
    for each in sheet.left_out:
        if each.name not in found.functions:
            refuse(each.name, each.reason, each.unit, each.unit.text, found, each.kind)
    position = {path: i for i, path in enumerate(sheet.files)}
    in_order = sorted(found.refused.items(), key=lambda item: (position.get(item[1].file, 0), item[1].line))
    found.refused = dict(in_order)
    return found


def _parse(unit: Unit, found: Declared) -> Reader:
    text = _ASM.sub(" ", _ATTRIBUTE.sub(" ", unit.text)) + (";" if unit.has_body else "")
    words = spelled([_SPELLINGS.get(word, word) for word in tokens(text)])
    packed = f"#pragma pack({unit.pack})\n{' '.join(words)}\n#pragma pack()" if unit.pack else " ".join(words)
    found.reader = reader = Reader(Source(packed, hints=False), found.reader)
    for node in reader.nodes:
        if type(node).__name__ == "Typedef":
            found.typedefs[node.name] = unit
    return reader


def _structs(
    structures: Structures, parsed: list[tuple[Unit, Reader]], chosen: Collection[str], found: Declared
) -> None:
    """Add the structs of the chosen files, and those that they or functions lead to."""
    found.scope.update(structures.names)
    found.scope.update({each.key: each.type for each in structures.made})
    places: dict[str, Unit] = {}
    for unit, reader in parsed:
        for node in reader.nodes:
            for name, kind in defined_by(node):
                type_ = structures.names.get(name)
                if type_ is not None:
                    places.setdefault(type_.text, unit)
                elif unit.file in chosen and name in structures.reasons:
                    refuse(name, structures.reasons[name], unit, name, found, kind)
                    break  # one line, whatever names it has
    wanted = {each.key for each in structures.made if each.key in places and places[each.key].file in chosen}
    for function in found.functions.values():
        wanted.update(keys_in(function.sig))
    for variable in found.variables.values():
        wanted.update(keys_in(variable.type.type))
    for struct in needed(structures.made, wanted):
        at = places.get(struct.key)
        found.structs.append(DeclaredStruct(struct, at.file, at.line) if at else DeclaredStruct(struct))


def prototype_of(node: Any) -> str:
    """Return a declaration as one reads it: without what only linkers need.

    >>> reader = Reader(Source("extern int f(void (*g)(int)), h(const char *);"))
    >>> [prototype_of(node) for _, node in reader.declared()]
    ['int f(void (*g)(int))', 'int h(const char *)']
    """
    from pycparser.c_generator import CGenerator

    words = " ".join(CGenerator().visit(node).split()).split(" ")
    while words[0] in _DROPPED:
        del words[0]
    return " ".join(words).replace("* restrict", "*restrict").replace("* const", "*const")


def _unread(unit: Unit, message: str, found: Declared) -> None:
    words = tokens(_EXTENSION.sub(" ", unit.text))
    if "enum" in words[:2] and "{" in words:
        names = [name for name, before in zip(words[1:], words, strict=False) if before in ("{", ",") and is_name(name)]
        for name in names:
            refuse(name, f"not read: {message}", unit, name, found, "constant")
        return
    is_type = words[0] == "typedef" or (words[0] in ("struct", "union", "enum") and "(" not in words[:3])
    names = [word for word in words if is_name(word)]
    if is_type:
        name = names[-1] if names else unit.text[:20]
    else:
        opening = words.index("(") if "(" in words else len(words)
        near = [*reversed(words[:opening]), *words[opening:]]
        name = next((word for word in near if is_name(word) and word not in C_WORDS), unit.text[:20])
    refuse(name, f"not read: {message}", unit, joined(words), found, "type" if is_type else "function")


def _function(name: str, node: Any, unit: Unit, prototype: str, reader: Reader, found: Declared) -> None:
    if name in found.refused and found.refused[name].kind == "function":
        return
    try:
        sig = reader.function(node)
    except SignatureError as error:
        if error.message == "it is not a function":
            return _variable(name, node, unit, prototype, reader, found)
        return refuse(name, error.message, unit, prototype, found)
    if not name.isascii() and any("\ud800" <= char <= "\udfff" for char in name):
        return refuse(name, "its name is no UTF-8", unit, prototype, found)
    if "static" in node.storage:
        return refuse(name, "it is static: code of the header, no symbol of a library", unit, prototype, found)
    before = found.functions.get(name)
    if before is not None:
        if before.sig.types != sig.types:
            reason = f"declared twice, as {before.sig.types} and as {sig.types}"
            del found.functions[name]
            refuse(name, reason, unit, prototype, found)
        return None
    target, _ = reader.strip(node.type)
    params = target.args.params if target.args is not None and sig.params else []
    params = [param for param in params if type(param).__name__ != "EllipsisParam"]
    raw = [param.name for param in params]
    names = parameter_names([None if each is None else restored(each) for each in raw])
    named = tuple(names) if all(raw) else (None,) * len(names)
    safe = [Param(n, without_counted_texts(p.type, reader)) for n, p in zip(named, sig.params, strict=True)]
    sig = Signature(safe, sig.result, sig.fixed)
    aliases = _aliases(params, sig, reader, found)
    renamed = _ASM.search(unit.text)
    symbol = "".join(re.findall(r'"([^"]*)"', renamed[1])) if renamed else name
    enum = enum_of(target.type, reader, found)
    found.functions[name] = DeclaredFunction(
        name, sig, tuple(names), aliases, prototype, unit.file, unit.line, symbol, enum
    )
    return None


def _variable(name: str, node: Any, unit: Unit, prototype: str, reader: Reader, found: Declared) -> None:
    try:
        made = reader.variable(node)
        enum = enum_of(node.type, reader, found)
        found.variables.setdefault(name, DeclaredVariable(name, made, prototype, unit.file, unit.line, enum))
    except SignatureError as error:
        refuse(name, error.message, unit, prototype, found, "variable")


def _aliases(params: list[Any], sig: Signature, reader: Reader, found: Declared) -> dict[int, str]:
    """The names of the parameters' types that are callbacks by typedef, by position."""
    aliases = {}
    for i, param in enumerate(params):
        alias = _alias(param.type, reader)
        inner = sig.params[i].type
        if alias is not None and inner.is_optional and inner.inner.signature is not None:
            unit, name = found.typedefs[alias], restored(alias)
            aliases[i] = name
            found.callbacks.setdefault(name, Callback(name, inner.inner, unit.file, unit.line))
    return aliases


def _alias(node: Any, reader: Reader) -> str | None:
    """The typedef that a parameter's type names, itself or behind one pointer."""
    if type(node).__name__ == "PtrDecl":
        node = node.type
    names: list[str] = getattr(getattr(node, "type", None), "names", [])
    known = len(names) == 1 and names[0] in reader.typedefs and names[0] not in KEYWORDS
    return names[0] if known and not names[0].startswith("_") else None
