"""What a header declares: functions with their signatures, those that have none with the reason, variables, enums.

Each declaration is read by itself, so that one that cannot be read costs no other.
"""

from __future__ import annotations

import re
from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any

from jitffi.base.errors import SignatureError
from jitffi.bind.expression import evaluate, type_of_name, type_of_words
from jitffi.bind.literals import Int, NotConstant
from jitffi.bind.names import parameter_names, restored, spelled
from jitffi.bind.tokens import is_name, joined, tokens
from jitffi.bind.units import Sheet, Unit
from jitffi.signature.cdecl import Reader
from jitffi.signature.csource import C_WORDS, Source
from jitffi.signature.model import KEYWORDS, TYPES, Param, Signature, Type, func, optional

#: Specifiers that say nothing to a caller.
_DROPPED = frozenset(("extern", "static", "inline", "__inline", "__inline__", "_Noreturn", "register"))
_SPELLINGS = {"__complex__": "_Complex", "__complex": "_Complex", "__typeof": "typeof", "__typeof__": "typeof"}
#: Names and types of a parameter that says how long the text before it is.
_LENGTH = re.compile(r"(?:\A|_)(?:n|len|length|size|count|cb|nbytes?)_*\Z|(?:Len|Length|Size|Count|Bytes?)\Z")
_COUNTS = frozenset(("i32", "u32", "i64", "u64"))
_EXTENSION = re.compile(r"__attribute__\s*\(\(.*?\)\)|__extension__")
_ATTRIBUTE = re.compile(r"\[\[[^\]]*\]\]")


@dataclass(frozen=True)
class DeclaredFunction:
    """A function that can be bound. *names*, one for each parameter, are Python's; *aliases* the typedefs of
    callbacks among the parameters, by position."""

    name: str
    sig: Signature
    names: tuple[str, ...]
    aliases: dict[int, str]
    prototype: str
    file: str
    line: int


@dataclass(frozen=True)
class Refused:
    """What is declared and not bound. *kind* is "function", "variable", "type" or "constant"."""

    name: str
    reason: str
    kind: str
    text: str
    file: str
    line: int


@dataclass(frozen=True)
class Callback:
    """A typedef of a function or of a pointer to one, that functions take."""

    name: str
    type: Type
    file: str
    line: int


@dataclass(frozen=True)
class Enum:
    """An enum's members. The tag or typedef name is "" where there is none."""

    name: str
    members: tuple[tuple[str, int], ...]
    file: str
    line: int


@dataclass
class Declared:
    """All that the chosen files declare, in their order."""

    functions: dict[str, DeclaredFunction] = field(default_factory=dict)
    refused: dict[str, Refused] = field(default_factory=dict)
    enums: list[Enum] = field(default_factory=list)
    members: dict[str, Int] = field(default_factory=dict)  # of all enums, those of other files too
    callbacks: dict[str, Callback] = field(default_factory=dict)
    typedefs: dict[str, Unit] = field(default_factory=dict)  # where each is
    reader: Reader | None = None  # knows all typedefs

    def member(self, name: str) -> Int | None:
        """The value of an enum's member."""
        return self.members.get(name)

    def cast(self, words: list[str]) -> tuple[int, bool] | str | None:
        """What a cast to the type that *words* name makes: a type of the standard, or a typedef of the header."""
        found = type_of_words(words)
        if found is not None or self.reader is None:
            return found
        if not any(word in self.reader.typedefs for word in words):
            return None
        try:
            reader = Reader(Source(f"void cast({' '.join(words)});"), self.reader)
            sig = reader.function(reader.declared()[0][1])
        except SignatureError:
            return None
        if len(sig.params) != 1:
            return None
        name = sig.params[0].type.name
        return "pointer" if name in ("ptr", "optional") else type_of_name(name)


def declarations(sheet: Sheet, chosen: Collection[str]) -> Declared:
    """Read the declarations of *sheet*; those of the *chosen* files are what is returned."""
    found = Declared()
    for unit in sheet.units:
        wanted = unit.file in chosen
        try:
            _unit(unit, wanted, found)
        except SignatureError as error:
            if wanted:
                _unread(unit, error.message, found)
        except RecursionError:
            if wanted:
                _unread(unit, "nested too deep", found)
    return found


def _unit(unit: Unit, wanted: bool, found: Declared) -> None:
    text = _ATTRIBUTE.sub(" ", unit.text) + (";" if unit.has_body else "")
    words = spelled([_SPELLINGS.get(word, word) for word in tokens(text)])
    reader = Reader(Source(" ".join(words), hints=False), found.reader)
    found.reader = reader
    for node in reader.nodes:
        if type(node).__name__ == "Typedef":
            found.typedefs[node.name] = unit
        _enum(node, unit, wanted, found)
        if wanted:
            _struct(node, unit, found)
    if wanted:
        for name, node in reader.declared():
            _function(restored(name), node, unit, restored(prototype_of(node)), reader, found)


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
            _refuse(name, f"not read: {message}", unit, name, found, "constant")
        return
    is_type = words[0] == "typedef" or (words[0] in ("struct", "union", "enum") and "(" not in words[:3])
    names = [word for word in words if is_name(word)]
    if is_type:
        name = names[-1] if names else unit.text[:20]
    else:
        opening = words.index("(") if "(" in words else len(words)
        near = [*reversed(words[:opening]), *words[opening:]]
        name = next((word for word in near if is_name(word) and word not in C_WORDS), unit.text[:20])
    _refuse(name, f"not read: {message}", unit, joined(words), found, "type" if is_type else "function")


def _refuse(name: str, reason: str, unit: Unit, text: str, found: Declared, kind: str = "function") -> None:
    reason = restored(reason.replace("__builtin_va_list", "va_list"))
    found.refused.setdefault(name, Refused(name, reason, kind, text, unit.file, unit.line))


def _function(name: str, node: Any, unit: Unit, prototype: str, reader: Reader, found: Declared) -> None:
    if name in found.refused and found.refused[name].kind == "function":
        return
    try:
        sig = reader.function(node)
    except SignatureError as error:
        if error.message == "it is not a function":
            return _refuse(name, "it is a variable", unit, prototype, found, "variable")
        return _refuse(name, error.message, unit, prototype, found)
    if not name.isascii() and any("\ud800" <= char <= "\udfff" for char in name):
        return _refuse(name, "its name is no UTF-8", unit, prototype, found)
    if "static" in node.storage:
        return _refuse(name, "it is static: code of the header, no symbol of a library", unit, prototype, found)
    if sig.variadic:
        return _refuse(name, "it is variadic", unit, prototype, found)
    before = found.functions.get(name)
    if before is not None:
        if before.sig.types != sig.types:
            reason = f"declared twice, as {before.sig.types} and as {sig.types}"
            del found.functions[name]
            _refuse(name, reason, unit, prototype, found)
        return None
    target, _ = reader.strip(node.type)
    params = target.args.params if target.args is not None and sig.params else []
    raw = [param.name for param in params]
    names = parameter_names([None if each is None else restored(each) for each in raw])
    named = tuple(names) if all(raw) else (None,) * len(names)
    sig = Signature([Param(n, _safe(p.type, reader)) for n, p in zip(named, sig.params, strict=True)], sig.result)
    aliases = _aliases(params, sig, reader, found)
    found.functions[name] = DeclaredFunction(name, sig, tuple(names), aliases, prototype, unit.file, unit.line)
    return None


def _safe(ty: Type, reader: Reader) -> Type:
    """A callback's type whose texts of a given length are pointers: nothing says that they end with a NUL."""
    sig = ty.inner.signature if ty.is_optional else None
    if sig is None:
        return ty
    params = []
    counted_text = optional(Type("ptr", (TYPES[reader.model.keywords["char"]], True)))
    for i, param in enumerate(sig.params):
        after = sig.params[i + 1] if i + 1 < len(sig.params) else None
        counted = after is not None and after.type.name in _COUNTS and _LENGTH.search(after.name or "")
        is_text = param.type.is_optional and param.type.inner.name == "cstr"
        params.append(Param(param.name, counted_text if counted and is_text else _safe(param.type, reader)))
    return optional(func(Signature(params, sig.result, sig.fixed)))


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


def _struct(node: Any, unit: Unit, found: Declared) -> None:
    """List the struct or union that a declaration defines: there is no class for it, only pointers to it."""
    inner = node
    while inner is not None and type(inner).__name__ not in ("Struct", "Union"):
        inner = getattr(inner, "type", None)
    if inner is None or not inner.decls:
        return
    kind = type(inner).__name__.lower()
    is_alias = type(node).__name__ == "Typedef" and getattr(node.type, "type", None) is inner
    if is_alias or inner.name:
        name = restored(node.name if is_alias else f"{kind} {inner.name}")
        _refuse(name, f"a {kind}: functions take pointers to it", unit, name, found, "type")


def _alias(node: Any, reader: Reader) -> str | None:
    """The typedef that a parameter's type names, itself or behind one pointer."""
    if type(node).__name__ == "PtrDecl":
        node = node.type
    names: list[str] = getattr(getattr(node, "type", None), "names", [])
    known = len(names) == 1 and names[0] in reader.typedefs and names[0] not in KEYWORDS
    return names[0] if known and not names[0].startswith("_") else None


def _enum(node: Any, unit: Unit, wanted: bool, found: Declared) -> None:
    """Add the enum that a declaration defines, if it does."""
    named = restored(node.name) if type(node).__name__ == "Typedef" else ""
    inner = node
    while inner is not None and type(inner).__name__ != "Enum":
        inner = getattr(inner, "type", None)
    if inner is None or inner.values is None:
        return
    from pycparser.c_generator import CGenerator

    members = []
    last: Int | None = Int(-1)
    for each in inner.values.enumerators:
        name, reason = restored(each.name), ""
        if each.value is not None:
            try:
                words = tokens(restored(CGenerator().visit(each.value)))
                value = evaluate(words, found.member, found.cast)
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
            _refuse(name, f"not a constant: {reason}".rstrip(": "), unit, name, found, "constant")
    if wanted and members:
        title = named or restored(inner.name or "")
        found.enums.append(Enum(title, tuple(members), unit.file, unit.line))
